//! Lists of entries in templates: the section `kind: entries`, pages by the values of a field, and the function `entries`.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Kwargs, Serde, ValueKind};
use minijinja::{Error, Value};

use content::collections::CollectionSchema;
use diagnostics::problem::{Code, Problem, Severity, did_you_mean};
use languages::locale::Locale;
use manifest::{PageInput, RelatedOptions};
use schema::Takes;
use site::model::collections::{
    FilterValue, ListPlace, Period, Selection, Shown, grouped, never, no_entries, per_page, plain,
    shown, undated, unwanted,
};
use site::model::fields::Picture;
use site::model::page::Section;
use site::model::{Body, Collections, EntryFilterId, EntryId, Field, Page, Site};
use site::routes::{Href, Routes};

use super::asked::record;
use super::blog::shown_numbers;
use super::entries::{EntryObject, EntryViews};
use super::lent;
use super::page::lender_of;
use super::template_errors::{all_defined, fault};
use super::typed;
use super::values::Values;

/// The options of the function `entries`; its other arguments are fields.
const OPTIONS: [&str; 5] = ["upcoming", "current", "past", "limit", "sort"];
/// The number of related entries, if a template names none.
const RELATED: usize = 3;
/// The maximum number of references that a path follows.
const MAX_STEPS: usize = 8;

/// The values of an entry by name, as templates see them.
pub(super) fn entry_values(values: &Values, id: EntryId) -> BTreeMap<String, Value> {
    let (site, mut fields) = (values.site, BTreeMap::new());
    let Some(text) = site.collections.text(id, values.locale) else {
        return fields;
    };
    if let Field::Map(entries) = &text.fields {
        let schema = site.collections.list[id.collection].schema;
        fields.extend(entries.iter().map(|(name, field)| {
            let value = values.field(field);
            let lent_by = site.collections.lender_of(id, values.locale, name);
            let value = match schema.fields.field(name) {
                Some(field) => lent::of_field(value, field, lent_by),
                None => value,
            };
            (name.clone(), value)
        }));
    }
    // Without a page in this language, it is that of the nearest one.
    let texts = &site.collections.list[id.collection].entries[id.entry].texts;
    let link = texts
        .iter()
        .flatten()
        .any(|text| text.has_page)
        .then(|| values.link(&format!("page:{}", site.collections.page_key(id))));
    fields.insert(
        "link".to_owned(),
        link.map_or_else(|| Value::from(()), |link| Value::from(Serde(link))),
    );
    let lent_by = site.collections.lender(id, values.locale);
    let tongue = lent_by.map(|at| lent::tongues(&site.locales)[at]);
    let (lang, dir) = (
        tongue.map(|tongue| tongue.language),
        tongue.map(|tongue| tongue.direction),
    );
    for (name, value) in [("lang", lang), ("dir", dir)] {
        fields.insert(
            name.to_owned(),
            value.map_or_else(|| Value::from(()), Value::from),
        );
    }
    fields
}

