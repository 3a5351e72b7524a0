//! The settings of the server and of the posts endpoint, read once from the environment.
//!
//! Variables about leads are in `leads/settings.rs`, credentials of AWS in `signature.rs`. Two more files read the
//! environment themselves: `leads/dynamodb/client.rs` (AWS) and `metrics.rs` (whether the program runs on Lambda).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::HeaderValue;
use ring::rand::SecureRandom as _;

use super::bucket::Bucket;
use super::leads::LeadSettings;
use super::log::Log;

/// All environment variables for the server and the posts endpoint.
pub mod environment {
    /// The folder that a build writes beside `dist/`, `s3://BUCKET/search`, or the URL of the folder on a web server.
    /// Default: `search`.
    pub const SITE_ARTIFACT: &str = "SITE_ARTIFACT";
    /// The address to listen on, unless on Lambda. Default: `127.0.0.1:4100`.
    pub const LISTEN: &str = "LISTEN";
    /// Further origins allowed by CORS, separated by commas. The site's own origin is always allowed.
    pub const SITE_ORIGINS: &str = "SITE_ORIGINS";
    /// Minimum number of seconds between checks for a newer build. Default: 1; on Lambda and for a remote bundle 60.
    pub const SITE_LOOK_EVERY: &str = "SITE_LOOK_EVERY";
    /// AWS's variable for another S3 endpoint, such as an emulator. The credentials are in AWS's other variables.
    pub const AWS_ENDPOINT_URL_S3: &str = "AWS_ENDPOINT_URL_S3";
    /// Set by Lambda: the address of the runtime API, which provides events.
    pub const AWS_LAMBDA_RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
}

/// Default intervals between checks for a newer build: in a local folder (seconds), and with a request (minutes).
const LOOK_EVERY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));
/// Maximum interval between checks, in seconds (a day).
const LOOK_EVERY_MOST: u32 = 86_400;
/// Browsers cache a response for a minute, CDNs for five. CDNs may serve a stale one for a day on errors.
const CACHEABLE: HeaderValue =
    HeaderValue::from_static("public, max-age=60, s-maxage=300, stale-while-revalidate=300, stale-if-error=86400");
/// Responses must be revalidated.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// The settings of the API.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of the search bundle.
    pub bundle: PathBuf,
    /// Where to download the search bundle; `None` for a local one.
    pub mirror: Option<Bucket>,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Whether to run as a Lambda function instead of a server.
    pub is_lambda: bool,
    /// Further origins allowed by CORS.
    pub origins: Vec<String>,
    /// Minimum interval between checks for a newer build.
    pub look_every: Duration,
    /// Whether browsers and CDNs may cache responses.
    pub cached: bool,
    /// The log's destination.
    pub log: Log,
    /// The settings for leads.
    pub leads: LeadSettings,
}

impl Settings {
    /// Reads the environment. The error names the variable and the expected value.
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from(|name| std::env::var(name).ok())
    }

    /// Reads variables from any source, for tests.
    fn from(read: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let read = |name: &str| read(name).filter(|value| !value.trim().is_empty());
        let listen = read(environment::LISTEN).unwrap_or_else(|| "127.0.0.1:4100".into());
        let origins = read(environment::SITE_ORIGINS).unwrap_or_default();
        let origins = origins.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        let is_lambda = read(environment::AWS_LAMBDA_RUNTIME_API).is_some();
        let bundle = read(environment::SITE_ARTIFACT).unwrap_or_else(|| "search".into());
        let mirror = Bucket::from(&bundle, read(environment::AWS_ENDPOINT_URL_S3), read)
            .map_err(|why| format!("{}: {why}", environment::SITE_ARTIFACT))?;
        let default = if is_lambda || mirror.is_some() { LOOK_EVERY.1 } else { LOOK_EVERY.0 };
        // Each process has its own copy, because processes update at different times. The name is random, because other
        // users can create files in the folder for temporary files.
        let copy = || std::env::temp_dir().join(format!("site-api-{}", random_name())).join("search");
        Ok(Settings {
            is_lambda,
            bundle: if mirror.is_some() { copy() } else { bundle.into() },
            mirror,
            listen: listen
                .parse()
                .map_err(|_| format!("{}: `{listen}` is not an address such as 0.0.0.0:4100", environment::LISTEN))?,
            origins: origins.map(origin).collect::<Result<_, _>>()?,
            look_every: read(environment::SITE_LOOK_EVERY).map_or(Ok(default), |text| seconds(&text))?,
            cached: true,
            log: Log::Lines,
            leads: LeadSettings::from(&read)?,
        })
    }

    /// The settings for the preview: a local folder, no caching and no log.
    #[must_use]
    pub fn of_preview(self, bundle: PathBuf) -> Settings {
        Settings { bundle, mirror: None, cached: false, log: Log::Silent, ..self }
    }

    /// The `Cache-Control` header of responses.
    pub(super) fn cache_control(&self) -> HeaderValue {
        if self.cached { CACHEABLE } else { REVALIDATE }
    }
}

/// 32 random hexadecimal digits.
fn random_name() -> String {
    let mut bytes = [0; 16];
    // This does not fail on supported systems. If it did, creating the folder with mode 0700 would still be safe.
    let _ = ring::rand::SystemRandom::new().fill(&mut bytes);
    format!("{:032x}", u128::from_ne_bytes(bytes))
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<u32>() {
        Ok(seconds) if seconds <= LOOK_EVERY_MOST => Ok(Duration::from_secs(seconds.into())),
        _ => Err(format!(
            "{}: `{text}` is not a number of seconds from 0 to {LOOK_EVERY_MOST}",
            environment::SITE_LOOK_EVERY
        )),
    }
}

fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '*', ' ']) => Ok(text.to_owned()),
        _ => {
            Err(format!("{}: `{text}` is not an origin such as https://preview.example.com", environment::SITE_ORIGINS))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expect: Result<&[&str], &str>) {
        let read = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
        let found = Settings::from(read).map(|settings| settings.origins);
        let found: Result<Vec<&str>, &str> = match &found {
            Ok(origins) => Ok(origins.iter().map(String::as_str).collect()),
            Err(why) => Err(why),
        };
        assert_eq!(found, expect.map(<[&str]>::to_vec));
    }

    #[test]
    fn an_invalid_setting_is_named() {
        check(&[], Ok(&[]));
        check(&[("LISTEN", " "), ("SITE_ORIGINS", "")], Ok(&[]));
        check(
            &[("SITE_ORIGINS", "https://a.example, http://b.example:8080")],
            Ok(&["https://a.example", "http://b.example:8080"]),
        );
        check(
            &[("SITE_ORIGINS", "a.example")],
            Err("SITE_ORIGINS: `a.example` is not an origin such as https://preview.example.com"),
        );
        check(
            &[("SITE_ORIGINS", "https://a.example/")],
            Err("SITE_ORIGINS: `https://a.example/` is not an origin such as https://preview.example.com"),
        );
        check(&[("SITE_LOOK_EVERY", "1.5")], Err("SITE_LOOK_EVERY: `1.5` is not a number of seconds from 0 to 86400"));
        check(
            &[("SITE_ARTIFACT", "s3://bucket")],
            Err(
                "SITE_ARTIFACT: `s3://bucket` is not an address such as s3://BUCKET/search or https://site.example/search",
            ),
        );
        check(
            &[("SITE_ARTIFACT", "s3://bucket/search")],
            Err("SITE_ARTIFACT: AWS_REGION is not set; it is required for S3"),
        );
        check(&[("LISTEN", "4100")], Err("LISTEN: `4100` is not an address such as 0.0.0.0:4100"));
    }
}
