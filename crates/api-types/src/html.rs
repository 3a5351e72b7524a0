//! Escaping and reading of HTML. Rendering calls the functions that escape for every page, so they are marked `#[inline]`.

pub mod elements;

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{DefaultEmitter, Span, Token, Tokenizer};
use memchr::{memchr, memchr2};

use elements::is_inline;

/// Escapes the characters that would end a text node or a quoted attribute.
///
/// ```
/// assert_eq!(api_types::html::escape("<a href=\"x\">&</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;");
/// ```
#[inline]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Writing to a string cannot fail.
    let _ = write_escaped(&mut escaped, text);
    escaped
}

/// Writes the result of [`escape`] without an intermediate string.
#[inline]
pub fn write_escaped(out: &mut impl std::fmt::Write, text: &str) -> std::fmt::Result {
    // Most texts need no escaping. The fold has no early exit, so the compiler can vectorize it.
    let has_any = text.bytes().fold(false, |found, byte| {
        found | matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
    });
    if !has_any {
        return out.write_str(text);
    }
    let mut rest = 0;
    for (at, byte) in text.bytes().enumerate() {
        let reference = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.write_str(&text[rest..at])?;
        out.write_str(reference)?;
        rest = at + 1;
    }
    out.write_str(&text[rest..])
}

/// The character references that [`escape`] and the HTML serializer write.
const REFERENCES: [(&str, char); 6] = [
    ("&nbsp;", '\u{a0}'),
    ("&quot;", '"'),
    ("&#39;", '\''),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&amp;", '&'),
];

/// Replaces the character references that [`escape`] and the HTML serializer write, each once: `&amp;lt;` is `&lt;`.
#[inline]
pub fn unescape(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        unescaped.push_str(&rest[..at]);
        rest = push_reference(&rest[at..], &mut unescaped);
    }
    unescaped.push_str(rest);
    unescaped
}

/// Appends the character of the reference that a text begins with, or its ampersand, and returns what follows.
fn push_reference<'t>(text: &'t str, out: &mut String) -> &'t str {
    let (name, character) = REFERENCES
        .iter()
        .find(|(name, _)| text.starts_with(name))
        .unwrap_or(&("&", '&'));
    out.push(*character);
    &text[name.len()..]
}

/// The text content of HTML that this program serialized: every `<` opens a complete tag.
///
/// ```
/// assert_eq!(api_types::html::text_of("<p>Fast<br>and <b>n</b>eat</p><p>A &amp; B</p>"), " Fast and neat  A & B ");
/// ```
#[inline]
pub fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    // One pass: the index reads the body of every post.
    while let Some(at) = memchr2(b'<', b'&', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(tag) = rest.strip_prefix('<') else {
            rest = push_reference(rest, &mut text);
            continue;
        };
        // An incomplete tag ends where the next one begins.
        let (tag, after) = tag.split_at(memchr2(b'<', b'>', tag.as_bytes()).unwrap_or(tag.len()));
        let name = tag.trim_start_matches('/');
        let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
        if !is_inline(&name[..length]) {
            text.push(' ');
        }
        rest = after.strip_prefix('>').unwrap_or(after);
    }
    text.push_str(rest);
    text
}

/// Reads HTML as the standard requires, and passes each part of it with its place in bytes. The functions here are the only
/// ones that use the tokenizer: it is compiled again for each type that receives its parts, and that takes seconds.
pub fn each_event(html: &[u8], handle: &mut dyn FnMut(&CallbackEvent<'_>, Span<usize>)) {
    let mut emitter = CallbackEmitter::new(
        |event: CallbackEvent<'_>, span: Span<usize>| -> Option<Infallible> {
            handle(&event, span);
            None
        },
    );
    emitter.naively_switch_states(true);
    // Reading from memory cannot fail.
    let _ = Tokenizer::new_with_emitter(html, emitter).finish();
}

/// Like [`each_event`], with whole tags.
pub fn each_token(html: &str, handle: &mut dyn FnMut(Token<usize>)) {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        handle(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_once() {
        assert_eq!(
            unescape("&amp;lt; &lt;b&gt; &quot;&#39;&nbsp;"),
            "&lt; <b> \"'\u{a0}"
        );
        assert_eq!(unescape("R&D &copy; &"), "R&D &copy; &");
        let text = "<a href='x'>\"é\" &amp; &</a>";
        assert_eq!(unescape(&escape(text)), text);
    }

    #[test]
    fn blocks_separate_words_and_inline_elements_do_not() {
        assert_eq!(
            text_of("1 > 0<h2 id=\"x\">é<em>a</em>b</h2><hr/>&lt;p&gt;"),
            "1 > 0 éab  <p>"
        );
        assert_eq!(text_of("<custom-a>x<!-- y -->z"), " x z");
    }

    #[test]
    fn incomplete_tags_are_no_text() {
        for (html, text) in [
            ("a<", "a "),
            ("a<b", "a"),
            ("a<p x<i>b", "a b"),
            ("<<>é", "  é"),
            ("", ""),
        ] {
            assert_eq!(text_of(html), text, "{html}");
        }
    }
}
