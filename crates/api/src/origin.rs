//! Secrets that a caller must send, and the gate for requests that go around a CDN.
//!
//! With `ORIGIN_SECRET`, the API answers only requests with that secret, which the CDN adds to each request. So the API's
//! address may be public, and headers about the visitor are known to be the CDN's.

use std::fmt;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderName;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use ring::hmac::{HMAC_SHA256, Key, Tag, sign, verify};

use super::{Api, ApiError, ErrorCode, Scheduled};

/// The header with the secret.
pub const HEADER: HeaderName = HeaderName::from_static("x-origin-secret");
/// Minimum length of a secret, in bytes. A shorter one could be guessed.
const LENGTH_MIN: usize = 16;

/// Request extension: the request came through the CDN.
#[derive(Debug, Clone, Copy)]
pub(super) struct FromOrigin;

/// One or more secrets, of which a caller must know one. Several are valid while one is being replaced.
#[derive(Clone)]
pub struct Secrets {
    key: Key,
    /// Codes of the secrets under a random key: comparing them takes the same time for every wrong secret.
    codes: Vec<Tag>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Secrets")
            .field("count", &self.codes.len())
            .finish_non_exhaustive()
    }
}

impl Secrets {
    /// Parses secrets that are separated by commas. The error says what a secret looks like, and does not contain it.
    pub(super) fn read(text: &str) -> Result<Secrets, String> {
        let wrong = || {
            format!(
                "write at least {LENGTH_MIN} letters and digits, such as the output of `openssl rand -hex 32`"
            )
        };
        let secrets: Vec<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|secret| !secret.is_empty())
            .collect();
        let is_good = |secret: &&str| {
            secret.len() >= LENGTH_MIN && secret.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if secrets.is_empty() || !secrets.iter().all(is_good) {
            return Err(wrong());
        }
        let key = Key::generate(HMAC_SHA256, &ring::rand::SystemRandom::new())
            .map_err(|_| "the system could not generate random numbers")?;
        let codes = secrets
            .iter()
            .map(|secret| sign(&key, secret.as_bytes()))
            .collect();
        Ok(Secrets { key, codes })
    }

    /// Whether the text is one of the secrets.
    pub(super) fn know(&self, text: &[u8]) -> bool {
        self.codes.iter().fold(false, |known, code| {
            verify(&self.key, text, code.as_ref()).is_ok() | known
        })
    }
}

/// Refuses requests without the secret, if one is set. The schedule calls the function itself, not through the CDN.
pub(super) async fn gate(
    State(api): State<Arc<Api>>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(secrets) = &api.settings().origin_secrets {
        let mut given = request.headers().get_all(HEADER).iter();
        let is_known = given
            .next()
            .is_some_and(|secret| secrets.know(secret.as_bytes()))
            && given.next().is_none();
        if is_known {
            request.extensions_mut().insert(FromOrigin);
        } else if request.extensions().get::<Scheduled>().is_none() {
            let refused = ApiError::new(ErrorCode::Forbidden, "use the site's own URL");
            return refused
                .because(format!("{HEADER} is missing or wrong"))
                .into_response();
        }
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_secret_is_known_and_nothing_else() {
        let secrets = Secrets::read("0123456789abcdef, fedcba9876543210").expect("secrets");
        assert!(secrets.know(b"0123456789abcdef") && secrets.know(b"fedcba9876543210"));
        for wrong in [
            "",
            "0123456789abcde",
            "0123456789abcdef0",
            "0123456789abcdef, fedcba9876543210",
        ] {
            assert!(!secrets.know(wrong.as_bytes()), "{wrong}");
        }
        assert_eq!(format!("{secrets:?}"), "Secrets { count: 2, .. }");
    }

    #[test]
    fn a_secret_that_could_be_guessed_is_refused() {
        for text in [
            "",
            ",",
            "short",
            "0123456789abcdef,short",
            "0123456789 abcdef",
            "0123456789abcdé…",
        ] {
            let why = Secrets::read(text).expect_err(text);
            assert!(
                why.contains("at least 16") && !why.contains("short"),
                "{why}"
            );
        }
    }
}
