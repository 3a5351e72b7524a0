//! The addresses that a site gives to its own pages, files and redirects. A post of a CMS with one of them gets another
//! address: who writes in the CMS must not stop a build.

use std::collections::{BTreeMap, HashSet};

/// The addresses of a site without those of its posts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Without slashes at both ends.
    addresses: HashSet<String>,
    /// The address of the list of posts by locale.
    lists: BTreeMap<String, String>,
}

impl Claims {
    /// `addresses` are those of pages, files and redirects, `lists` that of the list of posts by locale.
    pub(crate) fn new(
        addresses: impl Iterator<Item = String>,
        lists: impl Iterator<Item = (String, String)>,
    ) -> Claims {
        Claims {
            addresses: addresses
                .map(|path| bare(path.trim_end_matches("index.html")))
                .collect(),
            lists: lists.map(|(locale, path)| (locale, bare(&path))).collect(),
        }
    }

    /// Whether the site has an address below the list of posts: `my-post`, `tag/news` or `author/ana`.
    pub(super) fn has(&self, locale: &str, below: &str) -> bool {
        let address = |list: &String| {
            if list.is_empty() {
                below.to_owned()
            } else {
                format!("{list}/{below}")
            }
        };
        self.lists
            .get(locale)
            .map(address)
            .is_some_and(|address| self.addresses.contains(&address))
    }
}

fn bare(path: &str) -> String {
    path.trim_matches('/').to_owned()
}
