//! `POST /api/leads` and `POST /api/forms/NAME`: accept a lead, and confirm it only once it is stored durably.
//!
//! Checks run in this order: origin, body and fields, idempotency key, limits of the sender and its networks, captcha, total
//! of leads, store. So an invalid field does not consume a captcha token, a repeated lead gets the first response even if its
//! token has expired, and what fails the captcha uses up nothing that is left to others.
//!
//! A key identifies a lead, not a request: the fingerprint that is compared leaves out the captcha token, because a
//! visitor who retries after a lost response has solved another captcha. A form without JavaScript has no key; what comes
//! with the same words from the same sender on the same day is stored again and marked, because two visitors can share
//! words and an address. Only stored leads have a key. Spam is stored
//! and confirmed like any other lead, so that its sender does not learn how it was detected.

pub(crate) mod altcha;
mod answer;
mod backup;
mod captcha;
pub(crate) mod confirm;
mod contents;
pub mod csv;
pub mod dev_captcha;
mod dynamodb;
mod email;
mod erase;
mod expiry;
mod file_bucket;
mod form_check;
mod from_environment;
mod http_client;
pub mod json;
mod lead;
mod lead_files;
mod limits;
mod listing;
pub mod outbox;
mod page;
mod queue;
mod repeat;
mod request;
mod settings;
mod site_failures;
mod site_file;
mod sqlite;
mod store;
mod store_error;
mod upload;
pub(crate) mod uploads;
mod visit;

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::fs::Access;
use tokio::sync::Semaphore;

use axum::extract::{Extension, OriginalUri, Path, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};

use api_types::captcha::CaptchaProvider;
use api_types::error::ErrorAnswer;
use api_types::forms::{self, AnswerType, FormAnswer};
use api_types::lead_site::LeadSite;
use api_types::leads::{
    self as call, LeadAnswer, LeadErrorCode, LeadFault, LeadKey, TOKEN, TOKEN_MAX,
};

use super::Api;
use super::clock;
use super::metrics::{Metric, Metrics};

use altcha::Challenges;
use answer::{Refusal, Visitor};
use captcha::{Captcha, Verdict};
use limits::{Admission, CAPTCHA, Calls, Intake, Kind, Limits};
use outbox::Outbox;
use request::{Answers, FormKind, Submission};

pub use backup::backup;
pub use contents::{Contents, StoredConsent, VisitsConsent};
pub use dev_captcha::DevCaptcha;
pub use dynamodb::DynamoDb;
pub use erase::{Erase, names_person};
pub use expiry::{Erasure, Expired, Expiry};
pub use file_bucket::FileBucket;
pub use lead::{Channel, Delivery, DeliveryState, Lead, Status, new_id};
pub use lead_files::{DescribedFile, FileContent, NewFile, StoredFile, UploadedFile};
pub use listing::{Facets, Filter, Listed, Listing};
pub use queue::Queue;
pub use settings::{
    CaptchaSettings, LeadSettings, MailSettings, StoreSettings, WebhookSettings, environment,
};
pub use site_file::SiteFile;
pub use sqlite::Sqlite;
pub use store::{
    Backlog, DeliveryOutcome, Forwarding, InsertOutcome, NewLead, Store, StoreError, StoreFuture,
};
pub use visit::Visit;

/// The `Retry-After` header once an address has had its mails of the day, in seconds.
const MAIL_WAIT: u32 = 3_600;
/// The `Retry-After` header while too many captchas are being verified, in seconds.
const CALL_WAIT: u32 = 2;

/// The state of the lead endpoint.
#[derive(Debug)]
pub struct Leads {
    settings: LeadSettings,
    store: Arc<dyn Store>,
    site: Arc<SiteFile>,
    captcha: Option<Captcha>,
    limits: Limits,
    calls: Calls,
    /// One lock per submission in progress, so that a duplicate waits for the first response.
    locks: Mutex<HashMap<lead::Hash, Weak<tokio::sync::Mutex<()>>>>,
    outbox: Arc<Outbox>,
    /// The forms with files that are being received.
    intake: Intake,
    /// A permit for each answer whose files are looked at in the bucket.
    looks: Semaphore,
    /// The challenges of the proof of work.
    challenges: Challenges,
    metrics: Arc<Metrics>,
}

