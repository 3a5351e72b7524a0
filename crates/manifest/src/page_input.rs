//! The inputs of a page: what was asked for while it was rendered. A page is rendered again if one of them is another
//! than before, so nobody lists what a page depends on.

use std::collections::BTreeSet;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use content::blog::{AUTHORS, Post};

use super::{ChangedItems, Dependency};

/// An input of a page. An `entry` is named as in links: `team/ana-ruiz`; a `post` by the hash of its language and key, which
/// is shorter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields have the names of what they name")]
pub enum PageInput {
    /// A field of an entry.
    Field { entry: String, field: String },
    /// A field of all entries of a collection.
    Column { collection: String, field: String },
    /// The entries of a collection, in their order.
    List { collection: String },
    /// The past, current and future entries of a collection, by a field.
    Periods { collection: String, field: String },
    /// The entries that are related to an entry.
    Related {
        entry: String,
        options: RelatedOptions,
    },
    /// The values by which a collection has pages.
    Filters { collection: String },
    /// The values of an entry by which there are pages.
    FiltersOf { entry: String },
    /// Everything that lists show of a post.
    PostSummary { post: u64 },
    /// A post with its text, as its own page shows it.
    Post { post: u64 },
    /// Everything that lists show of an author.
    AuthorSummary { author: String },
    /// Everything that the page of an author shows.
    Author { author: String },
    /// The tags of all posts.
    Tags,
}

/// The inputs of a page, sorted. A large site has hundreds of thousands, so they are bytes until somebody needs them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedInputs(#[serde(with = "serde_bytes")] Box<[u8]>);

impl RecordedInputs {
    /// The inputs in their short form.
    pub fn of(inputs: &BTreeSet<PageInput>) -> RecordedInputs {
        // Serializing plain values cannot fail.
        let bytes = postcard::to_allocvec(inputs).unwrap_or_default();
        RecordedInputs(if inputs.is_empty() {
            Box::default()
        } else {
            bytes.into()
        })
    }

    /// The inputs, in order.
    pub fn read(&self) -> Vec<PageInput> {
        postcard::from_bytes(&self.0).unwrap_or_default()
    }
}

/// How entries are related.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RelatedOptions {
    /// The fields whose values are compared.
    pub by: Vec<String>,
    /// The order of entries that share as many values; that of the schema without a field.
    pub sort: Vec<String>,
    /// The greatest number.
    pub limit: usize,
}

/// The number by which an input of a page names a post: the hash of its language and key. Always the same, because it is in
/// the cache.
pub fn post_id(post: &Post) -> u64 {
    FixedState::default().hash_one((&post.locale, &post.key))
}

impl PageInput {
    /// The dependency that it is a part of.
    pub fn dependency(&self) -> Dependency {
        match self {
            PageInput::PostSummary { .. } | PageInput::Post { .. } | PageInput::Tags => {
                Dependency::Post
            }
            PageInput::AuthorSummary { .. } | PageInput::Author { .. } => Dependency::Author,
            _ => Dependency::Entries,
        }
    }

    /// Whether it may be another after these changes, of which there is at least one.
    pub fn is_touched_by(&self, changed: &ChangedItems) -> bool {
        match self {
            PageInput::PostSummary { post } => {
                changed.has_summary(*post) || changed.has_of(AUTHORS)
            }
            PageInput::Post { post } => changed.has_post(*post) || changed.has_of(AUTHORS),
            PageInput::AuthorSummary { .. } | PageInput::Author { .. } => changed.has_of(AUTHORS),
            // They follow from where posts are.
            PageInput::Tags => false,
            PageInput::Field { entry, .. } => changed.has(entry),
            PageInput::Column { collection, .. } => changed.has_of(collection),
            PageInput::List { collection } | PageInput::Periods { collection, .. } => {
                changed.has_of(collection) || changed.has_order_of(collection)
            }
            // They follow from any field, also of other collections.
            PageInput::Related { .. } | PageInput::Filters { .. } | PageInput::FiltersOf { .. } => {
                true
            }
        }
    }
}
