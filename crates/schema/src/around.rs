//! Blocks that contain blocks of their own kind, such as the units of an organization.

use std::fmt;
use std::sync::OnceLock;

use super::{Block, Takes};

/// A block around a field, by name. It is known once its schema is kept.
pub struct Around {
    name: &'static str,
    block: OnceLock<&'static Block>,
}

impl Around {
    pub(super) fn new(name: &'static str) -> Around {
        Around {
            name,
            block: OnceLock::new(),
        }
    }

    /// The block.
    pub fn block(&self) -> Option<&'static Block> {
        self.block.get().copied()
    }
}

impl PartialEq for Around {
    fn eq(&self, other: &Around) -> bool {
        self.name == other.name
    }
}

impl Eq for Around {}

impl fmt::Debug for Around {
    // Without the block, which contains this field.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Around").field(&self.name).finish()
    }
}

/// Keeps the fields of a schema for the life of the process, because serde takes the names of fields as `'static`.
pub fn kept(block: Block) -> &'static Block {
    let block: &'static Block = Box::leak(Box::new(block));
    tie(block, &mut Vec::new());
    block
}

/// Gives each field that is like a block around it that block.
fn tie(block: &'static Block, open: &mut Vec<(&'static str, &'static Block)>) {
    for field in &block.fields {
        match &field.takes {
            Takes::Block(inner) => {
                open.push((field.name, inner));
                tie(inner, open);
                open.pop();
            }
            Takes::Like(around) => {
                if let Some((_, inner)) = open.iter().rfind(|(name, _)| *name == around.name) {
                    // Set once: each schema is kept once.
                    let _ = around.block.set(inner);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use diagnostics::problem::{Problems, Source};
    use diagnostics::yaml;
    use serde_json::{Value as Json, json};

    use super::super::{Scope, read};
    use super::kept;

    const TREE: &str = "root:\n  type: block\n  meaning: The first.\n  fields:\n    name: {type: text, required: true, meaning: Its name.}\n    units: {type: like, to: root, list: true, meaning: Those below it.}\nuses: {type: text, map: true, meaning: By name.}\nlimits: {type: flag_or_text, map: true, list: true, meaning: By plan.}\n";

    fn problems_of(schema: &str) -> String {
        let source = Arc::new(Source::new("schema.yaml".to_owned(), schema.to_owned()));
        let node = yaml::parse(&source, 0..source.text.len()).expect("YAML");
        let mut problems = Problems::new();
        assert!(
            read(&source, &node, Scope::Section, &mut problems).is_none(),
            "{schema}"
        );
        problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect()
    }

    fn values_of(written: &str) -> (Option<Json>, String) {
        let source = Arc::new(Source::new("schema.yaml".to_owned(), TREE.to_owned()));
        let node = yaml::parse(&source, 0..source.text.len()).expect("YAML");
        let mut problems = Problems::new();
        let block = kept(read(&source, &node, Scope::Section, &mut problems).expect("a schema"));
        let values = Arc::new(Source::new("page.yaml".to_owned(), written.to_owned()));
        let node = yaml::parse(&values, 0..written.len()).expect("YAML");
        let read = yaml::read_seed(&values, &node, block, &mut problems);
        (
            read,
            problems
                .iter()
                .map(|problem| problem.message.as_str())
                .collect(),
        )
    }

    #[test]
    fn a_block_contains_blocks_of_its_own_kind() {
        let tree = "root: {name: A, units: [{name: B, units: [{name: C}]}]}\nuses: {a: one, b: 2}\nlimits: {s: [true, 5]}\n";
        let (values, problems) = values_of(tree);
        assert_eq!(problems, "");
        let leaf = |name: &str| json!({"name": name, "units": []});
        let expected = json!({
            "root": {"name": "A", "units": [{"name": "B", "units": [leaf("C")]}]},
            "uses": {"a": "one", "b": "2"},
            "limits": {"s": [true, "5"]},
        });
        assert_eq!(values, Some(expected));
    }

    #[test]
    fn mistakes_in_a_tree_have_their_place() {
        let (_, problems) = values_of("root: {name: A, units: [{name: B, units: [{nme: C}]}]}\n");
        assert!(problems.contains("unknown key `nme`"), "{problems}");
        let (_, problems) = values_of("root: {name: A}\nuses: [a]\n");
        assert!(
            problems.contains("expected a block of keys, found a list"),
            "{problems}"
        );
    }

    #[test]
    fn a_block_that_is_not_around_a_field_has_no_like() {
        let schema = "root:\n  type: block\n  meaning: The first.\n  fields:\n    units: {type: like, to: rot, list: true, meaning: Those below it.}\n";
        let problems = problems_of(schema);
        assert!(
            problems.contains("no block around this field is called `rot`"),
            "{problems}"
        );
        assert!(
            problems_of("color: {type: token, meaning: A color.}\n")
                .contains("has `type: token`, but no `of`")
        );
        assert!(
            problems_of("a: {type: like, meaning: A.}\n").contains("has `type: like`, but no `to`")
        );
    }
}
