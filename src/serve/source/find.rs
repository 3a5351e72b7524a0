//! Finds where a text or a picture of a page is written, among the texts of the site's files.
//!
//! What decides is how much of what surrounds the text a file explains: a word of a paragraph is found in the paragraph,
//! not in a menu with the same word. Only then do the file, the section and the language count.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use diagnostics::problem::{Place, Span};

use super::letters::{cased, of_shown};
use super::texts::{FileTexts, Role, Text};

/// How many places are named for one text.
const MAX_FOUND: usize = 8;
/// Fewer letters than these are in too many texts to be found as a part of one.
const SHORT: usize = 5;
/// A message whose values are longer than this many times its own letters, and so many more, is another text. Around the
/// clicked text, they may be as long as its own letters.
const MAX_FILLED: (usize, usize) = (4, 24);

/// What was clicked, and where.
#[derive(Debug, Default)]
pub(super) struct Query<'a> {
    /// The text itself and those of the elements around it, innermost first.
    pub shown: Vec<Shown>,
    /// The key of `site.yaml` that the text is below, if it stands in the header or the footer.
    pub frame: Option<&'a str>,
    /// The index of its section among those of the page.
    pub section: Option<usize>,
    /// The names of the page's sections.
    pub names: &'a [String],
    pub locale: &'a str,
    /// The files of the page, its own first.
    pub files: &'a [String],
    /// The files of the page that a link at the text leads to, such as those of a post that a card shows.
    pub near: &'a [String],
    /// How many elements of the section before it show the same.
    pub nth: usize,
}

/// What an element shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its letters in lower case.
    letters: String,
    /// Its letters as they are shown.
    cased: String,
    /// How many bytes of its letters stand before the clicked text.
    before: usize,
}

/// How well a text of a file explains what was clicked: the less, the better.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::struct_excessive_bools, reason = "they are compared one after the other")]
struct Rank {
    explained: Reverse<usize>,
    is_part: bool,
    is_name: bool,
    is_other_language: bool,
    is_other_case: bool,
    tier: usize,
    is_other_section: bool,
}

/// What was clicked and what is around it, without repetitions and empty texts. `before` counts the letters of each that
/// stand before the clicked text.
pub(super) fn shown(texts: &[String], before: &[usize]) -> Vec<Shown> {
    let before = before.iter().copied().chain(std::iter::repeat(0));
    let shown = texts.iter().zip(before).map(|(text, before)| {
        let letters = of_shown(text);
        let before = letters.char_indices().nth(before).map_or(0, |(at, _)| at);
        Shown { letters, cased: cased(text), before }
    });
    let mut shown: Vec<Shown> = shown.filter(|shown| !shown.letters.is_empty()).collect();
    shown.dedup_by(|outer, inner| outer.letters == inner.letters);
    shown
}

/// The places of a text, best first.
pub(super) fn places<'f>(query: &Query, files: impl IntoIterator<Item = &'f FileTexts>) -> Vec<Place> {
    let mut found: Vec<(Rank, usize, &FileTexts, usize)> = Vec::new();
    for file in files.into_iter().filter(|file| query.may_come_from(&file.source.path)) {
        let tier = query.tier(&file.source.path);
        for text in &file.texts {
            let Some((explained, is_part, letter)) = query.explained(text, tier) else { continue };
            let locale = text.locale.as_ref().or(file.locale.as_ref());
            let rank = Rank {
                explained: Reverse(explained),
                is_part,
                is_name: text.role != Role::Shown,
                is_other_language: locale.is_some_and(|locale| locale != query.locale),
                is_other_case: !is_part && !query.shown.iter().any(|shown| text.letters.is_cased(&shown.cased)),
                tier,
                is_other_section: query.is_other_section(text, tier),
            };
            found.push((rank, text.letters.len(), file, text.letters.place(letter).unwrap_or(text.place)));
        }
    }
    found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    // Of texts that explain it equally well, the one that stands as far down as what was clicked.
    if let Some(first) = found.first() {
        let is_same = |other: &(Rank, usize, &FileTexts, usize)| {
            (&other.0, other.1) == (&first.0, first.1) && other.2.source.path == first.2.source.path
        };
        let count = found.iter().take_while(|other| is_same(other)).count();
        found[..count].sort_by_key(|(.., place)| *place);
        found.swap(0, query.nth % count);
    }
    let enough = found.first().map_or(0, |(rank, ..)| rank.explained.0.div_ceil(2));
    let mut known = BTreeSet::new();
    let places = found.into_iter().filter(|(rank, ..)| rank.explained.0 >= enough);
    let places = places.map(|(_, _, file, place)| file.source.place(Span::new(place, place)));
    let is_new = |place: &Place| known.insert((place.path.clone(), place.range.map(|range| range.start.line)));
    places.filter(is_new).take(MAX_FOUND).collect()
}

