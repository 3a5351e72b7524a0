//! Resolves links as authors write them, and reports links to pages that do not exist.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde::Serialize;
use url::Url;

use crate::model::collections::Entry;
use crate::model::{Body, Collection, Page, Site};
use config::SiteSettings;
use diagnostics::problem::{Code, Problem, Problems, did_you_mean};
use schema::types::{composed, joined};
use text::rich::Target;

use super::absent::{self, hidden};
use super::{Route, Routes, Words, contract};

/// A link as a template receives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Href {
    /// The address.
    pub href: String,
    /// Whether it leads to another site.
    pub external: bool,
    /// The language of the target if it differs from that of the page.
    pub hreflang: Option<String>,
}

impl Href {
    /// An unresolved address, for a link that was reported as dead, so that nothing is published.
    pub fn as_written(to: &str) -> Href {
        Href {
            href: to.to_owned(),
            external: false,
            hreflang: None,
        }
    }
}

/// Schemes that a link may have, in any case.
const OUTSIDE: &[&str] = &["https://", "http://", "mailto:", "tel:"];

impl Routes {
    /// Resolves a link on pages of a locale. `own` is the page to which a bare `#anchor` belongs. The caller adds the
    /// place to the problem.
    pub fn resolve(
        &self,
        site: &Site,
        to: &str,
        locale: usize,
        own: Option<&Page>,
    ) -> Result<Href, Problem> {
        self.resolve_words(site, to, locale, Words::MayBeLent, own)
    }

    fn resolve_words(
        &self,
        site: &Site,
        to: &str,
        locale: usize,
        words: Words,
        own: Option<&Page>,
    ) -> Result<Href, Problem> {
        if let Some(scheme) = OUTSIDE.iter().find(|scheme| {
            to.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        }) {
            if to.len() == scheme.len() {
                return Err(
                    Problem::error(Code::BadLink, format!("`{to}` is not a full URL"))
                        .hint("write the complete URL"),
                );
            }
            return Ok(Href {
                href: to.to_owned(),
                external: scheme.starts_with("http"),
                hreflang: None,
            });
        }
        let (address, anchor) = match to.split_once('#') {
            Some((address, anchor)) => (address, Some(anchor)),
            None => (to, None),
        };
        let (address, query) = match address.split_once('?') {
            Some((address, query)) => (address, Some(query)),
            None => (address, None),
        };
        // Keys and addresses come from names of files.
        let address = &*composed(address);
        let mut is_instead = false;
        let (path, page) = if let Some(key) = address.strip_prefix("page:") {
            // Its entries are unknown, which is reported at the schema.
            if key
                .split_once('/')
                .is_some_and(|(name, _)| site.collections.broken.contains(name))
            {
                return Ok(unreadable());
            }
            let code = &site.locales[locale].code;
            let is_broken = site.broken_pages.iter().any(|page| {
                page.key == key
                    && (page.locale == *code || self.page_for(site, key, locale).is_none())
            });
            if is_broken {
                return Ok(unreadable());
            }
            let found = self.page_for(site, key, locale);
            is_instead = found.is_none();
            let found = found.or_else(|| self.instead(site, key, locale));
            let index = found.ok_or_else(|| self.unknown_key(key))?;
            (
                site.pages[index].path.value.clone(),
                Some(&site.pages[index]),
            )
        } else if address.is_empty() && (anchor.is_some() || query.is_some()) {
            (String::new(), own)
        } else if let Some(index) = self
            .absent(site, address, locale, own)
            .and_then(|page| self.instead_of(site, page))
        {
            is_instead = true;
            (
                site.pages[index].path.value.clone(),
                Some(&site.pages[index]),
            )
        } else if let Some(found) = self.by_file(site, address, own) {
            found?
        } else if address.starts_with('/') {
            // The list of a CMS has no anchor of a page that is gone.
            is_instead = self.route_of(address).is_none();
            self.by_written_path(site, address)?
        } else {
            return Err(self.not_a_target(to, address, own));
        };
        // As browsers read it: an empty fragment is the top of the page, and `:~:` begins a part that is searched.
        let name = anchor.map(|anchor| anchor.split(":~:").next().unwrap_or_default());
        let name = name
            .filter(|name| !name.is_empty() && *name != "top")
            .map(decoded);
        let fallbacks = &site.locales[locale].fallbacks;
        // The language whose page has the anchor that this one lacks.
        let there = name
            .as_ref()
            .zip(page)
            .filter(|(anchor, page)| !page.anchors.contains(anchor));
        let there = there.and_then(|(anchor, page)| {
            fallbacks
                .iter()
                .copied()
                .chain(0..site.locales.len())
                .find(|other| {
                    self.page(&page.key, *other)
                        .is_some_and(|at| site.pages[at].anchors.contains(anchor))
                })
        });
        let is_of_fallback =
            words == Words::MayBeLent && there.is_some_and(|other| fallbacks.contains(&other));
        let is_hidden = name
            .as_ref()
            .zip(page)
            .is_some_and(|(anchor, page)| hidden(page, anchor).is_some());
        let is_of_cms = name.as_ref().zip(page).is_some_and(|(anchor, page)| {
            !path.is_empty()
                && !page.partial
                && site.blog.is_foreign(page.body)
                && !page.anchors.contains(anchor)
        });
        let is_left_out = is_of_fallback || is_instead || is_hidden || is_of_cms;
        let (name, anchor) = if is_left_out {
            (None, None)
        } else {
            (name, anchor)
        };
        if let (Some(anchor), Some(page)) = (name, page)
            && !page.partial
            && !page.anchors.contains(&anchor)
        {
            let names = page.anchors.iter().map(String::as_str);
            let problem = Problem::error(
                Code::DeadAnchor,
                format!(
                    "nothing on `{}` has the anchor `#{anchor}`",
                    page.path.value
                ),
            );
            return Err(problem.maybe_hint(
                there
                    .map(|other| {
                        let code = &site.locales[other].code;
                        format!("the page in `{code}` has this anchor; set the `id` in `page.yaml` to use the anchor in all languages")
                    })
                    .or_else(|| did_you_mean(&anchor, names)),
            ));
        }
        let other = page.filter(|page| site.locale_index(&page.locale) != locale);
        let hreflang = other.map(|page| {
            site.locales[site.locale_index(&page.locale)]
                .language
                .clone()
        });
        let mut href = if path.is_empty() {
            String::new()
        } else {
            self.link(&path, &self.home(site, locale))
        };
        for (sign, part) in [('?', query), ('#', anchor)] {
            if let Some(part) = part {
                href.push(sign);
                href.push_str(part);
            }
        }
        Ok(Href {
            href,
            external: false,
            hreflang,
        })
    }

