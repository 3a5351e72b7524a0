//! `GET /api/health`: whether the API can serve posts, store leads and forward them, and which build it serves.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use api_types::error::ErrorAnswer;
use api_types::health::Health;

use super::{Api, ApiError, ErrorCode, leads};

/// Reports whether the API is healthy, and which build it serves.
#[utoipa::path(
    get,
    path = "/api/health",
    operation_id = "health",
    responses(
        (status = 200, description = "The API is healthy.", body = Health),
        (status = 503, description = "No build of the site could be read yet.", body = ErrorAnswer)
    )
)]
pub(super) async fn get(State(api): State<Arc<Api>>) -> Result<Response, ApiError> {
    let site = api.site().ok_or_else(ApiError::no_build)?;
    if let Some(leads) = &api.leads {
        let stored = leads.store().check().await;
        let refused = |why: leads::StoreError| {
            ApiError::new(
                ErrorCode::Unavailable,
                "leads cannot be stored at the moment",
            )
            .because(why.to_string())
        };
        stored.map_err(refused)?;
    }
    // Webhooks without their names: anybody can read this.
    let failing = api.leads.iter().flat_map(|leads| leads.outbox().failing());
    let mut failing: Vec<String> = failing
        .map(|queue| queue.channel().name().to_owned())
        .collect();
    failing.dedup();
    let status = if failing.is_empty() { "ok" } else { "failing" };
    let health = Health {
        status: status.into(),
        failing,
        build: site.bundle.build.clone(),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(health)).into_response())
}
