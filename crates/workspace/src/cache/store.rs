//! The store: one file per entry in the cache folder, and behind it an optional cache that machines share.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use super::shared::Shared;
use super::{Kind, Place, entry, prune};

/// The store of a cache folder. Clones share it. Errors are not reported to its users, because a cache that cannot be
/// read or written only makes a build slower; [`Store::finish`] tells about them.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    /// A folder whose entries are read but not changed, because it cannot be written.
    read_only: Option<PathBuf>,
    shared: Option<Shared>,
    /// Bytes written by this store, for each kind.
    written: [AtomicU64; Kind::ALL.len()],
    /// Why the first entry that could not be written was not.
    failure: OnceLock<String>,
}

impl Store {
    /// The store in a folder, which is created with the first entry.
    pub fn new(folder: &Path, shared: Option<Place>) -> Store {
        Store::open(folder, None, shared)
    }

    /// A store in another folder, which reads the entries of this one, and shares the same ones with other machines.
    #[must_use]
    pub fn moved_to(&self, folder: &Path) -> Store {
        Store::open(folder, Some(self.0.folder.clone()), self.shared().cloned())
    }

    fn open(folder: &Path, read_only: Option<PathBuf>, shared: Option<Place>) -> Store {
        let folder = folder.to_owned();
        let shared = shared.map(|place| Shared::new(place, folder.clone()));
        Store(Arc::new(Inner {
            folder,
            read_only,
            shared,
            written: Default::default(),
            failure: OnceLock::new(),
        }))
    }

    /// The cache that machines share.
    pub fn shared(&self) -> Option<&Place> {
        self.0.shared.as_ref().map(Shared::place)
    }

    /// The bytes of an entry: from the folder, or else from the shared cache. `None` if there is none, or if it is
    /// damaged. `name` is a relative path of letters, digits and `-_./`, and contains the hash of everything that
    /// decides the bytes.
    pub fn get(&self, kind: Kind, name: &str) -> Option<Vec<u8>> {
        if let Some(bytes) = self.get_local(kind, name) {
            return Some(bytes);
        }
        let shared = self.0.shared.as_ref().filter(|_| kind.is_shared())?;
        let bytes = shared.get(&path(kind, name))?;
        self.write(kind, name, &bytes);
        Some(bytes)
    }

    /// Like [`Store::get`], without asking the shared cache.
    pub fn get_local(&self, kind: Kind, name: &str) -> Option<Vec<u8>> {
        let path = path(kind, name);
        let file = self.0.folder.join(&path);
        if let Ok(entry) = std::fs::read(&file) {
            if let Some(bytes) = entry::body(&path, entry) {
                prune::mark_used(&file);
                return Some(bytes);
            }
            let _ = fs_err::remove_file(&file);
        }
        entry::body(
            &path,
            std::fs::read(self.0.read_only.as_ref()?.join(&path)).ok()?,
        )
    }

    /// Whether the folder has an entry. It may be damaged.
    pub fn has(&self, kind: Kind, name: &str) -> bool {
        [Some(&self.0.folder), self.0.read_only.as_ref()]
            .into_iter()
            .flatten()
            .any(|folder| {
                let meta = folder.join(path(kind, name)).metadata();
                meta.is_ok_and(|meta| meta.is_file() && meta.len() >= entry::HEAD as u64)
            })
    }

    /// Writes an entry in one step, and returns whether that was possible. Threads and processes may write the same one
    /// at the same time.
    pub fn put(&self, kind: Kind, name: &str, bytes: &[u8]) -> bool {
        let is_written = self.write(kind, name, bytes);
        if let Some(shared) = self
            .0
            .shared
            .as_ref()
            .filter(|_| is_written && kind.is_shared())
        {
            shared.put(path(kind, name));
        }
        is_written
    }

    /// Returns whether it was written.
    fn write(&self, kind: Kind, name: &str, bytes: &[u8]) -> bool {
        let path = path(kind, name);
        let head = entry::head(&path, bytes);
        let written = super::keep_with(&self.0.folder.join(&path), |file| {
            file.write_all(&head)?;
            file.write_all(bytes)
        });
        match written {
            Ok(()) => {
                let size = (entry::HEAD + bytes.len()) as u64;
                self.0.written[kind as usize].fetch_add(size, Ordering::Relaxed);
                true
            }
            Err(error) => {
                self.0.failure.get_or_init(|| {
                    format!(
                        "the cache folder `{}` could not be written ({error})",
                        self.0.folder.display()
                    )
                });
                false
            }
        }
    }

