//! The site's API: one router, used by `sitegen serve`, by the server `site-api` and on AWS Lambda.
//!
//! It reads the search bundle and `leads.json` of a build, and does not depend on pages, templates or Markdown.
//! Responses below `/api/` are JSON. An error is `{code, message}` and does not reveal internal details.

mod build;
mod bundle_mirror;
mod client;
pub mod error;
mod form;
mod health;
mod layers;
pub mod leads;
pub mod listen;
mod log;
mod metrics;
mod mount;
mod openapi;
mod origin;
mod posts;
mod query;
mod settings;
mod stop;

pub use bucket::clock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use axum::Router;
use axum::extract::OriginalUri;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, any, get, post};

use api_types::captcha::CHALLENGE_PATH;
use bundle_mirror::BundleMirror;
use leads::{DevCaptcha, Leads, altcha, dev_captcha};

pub use build::Build;
pub use client::{Proxies, SourceAddress};
pub use error::{ApiError, ErrorCode};
pub use layers::REQUEST_ID;
pub use leads::Scheduled;
pub use log::Log;
pub use mount::below;
pub use openapi::document;
pub use origin::{HEADER as ORIGIN_SECRET_HEADER, Secrets};
pub use settings::{Settings, environment};
pub use stop::stopped;

/// The state shared by the handlers.
#[derive(Debug)]
pub struct Api {
    settings: Settings,
    /// The last build that could be loaded. `None` before the first one.
    site: RwLock<Option<Arc<Build>>>,
    /// Why the last check for a newer build failed.
    failure: Mutex<Option<String>>,
    started: Instant,
    /// Time of the last check for a newer build, in milliseconds since the start.
    checked: AtomicU64,
    /// Downloads the search bundle, if it is remote.
    mirror: Option<BundleMirror>,
    /// `None` for an API without leads.
    leads: Option<Leads>,
    /// The development captcha of the preview.
    dev_captcha: Option<DevCaptcha>,
}

impl Api {
    /// Creates an API that serves the configured search bundle as soon as it exists.
    pub fn new(settings: Settings) -> Result<Arc<Api>, String> {
        Api::with_dev_captcha(settings, None)
    }

    /// Like [`Api::new`], with an optional development captcha for the preview.
    pub fn with_dev_captcha(
        settings: Settings,
        dev_captcha: Option<DevCaptcha>,
    ) -> Result<Arc<Api>, String> {
        let leads = Leads::new(&settings.leads)?;
        let mirror = settings
            .mirror
            .clone()
            .map(|mirror| BundleMirror::new(mirror, settings.bundle.clone()));
        let api = Api {
            settings,
            site: RwLock::default(),
            failure: Mutex::default(),
            started: Instant::now(),
            checked: AtomicU64::new(0),
            mirror: mirror.transpose()?,
            leads,
            dev_captcha,
        };
        // Leads of a site that is newer than this program would be refused, so the operator hears of it at the start.
        for why in api.leads.iter().flat_map(Leads::site_failures) {
            api.settings.log.failure(&why);
        }
        // A remote bundle must be downloaded first, which is asynchronous.
        if api.mirror.is_none() {
            api.refresh();
        }
        Ok(Arc::new(api))
    }

    /// The ways by which leads leave this machine; none if they are only stored.
    pub fn ways_of_leads(&self) -> Vec<String> {
        self.leads
            .as_ref()
            .map(|leads| leads.outbox().ways())
            .unwrap_or_default()
    }

    /// Whether leads are stored.
    pub fn takes_leads(&self) -> bool {
        self.leads.is_some()
    }

    /// Runs background work until the process ends: delivers notifications of leads and deletes expired leads.
    pub async fn work(self: Arc<Api>) {
        let Some(leads) = &self.leads else { return };
        Arc::clone(leads.outbox()).work(self.settings.log).await;
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Loads the search bundle if it belongs to another build than the current one. If it cannot be read, the current
    /// build stays in use.
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

    /// Logs why a check failed, unless the reason is the same as last time.
    fn report(&self, why: Option<&String>) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(why) = why.filter(|why| failure.as_ref() != Some(*why)) {
            self.settings.log.failure(why);
        }
        *failure = why.cloned();
    }

