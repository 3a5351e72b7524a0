//! Where the entries of collections are named: in links, in fields with references, in the `where` of lists, and in tables.
//! The schemas of a site say which of its fields name entries of which collection.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use content::collections::{CollectionSchema, KEY_OF_ROW, POSTS, SETTINGS, rows};
use content::words;
use diagnostics::problem::{Problems, Source};
use diagnostics::yaml::{self, Node, Value};
use languages::typography;
use schema::{Block, Takes};
use site::Planned;
use std::sync::Arc;

/// The schemas of a site by the names of their collections.
pub(super) type Schemas = BTreeMap<&'static str, &'static CollectionSchema>;

/// An entry, by its collection and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryName {
    pub collection: String,
    pub key: String,
}

/// A name of an entry in a file: its span, whether YAML may need quotes for another one, and whether it comes from here.
pub(super) struct Named {
    pub name: EntryName,
    pub span: Range<usize>,
    pub is_scalar: bool,
    pub declares: bool,
}

pub(super) fn schemas_of(planned: &Planned) -> Schemas {
    planned
        .content
        .collections
        .list
        .iter()
        .map(|collection| (collection.schema.name, collection.schema))
        .collect()
}

fn entry(collection: &str, key: &str) -> EntryName {
    EntryName {
        collection: collection.to_owned(),
        key: key.to_owned(),
    }
}

/// The name in a link with this key, and its span: `page:team/ana` names an entry, and `page:team/clinics/madrid`
/// the one whose page it is.
pub(super) fn of_link(schemas: &Schemas, key: &str) -> Option<(EntryName, Range<usize>)> {
    let (collection, rest) = key.split_once('/')?;
    let schema = schemas.get(collection)?;
    let (of, key_of_entry) = match rest.split_once('/') {
        None => (collection, rest),
        Some((field, key)) => match schema.fields.field(field)?.takes {
            Takes::Reference(to) => (to, key),
            _ => return None,
        },
    };
    let start = key.len() - key_of_entry.len();
    (!key_of_entry.contains('/') && !key_of_entry.is_empty())
        .then(|| (entry(of, key_of_entry), start..key.len()))
}

/// The names in a file of entries, of pages or of a table, by its path below the site.
pub(super) fn of_file(schemas: &Schemas, parts: &[&str], source: &Arc<Source>) -> Vec<Named> {
    let mut found = Found {
        schemas,
        source,
        all: Vec::new(),
    };
    let (["content", folder, ..], Some(name)) = (parts, parts.last()) else {
        return Vec::new();
    };
    let collection = match *folder {
        _ if *parts == ["content", "settings.yaml"] => SETTINGS,
        "blog" => POSTS,
        folder => folder,
    };
    let schema = schemas.get(collection).filter(|_| *folder != POSTS);
    match schema {
        Some(schema) if parts.len() == 3 && is_table(schema, name) => {
            for row in rows(source, &schema.fields, &mut Problems::new()) {
                if let Some(key) = row.get(KEY_OF_ROW) {
                    found.add(schema.name, key, true);
                }
                found.block(&schema.fields, &row);
            }
        }
        _ => {
            let is_markdown = name.ends_with(".md");
            let part = if is_markdown {
                typography::parts_of_post(&source.text).0
            } else {
                0..source.text.len()
            };
            if part.is_empty() || !(is_markdown || name.ends_with(".yaml")) {
                return Vec::new();
            }
            let Ok(root) = yaml::parse(source, part) else {
                return Vec::new();
            };
            match schema {
                Some(schema) => found.block(&schema.fields, &root),
                None if *folder == "pages" => found.lists(&root),
                None => {}
            }
        }
    }
    found.all
}

