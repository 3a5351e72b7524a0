//! Asks other sites whether the pages that this one links to still answer. Advisory: the web is never whole, so what it
//! finds are warnings.
//!
//! Sites are asked side by side, each of them one question after the other with a pause between. A good answer counts for
//! a day; a bad one is asked for again the next time.

mod answer_cache;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Url, redirect};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::addresses::{PublicOnly, refusal, same_origin};
use crate::config::Config;
use crate::model::{Page, Site};
use crate::routes::file_of;
use diagnostics::problem::{Code, Place, Problem, Problems};

use answer_cache::AnswerCache;

/// How many sites are asked at the same time.
const SITES: usize = 8;
/// The time between two requests to one site, in milliseconds.
const REQUEST_INTERVAL: Duration = Duration::from_millis(200);
/// More redirects in a row lead nowhere.
const REDIRECTS: usize = 10;
/// A site that has not answered after this time, in seconds, does not answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Asks for each address; beside it stands a file of the site that links to it.
pub fn check(config: &Config, site: &Site, links: &BTreeMap<&str, &str>) -> Problems {
    let mut cache = AnswerCache::open(config);
    let mut by_host: BTreeMap<String, Vec<Asked>> = BTreeMap::new();
    for (address, file) in links.iter().filter(|(address, _)| !cache.answered(address)) {
        let host = address.split('/').nth(2).unwrap_or_default().to_lowercase();
        // What stands behind the `#` is for the browser alone.
        let address = address.split('#').next().unwrap_or(address).to_owned();
        let is_foreign = page_of(site, file).is_some_and(|page| site.blog.is_foreign(page.body));
        let addresses = by_host.entry(host).or_default();
        match addresses.iter_mut().find(|asked| asked.address == address) {
            Some(asked) => asked.is_foreign &= is_foreign,
            None => addresses.push(Asked { address, is_foreign }),
        }
    }
    let answers = match ask_all(by_host) {
        Ok(answers) => answers,
        Err(why) => {
            let message = format!("other sites could not be asked ({why})");
            return Problem::warning(Code::ExternalLink, message).into();
        }
    };
    let mut problems = Problems::new();
    for (address, answer) in &answers {
        match answer {
            Ok(()) => cache.remember(address),
            Err(why) => {
                let linked = links.iter().filter(|(link, _)| link.split('#').next() == Some(address));
                linked.for_each(|(link, file)| problems.push(problem(site, link, file, why)));
            }
        }
    }
    problems.extend(cache.close());
    problems
}

fn problem(site: &Site, address: &str, file: &str, why: &str) -> Problem {
    let problem = Problem::warning(Code::ExternalLink, format!("`{address}` does not answer as it should ({why})"));
    match page_of(site, file) {
        Some(page) => problem.at(place(site, page, address)),
        None => problem,
    }
}

/// The page that a file of `dist/` shows.
fn page_of<'a>(site: &'a Site, file: &str) -> Option<&'a Page> {
    let shows = |page: &&Page| std::iter::once(&page.path).chain(&page.also_at).any(|path| file_of(path) == file);
    site.pages.iter().find(shows)
}

/// The line that holds the address: of the page, or of the settings, from which the frame around all pages is made.
fn place(site: &Site, page: &Page, address: &str) -> Place {
    for source in [&page.source, &site.settings_source] {
        if let Some(start) = source.text.find(address) {
            return source.place(diagnostics::problem::Span::new(start, start + address.len()));
        }
    }
    Place::file(page.source.path.clone())
}

type Answers = BTreeMap<String, Result<(), String>>;

/// An address, and whether only a text of a CMS names it.
struct Asked {
    address: String,
    is_foreign: bool,
}

/// Who asks: see [`ask_all`].
#[derive(Clone)]
struct Clients {
    own: reqwest::Client,
    public: reqwest::Client,
}

fn ask_all(by_host: BTreeMap<String, Vec<Asked>>) -> Result<Answers, String> {
    if by_host.is_empty() {
        return Ok(Answers::new());
    }
    // Fails when it was done before, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = || {
        reqwest::Client::builder().timeout(REQUEST_TIMEOUT).user_agent(concat!(
            "sitegen/",
            env!("CARGO_PKG_VERSION"),
            " (link check)"
        ))
    };
    let clients = Clients {
        // Whoever writes the site's own files may link to machines beside this one; where those lead on is not followed.
        own: client()
            .redirect(redirect::Policy::custom(|attempt| {
                let stays = attempt.previous().last().is_some_and(|last| same_origin(last, attempt.url()));
                if stays && attempt.previous().len() <= REDIRECTS { attempt.follow() } else { attempt.stop() }
            }))
            .build()
            .map_err(|error| reason(&error))?,
        // Links of posts come from whoever may write in the CMS, so no machine beside this one is asked for them.
        public: client()
            .dns_resolver(Arc::new(PublicOnly))
            .redirect(redirect::Policy::custom(|attempt| match refusal(attempt.url()) {
                Some(why) => attempt.error(why),
                None if attempt.previous().len() > REDIRECTS => attempt.error("too many redirects"),
                None => attempt.follow(),
            }))
            .build()
            .map_err(|error| reason(&error))?,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string())?;
    Ok(runtime.block_on(async {
        let turns = Arc::new(Semaphore::new(SITES));
        let mut sites = JoinSet::new();
        for addresses in by_host.into_values() {
            let (clients, turns) = (clients.clone(), Arc::clone(&turns));
            sites.spawn(async move {
                // The semaphore is never closed.
                let _turn = turns.acquire().await;
                let mut answers = Vec::with_capacity(addresses.len());
                for (number, Asked { address, is_foreign }) in addresses.into_iter().enumerate() {
                    if number > 0 {
                        tokio::time::sleep(REQUEST_INTERVAL).await;
                    }
                    let answer = match Url::parse(&address).ok().filter(|_| is_foreign).as_ref().and_then(refusal) {
                        Some(why) => Err(why),
                        None if is_foreign => ask(&clients.public, &address).await,
                        None => ask(&clients.own, &address).await,
                    };
                    answers.push((address, answer));
                }
                answers
            });
        }
        sites.join_all().await.into_iter().flatten().collect()
    }))
}

/// HEAD first; many servers answer it wrongly, and are asked again with GET before anything is said of them.
async fn ask(client: &reqwest::Client, address: &str) -> Result<(), String> {
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

/// Somebody who asks for a password, or wants no programs, is there all the same.
fn is_good(status: u16) -> bool {
    (200..400).contains(&status) || matches!(status, 401 | 403 | 429)
}

/// The innermost cause says most.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} seconds", REQUEST_TIMEOUT.as_secs());
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}
