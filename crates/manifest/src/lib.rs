//! The build cache: a manifest of the last build, with the files that it wrote, the fingerprint of each page, and the
//! links of the pages. The next build neither renders nor writes what has not changed.
//!
//! It is stored in the cache folder, one manifest per output folder, with the pages in a file beside it. It holds no
//! HTML: unchanged pages are in the output folder, and rendering a missing page costs about as much as reading it from
//! a cache. So a manifest can save work, and never changes a result. A damaged manifest, or one of another version of
//! sitegen, is ignored.
//!
//! A file with a new mtime is read and hashed, so manifests and output folders can be copied between machines. A page
//! with a problem gets no entry, so every build renders it again until the problem is fixed.

mod impact;
mod items;
mod page_input;
mod pages;
mod reasons;
mod render_cache;
mod stream;
mod up_to_date;
mod values;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use serde::{Deserialize, Deserializer, Serialize};

use config::Config;
use workspace::cache;
use workspace::sources::Hash;

use pages::StoredPages;

pub use impact::Impact;
pub use items::{ChangedItems, ItemHashes, PostHashes};
pub use page_input::{PageInput, RecordedInputs, RelatedOptions, post_id};
pub use pages::{Links, Pages};
pub use render_cache::{DEPENDENCIES, Dependency, Fingerprint, PageId, RenderCache};
pub use up_to_date::{BuildOutcome, Counts, UpToDate};
pub use values::SharedValues;

/// Identifies how this crate writes manifests: its version, and the hash of its sources.
const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));

/// A serialized map as a list: its keys are sorted, and a map of all of them is built in a third of the time that
/// inserting them one by one takes.
type List<V> = Vec<(String, V)>;

/// The first bytes of every manifest.
const HEAD: &[u8] = b"sitegen manifest\n";
/// Extension of the file of the pages.
const PAGES: &str = "pages";
/// Extension of the marker file: a later build found nothing to do.
const UP_TO_DATE: &str = "up-to-date";
/// Extension of the marker file: photographs or the index of the search are missing in the output folder.
const UNFINISHED: &str = "unfinished";
/// The length, in bytes, from which a manifest is large. It has some 150 bytes for each file.
const LARGE: u64 = 1_000_000;
/// The share of the pages, as a divisor, up to which rendered pages are saved without the others.
const FEW: usize = 8;
/// The maximum number of output folders with a manifest.
const MAX_MANIFESTS: usize = 8;

/// The data that a build saves for the next one.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildManifest {
    /// Every file that sitegen wrote, by its path below the output folder.
    #[serde(deserialize_with = "map_of_sorted")]
    pub files: BTreeMap<String, Published>,
    /// The mtime, in nanoseconds since 1970, of each folder of the output, in the order of the files. While it is the
    /// same, the folder holds no untracked files. 0 for a folder that held some.
    pub folders: Vec<u64>,
    /// Start time of the scan of the folders, in nanoseconds since 1970 by the clock of their file system. A folder
    /// with an older mtime held no untracked files, and its mtime changes if one is added.
    pub scanned_at: u64,
    /// The values that all pages of a language share.
    pub values: SharedValues,
    /// The items that were published.
    pub items: ItemHashes,
    /// The hash of the indexed posts, and the name of the search bundle.
    pub search: Option<(Hash, String)>,
    /// The inputs of the build. While they are unchanged, the next build has nothing to do.
    pub up_to_date: Option<UpToDate>,
    /// If an earlier build wrote the file of the pages: the pages that were rendered since, by their output files, with
    /// `None` for one with a mistake.
    rerendered: Option<BTreeMap<String, Option<PageEntry>>>,
    stored_pages: StoredPages,
    /// The file of the manifest.
    #[serde(skip)]
    file: PathBuf,
    /// Read at its first use; `None` if the file is damaged.
    #[serde(skip)]
    pages: OnceLock<Option<Pages>>,
}

/// Whether the manifest of the last build could be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadStatus {
    /// There is none.
    None,
    /// It is intact, and this version of sitegen wrote it.
    Loaded,
    /// Another version of sitegen wrote it.
    OtherVersion,
    /// Its checksum is wrong.
    Damaged,
}

/// A published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The hash of its bytes.
    pub hash: Hash,
    /// Its length in bytes.
    pub length: u64,
    /// Its mtime, in nanoseconds since 1970.
    pub modified: u64,
    /// Whether it is a compressed copy that sitegen made of another file.
    pub is_compressed: bool,
    /// The hash of all its ids and addresses; 0 for a file whose addresses are not read.
    pub links: u64,
}

