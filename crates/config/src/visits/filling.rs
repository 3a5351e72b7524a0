//! Texts and calls of a preset with the values of a site in them.

use std::collections::BTreeMap;

/// The placeholders that an event fills in, in the browser.
const OF_EVENTS: [&str; 4] = ["date", "form", "query", "time"];
/// The values by field. A field with a default that needs another value has none without it.
#[derive(Debug, Default)]
pub(super) struct Values(BTreeMap<String, String>);

impl Values {
    /// Gives a field a value.
    pub fn insert(&mut self, field: String, value: String) {
        self.0.insert(field, value);
    }

    /// Whether a field has a value.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// A text with the values, or the name of a field that has none. What an event fills in stays as it is.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else {
                break;
            };
            filled.push_str(before);
            match self.0.get(name) {
                Some(value) => filled.push_str(value),
                None if OF_EVENTS.contains(&name) => filled.extend(["{", name, "}"]),
                None => return Err(name.to_owned()),
            }
            rest = after;
        }
        Ok(filled + rest)
    }

    /// [`Values::fill`] for each text in a value.
    pub fn fill_all(&self, value: &serde_json::Value) -> Result<serde_json::Value, String> {
        Ok(match value {
            serde_json::Value::String(text) => serde_json::Value::String(self.fill(text)?),
            serde_json::Value::Array(values) => serde_json::Value::Array(
                values
                    .iter()
                    .map(|value| self.fill_all(value))
                    .collect::<Result<_, _>>()?,
            ),
            serde_json::Value::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), self.fill_all(value)?)));
                serde_json::Value::Object(entries.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// Whether a condition holds: `always`, or the name of a field that is `true`.
    pub fn holds(&self, condition: &str) -> bool {
        condition == "always" || self.0.get(condition).is_some_and(|value| value == "true")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_names_the_field_that_is_missing() {
        let values = Values([("host".to_owned(), "https://a.example".to_owned())].into());
        assert_eq!(
            values.fill("{host}/x.js").as_deref(),
            Ok("https://a.example/x.js")
        );
        assert_eq!(values.fill("{query} {").as_deref(), Ok("{query} {"));
        assert_eq!(values.fill("{id}"), Err("id".to_owned()));
    }
}
