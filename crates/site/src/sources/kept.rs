//! Values that a build keeps for the next one, each in a file with a checksum. One that is damaged, or that another version
//! of sitegen wrote, is none.

use std::io::{self, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cache;

use super::MADE_BY;

/// The first bytes of each file.
const HEAD: &[u8] = b"sitegen value\n";

/// Reads a value that [`keep_value`] wrote.
pub fn kept_value<T: DeserializeOwned>(file: &Path) -> Option<T> {
    let bytes = std::fs::read(file).ok()?;
    let (sum, body) = bytes.strip_prefix(HEAD)?.split_at_checked(blake3::OUT_LEN)?;
    let is_intact = blake3::hash(body).as_bytes() == sum;
    let (made_by, rest) = postcard::take_from_bytes::<&str>(body).ok().filter(|_| is_intact)?;
    postcard::from_bytes(rest).ok().filter(|_| made_by == MADE_BY)
}

/// Keeps a value in a file. A failure may be ignored, because it only makes the next build slower.
pub fn keep_value(file: &Path, value: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_allocvec(&(MADE_BY, value)).map_err(io::Error::other)?;
    let head = [HEAD, blake3::hash(&body).as_bytes()].concat();
    cache::keep_with(file, |file| file.write_all(&head).and_then(|()| file.write_all(&body)))
}
