//! The facts in the schemas about a text: its purpose, its maximum length, and whether it is words at all or a name
//! that programs read, such as that of a background.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Value;

use config::Config;
use diagnostics::yaml::Node;
use workspace::kinds::{Item, Kind};

/// The facts about a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct About {
    /// Its purpose, in a sentence; empty if no schema has it.
    pub meaning: String,
    /// The most characters that it may have.
    pub max: Option<usize>,
    /// Programs read it.
    pub is_name: bool,
}

/// The schemas of a site, made when they are first asked for.
pub(super) struct Schemas {
    kinds: site::content::sections::Kinds,
    made: RefCell<BTreeMap<Kind, std::rc::Rc<Value>>>,
}

impl Schemas {
    pub fn new(config: &Config) -> Schemas {
        let of_posts = std::rc::Rc::new(json_schema::of_posts(config));
        Schemas { kinds: json_schema::kinds(config).0, made: RefCell::new(BTreeMap::from([(Kind::Post, of_posts)])) }
    }

    /// The facts about the text at a path of keys in a file. `structure` is the `page.yaml` beside it.
    pub fn about(&self, file: &str, root: &Node, structure: Option<&Node>, path: &[String]) -> About {
        let Some(Item { kind, .. }) = Kind::of(file) else { return About::default() };
        let schema = self
            .made
            .borrow_mut()
            .entry(kind)
            .or_insert_with(|| std::rc::Rc::new(json_schema::form_schema(kind, &self.kinds)))
            .clone();
        let walk = Walk { schema: &schema, sections: structure.and_then(|node| node.get("sections")) };
        walk.at(root, path).map(|leaf| walk.describe(leaf)).unwrap_or_default()
    }
}

struct Walk<'a> {
    schema: &'a Value,
    sections: Option<&'a Node>,
}

impl<'a> Walk<'a> {
    fn at(&self, root: &Node, path: &[String]) -> Option<&'a Value> {
        let definitions = &self.schema["$defs"];
        let mut schema = if self.schema.get("then").is_some() {
            let is_whole = self.sections.is_none() && root.get("sections").is_some();
            &definitions[if is_whole { "whole_page" } else { "words_of_page" }]
        } else {
            self.schema
        };
        let mut node = Some(root);
        for key in path {
            node = node.and_then(|node| node.at(std::slice::from_ref(key)));
            for step in key.split('.') {
                schema = self.step(schema, step)?;
            }
            let kind = node.and_then(|node| node.get("kind")).and_then(Node::as_text);
            schema = kind.and_then(|kind| definitions.get(kind)).unwrap_or(schema);
        }
        Some(schema)
    }

    fn step(&self, schema: &'a Value, step: &str) -> Option<&'a Value> {
        if step.bytes().all(|byte| byte.is_ascii_digit())
            && let Some(list) = self.shape(schema, "items")
        {
            return list.get("items");
        }
        let named = self.shape(schema, "properties").and_then(|schema| schema["properties"].get(step));
        let section = || {
            let kind = self.sections?.get(step)?.get("kind")?.as_text()?;
            self.schema["$defs"].get(kind)
        };
        let any =
            || self.shape(schema, "additionalProperties")?.get("additionalProperties").filter(|any| any.is_object());
        named.or_else(section).or_else(any)
    }

    /// The part of a schema that has a keyword, behind references and alternatives.
    fn shape(&self, schema: &'a Value, keyword: &str) -> Option<&'a Value> {
        let schema = self.resolved(schema);
        if schema.get(keyword).is_some() {
            return Some(schema);
        }
        alternatives(schema).map(|one| self.resolved(one)).find(|one| one.get(keyword).is_some())
    }

    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let name = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        name.map_or(schema, |name| &self.schema["$defs"][name])
    }

    fn describe(&self, leaf: &'a Value) -> About {
        let resolved = self.resolved(leaf);
        let meaning = |schema: &Value| schema["description"].as_str().unwrap_or_default().to_owned();
        let own = meaning(leaf);
        let all: Vec<&Value> =
            std::iter::once(resolved).chain(alternatives(resolved).map(|one| self.resolved(one))).collect();
        let is_listed = all.iter().any(|one| {
            one.get("enum").is_some()
                || one.get("const").is_some()
                || alternatives(one).any(|one| one.get("const").is_some())
        });
        let is_text = all.iter().filter_map(|one| one["format"].as_str()).all(|format| format.contains("markdown"));
        let max = all.iter().find_map(|one| one["maxLength"].as_u64());
        About {
            meaning: if own.is_empty() { meaning(resolved) } else { own },
            max: max.and_then(|max| usize::try_from(max).ok()),
            is_name: is_listed || !is_text,
        }
    }
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array()).flatten()
}
