//! Entries of an answer that do not fit the schema. Whoever runs the address does not know the site: a key that no field
//! takes is a warning, and an entry that the schema refuses is left out if `on_error: skip` says so. Otherwise the answer
//! is not used (`fetched.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::problem::{Code, Place, Problem, Problems, Severity, Source, Span};
use diagnostics::yaml::{Node, Value};
use schema::{Block, Takes};

use super::table::{self, Faults};
use super::{CollectionSchema, OnError};

/// A key that no field takes: where it is first, how often, and a hint.
struct Unknown {
    span: Span,
    count: usize,
    hint: Option<String>,
}

/// The entries of an answer, without keys that no field takes.
pub(super) fn rows(
    schema: &CollectionSchema,
    source: &Arc<Source>,
    problems: &mut Problems,
) -> Vec<(String, Node)> {
    let mut faults = Faults::default();
    let mut rows = table::read_rows(source, &schema.fields, &mut faults);
    problems.extend(faults.whole);
    for problem in &faults.of_rows {
        problems.push(left_out(schema, &problem.clone().into()).unwrap_or_else(|| problem.clone()));
    }
    let mut unknown = BTreeMap::new();
    rows.iter_mut()
        .for_each(|(_, row)| take_unknown(row, &schema.fields, &mut unknown));
    for (name, Unknown { span, count, hint }) in unknown {
        let times = if count == 1 {
            ""
        } else {
            " and in other entries"
        };
        let message = format!(
            "`{}` has no field `{name}`, so this key is left out here{times}",
            schema.name
        );
        problems.push(
            Problem::warning(Code::UnknownKey, message)
                .at(source.place(span))
                .maybe_hint(hint),
        );
    }
    rows
}

/// Reports problems of entries by their index, and removes those that the schema lets be left out.
pub(super) fn leave_out<T>(
    schema: &CollectionSchema,
    found: BTreeMap<usize, Problem>,
    entries: &mut Vec<T>,
    problems: &mut Problems,
) {
    let mut skipped = Vec::new();
    for (at, problem) in found {
        let warning = left_out(schema, &problem.clone().into());
        skipped.extend(warning.is_some().then_some(at));
        problems.push(warning.unwrap_or(problem));
    }
    for at in skipped.into_iter().rev() {
        entries.remove(at);
    }
}

/// Removes the keys that no field takes, those of blocks as well.
fn take_unknown(node: &mut Node, fields: &Block, unknown: &mut BTreeMap<String, Unknown>) {
    let Value::Map(entries) = &mut node.value else {
        return;
    };
    entries.retain_mut(|(key, value)| {
        let Some(field) = fields.field(&key.name) else {
            unknown
                .entry(key.name.clone())
                .or_insert_with(|| Unknown {
                    span: key.span,
                    count: 0,
                    hint: fields.unknown(&key.name).1,
                })
                .count += 1;
            return false;
        };
        if let Takes::Block(block) = &field.takes {
            match &mut value.value {
                Value::List(items) => items
                    .iter_mut()
                    .for_each(|item| take_unknown(item, block, unknown)),
                _ => take_unknown(value, block, unknown),
            }
        }
        true
    });
}

/// The warning that an entry with these problems is left out. `None` if it is not: none is an error, one is not in the
/// answer, or the schema does not say so.
pub(super) fn left_out(schema: &CollectionSchema, problems: &Problems) -> Option<Problem> {
    if schema.on_error != OnError::Skip {
        return None;
    }
    let errors: Vec<&Problem> = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .collect();
    if !errors.iter().all(|problem| is_of(schema, problem)) {
        return None;
    }
    let first = (*errors.first()?).clone();
    let message = format!(
        "this entry of `{}` is left out: {}",
        schema.name, first.message
    );
    Some(Problem {
        message,
        ..first.as_warning()
    })
}

/// Whether a problem is in the answer of the address of a collection.
pub(super) fn is_of(schema: &CollectionSchema, problem: &Problem) -> bool {
    let Some(Place { path, .. }) = &problem.place else {
        return false;
    };
    schema.url.as_ref().is_some_and(|(url, _)| url == path)
}

/// The first problem that makes an answer unusable, in words that name its entry and its line.
pub(super) fn why(schema: &CollectionSchema, source: &Arc<Source>, problem: &Problem) -> String {
    let Some(start) = problem
        .place
        .as_ref()
        .and_then(|place| place.range)
        .map(|range| range.start)
    else {
        return problem.message.clone();
    };
    let before: usize = source
        .text
        .split_inclusive('\n')
        .take(start.line.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let line = source.text[before..].lines().next().unwrap_or_default();
    let within: usize = line
        .chars()
        .take(start.column.saturating_sub(1) as usize)
        .map(char::len_utf8)
        .sum();
    let rows = table::rows(source, &schema.fields, &mut Problems::new());
    let row = rows
        .iter()
        .rfind(|row| row.span.start as usize <= before + within);
    match row.and_then(table::named) {
        Some(name) => format!("entry `{name}`, line {}: {}", start.line, problem.message),
        None => format!("line {}: {}", start.line, problem.message),
    }
}
