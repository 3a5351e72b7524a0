//! The site as the editor has it at one moment. Threads that answer or check keep the revision they began with, so that
//! nobody sees half of a change, and what one of them has read the others need not read again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use config::{Options, SnapshotMode};
use diagnostics::problem::{Problem, Problems};
use site::{Planned, Workspace};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

use super::names::Names;
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
    read: OnceLock<(Option<Workspace>, Vec<Problem>)>,
    names: OnceLock<Arc<Names>>,
    /// Shared by revisions that differ in their documents only.
    last: Arc<Mutex<Option<Known>>>,
}

/// The names that were found last.
#[derive(Clone)]
struct Known {
    /// The site in which they were found, or an earlier one with the same names in its settings, templates and pages.
    workspace: Workspace,
    /// The files of that site.
    files: FileSet,
    names: Arc<Names>,
    /// The documents in which they were found.
    documents: Documents,
}

/// Reads and plans a site; `None` if it has no settings. Answers wait for it, so a CMS is asked only if there is no snapshot
/// yet: the check, for which nobody waits, fetches newer posts.
pub(super) fn read(options: &Options, files: &FileSet) -> (Option<Workspace>, Vec<Problem>) {
    let snapshot = match options.snapshot {
        SnapshotMode::Recent => SnapshotMode::Kept,
        other => other,
    };
    let kept = Options {
        snapshot,
        ..options.clone()
    };
    let (workspace, mut problems) = Workspace::load(&kept, files);
    if let Some(workspace) = &workspace {
        problems.extend(workspace.problems());
    }
    (workspace, listed(options, problems))
}

/// Problems in the order of `sitegen check`.
pub(super) fn listed(options: &Options, problems: Problems) -> Vec<Problem> {
    let problems = if options.strict {
        problems.strict()
    } else {
        problems
    };
    problems.sorted().iter().cloned().collect()
}

impl Revision {
    /// The first revision.
    pub fn new(options: Options, files: FileSet, documents: Documents) -> Revision {
        let last = Arc::default();
        Revision {
            number: 0,
            options,
            files,
            documents,
            changed: None,
            read: OnceLock::new(),
            names: OnceLock::new(),
            last,
        }
    }

    /// The next revision, with other files and documents. `changed` is the one that is not as it was; `None` if anything may
    /// have changed.
    pub fn next(&self, files: FileSet, documents: Documents, changed: Option<PathBuf>) -> Revision {
        let last = if changed.is_some() {
            Arc::clone(&self.last)
        } else {
            Arc::default()
        };
        let new = Revision::new(self.options.clone(), files, documents);
        Revision {
            number: self.number + 1,
            changed,
            last,
            ..new
        }
    }

    /// The site, read and planned by the first thread that asks, and its problems; `None` if it has no settings.
    pub fn read(&self) -> &(Option<Workspace>, Vec<Problem>) {
        self.read.get_or_init(|| read(&self.options, &self.files))
    }

    /// The site.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.read().0.as_ref()
    }

    /// This revision, or another one of the same documents if files on the disk are not those that it has read: some
    /// editors tell nobody about other files.
    pub fn current(self: &Arc<Revision>) -> Arc<Revision> {
        let is_current = match self.read.get() {
            None => true,
            Some((workspace, _)) => workspace
                .as_ref()
                .is_some_and(|workspace| workspace.sources().is_current(&self.files)),
        };
        if is_current {
            return Arc::clone(self);
        }
        let new = Revision::new(
            self.options.clone(),
            self.files.clone(),
            Arc::clone(&self.documents),
        );
        Arc::new(Revision {
            number: self.number,
            last: Arc::clone(&self.last),
            ..new
        })
    }

    /// The site, and every place of every name in it.
    pub fn names(&self) -> Option<(&Planned, &Names)> {
        let workspace = self.workspace()?;
        let planned = workspace.site();
        Some((
            planned,
            self.names.get_or_init(|| {
                let names = Arc::new(Names::of(planned));
                self.keep(Known {
                    workspace: workspace.clone(),
                    files: self.files.clone(),
                    names: Arc::clone(&names),
                    documents: Arc::clone(&self.documents),
                });
                names
            }),
        ))
    }

    /// Every place of every name, with the site in which they are; while somebody types in texts, the site may be that of a
    /// moment ago. So nobody waits for the whole site to be read.
    pub fn names_soon(self: &Arc<Revision>) -> Option<(Workspace, Arc<Names>)> {
        if let Some(known) = self.followed() {
            let found = (known.workspace.clone(), Arc::clone(&known.names));
            self.keep(known);
            return Some(found);
        }
        let revision = self.current();
        revision.names()?;
        let workspace = revision.workspace()?.clone();
        Some((workspace, Arc::clone(revision.names.get()?)))
    }

    /// The names that were found last, with those of the texts that have changed since. `None` if another file has.
    fn followed(&self) -> Option<Known> {
        let last = self
            .last
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()?;
        let (before, now) = (&last.documents, &self.documents);
        let text = |documents: &Documents, path: &PathBuf| {
            documents.get(path).map(|own| Arc::clone(&own.text.text))
        };
        let all: BTreeSet<&PathBuf> = before.keys().chain(now.keys()).collect();
        let changed: Vec<&PathBuf> = all
            .into_iter()
            .filter(|path| text(before, path) != text(now, path))
            .collect();
        let is_text = |path: &&PathBuf| {
            let shown = files::shown(&self.files, path);
            shown.starts_with("content/")
                && !Kind::Page.has(&shown)
                && shown.matches('/').count() > 1
        };
        if !changed.iter().all(is_text) || !last.workspace.sources().is_current(&last.files) {
            return None;
        }
        if changed.is_empty() {
            return Some(last);
        }
        let names = Arc::new(last.names.with(
            last.workspace.site(),
            &self.files,
            changed.into_iter(),
        ));
        Some(Known {
            names,
            documents: Arc::clone(&self.documents),
            ..last
        })
    }

    fn keep(&self, known: Known) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }

    /// The text of a file: the open document, else the file.
    pub fn text(&self, path: &Path) -> Option<Text> {
        let open = self
            .documents
            .get(path)
            .map(|document| document.text.clone());
        open.or_else(|| {
            self.files
                .read_text(path)
                .ok()
                .map(|source| Text::new(source.text.as_str()))
        })
    }
}
