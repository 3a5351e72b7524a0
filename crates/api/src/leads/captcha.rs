//! Verifies captcha tokens with reCAPTCHA's `siteverify` protocol, which other providers also implement.
//!
//! If the provider is unreachable or rejects the site's secret, the verdict is `Unknown`, and the lead is stored with
//! that status unless the site's rules forbid it: an operator's mistake must not lose a lead. Nor must a response
//! that got lost: if the second attempt finds that the token was already used, it was probably the first that used it.
//! Solved tokens are remembered for their lifetime, so that a lead that could not be stored can be sent again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use api_types::captcha::{CaptchaProvider, ProviderFacts};

use crate::clock::{self, Millis};

use super::http_client::reason;
use super::lead::{Hash, hash};
use super::settings::CaptchaSettings;

/// Timeout of one attempt, in seconds.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Number of attempts.
const TRIES: u32 = 2;
/// Delay between two attempts, in milliseconds.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// How long a solved token is remembered, in milliseconds. The provider accepts a token once, within two minutes.
const SOLVED_LIFETIME: Millis = 120_000;
/// Maximum number of remembered tokens.
const SOLVED_MAX: usize = 10_000;
/// Maximum size of a response, in bytes.
const ANSWER_MAX: usize = 64 * 1024;

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The captcha was solved on one of the site's hosts.
    Solved,
    /// The token is invalid, expired, already used, or from another host.
    Refused,
    /// The provider is unreachable or rejects the secret; holds the reason.
    Unknown(String),
}

/// A client of the captcha provider.
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

impl ProviderAnswer {
    /// Whether the token may have been refused because it was verified before.
    fn may_be_repeat(&self, facts: &ProviderFacts) -> bool {
        let codes = &self.error_codes;
        !self.success && (codes.is_empty() || codes.iter().any(|code| code == facts.refusal))
    }
}

impl Captcha {
    /// Creates a client. With `local_hosts`, captchas solved on localhost are accepted.
    pub fn new(settings: CaptchaSettings, local_hosts: bool, client: reqwest::Client) -> Captcha {
        Captcha {
            settings,
            local_hosts,
            client,
            solved: Mutex::default(),
        }
    }

    /// Verifies a token of a provider. `site_hosts`, those of the base URLs, are accepted if the settings list no hosts.
    pub async fn verify(
        &self,
        provider: CaptchaProvider,
        token: &str,
        site_hosts: &[String],
    ) -> Verdict {
        let facts = provider.facts();
        let (hash, now) = (hash(token.as_bytes()), clock::now());
        if self
            .solved()
            .get(&hash)
            .is_some_and(|at| now - at < SOLVED_LIFETIME)
        {
            return Verdict::Solved;
        }
        let mut verdict = Verdict::Refused;
        let mut was_lost = false;
        for attempt in 0..TRIES {
            if attempt > 0 {
                tokio::time::sleep(RETRY_DELAY).await;
            }
            verdict = match self.ask(facts, token).await {
                Ok(answer) if was_lost && answer.may_be_repeat(facts) => Verdict::Unknown(
                    "the first attempt got no response, and the second found that the token was already used".into(),
                ),
                Ok(answer) => self.judge(facts, &answer, site_hosts),
                Err(why) => {
                    was_lost = true;
                    Verdict::Unknown(why)
                }
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

    async fn ask(&self, facts: &ProviderFacts, token: &str) -> Result<ProviderAnswer, String> {
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("secret", self.settings.secret.as_str()),
                ("response", token),
            ])
            .finish();
        let request = self
            .client
            .post(
                self.settings
                    .verify_url
                    .as_deref()
                    .unwrap_or(facts.verify_url),
            )
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
                return Err(format!("the response is longer than {ANSWER_MAX} bytes"));
            }
            body.extend_from_slice(&part);
        }
        serde_json::from_slice(&body).map_err(|_| "the response is not siteverify JSON".into())
    }

    fn judge(
        &self,
        facts: &ProviderFacts,
        answer: &ProviderAnswer,
        site_hosts: &[String],
    ) -> Verdict {
        if answer.success {
            let host = answer
                .hostname
                .as_deref()
                .unwrap_or_default()
                .to_lowercase();
            let named = self.settings.hosts.as_slice();
            let ours = if named.is_empty() { site_hosts } else { named }.contains(&host);
            let local =
                self.local_hosts && ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str());
            return if ours || local {
                Verdict::Solved
            } else {
                Verdict::Refused
            };
        }
        // An error that the visitor cannot help must not lose a lead.
        let is_fault = |code: &&String| facts.faults.contains(&code.as_str());
        match answer.error_codes.iter().find(is_fault) {
            Some(code) => Verdict::Unknown(format!("the provider responded with `{code}`")),
            None => Verdict::Refused,
        }
    }
}
