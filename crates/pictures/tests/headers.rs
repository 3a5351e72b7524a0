//! Reads the sizes of photographs from their headers: the right one, and nothing of what follows.

use std::io::{BufReader, Cursor, Read, Result, Seek, SeekFrom};

use jpeg_encoder::{ColorType, Encoder};
use pictures::{decode, dimensions};

const WIDTH: u16 = 12;
const HEIGHT: u16 = 8;
/// The number of bytes that follow in a large file.
const REST: usize = 3_000_000;
/// The number of bytes that can be read of a file: its header, with 60 kB of metadata, and some of the rest.
const MOST: u64 = 150_000;
/// EXIF of a picture that is stored lying on its side.
const TURNED: &[u8] = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";

/// A file that counts the bytes that are read.
struct Counted<'a>(Cursor<&'a [u8]>, &'a mut u64);

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.0.read(buffer)?;
        *self.1 += read as u64;
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.0.seek(to)
    }
}

#[track_caller]
fn check(file: &[u8], (width, height): (u16, u16)) {
    let mut read = 0;
    let size = dimensions(BufReader::new(Counted(Cursor::new(file), &mut read)));
    assert_eq!(size, Ok((width.into(), height.into())));
    assert!(read < MOST, "{read} of {} bytes were read", file.len());
    // From memory, it is the same.
    assert_eq!(dimensions(Cursor::new(file)), size);
}

fn jpeg(color: ColorType, change: impl FnOnce(&mut Encoder<&mut Vec<u8>>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 95);
    change(&mut encoder);
    // At most four bytes a pixel.
    let data = vec![90; usize::from(WIDTH) * usize::from(HEIGHT) * 4];
    encoder
        .encode(&data, WIDTH, HEIGHT, color)
        .expect("a picture");
    assert!(decode(&bytes).is_ok());
    bytes.resize(bytes.len() + REST, 0);
    bytes
}

#[test]
fn a_jpeg_is_read_up_to_its_scan() {
    check(&jpeg(ColorType::Rgb, |_| ()), (WIDTH, HEIGHT));
    check(
        &jpeg(ColorType::Rgb, |encoder| encoder.set_progressive(true)),
        (WIDTH, HEIGHT),
    );
    check(&jpeg(ColorType::Cmyk, |_| ()), (WIDTH, HEIGHT));
    check(&jpeg(ColorType::Luma, |_| ()), (WIDTH, HEIGHT));
    let with_metadata = |encoder: &mut Encoder<&mut Vec<u8>>| {
        let exif = [TURNED, &vec![0; 30_000]].concat();
        let added = encoder
            .add_exif_metadata(&exif)
            .and_then(|()| encoder.add_icc_profile(&vec![7; 20_000]));
        let xmp = [
            b"http://ns.adobe.com/xap/1.0/\0".as_slice(),
            &[b' '; 10_000],
        ]
        .concat();
        added
            .and_then(|()| encoder.add_app_segment(1, xmp))
            .expect("metadata");
    };
    check(&jpeg(ColorType::Rgb, with_metadata), (HEIGHT, WIDTH));
}

/// A chunk of a WebP.
fn chunk(name: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("a length").to_le_bytes();
    [name.as_slice(), &length, data, &[0; 1][..data.len() % 2]].concat()
}

fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
    chunk(*b"RIFF", &[b"WEBP".to_vec(), chunks.concat()].concat())
}

#[test]
fn a_webp_is_read_by_its_chunks() {
    let mut lossless = Vec::new();
    let pixels = [200, 30, 30].repeat(usize::from(WIDTH) * usize::from(HEIGHT));
    let encoder = image_webp::WebPEncoder::new(&mut lossless);
    encoder
        .encode(
            &pixels,
            WIDTH.into(),
            HEIGHT.into(),
            image_webp::ColorType::Rgb8,
        )
        .expect("a picture");
    let data = &lossless[20..];
    // Three bytes of flags, then the start code and the size.
    let size = [WIDTH.to_le_bytes(), HEIGHT.to_le_bytes()].concat();
    let lossy = [
        &[0x10, 0, 0, 0x9d, 1, 0x2a],
        size.as_slice(),
        &vec![0; REST],
    ]
    .concat();
    check(
        &webp(&[chunk(*b"VP8L", &[data, &vec![0; REST]].concat())]),
        (WIDTH, HEIGHT),
    );
    check(&webp(&[chunk(*b"VP8 ", &lossy)]), (WIDTH, HEIGHT));
    // The EXIF comes behind the picture.
    let head = [8, 0, 0, 0, 11, 0, 0, 7, 0, 0];
    let extended = [
        chunk(*b"VP8X", &head),
        chunk(*b"VP8 ", &lossy),
        chunk(*b"EXIF", TURNED),
    ];
    check(&webp(&extended), (HEIGHT, WIDTH));
}

#[test]
fn a_png_is_read_up_to_its_pixels() {
    let mut info = png::Info::with_size(WIDTH.into(), HEIGHT.into());
    (info.color_type, info.bit_depth) = (png::ColorType::Grayscale, png::BitDepth::Eight);
    info.exif_metadata = Some(TURNED.into());
    let mut bytes = Vec::new();
    let encoder = png::Encoder::with_info(&mut bytes, info).expect("an encoder");
    let mut writer = encoder.write_header().expect("a header");
    writer
        .write_image_data(&vec![90; usize::from(WIDTH) * usize::from(HEIGHT)])
        .expect("pixels");
    writer.finish().expect("an end");
    bytes.resize(bytes.len() + REST, 0);
    check(&bytes, (HEIGHT, WIDTH));
}

#[test]
fn what_is_no_picture_has_no_size() {
    for file in [
        &b""[..],
        b"\xff",
        b"\xff\xd8\xff",
        b"RIFF\0\0\0\0WEB",
        b"<svg/>",
        &vec![0; 100_000],
    ] {
        assert!(dimensions(BufReader::new(Cursor::new(file))).is_err());
    }
}
