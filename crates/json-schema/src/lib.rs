//! JSON Schemas of the YAML files of a site, for editors and pipelines: `sitegen schema`.
//!
//! They come from the structs that read the files, so a schema knows every key, type and allowed value, and what each
//! means. It describes one file: relations between files, such as a link and its target, only `sitegen check` knows.

mod part;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use config::{Config, SiteSettings, VisitsPreset};
use diagnostics::problem::Problems;
use languages::locale::LocaleFile;

use config::design::DeclaredPair;
use config::fonts::Font;
use config::look::DeclaredLook;
use content::collections::{
    Collection, CollectionFile, CollectionSchema, Collections, KEY_OF_ROW, SETTINGS, posts_of_theme,
};
use content::forms::{FormFile, FormWords};
use content::gallery::{ComponentFile, SectionExample};
use content::pages::{self, PageHead};
use content::sections::{self, Kinds, SchemaFile};
use content::style_guide::SidebarLink;
use schema::types::{Action, Image};
use schema::{Field, Takes};
use workspace::kinds::Kind;

pub use part::{AllowedValue, Part, Property};

/// The JSON Schema of a kind of file, before it is written for editors or for forms.
fn described_by(kind: Kind, generator: &mut SchemaGenerator, kinds: &Kinds) -> Schema {
    match kind {
        Kind::Collection => of::<CollectionFile>(generator),
        Kind::ComponentExamples => of::<ComponentFile>(generator),
        Kind::Design => design(generator, kinds),
        Kind::Form => of::<FormFile>(generator),
        Kind::FormWords => of::<FormWords>(generator),
        Kind::Locale => of::<LocaleFile>(generator),
        Kind::Page => page(generator, kinds),
        Kind::PageStructure => page_structure(generator, kinds),
        // The schema of a site's own posts goes before that of the theme.
        Kind::Post => Schema::try_from(block_of_entry(posts_of_theme(), &[])).unwrap_or_default(),
        Kind::SectionExamples => section_examples(generator, kinds),
        Kind::SectionKind => of::<SchemaFile>(generator),
        Kind::Sidebar => of::<Vec<SidebarLink>>(generator),
        Kind::Site => requiring(of::<SiteSettings>(generator), SiteSettings::REQUIRED),
        Kind::Terms => of::<Vec<translations::terms::Term>>(generator),
        Kind::VisitsPreset => of::<VisitsPreset>(generator),
    }
}

/// The files of a collection that have one schema.
#[derive(Debug)]
pub struct EntryFiles {
    /// The name of the kind of file: `collection-events`, or `collection-events-words` for files of one language.
    pub name: String,
    /// The purpose of such a file.
    pub meaning: String,
    /// Patterns of its paths, as those of a [`Kind`].
    pub files: Vec<String>,
    /// The schema, draft 2020-12.
    pub schema: Value,
}

/// The kinds of files that the collections of a site have, those of the theme included.
pub fn of_collections(config: &Config) -> Vec<EntryFiles> {
    // A mistake in the theme has nothing to do with schemas.
    let _ = content::lay_out_theme(config);
    let codes = config
        .site
        .locales
        .iter()
        .map(|code| &code.value)
        .chain(&config.site.withheld);
    let languages: Vec<&str> = codes.map(String::as_str).collect();
    let ((schemas, _), _) = content::collections::load_schemas(config);
    schemas
        .iter()
        .flat_map(|schema| files_of_collection(schema, &languages))
        .collect()
}

/// The schema of the front matter of posts in a site, with the fields that it adds. `format` says which texts are links,
/// Markdown, pictures and references.
pub fn of_posts(config: &Config) -> Value {
    let ((schemas, _), _) = content::collections::load_schemas(config);
    let schema = schemas
        .into_iter()
        .find(|schema| schema.is_of_posts())
        .unwrap_or_else(posts_of_theme);
    let mut document = Schema::try_from(block_of_entry(schema, &[])).unwrap_or_default();
    RecursiveTransform(described).transform(&mut document);
    document.to_value()
}

