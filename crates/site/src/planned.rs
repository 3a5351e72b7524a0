//! Reads and plans a site: the stages of a build up to the address of each page, without rendering.
//!
//! Here is decided whether answers of a CMS and of addresses are good: only the whole site shows whether one has a mistake
//! that stops it.

use std::collections::BTreeMap;

use diagnostics::problem::{Problem, Problems, Severity};

use crate::model::{self, Site, shared};
use crate::routes::{self, Routes};
use config::Config;
use config::source_index::SourceIndex;
use content::{Content, FetchedPosts, Suspects};
use workspace::timings::Timings;

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
    let sources = SourceIndex::scan(config);
    let fetched = content::fetch_posts(config, &|_, _| ());
    let (
        Read {
            content,
            loaded,
            site,
            routes,
        },
        problems,
    ) = read(config, &sources, fetched, &Timings::off());
    (
        Planned {
            sources,
            content,
            loaded,
            site,
            routes,
        },
        problems,
    )
}

/// A site that was read from listed files.
#[derive(Debug)]
pub struct Read {
    /// See [`Planned::content`].
    pub content: Content,
    loaded: Vec<Problem>,
    /// See [`Planned::site`].
    pub site: Site,
    /// See [`Planned::routes`].
    pub routes: Routes,
}

/// Loads, resolves and plans what was listed and fetched. New answers are kept if the site has no mistake that it would
/// not have without them; otherwise it is read with the kept ones, if that helps.
pub fn read(
    config: &Config,
    sources: &SourceIndex,
    fetched: Option<FetchedPosts>,
    timings: &Timings,
) -> (Read, Problems) {
    let Some(new) = fetched.clone().filter(FetchedPosts::is_new) else {
        return read_once(config, sources, fetched, timings);
    };
    let (first, mut problems) = read_once(config, sources, fetched, timings);
    problems.extend(new.shrunk(config, &first.content));
    let mut is_to_blame = false;
    for suspects in [Suspects::Named, Suspects::All]
        .into_iter()
        .filter(|_| problems.has_errors())
    {
        let Some(rest) = new.without(config, suspects, &problems) else {
            continue;
        };
        let (again, mut found) = read_once(config, sources, Some(rest.clone()), timings);
        if !found.has_errors() {
            found.extend(rest.keep(config, &Problems::new()));
            return (again, found);
        }
        is_to_blame = !errors(&problems).all(|error| found.iter().any(|other| other == error));
    }
    if !is_to_blame {
        problems.extend(new.keep(config, &problems));
    }
    (first, problems)
}

fn read_once(
    config: &Config,
    sources: &SourceIndex,
    fetched: Option<FetchedPosts>,
    timings: &Timings,
) -> (Read, Problems) {
    let mut problems = Problems::new();
    let load = || content::load_listed(config, sources, fetched);
    let content = problems.take(timings.stage("load", load));
    let loaded = problems.iter().cloned().collect();
    let site = problems.take(timings.stage("resolve", || model::resolve(&config.site, &content)));
    let routes = problems.take(timings.stage("plan", || routes::plan(&config.site, &site)));
    (
        Read {
            content,
            loaded,
            site,
            routes,
        },
        problems,
    )
}

fn errors(problems: &Problems) -> impl Iterator<Item = &Problem> {
    problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
}

/// The address of the page that shows a file first, by the path of the file.
pub fn addresses(site: &Site) -> BTreeMap<String, String> {
    let mut addresses = BTreeMap::new();
    let of_shared = site
        .shared
        .iter()
        .filter_map(|sections| Some((sections, shared::shown_on(site, sections)?)));
    for (written, page) in site.pages.iter().map(|page| (page, page)).chain(of_shared) {
        for file in written
            .source
            .paths()
            .filter(|file| !file.is_empty() && !file.contains("://"))
        {
            addresses
                .entry(file.to_owned())
                .or_insert_with(|| page.path.value.clone());
        }
    }
    addresses
}