/// The generated fields of a section `kind: entries`: its groups with their entries, and the template of a card.
pub(super) fn section(values: &Values, section: &Section) -> Vec<(String, Value)> {
    let (collections, fields) = (&values.site.collections, &section.fields);
    let locale = (values.locale, &values.site.locales[values.locale]);
    let Some(Shown {
        collection: at,
        entries,
        pages: count,
    }) = shown(collections, values.page, section, &locale)
    else {
        let names =
            ["groups", "filters"].map(|name| (name.to_owned(), Value::from(Vec::<Value>::new())));
        let absent = ["card", "filter", "is_list", "pages", "list"]
            .map(|name| (name.to_owned(), Value::from(())));
        return names.into_iter().chain(absent).collect();
    };
    let pages = count.map_or_else(|| Value::from(()), |count| pages(values, count));
    let by = fields.get("group").and_then(plain);
    let groups: Vec<Value> = grouped(collections, at, &entries, by.as_deref(), &locale)
        .into_iter()
        .map(|group| {
            let entries = group.entries.into_iter().map(|entry| {
                let id = EntryId {
                    collection: at,
                    entry,
                };
                EntryObject::value(&values.entries, collections, id)
            });
            let entries: Vec<Value> = entries.collect();
            let name = group.name.map_or_else(
                || Value::from(()),
                |name| {
                    Value::from(lent::marked(
                        &name,
                        lender_of_group(collections, at, by.as_deref(), &name, &locale),
                    ))
                },
            );
            Value::from(BTreeMap::from([
                ("name", name),
                ("entries", Value::from(entries)),
            ]))
        })
        .collect();
    let schema = collections.list[at].schema;
    let card = if schema.has_card {
        Value::from(schema.card_template)
    } else {
        Value::from(())
    };
    let filters = values
        .entries
        .upgrade()
        .map_or_else(|| Value::from(()), |views| views.filters(at));
    let filter = match values.page.body {
        Body::EntryFilter(id) if id.collection == at => filter(values, id),
        _ => Value::from(()),
    };
    let list =
        collections.list[at].lists[values.locale].map(|place| &values.site.pages[place.page].path);
    let list = list.map_or_else(
        || Value::from(()),
        |path| {
            Value::from(Serde(Href {
                href: values.routes.href(path),
                external: false,
                hreflang: None,
            }))
        },
    );
    let named = [
        ("groups", Value::from(groups)),
        ("card", card),
        ("filter", filter),
        ("is_list", Value::from(is_place(values, section, at))),
        ("filters", filters),
        ("pages", pages),
        ("list", list),
    ];
    named.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Whether a section is the one that lists its collection in this language: the links to the pages by a value are in it alone.
fn is_place(values: &Values, section: &Section, collection: usize) -> bool {
    let Some(place) = values.site.collections.list[collection].lists[values.locale] else {
        return false;
    };
    let list = &values.site.pages[place.page];
    let is_of_list = match values.page.body {
        Body::EntryFilter(id) => id.collection == collection,
        body => body == Body::Sections && address(values.page, 1) == list.path.value,
    };
    is_of_list
        && values
            .page
            .sections
            .get(place.section)
            .is_some_and(|own| std::ptr::eq(own, section))
}

/// The address of a page of a list.
fn address(page: &Page, number: usize) -> String {
    let own = format!("page/{}/", page.number);
    let path = page.path.value.as_str();
    let first = if page.number > 1 {
        path.strip_suffix(own.as_str()).unwrap_or(path)
    } else {
        path
    };
    if number == 1 {
        first.to_owned()
    } else {
        format!("{first}page/{number}/")
    }
}

/// The pages of a list, as the macro `pagination` shows them.
fn pages(values: &Values, total: usize) -> Value {
    let page = values.page;
    let link = |number: usize| {
        let href = values.routes.href(&address(page, number));
        Value::from(Serde(Href {
            href,
            external: false,
            hreflang: None,
        }))
    };
    let none = || Value::from(());
    let previous = if page.number > 1 {
        link(page.number - 1)
    } else {
        none()
    };
    let next = if page.number < total {
        link(page.number + 1)
    } else {
        none()
    };
    Value::from(BTreeMap::from([
        ("current", Value::from(page.number)),
        ("total", Value::from(total)),
        (
            "pages",
            Value::from(
                shown_numbers(page.number, total)
                    .map(|number| {
                        let current = Value::from(number == page.number);
                        Value::from(BTreeMap::from([
                            ("label", Value::from(number.to_string())),
                            ("link", link(number)),
                            ("current", current),
                        ]))
                    })
                    .collect::<Vec<_>>(),
            ),
        ),
        ("previous", previous),
        ("next", next),
    ]))
}

/// The addresses of the previous and the next page of a list of entries, for the `<head>`.
pub(super) fn sequence(routes: &Routes, page: &Page) -> (Option<String>, Option<String>) {
    let is_list = matches!(page.body, Body::Sections | Body::EntryFilter(_))
        && page
            .sections
            .iter()
            .any(|section| per_page(&section.fields).is_some());
    if !is_list {
        return (None, None);
    }
    let before = (page.number > 1).then(|| address(page, page.number - 1));
    let after = address(page, page.number + 1);
    (before, routes.get(&after).is_some().then_some(after))
}

/// The pictures of the entries that the sections of a page show or refer to, without those of its own fields.
pub(super) fn pictures<'a>(site: &'a Site, page: &'a Page, visit: &mut dyn FnMut(&'a Picture)) {
    let collections = &*site.collections;
    let at = site.locale_index(&page.locale);
    let locale = (at, &site.locales[at]);
    let mut of_entry = |id: EntryId| {
        let text = collections.text(id, at);
        text.into_iter()
            .for_each(|text| text.fields.pictures(visit));
    };
    for section in page.sections.iter() {
        let listed = section
            .lists
            .as_deref()
            .and_then(|of| collections.position(of));
        if listed.is_some_and(|listed| collections.list[listed].schema.fields.has_pictures())
            && let Some(Shown {
                collection,
                entries,
                ..
            }) = shown(collections, page, section, &locale)
        {
            entries
                .into_iter()
                .for_each(|entry| of_entry(EntryId { collection, entry }));
        }
        section.fields.references(&mut |reference| {
            collections
                .find(&reference.to, &reference.key)
                .into_iter()
                .for_each(&mut of_entry);
        });
    }
}

