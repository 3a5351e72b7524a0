//! The section that lists the posts of a language, and says how the pages made from them are called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content_types::Markdown;

/// The list of posts, with its tags and its search. Posts, tags and authors lie below the address of the page that has it.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct BlogList {
    /// The heading.
    title: String,
    /// The heading with a tag selected, `{tag}`.
    tagged_title: String,
    /// A sentence or two below it.
    lead: Option<Markdown>,
    /// What the blog is called, on the way to a post.
    label: String,
    /// Title and description of the pages of a tag, `{tag}`.
    tag: Words,
    /// Title and description of the pages of an author, `{name}`.
    author: Words,
    /// Title of the page of a post, `{title}`.
    post: String,
    /// Title of the second page of a list and of all that follow, `{title}` and `{number}`.
    further: String,
}

/// The head of a page.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
struct Words {
    /// The whole `<title>`.
    title: String,
    /// For search engines.
    description: String,
}
