//! Limits untrusted HTML before it is parsed. Parsers need quadratic time for elements that are deep in each other, for
//! many attributes of one element, and for formatting that is never closed, which is opened again in each paragraph.
//!
//! Tags above a limit are left out, and their text stays.

use std::borrow::Cow;

use html5gum::Token;
use memchr::memchr_iter;

use api_types::html::each_token;

/// Maximum number of elements in each other. A table in a quotation in a list has ten.
const MAX_DEPTH: usize = 200;
/// Maximum number of attributes of an element. Further ones are left out, with all others of the element.
const MAX_ATTRIBUTES: usize = 100;
/// Maximum number of elements, with those that the parser adds: the longest posts have a tenth of it.
const MAX_ELEMENTS: usize = 60_000;
/// Maximum number of elements that a table cannot have there. Each is moved in front of it, one by one.
const MAX_MISPLACED: usize = 1_000;
/// Maximum number of characters that are escaped in one text or tag. The serializer searches the rest of the text after each.
const MAX_ESCAPED: usize = 1_000;

/// Elements that an end tag does not need, or that have no content.
const IMPLIED: &[&[u8]] = &[
    b"area", b"base", b"br", b"col", b"dd", b"dt", b"embed", b"hr", b"img", b"input", b"li",
    b"link", b"meta", b"p", b"param", b"source", b"track", b"wbr",
];
/// Further ones in tables and lists; not within SVG or math, where they are elements like others.
const IMPLIED_IN_HTML: &[&[u8]] = &[
    b"caption",
    b"colgroup",
    b"optgroup",
    b"option",
    b"rp",
    b"rt",
    b"tbody",
    b"td",
    b"tfoot",
    b"th",
    b"thead",
    b"tr",
];
/// Elements that are opened again in the next paragraph if they are not closed.
const FORMATTING: &[&[u8]] = &[
    b"a", b"b", b"big", b"code", b"em", b"font", b"i", b"nobr", b"s", b"small", b"strike",
    b"strong", b"tt", b"u",
];

/// Leaves out tags above the limits. Returns what was above, for a message.
pub(super) fn limit(html: &str) -> (Cow<'_, str>, Option<&'static str>) {
    let longest_tag = html.split('<').map(str::len).max().unwrap_or_default();
    let is_plain = escaped(html).nth(MAX_ESCAPED).is_none();
    // Few texts have enough tags to reach a limit.
    if memchr_iter(b'<', html.as_bytes()).count() < MAX_DEPTH
        && is_plain
        && longest_tag < MAX_ATTRIBUTES
    {
        return (Cow::Borrowed(html), None);
    }
    let mut limiter = Limiter {
        html,
        out: String::new(),
        copied: 0,
        open: Vec::new(),
        depth: 0,
        unclosed: 0,
        elements: 0,
        in_foreign: false,
        in_table: false,
        misplaced: 0,
        over: None,
    };
    each_token(html, &mut |token| limiter.token(&token));
    if limiter.copied == 0 {
        return (Cow::Borrowed(html), None);
    }
    limiter
        .out
        .push_str(html.get(limiter.copied..).unwrap_or_default());
    (Cow::Owned(limiter.out), limiter.over)
}

/// The places of characters that are escaped when a text is written.
fn escaped(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(['&', '<', '>', '"', '\u{a0}'])
        .map(|(at, _)| at)
}

struct Limiter<'h> {
    html: &'h str,
    out: String,
    /// Up to here the text was copied or left out.
    copied: usize,
    /// Names of open elements, with whether they are left out.
    open: Vec<(Vec<u8>, bool)>,
    /// The number of open elements that are not left out, and of those that format text.
    depth: usize,
    unclosed: usize,
    elements: usize,
    in_foreign: bool,
    /// Whether the next element belongs to a table, and to none of its cells.
    in_table: bool,
    misplaced: usize,
    over: Option<&'static str>,
}

