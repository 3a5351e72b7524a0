//! Writes the files of an import, and never over the work of a person.
//!
//! `content/.wordpress-import` notes the hash of each file as it was imported. The next import compares three versions:
//! the one noted, the one on disk, and the new one. A file that only the person or only WordPress changed is kept or
//! written; if both did, the file stays and the new version is put aside. A file that was deleted stays deleted.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use workspace::cache;

/// The list of imported files, one line each: hash, path. Sorted, so that it merges well.
pub(super) const LIST: &str = "content/.wordpress-import";

/// The outcome for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileOutcome {
    Written,
    Updated,
    Unchanged,
    /// A person has changed it, WordPress has not.
    Kept,
    /// A person has deleted it.
    Deleted,
    /// A person and WordPress have changed it.
    Conflict,
}

/// The files of an import.
#[derive(Debug)]
pub(super) struct ImportedFiles {
    root: PathBuf,
    /// Where new versions go that would overwrite somebody's work.
    aside: PathBuf,
    known: BTreeMap<String, String>,
    /// The hashes for the next import.
    noted: BTreeMap<String, String>,
    /// Hashes of files as they were before the site's rules changed them ([`super::settle`]).
    converted: BTreeMap<String, String>,
}

/// Follows the path of a file in the list whose hash is the one before it was settled.
const CONVERTED: &str = "\t(before it was settled)";

