//! Pages by the values of a field: the values that entries have, and the page of each.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use config::SiteSettings;
use content::Content;
use content::collections::{FilterSchema, PerLanguage};
use diagnostics::problem::{Code, Problem, Problems};
use diagnostics::yaml::Spanned;
use languages::locale::{FLAG_WORDS, Locale, fill};
use schema::Takes;
use schema::types::{Slug, Typed, lower_case};

use super::super::fields::Field;
use super::super::list::List;
use super::super::page::{Body, EntryFilterId, EntryId, HeadTexts, Page, Section};
use super::places::{address_by, below, list_pages};
use super::{Collections, FilterValue, plain};

/// Collects the values by which entries are listed. Different values with one URL are reported.
pub(super) fn compute(content: &Content, collections: &mut Collections, problems: &mut Problems) {
    let all: Vec<_> = (0..collections.list.len())
        .map(|at| {
            let filters = collections.list[at].schema.filters.iter();
            filters
                .map(|filter| {
                    content
                        .locales
                        .iter()
                        .enumerate()
                        .map(|locale| {
                            values_of(content, collections, at, filter, &locale, problems)
                        })
                        .collect()
                })
                .collect()
        })
        .collect();
    for (collection, filters) in collections.list.iter_mut().zip(all) {
        collection.filters = filters;
    }
}

/// The values of a field in a language, each with its entries: references in the order of their collection, choices in that of
/// the schema, others by name.
fn values_of(
    content: &Content,
    collections: &Collections,
    at: usize,
    filter: &FilterSchema,
    locale: &(usize, &Locale),
    problems: &mut Problems,
) -> Vec<FilterValue> {
    let field = filter.field.as_str();
    let mut values: Vec<FilterValue> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let to = match collections.list[at]
        .schema
        .fields
        .field(field)
        .map(|field| &field.takes)
    {
        Some(Takes::Reference(to)) => collections.position(to),
        _ => None,
    };
    let others = to
        .filter(|_| filter.empty)
        .map(|to| (to, &collections.list[to]));
    for (collection, entry) in others
        .into_iter()
        .flat_map(|(to, other)| other.order[locale.0].iter().map(move |entry| (to, *entry)))
    {
        let (id, key) = (
            EntryId { collection, entry },
            collections.list[collection].entries[entry].key.clone(),
        );
        known.insert(key.clone(), values.len());
        let (name, lent_by) = (
            collections.name(id, locale),
            collections.lender_of_name(id, locale.0),
        );
        values.push(FilterValue {
            key,
            name,
            lent_by,
            entry: Some(id),
            entries: Vec::new(),
        });
    }
    for index in &collections.list[at].order[locale.0] {
        let id = EntryId {
            collection: at,
            entry: *index,
        };
        let text = collections.list[at].entries[*index].texts[locale.0].as_ref();
        let Some(value) = text.and_then(|text| text.fields.get(field)) else {
            continue;
        };
        let items = match value {
            Field::List(items) => items.iter().collect(),
            one => vec![one],
        };
        for item in items {
            let Some(found) = value_of(collections, &content.locales, locale, id, field, item)
            else {
                continue;
            };
            let at = *known.entry(found.key.clone()).or_insert(values.len());
            if let Some(first) = values.get(at)
                && found.entry.is_none()
                && lower_case(&first.name) != lower_case(&found.name)
            {
                let message = format!(
                    "the values `{}` and `{}` of `{field}` have the same URL",
                    first.name, found.name
                );
                let place = text.map(|text| text.source.place(text.span));
                let problem = Problem::warning(Code::DuplicateId, message).hint(format!(
                    "entries with `{}` are listed under `{}`: use one of the two in all entries, or rename one",
                    found.name, first.name
                ));
                problems.push(place.into_iter().fold(problem, Problem::at));
            }
            if at == values.len() {
                values.push(found);
            } else if found.lent_by.is_none() {
                // An entry has it in the language.
                values[at].lent_by = None;
            }
            if values[at].entries.last() != Some(index) {
                values[at].entries.push(*index);
            }
        }
    }
    if let Some(Takes::Choice { names, .. }) = collections.list[at]
        .schema
        .fields
        .field(field)
        .map(|field| &field.takes)
    {
        values.sort_by_cached_key(|value| {
            names
                .iter()
                .position(|name| Slug::or_hash(name, field).into_string() == value.key)
        });
        return values;
    }
    match to
        .map(|to| &collections.list[to])
        .filter(|to| to.has_order())
    {
        Some(to) => {
            let places: HashMap<usize, usize> = to.order[locale.0]
                .iter()
                .enumerate()
                .map(|(place, entry)| (*entry, place))
                .collect();
            values.sort_by_cached_key(|value| {
                value.entry.and_then(|id| places.get(&id.entry).copied())
            });
        }
        None => {
            values.sort_by_cached_key(|value| (locale.1.sort_key(&value.name), value.key.clone()));
        }
    }
    values
}

