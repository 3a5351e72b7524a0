//! Words of a text, as they are indexed and as they are looked for.
//!
//! A word is a run of letters and digits in any script. It is found by what it is without accents, and by its stem in the
//! language of the page: `canciones` and `Canción` share a stem, and `cancion` is the second one without its accent.

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Longer words are cut: nobody types them, and some texts hold a key or a picture as letters.
const LETTERS_MAX: usize = 64;

/// Finds the words of texts in one language.
#[derive(Clone, Copy)]
pub struct Analyzer {
    stemmer: Option<Stemmer>,
}

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In lower case, without accents; never empty.
    pub folded: String,
    /// Its stem, without accents.
    pub stem: String,
}

impl Analyzer {
    /// `language` is a BCP 47 tag, `es-CO`. Words of a language that has no stemmer are found as they are.
    pub fn new(language: &str) -> Analyzer {
        let primary = language.split(['-', '_']).next().unwrap_or_default();
        // Of Norwegian's two written forms, the stemmer is for the one that most texts are in.
        let name = if primary.eq_ignore_ascii_case("nb") { "no" } else { primary };
        Analyzer { stemmer: Algorithm::from_name(name).ok().map(Stemmer::new) }
    }

    /// The words of a text in order.
    pub fn words<'t>(&self, text: &'t str) -> impl Iterator<Item = Word> + use<'t, '_> {
        runs(text).filter_map(|run| self.word(run))
    }

    /// What a run of letters is as a word; none when nothing is left of it.
    pub fn word(&self, run: &str) -> Option<Word> {
        // Composed, as stemmers want their letters, and of one width.
        let lower =
            if run.is_ascii() { run.to_ascii_lowercase() } else { run.nfkc().collect::<String>().to_lowercase() };
        let stem = self.stemmer.map(|stemmer| fold(&stemmer.stem(&lower)));
        let folded = fold(&lower);
        let stem = stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| folded.clone());
        (!folded.is_empty()).then_some(Word { folded, stem })
    }
}

/// The runs of letters and digits in a text, each with the marks that belong to it.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_inner(c)).filter(|run| run.chars().any(char::is_alphanumeric))
}

/// Marks stand on the letter before them; a soft hyphen and the joiners are inside a word and no part of it.
fn is_inner(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && (is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}'))
}

/// Takes away accents, other marks and differences of width.
fn fold(lower: &str) -> String {
    if lower.is_ascii() {
        return lower.chars().take(LETTERS_MAX).collect();
    }
    let mut folded = String::with_capacity(lower.len());
    for c in lower.nfkd().filter(|c| c.is_alphanumeric() && !is_combining_mark(*c)) {
        // Letters that Unicode takes for letters of their own, and a keyboard elsewhere does not have.
        match c {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            c => folded.push(c),
        }
    }
    match folded.char_indices().nth(LETTERS_MAX) {
        Some((end, _)) => folded[..end].to_owned(),
        None => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, text: &str, expect: &[(&str, &str)]) {
        let words: Vec<Word> = Analyzer::new(language).words(text).collect();
        let found: Vec<(&str, &str)> = words.iter().map(|word| (word.folded.as_str(), word.stem.as_str())).collect();
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn words_are_found_by_stem_and_without_accents() {
        check("en-US", "Caching, cached.", &[("caching", "cach"), ("cached", "cach")]);
        check("es", "Canción CANCIONES", &[("cancion", "cancion"), ("canciones", "cancion")]);
        check("es-CO", "migración", &[("migracion", "migracion")]);
    }

    #[test]
    fn however_an_accent_was_typed() {
        check("es", "migracio\u{301}n", &[("migracion", "migracion")]);
        check("es", "ＭＩＧＲＡＣＩÓＮ", &[("migracion", "migracion")]);
        check(
            "xx",
            "Straße Łódź ﬁn I\u{307}zmir",
            &[("strasse", "strasse"), ("lodz", "lodz"), ("fin", "fin"), ("izmir", "izmir")],
        );
    }

    #[test]
    fn what_is_no_letter_parts_words() {
        check(
            "xx",
            "a-b c’d\0e 😀 1.5",
            &[("a", "a"), ("b", "b"), ("c", "c"), ("d", "d"), ("e", "e"), ("1", "1"), ("5", "5")],
        );
        check("xx", "co\u{ad}operate", &[("cooperate", "cooperate")]);
        check("xx", " \u{301}\u{301} !?", &[]);
    }

    #[test]
    fn scripts_without_case_are_words_too() {
        check("ar", "مُحَمَّد", &[("محمد", "محمد")]);
        check("xx", "東京", &[("東京", "東京")]);
    }

    #[test]
    fn a_word_has_an_end() {
        let marks = format!("e{}", "\u{301}".repeat(300));
        check("en", &marks, &[("e", "e")]);
        let long = "x".repeat(10_000);
        assert_eq!(Analyzer::new("en").words(&long).map(|word| word.folded.len()).collect::<Vec<_>>(), [64]);
    }
}
