//! Requests the pages of other sites that this one links to. Failures are warnings, because some site is always down.
//!
//! Several sites are requested in parallel, but each site sequentially, with a pause between requests. A good answer is
//! cached for a day; a failed request is repeated in the next check.

mod answer_cache;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Url, redirect};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use config::Config;
use config::addresses::{PublicOnly, refusal, same_origin};
use diagnostics::problem::{Code, Place, Problem, Problems};
use diagnostics::text::innermost_cause;
use site::model::{Page, Site};
use site::routes::file_of;

use answer_cache::AnswerCache;

/// The maximum number of sites that are requested in parallel.
const MAX_PARALLEL_SITES: usize = 8;
/// The time between two requests to one site.
const REQUEST_INTERVAL: Duration = Duration::from_millis(200);
/// The maximum number of redirects that are followed.
const MAX_REDIRECTS: usize = 10;
/// The timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Requests each address, and reports those that fail. `links` maps addresses to a file of the site that links to them.
pub fn check(config: &Config, site: &Site, links: &BTreeMap<&str, &str>) -> Problems {
    let mut cache = AnswerCache::open(config);
    let mut by_host: BTreeMap<String, Vec<LinkRequest>> = BTreeMap::new();
    for (address, file) in links.iter().filter(|(address, _)| !cache.answered(address)) {
        let host = address.split('/').nth(2).unwrap_or_default().to_lowercase();
        // Browsers do not send the fragment.
        let address = address.split('#').next().unwrap_or(address).to_owned();
        let is_foreign = page_of(site, file).is_some_and(|page| site.blog.is_foreign(page.body));
        let addresses = by_host.entry(host).or_default();
        match addresses.iter_mut().find(|asked| asked.address == address) {
            Some(asked) => asked.is_foreign &= is_foreign,
            None => addresses.push(LinkRequest {
                address,
                is_foreign,
            }),
        }
    }
    let answers = match request_all(by_host) {
        Ok(answers) => answers,
        Err(why) => {
            let message = format!("links to other sites could not be checked ({why})");
            return Problem::warning(Code::ExternalLink, message).into();
        }
    };
    let mut problems = Problems::new();
    for (address, answer) in &answers {
        match answer {
            Ok(()) => cache.remember(address),
            Err(why) => {
                let linked = links
                    .iter()
                    .filter(|(link, _)| link.split('#').next() == Some(address));
                linked.for_each(|(link, file)| problems.push(problem(site, link, file, why)));
            }
        }
    }
    problems.extend(cache.close());
    problems
}

fn problem(site: &Site, address: &str, file: &str, why: &str) -> Problem {
    let problem = Problem::warning(
        Code::ExternalLink,
        format!("the request to `{address}` failed ({why})"),
    );
    match page_of(site, file) {
        Some(page) => problem.at(place(site, page, address)),
        None => problem,
    }
}

/// The page that a file of `dist/` shows.
fn page_of<'a>(site: &'a Site, file: &str) -> Option<&'a Page> {
    site.pages.iter().find(|page| {
        std::iter::once(&page.path)
            .chain(&page.also_at)
            .any(|path| file_of(path) == file)
    })
}

/// The line that contains the address: in the page, or in the settings, which contain the links of menu and footer.
fn place(site: &Site, page: &Page, address: &str) -> Place {
    for source in [&page.source, &site.settings_source] {
        if let Some(start) = source.text.find(address) {
            return source.place(diagnostics::problem::Span::new(
                start,
                start + address.len(),
            ));
        }
    }
    Place::file(page.source.path.clone())
}

type Answers = BTreeMap<String, Result<(), String>>;

/// An address to request, and whether only posts of a CMS contain it.
struct LinkRequest {
    address: String,
    is_foreign: bool,
}

/// The HTTP clients: see [`request_all`].
#[derive(Clone)]
struct Clients {
    own: reqwest::Client,
    public: reqwest::Client,
}

/// A client that says who asks.
fn client() -> reqwest::ClientBuilder {
    let name = concat!("sitegen/", env!("CARGO_PKG_VERSION"), " (link check)");
    reqwest::Client::builder()
        .timeout(REQUEST_TIMEOUT)
        .user_agent(name)
}

fn request_all(by_host: BTreeMap<String, Vec<LinkRequest>>) -> Result<Answers, String> {
    if by_host.is_empty() {
        return Ok(Answers::new());
    }
    // Fails only if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let clients = Clients {
        // The site's own files are trusted, so they may link to private addresses. Redirects to another origin are not
        // followed.
        own: client()
            .redirect(redirect::Policy::custom(|attempt| {
                let stays = attempt
                    .previous()
                    .last()
                    .is_some_and(|last| same_origin(last, attempt.url()));
                if stays && attempt.previous().len() <= MAX_REDIRECTS {
                    attempt.follow()
                } else {
                    attempt.stop()
                }
            }))
            .build()
            .map_err(|error| reason(&error))?,
        // Posts of a CMS are not trusted, so private addresses are refused for their links and redirects.
        public: client()
            .dns_resolver(Arc::new(PublicOnly))
            .redirect(redirect::Policy::custom(|attempt| {
                match refusal(attempt.url()) {
                    Some(why) => attempt.error(why),
                    None if attempt.previous().len() > MAX_REDIRECTS => {
                        attempt.error("too many redirects")
                    }
                    None => attempt.follow(),
                }
            }))
            .build()
            .map_err(|error| reason(&error))?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    Ok(runtime.block_on(async {
        let permits = Arc::new(Semaphore::new(MAX_PARALLEL_SITES));
        let mut sites = JoinSet::new();
        for addresses in by_host.into_values() {
            let (clients, permits) = (clients.clone(), Arc::clone(&permits));
            sites.spawn(async move {
                // The semaphore is never closed.
                let _permit = permits.acquire().await;
                let mut answers = Vec::with_capacity(addresses.len());
                for (
                    number,
                    LinkRequest {
                        address,
                        is_foreign,
                    },
                ) in addresses.into_iter().enumerate()
                {
                    if number > 0 {
                        tokio::time::sleep(REQUEST_INTERVAL).await;
                    }
                    let answer = match Url::parse(&address)
                        .ok()
                        .filter(|_| is_foreign)
                        .as_ref()
                        .and_then(refusal)
                    {
                        Some(why) => Err(why),
                        None if is_foreign => request(&clients.public, &address).await,
                        None => request(&clients.own, &address).await,
                    };
                    answers.push((address, answer));
                }
                answers
            });
        }
        sites.join_all().await.into_iter().flatten().collect()
    }))
}

/// Sends a HEAD request and, if that fails, a GET request, because many servers answer HEAD wrongly.
async fn request(client: &reqwest::Client, address: &str) -> Result<(), String> {
    if let Ok(answer) = client.head(address).send().await
        && is_good(answer.status().as_u16())
    {
        return Ok(());
    }
    match client.get(address).send().await {
        Ok(answer) if is_good(answer.status().as_u16()) => Ok(()),
        Ok(answer) => Err(format!("status {}", answer.status().as_u16())),
        Err(error) => Err(reason(&error)),
    }
}

/// Whether a status means that the page exists. 401, 403 and 429 count, because servers send them to programs.
fn is_good(status: u16) -> bool {
    (200..400).contains(&status) || matches!(status, 401 | 403 | 429)
}

/// Why a request failed.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no response within {} seconds", REQUEST_TIMEOUT.as_secs());
    }
    innermost_cause(error)
}
