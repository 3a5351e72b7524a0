//! Collects the units of a site: the texts of pages, posts, entries, forms, interface words, and of labels that have a text
//! for each language.

use std::collections::BTreeMap;
use std::path::Path;

use config::Config;
use content::Content;
use diagnostics::problem::Source;
use diagnostics::yaml::{self, Node, Value};
use languages::typography::is_for_programs;
use translations::{self, Item, lock};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

use super::blocks::{blocks, body_units, parts};
use super::schemas::{About, Schemas};
use super::unit::{States, before};

pub(super) use super::unit::TextPlace;
pub use super::unit::{Document, Match, State, Unit};

/// The units of a site from one language to another. Without `from`, each file is translated from the first language that has
/// it. `addresses` are those of pages by the paths of their files.
pub fn collect(
    config: &Config,
    content: &Content,
    (from, to): (Option<&str>, &str),
    addresses: &BTreeMap<String, String>,
) -> Vec<Document> {
    let locales: Vec<&str> = config
        .site
        .locales
        .iter()
        .map(|code| code.value.as_str())
        .collect();
    let root = &config.paths.root;
    let (lock, _) = translations::read_lock(root);
    let collector = Collector {
        config,
        root,
        locales: &locales,
        to,
        lock: &lock,
        schemas: Schemas::new(config),
    };
    let mut documents = Vec::new();
    for item in translations::items(root, content, &content.blog.posts, &locales) {
        let main = item
            .files
            .iter()
            .find(|(code, _)| code != to && from.is_none_or(|from| code == from));
        let is_first = item.files.first().is_none_or(|(code, _)| code != to) || from.is_some();
        if let Some((reference, file)) = main.filter(|_| is_first) {
            documents.extend(collector.item(&item, reference, file));
        }
    }
    let reference = from.unwrap_or(config.site.default_locale());
    if reference != to {
        documents.extend(collector.labels(reference, &root.join(Kind::Site.path())));
    }
    for document in &mut documents {
        let address = addresses
            .get(&document.to)
            .or_else(|| addresses.get(&document.from));
        document.address = address
            .map(|path| format!("{}{path}", config.site.hosts().of_path(path)))
            .unwrap_or_default();
    }
    documents.retain(|document| !document.units.is_empty());
    documents
}

struct Collector<'a> {
    config: &'a Config,
    root: &'a FileSet,
    locales: &'a [&'a str],
    to: &'a str,
    lock: &'a lock::Lock,
    schemas: Schemas,
}

/// A text that was found: its path, and the key of the language in it.
struct Found<'a> {
    path: Vec<String>,
    locale_at: Option<usize>,
    node: &'a Node,
    text: &'a str,
}

