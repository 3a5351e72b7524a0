//! Writes a simplified tree as Markdown, as a person would write it, and proves each block.
//!
//! Every block without a footnote is written, rendered again, and compared with the tree it came from. A block that
//! Markdown cannot say (a table with joined cells, emphasis between letters and signs) stays as clean HTML, which a
//! post may contain. So the rules of writing may be simple: a mistake in them costs beauty, not words.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::markdown::options;
use pulldown_cmark::Parser;

use super::blocks::{FOOTNOTE, FOOTNOTE_REFERENCE, blocks, squeeze};
use super::canonical::canonical;
use super::html::{html, is_void, open_tag};
use super::inline::{code_span, destination, escaped, escaped_start, push_text};
use super::tree::{Element, Node, parse};

/// A written text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The Markdown.
    pub markdown: String,
    /// The blocks that stayed HTML, by the name of their element.
    pub as_html: Vec<String>,
}

/// Writes the nodes of a post.
pub fn write(nodes: &[Node]) -> Written {
    write_with(nodes, true)
}

/// Writes nodes as Markdown without HTML, for the text of a section. What Markdown cannot say loses its markup.
pub fn write_without_html(nodes: &[Node]) -> Written {
    write_with(nodes, false)
}

fn write_with(nodes: &[Node], may_be_html: bool) -> Written {
    let (notes, body): (Vec<&Node>, Vec<&Node>) = nodes
        .iter()
        .partition(|node| node.element().is_some_and(|own| own.name == FOOTNOTE));
    let mut writer = Writer {
        numbers: HashMap::new(),
        as_html: Vec::new(),
        bold: false,
        has_other_mark: false,
        may_be_html,
    };
    let body: Vec<Node> = blocks(body.into_iter().cloned().collect());
    let mut parts = writer.all(&body);
    let mut written = Vec::new();
    for note in notes.iter().filter_map(|note| note.element()) {
        let number = writer.number(note.get("name").unwrap_or_default());
        let inner = writer.all(&blocks(note.children.clone()));
        written.push((
            number,
            format!("[^{number}]: {}", indented(&inner.join("\n\n"), 4)),
        ));
    }
    written.sort_by_key(|(number, _)| *number);
    parts.extend(written.into_iter().map(|(_, note)| note));
    let mut markdown = parts.join("\n\n");
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    Written {
        markdown,
        as_html: writer.as_html,
    }
}

/// Renders Markdown as the posts of a site are rendered.
pub fn render(markdown: &str) -> Vec<Node> {
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, Parser::new_ext(markdown, options(true)));
    parse(&html)
}

struct Writer {
    /// The numbers of footnotes, by their names in WordPress.
    numbers: HashMap<String, usize>,
    as_html: Vec<String>,
    /// Whether the text is inside of bold text.
    bold: bool,
    /// Whether the list that is written next has other marks than usual, because it stands below a list of its kind.
    has_other_mark: bool,
    /// Whether a block may stay HTML.
    may_be_html: bool,
}

impl Writer {
    fn number(&mut self, name: &str) -> usize {
        let next = self.numbers.len() + 1;
        *self.numbers.entry(name.to_owned()).or_insert(next)
    }

    /// Blocks that stand below each other.
    fn all(&mut self, blocks: &[Node]) -> Vec<String> {
        let mut parts = Vec::new();
        // The list above, and whether it has other marks than usual.
        let mut above: Option<(&str, bool)> = None;
        for block in blocks {
            let list = block
                .element()
                .map(|element| element.name.as_str())
                .filter(|name| matches!(*name, "ul" | "ol"));
            let has_other_mark =
                above.is_some_and(|(name, has_other)| Some(name) == list && !has_other);
            self.has_other_mark = has_other_mark;
            let part = self.proven(block);
            self.has_other_mark = false;
            if part.is_some() {
                above = list.map(|name| (name, has_other_mark));
            }
            parts.extend(part);
        }
        parts
    }

    /// A block as Markdown that renders to it, or as HTML. `None` for an empty one.
    fn proven(&mut self, block: &Node) -> Option<String> {
        let known = self.numbers.clone();
        let markdown = self.block(block);
        if markdown.trim().is_empty() {
            return None;
        }
        if let Node::Element(element) = block
            && !is_html(element)
            && !holds_footnote(element)
            && canonical(&render(&markdown)) != canonical(std::slice::from_ref(block))
        {
            self.numbers = known;
            self.as_html.push(element.name.clone());
            if !self.may_be_html {
                let words = squeeze(&element.text());
                return Some(self.paragraph(&[Node::Text(words)])).filter(|text| !text.is_empty());
            }
            return Some(html_block(block));
        }
        Some(markdown)
    }

