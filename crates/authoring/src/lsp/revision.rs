//! The site as the editor has it at one moment. Threads that answer or check keep the revision they began with, so that
//! nobody sees half of a change, and what one of them has read the others need not read again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use diagnostics::problem::Problem;
use site::config::Options;
use site::files::FileSet;

use super::names::{self, Occurrence};
use super::planned::{Planned, plan};
use super::text::Text;

/// An open document.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub text: Text,
    /// The number that the editor gives to this text.
    pub version: i32,
}

/// The open documents, by path.
pub(super) type Documents = Arc<BTreeMap<PathBuf, Document>>;

/// The site at one moment.
pub(super) struct Revision {
    /// How many changes came before it.
    pub number: u64,
    pub options: Options,
    /// The files, with the texts of open documents in place of those on the disk.
    pub files: FileSet,
    pub documents: Documents,
    /// The document that is not the one of the revision before; `None` if anything may have changed.
    pub changed: Option<PathBuf>,
    read: OnceLock<(Option<Planned>, Vec<Problem>)>,
    names: OnceLock<Vec<Occurrence>>,
}

impl Revision {
    pub fn new(
        number: u64,
        options: Options,
        files: FileSet,
        documents: Documents,
        changed: Option<PathBuf>,
    ) -> Revision {
        Revision { number, options, files, documents, changed, read: OnceLock::new(), names: OnceLock::new() }
    }

    /// The site, read and planned by the first thread that asks; `None` if it has no settings.
    pub fn planned(&self) -> (Option<&Planned>, &[Problem]) {
        let (planned, problems) = self.read.get_or_init(|| plan(&self.options, &self.files));
        (planned.as_ref(), problems)
    }

    /// This revision, or another one of the same documents if files on the disk are not those that it has read: some
    /// editors tell nobody about other files.
    pub fn current(self: &Arc<Revision>) -> Arc<Revision> {
        let is_current = match self.read.get() {
            None => true,
            Some((planned, _)) => planned.as_ref().is_some_and(|planned| planned.sources.is_current(&self.files)),
        };
        if is_current {
            return Arc::clone(self);
        }
        let documents = Arc::clone(&self.documents);
        Arc::new(Revision::new(self.number, self.options.clone(), self.files.clone(), documents, None))
    }

    /// The site, and every place of every name in it.
    pub fn names(&self) -> Option<(&Planned, &[Occurrence])> {
        let planned = self.planned().0?;
        Some((planned, self.names.get_or_init(|| names::all(planned))))
    }

    /// The text of a file: the open document, else the file.
    pub fn text(&self, path: &Path) -> Option<Text> {
        let open = self.documents.get(path).map(|document| document.text.clone());
        open.or_else(|| self.files.read_text(path).ok().map(|source| Text::new(source.text.as_str())))
    }
}