impl Collector<'_> {
    fn item(&self, item: &Item, reference: &str, file: &Path) -> Option<Document> {
        if item
            .words
            .as_ref()
            .is_some_and(translations::entries::Words::is_row)
        {
            return None;
        }
        // Files that cannot be read were reported.
        let source = self.root.read_text(file).ok()?;
        let from = files::shown(self.root, file);
        let known = item.files.iter().find(|(code, _)| code == self.to);
        let to = known.map_or_else(
            || in_language(&from, reference, self.to),
            |(_, path)| files::shown(self.root, path),
        );
        let (front, body) = parts(&source);
        let node = if front.is_empty() {
            None
        } else {
            Some(yaml::parse(&source, front).ok()?)
        };
        if node.as_ref().is_some_and(|node| {
            node.get("untranslated")
                .is_some_and(|node| node.value == Value::Bool(true))
        }) {
            return None;
        }
        let target = self.root.read_text(&self.root.join(&to)).ok();
        let target_parts = target.as_ref().map(|target| parts(target));
        let target_node =
            target
                .as_ref()
                .zip(target_parts.clone())
                .and_then(|(target, (front, _))| {
                    if front.is_empty() {
                        None
                    } else {
                        yaml::parse(target, front).ok()
                    }
                });
        let agreement = lock::Name::from((item.key.clone(), self.to.to_owned()));
        let states = States {
            known: self
                .lock
                .agreements
                .get(&agreement)
                .filter(|known| known.reference == reference),
            drafts: self.lock.drafts.get(&agreement),
        };
        let mut units = Vec::new();
        if let Some(node) = &node {
            let mut found = Vec::new();
            match &item.words {
                Some(words) => self.fields(words, node, reference, &mut found),
                None => walk(node, &mut Vec::new(), None, &mut found),
            }
            found.retain(|one| {
                item.key != "locales" || one.path.first().is_some_and(|key| key == "messages")
            });
            let structure = file.with_file_name("page.yaml");
            let structure = if item.key.starts_with("pages/") {
                self.root.read_text(&structure).ok()
            } else {
                None
            };
            let structure =
                structure.and_then(|source| yaml::parse(&source, 0..source.text.len()).ok());
            let is_shared = from == to;
            for one in found {
                let of_entry = item
                    .words
                    .as_ref()
                    .and_then(|words| words.about(&one.path[0]))
                    .map(|(meaning, most)| {
                        // A limit is that of the field, not of the texts in its blocks.
                        let max = most
                            .filter(|_| one.path.len() == 1 + usize::from(one.locale_at.is_some()));
                        About {
                            meaning,
                            max,
                            is_name: false,
                        }
                    });
                let about = of_entry.unwrap_or_else(|| {
                    self.schemas
                        .about(&from, node, structure.as_ref(), &one.path)
                });
                units.extend(self.unit(
                    &source,
                    &one,
                    about,
                    target_node.as_ref(),
                    is_shared,
                    &states,
                ));
            }
        }
        if !body.is_empty() {
            let there = blocks(&source, body);
            let here = target
                .as_ref()
                .zip(target_parts)
                .map(|(target, (_, body))| blocks(target, body))
                .unwrap_or_default();
            units.extend(body_units(&source, &there, &here, &states));
        }
        let (key, reference, locale) = (item.key.clone(), reference.to_owned(), self.to.to_owned());
        Some(Document {
            key,
            reference,
            locale,
            from,
            to,
            address: String::new(),
            units,
        })
    }

    /// The words of an entry.
    fn fields<'n>(
        &self,
        words: &translations::entries::Words,
        node: &'n Node,
        reference: &str,
        found: &mut Vec<Found<'n>>,
    ) {
        let Value::Map(entries) = &node.value else {
            return;
        };
        for (key, value) in entries {
            if !words.is_field(key.name.split('.').next().unwrap_or_default()) {
                continue;
            }
            let mut path = vec![key.name.clone()];
            if self.is_localized(value) {
                path.push(reference.to_owned());
                if let Some(value) = value.get(reference) {
                    walk(value, &mut path, Some(1), found);
                }
            } else {
                walk(value, &mut path, None, found);
            }
        }
    }

    /// Whether a value has a text for each language.
    fn is_localized(&self, node: &Node) -> bool {
        translations::entries::is_localized(node, self.locales)
    }

    /// The labels of a file that have a text for each language.
    fn labels(&self, reference: &str, file: &Path) -> Option<Document> {
        let source = self.root.read_text(file).ok()?;
        let node = yaml::parse(&source, 0..source.text.len()).ok()?;
        let mut found = Vec::new();
        self.labels_below(&node, reference, &mut Vec::new(), &mut found);
        let from = files::shown(self.root, file);
        let states = States {
            known: None,
            drafts: None,
        };
        let unit = |one: &Found| {
            let about = About {
                max: None,
                meaning: String::new(),
                is_name: false,
            };
            self.unit(&source, one, about, Some(&node), true, &states)
        };
        let units = found.iter().filter_map(unit).collect();
        let name = from
            .strip_prefix("content/")
            .unwrap_or(&from)
            .trim_end_matches(".yaml");
        let (key, reference, locale) = (
            format!("labels/{name}"),
            reference.to_owned(),
            self.to.to_owned(),
        );
        Some(Document {
            key,
            reference,
            locale,
            to: from.clone(),
            from,
            address: String::new(),
            units,
        })
    }

    fn labels_below<'n>(
        &self,
        node: &'n Node,
        reference: &str,
        path: &mut Vec<String>,
        found: &mut Vec<Found<'n>>,
    ) {
        match &node.value {
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    path.push((at + 1).to_string());
                    self.labels_below(item, reference, path, found);
                    path.pop();
                }
            }
            Value::Map(_)
                if self.is_localized(node)
                    && node.get(self.config.site.default_locale()).is_some() =>
            {
                if let Some(value) = node.get(reference) {
                    path.push(reference.to_owned());
                    walk(value, path, Some(path.len() - 1), found);
                    path.pop();
                }
            }
            Value::Map(entries) => {
                for (key, value) in entries
                    .iter()
                    .filter(|(key, _)| !is_for_programs(None, &key.name))
                {
                    path.push(key.name.clone());
                    self.labels_below(value, reference, path, found);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn unit(
        &self,
        source: &Source,
        one: &Found,
        about: About,
        target: Option<&Node>,
        is_shared: bool,
        states: &States,
    ) -> Option<Unit> {
        if about.is_name
            || !one.text.chars().any(char::is_alphabetic)
            || about.meaning.is_empty() && is_name(one.text)
        {
            return None;
        }
        let mut path = one.path.clone();
        if let Some(at) = one.locale_at {
            self.to.clone_into(&mut path[at]);
        }
        let here = target.filter(|_| one.locale_at.is_some() || !is_shared);
        let here = here
            .and_then(|node| find(node, &path.join(".")))
            .and_then(Node::as_text);
        let (target, state) = states.of(one.text, here);
        let mut name = one.path.clone();
        if let Some(at) = one.locale_at {
            name.remove(at);
        }
        Some(Unit {
            name: name.join("."),
            line: source
                .place(one.node.span)
                .range
                .map_or(1, |range| range.start.line),
            source: one.text.to_owned(),
            before: before(target.as_deref()),
            target,
            state,
            meaning: about.meaning,
            max: about.max,
            matches: Vec::new(),
            terms: Vec::new(),
            place: TextPlace::Yaml {
                path: one.path.clone(),
                locale_at: one.locale_at,
            },
        })
    }
}

/// Whether a text looks like a name that programs read: `call_to_action`, `a/b.svg`, `#top`.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| {
        c.is_ascii_lowercase()
            || c.is_ascii_digit()
            || matches!(c, '_' | '.' | '/' | '#' | '-' | ':')
    };
    text.chars().all(is_plain) && text.contains(['_', '/', '#', ':'])
}

