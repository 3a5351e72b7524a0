//! A lock that one process at a time holds, for what several may write: an output folder, the sources of a site.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The lock. It is a file, removed when the lock is released.
#[derive(Debug)]
pub struct FileLock {
    file: PathBuf,
    _open: File,
}

impl FileLock {
    /// Takes the lock, waiting until no other process or thread holds it.
    pub(crate) fn take(file: PathBuf) -> io::Result<FileLock> {
        loop {
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&file)?;
            match open.lock() {
                Ok(()) => {}
                // The file system has no locks: the user has to run one program at a time.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
            // The previous holder has removed the file, and a third process may have created a new one.
            if is_same_file(&open, &file) {
                return Ok(FileLock { file, _open: open });
            }
        }
    }

    /// Whether this is the name of the lock file.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.file.file_name().is_some_and(|own| own == name)
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

#[cfg(unix)]
fn is_same_file(open: &File, file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    match (open.metadata(), std::fs::metadata(file)) {
        (Ok(open), Ok(file)) => inode(open) == inode(file),
        _ => false,
    }
}

/// On other systems a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    true
}
