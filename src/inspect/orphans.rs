//! Pages that no way of links leads to from a home page. A warning: whoever writes a page wants to see it before linking
//! to it; CI, which counts warnings, does not let it pass.

use std::collections::{BTreeSet, HashMap};

use crate::content::pages::Status;
use crate::model::Site;
use crate::problem::{Code, Place, Problem, Problems};
use crate::routes::{Routes, file_of};

use super::Inspection;
use super::scan::Kind;
use super::targets::Target;

/// Follows links file by file, so that a way through an old address counts.
pub(super) fn check(
    inspection: &Inspection,
    site: &Site,
    routes: &Routes,
    targets: &[Target],
    pages: &HashMap<String, usize>,
) -> Problems {
    let homes = (0..site.locales.len()).map(|locale| file_of(&routes.home(site, locale)));
    let mut open: Vec<&str> = homes.filter_map(|home| inspection.files.get(&home).map(String::as_str)).collect();
    let mut reached: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(file) = open.pop() {
        let references = inspection.facts.get(file).into_iter().flat_map(|facts| &facts.references);
        for reference in references.filter(|reference| reference.kind == Kind::Link) {
            if let Target::Inside { path, .. } = &targets[reference.name as usize]
                && let Some(next) = inspection.file(path)
                && reached.insert(next)
            {
                open.push(next);
            }
        }
    }
    let found: BTreeSet<usize> = reached.iter().filter_map(|file| pages.get(*file).copied()).collect();
    let mut problems = Problems::new();
    for (index, page) in site.pages.iter().enumerate() {
        if page.status == Status::Found && !page.noindex && !page.unlinked && !found.contains(&index) {
            let message = format!("no page leads to `{}`", page.path.value);
            let problem = Problem::warning(Code::OrphanPage, message).at(Place::file(page.source.path.clone()));
            problems.push(problem.hint("link to it, or write `unlinked: true` above its sections"));
        }
    }
    problems
}
