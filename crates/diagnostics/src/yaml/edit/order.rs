//! Puts the entries of a block into another order: each with the comment above it and the one in its line. What stands
//! between two entries, such as an empty line, stays between the entries that come to its place.

use std::ops::Range;

use crate::problem::Source;

use super::super::layout::YamlLayout;
use super::super::node::Value;
use super::super::{distance, syntax};
use super::Stuck;

/// Orders the entries of the block at a path of keys and, in lists, of indices from 0. `part` of the file is its YAML.
/// Returns the text of the whole file.
///
/// # Errors
/// If there is no such block, if it has other keys, or if it cannot be written in another order.
pub fn reorder(
    source: &Source,
    part: Range<usize>,
    path: &[String],
    names: &[String],
) -> Result<String, Stuck> {
    reordered(source, part, path, names).ok_or_else(|| Stuck {
        path: path.join("."),
        anchor: None,
    })
}

fn reordered(
    source: &Source,
    part: Range<usize>,
    path: &[String],
    names: &[String],
) -> Option<String> {
    let root = syntax::parse(source, part.clone()).ok()?;
    let node = root.at(path)?;
    let Value::Map(entries) = &node.value else {
        return None;
    };
    let order: Option<Vec<usize>> = names
        .iter()
        .map(|name| entries.iter().position(|(key, _)| key.name == *name))
        .collect();
    let order = order.filter(|order| order.len() == entries.len())?;
    if order.is_sorted() {
        return Some(source.text.clone());
    }
    let layout = YamlLayout(&source.text);
    let is_flow = layout.is_flow(node);
    // The comment at the top of a file is about the file.
    let mut floor = if path.is_empty() {
        node.span.start as usize
    } else {
        0
    };
    let mut parts: Vec<Range<usize>> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let start = key.span.start as usize;
        let mut from = start;
        let mut to = layout.entry_end(key, value);
        if !is_flow && layout.begins_line(start) {
            // The comment above begins in the column of the key.
            from = layout.next_word(layout.with_comment(start, floor));
        }
        if !is_flow {
            to = to.max(layout.line_end(to));
        }
        floor = layout.next_line(to);
        parts.push(from..to);
    }
    let mut text = source.text[..parts.first().map_or(0, |part| part.start)].to_owned();
    for (at, own) in order.iter().enumerate() {
        text.push_str(&source.text[parts[*own].clone()]);
        let next = parts
            .get(at + 1)
            .map_or(source.text.len(), |part| part.start);
        text.push_str(&source.text[parts[at].end..next]);
    }
    // The same values in the order that was asked for, or nothing.
    let changed = Source::new(source.path.clone(), text);
    let end = part.end + changed.text.len() - source.text.len();
    let result = syntax::parse(&changed, part.start..end).ok()?;
    let is_ordered = result
        .at(path)
        .is_some_and(|node| matches!(&node.value, Value::Map(own) if own.iter().map(|(key, _)| &key.name).eq(names)));
    (is_ordered && distance(&root, &result) == 0).then_some(changed.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, path: &[&str], names: &[&str], expect: &str) {
        let source = Source::new(String::new(), text.to_owned());
        let owned = |parts: &[&str]| {
            parts
                .iter()
                .map(|part| (*part).to_owned())
                .collect::<Vec<_>>()
        };
        let result = reorder(&source, 0..text.len(), &owned(path), &owned(names));
        assert_eq!(result.as_deref(), Ok(expect));
    }

    #[test]
    fn entries_move_with_their_comments_and_gaps_stay() {
        let text = "# top\ns:\n  # one\n  a:\n    x: 1  # in a\n\n  b: 2  # in b\n  # three\n  c: |\n    text\nend: 1\n";
        let expect = "# top\ns:\n  # three\n  c: |\n    text\n\n  # one\n  a:\n    x: 1  # in a\n  b: 2  # in b\nend: 1\n";
        check(text, &["s"], &["c", "a", "b"], expect);
        check(text, &["s"], &["a", "b", "c"], text);
        check("b: 1\na: 2", &[], &["a", "b"], "a: 2\nb: 1");
        check(
            "l:\n  - m:\n      x: 1\n      y: 2\n",
            &["l", "0", "m"],
            &["y", "x"],
            "l:\n  - m:\n      y: 2\n      x: 1\n",
        );
        check(
            "l:\n  - x: 1\n    y: 2\n",
            &["l", "0"],
            &["y", "x"],
            "l:\n  - y: 2\n    x: 1\n",
        );
        check(
            "m: {a: 1, b: [2, 3]}\n",
            &["m"],
            &["b", "a"],
            "m: {b: [2, 3], a: 1}\n",
        );
        check(
            "a: 1\r\n\r\nb: 2\r\n",
            &[],
            &["b", "a"],
            "b: 2\r\n\r\na: 1\r\n",
        );
    }

    #[test]
    fn what_is_no_such_block_is_refused() {
        let source = Source::new(String::new(), "a: &x 1\nb: *x\nc: [1]\n".to_owned());
        let owned = |parts: &[&str]| {
            parts
                .iter()
                .map(|part| (*part).to_owned())
                .collect::<Vec<_>>()
        };
        let refused = |path: &[&str], names: &[&str]| {
            reorder(&source, 0..source.text.len(), &owned(path), &owned(names))
                .expect_err("a refusal")
                .path
        };
        assert_eq!(refused(&["d"], &[]), "d");
        assert_eq!(refused(&["c"], &["x"]), "c");
        assert_eq!(refused(&[], &["a", "b"]), "");
        // An alias cannot stand before its anchor.
        assert_eq!(refused(&[], &["b", "a", "c"]), "");
    }
}
