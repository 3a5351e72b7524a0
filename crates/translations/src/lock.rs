//! `content/translations.lock`: which texts of two languages were last said to agree.
//!
//! ```text
//! pages/home es
//!   en 5d41402abc4b2a76 f96b69 7d793e
//!   es 91c2d7eab04c1f02 8277e0 0fc1b6
//! ```
//!
//! A third line, `machine 0fc1b6`, has the hashes of texts that a machine has written and no person has accepted. An entry may
//! have that line only.
//!
//! An entry is a translation (`es`) and the language that it was compared with (`en`): a hash of each file, then of each
//! of its texts. Entries are sorted, and every second line or so is a heading, so that changes of two branches rarely
//! meet in one place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use workspace::sources::{hash, hex};

use super::texts::Texts;

/// The path of the file.
pub const FILE: &str = "content/translations.lock";

const HEAD: &str = "\
# The texts of translations that were last said to agree. Written by `sitegen translations --accept`.
# After a merge, accept what you have compared again.
";

/// A translation: its key, such as `pages/home`, and its language.
pub type Name = (String, String);

/// The first word of the line of drafts; no language has this code.
const MACHINE: &str = "machine";

/// All entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lock {
    /// The translations that were said to agree.
    pub agreements: BTreeMap<Name, Agreement>,
    /// Hashes of texts that a machine has written, and no person has accepted.
    pub drafts: BTreeMap<Name, BTreeSet<String>>,
}

/// Two files that were said to agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The language that the translation was compared with.
    pub reference: String,
    /// The file of that language.
    pub there: FileFingerprint,
    /// The translation.
    pub here: FileFingerprint,
}

/// Hashes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFingerprint {
    /// Of all its bytes.
    pub file: String,
    /// Of each of its texts, in order.
    pub texts: Vec<String>,
}

impl FileFingerprint {
    /// The fingerprint of a file.
    pub fn of(source: &Source, texts: &Texts) -> FileFingerprint {
        FileFingerprint {
            file: of_file(&source.text),
            texts: texts.texts.iter().map(|text| of_text(&text.text)).collect(),
        }
    }
}

/// The hash of all bytes of a file.
pub fn of_file(text: &str) -> String {
    shown(text.as_bytes(), 8)
}

/// The hash of a text.
pub fn of_text(text: &str) -> String {
    shown(text.as_bytes(), 3)
}

fn shown(bytes: &[u8], length: usize) -> String {
    hex(&hash(bytes)[..length])
}

/// The text of the file.
pub fn write(lock: &Lock) -> String {
    let mut text = HEAD.to_owned();
    let names: BTreeSet<&Name> = lock.agreements.keys().chain(lock.drafts.keys()).collect();
    for name in names {
        let (key, locale) = name;
        let _ = writeln!(text, "{key} {locale}");
        if let Some(agreement) = lock.agreements.get(name) {
            for (locale, side) in [
                (&agreement.reference, &agreement.there),
                (locale, &agreement.here),
            ] {
                let _ = write!(text, "  {locale} {}", side.file);
                side.texts.iter().for_each(|hash| text.extend([" ", hash]));
                text.push('\n');
            }
        }
        if let Some(drafts) = lock.drafts.get(name) {
            let _ = write!(text, "  {MACHINE}");
            drafts.iter().for_each(|hash| text.extend([" ", hash]));
            text.push('\n');
        }
    }
    text
}

/// Reads the file. An entry that is damaged, such as by a merge, is reported and left out.
pub fn read(source: &Source) -> (Lock, Problems) {
    let mut problems = Problems::new();
    let mut lock = Lock::default();
    let mut lines = Lines { source, at: 0 };
    let mut damaged = |span: Span, message: String| {
        let hint = "remove the entry and the merge markers, compare the original with its translation, and run `sitegen translations --accept KEY`";
        problems.push(
            Problem::error(Code::TranslationsLock, message)
                .at(source.place(span))
                .hint(hint),
        );
    };
    let mut next = lines.next();
    while let Some((line, span)) = next {
        next = lines.next();
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let heading: Vec<&str> = line.split_whitespace().collect();
        let &[key, locale] = heading.as_slice() else {
            damaged(span, "this line is not a translation entry".to_owned());
            continue;
        };
        if line.starts_with(char::is_whitespace) {
            damaged(span, "these hashes do not belong to an entry".to_owned());
            continue;
        }
        let mut sides = Vec::new();
        let mut drafts: Option<BTreeSet<String>> = None;
        while let Some((line, _)) = next.filter(|(line, _)| line.starts_with(char::is_whitespace)) {
            match line
                .trim_start()
                .strip_prefix(MACHINE)
                .filter(|rest| rest.starts_with(' '))
            {
                Some(hashes) => drafts
                    .get_or_insert_default()
                    .extend(hashes.split_whitespace().map(str::to_owned)),
                None => sides.push(side(line)),
            }
            next = lines.next();
        }
        let name = (key.to_owned(), locale.to_owned());
        if let Some(drafts) = drafts {
            if !drafts.iter().all(|hash| is_hash(hash, 6)) {
                damaged(
                    span,
                    format!("the entry for `{key}` in `{locale}` is damaged"),
                );
                continue;
            }
            // A text that is a draft in either branch of a merge stays a draft.
            lock.drafts.entry(name.clone()).or_default().extend(drafts);
            if sides.is_empty() {
                continue;
            }
        }
        let sides: Option<Vec<_>> = sides.into_iter().collect();
        match sides.as_deref() {
            Some([(reference, there), (own, here)]) if own == locale && reference != own => {
                let agreement = Agreement {
                    reference: reference.clone(),
                    there: there.clone(),
                    here: here.clone(),
                };
                if lock.agreements.insert(name.clone(), agreement).is_some() {
                    damaged(span, format!("`{key}` has two entries for `{locale}`"));
                    lock.agreements.remove(&name);
                }
            }
            _ => damaged(
                span,
                format!("the entry for `{key}` in `{locale}` is damaged"),
            ),
        }
    }
    (lock, problems)
}

