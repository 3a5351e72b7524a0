//! Answers a request as the published site does: both slash forms, redirects, error pages, headers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use tower::ServiceExt as _;
use tower_http::services::ServeFile;

use crate::publish::headers::{SPECULATION_RULES, cache_control};

use super::{Current, Shared, live};

/// Every request that is not the server's own.
pub(super) async fn page(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let current = shared.current();
    let live = shared.reload.is_some();
    let path = request.uri().path().to_owned();
    let mut response = answer(&current, request, live).await;
    let headers = response.headers_mut();
    if headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/html") {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    }
    for (name, value) in &current.headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    if path.trim_start_matches('/') == SPECULATION_RULES {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/speculationrules+json"));
    }
    let cache = if live { "no-store" } else { cache_control(&path) };
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(cache));
    response
}

async fn answer(current: &Current, request: Request, live: bool) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response();
    }
    if let Some(problems) = &current.problems {
        return html(StatusCode::INTERNAL_SERVER_ERROR, live::problems_page(problems, &current.build));
    }
    let Some(path) = clean(request.uri()) else {
        return (StatusCode::BAD_REQUEST, "bad path").into_response();
    };
    if let Some(to) = redirect(current, &path, request.uri()) {
        return (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, to)]).into_response();
    }
    let Some(file) = find(&current.out, &path) else {
        return error_page(current, &path, StatusCode::NOT_FOUND, live);
    };
    if live && file.extension().is_some_and(|extension| extension == "html") {
        return match std::fs::read_to_string(&file) {
            Ok(text) => html(StatusCode::OK, live::with_script(&text, &current.build)),
            Err(_) => error_page(current, &path, StatusCode::INTERNAL_SERVER_ERROR, live),
        };
    }
    match ServeFile::new(file).oneshot(request).await {
        Ok(response) if response.status().is_server_error() => {
            error_page(current, &path, StatusCode::INTERNAL_SERVER_ERROR, live)
        }
        Ok(response) => response.map(Body::new),
        Err(error) => match error {},
    }
}

/// The decoded path, or nothing when it tries to leave the site.
fn clean(uri: &Uri) -> Option<String> {
    let path = percent_decode_str(uri.path()).decode_utf8().ok()?;
    let bad = path.contains(['\0', '\\'])
        || path.contains("//")
        || path.split('/').any(|segment| segment == ".." || segment == ".");
    (!bad && path.starts_with('/')).then(|| path.into_owned())
}

fn redirect(current: &Current, path: &str, uri: &Uri) -> Option<String> {
    let with_slash = format!("{}/", path.trim_end_matches('/'));
    let (_, to) = current.redirects.iter().find(|(from, _)| *from == with_slash)?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Some(match to.split_once('#') {
        Some((to, fragment)) => format!("{to}{query}#{fragment}"),
        None => format!("{to}{query}"),
    })
}

/// The file of an address in either slash form. Names that begin with a dot are not for visitors.
fn find(out: &Path, path: &str) -> Option<PathBuf> {
    if path.split('/').any(|segment| segment.starts_with('.')) {
        return None;
    }
    let file = out.join(path.trim_matches('/'));
    let candidates =
        if path.ends_with('/') { vec![file.join("index.html")] } else { vec![file.clone(), file.join("index.html")] };
    let file = candidates.into_iter().find(|file| file.is_file())?;
    // A link in the folder may not show what lies outside of it.
    file.canonicalize().ok()?.starts_with(out.canonicalize().ok()?).then_some(file)
}

/// The site's own page for an error, in the language of the address.
fn error_page(current: &Current, path: &str, status: StatusCode, live: bool) -> Response {
    let name = format!("{}.html", status.as_u16());
    let prefix = current.prefixes.iter().find(|prefix| format!("{path}/").starts_with(prefix.as_str()));
    let folders = prefix.map(|prefix| prefix.trim_matches('/')).into_iter().chain([""]);
    let text =
        folders.map(|folder| current.out.join(folder).join(&name)).find_map(|file| std::fs::read_to_string(file).ok());
    match text {
        Some(text) => html(status, if live { live::with_script(&text, &current.build) } else { text }),
        None => (status, status.canonical_reason().unwrap_or_default()).into_response(),
    }
}

/// What a visitor sees when the server itself fails.
pub(super) fn server_error(current: &Current) -> Response {
    error_page(current, "/", StatusCode::INTERNAL_SERVER_ERROR, false)
}

fn html(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, expect: Option<&str>) {
        let uri: Uri = uri.parse().expect("a uri");
        assert_eq!(clean(&uri).as_deref(), expect);
    }

    #[test]
    fn paths_that_leave_the_site_are_refused() {
        check("/a/%2e%2e/b", None);
        check("/../etc/passwd", None);
        check("/a%00b", None);
        check("/a%5Cb", None);
        check("/%ff", None);
    }

    #[test]
    fn other_paths_are_decoded() {
        check("/es/a%C3%B1o/?q=1", Some("/es/año/"));
    }
}
