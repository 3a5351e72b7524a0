//! Source files, and spans in them.

use super::{Place, Position, Range};

/// The byte range `start..end` of a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span of a value from the command line.
    pub const COMMAND_LINE: Span = Span { start: u32::MAX, end: u32::MAX };

    /// Creates a span from byte offsets, which fit into 32 bits because larger files are rejected when read.
    #[expect(clippy::cast_possible_truncation, reason = "files are limited to far less than 4 GiB when they are read")]
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }
}

/// A content file with its path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Path relative to the site's folder, with forward slashes; or `--set` for a value from the command line.
    pub path: String,
    /// The unmodified text, with its line endings and without a byte-order mark.
    pub text: String,
}

impl Source {
    /// The place of a span.
    pub fn place(&self, span: Span) -> Place {
        if span == Span::COMMAND_LINE {
            return Place::file("--set");
        }
        let start = self.floor(span.start as usize);
        let end = self.floor(span.end as usize).max(start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let end = end.min(line_start + line.len()).max(start);
        let start_position = self.position(start);
        let end_position = self.position(end.max(start));
        Place {
            path: self.path.clone(),
            range: Some(Range { start: start_position, end: end_position.max(start_position) }),
            line_text: Some(line.to_owned()),
        }
    }

    /// The place of a line and column. Both start at 1; the column counts characters.
    pub fn place_at(&self, line: usize, column: usize) -> Place {
        let line_start: usize = self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let column_bytes: usize = self.text[line_start..]
            .chars()
            .take_while(|c| *c != '\n')
            .take(column.saturating_sub(1))
            .map(char::len_utf8)
            .sum();
        let start = line_start + column_bytes;
        self.place(Span::new(start, start + 1))
    }

    /// The first occurrence of `needle` in `within`, or all of `within`. It locates a link inside a long text.
    pub fn locate(&self, within: Span, needle: &str) -> Span {
        let (start, end) = (self.floor(within.start as usize), self.floor(within.end as usize));
        match self.text.get(start..end).and_then(|text| text.find(needle)) {
            Some(at) if !needle.is_empty() => Span::new(start + at, start + at + needle.len()),
            _ => within,
        }
    }

    fn position(&self, offset: usize) -> Position {
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line_start..].chars().count() + 1),
        }
    }

    /// The nearest character boundary at or before an offset, so that an invalid span does not panic.
    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, span: (usize, usize), line: u32, column: u32, line_text: &str) {
        let source = Source { path: "a".into(), text: text.into() };
        let place = source.place(Span::new(span.0, span.1));
        let range = place.range.expect("a range");
        assert_eq!((range.start.line, range.start.column, place.line_text.as_deref()), (line, column, Some(line_text)));
    }

    #[test]
    fn columns_count_characters() {
        check("título: «x»\n", (9, 11), 1, 9, "título: «x»");
    }

    #[test]
    fn carriage_returns_are_not_part_of_the_line() {
        check("a: 1\r\nb: 2\r\n", (6, 7), 2, 1, "b: 2");
    }

    #[test]
    fn a_span_past_the_end_is_the_end() {
        check("a", (90, 99), 1, 2, "a");
    }

    #[test]
    fn a_span_inside_a_character_is_moved_to_its_start() {
        check("é", (1, 1), 1, 1, "é");
    }
}
