//! Renames what content refers to, in all files and languages.
//!
//! The site is read as it would be after the edit ([`Edit::files_after`]). So a rename that breaks something is refused with
//! the message of what it breaks, and what else must change is known: each public address that is gone gets a redirect,
//! the new one is added to `content/urls.lock`, and translations that agreed before agree afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use config::Options;
use content::collections::AUTHORS;
use diagnostics::problem::{Code, Problem, Severity};
use schema::Takes;
use schema::types::Slug;
use site::model::blog::tag_slug;
use site::routes::{Route, contract};
use site::{Planned, Workspace};
use translations::{self, State, lock};
use workspace::files::{FileSet, Overlay};
use workspace::kinds::Kind;

use super::entry_names;
use super::names::{self, Name, Names, Occurrence, Writing};
use super::revision::{self, Revision};
use super::{redirects, refusals};

/// The first segments of addresses in a blog that are no posts.
const OF_THE_BLOG: [&str; 3] = ["page", "tag", "author"];

/// The changes of a rename to the files of a site.
#[derive(Debug, Default)]
pub(super) struct Edit {
    /// The ranges to replace in each file, in no order, and what belongs there.
    pub texts: BTreeMap<PathBuf, Vec<(Range<usize>, String)>>,
    /// Files and folders to move, after their texts were edited.
    pub moves: Vec<(PathBuf, PathBuf)>,
    /// Keys of pages, or the first parts of keys, that become others.
    keys: Vec<(String, String)>,
}

/// The edit that gives something another name. The error says why it is refused.
pub(super) fn rename(revision: &Revision, name: &Name, new: &str) -> Result<Edit, String> {
    let (before, all) = revision
        .names()
        .ok_or("`content/site.yaml` cannot be read; correct it first")?;
    let problems = &revision.read().1;
    if let Some(why) = refusals::of(before, name) {
        return Err(why);
    }
    let new = new.trim();
    let mut edit = edit(before, all, name, new)?;
    // A redirect from an address that is a page now is removed below.
    let mut after = edit.tried(revision, |problem: &Problem| {
        problem.code == Code::RedirectConflict || is_in(problems, problem)
    })?;
    let has_gone = redirect(&mut edit, before, after.site())?;
    after = edit.tried(revision, |problem| is_in(problems, problem))?;
    if has_gone {
        add_addresses(&mut edit, before, after.site());
    }
    accept_again(&mut edit, revision, before);
    Ok(edit)
}

/// Whether a problem is in a list, wherever it is.
fn is_in(problems: &[Problem], one: &Problem) -> bool {
    problems
        .iter()
        .any(|other| other.code == one.code && other.message == one.message)
}

fn check_key(key: &str) -> Result<(), String> {
    if Slug::is(key) {
        return Ok(());
    }
    Err(format!(
        "`{key}` is not a valid key: use lowercase letters, digits and hyphens"
    ))
}

/// Whether there is a page of this key.
fn has_page(planned: &Planned, key: &str) -> bool {
    planned.site.pages.iter().any(|page| page.key == key)
}

/// Whether there is a page at a URL.
fn is_page(planned: &Planned, path: &str) -> bool {
    matches!(planned.routes.get(path), Some(Route::Page { .. }))
}

