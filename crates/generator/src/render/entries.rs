//! Entries of collections in templates. A reference *is* the entry that it names: its fields are looked up when a
//! template asks for them, so that entries can refer to each other in circles.
//!
//! While a page is rendered, each entry and each list that its template asks for is recorded ([`recorded`]). So a page
//! depends on exactly what it has shown, and nobody lists its dependencies.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use minijinja::value::{Enumerator, Kwargs, Object, Serde, ValueKind};
use minijinja::{Error, Value};

use crate::build_cache::{Hash, hash_value};
use crate::content::schema::Takes;
use crate::content_types::{Moment, Reference, Typed, folded};
use crate::locale::Locale;
use crate::model::collections::{plain, sorted};
use crate::model::{Collections, EntryFilterId, EntryId, Field, Site};
use crate::parallel;
use crate::routes::Href;
use diagnostics::problem::{Code, Problem, did_you_mean};

use super::template_errors::fault;
use super::typed;
use super::values::Values;

/// The options of the function `entries`; its other arguments are fields.
const OPTIONS: [&str; 4] = ["upcoming", "past", "limit", "sort"];
/// The name of a list in a record, before that of its collection.
const LIST: &str = "all of ";

thread_local! {
    /// What the template of the page that this thread renders has asked for.
    static ASKED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Calls a function, and returns the names of the entries and lists that it asks for.
pub(super) fn recorded<T>(render: impl FnOnce() -> T) -> (T, BTreeSet<String>) {
    // A thread can begin another page while it waits for a part of this one.
    let outer = ASKED.take();
    let value = render();
    (value, ASKED.replace(outer))
}

fn record(name: impl FnOnce() -> String) {
    ASKED.with_borrow_mut(|asked| asked.insert(name()));
}

/// All entries in one language, as templates see them.
pub(super) struct EntryViews {
    /// By collection.
    lists: Vec<ListView>,
    locale: String,
}

struct ListView {
    name: Arc<str>,
    /// By the index of the entry; `None` if the language leaves it out.
    entries: Vec<Option<EntryView>>,
    /// The hash of the keys, in order.
    hash: Hash,
}

struct EntryView {
    values: BTreeMap<String, Value>,
    hash: Hash,
}

impl std::fmt::Debug for EntryViews {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "the entries in `{}`", self.locale)
    }
}

impl EntryViews {
    /// The entries of a language. `values` makes the values of one entry's page, given a handle to the result.
    pub fn new<'a>(
        site: &'a Site,
        locale: usize,
        values: &(dyn Fn(EntryId, Weak<EntryViews>) -> Values<'a> + Sync),
    ) -> Arc<EntryViews> {
        Arc::new_cyclic(|views| {
            let lists = site.collections.list.iter().enumerate().map(|(at, collection)| {
                let indices: Vec<usize> = (0..collection.entries.len()).collect();
                let entries = parallel::map(&indices, |entry| {
                    let id = EntryId { collection: at, entry: *entry };
                    let text = site.collections.text(id, locale)?;
                    let values = values(id, Weak::clone(views));
                    Some(EntryView::new(site, id, locale, &values, text))
                });
                let keys: Vec<&str> =
                    collection.order[locale].iter().map(|index| collection.entries[*index].key.as_str()).collect();
                ListView { name: collection.schema.name.into(), hash: hash_value(&keys), entries }
            });
            EntryViews { lists: lists.collect(), locale: site.locales[locale].code.clone() }
        })
    }

    fn view(&self, id: EntryId) -> Option<&EntryView> {
        self.lists.get(id.collection)?.entries.get(id.entry)?.as_ref()
    }

    /// The hash of everything that these names, from a record, stand for.
    pub fn hash(&self, site: &Site, names: &BTreeSet<String>) -> Hash {
        if names.is_empty() {
            return Hash::default();
        }
        let hashes = names.iter().map(|name| match name.strip_prefix(LIST) {
            Some(list) => match list.split_once(" after ") {
                None => self.lists.iter().find(|known| *known.name == *list).map(|list| list.hash),
                Some((list, field)) => Some(hash_value(&past(site, list, field))),
            },
            None => name.split_once('/').and_then(|(collection, key)| {
                let id = site.collections.find(collection, key)?;
                self.view(id).map(|view| view.hash)
            }),
        });
        hash_value(&hashes.collect::<Vec<_>>())
    }
}