/// The place in which the collection of a page is listed, in its language.
pub(super) fn list_place(values: &Values) -> Option<ListPlace> {
    let at = match values.page.body {
        Body::Entry(id) => id.collection,
        Body::EntryFilter(id) => id.collection,
        _ => return None,
    };
    values.site.collections.list[at].lists[values.locale]
}

/// The fields of the section that lists the collection of a page.
pub(super) fn list(values: &Values) -> Option<Value> {
    let place = list_place(values)?;
    let section = &values.site.pages[place.page].sections[place.section];
    let fields = values.field(&section.fields);
    let lent_by = lender_of(values, section);
    Some(match lent_by {
        Some(_) => lent::of_block(&fields, section.kind.fields, lent_by),
        None => fields,
    })
}

/// The name of a value as pages show it.
fn name_of(values: &Values, value: &FilterValue) -> String {
    let collections = &values.site.collections;
    let marked = value
        .entry
        .and_then(|id| collections.marked_name(id, values.locale));
    lent::marked(marked.as_deref().unwrap_or(&value.name), value.lent_by)
}

/// The value by which a page lists entries, with these entries.
pub(super) fn filter(values: &Values, id: EntryFilterId) -> Value {
    let collection = &values.site.collections.list[id.collection];
    let value = &collection.filters[id.filter][values.locale][id.value];
    let entry = |id: EntryId| EntryObject::value(&values.entries, &values.site.collections, id);
    let entries = value.entries.iter().map(|index| {
        entry(EntryId {
            collection: id.collection,
            entry: *index,
        })
    });
    Value::from(BTreeMap::from([
        (
            "field",
            Value::from(collection.schema.filters[id.filter].field.as_str()),
        ),
        ("key", Value::from(value.key.as_str())),
        ("name", Value::from(name_of(values, value))),
        ("count", Value::from(value.entries.len())),
        ("entry", value.entry.map_or_else(|| Value::from(()), entry)),
        ("entries", Value::from(entries.collect::<Vec<_>>())),
    ]))
}

