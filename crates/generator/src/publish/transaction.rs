//! Replaces and removes several files in one transaction: afterwards either all changes are made or none.
//!
//! Before the first change, all files that will be replaced or removed are hard-linked into a folder beside the output,
//! and a journal there lists the changes. If a change fails, the previous ones are rolled back. After a kill the
//! journal still exists, and the next start rolls back. Removing the journal commits the transaction.
//!
//! Nothing is flushed to disk: a build can be repeated, and flushing would take longer than the build of a save in
//! `serve`. After a power failure the next build compares every file with its manifest, and writes those that differ.

use std::io;
use std::path::{Path, PathBuf};

/// The name of the folder beside the output folder, after the prefix.
const FOLDER: &str = "undo";
/// The name of the journal in that folder.
const JOURNAL: &str = "journal";

/// A change of a file in the output folder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change<'a> {
    /// The file at this path is moved there. It replaces an existing file.
    Put(&'a Path),
    /// The file is removed.
    Remove,
}

/// Changes files of the folder `out`, all or none. The paths in `changes` are relative to it, with forward slashes, in
/// the order in which they are changed. `prefix` begins the names of temporary folders beside it.
pub(super) fn apply(out: &Path, prefix: &str, changes: &[(&str, Change)]) -> io::Result<()> {
    let undo = Undo::at(out, prefix);
    undo.prepare(changes)?;
    for (path, change) in changes {
        let done = match change {
            Change::Put(from) => put(from, &out.join(path)),
            Change::Remove => remove(&out.join(path)),
        };
        if let Err(error) = done {
            undo.roll_back()?;
            return Err(error);
        }
    }
    if let Err(error) = undo.commit() {
        undo.roll_back()?;
        return Err(error);
    }
    for (path, _) in changes.iter().filter(|(_, change)| matches!(change, Change::Remove)) {
        remove_empty_folders(out, path);
    }
    Ok(())
}

/// Rolls back the transaction of a killed run. Returns whether there was one.
pub(super) fn recover(out: &Path, prefix: &str) -> io::Result<bool> {
    let undo = Undo::at(out, prefix);
    let was_unfinished = undo.folder.join(JOURNAL).exists();
    if was_unfinished {
        undo.roll_back()?;
    }
    Ok(was_unfinished)
}

struct Undo<'a> {
    out: &'a Path,
    folder: PathBuf,
}

impl Undo<'_> {
    fn at<'a>(out: &'a Path, prefix: &str) -> Undo<'a> {
        Undo { out, folder: out.with_file_name(format!("{prefix}{FOLDER}")) }
    }

    /// Hard-links the existing files, and writes the journal: one path per line, after `=` if the file existed, or `+`
    /// if it is new.
    fn prepare(&self, changes: &[(&str, Change)]) -> io::Result<()> {
        if self.folder.exists() {
            fs_err::remove_dir_all(&self.folder)?;
        }
        fs_err::create_dir(&self.folder)?;
        let mut journal = String::new();
        for (number, (path, _)) in changes.iter().enumerate() {
            let (from, to) = (self.out.join(path), self.backup(number));
            let existed = match std::fs::hard_link(&from, &to) {
                Ok(()) => true,
                Err(error) if is_absent(&error) => false,
                // The file system has no hard links.
                Err(_) => fs_err::copy(&from, &to).map(|_| true)?,
            };
            journal.push(if existed { '=' } else { '+' });
            journal.push_str(path);
            journal.push('\n');
        }
        // Renamed into place, so that a kill never leaves a partial journal.
        let temporary = self.folder.join("unfinished");
        fs_err::write(&temporary, journal)?;
        fs_err::rename(temporary, self.folder.join(JOURNAL))
    }

    fn roll_back(&self) -> io::Result<()> {
        let journal = fs_err::read_to_string(self.folder.join(JOURNAL))?;
        for (number, line) in journal.lines().enumerate() {
            let Some((kind, path)) = line.split_at_checked(1) else { continue };
            let target = self.out.join(path);
            if kind == "=" {
                let backup = self.backup(number);
                // If it is missing, an interrupted roll-back has restored it already.
                if backup.exists() {
                    fs_err::create_dir_all(target.parent().unwrap_or(self.out))?;
                    fs_err::rename(backup, &target)?;
                }
            } else {
                remove(&target)?;
                remove_empty_folders(self.out, path);
            }
        }
        self.commit()
    }

    /// Makes the changes permanent by removing the journal.
    fn commit(&self) -> io::Result<()> {
        fs_err::remove_file(self.folder.join(JOURNAL))?;
        // A folder without a journal is ignored, and the next start removes it.
        let _ = fs_err::remove_dir_all(&self.folder);
        Ok(())
    }

    fn backup(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
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

/// Removes the folders above a path that are empty.
fn remove_empty_folders(out: &Path, path: &str) {
    let folders = Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.map_while(|folder| std::fs::remove_dir(out.join(folder)).ok()).for_each(drop);
}

/// Whether the error means that the file, or its folder, does not exist.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PREFIX: &str = ".out.sitegen-";

    /// `out/` with `a` and `b/c`, and `new/` with an `a` and a `d`.
    fn folders() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in [("out/a", "old a"), ("out/b/c", "old c"), ("new/a", "new a"), ("new/d", "new d")] {
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
                let path = entry.path().strip_prefix(folder).expect("below").display().to_string();
                if entry.file_type().is_file() {
                    format!("{path}: {}", fs::read_to_string(entry.path()).expect("text"))
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
        apply(&out, PREFIX, &[("e/d", Change::Put(&d)), ("a", Change::Put(&a)), ("b/c", Change::Remove)])
            .expect("applied");
        assert_eq!(listed(&out), ["a: new a", "e", "e/d: new d"]);
        assert!(!folder.path().join(".out.sitegen-undo").exists());
    }

    #[test]
    fn a_failure_undoes_everything() {
        let folder = folders();
        let (out, new) = (folder.path().join("out"), folder.path().join("new"));
        let before = listed(&out);
        let (a, d, missing) = (new.join("a"), new.join("d"), new.join("missing"));
        let changes =
            [("e/f/d", Change::Put(&d)), ("a", Change::Put(&a)), ("b/c", Change::Remove), ("g", Change::Put(&missing))];
        apply(&out, PREFIX, &changes).expect_err("the last file is not there");
        assert_eq!(listed(&out), before);
    }

    #[test]
    fn a_start_after_a_kill_rolls_back() {
        let folder = folders();
        let out = folder.path().join("out");
        let before = listed(&out);
        let undo = Undo::at(&out, PREFIX);
        undo.prepare(&[("e/d", Change::Remove), ("a", Change::Remove), ("b/c", Change::Remove)]).expect("prepared");
        // The state that a killed run leaves.
        fs::create_dir(out.join("e")).expect("a folder");
        fs::write(out.join("e/d"), "new d").expect("a file");
        fs::write(folder.path().join("x"), "new a").expect("a file");
        fs::rename(folder.path().join("x"), out.join("a")).expect("renamed");
        fs::remove_file(out.join("b/c")).expect("removed");
        assert!(recover(&out, PREFIX).expect("recovered"));
        assert_eq!(listed(&out), before);
        assert!(!recover(&out, PREFIX).expect("nothing left to do"));
    }
}
