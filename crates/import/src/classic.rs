//! Text of WordPress's classic editor as HTML: paragraphs from empty lines, and shortcodes.
//!
//! WordPress stores such texts without `<p>` and adds them for each visitor. Texts of the block editor hold complete
//! HTML between comments (`<!-- wp:paragraph -->`); only what stands outside of blocks gets paragraphs there.

use std::collections::{BTreeSet, HashMap, HashSet};
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
        self.attributes
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The way in which a shortcode is replaced.
pub(super) enum Expanded {
    Html(String),
    /// Its tags are left out, and its content is read as if it had none.
    Unwrapped,
    /// It stays as text.
    Text,
}

/// Converts the stored text of a post to HTML.
pub(super) fn html(text: &str, expand: &mut dyn FnMut(&Shortcode) -> Expanded) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = shortcodes(&text, expand);
    if !text.contains("<!-- wp:") {
        return paragraphs(&text);
    }
    let (mut out, mut depth, mut rest) =
        (String::with_capacity(text.len()), 0_usize, text.as_str());
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
    out.push_str(&if depth == 0 {
        paragraphs(rest)
    } else {
        rest.to_owned()
    });
    out
}

/// A tag, or the text before the next one.
enum Piece<'a> {
    Text(&'a str),
    Tag {
        source: &'a str,
        name: String,
        is_end: bool,
    },
}

/// Splits HTML at its tags and comments. A `<` that begins no tag is text.
fn pieces(html: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    let mut tags = TagEnds::new(html);
    while let Some(found) = html[at..].find('<') {
        let start = at + found;
        let rest = &html[start..];
        let length = if rest.starts_with("<!--") {
            tags.comment_length(start)
        } else {
            let name = rest[1..].trim_start_matches('/');
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                .then(|| tags.length(start))
                .flatten()
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
        let name = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        pieces.push(Piece::Tag {
            source,
            name,
            is_end,
        });
        at = start + length;
        from = at;
    }
    if from < html.len() {
        pieces.push(Piece::Text(&html[from..]));
    }
    pieces
}

/// The ends of tags and comments of a text. What was found to have no end is remembered, so that a text in which nothing
/// ends is read in a time that grows with its length.
struct TagEnds<'a> {
    html: &'a str,
    /// The states in which a scan has passed each byte and found no end: 1 outside of quotes, 2 and 4 in one of the quotes.
    failed: Vec<u8>,
    last_comment_end: Option<usize>,
    /// Bytes that were looked at for the ends of tags.
    #[cfg(test)]
    scanned: usize,
}

impl TagEnds<'_> {
    fn new(html: &str) -> TagEnds<'_> {
        TagEnds {
            html,
            failed: Vec::new(),
            last_comment_end: html.rfind("-->"),
            #[cfg(test)]
            scanned: 0,
        }
    }

    /// The length of the comment at a byte, if it ends.
    fn comment_length(&self, start: usize) -> Option<usize> {
        self.last_comment_end.filter(|last| *last >= start)?;
        self.html[start..].find("-->").map(|end| end + 3)
    }

    /// The length of the tag at a byte with its brackets; `>` in a quoted value does not end it.
    fn length(&mut self, start: usize) -> Option<usize> {
        const OUTSIDE: u8 = 1;
        let (mut state, mut at) = (OUTSIDE, start);
        for byte in &self.html.as_bytes()[start..] {
            if self
                .failed
                .get(at)
                .is_some_and(|failed| failed & state != 0)
            {
                break;
            }
            state = match (byte, state) {
                (b'>', OUTSIDE) => return Some(at + 1 - start),
                (b'"', OUTSIDE) => 2,
                (b'\'', OUTSIDE) => 4,
                (b'"', 2) | (b'\'', 4) => OUTSIDE,
                _ => state,
            };
            at += 1;
            #[cfg(test)]
            {
                self.scanned += 1;
            }
        }
        // The same way again, which is rare: most tags end.
        self.failed.resize(self.html.len(), 0);
        let mut state = OUTSIDE;
        for (byte, failed) in self.html.as_bytes()[start..at]
            .iter()
            .zip(&mut self.failed[start..at])
        {
            *failed |= state;
            state = match (byte, state) {
                (b'"', OUTSIDE) => 2,
                (b'\'', OUTSIDE) => 4,
                (b'"', 2) | (b'\'', 4) => OUTSIDE,
                _ => state,
            };
        }
        None
    }
}

