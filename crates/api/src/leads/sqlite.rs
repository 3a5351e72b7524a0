//! Leads in an SQLite file, for an API that runs on one machine.
//!
//! One thread writes and another reads; [`thread`] describes how they batch tasks, and [`db_files`] how the store stays
//! right while other processes use the file, as `sitegen leads` does.

mod db_files;
mod facts;
mod listing;
mod open;
mod rows;
mod thread;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::clock::{self, DAY, Millis};

use super::email;
use super::erase::Erase;
use super::expiry::{Erasure, Expired, Expiry};
use super::lead::{Channel, Delivery, Hash, Lead};
use super::lead_files::{NewFile, StoredFile};
use super::listing::{Facets, Filter, Listing};
use super::queue::Queue;
use super::store::{
    Backlog, DeliveryOutcome, Forwarding, InsertOutcome, MAILS_PER_DAY, NewLead, Store, StoreError,
    StoreFuture,
};
use db_files::DbFiles;
use open::BUSY;
use rows::{DELIVERY, LEAD, delivery, lead, lead_at};
use thread::{DbThread, ThreadRole, empty_log};

/// How long the result of [`Store::check`] is cached, in milliseconds, because each check writes to the disk.
const CHECK_LIFETIME: Millis = 2_000;
/// How long after an expiry the file is written anew, which takes the longer the more leads it has, in milliseconds.
const VACUUM_INTERVAL: Millis = DAY;
/// How long leads wait for the text of expired ones to be removed: it is tried again later.
const EXPIRY_PATIENCE: Duration = Duration::from_millis(250);
/// The most bytes of the files of all leads: visitors who are no visitors must not fill the disk.
const FILES_TOTAL_MAX: i64 = 4_000_000_000;
/// How far in the future a delivery may be due. One beyond that was queued while the clock was wrong, so it is due now.
const DUE_MAX: Millis = DAY;

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
        let files = Arc::new(DbFiles::new(path));
        Ok(Sqlite {
            writer: DbThread::start(Arc::clone(&files), ThreadRole::Writer)?,
            reader: DbThread::start(files, ThreadRole::Reader)?,
            checked: Mutex::default(),
        })
    }

    /// Removes the text of deleted leads from the files. Returns why it is still there, if it is.
    /// While another program reads the database, this waits for at most `patience`, in which the store takes no lead.
    async fn remove_text(&self, with_vacuum: bool, patience: Duration) -> Option<String> {
        let erased = self.writer.run_outside(move |db| {
            if with_vacuum {
                // `secure_delete` overwrites rows that are deleted, but not copies that SQLite left behind when it moved
                // them within their page.
                db.execute_batch("VACUUM")?;
                facts::vacuumed(db, clock::now())?;
            }
            empty_log(db, patience)
        });
        match erased.await {
            Ok(true) => None,
            Ok(false) => Some("another program is reading the database".into()),
            Err(why) => Some(why.to_string()),
        }
    }

    /// Notes if an operation for a lead fails: then health does so as well, whatever the last check found.
    fn noted<T: 'static>(&self, operation: StoreFuture<'static, T>) -> StoreFuture<'_, T> {
        Box::pin(async move {
            let done = operation.await;
            if let Err(why) = &done {
                self.note_check(&Err(why.clone()));
            }
            done
        })
    }

    fn note_check(&self, found: &Result<(), StoreError>) {
        *self.checked.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((clock::now(), found.clone()));
    }
}

