//! Hashes of posts, by which a build knows those that changed.

use foldhash::HashSet;
use serde::{Deserialize, Serialize};

use workspace::sources::Hash;

/// The hashes of all published posts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostHashes {
    /// The hash of everything about all posts but their texts, which also decides their order.
    pub summaries: Hash,
    /// The first 8 bytes of the hash of each text.
    pub texts: Vec<u64>,
    /// The sum of the links of the page of each post.
    pub links: Vec<u64>,
}

impl PostHashes {
    /// The indices of the posts whose texts differ; `None` if anything else about posts does.
    pub fn changed_texts(&self, last: &PostHashes) -> Option<HashSet<usize>> {
        let is_same = self.summaries == last.summaries && self.texts.len() == last.texts.len();
        let both = self.texts.iter().zip(&last.texts).enumerate();
        is_same.then(|| {
            both.filter(|(_, (now, last))| now != last)
                .map(|(index, _)| index)
                .collect()
        })
    }
}
