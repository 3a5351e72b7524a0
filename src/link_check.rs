//! Checks links: every address that a finished file names must exist. Files are read on their way to the output folder.
//!
//! Links in content were looked up when addresses were planned; this finds what templates write by hand. It runs in
//! `build` as well as in `check`, because a dead address must not be published. Each page is read on the thread that
//! rendered it, and only its addresses and ids are kept. A mistake is reported once, on however many pages it is, and
//! at the line of the template that contains it if one does.
//!
//! A dead address is an error. A page that nothing links to is a warning, so that an editor can look at a new page
//! first.

mod address_check;
pub mod external;
mod html_scan;
mod orphans;
mod targets;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::build_cache::{BuildManifest, PageLinks, Reference};
use crate::config::Config;
use crate::content::Templates;
use crate::model::Site;
use crate::output::{Body, Output};
use crate::routes::{Route, Routes, file_of, numbered};
use diagnostics::problem::Problems;

use address_check::AddressCheck;
use html_scan::Kind;
use targets::Target;

/// Collects the links of finished files.
#[derive(Debug)]
pub struct LinkChecker<'a> {
    /// The last build: a file that is unchanged since is not read again.
    previous: &'a BuildManifest,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// As they come: thousands of them are put in order at once more quickly than one by one.
    files: Vec<(String, Option<Arc<PageLinks>>)>,
    /// Each address once, however many pages name it.
    names: HashMap<String, u32>,
}

/// The links of all finished files.
#[derive(Debug)]
pub struct LinkReport {
    /// Every file below `dist/`, and what the readable ones hold.
    files: BTreeMap<String, Option<Arc<PageLinks>>>,
    names: Vec<String>,
}

/// The finished files by number, and what each name means.
struct Numbered<'a> {
    files: Vec<(&'a str, Option<&'a PageLinks>)>,
    /// The page that a file shows.
    pages: Vec<Option<usize>>,
    /// What each name means, and the file that answers to it.
    targets: Vec<(Target, Option<usize>)>,
}

impl<'a> LinkChecker<'a> {
    /// Begins with the numbers that names had in the last build, so that what it found can be taken over.
    pub fn new(previous: &'a BuildManifest) -> LinkChecker<'a> {
        let names = (0_u32..).zip(&previous.names).map(|(number, name)| (name.clone(), number)).collect();
        LinkChecker { previous, seen: Mutex::new(Seen { names, ..Seen::default() }) }
    }

    /// Takes note of one file. Files of `static/` are the author's own, and are not read again.
    pub fn see(&self, output: &Output) {
        let read = match &output.body {
            Body::Bytes(bytes) => html_scan::read(&output.path, bytes),
            Body::File(_) => None,
            Body::Unchanged(_) => {
                let links = self.previous.links.get(&output.path).cloned();
                self.seen().files.push((output.path.clone(), links));
                return;
            }
        };
        let mut seen = self.seen();
        let Some(read) = read else {
            seen.files.push((output.path.clone(), None));
            return;
        };
        let links = PageLinks {
            ids: read.ids.into_iter().collect(),
            references: read
                .references
                .into_iter()
                .map(|found| Reference {
                    name: seen.number(&found.address),
                    is_link: found.kind == Kind::Link,
                    hreflang: found.hreflang.map(|language| seen.number(&language)),
                })
                .collect(),
        };
        seen.files.push((output.path.clone(), Some(Arc::new(links))));
    }

    /// Takes note of a file whose bytes are made later, and name nothing.
    pub fn expect(&self, path: &str) {
        self.seen().files.push((path.to_owned(), None));
    }

    /// All files have passed.
    pub fn finish(self) -> LinkReport {
        let Seen { mut files, names } = self.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut list = vec![String::new(); names.len()];
        for (name, number) in names {
            list[number as usize] = name;
        }
        files.par_sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        LinkReport { files: files.into_iter().collect(), names: list }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Poisoned only when another page's thread panicked; what it had noted is whole.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_owned(), next);
        next
    }
}

impl LinkReport {
    /// What is wrong with the finished files.
    pub fn check(&self, config: &Config, site: &Site, routes: &Routes, templates: &Templates) -> Problems {
        let mut numbered = self.numbered(config);
        let shown = routes.iter().filter_map(|(path, route)| match route {
            Route::Page { page, .. } => Some((file_of(path), *page)),
            _ => None,
        });
        for (file, page) in shown {
            if let Ok(number) = numbered.files.binary_search_by_key(&file.as_str(), |(file, _)| file) {
                numbered.pages[number] = Some(page);
            }
        }
        let mut problems = AddressCheck { names: &self.names, numbered: &numbered, site, routes, templates }.problems();
        // When links are broken, what they no longer lead to is not another mistake.
        if problems.is_empty() {
            problems.extend(orphans::check(&numbered, site, routes));
        }
        problems
    }

