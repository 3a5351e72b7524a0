//! Decodes JPEG, PNG, WebP and GIF into upright 8-bit pixels. The size is read from the file header, so that oversized
//! pictures are rejected before memory is allocated.

use std::io::{BufRead, Cursor, Seek};

use image_webp::WebPDecoder;
use zune_core::bytestream::{ZByteReaderTrait, ZCursor};
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::orientation::{Orientation, UPRIGHT};
use crate::pixels::Pixels;
use crate::{Error, PIXEL_LIMIT, SIDE_LIMIT};

/// The format of a file, detected by its first bytes because file extensions may be wrong.
enum Kind {
    Jpeg,
    Png,
    WebP,
    Gif,
}

impl Kind {
    fn of(bytes: &[u8]) -> Result<Kind, Error> {
        if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            Ok(Kind::Jpeg)
        } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Ok(Kind::Png)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Ok(Kind::WebP)
        } else if bytes.starts_with(b"GIF8") {
            Ok(Kind::Gif)
        } else {
            Err(Error::new("it is not a JPEG, PNG, WebP or GIF image"))
        }
    }
}

/// Width and height of the upright picture in pixels. Only the header of the file is read, and what says how it is turned;
/// the rest is skipped.
pub fn dimensions(mut file: impl BufRead + Seek) -> Result<(u32, u32), Error> {
    let (size, orientation) = match Kind::of(file.fill_buf().map_err(Error::new)?)? {
        Kind::Jpeg => {
            let mut decoder = jpeg(file);
            decoder.decode_headers().map_err(Error::new)?;
            jpeg_head(&decoder)?
        }
        Kind::Png => {
            let mut decoder = png::Decoder::new(file);
            let head = decoder.read_header_info().map_err(Error::new)?;
            let size = (head.width, head.height);
            check_size(size)?;
            // EXIF comes after the header.
            let reader = decoder.read_info().map_err(Error::new)?;
            (size, png_orientation(reader.info()))
        }
        Kind::WebP => {
            let mut decoder = WebPDecoder::new(file).map_err(Error::new)?;
            (decoder.dimensions(), webp_orientation(&mut decoder))
        }
        Kind::Gif => (gif_size(&gif(file)?), UPRIGHT),
    };
    check_size(size)?;
    Ok(if orientation.is_sideways() {
        (size.1, size.0)
    } else {
        size
    })
}

/// Decodes a picture and applies its EXIF orientation. Only the first frame of an animation is decoded.
pub fn decode(bytes: &[u8]) -> Result<Pixels, Error> {
    match Kind::of(bytes)? {
        Kind::Jpeg => decode_jpeg(bytes),
        Kind::Png => decode_png(bytes),
        Kind::WebP => decode_webp(bytes),
        Kind::Gif => decode_gif(bytes),
    }
}

fn check_size((width, height): (u32, u32)) -> Result<(), Error> {
    if width > SIDE_LIMIT
        || height > SIDE_LIMIT
        || u64::from(width) * u64::from(height) > PIXEL_LIMIT
    {
        return Err(Error::new(format_args!(
            "it has {width} × {height} pixels; the limits are {SIDE_LIMIT} per side and {} million in total",
            PIXEL_LIMIT / 1_000_000
        )));
    }
    if width == 0 || height == 0 {
        Err(Error::new("it has no pixels"))
    } else {
        Ok(())
    }
}

fn jpeg<T: ZByteReaderTrait>(file: T) -> JpegDecoder<T> {
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    JpegDecoder::new_with_options(file, options)
}

fn jpeg_head<T: ZByteReaderTrait>(
    decoder: &JpegDecoder<T>,
) -> Result<((u32, u32), Orientation), Error> {
    let info = decoder
        .info()
        .ok_or_else(|| Error::new("it has no header"))?;
    let orientation = decoder
        .exif()
        .map_or(UPRIGHT, |exif| Orientation::read(exif));
    Ok(((u32::from(info.width), u32::from(info.height)), orientation))
}

fn decode_jpeg(bytes: &[u8]) -> Result<Pixels, Error> {
    // The decoder fills the missing part of a truncated JPEG with gray, so the end-of-image marker is checked first.
    if !bytes
        .windows(2)
        .rev()
        .take(4096)
        .any(|pair| pair == [0xff, 0xd9])
    {
        return Err(Error::new("it is truncated"));
    }
    let mut decoder = jpeg(ZCursor::new(bytes));
    decoder.decode_headers().map_err(Error::new)?;
    let (size, orientation) = jpeg_head(&decoder)?;
    check_size(size)?;
    let data = decoder.decode().map_err(Error::new)?;
    Pixels::upright::<3>(size, data, orientation)
}

