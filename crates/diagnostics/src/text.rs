//! Characters that are not allowed in texts.

use crate::problem::{Code, Problem};

/// Finds the first C0 control character other than tab and line breaks, with its byte offset. HTML parsers drop or
/// replace these characters, XML does not allow them, and NUL separates the pieces of rendered text.
///
/// ```
/// use diagnostics::text::control_character;
/// assert_eq!(control_character("a\u{0}b"), Some((1, '\0')));
/// assert_eq!(control_character("a\tb\r\n"), None);
/// ```
pub fn control_character(text: &str) -> Option<(usize, char)> {
    // The fold has no early exit, so the compiler can vectorize it.
    if !text
        .bytes()
        .fold(false, |found, byte| found | is_control(byte))
    {
        return None;
    }
    let at = text.bytes().position(is_control)?;
    Some((at, char::from(text.as_bytes()[at])))
}

/// Tells whether a byte is a control character that texts do not have.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}

/// The error for a control character. The caller adds the place.
pub fn no_control_characters(c: char) -> Problem {
    Problem::error(
        Code::ControlCharacter,
        format!(
            "the text contains the control character U+{:04X}",
            u32::from(c)
        ),
    )
    .hint("delete it; most editors can show invisible characters")
}

/// Finds the first bidirectional control character, with its byte offset.
///
/// ```
/// use diagnostics::text::direction_override;
/// assert_eq!(direction_override("a\u{202e}b"), Some((1, '\u{202e}')));
/// ```
pub fn direction_override(text: &str) -> Option<(usize, char)> {
    text.char_indices()
        .find(|(_, c)| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

/// The warning for such a character in a title. The caller adds the place.
pub fn no_direction_overrides(c: char) -> Problem {
    let message = format!(
        "the title contains U+{:04X}, which overrides the direction of the text",
        u32::from(c)
    );
    Problem::warning(Code::DirectionOverride, message)
        .hint("delete it, unless the title mixes left-to-right and right-to-left text")
}

/// The innermost cause of an error, which is the most specific one, in lower case and without the number of the
/// operating system.
pub fn innermost_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
        .to_string()
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}
