//! Answers requests like the published site: both slash forms, redirects, error pages, headers.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tower::ServiceExt as _;
use tower_http::services::ServeFile;

use assets::PictureFile;
use publish::hosts::{self, Rules};
use workspace::media_types;

use api::leads::dev_captcha::{SCRIPT_PATH, VERIFY_PATH};

use super::encoding::PendingFile;
use super::gate::Visitor;
use super::outputs::{clean, find};
use super::places::PlaceLinks;
use super::{Current, ServerState, live};

/// Serves the site below its base path, as a host does: removes the path from the request, and redirects `/` to it.
pub(super) async fn below_base_path(
    State(shared): State<Arc<ServerState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let base_path = shared.current().base_path.clone();
    let path = request.uri().path();
    // The page of problems may not know the base path, and the API verifies tokens at the address of the server.
    let is_internal = path.starts_with(live::FOLDER) || path == VERIFY_PATH;
    if !base_path.is_empty() && !is_internal {
        match api::below(request.uri(), &base_path) {
            Some(uri) => *request.uri_mut() = uri,
            None if path == "/" => {
                return (
                    StatusCode::FOUND,
                    [(header::LOCATION, format!("{base_path}/"))],
                )
                    .into_response();
            }
            None => {
                let message = format!("not found: the site is at {base_path}/\n");
                return (StatusCode::NOT_FOUND, message).into_response();
            }
        }
    }
    next.run(request).await
}

/// Handles every request except those to `/_sitegen/` and `/api/`.
pub(super) async fn page(State(shared): State<Arc<ServerState>>, request: Request) -> Response {
    let current = shared.current();
    let live = shared.reload.is_some();
    let path = request.uri().path().to_owned();
    let captcha = Some(current.captcha.as_str())
        .filter(|script| shared.has_dev_captcha && !script.is_empty());
    let mut response = answer(&shared, &current, request, captcha).await;
    let found = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    for header in current.rules.headers_for(&path, found) {
        if let (Ok(name), Ok(value)) = (
            HeaderName::try_from(&header.name),
            HeaderValue::from_str(&header.value),
        ) {
            headers.insert(name, value);
        }
    }
    let is_fallback = response.extensions().get::<FallbackImage>().is_some();
    let headers = response.headers_mut();
    if live || is_fallback {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        headers
            .entry(header::VARY)
            .or_insert(HeaderValue::from_static("accept-encoding"));
    }
    response
}

/// The response without its headers. `captcha` is the address of the provider's script, which is replaced with that of
/// the development captcha.
async fn answer(
    shared: &ServerState,
    current: &Current,
    request: Request,
    captcha: Option<&str>,
) -> Response {
    let live = shared.reload.is_some();
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (
            StatusCode::METHOD_NOT_ALLOWED,
            [(header::ALLOW, "GET, HEAD")],
        )
            .into_response();
    }
    if let Some(problems) = &current.problems {
        let is_author = Visitor::of(&request) == Visitor::Author;
        let links = is_author.then_some(PlaceLinks {
            root: &shared.root,
            editor: &shared.editor,
        });
        let page = live::problems_page(problems, &current.build, &current.base_path, links);
        return html(StatusCode::INTERNAL_SERVER_ERROR, page);
    }
    let Some(path) = clean(request.uri()) else {
        return (StatusCode::BAD_REQUEST, "bad path").into_response();
    };
    if let Some((status, to)) = current.rules.redirect(&path, request.uri().query()) {
        let local = hosts::local(&current.rules.hosts, &current.base_path, &to);
        return (
            StatusCode::from_u16(status).unwrap_or(StatusCode::FOUND),
            [(header::LOCATION, local.unwrap_or(to))],
        )
            .into_response();
    }
    if current.rules.is_gone(&path) {
        return error_page(current, &path, StatusCode::GONE, live);
    }
    let numbered = Rules::numbered_page(&path, request.uri().query())
        .and_then(|path| find(&current.out, &path));
    let Some(file) = numbered.or_else(|| find(&current.out, &path)) else {
        if let Some(pending) = shared.photographs.request(path.trim_start_matches('/')) {
            return photograph(shared, pending).await;
        }
        return error_page(current, &path, StatusCode::NOT_FOUND, live);
    };
    let has_hosts = !current.rules.hosts.is_empty();
    if (live || captcha.is_some() || has_hosts)
        && file
            .extension()
            .is_some_and(|extension| extension == "html")
    {
        let Ok(text) = std::fs::read_to_string(&file) else {
            return error_page(current, &path, StatusCode::INTERNAL_SERVER_ERROR, live);
        };
        shared.photographs.prioritize(&text, &current.base_path);
        let changed = captcha
            .filter(|script| text.contains(script))
            .map(|script| text.replace(script, &[&current.base_path, SCRIPT_PATH].concat()));
        let is_changed = changed.is_some() || has_hosts;
        let text = local_links(current, changed.unwrap_or(text));
        if live {
            return html(
                StatusCode::OK,
                live::with_script(&text, &current.build, &current.base_path),
            );
        }
        if is_changed {
            return html(StatusCode::OK, text);
        }
    }
    let kind = media_types::header(&file.to_string_lossy());
    match ServeFile::new(file)
        .precompressed_br()
        .precompressed_gzip()
        .oneshot(request)
        .await
    {
        Ok(response) if response.status().is_server_error() => {
            error_page(current, &path, StatusCode::INTERNAL_SERVER_ERROR, live)
        }
        Ok(mut response) => {
            if let (Ok(kind), true) = (
                HeaderValue::from_str(&kind),
                response.headers().contains_key(header::CONTENT_TYPE),
            ) {
                response.headers_mut().insert(header::CONTENT_TYPE, kind);
            }
            response.map(Body::new)
        }
        Err(error) => match error {},
    }
}

