//! The blog: posts from one of three sources, all in one shape, and the authors who wrote them.
//!
//! A post holds its body as finished HTML whose links and pictures are open, and no other text of its file: there may be
//! a hundred thousand of them.

pub mod authors;
mod cms;
mod fetch;
pub(super) mod highlight;
mod import;
pub(super) mod markdown;
mod pictures;
mod post;
mod post_cache;
mod posts_api;
mod raw;
mod section;
mod snapshot;
mod wordpress;

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::{BlogSource, Config};
use crate::content_types::Moment;
use diagnostics::problem::Problems;

use super::Images;

pub use authors::Author;
pub use post::{Body, Fingerprints, Origin, Post, PostImage};
pub use section::BlogList;
pub use snapshot::Changes;

/// Addresses below `/blog/` that are something else.
const RESERVED: &[&str] = &["page", "tag", "author"];

/// All posts that are published now. Nothing is there for a site without a blog.
#[derive(Debug, Default)]
pub struct Blog {
    /// Posts of all languages, by locale in the order of the settings; the newest first, those without a date last.
    pub posts: Vec<Post>,
    /// By their slug.
    pub authors: BTreeMap<String, Author>,
    /// Posts whose files could not be read: links to them are not dead.
    pub broken_posts: Vec<BrokenPost>,
    /// When the next post begins or ceases to be published; none when nothing is scheduled.
    pub next_change: Option<NextChange>,
    /// What has changed in the CMS since the last build; none when it was not asked, or asked for the first time.
    pub changes: Option<Changes>,
}

/// A moment at which the site must be built again, because posts that are written already begin or cease to be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextChange {
    /// The moment.
    pub at: Moment,
    /// Where the posts are written that are published from then on.
    pub published: Vec<String>,
    /// Where those are written that are withdrawn.
    pub withdrawn: Vec<String>,
}

/// A post that exists but could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPost {
    /// Its language.
    pub locale: String,
    /// Its name in addresses, which is its key as well unless the file says otherwise.
    pub slug: String,
}

/// Reads the blog from the source that `site.yaml` names. The pictures of a CMS join `images`.
pub(super) fn load(config: &Config, images: &mut Images, asking: &dyn Fn(&str, u64)) -> (Blog, Problems) {
    let mut problems = Problems::new();
    let read = match config.site.blog.source {
        BlogSource::Markdown => {
            let authors = problems.take(authors::load(config, images));
            markdown::load(config, images, authors)
        }
        BlogSource::Wordpress | BlogSource::PostsApi => cms::load(config, images, asking),
    };
    let mut blog = problems.take(read);
    blog.publish(config);
    (blog, problems)
}

impl Blog {
    /// Reads the file of a post again: its position, and what it says now. None when it was not published or the file has
    /// anything wrong with it.
    pub fn reread(&self, config: &Config, images: &Images, file: &Path) -> Option<(usize, Post)> {
        let is_own = |post: &Post| matches!(&post.origin, Origin::File { file: own, .. } if own == file);
        let index = self.posts.iter().position(is_own)?;
        Some((index, markdown::reread(config, images, &self.authors, file)?))
    }

    fn next_change_after(&self, now: Moment) -> Option<NextChange> {
        // A post that is over before it begins is never seen, so neither moment changes anything.
        let is_seen = |post: &&Post| !post.draft && post.expires_at.is_none_or(|until| Some(until) > post.publish_at);
        let moments = self.posts.iter().filter(is_seen).flat_map(|post| [post.publish_at, post.expires_at]);
        let at = moments.flatten().filter(|moment| *moment > now).min()?;
        let named = |turn: fn(&Post) -> Option<Moment>| {
            let posts = self.posts.iter().filter(is_seen).filter(|post| turn(post) == Some(at));
            posts.map(|post| post.origin.path().to_owned()).collect()
        };
        Some(NextChange { at, published: named(|post| post.publish_at), withdrawn: named(|post| post.expires_at) })
    }

    /// Leaves out what is not published now, and puts the rest in order.
    fn publish(&mut self, config: &Config) {
        self.next_change = self.next_change_after(config.now);
        if !config.drafts {
            self.posts.retain(|post| post.is_public(config.now));
        }
        let order: BTreeMap<&str, usize> =
            config.site.locales.iter().enumerate().map(|(index, code)| (code.value.as_str(), index)).collect();
        self.posts.sort_by(|a, b| {
            let locale = |post: &Post| order.get(post.locale.as_str()).copied();
            // The id decides between posts of one second, so that the order never depends on the source's.
            locale(a).cmp(&locale(b)).then_with(|| b.date.cmp(&a.date)).then_with(|| a.id.cmp(&b.id))
        });
    }
}

/// The first words of a text, cut at a word near 160 letters.
fn excerpt(lead: &str) -> Option<String> {
    const LETTERS: usize = 160;
    let words = lead.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return None;
    }
    let Some((end, _)) = words.char_indices().nth(LETTERS) else { return Some(words) };
    let cut = words[..end].rfind(' ').unwrap_or(end);
    Some(format!("{}…", words[..cut].trim_end_matches([',', ';', ':', '.', '–', '—', '-', ' '])))
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
        assert_eq!(excerpt(&"ñ".repeat(200)).map(|text| text.chars().count()), Some(161));
    }
}
