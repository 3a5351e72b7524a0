//! Compares the site with `content/urls.lock`, which lists every public address of the site, one per line, without
//! error pages.
//!
//! A missing address breaks bookmarks and search results, so it is an error, and the hint is the redirect to add. A new
//! address is a warning, so that an editor can preview a new page; CI treats warnings as errors, so the file must be
//! updated. A site without the file is not compared, nor a run with `--set`, which is not the published site.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};

use crate::model::Site;
use crate::model::collections::{Collection, Selection, start_and_rest};
use content::collections::PerLanguage;
use content::pages::Status;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};

use super::{Route, Routes};

/// The path of the file, relative to the site's folder.
pub const FILE: &str = "content/urls.lock";

/// The key of the page that an address leads to if nothing is more like it.
const HOME: &str = "home";
/// How alike an old and a new URL of a page are at least, from 0 to 1.
const LIKE: f64 = 0.5;
/// The greatest number of pairs of URLs that are compared.
const COMPARED: usize = 250_000;
/// How many other pages a hint names.
const OTHERS: usize = 2;
const HEAD: &str = "\
# Every public URL of the site. A URL that disappears must be redirected in site.yaml.
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
            let problem = Problem::error(Code::InvalidValue, format!("`{path}` is not a URL path"));
            let hint = "write one path per line, such as `/about/`, or let `sitegen check --accept-urls` write the file";
            problems.push(problem.at(lock.place(span)).hint(hint));
        }
    }
    let mut known: BTreeSet<&str> = promised.iter().map(|(path, _, _)| *path).collect();
    // A redirect from a file has both forms.
    for (file, _, _) in promised.iter().filter(|(path, _, _)| is_file(path)) {
        let both = format!("{file}/");
        let found = now.get(both.as_str()).copied();
        if let Some(redirect) = found.or_else(|| routes.gone.get(&both).map(String::as_str)) {
            known.insert(redirect);
            now.insert(file);
        }
    }
    // A day that passes makes no address new, and none that has gone by it a broken promise.
    let mut expired: BTreeSet<&str> = absent_entries(site, true).collect();
    expired.extend(routes.gone());
    expired.extend(absent(site, true));
    let fresh: Vec<&str> = now
        .iter()
        .copied()
        .filter(|path| !known.contains(path) && !expired.contains(path))
        .collect();
    let gone: Vec<&(&str, u32, u32)> = promised
        .iter()
        .filter(|(path, _, _)| !now.contains(path) && !expired.contains(path))
        .filter(|(path, _, _)| !goes_with_a_day(site, routes, path))
        .collect();
    let paths: Vec<&str> = gone.iter().map(|(path, _, _)| *path).collect();
    let moved = MovedPages::of(site, routes, &paths, &fresh);
    for (path, start, end) in gone {
        let problem = Problem::error(Code::UrlGone, format!("`{path}` no longer exists"));
        // Who deletes a post in the CMS, or a row where entries come from, must not stop a build.
        let problem = if super::links::list_of_cms(site, path).is_some() || is_fetched(site, path) {
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
                .hint(redirect(site, routes, path, &moved)),
        );
    }
    if let Some(first) = fresh.first() {
        let message = match fresh.len() {
            1 => format!("`{first}` is not in `{FILE}`"),
            count => format!("{count} URLs are not in `{FILE}`; the first is `{first}`"),
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
    absent(site, false).chain(absent_entries(site, false))
}

/// The addresses of entries that have ended, or that have not begun.
fn absent_entries(site: &Site, is_expired: bool) -> impl Iterator<Item = &str> {
    let pages = site.collections.absent.iter();
    pages
        .filter(move |page| page.is_expired == is_expired)
        .map(|page| page.path.as_str())
}

/// The addresses of pages and posts that were public, or that will be.
fn absent(site: &Site, is_expired: bool) -> impl Iterator<Item = &str> {
    let pages = site.absent.pages.iter();
    pages
        .filter(move |page| page.is_expired == is_expired && !page.is_draft)
        .flat_map(|page| page.paths.iter().map(String::as_str))
}

/// Whether a page can go because a day passes: one below a list that is not public now, one by a value that only entries
/// have which are not public now, or one of the numbered pages of a list with such entries.
pub(super) fn goes_with_a_day(site: &Site, routes: &Routes, path: &str) -> bool {
    if site.absent.list_at(path).is_some() {
        return true;
    }
    if let Some(list) = numbered_list(path) {
        let changes = match routes.get(&list) {
            Some(Route::Page { page, .. }) => changes_by_itself(site, *page),
            _ => false,
        };
        return changes || goes_with_a_day(site, routes, &list);
    }
    let is_below = |start: &str| path.len() > start.len() && path.starts_with(start);
    let is_by_value = site.collections.list.iter().any(|collection| {
        let addresses = collection
            .schema
            .filters
            .iter()
            .map(|filter| &filter.address);
        has_withdrawn(site, collection.schema.name) && is_at(site, collection, &addresses, path)
    });
    is_by_value
        || site.blog.languages.values().any(|language| {
            let list = language.list.0;
            let start = &site.pages[list].path.value;
            changes_by_itself(site, list)
                && ["tag/", "author/"]
                    .iter()
                    .any(|part| is_below(&format!("{start}{part}")))
        })
}

/// The path of the list of which a path is a numbered page.
fn numbered_list(path: &str) -> Option<String> {
    let (list, number) = path.trim_end_matches('/').rsplit_once("/page/")?;
    number.parse::<u32>().ok().map(|_| format!("{list}/"))
}

/// Whether a path is at one of these addresses of a collection: it begins as they do, and has as many parts.
fn is_at<'a>(
    site: &Site,
    collection: &Collection,
    addresses: &(impl Iterator<Item = &'a PerLanguage> + Clone),
    path: &str,
) -> bool {
    std::iter::zip(&collection.lists, &site.locales).any(|(list, locale)| {
        let list = list.as_ref().map(|list| &*site.pages[list.page].path.value);
        let mut starts = addresses
            .clone()
            .filter_map(|address| start_and_rest(address, &locale.code, &locale.prefix, list));
        let parts = |path: &str| path.matches('/').count();
        starts.any(|(start, rest)| {
            let fixed = rest.split('{').next().unwrap_or_default();
            path.strip_prefix(start).is_some_and(|below| {
                below.len() > fixed.len() && below.starts_with(fixed) && parts(below) == parts(rest)
            })
        })
    })
}

/// Whether a path is that of an entry that is fetched, or of a list of such entries.
pub(super) fn is_fetched(site: &Site, path: &str) -> bool {
    let mut fetched = site
        .collections
        .list
        .iter()
        .filter(|one| one.schema.is_fetched());
    let numbered = numbered_list(path);
    let path = numbered.as_deref().unwrap_or(path);
    fetched.any(|collection| {
        let schema = collection.schema;
        let filters = schema.filters.iter().map(|filter| &filter.address);
        let addresses = schema.address.iter().chain(filters);
        let mut lists = collection.lists.iter().flatten();
        is_at(site, collection, &addresses, path)
            || numbered.is_some() && lists.any(|list| site.pages[list.page].path.value == path)
    })
}

/// Whether a URL is that of a file of `static/`.
fn is_file(path: &str) -> bool {
    !path.ends_with('/')
}

/// Whether a page lists what comes or goes with a day.
fn changes_by_itself(site: &Site, page: usize) -> bool {
    let mut lists = site.pages[page].sections.iter().filter_map(|section| {
        let has_dates = !Selection::of_section(&section.fields).dates.is_empty();
        section.lists.as_deref().map(|name| (name, has_dates))
    });
    lists.any(|(name, has_dates)| has_dates || has_withdrawn(site, name))
        || site
            .absent
            .pages
            .iter()
            .any(|absent| absent.list == Some(page) && !absent.is_draft)
}

/// Whether a collection has entries that are not public now.
fn has_withdrawn(site: &Site, collection: &str) -> bool {
    let start = format!("{collection}/");
    let mut after = site.collections.withdrawn.range(start.clone()..);
    after.next().is_some_and(|(key, _)| key.starts_with(&start))
}

/// The hint with the redirect to add to `site.yaml`: to the page that has moved, or else to the nearest parent page, or to
/// one of the pages with a new URL.
fn redirect(site: &Site, routes: &Routes, gone: &str, moved: &MovedPages) -> String {
    if is_file(gone) {
        return format!(
            "restore the file `static{gone}`, redirect it in `site.yaml` with `{{from: {gone}, to: …}}`, or run \
             `sitegen check --accept-urls` to remove the URL from the list"
        );
    }
    let known = moved.keys.get(gone).copied().or_else(|| {
        let keys = site.pages.iter().map(|page| page.key.as_str());
        keys.into_iter()
            .find(|key| *key == gone.trim_matches('/'))
            .or_else(|| {
                let mut parents = gone
                    .trim_end_matches('/')
                    .rmatch_indices('/')
                    .map(|(at, _)| &gone[..=at]);
                parents
                    .find_map(|path| key_of(site, routes, path))
                    .filter(|key| *key != HOME)
            })
    });
    let open = moved.open.get(&language_of(site, gone));
    // Of many, it could be any.
    let open = open.filter(|keys| known.is_none() && keys.len() <= 1 + OTHERS);
    let mut open = open.into_iter().flatten();
    let target = known.or_else(|| open.next().copied()).unwrap_or(HOME);
    let from = gone.trim_end_matches('/');
    let hint = format!(
        "add to `redirects:` in `content/site.yaml`: `- {{from: {from}, to: page:{target}}}`"
    );
    let others: Vec<String> = open
        .take(OTHERS)
        .map(|key| format!("`to: page:{key}`"))
        .collect();
    if others.is_empty() {
        hint
    } else {
        format!(
            "{hint}, or write {} if the page has moved there",
            others.join(" or ")
        )
    }
}

/// The pages that have new URLs, as far as they are known from these.
struct MovedPages<'a> {
    /// By the URL that has gone, the key of its page.
    keys: BTreeMap<&'a str, &'a str>,
    /// By language, the keys of pages with a new URL for which no old one was found.
    open: BTreeMap<usize, BTreeSet<&'a str>>,
}

