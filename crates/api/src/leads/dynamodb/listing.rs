//! Lists of leads from the index `by-kind`. DynamoDB reads a megabyte of items at a time and does not count what it has not
//! read, so filters are applied here, and the number of leads in a list is unknown.

use serde_json::{Value, json};

use super::super::lead::first_id;
use super::super::listing::{Facets, Filter, Listed, Listing};
use super::items::{read_lead, text};
use super::{BY_KIND, CallError, DynamoDb, StoreResult, error};

/// How many leads are read to find the forms and languages to filter by.
const NEWEST: usize = 500;
/// Below all ids, and above all.
const ENDS: (&str, &str) = ("0", "~");

/// Whether a lead is marked as read.
pub(super) fn is_read(item: &Value) -> bool {
    item["is_read"]["BOOL"].as_bool().unwrap_or_default()
}

impl DynamoDb {
    pub(super) async fn list(
        &self,
        filter: Filter,
        before: Option<String>,
        count: usize,
    ) -> StoreResult<Listing> {
        let from = filter.from.map_or_else(|| ENDS.0.to_owned(), first_id);
        let until = filter.until.map_or_else(|| ENDS.1.to_owned(), first_id);
        let until = before.map_or(until.clone(), |before| before.min(until));
        let mut leads = Vec::new();
        let mut body = json!({
            "IndexName": BY_KIND,
            // `BETWEEN` includes both ends; the upper one is left out below.
            "KeyConditionExpression": "kind = :kind AND id BETWEEN :from AND :until",
            "ExpressionAttributeValues": {":kind": text("lead"), ":from": text(&from), ":until": text(&until)},
            "ScanIndexForward": false,
        });
        if filter == Filter::default() {
            // One more than wanted tells whether there are more, and one more may be the upper end.
            body["Limit"] = (count + 2).min(1_000).into();
        }
        loop {
            let mut answer = self.ask("Query", body.clone()).await?;
            let items = answer["Items"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            for item in items {
                let lead = read_lead(item)?;
                let is_read = is_read(item);
                if lead.id < until && filter.matches(&lead, is_read) {
                    leads.push(Listed { lead, is_read });
                }
            }
            let next = answer["LastEvaluatedKey"].take();
            if leads.len() > count || next.is_null() {
                break;
            }
            body["ExclusiveStartKey"] = next;
        }
        let has_more = leads.len() > count;
        leads.truncate(count);
        Ok(Listing {
            leads,
            has_more,
            total: None,
        })
    }

    /// The forms and languages of the newest leads.
    pub(super) async fn newest_values(&self) -> StoreResult<Facets> {
        let newest = self.list(Filter::default(), None, NEWEST).await?;
        let mut found = Facets::default();
        for Listed { lead, .. } in newest.leads {
            found.forms.push(lead.contents.form);
            found.locales.push(lead.locale);
        }
        for values in [&mut found.forms, &mut found.locales] {
            values.sort();
            values.dedup();
        }
        Ok(found)
    }

    pub(super) async fn mark_all(&self, ids: Vec<String>, is_read: bool) -> StoreResult<u32> {
        let mut count = 0;
        for id in ids {
            let body = json!({
                "Key": {"pk": text(&format!("lead#{id}"))},
                "UpdateExpression": "SET is_read = :now",
                "ConditionExpression": if is_read {
                    "attribute_exists(pk) AND (attribute_not_exists(is_read) OR is_read = :before)"
                } else {
                    "is_read = :before"
                },
                "ExpressionAttributeValues": {":now": {"BOOL": is_read}, ":before": {"BOOL": !is_read}},
            });
            match self.call("UpdateItem", body).await {
                Ok(_) => count += 1,
                // It is marked so already, or was deleted.
                Err(CallError::Condition(_)) => {}
                Err(CallError::Other(other)) => return Err(error(CallError::Other(other))),
            }
        }
        Ok(count)
    }
}
