//! The form in which two trees are compared: what a reader perceives, and nothing of how it was written.
//!
//! Blanks count as one, `<b>` is `<strong>`, paragraphs in list items and cells are their text, and attributes are those
//! that change what one sees or where one gets.

use std::fmt::Write as _;

use super::blocks::{FOOTNOTE, FOOTNOTE_REFERENCE};
use super::tree::{Element, Node};

/// Elements that add nothing for readers.
const TRANSPARENT: [&str; 8] = [
    "tbody", "thead", "tfoot", "div", "span", "colgroup", "col", "wbr",
];

/// Writes nodes in the form of this comparison.
pub fn canonical(nodes: &[Node]) -> String {
    let mut out = Canonical::default();
    out.nodes(nodes, "");
    out.end_text();
    out.text
}

#[derive(Default)]
struct Canonical {
    text: String,
    /// Text since the last tag.
    pending: String,
    /// Whether a blank stands before the next text.
    blank: bool,
    /// Whether a tag within a line has just begun, before which a blank at its beginning stands already.
    starts: bool,
}

impl Canonical {
    fn nodes(&mut self, nodes: &[Node], parent: &str) {
        for node in nodes {
            match node {
                Node::Text(text) if parent == "pre" => {
                    self.end_text();
                    let text = text
                        .trim_matches('\n')
                        .lines()
                        .map(str::trim_end)
                        .collect::<Vec<_>>()
                        .join("\n");
                    self.text.push_str(&text);
                }
                Node::Text(text) => self.add(text),
                Node::Comment(_) => {}
                Node::Element(element) => self.element(element, parent),
            }
        }
    }

    fn add(&mut self, text: &str) {
        for c in text.chars() {
            if matches!(c, ' ' | '\n' | '\t' | '\r' | '\x0c') {
                self.blank |= !self.starts;
            } else {
                self.starts = false;
                if std::mem::take(&mut self.blank)
                    && !self.text.ends_with('\n') | !self.pending.is_empty()
                {
                    self.pending.push(' ');
                }
                self.pending.push(c);
            }
        }
    }

    fn end_text(&mut self) {
        self.text.push_str(&std::mem::take(&mut self.pending));
    }

    /// A tag of a block: blanks around it mean nothing.
    fn block_tag(&mut self, tag: &str) {
        self.end_text();
        self.blank = false;
        if !self.text.ends_with('\n') && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(tag);
        self.text.push('\n');
    }

    fn element(&mut self, element: &Element, parent: &str) {
        let name = match element.name.as_str() {
            "b" => "strong",
            "i" => "em",
            "s" | "strike" => "del",
            name => name,
        };
        let is_transparent = TRANSPARENT.contains(&name) && element.get("id").is_none()
            || name == "p" && matches!(parent, "li" | "td" | "th" | "dd" | "figure" | "details")
            || name == "code" && parent == "pre"
            // A table without a head has an empty one in Markdown.
            || matches!(name, "tr") && element.text().trim().is_empty();
        if is_transparent {
            if name == "tr" {
                return;
            }
            if element.is_block() {
                self.end_text();
                self.blank = true;
            }
            self.nodes(
                &element.children,
                if name == "code" { "pre" } else { parent },
            );
            if element.is_block() {
                self.blank = true;
            }
            return;
        }
        match name {
            "br" => self.block_tag("<br>"),
            "img" => {
                self.flush_blank();
                self.end_text();
                let [src, alt, title] =
                    ["src", "alt", "title"].map(|name| element.get(name).unwrap_or_default());
                let _ = write!(self.text, "<img src={src} alt={alt} title={title}>");
            }
            FOOTNOTE_REFERENCE | FOOTNOTE => {}
            _ if element.is_block() || element.name == "iframe" => {
                self.block_tag(&open(element, name));
                self.nodes(&element.children, name);
                self.block_tag(&format!("</{name}>"));
            }
            _ => {
                if element.text().trim().is_empty()
                    && element.find(&|own| own.name == "img").is_none()
                    && element.get("id").is_none()
                {
                    self.nodes(&element.children, parent);
                    return;
                }
                // A blank inside at the beginning is a blank before.
                self.blank |= element.text().starts_with([' ', '\n', '\t']);
                self.flush_blank();
                self.end_text();
                self.text.push_str(&open(element, name));
                self.starts = true;
                self.nodes(&element.children, name);
                self.starts = false;
                self.end_text();
                let _ = write!(self.text, "</{name}>");
            }
        }
    }

    fn flush_blank(&mut self) {
        if std::mem::take(&mut self.blank)
            && !(self.text.ends_with('\n') && self.pending.is_empty())
            && !self.text.is_empty()
        {
            self.pending.push(' ');
        }
    }
}

/// The start tag with the attributes that matter.
fn open(element: &Element, name: &str) -> String {
    let mut tag = format!("<{name}");
    let kept = [
        "href", "src", "title", "start", "reversed", "type", "value", "colspan", "rowspan", "id",
        "class", "open",
    ];
    for attribute in kept {
        let Some(value) = element.get(attribute) else {
            continue;
        };
        let value = match (attribute, name) {
            ("start" | "colspan" | "rowspan", _) if value == "1" => continue,
            ("class", "pre")
            | ("id", "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "a" | "p" | "span")
            | ("reversed" | "type", "ol")
            | ("value", "li")
            | ("href" | "src" | "title" | "start" | "colspan" | "rowspan" | "open", _) => value,
            _ => continue,
        };
        let value = percent_encoding::percent_decode_str(value)
            .decode_utf8_lossy()
            .into_owned();
        let _ = write!(tag, " {attribute}={value}");
    }
    if name == "pre"
        && element.get("class").is_none()
        && let Some(class) = element
            .children
            .iter()
            .filter_map(Node::element)
            .find_map(|code| code.get("class"))
    {
        let _ = write!(tag, " class={class}");
    }
    tag + ">"
}
