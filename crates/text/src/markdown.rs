//! Converts Markdown to HTML with unresolved links and pictures, in one pass.
//!
//! The HTML of each element is written once and never searched: what a text holds cannot be taken for a tag.

mod autolinks;
mod footnotes;
mod foreign;
mod headings;
mod math;
pub mod parts;
mod shield;
mod tables;
mod unpaired;

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{
    BlockQuoteKind, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd,
    TextMergeWithOffset,
};

use api_types::html::escape;
use diagnostics::marks::without;
use diagnostics::problem::{Code, Problem, Span};

use super::highlight::highlight;
use super::rich::{Heading, Ids, InlinePicture, MARK, Marked, Piece, Rich, Target, slug};
use super::sanitize;
use schema::types::Callout;

/// Options for rendering a text.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The text is a post, with footnotes, task lists, callouts, formulas, highlighted code, bare addresses and raw
    /// HTML; otherwise it is a field of a section.
    pub article: bool,
    /// Ids that are already taken on the page.
    pub taken: &'a [String],
    /// Fills in placeholders. Not called for code.
    pub fill: &'a dyn Fn(&str) -> String,
    /// Returns the span in the file of a target, from its text and the byte range of its Markdown element.
    pub locate: &'a dyn Fn(&str, Range<usize>) -> Span,
    /// Makes the mark of a part of the text, by its offset, for a page whose texts name their places (see
    /// [`content::origins`]).
    pub origin: Option<&'a dyn Fn(usize) -> String>,
}

/// Renders the text of a section.
pub fn render(text: &str, rules: Rules) -> Rich {
    mark(text, rules).finish()
}

/// The extensions of Markdown in a post (`article`), or in a field of a section.
pub fn options(article: bool) -> Options {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    if !article {
        return options;
    }
    options
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_MATH
}

/// Renders a text, with marks at the positions of links and pictures.
pub fn mark(text: &str, rules: Rules) -> Marked {
    let cut = if rules.article {
        parts::cut(text)
    } else {
        None
    };
    let whole = cut.as_ref().map_or(text, |cut| cut.text.as_str());
    let shielded = shield::shield(whole);
    let parsed = shielded
        .as_ref()
        .map_or(whole, |shielded| shielded.text.as_str());
    let events = TextMergeWithOffset::new(
        Parser::new_ext(parsed, options(rules.article)).into_offset_iter(),
    );
    let mut writer = Writer {
        text,
        rules,
        marked: Marked {
            parts: cut
                .as_ref()
                .map(|cut| cut.parts.clone())
                .unwrap_or_default(),
            ..Marked::default()
        },
        ids: Ids::default(),
        heading: None,
        code: None,
        code_start: None,
        alt: None,
        lead: LeadText::Awaited,
        first_words: String::new(),
        depth: 0,
        links: 0,
        footnotes: footnotes::Footnotes::default(),
        table: None,
        block: None,
        foreign: foreign::Foreign::default(),
        removed: sanitize::Removed::default(),
    };
    for id in rules.taken {
        writer.ids.take(id);
    }
    let mut html = String::with_capacity(text.len() * 3 / 2);
    let written = events.filter_map(|(event, range)| match &shielded {
        Some(shielded) => writer.event(shielded.restored(event), range),
        None => writer.event(event, range),
    });
    pulldown_cmark::html::push_html(&mut html, written);
    writer.notes(&mut html);
    writer.finish(html)
}

/// State of the first paragraph that is not in a list or quotation.
#[derive(PartialEq)]
enum LeadText {
    Awaited,
    Open,
    Closed,
}

struct Writer<'a> {
    text: &'a str,
    rules: Rules<'a>,
    marked: Marked,
    /// Ids that are taken on the page so far.
    ids: Ids,
    /// The open heading.
    heading: Option<headings::OpenHeading>,
    /// Language and text of the open code block; the text is collected in articles only.
    code: Option<(String, String)>,
    /// Where the text of the open code block begins.
    code_start: Option<usize>,
    /// The open picture, and the number of open pictures nested in it.
    alt: Option<(InlinePicture, usize)>,
    lead: LeadText,
    /// The first words outside of headings, for a text without a paragraph of its own.
    first_words: String,
    /// Number of open blocks.
    depth: usize,
    /// Number of open links.
    links: usize,
    footnotes: footnotes::Footnotes,
    /// The open table.
    table: Option<tables::OpenTable>,
    /// The open block of raw HTML.
    block: Option<sanitize::HtmlBlock>,
    /// Markup of other programs that was found.
    foreign: foreign::Foreign,
    /// Raw HTML that a post cannot have.
    removed: sanitize::Removed,
}

