//! Slugs: the part of a URL that names a post, a tag, an author or a page.
//!
//! The same rule applies to all of them, in any script. A slug is also a folder name, so characters that are not
//! valid in URLs or file names are replaced. Names are checked when they are read, not when files are written.
//!
//! Anchors follow a stricter rule (`rich::slug`: letters, digits and hyphens): readers type them.

use std::fmt;

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

/// Maximum length of a slug in bytes. File systems allow 255; the rest is for suffixes that tools append.
const MAX_BYTES: usize = 200;
/// Hexadecimal digits of the hash in shortened and generated slugs.
const HASH_DIGITS: usize = 8;

/// The signs in [`TYPED`].
const TYPOGRAPHIC: [char; 12] = ['«', '»', '‹', '›', '“', '”', '„', '’', '‘', '–', '—', '…'];
/// The signs that `sitegen fmt` writes, each with those that were typed. Guillemets go with the space inside of them.
const TYPED: [(&str, &str); 20] = [
    ("«\u{202f}", "-"),
    ("«\u{a0}", "-"),
    ("‹\u{202f}", "-"),
    ("‹\u{a0}", "-"),
    ("\u{202f}»", "-"),
    ("\u{a0}»", "-"),
    ("\u{202f}›", "-"),
    ("\u{a0}›", "-"),
    ("«", "-"),
    ("»", "-"),
    ("‹", "-"),
    ("›", "-"),
    ("“", "-"),
    ("”", "-"),
    ("„", "-"),
    ("–", "-"),
    ("—", "-"),
    ("’", "'"),
    ("‘", "'"),
    ("…", "..."),
];

/// A name that is valid in URLs and paths: lower case, in Unicode normalization form C, without separators.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// The slug of a name, or of a percent-encoded slug of a CMS. `None` if no valid character is left.
    ///
    /// ```
    /// use schema::types::Slug;
    /// let slug = |name| Slug::of(name).map(Slug::into_string);
    /// assert_eq!(slug("Site Reliability").as_deref(), Some("site-reliability"));
    /// assert_eq!(slug("dise%C3%B1o-y-c%C3%B3digo").as_deref(), Some("diseño-y-código"));
    /// assert_eq!(slug("CI/CD").as_deref(), Some("ci-cd"));
    /// assert_eq!(slug(".."), None);
    /// ```
    pub fn of(name: &str) -> Option<Slug> {
        // Fast path: most names are plain words, and each list of posts computes the slugs of its tags.
        if name.len() <= MAX_BYTES
            && name.bytes().any(|byte| byte != b'-')
            && name.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
            })
        {
            return Some(Slug(name.to_owned()));
        }
        // WordPress truncates encoded slugs, even in the middle of a character.
        let decoded = percent_decode_str(name)
            .decode_utf8_lossy()
            .replace(char::REPLACEMENT_CHARACTER, "");
        let composed = if decoded.is_ascii() {
            decoded.to_ascii_lowercase()
        } else {
            // Remove invisible characters first: without them, normalization may reorder the accents around them.
            let visible = decoded.chars().filter(|c| !is_invisible(*c));
            lower_case(&visible.nfc().collect::<String>())
                .nfc()
                .collect()
        };
        let replaced: String = composed.trim().chars().map(replacement).collect();
        let slug = replaced.trim_start_matches('.');
        if slug.chars().all(|c| matches!(c, '-' | '.')) {
            return None;
        }
        if slug.len() <= MAX_BYTES {
            return Some(Slug(slug.to_owned()));
        }
        let end = (0..MAX_BYTES - HASH_DIGITS)
            .rev()
            .find(|at| slug.is_char_boundary(*at))
            .unwrap_or_default();
        Some(Slug(format!("{}-{}", &slug[..end], hash(slug))))
    }

    /// The slug of a tag; a hash for a tag such as `..`. Straight and typographic signs are one, so that a URL stays when
    /// `sitegen fmt` corrects the name.
    ///
    /// ```
    /// use schema::types::Slug;
    /// assert_eq!(Slug::of_tag("What’s new").as_str(), "what's-new");
    /// ```
    pub fn of_tag(name: &str) -> Slug {
        if !name.contains(TYPOGRAPHIC) {
            return Slug::or_hash(name, "tag");
        }
        let typed = TYPED.iter().fold(name.to_owned(), |name, (signs, typed)| {
            name.replace(signs, typed)
        });
        Slug::or_hash(&typed, "tag")
    }

    /// The slug of a name, or `{kind}-{hash}` if it has none.
    pub fn or_hash(name: &str, kind: &str) -> Slug {
        Slug::of(name).unwrap_or_else(|| Slug(format!("{kind}-{}", hash(name))))
    }

    /// Whether a text is already a slug.
    pub fn is(text: &str) -> bool {
        Slug::of(text).is_some_and(|slug| slug.0 == text)
    }

    /// Returns the slug as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the slug as a `String`.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text in lower case. The Turkish `İ` becomes `i` without the dot that Unicode would add to it: names that differ by case
