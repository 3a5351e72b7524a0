//! The HTTP client for leads: it asks captcha providers, calls webhooks and reaches DynamoDB.

use std::time::Duration;

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
        .map_err(|_| "the HTTP client could not be created; are the system's certificates installed?".into())
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
