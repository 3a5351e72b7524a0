//! Replaces and removes several files in one transaction: afterwards either all changes are made or none. Publishing and
//! saving forms both change files this way.
//!
//! Before the first change, all files that will be replaced or removed are hard-linked into a folder on the same volume,
//! and a journal there lists the changes. If a change fails, the previous ones are rolled back. After a kill the journal
//! still exists, and the next start rolls back. Removing the journal commits the transaction.
//!
//! A file that somebody has changed since the kill keeps their change: the journal says which file the transaction put
//! in a place, and only that one is taken back.
//!
//! Nothing is flushed to disk here: a build can be repeated, and flushing would take longer than the build of a save in
//! `serve`. After a power failure the next build compares every file with its manifest, and writes those that differ.
//! Whoever cannot repeat what they write flushes the new files before.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::{duplicate, nanoseconds};

/// The name of the journal in the folder of the transaction.
const JOURNAL: &str = "changes";

/// The beginning of the path of a file that is beside the root. It is not left to the system to resolve, because the root
/// may be a link.
pub const BESIDE: &str = "../";

/// A change of a file.
#[derive(Debug, Clone, Copy)]
pub enum FileOperation<'a> {
    /// The file at this path is moved there. It replaces an existing file. Both are on the same volume.
    Put(&'a Path),
    /// The file is removed.
    Remove,
}

/// Changes of files below a folder.
#[derive(Debug)]
pub struct Transaction<'a> {
    /// The folder whose files are changed.
    root: &'a Path,
    /// Holds the journal and the files as they were. It is on the volume of `root`, and no reader looks into it.
    undo: PathBuf,
}

