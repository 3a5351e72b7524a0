//! Reports markup of a rendered page that has no words for those who do not see it.

use diagnostics::problem::Problems;
use site::model::{Body, Page, Site};
use text::accessibility::has_wordless_link;
use text::accessibility::html::{Fault, main_of, may_have_faults, scan};

/// Checks the content of a page. Posts are checked where they are read, and the gallery shows parts out of their context.
pub(super) fn check(site: &Site, page: &Page, html: &str) -> Problems {
    let mut problems = Problems::new();
    let main = main_of(html);
    if matches!(page.body, Body::Gallery(_)) || page.body.post().is_some() || !may_have_faults(main)
    {
        return problems;
    }
    // Links in texts were reported at their places.
    let mut is_reported = false;
    site.fields(page)
        .for_each(|fields| fields.texts(&mut |text| is_reported |= has_wordless_link(text)));
    for found in scan(main)
        .iter()
        .filter(|found| !is_reported || found.fault != Fault::Link)
    {
        let place = found.place_in(&page.source, 0..page.source.text.len());
        problems.push(found.problem().at(place));
    }
    problems
}
