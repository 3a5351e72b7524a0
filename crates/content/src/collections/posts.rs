//! The posts of the blog as entries of the collection `posts`, for lists, references and templates.
//!
//! A blog may have 100,000 posts, which few sites show as entries: so they are made only if a page, a schema, a menu, a form
//! or a template of the site asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::blog::{Blog, Post, PostState};
use crate::forms::Forms;
use crate::pages::PageFile;
use crate::sections::Kinds;
use crate::templates::Templates;
use crate::{front_matter, origins, words};
use config::{Config, MenuEntry};
use diagnostics::marks::without;
use diagnostics::problem::{Problems, Source, Span};
use diagnostics::yaml::{self, Spanned};
use schema::types::{IMAGE, Reference, Typed, When};
use schema::{Block, Field, Takes, marked};

use super::entries::{doubles, passing};
use super::{
    AUTHORS, Collection, Collections, EntryFile, EntryText, EntryValues, POSTS, PostsSchema,
    Withdrawn, is_of_blog, load_schemas, posts_of_theme,
};

/// The beginnings of the names of templates whose `entry` is a post.
const TEMPLATES_OF_POSTS: [&str; 3] = [
    "pages/blog-post",
    "components/article/",
    "components/post-card/",
];

/// The sources that can ask for posts as entries, beside collections.
pub(crate) struct Askers<'a> {
    pub pages: &'a [PageFile],
    pub shared: &'a [PageFile],
    pub kinds: &'a Kinds,
    pub forms: &'a Forms,
    pub templates: &'a Templates,
}

impl Askers<'_> {
    /// Whether something shows posts as entries, or refers to them.
    pub fn ask(&self, config: &Config, collections: &Collections) -> bool {
        let schemas = || collections.list.iter().map(|collection| collection.schema);
        let has_added = || {
            schemas().any(|schema| {
                schema.is_of_posts()
                    && schema
                        .fields
                        .fields
                        .iter()
                        .any(|field| !is_of_blog(field.name))
            })
        };
        let in_forms = || {
            self.forms.list.iter().any(|form| {
                form.form
                    .fields
                    .iter()
                    .any(|field| field.to.as_ref().is_some_and(|to| to.value == POSTS))
            })
        };
        let site = &config.site;
        let in_menus = || {
            let footer = site.footer.groups.iter().flat_map(|group| &group.links);
            site.header.menu.iter().chain(footer).any(lists_posts)
        };
        has_added()
            || schemas().any(|schema| schema.fields.refers_to(POSTS))
            || self.kinds.iter().any(|kind| kind.fields.refers_to(POSTS))
            || self.pages.iter().chain(self.shared).any(|page| {
                page.sections
                    .iter()
                    .any(|section| section.lists().is_some_and(|lists| without(lists) == POSTS))
            })
            || in_menus()
            || in_forms()
            || self
                .templates
                .html
                .iter()
                .any(|(name, source)| of_template(name, &source.text))
    }
}

fn lists_posts(entry: &Spanned<MenuEntry>) -> bool {
    entry
        .value
        .entries
        .as_ref()
        .is_some_and(|of| of.value == POSTS)
        || entry.value.children.iter().any(lists_posts)
}

/// Whether a template asks for posts, or for a collection that only a build knows.
fn of_template(name: &str, text: &str) -> bool {
    text.contains("entries(")
        && words::arguments_of(text, "entries")
            .into_iter()
            .any(|arguments| {
                let first = arguments
                    .into_iter()
                    .next()
                    .map(|first| text[first].trim().to_owned());
                first.is_some_and(|first| match first.strip_prefix(['"', '\'']) {
                    Some(quoted) => quoted.trim_end_matches(['"', '\'']) == POSTS,
                    None => !first.is_empty(),
                })
            })
        || TEMPLATES_OF_POSTS
            .iter()
            .any(|of_posts| name.starts_with(of_posts))
            && text.contains("entry.")
}

