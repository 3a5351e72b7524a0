//! The middleware around every route: request id, access log, check for a newer build, CORS, panic handler,
//! compression.

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
use super::{Api, ApiError, ErrorCode, origin};

/// The header with the request id, which is also in the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Maximum length of a request id from a proxy, in bytes. Longer ids are replaced.
const ID_MAX: usize = 64;
/// How long browsers may cache the answer to a CORS preflight request, in hours.
const CORS_AGE: Duration = Duration::from_hours(2);

/// Adds the middleware to the routes. The last layer runs first. The check for a newer build runs before CORS, because
/// the allowed origins come from the build: otherwise the first request after a start would be rejected.
pub(super) fn wrap(routes: Router, api: &Arc<Api>) -> Router {
    routes
        // `site-api` is compiled without brotli, and responses should not depend on which program serves them.
        .layer(CompressionLayer::new().no_br())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(cors(api))
        .layer(from_fn_with_state(Arc::clone(api), check_for_new_build))
        .layer(from_fn_with_state(Arc::clone(api), origin::gate))
        .layer(from_fn_with_state(Arc::clone(api), logged))
}

async fn check_for_new_build(
    State(api): State<Arc<Api>>,
    request: Request,
    next: Next,
) -> Response {
    api.check_for_new_build().await;
    next.run(request).await
}

fn panicked(_: Box<dyn Any + Send>) -> Response {
    ApiError::new(ErrorCode::Internal, "internal error").into_response()
}

/// Allows the site's own origin and the origins in the settings.
fn cors(api: &Arc<Api>) -> CorsLayer {
    let api = Arc::clone(api);
    let is_allowed = move |origin: &HeaderValue, _: &axum::http::request::Parts| {
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        api.settings()
            .origins
            .iter()
            .any(|allowed| allowed == origin)
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
    let cause = response
        .extensions()
        .get::<Cause>()
        .map(|cause| cause.0.as_str());
    api.settings().log.request(
        &id,
        &method,
        &path,
        response.status(),
        started.elapsed(),
        cause,
    );
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The request id that a proxy set, or a new one.
fn id(headers: &HeaderMap) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let is_plain = |id: &&str| {
        !id.is_empty()
            && id.len() <= ID_MAX
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let given = headers
        .get(&REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .filter(is_plain);
    // `RandomState` is the only source of randomness in the standard library.
    given.map_or_else(
        || {
            format!(
                "{:016x}",
                RandomState::new().hash_one(NEXT.fetch_add(1, Ordering::Relaxed))
            )
        },
        str::to_owned,
    )
}