/// The keys of entries in a template: `entries("team", clinics="madrid")`.
pub(super) fn of_template(schemas: &Schemas, source: &Source) -> Vec<Named> {
    let text = source.text.as_str();
    let mut found = Vec::new();
    for arguments in words::arguments_of(text, "entries") {
        let mut arguments = arguments.into_iter();
        let name = arguments
            .next()
            .map(|first| text[first].trim().trim_matches(['"', '\'']));
        let Some(schema) = name.and_then(|name| schemas.get(name)) else {
            continue;
        };
        for argument in arguments {
            let Some((field, value)) = text[argument.clone()].split_once('=') else {
                continue;
            };
            let Some(Takes::Reference(to)) =
                schema.fields.field(field.trim()).map(|field| &field.takes)
            else {
                continue;
            };
            let start = argument.end - value.len();
            found.extend(words::quoted(value).into_iter().map(|span| Named {
                name: entry(to, &value[span.clone()]),
                span: start + span.start..start + span.end,
                is_scalar: false,
                declares: false,
            }));
        }
    }
    found
}

/// Whether a file holds all entries of a collection.
fn is_table(schema: &CollectionSchema, name: &str) -> bool {
    schema.file.as_ref().is_some_and(|(file, _)| file == name)
}

struct Found<'a> {
    schemas: &'a Schemas,
    source: &'a Source,
    all: Vec<Named>,
}

impl Found<'_> {
    fn add(&mut self, collection: &str, node: &Node, declares: bool) {
        if let Value::List(items) = &node.value {
            items
                .iter()
                .for_each(|item| self.add(collection, item, declares));
            return;
        }
        let Some(text) = node
            .as_text()
            .map(str::trim)
            .filter(|text| !text.is_empty())
        else {
            return;
        };
        let (start, end) = (node.span.start as usize, node.span.end as usize);
        let written = self.source.text.get(start..end).unwrap_or_default();
        let name = entry(collection, text);
        if written.trim_matches(['"', '\'']) == text {
            self.all.push(Named {
                name,
                span: start..end,
                is_scalar: true,
                declares,
            });
            return;
        }
        let found = written.match_indices(text).map(|(at, _)| at).find(|at| {
            !written[..*at].ends_with(is_part) && !written[at + text.len()..].starts_with(is_part)
        });
        if let Some(at) = found {
            let span = start + at..start + at + text.len();
            self.all.push(Named {
                name,
                span,
                is_scalar: false,
                declares,
            });
        }
    }

    /// The references of a block of fields. A key of a file of words may be a path: `prices.1.treatment`.
    fn block(&mut self, fields: &Block, node: &Node) {
        let Value::Map(entries) = &node.value else {
            return;
        };
        for (key, value) in entries {
            let mut steps = key
                .name
                .split('.')
                .filter(|step| !step.bytes().all(|byte| byte.is_ascii_digit()));
            let mut field = steps.next().and_then(|name| fields.field(name));
            for name in steps {
                field = match field.map(|field| &field.takes) {
                    Some(Takes::Block(block)) => block.field(name),
                    _ => None,
                };
            }
            match field.map(|field| &field.takes) {
                Some(Takes::Reference(to)) => self.add(to, value, false),
                Some(Takes::Block(block)) => self.blocks(block, value),
                _ => {}
            }
        }
    }

    fn blocks(&mut self, fields: &Block, node: &Node) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.block(fields, item)),
            _ => self.block(fields, node),
        }
    }

    /// The lists of entries in a page: `{kind: entries, of: team, where: {clinics: madrid}}`.
    fn lists(&mut self, node: &Node) {
        let of = node
            .get("of")
            .and_then(Node::as_text)
            .and_then(|of| self.schemas.get(of.trim()))
            .copied();
        if let (Some(schema), Some(Value::Map(filters))) =
            (of, node.get("where").map(|filters| &filters.value))
        {
            for (field, value) in filters {
                if let Some(Takes::Reference(to)) =
                    schema.fields.field(&field.name).map(|field| &field.takes)
                {
                    self.add(to, value, false);
                }
            }
        }
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.lists(item)),
            Value::Map(entries) => entries.iter().for_each(|(_, value)| self.lists(value)),
            _ => {}
        }
    }
}

