//! Texts of entries with the marks of the preview, by which a click finds their line. Addresses, order and filters have texts
//! without marks.

use content::collections::NAMES;
use schema::types::{Reference, Typed};

use super::super::fields::Field;
use super::super::page::EntryId;
use super::{Collections, MAX_STEPS};

impl Collections {
    /// The text at a path of fields with the marks of the preview, for pages that show it; `None` if it is no single text.
    pub fn marked(&self, id: EntryId, locale: usize, path: &str) -> Option<String> {
        let (name, rest) = path
            .split_once('.')
            .map_or((path, None), |(name, rest)| (name, Some(rest)));
        match (self.text(id, locale)?.fields.get(name)?, rest) {
            (Field::Text(text), None) => Some(text.clone()),
            (Field::Typed(typed), Some(rest)) if rest.matches('.').count() < MAX_STEPS => {
                match &**typed {
                    Typed::Reference(Reference { to, key, .. }) => {
                        self.marked(self.find(to, key)?, locale, rest)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The name of an entry as pages show it.
    pub fn marked_name(&self, id: EntryId, locale: usize) -> Option<String> {
        NAMES.iter().find_map(|path| self.marked(id, locale, path))
    }
}