    /// Ends a run: waits for at most `timeout` until the shared cache has all new entries, and removes old ones beyond
    /// the limits. Returns a sentence for each part of the cache that failed.
    #[expect(
        clippy::disallowed_methods,
        reason = "ages of files and of requests are measured; no output depends on them"
    )]
    pub fn finish(&self, timeout: Duration) -> Vec<String> {
        let written = self
            .0
            .written
            .each_ref()
            .map(|bytes| bytes.swap(0, Ordering::Relaxed));
        prune::settle(&self.0.folder, written, SystemTime::now());
        let shared = self
            .0
            .shared
            .as_ref()
            .and_then(|shared| shared.finish(timeout));
        self.0
            .failure
            .get()
            .cloned()
            .into_iter()
            .chain(shared)
            .collect()
    }
}

/// The path of an entry below the cache folder.
fn path(kind: Kind, name: &str) -> String {
    format!("{}/{name}", kind.folder())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test sets up what it looks at")]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_hours(24);

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(folder.path(), None);
        (folder, store)
    }

    #[test]
    fn an_entry_is_found_after_it_was_written() {
        let (_folder, store) = store();
        assert_eq!(store.get(Kind::Pictures, "a/1.avif"), None);
        store.put(Kind::Pictures, "a/1.avif", b"bytes");
        assert_eq!(
            store.get(Kind::Pictures, "a/1.avif").as_deref(),
            Some(&b"bytes"[..])
        );
        assert!(store.has(Kind::Pictures, "a/1.avif") && !store.has(Kind::Drawings, "a/1.avif"));
        assert_eq!(store.get(Kind::Drawings, "a/1.avif"), None);
    }

    #[test]
    fn a_damaged_entry_is_deleted() {
        let (folder, store) = store();
        let file = folder.path().join("islands/a");
        for damaged in [
            &b""[..],
            b"sitegen cache 2\nof another version",
            &[0xff; 80],
        ] {
            store.put(Kind::Islands, "a", b"bytes");
            std::fs::write(&file, damaged).expect("a file");
            assert_eq!(store.get(Kind::Islands, "a"), None);
            assert!(!file.exists());
        }
    }

    #[test]
    fn use_updates_times_of_the_past_and_of_the_future() {
        let (folder, store) = store();
        store.put(Kind::Islands, "a", b"bytes");
        let file = folder.path().join("islands/a");
        let now = SystemTime::now();
        for time in [now - 3 * DAY, now + 300 * DAY] {
            std::fs::File::options()
                .append(true)
                .open(&file)
                .and_then(|file| file.set_modified(time))
                .expect("a time");
            assert!(store.get(Kind::Islands, "a").is_some());
            let used = file
                .metadata()
                .and_then(|meta| meta.modified())
                .expect("a time");
            assert!(used >= now - DAY / 24 && used < now + DAY, "{used:?}");
        }
    }

    #[test]
    fn threads_that_write_the_same_entry_leave_a_whole_one() {
        let (folder, store) = store();
        let bytes = vec![7; 1 << 20];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    // Another store in the same folder stands for another process.
                    let store = Store::new(folder.path(), None);
                    for _ in 0..8 {
                        store.put(Kind::Pictures, "same", &bytes);
                        assert!(
                            store
                                .get(Kind::Pictures, "same")
                                .is_some_and(|read| read == bytes)
                        );
                    }
                });
            }
        });
        let left = std::fs::read_dir(folder.path().join("pictures"))
            .expect("a folder")
            .count();
        assert_eq!(left, 1, "temporary files are left");
        assert!(store.finish(Duration::ZERO).is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_reported_once() {
        let (folder, store) = store();
        std::fs::write(folder.path().join("pictures"), "a file in the way").expect("a file");
        store.put(Kind::Pictures, "a", b"bytes");
        store.put(Kind::Pictures, "b", b"bytes");
        store.put(Kind::Drawings, "a", b"bytes");
        assert_eq!(store.get(Kind::Pictures, "a"), None);
        assert!(store.get(Kind::Drawings, "a").is_some());
        assert_eq!(store.finish(Duration::ZERO).len(), 1);
    }

    #[test]
    fn a_moved_store_reads_the_old_folder_and_leaves_it_alone() {
        let (old, store) = store();
        let new = tempfile::tempdir().expect("a folder");
        store.put(Kind::Pictures, "a", b"bytes");
        let moved = store.moved_to(new.path());
        assert!(moved.has(Kind::Pictures, "a") && moved.get(Kind::Pictures, "a").is_some());
        std::fs::write(old.path().join("pictures/a"), "damaged").expect("a file");
        assert_eq!(moved.get(Kind::Pictures, "a"), None);
        assert!(old.path().join("pictures/a").exists());
    }
}
