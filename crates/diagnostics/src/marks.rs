//! Marks in texts that name where a text is written, for the preview: a page that is rendered with marked texts names the
//! line of each of its words, through every template, filter and island.
//!
//! A mark is two characters of the private planes of Unicode before a text. They are letters to nobody: templates,
//! Markdown and scripts pass them on. Marks exist only in a page that the preview renders for this purpose; no build has
//! a table of marks, and so no mark.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::problem::{Place, Source, Span};

/// The first character of a mark is at this code point or behind it, below [`LOW`].
const HIGH: u32 = 0xF_0000;
/// The second character of a mark is at this code point or behind it, up to [`DIGITS`] behind it.
const LOW: u32 = 0xF_8000;
/// The number of different second characters.
const DIGITS: u32 = 0x4000;

/// Where marked texts are written, by the numbers of their marks.
#[derive(Debug, Default)]
pub struct Marks(Mutex<Vec<TextOrigin>>);

/// Where a text is written.
#[derive(Debug, Clone)]
pub enum TextOrigin {
    /// In a file that was read.
    Written(Arc<Source>, Span),
    /// Below a key of a file, which is read when somebody asks.
    Key {
        /// The path of the file below the folder of the site.
        path: String,
        /// The keys that lead to it.
        keys: Vec<String>,
    },
    /// The name of a tag, which is written in the front matter of posts. It holds the slug.
    Tag(String),
}

impl Marks {
    fn lock(&self) -> MutexGuard<'_, Vec<TextOrigin>> {
        // Poisoned only if another thread panicked; the table is intact.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new mark.
    pub fn number(&self, origin: TextOrigin) -> u32 {
        let mut table = self.lock();
        table.push(origin);
        u32::try_from(table.len()).unwrap_or(u32::MAX)
    }

    /// The characters of a new mark.
    pub fn mark(&self, origin: TextOrigin) -> String {
        characters(self.number(origin))
    }

    /// A text behind a mark. A text without words has no mark: templates ask whether there is one.
    pub fn marked(&self, origin: TextOrigin, text: &str) -> String {
        if text.trim().is_empty() {
            text.to_owned()
        } else {
            self.mark(origin) + text
        }
    }

    /// The origin of a mark, by its number.
    pub fn origin(&self, number: u32) -> Option<TextOrigin> {
        self.lock().get((number as usize).checked_sub(1)?).cloned()
    }
}

impl TextOrigin {
    /// The place in a source that was read.
    pub fn place(&self) -> Option<Place> {
        match self {
            TextOrigin::Written(source, span) => Some(source.place(*span)),
            TextOrigin::Key { .. } | TextOrigin::Tag(_) => None,
        }
    }
}

/// The characters of a mark.
pub fn characters(number: u32) -> String {
    let digits = [
        HIGH + (number / DIGITS).min(LOW - HIGH - 1),
        LOW + number % DIGITS,
    ];
    digits.into_iter().filter_map(char::from_u32).collect()
}

/// The numbers of all marks in a text, in order.
pub fn numbers(text: &str) -> impl Iterator<Item = u32> {
    let mut before = None;
    text.chars().filter_map(move |c| {
        let high = before.replace(c)?;
        let (high, low) = (u32::from(high), u32::from(c));
        let is_mark = (HIGH..LOW).contains(&high) && (LOW..LOW + DIGITS).contains(&low);
        is_mark.then(|| (high - HIGH) * DIGITS + low - LOW)
    })
}

/// A text behind the marks that it begins with.
pub fn behind(text: &str) -> &str {
    text.trim_start_matches(|c| (HIGH..LOW + DIGITS).contains(&u32::from(c)))
}

/// A text without its marks.
pub fn without(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| !(HIGH..LOW + DIGITS).contains(&u32::from(*c)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_again() {
        let marks = Marks::default();
        let source = Arc::new(Source::new("a.yaml".into(), "a: b\nc: d\n".into()));
        let text = marks.marked(
            TextOrigin::Written(Arc::clone(&source), Span::new(8, 9)),
            "d",
        );
        let both = format!(
            "é {text}, {}",
            marks.marked(TextOrigin::Tag("x".into()), "X")
        );
        assert_eq!(without(&both), "é d, X");
        let places: Vec<_> = numbers(&both)
            .map(|number| marks.origin(number).and_then(|one| one.place()))
            .collect();
        assert_eq!(places, [Some(source.place(Span::new(8, 9))), None]);
        assert_eq!(marks.marked(TextOrigin::Tag("x".into()), " "), " ");
        for number in [1, 0x3fff, 0x4000, 0x4001, 100_000_000] {
            assert_eq!(numbers(&characters(number)).collect::<Vec<_>>(), [number]);
        }
    }
}
