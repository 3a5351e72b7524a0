//! The search index of a site's posts. A build writes it; the API reads it.
//!
//! Each language has a folder with five files: `cards` and `bodies` hold the posts themselves ([`Records`]); `words`,
//! `stems` and `tags` say which posts have a term ([`terms`]). Posts are numbered by their place in the list, newest
//! first, so a page of the list is a range of set bits and the total is their count. Nothing is ranked: the index keeps
//! no frequencies and no positions. [`bundle`] describes `search/`, the folder that holds the indexes of all languages.
//!
//! `fst` provides the term dictionaries, `levenshtein_automata` the typos. tantivy did all of this before; its index
//! was larger and slower to write, and it took longer to compile than any other dependency.
//!
//! This crate does not depend on pages or HTTP.

mod analyzer;
pub mod bundle;
pub mod elision;
mod file;
mod find;
mod matches;
mod records;
mod terms;
mod writer;

use std::io;
use std::path::Path;

pub use analyzer::{Analyzer, Word, folded, is_unspaced, typed};
pub use find::{Request, WORDS_MAX};
pub use matches::{Matches, Order};
pub use records::{Records, written as written_records};
pub use writer::IndexWriter;

use terms::FieldTerms;

/// Name of the file with each post as JSON, without its body.
pub const CARDS: &str = "cards";
/// Name of the file with the body of each post as HTML.
pub const BODIES: &str = "bodies";
/// Name of the file with the terms of folded words.
const WORDS: &str = "words";
/// Name of the file with the terms of folded stems.
const STEMS: &str = "stems";
/// Name of the file with the terms of tag slugs.
const TAGS: &str = "tags";

/// The posts of a language, open for searching.
///
/// Term dictionaries are held in memory (about 0.1 kB a post); postings and posts are read from open files when a
/// request needs them. An index stays readable when its folder is replaced.
pub struct Index {
    words: FieldTerms,
    stems: FieldTerms,
    tags: FieldTerms,
    analyzer: Analyzer,
    cards: Records,
    bodies: Records,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("posts", &self.cards.len())
            .finish_non_exhaustive()
    }
}

impl Index {
    /// Opens the index in a folder. `language` is a BCP 47 tag. The error is a message with the path.
    pub fn open(folder: &Path, language: &str) -> Result<Index, String> {
        Index::read(folder, language).map_err(|error| format!("{}: {error}", folder.display()))
    }

    fn read(folder: &Path, language: &str) -> Result<Index, String> {
        let (cards, bodies) = (
            Records::open(&folder.join(CARDS))?,
            Records::open(&folder.join(BODIES))?,
        );
        if bodies.len() != cards.len() {
            return Err("its files do not have the same number of posts".to_owned());
        }
        let [words, stems, tags] =
            [WORDS, STEMS, TAGS].map(|name| FieldTerms::open(&folder.join(name)));
        let (words, stems, tags) = (words?, stems?, tags?);
        Ok(Index {
            words,
            stems,
            tags,
            analyzer: Analyzer::new(language),
            cards,
            bodies,
        })
    }

    /// The number of posts.
    pub fn len(&self) -> u32 {
        self.cards.len()
    }

    /// Whether the index has no posts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The post at a position in the list, as the JSON that the build wrote.
    pub fn card(&self, place: u32) -> io::Result<Vec<u8>> {
        self.cards.get(place)
    }

    /// The body of the post at a position in the list.
    pub fn body(&self, place: u32) -> io::Result<Vec<u8>> {
        self.bodies.get(place)
    }
}
