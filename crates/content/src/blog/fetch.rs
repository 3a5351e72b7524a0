//! HTTP requests to a CMS, and to the sources of collections, with limits on duration, size and concurrency.
//!
//! The CMS is not trusted. There are two HTTP clients: one for the origins of the CMS itself, which may be in a private
//! network and receives the credentials, and one for all other origins, whose DNS resolver refuses private addresses
//! (`crates/config/src/addresses.rs`). The clients do not follow redirects; each one is checked here first.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{self, HeaderMap};
use reqwest::{Client, StatusCode, Url, redirect};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use config::addresses::{PublicOnly, refusal, same_origin};
use config::{Config, Credentials, SnapshotMode, gets_credentials};
use diagnostics::text::innermost_cause;
use schema::types::Moment;
use workspace::cache::{Kind, Store};

/// Maximum number of concurrent requests; more could overload a small WordPress.
const MAX_CONCURRENT: usize = 4;
/// Maximum number of redirects in a row.
const MAX_REDIRECTS: usize = 5;
/// Delay before the first retry; it doubles with each further one.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// Maximum delay before a retry. If `Retry-After` or the backoff is longer, the request fails at once.
const MAX_RETRY_DELAY: Duration = Duration::from_mins(1);
/// In `serve`, maximum age of a snapshot that is used without a request, in seconds.
pub(crate) const RECENT: i64 = 300;
/// How long a CMS that has not answered is left alone if there is a snapshot.
const REST: Duration = Duration::from_mins(5);
/// How long it is left alone if there is none.
const SHORT_REST: Duration = Duration::from_secs(15);
/// The requests that failed in this process, with the time and the reason.
static FAILED: Mutex<BTreeMap<String, (Instant, String)>> = Mutex::new(BTreeMap::new());
/// Header with the number of items of a list.
pub(crate) const TOTAL: &str = "x-wp-total";
/// Header with the number of pages of a list.
pub(crate) const TOTAL_PAGES: &str = "x-wp-totalpages";

/// Maximum number of pages of a list. Without a limit, a faulty server could exhaust memory.
pub(crate) const MAX_PAGES: u64 = 10_000;

/// The numbers of all pages but the first. Fails if there are more than [`MAX_PAGES`].
pub(crate) fn remaining_pages(address: &str, pages: u64) -> Result<RangeInclusive<u64>, String> {
    if pages > MAX_PAGES {
        return Err(format!(
            "{address}: the list claims to have {pages} pages, but the limit is {MAX_PAGES}"
        ));
    }
    Ok(2..=pages)
}

/// An HTTP client for a CMS, with a cache of responses.
pub(crate) struct Fetcher {
    /// For the origins of the CMS, which may be in a private network.
    own: Client,
    /// For all other origins.
    public: Client,
    origins: Vec<Url>,
    credentials: Option<Credentials>,
    /// The hosts that get the credentials.
    credential_hosts: Vec<String>,
    /// Maximum size of a response body, in bytes.
    max_bytes: usize,
    retries: u32,
    now: Moment,
    /// The cache of responses with a validator (`ETag` or `Last-Modified`).
    cache: Option<Store>,
    permits: Semaphore,
    /// The setting `blog.deadline`.
    time_limit: Duration,
    /// Time at which all pending requests fail.
    deadline: Mutex<Instant>,
}

/// A response that is neither a redirect nor a server error.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CmsResponse {
    pub status: u16,
    pub total: Option<u64>,
    pub total_pages: Option<u64>,
    pub content_type: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// A failed request.
struct Failure {
    why: String,
    /// Whether a retry may succeed.
    retry: bool,
    /// The delay of `Retry-After`.
    wait: Option<Duration>,
}

impl Failure {
    fn final_(why: impl Into<String>) -> Failure {
        Failure {
            why: why.into(),
            retry: false,
            wait: None,
        }
    }
}

