//! The warnings about a translation that is out of date, has lost a text, or that a machine has written.

use std::collections::BTreeSet;

use diagnostics::problem::{Code, Place, Problem};

use super::{FileFingerprint, TextChange, TranslatedFile};

/// The warning about texts that a machine has written.
pub fn drafted(
    key: &str,
    locale: &str,
    file: &TranslatedFile,
    fingerprint: &FileFingerprint,
    drafts: &BTreeSet<String>,
) -> Option<Problem> {
    let texts = file.texts.texts.iter().zip(&fingerprint.texts);
    let drafts: Vec<_> = texts
        .filter(|(_, hash)| drafts.contains(*hash))
        .map(|(text, _)| text)
        .collect();
    let first = drafts.first()?;
    let message = match drafts.len() {
        1 => "one string is a draft that nobody has accepted".to_owned(),
        count => format!("{count} strings are drafts that nobody has accepted"),
    };
    let hint = format!(
        "review and correct the text, then run `sitegen translations --accept {key}/{locale}`"
    );
    Some(
        Problem::warning(Code::MachineDraft, message)
            .at(file.source.place(first.span))
            .hint(hint),
    )
}

/// The warning about texts that a translation had when it was accepted, and that the original still has.
pub fn removed(
    key: &str,
    (reference, there): (&str, &TranslatedFile),
    (locale, here): (&str, &TranslatedFile),
) -> Problem {
    let names = there.texts.texts.iter().map(|text| text.name.as_str());
    let lost: Vec<&str> = names
        .filter(|name| here.texts.texts.iter().all(|text| text.name != *name))
        .collect();
    let message = match lost.as_slice() {
        [one] => format!("`{one}` was removed here, but `{reference}` still has it"),
        [one, ..] => {
            format!(
                "{} strings were removed here, such as `{one}`, but `{reference}` still has them",
                lost.len()
            )
        }
        [] => format!("part of the text was removed here, but `{reference}` still has it"),
    };
    let hint = format!(
        "restore the text, or remove it from `{}` as well; then run `sitegen translations --accept {key}/{locale}`",
        there.source.path
    );
    let place = Place::file(here.source.path.clone());
    Problem::warning(Code::StaleTranslation, message)
        .at(place)
        .hint(hint)
}

/// The warning about the file that is out of date.
pub fn stale(
    key: &str,
    locale: &str,
    old: &TranslatedFile,
    changes: &[TextChange],
    what: String,
) -> Problem {
    let named: Vec<&str> = changes
        .iter()
        .map(|change| change.name.as_str())
        .filter(|name| !name.is_empty())
        .collect();
    let texts = match (named.as_slice(), changes.len()) {
        ([one], 1) => format!("`{one}` has changed"),
        ([one, ..], count) => format!("{count} strings have changed, such as `{one}`"),
        ([], 1) => "one part of the text has changed".to_owned(),
        ([], count) => format!("{count} parts of the text have changed"),
    };
    // Where both files have the same names, the first text that may be out of date is the place.
    let text = named
        .iter()
        .find_map(|name| old.texts.texts.iter().find(|text| text.name == **name));
    let place = match text.or_else(|| old.texts.texts.first()) {
        Some(text) => old.source.place(text.span),
        None => Place::file(old.source.path.clone()),
    };
    let hint = format!(
        "{texts}; update this file, then run `sitegen translations --accept {key}/{locale}`"
    );
    Problem::warning(Code::StaleTranslation, what)
        .at(place)
        .hint(hint)
}
