//! The tags of a template, as a tree of the blocks of the engine that they are in.

use std::ops::Range;

use super::super::blocked::{is_name, skipped, tag_end};

/// Elements without content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements whose end tag HTML lets authors leave out.
const OPTIONAL_END: &[&str] = &[
    "body", "caption", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p",
    "rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr",
];
/// Elements whose content is text.
const TEXT: &[&str] = &["script", "style", "textarea", "title"];
/// Elements of HTML that authors write as if a slash closed them, which no browser reads.
const NEVER_EMPTY: &[&str] = &[
    "article", "aside", "button", "div", "em", "footer", "form", "h1", "h2", "h3", "h4", "h5",
    "h6", "header", "i", "iframe", "label", "main", "nav", "ol", "section", "span", "strong",
    "table", "ul",
];

/// Whether an element ends without an end tag.
pub(super) fn has_optional_end(name: &str) -> bool {
    OPTIONAL_END.contains(&name)
}

/// A start tag or an end tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    /// In lower case; that of a computed element is its expression.
    pub name: String,
    /// The bracket and the name.
    pub at: Range<usize>,
}

/// A part of a template.
#[derive(Debug)]
pub(super) enum Node {
    Open(Tag),
    Close(Tag),
    /// The branches of an `if`, an empty one for a missing `else`; the body of a loop, once and not at all.
    Branches(Vec<Vec<Node>>),
    /// The content of a block that is rendered where it is.
    Part(Vec<Node>),
    /// The content of a macro.
    Whole(Vec<Node>),
}

/// A block that is open while a template is read.
struct Frame {
    /// The word that begins it: `if`.
    word: String,
    branches: Vec<Vec<Node>>,
    has_else: bool,
}

impl Frame {
    fn new(word: &str) -> Frame {
        Frame {
            word: word.to_owned(),
            branches: vec![Vec::new()],
            has_else: false,
        }
    }

    /// The block as a node of the one that it is in.
    fn node(mut self) -> Node {
        match self.word.as_str() {
            "if" | "for" => {
                if !self.has_else {
                    self.branches.push(Vec::new());
                }
                Node::Branches(self.branches)
            }
            "macro" | "set" => Node::Whole(self.branches.into_iter().flatten().collect()),
            _ => Node::Part(self.branches.into_iter().flatten().collect()),
        }
    }
}

/// Reads a template. `None` if its blocks do not fit each other: a tag has one of them in two places.
pub(super) fn parse(text: &str) -> Option<Vec<Node>> {
    let bytes = text.as_bytes();
    let mut frames = vec![Frame::new("")];
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'<', b'{', &bytes[at..]) {
        at += next;
        if bytes[at..].starts_with(b"{%") {
            let end = skipped(text, at)?;
            at = statement(text, at..end, &mut frames)?;
        } else if let Some(end) = skipped(text, at) {
            at = end;
        } else if bytes[at] == b'<' {
            at = markup(text, at, &mut frames.last_mut()?.branches);
        } else {
            at += 1;
        }
    }
    let root = frames.pop().filter(|_| frames.is_empty())?;
    Some(root.branches.into_iter().flatten().collect())
}

/// Reads a statement of the engine, and returns where the template goes on.
fn statement(text: &str, at: Range<usize>, frames: &mut Vec<Frame>) -> Option<usize> {
    let inner = text[at.start + 2..at.end]
        .trim_end_matches('}')
        .trim_end_matches('%');
    let inner = inner.trim_start_matches(['-', '+']).trim();
    let word = inner
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    match word {
        "raw" => {
            let end = text[at.end..]
                .find("endraw")
                .map(|length| at.end + length)?;
            return Some(
                text[end..]
                    .find("%}")
                    .map_or(text.len(), |length| end + length + 2),
            );
        }
        "if" | "for" | "macro" | "call" | "filter" | "block" | "with" | "autoescape" => {
            frames.push(Frame::new(word));
        }
        "set" if !inner.contains('=') => frames.push(Frame::new(word)),
        "elif" | "else" => {
            let frame = frames
                .last_mut()
                .filter(|frame| matches!(frame.word.as_str(), "if" | "for"))?;
            frame.branches.push(Vec::new());
            frame.has_else |= word == "else";
        }
        _ => {
            if let Some(begun) = word.strip_prefix("end") {
                let frame = frames.pop().filter(|frame| frame.word == begun)?;
                frames.last_mut()?.branches.last_mut()?.push(frame.node());
            }
        }
    }
    Some(at.end)
}

/// Reads a tag, if one begins here, and returns where the template goes on.
fn markup(text: &str, start: usize, branches: &mut [Vec<Node>]) -> usize {
    let Some(nodes) = branches.last_mut() else {
        return text.len();
    };
    let is_end = text[start + 1..].starts_with('/');
    let from = start + 1 + usize::from(is_end);
    let Some((name, name_end)) = name(text, from) else {
        return start + 1;
    };
    let tag = Tag {
        name,
        at: start..name_end,
    };
    let end = tag_end(text, name_end);
    if is_end {
        nodes.push(Node::Close(tag));
        return end;
    }
    let name = tag.name.clone();
    let is_empty = text[..end].ends_with("/>") && !NEVER_EMPTY.contains(&name.as_str());
    if VOID.contains(&name.as_str()) || is_empty {
        return end;
    }
    nodes.push(Node::Open(tag));
    if !TEXT.contains(&name.as_str()) {
        return end;
    }
    let close = format!("</{name}");
    text[end..]
        .find(&close)
        .map_or(text.len(), |length| end + length)
}

/// The name of an element, which may be an expression, and where it ends.
fn name(text: &str, from: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let is_computed = |at: usize| bytes[at..].starts_with(b"{{");
    if !bytes.get(from).is_some_and(u8::is_ascii_alphabetic) && !is_computed(from.min(bytes.len()))
    {
        return None;
    }
    let (mut name, mut at) = (String::new(), from);
    while at < bytes.len() {
        if is_computed(at) {
            let end = skipped(text, at)?;
            name.extend(text[at..end].chars().filter(|c| !c.is_whitespace()));
            at = end;
        } else if is_name(bytes[at]) {
            name.push(char::from(bytes[at].to_ascii_lowercase()));
            at += 1;
        } else {
            break;
        }
    }
    Some((name, at))
}
