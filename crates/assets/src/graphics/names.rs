//! How wide a name is in the display font of the site, bold, as the logo of the theme shows it. A browser that has not loaded the
//! font yet must leave the same room, so the box of the logo cannot be left to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use workspace::cache::{Kind, Store};

use super::VERSION;
use super::fonts::Fonts;
use super::text::{self, TextBox};

/// The weight and the letter spacing, in ems, of `templates/components/logo/logo.css`. Where letters are joined, nothing parts them
/// (`templates/styles/languages/ar.css`).
const WEIGHT: u32 = 700;
const TRACKING: f32 = -0.04;
/// The languages of `ar.css`, whose letters are joined.
const JOINED: [&str; 7] = ["ar", "ckb", "fa", "ps", "sd", "ug", "ur"];
/// The width of a letter, in ems, that no font of the site has: of an ideograph or kana, and of any other.
const WIDE: f32 = 1.0 + TRACKING;
const NARROW: f32 = 0.571;

/// Measures names, each once.
pub struct NameWidths {
    fonts: Arc<Fonts>,
    /// The families of the display font, as in CSS.
    families: String,
    store: Store,
    /// By the name, and whether its letters are spaced.
    known: Mutex<HashMap<(String, bool), f32>>,
}

impl std::fmt::Debug for NameWidths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NameWidths")
            .field("families", &self.families)
            .finish_non_exhaustive()
    }
}

impl NameWidths {
    pub(super) fn new(fonts: Arc<Fonts>, families: String, store: Store) -> NameWidths {
        NameWidths {
            fonts,
            families,
            store,
            known: Mutex::default(),
        }
    }

    /// The width of a name in ems on the pages of a language.
    pub fn ems(&self, name: &str, language: &str) -> f32 {
        let tracking = if language
            .split('-')
            .next()
            .is_some_and(|code| JOINED.contains(&code))
        {
            0.0
        } else {
            TRACKING
        };
        let key = (name.to_owned(), tracking != 0.0);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(width) = known.get(&key) {
            return *width;
        }
        let width = self.kept(name, tracking);
        known.insert(key, width);
        width
    }

    /// Fonts are decompressed to measure a name, so its width is kept like a drawing.
    fn kept(&self, name: &str, tracking: f32) -> f32 {
        let spacing = tracking.to_string();
        let parts = [VERSION, name, &spacing, self.families.as_str()]
            .into_iter()
            .chain(self.fonts.names());
        let parts: Vec<&[u8]> = parts.map(str::as_bytes).collect();
        let file = format!("{}.width", crate::output::hash(&parts));
        let kept = self
            .store
            .get(Kind::Drawings, &file)
            .and_then(|bytes| String::from_utf8(bytes).ok()?.parse().ok());
        kept.unwrap_or_else(|| {
            let width = self.measured(name, tracking);
            self.store
                .put(Kind::Drawings, &file, width.to_string().as_bytes());
            width
        })
    }

    fn measured(&self, name: &str, tracking: f32) -> f32 {
        let room = TextBox {
            width: 0.0,
            height: 0.0,
            sizes: Vec::new(),
            leading: 1.0,
            font: self.families.clone(),
            weight: WEIGHT,
            tracking,
        };
        let (width, missing) =
            text::width(&self.fonts, name, &room).unwrap_or_else(|_| (0.0, name.to_owned()));
        width
            + missing
                .chars()
                .map(|c| if is_wide(c) { WIDE } else { NARROW })
                .sum::<f32>()
    }
}

/// Whether a character is as wide as it is high.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..)
}

#[cfg(test)]
mod tests {
    use super::JOINED;

    #[test]
    fn languages_with_joined_letters_have_the_style_sheet_that_leaves_them_joined() {
        let sheet = |code: &str| {
            std::fs::read_to_string(format!("../../templates/styles/languages/{code}.css"))
        };
        let arabic = sheet("ar").expect("the sheet of Arabic");
        for code in JOINED {
            assert!(arabic.contains(&format!(":lang({code})")), "{code}");
            assert!(
                code == "ar" || sheet(code).is_ok_and(|css| css.contains("@import \"./ar.css\"")),
                "{code}"
            );
        }
    }
}
