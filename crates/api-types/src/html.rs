//! Escaping and reading of HTML. Rendering calls the functions that escape for every page, so they are marked `#[inline]`.

use std::convert::Infallible;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{DefaultEmitter, Span, Token, Tokenizer};

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
    let has_any = text.bytes().fold(false, |found, byte| found | matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\''));
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

/// Replaces the character references that [`escape`] and the HTML serializer write.
#[inline]
pub fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // The ampersand is replaced last: `&amp;lt;` is `&lt;`, not `<`.
    text.replace("&nbsp;", "\u{a0}")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Inline elements. All other elements separate words.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s",
    "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
];

/// The text content of HTML that this program serialized: every `<` opens a complete tag.
///
/// ```
/// assert_eq!(api_types::html::text_of("<p>Fast<br>and <b>n</b>eat</p><p>A &amp; B</p>"), " Fast and neat  A & B ");
/// ```
#[inline]
pub fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut parts = html.split('<');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (tag, rest) = part.split_once('>').unwrap_or((part, ""));
        let name = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if !INLINE.contains(&name) {
            text.push(' ');
        }
        text.push_str(rest);
    }
    unescape(&text)
}

/// Reads HTML as the standard requires, and passes each part of it with its place in bytes. The functions here are the only
/// ones that use the tokenizer: it is compiled again for each type that receives its parts, and that takes seconds.
pub fn each_event(html: &[u8], handle: &mut dyn FnMut(&CallbackEvent<'_>, Span<usize>)) {
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, span: Span<usize>| -> Option<Infallible> {
        handle(&event, span);
        None
    });
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
