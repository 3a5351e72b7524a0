//! An author of posts. The entry of a collection, or a CMS, names it.

use serde::Serialize;

use schema::types::Localized;

/// The collection of the authors of posts.
pub const AUTHORS: &str = "authors";

/// An author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Author {
    /// The slug in URLs: the key of the entry.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// Role, by locale.
    pub role: Localized<String>,
    /// Biography of a few sentences, by locale.
    pub description: Localized<String>,
    /// Key of the portrait in [`Images`].
    pub avatar: Option<String>,
}
