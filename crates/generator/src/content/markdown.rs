//! Converts Markdown to HTML with unresolved links and pictures, in one pass.

use std::fmt::Write as _;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use diagnostics::marks::without;
use diagnostics::problem::Span;

use super::highlight::highlight;
use super::rich::{Heading, Ids, InlinePicture, MARK, Marked, Rich, TABLE_END, TABLE_START, Target, slug};

/// Options for rendering a text.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// The text is a post, with footnotes, task lists, highlighted code and raw HTML; otherwise it is a field of a
    /// section.
    pub article: bool,
    /// Ids that are already taken on the page.
    pub taken: &'a [String],
    /// Fills in placeholders. Not called for code.
    pub fill: &'a dyn Fn(&str) -> String,
    /// Returns the span in the file of a target, from its text and the byte range of its Markdown element.
    pub locate: &'a dyn Fn(&str, Range<usize>) -> Span,
    /// Makes the mark of a part of the text, by its offset, for a page whose texts name their places (see
    /// [`super::origins`]).
    pub origin: Option<&'a dyn Fn(usize) -> String>,
}

/// Renders the text of a section.
pub fn render(text: &str, rules: Rules) -> Rich {
    mark(text, rules).finish()
}

/// The extensions of Markdown in a post (`article`), or in a field of a section.
pub fn options(article: bool) -> Options {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    if article { options | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS } else { options }
}

/// Renders a text, with marks at the positions of links and pictures.
pub fn mark(text: &str, rules: Rules) -> Marked {
    let events = TextMergeWithOffset::new(Parser::new_ext(text, options(rules.article)).into_offset_iter());
    let mut writer = Writer {
        text,
        rules,
        marked: Marked::default(),
        ids: Ids::default(),
        heading: None,
        code: None,
        code_start: None,
        alt: None,
        lead: Lead::Awaited,
        depth: 0,
        footnotes: Vec::new(),
        footnote_numbers: HashMap::new(),
        in_footnote: None,
        has_table: false,
    };
    for id in rules.taken {
        writer.ids.take(id);
    }
    let mut html = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events.filter_map(|(event, range)| writer.event(event, range)));
    writer.notes(&mut html);
    if writer.has_table && rules.article && !writer.marked.has_raw_html {
        // Text is escaped, so these tags are from the renderer.
        html = html.replace("<table>", TABLE_START).replace("</table>", TABLE_END);
    }
    if writer.has_table && !writer.marked.has_raw_html {
        // A strict content security policy forbids inline styles. Quotes in text are escaped, so these are from the
        // renderer.
        html = html.replace(" style=\"text-align: right\"", " class=\"align-end\"");
        html = html.replace(" style=\"text-align: center\"", " class=\"align-center\"");
        html = html.replace(" style=\"text-align: left\"", "");
        // An empty corner cell is not a header.
        html = html.replace("<th></th>", "<td></td>");
    }
    Marked { html, ..writer.marked }
}

/// State of the first paragraph that is not in a list or quotation.
#[derive(PartialEq)]
enum Lead {
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
    /// Level and text of the open heading.
    heading: Option<(HeadingLevel, String)>,
    /// Language and text of the open code block; the text is collected in articles only.
    code: Option<(String, String)>,
    /// Where the text of the open code block begins.
    code_start: Option<usize>,
    /// The open picture, and the number of open pictures nested in it.
    alt: Option<(InlinePicture, usize)>,
    lead: Lead,
    /// Number of open blocks.
    depth: usize,
    /// Footnotes, in the order of their first reference or definition.
    footnotes: Vec<Footnote>,
    /// Indices in `footnotes` by name.
    footnote_numbers: HashMap<String, usize>,
    in_footnote: Option<usize>,
    has_table: bool,
}

/// A footnote. Created at its first reference or its definition, whichever comes first.
struct Footnote {
    /// Its anchor.
    id: String,
    /// Anchor of the first reference to it.
    back: String,
    text: Option<Vec<Event<'static>>>,
    /// There is a reference, so the footnote gets a link back to it.
    is_referred_to: bool,
}

