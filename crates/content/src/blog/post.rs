//! A post in one locale, independent of its source.
//!
//! The body of a post is dropped once its page is rendered ([`Post::drop_body`]), unless the search index needs it,
//! and is read from its file again if necessary. Keeping all bodies of a large blog took a fifth of a build's memory.
//! Posts of a CMS have no file, so their bodies stay in memory.
//!
//! [`PostSummary`] contains the fields that other pages show. A field that is missing there does not invalidate those
//! pages when it changes.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use config::SiteSettings;
use diagnostics::marks;
use diagnostics::problem::{Code, Place, Problem, Source, Span};
use schema::Block;
use schema::types::{Focus, Moment, When, Zone};
use text::rich::{Heading, InlinePicture, Piece, Rich, Target};
use workspace::files::FileSet;
use workspace::sources::{Hash, hash};

use super::{Part, markdown};
use crate::collections::{Written, is_of_blog};

/// A post in one locale.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Post {
    /// Stable id: the slug of its file (`slow-query-plan`), or the id in the CMS.
    pub id: String,
    /// Shared by translations. `page:blog/<key>` links to it.
    pub key: String,
    /// Its locale.
    pub locale: String,
    /// Its slug in URLs.
    pub slug: String,
    /// Plain text.
    pub title: Option<String>,
    /// Displayed date of publication.
    pub date: Option<When>,
    /// Displayed date of the last change.
    pub modified: Option<When>,
    /// The rendered body.
    pub body: Body,
    /// The sections and islands in the body, in order. Not in the cache.
    #[serde(skip)]
    pub parts: Vec<Part>,
    /// Headings of the body, for a table of contents.
    pub headings: Vec<Heading>,
    /// Word count, for the reading time.
    pub words: usize,
    /// How many of the words are characters of Chinese, or kana.
    pub ideographs: usize,
    /// One or two sentences, plain text; the beginning of the first paragraph if none was written.
    pub excerpt: Option<String>,
    /// Slug of its author, a key of [`Blog::authors`].
    pub author: Option<String>,
    /// The featured image.
    pub image: Option<PostImage>,
    /// Names of its tags.
    pub tags: Vec<String>,
    /// Published with `--drafts` only.
    pub draft: bool,
    /// Not published before this time.
    pub publish_at: Option<Moment>,
    /// Not published from this time on.
    pub expires_at: Option<Moment>,
    /// How many kB of HTML its page may have, if it has a budget of its own.
    pub html_budget: Option<u32>,
    /// The fields that the site adds.
    pub added: Option<Box<Added>>,
    /// Its file or URL in the CMS. Not in the cache, because it follows from the path of the entry.
    #[serde(skip)]
    pub origin: Origin,
    /// Hashes of its content.
    pub fingerprints: Fingerprints,
}

/// The featured image of a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostImage {
    /// Its key in [`Images`].
    pub src: String,
    /// Alternative text; empty for a decorative picture.
    pub alt: String,
    /// The point that stays in sight where it is cropped.
    pub focus: Option<Focus>,
    /// Span of its name in the file.
    pub span: Span,
}

/// The source of a post, for problems that later stages find.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A file. It is read again to locate a problem: keeping thousands of texts would waste memory.
    File {
        /// The files of the site when it was read.
        files: FileSet,
        /// Its path in the site, as problems print it.
        shown: String,
    },
    /// A URL of the CMS.
    Address(String),
}

impl Post {
    /// Whether it comes from a CMS, so that it cannot be corrected in the source files.
    pub fn is_of_cms(&self) -> bool {
        matches!(self.origin, Origin::Address(_))
    }

    /// The date of its last change, if it was changed after it was published.
    pub fn changed(&self, zone: &Zone) -> Option<When> {
        let published = self.date.map(|date| date.beginning(zone));
        self.modified
            .filter(|modified| published.is_none_or(|at| modified.beginning(zone) > at))
    }
}

/// The body of a post: safe HTML, possibly empty. The cache stores its links only.
#[derive(Debug)]
pub struct Body {
    /// Its links, pictures and anchors.
    links: Rich,
    /// The rendered body; `None` if it comes from the cache and is not yet needed, or has been dropped.
    html: Mutex<Option<Arc<Rich>>>,
}

/// A part of a post, as its author names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names describe themselves")]
pub enum PostPart {
    Address,
    Title,
    Date,
    Excerpt,
    Author,
    Picture,
    Tags,
    Added,
    Schedule,
    PicturesInText,
    Text,
}

