//! Text as HTML. Every page passes here, so the functions may be compiled into their callers, where that is hot.

/// Escapes what would end a text or a quoted attribute.
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

/// Writes what [`escape`] gives, piece by piece: most texts have nothing to escape, and are written as they are.
#[inline]
pub fn write_escaped(out: &mut impl std::fmt::Write, text: &str) -> std::fmt::Result {
    // Most texts have nothing to escape. All bytes are looked at without stopping, so many of them by one instruction.
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

/// The characters behind the references that [`escape`] and the HTML serializer write.
#[inline]
pub fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // The ampersand last: `&amp;lt;` is `&lt;`, not `<`.
    text.replace("&nbsp;", "\u{a0}")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Elements that stand inside a word or a sentence; all others part words.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "s",
    "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
];

/// The text of finished HTML, which this program wrote: its tags are whole, and `<` stands nowhere else.
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
