//! Leads in an SQLite file, for an API that runs on one machine.
//!
//! One thread writes and another reads; [`thread`] describes how they batch tasks. Other processes may use the file at
//! the same time, as `sitegen leads` does.

mod thread;

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::clock::{self, Millis};

use super::lead::{Channel, Contents, Delivery, DeliveryState, Hash, Lead, Status};
use super::store::{Backlog, DeliveryOutcome, InsertOutcome, NewLead, Store, StoreError, StoreFuture};
use thread::DbThread;

/// How long the result of [`Store::check`] is cached, in milliseconds, because each check writes to the disk.
const CHECK_LIFETIME: Millis = 2_000;

const LEAD: &str = "leads.id, leads.at, leads.locale, leads.status, leads.reason, leads.contents";
const DELIVERY: &str = "deliveries.id, deliveries.lead, deliveries.channel, deliveries.state, deliveries.next, \
    deliveries.attempts, deliveries.since, deliveries.trouble";

/// The store.
#[derive(Debug)]
pub struct Sqlite {
    writer: DbThread,
    reader: DbThread,
    checked: Mutex<Option<(Millis, Result<(), StoreError>)>>,
}

impl Sqlite {
    /// Opens a store in this file, which is created on first use.
    pub fn new(path: &Path) -> std::io::Result<Sqlite> {
        Ok(Sqlite {
            writer: DbThread::start(path, "leads-writer", "BEGIN IMMEDIATE")?,
            reader: DbThread::start(path, "leads-reader", "BEGIN")?,
            checked: Mutex::default(),
        })
    }
}

impl Store for Sqlite {
    fn insert(&self, new: NewLead) -> StoreFuture<'_, InsertOutcome> {
        self.writer.run(move |db| insert(db, &new))
    }

    fn fingerprint(&self, key: Hash) -> StoreFuture<'_, Option<Hash>> {
        self.reader.run(move |db| fingerprint_of(db, &key))
    }

    fn lead(&self, id: String) -> StoreFuture<'_, Option<Lead>> {
        self.reader.run(move |db| {
            db.prepare_cached(&format!("SELECT {LEAD} FROM leads WHERE id = ?1"))?.query_row([&id], lead).optional()
        })
    }

    fn leads(&self, before: Option<String>, count: u32) -> StoreFuture<'_, Vec<Lead>> {
        self.reader.run(move |db| {
            let sql = format!("SELECT {LEAD} FROM leads WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2");
            db.prepare_cached(&sql)?.query_map(params![before, count], lead)?.collect()
        })
    }

    fn deliveries(&self, lead: String) -> StoreFuture<'_, Vec<Delivery>> {
        self.reader.run(move |db| {
            let sql = format!("SELECT {DELIVERY} FROM deliveries WHERE lead = ?1 ORDER BY id");
            db.prepare_cached(&sql)?.query_map([&lead], delivery)?.collect()
        })
    }

    fn release(&self, id: String, channels: Vec<Channel>, now: Millis) -> StoreFuture<'_, bool> {
        self.writer.run(move |db| {
            let sql = "UPDATE leads SET status = 'released' WHERE id = ?1 AND status IN ('quarantined', 'spam')";
            let is_held = db.prepare_cached(sql)?.execute([&id])? == 1;
            if is_held {
                queue(db, &id, &channels, now)?;
            }
            Ok(is_held)
        })
    }

    fn delete_by_email(&self, email: String) -> StoreFuture<'_, u32> {
        let deleted = self.writer.run(move |db| {
            db.prepare_cached("DELETE FROM leads WHERE email = ?1")?.execute([email.trim().to_lowercase()]).map(number)
        });
        Box::pin(async move {
            let deleted = deleted.await?;
            // `secure_delete` overwrites deleted rows in the database, and the write-ahead log would contain them until
            // SQLite's next automatic checkpoint.
            self.writer.empty_log().await?;
            Ok(deleted)
        })
    }

    fn delete_before(&self, leads: Option<Millis>, tokens: Millis) -> StoreFuture<'_, u32> {
        self.writer.run(move |db| {
            db.prepare_cached("DELETE FROM tokens WHERE at < ?1")?.execute([tokens])?;
            let Some(leads) = leads else { return Ok(0) };
            db.prepare_cached("DELETE FROM leads WHERE at < ?1")?.execute([leads]).map(number)
        })
    }

    fn claim(&self, now: Millis, until: Millis, count: u32) -> StoreFuture<'_, Vec<(Delivery, Lead)>> {
        self.writer.run(move |db| {
            let sql = format!(
                "SELECT {DELIVERY}, {LEAD} FROM deliveries JOIN leads ON leads.id = deliveries.lead
                 WHERE state = 'due' AND next <= ?1 ORDER BY next LIMIT ?2"
            );
            let both = |row: &Row| Ok((delivery(row)?, lead_at(row, 8)?));
            let due: Vec<(Delivery, Lead)> =
                db.prepare_cached(&sql)?.query_map(params![now, count], both)?.collect::<rusqlite::Result<_>>()?;
            let mut take =
                db.prepare_cached("UPDATE deliveries SET next = ?2, attempts = attempts + 1 WHERE id = ?1")?;
            for (delivery, _) in &due {
                take.execute(params![delivery.id, until])?;
            }
            Ok(due)
        })
    }

    fn complete(&self, id: String, outcome: DeliveryOutcome) -> StoreFuture<'_, ()> {
        self.writer.run(move |db| {
            let (state, next, trouble) = match &outcome {
                DeliveryOutcome::Done => ("done", None, None),
                DeliveryOutcome::Retry { at, trouble } => ("due", Some(at), Some(trouble)),
                DeliveryOutcome::Dead { trouble } => ("dead", None, Some(trouble)),
            };
            let sql = "UPDATE deliveries SET state = ?2, next = coalesce(?3, next), trouble = ?4 WHERE id = ?1";
            db.prepare_cached(sql)?.execute(params![id, state, next, trouble]).map(drop)
        })
    }

    fn retry(&self, lead: Option<String>, now: Millis) -> StoreFuture<'_, u32> {
        self.writer.run(move |db| {
            let sql = "UPDATE deliveries SET state = 'due', next = ?2, since = ?2
                       WHERE state = 'dead' AND (?1 IS NULL OR lead = ?1)";
            db.prepare_cached(sql)?.execute(params![lead, now]).map(number)
        })
    }

    fn backlog(&self) -> StoreFuture<'_, Backlog> {
        self.reader.run(|db| {
            let sql = "SELECT count(*) FILTER (WHERE state = 'due'), count(*) FILTER (WHERE state = 'dead')
                       FROM deliveries WHERE state <> 'done'";
            let read = |row: &Row| Ok(Backlog { due: row.get(0)?, dead: row.get(1)? });
            db.prepare_cached(sql)?.query_row([], read)
        })
    }

    fn check(&self) -> StoreFuture<'_, ()> {
        let now = clock::now();
        let last = self.checked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, found)) = last
            && (at..at + CHECK_LIFETIME).contains(&now)
        {
            return Box::pin(std::future::ready(found));
        }
        let written = self.writer.run(move |db| {
            let sql = "INSERT INTO health (id, at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = ?1";
            db.prepare_cached(sql)?.execute([now]).map(drop)
        });
        Box::pin(async move {
            let found = written.await;
            *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, found.clone()));
            found
        })
    }

    fn count(&self, _: Hash, _: i64, _: i32) -> StoreFuture<'_, Option<u32>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

