//! Reports what keeps readers from using a text: links whose words do not say where they lead, and markup without words.
//!
//! There are no false alarms: words are checked only where an editor wrote them, in the language of their page, and markup
//! only where nothing gives it a name. Posts of a CMS are not checked, because nobody can correct them here.

pub mod html;
mod words;

use std::borrow::Cow;
use std::ops::Range;

use foldhash::HashMap;

use api_types::html::text_of;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};

use super::rich::{Marked, Piece, Rich, Target};
use html::{Fault, Found};
use schema::types::composed;

/// A link in a text, with its words.
struct LinkText<'a> {
    text: String,
    target: &'a Target,
}

/// Checks the links of a page in the texts that an editor wrote.
#[derive(Debug)]
pub struct LinkTexts<'a> {
    /// The language of the page, such as `es-CO`.
    language: &'a str,
    /// The target of each text that was seen.
    seen: HashMap<String, String>,
}

impl<'a> LinkTexts<'a> {
    /// Begins a page.
    pub fn new(language: &'a str) -> LinkTexts<'a> {
        LinkTexts {
            language,
            seen: HashMap::default(),
        }
    }

    /// Checks the links of a text.
    pub fn check(&mut self, rich: &Rich, source: &Source, problems: &mut Problems) {
        for LinkText { text, target } in links(rich) {
            let key = plain(&text);
            if key.is_empty() {
                if text.trim().is_empty() && !target.to.is_empty() {
                    problems.push(
                        without_text(&format!("the link to `{}`", target.to))
                            .at(source.place(target.span)),
                    );
                }
                continue;
            }
            if words::is_vague(&key, self.language) {
                problems.push(vague(text.trim()).at(source.place(target.span)));
                continue;
            }
            let first = self.seen.entry(key).or_insert_with(|| target.to.clone());
            if differ(first, &target.to) {
                let message = format!(
                    "`{}` links to `{}` here, and to `{first}` above",
                    shortened(text.trim()),
                    target.to
                );
                let problem =
                    Problem::warning(Code::SameLinkText, message).at(source.place(target.span));
                problems.push(problem.hint("make each link text say where the link goes"));
            }
        }
    }

    /// Checks the label of a button or of a link, which may be short because it is part of a section with a heading.
    pub fn check_label(
        &self,
        label: &str,
        target: &Target,
        source: &Source,
        problems: &mut Problems,
    ) {
        if words::is_click(&plain(label), self.language) {
            problems.push(vague(label.trim()).at(source.place(target.span)));
        }
    }
}

/// Reports the first word of a statement that claims more than a check can prove. `text` is a part of a file.
pub fn check_claim(source: &Source, text: Range<usize>) -> Option<Problem> {
    let written = source.text.get(text.clone())?;
    let word = words::claim(written)?;
    let at = written.to_lowercase().find(word).unwrap_or_default();
    let is_same = written
        .get(at..at + word.len())
        .is_some_and(|found| found.to_lowercase() == word);
    let span = if is_same {
        Span::new(text.start + at, text.start + at + word.len())
    } else {
        Span::new(text.start, text.end)
    };
    let problem = Problem::warning(
        Code::AccessibilityClaim,
        format!("`{word}` claims more than a check can prove"),
    );
    Some(
        problem
            .at(source.place(span))
            .hint("state the goal and the known limitations, and say how the site was checked"),
    )
}

/// The problems of the text of a post. `marked` is the text as it was read, `rich` the same when it is finished, and `body`
/// its bytes in the file.
pub fn of_post(
    marked: &Marked,
    rich: &Rich,
    language: &str,
    source: &Source,
    body: Range<usize>,
) -> Problems {
    let mut problems = Problems::new();
    LinkTexts::new(language).check(rich, source, &mut problems);
    // Markdown gives its pictures and tables what raw HTML may lack, so that most texts need not be read again.
    let levels = marked.headings.windows(2);
    let is_skipped = levels
        .into_iter()
        .any(|pair| pair[1].level > pair[0].level + 1);
    if !is_skipped && !marked.had_raw_html {
        return problems;
    }
    let mut html = String::new();
    for piece in &rich.pieces {
        match piece {
            Piece::Html(text) => html.push_str(text),
            // Links without words were reported above, so each one has a name here.
            Piece::Link(_) => html.push_str(" aria-label=\"x\""),
            Piece::Picture(_) => html.push_str("<img alt=\"\">"),
            Piece::Word(_) | Piece::Media(..) | Piece::Part(..) => {}
        }
    }
    for found in html::scan(&html) {
        let place = found.place_in(source, body.clone());
        problems.push(found.problem().at(place));
    }
    problems
}

/// Whether a text has a link without words, which is reported at its place.
pub fn has_wordless_link(rich: &Rich) -> bool {
    links(rich).any(|link| link.text.trim().is_empty())
}

/// The value of an attribute, whose name ends with `="`, in the parts of a tag.
fn attribute<'a>(tag: [&'a str; 2], name: &str) -> Option<&'a str> {
    tag.into_iter()
        .find_map(|part| part.split_once(name))?
        .1
        .split('"')
        .next()
}

