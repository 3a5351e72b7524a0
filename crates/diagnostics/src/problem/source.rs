//! Source files, and spans in them.

use std::sync::OnceLock;

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
    pub const COMMAND_LINE: Span = Span {
        start: u32::MAX,
        end: u32::MAX,
    };

    /// Creates a span from byte offsets, which fit into 32 bits because larger files are rejected when read.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "files are limited to far less than 4 GiB when they are read"
    )]
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// From the first byte of this span and another one to the last.
    pub(crate) fn widened(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The same bytes behind some more.
    pub(crate) fn moved(self, by: usize) -> Span {
        Span::new(self.start as usize + by, self.end as usize + by)
    }
}

/// The separator between the files of a [`Source`]. No file that is read contains a control character.
const NEXT_FILE: &str = "\u{0}\u{1}";
/// Its first character, which is looked for in each file that has a problem: ten times as fast as the whole.
const NEXT: char = '\u{0}';

/// A content file with its path.
///
/// Several files can be one source ([`Source::followed_by`]), so that a value put together from all of them keeps one
/// kind of span, and each span still finds the file that it is in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Path relative to the site's folder, with forward slashes; or `--set` for a value from the command line.
    pub path: String,
    /// The unmodified text, with its line endings and without a byte-order mark.
    pub text: String,
    index: TextIndex,
}

impl Source {
    /// A file with its text.
    pub fn new(path: String, text: String) -> Source {
        Source {
            path,
            text,
            index: TextIndex::default(),
        }
    }

    /// This file and another one, as one source. The second value is the offset of the other file's text in it.
    #[must_use]
    pub fn followed_by(&self, other: &Source) -> (Source, usize) {
        let text = [
            self.text.as_str(),
            NEXT_FILE,
            &other.path,
            "\n",
            &other.text,
        ]
        .concat();
        let offset = text.len() - other.text.len();
        (Source::new(self.path.clone(), text), offset)
    }

