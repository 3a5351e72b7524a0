//! JPEG, or PNG for a picture with transparency. Every browser supports them, and they are quick to encode.

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::Error;
use crate::pixels::Pixels;

/// JPEG quality, 1 to 100.
const JPEG_QUALITY: u8 = 70;

impl Pixels {
    /// Encodes the picture as JPEG, or as PNG if it has transparency.
    pub fn fallback(&self) -> Result<Vec<u8>, Error> {
        if self.is_opaque() {
            jpeg(self)
        } else {
            png(self)
        }
    }
}

fn jpeg(pixels: &Pixels) -> Result<Vec<u8>, Error> {
    // JPEG stores sizes in 16 bits. Larger pictures have already been rejected by the decoder.
    let side = |side: u32| u16::try_from(side).map_err(|_| Error::new("it is too large for JPEG"));
    let (width, height) = (side(pixels.width())?, side(pixels.height())?);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, JPEG_QUALITY);
    // No chroma subsampling: this encoder drops pixels instead of averaging them, which frays edges between colors.
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    encoder.set_progressive(true);
    encoder.set_optimized_huffman_tables(true);
    encoder
        .encode(pixels.data(), width, height, ColorType::Rgb)
        .map_err(Error::new)?;
    Ok(bytes)
}

fn png(pixels: &Pixels) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header().map_err(Error::new)?;
    writer.write_image_data(pixels.data()).map_err(Error::new)?;
    writer.finish().map_err(Error::new)?;
    Ok(bytes)
}
