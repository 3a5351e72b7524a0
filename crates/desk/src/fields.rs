//! Turns the schema of a kind of file into the fields of a form of Decap CMS.
//!
//! Descriptions become hints, allowed values a choice, and blocks whose keys are free become lists of entries: forms have
//! no other way to add, rename or move a key. [`Rules`] tell the page of the forms which blocks these are.

use json_schema::{AllowedValue, Part};
use serde::Serialize;
use serde_json::{Value, json};

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
const LONG: &[&str] = &[
    "answer",
    "challenge",
    "description",
    "excerpt",
    "intro",
    "lead",
    "note",
    "request",
    "short_description",
    "text",
];

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
        Rules {
            each: (!each.is_empty()).then(|| Box::new(each)),
            ..Rules::default()
        }
    }

    pub(super) fn of_keys(keys: Vec<(String, Rules)>) -> Rules {
        Rules {
            keys: keys
                .into_iter()
                .filter(|(_, rules)| !rules.is_empty())
                .collect(),
            ..Rules::default()
        }
    }
}

/// A field of a form with the rules of its value.
pub(super) struct Field {
    pub json: Value,
    pub rules: Rules,
}

/// Makes the fields of one kind of file.
pub(super) struct Fields<'a> {
    /// The description of the file.
    pub(super) file: Part<'a>,
    /// The kind of file.
    kind: &'a str,
    /// Codes and names of the languages of the site.
    languages: &'a [(String, String)],
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        schema: &'a Value,
        kind: &'a str,
        languages: &'a [(String, String)],
    ) -> Fields<'a> {
        Fields {
            file: Part::of(schema),
            kind,
            languages,
        }
    }

    /// The fields of the keys of a block, and their rules. `skip` names keys that have no field.
    pub(super) fn of_block(
        &self,
        block: &Part,
        skip: &[&str],
        depth: usize,
    ) -> (Vec<Value>, Rules) {
        let (mut fields, mut rules) = (Vec::new(), Vec::new());
        for property in block.simplest().properties() {
            if skip.contains(&property.name) {
                continue;
            }
            if let Some(field) =
                self.field(property.name, &property.value, property.required, depth)
            {
                fields.push(field.json);
                rules.push((property.name.to_owned(), field.rules));
            }
        }
        (fields, Rules::of_keys(rules))
    }

    /// The field of a key. `None` for values that a form cannot show, which stay as they are: a schema may contain itself,
    /// and every way into a block, a list or an entry leads through here.
    pub(super) fn field(
        &self,
        name: &str,
        value: &Part,
        required: bool,
        depth: usize,
    ) -> Option<Field> {
        if depth > MAX_DEPTH {
            return None;
        }
        let value = value.simplest();
        let field = self.widget(name, &value, depth)?;
        Some(self.named(name, field, value.meaning(), required))
    }

    /// A field with its name, its label and its hint.
    fn named(&self, name: &str, mut field: Field, meaning: Option<&str>, required: bool) -> Field {
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
        if let Some(hint) = meaning.filter(|_| field.json.get("hint").is_none()) {
            field.json["hint"] = json!(hint);
        }
        field
    }

    fn widget(&self, name: &str, value: &Part, depth: usize) -> Option<Field> {
        if let Some(options) = options(value) {
            return Some(leaf(json!({"widget": "select", "options": options})));
        }
        match value.format() {
            Some("picture") => return Some(leaf(json!({"widget": "sitegen-picture"}))),
            Some("decorative-picture") => {
                return Some(leaf(
                    json!({"widget": "sitegen-suggest", "list": "pictures"}),
                ));
            }
            Some("link") => {
                return Some(leaf(json!({"widget": "sitegen-suggest", "list": "links"})));
            }
            Some("markdown") => return Some(leaf(json!({"widget": "text"}))),
            Some("file") => {
                return Some(leaf(json!({"widget": "sitegen-suggest", "list": "files"})));
            }
            Some(format) => {
                if let Some(input) = typed_input(format) {
                    return Some(leaf(json!({
                        "widget": "sitegen-suggest", "list": "none", "input": input, "placeholder": value.example(),
                    })));
                }
            }
            None => {}
        }
        if value.can_be("array") {
            return self.list(name, value, depth);
        }
        if value.is_block() {
            let (fields, rules) = self.of_block(value, &[], depth + 1);
            let json = json!({"widget": "object", "collapsed": depth > 0, "fields": fields});
            return (!fields.is_empty()).then_some(Field { json, rules });
        }
        if let Some(values) = value.other_values() {
            let is_by_language = value
                .definition()
                .is_some_and(|name| name.starts_with("Localized"));
            return if is_by_language {
                self.by_language(&values, &[], depth)
            } else {
                self.entries(name, &values, depth)
            };
        }
        let is_text = value.can_be("string");
        if value.can_be("boolean") {
            // A switch that is on unless someone turns it off cannot show that nobody did.
            return match (is_text, value.is_on_by_default()) {
                (true, _) => Some(leaf(
                    json!({"widget": "sitegen-suggest", "list": "switch", "scalar": true}),
                )),
                (false, false) => Some(leaf(json!({"widget": "boolean", "required": false}))),
                (false, true) => None,
            };
        }
        if value.can_be("integer") || value.can_be("number") && !is_text {
            let value_type = if value.can_be("integer") {
                "int"
            } else {
                "float"
            };
            let mut json = json!({"widget": "number", "value_type": value_type});
            for (option, limit) in [("min", value.minimum()), ("max", value.maximum())] {
                if let Some(limit) = limit {
                    json[option] = limit.clone();
                }
            }
            return Some(leaf(json));
        }
        if !is_text {
            return None;
        }
        if let Some(list) = self.suggestions(name) {
            return Some(leaf(json!({"widget": "sitegen-suggest", "list": list})));
        }
        if let Some(pattern) = value.pattern() {
            let example = if pattern.ends_with(r"\d{2}$") {
                "2025-03-31"
            } else {
                "2025-03-31 or 2025-03-31T09:30"
            };
            let mut json = json!({"widget": "string", "pattern": [pattern, format!("Write it like {example}")]});
            if (self.kind, name) == ("post", "date") {
                json["default"] = json!(TODAY);
            }
            return Some(leaf(json));
        }
        Some(leaf(
            json!({"widget": if LONG.contains(&name) { "text" } else { "string" }}),
        ))
    }

    fn list(&self, name: &str, list: &Part, depth: usize) -> Option<Field> {
        let items = list.items()?;
        let item = items.simplest();
        // Two numbers: the point of a picture that crops keep.
        if list.is_short_list() {
            return Some(leaf(json!({"widget": "sitegen-point"})));
        }
        if item.is_section() {
            let json =
                json!({"widget": "list", "collapsed": true, "typeKey": "kind", "types": SECTIONS});
            return Some(Field {
                json,
                rules: Rules {
                    kinds: self.sections(depth).1,
                    ..Rules::default()
                },
            });
        }
        if let Some(options) = options(&item) {
            return Some(leaf(
                json!({"widget": "select", "multiple": true, "options": options}),
            ));
        }
        if item.is_block() && item.format().is_none() {
            let (fields, rules) = self.of_block(&item, &[], depth + 1);
            let json = json!({
                "widget": "list", "collapsed": true, "fields": fields, "summary": summary(&fields),
                "label_singular": item_label(&item, &self.label(name)),
            });
            return (!fields.is_empty()).then(|| Field {
                json,
                rules: Rules::of_each(rules),
            });
        }
        let field = self.field("item", &items, false, depth + 1)?;
        let mut one = field.json;
        let singular = item_label(&item, &self.label(name));
        one["label"] = json!(singular);
        if let (Some(list), true) = (self.suggestions(name), one["widget"] == "string") {
            one["widget"] = json!("sitegen-suggest");
            one["list"] = json!(list);
        }
        let json = json!({"widget": "list", "field": one, "label_singular": singular});
        Some(Field {
            json,
            rules: Rules::of_each(field.rules),
        })
    }

    /// A word with a text for each language, of which some are required.
    pub(super) fn word(
        &self,
        name: &str,
        text: &Part,
        languages: &[&str],
        required: bool,
    ) -> Option<Field> {
        let field = self.by_language(text, languages, 0)?;
        Some(self.named(name, field, text.meaning(), required))
    }

    /// A block with one value for each language, of which some are required.
    fn by_language(&self, values: &Part, required: &[&str], depth: usize) -> Option<Field> {
        let mut fields = Vec::new();
        let mut rules = Vec::new();
        for (code, name) in self.languages {
            let mut field =
                self.field(code, values, required.contains(&code.as_str()), depth + 1)?;
            field.json["label"] = json!(name);
            fields.push(field.json);
            rules.push((code.clone(), field.rules));
        }
        let json = json!({"widget": "object", "collapsed": false, "fields": fields});
        Some(Field {
            json,
            rules: Rules::of_keys(rules),
        })
    }

    /// A block whose keys are free, as a list.
    pub(super) fn entries(&self, name: &str, values: &Part, depth: usize) -> Option<Field> {
        let value = values.simplest();
        if value.is_section() {
            let json = json!({"widget": "list", "collapsed": true, "typeKey": "kind", "types": NAMED_SECTIONS});
            let kinds = self.sections(depth).1;
            return Some(Field {
                json,
                rules: Rules {
                    map: true,
                    kinds,
                    ..Rules::default()
                },
            });
        }
        let key = key_field();
        let (mut fields, each) = if value.is_block() && value.format().is_none() {
            self.of_block(&value, &[], depth + 1)
        } else {
            let field = self.field(VALUE, values, false, depth + 1)?;
            let mut json = field.json;
            json["label"] = json!("Value");
            (
                vec![json],
                Rules::of_keys(vec![(VALUE.to_owned(), field.rules)]),
            )
        };
        fields.insert(0, key);
        let json = json!({
            "widget": "list", "collapsed": true, "fields": fields, "summary": format!("{{{{fields.{KEY}}}}}"),
            "label_singular": item_label(&value, &self.label(name)),
        });
        Some(Field {
            json,
            rules: Rules {
                map: true,
                ..Rules::of_each(each)
            },
        })
    }

    /// A form for each section kind, and their rules.
    pub(super) fn sections(&self, depth: usize) -> (Vec<Value>, Vec<(String, Rules)>) {
        let (mut types, mut all) = (Vec::new(), Vec::new());
        for name in self.file.section_kinds() {
            let Some(section) = self.file.section(name) else {
                continue;
            };
            let (fields, rules) = self.of_block(&section, &["kind"], depth + 1);
            let mut json = json!({"name": name, "label": self.label(name), "widget": "object", "fields": fields});
            json["summary"] = json!(summary(&fields));
            if let Some(hint) = section.meaning() {
                json["hint"] = json!(hint);
            }
            types.push(json);
            if !rules.is_empty() {
                all.push((name.to_owned(), rules));
            }
        }
        (types, all)
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
}

