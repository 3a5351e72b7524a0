//! The blocks of a Markdown text: where each is written, and what it means however it is written.
//!
//! Editors write Markdown anew: `_` for `*`, other bullets, other line breaks, escapes that are not needed. The meaning of
//! a block is what it renders to, so that blocks that an editor only wrote anew are found to be the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Parser, Tag, TagEnd};

use text::markdown;

/// A text as blocks, and what stands between them.
pub(super) struct Blocks<'a> {
    pub text: &'a str,
    pub blocks: Vec<Block>,
    /// Definitions of links (`[name]: address`) by name, in lower case.
    pub definitions: BTreeMap<String, Definition>,
    /// The names of footnotes.
    pub footnotes: BTreeSet<String>,
    pub has_tasks: bool,
}

/// A paragraph, heading, list, table, quotation, code block or footnote.
pub(super) struct Block {
    /// Its bytes, from the beginning of its first line, without the line break at its end.
    pub range: Range<usize>,
    pub meaning: String,
}

/// The definition of a link.
pub(super) struct Definition {
    pub range: Range<usize>,
    /// Address and title.
    pub target: (String, Option<String>),
}

/// The meanings of the blocks of a text.
pub(super) fn meanings(text: &str) -> Vec<String> {
    Blocks::of(text)
        .blocks
        .into_iter()
        .map(|block| block.meaning)
        .collect()
}

/// A text without the empty lines at its beginning.
pub(super) fn without_empty_lines(text: &str) -> &str {
    let mut rest = text;
    while let Some((_, after)) = rest
        .split_once('\n')
        .filter(|(line, _)| line.trim().is_empty())
    {
        rest = after;
    }
    rest
}

impl Blocks<'_> {
    pub fn of(text: &str) -> Blocks<'_> {
        let mut events = Parser::new_ext(text, markdown::options(true)).into_offset_iter();
        let definitions = events.reference_definitions().iter();
        let definitions = definitions.map(|(name, definition)| {
            let target = (
                definition.dest.to_string(),
                definition.title.as_ref().map(ToString::to_string),
            );
            (
                name.to_lowercase(),
                Definition {
                    range: definition.span.clone(),
                    target,
                },
            )
        });
        let definitions = definitions.collect();
        let mut blocks = Blocks {
            text,
            blocks: Vec::new(),
            definitions,
            footnotes: BTreeSet::new(),
            has_tasks: false,
        };
        let (mut depth, mut range) = (0_usize, 0..0);
        let mut meaning = Meaning::default();
        for (event, place) in events.by_ref() {
            match &event {
                Event::Start(Tag::FootnoteDefinition(name)) => {
                    blocks.footnotes.insert(name.to_string());
                }
                Event::TaskListMarker(_) => blocks.has_tasks = true,
                _ => {}
            }
            if depth == 0 {
                range = place;
            }
            match &event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            meaning.add(event);
            if depth == 0 {
                let meaning = std::mem::take(&mut meaning).text;
                blocks.push(range.clone(), meaning.trim_end().to_owned());
            }
        }
        blocks
    }

    fn push(&mut self, range: Range<usize>, meaning: String) {
        // The parser leaves the indentation of code out.
        let line = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let start = if self.text[line..range.start].trim().is_empty() {
            line
        } else {
            range.start
        };
        let length = self.text[start..range.end].trim_end().len();
        self.blocks.push(Block {
            range: start..start + length,
            meaning,
        });
    }

    /// The bytes of a block.
    pub fn written(&self, at: usize) -> &str {
        &self.text[self.blocks[at].range.clone()]
    }

    /// The bytes from the end of a block to the next one.
    pub fn gap_after(&self, at: usize) -> &str {
        let end = self
            .blocks
            .get(at + 1)
            .map_or(self.text.len(), |next| next.range.start);
        &self.text[self.blocks[at].range.end..end]
    }
}

/// Separates the signs of a meaning from its text, which cannot contain it.
const SIGN: char = '\u{1}';

