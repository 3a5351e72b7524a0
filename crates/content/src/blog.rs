//! The blog: posts from one of three sources, in one format, and their authors.
//!
//! A post contains its body as HTML with unresolved links and pictures, and no copy of its source file: a blog may have
//! 100,000 posts.

pub mod archive;
mod author;
pub(super) mod claims;
mod cms;
pub(super) mod fetch;
mod import;
pub(super) mod markdown;
mod parts;
mod pictures;
mod post;
mod post_cache;
mod posts_api;
mod raw;
mod snapshot;
mod wordpress;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use config::Config;
use config::source_index::SourceIndex;
use diagnostics::problem::Problems;
use schema::types::{Moment, Scheduled, When, caseless, has_dotless_i, lower_case};
use workspace::parallel;

use super::Images;
use super::collections::PostsSchema;
use super::sections::Kinds;
use claims::Claims;

pub use author::{AUTHORS, Author};
pub(super) use cms::Fetched;
pub use parts::{IslandCall, Part, fields_of_sections};
pub use post::{Added, Body, Fingerprints, Origin, Post, PostImage, PostPart, PostState};
pub use snapshot::Changes;

/// The first part of the keys of pages of posts: `page:blog/<key>`.
pub const BLOG: &str = "blog";
/// First segments of URL paths in `/blog/` that are not posts.
const RESERVED: &[&str] = &[
    "page",
    "tag",
    "author",
    "feed.xml",
    "atom.xml",
    "feed.json",
    "index.html",
];

/// The language of each locale by code, as pages have it.
pub(super) type Languages = BTreeMap<String, String>;

/// All posts that are published now; empty for a site without a blog.
#[derive(Debug, Default)]
pub struct Blog {
    /// Posts of all locales, in the order of the settings; newest first, those without a date last.
    /// Boxed, so that sorting moves pointers and not all fields.
    pub posts: Vec<Box<Post>>,
    /// Authors by slug.
    pub authors: BTreeMap<String, Author>,
    /// Posts whose files could not be read. Links to them are not reported as dead.
    pub broken_posts: Vec<BrokenPost>,
    /// The next scheduled publication or expiry of a post, if any.
    pub next_change: Option<NextChange>,
    /// The parts in which posts differ from their cached versions, by the paths of the posts as problems print them.
    pub edits: BTreeMap<String, Vec<PostPart>>,
    /// The posts that are not published now, whether or not `--drafts` shows them, by path.
    pub unpublished: Vec<Unpublished>,
    /// The inputs with which posts were read.
    pub(super) inputs: PostInputs,
    /// The posts are those of a CMS, which nobody can correct in the source files. It may have none.
    pub is_of_cms: bool,
    /// Changes in the CMS since the last build; `None` if it was not queried, or for the first time.
    pub changes: Option<Changes>,
}

/// The parts of the site with which posts are read.
#[derive(Debug, Default)]
pub(super) struct PostInputs {
    /// The kinds of sections that posts may show.
    pub kinds: Kinds,
    /// The language of each locale.
    pub languages: Languages,
    /// The fields of front matter.
    pub schema: PostsSchema,
}

/// A time at which the site must be rebuilt, because scheduled posts are published or posts expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextChange {
    /// The time.
    pub at: Moment,
    /// Origins of the posts that are published then.
    pub published: Vec<String>,
    /// Origins of the posts that expire then.
    pub withdrawn: Vec<String>,
    /// Files of entries with a date that passes then, which lists of what is upcoming or past show elsewhere.
    pub passed: Vec<String>,
}

impl NextChange {
    /// The next change of pages, sections and links of menus.
    pub(super) fn of(scheduled: &[Scheduled], now: Moment) -> Option<NextChange> {
        // A period that ends before it begins was reported.
        let all = || scheduled.iter().filter(|one| !one.dates.is_reversed());
        let at = all()
            .flat_map(|one| [one.dates.from, one.dates.until])
            .flatten()
            .filter(|at| *at > now)
            .min()?;
        let places = |date: fn(&Scheduled) -> Option<Moment>| {
            all()
                .filter(|one| date(one) == Some(at))
                .map(|one| one.place.clone())
                .collect()
        };
        Some(NextChange {
            at,
            published: places(|one| one.dates.from),
            withdrawn: places(|one| one.dates.until),
            passed: Vec::new(),
        })
    }

