//! Decides whether the render stage must render a page again.
//!
//! The [`Fingerprint`] of a page holds hashes of the context that its template would receive, of the templates that it
//! can reach, and of the inputs of template functions: interface texts, icons, island scripts, the list of files in
//! `static/`, sitegen itself. So dependencies are not listed manually: what is not in the fingerprint cannot be in the
//! page. The price is that every build makes the contexts of all pages; it skips templates, link checks and writing,
//! which cost more.
//!
//! Posts and entries have tens of thousands of pages, for which that would cost too much. Their fingerprints are hashes
//! of what the page itself says (`crates/render/src/own.rs`) and of the inputs that were asked for when it was rendered
//! last ([`PageInput`]).
//!
//! Each dependency has its own hash, so that `sitegen why` can name the ones that changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock, PoisonError};

use foldhash::HashMap;
use serde::Serialize;

use workspace::parallel;

use super::values::first;
use super::{BuildManifest, ChangedDependency, ChangedItems, ItemHashes};
use super::{PageEntry, PageInput, Published, RebuildReason, RecordedInputs, SharedValues};
use content::Blog;
use site::model::Collections;
use workspace::sources::{Hash, hash_value, short};

/// The dependencies that a page can have, with their descriptions for `sitegen why`. The first ones, up to
/// `StaticFiles`, belong to the site or to a language.
pub const DEPENDENCIES: [(Dependency, &str); 19] = [
    (Dependency::Sitegen, "sitegen itself"),
    (Dependency::Settings, "the settings in `site.yaml`"),
    (Dependency::Templates, "a template that it uses"),
    (Dependency::Words, "the interface messages of its language"),
    (Dependency::Icons, "the icon set"),
    (Dependency::Islands, "the scripts of islands"),
    (Dependency::StaticFiles, "the list of files in `static/`"),
    (
        Dependency::Frame,
        "the frame around it: header, footer, company",
    ),
    (
        Dependency::Page,
        "its own title, description, URL or layout",
    ),
    (
        Dependency::Head,
        "its metadata for search engines and social networks",
    ),
    (Dependency::Languages, "its translations"),
    (Dependency::Sidebar, "the sidebar of the style guide"),
    (Dependency::Sections, "its sections, or what they list"),
    (
        Dependency::Closing,
        "the sections that it shares with other pages",
    ),
    (
        Dependency::Entry,
        "its entry, or the list of its collection",
    ),
    (Dependency::Post, "its post, or the posts it links to"),
    (Dependency::Author, "its author, or the posts of the author"),
    (
        Dependency::Entries,
        "the entries of collections that it shows",
    ),
    (Dependency::Assets, "its style sheets, scripts or fonts"),
];

/// One of [`DEPENDENCIES`], in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table describes each one")]
pub enum Dependency {
    Sitegen,
    Settings,
    Templates,
    Words,
    Icons,
    Islands,
    StaticFiles,
    Frame,
    Page,
    Head,
    Languages,
    Sidebar,
    Sections,
    Closing,
    Entry,
    Post,
    Author,
    Entries,
    Assets,
}

/// The dependencies of one page, hashed one by one.
#[derive(Debug, Clone, Default)]
pub struct Fingerprint {
    hashes: [Hash; DEPENDENCIES.len()],
    /// The names and hashes of its sections, if they are known one by one.
    sections: Vec<(String, Hash)>,
}

impl Fingerprint {
    /// Sets the hash of a dependency.
    pub fn set(&mut self, dependency: Dependency, hash: Hash) {
        self.hashes[dependency as usize] = hash;
    }

    /// Sets the hash of a dependency to that of everything that a template can read of `value`.
    pub fn add(&mut self, dependency: Dependency, value: &impl Serialize) {
        self.set(dependency, hash_value(value));
    }

    /// Sets the hash of [`Dependency::Sections`] to that of these sections, given with their names, and of `others`.
    pub fn add_sections(&mut self, sections: Vec<(String, Hash)>, others: &impl Serialize) {
        let hashes: Vec<Hash> = sections.iter().map(|(_, hash)| *hash).collect();
        self.add(Dependency::Sections, &(hashes, hash_value(others)));
        self.sections = sections;
    }

    /// The hash of all dependencies together.
    pub fn all(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        for hash in &self.hashes {
            hasher.update(hash);
        }
        short(&hasher.finalize())
    }

    fn dependencies(&self) -> [u32; DEPENDENCIES.len()] {
        self.hashes.map(|hash| first(&hash))
    }
}

/// The pages of the last build, looked up one by one, and the entries for the next one.
#[derive(Debug)]
pub struct RenderCache<'a> {
    previous: &'a BuildManifest,
    /// Whether anything but the texts of the pages that are looked up may have changed.
    is_compared: bool,
    /// The published files that are unchanged; `None` in a check, which does not compare the output folder.
    unchanged: Option<&'a HashMap<&'a str, Published>>,
    entries: Mutex<HashMap<String, PageEntry>>,
    values: Mutex<SharedValues>,
    /// The hashes of the items, once they were compared.
    items: OnceLock<ItemHashes>,
}

