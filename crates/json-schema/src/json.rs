//! JSON Schema, draft 2020-12: how the content of a file is written for editors of other people, and how the description that
//! schemars makes of a struct is read. No other file knows the keywords.

use std::any::type_name;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json, json};

use super::expected::{
    AllowedValue, Expected, FileContents, KeyBlock, NamedType, Property, Scalar, ScalarKind,
    ValueForm, sentence,
};

/// The kinds of values without parts, by their names in JSON Schema.
const KINDS: [(&str, ScalarKind); 4] = [
    ("boolean", ScalarKind::Flag),
    ("integer", ScalarKind::Whole),
    ("number", ScalarKind::Number),
    ("string", ScalarKind::Text),
];

/// The description of a type. It is made once, because it is kept for the life of the process.
pub(super) fn of<T: JsonSchema>() -> Expected {
    static KNOWN: Mutex<BTreeMap<&str, Expected>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let made = known.entry(type_name::<T>()).or_insert_with(|| {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let mut schema = generator.subschema_for::<T>();
        schema.insert("$defs".to_owned(), generator.take_definitions(false).into());
        read(schema.to_value())
    });
    made.clone()
}

/// Reads a schema as schemars writes it, which is kept for the life of the process.
pub fn read(document: Json) -> Expected {
    let document: &'static Json = Box::leak(Box::new(document));
    Document(document).read(document)
}

/// A type that a document names.
pub(super) fn read_type(named: &NamedType) -> Expected {
    let document = Document(named.document);
    document.read(&named.document["$defs"][&named.name])
}

struct Document(&'static Json);

impl Document {
    fn read(&self, schema: &Json) -> Expected {
        let mut expected = self.form(schema);
        expected.meaning = meaning(schema).or(expected.meaning);
        // A default that says nothing is none.
        let nothing = [json!(null), json!(""), json!([]), json!({})];
        let default = schema
            .get("default")
            .filter(|value| !nothing.contains(value));
        expected.default = default.cloned().or(expected.default);
        expected
    }

    fn form(&self, schema: &Json) -> Expected {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let named = NamedType {
                name: name.to_owned(),
                document: self.0,
                expected: OnceLock::new(),
            };
            return ValueForm::Type(Box::leak(Box::new(named))).into();
        }
        if let Some(allowed) = allowed(schema) {
            return ValueForm::Choice(allowed).into();
        }
        if let Some(all) = schema["anyOf"].as_array() {
            let present = all.iter().filter(|one| one["type"] != "null");
            let mut forms: Vec<Expected> = present.map(|one| self.read(one)).collect();
            let or_null = forms.len() < all.len();
            let mut expected = match forms.len() {
                1 => forms.remove(0),
                _ => ValueForm::Either(forms).into(),
            };
            expected.or_null |= or_null;
            return expected;
        }
        let can_be = |name: &str| match &schema["type"] {
            Json::Array(names) => names.iter().any(|one| one == name),
            one => one == name,
        };
        let kinds = KINDS.iter().filter(|(name, _)| can_be(name));
        let kinds: Vec<ScalarKind> = kinds.map(|(_, kind)| *kind).collect();
        let mut expected: Expected = if can_be("array") {
            let items = Box::new(self.read(&schema["items"]));
            ValueForm::List(items, schema["maxItems"].as_u64()).into()
        } else if can_be("object") || schema.get("properties").is_some() {
            self.block(schema).into()
        } else if kinds.is_empty() {
            Expected::default()
        } else {
            let number = |keywords: [&str; 2]| {
                let mut given = keywords.iter().map(|keyword| &schema[keyword]);
                given.find_map(|value| value.as_number().cloned())
            };
            let scalar = Scalar {
                kinds,
                format: text(schema, "format"),
                pattern: text(schema, "pattern"),
                typed: None,
                min: number(["minimum", "minLength"]),
                max: number(["maximum", "maxLength"]),
            };
            scalar.into()
        };
        expected.or_null = can_be("null");
        expected
    }

    fn block(&self, schema: &Json) -> KeyBlock {
        let required = schema["required"].as_array();
        let known = schema["properties"].as_object();
        let keys = known.into_iter().flatten().map(|(name, value)| Property {
            required: required.is_some_and(|names| names.iter().any(|one| one == name)),
            ..Property::new(name, self.read(value))
        });
        let others = match &schema["additionalProperties"] {
            Json::Bool(false) => None,
            // Keys that no field has are reported, whatever the block.
            Json::Null if known.is_some() => None,
            others => Some(Box::new(self.read(others))),
        };
        KeyBlock {
            others,
            format: text(schema, "format"),
            ..KeyBlock::of(keys.collect())
        }
    }
}

fn text(schema: &Json, keyword: &str) -> Option<String> {
    schema[keyword].as_str().map(str::to_owned)
}

fn meaning(schema: &Json) -> Option<String> {
    schema["description"].as_str().and_then(sentence)
}

/// The values that a schema lists, if it lists all.
fn allowed(schema: &Json) -> Option<Vec<AllowedValue>> {
    if let Some(value) = schema.get("const") {
        return Some(vec![AllowedValue::new(value.clone(), meaning(schema))]);
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().cloned();
        return Some(values.map(|value| AllowedValue::new(value, None)).collect());
    }
    let lists: Option<Vec<_>> = schema["oneOf"].as_array()?.iter().map(allowed).collect();
    Some(lists?.concat())
}

