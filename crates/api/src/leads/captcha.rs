//! Asks the captcha's provider whether a token is good. The protocol is `siteverify` of reCAPTCHA, which others speak,
//! too.
//!
//! If the provider cannot be asked or does not accept the site's secret, the verdict is `Unknown`, and the lead is kept
//! and marked unless the site refuses it: a mistake of the operator must not cost a lead. A solved token is remembered
//! while the provider knows it, so that a lead that could not be stored can be sent again.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::clock::{self, Millis};

use super::lead::{Hash, hash};
use super::settings::CaptchaSettings;

/// How long the provider may take for an answer, in seconds; it is asked twice.
const TIMEOUT: Duration = Duration::from_secs(3);
const TRIES: u32 = 2;
/// The time between two tries, in milliseconds.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// How long a solved token is remembered, in milliseconds. The provider knows a token for two minutes, and says yes
/// once; with what it said, a lead that could not be stored can be sent again.
const SOLVED_LIFETIME: Millis = 120_000;
/// At most this many solved tokens are remembered.
const SOLVED_MAX: usize = 10_000;
/// An answer is not longer than this.
const ANSWER_MAX: usize = 64 * 1024;

/// What the provider says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A person has solved it, on one of our pages.
    Solved,
    /// It is wrong, too old, used before, or was solved elsewhere.
    Refused,
    /// Nobody knows: the provider could not be asked, or does not accept our secret.
    Unknown(String),
}

/// The way to the provider.
#[derive(Debug)]
pub struct Captcha {
    settings: CaptchaSettings,
    local_hosts: bool,
    client: reqwest::Client,
    solved: Mutex<HashMap<Hash, Millis>>,
}

#[derive(Deserialize)]
struct ProviderAnswer {
    success: bool,
    hostname: Option<String>,
    #[serde(default, rename = "error-codes")]
    error_codes: Vec<String>,
}

impl Captcha {
    /// A way to the provider of the settings. With `local_hosts` captchas may be solved on this machine.
    pub fn new(settings: CaptchaSettings, local_hosts: bool, client: reqwest::Client) -> Captcha {
        Captcha { settings, local_hosts, client, solved: Mutex::default() }
    }

    /// Asks about a token. `site_host` is the host of the base URL, which counts when the settings name none.
    pub async fn verify(&self, token: &str, site_host: &str) -> Verdict {
        let (hash, now) = (hash(token.as_bytes()), clock::now());
        if self.solved().get(&hash).is_some_and(|at| now - at < SOLVED_LIFETIME) {
            return Verdict::Solved;
        }
        let mut verdict = Verdict::Refused;
        for attempt in 0..TRIES {
            if attempt > 0 {
                tokio::time::sleep(RETRY_DELAY).await;
            }
            verdict = match self.ask(token).await {
                Ok(answer) => self.judge(&answer, site_host),
                Err(why) => Verdict::Unknown(why),
            };
            if !matches!(verdict, Verdict::Unknown(_)) {
                break;
            }
        }
        if verdict == Verdict::Solved {
            let mut solved = self.solved();
            if solved.len() >= SOLVED_MAX {
                solved.retain(|_, at| now - *at < SOLVED_LIFETIME);
            }
            if solved.len() < SOLVED_MAX {
                solved.insert(hash, now);
            }
        }
        verdict
    }

    fn solved(&self) -> std::sync::MutexGuard<'_, HashMap<Hash, Millis>> {
        self.solved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, token: &str) -> Result<ProviderAnswer, String> {
        let mut form = String::new();
        let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
        // Writing to a string cannot fail.
        let _ = write!(form, "secret={}&response={}", encoded(&self.settings.secret), encoded(token));
        let request = self
            .client
            .post(&self.settings.verify_url)
            .header("content-type", "application/x-www-form-urlencoded")
            .timeout(TIMEOUT)
            .body(form);
        let mut response = request.send().await.map_err(|error| reason(&error))?;
        if !response.status().is_success() {
            return Err(format!("status {}", response.status().as_u16()));
        }
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|error| reason(&error))? {
            if body.len() + part.len() > ANSWER_MAX {
                return Err("an answer that is far too long".into());
            }
            body.extend_from_slice(&part);
        }
        serde_json::from_slice(&body).map_err(|_| "an answer of another protocol".into())
    }

    fn judge(&self, answer: &ProviderAnswer, site_host: &str) -> Verdict {
        if answer.success {
            let host = answer.hostname.as_deref().unwrap_or_default().to_lowercase();
            let hosts = &self.settings.hosts;
            let ours = if hosts.is_empty() { host == site_host } else { hosts.contains(&host) };
            let local = self.local_hosts && ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str());
            return if ours || local { Verdict::Solved } else { Verdict::Refused };
        }
        let ours =
            |code: &&String| ["missing-input-secret", "invalid-input-secret", "bad-request"].contains(&code.as_str());
        // A mistake of ours must not cost a lead.
        match answer.error_codes.iter().find(ours) {
            Some(code) => Verdict::Unknown(format!("it answers `{code}`")),
            None => Verdict::Refused,
        }
    }
}

/// Why a request failed, without its address.
pub(super) fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "no answer in time".into()
    } else if error.is_connect() {
        "no connection".into()
    } else {
        "the connection broke off".into()
    }
}
