//! Entries of collections in templates. A reference *is* the entry that it names: its fields are looked up when a
//! template asks for them, so that entries can refer to each other in circles.
//!
//! While a page is rendered, each entry and each list that its template asks for is recorded ([`recorded`]). So a page
//! depends on what it has shown, and nobody lists its dependencies.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use minijinja::Value;
use minijinja::value::{Enumerator, Object};

use crate::build_cache::{Hash, hash_value};
use crate::content::collections::NAMES;
use crate::content_types::Reference;
use crate::model::collections::has_passed;
use crate::model::{Collections, EntryId, Site};
use crate::parallel;

/// The name of a list in a record, before that of its collection.
pub(super) const LIST: &str = "all of ";
/// The name of the values of all entries in a record, before that of their collection.
const VALUES: &str = "values of ";
/// The number of entries of a collection from which a page depends on all of them. Records stay small, also if a template
/// lists everything on every page.
const MANY: usize = 64;

/// What the template of a page has asked for.
#[derive(Default)]
struct Asked {
    /// Lists, and collections of which it has asked for many entries.
    names: BTreeSet<String>,
    /// The keys of entries, by collection.
    entries: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
}

thread_local! {
    /// What the template of the page that this thread renders has asked for.
    static ASKED: RefCell<Asked> = RefCell::default();
}

/// Calls a function, and returns the names of the entries and lists that it asks for.
pub(super) fn recorded<T>(render: impl FnOnce() -> T) -> (T, BTreeSet<String>) {
    // A thread can begin another page while it waits for a part of this one.
    let outer = ASKED.take();
    let value = render();
    let Asked { mut names, entries } = ASKED.replace(outer);
    for (collection, keys) in
        entries.iter().filter(|(collection, _)| !names_values(&names, collection)).collect::<Vec<_>>()
    {
        names.extend(keys.iter().map(|key| format!("{collection}/{key}")));
    }
    (value, names)
}

fn names_values(names: &BTreeSet<String>, collection: &str) -> bool {
    names.contains(&format!("{VALUES}{collection}"))
}

/// Records that a template has asked for a list.
pub(super) fn record_list(name: String) {
    ASKED.with_borrow_mut(|asked| asked.names.insert(name));
}

/// Records that a template has looked at the values of all entries of a collection.
pub(super) fn record_values(collection: &str) {
    record_list(format!("{VALUES}{collection}"));
}

/// Records that a template has asked for a value of an entry.
fn record_entry(collection: &Arc<str>, key: &Arc<str>) {
    let are_many = ASKED.with_borrow_mut(|asked| {
        let keys = asked.entries.entry(Arc::clone(collection)).or_default();
        // Further entries add nothing.
        keys.len() < MANY && keys.insert(Arc::clone(key)) && keys.len() == MANY
    });
    if are_many {
        record_values(collection);
    }
}

/// Makes the values of an entry by name, given a handle to all entries.
type EntryValues<'a> = dyn Fn(EntryId, &Weak<EntryViews>) -> BTreeMap<String, Value> + Sync + 'a;

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
    /// The hash of the values of all entries.
    values: Hash,
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
    /// The entries of a language. `values` makes the values of an entry by name, given a handle to the result.
    pub fn new(site: &Site, locale: usize, values: &EntryValues) -> Arc<EntryViews> {
        Arc::new_cyclic(|views| {
            let lists = site.collections.list.iter().enumerate().map(|(at, collection)| {
                let indices: Vec<usize> = (0..collection.entries.len()).collect();
                let entries = parallel::map(&indices, |entry| {
                    let id = EntryId { collection: at, entry: *entry };
                    site.collections.text(id, locale)?;
                    let values = values(id, views);
                    Some(EntryView { hash: hash_value(&values), values })
                });
                let keys: Vec<&str> =
                    collection.order[locale].iter().map(|index| collection.entries[*index].key.as_str()).collect();
                let hashes: Vec<Option<Hash>> = entries.iter().map(|entry| Some(entry.as_ref()?.hash)).collect();
                let (hash, values) = (hash_value(&keys), hash_value(&hashes));
                ListView { name: collection.schema.name.into(), hash, values, entries }
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
            None if name.starts_with(VALUES) => {
                self.lists.iter().find(|list| name[VALUES.len()..] == *list.name).map(|list| list.values)
            }
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

/// An entry in a template.
pub(super) struct EntryObject {
    views: Weak<EntryViews>,
    id: EntryId,
    collection: Arc<str>,
    pub key: Arc<str>,
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
                record_entry(&self.collection, &self.key);
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
        let name = NAMES.into_iter().find_map(|name| self.get_value(&Value::from(name)));
        match name.filter(|name| !name.is_none() && !name.is_undefined()) {
            Some(name) => write!(f, "{name}"),
            None => f.write_str(&self.key),
        }
    }
}

/// The entry that a reference names, as a template value; `none` if it is not public now.
pub(super) fn referenced(views: &Weak<EntryViews>, site: &Site, locale: usize, reference: &Reference) -> Value {
    let id = site.collections.find(&reference.to, &reference.key);
    let id = id.filter(|id| site.collections.text(*id, locale).is_some());
    id.map_or_else(|| Value::from(()), |id| EntryObject::value(views, &site.collections, id))
}
