//! The prose of a Markdown text: what visitors read as running text, without code, HTML, addresses and marks.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd, TextMergeWithOffset};

use text::markdown::options;
use text::markdown::parts::cut;

/// Stands for something that is not prose, such as code in a sentence.
pub(super) const OPAQUE: char = '\u{fffc}';

/// A character of prose, and the bytes of the text that it is written with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub c: char,
    pub range: Range<usize>,
}

/// The elements of HTML whose texts are code.
const CODE: [&str; 5] = ["code", "kbd", "samp", "var", "tt"];

/// The paragraphs, headings, cells and captions of a text.
pub(super) fn paragraphs(text: &str) -> Vec<Vec<Glyph>> {
    let mut found = Vec::new();
    let mut open: Vec<Glyph> = Vec::new();
    let (mut is_code, mut is_code_of_html) = (false, false);
    let mut is_address = false;
    // The fields of sections are no prose of the post.
    let cut = cut(text);
    let text = cut.as_ref().map_or(text, |cut| cut.text.as_str());
    for (event, range) in
        TextMergeWithOffset::new(Parser::new_ext(text, options(true)).into_offset_iter())
    {
        match event {
            Event::Text(_) if is_code => {}
            Event::Text(_) if is_code_of_html => open.push(Glyph { c: OPAQUE, range }),
            Event::Text(_) if is_address => open.push(Glyph { c: OPAQUE, range }),
            Event::Text(shown) => add_text(&mut open, text, &shown, range),
            Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_) => {
                open.push(Glyph { c: OPAQUE, range });
            }
            Event::SoftBreak => open.push(Glyph { c: '\n', range }),
            Event::Start(Tag::Link { link_type, .. }) => {
                // The text of `[label]` and `[label][]` also names the line with the URL.
                is_address = !matches!(
                    link_type,
                    LinkType::Inline | LinkType::Reference | LinkType::ReferenceUnknown
                );
            }
            Event::End(TagEnd::Link) => is_address = false,
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
            | Event::TaskListMarker(_) => {}
            Event::InlineHtml(tag) => {
                let name = tag.trim_start_matches(['<', '/']);
                let name = name.split(|c: char| !c.is_alphanumeric()).next();
                if name.is_some_and(|name| CODE.contains(&&*name.to_ascii_lowercase())) {
                    is_code_of_html = !tag.starts_with("</");
                }
            }
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            // Everything else, a picture included, begins or ends a run of text.
            _ => found.push(std::mem::take(&mut open)),
        }
    }
    found.push(open);
    found.retain(|paragraph| !paragraph.is_empty());
    found
        .iter_mut()
        .for_each(|paragraph| hide_addresses(paragraph));
    found
}

/// Adds the characters of a text, some of which may be written as escapes or entities.
fn add_text(open: &mut Vec<Glyph>, text: &str, shown: &str, range: Range<usize>) {
    let mut at = range.start;
    // The backslash of an escaped first character is in front of the range.
    if text[..at].ends_with('\\')
        && shown.starts_with(|c: char| c.is_ascii_punctuation())
        && open.last().is_none_or(|last| last.range.end < at)
    {
        at -= 1;
    }
    for c in shown.chars() {
        let rest = text.get(at..range.end).unwrap_or_default();
        let is_entity = rest.starts_with('&')
            && (c != '&' || rest.starts_with("&amp;") || rest.starts_with("&#"));
        let length = if is_entity {
            rest.find(';').map(|end| end + 1)
        } else if rest.starts_with('\\') && (c != '\\' || rest.starts_with("\\\\")) {
            rest[1..].starts_with(c).then_some(1 + c.len_utf8())
        } else {
            rest.starts_with(c).then_some(c.len_utf8())
        };
        let Some(length) = length else {
            open.push(Glyph {
                c: OPAQUE,
                range: at..range.end,
            });
            return;
        };
        // A character that was written as an entity is meant as it is.
        let shown = if is_entity && !c.is_whitespace() {
            OPAQUE
        } else {
            c
        };
        open.push(Glyph {
            c: shown,
            range: at..at + length,
        });
        at += length;
    }
}

/// Hides the words that are addresses: `https://example.com/a-b`, `name@example.com`, `/a/path/`.
fn hide_addresses(paragraph: &mut [Glyph]) {
    for word in paragraph.split_mut(|glyph| is_space(glyph.c)) {
        let text: String = word.iter().map(|glyph| glyph.c).collect();
        let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let is_address = bare.contains("://")
            || bare.starts_with("www.")
            || bare.starts_with("mailto:")
            || bare.starts_with('/') && bare.len() > 1
            || bare
                .split_once('@')
                .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        if is_address {
            word.iter_mut().for_each(|glyph| glyph.c = OPAQUE);
        }
    }
}

/// Whether a character is a space or a line break of the text, of whichever width.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::{OPAQUE, paragraphs};

    fn check(text: &str, expect: &[&str]) {
        let shown = paragraphs(text);
        for glyph in shown
            .iter()
            .flatten()
            .filter(|glyph| glyph.c != OPAQUE && glyph.range.len() == glyph.c.len_utf8())
        {
            assert_eq!(&text[glyph.range.clone()], glyph.c.to_string(), "{text}");
        }
        let line = |paragraph: &Vec<super::Glyph>| {
            paragraph
                .iter()
                .map(|glyph| if glyph.c == OPAQUE { '#' } else { glyph.c })
                .collect::<String>()
        };
        assert_eq!(shown.iter().map(line).collect::<Vec<_>>(), expect, "{text}");
    }

    #[test]
    fn code_html_and_addresses_are_not_prose() {
        check("a <code>5 MB</code> <KBD>\"x\"</KBD> c", &["a # # c"]);
        check("a `b` c\n\n    code\n\n```\ncode\n```\nd", &["a # c", "d"]);
        check("a <b title=\"x\">c</b>\n\n<div>\n\"x\"\n</div>", &["a c"]);
        check(
            "see https://a.example/50%25 or <https://b.example>",
            &["see ####################### or #"],
        );
        check("[a](b \"c\") ![d](e)", &["a ", "d"]);
        check(
            "[it's] [5 kg][] [5 kg][it's]\n\n[5 kg]: /a/\n[it's]: /b/",
            &["# # 5 kg"],
        );
    }

    #[test]
    fn each_cell_and_item_is_a_paragraph() {
        check(
            "| a | b |\n|---|---|\n| c | d |\n\n- e\n- f\n",
            &["a", "b", "c", "d", "e", "f"],
        );
    }

    #[test]
    fn escapes_and_entities_keep_their_places() {
        check(
            r#"a \"b\" &amp; c&nbsp;d \\" e"#,
            &["a \"b\" # c\u{a0}d \\\" e"],
        );
        let text = r#"a \"b"#;
        let quote = paragraphs(text)[0]
            .iter()
            .find(|glyph| glyph.c == '"')
            .map(|glyph| glyph.range.clone());
        assert_eq!(quote, Some(2..4));
    }

    #[test]
    fn marks_do_not_interrupt_prose() {
        check("**a**b *c*\nd", &["ab c\nd"]);
    }
}
