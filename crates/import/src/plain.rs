//! Replaces what only HTML can say, for the text of a section, which is Markdown without HTML.
//!
//! Frames become links, elements that open on a click their content, joined cells separate ones, and footnotes a list
//! at the end. Pictures are taken out: a section has its own place for them.

use std::collections::HashMap;

use text::rich::slug;

use super::shapes::{FOOTNOTE, FOOTNOTE_REFERENCE, blocks, level, paragraph, squeeze};
use super::tree::{Element, Node, text};

/// Inline elements that Markdown knows.
const INLINE: [&str; 9] = ["b", "br", "code", "del", "em", "i", "s", "strong", "img"];

/// A part of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Blocks of text.
    Text(Vec<Node>),
    /// A picture, and the nodes of its caption.
    Picture(Element, Vec<Node>),
}

/// The facts about the whole text.
struct Known {
    /// The names of its footnotes.
    notes: Vec<String>,
    /// The anchors of headings with an id of their own: a heading in Markdown has one made from its words.
    anchors: HashMap<String, String>,
}

impl Known {
    fn add_anchors(&mut self, node: &Node) {
        let Node::Element(element) = node else { return };
        if let (Some(_), Some(id)) = (level(element), element.get("id")) {
            self.anchors.insert(id.to_owned(), slug(&element.text()));
        }
        element
            .children
            .iter()
            .for_each(|child| self.add_anchors(child));
    }
}

/// Splits the text of a page at its pictures.
pub(super) fn parts(nodes: Vec<Node>) -> Vec<Part> {
    let (notes, body): (Vec<Node>, Vec<Node>) = nodes
        .into_iter()
        .partition(|node| node.element().is_some_and(|own| own.name == FOOTNOTE));
    let names = notes
        .iter()
        .filter_map(Node::element)
        .map(|note| note.get("name").unwrap_or_default().to_owned());
    let mut known = Known {
        notes: names.collect(),
        anchors: HashMap::new(),
    };
    body.iter().for_each(|node| known.add_anchors(node));
    let mut parts: Vec<Part> = Vec::new();
    for block in blocks(body) {
        let mut pictures = Vec::new();
        let rest = without_pictures(block, &mut pictures);
        add_text(
            &mut parts,
            rest.into_iter().flat_map(|node| plain(node, &known)),
        );
        parts.extend(
            pictures
                .into_iter()
                .map(|(picture, caption)| Part::Picture(picture, caption)),
        );
    }
    let items: Vec<Node> = notes
        .into_iter()
        .filter_map(|note| match note {
            Node::Element(note) => Some(note.children),
            _ => None,
        })
        .map(|children| Node::Element(Element::new("li", plain_all(children, &known))))
        .collect();
    if !items.is_empty() {
        add_text(
            &mut parts,
            [Node::Element(Element::new("ol", items))].into_iter(),
        );
    }
    parts
}

fn add_text(parts: &mut Vec<Part>, nodes: impl Iterator<Item = Node>) {
    for node in nodes {
        match parts.last_mut() {
            Some(Part::Text(text)) => text.push(node),
            _ => parts.push(Part::Text(vec![node])),
        }
    }
}

/// A block without its pictures, which are collected with their captions.
fn without_pictures(node: Node, pictures: &mut Vec<(Element, Vec<Node>)>) -> Option<Node> {
    let Node::Element(mut element) = node else {
        return Some(node);
    };
    if element.name == "img" {
        pictures.push((element, Vec::new()));
        return None;
    }
    let before = pictures.len();
    let children = std::mem::take(&mut element.children);
    if element.name == "figure" {
        let (captions, rest): (Vec<Node>, Vec<Node>) = children
            .into_iter()
            .partition(|child| child.element().is_some_and(|own| own.name == "figcaption"));
        let rest: Vec<Node> = rest
            .into_iter()
            .filter_map(|child| without_pictures(child, pictures))
            .collect();
        let mut caption: Vec<Node> = captions
            .into_iter()
            .filter_map(|own| match own {
                Node::Element(own) => Some(own.children),
                _ => None,
            })
            .flatten()
            .collect();
        if let Some((_, own)) = pictures[before..].last_mut() {
            *own = std::mem::take(&mut caption);
        }
        element.children = rest;
        if !caption.is_empty() {
            element
                .children
                .push(paragraph(vec![Node::Element(Element::new("em", caption))]));
        }
    } else {
        element.children = children
            .into_iter()
            .filter_map(|child| without_pictures(child, pictures))
            .collect();
    }
    let is_empty = pictures.len() > before && text(&element.children).trim().is_empty();
    (!is_empty).then_some(Node::Element(element))
}

