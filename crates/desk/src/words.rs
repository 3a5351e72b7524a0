//! The form of the words of a page in one language, whose structure is in `page.yaml`: for each section the texts that its
//! kind has. Words of a file are paths such as `hero.actions.1.label`; the form shows them as blocks and lists.

use json_schema::{Expected, Property, ValueForm};
use serde_json::{Value, json};

use diagnostics::yaml::{Node, Value as Yaml};

use super::fields::{Fields, label};

/// The values in a page's files at one place: in `page.yaml`, and in the texts of all languages.
#[derive(Clone, Default)]
pub(super) struct Said<'a> {
    structure: Vec<&'a Node>,
    words: Vec<Words<'a>>,
}

/// Words as a tree: keys with dots lead to their parts.
#[derive(Clone)]
pub(super) struct Words<'a> {
    /// Values with what is left of their paths.
    values: Vec<(Vec<&'a str>, &'a Node)>,
}

impl<'a> Words<'a> {
    /// The words of a file.
    pub fn of(node: &'a Node) -> Words<'a> {
        Words {
            values: entries(node)
                .map(|(key, node)| (key.split('.').collect(), node))
                .collect(),
        }
    }

    /// The values below a key.
    fn at(&self, name: &str) -> Words<'a> {
        let mut values = Vec::new();
        for (path, node) in &self.values {
            match path.split_first() {
                Some((first, rest)) if *first == name => values.push((rest.to_vec(), *node)),
                None => values.extend(child(node, name).map(|node| (Vec::new(), node))),
                Some(_) => {}
            }
        }
        Words { values }
    }

    /// The names of the keys.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (path, node) in &self.values {
            match path.first() {
                Some(first) => names.push((*first).to_owned()),
                None => match &node.value {
                    Yaml::List(items) => names.extend((1..=items.len()).map(|at| at.to_string())),
                    _ => names.extend(entries(node).map(|(key, _)| key.to_owned())),
                },
            }
        }
        names
    }
}

fn entries(node: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let entries = match &node.value {
        Yaml::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|(key, node)| (key.name.as_str(), node))
}

/// The value of a key, or the item of a number from 1.
fn child<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    match &node.value {
        Yaml::List(items) => items.get(name.parse::<usize>().ok()?.checked_sub(1)?),
        _ => node.get(name),
    }
}

impl<'a> Said<'a> {
    /// The values in `page.yaml` and in the files of the languages.
    pub fn new(structure: &'a Node, words: &[&'a Node]) -> Said<'a> {
        Said {
            structure: vec![structure],
            words: words.iter().map(|node| Words::of(node)).collect(),
        }
    }

    /// Below a key. Sections are keys of words.
    fn at(&self, name: &str) -> Said<'a> {
        Said {
            structure: self
                .structure
                .iter()
                .filter_map(|node| child(node, name))
                .collect(),
            words: self
                .words
                .iter()
                .map(|words| words.at(name))
                .filter(|words| !words.values.is_empty())
                .collect(),
        }
    }

    /// Of the sections in `page.yaml`, and of words by their names.
    fn section(&self, name: &str) -> Said<'a> {
        let words = self.at(name).words;
        let sections = self
            .structure
            .iter()
            .filter_map(|node| node.get("sections"));
        Said {
            structure: sections.filter_map(|sections| sections.get(name)).collect(),
            words,
        }
    }

    /// The values of all items of a list together.
    fn items(&self) -> Said<'a> {
        let mut all = Said::default();
        for name in self.names() {
            let item = self.at(&name);
            all.structure.extend(item.structure);
            all.words.extend(item.words);
        }
        all
    }

    /// The keys, or the numbers of the items.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .structure
            .iter()
            .flat_map(|node| {
                Words {
                    values: vec![(Vec::new(), node)],
                }
                .names()
            })
            .collect();
        names.extend(self.words.iter().flat_map(Words::names));
        let mut known = std::collections::BTreeSet::new();
        names.retain(|name| known.insert(name.clone()));
        names
    }

    /// The names of the sections with their kinds.
    fn sections(&self) -> Vec<(&'a str, &'a str)> {
        let sections = self
            .structure
            .iter()
            .filter_map(|node| node.get("sections"));
        let named = sections.flat_map(entries);
        named
            .filter_map(|(name, node)| Some((name, node.get("kind")?.as_text()?)))
            .collect()
    }
}

/// The fields of the words of a page. `fields` are those of the schema `page`.
pub(super) fn fields(fields: &Fields, said: &Said) -> Vec<Value> {
    let head = fields.file.of_page(false);
    let mut all = block(
        fields,
        head.properties(),
        said,
        &["sections", "like"],
        true,
        0,
    );
    for (name, kind) in said.sections() {
        let Some(section) = fields.file.section(kind) else {
            continue;
        };
        let own = block(
            fields,
            section.properties(),
            &said.section(name),
            &["kind"],
            false,
            1,
        );
        if !own.is_empty() {
            let shown = if name == kind {
                label(name)
            } else {
                format!("{} ({})", label(name), label(kind).to_lowercase())
            };
            let summary = super::fields::summary(&own);
            all.push(json!({
                "name": name, "label": shown, "widget": "object", "collapsed": true, "required": false, "fields": own,
                "summary": summary,
            }));
        }
    }
    all
}

