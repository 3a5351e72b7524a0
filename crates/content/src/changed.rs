//! `content/changed.lock`: the day on which the text of each page last changed, for the sitemap and the data of pages.
//!
//! ```text
//! /about-us/ 2026-11-20 91c2d7eab04c1f027ac5e0d6114b83f2
//! /blog/ - 5d41402abc4b2a7642d9f01c8e7a3b55
//! ```
//!
//! A line is an address, a day, and a hash of the text. `-` is a page whose text has not changed since it was first
//! recorded, and whose earlier history is unknown. The file is a part of the content, so a build of the same content has
//! the same dates on every machine.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use config::Config;
use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use schema::types::Date;

/// The path of the file, relative to the site's folder.
pub const FILE: &str = "content/changed.lock";

const HEAD: &str = "\
# The day on which the text of each page last changed. Written by `sitegen changed --accept`; commit it with the pages.
";

/// The text of a page, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedText {
    /// The day of its last change, `2026-11-20`; `None` if it is unknown.
    pub day: Option<String>,
    /// A hash of the text.
    pub hash: String,
}

/// All pages, by address.
pub type ChangedLock = BTreeMap<String, RecordedText>;

/// Reads the file of a site; empty if it has none.
pub fn load(config: &Config) -> (ChangedLock, Problems) {
    let path = config.paths.root.join(FILE);
    if !config.paths.root.exists(&path) {
        return (ChangedLock::new(), Problems::new());
    }
    match config.paths.root.read_text(&path) {
        Ok(source) => read(&source),
        Err(problem) => (ChangedLock::new(), problem.into()),
    }
}

/// Reads the file. A line that is damaged, such as by a merge, is reported and left out.
fn read(source: &Source) -> (ChangedLock, Problems) {
    let (mut lock, mut problems) = (ChangedLock::new(), Problems::new());
    let mut start = 0;
    for whole in source.text.split_inclusive('\n') {
        let line = whole.trim_end();
        let span = Span::new(start, start + line.len());
        start += whole.len();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((address, recorded)) = entry(line) else {
            let message = format!("expected a URL, a date and a hash, found `{line}`");
            let problem = Problem::warning(Code::ChangedLock, message).at(source.place(span));
            problems.push(
                problem.hint("remove the line, build the site, and run `sitegen changed --accept`"),
            );
            continue;
        };
        // After a merge both sides may be there: the later day is the one on which the text last changed.
        let known = lock
            .entry(address.to_owned())
            .or_insert_with(|| recorded.clone());
        if known.day < recorded.day {
            *known = recorded;
        }
    }
    (lock, problems)
}

fn entry(line: &str) -> Option<(&str, RecordedText)> {
    let mut parts = line.split_whitespace();
    let (address, day, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hash = hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_day = day == "-" || Date::parse(day).is_some();
    (address.starts_with('/') && is_day && is_hash && parts.next().is_none()).then(|| {
        (
            address,
            RecordedText {
                day: (day != "-").then(|| day.to_owned()),
                hash: hash.to_owned(),
            },
        )
    })
}

/// The text of the file.
pub fn write(lock: &ChangedLock) -> String {
    let mut text = HEAD.to_owned();
    for (address, RecordedText { day, hash }) in lock {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{address} {} {hash}", day.as_deref().unwrap_or("-"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "91c2d7eab04c1f027ac5e0d6114b83f2";

    fn read_text(text: &str) -> (ChangedLock, usize) {
        let (lock, problems) = read(&Source::new(FILE.into(), text.into()));
        (lock, problems.iter().count())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let lines = format!("/ - {HASH}\n/about-us/ 2026-11-20 {HASH}\n");
        let (lock, problems) = read_text(&lines.replace('\n', "\r\n"));
        assert_eq!((lock.len(), problems), (2, 0));
        assert_eq!(write(&lock), format!("{HEAD}{lines}"));
    }

    #[test]
    fn a_bad_merge_costs_its_marks_and_keeps_the_later_day() {
        let (ours, theirs) = (
            format!("/ 2026-11-20 {HASH}\n"),
            format!("/ 2026-11-22 {HASH}\n"),
        );
        let (lock, problems) = read_text(&format!(
            "<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"
        ));
        assert_eq!(
            (lock["/"].day.as_deref(), problems),
            (Some("2026-11-22"), 3)
        );
        for bad in [
            "/ 2026-02-30 91c2d7eab04c1f027ac5e0d6114b83f2",
            "about - 91",
            "/ -",
            "/a b - 91",
        ] {
            assert_eq!(read_text(bad), (ChangedLock::new(), 1), "{bad}");
        }
    }
}