/// The indices of the entries of a collection whose date has passed.
fn past(site: &Site, collection: &str, field: &str) -> Vec<usize> {
    let Some(at) = site.collections.position(collection) else { return Vec::new() };
    let entries = (0..site.collections.list[at].entries.len()).map(|entry| EntryId { collection: at, entry });
    entries.filter(|id| has_passed(&site.collections, *id, field) == Some(true)).map(|id| id.entry).collect()
}

/// Whether the day or time in a field of an entry has passed; `None` without a date.
fn has_passed(collections: &Collections, id: EntryId, field: &str) -> Option<bool> {
    let text = collections.list[id.collection].entries[id.entry].texts.iter().flatten().next()?;
    let Some(Field::Typed(typed)) = text.fields.get(field) else { return None };
    let Moment(at) = match &**typed {
        Typed::Date(date) => Moment::parse(&date.to_string()).map(|Moment(at)| Moment(at + 86_400)),
        Typed::DateTime(date) => Moment::parse(&date.to_string()),
        _ => None,
    }?;
    Some(at <= collections.now.0)
}

impl EntryView {
    fn new(
        site: &Site,
        id: EntryId,
        locale: usize,
        values: &Values,
        text: &crate::model::collections::Text,
    ) -> EntryView {
        let mut fields = BTreeMap::new();
        if let Field::Map(entries) = &text.fields {
            fields.extend(entries.iter().map(|(name, field)| (name.clone(), values.field(field))));
        }
        let link = text.has_page.then(|| values.link(&format!("page:{}", site.collections.page_key(id))));
        fields.insert("link".to_owned(), link.map_or_else(|| Value::from(()), |link: Href| Value::from(Serde(link))));
        let is_fallback = text.words_in != locale;
        let lang = is_fallback.then(|| Value::from(site.locales[text.words_in].language.as_str()));
        fields.insert("lang".to_owned(), lang.unwrap_or_else(|| Value::from(())));
        let hash = hash_value(&fields);
        EntryView { values: fields, hash }
    }
}

/// An entry in a template.
pub(super) struct EntryObject {
    views: Weak<EntryViews>,
    id: EntryId,
    collection: Arc<str>,
    key: Arc<str>,
}

impl std::fmt::Debug for EntryObject {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.collection, self.key)
    }
}

impl EntryObject {
    /// The entry as a value.
    pub fn value(views: &Weak<EntryViews>, collections: &Collections, id: EntryId) -> Value {
        let collection = &collections.list[id.collection];
        Value::from_object(EntryObject {
            views: Weak::clone(views),
            id,
            collection: collection.schema.name.into(),
            key: collection.entries[id.entry].key.as_str().into(),
        })
    }
}

impl Object for EntryObject {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "collection" => Some(Value::from(Arc::clone(&self.collection))),
            "key" => Some(Value::from(Arc::clone(&self.key))),
            name => {
                record(|| format!("{}/{}", self.collection, self.key));
                let views = self.views.upgrade()?;
                views.view(self.id)?.values.get(name).cloned()
            }
        }
    }

    /// Its identity only: entries can refer to each other in circles.
    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["collection", "key"])
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    /// An entry that is printed shows its name.
    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = ["name", "title"].into_iter().find_map(|name| self.get_value(&Value::from(name)));
        match name.filter(|name| !name.is_none() && !name.is_undefined()) {
            Some(name) => write!(f, "{name}"),
            None => f.write_str(&self.key),
        }
    }
}

/// The entry that a reference names, as a template value; `none` if it is not public now.
pub(super) fn referenced(values: &Values, reference: &Reference) -> Value {
    let id = values.site.collections.find(&reference.to, &reference.key);
    let id = id.filter(|id| values.site.collections.text(*id, values.locale).is_some());
    id.map_or_else(|| Value::from(()), |id| EntryObject::value(&values.entries, &values.site.collections, id))
}

