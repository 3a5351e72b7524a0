//! The settings of the server and of the posts endpoint, read once from the environment.
//!
//! Variables about leads are in `leads/settings.rs`, credentials of AWS in `signature.rs`. Two more files read the
//! environment themselves: `leads/dynamodb/client.rs` (AWS) and `metrics.rs` (whether the program runs on Lambda).

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use ring::rand::SecureRandom as _;

use super::client::{Proxies, X_FORWARDED_FOR};
use super::leads::LeadSettings;
use super::log::Log;
use super::origin::Secrets;
use bucket::Bucket;

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
    /// The networks of proxies in front of the API, separated by commas. They are believed about the client's address.
    pub const TRUSTED_PROXIES: &str = "TRUSTED_PROXIES";
    /// The header in which these proxies, or the CDN with `ORIGIN_SECRET`, name the client. Default: `X-Forwarded-For`.
    pub const CLIENT_ADDRESS_HEADER: &str = "CLIENT_ADDRESS_HEADER";
    /// The secret that a CDN adds as `X-Origin-Secret`; several are separated by commas. Requests without it are refused.
    pub const ORIGIN_SECRET: &str = "ORIGIN_SECRET";
    /// The token for `/api/metrics`. Default: nobody may read metrics.
    pub const METRICS_TOKEN: &str = "METRICS_TOKEN";
    /// Maximum number of connections. Default: 2,048; at most three quarters of the files that the process may open.
    pub const MAX_CONNECTIONS: &str = "MAX_CONNECTIONS";
    /// AWS's variable for another S3 endpoint, such as an emulator. The credentials are in AWS's other variables.
    pub const AWS_ENDPOINT_URL_S3: &str = bucket::ENDPOINT;
    /// Set by Lambda: the address of the runtime API, which provides events.
    pub const AWS_LAMBDA_RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
}

/// Default intervals between checks for a newer build: in a local folder (seconds), and with a request (minutes).
const LOOK_EVERY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));
/// Maximum interval between checks, in seconds (a day).
const LOOK_EVERY_MOST: u32 = 86_400;
/// The addresses of this machine.
const LOOPBACK: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];
/// Browsers cache a response for a minute, CDNs for five. CDNs may serve a stale one for a day on errors.
const CACHEABLE: HeaderValue = HeaderValue::from_static(
    "public, max-age=60, s-maxage=300, stale-while-revalidate=300, stale-if-error=86400",
);
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
    /// The proxies that are believed about the address of a client.
    pub proxies: Proxies,
    /// Secrets that a CDN adds to each request; `None` if requests may come from anywhere.
    pub origin_secrets: Option<Secrets>,
    /// Tokens with which metrics may be read; `None` if nobody may.
    pub metrics_tokens: Option<Secrets>,
    /// Maximum number of connections; `None` if the limit of open files decides.
    pub max_connections: Option<usize>,
}

