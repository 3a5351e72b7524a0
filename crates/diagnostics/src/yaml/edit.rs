//! Changes values in the text of a YAML file and leaves everything else as it is: comments, order, quoting, wrapping.
//!
//! Works in small steps: the first place where the file differs from what is wanted is changed, and the result is
//! parsed again. A step that does not come closer is not taken, so a text that is not understood is never damaged.

use std::ops::Range;

use crate::problem::Source;

use super::compare::{arrangement, distance, is_in_place, number_text};
use super::emit::{self, spaces};
use super::layout::Layout;
use super::node::{Key, Node, Value};
use super::{Written, syntax};

/// A value that could not be changed in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// The path of the value, with items counted from 1: `hero.actions.1.label`.
    pub path: String,
}

/// A replacement of bytes.
type Edit = (Range<usize>, String);

/// A way to come closer to the wanted value, and the alternatives to it.
struct Change {
    path: String,
    edits: Vec<Edit>,
}

/// Changes a part of a file, such as its front matter, so that it has the wanted values. Values that say nothing are
/// removed. Returns the text of the whole file.
///
/// # Errors
/// The path of the first value that cannot be changed, such as one that an alias repeats. `part` must be valid YAML.
pub fn edit(source: &Source, part: Range<usize>, wanted: &Node) -> Result<String, Stuck> {
    let mut now = source.clone();
    let mut part = part;
    let root = || Stuck { path: String::new() };
    loop {
        let node = syntax::parse(&now, part.clone()).map_err(|_| root())?;
        let left = distance(&node, wanted);
        if left == 0 {
            return Ok(now.text);
        }
        let mut differ = Differ { layout: Layout(&now.text), source: &now, changes: Vec::new() };
        differ.compare(&node, wanted, None, false, "");
        let path = differ.changes.first().map_or_else(String::new, |change| change.path.clone());
        let closer = differ.changes.iter().flat_map(|change| &change.edits).find_map(|(range, new)| {
            let new = if now.text.contains("\r\n") { new.replace('\n', "\r\n") } else { new.clone() };
            let text = [&now.text[..range.start], &new, &now.text[range.end..]].concat();
            let part = part.start..(part.end + text.len()).checked_sub(now.text.len())?;
            let changed = Source { path: now.path.clone(), text };
            let node = syntax::parse(&changed, part.clone()).ok()?;
            (distance(&node, wanted) < left).then_some((changed, part))
        });
        (now, part) = closer.ok_or(Stuck { path })?;
    }
}

struct Differ<'a> {
    layout: Layout<'a>,
    source: &'a Source,
    changes: Vec<Change>,
}

