//! Everything that a WordPress has, for `sitegen import`: its lists over the REST API, and pictures.

use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::config::Config;

use super::fetch::Fetcher;
use super::{pictures, wordpress};

/// A connection to a WordPress, and to the hosts of its pictures.
pub struct Archive {
    runtime: Runtime,
    fetcher: Arc<Fetcher>,
}

/// Receives the bytes of a picture, or why there are none, with its address.
pub type PictureDone<'a> = dyn FnMut(&str, Result<Vec<u8>, String>) + 'a;

impl Archive {
    /// `home` is the home page of the WordPress, which receives the credentials of the environment (`BLOG_USER`,
    /// `BLOG_PASSWORD`); without one, only pictures of public hosts can be fetched.
    pub fn new(config: &Config, home: Option<Url>) -> Result<Archive, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let fetcher = Arc::new(Fetcher::new(config, home.into_iter().collect(), true)?);
        Ok(Archive { runtime, fetcher })
    }

    /// Whether requests are authenticated.
    pub fn has_credentials(&self) -> bool {
        self.fetcher.has_credentials()
    }

    /// All items of a list. Fails if a page of it is missing.
    pub fn list(&self, address: &str, query: &[(&str, String)]) -> Result<Vec<Value>, String> {
        self.fetcher.extend_deadline();
        self.runtime.block_on(wordpress::list(&self.fetcher, address, query))
    }

    /// A single answer.
    pub fn get(&self, address: &str) -> Result<Value, String> {
        self.fetcher.extend_deadline();
        let url = Url::parse(address).map_err(|error| format!("{address}: {error}"))?;
        self.runtime.block_on(async { self.fetcher.json(&url).await.map(|(_, value)| value) })
    }

    /// Fetches pictures, four at once, and passes on each as soon as it is there.
    pub fn pictures(&self, addresses: Vec<String>, done: &mut PictureDone) {
        self.fetcher.extend_deadline();
        self.runtime.block_on(async {
            let mut running = JoinSet::new();
            for address in addresses {
                let fetcher = Arc::clone(&self.fetcher);
                running.spawn(async move {
                    let bytes = picture(&fetcher, &address).await;
                    (address, bytes)
                });
            }
            while let Some(joined) = running.join_next().await {
                if let Ok((address, bytes)) = joined {
                    self.fetcher.extend_deadline();
                    done(&address, bytes);
                }
            }
        });
    }
}

async fn picture(fetcher: &Fetcher, address: &str) -> Result<Vec<u8>, String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    let accept = |answer: super::fetch::CmsResponse| match answer.status {
        200 if picture_ending(&answer.body).is_some() => Ok(answer.body),
        200 => Err("the answer is not a JPEG, PNG, WebP or SVG picture".to_owned()),
        status => Err(format!("status {status}")),
    };
    fetcher.get(&url, accept).await
}

/// The file ending for the content of a picture; `None` for a format that a site cannot have.
pub fn picture_ending(bytes: &[u8]) -> Option<&'static str> {
    pictures::ending(bytes)
}