    /// For the manifest: the names, and the links of each file. Names that no page has any more are dropped once they
    /// are more than half.
    pub fn into_links(self) -> (Vec<String>, BTreeMap<String, Arc<PageLinks>>) {
        let LinkReport { files, names } = self;
        let mut links: BTreeMap<String, Arc<PageLinks>> =
            files.into_iter().filter_map(|(file, links)| Some((file, links?))).collect();
        let mut used = vec![false; names.len()];
        for reference in links.values().flat_map(|links| &links.references) {
            used[reference.name as usize] = true;
            if let Some(language) = reference.hreflang {
                used[language as usize] = true;
            }
        }
        if used.iter().filter(|used| **used).count() * 2 >= names.len() {
            return (names, links);
        }
        let mut numbers = vec![0; names.len()];
        let mut kept = Vec::new();
        for (number, name) in names.into_iter().enumerate().filter(|(number, _)| used[*number]) {
            numbers[number] = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            kept.push(name);
        }
        for reference in links.values_mut().flat_map(|links| &mut Arc::make_mut(links).references) {
            reference.name = numbers[reference.name as usize];
            reference.hreflang = reference.hreflang.map(|language| numbers[language as usize]);
        }
        (kept, links)
    }

    /// Every web page outside the site that a page links to, with a file that does.
    pub fn outside(&self, config: &Config) -> BTreeMap<&str, &str> {
        let is_outside =
            |name: &String| name.starts_with("http") && Target::read(config.base_url(), name) == Target::Outside;
        let outside: Vec<bool> = self.names.iter().map(is_outside).collect();
        let mut found = BTreeMap::new();
        for (file, links) in self.files.iter().filter_map(|(file, links)| Some((file, links.as_ref()?))) {
            for reference in links.references.iter().filter(|reference| reference.is_link) {
                let name = reference.name as usize;
                if outside[name] {
                    found.entry(self.names[name].as_str()).or_insert(file.as_str());
                }
            }
        }
        found
    }

    /// Each address is looked up once, however many pages name it.
    fn numbered(&self, config: &Config) -> Numbered<'_> {
        let files: Vec<_> = self.files.iter().map(|(file, links)| (file.as_str(), links.as_deref())).collect();
        let numbers: HashMap<&str, usize> = files.iter().enumerate().map(|(at, (file, _))| (*file, at)).collect();
        // A page is found with its slash and without.
        let file = |path: &str| {
            let found = numbers.get(file_of(path).as_str());
            found.or_else(|| numbers.get(file_of(&format!("{path}/")).as_str())).copied()
        };
        let target = |written: &String| match Target::read(config.base_url(), written) {
            Target::Inside { path, anchor } => {
                // `/list/?page=2` is the page `/list/page/2/`, where there is one.
                let query = written.split('#').next().and_then(|address| address.split_once('?'));
                let page = query.and_then(|(_, query)| numbered::page(&path, query));
                let page = page.and_then(|page| Some((file(&page)?, page)));
                let (number, path) = page.map_or_else(|| (file(&path), path), |(number, page)| (Some(number), page));
                (Target::Inside { path, anchor }, number)
            }
            target => (target, None),
        };
        let targets = self.names.par_iter().map(target).collect();
        Numbered { pages: vec![None; files.len()], files, targets }
    }
}
