//! Checks the size of pages against the budgets of `site.yaml`. A page that exceeds a budget is a problem.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use foldhash::HashMap;
use memchr::memmem;

use assets::Manifest;
use assets::output::{Body, Output};
use config::Budgets;
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::{BlogPage, Body as PageBody, Page, Site};

/// The beginning of an island's markup; its name follows.
const ISLAND: &str = "<sitegen-island name=\"";

/// A page that exceeds a budget by the files that it loads, which others load too.
pub(super) struct Excess {
    what: &'static str,
    /// The heaviest of the files.
    because_of: String,
    kilobytes: f64,
    limit: f64,
    path: String,
    /// The file of the page.
    source: String,
    advice: String,
}

/// Reports excesses: once for all pages that have the same heaviest file, at the heaviest page.
pub(super) fn together(mut excesses: Vec<Excess>) -> Problems {
    excesses.sort_by(|a, b| {
        b.kilobytes
            .total_cmp(&a.kilobytes)
            .then_with(|| a.path.cmp(&b.path))
    });
    let mut found: BTreeMap<(&str, &str), (&Excess, usize)> = BTreeMap::new();
    for excess in &excesses {
        found
            .entry((excess.what, &excess.because_of))
            .or_insert((excess, 0))
            .1 += 1;
    }
    let mut problems = Problems::new();
    for (
        Excess {
            what,
            kilobytes,
            limit,
            path,
            source,
            advice,
            ..
        },
        count,
    ) in found.into_values()
    {
        let message = match count {
            1 => format!("`{path}` has {kilobytes:.1} kB of {what}, but its budget is {limit} kB"),
            _ => format!(
                "`{path}` has {kilobytes:.1} kB of {what}, but its budget is {limit} kB; other pages over the budget: {}",
                count - 1
            ),
        };
        let problem = Problem::error(Code::Budget, message).at(Place::file(source.clone()));
        problems.push(problem.hint(advice.clone()));
    }
    problems
}

/// Measures pages.
pub(super) struct BudgetChecker<'a> {
    budgets: &'a Budgets,
    /// By path: a file that many pages load is measured once.
    measured: Mutex<HashMap<String, usize>>,
}

impl<'a> BudgetChecker<'a> {
    pub(super) fn new(budgets: &'a Budgets) -> BudgetChecker<'a> {
        BudgetChecker {
            budgets,
            measured: Mutex::default(),
        }
    }

    /// Reports the budgets that a page exceeds: its HTML, its style sheets, its script, and the scripts that its
    /// islands may load.
    ///
    /// HTML over budget is only a warning if its text is from a CMS: the site's authors cannot
    /// shorten it, and one long post must not prevent a publication.
    pub(super) fn check<'w>(
        &self,
        page: &Page,
        site: &Site,
        html: &str,
        sheets: &'w [Output],
        manifest: &'w Manifest,
    ) -> (Problems, Vec<Excess>) {
        let (mut problems, mut excesses) = (Problems::new(), Vec::new());
        let foreign = site.is_foreign(page);
        let html_budget = page
            .body
            .post()
            .map_or(page.html_budget, |post| site.blog.post(post).html_budget);
        let html_budget = html_budget.map(f64::from).or(self.budgets.html);
        let mut report = |what: &'static str,
                          limit: Option<f64>,
                          foreign: bool,
                          weights: &dyn Fn() -> Vec<Weight<'w>>| {
            let Some(limit) = limit else { return };
            let weights = weights();
            let kilobytes = kilobytes(weights.iter().map(|(bytes, _)| bytes).sum());
            if kilobytes > limit {
                let (path, source) = (page.path.value.clone(), page.source.path.clone());
                if let Some((_, Some(heaviest))) = weights.iter().max() {
                    let because_of = (*heaviest).to_owned();
                    let advice = advice(weights, page);
                    excesses.push(Excess {
                        what,
                        because_of,
                        kilobytes,
                        limit,
                        path,
                        source,
                        advice,
                    });
                    return;
                }
                let message = format!(
                    "`{path}` has {kilobytes:.1} kB of {what}, but its budget is {limit} kB"
                );
                let problem = if foreign {
                    Problem::warning
                } else {
                    Problem::error
                }(Code::Budget, message);
                let problem = problem.at(Place::file(source));
                problems.push(problem.hint(advice(weights, page)));
            }
        };
        report("HTML", html_budget, foreign, &|| vec![(html.len(), None)]);
        report(
            "style sheets (compressed)",
            self.budgets.css,
            false,
            &|| {
                sheets
                    .iter()
                    .map(|sheet| (self.compressed(sheet, manifest), Some(sheet.path.as_str())))
                    .collect()
            },
        );
        report("script (compressed)", self.budgets.script, false, &|| {
            weights(manifest, manifest.page_scripts.iter().map(String::as_str))
        });
        report(
            "island script (compressed)",
            self.budgets.islands,
            false,
            &|| weights(manifest, island_scripts(manifest, html).into_iter()),
        );
        (problems, excesses)
    }

    fn compressed(&self, output: &Output, manifest: &Manifest) -> usize {
        let Body::Bytes(bytes) = &output.body else {
            return 0;
        };
        let known = self
            .measured
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&output.path)
            .copied();
        known.unwrap_or_else(|| {
            let weight = manifest.compressed(bytes);
            self.measured
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(output.path.clone(), weight);
            weight
        })
    }
}

