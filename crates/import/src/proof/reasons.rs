//! Why a post of the site differs from the one in WordPress.
//!
//! A difference is explained if a reason is known for each tag and each word that only one side has. One that is not
//! enough for all of them explains nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::super::shapes::{is_picture_address, squeeze};
use super::body::{Hunk, LineSubject, TextDifferences};

/// Hosts of videos that become cards.
const VIDEOS: [&str; 7] = [
    "youtube",
    "youtu.be",
    "vimeo",
    "dailymotion",
    "loom.com",
    "ted.com",
    "videopress",
];
/// Tags around others that change nothing alone.
const AROUND: [&str; 7] = [
    "<p>",
    "</p>",
    "<figure>",
    "</figure>",
    "<figcaption>",
    "</figcaption>",
    "</a>",
];

const ALT: &str = "the image had no alternative text in the post, so the alternative text from the media library or the file name is used";
const ADDRESS: &str = "a URL in the text is now a link";
const ANCHOR: &str = "the link also names its paragraph, whose anchor the import keeps";
const BREAK: &str = "a line break next to a block was left out";
const CAPTION: &str = "the caption of a table, gallery or embed is now a paragraph in italics";
const CODE: &str = "the code block has the language that is set in WordPress";
const DASHES: &str =
    "quotes and dashes follow the language's rules, which changes the number of words";
pub(super) const EDITED: &str = "the file was edited after the import";
const NOTES: &str = "one side counts footnote numbers and code as text";
const PICTURE_LINK: &str = "an image that linked to its full-size version no longer has a link";
const STYLE: &str =
    "text that was bold, italic or struck through by its style is now marked up that way";
const TITLE: &str = "the title of an image is not shown on pages";
const TEXT: &str =
    "it's generated from the text; the differences in the text are listed separately";
const VIDEO: &str = "the URL of a video is now a card that links to the video";

/// The reasons that an import gives for the differences of a post.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    /// Its notes. What they quote (an address, the name of a shortcode) is in the tags and words that they explain.
    pub notes: BTreeSet<String>,
    /// Texts that were left out, each with the reason.
    pub left_out: BTreeSet<(String, String)>,
    /// Whether a person has edited the file, so that it may say anything.
    pub is_edited: bool,
}

/// Tags and words of lines, in order.
fn tokens(lines: &[String]) -> Vec<&str> {
    let mut tokens = Vec::new();
    for line in lines {
        let mut rest = line.as_str();
        while let Some(start) = rest.find('<') {
            let length = rest[start..]
                .find('>')
                .map_or(rest.len() - start, |end| end + 1);
            tokens.extend(rest[..start].split_whitespace());
            tokens.push(&rest[start..start + length]);
            rest = &rest[start + length..];
        }
        tokens.extend(rest.split_whitespace());
    }
    tokens
}

/// The tokens that `these` has more often than `those`.
fn more<'a>(these: &[&'a str], those: &[&str]) -> Vec<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    those
        .iter()
        .for_each(|token| *counts.entry(token).or_default() += 1);
    let mut extra = Vec::new();
    for token in these {
        match counts.get_mut(token) {
            Some(count) if *count > 0 => *count -= 1,
            _ => extra.push(*token),
        }
    }
    extra
}

/// The quotations in a note, without the scheme of a URL.
fn quoted(note: &str) -> impl Iterator<Item = &str> {
    let parts = note.split('`').skip(1).step_by(2);
    parts.map(|part| {
        part.trim_start_matches("https://")
            .trim_start_matches("http://")
    })
}

/// Whether two pictures are the same but for the title that the first one has.
fn has_lost_its_title(old: &str, new: &str) -> bool {
    let (Some((src, old)), Some((other, new))) = (
        picture(old.trim_end_matches('>')),
        picture(new.trim_end_matches('>')),
    ) else {
        return false;
    };
    let (Some((alt, title)), Some((new_alt, new_title))) =
        (old.split_once(" title="), new.split_once(" title="))
    else {
        return false;
    };
    src == other && alt == new_alt && !title.is_empty() && new_title.is_empty()
}

/// The attributes of a picture: where it is, and what it shows.
fn picture(token: &str) -> Option<(&str, &str)> {
    token.strip_prefix("<img src=")?.split_once(" alt=")
}