fn files_of_collection(schema: &CollectionSchema, languages: &[&str]) -> Vec<EntryFiles> {
    let name = schema.name;
    let whole = block_of_entry(schema, languages);
    let kind = |name: String, files: Vec<String>, block: Value| {
        let mut document = Map::new();
        document.insert(
            "$schema".to_owned(),
            json!("https://json-schema.org/draft/2020-12/schema"),
        );
        document.insert("title".to_owned(), json!(schema.meaning));
        document.extend(block.as_object().cloned().unwrap_or_default());
        let mut document = Schema::from(document);
        RecursiveTransform(as_read).transform(&mut document);
        EntryFiles {
            name,
            meaning: schema.meaning.clone(),
            files,
            schema: document.to_value(),
        }
    };
    if name == SETTINGS {
        return vec![kind(
            "settings".to_owned(),
            vec!["content/settings.yaml".to_owned()],
            whole,
        )];
    }
    if schema.is_of_posts() {
        return vec![kind(
            Kind::Post.name().to_owned(),
            Kind::Post.patterns(),
            whole,
        )];
    }
    if schema.url.is_some() {
        return Vec::new();
    }
    if let Some((file, _)) = &schema.file {
        if !file.ends_with(".yaml") {
            return Vec::new();
        }
        let mut row = whole.clone();
        row["properties"][KEY_OF_ROW] = json!({"type": "string", "description": "Its key."});
        let table = json!({"anyOf": [
            {"type": "object", "additionalProperties": whole},
            {"type": "array", "items": row},
        ]});
        return vec![kind(
            format!("collection-{name}"),
            vec![format!("content/{name}/{file}")],
            table,
        )];
    }
    let own = vec![
        format!("content/{name}/*.yaml"),
        format!("content/{name}/*/entry.yaml"),
    ];
    let mut words = whole.clone();
    if let Some(words) = words.as_object_mut() {
        words.remove("required");
    }
    // A file of one language may replace a part of a value by its path: `prices.1.label`.
    words["patternProperties"] = json!({r"\.": {}});
    let of_words = vec![
        format!("content/{name}/*/*.yaml"),
        format!("!content/{name}/*/entry.yaml"),
    ];
    vec![
        kind(format!("collection-{name}"), own, whole),
        kind(format!("collection-{name}-words"), of_words, words),
    ]
}

