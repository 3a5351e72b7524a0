//! Decodes pictures (JPEG, PNG, WebP, GIF) upright and without metadata, resizes them, and encodes the fallback for browsers
//! that support neither AVIF nor WebP.
//!
//! The crate maps bytes to bytes, and reads a size from whatever can seek. It does not open files or caches, starts no thread, and returns the same bytes for
//! the same arguments on every machine. So the file name of a picture can be derived from its inputs before it is
//! encoded.
//!
//! ```
//! # fn main() -> Result<(), pictures::Error> {
//! # let source = pictures::Pixels::solid(64, 32, [10, 120, 90]).fallback()?;
//! let size = |bytes| pictures::dimensions(std::io::Cursor::new(bytes));
//! let (width, height) = size(&source)?;
//! let pixels = pictures::decode(&source)?;
//! let small = pixels.resized(width / 2)?.fallback()?;
//! assert_eq!((width, height, size(&small)?), (64, 32, (32, 16)));
//! # Ok(())
//! # }
//! ```

mod animation;
mod decode;
mod fallback;
mod orientation;
mod pixels;

use std::fmt;

pub use animation::Animation;
pub use decode::{decode, dimensions};
pub use pixels::Pixels;

/// Identifies the resizer, the encoders and their settings. It is part of cache keys: other settings may produce other
/// bytes.
pub const SETTINGS: &str = "5: lanczos3, jpeg 444 70";

/// The maximum length of a side, in pixels.
pub const SIDE_LIMIT: u32 = 12_000;
/// The maximum number of pixels. A decoded pixel takes up to four bytes.
pub const PIXEL_LIMIT: u64 = 60_000_000;

/// Why a picture cannot be decoded or encoded, as a phrase: `it is truncated`.
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

/// The height of a picture resized to a width, keeping the aspect ratio: rounded down, at least 1.
pub fn height_at(width: u32, natural_width: u32, natural_height: u32) -> u32 {
    let height = u64::from(natural_height) * u64::from(width) / u64::from(natural_width.max(1));
    u32::try_from(height.max(1)).unwrap_or(u32::MAX)
}
