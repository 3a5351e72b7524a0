//! One build at a time writes to an output folder, whichever site it belongs to.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Held while an output folder is written to. The file beside the folder is gone when nobody holds it.
#[derive(Debug)]
pub struct OutputLock {
    name: String,
    file: PathBuf,
    _open: File,
}

impl OutputLock {
    /// Waits until no other build writes to this folder.
    pub(super) fn take(out: &Path, prefix: &str) -> io::Result<OutputLock> {
        let name = format!("{prefix}lock");
        let file = out.with_file_name(&name);
        loop {
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&file)?;
            match open.lock() {
                Ok(()) => {}
                // A file system without locks: builds on it are the user's to keep apart.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
            // Whoever held it before has removed the file, and a third build may have made a new one.
            if is_the_same(&open, &file) {
                return Ok(OutputLock { name, file, _open: open });
            }
        }
    }

    /// Whether this is the name of the lock's file.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

#[cfg(unix)]
fn is_the_same(open: &File, file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    match (open.metadata(), std::fs::metadata(file)) {
        (Ok(open), Ok(file)) => inode(open) == inode(file),
        _ => false,
    }
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_the_same(_: &File, _: &Path) -> bool {
    true
}
