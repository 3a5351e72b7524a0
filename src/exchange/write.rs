//! Puts translations into the file of a language: only the texts change, comments and all else stay. A part that the file does
//! not have yet, such as an item of a list, is that of the source with all of its texts translated.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::problem::{Source, Span};
use diagnostics::yaml::{self, Node, Value};
use generator::config::Config;
use generator::files::FileSet;

use super::blocks::{blocks, is_code, parts};
use super::tree::Tree;
use super::units::{Document, TextPlace, find};

/// A file with new texts.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The text of the file; `None` if no text can be written.
    pub text: Option<String>,
    /// The units that were not written, each with the reason.
    pub refused: BTreeMap<usize, String>,
    /// The first line of each unit that was written.
    pub lines: BTreeMap<usize, u32>,
}

/// The file of a translation after texts of some units, by their numbers in the document, were put in.
pub(super) fn apply(config: &Config, root: &FileSet, document: &Document, texts: &BTreeMap<usize, String>) -> Written {
    let mut written = Written::default();
    let refuse_all = |reason: &str| Written {
        refused: texts.keys().map(|at| (*at, reason.to_owned())).collect(),
        ..Written::default()
    };
    let Ok(source) = root.read_text(&root.join(&document.from)) else {
        return refuse_all("the file of the source cannot be read");
    };
    let target = root.read_text(&root.join(&document.to)).ok();
    let (front, body) = parts(&source);
    let target_parts = target.as_ref().map(|target| parts(target));
    let read = |source: &Source, part: std::ops::Range<usize>| {
        let empty = || Ok(Node::new(Value::Map(Vec::new()), Span::default()));
        if part.is_empty() { empty() } else { yaml::parse(source, part) }
    };
    let there = read(&source, front);
    let here = match (&target, &target_parts) {
        (Some(target), Some((front, _))) => read(target, front.clone()),
        _ => Ok(Node::new(Value::Map(Vec::new()), Span::default())),
    };
    let (Ok(there), Ok(here)) = (there, here) else { return refuse_all("the file cannot be read") };
    let here = if here.value == Value::Null { Node::new(Value::Map(Vec::new()), Span::default()) } else { here };
    let is_new = target.is_none();
    let mut tree = Tree { there: &there, here: here.clone(), units: unit_paths(document), added: BTreeSet::new() };
    if is_new {
        tree.begin(config, document);
    }
    for (at, text) in texts {
        if let TextPlace::Yaml { path, locale_at } = &document.units[*at].place
            && let Err(reason) = tree.set(path, *locale_at, &document.reference, &document.locale, text)
        {
            written.refused.insert(*at, reason);
        }
    }
    for missing in tree.take_unfinished() {
        let is_in = |path: &str| path == missing.0 || path.starts_with(&format!("{}.", missing.0));
        for at in texts.keys() {
            if let Some(path) = path_of(document, &document.units[*at].place) {
                if is_in(&path) {
                    written
                        .refused
                        .insert(*at, format!("`{}` needs a translation of `{}` as well", missing.0, missing.1));
                }
            }
        }
    }
    let body_text = new_body(&source, body, target.as_deref().zip(target_parts.clone()), document, texts, &mut written);
    let is_body = |at: &usize| matches!(document.units[*at].place, TextPlace::Body { .. });
    let left = texts.keys().filter(|at| !written.refused.contains_key(at));
    let (bodies, fronts): (Vec<usize>, Vec<usize>) = left.copied().partition(is_body);
    if is_new
        && source.path.ends_with(".md")
        && body_text.is_none()
        && !parts(&source).1.is_empty()
        && has_words(document)
    {
        fronts.iter().for_each(|at| {
            drop(written.refused.insert(*at, "the file needs a translation of its text as well".to_owned()))
        });
        return written;
    }
    if bodies.is_empty() && fronts.is_empty() {
        return written;
    }
    let text = match (&target, &target_parts) {
        (Some(target), Some((front, body))) => {
            let mut text = target.text.clone();
            if let Some(new) = body_text {
                text.replace_range(body.clone(), &new);
            }
            let edited = Source { path: target.path.clone(), text };
            if fronts.is_empty() {
                edited.text
            } else {
                match yaml::edit(&edited, front.clone(), &tree.here) {
                    Ok(text) => text,
                    Err(stuck) => {
                        let reason = format!("`{}` cannot be changed without changing what is around it", stuck.path);
                        written.refused.extend(fronts.iter().map(|at| (*at, reason.clone())));
                        return written;
                    }
                }
            }
        }
        _ => {
            let front = yaml::write(&tree.here);
            if source.path.ends_with(".md") {
                format!("---\n{front}---\n\n{}", body_text.unwrap_or_default())
            } else {
                front
            }
        }
    };
    let result = Source { path: document.to.clone(), text };
    let Ok(node) = read(&result, parts(&result).0) else { return refuse_all("the file could not be read any more") };
    let new_blocks = blocks(&result, parts(&result).1);
    let line = |at: usize| u32::try_from(result.text[..at].matches('\n').count() + 1).unwrap_or(u32::MAX);
    for at in fronts.iter().chain(&bodies) {
        let start = match &document.units[*at].place {
            place @ TextPlace::Yaml { .. } => {
                let node = find(&node, &path_of(document, place).unwrap_or_default());
                if node.and_then(Node::as_text) != texts.get(at).map(String::as_str) {
                    return refuse_all("the text would be read in another way from the file");
                }
                node.map(|node| node.span.start as usize)
            }
            TextPlace::Body { .. } => {
                let text = texts[at].trim_end();
                let found = new_blocks.iter().find(|(_, block)| block == text);
                if found.is_none() {
                    return refuse_all("the text has an empty line, so that it would be two");
                }
                found.map(|(range, _)| range.start)
            }
        };
        written.lines.insert(*at, start.map_or(1, line));
    }
    written.text = Some(result.text);
    written
}

