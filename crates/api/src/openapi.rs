//! `GET /api/openapi.json`: the OpenAPI document, generated from the request and response types.
//!
//! To add an endpoint, add `#[utoipa::path]` to its handler and a line to `paths(…)` below. The committed
//! `docs/openapi.json` does not depend on a site; the endpoint adds the languages of the current site.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use utoipa::OpenApi;

use super::{Api, Build, health, leads, posts};

/// The contents of the document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "sitegen site API",
        description = "Lists and searches posts, and accepts leads. Responses are JSON. Errors are `{code, message}`, except for leads, whose responses have the field `success`."
    ),
    paths(posts::get, leads::post, health::get, get)
)]
struct Document;

/// The document without languages, as in `docs/openapi.json`.
pub fn document() -> Value {
    serde_json::to_value(Document::openapi()).unwrap_or_default()
}

/// The document for a site: the parameter `lang` lists its languages.
fn of_site(site: &Build) -> Value {
    let mut document = document();
    let codes: Vec<&str> = site.bundle.locales.iter().map(|locale| locale.code.as_str()).collect();
    let parameters = document.pointer_mut("/paths/~1api~1posts/get/parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["name"] == "lang") {
        parameter["schema"] = json!({"type": "string", "enum": codes});
    }
    document
}

/// Returns this document.
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
