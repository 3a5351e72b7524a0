//! Turns the parser's errors into messages for authors.
//!
//! A parser often detects a mistake several lines after it: an unclosed quote is detected at the end of the next line.
//! So the functions here also inspect the lines before the reported position.

use crate::problem::{Code, Place, Problem, Source};

use super::complaint::{Complaint, byte_of, indent, key_at, sentence, value_at};
use super::pairs::quoted;

/// Explains an error in `text`, which begins at byte `offset` of the file.
pub(super) fn explain(
    source: &Source,
    text: &str,
    offset: usize,
    error: &serde_yaml::Error,
) -> Problem {
    let complaint = Complaint::new(source, text, offset, error);
    complaint.kind_of(error).unwrap_or_else(|| {
        let explanations = [
            Complaint::control_character,
            Complaint::tab,
            Complaint::quote,
            Complaint::bracket,
            Complaint::directive,
            Complaint::first_character,
            Complaint::missing_colon,
            Complaint::placeholder,
            Complaint::colon_in_value,
            Complaint::indent,
        ];
        explanations
            .iter()
            .find_map(|explain| explain(&complaint))
            .unwrap_or_else(|| complaint.fallback())
    })
}

impl Complaint<'_> {
    /// The problem of the place where the parser stopped.
    fn here(&self, message: &str) -> Problem {
        self.syntax(message, self.line, self.column)
    }

    /// Explains errors that have their own variant in the parser's error type.
    fn kind_of(&self, error: &serde_yaml::Error) -> Option<Problem> {
        use serde_yaml::Error;
        Some(match error {
            Error::AliasError { error, .. } => return self.kind_of(error),
            Error::DuplicateMappingKey { key: Some(key), .. } => self.duplicate_key(key),
            _ if self.words.contains("Depth") || self.words.contains("recursion limit") => self
                .here("the brackets and blocks here are nested too deeply")
                .hint(
                    "a page needs no more than ten levels; look for brackets that are never closed",
                ),
            Error::Budget { .. }
            | Error::AliasReplayCounterOverflow { .. }
            | Error::AliasReplayLimitExceeded { .. }
            | Error::AliasExpansionLimitExceeded { .. }
            | Error::AliasReplayStackDepthExceeded { .. }
            | Error::RecursiveReferencesRequireWeakTypes { .. } => Problem::error(
                Code::AliasBomb,
                "the aliases in the file expand to too much data",
            )
            .at(self.place(self.line, self.column))
            .hint("write the values out instead of `&anchor` and `*alias`"),
            Error::UnsupportedTag { tag, .. } => {
                let line = self.text(self.line);
                let at = line.find(tag.as_str()).unwrap_or(value_at(line));
                let place = self.place(self.line, line[..at].chars().count() + 1);
                no_tags(tag, &line[at..]).at(widen(place, tag.chars().count()))
            }
            Error::UnknownAnchor { .. } => {
                let line = self.text(self.line);
                let at = byte_of(line, self.column);
                let name = line[at..]
                    .split([' ', ',', ']', '}'])
                    .next()
                    .unwrap_or_default();
                let value = if at == value_at(line) {
                    without_comment(&line[at..])
                } else {
                    name
                };
                let anchor = name.strip_prefix('*').unwrap_or(name);
                let message = if anchor.chars().all(char::is_alphanumeric) {
                    format!("`{name}` refers to the anchor `&{anchor}`, which does not exist")
                } else {
                    "a value cannot begin with `*`".to_owned()
                };
                self.here(&message).hint(format!(
                    "text that begins with `*` needs quotes: {}",
                    quoted(value)
                ))
            }
            Error::NullIntoString { .. } => self
                .here("a key must be a name, but this one is null")
                .hint("write a name, or put the key in quotes"),
            Error::Unexpected {
                expected: "string scalar",
                ..
            } => self
                .here("a key must be plain text")
                .hint("text that begins with `[` or `{` needs quotes"),
            Error::MergeValueNotMapOrSeqOfMaps { .. } => self
                .here("`<<` takes a block of keys")
                .hint("write the keys out instead of `<<`"),
            Error::MultipleDocuments { .. } => {
                let at = self
                    .lines
                    .iter()
                    .take(self.line)
                    .rposition(|text| text.starts_with("---") || text.starts_with("..."))
                    .map_or(self.line, |at| at + 1);
                self.syntax("the file contains a second document", at, 1)
                    .hint(format!("remove this line (`{}`)", self.text(at).trim()))
            }
            _ => return None,
        })
    }

    fn duplicate_key(&self, key: &str) -> Problem {
        let problem = Problem::error(
            Code::DuplicateKey,
            format!("the key `{key}` appears twice in one block"),
        )
        .at(widen(
            self.place(self.line, self.column),
            key.chars().count(),
        ));
        let Some((earlier, begins_item)) = self.earlier(key) else {
            return problem.hint("remove one of the two");
        };
        let earlier = format!("it is already on line {}", self.first_line + earlier);
        problem.hint(match key {
            "kind" if begins_item => format!("{earlier}; begin a new section with `- kind:`"),
            _ if begins_item => {
                format!("{earlier}; remove one of the two, or begin a new item with `- {key}:`")
            }
            _ => format!("{earlier}; remove one of the two"),
        })
    }

    /// Finds an earlier line of the same block with the same key. Also returns whether it begins a list item.
    fn earlier(&self, key: &str) -> Option<(usize, bool)> {
        for line in (1..self.line).rev() {
            let text = self.text(line);
            if text.trim().is_empty() || text.trim_start().starts_with('#') {
                continue;
            }
            let column = key_at(text) + 1;
            if column == self.column {
                let rest = text[column - 1..].trim_start_matches(['"', '\'']);
                let rest = rest
                    .strip_prefix(key)
                    .map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
                if rest.is_some_and(|rest| rest.starts_with(':')) {
                    return Some((line, indent(text) + 1 < column));
                }
            }
            if indent(text) + 1 < self.column {
                return None;
            }
        }
        None
    }

    /// An invisible control character.
    fn control_character(&self) -> Option<Problem> {
        let text = self.text(self.line);
        let at = text.chars().position(|c| c.is_control() && c != '\t')?;
        let code = u32::from(text.chars().nth(at)?);
        if !self.words.contains("unexpected character") {
            return None;
        }
        let problem = self.syntax(
            format!("an invisible control character (U+{code:04X}) is not allowed"),
            self.line,
            at + 1,
        );
        Some(problem.hint("delete it, or retype the line"))
    }

    /// `%` at the beginning of a line is a YAML directive.
    fn directive(&self) -> Option<Problem> {
        if !self.words.contains("directive") && !self.words.contains("<document start>") {
            return None;
        }
        let at = self
            .lines
            .iter()
            .take(self.line)
            .rposition(|text| text.starts_with('%'))?;
        let problem = self.syntax("a line cannot begin with `%`", at + 1, 1);
        Some(problem.hint("put the key in quotes, or remove the line"))
    }

    /// Characters that have a special meaning at the beginning of a value.
    fn first_character(&self) -> Option<Problem> {
        let text = self.text(self.line);
        let at = byte_of(text, self.column);
        let first = text[at..]
            .chars()
            .next()
            .filter(|first| "%@`,?-|>&*!]}".contains(*first))?;
        let shown = if first == '`' {
            "a backtick".to_owned()
        } else {
            format!("`{first}`")
        };
        if at != value_at(text) {
            let unexpected = self.words.contains("unexpected character");
            return unexpected.then(|| {
                let problem = self.syntax(
                    format!("{shown} is not allowed here"),
                    self.line,
                    self.column,
                );
                problem.hint("put the text with this character in quotes")
            });
        }
        let value = without_comment(&text[at..]);
        let quoted = quoted(value);
        let (message, hint) = match first {
            '|' | '>' if value.len() > 1 => (
                format!("text follows {shown} on the same line"),
                format!("begin the text on the next line, or put it in quotes: {quoted}"),
            ),
            '-' => (
                "a list cannot begin on the same line as its key".to_owned(),
                format!("begin the list on the next line, or put the text in quotes: {quoted}"),
            ),
            _ => (
                format!("a value cannot begin with {shown}"),
                format!("put it in quotes: {quoted}"),
            ),
        };
        Some(self.syntax(message, self.line, self.column).hint(hint))
    }

    /// `{product.name} at home`
    fn placeholder(&self) -> Option<Problem> {
        let text = self.text(self.line);
        let value = without_comment(&text[value_at(text)..]);
        let cut_short = value.starts_with(['{', '[']) && !value.ends_with(['}', ']']);
        (cut_short && self.words.contains("expected key")).then(|| {
            let first = &value[..1];
            self.syntax(sentence(&self.words), self.line, self.column)
                .hint(format!(
                    "a value that begins with `{first}` needs quotes: {}",
                    quoted(value)
                ))
        })
    }

    /// `title: Home: the best one`
    fn colon_in_value(&self) -> Option<Problem> {
        let text = self.text(self.line);
        let value = without_comment(&text[value_at(text)..]);
        let holds = value.contains(": ") || value.len() > 1 && value.ends_with(':');
        (holds && !self.at_first_colon() && self.words.contains("mapping values are not allowed"))
            .then(|| {
                self.syntax(sentence(&self.words), self.line, self.column)
                    .hint(format!(
                        "a value that contains `: ` needs quotes: {}",
                        quoted(value)
                    ))
            })
    }

    fn fallback(&self) -> Problem {
        let problem = self.syntax(sentence(&self.words), self.line, self.column);
        if self.words.contains("'-' indicator") {
            return problem.hint("begin the line with `- `, or indent it like its neighbors");
        }
        if self.words.contains("flow") {
            return problem
                .hint("put a comma between two items, and quotes around text that contains brackets or `: `");
        }
        if self.words.contains("comments must be separated") {
            return problem.hint("put a space before `#`, or quotes around the text");
        }
        if ["expected key", "indicator", "indent"]
            .iter()
            .any(|word| self.words.contains(word))
        {
            return problem
                .hint("indent this line like its neighbors, with two spaces for each level");
        }
        problem.hint(
            "check this line and the one above: is something indented too far, or not in quotes?",
        )
    }
}

/// The error for a tag. `value` is the rest of its line.
pub(super) fn no_tags(tag: &str, value: &str) -> Problem {
    Problem::error(
        Code::YamlSyntax,
        format!("a value cannot begin with `!`: `{tag}` is a tag, but tags are not supported"),
    )
    .hint(format!("put it in quotes: {}", quoted(value.trim())))
}

fn widen(mut place: Place, columns: usize) -> Place {
    if let Some(range) = &mut place.range {
        range.end.column = range.start.column + u32::try_from(columns).unwrap_or(1);
    }
    place
}

/// A value without a trailing comment.
fn without_comment(value: &str) -> &str {
    value.split(" #").next().unwrap_or_default().trim_end()
}
