//! What an author must fix: data first, words second.
//!
//! A [`Problem`] has a code, a place in the author's own file, a message and a hint. Stages return their value and
//! their [`Problems`]; nothing is printed before the end of the run. The printers below turn the list into text for a
//! person, JSON for a program, or annotations for GitHub's runner.

mod code;
mod github;
mod human;
mod json;
mod source;
mod suggestion;

use serde::{Deserialize, Serialize};

pub use code::Code;
pub use github::github;
pub use human::{human, human_one};
pub use json::{Summary, json};
pub use source::{Source, Span};
pub use suggestion::{did_you_mean, nearest};

/// Whether the site can still be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Nothing is published.
    Error,
    /// The site is published; `--strict` turns it into an error.
    Warning,
}

/// A position as editors count: lines and columns from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// From the first character to just behind the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Range {
    /// The first character.
    pub start: Position,
    /// Just behind the last character.
    pub end: Position,
}

/// Where a problem is: a file, and usually a range in it with the text of its first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Path relative to the site's folder, with forward slashes.
    pub path: String,
    /// The characters meant; absent when the whole file is.
    pub range: Option<Range>,
    /// The line of `range.start`, for the printer.
    pub line_text: Option<String>,
}

impl Place {
    /// A whole file or folder.
    pub fn file(path: impl Into<String>) -> Place {
        Place { path: path.into(), range: None, line_text: None }
    }
}

/// One thing that an author (or whoever runs the build) must mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Error or warning.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// Where; absent when it is about the command line or the machine.
    pub place: Option<Place>,
    /// What is wrong: lower case, no full stop, literals in backticks.
    pub message: String,
    /// What to type instead.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem that stops the publication.
    pub fn error(code: Code, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, code, place: None, message: message.into(), hint: None }
    }

    /// A problem that does not stop the publication.
    pub fn warning(code: Code, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::error(code, message) }
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Problem {
        self.place = Some(place);
        self
    }

    /// Adds what to type instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint if there is one.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Problem {
        self.hint = hint.or(self.hint);
        self
    }
}

/// All problems of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// None yet.
    pub fn new() -> Problems {
        Problems::default()
    }

    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: Problems) {
        self.0.extend(other.0);
    }

    /// Takes a station's value and keeps its problems.
    pub fn take<T>(&mut self, (value, problems): (T, Problems)) -> T {
        self.extend(problems);
        value
    }

    /// Whether publication must stop.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Whether publication must stop, where warnings may count, too.
    pub fn stop(&self, strict: bool) -> bool {
        self.has_errors() || strict && !self.is_empty()
    }

    /// How many of one severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|problem| problem.severity == severity).count()
    }

    /// In the order of files and lines, without repetitions.
    #[must_use]
    pub fn sorted(mut self) -> Problems {
        self.0.sort_by_cached_key(|problem| {
            let place = problem.place.as_ref();
            (
                place.map(|p| p.path.clone()),
                place.and_then(|p| p.range),
                problem.severity,
                problem.code,
                problem.message.clone(),
                problem.hint.clone(),
            )
        });
        self.0.dedup();
        self
    }

    /// Warnings become errors (`--strict`).
    #[must_use]
    pub fn strict(mut self) -> Problems {
        for problem in &mut self.0 {
            problem.severity = Severity::Error;
        }
        self
    }

    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(vec![problem])
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