impl Fetcher {
    /// `origins` are those of the CMS; `fresh` disables the cache.
    pub fn new(config: &Config, origins: Vec<Url>, fresh: bool) -> Result<Fetcher, String> {
        // Fails if a provider is already installed, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = &config.site.blog;
        let client = || {
            Client::builder()
                .timeout(Duration::from_secs_f64(settings.timeout))
                .redirect(redirect::Policy::none())
                .user_agent(concat!("sitegen/", env!("CARGO_PKG_VERSION")))
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be at most 1000"
        )]
        let max_bytes = (settings.max_answer * 1e6) as usize;
        Ok(Fetcher {
            own: client().build().map_err(|error| reason(&error))?,
            public: client()
                .dns_resolver(Arc::new(PublicOnly))
                .build()
                .map_err(|error| reason(&error))?,
            origins,
            credentials: config.run.credentials.clone(),
            credential_hosts: config.run.credential_hosts.clone(),
            max_bytes,
            retries: settings.retries,
            now: config.run.clock,
            cache: (!fresh).then(|| config.cache.clone()),
            permits: Semaphore::new(MAX_CONCURRENT),
            time_limit: Duration::from_secs_f64(settings.deadline),
            deadline: Mutex::new(Instant::now() + Duration::from_secs_f64(settings.deadline)),
        })
    }

    /// Whether requests to the CMS are authenticated.
    pub fn has_credentials(&self) -> bool {
        self.credentials.is_some()
    }

    /// Sends the credentials to the CMS whatever the environment says of hosts: the command line names it.
    pub fn trust_origins(&mut self) {
        self.credential_hosts.extend(
            self.origins
                .iter()
                .filter_map(|url| Some(url.host_str()?.to_owned())),
        );
    }

    /// Sends requests without credentials: for an origin that is not the CMS.
    pub fn forget_credentials(&mut self) {
        self.credentials = None;
    }

    /// Restarts the deadline: for a new series of requests, or after a response of a long one.
    pub fn extend_deadline(&self) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) =
            Instant::now() + self.time_limit;
    }

    fn deadline(&self) -> Instant {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests a URL, with retries. Fails if `accept` refuses the last response, or after the deadline.
    pub async fn get<T>(
        &self,
        url: &Url,
        accept: impl Fn(CmsResponse) -> Result<T, String>,
    ) -> Result<T, String> {
        let mut request = std::pin::pin!(self.get_with_retries(url, accept));
        loop {
            let deadline = self.deadline();
            match timeout_at(deadline, request.as_mut()).await {
                Ok(result) => return result,
                // Another request has extended the deadline meanwhile.
                Err(_) if self.deadline() > deadline => {}
                Err(_) => {
                    let seconds = self.time_limit.as_secs_f64();
                    return Err(format!(
                        "{}: no response within {seconds} s (`blog.deadline`)",
                        shown(url)
                    ));
                }
            }
        }
    }

    async fn get_with_retries<T>(
        &self,
        url: &Url,
        accept: impl Fn(CmsResponse) -> Result<T, String>,
    ) -> Result<T, String> {
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await;
        let mut pause = RETRY_DELAY;
        for attempt in 0.. {
            let failure = match self.attempt(url).await {
                Ok(response) => match accept(response) {
                    Ok(value) => return Ok(value),
                    Err(why) => Failure {
                        why,
                        retry: true,
                        wait: None,
                    },
                },
                Err(failure) => failure,
            };
            let wait = failure.wait.unwrap_or_else(|| jittered(pause));
            if !failure.retry || attempt >= self.retries || wait > MAX_RETRY_DELAY {
                return Err(format!("{}: {}", shown(url), failure.why));
            }
            tokio::time::sleep(wait).await;
            pause = (pause * 2).min(MAX_RETRY_DELAY / 2);
        }
        Err(format!("{}: too many attempts", shown(url)))
    }

    /// Requests JSON from the API of the CMS. Returns responses with any status below 500: some mark the end of a list.
    pub async fn json(&self, url: &Url) -> Result<(CmsResponse, Value), String> {
        self.get(url, |response| {
            let body = response
                .body
                .strip_prefix("\u{feff}".as_bytes())
                .unwrap_or(&response.body);
            match serde_json::from_slice(body)
                .or_else(|error| parse_lone_surrogates(body).ok_or(error))
            {
                Ok(value) => Ok((
                    CmsResponse {
                        body: Vec::new(),
                        ..response
                    },
                    value,
                )),
                Err(_) if body.trim_ascii_start().starts_with(b"<") => Err(format!(
                    "status {} with HTML instead of JSON",
                    response.status
                )),
                Err(error) => Err(format!(
                    "status {} with JSON that is invalid or truncated ({error})",
                    response.status
                )),
            }
        })
        .await
    }

    async fn attempt(&self, start: &Url) -> Result<CmsResponse, Failure> {
        let mut url = start.clone();
        for _ in 0..=MAX_REDIRECTS {
            let is_own = self.origins.iter().any(|origin| same_origin(origin, &url));
            if !is_own && let Some(why) = refusal(&url) {
                return Err(Failure::final_(why));
            }
            let mut request = if is_own { &self.own } else { &self.public }.get(url.clone());
            if is_own {
                let is_trusted = gets_credentials(&self.credential_hosts, &url);
                request = match self.credentials.as_ref().filter(|_| is_trusted) {
                    Some(Credentials::Token(token)) => request.bearer_auth(token),
                    Some(Credentials::Password(user, password)) => {
                        request.basic_auth(user, Some(password))
                    }
                    None => request,
                };
            }
            let cached = if is_own { self.cached(&url) } else { None };
            if let Some(cached) = &cached {
                let etag = cached.etag.iter().map(|etag| (header::IF_NONE_MATCH, etag));
                let date = cached
                    .last_modified
                    .iter()
                    .map(|date| (header::IF_MODIFIED_SINCE, date));
                request = etag.chain(date).fold(request, |request, (name, value)| {
                    request.header(name, value)
                });
            }
            let response = request.send().await.map_err(|error| transport(&error))?;
            let (status, headers) = (response.status(), response.headers());
            if status == StatusCode::NOT_MODIFIED
                && let Some(cached) = cached
            {
                return Ok(cached);
            }
            if status.is_redirection() {
                let location = headers
                    .get(header::LOCATION)
                    .and_then(|location| location.to_str().ok());
                let next = location.and_then(|location| url.join(location).ok());
                url = next.ok_or_else(|| {
                    Failure::final_(format!("status {status} without a valid `Location` header"))
                })?;
                continue;
            }
            if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) {
                let wait = headers
                    .get(header::RETRY_AFTER)
                    .and_then(|value| self.wait(value.to_str().ok()?));
                let after = wait
                    .map(|wait| format!(", retry after {} s", wait.as_secs()))
                    .unwrap_or_default();
                return Err(Failure {
                    why: format!("status {}{after}", status.as_u16()),
                    retry: true,
                    wait,
                });
            }
            let head = head(status, headers);
            let body = self.body(response).await?;
            let response = CmsResponse { body, ..head };
            if is_own {
                self.store(&url, &response);
            }
            return Ok(response);
        }
        Err(Failure::final_(format!(
            "more than {MAX_REDIRECTS} redirects in a row"
        )))
    }

    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
        let too_large = || {
            Failure::final_(format!(
                "the response is larger than {} MB (`blog.max_answer`)",
                self.max_bytes / 1_000_000
            ))
        };
        if response
            .content_length()
            .is_some_and(|length| length > self.max_bytes as u64)
        {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| transport(&error))? {
            if body.len() + chunk.len() > self.max_bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Parses `Retry-After`: seconds, or a date.
    fn wait(&self, value: &str) -> Option<Duration> {
        if let Ok(seconds) = value.trim().parse() {
            return Some(Duration::from_secs(seconds));
        }
        let seconds = http_date(value)?.0.saturating_sub(self.now.0);
        Some(Duration::from_secs(
            u64::try_from(seconds).unwrap_or_default(),
        ))
    }

    /// The cached response of a URL, for a conditional request.
    fn cached(&self, url: &Url) -> Option<CmsResponse> {
        let bytes = self.cache.as_ref()?.get(Kind::Answers, &entry(url))?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let response: CmsResponse = serde_json::from_slice(&bytes[..end]).ok()?;
        Some(CmsResponse {
            body: bytes[end + 1..].to_vec(),
            ..response
        })
    }

    /// Caches a response that has a validator.
    fn store(&self, url: &Url, response: &CmsResponse) {
        let has_validator = response.etag.is_some() || response.last_modified.is_some();
        if response.status == 200
            && has_validator
            && let Some(cache) = &self.cache
            && let Ok(mut bytes) = serde_json::to_vec(response)
        {
            bytes.push(b'\n');
            bytes.extend_from_slice(&response.body);
            cache.put(Kind::Answers, &entry(url), &bytes);
        }
    }
}

