//! The order of entries: by the fields that a schema or a list names, in the order of the language.

use std::cmp::Ordering;

use content::Content;
use languages::locale::Locale;
use schema::types::{Moment, Typed};
use workspace::parallel;

use super::super::fields::Field;
use super::super::page::EntryId;
use super::Collections;

/// Sorts the entries of each collection, by the fields that its schema names, then by key.
pub(super) fn sort(content: &Content, collections: &mut Collections) {
    let locales: Vec<(usize, &Locale)> = content.locales.iter().enumerate().collect();
    let all: Vec<(usize, &(usize, &Locale))> = (0..collections.list.len())
        .flat_map(|at| locales.iter().map(move |locale| (at, locale)))
        .collect();
    let orders = parallel::map(&all, |(at, locale)| {
        let sort: Vec<&str> = collections.list[*at]
            .schema
            .sort
            .iter()
            .map(String::as_str)
            .collect();
        sorted(collections, *at, locale, &sort)
    });
    for ((at, _), order) in all.into_iter().zip(orders) {
        collections.list[at].order.push(order);
    }
}

/// The entries of a collection that a language has, sorted by fields; one that begins with `-` in descending order.
pub fn sorted(
    collections: &Collections,
    at: usize,
    locale: &(usize, &Locale),
    by: &[&str],
) -> Vec<usize> {
    let entries = &collections.list[at].entries;
    let mut order: Vec<usize> = (0..entries.len())
        .filter(|index| entries[*index].texts[locale.0].is_some())
        .collect();
    if by.is_empty() {
        // The rows of a table have an order, files have none.
        order.sort_by_key(|entry| entries[*entry].row);
        return order;
    }
    // The values are computed once for each entry, not for each comparison.
    let mut keyed: Vec<(Vec<SortKey>, usize)> = order
        .into_iter()
        .map(|entry| {
            let id = EntryId {
                collection: at,
                entry,
            };
            (
                by.iter()
                    .map(|path| sort_key(collections, id, locale, path.trim_start_matches('-')))
                    .collect(),
                entry,
            )
        })
        .collect();
    keyed.sort_by(|(a_keys, a), (b_keys, b)| {
        let both = a_keys.iter().zip(b_keys).zip(by);
        let by_fields = both.map(|((a, b), path)| match (a, b) {
            // Entries without a value come last in both directions.
            (SortKey::None, SortKey::None) => Ordering::Equal,
            (SortKey::None, _) => Ordering::Greater,
            (_, SortKey::None) => Ordering::Less,
            (a, b) if path.starts_with('-') => b.compare(a),
            (a, b) => a.compare(b),
        });
        by_fields
            .fold(Ordering::Equal, Ordering::then)
            .then(a.cmp(b))
    });
    keyed.into_iter().map(|(_, entry)| entry).collect()
}

/// A value by which entries are sorted.
enum SortKey {
    None,
    Number(i64),
    At(Moment),
    Typed(Typed),
    /// In the order of the language.
    Text(Vec<u8>),
}

impl SortKey {
    fn compare(&self, other: &SortKey) -> Ordering {
        match (self, other) {
            (SortKey::Number(a), SortKey::Number(b)) => a.cmp(b),
            (SortKey::At(a), SortKey::At(b)) => a.cmp(b),
            (SortKey::Typed(Typed::Amount(a)), SortKey::Typed(Typed::Amount(b))) => a
                .currency
                .cmp(&b.currency)
                .then_with(|| a.value.cmp(&b.value)),
            (SortKey::Typed(a), SortKey::Typed(b)) => a
                .compare(b)
                .unwrap_or_else(|| a.machine().cmp(&b.machine())),
            (SortKey::Text(a), SortKey::Text(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    /// The place of a kind of value among the others, for a field that takes several.
    fn rank(&self) -> u8 {
        match self {
            SortKey::Number(_) => 0,
            SortKey::At(_) => 1,
            SortKey::Typed(_) => 2,
            SortKey::Text(_) => 3,
            SortKey::None => 4,
        }
    }
}

fn sort_key(
    collections: &Collections,
    id: EntryId,
    locale: &(usize, &Locale),
    path: &str,
) -> SortKey {
    let field = collections
        .text(id, locale.0)
        .and_then(|text| text.fields.get(path));
    match field {
        Some(Field::Number(number)) => SortKey::Number(*number),
        Some(Field::Bool(value)) => SortKey::Number(i64::from(*value)),
        Some(Field::Typed(typed)) if !matches!(**typed, Typed::Reference(_)) => match &**typed {
            Typed::Choice(choice) => SortKey::Number(choice.place.into()),
            Typed::Moment(when) => SortKey::At(when.beginning(&collections.zone)),
            typed => SortKey::Typed(typed.clone()),
        },
        _ => match collections.value(id, locale, path) {
            Some(text) => SortKey::Text(locale.1.sort_key(&text)),
            None => SortKey::None,
        },
    }
}
