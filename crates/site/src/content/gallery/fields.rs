//! The fields of all section kinds, from the JSON schema of their structs: names, types, whether they are required, and
//! descriptions, which are the doc comments in the code.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use schemars::Schema;
use serde::Serialize;
use serde_json::Value;

use super::super::sections::{KINDS, SectionKind, common_schema, schema};

/// A field, or a nested field.
#[derive(Debug, Clone, Serialize)]
pub struct FieldRow {
    /// Its name.
    pub name: String,
    /// The path of its parent: `actions[].` for the field `label` of each action.
    pub within: String,
    /// Nesting depth, from 0.
    pub depth: usize,
    /// Its type.
    pub takes: Takes,
    /// It is a list of that type.
    pub many: bool,
    /// It is required.
    pub required: bool,
    /// Its default, as written in YAML.
    pub default: Option<String>,
    /// Its description.
    pub meaning: String,
    /// The allowed values of a choice.
    pub choices: Vec<Choice>,
}

/// An allowed value of a field.
#[derive(Debug, Clone, Serialize)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// Its description.
    pub meaning: String,
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    /// Plain text.
    Text,
    /// Markdown text.
    Markdown,
    /// A link target: `page:<key>` or a URL.
    Link,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
    /// `true`, `false` or text.
    FlagOrText,
    /// One of several values.
    Choice,
    /// A picture, with nested fields.
    Picture,
    /// Nested fields.
    Block,
    /// A map with arbitrary keys.
    Names,
}

/// The description of a section kind, and its fields: its own, then the common ones.
pub type KindReference = (String, Arc<[FieldRow]>);

/// The kinds of the theme, computed once.
static REFERENCE: LazyLock<BTreeMap<&'static str, KindReference>> =
    LazyLock::new(|| KINDS.iter().filter_map(|kind| Some((kind.name, describe(&schema(kind)?)))).collect());

/// The description of a section kind, and its fields.
pub fn reference(kind: &SectionKind) -> KindReference {
    match kind.custom {
        None => REFERENCE.get(kind.name).cloned(),
        Some(_) => schema(kind).map(|schema| describe(&schema)),
    }
    .unwrap_or_default()
}

fn describe(schema: &Schema) -> KindReference {
    let mut rows = Vec::new();
    for schema in [schema, &common_schema()] {
        let root = schema.as_value();
        Reader { root, rows: &mut rows, open: Vec::new() }.block(root, "", 0);
    }
    (text(schema.as_value(), "description"), rows.into())
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

struct Reader<'a> {
    root: &'a Value,
    rows: &'a mut Vec<FieldRow>,
    /// Names of the open blocks. Recursive blocks are described once.
    open: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    /// Adds the fields of a block.
    fn block(&mut self, schema: &'a Value, path: &str, depth: usize) {
        let Some(properties) = schema["properties"].as_object() else { return };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in properties {
            self.field(field, path, name, depth, required.contains(&name.as_str()));
        }
    }

    fn field(&mut self, field: &'a Value, within: &str, name: &str, depth: usize, required: bool) {
        let (own, known) = self.resolved(field);
        let many = own["items"].is_object();
        let (inner, known) = if many { self.resolved(&own["items"]) } else { (own, known) };
        let choices = choices(inner);
        let takes = takes(inner, !choices.is_empty());
        let default = match &field["default"] {
            Value::String(text) => Some(text.clone()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        };
        let meaning = text(field, "description");
        let (name, within) = (name.to_owned(), within.to_owned());
        let below = format!("{within}{name}{}.", if many { "[]" } else { "" });
        self.rows.push(FieldRow { name, within, depth, takes, many, required, default, meaning, choices });
        if known.is_some_and(|known| self.open.contains(&known)) {
            return;
        }
        self.open.extend(known);
        self.block(inner, &below, depth + 1);
        if known.is_some() {
            self.open.pop();
        }
    }

    /// Resolves optional types and references. Returns the schema, and the name of its definition.
    fn resolved(&self, schema: &'a Value) -> (&'a Value, Option<&'a str>) {
        let something = schema["anyOf"].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null"));
        let schema = something.unwrap_or(schema);
        let Some(name) = schema["$ref"].as_str().and_then(|way| way.rsplit('/').next()) else { return (schema, None) };
        (if name == "#" { self.root } else { &self.root["$defs"][name] }, Some(name))
    }
}

fn choices(schema: &Value) -> Vec<Choice> {
    let plain = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let plain = plain.map(|value| Choice { value: value.to_owned(), meaning: String::new() });
    let described = schema["oneOf"].as_array().into_iter().flatten().filter_map(|one| {
        let value = one["const"].as_str()?.to_owned();
        Some(Choice { value, meaning: text(one, "description") })
    });
    plain.chain(described).collect()
}

fn takes(schema: &Value, is_choice: bool) -> Takes {
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
        _ => Vec::new(),
    };
    match (kinds.as_slice(), schema["format"].as_str()) {
        _ if is_choice => Takes::Choice,
        (_, Some("markdown")) => Takes::Markdown,
        (_, Some("link")) => Takes::Link,
        (_, Some("picture")) => Takes::Picture,
        (["integer"], _) => Takes::Number,
        (["boolean"], _) => Takes::Flag,
        (["boolean", "string"], _) => Takes::FlagOrText,
        (["object"], _) if schema["properties"].is_object() => Takes::Block,
        (["object"], _) => Takes::Names,
        _ => Takes::Text,
    }
}
