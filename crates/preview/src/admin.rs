//! `/admin/` of the preview: forms for people who do not write YAML. They edit the files of the site, so only its author is
//! answered.
//!
//! The page has a Content Security Policy of its own ([`desk::POLICY`]). Pages of the site keep theirs.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use diagnostics::problem::{Problems, Severity};
use generator::pipeline::{self, Plan};
use site::model::Site;
use site::planned;
use workspace::files::Draft;
use workspace::media_types;

use desk::{Backend, PAGE_FILES, Scripts};

use super::panel::respond_with;
use super::{ServerState, respond};

pub(super) const FOLDER: &str = "/admin";
pub(super) const PAGE: &str = "/admin/";
pub(super) const FILES: &str = "/admin/{*file}";
pub(super) const PICTURES: &str = "/admin/picture";
pub(super) const API: &str = "/admin/api";
pub(super) const DRAFT: &str = "/admin/draft";

/// The address with a slash, to which the paths in the page are relative.
pub(super) async fn folder(State(shared): State<Arc<ServerState>>) -> Redirect {
    Redirect::permanent(&[&shared.current().base_path, PAGE].concat())
}

/// The page itself, unless the site has one there.
pub(super) async fn page(state: State<Arc<ServerState>>, request: Request) -> Response {
    if is_page_of_site(&state, PAGE) {
        respond::page(state, request).await
    } else {
        file_of_page("index.html")
    }
}

