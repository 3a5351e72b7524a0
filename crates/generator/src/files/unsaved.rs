//! The unsaved texts of an editor, which are read in place of the files: `sitegen lsp`. A text may also belong to a file
//! that does not exist yet.
//!
//! They are known to the whole process, so that every reader sees the same text without being handed it. A [`Draft`] shows
//! the site as it would be after an edit, while no other thread reads it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::HashMap;

/// What is read in place of a file.
#[derive(Debug, Clone)]
pub enum InPlace {
    /// This text, as long as there is such a file.
    Text(Arc<str>),
    /// This text, whether there is such a file or not.
    New(Arc<str>),
    /// The file at another path.
    File(PathBuf),
    /// Nothing: there is no such file.
    Nothing,
}

type Table = HashMap<PathBuf, InPlace>;

static TABLE: RwLock<Option<Table>> = RwLock::new(None);
/// Whether there may be any, so that a build asks no lock for each file.
static ARE_THERE: AtomicBool = AtomicBool::new(false);
/// Held by threads that read the site while a draft may come, and by the draft.
static GATE: RwLock<()> = RwLock::new(());

/// Reads this in place of a file from now on; without a value, the file itself.
pub fn set(path: &Path, own: Option<InPlace>) {
    with_table(|table| match own {
        Some(own) => drop(table.insert(path.to_owned(), own)),
        None => drop(table.remove(path)),
    });
}

/// Changes the table. Poisoned only if another thread panicked; the table is intact.
fn with_table<T>(change: impl FnOnce(&mut Table) -> T) -> T {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let table = table.get_or_insert_default();
    let result = change(table);
    ARE_THERE.store(!table.is_empty(), Ordering::Release);
    result
}

/// Whether every file is read as it is.
pub fn is_empty() -> bool {
    !ARE_THERE.load(Ordering::Acquire)
}

/// What is read in place of a file.
pub fn in_place(path: &Path) -> Option<InPlace> {
    if is_empty() {
        return None;
    }
    TABLE.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(path).cloned()
}

/// The text that is read in place of a file.
pub fn text(path: &Path) -> Option<Arc<str>> {
    match in_place(path)? {
        InPlace::Text(text) | InPlace::New(text) => Some(text),
        InPlace::File(_) | InPlace::Nothing => None,
    }
}

/// The files in a folder, or at this path, that are read although they may not exist, in no order.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    let is_there = |(path, own): &(&PathBuf, &InPlace)| {
        matches!(own, InPlace::New(_) | InPlace::File(_)) && path.starts_with(folder)
    };
    table.iter().flatten().filter(is_there).map(|(path, _)| path.clone()).collect()
}

/// Held while a thread reads the whole site, so that it sees no part of a draft.
pub fn reading() -> RwLockReadGuard<'static, ()> {
    GATE.read().unwrap_or_else(PoisonError::into_inner)
}

/// The site as it would be after an edit, until this value is dropped.
#[derive(Debug)]
pub struct Draft {
    before: Table,
    _alone: RwLockWriteGuard<'static, ()>,
}

impl Draft {
    /// Waits until no other thread reads the site, and then shows these files to the thread that has the draft.
    pub fn begin(changes: impl IntoIterator<Item = (PathBuf, InPlace)>) -> Draft {
        let alone = GATE.write().unwrap_or_else(PoisonError::into_inner);
        let before = with_table(|table| {
            let before = table.clone();
            table.extend(changes);
            before
        });
        Draft { before, _alone: alone }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let before = std::mem::take(&mut self.before);
        with_table(|table| *table = before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{self, Clock, Tree};

    fn listed(root: &Path) -> Vec<String> {
        let (files, problems) = files::list(root, &root.join("content"));
        assert!(problems.is_empty());
        files.iter().map(|file| files::shown(root, file)).collect()
    }

    /// What a build lists by the metadata of files.
    fn in_tree(root: &Path) -> Vec<String> {
        let tree = Tree::of(root, &["content"], Clock::of(&root.join("clock")).expect("a clock")).expect("a tree");
        tree.files_below("content/").map(|(path, _)| path.to_owned()).collect()
    }

    #[test]
    fn a_file_counts_before_it_is_saved_and_a_draft_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir_all(root.join("content/pages/a")).expect("a folder");
        for path in ["clock", "content/pages/a/en.yaml", "content/z.yaml"] {
            std::fs::write(root.join(path), "a: 1\n").expect("a file");
        }
        let (new, old) = (root.join("content/pages/b/en.yaml"), root.join("content/pages/a/en.yaml"));
        set(&new, Some(InPlace::New("b: 1\n".into())));
        set(&root.join("content/pages/b/.hidden.yaml"), Some(InPlace::New("b: 1\n".into())));
        set(&root.join("content/pages/c/en.yaml"), Some(InPlace::Text("gone: 1\n".into())));
        let all = ["content/pages/a/en.yaml", "content/pages/b/en.yaml", "content/z.yaml"];
        assert_eq!(listed(root), all);
        assert_eq!(in_tree(root), all);
        assert!(files::exists(&new) && !files::exists(&root.join("content/pages/c/en.yaml")));
        assert_eq!(files::read_text(root, &new).expect("the text").text, "b: 1\n");

        let moved = root.join("content/pages/moved/en.yaml");
        let draft = Draft::begin([(old.clone(), InPlace::Nothing), (moved.clone(), InPlace::File(old.clone()))]);
        let all = ["content/pages/b/en.yaml", "content/pages/moved/en.yaml", "content/z.yaml"];
        assert_eq!(listed(root), all);
        assert_eq!(in_tree(root), all);
        assert!(!files::exists(&old) && files::read_text(root, &old).is_err());
        assert_eq!(files::read_text(root, &moved).expect("the text").text, "a: 1\n");
        drop(draft);
        assert!(files::exists(&old) && !files::exists(&moved));
        for path in ["content/pages/b/en.yaml", "content/pages/b/.hidden.yaml", "content/pages/c/en.yaml"] {
            set(&root.join(path), None);
        }
        assert_eq!(listed(root), ["content/pages/a/en.yaml", "content/z.yaml"]);
    }
}