/// The places of the name, and the files that are named like it.
#[expect(
    clippy::disallowed_methods,
    reason = "asks the disk itself, not the files of a moment"
)]
fn edit(planned: &Planned, all: &Names, name: &Name, new: &str) -> Result<Edit, String> {
    let mut edit = Edit::default();
    let root = &planned.config.paths.root;
    let link = new.strip_prefix("page:").unwrap_or(new);
    let written = match name {
        Name::Page(_) => link,
        Name::Post(_) => link.strip_prefix("blog/").unwrap_or(link),
        Name::Entry { collection, .. } => link
            .strip_prefix(collection)
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(link),
        _ => new,
    };
    match name {
        Name::Page(old) => {
            check_key(written)?;
            let folder = root.join(Kind::Page.folder());
            if folder.join(written).exists() || has_page(planned, written) {
                return Err(format!("there is already a page `{written}`"));
            }
            edit.moves.push((folder.join(old), folder.join(written)));
            edit.keys.push((old.clone(), written.to_owned()));
        }
        Name::Post(old) => {
            check_key(written)?;
            if OF_THE_BLOG.contains(&written) || has_page(planned, &format!("blog/{written}")) {
                return Err(format!("there is already a page `blog/{written}`"));
            }
            edit.add_keys_of_posts(planned, all, old, written);
            edit.keys
                .push((format!("blog/{old}"), format!("blog/{written}")));
        }
        Name::Entry {
            collection,
            key: old,
        } => {
            check_key(written)?;
            edit.entry(planned, all, collection, old, written)?;
        }
        Name::Tag(old) => {
            let slug = Slug::of(new)
                .map(Slug::into_string)
                .ok_or("a tag needs a letter or a digit")?;
            let tags = planned
                .content
                .blog
                .posts
                .iter()
                .flat_map(|post| &post.tags);
            if slug != *old && tags.map(|tag| tag_slug(tag)).any(|other| other == slug) {
                return Err(format!("there is already a tag `{new}`"));
            }
            for locale in &planned.site.locales {
                let tags = format!("blog/tag/{}", locale.code);
                edit.keys
                    .push((format!("{tags}/{old}"), format!("{tags}/{slug}")));
            }
        }
        Name::Token { group, .. } => refusals::check_token(planned, group, new)?,
        Name::Word(_) => refusals::check_word(planned, new)?,
        Name::Address { path, .. } => {
            if !new.starts_with('/') {
                return Err(format!(
                    "`{new}` is not a URL: write a path such as `{path}`"
                ));
            }
        }
    }
    for one in all.iter().filter(|one| one.name == *name) {
        let text = match one.writing {
            Writing::Exact => written.to_owned(),
            Writing::Scalar => redirects::scalar(written),
            Writing::Slug => tag_slug(written),
        };
        edit.texts
            .entry(one.path.to_path_buf())
            .or_default()
            .push((one.span.clone(), text));
    }
    Ok(edit)
}

impl Edit {
    /// Moves the files of an entry. The key of a row of a table is written there.
    #[expect(
        clippy::disallowed_methods,
        reason = "asks the disk itself, not the files of a moment"
    )]
    fn entry(
        &mut self,
        planned: &Planned,
        all: &Names,
        collection: &str,
        old: &str,
        new: &str,
    ) -> Result<(), String> {
        let files = entry_names::files(planned, collection, old, new);
        let is_taken = old != new && entry_names::exists(planned, collection, new);
        if is_taken || files.iter().any(|(_, new)| new.exists()) {
            return Err(format!(
                "there is already an entry `{new}` in `{collection}`"
            ));
        }
        let name = Name::Entry {
            collection: collection.to_owned(),
            key: old.to_owned(),
        };
        let is_written = all.iter().any(|one| one.name == name && one.declares);
        if entry_names::is_row(planned, collection, old) && !is_written {
            return Err(format!(
                "the key `{old}` comes from the name in its row; add a `key` column first"
            ));
        }
        self.moves.extend(files);
        self.keys
            .push((format!("{collection}/{old}"), format!("{collection}/{new}")));
        if collection == AUTHORS {
            self.keys.push((author_page(old), author_page(new)));
        }
        // The pages of what names the entry have its key, too.
        for schema in entry_names::schemas_of(planned).into_values() {
            for filter in &schema.filters {
                let field = schema.fields.field(&filter.field);
                if field.is_some_and(
                    |field| matches!(&field.takes, Takes::Reference(to) if *to == collection),
                ) {
                    let pages = format!("{}/{}", schema.name, filter.field);
                    self.keys
                        .push((format!("{pages}/{old}"), format!("{pages}/{new}")));
                }
            }
        }
        Ok(())
    }

    /// Adds a key to the posts that have it as the name of their file only.
    fn add_keys_of_posts(&mut self, planned: &Planned, all: &Names, old: &str, new: &str) {
        for post in planned
            .content
            .blog
            .posts
            .iter()
            .filter(|post| post.key == old)
        {
            let file = planned.config.paths.root.join(post.origin.path());
            if all
                .iter()
                .any(|one| *one.path == *file && one.declares && matches!(one.name, Name::Post(_)))
            {
                continue;
            }
            if let Ok(source) = planned.config.paths.root.read_text(&file) {
                let end = languages::typography::parts_of_post(&source.text).0.end;
                self.texts
                    .entry(file)
                    .or_default()
                    .push((end..end, format!("key: {new}\n")));
            }
        }
    }

    /// The site after the edit. The error is the first mistake that is not known.
    fn tried(
        &self,
        revision: &Revision,
        is_known: impl Fn(&Problem) -> bool,
    ) -> Result<Workspace, String> {
        let files = self.files_after(&revision.files);
        let (after, problems) = revision::read(&revision.options, &files);
        let new = problems
            .iter()
            .find(|problem| problem.severity == Severity::Error && !is_known(problem));
        if let Some(problem) = new {
            let place = problem.place.as_ref().map(|place| {
                let line = place
                    .range
                    .map(|range| format!(":{}", range.start.line))
                    .unwrap_or_default();
                format!(" ({}{line})", place.path)
            });
            return Err(format!("{}{}", problem.message, place.unwrap_or_default()));
        }
        after.ok_or_else(|| "`content/site.yaml` could not be read afterwards".to_owned())
    }

    /// The files of the site after the edit.
    fn files_after(&self, files: &FileSet) -> FileSet {
        let mut found: BTreeMap<PathBuf, Overlay> = BTreeMap::new();
        for (path, edits) in &self.texts {
            if let Ok(source) = files.read_text(path) {
                found.insert(
                    path.clone(),
                    Overlay::Text(edited(&source.text, edits).into()),
                );
            }
        }
        for (old, new) in &self.moves {
            for file in files.list(old).0 {
                let to = file
                    .strip_prefix(old)
                    .map_or_else(|_| new.clone(), |below| join(new, below));
                let overlay = match found
                    .remove(&file)
                    .or_else(|| files.overlay(&file).cloned())
                {
                    Some(Overlay::Text(text)) => Overlay::New(text),
                    Some(other) => other,
                    None => Overlay::File(file.clone()),
                };
                found.insert(to, overlay);
                found.insert(file, Overlay::Nothing);
            }
        }
        files.with(
            found
                .into_iter()
                .map(|(path, overlay)| (path, Some(overlay))),
        )
    }

    /// The new key of a page.
    fn mapped(&self, key: &str) -> String {
        self.keys
            .iter()
            .find_map(|(old, new)| {
                let rest = key.strip_prefix(old.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| [new, rest].concat())
            })
            .unwrap_or_else(|| key.to_owned())
    }
}