impl Limiter<'_> {
    fn token(&mut self, token: &Token<usize>) {
        match token {
            Token::StartTag(tag) => {
                let name = tag.name.as_slice();
                self.in_foreign |= matches!(name, b"svg" | b"math");
                let is_implied =
                    IMPLIED.contains(&name) || !self.in_foreign && IMPLIED_IN_HTML.contains(&name);
                self.elements += 1 + self.unclosed;
                let is_deep = self.depth >= MAX_DEPTH && !is_implied;
                let is_much = self.is_too_much(name);
                if is_deep || is_much {
                    self.leave_out(tag.span.start, tag.span.end, "");
                    self.over = self.over.or(Some(if is_deep {
                        "elements nested too deeply"
                    } else {
                        "too many elements"
                    }));
                } else if tag.attributes.len() > MAX_ATTRIBUTES
                    || self.has_more_attributes(tag.span.start, tag.span.end)
                {
                    let plain = format!("<{}>", String::from_utf8_lossy(name));
                    self.leave_out(tag.span.start, tag.span.end, &plain);
                    self.over = self.over.or(Some("too many attributes on one element"));
                }
                if !(is_implied || self.in_foreign && tag.self_closing) {
                    let is_gone = is_deep || is_much;
                    self.count(name, is_gone, 1);
                    self.open.push((name.to_vec(), is_gone));
                }
            }
            // The parser adds an element for these.
            Token::EndTag(tag) if matches!(tag.name.as_slice(), b"p" | b"br") => {
                self.elements += 1 + self.unclosed;
                if self.is_too_much(&tag.name) {
                    self.leave_out(tag.span.start, tag.span.end, "");
                }
            }
            Token::EndTag(tag) => {
                match tag.name.as_slice() {
                    b"table" => self.in_table = false,
                    b"td" | b"th" | b"caption" | b"tr" | b"tbody" | b"thead" | b"tfoot" => {
                        self.in_table = true;
                    }
                    _ => {}
                }
                // Elements above this one stay: a parser may keep them open.
                let recent = self.open.len().saturating_sub(2 * MAX_DEPTH);
                if let Some(at) = self.open[recent..]
                    .iter()
                    .rposition(|(name, _)| *name == *tag.name)
                {
                    let (name, is_gone) = self.open.remove(recent + at);
                    self.count(&name, is_gone, -1);
                    if is_gone {
                        self.leave_out(tag.span.start, tag.span.end, "");
                    }
                }
            }
            Token::String(text) => self.divide(text.span.start, text.span.end),
            _ => {}
        }
    }

    /// Divides a text with many escaped characters by comments, which are removed later.
    fn divide(&mut self, start: usize, end: usize) {
        let Some(text) = self.html.get(start..end) else {
            return;
        };
        for at in escaped(text).skip(MAX_ESCAPED).step_by(MAX_ESCAPED) {
            self.leave_out(start + at, start + at, "<!---->");
        }
    }

    /// Whether there are too many elements to add one more.
    fn is_too_much(&mut self, name: &[u8]) -> bool {
        match name {
            b"table" | b"tr" | b"tbody" | b"thead" | b"tfoot" | b"col" | b"colgroup" => {
                self.in_table = true;
            }
            b"td" | b"th" | b"caption" => self.in_table = false,
            _ if self.in_table => self.misplaced += 1,
            _ => {}
        }
        self.elements > MAX_ELEMENTS || self.in_table && self.misplaced > MAX_MISPLACED
    }

    /// Counts an element that is opened or closed.
    fn count(&mut self, name: &[u8], is_gone: bool, by: isize) {
        if !is_gone {
            self.depth = self.depth.saturating_add_signed(by);
            let formats = FORMATTING.contains(&name);
            self.unclosed = if formats {
                self.unclosed.saturating_add_signed(by)
            } else {
                self.unclosed
            };
        }
    }

    /// Whether a tag repeats attributes, which count once for the tokenizer and are compared by the parser, or has many
    /// characters that are escaped.
    fn has_more_attributes(&self, start: usize, end: usize) -> bool {
        let tag = self.html.get(start..end).unwrap_or_default();
        tag.len() > MAX_ATTRIBUTES
            && (tag
                .bytes()
                .filter(|byte| matches!(byte, b' ' | b'/' | b'\n' | b'\t' | b'\x0c'))
                .count()
                > 20 * MAX_ATTRIBUTES
                || escaped(tag).nth(MAX_ESCAPED).is_some())
    }

    fn leave_out(&mut self, start: usize, end: usize, instead: &str) {
        self.out
            .push_str(self.html.get(self.copied..start).unwrap_or_default());
        self.out.push_str(instead);
        self.copied = end;
    }
}

#[cfg(test)]
mod tests {
    use html5ever::tendril::TendrilSink as _;
    use html5ever::{ParseOpts, parse_document};
    use markup5ever_rcdom::{Handle, NodeData, RcDom};

    use super::*;