/// A page to look up.
#[derive(Debug, Clone, Copy)]
pub struct PageId<'a> {
    /// Its output file.
    pub file: &'a str,
    /// Its address.
    pub address: &'a str,
    /// The code of its language.
    pub locale: &'a str,
    /// The hash of what it says itself (`Page::visible`).
    pub own: Hash,
}

impl<'a> RenderCache<'a> {
    /// A build passes the published files that are unchanged, a check passes `None`. Pages are compared unless all that are
    /// looked up are known to have changed.
    pub fn new(
        previous: &'a BuildManifest,
        unchanged: Option<&'a HashMap<&'a str, Published>>,
        is_compared: bool,
    ) -> RenderCache<'a> {
        RenderCache {
            previous,
            is_compared,
            unchanged,
            entries: Mutex::default(),
            values: Mutex::default(),
            items: OnceLock::new(),
        }
    }

    /// The last build, whose pages are looked up.
    pub fn last_build(&self) -> &BuildManifest {
        self.previous
    }

    /// Compares the items with those of the last build, unless all that is looked up is known to have changed. `None` if more
    /// than what single items say may have changed.
    pub fn compare_items(
        &self,
        hashes: impl FnOnce() -> ItemHashes,
        blog: &Blog,
        collections: &Collections,
    ) -> Option<ChangedItems> {
        if !self.is_compared {
            return None;
        }
        let items = self.items.get_or_init(hashes);
        items.changes_since(&self.previous.items, blog, collections)
    }

    /// The hashes of the items, for the next build; `None` if they were not compared.
    pub fn items(&self) -> Option<ItemHashes> {
        self.items.get().cloned()
    }

    fn is_unchanged(&self, file: &str) -> bool {
        self.unchanged
            .is_none_or(|unchanged| unchanged.contains_key(file))
    }

    /// Whether the last build has rendered a page that says the same itself, without a problem.
    pub fn has_same(&self, file: &str, own: Hash) -> bool {
        self.known(file).is_some_and(|known| known.own == own)
    }

    /// Whether a page of the last build has asked for something that has changed.
    pub fn is_touched(&self, file: &str, changed: &ChangedItems) -> bool {
        self.known(file)
            .is_none_or(|known| changed.touch(&known.asked))
    }

    /// The hash of the published page if neither the page nor one of its `copies` has to be rendered again. `names` gives
    /// the names of its own values of a dependency that changed, as far as they are known.
    pub fn lookup<'f>(
        &self,
        page: PageId,
        mut copies: impl Iterator<Item = &'f str>,
        fingerprint: &Fingerprint,
        names: &dyn Fn(Dependency) -> Vec<String>,
    ) -> Option<Hash> {
        let (all, dependencies) = (fingerprint.all(), fingerprint.dependencies());
        let published = self.previous.files.get(page.file);
        let known = self.known(page.file);
        let reason = match known {
            None if !self.is_compared => {
                let (position, values) = (Dependency::Post as u8, names(Dependency::Post));
                RebuildReason::Changed(vec![ChangedDependency { position, values }])
            }
            None => RebuildReason::New,
            Some(known) if known.fingerprint != all => {
                let both = DEPENDENCIES
                    .iter()
                    .zip(known.dependencies.iter().zip(&dependencies));
                let changed =
                    both.filter(|(_, (old, new))| old != new)
                        .map(|((dependency, _), _)| {
                            let mut values = names(*dependency);
                            if *dependency == Dependency::Sections {
                                values.extend(changed_sections(known, fingerprint));
                            }
                            ChangedDependency {
                                position: *dependency as u8,
                                values,
                            }
                        });
                RebuildReason::Changed(changed.collect())
            }
            Some(_)
                if published.is_some()
                    && self.is_unchanged(page.file)
                    && copies.all(|file| self.is_unchanged(file)) =>
            {
                RebuildReason::Unchanged
            }
            Some(_) => RebuildReason::Missing,
        };
        let hash = published
            .filter(|_| reason == RebuildReason::Unchanged)
            .map(|published| published.hash);
        let entry = PageEntry {
            fingerprint: all,
            dependencies,
            sections: fingerprint
                .sections
                .iter()
                .map(|(_, hash)| first(hash))
                .collect(),
            asked: known.map(|known| known.asked.clone()).unwrap_or_default(),
            own: page.own,
            address: page.address.to_owned(),
            locale: page.locale.to_owned(),
            reason,
        };
        self.entries().insert(page.file.to_owned(), entry);
        hash
    }

    /// The entry of a page from the last build; `None` if it is known to have changed.
    fn known(&self, file: &str) -> Option<&PageEntry> {
        self.is_compared
            .then(|| self.previous.pages().entries.get(file))
            .flatten()
    }

    /// The hash of a published file of the last build.
    pub fn published(&self, file: &str) -> Option<Hash> {
        self.previous
            .files
            .get(file)
            .map(|published| published.hash)
    }

    /// The inputs that were asked for when a page was rendered last.
    pub fn asked(&self, file: &str) -> Vec<PageInput> {
        self.known(file)
            .map(|known| known.asked.read())
            .unwrap_or_default()
    }

    /// Records that a page asked for something else than before. `fingerprint` includes it.
    pub fn record(&self, file: &str, fingerprint: &Fingerprint, asked: &BTreeSet<PageInput>) {
        if let Some(entry) = self.entries().get_mut(file) {
            entry.fingerprint = fingerprint.all();
            entry.dependencies = fingerprint.dependencies();
            entry.asked = RecordedInputs::of(asked);
        }
    }

    /// Compares the values that a dependency of all pages of a language consists of, given with their names.
    pub fn compare(
        &self,
        locale: &str,
        dependency: Dependency,
        values: impl Iterator<Item = (String, Hash)>,
    ) {
        self.values()
            .add(&self.previous.values, locale, dependency, values);
    }

    /// The shared values, for the next build.
    pub fn take_values(&self) -> SharedValues {
        std::mem::take(&mut *self.values())
    }

    fn values(&self) -> std::sync::MutexGuard<'_, SharedValues> {
        // Poisoned only if another thread panicked while inserting; the map is intact.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the entry of a page with a mistake, so that the next build renders it again and reports the mistake again.
    pub fn forget(&self, file: &str) {
        self.entries().remove(file);
    }

    /// The entries for the next build, by file.
    pub fn take(&self) -> BTreeMap<String, Option<PageEntry>> {
        let mut entries: Vec<(String, PageEntry)> =
            std::mem::take(&mut *self.entries()).into_iter().collect();
        parallel::sort_by(&mut entries, |(a, _), (b, _)| a.cmp(b));
        entries
            .into_iter()
            .map(|(file, entry)| (file, Some(entry)))
            .collect()
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<String, PageEntry>> {
        // Poisoned only if another thread panicked while inserting; the map is intact.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of the sections that changed; empty if sections were added, moved or removed.
fn changed_sections(known: &PageEntry, now: &Fingerprint) -> Vec<String> {
    if known.sections.len() != now.sections.len() {
        return Vec::new();
    }
    let both = known.sections.iter().zip(&now.sections);
    both.filter(|(old, (_, new))| **old != first(new))
        .map(|(_, (name, _))| name.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Links;

    #[test]
    fn dependencies_are_in_their_order() {
        assert!(
            DEPENDENCIES
                .iter()
                .enumerate()
                .all(|(at, (dependency, _))| *dependency as usize == at)
        );
    }

    fn manifest(fingerprint: &Fingerprint) -> BuildManifest {
        let entry = PageEntry {
            fingerprint: fingerprint.all(),
            dependencies: fingerprint.dependencies(),
            sections: Vec::new(),
            asked: RecordedInputs::default(),
            own: Hash::default(),
            address: "/a/".into(),
            locale: "en".into(),
            reason: RebuildReason::New,
        };
        let published = Published {
            hash: [7; 16],
            length: 1,
            modified: 1,
            is_compressed: false,
            links: 0,
        };
        let rendered = BTreeMap::from([("a/index.html".into(), Some(entry))]);
        BuildManifest {
            files: BTreeMap::from([
                ("a/index.html".into(), published),
                ("b/index.html".into(), published),
            ]),
            ..BuildManifest::with_pages(rendered, Some(Links::default()), None)
        }
    }

    fn fingerprint(sections: &str) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        fingerprint.add(Dependency::Sections, &sections);
        fingerprint
    }

    fn lookup(
        known: &Fingerprint,
        now: &Fingerprint,
        unchanged: &[&str],
    ) -> (Option<Hash>, RebuildReason) {
        let manifest = manifest(known);
        let unchanged = unchanged
            .iter()
            .map(|file| (*file, manifest.files[*file]))
            .collect();
        let cache = RenderCache::new(&manifest, Some(&unchanged), true);
        let page = PageId {
            file: "a/index.html",
            address: "/a/",
            locale: "en",
            own: Hash::default(),
        };
        let hash = cache.lookup(page, ["b/index.html"].into_iter(), now, &|_| {
            vec!["the title".into()]
        });
        (
            hash,
            cache
                .take()
                .remove("a/index.html")
                .flatten()
                .expect("an entry")
                .reason,
        )
    }

    #[test]
    fn a_page_is_unchanged_when_its_fingerprint_and_every_copy_are() {
        let both = ["a/index.html", "b/index.html"];
        let (x, y) = (fingerprint("x"), fingerprint("y"));
        assert_eq!(
            lookup(&x, &x, &both),
            (Some([7; 16]), RebuildReason::Unchanged)
        );
        assert_eq!(lookup(&x, &x, &both[..1]), (None, RebuildReason::Missing));
        let values = vec!["the title".into()];
        let changed = RebuildReason::Changed(vec![ChangedDependency {
            position: Dependency::Sections as u8,
            values,
        }]);
        assert_eq!(lookup(&x, &y, &both), (None, changed));
    }
}
