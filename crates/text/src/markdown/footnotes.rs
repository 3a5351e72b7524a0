//! Footnotes, which are written at the end of the text.

use std::fmt::Write as _;
use std::ops::Range;

use foldhash::HashMap;
use pulldown_cmark::Event;

use diagnostics::problem::{Code, Problem};

use super::{Ids, Writer};

/// The footnotes of a text, in the order of their first reference or definition.
#[derive(Default)]
pub(super) struct Footnotes {
    all: Vec<Footnote>,
    /// Indices in `all` by name.
    numbers: HashMap<String, usize>,
    /// The one that is being read.
    open: Option<usize>,
}

/// A footnote. Created at its first reference or its definition, whichever comes first.
struct Footnote {
    name: String,
    /// Its anchor.
    id: String,
    /// Anchor of the first reference to it.
    back: String,
    text: Option<Vec<Event<'static>>>,
    /// Where it is written.
    range: Range<usize>,
    /// There is a reference, so the footnote gets a link back to it.
    is_referred_to: bool,
}

impl Footnotes {
    /// Begins a footnote.
    pub fn begin(&mut self, name: &str, range: Range<usize>, ids: &mut Ids) {
        let number = self.number(name, ids);
        self.open = Some(number);
        self.all[number].range = range;
        self.all[number].text.get_or_insert_default();
    }

    /// Ends the open footnote.
    pub fn end(&mut self) {
        self.open = None;
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Keeps an event that is inside of a footnote, and returns others.
    pub fn collect<'e>(&mut self, event: Event<'e>) -> Option<Event<'e>> {
        let Some(number) = self.open else {
            return Some(event);
        };
        self.all[number]
            .text
            .get_or_insert_default()
            .push(event.into_static());
        None
    }

    fn number(&mut self, name: &str, ids: &mut Ids) -> usize {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = self.all.len();
        // Must be unique: a heading may have the same id.
        let id = ids.unique(&format!("note-{}", number + 1));
        let back = ids.unique(&format!("{id}-back"));
        let name = name.to_owned();
        self.numbers.insert(name.clone(), number);
        self.all.push(Footnote {
            name,
            id,
            back,
            text: None,
            range: 0..0,
            is_referred_to: false,
        });
        number
    }

    /// Footnotes that no text refers to.
    pub fn unused(&mut self) -> Vec<(Range<usize>, Problem)> {
        let unused = self
            .all
            .drain(..)
            .filter(|footnote| !footnote.is_referred_to);
        unused
            .map(|Footnote { name, range, .. }| {
                let message = format!("nothing refers to the footnote `{name}`");
                let hint =
                    format!("write `[^{name}]` where the footnote belongs, or remove the footnote");
                (
                    range.start..range.start + name.len() + 3,
                    Problem::warning(Code::UnpairedMarkup, message).hint(hint),
                )
            })
            .collect()
    }
}

impl Writer<'_> {
    /// The reference to a footnote. The footnote links back to the first reference.
    pub(super) fn reference(&mut self, name: &str) -> Event<'static> {
        let index = self.footnotes.number(name, &mut self.ids);
        let Footnote {
            id,
            back,
            is_referred_to,
            ..
        } = &mut self.footnotes.all[index];
        let is_first = !std::mem::replace(is_referred_to, true);
        let id_attribute = if is_first {
            format!(" id=\"{back}\"")
        } else {
            String::new()
        };
        if is_first {
            self.marked.anchors.push(back.clone());
        }
        let number = index + 1;
        let link =
            format!("<sup><a{id_attribute} href=\"#{id}\" role=\"doc-noteref\">{number}</a></sup>");
        Event::InlineHtml(link.into())
    }

    /// Writes the footnotes.
    pub(super) fn notes(&mut self, html: &mut String) {
        if self.footnotes.all.is_empty() {
            return;
        }
        html.push_str("<section class=\"footnotes\" role=\"doc-endnotes\"><ol>\n");
        for footnote in &mut self.footnotes.all {
            let mut note = String::new();
            pulldown_cmark::html::push_html(
                &mut note,
                footnote.text.take().unwrap_or_default().into_iter(),
            );
            let note = note.trim_end();
            // Put the link back into the last paragraph, not on a separate line.
            let (note, end) = note
                .strip_suffix("</p>")
                .map_or((note, ""), |note| (note, "</p>"));
            let back = format!("<a href=\"#{}\" role=\"doc-backlink\">↩</a>", footnote.back);
            let back = if footnote.is_referred_to {
                back
            } else {
                String::new()
            };
            let _ = writeln!(html, "<li id=\"{}\">{note} {back}{end}</li>", footnote.id);
            self.marked.anchors.push(footnote.id.clone());
        }
        html.push_str("</ol></section>\n");
    }
}
