//! Cuts a text at its codes: marks of Markdown, code, HTML and placeholders, which a translator moves and never types.
//!
//! Every byte is in one piece, so that the pieces put together are the text. A text without codes is one piece, even if it
//! is no Markdown.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// The beginning of a code with words in it, such as `[` of a link; its number, from 1.
    Open(usize, String),
    /// Its end, such as `](page:about)`.
    Close(usize, String),
    /// A code without words.
    Alone(usize, String),
}

/// The parts of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut cut = Cut {
        text,
        at: 0,
        pieces: Vec::new(),
        number: 0,
        open: Vec::new(),
    };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events: Vec<(Event, Range<usize>)> =
        Parser::new_ext(text, options).into_offset_iter().collect();
    let mut skipped_until = 0;
    for (index, (event, range)) in events.iter().enumerate() {
        if range.start < skipped_until && !matches!(event, Event::End(_)) {
            continue;
        }
        match event {
            Event::Start(tag) if is_inline(tag) => {
                let next = events.get(index + 1);
                let is_automatic = matches!(
                    tag,
                    Tag::Link {
                        link_type: LinkType::Autolink | LinkType::Email,
                        ..
                    }
                );
                let is_empty = next.is_none_or(|(next, _)| matches!(next, Event::End(_)));
                cut.code_until(range.start);
                if is_automatic || is_empty {
                    cut.alone(range.end);
                    skipped_until = range.end;
                    cut.open.push(None);
                } else {
                    cut.open(next.map_or(range.end, |(_, next)| next.start));
                }
            }
            Event::End(tag) if is_inline_end(*tag) => {
                if let Some(Some(number)) = cut.open.pop() {
                    cut.close(number, range.end);
                }
            }
            Event::Text(_) | Event::SoftBreak => {
                cut.code_until(range.start);
                cut.words(range.end);
            }
            Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) => {
                cut.code_until(range.start);
                cut.alone(range.end);
            }
            _ => {}
        }
    }
    cut.code_until(text.len());
    cut.pieces
}

fn is_inline(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
    )
}

fn is_inline_end(tag: pulldown_cmark::TagEnd) -> bool {
    use pulldown_cmark::TagEnd;
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

struct Cut<'a> {
    text: &'a str,
    at: usize,
    pieces: Vec<Piece>,
    number: usize,
    /// The codes that are open; `None` for one that has no words.
    open: Vec<Option<usize>>,
}

impl Cut<'_> {
    fn take(&mut self, end: usize) -> String {
        let end = end.max(self.at);
        let taken = self.text[self.at..end].to_owned();
        self.at = end;
        taken
    }

    fn next(&mut self) -> usize {
        self.number += 1;
        self.number
    }

    /// Adds the text between two events: blanks and the backslash of an escape are words, anything else is a code.
    fn code_until(&mut self, end: usize) {
        if end <= self.at {
            return;
        }
        let between = &self.text[self.at..end];
        if between.chars().all(|c| c.is_whitespace() || c == '\\') {
            self.words(end);
        } else {
            self.alone(end);
        }
    }

    fn alone(&mut self, end: usize) {
        let code = self.take(end);
        if !code.is_empty() {
            let number = self.next();
            self.pieces.push(Piece::Alone(number, code));
        }
    }

    fn open(&mut self, end: usize) {
        let number = self.next();
        let code = self.take(end);
        self.pieces.push(Piece::Open(number, code));
        self.open.push(Some(number));
    }

    fn close(&mut self, number: usize, end: usize) {
        let code = self.take(end);
        self.pieces.push(Piece::Close(number, code));
    }

    /// Words up to an end, cut at their placeholders.
    fn words(&mut self, end: usize) {
        let end = end.max(self.at);
        let text = self.text;
        while let Some(found) = placeholder(&text[self.at..end]) {
            let (from, to) = (self.at + found.start, self.at + found.end);
            self.plain(from);
            self.alone(to);
        }
        self.plain(end);
    }

    fn plain(&mut self, end: usize) {
        let text = self.take(end);
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(&text),
            _ => self.pieces.push(Piece::Text(text)),
        }
    }
}

/// The first placeholder of a text: `{clinic.name}`, `{count}` or `{{ page.title }}`.
fn placeholder(text: &str) -> Option<Range<usize>> {
    text.match_indices('{').find_map(|(at, _)| {
        let rest = &text[at..];
        if let Some(inner) = rest.strip_prefix("{{") {
            return inner.find("}}").map(|end| at..at + 4 + end);
        }
        let end = rest.find('}')?;
        let name = &rest[1..end];
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '|'));
        is_name.then_some(at..at + end + 1)
    })
}

/// The codes of a text, sorted, without the blanks around them.
pub fn codes(text: &str) -> Vec<String> {
    let mut codes: Vec<String> = pieces(text)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Open(_, code) | Piece::Close(_, code) | Piece::Alone(_, code) => {
                Some(code.trim().to_owned())
            }
        })
        .filter(|code| !code.is_empty())
        .collect();
    codes.sort();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces in one line: `<1 [>us</1 ](page:about)>`.
    fn shown(text: &str) -> String {
        let one = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Open(number, code) => format!("<{number} {code}>"),
            Piece::Close(number, code) => format!("</{number} {code}>"),
            Piece::Alone(number, code) => format!("<{number} {code}/>"),
        };
        pieces(text).iter().map(one).collect()
    }

    fn whole(text: &str) -> String {
        pieces(text)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text)
                | Piece::Open(_, text)
                | Piece::Close(_, text)
                | Piece::Alone(_, text) => text,
            })
            .collect()
    }

    #[test]
    fn plain_text_stays_plain() {
        for text in [
            "Software that holds.",
            "2 * 3 < 7 & more",
            "A sentence.\nAnother one.\n",
            " a ",
            "",
            "snake_case_name",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn marks_links_and_placeholders_are_codes() {
        for (text, expect) in [
            ("See [us](page:about).", "See <1 [>us</1 ](page:about)>."),
            (
                "**Bold *and* more**",
                "<1 **>Bold <2 *>and</2 *> more</1 **>",
            ),
            ("Run `make` now", "Run <1 `make`/> now"),
            (
                "At {clinic.name}, {count} rooms",
                "At <1 {clinic.name}/>, <2 {count}/> rooms",
            ),
            ("{{ page.title }} here", "<1 {{ page.title }}/> here"),
            ("![A cat](cat.jpg)", "<1 ![>A cat</1 ](cat.jpg)>"),
            (
                "Write <https://example.com>.",
                "Write <1 <https://example.com>/>.",
            ),
            ("## A heading", "<1 ## />A heading"),
            ("- one\n- *two*", "<1 - />one<2 \n- /><3 *>two</3 *>"),
            ("a<br>b", "a<1 <br>/>b"),
            ("1 \\* 2", "1 \\* 2"),
        ] {
            assert_eq!(shown(text), expect, "{text}");
        }
        assert_eq!(codes("[a](b) {c}"), ["[", "](b)", "{c}"]);
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in "[a-z *_`\\[\\](){}<>!#\\\\\n|~-]{0,60}") {
            prop_assert_eq!(whole(&text), text);
        }

        #[test]
        fn what_is_opened_is_closed_in_order(text in "[a-z *_`\\[\\]()!~]{0,60}") {
            let mut open = Vec::new();
            for piece in pieces(&text) {
                match piece {
                    Piece::Open(number, _) => open.push(number),
                    Piece::Close(number, _) => prop_assert_eq!(open.pop(), Some(number)),
                    _ => {}
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
