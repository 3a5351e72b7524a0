//! Resolves links as authors write them, and reports links to pages that do not exist.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::config::SiteSettings;
use crate::content::rich::Target;
use crate::content_types::composed;
use crate::model::collections::lists;
use crate::model::{Body, Page, Site};
use diagnostics::problem::{Code, Problem, Problems, did_you_mean};

use super::{Route, Routes};

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
        Href { href: to.to_owned(), external: false, hreflang: None }
    }
}

/// Schemes that a link may have, in any case.
const OUTSIDE: &[&str] = &["https://", "http://", "mailto:", "tel:"];

impl Routes {
    /// Resolves a link on pages of a locale. `own` is the page to which a bare `#anchor` belongs. The caller adds the
    /// place to the problem.
    pub fn resolve(&self, site: &Site, to: &str, locale: usize, own: Option<&Page>) -> Result<Href, Problem> {
        if let Some(scheme) =
            OUTSIDE.iter().find(|scheme| to.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
        {
            if to.len() == scheme.len() {
                return Err(Problem::error(Code::BadLink, format!("`{to}` is not a full address"))
                    .hint("write the complete address"));
            }
            return Ok(Href { href: to.to_owned(), external: scheme.starts_with("http"), hreflang: None });
        }
        let (address, anchor) = match to.split_once('#') {
            Some((address, anchor)) => (address, Some(anchor)),
            None => (to, None),
        };
        // Keys and addresses come from names of files.
        let address = &*composed(address);
        let (path, page) = if let Some(key) = address.strip_prefix("page:") {
            let code = &site.locales[locale].code;
            if site
                .broken_pages
                .iter()
                .any(|page| page.key == key && (page.locale == *code || self.page_for(site, key, locale).is_none()))
            {
                return Ok(unreadable());
            }
            let found = self.page_for(site, key, locale).or_else(|| self.instead(site, key, locale));
            let index = found.ok_or_else(|| self.unknown_key(key))?;
            (site.pages[index].path.value.clone(), Some(&site.pages[index]))
        } else if address.is_empty() && anchor.is_some() {
            (String::new(), own)
        } else if address.starts_with('/') {
            self.by_written_path(site, address)?
        } else {
            return Err(not_a_target(to));
        };
        if let (Some(anchor), Some(page)) = (anchor, page)
            && !page.partial
            && !page.anchors.iter().any(|own| own == anchor)
        {
            let names = page.anchors.iter().map(String::as_str);
            let problem = Problem::error(
                Code::DeadAnchor,
                format!("nothing on `{}` has the anchor `#{anchor}`", page.path.value),
            );
            return Err(problem.maybe_hint(did_you_mean(anchor, names)));
        }
        let other = page.filter(|page| site.locale_index(&page.locale) != locale);
        let hreflang = other.map(|page| site.locales[site.locale_index(&page.locale)].language.clone());
        let mut href = if path.is_empty() { String::new() } else { self.href(&path) };
        if let Some(anchor) = anchor {
            href.push('#');
            href.push_str(anchor);
        }
        Ok(Href { href, external: false, hreflang })
    }

    /// The page of a key in a locale, or else in the first locale that has it.
    fn page_for(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        self.page(key, locale).or_else(|| (0..site.locales.len()).find_map(|other| self.page(key, other)))
    }

    /// The list of all posts, in place of the page of a post that is not in the CMS anymore: who deletes a post there must
    /// not stop a build.
    fn list_of_gone_post(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        let is_post = key.strip_prefix("blog/").is_some_and(|key| !key.contains('/'));
        let is_gone = is_post && site.blog.is_of_cms() && self.page_for(site, key, locale).is_none();
        let list = site.blog.languages.get(&site.locales[locale].code).or_else(|| site.blog.languages.values().next());
        list.filter(|_| is_gone).map(|language| language.list.0)
    }

    /// The page that a link to something that is gone leads to.
    fn instead(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        self.list_of_gone_post(site, key, locale).or_else(|| self.list_of_withdrawn(site, key, locale))
    }

    /// The page that lists a collection, in place of the page of an entry that is not public now: a date that passes must
    /// not stop a build. The home page if no page lists it.
    fn list_of_withdrawn(&self, site: &Site, key: &str, locale: usize) -> Option<usize> {
        site.collections.withdrawn.get(key)?;
        let (collection, _) = key.split_once('/')?;
        let code = &site.locales[locale].code;
        let list = site.pages.iter().position(|page| page.locale == *code && lists(page, collection));
        list.or_else(|| match self.by_path.get(&self.home(site, locale)) {
            Some(Route::Page { page, .. }) => Some(*page),
            _ => None,
        })
    }

    /// The problem with a link, if there is one.
    fn problem(&self, site: &Site, target: &Target, locale: usize, own: Option<&Page>) -> Option<Problem> {
        if let Err(problem) = self.resolve(site, &target.to, locale, own) {
            return Some(problem);
        }
        let key = target.to.strip_prefix("page:")?;
        let key = key.split_once('#').map_or(key, |(key, _)| key);
        if self.page_for(site, key, locale).is_none()
            && let Some(reason) = site.collections.withdrawn.get(key)
        {
            let message = format!("`{key}` {reason}, so the link leads to the page that lists others");
            return Some(Problem::warning(Code::DeadLink, message).hint("link to another page, or change the dates"));
        }
        self.list_of_gone_post(site, key, locale)?;
        let message = format!("the CMS has no post `{key}` anymore, so the link leads to the list of posts");
        Some(Problem::warning(Code::DeadLink, message).hint("link to another page"))
    }

    fn unknown_key(&self, key: &str) -> Problem {
        // Sorted, so that the suggestion is deterministic if two keys are equally similar.
        let keys: BTreeSet<&str> = self.by_key.keys().map(String::as_str).collect();
        let near = did_you_mean(key, keys);
        Problem::error(Code::DeadLink, format!("there is no page with the key `{key}`"))
            .maybe_hint(near.map(|hint| hint.replace("did you mean `", "did you mean `page:")))
    }

    fn by_written_path<'a>(&self, site: &'a Site, path: &str) -> Result<(String, Option<&'a Page>), Problem> {
        let with_slash = if path.ends_with('/') { path.to_owned() } else { format!("{path}/") };
        let found =
            [path, with_slash.as_str()].into_iter().find_map(|path| self.by_path.get(path).map(|route| (path, route)));
        match found {
            Some((path, Route::Page { page, .. })) => Ok((path.to_owned(), Some(&site.pages[*page]))),
            Some((path, Route::Static | Route::Redirect { .. })) => Ok((path.to_owned(), None)),
            None if site.broken_pages.iter().any(|page| page.paths.contains(&with_slash)) => {
                Ok((with_slash.clone(), None))
            }
            None => {
                let near = did_you_mean(&with_slash, self.by_path.keys().map(String::as_str))
                    .filter(|hint| hint.starts_with("did"));
                let problem = Problem::error(Code::DeadLink, format!("there is no page at `{path}`"));
                let problem = problem.hint("link to a page by its key: `page:<key>`").maybe_hint(near);
                // Only published files have the path of `base_url` in front of each address.
                let below = path.strip_prefix(self.base_path.as_str()).filter(|_| !self.base_path.is_empty());
                let below = below.filter(|below| self.by_path.contains_key(*below));
                Err(problem.maybe_hint(below.map(|below| format!("write `{below}`, without the path of `base_url`"))))
            }
        }
    }
}