/// Opens the configured store. Returns `None` if leads are off.
pub fn open(settings: &LeadSettings) -> Result<Option<Arc<dyn Store>>, String> {
    let Some(store) = &settings.store else {
        return Ok(None);
    };
    match store {
        StoreSettings::File(path) => {
            let name = environment::LEADS_STORE;
            // A symbolic link may point to a file that does not exist yet.
            let file = match (path.read_link(), path.parent()) {
                (Ok(target), Some(folder)) => folder.join(target),
                _ => path.clone(),
            };
            let folder = file
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                return Err(format!(
                    "{name}: there is no folder `{}`; create it, or name a different folder",
                    folder.display()
                ));
            }
            if file.exists() && !file.is_file() {
                return Err(format!(
                    "{name}: `{}` is not a file; name a file, which is created if it does not exist",
                    path.display()
                ));
            }
            let folder = folder.unwrap_or(FilePath::new("."));
            // A file that is there may be writable again later: until then, leads are refused.
            if !file.exists() {
                rustix::fs::access(folder, Access::WRITE_OK).map_err(|error| {
                    format!(
                        "{name}: this program cannot create a file in `{}` ({error}); change the folder's owner or mode, or name a different file",
                        folder.display()
                    )
                })?;
            }
            let sqlite = Sqlite::new(path)
                .map_err(|error| format!("the lead store could not be started: {error}"))?;
            Ok(Some(Arc::new(sqlite)))
        }
        StoreSettings::DynamoDb(table) => {
            let store = DynamoDb::new(table, settings.files.clone(), http_client::client()?);
            Ok(Some(Arc::new(store.map_err(|why| {
                format!("{}: {why}", environment::LEADS_STORE)
            })?)))
        }
    }
}

