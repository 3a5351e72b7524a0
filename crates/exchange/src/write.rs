//! Puts translations into the file of a language: only the texts change, comments and all else stay. A part that the file does
//! not have yet, such as an item of a list, is that of the source with all of its texts translated.

use std::collections::{BTreeMap, BTreeSet};

use config::Config;
use diagnostics::problem::{Problem, Source, Span};
use diagnostics::yaml::{self, Node, Value};
use workspace::files::{self, FileSet};

use super::blocks::{blocks, is_code, parts};
use super::tree::Tree;
use super::units::{Document, TextPlace, find};

/// A file with new texts.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The bytes of the file that it was made from.
    pub before: Option<Vec<u8>>,
    /// The text of the file; `None` if no text can be written.
    pub text: Option<String>,
    /// The units that were not written, each with the reason.
    pub refused: BTreeMap<usize, String>,
    /// The first line of each unit that was written.
    pub lines: BTreeMap<usize, u32>,
}

/// The file of a translation after texts of some units, by their numbers in the document, were put in.
pub(super) fn apply(
    config: &Config,
    root: &FileSet,
    document: &Document,
    texts: &BTreeMap<usize, String>,
) -> Written {
    let refuse_all = |reason: &str| Written {
        refused: texts.keys().map(|at| (*at, reason.to_owned())).collect(),
        ..Written::default()
    };
    let Ok(source) = root.read_text(&root.join(&document.from)) else {
        return refuse_all("the source file cannot be read");
    };
    let before = files::before_change(root, &document.to);
    let target = root.read_text(&root.join(&document.to)).ok();
    let there = yaml_of(&source);
    let here = target
        .as_ref()
        .map_or_else(|| Ok(empty()), |target| yaml_of(target));
    let (Ok(there), Ok(here)) = (there, here) else {
        return refuse_all("the file cannot be read");
    };
    let mut written = Written {
        before,
        ..Written::default()
    };
    let mut tree = Tree {
        there: &there,
        here,
        units: unit_paths(document),
        added: BTreeSet::new(),
    };
    if target.is_none() {
        tree.begin(config, document);
    }
    put(&mut tree, document, texts, &mut written);
    let body = new_body(&source, target.as_deref(), document, texts, &mut written);
    let is_markdown = source.path.ends_with(".md");
    let left: Vec<usize> = texts
        .keys()
        .filter(|at| !written.refused.contains_key(at))
        .copied()
        .collect();
    let is_body = |at: &usize| matches!(document.units[*at].place, TextPlace::Body { .. });
    let has_fronts = left.iter().any(|at| !is_body(at));
    if target.is_none()
        && is_markdown
        && body.is_none()
        && (0..document.units.len()).any(|at| is_body(&at))
    {
        let reason = "the file needs a translation of its text as well";
        written
            .refused
            .extend(left.into_iter().map(|at| (at, reason.to_owned())));
        return written;
    }
    if left.is_empty() {
        return written;
    }
    let text = match &target {
        Some(target) => {
            let (front, old_body) = parts(target);
            let mut text = target.text.clone();
            if let Some(body) = body {
                text.replace_range(old_body, &body);
            }
            let changed = Source::new(target.path.clone(), text);
            let edited = if has_fronts {
                yaml::edit(&changed, front, &tree.here)
            } else {
                Ok(changed.text)
            };
            match edited {
                Ok(text) => text,
                Err(stuck) => {
                    let reason = format!(
                        "`{}` cannot be changed without changing the text around it",
                        stuck.path
                    );
                    return refuse_all(&reason);
                }
            }
        }
        None if is_markdown => format!(
            "---\n{}---\n\n{}",
            yaml::write(&tree.here),
            body.unwrap_or_default()
        ),
        None => yaml::write(&tree.here),
    };
    let result = Source::new(document.to.clone(), text);
    match lines(&result, document, texts, &left) {
        Ok(lines) => Written {
            text: Some(result.text),
            lines,
            ..written
        },
        Err(reason) => refuse_all(reason),
    }
}

fn empty() -> Node {
    Node::new(Value::Map(Vec::new()), Span::default())
}

/// The YAML of a file; a block without keys if it has none.
fn yaml_of(source: &Source) -> Result<Node, Problem> {
    let part = parts(source).0;
    let node = if part.is_empty() {
        empty()
    } else {
        yaml::parse(source, part)?
    };
    Ok(if node.value == Value::Null {
        empty()
    } else {
        node
    })
}