/// The filters of a collection, each with its values: their names, numbers of entries and links.
pub(super) fn filters(values: &Values, at: usize) -> Value {
    let collection = &values.site.collections.list[at];
    let all = collection
        .schema
        .filters
        .iter()
        .zip(&collection.filters)
        .map(|(filter, languages)| {
            let options = languages[values.locale].iter().map(|value| {
                let link = values.link(&format!(
                    "page:{}/{}/{}",
                    collection.schema.name, filter.field, value.key
                ));
                Value::from(BTreeMap::from([
                    ("key", Value::from(value.key.as_str())),
                    ("name", Value::from(name_of(values, value))),
                    ("count", Value::from(value.entries.len())),
                    ("link", Value::from(Serde(link))),
                ]))
            });
            let options = Value::from(options.collect::<Vec<_>>());
            Value::from(BTreeMap::from([
                ("field", Value::from(filter.field.as_str())),
                ("values", options),
            ]))
        });
    Value::from(all.collect::<Vec<_>>())
}

/// The language that lends the name of a group, which is that of an entry.
fn lender_of_group(
    collections: &Collections,
    at: usize,
    by: Option<&str>,
    name: &str,
    locale: &(usize, &Locale),
) -> Option<usize> {
    let field = collections.list[at].schema.fields.field(by?)?;
    let (Takes::Reference(to) | Takes::Reverse(to, _)) = &field.takes else {
        return None;
    };
    let collection = collections.position(to)?;
    let ids = || {
        (0..collections.list[collection].entries.len()).map(|entry| EntryId { collection, entry })
    };
    // Nearly always no name is lent, and to compare names takes longer.
    if ids().all(|id| collections.lender_of_name(id, locale.0).is_none()) {
        return None;
    }
    ids()
        .find(|id| collections.name(*id, locale) == name)
        .and_then(|id| collections.lender_of_name(id, locale.0))
}

/// The template function `entries("team", clinics=clinic, sort="-date", limit=3, upcoming="date")`.
pub(super) fn function(
    site: &Site,
    locale: usize,
    views: &Arc<EntryViews>,
) -> impl Fn(Option<&str>, Kwargs) -> Result<Value, Error> + use<> {
    let (views, language) = (Arc::downgrade(views), site.locales[locale].clone());
    let collections = Arc::clone(&site.collections);
    move |name: Option<&str>, options: Kwargs| {
        let collections = &*collections;
        let Some(name) = name else {
            let problem = Problem::error(
                Code::TemplateError,
                "`entries` needs the name of a collection",
            );
            return Err(fault(problem.hint("write `entries(\"…\")`")));
        };
        let Some(at) = position(collections, name)? else {
            return Ok(Vec::<Value>::new().into());
        };
        all_defined(&options)?;
        record(PageInput::List {
            collection: name.to_owned(),
        });
        let mut selection = Selection::default();
        let option = |key: &str| -> Result<Option<String>, Error> {
            let value = options.get::<Option<Value>>(key)?;
            Ok(value
                .filter(|value| !value.is_none() && !value.is_undefined())
                .map(|value| value.to_string()))
        };
        for period in Period::ALL {
            selection
                .dates
                .extend(option(period.key())?.map(|field| (period, field)));
        }
        selection.limit = limit(&options)?;
        selection.sort = option("sort")?
            .map(|sort| {
                sort.split(',')
                    .map(|field| field.trim().to_owned())
                    .collect()
            })
            .unwrap_or_default();
        let schema = collections.list[at].schema;
        let dates = || selection.dates.iter().map(|(_, field)| field);
        selection
            .sort
            .iter()
            .chain(dates())
            .map(String::as_str)
            .try_for_each(|field| known_field(schema, field))?;
        let dated = selection
            .dates
            .iter()
            .find_map(|(period, field)| undated(schema, *period, field));
        let never = never(&selection.dates).map(|(_, problem)| problem);
        dated
            .or(never)
            .map_or(Ok(()), |problem| Err(fault(problem)))?;
        for field in dates() {
            record(PageInput::Periods {
                collection: name.to_owned(),
                field: field.clone(),
            });
        }
        let filters: Vec<String> = options
            .args()
            .filter(|key| !OPTIONS.contains(key))
            .map(str::to_owned)
            .collect();
        for field in filters {
            known_field(schema, &field)?;
            let wanted = wanted(&options.get::<Value>(&field)?);
            let wrong = wanted
                .iter()
                .find_map(|value| unwanted(collections, schema, &field, value));
            // A text that no entry has yet is no mistake in a template, whose values may be computed.
            wrong
                .filter(|wrong| wrong.severity == Severity::Error)
                .map_or(Ok(()), |wrong| Err(fault(wrong)))?;
            selection.filters.push((field, wanted));
        }
        options.assert_all_used()?;
        // A filter and an order look at every entry, not only at those that are selected.
        selection
            .filters
            .iter()
            .for_each(|(field, _)| record_path(collections, at, field));
        selection
            .sort
            .iter()
            .for_each(|field| record_path(collections, at, field.trim_start_matches('-')));
        let selected = selection.apply(collections, at, &(locale, &language));
        let entries = selected.into_iter().map(|entry| {
            EntryObject::value(
                &views,
                collections,
                EntryId {
                    collection: at,
                    entry,
                },
            )
        });
        Ok(Value::from(entries.collect::<Vec<_>>()))
    }
}