/// The cache entry of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEntry {
    /// The hash of all its dependencies together.
    pub fingerprint: Hash,
    /// The first 4 bytes of the hash of each dependency, in the order of [`DEPENDENCIES`].
    pub dependencies: [u32; DEPENDENCIES.len()],
    /// The same for each of its sections; empty for pages of the blog.
    pub sections: Vec<u32>,
    /// The inputs that were asked for.
    pub asked: RecordedInputs,
    /// The hash of what the page says itself.
    pub own: Hash,
    /// Its address.
    pub address: String,
    /// The code of its language.
    pub locale: String,
    /// Why the last build rendered it, or why it did not.
    pub reason: RebuildReason,
}

impl PageEntry {
    /// Whether both differ at most in why the page was rendered.
    fn is_same(&self, other: &PageEntry) -> bool {
        // Destructured without `..`, so that a new field cannot be forgotten.
        let PageEntry {
            fingerprint,
            dependencies,
            sections,
            asked,
            own,
            address,
            locale,
            reason: _,
        } = self;
        (fingerprint, dependencies, sections)
            == (&other.fingerprint, &other.dependencies, &other.sections)
            && (asked, own) == (&other.asked, &other.own)
            && (address, locale) == (&other.address, &other.locale)
    }

    fn set_unchanged(&mut self) {
        self.reason = RebuildReason::Unchanged;
    }
}

/// Why a build rendered a page, or why it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RebuildReason {
    /// It was not rendered, because none of its dependencies changed.
    Unchanged,
    /// The manifest had no entry for it.
    New,
    /// These dependencies changed.
    Changed(Vec<ChangedDependency>),
    /// Its output file, or that of a copy, was missing or had been edited.
    Missing,
}

/// A dependency of a page that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedDependency {
    /// Its position in [`DEPENDENCIES`].
    pub position: u8,
    /// The names of the page's own values that changed, as far as they are known. Those that other pages share are in
    /// [`BuildManifest::values`].
    pub values: Vec<String>,
}

/// The links and ids of one finished file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLinks {
    /// A hash of all ids and addresses.
    pub sum: u64,
    /// Hashes of its ids, in order.
    pub ids: Vec<u64>,
    /// The addresses in it.
    pub references: Vec<Reference>,
}

/// An address that a file refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its index in [`Links::names`].
    pub name: u32,
    /// 0 if it is no link for visitors, 1 if it is one without `hreflang`, else the index of its `hreflang` plus 2: a
    /// large site has millions of references, so they are small.
    usage: u32,
}

impl Reference {
    /// `hreflang` is an index in [`Links::names`]. Only links have one.
    pub fn new(name: u32, is_link: bool, hreflang: Option<u32>) -> Reference {
        let usage = hreflang.map_or(1, |hreflang| hreflang.saturating_add(2));
        Reference {
            name,
            usage: if is_link { usage } else { 0 },
        }
    }

    /// Whether it is a link for visitors; browsers, search engines and social networks fetch the other addresses.
    pub fn is_link(&self) -> bool {
        self.usage > 0
    }

    /// The `hreflang` of the link, as an index in [`Links::names`].
    pub fn hreflang(&self) -> Option<u32> {
        self.usage.checked_sub(2)
    }
}

impl BuildManifest {
    /// Loads the manifest of the last build into the output folder, if the same `generator` made it: what identifies a
    /// version of the code that renders pages. The error says why it cannot be used.
    pub fn load(config: &Config, generator: &str) -> Result<BuildManifest, LoadStatus> {
        read(path(config), Some(generator))
    }

    /// Whether there is a manifest of a large site, with several thousand files.
    pub fn is_large(config: &Config) -> bool {
        path(config)
            .metadata()
            .is_ok_and(|meta| meta.len() >= LARGE)
    }

    /// The manifest of the build that wrote an output folder, from a cache folder; `None` if it cannot be read.
    pub fn of_folder(cache: &Path, out: &Path) -> Option<BuildManifest> {
        read(path_of(cache, out), None).ok()
    }

    /// Whether the pages can be read.
    pub fn has_pages(&self) -> bool {
        self.read_pages().is_some()
    }

    /// The pages; none if they cannot be read.
    pub fn pages(&self) -> &Pages {
        static NONE: LazyLock<Pages> = LazyLock::new(Pages::default);
        self.read_pages().unwrap_or(&NONE)
    }

    fn read_pages(&self) -> Option<&Pages> {
        self.pages
            .get_or_init(|| {
                let mut pages = Pages::read(&self.file.with_extension(PAGES), self.stored_pages)?;
                self.rerendered
                    .iter()
                    .for_each(|rendered| pages.add(rendered.clone()));
                Some(pages)
            })
            .as_ref()
    }

