//! Leads and their deliveries as JSON, as `sitegen leads` and the inbox write them.

use serde_json::{Value, json};

use crate::clock;

use super::lead::{Delivery, Lead};

/// A lead as a JSON object: its fields, `received` in ISO 8601, and `deliveries` if it has some.
pub fn lead(lead: &Lead, deliveries: &[Delivery]) -> Value {
    let mut value = Value::Object(lead.json());
    value["received"] = clock::iso(lead.at).into();
    if !deliveries.is_empty() {
        let each = deliveries.iter().map(|delivery| {
            json!({
                "id": delivery.id, "channel": delivery.channel, "state": delivery.state.name(),
                "next": delivery.state.next().map(clock::iso),
                "attempts": delivery.attempts, "trouble": delivery.trouble,
            })
        });
        value["deliveries"] = each.collect();
    }
    value
}
