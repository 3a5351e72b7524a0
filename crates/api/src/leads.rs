//! `POST /api/leads`: accepts a lead, and confirms it only once it is stored durably.
//!
//! The checks run in this order: the origin, the body and its fields, a key that is known already, the limits, the
//! captcha, the store. So a mistake costs nobody a captcha, a repeated lead gets its first answer whatever the captcha
//! says by now, and a captcha is never used up for a lead that the store cannot take.
//!
//! A key names a lead, not a request: the fingerprint that it is compared with leaves out the captcha's token, because
//! a visitor who tries again after a lost answer has solved another captcha. Only a stored lead has a key. A lead that
//! looks like spam is stored and answered like any other, so that its sender does not learn how it was recognized.

mod answer;
mod captcha;
pub mod dev_captcha;
mod dynamodb;
mod lead;
mod limits;
pub mod outbox;
mod page;
mod request;
mod settings;
mod sqlite;
mod store;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use axum::extract::{Extension, OriginalUri, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};

use api_types::error::ErrorAnswer;
use api_types::lead_site::{self, LeadSite};
use api_types::leads::{LIMITS, LeadAnswer, LeadErrorCode, LeadFault, LeadField, LeadRequest, PlainLead, line};

use super::Api;
use super::clock;
use super::metrics::{Metric, Metrics};

use answer::{Refusal, Visitor};
use captcha::{Captcha, Verdict};
use limits::Limits;
use outbox::Outbox;
use request::{FormKind, Submission};

pub use dev_captcha::DevCaptcha;
pub use dynamodb::DynamoDb;
pub use lead::{Channel, Contents, Delivery, DeliveryState, Lead, Status, new_id};
pub use settings::{CaptchaSettings, LeadSettings, MailSettings, StoreSettings, WebhookSettings, environment};
pub use sqlite::Sqlite;
pub use store::{Backlog, DeliveryOutcome, InsertOutcome, NewLead, Store, StoreError, StoreFuture};

/// All that leads need while the API runs.
#[derive(Debug)]
pub struct Leads {
    settings: LeadSettings,
    store: Arc<dyn Store>,
    /// The newest build that could be read, and by what its file is known; none before there is one.
    site: RwLock<Option<(Known, Arc<LeadSite>)>>,
    captcha: Option<Captcha>,
    limits: Limits,
    /// One turn for each submission that is being taken, so that its double waits for its answer.
    turns: Mutex<HashMap<lead::Hash, Weak<tokio::sync::Mutex<()>>>>,
    outbox: Arc<Outbox>,
    metrics: Arc<Metrics>,
}

/// By what a file is known to be the same as before.
type Known = (Option<std::time::SystemTime>, u64);

/// The store of the settings; none when there shall be no leads.
pub fn open(settings: &LeadSettings) -> Result<Option<Arc<dyn Store>>, String> {
    let Some(store) = &settings.store else { return Ok(None) };
    match store {
        StoreSettings::File(path) => {
            let sqlite = Sqlite::new(path).map_err(|error| format!("the store of leads could not start: {error}"))?;
            Ok(Some(Arc::new(sqlite)))
        }
        StoreSettings::DynamoDb(table) => {
            let store = DynamoDb::new(table, outbox::client()?);
            Ok(Some(Arc::new(store.map_err(|why| format!("{}: {why}", environment::LEADS_STORE))?)))
        }
    }
}

