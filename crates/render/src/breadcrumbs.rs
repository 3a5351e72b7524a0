//! Breadcrumbs: the trail from the home page to a page, through the pages whose addresses are prefixes of its own.

use config::SiteSettings;
use site::model::{Body, Crumb, Page, Site, Words};
use site::routes::{Route, Routes};

/// The trail from the home page to the page itself: its field `breadcrumb`, or else computed from its address. Empty
/// for a home page, and for a page without parent pages.
pub(super) fn trail(
    settings: &SiteSettings,
    site: &Site,
    routes: &Routes,
    page: &Page,
) -> Vec<Crumb> {
    if !page.breadcrumb.is_empty() {
        return page.breadcrumb.clone();
    }
    let home = routes.home(site, site.locale_index(&page.locale));
    if page.path.value == home {
        return Vec::new();
    }
    let own = page.path.value.as_str();
    let above = own
        .match_indices('/')
        .map(|(at, _)| &own[..=at])
        .filter(|path| path.len() >= home.len());
    let pages = above.filter_map(|path| match routes.get(path) {
        Some(Route::Page { page, .. }) => Some(&site.pages[*page]),
        _ => None,
    });
    let crumb = |page: &Page| {
        let Words { text, lent_by } = label(settings, site, routes, page);
        Crumb {
            label: text.into(),
            lent_by: lent_by.map(Into::into),
            path: page.path.value.as_str().into(),
        }
    };
    let trail: Vec<Crumb> = pages.map(crumb).collect();
    if trail.len() < 2 { Vec::new() } else { trail }
}

/// A page's short name: its `label`, or its label in the menu or footer, or its title.
pub(super) fn label(settings: &SiteSettings, site: &Site, routes: &Routes, page: &Page) -> Words {
    if let Some(label) = &page.label {
        let is_of_entry = matches!(page.body, Body::Entry(_));
        let lent_by = page.title_lent_by.clone().filter(|_| is_of_entry);
        return Words {
            text: label.clone(),
            lent_by,
        };
    }
    let (locale, settings) = (
        site.locale_index(&page.locale),
        settings.in_language(&page.locale),
    );
    if page.path.value == routes.home(site, locale) {
        return Words::of_page(settings.product.name.clone());
    }
    let frame = &site.frames[locale];
    let own = frame.links().filter(|link| {
        routes
            .resolve(site, &link.target.to, locale, None)
            .is_ok_and(|href| settings.path_of(&href.href) == page.path.value)
    });
    own.map(|link| link.label.clone())
        .next()
        .unwrap_or_else(|| Words {
            text: page.name(&settings.product.name).to_owned(),
            lent_by: page.title_lent_by.clone(),
        })
}
