//! Finds the colors of a drawing that stay as they are, whatever is around it: those that are neither `currentColor` nor set by
//! a class of the theme.

use std::ops::Range;

use roxmltree::Node;

use super::without_doctype;

/// Elements that are painted.
const SHAPES: [&str; 8] = [
    "path", "line", "polyline", "polygon", "rect", "circle", "ellipse", "text",
];
/// Elements whose parts are not shown where they stand.
const UNSEEN: [&str; 5] = ["defs", "clipPath", "mask", "symbol", "pattern"];
/// How the classes of the theme for drawings begin. Those of lines have an ending, others are for areas.
const CLASS: &str = "art-";
const LINE: &str = "-line";
/// The color of an area without one.
const BLACK: &str = "#000000";

/// A fixed color of a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paint {
    /// The color as `#RRGGBB`.
    pub color: String,
    /// The part that it paints.
    pub part: Part,
    /// Its range in the text, in bytes; that of the shape for an area without a color.
    pub span: Range<usize>,
}

/// A part of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its area.
    Area,
    /// Its line.
    Line,
    /// Letters.
    Text,
}

/// The fixed colors in the order in which they are drawn. Colors in other notations than `#RGB` and `#RRGGBB` are left out, as
/// are those of a text that is no drawing.
pub fn fixed(text: &str) -> Vec<Paint> {
    let mut paints = Vec::new();
    let Ok((text, offset)) = without_doctype(text) else {
        return paints;
    };
    let Ok(document) = roxmltree::Document::parse(text) else {
        return paints;
    };
    for shape in document
        .descendants()
        .filter(|node| SHAPES.contains(&node.tag_name().name()))
        .filter(|node| {
            !node
                .ancestors()
                .any(|above| UNSEEN.contains(&above.tag_name().name()))
        })
    {
        for property in ["fill", "stroke"] {
            let Some((color, span)) = fixed_value(shape, property) else {
                continue;
            };
            let part = match (property, shape.tag_name().name()) {
                ("stroke", _) => Part::Line,
                (_, "line") => continue,
                (_, "text") => Part::Text,
                _ => Part::Area,
            };
            paints.push(Paint {
                color,
                part,
                span: offset + span.start..offset + span.end,
            });
        }
    }
    paints
}

/// The color that a shape has or inherits, and where it is written; `None` if it follows its place, or is none.
fn fixed_value(shape: Node, property: &str) -> Option<(String, Range<usize>)> {
    let is_line = property == "stroke";
    for node in shape.ancestors().filter(Node::is_element) {
        let class = node.attribute("class").unwrap_or_default();
        let style = node.attribute("style").unwrap_or_default();
        if class
            .split_whitespace()
            .any(|name| name.starts_with(CLASS) && name.ends_with(LINE) == is_line)
            || style.contains(property)
        {
            return None;
        }
        if let Some(attribute) = node.attribute_node(property) {
            return Some((long(attribute.value())?, attribute.range()));
        }
    }
    let range = shape.range();
    let end = range.start + 1 + shape.tag_name().name().len();
    (!is_line).then(|| (BLACK.to_owned(), range.start..end.min(range.end)))
}

/// `#RRGGBB` of that or of `#RGB`.
fn long(color: &str) -> Option<String> {
    let digits = color
        .strip_prefix('#')
        .filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()))?;
    match digits.len() {
        6 => Some(color.to_owned()),
        3 => Some(digits.chars().fold("#".to_owned(), |color, digit| {
            color + &format!("{digit}{digit}")
        })),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_that_no_place_changes_are_found() {
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\" fill=\"none\">\
            <g stroke=\"#123\"><path d=\"M0 0\"/><path class=\"art-growth-line\" d=\"M0 0\"/></g>\
            <path class=\"art-draw art-paper\" fill=\"#abcdef\" stroke=\"currentColor\" d=\"M0 0\"/>\
            <defs><path fill=\"#aaaaaa\" d=\"M0 0\"/></defs><rect style=\"fill:red\" width=\"1\" height=\"1\"/>\
            <text fill=\"#00ff00\">a</text></svg>";
        let found: Vec<(String, Part, &str)> = fixed(text)
            .into_iter()
            .map(|paint| (paint.color, paint.part, &text[paint.span]))
            .collect();
        let line = ("#112233".to_owned(), Part::Line, "stroke=\"#123\"");
        assert_eq!(
            found,
            [line, ("#00ff00".to_owned(), Part::Text, "fill=\"#00ff00\"")]
        );
        let plain =
            "<!DOCTYPE svg>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><circle r=\"1\"/></svg>";
        let found = fixed(plain);
        assert_eq!(
            (
                found.len(),
                &found[0].color[..],
                &plain[found[0].span.clone()]
            ),
            (1, BLACK, "<circle")
        );
    }
}