fn insert(db: &Connection, new: &NewLead) -> rusqlite::Result<InsertOutcome> {
    if let Some(key) = &new.key
        && let Some(fingerprint) = fingerprint_of(db, key)?
    {
        return Ok(if fingerprint == new.fingerprint { InsertOutcome::Duplicate } else { InsertOutcome::OtherLead });
    }
    let Lead { id, at, locale, status, reason, contents } = &new.lead;
    if let Some(token) = &new.token {
        let mark = "INSERT INTO tokens (token, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        if db.prepare_cached(mark)?.execute(params![token, at])? == 0 {
            return Ok(InsertOutcome::TokenUsed);
        }
    }
    // Texts always serialize.
    let text = serde_json::to_string(contents).unwrap_or_default();
    let email = contents.email.to_lowercase();
    let sql = "INSERT INTO leads (id, at, locale, status, reason, email, contents, key, fingerprint)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let row = params![id, at, locale, status.name(), reason, email, text, new.key, new.fingerprint];
    db.prepare_cached(sql)?.execute(row)?;
    queue(db, id, &new.channels, *at)?;
    Ok(InsertOutcome::New)
}

fn fingerprint_of(db: &Connection, key: &Hash) -> rusqlite::Result<Option<Hash>> {
    db.prepare_cached("SELECT fingerprint FROM leads WHERE key = ?1")?.query_row([key], |row| row.get(0)).optional()
}

/// Queues a delivery per channel.
fn queue(db: &Connection, lead: &str, channels: &[Channel], now: Millis) -> rusqlite::Result<()> {
    let sql = "INSERT INTO deliveries (id, lead, channel, state, next, since) VALUES (?1, ?2, ?3, 'due', ?4, ?4)
               ON CONFLICT DO NOTHING";
    let mut insert = db.prepare_cached(sql)?;
    for channel in channels {
        insert.execute(params![Delivery::id(lead, *channel), lead, channel.name(), now])?;
    }
    Ok(())
}

fn lead(row: &Row) -> rusqlite::Result<Lead> {
    lead_at(row, 0)
}

fn lead_at(row: &Row, first: usize) -> rusqlite::Result<Lead> {
    let text: String = row.get(first + 5)?;
    Ok(Lead {
        id: row.get(first)?,
        at: row.get(first + 1)?,
        locale: row.get(first + 2)?,
        status: Status::named(&row.get::<_, String>(first + 3)?).ok_or_else(|| unknown(row, first + 3))?,
        reason: row.get(first + 4)?,
        contents: serde_json::from_str::<Contents>(&text).map_err(|_| unknown(row, first + 5))?,
    })
}

fn delivery(row: &Row) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        id: row.get(0)?,
        lead: row.get(1)?,
        channel: Channel::named(&row.get::<_, String>(2)?).ok_or_else(|| unknown(row, 2))?,
        state: match row.get::<_, String>(3)?.as_str() {
            "done" => DeliveryState::Done,
            "dead" => DeliveryState::Dead,
            _ => DeliveryState::Due(row.get(4)?),
        },
        attempts: row.get(5)?,
        since: row.get(6)?,
        trouble: row.get(7)?,
    })
}

fn unknown(row: &Row, column: usize) -> rusqlite::Error {
    let name = row.as_ref().column_name(column).map(str::to_owned).unwrap_or_default();
    rusqlite::Error::InvalidColumnType(column, name, Type::Text)
}

fn number(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}