    fn block(&mut self, node: &Node) -> String {
        let Node::Element(element) = node else {
            return self.line(std::slice::from_ref(node));
        };
        match element.name.as_str() {
            "p" => self.paragraph(&element.children),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if element.get("id").is_none() => {
                let level = usize::from(element.name.as_bytes()[1] - b'0');
                let line = self
                    .line(&element.children)
                    .replace("\\\n", " ")
                    .replace('\n', " ");
                // A `#` at the end would be taken for a closing mark.
                let line = line
                    .strip_suffix('#')
                    .map_or(line.clone(), |start| format!("{start}\\#"));
                format!("{} {}", "#".repeat(level), line.trim())
            }
            "hr" => "---".to_owned(),
            "blockquote" => {
                let inner = self.inner_blocks(&element.children);
                inner
                    .lines()
                    .map(|line| {
                        if line.is_empty() {
                            ">".to_owned()
                        } else {
                            format!("> {line}")
                        }
                    })
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            "ul" | "ol" => self.list(element),
            "pre" => fence(element),
            "table" => self.table(element).unwrap_or_else(|| html_block(node)),
            "details" => self.details(element),
            // Figures, frames, lists of definitions.
            _ => html_block(node),
        }
    }

    fn inner_blocks(&mut self, children: &[Node]) -> String {
        self.all(&blocks(children.to_vec())).join("\n\n")
    }

    fn paragraph(&mut self, children: &[Node]) -> String {
        let line = self.line(children);
        line.lines()
            .map(|line| escaped_start(line.trim_start()))
            .collect::<Vec<_>>()
            .join("\n")
            .trim()
            .to_owned()
    }

    fn list(&mut self, list: &Element) -> String {
        let has_other_mark = std::mem::take(&mut self.has_other_mark);
        let is_ordered = list.name == "ol";
        let first = list
            .get("start")
            .and_then(|start| start.parse::<u32>().ok())
            .unwrap_or(1);
        let items: Vec<&Element> = list.children.iter().filter_map(Node::element).collect();
        // Items with several paragraphs are separated by empty lines, and so is the whole list.
        let is_loose = items.iter().any(|item| {
            item.children.iter().filter_map(Node::element).any(|own| {
                matches!(
                    own.name.as_str(),
                    "p" | "pre" | "blockquote" | "table" | "figure"
                )
            }) && item
                .children
                .iter()
                .filter(|child| !child.is_blank())
                .count()
                > 1
        });
        let mut parts = Vec::new();
        for (number, item) in (first..).zip(items) {
            let mark = match (is_ordered, has_other_mark) {
                (true, false) => format!("{number}. "),
                (true, true) => format!("{number}) "),
                (false, false) => "- ".to_owned(),
                (false, true) => "* ".to_owned(),
            };
            let inner = self.all(&blocks(item.children.clone()));
            let between = if is_loose { "\n\n" } else { "\n" };
            let text = indented(&inner.join(between), mark.len());
            parts.push(format!("{mark}{text}").trim_end().to_owned());
        }
        parts.join(if is_loose { "\n\n" } else { "\n" })
    }

    /// A table whose cells are lines, and whose columns have one alignment each; `None` for all others.
    fn table(&mut self, table: &Element) -> Option<String> {
        let mut rows: Vec<(bool, Vec<&Element>)> = Vec::new();
        collect_rows(table, false, &mut rows)?;
        let width = rows
            .iter()
            .map(|(_, cells)| cells.len())
            .max()
            .filter(|width| *width > 0)?;
        if !rows
            .iter()
            .all(|(_, cells)| cells.len() == width && cells.iter().all(|cell| is_plain(cell)))
        {
            return None;
        }
        let has_head = rows
            .first()
            .is_some_and(|(is_head, cells)| *is_head || cells.iter().all(|cell| cell.name == "th"));
        if rows
            .iter()
            .skip(usize::from(has_head))
            .any(|(is_head, cells)| *is_head || cells.iter().any(|cell| cell.name == "th"))
        {
            return None;
        }
        let mut lines = Vec::new();
        if !has_head {
            lines.push(vec![String::new(); width]);
        }
        for (_, cells) in &rows {
            let mut line = Vec::new();
            for cell in cells {
                let children: Vec<Node> = match cell.children.iter().find_map(Node::element) {
                    Some(own)
                        if own.name == "p"
                            && cell
                                .children
                                .iter()
                                .all(|child| child.is_block() || child.is_blank()) =>
                    {
                        own.children.clone()
                    }
                    _ => cell.children.clone(),
                };
                let text = self.line(&children);
                if text.contains("\\\n") {
                    return None;
                }
                line.push(
                    text.replace('\n', " ")
                        .replace('|', "\\|")
                        .trim()
                        .to_owned(),
                );
            }
            lines.push(line);
        }
        let body: Vec<&Vec<&Element>> = rows.iter().map(|(_, cells)| cells).collect();
        let body = if has_head && body.len() > 1 {
            &body[1..]
        } else {
            &body[..]
        };
        let rule: Option<Vec<String>> = (0..width)
            .map(|at| {
                let side = side_of(body.first()?[at]);
                let is_same = body.iter().all(|cells| side_of(cells[at]) == side);
                is_same.then(|| side.to_owned())
            })
            .collect();
        let mut out = vec![row(&lines[0]), row(&rule?)];
        out.extend(lines[1..].iter().map(|cells| row(cells)));
        Some(out.join("\n"))
    }

    /// An element that opens on a click: its tags are HTML, and its content is Markdown.
    fn details(&mut self, details: &Element) -> String {
        let children = details.children.iter().cloned();
        let (summaries, rest): (Vec<Node>, Vec<Node>) =
            children.partition(|child| child.element().is_some_and(|own| own.name == "summary"));
        let summary = summaries.first().and_then(Node::element);
        let open = if details.get("open").is_some() {
            " open"
        } else {
            ""
        };
        let summary = summary
            .map(|summary| format!("\n<summary>{}</summary>", html(&summary.children)))
            .unwrap_or_default();
        format!(
            "<details{open}>{summary}\n\n{}\n\n</details>",
            self.inner_blocks(&rest)
        )
    }

    /// Text and inline elements.
    fn line(&mut self, nodes: &[Node]) -> String {
        let mut out = String::new();
        for node in nodes {
            match node {
                Node::Text(text) => push_text(&mut out, text),
                Node::Comment(_) => {}
                Node::Element(element) => self.inline(element, &mut out),
            }
        }
        let trimmed = out.trim_matches([' ', '\n']);
        let trimmed = trimmed.trim_end_matches("\\\n").trim_end_matches('\\');
        // An escaped backslash at the end is not a line break.
        if out.trim_end().ends_with("\\\\") {
            out.trim_matches([' ', '\n']).to_owned()
        } else {
            trimmed.trim_end().to_owned()
        }
    }

    fn inline(&mut self, element: &Element, out: &mut String) {
        match element.name.as_str() {
            "strong" | "b" => {
                let outer = std::mem::replace(&mut self.bold, true);
                self.marked("**", element, out);
                self.bold = outer;
            }
            "em" | "i" => self.marked("*", element, out),
            "del" | "s" => self.marked("~~", element, out),
            "code"
                if element
                    .children
                    .iter()
                    .all(|child| matches!(child, Node::Text(_))) =>
            {
                out.push_str(&code_span(&element.text()));
            }
            "br" => {
                let kept = out.trim_end_matches(' ').len();
                out.truncate(kept);
                out.push_str("\\\n");
            }
            "img" => {
                let alt = escaped(&element.get("alt").unwrap_or_default().replace('\n', " "));
                let _ = write!(
                    out,
                    "![{alt}]({})",
                    destination(element.get("src"), element.get("title"))
                );
            }
            "a" => {
                let label = self.line(&element.children);
                let (start, end) = outer_space(element);
                out.push_str(start);
                let href = element.get("href").unwrap_or_default();
                let is_plain =
                    label == href && href.starts_with("http") && element.get("title").is_none();
                if is_plain && !href.contains(['<', '>', ' ', '\\']) {
                    let _ = write!(out, "<{href}>");
                } else {
                    let _ = write!(
                        out,
                        "[{label}]({})",
                        destination(Some(href), element.get("title"))
                    );
                }
                out.push_str(end);
            }
            FOOTNOTE_REFERENCE => {
                let number = self.number(element.get("name").unwrap_or_default());
                let _ = write!(out, "[^{number}]");
            }
            _ => {
                let mut tag = String::new();
                open_tag(element, &mut tag);
                let (start, end) = outer_space(element);
                out.push_str(start);
                out.push_str(&tag);
                if !is_void(&element.name) {
                    out.push_str(&self.line(&element.children));
                    let _ = write!(out, "</{}>", element.name);
                }
                out.push_str(end);
            }
        }
    }

    /// Emphasis. Blanks at its ends go outside, where Markdown wants them.
    fn marked(&mut self, mark: &str, element: &Element, out: &mut String) {
        let inner = self.line(&element.children);
        let (start, end) = outer_space(element);
        out.push_str(start);
        if inner.is_empty() {
            out.push_str(end);
            return;
        }
        let touches = out.ends_with('*') && !out.ends_with("\\*");
        let mark = if mark == "*" && self.bold { "_" } else { mark };
        if !self.may_be_html && (meets(&inner) || touches) {
            out.push_str(&inner);
        } else if meets(&inner) && mark.starts_with('*') || touches && mark.starts_with('*') {
            let _ = write!(out, "<{0}>{inner}</{0}>", element.name);
        } else {
            let _ = write!(out, "{mark}{inner}{mark}");
        }
        out.push_str(end);
    }
}

/// The rule below the head of a column that is aligned as a cell is by its class.
fn side_of(cell: &Element) -> &'static str {
    if cell.has_class("align-end") {
        "---:"
    } else if cell.has_class("align-center") {
        ":---:"
    } else {
        "---"
    }
}

