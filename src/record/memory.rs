//! What the render stage asks of the record: whether a page can stay as it is.
//!
//! The [`Key`] of a page holds hashes of the context that its template would receive, of the texts of the templates
//! that it can reach, and of what template functions answer from: interface texts, icons, island scripts, the list of
//! files in `static/`, sitegen itself. So nobody lists by hand what a page depends on: what is not in the key cannot be
//! in the page. The price is that the contexts of all pages are made; templates, inspection and writing, which cost
//! more, are not run. Pages of the blog are the exception (`src/render/blog/key.rs`).
//!
//! Each part has its own hash, so that `sitegen why` can name what has changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;

use super::{Hash, Made, Published, Record, Verdict, short};

/// What a page can depend on, and how that is said. The first ones are of the whole site or of a language.
pub const PARTS: [(Part, &str); 17] = [
    (Part::Sitegen, "sitegen itself"),
    (Part::Settings, "budgets in `site.yaml`"),
    (Part::Templates, "a template that it uses"),
    (Part::Words, "the interface words of its language"),
    (Part::Icons, "the icon set"),
    (Part::Islands, "the scripts of islands"),
    (Part::StaticFiles, "which files lie in `static/`"),
    (Part::Frame, "the frame around it: header, footer, company"),
    (Part::Page, "its own title, description, address or layout"),
    (Part::Head, "what its head says to search engines and networks"),
    (Part::Languages, "its translations"),
    (Part::Sidebar, "the sidebar of the style guide"),
    (Part::Sections, "its sections, or what they list"),
    (Part::Study, "its case study"),
    (Part::Post, "its post, or the posts it leads to"),
    (Part::Author, "its author, or the posts of the author"),
    (Part::Assets, "its style sheets, scripts or fonts"),
];

/// One of [`PARTS`], whose order this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table says what each one is")]
pub enum Part {
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
    Study,
    Post,
    Author,
    Assets,
}

/// The inputs of one page, hashed one by one.
#[derive(Debug, Clone, Default)]
pub struct Key([Hash; PARTS.len()]);

impl Key {
    /// Says what a part is.
    pub fn set(&mut self, part: Part, hash: Hash) {
        self.0[part as usize] = hash;
    }

    /// Says what a part is, by everything that a template can see of it.
    pub fn see(&mut self, part: Part, value: &impl Serialize) {
        self.set(part, seen(value));
    }

    fn all(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        for hash in &self.0 {
            hasher.update(hash);
        }
        short(&hasher.finalize())
    }

    fn parts(&self) -> Vec<u32> {
        self.0.iter().map(|hash| u32::from_le_bytes([0, 1, 2, 3].map(|at| hash[at]))).collect()
    }
}

/// The hash of everything that a template can see of a value.
pub fn seen(value: &impl Serialize) -> Hash {
    let mut hasher = std::io::BufWriter::with_capacity(4096, blake3::Hasher::new());
    // Hashing cannot fail, and values that templates receive always serialise.
    let _ = serde_json::to_writer(&mut hasher, value);
    hasher.into_inner().map(|hasher| short(&hasher.finalize())).unwrap_or_default()
}

/// The record of the last build, asked page by page, and what the next one will find.
#[derive(Debug)]
pub struct Memory<'a> {
    previous: &'a Record,
    /// The files that stand as they were written; without one, none needs to stand.
    standing: Option<&'a HashMap<&'a str, Published>>,
    made: Mutex<HashMap<String, Made>>,
}

