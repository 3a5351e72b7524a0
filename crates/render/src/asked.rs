//! Records what a page uses while it is rendered, so that nobody lists its dependencies: each entry and each list of its
//! template, and each post, author and tag that it shows.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use manifest::{Dependency, Fingerprint, PageInput};
use site::model::{Collections, EntryId};
use workspace::sources::{Hash, hash};

use super::values::Values;
use super::{Renderer, blog};

/// The number of entries of which a page shows a field from which it depends on the field of all. Records stay small, also if a
/// template lists everything on every page.
const MANY: usize = 64;
/// The dependencies that recorded inputs are parts of.
const RECORDED: [Dependency; 3] = [Dependency::Post, Dependency::Author, Dependency::Entries];

/// The inputs that a page has asked for.
#[derive(Default)]
struct PageRecord {
    /// All but fields of entries.
    others: BTreeSet<PageInput>,
    /// The keys of entries, by collection and by the field that it has asked for.
    fields: BTreeMap<(Arc<str>, String), BTreeSet<Arc<str>>>,
}

thread_local! {
    /// The inputs of the page that this thread renders.
    static RECORD: RefCell<PageRecord> = RefCell::default();
}

/// Calls a function, and returns what it uses.
pub(super) fn recorded<T>(render: impl FnOnce() -> T) -> (T, BTreeSet<PageInput>) {
    // A thread can begin another page while it waits for a part of this one.
    let outer = RECORD.take();
    let value = render();
    let PageRecord {
        others: mut inputs,
        fields,
    } = RECORD.replace(outer);
    for ((collection, field), keys) in fields {
        if keys.len() >= MANY {
            inputs.insert(PageInput::Column {
                collection: collection.to_string(),
                field,
            });
        } else {
            let entries = keys.iter().map(|key| format!("{collection}/{key}"));
            inputs.extend(entries.map(|entry| PageInput::Field {
                entry,
                field: field.clone(),
            }));
        }
    }
    (value, inputs)
}

/// Records that a page has asked for something.
pub(super) fn record(input: PageInput) {
    RECORD.with_borrow_mut(|record| record.others.insert(input));
}

/// Records that a page has asked for a field of an entry.
pub(super) fn record_field(collection: &Arc<str>, key: &Arc<str>, field: &str) {
    RECORD.with_borrow_mut(|record| {
        let keys = record
            .fields
            .entry((Arc::clone(collection), field.to_owned()))
            .or_default();
        // Further entries add nothing.
        if keys.len() < MANY {
            keys.insert(Arc::clone(key));
        }
    });
}

/// Records that a page shows the value at a path of fields of an entry: `clinic.city.name`.
pub(super) fn record_path(collections: &Collections, locale: usize, id: EntryId, path: &str) {
    let (name, rest) = path
        .split_once('.')
        .map_or((path, None), |(name, rest)| (name, Some(rest)));
    let collection = &collections.list[id.collection];
    record_field(
        &collection.schema.name.into(),
        &collection.entries[id.entry].key.as_str().into(),
        name,
    );
    let field = collections
        .text(id, locale)
        .and_then(|text| text.fields.get(name));
    let (Some(rest), Some(field)) = (rest, field) else {
        return;
    };
    field.references(&mut |reference| {
        if let Some(id) = collections.find(&reference.to, &reference.key) {
            record_path(collections, locale, id, rest);
        }
    });
}

impl Renderer<'_> {
    /// Adds the values of these inputs, which are in order, to a fingerprint.
    pub(super) fn add_inputs<'i>(
        &self,
        fingerprint: &mut Fingerprint,
        values: &Values,
        inputs: impl Iterator<Item = &'i PageInput>,
    ) {
        let mut parts = RECORDED.map(|dependency| (dependency, Vec::new()));
        for input in inputs {
            let dependency = input.dependency();
            for (_, bytes) in parts.iter_mut().filter(|(own, _)| *own == dependency) {
                let value = self.hash_of_input(values, input);
                bytes.push(u8::from(value.is_some()));
                bytes.extend(value.unwrap_or_default());
            }
        }
        for (dependency, bytes) in parts {
            let value = if bytes.is_empty() {
                Hash::default()
            } else {
                hash(&bytes)
            };
            fingerprint.set(dependency, value);
        }
    }

    /// The hash of an input as it is now; `None` if it does not exist any more.
    fn hash_of_input(&self, values: &Values, input: &PageInput) -> Option<Hash> {
        match input {
            PageInput::PostSummary { post } => {
                Some(self.summary(self.shared.post(self.site, *post)?))
            }
            PageInput::Post { post } => {
                Some(self.hash_of_post(values, self.shared.post(self.site, *post)?))
            }
            PageInput::AuthorSummary { author } => {
                Some(self.author_summary(author, &values.page.locale))
            }
            PageInput::Author { author } => Some(self.hash_of_author(author, &values.page.locale)),
            PageInput::Tags => Some(blog::hash_of_tags(values)),
            _ => self.entries[values.locale].hash_of(self.site, input),
        }
    }
}
