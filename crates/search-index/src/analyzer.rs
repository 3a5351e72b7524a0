//! Splits texts into words, for indexing and for search.
//!
//! A word is a run of letters and digits in any script. It matches by its form without accents, and by its stem in the
//! language of the page: `canciones` and `Canción` share a stem, and `cancion` is the second one without its accent.
//!
//! Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words. Each two letters in a row are a word there,
//! as in Lucene: `检查费用` is found by `检查`, by `费用`, and by its whole. No dictionary has to know the words, or to agree
//! with itself about a text and about a part of it.

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a word, in characters. Longer words, such as keys or encoded data, are truncated.
const LETTERS_MAX: usize = 64;

/// Analyzes texts in one language.
#[derive(Clone, Copy)]
pub struct Analyzer {
    stemmer: Option<Stemmer>,
    has_elision: bool,
}

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in lower case, without accents; never empty.
    pub folded: String,
    /// The stem in lower case, without accents.
    pub stem: String,
}

impl Analyzer {
    /// `language` is a BCP 47 tag such as `es-CO`. In a language without a stemmer, the stem is the word itself.
    pub fn new(language: &str) -> Analyzer {
        let primary = language.split(['-', '_']).next().unwrap_or_default();
        // The Norwegian stemmer is for Bokmål (`nb`).
        let name = if primary.eq_ignore_ascii_case("nb") {
            "no"
        } else {
            primary
        };
        let stemmer = Algorithm::from_name(name).ok().map(Stemmer::new);
        Analyzer {
            stemmer,
            has_elision: crate::elision::has_elision(language),
        }
    }

    /// The words of a search in order.
    pub fn words(&self, query: &str) -> Vec<Word> {
        let query = if self.has_elision {
            crate::elision::without_articles(query)
        } else {
            std::borrow::Cow::Borrowed(query)
        };
        runs(&query)
            .flat_map(|run| WordParts::new(run, false))
            .filter_map(|run| self.word(run))
            .collect()
    }

    /// The words that a text is found by.
    pub fn words_in_text<'t>(&self, text: &'t str) -> impl Iterator<Item = Word> + use<'t, '_> {
        runs(text).flat_map(parts).filter_map(|run| self.word(run))
    }

    /// Normalizes a run of letters to a word. `None` if nothing remains.
    pub fn word(&self, run: &str) -> Option<Word> {
        // NFKC: stemmers expect composed letters, and it unifies full-width and half-width forms.
        let lower = if run.is_ascii() {
            run.to_ascii_lowercase()
        } else {
            run.nfkc().collect::<String>().to_lowercase()
        };
        let stem = self.stemmer.map(|stemmer| fold(&stemmer.stem(&lower)));
        let folded = fold(&lower);
        let stem = stem
            .filter(|stem| !stem.is_empty())
            .unwrap_or_else(|| folded.clone());
        (!folded.is_empty()).then_some(Word { folded, stem })
    }
}

/// The kind of each byte, found in one step. Character by character, this would be the longest part of indexing.
const KINDS: [ByteKind; 256] = {
    let mut kinds = [ByteKind::Separator; 256];
    let mut byte: u8 = 0;
    loop {
        if byte.is_ascii_alphanumeric() {
            kinds[byte as usize] = ByteKind::Letter;
        } else if !byte.is_ascii() {
            kinds[byte as usize] = ByteKind::Unknown;
        }
        if byte == u8::MAX {
            break kinds;
        }
        byte += 1;
    }
};

/// The kind of a byte of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteKind {
    /// An ASCII character that separates words.
    Separator,
    /// A letter or a digit of ASCII.
    Letter,
    /// A part of another character.
    Unknown,
}

/// The runs of letters and digits in a text, including their combining marks.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    Runs { rest: text }
}

/// The iterator of [`runs`]. It decodes characters only outside ASCII, because the index reads all text of a site.
struct Runs<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Runs<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let kind = |byte: &u8| KINDS[usize::from(*byte)];
            let start = self
                .rest
                .as_bytes()
                .iter()
                .position(|byte| kind(byte) != ByteKind::Separator)?;
            let text = &self.rest[start..];
            let bytes = text.as_bytes();
            let plain = bytes
                .iter()
                .position(|byte| kind(byte) != ByteKind::Letter)
                .unwrap_or(text.len());
            let goes_on = bytes
                .get(plain)
                .is_some_and(|byte| kind(byte) == ByteKind::Unknown);
            let inner = |from: usize| {
                text[from..]
                    .find(|c| !is_inner(c))
                    .map_or(text.len(), |other| from + other)
            };
            let mut end = if goes_on { inner(plain) } else { plain };
            // Catalan: `col·legi`.
            while goes_on
                && text[..end].ends_with(['l', 'L'])
                && let Some(rest) = text[end..].strip_prefix('·')
                && rest.starts_with(['l', 'L'])
            {
                end = inner(end + '·'.len_utf8());
            }
            if end == 0 {
                // A character that is not ASCII, and separates words.
                let mut characters = text.chars();
                characters.next();
                self.rest = characters.as_str();
                continue;
            }
            let (run, rest) = text.split_at(end);
            self.rest = rest;
            if plain > 0 || run.chars().any(char::is_alphanumeric) {
                return Some(run);
            }
        }
    }
}

