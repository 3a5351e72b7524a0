//! Deliveries in the table: those that are due are claimed with a condition, so that several machines may work at once.

use serde_json::{Value, json};

use crate::clock::Millis;

use super::super::lead::{Channel, Delivery, Lead};
use super::super::queue::Queue;
use super::super::store::DeliveryOutcome;
use super::items::{number, read_delivery, string, text};
use super::{BY_STATE, CallError, DynamoDb, StoreResult};

/// How many due deliveries are looked at for those of a queue. Those that fail go to the end.
const LOOK_AT_MAX: usize = 500;

impl DynamoDb {
    pub(super) async fn open(
        &self,
        state: &str,
        until: Option<Millis>,
        count: usize,
    ) -> StoreResult<Vec<Value>> {
        let mut body = json!({
            "IndexName": BY_STATE,
            "KeyConditionExpression": "#state = :state",
            "ExpressionAttributeNames": {"#state": "state"},
            "ExpressionAttributeValues": {":state": text(state)},
        });
        if let Some(until) = until {
            body["KeyConditionExpression"] = "#state = :state AND #next <= :until".into();
            body["ExpressionAttributeNames"]["#next"] = "next".into();
            body["ExpressionAttributeValues"][":until"] = number(until);
            body["Limit"] = count.into();
        }
        self.query(body, count).await
    }

    pub(super) async fn claim_due(
        &self,
        now: Millis,
        until: Millis,
        count: usize,
        queue: Queue,
    ) -> StoreResult<Vec<(Delivery, Lead)>> {
        let mut taken = Vec::new();
        for item in self.open("due", Some(now), LOOK_AT_MAX).await? {
            if taken.len() == count {
                break;
            }
            // The index has keys only.
            let id = string(&item, "pk").trim_start_matches("delivery#");
            let Some((lead, channel)) = id.split_once('-') else {
                continue;
            };
            let Some(channel) = Channel::named(channel).filter(|channel| queue.can_have(*channel))
            else {
                continue;
            };
            let Some(lead) = self.find(lead).await? else {
                self.delete(format!("delivery#{id}")).await?;
                continue;
            };
            if !queue.has(channel, &lead) {
                continue;
            }
            let update = json!({
                "Key": {"pk": item["pk"]},
                // Without a reason: those with one wait for another attempt, and `retry` makes them due.
                "UpdateExpression": "SET #next = :until ADD attempts :one REMOVE trouble",
                "ConditionExpression": "#state = :due AND #next <= :now",
                "ExpressionAttributeNames": {"#state": "state", "#next": "next"},
                "ExpressionAttributeValues": {
                    ":until": number(until), ":one": number(1), ":due": text("due"), ":now": number(now),
                },
                "ReturnValues": "ALL_OLD",
            });
            match self.call("UpdateItem", update).await {
                Ok(answer) => taken.push((read_delivery(&answer["Attributes"])?, lead)),
                // Another process has claimed it.
                Err(CallError::Condition(_)) => {}
                Err(CallError::Other(error)) => return Err(error),
            }
        }
        Ok(taken)
    }

    pub(super) async fn complete_delivery(
        &self,
        id: String,
        outcome: DeliveryOutcome,
    ) -> StoreResult<()> {
        let (set, values) = match &outcome {
            // Removing the state removes the item from the index of open deliveries.
            DeliveryOutcome::Done => ("REMOVE #state, trouble", json!({})),
            DeliveryOutcome::Retry { at, trouble } => (
                "SET #next = :at, trouble = :trouble, #state = :due",
                json!({":at": number(*at), ":trouble": text(trouble), ":due": text("due")}),
            ),
            DeliveryOutcome::Dead { trouble } => (
                "SET trouble = :trouble, #state = :dead",
                json!({":trouble": text(trouble), ":dead": text("dead")}),
            ),
        };
        let mut body = json!({
            "Key": {"pk": text(&format!("delivery#{id}"))},
            "UpdateExpression": set,
            "ConditionExpression": "attribute_exists(pk)",
            "ExpressionAttributeNames": {"#state": "state"},
        });
        if set.contains("#next") {
            body["ExpressionAttributeNames"]["#next"] = "next".into();
        }
        if values.as_object().is_some_and(|values| !values.is_empty()) {
            body["ExpressionAttributeValues"] = values;
        }
        match self.call("UpdateItem", body).await {
            // A failed condition means that the lead was deleted in the meantime.
            Ok(_) | Err(CallError::Condition(_)) => Ok(()),
            Err(CallError::Other(error)) => Err(error),
        }
    }

    pub(super) async fn retry_all(&self, lead: Option<String>, now: Millis) -> StoreResult<u32> {
        let dead = self.open("dead", None, usize::MAX).await?;
        let count = self.make_due(
            dead,
            lead.as_deref(),
            "SET #state = :due, #next = :now, since = :now",
            "dead",
            now,
        );
        let count = count.await?;
        let waiting = self.open("due", None, usize::MAX).await?;
        let count = count
            + self
                .make_due(
                    waiting,
                    lead.as_deref(),
                    "SET #state = :due, #next = :now",
                    "due",
                    now,
                )
                .await?;
        let Some(id) = lead else { return Ok(count) };
        let of_api = self.channels().await?.unwrap_or_default();
        Ok(count + self.queue_all(&id, &of_api, now).await?)
    }

    /// Makes deliveries due that have failed and are in a state, and returns their number.
    async fn make_due(
        &self,
        items: Vec<Value>,
        lead: Option<&str>,
        update: &str,
        state: &str,
        now: Millis,
    ) -> StoreResult<u32> {
        let mut count = 0;
        for item in items {
            let id = string(&item, "pk").trim_start_matches("delivery#");
            if lead.is_some_and(|lead| !id.starts_with(lead)) {
                continue;
            }
            let body = json!({
                "Key": {"pk": item["pk"]},
                "UpdateExpression": update,
                "ConditionExpression": if state == "dead" {
                    "#state = :state"
                } else {
                    "#state = :state AND #next > :now AND attribute_exists(trouble)"
                },
                "ExpressionAttributeNames": {"#state": "state", "#next": "next"},
                "ExpressionAttributeValues": {":due": text("due"), ":state": text(state), ":now": number(now)},
            });
            match self.call("UpdateItem", body).await {
                Ok(_) => count += 1,
                Err(CallError::Condition(_)) => {}
                Err(CallError::Other(error)) => return Err(error),
            }
        }
        Ok(count)
    }
}
