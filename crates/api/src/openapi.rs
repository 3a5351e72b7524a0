//! `GET /api/openapi.json`: the API described for programs, from the types that it answers with.
//!
//! An address joins where its handler is: a line in `paths(…)` below, and `#[utoipa::path]` above the handler. The
//! committed `docs/openapi.json` knows no site; what is answered names the languages of this one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use utoipa::OpenApi;

use super::{Api, Build, health, leads, posts};

/// What stands in the document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "sitegen site API",
        description = "Posts of the site, as lists and by search. Every answer is JSON; every error is `{code, message}`, but for leads, whose answers say `success`."
    ),
    paths(posts::get, leads::post, health::get, get)
)]
struct Document;

/// The document, for any site.
///
/// # Panics
///
/// Never: the document is made of constants, and a test writes it.
pub fn document() -> Value {
    serde_json::to_value(Document::openapi()).unwrap_or_default()
}

/// The document for a site: the parameter `lang` takes its languages.
fn of_site(site: &Build) -> Value {
    let mut document = document();
    let codes: Vec<&str> = site.bundle.locales.iter().map(|locale| locale.code.as_str()).collect();
    let parameters = document.pointer_mut("/paths/~1api~1posts/get/parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["name"] == "lang") {
        parameter["schema"] = json!({"type": "string", "enum": codes});
    }
    document
}

/// This document.
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    operation_id = "document",
    responses((status = 200, description = "The document.", body = Object))
)]
pub(super) async fn get(State(api): State<Arc<Api>>) -> Response {
    let document = api.site().map_or_else(document, |site| of_site(&site));
    ([(header::CACHE_CONTROL, api.settings().cache_control())], Json(document)).into_response()
}