/// The parts that a run of letters is indexed by.
pub fn parts(run: &str) -> impl Iterator<Item = &str> {
    WordParts::new(run, true)
}

/// The run itself; if it has letters of a script without spaces between words, each two of these in a row with their marks,
/// and what is between them.
struct WordParts<'t> {
    rest: &'t str,
    is_whole: bool,
    /// Whether the last letter counts alone as well, so that a search for one letter finds it.
    with_last: bool,
    after_pair: bool,
}

impl<'t> WordParts<'t> {
    fn new(run: &'t str, with_last: bool) -> WordParts<'t> {
        WordParts {
            rest: run,
            is_whole: run.is_ascii() || !run.contains(is_unspaced),
            with_last,
            after_pair: false,
        }
    }

    /// Where the first letter of a text ends, with its marks.
    fn end_of_letter(text: &str) -> usize {
        let mut letters = text.char_indices().skip(1);
        letters
            .find(|(_, c)| {
                !(is_combining_mark(*c)
                    || matches!(*c, '\u{ff9e}' | '\u{ff9f}' | '\u{200c}' | '\u{200d}'))
            })
            .map_or(text.len(), |(at, _)| at)
    }

    /// Takes a part from the beginning.
    fn take(&mut self, end: usize) -> &'t str {
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        part
    }
}

impl<'t> Iterator for WordParts<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            let first = self.rest.chars().next()?;
            let after_pair = std::mem::take(&mut self.after_pair);
            if self.is_whole || !is_unspaced(first) {
                let end = if self.is_whole {
                    None
                } else {
                    self.rest.find(is_unspaced)
                };
                return Some(self.take(end.unwrap_or(self.rest.len())));
            }
            let end = Self::end_of_letter(self.rest);
            let behind = &self.rest[end..];
            if behind.starts_with(is_unspaced) {
                let pair = &self.rest[..end + Self::end_of_letter(behind)];
                (self.rest, self.after_pair) = (behind, true);
                return Some(pair);
            }
            let single = self.take(end);
            if self.with_last || !after_pair {
                return Some(single);
            }
        }
    }
}