/// Adds the texts of a value that people read.
fn walk<'n>(
    node: &'n Node,
    path: &mut Vec<String>,
    locale_at: Option<usize>,
    found: &mut Vec<Found<'n>>,
) {
    match &node.value {
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push((at + 1).to_string());
                walk(item, path, locale_at, found);
                path.pop();
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                let above = path.last().map(String::as_str);
                if !is_for_programs(above, &key.name) {
                    path.push(key.name.clone());
                    walk(value, path, locale_at, found);
                    path.pop();
                }
            }
        }
        Value::Text(text) => found.push(Found {
            path: path.clone(),
            locale_at,
            node,
            text,
        }),
        _ => {}
    }
}

/// The node at a path with dots, whose steps may be keys with dots themselves.
pub(super) fn find<'n>(node: &'n Node, path: &str) -> Option<&'n Node> {
    if path.is_empty() {
        return Some(node);
    }
    match &node.value {
        Value::Map(entries) => entries.iter().find_map(|(key, value)| {
            let rest = path.strip_prefix(key.name.as_str())?;
            if rest.is_empty() {
                Some(value)
            } else {
                find(value, rest.strip_prefix('.')?)
            }
        }),
        Value::List(items) => {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            find(
                items.get(first.parse::<usize>().ok()?.checked_sub(1)?)?,
                rest,
            )
        }
        _ => None,
    }
}

/// The path of the file of another language: `content/pages/home/de.yaml`, `content/blog/de/hello.md`. The same path if no part
/// of it is the code of the language.
fn in_language(path: &str, from: &str, to: &str) -> String {
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if let Some(last) = parts.last_mut()
        && let Some((stem, ending)) = last.clone().rsplit_once('.')
        && stem == from
    {
        *last = format!("{to}.{ending}");
        return parts.join("/");
    }
    if let Some(part) = parts.iter_mut().rev().find(|part| *part == from) {
        to.clone_into(part);
    }
    parts.join("/")
}
