//! Moves, adds and removes the items of a list in its text. Items move with the comments above them, and comments that
//! belong to no item stay.

use std::ops::Range;

use super::super::emit::{self, spaces};
use super::super::layout::YamlLayout;
use super::super::node::Node;
use super::Edit;

/// For a list with an item a line. `from` says where each wanted item comes from (see
/// [`arrangement`](super::super::compare::arrangement)). `None` if the text is not understood.
pub(super) fn in_lines(
    layout: YamlLayout,
    list: &Node,
    own: &[Node],
    wanted: &[Node],
    from: &[Option<usize>],
) -> Option<Edit> {
    let text = layout.0;
    let first = layout.first_dash(list, &own[0])?;
    let column = layout.column(first);
    let chunks = chunks(layout, own, first)?;
    let gaps: Vec<&str> = chunks
        .windows(2)
        .map(|pair| &text[pair[0].end..pair[1].start])
        .collect();
    let line_break = format!("\n{}", spaces(column));
    // Lists with an empty line between all items keep it.
    let is_regular = gaps.windows(2).all(|pair| pair[0] == pair[1])
        && gaps.first().is_some_and(|gap| is_empty(gap));
    let usual = if is_regular { gaps[0] } else { &line_break };
    // Comments between items that are no neighbors any more stand above the item that they stood above, or the next one
    // that is left.
    let mut above: Vec<Vec<&str>> = vec![Vec::new(); own.len() + 1];
    for (at, gap) in gaps.iter().enumerate().filter(|(_, gap)| !is_empty(gap)) {
        let place = from.iter().position(|origin| *origin == Some(at + 1));
        let is_neighbor = place.is_some_and(|place| place > 0 && from[place - 1] == Some(at));
        if !is_neighbor {
            let next = (at + 1..own.len())
                .find(|own| from.contains(&Some(*own)))
                .unwrap_or(own.len());
            above[next].push(gap);
        }
    }
    let is_flow = own.iter().all(|item| layout.is_flow(item));
    let mut out = String::new();
    for (at, origin) in from.iter().enumerate() {
        let neighbor = origin.filter(|own| *own > 0 && at > 0 && from[at - 1] == Some(own - 1));
        let comments = origin.map_or(&[][..], |own| &above[own]);
        match neighbor {
            Some(own) => out.push_str(gaps[own - 1]),
            None if comments.is_empty() && at > 0 => out.push_str(usual),
            None => {}
        }
        for gap in comments {
            out.push_str(if out.is_empty() {
                gap.trim_start()
            } else {
                gap
            });
        }
        match origin {
            Some(own) => out.push_str(&text[chunks[*own].clone()]),
            None if is_flow => out.extend(["- ", &emit::flow(&wanted[at])]),
            None => out.push_str(&emit::item(&wanted[at], column)),
        }
    }
    above[own.len()]
        .iter()
        .for_each(|gap| out.push_str(gap.trim_end()));
    Some((
        chunks[0].start..chunks[chunks.len() - 1].end,
        out.replace("\r\n", "\n"),
    ))
}

fn is_empty(gap: &str) -> bool {
    gap.trim().is_empty()
}

/// The text of each item, from its dash or the comment above, without the indentation of its first line.
fn chunks(layout: YamlLayout, own: &[Node], first: usize) -> Option<Vec<Range<usize>>> {
    let column = layout.column(first);
    let mut chunks: Vec<Range<usize>> = Vec::new();
    for item in own {
        let floor = chunks.last().map_or(first, |before| before.end);
        let dash = layout.dash(column, floor, item.span.start as usize)?;
        let start = if layout.begins_line(dash) {
            let above = if chunks.is_empty() {
                0
            } else {
                layout.next_line(floor).min(dash)
            };
            let start = layout.with_comment(dash, above);
            // A comment at the top is about the file.
            if start == 0 { dash } else { start + column }
        } else if chunks.is_empty() {
            // The first item of a list that is an item itself.
            dash
        } else {
            return None;
        };
        let end = layout.line_end(layout.end(item).max(dash + 1));
        chunks.push(start..layout.with_comment_below(end, column));
    }
    Some(chunks)
}

/// For a list in brackets. `None` if a comment would get lost.
pub(super) fn in_brackets(
    layout: YamlLayout,
    list: &Node,
    own: &[Node],
    wanted: &[Node],
    from: &[Option<usize>],
) -> Option<Edit> {
    let (first, last) = (layout.range(&own[0]), layout.range(&own[own.len() - 1]));
    if own.windows(2).any(|pair| {
        layout.0[layout.range(&pair[0]).end..layout.range(&pair[1]).start].contains('#')
    }) {
        return None;
    }
    let is_wide = layout.0[list.span.start as usize..last.end].contains('\n');
    let separator = if is_wide {
        format!(",\n{}", spaces(layout.column(first.start)))
    } else {
        ", ".to_owned()
    };
    let items: Vec<String> = from
        .iter()
        .enumerate()
        .map(|(at, origin)| match origin {
            Some(at) => layout.0[layout.range(&own[*at])].to_owned(),
            None => emit::flow(&wanted[at]),
        })
        .collect();
    Some((
        first.start..last.end,
        items.join(&separator).replace("\r\n", "\n"),
    ))
}
