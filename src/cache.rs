//! Writes into the cache: beside, and renamed, so that a killed run leaves no half file that a later one would trust.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Two threads, or a build beside `serve`, may make the same file at the same time: each writes beside it under its process and
/// a number of its own.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Puts the bytes in place of `file` in one step, and makes its folder when it is not there.
pub fn keep(file: &Path, bytes: &[u8]) -> io::Result<()> {
    keep_parts(file, &[bytes])
}

/// The same for bytes that come in parts, which need not be joined for it.
pub fn keep_parts(file: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside =
        file.with_file_name(format!("{name}.{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    fs_err::create_dir_all(file.parent().unwrap_or(file))?;
    let mut written = fs_err::File::create(&beside)?;
    parts.iter().try_for_each(|part| written.write_all(part))?;
    fs_err::rename(&beside, file)
}
