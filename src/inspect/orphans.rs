//! Pages that no way of links leads to from a home page. A warning: whoever writes a page wants to see it before linking
//! to it; CI, which counts warnings, does not let it pass.

use std::collections::{HashMap, HashSet};

use crate::content::pages::Status;
use crate::model::Site;
use crate::problem::{Code, Place, Problem, Problems};
use crate::routes::{Routes, file_of};

use super::Inspection;
use super::targets::Target;

/// Follows links file by file, so that a way through an old address counts.
pub(super) fn check(
    inspection: &Inspection,
    site: &Site,
    routes: &Routes,
    targets: &[Target],
    pages: &HashMap<String, usize>,
) -> Problems {
    let numbers: HashMap<&str, usize> =
        inspection.files.iter().enumerate().map(|(number, file)| (file.as_str(), number)).collect();
    let files: Vec<&str> = inspection.files.iter().map(String::as_str).collect();
    // Each address is looked up once, however many pages name it.
    let leads_to: Vec<Option<usize>> = targets
        .iter()
        .map(|target| match target {
            Target::Inside { path, .. } => inspection.file(path).and_then(|file| numbers.get(file).copied()),
            _ => None,
        })
        .collect();
    let homes = (0..site.locales.len()).map(|locale| file_of(&routes.home(site, locale)));
    let mut open: Vec<usize> = homes.filter_map(|home| numbers.get(home.as_str()).copied()).collect();
    let mut reached = vec![false; files.len()];
    open.iter().for_each(|home| reached[*home] = true);
    while let Some(file) = open.pop() {
        let references = inspection.facts.get(files[file]).into_iter().flat_map(|facts| &facts.references);
        for reference in references.filter(|reference| reference.is_link) {
            if let Some(next) = leads_to[reference.name as usize]
                && !std::mem::replace(&mut reached[next], true)
            {
                open.push(next);
            }
        }
    }
    let reached = files.iter().zip(reached).filter(|(_, reached)| *reached);
    let found: HashSet<usize> = reached.filter_map(|(file, _)| pages.get(*file).copied()).collect();
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
