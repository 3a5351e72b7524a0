//! The site's own small API: one router, which `sitegen serve`, a plain HTTP server and AWS Lambda all answer with.
//!
//! It knows the artefact of a build and nothing of pages, templates or Markdown. Every answer below `/api/` is JSON; an
//! error is `{code, message}` and tells nothing of the inside.

pub mod clock;
mod error;
mod health;
pub mod leads;
mod log;
mod server;
mod settings;

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::extract::OriginalUri;
use axum::routing::{any, get, post};

use crate::artifact::{self, Artifact};

use leads::{Leads, StandIn, stand_in};

pub use error::{ApiError, ErrorCode};
pub use log::Log;
pub use server::{run, stopped};
pub use settings::{Settings, environment};

/// What the handlers share.
#[derive(Debug)]
pub struct Api {
    settings: Settings,
    /// The newest build that could be read; none before there is one.
    site: RwLock<Option<Arc<Artifact>>>,
    /// None for an API without leads.
    leads: Option<Leads>,
    /// The preview's own captcha.
    stand_in: Option<StandIn>,
}

impl Api {
    /// An API that answers from the artefact of the settings, as soon as there is one.
    pub fn new(settings: Settings) -> Result<Arc<Api>, String> {
        Api::with_stand_in(settings, None)
    }

    /// The same for the preview, which may have a captcha of its own.
    pub fn with_stand_in(settings: Settings, stand_in: Option<StandIn>) -> Result<Arc<Api>, String> {
        let leads = Leads::new(&settings.leads)?;
        let api = Api { settings, site: RwLock::default(), leads, stand_in };
        api.refresh();
        Ok(Arc::new(api))
    }

    /// Does what has to be done beside answering, as long as the process runs: delivers news of leads.
    pub async fn work(self: Arc<Api>) {
        let Some(leads) = &self.leads else { return };
        let keep_days = || leads.site().and_then(|site| site.rules.keep_days);
        Arc::clone(leads.outbox()).work(self.settings.log, keep_days).await;
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
        .route("/api/leads", post(leads::post).fallback(leads::other_method))
        .route(stand_in::SCRIPT_PATH, get(stand_in::script).fallback(unknown))
        .route(stand_in::TOKEN_PATH, post(stand_in::token).fallback(unknown))
        .route(stand_in::VERIFY_PATH, post(stand_in::verify).fallback(unknown))
        .route("/api/{*rest}", any(unknown))
        .with_state(api)
}

async fn unknown(OriginalUri(uri): OriginalUri) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at {}", uri.path()))
}
