//! Fields that a site adds to posts, filled from what a CMS sends: `meta` of WordPress and the fields of ACF, or keys of the posts
//! API. Whatever does not fit its type is reported with the post and the field, and left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use diagnostics::problem::{Problems, Source};
use diagnostics::yaml;
use schema::types::FieldType;
use schema::{Block, Field, OneKey, Takes};

use super::AddedFields;
use super::schema::is_of_blog;

/// Values of a post in the CMS, by the names of fields.
pub(super) type Values = BTreeMap<String, Json>;

/// The fields that a CMS can fill. Pictures and files lie in the folder of the site.
fn filled(fields: &'static Block) -> impl Iterator<Item = &'static Field> {
    fields.fields.iter().filter(|field| {
        let is_file = matches!(
            field.takes,
            Takes::Picture
                | Takes::DecorativePicture
                | Takes::Reverse(..)
                | Takes::Typed(FieldType::File)
        );
        !is_of_blog(field.name) && !is_file
    })
}

/// The names of the fields that a CMS can fill.
pub(super) fn names(fields: &'static Block) -> Vec<&'static str> {
    filled(fields).map(|field| field.name).collect()
}

/// The values that a post has for these fields in one of several objects of its JSON, the first one first. What is empty there is
/// as good as missing.
pub(super) fn of_post(places: &[&Json], names: &[&'static str]) -> Values {
    let value = |name: &&str| {
        places
            .iter()
            .map(|place| &place[*name])
            .find(|value| match value {
                Json::Null => false,
                Json::String(text) => !text.trim().is_empty(),
                Json::Array(items) => !items.is_empty(),
                _ => true,
            })
            .cloned()
    };
    names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), value(name)?)))
        .collect()
}

/// Reads the values by the schema. `place` is the address of the post, `report` takes what is wrong with a field.
pub(super) fn read(
    values: &Values,
    fields: &'static Block,
    place: &str,
    report: &mut dyn FnMut(String),
) -> Option<Box<AddedFields>> {
    let mut read = Map::new();
    for field in filled(fields) {
        let Some(value) = values.get(field.name) else {
            if field.absent().is_none() {
                report(format!("the field `{}` is missing", field.name));
            }
            continue;
        };
        let text = format!("{}: {}\n", field.name, written(field, value));
        let source = Arc::new(Source {
            path: place.to_owned(),
            text,
        });
        let mut found = Problems::new();
        let node = yaml::parse(&source, 0..source.text.len())
            .map_err(|problem| found.push(problem))
            .ok();
        let node = node.map(|node| yaml::read_each(&source, node, &[], OneKey(fields), &mut found));
        let value = node
            .and_then(|values| values.into_iter().next())
            .and_then(|(_, _, value)| value);
        for problem in &found {
            report(format!("the field `{}`: {}", field.name, problem.message));
        }
        read.extend(
            value
                .filter(|_| found.is_empty())
                .map(|value| (field.name.to_owned(), value)),
        );
    }
    (!read.is_empty()).then(|| Box::new(AddedFields::new(&read, "")))
}

/// A value as an author would write it in front matter.
fn written(field: &Field, value: &Json) -> String {
    match value {
        Json::Array(items) if field.list => {
            format!(
                "[{}]",
                items
                    .iter()
                    .map(|item| scalar(field, item))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        // WordPress sends a single value as a list of one, unless the plugin says `single`.
        Json::Array(items) if items.len() == 1 => scalar(field, &items[0]),
        one if field.list => format!("[{}]", scalar(field, one)),
        one => scalar(field, one),
    }
}

/// A single value. A CMS sends numbers, flags and dates in several forms.
fn scalar(field: &Field, value: &Json) -> String {
    match (&field.takes, value) {
        (Takes::Number, Json::String(text)) if text.trim().parse::<i64>().is_ok() => {
            text.trim().to_owned()
        }
        (Takes::Flag, Json::String(text)) if matches!(text.trim(), "1" | "true" | "yes") => {
            "true".to_owned()
        }
        (Takes::Flag, Json::String(text)) if matches!(text.trim(), "0" | "false" | "no") => {
            "false".to_owned()
        }
        (Takes::Flag, Json::Number(number)) => (number.as_i64() != Some(0)).to_string(),
        (Takes::Number | Takes::Flag | Takes::Block(_), value) => value.to_string(),
        (
            Takes::Typed(FieldType::Date | FieldType::DateTime | FieldType::Moment),
            Json::String(text),
        ) => quoted(&date(text.trim())),
        (_, Json::String(text)) => quoted(text.trim()),
        (Takes::Typed(FieldType::Decimal), value) => value.to_string(),
        (_, Json::Number(number)) => quoted(&number.to_string()),
        (_, value) => value.to_string(),
    }
}

/// A text between the quotes of JSON.
fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// A date as WordPress (`2027-05-08 10:00:00`) or ACF (`20270508`) stores it, as front matter has it.
fn date(text: &str) -> String {
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]);
    }
    match text.split_once(' ') {
        Some((day, time)) if day.len() == 10 && time.len() >= 5 && time.is_char_boundary(5) => {
            format!("{day}T{}", &time[..5])
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{date, of_post};

    #[test]
    fn dates_of_a_cms_are_those_of_front_matter() {
        for (text, expected) in [
            ("20270508", "2027-05-08"),
            ("2027-05-08", "2027-05-08"),
            ("2027-05-08 10:00:00", "2027-05-08T10:00"),
            ("2027-05-08T10:00", "2027-05-08T10:00"),
            ("next spring", "next spring"),
            ("", ""),
        ] {
            assert_eq!(date(text), expected);
        }
    }

    #[test]
    fn the_first_place_that_says_something_counts() {
        let (meta, acf) = (
            json!({"a": "", "b": [], "c": 1}),
            json!({"a": "x", "b": null, "c": 2}),
        );
        let values = of_post(&[&meta, &acf], &["a", "b", "c", "d"]);
        assert_eq!(json!(values), json!({"a": "x", "c": 1}));
    }
}