impl Reasons {
    /// The note that quotes a token, or a part of it.
    fn note(&self, token: &str) -> Option<&str> {
        let token = token.trim_end_matches('>');
        let token = token.strip_prefix("<a href=").unwrap_or(token);
        let token = token
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        // A block that stayed HTML says the same.
        let mut notes = self
            .notes
            .iter()
            .filter(|note| !note.contains("stayed HTML"));
        notes
            .find(|note| {
                quoted(note).any(|part| {
                    let tag = part.trim_matches(['<', '>', '[', ']']);
                    let is_tag = tag.len() < part.len()
                        && token
                            .trim_start_matches(['<', '/'])
                            .split(' ')
                            .next()
                            .is_some_and(|name| name == tag);
                    is_tag
                        || part.len() > 3 && token.contains(part)
                        || token.len() > 3 && part.contains(token)
                })
            })
            .map(String::as_str)
    }

    /// Removes links that the other side does not have and that a note or a video explains, with their words.
    fn without_links<'a>(
        &self,
        tokens: &[&'a str],
        others: &[&str],
        reasons: &mut BTreeSet<String>,
    ) -> Vec<&'a str> {
        let (mut kept, mut is_inside) = (Vec::new(), false);
        for token in tokens {
            if token.starts_with("<a href=") && !others.contains(token) {
                let is_video = VIDEOS.iter().any(|host| token.contains(host));
                let why = if is_video {
                    Some(VIDEO)
                } else {
                    self.note(token)
                };
                reasons.extend(why.map(str::to_owned));
                is_inside = why.is_some();
            }
            if !is_inside {
                kept.push(*token);
            }
            is_inside &= *token != "</a>";
        }
        kept
    }

    /// Lines without the anchors of links that were removed, because no page has them.
    fn without_anchors(&self, lines: &[String], reasons: &mut BTreeSet<String>) -> Vec<String> {
        let mut lines = lines.to_vec();
        for note in self
            .notes
            .iter()
            .filter(|note| note.contains("has the anchor `#"))
        {
            for anchor in quoted(note).filter(|part| part.starts_with('#')) {
                for line in lines.iter_mut().filter(|line| line.contains("<a href=")) {
                    let without = line.replace(&format!("{anchor}>"), ">");
                    if without != *line {
                        *line = without;
                        reasons.insert(note.clone());
                    }
                }
            }
        }
        lines
    }

    /// The reasons for a difference in the text; `None` if a part of it has none.
    pub(super) fn of(&self, hunk: &Hunk, texts: TextDifferences) -> Option<String> {
        if self.is_edited {
            return Some(EDITED.to_owned());
        }
        if hunk.subject == LineSubject::Facts {
            let of_author = self.notes.iter().find(|note| {
                note.contains("its author was deleted")
                    || note.contains("another author has the same name")
            });
            let is_number =
                texts.differ && without_numbers(&hunk.old) == without_numbers(&hunk.new);
            return of_author
                .cloned()
                .or_else(|| is_number.then(|| TEXT.to_owned()));
        }
        if hunk.subject == LineSubject::Tags
            && let Some(note) = self
                .notes
                .iter()
                .find(|note| note.contains("but a CMS post can have at most"))
        {
            return Some(note.clone());
        }
        if hunk.old == ["<br>"] && hunk.new.is_empty() {
            return Some(BREAK.to_owned());
        }
        let mut reasons = BTreeSet::new();
        let old_lines = self.without_anchors(&hunk.old, &mut reasons);
        let (all_old, all_new) = (tokens(&old_lines), tokens(&hunk.new));
        let old = self.without_links(&all_old, &all_new, &mut reasons);
        let new = self.without_links(&all_new, &all_old, &mut reasons);
        let (mut gone, mut fresh) = (more(&old, &new), more(&new, &old));
        // A tag within a word makes two of it.
        let [old_letters, new_letters] = [&gone, &fresh].map(|tokens| {
            tokens
                .iter()
                .filter(|token| !token.starts_with('<'))
                .copied()
                .collect::<String>()
        });
        if old_letters == new_letters {
            gone.retain(|token| token.starts_with('<'));
            fresh.retain(|token| token.starts_with('<'));
        }
        let count = fresh.len();
        fresh.retain(|link| {
            let page = link.split_once('#').map(|(page, _)| format!("{page}>"));
            let own = gone.iter().position(|own| page.as_deref() == Some(own));
            own.map(|own| gone.swap_remove(own)).is_none()
        });
        if fresh.len() < count {
            reasons.insert(ANCHOR.to_owned());
        }
        if gone.is_empty() && fresh.is_empty() && reasons.is_empty() {
            // The same words in another order.
            return None;
        }
        // Tags around words that were left out are left out with them.
        let words = gone.iter().filter(|token| !token.starts_with('<'));
        let left_out: Option<Vec<&str>> = words.map(|word| self.left_out_with(word)).collect();
        if let Some(left_out) = left_out.filter(|reasons| !reasons.is_empty()) {
            reasons.extend(left_out.into_iter().map(str::to_owned));
            gone.retain(|token| token.starts_with("<img"));
        }
        let has_figure = all_old
            .iter()
            .any(|token| token.trim_start_matches(['<', '/']).starts_with("fig"));
        let mut around = false;
        // An address in the text, which became a link to itself.
        let addresses: Vec<&str> = fresh
            .iter()
            .filter_map(|token| token.strip_prefix("<a href=")?.strip_suffix('>'))
            .collect();
        let bare = addresses.into_iter().find(|address| {
            all_old
                .iter()
                .any(|word| !word.starts_with('<') && word.contains(address))
        });
        if let Some(address) = bare {
            let words: Vec<&str>;
            (words, gone) = gone
                .into_iter()
                .partition(|word| !word.starts_with('<') && word.contains(address));
            let link = format!("<a href={address}>");
            fresh.retain(|token| {
                *token != link
                    && *token != "</a>"
                    && !words
                        .iter()
                        .any(|word| !token.starts_with('<') && word.contains(token))
            });
            reasons.insert(ADDRESS.to_owned());
        }
        for token in &gone {
            let why = self.gone(token, &all_old, &all_new, &fresh);
            match why {
                Some(why) => drop(reasons.insert(why)),
                None if AROUND.contains(token) => around = true,
                None => return None,
            }
        }
        for token in &fresh {
            let has_other = picture(token).is_some_and(|(src, _)| {
                gone.iter().any(|own| {
                    picture(own).is_some_and(|(own, alt)| own == src && alt.starts_with(" title="))
                })
            });
            let is_style = matches!(
                *token,
                "<strong>" | "</strong>" | "<em>" | "</em>" | "<del>" | "</del>"
            );
            let is_code =
                token.starts_with("<pre class=") && gone.iter().any(|own| own.starts_with("<pre"));
            if gone.iter().any(|own| has_lost_its_title(own, token)) {
                reasons.insert(TITLE.to_owned());
            } else if has_other {
                reasons.insert(ALT.to_owned());
            } else if AROUND.contains(token) {
                around = true;
            } else if is_code {
                reasons.insert(CODE.to_owned());
            } else if let Some(note) = self.note(token) {
                reasons.insert(note.to_owned());
            } else if is_style {
                reasons.insert(if has_figure { CAPTION } else { STYLE }.to_owned());
            } else {
                return None;
            }
        }
        if around && reasons.is_empty() {
            if !has_figure {
                return None;
            }
            reasons.insert(CAPTION.to_owned());
        }
        (!reasons.is_empty()).then(|| reasons.into_iter().collect::<Vec<_>>().join("; "))
    }

    /// Why a tag or a word of WordPress is gone.
    fn gone(&self, token: &str, old: &[&str], new: &[&str], fresh: &[&str]) -> Option<String> {
        if fresh.iter().any(|own| has_lost_its_title(token, own)) {
            return Some(TITLE.to_owned());
        }
        if let Some((src, alt)) = picture(token) {
            let is_there = fresh
                .iter()
                .any(|own| picture(own).is_some_and(|(own, _)| own == src));
            return (is_there && alt.starts_with(" title=")).then(|| ALT.to_owned());
        }
        // The words of a link that is still there once were left out, and it with them.
        let repeated = self
            .left_out
            .iter()
            .find(|(_, why)| why.contains("repeats its link"));
        if token.starts_with("<a href=")
            && new.contains(&token)
            && let Some((_, why)) = repeated
        {
            return Some(why.clone());
        }
        let before_picture = old
            .windows(2)
            .any(|pair| pair[0] == token && pair[1].starts_with("<img "));
        let address = token
            .strip_prefix("<a href=")
            .map(|rest| rest.trim_end_matches('>'));
        if address.is_some_and(is_picture_address) && before_picture {
            return Some(PICTURE_LINK.to_owned());
        }
        if token.starts_with("<pre") && fresh.iter().any(|own| own.starts_with("<pre class=")) {
            return Some(CODE.to_owned());
        }
        if VIDEOS.iter().any(|host| token.contains(host)) {
            return Some(VIDEO.to_owned());
        }
        if let Some(note) = self.note(token) {
            return Some(note.to_owned());
        }
        self.left_out_with(token)
            .filter(|_| !token.starts_with('<'))
            .map(str::to_owned)
    }

    /// Why a text that holds this word was left out.
    fn left_out_with(&self, word: &str) -> Option<&str> {
        let mut texts = self.left_out.iter();
        texts
            .find(|(text, _)| text.split_whitespace().any(|own| own == word))
            .map(|(_, why)| why.as_str())
    }

    /// The reason for a difference in the head or in structured data. Some values are made from the text.
    pub(super) fn of_value(
        &self,
        name: &str,
        wordpress: &str,
        site: &str,
        texts: TextDifferences,
    ) -> Option<String> {
        if self.is_edited {
            return Some(EDITED.to_owned());
        }
        let note = self.notes.iter().find(|note| {
            quoted(note).any(|part| part.len() > 3 && (wordpress.contains(part) || site == part))
        });
        // A short title is not quoted alone: the note has what was added to it.
        let note = note.or_else(|| {
            self.notes
                .iter()
                .filter(|note| note.contains("has the same title"))
                .find(|note| {
                    quoted(note).any(|part| {
                        site.replace(&format!(" ({part})"), "") == wordpress && site != wordpress
                    })
                })
        });
        let lower = name.to_lowercase();
        let of_part = [
            ("author", "its author was deleted"),
            ("title", "it has no title"),
            ("headline", "it has no title"),
            ("name", "it has no title"),
            // A sharing card shows the title.
            ("og:image:alt", "it has no title"),
            ("description", "has the same description"),
            ("keywords", "but a CMS post can have at most"),
            ("date", "it has no date"),
        ];
        let found = of_part.iter().find(|(part, _)| lower.contains(part));
        let found =
            found.and_then(|(_, words)| self.notes.iter().find(|note| note.contains(words)));
        let from_text = ["description", "wordcount", "timerequired"]
            .iter()
            .any(|part| lower.contains(part));
        let of_text = (from_text && texts.differ).then(|| TEXT.to_owned());
        let is_numbered = lower.contains("description") && texts.notes > 0;
        let of_notes = is_numbered
            && without_numbers(&[wordpress.to_owned()]) == without_numbers(&[site.to_owned()]);
        // A dash between spaces is a word, and one without is not.
        let counts = wordpress.parse::<u32>().ok().zip(site.parse().ok());
        let difference = counts.filter(|_| lower.contains("wordcount"));
        let of_words = difference.and_then(|(was, is)| {
            let uncounted = u32::try_from(texts.notes + texts.code).unwrap_or(u32::MAX);
            match was.abs_diff(is) {
                few if few <= 1 + was / 10 => Some(DASHES.to_owned()),
                more if more <= uncounted => Some(NOTES.to_owned()),
                _ => None,
            }
        });
        note.or(found)
            .cloned()
            .or(of_text)
            .or(of_notes.then(|| NOTES.to_owned()))
            .or(of_words)
    }
}

