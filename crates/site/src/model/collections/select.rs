//! The selection of a list of entries, in sections and in templates, and the pages of a list that shows some at a time.

use std::collections::BTreeSet;
use std::sync::Arc;

use content::Content;
use diagnostics::yaml::Spanned;
use languages::locale::Locale;

use super::super::fields::Field;
use super::super::page::{Body, EntryId, HeadTexts, Page, Section};
use super::groups::grouped;
use super::period::Period;
use super::wanted::as_kept;
use super::{Collections, plain, sorted};

/// The selection of a list from a collection.
#[derive(Default)]
pub struct Selection {
    /// Fields, and the values of which one is wanted.
    pub filters: Vec<(String, Vec<String>)>,
    /// Date fields, and what must be so of them at the time of the build.
    pub dates: Vec<(Period, String)>,
    /// The fields by which they are sorted; those of the schema without one.
    pub sort: Vec<String>,
    /// The greatest number of entries.
    pub limit: Option<usize>,
}

impl Selection {
    /// The selection of a section `kind: entries`.
    pub fn of_section(fields: &Field) -> Selection {
        let texts = |field: Option<&Field>| match field {
            Some(Field::List(items)) => items.iter().filter_map(plain).collect(),
            Some(field) => plain(field).into_iter().collect(),
            None => Vec::new(),
        };
        let dates = Period::ALL
            .into_iter()
            .filter_map(|period| Some((period, texts(fields.get(period.key())).pop()?)));
        let filters = match fields.get("where") {
            Some(Field::Map(filters)) => filters
                .iter()
                .map(|(name, value)| (name.clone(), texts(Some(value))))
                .collect(),
            _ => Vec::new(),
        };
        let limit = match fields.get("limit") {
            Some(Field::Number(limit)) => usize::try_from(*limit).ok(),
            _ => None,
        };
        Selection {
            filters,
            dates: dates.collect(),
            sort: texts(fields.get("sort")),
            limit,
        }
    }

    /// The indices of the entries of a collection that it selects, in its order.
    pub fn apply(
        &self,
        collections: &Collections,
        at: usize,
        locale: &(usize, &Locale),
    ) -> Vec<usize> {
        let schema = collections.list[at].schema;
        let order = ordered(collections, at, locale, &self.sort);
        order
            .into_iter()
            .filter(|entry| {
                let id = EntryId {
                    collection: at,
                    entry: *entry,
                };
                let Some(text) = collections.text(id, locale.0) else {
                    return false;
                };
                self.filters.iter().all(|(name, wanted)| {
                    let found = text.fields.get(name).map(keys).unwrap_or_default();
                    wanted
                        .iter()
                        .any(|wanted| found.contains(&as_kept(schema, name, wanted)))
                }) && self
                    .dates
                    .iter()
                    .all(|(period, field)| period.is_of(collections, id, field))
            })
            .take(self.limit.unwrap_or(usize::MAX))
            .collect()
    }
}

/// The entries of a collection that a language has, sorted by fields; in the order of the schema without one.
pub fn ordered(
    collections: &Collections,
    at: usize,
    locale: &(usize, &Locale),
    sort: &[String],
) -> Vec<usize> {
    if sort.is_empty() {
        return collections.list[at].order[locale.0].clone();
    }
    let by: Vec<&str> = sort.iter().map(String::as_str).collect();
    sorted(collections, at, locale, &by)
}

/// The part of a list that a page shows.
pub struct Shown {
    /// The index of the collection.
    pub collection: usize,
    /// The indices of the entries, in order.
    pub entries: Vec<usize>,
    /// The number of pages of the list; `None` if this one shows all.
    pub pages: Option<usize>,
}

/// The entries that a section of a page shows; `None` if it lists no collection.
pub fn shown(
    collections: &Collections,
    page: &Page,
    section: &Section,
    locale: &(usize, &Locale),
) -> Option<Shown> {
    let collection = collections.position(section.lists.as_deref()?)?;
    let mut selection = Selection::of_section(&section.fields);
    let entries = match page.body {
        Body::EntryFilter(id) if id.collection == collection => {
            let value = &collections.list[collection].filters[id.filter][locale.0][id.value];
            let limit = selection.limit.take();
            let mut entries = selection.apply(collections, collection, locale);
            entries.retain(|entry| value.entries.contains(entry));
            entries.truncate(limit.unwrap_or(usize::MAX));
            entries
        }
        _ => selection.apply(collections, collection, locale),
    };
    let Some(size) = per_page(&section.fields) else {
        return Some(Shown {
            collection,
            entries,
            pages: None,
        });
    };
    let pages = entries.len().div_ceil(size).max(1);
    // Groups stay together; an entry that is in several of them stands where the first one is.
    let by = section.fields.get("group").and_then(plain);
    let groups = grouped(collections, collection, &entries, by.as_deref(), locale);
    let mut seen = BTreeSet::new();
    let entries = groups
        .into_iter()
        .flat_map(|group| group.entries)
        .filter(|entry| seen.insert(*entry))
        .skip((page.number - 1) * size)
        .take(size)
        .collect();
    Some(Shown {
        collection,
        entries,
        pages: Some(pages),
    })
}

/// Whether a page has the sections of a list of entries: as it was written, or for the entries that have a value.
fn is_list(page: &Page) -> bool {
    matches!(page.body, Body::Sections | Body::EntryFilter(_)) && page.path.value.ends_with('/')
}

/// The values of a field by which entries are selected: keys of references, choices, texts, numbers.
pub fn keys(field: &Field) -> Vec<String> {
    match field {
        Field::List(items) => items.iter().flat_map(keys).collect(),
        Field::Typed(typed) => vec![typed.machine()],
        field => plain(field).into_iter().collect(),
    }
}

/// How many entries a section shows on a page; `None` if it shows all.
pub fn per_page(fields: &Field) -> Option<usize> {
    match fields.get("per_page") {
        Some(Field::Number(size)) => usize::try_from(*size).ok().filter(|size| *size > 0),
        _ => None,
    }
}

/// The further pages of lists that show some entries at a time: `/team/page/2/`, with the sections of the first.
pub(super) fn further_pages<'a>(
    content: &Content,
    collections: &Collections,
    pages: impl Iterator<Item = &'a Page>,
) -> Vec<Page> {
    let mut further = Vec::new();
    for page in pages.filter(|page| is_list(page)) {
        let mut sections = page.sections.iter();
        let locale = content
            .locales
            .iter()
            .enumerate()
            .find(|(_, locale)| locale.code == page.locale);
        let Some(locale) = locale else { continue };
        let count = sections
            .find_map(|section| shown(collections, page, section, &locale)?.pages)
            .unwrap_or(1);
        for number in 2..=count {
            let texts = HeadTexts {
                title: format!("{} · {number}", page.title),
                description: format!("{} · {number}", page.description),
            };
            let path = Spanned {
                value: format!("{}page/{number}/", page.path.value),
                span: page.path.span,
            };
            let key = format!("{}/page/{number}", page.key);
            further.push(Page {
                number,
                noindex: page.noindex,
                anchors: page.anchors.clone(),
                layout: page.layout.clone(),
                html_budget: page.html_budget,
                sections: Arc::clone(&page.sections),
                partial: page.partial,
                breadcrumb: page.breadcrumb.clone(),
                label: page.label.clone(),
                ..Page::of_data(key, &page.locale, path, texts, &page.source, page.body)
            });
        }
    }
    further
}