    /// Updates the copy of a remote bundle, then loads it.
    pub async fn update(self: &Arc<Api>) {
        if let Some(mirror) = &self.mirror
            && let Err(why) = mirror.update().await
        {
            self.report(Some(&why));
            return;
        }
        let api = Arc::clone(self);
        // A panic means a corrupt file that passed verification: the current build stays in use.
        let _ = tokio::task::spawn_blocking(move || api.refresh()).await;
    }

    /// Checks for a newer build, at most once per `look_every`.
    async fn check_for_new_build(self: &Arc<Api>) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.checked.load(Ordering::Relaxed);
        let interval = u64::try_from(self.settings.look_every.as_millis()).unwrap_or(u64::MAX);
        if now.saturating_sub(last) < interval
            || self
                .checked
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_err()
        {
            return;
        }
        // Only this request waits for the update; concurrent requests are served from the current build.
        self.update().await;
    }

    /// The base URL of the site, without a trailing slash. `None` before the first build.
    fn base_url(&self) -> Option<String> {
        let of_posts = self.site().map(|site| site.bundle.base_url.clone());
        of_posts.or_else(|| Some(self.leads.as_ref()?.site()?.base_url.clone()))
    }

    /// The current build.
    pub(crate) fn site(&self) -> Option<Arc<Build>> {
        self.site
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The routes below `/api/`, to be merged into another router.
pub fn router(api: &Arc<Api>) -> Router {
    layers::wrap(routes(api), api)
}

/// A complete router: the routes below `/api/`, also below the base path of the site, and 404 for all other paths.
#[expect(
    clippy::disallowed_methods,
    reason = "a layer of the same router would run after the route is chosen"
)]
pub fn alone(api: &Arc<Api>) -> Router {
    let own = layers::wrap(routes(api).fallback(unknown), api);
    Router::new()
        .fallback_service(own)
        .layer(from_fn_with_state(Arc::clone(api), mount::strip))
}

#[expect(clippy::disallowed_methods, reason = "this is the table of the API")]
fn routes(api: &Arc<Api>) -> Router {
    Router::new()
        .route("/api/health", read_only(get(health::get)))
        .route("/api/openapi.json", read_only(get(openapi::get)))
        .route("/api/posts", read_only(get(posts::get)))
        .route(
            "/api/leads",
            post(leads::post).fallback(leads::other_method),
        )
        .route(
            "/api/forms/{name}",
            post(leads::post_form).fallback(leads::other_method),
        )
        .route(
            "/api/forms/{name}/uploads",
            post(leads::uploads::post).fallback(leads::other_method),
        )
        .route(
            "/api/forms/{name}/confirm",
            get(leads::confirm::answer)
                .post(leads::confirm::answer)
                .fallback(unknown),
        )
        .route(
            "/api/leads/outbox",
            post(leads::outbox_round).fallback(unknown),
        )
        .route("/api/metrics", read_only(get(metrics::get)))
        .route(CHALLENGE_PATH, read_only(get(altcha::challenge)))
        .route(
            dev_captcha::SCRIPT_PATH,
            get(dev_captcha::script).fallback(unknown),
        )
        .route(
            dev_captcha::TOKEN_PATH,
            post(dev_captcha::token).fallback(unknown),
        )
        .route(
            dev_captcha::VERIFY_PATH,
            post(dev_captcha::verify).fallback(unknown),
        )
        .route("/api", any(unknown))
        .route("/api/", any(unknown))
        .route("/api/{*rest}", any(unknown))
        .with_state(Arc::clone(api))
}

/// A route that supports only GET and HEAD.
fn read_only(get: MethodRouter<Arc<Api>>) -> MethodRouter<Arc<Api>> {
    get.fallback(|| async { ApiError::method_not_allowed("GET, HEAD") })
}

async fn unknown(OriginalUri(uri): OriginalUri) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("there is nothing at {}", uri.path()),
    )
}
