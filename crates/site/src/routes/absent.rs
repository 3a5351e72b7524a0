//! Links to what is not public now, and the addresses of what was.
//!
//! A date that passes must not stop a build: a link to a page, a post or a section that is not there leads to the page above
//! it, with a warning that names the date. The address of an expired page leads on if the page says so; else it is gone.

use crate::model::{AbsentPage, Page, Site};
use content::blog::BLOG;
use diagnostics::problem::{Code, Problem, Problems};

use super::{Href, Route, RouteClaims, Routes, Words, file_of};

/// The most expired pages that a link follows. They can form a circle.
const SUCCESSORS: usize = 20;

impl Routes {
    /// The page to which a link leads in place of one that is not public now.
    pub(super) fn instead_of(&self, site: &Site, absent: &AbsentPage) -> Option<usize> {
        let target = self.successor(site, absent, SUCCESSORS);
        let path = absent.paths.first().map_or("", String::as_str);
        let above = path
            .trim_end_matches('/')
            .rmatch_indices('/')
            .map(|(at, _)| &path[..=at]);
        let is_page = |path: &str| match self.by_path.get(path) {
            Some(Route::Page { page, .. }) => Some(*page),
            _ => None,
        };
        target
            .or(absent.list)
            .or_else(|| above.into_iter().find_map(is_page))
            .or_else(|| is_page(&self.home(site, absent.locale)))
    }

    /// The target of the URLs of an expired page, if it names one.
    pub(super) fn end_of(&self, site: &Site, page: &AbsentPage) -> Option<Href> {
        let to = page.leads_on.as_ref()?;
        self.resolve(site, &to.target.to, page.locale, None).ok()
    }

    /// The successor that an expired page names; of one that has expired, too, its successor.
    fn successor(&self, site: &Site, absent: &AbsentPage, steps: usize) -> Option<usize> {
        let to = absent.leads_on.as_ref().filter(|_| absent.is_expired)?;
        let (key, locale) = (to.target.to.strip_prefix("page:")?, absent.locale);
        self.page_for(site, key, locale).or_else(|| {
            let next = site.absent.of_key(key, locale)?;
            self.successor(site, next, steps.checked_sub(1)?)
        })
    }

    /// The page or post that a link names and that is not public now.
    pub(super) fn absent<'a>(
        &self,
        site: &'a Site,
        to: &str,
        locale: usize,
        own: Option<&Page>,
    ) -> Option<&'a AbsentPage> {
        let address = to.split(['#', '?']).next().unwrap_or(to);
        if let Some(key) = address.strip_prefix("page:") {
            return by_key(site, key, locale)
                .filter(|_| self.page_for(site, key, locale).is_none());
        }
        if site.absent.pages.is_empty() {
            return None;
        }
        if let Some(file) = self.file(site, address, own) {
            return site.absent.of_file(&file);
        }
        let found = site
            .absent
            .at(address)
            .or_else(|| site.absent.at(&format!("{address}/")))
            .or_else(|| site.absent.list_at(address));
        found.filter(|_| {
            !self.by_path.contains_key(address)
                && !self.by_path.contains_key(&format!("{address}/"))
        })
    }

    /// The warning about a link to something that is not public now.
    pub(super) fn absence(
        &self,
        site: &Site,
        to: &str,
        locale: usize,
        own: Option<&Page>,
    ) -> Option<Problem> {
        let warning = |message: String| {
            Some(
                Problem::warning(Code::DeadLink, message)
                    .hint("link to something else, or change the dates"),
            )
        };
        if let Some(absent) = self.absent(site, to, locale, own) {
            let leads = self
                .instead_of(site, absent)
                .map_or("/", |page| site.pages[page].path.value.as_str());
            return warning(format!(
                "`{}` {}, so the link goes to `{leads}`",
                absent.key, absent.reason
            ));
        }
        let (address, anchor) = to.split_once('#')?;
        let page = match address.strip_prefix("page:") {
            Some(key) => &site.pages[self.page_for(site, key, locale)?],
            None if address.is_empty() => own?,
            None => match self.by_path.get(address)? {
                Route::Page { page, .. } => &site.pages[*page],
                _ => return None,
            },
        };
        let reason = hidden(page, anchor)?;
        warning(format!(
            "the section `#{anchor}` on `{}` {reason}, so the link goes to the top of the page",
            page.path.value
        ))
    }
}

/// What is not public now of a key: its page, or the list below which its URL would be.
pub(super) fn by_key<'a>(site: &'a Site, key: &str, locale: usize) -> Option<&'a AbsentPage> {
    let list = || site.absent.list_of_key(key, locale);
    let own = site.absent.of_key(key, locale);
    own.or_else(|| list().filter(|_| is_of_list(site, key)))
}

/// Whether something with this key has its URL below a list, as far as that is known without the list: a post or an
/// entry, or a page by a value.
fn is_of_list(site: &Site, key: &str) -> bool {
    let Some((list, rest)) = key.split_once('/') else {
        return false;
    };
    let posts = &site.blog.content.posts;
    rest.contains('/')
        || site.collections.find(list, rest).is_some()
        || list == BLOG && (posts.is_empty() || posts.iter().any(|post| post.key == rest))
}

/// Why the section with an anchor is not public now.
pub(super) fn hidden<'a>(page: &'a Page, anchor: &str) -> Option<&'a str> {
    let hidden = page
        .hidden_anchors
        .iter()
        .find(|(hidden, _)| hidden == anchor);
    hidden
        .filter(|_| !page.anchors.iter().any(|own| own == anchor))
        .map(|(_, reason)| reason.as_str())
}

/// Plans the addresses of what was public and is not anymore: a page or a redirect that has the address now is first.
pub(super) fn plan(
    site: &Site,
    routes: &mut Routes,
    claims: &RouteClaims,
    problems: &mut Problems,
) {
    for target in &site.leads_on {
        let locale = site.locale_index(&target.locale);
        let is_itself = target
            .target
            .to
            .strip_prefix("page:")
            .is_some_and(|key| key == target.key);
        let problem = if is_itself {
            Some(
                Problem::error(Code::RedirectConflict, "a page cannot redirect to itself")
                    .hint("name another page"),
            )
        } else {
            routes.problem(site, &target.target, locale, Words::Own, None)
        };
        if let Some(problem) = problem {
            problems.push(problem.at(target.source.place(target.target.span)));
        }
    }
    for page in site.absent.pages.iter().filter(|page| page.is_expired) {
        let to = routes.end_of(site, page);
        for path in &page.paths {
            if claims.0.contains_key(&file_of(path)) || routes.by_path.contains_key(path) {
                continue;
            }
            match &to {
                Some(to) => drop(routes.by_path.insert(
                    path.clone(),
                    Route::Redirect {
                        to: to.href.clone(),
                    },
                )),
                None => drop(routes.gone.insert(path.clone())),
            }
        }
    }
}