/// Lines as one text without digits.
fn without_numbers(lines: &[String]) -> String {
    squeeze(&lines.join(" ").replace(|c: char| c.is_ascii_digit(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANCHOR: &str = "a link was removed: nothing on `/blog/more/` has the anchor `#b`";

    fn check(old: &str, new: &str, expect: Option<&str>) {
        let reasons = Reasons {
            notes: [
                "a frame with `https://maps.example/x` is now a link to it",
                "1 × `<p>` stayed HTML",
                ANCHOR,
            ]
            .map(str::to_owned)
            .into(),
            left_out: [("Send this".to_owned(), "a form was left out".to_owned())].into(),
            is_edited: false,
        };
        let lines = |text: &str| {
            text.split('|')
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let hunk = Hunk {
            subject: LineSubject::Text,
            old: lines(old),
            new: lines(new),
        };
        assert_eq!(
            reasons
                .of(
                    &hunk,
                    TextDifferences {
                        differ: true,
                        ..TextDifferences::default()
                    }
                )
                .as_deref(),
            expect,
            "{old} → {new}"
        );
    }

    #[test]
    fn a_difference_is_explained_as_a_whole() {
        check("Send this", "", Some("a form was left out"));
        check("Send this now", "", None);
        check(
            "",
            "<p>|<a href=https://maps.example/x>A map</a>|</p>",
            Some("a frame with `https://maps.example/x` is now a link to it"),
        );
        check(
            "",
            "<p>|<a href=https://maps.example/x>A map</a> and words|</p>",
            None,
        );
        check("<p>|words|</p>", "", None);
        check("Boldfoo", "<strong>Bold</strong>foo", Some(STYLE));
        check("<strong>a</strong>", "a", None);
        check("one two", "two one", None);
        check(
            "see [https://e.com], ok",
            "see [|<a href=https://e.com>https://e.com</a>|], ok",
            Some(ADDRESS),
        );
        check(
            "‹https://e.com›",
            "‹|<a href=https://e.com>https://e.com</a>|›",
            Some(ADDRESS),
        );
        check("<a href=/more#b>x</a>", "<a href=/more>x</a>", Some(ANCHOR));
        check("<a href=/more#c>x</a>", "<a href=/more>x</a>", None);
        check("<a href=/more#b>x</a>", "<a href=/less>x</a>", None);
        check(
            "see [https://e.com], ok",
            "see [|<a href=https://f.com>https://f.com</a>|], ok",
            None,
        );
    }

    #[test]
    fn numbers_of_footnotes_and_words_of_code_are_no_loss() {
        let reasons = Reasons::default();
        let texts = TextDifferences {
            differ: false,
            notes: 2,
            code: 5,
        };
        let of = |name: &str, was: &str, is: &str| reasons.of_value(name, was, is, texts);
        assert_eq!(
            of("og:description", "Text1 more2.", "Text more.").as_deref(),
            Some(NOTES)
        );
        assert_eq!(of("og:description", "Text1 more2.", "Text less."), None);
        assert_eq!(
            of("BlogPosting.wordCount", "9", "7").as_deref(),
            Some(NOTES)
        );
        assert_eq!(of("BlogPosting.wordCount", "19", "7"), None);
        assert_eq!(
            reasons.of_value("description", "Text1", "Text", TextDifferences::default()),
            None
        );
    }

    #[test]
    fn a_short_title_that_was_told_apart_is_explained() {
        let note = "`a.md` has the same title, so `2024-03-05` was added to this one (`FAQ`)";
        let reasons = Reasons {
            notes: [note.to_owned()].into(),
            ..Reasons::default()
        };
        let of =
            |was: &str, is: &str| reasons.of_value("og:title", was, is, TextDifferences::default());
        assert_eq!(of("FAQ · S", "FAQ (2024-03-05) · S").as_deref(), Some(note));
        assert_eq!(of("FAQ · S", "Faq (2024-03-05) · S"), None);
    }

    #[test]
    fn pictures_keep_what_they_show() {
        check(
            "<img src=a alt= title=>",
            "<img src=a alt=A boat title=>",
            Some(ALT),
        );
        check(
            "<img src=a alt=A boat title=>",
            "<img src=a alt=Another title=>",
            None,
        );
        check(
            "<img src=a alt=A boat title=Lake>",
            "<img src=a alt=A boat title=>",
            Some(TITLE),
        );
        check(
            "<img src=a alt=A boat title=>",
            "<img src=a alt=A boat title=Lake>",
            None,
        );
        check("<img src=a alt= title=>", "<img src=b alt=B title=>", None);
        check(
            "<a href=/x.jpg><img src=a alt=A title=></a>",
            "<img src=a alt=A title=>",
            Some(PICTURE_LINK),
        );
        check(
            "<a href=/page><img src=a alt=A title=></a>",
            "<img src=a alt=A title=>",
            None,
        );
        check(
            "<figcaption>|All|</figcaption>",
            "<p>|<em>All</em>|</p>",
            Some(CAPTION),
        );
    }
}
