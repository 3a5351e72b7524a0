//! The HTTP client for leads: it asks captcha providers, calls webhooks and reaches DynamoDB and S3.

use std::time::Duration;

use super::store_error::StoreError;

/// Timeout of a request that sets no shorter one, in seconds.
pub(super) const TIMEOUT: Duration = Duration::from_secs(15);

/// Creates the client. It does not follow redirects, so that data is sent only to configured hosts.
pub(super) fn client() -> Result<reqwest::Client, String> {
    // Fails if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("sitegen/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|_| {
            "the HTTP client could not be created; are the system's certificates installed?".into()
        })
}

/// Why an attempt failed, and whether another one may succeed.
pub(super) enum AttemptError<E> {
    Transient(StoreError),
    Permanent(E),
}

/// Makes up to `tries` attempts, until one succeeds or no other one can. The first retry comes after `delay`, each further one
/// after three times as long.
pub(super) async fn retried<
    T,
    E: From<StoreError>,
    F: Future<Output = Result<T, AttemptError<E>>>,
>(
    tries: u32,
    delay: Duration,
    attempt: impl Fn() -> F,
) -> Result<T, E> {
    let mut pause = delay;
    let mut last = StoreError::Busy;
    for number in 0..tries {
        if number > 0 {
            tokio::time::sleep(pause).await;
            pause *= 3;
        }
        match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(AttemptError::Transient(error)) => last = error,
            Err(AttemptError::Permanent(error)) => return Err(error),
        }
    }
    Err(last.into())
}

/// Why a request failed, without its URL.
pub(super) fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "the request timed out".into()
    } else if error.is_connect() {
        "the connection failed".into()
    } else {
        "the connection was interrupted".into()
    }
}
