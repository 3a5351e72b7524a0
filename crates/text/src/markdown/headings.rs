//! Headings: their ids, from their words or as `{#id}` behind them, as in kramdown, Hugo and pandoc.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, HeadingLevel};

use diagnostics::problem::{Code, Problem};

use super::{Heading, Writer, open, slug};
use crate::sanitize::is_id;

/// The open heading.
pub(super) struct OpenHeading {
    level: HeadingLevel,
    /// Its plain text.
    pub words: String,
    /// Where `{#id}` begins in the source, and the id.
    given: Option<(usize, String)>,
}

impl Writer<'_> {
    pub(super) fn start_heading(
        &mut self,
        level: HeadingLevel,
        range: Range<usize>,
    ) -> Event<'static> {
        // Level 1 is reserved for the main heading of the page.
        let level = level.max(HeadingLevel::H2);
        let given = if self.rules.article {
            given(&self.text[range.clone()])
        } else {
            None
        };
        let given = given.map(|(at, id)| (range.start + at, id.to_owned()));
        self.heading = Some(OpenHeading {
            level,
            words: String::new(),
            given,
        });
        open(
            &format!("<{level} id=\""),
            'H',
            self.marked.headings.len(),
            "\">",
        )
    }

    pub(super) fn end_heading<'e>(&mut self, range: &Range<usize>) -> Option<Event<'e>> {
        let OpenHeading {
            level,
            words,
            given,
        } = self.heading.take()?;
        let words = words.trim_end().to_owned();
        let id = match given {
            Some((at, id)) => {
                let place = at..at + id.len() + 3;
                if self.ids.take(&id) {
                    self.marked.given_ids.push(self.marked.headings.len());
                    id
                } else {
                    let message =
                        format!("the id `{id}` is already used on this page or in its layout");
                    self.notice(
                        &place,
                        Problem::error(Code::DuplicateId, message).hint("choose a different id"),
                    );
                    self.ids.unique(&id)
                }
            }
            None => self.ids.unique(&slug(&words)),
        };
        let text = self.with_origin(words.into(), range.start).into_string();
        self.marked.headings.push(Heading {
            level: level as u8,
            id,
            text,
        });
        Some(Event::InlineHtml(format!("</{level}>\n").into()))
    }

    /// A text of a heading without the id behind it.
    pub(super) fn without_heading_id<'e>(
        &self,
        words: CowStr<'e>,
        range: &Range<usize>,
    ) -> CowStr<'e> {
        let given = self
            .heading
            .as_ref()
            .and_then(|heading| heading.given.as_ref());
        let Some((_, id)) =
            given.filter(|(at, id)| range.contains(at) && at + id.len() + 3 <= range.end)
        else {
            return words;
        };
        match words.trim_end().strip_suffix(&format!("{{#{id}}}")) {
            Some(before) => before.trim_end().to_owned().into(),
            None => words,
        }
    }
}

/// The id behind a heading: the offset of its brace, and the id.
fn given(heading: &str) -> Option<(usize, &str)> {
    // The line below a heading underlines it, and the signs at the end of its line close it.
    let line = heading.trim_end();
    let is_setext = !line.trim_start().starts_with('#');
    let line = if is_setext {
        line.rsplit_once('\n')?.0.trim_end()
    } else {
        line
    };
    let line = if is_setext {
        line
    } else {
        line.trim_end_matches('#').trim_end()
    };
    let (before, id) = line.strip_suffix('}')?.rsplit_once("{#")?;
    (before.ends_with([' ', '\t']) && is_id(id)).then_some((before.len(), id))
}