/// A value of a field of an entry, as entries are listed by it; `None` if they are not.
fn value_of(
    collections: &Collections,
    locales: &[Locale],
    locale: &(usize, &Locale),
    of: EntryId,
    field: &str,
    item: &Field,
) -> Option<FilterValue> {
    let (key, name, lent_by, entry) = match item {
        Field::Typed(typed) => match &**typed {
            Typed::Reference(reference) => {
                let id = collections.find(&reference.to, &reference.key)?;
                // A language may leave out an entry that it has no text of.
                collections.text(id, locale.0)?;
                let lent_by = collections.lender_of_name(id, locale.0);
                (
                    reference.key.clone(),
                    collections.name(id, locale),
                    lent_by,
                    Some(id),
                )
            }
            Typed::Choice(choice) => {
                let lender = choice.lender(&locale.1.code, &locale.1.stand_ins);
                let lent_by =
                    lender.and_then(|code| locales.iter().position(|locale| locale.code == code));
                let key = Slug::or_hash(&choice.key, field).into_string();
                (
                    key,
                    choice.name(&locale.1.code, &locale.1.stand_ins).to_owned(),
                    lent_by,
                    None,
                )
            }
            _ => return None,
        },
        Field::Bool(flag) => {
            let (key, word) = FLAG_WORDS[usize::from(!*flag)];
            let name = locale.1.word(word, &locales[0]).unwrap_or(key);
            let lent_by = locale.1.lender(word);
            let lent_by =
                lent_by.and_then(|code| locales.iter().position(|locale| locale.code == code));
            (key.to_owned(), name.to_owned(), lent_by, None)
        }
        item => {
            let text = plain(item).filter(|text| !text.trim().is_empty())?;
            let lent_by = collections.lender_of(of, locale.0, field);
            (
                Slug::or_hash(&text, field).into_string(),
                text,
                lent_by,
                None,
            )
        }
    };
    Some(FilterValue {
        key,
        name,
        lent_by,
        entry,
        entries: Vec::new(),
    })
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
        let lists = list_pages(settings, content, collection, pages);
        for (filter, languages) in collection.filters.iter().enumerate() {
            for (locale, values) in content.locales.iter().enumerate().zip(languages) {
                for value in 0..values.len() {
                    let id = EntryFilterId {
                        collection: at,
                        filter,
                        value,
                    };
                    derived.extend(filter_page(
                        settings,
                        collections,
                        lists[locale.0].as_ref(),
                        &locale,
                        id,
                    ));
                }
            }
        }
    }
    derived
}

/// The page of one value of a filter, in a language whose `list` shows the collection.
fn filter_page(
    settings: &SiteSettings,
    collections: &Collections,
    list: Option<&List>,
    locale: &(usize, &Locale),
    id: EntryFilterId,
) -> Option<Page> {
    let collection = &collections.list[id.collection];
    let filter = &collection.schema.filters[id.filter];
    let value = &collection.filters[id.filter][locale.0][id.value];
    let shown = value
        .entry
        .and_then(|id| collections.marked_name(id, locale.0));
    let settings = settings.in_language(&locale.1.code);
    let part = |name: &str| match name {
        "slug" | "key" => Some(value.key.clone()),
        "name" => Some(value.name.clone()),
        "count" => Some(value.entries.len().to_string()),
        name => Some(
            settings
                .placeholder(name)
                .map_or_else(|| format!("{{{name}}}"), Into::into),
        ),
    };
    let code = locale.1.code.as_str();
    let path = address_by(settings, &filter.address, list, locale, part)?.ok()?;
    let product = &settings.product.name;
    // The words of the section that lists the collection go before those of the schema.
    let words = list.and_then(|list| list.words.get("filtered")?.get(&filter.field));
    let text = |name: &str, of_schema: Option<&PerLanguage>| {
        let of_list = words.and_then(|words| plain(words.get(name)?));
        let pattern = of_list.or_else(|| of_schema?.nearest(settings, code).map(str::to_owned))?;
        fill(&pattern, part).ok()
    };
    // French has a space before a colon.
    let colon = if locale.1.primary() == "fr" {
        "\u{a0}:"
    } else {
        ":"
    };
    let title = text("title", filter.title.as_ref()).unwrap_or_else(|| {
        let list = list.map_or(collection.schema.name, |list| list.page.name(product));
        format!("{list}{colon} {} · {product}", value.name)
    });
    let description = text("description", filter.description.as_ref()).unwrap_or_else(|| {
        let list = list.map_or(collection.schema.meaning.as_str(), |list| {
            list.page.description.as_str()
        });
        format!("{}{colon} {list}", value.name)
    });
    let source = &collection.schema.source;
    let key = format!("{}/{}/{}", collection.schema.name, filter.field, value.key);
    let (path, texts) = (
        Spanned {
            value: path,
            span: filter.span,
        },
        HeadTexts { title, description },
    );
    let page = Page::of_data(key, code, path, texts, source, Body::EntryFilter(id));
    let page = Page {
        label: shown.or_else(|| Some(value.name.clone())),
        ..page
    };
    let page = below(list, filter.address.get(code), page);
    match (list, collection.schema.filter_template) {
        (_, Some(_)) => Some(page),
        // Without a template, the page has the sections of the page that lists all.
        (Some(List { page: list, .. }), None) => {
            let heading = page.name(product).to_owned();
            let sections: Arc<[Section]> = list
                .sections
                .iter()
                .map(|section| headed(section, &heading))
                .collect();
            Some(Page {
                anchors: list.anchors.clone(),
                sections,
                ..page
            })
        }
        (None, None) => None,
    }
}

/// A section of the page of a list on the page of a value: its main heading says which value.
fn headed(section: &Section, heading: &str) -> Section {
    let mut section = section.clone();
    if section.kind.main_heading
        && let Field::Map(fields) = &mut section.fields
        && let Some((_, title)) = fields.iter_mut().find(|(name, _)| name == "title")
    {
        *title = Field::Text(heading.to_owned());
    }
    section
}
