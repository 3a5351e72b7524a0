//! Reads leads and deliveries from rows of the database.

use rusqlite::Row;
use rusqlite::types::Type;

use super::super::contents::Contents;
use super::super::lead::{Channel, Delivery, DeliveryState, Lead, Status};

/// The columns of a lead.
pub(super) const LEAD: &str =
    "leads.id, leads.at, leads.locale, leads.status, leads.reason, leads.contents";
/// The columns of a delivery.
pub(super) const DELIVERY: &str = "deliveries.id, deliveries.lead, deliveries.channel, deliveries.state, deliveries.next, \
    deliveries.attempts, deliveries.since, deliveries.trouble";

/// A lead in the first columns.
pub(super) fn lead(row: &Row) -> rusqlite::Result<Lead> {
    lead_at(row, 0)
}

/// A lead in the columns from `first`.
pub(super) fn lead_at(row: &Row, first: usize) -> rusqlite::Result<Lead> {
    let text: String = row.get(first + 5)?;
    Ok(Lead {
        id: row.get(first)?,
        at: row.get(first + 1)?,
        locale: row.get(first + 2)?,
        status: Status::named(&row.get::<_, String>(first + 3)?)
            .ok_or_else(|| unknown(row, first + 3))?,
        reason: row.get(first + 4)?,
        contents: serde_json::from_str::<Contents>(&text).map_err(|_| unknown(row, first + 5))?,
    })
}

/// A delivery in the first columns.
pub(super) fn delivery(row: &Row) -> rusqlite::Result<Delivery> {
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
    let name = row
        .as_ref()
        .column_name(column)
        .map(str::to_owned)
        .unwrap_or_default();
    rusqlite::Error::InvalidColumnType(column, name, Type::Text)
}
