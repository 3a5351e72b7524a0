//! The translations of entries: the words of each language, in files of their own, in blocks of one file, or in the columns
//! of a table. Facts are no texts: they are the same in all languages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use content::Content;
use content::collections::{CollectionSchema, EntryFile, LIST_ADDRESS, table_entries};
use diagnostics::problem::{Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Value};
use schema::{Block, Takes};
use workspace::files::FileSet;

use super::Item;
use super::texts::{self, Texts};

/// Where the words of an entry are.
#[derive(Debug, Clone)]
pub struct Words {
    fields: &'static Block,
    /// The row of a table.
    row: Option<Arc<Node>>,
}

/// Whether an entry has a word in some language.
fn has_any_word(schema: &CollectionSchema, entry: &EntryFile) -> bool {
    let mut words = schema.fields.fields.iter().filter(|field| field.words);
    words.any(|field| {
        let mut texts = entry.texts.iter().flatten();
        texts.any(|text| text.values.has(field.name))
    })
}

/// The entries of all collections that have words, each with the files of its languages.
pub fn items(root: &FileSet, content: &Content, locales: &[&str]) -> Vec<Item> {
    let collections = &content.collections;
    let mut items = Vec::new();
    for collection in collections.list.iter().filter(|collection| {
        collection
            .schema
            .fields
            .fields
            .iter()
            .any(|field| field.words)
    }) {
        let schema = collection.schema;
        let shown_in: Vec<bool> = locales
            .iter()
            .map(|locale| is_shown(content, schema, locale, &mut BTreeSet::new()))
            .collect();
        let mut tables: BTreeMap<String, BTreeMap<String, Arc<Node>>> = BTreeMap::new();
        for entry in collection
            .entries
            .iter()
            .filter(|entry| has_any_word(schema, entry))
        {
            let row = schema
                .file
                .as_ref()
                .filter(|(name, _)| entry.source.path.ends_with(&format!("/{name}")));
            let row = row.and_then(|_| {
                tables
                    .entry(entry.source.path.clone())
                    .or_insert_with(|| {
                        let rows =
                            table_entries(&entry.source, &schema.fields, &mut Problems::new());
                        rows.into_iter()
                            .map(|(key, node)| (key, Arc::new(node)))
                            .collect()
                    })
                    .get(&entry.key)
                    .cloned()
            });
            let texts = entry
                .texts
                .iter()
                .enumerate()
                .filter_map(|(at, text)| Some((at, text.as_ref()?)));
            let spoken = texts.filter(|(at, text)| text.words_in == *at);
            // The file of words comes first, then that of facts.
            let files = spoken.filter_map(|(at, text)| {
                Some((
                    (*locales.get(at)?).to_owned(),
                    root.join(text.source.paths().next()?),
                ))
            });
            let files: Vec<(String, PathBuf)> = files.collect();
            let key = format!("{}/{}", schema.name, entry.key);
            items.push(Item {
                key,
                files,
                words: Some(Words {
                    fields: &schema.fields,
                    row,
                }),
                fields: None,
                shown_in: shown_in.clone(),
            });
        }
    }
    items
}

/// Whether a language shows the entries of a collection: on pages of their own, or on those of the collections that refer to
/// them. What nothing refers to may be shown by any template.
fn is_shown(
    content: &Content,
    schema: &'static CollectionSchema,
    locale: &str,
    seen: &mut BTreeSet<&'static str>,
) -> bool {
    if !seen.insert(schema.name) {
        return false;
    }
    if let Some(address) = &schema.address {
        return address.get(locale).is_some_and(|text| {
            let mut pages = content.pages.iter().filter(|page| page.locale == locale);
            !text.starts_with(LIST_ADDRESS)
                || pages.any(|page| {
                    page.sections
                        .iter()
                        .any(|section| section.lists() == Some(schema.name))
                })
        });
    }
    let mut referring = content
        .collections
        .list
        .iter()
        .filter(|other| {
            let fields = other.schema.fields.all();
            fields
                .iter()
                .any(|(_, field)| matches!(field.takes, Takes::Reference(to) if to == schema.name))
        })
        .peekable();
    referring.peek().is_none()
        || referring.any(|other| is_shown(content, other.schema, locale, seen))
}

