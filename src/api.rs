//! The site's own small API: one router, which `sitegen serve`, a plain HTTP server and AWS Lambda all answer with.
//!
//! It knows the artefact of a build and nothing of pages, templates or Markdown. Every answer below `/api/` is JSON; an
//! error is `{code, message}` and tells nothing of the inside.

mod error;
mod health;
mod server;
mod settings;

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::extract::OriginalUri;
use axum::routing::{any, get};

use crate::artifact::{self, Artifact};

pub use error::{ApiError, ErrorCode};
pub use server::{run, stopped};
pub use settings::{Settings, environment};

/// What the handlers share.
#[derive(Debug)]
pub struct Api {
    settings: Settings,
    /// The newest build that could be read; none before there is one.
    site: RwLock<Option<Arc<Artifact>>>,
}

impl Api {
    /// An API that answers from the artefact of the settings, as soon as there is one.
    pub fn new(settings: Settings) -> Arc<Api> {
        let api = Api { settings, site: RwLock::default() };
        api.refresh();
        Arc::new(api)
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reads the artefact again; what cannot be read leaves the last good one in place.
    pub fn refresh(&self) {
        if let Ok(site) = artifact::read(&self.settings.artifact) {
            *self.site.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(site));
        }
    }

    /// The build that is answered from.
    pub(crate) fn site(&self) -> Option<Arc<Artifact>> {
        self.site.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Everything below `/api/`.
pub fn router(api: Arc<Api>) -> Router {
    Router::new()
        .route("/api/health", get(health::get).fallback(|| async { ApiError::method_not_allowed("GET, HEAD") }))
        .route("/api/{*rest}", any(unknown))
        .with_state(api)
}

async fn unknown(OriginalUri(uri): OriginalUri) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at {}", uri.path()))
}
