//! The fields of a section kind as rows of a table: names, types, whether they are required, and descriptions.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;

use schema::{Block, Field, Takes};

use super::super::sections::{SectionKind, common};

/// A field, or a nested field.
#[derive(Debug, Clone, Serialize)]
pub struct FieldRow {
    /// Its name.
    pub name: String,
    /// The path of its parent: `actions[].` for the field `label` of each action.
    pub within: String,
    /// Nesting depth, from 0.
    pub depth: usize,
    /// The name of its type, for the word `takes_…`.
    pub takes: &'static str,
    /// It is a list of that type.
    pub many: bool,
    /// It is required.
    pub required: bool,
    /// Its default, as written in YAML.
    pub default: Option<String>,
    /// Its description.
    pub meaning: String,
    /// The allowed values of a choice.
    pub choices: Vec<Choice>,
}

/// An allowed value of a field.
#[derive(Debug, Clone, Serialize)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// Its description.
    pub meaning: String,
}

/// A key of a type that is written as a block: its name, its type, whether it is required, and its description.
type Key = (&'static str, &'static str, bool, &'static str);

const OF_ACTIONS: &[Key] = &[
    ("label", "text", true, "The text of the link."),
    ("to", "link", true, "The target."),
];
const OF_PICTURES: &[Key] = &[
    ("src", "text", true, "Path below `content/images/`."),
    (
        "alt",
        "text",
        false,
        "A description of the image, in the page's language.",
    ),
    (
        "decorative",
        "flag",
        false,
        "Adds nothing to the text, so screen readers skip it. The default for `figures/` without `alt`.",
    ),
    (
        "focus",
        "text",
        false,
        "The point to keep in view when a layout crops the image, measured from the left and the top: `[0.3, 0.6]`.",
    ),
];

/// The fields of a section kind: its own, then those that every section may have.
pub fn reference(kind: &SectionKind) -> Arc<[FieldRow]> {
    let mut rows = Vec::new();
    add(kind.fields, "", 0, &mut rows);
    add(common(), "", 0, &mut rows);
    rows.into()
}

/// Adds the fields of a block.
fn add(block: &Block, within: &str, depth: usize, rows: &mut Vec<FieldRow>) {
    for field in &block.fields {
        let default = match field.absent() {
            Some(Json::String(text)) => Some(text),
            Some(Json::Bool(flag)) => Some(flag.to_string()),
            _ => None,
        };
        rows.push(FieldRow {
            name: field.name.to_owned(),
            within: within.to_owned(),
            depth,
            takes: type_of(field),
            many: field.list && !field.map,
            required: field.absent().is_none(),
            default,
            meaning: text(&field.meaning),
            choices: choices(&field.takes),
        });
        let below = format!(
            "{within}{}{}.",
            field.name,
            if field.list { "[]" } else { "" }
        );
        match &field.takes {
            _ if field.map => {}
            Takes::Block(inner) => add(inner, &below, depth + 1, rows),
            Takes::Action => {
                rows.extend(OF_ACTIONS.iter().map(|key| row_of(key, &below, depth + 1)));
            }
            Takes::Picture => {
                rows.extend(OF_PICTURES.iter().map(|key| row_of(key, &below, depth + 1)));
            }
            _ => {}
        }
    }
}

fn row_of(&(name, takes, required, meaning): &Key, within: &str, depth: usize) -> FieldRow {
    FieldRow {
        name: name.to_owned(),
        within: within.to_owned(),
        depth,
        takes,
        many: name == "focus",
        required,
        default: (takes == "flag").then(|| "false".to_owned()),
        meaning: meaning.to_owned(),
        choices: Vec::new(),
    }
}

/// A text on one line.
fn text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn choices(takes: &Takes) -> Vec<Choice> {
    let Takes::Choice {
        names,
        meanings,
        shown,
        ..
    } = takes
    else {
        return Vec::new();
    };
    let described = names.iter().zip(meanings).map(|(name, meaning)| Choice {
        value: (*name).to_owned(),
        // A name explains itself.
        meaning: if shown.is_empty() {
            text(meaning)
        } else {
            String::new()
        },
    });
    described.collect()
}

fn type_of(field: &Field) -> &'static str {
    match &field.takes {
        _ if field.map => "names",
        Takes::Choice { .. } => "choice",
        Takes::Markdown => "markdown",
        Takes::Link => "link",
        Takes::Picture => "picture",
        Takes::Number => "number",
        Takes::Flag => "flag",
        Takes::FlagOrText => "flag_or_text",
        Takes::Block(_) | Takes::Like(_) | Takes::Action => "block",
        Takes::Text
        | Takes::Name
        | Takes::Values
        | Takes::Token(_)
        | Takes::DecorativePicture
        | Takes::Typed(_)
        | Takes::Reference(_)
        | Takes::Reverse(..) => "text",
    }
}