/// `es 91c2d7eab04c1f02 8277e0 0fc1b6`.
fn side(line: &str) -> Option<(String, FileFingerprint)> {
    let mut parts = line.split_whitespace().map(str::to_owned);
    let (locale, file) = (parts.next()?, parts.next()?);
    let texts: Vec<String> = parts.collect();
    (is_hash(&file, 16) && texts.iter().all(|text| is_hash(text, 6)))
        .then_some((locale, FileFingerprint { file, texts }))
}

fn is_hash(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| b.is_ascii_hexdigit())
}

struct Lines<'a> {
    source: &'a Source,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (&'a str, Span);

    fn next(&mut self) -> Option<(&'a str, Span)> {
        let rest = self
            .source
            .text
            .get(self.at..)
            .filter(|rest| !rest.is_empty())?;
        let whole = rest.split_inclusive('\n').next()?;
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(self.at, self.at + line.len());
        self.at += whole.len();
        Some((line, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str =
        "pages/home es\n  en 5d41402abc4b2a76 f96b69\n  es 91c2d7eab04c1f02 8277e0 0fc1b6\n";

    fn check(text: &str, entries: usize, messages: &[&str]) -> Lock {
        let (lock, problems) = read(&Source::new(FILE.into(), text.into()));
        let found: Vec<&str> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(found, messages, "{text}");
        assert_eq!(lock.agreements.len(), entries, "{text}");
        lock
    }

    #[test]
    fn what_is_written_is_read_again() {
        let lock = check(ENTRY, 1, &[]);
        assert_eq!(write(&lock), format!("{HEAD}{ENTRY}"));
        assert_eq!(check(&write(&lock), 1, &[]), lock);
        check(&ENTRY.replace('\n', "\r\n"), 1, &[]);
        check("", 0, &[]);
    }

    #[test]
    fn drafts_are_kept_with_their_translation_and_without_one() {
        let alone = "pages/team es\n  machine 0fc1b6 8277e0\n";
        let lock = check(&format!("{ENTRY}  machine 8277e0\n{alone}"), 1, &[]);
        assert_eq!(lock.drafts.len(), 2);
        assert_eq!(
            write(&lock),
            format!("{HEAD}{ENTRY}  machine 8277e0\n{alone}")
        );
        check(
            "pages/team es\n  machine 0fc\n",
            0,
            &["the entry for `pages/team` in `es` is damaged"],
        );
    }

    #[test]
    fn a_bad_merge_is_reported_and_costs_one_entry() {
        let other = ENTRY.replace("home", "about");
        check(&format!("{ENTRY}{other}"), 2, &[]);
        let twice = "`pages/home` has two entries for `es`";
        check(&format!("{ENTRY}{other}{ENTRY}"), 1, &[twice]);
        let marks = format!("{other}<<<<<<< ours\n{ENTRY}=======\n{ENTRY}>>>>>>> theirs\n");
        let no_entry = "this line is not a translation entry";
        check(
            &marks,
            1,
            &[
                "the entry for `<<<<<<<` in `ours` is damaged",
                no_entry,
                twice,
                "the entry for `>>>>>>>` in `theirs` is damaged",
            ],
        );
        check(
            &format!("{other}pages/home es\n  en 5d41 f96b69\n  es x\n"),
            1,
            &["the entry for `pages/home` in `es` is damaged"],
        );
        check(
            &format!("  en 5d41402abc4b2a76\n{other}"),
            1,
            &["these hashes do not belong to an entry"],
        );
    }
}