impl<'a> Memory<'a> {
    /// For a build, the files that stand as they were written; a check needs none of them.
    pub fn new(previous: &'a Record, standing: Option<&'a HashMap<&'a str, Published>>) -> Memory<'a> {
        Memory { previous, standing, made: Mutex::default() }
    }

    /// Whether the page in `file` may stay: the hash of its bytes. Copies of it stand in `copies`.
    pub fn recall<'f>(
        &self,
        file: &str,
        mut copies: impl Iterator<Item = &'f str>,
        address: &str,
        key: &Key,
    ) -> Option<Hash> {
        let (all, parts) = (key.all(), key.parts());
        let known = self.previous.pages.get(file);
        let stands = |file: &str| self.standing.is_none_or(|standing| standing.contains_key(file));
        let published = self.previous.files.get(file);
        let verdict = match known {
            None => Verdict::New,
            Some(known) if known.key != all => {
                let positions = (0_u8..).zip(known.parts.iter().zip(&parts));
                Verdict::Changed(positions.filter(|(_, (old, new))| old != new).map(|(at, _)| at).collect())
            }
            Some(_) if published.is_some() && stands(file) && copies.all(stands) => Verdict::Kept,
            Some(_) => Verdict::Missing,
        };
        let hash = published.filter(|_| verdict == Verdict::Kept).map(|published| published.hash);
        let made = Made { key: all, parts, address: address.to_owned(), verdict };
        self.made().insert(file.to_owned(), made);
        hash
    }

    /// A page with a mistake is looked at again each time, until it has none.
    pub fn forget(&self, file: &str) {
        self.made().remove(file);
    }

    /// The hash of everything that the pages in these files are made from; none when one of them is not remembered.
    pub fn sum<'f>(&self, mut files: impl Iterator<Item = &'f str>) -> Option<Hash> {
        let made = self.made();
        let mut hasher = blake3::Hasher::new();
        files.try_for_each(|file| {
            hasher.update(&made.get(file)?.key);
            Some(())
        })?;
        Some(short(&hasher.finalize()))
    }

    /// Whether some page stayed as it was.
    pub fn has_kept(&self) -> bool {
        self.made().values().any(|made| made.verdict == Verdict::Kept)
    }

    /// What the next build shall find.
    pub fn take(&self) -> BTreeMap<String, Made> {
        let mut made: Vec<(String, Made)> = std::mem::take(&mut *self.made()).into_iter().collect();
        made.par_sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        made.into_iter().collect()
    }

    fn made(&self) -> std::sync::MutexGuard<'_, HashMap<String, Made>> {
        // Poisoned only when another page's thread panicked while inserting; the map is whole.
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_their_order() {
        assert!(PARTS.iter().enumerate().all(|(at, (part, _))| *part as usize == at));
    }

    fn record(key: &Key) -> Record {
        let made = Made { key: key.all(), parts: key.parts(), address: "/a/".into(), verdict: Verdict::New };
        let published = Published { hash: [7; 16], length: 1, modified: 1 };
        Record {
            files: BTreeMap::from([("a/index.html".into(), published), ("b/index.html".into(), published)]),
            pages: BTreeMap::from([("a/index.html".into(), made)]),
            ..Record::default()
        }
    }

    fn key(sections: &str) -> Key {
        let mut key = Key::default();
        key.see(Part::Sections, &sections);
        key
    }

    fn verdict(known: &Key, now: &Key, standing: &[&str]) -> (Option<Hash>, Verdict) {
        let record = record(known);
        let standing = standing.iter().map(|file| (*file, record.files[*file])).collect();
        let memory = Memory::new(&record, Some(&standing));
        let hash = memory.recall("a/index.html", ["b/index.html"].into_iter(), "/a/", now);
        (hash, memory.take()["a/index.html"].verdict.clone())
    }

    #[test]
    fn a_page_stays_when_all_is_the_same_and_every_copy_stands() {
        let both = ["a/index.html", "b/index.html"];
        assert_eq!(verdict(&key("x"), &key("x"), &both), (Some([7; 16]), Verdict::Kept));
        assert_eq!(verdict(&key("x"), &key("x"), &both[..1]), (None, Verdict::Missing));
        let changed = Verdict::Changed(vec![Part::Sections as u8]);
        assert_eq!(verdict(&key("x"), &key("y"), &both), (None, changed));
    }
}