/// The key of the page of an author.
fn author_page(key: &str) -> String {
    format!("{}{key}", names::PAGES_OF_AUTHORS)
}

/// `Path::join` adds a slash behind a file if there is nothing to join.
fn join(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() {
        folder.to_owned()
    } else {
        folder.join(below)
    }
}

/// A text after edits.
pub(super) fn edited(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut edits: Vec<&(Range<usize>, String)> = edits.iter().collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut edited = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        edited.replace_range(range.clone(), new);
    }
    edited
}

/// Redirects the public addresses that are gone. Whether there are any.
fn redirect(edit: &mut Edit, before: &Planned, after: &Planned) -> Result<bool, String> {
    let old = contract::addresses(&before.site, &before.routes);
    let new = contract::addresses(&after.site, &after.routes);
    let listed: Option<BTreeSet<&str>> = before
        .content
        .urls_lock
        .as_ref()
        .map(|lock| lock.text.lines().collect());
    let mut gone: BTreeMap<String, String> = BTreeMap::new();
    for path in old
        .difference(&new)
        .copied()
        .filter(|path| listed.as_ref().is_none_or(|listed| listed.contains(path)))
    {
        let Some(Route::Page { page, .. }) = before.routes.get(path) else {
            continue;
        };
        let page = &before.site.pages[*page];
        let key = edit.mapped(&page.key);
        let locale = before.site.locale_index(&page.locale);
        if after.routes.page(&key, locale).is_none() {
            return Err(format!(
                "`{path}` would be gone, and there is no page to redirect it to"
            ));
        }
        gone.insert(path.to_owned(), format!("page:{key}"));
    }
    let fresh = new
        .iter()
        .copied()
        .filter(|path| is_page(after, path) && !is_page(before, path));
    let fresh: BTreeSet<&str> = fresh.collect();
    let settings = &before.config.site.source;
    let mut all = vec![(settings, redirects::edits(settings, &gone, &fresh))];
    for redirect in &before.config.site.redirects {
        if all
            .iter()
            .all(|(known, _)| known.path != redirect.source.path)
        {
            all.push((
                &redirect.source,
                redirects::edits_of_list(&redirect.source, &gone, &fresh),
            ));
        }
    }
    for (source, edits) in all {
        let edits = edits.ok_or_else(|| {
            format!(
                "the redirects in `{}` cannot be changed automatically",
                source.path
            )
        })?;
        if !edits.is_empty() {
            edit.texts
                .entry(before.config.paths.root.join(&source.path))
                .or_default()
                .extend(edits);
        }
    }
    Ok(!gone.is_empty())
}

