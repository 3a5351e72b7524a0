//! Entries of collections in templates. A reference *is* the entry that it names: its fields are looked up when a
//! template asks for them, so that entries can refer to each other in circles.
//!
//! Each field that a template uses is recorded (`asked.rs`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use minijinja::Value;
use minijinja::value::{Enumerator, Object};

use content::collections::NAMES;
use languages::locale::Locale;
use schema::types::Reference;
use site::model::collections::{keys, periods};
use site::model::{Collections, EntryId, Site};
use workspace::parallel;
use workspace::sources::{Hash, hash_value};

use manifest::{PageInput, RelatedOptions};

use super::asked::{record, record_field};
use super::related::Related;

/// Makes the values of an entry by name, given a handle to all entries.
type EntryValues<'a> = dyn Fn(EntryId, &Weak<EntryViews>) -> BTreeMap<String, Value> + Sync + 'a;

/// All entries in one language, as templates see them.
pub(super) struct EntryViews {
    /// By collection.
    lists: Vec<ListView>,
    /// The relations between entries, by collection, fields and order.
    related: Mutex<BTreeMap<(usize, String, String), Arc<Related>>>,
    /// The hash of a field of all entries, by collection and field, for the pages that show many of them.
    columns: Mutex<BTreeMap<(usize, String), Hash>>,
    locale: usize,
}

struct ListView {
    name: Arc<str>,
    /// By the index of the entry; `None` if the language leaves it out.
    entries: Vec<Option<EntryView>>,
    /// The hash of the keys, in order.
    hash: Hash,
    /// The values by which there are pages, and their hash, which is made at its first use.
    filters: (Value, OnceLock<Hash>),
}

struct EntryView {
    /// The values of the fields, each with its hash, which is made at its first use.
    values: BTreeMap<String, (Value, OnceLock<Hash>)>,
}

impl EntryView {
    fn hash(&self, field: &str) -> Option<Hash> {
        self.values
            .get(field)
            .map(|(value, hash)| *hash.get_or_init(|| hash_value(value)))
    }
}

impl std::fmt::Debug for EntryViews {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "the entries in language {}", self.locale)
    }
}

impl EntryViews {
    /// The entries of a language. `values` makes the values of an entry by name, given a handle to the result, and `filters` those
    /// by which a collection has pages.
    pub fn new(
        site: &Site,
        locale: usize,
        values: &EntryValues,
        filters: &dyn Fn(usize, &Weak<EntryViews>) -> Value,
    ) -> Arc<EntryViews> {
        Arc::new_cyclic(|views| {
            let lists = site
                .collections
                .list
                .iter()
                .enumerate()
                .map(|(at, collection)| {
                    let indices: Vec<usize> = (0..collection.entries.len()).collect();
                    let entries = parallel::map(&indices, |entry| {
                        let id = EntryId {
                            collection: at,
                            entry: *entry,
                        };
                        site.collections.text(id, locale)?;
                        let values = values(id, views).into_iter();
                        Some(EntryView {
                            values: values
                                .map(|(name, value)| (name, (value, OnceLock::new())))
                                .collect(),
                        })
                    });
                    let keys: Vec<&str> = collection.order[locale]
                        .iter()
                        .map(|index| collection.entries[*index].key.as_str())
                        .collect();
                    let filters = (filters(at, views), OnceLock::new());
                    ListView {
                        name: collection.schema.name.into(),
                        hash: hash_value(&keys),
                        filters,
                        entries,
                    }
                });
            EntryViews {
                lists: lists.collect(),
                related: Mutex::default(),
                columns: Mutex::default(),
                locale,
            }
        })
    }

    /// The values by which a collection has pages. Records that a template has asked for them.
    pub fn filters(&self, collection: usize) -> Value {
        let Some(list) = self.lists.get(collection) else {
            return Value::from(());
        };
        record(PageInput::Filters {
            collection: list.name.to_string(),
        });
        list.filters.0.clone()
    }

    /// The values of an entry by which there are pages, by field. Records that a template has asked for them.
    pub fn filters_of(&self, collections: &Collections, id: EntryId) -> BTreeMap<String, Value> {
        let Some(list) = self.lists.get(id.collection) else {
            return BTreeMap::new();
        };
        let collection = &collections.list[id.collection];
        record(PageInput::FiltersOf {
            entry: format!("{}/{}", list.name, collection.entries[id.entry].key),
        });
        let text = collections.text(id, self.locale);
        let all = list.filters.0.try_iter().into_iter().flatten();
        let filters = collection
            .schema
            .filters
            .iter()
            .zip(&collection.filters)
            .zip(all);
        filters
            .map(|((schema, languages), options)| {
                let options = options.get_attr("values").ok();
                let options = options
                    .iter()
                    .filter_map(|options| options.try_iter().ok())
                    .flatten();
                // In the order of the entry.
                let keys = text
                    .and_then(|text| text.fields.get(&schema.field))
                    .map(keys)
                    .unwrap_or_default();
                let mut own: Vec<(usize, Value)> = languages[self.locale]
                    .iter()
                    .zip(options)
                    .filter(|(value, _)| value.entries.contains(&id.entry))
                    .map(|(value, option)| {
                        (
                            keys.iter()
                                .position(|key| *key == value.key)
                                .unwrap_or(usize::MAX),
                            option,
                        )
                    })
                    .collect();
                own.sort_by_key(|(place, _)| *place);
                (
                    schema.field.clone(),
                    own.into_iter().map(|(_, option)| option).collect(),
                )
            })
            .collect()
    }

