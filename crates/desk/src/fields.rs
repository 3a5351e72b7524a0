//! Turns the JSON Schema of a kind of file into the fields of a form of Decap CMS.
//!
//! Descriptions become hints, allowed values a choice, and blocks whose keys are free become lists of entries: forms have
//! no other way to add, rename or move a key. [`Rules`] tell the page of the forms which blocks these are.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The key of an entry of a block that the form shows as a list.
pub(super) const KEY: &str = "__key";
/// The value of such an entry, if it is no block.
pub(super) const VALUE: &str = "__value";
/// The list of a file that is no block with fixed keys.
pub(super) const ITEMS: &str = "__items";
/// Stands for the forms of all section kinds, which the page of the forms has once.
pub(super) const SECTIONS: &str = "sections";
/// Stands for the forms of section kinds whose sections have names.
pub(super) const NAMED_SECTIONS: &str = "named-sections";
/// Stands for the day on which a form is opened.
const TODAY: &str = "today";
/// How deep a schema that contains itself is followed, such as links below links.
const MAX_DEPTH: usize = 9;
/// Names of fields that hold more than a line of text without a format of their own.
const LONG: &[&str] =
    &["answer", "challenge", "description", "excerpt", "intro", "lead", "note", "request", "short_description", "text"];

/// Which blocks of a file the form shows as lists.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Rules {
    /// The block itself is shown as a list.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub map: bool,
    /// The keys of such a file that have fields of their own, beside the list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// Those of the items or entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<Box<Rules>>,
    /// Those of the items by their `kind`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<(String, Rules)>,
    /// Those below the keys of a block.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<(String, Rules)>,
}

impl Rules {
    fn is_empty(&self) -> bool {
        *self == Rules::default()
    }

    pub(super) fn of_each(each: Rules) -> Rules {
        Rules { each: (!each.is_empty()).then(|| Box::new(each)), ..Rules::default() }
    }

    pub(super) fn of_keys(keys: Vec<(String, Rules)>) -> Rules {
        Rules { keys: keys.into_iter().filter(|(_, rules)| !rules.is_empty()).collect(), ..Rules::default() }
    }
}

/// A field of a form with the rules of its value.
pub(super) struct Field {
    pub json: Value,
    pub rules: Rules,
}

/// Makes the fields of one kind of file.
pub(super) struct Fields<'a> {
    /// The schema of the file.
    schema: &'a Value,
    /// The kind of file.
    kind: &'a str,
    /// Codes and names of the languages of the site.
    languages: &'a [(String, String)],
}

/// A schema with what stands beside its references.
pub(super) struct Resolved {
    pub schema: Map<String, Value>,
    /// The name of its definition.
    name: Option<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(schema: &'a Value, kind: &'a str, languages: &'a [(String, String)]) -> Fields<'a> {
        Fields { schema, kind, languages }
    }

    /// The fields of the keys of a block, and their rules. `skip` names keys that have no field.
    pub(super) fn of_block(&self, schema: &Value, skip: &[&str], depth: usize) -> (Vec<Value>, Rules) {
        let resolved = self.resolve(schema).schema;
        let required: BTreeSet<&str> = resolved
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let (mut fields, mut rules) = (Vec::new(), Vec::new());
        for (name, schema) in resolved.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if skip.contains(&name.as_str()) {
                continue;
            }
            if let Some(field) = self.field(name, schema, required.contains(name.as_str()), depth) {
                fields.push(field.json);
                rules.push((name.clone(), field.rules));
            }
        }
        (fields, Rules::of_keys(rules))
    }

    /// The field of a key. `None` for values that a form cannot show, which stay as they are: a schema may contain itself,
    /// and every way into a block, a list or an entry leads through here.
    pub(super) fn field(&self, name: &str, schema: &Value, required: bool, depth: usize) -> Option<Field> {
        if depth > MAX_DEPTH {
            return None;
        }
        let resolved = self.resolve(schema);
        let mut field = self.widget(name, &resolved, depth)?;
        field.json["name"] = json!(name);
        if field.json.get("label").is_none() {
            field.json["label"] = json!(self.label(name));
        }
        // Lists and blocks that must not be empty are checked by the build.
        if field.json.get("required").is_none() {
            field.json["required"] = json!(required);
        }
        // The forms ask for required fields of a block even if all of it is empty.
        if field.json["required"] == json!(false) {
            ask_for_nothing(&mut field.json);
        }
        let hint = schema.get("description").or_else(|| resolved.schema.get("description")).and_then(Value::as_str);
        if let Some(hint) = hint.filter(|_| field.json.get("hint").is_none()) {
            field.json["hint"] = json!(hint);
        }
        Some(field)
    }

