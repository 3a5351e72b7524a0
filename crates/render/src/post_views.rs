//! The values that many pages show of a post, such as its card, kept for all of them. The blog computes each when a
//! page first needs it.

use std::sync::OnceLock;

use foldhash::HashMap;
use minijinja::Value;

use diagnostics::problem::Problems;
use manifest::post_id;
use site::model::Site;
use workspace::sources::Hash;

use super::drawn::Covers;

/// Values that many pages show of a post, computed at their first use. Lists are indexed by post.
pub(super) struct PostViews {
    /// The card, for lists that are templates.
    pub cards: Vec<OnceLock<Value>>,
    /// The post as the API returns it, for lists that are islands.
    pub answers: Vec<OnceLock<Value>>,
    /// The hash of everything that other pages show of the post.
    pub summaries: Vec<OnceLock<Hash>>,
    /// The number by which an input of a page names the post, see [`PostViews::id`].
    ids: Vec<OnceLock<u64>>,
    by_id: OnceLock<HashMap<u64, usize>>,
    /// The indices of its tags in `Language::tags`.
    pub tags: Vec<Vec<usize>>,
    /// By locale: the links to all tags, none of them current.
    pub topics: Vec<OnceLock<Vec<Value>>>,
    /// The images for posts that have none.
    pub covers: Covers,
}

impl PostViews {
    /// The problem is that of the brand's cover.
    pub(super) fn new(site: &Site) -> (PostViews, Problems) {
        let empty = |count: usize| (0..count).map(|_| OnceLock::new()).collect();
        let posts = site.blog.content.posts.len();
        let mut tags = vec![Vec::new(); posts];
        for language in site.blog.languages.values() {
            for (at, term) in language.tags.iter().enumerate() {
                term.posts.iter().for_each(|post| tags[*post].push(at));
            }
        }
        let (covers, problems) = Covers::new(site);
        let views = PostViews {
            summaries: (0..posts).map(|_| OnceLock::new()).collect(),
            ids: (0..posts).map(|_| OnceLock::new()).collect(),
            by_id: OnceLock::new(),
            tags,
            cards: empty(posts),
            answers: empty(posts),
            topics: (0..site.locales.len()).map(|_| OnceLock::new()).collect(),
            covers,
        };
        (views, problems)
    }

    /// The number by which an input of a page names a post.
    pub(super) fn id(&self, site: &Site, index: usize) -> u64 {
        *self.ids[index].get_or_init(|| post_id(site.blog.post(index)))
    }

    /// The index of the post with a number.
    pub(super) fn post(&self, site: &Site, id: u64) -> Option<usize> {
        let by_id = self.by_id.get_or_init(|| {
            (0..self.ids.len())
                .map(|index| (self.id(site, index), index))
                .collect()
        });
        by_id.get(&id).copied()
    }
}