impl<'a> MovedPages<'a> {
    /// Finds for each URL that has gone the new one of the same language that is most like it. Each page moves once: with
    /// several, the pair that is most alike counts first.
    fn of(site: &'a Site, routes: &Routes, gone: &[&'a str], fresh: &[&'a str]) -> MovedPages<'a> {
        let (mut old_urls, mut new_pages) =
            (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for path in gone.iter().filter(|path| path.ends_with('/')) {
            let language = language_of(site, path);
            old_urls.entry(language).or_default().push(*path);
        }
        for path in fresh {
            if let Some(key) = key_of(site, routes, path) {
                let language = language_of(site, path);
                new_pages.entry(language).or_default().push((*path, key));
            }
        }
        let (mut keys, mut open) = (BTreeMap::new(), BTreeMap::new());
        for (language, mut old) in old_urls {
            let new = new_pages.remove(&language).unwrap_or_default();
            let below = site.locales[language].prefix.len();
            let likeness = |old: &str, new: &str| likeness(&old[below..], &new[below..]);
            // Thousands of posts below another URL are found by their names, without comparing each with each.
            let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
            for page in new {
                by_name.entry(last_part(page.1)).or_default().push(page);
            }
            old.retain(|path| {
                let Some(named) = by_name.get_mut(&last_part(path)) else {
                    return true;
                };
                let most_like = named.iter().enumerate().max_by(|(_, (a, _)), (_, (b, _))| {
                    likeness(path, a).total_cmp(&likeness(path, b))
                });
                let most_like = most_like.map(|(at, _)| at);
                let key = most_like.map(|at| named.swap_remove(at).1);
                keys.extend(key.map(|key| (*path, key)));
                key.is_none()
            });
            let new: Vec<(&str, &str)> = by_name.into_values().flatten().collect();
            let mut pairs = Vec::new();
            if old.len() * new.len() <= COMPARED {
                for path in &old {
                    pairs.extend(
                        new.iter()
                            .map(|(fresh, key)| (likeness(path, fresh), *path, *key)),
                    );
                }
            }
            pairs.sort_by(|(a, path, key), (b, other_path, other_key)| {
                b.total_cmp(a)
                    .then((path, key).cmp(&(other_path, other_key)))
            });
            let mut left: BTreeSet<&str> = new.iter().map(|(_, key)| *key).collect();
            for (_, path, key) in pairs.into_iter().filter(|(likeness, ..)| *likeness > LIKE) {
                if !keys.contains_key(path) && left.remove(key) {
                    keys.insert(path, key);
                }
            }
            open.insert(language, left);
        }
        MovedPages { keys, open }
    }
}

/// How alike two URLs are, from 0 to 1.
fn likeness(old: &str, new: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(old, new)
}

/// The index of the language of a URL.
fn language_of(site: &Site, path: &str) -> usize {
    let prefixes = site.locales.iter().enumerate().filter(|(_, locale)| {
        path.strip_prefix(locale.prefix.as_str())
            .is_some_and(|rest| rest.starts_with('/'))
    });
    prefixes
        .max_by_key(|(_, locale)| locale.prefix.len())
        .map_or(0, |(at, _)| at)
}

/// The key of the page at a URL.
fn key_of<'a>(site: &'a Site, routes: &Routes, path: &str) -> Option<&'a str> {
    match routes.get(path) {
        Some(Route::Page { page, .. }) => Some(site.pages[*page].key.as_str()),
        _ => None,
    }
}

fn last_part(path: &str) -> Option<&str> {
    path.trim_end_matches('/').rsplit('/').next()
}
