//! Checks schemas of collections against the languages of the site, and against each other.

use std::collections::BTreeSet;

use config::SiteSettings;
use diagnostics::problem::{Code, Problem, Problems, did_you_mean};
use diagnostics::yaml::{self, Spanned};
use schema::{Block, ChoiceNames, Field, Takes};

use super::{AUTHORS, CollectionSchema, PerLanguage, Use};

/// Reports patterns that lack a language of the site.
pub(super) fn languages(
    schema: &CollectionSchema,
    settings: &SiteSettings,
    problems: &mut Problems,
) {
    let patterns = [
        ("address", &schema.address),
        ("title", &schema.title),
        ("description", &schema.description),
    ];
    for (key, pattern) in patterns {
        let Some(pattern @ PerLanguage::Each(texts)) = pattern else {
            continue;
        };
        let place = || yaml::place_of_key(&schema.source, &[key]);
        // Entries have no page in a language that has a fallback and no addresses.
        let has_fallback = |code: &str| key == "address" && settings.fallback.contains_key(code);
        for code in settings
            .locales
            .iter()
            .filter(|code| pattern.nearest(settings, code).is_none())
            .filter(|code| !has_fallback(code))
        {
            let message = format!("`{key}` has no text for the language `{}`", code.value);
            let problem = Problem::error(Code::TranslationMissing, message).at(place());
            problems.push(problem.hint(format!(
                "add `{}: …`, or write one value for all languages",
                code.value
            )));
        }
        for code in texts.keys().filter(|code| !settings.has_language(code)) {
            problems.push(settings.unknown_language(code).at(place()));
        }
    }
}

/// Reports choices whose names lack a language of the site, or have another one.
pub(super) fn choices(schema: &CollectionSchema, settings: &SiteSettings, problems: &mut Problems) {
    for (_, field) in schema.fields.all() {
        let Takes::Choice { names, shown, .. } = &field.takes else {
            continue;
        };
        for (value, ChoiceNames { names, span }) in names.iter().zip(shown) {
            let lacks = |code: &&Spanned<String>| {
                !names.contains_key(&code.value) && !settings.fallback.contains_key(&code.value)
            };
            for code in settings.locales.iter().filter(lacks) {
                let message = format!(
                    "the choice `{value}` has no name in the language `{}`",
                    code.value
                );
                let problem = Problem::error(Code::TranslationMissing, message)
                    .at(schema.source.place(*span));
                problems.push(problem.hint(format!("add `{}: …`", code.value)));
            }
            for code in names.keys().filter(|code| !settings.has_language(code)) {
                problems.push(
                    settings
                        .unknown_language(code)
                        .at(schema.source.place(*span)),
                );
            }
        }
    }
}

