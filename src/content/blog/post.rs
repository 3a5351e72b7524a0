//! A post in one language, whatever it was written with.
//!
//! The body of a post is dropped when its page is made ([`Post::drop_body`]), unless the search index will be made of
//! it, and is read from its file again when something needs it. The texts of a large blog took a fifth of a build's
//! memory. Posts of a CMS have no file, and keep theirs.
//!
//! [`PostSummary`] is what other pages show of a post. A field that lists show must be in it, or they stay as they were
//! when it changes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::build_cache::{Hash, hash};
use crate::config::Config;
use crate::content::rich::{Heading, InlinePicture, Piece, Rich, Target};
use crate::content_types::{DateTime, Moment};
use diagnostics::problem::{Code, Place, Problem, Source, Span};

use super::markdown;

/// A post in one language, whatever it was written with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Post {
    /// Stable: its file without the language (`slow-query-plan`), or the number that the CMS knows it by.
    pub id: String,
    /// Ties translations. `page:blog/<key>` links to it.
    pub key: String,
    /// Its language.
    pub locale: String,
    /// Its name in addresses.
    pub slug: String,
    /// Plain text.
    pub title: Option<String>,
    /// When it was published, as a reader sees it.
    pub date: Option<DateTime>,
    /// When it was last changed.
    pub modified: Option<DateTime>,
    /// Its text.
    pub body: Body,
    /// The headings of its body, for a table of contents.
    pub headings: Vec<Heading>,
    /// How many words it has, for the reading time.
    pub words: usize,
    /// One or two sentences, plain text; made from the first paragraph when nobody wrote one.
    pub excerpt: Option<String>,
    /// The slug of its author, one of [`Blog::authors`].
    pub author: Option<String>,
    /// The picture above it.
    pub image: Option<PostImage>,
    /// Names of its tags.
    pub tags: Vec<String>,
    /// Shown because of `--drafts` only.
    pub draft: bool,
    /// Published from then on.
    pub publish_at: Option<Moment>,
    /// Published until then.
    pub expires_at: Option<Moment>,
    /// Where it was written.
    pub origin: Origin,
    /// They change when it does.
    pub fingerprints: Fingerprints,
}

/// The picture above a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostImage {
    /// Its key in [`Images`].
    pub src: String,
    /// What it shows; empty when it adds nothing to the text.
    pub alt: String,
    /// Where it was named.
    pub span: Span,
}

/// Where a post was written, for problems found later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// A file. Its text is read again when a problem needs it: thousands of texts would be kept for nothing.
    File {
        /// Where it lies.
        file: PathBuf,
        /// As problems print it.
        shown: String,
    },
    /// An address of the CMS.
    Address(String),
}

/// The text of a post: safe HTML, empty when it has none. Caches store its links only.
#[derive(Debug)]
pub struct Body {
    /// Its links, pictures and anchors.
    links: Rich,
    /// The rendered body; none if it comes from the cache and is not yet needed, or has been dropped.
    html: Mutex<Option<Arc<Rich>>>,
}

/// Hashes of a post. What is made from it is the same while they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Of what other pages show of it.
    pub summary: Hash,
    /// Of its body and headings.
    pub body: Hash,
}

/// What lists, neighbors, feeds and the search show of a post.
#[derive(Serialize)]
struct PostSummary<'a> {
    id: &'a str,
    key: &'a str,
    locale: &'a str,
    slug: &'a str,
    title: Option<&'a str>,
    date: Option<DateTime>,
    modified: Option<DateTime>,
    excerpt: Option<&'a str>,
    author: Option<&'a str>,
    image: Option<(&'a str, &'a str)>,
    tags: &'a [String],
}

fn body_hash(text: &Rich, headings: &[Heading]) -> Hash {
    hash_of(&(text, headings))
}

fn hash_of(value: &impl Serialize) -> Hash {
    // Structs of texts always serialize.
    hash(&postcard::to_allocvec(value).unwrap_or_default())
}

impl Body {
    /// A text that was read.
    pub fn read(html: Rich) -> Body {
        Body { links: html.links_only(), html: Mutex::new(Some(Arc::new(html))) }
    }

    /// Its links, pictures and anchors, without the text between them.
    pub fn links(&self) -> &Rich {
        &self.links
    }

    fn html(&self) -> MutexGuard<'_, Option<Arc<Rich>>> {
        // Nobody can panic while holding it.
        self.html.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what was read; a body from the cache is left as it is.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut Rich)) {
        let Some(html) = self.html.get_mut().unwrap_or_else(PoisonError::into_inner) else { return };
        let html = Arc::make_mut(html);
        change(html);
        self.links = html.links_only();
    }
}

