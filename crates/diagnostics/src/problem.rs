//! Errors and warnings, as data.
//!
//! A [`Problem`] has a code, a place in the author's file, a message and a hint. Stages return their value and their
//! [`Problems`]; nothing is printed before the end of the run. The printers below format the list as text for a
//! terminal, as JSON, as SARIF, or as annotations for GitHub's runner.

mod code;
mod github;
mod human;
mod json;
mod sarif;
mod source;
mod suggestion;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use code::Code;
pub use github::github;
pub use human::{human, human_one};
pub use json::{ProblemSummary, json};
pub use sarif::sarif;
pub use source::{Source, Span};
pub use suggestion::{did_you_mean, nearest};

/// Whether a problem prevents publishing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Nothing is published.
    Error,
    /// The site is published; `--strict` turns it into an error.
    Warning,
}

/// A position in a file. Lines and columns start at 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// A range of characters; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Range {
    /// The first character.
    pub start: Position,
    /// The position after the last character.
    pub end: Position,
}

/// The place of a problem: a file, and usually a range in it with the text of its first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Path relative to the site's folder, with forward slashes.
    pub path: String,
    /// The range; `None` for the whole file.
    pub range: Option<Range>,
    /// The line of `range.start`, for the printer; of a long one, what is around it.
    pub line_text: Option<String>,
    /// The number of characters of the line before its text here.
    #[serde(default)]
    pub line_from: u32,
}

impl Place {
    /// A whole file or folder.
    pub fn file(path: impl Into<String>) -> Place {
        Place {
            path: path.into(),
            range: None,
            line_text: None,
            line_from: 0,
        }
    }
}

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Error or warning.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// The place; `None` if the problem concerns the command line or the machine.
    pub place: Option<Place>,
    /// The message: lower case, no full stop, literals in backticks.
    pub message: String,
    /// The advice: the text to type instead.
    pub hint: Option<String>,
}

impl Problem {
    /// Creates an error.
    pub fn error(code: Code, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Error,
            code,
            place: None,
            message: message.into(),
            hint: None,
        }
    }

    /// Creates a warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            ..Problem::error(code, message)
        }
    }

    /// The same problem as a warning: for text of a CMS, whose authors must not stop a build.
    #[must_use]
    pub fn as_warning(mut self) -> Problem {
        self.severity = Severity::Warning;
        self
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

    /// Whether `--strict` makes it an error. A cache that is away changes no result, so it fails no build; nor does a letter
    /// on a sharing card, because a package that is not installed would; nor does a file that replaces a generated one,
    /// because that may be intended; nor do words such as “click here”, of which an import may bring thousands; nor does the sample
    /// with which a new site begins.
    fn is_strict(&self) -> bool {
        !self.code.is_about_words()
            && !matches!(
                self.code,
                Code::CacheUnavailable
                    | Code::CardLetters
                    | Code::GeneratedReplaced
                    | Code::SampleText
            )
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
    /// An empty list.
    pub fn new() -> Problems {
        Problems::default()
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds all problems of another list.
    pub fn extend(&mut self, other: Problems) {
        self.0.extend(other.0);
    }

    /// Adds the problems of a stage's result, and returns its value.
    pub fn take<T>(&mut self, (value, problems): (T, Problems)) -> T {
        self.extend(problems);
        value
    }

    /// Whether there are errors.
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    /// Whether publishing must stop. If `strict`, warnings count as errors.
    pub fn stop(&self, strict: bool) -> bool {
        self.has_errors() || strict && self.0.iter().any(Problem::is_strict)
    }

    /// The number of problems with a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.0
            .iter()
            .filter(|problem| problem.severity == severity)
            .count()
    }

    /// Sorts the problems by file and position, and removes duplicates.
    #[must_use]
    pub fn sorted(mut self) -> Problems {
        self.join_missing();
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

    /// Leaves one problem of all places that need the same missing package: the mistake is in none of them.
    fn join_missing(&mut self) {
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for problem in self
            .0
            .iter()
            .filter(|problem| problem.code == Code::BundlerMissing)
        {
            *places.entry(problem.message.clone()).or_default() += 1;
        }
        self.0
            .retain_mut(|problem| match places.get_mut(&problem.message) {
                Some(left) if *left > 1 && problem.code == Code::BundlerMissing => {
                    *left = 0;
                    problem.place = None;
                    true
                }
                Some(0) => problem.code != Code::BundlerMissing,
                _ => true,
            });
    }

    /// The problems but some, such as those that follow from another one.
    #[must_use]
    pub fn without(mut self, is_left_out: impl Fn(&Problem) -> bool) -> Problems {
        self.0.retain(|problem| !is_left_out(problem));
        self
    }

    /// Turns warnings into errors (`--strict`).
    #[must_use]
    pub fn strict(mut self) -> Problems {
        for problem in self.0.iter_mut().filter(|problem| problem.is_strict()) {
            problem.severity = Severity::Error;
        }
        self
    }

    /// Makes all paths relative to a folder that contains the site. `prefix` leads from there to the site, with a slash
    /// at its end.
    #[must_use]
    pub fn below(mut self, prefix: &str) -> Problems {
        for place in self
            .0
            .iter_mut()
            .filter_map(|problem| problem.place.as_mut())
        {
            if !place.path.starts_with('/') && !place.path.contains("://") {
                place.path.insert_str(0, prefix);
            }
        }
        self
    }

    /// Iterates over the problems.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// Whether the list is empty.
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