/// The links of a text, with the words between their tags.
fn links(rich: &Rich) -> impl Iterator<Item = LinkText<'_>> {
    rich.pieces.iter().enumerate().filter_map(|(at, piece)| {
        let Piece::Link(target) = piece else {
            return None;
        };
        let whole = until_end(&rich.pieces[at + 1..])?;
        // The address is written between other attributes of the start tag, or behind all of them.
        let (behind, inner) = whole.split_once('>')?;
        let before = match at.checked_sub(1).map(|before| &rich.pieces[before]) {
            Some(Piece::Html(html)) => html.rfind("<a").map_or("", |start| &html[start..]),
            _ => "",
        };
        let tag = [before, behind];
        let text = match attribute(tag, "aria-label=\"") {
            Some(label) => api_types::html::unescape(label),
            None => text_of(inner),
        };
        let is_named = text.trim().is_empty()
            && attribute(tag, "title=\"").is_some_and(|title| !title.trim().is_empty());
        (!is_named).then_some(LinkText { text, target })
    })
}

/// The markup of a link up to its end tag, which is in one piece for most links.
fn until_end(pieces: &[Piece]) -> Option<Cow<'_, str>> {
    let mut inner = Cow::Borrowed("");
    for piece in pieces {
        match piece {
            Piece::Html(html) => match html.find("</a>") {
                Some(end) => {
                    inner += &html[..end];
                    break;
                }
                None => inner += html.as_str(),
            },
            Piece::Picture(picture) => {
                let inner = inner.to_mut();
                inner.push(' ');
                inner.push_str(&api_types::html::escape(&picture.alt));
            }
            _ => return None,
        }
    }
    Some(inner)
}

