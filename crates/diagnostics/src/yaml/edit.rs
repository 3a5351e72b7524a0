//! Changes values in the text of a YAML file and leaves everything else as it is: comments, order, quoting, wrapping.
//!
//! Works in steps: the places where the file differs from what is wanted are changed, and the result is parsed again.
//! All places are changed at once if that comes as close as expected, else fewer, at last one by one. A step that does
//! not come closer is not taken, so a text that is not understood is never damaged.

mod arrange;
mod order;
mod scalar;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::problem::Source;

use super::compare::{arrangement, distance, is_in_place, number_text};
use super::emit::{self, spaces};
use super::layout::YamlLayout;
use super::node::{Key, Node, Value};
use super::syntax;

pub use order::reorder;

/// A value that could not be changed in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// The path of the value, with items counted from 1: `hero.actions.1.label`.
    pub path: String,
    /// The anchor whose value is repeated there, or that is defined there: `x` for `*x` and `&x`.
    pub anchor: Option<String>,
}

/// A replacement of bytes.
type Edit = (Range<usize>, String);

/// Ways to come closer to the wanted value at one place, the best first.
struct EditOptions {
    stuck: Stuck,
    edits: Vec<Edit>,
    /// By how much the distance to the wanted value shrinks, at least.
    gain: usize,
}

/// Changes a part of a file, such as its front matter, so that it has the wanted values. Values that say nothing are
/// removed. Returns the text of the whole file.
///
/// # Errors
/// The path of the first value that cannot be changed, such as one that an alias repeats. `part` must be valid YAML.
pub fn edit(source: &Source, part: Range<usize>, wanted: &Node) -> Result<String, Stuck> {
    let mut now = EditedFile {
        source: source.clone(),
        part,
    };
    loop {
        let Ok(node) = now.parse() else {
            return Err(Stuck {
                path: String::new(),
                anchor: None,
            });
        };
        let left = distance(&node, wanted);
        if left == 0 {
            return Ok(now.source.text);
        }
        let mut differ = Differ {
            layout: YamlLayout(&now.source.text),
            source: &now.source,
            changes: Vec::new(),
        };
        differ.compare(&node, wanted, &At::default());
        let changes = differ.changes;
        let Some(closer) = now.closer(&changes, wanted, left) else {
            let stuck = changes.into_iter().next().map(|change| change.stuck);
            return Err(stuck.unwrap_or(Stuck {
                path: String::new(),
                anchor: None,
            }));
        };
        now = closer;
    }
}

/// A file on its way to the wanted values.
struct EditedFile {
    source: Source,
    part: Range<usize>,
}

impl EditedFile {
    fn parse(&self) -> Result<Node, crate::problem::Problem> {
        syntax::parse(&self.source, self.part.clone())
    }

    /// The next step: as many changes at once as possible.
    fn closer(&self, changes: &[EditOptions], wanted: &Node, left: usize) -> Option<EditedFile> {
        let mut count = changes.len();
        while count > 1 {
            let (edits, gain) = disjoint(&changes[..count]);
            if let Some(draft) = self.with(edits, wanted, left.saturating_sub(gain)) {
                return Some(draft);
            }
            count /= 2;
        }
        let edits = changes.iter().flat_map(|change| &change.edits);
        edits
            .into_iter()
            .find_map(|edit| self.with(vec![edit.clone()], wanted, left - 1))
    }

    /// This file after some replacements, if it is then no farther than `most` from the wanted value. They are in the
    /// order of the file and do not overlap.
    fn with(&self, edits: Vec<Edit>, wanted: &Node, most: usize) -> Option<EditedFile> {
        let mut text = self.source.text.clone();
        let is_crlf = text.contains("\r\n");
        for (range, new) in edits.into_iter().rev() {
            text.get(range.clone())?;
            text.replace_range(
                range,
                &if is_crlf {
                    new.replace('\n', "\r\n")
                } else {
                    new
                },
            );
        }
        let part =
            self.part.start..(self.part.end + text.len()).checked_sub(self.source.text.len())?;
        let draft = EditedFile {
            source: Source::new(self.source.path.clone(), text),
            part,
        };
        let node = draft.parse().ok()?;
        (distance(&node, wanted) <= most).then_some(draft)
    }
}

