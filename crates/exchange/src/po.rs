//! Writes and reads units as gettext's PO: `msgctxt` is the name of the unit, Markdown and placeholders are text.

use std::fmt::Write as _;

use diagnostics::problem::{Problem, Source};

use super::units::{Document, State};
use super::{Returned, ReturnedFile, Text, line_of, unreadable};

/// The header that names the site.
const SITE: &str = "X-Site";
/// The header that names the language of the sources.
const SOURCE: &str = "X-Source-Language";
/// The flag of a translation that somebody has accepted. PO has none of its own.
const ACCEPTED: &str = "sitegen-accepted";

/// The comment with the hash of the translation before.
const BEFORE: &str = "before: ";

/// The text of a file with all units.
pub fn write(documents: &[Document], (from, to): (&str, &str), site: &str) -> String {
    let mut text = String::new();
    let header = format!(
        "Language: {to}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n{SOURCE}: {from}\n{SITE}: {site}\n"
    );
    let _ = writeln!(text, "msgid \"\"\nmsgstr {}", quoted(&header));
    for document in documents {
        for unit in &document.units {
            text.push('\n');
            if !unit.meaning.is_empty() {
                comment(&mut text, &unit.meaning);
            }
            if !document.address.is_empty() {
                comment(&mut text, &document.address);
            }
            if let Some(max) = unit.max {
                comment(&mut text, &format!("at most {max} characters"));
            }
            for (term, translation) in &unit.terms {
                comment(&mut text, &format!("term: {term} = {translation}"));
            }
            for found in &unit.matches {
                comment(
                    &mut text,
                    &format!(
                        "{}% match: {} = {}",
                        found.percent, found.source, found.target
                    ),
                );
            }
            comment(&mut text, &format!("{BEFORE}{}", unit.before));
            let _ = writeln!(
                text,
                "#: {}:{}",
                document.from.replace(' ', "%20"),
                unit.line
            );
            match unit.state {
                State::Machine | State::Stale => text.push_str("#, fuzzy\n"),
                State::Final => drop(writeln!(text, "#, {ACCEPTED}")),
                State::Initial | State::Translated => {}
            }
            let target = unit.target.as_deref().unwrap_or_default();
            let _ = writeln!(text, "msgctxt {}", quoted(&document.id(unit)));
            let _ = writeln!(
                text,
                "msgid {}\nmsgstr {}",
                quoted(&unit.source),
                quoted(target)
            );
        }
    }
    text
}

fn comment(text: &mut String, comment: &str) {
    comment
        .lines()
        .for_each(|line| text.extend(["#. ", line, "\n"]));
}

/// A string, a line of it on a line of the file.
fn quoted(text: &str) -> String {
    if !text.trim_end_matches('\n').contains('\n') {
        return one_line(text);
    }
    let lines: Vec<String> = text.split_inclusive('\n').map(one_line).collect();
    format!("\"\"\n{}", lines.join("\n"))
}

fn one_line(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// An entry while it is read.
#[derive(Default)]
struct Entry {
    line: u32,
    context: Option<String>,
    id: Option<String>,
    text: Option<String>,
    flags: Vec<String>,
    before: Option<String>,
}

/// Reads a file. The error has the line that is broken.
pub fn read(path: &str, text: &str) -> Result<ReturnedFile, Problem> {
    let mut file = ReturnedFile::default();
    let mut entry = Entry::default();
    let mut last = "";
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let broken = |message: &str| {
            unreadable(path, message.to_owned())
                .at(line_of(
                    &Source::new(path.to_owned(), text.to_owned()),
                    number,
                ))
                .hint("write a string `\"in quotes\"`, with `\\\"` for a quote")
        };
        // An entry ends before the comments, the context or the text of the next.
        let is_next = line.is_empty()
            || line.starts_with('#')
            || line.starts_with("msgctxt")
            || line.starts_with("msgid ");
        if is_next && entry.text.is_some() {
            finish(&mut file, std::mem::take(&mut entry));
        }
        // Old entries that are commented out, and strings before a change.
        if line.is_empty() || line.starts_with("#~") || line.starts_with("#|") {
            continue;
        }
        if let Some(comment) = line.strip_prefix('#') {
            if let Some(flags) = comment.strip_prefix(',') {
                entry
                    .flags
                    .extend(flags.split(',').map(|flag| flag.trim().to_owned()));
            } else if let Some(before) = comment
                .strip_prefix(". ")
                .and_then(|comment| comment.strip_prefix(BEFORE))
            {
                entry.before = Some(before.trim().to_owned());
            }
            continue;
        }
        let (keyword, string) = line
            .split_once(' ')
            .filter(|(word, _)| !word.starts_with('"'))
            .unwrap_or((last, line));
        let Some(string) = unquoted(string.trim()) else {
            return Err(broken("this is not a PO string"));
        };
        let (field, is_begun) = match keyword {
            "msgctxt" => (&mut entry.context, keyword == last),
            "msgid" => (&mut entry.id, keyword == last),
            "msgstr" => (&mut entry.text, keyword == last),
            _ => return Err(broken("expected `msgctxt`, `msgid` or `msgstr`")),
        };
        if is_begun && !line.starts_with('"') && field.is_some() {
            return Err(
                unreadable(path, format!("the entry has more than one `{keyword}`"))
                    .at(line_of(
                        &Source::new(path.to_owned(), text.to_owned()),
                        number,
                    ))
                    .hint("remove one of them"),
            );
        }
        field.get_or_insert_default().push_str(&string);
        if entry.line == 0 {
            entry.line = number;
        }
        last = match keyword {
            "msgctxt" => "msgctxt",
            "msgid" => "msgid",
            _ => "msgstr",
        };
    }
    if entry.id.is_some() && entry.text.is_none() {
        let problem = unreadable(path, "the last entry has no `msgstr`");
        return Err(problem
            .at(line_of(
                &Source::new(path.to_owned(), text.to_owned()),
                entry.line,
            ))
            .hint("the file was cut off; ask for it again"));
    }
    finish(&mut file, entry);
    Ok(file)
}