impl Store for Sqlite {
    fn insert(&self, new: NewLead) -> StoreFuture<'_, InsertOutcome> {
        self.noted(self.writer.run(move |db| insert(db, &new)))
    }

    fn fingerprint(&self, key: Hash) -> StoreFuture<'_, Option<Hash>> {
        self.noted(self.reader.run(move |db| fingerprint_of(db, &key)))
    }

    fn lead(&self, id: String) -> StoreFuture<'_, Option<Lead>> {
        self.reader.run(move |db| {
            db.prepare_cached(&format!("SELECT {LEAD} FROM leads WHERE id = ?1"))?
                .query_row([&id], lead)
                .optional()
        })
    }

    fn listed(
        &self,
        filter: Filter,
        before: Option<String>,
        count: u32,
    ) -> StoreFuture<'_, Listing> {
        self.reader
            .run(move |db| listing::listed(db, &filter, before.as_ref(), count))
    }

    fn facets(&self) -> StoreFuture<'_, Facets> {
        self.reader.run(listing::facets)
    }

    fn is_read(&self, id: String) -> StoreFuture<'_, bool> {
        self.reader.run(move |db| listing::is_read(db, &id))
    }

    fn mark(&self, ids: Vec<String>, is_read: bool) -> StoreFuture<'_, u32> {
        self.writer.run(move |db| listing::mark(db, &ids, is_read))
    }

    fn files(&self, lead: String) -> StoreFuture<'_, Vec<StoredFile>> {
        self.reader.run(move |db| {
            let sql = "SELECT field, name, type, bytes FROM files WHERE lead = ?1 ORDER BY place";
            let file = |row: &Row| {
                Ok(StoredFile {
                    field: row.get(0)?,
                    name: row.get(1)?,
                    kind: row.get(2)?,
                    bytes: row.get(3)?,
                })
            };
            db.prepare_cached(sql)?.query_map([&lead], file)?.collect()
        })
    }

    fn deliveries(&self, lead: String) -> StoreFuture<'_, Vec<Delivery>> {
        self.reader.run(move |db| {
            let sql = format!("SELECT {DELIVERY} FROM deliveries WHERE lead = ?1 ORDER BY id");
            db.prepare_cached(&sql)?
                .query_map([&lead], delivery)?
                .collect()
        })
    }

    fn start(&self, channels: Vec<Channel>, now: Millis) -> StoreFuture<'_, ()> {
        self.writer.run(move |db| {
            facts::set_channels(db, &channels)?;
            let waiting = "SELECT lead FROM waiting";
            let leads: Vec<String> = db
                .prepare_cached(waiting)?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            leads
                .iter()
                .try_for_each(|lead| queue_all(db, lead, &channels, now).map(drop))?;
            db.prepare_cached("DELETE FROM waiting")?
                .execute([])
                .map(drop)
        })
    }

    fn release(&self, id: String, now: Millis) -> StoreFuture<'_, Option<Forwarding>> {
        self.writer.run(move |db| {
            let sql = "UPDATE leads SET status =
                       CASE WHEN json_extract(contents, '$.needs_confirmation') THEN 'unconfirmed' ELSE 'released' END
                       WHERE id = ?1 AND status IN ('quarantined', 'spam')";
            if db.prepare_cached(sql)?.execute([&id])? == 0 {
                return Ok(None);
            }
            forward(db, &id, now).map(Some)
        })
    }

    fn confirm(&self, id: String, now: Millis) -> StoreFuture<'_, ()> {
        self.writer.run(move |db| {
            let sql =
                "UPDATE leads SET status = 'confirmed' WHERE id = ?1 AND status = 'unconfirmed'";
            if db.prepare_cached(sql)?.execute([&id])? > 0 {
                forward(db, &id, now)?;
            }
            Ok(())
        })
    }

    fn link_key(&self) -> StoreFuture<'_, String> {
        self.writer.run(facts::link_key)
    }

    fn erase(&self, which: Erase) -> StoreFuture<'_, Erasure> {
        let deleted = self.writer.run(move |db| {
            let mut read = db.prepare_cached("SELECT id, contents FROM leads")?;
            let rows = read.query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })?;
            let mut ids = Vec::new();
            for row in rows {
                let (id, contents) = row?;
                let contents = serde_json::from_str(&contents).unwrap_or_default();
                if which.has(&id, &contents) {
                    ids.push(id);
                }
            }
            let mut delete = db.prepare_cached("DELETE FROM leads WHERE id = ?1")?;
            ids.iter()
                .try_fold(0, |count, id| Ok(count + number(delete.execute([id])?)))
        });
        Box::pin(async move {
            let leads = deleted.await?;
            Ok(Erasure {
                leads,
                remains: self.remove_text(true, BUSY).await,
            })
        })
    }

    fn expire(&self, expiry: Expiry) -> StoreFuture<'_, Expired> {
        let expired = self.writer.run(move |db| {
            db.prepare_cached("DELETE FROM tokens WHERE at < ?1")?.execute([expiry.tokens])?;
            let of_form = "coalesce((SELECT value FROM json_each(?2) WHERE key = form), ?1)";
            let has_expired = format!("at < ?3 AND at < {of_form}");
            let is_late = "status = 'unconfirmed' AND at < (SELECT value FROM json_each(?4) WHERE key = form)";
            let sql = format!("SELECT count(*) FILTER (WHERE {has_expired}), count(*), max(at) FROM leads");
            let counts = |row: &Row| Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?, row.get(2)?));
            // A map of numbers always serializes.
            let forms = serde_json::to_string(&expiry.forms).unwrap_or_default();
            let unconfirmed = serde_json::to_string(&expiry.unconfirmed).unwrap_or_default();
            let (leads, of, newest) =
                db.prepare_cached(&sql)?.query_row(params![expiry.leads, forms, expiry.latest()], counts)?;
            let mut known = facts::known_time(db)?;
            known.sure = known.sure.or(newest);
            let (known, why) = known.judge(&expiry, leads, of);
            facts::set_known_time(db, known)?;
            if let Some(why) = why {
                return Ok((Expired::Held { leads, why }, false));
            }
            let delete = format!("DELETE FROM leads WHERE ({has_expired}) OR ({is_late})");
            let times = params![expiry.leads, forms, expiry.latest(), unconfirmed];
            let leads = number(db.prepare_cached(&delete)?.execute(times)?);
            if leads > 0 {
                facts::need_vacuum(db)?;
            }
            let is_vacuum_due = facts::is_vacuum_due(db, expiry.now, VACUUM_INTERVAL)?;
            Ok((Expired::Deleted(Erasure { leads, remains: None }), is_vacuum_due))
        });
        Box::pin(async move {
            let (expired, is_vacuum_due) = expired.await?;
            // Each time, as a reader may have kept the log from being emptied the last time.
            let remains = self.remove_text(is_vacuum_due, EXPIRY_PATIENCE).await;
            Ok(match expired {
                Expired::Deleted(Erasure { leads, .. }) => {
                    Expired::Deleted(Erasure { leads, remains })
                }
                held @ Expired::Held { .. } => held,
            })
        })
    }

    fn claim(
        &self,
        now: Millis,
        until: Millis,
        count: u32,
        queue: Queue,
    ) -> StoreFuture<'_, Vec<(Delivery, Lead)>> {
        self.writer.run(move |db| {
            let webhook = "coalesce(json_extract(contents, '$.webhook'), '')";
            let (is_in_queue, names) = match &queue {
                Queue::Mail => ("channel <> 'webhook'".to_owned(), &[][..]),
                Queue::Webhook(name) => {
                    (format!("channel = 'webhook' AND {webhook} = ?4 ->> 0"), std::slice::from_ref(name))
                }
                Queue::OtherWebhooks(known) => (
                    format!("channel = 'webhook' AND {webhook} NOT IN (SELECT value FROM json_each(?4))"),
                    known.as_slice(),
                ),
            };
            let sql = format!(
                "SELECT {DELIVERY}, {LEAD} FROM deliveries JOIN leads ON leads.id = deliveries.lead
                 WHERE state = 'due' AND (next <= ?1 OR next > ?3) AND ?4 IS NOT NULL AND {is_in_queue}
                 ORDER BY next LIMIT ?2"
            );
            let both = |row: &Row| Ok((delivery(row)?, lead_at(row, 8)?));
            // A list of texts always serializes.
            let names = serde_json::to_string(names).unwrap_or_default();
            let due: Vec<(Delivery, Lead)> = db
                .prepare_cached(&sql)?
                .query_map(params![now, count, now + DUE_MAX, names], both)?
                .collect::<rusqlite::Result<_>>()?;
            // Without a reason: those with one wait for another attempt, and `retry` makes them due.
            let sql = "UPDATE deliveries SET next = ?2, attempts = attempts + 1, trouble = NULL WHERE id = ?1";
            let mut take = db.prepare_cached(sql)?;
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
            let sql = "UPDATE deliveries SET state = 'due', next = ?2,
                       since = CASE state WHEN 'dead' THEN ?2 ELSE since END
                       WHERE (state = 'dead' OR state = 'due' AND next > ?2 AND trouble IS NOT NULL)
                       AND (?1 IS NULL OR lead = ?1)";
            let again = number(db.prepare_cached(sql)?.execute(params![lead, now])?);
            let Some(lead) = &lead else { return Ok(again) };
            Ok(again + queue_all(db, lead, &facts::channels(db)?.unwrap_or_default(), now)?.1)
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

    fn copy_to(&self, file: PathBuf) -> StoreFuture<'_, ()> {
        // `VACUUM INTO` reads one state of the database, however long it takes, and copies no deleted text.
        self.reader.run_outside(move |db| {
            db.execute("VACUUM INTO ?1", [file.to_string_lossy()])
                .map(drop)
        })
    }

    fn check(&self) -> StoreFuture<'_, ()> {
        let now = clock::now();
        let last = self
            .checked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((at, found)) = last
            && (at..at + CHECK_LIFETIME).contains(&now)
        {
            return Box::pin(std::future::ready(found));
        }
        let written = self.writer.run(move |db| {
            let largest = NewLead::largest(now);
            insert(db, &largest)?;
            // `secure_delete` writes the pages of what is deleted, so a full disk is noticed.
            db.prepare_cached("DELETE FROM tokens WHERE token = ?1")?
                .execute(params![largest.token])?;
            db.prepare_cached("DELETE FROM leads WHERE id = ?1")?
                .execute([&largest.lead.id])
                .map(drop)
        });
        Box::pin(async move {
            let found = written.await;
            self.note_check(&found);
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
        return Ok(if fingerprint == new.fingerprint {
            InsertOutcome::Duplicate
        } else {
            InsertOutcome::OtherLead
        });
    }
    let Lead {
        id,
        at,
        locale,
        status,
        reason,
        contents,
    } = &new.lead;
    let channels = allowed_channels(db, new)?;
    if new.waits_for_nothing(&channels) {
        return Ok(InsertOutcome::NoMailLeft);
    }
    if let Some(token) = &new.token {
        let mark = "INSERT INTO tokens (token, at) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        if db.prepare_cached(mark)?.execute(params![token, at])? == 0 {
            return Ok(InsertOutcome::TokenUsed);
        }
    }
    // Texts always serialize.
    let text = serde_json::to_string(contents).unwrap_or_default();
    let email = email::comparable(&contents.email);
    let sql = "INSERT INTO leads (id, at, locale, status, reason, email, contents, key, fingerprint, form)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let row = params![
        id,
        at,
        locale,
        status.name(),
        reason,
        email,
        text,
        new.key,
        new.fingerprint,
        contents.form
    ];
    db.prepare_cached(sql)?.execute(row)?;
    insert_files(db, id, &new.files)?;
    queue(db, id, &channels, *at)?;
    Ok(InsertOutcome::New)
}

