//! Where the parts of a YAML text lie: lines, columns, and the ends of values, which the parser does not give for blocks.

use std::ops::Range;

use super::node::{Key, Node, Value};

/// A YAML text. All offsets are bytes.
#[derive(Clone, Copy)]
pub(super) struct YamlLayout<'a>(pub &'a str);

impl YamlLayout<'_> {
    /// The offset of the first byte of a line.
    pub fn line_start(self, at: usize) -> usize {
        self.0[..at].rfind('\n').map_or(0, |at| at + 1)
    }

    /// The offset after the last byte of a line, without its line break.
    pub fn line_end(self, at: usize) -> usize {
        let end = self.0[at..]
            .find('\n')
            .map_or(self.0.len(), |length| at + length);
        if self.0[..end].ends_with('\r') && end > at {
            end - 1
        } else {
            end
        }
    }

    /// The offset of the next line; the length of the text in the last one.
    pub fn next_line(self, at: usize) -> usize {
        self.0[at..]
            .find('\n')
            .map_or(self.0.len(), |length| at + length + 1)
    }

    /// The number of bytes before an offset in its line.
    pub fn column(self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// Whether only spaces stand before an offset in its line.
    pub fn begins_line(self, at: usize) -> bool {
        self.0[self.line_start(at)..at].trim().is_empty()
    }

    /// The offset of the first byte at or after an offset that is no space.
    pub fn next_word(self, at: usize) -> usize {
        self.0.len() - self.0[at..].trim_start_matches(' ').len()
    }

    /// The name of an alias.
    pub fn alias(self, node: &Node) -> Option<String> {
        let written = self
            .0
            .get(node.span.start as usize..node.span.end as usize)?;
        written.trim().strip_prefix('*').map(str::to_owned)
    }

    /// The name of the anchor of a value.
    pub fn anchor(self, node: &Node) -> Option<String> {
        let start = self.block_header(node).unwrap_or(node.span.start as usize);
        let word = self.0.get(..start)?.split_whitespace().next_back()?;
        word.strip_prefix('&').map(str::to_owned)
    }

    /// The offset of the `|` or `>` of a text that is written below it.
    pub fn block_header(self, node: &Node) -> Option<usize> {
        let start = node.span.start as usize;
        let above = self.0.get(..start)?.trim_end();
        let is_below =
            matches!(node.value, Value::Text(_)) && self.0[above.len()..start].contains('\n');
        let line = above
            .get(self.line_start(above.len())..)
            .filter(|_| is_below)?;
        let line = line
            .split_once(" #")
            .map_or(line, |(line, _)| line)
            .trim_end();
        let at = line.rfind(' ')? + 1;
        let indicators = line[at..].strip_prefix(['|', '>'])?;
        let is_header = indicators
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '+' | '-'));
        is_header.then_some(self.line_start(above.len()) + at)
    }

    /// Whether a list or block is written in brackets.
    pub fn is_flow(self, node: &Node) -> bool {
        let start = node.span.start as usize;
        matches!(node.value, Value::List(_) | Value::Map(_))
            && self
                .0
                .as_bytes()
                .get(start)
                .is_some_and(|byte| matches!(byte, b'[' | b'{'))
    }

    /// The offset after the last byte of a value.
    pub fn end(self, node: &Node) -> usize {
        let (start, end) = (node.span.start as usize, node.span.end as usize);
        if node.is_alias() {
            return end;
        }
        let (is_flow, empty) = if self.is_flow(node) {
            (true, start + 1)
        } else {
            (false, end)
        };
        let inner = match &node.value {
            Value::List(items) => items
                .iter()
                .map(|item| self.end(item))
                .max()
                .unwrap_or(empty),
            Value::Map(entries) => entries
                .iter()
                .map(|(key, node)| self.entry_end(key, node))
                .max()
                .unwrap_or(empty),
            _ => start + self.0.get(start..end).map_or(0, |raw| raw.trim_end().len()),
        };
        if is_flow { self.bracket(inner) } else { inner }
    }

    /// The offset after the last byte of an entry of a block.
    pub fn entry_end(self, key: &Key, node: &Node) -> usize {
        if node.value != Value::Null || node.is_alias() {
            return self.end(node).max(key.span.end as usize);
        }
        // Nothing, or `null` or `~`, perhaps with a comment behind it.
        let colon = self.after_colon(key);
        let line = &self.0[colon..self.line_end(colon)];
        let value = line.split_once(" #").map_or(line, |(value, _)| value);
        let ends = value.find([',', '}']).unwrap_or(value.len());
        colon + value[..ends].trim_end().len()
    }

    /// The offset after the colon of a key.
    pub fn after_colon(self, key: &Key) -> usize {
        let end = key.span.end as usize;
        self.0[end..]
            .find(':')
            .map_or(end, |length| end + length + 1)
    }

    /// The offset after the bracket that closes a list or block. `inner` is the end of what stands in it.
    fn bracket(self, inner: usize) -> usize {
        let mut before = ' ';
        let mut rest = self.0[inner..].char_indices();
        while let Some((at, c)) = rest.next() {
            match c {
                ']' | '}' => return inner + at + 1,
                '#' if before.is_whitespace() => _ = rest.find(|(_, c)| *c == '\n'),
                _ => {}
            }
            before = c;
        }
        self.0.len()
    }

    /// The bytes of a node.
    pub fn range(self, node: &Node) -> Range<usize> {
        node.span.start as usize..self.end(node)
    }

    /// Tells whether an item of a list begins here.
    fn is_dash(self, at: usize) -> bool {
        self.0[at..]
            .strip_prefix('-')
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
    }

    /// The offset of the dash of the first item of a list in lines.
    pub fn first_dash(self, list: &Node, item: &Node) -> Option<usize> {
        let start = list.span.start as usize;
        if item.span.start as usize > start && self.is_dash(start) {
            return Some(start);
        }
        // A list in the column of its key begins at its first item for the parser.
        let mut line = self.line_start(start);
        while line > 0 && !self.is_dash(self.next_word(line)) {
            line = self.line_start(line - 1);
        }
        Some(self.next_word(line)).filter(|at| self.is_dash(*at))
    }

    /// The offset of the dash of an item: at `column`, between the end of the item before and the item itself.
    pub fn dash(self, column: usize, from: usize, item: usize) -> Option<usize> {
        let bytes = self.0.as_bytes();
        (from..=item.min(self.0.len().saturating_sub(1))).find(|at| {
            bytes.get(*at) == Some(&b'-')
                && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
                && self.column(*at) == column
        })
    }

    /// The offset of the first line of the comment above an offset, which begins its line. Comments in the same column
    /// right above belong to it; `floor` is the end of what stands before.
    pub fn with_comment(self, at: usize, floor: usize) -> usize {
        let column = self.column(at);
        let mut start = self.line_start(at);
        while start > floor {
            let above = self.line_start(start - 1);
            let line = &self.0[above..start];
            let indent = line.len() - line.trim_start_matches(' ').len();
            if above < floor || indent != column || !line[indent..].starts_with('#') {
                break;
            }
            start = above;
        }
        start
    }
    /// The offset of the end of the comment below the end of a line, which belongs to what stands above because it is
    /// indented farther than `column`.
    pub fn with_comment_below(self, mut end: usize, column: usize) -> usize {
        loop {
            let next = self.next_line(end);
            let line = &self.0[next..self.line_end(next)];
            let indent = line.len() - line.trim_start_matches(' ').len();
            if indent <= column || !line[indent..].starts_with('#') {
                return end;
            }
            end = next + line.len();
        }
    }
}
