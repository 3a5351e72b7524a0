//! Text files a second and third time, compressed as well as can be: `page.html.br` and `page.html.gz` beside
//! `page.html`, for hosts that send such files as they are.
//!
//! Compressing well takes some milliseconds a page, so each result is kept in the cache under the hash of what was
//! compressed; a result that is not smaller is kept as an empty file.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::hosts::content_types;

/// Smaller files fit into one packet either way.
const SMALLEST: usize = 1000;

/// Part of the cache's key: other settings, other bytes.
const SETTINGS: &str = "1: brotli 11/22, gzip 9";

const ENCODINGS: [Encoding; 2] = [Encoding::Brotli, Encoding::Gzip];

#[derive(Debug, Clone, Copy)]
enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    fn ending(self) -> &'static str {
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
                // Neither a time nor a name in its head: the same text gives the same bytes.
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }
}

/// Compresses these text files, `file` says where each lies, and hands on each result with its path, from several
/// threads. A path that the site has itself is left alone.
pub(super) fn each(
    paths: &BTreeSet<String>,
    file: &(impl Fn(&str) -> PathBuf + Sync),
    cache: &Path,
    take: &(impl Fn(String, Vec<u8>) -> io::Result<()> + Sync),
) -> io::Result<()> {
    let cache = cache.join("compressed");
    fs_err::create_dir_all(&cache)?;
    paths.par_iter().filter(|path| content_types::is_compressible(content_types::of(path))).try_for_each(|path| {
        let bytes = fs_err::read(file(path))?;
        if bytes.len() < SMALLEST {
            return Ok(());
        }
        let mut hasher = blake3::Hasher::new();
        let hash = hasher.update(SETTINGS.as_bytes()).update(&bytes).finalize().to_hex();
        for encoding in ENCODINGS {
            let own = format!("{path}.{}", encoding.ending());
            if paths.contains(&own) {
                continue;
            }
            let small = cached(&cache.join(format!("{}.{}", &hash[..32], encoding.ending())), encoding, &bytes)?;
            if !small.is_empty() {
                take(own, small)?;
            }
        }
        Ok(())
    })
}

/// The compressed bytes; empty when they would not be fewer.
fn cached(file: &Path, encoding: Encoding, bytes: &[u8]) -> io::Result<Vec<u8>> {
    if let Ok(small) = fs_err::read(file) {
        return Ok(small);
    }
    let small = encoding.encode(bytes)?;
    let small = if small.len() < bytes.len() { small } else { Vec::new() };
    // Written beside and renamed: a killed build leaves no half file. Two files with the same text may be at it at once.
    let mark = rayon::current_thread_index().unwrap_or_default();
    let beside: PathBuf = file.with_extension(format!("{}.{mark}.part", encoding.ending()));
    fs_err::write(&beside, &small)?;
    fs_err::rename(beside, file)?;
    Ok(small)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_gives_the_same_bytes_and_comes_back() {
        let text = "a bridge drawn by data, ".repeat(200);
        for encoding in ENCODINGS {
            let small = encoding.encode(text.as_bytes()).expect("compressed");
            assert!(small.len() < text.len() / 10);
            assert_eq!(small, encoding.encode(text.as_bytes()).expect("compressed"));
        }
        // Neither a name nor a time, and no operating system: bytes 3 to 9 of the head.
        let gzip = Encoding::Gzip.encode(text.as_bytes()).expect("compressed");
        assert_eq!(gzip[3..8], [0, 0, 0, 0, 0]);
        assert_eq!(gzip[9], 255);
    }
}
