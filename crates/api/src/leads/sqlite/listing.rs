//! Lists of leads. Without a search, only the leads of one page are read: filters are in one index, `leads_listed`, whose
//! entries end in the id, and ids are in the order of time.

use std::collections::BTreeSet;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::super::contents::Contents;
use super::super::lead::first_id;
use super::super::listing::{Facets, Filter, Listed, Listing};
use super::rows::{LEAD, lead};

/// The place of the contents in [`LEAD`].
const CONTENTS: usize = 5;

/// The conditions of a filter, apart from its words, and their values.
#[derive(Debug, Default)]
struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    fn of(filter: &Filter) -> Conditions {
        let mut conditions = Conditions::default();
        conditions.add("form = ?", filter.form.clone());
        conditions.add(
            "status = ?",
            filter.status.map(|status| status.name().to_owned()),
        );
        conditions.add("locale = ?", filter.locale.clone());
        conditions.add("id >= ?", filter.from.map(first_id));
        conditions.add("id < ?", filter.until.map(first_id));
        if filter.is_unread {
            conditions.sql.push("is_read = 0".into());
        }
        conditions
    }

    fn add(&mut self, sql: &str, value: Option<String>) {
        if let Some(value) = value {
            self.sql.push(sql.to_owned());
            self.values.push(Value::Text(value));
        }
    }

    fn text(&self) -> String {
        if self.sql.is_empty() {
            "1".to_owned()
        } else {
            self.sql.join(" AND ")
        }
    }
}

/// Up to `count` leads of a list, newest first; only those older than the id `before`, if given.
pub(super) fn listed(
    db: &Connection,
    filter: &Filter,
    before: Option<&String>,
    count: u32,
) -> rusqlite::Result<Listing> {
    let words = filter.words();
    let mut conditions = Conditions::of(filter);
    let total = if filter.reads_text() {
        None
    } else {
        Some(count_of(db, &conditions)?)
    };
    let is_filtered = !conditions.sql.is_empty();
    conditions.add("id < ?", before.cloned());
    let wanted = count as usize;
    let mut leads = Vec::new();
    if filter.reads_text() {
        for run in words.runs() {
            // A run has letters and digits only, none of which `LIKE` reads as a pattern.
            conditions.sql.push("(contents LIKE ? OR id LIKE ?)".into());
            conditions.values.extend([
                Value::Text(format!("%{run}%")),
                Value::Text(format!("%{run}%")),
            ]);
        }
        let sql = format!(
            "SELECT {LEAD}, is_read FROM leads WHERE {} ORDER BY id DESC",
            conditions.text()
        );
        let mut statement = db.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(&conditions.values))?;
        while let Some(row) = rows.next()? {
            let text: String = row.get(CONTENTS)?;
            let contents = serde_json::from_str::<Contents>(&text).unwrap_or_default();
            if filter.matches_text(&words, &row.get::<_, String>(0)?, &contents) {
                leads.push(one(row)?);
            }
            if leads.len() > wanted {
                break;
            }
        }
    } else {
        let (columns, limit) = (format!("{LEAD}, is_read"), u64::from(count) + 1);
        let sql = if is_filtered {
            // Otherwise, SQLite may read the leads themselves, one after the other, until it has found enough.
            format!(
                "SELECT {columns} FROM leads WHERE id IN (SELECT id FROM leads INDEXED BY leads_listed WHERE {}
                 ORDER BY id DESC LIMIT {limit}) ORDER BY id DESC",
                conditions.text()
            )
        } else {
            format!(
                "SELECT {columns} FROM leads WHERE {} ORDER BY id DESC LIMIT {limit}",
                conditions.text()
            )
        };
        let mut statement = db.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&conditions.values), one)?;
        leads = rows.collect::<rusqlite::Result<_>>()?;
    }
    let has_more = leads.len() > wanted;
    leads.truncate(wanted);
    Ok(Listing {
        leads,
        has_more,
        total,
    })
}

fn one(row: &Row) -> rusqlite::Result<Listed> {
    Ok(Listed {
        lead: lead(row)?,
        is_read: row.get(CONTENTS + 1)?,
    })
}

fn count_of(db: &Connection, conditions: &Conditions) -> rusqlite::Result<u32> {
    let sql = format!(
        "SELECT count(*) FROM leads INDEXED BY leads_listed WHERE {}",
        conditions.text()
    );
    db.prepare_cached(&sql)?
        .query_row(params_from_iter(&conditions.values), |row| row.get(0))
}

/// The values that leads have. There are few, so each is looked up in the index after the one before it, and no lead is read.
pub(super) fn facets(db: &Connection) -> rusqlite::Result<Facets> {
    let sql =
        "SELECT status, form, locale FROM leads INDEXED BY leads_listed WHERE (status, form, locale) > (?1, ?2, ?3)
               ORDER BY status, form, locale LIMIT 1";
    let mut next = db.prepare_cached(sql)?;
    let (mut forms, mut locales) = (BTreeSet::new(), BTreeSet::new());
    let mut last = [String::new(), String::new(), String::new()];
    let read = |row: &Row| Ok([row.get::<_, String>(0)?, row.get(1)?, row.get(2)?]);
    while let Some(found) = next.query_row(params_from_iter(&last), read).optional()? {
        forms.insert(found[1].clone());
        locales.insert(found[2].clone());
        last = found;
    }
    Ok(Facets {
        forms: forms.into_iter().collect(),
        locales: locales.into_iter().collect(),
    })
}

/// Whether a lead is there and marked as read.
pub(super) fn is_read(db: &Connection, id: &str) -> rusqlite::Result<bool> {
    let read = db
        .prepare_cached("SELECT is_read FROM leads WHERE id = ?1")?
        .query_row([id], |row| row.get(0));
    Ok(read.optional()?.unwrap_or_default())
}

/// Marks leads as read or unread. Returns how many of them were marked otherwise before.
pub(super) fn mark(db: &Connection, ids: &[String], is_read: bool) -> rusqlite::Result<u32> {
    let mut update =
        db.prepare_cached("UPDATE leads SET is_read = ?2 WHERE id = ?1 AND is_read <> ?2")?;
    ids.iter().try_fold(0, |count, id| {
        Ok(count + super::number(update.execute((id, is_read))?))
    })
}
