//! Scripts and their letters in Unicode, with the Noto font of each on npm.

use schema::types::name_of;

/// A script, such as Greek.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WritingScript {
    /// The first and the last code of its blocks.
    pub ranges: &'static [(u32, u32)],
    /// The package of its Noto font, below `@fontsource/`.
    package: &'static str,
}

const fn script(package: &'static str, ranges: &'static [(u32, u32)]) -> WritingScript {
    WritingScript { ranges, package }
}

const LATIN: &str = "noto-sans";
/// Blocks as in Unicode's `Blocks.txt`; those without a font of their own are left out.
static SCRIPTS: [WritingScript; 24] = [
    script(LATIN, &[(0x41, 0x24f), (0x250, 0x2af), (0x1e00, 0x1eff)]),
    script(LATIN, &[(0x370, 0x3ff), (0x1f00, 0x1fff)]),
    script(LATIN, &[(0x400, 0x52f), (0x1c80, 0x1c8f), (0x2de0, 0x2dff)]),
    script("noto-sans-armenian", &[(0x530, 0x58f)]),
    script("noto-sans-hebrew", &[(0x590, 0x5ff), (0xfb1d, 0xfb4f)]),
    script(
        "noto-sans-arabic",
        &[
            (0x600, 0x6ff),
            (0x750, 0x77f),
            (0x8a0, 0x8ff),
            (0xfb50, 0xfdff),
            (0xfe70, 0xfefe),
        ],
    ),
    script("noto-sans-devanagari", &[(0x900, 0x97f)]),
    script("noto-sans-bengali", &[(0x980, 0x9ff)]),
    script("noto-sans-gurmukhi", &[(0xa00, 0xa7f)]),
    script("noto-sans-gujarati", &[(0xa80, 0xaff)]),
    script("noto-sans-tamil", &[(0xb80, 0xbff)]),
    script("noto-sans-telugu", &[(0xc00, 0xc7f)]),
    script("noto-sans-kannada", &[(0xc80, 0xcff)]),
    script("noto-sans-malayalam", &[(0xd00, 0xd7f)]),
    script("noto-sans-sinhala", &[(0xd80, 0xdff)]),
    script("noto-sans-thai", &[(0xe00, 0xe7f)]),
    script("noto-sans-lao", &[(0xe80, 0xeff)]),
    script("noto-sans-myanmar", &[(0x1000, 0x109f)]),
    script("noto-sans-georgian", &[(0x10a0, 0x10ff), (0x1c90, 0x1cbf)]),
    script("noto-sans-ethiopic", &[(0x1200, 0x139f)]),
    script("noto-sans-khmer", &[(0x1780, 0x17ff)]),
    script("noto-sans-jp", &[(0x3040, 0x30ff), (0x31f0, 0x31ff)]),
    script(
        "noto-sans-sc",
        &[
            (0x3400, 0x4dbf),
            (0x4e00, 0x9fff),
            (0xf900, 0xfaff),
            (0x2_0000, 0x3_134f),
        ],
    ),
    script(
        "noto-sans-kr",
        &[(0xac00, 0xd7af), (0x1100, 0x11ff), (0x3130, 0x318f)],
    ),
];

/// The script of a letter; `None` for letters of several scripts, and of those without a Noto font here.
pub(super) fn of(letter: char) -> Option<&'static WritingScript> {
    let code = u32::from(letter);
    SCRIPTS.iter().find(|script| {
        script
            .ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
    })
}

/// The package of the Noto font that has a letter, below `@fontsource/`.
fn noto(letter: char) -> &'static str {
    of(letter).map_or(LATIN, |script| script.package)
}

/// The package of the Noto font that has a letter of a text in a language.
pub fn noto_in(code: &str, letter: char) -> &'static str {
    match noto(letter) {
        // Japanese and traditional Chinese have other forms of these.
        "noto-sans-sc" if matches!(package(code), "noto-sans-jp" | "noto-sans-tc") => package(code),
        package => package,
    }
}

/// Tells whether a language is one of `start`.
fn begins(code: &str, start: &str) -> bool {
    code.strip_prefix(start)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The package of the Noto font for a language. The letters of Chinese have other forms in Japanese and in traditional Chinese.
pub(super) fn package(code: &str) -> &'static str {
    let code = code.to_ascii_lowercase();
    if begins(&code, "ja") {
        return "noto-sans-jp";
    }
    if ["zh-hant", "zh-tw", "zh-hk", "zh-mo"]
        .into_iter()
        .any(|start| begins(&code, start))
    {
        return "noto-sans-tc";
    }
    name_of(&code)
        .chars()
        .find(|c| c.is_alphabetic())
        .map_or(LATIN, noto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_and_a_language_have_the_font_of_their_script() {
        for (letter, package) in [
            ('ő', LATIN),
            ('ж', LATIN),
            ('ל', "noto-sans-hebrew"),
            ('字', "noto-sans-sc"),
            ('→', LATIN),
        ] {
            assert_eq!(noto(letter), package, "{letter}");
        }
        assert_eq!(noto_in("ja", '字'), "noto-sans-jp");
        assert_eq!(noto_in("zh-TW", '字'), "noto-sans-tc");
        assert_eq!(noto_in("es", '字'), "noto-sans-sc");
        assert_eq!(noto_in("ja", 'ж'), LATIN);
        assert!(of('ж') != of('é') && of('→').is_none());
        for (code, found) in [
            ("en", LATIN),
            ("ar", "noto-sans-arabic"),
            ("zh-Hans", "noto-sans-sc"),
            ("zh-hant", "noto-sans-tc"),
            ("ja", "noto-sans-jp"),
            ("ko", "noto-sans-kr"),
        ] {
            assert_eq!(package(code), found, "{code}");
        }
    }
}
