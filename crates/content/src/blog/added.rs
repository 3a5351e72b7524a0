//! The values of the fields that a site adds to posts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The values of the fields that the schema of a site adds to posts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedFields {
    /// The values by name, in JSON, with links, pictures and typed values as marked objects. As text, which the cache can hold.
    values: String,
    /// The file up to the end of the front matter, for the places of problems.
    pub head: String,
}

impl AddedFields {
    pub(super) fn new(values: &Map<String, Json>, head: &str) -> AddedFields {
        // Plain JSON always serializes.
        AddedFields {
            values: serde_json::to_string(values).unwrap_or_default(),
            head: head.to_owned(),
        }
    }

    /// The values as they are kept.
    pub(super) fn written(&self) -> &str {
        &self.values
    }

    /// The values by name.
    pub fn values(&self) -> Map<String, Json> {
        serde_json::from_str(&self.values).unwrap_or_default()
    }
}
