//! Reads YAML into typed values and reports every mistake with its place. No other module depends on the YAML crate.
//!
//! The crate is serde-saphyr, imported as `serde_yaml`. It provides the byte span of every node, strict booleans (`yes`
//! is text) and limits against alias bombs. It parses into a tree of [`Node`]s, and a small deserializer reads types
//! from that tree. Serde alone stops at the first error; the tree makes it possible to report all unknown keys of a
//! file in one run, each at its column, a missing key at its block, and errors in several sections of a page.

mod compare;
mod complaint;
mod deserializer;
mod edit;
mod emit;
mod explain;
mod failure;
mod find;
mod layout;
mod lines;
mod node;
mod overlay;
mod pairs;
#[cfg(test)]
mod properties;
mod spanned;
mod syntax;
#[cfg(test)]
mod tests;
mod written;
mod wrong_type;

use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeOwned, DeserializeSeed};

pub use compare::{arrangement, distance};
pub use edit::{Stuck, edit, reorder};
pub use emit::{double as quoted_text, key as key_text, scalar as value_text};
pub use find::{place_of_key, place_of_text, span_of_key};
pub use node::{Key, Node, Value};
pub use overlay::{Entry, Words, overlay};
pub use spanned::{Spanned, without_spans};
pub use written::Written;

use crate::limits::KEYS;
use crate::problem::{Code, Place, Problem, Problems, Source, Span, nearest};

/// Parses a part of a file, such as its front matter. `part` is a byte range of `source.text`.
pub fn parse(source: &Source, part: std::ops::Range<usize>) -> Result<Node, Problem> {
    syntax::parse(source, part)
}

/// Writes a value as the text of a new file: in blocks, with quotes where they are needed, without entries that say
/// nothing. The text is empty if nothing is left.
pub fn write(node: &Node) -> String {
    if node.is_blank() {
        String::new()
    } else {
        emit::block(node, 0) + "\n"
    }
}

/// Reads a type from a tree. Errors are added to `problems`; in that case, the result is `None`.
pub fn read<T: DeserializeOwned>(
    source: &Arc<Source>,
    node: &Node,
    problems: &mut Problems,
) -> Option<T> {
    deserializer::read(source, node, &[], problems)
}

/// Reads a value whose type is known at run time only. Otherwise like [`read`].
pub fn read_seed<T, S>(
    source: &Arc<Source>,
    node: &Node,
    seed: S,
    problems: &mut Problems,
) -> Option<T>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    deserializer::read_seed(source, node, &[], seed, problems)
}

/// Reads a struct key by key, so that an error in one key does not affect the others. A key that could not be read has
/// its default. The second value lists the keys that were read.
pub fn read_by_key<T: DeserializeOwned + Default>(
    source: &Arc<Source>,
    node: &Node,
    required: &[&str],
    problems: &mut Problems,
) -> (T, Vec<String>) {
    let good = read_each(source, node.clone(), required, PhantomData::<T>, problems);
    let names = good.iter().map(|(key, ..)| key.name.clone()).collect();
    let good = Node::new(
        Value::Map(good.into_iter().map(|(key, node, _)| (key, node)).collect()),
        node.span,
    );
    // Errors were already reported above, key by key.
    (
        read(source, &good, &mut Problems::new()).unwrap_or_default(),
        names,
    )
}

/// Reads the keys of a block one by one, each as a block of that key alone, with a seed that reads such a block. Returns the
/// keys that could be read, with what is right of their values. The keys that are `required` and missing are reported.
pub fn read_each<T, S>(
    source: &Arc<Source>,
    node: Node,
    required: &[&str],
    seed: S,
    problems: &mut Problems,
) -> Vec<(Key, Node, T)>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let Value::Map(entries) = node.value else {
        let message = format!("expected a block of keys, found {}", node.value.kind());
        problems.push(node.problem(source, Problem::error(Code::WrongType, message)));
        return Vec::new();
    };
    let mut entries = entries;
    if let Some((key, _)) = entries.get(KEYS) {
        let message = format!(
            "this block has {} keys, but the limit is {KEYS}",
            entries.len()
        );
        problems.push(Problem::error(Code::TooLarge, message).at(source.place(key.span)));
        entries.truncate(KEYS);
    }
    let names: Vec<String> = entries.iter().map(|(key, _)| key.name.clone()).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut good = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut alone = Node::new(Value::Map(vec![entry]), node.span);
        if let Some(value) = read_without_mistakes(source, &mut alone, &keys, seed, problems)
            && let Value::Map(entries) = alone.value
            && let Some((key, node)) = entries.into_iter().next()
        {
            good.push((key, node, value));
        }
    }
    for key in required.iter().filter(|key| {
        !keys.contains(key)
            && keys
                .iter()
                .all(|written| nearest(written, [**key]).is_none())
    }) {
        let problem = Problem::error(Code::MissingKey, format!("the key `{key}` is missing"))
            .at(Place::file(source.path.clone()));
        problems.push(problem.hint(format!("add `{key}: …`")));
    }
    good
}

/// Reads a block, and leaves out the values in it that are wrong, so that one wrong value does not make the others unknown.
/// `None` if the rest could not be read either.
fn read_without_mistakes<T, S>(
    source: &Arc<Source>,
    node: &mut Node,
    keys: &[&str],
    seed: S,
    problems: &mut Problems,
) -> Option<T>
where
    S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
{
    let mut rest = Problems::new();
    let value = deserializer::read_seed(source, node, keys, seed, &mut rest);
    if value.is_some() {
        problems.extend(rest);
        return value;
    }
    problems.extend(rest.clone());
    for _ in 0..MISTAKES {
        let mut places = rest.into_iter().filter_map(|problem| problem.place.clone());
        // A key of the file itself is left out as a whole.
        let Value::Map(entries) = &mut node.value else {
            return None;
        };
        let is_found = places.any(|place| {
            entries
                .iter_mut()
                .any(|(_, value)| leave_out(source, value, &place))
        });
        if !is_found {
            return None;
        }
        rest = Problems::new();
        if let Some(value) = deserializer::read_seed(source, node, keys, seed, &mut rest) {
            return Some(value);
        }
        // A key is not missing that was left out.
        if rest.iter().any(|problem| problem.code == Code::MissingKey) {
            return None;
        }
        problems.extend(rest.clone());
    }
    None
}

/// The number of wrong values of a block that are left out.
const MISTAKES: usize = 20;

/// Removes the key or the value at a place from the blocks in a node.
fn leave_out(source: &Arc<Source>, node: &mut Node, place: &Place) -> bool {
    match &mut node.value {
        Value::Map(entries) => {
            let before = entries.len();
            entries.retain(|(key, value)| {
                source.place(key.span) != *place && source.place(value.span) != *place
            });
            before > entries.len()
                || entries
                    .iter_mut()
                    .any(|(_, value)| leave_out(source, value, place))
        }
        Value::List(items) => items.iter_mut().any(|item| leave_out(source, item, place)),
        _ => false,
    }
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

/// Reads a value from the command line (`--set product.name=Otra`). It is verbatim text, converted where a number or
/// boolean is expected. Only values that begin with a bracket or a quote are parsed as YAML.
pub fn scalar(text: &str) -> Node {
    let verbatim = Node::new(Value::Text(text.to_owned()), Span::COMMAND_LINE);
    if !text.trim_start().starts_with(['[', '{', '"', '\'']) {
        return verbatim;
    }
    let source = Source::new("--set".into(), text.to_owned());
    let parsed = syntax::parse(&source, 0..text.len()).map(|mut node| {
        node.forget_spans(text);
        node
    });
    parsed.unwrap_or(verbatim)
}