/// Reports names of fields and collections that do not exist.
pub(super) fn uses(
    schema: &CollectionSchema,
    all: &[&'static CollectionSchema],
    broken: &BTreeSet<String>,
    problems: &mut Problems,
) {
    let named = |name: &str| all.iter().find(|other| other.name == name).copied();
    let no_collection = |name: &str| {
        let problem = Problem::error(Code::UnknownId, format!("there is no collection `{name}`"));
        problem.maybe_hint(did_you_mean(name, all.iter().map(|other| other.name)))
    };
    for (used, span) in &schema.uses {
        let problem = match used {
            Use::Path(path) => path_problem(schema, path, &named),
            // A site without posts needs no authors.
            Use::Collection(name) if schema.is_of_posts() && name == AUTHORS => None,
            Use::Collection(name) if named(name).is_none() && !broken.contains(name) => {
                Some(no_collection(name))
            }
            Use::Collection(_) => None,
            Use::Field(of, _) if broken.contains(of) => None,
            Use::Field(of, field) => match named(of).map(|other| other.fields.field(field)) {
                None => Some(no_collection(of)),
                Some(Some(Field {
                    takes: Takes::Reference(to),
                    ..
                })) if *to == schema.name => None,
                Some(Some(_)) => {
                    let message = format!("`{of}.{field}` does not refer to `{}`", schema.name);
                    Some(
                        Problem::error(Code::CollectionSchema, message)
                            .hint(format!("name a field that refers to `{}`", schema.name)),
                    )
                }
                Some(None) => named(of).map(|other| unknown_field(other, field)),
            },
        };
        problems.extend(problem.map_or_else(Problems::new, |problem| {
            problem.at(schema.source.place(*span)).into()
        }));
    }
}

fn unknown_field(schema: &CollectionSchema, name: &str) -> Problem {
    let (message, near) = schema.fields.unknown(name);
    Problem::error(Code::UnknownId, format!("{message} in `{}`", schema.name)).maybe_hint(near)
}

/// The problem with a path of fields, such as `name`, `clinics.name` or `hours.week`: each step but the last is a
/// reference or a block, or the value has parts of its own.
fn path_problem<'a>(
    schema: &'a CollectionSchema,
    path: &str,
    named: &dyn Fn(&str) -> Option<&'static CollectionSchema>,
) -> Option<Problem> {
    match field_at(schema, path, named) {
        Ok(Some(Field {
            takes: Takes::Block(block),
            ..
        })) => {
            let names: Vec<String> = block
                .fields
                .iter()
                .map(|field| format!("`{path}.{}`", field.name))
                .collect();
            let problem = Problem::error(Code::UnknownId, format!("`{path}` is a block of fields"));
            Some(problem.hint(format!("write one of its fields: {}", names.join(", "))))
        }
        found => found.err(),
    }
}

/// The field that a path leads to; `None` if it leads to a part of an entry or of a value.
///
/// # Errors
/// A problem without a place if there is no such field.
pub fn field_at<'a>(
    schema: &'a CollectionSchema,
    path: &str,
    named: &dyn Fn(&str) -> Option<&'static CollectionSchema>,
) -> Result<Option<&'a Field>, Problem> {
    const OF_ENTRY: [&str; 2] = ["slug", "key"];
    let first = path.split('.').next().unwrap_or(path);
    if schema.fields.field(first).is_none() {
        return if OF_ENTRY.contains(&path) {
            Ok(None)
        } else {
            Err(unknown_field(schema, first))
        };
    }
    field_in(&schema.fields, path, named)
}

/// The same within a block of fields.
fn field_in<'a>(
    block: &'a Block,
    path: &str,
    named: &dyn Fn(&str) -> Option<&'static CollectionSchema>,
) -> Result<Option<&'a Field>, Problem> {
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(first, rest)| (first, Some(rest)));
    let field = block.field(first).ok_or_else(|| {
        let (message, near) = block.unknown(first);
        Problem::error(Code::UnknownId, message).maybe_hint(near)
    })?;
    match (&field.takes, rest) {
        // A collection that could not be read was reported.
        (Takes::Reference(to) | Takes::Reverse(to, _), Some(rest)) => {
            named(to).map_or(Ok(None), |other| field_at(other, rest, named))
        }
        (Takes::Block(block), Some(rest)) => field_in(block, rest, named),
        (Takes::Typed(kind), Some(rest)) => no_part(first, rest, &kind.parts()),
        (Takes::Choice { shown, .. }, Some(rest)) if !shown.is_empty() => {
            no_part(first, rest, &["value"])
        }
        (_, None) => Ok(Some(field)),
        (_, Some(rest)) => Err(Problem::error(
            Code::UnknownId,
            format!("`{first}` has no `{rest}`"),
        )
        .hint("write only the name of the field")),
    }
}

/// The problem with a part of a value that its type does not have.
fn no_part<'a>(field: &str, part: &str, known: &[&str]) -> Result<Option<&'a Field>, Problem> {
    if known.contains(&part) {
        return Ok(None);
    }
    let names: Vec<String> = known
        .iter()
        .map(|name| format!("`{field}.{name}`"))
        .collect();
    let problem = Problem::error(Code::UnknownId, format!("`{field}` has no `{part}`"));
    Err(problem.hint(format!(
        "write {}, or `{field}` for the whole value",
        names.join(", ")
    )))
}