    /// The first of two, or both if they are at one time.
    pub(super) fn first(mut self, other: NextChange) -> NextChange {
        match self.at.cmp(&other.at) {
            Ordering::Less => self,
            Ordering::Greater => other,
            Ordering::Equal => {
                self.published.extend(other.published);
                self.withdrawn.extend(other.withdrawn);
                self.passed.extend(other.passed);
                self
            }
        }
    }
}

/// A post that is not published now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpublished {
    /// Its language.
    pub locale: String,
    /// The key and the slug of its page.
    pub page: (String, String),
    /// Its title, or its slug if it has none.
    pub title: String,
    /// Its file or its address in the CMS, as problems print it.
    pub origin: String,
    /// Why it is not published.
    pub state: PostState,
}

/// A post whose file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPost {
    /// Its language.
    pub locale: String,
    /// Its slug, which is also its key unless the file sets another.
    pub slug: String,
}

/// Fetches the posts of the CMS in `site.yaml`.
pub(super) fn fetch(
    config: &Config,
    claims: Claims,
    fields: &'static ::schema::Block,
    on_wait: &dyn Fn(&str, u64),
) -> Fetched {
    cms::fetch(config, claims, fields, on_wait)
}

/// Reads the posts in the folder of the site, or takes those that were fetched from a CMS, or those of an earlier reading; the
/// claims are those of the site as it is now. Pictures of a CMS are added to `images`.
pub(super) fn load(
    config: &Config,
    sources: &SourceIndex,
    images: &mut Images,
    inputs: PostInputs,
    authors: BTreeMap<String, Author>,
    fetched: Option<(Fetched, Claims)>,
    known: Option<&Blog>,
) -> (Blog, Problems) {
    let mut problems = Problems::new();
    let read = match (known, fetched) {
        (Some(known), _) => (known.with(authors), Problems::new()),
        (None, None) => markdown::load(config, images, &inputs, authors, sources),
        (None, Some((fetched, claims))) => fetched.into_blog(config, images, sources, claims),
    };
    let mut blog = problems.take(read);
    blog.inputs = inputs;
    blog.unite_tags();
    blog.publish(config);
    blog.mark(config);
    (blog, problems)
}

impl Blog {
    /// The same posts, by authors that were read again. Those of a CMS are no files.
    fn with(&self, authors: BTreeMap<String, Author>) -> Blog {
        let authors = if self.is_of_cms {
            self.authors.clone()
        } else {
            authors
        };
        Blog {
            posts: self.posts.clone(),
            authors,
            is_of_cms: self.is_of_cms,
            ..Blog::default()
        }
    }

    /// Marks titles and excerpts, if the settings ask for it. Bodies are marked when they are rendered.
    fn mark(&mut self, config: &Config) {
        let Some(marks) = &config.site.marks else {
            return;
        };
        for post in &mut self.posts {
            let (title, excerpt) = (post.origin_of("title"), post.origin_of("excerpt"));
            post.title = post.title.take().map(|text| marks.marked(title, &text));
            post.excerpt = post.excerpt.take().map(|text| marks.marked(excerpt, &text));
        }
    }

    /// Gives tags of a language that are one, but for letters in upper case or `ß`, one name: that of most posts. Those that have
    /// one URL are one already.
    fn unite_tags(&mut self) {
        // Looked at in each build, so nearly all blogs end here.
        let is_turkic = |language: &String| has_dotless_i(language);
        let has_sharp_s = |tag: &String| !tag.is_ascii() && tag.contains(['ß', 'ẞ']);
        if !self.inputs.languages.values().any(is_turkic)
            && !self
                .posts
                .iter()
                .any(|post| post.tags.iter().any(has_sharp_s))
        {
            return;
        }
        let mut known: BTreeMap<(&str, String), BTreeMap<&str, usize>> = BTreeMap::new();
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for post in &self.posts {
            for tag in &post.tags {
                *counts.entry((&post.locale, tag)).or_default() += 1;
            }
        }
        for ((locale, tag), count) in counts {
            let language = self
                .inputs
                .languages
                .get(locale)
                .map_or(locale, String::as_str);
            let name = caseless(tag, language);
            known.entry((locale, name)).or_default().insert(tag, count);
        }
        let mut names: BTreeMap<(String, String), String> = BTreeMap::new();
        for ((locale, _), writings) in known {
            // The first of those that are as frequent.
            let Some((name, _)) = writings.iter().rev().max_by_key(|(_, count)| **count) else {
                continue;
            };
            let others = writings
                .keys()
                .filter(|tag| lower_case(tag) != lower_case(name));
            names.extend(
                others.map(|tag| ((locale.to_owned(), (*tag).to_owned()), (*name).to_owned())),
            );
        }
        if names.is_empty() {
            return;
        }
        for post in &mut self.posts {
            let locale = post.locale.clone();
            let mut is_renamed = false;
            for tag in &mut post.tags {
                if let Some(name) = names.get(&(locale.clone(), tag.clone())) {
                    tag.clone_from(name);
                    is_renamed = true;
                }
            }
            if is_renamed {
                post.fingerprint_tags();
            }
        }
    }

