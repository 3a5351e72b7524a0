//! What is compared of a text in a file and of the text that a browser shows: letters and digits in lower case. Quotes,
//! dashes, spaces and the marks of Markdown differ between the two, letters do not. Each letter knows where it is written.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use generator::config::SiteSettings;

/// Stands for a value that is filled in when a page is rendered, such as `{count}` in an interface message.
const GAP: char = '\u{1}';

/// The letters of a text in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Letters {
    text: String,
    /// The same as it is written, with capitals.
    cased: String,
    /// By byte of the text: the offset in the file.
    places: Vec<usize>,
}

/// The letters and digits of a text, in lower case.
pub(super) fn of_shown(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The letters and digits of a text as they are shown.
pub(super) fn cased(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A picture in Markdown: its path as written, and the offset of its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkdownPicture {
    pub src: String,
    pub place: usize,
}

impl Letters {
    /// The letters of a text as it is written. `place` gives the offset in the file of a byte of the text.
    pub fn of_plain(text: &str, place: &dyn Fn(usize) -> usize, settings: &SiteSettings) -> Letters {
        let mut letters = Letters::default();
        letters.add_filled(text, place, settings);
        letters
    }

    /// The letters of each paragraph, heading, cell and block of code, and the pictures.
    pub fn of_markdown(
        text: &str,
        place: &dyn Fn(usize) -> usize,
        settings: &SiteSettings,
    ) -> (Vec<Letters>, Vec<MarkdownPicture>) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_TASKLISTS;
        let (mut found, mut pictures, mut open) = (Vec::new(), Vec::new(), Letters::default());
        let (mut is_code, mut nested_pictures) = (false, 0);
        for (event, range) in TextMergeWithOffset::new(Parser::new_ext(text, options).into_offset_iter()) {
            // A text with escapes is shorter than what is written; its letters are found in order.
            let at = |from: usize| place(range.start + from);
            match event {
                Event::Start(Tag::Image { dest_url, .. }) => {
                    nested_pictures += 1;
                    pictures.push(MarkdownPicture { src: dest_url.into_string(), place: place(range.start) });
                }
                Event::End(TagEnd::Image) => nested_pictures -= 1,
                _ if nested_pictures > 0 => {}
                Event::Text(shown) if is_code => open.add(&shown, &at),
                Event::Text(shown) => open.add_filled(&shown, &at, settings),
                Event::Code(shown) => {
                    let from = text[range.clone()].find(&*shown).unwrap_or(0);
                    open.add(&shown, &|byte| place(range.start + from + byte));
                }
                Event::Html(html) | Event::InlineHtml(html) => open.add_html(&html, &at),
                Event::Start(Tag::CodeBlock(_)) => {
                    found.push(std::mem::take(&mut open));
                    is_code = true;
                }
                Event::End(TagEnd::CodeBlock) => {
                    found.push(std::mem::take(&mut open));
                    is_code = false;
                }
                Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. })
                | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::FootnoteReference(_)
                | Event::TaskListMarker(_) => {}
                _ => found.push(std::mem::take(&mut open)),
            }
        }
        found.push(open);
        found.retain(|letters| !letters.text.is_empty());
        (found, pictures)
    }

    /// Adds the letters of a text, with the values of placeholders in their places.
    fn add_filled(&mut self, text: &str, place: &dyn Fn(usize) -> usize, settings: &SiteSettings) {
        let mut from = 0;
        for (at, _) in text.match_indices('{') {
            let Some((name, _)) = text[at + 1..].split_once('}').filter(|_| at >= from) else { continue };
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
            if name.is_empty() || !name.chars().all(is_name) {
                continue;
            }
            self.add(&text[from..at], &|byte| place(from + byte));
            match settings.placeholder(name) {
                Some(value) => self.add(&value, &|_| place(at)),
                None => self.push(GAP, place(at)),
            }
            from = at + name.len() + 2;
        }
        self.add(&text[from..], &|byte| place(from + byte));
    }

    /// Adds the letters between tags.
    fn add_html(&mut self, html: &str, place: &dyn Fn(usize) -> usize) {
        let mut is_tag = false;
        for (at, c) in html.char_indices() {
            match c {
                '<' => is_tag = true,
                '>' => is_tag = false,
                _ if is_tag => {}
                _ => self.add_char(c, place(at)),
            }
        }
    }

    fn add(&mut self, text: &str, place: &dyn Fn(usize) -> usize) {
        text.char_indices().for_each(|(at, c)| self.add_char(c, place(at)));
    }

    fn add_char(&mut self, c: char, place: usize) {
        if c.is_alphanumeric() {
            self.cased.push(c);
            c.to_lowercase().for_each(|c| self.push(c, place));
        }
    }

    fn push(&mut self, c: char, place: usize) {
        self.text.push(c);
        self.places.extend(std::iter::repeat_n(place, c.len_utf8()));
    }

    /// How many bytes of letters there are.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether they are written with these capitals.
    pub fn is_cased(&self, shown: &str) -> bool {
        self.cased == shown
    }

    /// Whether a value is filled in between them.
    pub fn has_gap(&self) -> bool {
        self.text.contains(GAP)
    }

    /// How many bytes of letters stand in the file, without what fills the gaps.
    pub fn written(&self) -> usize {
        self.text.len() - self.text.matches(GAP).count()
    }

    /// Whether these are the letters of a text, whatever fills the gaps.
    pub fn is(&self, shown: &str) -> bool {
        if !self.text.contains(GAP) {
            return self.text == shown;
        }
        let mut pieces = self.text.split(GAP);
        let Some(mut rest) = shown.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
        let pieces: Vec<&str> = pieces.collect();
        let Some((last, middle)) = pieces.split_last() else { return false };
        for piece in middle {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        // A message that is nothing but a gap would be every text.
        rest.ends_with(last) && self.text.chars().any(|c| c != GAP)
    }

    /// The offset of the first letter of `shown` among these.
    pub fn find(&self, shown: &str) -> Option<usize> {
        self.text.find(shown)
    }

    /// Whether a text contains all of these letters.
    pub fn is_part_of(&self, shown: &str) -> bool {
        !self.text.contains(GAP) && shown.contains(&self.text)
    }

    /// The offset in the file of a letter.
    pub fn place(&self, letter: usize) -> Option<usize> {
        self.places.get(letter).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Letters {
        Letters::of_plain(text, &|at| at, &SiteSettings::default())
    }

    #[test]
    fn quotes_dashes_and_spaces_do_not_count() {
        assert!(plain("It's “5 %” – Ñandú").is(&of_shown("it’s \"5\u{a0}%\" — ñandú")));
        assert!(!plain("One").is(&of_shown("One more")));
    }

    #[test]
    fn values_fill_the_gaps_of_a_message() {
        let message = plain("{count} articles found for {query}");
        assert!(message.is(&of_shown("12 articles found for “rust”")));
        assert!(!message.is(&of_shown("12 articles")));
        assert!(!plain("{month} {day}").is("march14"), "a gap alone is no text");
    }

    fn check_markdown(text: &str, expect: &[&str]) {
        let (found, _) = Letters::of_markdown(text, &|at| at, &SiteSettings::default());
        assert_eq!(found.iter().map(|letters| letters.text.as_str()).collect::<Vec<_>>(), expect, "{text}");
        for letters in found.iter().filter(|letters| letters.text.is_ascii()) {
            for (at, c) in letters.text.char_indices() {
                let written = text[letters.places[at]..].chars().next().map(|c| c.to_ascii_lowercase());
                assert_eq!(written, Some(c), "{text}: letter {at}");
            }
        }
    }

    #[test]
    fn marks_of_markdown_do_not_count() {
        check_markdown(
            "## A **bold** [link](page:b \"t\") and `code`[^1]\n\n- one\n- two\n\n[^1]: Note.",
            &["aboldlinkandcode", "one", "two", "note"],
        );
        check_markdown("| a | b |\n|---|---|\n| c | d |\n\n```sh\nls {a} -l\n```\n", &["a", "b", "c", "d", "lsal"]);
        check_markdown("x <b title=\"no\">y</b> ![alt](a.png) z", &["xyz"]);
    }

    #[test]
    fn pictures_are_where_their_marks_are() {
        let (_, pictures) = Letters::of_markdown("a\n\n![b](c.png)", &|at| at + 10, &SiteSettings::default());
        assert_eq!(pictures, [MarkdownPicture { src: "c.png".into(), place: 13 }]);
    }
}