impl PostPart {
    /// Its name in messages, behind "the".
    pub fn name(self) -> &'static str {
        match self {
            PostPart::Address => "URL",
            PostPart::Title => "title",
            PostPart::Date => "date",
            PostPart::Excerpt => "excerpt",
            PostPart::Author => "author",
            PostPart::Picture => "image",
            PostPart::Tags => "tags",
            PostPart::Added => "custom fields",
            PostPart::Schedule => "schedule",
            PostPart::PicturesInText => "images in the text",
            PostPart::Text => "text",
        }
    }
}

/// Why a post is not published now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostState {
    /// It is a draft.
    Draft,
    /// It is published from this time on.
    Scheduled(Moment),
    /// It was published until this time.
    Expired(Moment),
}

/// Hashes of a post. If they are unchanged, so is everything that is rendered from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Hash of the fields that other pages show.
    pub summary: Hash,
    /// Hash of body and headings.
    pub body: Hash,
}

/// The fields that a site adds to a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    values: Written,
    /// The file up to the end of the front matter, for the places of problems.
    pub head: String,
}

impl Added {
    /// Those that the schema has beside the fields of the blog; `None` without any.
    pub(super) fn new(
        fields: &Block,
        mut values: Map<String, Json>,
        head: &str,
    ) -> Option<Box<Added>> {
        values.retain(|name, _| !is_of_blog(name));
        (!values.is_empty()).then(|| {
            Box::new(Added {
                values: Written::new(fields, &values),
                head: head.to_owned(),
            })
        })
    }

    /// The values by the names of their fields.
    pub fn values(&self, fields: &Block) -> Map<String, Json> {
        self.values.all(fields)
    }
}

/// The fields of a post that lists, neighboring posts, feeds and the search show.
#[derive(Serialize)]
struct PostSummary<'a> {
    id: &'a str,
    key: &'a str,
    locale: &'a str,
    slug: &'a str,
    title: Option<&'a str>,
    date: Option<When>,
    modified: Option<When>,
    excerpt: Option<&'a str>,
    author: Option<&'a str>,
    image: Option<(&'a str, &'a str, Option<Focus>)>,
    tags: &'a [String],
    added: Option<&'a Written>,
}

fn body_hash(text: &Rich, headings: &[Heading], html_budget: Option<u32>) -> Hash {
    hash_of(&(text, headings, html_budget))
}

fn hash_of(value: &impl Serialize) -> Hash {
    // Serializing plain structs cannot fail.
    hash(&postcard::to_allocvec(value).unwrap_or_default())
}

impl Body {
    /// A body that was just rendered.
    pub fn read(html: Rich) -> Body {
        Body {
            links: html.links_only(),
            html: Mutex::new(Some(Arc::new(html))),
        }
    }

    /// Its links, pictures and anchors, without the text between them.
    pub fn links(&self) -> &Rich {
        &self.links
    }

    fn html(&self) -> MutexGuard<'_, Option<Arc<Rich>>> {
        // The lock cannot be poisoned: no code panics while holding it.
        self.html.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Edits the rendered body. A body that is not in memory is left unchanged.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut Rich)) {
        let Some(html) = self.html.get_mut().unwrap_or_else(PoisonError::into_inner) else {
            return;
        };
        let html = Arc::make_mut(html);
        change(html);
        self.links = html.links_only();
    }
}

impl Clone for Body {
    fn clone(&self) -> Body {
        Body {
            links: self.links.clone(),
            html: Mutex::new(self.html().clone()),
        }
    }
}

impl Default for Origin {
    fn default() -> Origin {
        Origin::Address(String::new())
    }
}

impl Origin {
    /// The path or the URL, as problems print it.
    pub fn path(&self) -> &str {
        match self {
            Origin::File { shown, .. } => shown,
            Origin::Address(address) => address,
        }
    }

    /// The path of its file; `None` for a post of a CMS.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Origin::File { files, shown } => Some(files.join(shown)),
            Origin::Address(_) => None,
        }
    }

    /// Whether it is this file.
    pub fn is(&self, path: &Path) -> bool {
        self.file().is_some_and(|file| file == path)
    }

    /// The location of the whole post.
    pub fn whole(&self) -> Place {
        Place::file(self.path())
    }

    /// The locations of spans.
    pub fn places(&self) -> PlacesInPost<'_> {
        PlacesInPost {
            origin: self,
            source: OnceCell::new(),
        }
    }
}

