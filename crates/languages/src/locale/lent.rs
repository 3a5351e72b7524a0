//! Marks around texts that another language lends, for templates and islands, which pass them on as letters. The page that is
//! rendered has the language in their place.

use super::Locale;

/// The first mark of a text of the first language. Those of the others follow. `diagnostics::marks` has the characters before
/// these.
const BEGIN: u32 = 0xF_C000;
/// The number of languages that can be marked.
const LANGUAGES: u32 = 0x0FFF;
/// The mark behind a text.
pub const END: char = '\u{FD000}';

/// A text with the mark of the language that lends it, which is the place of that one in the list of languages.
pub fn marked(text: &str, lent_by: Option<usize>) -> String {
    let begin = lent_by.and_then(|at| {
        char::from_u32(BEGIN + u32::try_from(at).ok().filter(|at| *at < LANGUAGES)?)
    });
    match begin {
        Some(begin) if !text.trim().is_empty() => format!("{begin}{text}{END}"),
        _ => text.to_owned(),
    }
}

/// A text with the mark of the language of this code.
pub fn of_code(text: &str, code: Option<&str>, locales: &[Locale]) -> String {
    marked(
        text,
        code.and_then(|code| locales.iter().position(|locale| locale.code == code)),
    )
}

/// The place of the language that a mark names.
pub fn language_at(mark: char) -> Option<usize> {
    u32::from(mark)
        .checked_sub(BEGIN)
        .filter(|at| *at < LANGUAGES)
        .map(|at| at as usize)
}