    /// The page of a key in a locale, or in the nearest of its fallbacks, or else in the first locale that has it.
    pub(super) fn page_for(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        let nearest = std::iter::once(locale).chain(site.locales[locale].fallbacks.iter().copied());
        nearest
            .chain(0..site.locales.len())
            .find_map(|other| self.page(key, other))
    }

    /// The list of all posts, in place of a page that the CMS does not give: the page of a post, a tag or an author. Who deletes
    /// a post there must not stop a build.
    fn list_of_gone_post(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        let is_gone = key.starts_with("blog/")
            && site.blog.is_of_cms()
            && self.page_for(site, key, locale).is_none();
        let list = site
            .blog
            .languages
            .get(&site.locales[locale].code)
            .or_else(|| site.blog.languages.values().next());
        list.filter(|_| is_gone).map(|language| language.list.0)
    }

    /// The page that a link to something that is gone leads to.
    fn instead(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        absent::by_key(site, key, locale)
            .and_then(|page| self.instead_of(site, page))
            .or_else(|| self.list_of_gone_post(site, key, locale))
            .or_else(|| self.list_of_withdrawn(site, key, locale))
            .or_else(|| self.list_of_gone_entry(site, key, locale))
    }

    /// The page that lists the entries from an address, in place of the page of one that the address does not give.
    fn list_of_gone_entry(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        let (collection, _) = key.split_once('/')?;
        let schema = site.collections.list[site.collections.position(collection)?].schema;
        let is_gone = schema.is_fetched() && self.page_for(site, key, locale).is_none();
        self.list_or_home(site, collection, locale)
            .filter(|_| is_gone)
    }

    /// The page that lists a collection; the home page if none does.
    fn list_or_home(&self, site: &Site, collection: &str, locale: usize) -> Option<usize> {
        let at = site.collections.position(collection);
        let list = at.and_then(|at| site.collections.list[at].lists[locale]);
        list.map(|place| place.page)
            .or_else(|| match self.by_path.get(&self.home(site, locale)) {
                Some(Route::Page { page, .. }) => Some(*page),
                _ => None,
            })
    }