/// The locations of spans in a post. Its file is read once, if there is one to report.
#[derive(Debug)]
pub struct PlacesInPost<'a> {
    origin: &'a Origin,
    source: OnceCell<Option<Arc<Source>>>,
}

impl PlacesInPost<'_> {
    /// The location of a span. Falls back to the whole post if the file cannot be read.
    pub fn place(&self, span: Span) -> Place {
        let source = self.source.get_or_init(|| match self.origin {
            Origin::File { files, shown } => files.read_listed(shown).ok(),
            Origin::Address(_) => None,
        });
        let place = source.as_ref().map(|source| source.place(span));
        place.unwrap_or_else(|| self.origin.whole())
    }
}

impl Serialize for Body {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.links.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Body, D::Error> {
        Ok(Body {
            links: Rich::deserialize(deserializer)?,
            html: Mutex::default(),
        })
    }
}

impl Post {
    /// The rendered body. If it is not in memory, or if its texts are to be marked, the file is read again. Fails if the file no longer exists or has
    /// changed since the build first read it: the fingerprint of the page would not match its content.
    pub fn text(&self, settings: &SiteSettings) -> Result<Arc<Rich>, Problem> {
        let html = self.body.html().clone();
        if let Some(html) = html.filter(|_| settings.marks.is_none()) {
            return Ok(html);
        }
        let Origin::File { files, shown } = &self.origin else {
            return Ok(Arc::new(self.body.links.clone()));
        };
        let (text, headings) = markdown::text(
            settings.in_language(&self.locale),
            files,
            shown,
            &self.body.links,
        )?;
        if settings.marks.is_none()
            && body_hash(&text, &headings, self.html_budget) != self.fingerprints.body
        {
            let problem = Problem::error(
                Code::ChangedWhileBuilding,
                "the file was changed while the site was being built",
            );
            return Err(problem.at(Place::file(shown)).hint("build again"));
        }
        Ok(Arc::new(text))
    }

    /// Its headings with marks of their places, for settings that ask for them.
    pub fn marked_headings(&self, settings: &SiteSettings) -> Option<Vec<Heading>> {
        let Origin::File { files, shown } = &self.origin else {
            return None;
        };
        settings.marks.as_ref()?;
        markdown::text(settings, files, shown, &self.body.links)
            .ok()
            .map(|(_, headings)| headings)
    }

    /// The origin of a key of its front matter, as a mark in a page names it.
    pub fn origin_of(&self, key: &str) -> marks::TextOrigin {
        marks::TextOrigin::Key {
            path: self.origin.path().to_owned(),
            keys: vec![key.to_owned()],
        }
    }

    /// Drops the body if it can be read from a file again, so that not all bodies of a large blog are in memory at
    /// once.
    pub fn drop_body(&self) {
        if let Origin::File { .. } = self.origin {
            self.body.html().take();
        }
    }

    /// Computes the fingerprints of a post that was just read. A post from the cache already has them.
    pub(super) fn fingerprint(&mut self) {
        let Some(html) = self.body.html().clone() else {
            return;
        };
        let summary = PostSummary {
            id: &self.id,
            key: &self.key,
            locale: &self.locale,
            slug: &self.slug,
            title: self.title.as_deref(),
            date: self.date,
            modified: self.modified,
            excerpt: self.excerpt.as_deref(),
            author: self.author.as_deref(),
            image: self
                .image
                .as_ref()
                .map(|image| (image.src.as_str(), image.alt.as_str(), image.focus)),
            tags: &self.tags,
            added: self.added.as_ref().map(|added| &added.values),
        };
        self.fingerprints = Fingerprints {
            summary: hash_of(&summary),
            body: body_hash(&html, &self.headings, self.html_budget),
        };
    }

    /// Adds tags that another post has named to its fingerprint.
    pub(super) fn fingerprint_tags(&mut self) {
        self.fingerprints.summary = hash_of(&(self.fingerprints.summary, &self.tags));
    }

