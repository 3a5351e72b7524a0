//! Encodes a picture in any of the formats, at the width that a page asks for.

use crate::pixels::Pixels;
use crate::{Error, PictureFormat, avif, fallback};

/// WebP quality, 0 to 100.
const WEBP_QUALITY: f32 = 74.0;

impl Pixels {
    /// Encodes the picture in a format, resized to a width in pixels with its aspect ratio.
    pub fn encode(&self, form: PictureFormat, width: u32) -> Result<Vec<u8>, Error> {
        let resized = self.resized(width)?;
        let pixels = resized.as_ref().unwrap_or(self);
        match form {
            PictureFormat::Avif => avif::encode(pixels),
            PictureFormat::WebP => webp(pixels),
            PictureFormat::Fallback => fallback::encode(pixels),
        }
    }
}

fn webp(pixels: &Pixels) -> Result<Vec<u8>, Error> {
    let encoder = if pixels.is_opaque() {
        webp::Encoder::from_rgb(pixels.data(), pixels.width(), pixels.height())
    } else {
        webp::Encoder::from_rgba(pixels.data(), pixels.width(), pixels.height())
    };
    let encoded = encoder.encode_simple(false, WEBP_QUALITY);
    encoded.map(|bytes| bytes.to_vec()).map_err(|error| Error::new(format_args!("libwebp failed: {error:?}")))
}
