//! Reads a JSON Schema for forms, editors and translators: what the value at a place of a file can be. It follows
//! references and alternatives, and nothing outside of this crate looks into a schema.

use serde_json::Value;

/// How many references and alternatives are followed, one behind the other.
const MAX_FOLLOWED: usize = 8;

/// The description of a value in a JSON Schema.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    document: &'a Value,
    /// Keywords beside a reference, and then those of what it refers to. The first that has a keyword decides.
    layers: Vec<&'a Value>,
    /// The definition that was referred to last.
    definition: Option<&'a str>,
}

/// A key that a block has by its schema.
#[derive(Debug, Clone)]
pub struct Property<'a> {
    /// The key.
    pub name: &'a str,
    /// The description of its value.
    pub value: Part<'a>,
    /// Whether the block must have it.
    pub required: bool,
}

/// A value out of a few.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AllowedValue<'a> {
    /// The value as it is written.
    pub value: &'a Value,
    /// The name that pages show.
    pub title: Option<&'a str>,
    /// Its meaning, in a sentence.
    pub meaning: Option<&'a str>,
}

impl<'a> Part<'a> {
    /// The description of a whole file.
    pub fn of(document: &'a Value) -> Part<'a> {
        Part::new(document, document)
    }

    fn new(document: &'a Value, schema: &'a Value) -> Part<'a> {
        let mut part = Part {
            document,
            layers: vec![schema],
            definition: None,
        };
        while part.layers.len() <= MAX_FOLLOWED && part.follow_reference() {}
        part
    }

    fn within(&self, schema: &'a Value) -> Part<'a> {
        Part::new(self.document, schema)
    }

    fn follow_reference(&mut self) -> bool {
        let reference = self.layers.last().and_then(|layer| layer["$ref"].as_str());
        let Some(name) = reference.and_then(|text| text.strip_prefix("#/$defs/")) else {
            return false;
        };
        self.definition = Some(name);
        self.layers.push(&self.document["$defs"][name]);
        true
    }

    /// The value in its simplest form: as one text where it can be written as one, and never absent.
    #[must_use]
    pub fn simplest(&self) -> Part<'a> {
        let mut part = self.clone();
        while part.layers.len() <= MAX_FOLLOWED {
            let choices = part
                .layers
                .last()
                .and_then(|layer| layer["anyOf"].as_array());
            let Some(choices) = choices else { break };
            let present = || choices.iter().filter(|choice| choice["type"] != "null");
            let text = present().find(|choice| has_type(&choice["type"], "string"));
            let Some(choice) = text.or_else(|| present().next()) else {
                break;
            };
            part.layers.push(choice);
            while part.layers.len() <= MAX_FOLLOWED && part.follow_reference() {}
        }
        part
    }

