//! Finds pages that have another address: by redirects, then by their title and language, then by their words.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};

use super::document::Document;
use super::{Comparison, Move, PageName, PageRedirect};

/// How many words of two pages must be the same, of a hundred, for one to be the other at a new address.
const ALIKE: usize = 60;
/// The maximum number of pages on each side whose words are compared with each other.
const MAX_COMPARED: usize = 300;

/// Pages and redirects that only one side has.
#[derive(Default)]
pub(super) struct Moves {
    /// Those of the old side.
    gone: BTreeMap<String, Document>,
    /// Redirects of the old side.
    lost: BTreeMap<String, String>,
    /// Those of the new side.
    fresh: BTreeMap<String, Document>,
    /// Redirects of the new side.
    redirects: BTreeMap<String, String>,
}

/// The language and the title of a page.
fn identity(page: &Document) -> [&str; 2] {
    ["language", "title"].map(|name| page.head.get(name).map_or("", String::as_str))
}

fn words(page: &Document) -> BTreeSet<&str> {
    page.blocks
        .iter()
        .flat_map(|block| block.split(' '))
        .collect()
}

impl Moves {
    pub fn gone(&mut self, address: String, page: Document) {
        match page.redirect {
            Some(to) => drop(self.lost.insert(address, to)),
            None => drop(self.gone.insert(address, page)),
        }
    }

    pub fn fresh(&mut self, address: String, page: Document) {
        match page.redirect {
            Some(to) => drop(self.redirects.insert(address, to)),
            None => drop(self.fresh.insert(address, page)),
        }
    }

    /// Adds what was found.
    pub fn finish(mut self, comparison: &mut Comparison) {
        // A redirect from the old address says where the page is.
        for from in self.gone.keys().cloned().collect::<Vec<_>>() {
            if let Some(to) = self.redirects.get(&from) {
                let to = to.split(['#', '?']).next().unwrap_or_default();
                // The address of the new page, behind the path of `base_url`.
                let page = self
                    .fresh
                    .keys()
                    .filter(|address| to.ends_with(address.as_str()))
                    .max_by_key(|it| it.len());
                let to = page.cloned().unwrap_or_else(|| to.to_owned());
                self.moved(from, to, true, comparison);
            }
        }
        for (from, to) in self.pairs() {
            self.moved(from, to, false, comparison);
        }
        comparison.moved.sort_by(|a, b| a.from.cmp(&b.from));
        [comparison.added, comparison.removed] = [self.fresh, self.gone].map(|pages| {
            let names = pages.into_iter().map(|(address, page)| PageName {
                address,
                title: page.head.get("title").cloned().unwrap_or_default(),
            });
            names.collect()
        });
        comparison.lost_redirects = self
            .lost
            .into_iter()
            .map(|(from, to)| PageRedirect { from, to })
            .collect();
        comparison.redirects.extend(
            self.redirects
                .into_iter()
                .map(|(from, to)| PageRedirect { from, to }),
        );
        comparison.redirects.sort_by(|a, b| a.from.cmp(&b.from));
    }

    fn moved(
        &mut self,
        from: String,
        to: String,
        is_redirected: bool,
        comparison: &mut Comparison,
    ) {
        self.gone.remove(&from);
        self.fresh.remove(&to);
        if is_redirected {
            self.redirects.remove(&from);
        }
        comparison.moved.push(Move {
            from,
            to,
            is_redirected,
        });
    }

    /// Pages without a redirect, with those that they have become.
    fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let mut left: BTreeSet<&str> = self.fresh.keys().map(String::as_str).collect();
        let mut by_title: HashMap<[&str; 2], Vec<&str>> = HashMap::new();
        for (address, page) in &self.fresh {
            by_title.entry(identity(page)).or_default().push(address);
        }
        let mut rest = Vec::new();
        for (from, page) in &self.gone {
            match by_title.get(&identity(page)).map(Vec::as_slice) {
                Some([to]) if left.remove(to) => pairs.push((from.clone(), (*to).to_owned())),
                _ => rest.push((from, page)),
            }
        }
        if rest.len() > MAX_COMPARED || left.len() > MAX_COMPARED {
            return pairs;
        }
        let mut fresh: Vec<(&str, BTreeSet<&str>)> = left
            .iter()
            .map(|address| (*address, words(&self.fresh[*address])))
            .collect();
        for (from, page) in rest {
            let own = words(page);
            let alike = fresh.iter().enumerate().map(|(at, (_, other))| {
                let (same, all) = (own.intersection(other).count(), own.union(other).count());
                ((same * 100).checked_div(all).unwrap_or_default(), at)
            });
            if let Some((alike, at)) = alike.max()
                && alike >= ALIKE
            {
                pairs.push((from.clone(), fresh.remove(at).0.to_owned()));
            }
        }
        pairs
    }
}
