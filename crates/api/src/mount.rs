//! Requests below the path that a site and its API are mounted at.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::Response;

use super::Api;
use api_types::base_url;

/// The URI of a request without the base path (`/docs/api/posts?page=2` → `/api/posts?page=2`). `None` if it is not
/// below the base path.
///
/// ```
/// let uri: axum::http::Uri = "/docs/api/posts?page=2".parse().unwrap();
/// assert_eq!(api::below(&uri, "/docs").unwrap(), "/api/posts?page=2");
/// assert_eq!(api::below(&uri, "/doc"), None);
/// ```
pub fn below(uri: &Uri, base_path: &str) -> Option<Uri> {
    let rest = uri
        .path()
        .strip_prefix(base_path)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    let rest = if rest.is_empty() { "/" } else { rest };
    let query = uri
        .query()
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{rest}{query}")).ok()?);
    Uri::from_parts(parts).ok()
}

/// Answers `/docs/api/…` like `/api/…` for a site that is mounted at `/docs`: some proxies pass the path on as it is.
pub(super) async fn strip(
    State(api): State<Arc<Api>>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if path != "/api" && !path.starts_with("/api/") {
        // The base URL comes from the build, which is loaded with the first request.
        api.check_for_new_build().await;
        if let Some(uri) = api
            .base_url()
            .and_then(|base_url| below(request.uri(), base_url::parts(&base_url).1))
        {
            *request.uri_mut() = uri;
        }
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_segments_are_stripped() {
        let check = |uri: &str, expect: Option<&str>| {
            let uri: Uri = uri.parse().expect("a uri");
            assert_eq!(
                below(&uri, "/docs").map(|uri| uri.to_string()).as_deref(),
                expect,
                "{uri}"
            );
        };
        check("/docs/a%20b/?q=1", Some("/a%20b/?q=1"));
        check("/docs", Some("/"));
        check("/docs?q=1", Some("/?q=1"));
        check("/docs-old/", None);
        check("/", None);
    }
}
