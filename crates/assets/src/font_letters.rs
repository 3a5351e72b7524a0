//! Looks up the letters of pages in the fonts that `fonts` in `content/design.yaml` names, as a browser would: in the families
//! of a token one after the other, and in a file of a family only if its `unicode-range` has the letter.
//!
//! A file is unpacked when a page has a letter that it claims, and what it holds is kept in the cache. Letters of ASCII are not
//! looked up: a font that claims the letters of a language has them.

mod elements;
mod holdings;
mod scripts;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use foldhash::{HashMap, HashSet};

use crate::output::Output;
use config::Config;
use config::fonts::{FONT, Font};
use content::Design;
use diagnostics::problem::{Code, Place, Problem, Problems};
use diagnostics::yaml::Spanned;
use schema::types::name_of;

use super::language_styles::{LANGUAGES, is_for};
use super::npm_fonts::faces;
use super::styles::SITE;

use elements::Elements;
use holdings::FaceLetters;

pub use scripts::noto_in;

/// The fonts of each language, by its code. Empty without `fonts`.
#[derive(Debug, Default)]
pub struct FontLetters {
    languages: BTreeMap<String, LanguageFonts>,
}

/// Letters of a page that a font lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLetters {
    /// Where the font is named.
    pub place: Place,
    /// The npm package of the font.
    pub package: String,
    /// The token that begins with the font, such as `display`.
    pub token: String,
    /// The letters, sorted.
    pub letters: Vec<char>,
}

/// The fonts of the pages in a language.
#[derive(Debug)]
struct LanguageFonts {
    /// For each element with a font of its own, the number of its stack; none for a token that no package begins.
    elements: Arc<Elements>,
    stacks: BTreeMap<String, Stack>,
    /// Whether every stack has a letter.
    known: RwLock<HashMap<char, bool>>,
}

/// The families of a token.
#[derive(Debug)]
struct Stack {
    place: Place,
    package: String,
    faces: Vec<Arc<FaceLetters>>,
}

impl FontLetters {
    /// Takes the design with the families of packages in its tokens, the bundled sheets, and the files that they load. Reports
    /// fonts without the letters of a language whose pages they are for.
    pub(super) fn new(
        config: &Config,
        design: &Design,
        sheets: &BTreeMap<String, String>,
        files: &[Output],
        problems: &mut Problems,
    ) -> FontLetters {
        let Some(source) = design.source.as_ref().filter(|_| !design.fonts.is_empty()) else {
            return FontLetters::default();
        };
        let site_sheet = sheets.get(SITE).map(String::as_str).unwrap_or_default();
        let elements = Arc::new(Elements::read(site_sheet));
        let shared = families(config, site_sheet, files);
        let mut languages = BTreeMap::new();
        for code in config.site.locales.iter().map(|code| code.value.as_str()) {
            let css: String = sheets
                .iter()
                .filter_map(|(name, css)| {
                    let sheet = name.strip_prefix(LANGUAGES)?;
                    is_for(sheet, code).then(|| css.clone())
                })
                .collect();
            let added = families(config, &css, files);
            let mut stacks = BTreeMap::new();
            for token in design
                .group(FONT)
                .filter(|token| elements.have(&token.name))
            {
                let Some(font) = font_of(&design.fonts, &token.name, code) else {
                    continue;
                };
                let value = last_value(&css, &token.property()).unwrap_or(&token.value);
                let faces = elements::parts(value).flat_map(|family| {
                    let family = family.trim_matches(['"', '\'']);
                    [&added, &shared]
                        .into_iter()
                        .filter_map(move |faces| faces.get(family))
                        .flatten()
                        .cloned()
                });
                let place = source.place(font.package.span);
                let stack = Stack {
                    place,
                    package: font.package.value.clone(),
                    faces: faces.collect(),
                };
                if stack.is_for(code) {
                    stacks.insert(token.name.clone(), stack);
                } else if !stack.faces.is_empty() {
                    problems.push(stack.without_language(font, code));
                }
            }
            if !stacks.is_empty() {
                let fonts = LanguageFonts {
                    elements: Arc::clone(&elements),
                    stacks,
                    known: RwLock::default(),
                };
                languages.insert(code.to_owned(), fonts);
            }
        }
        FontLetters { languages }
    }

    /// The letters that the fonts lack of those in the text of a page in a language.
    pub fn missing(&self, language: &str, html: &str) -> Vec<MissingLetters> {
        let Some(fonts) = self.languages.get(language) else {
            return Vec::new();
        };
        let doubtful: HashSet<char> = fonts.not_everywhere(&distinct(html));
        if doubtful.is_empty() {
            return Vec::new();
        }
        let mut missing: BTreeMap<&str, Vec<char>> = BTreeMap::new();
        fonts.elements.letters(html, &mut |token, letter| {
            if doubtful.contains(&letter)
                && fonts
                    .stacks
                    .get(token)
                    .is_some_and(|stack| stack.lacks(letter))
            {
                missing.entry(token).or_default().push(letter);
            }
        });
        let lacking = missing.into_iter().filter_map(|(token, mut letters)| {
            letters.sort_unstable();
            letters.dedup();
            let Stack { place, package, .. } = fonts.stacks.get(token)?;
            let (place, package) = (place.clone(), package.clone());
            Some(MissingLetters {
                place,
                package,
                token: token.to_owned(),
                letters,
            })
        });
        lacking.collect()
    }
}

