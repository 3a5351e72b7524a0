//! The inputs of a page: what its template has asked for while it was rendered. A page is rendered again if one of them
//! is another than before, so nobody lists what a page depends on.

use serde::{Deserialize, Serialize};

use super::ChangedEntries;

/// An input of a page. An `entry` is named as in links: `team/ana-ruiz`.
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

impl PageInput {
    /// Whether it may be another after these changes, of which there is at least one.
    pub fn is_touched_by(&self, changed: &ChangedEntries) -> bool {
        match self {
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