    /// The nearest page above an address that nobody has taken away: it has its days, or what is fetched lacks it now.
    fn above_gone(&self, site: &Site, path: &str) -> Option<usize> {
        let mut absent = site.collections.absent.iter();
        let is_gone = contract::goes_with_a_day(site, self, path)
            || contract::is_fetched(site, path)
            || absent.any(|page| page.path == path);
        let parents = path.trim_end_matches('/').rmatch_indices('/');
        let mut parents = parents.map(|(at, _)| &path[..=at]).filter(|_| is_gone);
        parents.find_map(|path| match self.by_path.get(path)? {
            Route::Page { page, .. } => Some(*page),
            _ => None,
        })
    }

    /// The page that lists a collection, in place of the page of an entry that is not public now: a date that passes must
    /// not stop a build. The home page if no page lists it.
    pub(super) fn list_of_withdrawn(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        site.collections.withdrawn.get(key)?;
        let (collection, _) = key.split_once('/')?;
        self.list_or_home(site, collection, locale)
    }

    /// The problem with a link, if there is one.
    pub(super) fn problem(
        &self,
        site: &Site,
        target: &Target,
        locale: usize,
        words: Words,
        own: Option<&Page>,
    ) -> Option<Problem> {
        if let Err(problem) = self.resolve_words(site, &target.to, locale, words, own) {
            return Some(problem);
        }
        if let Some(problem) = self.absence(site, &target.to, locale, own) {
            return Some(problem);
        }
        if let Some(problem) = self.anchor_of_cms(site, &target.to, locale) {
            return Some(problem);
        }
        let Some(key) = target.to.strip_prefix("page:") else {
            let path = target.to.split(['#', '?']).next().unwrap_or_default();
            let is_gone = self.route_of(path).is_none()
                && path.starts_with('/')
                && self.file(site, path, own).is_none();
            let slashed = with_slash(path);
            let mut broken = site.broken_pages.iter();
            if !is_gone || broken.any(|page| page.paths.contains(&slashed)) {
                return None;
            }
            if list_of_cms(site, path).is_some() {
                return Some(gone_from_cms(path));
            }
            let above = &site.pages[self.above_gone(site, &slashed)?].path.value;
            let message =
                format!("there is no page at `{path}` now, so the link goes to `{above}`");
            return Some(Problem::warning(Code::DeadLink, message).hint("link to another page"));
        };
        let key = key.split(['#', '?']).next().unwrap_or(key);
        if self.page_for(site, key, locale).is_none()
            && let Some(reason) = site.collections.withdrawn.get(key)
        {
            let message = format!(
                "`{key}` {reason}, so the link goes to the page that lists the other entries"
            );
            return Some(
                Problem::warning(Code::DeadLink, message)
                    .hint("link to another page, or make the entry public"),
            );
        }
        if self.list_of_gone_entry(site, key, locale).is_some() {
            let message = format!(
                "the source of the entries no longer has `{key}`, so the link goes to their list"
            );
            return Some(Problem::warning(Code::DeadLink, message).hint("link to another page"));
        }
        self.list_of_gone_post(site, key, locale)?;
        Some(gone_from_cms(key))
    }

    fn unknown_key(&self, key: &str) -> Problem {
        // Sorted, so that the suggestion is deterministic if two keys are equally similar.
        let keys: BTreeSet<&str> = self.by_key.keys().map(String::as_str).collect();
        let near = did_you_mean(key, keys);
        Problem::error(
            Code::DeadLink,
            format!("there is no page with the key `{key}`"),
        )
        .hint("name a page that exists, or create it: `sitegen new page \"…\"`")
        .maybe_hint(near.map(|hint| hint.replace("did you mean `", "did you mean `page:")))
    }

