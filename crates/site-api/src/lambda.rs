//! The API as a function of AWS Lambda, behind a function URL or an HTTP API: the same router, asked by events.

use std::sync::Arc;

use api::{Api, REQUEST_ID, Scheduled, alone};
use axum::http::{HeaderValue, Request};
use lambda_http::request::RequestContext;
use lambda_http::{Context, Error, RequestExt as _};
use tower::ServiceBuilder;

/// Answers events until Lambda ends the process.
pub(super) async fn run(api: &Arc<Api>) -> Result<(), Error> {
    let service = ServiceBuilder::new().map_request(named).service(alone(api));
    lambda_http::run(service).await
}

/// Lambda's own name for a request that has none, so that its log lines and ours can be read together.
fn named<B>(mut request: Request<B>) -> Request<B> {
    let id = request.lambda_context_ref().map(|context: &Context| context.request_id.clone());
    if let Some(id) = id.and_then(|id| HeaderValue::from_str(&id).ok()) {
        request.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    if is_scheduled(&request) {
        request.extensions_mut().insert(Scheduled);
    }
    request
}

/// Whether the event came from the schedule of `deploy/aws.yaml`, which names itself where a gateway writes its own id:
/// nobody who asks over the network can choose that.
fn is_scheduled<B>(request: &Request<B>) -> bool {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.apiid.as_deref() == Some("schedule"),
        _ => false,
    }
}
