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

    /// Tells whether it is so of the date in a field of an entry. What has an end, the field that has this one as its
    /// `not_before`, is upcoming until it begins, and past when it has ended; any other date is one or the other. An entry
    /// without an end ends with its beginning, and one without the date is none of the three.
    pub(super) fn is_of(self, collections: &Collections, id: EntryId, field: &str) -> bool {
        let schema = &collections.list[id.collection].schema;
        let date = |field: &str| date(collections, id, field);
        let begin_of = || schema.fields.field(field)?.not_before.and_then(date);
        let Some(begin) = date(field).or_else(begin_of) else {
            return false;
        };
        let (zone, now) = (&collections.zone, collections.now);
        let end = schema.end_of(field);
        let last = end.and_then(date).unwrap_or(begin);
        let has_begun = begin.beginning(zone).is_some_and(|at| at <= now);
        let is_over = last.end(zone).is_some_and(|at| at <= now);
        match self {
            Period::Upcoming if end.is_some() => !has_begun,
            Period::Upcoming => !is_over,
            Period::Current => has_begun && !is_over,
            Period::Past => is_over,
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
