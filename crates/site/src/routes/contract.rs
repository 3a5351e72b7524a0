//! Compares the site with `content/urls.lock`, which lists every public address of the site, one per line, without
//! error pages.
//!
//! A missing address breaks bookmarks and search results, so it is an error, and the hint is the redirect to add. A new
//! address is a warning, so that an editor can preview a new page; CI treats warnings as errors, so the file must be
//! updated. A site without the file is not compared, nor a run with `--set`, which is not the published site.

use std::collections::BTreeSet;

use crate::model::Site;
use content::pages::Status;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};

use super::{Route, Routes};

/// The path of the file, relative to the site's folder.
pub const FILE: &str = "content/urls.lock";

/// The key of the page that an address leads to if nothing is more like it.
const HOME: &str = "home";
const HEAD: &str = "\
# Every public address of the site. An address that vanishes must be redirected in site.yaml.
# Written by `sitegen check --accept-urls`; commit it with the pages.
";

/// The text of the file for the current site.
pub fn text(site: &Site, routes: &Routes) -> String {
    let mut addresses = addresses(site, routes);
    addresses.extend(scheduled(site));
    std::iter::once(HEAD)
        .chain(addresses.iter().flat_map(|path| [path, "\n"]))
        .collect()
}

/// Compares the file with the site.
pub fn check(site: &Site, routes: &Routes, lock: &Source) -> Problems {
    let mut problems = Problems::new();
    let mut now = addresses(site, routes);
    // An entry with a date is promised before it is there, so that a day that passes makes no URL new.
    now.extend(scheduled(site));
    let mut promised = BTreeSet::new();
    let mut start = 0;
    for line in lock.text.split_inclusive('\n') {
        let path = line.trim();
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        if path.is_empty() || path.starts_with('#') {
            continue;
        }
        if path.starts_with('/') {
            promised.insert((path, span.start, span.end));
        } else {
            let problem = Problem::error(Code::InvalidValue, format!("`{path}` is not a URL"));
            let hint =
                "write one path per line, or let `sitegen check --accept-urls` write the file";
            problems.push(problem.at(lock.place(span)).hint(hint));
        }
    }
    let known: BTreeSet<&str> = promised.iter().map(|(path, _, _)| *path).collect();
    // A day that passes makes no address new, and none that has gone by it a broken promise.
    let mut expired: BTreeSet<&str> = site
        .collections
        .expired
        .iter()
        .map(|page| page.path.as_str())
        .collect();
    expired.extend(routes.gone());
    expired.extend(absent(site, true));
    let fresh: Vec<&str> = now
        .iter()
        .copied()
        .filter(|path| !known.contains(path) && !expired.contains(path))
        .collect();
    for (path, start, end) in promised
        .iter()
        .filter(|(path, _, _)| !now.contains(path) && !expired.contains(path))
    {
        let problem = Problem::error(Code::UrlGone, format!("`{path}` no longer exists"));
        // Who deletes a post in the CMS must not stop a build.
        let problem = if super::links::list_of_cms(site, path).is_some() {
            problem.as_warning()
        } else {
            problem
        };
        problems.push(
            problem
                .at(lock.place(Span {
                    start: *start,
                    end: *end,
                }))
                .hint(redirect(site, routes, path, &fresh)),
        );
    }
    if let Some(first) = fresh.first() {
        let message = match fresh.len() {
            1 => format!("`{first}` is not in `{FILE}`"),
            count => format!("{count} URLs are not in `{FILE}`, the first is `{first}`"),
        };
        let problem = Problem::warning(Code::UrlNew, message).at(Place::file(FILE));
        problems.push(problem.hint("run `sitegen check --accept-urls`, and commit the file"));
    }
    problems
}

/// The addresses of pages, copies, redirects and static files; not those of error pages. Those in the file have a line
/// each.
pub fn addresses<'a>(site: &Site, routes: &'a Routes) -> BTreeSet<&'a str> {
    let is_public = |route: &Route| match route {
        Route::Page { page, .. } => site.pages[*page].status == Status::Found,
        Route::Redirect { .. } | Route::Static => true,
    };
    routes
        .iter()
        .filter(|(_, route)| is_public(route))
        .map(|(path, _)| path)
        .collect()
}

/// The addresses of pages that will be public.
fn scheduled(site: &Site) -> impl Iterator<Item = &str> {
    absent(site, false)
}

/// The addresses of pages that were public, or that will be; those of posts only if they were.
fn absent(site: &Site, is_expired: bool) -> impl Iterator<Item = &str> {
    let pages = site
        .absent
        .pages
        .iter()
        .filter(move |page| page.is_expired == is_expired);
    pages
        .filter(move |page| is_expired || page.list.is_none())
        .flat_map(|page| page.paths.iter().map(String::as_str))
}

/// The hint with the redirect to add to `site.yaml`: to the page whose key ends as the address does, which has moved; or else
/// to the new one with the most similar address, to the nearest parent page, or to the only page that is new.
fn redirect(site: &Site, routes: &Routes, gone: &str, fresh: &[&str]) -> String {
    let is_file = !gone.ends_with('/');
    if is_file {
        return format!(
            "restore the file `static{gone}`, or run `sitegen check --accept-urls` to remove the URL from the list"
        );
    }
    let target = key_of_like(site, routes, gone, fresh)
        .or_else(|| {
            site.pages
                .iter()
                .map(|page| page.key.as_str())
                .find(|key| *key == gone.trim_matches('/'))
        })
        .or_else(|| {
            let mut parents = gone
                .trim_end_matches('/')
                .rmatch_indices('/')
                .map(|(at, _)| &gone[..=at]);
            parents
                .find_map(|path| key_of(site, routes, path))
                .filter(|key| *key != HOME)
        })
        .or_else(|| {
            let keys: BTreeSet<&str> = fresh
                .iter()
                .filter_map(|path| key_of(site, routes, path))
                .collect();
            keys.first().copied().filter(|_| keys.len() == 1)
        })
        .unwrap_or(HOME);
    let from = gone.trim_end_matches('/');
    format!("add to `redirects:` in `content/site.yaml`: `- {{from: {from}, to: page:{target}}}`")
}

/// The key of the page at a URL.
fn key_of<'a>(site: &'a Site, routes: &Routes, path: &str) -> Option<&'a str> {
    match routes.get(path) {
        Some(Route::Page { page, .. }) => Some(site.pages[*page].key.as_str()),
        _ => None,
    }
}

/// The key of the new page that is most like a URL: one whose key ends as the URL does, or else one with a similar URL.
fn key_of_like<'a>(site: &'a Site, routes: &Routes, gone: &str, fresh: &[&str]) -> Option<&'a str> {
    let pages = fresh.iter().filter_map(|path| {
        let likeness = strsim::normalized_damerau_levenshtein(gone, path);
        Some((likeness, key_of(site, routes, path)?))
    });
    let (named, others): (Vec<_>, Vec<_>) =
        pages.partition(|(_, key)| last_part(key) == last_part(gone));
    let like = others.into_iter().filter(|(likeness, _)| *likeness > 0.5);
    let most_like = if named.is_empty() {
        like.collect()
    } else {
        named
    };
    most_like
        .into_iter()
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, key)| key)
}

fn last_part(path: &str) -> Option<&str> {
    path.trim_end_matches('/').rsplit('/').next()
}
