//! The API as an AWS Lambda function, behind a function URL or an HTTP API. Lambda events are converted to requests for
//! the same router.

use std::net::IpAddr;
use std::sync::Arc;

use api::{Api, REQUEST_ID, Scheduled, SourceAddress, alone};
use axum::http::{HeaderValue, Request};
use lambda_http::request::RequestContext;
use lambda_http::{Context, Error, RequestExt as _};
use tower::ServiceBuilder;

/// Handles events until Lambda ends the process.
pub(super) async fn run(api: &Arc<Api>) -> Result<(), Error> {
    let service = ServiceBuilder::new()
        .map_request(prepare)
        .service(alone(api));
    lambda_http::run(service).await
}

/// Prepares a request: uses Lambda's request id if there is none, so that both logs can be correlated, reports the address
/// that the gateway saw, and marks scheduled events.
fn prepare<B>(mut request: Request<B>) -> Request<B> {
    let id = request
        .lambda_context_ref()
        .map(|context: &Context| context.request_id.clone());
    if let Some(id) = id.and_then(|id| HeaderValue::from_str(&id).ok()) {
        request.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    if let Some(address) = source(&request) {
        request.extensions_mut().insert(SourceAddress(address));
    }
    if is_scheduled(&request) {
        request.extensions_mut().insert(Scheduled);
    }
    request
}

/// The address that connected to the gateway: a visitor, or the CDN.
fn source<B>(request: &Request<B>) -> Option<IpAddr> {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => {
            context.http.source_ip.as_ref()?.parse().ok()
        }
        _ => None,
    }
}

/// Whether the event comes from the schedule in `deploy/aws.yaml`. The schedule sets the API id, which a gateway sets
/// for requests from the network, so clients cannot forge it.
fn is_scheduled<B>(request: &Request<B>) -> bool {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.apiid.as_deref() == Some("schedule"),
        _ => false,
    }
}