/// Whether a letter is of a script that has no spaces between words: Thai, Lao, Burmese, Khmer, Hiragana, Katakana, Han.
pub fn is_unspaced(c: char) -> bool {
    !is_combining_mark(c)
        && matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// Combining marks, soft hyphens and joiners do not separate words. Two apostrophes do that Unicode calls letters:
/// others write `'` and `’` there.
fn is_inner(c: char) -> bool {
    c.is_alphanumeric() && !is_letter_apostrophe(c)
        || !c.is_ascii()
            && (is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}'))
}

/// Whether a character is an apostrophe that Unicode calls a letter, as in Ukrainian `обʼєкт` and Uzbek `oʻzbek`.
pub(crate) fn is_letter_apostrophe(c: char) -> bool {
    matches!(c, '\u{2bb}' | '\u{2bc}')
}

/// A text as searches compare it: in lower case, without accents, other marks and width variants. Searches in the browser
/// fold in the same way (`react/lib/fold.ts`); both are tested with `tests/fold.json`.
pub fn folded(text: &str) -> String {
    let lower = text.nfkc().collect::<String>().to_lowercase();
    let mut folded = String::with_capacity(lower.len());
    lower
        .replace("l·l", "ll")
        .nfkd()
        .filter(|c| !is_combining_mark(*c) && !matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}'))
        .for_each(|c| push_folded(&mut folded, c));
    folded
}

/// The same for a word in lower case, of which only the first letters count.
fn fold(lower: &str) -> String {
    if lower.is_ascii() {
        return lower.chars().take(LETTERS_MAX).collect();
    }
    let mut folded = String::with_capacity(lower.len());
    lower
        .nfkd()
        .filter(|c| c.is_alphanumeric() && !is_combining_mark(*c))
        .for_each(|c| push_folded(&mut folded, c));
    match folded.char_indices().nth(LETTERS_MAX) {
        Some((end, _)) => folded[..end].to_owned(),
        None => folded,
    }
}

/// Adds a letter as it is typed on other keyboards.
fn push_folded(folded: &mut String, c: char) {
    match typed(c) {
        Some(letters) => folded.push_str(letters),
        None if is_letter_apostrophe(c) => folded.push('\''),
        None => folded.push(c),
    }
}

/// The letters by which other keyboards write a letter in lower case that has no decomposition in Unicode.
pub fn typed(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' => "i",
        'ŋ' => "n",
        'ŧ' => "t",
        'ə' => "e",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, text: &str, expect: &[(&str, &str)]) {
        let words = Analyzer::new(language).words(text);
        let found: Vec<(&str, &str)> = words
            .iter()
            .map(|word| (word.folded.as_str(), word.stem.as_str()))
            .collect();
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn words_are_found_by_stem_and_without_accents() {
        check(
            "en-US",
            "Caching, cached.",
            &[("caching", "cach"), ("cached", "cach")],
        );
        check(
            "es",
            "Canción CANCIONES",
            &[("cancion", "cancion"), ("canciones", "cancion")],
        );
        check("es-CO", "migración", &[("migracion", "migracion")]);
    }

    #[test]
    fn composed_and_decomposed_accents_are_equal() {
        check("es", "migracio\u{301}n", &[("migracion", "migracion")]);
        check("es", "ＭＩＧＲＡＣＩÓＮ", &[("migracion", "migracion")]);
        check(
            "xx",
            "Straße Łódź ﬁn I\u{307}zmir",
            &[
                ("strasse", "strasse"),
                ("lodz", "lodz"),
                ("fin", "fin"),
                ("izmir", "izmir"),
            ],
        );
    }

    #[test]
    fn words_are_folded_as_searches_in_the_browser_fold_them() {
        let words: Vec<(String, String)> =
            serde_json::from_str(include_str!("../../../tests/fold.json")).expect("pairs of words");
        assert!(words.len() > 20);
        for (written, folded) in words {
            check("xx", &written, &[(&folded, &folded)]);
            assert_eq!(super::folded(&written), folded);
        }
        assert_eq!(
            super::folded("Año nuevo, #56DA00.\n¡Sí!"),
            "ano nuevo, #56da00.\n¡si!"
        );
    }

    #[test]
    fn other_characters_separate_words() {
        check(
            "xx",
            "a-b c’d\0e 😀 1.5",
            &[
                ("a", "a"),
                ("b", "b"),
                ("c", "c"),
                ("d", "d"),
                ("e", "e"),
                ("1", "1"),
                ("5", "5"),
            ],
        );
        check("xx", "co\u{ad}operate", &[("cooperate", "cooperate")]);
        check("xx", " \u{301}\u{301} !?", &[]);
        for apostrophe in ["'", "’", "\u{2bb}", "\u{2bc}", "＇"] {
            check(
                "uk",
                &format!("м{apostrophe}яч"),
                &[("м", "м"), ("яч", "яч")],
            );
        }
    }

    #[test]
    fn runs_are_separated_by_all_other_characters() {
        // Every text of up to five of these parts: a letter, a digit, a mark, and separators inside and outside ASCII.
        let parts = ["a", "é", "7", "\u{301}", "\u{ad}", "’", " ", "東"];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer: Vec<String> = texts
                .iter()
                .flat_map(|text| parts.map(|part| text.clone() + part))
                .collect();
            for text in &longer {
                let split = text.split(|c: char| !is_inner(c));
                let expect: Vec<&str> = split
                    .filter(|run| run.chars().any(char::is_alphanumeric))
                    .collect();
                assert_eq!(runs(text).collect::<Vec<_>>(), expect, "{text:?}");
            }
            texts = longer;
        }
    }

    #[test]
    fn scripts_without_case_are_words() {
        check("ar", "مُحَمَّد", &[("محمد", "محمد")]);
        check("xx", "東京", &[("東京", "東京")]);
    }

    #[test]
    fn two_letters_in_a_row_are_a_word_where_words_have_no_spaces() {
        check(
            "zh-Hans",
            "检查费用",
            &[("检查", "检查"), ("查费", "查费"), ("费用", "费用")],
        );
        check(
            "zh-Hans",
            "用React组件",
            &[("用", "用"), ("react", "react"), ("组件", "组件")],
        );
        assert_eq!(
            Analyzer::new("th").words("ตรวจฟัน").len(),
            5,
            "a vowel sign is a part of its letter"
        );
        check("ja", "ｶﾞｽ", &[("カス", "カス")]);
        let indexed: Vec<&str> = parts("检查费").collect();
        assert_eq!(indexed, ["检查", "查费", "费"]);
        assert_eq!(
            parts("검사").collect::<Vec<_>>(),
            ["검사"],
            "Korean has spaces"
        );
    }

    #[test]
    fn long_words_are_truncated() {
        let marks = format!("e{}", "\u{301}".repeat(300));
        check("en", &marks, &[("e", "e")]);
        let long = "x".repeat(10_000);
        assert_eq!(Analyzer::new("en").words(&long)[0].folded.len(), 64);
    }
}