/// only are one.
pub fn lower_case(text: &str) -> String {
    text.to_lowercase().replace("i\u{307}", "i")
}

/// A name without what its writings can differ in: letters in upper case, which Turkish and Azerbaijani write in their own way, and
/// `ß`. Names that differ in nothing else are one.
pub fn caseless(name: &str, language: &str) -> String {
    let name = if has_dotless_i(language) {
        lower_case(&name.replace('I', "ı").replace('İ', "i"))
    } else {
        lower_case(name)
    };
    name.replace('ß', "ss")
}

/// Whether `I` is the capital of `ı` in a language, as in Turkish and Azerbaijani.
pub fn has_dotless_i(language: &str) -> bool {
    matches!(language.split('-').next(), Some("tr" | "az"))
}

/// Whether a character is part of a letter before it, such as the vowels of Hindi.
pub fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Replaces a character that is not valid in URLs or file names with a hyphen.
fn replacement(c: char) -> char {
    let is_separator = matches!(
        c,
        '/' | '?' | '#' | '%' | '\\' | ':' | '*' | '"' | '<' | '>' | '|'
    );
    let is_noncharacter = u32::from(c) & 0xfffe == 0xfffe;
    if is_separator || is_noncharacter || c.is_whitespace() || c.is_control() {
        '-'
    } else {
        c
    }
}

/// Characters that are invisible or change the display of others, so that a URL could be mistaken for another.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..HASH_DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: &str) {
        let slug = Slug::of(name).map(Slug::into_string);
        assert_eq!(
            slug.as_deref(),
            (!expect.is_empty()).then_some(expect),
            "{name:?}"
        );
    }

    #[test]
    fn letters_of_any_script_are_kept() {
        check("Diseño y código", "diseño-y-código");
        check("%E6%97%A5%E6%9C%AC%E8%AA%9E", "日本語");
        check("Привет, мир", "привет,-мир");
        check("%f0%9f%9a%80-rocket", "🚀-rocket");
        check("C++", "c++");
        check("What's New?", "what's-new-");
        check("Q&A", "q&a");
    }

    #[test]
    fn composed_and_decomposed_letters_are_equal() {
        check("cafe\u{301}", "café");
        check("CAFÉ", "café");
        check("İstanbul", "istanbul");
        check("I\u{307}stanbul", "istanbul");
        check("DİYARBAKIR", "diyarbakir");
    }

    #[test]
    fn invalid_characters_are_replaced() {
        check("a/b\\c:d*e\"f<g>h|i%j", "a-b-c-d-e-f-g-h-i-j");
        check("a\0b\u{1f}c\u{202e}d", "a-b-cd");
        check(".htaccess", "htaccess");
        check("a%2F..%2Fb", "a-..-b");
        for nothing in ["", " ", ".", "..", "...", "-", "/", "%", "\u{200b}"] {
            check(nothing, "");
        }
    }

    #[test]
    fn a_truncated_percent_escape_is_dropped() {
        check("caf%c3%a9-ol%c3", "café-ol");
    }

    #[test]
    fn long_names_are_truncated_at_a_character_and_stay_different() {
        let long = |last: &str| Slug::of(&("ñ".repeat(150) + last)).expect("a slug");
        assert!(long("a").as_str().len() <= MAX_BYTES && long("a").as_str().starts_with("ñññ"));
        assert_ne!(long("a"), long("b"));
    }

    #[test]
    fn a_slug_is_its_own_slug() {
        let accents = "\u{fe20}\u{202e}\u{c55}";
        for name in [
            "Diseño y código",
            "%2541",
            "Σίσυφος ΣΑΣ",
            "İstanbul",
            "a%2F..%2Fb",
            accents,
            &"x".repeat(400),
        ] {
            let slug = Slug::of(name).expect("a slug");
            assert!(Slug::is(slug.as_str()), "{name}: {slug}");
        }
    }

    proptest::proptest! {
        #[test]
        fn equal_names_have_equal_slugs(name in "(\\PC|[a-zñé ]){1,40}") {
            use unicode_normalization::UnicodeNormalization as _;
            // Decomposing would change the letters of a percent escape.
            let name = name.replace('%', "");
            let decomposed: String = name.nfd().collect();
            assert_eq!(Slug::of(&name.nfc().collect::<String>()), Slug::of(&decomposed));
        }
    }

    #[test]
    fn a_name_without_a_slug_gets_a_hash() {
        assert_ne!(Slug::or_hash("..", "tag"), Slug::or_hash("...", "tag"));
        assert!(Slug::or_hash("..", "tag").as_str().starts_with("tag-"));
    }
}
