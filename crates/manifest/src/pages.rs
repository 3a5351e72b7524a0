//! The data that a build saves of its pages: the fingerprint and the links of each, in a file of their own. It is three
//! quarters of all that a build saves. One that renders no page, or only some posts, neither reads nor writes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use workspace::{cache, parallel};

use super::stream::{Written, write};
use super::{List, PageEntry, PageLinks, RebuildReason};

/// The pages of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pages {
    /// Every page by its output file. Copies of a page have no entry here.
    pub entries: BTreeMap<String, PageEntry>,
    /// The links of all files.
    pub links: Links,
}

/// The links of all finished files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Every address that a page refers to, once.
    pub names: Vec<String>,
    /// The links and ids of each file.
    #[serde(deserialize_with = "super::map_of_sorted")]
    pub files: BTreeMap<String, Arc<PageLinks>>,
}

/// The lengths and checksums of both parts of a file of pages.
pub(super) type StoredPages = [Written; 2];

impl Links {
    /// The URLs of the style sheets that these files load.
    pub fn style_sheets<'a>(&'a self, files: &[String]) -> BTreeSet<&'a str> {
        let is_sheet: Vec<bool> = self
            .names
            .iter()
            .map(|name| name.ends_with(".css"))
            .collect();
        let loaded = files
            .iter()
            .filter_map(|file| self.files.get(file))
            .flat_map(|links| &links.references)
            .map(|reference| reference.name as usize)
            .filter(|name| is_sheet.get(*name) == Some(&true));
        loaded.map(|name| self.names[name].as_str()).collect()
    }
}

impl Pages {
    /// Adds the entries of pages that were rendered, or removes those of pages with a mistake. All others are unchanged.
    pub(super) fn add(&mut self, rendered: BTreeMap<String, Option<PageEntry>>) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|file, entry| {
            entry.set_unchanged();
            !rendered.contains_key(file)
        });
        self.entries = rendered
            .into_iter()
            .filter_map(|(file, entry)| Some((file, entry?)))
            .collect();
        self.entries.append(&mut entries);
    }

    /// Tells whether a page is another one than in the last build.
    pub(super) fn has_changed(&self, file: &str, entry: Option<&PageEntry>) -> bool {
        let entry = entry.filter(|entry| entry.reason == RebuildReason::Unchanged);
        !entry
            .zip(self.entries.get(file))
            .is_some_and(|(now, last)| now.is_same(last))
    }

    /// Reads a file of pages on two threads; `None` if it is damaged, or not the one that was written.
    pub(super) fn read(file: &Path, stored: StoredPages) -> Option<Pages> {
        let file = File::open(file).ok()?;
        let [first, second] = stored;
        let (entries, links) = parallel::join(
            || read::<List<PageEntry>>(&file, 0, first),
            || read(&file, first.length, second),
        );
        Some(Pages {
            entries: entries?.into_iter().collect(),
            links: links?,
        })
    }

    pub(super) fn write(&self, file: &Path) -> io::Result<StoredPages> {
        let mut stored = StoredPages::default();
        cache::keep_with(file, |file| {
            stored = [write(file, &self.entries)?, write(file, &self.links)?];
            Ok(())
        })?;
        Ok(stored)
    }
}

/// The value that was written from `start` on.
fn read<T: DeserializeOwned>(file: &File, start: u64, written: Written) -> Option<T> {
    let mut bytes = vec![0; usize::try_from(written.length).ok()?];
    file.read_exact_at(&mut bytes, start).ok()?;
    let is_intact = *blake3::hash(&bytes).as_bytes() == written.sum;
    postcard::from_bytes(&bytes).ok().filter(|_| is_intact)
}
