//! The addresses of entries that have ended: each leads to the page that lists the others, unless the schema says that it is
//! gone, a redirect of the site takes it, or a page has it now.

use crate::model::Site;

use super::{Route, RouteClaims, Routes, file_of, paths};

/// Adds the redirects to the routes.
pub(super) fn plan(site: &Site, routes: &mut Routes, claims: &RouteClaims) {
    for page in site
        .collections
        .absent
        .iter()
        .filter(|page| page.is_expired)
    {
        let is_free = !claims.0.contains_key(&file_of(&page.path))
            && !routes.by_path.contains_key(&page.path);
        let is_address =
            page.path.starts_with('/') && paths::segments_problem(&page.path).is_none();
        if !is_free || !is_address {
            continue;
        }
        if !page.leads_on {
            routes.gone.insert(page.path.clone());
        } else if let Some(list) = routes.list_of_withdrawn(site, &page.key, page.locale) {
            let to = routes.href(&site.pages[list].path.value);
            routes
                .by_path
                .insert(page.path.clone(), Route::Redirect { to });
        }
    }
}