    /// The parts in which another version of the post differs.
    pub fn differences(&self, other: &Post) -> Vec<PostPart> {
        let pictures = |post: &Post| {
            post.pictures()
                .map(|picture| picture.src.clone())
                .collect::<Vec<_>>()
        };
        let image = |post: &Post| {
            post.image
                .as_ref()
                .map(|image| (image.src.clone(), image.alt.clone(), image.focus))
        };
        let address =
            |post: &Post| [&post.id, &post.key, &post.locale, &post.slug].map(String::clone);
        let times = |post: &Post| (post.draft, post.publish_at, post.expires_at);
        let parts = [
            (PostPart::Address, address(self) != address(other)),
            (PostPart::Title, self.title != other.title),
            (
                PostPart::Date,
                (self.date, self.modified) != (other.date, other.modified),
            ),
            (PostPart::Excerpt, self.excerpt != other.excerpt),
            (PostPart::Author, self.author != other.author),
            (PostPart::Picture, image(self) != image(other)),
            (PostPart::Tags, self.tags != other.tags),
            (PostPart::Added, self.added != other.added),
            (PostPart::Schedule, times(self) != times(other)),
            (PostPart::PicturesInText, pictures(self) != pictures(other)),
            (
                PostPart::Text,
                self.fingerprints.body != other.fingerprints.body,
            ),
        ];
        parts
            .into_iter()
            .filter(|(_, differs)| *differs)
            .map(|(part, _)| part)
            .collect()
    }

    /// The parts that decide its URL, its place in lists, and the lists that it is in.
    pub fn place(&self) -> impl Serialize + '_ {
        let times = (self.draft, self.publish_at, self.expires_at);
        let names = [&self.id, &self.key, &self.locale, &self.slug];
        (names, self.date, &self.author, &self.tags, times)
    }

    /// Everything that pages other than its own, or files of other pages, may have of it: all but its text. Sections of the
    /// site in its text count, too, because they have pictures and links of their own.
    pub fn all_but_text(&self) -> impl Serialize + PartialEq + '_ {
        let pictures: Vec<&str> = self
            .pictures()
            .map(|picture| picture.src.as_str())
            .collect();
        let times = (self.draft, self.publish_at, self.expires_at);
        let text_with_parts = (!self.parts.is_empty()).then_some(self.fingerprints.body);
        (
            self.fingerprints.summary,
            pictures,
            times,
            self.html_budget,
            text_with_parts,
        )
    }

    /// Whether it is published at the time `now`.
    pub fn is_public(&self, now: Moment) -> bool {
        self.state(now).is_none()
    }

    /// Why it is not published at the time `now`; `None` if it is.
    pub fn state(&self, now: Moment) -> Option<PostState> {
        if self.draft {
            Some(PostState::Draft)
        } else {
            self.publish_at
                .filter(|from| *from > now)
                .map(PostState::Scheduled)
                .or_else(|| {
                    self.expires_at
                        .filter(|until| *until <= now)
                        .map(PostState::Expired)
                })
        }
    }

    /// The links in its body.
    pub fn links(&self) -> impl Iterator<Item = &Target> {
        self.body
            .links
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Link(target) | Piece::Media(_, target) => Some(target),
                _ => None,
            })
    }

    /// The pictures in its body.
    pub fn pictures(&self) -> impl Iterator<Item = &InlinePicture> {
        self.body
            .links
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Picture(picture) => Some(picture),
                _ => None,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::{self, Options};

    #[test]
    fn a_file_that_changed_during_the_build_is_refused() {
        let site = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let file = site.path().join(path);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, text).expect("a file");
        };
        let text = |words: &str| {
            format!(
                "---\ntitle: A\ndate: 2025-01-02\nauthor: ana\n---\n## Heading\n\n{words} {{product.name}}\n"
            )
        };
        write(
            "content/site.yaml",
            "base_url: https://a.example/\nlocales: [en]\nproduct: {name: A, slug: a}\n",
        );
        write("content/blog/en/a.md", &text("First"));
        let (config, _) = config::load(&Options {
            root: site.path().to_owned(),
            ..Options::default()
        });
        let config = config.expect("a site");
        let (content, _) = crate::load(&config);
        let post = content.blog.posts.first().expect("a post");
        let first = post.text(&config.site).expect("the rendered body");
        post.drop_body();
        assert_eq!(
            post.text(&config.site).expect("the same body, read again"),
            first
        );
        write("content/blog/en/a.md", &text("Second"));
        let problem = post.text(&config.site).expect_err("a changed file");
        assert_eq!(
            (problem.code, problem.place.map(|place| place.path)),
            (
                Code::ChangedWhileBuilding,
                Some("content/blog/en/a.md".into())
            )
        );
    }
}
