//! Puts a few files in the places of others, so that afterwards either all of them are new or all are old.
//!
//! Before anything moves, what will be replaced or removed is linked into a folder beside the output, and a journal there
//! says what is about to be done. A failure in the middle undoes what was done. After a kill the journal is still there, and
//! the next start undoes it. The journal is removed when everything is in place, and that moment decides.
//!
//! Nothing is flushed to the disk: a build can be repeated, and flushing would cost each save in `serve` more than the
//! build itself. After a power failure the next build compares every file with its manifest, and writes again what
//! differs.

use std::io;
use std::path::{Path, PathBuf};

/// Names the folder beside the output folder.
const FOLDER: &str = "undo";
/// What is being done, in that folder.
const JOURNAL: &str = "journal";

/// What happens to a file of the output folder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change<'a> {
    /// Another file takes its place, or one that was not there comes.
    Put(&'a Path),
    /// It is removed.
    Remove,
}

/// Changes files of a folder, all or none. `changes` are paths below it with forward slashes, in the order in which they
/// happen; `prefix` begins the names of what may stand beside it.
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

/// Undoes what a killed run was in the middle of. Returns whether there was anything.
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

    /// Links what stands in the way, and writes the journal: a line for each change, with a `=` before those whose file was
    /// there and a `+` before those whose file is new.
    fn prepare(&self, changes: &[(&str, Change)]) -> io::Result<()> {
        if self.folder.exists() {
            fs_err::remove_dir_all(&self.folder)?;
        }
        fs_err::create_dir(&self.folder)?;
        let mut journal = String::new();
        for (number, (path, _)) in changes.iter().enumerate() {
            let (from, to) = (self.out.join(path), self.kept(number));
            let was_there = match std::fs::hard_link(&from, &to) {
                Ok(()) => true,
                Err(error) if is_absent(&error) => false,
                // File systems without links.
                Err(_) => fs_err::copy(&from, &to).map(|_| true)?,
            };
            journal.push(if was_there { '=' } else { '+' });
            journal.push_str(path);
            journal.push('\n');
        }
        // Whole or not at all, whenever the program is killed.
        let unfinished = self.folder.join("unfinished");
        fs_err::write(&unfinished, journal)?;
        fs_err::rename(unfinished, self.folder.join(JOURNAL))
    }

    fn roll_back(&self) -> io::Result<()> {
        let journal = fs_err::read_to_string(self.folder.join(JOURNAL))?;
        for (number, line) in journal.lines().enumerate() {
            let Some((kind, path)) = line.split_at_checked(1) else { continue };
            let target = self.out.join(path);
            if kind == "=" {
                let kept = self.kept(number);
                // It is put back once; a second attempt finds it in its place.
                if kept.exists() {
                    fs_err::create_dir_all(target.parent().unwrap_or(self.out))?;
                    fs_err::rename(kept, &target)?;
                }
            } else {
                remove(&target)?;
                remove_empty_folders(self.out, path);
            }
        }
        self.commit()
    }

    /// What was done stays done.
    fn commit(&self) -> io::Result<()> {
        fs_err::remove_file(self.folder.join(JOURNAL))?;
        // Without its journal the folder means nothing, and the next start removes it as well.
        let _ = fs_err::remove_dir_all(&self.folder);
        Ok(())
    }

    fn kept(&self, number: usize) -> PathBuf {
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

/// Removes the folders above a path, as far as nothing is in them.
fn remove_empty_folders(out: &Path, path: &str) {
    let folders = Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.map_while(|folder| std::fs::remove_dir(out.join(folder)).ok()).for_each(drop);
}

/// Neither the file nor, perhaps, its folder is there.
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
    fn a_start_after_a_kill_undoes_what_was_begun() {
        let folder = folders();
        let out = folder.path().join("out");
        let before = listed(&out);
        let undo = Undo::at(&out, PREFIX);
        undo.prepare(&[("e/d", Change::Remove), ("a", Change::Remove), ("b/c", Change::Remove)]).expect("prepared");
        // As a run that was killed after these leaves it.
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