impl Settings {
    /// Reads the environment. The error names the variable and the expected value.
    #[expect(
        clippy::disallowed_methods,
        reason = "these settings come from the environment"
    )]
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from(|name| std::env::var(name).ok())
    }

    /// The settings without an environment, for a preview whose shell may have those of production.
    pub fn standard() -> Result<Settings, String> {
        Settings::from(|_| None)
    }

    /// Reads variables from any source, for tests.
    fn from(read: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let read = |name: &str| read(name).filter(|value| !value.trim().is_empty());
        let listen = read(environment::LISTEN).unwrap_or_else(|| "127.0.0.1:4100".into());
        let origins = read(environment::SITE_ORIGINS).unwrap_or_default();
        let origins = origins
            .split(',')
            .map(str::trim)
            .filter(|origin| !origin.is_empty());
        let is_lambda = read(environment::AWS_LAMBDA_RUNTIME_API).is_some();
        let bundle = read(environment::SITE_ARTIFACT).unwrap_or_else(|| "search".into());
        let mirror = Bucket::from(&bundle, read(environment::AWS_ENDPOINT_URL_S3), read)
            .map_err(|why| format!("{}: {why}", environment::SITE_ARTIFACT))?;
        let default = if is_lambda || mirror.is_some() {
            LOOK_EVERY.1
        } else {
            LOOK_EVERY.0
        };
        let listen: SocketAddr = listen.parse().map_err(|_| {
            format!(
                "{}: `{listen}` is not an IP address with a port, such as `0.0.0.0:4100`",
                environment::LISTEN
            )
        })?;
        let secrets = |name: &str| {
            let read =
                read(name).map(|text| Secrets::read(&text).map_err(|why| format!("{name}: {why}")));
            read.transpose()
        };
        let origin_secrets = secrets(environment::ORIGIN_SECRET)?;
        // Only this machine can connect to a loopback address.
        let is_private = listen.ip().is_loopback() && !is_lambda;
        // Each process has its own copy, because processes update at different times. The name is random, because other
        // users can create files in the folder for temporary files.
        let copy = || {
            std::env::temp_dir()
                .join(format!("site-api-{}", random_name()))
                .join("search")
        };
        Ok(Settings {
            is_lambda,
            bundle: if mirror.is_some() {
                copy()
            } else {
                bundle.into()
            },
            mirror,
            listen,
            origins: origins.map(origin).collect::<Result<_, _>>()?,
            look_every: read(environment::SITE_LOOK_EVERY)
                .map_or(Ok(default), |text| seconds(&text))?,
            cached: true,
            log: Log::Lines,
            leads: LeadSettings::from(&read)?,
            proxies: proxies(&read, is_private, origin_secrets.is_some())?,
            origin_secrets,
            metrics_tokens: secrets(environment::METRICS_TOKEN)?,
            max_connections: read(environment::MAX_CONNECTIONS)
                .map(|text| connections(&text))
                .transpose()?,
        })
    }

    /// The settings for the preview: a local folder, no caching and no log.
    #[must_use]
    pub fn of_preview(self, bundle: PathBuf) -> Settings {
        Settings {
            bundle,
            mirror: None,
            cached: false,
            log: Log::Silent,
            ..self
        }
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

/// The trusted proxies. A header without proxies is believed from this machine if nobody else can connect.
fn proxies(
    read: &dyn Fn(&str) -> Option<String>,
    is_private: bool,
    has_secret: bool,
) -> Result<Proxies, String> {
    use environment as name;
    let networks = read(name::TRUSTED_PROXIES).map(|text| {
        Proxies::networks(&text).map_err(|part| {
            format!(
                "{}: `{part}` is neither an IP address nor a network such as `10.0.0.0/8`",
                name::TRUSTED_PROXIES
            )
        })
    });
    let header = read(name::CLIENT_ADDRESS_HEADER).map(|text| {
        text.trim().parse::<HeaderName>().map_err(|_| {
            format!(
                "{}: `{text}` is not a header name",
                name::CLIENT_ADDRESS_HEADER
            )
        })
    });
    Ok(match (networks.transpose()?, header.transpose()?) {
        (Some(networks), header) => Proxies::new(networks, Some(header.unwrap_or(X_FORWARDED_FOR))),
        (None, None) => Proxies::default(),
        (None, header) if has_secret => Proxies::new(Vec::new(), header),
        (None, header) if is_private => Proxies::new(LOOPBACK.to_vec(), header),
        (None, Some(header)) => {
            return Err(format!(
                "{}: visitors can set `{header}` themselves; name the networks of your proxies in `{}`, such as `10.0.0.0/8,::1`, or set `{}`",
                name::CLIENT_ADDRESS_HEADER,
                name::TRUSTED_PROXIES,
                name::ORIGIN_SECRET
            ));
        }
    })
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

fn connections(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| {
        format!(
            "{}: `{text}` is not a whole number of at least 1",
            environment::MAX_CONNECTIONS
        )
    })
}

fn origin(text: &str) -> Result<String, String> {
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '*', ' ']) => {
            Ok(text.to_owned())
        }
        _ => Err(format!(
            "{}: `{text}` is not an origin such as `https://preview.example.com`",
            environment::SITE_ORIGINS
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expect: Result<&[&str], &str>) {
        let read = |name: &str| {
            variables
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, value)| (*value).to_owned())
        };
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
            Err("SITE_ORIGINS: `a.example` is not an origin such as `https://preview.example.com`"),
        );
        check(
            &[("SITE_ORIGINS", "https://a.example/")],
            Err(
                "SITE_ORIGINS: `https://a.example/` is not an origin such as `https://preview.example.com`",
            ),
        );
        check(
            &[("SITE_LOOK_EVERY", "1.5")],
            Err("SITE_LOOK_EVERY: `1.5` is not a number of seconds from 0 to 86400"),
        );
        check(
            &[("SITE_ARTIFACT", "s3://bucket")],
            Err(
                "SITE_ARTIFACT: `s3://bucket` is not a URL such as `s3://BUCKET/search` or `https://site.example/search`",
            ),
        );
        check(
            &[("SITE_ARTIFACT", "s3://bucket/search")],
            Err("SITE_ARTIFACT: `AWS_REGION` is not set; it is required for S3"),
        );
        check(
            &[("TRUSTED_PROXIES", "10.0.0.0/8, proxy")],
            Err(
                "TRUSTED_PROXIES: `proxy` is neither an IP address nor a network such as `10.0.0.0/8`",
            ),
        );
        check(
            &[("METRICS_TOKEN", "short")],
            Err(
                "METRICS_TOKEN: write at least 16 letters and digits, such as the output of `openssl rand -hex 32`",
            ),
        );
        check(
            &[("LISTEN", "4100")],
            Err("LISTEN: `4100` is not an IP address with a port, such as `0.0.0.0:4100`"),
        );
    }

    /// A header that anyone can write is believed only if nobody but a proxy on this machine can connect.
    #[test]
    fn a_header_needs_proxies_that_are_believed() {
        let from = |variables: &[(&str, &str)]| {
            let read = |name: &str| {
                variables
                    .iter()
                    .find(|(own, _)| *own == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            Settings::from(read).map(|settings| settings.proxies)
        };
        let header = ("CLIENT_ADDRESS_HEADER", "X-Forwarded-For");
        let proxies = |networks: &str| {
            Proxies::new(
                Proxies::networks(networks).expect("networks"),
                Some(X_FORWARDED_FOR),
            )
        };
        assert_eq!(from(&[]), Ok(Proxies::default()));
        assert_eq!(from(&[header]), Ok(proxies("127.0.0.0/8,::1")));
        assert_eq!(
            from(&[("TRUSTED_PROXIES", "10.0.0.1")]),
            Ok(proxies("10.0.0.1"))
        );
        assert_eq!(
            from(&[header, ("ORIGIN_SECRET", "0123456789abcdef")]),
            Ok(proxies(""))
        );
        for public in [
            ("LISTEN", "0.0.0.0:4100"),
            ("AWS_LAMBDA_RUNTIME_API", "127.0.0.1:9001"),
        ] {
            let why = from(&[header, public]).expect_err("an error");
            assert!(
                why.starts_with("CLIENT_ADDRESS_HEADER: visitors can set")
                    && why.contains("TRUSTED_PROXIES"),
                "{why}"
            );
            assert_eq!(
                from(&[header, public, ("TRUSTED_PROXIES", "::1")]),
                Ok(proxies("::1"))
            );
        }
    }
}