    /// A manifest with the pages of a build after this last one. If they are those of the last build but for a few, only
    /// these are saved. Without `is_everything`, and without `links`, all others are as they were.
    pub fn after(
        last: &BuildManifest,
        mut rendered: BTreeMap<String, Option<PageEntry>>,
        links: Option<Links>,
        is_everything: bool,
    ) -> BuildManifest {
        if !is_everything {
            return BuildManifest::with_pages(rendered, links, Some(last));
        }
        let known = last.pages();
        let has_same_pages = last.has_pages() && known.entries.keys().eq(rendered.keys());
        let already = last.rerendered.as_ref().map_or(0, BTreeMap::len);
        let changed = rendered
            .iter()
            .filter(|(file, entry)| known.has_changed(file, entry.as_ref()))
            .count();
        let are_few = (already + changed) * FEW <= rendered.len();
        if !has_same_pages || !are_few || links.as_ref() != Some(&known.links) {
            return BuildManifest::with_pages(rendered, links, None);
        }
        rendered.retain(|file, entry| known.has_changed(file, entry.as_ref()));
        BuildManifest::with_pages(rendered, None, Some(last))
    }

    /// A manifest with the pages that a build has rendered: the entry of each file, or `None` for a page with a mistake.
    /// With `last`, all other pages are those of the last build; without `links`, so are all links.
    pub fn with_pages(
        rendered: BTreeMap<String, Option<PageEntry>>,
        links: Option<Links>,
        last: Option<&BuildManifest>,
    ) -> BuildManifest {
        let mut manifest = BuildManifest::default();
        match (links, last) {
            (None, Some(last)) => {
                let mut all = last.rerendered.clone().unwrap_or_default();
                all.values_mut()
                    .flatten()
                    .for_each(PageEntry::set_unchanged);
                all.extend(rendered);
                manifest.rerendered = Some(all);
                manifest.stored_pages = last.stored_pages;
            }
            (links, last) => {
                let mut pages = Pages {
                    links: links.unwrap_or_default(),
                    ..Pages::default()
                };
                if let Some(last) = last {
                    pages.entries.clone_from(&last.pages().entries);
                }
                pages.add(rendered);
                manifest.pages = Some(pages).into();
            }
        }
        manifest
    }

    /// Sets the files that were published. Their links are those of this build or, if no link has changed, of the last one.
    pub fn set_files(&mut self, files: BTreeMap<String, Published>, last: &BuildManifest) {
        self.files = files;
        let links = self.pages.get().and_then(Option::as_ref);
        let links = links.map(|pages| &pages.links.files);
        // Files that were not written again have the number of the last build.
        let is_open = |file: &Published| links.is_some() || file.links == 0;
        for (path, file) in self.files.iter_mut().filter(|(_, file)| is_open(file)) {
            file.links = match links {
                Some(links) => links.get(path).map_or(0, |links| links.sum),
                None => last.files.get(path).map_or(0, |file| file.links),
            };
        }
    }

    /// Saves the pages for the next build, unless they are those of the last one. If the build then ends before the
    /// manifest is saved, the next build finds pages that do not belong to the old manifest, and renders all pages.
    pub fn save_pages(&mut self, config: &Config) {
        let _ = self.write_pages(&path(config));
    }

    fn write_pages(&mut self, file: &Path) -> io::Result<()> {
        if let Some(Some(pages)) = self.pages.get() {
            self.stored_pages = pages.write(&file.with_extension(PAGES))?;
        }
        Ok(())
    }

    /// Saves all but the pages for the next build. A failure is ignored, because it only makes that build slower.
    pub fn save(&self, config: &Config, generator: &str) {
        let file = path(config);
        let _ = self.write(&file, MADE_BY, generator);
        prune(&file);
    }

    fn write(&self, file: &Path, made_by: &str, generator: &str) -> io::Result<()> {
        let body = postcard::to_allocvec(&(made_by, generator, self)).map_err(io::Error::other)?;
        let head = [HEAD, blake3::hash(&body).as_bytes()].concat();
        cache::keep_with(file, |file| {
            file.write_all(&head).and_then(|()| file.write_all(&body))
        })
    }

    /// Notes that a later build found nothing to do.
    pub fn note_up_to_date(config: &Config) {
        let _ = cache::keep(&note(config, UP_TO_DATE), &[]);
    }

