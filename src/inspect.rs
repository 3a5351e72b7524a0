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
use std::sync::{Mutex, PoisonError};

use crate::config::Config;
use crate::content::Templates;
use crate::model::Site;
use crate::output::{Body, Output};
use crate::problem::Problems;
use crate::routes::{Route, Routes, file_of, numbered};

use scan::Kind;
use targets::Target;
use verdict::Verdict;

/// Collects what finished files name.
#[derive(Debug, Default)]
pub struct Inspector(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    files: BTreeSet<String>,
    facts: BTreeMap<String, Facts>,
    /// Each address once, however many pages name it.
    names: HashMap<String, u32>,
}

/// What one file holds.
#[derive(Debug, Default)]
struct Facts {
    ids: BTreeSet<scan::Id>,
    references: Vec<Reference>,
}

/// An address that a file names.
#[derive(Debug)]
struct Reference {
    /// Its number in the list of names.
    name: u32,
    kind: Kind,
    /// The language that the link says its target has.
    hreflang: Option<Box<str>>,
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

impl Inspector {
    /// Takes note of one file. Files of `static/` are the author's own, and are not read again.
    pub fn see(&self, output: &Output) {
        let read = match &output.body {
            Body::Bytes(bytes) => scan::read(&output.path, bytes),
            Body::File(_) => None,
        };
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.files.insert(output.path.clone());
        let Some(read) = read else { return };
        let mut facts = Facts { ids: read.ids, references: Vec::with_capacity(read.references.len()) };
        for found in read.references {
            let next = u32::try_from(seen.names.len()).unwrap_or(u32::MAX);
            let name = *seen.names.entry(found.address).or_insert(next);
            facts.references.push(Reference { name, kind: found.kind, hreflang: found.hreflang });
        }
        seen.facts.insert(output.path.clone(), facts);
    }

    /// All files have passed.
    pub fn finish(self) -> Inspection {
        let Seen { files, facts, names } = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut list = vec![String::new(); names.len()];
        for (name, number) in names {
            list[number as usize] = name;
        }
        Inspection { files, facts, names: list }
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

    /// Every web page outside the site that a page links to, with a file that does.
    pub fn outside(&self, config: &Config) -> BTreeMap<&str, &str> {
        let targets = self.targets(config);
        let mut found = BTreeMap::new();
        for (file, facts) in &self.facts {
            for reference in facts.references.iter().filter(|reference| reference.kind == Kind::Link) {
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
