//! A post as the CMS sent it, unprocessed. Snapshots store this form, so that changes to the HTML rules also apply to
//! posts that were fetched before.

use std::borrow::Cow;
use std::collections::BTreeMap;

use diagnostics::text::control_character;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
