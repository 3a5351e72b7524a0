//! Leads as earlier programs have stored them: those of the lead form by the keys of its call, those of other forms below
//! `form`. A program that starts rewrites them. They can be read before that, and after it, because a table may be shared
//! with machines of an earlier version while a new one is deployed.

use serde_json::{Map, Value, json};

use api_types::leads::shown;

use super::super::contents::Contents;
use super::items::{string, text};
use super::{CallError, DynamoDb, StoreResult};

/// The name of the fact with the format of all leads, and its value once none is of an earlier program.
const FORMAT: &str = "format";
const ANSWERS: &str = "2";
/// The facts beside the answers, in both formats.
const BESIDE: [&str; 5] = ["name", "email", "phone", "visitsConsent", "visit"];

/// Reads stored contents.
pub(super) fn read_contents(stored: &str) -> Option<Contents> {
    let stored: Map<String, Value> = serde_json::from_str(stored).ok()?;
    let stored = if stored.contains_key("answers") {
        stored
    } else {
        as_answers(stored)
    };
    serde_json::from_value(stored.into()).ok()
}

fn as_answers(mut earlier: Map<String, Value>) -> Map<String, Value> {
    let form = earlier.shift_remove("form");
    let mut contents = if let Some(Value::Object(form)) = form {
        form
    } else {
        let given = shown()
            .filter_map(|key| Some((key.name().to_owned(), earlier.get(key.name())?.clone())));
        let answers: Map<String, Value> = given
            .filter(|(_, value)| !value.is_null() && value != "")
            .collect();
        Map::from_iter([("answers".to_owned(), answers.into())])
    };
    contents.extend(
        BESIDE
            .iter()
            .filter_map(|name| earlier.shift_remove_entry(*name)),
    );
    contents
}

impl DynamoDb {
    /// Rewrites leads of earlier programs. It can be interrupted and repeated, and several machines can do it at once: each lead
    /// is rewritten on the condition that it is as it was read.
    pub(super) async fn rewrite_earlier(&self) -> StoreResult<()> {
        if self.fact(FORMAT).await?.as_deref() == Some(ANSWERS) {
            return Ok(());
        }
        let body = json!({
            "ConsistentRead": true,
            "FilterExpression": "attribute_exists(contents)",
            "ProjectionExpression": "pk, contents",
        });
        for item in self.pages("Scan", body, usize::MAX).await? {
            let before = string(&item, "contents");
            // Texts always serialize.
            let now = read_contents(before)
                .map(|contents| serde_json::to_string(&contents).unwrap_or_default());
            let Some(now) = now.filter(|now| now != before) else {
                continue;
            };
            let update = json!({
                "Key": {"pk": item["pk"]},
                "UpdateExpression": "SET contents = :now",
                "ConditionExpression": "contents = :before",
                "ExpressionAttributeValues": {":now": text(&now), ":before": text(before)},
            });
            match self.call("UpdateItem", update).await {
                // Another machine has done so, or the lead was deleted.
                Ok(_) | Err(CallError::Condition(_)) => {}
                Err(CallError::Other(error)) => return Err(error),
            }
        }
        self.set_fact(FORMAT, Some(ANSWERS)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_leads_are_read_as_answers() {
        let lead = r#"{"name":"Ana","email":"","company":"C","position":"","phone":"12","projectType":"SEO","message":"m","appName":null,"appType":"app","appDescription":null,"visit":{"entry":"/"}}"#;
        let read = read_contents(lead).expect("contents");
        let fields: Vec<(&str, String)> = read.fields().collect();
        let expect = [
            ("name", "Ana"),
            ("phone", "12"),
            ("company", "C"),
            ("projectType", "SEO"),
            ("appType", "app"),
            ("message", "m"),
        ];
        assert_eq!(fields, expect.map(|(name, text)| (name, text.to_owned())));
        assert_eq!(
            (&*read.form, &*read.name, &*read.phone, read.visit.is_some()),
            ("", "Ana", "12", true)
        );
        assert_eq!(serde_json::to_string(&read.json()).expect("JSON"), lead);
        let lead = r#"{"name":"Eva","email":"e@b.co","company":"","position":"","phone":"","projectType":"","message":"","appName":null,"appType":null,"appDescription":null,"form":{"form":"visit","version":"1","page":"/","answers":{"who":"Eva","times":["a"]},"consents":{"privacy":{"words":null,"hash":"x"}},"mail_to":"a@b.co","webhook":"crm","is_answered":true,"needs_confirmation":true}}"#;
        let read = read_contents(lead).expect("contents");
        assert_eq!(
            (&*read.form, &*read.email, read.webhook.as_deref()),
            ("visit", "e@b.co", Some("crm"))
        );
        assert_eq!(serde_json::to_string(&read.json()).expect("JSON"), lead);
        let stored = serde_json::to_string(&read).expect("JSON");
        assert_eq!(read_contents(&stored), Some(read));
        assert_eq!(read_contents("[]"), None);
    }
}
