//! Explains errors in indentation, tabs and missing colons.

use crate::problem::{Code, Problem};

use super::complaint::{Complaint, indent, key_at, sentence};

impl Complaint<'_> {
    /// A tab that indents a line near the reported position.
    pub fn tab(&self) -> Option<Problem> {
        let about_tabs = self.words.contains("tab");
        let near = self.line..=if about_tabs {
            self.lines.len()
        } else {
            self.line
        };
        near.into_iter().find_map(|line| {
            let text = self.text(line);
            let at = text[..indent(text)].find('\t')?;
            // A tab is allowed inside a block scalar, but not before a key or a list item.
            (about_tabs || looks_like_entry(text.trim_start())).then(|| {
                Problem::error(
                    Code::TabIndent,
                    "this line is indented with a tab, but YAML allows only spaces",
                )
                .at(self.place(line, at + 1))
                .hint("replace each tab with two spaces")
            })
        })
    }

    /// `title:ZZ page`, `title = ZZ`, `title`
    pub fn missing_colon(&self) -> Option<Problem> {
        let expected = self.words.contains("simple key expected");
        if !expected && !self.words.contains("mapping values are not allowed") {
            return None;
        }
        if !expected && !self.at_first_colon() {
            return None;
        }
        let line = if expected {
            self.line
        } else {
            self.before(self.line)?
        };
        let text = self.text(line);
        let entry = text[key_at(text)..].trim_end();
        let name = entry
            .split(|c: char| !is_name(c))
            .next()
            .filter(|name| !name.is_empty());
        let rest = name.map_or("", |name| &entry[name.len()..]);
        let column = text[..key_at(text)].chars().count() + 1;
        if let (Some(name), Some(value)) = (name, rest.strip_prefix(':'))
            && !value.is_empty()
            && !value.starts_with(' ')
            && !value.starts_with("//")
        {
            let problem = self.syntax(
                "a space is missing after the colon",
                line,
                column + name.chars().count(),
            );
            return Some(problem.hint(format!("write `{name}: {value}`")));
        }
        if let (Some(name), Some(value)) = (name, rest.trim_start().strip_prefix('=')) {
            let problem = self.syntax("a key is followed by a colon, not by `=`", line, column);
            return Some(problem.hint(format!(
                "write `{name}: {}`",
                value.trim_start_matches('=').trim()
            )));
        }
        if !expected {
            return None;
        }
        let above = self
            .before(line)
            .map(|above| self.text(above).trim())
            .unwrap_or_default();
        let hint = if above.ends_with(['|', '>']) {
            format!("indent the text below `{above}` by two more spaces than its key")
        } else if Some(entry) == name {
            format!("write `{entry}: …`, or indent the line to continue the text above")
        } else {
            "write `key: value`, or indent the line to continue the text above".into()
        };
        Some(self.syntax(sentence(&self.words), line, column).hint(hint))
    }

    /// A line whose indentation does not match its neighbors.
    pub fn indent(&self) -> Option<Problem> {
        if self.words.contains("<document start>") {
            let first = (1..self.line).find(|line| !self.text(*line).trim().is_empty())?;
            let own = indent(self.text(first));
            return (own > indent(self.text(self.line))).then(|| {
                let message = format!(
                    "this line is indented with {}, but line {} is indented less",
                    spaces(own),
                    self.first_line + self.line
                );
                self.syntax(message, first, own + 1)
                    .hint("begin the file's keys at the left edge")
            });
        }
        let mapping = self.words.contains("mapping values are not allowed");
        if !mapping && !self.words.contains("expected key") && !self.words.contains("'-' indicator")
        {
            return None;
        }
        if let Some(problem) = self.first_of_block() {
            return Some(problem);
        }
        let text = self.text(self.line);
        let (own, before) = (indent(text), self.before(self.line)?);
        let above = self.text(before);
        let goes_on =
            mapping || self.words.contains("expected key") && !above.trim_end().ends_with(':');
        if goes_on && own > key_at(above) {
            if is_item(above) && indent(above) % 2 == 1 && own % 2 == 0 {
                let wanted = own - 2;
                let message = format!(
                    "this list item is indented with {}, but its keys are indented with {}",
                    spaces(indent(above)),
                    own
                );
                let problem = self.syntax(message, before, indent(above) + 1);
                return Some(problem.hint(format!("indent it with {}", spaces(wanted))));
            }
            let hint = format!(
                "indent this line like the one above ({} instead of {own})",
                spaces(key_at(above))
            );
            return Some(
                self.syntax(sentence(&self.words), self.line, self.column)
                    .hint(hint),
            );
        }
        let neighbor = (1..self.line)
            .rev()
            .map(|line| self.text(line))
            .find(|other| {
                !other.trim().is_empty()
                    && is_item(other) == is_item(text)
                    && indent(other).abs_diff(own) == 1
            })?;
        let what = if is_item(text) { "list item" } else { "line" };
        let message = format!(
            "this {what} is indented with {}, but the ones above are indented with {}",
            spaces(own),
            indent(neighbor)
        );
        Some(
            self.syntax(message, self.line, own + 1)
                .hint(format!("indent it with {}", spaces(indent(neighbor)))),
        )
    }

    /// A block whose first line is indented farther than the others, or as the line above it: the parser complains about
    /// a line that is right.
    fn first_of_block(&self) -> Option<Problem> {
        let text = self.text(self.line);
        let own = indent(text);
        let before = self.before(self.line)?;
        if self.words.contains("mapping values are not allowed") {
            let (above, parent) = (self.text(before), self.before(before)?);
            let opens = self.text(parent).trim_end().ends_with(':')
                && indent(self.text(parent)) == indent(above);
            let is_first = opens && !is_item(above) && indent(above) < own && self.at_first_colon();
            return is_first.then(|| {
                let [key, other] = [before, parent]
                    .map(|line| self.text(line).trim().split(':').next().unwrap_or_default());
                let message = format!(
                    "`{key}` is indented like `{other}:` above it, but the lines below are indented further"
                );
                let problem = self.syntax(message, before, indent(above) + 1);
                problem.hint(format!("indent it with {}", spaces(own)))
            });
        }
        if !self.words.contains("expected key") || is_item(text) || own == 0 {
            return None;
        }
        let parent = (1..self.line).rev().find(|line| {
            let other = self.text(*line);
            let is_text = !other.trim().is_empty() && !other.trim_start().starts_with('#');
            is_text && indent(other) < own
        })?;
        let first = (parent + 1..self.line).find(|line| {
            let other = self.text(*line).trim();
            !other.is_empty() && !other.starts_with('#')
        })?;
        let wrong = indent(self.text(first));
        (self.text(parent).trim_end().ends_with(':') && wrong > own && !is_item(self.text(first)))
            .then(|| {
                let message = format!(
                    "this line is indented with {}, but line {}, in the same block, is indented with {own}",
                    spaces(wrong),
                    self.first_line + self.line
                );
                self.syntax(message, first, wrong + 1)
                    .hint(format!("indent it with {}", spaces(own)))
            })
    }

    /// The nearest line above that is neither blank nor a comment.
    fn before(&self, line: usize) -> Option<usize> {
        (1..line).rev().find(|line| {
            let text = self.text(*line).trim();
            !text.is_empty() && !text.starts_with('#')
        })
    }
}

fn spaces(count: usize) -> String {
    match count {
        0 => "no spaces".into(),
        1 => "1 space".into(),
        _ => format!("{count} spaces"),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

fn is_item(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("- ") || line == "-"
}

fn looks_like_entry(line: &str) -> bool {
    line.starts_with("- ")
        || line.split_once(':').is_some_and(|(key, rest)| {
            (rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
                && !key.is_empty()
                && key.chars().all(is_name)
        })
}