/// The channels of a lead, without those to a visitor whose address has had its mails of the day.
fn allowed_channels(db: &Connection, new: &NewLead) -> rusqlite::Result<Vec<Channel>> {
    let mut channels = new.channels.clone();
    if channels.iter().any(|channel| channel.is_to_visitor()) {
        let Lead { at, contents, .. } = &new.lead;
        // Earlier versions stored addresses in lower case.
        let sql = "SELECT count(*) FROM leads WHERE email IN (?1, ?2) AND email <> '' AND at >= ?3";
        let spellings = params![
            contents.email.to_lowercase(),
            email::comparable(&contents.email),
            at - DAY
        ];
        let known: u32 = db
            .prepare_cached(sql)?
            .query_row(spellings, |row| row.get(0))?;
        channels.retain(|channel| !channel.is_to_visitor() || known < MAILS_PER_DAY);
    }
    Ok(channels)
}

/// Stores the files of a lead, unless those of all leads would be more than the store takes.
fn insert_files(db: &Connection, lead: &str, files: &[NewFile]) -> rusqlite::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    // The length of a value is known without reading it.
    let sum = "SELECT coalesce(sum(length(bytes)), 0) FROM files";
    let known: i64 = db.prepare_cached(sum)?.query_row([], |row| row.get(0))?;
    let more: u64 = files.iter().map(|file| file.content.size()).sum();
    if known.saturating_add(i64::try_from(more).unwrap_or(i64::MAX)) > FILES_TOTAL_MAX {
        let why = "the leads' files have reached 4 GB; delete leads, or lower `keep_days`";
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_TOOBIG);
        return Err(rusqlite::Error::SqliteFailure(full, Some(why.into())));
    }
    let sql =
        "INSERT INTO files (lead, place, field, name, type, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut insert = db.prepare_cached(sql)?;
    for (place, file) in files.iter().enumerate() {
        insert.execute(params![
            lead,
            number(place),
            file.field,
            file.name,
            file.kind,
            file.bytes()
        ])?;
    }
    Ok(())
}

