//! Reads pictures (JPEG, PNG, WebP) and writes them for the web: upright, resized, without metadata, as AVIF, WebP and a
//! fallback.
//!
//! It takes bytes and gives bytes. It knows neither files nor caches nor pages, starts no thread, and gives the same bytes for
//! the same arguments on every machine: so a picture can be named by what it is made from before it is encoded.
//!
//! ```
//! # fn main() -> Result<(), pictures::Error> {
//! # let source = pictures::Pixels::solid(64, 32, [10, 120, 90]).encode(pictures::PictureFormat::Fallback, 64)?;
//! let (width, height) = pictures::dimensions(&source)?;
//! let pixels = pictures::decode(&source)?;
//! let small = pixels.encode(pictures::PictureFormat::WebP, width / 2)?;
//! assert_eq!((width, height, pictures::dimensions(&small)?), (64, 32, (32, 16)));
//! # Ok(())
//! # }
//! ```

mod avif;
mod decode;
mod fallback;
mod orientation;
mod pixels;

use std::fmt;

pub use decode::{decode, dimensions};
pub use pixels::Pixels;

/// Names the encoders and their settings. Bytes that were made under another name may differ.
pub const SETTINGS: &str = "4: lanczos3, avif 420 138/9 8-32, webp 74, jpeg 444 78";

/// A side longer than this many pixels is refused.
pub const SIDE_LIMIT: u32 = 12_000;
/// A picture of more pixels is refused: unpacked, each takes four bytes.
pub const PIXEL_LIMIT: u64 = 60_000_000;

/// A format in which a picture is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PictureFormat {
    /// AV1 in its container: the smallest, and the slowest to encode.
    Avif,
    /// Lossy WebP.
    WebP,
    /// JPEG, or PNG for a picture with transparent parts. Quick to encode.
    Fallback,
}

impl PictureFormat {
    /// The ending of a file in this format. `opaque` says that no part of the picture is transparent.
    pub fn extension(self, opaque: bool) -> &'static str {
        match self {
            PictureFormat::Avif => "avif",
            PictureFormat::WebP => "webp",
            PictureFormat::Fallback if opaque => "jpg",
            PictureFormat::Fallback => "png",
        }
    }
}

/// Why a picture cannot be read or written, as a phrase: `it is cut off`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    fn new(why: impl fmt::Display) -> Error {
        Error(why.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The height of a picture of a natural size when it is resized to a width: rounded down, at least 1.
pub fn height_at(width: u32, (natural_width, natural_height): (u32, u32)) -> u32 {
    let height = u64::from(natural_height) * u64::from(width) / u64::from(natural_width.max(1));
    u32::try_from(height.max(1)).unwrap_or(u32::MAX)
}