/// The best edit of each change, in the order of the file, without those that overlap an earlier one; and what they gain
/// together.
fn disjoint(changes: &[EditOptions]) -> (Vec<Edit>, usize) {
    let mut best: Vec<(&Edit, usize)> = changes
        .iter()
        .filter_map(|change| change.edits.first().map(|edit| (edit, change.gain)))
        .collect();
    best.sort_by_key(|((range, _), _)| range.start);
    let (mut edits, mut gained): (Vec<Edit>, usize) = (Vec::new(), 0);
    for ((range, new), gain) in best {
        if edits
            .last()
            .is_none_or(|(before, _)| before.end <= range.start)
        {
            edits.push((range.clone(), new.clone()));
            gained += gain;
        }
    }
    (edits, gained)
}

/// Where a value stands.
#[derive(Default)]
struct At<'a> {
    /// Its key in a block.
    key: Option<&'a Key>,
    /// It is inside of brackets.
    is_flow: bool,
    path: String,
    /// The innermost anchor that it belongs to.
    anchor: Option<String>,
}

impl At<'_> {
    fn below(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }
}

struct Differ<'a> {
    layout: YamlLayout<'a>,
    source: &'a Source,
    changes: Vec<EditOptions>,
}

/// The index of a key.
fn position(entries: &[(Key, Node)], key: &Key) -> Option<usize> {
    entries.iter().position(|(own, _)| own.name == key.name)
}