fn fingerprint_of(db: &Connection, key: &Hash) -> rusqlite::Result<Option<Hash>> {
    db.prepare_cached("SELECT fingerprint FROM leads WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

/// Queues the deliveries of a lead that was held, or notes that the next API that starts does so.
fn forward(db: &Connection, id: &str, now: Millis) -> rusqlite::Result<Forwarding> {
    let Some(channels) = facts::channels(db)? else {
        db.prepare_cached("INSERT INTO waiting (lead) VALUES (?1) ON CONFLICT DO NOTHING")?
            .execute([id])?;
        return Ok(Forwarding::AtStart);
    };
    Ok(Forwarding::Queued(queue_all(db, id, &channels, now)?.0))
}

/// Queues the deliveries of a stored lead by the channels of the API, and returns its channels, and the number of deliveries
/// that are new.
fn queue_all(
    db: &Connection,
    id: &str,
    of_api: &[Channel],
    now: Millis,
) -> rusqlite::Result<(Vec<Channel>, u32)> {
    let sql = format!("SELECT {LEAD} FROM leads WHERE id = ?1");
    let stored = db.prepare_cached(&sql)?.query_row([id], lead).optional()?;
    let channels = stored.map(|lead| lead.channels(of_api)).unwrap_or_default();
    let count = queue(db, id, &channels, now)?;
    Ok((channels, count))
}

/// Queues a delivery per channel, unless the lead has it. Returns their number.
fn queue(db: &Connection, lead: &str, channels: &[Channel], now: Millis) -> rusqlite::Result<u32> {
    let sql = "INSERT INTO deliveries (id, lead, channel, state, next, since) VALUES (?1, ?2, ?3, 'due', ?4, ?4)
               ON CONFLICT DO NOTHING";
    let mut insert = db.prepare_cached(sql)?;
    channels.iter().try_fold(0, |count, channel| {
        let id = Delivery::id(lead, *channel);
        Ok(count + number(insert.execute(params![id, lead, channel.name(), now])?))
    })
}

fn number(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}