    /// Notes whether pages in the output folder refer to photographs that are not encoded yet.
    pub fn note_unfinished(config: &Config, is_unfinished: bool) -> io::Result<()> {
        let note = note(config, UNFINISHED);
        if is_unfinished {
            return cache::keep(&note, &[]);
        }
        match fs_err::remove_file(note) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether photographs or the index of the search are missing in the output folder.
    pub fn is_unfinished(config: &Config) -> bool {
        note(config, UNFINISHED).exists()
    }

    /// Whether a later build found nothing to do.
    pub fn was_up_to_date(config: &Config) -> bool {
        note(config, UP_TO_DATE).exists()
    }

    /// Removes it. Called before any file that it lists is changed, so that after a kill the next build does not trust
    /// it.
    pub fn discard(config: &Config) -> io::Result<()> {
        let _ = fs_err::remove_file(note(config, UP_TO_DATE));
        match fs_err::remove_file(path(config)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Reads a manifest that this `generator` has saved; with `None`, one of any generator.
fn read(file: PathBuf, generator: Option<&str>) -> Result<BuildManifest, LoadStatus> {
    let bytes = std::fs::read(&file).map_err(|_| LoadStatus::None)?;
    let body = bytes
        .strip_prefix(HEAD)
        .and_then(|rest| rest.split_at_checked(blake3::OUT_LEN));
    let body = body.filter(|(sum, body)| blake3::hash(body).as_bytes() == sum);
    let read = body.and_then(|(_, body)| postcard::take_from_bytes::<&str>(body).ok());
    let (own, rest) = read.ok_or(LoadStatus::Damaged)?;
    if own != MADE_BY {
        return Err(LoadStatus::OtherVersion);
    }
    let (saved_by, rest) =
        postcard::take_from_bytes::<&str>(rest).map_err(|_| LoadStatus::Damaged)?;
    if generator.is_some_and(|generator| generator != saved_by) {
        return Err(LoadStatus::OtherVersion);
    }
    let manifest: BuildManifest = postcard::from_bytes(rest).map_err(|_| LoadStatus::Damaged)?;
    Ok(BuildManifest { file, ..manifest })
}

fn map_of_sorted<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    from: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    List::deserialize(from).map(|list| list.into_iter().collect())
}

fn path(config: &Config) -> PathBuf {
    path_of(&config.paths.cache, &config.paths.out)
}

fn path_of(cache: &Path, out: &Path) -> PathBuf {
    let name = blake3::hash(out.as_os_str().as_encoded_bytes()).to_hex();
    cache.join("records").join(&name[..16])
}

/// The path of a marker file, beside the manifest.
fn note(config: &Config, extension: &str) -> PathBuf {
    path(config).with_extension(extension)
}

/// Removes the oldest manifests beyond [`MAX_MANIFESTS`].
fn prune(own: &Path) {
    let entries = own
        .parent()
        .and_then(|folder| std::fs::read_dir(folder).ok());
    let mut files: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, file)| file != own && file.extension().is_none())
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    for (_, file) in files.into_iter().skip(MAX_MANIFESTS - 1) {
        for extension in [UP_TO_DATE, UNFINISHED, PAGES] {
            let _ = fs_err::remove_file(file.with_extension(extension));
        }
        let _ = fs_err::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who saves the manifests.
    const GENERATOR: &str = "1.2.3 4567";

    fn manifest() -> BuildManifest {
        let page = PageEntry {
            fingerprint: [1; 16],
            dependencies: [1; DEPENDENCIES.len()],
            sections: Vec::new(),
            asked: RecordedInputs::default(),
            own: Hash::default(),
            address: "/a/".into(),
            locale: "en".into(),
            reason: RebuildReason::New,
        };
        let rendered = ["a", "b", "c"].map(|file| (file.to_owned(), Some(page.clone())));
        BuildManifest::with_pages(rendered.into(), Some(Links::default()), None)
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("1");
        let write = |mut manifest: BuildManifest| {
            manifest
                .write_pages(&file)
                .and_then(|()| manifest.write(&file, MADE_BY, GENERATOR))
                .expect("written");
            read(file.clone(), Some(GENERATOR)).expect("a manifest")
        };
        let first = write(manifest());
        assert_eq!(first.pages(), manifest().pages());

        let rendered = [("b", None), ("d", Some(first.pages().entries["a"].clone()))];
        let rendered = BTreeMap::from(rendered.map(|(file, entry)| (file.to_owned(), entry)));
        for links in [Some(Links::default()), None] {
            let second = write(BuildManifest::with_pages(
                rendered.clone(),
                links,
                Some(&first),
            ));
            let entries = second
                .pages()
                .entries
                .iter()
                .map(|(file, entry)| (file.as_str(), entry.reason.clone()));
            let (unchanged, new) = (RebuildReason::Unchanged, RebuildReason::New);
            assert_eq!(
                entries.collect::<Vec<_>>(),
                [("a", unchanged.clone()), ("c", unchanged), ("d", new)]
            );
            write(manifest());
        }

        let nothing = write(BuildManifest::with_pages(
            BTreeMap::new(),
            None,
            Some(&first),
        ));
        assert!(
            nothing
                .pages()
                .entries
                .values()
                .all(|entry| entry.reason == RebuildReason::Unchanged)
        );

        let second = write(BuildManifest::with_pages(rendered, None, Some(&first)));
        let third = write(BuildManifest::with_pages(
            BTreeMap::new(),
            None,
            Some(&second),
        ));
        assert!(third.pages().entries.keys().eq(["a", "c", "d"]));
        assert!(
            third
                .pages()
                .entries
                .values()
                .all(|entry| entry.reason == RebuildReason::Unchanged)
        );
    }

    #[test]
    fn a_few_changed_pages_are_saved_without_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("1");
        let write = |mut manifest: BuildManifest| {
            manifest
                .write_pages(&file)
                .and_then(|()| manifest.write(&file, MADE_BY, GENERATOR))
                .expect("written");
            read(file.clone(), Some(GENERATOR)).expect("a manifest")
        };
        let page = manifest().pages().entries["a"].clone();
        let pages = |changed: usize| -> BTreeMap<String, Option<PageEntry>> {
            let entry = |number| {
                if number < changed {
                    PageEntry {
                        fingerprint: [2; 16],
                        reason: RebuildReason::Missing,
                        ..page.clone()
                    }
                } else {
                    PageEntry {
                        reason: RebuildReason::Unchanged,
                        ..page.clone()
                    }
                }
            };
            (0..20)
                .map(|number| (format!("page {number:02}"), Some(entry(number))))
                .collect()
        };
        let first = write(BuildManifest::with_pages(
            pages(0),
            Some(Links::default()),
            None,
        ));
        for (changed, links, saved) in [
            (1, Links::default(), Some(1)),
            (3, Links::default(), None),
            (
                1,
                Links {
                    names: vec!["/a/".into()],
                    ..Links::default()
                },
                None,
            ),
        ] {
            let next = BuildManifest::after(&first, pages(changed), Some(links.clone()), true);
            assert_eq!(
                next.rerendered.as_ref().map(BTreeMap::len),
                saved,
                "{changed} pages"
            );
            let next = write(next);
            let known = |file: &str| next.pages().entries[file].fingerprint;
            assert_eq!(
                (
                    known("page 00"),
                    known("page 19"),
                    next.pages().entries.len()
                ),
                ([2; 16], [1; 16], 20)
            );
            assert_eq!(next.pages().links, links);
            write(BuildManifest::with_pages(
                pages(0),
                Some(Links::default()),
                None,
            ));
        }
    }

    #[test]
    fn a_manifest_of_another_version_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("1");
        manifest()
            .write(&file, "0.0.1 0123", GENERATOR)
            .expect("written");
        assert_eq!(read(file.clone(), None), Err(LoadStatus::OtherVersion));
        manifest()
            .write(&file, MADE_BY, "1.2.2 4567")
            .expect("written");
        assert_eq!(
            read(file.clone(), Some(GENERATOR)),
            Err(LoadStatus::OtherVersion)
        );
        assert!(read(file, None).is_ok());
    }

    #[test]
    fn a_changed_byte_is_damage() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("1");
        let pages = file.with_extension(PAGES);
        let mut manifest = manifest();
        manifest
            .write_pages(&file)
            .and_then(|()| manifest.write(&file, MADE_BY, GENERATOR))
            .expect("written");
        for (damaged, is_manifest) in [(&file, true), (&pages, false)] {
            let whole = std::fs::read(damaged).expect("a file");
            for at in 0..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 1;
                for bytes in [&bytes[..], &whole[..at]] {
                    std::fs::write(damaged, bytes).expect("a file");
                    let read = read(file.clone(), Some(GENERATOR));
                    assert_eq!(read.is_ok(), !is_manifest, "byte {at}");
                    assert!(
                        !read.is_ok_and(|manifest| manifest.has_pages()),
                        "byte {at}"
                    );
                }
            }
            std::fs::write(damaged, whole).expect("a file");
        }
        assert!(read(file, Some(GENERATOR)).is_ok_and(|manifest| manifest.has_pages()));
    }
}