/// Tells whether Markdown has a syntax for a cell.
fn is_plain(cell: &Element) -> bool {
    cell.get("colspan").is_none_or(|span| span == "1")
        && cell.get("rowspan").is_none_or(|span| span == "1")
        && blocks(cell.children.clone()).len() <= 1
        && cell
            .children
            .iter()
            .all(|child| !child.is_block() || child.element().is_some_and(|own| own.name == "p"))
}

/// Tells whether a text begins or ends with a mark of emphasis.
/// Slanted text at an end of bold text takes the other mark: three in a row are hard to read.
fn meets(text: &str) -> bool {
    text.starts_with('*') || text.ends_with('*') && !text.ends_with("\\*")
}

/// Cells as a row of a table.
fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// Whether the text of an element begins or ends with a blank.
fn outer_space(element: &Element) -> (&'static str, &'static str) {
    let text = element.text();
    if text.trim_matches(is_blank).is_empty() {
        return (if text.is_empty() { "" } else { " " }, "");
    }
    (
        if text.starts_with(is_blank) { " " } else { "" },
        if text.ends_with(is_blank) { " " } else { "" },
    )
}

/// Tells whether a letter is a space or ends a line.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t')
}

/// A block as HTML, without empty lines, which would end it.
fn html_block(node: &Node) -> String {
    html(std::slice::from_ref(node)).trim().to_owned()
}

