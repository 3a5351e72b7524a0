//! Explains errors in quotes and brackets: unclosed, or closed too early.

use crate::problem::{Code, Problem};

use super::complaint::{Complaint, byte_of, indent, value_at};

/// Quotes a text for use as a value.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', '\\']) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        format!("\"{text}\"")
    }
}

impl Complaint<'_> {
    /// A quote that is never closed or closed too early, or an invalid escape.
    pub fn quote(&self) -> Option<Problem> {
        if self.words.contains("trailing content after") {
            return Some(self.after_the_quote());
        }
        if self.words.contains("escape character") || self.words.contains("hexadecimal") {
            return Some(self.backslash());
        }
        if self.words.contains("unclosed quote") {
            let text = self.text(self.line);
            let quote = if text[byte_of(text, self.column)..].starts_with('\'') {
                '\''
            } else {
                '"'
            };
            return Some(self.unclosed(self.line, self.column, quote));
        }
        self.words
            .contains("quoted")
            .then(|| self.open_quote(self.line))?
    }

    fn unclosed(&self, line: usize, column: usize, quote: char) -> Problem {
        Problem::error(
            Code::UnclosedQuote,
            format!("the text that begins with `{quote}` here is never closed"),
        )
        .at(self.place(line, column))
        .hint(format!("add `{quote}` at the end of the text"))
    }

    /// The last line at or before `line` whose value opens a quote and does not close it.
    fn open_quote(&self, line: usize) -> Option<Problem> {
        self.lines
            .iter()
            .enumerate()
            .take(line)
            .rev()
            .find_map(|(index, text)| {
                let at = value_at(text);
                let quote = text[at..]
                    .chars()
                    .next()
                    .filter(|first| matches!(first, '"' | '\''))?;
                let mut escaped = false;
                let mut open = true;
                for c in text[at + 1..].chars() {
                    match c {
                        '\\' if quote == '"' => escaped = !escaped,
                        c if c == quote && !escaped => open = !open,
                        _ => escaped = false,
                    }
                }
                open.then(|| self.unclosed(index + 1, text[..at].chars().count() + 1, quote))
            })
    }

    /// `'it's'`, `"say "hi" now"`, `"ZZ" page`
    fn after_the_quote(&self) -> Problem {
        let text = self.text(self.line);
        let (at, value_at) = (byte_of(text, self.column), value_at(text));
        // A closing quote at the start of a value is really an opening one: an earlier quote was not closed.
        if text[..at].trim_end().len() == value_at + 1
            && let Some(problem) = self.open_quote(self.line - 1)
        {
            return problem;
        }
        if let Some(problem) = self.swallowed_key(text, value_at, at) {
            return problem;
        }
        let problem = self.syntax("text follows the closing quote", self.line, self.column);
        let value = text[value_at..].trim_end();
        let quote = value
            .chars()
            .next()
            .filter(|first| matches!(first, '"' | '\''));
        let inner = quote.and_then(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        problem.hint(match (quote, inner) {
            (Some('\''), Some(inner)) => {
                format!(
                    "write an apostrophe inside single quotes twice (`'{}'`), or use double quotes",
                    inner.replace('\'', "''")
                )
            }
            (Some('\''), None) if text[..at].ends_with('\'') => {
                "write an apostrophe inside single quotes twice (`it''s`), or use double quotes"
                    .into()
            }
            (Some('"'), Some(inner)) => {
                format!(
                    "write `\\\"` for a quote inside double quotes, or use single quotes: {}",
                    quoted(inner)
                )
            }
            (Some(_), None) => format!("put all of it in one pair of quotes: {}", quoted(value)),
            _ => "put all of the text in one pair of quotes".into(),
        })
    }

    /// `{en: "One, es: "Uno"}`: the text that ends before `at` holds a key, so its own quote is missing.
    fn swallowed_key(&self, text: &str, value_at: usize, at: usize) -> Option<Problem> {
        let value = text.get(value_at..at)?.trim_end();
        let quote = value
            .chars()
            .next_back()
            .filter(|last| matches!(last, '"' | '\''))?;
        let inner = value.strip_suffix(quote)?;
        let begin = inner
            .rfind(quote)
            .filter(|_| value.starts_with(['{', '[']))?;
        let (before, key) = inner[begin + 1..].rsplit_once(',')?;
        let name = key.split_once(':')?.0.trim();
        if name.is_empty()
            || !name
                .chars()
                .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        {
            return None;
        }
        let column = text[..value_at + begin].chars().count() + 1;
        let problem = self.unclosed(self.line, column, quote);
        Some(problem.hint(format!(
            "add `{quote}` before the comma: `{quote}{before}{quote}, {name}: …`"
        )))
    }

    /// `"C:\dir"`; the parser reports the opening quote, not the backslash.
    fn backslash(&self) -> Problem {
        let after = std::iter::once((self.line, self.column))
            .chain((self.line + 1..=self.lines.len()).map(|line| (line, 1)))
            .find_map(|(line, column)| Some((line, wrong_escape(self.text(line), column)?)));
        let (line, (column, escape)) = after.unwrap_or((self.line, (self.column, "\\".into())));
        self.syntax(
            format!("`{escape}` is not a valid escape in double quotes"),
            line,
            column,
        )
        .hint("write the backslash twice (`\\\\`), or use single quotes")
    }

    /// A bracket that is never closed, or an unmatched closing bracket.
    pub fn bracket(&self) -> Option<Problem> {
        let words = self.words.as_str();
        let here = self.text(self.line)[byte_of(self.text(self.line), self.column)..]
            .chars()
            .next();
        if words.contains("misplaced bracket") && self.column != self.value_column() {
            let bracket = here.filter(|c| matches!(c, ']' | '}'))?;
            let problem = self.syntax(
                format!("`{bracket}` has no opening bracket"),
                self.line,
                self.column,
            );
            return Some(problem.hint("remove it, or put the text in quotes"));
        }
        let direct = words.contains("unclosed bracket") || words.contains("mismatched bracket");
        let (line, column, bracket) = if direct {
            (self.line, self.column, here?)
        } else if words.contains("flow") || words.contains("illegal placement") {
            self.open_bracket()?
        } else {
            return None;
        };
        let (what, close) = if bracket == '[' {
            ("list", ']')
        } else {
            ("block", '}')
        };
        let message = format!("the {what} that begins with `{bracket}` here is never closed");
        let hint =
            format!("add `{close}` at its end; text that begins with `{bracket}` needs quotes");
        Some(self.syntax(message, line, column).hint(hint))
    }

    fn value_column(&self) -> usize {
        let text = self.text(self.line);
        text[..value_at(text)].chars().count() + 1
    }

    /// The innermost bracket that is open at the reported position.
    fn open_bracket(&self) -> Option<(usize, usize, char)> {
        let mut open: Vec<(usize, usize, char)> = Vec::new();
        let mut quote: Option<char> = None;
        let mut block_of_text: Option<usize> = None;
        for (index, text) in self.lines.iter().enumerate().take(self.line) {
            if block_of_text.is_some_and(|outer| text.trim().is_empty() || indent(text) > outer) {
                continue;
            }
            block_of_text = None;
            let mut from = 0;
            if open.is_empty() {
                from = value_at(text);
                let value = &text[from..];
                if value.starts_with(['|', '>']) {
                    block_of_text = Some(indent(text));
                }
                if !value.starts_with(['[', '{']) {
                    continue;
                }
            }
            let mut before = ' ';
            let mut chars = text[from..].char_indices().peekable();
            while let Some((at, c)) = chars.next() {
                match (quote, c) {
                    // An escaped character in double quotes, and a quote in single ones, which is written twice.
                    (Some('"'), '\\') => drop(chars.next()),
                    (Some('\''), '\'') if chars.next_if(|(_, next)| *next == '\'').is_some() => {}
                    (Some(closing), c) if c == closing => quote = None,
                    (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',') => {
                        quote = Some(c);
                    }
                    (None, '#') if before == ' ' => break,
                    (None, '[' | '{') => {
                        open.push((index + 1, text[..from + at].chars().count() + 1, c));
                    }
                    (None, ']' | '}') => {
                        open.pop();
                        if open.is_empty() {
                            break;
                        }
                    }
                    _ => {}
                }
                before = c;
            }
        }
        open.pop()
    }
}

/// The first invalid escape after a column: its column and its text.
fn wrong_escape(text: &str, column: usize) -> Option<(usize, String)> {
    let mut chars = text.chars().enumerate().skip(column.saturating_sub(1));
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            continue;
        }
        let Some((_, letter)) = chars.next() else {
            break;
        };
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let follow = text
            .chars()
            .skip(at + 2)
            .take(digits)
            .filter(char::is_ascii_hexdigit)
            .count();
        if follow < digits || digits == 0 && !"0abtnvfre \"/\\N_LP\t".contains(letter) {
            return Some((at + 1, format!("\\{letter}")));
        }
    }
    None
}
