//! Looks at the finished files as they pass on their way out: every address that one of them names must be another one.
//!
//! Links in content were looked up when addresses were planned; this catches what templates write by hand. Each page is
//! read on the thread that rendered it, and only its addresses and ids are kept. A mistake is told once, on however many
//! pages it stands, and at the line of the template that holds it if one does.

mod orphans;
mod scan;
mod targets;
mod verdict;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::config::Config;
use crate::content::Templates;
use crate::model::Site;
use crate::output::{Body, Output};
use crate::problem::Problems;
use crate::record::{Facts, Record, Reference};
use crate::routes::{Route, Routes, file_of, numbered};

use scan::Kind;
use targets::Target;
use verdict::Verdict;

/// Collects what finished files name.
#[derive(Debug)]
pub struct Inspector<'a> {
    /// What the last build left: a file that stands as it was is not read again.
    previous: &'a Record,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    files: BTreeSet<String>,
    facts: BTreeMap<String, Facts>,
    /// Each address once, however many pages name it.
    names: HashMap<String, u32>,
}

/// What all finished files hold.
#[derive(Debug)]
pub struct Inspection {
    /// Every file below `dist/`.
    files: BTreeSet<String>,
    /// What the readable ones hold, by file.
    facts: BTreeMap<String, Facts>,
    names: Vec<String>,
}

impl<'a> Inspector<'a> {
    /// Begins with the numbers that names had in the last build, so that what it found can be taken over.
    pub fn new(previous: &'a Record) -> Inspector<'a> {
        let names = (0_u32..).zip(&previous.names).map(|(number, name)| (name.clone(), number)).collect();
        Inspector { previous, seen: Mutex::new(Seen { names, ..Seen::default() }) }
    }

    /// Takes note of one file. Files of `static/` are the author's own, and are not read again.
    pub fn see(&self, output: &Output) {
        let read = match &output.body {
            Body::Bytes(bytes) => scan::read(&output.path, bytes),
            Body::File(_) => None,
            Body::Kept(_) => {
                let facts = self.previous.facts.get(&output.path).cloned();
                let mut seen = self.seen();
                seen.files.insert(output.path.clone());
                seen.facts.extend(facts.map(|facts| (output.path.clone(), facts)));
                return;
            }
        };
        let mut seen = self.seen();
        seen.files.insert(output.path.clone());
        let Some(read) = read else { return };
        let facts = Facts {
            ids: read.ids.into_iter().collect(),
            references: read
                .references
                .into_iter()
                .map(|found| Reference {
                    name: seen.number(found.address),
                    is_link: found.kind == Kind::Link,
                    hreflang: found.hreflang.map(|language| seen.number(language)),
                })
                .collect(),
        };
        seen.facts.insert(output.path.clone(), facts);
    }

    /// All files have passed.
    pub fn finish(self) -> Inspection {
        let Seen { files, facts, names } = self.seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut list = vec![String::new(); names.len()];
        for (name, number) in names {
            list[number as usize] = name;
        }
        Inspection { files, facts, names: list }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Poisoned only when another page's thread panicked; what it had noted is whole.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        *self.names.entry(name).or_insert(next)
    }
}

impl Inspection {
    /// What is wrong with the finished files.
    pub fn check(&self, config: &Config, site: &Site, routes: &Routes, templates: &Templates) -> Problems {
        let targets = self.targets(config);
        let pages: HashMap<String, usize> = routes
            .iter()
            .filter_map(|(path, route)| match route {
                Route::Page { page, .. } => Some((file_of(path), *page)),
                _ => None,
            })
            .collect();
        let mut problems =
            Verdict { inspection: self, site, routes, templates, targets: &targets, pages: &pages }.problems();
        // When links are broken, what they no longer lead to is not another mistake.
        if problems.is_empty() {
            problems.extend(orphans::check(self, site, routes, &targets, &pages));
        }
        problems
    }

    /// What the next build shall find: the names, and what each file names. Names that no page has any more go away when
    /// they are the greater part.
    pub fn into_facts(self) -> (Vec<String>, BTreeMap<String, Facts>) {
        let Inspection { mut facts, names, .. } = self;
        let mut used = vec![false; names.len()];
        for reference in facts.values().flat_map(|facts| &facts.references) {
            used[reference.name as usize] = true;
            if let Some(language) = reference.hreflang {
                used[language as usize] = true;
            }
        }
        if used.iter().filter(|used| **used).count() * 2 >= names.len() {
            return (names, facts);
        }
        let mut numbers = vec![0; names.len()];
        let mut kept = Vec::new();
        for (number, name) in names.into_iter().enumerate().filter(|(number, _)| used[*number]) {
            numbers[number] = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            kept.push(name);
        }
        for reference in facts.values_mut().flat_map(|facts| &mut facts.references) {
            reference.name = numbers[reference.name as usize];
            reference.hreflang = reference.hreflang.map(|language| numbers[language as usize]);
        }
        (kept, facts)
    }

    /// Every web page outside the site that a page links to, with a file that does.
    pub fn outside(&self, config: &Config) -> BTreeMap<&str, &str> {
        let targets = self.targets(config);
        let mut found = BTreeMap::new();
        for (file, facts) in &self.facts {
            for reference in facts.references.iter().filter(|reference| reference.is_link) {
                let name = self.names[reference.name as usize].as_str();
                if targets[reference.name as usize] == Target::Outside && name.starts_with("http") {
                    found.entry(name).or_insert(file.as_str());
                }
            }
        }
        found
    }

    fn targets(&self, config: &Config) -> Vec<Target> {
        self.names.iter().map(|name| self.numbered(Target::read(config.base_url(), name), name)).collect()
    }

    /// `/list/?page=2` is the page `/list/page/2/`, where there is one.
    fn numbered(&self, target: Target, written: &str) -> Target {
        let Target::Inside { path, anchor } = target else { return target };
        let query = written.split('#').next().and_then(|address| address.split_once('?'));
        let page = query.and_then(|(_, query)| numbered::page(&path, query));
        let page = page.filter(|page| self.file(page).is_some());
        Target::Inside { path: page.unwrap_or(path), anchor }
    }

    /// The file that answers an address of the site: a page is found with its slash and without.
    fn file(&self, path: &str) -> Option<&str> {
        let found = self.files.get(&file_of(path)).or_else(|| self.files.get(&file_of(&format!("{path}/"))));
        found.map(String::as_str)
    }
}
