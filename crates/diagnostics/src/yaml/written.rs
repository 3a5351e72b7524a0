//! The text of a value together with where each of its characters is written, so that a text can be corrected in its
//! file: without the quotes, escapes and indentation of YAML, but at their places.

use std::ops::Range;

use crate::problem::{Source, Span};

use super::node::{Node, Value};

/// A text, and the bytes of the file that each of its bytes comes from.
#[derive(Debug)]
pub struct Written {
    /// The text. Lines of a folded text are still separate.
    pub text: String,
    /// By byte of the text: the range of the file.
    places: Vec<Range<usize>>,
    takes_escapes: bool,
}

impl Written {
    /// The text of a node. `None` if it is not a text, if it is an alias, whose text is written elsewhere, or if it is
    /// written in a way that this module does not know.
    pub fn of(source: &Source, node: &Node) -> Option<Written> {
        let Value::Text(expected) = &node.value else {
            return None;
        };
        if node.span != node.defined || node.span == Span::COMMAND_LINE {
            return None;
        }
        let (start, end) = (node.span.start as usize, node.span.end as usize);
        let raw = source.text.get(start..end)?;
        let mut written = Written {
            text: String::new(),
            places: Vec::new(),
            takes_escapes: false,
        };
        let header = source.text[..start].trim_end();
        match raw.as_bytes().first()? {
            b'"' => written.quoted(source, start + 1..end.checked_sub(1)?, '"')?,
            b'\'' => written.quoted(source, start + 1..end.checked_sub(1)?, '\'')?,
            b'|' | b'>' => written.block(source, start + raw.find('\n')? + 1..end),
            _ if header.len() < start
                && source.text[header.len()..start].contains('\n')
                && header.lines().next_back().is_some_and(is_header) =>
            {
                written.block(
                    source,
                    header.len() + source.text[header.len()..].find('\n')? + 1..end,
                );
            }
            _ => written.quoted(source, start..end, '\0')?,
        }
        // Whatever was not understood is left alone.
        written
            .text
            .split_whitespace()
            .eq(expected.split_whitespace())
            .then_some(written)
    }

    /// The place of a range of the text in the file.
    pub fn span(&self, range: Range<usize>) -> Span {
        let start = self.places.get(range.start).map(|place| place.start);
        let start = start
            .or(self.places.last().map(|place| place.end))
            .unwrap_or(0);
        let last = self
            .places
            .get(range.end.wrapping_sub(1))
            .filter(|_| !range.is_empty());
        Span::new(start, last.map_or(start, |place| place.end))
    }

    /// A new part of this text as it must be written in the file.
    pub fn escaped(&self, text: &str) -> String {
        if self.takes_escapes {
            text.replace('\u{a0}', "\\u00A0")
        } else {
            text.to_owned()
        }
    }

    fn push(&mut self, c: char, place: Range<usize>) {
        self.text.push(c);
        self.places.extend(std::iter::repeat_n(place, c.len_utf8()));
    }

    /// A text in quotes, or a plain one if `quote` is NUL. Line breaks are folded: indentation is not part of it.
    fn quoted(&mut self, source: &Source, range: Range<usize>, quote: char) -> Option<()> {
        self.takes_escapes = quote == '"';
        let text = source.text.get(range.clone())?;
        let mut rest = text
            .char_indices()
            .map(|(at, c)| (range.start + at, c))
            .peekable();
        while let Some((at, c)) = rest.next() {
            let mut end = at + c.len_utf8();
            let mut written = c;
            if c == '\n' {
                while let Some((next, blank)) = rest.next_if(|(_, c)| c.is_ascii_whitespace()) {
                    end = next + blank.len_utf8();
                }
            } else if c == '\'' && quote == '\'' {
                let (next, second) = rest.next()?;
                end = next + second.len_utf8();
            } else if c == '\\' && quote == '"' {
                let (next, escape) = rest.next()?;
                end = next + escape.len_utf8();
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                written = match escape {
                    'n' => '\n',
                    't' => '\t',
                    '_' => '\u{a0}',
                    '\n' => {
                        while rest.next_if(|(_, c)| c.is_ascii_whitespace()).is_some() {}
                        continue;
                    }
                    _ if digits > 0 => {
                        let code = source.text.get(end..end + digits)?;
                        end += digits;
                        rest.nth(digits - 1);
                        char::from_u32(u32::from_str_radix(code, 16).ok()?)?
                    }
                    other => other,
                };
            }
            self.push(written, at..end);
        }
        Some(())
    }

