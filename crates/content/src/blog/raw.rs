//! A post as the CMS sent it, unprocessed. Snapshots store this form, so that changes to the HTML rules also apply to
//! posts that were fetched before.

use std::borrow::Cow;
use std::collections::BTreeMap;

use diagnostics::text::control_character;
use schema::types::FieldType;
use schema::{Block, Field, Takes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::collections::is_of_blog;

/// A post. HTML is not sanitized.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawPost {
    /// Its id in the CMS.
    pub id: String,
    pub slug: Option<String>,
    /// Its URL in the CMS.
    pub link: Option<String>,
    /// HTML.
    pub title: Option<String>,
    pub date: Option<String>,
    pub modified: Option<String>,
    /// HTML.
    pub content: Option<String>,
    /// HTML.
    pub excerpt: Option<String>,
    pub author: Option<RawAuthor>,
    pub image: Option<RawImage>,
    /// Names of its tags.
    pub tags: Vec<String>,
    /// Names of its tags, by the URL of the tag's page in the CMS.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tag_links: BTreeMap<String, String>,
    /// Ids of its translations, including its own.
    pub translations: Vec<String>,
    /// Translation key, if the CMS sends one.
    pub key: Option<String>,
    /// The CMS's values of the fields that the site adds, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Value>,
    /// Problems of the response, to be reported.
    pub faults: Vec<String>,
}

/// The author of a post.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawAuthor {
    pub slug: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    /// URL of the portrait.
    pub avatar: Option<String>,
    /// URL of the author's page in the CMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// The featured image of a post.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawImage {
    pub src: String,
    pub alt: Option<String>,
}

/// A string, trimmed and without control characters, which pasted texts sometimes contain. `None` if nothing is left.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let text = match control_character(text) {
        Some(_) => Cow::Owned(
            text.chars()
                .filter(|c| control_character(c.encode_utf8(&mut [0; 4])).is_none())
                .collect(),
        ),
        None => Cow::Borrowed(text),
    };
    Some(text.trim())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// An id: a number or a string.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        value => text(value),
    }
}

/// The picture in the size `medium_large` or `large` if it exists: wide enough for a card, not wider than a page.
pub(super) fn image(media: &Value) -> Option<RawImage> {
    let sizes = &media["media_details"]["sizes"];
    let sizes = ["medium_large", "large"]
        .into_iter()
        .map(|size| &sizes[size]["source_url"]);
    let src = sizes.chain([&media["source_url"]]).find_map(text)?;
    Some(RawImage {
        src,
        alt: text(&media["alt_text"]),
    })
}

/// The author of a post; `None` if the account was deleted.
pub(super) fn author(author: &Value) -> Option<RawAuthor> {
    let found = RawAuthor {
        slug: text(&author["slug"]),
        name: text(&author["name"]),
        description: text(&author["description"]),
        avatar: text(&author["avatar_urls"]["96"]),
        link: text(&author["link"]),
    };
    (found.slug.is_some() || found.name.is_some()).then_some(found)
}

/// The fields that a site adds to posts and that a CMS can fill: `meta` of WordPress and the fields of ACF, or keys of the posts
/// API. Images and files are in the folder of the site.
pub(super) fn filled(fields: &'static Block) -> impl Iterator<Item = &'static Field> {
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

/// The values that a post has for these fields in one of several objects of its JSON, the first one first. What is empty there is
/// as good as missing.
pub(super) fn fields(places: &[&Value], names: &[&'static str]) -> BTreeMap<String, Value> {
    let value = |name: &str| {
        places
            .iter()
            .map(|place| &place[name])
            .find(|value| match value {
                Value::Null => false,
                Value::String(text) => !text.trim().is_empty(),
                Value::Array(items) => !items.is_empty(),
                _ => true,
            })
            .cloned()
    };
    names
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), value(name)?)))
        .collect()
}

/// A value as an author would write it in front matter.
pub(super) fn written(field: &Field, value: &Value) -> Value {
    match value {
        Value::Array(items) if field.list => items.iter().map(|item| one(field, item)).collect(),
        // WordPress sends a single value as a list of one, unless the plugin says `single`.
        Value::Array(items) if items.len() == 1 => one(field, &items[0]),
        value if field.list => Value::Array(vec![one(field, value)]),
        value => one(field, value),
    }
}

/// A single value. A CMS sends numbers, flags and dates in several forms.
fn one(field: &Field, value: &Value) -> Value {
    match (&field.takes, value) {
        (Takes::Number | Takes::Flag, Value::String(text)) => match (&field.takes, text.trim()) {
            (Takes::Flag, "1" | "true" | "yes") => Value::from(true),
            (Takes::Flag, "0" | "false" | "no") => Value::from(false),
            (Takes::Number, text) if let Ok(number) = text.parse::<i64>() => Value::from(number),
            (_, text) => Value::from(text),
        },
        (Takes::Flag, Value::Number(number)) => Value::from(number.as_i64() != Some(0)),
        (takes, Value::String(text)) if takes.is_date() => Value::from(date(text.trim())),
        (_, Value::String(text)) => Value::from(text.trim()),
        (Takes::Number | Takes::Block(_) | Takes::Typed(FieldType::Decimal), value) => {
            value.clone()
        }
        (_, Value::Number(number)) => Value::from(number.to_string()),
        (_, value) => value.clone(),
    }
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

    use super::{date, fields};

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
        let values = fields(&[&meta, &acf], &["a", "b", "c", "d"]);
        assert_eq!(json!(values), json!({"a": "x", "c": 1}));
    }
}
