//! The schema of blog posts: its keys, and the fields of the theme that the blog shows itself.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde::de::IgnoredAny;

use diagnostics::problem::{Code, Problem, Problems, Severity, Source, Span};
use diagnostics::yaml::{self, Spanned, Value};
use schema::Block;

use super::load::{POSTS_SCHEMA, posts_of_theme};
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

/// The fields by which the front matter of posts is read.
#[derive(Debug, Clone, Copy)]
pub struct PostsSchema {
    /// The fields; none if nothing was read.
    pub fields: &'static Block,
    /// The text of the schema, by which the cache knows whether posts were read with it.
    pub text: &'static str,
    /// The schema of the site has mistakes, which were reported, so the schema of the theme is used instead.
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

/// Whether the blog shows a field of posts itself: those of the theme's schema. Sites add others.
pub fn is_of_blog(name: &str) -> bool {
    static OF_THEME: LazyLock<&Block> = LazyLock::new(|| &posts_of_theme().fields);
    OF_THEME.field(name).is_some()
}

/// Reports fields that the blog shows and that the schema lacks, or declares in another way than the theme. `None` if there
/// are such.
pub(super) fn check(fields: &Block, source: &Arc<Source>, problems: &mut Problems) -> Option<()> {
    if source.text == POSTS_SCHEMA {
        return Some(());
    }
    let before = problems.count(Severity::Error);
    for of_theme in &posts_of_theme().fields.fields {
        let name = of_theme.name;
        let declared = || declared(name);
        let problem = match fields.field(name) {
            Some(field) if (field.list, &field.takes) != (of_theme.list, &of_theme.takes) => {
                let message = format!(
                    "the blog reads `{name}` from its posts, and needs it to be `{}`",
                    declared()
                );
                let place = yaml::place_of_key(source, &["fields", name]);
                Problem::error(Code::CollectionSchema, message)
                    .at(place)
                    .hint("give your field another name")
            }
            Some(field) if of_theme.required && !field.required => {
                let message = format!("every post needs `{name}`, so the field must be required");
                let place = yaml::place_of_key(source, &["fields", name]);
                Problem::error(Code::CollectionSchema, message)
                    .at(place)
                    .hint("add `required: true`")
            }
            None if of_theme.required => {
                let message =
                    format!("`{POSTS}` contains the blog's posts, which need the field `{name}`");
                let problem = Problem::error(Code::CollectionSchema, message)
                    .at(source.place(Span::new(0, 0)));
                problem.hint(format!(
                    "add `{name}: {}` with `required: true` and a `meaning`",
                    declared()
                ))
            }
            _ => continue,
        };
        problems.push(problem);
    }
    (problems.count(Severity::Error) == before).then_some(())
}

/// The type of a field as the theme declares it: `{type: reference, to: authors}`.
fn declared(name: &str) -> String {
    let source = &posts_of_theme().source;
    let schema = yaml::parse(source, 0..source.text.len()).ok();
    let field = schema
        .as_ref()
        .and_then(|node| node.get("fields")?.get(name));
    let keys = ["type", "to", "list"].into_iter().filter_map(|key| {
        let value = match &field?.get(key)?.value {
            Value::Text(text) => text.clone(),
            Value::Bool(flag) => flag.to_string(),
            _ => return None,
        };
        Some(format!("{key}: {value}"))
    });
    format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
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
