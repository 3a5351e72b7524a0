//! The site's own small API: one router, which `sitegen serve`, a plain HTTP server and AWS Lambda all answer with.
//!
//! It knows the search bundle of a build and nothing of pages, templates or Markdown. Every answer below `/api/` is JSON; an
//! error is `{code, message}` and tells nothing of the inside.

mod build;
mod bundle_mirror;
pub mod clock;
mod error;
mod health;
mod layers;
pub mod leads;
mod log;
mod metrics;
mod openapi;
mod posts;
mod query;
mod settings;
mod signature;
mod stop;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use axum::Router;
use axum::extract::OriginalUri;
use axum::routing::{MethodRouter, any, get, post};

use bundle_mirror::BundleMirror;
use leads::{DevCaptcha, Leads, dev_captcha};

pub use build::Build;
pub use bundle_mirror::MirrorSettings;
pub use error::{ApiError, ErrorCode};
pub use layers::REQUEST_ID;
pub use leads::Scheduled;
pub use log::Log;
pub use openapi::document;
pub use settings::{Settings, environment};
pub use stop::stopped;

/// What the handlers share.
#[derive(Debug)]
pub struct Api {
    settings: Settings,
    /// The newest build that could be read; none before there is one.
    site: RwLock<Option<Arc<Build>>>,
    /// Why the last look for a newer build failed.
    failure: Mutex<Option<String>>,
    started: Instant,
    /// When a newer build was looked for, in milliseconds since the start.
    looked: AtomicU64,
    /// Where the search bundle is a copy from.
    mirror: Option<BundleMirror>,
    /// None for an API without leads.
    leads: Option<Leads>,
    /// The preview's own captcha.
    dev_captcha: Option<DevCaptcha>,
}

impl Api {
    /// An API that answers from the search bundle of the settings, as soon as there is one.
    pub fn new(settings: Settings) -> Result<Arc<Api>, String> {
        Api::with_dev_captcha(settings, None)
    }

    /// The same for the preview, which may have a captcha of its own.
    pub fn with_dev_captcha(settings: Settings, dev_captcha: Option<DevCaptcha>) -> Result<Arc<Api>, String> {
        let leads = Leads::new(&settings.leads)?;
        let mirror = settings.mirror.clone().map(|mirror| BundleMirror::new(mirror, settings.bundle.clone()));
        let api = Api {
            settings,
            site: RwLock::default(),
            failure: Mutex::default(),
            started: Instant::now(),
            looked: AtomicU64::new(0),
            mirror: mirror.transpose()?,
            leads,
            dev_captcha,
        };
        // What is a copy is there once it was fetched, which somebody has to wait for.
        if api.mirror.is_none() {
            api.refresh();
        }
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

    /// Reads the search bundle, when it is another build than the one that is answered from; what cannot be read leaves the last
    /// good one in place.
    pub fn refresh(&self) {
        let now = self.site();
        let newer = Build::newer(&self.settings.bundle, now.as_deref());
        if let Ok(Some(newer)) = &newer {
            self.settings.log.build(&newer.bundle.build);
        }
        self.report(newer.as_ref().err());
        if let Ok(Some(newer)) = newer {
            *self.site.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(newer));
        }
    }

    /// Logs why a look failed, once while the reason is the same.
    fn report(&self, why: Option<&String>) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = why.filter(|why| failure.as_ref() != Some(*why)) {
            self.settings.log.failure(why);
        }
        *failure = why.cloned();
    }

    /// Brings a copy up to date, and reads it.
    pub async fn update(self: &Arc<Api>) {
        if let Some(mirror) = &self.mirror
            && let Err(why) = mirror.update().await
        {
            self.report(Some(&why));
            return;
        }
        let api = Arc::clone(self);
        // A panic is a damaged file that passed for a whole one: the old build stays.
        let _ = tokio::task::spawn_blocking(move || api.refresh()).await;
    }

    /// Looks for a newer build, unless somebody has just done so.
    async fn look(self: &Arc<Api>) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.looked.load(Ordering::Relaxed);
        let pause = u64::try_from(self.settings.look_every.as_millis()).unwrap_or(u64::MAX);
        if now.saturating_sub(last) < pause
            || self.looked.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return;
        }
        // Whoever finds a newer build waits for it; all others are answered from the old one meanwhile.
        self.update().await;
    }

    /// The build that is answered from.
    pub(crate) fn site(&self) -> Option<Arc<Build>> {
        self.site.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Everything below `/api/`, to be merged with a router that answers elsewhere.
pub fn router(api: &Arc<Api>) -> Router {
    layers::around(routes(api), api)
}

/// The same where nothing else answers.
pub fn alone(api: &Arc<Api>) -> Router {
    layers::around(routes(api).fallback(unknown), api)
}

fn routes(api: &Arc<Api>) -> Router {
    Router::new()
        .route("/api/health", read_only(get(health::get)))
        .route("/api/openapi.json", read_only(get(openapi::get)))
        .route("/api/posts", read_only(get(posts::get)))
        .route("/api/leads", post(leads::post).fallback(leads::other_method))
        .route("/api/leads/outbox", post(leads::outbox_round).fallback(unknown))
        .route("/api/metrics", read_only(get(metrics::get)))
        .route(dev_captcha::SCRIPT_PATH, get(dev_captcha::script).fallback(unknown))
        .route(dev_captcha::TOKEN_PATH, post(dev_captcha::token).fallback(unknown))
        .route(dev_captcha::VERIFY_PATH, post(dev_captcha::verify).fallback(unknown))
        .route("/api", any(unknown))
        .route("/api/", any(unknown))
        .route("/api/{*rest}", any(unknown))
        .with_state(Arc::clone(api))
}

/// An address that is only read.
fn read_only(get: MethodRouter<Arc<Api>>) -> MethodRouter<Arc<Api>> {
    get.fallback(|| async { ApiError::method_not_allowed("GET, HEAD") })
}

async fn unknown(OriginalUri(uri): OriginalUri) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is nothing at {}", uri.path()))
}
