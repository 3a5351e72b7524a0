//! The build cache: a manifest of the last build, with the files that it wrote, what each page was made from, and the
//! links of the pages. The next build neither renders nor writes what has not changed.
//!
//! It is stored in the cache folder, one manifest per output folder. It holds no HTML: unchanged pages are in the
//! output folder, and where one is missing, reading it from a cache and writing it would cost about as much as
//! rendering it. So a manifest can save work, and never changes a result. A damaged manifest, or one of another version
//! of sitegen, is ignored.
//!
//! A file whose time has changed is read and hashed, so manifests and output folders can be copied between machines. A
//! page with a problem has no entry: it is rendered again until it has none.

mod render_cache;
mod up_to_date;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cache;
use crate::config::Config;

pub use render_cache::{DEPENDENCIES, Dependency, Fingerprint, RenderCache, seen};
pub use up_to_date::{Counts, SourceIndex, UpToDate};

/// 128 bits of BLAKE3.
pub type Hash = [u8; 16];

/// Which sitegen this is: its version, and the hash of its sources.
pub const MADE_BY: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("SITEGEN_SOURCES"));

/// Who made a manifest, and the sum and length of each of its parts.
type Head<'a> = (&'a str, [([u8; 32], usize); 4]);

/// Begins every manifest.
const HEAD: &[u8] = b"sitegen record\n";
/// How the note ends that a build has found nothing to do.
const UP_TO_DATE: &str = "up-to-date";
/// How the note ends that photographs are missing in the output folder.
const UNFINISHED: &str = "unfinished";
/// So many output folders are remembered.
const KEPT: usize = 8;

/// What a build leaves for the next one.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildManifest {
    /// Every file below the output folder that sitegen wrote, by its path there.
    pub files: BTreeMap<String, Published>,
    /// When each folder below the output folder was last changed, in nanoseconds since 1970, if nothing but files and folders
    /// of sitegen lay in it: while it is the same, nothing else does.
    pub folders: BTreeMap<String, u64>,
    /// When the folders began to be looked at, by the clock of their file system: one that had last changed before held nothing
    /// else then, and has another time once it does.
    pub looked: u64,
    /// Every page by the file it stands in; copies are files only.
    pub pages: BTreeMap<String, PageEntry>,
    /// Each address that a page names, once.
    pub names: Vec<String>,
    /// The links and ids of each file.
    pub links: BTreeMap<String, Arc<PageLinks>>,
    /// What the search was made from, and its name.
    pub search: Option<(Hash, String)>,
    /// While this holds, the next build has nothing to do.
    pub up_to_date: Option<UpToDate>,
}

/// Whether the manifest of the last build could be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadStatus {
    /// There is none.
    None,
    /// This sitegen wrote it, and it is whole.
    Loaded,
    /// Another version of sitegen wrote it.
    OtherVersion,
    /// It is not as it was written.
    Damaged,
}

/// A file as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The hash of its bytes.
    pub hash: Hash,
    /// How many they are.
    pub length: u64,
    /// When it was written, in nanoseconds since 1970.
    pub modified: u64,
}

/// What a page was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEntry {
    /// The hash of all its dependencies together.
    pub fingerprint: Hash,
    /// The first bytes of the hash of each dependency, in the order of [`DEPENDENCIES`].
    pub dependencies: Vec<u32>,
    /// Its address.
    pub address: String,
    /// Why the last build rendered it, or did not.
    pub reason: RebuildReason,
}

/// Why a build rendered a page, or did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RebuildReason {
    /// It was not rendered: nothing that it is made from has changed.
    Unchanged,
    /// No earlier build made it, or none that is remembered.
    New,
    /// These dependencies have changed, by their positions in [`DEPENDENCIES`].
    Changed(Vec<u8>),
    /// Its file was not there, or not as it had been written.
    Missing,
}

/// The links and ids of one finished file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLinks {
    /// Hashes of its ids, in order.
    pub ids: Vec<u64>,
    /// The addresses in it.
    pub references: Vec<Reference>,
}

/// An address that a file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its number in the list of names.
    pub name: u32,
    /// A reader may follow it; other addresses are fetched by browsers, search engines and networks.
    pub is_link: bool,
    /// The language that the link says its target has: its number in the list of names.
    pub hreflang: Option<u32>,
}

impl BuildManifest {
    /// The manifest of the last build into the output folder; an empty one when there is none, or it cannot be used.
    pub fn load(config: &Config) -> (BuildManifest, LoadStatus) {
        let Ok(bytes) = std::fs::read(path(config)) else { return (BuildManifest::default(), LoadStatus::None) };
        match read(&bytes) {
            Some(Some(manifest)) => (manifest, LoadStatus::Loaded),
            Some(None) => (BuildManifest::default(), LoadStatus::OtherVersion),
            None => (BuildManifest::default(), LoadStatus::Damaged),
        }
    }

    /// The parts that are needed to compare the output folder, if the sources are those of the last build.
    pub fn load_if_up_to_date(config: &Config, sources: &SourceIndex) -> Option<BuildManifest> {
        let bytes = std::fs::read(path(config)).ok()?;
        let parts = parts(&bytes)??;
        let up_to_date: Option<UpToDate> = part(parts[0])?;
        let up_to_date = up_to_date.filter(|known| known.holds(config, sources))?;
        // Damage is reported when the whole manifest is loaded.
        parts[2..].iter().all(is_whole).then_some(())?;
        let (files, folders, looked, search) = part(parts[1])?;
        Some(BuildManifest { files, folders, looked, search, up_to_date: Some(up_to_date), ..BuildManifest::default() })
    }

