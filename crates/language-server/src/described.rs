//! The facts in the JSON Schemas about a place in a file: the keys that are possible, their meanings and their values.

use std::path::Path;

use serde_json::Value;

use diagnostics::yaml;
use site::content::collections::POSTS;
use workspace::kinds::Kind;

use super::analysis::Index;
use super::context::{Block, Context, Step};

/// The key that says on which pages sections are shown.
const ON_PAGES: &str = "on_pages";

/// The kind of file at a path below the root of the site; `None` if no schema describes it.
pub(super) fn kind_of(root: &Path, path: &Path) -> Option<Kind> {
    let shown = workspace::files::shown(root, path);
    Kind::of(&shown).map(|item| item.kind)
}

/// The name of the folder of entries that a file is in, or of the settings of a site.
pub(super) fn collection_of(root: &Path, path: &Path) -> Option<String> {
    let shown = workspace::files::shown(root, path);
    let below = shown.strip_prefix("content/")?;
    let (name, _) = below.split_once('/').or_else(|| below.split_once('.'))?;
    Some(if name == "blog" { POSTS } else { name }.to_owned())
}

/// The schema of a file, with what resolves its references.
pub(super) struct Described<'a> {
    root: &'a Value,
    /// The kinds of the sections that words belong to, by the names of the sections.
    sections: Vec<(String, String)>,
    /// Beside a `page.yaml` that says on which pages its sections are shown.
    is_shared: bool,
}

/// A property, and whether it is required.
pub(super) struct Property<'a> {
    pub name: &'a str,
    pub schema: &'a Value,
    pub required: bool,
}

impl<'a> Described<'a> {
    /// The description of a file; `None` if there is none.
    pub fn of(index: &'a Index, path: &Path) -> Option<Described<'a>> {
        let root = match kind_of(&index.root, path) {
            // With the fields that the site adds.
            Some(Kind::Post) => &index.collections.get(POSTS)?.schema,
            Some(kind) => index.schemas.get(kind.name())?,
            None => &index.collections.get(&collection_of(&index.root, path)?)?.schema,
        };
        let structure = path.with_file_name("page.yaml");
        let text = if structure == path { None } else { index.root.read_text(&structure).ok() };
        let page = text.and_then(|source| yaml::parse(&source, 0..source.text.len()).ok());
        let sections = page.as_ref().map(sections).unwrap_or_default();
        Some(Described { root, sections, is_shared: page.is_some_and(|page| page.get(ON_PAGES).is_some()) })
    }

    /// Whether the file is that of sections on many pages.
    pub fn is_shared(&self, context: &Context) -> bool {
        self.is_shared || context.blocks.first().is_some_and(|block| block.keys.iter().any(|key| key == ON_PAGES))
    }

    /// The schema of the block, list or value that the cursor is in.
    pub fn at(&self, context: &Context) -> Option<&'a Value> {
        let mut schema = self.start(context);
        for (step, block) in context.path.iter().zip(&context.blocks) {
            schema = match step {
                Step::Key(key) => self.property(schema, block, key)?,
                Step::Item => self.shape(schema, "items")?.get("items")?,
            };
        }
        Some(schema)
    }