    /// The paths of its files, this one first.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let others = self
            .text
            .split(NEXT_FILE)
            .skip(1)
            .filter_map(|file| file.split('\n').next());
        std::iter::once(self.path.as_str()).chain(others)
    }

    /// The byte ranges of its files that are YAML; of a Markdown file, its front matter.
    pub fn parts(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut at = 0;
        self.text
            .split(NEXT_FILE)
            .enumerate()
            .map(move |(number, file)| {
                let (path, text) = match file.split_once('\n') {
                    Some((path, text)) if number > 0 => (path, text),
                    _ => (self.path.as_str(), file),
                };
                let start = at + file.len() - text.len();
                at += file.len() + NEXT_FILE.len();
                let front = text.strip_prefix("---").filter(|_| path.ends_with(".md"));
                match front.and_then(|rest| Some((rest.find('\n')?, rest.find("\n---")?))) {
                    Some((first, end)) => start + 3 + first..start + 3 + end + 1,
                    None if path.ends_with(".md") => start..start,
                    None => start..start + text.len(),
                }
            })
    }

    /// The place of a span.
    pub fn place(&self, span: Span) -> Place {
        if span == Span::COMMAND_LINE {
            return Place::file("--set");
        }
        let start = self.floor(span.start as usize);
        let end = self.floor(span.end as usize).max(start);
        let marks = self.index.of(&self.text);
        let (path, file) = self.file_at(marks, start);
        let lines = marks.newlines.partition_point(|at| (*at as usize) < start);
        let lines_above = marks
            .newlines
            .partition_point(|at| (*at as usize) < file.start);
        let line_start = match lines {
            lines if lines > lines_above => marks.newlines[lines - 1] as usize + 1,
            _ => file.start,
        };
        let line_end = marks
            .newlines
            .get(lines)
            .map_or(file.end, |at| *at as usize);
        let line = &self.text[line_start..line_end.min(file.end)];
        let line = line.strip_suffix('\r').unwrap_or(line);
        let end = end.min(line_start + line.len()).max(start);
        let characters =
            |from: usize, to: usize| column_count(marks.characters(&self.text, from, to));
        let start_position = Position {
            line: column_count(lines - lines_above + 1),
            column: characters(line_start, start) + 1,
        };
        let end_position = Position {
            column: start_position.column + characters(start, end),
            ..start_position
        };
        let around = start - line_start;
        let from = floor(line, around.saturating_sub(LINE_PART));
        let to = floor(line, around + LINE_PART);
        Place {
            path: path.to_owned(),
            range: Some(Range {
                start: start_position,
                end: end_position.max(start_position),
            }),
            line_text: Some(line[from..to].to_owned()),
            line_from: characters(line_start, line_start + from),
        }
    }

    /// The path of the file that an offset is in, and the bytes of its text.
    fn file_at(&self, marks: &TextMarks, at: usize) -> (&str, std::ops::Range<usize>) {
        let next = marks.files.partition_point(|mark| (*mark as usize) < at);
        let end = |next: usize| {
            marks
                .files
                .get(next)
                .map_or(self.text.len(), |mark| *mark as usize)
        };
        let begun = next.checked_sub(1).and_then(|last| {
            let named = marks.files[last] as usize + NEXT_FILE.len();
            let (path, _) = self.text[named..].split_once('\n')?;
            Some((path, named + path.len() + 1))
        });
        let (path, start) = begun
            .filter(|(_, start)| *start <= at)
            .unwrap_or((&self.path, 0));
        (path, start..end(next).max(start))
    }

    /// The place of a line and column. Both start at 1; the column counts characters.
    pub fn place_at(&self, line: usize, column: usize) -> Place {
        let line_start = self.line_start(line);
        let column_bytes: usize = self.text[line_start..]
            .chars()
            .take_while(|c| *c != '\n')
            .take(column.saturating_sub(1))
            .map(char::len_utf8)
            .sum();
        let start = line_start + column_bytes;
        self.place(Span::new(start, start + 1))
    }

    /// The offset of a line, which starts at 1.
    fn line_start(&self, number: usize) -> usize {
        let newlines = &self.index.of(&self.text).newlines;
        number.checked_sub(2).map_or(0, |above| {
            newlines
                .get(above)
                .map_or(self.text.len(), |at| *at as usize + 1)
        })
    }

    /// The content of a line, which starts at 1, without blanks around it.
    pub fn line(&self, number: usize) -> Span {
        let start = self.line_start(number);
        let line = &self.text[start..self.line_start(number + 1)];
        let start = start + line.len() - line.trim_start().len();
        Span::new(start, start + line.trim().len())
    }

    /// The first occurrence of `needle` in `within`, or all of `within`. It locates a link inside a long text.
    pub fn locate(&self, within: Span, needle: &str) -> Span {
        let (start, end) = (
            self.floor(within.start as usize),
            self.floor(within.end as usize),
        );
        match self.text.get(start..end).and_then(|text| text.find(needle)) {
            Some(at) if !needle.is_empty() => Span::new(start + at, start + at + needle.len()),
            _ => within,
        }
    }

    /// The nearest character boundary at or before an offset, so that an invalid span does not panic.
    fn floor(&self, offset: usize) -> usize {
        floor(&self.text, offset)
    }
}

/// The bytes on each side of a place that a problem keeps of its line: a file may have one line and many problems.
const LINE_PART: usize = 1_000;

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Where the lines, characters and files of a [`Source`] are, so that the place of each problem is found without reading the
/// text again. It is made for the first one.
#[derive(Debug, Clone, Default)]
struct TextIndex(OnceLock<TextMarks>);

#[derive(Debug, Clone)]
struct TextMarks {
    /// The offsets of line feeds.
    newlines: Vec<u32>,
    /// The offsets of [`NEXT_FILE`].
    files: Vec<u32>,
    /// How many characters begin before each [`STEP`] bytes.
    characters: Vec<u32>,
}