impl ImportedFiles {
    /// Reads the list of the last import.
    pub fn open(root: &Path, aside: PathBuf) -> io::Result<ImportedFiles> {
        let text = match fs_err::read_to_string(root.join(LIST)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        // Lines that a merge left behind (`<<<<<<<`) are no hashes, and are skipped.
        let (converted, known): (BTreeMap<_, _>, BTreeMap<_, _>) = text
            .lines()
            .filter_map(|line| {
                let (hash, path) = line.split_once("  ")?;
                (hash.len() == 32).then(|| (path.to_owned(), hash.to_owned()))
            })
            .partition(|(path, _)| path.ends_with(CONVERTED));
        let converted = converted
            .into_iter()
            .map(|(path, hash)| (path.trim_end_matches(CONVERTED).to_owned(), hash));
        let converted = converted.collect();
        Ok(ImportedFiles {
            root: root.to_owned(),
            aside,
            noted: known.clone(),
            known,
            converted,
        })
    }

    /// Whether a file is there as the import wrote it.
    pub fn is_as_imported(&self, path: &str) -> bool {
        let on_disk = fs_err::read(self.root.join(path))
            .ok()
            .map(|bytes| hash(&bytes));
        on_disk.is_some_and(|on_disk| self.noted.get(path) == Some(&on_disk))
    }

    /// Writes another version of an imported file, or a file that it needs. The next import knows both versions.
    pub fn settle(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        cache::keep(&self.root.join(path), bytes)?;
        if let Some(before) = self.noted.insert(path.to_owned(), hash(bytes)) {
            self.converted.entry(path.to_owned()).or_insert(before);
        }
        Ok(())
    }

    /// Whether a file was imported before.
    pub fn is_known(&self, path: &str) -> bool {
        self.known.contains_key(path)
    }

    /// Puts a file into the site, unless that would lose somebody's work.
    pub fn put(&mut self, path: &str, bytes: &[u8]) -> io::Result<FileOutcome> {
        let file = self.root.join(path);
        let new = hash(bytes);
        let known = self.known.get(path).cloned();
        let on_disk = match fs_err::read(&file) {
            Ok(bytes) => Some(hash(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_same = self.converted.get(path).or(known.as_ref()) == Some(&new);
        let outcome = match (&on_disk, &known) {
            (None, Some(_)) => FileOutcome::Deleted,
            (None, None) => FileOutcome::Written,
            (Some(disk), _) if *disk == new => FileOutcome::Unchanged,
            (Some(disk), Some(known)) if disk == known => return self.again(path, bytes, is_same),
            (Some(_), Some(_)) if is_same => FileOutcome::Kept,
            (Some(_), _) => FileOutcome::Conflict,
        };
        match outcome {
            FileOutcome::Written => cache::keep(&file, bytes)?,
            FileOutcome::Conflict => cache::keep(&self.aside.join(path), bytes)?,
            FileOutcome::Unchanged
            | FileOutcome::Updated
            | FileOutcome::Kept
            | FileOutcome::Deleted => {}
        }
        // After a conflict, the noted version stays the one that both began with.
        if outcome != FileOutcome::Conflict
            && !(outcome == FileOutcome::Kept && self.converted.contains_key(path))
        {
            self.noted.insert(path.to_owned(), new);
            self.converted.remove(path);
        }
        Ok(outcome)
    }

    /// Updates a file that nobody has edited. One that was settled is settled again, so that its notes are known again.
    fn again(&mut self, path: &str, bytes: &[u8], is_same: bool) -> io::Result<FileOutcome> {
        cache::keep(&self.root.join(path), bytes)?;
        self.noted.insert(path.to_owned(), hash(bytes));
        self.converted.remove(path);
        Ok(if is_same {
            FileOutcome::Unchanged
        } else {
            FileOutcome::Updated
        })
    }

    /// Writes the list. Called again and again, so that a stopped import goes on where it was.
    pub fn save(&self) -> io::Result<()> {
        let mut lines: String = self
            .noted
            .iter()
            .flat_map(|(path, hash)| [hash, "  ", path, "\n"])
            .collect();
        lines.extend(
            self.converted
                .iter()
                .flat_map(|(path, hash)| [hash, "  ", path, CONVERTED, "\n"]),
        );
        cache::keep(&self.root.join(LIST), lines.as_bytes())
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_s_work_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let aside = root.join("aside");
        let put = |text: &str| {
            let mut files = ImportedFiles::open(root, aside.clone()).expect("the list");
            let outcome = files
                .put("content/blog/en/a.md", text.as_bytes())
                .expect("a written file");
            files.save().expect("the list");
            outcome
        };
        let file = root.join("content/blog/en/a.md");
        let read = || fs_err::read_to_string(&file).expect("the file");
        assert_eq!(put("one"), FileOutcome::Written);
        assert_eq!(put("one"), FileOutcome::Unchanged);
        assert_eq!((put("two"), read().as_str()), (FileOutcome::Updated, "two"));
        fs_err::write(&file, "mine").expect("an edit");
        assert_eq!((put("two"), read().as_str()), (FileOutcome::Kept, "mine"));
        assert_eq!(
            (put("three"), read().as_str()),
            (FileOutcome::Conflict, "mine")
        );
        assert_eq!(
            fs_err::read_to_string(aside.join("content/blog/en/a.md")).expect("the new version"),
            "three"
        );
        // Until a person has settled it, it stays a conflict.
        assert_eq!(put("three"), FileOutcome::Conflict);
        fs_err::write(&file, "three").expect("an edit");
        assert_eq!(put("three"), FileOutcome::Unchanged);
        fs_err::remove_file(&file).expect("a deletion");
        assert_eq!(put("four"), FileOutcome::Deleted);
    }

    #[test]
    fn a_settled_file_is_as_imported() {
        let folder = tempfile::tempdir().expect("a folder");
        let open =
            || ImportedFiles::open(folder.path(), folder.path().join("aside")).expect("the list");
        let put = |text: &str| {
            let mut files = open();
            let outcome = files.put("a.md", text.as_bytes()).expect("an outcome");
            files.save().expect("the list");
            outcome
        };
        assert_eq!(put("one"), FileOutcome::Written);
        let settle = || {
            let mut files = open();
            files
                .settle("a.md", b"settled")
                .and_then(|()| files.save())
                .expect("the list");
        };
        settle();
        assert!(open().is_as_imported("a.md"));
        // It is settled again, so that the notes about it are known again.
        assert_eq!(put("one"), FileOutcome::Unchanged);
        assert_eq!(
            fs_err::read(folder.path().join("a.md")).expect("the file"),
            b"one"
        );
        settle();
        fs_err::write(folder.path().join("a.md"), "mine").expect("an edit");
        assert_eq!(
            (put("one"), put("two")),
            (FileOutcome::Kept, FileOutcome::Conflict)
        );
        fs_err::write(folder.path().join("a.md"), "settled").expect("an edit");
        assert_eq!(put("two"), FileOutcome::Updated);
        assert!(open().is_as_imported("a.md"));
    }

    #[test]
    fn a_file_that_was_there_before_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        fs_err::write(folder.path().join("a.md"), "mine").expect("a file");
        let mut files =
            ImportedFiles::open(folder.path(), folder.path().join("aside")).expect("the list");
        assert_eq!(
            files.put("a.md", b"theirs").expect("an outcome"),
            FileOutcome::Conflict
        );
    }
}
