//! Pages and posts that are not public now: links to them, and their addresses, are still known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::SiteSettings;
use content::Content;
use content::blog::{BLOG, PostState};
use content::collections::{LIST_ADDRESS, PerLanguage};
use diagnostics::problem::Source;
use schema::types::Absence;

use super::blog::{Blog, post_key};
use super::collections::Collections;
use super::page::Page;
use super::{LeadsOn, Target};

/// The pages that are not public now.
#[derive(Debug, Default)]
pub struct Absent {
    /// By the key of the page, in one or more languages.
    by_key: BTreeMap<String, Vec<usize>>,
    /// By address.
    by_path: BTreeMap<String, usize>,
    /// By source file.
    by_file: BTreeMap<String, usize>,
    /// By the collection that it lists, `blog` among them. A list may also be a section of a page that is public.
    by_list: BTreeMap<String, Vec<usize>>,
    /// All of them.
    pub pages: Vec<AbsentPage>,
}

/// A page that is not public now.
#[derive(Debug)]
pub struct AbsentPage {
    /// Its key.
    pub key: String,
    /// The index of its locale.
    pub locale: usize,
    /// Its addresses, the canonical one first. Of a post, none if its language has no list of posts.
    pub paths: Vec<String>,
    /// It was public, so its addresses still answer.
    pub is_expired: bool,
    /// It is public once somebody says so.
    pub is_draft: bool,
    /// The end of a sentence about it: `is not public before 2027-01-15`.
    pub reason: String,
    /// Where its addresses lead on.
    pub leads_on: Option<LeadsOn>,
    /// The index of the page that lists others like it, if one does.
    pub list: Option<usize>,
}

impl Absent {
    /// The page of a key, in a language if it has one there.
    pub fn of_key(&self, key: &str, locale: usize) -> Option<&AbsentPage> {
        self.nearest(self.by_key.get(key)?, locale)
    }

    /// The page without which nothing with this key has a URL: the list of the collection, in a language if it has one
    /// there.
    pub fn list_of_key(&self, key: &str, locale: usize) -> Option<&AbsentPage> {
        let (list, _) = key.split_once('/')?;
        self.nearest(self.by_list.get(list)?, locale)
    }

    /// The page in a language, or else the first.
    fn nearest(&self, all: &[usize], locale: usize) -> Option<&AbsentPage> {
        let mut pages = all.iter().map(|at| &self.pages[*at]);
        let first = pages.clone().next();
        pages.find(|page| page.locale == locale).or(first)
    }

    /// The list below which a URL is.
    pub fn list_at(&self, path: &str) -> Option<&AbsentPage> {
        let lists = self.by_list.values().flatten().map(|at| &self.pages[*at]);
        lists
            .filter(|list| list.paths.first().is_some_and(|own| path.starts_with(own)))
            .max_by_key(|list| list.paths[0].len())
    }

    /// The page at an address.
    pub fn at(&self, path: &str) -> Option<&AbsentPage> {
        self.by_path.get(path).map(|at| &self.pages[*at])
    }

    /// The page that is made from a file.
    pub fn of_file(&self, file: &str) -> Option<&AbsentPage> {
        self.by_file.get(file).map(|at| &self.pages[*at])
    }

    fn add(&mut self, page: AbsentPage, file: &str) {
        let at = self.pages.len();
        self.by_file.insert(file.to_owned(), at);
        self.by_key.entry(page.key.clone()).or_default().push(at);
        self.by_path
            .extend(page.paths.iter().map(|path| (path.clone(), at)));
        self.pages.push(page);
    }

    /// Notes what the page that is added next lists.
    fn add_lists<'a>(&mut self, lists: impl Iterator<Item = &'a str>) {
        for list in lists {
            let of_list = self.by_list.entry(list.to_owned()).or_default();
            of_list.push(self.pages.len());
        }
    }
}

