//! Writes values as YAML: in blocks, in the line of another value, and texts with the quotes that they need. Whoever writes
//! YAML does it with these functions, because a text without quotes may be read as something else.

use std::fmt::Write as _;

use super::compare::number_text;
use super::node::{Node, Value};
use super::syntax;
use crate::problem::Source;

/// Words that other YAML parsers read as true, false or nothing.
const AMBIGUOUS: &[&str] = &[
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~",
];

/// A list or block whose lines begin with `indent` spaces, but for the first, which stands where the caller writes it.
pub(super) fn block(node: &Node, indent: usize) -> String {
    let separator = format!("\n{}", spaces(indent));
    match &node.value {
        Value::Map(entries) => {
            let filled = entries.iter().filter(|(_, node)| !node.is_blank());
            filled
                .map(|(key, node)| entry(&key.name, node, indent))
                .collect::<Vec<_>>()
                .join(&separator)
        }
        Value::List(items) => items
            .iter()
            .map(|node| item(node, indent))
            .collect::<Vec<_>>()
            .join(&separator),
        _ => leaf(node, indent),
    }
}

/// A key with its value. `indent` is the column of the key.
pub(super) fn entry(name: &str, node: &Node, indent: usize) -> String {
    let key = key(name, false);
    if is_block(node) {
        format!("{key}:\n{}{}", spaces(indent + 2), block(node, indent + 2))
    } else {
        format!("{key}: {}", leaf(node, indent))
    }
}

/// An item of a list with its dash. `indent` is the column of the dash.
pub(super) fn item(node: &Node, indent: usize) -> String {
    let value = if is_block(node) {
        block(node, indent + 2)
    } else {
        leaf(node, indent)
    };
    format!("- {value}")
}

/// Whether a value is written in lines of its own.
pub(super) fn is_block(node: &Node) -> bool {
    match &node.value {
        Value::List(items) => !node.is_blank() && !items.iter().all(is_number),
        Value::Map(_) => !node.is_blank(),
        _ => false,
    }
}

/// Tells whether a node is a number.
/// Two numbers are a point: `[0.3, 0.6]`.
fn is_number(item: &Node) -> bool {
    matches!(item.value, Value::Int(_) | Value::Float(_))
}

/// A value that begins in the line of its key, whose column is `indent`.
pub(super) fn leaf(node: &Node, indent: usize) -> String {
    match &node.value {
        Value::Text(text) => self::text(text, indent + 2),
        _ => flow_with(node, false),
    }
}

/// A text outside of brackets. Its lines, if it has several, begin with `indent` spaces.
pub(super) fn text(text: &str, indent: usize) -> String {
    let several = literal(text, indent)
        .filter(|written| text.contains('\n') && is_read_as(&format!("- {written}"), text));
    several.unwrap_or_else(|| scalar(text, false))
}

/// A value in one line, inside of brackets.
pub(super) fn flow(node: &Node) -> String {
    flow_with(node, true)
}

