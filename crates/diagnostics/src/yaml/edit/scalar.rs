//! Ways to write another text in the place of one, in the style of the one before: its quotes, its block, its wrapping.

use super::super::Written;
use super::super::emit::{self, spaces};
use super::super::layout::YamlLayout;
use super::super::node::Node;
use super::Edit;
use crate::problem::Source;

/// The replacements, the one that keeps the most first. Some may not give the wanted text: the caller reads what comes
/// out.
pub(super) fn replace(
    source: &Source,
    layout: YamlLayout,
    node: &Node,
    new: &str,
    is_flow: bool,
) -> Vec<Edit> {
    let (start, end) = (node.span.start as usize, layout.end(node));
    let raw = source.text.get(start..end).unwrap_or_default();
    if let Some(header) = layout.block_header(node) {
        return in_block(source, layout, node, new, header);
    }
    let quote = raw.chars().next();
    // `a #b` without quotes is a text and a comment.
    let is_readable = matches!(quote, Some('"' | '\'')) || emit::is_plain(new, is_flow);
    let part = changed_part(source, node, new, quote).filter(|_| is_readable);
    let mut edits = Vec::from_iter(part);
    match raw.as_bytes().first() {
        Some(b'"') => edits.push((start..end, emit::double(new))),
        Some(b'\'') if !new.contains(char::is_control) => {
            edits.push((start..end, format!("'{}'", new.replace('\'', "''"))));
        }
        // An anchor before the value stays.
        Some(_) => edits.push((start..end, emit::scalar(new, is_flow))),
        None => {}
    }
    edits
}

/// The same for a text below `|` or `>`, whose offset is `header`.
fn in_block(
    source: &Source,
    layout: YamlLayout,
    node: &Node,
    new: &str,
    header: usize,
) -> Vec<Edit> {
    let (start, end) = (node.span.start as usize, layout.end(node));
    let (indent, lines) = (layout.column(start), layout.line_start(start)..end);
    let is_folded = source.text[header..].starts_with('>');
    let body = new.trim_end_matches('\n');
    let mut edits = Vec::new();
    let part = changed_part(source, node, new, None);
    let (late, early): (Vec<Edit>, Vec<Edit>) = part
        .into_iter()
        .partition(|(range, _)| is_folded && source.text[range.clone()].contains('\n'));
    edits.extend(early);
    // The line of the header stays, with its comment.
    if is_folded {
        let folded = emit::folded(body, indent);
        edits.extend(folded.and_then(|text| Some((lines, text.split_once('\n')?.1.to_owned()))));
        edits.extend(late);
    } else {
        edits.push((
            lines,
            body.split('\n')
                .map(|line| {
                    if line.is_empty() {
                        String::new()
                    } else {
                        spaces(indent) + line
                    }
                })
                .collect::<Vec<_>>()
                .join("\n"),
        ));
    }
    edits.push((header..end, emit::text(new, indent)));
    edits.push((header..end, emit::double(new)));
    edits
}

/// Replaces what differs between two texts, so that the rest keeps its escapes and lines. `quote` is the first character
/// of a text that is not in a block.
fn changed_part(source: &Source, node: &Node, new: &str, quote: Option<char>) -> Option<Edit> {
    let written = Written::of(source, node)?;
    // Which line breaks at the end of a block are part of its text is said in its header.
    let (old, new) = match quote {
        Some(_) => (written.text.as_str(), new),
        None => (
            written.text.trim_end_matches('\n'),
            new.trim_end_matches('\n'),
        ),
    };
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let most = old.len().min(new.len());
    let before = (0..most)
        .take_while(|at| is_same(old[*at], new[*at]))
        .count();
    let after = (0..most - before)
        .take_while(|at| is_same(old[old.len() - 1 - at], new[new.len() - 1 - at]))
        .count();
    let [start, end] = [before, old.len() - after]
        .map(|count| old[..count].iter().map(|c| c.len_utf8()).sum::<usize>());
    let span = written.span(start..end);
    let middle: String = new[before..new.len() - after].iter().collect();
    let middle = match quote {
        Some('"') => emit::escaped(&middle),
        Some('\'') => middle.replace('\'', "''"),
        _ => middle,
    };
    let is_kept = before + after > 0 && !middle.contains('\n');
    is_kept.then_some((span.start as usize..span.end as usize, middle))
}

/// Tells whether two letters of a text are the same but for where its lines break.
fn is_same(old: char, new: char) -> bool {
    old == new || (old == '\n' && new == ' ')
}
