//! `GET /api/posts`: a page of the list of posts, of those that match a search or have a tag.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::artifact::ArtifactLocale;
use crate::search::{Index, Matches, Order, Request};
use crate::wire::posts::{PER_PAGE, PER_PAGE_MAX, Pagination, Post, PostsAnswer};

use super::query::{Query, bad};
use super::{Api, ApiError, Build, ErrorCode};

/// The parameters that are known.
const PARAMETERS: &[&str] = &["per_page", "page", "orderby", "order", "search", "tag", "lang", "content"];

/// What is asked for.
struct Asked<'a> {
    per_page: u32,
    page: u32,
    order: Order,
    search: &'a str,
    tag: Option<&'a str>,
    locale: &'a ArtifactLocale,
    /// The text of each post, too.
    full: bool,
}

pub(super) async fn get(
    State(api): State<Arc<Api>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let site = api.site().ok_or_else(ApiError::no_build)?;
    let query = Query::read(uri.query().unwrap_or_default(), PARAMETERS)?;
    let asked = asked(&query, &site)?;
    let tag = format!("W/\"{}-{}\"", site.artifact.build, env!("CARGO_PKG_VERSION"));
    let kept = [
        (header::ETAG, HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("W/\"\""))),
        (header::CACHE_CONTROL, api.settings().cache_control()),
    ];
    // An answer is a function of the address and the build, so the build's name tells whether it has changed.
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, kept).into_response());
    }
    let answer = answer(&site, &asked).map_err(|error| ApiError::unreadable(&error))?;
    Ok((kept, Json(answer)).into_response())
}

fn asked<'a>(query: &'a Query, site: &'a Build) -> Result<Asked<'a>, ApiError> {
    query.choice("orderby", &[("date", ())])?;
    let locales = &site.artifact.locales;
    let locale = match query.get("lang") {
        Some(code) => locales.iter().find(|locale| locale.code == code).ok_or_else(|| {
            let codes: Vec<String> = locales.iter().map(|locale| format!("`{}`", locale.code)).collect();
            bad("lang", &format!("must be {}", codes.join(" or ")))
        })?,
        None => locales.first().ok_or_else(ApiError::no_build)?,
    };
    Ok(Asked {
        per_page: query.number("per_page", PER_PAGE, (1, PER_PAGE_MAX))?,
        page: query.number("page", 1, (1, u32::MAX))?,
        order: query.choice("order", &[("desc", Order::Newest), ("asc", Order::Oldest)])?.unwrap_or(Order::Newest),
        search: query.get("search").unwrap_or_default(),
        tag: query.get("tag").filter(|tag| !tag.is_empty()),
        full: query.choice("content", &[("full", true)])?.unwrap_or(false),
        locale,
    })
}

fn answer(site: &Build, asked: &Asked) -> std::io::Result<PostsAnswer> {
    let index = site.indexes.get(&asked.locale.code);
    let matches = match index {
        Some(index) => index.find(&Request { search: asked.search, tag: asked.tag })?,
        None => Matches::none(0),
    };
    let total = matches.total();
    let before = u64::from(asked.page - 1) * u64::from(asked.per_page);
    let places = matches.page(asked.order, before, asked.per_page);
    let posts = index.map(|index| places.into_iter().map(|place| post(index, place, asked.full)).collect());
    Ok(PostsAnswer {
        posts: posts.unwrap_or_else(|| Ok(Vec::new()))?,
        pagination: Pagination {
            total,
            total_pages: total.div_ceil(asked.per_page).max(1),
            current_page: asked.page,
            per_page: asked.per_page,
        },
        categories: asked.locale.categories.clone(),
    })
}

fn post(index: &Index, place: u32, full: bool) -> std::io::Result<Post> {
    let mut post: Post = serde_json::from_slice(index.card(place)?.as_ref())?;
    if full {
        let body = index.body(place)?;
        post.content = String::from_utf8(body.as_ref().to_vec()).map_err(std::io::Error::other)?;
    }
    Ok(post)
}

/// Whether whoever asks has this answer already.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|value| value.to_str().ok());
    let opaque = tag.trim_start_matches("W/");
    known
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|one| one == "*" || one.trim_start_matches("W/") == opaque)
}

impl ApiError {
    /// Nothing was built yet, or nothing that could be read.
    pub(super) fn no_build() -> ApiError {
        ApiError::new(ErrorCode::Unavailable, "no build of the site has been read yet")
    }

    fn unreadable(error: &std::io::Error) -> ApiError {
        ApiError::new(ErrorCode::Unavailable, "the posts cannot be read now").because(error.to_string())
    }
}