    /// The page that is made from a file of the site, as a link names it from the file of a page: `other.md` and
    /// `../about/es.yaml`, as editors and GitHub follow it, or `/content/blog/en/other.md`. `None` for other addresses.
    fn by_file<'a>(
        &self,
        site: &'a Site,
        address: &str,
        own: Option<&Page>,
    ) -> Option<Result<(String, Option<&'a Page>), Problem>> {
        let file = self.file(site, address, own)?;
        let found = self.page_of_file(site, &file);
        Some(
            found
                .map(|index| {
                    (
                        site.pages[index].path.value.clone(),
                        Some(&site.pages[index]),
                    )
                })
                .ok_or_else(|| {
                    let near = did_you_mean(
                        &file,
                        site.blog
                            .content
                            .posts
                            .iter()
                            .map(|post| post.origin.path()),
                    );
                    let near = near.filter(|hint| hint.starts_with("did"));
                    Problem::error(Code::DeadLink, format!("there is no page file `{file}`"))
                        .hint("link to a page by its key: `page:<key>`")
                        .maybe_hint(near)
                }),
        )
    }

    /// The path of the file that a link names; `None` for other addresses.
    pub(super) fn file(&self, site: &Site, address: &str, own: Option<&Page>) -> Option<String> {
        let is_source = [".md", ".yaml"]
            .iter()
            .any(|ending| address.ends_with(ending));
        let address = is_source
            .then(|| decoded(address))
            .filter(|address| !self.by_path.contains_key(address))?;
        match address.strip_prefix('/') {
            Some(path) => Some(path.to_owned()),
            None => joined(file_of_page(site, own?).rsplit_once('/')?.0, &address),
        }
    }

    /// The page of a file of `content/`.
    fn page_of_file(&self, site: &Site, file: &str) -> Option<usize> {
        let parts: Vec<&str> = file.strip_prefix("content/")?.split('/').collect();
        let index_of = |code: &str| site.locales.iter().position(|locale| locale.code == code);
        match parts[..] {
            ["blog", code, slug, "index.md"] => self.page_of_post(site, code, slug),
            ["blog", code, name] => self.page_of_post(site, code, name.strip_suffix(".md")?),
            ["pages", ref key @ .., name] => {
                self.page(&key.join("/"), index_of(name.strip_suffix(".yaml")?)?)
            }
            _ => None,
        }
    }

    fn page_of_post(&self, site: &Site, code: &str, slug: &str) -> Option<usize> {
        let list = site.blog.languages.get(code)?.list.0;
        match self
            .by_path
            .get(&format!("{}{slug}/", site.pages[list].path.value))?
        {
            Route::Page { page, .. } => Some(*page),
            _ => None,
        }
    }

    /// The address that a written path names, and what is there.
    fn route_of(&self, path: &str) -> Option<(&str, &Route)> {
        let route = |path: &str| {
            self.by_path
                .get_key_value(path)
                .map(|(path, route)| (path.as_str(), route))
        };
        route(path)
            .or_else(|| route(&with_slash(path)))
            .or_else(|| {
                // An address that was copied from a browser is encoded, and one that was put together may have `..`.
                let requested = requested(path)?;
                let found = route(&requested)
                    .or_else(|| route(&format!("{}/", requested.trim_end_matches('/'))));
                found.or_else(|| route(requested.strip_suffix("index.html")?))
            })
    }

    /// The warning about an anchor that a page of the CMS does not have, or has no more.
    fn anchor_of_cms(&self, site: &Site, to: &str, locale: usize) -> Option<Problem> {
        let (address, anchor) = to
            .split_once('#')
            .filter(|(_, anchor)| !anchor.is_empty() && *anchor != "top")?;
        let page = match address.strip_prefix("page:") {
            Some(key) => &site.pages[self.page_for(site, key.split('?').next()?, locale)?],
            None => match self.route_of(address.split('?').next()?)?.1 {
                Route::Page { page, .. } => &site.pages[*page],
                _ => return None,
            },
        };
        let anchor = decoded(anchor.split(":~:").next()?);
        let is_gone = !anchor.is_empty() && !page.partial && !page.anchors.contains(&anchor);
        (is_gone && site.blog.is_foreign(page.body)).then(|| {
            let message = format!(
                "nothing on `{}`, a page from the CMS, has the anchor `#{anchor}`",
                page.path.value
            );
            Problem::warning(Code::DeadAnchor, message).hint("link to the page without an anchor")
        })
    }

    fn by_written_path<'a>(
        &self,
        site: &'a Site,
        path: &str,
    ) -> Result<(String, Option<&'a Page>), Problem> {
        let with_slash = with_slash(path);
        let found = self.route_of(path);
        match found {
            Some((path, Route::Page { page, .. })) => {
                Ok((path.to_owned(), Some(&site.pages[*page])))
            }
            Some((path, Route::Static | Route::Redirect { .. })) => Ok((path.to_owned(), None)),
            None if site
                .broken_pages
                .iter()
                .any(|page| page.paths.contains(&with_slash)) =>
            {
                Ok((with_slash.clone(), None))
            }
            None => {
                let list = list_of_cms(site, &with_slash);
                if let Some(list) = list.or_else(|| self.above_gone(site, &with_slash)) {
                    return Ok((site.pages[list].path.value.clone(), None));
                }
                let near = did_you_mean(&with_slash, self.by_path.keys().map(String::as_str))
                    .filter(|hint| hint.starts_with("did"));
                let problem =
                    Problem::error(Code::DeadLink, format!("there is no page at `{path}`"));
                let problem = problem
                    .hint("link to a page by its key: `page:<key>`")
                    .maybe_hint(near);
                if path.starts_with("//") {
                    return Err(problem.hint(format!("write `https:{path}`")));
                }
                // Only published files have the path of `base_url` in front of each address.
                let below = path
                    .strip_prefix(self.base_path.as_str())
                    .filter(|_| !self.base_path.is_empty());
                let below = below.filter(|below| self.by_path.contains_key(*below));
                Err(problem.maybe_hint(
                    below.map(|below| format!("write `{below}`, without the path of `base_url`")),
                ))
            }
        }
    }
}

