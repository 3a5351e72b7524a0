//! What stands around every answer: its id and its line in the log, the look for a newer build, compression, and which
//! other sites may read it.

use std::any::Any;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::error::Cause;
use super::{Api, ApiError, ErrorCode};

/// Names a request in the log and in its answer.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longer ids of others are not taken over.
const ID_LETTERS: usize = 64;
/// So long browsers remember which sites may ask.
const CORS_AGE: Duration = Duration::from_hours(2);

/// Puts the layers around the routes; the first to see a request stands last. The look for a newer build comes before the
/// question which sites may ask, because the build answers it: the first visitor after a start would be refused.
pub(super) fn around(routes: Router, api: &Arc<Api>) -> Router {
    routes
        // The program alone has no brotli, and answers should not depend on who serves them.
        .layer(CompressionLayer::new().no_br())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(cors(api))
        .layer(from_fn_with_state(Arc::clone(api), look))
        .layer(from_fn_with_state(Arc::clone(api), logged))
}

async fn look(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    api.look().await;
    next.run(request).await
}

fn panicked(_: Box<dyn Any + Send>) -> Response {
    ApiError::new(ErrorCode::Internal, "the API failed over this request").into_response()
}

/// The site itself may always ask, and the origins of the settings.
fn cors(api: &Arc<Api>) -> CorsLayer {
    let api = Arc::clone(api);
    let is_allowed = move |origin: &HeaderValue, _: &axum::http::request::Parts| {
        let Ok(origin) = origin.to_str() else { return false };
        api.settings().origins.iter().any(|allowed| allowed == origin)
            || api.site().is_some_and(|site| site.is_origin(origin))
    };
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_allowed))
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("x-form-signals"),
        ])
        .expose_headers([header::RETRY_AFTER, REQUEST_ID])
        .max_age(CORS_AGE)
}

async fn logged(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = id(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let mut response = next.run(request).await;
    let cause = response.extensions().get::<Cause>().map(|cause| cause.0.as_str());
    api.settings().log.request(&id, &method, &path, response.status(), started.elapsed(), cause);
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The id that whoever stands before the API gave the request, or a new one.
fn id(headers: &HeaderMap) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let is_plain = |id: &&str| {
        !id.is_empty() && id.len() <= ID_LETTERS && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let given = headers.get(&REQUEST_ID).and_then(|id| id.to_str().ok()).filter(is_plain);
    // A random state is the standard library's own source of randomness.
    given.map_or_else(
        || format!("{:016x}", RandomState::new().hash_one(NEXT.fetch_add(1, Ordering::Relaxed))),
        str::to_owned,
    )
}
