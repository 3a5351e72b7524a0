//! A captcha of the preview's own, for a site whose secret is not at hand: the same browser and server protocol as
//! reCAPTCHA's, so that the whole form can be tried offline. Anybody can solve it, programs too: only `sitegen serve` has it.
//!
//! Its verifier is asked over HTTP like any other. A token is good once, for two minutes, on the host that gave it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;

use crate::clock::{self, Millis};
use crate::{Api, ApiError, ErrorCode};

use super::lead::new_id;
use super::request::{fields, get};
use super::settings::CaptchaSettings;

/// The widget's script; asked for with `?onload=…&render=explicit&hl=es`.
pub const SCRIPT_PATH: &str = "/api/captcha/api.js";
/// Where the widget gets a token.
pub const TOKEN_PATH: &str = "/api/captcha/token";
/// Where the API asks about it.
pub const VERIFY_PATH: &str = "/api/captcha/siteverify";

const SCRIPT: &str = include_str!("dev_captcha.js");
/// How long a token is good, in milliseconds.
const TOKENS_LIVE: Millis = 120_000;
/// At most this many tokens are good at a time.
const TOKENS_MAX: usize = 10_000;

/// The tokens that are good, with the host of each and the time it was given.
#[derive(Debug, Default)]
pub struct DevCaptcha {
    secret: String,
    tokens: Mutex<HashMap<String, (String, Millis)>>,
}

impl DevCaptcha {
    /// A captcha, and how it is asked at this address (`http://127.0.0.1:4000`).
    pub fn new(address: &str) -> (DevCaptcha, CaptchaSettings) {
        let secret = new_id(clock::now());
        let settings = CaptchaSettings {
            secret: secret.clone(),
            verify_url: format!("{address}{VERIFY_PATH}"),
            hosts: Vec::new(),
        };
        (DevCaptcha { secret, tokens: Mutex::default() }, settings)
    }

    fn give(&self, host: String) -> String {
        let now = clock::now();
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= TOKENS_MAX {
            tokens.retain(|_, (_, at)| now - *at < TOKENS_LIVE);
        }
        let token = format!("{}{}", new_id(now), new_id(now));
        if tokens.len() < TOKENS_MAX {
            tokens.insert(token.clone(), (host, now));
        }
        token
    }

    fn take(&self, token: &str) -> Option<String> {
        let taken = self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(token);
        taken.filter(|(_, at)| clock::now() - at < TOKENS_LIVE).map(|(host, _)| host)
    }
}

fn none() -> Response {
    ApiError::new(ErrorCode::NotFound, "there is nothing here: captchas are checked by their provider").into_response()
}

/// The widget.
pub(crate) async fn script(State(api): State<Arc<Api>>) -> Response {
    if api.dev_captcha.is_none() {
        return none();
    }
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8"), (header::CACHE_CONTROL, "no-store")], SCRIPT)
        .into_response()
}

/// A token for a widget that was ticked.
pub(crate) async fn token(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response {
    let Some(dev_captcha) = &api.dev_captcha else { return none() };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    // Without its port; an IPv6 address is in brackets.
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    ([(header::CACHE_CONTROL, "no-store")], Json(json!({"token": dev_captcha.give(host.to_lowercase())})))
        .into_response()
}

/// The provider's side.
pub(crate) async fn verify(State(api): State<Arc<Api>>, body: Bytes) -> Response {
    let Some(dev_captcha) = &api.dev_captcha else { return none() };
    let fields = fields(&body).unwrap_or_default();
    let error = |code: &str| Json(json!({"success": false, "error-codes": [code]})).into_response();
    if get(&fields, "secret") != dev_captcha.secret {
        return error("invalid-input-secret");
    }
    match dev_captcha.take(get(&fields, "response")) {
        Some(host) => {
            Json(json!({"success": true, "challenge_ts": clock::iso(clock::now()), "hostname": host})).into_response()
        }
        None => error("timeout-or-duplicate"),
    }
}