impl Differ<'_> {
    fn push(&mut self, path: &str, edits: Vec<Edit>) {
        self.changes.push(Change { path: path.to_owned(), edits });
    }

    /// Finds the changes that lead from a value to the wanted one. `key` is its key in a block.
    fn compare(&mut self, node: &Node, wanted: &Node, key: Option<&Key>, is_flow: bool, path: &str) {
        if distance(node, wanted) == 0 {
            return;
        }
        if Layout::is_alias(node) {
            // Its text is that of the anchor.
            return self.push(path, Vec::new());
        }
        let is_inside = is_flow || self.layout.is_flow(node);
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match (&node.value, &wanted.value) {
            (Value::Map(own), Value::Map(others)) if !own.is_empty() => {
                for (at, (key, value)) in own.iter().enumerate() {
                    let path = below(&key.name);
                    match wanted.get(&key.name).filter(|wanted| !wanted.is_blank()) {
                        Some(wanted) => self.compare(value, wanted, Some(key), is_inside, &path),
                        None if value.is_blank() => {}
                        None => self.remove(own, at, is_inside, &path),
                    }
                }
                for (at, (key, value)) in others.iter().enumerate() {
                    if node.get(&key.name).is_none() && !value.is_blank() {
                        let place = |(key, _): &(Key, Node)| own.iter().position(|(own, _)| own.name == key.name);
                        let before = others[..at].iter().rev().find_map(place);
                        let after = others[at..].iter().find_map(place).map(|next| next.checked_sub(1));
                        let after = before.map_or_else(|| after.unwrap_or(own.len().checked_sub(1)), Some);
                        self.insert(own, &key.name, value, after, is_inside, &below(&key.name));
                    }
                }
            }
            (Value::List(own), Value::List(others)) if !own.is_empty() => {
                let from = arrangement(own, others, &distance);
                if is_in_place(&from, own.len()) {
                    for (at, (item, wanted)) in own.iter().zip(others).enumerate() {
                        self.compare(item, wanted, None, is_inside, &below(&(at + 1).to_string()));
                    }
                } else if is_inside {
                    self.arrange_flow(node, own, others, &from, path);
                } else {
                    self.arrange(node, own, others, &from, path);
                }
            }
            _ => self.replace(node, wanted, key, is_inside, path),
        }
    }

    fn replace(&mut self, node: &Node, wanted: &Node, key: Option<&Key>, is_flow: bool, path: &str) {
        let (start, end) = (node.span.start as usize, self.layout.end(node));
        let mut edits = Vec::new();
        if let Value::Text(new) = &wanted.value {
            edits.extend(self.changed_part(node, new));
            let raw = self.source.text.get(start..end).unwrap_or_default();
            let quoted = format!("'{}'", new.replace('\'', "''"));
            match raw.as_bytes().first() {
                Some(b'"') => edits.push((start..end, emit::double(new))),
                Some(b'\'') if !new.contains(char::is_control) => edits.push((start..end, quoted)),
                // An anchor before the value stays.
                Some(byte) if !matches!(byte, b'|' | b'>') => edits.push((start..end, emit::scalar(new, is_flow))),
                _ => {}
            }
            if let Some(key) = key.filter(|_| !is_flow) {
                let from = self.layout.after_colon(key);
                let indent = self.layout.column(key.span.start as usize);
                let header = self.source.text[from..].trim_start_matches(' ');
                if header.starts_with('>') {
                    edits.extend(emit::folded(new, indent + 2).map(|text| (from..end, format!(" {text}"))));
                } else if header.starts_with('|') {
                    edits.extend(emit::literal(new, indent + 2).map(|text| (from..end, format!(" {text}"))));
                }
            }
        }
        if let Some(key) = key {
            let from = self.layout.after_colon(key);
            let to = self.layout.entry_end(key, node).max(from);
            let indent = self.layout.column(key.span.start as usize);
            let new = if is_flow {
                format!(" {}", emit::flow(wanted))
            } else if emit::is_block(wanted) {
                format!("\n{}{}", spaces(indent + 2), emit::block(wanted, indent + 2))
            } else {
                format!(" {}", emit::leaf(wanted, indent))
            };
            edits.push((from..to, new));
        } else if number_text(&wanted.value).is_none() && is_flow {
            edits.push((start..end, emit::flow(wanted)));
        } else {
            edits.push((start..end, emit::block(wanted, self.layout.column(start))));
        }
        self.push(path, edits);
    }

    /// Replaces what differs between two texts, so that the rest keeps its escapes and lines.
    fn changed_part(&self, node: &Node, new: &str) -> Option<Edit> {
        let written = Written::of(self.source, node)?;
        // The line break at the end of a folded text is not part of it.
        let old = if new.ends_with('\n') { written.text.as_str() } else { written.text.trim_end_matches('\n') };
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let is_same = |old: &char, new: &char| old == new || (*old == '\n' && *new == ' ');
        let most = old.len().min(new.len());
        let before = (0..most).take_while(|at| is_same(&old[*at], &new[*at])).count();
        let last = |at: &usize| is_same(&old[old.len() - 1 - at], &new[new.len() - 1 - at]);
        let after = (0..most - before).take_while(last).count();
        let bytes = |count: usize| old[..count].iter().map(|c| c.len_utf8()).sum::<usize>();
        let span = written.span(bytes(before)..bytes(old.len() - after));
        let middle: String = new[before..new.len() - after].iter().collect();
        let quote = self.source.text.as_bytes().get(node.span.start as usize)?;
        let middle = match quote {
            b'"' => emit::escaped(&middle),
            b'\'' => middle.replace('\'', "''"),
            _ => middle,
        };
        let is_kept = before + after > 0 && !middle.contains('\n');
        is_kept.then_some((span.start as usize..span.end as usize, middle))
    }

    fn insert(
        &mut self,
        own: &[(Key, Node)],
        name: &str,
        value: &Node,
        after: Option<usize>,
        is_flow: bool,
        path: &str,
    ) {
        let first = own[0].0.span.start as usize;
        let column = self.layout.column(first);
        let edit = match (after, is_flow) {
            (Some(at), true) => {
                let end = self.layout.entry_end(&own[at].0, &own[at].1);
                (end..end, format!(", {}: {}", emit::scalar(name, true), emit::flow(value)))
            }
            (None, true) => (first..first, format!("{}: {}, ", emit::scalar(name, true), emit::flow(value))),
            (Some(at), false) => {
                let end = self.layout.line_end(self.layout.entry_end(&own[at].0, &own[at].1));
                (end..end, format!("\n{}{}", spaces(column), emit::entry(name, value, column)))
            }
            (None, false) => (first..first, format!("{}\n{}", emit::entry(name, value, column), spaces(column))),
        };
        self.push(path, vec![edit]);
    }

    fn remove(&mut self, own: &[(Key, Node)], at: usize, is_flow: bool, path: &str) {
        let (key, node) = &own[at];
        let (start, end) = (key.span.start as usize, self.layout.entry_end(key, node));
        let next = own.get(at + 1).map(|(key, _)| key.span.start as usize);
        let range = match next {
            _ if !is_flow && self.layout.begins_line(start) => {
                self.layout.line_start(start)..self.layout.next_line(end)
            }
            Some(next) => start..next,
            None if at > 0 => self.layout.entry_end(&own[at - 1].0, &own[at - 1].1)..end,
            None => start..end,
        };
        self.push(path, vec![(range, String::new())]);
    }

    /// Moves, adds and removes the items of a list in lines. Items move with the comments above them.
    fn arrange(&mut self, list: &Node, own: &[Node], wanted: &[Node], from: &[Option<usize>], path: &str) {
        let layout = self.layout;
        let first = list.span.start as usize;
        let column = layout.column(first);
        let mut chunks: Vec<Range<usize>> = Vec::new();
        for item in own {
            let floor = chunks.last().map_or(first, |before| before.end);
            let Some(dash) = layout.dash(column, floor, item.span.start as usize).filter(|at| layout.begins_line(*at))
            else {
                return self.push(path, Vec::new());
            };
            let above = if chunks.is_empty() { 0 } else { layout.next_line(floor).min(dash) };
            chunks.push(layout.with_comment(dash, above)..layout.line_end(layout.end(item)));
        }
        let is_flow = own.iter().all(|item| layout.is_flow(item));
        let mut text = String::new();
        for (at, origin) in from.iter().enumerate() {
            if at > 0 {
                // Neighbors keep what stands between them, such as an empty line.
                let before = from[at - 1].filter(|before| *origin == Some(before + 1));
                let gap = before.map(|before| &self.source.text[chunks[before].end..chunks[before + 1].start]);
                text.push_str(gap.unwrap_or("\n"));
            }
            match origin {
                Some(own) => text.push_str(&self.source.text[chunks[*own].clone()]),
                None if is_flow => text.extend([spaces(column), "- ".to_owned(), emit::flow(&wanted[at])]),
                None => text.extend([spaces(column), emit::item(&wanted[at], column)]),
            }
        }
        self.push(path, vec![(chunks[0].start..chunks[chunks.len() - 1].end, text.replace("\r\n", "\n"))]);
    }

    /// The same for a list in brackets.
    fn arrange_flow(&mut self, list: &Node, own: &[Node], wanted: &[Node], from: &[Option<usize>], path: &str) {
        let range = |item: &Node| item.span.start as usize..self.layout.end(item);
        let (first, last) = (range(&own[0]), range(&own[own.len() - 1]));
        let is_wide = self.source.text[list.span.start as usize..last.end].contains('\n');
        let separator =
            if is_wide { format!(",\n{}", spaces(self.layout.column(first.start))) } else { ", ".to_owned() };
        let item = |(at, origin): (usize, &Option<usize>)| match origin {
            Some(at) => self.source.text[range(&own[*at])].to_owned(),
            None => emit::flow(&wanted[at]),
        };
        let items: Vec<String> = from.iter().enumerate().map(item).collect();
        self.push(path, vec![(first.start..last.end, items.join(&separator))]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(yaml: &str) -> Node {
        syntax::parse(&Source { path: "a.yaml".into(), text: yaml.to_owned() }, 0..yaml.len()).expect(yaml)
    }

    fn changed(yaml: &str, wanted: &str) -> Result<String, String> {
        let source = Source { path: "a.yaml".into(), text: yaml.to_owned() };
        edit(&source, 0..yaml.len(), &node(wanted)).map_err(|stuck| stuck.path)
    }

    fn check(yaml: &str, wanted: &str, expect: &str) {
        assert_eq!(changed(yaml, wanted).as_deref(), Ok(expect), "{yaml}\n{wanted}");
    }

    #[test]
    fn texts_keep_their_quotes_and_comments() {
        check("# top\na: old  # why\nb: 2\n", "a: new\nb: 2", "# top\na: new  # why\nb: 2\n");
        check("a: \"5\\u00A0% x\"\n", "a: \"5\\u00A0% y\"", "a: \"5\\u00A0% y\"\n");
        check("a: 'it''s'\n", "a: \"it's 'x'\"", "a: 'it''s ''x'''\n");
        check("a: \"one\n  two three\"\n", "a: one two four", "a: \"one\n  two four\"\n");
        check("a: |\n  One\n\n  two\nb: 1\n", "a: \"One\\n\\nten\\n\"\nb: 1", "a: |\n  One\n\n  ten\nb: 1\n");
        check("a: >-\n  one\n  two\nb: 1\n", "a: one ten\nb: 1", "a: >-\n  one\n  ten\nb: 1\n");
    }

    #[test]
    fn a_value_gets_the_quotes_that_it_needs() {
        for text in
            ["a: b", "a #b", "- a", "2018", "yes", "true", "{product.name}", "*x", "&x", "@x", "", " a", "é 😀: x"]
        {
            let wanted = format!("a: {}\nb: 1", emit::double(text));
            let result = changed("a: x\nb: 1\n", &wanted).expect(text);
            assert_eq!(distance(&node(&result), &node(&wanted)), 0, "{result}");
        }
        check("a: x\nb: 1\n", "a: \"2018\"\nb: 1", "a: \"2018\"\nb: 1\n");
        check("a: 5\n", "a: 6", "a: 6\n");
    }

    #[test]
    fn keys_are_inserted_in_order_and_removed() {
        check("a: 1\nc: 3\n", "a: 1\nb: x\nc: 3", "a: 1\nb: x\nc: 3\n");
        check("# top\nb: 1\n", "a: x\nb: 1", "# top\na: x\nb: 1\n");
        check("a: 1\nb:\n  c: 2\nd: 3\n", "a: 1\nd: 3", "a: 1\nd: 3\n");
        check("l:\n  - {a: 1}\n", "l:\n- {a: 1, b: 2}", "l:\n  - {a: 1, b: 2}\n");
        check("l:\n  - a: 1\n    b: 2\n", "l:\n- b: 2", "l:\n  - b: 2\n");
        check("a: 1\r\nc: 3\r\n", "a: 1\nb: x\nc: 3", "a: 1\r\nb: x\r\nc: 3\r\n");
    }

    #[test]
    fn items_move_with_their_comments() {
        let list = "l:\n  # one\n  - a: 1\n    t: x\n  # two\n  - a: 2\n    t: y\n";
        check(
            list,
            "l: [{a: 2, t: y}, {a: 1, t: x}]",
            "l:\n  # two\n  - a: 2\n    t: y\n  # one\n  - a: 1\n    t: x\n",
        );
        check("l:\n  - a\n  - b\n", "l: [a, b, c]", "l:\n  - a\n  - b\n  - c\n");
        check("l: [a, b, c]\n", "l: [c, a]", "l: [c, a]\n");
    }

    #[test]
    fn an_alias_is_changed_at_its_anchor_or_not_at_all() {
        check("a: &x one\nb: *x\n", "a: two\nb: two", "a: &x two\nb: *x\n");
        assert_eq!(changed("a: &x one\nb: *x\n", "a: one\nb: two"), Err("b".to_owned()));
        assert!(changed("a: &x one\nb: *x\n", "a: two\nb: one").is_err());
    }
}