/// The page that lists the posts of a CMS below which an address is: what is there is decided by the CMS.
pub(super) fn list_of_cms(site: &Site, path: &str) -> Option<usize> {
    if site.blog.is_of_cms() {
        site.blog
            .languages
            .values()
            .map(|language| language.list.0)
            .find(|list| {
                path.strip_prefix(site.pages[*list].path.value.as_str())
                    .is_some_and(|below| !below.is_empty())
            })
    } else {
        None
    }
}

fn gone_from_cms(what: &str) -> Problem {
    let message = format!("the CMS no longer has `{what}`, so the link goes to the list of posts");
    Problem::warning(Code::DeadLink, message).hint("link to another page")
}

fn with_slash(path: &str) -> String {
    if path.ends_with('/') {
        path.to_owned()
    } else {
        format!("{path}/")
    }
}

/// A link to a page whose file could not be read. The problem is reported at that file.
fn unreadable() -> Href {
    Href {
        href: String::new(),
        external: false,
        hreflang: None,
    }
}

/// The file of a page, for links that are relative to it.
fn file_of_page<'a>(site: &'a Site, page: &'a Page) -> &'a str {
    page.body.post().map_or(&page.source.path, |index| {
        site.blog.post(index).origin.path()
    })
}

/// A text without percent-encoding, in the form in which names of files are compared.
fn decoded(text: &str) -> String {
    composed(percent_decode_str(text).decode_utf8_lossy()).into_owned()
}

/// The path that a browser requests for an address of the site, decoded.
fn requested(path: &str) -> Option<String> {
    let base = Url::parse("http://site.invalid/").ok()?;
    let url = base
        .join(path)
        .ok()
        .filter(|url| url.host_str() == base.host_str())?;
    Some(decoded(url.path()))
}

/// Endings of files that a name without a scheme may have, so that it is no host.
const FILES: &[&str] = &[
    "md", "html", "htm", "yaml", "pdf", "jpg", "jpeg", "png", "svg", "webp", "zip", "txt", "xml",
    "php",
];

impl Routes {
    /// The problem of a text that is no target of a link.
    fn not_a_target(&self, to: &str, address: &str, own: Option<&Page>) -> Problem {
        let scheme = to
            .split_once(':')
            .map(|(scheme, _)| scheme)
            .filter(|scheme| !scheme.is_empty() && scheme.chars().all(char::is_alphanumeric));
        if let Some(scheme) = scheme {
            return Problem::error(Code::BadLink, format!("links with `{scheme}:` are not allowed"))
                .hint("write `page:<key>`, a path such as `/services/`, `https://…`, `mailto:…` or `tel:…`");
        }
        // The path that a browser would request, which differs for each URL that a page has.
        let here = own.and_then(|page| requested(&format!("{}{address}", page.path.value)));
        let here = here.filter(|path| self.by_path.contains_key(path));
        let host = address.split('/').next().unwrap_or_default();
        let ending = host
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase());
        let is_host = !host.starts_with('.')
            && ending.is_some_and(|ending| !FILES.contains(&ending.as_str()));
        let hint = if let Some(here) = here {
            format!("write `{here}`, which works at every URL of the page")
        } else if to.contains('@') {
            format!("write `mailto:{to}`")
        } else if is_host {
            format!("write `https://{to}`")
        } else if address.contains('.') {
            let name = address.trim_start_matches("./").trim_start_matches("../");
            format!("put the file in `static/`, and write `/{name}`")
        } else {
            format!("write `page:{to}` for a page, or `/{to}/` for a URL")
        };
        Problem::error(Code::BadLink, format!("`{to}` is not a valid link target")).hint(hint)
    }
}