impl Leads {
    /// What the settings ask for; none when there shall be no leads.
    pub fn new(settings: &LeadSettings) -> Result<Option<Leads>, String> {
        let Some(store) = open(settings)? else { return Ok(None) };
        let client = outbox::client()?;
        let metrics = Arc::new(Metrics::new());
        let outbox = Arc::new(Outbox::new(settings, Arc::clone(&store), client.clone(), Arc::clone(&metrics))?);
        Ok(Some(Leads {
            captcha: settings.captcha.clone().map(|captcha| Captcha::new(captcha, settings.local_hosts, client)),
            limits: Limits::new(settings.per_minute, settings.per_minute_total),
            settings: settings.clone(),
            site: RwLock::default(),
            turns: Mutex::default(),
            store,
            outbox,
            metrics,
        }))
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// What the newest build says. A file that cannot be read leaves the last good one in place.
    pub fn site(&self) -> Option<Arc<LeadSite>> {
        let known = std::fs::metadata(&self.settings.site).map(|meta| (meta.modified().ok(), meta.len())).ok();
        let last = self.site.read().unwrap_or_else(PoisonError::into_inner).clone();
        match (known, last) {
            (Some(known), Some((last, site))) if known == last => Some(site),
            (Some(known), last) => match lead_site::read(&self.settings.site) {
                Ok(site) => {
                    let site = Arc::new(site);
                    *self.site.write().unwrap_or_else(PoisonError::into_inner) = Some((known, Arc::clone(&site)));
                    Some(site)
                }
                Err(_) => last.map(|(_, site)| site),
            },
            (None, last) => last.map(|(_, site)| site),
        }
    }

    /// What was counted.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// What delivers news of leads.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    async fn take(
        &self,
        site: &LeadSite,
        visitor: &Visitor,
        submission: Submission,
    ) -> Result<Option<Status>, Refusal> {
        let rules = site.rules;
        let plain = visitor.form == FormKind::Plain;
        if plain && rules.refuse_without_script {
            return Err(LeadFault { code: LeadErrorCode::ScriptRequired, field: None }.into());
        }
        let Submission { request, position, signals, key } = submission;
        let position = line(&position, LeadField::Position, LIMITS.position)?;
        let request = request.checked()?;
        let token = request.recaptcha_token.clone();
        if !plain && token.is_empty() {
            return Err(LeadFault::of(LeadField::RecaptchaToken, LeadErrorCode::CaptchaRequired).into());
        }
        let contents = Contents::of(request, position);
        let fingerprint = contents.fingerprint();
        // A form without script names no submission: the same words are the same lead.
        let key = if plain { Some(lead::hash(&[b"plain ", &fingerprint[..]].concat())) } else { key };
        let token_hash = (!plain).then(|| lead::hash(token.as_bytes()));

        let turn = self.turn(key.or(token_hash).unwrap_or(fingerprint));
        let _turn = turn.lock().await;
        if let Some(key) = key
            && let Some(known) = self.store.fingerprint(key).await?
        {
            return if known == fingerprint { Ok(None) } else { Err(conflict()) };
        }
        if let Err(seconds) = self.limits.admit(&*self.store, visitor.address, plain).await? {
            return Err(Refusal { retry_after: Some(seconds), ..fault(LeadErrorCode::RateLimited) });
        }
        let (status, reason) = match self.verdict(site, visitor, &token).await {
            Some(Verdict::Refused) => {
                // Its double may have been taken by another machine in the meantime.
                let known = if let Some(key) = key { self.store.fingerprint(key).await? } else { None };
                return match known {
                    Some(known) if known == fingerprint => Ok(None),
                    _ => Err(LeadFault::of(LeadField::RecaptchaToken, LeadErrorCode::CaptchaRefused).into()),
                };
            }
            Some(Verdict::Unknown(_)) if rules.refuse_unverified => {
                return Err(fault(LeadErrorCode::Unavailable));
            }
            Some(Verdict::Unknown(why)) => {
                (Status::Unverified, Some(format!("the captcha could not be checked: {why}")))
            }
            Some(Verdict::Solved) => (Status::Verified, None),
            None => (Status::Quarantined, Some("sent without script, so without a captcha".into())),
        };
        let (status, reason) = match signals.suspicion() {
            Some(suspicion) => (Status::Spam, Some(suspicion.to_owned())),
            None => (status, reason),
        };
        let at = clock::now();
        let lead = Lead { id: new_id(at), at, locale: visitor.locale.clone(), status, reason, contents };
        let channels = if status.is_held() { Vec::new() } else { self.outbox.channels() };
        let sends = !channels.is_empty();
        match self.store.insert(NewLead { lead, key, fingerprint, token: token_hash, channels }).await? {
            InsertOutcome::New => {
                if sends {
                    self.outbox.wake();
                }
                Ok(Some(status))
            }
            InsertOutcome::Duplicate => Ok(None),
            InsertOutcome::OtherLead => Err(conflict()),
            InsertOutcome::TokenUsed => {
                Err(LeadFault::of(LeadField::RecaptchaToken, LeadErrorCode::CaptchaRefused).into())
            }
        }
    }

    /// What the captcha's provider says; none for a form that has no captcha.
    async fn verdict(&self, site: &LeadSite, visitor: &Visitor, token: &str) -> Option<Verdict> {
        if visitor.form == FormKind::Plain {
            return None;
        }
        let Some(captcha) = &self.captcha else { return Some(Verdict::Unknown("nobody checks captchas here".into())) };
        let host = host(&site.base_url).unwrap_or_default();
        Some(captcha.verify(token, &host).await)
    }

    fn turn(&self, of: lead::Hash) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(&of).and_then(Weak::upgrade) {
            return turn;
        }
        if turns.len() > 1_000 {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::default();
        turns.insert(of, Arc::downgrade(&turn));
        turn
    }

    /// Whether pages of an origin may send leads here. A request that names none is not a page's.
    fn allows(&self, origins: &[String], site: &LeadSite, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else { return true };
        let Some(origin) = origin.to_str().ok().map(str::to_lowercase) else { return false };
        let named = || headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let own = || origin.split_once("://").map(|(_, host)| host);
        site.base_url.to_lowercase() == origin
            || site.api_url.as_ref().is_some_and(|url| url.to_lowercase() == origin)
            || origins.contains(&origin)
            || (self.settings.own_host && own().is_some() && own() == named())
    }
}

fn fault(code: LeadErrorCode) -> Refusal {
    LeadFault { code, field: None }.into()
}

fn conflict() -> Refusal {
    fault(LeadErrorCode::KeyConflict)
}

fn host(base_url: &str) -> Option<String> {
    reqwest::Url::parse(base_url).ok()?.host_str().map(str::to_lowercase)
}