impl Leads {
    /// Creates the state from the settings. Returns `None` if leads are off.
    pub fn new(settings: &LeadSettings) -> Result<Option<Leads>, String> {
        let Some(store) = open(settings)? else {
            return Ok(None);
        };
        let client = http_client::client()?;
        let metrics = Arc::new(Metrics::new());
        let site = Arc::new(SiteFile::new(settings.site.clone()));
        let outbox = Outbox::new(
            settings,
            Arc::clone(&site),
            Arc::clone(&store),
            &client,
            Arc::clone(&metrics),
        )?;
        Ok(Some(Leads {
            captcha: settings
                .captcha
                .clone()
                .map(|captcha| Captcha::new(captcha, settings.local_hosts, client)),
            limits: Limits::new(settings.per_minute, settings.per_minute_total),
            calls: Calls::new(CAPTCHA),
            intake: Intake::new(),
            looks: Semaphore::new(uploads::AT_ONCE),
            challenges: Challenges::default(),
            settings: settings.clone(),
            site,
            locks: Mutex::default(),
            store,
            outbox: Arc::new(outbox),
            metrics,
        }))
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The contents of `leads.json`. If the file cannot be read, the last valid contents are returned.
    pub fn site(&self) -> Option<Arc<LeadSite>> {
        self.site.get()
    }

    /// The counters.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The outbox, which delivers notifications.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    async fn take(
        &self,
        site: &LeadSite,
        visitor: &Visitor,
        submission: Submission,
    ) -> Result<Option<Status>, Refusal> {
        let rules = &site.rules;
        let plain = visitor.form == FormKind::Plain;
        let Submission {
            answers,
            signals,
            key,
        } = submission;
        let needs_captcha = match &answers {
            Answers::Lead(_) => rules.captcha != CaptchaProvider::None,
            Answers::Form { .. } => visitor.site_form().is_none_or(|form| form.captcha),
        };
        if plain && needs_captcha && rules.refuse_without_script {
            return Err(LeadFault {
                code: LeadErrorCode::ScriptRequired,
                field: None,
            }
            .into());
        }
        let (mut contents, token, files) =
            checked(self.with_uploads(answers, visitor).await?, visitor)?;
        let has_captcha = needs_captcha && !plain;
        if has_captcha && token.is_empty() {
            return Err(LeadFault::of(TOKEN, LeadErrorCode::CaptchaRequired).into());
        }
        let fingerprint = contents.fingerprint();
        contents.visits_consent.clone_from(&signals.visits_consent);
        contents.visit = signals
            .visit
            .clone()
            .kept(rules.campaigns.as_deref(), visitor.build.clone());
        let mut key = if plain {
            Some(repeat::key_of_plain(&fingerprint, visitor))
        } else {
            key
        };
        let token_hash = has_captcha.then(|| match rules.captcha {
            CaptchaProvider::Altcha => altcha::identity(&token),
            _ => lead::hash(token.as_bytes()),
        });

        let lock = self.submission_lock(key.or(token_hash).unwrap_or(fingerprint));
        let _guard = lock.lock().await;
        let mut is_repeat = false;
        if let Some(known_key) = key
            && let Some(known) = self.store.fingerprint(known_key).await?
        {
            if !plain {
                return if known == fingerprint {
                    Ok(None)
                } else {
                    Err(conflict())
                };
            }
            (key, is_repeat) = (None, true);
        }
        let store = &*self.store;
        let call = if has_captcha {
            self.begin_call(visitor)?
        } else {
            None
        };
        let kind = if has_captcha {
            Kind::Attempt
        } else {
            Kind::Unproven
        };
        let attempt = match self.limits.admit(store, kind, visitor.address).await? {
            Ok(attempt) => attempt,
            // The same words are stored already, so nothing is lost.
            Err(_) if is_repeat => return Ok(None),
            Err(seconds) => return Err(rate_limited(seconds)),
        };
        let verdict = if has_captcha {
            Some(self.verdict(site, &token).await)
        } else {
            None
        };
        drop(call);
        let is_solved = verdict == Some(Verdict::Solved);
        let (status, reason) = match verdict {
            Some(Verdict::Refused) => {
                // Another machine may have stored the same lead in the meantime.
                let known = if let Some(key) = key {
                    self.store.fingerprint(key).await?
                } else {
                    None
                };
                return match known {
                    Some(known) if known == fingerprint => Ok(None),
                    _ => Err(captcha_refused()),
                };
            }
            Some(Verdict::Unknown(_)) if rules.refuse_unverified => {
                return Err(fault(LeadErrorCode::Unavailable));
            }
            Some(Verdict::Unknown(why)) => (
                Status::Unverified,
                Some(format!("the captcha could not be checked: {why}")),
            ),
            Some(Verdict::Solved) => (Status::Verified, None),
            None => without_captcha(needs_captcha),
        };
        let (status, reason) = match signals.suspicion() {
            Some(suspicion) => (Status::Spam, Some(suspicion.to_owned())),
            None => (status, reason),
        };
        // A lead without a captcha was counted already.
        let counted = if has_captcha {
            Some(self.count(is_solved, &attempt, visitor).await?)
        } else {
            None
        };
        let status = self.awaited(&contents, status)?;
        let at = clock::now();
        let mut lead = Lead {
            id: new_id(at),
            at,
            locale: visitor.locale.clone(),
            status,
            reason,
            contents,
        };
        if is_repeat {
            repeat::mark(&mut lead);
        }
        let channels = self.outbox.channels_of(&lead);
        let sends = !channels.is_empty();
        let new = NewLead {
            lead,
            key,
            fingerprint,
            token: token_hash,
            channels,
            files,
        };
        let outcome = repeat::insert(store, new, plain).await;
        // Of what was proven, only the sender keeps count; a token that was used before proves nothing.
        let unused = match outcome {
            Ok(InsertOutcome::New | InsertOutcome::Duplicate) => is_solved.then_some(attempt),
            _ => counted,
        };
        if let Some(unused) = unused {
            self.limits.give_back(store, unused).await;
        }
        match outcome? {
            InsertOutcome::New => {
                if sends {
                    self.outbox.wake();
                }
                Ok(Some(status))
            }
            InsertOutcome::Duplicate => Ok(None),
            InsertOutcome::OtherLead => Err(conflict()),
            InsertOutcome::FileUsed => Err(uploads::used(visitor)),
            InsertOutcome::NoMailLeft => Err(rate_limited(MAIL_WAIT)),
            InsertOutcome::TokenUsed => Err(captcha_refused()),
        }
    }

