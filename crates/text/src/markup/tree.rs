//! HTML of a post as a tree, parsed as browsers do.
//!
//! The parser is that of the sanitizer (html5ever). Its tree counts references and is awkward to change, so it is
//! copied into plain values.

use crate::sanitize::limited;
use api_types::html::elements;
use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, QualName, local_name, ns, parse_fragment};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Elements that are nested deeper than this lose their markup and keep their text. Real posts have a dozen levels;
/// hostile ones would exhaust the stack.
const MAX_DEPTH: usize = 100;

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// An element.
    Element(Element),
    /// Text, decoded.
    Text(String),
    /// A comment.
    Comment(String),
}

/// An element with its attributes in the order of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name, in lower case.
    pub name: String,
    /// Names and values.
    pub attributes: Vec<(String, String)>,
    /// Its content.
    pub children: Vec<Node>,
}

/// Parses HTML as the content of `<body>`.
pub fn parse(html: &str) -> Vec<Node> {
    // Without scripting, the content of `noscript` is parsed: it often holds the picture of a lazy loader.
    let mut options = ParseOpts::default();
    options.tree_builder.scripting_enabled = false;
    let body = QualName::new(None, ns!(html), local_name!("body"));
    let html = limited(html);
    let dom = parse_fragment(RcDom::default(), options, body, Vec::new(), false).one(html.as_ref());
    // The fragment is the content of an `html` element.
    let roots = dom.document.children.borrow();
    roots
        .first()
        .map_or_else(Vec::new, |root| children(root, 0))
}

fn children(handle: &Handle, depth: usize) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for child in handle.children.borrow().iter() {
        match (node(child, depth), nodes.last_mut()) {
            (Some(Node::Text(more)), Some(Node::Text(text))) => text.push_str(&more),
            (Some(node), _) => nodes.push(node),
            (None, _) => {}
        }
    }
    nodes
}

fn node(handle: &Handle, depth: usize) -> Option<Node> {
    match &handle.data {
        NodeData::Text { contents } => Some(Node::Text(contents.borrow().to_string())),
        NodeData::Comment { contents } => Some(Node::Comment(contents.to_string())),
        NodeData::Element { .. } if depth >= MAX_DEPTH => Some(Node::Text(text_of(handle))),
        NodeData::Element {
            name,
            attrs,
            template_contents,
            ..
        } => {
            let inner = template_contents.borrow();
            Some(Node::Element(Element {
                name: name.local.to_string(),
                attributes: attrs
                    .borrow()
                    .iter()
                    .map(|attribute| {
                        (
                            attribute.name.local.to_string(),
                            attribute.value.to_string(),
                        )
                    })
                    .collect(),
                children: children(inner.as_ref().unwrap_or(handle), depth + 1),
            }))
        }
        NodeData::Document | NodeData::Doctype { .. } | NodeData::ProcessingInstruction { .. } => {
            None
        }
    }
}

/// The text of a subtree, without recursion.
fn text_of(handle: &Handle) -> String {
    let (mut text, mut open) = (String::new(), vec![handle.clone()]);
    while let Some(next) = open.pop() {
        if let NodeData::Text { contents } = &next.data {
            text.push_str(&contents.borrow());
        }
        open.extend(next.children.borrow().iter().rev().cloned());
    }
    text
}

impl Node {
    /// The element, if it is one.
    pub fn element(&self) -> Option<&Element> {
        match self {
            Node::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Whether it is a block.
    pub fn is_block(&self) -> bool {
        self.element().is_some_and(Element::is_block)
    }

    /// Whether it is nothing that a reader sees between blocks.
    pub fn is_blank(&self) -> bool {
        match self {
            Node::Text(text) => text.chars().all(char::is_whitespace),
            Node::Comment(_) => true,
            Node::Element(_) => false,
        }
    }
}

impl Element {
    /// An element without attributes.
    pub fn new(name: &str, children: Vec<Node>) -> Element {
        Element {
            name: name.to_owned(),
            attributes: Vec::new(),
            children,
        }
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }

    /// Gives an attribute this value.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.attributes.retain(|(own, _)| own != name);
        self.attributes.push((name.to_owned(), value.into()));
    }

    /// Whether it has a class.
    pub fn has_class(&self, class: &str) -> bool {
        self.get("class")
            .is_some_and(|own| own.split_ascii_whitespace().any(|own| own == class))
    }

    /// Whether browsers show it as a block.
    pub fn is_block(&self) -> bool {
        elements::is_block(&self.name)
    }

    /// The first descendant, or this element itself, that is accepted.
    pub fn find(&self, accept: &dyn Fn(&Element) -> bool) -> Option<&Element> {
        if accept(self) {
            return Some(self);
        }
        self.children
            .iter()
            .filter_map(Node::element)
            .find_map(|child| child.find(accept))
    }

    /// Its text, with the `alt` of pictures.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.add_text(&mut text);
        text
    }

    fn add_text(&self, text: &mut String) {
        for child in &self.children {
            match child {
                Node::Text(own) => text.push_str(own),
                Node::Element(element) if element.name == "img" => {
                    text.push_str(element.get("alt").unwrap_or_default());
                }
                Node::Element(element) if element.name == "br" => text.push('\n'),
                Node::Element(element) => element.add_text(text),
                Node::Comment(_) => {}
            }
        }
    }
}

/// The text of some nodes.
pub fn text(nodes: &[Node]) -> String {
    Element::new("body", nodes.to_vec()).text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lazy_picture_is_found_in_noscript() {
        let nodes = parse("<p>a<noscript><img src=x.jpg></noscript></p>");
        let found = nodes[0]
            .element()
            .and_then(|p| p.find(&|element| element.name == "img"));
        assert_eq!(found.and_then(|img| img.get("src")), Some("x.jpg"));
    }

    #[test]
    fn deep_nesting_keeps_its_text() {
        let html = format!("{}deep{}", "<div>".repeat(5000), "</div>".repeat(5000));
        assert_eq!(text(&parse(&html)), "deep");
    }
}
