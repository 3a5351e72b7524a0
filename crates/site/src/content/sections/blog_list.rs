//! The section that lists the posts of a locale, with the title patterns of the pages that are generated from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use schema::types::Markdown;

/// The list of posts, with tags and search. Posts, tags and authors have URLs below that of the page with this section.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct BlogList {
    /// The heading.
    title: String,
    /// The heading while a tag is selected, with `{tag}`.
    tagged_title: String,
    /// A sentence or two below it.
    lead: Option<Markdown>,
    /// Name of the blog in breadcrumbs.
    label: String,
    /// Title and description of tag pages, with `{tag}`.
    tag: Words,
    /// Title and description of author pages, with `{name}`.
    author: Words,
    /// Title of post pages, with `{title}`.
    post: String,
    /// Title of a list from its second page on, with `{title}` and `{number}`.
    further: String,
}

/// The head of a page.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
struct Words {
    /// The whole `<title>`.
    title: String,
    /// The meta description.
    description: String,
}