/// A file of the page.
pub(super) async fn file(
    state: State<Arc<ServerState>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    if is_page_of_site(&state, PAGE) {
        return respond::page(state, request).await;
    }
    let State(shared) = state;
    match name.as_str() {
        "config.json" => configuration(shared).await,
        "addresses.json" => addresses(shared).await,
        _ if PAGE_FILES.iter().any(|(known, _)| *known == name) => file_of_page(&name),
        _ if Scripts::have(&name) => script(shared, name).await,
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Whether an address is one of the forms at which the site itself has a page.
pub(super) fn is_page_of_site(shared: &ServerState, path: &str) -> bool {
    (path == FOLDER || path.starts_with(PAGE)) && shared.current().has_admin_pages
}

/// Whether a site has pages where the forms would be.
pub(super) fn has_pages(site: &Site) -> bool {
    site.pages
        .iter()
        .any(|page| page.path.value.starts_with(PAGE))
        || site
            .static_files
            .iter()
            .any(|file| file.path == "admin/index.html")
}

fn file_of_page(name: &str) -> Response {
    let text = PAGE_FILES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text);
    let Some(text) = text else {
        return StatusCode::NOT_FOUND.into_response();
    };
    secured(([(header::CONTENT_TYPE, media_types::header(name))], text).into_response())
}

fn secured(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(desk::POLICY),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    response
}

/// The configuration for the site as it is on disk.
async fn configuration(shared: Arc<ServerState>) -> Response {
    // Files are read.
    let made = tokio::task::spawn_blocking(move || {
        let backend = Backend::Preview([&shared.current().base_path, API].concat());
        if let Some(built) = shared.built() {
            return Some(desk::config(
                &built.plan.config,
                Some(&built.plan.site),
                &backend,
            ));
        }
        // The site has errors, or is being built.
        let (config, _) = config::load(&shared.options);
        config.map(|config| desk::config(&config, None, &backend))
    });
    secured(respond_with(made.await.ok().flatten()))
}

async fn addresses(shared: Arc<ServerState>) -> Response {
    let found = tokio::task::spawn_blocking(move || {
        shared
            .built()
            .map(|built| planned::addresses(&built.plan.site))
    });
    secured(respond_with(found.await.ok().flatten()))
}

/// A script of Decap, which the first request fetches.
async fn script(shared: Arc<ServerState>, name: String) -> Response {
    let read = tokio::task::spawn_blocking(move || {
        let cache = shared.root.join(config::CACHE);
        Scripts::fetch(&cache).map(|scripts| {
            scripts
                .read(&name)
                .map(|bytes| (media_types::header(&name), bytes))
        })
    });
    let response = match read.await {
        Ok(Ok(Some((kind, bytes)))) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        Ok(Err(problem)) => {
            let hint = problem
                .hint
                .map(|hint| format!("\n{hint}"))
                .unwrap_or_default();
            (
                StatusCode::SERVICE_UNAVAILABLE,
                format!("{}{hint}\n", problem.message),
            )
                .into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    };
    secured(response)
}

/// A picture as a file of the site names it.
#[derive(Debug, Deserialize)]
pub(super) struct NamedPicture {
    src: String,
    /// The path of the file.
    #[serde(default)]
    beside: String,
}

/// A picture as it is in its folder: below `content/images/`, or next to the file that names it.
pub(super) async fn picture(
    State(shared): State<Arc<ServerState>>,
    Query(NamedPicture { src, beside }): Query<NamedPicture>,
) -> Response {
    let read = tokio::task::spawn_blocking(move || desk::picture(&shared.root, &beside, &src));
    match read.await.ok().flatten() {
        Some((kind, bytes)) => {
            let mut response = secured(([(header::CONTENT_TYPE, kind)], bytes).into_response());
            // An SVG that is opened by itself runs nothing.
            let policy =
                HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");
            response
                .headers_mut()
                .insert(header::CONTENT_SECURITY_POLICY, policy);
            response
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// A request of Decap. Only JSON is read: a form of another site cannot send it unasked.
pub(super) async fn api(
    State(shared): State<Arc<ServerState>>,
    headers: axum::http::HeaderMap,
    body: Bytes,
) -> Response {
    answer(&headers, &body, move |request| {
        desk::answer(&shared.root, request)
    })
    .await
}

/// The page that a form is about, as it would be after a save: `{address, html}`, both null if no page shows the file, or
/// `{error}`. Nothing is written.
pub(super) async fn draft(
    State(shared): State<Arc<ServerState>>,
    headers: axum::http::HeaderMap,
    body: Bytes,
) -> Response {
    answer(&headers, &body, move |request| {
        drafted(&shared, request).unwrap_or_else(|refusal| refusal)
    })
    .await
}

fn drafted(shared: &ServerState, request: Value) -> Result<(u16, Value), (u16, Value)> {
    let draft = desk::draft(&shared.root, request)?;
    let Some(built) = shared.built() else {
        return Err((
            503,
            json!({"error": "the site is being built, or has errors"}),
        ));
    };
    match drafted_page(&built.plan, &draft) {
        Ok(page) => {
            let (address, html) = page.unzip();
            Ok((200, json!({"address": address, "html": html})))
        }
        Err(problems) => {
            let shown = problems
                .iter()
                .find(|problem| problem.severity == Severity::Error)
                .map(|problem| {
                    let place = problem
                        .place
                        .as_ref()
                        .map(|place| format!("{}: ", place.path))
                        .unwrap_or_default();
                    let hint = problem
                        .hint
                        .as_ref()
                        .map(|hint| format!(" ({hint})"))
                        .unwrap_or_default();
                    format!("{place}{}{hint}", problem.message)
                });
            Ok((200, json!({"error": shown})))
        }
    }
}

/// The address and the HTML of the page that shows a file first, with the text that is being written; `None` if no page
/// shows it.
fn drafted_page(plan: &Plan, draft: &Draft) -> Result<Option<(String, String)>, Problems> {
    let view = plan.with(pipeline::drafted(&plan.config, draft));
    let problems = view.workspace.problems();
    if problems.has_errors() {
        return Err(problems.sorted());
    }
    let Some(address) = planned::addresses(&view.workspace.site().site).remove(&draft.path) else {
        return Ok(None);
    };
    let page = view.page(plan, &address)?;
    Ok(page.map(|(_, html)| (address, html)))
}

/// Answers a request in JSON with JSON.
pub(super) async fn answer(
    headers: &axum::http::HeaderMap,
    body: &Bytes,
    answer: impl FnOnce(Value) -> (u16, Value) + Send + 'static,
) -> Response {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let request: Option<Value> = serde_json::from_slice(body).ok();
    let (status, answer) = match request.filter(|_| kind.starts_with("application/json")) {
        Some(request) => {
            let answered = tokio::task::spawn_blocking(move || answer(request));
            answered.await.unwrap_or_else(|_| {
                (
                    500,
                    json!({"error": "the server failed; nothing was saved"}),
                )
            })
        }
        None => (422, json!({"error": "the request is not JSON"})),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    secured((status, Json(answer)).into_response())
}