impl Collections {
    /// The fields of posts: those of the site, or of the theme if its schema has mistakes.
    pub(crate) fn posts_schema(&self) -> PostsSchema {
        let own = self.named(POSTS).map(|posts| posts.schema);
        let schema = own.unwrap_or_else(posts_of_theme);
        PostsSchema {
            fields: &schema.fields,
            text: &schema.source.text,
            is_substitute: own.is_none(),
        }
    }

    /// Adds the posts of a blog as entries. Those that two entries must not share are reported.
    pub(crate) fn add_posts(&mut self, config: &Config, blog: &Blog) -> Problems {
        let mut problems = Problems::new();
        let Some(schema) = self.named(POSTS).map(|posts| posts.schema) else {
            return problems;
        };
        let places: BTreeMap<&str, usize> = config
            .site
            .locales
            .iter()
            .enumerate()
            .map(|(at, code)| (code.value.as_str(), at))
            .collect();
        let mut by_key: BTreeMap<&str, Vec<Option<&Post>>> = BTreeMap::new();
        for post in &blog.posts {
            let Some(at) = places.get(post.locale.as_str()) else {
                continue;
            };
            // Two posts of a language with one key were reported.
            by_key
                .entry(&post.key)
                .or_insert_with(|| vec![None; places.len()])[*at]
                .get_or_insert(post);
        }
        let is_shown: BTreeSet<&str> = by_key.keys().copied().collect();
        let withdrawn = blog
            .unpublished
            .iter()
            .filter(|post| !is_shown.contains(post.page.0.as_str()));
        let withdrawn: BTreeMap<&str, Withdrawn> = withdrawn
            .map(|post| {
                let (from, until) = match post.state {
                    PostState::Draft => (None, None),
                    PostState::Scheduled(from) => (Some(from), None),
                    PostState::Expired(until) => (None, Some(until)),
                };
                let (key, source) = (post.page.0.clone(), source(&post.origin, ""));
                (
                    post.page.0.as_str(),
                    Withdrawn {
                        key,
                        from,
                        until,
                        texts: Vec::new(),
                        source,
                    },
                )
            })
            .collect();
        let entry = |(key, posts): (&&str, &Vec<Option<&Post>>)| {
            let text = |(at, post): (usize, Option<&Post>)| {
                let post = post?;
                let head = post.added.as_ref().map_or("", |added| added.head.as_str());
                let values = values(&schema.fields, config, post, &|slug: &str| {
                    self.is_public(AUTHORS, slug)
                });
                let (source, span) = (source(post.origin.path(), head), Span::new(0, head.len()));
                let values = EntryValues::new(&schema.fields, &Json::Object(values));
                let lent = BTreeMap::new();
                Some(EntryText {
                    words_in: at,
                    values,
                    source,
                    span,
                    lent,
                })
            };
            let texts: Vec<Option<EntryText>> =
                posts.iter().copied().enumerate().map(text).collect();
            let main = texts.iter().flatten().next()?;
            let source = Arc::clone(&main.source);
            let passes = passing(schema, main, &config.site.timezone);
            Some(EntryFile {
                key: (*key).to_owned(),
                texts,
                source,
                until: None,
                passes,
                row: 0,
                lacks: Vec::new(),
            })
        };
        let entries: Vec<EntryFile> = by_key.iter().filter_map(entry).collect();
        doubles(schema, &entries)
            .into_values()
            .for_each(|problem| problems.push(problem));
        let broken = blog
            .broken_posts
            .iter()
            .map(|post| post.slug.clone())
            .collect();
        let withdrawn = withdrawn.into_values().collect();
        let posts = Collection {
            schema,
            entries: Arc::new(entries),
            withdrawn,
            broken,
        };
        self.list
            .iter_mut()
            .filter(|collection| collection.schema.is_of_posts())
            .for_each(|own| *own = posts.clone());
        problems
    }
}

/// The fields of posts, read before anything else is: those of the site, or of the theme.
pub(crate) fn posts_fields(config: &Config) -> &'static Block {
    let ((schemas, _), _) = load_schemas(config);
    &schemas
        .into_iter()
        .find(|schema| schema.is_of_posts())
        .unwrap_or_else(posts_of_theme)
        .fields
}