/// Reports dead links in entries that have no pages, where each language would have the same.
fn check_entries(site: &Site, routes: &Routes, problems: &mut Problems) {
    fn entries_of(collection: &Collection) -> impl Iterator<Item = (&Entry, bool)> {
        let is_of_posts = collection.schema.is_of_posts();
        collection
            .entries
            .iter()
            .map(move |entry| (entry, is_of_posts))
    }
    for (entry, is_of_posts) in site.collections.list.iter().flat_map(entries_of) {
        for (locale, text) in entry.texts.iter().enumerate() {
            // The blog makes the pages of posts, and knows none of the fields that a site adds.
            let text = text
                .as_ref()
                .filter(|text| (is_of_posts || !text.has_page) && text.words_in == locale);
            let Some(text) = text else { continue };
            text.fields.links(&mut |target| {
                if let Some(problem) = routes.problem(site, target, locale, Words::MayBeLent, None)
                {
                    // Nobody can correct the posts of a CMS in files.
                    let problem = if is_of_posts && site.blog.is_of_cms() {
                        problem.as_warning()
                    } else {
                        problem
                    };
                    problems.push(problem.at(text.source.place(target.span)));
                }
            });
        }
    }
}

/// Resolves every link that an author wrote, and reports dead ones.
pub(super) fn check(
    settings: &SiteSettings,
    site: &Site,
    routes: &Routes,
    problems: &mut Problems,
) {
    check_entries(site, routes, problems);
    for page in site.pages.iter().chain(&site.shared) {
        let locale = site.locale_index(&page.locale);
        // Blog pages and filtered pages show the sections of another page, whose links are checked there.
        if let Some(index) = page.body.post() {
            let post = site.blog.post(index);
            let places = post.origin.places();
            for target in post.links() {
                if let Some(problem) = routes.problem(site, target, locale, Words::Own, Some(page))
                {
                    let problem = if post.is_of_cms() {
                        problem.as_warning()
                    } else {
                        problem
                    };
                    problems.push(problem.at(places.place(target.span)));
                }
            }
            for section in page.own_sections().iter().rev().take(page.in_text) {
                section.fields.links(&mut |target| {
                    if let Some(problem) =
                        routes.problem(site, target, locale, Words::Own, Some(page))
                    {
                        problems.push(problem.at(places.place(target.span)));
                    }
                });
            }
        }
        if matches!(page.body, Body::EntryFilter(_) | Body::Blog(_)) {
            continue;
        }
        for (at, fields) in site.own_fields(page).enumerate() {
            // Each word of an entry may be lent.
            let is_own = page
                .own_sections()
                .get(at)
                .is_some_and(|section| section.lent.is_none());
            let words = if is_own { Words::Own } else { Words::MayBeLent };
            fields.links(&mut |target| {
                if let Some(problem) = routes.problem(site, target, locale, words, Some(page)) {
                    problems.push(problem.at(page.source.place(target.span)));
                }
            });
        }
    }
    site.forms.links(&mut |target, locale, source| {
        if let Some(problem) = routes.problem(site, target, locale, Words::MayBeLent, None) {
            problems.push(problem.at(source.place(target.span)));
        }
    });
    for entry in &site.style_guide.sidebar {
        entry.links(&mut |target| {
            if let (Some(problem), Some(source)) = (
                routes.problem(site, target, 0, Words::Own, None),
                &site.style_guide.source,
            ) {
                problems.push(problem.at(source.place(target.span)));
            }
        });
    }
    for (locale, frame) in site.frames.iter().enumerate() {
        let labeled = frame
            .links()
            .chain([&frame.call_to_action])
            .map(|link| &link.target);
        let social = frame.social.iter().map(|(_, _, target)| target);
        for target in labeled.chain(social).chain(&frame.privacy) {
            if let Some(problem) = routes.problem(site, target, locale, Words::Own, None) {
                problems.push(problem.at(settings.source.place(target.span)));
            }
        }
    }
}