/// Maximum length of [`Writer::first_words`], in bytes: more than an excerpt has.
const FIRST_WORDS: usize = 1_000;

impl Writer<'_> {
    /// The output for an event. Events inside footnotes are collected for the end of the text.
    fn event<'e>(&mut self, event: Event<'e>, range: Range<usize>) -> Option<Event<'e>> {
        match event {
            Event::Start(Tag::FootnoteDefinition(name)) => {
                self.footnotes.begin(&name, range, &mut self.ids);
                return None;
            }
            Event::End(TagEnd::FootnoteDefinition) => {
                self.footnotes.end();
                return None;
            }
            _ => {}
        }
        let output = self.output(event, range)?;
        if self.footnotes.is_open() {
            self.footnotes.collect(output)
        } else {
            Some(output)
        }
    }

    fn output<'e>(&mut self, event: Event<'e>, range: Range<usize>) -> Option<Event<'e>> {
        if self.alt.is_some() {
            return self.alternative(event);
        }
        match event {
            Event::Start(Tag::Image {
                dest_url, title, ..
            }) => {
                self.untitled(&title, &range);
                let span = (self.rules.locate)(&dest_url, range);
                self.alt = Some((
                    InlinePicture {
                        src: dest_url.into_string(),
                        alt: String::new(),
                        span,
                    },
                    0,
                ));
                None
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            }) => {
                self.links += 1;
                let to = (self.rules.fill)(&dest_url);
                let to = if link_type == LinkType::Email {
                    format!("mailto:{to}")
                } else {
                    to
                };
                let title = match &*title {
                    "" => String::new(),
                    title => format!(" title=\"{}\"", escape(&(self.rules.fill)(title))),
                };
                let number = self.target(to, &dest_url, range);
                Some(open(&format!("<a{title}"), 'L', number, ">"))
            }
            Event::End(TagEnd::Link) => {
                self.links = self.links.saturating_sub(1);
                Some(html("</a>"))
            }
            Event::Start(Tag::Heading { level, .. }) => Some(self.start_heading(level, range)),
            Event::End(TagEnd::Heading(_)) => self.end_heading(&range),
            Event::Text(words) => self.text(words, range),
            Event::Code(words) => {
                self.count(&words);
                Some(Event::Code(self.with_origin(words, range.start)))
            }
            Event::InlineMath(formula) => Some(self.formula(&formula, false, &range)),
            Event::DisplayMath(formula) => Some(self.formula(&formula, true, &range)),
            Event::SoftBreak | Event::HardBreak => {
                self.count(" ");
                Some(event)
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info
                        .split([' ', ',', '{'])
                        .next()
                        .unwrap_or_default()
                        .to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                if self.rules.article && matches!(kind, CodeBlockKind::Fenced(_)) {
                    self.marked
                        .notices
                        .extend(unpaired::fence(self.text, &range));
                    self.marked
                        .notices
                        .extend(self.foreign.diagram(&language, &range));
                }
                self.code = Some((language, String::new()));
                self.code_start = None;
                (!self.rules.article).then_some(Event::Start(Tag::CodeBlock(kind)))
            }
            Event::End(TagEnd::CodeBlock) => self.end_code(),
            Event::Start(Tag::HtmlBlock) => {
                self.block = Some(sanitize::HtmlBlock::default());
                Some(event)
            }
            Event::End(TagEnd::HtmlBlock) => {
                if let Some(block) = self.block.take().filter(|_| self.rules.article) {
                    self.removed.check(&block);
                    self.marked.notices.extend(unpaired::comment(&block));
                }
                Some(event)
            }
            Event::Html(html)
                if !self.marked.parts.is_empty() && parts::number(&html).is_some() =>
            {
                Some(self.part(parts::number(&html).unwrap_or_default()))
            }
            Event::Html(html) | Event::InlineHtml(html) if self.rules.article => {
                Some(self.raw_html(html, &range))
            }
            // Raw HTML in fields of sections is escaped.
            Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
            Event::FootnoteReference(name) => Some(self.reference(&name)),
            // The boxes cannot be ticked, so they are characters and not form fields.
            Event::TaskListMarker(done) => Some(html(if done {
                "<span class=\"task task-done\">☑</span> "
            } else {
                "<span class=\"task\">☐</span> "
            })),
            other => {
                self.track(&other);
                Some(self.block(other, &range))
            }
        }
    }

    /// An event in the alternative text of a picture.
    fn alternative<'e>(&mut self, event: Event<'e>) -> Option<Event<'e>> {
        let (picture, inner) = self.alt.as_mut()?;
        match event {
            Event::Start(Tag::Image { .. }) => *inner += 1,
            Event::End(TagEnd::Image) if *inner > 0 => *inner -= 1,
            Event::End(TagEnd::Image) => {
                let picture = picture.clone();
                self.alt = None;
                self.marked.pictures.push(picture);
                return Some(open("", 'P', self.marked.pictures.len() - 1, ""));
            }
            Event::Text(words) => picture.alt.push_str(&(self.rules.fill)(&words)),
            Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => {
                picture.alt.push_str(&words);
            }
            Event::SoftBreak | Event::HardBreak => picture.alt.push(' '),
            _ => {}
        }
        None
    }

    /// Reports the title of a picture, for which a page has no place.
    fn untitled(&mut self, title: &str, range: &Range<usize>) {
        if !title.trim().is_empty() && self.rules.article {
            let message = format!("the image's title, `{title}`, is not shown");
            let hint = format!(
                "remove it, or write `<figure><img src=\"…\" alt=\"…\"><figcaption>{title}</figcaption></figure>`"
            );
            self.notice(
                range,
                Problem::warning(Code::RemovedHtml, message).hint(hint),
            );
        }
    }

    fn notice(&mut self, range: &Range<usize>, problem: Problem) {
        self.marked.notices.push((range.clone(), problem));
    }

    /// Adds the target of a link, and returns its number. `written` is how the text has it.
    fn target(&mut self, to: String, written: &str, range: Range<usize>) -> usize {
        let span = (self.rules.locate)(written, range);
        // Only the texts of a page have marks.
        let to = if self.rules.origin.is_some() {
            without(&to)
        } else {
            to
        };
        self.marked.targets.push(Target { to, span });
        self.marked.targets.len() - 1
    }

    /// Tracks open blocks, to find the first paragraph.
    fn track(&mut self, event: &Event) {
        match event {
            Event::Start(tag) => {
                let is_first =
                    self.lead == LeadText::Awaited && !self.footnotes.is_open() && self.depth == 0;
                if matches!(tag, Tag::Paragraph) && is_first {
                    self.lead = LeadText::Open;
                }
                // Words of two blocks are two words.
                if matches!(
                    tag,
                    Tag::Paragraph | Tag::Item | Tag::BlockQuote(_) | Tag::TableCell
                ) {
                    self.first_words.push(' ');
                }
                let is_inline = matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough);
                self.depth += usize::from(!is_inline);
            }
            Event::End(tag) => {
                if matches!(tag, TagEnd::Paragraph) && self.lead == LeadText::Open {
                    // A paragraph of one picture has no words.
                    let is_blank = self.marked.lead.trim().is_empty();
                    self.lead = if is_blank {
                        LeadText::Awaited
                    } else {
                        LeadText::Closed
                    };
                }
                let is_inline = matches!(
                    tag,
                    TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough
                );
                self.depth -= usize::from(!is_inline && self.depth > 0);
            }
            _ => {}
        }
    }

    /// The output for the beginning or the end of other blocks.
    fn block<'e>(&mut self, event: Event<'e>, range: &Range<usize>) -> Event<'e> {
        match event {
            Event::Start(Tag::BlockQuote(Some(kind))) => {
                let callout = callout(kind);
                self.marked.atoms.push(Piece::Word(callout));
                let before = format!(
                    "<aside class=\"callout callout-{}\"><p class=\"callout-title\">",
                    callout.name()
                );
                open(&before, 'A', self.marked.atoms.len() - 1, "</p>\n")
            }
            Event::End(TagEnd::BlockQuote(Some(_))) => html("</aside>\n"),
            Event::Start(Tag::Table(alignments)) => {
                self.table = Some(tables::OpenTable::new(alignments));
                html(if self.rules.article {
                    super::rich::TABLE_START
                } else {
                    "<table>"
                })
            }
            Event::End(TagEnd::Table) => {
                self.table = None;
                html(if self.rules.article {
                    tables::END_IN_ARTICLE
                } else {
                    tables::END
                })
            }
            Event::Start(Tag::TableHead | Tag::TableRow | Tag::TableCell)
            | Event::End(TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell) => {
                match &mut self.table {
                    Some(table) => html(table.html(&event, &self.text[range.clone()])),
                    None => event,
                }
            }
            other => other,
        }
    }

    fn text<'e>(&mut self, words: CowStr<'e>, range: Range<usize>) -> Option<Event<'e>> {
        if let Some((_, code)) = &mut self.code {
            if !self.rules.article {
                let code = self.code_with_origin(&words, range.start);
                return Some(Event::Text(code.map_or(words, CowStr::from)));
            }
            code.push_str(&words);
            self.code_start.get_or_insert(range.start);
            return None;
        }
        let words = self.without_heading_id(words, &range);
        // Most texts have no sign of any markup, so that nothing looks at them again.
        let mut count = super::rich::count(&words);
        if count.has_signs && self.rules.article {
            self.marked
                .notices
                .extend(self.foreign.find(&words, self.text, &range));
            self.marked
                .notices
                .extend(unpaired::references(&words, self.text, &range));
        }
        let words = if count.has_signs && words.contains('{') {
            let filled = (self.rules.fill)(&words);
            count = super::rich::count(&filled);
            filled.into()
        } else {
            words
        };
        self.counted(&words, count);
        let may_have_address = count.has_signs || count.has_periods;
        if self.rules.article && self.links == 0 && may_have_address && autolinks::may_have(&words)
        {
            let links = autolinks::find(&words);
            if !links.is_empty() {
                return Some(self.linked(&words, &links, range));
            }
        }
        Some(Event::Text(self.with_origin(words, range.start)))
    }

    /// A text with links at its bare addresses.
    fn linked(
        &mut self,
        words: &str,
        links: &[autolinks::Autolink],
        range: Range<usize>,
    ) -> Event<'static> {
        let mut out = self
            .rules
            .origin
            .map(|origin| origin(range.start))
            .unwrap_or_default();
        let mut from = 0;
        for link in links {
            let shown = &words[link.range.clone()];
            let number = self.target(link.to.clone(), shown, range.clone());
            push_text(&mut out, &words[from..link.range.start]);
            let _ = write!(out, "<a{MARK}L{number}{MARK}>");
            push_text(&mut out, shown);
            out.push_str("</a>");
            from = link.range.end;
        }
        push_text(&mut out, &words[from..]);
        Event::InlineHtml(out.into())
    }

    /// The place of a section or an island.
    fn part(&mut self, number: usize) -> Event<'static> {
        let written = self
            .marked
            .parts
            .get(number)
            .map(|range| self.text[range.clone()].to_owned());
        self.marked
            .atoms
            .push(Piece::Part(number, written.unwrap_or_default()));
        open("", 'A', self.marked.atoms.len() - 1, "\n")
    }

    /// Raw HTML of an author, which is cleaned later.
    fn raw_html<'e>(&mut self, html: CowStr<'e>, range: &Range<usize>) -> Event<'e> {
        self.marked.has_raw_html = true;
        if let Some(block) = &mut self.block {
            block.push(&html, range.start);
        } else {
            let mut inline = sanitize::HtmlBlock::default();
            inline.push(&html, range.start);
            self.removed.check(&inline);
        }
        Event::InlineHtml(html)
    }

    /// A code block, highlighted.
    fn end_code<'e>(&mut self) -> Option<Event<'e>> {
        let (language, text) = self.code.take()?;
        if !self.rules.article {
            return Some(Event::End(TagEnd::CodeBlock));
        }
        let html = highlight(&language, &text);
        // The tags before the code are those of the highlighter: the code itself is behind them.
        let begin = html
            .find("<code")
            .and_then(|at| Some(at + html[at..].find('>')? + 1))
            .unwrap_or(0);
        let code = self.code_with_origin(&html[begin..], self.code_start.unwrap_or(0));
        Some(Event::Html(
            code.map_or(html.clone(), |code| html[..begin].to_owned() + &code)
                .into(),
        ))
    }

    /// A formula as `MathML`, or its text if it cannot be read.
    fn formula(&mut self, formula: &str, is_block: bool, range: &Range<usize>) -> Event<'static> {
        self.count(formula);
        match math::mathml(formula, is_block) {
            Ok(mathml) => {
                self.marked.atoms.push(Piece::Html(mathml));
                open("", 'A', self.marked.atoms.len() - 1, "")
            }
            Err(error) => {
                let message = format!("the formula is shown as text: {error}");
                let hint = "correct it, or write `\\$` for a dollar sign";
                self.notice(
                    range,
                    Problem::warning(Code::ForeignMarkup, message).hint(hint),
                );
                Event::Code(self.text[range.clone()].to_owned().into())
            }
        }
    }

    /// Code whose lines begin with the marks of their places, if the page has such marks. Lines of code are lines of the
    /// text.
    fn code_with_origin(&self, code: &str, at: usize) -> Option<String> {
        let origin = self.rules.origin?;
        let starts = std::iter::once(at).chain(
            self.text[at..]
                .match_indices('\n')
                .map(|(end, _)| at + end + 1),
        );
        let lines = code.split_inclusive('\n').zip(starts);
        Some(
            lines
                .map(|(line, start)| origin(start.min(self.text.len() - 1)) + line)
                .collect(),
        )
    }

    /// A text behind the mark of its place, if the page has such marks.
    fn with_origin<'e>(&self, words: CowStr<'e>, at: usize) -> CowStr<'e> {
        match self.rules.origin {
            Some(origin) if !words.trim().is_empty() => (origin(at) + &words).into(),
            _ => words,
        }
    }

    fn count(&mut self, words: &str) {
        self.counted(words, super::rich::count(words));
    }

    /// Notes words that were counted.
    fn counted(&mut self, words: &str, count: super::rich::WordCount) {
        self.marked.words += count.words;
        self.marked.ideographs += count.ideographs;
        if let Some(heading) = &mut self.heading {
            heading.words.push_str(words);
        } else if self.first_words.len() < FIRST_WORDS && !self.footnotes.is_open() {
            self.first_words.push_str(words);
        }
        if self.lead == LeadText::Open {
            self.marked.lead.push_str(words);
        }
    }

    fn finish(mut self, html: String) -> Marked {
        if self.marked.lead.trim().is_empty() {
            self.marked.lead = self.first_words;
        }
        self.marked.notices.extend(self.footnotes.unused());
        self.marked.notices.extend(self.removed.notices());
        Marked {
            html,
            ..self.marked
        }
    }
}

/// Adds a text, escaped as the renderer escapes it.
fn push_text(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

fn callout(kind: BlockQuoteKind) -> Callout {
    match kind {
        BlockQuoteKind::Note => Callout::Note,
        BlockQuoteKind::Tip => Callout::Tip,
        BlockQuoteKind::Important => Callout::Important,
        BlockQuoteKind::Warning => Callout::Warning,
        BlockQuoteKind::Caution => Callout::Caution,
    }
}

fn html(text: &'static str) -> Event<'static> {
    Event::InlineHtml(CowStr::Borrowed(text))
}

/// HTML with a mark in it.
fn open(before: &str, kind: char, number: usize, after: &str) -> Event<'static> {
    Event::InlineHtml(format!("{before}{MARK}{kind}{number}{MARK}{after}").into())
}

#[cfg(test)]
mod tests;
