//! An output file, on its way from the render stage to the publisher.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// One file below `dist/`.
#[derive(Debug, Clone)]
pub struct Output {
    /// Its path below `dist/`, with forward slashes.
    pub path: String,
    /// Its bytes.
    pub body: Body,
}

/// Where the bytes come from.
#[derive(Debug, Clone)]
pub enum Body {
    /// From memory.
    Bytes(Arc<Vec<u8>>),
    /// Copied from a file of `static/`.
    File(PathBuf),
    /// The file in the output folder is up to date; the hash of its bytes.
    Unchanged([u8; 16]),
}

impl Output {
    /// An output whose bytes are in memory.
    pub fn bytes(path: impl Into<String>, bytes: Arc<Vec<u8>>) -> Output {
        Output {
            path: path.into(),
            body: Body::Bytes(bytes),
        }
    }
}

/// The first 128 bits of the BLAKE3 hash of several texts, in hexadecimal. Each text is preceded by its length, so that
/// `["ab", "c"]` and `["a", "bc"]` differ.
pub fn hash(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&(part.len() as u64).to_le_bytes())
            .update(part);
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The size after compression with brotli 9, a quality that hosts use on the fly.
pub fn compressed(bytes: &[u8]) -> usize {
    let mut small = Vec::new();
    // Writing to memory cannot fail.
    let _ = brotli::CompressorWriter::new(&mut small, 4096, 9, 22).write_all(bytes);
    small.len()
}

/// The first 10 base-32 letters of a content hash: enough that two files of a site never share a name.
pub fn short_hash(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = blake3::hash(bytes);
    hash.as_bytes()
        .iter()
        .take(10)
        .map(|byte| char::from(LETTERS[usize::from(byte & 31)]))
        .collect()
}