    /// Counts an answer by the result of its captcha. If it is refused, what a solved captcha has used is given back.
    async fn count(
        &self,
        is_solved: bool,
        attempt: &Admission,
        visitor: &Visitor,
    ) -> Result<Admission, Refusal> {
        let store = &*self.store;
        let kind = if is_solved {
            Kind::Proven
        } else {
            Kind::Unproven
        };
        let counted = self.limits.admit(store, kind, visitor.address).await?;
        if counted.is_err() && is_solved {
            self.limits.give_back(store, attempt.clone()).await;
        }
        counted.map_err(rate_limited)
    }

    /// The status of a lead whose visitor has to confirm it. Who confirms by mail proves more than a captcha does; what is held
    /// for a review stays so.
    fn awaited(&self, contents: &Contents, status: Status) -> Result<Status, Refusal> {
        let needs_confirmation = contents.needs_confirmation;
        if needs_confirmation && !self.outbox.can_ask() {
            let why = "the API has no mail server for confirmation emails";
            return Err(StoreError::Unavailable(why.into()).into());
        }
        Ok(if needs_confirmation && !status.is_held() {
            Status::Unconfirmed
        } else {
            status
        })
    }

    /// The verdict of the captcha provider.
    async fn verdict(&self, site: &LeadSite, token: &str) -> Verdict {
        let provider = site.rules.captcha;
        if provider == CaptchaProvider::Altcha {
            let key = self.store.link_key().await;
            return key.map_or_else(
                |why| Verdict::Unknown(why.to_string()),
                |key| altcha::verify(token, &key),
            );
        }
        let Some(captcha) = &self.captcha else {
            return Verdict::Unknown("no captcha provider is configured".into());
        };
        let hosts: Vec<String> = site.hosts().base_urls().filter_map(host).collect();
        captcha.verify(provider, token, &hosts).await
    }

    /// Begins a call to the captcha provider. `None` without limits.
    fn begin_call(&self, visitor: &Visitor) -> Result<Option<limits::Call>, Refusal> {
        if self.settings.per_minute == 0 {
            return Ok(None);
        }
        self.calls
            .begin(limits::network(visitor.address))
            .map(Some)
            .ok_or_else(|| rate_limited(CALL_WAIT))
    }

    fn submission_lock(&self, submission: lead::Hash) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(&submission).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() > 1_000 {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::default();
        locks.insert(submission, Arc::downgrade(&lock));
        lock
    }

    /// Whether the request's origin may send leads. A request without `Origin` is allowed: it does not come from a
    /// page.
    fn allows(&self, origins: &[String], site: &LeadSite, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else {
            return true;
        };
        let Some(origin) = origin.to_str().ok().map(str::to_lowercase) else {
            return false;
        };
        let named = || {
            headers
                .get(header::HOST)
                .and_then(|host| host.to_str().ok())
        };
        let own = || origin.split_once("://").map(|(_, host)| host);
        site.hosts().has_origin(&origin)
            || site
                .api_url
                .as_ref()
                .is_some_and(|url| url.to_lowercase() == origin)
            || origins.contains(&origin)
            || (self.settings.own_host && own().is_some() && own() == named())
    }
}

/// The status of a lead whose sender proved nothing, and why.
fn without_captcha(needs_captcha: bool) -> (Status, Option<String>) {
    if needs_captcha {
        (
            Status::Quarantined,
            Some("sent without JavaScript, so without a captcha".into()),
        )
    } else {
        (Status::Unverified, Some("the form has no captcha".into()))
    }
}

