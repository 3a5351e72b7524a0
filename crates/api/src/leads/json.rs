//! Leads and their deliveries as JSON, as `sitegen leads` and the inbox write them.

use serde_json::{Value, json};

use crate::clock;

use super::lead::{Delivery, DeliveryState, Lead};

/// A lead as a JSON object: its fields, `received` in ISO 8601, and `deliveries` if it has some.
pub fn lead(lead: &Lead, deliveries: &[Delivery]) -> Value {
    // A struct of strings and numbers always serializes.
    let mut value = serde_json::to_value(lead).unwrap_or_default();
    value["received"] = clock::iso(lead.at).into();
    if !deliveries.is_empty() {
        let each = deliveries.iter().map(|delivery| {
            let (state, next) = match delivery.state {
                DeliveryState::Done => ("done", None),
                DeliveryState::Due(at) => ("due", Some(clock::iso(at))),
                DeliveryState::Dead => ("dead", None),
            };
            json!({
                "id": delivery.id, "channel": delivery.channel, "state": state, "next": next,
                "attempts": delivery.attempts, "trouble": delivery.trouble,
            })
        });
        value["deliveries"] = each.collect();
    }
    value
}