impl Differ<'_> {
    fn push(&mut self, path: &str, anchor: Option<String>, edits: Vec<Edit>, gain: usize) {
        self.changes.push(EditOptions {
            stuck: Stuck {
                path: path.to_owned(),
                anchor,
            },
            edits,
            gain,
        });
    }

    /// Finds the changes that lead from a value to the wanted one.
    fn compare(&mut self, node: &Node, wanted: &Node, at: &At) {
        let difference = distance(node, wanted);
        if difference == 0 {
            return;
        }
        if node.is_alias() {
            // Its text is that of the anchor.
            return self.push(&at.path, self.layout.alias(node), Vec::new(), 0);
        }
        let is_flow = at.is_flow || self.layout.is_flow(node);
        let anchor = self.layout.anchor(node).or_else(|| at.anchor.clone());
        let inside = |key, path| At {
            key,
            is_flow,
            path,
            anchor: anchor.clone(),
        };
        match (&node.value, &wanted.value) {
            (Value::Map(own), Value::Map(others)) if !own.is_empty() => {
                for (index, (key, value)) in own.iter().enumerate() {
                    let place = inside(Some(key), at.below(&key.name));
                    match wanted.get(&key.name).filter(|wanted| !wanted.is_blank()) {
                        Some(wanted) => self.compare(value, wanted, &place),
                        None if value.is_blank() => {}
                        None => self.remove(own, index, &place),
                    }
                }
                for (index, (key, value)) in others.iter().enumerate() {
                    if node.get(&key.name).is_none() && !value.is_blank() {
                        let mut before = others[..index].iter().rev();
                        let before = before.find_map(|(key, _)| position(own, key));
                        let after = others[index..]
                            .iter()
                            .find_map(|(key, _)| position(own, key));
                        let after = after.map(|next| next.checked_sub(1));
                        let after =
                            before.map_or_else(|| after.unwrap_or(own.len().checked_sub(1)), Some);
                        self.insert(
                            own,
                            &key.name,
                            value,
                            after,
                            &inside(None, at.below(&key.name)),
                        );
                    }
                }
            }
            (Value::List(own), Value::List(others)) if !own.is_empty() => {
                let from = arrangement(own, others, &distance);
                if is_in_place(&from, own.len()) {
                    for (index, (item, wanted)) in own.iter().zip(others).enumerate() {
                        self.compare(
                            item,
                            wanted,
                            &inside(None, at.below(&(index + 1).to_string())),
                        );
                    }
                } else {
                    let edit = if is_flow {
                        arrange::in_brackets(self.layout, node, own, others, &from)
                    } else {
                        arrange::in_lines(self.layout, node, own, others, &from)
                    };
                    self.push(&at.path, anchor, edit.into_iter().collect(), 1);
                }
            }
            _ => {
                let edits = self.replace(node, wanted, at);
                self.push(&at.path, anchor, edits, difference);
            }
        }
    }

    /// Ways to write another value in the place of one.
    fn replace(&self, node: &Node, wanted: &Node, at: &At) -> Vec<Edit> {
        let (start, end) = (node.span.start as usize, self.layout.end(node));
        let mut edits = match &wanted.value {
            Value::Text(new) => scalar::replace(self.source, self.layout, node, new, at.is_flow),
            _ => Vec::new(),
        };
        if let Some(key) = at.key {
            let from = self.layout.after_colon(key);
            let to = self.layout.entry_end(key, node).max(from);
            let indent = self.layout.column(key.span.start as usize);
            let new = if at.is_flow {
                format!(" {}", emit::flow(wanted))
            } else if emit::is_block(wanted) {
                format!(
                    "\n{}{}",
                    spaces(indent + 2),
                    emit::block(wanted, indent + 2)
                )
            } else {
                format!(" {}", emit::leaf(wanted, indent))
            };
            // A text of several lines stands below its key, unless the one before had several in quotes.
            let is_first = matches!((&node.value, &wanted.value), (Value::Text(old), Value::Text(new))
                if new.contains('\n') && !old.contains('\n') && !at.is_flow);
            edits.insert(if is_first { 0 } else { edits.len() }, (from..to, new));
        } else if start == end && !self.source.text[..start].ends_with(char::is_whitespace) {
            // A dash with nothing behind it.
            edits.push((
                start..end,
                format!(" {}", emit::leaf(wanted, self.layout.column(start))),
            ));
        } else if number_text(&wanted.value).is_none() && at.is_flow {
            edits.push((start..end, emit::flow(wanted)));
        } else {
            // A text of several lines begins with the sign for it, on the line above.
            let start = self.layout.block_header(node).unwrap_or(start);
            edits.push((start..end, emit::block(wanted, self.layout.column(start))));
        }
        edits
    }

    /// Adds an entry to a block, after the one at the index `after`.
    fn insert(
        &mut self,
        own: &[(Key, Node)],
        name: &str,
        value: &Node,
        after: Option<usize>,
        at: &At,
    ) {
        // The keys of `<<` stand elsewhere.
        let first = own
            .iter()
            .find(|(key, node)| key.span != node.span)
            .or(own.first());
        let first = first.map_or(0, |(key, _)| key.span.start as usize);
        let column = self.layout.column(first);
        let edit = match (after, at.is_flow) {
            (Some(index), true) => {
                let end = self.layout.entry_end(&own[index].0, &own[index].1);
                (
                    end..end,
                    format!(", {}: {}", emit::key(name, true), emit::flow(value)),
                )
            }
            (None, true) => (
                first..first,
                format!("{}: {}, ", emit::key(name, true), emit::flow(value)),
            ),
            (Some(index), false) => {
                let end = self
                    .layout
                    .line_end(self.layout.entry_end(&own[index].0, &own[index].1));
                let end = self.layout.with_comment_below(end, column);
                (
                    end..end,
                    format!("\n{}{}", spaces(column), emit::entry(name, value, column)),
                )
            }
            (None, false) => (
                first..first,
                format!("{}\n{}", emit::entry(name, value, column), spaces(column)),
            ),
        };
        self.push(&at.path, at.anchor.clone(), vec![edit], value.weight());
    }

    /// Removes an entry of a block. The comment above it stays.
    fn remove(&mut self, own: &[(Key, Node)], index: usize, at: &At) {
        let (key, node) = &own[index];
        if key.span == node.span {
            // It comes from `<<`.
            return self.push(&at.path, self.layout.alias(node), Vec::new(), 0);
        }
        let (start, end) = (key.span.start as usize, self.layout.entry_end(key, node));
        let next = own.get(index + 1).map(|(key, _)| key.span.start as usize);
        let range = match next {
            _ if !at.is_flow && self.layout.begins_line(start) => {
                self.layout.line_start(start)..self.layout.next_line(end)
            }
            // The first key of an item, on the line of its dash.
            Some(_) if !at.is_flow => start..self.layout.next_word(self.layout.next_line(end)),
            Some(next) => start..next,
            None if index > 0 => self.layout.entry_end(&own[index - 1].0, &own[index - 1].1)..end,
            None => start..end,
        };
        let anchor = self.layout.anchor(node).or_else(|| at.anchor.clone());
        self.push(&at.path, anchor, vec![(range, String::new())], 1);
    }
}