fn plain_all(nodes: Vec<Node>, known: &Known) -> Vec<Node> {
    nodes
        .into_iter()
        .flat_map(|node| plain(node, known))
        .collect()
}

/// A node in elements that Markdown has.
fn plain(node: Node, known: &Known) -> Vec<Node> {
    let Node::Element(mut element) = node else {
        return vec![node];
    };
    if element.name == FOOTNOTE_REFERENCE {
        let number = known
            .notes
            .iter()
            .position(|name| Some(name.as_str()) == element.get("name"));
        return number
            .map(|number| Node::Text(format!(" ({})", number + 1)))
            .into_iter()
            .collect();
    }
    if element.name == "table" {
        return table(&element, known);
    }
    if element.name == "iframe" {
        let address = element.get("src").unwrap_or_default().to_owned();
        let label = element
            .get("title")
            .map_or_else(|| address.clone(), str::to_owned);
        let mut link = Element::new("a", vec![Node::Text(label)]);
        link.set("href", address);
        return vec![paragraph(vec![Node::Element(link)])];
    }
    let children = plain_all(std::mem::take(&mut element.children), known);
    match element.name.as_str() {
        "summary" | "dt" => vec![paragraph(vec![Node::Element(Element::new(
            "strong", children,
        ))])],
        "details" | "dl" | "dd" | "figure" | "div" | "section" => blocks(children),
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hr" | "blockquote" | "ul" | "ol"
        | "li" | "pre" => {
            if element.name.starts_with('h') && element.name != "hr" || element.name == "p" {
                element.attributes.clear();
            }
            element.children = children;
            vec![Node::Element(element)]
        }
        "a" => {
            // A link within the text leads to a heading, or nowhere.
            let within = element
                .get("href")
                .and_then(|href| href.strip_prefix('#'))
                .map(str::to_owned);
            match within.map(|id| known.anchors.get(&id)) {
                Some(None) => return children,
                Some(Some(anchor)) => element.set("href", format!("#{anchor}")),
                None => {}
            }
            element.children = children;
            element
                .attributes
                .retain(|(name, _)| matches!(name.as_str(), "href" | "title"));
            vec![Node::Element(element)]
        }
        "cite" => vec![Node::Text(" — ".to_owned())]
            .into_iter()
            .chain(children)
            .collect(),
        name if INLINE.contains(&name) => {
            element.children = children;
            element.attributes.retain(|(name, _)| name == "title");
            vec![Node::Element(element)]
        }
        _ => children,
    }
}

/// A table whose rows have as many cells as the widest one, each of one line.
fn table(element: &Element, known: &Known) -> Vec<Node> {
    let mut rows: Vec<(bool, Vec<Element>)> = Vec::new();
    let mut caption = None;
    collect(element, false, known, &mut rows, &mut caption);
    let width = rows
        .iter()
        .map(|(_, cells)| cells.len())
        .max()
        .unwrap_or_default();
    let mut rows = rows.into_iter().enumerate().map(|(at, (is_head, cells))| {
        let name = if is_head && at == 0 { "th" } else { "td" };
        let missing = std::iter::repeat_n(Element::new(name, Vec::new()), width - cells.len());
        let cells = cells.into_iter().chain(missing).map(|cell| {
            Node::Element(Element {
                name: name.to_owned(),
                ..cell
            })
        });
        Node::Element(Element::new("tr", cells.collect()))
    });
    let mut parts = Vec::new();
    let first = rows.next();
    let is_head = first.as_ref().and_then(Node::element).is_some_and(|row| {
        row.children
            .first()
            .and_then(Node::element)
            .is_some_and(|cell| cell.name == "th")
    });
    let (head, body): (Vec<Node>, Vec<Node>) = if is_head {
        (first.into_iter().collect(), rows.collect())
    } else {
        (Vec::new(), first.into_iter().chain(rows).collect())
    };
    if !head.is_empty() {
        parts.push(Node::Element(Element::new("thead", head)));
    }
    parts.push(Node::Element(Element::new("tbody", body)));
    let table = (width > 0).then(|| Node::Element(Element::new("table", parts)));
    table.into_iter().chain(caption).collect()
}

