//! Changes sources of a site: what a form saves, what `sitegen fmt` corrects.
//!
//! Whoever reads a file, changes its text and writes it has to hold a [`SourceWriter`] from before it reads, so that no
//! change of another thread or program is lost in between. An editor holds none, so a file that differs from what was read is
//! left as it is. All files of a change are written, or none is, also if the
//! disk is full or the program is killed. Temporary files are in the cache folder, or in a hidden folder of `content/`
//! if that is another volume: files move between folders of one volume only. No reader looks into either.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lock::FileLock;
use super::transaction::{FileOperation, Transaction};

/// The cache folder, below the folder of the site.
pub const CACHE: &str = ".sitegen";
/// The folder of temporary files, in the cache folder or hidden in `content/`.
const FOLDER: &str = "content-save";

/// A byte-order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The content that a file shall have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceChange {
    /// Its path below the folder of the site.
    pub path: String,
    /// The bytes that the change was made from; `None` if there was no file.
    pub before: Option<Vec<u8>>,
    /// Its bytes from now on; `None` removes it.
    pub after: Option<Vec<u8>>,
}

impl SourceChange {
    /// A file with another text. A byte-order mark, which reading leaves out, stays.
    pub fn to_text(path: &str, before: Option<Vec<u8>>, text: &str) -> SourceChange {
        let is_marked = before
            .as_deref()
            .is_some_and(|bytes| bytes.starts_with(MARK));
        let after = [if is_marked { MARK } else { &[] }, text.as_bytes()].concat();
        SourceChange {
            path: path.to_owned(),
            before,
            after: Some(after),
        }
    }

    /// The text that the file gets, as it is read: without a byte-order mark. `None` if it is removed.
    pub fn text(&self) -> Option<&str> {
        let bytes = self.after.as_deref()?;
        std::str::from_utf8(bytes.strip_prefix(MARK).unwrap_or(bytes)).ok()
    }
}

/// The bytes of a file, for [`SourceChange::before`]. They are read before the text that is changed.
pub fn before_change(root: &Path, path: &str) -> Option<Vec<u8>> {
    std::fs::read(root.join(path)).ok()
}

/// Lets one thread at a time change sources, also where the file system has no locks.
static ONE: Mutex<()> = Mutex::new(());

/// The right to change sources of a site. One exists at a time, among all programs.
#[derive(Debug)]
pub struct SourceWriter {
    root: PathBuf,
    folder: PathBuf,
    _lock: FileLock,
    _one: MutexGuard<'static, ()>,
}

impl SourceWriter {
    /// Waits until nobody else changes sources of the site, and takes back what a killed program has left.
    pub fn claim(root: &Path) -> io::Result<SourceWriter> {
        // Nothing is in it that a panic could leave half done.
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let root = root.canonicalize()?;
        create_cache_folder(&root.join(CACHE))?;
        let lock = FileLock::take(&root.join(CACHE).join(format!("{FOLDER}.lock")))?;
        for folder in folders(&root) {
            Transaction::new(&root, folder.join("undo")).recover()?;
            remove_folder(&folder)?;
        }
        let folder = folder(&root);
        Ok(SourceWriter {
            root,
            folder,
            _lock: lock,
            _one: one,
        })
    }

    /// Replaces files and removes those without bytes: all of them, or none if there is an error. A symbolic link stays, and
    /// the file that it leads to is changed.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if a file does not hold what the change was made from any more.
    pub fn write(&self, changes: &[SourceChange]) -> io::Result<()> {
        let written = self.stage(changes).and_then(|staged| {
            let mut others = changes
                .iter()
                .filter(|change| before_change(&self.root, &change.path) != change.before);
            if let Some(other) = others.next() {
                let message = format!("`{}` has changed in the meantime", other.path);
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
            }
            let moves: Vec<(&str, FileOperation)> = staged
                .iter()
                .map(|(path, file)| {
                    (
                        path.as_str(),
                        file.as_deref()
                            .map_or(FileOperation::Remove, FileOperation::Put),
                    )
                })
                .collect();
            Transaction::new(&self.root, self.folder.join("undo")).apply(&moves)
        });
        // Files that are left are removed by the next change, which also takes back what could not be taken back now.
        if written.is_ok() {
            let _ = remove_folder(&self.folder);
        }
        written
    }