/// The schema of the values of an entry. What a file of a language may give is not required in that of facts.
fn block_of_entry(schema: &CollectionSchema, languages: &[&str]) -> Value {
    let fields = || {
        schema
            .fields
            .fields
            .iter()
            .filter(|field| !matches!(field.takes, Takes::Reverse(..)))
    };
    let properties = fields().map(|field| {
        (
            field.name.to_owned(),
            in_languages(field, schema::field_schema(field), languages),
        )
    });
    let properties: Map<String, Value> = properties.collect();
    let required: Vec<&str> = fields()
        .filter(|field| !field.words && field.absent().is_none())
        .map(|field| field.name)
        .collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The schema of a field, whose words may have a text for each language.
fn in_languages(field: &Field, value: Value, languages: &[&str]) -> Value {
    if !field.words {
        return value;
    }
    let meaning = value["description"].clone();
    let texts: Map<String, Value> = languages
        .iter()
        .map(|code| ((*code).to_owned(), value.clone()))
        .collect();
    json!({"description": meaning, "anyOf": [value, {"type": "object", "properties": texts}]})
}

/// The section kinds of a site, and their problems.
pub fn kinds(config: &Config) -> (Kinds, Problems) {
    let mut problems = content::lay_out_theme(config);
    let kinds = problems.take(sections::load_kinds(&config.paths.theme_root()));
    (kinds, problems)
}

/// The schema, draft 2020-12, of a kind of file in a site with these section kinds.
pub fn schema_of(kind: Kind, kinds: &Kinds) -> Value {
    transformed(kind, kinds, as_read)
}

/// The schema for forms: `format` says which texts are links, Markdown, pictures and clients, and a text is no number.
pub fn form_schema(kind: Kind, kinds: &Kinds) -> Value {
    transformed(kind, kinds, described)
}

fn transformed(kind: Kind, kinds: &Kinds, transform: fn(&mut Schema)) -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let root = described_by(kind, &mut generator, kinds);
    let mut document = Map::new();
    document.insert(
        "$schema".to_owned(),
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    document.insert("title".to_owned(), json!(kind.meaning()));
    document.extend(root.to_value().as_object().cloned().unwrap_or_default());
    let mut definitions = generator.take_definitions(false);
    if let Some(Value::Object(own)) = document.remove("$defs") {
        definitions.extend(own);
    }
    if !definitions.is_empty() {
        document.insert("$defs".to_owned(), Value::Object(definitions));
    }
    let mut document = Schema::from(document);
    RecursiveTransform(transform).transform(&mut document);
    document.to_value()
}

/// The schema of the entries of a collection, for editors. A word may have a text for each language, and the values of a
/// reference are the entries that there are, with their names.
pub fn entry_schema(
    collections: &Collections,
    collection: &Collection,
    languages: &[&str],
) -> Value {
    let fields = collection
        .schema
        .fields
        .fields
        .iter()
        .filter(|field| !matches!(field.takes, Takes::Reverse(..)));
    let properties = fields.map(|field| {
        let mut value = schema::field_schema(field);
        if let Takes::Reference(to) = field.takes {
            let entries = collections.named(to).into_iter().flat_map(|other| other.entries.iter());
            let public =
                entries.map(|entry| json!({"const": entry.key, "description": entry.name().unwrap_or_default()}));
            // A reference to an entry that is not public yet is no mistake.
            let withdrawn = collections.named(to).into_iter().flat_map(|other| &other.withdrawn);
            let withdrawn = withdrawn.map(|entry| json!({"const": entry.key, "description": "not public now"}));
            let choices: Vec<Value> = public.chain(withdrawn).collect();
            let one = if field.list { &mut value["items"] } else { &mut value };
            one["oneOf"] = json!(choices);
        }
        (field.name.to_owned(), in_languages(field, value, languages))
    });
    let properties: Map<String, Value> = properties.collect();
    let mut schema =
        json!({"title": collection.schema.meaning, "type": "object", "properties": properties});
    if collection.schema.is_of_posts() {
        // All fields of a post are in its file.
        schema["required"] = json!(collection.schema.fields.required());
    }
    schema
}

/// The schema of a type. Types that it names become definitions.
fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

/// A schema of a block of keys.
fn object(mut keywords: Value) -> Schema {
    keywords["type"] = json!("object");
    Schema::try_from(keywords).unwrap_or_default()
}

fn requiring(mut schema: Schema, keys: &[&str]) -> Schema {
    schema.insert("required".to_owned(), json!(keys));
    schema
}

/// Adapts a schema that describes JSON to what the files are read as.
fn as_read(schema: &mut Schema) {
    // Keys that no field has are reported, whatever the block.
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    let is_any_text = ["enum", "const", "pattern"]
        .iter()
        .all(|keyword| schema.get(*keyword).is_none());
    // Where text is expected, a number is the text that it is written as.
    let kinds: Vec<String> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => kinds
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    if is_any_text && kinds.iter().any(|kind| kind == "string") {
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).chain(["number"]).collect();
        schema.insert("type".to_owned(), json!(kinds));
    }
    described(schema);
    // Formats mark types for the style guide; JSON Schema does not have them.
    schema.remove("format");
}

/// Makes descriptions sentences of one line, and drops defaults that say nothing.
fn described(schema: &mut Schema) {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    };
    if schema.get("default").is_some_and(is_empty) {
        schema.remove("default");
    }
    if let Some(Value::String(meaning)) = schema.get("description") {
        let meaning = meaning
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(['[', ']'], "");
        schema.insert("description".to_owned(), json!(meaning));
    }
}