/// The contents of a valid lead, the token of its captcha, and its files.
fn checked(
    answers: Answers,
    visitor: &Visitor,
) -> Result<(Contents, String, Vec<NewFile>), Refusal> {
    match answers {
        Answers::Lead(lead) => {
            let contents = Contents::of_call(call::checked(&lead)?);
            if !contents.email.is_empty() && email::deliverable(&contents.email).is_none() {
                let field = call::key_of(AnswerType::Email).map(LeadKey::name);
                return Err(LeadFault {
                    code: LeadErrorCode::InvalidEmail,
                    field,
                }
                .into());
            }
            let token = lead.get(TOKEN).map_or("", |token| token.trim()).to_owned();
            Ok((contents, token, Vec::new()))
        }
        Answers::Form {
            sent,
            files,
            token,
            page,
            version,
        } => {
            let form = visitor
                .site_form()
                .ok_or_else(|| fault(LeadErrorCode::BadRequest))?;
            let known = form_check::Known {
                locale: &visitor.locale,
                page: &page,
                version: &version,
                now: clock::now(),
                all_are_shown: visitor.form == FormKind::Plain,
            };
            let (contents, files) = form_check::check(form, &sent, &files, &known)?;
            if token.len() > TOKEN_MAX {
                return Err(fault(LeadErrorCode::CaptchaRefused));
            }
            Ok((contents, token.trim().to_owned(), files))
        }
    }
}

fn rate_limited(seconds: u32) -> Refusal {
    Refusal {
        retry_after: Some(seconds),
        ..fault(LeadErrorCode::RateLimited)
    }
}

fn fault(code: LeadErrorCode) -> Refusal {
    LeadFault { code, field: None }.into()
}

fn captcha_refused() -> Refusal {
    LeadFault::of(TOKEN, LeadErrorCode::CaptchaRefused).into()
}

fn conflict() -> Refusal {
    fault(LeadErrorCode::KeyConflict)
}

fn host(base_url: &str) -> Option<String> {
    reqwest::Url::parse(base_url)
        .ok()?
        .host_str()
        .map(str::to_lowercase)
}