/// What a list selects of a collection.
#[derive(Default)]
pub(super) struct Selection {
    /// Fields, and the values of which one is wanted.
    pub filters: Vec<(String, Vec<String>)>,
    pub upcoming: Option<String>,
    pub past: Option<String>,
    pub sort: Vec<String>,
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
fn keys(field: &Field) -> Vec<String> {
    match field {
        Field::List(items) => items.iter().flat_map(keys).collect(),
        Field::Typed(typed) => vec![typed.machine()],
        field => plain(field).into_iter().collect(),
    }
}

/// The generated fields of a section `kind: entries`: its groups with their entries, and the template of a card.
pub(super) fn section(values: &Values, fields: &Field) -> Vec<(String, Value)> {
    let collections = &values.site.collections;
    let at = fields.get("of").and_then(plain).and_then(|of| collections.position(&of));
    let none = || {
        let empty = || Value::from(Vec::<Value>::new());
        vec![("groups".to_owned(), empty()), ("card".to_owned(), Value::from(())), ("filters".to_owned(), empty())]
    };
    let Some(at) = at else { return none() };
    let locale = (values.locale, &values.site.locales[values.locale]);
    let selected = Selection::of_section(fields).apply(collections, at, &locale);
    let by = fields.get("group").and_then(plain);
    let mut groups: Vec<(Option<String>, Vec<Value>)> = Vec::new();
    for entry in selected {
        let id = EntryId { collection: at, entry };
        let value = EntryObject::value(&values.entries, &values.site.collections, id);
        // An entry with several values is in the group of each.
        let names = by.as_ref().map(|field| collections.each(id, &locale, &group_path(collections, at, field)));
        let names: Vec<Option<String>> = match names {
            Some(names) if !names.is_empty() => names.into_iter().map(Some).collect(),
            _ => vec![None],
        };
        for name in names {
            match groups.iter_mut().find(|(known, _)| *known == name) {
                Some((_, entries)) => entries.push(value.clone()),
                None => groups.push((name, vec![value.clone()])),
            }
        }
    }
    if by.as_deref().is_some_and(|field| is_reference(collections, at, field)) {
        // By name; entries without a value come last.
        groups.sort_by_key(|(name, _)| (name.is_none(), folded(name.as_deref().unwrap_or_default()).into_owned()));
    }
    let groups: Vec<Value> = groups
        .into_iter()
        .map(|(name, entries)| {
            let name = name.map_or_else(|| Value::from(()), Value::from);
            Value::from(BTreeMap::from([("name", name), ("entries", Value::from(entries))]))
        })
        .collect();
    let schema = collections.list[at].schema;
    let card = if schema.has_card { Value::from(schema.card_template) } else { Value::from(()) };
    let filters = filters(values, at);
    vec![("groups".to_owned(), Value::from(groups)), ("card".to_owned(), card), ("filters".to_owned(), filters)]
}

/// The value by which a page lists entries, with these entries.
pub(super) fn filter(values: &Values, id: EntryFilterId) -> Value {
    let collection = &values.site.collections.list[id.collection];
    let value = &collection.filters[id.filter][values.locale][id.value];
    let entry = |id: EntryId| EntryObject::value(&values.entries, &values.site.collections, id);
    let entries = value.entries.iter().map(|index| entry(EntryId { collection: id.collection, entry: *index }));
    Value::from(BTreeMap::from([
        ("field", Value::from(collection.schema.filters[id.filter].field.as_str())),
        ("key", Value::from(value.key.as_str())),
        ("name", Value::from(value.name.as_str())),
        ("count", Value::from(value.entries.len())),
        ("entry", value.entry.map_or_else(|| Value::from(()), entry)),
        ("entries", Value::from(entries.collect::<Vec<_>>())),
    ]))
}

/// The filters of a collection, each with its values: their names, numbers of entries and links.
fn filters(values: &Values, at: usize) -> Value {
    let collection = &values.site.collections.list[at];
    let all = collection.schema.filters.iter().zip(&collection.filters).map(|(filter, languages)| {
        let options = languages[values.locale].iter().map(|value| {
            let link = values.link(&format!("page:{}/{}/{}", collection.schema.name, filter.field, value.key));
            Value::from(BTreeMap::from([
                ("key", Value::from(value.key.as_str())),
                ("name", Value::from(value.name.as_str())),
                ("count", Value::from(value.entries.len())),
                ("link", Value::from(Serde(link))),
            ]))
        });
        let options = Value::from(options.collect::<Vec<_>>());
        Value::from(BTreeMap::from([("field", Value::from(filter.field.as_str())), ("values", options)]))
    });
    Value::from(all.collect::<Vec<_>>())
}

fn is_reference(collections: &Collections, at: usize, field: &str) -> bool {
    let field = collections.list[at].schema.fields.field(field);
    field.is_some_and(|field| matches!(field.takes, Takes::Reference(_) | Takes::Reverse(..)))
}

/// The path of the text that names a group: a reference has the name of its entry.
fn group_path(collections: &Collections, at: usize, field: &str) -> String {
    let schema = collections.list[at].schema;
    match schema.fields.field(field).map(|field| &field.takes) {
        Some(Takes::Reference(to) | Takes::Reverse(to, _)) => {
            let other = collections.position(to).map(|other| collections.list[other].schema);
            let name = ["name", "title"]
                .into_iter()
                .find(|name| other.is_some_and(|other| other.fields.field(name).is_some()));
            format!("{field}.{}", name.unwrap_or("key"))
        }
        _ => field.to_owned(),
    }
}

/// The template function `entries("team", clinics=clinic, sort="-date", limit=3, upcoming="date")`.
pub(super) fn function(
    site: &Site,
    locale: usize,
    views: &Arc<EntryViews>,
) -> impl Fn(&str, Kwargs) -> Result<Value, Error> + use<> {
    let (views, language) = (Arc::downgrade(views), site.locales[locale].clone());
    let collections = Arc::clone(&site.collections);
    move |name: &str, options: Kwargs| {
        let collections = &*collections;
        let Some(at) = collections.position(name) else {
            let names = collections.list.iter().map(|collection| collection.schema.name);
            let problem = Problem::error(Code::UnknownId, format!("there is no collection `{name}`"));
            return Err(fault(problem.maybe_hint(did_you_mean(name, names))));
        };
        record(|| format!("{LIST}{name}"));
        let mut selection = Selection::default();
        let option = |key: &str| -> Result<Option<String>, Error> {
            let value = options.get::<Option<Value>>(key)?;
            Ok(value.filter(|value| !value.is_none() && !value.is_undefined()).map(|value| value.to_string()))
        };
        selection.upcoming = option("upcoming")?;
        selection.past = option("past")?;
        selection.limit = options.get::<Option<usize>>("limit")?;
        selection.sort = option("sort")?
            .map(|sort| sort.split(',').map(|field| field.trim().to_owned()).collect())
            .unwrap_or_default();
        let schema = collections.list[at].schema;
        let sorts = selection.sort.iter().map(|field| field.trim_start_matches('-'));
        let named = sorts.chain(selection.upcoming.as_deref()).chain(selection.past.as_deref());
        for field in named {
            let first = field.split('.').next().unwrap_or(field);
            if schema.fields.field(first).is_none() {
                return Err(unknown_field(schema, first));
            }
        }
        for field in selection.upcoming.iter().chain(&selection.past) {
            record(|| format!("{LIST}{name} after {field}"));
        }
        let filters: Vec<String> = options.args().filter(|key| !OPTIONS.contains(key)).map(str::to_owned).collect();
        for field in filters {
            if schema.fields.field(&field).is_none() {
                return Err(unknown_field(schema, &field));
            }
            let wanted = wanted(&options.get::<Value>(&field)?);
            selection.filters.push((field, wanted));
        }
        options.assert_all_used()?;
        // A filter looks at every entry, not only at those that it selects.
        if !selection.filters.is_empty() || !selection.sort.is_empty() {
            for entry in &collections.list[at].entries {
                record(|| format!("{name}/{}", entry.key));
            }
        }
        let selected = selection.apply(collections, at, &(locale, &language));
        let entries = selected
            .into_iter()
            .map(|entry| EntryObject::value(&views, collections, EntryId { collection: at, entry }));
        Ok(Value::from(entries.collect::<Vec<_>>()))
    }
}

fn unknown_field(schema: &crate::content::collections::CollectionSchema, name: &str) -> Error {
    let (message, near) = schema.fields.unknown(name);
    let problem = Problem::error(Code::UnknownId, format!("{message} in `{}`", schema.name));
    fault(problem.maybe_hint(near))
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
        ValueKind::Seq | ValueKind::Iterable => {
            value.try_iter().into_iter().flatten().flat_map(|item| wanted(&item)).collect()
        }
        ValueKind::None | ValueKind::Undefined => Vec::new(),
        _ => vec![value.to_string()],
    }
}
