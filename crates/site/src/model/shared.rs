//! Sections that many pages show at their end (`on_pages`): resolved once for each language and checked where they are written,
//! then added to the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::SiteSettings;
use content::pages::{FrameKind, Status};
use content::{Content, PageFile};
use diagnostics::marks::without;
use diagnostics::problem::{Code, Problem, Problems, did_you_mean};
use diagnostics::yaml::{self, Spanned};
use schema::types::composed;
use serde_json::Value as Json;

use super::Site;
use super::blog::post_key;
use super::collections::per_page;
use super::fields::UsedImage;
use super::page::{Body, Page, Section};
use super::pages;

/// The sections as pages without an address, in the order of [`Content::shared_sections`].
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> Vec<Page> {
    let files = content.shared_sections.iter();
    files
        .map(|file| {
            pages::resolve(
                settings.in_language(&file.locale),
                file,
                &content.images,
                used,
                problems,
            )
        })
        .collect()
}

/// Adds the sections to the pages that show them.
pub(super) fn add(content: &Content, shared: &[Page], pages: &mut [Page], problems: &mut Problems) {
    check(content, shared, pages, problems);
    // Pages of a list share their sections, and go on doing so.
    let mut joined: BTreeMap<(usize, Vec<usize>), Arc<[Section]>> = BTreeMap::new();
    for page in pages.iter_mut() {
        if matches!(page.body, Body::Gallery(_)) || page.layout.frame == FrameKind::StyleGuide {
            continue;
        }
        let files = content.shared_sections.iter().enumerate();
        let shown: Vec<usize> = files
            .filter(|(_, file)| file.locale == page.locale && is_on(file, page))
            .map(|(at, _)| at)
            .collect();
        if shown.is_empty() {
            continue;
        }
        for one in shown.iter().map(|at| &shared[*at]) {
            check_anchors(one, page, problems);
            page.anchors.extend(one.anchors.iter().cloned());
        }
        page.shared = shown.iter().map(|at| shared[*at].sections.len()).sum();
        let key = (page.sections.as_ptr() as usize, shown);
        let sections = joined.entry(key).or_insert_with_key(|(_, shown)| {
            let more = shown.iter().flat_map(|at| {
                let source = &shared[*at].source;
                shared[*at].sections.iter().map(|section| Section {
                    source: Some(Arc::clone(source)),
                    ..section.clone()
                })
            });
            page.sections.iter().cloned().chain(more).collect()
        });
        page.sections = Arc::clone(sections);
    }
}

/// Whether a page shows the sections of a file.
fn is_on(file: &PageFile, page: &Page) -> bool {
    let key = first_key(page);
    let names = |patterns: &[Spanned<String>]| {
        patterns
            .iter()
            .any(|pattern| fits(&composed(&pattern.value), key))
    };
    names(&file.head.on_pages) && !names(&file.head.not_on_pages)
}

/// The key of the first page of a list.
fn first_key(page: &Page) -> &str {
    let end = format!("/page/{}", page.number);
    if page.number > 1 {
        page.key.strip_suffix(end.as_str()).unwrap_or(&page.key)
    } else {
        &page.key
    }
}

/// Whether a key is that of a pattern, or below it.
fn fits(pattern: &str, key: &str) -> bool {
    pattern == "*"
        || pattern == key
        || pattern
            .strip_suffix('*')
            .is_some_and(|start| is_below(start, key))
}

fn is_below(start: &str, key: &str) -> bool {
    start.ends_with('/') && key.starts_with(start)
}

/// Reports patterns that name no page, and lists that need addresses of their own.
fn check(content: &Content, shared: &[Page], pages: &[Page], problems: &mut Problems) {
    let mut keys: BTreeSet<&str> = pages.iter().map(first_key).collect();
    keys.extend(content.broken_pages.iter().map(|page| page.key.as_str()));
    keys.extend(content.withdrawn_pages.iter().map(|page| page.key.as_str()));
    let absent = absent(content);
    keys.extend(absent.iter().map(String::as_str));
    let collections: Vec<String> = content
        .collections
        .list
        .iter()
        .map(|collection| format!("{}/*", collection.schema.name))
        .collect();
    check_notices(content, &keys, problems);
    for (file, page) in content.shared_sections.iter().zip(shared) {
        for pattern in file.head.on_pages.iter().chain(&file.head.not_on_pages) {
            let written = composed(&pattern.value);
            if keys.iter().any(|key| fits(&written, key))
                || collections.iter().any(|all| **all == *written)
            {
                continue;
            }
            let known = keys
                .iter()
                .copied()
                .chain(collections.iter().map(String::as_str));
            let problem = Problem::error(
                Code::UnknownId,
                format!("there is no page with the key `{written}`"),
            );
            let near = did_you_mean(&written, known);
            problems.push(problem.at(file.source.place(pattern.span)).maybe_hint(near));
        }
        if page
            .sections
            .iter()
            .any(|section| per_page(&section.fields).is_some())
        {
            let message = "a list with `per_page` is split into numbered pages, so other pages cannot share it";
            let place = yaml::place_of_key(&file.source, &["per_page"]);
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(place)
                    .hint("use `limit` instead"),
            );
        }
    }
}