impl<'a> Transaction<'a> {
    /// A transaction in the files below a root; `undo` is the folder of the files before it.
    pub fn new(root: &'a Path, undo: PathBuf) -> Transaction<'a> {
        Transaction { root, undo }
    }

    /// Changes files, all or none. Paths are relative to the root, with forward slashes, in the order in which they are
    /// changed; [`BESIDE`] may precede a name. Folders that become empty stay.
    pub fn apply(&self, changes: &[(&str, FileOperation)]) -> io::Result<()> {
        self.prepare(changes)?;
        for (path, change) in changes {
            let done = match change {
                FileOperation::Put(from) => put(from, &self.at(path)),
                FileOperation::Remove => remove(&self.at(path)),
            };
            if let Err(error) = done {
                self.roll_back()?;
                return Err(error);
            }
        }
        if let Err(error) = self.commit() {
            self.roll_back()?;
            return Err(error);
        }
        Ok(())
    }

    /// Rolls back the transaction of a killed run. Returns whether there was one.
    pub fn recover(&self) -> io::Result<bool> {
        let was_unfinished = self.is_unfinished();
        if was_unfinished {
            self.roll_back()?;
        }
        Ok(was_unfinished)
    }

    /// Whether changes of a killed run are to be rolled back, unless the run that makes them still goes on.
    pub fn is_unfinished(&self) -> bool {
        self.undo.join(JOURNAL).exists()
    }

    /// Hard-links the existing files, and writes the journal. Its lines begin with `=` for a file that existed, `+` for
    /// one that is new, and `/` for a folder that is made for them. The identity of the file that is put there follows, and
    /// the path.
    fn prepare(&self, changes: &[(&str, FileOperation)]) -> io::Result<()> {
        if self.undo.exists() {
            fs_err::remove_dir_all(&self.undo)?;
        }
        fs_err::create_dir(&self.undo)?;
        let mut journal = String::new();
        let mut folders = BTreeSet::new();
        for (number, (path, change)) in changes.iter().enumerate() {
            let (from, to) = (self.at(path), self.backup(number));
            let existed = match duplicate(&from, &to) {
                Ok(()) => true,
                Err(error) if is_absent(&error) => false,
                Err(error) => return Err(error),
            };
            let identity = match change {
                FileOperation::Put(file) => identity(file)?,
                FileOperation::Remove => String::new(),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(
                journal,
                "{}{identity}\t{path}",
                if existed { '=' } else { '+' }
            );
            if !existed && matches!(change, FileOperation::Put(_)) && !path.starts_with(BESIDE) {
                let above = Path::new(path).ancestors().skip(1).filter_map(Path::to_str);
                let new = above
                    .take_while(|folder| !folder.is_empty() && !self.root.join(folder).exists());
                folders.extend(new.map(str::to_owned));
            }
        }
        // The inner ones first.
        journal.extend(folders.iter().rev().map(|folder| format!("/\t{folder}\n")));
        // Renamed into place, so that a kill never leaves a partial journal.
        let temporary = self.undo.join("unfinished");
        fs_err::write(&temporary, journal)?;
        fs_err::rename(temporary, self.undo.join(JOURNAL))
    }

    fn roll_back(&self) -> io::Result<()> {
        let journal = fs_err::read_to_string(self.undo.join(JOURNAL))?;
        for (number, line) in journal.lines().enumerate() {
            let Some((kind, path)) = line.split_once('\t') else {
                continue;
            };
            let (target, backup) = (self.at(path), self.backup(number));
            match &kind[..1] {
                // If it is missing, an interrupted roll-back has restored it already.
                "=" if backup.exists()
                    && (is_missing(&target)
                        || identity(&target).is_ok_and(|found| found == kind[1..])) =>
                {
                    fs_err::create_dir_all(target.parent().unwrap_or(self.root))?;
                    fs_err::rename(backup, &target)?;
                }
                "+" if identity(&target).is_ok_and(|found| found == kind[1..]) => remove(&target)?,
                // It holds a file of somebody else.
                "/" => drop(std::fs::remove_dir(&target)),
                _ => {}
            }
        }
        self.commit()
    }

    /// Makes the changes permanent by removing the journal.
    fn commit(&self) -> io::Result<()> {
        fs_err::remove_file(self.undo.join(JOURNAL))?;
        // A folder without a journal is ignored, and the next start removes it.
        let _ = fs_err::remove_dir_all(&self.undo);
        Ok(())
    }

    /// The file at a path.
    fn at(&self, path: &str) -> PathBuf {
        path.strip_prefix(BESIDE).map_or_else(
            || self.root.join(path),
            |name| self.root.with_file_name(name),
        )
    }

    fn backup(&self, number: usize) -> PathBuf {
        self.undo.join(number.to_string())
    }
}

fn put(from: &Path, to: &Path) -> io::Result<()> {
    if std::fs::rename(from, to).is_ok() {
        return Ok(());
    }
    fs_err::create_dir_all(to.parent().unwrap_or(to))?;
    fs_err::rename(from, to)
}

fn remove(file: &Path) -> io::Result<()> {
    match fs_err::remove_file(file) {
        Err(error) if !is_absent(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Tells a file from any other, and from itself after a change. The time of the last change of its metadata is not part of
/// it: moving the file changes that.
fn identity(file: &Path) -> io::Result<String> {
    let stat = rustix::fs::lstat(file)?;
    Ok(format!(
        "{}.{}.{}",
        stat.st_ino,
        nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
        stat.st_size
    ))
}

/// Whether nothing is there.
fn is_missing(file: &Path) -> bool {
    std::fs::symlink_metadata(file).is_err_and(|error| is_absent(&error))
}

/// Whether the error means that the file, or its folder, does not exist.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// `out/` with `a` and `b/c`, and `new/` with an `a` and a `d`.
    fn folders() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in [
            ("out/a", "old a"),
            ("out/b/c", "old c"),
            ("new/a", "new a"),
            ("new/d", "new d"),
        ] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
            fs::write(file, text).expect("a file");
        }
        folder
    }

    fn listed(folder: &Path) -> Vec<String> {
        let mut files: Vec<String> = walkdir::WalkDir::new(folder)
            .into_iter()
            .flatten()
            .filter(|entry| entry.depth() > 0)
            .map(|entry| {
                let path = entry
                    .path()
                    .strip_prefix(folder)
                    .expect("below")
                    .display()
                    .to_string();
                if entry.file_type().is_file() {
                    format!(
                        "{path}: {}",
                        fs::read_to_string(entry.path()).expect("text")
                    )
                } else {
                    path
                }
            })
            .collect();
        files.sort();
        files
    }

    #[test]
    fn all_changes_happen() {
        let folder = folders();
        let (out, new) = (folder.path().join("out"), folder.path().join("new"));
        let (a, d) = (new.join("a"), new.join("d"));
        Transaction::new(&out, folder.path().join("undo"))
            .apply(&[
                ("e/d", FileOperation::Put(&d)),
                ("a", FileOperation::Put(&a)),
                ("b/c", FileOperation::Remove),
            ])
            .expect("applied");
        assert_eq!(listed(&out), ["a: new a", "b", "e", "e/d: new d"]);
        assert!(!folder.path().join("undo").exists());
    }

    #[test]
    fn a_failure_undoes_everything() {
        let folder = folders();
        let (out, new) = (folder.path().join("out"), folder.path().join("new"));
        let before = listed(&out);
        fs::create_dir(out.join("g")).expect("a folder in the way");
        let (a, d, g) = (new.join("a"), new.join("d"), new.join("g"));
        fs::write(&g, "new g").expect("a file");
        let changes = [
            ("e/f/d", FileOperation::Put(&d)),
            ("a", FileOperation::Put(&a)),
            ("b/c", FileOperation::Remove),
            ("g", FileOperation::Put(&g)),
        ];
        let transaction = Transaction::new(&out, folder.path().join("undo"));
        transaction
            .apply(&changes)
            .expect_err("a folder is in the place of the last file");
        fs::remove_dir(out.join("g")).expect("the folder is still there");
        assert_eq!(listed(&out), before);
    }

    /// The state that a run leaves that was killed before its last step.
    fn killed(folder: &Path, out: &Path) {
        let (a, d) = (folder.join("new/a"), folder.join("new/d"));
        let transaction = Transaction::new(out, folder.join("undo"));
        transaction
            .prepare(&[
                ("e/d", FileOperation::Put(&d)),
                ("a", FileOperation::Put(&a)),
                ("b/c", FileOperation::Remove),
            ])
            .expect("prepared");
        put(&d, &out.join("e/d")).expect("moved");
        put(&a, &out.join("a")).expect("moved");
        fs::remove_file(out.join("b/c")).expect("removed");
    }

    #[test]
    fn a_start_after_a_kill_rolls_back() {
        let folder = folders();
        let out = folder.path().join("out");
        let before = listed(&out);
        killed(folder.path(), &out);
        let transaction = Transaction::new(&out, folder.path().join("undo"));
        assert!(transaction.recover().expect("recovered"));
        assert_eq!(listed(&out), before);
        assert!(!transaction.recover().expect("nothing left to do"));
    }

    #[test]
    fn what_somebody_has_written_since_the_kill_stays() {
        let folder = folders();
        let out = folder.path().join("out");
        killed(folder.path(), &out);
        let transaction = Transaction::new(&out, folder.path().join("undo"));
        fs::write(out.join("a"), "by hand a").expect("a file");
        fs::write(out.join("e/d"), "by hand d").expect("a file");
        fs::write(out.join("b/c"), "by hand c").expect("a file");
        assert!(transaction.recover().expect("recovered"));
        assert_eq!(
            listed(&out),
            ["a: by hand a", "b", "b/c: by hand c", "e", "e/d: by hand d"]
        );
    }
}
