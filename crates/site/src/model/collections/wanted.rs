//! The fields of a collection that a list asks for: values by which it selects entries, dates, and numbers of entries.
//! A value that no entry can have would silently give an empty list.

use std::collections::BTreeSet;

use content::collections::CollectionSchema;
use diagnostics::problem::{Code, Problem, Source, Span, did_you_mean};
use diagnostics::yaml;
use schema::Takes;

use super::super::fields::Field;
use super::period::Period;
use super::{Collections, keys};

/// The problem with a value by which a list selects entries, without a place. `None` if entries can have it, and for a field that
/// does not exist.
pub fn unwanted(
    collections: &Collections,
    schema: &CollectionSchema,
    name: &str,
    written: &str,
) -> Option<Problem> {
    let field = schema.fields.field(name)?;
    match &field.takes {
        Takes::Reference(to) | Takes::Reverse(to, _) => {
            let key = format!("{to}/{written}");
            let is_known = collections.find(to, written).is_some() || collections.withdrawn.contains_key(&key);
            let at = collections.position(to).filter(|_| !is_known && !written.is_empty())?;
            let known = collections.list[at].entries.iter().map(|entry| entry.key.as_str());
            let problem = Problem::error(Code::UnknownId, format!("`{to}` has no entry `{written}`"));
            Some(problem.maybe_hint(did_you_mean(written, known)))
        }
        Takes::Choice { names, .. } => (!names.contains(&written)).then(|| {
            let problem = wrong(format!("`{name}` has no choice `{written}`"));
            problem.maybe_hint(did_you_mean(written, names.iter().copied()))
        }),
        Takes::Number => written.parse::<i64>().err().map(|_| {
            wrong(format!("expected a whole number for `{name}`, found `{written}`")).hint("write digits, such as `40`")
        }),
        Takes::Flag => (!matches!(written, "true" | "false")).then(|| {
            wrong(format!("expected `true` or `false` for `{name}`, found `{written}`")).hint("write `true` or `false`")
        }),
        Takes::Typed(takes) => takes.parse(written, Span::default()).err().map(wrong),
        Takes::Text => unknown_text(collections, schema, name, written),
        Takes::Markdown
        | Takes::Link
        | Takes::Picture
        | Takes::DecorativePicture
        | Takes::Action
        | Takes::Block(_)
        // Only sections have these.
        | Takes::Like(_)
        | Takes::Name
        | Takes::FlagOrText
        | Takes::Values
        | Takes::Token(_) => {
            let problem = wrong(format!("a list cannot select entries by `{name}`"));
            Some(problem.hint("use a field that is a reference, a choice, text, a number, a flag or a date"))
        }
    }
}

/// A problem with a value that a section asks for.
fn wrong(message: String) -> Problem {
    Problem::error(Code::InvalidValue, message)
}

/// A warning for a text that no entry has.
fn unknown_text(
    collections: &Collections,
    schema: &CollectionSchema,
    name: &str,
    written: &str,
) -> Option<Problem> {
    let collection = &collections.list[collections.position(schema.name)?];
    let texts = collection
        .entries
        .iter()
        .flat_map(|entry| entry.texts.iter().flatten());
    let known: Vec<String> = texts
        .filter_map(|text| text.fields.get(name))
        .flat_map(keys)
        .collect();
    if known.iter().any(|known| known == written) || collection.entries.is_empty() {
        return None;
    }
    let problem = Problem::warning(
        Code::UnknownId,
        format!("no entry of `{}` has `{written}` as `{name}`", schema.name),
    );
    let distinct: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    Some(
        problem
            .hint("correct the value, or add an entry that has it; until then, the list is empty")
            .maybe_hint(did_you_mean(written, distinct)),
    )
}

/// The problem with a field whose date decides what a list shows, without a place.
pub fn undated(schema: &CollectionSchema, period: Period, name: &str) -> Option<Problem> {
    if schema.fields.field(name)?.is_date() {
        let message = format!(
            "`{name}` has no end date, so no entry of `{}` can be current",
            schema.name
        );
        let hint = format!(
            "add a field with `not_before: {name}` to the schema, or write `upcoming: {name}` instead"
        );
        return (period == Period::Current && schema.end_of(name).is_none())
            .then(|| Problem::error(Code::InvalidValue, message).hint(hint));
    }
    let message = format!(
        "`{name}` is not a single date, so no entry of `{}` can be upcoming, current or past",
        schema.name
    );
    let dates = schema
        .fields
        .fields
        .iter()
        .filter(|field| field.is_date())
        .map(|field| field.name);
    let hint = did_you_mean(name, dates).unwrap_or_else(|| {
        format!(
            "add a field with `type: date` to the schema of `{}`",
            schema.name
        )
    });
    Some(Problem::error(Code::InvalidValue, message).hint(hint))
}

/// The problem with a list that asks for two periods of one date, and the second of them.
pub fn never(dates: &[(Period, String)]) -> Option<(Period, Problem)> {
    let (at, (second, field)) = dates
        .iter()
        .enumerate()
        .find(|(at, (_, field))| dates[..*at].iter().any(|(_, other)| other == field))?;
    let (first, _) = dates[..at].iter().find(|(_, other)| other == field)?;
    let (first, key) = (first.key(), second.key());
    let message = format!("a date in `{field}` cannot be both {first} and {key}");
    Some((
        *second,
        Problem::error(Code::InvalidValue, message).hint(format!("remove `{first}` or `{key}`")),
    ))
}

/// The problem with a number of entries, without a place.
pub fn no_entries(key: &str, count: i64) -> Option<Problem> {
    let message = format!("`{key}: {count}` shows no entries");
    (count < 1).then(|| {
        Problem::error(Code::InvalidValue, message)
            .hint(format!("write at least 1, or remove `{key}`"))
    })
}

/// A value as entries have it: `12.5 EUR` for one that is written `12.50 EUR`.
pub(super) fn as_kept(schema: &CollectionSchema, name: &str, written: &str) -> String {
    let typed = match schema.fields.field(name).map(|field| &field.takes) {
        Some(Takes::Typed(takes)) => takes.parse(written, Span::default()).ok(),
        _ => None,
    };
    typed.map_or_else(|| written.to_owned(), |value| value.machine())
}

/// The problems with what a section of a file asks of the fields of a collection, each at its place.
pub(super) fn of_section(
    collections: &Collections,
    schema: &CollectionSchema,
    fields: &Field,
    source: &Source,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(Field::Map(filters)) = fields.get("where") {
        for (name, values) in filters {
            for written in keys(values) {
                problems.extend(
                    unwanted(collections, schema, name, &written).map(|problem| {
                        problem.at(yaml::place_of_text(source, &["where", name], &written))
                    }),
                );
            }
        }
    }
    let at = |key: &str| yaml::place_of_key(source, &[key]);
    let dates: Vec<(Period, String)> = Period::ALL
        .into_iter()
        .filter_map(|period| Some((period, fields.get(period.key()).and_then(super::plain)?)))
        .collect();
    for (period, name) in &dates {
        problems.extend(undated(schema, *period, name).map(|problem| problem.at(at(period.key()))));
    }
    problems.extend(never(&dates).map(|(period, problem)| problem.at(at(period.key()))));
    for key in ["limit", "per_page"] {
        if let Some(Field::Number(count)) = fields.get(key) {
            problems.extend(no_entries(key, *count).map(|problem| problem.at(at(key))));
        }
    }
    problems
}
