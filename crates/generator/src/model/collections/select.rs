//! What a list of entries selects, in sections and in templates, and the pages of a list that shows some of them at a time.

use std::sync::Arc;

use crate::content::Content;
use crate::locale::Locale;
use diagnostics::marks::without;
use diagnostics::yaml::Spanned;

use super::super::fields::Field;
use super::super::page::{Body, EntryId, Page, Section};
use super::{Collections, plain, sorted};

/// What a list selects of a collection.
#[derive(Default)]
pub struct Selection {
    /// Fields, and the values of which one is wanted.
    pub filters: Vec<(String, Vec<String>)>,
    /// The date field that must not have passed.
    pub upcoming: Option<String>,
    /// The date field that must have passed.
    pub past: Option<String>,
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
        let one = |name: &str| texts(fields.get(name)).pop();
        let filters = match fields.get("where") {
            Some(Field::Map(filters)) => {
                filters.iter().map(|(name, value)| (name.clone(), texts(Some(value)))).collect()
            }
            _ => Vec::new(),
        };
        let limit = match fields.get("limit") {
            Some(Field::Number(limit)) => usize::try_from(*limit).ok(),
            _ => None,
        };
        Selection { filters, upcoming: one("upcoming"), past: one("past"), sort: texts(fields.get("sort")), limit }
    }

    /// The indices of the entries of a collection that it selects, in its order.
    pub fn apply(&self, collections: &Collections, at: usize, locale: &(usize, &Locale)) -> Vec<usize> {
        let collection = &collections.list[at];
        let by: Vec<&str> = self.sort.iter().map(String::as_str).collect();
        let order =
            if by.is_empty() { collection.order[locale.0].clone() } else { sorted(collections, at, locale, &by) };
        let is_selected = |entry: &usize| {
            let id = EntryId { collection: at, entry: *entry };
            let Some(text) = collections.text(id, locale.0) else { return false };
            let has = |(name, wanted): &(String, Vec<String>)| {
                let found = text.fields.get(name).map(keys).unwrap_or_default();
                wanted.iter().any(|wanted| found.contains(wanted))
            };
            self.filters.iter().all(has)
                && self.upcoming.as_ref().is_none_or(|field| has_passed(collections, id, field) == Some(false))
                && self.past.as_ref().is_none_or(|field| has_passed(collections, id, field) == Some(true))
        };
        order.into_iter().filter(is_selected).take(self.limit.unwrap_or(usize::MAX)).collect()
    }
}

/// The values of a field by which entries are selected: keys of references, choices, texts, numbers.
pub fn keys(field: &Field) -> Vec<String> {
    match field {
        Field::List(items) => items.iter().flat_map(keys).collect(),
        Field::Typed(typed) => vec![typed.machine()],
        field => plain(field).into_iter().collect(),
    }
}

/// Whether the day or time in a field of an entry has passed; `None` without a date.
pub fn has_passed(collections: &Collections, id: EntryId, field: &str) -> Option<bool> {
    let text = collections.list[id.collection].entries[id.entry].texts.iter().flatten().next()?;
    let Some(Field::Typed(typed)) = text.fields.get(field) else { return None };
    Some(typed.end()? <= collections.now)
}

/// How many entries a section shows on a page; `None` if it shows all.
pub fn per_page(fields: &Field) -> Option<usize> {
    match fields.get("per_page") {
        Some(Field::Number(size)) => usize::try_from(*size).ok().filter(|size| *size > 0),
        _ => None,
    }
}

/// The further pages of lists that show some entries at a time: `/team/page/2/`, with the sections of the first.
pub(super) fn further_pages(content: &Content, collections: &Collections, pages: &[Page]) -> Vec<Page> {
    let mut further = Vec::new();
    for page in pages.iter().filter(|page| page.body == Body::Sections && page.path.value.ends_with('/')) {
        let mut sections = page.sections.iter();
        let list = sections.find_map(|section| Some((section, section.lists()?, per_page(&section.fields)?)));
        let Some((Section { fields, .. }, of, size)) = list else { continue };
        let at = collections.position(&without(of));
        let locale = content.locales.iter().enumerate().find(|(_, locale)| locale.code == page.locale);
        let Some((at, locale)) = at.zip(locale) else { continue };
        let count = Selection::of_section(fields).apply(collections, at, &locale).len();
        for number in 2..=count.div_ceil(size) {
            let texts = (format!("{} · {number}", page.title), format!("{} · {number}", page.description));
            let path = Spanned { value: format!("{}page/{number}/", page.path.value), span: page.path.span };
            let key = format!("{}/page/{number}", page.key);
            further.push(Page {
                number,
                noindex: page.noindex,
                anchors: page.anchors.clone(),
                layout: page.layout.clone(),
                html_budget: page.html_budget,
                sections: Arc::clone(&page.sections),
                partial: page.partial,
                ..Page::of_data(key, &page.locale, path, texts, &page.source, Body::Sections)
            });
        }
    }
    further
}
