//! `GET /api/health`: whether the API can answer, and from which build, and whether it can store a lead.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::{Api, ApiError, ErrorCode};

#[derive(Serialize)]
struct Health {
    status: &'static str,
    build: String,
}

pub(super) async fn get(State(api): State<Arc<Api>>) -> Response {
    let Some(site) = api.site() else {
        return ApiError::new(ErrorCode::Unavailable, "no build of the site has been read yet").into_response();
    };
    if let Some(leads) = &api.leads
        && let Err(why) = leads.store().check().await
    {
        api.settings().log.event("store_unavailable", &[("why", why.to_string().into())]);
        return ApiError::new(ErrorCode::Unavailable, "leads cannot be stored now").into_response();
    }
    let health = Health { status: "ok", build: site.build.clone() };
    ([(header::CACHE_CONTROL, "no-store")], Json(health)).into_response()
}
