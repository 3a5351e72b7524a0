//! `GET /api/posts`: a page of the list of posts, optionally filtered by a search or a tag.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use api_types::error::ErrorAnswer;
use api_types::posts::{
    ContentChoice, OrderBy, OrderDirection, PAGE_MAX, PER_PAGE, PER_PAGE_MAX, Pagination, Post,
    PostsAnswer,
};
use search_index::bundle::BundleLocale;
use search_index::{Index, Matches, Order, Request};

use super::query::{Query, bad};
use super::{Api, ApiError, Build, ErrorCode};

/// The supported parameters.
const PARAMETERS: &[&str] = &[
    "per_page", "page", "orderby", "order", "search", "tag", "lang", "content",
];

/// The parsed parameters.
struct PostsRequest<'a> {
    per_page: u32,
    page: u32,
    order: Order,
    search: &'a str,
    tag: Option<&'a str>,
    locale: &'a BundleLocale,
    /// Whether to include the body of each post.
    full: bool,
}

/// Lists posts, optionally filtered by a search or a tag.
#[utoipa::path(
    get,
    path = "/api/posts",
    operation_id = "posts",
    params(
        ("per_page" = Option<u32>, Query, minimum = 1, maximum = 100, description = "Number of posts per page. Default: 10."),
        ("page" = Option<u32>, Query, minimum = 1, maximum = 1_000_000_000, description = "Page number, starting at 1. Pages after the last one are empty."),
        ("orderby" = inline(Option<OrderBy>), Query, description = "Sort key. Posts with the same date are sorted by id."),
        ("order" = inline(Option<OrderDirection>), Query, description = "Sort order: newest or oldest first."),
        ("search" = Option<String>, Query, description = "Search words. A post must contain all of them; the last one can be a prefix. If blank, all posts are returned."),
        ("tag" = Option<String>, Query, description = "Slug of a tag. Only posts with this tag are returned."),
        ("lang" = Option<String>, Query, description = "A language of the site. Default: the site's first language."),
        ("content" = inline(Option<ContentChoice>), Query, description = "`full` includes the body of each post.")
    ),
    responses(
        (status = 200, description = "The posts of the page.", body = PostsAnswer, headers(("etag" = String, description = "Changes when the posts do."))),
        (status = 304, description = "The response has not changed since the one named by `If-None-Match`."),
        (status = 400, description = "A parameter is invalid or given twice; the message names it.", body = ErrorAnswer),
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
    let request = parse(&query, &site)?;
    let tag = format!("W/\"{}-{}\"", site.bundle.build, env!("CARGO_PKG_VERSION"));
    let cache_headers = [
        (
            header::ETAG,
            HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("W/\"\"")),
        ),
        (header::CACHE_CONTROL, api.settings().cache_control()),
    ];
    // A response depends only on the URL and the build, so the build id and the version form the ETag.
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, cache_headers).into_response());
    }
    let answer = answer(&site, &request).map_err(|error| ApiError::unreadable(&error))?;
    Ok((cache_headers, Json(answer)).into_response())
}

fn parse<'a>(query: &'a Query, site: &'a Build) -> Result<PostsRequest<'a>, ApiError> {
    query.choice::<OrderBy>("orderby", "`date`")?;
    let order = match query.choice("order", "`desc` or `asc`")? {
        Some(OrderDirection::Asc) => Order::Oldest,
        Some(OrderDirection::Desc) | None => Order::Newest,
    };
    let locales = &site.bundle.locales;
    let locale = match query.get("lang") {
        Some(code) => locales
            .iter()
            .find(|locale| locale.code == code)
            .ok_or_else(|| {
                let codes: Vec<String> = locales
                    .iter()
                    .map(|locale| format!("`{}`", locale.code))
                    .collect();
                bad("lang", &format!("must be {}", codes.join(" or ")))
            })?,
        None => locales.first().ok_or_else(ApiError::no_build)?,
    };
    Ok(PostsRequest {
        per_page: query.number("per_page", PER_PAGE, (1, PER_PAGE_MAX))?,
        page: query.number("page", 1, (1, PAGE_MAX))?,
        order,
        search: query.get("search").unwrap_or_default(),
        tag: query.get("tag").filter(|tag| !tag.is_empty()),
        full: query
            .choice::<ContentChoice>("content", "`full`")?
            .is_some(),
        locale,
    })
}

fn answer(site: &Build, request: &PostsRequest) -> std::io::Result<PostsAnswer> {
    let index = site.indexes.get(&request.locale.code);
    let matches = match index {
        Some(index) => index.find(&Request {
            search: request.search,
            tag: request.tag,
        })?,
        None => Matches::none(0),
    };
    let total = matches.total();
    let before = u64::from(request.page - 1) * u64::from(request.per_page);
    let places = matches.page(request.order, before, request.per_page);
    let posts = index.map(|index| {
        places
            .into_iter()
            .map(|place| post(index, place, request.full))
            .collect()
    });
    Ok(PostsAnswer {
        posts: posts.unwrap_or_else(|| Ok(Vec::new()))?,
        pagination: Pagination {
            total,
            total_pages: total.div_ceil(request.per_page).max(1),
            current_page: request.page,
            per_page: request.per_page,
        },
        categories: request.locale.categories.clone(),
    })
}

fn post(index: &Index, place: u32, full: bool) -> std::io::Result<Post> {
    let mut post: Post = serde_json::from_slice(&index.card(place)?)?;
    if full {
        post.content = String::from_utf8(index.body(place)?).map_err(std::io::Error::other)?;
    }
    Ok(post)
}

/// Whether `If-None-Match` contains this `ETag`.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers
        .get_all(header::IF_NONE_MATCH)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    let opaque = tag.trim_start_matches("W/");
    known
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|one| one == "*" || one.trim_start_matches("W/") == opaque)
}

impl ApiError {
    /// No build has been loaded yet.
    pub(super) fn no_build() -> ApiError {
        ApiError::new(
            ErrorCode::Unavailable,
            "no build of the site has been read yet",
        )
    }

    fn unreadable(error: &std::io::Error) -> ApiError {
        ApiError::new(
            ErrorCode::Unavailable,
            "the posts cannot be read at the moment",
        )
        .because(error.to_string())
    }
}
