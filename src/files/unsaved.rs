//! The unsaved texts of an editor, which are read in place of the files: `sitegen lsp`.
//!
//! They are known to the whole process, so that every reader sees the same text without being handed it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

static TEXTS: RwLock<Option<HashMap<PathBuf, Arc<str>>>> = RwLock::new(None);
/// Whether there may be any, so that a build asks no lock for each file.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// Reads this text in place of a file from now on; without a text, the file itself.
pub fn set(path: &Path, text: Option<Arc<str>>) {
    // Poisoned only if another thread panicked; the table is intact.
    let mut texts = TEXTS.write().unwrap_or_else(PoisonError::into_inner);
    let table = texts.get_or_insert_default();
    match text {
        Some(text) => drop(table.insert(path.to_owned(), text)),
        None => drop(table.remove(path)),
    }
    ARE_THERE.store(!table.is_empty(), Ordering::Release);
}

/// Whether every file is read as it is.
pub fn is_empty() -> bool {
    !ARE_THERE.load(Ordering::Acquire)
}

/// The text that is read in place of a file.
pub fn text(path: &Path) -> Option<Arc<str>> {
    if is_empty() {
        return None;
    }
    TEXTS.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(path).cloned()
}
