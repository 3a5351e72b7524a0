//! Writes text files compressed at the highest level, `page.html.br` and `page.html.gz` beside `page.html`, for hosts
//! that serve precompressed files.
//!
//! That takes some milliseconds per page, so each result is cached under the hash of the uncompressed bytes. A result
//! that is not smaller is cached as an empty entry.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;

use rayon::prelude::*;

use crate::cache::{Kind, Store};

use super::hosts::content_types;

/// Minimum file size in bytes. A smaller file fits into one network packet even without compression.
const MIN_SIZE: usize = 1000;

/// Part of the cache key, because other settings give other bytes.
const SETTINGS: &str = "1: brotli 11/22, gzip 9";

const ENCODINGS: [Encoding; 2] = [Encoding::Brotli, Encoding::Gzip];

#[derive(Debug, Clone, Copy)]
enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    fn extension(self) -> &'static str {
        match self {
            Encoding::Brotli => "br",
            Encoding::Gzip => "gz",
        }
    }

    fn encode(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Encoding::Brotli => {
                let mut small = Vec::new();
                brotli::CompressorWriter::new(&mut small, 4096, 11, 22).write_all(bytes)?;
                Ok(small)
            }
            Encoding::Gzip => {
                // The header contains neither a time nor a name, so the same text gives the same bytes.
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }
}

/// Compresses the text files among `paths`, and passes each result with its path to `write`, from several threads.
/// `file` returns the location of a file. A path that exists among `paths` is not written.
pub(super) fn each(
    paths: &BTreeSet<String>,
    file: &(impl Fn(&str) -> PathBuf + Sync),
    cache: &Store,
    write: &(impl Fn(String, Vec<u8>) -> io::Result<()> + Sync),
) -> io::Result<()> {
    paths.par_iter().filter(|path| content_types::is_compressible(content_types::of(path))).try_for_each(|path| {
        let bytes = fs_err::read(file(path))?;
        if bytes.len() < MIN_SIZE {
            return Ok(());
        }
        let mut hasher = blake3::Hasher::new();
        let hash = hasher.update(SETTINGS.as_bytes()).update(&bytes).finalize().to_hex();
        for encoding in ENCODINGS {
            let own = format!("{path}.{}", encoding.extension());
            if paths.contains(&own) {
                continue;
            }
            let small = cached(cache, &format!("{}.{}", &hash[..32], encoding.extension()), encoding, &bytes)?;
            if !small.is_empty() {
                write(own, small)?;
            }
        }
        Ok(())
    })
}

/// The compressed bytes; empty if they would not be fewer.
fn cached(cache: &Store, name: &str, encoding: Encoding, bytes: &[u8]) -> io::Result<Vec<u8>> {
    if let Some(small) = cache.get(Kind::Compressed, name) {
        return Ok(small);
    }
    let small = encoding.encode(bytes)?;
    let small = if small.len() < bytes.len() { small } else { Vec::new() };
    cache.put(Kind::Compressed, name, &small);
    Ok(small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_gives_the_same_bytes() {
        let text = "a bridge drawn by data, ".repeat(200);
        for encoding in ENCODINGS {
            let small = encoding.encode(text.as_bytes()).expect("compressed");
            assert!(small.len() < text.len() / 10);
            assert_eq!(small, encoding.encode(text.as_bytes()).expect("compressed"));
        }
        // The header has neither a name nor a time (bytes 3 to 7), and no operating system (byte 9).
        let gzip = Encoding::Gzip.encode(text.as_bytes()).expect("compressed");
        assert_eq!(gzip[3..8], [0, 0, 0, 0, 0]);
        assert_eq!(gzip[9], 255);
    }
}
