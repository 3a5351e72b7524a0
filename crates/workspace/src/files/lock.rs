//! A lock that one process or thread at a time holds, for what several may write. `docs/publishing.md` lists the locks of a
//! site and what each protects:
//!
//! - `.sitegen/lock`, for a build and for the early publishing of a post: the manifest of the last build, together with
//!   the output that it describes. Held from when the manifest is read until it is written.
//! - `.NAME.sitegen-lock` beside an output folder, for whatever writes to that folder or to `leads.json` beside it: builds of
//!   several sites may have one. Taken after the build lock.
//! - `.sitegen/content-save.lock`, for whoever reads, changes and writes sources ([`SourceWriter`](super::SourceWriter)).
//! - `.sitegen/theme/ID.lock`, while the files of the theme and of the site are copied there.
//!
//! A check, the language server and all other readers take none but the last one, so none of them waits for a build, and
//! no build for one of them. Nobody requests anything from a CMS or another site while holding a lock. Entries of the
//! cache need no lock: each is replaced in one step, and whoever reads it checks that it is whole and made from the same
//! inputs.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// The lock. It is a file, removed when the lock is released.
#[derive(Debug)]
pub struct FileLock {
    file: PathBuf,
    _open: File,
}

impl FileLock {
    /// Takes the lock, waiting until no other process or thread holds it.
    pub fn take(file: &Path) -> io::Result<FileLock> {
        FileLock::take_after(file, || ())
    }

    /// Like [`FileLock::take`]. Calls `on_wait` if somebody else holds the lock.
    pub fn take_after(file: &Path, on_wait: impl FnOnce()) -> io::Result<FileLock> {
        let mut on_wait = Some(on_wait);
        let lock = FileLock::open(file, |open| {
            on_wait.take().into_iter().for_each(|on_wait| on_wait());
            open.lock().map(|()| true)
        })?;
        lock.ok_or_else(|| io::ErrorKind::WouldBlock.into())
    }

    /// Takes the lock, unless another process or thread holds it.
    pub fn try_take(file: &Path) -> io::Result<Option<FileLock>> {
        FileLock::open(file, |_| Ok(false))
    }

    /// If another one holds the lock, `wait` returns whether it has been taken now.
    fn open(
        file: &Path,
        mut wait: impl FnMut(&File) -> io::Result<bool>,
    ) -> io::Result<Option<FileLock>> {
        loop {
            let open = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(file)?;
            match open.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if !wait(&open)? {
                        return Ok(None);
                    }
                }
                // The user has to run one program at a time.
                Err(TryLockError::Error(error)) if has_no_locks(&error) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The previous holder has removed the file, and a third process may have created a new one.
            if is_same_file(&open, file) {
                return Ok(Some(FileLock {
                    file: file.to_owned(),
                    _open: open,
                }));
            }
        }
    }

    /// Whether this is the name of the lock file.
    pub fn has_name(&self, name: &str) -> bool {
        self.file.file_name().is_some_and(|own| own == name)
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Whether an error means that the file system has no locks, as some network file systems.
fn has_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

#[cfg(unix)]
fn is_same_file(open: &File, file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (open.metadata(), std::fs::metadata(file)) {
        (Ok(open), Ok(file)) => (open.dev(), open.ino()) == (file.dev(), file.ino()),
        _ => false,
    }
}

/// On other systems a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_then_by_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("lock");
        let first = FileLock::take(&file).expect("a lock");
        assert!(FileLock::try_take(&file).expect("an answer").is_none());
        let (waits, waiting) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let second =
                scope.spawn(|| FileLock::take_after(&file, || waits.send(()).expect("sent")));
            waiting.recv().expect("it waits");
            drop(first);
            let second = second.join().expect("it ends").expect("a lock");
            assert!(FileLock::try_take(&file).expect("an answer").is_none());
            drop(second);
        });
        assert!(FileLock::try_take(&file).expect("an answer").is_some());
        assert!(!file.exists());
    }

    #[test]
    fn a_file_system_without_locks_is_told_from_other_failures() {
        for errno in [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS] {
            assert!(has_no_locks(&errno.into()), "{errno}");
        }
        for errno in [Errno::IO, Errno::NOSPC, Errno::ACCESS] {
            assert!(!has_no_locks(&errno.into()), "{errno}");
        }
    }
}
