//! The periods by which lists select entries: what is upcoming, current or past at the time of the build.

use schema::types::Typed;

use super::super::fields::Field;
use super::super::page::EntryId;
use super::Collections;

/// A date beside the time of the build: a key of a list of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// It has not passed.
    Upcoming,
    /// It has begun, and has not ended.
    Current,
    /// It has passed.
    Past,
}

impl Period {
    /// All of them.
    pub const ALL: [Period; 3] = [Period::Upcoming, Period::Current, Period::Past];

    /// Returns the key of a list.
    pub fn key(self) -> &'static str {
        match self {
            Period::Upcoming => "upcoming",
            Period::Current => "current",
            Period::Past => "past",
        }
    }

    /// Tells whether it is so of the date in a field of an entry. A field with an end, which is the field that has it as its
    /// `not_before`, has passed when it begins; any other when it is over. An entry without the date is none of the three.
    pub(super) fn is_of(self, collections: &Collections, id: EntryId, field: &str) -> bool {
        let Some(begin) = date(collections, id, field) else {
            return false;
        };
        let (zone, now) = (&collections.zone, collections.now);
        let end = collections.list[id.collection].schema.end_of(field);
        let passes = if end.is_some() {
            begin.beginning(zone)
        } else {
            begin.end(zone)
        };
        match self {
            Period::Upcoming => passes.is_some_and(|at| at > now),
            Period::Past => passes.is_some_and(|at| at <= now),
            Period::Current => {
                let last = end
                    .and_then(|end| date(collections, id, end))
                    .unwrap_or(begin);
                begin.beginning(zone).is_some_and(|at| at <= now)
                    && last.end(zone).is_some_and(|at| at > now)
            }
        }
    }
}

/// Returns which of [`Period::ALL`] hold for a date field of each entry of a collection.
pub fn periods(collections: &Collections, at: usize, field: &str) -> Vec<[bool; 3]> {
    let entries = (0..collections.list[at].entries.len()).map(|entry| EntryId {
        collection: at,
        entry,
    });
    entries
        .map(|id| Period::ALL.map(|period| period.is_of(collections, id, field)))
        .collect()
}

/// Returns the value in a date field of an entry, which is the same in all languages.
fn date<'a>(collections: &'a Collections, id: EntryId, field: &str) -> Option<&'a Typed> {
    let text = collections.list[id.collection].entries[id.entry]
        .texts
        .iter()
        .flatten()
        .next()?;
    match text.fields.get(field) {
        Some(Field::Typed(typed)) => Some(typed),
        _ => None,
    }
}