impl Clone for Body {
    fn clone(&self) -> Body {
        Body { links: self.links.clone(), html: Mutex::new(self.html().clone()) }
    }
}

impl Origin {
    /// The file or the address, as problems print it.
    pub fn path(&self) -> &str {
        match self {
            Origin::File { shown, .. } => shown,
            Origin::Address(address) => address,
        }
    }

    /// The place of the whole.
    pub fn whole(&self) -> Place {
        Place::file(self.path())
    }

    /// The place of a span.
    pub fn place(&self, span: Span) -> Place {
        match self {
            Origin::File { file, shown } => match std::fs::read_to_string(file) {
                Ok(text) => {
                    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
                    Source { path: shown.clone(), text }.place(span)
                }
                Err(_) => self.whole(),
            },
            Origin::Address(_) => self.whole(),
        }
    }
}

impl Serialize for Body {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.links.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Body, D::Error> {
        Ok(Body { links: Rich::deserialize(deserializer)?, html: Mutex::default() })
    }
}

impl Post {
    /// The rendered body. If it is not in memory, the file is read again. Fails if the file is gone, or says something
    /// else than when the build read it first: the fingerprint of the page would be that of a text that it does not
    /// show.
    pub fn text(&self, config: &Config) -> Result<Arc<Rich>, Problem> {
        let html = self.body.html().clone();
        if let Some(html) = html {
            return Ok(html);
        }
        let Origin::File { file, shown } = &self.origin else { return Ok(Arc::new(self.body.links.clone())) };
        let (text, headings) = markdown::text(config, file, &self.body.links)?;
        if body_hash(&text, &headings) != self.fingerprints.body {
            let problem = Problem::error(Code::ChangedWhileBuilding, "the file was changed while the site was built");
            return Err(problem.at(Place::file(shown)).hint("build again"));
        }
        Ok(Arc::new(text))
    }

    /// Drops the body if it can be read again, so that not all texts of a large blog are in memory at the same time.
    pub fn drop_body(&self) {
        if let Origin::File { .. } = self.origin {
            self.body.html().take();
        }
    }

    /// Hashes what was read. A post from the cache has the fingerprints of the text that it was made from.
    pub(super) fn fingerprint(&mut self) {
        let Some(html) = self.body.html().clone() else { return };
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
            image: self.image.as_ref().map(|image| (image.src.as_str(), image.alt.as_str())),
            tags: &self.tags,
        };
        self.fingerprints = Fingerprints { summary: hash_of(&summary), body: body_hash(&html, &self.headings) };
    }

    /// Whether it is published at a moment.
    pub fn is_public(&self, now: Moment) -> bool {
        !self.draft && self.publish_at.is_none_or(|from| from <= now) && self.expires_at.is_none_or(|until| now < until)
    }

    /// The links in its text.
    pub fn links(&self) -> impl Iterator<Item = &Target> {
        self.body.links.pieces.iter().filter_map(|piece| match piece {
            Piece::Link(target) => Some(target),
            _ => None,
        })
    }

    /// The pictures in its text.
    pub fn pictures(&self) -> impl Iterator<Item = &InlinePicture> {
        self.body.links.pieces.iter().filter_map(|piece| match piece {
            Piece::Picture(picture) => Some(picture),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{self, Options};
    use crate::content::Images;

    #[test]
    fn a_text_that_was_saved_during_the_build_is_refused() {
        let site = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let file = site.path().join(path);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, text).expect("a file");
        };
        let text = |words: &str| {
            format!("---\ntitle: A\ndate: 2025-01-02\nauthor: ana\n---\n## Heading\n\n{words} {{product.name}}\n")
        };
        write("content/site.yaml", "base_url: https://a.example/\nlocales: [en]\nproduct: {name: A, slug: a}\n");
        write("content/blog/en/a.md", &text("First"));
        let (config, _) = config::load(&Options { root: site.path().to_owned(), ..Options::default() });
        let config = config.expect("a site");
        let (blog, _) = markdown::load(&config, &Images::default(), BTreeMap::new());
        let post = blog.posts.first().expect("a post");
        let whole = post.text(&config).expect("what was read");
        post.drop_body();
        assert_eq!(post.text(&config).expect("the same text, read again"), whole);
        write("content/blog/en/a.md", &text("Second"));
        let refused = post.text(&config).expect_err("another text");
        assert_eq!(
            (refused.code, refused.place.map(|place| place.path)),
            (Code::ChangedWhileBuilding, Some("content/blog/en/a.md".into()))
        );
    }
}
