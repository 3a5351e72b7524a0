//! The source files of a site as of a moment, with their stamps, and values that were made of them and are kept until
//! they change.

mod hasher;
mod kept;
mod shards;

use std::fmt::Write as _;

pub use hasher::hash_value;
pub use kept::{KeptTable, keep_value, kept_value};
pub use shards::Shards;

/// 128 bits of BLAKE3.
pub type Hash = [u8; 16];

/// The first 128 bits of the BLAKE3 hash of the bytes.
pub fn hash(bytes: &[u8]) -> Hash {
    short(&blake3::hash(bytes))
}

/// A hash, or the beginning of one, in hexadecimal digits.
pub fn hex(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The first 128 bits of a hash.
pub fn short(hash: &blake3::Hash) -> Hash {
    let mut short = [0; 16];
    short.copy_from_slice(&hash.as_bytes()[..16]);
    short
}
