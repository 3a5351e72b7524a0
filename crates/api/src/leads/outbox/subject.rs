//! Subjects of mails, which hold what a visitor has typed.

use data_encoding::BASE64;
use lettre::message::header::{HeaderName, HeaderValue};

/// Begins a word that programs decode (RFC 2047), although it consists of plain letters.
pub(super) const ENCODED_WORD: &str = "=?";
/// The most bytes of a text in an encoded word, which may have 75 characters.
const ENCODED_MAX: usize = 45;

/// The header with a subject. One with what looks like an encoded word is encoded whole: what a visitor typed would be decoded
/// to another text than the one that was checked.
pub(super) fn subject(text: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Subject");
    if !text.contains(ENCODED_WORD) {
        return HeaderValue::new(name, text.to_owned());
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut words: Vec<String> = vec![String::new()];
    for letter in line.chars() {
        if words
            .last()
            .is_some_and(|word| word.len() + letter.len_utf8() > ENCODED_MAX)
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    let encoded = words
        .iter()
        .map(|word| format!("=?utf-8?b?{}?=", BASE64.encode(word.as_bytes())));
    let encoded = encoded.collect::<Vec<_>>().join("\r\n ");
    HeaderValue::dangerous_new_pre_encoded(name, line, encoded)
}
