//! Reports pages that cannot be reached through links from a home page. This is a warning, because an author wants to
//! preview a page before linking to it; CI treats warnings as errors.

use crate::content::pages::Status;
use crate::model::Site;
use crate::routes::{Routes, file_of};
use diagnostics::problem::{Code, Place, Problem, Problems};

use super::FileIndex;

/// Follows links from file to file, so that redirect pages count.
pub(super) fn check(numbered: &FileIndex, site: &Site, routes: &Routes) -> Problems {
    let files = &numbered.files;
    let homes = (0..site.locales.len()).map(|locale| file_of(&routes.home(site, locale)));
    let mut open: Vec<usize> =
        homes.filter_map(|home| files.binary_search_by_key(&home.as_str(), |(file, _)| file).ok()).collect();
    let mut reached = vec![false; files.len()];
    open.iter().for_each(|home| reached[*home] = true);
    while let Some(file) = open.pop() {
        let references = files[file].1.into_iter().flat_map(|links| &links.references);
        for reference in references.filter(|reference| reference.is_link()) {
            if let Some(next) = numbered.targets[reference.name as usize].1
                && !std::mem::replace(&mut reached[next], true)
            {
                open.push(next);
            }
        }
    }
    let mut found = vec![false; site.pages.len()];
    for (page, _) in numbered.pages.iter().zip(reached).filter(|(_, reached)| *reached) {
        page.iter().for_each(|page| found[*page] = true);
    }
    let mut problems = Problems::new();
    for (index, page) in site.pages.iter().enumerate() {
        if page.status == Status::Found && !page.noindex && !page.unlinked && !found[index] {
            let message = format!("no page links to `{}`", page.path.value);
            let problem = Problem::warning(Code::OrphanPage, message).at(Place::file(page.source.path.clone()));
            problems.push(problem.hint("link to it, or write `unlinked: true` above its sections"));
        }
    }
    problems
}