/// Puts texts into the YAML, and takes out parts that are not whole.
fn put(
    tree: &mut Tree,
    document: &Document,
    texts: &BTreeMap<usize, String>,
    written: &mut Written,
) {
    for (at, text) in texts {
        if let TextPlace::Yaml { path, locale_at } = &document.units[*at].place
            && let Err(reason) = tree.set(
                path,
                *locale_at,
                &document.reference,
                &document.locale,
                text,
            )
        {
            written.refused.insert(*at, reason);
        }
    }
    for (part, missing) in tree.take_unfinished() {
        let below = format!("{part}.");
        for at in texts.keys() {
            let path = path_of(document, &document.units[*at].place);
            if path.is_some_and(|path| path == part || path.starts_with(&below)) {
                written.refused.insert(
                    *at,
                    format!("`{part}` needs a translation of `{missing}` as well"),
                );
            }
        }
    }
}

/// The first line of each unit in a file that was written. The error says why the file would be read in another way.
fn lines(
    result: &Source,
    document: &Document,
    texts: &BTreeMap<usize, String>,
    units: &[usize],
) -> Result<BTreeMap<usize, u32>, &'static str> {
    let node = yaml_of(result).map_err(|_| "the file would no longer be readable")?;
    let blocks = blocks(result, parts(result).1);
    let mut lines = BTreeMap::new();
    for at in units {
        let start = if let Some(path) = path_of(document, &document.units[*at].place) {
            let node = find(&node, &path).filter(|node| node.as_text() == Some(&texts[at]));
            node.ok_or("the saved file would not contain this text")?
                .span
                .start as usize
        } else {
            let text = texts[at].trim_end();
            let block = blocks
                .iter()
                .find(|(_, block)| block.replace("\r\n", "\n") == text);
            block
                .ok_or("the text contains an empty line, which would split it in two")?
                .0
                .start
        };
        let line = result.text[..start].matches('\n').count() + 1;
        lines.insert(*at, u32::try_from(line).unwrap_or(u32::MAX));
    }
    Ok(lines)
}

/// The path of a text in the file of the translation, with dots; `None` for a part of a body.
fn path_of(document: &Document, place: &TextPlace) -> Option<String> {
    let TextPlace::Yaml { path, locale_at } = place else {
        return None;
    };
    let mut path = path.clone();
    if let Some(at) = locale_at {
        document.locale.clone_into(&mut path[*at]);
    }
    Some(path.join("."))
}

/// The paths of all units in the source, with dots.
fn unit_paths(document: &Document) -> BTreeSet<String> {
    let path = |place: &TextPlace| match place {
        TextPlace::Yaml { path, .. } => Some(path.join(".")),
        TextPlace::Body { .. } => None,
    };
    document
        .units
        .iter()
        .filter_map(|unit| path(&unit.place))
        .collect()
}

/// The new body of a Markdown file; `None` if it does not change, or lacks a part.
fn new_body(
    source: &Source,
    target: Option<&Source>,
    document: &Document,
    texts: &BTreeMap<usize, String>,
    written: &mut Written,
) -> Option<String> {
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
    let there = blocks(source, parts(source).1);
    let body = target.map_or(0..0, |target| parts(target).1);
    let here = target
        .map(|target| blocks(target, body.clone()))
        .unwrap_or_default();
    let mut text = target
        .map(|target| target.text[body.clone()].to_owned())
        .unwrap_or_default();
    // A file keeps the line breaks of Windows.
    let is_crlf = text.contains("\r\n");
    let with_breaks = |text: &str| {
        if is_crlf {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        }
    };
    if there.len() == here.len() {
        for (at, translation) in new.iter().rev() {
            let range = here[*at].0.start - body.start..here[*at].0.end - body.start;
            text.replace_range(range, &with_breaks(translation.trim_end()));
        }
        return Some(text);
    }
    let mut whole = Vec::new();
    for (at, (_, block)) in there.iter().enumerate() {
        let known = aligned.get(&at).map(|target| here[*target].1.clone());
        let translation = new
            .get(&at)
            .map(|text| text.trim_end().to_owned())
            .or(known);
        match translation {
            Some(text) => whole.push(text),
            None if is_code(block) || !of_block.contains_key(&at) => whole.push(block.clone()),
            None => {
                let name = &document.units[of_block[&at]].name;
                let reason = format!("the text needs a translation of `{name}` as well");
                written
                    .refused
                    .extend(new.keys().map(|at| (of_block[at], reason.clone())));
                return None;
            }
        }
    }
    let blank = if text.starts_with(['\r', '\n']) {
        "\n"
    } else {
        ""
    };
    let whole = format!("{blank}{}\n", whole.join("\n\n")).replace("\r\n", "\n");
    Some(with_breaks(&whole))
}