/// Whether a block is written as HTML anyway, so that there is nothing to prove.
fn is_html(element: &Element) -> bool {
    matches!(
        element.name.as_str(),
        "iframe" | "figure" | "dl" | "details"
    )
}

/// Whether a block refers to a footnote, which renders only beside its text.
fn holds_footnote(element: &Element) -> bool {
    element
        .find(&|own| own.name == FOOTNOTE_REFERENCE)
        .is_some()
}

/// Lines after the first one, moved to the right.
fn indented(text: &str, by: usize) -> String {
    let blanks = " ".repeat(by);
    text.lines()
        .enumerate()
        .map(|(at, line)| {
            if at == 0 || line.is_empty() {
                line.to_owned()
            } else {
                format!("{blanks}{line}")
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The rows of a table with their cells; `None` for a table with a caption or one in it.
fn collect_rows<'a>(
    element: &'a Element,
    in_head: bool,
    rows: &mut Vec<(bool, Vec<&'a Element>)>,
) -> Option<()> {
    for child in element.children.iter().filter_map(Node::element) {
        match child.name.as_str() {
            "thead" => collect_rows(child, true, rows)?,
            "tbody" | "tfoot" => collect_rows(child, false, rows)?,
            "tr" => rows.push((
                in_head,
                child.children.iter().filter_map(Node::element).collect(),
            )),
            "colgroup" | "col" => {}
            _ => return None,
        }
    }
    Some(())
}

/// A fenced code block. The fence is longer than any in the code.
fn fence(pre: &Element) -> String {
    let code = pre.text();
    let code = code.trim_end_matches('\n');
    let code = code.strip_prefix('\n').unwrap_or(code);
    let longest = code
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let language = pre
        .get("class")
        .and_then(|class| class.strip_prefix("language-"))
        .unwrap_or_default();
    let language: String = language
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '+' | '#' | '_' | '.'))
        .collect();
    format!("{fence}{language}\n{code}\n{fence}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use api_types::html::escape;

    use super::super::tree::text;
    use super::*;

    /// Writes HTML as Markdown, and checks that it renders to the same text.
    fn check(source: &str, expect: &str) {
        let nodes = parse(source);
        let written = write(&nodes).markdown;
        assert_eq!(written.trim_end(), expect, "{source}");
        assert_eq!(
            canonical(&render(&written)),
            canonical(&nodes),
            "{source}\n{written}"
        );
    }

    #[test]
    fn text_is_written_as_a_person_would_write_it() {
        check(
            "<p>One <b>two</b> <i>three</i>\nfour</p>",
            "One **two** *three* four",
        );
        check("<p>A<br>b</p>", "A\\\nb");
        check(
            "<p><b>bold </b>and<i> slanted</i></p>",
            "**bold** and *slanted*",
        );
        check("<p><b><i>both</i></b></p>", "**_both_**");
        check(
            "<p><a href=\"/a(b)\" title='x \"y\"'>l</a></p>",
            "[l](</a(b)> \"x \\\"y\\\"\")",
        );
        check("<p><code>a`b</code></p>", "``a`b``");
        check(
            "<ul><li>a<ol start=3><li>b</li></ol></li><li><p>c</p><p>d</p></li></ul>",
            "- a\n\n  3. b\n\n- c\n\n  d",
        );
        check(
            "<pre class=language-rust>```\nx\n</pre>",
            "````rust\n```\nx\n````",
        );
        check(
            "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>",
            "> a\n>\n> - b",
        );
        check("<h2>A {#id}</h2>", "## A \\{#id}");
        // Lists below each other are no single one.
        check(
            "<ol><li>x</li></ol><ol><li>y</li></ol><ol><li>z</li></ol>",
            "1. x\n\n1) y\n\n1. z",
        );
        check("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b");
    }

    #[test]
    fn numbers_that_markdown_has_no_sign_for_stay_html() {
        for source in [
            "<ol reversed><li>a</li><li>b</li></ol>",
            "<ol type=\"a\"><li>a</li><li>b</li></ol>",
            "<ol><li>a</li><li value=\"7\">b</li></ol>",
        ] {
            let nodes = parse(source);
            let written = write(&nodes).markdown;
            assert_eq!(
                canonical(&render(&written)),
                canonical(&nodes),
                "{source}\n{written}"
            );
            assert!(written.starts_with("<ol"), "{written}");
        }
    }

    #[test]
    fn signs_of_markdown_stay_text() {
        for text in [
            "# a",
            "- a",
            "+ a",
            "1. a",
            "12) a",
            "a * b *c*",
            "_x_ a_b_c",
            "[a](b)",
            "`a`",
            "<b>",
            "&amp;",
            "a\\*b",
            "===",
            "| a |",
            "> a",
            "~~a~~",
            "![a]",
            "a\\",
            "***",
        ] {
            let source = format!("<p>{}</p>", escape(text));
            let written = write(&parse(&source));
            assert_eq!(
                canonical(&render(&written.markdown)),
                canonical(&parse(&source)),
                "{text}\n{}",
                written.markdown
            );
            assert!(written.as_html.is_empty(), "{text}: {}", written.markdown);
        }
    }

    #[test]
    fn what_markdown_cannot_say_stays_html() {
        check(
            "<table><tr><td colspan=2>a</td></tr></table>",
            "<table>\n<tbody>\n<tr><td colspan=\"2\">a</td></tr></tbody></table>",
        );
        let written = write(&parse(
            "<ul><li>a<table><tr><td><p>b</p><p>c</p></td></tr></table></li></ul>",
        ));
        assert!(
            written.markdown.contains("<td><p>b</p><p>c</p></td>"),
            "{}",
            written.markdown
        );
    }

    /// Inline elements, nested, between letters and signs.
    fn inline() -> impl Strategy<Value = String> {
        let text = "[a-c *_`\\[\\]!#.~-]{0,6}".prop_map(|text| escape(&text).clone());
        text.prop_recursive(3, 12, 3, |inner| {
            let name = proptest::sample::select(vec!["b", "i", "code", "del", "sub"]);
            (name, proptest::collection::vec(inner, 1..3))
                .prop_map(|(name, inner)| format!("<{name}>{}</{name}>", inner.concat()))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(200), ..ProptestConfig::default() })]

        #[test]
        fn every_line_renders_to_what_it_was(parts in proptest::collection::vec(inline(), 1..4)) {
            let nodes = parse(&format!("<p>{}</p>", parts.concat()));
            let written = write(&nodes).markdown;
            let text = |nodes: &[Node]| text(nodes).split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(text(&render(&written)), text(&nodes), "{}", written);
        }
    }
}
