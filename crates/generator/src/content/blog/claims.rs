//! The addresses that a site gives to its own pages, files and redirects. A post of a CMS with one of them gets another
//! address: who writes in the CMS must not stop a build.

use std::collections::{BTreeMap, HashSet};

use crate::config::Config;
use crate::content::StaticFile;
use crate::content::pages::PageFile;
use crate::content::placeholders::fill;
use crate::content::sections::SectionRole;

/// The addresses of a site without those of its posts.
#[derive(Debug, Default)]
pub(in crate::content) struct Claims {
    /// Without slashes at both ends.
    addresses: HashSet<String>,
    /// The address of the list of posts by locale.
    lists: BTreeMap<String, String>,
}

impl Claims {
    pub(in crate::content) fn of(config: &Config, pages: &[PageFile], files: &[StaticFile]) -> Claims {
        let mut claims = Claims::default();
        for page in pages {
            let paths = std::iter::once(&page.head.path).chain(&page.head.also_at);
            claims.addresses.extend(paths.map(|path| bare(&fill(&path.value, &config.site))));
            if page.sections.iter().any(|section| section.kind.role == SectionRole::PostList) {
                claims.lists.insert(page.locale.clone(), bare(&fill(&page.head.path.value, &config.site)));
            }
        }
        claims.addresses.extend(files.iter().map(|file| bare(file.path.trim_end_matches("index.html"))));
        let redirects = config.site.redirects.iter().map(|redirect| bare(&fill(&redirect.from.value, &config.site)));
        claims.addresses.extend(redirects);
        claims
    }

    /// Whether the site has an address below the list of posts: `my-post`, `tag/news` or `author/ana`.
    pub(super) fn has(&self, locale: &str, below: &str) -> bool {
        let address = |list: &String| if list.is_empty() { below.to_owned() } else { format!("{list}/{below}") };
        self.lists.get(locale).map(address).is_some_and(|address| self.addresses.contains(&address))
    }
}

fn bare(path: &str) -> String {
    path.trim_matches('/').to_owned()
}