fn design(generator: &mut SchemaGenerator, _: &Kinds) -> Schema {
    let pairs = generator.subschema_for::<Vec<DeclaredPair>>();
    let look = generator.subschema_for::<DeclaredLook>();
    let fonts = generator.subschema_for::<Vec<Font>>();
    let described = |schema: &Schema, meaning: &str| {
        let mut schema = schema.clone();
        schema.insert("description".to_owned(), json!(meaning));
        schema
    };
    object(json!({
        "properties": {
            "contrast": described(&pairs, "Pairs of text and background with enough contrast."),
            "forbidden": described(&pairs, "Pairs that text must not use, each with the reason."),
            "look": described(&look, "Variants of the theme."),
            "fonts": described(&fonts, "Fonts from npm packages, by token."),
            "preload_fonts": {
                "description": "Names of font files that pages load before anything else.",
                "type": "array",
                "items": {"type": "string"},
            },
        },
        "additionalProperties": {
            "description": "A group of tokens: `ink` in `color` is the custom property `--color-ink`.",
            "type": "object",
            "additionalProperties": {"type": "string"},
        },
    }))
}

fn section_examples(generator: &mut SchemaGenerator, kinds: &Kinds) -> Schema {
    let mut example = of::<SectionExample>(generator);
    if let Some(Value::Object(properties)) = example.get_mut("properties") {
        properties.insert("section".to_owned(), json!({"$ref": "#/$defs/section"}));
    }
    let definitions = section_definitions(kinds);
    let mut list = Map::new();
    list.insert("type".to_owned(), json!("array"));
    list.insert("items".to_owned(), example.to_value());
    list.insert("$defs".to_owned(), Value::Object(definitions));
    list.into()
}

/// The definitions `section`, and one of each section kind, by its name.
fn section_definitions(kinds: &Kinds) -> Map<String, Value> {
    let common = schema::json_schema(sections::common(), "").to_value();
    let parts = [
        ("Action", schema::schema_of::<Action>()),
        ("Image", schema::schema_of::<Image>()),
    ];
    let parts = parts.map(|(name, schema)| (name, without_root(schema)));
    let mut definitions: Map<String, Value> = parts
        .iter()
        .map(|(name, part)| ((*name).to_owned(), part.clone()))
        .collect();
    let (mut names, mut rules) = (Vec::new(), Vec::new());
    for kind in kinds.iter() {
        let mut schema = sections::json_schema(kind).to_value();
        refer(&mut schema, &parts);
        let meaning = schema["description"].clone();
        let mut properties = Map::new();
        properties.insert(
            "kind".to_owned(),
            json!({"const": kind.name, "description": meaning}),
        );
        for from in [&common, &schema] {
            properties.extend(from["properties"].as_object().cloned().unwrap_or_default());
        }
        schema["properties"] = Value::Object(properties);
        names.push(json!({"const": kind.name, "description": meaning}));
        rules.push(json!({
            "if": {"type": "object", "properties": {"kind": {"const": kind.name}}, "required": ["kind"], "additionalProperties": true},
            "then": {"$ref": format!("#/$defs/{}", kind.name)},
        }));
        definitions.insert(kind.name.to_owned(), schema);
    }
    let section = json!({
        "type": "object",
        "properties": {"kind": {"description": "The kind of section, which decides its keys.", "oneOf": names}},
        "required": ["kind"],
        "additionalProperties": true,
        "allOf": rules,
    });
    definitions.insert("section".to_owned(), section);
    definitions
}

/// A schema as a part of another one.
fn without_root(schema: Schema) -> Value {
    let mut part = schema.to_value();
    if let Some(keys) = part.as_object_mut() {
        keys.retain(|key, _| key != "$schema" && key != "title");
    }
    part
}

/// Refers to a definition wherever a schema repeats one of these, whatever its description says.
fn refer(schema: &mut Value, parts: &[(&str, Value)]) {
    let same = |part: &Value| {
        let keys = |value: &Value| {
            value
                .as_object()
                .map(|keys| keys.iter().filter(|(key, _)| *key != "description").count())
        };
        let fields = part.as_object().into_iter().flatten();
        keys(schema) == keys(part)
            && fields
                .filter(|(key, _)| *key != "description")
                .all(|(key, value)| schema[key] == *value)
    };
    if let Some((name, _)) = parts.iter().find(|(_, part)| same(part)) {
        let meaning = schema["description"].clone();
        *schema = json!({"$ref": format!("#/$defs/{name}"), "description": meaning});
        return;
    }
    match schema {
        Value::Object(keys) => keys.values_mut().for_each(|value| refer(value, parts)),
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, parts)),
        _ => {}
    }
}

