//! Puts texts into the YAML of a translation. What it lacks on the way to a text is taken from the source, with texts that wait
//! for their translations.

use std::collections::BTreeSet;

use config::Config;
use diagnostics::problem::Span;
use diagnostics::yaml::{Key, Node, Value};

use super::units::{Document, find};

/// In place of a text that is not translated yet, in a part that was taken from the source.
const PENDING: &str = "\u{0}";

/// The tree of a translation while texts are put in.
pub(super) struct Tree<'a> {
    /// That of the source.
    pub there: &'a Node,
    /// That of the translation.
    pub here: Node,
    /// The paths of the texts of the source that are units.
    pub units: BTreeSet<String>,
    /// The paths of the parts that were taken from the source.
    pub added: BTreeSet<String>,
}

fn fresh(value: Value) -> Node {
    Node::new(value, Span::default())
}

fn key(name: &str) -> Key {
    Key {
        name: name.to_owned(),
        span: Span::default(),
    }
}

impl Tree<'_> {
    /// Begins a new file. A page needs an address; a post has its facts in front of its words.
    pub fn begin(&mut self, config: &Config, document: &Document) {
        let Value::Map(entries) = &mut self.here.value else {
            return;
        };
        if document.key.starts_with("pages/") {
            let there = self
                .there
                .get("path")
                .and_then(Node::as_text)
                .unwrap_or("/");
            let prefix = |code: &str| config.site.prefix(code);
            let below = there
                .strip_prefix(&prefix(&document.reference))
                .unwrap_or(there);
            entries.push((
                key("path"),
                fresh(Value::Text(format!("{}{below}", prefix(&document.locale)))),
            ));
            // A value that isn't a text is the same in all languages, such as the status of an error page.
            if let Value::Map(facts) = &self.there.value {
                let is_text = |name: &str| {
                    let below = format!("{name}.");
                    self.units
                        .iter()
                        .any(|path| path == name || path.starts_with(&below))
                };
                let is_fact = |name: &str| !matches!(name, "path" | "also_at") && !is_text(name);
                for (name, value) in facts.iter().filter(|(key, _)| is_fact(&key.name)) {
                    entries.push((key(&name.name), copy(value, "", &BTreeSet::new())));
                }
            }
        }
        if document.from.ends_with(".md") {
            self.here = copy(self.there, "", &self.units);
            self.added.extend(
                self.units
                    .iter()
                    .map(|path| path.split('.').next().unwrap_or_default().to_owned()),
            );
        }
    }

    /// Sets the text at the path that the source has it at.
    pub fn set(
        &mut self,
        path: &[String],
        locale_at: Option<usize>,
        reference: &str,
        locale: &str,
        text: &str,
    ) -> Result<(), String> {
        let mut wanted = path.to_vec();
        if let Some(at) = locale_at {
            locale.clone_into(&mut wanted[at]);
        }
        if let Some(node) = find_mut(&mut self.here, &wanted.join(".")) {
            return match &node.value {
                Value::Text(_) | Value::Null => {
                    *node = fresh(Value::Text(text.to_owned()));
                    Ok(())
                }
                // One text that serves all languages becomes one for each.
                _ => Err(format!(
                    "`{}` is not text in the translation's file",
                    wanted.join(".")
                )),
            };
        }
        let (there, units, added) = (self.there, &self.units, &mut self.added);
        insert(
            &mut self.here,
            there,
            (path, &wanted, 0),
            (reference, locale_at),
            text,
            units,
            added,
        )
    }

    /// Removes the parts that have texts without a translation: the path of each with that of such a text.
    pub fn take_unfinished(&mut self) -> Vec<(String, String)> {
        let mut unfinished = Vec::new();
        for path in &self.added {
            let Some(node) = find(&self.here, path) else {
                continue;
            };
            if let Some(pending) = pending(node, path) {
                unfinished.push((path.clone(), pending));
            }
        }
        for (path, _) in &unfinished {
            remove(&mut self.here, path);
        }
        unfinished
    }
}