fn source(path: &str, text: &str) -> Arc<Source> {
    Arc::new(Source::new(path.to_owned(), text.to_owned()))
}

/// The texts of fields that the site adds to a post, marked with their places, if a build marks texts: what is kept of a post has
/// no marks.
fn marked_fields(fields: &'static [Field], config: &Config, post: &Post) -> Map<String, Json> {
    let nothing = Map::new();
    let (Some(_), Some(added)) = (
        &config.site.marks,
        post.added.as_ref().filter(|added| !added.head.is_empty()),
    ) else {
        return nothing;
    };
    let source = source(post.origin.path(), &added.head);
    let Ok((front, _)) = front_matter::split(&source) else {
        return nothing;
    };
    let Ok(mut node) = yaml::parse(&source, front) else {
        return nothing;
    };
    origins::mark_tree(&config.site, &source, &mut node);
    let added = fields.iter().filter(|field| !is_of_blog(field.name));
    added
        .filter_map(|field| {
            let value =
                yaml::read_seed(&source, node.get(field.name)?, field, &mut Problems::new())?;
            Some((field.name.to_owned(), value))
        })
        .collect()
}

/// The values of a post by the names of its fields.
fn values(
    block: &'static Block,
    config: &Config,
    post: &Post,
    has_author: &dyn Fn(&str) -> bool,
) -> Map<String, Json> {
    let fields = block.fields.as_slice();
    let mut added = post
        .added
        .as_ref()
        .map(|added| added.values(block))
        .unwrap_or_default();
    added.extend(marked_fields(fields, config, post));
    let text = |text: &Option<String>| text.as_ref().map(|text| Json::from(text.as_str()));
    let moment = |when: When| marked(&Typed::Moment(when));
    let mut value = |field: &Field| match field.name {
        "title" => text(&post.title),
        "date" => post.date.map(moment),
        "modified" => post.modified.map(moment),
        // The authors of a CMS are no entries.
        "author" => post
            .author
            .as_ref()
            .filter(|slug| has_author(slug))
            .map(|slug| {
                marked(&Typed::Reference(Reference {
                    to: AUTHORS.to_owned(),
                    key: slug.clone(),
                    span: Span::default(),
                }))
            }),
        "tags" => Some(post.tags.iter().map(String::as_str).collect()),
        "excerpt" => text(&post.excerpt),
        "image" => post.image.as_ref().map(|image| {
            let alt = Some(&image.alt).filter(|alt| !alt.is_empty());
            json!({IMAGE: (&image.src, image.span, alt, alt.is_none(), image.focus)})
        }),
        "key" => Some(Json::from(post.key.as_str())),
        "html_budget" => post.html_budget.map(Json::from),
        "draft" => Some(Json::from(post.draft)),
        "publish_at" => post
            .publish_at
            .map(|at| moment(When::at(at, &config.site.timezone))),
        "expires_at" => post
            .expires_at
            .map(|at| moment(When::at(at, &config.site.timezone))),
        name => added.remove(name),
    };
    fields
        .iter()
        .filter(|field| !matches!(field.takes, Takes::Reverse(..)) || field.list)
        .map(|field| {
            let value = value(field).or_else(|| field.absent()).unwrap_or_default();
            (field.name.to_owned(), value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_that_ask_for_posts_are_known() {
        let check = |name: &str, text: &str, expect: bool| {
            assert_eq!(of_template(name, text), expect, "{name}: {text}");
        };
        check(
            "pages/page.html",
            r#"{{ entries("posts", limit=3) }}"#,
            true,
        );
        check(
            "pages/page.html",
            "{% for post in entries('posts') %}",
            true,
        );
        check(
            "pages/page.html",
            r#"{{ entries("notices") }} {# entries("posts") #}"#,
            false,
        );
        check("pages/page.html", "{{ entries(section.of) }}", true);
        check("pages/page.html", "{{ entry.title }}", false);
        check("components/article/post.html", "{{ entry.title }}", true);
    }
}
