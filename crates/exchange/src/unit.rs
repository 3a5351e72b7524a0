//! A text in two languages, the file that it is in, and how far its translation is.

use std::collections::BTreeSet;

use translations::{is_prose, lock};

/// How far a translation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum State {
    /// There is none, or one that is not ready.
    #[default]
    Initial,
    /// A machine wrote it, and no person has accepted it.
    Machine,
    /// Its source has changed since it was accepted.
    Stale,
    /// There is one, and nobody has said that it agrees.
    Translated,
    /// Somebody has said that it agrees.
    Final,
}

/// A text in two languages.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The path of the text in its file, such as `hero.title`; `body.` and a hash for a part of a Markdown text.
    pub name: String,
    /// The line in the file of the source, from 1.
    pub line: u32,
    /// The text to translate.
    pub source: String,
    /// Its translation as it is in the site.
    pub target: Option<String>,
    /// How far the translation is.
    pub state: State,
    /// The hash of the translation in the site, which tells an import whether either side has changed it since.
    pub before: String,
    /// The purpose of the text; empty if no schema has it.
    pub meaning: String,
    /// The most characters that it may have.
    pub max: Option<usize>,
    /// Texts of the translation memory that are like it, the nearest first.
    pub matches: Vec<Match>,
    /// The terms in it, with what they are in the other language.
    pub terms: Vec<(String, String)>,
    pub(super) place: TextPlace,
}

/// A text of the translation memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// How much of it is the same, of 100.
    pub percent: u8,
    /// The text.
    pub source: String,
    /// Its translation.
    pub target: String,
}

/// Where a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextPlace {
    /// At a path of keys of the file of the source. `locale_at` is the key that is the code of the language.
    Yaml {
        path: Vec<String>,
        locale_at: Option<usize>,
    },
    /// The block of this index of the body, and that of the translation.
    Body { at: usize, target: Option<usize> },
}

/// The units of one file.
#[derive(Debug, Clone)]
pub struct Document {
    /// Such as `pages/home`.
    pub key: String,
    /// The language of the source.
    pub reference: String,
    /// The language of the translation.
    pub locale: String,
    /// The path of the file of the source.
    pub from: String,
    /// The path of the file of the translation, which may be the same or none yet.
    pub to: String,
    /// Where the text is shown; empty if that is not known.
    pub address: String,
    /// Its units, in the order of the file.
    pub units: Vec<Unit>,
}

impl Document {
    /// The name of a unit in the site: `pages/home#hero.title`.
    pub fn id(&self, unit: &Unit) -> String {
        format!("{}#{}", self.key, unit.name)
    }
}

/// How files name the translation that a site had when they were written.
pub(super) fn before(target: Option<&str>) -> String {
    target.map_or_else(|| "none".to_owned(), lock::of_text)
}

/// The entries of the lock file for the texts of a translation.
pub(super) struct States<'a> {
    pub known: Option<&'a lock::Agreement>,
    pub drafts: Option<&'a BTreeSet<String>>,
}

impl States<'_> {
    /// The translation of a text, without one that was copied, and how far it is.
    pub fn of(&self, source: &str, target: Option<&str>) -> (Option<String>, State) {
        let Some(target) =
            target.filter(|target| !(target.is_empty() || *target == source && is_prose(source)))
        else {
            return (None, State::Initial);
        };
        let (there, here) = (lock::of_text(source), lock::of_text(target));
        let state = if self.drafts.is_some_and(|drafts| drafts.contains(&here)) {
            State::Machine
        } else {
            match self.known {
                Some(known) if !known.there.texts.contains(&there) => State::Stale,
                Some(known) if known.here.texts.contains(&here) => State::Final,
                _ => State::Translated,
            }
        };
        (Some(target.to_owned()), state)
    }
}
