//! The build cache: a manifest of the last build, with the files that it wrote, the fingerprint of each page, and the
//! links of the pages. The next build neither renders nor writes what has not changed.
//!
//! It is stored in the cache folder, one manifest per output folder. It holds no HTML: unchanged pages are in the
//! output folder, and rendering a missing page costs about as much as reading it from a cache. So a manifest can save
//! work, and never changes a result. A damaged manifest, or one of another version of sitegen, is ignored.
//!
//! A file with a new mtime is read and hashed, so manifests and output folders can be copied between machines. A page
//! with a problem gets no entry, so every build renders it again until the problem is fixed.

mod hasher;
mod part;
mod reader;
mod reasons;
mod render_cache;
mod source_index;
mod stream;
mod up_to_date;
mod values;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashSet;
use serde::{Deserialize, Deserializer, Serialize};

use crate::cache;
use crate::config::Config;
use crate::parallel;

use stream::{Written, write};

pub use hasher::hash_value;
pub use part::Part;
pub use reader::UnreadParts;
pub use render_cache::{DEPENDENCIES, Dependency, Fingerprint, PageId, RenderCache};
pub use source_index::{SourceChanges, SourceIndex};
pub use up_to_date::{Counts, UpToDate};
pub use values::SharedValues;

/// 128 bits of BLAKE3.
pub type Hash = [u8; 16];

/// Identifies this sitegen: its version, and the hash of its sources.
pub const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));

/// [`MADE_BY`] of the writer, and the hash and length of each part.
type Head<'a> = (&'a str, [Written; 4]);

/// A serialized map as a list: its keys are sorted, and a map of all of them is built in a third of the time that
/// inserting them one by one takes.
type List<V> = Vec<(String, V)>;

/// The first bytes of every manifest.
const HEAD: &[u8] = b"sitegen record\n";
/// Extension of the marker file: a later build found nothing to do.
const UP_TO_DATE: &str = "up-to-date";
/// Extension of the marker file: photographs are missing in the output folder.
const UNFINISHED: &str = "unfinished";
/// The maximum number of output folders with a manifest.
const MAX_MANIFESTS: usize = 8;

/// What a build saves for the next one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BuildManifest {
    /// Every file that sitegen wrote, by its path below the output folder.
    pub files: BTreeMap<String, Published>,
    /// The mtime, in nanoseconds since 1970, of each folder below the output folder that held no untracked files. While
    /// the mtime is the same, the folder still holds none.
    pub folders: BTreeMap<String, u64>,
    /// Start time of the scan of the folders, in nanoseconds since 1970 by the clock of their file system. A folder
    /// with an older mtime held no untracked files, and its mtime changes if one is added.
    pub scanned_at: u64,
    /// The values that all pages of a language share.
    pub values: SharedValues,
    /// Every page by its output file. Copies of a page have no entry here.
    pub pages: Part<BTreeMap<String, PageEntry>>,
    /// The links of all files.
    pub links: Part<Links>,
    /// The posts that were published.
    pub posts: PostHashes,
    /// The hash of the indexed posts, and the name of the search bundle.
    pub search: Option<(Hash, String)>,
    /// The inputs of the build. While they are unchanged, the next build has nothing to do.
    pub up_to_date: Option<UpToDate>,
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
}

/// The cache entry of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEntry {
    /// The hash of all its dependencies together.
    pub fingerprint: Hash,
    /// The first 4 bytes of the hash of each dependency, in the order of [`DEPENDENCIES`].
    pub dependencies: Vec<u32>,
    /// The same for each of its sections; empty for pages of the blog.
    pub sections: Vec<u32>,
    /// Its address.
    pub address: String,
    /// The code of its language.
    pub locale: String,
    /// [`PageLinks::sum`] of its links.
    pub links: u64,
    /// Why the last build rendered it, or why it did not.
    pub reason: RebuildReason,
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

/// The hashes of all published posts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostHashes {
    /// The hash of everything about all posts but their texts, which also decides their order.
    pub summaries: Hash,
    /// The first 8 bytes of the hash of each text.
    pub texts: Vec<u64>,
}

impl PostHashes {
    /// The indices of the posts whose texts differ; `None` if anything else about posts does.
    pub fn changed_texts(&self, last: &PostHashes) -> Option<HashSet<usize>> {
        let is_same = self.summaries == last.summaries && self.texts.len() == last.texts.len();
        let both = self.texts.iter().zip(&last.texts).enumerate();
        is_same.then(|| both.filter(|(_, (now, last))| now != last).map(|(index, _)| index).collect())
    }
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

/// The links of all finished files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Every address that a page refers to, once.
    pub names: Vec<String>,
    /// The links and ids of each file.
    #[serde(deserialize_with = "map_of_sorted")]
    pub files: BTreeMap<String, Arc<PageLinks>>,
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
        Reference { name, usage: if is_link { usage } else { 0 } }
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
    /// Loads the manifest of the last build into the output folder. Its pages and links follow with
    /// [`BuildManifest::complete`]. The error says why it cannot be used.
    pub fn load(config: &Config) -> Result<(BuildManifest, UnreadParts), LoadStatus> {
        reader::open(File::open(path(config)).map_err(|_| LoadStatus::None)?)
    }

