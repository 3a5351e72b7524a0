//! The fields of front matter: those that the blog reads itself, and how a site declares them beside its own.

use diagnostics::problem::{Code, Problems};
use schema::types::FieldType;
use schema::{Block, Field, Takes};

use super::AUTHORS;

/// A field that the blog reads.
pub(in crate::content) struct BlogField {
    pub name: &'static str,
    /// How it is declared.
    pub declared: &'static str,
    /// Whether a field is declared so.
    pub fits: fn(&Field) -> bool,
}

const TEXT: (&str, fn(&Field) -> bool) = ("{type: text}", |field| !field.list && field.takes == Takes::Text);
const FLAG: (&str, fn(&Field) -> bool) = ("{type: flag}", |field| !field.list && field.takes == Takes::Flag);
const MOMENT: (&str, fn(&Field) -> bool) =
    ("{type: moment}", |field| !field.list && field.takes == Takes::Typed(FieldType::Moment));

const fn field(name: &'static str, (declared, fits): (&'static str, fn(&Field) -> bool)) -> BlogField {
    BlogField { name, declared, fits }
}

/// All fields that the blog reads.
pub(in crate::content) const BLOG_FIELDS: &[BlogField] = &[
    field("title", TEXT),
    field("date", MOMENT),
    field("modified", MOMENT),
    field(
        "author",
        ("{type: reference, to: authors}", |field| !field.list && field.takes == Takes::Reference(AUTHORS)),
    ),
    field("tags", ("{type: text, list: true}", |field| field.list && field.takes == Takes::Text)),
    field("excerpt", TEXT),
    field("image", ("{type: picture}", |field| !field.list && field.takes == Takes::Picture)),
    field("key", TEXT),
    field("html_budget", ("{type: number}", |field| !field.list && field.takes == Takes::Number)),
    field("draft", FLAG),
    field("publish_at", MOMENT),
    field("untranslated", FLAG),
    field("expires_at", MOMENT),
];

/// The fields without which there is no post.
pub(in crate::content) const REQUIRED_OF_POSTS: &[&str] = &["title", "date", "author"];

/// Whether the blog reads a field of posts itself. Sites add others.
pub(in crate::content) fn is_of_blog(name: &str) -> bool {
    BLOG_FIELDS.iter().any(|field| field.name == name)
}

/// The fields by which the front matter of posts is read.
#[derive(Debug, Clone, Copy)]
pub(in crate::content) struct PostsSchema {
    /// The fields; none if nothing was read.
    pub fields: &'static Block,
    /// The text of the schema, by which the cache knows whether posts were read with it.
    pub text: &'static str,
    /// The schema of the site has mistakes, which were reported, so that of the theme stands in for it.
    pub is_substitute: bool,
}

impl Default for PostsSchema {
    fn default() -> PostsSchema {
        static NONE: Block = Block::empty();
        PostsSchema { fields: &NONE, text: "", is_substitute: false }
    }
}

impl PostsSchema {
    /// Problems of front matter without those that follow from a mistake in the schema: nobody knows the fields that a site adds.
    pub fn consequences_left_out(self, problems: Problems) -> Problems {
        problems.without(|problem| self.is_substitute && problem.code == Code::UnknownKey)
    }
}
