//! Reads and plans a site: the stages of a build up to the address of each page, without rendering.

use std::collections::BTreeMap;

use diagnostics::problem::{Problem, Problems};

use crate::config::Config;
use crate::content::{self, Content};
use crate::model::{self, Site, shared};
use crate::routes::{self, Routes};
use crate::sources::SourceIndex;

/// A site, as it was read and planned.
#[derive(Debug)]
pub struct Planned {
    /// The files as they were listed before they were read.
    pub sources: SourceIndex,
    /// The content.
    pub content: Content,
    /// The problems that were found while files were read one by one.
    pub loaded: Vec<Problem>,
    /// The model that is made of it.
    pub site: Site,
    /// Every address, and what is there.
    pub routes: Routes,
}

/// Loads, resolves and plans.
pub fn plan(config: &Config) -> (Planned, Problems) {
    let mut problems = Problems::new();
    let sources = SourceIndex::scan(config);
    let fetched = content::fetch_posts(config, &|_, _| ());
    let content = problems.take(content::load_listed(config, &sources, fetched));
    let loaded = problems.iter().cloned().collect();
    let site = problems.take(model::resolve(&config.site, &content));
    let routes = problems.take(routes::plan(&config.site, &site));
    (Planned { sources, content, loaded, site, routes }, problems)
}

/// The address of the page that shows a file first, by the path of the file.
pub fn addresses(site: &Site) -> BTreeMap<String, String> {
    let mut addresses = BTreeMap::new();
    let of_shared = site.shared.iter().filter_map(|sections| Some((sections, shared::shown_on(site, sections)?)));
    for (written, page) in site.pages.iter().map(|page| (page, page)).chain(of_shared) {
        for file in written.source.paths().filter(|file| !file.is_empty() && !file.contains("://")) {
            addresses.entry(file.to_owned()).or_insert_with(|| page.path.value.clone());
        }
    }
    addresses
}