    fn view(&self, id: EntryId) -> Option<&EntryView> {
        self.lists
            .get(id.collection)?
            .entries
            .get(id.entry)?
            .as_ref()
    }

    /// The hash of an input as it is now; `None` if it does not exist any more, or is no entry's.
    pub fn hash_of(&self, site: &Site, input: &PageInput) -> Option<Hash> {
        let collections = &site.collections;
        match input {
            PageInput::Field { entry, field } => {
                self.view(collections.find_named(entry)?)?.hash(field)
            }
            PageInput::Column { collection, field } => {
                Some(self.column(collections.position(collection)?, field))
            }
            PageInput::List { collection } => {
                Some(self.lists[collections.position(collection)?].hash)
            }
            PageInput::Periods { collection, field } => Some(hash_value(&periods(
                collections,
                collections.position(collection)?,
                field,
            ))),
            PageInput::Related { entry, options } => {
                let language = &site.locales[self.locale];
                Some(hash_value(&self.related_to(
                    collections,
                    language,
                    collections.find_named(entry)?,
                    options,
                )))
            }
            PageInput::Filters { collection } => {
                let (value, hash) = &self.lists[collections.position(collection)?].filters;
                Some(*hash.get_or_init(|| hash_value(value)))
            }
            PageInput::FiltersOf { entry } => Some(hash_value(
                &self.filters_of(collections, collections.find_named(entry)?),
            )),
            PageInput::PostSummary { .. }
            | PageInput::Post { .. }
            | PageInput::AuthorSummary { .. }
            | PageInput::Author { .. }
            | PageInput::Tags => None,
        }
    }
}

impl EntryViews {
    /// The hash of a field of all entries of a collection.
    fn column(&self, collection: usize, field: &str) -> Hash {
        // Poisoned only if another thread panicked; the table is intact.
        let known = || self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (collection, field.to_owned());
        if let Some(hash) = known().get(&key) {
            return *hash;
        }
        let hash = hash_value(
            &self.lists[collection]
                .entries
                .iter()
                .map(|view| view.as_ref()?.hash(field))
                .collect::<Vec<_>>(),
        );
        known().insert(key, hash);
        hash
    }

    /// The entries that share most values with one, by the options of the template function `related`.
    pub fn related_to(
        &self,
        collections: &Collections,
        locale: &Locale,
        id: EntryId,
        options: &RelatedOptions,
    ) -> Vec<usize> {
        let key = (id.collection, options.by.join(","), options.sort.join(","));
        // Poisoned only if another thread panicked; the table is intact.
        let mut known = self.related.lock().unwrap_or_else(PoisonError::into_inner);
        let related = known.entry(key).or_insert_with(|| {
            Arc::new(Related::new(
                collections,
                &(self.locale, locale),
                id.collection,
                options,
            ))
        });
        let related = Arc::clone(related);
        drop(known);
        related.to(id.entry, options.limit)
    }
}

/// An entry in a template.
pub(super) struct EntryObject {
    views: Weak<EntryViews>,
    pub id: EntryId,
    collection: Arc<str>,
    pub key: Arc<str>,
}

impl std::fmt::Debug for EntryObject {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.full_name())
    }
}

impl EntryObject {
    /// Its name for links: `team/ana-ruiz`.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.collection, self.key)
    }

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
                record_field(&self.collection, &self.key, name);
                let views = self.views.upgrade()?;
                views
                    .view(self.id)?
                    .values
                    .get(name)
                    .map(|(value, _)| value.clone())
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
        let name = NAMES
            .into_iter()
            .find_map(|name| self.get_value(&Value::from(name)));
        match name.filter(|name| !name.is_none() && !name.is_undefined()) {
            Some(name) => write!(f, "{name}"),
            None => f.write_str(&self.key),
        }
    }
}

/// Whether a value is an entry, which is printed as its name.
pub(super) fn is_entry(value: &Value) -> bool {
    value.downcast_object_ref::<EntryObject>().is_some()
}

/// Values by name beside an entry: a name that they lack is looked up in the entry.
#[derive(Debug)]
struct Beside {
    values: Value,
    entry: Value,
}

impl Object for Beside {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let found = |values: &Value| {
            values
                .get_item(key)
                .ok()
                .filter(|value| !value.is_undefined())
        };
        found(&self.values).or_else(|| found(&self.entry))
    }

    /// The entry can refer to others in circles.
    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.values.try_iter().into_iter().flatten().collect())
    }
}

/// The values of a post with the fields that its entry has beside them.
pub(super) fn with_entry(values: Value, entry: Value) -> Value {
    Value::from_object(Beside { values, entry })
}

/// The entry that a reference names, as a template value; `none` if it is not public now.
pub(super) fn referenced(
    views: &Weak<EntryViews>,
    site: &Site,
    locale: usize,
    reference: &Reference,
) -> Value {
    let id = site.collections.find(&reference.to, &reference.key);
    let id = id.filter(|id| site.collections.text(*id, locale).is_some());
    id.map_or_else(
        || Value::from(()),
        |id| EntryObject::value(views, &site.collections, id),
    )
}