fn finish(file: &mut ReturnedFile, entry: Entry) {
    let (Some(id), Some(text)) = (entry.id, entry.text) else {
        return;
    };
    let Some(context) = entry.context else {
        if id.is_empty() {
            let value = |name: &str| {
                text.lines()
                    .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                    .map(|value| value.trim().to_owned())
            };
            file.language = value("Language").filter(|language| !language.is_empty());
            file.source_language = value(SOURCE);
            file.site = value(SITE);
        } else {
            file.units.push(Returned {
                id: String::new(),
                source: Text::plain(id),
                target: Some(text).filter(|text| !text.is_empty()).map(Text::plain),
                state: if entry.flags.iter().any(|flag| flag == "fuzzy") {
                    State::Initial
                } else {
                    State::Translated
                },
                before: entry.before,
                line: entry.line,
            });
        }
        return;
    };
    let has = |flag: &str| entry.flags.iter().any(|own| own == flag);
    let state = match (has("fuzzy"), has(ACCEPTED)) {
        (true, _) => State::Initial,
        (false, true) => State::Final,
        (false, false) => State::Translated,
    };
    let target = Some(text).filter(|text| !text.is_empty()).map(Text::plain);
    file.units.push(Returned {
        id: context,
        source: Text::plain(id),
        target,
        state,
        before: entry.before,
        line: entry.line,
    });
}

fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut plain = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            },
            c => c,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn units(text: &str) -> Vec<(String, Option<Text>, State)> {
        let units = read("a.po", text).expect("PO").units.into_iter();
        units
            .map(|unit| (unit.id, unit.target, unit.state))
            .collect()
    }

    #[test]
    fn entries_without_empty_lines_and_old_ones_are_read() {
        let text = "#, fuzzy\nmsgctxt \"a\"\nmsgid \"x\"\nmsgstr \"y\"\nmsgctxt \"b\"\nmsgid \"\"\n\"x\\n\"\n\"z\"\nmsgstr \"\"\n#~ msgid \"old\"\n#~ msgstr \"old\"\n";
        let expect = [
            ("a".to_owned(), Some(Text::plain("y")), State::Initial),
            ("b".to_owned(), None, State::Translated),
        ];
        assert_eq!(units(text), expect);
    }

    #[test]
    fn a_broken_string_is_an_error_at_its_line() {
        let problem = read("a.po", "msgctxt \"a\"\nmsgid \"x\"\nmsgstr \"y\n")
            .expect_err("a quote is missing");
        assert_eq!(
            problem
                .place
                .and_then(|place| place.range)
                .map(|range| range.start.line),
            Some(3)
        );
        assert!(read("a.po", "msgctxt \"a\"\nmsgid \"x\"\n").is_err());
    }

    proptest! {
        #[test]
        fn a_string_is_read_as_it_was_written(text in "[a-z\"\\\\\n\t ä]{0,30}") {
            let line = quoted(&text);
            let written = format!("msgctxt \"k\"\nmsgid {line}\nmsgstr \"x\"\n");
            let read = read("a.po", &written).expect("PO");
            prop_assert_eq!(&read.units[0].source, &Text::plain(text));
        }
    }
}
