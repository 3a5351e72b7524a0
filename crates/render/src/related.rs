//! Related entries: those that share most values of some fields with one. The template function is `related`.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt};

use languages::locale::Locale;
use manifest::RelatedOptions;
use site::model::collections::{keys, ordered};
use site::model::{Collections, EntryId};

/// The values of a collection in one language, to find related entries without comparing each with each.
pub(super) struct Related {
    /// All entries, in their order.
    order: Vec<usize>,
    /// The place of each entry in the order.
    places: HashMap<usize, usize>,
    /// The values of each entry: the field and the value.
    values: HashMap<usize, Vec<(usize, String)>>,
    /// The entries that have a value.
    entries: HashMap<(usize, String), Vec<usize>>,
}

impl Related {
    /// The values of a collection.
    pub fn new(
        collections: &Collections,
        locale: &(usize, &Locale),
        at: usize,
        options: &RelatedOptions,
    ) -> Related {
        let order = ordered(collections, at, locale, &options.sort);
        let (mut values, mut entries): (HashMap<_, Vec<_>>, HashMap<_, Vec<_>>) =
            (HashMap::new(), HashMap::new());
        for entry in &order {
            let Some(text) = collections.text(
                EntryId {
                    collection: at,
                    entry: *entry,
                },
                locale.0,
            ) else {
                continue;
            };
            for (field, name) in options.by.iter().enumerate() {
                let mut found = text.fields.get(name).map(keys).unwrap_or_default();
                found.sort_unstable();
                found.dedup();
                for value in found {
                    values
                        .entry(*entry)
                        .or_default()
                        .push((field, value.clone()));
                    entries.entry((field, value)).or_default().push(*entry);
                }
            }
        }
        let places = order
            .iter()
            .enumerate()
            .map(|(place, entry)| (*entry, place))
            .collect();
        Related {
            order,
            places,
            values,
            entries,
        }
    }

    /// The entries that share most values with one, then the first of the others.
    pub fn to(&self, entry: usize, limit: usize) -> Vec<usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for value in self.values.get(&entry).into_iter().flatten() {
            for other in &self.entries[value] {
                *shared.entry(*other).or_default() += 1;
            }
        }
        let mut found: Vec<(Reverse<usize>, usize, usize)> = shared
            .iter()
            .filter(|(other, _)| **other != entry)
            .map(|(other, count)| (Reverse(*count), self.places[other], *other))
            .collect();
        found.sort_unstable();
        let others = self
            .order
            .iter()
            .copied()
            .filter(|other| *other != entry && !shared.contains_key(other));
        found
            .into_iter()
            .map(|(.., other)| other)
            .chain(others)
            .take(limit)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries with a number each, in this order, by the values that they have.
    fn related(values: &[(usize, &[&str])]) -> Related {
        let order: Vec<usize> = values.iter().map(|(entry, _)| *entry).collect();
        let mut related = Related {
            places: order
                .iter()
                .enumerate()
                .map(|(place, entry)| (*entry, place))
                .collect(),
            order,
            values: HashMap::new(),
            entries: HashMap::new(),
        };
        for (entry, values) in values {
            for value in *values {
                let value = (0, (*value).to_owned());
                related
                    .entries
                    .entry(value.clone())
                    .or_default()
                    .push(*entry);
                related.values.entry(*entry).or_default().push(value);
            }
        }
        related
    }

    #[test]
    fn related_entries_share_most_values_and_are_in_order_where_they_share_as_many() {
        let related = related(&[
            (7, &["a", "b", "c"]),
            (3, &["x"]),
            (4, &["a"]),
            (1, &["a", "b"]),
            (9, &["c"]),
            (2, &["a", "b", "c"]),
        ]);
        assert_eq!(related.to(7, 4), [2, 1, 4, 9]);
        assert_eq!(related.to(7, 9), [2, 1, 4, 9, 3]);
        assert_eq!(related.to(3, 2), [7, 4]);
    }
}
