//! `GET /api/posts`: a page of the list of posts, of those that match a search or have a tag.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use api_types::error::ErrorAnswer;
use api_types::posts::{
    ContentChoice, OrderBy, OrderDirection, PAGE_MAX, PER_PAGE, PER_PAGE_MAX, Pagination, Post, PostsAnswer,
};
use search_index::bundle::BundleLocale;
use search_index::{Index, Matches, Order, Request};

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
    locale: &'a BundleLocale,
    /// The text of each post, too.
    full: bool,
}

/// A page of the list of posts, of those that match a search or have a tag.
#[utoipa::path(
    get,
    path = "/api/posts",
    operation_id = "posts",
    params(
        ("per_page" = Option<u32>, Query, minimum = 1, maximum = 100, description = "So many posts at once; 10 unless said otherwise."),
        ("page" = Option<u32>, Query, minimum = 1, maximum = 1_000_000_000, description = "The number of the page, from 1. Behind the last page there are no posts."),
        ("orderby" = inline(Option<OrderBy>), Query, description = "What the list is sorted by; posts of one moment by their id."),
        ("order" = inline(Option<OrderDirection>), Query, description = "The newest first, or the oldest."),
        ("search" = Option<String>, Query, description = "Words. Each must be in the post, the last one may be unfinished. Blank for all posts."),
        ("tag" = Option<String>, Query, description = "The slug of a tag that posts must have."),
        ("lang" = Option<String>, Query, description = "A language of the site; its first one unless said otherwise."),
        ("content" = inline(Option<ContentChoice>), Query, description = "The text of each post, too.")
    ),
    responses(
        (status = 200, description = "The posts of the page.", body = PostsAnswer, headers(("etag" = String, description = "Changes when the posts do."))),
        (status = 304, description = "`If-None-Match` names the answer: it has not changed."),
        (status = 400, description = "A parameter has a value that it cannot have, or is given twice; the message names it.", body = ErrorAnswer),
        (status = 503, description = "No build of the site could be read yet.", body = ErrorAnswer)
    )
)]
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let site = api.site().ok_or_else(ApiError::no_build)?;
    let query = Query::read(uri.query().unwrap_or_default(), PARAMETERS)?;
    let asked = asked(&query, &site)?;
    let tag = format!("W/\"{}-{}\"", site.bundle.build, env!("CARGO_PKG_VERSION"));
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
    query.choice::<OrderBy>("orderby", "`date`")?;
    let order = match query.choice("order", "`desc` or `asc`")? {
        Some(OrderDirection::Asc) => Order::Oldest,
        Some(OrderDirection::Desc) | None => Order::Newest,
    };
    let locales = &site.bundle.locales;
    let locale = match query.get("lang") {
        Some(code) => locales.iter().find(|locale| locale.code == code).ok_or_else(|| {
            let codes: Vec<String> = locales.iter().map(|locale| format!("`{}`", locale.code)).collect();
            bad("lang", &format!("must be {}", codes.join(" or ")))
        })?,
        None => locales.first().ok_or_else(ApiError::no_build)?,
    };
    Ok(Asked {
        per_page: query.number("per_page", PER_PAGE, (1, PER_PAGE_MAX))?,
        page: query.number("page", 1, (1, PAGE_MAX))?,
        order,
        search: query.get("search").unwrap_or_default(),
        tag: query.get("tag").filter(|tag| !tag.is_empty()),
        full: query.choice::<ContentChoice>("content", "`full`")?.is_some(),
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
    let mut post: Post = serde_json::from_slice(&index.card(place)?)?;
    if full {
        post.content = String::from_utf8(index.body(place)?).map_err(std::io::Error::other)?;
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
