//! Writes compressed copies of text files, `page.html.br` and `page.html.gz` beside `page.html`, for hosts that serve
//! precompressed files.
//!
//! Assets are loaded by all pages and never change, so they are compressed as far as possible. For pages, brotli's
//! highest quality would take twenty times as long for a tenth of the size. Each result is cached under the hash of the
//! uncompressed bytes; one that is not smaller is cached as an empty entry.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::PathBuf;

use workspace::cache::{Kind, Store};
use workspace::{media_types, parallel};

use super::old_assets::ASSETS;

/// Minimum file size in bytes. A smaller file fits into one network packet even without compression.
const MIN_SIZE: usize = 1000;

/// The quality of brotli for files below [`ASSETS`].
const ASSET_QUALITY: u32 = 11;
/// The quality of brotli for other files.
const QUALITY: u32 = 7;

/// Part of the cache key, because other settings give other bytes.
const SETTINGS: &str = "2: brotli with a window of 22, gzip 9";

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

    /// Compresses the bytes; `quality` is that of brotli.
    fn encode(self, bytes: &[u8], quality: u32) -> io::Result<Vec<u8>> {
        match self {
            Encoding::Brotli => {
                let mut small = Vec::new();
                brotli::CompressorWriter::new(&mut small, 4096, quality, 22).write_all(bytes)?;
                Ok(small)
            }
            Encoding::Gzip => {
                // The header contains neither a time nor a name, so the same text gives the same bytes.
                let mut encoder =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }
}

/// Compresses the text files among `paths`, and passes each result with its path to `write`, from several threads.
/// `file` returns the location of a file. A path that exists among `paths` is not written, nor one for which `keep`
/// returns true, given the file and its compressed copy.
pub(super) fn each(
    paths: &BTreeSet<String>,
    file: &(impl Fn(&str) -> PathBuf + Sync),
    keep: &(impl Fn(&str, &str) -> bool + Sync),
    cache: &Store,
    write: &(impl Fn(String, Vec<u8>) -> io::Result<()> + Sync),
) -> io::Result<()> {
    let compressible: Vec<&String> = paths
        .iter()
        .filter(|path| media_types::is_compressible(media_types::of(path)))
        .collect();
    parallel::try_each(&compressible, |path| {
        let copies =
            ENCODINGS.map(|encoding| (encoding, format!("{path}.{}", encoding.extension())));
        let wanted: Vec<_> = copies
            .into_iter()
            .filter(|(_, copy)| !paths.contains(copy) && !keep(path, copy))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let bytes = fs_err::read(file(path))?;
        if bytes.len() < MIN_SIZE {
            return Ok(());
        }
        let quality = if path.starts_with(ASSETS) {
            ASSET_QUALITY
        } else {
            QUALITY
        };
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(SETTINGS.as_bytes())
            .update(&quality.to_le_bytes())
            .update(&bytes);
        let hash = hasher.finalize().to_hex();
        for (encoding, copy) in wanted {
            let name = format!("{}.{}", &hash[..32], encoding.extension());
            let small = cached(
                cache,
                &name,
                || encoding.encode(&bytes, quality),
                bytes.len(),
            )?;
            if !small.is_empty() {
                write(copy, small)?;
            }
        }
        Ok(())
    })
}

/// The compressed bytes; empty if they would not be fewer than `length`.
fn cached(
    cache: &Store,
    name: &str,
    encode: impl FnOnce() -> io::Result<Vec<u8>>,
    length: usize,
) -> io::Result<Vec<u8>> {
    if let Some(small) = cache.get(Kind::Compressed, name) {
        return Ok(small);
    }
    let small = Some(encode()?)
        .filter(|small| small.len() < length)
        .unwrap_or_default();
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
            let small = encoding
                .encode(text.as_bytes(), QUALITY)
                .expect("compressed");
            assert!(small.len() < text.len() / 10);
            assert_eq!(
                small,
                encoding
                    .encode(text.as_bytes(), QUALITY)
                    .expect("compressed")
            );
        }
        // The header has neither a name nor a time (bytes 3 to 7), and no operating system (byte 9).
        let gzip = Encoding::Gzip
            .encode(text.as_bytes(), QUALITY)
            .expect("compressed");
        assert_eq!(gzip[3..8], [0, 0, 0, 0, 0]);
        assert_eq!(gzip[9], 255);
    }
}