fn png_orientation(info: &png::Info) -> Orientation {
    info.exif_metadata
        .as_ref()
        .map_or(UPRIGHT, |exif| Orientation::read(exif))
}

fn decode_png(bytes: &[u8]) -> Result<Pixels, Error> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    let head = decoder.read_header_info().map_err(Error::new)?;
    let size = (head.width, head.height);
    check_size(size)?;
    // Expands palettes, depths below 8 bits and transparent colors, and reduces 16 bits to 8.
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(Error::new)?;
    let length = reader
        .output_buffer_size()
        .ok_or_else(|| Error::new("it is too large"))?;
    let mut data = vec![0; length];
    let frame = reader.next_frame(&mut data).map_err(Error::new)?;
    data.truncate(frame.buffer_size());
    let orientation = png_orientation(reader.info());
    let (color, _) = reader.output_color_type();
    match color {
        png::ColorType::Rgb => Pixels::upright::<3>(size, data, orientation),
        png::ColorType::Rgba => Pixels::upright::<4>(size, data, orientation),
        png::ColorType::Grayscale => {
            let data = data.into_iter().flat_map(|gray| [gray; 3]).collect();
            Pixels::upright::<3>(size, data, orientation)
        }
        png::ColorType::GrayscaleAlpha => {
            let (pixels, _) = data.as_chunks::<2>();
            let data = pixels
                .iter()
                .flat_map(|[gray, alpha]| [*gray, *gray, *gray, *alpha])
                .collect();
            Pixels::upright::<4>(size, data, orientation)
        }
        png::ColorType::Indexed => Err(Error::new("its palette is missing")),
    }
}

fn gif<R: std::io::Read>(file: R) -> Result<gif::Decoder<R>, Error> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    options.read_info(file).map_err(Error::new)
}

fn gif_size(decoder: &gif::Decoder<impl std::io::Read>) -> (u32, u32) {
    (u32::from(decoder.width()), u32::from(decoder.height()))
}

fn decode_gif(bytes: &[u8]) -> Result<Pixels, Error> {
    let mut decoder = gif(bytes)?;
    let size = gif_size(&decoder);
    check_size(size)?;
    let frame = decoder
        .read_next_frame()
        .map_err(Error::new)?
        .ok_or_else(|| Error::new("it has no frame"))?;
    // A frame may be a part of the picture; around it nothing is drawn.
    let (width, height) = (size.0 as usize, size.1 as usize);
    let (left, top, frame_width) = (
        usize::from(frame.left),
        usize::from(frame.top),
        usize::from(frame.width).max(1),
    );
    let mut data = vec![0; width * height * 4];
    let rows = frame
        .buffer
        .chunks_exact(frame_width * 4)
        .enumerate()
        .take(height.saturating_sub(top));
    for (row, pixels) in rows {
        let shown = frame_width.min(width.saturating_sub(left)) * 4;
        let at = ((top + row) * width + left) * 4;
        if let Some(target) = data.get_mut(at..at + shown) {
            target.copy_from_slice(&pixels[..shown]);
        }
    }
    let is_opaque = data.chunks_exact(4).all(|pixel| pixel[3] == u8::MAX);
    if !is_opaque {
        return Pixels::upright::<4>(size, data, UPRIGHT);
    }
    let (pixels, _) = data.as_chunks::<4>();
    let data = pixels
        .iter()
        .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
        .collect();
    Pixels::upright::<3>(size, data, UPRIGHT)
}

fn webp_orientation(decoder: &mut WebPDecoder<impl BufRead + Seek>) -> Orientation {
    decoder
        .exif_metadata()
        .ok()
        .flatten()
        .map_or(UPRIGHT, |exif| Orientation::read(&exif))
}

fn decode_webp(bytes: &[u8]) -> Result<Pixels, Error> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(Error::new)?;
    let size = decoder.dimensions();
    check_size(size)?;
    let length = decoder
        .output_buffer_size()
        .ok_or_else(|| Error::new("it is too large"))?;
    let mut data = vec![0; length];
    decoder.read_image(&mut data).map_err(Error::new)?;
    let orientation = webp_orientation(&mut decoder);
    if decoder.has_alpha() {
        Pixels::upright::<4>(size, data, orientation)
    } else {
        Pixels::upright::<3>(size, data, orientation)
    }
}
