//! Writes files of the cache atomically: to a temporary file that is renamed, so that a killed run leaves no partial
//! file.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes the names of temporary files unique, together with the process id: two threads, or a build beside `serve`, may
/// write the same file at the same time.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Replaces `file` with the bytes in one step. Creates its folder if necessary.
pub fn keep(file: &Path, bytes: &[u8]) -> io::Result<()> {
    keep_parts(file, &[bytes])
}

/// Like [`keep`], for bytes in several parts, without joining them.
pub fn keep_parts(file: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside =
        file.with_file_name(format!("{name}.{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    fs_err::create_dir_all(file.parent().unwrap_or(file))?;
    let mut written = fs_err::File::create(&beside)?;
    parts.iter().try_for_each(|part| written.write_all(part))?;
    fs_err::rename(&beside, file)
}