fn collect(
    element: &Element,
    in_head: bool,
    known: &Known,
    rows: &mut Vec<(bool, Vec<Element>)>,
    caption: &mut Option<Node>,
) {
    for child in element.children.iter().filter_map(Node::element) {
        match child.name.as_str() {
            "tr" => {
                let cells: Vec<&Element> =
                    child.children.iter().filter_map(Node::element).collect();
                let is_head =
                    in_head || !cells.is_empty() && cells.iter().all(|cell| cell.name == "th");
                let mut own = Vec::new();
                for cell in cells {
                    let span: usize = cell
                        .get("colspan")
                        .and_then(|span| span.parse().ok())
                        .unwrap_or(1);
                    let mut line = Element::new("td", one_line(cell.children.clone(), known));
                    if let Some(class) = cell.get("class") {
                        line.set("class", class);
                    }
                    own.push(line);
                    let empty = Element::new("td", Vec::new());
                    own.extend(std::iter::repeat_n(empty, span.clamp(1, 50) - 1));
                }
                rows.push((is_head, own));
            }
            "caption" => {
                *caption = Some(paragraph(vec![Node::Element(Element::new(
                    "em",
                    child.children.clone(),
                ))]));
            }
            name => collect(child, in_head || name == "thead", known, rows, caption),
        }
    }
}

/// The content of a cell: its inline nodes, or its words if it holds blocks.
fn one_line(children: Vec<Node>, known: &Known) -> Vec<Node> {
    let children = plain_all(children, known);
    match &children[..] {
        [Node::Element(only)] if only.name == "p" => only.children.clone(),
        _ if children.iter().any(Node::is_block) => {
            let words: Vec<String> = blocks(children)
                .iter()
                .map(|block| squeeze(&text(std::slice::from_ref(block))))
                .collect();
            vec![Node::Text(words.join(" · "))]
        }
        _ => children
            .into_iter()
            .filter(|child| child.element().is_none_or(|own| own.name != "br"))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown;
    use super::super::tree::parse;
    use super::*;

    fn check(html: &str, expect: &str) {
        let mut out = Vec::new();
        for part in parts(parse(html)) {
            out.push(match part {
                Part::Text(nodes) => markdown::write_without_html(&nodes)
                    .markdown
                    .trim_end()
                    .to_owned(),
                Part::Picture(picture, caption) => {
                    format!(
                        "[{}: {}]",
                        picture.get("src").unwrap_or_default(),
                        text(&caption)
                    )
                }
            });
        }
        assert_eq!(out.join("\n\n"), expect, "{html}");
    }

    #[test]
    fn pictures_are_parts_of_their_own() {
        check(
            "<p>a</p><p>b<img src=x.png>c</p><p>d</p>",
            "a\n\nbc\n\n[x.png: ]\n\nd",
        );
        check(
            "<figure><img src=x.png><figcaption>A <b>b</b></figcaption></figure>",
            "[x.png: A b]",
        );
        check(
            "<ul><li>a<img src=x.png></li><li><img src=y.png></li></ul>",
            "- a\n\n[x.png: ]\n\n[y.png: ]",
        );
    }

    #[test]
    fn what_only_html_can_say_becomes_text() {
        check(
            "<iframe src=https://v.example/x></iframe>",
            "<https://v.example/x>",
        );
        check(
            "<details><summary>More</summary><p>Inner</p></details>",
            "**More**\n\nInner",
        );
        check(
            "<table><tr><th>A</th><th>B</th></tr><tr><td colspan=2><p>1</p><p>2</p></td></tr></table>",
            "| A | B |\n| --- | --- |\n| 1 · 2 |  |",
        );
        check(
            "<table><tr><th class=align-end>A</th><th>B</th></tr><tr><td class=align-end>1</td><td class=align-center>2</td></tr></table>",
            "| A | B |\n| ---: | :---: |\n| 1 | 2 |",
        );
        check(
            "<p>H<sub>2</sub>O <b>x <i>y</i></b></p><h2 id=a>T</h2>",
            "H2O **x _y_**\n\n## T",
        );
        check(
            "<p><a href=#a>x</a> <a href=#b>y</a></p><h2 id=a>The end</h2>",
            "[x](#the-end) y\n\n## The end",
        );
        check("<dl><dt>T</dt><dd>D</dd></dl>", "**T**\n\nD");
    }
}