/// Adds the paragraphs and line breaks that WordPress adds for visitors.
pub(super) fn paragraphs(text: &str) -> String {
    let mut writer = Paragraphs {
        out: String::with_capacity(text.len() + text.len() / 8),
        line: String::new(),
        open: Vec::new(),
        counts: HashMap::new(),
    };
    let mut verbatim: Option<String> = None;
    for piece in pieces(text) {
        match (&piece, &verbatim) {
            (
                Piece::Tag {
                    source,
                    name,
                    is_end: true,
                },
                Some(open),
            ) if name == open => {
                writer.out.push_str(source);
                verbatim = None;
            }
            (Piece::Tag { source, .. } | Piece::Text(source), Some(_)) => {
                writer.out.push_str(source);
            }
            (Piece::Text(text), None) => writer.text(text),
            (
                Piece::Tag {
                    source,
                    name,
                    is_end,
                },
                None,
            ) => {
                let name = name.as_str();
                if !ends_paragraph(name) {
                    writer.text(source);
                    continue;
                }
                writer.flush();
                writer.out.push_str(source);
                if *is_end {
                    writer.close(name);
                } else if VERBATIM.contains(&name) {
                    verbatim = Some(name.to_owned());
                } else if !matches!(name, "hr" | "col") && !source.ends_with("/>") {
                    *writer.counts.entry(name.to_owned()).or_default() += 1;
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
    /// How often each of them is open.
    counts: HashMap<String, usize>,
}

impl Paragraphs {
    /// Closes the last open block of this name and those in it. An end tag without a block closes nothing.
    fn close(&mut self, name: &str) {
        if self.counts.get(name).is_none_or(|count| *count == 0) {
            return;
        }
        while let Some(open) = self.open.pop() {
            if let Some(count) = self.counts.get_mut(&open) {
                *count -= 1;
            }
            if open == name {
                break;
            }
        }
    }

    fn text(&mut self, text: &str) {
        self.line.push_str(text);
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.line);
        if self
            .open
            .last()
            .is_some_and(|open| !holds_paragraphs(open.as_str()))
        {
            self.out.push_str(&line);
            return;
        }
        let broken = double_breaks(&line);
        for paragraph in broken
            .split("\n\n")
            .map(str::trim)
            .filter(|paragraph| !paragraph.is_empty())
        {
            if paragraph.starts_with("<!--")
                && paragraph.ends_with("-->")
                && paragraph.matches("<!--").count() == 1
            {
                self.out.push_str(paragraph);
                continue;
            }
            let lines: Vec<&str> = paragraph
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect();
            let _ = writeln!(self.out, "<p>{}</p>", lines.join("<br>\n"));
        }
    }
}

/// Makes an empty line of two line breaks, and of lines with blanks only.
fn double_breaks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text
        .split('\n')
        .map(|line| if line.trim().is_empty() { "" } else { line })
        .peekable();
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

/// Elements whose content has no shortcodes.
const CODE: [&str; 4] = ["pre", "code", "script", "style"];

/// The ends of things in a text, in order: looked for once, and not again for each beginning.
struct Ends<'a> {
    /// The end tags of shortcodes by their names.
    shortcodes: HashMap<&'a str, BTreeSet<usize>>,
    /// `]]`.
    doubled: Vec<usize>,
    /// The end tags of the elements of [`CODE`].
    code: [Vec<usize>; CODE.len()],
}

impl<'a> Ends<'a> {
    fn of(text: &'a str) -> Ends<'a> {
        let mut shortcodes: HashMap<&str, BTreeSet<usize>> = HashMap::new();
        for (at, _) in text.match_indices("[/") {
            let name = &text[at + 2..];
            let length = name.find(|c: char| !is_of_name(c)).unwrap_or(name.len());
            if name[length..].starts_with(']') {
                shortcodes.entry(&name[..length]).or_default().insert(at);
            }
        }
        let doubled = (0..text.len().saturating_sub(1))
            .filter(|at| text.as_bytes()[*at..].starts_with(b"]]"))
            .collect();
        let lower = text.to_ascii_lowercase();
        let code = CODE.map(|name| {
            lower
                .match_indices(&format!("</{name}"))
                .map(|(at, _)| at)
                .collect()
        });
        Ends {
            shortcodes,
            doubled,
            code,
        }
    }
}

impl Ends<'_> {
    /// The place of an end tag, which ends no other shortcode from now on.
    fn take(&mut self, name: &str, at: usize) -> usize {
        if let Some(places) = self.shortcodes.get_mut(name) {
            places.remove(&at);
        }
        at
    }
}

/// The first of some places that is not before `from`.
fn first_from(places: &[usize], from: usize) -> Option<usize> {
    places
        .get(places.partition_point(|place| *place < from))
        .copied()
}

/// Replaces shortcodes. Those in code are text, and `[[name]]` is the text `[name]`.
pub(super) fn shortcodes(text: &str, expand: &mut dyn FnMut(&Shortcode) -> Expanded) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    let (mut ends, mut tags) = (Ends::of(text), TagEnds::new(text));
    // The end tags of shortcodes of which only the content is kept.
    let mut dropped = HashSet::new();
    // Whether a shortcode ends here: the text of one beside it is another word.
    let mut is_after = false;
    while let Some(start) = rest.find(['[', '<']) {
        is_after &= start == 0;
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let at = text.len() - rest.len();
        if rest.starts_with('<') {
            // Tags are copied, so that brackets in attributes are no shortcodes; code with its content.
            let verbatim = CODE.iter().position(|name| {
                let after = rest.get(1..=name.len());
                after.is_some_and(|own| own.eq_ignore_ascii_case(name))
                    && rest[1 + name.len()..].starts_with(|c: char| c == '>' || c.is_whitespace())
            });
            let end = verbatim.and_then(|name| Some(first_from(&ends.code[name], at)? - at));
            let is_tag = !rest[1..].starts_with([' ', '\n', '=']);
            let length = end.or_else(|| if is_tag { tags.length(at) } else { None });
            let (copied, after) = rest.split_at(length.unwrap_or(1));
            out.push_str(copied);
            rest = after;
            continue;
        }
        if dropped.remove(&at) {
            rest = &rest[rest.find(']').map_or(0, |end| end + 1)..];
            is_after = true;
            continue;
        }
        match parse(&ends, text, at) {
            Some((_, length)) if rest.starts_with("[[") => {
                out.push_str(&rest[1..length - 1]);
                rest = &rest[length..];
            }
            Some((shortcode, length)) => {
                let (html, is_expanded) = match expand(&shortcode) {
                    Expanded::Html(html) => (html, true),
                    Expanded::Text => (rest[..length].to_owned(), false),
                    Expanded::Unwrapped => {
                        let end_tag = shortcode.name.len() + "[/]".len();
                        if shortcode.content.is_some() {
                            dropped.insert(ends.take(shortcode.name, at + length - end_tag));
                        }
                        rest = &rest[shortcode.source.len()..];
                        if is_after
                            && rest.starts_with(char::is_alphanumeric)
                            && out.ends_with(char::is_alphanumeric)
                        {
                            out.push(' ');
                        }
                        continue;
                    }
                };
                let is_word =
                    html.starts_with(char::is_alphanumeric) && out.ends_with(char::is_alphanumeric);
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

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// The shortcode at a byte of a text, and its length in bytes.
fn parse<'a>(ends: &Ends, text: &'a str, at: usize) -> Option<(Shortcode<'a>, usize)> {
    if text[at..].starts_with("[[") {
        let end = first_from(&ends.doubled, at + 2)?;
        let (shortcode, _) = parse(ends, &text[..=end], at + 1)?;
        return Some((shortcode, end + 2 - at));
    }
    let inner = text[at..].strip_prefix('[')?;
    let name_end = inner.find(|c: char| !is_of_name(c))?;
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
    let after = at + 1 + name_end + end + 1;
    let close = ends
        .shortcodes
        .get(name)
        .and_then(|places| places.range(after..).next().copied());
    let close = close.filter(|close| !is_closed && close + name.len() + 3 <= text.len());
    let content = close.map(|close| &text[after..close]);
    let length = close.map_or(after, |close| close + name.len() + 3) - at;
    Some((
        Shortcode {
            source: &text[at..after],
            name,
            attributes,
            content,
        },
        length,
    ))
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
    let text = text
        .replace(['“', '”', '″', '„'], "\"")
        .replace(['‘', '’', '′'], "'");
    let (mut list, mut rest) = (
        Vec::new(),
        text.trim_start_matches(|c: char| c.is_whitespace() || c == '='),
    );
    while !rest.is_empty() {
        let name_end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\''))
            .unwrap_or(rest.len());
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
    let class = if language.is_empty() {
        String::new()
    } else {
        format!(" class=\"language-{}\"", escape(language))
    };
    // The text was written into HTML, so its references are those of HTML.
    let code = code.trim_matches('\n');
    format!(
        "\n\n<pre><code{class}>{}</code></pre>\n\n",
        code.replace('<', "&lt;")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let flat = html(text, &mut |_| Expanded::Text).replace('\n', "");
        assert_eq!(flat, expect.replace('\n', ""), "{text}");
    }

    /// Each of these would look for its end in the whole text.
    #[test]
    fn what_never_ends_is_read_once() {
        for part in [
            "[a]",
            "[[a]",
            "[a b=\"",
            "<!-- wp:x ",
            "<pre>",
            "<a x",
            "<a \"'",
            "<a '\" ",
            "<a x=\"1",
            "[a]<!-- ",
            "</a [",
        ] {
            let mut expanded = 0;
            let text = part.repeat(20_000);
            let html = html(&format!("{text}\">"), &mut |_| {
                expanded += 1;
                Expanded::Text
            });
            assert!(html.len() >= text.len() / 2, "{part}");
            assert!(expanded <= 20_000, "{part}");
        }
        let distinct = (0..10_000)
            .map(|at| format!("[a{at}]"))
            .collect::<Vec<_>>()
            .concat();
        assert!(html(&distinct, &mut |_| Expanded::Text).contains("[a9999]"));
    }

    /// Counted in bytes, which are the same on a busy machine.
    #[test]
    fn the_end_of_a_tag_is_looked_for_once() {
        for part in [
            "<a x",
            "<a \"",
            "<a '\" ",
            "<a \"'",
            "<a x=\"1",
            "<a x='1\" <b ",
        ] {
            let text = format!("{}\">", part.repeat(20_000));
            let mut tags = TagEnds::new(&text);
            // A tag that is found is passed over, as callers do.
            let mut from = 0;
            while let Some(found) = text[from..].find('<') {
                from += found;
                from += tags.length(from).unwrap_or(1);
            }
            assert!(
                tags.scanned <= 4 * text.len(),
                "{part}: {} bytes of {}",
                tags.scanned,
                text.len()
            );
        }
    }

    #[test]
    fn the_end_of_a_tag_is_the_same_with_and_without_what_failed_before() {
        let parts = ["<a ", "x", "\"", "'", ">", "<b"];
        let mut seen = 0;
        for number in 0..6_usize.pow(6) {
            let text: String = (0..6)
                .map(|at| parts[number / 6_usize.pow(at) % 6])
                .collect();
            let mut tags = TagEnds::new(&text);
            for (start, _) in text.match_indices('<') {
                assert_eq!(
                    tags.length(start),
                    TagEnds::new(&text).length(start),
                    "{text}"
                );
                seen += 1;
            }
        }
        assert!(seen > 10_000);
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
        check(
            "Before\n<ul>\n<li>a\n\nb</li>\n</ul>\nAfter",
            "<p>Before</p><ul><li>ab</li></ul><p>After</p>",
        );
        check(
            "<blockquote>One\n\nTwo</blockquote>",
            "<blockquote><p>One</p><p>Two</p></blockquote>",
        );
        check("<pre>a\n\n<b>\n</pre>", "<pre>a<b></pre>");
        check(
            "<h2 title=\"a > b\">H</h2>\ntext",
            "<h2 title=\"a > b\">H</h2><p>text</p>",
        );
        check(
            "<table><tr><td>x</td></tr></table>",
            "<table><tr><td>x</td></tr></table>",
        );
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
            seen.push(format!(
                "{} {:?} {:?}",
                code.name, code.attributes, code.content
            ));
            match code.name {
                "unknown" => Expanded::Text,
                _ => Expanded::Html("X".to_owned()),
            }
        };
        let text = "[a b=\"1 ]\" c='2' d=3 e][/a] [caption w=“9”]<img> t[/caption] [[a]] [unknown] <pre>[a]</pre>; [1] [x/]";
        let out = shortcodes(text, &mut expand);
        assert_eq!(out, "X X [a] [unknown] <pre>[a]</pre>; [1] X");
        assert_eq!(
            seen[0],
            r#"a [("b", "1 ]"), ("c", "2"), ("d", "3"), ("", "e")] Some("")"#
        );
        assert_eq!(seen[1], r#"caption [("w", "9")] Some("<img> t")"#);
    }

    #[test]
    fn only_the_tags_of_unknown_shortcodes_go() {
        let mut expand = |code: &Shortcode| match code.name {
            "a" => Expanded::Html("X".to_owned()),
            _ => Expanded::Unwrapped,
        };
        let mut check = |text: &str, expect: &str| {
            assert_eq!(shortcodes(text, &mut expand), expect);
        };
        check(
            "[col][col]in [b]t[/b][/col][a /] out[/col][col w=1]next[/col]",
            "in t X out next",
        );
        check("[[col]a[/col]] [col]b", "[col]a[/col] b");
    }
}
