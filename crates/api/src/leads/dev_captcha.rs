//! The captcha of `sitegen serve`, used if no captcha secret is set. It implements the browser and server protocols of
//! reCAPTCHA, hCaptcha and Turnstile, so that the complete form can be tried offline. It does not protect against bots, and
//! `site-api` does not offer it.
//!
//! The API verifies tokens over HTTP as with any provider. A token is valid once, for two minutes, on the host that
//! issued it.

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

/// The path of the widget's script; requested with `?onload=…&render=explicit&hl=es`.
pub const SCRIPT_PATH: &str = "/api/captcha/api.js";
/// The path where the widget requests a token.
pub const TOKEN_PATH: &str = "/api/captcha/token";
/// The path where the API verifies a token.
pub const VERIFY_PATH: &str = "/api/captcha/siteverify";

const SCRIPT: &str = include_str!("dev_captcha.js");
/// How long a token is valid, in milliseconds.
const TOKEN_LIFETIME: Millis = 120_000;
/// Maximum number of valid tokens.
const TOKENS_MAX: usize = 10_000;

/// The issued tokens, each with its host and issue time.
#[derive(Debug, Default)]
pub struct DevCaptcha {
    secret: String,
    tokens: Mutex<HashMap<String, (String, Millis)>>,
}

impl DevCaptcha {
    /// Creates a captcha, and the settings to verify its tokens at this address (`http://127.0.0.1:4000`).
    pub fn new(address: &str) -> (DevCaptcha, CaptchaSettings) {
        let secret = new_id(clock::now());
        let settings = CaptchaSettings {
            secret: secret.clone(),
            verify_url: Some(format!("{address}{VERIFY_PATH}")),
            hosts: Vec::new(),
        };
        (
            DevCaptcha {
                secret,
                tokens: Mutex::default(),
            },
            settings,
        )
    }

    fn issue(&self, host: String) -> String {
        let now = clock::now();
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= TOKENS_MAX {
            tokens.retain(|_, (_, at)| now - *at < TOKEN_LIFETIME);
        }
        let token = format!("{}{}", new_id(now), new_id(now));
        if tokens.len() < TOKENS_MAX {
            tokens.insert(token.clone(), (host, now));
        }
        token
    }

    fn redeem(&self, token: &str) -> Option<String> {
        let taken = self
            .tokens
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(token);
        taken
            .filter(|(_, at)| clock::now() - at < TOKEN_LIFETIME)
            .map(|(host, _)| host)
    }
}

fn none() -> Response {
    ApiError::new(
        ErrorCode::NotFound,
        "not found: captchas are verified by their provider",
    )
    .into_response()
}

/// Responds with the widget's script.
pub(crate) async fn script(State(api): State<Arc<Api>>) -> Response {
    if api.dev_captcha.is_none() {
        return none();
    }
    (
        [
            (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
            (header::CACHE_CONTROL, "no-store"),
        ],
        SCRIPT,
    )
        .into_response()
}

/// Issues a token to a widget that was ticked.
pub(crate) async fn token(State(api): State<Arc<Api>>, headers: HeaderMap) -> Response {
    let Some(dev_captcha) = &api.dev_captcha else {
        return none();
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    // Strips the port. An IPv6 address is in brackets.
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    (
        [(header::CACHE_CONTROL, "no-store")],
        Json(json!({"token": dev_captcha.issue(host.to_lowercase())})),
    )
        .into_response()
}

/// Verifies a token, as the provider's `siteverify` does.
pub(crate) async fn verify(State(api): State<Arc<Api>>, body: Bytes) -> Response {
    let Some(dev_captcha) = &api.dev_captcha else {
        return none();
    };
    let fields = fields(&body).unwrap_or_default();
    let error = |code: &str| Json(json!({"success": false, "error-codes": [code]})).into_response();
    if get(&fields, "secret") != dev_captcha.secret {
        return error("invalid-input-secret");
    }
    let Some(host) = dev_captcha.redeem(get(&fields, "response")) else {
        let site = api.leads.as_ref().and_then(super::Leads::site);
        return error(
            site.map(|site| site.rules.captcha)
                .unwrap_or_default()
                .facts()
                .refusal,
        );
    };
    Json(json!({"success": true, "challenge_ts": clock::iso(clock::now()), "hostname": host}))
        .into_response()
}
