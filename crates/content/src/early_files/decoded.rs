//! A text as a reader of its links takes it: without escapes of Markdown, character references of HTML and percent-encoding.

use percent_encoding::percent_decode_str;
use text::sanitize::plain_text;

/// The most bytes of the name of a character.
const NAME_MAX: usize = 32;

/// A text without escapes, with where each byte of it is written.
pub(super) struct Decoded {
    pub text: String,
    offsets: Vec<usize>,
}

impl Decoded {
    pub fn of(written: &str) -> Decoded {
        let mut decoded = Decoded {
            text: String::with_capacity(written.len()),
            offsets: Vec::with_capacity(written.len()),
        };
        let mut at = 0;
        while let Some(c) = written[at..].chars().next() {
            let rest = &written[at..];
            let (length, text) = match c {
                '\\' => escaped(rest),
                '&' => referred(rest),
                '%' => encoded(rest),
                _ => None,
            }
            .unwrap_or_else(|| (c.len_utf8(), c.to_string()));
            decoded.offsets.extend(text.bytes().map(|_| at));
            decoded.text.push_str(&text);
            at += length;
        }
        decoded
    }

    /// Where a byte of the text is written.
    pub fn offset(&self, at: usize) -> usize {
        self.offsets.get(at).copied().unwrap_or_default()
    }
}

/// The length of an escape of Markdown, YAML or JSON, and its character.
fn escaped(rest: &str) -> Option<(usize, String)> {
    let c = rest.chars().nth(1)?;
    c.is_ascii_punctuation().then(|| (2, c.to_string()))
}

/// The length of a character reference, and its character.
fn referred(rest: &str) -> Option<(usize, String)> {
    let end = rest.bytes().take(NAME_MAX).position(|byte| byte == b';')? + 1;
    let name = rest.get(1..end - 1)?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
    let text = plain_text(&rest[..end]);
    (is_name && !text.starts_with('&') && !text.is_empty())
        .then_some((end, text))
        .or_else(|| (name == "amp").then(|| (end, "&".to_owned())))
}

/// The length of percent-encoded bytes, and their text.
fn encoded(rest: &str) -> Option<(usize, String)> {
    let is_byte = |byte: &[u8]| byte[0] == b'%' && byte[1..].iter().all(u8::is_ascii_hexdigit);
    let bytes = rest
        .as_bytes()
        .chunks_exact(3)
        .take_while(|byte| is_byte(byte));
    let length = bytes.count() * 3;
    let text = percent_decode_str(&rest[..length]).decode_utf8().ok()?;
    (length > 0).then(|| (length, text.into_owned()))
}
