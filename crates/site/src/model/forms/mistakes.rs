//! The messages for the mistakes of one field: those that the form has, and for files what the field takes.

use std::collections::BTreeMap;

use api_types::forms::{AnswerType, FILE_TYPES, FormField};
use api_types::leads::LeadErrorCode;
use languages::locale::{Locale, Word};
use schema::types::{Decimal, Typed};

use super::FormText;

/// The messages for a field by error code. `default` is the first language of the site.
pub fn mistakes(
    text: &FormText,
    field: &FormField,
    locale: &Locale,
    default: &Locale,
) -> BTreeMap<String, String> {
    let mut messages = text.entries(&["fields", &field.name, "mistakes"]);
    if field.takes != AnswerType::File || text.text(&["fields", &field.name, "error"]).is_some() {
        return messages;
    }
    let types = field
        .accept
        .iter()
        .filter_map(|kind| FILE_TYPES.iter().find(|(known, _)| known == kind));
    let types: Vec<String> = types.map(|(_, ending)| ending.to_uppercase()).collect();
    for (code, word, value) in [
        (
            LeadErrorCode::TooLarge,
            locale.own_word(Word::FileTooLarge, default),
            size(locale, field.most),
        ),
        (
            LeadErrorCode::InvalidValue,
            locale.own_word(Word::FileOfOtherType, default),
            types.join(", "),
        ),
        (
            LeadErrorCode::OutOfRange,
            locale.own_word(Word::TooManyFiles, default),
            field.files_max().to_string(),
        ),
    ] {
        if let Some(word) = word {
            messages
                .entry(code.name().to_owned())
                .or_insert_with(|| word.replace("{limit}", &value));
        }
    }
    messages
}

/// The most bytes of a file as a form declares them: `2 MB`.
fn size(locale: &Locale, bytes: u32) -> String {
    const KIB: u32 = 1024;
    let (unit, size) = if bytes < KIB * KIB {
        ("kB", KIB)
    } else {
        ("MB", KIB * KIB)
    };
    // Rounded down: what the message promises is taken.
    let (whole, tenths) = (bytes / size, bytes % size * 10 / size);
    let number = if tenths == 0 {
        whole.to_string()
    } else {
        format!("{whole}.{tenths}")
    };
    Decimal::parse(&number).map_or(number, |number| locale.show(&Typed::Decimal(number)))
        + "\u{a0}"
        + unit
}
