//! Text of WordPress's classic editor as HTML: paragraphs from empty lines, and shortcodes.
//!
//! WordPress stores such texts without `<p>` and adds them for each visitor. Texts of the block editor hold complete
//! HTML between comments (`<!-- wp:paragraph -->`); only what stands outside of blocks gets paragraphs there.

use std::fmt::Write as _;

use api_types::html::elements::{ends_paragraph, holds_paragraphs};
use api_types::html::escape;

/// Elements whose content is no HTML that needs paragraphs.
const VERBATIM: [&str; 4] = ["pre", "script", "style", "textarea"];

/// A shortcode, such as `[gallery ids="1,2"]` or `[caption]…[/caption]`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shortcode<'a> {
    /// The start tag as it is written.
    pub source: &'a str,
    pub name: &'a str,
    /// Attributes in order; those without a name have an empty one.
    pub attributes: Vec<(String, String)>,
    /// The text up to the end tag, if there is one.
    pub content: Option<&'a str>,
}

impl Shortcode<'_> {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// Converts the stored text of a post to HTML. `expand` returns the HTML of a shortcode; `None` leaves it as text.
pub(super) fn html(text: &str, expand: &mut dyn FnMut(&Shortcode) -> Option<String>) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = shortcodes(&text, expand);
    if !text.contains("<!-- wp:") {
        return paragraphs(&text);
    }
    let (mut out, mut depth, mut rest) = (String::with_capacity(text.len()), 0_usize, text.as_str());
    while let Some(start) = rest.find("<!--") {
        let (before, comment) = rest.split_at(start);
        let end = comment.find("-->").map_or(comment.len(), |end| end + 3);
        let inner = comment[4..end].trim_end_matches("-->").trim();
        let (is_end, is_start) = (inner.starts_with("/wp:"), inner.starts_with("wp:"));
        if depth == 0 && (is_start || is_end) && !before.trim().is_empty() {
            out.push_str(&paragraphs(before));
        } else {
            out.push_str(before);
        }
        out.push_str(&comment[..end]);
        if is_end {
            depth = depth.saturating_sub(1);
        } else if is_start && !inner.ends_with('/') {
            depth += 1;
        }
        rest = &comment[end..];
    }
    out.push_str(&if depth == 0 { paragraphs(rest) } else { rest.to_owned() });
    out
}

/// A tag, or the text before the next one.
enum Piece<'a> {
    Text(&'a str),
    Tag { source: &'a str, name: String, is_end: bool },
}

/// Splits HTML at its tags and comments. A `<` that begins no tag is text.
fn pieces(html: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = html[at..].find('<') {
        let start = at + found;
        let rest = &html[start..];
        let length = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else {
            let name = rest[1..].trim_start_matches('/');
            name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| tag_length(rest)).flatten()
        };
        let Some(length) = length else {
            at = start + 1;
            continue;
        };
        if from < start {
            pieces.push(Piece::Text(&html[from..start]));
        }
        let source = &rest[..length];
        let is_end = source.starts_with("</");
        let name = source.trim_start_matches(['<', '/']);
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
        pieces.push(Piece::Tag { source, name, is_end });
        at = start + length;
        from = at;
    }
    if from < html.len() {
        pieces.push(Piece::Text(&html[from..]));
    }
    pieces
}

/// The length of a tag with its brackets; `>` in a quoted value does not end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return Some(at + 1),
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Adds the paragraphs and line breaks that WordPress adds for visitors.
pub(super) fn paragraphs(text: &str) -> String {
    let mut writer =
        Paragraphs { out: String::with_capacity(text.len() + text.len() / 8), line: String::new(), open: Vec::new() };
    let mut verbatim: Option<String> = None;
    for piece in pieces(text) {
        match (&piece, &verbatim) {
            (Piece::Tag { source, name, is_end: true }, Some(open)) if name == open => {
                writer.out.push_str(source);
                verbatim = None;
            }
            (Piece::Tag { source, .. } | Piece::Text(source), Some(_)) => writer.out.push_str(source),
            (Piece::Text(text), None) => writer.text(text),
            (Piece::Tag { source, name, is_end }, None) => {
                let name = name.as_str();
                if !ends_paragraph(name) {
                    writer.text(source);
                    continue;
                }
                writer.flush();
                writer.out.push_str(source);
                if *is_end {
                    if let Some(at) = writer.open.iter().rposition(|open| open == name) {
                        writer.open.truncate(at);
                    }
                } else if VERBATIM.contains(&name) {
                    verbatim = Some(name.to_owned());
                } else if !matches!(name, "hr" | "col") && !source.ends_with("/>") {
                    writer.open.push(name.to_owned());
                }
            }
        }
    }
    writer.flush();
    writer.out
}