/// The JSON Schema of a file.
pub(super) fn document(title: &str, file: &FileContents) -> Json {
    let mut writer = Writer {
        is_part: file.is_part,
        types: Map::new(),
    };
    let mut root = writer.written(&file.whole);
    if let Some(words) = &file.words {
        root = json!({
            "if": {
                "type": "object",
                "properties": {"sections": {"type": "array", "contains": {"type": "object"}}},
                "required": ["sections"],
                "additionalProperties": true,
            },
            "then": root,
            "else": writer.written(words),
        });
    }
    let mut document =
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title});
    for (keyword, value) in root.as_object().into_iter().flatten() {
        document[keyword] = value.clone();
    }
    document["$defs"] = writer.types.into();
    document
}

/// A schema without the keywords that have no value.
fn present(mut schema: Json) -> Json {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.retain(|_, value| !value.is_null());
    }
    schema
}

/// Writes descriptions, and the types that they name.
struct Writer {
    is_part: bool,
    types: Map<String, Json>,
}

impl Writer {
    fn written(&mut self, expected: &Expected) -> Json {
        let mut schema = match &expected.form {
            ValueForm::Any => json!({}),
            ValueForm::Plain(plain) => scalar(plain),
            ValueForm::Choice(values) => choice(values),
            ValueForm::List(items, count) => json!({
                "type": "array", "items": self.written(items), "minItems": count, "maxItems": count,
            }),
            ValueForm::Block(block) => self.block(block),
            ValueForm::Type(named) => self.named(&named.name, named.expected()),
            ValueForm::Either(forms) => {
                let forms: Json = forms.iter().map(|form| self.written(form)).collect();
                json!({"anyOf": forms})
            }
        };
        if expected.or_null {
            match schema.get_mut("type") {
                Some(Json::Array(kinds)) => kinds.push(json!("null")),
                Some(kind) => *kind = json!([kind, "null"]),
                None => schema = json!({"anyOf": [schema, {"type": "null"}]}),
            }
        }
        schema["description"] = json!(expected.meaning);
        schema["default"] = json!(expected.default);
        present(schema)
    }

    /// Refers to a definition.
    fn named(&mut self, name: &str, expected: &Expected) -> Json {
        if !self.types.contains_key(name) {
            // It may contain itself.
            self.types.insert(name.to_owned(), Json::Null);
            let written = self.written(expected);
            self.types.insert(name.to_owned(), written);
        }
        json!({"$ref": format!("#/$defs/{name}")})
    }

    fn block(&mut self, block: &KeyBlock) -> Json {
        let keys = block.keys.iter();
        let known: Map<String, Json> = keys
            .map(|key| (key.name.clone(), self.written(&key.value)))
            .collect();
        // Every section has its kind.
        let is_whole = !self.is_part || block.is_section();
        let required = block.keys.iter().filter(|key| key.required && is_whole);
        let required: Json = required.map(|key| key.name.as_str()).collect();
        let kinds = block.kinds.iter().map(|(name, section)| {
            json!({
                "if": {"type": "object", "properties": {"kind": {"const": name}}, "required": ["kind"], "additionalProperties": true},
                "then": self.named(name, section),
            })
        });
        let kinds: Json = kinds.collect();
        json!({
            "type": "object",
            "properties": (!known.is_empty()).then_some(known),
            "required": required,
            "additionalProperties": block.others.as_deref().map_or(json!(false), |others| self.written(others)),
            "patternProperties": block.paths.as_ref().map(|paths| json!({r"\.": self.written(paths)})),
            "not": block.not_enough.as_ref().map(|keys| json!({"propertyNames": {"enum": keys}})),
            "allOf": block.is_section().then_some(kinds),
        })
    }
}

fn scalar(scalar: &Scalar) -> Json {
    let is_text = scalar.can_be(ScalarKind::Text);
    // Where text is expected, a number is the text that it is written as.
    let is_written = |kind| {
        scalar.can_be(kind) || kind == ScalarKind::Number && is_text && scalar.pattern.is_none()
    };
    let kinds = KINDS.iter().filter(|(_, kind)| is_written(*kind));
    let kinds: Vec<&str> = kinds.map(|(name, _)| *name).collect();
    let (min, max) = if is_text {
        ("minLength", "maxLength")
    } else {
        ("minimum", "maximum")
    };
    let examples = scalar.typed.map(|typed| [typed.example()]);
    json!({
        "type": kinds, min: scalar.min, max: scalar.max, "pattern": scalar.pattern, "examples": examples,
    })
}

fn choice(values: &[AllowedValue]) -> Json {
    let is_described = values
        .iter()
        .any(|one| one.title.is_some() || one.meaning.is_some());
    let written = values.iter().map(|one| {
        if is_described {
            present(json!({"const": one.value, "title": one.title, "description": one.meaning}))
        } else {
            one.value.clone()
        }
    });
    let written: Json = written.collect();
    match values {
        _ if is_described => json!({"oneOf": written}),
        [one] => json!({"const": one.value}),
        _ => json!({"enum": written}),
    }
}
