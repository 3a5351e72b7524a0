//! Items of the table: those of leads and deliveries, and the values they consist of.

use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};

use crate::clock::Millis;

use super::super::email;
use super::super::lead::{Channel, Delivery, DeliveryState, Hash, Lead, Status};
use super::super::store::StoreError;
use super::earlier::read_contents;

type StoreResult<T> = Result<T, StoreError>;

pub(super) fn text(text: &str) -> Value {
    json!({"S": text})
}

pub(super) fn number(number: i64) -> Value {
    json!({"N": number.to_string()})
}

pub(super) fn string<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name]["S"].as_str().unwrap_or_default()
}

pub(super) fn integer(item: &Value, name: &str) -> i64 {
    item[name]["N"]
        .as_str()
        .and_then(|text| text.parse().ok())
        .unwrap_or_default()
}

pub(super) fn lead_item(lead: &Lead, key: Option<&str>, fingerprint: &Hash) -> Value {
    // Texts always serialize.
    let contents = serde_json::to_string(&lead.contents).unwrap_or_default();
    let mut item = Map::new();
    let mut put = |name: &str, value: Value| drop(item.insert(name.to_owned(), value));
    put("pk", text(&format!("lead#{}", lead.id)));
    put("kind", text("lead"));
    put("id", text(&lead.id));
    put("at", number(lead.at));
    put("locale", text(&lead.locale));
    put("status", text(lead.status.name()));
    put("contents", text(&contents));
    put("fingerprint", text(&HEXLOWER.encode(fingerprint)));
    if let Some(reason) = &lead.reason {
        put("reason", text(reason));
    }
    if let Some(key) = key {
        put("key", text(key));
    }
    if !lead.contents.email.is_empty() {
        put("email", text(&email::comparable(&lead.contents.email)));
    }
    item.into()
}

pub(super) fn read_lead(item: &Value) -> StoreResult<Lead> {
    let damaged = || StoreError::Unavailable("a lead in the table is invalid".into());
    Ok(Lead {
        id: string(item, "id").to_owned(),
        at: integer(item, "at"),
        locale: string(item, "locale").to_owned(),
        status: Status::named(string(item, "status")).ok_or_else(damaged)?,
        reason: item
            .get("reason")
            .map(|_| string(item, "reason").to_owned()),
        contents: read_contents(string(item, "contents")).ok_or_else(damaged)?,
    })
}

pub(super) fn delivery_item(lead: &str, channel: Channel, now: Millis) -> Value {
    json!({
        "pk": text(&format!("delivery#{}", Delivery::id(lead, channel))),
        "lead": text(lead),
        "channel": text(channel.name()),
        "state": text("due"),
        "next": number(now),
        "attempts": number(0),
        "since": number(now),
    })
}

/// A lead whose deliveries the next API that starts queues. It is in the index of open deliveries, in a state of its own.
pub(super) fn waiting_item(lead: &str, now: Millis) -> Value {
    json!({
        "pk": text(&format!("waiting#{lead}")), "lead": text(lead), "state": text("waiting"), "next": number(now),
    })
}

pub(super) fn read_delivery(item: &Value) -> StoreResult<Delivery> {
    let damaged = || StoreError::Unavailable("a delivery in the table is invalid".into());
    Ok(Delivery {
        id: string(item, "pk")
            .trim_start_matches("delivery#")
            .to_owned(),
        lead: string(item, "lead").to_owned(),
        channel: Channel::named(string(item, "channel")).ok_or_else(damaged)?,
        state: match string(item, "state") {
            "due" => DeliveryState::Due(integer(item, "next")),
            "dead" => DeliveryState::Dead,
            _ => DeliveryState::Done,
        },
        attempts: u32::try_from(integer(item, "attempts")).unwrap_or_default(),
        since: integer(item, "since"),
        trouble: item
            .get("trouble")
            .map(|_| string(item, "trouble").to_owned()),
    })
}
