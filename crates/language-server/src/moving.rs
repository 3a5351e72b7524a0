//! The language server's names in the service of the forms: the files that change when a page gets another URL, and the
//! links to a page before it is withdrawn or deleted. It writes nothing.

use config::{Options, SnapshotMode};
use diagnostics::problem::{Problem, Problems, Severity};
use site::model::{BlogPage, Body, Page};
use site::routes::contract;
use site::{Planned, Workspace};
use workspace::files::{self, FileSet, Overlay, SourceChange};

use super::names::Name;
use super::rename::{self, Edit};
use super::revision::{self, Documents, Revision};

/// A place that leads to a page: the path of the file, and the line from 1.
pub type LinkPlace = (String, usize);

/// The places with links to what a file holds, in the order of the files. Empty for a file that no page shows.
pub fn links_to(root: &FileSet, options: &Options, file: &str) -> Vec<LinkPlace> {
    let revision = read(root, options);
    let Some((planned, all)) = revision.names() else {
        return Vec::new();
    };
    let Some(name) = page_of(planned, file).and_then(|page| name_of(planned, page)) else {
        return Vec::new();
    };
    let mut found: Vec<LinkPlace> = all
        .iter()
        .filter(|one| one.name == name && !one.declares)
        .filter_map(|one| {
            let text = root.read_text(&one.path).ok()?;
            let line = text.text.get(..one.span.start)?.matches('\n').count() + 1;
            Some((files::shown(root, &one.path), line))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The files that change if the page in a file gets another address, with their new bytes. The old address is redirected, the
/// pages below it move too, and translations that agreed still agree. The error says why it is refused.
pub fn moved_page(
    root: &FileSet,
    options: &Options,
    file: &str,
    address: &str,
) -> Result<Vec<SourceChange>, String> {
    let revision = read(root, options);
    let (planned, all) = revision
        .names()
        .ok_or("`content/site.yaml` cannot be read; correct it first")?;
    let page = page_of(planned, file).filter(|page| page.body == Body::Sections);
    let page = page.ok_or_else(|| format!("{file} is not a published page"))?;
    let name = Name::Address {
        key: page.key.clone(),
        path: page.path.value.clone(),
    };
    if !all.iter().any(|one| one.name == name) {
        return Err(format!("no file sets the URL of {file}"));
    }
    let changes = changes(root, &rename::rename(&revision, &name, address)?)?;
    // A span that was found in a text is not in its place in another one.
    let sources = revision.workspace().map(Workspace::sources);
    if !sources.is_some_and(|sources| sources.is_current(root)) {
        return Err(
            "files were changed in the meantime, so nothing was saved; try again".to_owned(),
        );
    }
    Ok(changes)
}

/// The first error that the site has if files get other texts, and that it does not have now: `file:line: message`.
pub fn new_error(root: &FileSet, options: &Options, texts: &[(String, String)]) -> Option<String> {
    let shown = |problem: &Problem| {
        let place = problem.place.as_ref();
        let line = place
            .and_then(|place| place.range)
            .map(|range| format!(":{}", range.start.line))
            .unwrap_or_default();
        let place = place
            .map(|place| format!("{}{line}: ", place.path))
            .unwrap_or_default();
        let hint = problem
            .hint
            .as_ref()
            .map(|hint| format!(" ({hint})"))
            .unwrap_or_default();
        format!("{place}{}{hint}", problem.message)
    };
    let errors = |files: &FileSet| {
        let (workspace, found) = revision::read(&at(root, options), files);
        let gone = workspace
            .map(|workspace| gone_urls(workspace.site()))
            .unwrap_or_default();
        found
            .iter()
            .chain(gone.iter())
            .filter(|problem| problem.severity == Severity::Error)
            .cloned()
            .collect::<Vec<Problem>>()
    };
    let changes = texts
        .iter()
        .map(|(path, text)| (root.join(path), Some(Overlay::New(text.as_str().into()))));
    let after = errors(&root.with(changes));
    if after.is_empty() {
        return None;
    }
    // A line may have moved, so that errors are compared without it.
    let before = errors(root);
    let mut new = after.iter().filter(|problem| {
        !before
            .iter()
            .any(|other| other.code == problem.code && other.message == problem.message)
    });
    // The first in the files themselves, of which others may be consequences.
    let first = new
        .clone()
        .find(|problem| {
            let place = problem.place.as_ref();
            place.is_some_and(|place| texts.iter().any(|(path, _)| *path == place.path))
        })
        .or_else(|| new.next());
    first.map(shown)
}

/// The problems with the URLs that the site has promised.
fn gone_urls(planned: &Planned) -> Problems {
    let lock = planned.content.urls_lock.as_ref();
    lock.map_or_else(Problems::new, |lock| {
        contract::check(&planned.site, &planned.routes, lock)
    })
}

/// The site as it is on disk.
fn read(root: &FileSet, options: &Options) -> Revision {
    Revision::new(at(root, options), root.clone(), Documents::default())
}

/// The options of the command that is running, for the folder as files are read from it. Nothing is asked of a CMS: whoever
/// changes sources holds their lock, and the preview has fetched what there is.
fn at(root: &FileSet, options: &Options) -> Options {
    Options {
        root: root.to_path_buf(),
        snapshot: SnapshotMode::Offline,
        ..options.clone()
    }
}

/// The page that a file is shown on first.
fn page_of<'a>(planned: &'a Planned, file: &str) -> Option<&'a Page> {
    let post = |page: &Page| page.body.post().map(|index| planned.site.blog.post(index));
    planned.site.pages.iter().find(|page| match post(page) {
        Some(post) => post.origin.path() == file,
        None => !page.is_fallback && page.source.paths().any(|path| path == file),
    })
}

fn name_of(planned: &Planned, page: &Page) -> Option<Name> {
    match page.body {
        Body::Sections => Some(Name::Page(page.key.clone())),
        Body::Blog(BlogPage::Post(index)) => {
            Some(Name::Post(planned.site.blog.post(index).key.clone()))
        }
        Body::Entry(id) => {
            let collection = &planned.site.collections.list[id.collection];
            let key = collection.entries[id.entry].key.clone();
            Some(Name::Entry {
                collection: collection.schema.name.to_owned(),
                key,
            })
        }
        Body::Blog(_) | Body::Gallery(_) | Body::EntryFilter(_) => None,
    }
}

/// The new bytes of each file that an edit changes, with the byte-order mark that it had.
fn changes(root: &FileSet, edit: &Edit) -> Result<Vec<SourceChange>, String> {
    let mut changes = Vec::new();
    for (path, edits) in &edit.texts {
        let shown = files::shown(root, path);
        let bytes = root
            .read_bytes(path, u64::from(u32::MAX))
            .map_err(|_| format!("{shown} cannot be read"))?;
        let source = root
            .read_text(path)
            .map_err(|_| format!("{shown} cannot be read"))?;
        let new = rename::edited(&source.text, edits);
        if SourceChange::to_text(&shown, Some(bytes.clone()), &source.text)
            .after
            .as_ref()
            != Some(&bytes)
        {
            return Err(format!(
                "{shown} has line endings that a form cannot keep; rename the page in an editor"
            ));
        }
        changes.push(SourceChange::to_text(&shown, Some(bytes), &new));
    }
    if !edit.moves.is_empty() {
        return Err("the page has files that would move; rename it in an editor".to_owned());
    }
    Ok(changes)
}
