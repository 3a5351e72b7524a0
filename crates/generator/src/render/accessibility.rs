//! Reports markup of a rendered page that has no words for those who do not see it.

use crate::content::accessibility::html::{main_of, may_have_faults, scan};
use crate::model::{Body, Page};
use diagnostics::problem::Problems;

/// Checks the content of a page. Posts are checked where they are read, and the gallery shows parts out of their context.
pub(super) fn check(page: &Page, html: &str) -> Problems {
    let mut problems = Problems::new();
    let main = main_of(html);
    if matches!(page.body, Body::Gallery(_)) || page.body.post().is_some() || !may_have_faults(main) {
        return problems;
    }
    for found in scan(main) {
        let place = found.place_in(&page.source, 0..page.source.text.len());
        problems.push(found.problem().at(place));
    }
    problems
}