/// Adds what is missing on the way to a text: the rest of the path in a new key, with all that the source has below it.
fn insert(
    here: &mut Node,
    there: &Node,
    (path, wanted, depth): (&[String], &[String], usize),
    (reference, locale_at): (&str, Option<usize>),
    text: &str,
    units: &BTreeSet<String>,
    added: &mut BTreeSet<String>,
) -> Result<(), String> {
    let name = &wanted[depth];
    let source_path = path[..=depth].join(".");
    let Some(from) = find(there, &source_path) else {
        return Err(format!("the source has no `{source_path}`"));
    };
    let is_plain_shared = locale_at.is_none() && matches!(here.value, Value::Text(_));
    if is_plain_shared {
        return Err(format!(
            "`{}` has the same text in all languages",
            path[..depth].join(".")
        ));
    }
    match &mut here.value {
        Value::Map(entries) => {
            if let Some((_, below)) = entries.iter_mut().find(|(key, _)| key.name == *name) {
                if depth + 1 == wanted.len() {
                    *below = fresh(Value::Text(text.to_owned()));
                    return Ok(());
                }
                return insert(
                    below,
                    there,
                    (path, wanted, depth + 1),
                    (reference, locale_at),
                    text,
                    units,
                    added,
                );
            }
            let mut new = copy(from, &source_path, units);
            set_in(&mut new, &path[depth + 1..].join("."), text);
            entries.push((key(name), new));
        }
        Value::List(items) => {
            let index = name.parse::<usize>().unwrap_or(0);
            if index <= items.len() && index > 0 {
                let below = &mut items[index - 1];
                if depth + 1 == wanted.len() {
                    *below = fresh(Value::Text(text.to_owned()));
                    return Ok(());
                }
                return insert(
                    below,
                    there,
                    (path, wanted, depth + 1),
                    (reference, locale_at),
                    text,
                    units,
                    added,
                );
            }
            if index != items.len() + 1 {
                return Err(format!(
                    "the translation has no item {}, which comes before it",
                    index - 1
                ));
            }
            let mut new = copy(from, &source_path, units);
            set_in(&mut new, &path[depth + 1..].join("."), text);
            items.push(new);
        }
        _ => {
            return Err(format!(
                "`{}` is not a block in the translation's file",
                wanted[..depth].join(".")
            ));
        }
    }
    added.insert(wanted[..=depth].join("."));
    Ok(())
}

fn set_in(node: &mut Node, path: &str, text: &str) {
    if path.is_empty() {
        *node = fresh(Value::Text(text.to_owned()));
    } else if let Some(node) = find_mut(node, path) {
        *node = fresh(Value::Text(text.to_owned()));
    }
}

/// A part of the source whose units wait for their texts.
fn copy(node: &Node, path: &str, units: &BTreeSet<String>) -> Node {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    fresh(match &node.value {
        Value::Text(_) if units.contains(path) => Value::Text(PENDING.to_owned()),
        Value::List(items) => Value::List(
            (1..)
                .zip(items)
                .map(|(at, item): (usize, &Node)| copy(item, &below(&at.to_string()), units))
                .collect(),
        ),
        Value::Map(entries) => Value::Map(
            entries
                .iter()
                .map(|(name, value)| (key(&name.name), copy(value, &below(&name.name), units)))
                .collect(),
        ),
        other => other.clone(),
    })
}

/// The path of a text that waits for its translation.
fn pending(node: &Node, path: &str) -> Option<String> {
    match &node.value {
        Value::Text(text) if text == PENDING => Some(path.to_owned()),
        Value::List(items) => (1..)
            .zip(items)
            .find_map(|(at, item): (usize, &Node)| pending(item, &format!("{path}.{at}"))),
        Value::Map(entries) => entries
            .iter()
            .find_map(|(key, value)| pending(value, &format!("{path}.{}", key.name))),
        _ => None,
    }
}

fn find_mut<'n>(node: &'n mut Node, path: &str) -> Option<&'n mut Node> {
    if path.is_empty() {
        return Some(node);
    }
    match &mut node.value {
        Value::Map(entries) => {
            let at = entries.iter().position(|(key, value)| {
                let rest = path.strip_prefix(key.name.as_str());
                let rest = rest.and_then(|rest| {
                    if rest.is_empty() {
                        Some(rest)
                    } else {
                        rest.strip_prefix('.')
                    }
                });
                rest.is_some_and(|rest| find(value, rest).is_some())
            })?;
            let (key, value) = &mut entries[at];
            let rest = path.strip_prefix(key.name.as_str())?;
            find_mut(value, rest.strip_prefix('.').unwrap_or(rest))
        }
        Value::List(items) => {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            find_mut(
                items.get_mut(first.parse::<usize>().ok()?.checked_sub(1)?)?,
                rest,
            )
        }
        _ => None,
    }
}

fn remove(node: &mut Node, path: &str) {
    let removed = match &mut node.value {
        Value::Map(entries) => {
            let before = entries.len();
            entries.retain(|(key, _)| key.name != path);
            before != entries.len()
        }
        Value::List(items) => match path.parse::<usize>() {
            Ok(at) if at > 0 && at <= items.len() => {
                items.truncate(at - 1);
                true
            }
            _ => false,
        },
        _ => true,
    };
    if removed {
        return;
    }
    match &mut node.value {
        Value::Map(entries) => {
            for (key, value) in entries {
                if let Some(rest) = path.strip_prefix(&format!("{}.", key.name)) {
                    remove(value, rest);
                }
            }
        }
        Value::List(items) => {
            if let Some((first, rest)) = path.split_once('.')
                && let Some(item) = first
                    .parse::<usize>()
                    .ok()
                    .and_then(|at| items.get_mut(at.checked_sub(1)?))
            {
                remove(item, rest);
            }
        }
        _ => {}
    }
}