    /// Adds the parts that were not read. If one of them is damaged, the manifest becomes empty.
    pub fn complete(&mut self, unread: &UnreadParts) -> LoadStatus {
        if unread.add_to(self) {
            return LoadStatus::Loaded;
        }
        *self = BuildManifest::default();
        LoadStatus::Damaged
    }

    /// The whole manifest of the last build into the output folder; an empty one if it cannot be used.
    pub fn load_whole(config: &Config) -> BuildManifest {
        BuildManifest::of_folder(&config.paths.cache, &config.paths.out).unwrap_or_default()
    }

    /// The manifest of the build that wrote an output folder, from a cache folder; `None` if it cannot be used.
    pub fn of_folder(cache: &Path, out: &Path) -> Option<BuildManifest> {
        let (mut manifest, unread) = reader::open(File::open(path_of(cache, out)).ok()?).ok()?;
        (manifest.complete(&unread) == LoadStatus::Loaded).then_some(manifest)
    }

    /// Decodes all parts, on two threads. Otherwise each is decoded by the first thread that needs it, while the others
    /// wait.
    pub fn decode(&self) {
        parallel::join(|| self.pages.len(), || self.links.names.len());
    }

    /// Saves it for the next build. A failure is ignored, because it only makes that build slower.
    pub fn save(&self, config: &Config) {
        let file = path(config);
        let _ = cache::keep_with(&file, |written| self.write(written, MADE_BY));
        prune(&file);
    }

    /// Writes a head with the hash of each part, and the parts. They are separate so that all threads can read them.
    /// The place of the head is taken first, because the hashes are known last.
    fn write(&self, file: &mut (impl Write + Seek), made_by: &str) -> io::Result<()> {
        let BuildManifest { files, folders, scanned_at, values, pages, links, posts, search, up_to_date } = self;
        file.write_all(&head(made_by, [Written::default(); 4])?)?;
        let first = (files, folders, scanned_at, posts, search, values);
        let parts = [write(file, up_to_date)?, write(file, &first)?, pages.write(file)?, links.write(file)?];
        file.rewind()?;
        file.write_all(&head(made_by, parts)?)
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

    /// Whether photographs are missing in the output folder.
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

/// The head of a manifest. Its length does not depend on the parts.
fn head(made_by: &str, parts: [Written; 4]) -> io::Result<Vec<u8>> {
    let head = postcard::to_allocvec::<Head>(&(made_by, parts)).map_err(io::Error::other)?;
    Ok([HEAD, blake3::hash(&head).as_bytes(), &head].concat())
}

fn map_of_sorted<'de, D: Deserializer<'de>, V: Deserialize<'de>>(from: D) -> Result<BTreeMap<String, V>, D::Error> {
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
    let entries = own.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut files: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, file)| file != own && file.extension().is_none())
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    for (_, file) in files.into_iter().skip(MAX_MANIFESTS - 1) {
        for note in [UP_TO_DATE, UNFINISHED] {
            let _ = fs_err::remove_file(file.with_extension(note));
        }
        let _ = fs_err::remove_file(file);
    }
}

/// The first 128 bits of the BLAKE3 hash of the bytes.
pub fn hash(bytes: &[u8]) -> Hash {
    short(&blake3::hash(bytes))
}

fn short(hash: &blake3::Hash) -> Hash {
    let mut short = [0; 16];
    short.copy_from_slice(&hash.as_bytes()[..16]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serialized(made_by: &str) -> Vec<u8> {
        let mut file = io::Cursor::new(Vec::new());
        BuildManifest::default().write(&mut file, made_by).expect("written");
        file.into_inner()
    }

    /// Reads a manifest from a file with these bytes.
    fn read(bytes: &[u8]) -> Result<BuildManifest, LoadStatus> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("written");
        file.rewind().expect("its start");
        let (mut manifest, unread) = reader::open(file)?;
        match manifest.complete(&unread) {
            LoadStatus::Loaded => Ok(manifest),
            status => Err(status),
        }
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        assert_eq!(read(&serialized(MADE_BY)), Ok(BuildManifest::default()));
    }

    #[test]
    fn a_manifest_of_another_version_is_not_read() {
        assert_eq!(read(&serialized("0.0.1 0123")), Err(LoadStatus::OtherVersion));
    }

    #[test]
    fn a_changed_byte_is_damage() {
        let whole = serialized(MADE_BY);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert_eq!(read(&bytes), Err(LoadStatus::Damaged), "byte {at}");
        }
        assert_eq!(read(&whole[..20]), Err(LoadStatus::Damaged));
        assert_eq!(read(&whole[..whole.len() - 1]), Err(LoadStatus::Damaged));
    }
}
