//! The fields of front matter: those that the blog reads itself, and how a site declares them beside its own.

use diagnostics::problem::{Code, Problems};
use schema::types::FieldType;
use schema::{Block, Field, Takes};

use super::AUTHORS;

/// A field that the blog reads.
pub(crate) struct BlogField {
    pub name: &'static str,
    /// How it is declared.
    pub declared: &'static str,
    /// Whether a field is declared so.
    pub fits: fn(&Field) -> bool,
}

const fn text(name: &'static str) -> BlogField {
    field(name, "{type: text}", |field| {
        !field.list && field.takes == Takes::Text
    })
}

const fn flag(name: &'static str) -> BlogField {
    field(name, "{type: flag}", |field| {
        !field.list && field.takes == Takes::Flag
    })
}

const fn moment(name: &'static str) -> BlogField {
    field(name, "{type: moment}", |field| {
        !field.list && field.takes == Takes::Typed(FieldType::Moment)
    })
}

const fn field(name: &'static str, declared: &'static str, fits: fn(&Field) -> bool) -> BlogField {
    BlogField {
        name,
        declared,
        fits,
    }
}

/// All fields that the blog reads.
pub(crate) const BLOG_FIELDS: &[BlogField] = &[
    text("title"),
    moment("date"),
    moment("modified"),
    field("author", "{type: reference, to: authors}", |field| {
        !field.list && field.takes == Takes::Reference(AUTHORS)
    }),
    field("tags", "{type: text, list: true}", |field| {
        field.list && field.takes == Takes::Text
    }),
    text("excerpt"),
    field("image", "{type: picture}", |field| {
        !field.list && field.takes == Takes::Picture
    }),
    text("key"),
    field("html_budget", "{type: number}", |field| {
        !field.list && field.takes == Takes::Number
    }),
    flag("draft"),
    moment("publish_at"),
    flag("untranslated"),
    moment("expires_at"),
];

/// The fields without which there is no post.
pub(crate) const REQUIRED_OF_POSTS: &[&str] = &["title", "date", "author"];

/// Whether the blog reads a field of posts itself. Sites add others.
pub(crate) fn is_of_blog(name: &str) -> bool {
    BLOG_FIELDS.iter().any(|field| field.name == name)
}

/// The fields by which the front matter of posts is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PostsSchema {
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
        PostsSchema {
            fields: &NONE,
            text: "",
            is_substitute: false,
        }
    }
}

impl PostsSchema {
    /// Problems of front matter without those that follow from a mistake in the schema: nobody knows the fields that a site adds.
    pub fn consequences_left_out(self, problems: Problems) -> Problems {
        problems.without(|problem| self.is_substitute && problem.code == Code::UnknownKey)
    }
}