impl Query<'_> {
    /// How many letters of what was clicked a text explains, whether the text is longer or shorter than that, and the
    /// first letter of the clicked text in it. `None` if it explains nothing.
    fn explained(&self, text: &Text, tier: usize) -> Option<(usize, bool, usize)> {
        let letters = &text.letters;
        let innermost = self.shown.first()?;
        for (level, outer) in self.shown.iter().enumerate().rev() {
            let length = outer.letters.len();
            if letters.is(&outer.letters) {
                if !letters.has_gap() {
                    return may_be_far(&outer.letters, tier).then_some((length, false, outer.before));
                }
                // Few words with a value between them are the beginning and the end of many texts.
                let written = letters.written();
                let most = if level == 0 { written * MAX_FILLED.0 + MAX_FILLED.1 } else { written * 2 };
                let is_message = length <= most && (level == 0 || written >= SHORT);
                if is_message {
                    return Some((written, false, letters.find(&innermost.letters).unwrap_or(0)));
                }
            }
            // Neither a name nor an address is shown in parts, and few letters are part of many texts.
            if text.role == Role::Shown
                && (length >= SHORT || tier == 0)
                && let Some(start) = letters.find(&outer.letters)
            {
                let explained = if length >= SHORT { length } else { length / 2 };
                return Some((explained, true, start + outer.before));
            }
        }
        // A text that is part of the clicked one, as the name in “By Ana”.
        let shown = &innermost.letters;
        let is_most = letters.len() >= 4 && letters.len() * 2 >= shown.len();
        let is_part = text.role == Role::Shown && is_most && letters.is_part_of(shown);
        is_part.then(|| (letters.len() / 2, true, 0))
    }

    /// How far a file is from what was clicked.
    fn tier(&self, path: &str) -> usize {
        let is_in = |files: &[String]| files.iter().any(|file| file == path);
        let is_of_all_pages = path == "content/site.yaml" || path.starts_with("content/locales/");
        if self.frame.is_some() {
            return match path {
                "content/site.yaml" => 0,
                _ if is_of_all_pages => 1,
                _ if is_in(self.files) => 2,
                _ => 3,
            };
        }
        match path {
            _ if is_in(self.near) || is_in(self.files) => 0,
            _ if is_of_all_pages => 1,
            _ => 2,
        }
    }

    /// Whether header and footer take texts from a file: they show no post.
    fn may_come_from(&self, path: &str) -> bool {
        self.frame.is_none() || !path.ends_with(".md")
    }

    fn is_other_section(&self, text: &Text, tier: usize) -> bool {
        if let Some(frame) = self.frame {
            return tier == 0 && text.path.first().is_none_or(|key| key != frame);
        }
        tier == 0 && self.section.is_some() && text.section(self.names) != self.section
    }
}

/// Whether a text can come from a file that is not one of the page: a number alone is written in too many files.
fn may_be_far(letters: &str, tier: usize) -> bool {
    tier == 0 || !letters.bytes().all(|byte| byte.is_ascii_digit()) || letters.len() > 4
}

/// The names of a page's sections in their order: a language decides, then the file that all languages share.
pub(super) fn names<'f>(files: impl IntoIterator<Item = &'f FileTexts>) -> Vec<String> {
    files.into_iter().find_map(|file| file.sections.clone()).unwrap_or_default()
}

/// Where a section begins: where its kind is written, else its first text.
pub(super) fn section(files: &[&FileTexts], names: &[String], index: usize) -> Option<Place> {
    let texts = |is_wanted: fn(&Text) -> bool| {
        files.iter().find_map(|file| {
            let own = file.texts.iter().filter(|text| text.section(names) == Some(index));
            let first = own.filter(|text| is_wanted(text)).map(|text| text.place).min()?;
            Some(file.source.place(Span::new(first, first)))
        })
    };
    let is_kind = |text: &Text| text.path.last().is_some_and(|key| key == "kind");
    texts(is_kind).or_else(|| texts(|_| true))
}

/// Where the files of a page name a picture. `picture` is its path below the folder of the site.
pub(super) fn picture<'f>(query: &Query, files: impl IntoIterator<Item = &'f FileTexts>, picture: &str) -> Vec<Place> {
    let names = |text: &Text| {
        let written = text.picture().map(|written| written.trim_start_matches("./"));
        written.is_some_and(|written| {
            picture.strip_suffix(written).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        })
    };
    pictures(query, files, names)
}

/// Where the files of a page name drawings, those of the clicked section first: a drawing in a page has no address.
pub(super) fn drawings<'f>(query: &Query, files: impl IntoIterator<Item = &'f FileTexts>) -> Vec<Place> {
    let is_drawing = |text: &Text| text.picture().is_some_and(|written| written.ends_with(".svg"));
    let mut found = pictures(query, files, |text| is_drawing(text) && text.section(query.names) == query.section);
    if query.nth < found.len() {
        found.rotate_left(query.nth);
    }
    found
}