fn flow_with(node: &Node, is_inside: bool) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Text(text) => scalar(text, is_inside),
        Value::List(items) => format!(
            "[{}]",
            items.iter().map(flow).collect::<Vec<_>>().join(", ")
        ),
        Value::Map(entries) => {
            let filled = entries.iter().filter(|(_, node)| !node.is_blank());
            format!(
                "{{{}}}",
                filled
                    .map(|(key, node)| format!("{}: {}", self::key(&key.name, true), flow(node)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        number => number_text(number).unwrap_or_default(),
    }
}

/// A text in one line, without quotes if it is read as the same text without them. `is_inside` says whether it is written
/// inside of brackets.
pub fn scalar(text: &str, is_inside: bool) -> String {
    if is_plain(text, is_inside) {
        text.to_owned()
    } else {
        double(text)
    }
}

/// Whether a text needs no quotes.
pub(super) fn is_plain(text: &str, is_inside: bool) -> bool {
    text.starts_with(|c: char| {
        c.is_alphanumeric()
            || !c.is_ascii() && !c.is_whitespace() && !is_invisible(c)
            || matches!(c, '/' | '.' | '$' | '(' | '+' | '_')
    }) && text.trim() == text
        && !AMBIGUOUS.contains(&text.to_lowercase().as_str())
        && !text.contains(|c: char| c.is_control() || is_invisible(c))
        && !(is_inside && text.contains([',', '[', ']', '{', '}']))
        // The parser knows all other rules.
        && if is_inside { is_read_as(&format!("[{text}]"), text) } else { is_read_as(&format!("- {text}"), text) }
}

/// Whether the only item of a list is read as a text.
fn is_read_as(yaml: &str, text: &str) -> bool {
    let items = read(yaml).map(|node| node.value);
    matches!(items, Some(Value::List(items)) if items.len() == 1 && items[0].as_text() == Some(text))
}

fn read(yaml: &str) -> Option<Node> {
    let source = Source::new(String::new(), yaml.to_owned());
    syntax::parse(&source, 0..yaml.len()).ok()
}

/// A key, without quotes if it is read as the same key without them. `is_inside` says whether it is written inside of
/// brackets.
pub fn key(name: &str, is_inside: bool) -> String {
    let yaml = if is_inside {
        format!("{{{name}: 1}}")
    } else {
        format!("{name}: 1")
    };
    if is_plain(name, is_inside) && read(&yaml).is_some_and(|node| node.get(name).is_some()) {
        name.to_owned()
    } else {
        double(name)
    }
}

/// Whether a character is written as an escape, so that it stays visible in the file.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{a0}'
            | '\u{ad}'
            | '\u{85}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}'
    )
}

/// A text in double quotes, in one line, as YAML and JSON read it.
pub fn double(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// A part of a text in double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    for c in text.chars() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            c if c.is_control() || is_invisible(c) => {
                let _ = write!(written, "\\u{:04X}", c as u32);
            }
            c => written.push(c),
        }
    }
    written
}

/// A text of several lines below `|`. `None` if it cannot be written so.
pub(super) fn literal(text: &str, indent: usize) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let header = if body.len() == text.len() { "|-" } else { "|" };
    if body.is_empty()
        || body.starts_with([' ', '\n', '\t'])
        || body.ends_with('\n')
        || text.contains(|c: char| {
            c.is_control() && !matches!(c, '\n' | '\t')
                || is_invisible(c) && !matches!(c, '\u{a0}' | '\u{ad}')
        })
    {
        return None;
    }
    Some(format!("{header}{}", lines(body.split('\n'), indent)))
}

/// A text in lines of at most 110 characters below `>`. `None` if it cannot be written so.
pub(super) fn folded(text: &str, indent: usize) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let header = if body.len() == text.len() { ">-" } else { ">" };
    let paragraphs: Vec<&str> = body.split('\n').collect();
    if paragraphs.iter().any(|part| {
        part.is_empty()
            || part.trim() != *part
            || part.contains("  ")
            || part.contains(char::is_control)
    }) {
        return None;
    }
    let mut wrapped = Vec::new();
    for (at, paragraph) in paragraphs.into_iter().enumerate() {
        if at > 0 {
            wrapped.push(String::new());
        }
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > 110 {
                wrapped.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        wrapped.push(line);
    }
    Some(format!(
        "{header}{}",
        lines(wrapped.iter().map(String::as_str), indent)
    ))
}

fn lines<'a>(lines: impl Iterator<Item = &'a str>, indent: usize) -> String {
    let mut text = String::new();
    for line in lines {
        text.push('\n');
        if !line.is_empty() {
            text.push_str(&spaces(indent));
            text.push_str(line);
        }
    }
    text
}

pub(super) fn spaces(count: usize) -> String {
    " ".repeat(count)
}
