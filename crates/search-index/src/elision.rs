//! Articles that are joined to what follows, as in `l’enfant`: a search finds `enfant` too.
//!
//! The index of posts splits texts at apostrophes ([`Analyzer`](crate::Analyzer)), so only a query needs this. The index of all
//! pages is made by Pagefind, for which `l’enfant` is one word, and `Łódź` one without `lodz`: [`findable`] gives it a text that
//! it separates and folds as this crate does. Browsers undo that in what they show (`readable` in `react/search/text.ts`).

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::analyzer::{is_letter_apostrophe, typed};

/// The languages that join an article or a pronoun to what follows.
const LANGUAGES: [&str; 25] = [
    "an", "ast", "ca", "co", "eml", "fr", "frp", "fur", "ga", "gd", "it", "lb", "lij", "lld",
    "lmo", "nap", "oc", "pcd", "pms", "pt", "rm", "sc", "scn", "vec", "wa",
];
/// Articles that are joined and not searched, without the apostrophe. `react/lib/match.ts` has the same lists.
const ARTICLES: [&str; 29] = [
    "agl", "all", "b", "bh", "c", "coll", "d", "dagl", "dall", "degl", "dell", "dh", "gl", "j",
    "l", "m", "n", "negl", "nell", "pell", "qu", "quell", "s", "sugl", "sull", "t", "un", "v", "y",
];
const APOSTROPHES: [char; 5] = ['\'', '’', '\u{2bb}', '\u{2bc}', '＇'];
/// Apostrophes as HTML writes them.
const ESCAPED: [&str; 5] = ["&#x27;", "&#39;", "&apos;", "&rsquo;", "&#8217;"];

/// Whether a language has such articles. `language` is a BCP 47 tag such as `fr-CA`.
pub fn has_elision(language: &str) -> bool {
    let primary = language.split(['-', '_']).next().unwrap_or_default();
    LANGUAGES
        .iter()
        .any(|with| primary.eq_ignore_ascii_case(with))
}

/// A query in such a language, without the articles: `l’enfant` is `enfant`. Other apostrophes are spaces.
pub(crate) fn without_articles(query: &str) -> Cow<'_, str> {
    if !query.contains(APOSTROPHES) {
        return Cow::Borrowed(query);
    }
    let words = query.split_whitespace().map(|word| {
        let mut parts: Vec<&str> = word
            .split(APOSTROPHES)
            .filter(|part| !part.is_empty())
            .collect();
        let last = parts.pop();
        parts.retain(|part| !ARTICLES.contains(&part.to_lowercase().as_str()));
        parts.extend(last);
        parts.join(" ")
    });
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// The text between two tags of a page as Pagefind indexes it. Letters that it does not fold are written as other keyboards do,
/// and in a language with elision there is a space behind each inner apostrophe. Signs that Pagefind ignores follow it,
/// and say what was replaced: behind a hyphen, because they would be letters of a part of `belle-sœur`.
pub fn findable(html: &str, has_elision: bool) -> Cow<'_, str> {
    if html.is_ascii() && (!has_elision || !html.contains(['\'', '&'])) {
        return Cow::Borrowed(html);
    }
    let mut text = String::with_capacity(html.len() + 16);
    let mut rest = html;
    let mut after_letter = false;
    let mut replaced: Vec<Replaced> = Vec::new();
    while let Some(c) = rest.chars().next() {
        let apostrophe = match c {
            '&' => ESCAPED
                .iter()
                .find(|escaped| rest.starts_with(**escaped))
                .map(|escaped| escaped.len()),
            c => APOSTROPHES.contains(&c).then(|| c.len_utf8()),
        };
        let (written, behind) = rest.split_at(apostrophe.unwrap_or(c.len_utf8()));
        let letters = letters(c);
        if !c.is_alphanumeric() && !is_combining_mark(c) {
            add_signs(&mut text, &mut replaced);
        }
        match &letters {
            Some(letters) if c.is_uppercase() => text.push_str(&letters.to_uppercase()),
            Some(letters) => text.push_str(letters),
            None if is_letter_apostrophe(c) => text.push('’'),
            None => text.push_str(written),
        }
        if letters.is_some() || is_letter_apostrophe(c) {
            let end = text.len();
            replaced.push(Replaced { letter: c, end });
        }
        if has_elision
            && apostrophe.is_some()
            && after_letter
            && !behind.starts_with(char::is_whitespace)
        {
            text.extend(sign('\''));
            text.push(' ');
        }
        after_letter = apostrophe.is_none() && c.is_alphabetic();
        rest = behind;
    }
    add_signs(&mut text, &mut replaced);
    Cow::Owned(text)
}

/// A letter that is written with others.
struct Replaced {
    letter: char,
    /// Where the others end in the text.
    end: usize,
}

/// Adds the signs of a word to a text that ends with it: for each letter what it was, and how many units of UTF-16 before the
/// end of the word.
fn add_signs(text: &mut String, replaced: &mut Vec<Replaced>) {
    let word = text.len();
    for Replaced { letter, end } in replaced.drain(..) {
        let from_end = text[end..word].encode_utf16().count();
        let from_end = u32::try_from(from_end)
            .ok()
            .and_then(|units| char::from_u32(PLACES + units));
        if let (Some(letter), Some(from_end)) = (sign(letter), from_end) {
            if text.len() == word {
                text.push('-');
            }
            text.extend([letter, from_end]);
        }
    }
}

/// The letters by which other keyboards write a letter that Pagefind does not fold: `ł`, with accents too (`ǿ`), and ligatures.
fn letters(c: char) -> Option<String> {
    if c.is_ascii() {
        return None;
    }
    let plain: String = c
        .to_lowercase()
        .nfkd()
        .filter(|c| !is_combining_mark(*c) && *c != '·')
        .collect();
    let is_ligature = plain.len() > 1 || c.nfkc().any(|c| c == '·');
    if is_ligature && plain.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Some(plain);
    }
    let mut letters = plain.chars();
    let first = letters.next().and_then(typed);
    first
        .filter(|_| letters.next().is_none())
        .map(str::to_owned)
}

/// The first character for private use of those that say where a letter was replaced.
const PLACES: u32 = 0x0010_0000;

/// A character for private use, by which browsers know the one that was replaced.
fn sign(of: char) -> Option<char> {
    char::from_u32(0xf0000 + u32::from(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_searched_as_in_the_browser() {
        let queries: Vec<[String; 3]> =
            serde_json::from_str(include_str!("../../../tests/queries.json"))
                .expect("languages, queries and words");
        assert!(queries.len() > 20);
        for [language, query, expected] in queries {
            let words = crate::Analyzer::new(&language).words(&query);
            let words: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
            assert_eq!(words.join(" "), expected, "{language} {query}");
        }
    }

    #[test]
    fn texts_for_pagefind_say_what_was_replaced() {
        let texts: Vec<[String; 3]> =
            serde_json::from_str(include_str!("../../../tests/findable.json"))
                .expect("languages, texts and their forms");
        assert!(texts.len() > 10);
        for [language, text, expected] in texts {
            assert_eq!(findable(&text, has_elision(&language)), expected, "{text}");
        }
    }
}
