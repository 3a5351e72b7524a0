//! An entry of a collection as it was read: its values in each language, before references and Markdown are resolved.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::problem::{Source, Span};
use schema::types::Moment;

use super::{EntryValues, NAMES};

/// An entry, as read.
#[derive(Debug, Clone)]
pub struct EntryFile {
    /// The name of its folder or file.
    pub key: String,
    /// Its values in each language, in the order of the site's; `None` where it is left out.
    pub texts: Vec<Option<EntryText>>,
    /// Its facts, for problems with the entry as a whole.
    pub source: Arc<Source>,
    /// When it ends to be public.
    pub until: Option<Moment>,
    /// When its dates pass.
    pub passes: Vec<Moment>,
    /// The number of its row, if one file holds all entries.
    pub row: usize,
    /// The languages without words of it, in which it shows those of another one that nobody has chosen.
    pub lacks: Vec<usize>,
}

impl EntryFile {
    /// Its name or title in the first language that has it.
    pub fn name(&self) -> Option<String> {
        let values = &self.texts.iter().flatten().next()?.values;
        NAMES.into_iter().find_map(|key| values.text(key))
    }
}

/// The values of an entry in one language.
#[derive(Debug, Clone)]
pub struct EntryText {
    /// The language of its words: the index in the locales of the site. It differs from the language of the page if the
    /// entry has no words in that one.
    pub words_in: usize,
    /// Its fields.
    pub values: EntryValues,
    /// The text of its files, for problems that later stages find.
    pub source: Arc<Source>,
    /// The place of the entry as a whole.
    pub span: Span,
    /// The fields whose text another language lends, with its index.
    pub lent: BTreeMap<String, usize>,
}

/// An entry that is not public now.
#[derive(Debug, Clone)]
pub struct Withdrawn {
    /// The name of its folder or file.
    pub key: String,
    /// From when it is public.
    pub from: Option<Moment>,
    /// Until when it was public.
    pub until: Option<Moment>,
    /// Its values in each language, for its addresses: they lead on once it has ended, and are promised before it begins.
    /// None of a draft.
    pub texts: Vec<Option<EntryText>>,
    /// Its facts.
    pub source: Arc<Source>,
}
