//! The exchange with people who translate: every text of a site as a unit, files that translation tools read and write, and
//! the way back into the files of the site.
//!
//! A unit is one text in two languages. [`units`] collects them, [`xliff`], [`po`] and [`table`] write and read them,
//! [`import`] decides which of the texts that came back are written, and [`write`] puts them into files.

mod blocks;
pub mod import;
mod inline;
pub mod po;
#[cfg(test)]
mod properties;
mod schemas;
pub mod table;
mod tree;
mod unit;
pub mod units;
mod write;
pub mod xliff;
mod xliff_reader;

use diagnostics::problem::{Code, Place, Problem, Source};

use unit::State;

/// A unit of a file that came back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Returned {
    /// The key of its file and its name, as [`units::Document::id`] has them, or the identifiers of XLIFF made of them.
    pub id: String,
    /// The source text in the file; `None` if the format has codes that only the unit can resolve.
    pub source: Text,
    /// The translation; `None` if it is empty.
    pub target: Option<Text>,
    /// How far the translation is.
    pub state: State,
    /// [`units::Unit::before`] of the unit when it was exported; `None` if a tool has lost it.
    pub before: Option<String>,
    /// The line in the file, from 1.
    pub line: u32,
}

/// A text of a file that came back: words, and codes by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text(pub Vec<Part>);

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words, with Markdown in formats that have no codes.
    Words(String),
    /// The beginning of the code of this name.
    Open(String),
    /// Its end.
    Close(String),
    /// A code without words.
    Alone(String),
}

impl Text {
    /// A text without codes.
    pub fn plain(text: impl Into<String>) -> Text {
        Text(vec![Part::Words(text.into())])
    }

    /// Whether it has neither words nor codes.
    pub fn is_empty(&self) -> bool {
        self.0
            .iter()
            .all(|part| matches!(part, Part::Words(text) if text.is_empty()))
    }
}

/// The content of a file that came back.
#[derive(Debug, Default)]
pub struct ReturnedFile {
    /// The language of the sources, if the file names it.
    pub source_language: Option<String>,
    /// The language of the translations, if the file names it.
    pub language: Option<String>,
    /// The site that it is of, if the file names it.
    pub site: Option<String>,
    /// Its units, in order.
    pub units: Vec<Returned>,
}

/// The place of a line of a file that came back.
fn line_of(source: &Source, line: u32) -> Place {
    source.place(source.line(line as usize))
}

/// The error about a whole file that came back.
fn unreadable(path: &str, message: impl Into<String>) -> Problem {
    Problem::error(Code::ExchangeFile, message).at(Place::file(path))
}
