//! Reports pages that cannot be reached through links from a home page, or from a page that nobody has to link to. This is a warning, because an author wants to
//! preview a page before linking to it; CI treats warnings as errors.

use std::collections::BTreeMap;

use content::pages::Status;
use diagnostics::problem::{Code, Place, Problem, Problems};
use site::model::{Body, Page, Site};
use site::routes::{Routes, file_of};
use workspace::kinds::Kind;

use super::FileIndex;

/// Follows links from file to file, so that redirect pages count.
pub(super) fn check(numbered: &FileIndex, site: &Site, routes: &Routes) -> Problems {
    let files = &numbered.files;
    let homes = (0..site.locales.len()).map(|locale| file_of(&routes.home(site, locale)));
    let unlinked = site.pages.iter().filter(|page| page.unlinked);
    let mut open: Vec<usize> = homes
        .chain(unlinked.map(|page| file_of(&page.path)))
        .filter_map(|home| {
            files
                .binary_search_by_key(&home.as_str(), |(file, _)| file)
                .ok()
        })
        .collect();
    let mut reached = vec![false; files.len()];
    open.iter().for_each(|home| reached[*home] = true);
    while let Some(file) = open.pop() {
        let references = files[file]
            .1
            .into_iter()
            .flat_map(|links| &links.references);
        for reference in references.filter(|reference| reference.is_link()) {
            if let Some(next) = numbered.targets[reference.name as usize].1
                && !std::mem::replace(&mut reached[next], true)
            {
                open.push(next);
            }
        }
    }
    let mut found = vec![false; site.pages.len()];
    for (page, _) in numbered
        .pages
        .iter()
        .zip(reached)
        .filter(|(_, reached)| *reached)
    {
        page.iter().for_each(|page| found[*page] = true);
    }
    let orphans = site.pages.iter().enumerate().filter(|(index, page)| {
        page.status == Status::Found && !page.noindex && !page.unlinked && !found[*index]
    });
    let mut of_collections: BTreeMap<(&str, &str), Vec<&Page>> = BTreeMap::new();
    let mut problems = Problems::new();
    for (_, page) in orphans {
        match collection_of(site, page) {
            Some(name) => of_collections
                .entry((name, page.locale.as_str()))
                .or_default()
                .push(page),
            None => problems.push(orphan(page).hint(match page.body {
                Body::Sections => "link to it, or write `unlinked: true` above its sections",
                _ => "link to it, or to a page that lists it",
            })),
        }
    }
    // A collection that no page lists is one mistake, however many entries it has.
    for ((name, _), pages) in of_collections {
        let hint = format!(
            "add a link, or list the collection on a page: `- {{kind: entries, of: {name}}}`"
        );
        if let [first, _, _, ..] = pages[..] {
            let message = format!(
                "{} pages of `{name}`, such as `{}`, cannot be reached by links from a home page",
                pages.len(),
                first.path.value
            );
            let schema = Kind::Collection.file(name, "");
            problems.push(
                Problem::warning(Code::OrphanPage, message)
                    .at(Place::file(schema))
                    .hint(hint),
            );
        } else {
            pages
                .iter()
                .for_each(|page| problems.push(orphan(page).hint(hint.clone())));
        }
    }
    problems
}

fn orphan(page: &Page) -> Problem {
    let message = format!(
        "`{}` cannot be reached by links from a home page",
        page.path.value
    );
    Problem::warning(Code::OrphanPage, message).at(Place::file(page.source.path.clone()))
}

/// The collection that a page shows an entry or a filter of.
fn collection_of(site: &Site, page: &Page) -> Option<&'static str> {
    let collection = match page.body {
        Body::Entry(id) => id.collection,
        Body::EntryFilter(id) => id.collection,
        _ => return None,
    };
    Some(site.collections.list[collection].schema.name)
}