/// Bytes, and the address of the file; `None` for the HTML of the page.
type Weight<'a> = (usize, Option<&'a str>);

/// The hint: how to make the page smaller.
fn advice(mut weights: Vec<Weight>, page: &Page) -> String {
    weights.sort_unstable_by(|a, b| b.cmp(a));
    let files = weights
        .iter()
        .filter_map(|(bytes, path)| Some(format!("`{}` ({:.1} kB)", (*path)?, kilobytes(*bytes))));
    match files.collect::<Vec<_>>() {
        files if files.is_empty() => {
            // Files of pages and Markdown posts have the setting; of other pages there is none.
            let ending = match page.body {
                PageBody::Sections => Some(".yaml"),
                PageBody::Blog(BlogPage::Post(_)) => Some(".md"),
                _ => None,
            };
            let path = page.source.path.as_str();
            let has_budget =
                ending.is_some_and(|ending| path.starts_with("content/") && path.ends_with(ending));
            let budget = if has_budget {
                "set its `html_budget`"
            } else {
                "raise `budgets.html` in `content/site.yaml`"
            };
            format!("shorten the page, use fewer inline figures, or {budget}")
        }
        files => format!(
            "make the page's files smaller, beginning with the heaviest: {}",
            files.join(", ")
        ),
    }
}

/// The compressed size of each of these scripts.
fn weights<'a>(manifest: &Manifest, addresses: impl Iterator<Item = &'a str>) -> Vec<Weight<'a>> {
    addresses
        .map(|address| {
            (
                manifest.weights.get(address).copied().unwrap_or(0),
                Some(address),
            )
        })
        .collect()
}

/// Addresses of all scripts that the islands of a page may load.
fn island_scripts<'m>(manifest: &'m Manifest, html: &str) -> BTreeSet<&'m str> {
    let islands = memmem::find_iter(html.as_bytes(), ISLAND).map(|at| &html[at + ISLAND.len()..]);
    let names = islands.filter_map(|rest| rest.split('"').next());
    let scripts = names.filter_map(|name| manifest.islands.scripts.get(name));
    scripts
        .flat_map(|script| [script, &manifest.islands.mount])
        .flat_map(|script| std::iter::once(&script.src).chain(&script.imports))
        .map(String::as_str)
        .collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "files are far smaller than 2^52 bytes"
)]
fn kilobytes(bytes: usize) -> f64 {
    bytes as f64 / 1000.0
}