/// Bytes after which the characters of a text are counted.
const STEP: usize = 4 << 10;

impl TextIndex {
    fn of(&self, text: &str) -> &TextMarks {
        self.0.get_or_init(|| {
            let offsets = |found: &mut dyn Iterator<Item = (usize, &str)>| {
                found.map(|(at, _)| column_count(at)).collect()
            };
            let mut count = 0;
            let characters = text.as_bytes().chunks(STEP).map(|bytes| {
                let before = column_count(count);
                count += begun(bytes);
                before
            });
            TextMarks {
                characters: characters.collect(),
                newlines: offsets(&mut text.match_indices('\n')),
                files: offsets(
                    &mut text
                        .match_indices(NEXT)
                        .filter(|(at, _)| text[*at..].starts_with(NEXT_FILE)),
                ),
            }
        })
    }
}

/// The index follows from the text.
impl PartialEq for TextIndex {
    fn eq(&self, _: &TextIndex) -> bool {
        true
    }
}

impl Eq for TextIndex {}

impl TextMarks {
    /// The number of characters from one boundary to another.
    fn characters(&self, text: &str, from: usize, to: usize) -> usize {
        let before = |at: usize| {
            let step = at / STEP;
            let counted = self.characters.get(step).map_or(0, |count| *count as usize);
            let start = if step < self.characters.len() {
                step * STEP
            } else {
                0
            };
            counted + begun(&text.as_bytes()[start..at])
        };
        before(to) - before(from)
    }
}

/// The number of characters that begin in some bytes.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// A number of lines or columns, as places have it.
fn column_count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, span: (usize, usize), line: u32, column: u32, line_text: &str) {
        let source = Source::new("a".into(), text.into());
        let place = source.place(Span::new(span.0, span.1));
        let range = place.range.expect("a range");
        assert_eq!(
            (
                range.start.line,
                range.start.column,
                place.line_text.as_deref()
            ),
            (line, column, Some(line_text))
        );
    }

    /// A file may have one line and 20,000 problems.
    #[test]
    fn a_problem_keeps_a_part_of_a_long_line() {
        let (before, after) = ("é ".repeat(40_000), " ü".repeat(40_000));
        let source = Source::new("a".into(), format!("x\n{before}here{after}\n"));
        let place = source.place(Span::new(2 + before.len(), 2 + before.len() + 4));
        let line = place.line_text.as_deref().expect("a line");
        assert!(line.len() <= 2 * LINE_PART, "{}", line.len());
        let start = place.range.expect("a range").start;
        assert_eq!((start.line, start.column), (2, 80_001));
        let at = (start.column - 1 - place.line_from) as usize;
        assert_eq!(line.chars().skip(at).take(4).collect::<String>(), "here");
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

    #[test]
    fn a_span_finds_its_file() {
        let words = Source::new("en.yaml".into(), "a: 1\nb: 2".into());
        let (both, offset) =
            words.followed_by(&Source::new("page.yaml".into(), "c: 3\nd: 4\n".into()));
        let check = |start: usize, end: usize, path: &str, line: u32, line_text: &str| {
            let place = both.place(Span::new(start, end));
            let range = place.range.expect("a range");
            let found = (
                place.path.as_str(),
                range.start.line,
                place.line_text.as_deref(),
            );
            assert_eq!(found, (path, line, Some(line_text)));
        };
        check(5, 6, "en.yaml", 2, "b: 2");
        check(8, both.text.len(), "en.yaml", 2, "b: 2");
        check(offset, offset + 1, "page.yaml", 1, "c: 3");
        check(offset + 5, offset + 6, "page.yaml", 2, "d: 4");
        assert_eq!(both.paths().collect::<Vec<_>>(), ["en.yaml", "page.yaml"]);
    }
}