    fn keyword(&self, name: &str) -> Option<&'a Value> {
        self.layers.iter().find_map(|layer| layer.get(name))
    }

    fn text(&self, keyword: &str) -> Option<&'a str> {
        self.keyword(keyword).and_then(Value::as_str)
    }

    /// This description, or the first of its alternatives, that has a keyword.
    fn with(&self, keyword: &str) -> Option<Part<'a>> {
        if self.keyword(keyword).is_some() {
            return Some(self.clone());
        }
        self.alternatives()
            .find(|one| one.keyword(keyword).is_some())
    }

    /// The forms in which the value can be written, if the schema lists them.
    pub fn alternatives(&self) -> impl Iterator<Item = Part<'a>> {
        let listed = ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(|name| self.keyword(name)?.as_array());
        listed.flatten().map(|one| self.within(one))
    }

    /// The name of its type, if it has one.
    pub fn definition(&self) -> Option<&'a str> {
        self.definition
    }

    /// Its purpose, in a sentence.
    pub fn meaning(&self) -> Option<&'a str> {
        self.text("description")
    }

    /// The format of a text.
    pub fn format(&self) -> Option<&'a str> {
        self.text("format")
    }

    /// The regular expression of a text.
    pub fn pattern(&self) -> Option<&'a str> {
        self.text("pattern")
    }

    /// An example of the value.
    pub fn example(&self) -> Option<&'a Value> {
        self.keyword("examples")?.get(0)
    }

    /// The least number.
    pub fn minimum(&self) -> Option<&'a Value> {
        self.keyword("minimum")
    }

    /// The greatest number.
    pub fn maximum(&self) -> Option<&'a Value> {
        self.keyword("maximum")
    }

    /// The greatest number of characters.
    pub fn max_length(&self) -> Option<usize> {
        usize::try_from(self.with("maxLength")?.keyword("maxLength")?.as_u64()?).ok()
    }

    /// The collection whose entries the value or its items name.
    pub fn names_entries_of(&self) -> Option<&'a str> {
        self.text("x-collection")
            .or_else(|| self.items()?.text("x-collection"))
    }

    /// Whether the value is on unless somebody turns it off.
    pub fn is_on_by_default(&self) -> bool {
        self.keyword("default").is_some_and(|value| *value == true)
    }

    /// Whether the value can have a type of JSON, such as `string`.
    pub fn can_be(&self, kind: &str) -> bool {
        self.keyword("type")
            .is_some_and(|kinds| has_type(kinds, kind))
    }

    /// Whether it is a list of a limited number of items.
    pub fn is_short_list(&self) -> bool {
        self.keyword("maxItems").is_some()
    }

    /// Whether it is a block with keys of its own, in this form.
    pub fn is_block(&self) -> bool {
        self.keyword("properties").is_some()
    }

    /// Whether it is a block, in any form.
    pub fn can_be_block(&self) -> bool {
        self.with("properties").is_some() || self.with("additionalProperties").is_some()
    }

    /// The keys of a block.
    pub fn properties(&self) -> Vec<Property<'a>> {
        let Some(block) = self.with("properties") else {
            return Vec::new();
        };
        let required = block.keyword("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
        let named = block
            .keyword("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        named
            .map(|(name, value)| Property {
                name,
                value: block.within(value),
                required: is_required(name),
            })
            .collect()
    }

    /// The value of a key that the block has by its schema.
    pub fn property(&self, name: &str) -> Option<Part<'a>> {
        let block = self.with("properties")?;
        block
            .keyword("properties")?
            .get(name)
            .map(|value| block.within(value))
    }

    /// The values of all other keys of a block.
    pub fn other_values(&self) -> Option<Part<'a>> {
        let block = self.with("additionalProperties")?;
        block
            .keyword("additionalProperties")
            .filter(|value| value.is_object())
            .map(|value| block.within(value))
    }

    /// The items of a list.
    pub fn items(&self) -> Option<Part<'a>> {
        let list = self.with("items")?;
        list.keyword("items").map(|items| list.within(items))
    }

    /// The description of a page that is one file, or of its words in a language beside `page.yaml`. Other files have
    /// one form.
    #[must_use]
    pub fn of_page(&self, is_whole: bool) -> Part<'a> {
        let name = if is_whole {
            "whole_page"
        } else {
            "words_of_page"
        };
        self.named(name).unwrap_or_else(|| self.clone())
    }

    fn named(&self, definition: &str) -> Option<Part<'a>> {
        self.document["$defs"]
            .get(definition)
            .map(|schema| self.within(schema))
    }

    /// The names of the kinds of sections, in order.
    pub fn section_kinds(&self) -> Vec<&'a str> {
        let kind = self
            .named("section")
            .and_then(|section| section.property("kind"));
        let kinds = kind.and_then(|kind| kind.keyword("oneOf")?.as_array());
        kinds
            .into_iter()
            .flatten()
            .filter_map(|kind| kind["const"].as_str())
            .collect()
    }

    /// The description of a kind of section.
    pub fn section(&self, kind: &str) -> Option<Part<'a>> {
        self.named(kind)
    }

    /// The description of a section of a kind; what is no section stays.
    #[must_use]
    pub fn of_kind(&self, kind: Option<&str>) -> Part<'a> {
        let section = kind
            .filter(|_| self.is_section())
            .and_then(|kind| self.named(kind));
        section.unwrap_or_else(|| self.clone())
    }

    /// Whether the value is a section, whose kind decides its keys.
    pub fn is_section(&self) -> bool {
        self.definition == Some("section")
    }

    /// The values that are allowed, if they can be counted.
    pub fn choices(&self) -> Option<Vec<AllowedValue<'a>>> {
        if let Some(Value::Array(values)) = self.keyword("enum") {
            return Some(
                values
                    .iter()
                    .map(|value| AllowedValue {
                        value,
                        title: None,
                        meaning: None,
                    })
                    .collect(),
            );
        }
        let choices = self.keyword("oneOf")?.as_array()?.iter();
        choices
            .map(|choice| self.within(choice).only_value())
            .collect()
    }

    fn only_value(&self) -> Option<AllowedValue<'a>> {
        let value = self.keyword("const")?;
        Some(AllowedValue {
            value,
            title: self.text("title"),
            meaning: self.meaning(),
        })
    }

    /// The values of all alternatives that are a few, and those of a switch.
    pub fn values(&self) -> Vec<AllowedValue<'a>> {
        let mut values = match self.keyword("enum") {
            Some(_) => self.choices().unwrap_or_default(),
            None => self.only_value().into_iter().collect(),
        };
        values.extend(self.alternatives().flat_map(|one| one.values()));
        if self.can_be("boolean") {
            values.extend(
                [&Value::Bool(true), &Value::Bool(false)].map(|value| AllowedValue {
                    value,
                    title: None,
                    meaning: None,
                }),
            );
        }
        values
    }
}

fn has_type(kinds: &Value, kind: &str) -> bool {
    match kinds {
        Value::String(one) => one == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_stands_beside_a_reference_goes_before_what_it_refers_to() {
        let schema = json!({
            "properties": {"icon": {"description": "Here.", "anyOf": [{"type": "null"}, {"$ref": "#/$defs/Icon"}]}},
            "required": ["icon"],
            "$defs": {"Icon": {"type": "string", "description": "Anywhere.", "maxLength": 9}},
        });
        let [icon] = &Part::of(&schema).properties()[..] else {
            panic!("a key")
        };
        assert!(icon.required && icon.name == "icon");
        let simplest = icon.value.simplest();
        assert_eq!(
            (simplest.meaning(), simplest.definition()),
            (Some("Here."), Some("Icon"))
        );
        assert!(simplest.can_be("string") && !icon.value.can_be("string"));
        assert_eq!(icon.value.max_length(), Some(9));
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"$ref": "#/$defs/Loop", "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}});
        assert_eq!(Part::of(&schema).simplest().meaning(), None);
    }

    #[test]
    fn values_are_those_of_all_alternatives() {
        let schema = json!({"anyOf": [{"oneOf": [{"const": "a", "description": "A."}]}, {"type": ["boolean", "null"]}]});
        let values: Vec<String> = Part::of(&schema)
            .values()
            .iter()
            .map(|one| one.value.to_string())
            .collect();
        assert_eq!(values, ["\"a\"", "true", "false"]);
    }
}
