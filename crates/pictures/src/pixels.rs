//! A decoded picture: average color, resizing, encoding.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

use crate::orientation::Orientation;
use crate::{Error, PictureFormat, avif, fallback, height_at};

/// WebP quality, 0 to 100.
const WEBP_QUALITY: f32 = 74.0;

/// An upright picture with three bytes per pixel, or four if it has transparency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    width: u32,
    height: u32,
    is_opaque: bool,
    data: Vec<u8>,
}

impl Pixels {
    /// A picture filled with one color.
    pub fn solid(width: u32, height: u32, color: [u8; 3]) -> Pixels {
        let count = width as usize * height as usize;
        Pixels { width, height, is_opaque: true, data: color.repeat(count) }
    }

    /// Builds a picture from stored pixels of `N` bytes (3 or 4) and applies the orientation. An alpha channel that is
    /// opaque everywhere is dropped.
    pub(crate) fn upright<const N: usize>(
        size: (u32, u32),
        data: Vec<u8>,
        orientation: Orientation,
    ) -> Result<Pixels, Error> {
        if data.len() != size.0 as usize * size.1 as usize * N {
            return Err(Error::new("its data does not match its size"));
        }
        let data = orientation.turn::<N>(size, data)?;
        let (width, height) = if orientation.is_sideways() { (size.1, size.0) } else { size };
        if N == 3 {
            return Ok(Pixels { width, height, is_opaque: true, data });
        }
        let (pixels, _) = data.as_chunks::<4>();
        let is_opaque = pixels.iter().all(|pixel| pixel[3] == u8::MAX);
        let data = if is_opaque {
            pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect()
        } else {
            data
        };
        Ok(Pixels { width, height, is_opaque, data })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Whether the picture has no transparency.
    pub fn is_opaque(&self) -> bool {
        self.is_opaque
    }

    /// The bytes in the order red, green, blue, and alpha unless the picture is opaque.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The average color, weighted by alpha.
    pub fn average(&self) -> [u8; 3] {
        let mut sums = [0_u64; 3];
        let mut weight = 0_u64;
        let mut add = |color: [u8; 3], alpha: u8| {
            weight += u64::from(alpha);
            for (sum, value) in sums.iter_mut().zip(color) {
                *sum += u64::from(value) * u64::from(alpha);
            }
        };
        if self.is_opaque {
            self.data.as_chunks::<3>().0.iter().for_each(|color| add(*color, 1));
        } else {
            self.data
                .as_chunks::<4>()
                .0
                .iter()
                .for_each(|[red, green, blue, alpha]| add([*red, *green, *blue], *alpha));
        }
        let half = weight / 2;
        sums.map(|sum| sum.checked_add(half).and_then(|sum| sum.checked_div(weight)).unwrap_or_default())
            .map(|value| u8::try_from(value).unwrap_or(u8::MAX))
    }

    /// Encodes the picture in a format, resized to a width in pixels with its aspect ratio.
    pub fn encode(&self, form: PictureFormat, width: u32) -> Result<Vec<u8>, Error> {
        let resized = self.resized(width)?;
        let pixels = resized.as_ref().unwrap_or(self);
        match form {
            PictureFormat::Avif => avif::encode(pixels),
            PictureFormat::WebP => {
                let encoder = if pixels.is_opaque {
                    webp::Encoder::from_rgb(&pixels.data, pixels.width, pixels.height)
                } else {
                    webp::Encoder::from_rgba(&pixels.data, pixels.width, pixels.height)
                };
                let encoded = encoder.encode_simple(false, WEBP_QUALITY);
                encoded
                    .map(|bytes| bytes.to_vec())
                    .map_err(|error| Error::new(format_args!("libwebp failed: {error:?}")))
            }
            PictureFormat::Fallback => fallback::encode(pixels),
        }
    }

    /// Resizes from the original, so that the bytes do not depend on other sizes. `None` if it already has this width.
    fn resized(&self, width: u32) -> Result<Option<Pixels>, Error> {
        if width == self.width {
            return Ok(None);
        }
        let kind = if self.is_opaque { PixelType::U8x3 } else { PixelType::U8x4 };
        let height = height_at(width, (self.width, self.height));
        let source = ImageRef::new(self.width, self.height, &self.data, kind).map_err(Error::new)?;
        let mut target = Image::new(width, height, kind);
        let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
        Resizer::new().resize(&source, &mut target, &options).map_err(Error::new)?;
        Ok(Some(Pixels { width, height, is_opaque: self.is_opaque, data: target.into_vec() }))
    }
}