    #[test]
    fn ordinary_html_stays_as_it_is() {
        let rows = "<tr><td>a<td><b>b</b>".repeat(2_000);
        let html = format!(
            "<ul>{}</ul><table>{rows}</table>{}",
            "<li>x".repeat(2_000),
            "<p>One <i>two</i>".repeat(2_000)
        );
        assert_eq!(limit(&html), (Cow::Borrowed(html.as_str()), None));
    }

    #[test]
    fn tags_that_are_too_deep_are_left_out_and_their_text_stays() {
        let (html, over) = limit(&format!(
            "{}text{}<p>after</p>",
            "<div>".repeat(1_000),
            "</div>".repeat(1_000)
        ))
        .into_owned();
        assert_eq!(over, Some("elements nested too deeply"));
        assert_eq!(
            html,
            format!(
                "{}text{}<p>after</p>",
                "<div>".repeat(MAX_DEPTH),
                "</div>".repeat(MAX_DEPTH)
            )
        );
    }

    /// For tests: the text without the lifetime of its source.
    trait IntoOwned {
        fn into_owned(self) -> (String, Option<&'static str>);
    }

    impl IntoOwned for (Cow<'_, str>, Option<&'static str>) {
        fn into_owned(self) -> (String, Option<&'static str>) {
            (self.0.into_owned(), self.1)
        }
    }

    /// The number of elements of a document, the depth of them in each other, and the most escaped characters of a text.
    fn measure(node: &Handle, depth: usize, found: &mut [usize; 3]) {
        found[1] = found[1].max(depth);
        match &node.data {
            NodeData::Element { attrs, .. } => {
                found[0] += 1;
                for attribute in attrs.borrow().iter() {
                    found[2] = found[2].max(escaped(&attribute.value).count());
                }
            }
            NodeData::Text { contents } => {
                found[2] = found[2].max(escaped(&contents.borrow()).count());
            }
            _ => {}
        }
        node.children
            .borrow()
            .iter()
            .for_each(|child| measure(child, depth + 1, found));
    }

    /// Each of these needed from seconds to minutes, or all memory, in the sizes that a post may have.
    #[test]
    fn hostile_html_stays_below_the_limits() {
        let formatting = (0..100)
            .map(|number| format!("<b id=x{number}>"))
            .collect::<Vec<_>>()
            .concat();
        let attributes = (0..5_000)
            .map(|number| format!(" a{number}"))
            .collect::<Vec<_>>()
            .concat();
        let repeated = [
            "<div>",
            "<div></x>",
            "<span><div></span>",
            "<div><object></div>",
            "<svg><td>",
            "<table><tr><td>",
            "<b><p>",
            "<a href=x>",
            "<ul><li>",
            "<font color=1>",
            "&",
            "&amp;",
            "\u{a0}",
            ">",
            "< ",
            "&#160;&lt;",
            "</a",
            "<a ",
            "<?",
            "<!",
            "<!--",
            "<![CDATA[",
            "<template>",
            "<select><option>",
            "<button><p>",
            "<math><mi><p>",
            "<form><input>",
            "<frameset>",
            "<details><summary>",
            "<h2>a",
            "<pre class=language-js><code>",
        ];
        let whole = [
            format!("<svg>{}", "<td>".repeat(3_000)),
            format!("{formatting}{}", "<p>x".repeat(70_000)),
            format!("<p{attributes}>"),
            format!("<p{}>", " a=1".repeat(5_000)),
            format!("<p title='{}'>", "&".repeat(5_000)),
            format!("<p title='{}'>", "\u{a0}".repeat(5_000)),
            format!("<p>{}", "</p>".repeat(70_000)),
            format!("<table>{}", "x<p>".repeat(5_000)),
            format!("<table>{}", "x</br>".repeat(5_000)),
            format!("<pre>{}", "&gt;\n".repeat(5_000)),
        ];
        for html in repeated.iter().map(|part| part.repeat(5_000)).chain(whole) {
            let start: String = html.chars().take(40).collect();
            let (limited, _) = limit(&html);
            let dom = parse_document(RcDom::default(), ParseOpts::default()).one(limited.as_ref());
            let mut found = [0; 3];
            measure(&dom.document, 0, &mut found);
            let [elements, depth, escaped] = found;
            assert!(
                elements <= MAX_ELEMENTS + 1_000,
                "{elements} elements: {start}"
            );
            assert!(depth <= 5 * MAX_DEPTH, "{depth} levels: {start}");
            assert!(
                escaped <= 2 * MAX_ESCAPED,
                "{escaped} escaped characters: {start}"
            );
        }
    }
}