    /// Keeps it for the next build. Without it that one is slower, and nothing else.
    pub fn save(&self, config: &Config) {
        let Ok(parts) = self.written(MADE_BY) else { return };
        let file = path(config);
        let _ = cache::keep_parts(&file, &parts.each_ref().map(Vec::as_slice));
        prune(&file);
    }

    /// A head with the sum of each part, then the parts, which are written and read on all threads.
    fn written(&self, made_by: &str) -> postcard::Result<[Vec<u8>; 5]> {
        let BuildManifest { files, folders, looked, pages, names, links, search, up_to_date } = self;
        let sum = |bytes: Vec<u8>| (*blake3::hash(&bytes).as_bytes(), bytes);
        let first = || postcard::to_allocvec(&(files, folders, looked, search)).map(sum);
        let second = || postcard::to_allocvec(pages).map(sum);
        let third = || postcard::to_allocvec(&(names, links)).map(sum);
        let (first, (second, third)) = rayon::join(first, || rayon::join(second, third));
        let parts = [postcard::to_allocvec(up_to_date).map(sum)?, first?, second?, third?];
        let head = postcard::to_allocvec(&(made_by, parts.each_ref().map(|(sum, bytes)| (sum, bytes.len()))))?;
        let head = [HEAD, blake3::hash(&head).as_bytes(), &head].concat();
        let [up_to_date, first, second, third] = parts.map(|(_, bytes)| bytes);
        Ok([head, up_to_date, first, second, third])
    }

    /// Notes that a build has found nothing to do since.
    pub fn note_up_to_date(config: &Config) {
        let _ = cache::keep(&note(config, UP_TO_DATE), &[]);
    }

    /// Notes whether pages in the output folder name photographs that are not there, because they are still to be encoded.
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

    /// Whether a build has found nothing to do since.
    pub fn was_up_to_date(config: &Config) -> bool {
        note(config, UP_TO_DATE).exists()
    }

    /// Removes it, before any file that it lists is touched: the next build must not trust what a killed one left.
    pub fn discard(config: &Config) -> io::Result<()> {
        let _ = fs_err::remove_file(note(config, UP_TO_DATE));
        match fs_err::remove_file(path(config)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// The sum of a part of a manifest, and the part.
type Summed<'a> = ([u8; 32], &'a [u8]);

/// None when it is damaged, nothing inside when another sitegen wrote it.
#[expect(clippy::option_option, reason = "a damaged manifest and one of another version are two things")]
fn parts(bytes: &[u8]) -> Option<Option<[Summed<'_>; 4]>> {
    let (sum, rest) = bytes.strip_prefix(HEAD)?.split_at_checked(32)?;
    let (head, mut body) = postcard::take_from_bytes::<Head>(rest).ok()?;
    if blake3::hash(&rest[..rest.len() - body.len()]).as_bytes() != sum {
        return None;
    }
    let (made_by, sums) = head;
    if made_by != MADE_BY {
        return Some(None);
    }
    let mut next = |at: usize| {
        let (part, behind) = body.split_at_checked(sums[at].1)?;
        body = behind;
        Some((sums[at].0, part))
    };
    let parts = [next(0)?, next(1)?, next(2)?, next(3)?];
    body.is_empty().then_some(Some(parts))
}

#[expect(clippy::option_option, reason = "a damaged manifest and one of another version are two things")]
fn read(bytes: &[u8]) -> Option<Option<BuildManifest>> {
    let Some(parts) = parts(bytes)? else { return Some(None) };
    let (first, (second, third)) = rayon::join(|| part(parts[1]), || rayon::join(|| part(parts[2]), || part(parts[3])));
    let ((files, folders, looked, search), pages, (names, links)) = (first?, second?, third?);
    let up_to_date = part(parts[0])?;
    Some(Some(BuildManifest { files, folders, looked, pages, names, links, search, up_to_date }))
}

fn part<T: serde::de::DeserializeOwned>((sum, bytes): Summed) -> Option<T> {
    is_whole(&(sum, bytes)).then(|| postcard::from_bytes(bytes).ok())?
}

fn is_whole((sum, bytes): &Summed) -> bool {
    blake3::hash(bytes).as_bytes() == sum
}

fn path(config: &Config) -> PathBuf {
    let name = blake3::hash(config.out.as_os_str().as_encoded_bytes()).to_hex();
    config.cache.join("records").join(&name[..16])
}

/// Lies beside the manifest.
fn note(config: &Config, ending: &str) -> PathBuf {
    path(config).with_extension(ending)
}

/// Forgets the output folders that were longest not built into.
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
    for (_, file) in files.into_iter().skip(KEPT - 1) {
        for note in [UP_TO_DATE, UNFINISHED] {
            let _ = fs_err::remove_file(file.with_extension(note));
        }
        let _ = fs_err::remove_file(file);
    }
}

/// The hash of some bytes.
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

    fn written(made_by: &str) -> Vec<u8> {
        BuildManifest::default().written(made_by).expect("bytes").concat()
    }

    #[test]
    fn a_manifest_comes_back() {
        assert_eq!(read(&written(MADE_BY)), Some(Some(BuildManifest::default())));
    }

    #[test]
    fn that_of_another_version_is_none() {
        assert_eq!(read(&written("0.0.1 0123")), Some(None));
    }

    #[test]
    fn a_changed_byte_is_damage() {
        let whole = written(MADE_BY);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert_eq!(read(&bytes), None, "byte {at}");
        }
        assert_eq!(read(&whole[..20]), None);
    }
}