/// Records that a template has looked at a field of all entries, and at what it leads to: `clinic.city.name`.
fn record_path(collections: &Collections, at: usize, path: &str) {
    let (mut at, mut rest) = (at, path);
    for _ in 0..MAX_STEPS {
        let (field, after) = rest
            .split_once('.')
            .map_or((rest, None), |(field, after)| (field, Some(after)));
        let schema = collections.list[at].schema;
        record(PageInput::Column {
            collection: schema.name.to_owned(),
            field: field.to_owned(),
        });
        let to = match schema.fields.field(field).map(|field| &field.takes) {
            Some(Takes::Reference(to) | Takes::Reverse(to, _)) => collections.position(to),
            _ => None,
        };
        let (Some(to), Some(after)) = (to, after) else {
            return;
        };
        (at, rest) = (to, after);
    }
}

/// The template function `related(entry, by=["services", "sectors"], sort="-date", limit=3)`.
pub(super) fn related(
    site: &Site,
    locale: usize,
    views: &Arc<EntryViews>,
) -> impl Fn(&Value, Kwargs) -> Result<Value, Error> + use<> {
    let (views, language) = (Arc::downgrade(views), site.locales[locale].clone());
    let collections = Arc::clone(&site.collections);
    move |entry: &Value, options: Kwargs| {
        let Some(entry) = entry.downcast_object_ref::<EntryObject>() else {
            let message = "the first argument of `related` is not an entry";
            return Err(fault(
                Problem::error(Code::TemplateError, message).hint("write `related(entry, by=[…])`"),
            ));
        };
        all_defined(&options)?;
        let Some(by) = options.get::<Option<Value>>("by")? else {
            let problem = Problem::error(
                Code::TemplateError,
                "`related` needs the fields to compare entries by",
            );
            return Err(fault(problem.hint("write `related(entry, by=[\"…\"])`")));
        };
        let by = if by.kind() == ValueKind::String {
            by.to_string().split(',').map(names).collect()
        } else {
            wanted(&by)
        };
        let sort = options.get::<Option<String>>("sort")?.unwrap_or_default();
        let sort: Vec<String> = sort
            .split(',')
            .map(names)
            .filter(|name| !name.is_empty())
            .collect();
        let limit = limit(&options)?.unwrap_or(RELATED);
        options.assert_all_used()?;
        let schema = collections.list[entry.id.collection].schema;
        by.iter()
            .chain(&sort)
            .try_for_each(|field| known_field(schema, field))?;
        let options = RelatedOptions { by, sort, limit };
        record(PageInput::Related {
            entry: entry.full_name(),
            options: options.clone(),
        });
        let Some(known) = views.upgrade() else {
            return Ok(Vec::<Value>::new().into());
        };
        let found = known
            .related_to(&collections, &language, entry.id, &options)
            .into_iter();
        let collection = entry.id.collection;
        let entries = found
            .map(|entry| EntryObject::value(&views, &collections, EntryId { collection, entry }));
        Ok(Value::from(entries.collect::<Vec<_>>()))
    }
}