/// Adds the new addresses to `content/urls.lock`, if the site has one. The old ones stay: they are redirected.
fn add_addresses(edit: &mut Edit, before: &Planned, after: &Planned) {
    let Some(lock) = &before.content.urls_lock else {
        return;
    };
    let old = contract::addresses(&before.site, &before.routes);
    let new = contract::addresses(&after.site, &after.routes);
    let listed: BTreeSet<&str> = lock.text.lines().collect();
    let mut edits: BTreeMap<usize, String> = BTreeMap::new();
    for path in new.difference(&old).filter(|path| !listed.contains(*path)) {
        let mut at = 0;
        for line in lock.text.split_inclusive('\n') {
            if line.starts_with('/') && line.trim_end() > *path {
                break;
            }
            at += line.len();
        }
        let is_open = at == lock.text.len() && !lock.text.ends_with('\n');
        let line = edits.entry(at).or_insert_with(|| {
            if is_open {
                "\n".to_owned()
            } else {
                String::new()
            }
        });
        line.extend([path, "\n"]);
    }
    if !edits.is_empty() {
        let edits = edits.into_iter().map(|(at, lines)| (at..at, lines));
        edit.texts
            .entry(before.config.paths.root.join(contract::FILE))
            .or_default()
            .extend(edits);
    }
}

/// Gives translations that agreed before the rename their entries in `content/translations.lock` again: a link in a text
/// has changed in each language.
fn accept_again(edit: &mut Edit, revision: &Revision, before: &Planned) {
    let root = &before.config.paths.root;
    let file = root.join(lock::FILE);
    let Ok(source) = root.read_text(&file) else {
        return;
    };
    // Posts that are not published have translations, too.
    let options = Options {
        drafts: true,
        ..revision.options.clone()
    };
    let Some(old) = compared(&options, &revision.files) else {
        return;
    };
    let agreed: BTreeSet<(String, String)> = old
        .into_iter()
        .filter(|one| one.state == State::Agrees)
        .map(|one| (renamed(edit, &one.key), one.locale))
        .collect();
    let mut text = String::new();
    for line in source.text.split_inclusive('\n') {
        let key = line
            .split_once(' ')
            .filter(|_| !line.starts_with([' ', '#', '<', '=', '>']));
        match key {
            Some((key, rest)) => text.extend([renamed(edit, key).as_str(), " ", rest]),
            None => text.push_str(line),
        }
    }
    let lock = (file.clone(), Some(Overlay::Text(text.as_str().into())));
    let Some(new) = compared(&options, &edit.files_after(&revision.files).with([lock])) else {
        return;
    };
    let text = translations::accept(
        &new,
        |one: &translations::Translation| {
            one.state != State::Agrees && agreed.contains(&(one.key.clone(), one.locale.clone()))
        },
        &std::collections::BTreeMap::new(),
    );
    if text != source.text {
        edit.texts.insert(file, vec![(0..source.text.len(), text)]);
    }
}

/// The translations of a site with these files; `None` if they cannot be compared.
fn compared(options: &Options, files: &FileSet) -> Option<Vec<translations::Translation>> {
    let workspace = revision::read(options, files).0?;
    let planned = workspace.site();
    let (compared, problems) = translations::compare(
        &planned.config,
        &planned.content,
        &planned.content.blog.posts,
    );
    (!problems.has_errors()).then_some(compared)
}

/// The key of an item of `content/translations.lock` after the rename: those of pages have `pages/` in front.
fn renamed(edit: &Edit, key: &str) -> String {
    match key.strip_prefix("pages/") {
        Some(page) => format!("pages/{}", edit.mapped(page)),
        None => edit.mapped(key),
    }
}

/// The places where a name is written.
pub(super) fn places<'a>(all: &'a Names, name: &'a Name) -> impl Iterator<Item = &'a Occurrence> {
    // Who asks for an address wants the links to its page.
    let wanted = match name {
        Name::Address { key, .. } => Name::Page(key.clone()),
        other => other.clone(),
    };
    all.iter().filter(move |one| one.name == wanted)
}

/// The text that an editor shows as the name to change.
pub(super) fn shown(one: &Occurrence, text: &str) -> String {
    match (&one.name, one.writing) {
        (_, Writing::Scalar) => text.trim_matches(['"', '\'']).to_owned(),
        (Name::Tag(slug), _) => slug.clone(),
        _ => text.to_owned(),
    }
}