/// Tells whether a letter can be part of a name.
/// One of several in the cell of a table.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

/// The names in the fields of sections, which may be put together from several files.
pub(super) fn of_pages(planned: &Planned) -> Vec<(EntryName, diagnostics::problem::Place)> {
    let mut found = Vec::new();
    for page in planned.site.pages.iter().chain(&planned.site.shared) {
        for section in page.own_sections() {
            section.fields.references(&mut |reference| {
                found.push((
                    entry(&reference.to, &reference.key),
                    page.source.place(reference.span),
                ));
            });
        }
    }
    found
}

/// The files and folders of an entry, each with its place under another key. `None` if it is a row of a table.
#[expect(
    clippy::disallowed_methods,
    reason = "asks the disk itself, not the files of a moment"
)]
pub(super) fn files(
    planned: &Planned,
    collection: &str,
    old: &str,
    new: &str,
) -> Vec<(PathBuf, PathBuf)> {
    let folder = planned.config.paths.root.join("content").join(collection);
    let languages = planned
        .config
        .site
        .locales
        .iter()
        .map(|code| folder.join(&code.value));
    let of = |key: &str| -> Vec<PathBuf> {
        let words = languages
            .clone()
            .map(|folder| folder.join(format!("{key}.md")));
        [folder.join(format!("{key}.yaml")), folder.join(key)]
            .into_iter()
            .chain(words)
            .collect()
    };
    of(old)
        .into_iter()
        .zip(of(new))
        .filter(|(old, _)| old.exists())
        .collect()
}

/// The file of an entry, public or not.
pub(super) fn file(planned: &Planned, collection: &str, key: &str) -> Option<PathBuf> {
    let collection = planned.content.collections.named(collection)?;
    let public = collection
        .entries
        .iter()
        .map(|entry| (&entry.key, &entry.source));
    let withdrawn = collection
        .withdrawn
        .iter()
        .map(|entry| (&entry.key, &entry.source));
    let (_, source) = public.chain(withdrawn).find(|(own, _)| *own == key)?;
    Some(planned.config.paths.root.join(&source.path))
}

/// Whether a collection has an entry of this key, public or not, read or not.
pub(super) fn exists(planned: &Planned, collection: &str, key: &str) -> bool {
    planned
        .content
        .collections
        .named(collection)
        .is_some_and(|collection| {
            collection.entries.iter().any(|entry| entry.key == key)
                || collection.withdrawn.iter().any(|entry| entry.key == key)
                || collection.broken.contains(key)
        })
}

/// Whether the key of an entry is written in a row of a table.
pub(super) fn is_row(planned: &Planned, collection: &str, key: &str) -> bool {
    exists(planned, collection, key) && files(planned, collection, key, key).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_what_no_schema_declares_names_no_entry() {
        assert!(of_link(&Schemas::new(), "team/ana").is_none());
        assert!(of_link(&Schemas::new(), "about").is_none());
    }

    #[test]
    fn a_part_of_a_cell_is_found_as_a_whole_word() {
        let source = Source::new("prices.csv".into(), "hall-two|hall".into());
        let schemas = Schemas::new();
        let mut found = Found {
            schemas: &schemas,
            source: &source,
            all: Vec::new(),
        };
        let span = diagnostics::problem::Span::new(0, source.text.len());
        let item = |text: &str| Node::new(Value::Text(text.to_owned()), span);
        found.add(
            "places",
            &Node::new(Value::List(vec![item("hall-two"), item("hall")]), span),
            false,
        );
        let spans: Vec<&str> = found
            .all
            .iter()
            .map(|one| &source.text[one.span.clone()])
            .collect();
        assert_eq!(spans, ["hall-two", "hall"]);
        assert_eq!(found.all[1].span.start, "hall-two|".len());
    }
}