/// The template function `filters`: of a collection, `filters("team")`, all values by which there are pages, by field; of an entry,
/// those that it has.
pub(super) fn filters_of(
    site: &Site,
    views: &Arc<EntryViews>,
) -> impl Fn(&Value) -> Result<Value, Error> + use<> {
    let views = Arc::downgrade(views);
    let collections = Arc::clone(&site.collections);
    move |of: &Value| {
        let entry = of.downcast_object_ref::<EntryObject>();
        let at = match entry {
            Some(entry) => Some(entry.id.collection),
            None => position(&collections, of.as_str().unwrap_or_default())?,
        };
        let Some(at) = at else {
            return Ok(Value::from(BTreeMap::<String, Value>::new()));
        };
        let Some(known) = views.upgrade() else {
            return Ok(Value::from(()));
        };
        if let Some(entry) = entry {
            return Ok(Value::from(known.filters_of(&collections, entry.id)));
        }
        let filters = collections.list[at].schema.filters.iter();
        let options = known
            .filters(at)
            .try_iter()?
            .map(|filter| filter.get_attr("values"))
            .collect::<Vec<_>>();
        let by_field = filters
            .zip(options)
            .map(|(filter, options)| Ok((filter.field.clone(), options?)));
        let by_field = by_field.collect::<Result<BTreeMap<String, Value>, Error>>()?;
        Ok(Value::from(by_field))
    }
}

/// A name in a list that is separated by commas.
fn names(written: &str) -> String {
    written.trim().to_owned()
}

/// The index of a collection that a template names; `None` if it could not be read, which was reported.
fn position(collections: &Collections, name: &str) -> Result<Option<usize>, Error> {
    let at = collections.position(name);
    if at.is_some() || collections.broken.contains(name) {
        return Ok(at);
    }
    let names = collections
        .list
        .iter()
        .map(|collection| collection.schema.name);
    let problem = Problem::error(Code::UnknownId, format!("there is no collection `{name}`"));
    Err(fault(problem.maybe_hint(did_you_mean(name, names))))
}

/// Reports a field that a collection does not have. It may be a path, `clinic.name`, and begin with `-`.
fn known_field(schema: &CollectionSchema, written: &str) -> Result<(), Error> {
    let path = written.trim_start_matches('-');
    let name = path.split('.').next().unwrap_or(path);
    if schema.fields.field(name).is_some() {
        return Ok(());
    }
    let (message, near) = schema.fields.unknown(name);
    let problem = Problem::error(Code::UnknownId, format!("{message} in `{}`", schema.name));
    Err(fault(problem.maybe_hint(near)))
}

/// The greatest number of entries that a call asks for.
fn limit(options: &Kwargs) -> Result<Option<usize>, Error> {
    let Some(value) = options.get::<Option<Value>>("limit")? else {
        return Ok(None);
    };
    let problem = match value.as_i64() {
        Some(count) => no_entries("limit", count),
        None => Some(Problem::error(
            Code::InvalidValue,
            format!("expected a whole number for `limit`, found `{value}`"),
        )),
    };
    match problem {
        Some(problem) => Err(fault(
            problem.hint("write a whole number, such as `limit=3`"),
        )),
        None => Ok(value.as_usize()),
    }
}

/// The values that a filter accepts: an entry stands for its key.
fn wanted(value: &Value) -> Vec<String> {
    if let Some(entry) = value.downcast_object_ref::<EntryObject>() {
        return vec![entry.key.to_string()];
    }
    if let Some(machine) = typed::machine(value) {
        return vec![machine];
    }
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => value
            .try_iter()
            .into_iter()
            .flatten()
            .flat_map(|item| wanted(&item))
            .collect(),
        ValueKind::None | ValueKind::Undefined => Vec::new(),
        // Not `True`, as the engine prints it.
        ValueKind::Bool => vec![value.is_true().to_string()],
        _ => vec![value.to_string()],
    }
}