    fn widget(&self, name: &str, resolved: &Resolved, depth: usize) -> Option<Field> {
        let schema = &resolved.schema;
        let leaf = |json: Value| Some(Field { json, rules: Rules::default() });
        if let Some(options) = options(schema) {
            return leaf(json!({"widget": "select", "options": options}));
        }
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        let types = Types::of(schema);
        let has = |kind: &str| types.has(kind);
        match text("format") {
            Some("picture") => return leaf(json!({"widget": "sitegen-picture"})),
            Some("decorative-picture") => return leaf(json!({"widget": "sitegen-suggest", "list": "pictures"})),
            Some("link") => return leaf(json!({"widget": "sitegen-suggest", "list": "links"})),
            Some("markdown") => return leaf(json!({"widget": "text"})),
            Some("file") => return leaf(json!({"widget": "sitegen-suggest", "list": "files"})),
            Some(format) if typed_input(format).is_some() => {
                let (input, example) = (typed_input(format), schema.get("examples").map(|examples| &examples[0]));
                return leaf(json!({
                    "widget": "sitegen-suggest", "list": "none", "input": input, "placeholder": example,
                }));
            }
            _ => {}
        }
        if has("array") {
            return self.list(name, schema, depth);
        }
        if schema.get("properties").is_some() {
            let (fields, rules) = self.of_block(&Value::Object(schema.clone()), &[], depth + 1);
            let json = json!({"widget": "object", "collapsed": depth > 0, "fields": fields});
            return (!fields.is_empty()).then_some(Field { json, rules });
        }
        if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
            let is_by_language = resolved.name.as_deref().is_some_and(|name| name.starts_with("Localized"));
            return if is_by_language { self.by_language(values, depth) } else { self.entries(name, values, depth) };
        }
        if has("boolean") {
            // A switch that is on unless someone turns it off cannot show that nobody did.
            let is_on = schema.get("default") == Some(&json!(true));
            return match (has("string"), is_on) {
                (true, _) => leaf(json!({"widget": "sitegen-suggest", "list": "switch", "scalar": true})),
                (false, false) => leaf(json!({"widget": "boolean", "required": false})),
                (false, true) => None,
            };
        }
        if has("integer") || has("number") && !has("string") {
            let value_type = if has("integer") { "int" } else { "float" };
            let mut json = json!({"widget": "number", "value_type": value_type});
            for (keyword, option) in [("minimum", "min"), ("maximum", "max")] {
                if let Some(limit) = schema.get(keyword) {
                    json[option] = limit.clone();
                }
            }
            return leaf(json);
        }
        if !has("string") {
            return None;
        }
        if let Some(list) = self.suggestions(name) {
            return leaf(json!({"widget": "sitegen-suggest", "list": list}));
        }
        if let Some(pattern) = text("pattern") {
            let example = if pattern.ends_with(r"\d{2}$") { "2025-03-31" } else { "2025-03-31 or 2025-03-31T09:30" };
            let mut json = json!({"widget": "string", "pattern": [pattern, format!("Write it like {example}")]});
            if (self.kind, name) == ("post", "date") {
                json["default"] = json!(TODAY);
            }
            return leaf(json);
        }
        leaf(json!({"widget": if LONG.contains(&name) { "text" } else { "string" }}))
    }

    fn list(&self, name: &str, schema: &Map<String, Value>, depth: usize) -> Option<Field> {
        let items = schema.get("items")?;
        let item = self.resolve(items);
        let leaf = |json: Value| Some(Field { json, rules: Rules::default() });
        // Two numbers: the point of a picture that crops keep.
        if schema.get("maxItems").is_some() {
            return leaf(json!({"widget": "sitegen-point"}));
        }
        if item.name.as_deref() == Some("section") {
            let json = json!({"widget": "list", "collapsed": true, "typeKey": "kind", "types": SECTIONS});
            return Some(Field { json, rules: Rules { kinds: self.sections(depth).1, ..Rules::default() } });
        }
        if let Some(options) = options(&item.schema) {
            return leaf(json!({"widget": "select", "multiple": true, "options": options}));
        }
        if item.schema.get("properties").is_some() && item.schema.get("format").is_none() {
            let (fields, rules) = self.of_block(items, &[], depth + 1);
            let json = json!({
                "widget": "list", "collapsed": true, "fields": fields, "summary": summary(&fields),
                "label_singular": item_label(&item, &self.label(name)),
            });
            return (!fields.is_empty()).then(|| Field { json, rules: Rules::of_each(rules) });
        }
        let field = self.field("item", items, false, depth + 1)?;
        let mut one = field.json;
        let singular = item_label(&item, &self.label(name));
        one["label"] = json!(singular);
        if let (Some(list), true) = (self.suggestions(name), one["widget"] == "string") {
            one["widget"] = json!("sitegen-suggest");
            one["list"] = json!(list);
        }
        let json = json!({"widget": "list", "field": one, "label_singular": singular});
        Some(Field { json, rules: Rules::of_each(field.rules) })
    }

    /// A block with one value for each language.
    fn by_language(&self, values: &Value, depth: usize) -> Option<Field> {
        let mut fields = Vec::new();
        let mut rules = Vec::new();
        for (code, name) in self.languages {
            let mut field = self.field(code, values, false, depth + 1)?;
            field.json["label"] = json!(name);
            fields.push(field.json);
            rules.push((code.clone(), field.rules));
        }
        Some(Field { json: json!({"widget": "object", "fields": fields}), rules: Rules::of_keys(rules) })
    }

    /// A block whose keys are free, as a list.
    pub(super) fn entries(&self, name: &str, values: &Value, depth: usize) -> Option<Field> {
        let value = self.resolve(values);
        if value.name.as_deref() == Some("section") {
            let json = json!({"widget": "list", "collapsed": true, "typeKey": "kind", "types": NAMED_SECTIONS});
            let kinds = self.sections(depth).1;
            return Some(Field { json, rules: Rules { map: true, kinds, ..Rules::default() } });
        }
        let key = key_field();
        let (mut fields, each) = if value.schema.get("properties").is_some() && value.schema.get("format").is_none() {
            self.of_block(values, &[], depth + 1)
        } else {
            let field = self.field(VALUE, values, false, depth + 1)?;
            let mut json = field.json;
            json["label"] = json!("Value");
            (vec![json], Rules::of_keys(vec![(VALUE.to_owned(), field.rules)]))
        };
        fields.insert(0, key);
        let json = json!({
            "widget": "list", "collapsed": true, "fields": fields, "summary": format!("{{{{fields.{KEY}}}}}"),
            "label_singular": item_label(&value, &self.label(name)),
        });
        Some(Field { json, rules: Rules { map: true, ..Rules::of_each(each) } })
    }

    /// A form for each section kind, and their rules.
    pub(super) fn sections(&self, depth: usize) -> (Vec<Value>, Vec<(String, Rules)>) {
        let (mut types, mut all) = (Vec::new(), Vec::new());
        for name in self.section_kinds() {
            let schema = &self.schema["$defs"][name];
            let (fields, rules) = self.of_block(schema, &["kind"], depth + 1);
            let mut json = json!({"name": name, "label": self.label(name), "widget": "object", "fields": fields});
            json["summary"] = json!(summary(&fields));
            if let Some(hint) = schema.get("description") {
                json["hint"] = hint.clone();
            }
            types.push(json);
            if !rules.is_empty() {
                all.push((name.to_owned(), rules));
            }
        }
        (types, all)
    }

    /// The names of the section kinds, as the schema lists them.
    pub(super) fn section_kinds(&self) -> Vec<&'a str> {
        let kinds = self.schema["$defs"]["section"]["properties"]["kind"]["oneOf"].as_array();
        kinds.into_iter().flatten().filter_map(|kind| kind["const"].as_str()).collect()
    }

    /// The list of the page that completes a field.
    fn suggestions(&self, name: &str) -> Option<&'static str> {
        Some(match (self.kind, name) {
            ("post", "tags") => "tags",
            ("page" | "page-structure", "like") => "pages",
            ("page-structure", "on_pages" | "not_on_pages") => "patterns",
            ("post", "src") => "pictures",
            _ => return None,
        })
    }

    /// The name of a field for people: `short_description` is “Short description”, `es` the name of the language.
    pub(super) fn label(&self, name: &str) -> String {
        if let Some((_, language)) = self.languages.iter().find(|(code, _)| code == name) {
            return language.clone();
        }
        label(name)
    }

    /// Follows references, and takes what may be absent as what it is.
    pub(super) fn resolve(&self, schema: &Value) -> Resolved {
        let mut resolved = Resolved { schema: schema.as_object().cloned().unwrap_or_default(), name: None };
        // As deep as references to references go.
        for _ in 0..8 {
            let next = if let Some(reference) = resolved.schema.remove("$ref") {
                let name = reference.as_str().and_then(|text| text.strip_prefix("#/$defs/")).unwrap_or_default();
                resolved.name = Some(name.to_owned());
                self.schema["$defs"][name].as_object().cloned().unwrap_or_default()
            } else if let Some(Value::Array(choices)) = resolved.schema.remove("anyOf") {
                let choices: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
                // A value that can be written as one text is written so.
                let best = choices
                    .iter()
                    .find(|choice| choice.as_object().is_some_and(|choice| Types::of(choice).has("string")))
                    .or(choices.first());
                best.and_then(|choice| choice.as_object()).cloned().unwrap_or_default()
            } else {
                break;
            };
            for (keyword, value) in next {
                resolved.schema.entry(keyword).or_insert(value);
            }
        }
        resolved
    }
}

