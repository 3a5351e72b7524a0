//! The one module that knows the YAML crate: text in, typed values out, every mistake with its place.
//!
//! The crate is serde-saphyr under the name `serde_yaml`, whose own development ended in 2024: its successor gives the
//! byte span of every node, strict booleans (`yes` is text) and budgets against alias bombs. It parses into a tree of
//! [`Node`]s, and a small deserializer reads types from that tree. The detour buys what serde alone cannot give: all
//! unknown keys of a file in one run, each at its own column; a missing key named at its block; and sections of a page
//! that fail one by one instead of all with the first.

mod deserializer;
mod explain;
mod failure;
mod lines;
mod node;
mod pairs;
#[cfg(test)]
mod properties;
mod spanned;
mod syntax;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::de::DeserializeOwned;

pub use node::{Node, Value};
pub use spanned::Spanned;

use crate::problem::{Code, Place, Problem, Problems, Source, Span, nearest};

/// Parses a file, or the front matter of one: `text` is the part of `source.text` that begins at byte `offset`.
pub fn parse(source: &Source, part: std::ops::Range<usize>) -> Result<Node, Problem> {
    syntax::parse(source, part)
}

/// Reads a type from a tree. What is wrong goes to `problems`; `None` when no value could be made at all.
pub fn read<T: DeserializeOwned>(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Option<T> {
    deserializer::read(source, node, &[], problems)
}

/// Reads a struct key by key, so that a mistake in one key leaves the others; what could not be read has its default.
/// The second value names the keys that were read.
pub fn read_by_key<T: DeserializeOwned + Default>(
    source: &Arc<Source>,
    node: &Node,
    required: &[&str],
    problems: &mut Problems,
) -> (T, Vec<String>) {
    let Value::Map(entries) = &node.value else {
        let message = format!("a block of keys was expected, not {}", node.value.kind());
        problems.push(node.problem(source, Problem::error(Code::WrongType, message)));
        return (T::default(), Vec::new());
    };
    let keys: Vec<&str> = entries.iter().map(|(key, _)| key.name.as_str()).collect();
    let mut good = Vec::new();
    for entry in entries {
        let alone = Node::new(Value::Map(vec![entry.clone()]), node.span);
        if deserializer::read::<T>(source, &alone, &keys, problems).is_some() {
            good.push(entry.clone());
        }
    }
    for key in required
        .iter()
        .filter(|key| !keys.contains(key) && keys.iter().all(|written| nearest(written, [**key]).is_none()))
    {
        let problem = Problem::error(Code::MissingKey, format!("the key `{key}` is missing"))
            .at(Place::file(source.path.clone()));
        problems.push(problem.hint(format!("add `{key}: …`")));
    }
    let names = good.iter().map(|(key, _)| key.name.clone()).collect();
    let good = Node::new(Value::Map(good), node.span);
    // What is wrong was reported above, key by key.
    (read(source, &good, &mut Problems::new()).unwrap_or_default(), names)
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

/// Reads one value typed on the command line (`--set product.name=Otra`). It is text as it was typed, and a number or
/// `true` where one is wanted; only what begins with a bracket or a quote is YAML.
pub fn scalar(text: &str) -> Node {
    let verbatim = || Node::new(Value::Text(text.to_owned()), Span::COMMAND_LINE);
    if !text.trim_start().starts_with(['[', '{', '"', '\'']) {
        return verbatim();
    }
    let source = Source { path: "--set".into(), text: text.to_owned() };
    let parsed = syntax::parse(&source, 0..text.len()).map(|mut node| {
        node.forget_spans(text);
        node
    });
    parsed.unwrap_or_else(|_| verbatim())
}
