//! Markdown to HTML with the links left open, in one parse.
//!
//! Where a link leads is known only when every address of the site is. So the HTML is kept in pieces, and a
//! [`Target`] stands between them; the render station puts the attributes in.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};

use crate::problem::Span;

/// Rendered Markdown, ready but for its links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rich {
    /// In order.
    pub pieces: Vec<Piece>,
    /// Ids of its headings.
    pub anchors: Vec<String>,
    /// Pictures in the text: pages have none, because nothing says what they show or how large they are.
    pub pictures: Vec<Span>,
}

/// A part of rendered Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Safe HTML.
    Html(String),
    /// The attributes of a link, from `href` on.
    Link(Target),
}

/// Where a link leads, as it was written, and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `page:<key>#anchor`, a path, `#anchor`, or an outside address; placeholders are filled in.
    pub to: String,
    /// Its bytes in the file.
    pub span: Span,
}

/// Renders a text whose headings get ids that are not `taken` on the page. `fill` fills placeholders (not inside code); `locate` says where in the file a target was written.
pub fn render(text: &str, taken: &[String], fill: &dyn Fn(&str) -> String, locate: &dyn Fn(&str) -> Span) -> Rich {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let (mut targets, mut pictures) = (Vec::new(), Vec::new());
    let mut anchors: Vec<String> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut heading: Option<(usize, String)> = None;
    let mut in_code = false;
    for event in TextMergeStream::new(Parser::new_ext(text, options)) {
        let event = match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                targets.push(Target { to: fill(&dest_url), span: locate(&dest_url) });
                // NUL cannot come out of the parser, so it marks a link's place in the HTML without a second pass.
                Event::InlineHtml(CowStr::from(format!("<a\0{}\0>", targets.len() - 1)))
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                pictures.push(locate(&dest_url));
                Event::InlineHtml("".into())
            }
            Event::End(TagEnd::Image) => Event::InlineHtml("".into()),
            Event::End(TagEnd::Link) => Event::InlineHtml("</a>".into()),
            // A page has one main heading, and it is not in running text.
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((events.len(), String::new()));
                Event::Start(Tag::Heading {
                    level: level.max(HeadingLevel::H2),
                    id: None,
                    classes: vec![],
                    attrs: vec![],
                })
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some((at, words)) = heading.take() {
                    let id = unique(&slug(&words), &[taken, &anchors].concat());
                    if let Event::Start(Tag::Heading { id: attribute, .. }) = &mut events[at] {
                        *attribute = Some(id.clone().into());
                    }
                    anchors.push(id);
                }
                Event::End(TagEnd::Heading(level.max(HeadingLevel::H2)))
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                Event::Start(Tag::CodeBlock(kind))
            }
            Event::End(TagEnd::CodeBlock) => {
                in_code = false;
                Event::End(TagEnd::CodeBlock)
            }
            Event::Text(words) if !in_code => {
                let words = fill(&words);
                if let Some((_, heading)) = &mut heading {
                    heading.push_str(&words);
                }
                Event::Text(words.into())
            }
            Event::Code(words) => {
                if let Some((_, heading)) = &mut heading {
                    heading.push_str(&words);
                }
                Event::Code(words)
            }
            // Raw HTML in a page's fields is shown as it is written, never run.
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
            other => other,
        };
        events.push(event);
    }
    let mut html = String::with_capacity(text.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    Rich { pieces: split(&html, targets), anchors, pictures }
}

fn split(html: &str, targets: Vec<Target>) -> Vec<Piece> {
    let mut targets: Vec<Option<Target>> = targets.into_iter().map(Some).collect();
    let parts = html.split('\0').enumerate();
    parts
        .filter_map(|(index, part)| {
            if index % 2 == 0 {
                Some(Piece::Html(part.trim_end_matches('\n').to_owned()))
            } else {
                part.parse::<usize>().ok().and_then(|number| targets.get_mut(number)?.take()).map(Piece::Link)
            }
        })
        .collect()
}

/// A heading's words as an anchor: lower case, letters and digits of any language, hyphens between.
pub fn slug(words: &str) -> String {
    let mut slug = String::with_capacity(words.len());
    for c in words.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

fn unique(slug: &str, taken: &[String]) -> String {
    let slug = if slug.is_empty() { "section" } else { slug };
    let mut candidate = slug.to_owned();
    let mut number = 2;
    while taken.contains(&candidate) {
        candidate = format!("{slug}-{number}");
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let rich = render(text, &[], &|text| text.replace("{product.name}", "P&Q"), &|_| Span::default());
        let html: String = rich
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Html(html) => html.clone(),
                Piece::Link(target) => format!(" →{}", target.to),
            })
            .collect();
        assert_eq!(html, expect);
    }

    #[test]
    fn links_are_left_open() {
        check("See [our *work*](page:work#top).", "<p>See <a →page:work#top>our <em>work</em></a>.</p>");
    }

    #[test]
    fn placeholders_are_filled_and_escaped_but_not_in_code() {
        check("{product.name} `{product.name}`", "<p>P&amp;Q <code>{product.name}</code></p>");
    }

    #[test]
    fn raw_html_is_text() {
        check("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>");
    }

    #[test]
    fn headings_get_anchors_and_never_are_the_first_level() {
        check(
            "# Año nuevo\n\n# Año nuevo",
            "<h2 id=\"año-nuevo\">Año nuevo</h2>\n<h2 id=\"año-nuevo-2\">Año nuevo</h2>",
        );
    }

    #[test]
    fn code_blocks_are_closed() {
        check("```\n{product.name}\n```\n\n{product.name}", "<pre><code>{product.name}\n</code></pre>\n<p>P&amp;Q</p>");
    }
}