/// The input of a browser for a type of values.
fn typed_input(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "date",
        "local-date-time" => "datetime-local",
        "email" => "email",
        "phone" => "tel",
        "decimal" | "amount" | "opening-hours" | "coordinates" | "duration-words" => "text",
        _ => return None,
    })
}

/// The field of the key of an entry.
pub(super) fn key_field() -> Value {
    json!({"name": KEY, "label": "Key", "widget": "string", "required": true})
}

/// The types that a schema allows.
pub(super) struct Types<'a>(Vec<&'a str>);

impl Types<'_> {
    pub fn of(schema: &Map<String, Value>) -> Types<'_> {
        Types(match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        })
    }

    pub fn has(&self, kind: &str) -> bool {
        self.0.contains(&kind)
    }
}

/// The values that a schema allows, with their meanings, if they can be counted.
fn options(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(Value::Array(values)) = schema.get("enum") {
        return Some(values.iter().map(|value| json!({"label": value.to_string(), "value": value})).collect());
    }
    let values = schema.get("oneOf")?.as_array()?;
    values
        .iter()
        .map(|choice| {
            let value = choice.get("const")?;
            let name = value.as_str()?;
            let text = |keyword: &str| choice.get(keyword).and_then(Value::as_str);
            let label = match (text("title"), text("description")) {
                (Some(title), _) => title.to_owned(),
                (None, Some(meaning)) => format!("{name}: {meaning}"),
                (None, None) => name.to_owned(),
            };
            Some(json!({"label": label, "value": name}))
        })
        .collect()
}

