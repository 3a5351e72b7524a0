//! The values of an entry in a short form. As a tree of JSON, the values of 10,000 entries in two languages took 110 MB.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use schema::Block;

/// The values of an entry by the fields of its schema, in the order in which they were written, with links, Markdown, pictures
/// and typed values as marked objects.
#[derive(Debug, Clone)]
pub struct EntryValues {
    fields: &'static Block,
    written: Arc<Written>,
}

/// The values as JSON, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    json: Box<str>,
    /// The index of the field of each value, and where the value ends.
    slots: Box<[(u16, u32)]>,
}

impl Written {
    /// The values of fields that the block has.
    pub fn new<'v>(
        fields: &Block,
        values: impl IntoIterator<Item = (&'v String, &'v Json)>,
    ) -> Written {
        let (mut json, mut slots) = (String::new(), Vec::new());
        for (name, value) in values {
            let field = fields.fields.iter().position(|field| field.name == name);
            let Some(field) = field.and_then(|field| u16::try_from(field).ok()) else {
                continue;
            };
            json.push_str(&value.to_string());
            // A file of several gigabytes was refused.
            slots.push((field, u32::try_from(json.len()).unwrap_or(u32::MAX)));
        }
        Written {
            json: json.into(),
            slots: slots.into(),
        }
    }

    /// The values by the names of their fields, as JSON.
    fn slots<'a>(&'a self, fields: &'a Block) -> impl Iterator<Item = (&'static str, &'a str)> {
        let starts = std::iter::once(0).chain(self.slots.iter().map(|(_, end)| *end));
        self.slots
            .iter()
            .zip(starts)
            .filter_map(|((field, end), start)| {
                let name = fields.fields.get(usize::from(*field))?.name;
                Some((name, self.json.get(start as usize..*end as usize)?))
            })
    }

    /// All values, in their order.
    pub fn all(&self, fields: &Block) -> Map<String, Json> {
        let values = self.slots(fields).filter_map(|(name, json)| {
            Some((name.to_owned(), serde_json::from_str::<Json>(json).ok()?))
        });
        values.collect()
    }
}

impl EntryValues {
    /// The values that were read by a schema.
    pub fn new(fields: &'static Block, values: &Json) -> EntryValues {
        let written = Written::new(fields, values.as_object().into_iter().flatten());
        EntryValues::from_written(fields, Arc::new(written))
    }

    pub(super) fn from_written(fields: &'static Block, written: Arc<Written>) -> EntryValues {
        EntryValues { fields, written }
    }

    pub(super) fn written(&self) -> &Arc<Written> {
        &self.written
    }

    fn slots(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.written.slots(self.fields)
    }

    /// The value of a field; `None` if it has no such field.
    pub fn get(&self, field: &str) -> Option<Json> {
        let (_, json) = self.slots().find(|(name, _)| *name == field)?;
        serde_json::from_str(json).ok()
    }

    /// The text of a field.
    pub fn text(&self, field: &str) -> Option<String> {
        match self.get(field)? {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a field has a value.
    pub fn has(&self, field: &str) -> bool {
        self.slots()
            .any(|(name, json)| name == field && !matches!(json, "null" | "[]"))
    }

    /// All values, in their order.
    pub fn all(&self) -> Json {
        Json::Object(self.written.all(self.fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::posts_of_theme;
    use super::EntryValues;

    #[test]
    fn values_come_back_as_they_were_in_their_order() {
        let fields = &posts_of_theme().fields;
        let given = json!({"title": "Ün \"x\"", "tags": ["a", "b"], "date": {"$typed": {"x": [0.1, 1e300, null]}}, "draft": false,
            "excerpt": null, "key": ""});
        let values = EntryValues::new(fields, &given);
        assert_eq!(values.all().to_string(), given.to_string());
        assert_eq!(values.get("tags"), Some(json!(["a", "b"])));
        assert_eq!(values.text("title").as_deref(), Some("Ün \"x\""));
        assert!(values.has("draft") && values.has("key"));
        assert!(!values.has("excerpt") && !values.has("author"));
        assert_eq!((values.get("author"), values.text("tags")), (None, None));
    }

    #[test]
    fn fractions_come_back_as_they_were() {
        let fields = &posts_of_theme().fields;
        for number in [
            0.1,
            1.0 / 3.0,
            2.225_073_858_507_201_4e-308,
            123_456_789.123_456_79,
        ] {
            let given = json!({"title": number});
            assert_eq!(EntryValues::new(fields, &given).all(), given);
        }
    }
}