/// A text as it is compared: in lower case, with single blanks, without signs at its ends.
fn plain(text: &str) -> String {
    let text = composed(text);
    let text = text
        .trim_matches(|c: char| !c.is_alphanumeric() && !is_mark(c))
        .to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Vowel signs of some scripts end words, and are neither letters nor digits.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Whether two targets are two places. The same one may be written as a key, as a path or as a file, so that targets of
/// different kinds are not compared.
fn differ(one: &str, other: &str) -> bool {
    let [one_kind, other_kind] = [one, other].map(|to| {
        ["page:", "http://", "https://", "mailto:", "tel:", "/", "#"]
            .iter()
            .position(|start| to.starts_with(start))
    });
    one_kind.is_some()
        && one_kind == other_kind
        && one.trim_end_matches('/') != other.trim_end_matches('/')
}

fn vague(text: &str) -> Problem {
    let message = format!(
        "the link text `{}` does not say where the link goes",
        shortened(text)
    );
    Problem::warning(Code::VagueLink, message)
        .hint("link the text that names the target: screen readers list links out of context")
}

fn without_text(what: &str) -> Problem {
    let hint = "add text to it, or give its image an `alt`, or its icon an `aria-label`";
    Problem::warning(Code::LinkWithoutText, format!("{what} has no text")).hint(hint)
}

fn shortened(text: &str) -> String {
    const LENGTH: usize = 60;
    match text.char_indices().nth(LENGTH) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

impl Found {
    /// The problem, without a place.
    pub fn problem(&self) -> Problem {
        let Found { fault, shown, .. } = self;
        match fault {
            Fault::Link => without_text(&format!("the link to `{}`", shortened(shown))),
            Fault::Button => without_text(&format!("a button (`{}`)", shortened(shown))),
            Fault::Heading { level, above } => {
                let message = format!(
                    "the heading `{}` has level {level}, but the heading above it has level {above}",
                    shortened(shown)
                );
                Problem::warning(Code::SkippedHeading, message).hint(format!(
                    "give it level {}: people who use screen readers navigate by headings",
                    above + 1
                ))
            }
            Fault::Table => {
                let message = "a table has no headers, so its cells are read out without context";
                Problem::warning(Code::TableWithoutHeaders, message)
                    .hint("write the names of its columns or rows in `<th>`")
            }
            Fault::Picture => {
                let message = format!("the image `{}` has no `alt`", shortened(shown));
                let hint = "write what it shows, or `alt=\"\"` if it adds nothing";
                Problem::warning(Code::MissingAlt, message).hint(hint)
            }
        }
    }

    /// The place of what is written in a part of a file, or else the file.
    pub fn place_in(&self, source: &Source, part: Range<usize>) -> Place {
        let text = source.text.get(part.clone()).unwrap_or_default();
        let found = self
            .written
            .iter()
            .find_map(|written| Some((text.find(written.as_str())?, written.len())));
        let span = found.map(|(at, length)| Span::new(part.start + at, part.start + at + length));
        span.map_or_else(
            || Place::file(source.path.clone()),
            |span| source.place(span),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{Rules, mark};

    /// The codes of the problems of a text.
    fn codes(text: &str, language: &str) -> Vec<&'static str> {
        let source = Source::new("a.md".into(), text.into());
        let fill = |text: &str| text.to_owned();
        let locate = |_: &str, range: Range<usize>| Span::new(range.start, range.end);
        let mut marked = mark(
            text,
            Rules {
                article: true,
                taken: &[],
                fill: &fill,
                locate: &locate,
                origin: None,
            },
        );
        marked.had_raw_html = marked.has_raw_html;
        of_post(&marked, &marked.finish(), language, &source, 0..text.len())
            .iter()
            .map(|problem| problem.code.name())
            .collect()
    }

    #[test]
    fn words_that_say_nothing_are_found_in_the_language_of_the_page() {
        for (text, language) in [
            ("[Click here](/a/) for more", "en"),
            ("[here](/a/)", "en-GB"),
            ("[**Read more »**](/a/)", "en"),
            ("[aquí](/a/)", "es-CO"),
            ("[Haz clic aquí.](/a/)", "es"),
            ("[hier klicken](/a/)", "de"),
            ("[hier](/a/)", "de-AT"),
            ("[اضغط هنا](/a/)", "ar"),
            ("[点击这里](/a/)", "zh-CN"),
            ("[こちら](/a/)", "ja"),
            ("[यहाँ क्लिक करें](/a/)", "hi"),
        ] {
            assert_eq!(codes(text, language), ["vague-link"], "{text}");
        }
        for (text, language) in [
            ("[hier](/a/)", "fr"),
            ("[here](/a/)", "de"),
            ("[mais](/a/)", "fr"),
            ("[here we are](/a/)", "en"),
            ("[Read more about bridges](/a/)", "en"),
            ("click here", "en"),
            ("`[here](/a/)`", "en"),
        ] {
            assert!(codes(text, language).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_text_leads_to_one_place() {
        assert_eq!(
            codes("[Prices](/a/) and [prices](/b/)", "en"),
            ["same-link-text"]
        );
        assert!(codes("[Prices](/a/) and [prices](/a)", "en").is_empty());
        assert!(
            codes("[Prices](page:a) and [prices](/a/)", "en").is_empty(),
            "these may be one place"
        );
    }

    #[test]
    fn a_link_has_words() {
        assert_eq!(codes("a [](/a/) b", "en"), ["link-without-text"]);
        assert!(codes("a [→](/a/) b", "en").is_empty(), "a sign is read");
        assert!(codes("[Home](/a/ \"a title\")", "en").is_empty());
    }

    #[test]
    fn a_polite_request_for_a_click_says_nothing_either() {
        for (text, language) in [
            ("Klicken Sie bitte hier", "de"),
            ("Please click here", "en"),
            ("haz clic aqui", "es"),
            ("Veuillez cliquer ici", "fr"),
            ("Meer lezen", "nl"),
            ("Zobacz więcej", "pl"),
            ("للمزيد", "ar"),
            ("请点击这里", "zh-Hans"),
        ] {
            assert_eq!(
                codes(&format!("[{text}](/a/)"), language),
                ["vague-link"],
                "{text}"
            );
        }
    }

    #[test]
    fn levels_of_headings_are_not_skipped() {
        assert_eq!(
            codes("## A\n\n#### B\n\n## C\n\n### D\n\n## E", "en"),
            ["skipped-heading"]
        );
        assert!(codes("### A\n\n## B", "en").is_empty());
    }

    #[test]
    fn tables_and_pictures_of_raw_html_have_what_markdown_gives_them() {
        assert!(codes("| a | b |\n|---|---|\n| 1 | 2 |", "en").is_empty());
        assert_eq!(
            codes("<table><tr><td>1</td></tr></table>", "en"),
            ["table-without-headers"]
        );
        assert!(
            codes(
                "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>",
                "en"
            )
            .is_empty()
        );
    }
}
