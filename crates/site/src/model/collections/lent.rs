//! The language that lends another one the texts of an entry: all of them, or that of a field.

use content::collections::NAMES;

use super::super::fields::Field;
use super::super::page::EntryId;
use super::Collections;

impl Collections {
    /// The language that lends all texts of an entry in a locale.
    pub fn lender(&self, id: EntryId, locale: usize) -> Option<usize> {
        self.text(id, locale)
            .map(|text| text.words_in)
            .filter(|words_in| *words_in != locale)
    }

    /// The language that lends the text of a field in a locale.
    pub fn lender_of(&self, id: EntryId, locale: usize, field: &str) -> Option<usize> {
        let of_field = self
            .text(id, locale)
            .and_then(|text| text.lent.get(field).copied());
        of_field
            .filter(|lender| *lender != locale)
            .or_else(|| self.lender(id, locale))
    }

    /// The same for the field that names the entry.
    pub fn lender_of_name(&self, id: EntryId, locale: usize) -> Option<usize> {
        let text = self.text(id, locale)?;
        let mut names = NAMES.into_iter();
        let name = names.find(|name| {
            text.fields
                .get(name)
                .is_some_and(|field| !matches!(field, Field::None))
        });
        self.lender_of(id, locale, name.unwrap_or_default())
    }
}
