//! The settings of the API's server and of its posts, read once from the environment.
//!
//! Variables about leads are in `leads/settings.rs`, credentials of AWS in `signature.rs`. Two more files read the
//! environment themselves: `leads/dynamodb/client.rs` (AWS) and `metrics.rs` (whether the program runs on Lambda).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::HeaderValue;
use ring::rand::SecureRandom as _;

use super::bundle_mirror::MirrorSettings;
use super::leads::LeadSettings;
use super::log::Log;

/// The environment variables that the API reads, all of them.
pub mod environment {
    /// The folder that a build writes beside `dist/`; `search` unless said otherwise. Also `s3://BUCKET/search`, or the
    /// address of a web server that has it.
    pub const SITE_ARTIFACT: &str = "SITE_ARTIFACT";
    /// Where to listen, when not on Lambda; `127.0.0.1:4100` unless said otherwise.
    pub const LISTEN: &str = "LISTEN";
    /// Other sites whose pages may read the answers: origins with commas between them. The site itself always may.
    pub const SITE_ORIGINS: &str = "SITE_ORIGINS";
    /// So many seconds after a look for a newer build the next request looks again; 1 unless said otherwise, on Lambda and
    /// for a bucket 60.
    pub const SITE_LOOK_EVERY: &str = "SITE_LOOK_EVERY";
    /// AWS's own variable for another S3, such as an emulator. Who asks it is in AWS's other variables.
    pub const AWS_ENDPOINT_URL_S3: &str = "AWS_ENDPOINT_URL_S3";
    /// Set by Lambda: where the function gets its events.
    pub const AWS_LAMBDA_RUNTIME_API: &str = "AWS_LAMBDA_RUNTIME_API";
}

/// How often a newer build is looked for: beside a build, and where a look costs a question.
const LOOK_EVERY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));
/// Nobody waits longer than a day for a new post.
const LOOK_EVERY_MOST: u32 = 86_400;
/// Browsers keep an answer for a minute; a CDN for five, and an old one rather than none for a day.
const KEPT: HeaderValue =
    HeaderValue::from_static("public, max-age=60, s-maxage=300, stale-while-revalidate=300, stale-if-error=86400");
/// Each answer is asked for again.
const FRESH: HeaderValue = HeaderValue::from_static("no-cache");

/// What the environment says.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of the search bundle.
    pub bundle: PathBuf,
    /// Where that folder is a copy from.
    pub mirror: Option<MirrorSettings>,
    /// Where to listen.
    pub listen: SocketAddr,
    /// Events come from Lambda, and nothing listens.
    pub is_lambda: bool,
    /// Further origins that may read the answers.
    pub origins: Vec<String>,
    /// How often a newer build is looked for.
    pub look_every: Duration,
    /// Answers may be kept by browsers and a CDN.
    pub cached: bool,
    /// Where the log goes.
    pub log: Log,
    /// What concerns leads.
    pub leads: LeadSettings,
}

impl Settings {
    /// Reads the environment. The error names the variable, and what it should say.
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from(|name| std::env::var(name).ok())
    }

    /// The same from any source of variables.
    fn from(read: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let read = |name: &str| read(name).filter(|value| !value.trim().is_empty());
        let listen = read(environment::LISTEN).unwrap_or_else(|| "127.0.0.1:4100".into());
        let origins = read(environment::SITE_ORIGINS).unwrap_or_default();
        let origins = origins.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        let is_lambda = read(environment::AWS_LAMBDA_RUNTIME_API).is_some();
        let bundle = read(environment::SITE_ARTIFACT).unwrap_or_else(|| "search".into());
        let mirror = MirrorSettings::from(&bundle, read(environment::AWS_ENDPOINT_URL_S3), read)
            .map_err(|why| format!("{}: {why}", environment::SITE_ARTIFACT))?;
        let default = if is_lambda || mirror.is_some() { LOOK_EVERY.1 } else { LOOK_EVERY.0 };
        // Each process has its own copy: two of them may come upon a newer build at different moments. Others may write to
        // the folder for temporary files, so nobody may know the name beforehand.
        let copy = || std::env::temp_dir().join(format!("site-api-{}", unguessable())).join("search");
        Ok(Settings {
            is_lambda,
            bundle: if mirror.is_some() { copy() } else { bundle.into() },
            mirror,
            listen: listen
                .parse()
                .map_err(|_| format!("{}: `{listen}` is no address such as 0.0.0.0:4100", environment::LISTEN))?,
            origins: origins.map(origin).collect::<Result<_, _>>()?,
            look_every: read(environment::SITE_LOOK_EVERY).map_or(Ok(default), |text| seconds(&text))?,
            cached: true,
            log: Log::Lines,
            leads: LeadSettings::from(&read)?,
        })
    }

    /// The settings of a preview, whose folder changes at any moment, and whose terminal belongs to somebody else.
    #[must_use]
    pub fn of_preview(self, bundle: PathBuf) -> Settings {
        Settings { bundle, mirror: None, cached: false, log: Log::Silent, ..self }
    }

    /// How long answers may be kept.
    pub(super) fn cache_control(&self) -> HeaderValue {
        if self.cached { KEPT } else { FRESH }
    }
}

/// 32 hexadecimal digits.
fn unguessable() -> String {
    let mut bytes = [0; 16];
    // Fails on no system that this runs on; the folder is then made for its owner alone, or not at all.
    let _ = ring::rand::SystemRandom::new().fill(&mut bytes);
    format!("{:032x}", u128::from_ne_bytes(bytes))
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<u32>() {
        Ok(seconds) if seconds <= LOOK_EVERY_MOST => Ok(Duration::from_secs(seconds.into())),
        _ => Err(format!(
            "{}: `{text}` is no number of seconds from 0 to {LOOK_EVERY_MOST}",
            environment::SITE_LOOK_EVERY
        )),
    }
}

fn origin(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['/', '?', '#', '*', ' ']) => Ok(text.to_owned()),
        _ => Err(format!("{}: `{text}` is no origin such as https://preview.example.com", environment::SITE_ORIGINS)),
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
    fn a_wrong_setting_is_named() {
        check(&[], Ok(&[]));
        check(&[("LISTEN", " "), ("SITE_ORIGINS", "")], Ok(&[]));
        check(
            &[("SITE_ORIGINS", "https://a.example, http://b.example:8080")],
            Ok(&["https://a.example", "http://b.example:8080"]),
        );
        check(
            &[("SITE_ORIGINS", "a.example")],
            Err("SITE_ORIGINS: `a.example` is no origin such as https://preview.example.com"),
        );
        check(
            &[("SITE_ORIGINS", "https://a.example/")],
            Err("SITE_ORIGINS: `https://a.example/` is no origin such as https://preview.example.com"),
        );
        check(&[("SITE_LOOK_EVERY", "1.5")], Err("SITE_LOOK_EVERY: `1.5` is no number of seconds from 0 to 86400"));
        check(
            &[("SITE_ARTIFACT", "s3://bucket")],
            Err("SITE_ARTIFACT: `s3://bucket` is no address such as s3://BUCKET/search or https://site.example/search"),
        );
        check(&[("SITE_ARTIFACT", "s3://bucket/search")], Err("SITE_ARTIFACT: AWS_REGION is not set, which S3 needs"));
        check(&[("LISTEN", "4100")], Err("LISTEN: `4100` is no address such as 0.0.0.0:4100"));
    }
}