    fn next_change_after(&self, now: Moment) -> Option<NextChange> {
        // A post that expires before it is published is never visible.
        let visible = || {
            self.posts.iter().map(Box::as_ref).filter(|post| {
                !post.draft
                    && post
                        .expires_at
                        .is_none_or(|until| Some(until) > post.publish_at)
            })
        };
        let moments = visible().flat_map(|post| [post.publish_at, post.expires_at]);
        let at = moments.flatten().filter(|moment| *moment > now).min()?;
        let origins = |time: fn(&Post) -> Option<Moment>| {
            let posts = visible().filter(|post| time(post) == Some(at));
            posts.map(|post| post.origin.path().to_owned()).collect()
        };
        Some(NextChange {
            at,
            published: origins(|post| post.publish_at),
            withdrawn: origins(|post| post.expires_at),
            passed: Vec::new(),
        })
    }

    /// Removes posts that are not published now, and sorts the others.
    fn publish(&mut self, config: &Config) {
        self.next_change = self.next_change_after(config.run.now);
        let unpublished = self.posts.iter().filter_map(|post| {
            Some(Unpublished {
                locale: post.locale.clone(),
                page: (post.key.clone(), post.slug.clone()),
                title: post.title.clone().unwrap_or_else(|| post.slug.clone()),
                origin: post.origin.path().to_owned(),
                state: post.state(config.run.now)?,
            })
        });
        self.unpublished = unpublished.collect();
        self.unpublished.sort_by(|a, b| a.origin.cmp(&b.origin));
        if !config.run.drafts {
            self.posts.retain(|post| post.is_public(config.run.now));
        }
        // Posts with the same date are sorted by id, so that the order does not depend on that of the source.
        let locale = |post: &Post| {
            config
                .site
                .locales
                .iter()
                .position(|code| code.value == post.locale)
        };
        let by_locale = |a: &Post, b: &Post| {
            if a.locale == b.locale {
                Ordering::Equal
            } else {
                locale(a).cmp(&locale(b))
            }
        };
        // Nearly no post has an offset, and all are sorted in each build.
        let zone = &config.site.timezone;
        let has_offsets = self
            .posts
            .iter()
            .any(|post| post.date.is_some_and(When::has_offset));
        let by_date = |a: &Post, b: &Post| match (a.date, b.date) {
            (Some(a), Some(b)) if has_offsets => a.beginning(zone).cmp(&b.beginning(zone)),
            (a, b) => a.map(When::local).cmp(&b.map(When::local)),
        };
        parallel::sort_by(&mut self.posts, |a, b| {
            by_locale(a, b)
                .then_with(|| by_date(b, a))
                .then_with(|| a.id.cmp(&b.id))
        });
    }
}

/// The beginning of a text, truncated at a word boundary before 160 characters.
pub fn excerpt(lead: &str) -> Option<String> {
    const MAX_CHARS: usize = 160;
    let words = lead.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return None;
    }
    let Some((end, _)) = words.char_indices().nth(MAX_CHARS) else {
        return Some(words);
    };
    let cut = words[..end].rfind(' ').unwrap_or(end);
    Some(format!(
        "{}…",
        words[..cut].trim_end_matches([',', ';', ':', '.', '–', '—', '-', ' '])
    ))
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn an_excerpt_ends_with_a_word() {
        let text = "Nine words, which say one thing each, are enough. ".repeat(4);
        let cut = excerpt(&text).expect("an excerpt");
        assert!(cut.ends_with("are enough. Nine…"), "{cut}");
        assert_eq!(excerpt("Short\n text.").as_deref(), Some("Short text."));
        assert_eq!(excerpt(" "), None);
        assert_eq!(
            excerpt(&"ñ".repeat(200)).map(|text| text.chars().count()),
            Some(161)
        );
    }
}
