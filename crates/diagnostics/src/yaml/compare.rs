//! Compares values without their places, for edits of a file: what counts as nothing, which items of two lists belong
//! together, and how far two values are apart.

use super::node::{Node, Value};

impl Node {
    /// Whether it says nothing: no value, an empty text, or a list or block of such values.
    pub fn is_blank(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Text(text) => text.trim().is_empty(),
            Value::List(items) => items.iter().all(Node::is_blank),
            Value::Map(entries) => entries.iter().all(|(_, node)| node.is_blank()),
            _ => false,
        }
    }

    /// The number of scalars, lists and blocks in it.
    pub(super) fn weight(&self) -> usize {
        match &self.value {
            _ if self.is_blank() => 0,
            Value::List(items) => 1 + items.iter().map(Node::weight).sum::<usize>(),
            Value::Map(entries) => 1 + entries.iter().map(|(_, node)| node.weight()).sum::<usize>(),
            _ => 1,
        }
    }
}

/// A number as it is written in general.
pub(super) fn number_text(value: &Value) -> Option<String> {
    match value {
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

#[expect(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "a number that is written another way is the same one"
)]
fn is_same_number(one: &Value, other: &Value) -> bool {
    let [one, other] = [one, other].map(|value| match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    });
    one.zip(other)
        .is_some_and(|(one, other)| one == other || one.is_nan() && other.is_nan())
}

/// The number of scalars by which a value differs from the wanted one. 0 if a reader sees no difference: the order of
/// keys and values that say nothing do not count. A text and the number that it looks like differ.
pub fn distance(node: &Node, wanted: &Node) -> usize {
    match (&node.value, &wanted.value) {
        _ if node.is_blank() && wanted.is_blank() => 0,
        (Value::Map(own), Value::Map(others)) => {
            let changed = own.iter().map(|(key, node)| match wanted.get(&key.name) {
                Some(wanted) => distance(node, wanted),
                None => usize::from(!node.is_blank()),
            });
            let missing = others
                .iter()
                .filter(|(key, _)| node.get(&key.name).is_none())
                .map(|(_, node)| node.weight());
            changed.sum::<usize>() + missing.sum::<usize>()
        }
        (Value::List(own), Value::List(others)) => {
            let from = arrangement(own, others, &|own, other| distance(own, other));
            let inner = from.iter().zip(others).map(|(from, wanted)| match from {
                Some(at) => distance(&own[*at], wanted),
                None => wanted.weight(),
            });
            let gone = (0..own.len())
                .filter(|at| !from.contains(&Some(*at)))
                .count();
            inner.sum::<usize>() + gone + usize::from(!is_in_place(&from, own.len()))
        }
        (own, other) if own == other || is_same_number(own, other) => 0,
        _ => 1 + wanted.weight(),
    }
}

/// Whether an arrangement leaves each of `count` items where it is.
pub(super) fn is_in_place(from: &[Option<usize>], count: usize) -> bool {
    from.len() == count && from.iter().enumerate().all(|(at, from)| *from == Some(at))
}

/// For each wanted item of a list, the item that it comes from: the same one, else the one that it differs from the
/// least, else the one in its place. `None` for a new item. No item is used twice. `distance` compares two items as
/// [`distance`] does.
pub fn arrangement(
    items: &[Node],
    wanted: &[Node],
    distance: &dyn Fn(&Node, &Node) -> usize,
) -> Vec<Option<usize>> {
    let mut from: Vec<Option<usize>> = vec![None; wanted.len()];
    let mut is_used = vec![false; items.len()];
    for at in 0..wanted.len().min(items.len()) {
        if distance(&items[at], &wanted[at]) == 0 {
            (from[at], is_used[at]) = (Some(at), true);
        }
    }
    for at in 0..wanted.len() {
        if from[at].is_none()
            && let Some(own) = (0..items.len())
                .find(|own| !is_used[*own] && distance(&items[*own], &wanted[at]) == 0)
        {
            (from[at], is_used[own]) = (Some(own), true);
        }
    }
    // Items with at least half of their values in common, the most alike first.
    let mut pairs = Vec::new();
    for at in (0..wanted.len()).filter(|at| from[*at].is_none()) {
        for own in (0..items.len()).filter(|own| !is_used[*own]) {
            let difference = distance(&items[own], &wanted[at]);
            if difference <= wanted[at].weight().saturating_sub(1) {
                pairs.push((difference, own.abs_diff(at), at, own));
            }
        }
    }
    pairs.sort_unstable();
    for (.., at, own) in pairs {
        if from[at].is_none() && !is_used[own] {
            (from[at], is_used[own]) = (Some(own), true);
        }
    }
    // A value that was typed over.
    let is_shorter = wanted.len() < items.len();
    for at in 0..wanted.len().min(items.len()) {
        if from[at].is_none() && !is_used[at] && !is_shorter {
            (from[at], is_used[at]) = (Some(at), true);
        }
    }
    from
}