    fn start(&self, context: &Context) -> &'a Value {
        if self.root.get("then").is_none() {
            return self.root;
        }
        // A page with sections of its own, or words beside `page.yaml`.
        let first = context.blocks.first();
        let has_sections = first.is_some_and(|block| block.keys.iter().any(|key| key == "sections"))
            || context.path.first() == Some(&Step::Key("sections".to_owned()));
        let is_whole = self.sections.is_empty() && (has_sections || context.path.is_empty());
        &self.root["$defs"][if is_whole { "whole_page" } else { "words_of_page" }]
    }

    /// The value of a key of a block.
    pub fn property(&self, schema: &'a Value, block: &Block, key: &str) -> Option<&'a Value> {
        if let Some((name, rest)) = key.split_once('.')
            && let Some(section) = self.section(name)
        {
            // The words of a section: `hero.actions.1.label`.
            return rest.split('.').try_fold(section, |schema, step| {
                if step.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.shape(schema, "items")?.get("items")
                } else {
                    self.property(schema, &Block::default(), step)
                }
            });
        }
        // The kind decides the other keys, and may be any.
        let schema = if key == "kind" { self.resolved(schema) } else { self.of_kind(schema, block) };
        let own = self.shape(schema, "properties").and_then(|schema| schema["properties"].get(key));
        own.or_else(|| self.section(key)).or_else(|| {
            self.shape(schema, "additionalProperties")?.get("additionalProperties").filter(|other| other.is_object())
        })
    }

    /// The properties of a block.
    pub fn properties(&self, schema: &'a Value, block: &Block) -> Vec<Property<'a>> {
        let Some(schema) = self.shape(self.of_kind(schema, block), "properties") else { return Vec::new() };
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
        };
        schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, schema)| Property { name, schema, required: required(name) })
            .collect()
    }

    /// The names of the sections that words belong to, each with its properties.
    pub fn words(&self) -> impl Iterator<Item = (&str, Vec<Property<'a>>)> {
        self.sections.iter().filter_map(|(name, kind)| {
            let schema = self.root["$defs"].get(kind)?;
            Some((name.as_str(), self.properties(schema, &Block::default())))
        })
    }

    fn section(&self, name: &str) -> Option<&'a Value> {
        let (_, kind) = self.sections.iter().find(|(own, _)| own == name)?;
        self.root["$defs"].get(kind)
    }

    /// The schema of a section of the kind that the block names.
    fn of_kind(&self, schema: &'a Value, block: &Block) -> &'a Value {
        let schema = self.resolved(schema);
        let kind = block.kind.as_deref().filter(|_| schema.get("allOf").is_some());
        kind.and_then(|kind| self.root["$defs"].get(kind)).unwrap_or(schema)
    }

    /// The part of a schema that has a keyword, behind references and alternatives.
    fn shape(&self, schema: &'a Value, keyword: &str) -> Option<&'a Value> {
        let schema = self.resolved(schema);
        if schema.get(keyword).is_some() {
            return Some(schema);
        }
        let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
        alternatives.map(|one| self.resolved(one)).find(|one| one.get(keyword).is_some())
    }

    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        name.map_or(schema, |name| &self.root["$defs"][name])
    }

    /// The values that a schema allows, each with its meaning; empty if they cannot be listed.
    pub fn values(&self, schema: &'a Value) -> Vec<(String, &'a str)> {
        let schema = self.resolved(schema);
        let mut values = Vec::new();
        for one in schema["enum"].as_array().into_iter().flatten() {
            values.extend(shown(one).map(|value| (value, "")));
        }
        values.extend(shown(&schema["const"]).map(|value| (value, meaning(schema))));
        let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten();
        alternatives.for_each(|one| values.extend(self.values(one)));
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            kind => kind.as_str().into_iter().collect::<Vec<_>>(),
        };
        if kinds.contains(&"boolean") {
            values.extend(["true", "false"].map(|value| (value.to_owned(), "")));
        }
        values
    }

    /// The meaning of a property.
    pub fn meaning(&self, schema: &'a Value) -> &'a str {
        match meaning(schema) {
            "" => meaning(self.resolved(schema)),
            meaning => meaning,
        }
    }

    /// Whether a property takes a block, a list or one value.
    pub fn takes(&self, schema: &'a Value) -> Takes {
        if self.shape(schema, "items").is_some() {
            Takes::List
        } else if self.shape(schema, "properties").or_else(|| self.shape(schema, "additionalProperties")).is_some() {
            Takes::Block
        } else {
            Takes::Value
        }
    }
}

/// The kind of value that follows a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Value,
    Block,
    List,
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn meaning(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// The names and kinds of the sections in a `page.yaml`.
fn sections(page: &yaml::Node) -> Vec<(String, String)> {
    let Some(yaml::Value::Map(entries)) = page.get("sections").map(|sections| &sections.value) else {
        return Vec::new();
    };
    entries
        .iter()
        .map(|(key, section)| {
            (key.name.clone(), section.get("kind").and_then(yaml::Node::as_text).unwrap_or_default().to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::problem::Source;

    #[test]
    fn files_have_the_schema_of_their_kind() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(kind_of(Path::new("/s"), &Path::new("/s").join(path)).map(Kind::name), expect, "{path}");
        };
        check("content/pages/home/en.yaml", Some("page"));
        check("content/pages/home/page.yaml", Some("page-structure"));
        check("content/forms/lead/form.yaml", Some("form"));
        check("content/blog/en/a.md", Some("post"));
        check("content/blog/en/a/index.md", Some("post"));
        check("content/blog/en/a/b/c.md", None);
        check("README.md", None);
    }

    #[test]
    fn words_know_the_kinds_of_their_sections() {
        let text = "layout: {}\nsections:\n  hero:\n    kind: hero\n  call: {kind: call_to_action, band: ink}\n";
        let expect = [("hero", "hero"), ("call", "call_to_action")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let source = Source { path: "page.yaml".into(), text: text.into() };
        assert_eq!(sections(&yaml::parse(&source, 0..text.len()).expect("YAML")), expect);
    }
}
