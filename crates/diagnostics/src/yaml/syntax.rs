//! Text to [`Node`]: the parser's settings, and what it would take that a site does not want.

use std::ops::Range;

use crate::problem::{Code, Place, Problem, Source, Span};
use crate::text;

use super::explain::explain;
use super::node::{Node, Value};
use super::pairs::quoted;

/// Parses a part of a file; spans and places are those of the whole file.
pub(super) fn parse(source: &Source, part: Range<usize>) -> Result<Node, Problem> {
    let text = &source.text[part.clone()];
    // The parser passes over a byte-order mark, and does not count it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let offset = part.end - text.len();
    let options = serde_yaml::options! {
        strict_booleans: true,
        // A page needs ten levels. Each takes kilobytes of a thread's stack, which the 64 of the default overflow.
        budget: serde_yaml::budget! { max_depth: 32 },
        with_snippet: false,
        reject_unsupported_tags: true,
        // `.nan` and `.inf` are text where text is wanted, and refused where a number is.
        non_finite_float_policy: serde_yaml::options::NonFiniteFloatPolicy::PassThrough,
        duplicate_keys: serde_yaml::options::DuplicateKeyPolicy::Error,
    };
    match serde_yaml::from_str_with_options::<Node>(text, options) {
        Ok(mut node) => {
            if node.value == Value::Null && text.lines().all(says_nothing) {
                return Err(Problem::error(Code::EmptyFile, "the file holds nothing but comments")
                    .at(Place::file(source.path.clone()))
                    .hint("write its content, or delete the file"));
            }
            node.shift(offset);
            match tag(source, &node).or_else(|| control_character(source, &node)) {
                Some(problem) => Err(problem),
                None => Ok(node),
            }
        }
        Err(serde_yaml::Error::MultipleDocuments { .. }) if closing_line(text).is_some() => {
            parse(source, offset..offset + closing_line(text).unwrap_or_default())
        }
        Err(error) => Err(explain(source, text, offset, &error)),
    }
}

fn says_nothing(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line == "---" || line == "..."
}

/// Where a line `---` stands with nothing behind it, as below the front matter of other generators.
fn closing_line(text: &str) -> Option<usize> {
    let at = text.rfind("\n---")? + 1;
    text[at..].lines().all(says_nothing).then_some(at)
}

/// A tag (`!name`) in front of a value. The parser refuses those it does not know and takes the others without a word.
fn tag(source: &Source, node: &Node) -> Option<Problem> {
    let start = node.span.start as usize;
    // Behind an alias stands a value that is looked at where it is written.
    if node.defined == node.span
        && let Some(mut before) = source.text.get(..start)
    {
        loop {
            before = before.trim_ascii_end();
            let at = before.rfind([' ', '\t', '\r', '\n']).map_or(0, |at| at + 1);
            let word = &before[at..];
            // No tag holds a quote or a bracket: such a word is the end of a text and what comes behind it.
            let is_tag =
                word.starts_with('!') && !word.ends_with(':') && !word.contains(['"', ',', '[', ']', '{', '}']);
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

/// A control character that an escape such as `"\0"` stands for; those in the file itself are reported before.
fn control_character(source: &Source, node: &Node) -> Option<Problem> {
    let in_text = |text: &str, span: Span| {
        let (_, c) = text::control_character(text)?;
        Some(text::no_control_characters(c).at(source.place(span)))
    };
    match &node.value {
        Value::Text(text) => in_text(text, node.span),
        Value::List(items) => items.iter().find_map(|item| control_character(source, item)),
        Value::Map(entries) => entries
            .iter()
            .find_map(|(key, node)| in_text(&key.name, key.span).or_else(|| control_character(source, node))),
        _ => None,
    }
}

fn in_comment(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.starts_with('#') || line.contains(" #")
}

/// What is reported of a tag; `value` is the rest of its line.
pub(super) fn no_tags(tag: &str, value: &str) -> Problem {
    Problem::error(Code::YamlSyntax, format!("a value cannot begin with `!`: `{tag}` is a tag, and no tags are read"))
        .hint(format!("put it in quotes: {}", quoted(value.trim())))
}