/// The name of a response in the cache.
fn entry(url: &Url) -> String {
    blake3::hash(url.as_str().as_bytes()).to_hex()[..32].to_owned()
}

/// Parses JSON with escapes of lone surrogates (`\ud83d`), which programs emit that truncate a text in the middle of an
/// emoji. Strict parsers refuse the whole response; here each of them becomes the replacement character.
fn parse_lone_surrogates(body: &[u8]) -> Option<Value> {
    let text = str::from_utf8(body).ok()?;
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                repaired.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // Skip the character after the backslash, which may be another backslash.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    repaired.push_str(rest);
    serde_json::from_str(&repaired).ok()
}

/// Runs futures concurrently. The results are in the order of the futures.
pub(crate) async fn join_all<T: Send + 'static>(
    futures: Vec<impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let mut running = JoinSet::new();
    for (index, future) in futures.into_iter().enumerate() {
        running.spawn(async move { (index, future.await) });
    }
    let mut results = running.join_all().await;
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Requests what `name` stands for. In a process that reads the site again and again ([`SnapshotMode::Recent`]), one that
/// has failed fails again at once for a while, with the same reason. Without a snapshot the site waits for it, so that while
/// is short.
pub(crate) async fn rested<T>(
    mode: SnapshotMode,
    name: &str,
    has_snapshot: bool,
    request: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let failed = || FAILED.lock().unwrap_or_else(PoisonError::into_inner);
    let rest = if has_snapshot { REST } else { SHORT_REST };
    let known = failed()
        .get(name)
        .filter(|(at, _)| at.elapsed() < rest)
        .map(|(_, why)| why.clone());
    if let Some(why) = known.filter(|_| matches!(mode, SnapshotMode::Recent | SnapshotMode::Kept)) {
        return Err(why);
    }
    let answer = request.await;
    match &answer {
        Ok(_) => failed().remove(name),
        Err(why) => failed().insert(name.to_owned(), (Instant::now(), why.clone())),
    };
    answer
}