/// A field whose value is no block with keys and no list.
fn leaf(json: Value) -> Field {
    Field {
        json,
        rules: Rules::default(),
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

/// The values that a form offers, with their meanings, if they can be counted.
fn options(value: &Part) -> Option<Vec<Value>> {
    Some(value.choices()?.into_iter().map(option).collect())
}

fn option(allowed: AllowedValue) -> Value {
    let AllowedValue {
        value,
        title,
        meaning,
    } = allowed;
    let name = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let label = match (title, meaning) {
        (Some(title), _) => title.to_owned(),
        (None, Some(meaning)) => format!("{name}: {meaning}"),
        (None, None) => name,
    };
    json!({"label": label, "value": value})
}

/// The label of a closed item of a list: the field that tells it from the others. Empty if none is a text.
pub(super) fn summary(fields: &[Value]) -> String {
    let names: Vec<&str> = fields
        .iter()
        .filter(|field| {
            matches!(
                field["widget"].as_str(),
                Some("string" | "text" | "select" | "number" | "sitegen-suggest")
            )
        })
        .filter_map(|field| field["name"].as_str())
        .collect();
    let telling = [
        "title", "label", "name", "question", "from", "text", "id", "to",
    ];
    let name = telling
        .iter()
        .find(|name| names.contains(name))
        .or(names.first());
    name.map_or_else(String::new, |name| format!("{{{{fields.{name}}}}}"))
}

/// A name with spaces, in the case of a sentence.
pub(super) fn label(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The name of one item of a list: its declared type, such as `MenuEntry`. The name of the list has no singular that a
/// program can know: an item without a type has the name of the list, as Decap shows it.
fn item_label(item: &Part, list: &str) -> String {
    let Some(name) = item.definition() else {
        return list.to_owned();
    };
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
        let languages = [
            ("en".to_owned(), "English".to_owned()),
            ("es".to_owned(), "Español".to_owned()),
        ];
        let root = json!({"properties": {"short_name": schema}, "$defs": {
            "Localized": {"type": "object", "additionalProperties": {"type": "string"}},
            "MenuEntry": {"type": "object", "properties": {"label": {"type": "string"}}},
            "Link": {"type": "object", "properties": {"to": {"type": "string", "format": "link"}, "links": {"type": "array", "items": {"$ref": "#/$defs/Link"}}}},
        }});
        let fields = Fields::new(&root, "page", &languages);
        let value = fields.file.property("short_name").expect("a property");
        let field = fields
            .field("short_name", &value, true, 0)
            .expect("a field");
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
        check(
            &json!({"type": "string", "description": "A sentence."}),
            &json!({"widget": "string"}),
        );
        check(
            &json!({"type": "string", "format": "markdown"}),
            &json!({"widget": "text"}),
        );
        check(
            &json!({"type": "boolean", "default": false}),
            &json!({"widget": "boolean", "required": false}),
        );
        check(
            &json!({"type": "integer", "minimum": 1}),
            &json!({"widget": "number", "value_type": "int", "min": 1}),
        );
        check(
            &json!({"anyOf": [{"oneOf": [{"const": "ink", "description": "Dark."}]}, {"type": "null"}]}),
            &json!({"widget": "select", "options": [{"label": "ink: Dark.", "value": "ink"}]}),
        );
        check(
            &json!({"type": "array", "items": {"type": "string"}}),
            &json!({"widget": "list", "summary": null}),
        );
        check(
            &json!({"type": "string", "format": "link"}),
            &json!({"widget": "sitegen-suggest", "list": "links"}),
        );
    }

    #[test]
    fn a_block_that_may_be_left_out_asks_for_nothing() {
        let block = json!({"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]});
        let fields = |required: bool| {
            let schema = json!({"type": "object", "properties": {"block": block}, "required": if required { vec!["block"] } else { vec![] }});
            let fields = Fields::new(&schema, "page", &[]);
            fields
                .field("outer", &fields.file, true, 0)
                .expect("a field")
                .json
        };
        assert_eq!(
            fields(false)["fields"][0]["fields"][0]["required"],
            json!(false)
        );
        assert_eq!(
            fields(true)["fields"][0]["fields"][0]["required"],
            json!(true)
        );
    }

    #[test]
    fn an_item_of_a_list_is_called_what_its_type_is_called() {
        let series = |items: &Value, expect: &str| {
            check(
                &json!({"type": "array", "items": items}),
                &json!({"label_singular": expect}),
            );
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
        let fields = Fields::new(&schema, "site", &[]);
        let field = fields
            .field("results", &fields.file, true, 0)
            .expect("a field");
        assert_eq!(field.json["fields"][0]["name"], KEY);
        assert_eq!(field.json["fields"][1]["name"], VALUE);
        assert_eq!(
            serde_json::to_value(field.rules).expect("JSON"),
            json!({"map": true})
        );
    }

    #[test]
    fn a_closed_item_shows_a_text_and_no_block() {
        let (image, caption) = (
            json!({"name": "image", "widget": "object"}),
            json!({"name": "caption", "widget": "text"}),
        );
        assert_eq!(summary(&[image.clone(), caption]), "{{fields.caption}}");
        assert_eq!(summary(&[image]), "");
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        check(
            &json!({"$ref": "#/$defs/Link"}),
            &json!({"widget": "object"}),
        );
    }
}
