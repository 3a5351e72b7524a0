//! The text of a document, and positions in it. The protocol counts columns in UTF-16 units.

use std::ops::Range;
use std::sync::Arc;

use lsp_types::{Position, TextDocumentContentChangeEvent};

/// A text with the starts of its lines.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub text: Arc<str>,
    lines: Vec<usize>,
}

impl Text {
    pub fn new(text: impl Into<Arc<str>>) -> Text {
        let text = text.into();
        let lines = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Text { text, lines }
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line without its end; empty behind the last one.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = self.lines.get(line) else {
            return "";
        };
        let end = self
            .lines
            .get(line + 1)
            .map_or(self.text.len(), |next| next - 1);
        self.text[start..end].trim_end_matches('\r')
    }

    /// The offset at which a line begins.
    pub fn start_of(&self, line: usize) -> usize {
        self.lines.get(line).copied().unwrap_or(self.text.len())
    }

    /// The byte offset of a position. A position behind the end of a line or of the text is its end.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let mut units = position.character as usize;
        let text = self.line(line);
        let column = text.char_indices().find(|(_, c)| {
            let is_here = units < c.len_utf16();
            units = units.saturating_sub(c.len_utf16());
            is_here
        });
        self.start_of(line) + column.map_or(text.len(), |(at, _)| at)
    }

    /// The position of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let before = self.text.get(self.lines[line]..offset).unwrap_or_default();
        position(line, before)
    }

    pub fn range(&self, range: Range<usize>) -> lsp_types::Range {
        lsp_types::Range {
            start: self.position(range.start),
            end: self.position(range.end),
        }
    }

    /// The position of a line and column as problems have them: from 1, in characters.
    pub fn of_problem(&self, at: diagnostics::problem::Position) -> Position {
        let line = (at.line as usize).saturating_sub(1);
        let text = self.line(line);
        let column = (at.column as usize).saturating_sub(1);
        let end = text
            .char_indices()
            .nth(column)
            .map_or(text.len(), |(at, _)| at);
        position(line, &text[..end])
    }

    /// The text after an edit; without a range, the edit is the whole text.
    pub fn edited(&self, edit: &TextDocumentContentChangeEvent) -> Text {
        let Some(range) = edit.range else {
            return Text::new(edit.text.as_str());
        };
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        Text::new([&self.text[..start], &edit.text, &self.text[end..]].concat())
    }
}

fn position(line: usize, before: &str) -> Position {
    let units = before.chars().map(char::len_utf16).sum::<usize>();
    Position {
        line: small(line),
        character: small(units),
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16_units() {
        let text = Text::new("a\n😀é: x\r\nlast");
        let at = |line, character| Position { line, character };
        for (offset, position) in [
            (0, at(0, 0)),
            (2, at(1, 0)),
            (6, at(1, 2)),
            (8, at(1, 3)),
            (13, at(2, 0)),
        ] {
            assert_eq!(text.position(offset), position, "{offset}");
            assert_eq!(text.offset(position), offset, "{position:?}");
        }
        assert_eq!(text.offset(at(1, 1)), 2, "inside of a character");
        assert_eq!(text.offset(at(1, 99)), 11, "behind the end of a line");
        assert_eq!(text.offset(at(9, 0)), text.text.len());
        assert_eq!(
            text.of_problem(diagnostics::problem::Position { line: 2, column: 3 }),
            at(1, 3)
        );
    }

    #[test]
    fn edits_are_applied() {
        let text = Text::new("one\ntwo\n");
        let range = |a: (u32, u32), b: (u32, u32)| lsp_types::Range {
            start: Position {
                line: a.0,
                character: a.1,
            },
            end: Position {
                line: b.0,
                character: b.1,
            },
        };
        let edit = |range, text: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: text.into(),
        };
        assert_eq!(
            &*text.edited(&edit(Some(range((0, 1), (1, 1))), "X")).text,
            "oXwo\n"
        );
        assert_eq!(&*text.edited(&edit(None, "new")).text, "new");
        assert_eq!(
            &*text.edited(&edit(Some(range((9, 0), (3, 0))), "!")).text,
            "one\ntwo\n!"
        );
    }
}