/// Awaits a future, and reports the elapsed seconds once a second.
pub(crate) async fn with_progress<T>(work: impl Future<Output = T>, report: &dyn Fn(u64)) -> T {
    let mut work = std::pin::pin!(work);
    let mut seconds = 0;
    loop {
        if let Ok(done) = tokio::time::timeout(Duration::from_secs(1), work.as_mut()).await {
            return done;
        }
        seconds += 1;
        report(seconds);
    }
}

/// A response without its body.
fn head(status: StatusCode, headers: &HeaderMap) -> CmsResponse {
    let text = |name: header::HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned)
    };
    let number = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
    };
    CmsResponse {
        status: status.as_u16(),
        total: number(TOTAL),
        total_pages: number(TOTAL_PAGES),
        content_type: text(header::CONTENT_TYPE).unwrap_or_default(),
        etag: text(header::ETAG),
        last_modified: text(header::LAST_MODIFIED),
        body: Vec::new(),
    }
}

/// A URL for messages, without user name and password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// Multiplies a delay by a random factor from 0.5 to 1.5, so that builds that failed together do not retry together.
fn jittered(pause: Duration) -> Duration {
    // The only source of randomness in the standard library.
    let random = RandomState::new().build_hasher().finish() % 1000;
    pause.mul_f64(0.5 + f64::from(u32::try_from(random).unwrap_or_default()) / 1000.0)
}

fn transport(error: &reqwest::Error) -> Failure {
    Failure {
        why: reason(error),
        retry: true,
        wait: None,
    }
}

/// Why a request failed.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "the request timed out (`blog.timeout`)".into();
    }
    innermost_cause(error)
}

/// Parses `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Moment> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = parts[..] else {
        return None;
    };
    let month = MONTHS
        .find(month)
        .filter(|at| at % 3 == 0 && month.len() == 3)?
        / 3
        + 1;
    Moment::parse(&format!("{year}-{month:02}-{day}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_dates_are_parsed() {
        assert_eq!(
            http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
            Moment::parse("1994-11-06T08:49:37Z")
        );
        assert_eq!(http_date("soon"), None);
    }

    #[test]
    fn a_lone_surrogate_does_not_invalidate_the_response() {
        let value = parse_lone_surrogates(br#"{"a": "x\ud83dy\\ud83d \ud83d\ude80 \udc00"}"#)
            .expect("JSON");
        assert_eq!(value["a"], "x\u{fffd}y\\ud83d \u{1f680} \u{fffd}");
        assert_eq!(parse_lone_surrogates(b"{"), None);
    }

    #[test]
    fn a_password_is_not_printed() {
        let url = Url::parse("https://me:secret@cms.example/a").expect("an address");
        assert_eq!(shown(&url), "https://cms.example/a");
    }
}