    /// Writes the new files beside each other. Returns the paths to change, with them.
    fn stage(&self, changes: &[SourceChange]) -> io::Result<Vec<(String, Option<PathBuf>)>> {
        fs_err::create_dir_all(&self.folder)?;
        let mut staged = Vec::new();
        for (number, change) in changes.iter().enumerate() {
            let path = self.real(&change.path)?;
            let Some(bytes) = &change.after else {
                staged.push((path, None));
                continue;
            };
            let file = self.folder.join(format!("new-{number}"));
            let mut open = fs_err::File::create(&file)?;
            open.write_all(bytes)?;
            if let Ok(metadata) = std::fs::metadata(self.root.join(&path)) {
                open.set_permissions(metadata.permissions())?;
            }
            // A confirmed change is there after a power failure, too.
            open.sync_all()?;
            staged.push((path, Some(file)));
        }
        Ok(staged)
    }

    /// The path of the file that a path leads to, below the folder of the site.
    fn real(&self, path: &str) -> io::Result<String> {
        let file = self.root.join(path);
        let is_link = std::fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink());
        if !is_link {
            return Ok(path.to_owned());
        }
        let real = fs_err::canonicalize(&file)?;
        let below = real.strip_prefix(&self.root).ok().and_then(Path::to_str);
        below
            .map(str::to_owned)
            .ok_or_else(|| io::Error::other("the link points outside the site's folder"))
    }
}

/// Replaces a source that a command writes as a whole, made from the text `known`; `None` if that could not be read, and any
/// is replaced.
///
/// # Errors
/// As [`SourceWriter::write`].
pub fn rewrite(root: &Path, path: &str, known: Option<&str>, text: &str) -> io::Result<()> {
    let writer = SourceWriter::claim(root)?;
    let now = before_change(root, path);
    // Reading leaves out a byte-order mark.
    let read = now
        .as_deref()
        .map(|now| now.strip_prefix(MARK).unwrap_or(now));
    let known = known.map(str::as_bytes);
    let before = if known.is_none() || known == read {
        now
    } else {
        known.map(<[u8]>::to_vec)
    };
    writer.write(&[SourceChange {
        path: path.to_owned(),
        before,
        after: Some(text.as_bytes().to_vec()),
    }])
}

/// Takes back what a killed program has left of a change of sources. If a program is just making one, waits for it.
pub fn recover_sources(root: &Path) -> io::Result<()> {
    let mut folders = folders(root).into_iter();
    if folders.any(|folder| Transaction::new(root, folder.join("undo")).is_unfinished()) {
        return SourceWriter::claim(root).map(drop);
    }
    Ok(())
}

/// Creates the cache folder with a file that keeps it out of git.
pub fn create_cache_folder(folder: &Path) -> io::Result<()> {
    fs_err::create_dir_all(folder)?;
    let ignore = folder.join(".gitignore");
    if ignore.exists() {
        Ok(())
    } else {
        fs_err::write(ignore, "*\n")
    }
}

/// The folders that may hold temporary files.
fn folders(root: &Path) -> [PathBuf; 2] {
    [
        root.join(CACHE).join(FOLDER),
        root.join("content").join(format!(".{FOLDER}")),
    ]
}

/// The folder for temporary files that is on the volume of the sources.
fn folder(root: &Path) -> PathBuf {
    let [content, cache] = ["content", CACHE].map(|folder| {
        rustix::fs::stat(root.join(folder))
            .ok()
            .map(|stat| stat.st_dev)
    });
    let [in_cache, in_content] = folders(root);
    if content == cache {
        in_cache
    } else {
        in_content
    }
}

fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn site() -> tempfile::TempDir {
        let site = tempfile::tempdir().expect("a folder");
        fs::create_dir(site.path().join("content")).expect("a folder");
        fs::write(site.path().join("content/a.yaml"), "a: 1\n").expect("a file");
        site
    }

    fn text(site: &tempfile::TempDir, path: &str) -> String {
        fs::read_to_string(site.path().join(path)).expect(path)
    }

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> SourceChange {
        let bytes = |text: &str| text.as_bytes().to_vec();
        SourceChange {
            path: path.to_owned(),
            before: before.map(bytes),
            after: after.map(bytes),
        }
    }

    #[test]
    fn a_file_that_was_changed_meanwhile_is_left_as_it_is() {
        let site = site();
        let writer = SourceWriter::claim(site.path()).expect("claimed");
        for wrong in [
            change("content/a.yaml", Some("a: 0\n"), Some("a: 2\n")),
            change("content/a.yaml", None, None),
        ] {
            let changes = [change("content/b.yaml", None, Some("b: 1\n")), wrong];
            let error = writer.write(&changes).expect_err("it was changed");
            assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
            assert_eq!(text(&site, "content/a.yaml"), "a: 1\n");
            assert!(!site.path().join("content/b.yaml").exists());
        }
    }

    #[test]
    fn a_change_adds_replaces_and_removes() {
        let site = site();
        fs::write(site.path().join("content/b.yaml"), "b: 1\n").expect("a file");
        let writer = SourceWriter::claim(site.path()).expect("claimed");
        let changes = [
            change("content/a.yaml", Some("a: 1\n"), Some("a: 2\n")),
            change("content/b.yaml", Some("b: 1\n"), None),
            change("content/c/d.yaml", None, Some("d\n")),
        ];
        writer.write(&changes).expect("written");
        drop(writer);
        assert_eq!(
            (
                text(&site, "content/a.yaml"),
                text(&site, "content/c/d.yaml")
            ),
            ("a: 2\n".into(), "d\n".into())
        );
        assert!(!site.path().join("content/b.yaml").exists());
        let left: Vec<_> = fs::read_dir(site.path().join(CACHE))
            .expect("a folder")
            .flatten()
            .collect();
        assert_eq!(
            left.iter().map(fs::DirEntry::file_name).collect::<Vec<_>>(),
            [".gitignore"]
        );
    }

    #[test]
    fn a_link_stays_and_none_leads_out() {
        let site = site();
        std::os::unix::fs::symlink("a.yaml", site.path().join("content/link.yaml"))
            .expect("a link");
        std::os::unix::fs::symlink("/etc/hostname", site.path().join("content/out.yaml"))
            .expect("a link");
        let writer = SourceWriter::claim(site.path()).expect("claimed");
        writer
            .write(&[change("content/link.yaml", Some("a: 1\n"), Some("a: 3\n"))])
            .expect("written");
        writer
            .write(&[change("content/out.yaml", None, Some("a: 3\n"))])
            .expect_err("it leads out");
        assert_eq!(text(&site, "content/a.yaml"), "a: 3\n");
        assert!(site.path().join("content/link.yaml").is_symlink());
    }

    #[test]
    fn threads_take_turns() {
        let site = site();
        fs::write(site.path().join("content/a.yaml"), "0").expect("a file");
        let add = || {
            for _ in 0..20 {
                let writer = SourceWriter::claim(site.path()).expect("claimed");
                let known = text(&site, "content/a.yaml");
                let next = known.parse::<u32>().expect("a number") + 1;
                writer
                    .write(&[change(
                        "content/a.yaml",
                        Some(&known),
                        Some(&next.to_string()),
                    )])
                    .expect("written");
            }
        };
        std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(add))));
        assert_eq!(text(&site, "content/a.yaml"), "160");
    }
}
