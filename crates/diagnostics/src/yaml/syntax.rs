//! Parses text into a [`Node`] tree: the parser's options, and checks for YAML features that sites do not support.

use std::ops::Range;

use crate::problem::{Code, Place, Problem, Source, Span};
use crate::text;

use super::explain::{explain, no_tags};
use super::node::{Node, Value};

/// The most values of a small text whose aliases repeat them.
const NODES: usize = 250_000;

/// Parses a part of a file. Spans and places are relative to the whole file.
pub(super) fn parse(source: &Source, part: Range<usize>) -> Result<Node, Problem> {
    let text = &source.text[part.clone()];
    // The parser skips a byte-order mark without counting it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let offset = part.end - text.len();
    if text.lines().all(is_insignificant) {
        return Err(
            Problem::error(Code::EmptyFile, "the file contains only comments")
                .at(Place::file(source.path.clone()))
                .hint("write its content, or delete the file"),
        );
    }
    let options = serde_yaml::options! {
        strict_booleans: true,
        // A page needs ten levels. Each level takes kilobytes of stack; the default of 64 levels could overflow it. A text
        // without aliases has no more values than letters: the limits are for those that aliases repeat.
        budget: serde_yaml::budget! {
            max_depth: 32,
            max_nodes: text.len().max(NODES),
            max_events: 2 * text.len().max(NODES),
        },
        with_snippet: false,
        reject_unsupported_tags: true,
        // `.nan` and `.inf` are accepted as text, and rejected later where a number is expected.
        non_finite_float_policy: serde_yaml::options::NonFiniteFloatPolicy::PassThrough,
        duplicate_keys: serde_yaml::options::DuplicateKeyPolicy::Error,
    };
    match serde_yaml::from_str_with_options::<Node>(text, options) {
        Ok(mut node) => {
            node.shift(offset);
            match tag(source, &node).or_else(|| control_character(source, &node)) {
                Some(problem) => Err(problem),
                None => Ok(node),
            }
        }
        Err(serde_yaml::Error::MultipleDocuments { .. }) if closing_line(text).is_some() => parse(
            source,
            offset..offset + closing_line(text).unwrap_or_default(),
        ),
        Err(error) => Err(explain(source, text, offset, &error)),
    }
}

fn is_insignificant(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line == "---" || line == "..."
}

/// The offset behind the content of a text that ends with lines `---`, as the front matter of other generators does.
fn closing_line(text: &str) -> Option<usize> {
    let below: usize = text
        .split_inclusive('\n')
        .rev()
        .take_while(|line| is_insignificant(line))
        .map(str::len)
        .sum();
    let at = text.len() - below;
    text[at..]
        .lines()
        .any(|line| line.starts_with("---"))
        .then_some(at)
}

/// Finds a tag (`!name`) before a value. The parser rejects unknown tags but silently accepts known ones.
fn tag(source: &Source, node: &Node) -> Option<Problem> {
    let start = node.span.start as usize;
    // The value of an alias is checked at its anchor.
    if node.defined == node.span
        && let Some(mut before) = source.text.get(..start)
    {
        loop {
            before = before.trim_ascii_end();
            // A tag contains no quotes or brackets, and JSON may have no spaces.
            let at = before.rfind([' ', '\t', '\r', '\n', '"', ',', '[', ']', '{', '}']);
            let at = at.map_or(0, |at| at + 1);
            let word = &before[at..];
            let is_tag = word.starts_with('!') && !word.ends_with(':');
            if is_tag && !in_comment(before) {
                let value = source.text[at..].lines().next().unwrap_or_default();
                let place = source.place(Span::new(at, at + word.len()));
                return Some(no_tags(word, value).at(place));
            }
            if !word.starts_with('&') {
                break;
            }
            before = &before[..at];
        }
    }
    match &node.value {
        Value::List(items) => items.iter().find_map(|item| tag(source, item)),
        Value::Map(entries) => entries.iter().find_map(|(_, node)| tag(source, node)),
        _ => None,
    }
}

/// The problem of a control character in a text.
fn in_text(source: &Source, text: &str, span: Span) -> Option<Problem> {
    let (_, c) = text::control_character(text)?;
    Some(text::no_control_characters(c).at(source.place(span)))
}

/// Finds a control character from an escape such as `"\0"`. Literal ones were reported before parsing.
fn control_character(source: &Source, node: &Node) -> Option<Problem> {
    match &node.value {
        Value::Text(text) => in_text(source, text, node.span),
        Value::List(items) => items
            .iter()
            .find_map(|item| control_character(source, item)),
        Value::Map(entries) => entries.iter().find_map(|(key, node)| {
            in_text(source, &key.name, key.span).or_else(|| control_character(source, node))
        }),
        _ => None,
    }
}

fn in_comment(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.starts_with('#') || line.contains(" #")
}
