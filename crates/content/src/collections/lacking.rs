//! Words of entries that a language lacks and another one has: an error where the schema needs them, and a warning where
//! another language stands in although nobody has said so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use config::{Config, SiteSettings};
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Value};
use schema::Field;

use super::{CollectionSchema, EntryFile, EntryText, Missing, SETTINGS};

/// How many entries a message names.
const NAMED: usize = 3;

/// The languages in which an entry has a word, and where.
pub(super) struct Said<'a> {
    settings: &'a SiteSettings,
    facts: Option<&'a (Arc<Source>, Node)>,
    words: &'a BTreeMap<usize, (Arc<Source>, Node)>,
}

impl<'a> Said<'a> {
    pub(super) fn new(
        settings: &'a SiteSettings,
        facts: Option<&'a (Arc<Source>, Node)>,
        words: &'a BTreeMap<usize, (Arc<Source>, Node)>,
    ) -> Said<'a> {
        Said {
            settings,
            facts,
            words,
        }
    }

    /// The problem with a required word that a language lacks, in place of one that names no language. `None` if no other
    /// language has it either.
    fn problem(&self, field: &Field, locale: usize, code: &str) -> Option<Problem> {
        let message = format!("`{}` has no text for the locale `{code}`", field.name);
        let problem = Problem::error(Code::TranslationMissing, message);
        if let Some((source, node)) = self.facts
            && let Value::Map(entries) = &node.value
            && let Some((key, texts)) = entries.iter().find(|(key, _)| key.name == field.name)
        {
            let hint = match field.texts(texts, &|code| self.settings.has_language(code)) {
                Some(_) => format!("add `{code}: …` next to the other languages"),
                None => format!(
                    "write the text in each language: `{}: {{…: …, {code}: …}}`",
                    field.name
                ),
            };
            return Some(problem.at(source.place(key.span)).hint(hint));
        }
        let (there, _) = self
            .words
            .values()
            .find(|(_, node)| node.get(field.name).is_some())?;
        let here = self.words.get(&locale).map(|(source, _)| source);
        let hint = match here {
            Some(_) => format!("add `{}: …`, as in `{}`", field.name, there.path),
            None => format!(
                "add a file for `{code}` with `{}: …`, as in `{}`",
                field.name, there.path
            ),
        };
        Some(
            problem
                .at(Place::file(here.unwrap_or(there).path.clone()))
                .hint(hint),
        )
    }

    /// Names the language in problems with required words: `found` are those of reading `node`, the entry in one language.
    pub(super) fn name(
        &self,
        schema: &CollectionSchema,
        node: &Node,
        locale: (usize, &str),
        found: &Problems,
    ) -> Problems {
        let mut problems = Problems::new();
        let mut named = BTreeSet::new();
        if found.iter().any(|problem| problem.code == Code::MissingKey) {
            let fields = schema.fields.fields.iter();
            for field in fields
                .filter(|field| field.words && field.required && node.get(field.name).is_none())
            {
                if let Some(problem) = self.problem(field, locale.0, locale.1) {
                    named.insert(field.name);
                    problems.push(problem);
                }
            }
        }
        let others = found
            .iter()
            .filter(|problem| !named.iter().any(|name| is_missing(problem, name)));
        others.cloned().for_each(|problem| problems.push(problem));
        problems
    }
}

/// Tells whether a problem is that a key is missing.
fn is_missing(problem: &Problem, name: &str) -> bool {
    problem.code == Code::MissingKey
        && problem.message == format!("the key `{name}` is missing here")
}

/// Reports words that a language lacks and another one has, if the schema says that this is an error.
pub(super) fn check(
    config: &Config,
    schema: &CollectionSchema,
    texts: &[Option<EntryText>],
) -> Problems {
    let mut problems = Problems::new();
    if schema.missing != Missing::Error {
        return problems;
    }
    for field in schema.fields.fields.iter().filter(|field| field.words) {
        if !texts
            .iter()
            .flatten()
            .any(|text| text.values.has(field.name))
        {
            continue;
        }
        for (locale, code) in config.site.locales.iter().enumerate() {
            let Some(text) = texts[locale]
                .as_ref()
                .filter(|text| text.words_in == locale && !text.values.has(field.name))
            else {
                continue;
            };
            let message = format!(
                "`{}` has no text for the locale `{}`",
                field.name, code.value
            );
            let problem = Problem::error(Code::TranslationMissing, message)
                .at(Place::file(text.source.path.clone()));
            problems.push(problem.hint(format!(
                "add `{}: …` next to the other languages",
                code.value
            )));
        }
    }
    problems
}

/// Warns, once for each language, of entries in several others that are shown in the words of one of these, although neither the
/// schema nor `fallback` says so.
pub(super) fn warn(config: &Config, schema: &CollectionSchema, entries: &[EntryFile]) -> Problems {
    let mut problems = Problems::new();
    if schema.says_missing || schema.name == SETTINGS {
        return problems;
    }
    for (locale, code) in config.site.locales.iter().enumerate() {
        let lacking: Vec<&EntryFile> = entries
            .iter()
            .filter(|entry| entry.lacks.contains(&locale))
            .collect();
        let Some(first) = lacking.first() else {
            continue;
        };
        let named: Vec<String> = lacking
            .iter()
            .take(NAMED)
            .map(|entry| format!("`{}`", entry.key))
            .collect();
        let rest = lacking.len() - named.len();
        let message = match (lacking.len(), rest) {
            (1, _) => format!(
                "the entry has no text in `{}`, so it is shown in another language",
                code.value
            ),
            (count, 0) => format!(
                "{count} entries have no text in `{}`: {}",
                code.value,
                named.join(", ")
            ),
            (count, rest) => {
                format!(
                    "{count} entries have no text in `{}`: {} and {rest} more",
                    code.value,
                    named.join(", ")
                )
            }
        };
        let folder = Path::new(&schema.source.path).display();
        let hint = format!(
            "add the translations, or set `missing` to `main`, `leave_out` or `error` in `{folder}`"
        );
        let problem = Problem::warning(Code::TranslationMissing, message).at(place(schema, first));
        problems.push(problem.hint(hint));
    }
    problems
}

/// The first word of an entry that is written per language; its file if it has a file for each.
fn place(schema: &CollectionSchema, entry: &EntryFile) -> Place {
    let words = schema.fields.fields.iter().filter(|field| field.words);
    let mut found = words.map(|field| yaml::place_of_key(&entry.source, &[field.name]));
    found
        .find(|place| place.range.is_some())
        .unwrap_or_else(|| Place::file(entry.source.path.clone()))
}
