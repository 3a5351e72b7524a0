//! The facts in the schemas about a text: its purpose, its maximum length, and whether it is words at all or a name
//! that programs read, such as that of a background.

use std::collections::BTreeMap;

use config::Config;
use diagnostics::yaml::{Node, Value};
use json_schema::{Expected, FileContents, ValueForm};
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

/// The contents of the files of a site.
pub(super) struct Schemas(BTreeMap<Kind, FileContents>);

impl Schemas {
    pub fn new(config: &Config) -> Schemas {
        let (kinds, _) = json_schema::kinds(config);
        let all = Kind::all().map(|kind| {
            let contents = match kind {
                Kind::Post => json_schema::of_posts(config),
                _ => json_schema::contents(kind, &kinds),
            };
            (kind, contents)
        });
        Schemas(all.collect())
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
        let sections = structure.and_then(|node| node.get("sections"));
        described_at(&self.0[&kind], sections, root, path)
            .map(about)
            .unwrap_or_default()
    }
}

/// The description of the value at a path. `sections` are those of the `page.yaml` beside the file.
fn described_at<'a>(
    file: &'a FileContents,
    sections: Option<&Node>,
    root: &Node,
    path: &[String],
) -> Option<&'a Expected> {
    let mut part = file.of_page(sections.is_none() && root.get("sections").is_some());
    let mut node = Some(root);
    for key in path {
        node = node.and_then(|node| match &node.value {
            // The path of a text counts items from 1.
            Value::List(items) => items.get(key.parse::<usize>().ok()?.checked_sub(1)?),
            _ => node.get(key),
        });
        for step in key.split('.') {
            part = part.below(step, |name| {
                file.section(sections?.get(name)?.get("kind")?.as_text()?)
            })?;
        }
        part = part.of_kind(
            node.and_then(|node| node.get("kind"))
                .and_then(Node::as_text),
        );
    }
    Some(part)
}

fn about(text: &Expected) -> About {
    let is_name = text.forms().into_iter().any(|form| match form {
        ValueForm::Choice(_) => true,
        ValueForm::Plain(scalar) => {
            let format = scalar.format.as_deref();
            scalar.typed.is_some() || format.is_some_and(|format| format != "markdown")
        }
        _ => false,
    });
    About {
        meaning: text.simplest().meaning.unwrap_or_default().to_owned(),
        max: text.max_length(),
        is_name: is_name || text.names_entries_of().is_some(),
    }
}
