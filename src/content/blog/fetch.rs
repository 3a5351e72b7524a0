//! Asks a CMS, with limits on the time, the size and the number of answers.
//!
//! A CMS is not trusted with the build machine. Two HTTP clients ask: one for the origins of the CMS itself, which may
//! be in a private network and gets the credentials, and one for everything else, whose name lookup refuses private
//! addresses (`src/addresses.rs`). Redirects are followed by hand, so that each step is checked.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{self, HeaderMap};
use reqwest::{Client, StatusCode, Url, redirect};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::addresses::{PublicOnly, refusal, same_origin};
use crate::cache;
use crate::config::{Config, Credentials};
use crate::content_types::Moment;

/// How many questions are open at the same time: more would be an attack on a small WordPress.
const AT_ONCE: usize = 4;
const REDIRECTS: usize = 5;
/// The first delay before a request is made again, in milliseconds; each further one is twice as long.
const RETRY_DELAY: Duration = Duration::from_millis(250);
/// If `Retry-After` asks for more than this, in minutes, the request fails.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Headers that say how long a list is.
pub(super) const TOTAL: &str = "x-wp-total";
pub(super) const TOTAL_PAGES: &str = "x-wp-totalpages";

/// The most pages of a list: more posts than any site here can hold, and less than memory.
pub(super) const MOST_PAGES: u64 = 10_000;

/// The pages behind the first one, of a list that is said to have so many.
pub(super) fn further_pages(address: &str, pages: u64) -> Result<RangeInclusive<u64>, String> {
    if pages > MOST_PAGES {
        return Err(format!("{address}: the list is said to have {pages} pages, and at most {MOST_PAGES} are read"));
    }
    Ok(2..=pages)
}

/// Asks, and remembers.
pub(super) struct Fetcher {
    /// For the CMS itself, which may stand in a private network.
    own: Client,
    /// For all others.
    public: Client,
    origins: Vec<Url>,
    credentials: Option<Credentials>,
    bytes: usize,
    retries: u32,
    now: Moment,
    /// Where answers that can be asked for again cheaply are kept.
    answers: Option<PathBuf>,
    turns: Semaphore,
    /// See `blog.deadline`.
    time_limit: Duration,
    /// When asking ends.
    deadline: Mutex<Instant>,
}

/// An answer that is neither a redirect nor a server's failure.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CmsAnswer {
    pub status: u16,
    pub total: Option<u64>,
    pub total_pages: Option<u64>,
    pub content_type: String,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// Why there is no answer, and whether asking again may help.
struct Failure {
    why: String,
    again: bool,
    wait: Option<Duration>,
}

impl Failure {
    fn final_(why: impl Into<String>) -> Failure {
        Failure { why: why.into(), again: false, wait: None }
    }
}

impl Fetcher {
    /// `origins` are the addresses of the CMS; `fresh` asks for everything anew.
    pub fn new(config: &Config, origins: Vec<Url>, fresh: bool) -> Result<Fetcher, String> {
        // Fails when it was done before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = &config.site.blog;
        let client = || {
            Client::builder()
                .timeout(Duration::from_secs_f64(settings.timeout))
                .redirect(redirect::Policy::none())
                .user_agent(concat!("sitegen/", env!("CARGO_PKG_VERSION")))
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be at most 1000")]
        let bytes = (settings.max_answer * 1e6) as usize;
        Ok(Fetcher {
            own: client().build().map_err(|error| reason(&error))?,
            public: client().dns_resolver(Arc::new(PublicOnly)).build().map_err(|error| reason(&error))?,
            origins,
            credentials: config.credentials.clone(),
            bytes,
            retries: settings.retries,
            now: config.now,
            answers: (!fresh).then(|| config.cache.join("blog-answers")),
            turns: Semaphore::new(AT_ONCE),
            time_limit: Duration::from_secs_f64(settings.deadline),
            deadline: Mutex::new(Instant::now() + Duration::from_secs_f64(settings.deadline)),
        })
    }

    /// Begins the deadline anew: for what is asked next, or because answers keep coming.
    pub fn extend_deadline(&self) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + self.time_limit;
    }

