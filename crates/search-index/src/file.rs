//! A file of the index. It is read at offsets, so that requests can share it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A file that stays open, so that it remains readable after its folder was replaced.
pub(crate) struct IndexFile {
    file: File,
    length: u64,
}

impl IndexFile {
    /// Opens a file. The error names it.
    pub(crate) fn open(path: &Path) -> Result<IndexFile, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let opened = File::open(path).and_then(|file| {
            Ok(IndexFile {
                length: file.metadata()?.len(),
                file,
            })
        });
        opened.map_err(|error| format!("{name}: {error}"))
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from `start` up to `end`. A range outside the file is [`io::ErrorKind::InvalidData`].
    pub(crate) fn read(&self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let length = end
            .checked_sub(start)
            .filter(|_| end <= self.length)
            .ok_or_else(damaged)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| damaged())?];
        self.file.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    }

    /// The u64 at byte `at`, in little-endian order.
    pub(crate) fn number(&self, at: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.file
            .read_exact_at(&mut bytes, at)
            .map_err(|_| damaged())?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// The error for a file with inconsistent tables.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the index is damaged")
}