struct Paragraphs {
    out: String,
    /// Text and inline tags since the last block.
    line: String,
    /// The names of open blocks.
    open: Vec<String>,
}

impl Paragraphs {
    fn text(&mut self, text: &str) {
        self.line.push_str(text);
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        if self.open.last().is_some_and(|open| !holds_paragraphs(open.as_str())) {
            self.out.push_str(&line);
            return;
        }
        let broken = double_breaks(&line);
        for paragraph in broken.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
            if paragraph.starts_with("<!--") && paragraph.ends_with("-->") && paragraph.matches("<!--").count() == 1 {
                self.out.push_str(paragraph);
                continue;
            }
            let lines: Vec<&str> = paragraph.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let _ = writeln!(self.out, "<p>{}</p>", lines.join("<br>\n"));
        }
    }
}

/// Makes an empty line of two line breaks, and of lines with blanks only.
fn double_breaks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n').map(|line| if line.trim().is_empty() { "" } else { line }).peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        if lines.peek().is_some() {
            out.push('\n');
        }
    }
    for form in ["<br>", "<br/>", "<br />"] {
        for between in ["", "\n"] {
            out = out.replace(&format!("{form}{between}{form}"), "\n\n");
        }
        // A break at the end of a line is the break itself.
        out = out.replace(&format!("{form}\n"), "\n");
    }
    while out.contains("\n\n\n") {
        out = out.replace("\n\n\n", "\n\n");
    }
    out
}

