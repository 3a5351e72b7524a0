//! Blocks of a tree, and footnotes, which have elements of their own.

use super::tree::{Element, Node};

/// A footnote at the end of the tree, with its name.
pub const FOOTNOTE: &str = "sitegen-footnote";
/// A reference to a footnote, with its name.
pub const FOOTNOTE_REFERENCE: &str = "sitegen-footnote-reference";

/// A paragraph of these nodes.
pub fn paragraph(children: Vec<Node>) -> Node {
    Node::Element(Element::new("p", children))
}

/// Ends a paragraph, if there is one.
fn end(line: &mut Vec<Node>, out: &mut Vec<Node>) {
    if line.iter().any(|node| !node.is_blank()) {
        out.push(paragraph(std::mem::take(line)));
    }
    line.clear();
}

/// Makes paragraphs of text that stands beside blocks.
pub fn blocks(nodes: Vec<Node>) -> Vec<Node> {
    let (mut out, mut line) = (Vec::new(), Vec::new());
    for node in nodes {
        if node.is_block() || node.element().is_some_and(|own| own.name == "iframe") {
            end(&mut line, &mut out);
            out.push(node);
        } else {
            line.push(node);
        }
    }
    end(&mut line, &mut out);
    out
}

/// A text with each blank as one space.
pub fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
