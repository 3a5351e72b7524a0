//! Pages by the values of a field: the values that entries have, and the page of each.

use foldhash::{HashMap, HashMapExt};

use crate::config::SiteSettings;
use crate::content::Content;
use crate::content::collections::{FilterSchema, PerLanguage};
use crate::content_types::{Slug, Typed};
use crate::locale::{Locale, fill};
use diagnostics::problem::Span;
use diagnostics::yaml::Spanned;

use super::super::fields::Field;
use super::super::page::{Body, EntryFilterId, Page};
use super::{Collection, Collections, FilterValue, list_page, plain};

/// Collects the values by which entries are listed.
pub(super) fn compute(content: &Content, collections: &mut Collections) {
    let all: Vec<_> = (0..collections.list.len())
        .map(|at| {
            let filters = collections.list[at].schema.filters.iter();
            let of = |field: &str| {
                content.locales.iter().enumerate().map(|locale| values_of(collections, at, field, &locale)).collect()
            };
            filters.map(|filter| of(&filter.field)).collect()
        })
        .collect();
    for (collection, filters) in collections.list.iter_mut().zip(all) {
        collection.filters = filters;
    }
}

/// The values of a field in a language, by name, each with its entries.
fn values_of(collections: &Collections, at: usize, field: &str, locale: &(usize, &Locale)) -> Vec<FilterValue> {
    let mut values: Vec<FilterValue> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for index in &collections.list[at].order[locale.0] {
        let text = collections.list[at].entries[*index].texts[locale.0].as_ref();
        let Some(value) = text.and_then(|text| text.fields.get(field)) else { continue };
        let items = match value {
            Field::List(items) => items.iter().collect(),
            one => vec![one],
        };
        for item in items {
            let found = match item {
                Field::Typed(typed) => match &**typed {
                    Typed::Reference(reference) => collections
                        .find(&reference.to, &reference.key)
                        .map(|id| (reference.key.clone(), collections.name(id, locale), Some(id))),
                    _ => None,
                },
                item => plain(item)
                    .filter(|text| !text.trim().is_empty())
                    .map(|text| (Slug::or_hash(&text, field).into_string(), text, None)),
            };
            let Some((key, name, entry)) = found else { continue };
            let at = *known.entry(key.clone()).or_insert(values.len());
            if at == values.len() {
                values.push(FilterValue { key, name, entry, entries: Vec::new() });
            }
            if values[at].entries.last() != Some(index) {
                values[at].entries.push(*index);
            }
        }
    }
    values.sort_by_cached_key(|value| (locale.1.sort_key(&value.name), value.key.clone()));
    values
}

/// The pages with the entries that have a value.
pub(super) fn pages(
    settings: &SiteSettings,
    content: &Content,
    collections: &Collections,
    pages: &[Page],
) -> Vec<Page> {
    let mut derived = Vec::new();
    for (at, collection) in collections.list.iter().enumerate() {
        for (number, (filter, languages)) in collection.schema.filters.iter().zip(&collection.filters).enumerate() {
            for (locale, values) in content.locales.iter().zip(languages) {
                let list = list_page(pages, &locale.code, collection.schema.name).map(|index| &pages[index]);
                for (index, value) in values.iter().enumerate() {
                    let id = EntryFilterId { collection: at, filter: number, value: index };
                    derived.extend(filter_page(settings, collection, filter, (locale, list), value, id));
                }
            }
        }
    }
    derived
}

fn filter_page(
    settings: &SiteSettings,
    collection: &Collection,
    filter: &FilterSchema,
    (locale, list): (&Locale, Option<&Page>),
    value: &FilterValue,
    id: EntryFilterId,
) -> Option<Page> {
    let filled = |pattern: &str| {
        let text = fill(pattern, |name| match name {
            "slug" | "key" => Some(value.key.clone()),
            "name" => Some(value.name.clone()),
            "count" => Some(value.entries.len().to_string()),
            name => Some(settings.placeholder(name).map_or_else(|| format!("{{{name}}}"), Into::into)),
        });
        text.unwrap_or_default()
    };
    let code = locale.code.as_str();
    let path = match &filter.address {
        PerLanguage::All(pattern) => [settings.prefix(code), filled(pattern)].concat(),
        PerLanguage::Each(patterns) => filled(patterns.get(code)?),
    };
    let product = &settings.product.name;
    let title = filter.title.as_ref().and_then(|title| title.nearest(settings, code)).map(filled);
    let title = title.unwrap_or_else(|| {
        let list = list.map_or(collection.schema.name, |list| list.name(product));
        format!("{list}: {} · {product}", value.name)
    });
    let description = filter.description.as_ref().and_then(|text| text.nearest(settings, code)).map(filled);
    let description = description.unwrap_or_else(|| {
        let list = list.map_or(collection.schema.meaning.as_str(), |list| list.description.as_str());
        format!("{}: {list}", value.name)
    });
    let source = &collection.schema.source;
    let whole = Span::new(0, source.text.len());
    let span = source.locate(whole, &format!("{}:", filter.field));
    let key = format!("{}/{}/{}", collection.schema.name, filter.field, value.key);
    let (path, texts) = (Spanned { value: path, span }, (title, description));
    let page = Page::of_data(key, code, path, texts, source, Body::EntryFilter(id));
    Some(Page { label: Some(value.name.clone()), ..page })
}