impl Words {
    /// Whether a field of the entry holds words.
    pub fn is_field(&self, name: &str) -> bool {
        self.fields.field(name).is_some_and(|field| field.words)
    }

    /// The purpose of a field, and the most characters that it may have.
    pub fn about(&self, name: &str) -> Option<(String, Option<usize>)> {
        let field = self.fields.field(name)?;
        let [_, most] = field.bounds();
        Some((
            field.meaning.clone(),
            most.and_then(|most| usize::try_from(most).ok()),
        ))
    }

    /// Whether the entry is a row of a table.
    pub fn is_row(&self) -> bool {
        self.row.is_some()
    }

    /// The texts of one language in a file.
    pub fn read(&self, source: &Source, locale: &str, locales: &[&str]) -> Result<Texts, Problem> {
        let is_markdown = Path::new(&source.path)
            .extension()
            .is_some_and(|ending| ending == "md");
        let mut read = if is_markdown {
            texts::read(source)?
        } else {
            Texts::default()
        };
        // The words of the front matter are read below.
        read.texts.retain(|text| text.name.is_empty());
        let body = std::mem::take(&mut read.texts);
        let parsed;
        let node = if let Some(row) = &self.row {
            row
        } else {
            let part = if is_markdown {
                texts::front_matter(source)
            } else {
                0..source.text.len()
            };
            parsed = if part.is_empty() {
                None
            } else {
                Some(yaml::parse(source, part)?)
            };
            match &parsed {
                Some(node) => node,
                None => {
                    return Ok(Texts {
                        texts: body,
                        ..read
                    });
                }
            }
        };
        let Value::Map(entries) = &node.value else {
            return Ok(Texts {
                texts: body,
                ..read
            });
        };
        for (key, value) in entries {
            // A key of a file of words may be a path: `prices.1.label`.
            let name = key.name.split('.').next().unwrap_or_default();
            if !self.is_field(name) {
                continue;
            }
            let value = if is_localized(value, locales) {
                value.get(locale)
            } else {
                Some(value)
            };
            if let Some(value) = value {
                read.walk(value, &key.name);
            }
        }
        read.texts.extend(body);
        Ok(read)
    }
}

/// Whether a value has a text for each of some languages, and nothing else.
pub fn is_localized(node: &Node, locales: &[&str]) -> bool {
    let Value::Map(entries) = &node.value else {
        return false;
    };
    !entries.is_empty()
        && entries
            .iter()
            .all(|(key, _)| locales.contains(&key.name.as_str()))
}

/// The words that one of two languages lacks, in sentences.
pub fn structure(there: (&str, &Texts), here: (&str, &Texts)) -> Vec<String> {
    let [theirs, own] = [there.1, here.1].map(|texts| {
        let names = texts.texts.iter().map(|text| text.name.as_str());
        names
            .filter(|name| !name.is_empty())
            .collect::<BTreeSet<&str>>()
    });
    let only = [(&theirs - &own, there.0), (&own - &theirs, here.0)]
        .into_iter()
        .filter(|(names, _)| !names.is_empty());
    only.map(|(names, locale)| {
        format!(
            "only `{locale}` has `{}`",
            names.into_iter().collect::<Vec<_>>().join("`, `")
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> Texts {
        Texts {
            texts: names
                .iter()
                .map(|name| texts::Text {
                    name: (*name).into(),
                    text: "x".into(),
                    span: diagnostics::problem::Span::default(),
                })
                .collect(),
            untranslated: false,
        }
    }

    #[test]
    fn a_word_that_one_language_lacks_is_named() {
        let (there, here) = (texts(&["title", "role", ""]), texts(&["title", "note"]));
        assert_eq!(
            structure(("en", &there), ("es", &here)),
            ["only `en` has `role`", "only `es` has `note`"]
        );
    }
}