/// Stores a lead. The same lead under the same `Idempotency-Key` is stored once. A form that was sent without script is held
/// back until somebody releases it, and answered with pages.
#[utoipa::path(
    post,
    path = "/api/leads",
    operation_id = "lead",
    params(
        ("lang" = Option<String>, Query, description = "The language of the error's words."),
        ("Idempotency-Key" = Option<String>, Header, description = "Names the submission: 1 to 255 visible ASCII characters."),
        ("X-Form-Signals" = Option<String>, Header, description = "What else the form noticed, urlencoded: `website`, `elapsed`."),
    ),
    request_body(content((LeadRequest = "application/json"), (PlainLead = "application/x-www-form-urlencoded"))),
    responses(
        (status = 200, description = "It is stored.", body = LeadAnswer),
        (status = 303, description = "It is stored; the page that says thank you is in `Location`."),
        (status = 400, description = "It is no lead.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 403, description = "The page that asks is no page of the site.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 404, description = "This API takes no leads.", body = ErrorAnswer),
        (status = 408, description = "The body did not come in time.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 409, description = "The key names another lead.", body = LeadAnswer),
        (status = 413, description = "The body is too large.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 415, description = "The body is neither JSON nor a form.", body = LeadAnswer),
        (status = 422, description = "A field or the captcha is wrong.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 429, description = "Too many leads; `Retry-After` says when to come back.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 503, description = "It cannot be stored now.", content((LeadAnswer = "application/json"), (String = "text/html")))
    )
)]
pub(super) async fn post(State(api): State<Arc<Api>>, request: Request) -> Response {
    let Some(leads) = &api.leads else { return answer::off() };
    let (parts, body) = request.into_parts();
    let site = leads.site();
    let mut visitor = Visitor::of(&parts, site.clone(), &api.settings, leads.settings.address_header.as_deref());
    // The body is read even where the answer is known: a client that is still sending does not see it.
    let bytes = request::body(body).await;
    visitor.form = match request::form(&parts.headers) {
        Ok(form) => form,
        Err(fault) => return visitor.refuse(fault.into(), &Vec::new()),
    };
    let mut typed = Vec::new();
    let read = bytes.and_then(|bytes| match visitor.form {
        FormKind::Json => request::json(&parts.headers, &bytes),
        FormKind::Plain => {
            typed = request::fields(&bytes)?;
            visitor.speak(request::get(&typed, "lang"));
            Ok(request::plain(&typed))
        }
    });
    let asking = async {
        let site = site.ok_or_else(|| StoreError::Unavailable("no build of the site has been read yet".into()))?;
        if !leads.allows(&api.settings.origins, &site, &parts.headers) {
            return Err(fault(LeadErrorCode::ForbiddenOrigin));
        }
        let submission = read?;
        let (api, visitor) = (Arc::clone(&api), visitor.clone());
        // On its own, so that a visitor who hangs up while the captcha is being asked about does not leave it half done.
        let task = tokio::spawn(async move {
            let leads = api.leads.as_ref().ok_or_else(|| fault(LeadErrorCode::Unavailable))?;
            leads.take(&site, &visitor, submission).await
        });
        task.await.unwrap_or_else(|_| Err(fault(LeadErrorCode::Unavailable)))
    };
    let (log, metrics) = (api.settings.log, &leads.metrics);
    match asking.await {
        Ok(status) => {
            metrics.count(log, Metric::Leads, status.map_or("again", Status::name));
            visitor.thank()
        }
        Err(refusal) => {
            metrics.count(log, Metric::LeadsRefused, refusal.fault.code.name());
            if refusal.trouble.is_some() {
                metrics.count(log, Metric::LeadsNotStored, "");
            }
            visitor.refuse(refusal, &typed)
        }
    }
}

/// Marks a request that comes from a schedule of the operator and from nobody else. Who receives requests says so, in their
/// extensions; no header can.
#[derive(Debug, Clone, Copy)]
pub struct Scheduled;

/// `POST /api/leads/outbox`: delivers what is due, where nobody works between two requests. Only for the [`Scheduled`]:
/// each round asks the store, which somebody pays for.
pub(super) async fn outbox_round(
    State(api): State<Arc<Api>>,
    scheduled: Option<Extension<Scheduled>>,
    uri: OriginalUri,
) -> Response {
    if scheduled.is_none() {
        return crate::unknown(uri).await.into_response();
    }
    let Some(leads) = &api.leads else { return answer::off() };
    let keep_days = leads.site().and_then(|site| site.rules.keep_days);
    leads.outbox.round_and_tidy(api.settings.log, keep_days).await;
    axum::http::StatusCode::NO_CONTENT.into_response()
}

/// Any other method.
pub(super) async fn other_method(State(api): State<Arc<Api>>, request: Request) -> Response {
    let Some(leads) = &api.leads else { return answer::off() };
    let (parts, _) = request.into_parts();
    let visitor = Visitor::of(&parts, leads.site(), &api.settings, None);
    visitor.refuse(fault(LeadErrorCode::MethodNotAllowed), &Vec::new())
}
