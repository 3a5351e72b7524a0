//! The one module that knows the YAML crate: text in, typed values out, every mistake with its place.
//!
//! The crate is serde-saphyr under the name `serde_yaml`, whose own development ended in 2024: its successor gives the
//! byte span of every node, strict booleans (`yes` is text) and budgets against alias bombs. It parses into a tree of
//! [`Node`]s, and a small deserializer reads types from that tree. The detour buys what serde alone cannot give: all
//! unknown keys of a file in one run, each at its own column; a missing key named at its block; and sections of a page
//! that fail one by one instead of all with the first.

mod deserializer;
mod node;
mod syntax;

use std::sync::Arc;

use serde::de::DeserializeOwned;

pub use deserializer::Spanned;
pub use node::{Node, Value};

use crate::problem::{Problem, Problems, Source, Span};

/// Parses a file, or the front matter of one: `text` is the part of `source.text` that begins at byte `offset`.
pub fn parse(source: &Source, part: std::ops::Range<usize>) -> Result<Node, Problem> {
    syntax::parse(source, part)
}

/// Reads a type from a tree. What is wrong goes to `problems`; `None` when no value could be made at all.
pub fn read<T: DeserializeOwned>(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Option<T> {
    deserializer::read(source, node, problems)
}

/// Parses a whole file and reads a type from it.
pub fn load<T: DeserializeOwned>(source: &Arc<Source>, problems: &mut Problems) -> Option<T> {
    match parse(source, 0..source.text.len()) {
        Ok(node) => read(source, &node, problems),
        Err(problem) => {
            problems.push(problem);
            None
        }
    }
}

/// Parses one value written on the command line (`--set product.name=Otra`): a scalar, list or map in flow style.
pub fn scalar(text: &str) -> Node {
    let source = Source { path: "--set".into(), text: text.to_owned() };
    let mut node =
        syntax::parse(&source, 0..text.len()).unwrap_or_else(|_| Node { value: Value::Text(text.to_owned()), span: Span::default() });
    node.forget_spans();
    node
}
