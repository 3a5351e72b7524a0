//! A complaint of the parser: its words, its place, and the lines of the text around it.
//!
//! Every explanation of a mistake starts from here, and reads lines with the functions below.

use crate::problem::{Code, Place, Problem, Source};

/// A parser error with its context.
pub(super) struct Complaint<'a> {
    source: &'a Source,
    /// The number of lines in the file before the parsed text.
    pub first_line: usize,
    /// The lines of the parsed text.
    pub lines: Vec<&'a str>,
    /// The line, starting at 1.
    pub line: usize,
    /// The column in characters, starting at 1.
    pub column: usize,
    /// The parser's message.
    pub words: String,
}

impl<'a> Complaint<'a> {
    /// The error of the parser in `text`, which begins at byte `offset` of the file.
    pub fn new(
        source: &'a Source,
        text: &'a str,
        offset: usize,
        error: &serde_yaml::Error,
    ) -> Complaint<'a> {
        let (line, column) = error
            .location()
            .map_or((1, 1), |at| (one_based(at.line()), one_based(at.column())));
        let words = error.to_string();
        Complaint {
            source,
            first_line: source.text[..offset].matches('\n').count(),
            lines: text.lines().collect(),
            line,
            column,
            words: words
                .split(" at line ")
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    }

    pub fn place(&self, line: usize, column: usize) -> Place {
        self.source.place_at(self.first_line + line, column)
    }

    /// A syntax problem at a place.
    pub fn syntax(&self, message: impl Into<String>, line: usize, column: usize) -> Problem {
        Problem::error(Code::YamlSyntax, message).at(self.place(line, column))
    }

    /// The text of a line; the first line is 1.
    pub fn text(&self, line: usize) -> &str {
        self.lines
            .get(line.wrapping_sub(1))
            .copied()
            .unwrap_or_default()
    }

    /// Whether the error is at the colon of the line's key, so that the mistake is in a line above.
    pub fn at_first_colon(&self) -> bool {
        self.text(self.line)
            .chars()
            .position(|c| c == ':')
            .is_none_or(|at| self.column <= at + 1)
    }
}

/// A number of a line or a column: 1 or more.
fn one_based(number: u64) -> usize {
    usize::try_from(number).unwrap_or(1).max(1)
}

/// Rephrases the parser's message for authors.
pub(super) fn sentence(words: &str) -> String {
    match words {
        "mapping values are not allowed in this context" => "a `key:` is not allowed here".into(),
        w if w.contains("did not find expected key") => "expected a key here".into(),
        w if w.contains("did not find expected '-' indicator") => {
            "expected a list item (`- …`) here".into()
        }
        w if w.contains("simple key expected") => "this line has no colon".into(),
        w if w.contains("unexpected EOF") => "the file ends in the middle of a block".into(),
        w if w.contains("<document start>") => {
            "this line does not belong to the block above".into()
        }
        w if w.contains("comments must be separated") => {
            "a comment begins directly after a value".into()
        }
        w if w.contains("flow") => "expected a comma here".into(),
        w if w.contains("block sequence entries") => "a list cannot begin here".into(),
        w => w
            .split_once(", ")
            .filter(|_| w.starts_with("while "))
            .map_or(w, |(_, rest)| rest)
            .replace(['\'', '"'], "`"),
    }
}

/// The byte offset of a column, which starts at 1.
pub(super) fn byte_of(line: &str, column: usize) -> usize {
    line.char_indices()
        .nth(column.saturating_sub(1))
        .map_or(line.len(), |(at, _)| at)
}

/// The number of leading spaces and tabs.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The byte offset of a line's key, after the dashes of list items.
pub(super) fn key_at(line: &str) -> usize {
    let mut at = indent(line);
    while line[at..].starts_with("- ") {
        at += 1 + indent(&line[at + 1..]);
    }
    at
}

/// The byte offset of a line's value, or of its text if it has no key.
pub(super) fn value_at(line: &str) -> usize {
    let at = key_at(line);
    let key = line[at..]
        .split(": ")
        .next()
        .filter(|key| !key.contains(['"', '\'', '[', '{']));
    match key.filter(|key| key.len() + at < line.len()) {
        Some(key) => at + key.len() + 1 + indent(&line[at + key.len() + 1..]),
        None => at,
    }
}
