//! Writes parts of a tree as HTML, for what Markdown cannot say.

use std::fmt::Write as _;

use api_types::html::escape;

use super::blocks::{FOOTNOTE, FOOTNOTE_REFERENCE};
use super::tree::{Element, Node, text};

/// Whether an element has no content and no end tag.
pub fn is_void(name: &str) -> bool {
    matches!(name, "br" | "col" | "hr" | "img" | "wbr")
}

/// Writes the start tag of an element.
pub fn open_tag(element: &Element, out: &mut String) {
    let _ = write!(out, "<{}", element.name);
    for (name, value) in &element.attributes {
        if value.is_empty() && matches!(name.as_str(), "open" | "reversed") {
            let _ = write!(out, " {name}");
        } else {
            let _ = write!(out, " {name}=\"{}\"", escape(value));
        }
    }
    out.push('>');
}

/// Nodes as HTML on few lines. An empty line would end the block, so those in code are character references.
pub fn html(nodes: &[Node]) -> String {
    let mut out = String::new();
    add_html(nodes, false, &mut out);
    out
}

fn add_html(nodes: &[Node], in_code: bool, out: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) if in_code => out.push_str(&escape(text).replace('\n', "&#10;")),
            Node::Text(text) => {
                let start = if text.starts_with([' ', '\n', '\t'])
                    && !out.ends_with(['>', '\n', ' '])
                    || text.starts_with(' ') && out.ends_with('>')
                {
                    " "
                } else {
                    ""
                };
                let inner = squeezed(text);
                let end = if text.ends_with([' ', '\n', '\t']) && !inner.is_empty() {
                    " "
                } else {
                    ""
                };
                let _ = write!(out, "{start}{}{end}", escape(&inner));
            }
            Node::Comment(_) => {}
            Node::Element(element)
                if element.name == FOOTNOTE_REFERENCE || element.name == FOOTNOTE =>
            {
                out.push_str(&escape(&text(&element.children)));
            }
            Node::Element(element) => {
                let is_line = matches!(
                    element.name.as_str(),
                    "tr" | "li" | "figcaption" | "dt" | "dd" | "thead" | "tbody"
                );
                if is_line && !out.is_empty() && !out.ends_with('\n') {
                    let kept = out.trim_end_matches(' ').len();
                    out.truncate(kept);
                    out.push('\n');
                }
                if element.name == "pre" {
                    let class = element
                        .get("class")
                        .map(|class| format!(" class=\"{}\"", escape(class)))
                        .unwrap_or_default();
                    let _ = write!(out, "<pre><code{class}>");
                    add_html(&element.children, true, out);
                    out.push_str("</code></pre>");
                    continue;
                }
                open_tag(element, out);
                if !is_void(&element.name) {
                    add_html(&element.children, in_code, out);
                    let kept = out.trim_end_matches(' ').len();
                    if element.is_block() {
                        out.truncate(kept);
                    }
                    let _ = write!(out, "</{}>", element.name);
                }
            }
        }
    }
}

/// A text with one space between its words.
fn squeezed(text: &str) -> String {
    text.split([' ', '\n', '\t', '\r', '\x0c'])
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
