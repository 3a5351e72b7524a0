//! The lock of an output folder. One build at a time writes to it, even if two sites share the folder.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The lock, held while a build writes to the output folder. It is a file beside the folder, removed when the lock is
/// released.
#[derive(Debug)]
pub struct OutputLock {
    name: String,
    file: PathBuf,
    _open: File,
}

impl OutputLock {
    /// Takes the lock, waiting until no other build holds it.
    pub(super) fn take(out: &Path, prefix: &str) -> io::Result<OutputLock> {
        let name = format!("{prefix}lock");
        let file = out.with_file_name(&name);
        loop {
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&file)?;
            match open.lock() {
                Ok(()) => {}
                // The file system has no locks: the user has to avoid concurrent builds.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
            // The previous holder has removed the file, and a third build may have created a new one.
            if is_same_file(&open, &file) {
                return Ok(OutputLock { name, file, _open: open });
            }
        }
    }

    /// Whether this is the name of the lock file.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.name == name
    }
}

impl Drop for OutputLock {
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
