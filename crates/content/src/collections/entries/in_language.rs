//! The facts of an entry with the texts that a file gives for one language, its own or those of a fallback.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::problem::{Source, nearest};
use diagnostics::yaml::{Node, Value};
use schema::Field;

use super::EntryReader;

/// The facts of an entry with the texts of one language.
pub(super) struct InLanguage {
    pub node: Node,
    /// The language has texts of its own.
    pub is_said: bool,
    /// The fields whose text another language lends.
    pub lent: BTreeMap<String, usize>,
}

impl EntryReader<'_> {
    /// The facts in a file of texts.
    pub(super) fn facts_of(&self, node: &Node) -> Node {
        let Value::Map(entries) = &node.value else {
            return node.clone();
        };
        let is_word = |name: &str| {
            self.schema
                .fields
                .field(name)
                .is_none_or(|field| field.words)
        };
        node.with_value(Value::Map(
            entries
                .iter()
                .filter(|(key, _)| !is_word(&key.name))
                .cloned()
                .collect(),
        ))
    }

    /// Whether a file of facts has a text for each language.
    pub(super) fn has_languages(&self, node: &Node) -> bool {
        let Value::Map(entries) = &node.value else {
            return false;
        };
        entries.iter().any(|(key, value)| {
            let word = self
                .schema
                .fields
                .field(&key.name)
                .filter(|field| field.words);
            let texts = word
                .and_then(|field| field.texts(value, &|code| self.config.site.has_language(code)));
            texts.is_some_and(|texts| !texts.is_empty())
        })
    }

    /// The facts with the texts of one language.
    pub(super) fn localized(
        &mut self,
        source: &Arc<Source>,
        node: &Node,
        locale: usize,
    ) -> InLanguage {
        let (mut is_said, mut lent) = (false, BTreeMap::new());
        let Value::Map(entries) = &node.value else {
            return InLanguage {
                node: node.clone(),
                is_said,
                lent,
            };
        };
        let mut kept = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let words = self
                .schema
                .fields
                .field(&key.name)
                .filter(|field| field.words);
            let value = match words {
                None => Some(value.clone()),
                Some(field) => self
                    .word(source, field, value, locale)
                    .map(|(word, lent_by)| {
                        is_said |= lent_by.is_none();
                        lent.extend(lent_by.map(|lender| (key.name.clone(), lender)));
                        word
                    }),
            };
            kept.extend(value.map(|value| (key.clone(), value)));
        }
        InLanguage {
            node: node.with_value(Value::Map(kept)),
            is_said,
            lent,
        }
    }

    /// The text of a word in one language, and the index of the one that lends it. A word without languages is written in the
    /// first one of the site.
    fn word(
        &mut self,
        source: &Arc<Source>,
        field: &Field,
        value: &Node,
        locale: usize,
    ) -> Option<(Node, Option<usize>)> {
        let site = &self.config.site;
        let Some(texts) = field.texts(value, &|code| site.has_language(code)) else {
            return (locale == 0).then(|| (value.clone(), None));
        };
        let locales = site.locales.iter().map(|code| code.value.as_str());
        let code = site.locales[locale].value.as_str();
        let mut misspelled = None;
        for (key, text) in texts
            .iter()
            .filter(|(key, _)| !site.has_language(&key.name))
        {
            self.problems
                .push(site.unknown_language(&key.name).at(source.place(key.span)));
            if nearest(&key.name, locales.clone()) == Some(code) {
                // That the language has no text is not a second mistake.
                misspelled = Some((text.clone(), None));
            }
        }
        misspelled.or_else(|| {
            site.with_fallbacks(code).find_map(|from| {
                // A text that is `null` is as good as left out.
                let text = value
                    .get(from)
                    .filter(|text| !matches!(text.value, Value::Null))?;
                Some((
                    text.clone(),
                    locales.clone().position(|own| own == from && from != code),
                ))
            })
        })
    }
}