impl Writer<'_> {
    /// The output for an event. Events inside footnotes are collected for the end of the text.
    fn event<'e>(&mut self, event: Event<'e>, range: Range<usize>) -> Option<Event<'e>> {
        match event {
            Event::Start(Tag::FootnoteDefinition(name)) => {
                let number = self.footnote(&name);
                self.in_footnote = Some(number);
                self.footnotes[number].text.get_or_insert_default();
                return None;
            }
            Event::End(TagEnd::FootnoteDefinition) => {
                self.in_footnote = None;
                return None;
            }
            _ => {}
        }
        let output = self.output(event, range)?;
        match self.in_footnote {
            Some(number) => {
                self.footnotes[number].text.get_or_insert_default().push(output.into_static());
                None
            }
            None => Some(output),
        }
    }

    fn output<'e>(&mut self, event: Event<'e>, range: Range<usize>) -> Option<Event<'e>> {
        if let Some((picture, inner)) = &mut self.alt {
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
                Event::Code(words) => picture.alt.push_str(&words),
                Event::SoftBreak | Event::HardBreak => picture.alt.push(' '),
                _ => {}
            }
            return None;
        }
        match event {
            Event::Start(Tag::Image { dest_url, .. }) => {
                let span = (self.rules.locate)(&dest_url, range);
                self.alt = Some((InlinePicture { src: dest_url.into_string(), alt: String::new(), span }, 0));
                None
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let span = (self.rules.locate)(&dest_url, range);
                let to = (self.rules.fill)(&dest_url);
                // Only the texts of a page have marks.
                let to = if self.rules.origin.is_some() { without(&to) } else { to };
                self.marked.targets.push(Target { to, span });
                Some(open("<a", 'L', self.marked.targets.len() - 1, ">"))
            }
            Event::End(TagEnd::Link) => Some(html("</a>")),
            // Level 1 is reserved for the main heading of the page.
            Event::Start(Tag::Heading { level, .. }) => {
                let level = level.max(HeadingLevel::H2);
                self.heading = Some((level, String::new()));
                Some(open(&format!("<{level} id=\""), 'H', self.marked.headings.len(), "\">"))
            }
            Event::End(TagEnd::Heading(_)) => {
                let (level, words) = self.heading.take()?;
                let id = self.ids.unique(&slug(&words));
                let text = self.with_origin(words.into(), range.start).into_string();
                self.marked.headings.push(Heading { level: level as u8, id, text });
                Some(Event::InlineHtml(format!("</{level}>\n").into()))
            }
            Event::Text(words) => self.text(words, range.start),
            Event::Code(words) => {
                self.count(&words);
                Some(Event::Code(self.with_origin(words, range.start)))
            }
            Event::SoftBreak | Event::HardBreak => {
                self.count(" ");
                Some(event)
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
                self.code_start = None;
                (!self.rules.article).then_some(Event::Start(Tag::CodeBlock(kind)))
            }
            Event::End(TagEnd::CodeBlock) => {
                let (language, text) = self.code.take()?;
                Some(if self.rules.article {
                    let html = highlight(&language, &text);
                    let begin = html.find("<code").and_then(|at| Some(at + html[at..].find('>')? + 1)).unwrap_or(0);
                    let code = self.code_with_origin(&html[begin..], self.code_start.unwrap_or(0));
                    Event::Html(code.map_or(html.clone(), |code| html[..begin].to_owned() + &code).into())
                } else {
                    Event::End(TagEnd::CodeBlock)
                })
            }
            Event::Html(_) | Event::InlineHtml(_) if self.rules.article => {
                self.marked.has_raw_html = true;
                Some(event)
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
            other => Some(self.block(other)),
        }
    }

    /// Tracks open blocks, to find the first paragraph.
    fn block<'e>(&mut self, event: Event<'e>) -> Event<'e> {
        match &event {
            Event::Start(tag) => {
                let is_first = self.lead == Lead::Awaited && self.in_footnote.is_none() && self.depth == 0;
                if matches!(tag, Tag::Paragraph) && is_first {
                    self.lead = Lead::Open;
                }
                let is_inline = matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough);
                self.depth += usize::from(!is_inline);
                self.has_table |= matches!(tag, Tag::Table(_));
            }
            Event::End(tag) => {
                if matches!(tag, TagEnd::Paragraph) && self.lead == Lead::Open {
                    self.lead = Lead::Closed;
                }
                let is_inline = matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough);
                self.depth -= usize::from(!is_inline && self.depth > 0);
            }
            _ => {}
        }
        event
    }

    fn text<'e>(&mut self, words: CowStr<'e>, at: usize) -> Option<Event<'e>> {
        if let Some((_, code)) = &mut self.code {
            if !self.rules.article {
                let code = self.code_with_origin(&words, at);
                return Some(Event::Text(code.map_or(words, CowStr::from)));
            }
            code.push_str(&words);
            self.code_start.get_or_insert(at);
            return None;
        }
        // Avoids a copy of each text: few contain a brace.
        let words = if words.contains('{') { (self.rules.fill)(&words).into() } else { words };
        self.count(&words);
        Some(Event::Text(self.with_origin(words, at)))
    }

    /// Code whose lines begin with the marks of their places, if the page has such marks. Lines of code are lines of the
    /// text.
    fn code_with_origin(&self, code: &str, at: usize) -> Option<String> {
        let origin = self.rules.origin?;
        let starts = std::iter::once(at).chain(self.text[at..].match_indices('\n').map(|(end, _)| at + end + 1));
        let lines = code.split_inclusive('\n').zip(starts);
        Some(lines.map(|(line, start)| origin(start.min(self.text.len() - 1)) + line).collect())
    }

    /// A text behind the mark of its place, if the page has such marks.
    fn with_origin<'e>(&self, words: CowStr<'e>, at: usize) -> CowStr<'e> {
        match self.rules.origin {
            Some(origin) if !words.trim().is_empty() => (origin(at) + &words).into(),
            _ => words,
        }
    }

    fn count(&mut self, words: &str) {
        self.marked.words += super::rich::words(words);
        if let Some((_, heading)) = &mut self.heading {
            heading.push_str(words);
        }
        if self.lead == Lead::Open {
            self.marked.lead.push_str(words);
        }
    }

    fn footnote(&mut self, name: &str) -> usize {
        if let Some(known) = self.footnote_numbers.get(name) {
            return *known;
        }
        let number = self.footnotes.len();
        // Must be unique: a heading may have the same id.
        let id = self.ids.unique(&format!("note-{}", number + 1));
        let back = self.ids.unique(&format!("{id}-back"));
        self.footnotes.push(Footnote { id, back, text: None, is_referred_to: false });
        self.footnote_numbers.insert(name.to_owned(), number);
        number
    }

    /// The reference to a footnote. The footnote links back to the first reference.
    fn reference(&mut self, name: &str) -> Event<'static> {
        let index = self.footnote(name);
        let Footnote { id, back, is_referred_to, .. } = &mut self.footnotes[index];
        let is_first = !std::mem::replace(is_referred_to, true);
        let id_attribute = if is_first { format!(" id=\"{back}\"") } else { String::new() };
        if is_first {
            self.marked.anchors.push(back.clone());
        }
        let number = index + 1;
        let link = format!("<sup><a{id_attribute} href=\"#{id}\" role=\"doc-noteref\">{number}</a></sup>");
        Event::InlineHtml(link.into())
    }

    fn notes(&mut self, html: &mut String) {
        if self.footnotes.is_empty() {
            return;
        }
        html.push_str("<section class=\"footnotes\" role=\"doc-endnotes\"><ol>\n");
        for footnote in std::mem::take(&mut self.footnotes) {
            let mut note = String::new();
            pulldown_cmark::html::push_html(&mut note, footnote.text.unwrap_or_default().into_iter());
            let note = note.trim_end();
            // Put the link back into the last paragraph, not on a separate line.
            let (note, end) = note.strip_suffix("</p>").map_or((note, ""), |note| (note, "</p>"));
            let back = format!("<a href=\"#{}\" role=\"doc-backlink\">↩</a>", footnote.back);
            let back = if footnote.is_referred_to { back } else { String::new() };
            let _ = writeln!(html, "<li id=\"{}\">{note} {back}{end}</li>", footnote.id);
            self.marked.anchors.push(footnote.id);
        }
        html.push_str("</ol></section>\n");
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
mod tests {
    use super::*;
    use crate::content::rich::Piece;

    fn check(text: &str, expect: &str) {
        written(false, text, expect);
    }

    fn written(article: bool, text: &str, expect: &str) {
        let fill = |text: &str| text.replace("{product.name}", "P&Q");
        let rules = Rules { article, taken: &[], fill: &fill, locate: &|_, _| Span::default(), origin: None };
        let html: String = render(text, rules)
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Html(html) => html.clone(),
                Piece::Link(target) => format!(" →{}", target.to),
                Piece::Picture(picture) => format!("[{}: {}]", picture.src, picture.alt),
            })
            .collect();
        assert_eq!(html, expect);
    }

    #[test]
    fn links_are_unresolved() {
        check("See [our *work*](page:work#top).", "<p>See <a →page:work#top>our <em>work</em></a>.</p>");
    }

    #[test]
    fn placeholders_are_filled_and_escaped_but_not_in_code() {
        check("{product.name} `{product.name}`", "<p>P&amp;Q <code>{product.name}</code></p>");
    }

    #[test]
    fn raw_html_is_escaped() {
        check("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>");
    }

    #[test]
    fn headings_have_anchors_and_begin_at_level_two() {
        check(
            "# Año nuevo\n\n# Año nuevo",
            "<h2 id=\"año-nuevo\">Año nuevo</h2>\n<h2 id=\"año-nuevo-2\">Año nuevo</h2>",
        );
    }

    #[test]
    fn code_blocks_are_closed() {
        check("```\n{product.name}\n```\n\n{product.name}", "<pre><code>{product.name}\n</code></pre>\n<p>P&amp;Q</p>");
    }

    #[test]
    fn footnotes_link_back_to_their_reference() {
        written(
            true,
            "One[^a], again[^a].\n\n[^a]: Said *here*.\n",
            "<p>One<sup><a id=\"note-1-back\" href=\"#note-1\" role=\"doc-noteref\">1</a></sup>, \
             again<sup><a href=\"#note-1\" role=\"doc-noteref\">1</a></sup>.</p>\n\
             <section class=\"footnotes\" role=\"doc-endnotes\"><ol>\n\
             <li id=\"note-1\"><p>Said <em>here</em>. <a href=\"#note-1-back\" role=\"doc-backlink\">↩</a></p></li>\n\
             </ol></section>",
        );
    }

    #[test]
    fn a_heading_may_have_the_name_of_a_footnote() {
        written(
            true,
            "## Note 1\n\nOne[^a].\n\n[^a]: Two.\n",
            "<h2 id=\"note-1\">Note 1</h2>\n\
             <p>One<sup><a id=\"note-1-2-back\" href=\"#note-1-2\" role=\"doc-noteref\">1</a></sup>.</p>\n\
             <section class=\"footnotes\" role=\"doc-endnotes\"><ol>\n\
             <li id=\"note-1-2\"><p>Two. <a href=\"#note-1-2-back\" role=\"doc-backlink\">↩</a></p></li>\n\
             </ol></section>",
        );
    }

    #[test]
    fn a_picture_has_plain_alternative_text() {
        written(true, "![A {product.name} *plan*](plan.jpg)", "<p>[plan.jpg: A P&Q plan]</p>");
    }

    #[test]
    fn tasks_are_characters_and_tables_scroll() {
        written(true, "- [x] done", "<ul>\n<li><span class=\"task task-done\">☑</span> done</li>\n</ul>");
        written(
            true,
            "|a|\n|-|\n",
            "<div class=\"table-scroll\" tabindex=\"0\"><table><thead><tr><th>a</th></tr></thead><tbody>\n\
             </tbody></table></div>",
        );
    }

    #[test]
    fn the_first_paragraph_is_outside_of_quotations() {
        let rules =
            Rules { article: true, taken: &[], fill: &str::to_owned, locate: &|_, _| Span::default(), origin: None };
        let marked = mark("# Top\n\n> Said\n\n- an item\n\nThe `first`\n[one](x).\n\nSecond.", rules);
        assert_eq!((marked.lead.as_str(), marked.words), ("The first one.", 8));
        assert_eq!(marked.headings, [Heading { level: 2, id: "top".into(), text: "Top".into() }]);
    }
}