/// Marks a response that contains a fallback instead of the requested file.
#[derive(Clone, Copy)]
struct FallbackImage;

/// Responds with a photograph that is not encoded yet. AVIF and WebP take up to a second, and an editor who has just
/// saved a picture should see it at once. So the fallback format of the same width is encoded at the same time, and the
/// first of the two is sent. Browsers go by the content type, not by the file extension. A fallback is sent with
/// `no-store`, so the next request gets the real file.
async fn photograph(shared: &ServerState, pending: PendingFile<PictureFile>) -> Response {
    let PendingFile { file, bytes } = pending;
    let real = async { bytes.await.ok().and_then(Result::ok) };
    let quick = async {
        if file.is_quick() {
            return None;
        }
        let _permit = shared.fallback_permits.acquire().await.ok()?;
        let file = Arc::clone(&file);
        tokio::task::spawn_blocking(move || file.fallback().ok())
            .await
            .ok()?
    };
    tokio::pin!(real);
    let fallback = tokio::select! {
        biased;
        bytes = &mut real => return encoded(bytes.as_deref(), &file.path),
        Some(fallback) = quick => fallback,
        else => return encoded(None, &file.path),
    };
    let (ending, bytes) = fallback;
    let mut response = encoded(Some(&bytes), &format!("fallback.{ending}"));
    response.extensions_mut().insert(FallbackImage);
    response
}

/// Responds with the bytes and the content type for this file name. Without bytes, responds with an error; the problem
/// was reported by the queue.
fn encoded(bytes: Option<&Vec<u8>>, name: &str) -> Response {
    match bytes {
        Some(bytes) => (
            [(header::CONTENT_TYPE, media_types::header(name))],
            bytes.clone(),
        )
            .into_response(),
        None => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "the image could not be encoded",
        )
            .into_response(),
    }
}

/// The error page of the site, from the nearest folder above the address.
fn error_page(current: &Current, path: &str, status: StatusCode, live: bool) -> Response {
    // A page that is gone is shown like one that was never there.
    let name = if status == StatusCode::GONE {
        "404.html".to_owned()
    } else {
        format!("{}.html", status.as_u16())
    };
    let mut folders = path
        .rmatch_indices('/')
        .map(|(at, _)| path[..at].trim_start_matches('/'));
    let text = folders
        .find_map(|folder| std::fs::read_to_string(current.out.join(folder).join(&name)).ok());
    match text {
        Some(text) => {
            let text = local_links(current, text);
            html(
                status,
                if live {
                    live::with_script(&text, &current.build, &current.base_path)
                } else {
                    text
                },
            )
        }
        None => (status, status.canonical_reason().unwrap_or_default()).into_response(),
    }
}

/// A page whose links to other hosts of the site lead to this server, which has all languages.
fn local_links(current: &Current, text: String) -> String {
    hosts::with_local_links(&current.rules.hosts, &current.base_path, text)
}

/// The response after a panic in a handler.
pub(super) fn server_error(current: &Current) -> Response {
    error_page(current, "/", StatusCode::INTERNAL_SERVER_ERROR, false)
}

fn html(status: StatusCode, text: String) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
        text,
    )
        .into_response()
}