/// Reports keys of notices that no page has: the template compares them with that of each page.
fn check_notices(content: &Content, keys: &BTreeSet<&str>, problems: &mut Problems) {
    let notices = content.collections.named("notices");
    for notice in notices.iter().flat_map(|notices| &*notices.entries) {
        let text = notice.texts.iter().flatten().next();
        let named = text.and_then(|text| text.values.get("pages"));
        let named = named.as_ref().and_then(Json::as_array);
        for key in named.into_iter().flatten().filter_map(Json::as_str) {
            let key = without(key);
            let written = composed(&key);
            if keys.contains(&*written) {
                continue;
            }
            let message = format!("there is no page with the key `{written}`");
            let place = yaml::place_of_text(&notice.source, &["pages"], &written);
            let problem = Problem::error(Code::UnknownId, message).at(place);
            problems.push(problem.maybe_hint(did_you_mean(&written, keys.iter().copied())));
        }
    }
}

/// The keys of the pages that posts and entries have when they are public.
fn absent(content: &Content) -> Vec<String> {
    let posts = content
        .blog
        .unpublished
        .iter()
        .map(|post| post_key(&post.page.0));
    let entries = content.collections.list.iter().flat_map(|collection| {
        let withdrawn = collection.withdrawn.iter().map(|entry| &entry.key);
        withdrawn
            .chain(&collection.broken)
            .map(|key| format!("{}/{key}", collection.schema.name))
    });
    posts.chain(entries).collect()
}

/// The patterns for `on_pages` in a site, with their meanings: all pages, those below a key, each page with its title.
pub fn patterns(site: &Site) -> BTreeMap<String, String> {
    let keys: BTreeMap<&str, &str> = site
        .pages
        .iter()
        .rev()
        .filter(|page| {
            !matches!(page.body, Body::Gallery(_)) && page.layout.frame != FrameKind::StyleGuide
        })
        .map(|page| (first_key(page), page.title.as_str()))
        .collect();
    let below = |start: &str| keys.keys().filter(|key| is_below(start, key)).count();
    let collections = site
        .collections
        .list
        .iter()
        .map(|collection| collection.schema.name);
    let starts: BTreeSet<String> = collections
        .chain(["blog"])
        .map(|name| format!("{name}/"))
        .collect();
    let below = starts
        .iter()
        .map(|start| (start, below(start)))
        .filter(|(_, count)| *count > 0);
    let mut patterns: BTreeMap<String, String> = below
        .map(|(start, count)| (format!("{start}*"), counted(count)))
        .collect();
    patterns.insert("*".to_owned(), format!("all {}", counted(keys.len())));
    patterns.extend(
        keys.into_iter()
            .map(|(key, title)| (key.to_owned(), title.to_owned())),
    );
    patterns
}

/// A number of pages in words.
fn counted(count: usize) -> String {
    if count == 1 {
        "1 page".to_owned()
    } else {
        format!("{count} pages")
    }
}

/// The sections that a page shares with others.
pub fn shown_by<'s>(site: &'s Site, page: &'s Page) -> impl Iterator<Item = &'s Page> {
    site.shared.iter().filter(|shared| shows(page, shared))
}

fn shows(page: &Page, shared: &Page) -> bool {
    page.locale == shared.locale
        && page.shared_sections().iter().any(|section| {
            section
                .source
                .as_ref()
                .is_some_and(|source| Arc::ptr_eq(source, &shared.source))
        })
}

/// The page that shows sections in their language, the one with the shortest address; `None` if there is none.
pub fn shown_on<'s>(site: &'s Site, shared: &Page) -> Option<&'s Page> {
    // Error pages have no address that a visitor opens.
    site.pages
        .iter()
        .filter(|page| page.status == Status::Found)
        .filter(|page| shows(page, shared))
        .min_by_key(|page| page.path.value.len())
}

/// Reports the ids of shared sections that a page has, too.
fn check_anchors(shared: &Page, page: &Page, problems: &mut Problems) {
    for id in shared
        .sections
        .iter()
        .filter_map(|section| section.id.as_ref())
        .filter(|id| page.anchors.contains(id))
    {
        let message = format!("the page `{}` also has the id `{id}`", page.key);
        let place = yaml::place_of_text(&shared.source, &["id"], id);
        problems.push(
            Problem::error(Code::InvalidValue, message)
                .at(place)
                .hint("give the shared section a different id"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_pattern_is_a_key_or_all_below_one() {
        for (pattern, key, expected) in [
            ("*", "team/ana", true),
            ("home", "home", true),
            ("home", "homes", false),
            ("team/*", "team/ana", true),
            ("team/*", "team/clinics/madrid", true),
            ("team/*", "team", false),
            ("te*", "team", false),
        ] {
            assert_eq!(fits(pattern, key), expected, "{pattern} {key}");
        }
    }
}
