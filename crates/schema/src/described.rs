//! The JSON Schema of declared fields, as schemars writes it for the structs of the theme.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value as Json, json};

use crate::types::{Action, Image, Link, Markdown, OneOrMore};

/// The `format` of a picture that is written as the name of its file.
pub const DECORATIVE: &str = "decorative-picture";

use super::limits::{Bound, BoundValue, Pattern};
use super::{Block, Field, Takes, typed};

/// How often a block that contains itself is described within itself; below that, anything may be written.
const MAX_NESTED: usize = 3;

/// The schema of a type, with inlined subschemas.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The JSON schema of fields, as schemars writes it for the structs of the theme.
pub fn json_schema(fields: &Block, meaning: &str) -> Schema {
    let mut schema = block_schema(fields, 0);
    schema.insert("description".to_owned(), Json::from(meaning));
    schema.into()
}

fn block_schema(block: &Block, nested: usize) -> Map<String, Json> {
    let written = || {
        block
            .fields
            .iter()
            .filter(|field| !matches!(field.takes, Takes::Reverse(..)))
    };
    let properties: Map<String, Json> = written()
        .map(|field| (field.name.to_owned(), nested_schema(field, nested)))
        .collect();
    let required = written()
        .filter(|field| field.absent().is_none())
        .map(|field| field.name);
    let schema = json!({"type": "object", "properties": properties, "required": required.collect::<Vec<_>>()});
    schema.as_object().cloned().unwrap_or_default()
}

/// The JSON schema of the values of a field.
pub fn field_schema(field: &Field) -> Json {
    nested_schema(field, 0)
}

fn nested_schema(field: &Field, nested: usize) -> Json {
    let mut one = match &field.takes {
        Takes::Text | Takes::Name | Takes::Token(_) => json!({"type": "string"}),
        Takes::Markdown => schema_of::<Markdown>().to_value(),
        Takes::Link => schema_of::<Link>().to_value(),
        Takes::Number => json!({"type": "integer"}),
        Takes::Flag => json!({"type": "boolean"}),
        Takes::Picture => schema_of::<Image>().to_value(),
        Takes::DecorativePicture => json!({"type": "string", "format": DECORATIVE}),
        Takes::Action => schema_of::<Action>().to_value(),
        Takes::Block(block) => Json::Object(block_schema(block, nested)),
        Takes::Like(around) => match around.block().filter(|_| nested < MAX_NESTED) {
            Some(block) => Json::Object(block_schema(block, nested + 1)),
            None => json!({"type": "object"}),
        },
        Takes::FlagOrText => json!({"type": ["boolean", "string"]}),
        Takes::Values => schema_of::<OneOrMore>().to_value(),
        Takes::Typed(typed) => typed.json_schema(),
        Takes::Reference(to) => {
            json!({"type": "string", "format": "reference", "x-collection": to})
        }
        Takes::Reverse(..) => json!(false),
        Takes::Choice {
            names,
            meanings,
            shown,
            ..
        } => {
            // A name needs no explanation.
            let key = if shown.is_empty() {
                "description"
            } else {
                "title"
            };
            let choices = names.iter().zip(meanings);
            let choices: Vec<Json> = choices
                .map(|(name, meaning)| json!({"const": name, key: meaning}))
                .collect();
            json!({"oneOf": choices})
        }
    };
    let (least, most) = match field.takes {
        Takes::Text => ("minLength", "maxLength"),
        _ => ("minimum", "maximum"),
    };
    for (keyword, bound) in [(least, &field.limits.min), (most, &field.limits.max)] {
        // JSON Schema has bounds for numbers and lengths only.
        if let Some(Bound {
            value: BoundValue::Number(number),
            ..
        }) = bound
        {
            one[keyword] = Json::from(*number);
        }
    }
    if let Some(Pattern(regex)) = &field.limits.pattern {
        one["pattern"] = Json::from(regex.as_str());
    }
    let listed = if field.list {
        json!({"type": "array", "items": one})
    } else {
        one
    };
    let mut schema = if field.map {
        json!({"type": "object", "additionalProperties": listed})
    } else {
        listed
    };
    schema["description"] = Json::from(field.meaning.as_str());
    let default = field
        .absent()
        .map(|value| typed(&value).map_or(value, |typed| Json::from(typed.machine())));
    if let Some(default @ (Json::String(_) | Json::Bool(_))) = default {
        schema["default"] = default;
    }
    schema
}
