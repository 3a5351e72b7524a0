//! The facts in the schemas about a text: its purpose, its maximum length, and whether it is words at all or a name
//! that programs read, such as that of a background.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Value;

use config::Config;
use diagnostics::yaml::Node;
use json_schema::Part;
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
    kinds: content::sections::Kinds,
    made: RefCell<BTreeMap<Kind, std::rc::Rc<Value>>>,
}

impl Schemas {
    pub fn new(config: &Config) -> Schemas {
        let of_posts = std::rc::Rc::new(json_schema::of_posts(config));
        Schemas {
            kinds: json_schema::kinds(config).0,
            made: RefCell::new(BTreeMap::from([(Kind::Post, of_posts)])),
        }
    }

    /// The facts about the text at a path of keys in a file. `structure` is the `page.yaml` beside it.
    pub fn about(
        &self,
        file: &str,
        root: &Node,
        structure: Option<&Node>,
        path: &[String],
    ) -> About {
        let Some(Item { kind, .. }) = Kind::of(file) else {
            return About::default();
        };
        let schema = self
            .made
            .borrow_mut()
            .entry(kind)
            .or_insert_with(|| std::rc::Rc::new(json_schema::form_schema(kind, &self.kinds)))
            .clone();
        let sections = structure.and_then(|node| node.get("sections"));
        described_at(&Part::of(&schema), sections, root, path)
            .as_ref()
            .map(about)
            .unwrap_or_default()
    }
}

/// The description of the value at a path. `sections` are those of the `page.yaml` beside the file.
fn described_at<'a>(
    file: &Part<'a>,
    sections: Option<&Node>,
    root: &Node,
    path: &[String],
) -> Option<Part<'a>> {
    let mut part = file.of_page(sections.is_none() && root.get("sections").is_some());
    let mut node = Some(root);
    for key in path {
        node = node.and_then(|node| node.at(std::slice::from_ref(key)));
        for step in key.split('.') {
            part = below(&part, sections, step)?;
        }
        part = part.of_kind(
            node.and_then(|node| node.get("kind"))
                .and_then(Node::as_text),
        );
    }
    Some(part)
}

fn below<'a>(part: &Part<'a>, sections: Option<&Node>, step: &str) -> Option<Part<'a>> {
    if step.bytes().all(|byte| byte.is_ascii_digit())
        && let Some(items) = part.items()
    {
        return Some(items);
    }
    let kind = || sections?.get(step)?.get("kind")?.as_text();
    part.property(step)
        .or_else(|| part.section(kind()?))
        .or_else(|| part.other_values())
}

fn about(text: &Part) -> About {
    let is_name = text
        .values()
        .iter()
        .any(|allowed| !allowed.value.is_boolean());
    let formats = std::iter::once(text.clone())
        .chain(text.alternatives())
        .filter_map(|form| form.format());
    let is_text = formats
        .into_iter()
        .all(|format| format.contains("markdown"));
    let meaning = text.meaning().unwrap_or_default().to_owned();
    About {
        meaning,
        max: text.max_length(),
        is_name: is_name || !is_text,
    }
}
