//! Turns the description of a kind of file into the fields of a form of Decap CMS.
//!
//! Descriptions become hints, allowed values a choice, and blocks whose keys are free become lists of entries: forms have
//! no other way to add, rename or move a key. [`Rules`] tell the page of the forms which blocks these are.

use json_schema::{
    AllowedValue, Expected, FileContents, KeyBlock, Property, Scalar, ScalarKind, Simplest,
    ValueForm,
};
use schema::types::FieldType;
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
    pub(super) file: &'a FileContents,
    /// The kind of file.
    kind: &'a str,
    /// Codes and names of the languages of the site.
    languages: &'a [(String, String)],
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        file: &'a FileContents,
        kind: &'a str,
        languages: &'a [(String, String)],
    ) -> Fields<'a> {
        Fields {
            file,
            kind,
            languages,
        }
    }

    /// The fields of the keys of a block, and their rules. `skip` names keys that have no field.
    pub(super) fn of_block(
        &self,
        keys: &[Property],
        skip: &[&str],
        depth: usize,
    ) -> (Vec<Value>, Rules) {
        let (mut fields, mut rules) = (Vec::new(), Vec::new());
        for property in keys {
            let name = property.name.as_str();
            if skip.contains(&name) {
                continue;
            }
            let required = property.required && !self.file.is_part;
            if let Some(field) = self.field(name, &property.value, required, depth) {
                fields.push(field.json);
                rules.push((name.to_owned(), field.rules));
            }
        }
        (fields, Rules::of_keys(rules))
    }

    /// The field of a key. `None` for values that a form cannot show, which stay as they are: a schema may contain itself,
    /// and every way into a block, a list or an entry leads through here.
    pub(super) fn field(
        &self,
        name: &str,
        value: &Expected,
        required: bool,
        depth: usize,
    ) -> Option<Field> {
        if depth > MAX_DEPTH {
            return None;
        }
        let simplest = value.simplest();
        let field = match simplest.form {
            ValueForm::Choice(allowed) => {
                leaf(json!({"widget": "select", "options": options(allowed)}))
            }
            // A value that must be there is a block with free keys before it is a text.
            ValueForm::Plain(scalar) => match value.other_values() {
                Some(values) if !value.or_null => self.entries(name, values, depth)?,
                _ => leaf(self.scalar(name, value, scalar)?),
            },
            ValueForm::List(items, count) => self.list(name, items, count.is_some(), depth)?,
            ValueForm::Block(block) => self.block(name, value, block, depth)?,
            ValueForm::Any | ValueForm::Type(_) | ValueForm::Either(_) => return None,
        };
        Some(self.named(name, field, simplest.meaning, required))
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

    fn block(&self, name: &str, value: &Expected, block: &KeyBlock, depth: usize) -> Option<Field> {
        if block.format.as_deref() == Some("picture") {
            return Some(leaf(json!({"widget": "sitegen-picture"})));
        }
        if !block.keys.is_empty() {
            let (fields, rules) = self.of_block(&block.keys, &[], depth + 1);
            let json = json!({"widget": "object", "collapsed": depth > 0, "fields": fields});
            return (!fields.is_empty()).then_some(Field { json, rules });
        }
        self.entries(name, value.other_values()?, depth)
    }

    /// The widget of a value without parts.
    fn scalar(&self, name: &str, value: &Expected, scalar: &Scalar) -> Option<Value> {
        let list = match scalar.format.as_deref() {
            Some("markdown") => return Some(json!({"widget": "text"})),
            Some("decorative-picture") => Some("pictures"),
            Some("link") => Some("links"),
            _ if scalar.typed == Some(FieldType::File) => Some("files"),
            _ => self.suggestions(name),
        };
        let input = scalar.typed.and_then(|typed| Some((typed, input(typed)?)));
        let is_text = scalar.can_be(ScalarKind::Text);
        let is_whole = scalar.can_be(ScalarKind::Whole);
        Some(if let Some((typed, input)) = input {
            json!({
                "widget": "sitegen-suggest", "list": "none", "input": input, "placeholder": typed.example(),
            })
        } else if scalar.can_be(ScalarKind::Flag) {
            // A switch that is on unless someone turns it off cannot show that nobody did.
            match (is_text, value.default == Some(json!(true))) {
                (true, _) => json!({"widget": "sitegen-suggest", "list": "switch", "scalar": true}),
                (false, false) => json!({"widget": "boolean", "required": false}),
                (false, true) => return None,
            }
        } else if is_whole || !is_text {
            let value_type = if is_whole { "int" } else { "float" };
            let mut json = json!({"widget": "number", "value_type": value_type});
            for (option, limit) in [("min", &scalar.min), ("max", &scalar.max)] {
                if let Some(limit) = limit {
                    json[option] = json!(limit);
                }
            }
            json
        } else if let Some(list) = list {
            json!({"widget": "sitegen-suggest", "list": list})
        } else if let Some(pattern) = &scalar.pattern {
            let example = if pattern.ends_with(r"\d{2}$") {
                "2025-03-31"
            } else {
                "2025-03-31 or 2025-03-31T09:30"
            };
            let mut json = json!({"widget": "string", "pattern": [pattern, format!("Write it like {example}")]});
            if (self.kind, name) == ("post", "date") {
                json["default"] = json!(TODAY);
            }
            json
        } else {
            json!({"widget": if LONG.contains(&name) { "text" } else { "string" }})
        })
    }

    fn list(&self, name: &str, items: &Expected, is_short: bool, depth: usize) -> Option<Field> {
        // Two numbers: the point of a picture that crops keep.
        if is_short {
            return Some(leaf(json!({"widget": "sitegen-point"})));
        }
        let item = items.simplest();
        let singular = item_label(&item, &self.label(name));
        match item.form {
            ValueForm::Block(block) if block.is_section() => {
                let json = json!({"widget": "list", "collapsed": true, "typeKey": "kind", "types": SECTIONS});
                let kinds = self.sections(depth).1;
                return Some(Field {
                    json,
                    rules: Rules {
                        kinds,
                        ..Rules::default()
                    },
                });
            }
            ValueForm::Choice(allowed) => {
                return Some(leaf(
                    json!({"widget": "select", "multiple": true, "options": options(allowed)}),
                ));
            }
            ValueForm::Block(block) if !block.keys.is_empty() && block.format.is_none() => {
                let (fields, rules) = self.of_block(&block.keys, &[], depth + 1);
                let json = json!({
                    "widget": "list", "collapsed": true, "fields": fields, "summary": summary(&fields),
                    "label_singular": singular,
                });
                return (!fields.is_empty()).then(|| Field {
                    json,
                    rules: Rules::of_each(rules),
                });
            }
            _ => {}
        }
        let field = self.field("item", items, false, depth + 1)?;
        let mut one = field.json;
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
        text: &Expected,
        languages: &[&str],
        required: bool,
    ) -> Option<Field> {
        let (mut fields, mut rules) = (Vec::new(), Vec::new());
        for (code, language) in self.languages {
            let mut field = self.field(code, text, languages.contains(&code.as_str()), 1)?;
            field.json["label"] = json!(language);
            fields.push(field.json);
            rules.push((code.clone(), field.rules));
        }
        let json = json!({"widget": "object", "collapsed": false, "fields": fields});
        let rules = Rules::of_keys(rules);
        Some(self.named(
            name,
            Field { json, rules },
            text.simplest().meaning,
            required,
        ))
    }

    /// A block whose keys are free, as a list.
    pub(super) fn entries(&self, name: &str, values: &Expected, depth: usize) -> Option<Field> {
        let value = values.simplest();
        let block = match value.form {
            ValueForm::Block(block) => Some(block),
            _ => None,
        };
        if block.is_some_and(KeyBlock::is_section) {
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
        let block = block.filter(|block| !block.keys.is_empty() && block.format.is_none());
        let (mut fields, each) = if let Some(block) = block {
            self.of_block(&block.keys, &[], depth + 1)
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
        for (name, section) in self.file.sections.iter() {
            let (fields, rules) = self.of_block(section.properties(), &["kind"], depth + 1);
            let mut json = json!({"name": name, "label": self.label(name), "widget": "object", "fields": fields});
            json["summary"] = json!(summary(&fields));
            if let Some(hint) = &section.meaning {
                json["hint"] = json!(hint);
            }
            types.push(json);
            if !rules.is_empty() {
                all.push(((*name).to_owned(), rules));
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
fn input(typed: FieldType) -> Option<&'static str> {
    Some(match typed {
        FieldType::Date => "date",
        FieldType::DateTime => "datetime-local",
        FieldType::Email => "email",
        FieldType::Phone => "tel",
        FieldType::File | FieldType::Moment | FieldType::Embed => return None,
        FieldType::Decimal
        | FieldType::Amount
        | FieldType::Hours
        | FieldType::Coordinates
        | FieldType::Duration => "text",
    })
}

/// The field of the key of an entry.
pub(super) fn key_field() -> Value {
    json!({"name": KEY, "label": "Key", "widget": "string", "required": true})
}

/// The values that a form offers, with their meanings.
fn options(allowed: &[AllowedValue]) -> Vec<Value> {
    let option = |one: &AllowedValue| {
        let name = one.written();
        let label = match (&one.title, &one.meaning) {
            (Some(title), _) => title.clone(),
            (None, Some(meaning)) => format!("{name}: {meaning}"),
            (None, None) => name,
        };
        json!({"label": label, "value": one.value})
    };
    allowed.iter().map(option).collect()
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
fn item_label(item: &Simplest, list: &str) -> String {
    let Some(name) = item.type_name else {
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
    use json_schema::read;

    fn check(schema: &Value, expect: &Value) {
        let languages = [
            ("en".to_owned(), "English".to_owned()),
            ("es".to_owned(), "Español".to_owned()),
        ];
        let root = json!({"properties": {"short_name": schema}, "$defs": {
            "MenuEntry": {"type": "object", "properties": {"label": {"type": "string"}}},
            "Link": {"type": "object", "properties": {"to": {"type": "string", "format": "link"}, "links": {"type": "array", "items": {"$ref": "#/$defs/Link"}}}},
        }});
        let file = FileContents::from(read(root));
        let fields = Fields::new(&file, "page", &languages);
        let value = file.whole.property("short_name").expect("a property");
        let field = fields.field("short_name", value, true, 0).expect("a field");
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
            let file = FileContents::from(read(schema));
            let fields = Fields::new(&file, "page", &[]);
            fields
                .field("outer", &file.whole, true, 0)
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
        let languages = [
            ("en".to_owned(), "English".to_owned()),
            ("es".to_owned(), "Español".to_owned()),
        ];
        let (file, name) = (FileContents::default(), "short_name");
        let fields = Fields::new(&file, "page", &languages);
        let field = fields.word(name, &Expected::text(), &[], true);
        let field = field.expect("a field").json;
        assert_eq!(field["widget"], json!("object"));
        assert_eq!(
            field["fields"],
            json!([
                {"name": "en", "label": "English", "widget": "string", "required": false},
                {"name": "es", "label": "Español", "widget": "string", "required": false},
            ])
        );
    }

    #[test]
    fn a_block_with_free_keys_is_a_list() {
        let schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let file = FileContents::from(read(schema));
        let fields = Fields::new(&file, "site", &[]);
        let field = fields
            .field("results", &file.whole, true, 0)
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