/// The meaning of a block while it is read.
#[derive(Default)]
struct Meaning {
    text: String,
    /// Emphasis, strong emphasis and strikethrough around the next text. Editors nest them in another order.
    marks: [usize; 3],
    /// The marks of the text so far.
    written_marks: [bool; 3],
    is_code: bool,
    items: usize,
    /// `[^1]: ` before the first words of a footnote.
    footnote: Option<String>,
}

impl Meaning {
    fn sign(&mut self, sign: &str) {
        let _ = write!(self.text, "{SIGN}{sign}{SIGN}");
    }

    fn words(&mut self, words: &str) {
        let marks = self.marks.map(|count| count > 0);
        if marks != self.written_marks {
            self.written_marks = marks;
            let sign: String = marks
                .iter()
                .zip("esd".chars())
                .filter(|(on, _)| **on)
                .map(|(_, sign)| sign)
                .collect();
            self.sign(&format!("marks {sign}"));
        }
        if self.is_code {
            return self.text.push_str(words);
        }
        for c in words.chars() {
            let is_blank = matches!(c, ' ' | '\n' | '\t');
            if !is_blank {
                self.text.push(c);
            } else if !self.text.ends_with([' ', SIGN]) || self.text.ends_with("code\u{1}") {
                self.text.push(' ');
            }
        }
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => self.words(&words.replace("\r\n", "\n")),
            Event::Code(words) => {
                self.words("");
                self.sign("code");
                self.text.push_str(&words);
                self.sign("/code");
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                self.sign("html");
                self.text.push_str(&html.replace("\r\n", "\n"));
            }
            Event::SoftBreak => self.words(" "),
            Event::HardBreak => self.sign("break"),
            // Editors that know neither write them as text.
            Event::FootnoteReference(name) => self.words(&format!("[^{name}]")),
            Event::TaskListMarker(done) => self.words(if done { "[x] " } else { "[ ] " }),
            other => self.sign(&format!("{other:?}")),
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Emphasis => self.marks[0] += 1,
            Tag::Strong => self.marks[1] += 1,
            Tag::Strikethrough => self.marks[2] += 1,
            Tag::Paragraph => {
                // A list with empty lines between its items is the same list.
                if self.items == 0 || !self.text.ends_with("item\u{1}") {
                    self.sign("p");
                }
                if let Some(name) = self.footnote.take() {
                    self.words(&name);
                }
            }
            Tag::FootnoteDefinition(name) => self.footnote = Some(format!("[^{name}]: ")),
            Tag::Item => {
                self.items += 1;
                self.sign("item");
            }
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.trim().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.sign(&format!("pre {info}"));
                self.is_code = true;
            }
            Tag::Link {
                dest_url, title, ..
            } => {
                self.words("");
                self.sign(&format!("link {dest_url} {title}"));
            }
            Tag::Image {
                dest_url, title, ..
            } => self.sign(&format!("image {dest_url} {title}")),
            Tag::Heading { level, .. } => self.sign(&format!("{level}")),
            Tag::Table(columns) => {
                let columns: Vec<Option<Alignment>> = columns
                    .into_iter()
                    .map(|column| (!is_left(column)).then_some(column))
                    .collect();
                self.sign(&format!("table {columns:?}"));
            }
            other => self.sign(&format!("{other:?}")),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.marks[0] -= 1,
            TagEnd::Strong => self.marks[1] -= 1,
            TagEnd::Strikethrough => self.marks[2] -= 1,
            TagEnd::Paragraph | TagEnd::FootnoteDefinition => {}
            TagEnd::Item => {
                self.items -= 1;
                self.sign("/item");
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.sign("/pre");
            }
            other => self.sign(&format!("/{other:?}")),
        }
    }
}

/// Tells whether a column is aligned as one without a mark.
/// Columns are on the left anyway.
fn is_left(column: Alignment) -> bool {
    matches!(column, Alignment::None | Alignment::Left)
}
