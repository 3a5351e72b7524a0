//! Tells search engines which addresses have another text than when they were told last, by the protocol `IndexNow`
//! (<https://www.indexnow.org/documentation>). The texts that were announced are kept in the cache folder.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use api_types::base_url::Hosts;
use reqwest::{Url, header, redirect};
use serde::Serialize;

use config::{Config, IndexNowSettings};
use diagnostics::problem::{Code, Problem};
use diagnostics::text::innermost_cause;
use workspace::{cache, files};

/// Passes addresses on to all search engines that take part.
const ENDPOINT: &str = "https://api.indexnow.org/indexnow";
/// The maximum number of addresses in one request, from the protocol.
const BATCH: usize = 10_000;
/// The timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The state, in the cache folder.
const FILE: &str = "indexnow.json";

/// The hash of the text of each address.
pub type Texts = BTreeMap<String, String>;

/// The addresses to announce.
#[derive(Debug, Default, Serialize)]
pub struct AddressChanges {
    /// Addresses that are new.
    pub added: Vec<String>,
    /// Addresses whose text has changed.
    pub changed: Vec<String>,
    /// Addresses that are gone.
    pub removed: Vec<String>,
}

impl AddressChanges {
    /// The differences between the texts that were announced and those of now.
    pub fn between(announced: &Texts, now: &Texts) -> AddressChanges {
        let mut changes = AddressChanges::default();
        for (address, hash) in now {
            match announced.get(address) {
                None => changes.added.push(address.clone()),
                Some(known) if known != hash => changes.changed.push(address.clone()),
                Some(_) => {}
            }
        }
        changes.removed.extend(
            announced
                .keys()
                .filter(|address| !now.contains_key(*address))
                .cloned(),
        );
        changes
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.added.iter().chain(&self.changed).chain(&self.removed)
    }
}

/// The texts that were announced by the last run, with their file.
#[derive(Debug)]
pub struct Announced {
    file: PathBuf,
    /// `None` before the first run.
    pub texts: Option<Texts>,
}

impl Announced {
    /// Reads the state. A damaged file counts as none.
    pub fn open(config: &Config) -> Announced {
        let file = config.paths.cache.join(FILE);
        let texts = std::fs::read(&file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Announced { file, texts }
    }

    /// Keeps the state.
    pub fn save(&self) -> Result<(), Problem> {
        let bytes = serde_json::to_vec_pretty(&self.texts).unwrap_or_default();
        let saved = files::create_cache_folder(self.file.parent().unwrap_or(&self.file));
        saved
            .and_then(|()| cache::keep(&self.file, &bytes))
            .map_err(|error| {
                let why = format!(
                    "`{}` could not be written ({})",
                    self.file.display(),
                    files::reason(&error)
                );
                Problem::error(Code::IndexNow, why)
                    .hint("correct this so that the next run knows which URLs were sent")
            })
    }

    /// Sends the changes in requests of at most 10,000 addresses of one host, and notes each that was accepted. Returns
    /// how many were.
    pub fn send(
        &mut self,
        settings: &IndexNowSettings,
        hosts: Hosts,
        now: &Texts,
    ) -> Result<usize, Problem> {
        let changes = AddressChanges::between(self.texts.get_or_insert_default(), now);
        let mut by_host: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for address in changes.all() {
            let base_url = hosts.of_path(hosts.path_in(address).unwrap_or_default());
            by_host.entry(base_url).or_default().push(address);
        }
        let clients = by_host
            .keys()
            .map(|base_url| Ok((*base_url, IndexNowClient::new(settings, base_url)?)));
        let clients: BTreeMap<&str, IndexNowClient> = clients.collect::<Result<_, Problem>>()?;
        let all: usize = by_host.values().map(Vec::len).sum();
        let mut sent = 0;
        let batches = by_host
            .iter()
            .flat_map(|(host, addresses)| addresses.chunks(BATCH).map(move |batch| (host, batch)));
        for (host, batch) in batches {
            clients[host].send(batch).map_err(|(why, hint)| {
                let left = all - sent;
                let left = if left == 1 {
                    "1 URL was".into()
                } else {
                    format!("{left} URLs were")
                };
                Problem::error(Code::IndexNow, format!("{why}; {left} not sent")).hint(hint)
            })?;
            sent += batch.len();
            let texts = self.texts.get_or_insert_default();
            for address in batch {
                match now.get(*address) {
                    Some(hash) => drop(texts.insert((*address).clone(), hash.clone())),
                    None => drop(texts.remove(*address)),
                }
            }
            self.save()?;
        }
        Ok(sent)
    }
}

/// The body of a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    host: &'a str,
    key: &'a str,
    key_location: String,
    url_list: &'a [&'a String],
}

