//! The index of a language's posts: how it is searched, and the one analyser of words that its writer and its reader
//! share.
//!
//! Posts stand in the index in the order in which they are listed, so the number of a document is its place in the list,
//! a page of it is a range of set bits, and the total is their count. Nothing is ranked, so nothing but which words a post
//! has is kept: no frequencies, no positions.

mod analyser;
mod find;
mod matches;
mod records;

use std::io;
use std::path::Path;
use std::sync::Arc;

use tantivy::directory::MmapDirectory;
use tantivy::index::{InvertedIndexReader, SegmentReader};
use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

pub use analyser::{Analyser, Word};
pub use find::{Request, WORDS_MAX};
pub use matches::{Matches, Order};
pub use records::{Records, written as written_records};

/// Each post without its text, as JSON.
pub const CARDS: &str = "cards";
/// The text of each post, HTML.
pub const BODIES: &str = "bodies";

/// The names of the index's fields.
pub mod field {
    /// Words, folded.
    pub const WORDS: &str = "words";
    /// Their stems, folded.
    pub const STEMS: &str = "stems";
    /// The slugs of the post's tags.
    pub const TAGS: &str = "tags";
}

/// The tokenizer that the writer registers: words come to it analysed, with a blank between them.
pub const ANALYSED: &str = "analysed";

/// The fields of the index: all say only which posts have a word.
pub fn schema() -> Schema {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ANALYSED)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::Basic);
    let options = TextOptions::default().set_indexing_options(indexing);
    let mut schema = Schema::builder();
    for name in [field::WORDS, field::STEMS, field::TAGS] {
        schema.add_text_field(name, options.clone());
    }
    schema.build()
}

/// The posts of a language, open for searching. Its files are mapped: what is not read takes no memory, and a folder that
/// is replaced meanwhile stays readable.
pub struct Index {
    words: Arc<InvertedIndexReader>,
    stems: Arc<InvertedIndexReader>,
    tags: Arc<InvertedIndexReader>,
    analyser: Analyser,
    cards: Records,
    bodies: Records,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Index").field("posts", &self.cards.len()).finish_non_exhaustive()
    }
}

impl Index {
    /// Opens the index of a folder. `language` is a BCP 47 tag. The error says in words what is wrong.
    pub fn open(folder: &Path, language: &str) -> Result<Index, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
        let directory = MmapDirectory::open(folder).map_err(|error| failed(&error))?;
        let records = |name| Records::open(&directory, name).map_err(|error| failed(&error));
        let (cards, bodies) = (records(CARDS)?, records(BODIES)?);
        let index = tantivy::Index::open(directory.clone()).map_err(|error| failed(&error))?;
        let segments = index.searchable_segments().map_err(|error| failed(&error))?;
        let [segment] = segments.as_slice() else {
            return Err(failed(&format!("{} segments instead of one", segments.len())));
        };
        // Without a searcher: that one would lock the folder, which may be read-only.
        let reader = SegmentReader::open(segment).map_err(|error| failed(&error))?;
        if reader.max_doc() != cards.len() || bodies.len() != cards.len() {
            return Err(failed(&"its files do not hold the same number of posts"));
        }
        let of = |name: &str| {
            let field = index.schema().get_field(name)?;
            reader.inverted_index(field)
        };
        Ok(Index {
            words: of(field::WORDS).map_err(|error| failed(&error))?,
            stems: of(field::STEMS).map_err(|error| failed(&error))?,
            tags: of(field::TAGS).map_err(|error| failed(&error))?,
            analyser: Analyser::new(language),
            cards,
            bodies,
        })
    }

    /// How many posts there are.
    pub fn len(&self) -> u32 {
        self.cards.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The post at a place of the list, as the JSON that the writer was given.
    pub fn card(&self, place: u32) -> io::Result<impl AsRef<[u8]> + use<>> {
        self.cards.get(place)
    }

    /// The text of the post at a place of the list.
    pub fn body(&self, place: u32) -> io::Result<impl AsRef<[u8]> + use<>> {
        self.bodies.get(place)
    }
}