    fn deadline(&self) -> Instant {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer that `accept` can use; otherwise the question is asked again, and at last given up.
    pub async fn get<T>(&self, url: &Url, accept: impl Fn(CmsAnswer) -> Result<T, String>) -> Result<T, String> {
        let mut asked = std::pin::pin!(self.ask(url, accept));
        loop {
            let deadline = self.deadline();
            match timeout_at(deadline, asked.as_mut()).await {
                Ok(answer) => return answer,
                // Another question was answered meanwhile.
                Err(_) if self.deadline() > deadline => {}
                Err(_) => {
                    let seconds = self.time_limit.as_secs_f64();
                    return Err(format!("{}: no answer within {seconds} s (`blog.deadline`)", shown(url)));
                }
            }
        }
    }

    async fn ask<T>(&self, url: &Url, accept: impl Fn(CmsAnswer) -> Result<T, String>) -> Result<T, String> {
        // The semaphore is never closed.
        let _turn = self.turns.acquire().await;
        let mut pause = RETRY_DELAY;
        for attempt in 0.. {
            let failure = match self.attempt(url).await {
                Ok(answer) => match accept(answer) {
                    Ok(value) => return Ok(value),
                    Err(why) => Failure { why, again: true, wait: None },
                },
                Err(failure) => failure,
            };
            let wait = failure.wait.unwrap_or_else(|| jittered(pause));
            if !failure.again || attempt >= self.retries || wait > LONGEST_WAIT {
                return Err(format!("{}: {}", shown(url), failure.why));
            }
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
        Err(format!("{}: it was asked too often", shown(url)))
    }

    /// JSON from the CMS's own API. Statuses below 500 come through: some of them say that a list has ended.
    pub async fn json(&self, url: &Url) -> Result<(CmsAnswer, Value), String> {
        self.get(url, |answer| {
            let body = answer.body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&answer.body);
            match serde_json::from_slice(body).or_else(|error| paired(body).ok_or(error)) {
                Ok(value) => Ok((CmsAnswer { body: Vec::new(), ..answer }, value)),
                Err(_) if body.trim_ascii_start().starts_with(b"<") => {
                    Err(format!("status {} with a page of HTML where JSON was expected", answer.status))
                }
                Err(error) => Err(format!("status {} with JSON that is damaged or cut off ({error})", answer.status)),
            }
        })
        .await
    }

    async fn attempt(&self, start: &Url) -> Result<CmsAnswer, Failure> {
        let mut url = start.clone();
        for _ in 0..=REDIRECTS {
            let is_own = self.origins.iter().any(|origin| same_origin(origin, &url));
            if !is_own && let Some(why) = refusal(&url) {
                return Err(Failure::final_(why));
            }
            let mut request = if is_own { &self.own } else { &self.public }.get(url.clone());
            if is_own {
                request = match &self.credentials {
                    Some(Credentials::Token(token)) => request.bearer_auth(token),
                    Some(Credentials::Password(user, password)) => request.basic_auth(user, Some(password)),
                    None => request,
                };
            }
            let known = if is_own { self.known(&url) } else { None };
            if let Some(known) = &known {
                let etag = known.etag.iter().map(|etag| (header::IF_NONE_MATCH, etag));
                let date = known.last_modified.iter().map(|date| (header::IF_MODIFIED_SINCE, date));
                request = etag.chain(date).fold(request, |request, (name, value)| request.header(name, value));
            }
            let response = request.send().await.map_err(|error| transport(&error))?;
            let (status, headers) = (response.status(), response.headers());
            if status == StatusCode::NOT_MODIFIED
                && let Some(known) = known
            {
                return Ok(known);
            }
            if status.is_redirection() {
                let location = headers.get(header::LOCATION).and_then(|location| location.to_str().ok());
                let next = location.and_then(|location| url.join(location).ok());
                url = next.ok_or_else(|| Failure::final_(format!("status {status} that leads nowhere")))?;
                continue;
            }
            if status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429) {
                let wait = headers.get(header::RETRY_AFTER).and_then(|value| self.wait(value.to_str().ok()?));
                let asked = wait.map(|wait| format!(", to be asked again in {} s", wait.as_secs())).unwrap_or_default();
                return Err(Failure { why: format!("status {}{asked}", status.as_u16()), again: true, wait });
            }
            let answer = answer(status, headers);
            let body = self.body(response).await?;
            let answer = CmsAnswer { body, ..answer };
            if is_own {
                self.remember(&url, &answer);
            }
            return Ok(answer);
        }
        Err(Failure::final_(format!("more than {REDIRECTS} redirects in a row")))
    }

    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
        let too_large =
            || Failure::final_(format!("an answer of more than {} MB (`blog.max_answer`)", self.bytes / 1_000_000));
        if response.content_length().is_some_and(|length| length > self.bytes as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| transport(&error))? {
            if body.len() + chunk.len() > self.bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Seconds, or a date.
    fn wait(&self, value: &str) -> Option<Duration> {
        if let Ok(seconds) = value.trim().parse() {
            return Some(Duration::from_secs(seconds));
        }
        let seconds = http_date(value)?.0.saturating_sub(self.now.0);
        Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
    }

    fn file(&self, url: &Url) -> Option<PathBuf> {
        let hash = blake3::hash(url.as_str().as_bytes()).to_hex();
        Some(self.answers.as_ref()?.join(&hash[..32]))
    }

    /// The last answer of an address, when it can be asked whether that still holds.
    fn known(&self, url: &Url) -> Option<CmsAnswer> {
        let bytes = std::fs::read(self.file(url)?).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let answer: CmsAnswer = serde_json::from_slice(&bytes[..end]).ok()?;
        Some(CmsAnswer { body: bytes[end + 1..].to_vec(), ..answer })
    }

    /// A cache that cannot be written costs time, nothing else.
    fn remember(&self, url: &Url, answer: &CmsAnswer) {
        let is_lasting = answer.status == 200 && (answer.etag.is_some() || answer.last_modified.is_some());
        if is_lasting
            && let Some(file) = self.file(url)
            && let Ok(mut bytes) = serde_json::to_vec(answer)
        {
            bytes.push(b'\n');
            bytes.extend_from_slice(&answer.body);
            let _ = cache::keep(&file, &bytes);
        }
    }
}

/// JSON whose escapes name half of a character (`\ud83d` alone), as programs write that cut a text in the middle of an
/// emoji. Strict readers refuse the whole answer for it; here the replacement character stands for each half.
fn paired(body: &[u8]) -> Option<Value> {
    let text = str::from_utf8(body).ok()?;
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // The letter behind the backslash, which may be one itself.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    serde_json::from_str(&mended).ok()
}

/// Asks many questions side by side; the answers are in the order of the questions.
pub(super) async fn all<T: Send + 'static>(questions: Vec<impl Future<Output = T> + Send + 'static>) -> Vec<T> {
    let mut running = JoinSet::new();
    for (index, question) in questions.into_iter().enumerate() {
        running.spawn(async move { (index, question.await) });
    }
    let mut answers = running.join_all().await;
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn answer(status: StatusCode, headers: &HeaderMap) -> CmsAnswer {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let number = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    CmsAnswer {
        status: status.as_u16(),
        total: number(TOTAL),
        total_pages: number(TOTAL_PAGES),
        content_type: text(header::CONTENT_TYPE).unwrap_or_default(),
        etag: text(header::ETAG),
        last_modified: text(header::LAST_MODIFIED),
        body: Vec::new(),
    }
}

/// An address as it is printed: what stands behind the `?` may be long, and a password could stand before the host.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// Half to one and a half times as long, so that builds that failed together do not come back together.
fn jittered(pause: Duration) -> Duration {
    // The standard library's only source of chance.
    let chance = RandomState::new().build_hasher().finish() % 1000;
    pause.mul_f64(0.5 + f64::from(u32::try_from(chance).unwrap_or_default()) / 1000.0)
}

fn transport(error: &reqwest::Error) -> Failure {
    Failure { why: reason(error), again: true, wait: None }
}

/// The innermost cause says most.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no whole answer in time (`blog.timeout`)".into();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Moment> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = parts[..] else { return None };
    let month = MONTHS.find(month).filter(|at| at % 3 == 0 && month.len() == 3)? / 3 + 1;
    Moment::parse(&format!("{year}-{month:02}-{day}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_in_a_header_is_a_moment() {
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Moment::parse("1994-11-06T08:49:37Z"));
        assert_eq!(http_date("soon"), None);
    }

    #[test]
    fn half_a_character_does_not_damage_the_whole_answer() {
        let value = paired(br#"{"a": "x\ud83dy\\ud83d \ud83d\ude80 \udc00"}"#).expect("JSON");
        assert_eq!(value["a"], "x\u{fffd}y\\ud83d \u{1f680} \u{fffd}");
        assert_eq!(paired(b"{"), None);
    }

    #[test]
    fn a_password_is_not_shown() {
        let url = Url::parse("https://me:secret@cms.example/a").expect("an address");
        assert_eq!(shown(&url), "https://cms.example/a");
    }
}