/// The pages and posts of a site that are not public now.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    pages: &[Page],
    blog: &Blog,
    collections: &Collections,
) -> Absent {
    let mut absent = Absent::default();
    // A list that is not public takes pages along only if their URLs begin with its own, and no other list is public.
    let is_missing = |list: &str, locale: usize| {
        let code = content.locales[locale].code.as_str();
        if list == BLOG {
            return !blog.languages.contains_key(code);
        }
        let collection = collections.position(list).map(|at| &collections.list[at]);
        collection.is_some_and(|collection| {
            let filters = collection
                .schema
                .filters
                .iter()
                .map(|filter| &filter.address);
            let mut addresses = collection.schema.address.iter().chain(filters);
            let is_below = |address: &PerLanguage| {
                let written = address.get(code);
                written.is_some_and(|written| written.starts_with(LIST_ADDRESS))
            };
            collection.lists[locale].is_none() && addresses.any(is_below)
        })
    };
    let index_of = |code: &str| {
        content
            .locales
            .iter()
            .position(|locale| locale.code == code)
            .unwrap_or(0)
    };
    for page in &content.withdrawn_pages {
        let absent_page = AbsentPage {
            key: page.key.clone(),
            locale: index_of(&page.locale),
            paths: page.paths.clone(),
            is_expired: matches!(page.absence, Absence::Expired(_)),
            is_draft: false,
            reason: page.absence.reason(&settings.timezone),
            leads_on: page
                .expired_to
                .as_ref()
                .map(|to| leads_on(&page.key, &page.locale, to, &page.source)),
            list: None,
        };
        let locale = absent_page.locale;
        let lists = page.lists.iter().filter(|list| is_missing(list, locale));
        absent.add_lists(lists.map(String::as_str));
        absent.add(absent_page, &page.source.path);
    }
    for page in &content.pages {
        let locale = index_of(&page.locale);
        let place = || {
            pages
                .iter()
                .position(|shown| shown.key == page.key && shown.locale == page.locale)
        };
        for (section, absence) in &page.hidden {
            let list = section.holds_pages_of();
            let Some((list, at)) = list.filter(|list| is_missing(list, locale)).zip(place()) else {
                continue;
            };
            absent.add_lists(std::iter::once(list));
            absent.pages.push(AbsentPage {
                key: format!("{}#{list}", page.key),
                locale,
                paths: vec![pages[at].path.value.clone()],
                is_expired: false,
                is_draft: false,
                reason: absence.reason(&settings.timezone),
                leads_on: None,
                list: Some(at),
            });
        }
    }
    let shown: BTreeSet<&str> = blog
        .content
        .posts
        .iter()
        .map(|post| post.origin.path())
        .collect();
    for post in content
        .blog
        .unpublished
        .iter()
        .filter(|post| !shown.contains(post.origin.as_str()))
    {
        let absence = match post.state {
            PostState::Scheduled(from) => Some(Absence::Scheduled(from)),
            PostState::Expired(until) => Some(Absence::Expired(until)),
            PostState::Draft => None,
        };
        let list = blog
            .languages
            .get(&post.locale)
            .map(|language| language.list.0);
        let (key, slug) = &post.page;
        let absent_page = AbsentPage {
            key: post_key(key),
            locale: index_of(&post.locale),
            paths: list
                .map(|list| format!("{}{slug}/", pages[list].path.value))
                .into_iter()
                .collect(),
            is_expired: matches!(absence, Some(Absence::Expired(_))),
            is_draft: absence.is_none(),
            reason: absence.map_or_else(
                || "is a draft".to_owned(),
                |absence| absence.reason(&settings.timezone),
            ),
            leads_on: None,
            list,
        };
        absent.add(absent_page, &post.origin);
    }
    absent
}

/// Where a page leads on when it is gone.
pub(super) fn leads_on(
    key: &str,
    locale: &str,
    to: &diagnostics::yaml::Spanned<String>,
    source: &Arc<Source>,
) -> LeadsOn {
    let target = Target {
        to: to.value.clone(),
        span: to.span,
    };
    LeadsOn {
        key: key.to_owned(),
        locale: locale.to_owned(),
        target,
        source: Arc::clone(source),
    }
}

/// Whether a link of a menu leads to something that is not public now in any language: it is left out until it is.
pub(super) fn is_absent(
    to: &str,
    pages: &[Page],
    absent: &Absent,
    collections: &Collections,
) -> bool {
    let Some(key) = to.strip_prefix("page:") else {
        return false;
    };
    let key = key.split(['#', '?']).next().unwrap_or(key);
    let is_known = absent.by_key.contains_key(key)
        || collections.withdrawn.contains_key(key)
        || absent.list_of_key(key, 0).is_some();
    is_known && pages.iter().all(|page| page.key != key)
}
