//! The parameters and response of `GET /api/posts`. URLs are root-relative (`/blog/…`), so that a response is valid on
//! every host that serves the site.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The default number of posts per page.
pub const PER_PAGE: u32 = 10;
/// The maximum number of posts per page.
pub const PER_PAGE_MAX: u32 = 100;

/// The maximum page number.
pub const PAGE_MAX: u32 = 1_000_000_000;

/// A list of posts.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PostsAnswer {
    /// The posts of this page.
    pub posts: Vec<Post>,
    /// The position of this page in the list.
    pub pagination: Pagination,
    /// The names of all tags in the language.
    pub categories: Vec<String>,
}

/// A post in a response of the API.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Post {
    /// Stable id of the post, unique within its language.
    pub id: String,
    /// Id shared by all translations of the post.
    pub key: String,
    /// Title as plain text.
    pub title: String,
    /// Slug in the URL.
    pub slug: String,
    /// Root-relative URL of the post's page.
    pub link: String,
    /// Publication time: local time without a zone, ISO 8601. `null` if unknown.
    pub date: Option<String>,
    /// Time of the last change, in the format of `date`.
    pub modified: Option<String>,
    /// Body as HTML; empty unless requested with `content=full`.
    pub content: String,
    /// Excerpt as plain text.
    pub excerpt: String,
    /// The author.
    pub author: Author,
    /// The post's picture.
    pub featured_image: Option<FeaturedImage>,
    /// Root-relative URL of the cover that the build draws for a post without a picture.
    pub cover: Option<String>,
    /// Names of the tags.
    pub tags: Vec<String>,
}

/// The author of a post.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Author {
    /// Display name.
    pub name: String,
    /// Slug in the URL; empty for an author without a page.
    pub slug: String,
    /// Biography as plain text.
    pub description: String,
    /// URLs of the portrait by size in CSS pixels.
    pub avatar_urls: AvatarUrls,
}

/// URLs of a portrait.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AvatarUrls {
    /// The portrait for a width of 96 CSS pixels.
    #[serde(rename = "96")]
    pub large: String,
}

/// The picture of a post.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FeaturedImage {
    /// URL of the largest variant.
    pub source_url: String,
    /// Alternative text.
    pub alt_text: String,
    /// Size and variants.
    pub media_details: MediaDetails,
    /// The point that stays in sight where a layout crops it: shares of its width from the left and of its height from
    /// the top, 0 to 1. Absent for the middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub focus: Option<[f64; 2]>,
}

/// Size and variants of a picture.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MediaDetails {
    /// Width of the largest variant in pixels; 0 if unknown.
    pub width: u32,
    /// Height of the largest variant in pixels; 0 if unknown.
    pub height: u32,
    /// Variants in other formats, for `<source>` elements.
    pub sources: Vec<ImageSource>,
    /// Variants by name.
    pub sizes: Sizes,
}

/// A picture in one format and several widths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ImageSource {
    /// MIME type.
    pub mime: String,
    /// The `srcset` attribute: URLs with their widths.
    pub srcset: String,
}

/// Variants of a picture by name.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Sizes {
    /// The variant for a card.
    pub medium_large: Option<Size>,
    /// The variant for the header of a post.
    pub large: Option<Size>,
}

/// A variant of a picture.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Size {
    /// URL of the variant.
    pub source_url: String,
}

/// The position of a page in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pagination {
    /// The number of posts that match.
    pub total: u32,
    /// The number of pages; at least 1.
    pub total_pages: u32,
    /// The number of this page, starting at 1.
    pub current_page: u32,
    /// The number of posts per page.
    pub per_page: u32,
}

/// The sort keys of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderBy {
    /// The publication time.
    Date,
}

/// The sort order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderDirection {
    /// Newest first.
    Desc,
    /// Oldest first.
    Asc,
}

/// How much of each post to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentChoice {
    /// Everything, including the body.
    Full,
}
