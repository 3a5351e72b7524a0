//! Mistakes in an entry that reading its values alone does not find, or not all at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::SiteSettings;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, nearest};
use diagnostics::yaml::{self, Key, Node, Value};
use schema::{Block, Each, Field, Takes, are_languages};

use super::{CollectionSchema, table};

/// All mistakes in the values of an entry. `found` are those that were found before reading ended at one.
pub(super) fn all(
    source: &Arc<Source>,
    node: &Node,
    fields: &'static Block,
    found: &Problems,
) -> Problems {
    let mut all = Problems::new();
    Each::read(source, node.clone(), fields, &[], &mut all);
    let written: Vec<&str> = keys(node).map(|key| key.name.as_str()).collect();
    let is_misspelled = |name: &str| written.iter().any(|key| nearest(key, [name]).is_some());
    for field in fields
        .fields
        .iter()
        .filter(|field| field.required && !written.contains(&field.name))
    {
        if !is_misspelled(field.name) && field.absent().is_none() {
            let message = format!("the key `{}` is missing here", field.name);
            let problem = Problem::error(Code::MissingKey, message).at(source.place(node.span));
            all.push(problem.hint(format!("add `{}: …`", field.name)));
        }
    }
    let is_known = |problem: &Problem| {
        all.iter()
            .any(|other| (&other.place, &other.message) == (&problem.place, &problem.message))
    };
    let others: Vec<Problem> = found
        .iter()
        .filter(|problem| !is_known(problem))
        .cloned()
        .collect();
    others.into_iter().for_each(|problem| all.push(problem));
    let is_json = source.path.ends_with(".json") || source.text.trim_start().starts_with('[');
    let mut of_rows = Problems::new();
    for problem in all.iter().cloned() {
        of_rows.push(if table::is_csv(source) {
            of_row(fields, problem)
        } else if is_json && problem.message.starts_with("expected a list") {
            problem.hint("write a list: `[\"one\", \"two\"]`")
        } else if is_json && problem.message.starts_with("expected text, found") {
            // A bracket is no text without its quotes here.
            problem.hint("write one value in quotes: `\"one\"`")
        } else {
            problem
        });
    }
    of_rows
}

/// A problem as it is said of a table, whose cells have neither keys nor types.
fn of_row(fields: &Block, problem: Problem) -> Problem {
    let mut required = fields.fields.iter();
    if let Some(field) = required
        .find(|field| problem.message == format!("the key `{}` is missing here", field.name))
    {
        let Some(place) = problem.place else {
            return problem;
        };
        let message = format!("this row has no value in the column `{}`", field.name);
        return Problem::error(Code::MissingKey, message)
            .at(place)
            .hint("fill in the cell, or remove the row");
    }
    if let Some((message, _)) = problem.message.split_once(", and YAML reads it") {
        return Problem {
            message: message.to_owned(),
            ..problem
        };
    }
    // The cell of a list, whose only value is several.
    let only = problem.message.split_once("[0]`: ");
    let only = only.and_then(|(_, what)| what.split('`').nth(1));
    if only.is_some_and(|value| value.contains([',', ';'])) {
        return problem.hint("write `|` between the values of a cell: `one|two`");
    }
    if problem.code != Code::WrongType {
        return problem;
    }
    let is_number = problem.message.starts_with("expected a whole number");
    let found = problem.message.split('`').nth(1).unwrap_or_default();
    let hint = if is_number && !found.is_empty() && found.bytes().all(|byte| byte.is_ascii_digit())
    {
        "write a smaller number, or declare the field as `text`"
    } else if is_number {
        "write only digits in the cell, such as `12`"
    } else if problem.message.starts_with("expected true or false") {
        "write `true` or `false` in the cell"
    } else {
        "write one value in the cell; a block needs a JSON or YAML file"
    };
    problem.hint(hint)
}

/// The problems of a row of a table without those that follow from columns that it lacks.
pub(super) fn without_columns(problems: Problems, columns: &[&str]) -> Problems {
    problems.without(|problem| columns.iter().any(|name| is_lack_of(problem, name)))
}

fn is_lack_of(problem: &Problem, column: &str) -> bool {
    let name = format!("`{column}`");
    matches!(problem.code, Code::MissingKey | Code::TranslationMissing)
        && problem.message.contains(&name)
}

fn keys(node: &Node) -> impl Iterator<Item = &Key> {
    let entries = if let Value::Map(entries) = &node.value {
        &entries[..]
    } else {
        &[]
    };
    entries.iter().map(|(key, _)| key)
}

/// Warns of words in the file of facts that a language shows nowhere, because its own file has them, too.
pub(super) fn said_twice(
    schema: &CollectionSchema,
    home: &Source,
    shared: &Node,
    words: &BTreeMap<usize, (Arc<Source>, Node)>,
) -> Problems {
    let mut problems = Problems::new();
    for key in keys(shared).filter(|key| {
        schema
            .fields
            .field(&key.name)
            .is_some_and(|field| field.words)
    }) {
        let is_plain = shared
            .get(&key.name)
            .is_some_and(|node| !matches!(node.value, Value::Map(_)));
        let Some((other, _)) = words
            .values()
            .find(|(_, node)| is_plain && node.get(&key.name).is_some())
        else {
            continue;
        };
        let message = format!(
            "`{}` has `{}`, too, so this text is not shown",
            other.path, key.name
        );
        let problem = Problem::warning(Code::DuplicateId, message).at(home.place(key.span));
        problems.push(problem.hint("remove it here"));
    }
    problems
}

