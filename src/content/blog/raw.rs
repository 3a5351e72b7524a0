//! A post as a CMS says it, before anything is made of it. This is what a snapshot keeps, so that a better rule for HTML
//! also holds for posts that were fetched before it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use diagnostics::text::control_character;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A post. What is HTML is as it came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawPost {
    /// The CMS's own name for it.
    pub id: String,
    pub slug: Option<String>,
    /// Its address at the CMS.
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
    /// Names.
    pub tags: Vec<String>,
    /// The pages of its tags at the CMS, each with the tag's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tag_links: BTreeMap<String, String>,
    /// Ids of its translations, its own among them.
    pub translations: Vec<String>,
    /// Ties translations, where the CMS says so itself.
    pub key: Option<String>,
    /// What was wrong with it as it came.
    pub faults: Vec<String>,
}

/// Who wrote it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawAuthor {
    pub slug: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    /// The portrait's address.
    pub avatar: Option<String>,
    /// The author's page at the CMS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// The picture above it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawImage {
    pub src: String,
    pub alt: Option<String>,
}

/// A text that is there and says something. Control characters, which texts that were pasted from elsewhere hold, say
/// nothing.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let text = match control_character(text) {
        Some(_) => {
            Cow::Owned(text.chars().filter(|c| control_character(c.encode_utf8(&mut [0; 4])).is_none()).collect())
        }
        None => Cow::Borrowed(text),
    };
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A number or a text that names something.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        value => text(value),
    }
}

/// The best size of a picture: wide enough for a card, not wider than a page.
pub(super) fn image(media: &Value) -> Option<RawImage> {
    let sizes = &media["media_details"]["sizes"];
    let sizes = ["medium_large", "large"].into_iter().map(|size| &sizes[size]["source_url"]);
    let src = sizes.chain([&media["source_url"]]).find_map(text)?;
    Some(RawImage { src, alt: text(&media["alt_text"]) })
}

/// The author of a post; none when their account is gone.
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