/// The keys of a page except `sections`.
fn page_keys(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let head = of::<PageHead>(generator);
    head.get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

fn page(generator: &mut SchemaGenerator, kinds: &Kinds) -> Schema {
    let mut definitions = section_definitions(kinds);
    let keys = page_keys(generator);
    let names: Vec<&str> = keys.keys().map(String::as_str).collect();
    let sections = |meaning: &str, items: Value| json!({"description": meaning, "type": "array", "items": items});
    let mut whole = keys.clone();
    let section = json!({"$ref": "#/$defs/section"});
    whole.insert(
        "sections".to_owned(),
        sections("The sections, in order.", section),
    );
    let mut words = keys.clone();
    let name = json!({"type": "string"});
    let meaning =
        "The names of the sections in the order of this language, if it differs from `page.yaml`.";
    words.insert("sections".to_owned(), sections(meaning, name));
    // A page that is like another one needs nothing of its own but what differs.
    let has_words = json!([
        {"required": ["like"]},
        {"required": ["sections"]},
        {"not": {"propertyNames": {"enum": names}}},
    ]);
    definitions.insert(
        "whole_page".to_owned(),
        json!({"type": "object", "properties": whole, "required": pages::REQUIRED}),
    );
    definitions.insert(
        "words_of_page".to_owned(),
        json!({
            "type": "object",
            "properties": words,
            "patternProperties": {r"\.": {"description": "A text, by its path in the page: `hero.title`."}},
            "additionalProperties": {"description": "The words of a section, by its name.", "type": "object"},
            "anyOf": has_words,
        }),
    );
    let mut root = Map::new();
    root.insert(
        "if".to_owned(),
        json!({
            "type": "object",
            "properties": {"sections": {"type": "array", "contains": {"type": "object"}}},
            "required": ["sections"],
            "additionalProperties": true,
        }),
    );
    root.insert("then".to_owned(), json!({"$ref": "#/$defs/whole_page"}));
    root.insert("else".to_owned(), json!({"$ref": "#/$defs/words_of_page"}));
    root.insert("$defs".to_owned(), Value::Object(definitions));
    root.into()
}

/// The languages add words, so nothing but kinds is required.
fn page_structure(generator: &mut SchemaGenerator, kinds: &Kinds) -> Schema {
    let mut keys = page_keys(generator);
    let mut definitions = section_definitions(kinds);
    definitions.extend(generator.take_definitions(false));
    let needs_nothing = |schema: &mut Schema| {
        schema.remove("required");
    };
    for (name, schema) in &mut definitions {
        let Ok(mut own) = Schema::try_from(schema.take()) else {
            continue;
        };
        // Every section has its kind here.
        if name != "section" {
            RecursiveTransform(needs_nothing).transform(&mut own);
        }
        *schema = own.to_value();
    }
    let section = json!({"$ref": "#/$defs/section"});
    keys.insert(
        "sections".to_owned(),
        json!({"description": "The sections by name, in order.", "type": "object", "additionalProperties": section}),
    );
    object(json!({"properties": keys, "$defs": definitions}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_that_a_schema_names_is_in_it() {
        let kinds = Kinds::of_theme();
        assert!(kinds.iter().count() >= 44, "the kinds of the theme");
        for kind in Kind::all() {
            let schema = schema_of(kind, &kinds);
            let text = schema.to_string();
            for reference in text
                .split("\"$ref\":\"")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
            {
                let name = reference.strip_prefix("#/$defs/").expect(reference);
                assert!(
                    schema["$defs"].get(name).is_some(),
                    "{}: {reference}",
                    kind.name()
                );
            }
        }
    }
}