/// Stores a lead. The same lead with the same `Idempotency-Key` is stored once. A form sent without JavaScript is
/// quarantined until the operator releases it, and answered with HTML pages.
#[utoipa::path(
    post,
    path = "/api/leads",
    operation_id = "lead",
    params(
        ("lang" = Option<String>, Query, description = "The language of the error message."),
        ("Idempotency-Key" = Option<String>, Header, description = "Identifies the submission: 1 to 255 visible ASCII characters."),
        ("X-Form-Signals" = Option<String>, Header, description = "Spam signals, URL-encoded: `website`, `elapsed`; and `consent`, the visitor's choice about being counted."),
    ),
    request_body(content((Object = "application/json"), (Object = "application/x-www-form-urlencoded"))),
    responses(
        (status = 200, description = "The lead is stored.", body = LeadAnswer),
        (status = 303, description = "The lead is stored. `Location` is the thank-you page."),
        (status = 400, description = "The request is not a valid lead.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 403, description = "The origin is not allowed.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 404, description = "This API does not accept leads.", body = ErrorAnswer),
        (status = 408, description = "The body was not received in time.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 409, description = "The key was used for a different lead.", body = LeadAnswer),
        (status = 413, description = "The body is too large.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 415, description = "The body is neither JSON nor a form.", body = LeadAnswer),
        (status = 422, description = "A field or the captcha is invalid.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 429, description = "The rate limit was exceeded; `Retry-After` says when to retry.", content((LeadAnswer = "application/json"), (String = "text/html"))),
        (status = 503, description = "The lead could not be stored.", content((LeadAnswer = "application/json"), (String = "text/html")))
    )
)]
pub(super) async fn post(State(api): State<Arc<Api>>, request: Request) -> Response {
    receive(api, None, request).await
}

/// Stores an answer to a form of the site, as a lead. The same answer with the same `Idempotency-Key` is stored once. A form
/// sent without JavaScript is quarantined if it has a captcha, and answered with HTML pages.
#[utoipa::path(
    post,
    path = "/api/forms/{name}",
    operation_id = "form",
    params(
        ("name" = String, Path, description = "The name of the form."),
        ("lang" = Option<String>, Query, description = "The language of the error messages."),
        ("Idempotency-Key" = Option<String>, Header, description = "Identifies the submission: 1 to 255 visible ASCII characters."),
        ("X-Form-Signals" = Option<String>, Header, description = "Data in addition to the fields, URL-encoded: `website`, `elapsed`, `page`, `version`, `consent`."),
    ),
    request_body(content((Object = "application/json"), (Object = "application/x-www-form-urlencoded"), (Object = "multipart/form-data"))),
    responses(
        (status = 200, description = "The answer is stored.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 303, description = "The answer is stored. `Location` is the thank-you page."),
        (status = 400, description = "The request is not a valid answer.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 403, description = "The origin is not allowed.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 404, description = "The site has no such form.", body = ErrorAnswer),
        (status = 408, description = "The body was not received in time.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 409, description = "The key was used for a different answer.", body = FormAnswer),
        (status = 413, description = "The body is too large.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 415, description = "The body is neither JSON nor a form.", body = FormAnswer),
        (status = 422, description = "A field or the captcha is invalid.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 429, description = "The rate limit was exceeded; `Retry-After` says when to retry.", content((FormAnswer = "application/json"), (String = "text/html"))),
        (status = 503, description = "The answer could not be stored.", content((FormAnswer = "application/json"), (String = "text/html")))
    )
)]
pub(super) async fn post_form(
    State(api): State<Arc<Api>>,
    Path(name): Path<String>,
    uri: OriginalUri,
    request: Request,
) -> Response {
    let Some(leads) = &api.leads else {
        return answer::off();
    };
    if leads.site().is_some_and(|site| site.form(&name).is_none()) {
        let _ = request::body(request.into_body()).await;
        return crate::unknown(uri).await.into_response();
    }
    receive(api, Some(name), request).await
}

/// Receives a lead, or an answer to the form of this name.
async fn receive(api: Arc<Api>, form_name: Option<String>, request: Request) -> Response {
    let Some(leads) = &api.leads else {
        return answer::off();
    };
    let (parts, body) = request.into_parts();
    let site = leads.site();
    let mut visitor = Visitor::of(&parts, site.clone(), &api.settings);
    visitor.build = api
        .site()
        .map(|build| build.bundle.build.clone())
        .unwrap_or_default();
    let is_lead = form_name.is_none();
    visitor.form_name = form_name;
    let (mut typed, mut memory) = (Vec::new(), None);
    let with_files = visitor
        .site_form()
        .filter(|form| form.takes_files() && upload::is_upload(&parts.headers))
        .cloned();
    let read = if let Some(form) = with_files {
        visitor.form = request::form_of_upload(&parts.headers);
        // Before the body is read, so that it costs nothing.
        if site
            .as_ref()
            .is_some_and(|site| !leads.allows(&api.settings.origins, site, &parts.headers))
        {
            return refused(
                &api,
                leads,
                &visitor,
                fault(LeadErrorCode::ForbiddenOrigin),
                &typed,
            );
        }
        match leads
            .receive_files(&parts.headers, body, &form, &visitor)
            .await
        {
            Ok((mut upload, place)) => {
                memory = Some(place);
                typed.clone_from(&upload.fields);
                visitor.set_language(request::get(&typed, forms::LANGUAGE));
                request::form_upload(
                    &parts.headers,
                    std::mem::take(&mut upload.fields),
                    upload.files,
                )
                .map_err(Refusal::from)
            }
            Err(refusal) => return refused(&api, leads, &visitor, refusal, &typed),
        }
    } else {
        // The body is read even if the response is already known: a client that is still sending does not read it.
        let bytes = request::body(body).await;
        visitor.form = match request::form(&parts.headers) {
            Ok(form) => form,
            Err(fault) => return visitor.refuse(fault.into(), &Vec::new()),
        };
        bytes
            .map_err(Refusal::from)
            .and_then(|bytes| match visitor.form {
                FormKind::Json if is_lead => Ok(request::json(&parts.headers, &bytes)?),
                FormKind::Json => request::form_json(&parts.headers, &bytes),
                FormKind::Plain => {
                    typed = request::fields(&bytes)?;
                    visitor.set_language(request::get(
                        &typed,
                        if is_lead {
                            call::LANGUAGE
                        } else {
                            forms::LANGUAGE
                        },
                    ));
                    if is_lead {
                        Ok(request::plain(&typed)?)
                    } else {
                        Ok(request::form_plain(&typed))
                    }
                }
            })
    };
    let outcome = async {
        let site = site.ok_or_else(|| {
            StoreError::Unavailable("no build of the site has been read yet".into())
        })?;
        if !leads.allows(&api.settings.origins, &site, &parts.headers) {
            return Err(fault(LeadErrorCode::ForbiddenOrigin));
        }
        let submission = read?;
        let (api, visitor) = (Arc::clone(&api), visitor.clone());
        // Spawned, so that it completes even if the client disconnects during captcha verification.
        let task = tokio::spawn(async move {
            let _memory = memory;
            let leads = api
                .leads
                .as_ref()
                .ok_or_else(|| fault(LeadErrorCode::Unavailable))?;
            leads.take(&site, &visitor, submission).await
        });
        task.await
            .unwrap_or_else(|_| Err(fault(LeadErrorCode::Unavailable)))
    };
    let (log, metrics) = (api.settings.log, &leads.metrics);
    match outcome.await {
        Ok(status) => {
            metrics.count(log, Metric::Leads, status.map_or("again", Status::name));
            visitor.thank()
        }
        Err(refusal) => refused(&api, leads, &visitor, refusal, &typed),
    }
}

fn refused(
    api: &Api,
    leads: &Leads,
    visitor: &Visitor,
    refusal: Refusal,
    typed: &page::Fields,
) -> Response {
    let (log, metrics) = (api.settings.log, &leads.metrics);
    metrics.count(log, Metric::LeadsRefused, refusal.fault.code.name());
    if refusal.trouble.is_some() {
        metrics.count(log, Metric::LeadsNotStored, "");
    }
    visitor.refuse(refusal, typed)
}

/// Request extension that marks a request from the operator's schedule. The Lambda adapter sets it; no header can.
#[derive(Debug, Clone, Copy)]
pub struct Scheduled;

/// `POST /api/leads/outbox`: delivers what is due, for platforms without background work between requests. Requires
/// [`Scheduled`], because each round costs a query to the store.
pub(super) async fn outbox_round(
    State(api): State<Arc<Api>>,
    scheduled: Option<Extension<Scheduled>>,
    uri: OriginalUri,
) -> Response {
    if scheduled.is_none() {
        return crate::unknown(uri).await.into_response();
    }
    let Some(leads) = &api.leads else {
        return answer::off();
    };
    Arc::clone(&leads.outbox)
        .round_and_tidy(api.settings.log)
        .await;
    axum::http::StatusCode::NO_CONTENT.into_response()
}

/// Responds to unsupported methods.
pub(super) async fn other_method(State(api): State<Arc<Api>>, request: Request) -> Response {
    let Some(leads) = &api.leads else {
        return answer::off();
    };
    let (parts, _) = request.into_parts();
    let mut visitor = Visitor::of(&parts, leads.site(), &api.settings);
    visitor.form_name = parts
        .uri
        .path()
        .rsplit_once("/forms/")
        .map(|(_, name)| name.to_owned());
    visitor.refuse(fault(LeadErrorCode::MethodNotAllowed), &Vec::new())
}
