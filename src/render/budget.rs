//! The weight of pages against the budgets of `site.yaml`: a page that grows past one is a problem, not a surprise.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use crate::assets::Manifest;
use crate::config::Budgets;
use crate::model::Page;
use crate::output::{Body, Output, compressed};
use crate::problem::{Code, Place, Problem, Problems};

/// Weighs pages; a file that many pages load is compressed once.
pub(super) struct Scales<'a> {
    budgets: &'a Budgets,
    compressed: Mutex<HashMap<String, usize>>,
}

impl<'a> Scales<'a> {
    pub(super) fn new(budgets: &'a Budgets) -> Scales<'a> {
        Scales { budgets, compressed: Mutex::default() }
    }

    /// What is too heavy about a page with this HTML, these style sheets, and what its islands may load.
    pub(super) fn weigh(&self, page: &Page, html: &str, sheets: &[Output], manifest: &Manifest) -> Problems {
        let mut problems = Problems::new();
        let mut tell = |what: &str, limit: Option<f64>, bytes: usize, heaviest: &str| {
            let kilobytes = kilobytes(bytes);
            if let Some(limit) = limit.filter(|limit| kilobytes > *limit) {
                let message =
                    format!("`{}` has {kilobytes:.1} kB of {what}, and its budget is {limit} kB", page.path.value);
                let problem = Problem::error(Code::Budget, message).at(Place::file(page.source.path.clone()));
                problems.push(problem.hint(heaviest.to_owned()));
            }
        };
        tell("HTML", self.budgets.html, html.len(), "shorten the page, or draw fewer figures into it");
        let sheets = sheets.iter().map(|sheet| (self.compressed(sheet), sheet.path.as_str())).collect();
        let (bytes, list) = total(sheets);
        tell("style sheets (compressed)", self.budgets.css, bytes, &list);
        let (bytes, list) = total(weights(manifest, manifest.script.iter().map(String::as_str)));
        tell("script (compressed)", self.budgets.script, bytes, &list);
        let (bytes, list) = total(weights(manifest, island_scripts(manifest, html).into_iter()));
        tell("island script (compressed)", self.budgets.islands, bytes, &list);
        problems
    }

    fn compressed(&self, output: &Output) -> usize {
        let Body::Bytes(bytes) = &output.body else { return 0 };
        let known = self.compressed.lock().unwrap_or_else(PoisonError::into_inner).get(&output.path).copied();
        known.unwrap_or_else(|| {
            let weight = compressed(bytes);
            self.compressed.lock().unwrap_or_else(PoisonError::into_inner).insert(output.path.clone(), weight);
            weight
        })
    }
}

/// All bytes, and the files with theirs, the heaviest first.
fn total(mut weights: Vec<(usize, &str)>) -> (usize, String) {
    weights.sort_unstable_by(|a, b| b.cmp(a));
    let list: Vec<String> =
        weights.iter().map(|(bytes, path)| format!("`{path}` {:.1} kB", kilobytes(*bytes))).collect();
    (weights.iter().map(|(bytes, _)| bytes).sum(), format!("heaviest first: {}", list.join(", ")))
}

/// The weight of each of these scripts.
fn weights<'a>(manifest: &Manifest, addresses: impl Iterator<Item = &'a str>) -> Vec<(usize, &'a str)> {
    addresses.map(|address| (manifest.weights.get(address).copied().unwrap_or(0), address)).collect()
}

/// Addresses of everything that the islands of a page may load.
fn island_scripts<'m>(manifest: &'m Manifest, html: &str) -> BTreeSet<&'m str> {
    let names = html.split("<sitegen-island name=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let scripts = names.filter_map(|name| manifest.islands.scripts.get(name));
    scripts
        .flat_map(|script| [script, &manifest.islands.mount])
        .flat_map(|script| std::iter::once(&script.src).chain(&script.imports))
        .map(String::as_str)
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "files are far smaller than 2^52 bytes")]
fn kilobytes(bytes: usize) -> f64 {
    bytes as f64 / 1000.0
}