/// The path of a text in the file of the translation, with dots; `None` for a part of a body.
fn path_of(document: &Document, place: &TextPlace) -> Option<String> {
    let TextPlace::Yaml { path, locale_at } = place else { return None };
    let mut path = path.clone();
    if let Some(at) = locale_at {
        document.locale.clone_into(&mut path[*at]);
    }
    Some(path.join("."))
}

fn has_words(document: &Document) -> bool {
    document.units.iter().any(|unit| matches!(unit.place, TextPlace::Body { .. }))
}

/// The paths of all units in the source, with dots.
fn unit_paths(document: &Document) -> BTreeSet<String> {
    let path = |place: &TextPlace| match place {
        TextPlace::Yaml { path, .. } => Some(path.join(".")),
        TextPlace::Body { .. } => None,
    };
    document.units.iter().filter_map(|unit| path(&unit.place)).collect()
}

/// The new body of a Markdown file; `None` if it does not change, or lacks a part.
fn new_body(
    source: &Source,
    body: std::ops::Range<usize>,
    target: Option<(&Source, (std::ops::Range<usize>, std::ops::Range<usize>))>,
    document: &Document,
    texts: &BTreeMap<usize, String>,
    written: &mut Written,
) -> Option<String> {
    let there = blocks(source, body);
    let mut new: BTreeMap<usize, &String> = BTreeMap::new();
    let mut aligned: BTreeMap<usize, usize> = BTreeMap::new();
    let mut of_block = BTreeMap::new();
    for (number, unit) in document.units.iter().enumerate() {
        if let TextPlace::Body { at, target } = &unit.place {
            of_block.insert(*at, number);
            aligned.extend(target.map(|target| (*at, target)));
            new.extend(texts.get(&number).map(|text| (*at, text)));
        }
    }
    if new.is_empty() {
        return None;
    }
    let (here, text) = match &target {
        Some((target, (_, body))) => (blocks(target, body.clone()), target.text[body.clone()].to_owned()),
        None => (Vec::new(), String::new()),
    };
    let offset = target.as_ref().map_or(0, |(_, (_, body))| body.start);
    if there.len() == here.len() {
        let mut text = text;
        for (at, translation) in new.iter().rev() {
            let range = here[*at].0.start - offset..here[*at].0.end - offset;
            text.replace_range(range, translation.trim_end());
        }
        return Some(text);
    }
    let mut parts = Vec::new();
    for (at, (_, block)) in there.iter().enumerate() {
        let known = aligned.get(&at).map(|target| here[*target].1.clone());
        let translation = new.get(&at).map(|text| text.trim_end().to_owned()).or(known);
        match translation {
            Some(text) => parts.push(text),
            None if is_code(block) || !of_block.contains_key(&at) => parts.push(block.clone()),
            None => {
                let name = &document.units[of_block[&at]].name;
                let reason = format!("the text needs a translation of `{name}` as well");
                written.refused.extend(new.keys().map(|at| (of_block[at], reason.clone())));
                return None;
            }
        }
    }
    let blank = if text.starts_with('\n') { "\n" } else { "" };
    Some(format!("{blank}{}\n", parts.join("\n\n")))
}