/// Warns of words without a language in a file whose other words have some: only the first language of the site shows them.
/// Those that every entry needs are errors in the other languages.
pub(super) fn in_one_language(
    schema: &CollectionSchema,
    source: &Source,
    node: &Node,
    settings: &SiteSettings,
) -> Problems {
    let mut problems = Problems::new();
    let word = |key: &Key| schema.fields.field(&key.name).filter(|field| field.words);
    let is_word = |key: &&Key| word(key).is_some();
    let is_localized = |field: &Field, value: &Node| {
        field
            .texts(value, &|code| settings.has_language(code))
            .is_some()
    };
    let is_plain = |key: &&Key| {
        word(key)
            .zip(node.get(&key.name))
            .is_some_and(|(field, value)| !is_localized(field, value))
    };
    let main = settings.default_locale();
    if settings.locales.len() < 2 || keys(node).filter(is_word).all(|key| is_plain(&key)) {
        return problems;
    }
    for Key { name, span } in keys(node)
        .filter(is_word)
        .filter(is_plain)
        .filter(|key| word(key).is_some_and(|field| !field.required))
    {
        let message =
            format!("`{name}` is written without a language, so only pages in `{main}` show it");
        let problem = Problem::warning(Code::TranslationMissing, message).at(source.place(*span));
        problems.push(problem.hint(format!(
            "write `{name}: {{{main}: …}}`, with the other languages next to it"
        )));
    }
    problems
}

/// A field that has a text for each language in an entry and is no field of words.
pub(super) struct Undeclared {
    name: &'static str,
    /// The place of its value in the entry.
    place: Place,
    /// The place of its first text.
    text: Place,
}

/// Reads such fields as if their first text were for all languages, so that nothing else is wrong with the entry.
pub(super) fn take_undeclared(
    schema: &'static CollectionSchema,
    source: &Source,
    node: &mut Node,
    settings: &SiteSettings,
) -> Vec<Undeclared> {
    let Value::Map(entries) = &mut node.value else {
        return Vec::new();
    };
    let mut undeclared = Vec::new();
    for (key, value) in entries {
        let field = schema.fields.field(&key.name).filter(|field| !field.words);
        let Some(field) = field.filter(|field| !matches!(field.takes, Takes::Block(_))) else {
            continue;
        };
        let languages = keys(value).map(|key| key.name.as_str());
        let are_languages = are_languages(true, languages, &|code| settings.has_language(code));
        if let (true, Value::Map(texts)) = (are_languages, &value.value)
            && let Some((_, first)) = texts.first()
        {
            let (place, text) = (source.place(value.span), source.place(first.span));
            undeclared.push(Undeclared {
                name: field.name,
                place,
                text,
            });
            *value = first.clone();
        }
    }
    undeclared
}

/// Whether a problem is in the text that was read in place of one of these fields, which is no second mistake.
pub(super) fn is_within(undeclared: &[Undeclared], problem: &Problem) -> bool {
    let Some(Place {
        path,
        range: Some(range),
        ..
    }) = &problem.place
    else {
        return false;
    };
    undeclared.iter().any(|one| {
        one.text.path == *path
            && one
                .text
                .range
                .is_some_and(|text| text.start <= range.start && range.end <= text.end)
    })
}

/// Reports fields that have a text for each language and are no fields of words: once, at the schema, if this is so in most
/// of the `count` entries.
pub(super) fn undeclared(
    schema: &CollectionSchema,
    found: Vec<Undeclared>,
    count: usize,
) -> Problems {
    let mut by_field: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    found
        .into_iter()
        .for_each(|one| by_field.entry(one.name).or_default().push(one.place));
    let mut problems = Problems::new();
    for (name, places) in by_field {
        if places.len() > 1 && places.len() * 2 > count {
            let first = &places[0].path;
            let message = format!(
                "`{name}` has text for each language in {} entries, such as `{first}`, but the field does not have `words: true`",
                places.len()
            );
            let place = yaml::place_of_key(&schema.source, &["fields", name]);
            let hint = "add `words: true`, or write one value in each entry";
            problems.push(
                Problem::error(Code::CollectionSchema, message)
                    .at(place)
                    .hint(hint),
            );
            continue;
        }
        for place in places {
            let message = format!(
                "`{name}` has text for each language, but the field does not have `words: true`"
            );
            let hint = format!(
                "write one value for all languages, or add `words: true` to `{name}` in `{}`",
                schema.source.path
            );
            problems.push(
                Problem::error(Code::WrongType, message)
                    .at(place)
                    .hint(hint),
            );
        }
    }
    problems
}