/// The fields of a block that hold words: those that a language has, and texts that `page.yaml` has not. `whole` keeps
/// all that no file has.
fn block(
    fields: &Fields,
    keys: &[Property],
    said: &Said,
    skip: &[&str],
    whole: bool,
    depth: usize,
) -> Vec<Value> {
    let mut all = Vec::new();
    for property in keys {
        let name = property.name.as_str();
        let said = said.at(name);
        // A value that is the same in all languages, and that no language overrides.
        let has_parts = matches!(
            property.value.simplest().form,
            ValueForm::Block(_) | ValueForm::List(..)
        );
        let is_same = said.words.is_empty() && !said.structure.is_empty() && !has_parts;
        if !is_same && !skip.contains(&name) {
            all.extend(field(fields, name, &property.value, &said, whole, depth));
        }
    }
    all
}

fn field(
    fields: &Fields,
    name: &str,
    value: &Expected,
    said: &Said,
    whole: bool,
    depth: usize,
) -> Option<Value> {
    let simplest = value.simplest();
    let folded = |own: &[Value], widget: Value| folded(fields, name, simplest.meaning, own, widget);
    if let Some(keys) = keys_of(value) {
        let own = block(fields, keys, said, &[], false, depth + 1);
        return folded(&own, json!({"widget": "object"}));
    }
    if let Some(values) = value.other_values() {
        let names = said.names();
        let own = names
            .iter()
            .filter_map(|key| field(fields, key, values, &said.at(key), false, depth + 1));
        return folded(&own.collect::<Vec<_>>(), json!({"widget": "object"}));
    }
    if let Some(keys) = value.items().and_then(keys_of) {
        let own = block(fields, keys, &said.items(), &[], false, depth + 1);
        let widget = json!({"widget": "list", "summary": super::fields::summary(&own)});
        return folded(&own, widget);
    }
    let is_listed = !said.words.is_empty();
    let field = fields.field(name, value, false, depth)?.json;
    let is_words = match field["widget"].as_str() {
        // An anchor has a name of its own only where somebody gave it one.
        Some("string" | "text") if name != "id" => field.get("pattern").is_none(),
        Some("list") => matches!(field["field"]["widget"].as_str(), Some("string" | "text")),
        _ => false,
    };
    let is_shown = is_listed || whole || is_words && depth > 0;
    is_shown.then_some(field)
}

/// The keys of a block; `None` for other values.
fn keys_of(value: &Expected) -> Option<&[Property]> {
    match value.simplest().form {
        ValueForm::Block(block) => Some(block.keys.as_slice()).filter(|keys| !keys.is_empty()),
        _ => None,
    }
}

/// A widget with fields, which is closed at first. `None` if it has none.
fn folded(
    fields: &Fields,
    name: &str,
    meaning: Option<&str>,
    own: &[Value],
    mut widget: Value,
) -> Option<Value> {
    if own.is_empty() {
        return None;
    }
    widget["fields"] = json!(own);
    widget["name"] = json!(name);
    widget["label"] = json!(fields.label(name));
    widget["required"] = json!(false);
    widget["collapsed"] = json!(true);
    widget["hint"] = json!(meaning);
    Some(widget)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use diagnostics::problem::Source;
    use json_schema::{FileContents, read};

    fn node(text: &str) -> Node {
        let source = Source::new(String::new(), text.to_owned());
        diagnostics::yaml::parse(&source, 0..text.len()).expect("YAML")
    }

    /// The names of fields with those in them: `hero(title actions[label])`.
    fn names(fields: &[Value]) -> String {
        fields
            .iter()
            .map(|field| {
                let name = field["name"].as_str().unwrap_or_default();
                match (field["fields"].as_array(), field["widget"].as_str()) {
                    (Some(own), Some("list")) => format!("{name}[{}]", names(own)),
                    (Some(own), _) => format!("{name}({})", names(own)),
                    _ => name.to_owned(),
                }
            })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_form_has_the_words_of_all_languages_and_the_texts_that_none_has() {
        let text = |meaning: &str| json!({"type": "string", "description": meaning});
        let words = json!({"type": "object", "properties": {"path": text("Its path."), "noindex": {"type": "boolean"}}});
        let hero = json!({"type": "object", "properties": {
            "kind": {"const": "hero"},
            "band": {"oneOf": [{"const": "ink"}]},
            "title": text("The heading."),
            "lead": text("A sentence."),
            "figure": {"type": "object", "format": "picture", "properties": {"src": text("Path."), "alt": text("What it shows.")}},
            "actions": {"type": "array", "items": {"type": "object", "properties": {"label": text("Words."), "to": {"type": "string", "format": "link"}}}},
            "values": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        let file = FileContents {
            words: Some(read(words)),
            sections: Arc::new([("hero", read(hero))].into()),
            ..FileContents::default()
        };
        let languages = [("en".to_owned(), "English".to_owned())];
        let fields_of = Fields::new(&file, "page", &languages);
        let structure = node(
            "noindex: true\nsections:\n  top:\n    kind: hero\n    band: ink\n    figure: {src: a.svg}\n    actions:\n      - {to: page:a}\n",
        );
        let english =
            node("path: /a/\ntop.title: Hello\ntop.actions.1.label: Go\ntop.values.Basic: x\n");
        let spanish = node("path: /es/a/\ntop:\n  title: Hola\n  values: {Basic: y, Full: z}\n");
        let said = Said::new(&structure, &[&english, &spanish]);
        let all = fields(&fields_of, &said);
        assert_eq!(
            names(&all),
            "path top(title lead figure(alt) actions[label] values(Basic Full))"
        );
    }
}