/// The label of a closed item of a list: the field that tells it from the others. Empty if none is a text.
pub(super) fn summary(fields: &[Value]) -> String {
    let names: Vec<&str> = fields
        .iter()
        .filter(|field| {
            matches!(field["widget"].as_str(), Some("string" | "text" | "select" | "number" | "sitegen-suggest"))
        })
        .filter_map(|field| field["name"].as_str())
        .collect();
    let telling = ["title", "label", "name", "question", "from", "text", "id", "to"];
    let name = telling.iter().find(|name| names.contains(name)).or(names.first());
    name.map_or_else(String::new, |name| format!("{{{{fields.{name}}}}}"))
}

/// A name with spaces, in the case of a sentence.
pub(super) fn label(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The name of one item of a list: its declared type, such as `MenuEntry`. The name of the list has no singular that a
/// program can know: an item without a type has the name of the list, as Decap shows it.
fn item_label(item: &Resolved, list: &str) -> String {
    let Some(name) = &item.name else { return list.to_owned() };
    let words = name.char_indices().map(|(at, c)| match c {
        c if c.is_uppercase() && at > 0 => format!(" {}", c.to_lowercase()),
        c => c.to_string(),
    });
    label(&words.collect::<String>())
}

/// Makes the fields of a block optional, which may be left out as a whole; the check knows what it needs. Items of lists are
/// there if they were added.
fn ask_for_nothing(json: &mut Value) {
    if json["widget"] != json!("object") {
        return;
    }
    for field in json["fields"].as_array_mut().into_iter().flatten() {
        field["required"] = json!(false);
        ask_for_nothing(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &Value, expect: &Value) {
        let languages = [("en".to_owned(), "English".to_owned()), ("es".to_owned(), "Español".to_owned())];
        let root = json!({"$defs": {
            "Localized": {"type": "object", "additionalProperties": {"type": "string"}},
            "MenuEntry": {"type": "object", "properties": {"label": {"type": "string"}}},
            "Link": {"type": "object", "properties": {"to": {"type": "string", "format": "link"}, "links": {"type": "array", "items": {"$ref": "#/$defs/Link"}}}},
        }});
        let fields = Fields::new(&root, "page", &languages);
        let field = fields.field("short_name", schema, true, 0).expect("a field");
        for (key, value) in expect.as_object().expect("an object") {
            assert_eq!(&field.json[key], value, "{key} of {}", field.json);
        }
    }

    #[test]
    fn values_become_widgets() {
        check(
            &json!({"type": ["string", "null"], "description": "What it is."}),
            &json!({"name": "short_name", "label": "Short name", "widget": "string", "hint": "What it is.", "required": true}),
        );
        // A comment does not change a form.
        check(&json!({"type": "string", "description": "A sentence."}), &json!({"widget": "string"}));
        check(&json!({"type": "string", "format": "markdown"}), &json!({"widget": "text"}));
        check(&json!({"type": "boolean", "default": false}), &json!({"widget": "boolean", "required": false}));
        check(&json!({"type": "integer", "minimum": 1}), &json!({"widget": "number", "value_type": "int", "min": 1}));
        check(
            &json!({"anyOf": [{"oneOf": [{"const": "ink", "description": "Dark."}]}, {"type": "null"}]}),
            &json!({"widget": "select", "options": [{"label": "ink: Dark.", "value": "ink"}]}),
        );
        check(&json!({"type": "array", "items": {"type": "string"}}), &json!({"widget": "list", "summary": null}));
        check(&json!({"type": "string", "format": "link"}), &json!({"widget": "sitegen-suggest", "list": "links"}));
    }

    #[test]
    fn a_block_that_may_be_left_out_asks_for_nothing() {
        let block = json!({"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]});
        let fields = |required: bool| {
            let schema = json!({"type": "object", "properties": {"block": block}, "required": if required { vec!["block"] } else { vec![] }});
            Fields::new(&json!({}), "page", &[]).field("outer", &schema, true, 0).expect("a field").json
        };
        assert_eq!(fields(false)["fields"][0]["fields"][0]["required"], json!(false));
        assert_eq!(fields(true)["fields"][0]["fields"][0]["required"], json!(true));
    }

    #[test]
    fn an_item_of_a_list_is_called_what_its_type_is_called() {
        let series = |items: &Value, expect: &str| {
            check(&json!({"type": "array", "items": items}), &json!({"label_singular": expect}));
        };
        series(&json!({"$ref": "#/$defs/MenuEntry"}), "Menu entry");
        series(&json!({"type": "string"}), "Short name");
    }

    #[test]
    fn a_value_for_each_language_is_a_block_of_the_languages_of_the_site() {
        check(
            &json!({"$ref": "#/$defs/Localized"}),
            &json!({"widget": "object", "fields": [
                {"name": "en", "label": "English", "widget": "string", "required": false},
                {"name": "es", "label": "Español", "widget": "string", "required": false},
            ]}),
        );
    }

    #[test]
    fn a_block_with_free_keys_is_a_list() {
        let schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let fields = Fields::new(&Value::Null, "site", &[]);
        let field = fields.field("results", &schema, true, 0).expect("a field");
        assert_eq!(field.json["fields"][0]["name"], KEY);
        assert_eq!(field.json["fields"][1]["name"], VALUE);
        assert_eq!(serde_json::to_value(field.rules).expect("JSON"), json!({"map": true}));
    }

    #[test]
    fn a_closed_item_shows_a_text_and_no_block() {
        let (image, caption) =
            (json!({"name": "image", "widget": "object"}), json!({"name": "caption", "widget": "text"}));
        assert_eq!(summary(&[image.clone(), caption]), "{{fields.caption}}");
        assert_eq!(summary(&[image]), "");
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        check(&json!({"$ref": "#/$defs/Link"}), &json!({"widget": "object"}));
    }
}