struct IndexNowClient<'a> {
    http: reqwest::Client,
    runtime: tokio::runtime::Runtime,
    endpoint: Url,
    host: String,
    key: &'a str,
    base_url: &'a str,
}

impl<'a> IndexNowClient<'a> {
    fn new(
        settings: &'a IndexNowSettings,
        base_url: &'a str,
    ) -> Result<IndexNowClient<'a>, Problem> {
        // Fails only if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let endpoint = settings
            .endpoint
            .as_ref()
            .map_or(ENDPOINT, |endpoint| endpoint.value.as_str());
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("sitegen/", env!("CARGO_PKG_VERSION")));
        Ok(IndexNowClient {
            http: http
                .build()
                .map_err(|error| failed(&innermost_cause(&error)))?,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| failed(&files::reason(&error)))?,
            endpoint: Url::parse(endpoint).map_err(|error| failed(&error.to_string()))?,
            host: Url::parse(base_url)
                .ok()
                .and_then(|url| url.host_str().map(str::to_owned))
                .unwrap_or_default(),
            key: &settings.key.value,
            base_url,
        })
    }

    /// Sends one request. The error is a message and a hint.
    fn send(&self, addresses: &[&String]) -> Result<(), (String, String)> {
        let key_location = format!("{}/{}.txt", self.base_url, self.key);
        let body = Body {
            host: &self.host,
            key: self.key,
            key_location,
            url_list: addresses,
        };
        // A struct of strings always serializes.
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let request = self.http.post(self.endpoint.clone()).body(body);
        let request = request.header(header::CONTENT_TYPE, "application/json; charset=utf-8");
        let host = self.endpoint.host_str().unwrap_or_default();
        let again = "run `sitegen indexnow` again to send the rest";
        let answer = self
            .runtime
            .block_on(async { request.send().await })
            .map_err(|error| {
                let why = if error.is_timeout() {
                    format!("no response within {} seconds", TIMEOUT.as_secs())
                } else {
                    innermost_cause(&error)
                };
                (
                    format!("the request to `{host}` failed ({why})"),
                    again.to_owned(),
                )
            })?;
        let status = answer.status().as_u16();
        let wait = answer
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|wait| wait.to_str().ok());
        let hint = match status {
            200 | 202 => return Ok(()),
            403 => format!(
                "publish the site first: `{}/{}.txt` must contain the key",
                self.base_url, self.key
            ),
            422 => format!(
                "check that every URL is on `{}`, and that the key is the site's",
                self.host
            ),
            429 => match wait.filter(|wait| wait.bytes().all(|byte| byte.is_ascii_digit())) {
                Some(seconds) => {
                    format!("run `sitegen indexnow` again in {seconds} seconds to send the rest")
                }
                None => "run `sitegen indexnow` again later to send the rest".to_owned(),
            },
            _ => again.to_owned(),
        };
        let meaning = match status {
            400 => ": the request is not valid",
            403 => ": the key was not found",
            422 => ": the URLs or the key do not match the host",
            429 => ": too many requests",
            _ => "",
        };
        Err((format!("`{host}` responded with {status}{meaning}"), hint))
    }
}

/// A problem with requests to search engines.
fn failed(why: &str) -> Problem {
    Problem::error(Code::IndexNow, format!("no request could be made ({why})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_what_differs_is_announced() {
        let texts = |pairs: &[(&str, &str)]| -> Texts {
            pairs
                .iter()
                .map(|(address, hash)| ((*address).to_owned(), (*hash).to_owned()))
                .collect()
        };
        let changes = AddressChanges::between(
            &texts(&[("/a", "1"), ("/b", "1"), ("/c", "1")]),
            &texts(&[("/b", "2"), ("/c", "1"), ("/d", "1")]),
        );
        let all: Vec<&str> = changes.all().map(String::as_str).collect();
        assert_eq!(all, ["/d", "/b", "/a"]);
    }
}
