//! Formats HTML for readers: one line per block, with drawings and long attributes shortened.
//!
//! It reads only the output of templates, in which every element except void ones has an end tag.

use minijinja::{Environment, Value};

use api_types::html::escape;
use diagnostics::marks::without;

/// Inline elements.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "br", "cite", "code", "em", "i", "img", "input", "label", "mark", "q", "s",
    "small", "span", "strong", "sub", "sup", "svg", "time",
];
/// Void elements, which have no end tag.
const VOID: &[&str] = &["br", "hr", "img", "input", "link", "meta", "source", "wbr"];
/// The maximum length of an attribute in bytes; longer ones are replaced with `…`.
const MAX_ATTRIBUTE: usize = 100;
/// The maximum length of a line in bytes, where an element can be broken.
const MAX_LINE: usize = 96;

/// Adds the filters `as_source` and `with_code`.
///
/// - `{{ html | as_source }}`: finished HTML as formatted text.
/// - `{{ meaning | with_code }}`: plain text, with the parts between backticks as code.
pub(crate) fn add(environment: &mut Environment) {
    // Lines are broken by their length, so they are those of the published page.
    environment.add_filter("as_source", |html: &str| formatted(&without(html)));
    environment.add_filter("with_code", |text: &str| {
        Value::from_safe_string(with_code(text))
    });
}

fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let shown = parts.map(|(at, part)| {
        if at % 2 == 1 {
            format!("<code>{}</code>", escape(part))
        } else {
            escape(part)
        }
    });
    shown.collect()
}

enum Node {
    Text(String),
    Element {
        open: String,
        name: String,
        children: Vec<Node>,
    },
}

fn formatted(html: &str) -> String {
    let mut rest = html;
    let mut lines = Vec::new();
    print(&read(&mut rest, ""), 0, &mut lines);
    lines.join("\n")
}

/// Parses the content of an element up to the end tag `until`.
fn read(rest: &mut &str, until: &str) -> Vec<Node> {
    let mut nodes = Vec::new();
    while !rest.is_empty() {
        let at = rest.find('<').unwrap_or(rest.len());
        let text = collapsed(&rest[..at]);
        if !text.is_empty() {
            nodes.push(Node::Text(text));
        }
        *rest = &rest[at..];
        let Some(tag) = tag_at(rest) else { break };
        *rest = &rest[tag.len()..];
        if let Some(closed) = tag.strip_prefix("</") {
            if closed.trim_end_matches('>').trim() == until {
                return nodes;
            }
            continue;
        }
        let name: String = tag[1..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect();
        if name.is_empty() {
            continue;
        }
        let children = if VOID.contains(&name.as_str()) || tag.ends_with("/>") {
            Vec::new()
        } else if name == "svg" {
            *rest = rest.split_once("</svg>").map_or("", |(_, rest)| rest);
            vec![Node::Text("…".into())]
        } else {
            read(rest, &name)
        };
        nodes.push(Node::Element {
            open: shortened(tag),
            name,
            children,
        });
    }
    nodes
}

/// The tag at the beginning of the text. A `>` in quotes does not end it.
fn tag_at(text: &str) -> Option<&str> {
    let mut quoted = false;
    let end = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '>' && !quoted
    })?;
    Some(&text[..=end.0])
}

/// The text with white space collapsed. A space at either end is kept, because it may separate elements.
fn collapsed(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return if text.is_empty() || text.contains('\n') {
            String::new()
        } else {
            " ".into()
        };
    }
    let space = |is_there: bool| if is_there { " " } else { "" };
    format!(
        "{}{words}{}",
        space(text.starts_with(char::is_whitespace)),
        space(text.ends_with(char::is_whitespace))
    )
}

/// The tag with long attributes shortened.
fn shortened(tag: &str) -> String {
    let mut parts = tag.split('"');
    let mut short = parts
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    while let (Some(value), Some(after)) = (parts.next(), parts.next()) {
        let value = if value.len() > MAX_ATTRIBUTE {
            "…"
        } else {
            value
        };
        let space = if after.starts_with(char::is_whitespace) {
            " "
        } else {
            ""
        };
        let after = after.split_whitespace().collect::<Vec<_>>().join(" ");
        short.extend(["\"", value, "\"", space, &after]);
    }
    short
}

fn is_inline(node: &Node) -> bool {
    match node {
        Node::Text(_) => true,
        Node::Element { name, children, .. } => {
            INLINE.contains(&name.as_str()) && children.iter().all(is_inline)
        }
    }
}

/// A node on one line.
fn in_line(node: &Node) -> String {
    match node {
        Node::Text(text) => text.clone(),
        Node::Element {
            open,
            name,
            children,
        } => {
            let inner: String = children.iter().map(in_line).collect();
            let is_void = VOID.contains(&name.as_str()) || open.ends_with("/>");
            if is_void {
                open.clone()
            } else {
                format!("{open}{}</{name}>", inner.trim())
            }
        }
    }
}

fn print(nodes: &[Node], depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    let mut line = String::new();
    let end = |line: &mut String, lines: &mut Vec<String>| {
        if !line.trim().is_empty() {
            lines.push(format!("{indent}{}", line.trim()));
        }
        line.clear();
    };
    for node in nodes {
        let whole = in_line(node);
        let fits = indent.len() + whole.len() <= MAX_LINE;
        match node {
            Node::Element {
                open,
                name,
                children,
            } if !(children.is_empty() || fits && children.iter().all(is_inline)) => {
                end(&mut line, lines);
                lines.push(format!("{indent}{open}"));
                print(children, depth + 1, lines);
                lines.push(format!("{indent}</{name}>"));
            }
            node if is_inline(node) => line.push_str(&whole),
            _ => {
                end(&mut line, lines);
                lines.push(format!("{indent}{whole}"));
            }
        }
    }
    end(&mut line, lines);
}

#[cfg(test)]
mod tests {
    use super::{formatted, with_code};

    fn check(html: &str, expect: &str) {
        assert_eq!(formatted(html), expect);
    }

    #[test]
    fn each_block_has_its_own_line() {
        check(
            "\n<section class=\"a\">\n\n    <h2>One <b>two</b></h2>\n<ul><li>x</li></ul></section>",
            "<section class=\"a\">\n  <h2>One <b>two</b></h2>\n  <ul>\n    <li>x</li>\n  </ul>\n</section>",
        );
    }

    #[test]
    fn drawings_and_long_attributes_are_shortened() {
        check(
            "<p><svg viewBox=\"0 0 1 1\"><path d=\"M0 0\"/></svg></p>",
            "<p><svg viewBox=\"0 0 1 1\">…</svg></p>",
        );
        let long = format!("<img src=\"a.png\" srcset=\"{}\">", "x".repeat(200));
        check(&long, "<img src=\"a.png\" srcset=\"…\">");
    }

    #[test]
    fn a_bracket_in_quotes_does_not_end_a_tag() {
        check("<p title=\"a > b\">x</p>", "<p title=\"a > b\">x</p>");
    }

    #[test]
    fn backticks_mark_code() {
        assert_eq!(with_code("`page` & more"), "<code>page</code> &amp; more");
    }
}