impl LanguageFonts {
    /// Those of these letters that a stack lacks.
    fn not_everywhere(&self, letters: &[char]) -> HashSet<char> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let unknown: Vec<char> = letters
            .iter()
            .filter(|letter| !known.contains_key(letter))
            .copied()
            .collect();
        drop(known);
        if !unknown.is_empty() {
            let found = unknown.iter().map(|letter| {
                (
                    *letter,
                    !self.stacks.values().any(|stack| stack.lacks(*letter)),
                )
            });
            let found: Vec<(char, bool)> = found.collect();
            self.known
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(found);
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        letters
            .iter()
            .filter(|letter| known.get(letter) == Some(&false))
            .copied()
            .collect()
    }
}

impl Stack {
    /// Whether it claims a letter of the name of a language.
    fn is_for(&self, language: &str) -> bool {
        let name = name_of(language);
        let mut letters = name.chars().filter(|c| c.is_alphabetic());
        letters.any(|letter| self.faces.iter().any(|face| face.claims(letter)))
    }

    /// Whether it lacks a letter of a script of which it claims others. A word in another script is set in a font of the
    /// machine, as a site that names no font for that script expects.
    fn lacks(&self, letter: char) -> bool {
        if self.faces.iter().any(|face| face.has(letter)) {
            return false;
        }
        let Some(script) = scripts::of(letter) else {
            return false;
        };
        self.faces.iter().any(|face| face.claims_some(script))
    }

    /// The warning for a language whose letters it does not claim.
    fn without_language(&self, font: &Font, code: &str) -> Problem {
        let (package, token) = (&self.package, &font.token.value);
        let message = format!(
            "`{package}` has no letters for `{code}`, so browsers choose another font for pages in this language"
        );
        let other = scripts::package(code);
        let advice = format!(
            "add `{{token: {token}, package: \"@fontsource/{other}\", languages: [{code}]}}` to `fonts`"
        );
        let hint = if font.languages.is_empty() {
            format!("{advice}, or set `languages` to the languages that this font is for")
        } else {
            format!("{advice}, and remove `{code}` here")
        };
        Problem::warning(Code::FontLetters, message)
            .at(self.place.clone())
            .hint(hint)
    }
}

/// The font that begins a token for a language: one for the language comes before one for all.
fn font_of<'f>(fonts: &'f [Font], token: &str, code: &str) -> Option<&'f Font> {
    let mut of_token = fonts.iter().filter(|font| font.token.value == token);
    of_token
        .clone()
        .find(|font| {
            font.languages
                .iter()
                .any(|of: &Spanned<String>| is_for(of, code))
        })
        .or_else(|| of_token.find(|font| font.languages.is_empty()))
}

/// The upright faces of a bundled sheet, by family.
fn families(
    config: &Config,
    css: &str,
    files: &[Output],
) -> BTreeMap<String, Vec<Arc<FaceLetters>>> {
    let mut families: BTreeMap<String, Vec<Arc<FaceLetters>>> = BTreeMap::new();
    for face in faces::read(css).into_iter().filter(|face| !face.is_italic) {
        let path = config.site.path_of(&face.file).trim_start_matches('/');
        if let Some(file) = files.iter().find(|file| file.path == path) {
            let known = families.entry(face.family.clone()).or_default();
            known.push(Arc::new(FaceLetters::new(&config.cache, face.ranges, file)));
        }
    }
    families
}

/// The value that the last rule of a sheet gives to a property.
fn last_value<'c>(css: &'c str, property: &str) -> Option<&'c str> {
    let (_, rest) = css.rsplit_once(&format!("{property}:"))?;
    rest.split(['}', ';']).next()
}

/// The letters of a text beyond ASCII, each once. Tags are read as well: a letter in them costs a look-up and no more.
fn distinct(html: &str) -> Vec<char> {
    const LINE: usize = 64;
    let mut seen: HashSet<char> = HashSet::default();
    let mut from = 0;
    while from < html.len() {
        let to = html.ceil_char_boundary((from + LINE).min(html.len()));
        let part = &html[from..to];
        if !part.is_ascii() {
            seen.extend(
                part.chars()
                    .filter(|c| !c.is_ascii() && c.is_alphanumeric()),
            );
        }
        from = to;
    }
    seen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_beyond_ascii_are_found_once_wherever_they_stand() {
        let html = format!(
            "<p class=\"ñ\">{}é→é 1²{}字</p>",
            "a".repeat(63),
            "b".repeat(62)
        );
        let mut found = distinct(&html);
        found.sort_unstable();
        assert_eq!(found, ['²', 'é', 'ñ', '字']);
        assert!(distinct("").is_empty());
    }

    #[test]
    fn the_last_rule_of_a_sheet_wins() {
        let css = ":root{--font-text:\"A\",serif}\n:root{--font-text:\"B\",serif;--font-mono:C}";
        assert_eq!(last_value(css, "--font-text"), Some("\"B\",serif"));
        assert_eq!(last_value(css, "--font-display"), None);
    }
}