fn pictures<'f>(
    query: &Query,
    files: impl IntoIterator<Item = &'f FileTexts>,
    is_wanted: impl Fn(&Text) -> bool,
) -> Vec<Place> {
    let mut found: Vec<((usize, bool), Place)> = Vec::new();
    for file in files {
        let tier = query.tier(&file.source.path);
        for text in file.texts.iter().filter(|text| is_wanted(text)) {
            let place = file.source.place(Span::new(text.place, text.place));
            found.push(((tier, query.is_other_section(text, tier)), place));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, place)| place).take(MAX_FOUND).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use diagnostics::problem::Source;
    use generator::config::SiteSettings;

    use super::super::texts;
    use super::*;

    const PAGE: &str = "content/pages/a/en.yaml";

    fn file(path: &str, text: &str) -> FileTexts {
        let mut settings = SiteSettings::default();
        settings.locales.push(diagnostics::yaml::Spanned { value: "en".to_owned(), span: Span::default() });
        texts::of(Arc::new(Source { path: path.into(), text: text.into() }), &settings).expect("valid")
    }

    /// Where the innermost of these texts is found in the page or the menu: path and line.
    fn check(texts: &[&str], query: &Query, expect: Option<(&str, u32)>) {
        let page = "title: Services\nhero.title: We serve\nhero.note: See our Services, all of them.\n\
                    call.title: Start\ncall.label: Start\ncall.again: Start\n";
        let files = [
            file(PAGE, page),
            file("content/site.yaml", "menu:\n  - Services\n  - By {author}\n  - 4\nfooter:\n  - Services\n"),
            file("content/blog/en/post.md", "---\ntitle: Start\n---\nA long\nstory about **our** Services.\n"),
        ];
        let own = [PAGE.to_owned()];
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let first = texts.first().map(|text| of_shown(text)).unwrap_or_default();
        let before: Vec<usize> = texts.iter().map(|text| of_shown(text).find(&first).unwrap_or(0)).collect();
        let names = ["hero".to_owned(), "call".to_owned()];
        let Query { frame, section, nth, .. } = *query;
        let shown = shown(&texts, &before);
        let (near, locale): (&[String], _) = (&[], "en");
        let query = Query { shown, frame, section, names: &names, locale, files: &own, near, nth };
        let found = places(&query, &files);
        let place = found.first().map(|place| (place.path.as_str(), place.range.expect("a range").start.line));
        assert_eq!(place, expect, "{texts:?}");
    }

    #[test]
    fn a_word_is_found_where_its_surroundings_are() {
        let frame = |frame| Query { frame: Some(frame), ..Query::default() };
        check(&["Services", "See our Services, all of them."], &Query::default(), Some((PAGE, 3)));
        check(&["Services"], &Query::default(), Some((PAGE, 1)));
        check(&["Services"], &frame("menu"), Some(("content/site.yaml", 2)));
        check(&["Services"], &frame("footer"), Some(("content/site.yaml", 6)));
        check(&["SERVICES"], &Query::default(), Some((PAGE, 1)));
        check(&["our", "A long story about our Services."], &Query::default(), Some(("content/blog/en/post.md", 5)));
        check(&["By Ana"], &Query::default(), Some(("content/site.yaml", 3)));
        check(&["Nobody wrote this"], &Query::default(), None);
        check(&["…"], &Query::default(), None);
        check(&["4"], &Query::default(), None);
        check(&[], &Query::default(), None);
    }

    #[test]
    fn a_word_that_stands_twice_is_found_where_it_was_clicked() {
        let page = file(PAGE, "hero.note: |\n  One and\n  two and\n  three.\n");
        let own = [PAGE.to_owned()];
        let texts = ["and", "One and two and three."].map(str::to_owned);
        for (before, line) in [(3, 2), (9, 3)] {
            let query = Query { shown: shown(&texts, &[0, before]), locale: "en", files: &own, ..Query::default() };
            let found = places(&query, [&page]);
            assert_eq!(found.first().and_then(|place| place.range).map(|range| range.start.line), Some(line));
        }
    }

    #[test]
    fn of_equal_texts_the_one_of_the_section_and_the_card_is_found() {
        let in_call = |nth| Query { section: Some(1), nth, ..Query::default() };
        check(&["Start"], &in_call(0), Some((PAGE, 4)));
        check(&["Start"], &in_call(1), Some((PAGE, 5)));
        check(&["Start"], &in_call(7), Some((PAGE, 5)));
    }

    #[test]
    fn a_picture_is_found_where_it_is_named() {
        let page = file(PAGE, "hero.figure.src: figures/a.svg\ncall.image.src: team.jpg\n");
        let names = ["hero".to_owned(), "call".to_owned()];
        let own = [PAGE.to_owned()];
        let query = Query { names: &names, files: &own, section: Some(0), ..Query::default() };
        let line = |found: &[Place]| found.first().and_then(|place| place.range).map(|range| range.start.line);
        assert_eq!(line(&picture(&query, [&page], "content/pages/a/team.jpg")), Some(2));
        assert_eq!(line(&picture(&query, [&page], "content/images/am.jpg")), None);
        assert_eq!(line(&drawings(&query, [&page])), Some(1));
    }
}
