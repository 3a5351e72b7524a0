//! Deliveries in the table: those that are due are claimed with a condition, so that several machines may work at once.

use serde_json::{Value, json};

use crate::clock::Millis;

use super::super::lead::{Delivery, Lead};
use super::super::store::DeliveryOutcome;
use super::items::{number, read_delivery, string, text};
use super::{BY_STATE, CallError, DynamoDb, StoreResult};

impl DynamoDb {
    pub(super) async fn open(&self, state: &str, until: Option<Millis>, count: usize) -> StoreResult<Vec<Value>> {
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

    pub(super) async fn claim_due(&self, now: Millis, until: Millis, count: u32) -> StoreResult<Vec<(Delivery, Lead)>> {
        let mut taken = Vec::new();
        for item in self.open("due", Some(now), count as usize).await? {
            let update = json!({
                "Key": {"pk": item["pk"]},
                "UpdateExpression": "SET #next = :until ADD attempts :one",
                "ConditionExpression": "#state = :due AND #next <= :now",
                "ExpressionAttributeNames": {"#state": "state", "#next": "next"},
                "ExpressionAttributeValues": {
                    ":until": number(until), ":one": number(1), ":due": text("due"), ":now": number(now),
                },
                "ReturnValues": "ALL_OLD",
            });
            let old = match self.call("UpdateItem", update).await {
                Ok(answer) => answer["Attributes"].clone(),
                // Another process has claimed it.
                Err(CallError::Condition(_)) => continue,
                Err(CallError::Other(error)) => return Err(error),
            };
            let delivery = read_delivery(&old)?;
            match self.find(&delivery.lead).await? {
                Some(lead) => taken.push((delivery, lead)),
                None => self.delete(format!("delivery#{}", delivery.id)).await?,
            }
        }
        Ok(taken)
    }

    pub(super) async fn complete_delivery(&self, id: String, outcome: DeliveryOutcome) -> StoreResult<()> {
        let (set, values) = match &outcome {
            // Removing the state removes the item from the index of open deliveries.
            DeliveryOutcome::Done => ("REMOVE #state, trouble", json!({})),
            DeliveryOutcome::Retry { at, trouble } => (
                "SET #next = :at, trouble = :trouble, #state = :due",
                json!({":at": number(*at), ":trouble": text(trouble), ":due": text("due")}),
            ),
            DeliveryOutcome::Dead { trouble } => {
                ("SET trouble = :trouble, #state = :dead", json!({":trouble": text(trouble), ":dead": text("dead")}))
            }
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

    pub(super) async fn retry_dead(&self, lead: Option<String>, now: Millis) -> StoreResult<u32> {
        let mut count = 0;
        for item in self.open("dead", None, usize::MAX).await? {
            let id = string(&item, "pk").trim_start_matches("delivery#");
            if lead.as_deref().is_some_and(|lead| !id.starts_with(lead)) {
                continue;
            }
            let body = json!({
                "Key": {"pk": item["pk"]},
                "UpdateExpression": "SET #state = :due, #next = :now, since = :now",
                "ConditionExpression": "#state = :dead",
                "ExpressionAttributeNames": {"#state": "state", "#next": "next"},
                "ExpressionAttributeValues": {":due": text("due"), ":dead": text("dead"), ":now": number(now)},
            });
            match self.call("UpdateItem", body).await {
                Ok(_) => count += 1,
                Err(CallError::Condition(_)) => {}
                Err(CallError::Other(error)) => return Err(error),
            }
        }
        let Some(id) = lead else { return Ok(count) };
        let of_api = self.channels().await?.unwrap_or_default();
        Ok(count + self.queue_all(&id, &of_api, now).await?)
    }
}
