//! The store's data besides leads: the channels of the API, the time, and when the file was written anew.

use rusqlite::{Connection, OptionalExtension as _};

use crate::clock::Millis;

use super::super::expiry::KnownTime;
use super::super::lead::{Channel, new_key};

/// The names of channels, separated by blanks.
const CHANNELS: &str = "channels";
/// The times of [`KnownTime`].
const SURE: &str = "time";
const DOUBTFUL: &str = "time_after_jump";
/// Set while the file may hold text of leads that have expired.
const VACUUM_DUE: &str = "vacuum_due";
/// The name of the key that signs links to leads.
const LINK_KEY: &str = "link_key";
/// When the file was last written anew.
const VACUUMED: &str = "vacuumed";

/// The channels of the API that was started last. `None` before the first start.
pub(super) fn channels(db: &Connection) -> rusqlite::Result<Option<Vec<Channel>>> {
    let names = get(db, CHANNELS)?;
    Ok(names.map(|names| {
        names
            .split_whitespace()
            .filter_map(Channel::named)
            .collect()
    }))
}

pub(super) fn set_channels(db: &Connection, channels: &[Channel]) -> rusqlite::Result<()> {
    set(db, CHANNELS, Some(&Channel::names(channels)))
}

/// The key that signs links to leads, made on first use.
pub(super) fn link_key(db: &Connection) -> rusqlite::Result<String> {
    if let Some(key) = get(db, LINK_KEY)? {
        return Ok(key);
    }
    let key = new_key();
    set(db, LINK_KEY, Some(&key))?;
    Ok(key)
}

pub(super) fn known_time(db: &Connection) -> rusqlite::Result<KnownTime> {
    Ok(KnownTime {
        sure: time(db, SURE)?,
        doubtful: time(db, DOUBTFUL)?,
    })
}

pub(super) fn set_known_time(db: &Connection, known: KnownTime) -> rusqlite::Result<()> {
    set(db, SURE, known.sure.map(|at| at.to_string()).as_deref())?;
    set(
        db,
        DOUBTFUL,
        known.doubtful.map(|at| at.to_string()).as_deref(),
    )
}

/// Whether the file has to be written anew, and was not within this interval.
pub(super) fn is_vacuum_due(
    db: &Connection,
    now: Millis,
    interval: Millis,
) -> rusqlite::Result<bool> {
    let last = time(db, VACUUMED)?.unwrap_or_default();
    Ok(get(db, VACUUM_DUE)?.is_some() && !(last..last + interval).contains(&now))
}

/// Notes that text of leads that have expired may be in the file.
pub(super) fn need_vacuum(db: &Connection) -> rusqlite::Result<()> {
    set(db, VACUUM_DUE, Some("yes"))
}

/// Notes that the file was written anew.
pub(super) fn vacuumed(db: &Connection, now: Millis) -> rusqlite::Result<()> {
    set(db, VACUUM_DUE, None)?;
    set(db, VACUUMED, Some(&now.to_string()))
}

/// Remembers a value, or forgets it.
fn set(db: &Connection, name: &str, value: Option<&str>) -> rusqlite::Result<()> {
    let sql = "INSERT INTO facts (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
    match value {
        Some(value) => db.prepare_cached(sql)?.execute([name, value]).map(drop),
        None => db
            .prepare_cached("DELETE FROM facts WHERE name = ?1")?
            .execute([name])
            .map(drop),
    }
}

fn get(db: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM facts WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

fn time(db: &Connection, name: &str) -> rusqlite::Result<Option<Millis>> {
    Ok(get(db, name)?.and_then(|text| text.parse().ok()))
}
