//! The groups of a list of entries, by the values of a field.

use content::collections::NAMES;
use languages::locale::{FLAG_WORDS, Locale};
use schema::Takes;
use schema::types::Typed;

use super::super::page::EntryId;
use super::Collections;

/// Entries with the same value.
pub struct EntryGroup {
    /// The value as it is shown; `None` for entries without one.
    pub name: Option<String>,
    /// The indices of the entries, in the order of the list.
    pub entries: Vec<usize>,
}

/// The groups of a list: of a choice in the order of the schema, of a reference by name, of other fields in the order of their
/// first entries. Without a field, all are one group.
pub fn grouped(
    collections: &Collections,
    at: usize,
    entries: &[usize],
    by: Option<&str>,
    locale: &(usize, &Locale),
) -> Vec<EntryGroup> {
    let mut groups: Vec<EntryGroup> = Vec::new();
    let field = by.and_then(|field| collections.list[at].schema.fields.field(field));
    let is_flag = field.is_some_and(|field| field.takes == Takes::Flag);
    for entry in entries {
        let id = EntryId {
            collection: at,
            entry: *entry,
        };
        // An entry with several values is in the group of each.
        let names = by.map(|field| collections.each(id, locale, &path(collections, at, field)));
        let shown = |name: String| {
            let word = FLAG_WORDS.iter().find(|(key, _)| is_flag && *key == name);
            let word = word.and_then(|(_, word)| locale.1.word(word, locale.1));
            word.map_or(name, str::to_owned)
        };
        let names: Vec<Option<String>> = match names {
            Some(names) if !names.is_empty() => {
                names.into_iter().map(|name| Some(shown(name))).collect()
            }
            _ => vec![None],
        };
        for name in names {
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.entries.push(*entry),
                None => groups.push(EntryGroup {
                    name,
                    entries: vec![*entry],
                }),
            }
        }
    }
    match field.map(|field| &field.takes) {
        Some(Takes::Reference(_) | Takes::Reverse(..)) => groups.sort_by_cached_key(|group| {
            locale.1.sort_key(group.name.as_deref().unwrap_or_default())
        }),
        Some(takes @ Takes::Choice { names, .. }) => {
            let shown: Vec<String> = names
                .iter()
                .map(|key| match schema::typed(&takes.choice(key)) {
                    Some(Typed::Choice(choice)) => {
                        choice.name(&locale.1.code, &locale.1.stand_ins).to_owned()
                    }
                    _ => (*key).to_owned(),
                })
                .collect();
            groups.sort_by_key(|group| {
                shown
                    .iter()
                    .position(|shown| Some(shown) == group.name.as_ref())
            });
        }
        _ => {}
    }
    // Entries without a value come first: below the heading of another group they would seem to belong to it.
    groups.sort_by_key(|group| group.name.is_some());
    groups
}

/// The path of the text that names a group: a reference has the name of its entry.
fn path(collections: &Collections, at: usize, field: &str) -> String {
    let schema = collections.list[at].schema;
    match schema.fields.field(field).map(|field| &field.takes) {
        Some(Takes::Reference(to) | Takes::Reverse(to, _)) => {
            let other = collections
                .position(to)
                .map(|other| collections.list[other].schema);
            let name = NAMES
                .into_iter()
                .find(|name| other.is_some_and(|other| other.fields.field(name).is_some()));
            format!("{field}.{}", name.unwrap_or("key"))
        }
        _ => field.to_owned(),
    }
}
