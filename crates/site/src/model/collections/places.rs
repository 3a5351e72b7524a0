//! The page that lists a collection in a language, and what the pages of its entries have from it.

use std::collections::{BTreeMap, BTreeSet};

use config::SiteSettings;
use content::collections::{EntryText, LIST_ADDRESS, POSTS, PerLanguage};
use content::sections::SectionRole;
use content::{Content, placeholders};
use diagnostics::problem::Problems;
use languages::locale::{Locale, fill};
use schema::typed;
use schema::types::{Reference, Slug, Typed};

use super::super::fields::Field;
use super::super::list::{List, derived_page};
use super::super::page::{Body, EntryId, Page, Section};
use super::{Collection, Collections, Text, resolve_text};

/// The page that lists a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPlace {
    /// Its index in `site.pages`.
    pub page: usize,
    /// The index of the section in it.
    pub section: usize,
}

/// Whether a section that lists a collection shows some of its entries only.
pub(super) fn is_part(section: &Section) -> bool {
    ["limit", "where", "upcoming", "current", "past"]
        .iter()
        .any(|name| match section.fields.get(name) {
            None | Some(Field::None) => false,
            Some(Field::Map(values)) => !values.is_empty(),
            Some(_) => true,
        })
}

/// The page that lists a collection in a language. A page that search engines may list goes before a draft, and a section with
/// all entries before one with a few: those are on other pages, too.
pub(super) fn list_place(pages: &[Page], locale: &str, collection: &str) -> Option<ListPlace> {
    let places = pages
        .iter()
        .enumerate()
        .filter(|(_, page)| page.locale == locale && page.body == Body::Sections)
        .flat_map(|(index, page)| {
            let sections = page
                .sections
                .iter()
                .enumerate()
                .filter(|(_, section)| section.lists.as_deref() == Some(collection));
            sections.map(move |(at, section)| {
                (
                    (page.noindex, is_part(section)),
                    ListPlace {
                        page: index,
                        section: at,
                    },
                )
            })
        });
    places.min_by_key(|(rank, _)| *rank).map(|(_, place)| place)
}

/// The pages that list a collection, by language.
pub(super) fn list_pages<'a>(
    settings: &SiteSettings,
    content: &Content,
    collection: &Collection,
    pages: &'a [Page],
) -> Vec<Option<List<'a>>> {
    collection
        .lists
        .iter()
        .map(|place| {
            place.map(|place| {
                let product = &settings.in_language(&pages[place.page].locale).product.name;
                List::of(content, pages, place.page, place.section).named_without(product)
            })
        })
        .collect()
}

/// The address that a pattern makes; `None` if the language has none, or if the pattern begins with the address of a list that
/// the language does not have.
pub(super) fn address_by(
    settings: &SiteSettings,
    pattern: &PerLanguage,
    list: Option<&List>,
    locale: &(usize, &Locale),
    part: impl Fn(&str) -> Option<String>,
) -> Option<Result<String, String>> {
    let code = locale.1.code.as_str();
    let list = list.map(|list| &*list.page.path.value);
    let prefix = settings.prefix(code);
    let (start, rest) = start_and_rest(pattern, code, &prefix, list)?;
    let path = fill(rest, part);
    Some(path.map(|path| placeholders::fill(&[start, &*path].concat(), settings)))
}

/// What comes before the pattern of a URL in a language, the path of its list or the prefix of the language, and the
/// rest of the pattern. `None` if the pattern needs a list and there is none.
pub fn start_and_rest<'a>(
    pattern: &'a PerLanguage,
    code: &str,
    prefix: &'a str,
    list: Option<&'a str>,
) -> Option<(&'a str, &'a str)> {
    let written = pattern.get(code)?;
    Some(match (written.strip_prefix(LIST_ADDRESS), pattern) {
        (Some(rest), _) => (list?, rest),
        (None, PerLanguage::All(_)) => (prefix, written),
        (None, PerLanguage::Each(_)) => ("", written),
    })
}

/// The part of a URL that a field gives, in the pattern of an entry with this key and text.
pub(super) fn address_part(
    settings: &SiteSettings,
    collections: &Collections,
    key: &str,
    text: &Text,
    locale: usize,
    name: &str,
) -> Option<String> {
    // A day is the same in every language: `2035-01-31`.
    let value = collections
        .values_of(text, key, &(locale, None), name, 0)
        .map(|values| values.join(", "));
    let slug = value
        .and_then(|text| Slug::of(&text))
        .map(Slug::into_string);
    slug.or_else(|| settings.placeholder(name).map(Into::into))
}

/// The entry that the first field of a part of a URL refers to.
pub(super) fn referred(written: &EntryText, name: &str) -> Option<Reference> {
    let field = name.split('.').next()?;
    match typed(&written.values.get(field)?)? {
        Typed::Reference(reference) => Some(reference),
        _ => None,
    }
}

/// The part of a URL that a reference of an entry gives if it names one that isn't public now: no date that passes changes
/// the URL.
pub(super) fn absent_part(
    settings: &SiteSettings,
    content: &Content,
    collections: &Collections,
    written: &EntryText,
    locale: usize,
    name: &str,
) -> Option<String> {
    let Reference { to, key, .. } = referred(written, name)?;
    let to = content.collections.named(&to)?;
    let entry = to.withdrawn.iter().find(|entry| entry.key == key)?;
    let Some((_, part)) = name.split_once('.').filter(|(_, part)| *part != "key") else {
        return Slug::of(&key).map(Slug::into_string);
    };
    let text = entry.texts.get(locale)?.as_ref()?;
    let (mut used, mut problems) = (BTreeMap::new(), Problems::new());
    let text = resolve_text(settings, content, to.schema, text, &mut used, &mut problems);
    address_part(settings, collections, &key, &text, locale, part)
}

/// A page with the properties that it has from the page that lists it; below that one, with its breadcrumbs, too.
pub(super) fn below(list: Option<&List>, address: Option<&str>, page: Page) -> Page {
    let Some(list) = list else { return page };
    let name = page.label.clone().unwrap_or_else(|| page.title.clone());
    let of_list = derived_page(list, page.key.clone(), &name, page.path.clone());
    let is_below = address.is_some_and(|address| address.starts_with(LIST_ADDRESS));
    Page {
        noindex: of_list.noindex,
        status: of_list.status,
        layout: of_list.layout,
        partial: of_list.partial,
        breadcrumb: if is_below {
            of_list.breadcrumb
        } else {
            Vec::new()
        },
        ..page
    }
}

/// The posts in the languages that have a blog, which makes their pages.
pub(super) fn post_pages(
    content: &Content,
    collections: &Collections,
    pages: &[Page],
) -> Vec<(EntryId, usize)> {
    let Some(collection) = collections.position(POSTS) else {
        return Vec::new();
    };
    let with_blog: BTreeSet<&str> = pages
        .iter()
        .filter(|page| {
            page.sections
                .iter()
                .any(|section| section.kind.role == SectionRole::PostList)
        })
        .map(|page| page.locale.as_str())
        .collect();
    let mut found = Vec::new();
    for (locale, _) in content
        .locales
        .iter()
        .enumerate()
        .filter(|(_, locale)| with_blog.contains(&*locale.code))
    {
        let entries = collections.list[collection].entries.iter().enumerate();
        let here = entries.filter(|(_, entry)| entry.texts[locale].is_some());
        found.extend(here.map(|(entry, _)| (EntryId { collection, entry }, locale)));
    }
    found
}