    /// A block of lines below `|` or `>`.
    fn block(&mut self, source: &Source, range: Range<usize>) {
        let Some(text) = source.text.get(range.clone()) else {
            return;
        };
        let indent = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches(' ').len())
            .min()
            .unwrap_or(0);
        let mut start = range.start;
        for line in text.split_inclusive('\n') {
            let skipped = indent.min(line.len() - line.trim_start_matches(' ').len());
            for (at, c) in line.char_indices().skip_while(|(at, _)| *at < skipped) {
                self.push(c, start + at..start + at + c.len_utf8());
            }
            start += line.len();
        }
        self.join_lines();
    }

    /// Lets a line break include the indentation that follows it, so that a part of two lines is one piece of the file.
    fn join_lines(&mut self) {
        for at in 0..self.places.len().saturating_sub(1) {
            if self.text.as_bytes()[at] == b'\n' {
                self.places[at].end = self.places[at + 1].start;
            }
        }
    }
}

/// Tells whether a line ends with the head of a literal or folded text.
fn is_header(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    line.strip_suffix(['|', '>'])
        .is_some_and(|before| before.ends_with(' '))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::problem::Source;
    use crate::yaml;

    use super::Written;

    /// Corrects `wrong` in the value of `a`, which must be written as `text`, and compares the whole file.
    fn check(yaml: &str, text: &str, wrong: &str, right: &str, expect: &str) {
        let source = Arc::new(Source::new("a.yaml".into(), yaml.into()));
        let node = yaml::parse(&source, 0..yaml.len()).expect("valid YAML");
        let written = Written::of(&source, node.get("a").expect("a value")).expect("a text");
        assert_eq!(written.text, text, "{yaml}");
        let at = text.find(wrong).expect("the mistake");
        let span = written.span(at..at + wrong.len());
        let mut corrected = yaml.to_owned();
        corrected.replace_range(
            span.start as usize..span.end as usize,
            &written.escaped(right),
        );
        assert_eq!(corrected, expect);
    }

    #[test]
    fn a_plain_text() {
        check(
            "b: 1\na: it's 5 %  # yes\nc: 2\n",
            "it's 5 %",
            "'",
            "’",
            "b: 1\na: it’s 5 %  # yes\nc: 2\n",
        );
        check(
            "a: one\n  it's\nc: 2\n",
            "one\nit's",
            "e\nit'",
            "e it’",
            "a: one it’s\nc: 2\n",
        );
    }

    #[test]
    fn a_text_in_quotes() {
        check("a: 'it''s 5 %'\n", "it's 5 %", "'", "’", "a: 'it’s 5 %'\n");
        check(
            r#"a: "say \"5 %\" é""#,
            "say \"5 %\" é",
            "\"5 %\"",
            "“5\u{a0}%”",
            r#"a: "say “5\u00A0%” é""#,
        );
        check(
            r#"{a: "5\u00A0% x", b: c}"#,
            "5\u{a0}% x",
            "\u{a0}",
            "",
            r#"{a: "5% x", b: c}"#,
        );
    }

    #[test]
    fn a_block_of_lines() {
        let block = "b: 1\na: |\n  # Head\n\n      code\n  it's\n  5\n  %\nc: 2\n";
        let text = "# Head\n\n    code\nit's\n5\n%\n";
        check(
            block,
            text,
            "5\n%",
            "5\u{a0}%",
            "b: 1\na: |\n  # Head\n\n      code\n  it's\n  5\u{a0}%\nc: 2\n",
        );
        let folded = "l:\n- a: x\na: >-\n  one\n  it's\n";
        check(
            folded,
            "one\nit's\n",
            "'",
            "’",
            "l:\n- a: x\na: >-\n  one\n  it’s\n",
        );
    }
}