/// A link to a page whose file could not be read. The problem is reported at that file.
fn unreadable() -> Href {
    Href { href: String::new(), external: false, hreflang: None }
}

fn not_a_target(to: &str) -> Problem {
    let scheme = to
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| !scheme.is_empty() && scheme.chars().all(char::is_alphanumeric));
    if let Some(scheme) = scheme {
        return Problem::error(Code::BadLink, format!("links with `{scheme}:` are not allowed"))
            .hint("write `page:<key>`, a path such as `/services/`, `https://…`, `mailto:…` or `tel:…`");
    }
    let hint = if to.contains('@') {
        format!("write `mailto:{to}`")
    } else if to.contains('.') {
        format!("write `https://{to}`")
    } else {
        format!("write `page:{to}` for a page, or `/{to}/` for an address")
    };
    Problem::error(Code::BadLink, format!("`{to}` is not a target for a link")).hint(hint)
}

/// Resolves every link that an author wrote, and reports dead ones.
pub(super) fn check(settings: &SiteSettings, site: &Site, routes: &Routes, problems: &mut Problems) {
    for page in &site.pages {
        let locale = site.locale_index(&page.locale);
        // Blog pages and filtered pages show the sections of another page, whose links are checked there.
        if let Some(index) = page.body.post() {
            let post = site.blog.post(index);
            for target in post.links() {
                if let Some(problem) = routes.problem(site, target, locale, Some(page)) {
                    let problem = if post.is_of_cms() { problem.as_warning() } else { problem };
                    problems.push(problem.at(post.origin.place(target.span)));
                }
            }
        }
        if matches!(page.body, Body::Filtered(_) | Body::Blog(_)) {
            continue;
        }
        for fields in site.fields(page) {
            fields.links(&mut |target| {
                if let Some(problem) = routes.problem(site, target, locale, Some(page)) {
                    problems.push(problem.at(page.source.place(target.span)));
                }
            });
        }
    }
    for target in site.lead_form.links() {
        if let (Some(problem), Some(source)) = (routes.problem(site, target, 0, None), &site.lead_form.source) {
            problems.push(problem.at(source.place(target.span)));
        }
    }
    for entry in &site.style_guide.sidebar {
        entry.links(&mut |target| {
            if let (Some(problem), Some(source)) = (routes.problem(site, target, 0, None), &site.style_guide.source) {
                problems.push(problem.at(source.place(target.span)));
            }
        });
    }
    for (locale, frame) in site.frames.iter().enumerate() {
        let footer = frame.footer.iter().flat_map(|(_, links)| links);
        let labeled = frame.menu.iter().chain(footer).chain([&frame.call_to_action]).map(|link| &link.target);
        for target in labeled.chain(frame.social.iter().map(|(_, _, target)| target)) {
            if let Some(problem) = routes.problem(site, target, locale, None) {
                problems.push(problem.at(settings.source.place(target.span)));
            }
        }
    }
}
