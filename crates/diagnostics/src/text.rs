//! Characters that no text of a site may hold.

use crate::problem::{Code, Problem};

/// The first C0 control character that is neither a tab nor a line break: its byte, and which one it is. HTML parsers drop
/// or replace them, XML cannot hold them, and NUL separates the pieces of rendered text.
///
/// ```
/// use diagnostics::text::control_character;
/// assert_eq!(control_character("a\u{0}b"), Some((1, '\0')));
/// assert_eq!(control_character("a\tb\r\n"), None);
/// ```
pub fn control_character(text: &str) -> Option<(usize, char)> {
    let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // All of a text at once, without stopping: many bytes are looked at by one instruction.
    if !text.bytes().fold(false, |found, byte| found | is_control(byte)) {
        return None;
    }
    let at = text.bytes().position(is_control)?;
    Some((at, char::from(text.as_bytes()[at])))
}

/// What is reported of one; its place is the caller's to say.
pub fn no_control_characters(c: char) -> Problem {
    Problem::error(Code::ControlCharacter, format!("the text holds the control character U+{:04X}", u32::from(c)))
        .hint("delete it; most editors can show invisible characters")
}

/// The first character that overrides the direction of the text around it: its byte, and which one it is.
///
/// ```
/// use diagnostics::text::direction_override;
/// assert_eq!(direction_override("a\u{202e}b"), Some((1, '\u{202e}')));
/// ```
pub fn direction_override(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(_, c)| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

/// The warning about one in a title; its place is the caller's to say.
pub fn no_direction_overrides(c: char) -> Problem {
    let message = format!("the title holds U+{:04X}, which turns the direction of the text around", u32::from(c));
    Problem::warning(Code::DirectionOverride, message).hint("delete it, unless the title mixes two scripts")
}
