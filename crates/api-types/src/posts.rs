//! `GET /api/posts`: what can be asked, and what is answered. Addresses begin at the root of the site (`/blog/…`), so that
//! one answer is right wherever the site is shown.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// So many posts come at once unless another number is asked for.
pub const PER_PAGE: u32 = 10;
/// No more posts than this come at once.
pub const PER_PAGE_MAX: u32 = 100;

/// No list has more pages.
pub const PAGE_MAX: u32 = 1_000_000_000;

/// A list of posts.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PostsAnswer {
    /// The posts of this page.
    pub posts: Vec<Post>,
    /// Where this page stands.
    pub pagination: Pagination,
    /// Names of all tags of the language.
    pub categories: Vec<String>,
}

/// A post as the API tells it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Post {
    /// Names the post in its language, for ever.
    pub id: String,
    /// Names the post in all languages: its translations have the same.
    pub key: String,
    /// Plain text.
    pub title: String,
    /// As addresses name it.
    pub slug: String,
    /// The address of its page, from the root of the site on.
    pub link: String,
    /// Local time without a zone, ISO 8601; none when it is not known.
    pub date: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// HTML; empty unless it was asked for.
    pub content: String,
    /// Plain text.
    pub excerpt: String,
    /// Who wrote it.
    pub author: Author,
    /// Its picture.
    pub featured_image: Option<FeaturedImage>,
    /// The address of the cover that is drawn for a post without a picture.
    pub cover: Option<String>,
    /// Names of its tags.
    pub tags: Vec<String>,
}

/// Who wrote a post.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Author {
    /// As readers see it.
    pub name: String,
    /// As addresses name it; empty for an author without a page.
    pub slug: String,
    /// Plain text.
    pub description: String,
    /// Addresses of the portrait by its size in CSS pixels.
    pub avatar_urls: AvatarUrls,
}

/// Addresses of a portrait.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AvatarUrls {
    /// 96 CSS pixels wide.
    #[serde(rename = "96")]
    pub large: String,
}

/// The picture of a post.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FeaturedImage {
    /// The address of its largest form.
    pub source_url: String,
    /// What it shows.
    pub alt_text: String,
    /// Its forms.
    pub media_details: MediaDetails,
}

/// The forms of a picture.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MediaDetails {
    /// Of the largest form, in pixels; 0 when it is not known.
    pub width: u32,
    /// Of the largest form, in pixels; 0 when it is not known.
    pub height: u32,
    /// The same picture in newer formats, for `<source>`.
    pub sources: Vec<ImageSource>,
    /// By their names.
    pub sizes: Sizes,
}

/// A picture in one format and several widths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ImageSource {
    /// MIME type.
    pub mime: String,
    /// Addresses and their widths, as the attribute of that name has them.
    pub srcset: String,
}

/// The forms of a picture by their names.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Sizes {
    /// For a card.
    pub medium_large: Option<Size>,
    /// For the head of a post.
    pub large: Option<Size>,
}

/// A form of a picture.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Size {
    /// Its address.
    pub source_url: String,
}

/// Where a page of a list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pagination {
    /// So many posts match.
    pub total: u32,
    /// So many pages they fill; at least 1.
    pub total_pages: u32,
    /// The number of this page, from 1.
    pub current_page: u32,
    /// So many posts stand on a page.
    pub per_page: u32,
}

/// What the list can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderBy {
    /// When a post was published.
    Date,
}

/// Which end of the list comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderDirection {
    /// The newest.
    Desc,
    /// The oldest.
    Asc,
}

/// How much of each post is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentChoice {
    /// All of it, its text included.
    Full,
}
