//! The schema of blog posts, beside the fields of a site: the fields that the blog reads itself.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::blog::{BLOG_FIELDS, BlogField, REQUIRED_OF_POSTS};
use diagnostics::problem::{Code, Problem, Problems, Severity, Source, Span};
use diagnostics::yaml::{self, Spanned};
use schema::Block;

use super::{CollectionFile, CollectionSchema, POSTS};

/// The keys of the schema of posts. The blog gives posts their addresses, titles, lists and feeds, and knows their dates.
#[derive(Deserialize)]
pub(super) struct PostsFile {
    /// The purpose of a post, in a sentence.
    meaning: String,
    /// The order of posts in lists of entries.
    #[serde(default)]
    sort: Vec<Spanned<String>>,
    /// The widths of photographs in fields that the site adds.
    picture_widths: Option<Vec<u32>>,
    // Read in order, one by one.
    #[serde(rename = "fields")]
    _fields: IgnoredAny,
}

impl From<PostsFile> for CollectionFile {
    fn from(file: PostsFile) -> CollectionFile {
        CollectionFile {
            sort: file.sort,
            picture_widths: file.picture_widths,
            ..CollectionFile::plain(file.meaning)
        }
    }
}

/// Reports fields that the blog reads and that the schema lacks, or declares as something else. `None` if there are such.
pub(super) fn check(fields: &Block, source: &Arc<Source>, problems: &mut Problems) -> Option<()> {
    let before = problems.count(Severity::Error);
    for BlogField {
        name,
        declared,
        fits,
    } in BLOG_FIELDS
    {
        let is_required = REQUIRED_OF_POSTS.contains(name);
        let problem = match fields.field(name) {
            Some(field) if !fits(field) => {
                let message = format!(
                    "the blog reads `{name}` from its posts, and needs it to be `{declared}`"
                );
                let place = yaml::place_of_key(source, &["fields", name]);
                Problem::error(Code::CollectionSchema, message)
                    .at(place)
                    .hint("give your field another name")
            }
            Some(field) if is_required && !field.required => {
                let message = format!("every post needs `{name}`, so the field must be required");
                let place = yaml::place_of_key(source, &["fields", name]);
                Problem::error(Code::CollectionSchema, message)
                    .at(place)
                    .hint("add `required: true`")
            }
            None if is_required => {
                let message =
                    format!("`{POSTS}` contains the blog's posts, which need the field `{name}`");
                let problem = Problem::error(Code::CollectionSchema, message)
                    .at(source.place(Span::new(0, 0)));
                problem.hint(format!(
                    "add `{name}: {declared}` with `required` and `meaning`"
                ))
            }
            _ => continue,
        };
        problems.push(problem);
    }
    (problems.count(Severity::Error) == before).then_some(())
}

impl CollectionSchema {
    /// Whether its entries are the posts of the blog.
    pub fn is_of_posts(&self) -> bool {
        self.name == POSTS
    }

    /// Whether its entries have pages of their own.
    pub fn has_pages(&self) -> bool {
        self.address.is_some() || self.is_of_posts()
    }
}