/// Replaces shortcodes. Those in code are text, and `[[name]]` is the text `[name]`.
pub(super) fn shortcodes(text: &str, expand: &mut dyn FnMut(&Shortcode) -> Option<String>) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    // Whether a shortcode ends here: the text of one beside it is another word.
    let mut is_after = false;
    while let Some(start) = rest.find(['[', '<']) {
        is_after &= start == 0;
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        if rest.starts_with('<') {
            // Tags are copied, so that brackets in attributes are no shortcodes; code with its content.
            let verbatim = ["pre", "code", "script", "style"].into_iter().find(|name| {
                let after = rest.get(1..=name.len());
                after.is_some_and(|own| own.eq_ignore_ascii_case(name))
                    && rest[1 + name.len()..].starts_with(|c: char| c == '>' || c.is_whitespace())
            });
            let end = verbatim.and_then(|name| rest.to_ascii_lowercase().find(&format!("</{name}")));
            let length = end.or_else(|| tag_length(rest).filter(|_| !rest[1..].starts_with([' ', '\n', '='])));
            let (copied, after) = rest.split_at(length.unwrap_or(1));
            out.push_str(copied);
            rest = after;
            continue;
        }
        match parse(rest) {
            Some((_, length)) if rest.starts_with("[[") => {
                out.push_str(&rest[1..length - 1]);
                rest = &rest[length..];
            }
            Some((shortcode, length)) => {
                let html = expand(&shortcode);
                let is_expanded = html.is_some();
                let html = html.unwrap_or_else(|| rest[..length].to_owned());
                let is_word = html.starts_with(char::is_alphanumeric) && out.ends_with(char::is_alphanumeric);
                if is_after && is_word {
                    out.push(' ');
                }
                out.push_str(&html);
                is_after = is_expanded;
                rest = &rest[length..];
            }
            None => {
                out.push('[');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The shortcode at the beginning of a text, and its length in bytes.
fn parse(text: &str) -> Option<(Shortcode<'_>, usize)> {
    if let Some(escaped) = text.strip_prefix("[[") {
        let end = escaped.find("]]")?;
        let (shortcode, _) = parse(&text[1..end + 3])?;
        return Some((shortcode, end + 4));
    }
    let inner = text.strip_prefix('[')?;
    let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'))?;
    let name = &inner[..name_end];
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let rest = &inner[name_end..];
    if !rest.starts_with([']', ' ', '\n', '/', '=', '\u{a0}']) {
        return None;
    }
    let end = closing_bracket(rest)?;
    let written = &rest[..end];
    let is_closed = written.trim_end().ends_with('/');
    let attributes = attributes(written.trim_end().trim_end_matches('/'));
    let after = 1 + name_end + end + 1;
    let close = format!("[/{name}]");
    let content = text[after..].find(&close).filter(|_| !is_closed);
    let content = content.map(|length| &text[after..after + length]);
    let length = after + content.map_or(0, |content| content.len() + close.len());
    Some((Shortcode { source: &text[..after], name, attributes, content }, length))
}

/// The position of the `]` that ends a tag; one in quotes does not.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (']', None) => return Some(at),
            ('[' | '<', None) => return None,
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Attributes in all forms that WordPress reads: `a="1" b='2' c=3 "d" e`. Curly quotes, which editors insert, quote too.
fn attributes(text: &str) -> Vec<(String, String)> {
    let text = text.replace(['“', '”', '″', '„'], "\"").replace(['‘', '’', '′'], "'");
    let (mut list, mut rest) = (Vec::new(), text.trim_start_matches(|c: char| c.is_whitespace() || c == '='));
    while !rest.is_empty() {
        let name_end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(name_end);
        let (name, value) = match after.trim_start().strip_prefix('=') {
            Some(value) => (name, value.trim_start()),
            None if name.is_empty() => ("", after),
            None => {
                list.push((String::new(), name.to_owned()));
                rest = after.trim_start();
                continue;
            }
        };
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        list.push((name.to_ascii_lowercase(), value.to_owned()));
        rest = after.trim_start();
    }
    list
}

/// A code block with its language.
pub(super) fn code_block(language: &str, code: &str) -> String {
    let class = if language.is_empty() { String::new() } else { format!(" class=\"language-{}\"", escape(language)) };
    // The text was written into HTML, so its references are those of HTML.
    let code = code.trim_matches('\n');
    format!("\n\n<pre><code{class}>{}</code></pre>\n\n", code.replace('<', "&lt;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let flat = html(text, &mut |_| None).replace('\n', "");
        assert_eq!(flat, expect.replace('\n', ""), "{text}");
    }

    #[test]
    fn empty_lines_separate_paragraphs() {
        check("One\nline\n\nTwo", "<p>One<br>line</p><p>Two</p>");
        check("<b>One</b>\r\n\r\n \r\nTwo", "<p><b>One</b></p><p>Two</p>");
        check("a<br /><br />b", "<p>a</p><p>b</p>");
        check("a < b > c", "<p>a < b > c</p>");
    }

    #[test]
    fn blocks_stay_as_they_are() {
        check("Before\n<ul>\n<li>a\n\nb</li>\n</ul>\nAfter", "<p>Before</p><ul><li>ab</li></ul><p>After</p>");
        check("<blockquote>One\n\nTwo</blockquote>", "<blockquote><p>One</p><p>Two</p></blockquote>");
        check("<pre>a\n\n<b>\n</pre>", "<pre>a<b></pre>");
        check("<h2 title=\"a > b\">H</h2>\ntext", "<h2 title=\"a > b\">H</h2><p>text</p>");
        check("<table><tr><td>x</td></tr></table>", "<table><tr><td>x</td></tr></table>");
    }

    #[test]
    fn only_what_is_outside_of_blocks_gets_paragraphs() {
        check(
            "Old\n\ntext\n<!-- wp:paragraph -->\n<p>New</p>\n<!-- /wp:paragraph -->\n<!-- wp:latest-posts /-->",
            "<p>Old</p><p>text</p><!-- wp:paragraph --><p>New</p><!-- /wp:paragraph --><!-- wp:latest-posts /-->",
        );
    }

    #[test]
    fn shortcodes_are_expanded() {
        let mut seen = Vec::new();
        let mut expand = |code: &Shortcode| {
            seen.push(format!("{} {:?} {:?}", code.name, code.attributes, code.content));
            (code.name != "unknown").then(|| "X".to_owned())
        };
        let text =
            "[a b=\"1 ]\" c='2' d=3 e][/a] [caption w=“9”]<img> t[/caption] [[a]] [unknown] <pre>[a]</pre>; [1] [x/]";
        let out = shortcodes(text, &mut expand);
        assert_eq!(out, "X X [a] [unknown] <pre>[a]</pre>; [1] X");
        assert_eq!(seen[0], r#"a [("b", "1 ]"), ("c", "2"), ("d", "3"), ("", "e")] Some("")"#);
        assert_eq!(seen[1], r#"caption [("w", "9")] Some("<img> t")"#);
    }
}
