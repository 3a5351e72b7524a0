//! The values that declared fields take: those of section kinds, of the entries of collections, and of the settings of a site.

use content::collections::Collections;
use schema::types::{Action, FieldType, Image, Link, MOMENT, Markdown, OneOrMore};
use schema::{Block, Field, Takes, typed};
use serde_json::{Number, Value as Json};

use super::expected::{AllowedValue, Expected, KeyBlock, Property, Scalar, ScalarKind, ValueForm};
use super::json::of;

/// How often a block that contains itself is described within itself; below that, anything may be written.
const MAX_NESTED: usize = 3;

/// The block of declared fields, each as `key` describes it. Those that are computed are not written.
pub(super) fn block(fields: &Block, key: impl Fn(&Field) -> Property) -> KeyBlock {
    let written = fields
        .fields
        .iter()
        .filter(|field| !matches!(field.takes, Takes::Reverse(..)));
    KeyBlock::of(written.map(key).collect())
}

/// A declared field as a key.
pub(super) fn key(field: &Field) -> Property {
    nested_key(field, 0)
}

/// The value of a field of an entry. The values of a reference are the entries that there are, with their names.
pub fn field_of_entry(collections: &Collections, field: &Field) -> Expected {
    let mut value = key(field).value;
    if let Takes::Reference(to) = field.takes {
        let mut allowed = Vec::new();
        if let Some(other) = collections.named(to) {
            allowed.extend(other.entries.iter().map(|entry| {
                let name = entry.name().unwrap_or_default();
                AllowedValue::new(entry.key.as_str(), Some(name))
            }));
            // A reference to an entry that is not public yet is no mistake.
            allowed.extend(other.withdrawn.iter().map(|entry| {
                AllowedValue::new(entry.key.as_str(), Some("not currently public".to_owned()))
            }));
        }
        let one = match &mut value.form {
            ValueForm::List(items, _) => &mut items.form,
            form => form,
        };
        *one = ValueForm::Choice(allowed);
    }
    value
}

/// The value of a field, which may have a text for each language.
pub(super) fn in_languages(field: &Field, value: Expected, languages: &[&str]) -> Expected {
    if !field.words {
        return value;
    }
    let texts = languages
        .iter()
        .map(|code| Property::new(code, value.clone()))
        .collect();
    Expected {
        meaning: value.meaning.clone(),
        ..ValueForm::Either(vec![value, KeyBlock::of(texts).into()]).into()
    }
}

fn nested_key(field: &Field, nested: usize) -> Property {
    Property {
        required: field.absent().is_none(),
        ..Property::new(field.name, value(field, nested))
    }
}

fn value(field: &Field, nested: usize) -> Expected {
    let mut expected: Expected = match &field.takes {
        Takes::Text | Takes::Name | Takes::Token(_) => Expected::text(),
        Takes::Markdown => of::<Markdown>(),
        Takes::Link => of::<Link>(),
        Takes::Number => Scalar::of(&[ScalarKind::Whole]).into(),
        Takes::Flag => Scalar::of(&[ScalarKind::Flag]).into(),
        Takes::Picture => of::<Image>().unnamed(),
        Takes::DecorativePicture => {
            let mut scalar = Scalar::of(&[ScalarKind::Text]);
            scalar.format = Some("decorative-picture".to_owned());
            scalar.into()
        }
        Takes::Action => of::<Action>().unnamed(),
        Takes::Block(fields) => block(fields, |field| nested_key(field, nested)).into(),
        Takes::Like(around) => match around.block() {
            Some(fields) if nested < MAX_NESTED => {
                block(fields, |field| nested_key(field, nested + 1)).into()
            }
            _ => KeyBlock::map_of(Expected::default()).into(),
        },
        Takes::FlagOrText => Scalar::of(&[ScalarKind::Flag, ScalarKind::Text]).into(),
        Takes::Values => of::<OneOrMore>().unnamed(),
        Takes::Typed(takes) => {
            let mut scalar = Scalar::of(&[ScalarKind::Text]);
            scalar.typed = Some(*takes);
            match takes {
                FieldType::Moment => scalar.pattern = Some(MOMENT.to_owned()),
                FieldType::Decimal => scalar.kinds.push(ScalarKind::Number),
                FieldType::Date
                | FieldType::DateTime
                | FieldType::Amount
                | FieldType::Email
                | FieldType::Phone
                | FieldType::File
                | FieldType::Hours
                | FieldType::Coordinates
                | FieldType::Duration
                | FieldType::Embed => {}
            }
            scalar.into()
        }
        Takes::Reference(to) => Expected {
            entries_of: Some(to),
            ..Expected::text()
        },
        Takes::Reverse(..) => Expected::default(),
        Takes::Choice {
            names,
            meanings,
            shown,
            ..
        } => {
            let values = names.iter().zip(meanings).map(|(name, meaning)| {
                let mut one = AllowedValue::new(*name, Some(meaning.clone()));
                if !shown.is_empty() {
                    // A name needs no explanation.
                    one.title = one.meaning.take();
                }
                one
            });
            ValueForm::Choice(values.collect()).into()
        }
    };
    if let ValueForm::Plain(scalar) = &mut expected.form {
        [scalar.min, scalar.max] = field.bounds().map(|bound| bound.map(Number::from));
        let pattern = field.pattern().map(str::to_owned);
        scalar.pattern = pattern.or(scalar.pattern.take());
    }
    if field.list {
        expected = expected.listed();
    }
    if field.map {
        expected = KeyBlock::map_of(expected).into();
    }
    let default = field
        .absent()
        .map(|value| typed(&value).map_or(value, |typed| Json::from(typed.machine())));
    Expected {
        default: default.filter(|value| value.is_string() || value.is_boolean()),
        ..expected.meaning(&field.meaning)
    }
}
