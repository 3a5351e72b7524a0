//! Everything that a WordPress has, for `sitegen import`: its lists over the REST API, and pictures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use config::Config;
use workspace::cache;

use super::fetch::Fetcher;
use super::raw::RawPost;
use super::{pictures, snapshot, wordpress};
use diagnostics::problem::{Code, Problem};

/// A connection to a WordPress, and to the hosts of its pictures.
pub struct Archive {
    runtime: Runtime,
    fetcher: Arc<Fetcher>,
    /// Lists that were read, for an import that is stopped and begun again.
    answers: Option<PathBuf>,
}

/// How long a list that was read is used, in seconds. WordPress goes on while an import is repeated.
const ANSWERS_AGE: u64 = 12 * 3600;

/// Receives the bytes of a picture, or why there are none, with its address.
pub type PictureDone<'a> = dyn FnMut(&str, Result<Vec<u8>, String>) + 'a;

impl Archive {
    /// `home` is the home page of the WordPress, which receives the credentials of the environment (`BLOG_USER`,
    /// `BLOG_PASSWORD`); without one, only pictures of public hosts can be fetched.
    /// Complete lists are kept in the folder `answers` until [`Archive::forget`].
    pub fn new(
        config: &Config,
        home: Option<Url>,
        answers: Option<PathBuf>,
    ) -> Result<Archive, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let mut fetcher = Fetcher::new(config, home.into_iter().collect(), true)?;
        fetcher.trust_origins();
        Ok(Archive {
            runtime,
            fetcher: Arc::new(fetcher),
            answers,
        })
    }

    /// Whether requests are authenticated.
    pub fn has_credentials(&self) -> bool {
        self.fetcher.has_credentials()
    }

    /// All items of a list. Fails if a page of it is missing.
    pub fn list(&self, address: &str, query: &[(&str, String)]) -> Result<Vec<Value>, String> {
        let name = format!("{address} {query:?} {}", self.has_credentials());
        let name = format!("{}.json", &blake3::hash(name.as_bytes()).to_hex()[..32]);
        let file = self.answers.as_ref().map(|folder| folder.join(name));
        if let Some(list) = file.as_deref().and_then(recent) {
            return Ok(list);
        }
        self.fetcher.extend_deadline();
        let list = self
            .runtime
            .block_on(wordpress::list(&self.fetcher, address, query))?;
        if let (Some(file), Ok(json)) = (file, serde_json::to_vec(&list)) {
            // Without it, an import that is stopped reads the list again.
            let _ = cache::keep(&file, &json);
        }
        Ok(list)
    }

    /// Removes the lists that were kept: the import is complete.
    pub fn forget(&self) {
        self.answers
            .iter()
            .for_each(|folder| drop(std::fs::remove_dir_all(folder)));
    }

    /// A single answer.
    pub fn get(&self, address: &str) -> Result<Value, String> {
        self.fetcher.extend_deadline();
        let url = Url::parse(address).map_err(|error| format!("{address}: {error}"))?;
        self.runtime
            .block_on(async { self.fetcher.json(&url).await.map(|(_, value)| value) })
    }

    /// Fetches pictures or other files, four at once, and passes on each as soon as it is there.
    pub fn files(&self, addresses: Vec<String>, are_pictures: bool, done: &mut PictureDone) {
        self.fetcher.extend_deadline();
        self.runtime.block_on(async {
            let mut running = JoinSet::new();
            for address in addresses {
                let fetcher = Arc::clone(&self.fetcher);
                running.spawn(async move {
                    let bytes = file(&fetcher, &address, are_pictures).await;
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

/// A list that was read not long ago.
fn recent(file: &Path) -> Option<Vec<Value>> {
    let age = std::fs::metadata(file)
        .ok()?
        .modified()
        .ok()?
        .elapsed()
        .ok()?;
    (age.as_secs() < ANSWERS_AGE)
        .then(|| serde_json::from_slice(&std::fs::read(file).ok()?).ok())
        .flatten()
}

/// Writes posts as the snapshot of the CMS of `config`. Each post is an object with the fields of
/// [`super::raw::RawPost`]; posts of locales without an entry are none.
pub fn write_snapshot(
    config: &Config,
    posts: &BTreeMap<String, Vec<Value>>,
) -> Result<(), Box<Problem>> {
    let mut all = snapshot::Posts::new();
    for locale in &config.site.locales {
        let of_locale = posts.get(&locale.value).into_iter().flatten();
        let read: Result<Vec<RawPost>, _> = of_locale
            .map(|post| serde_json::from_value(post.clone()))
            .collect();
        let read =
            read.map_err(|error| Box::new(Problem::error(Code::BlogSnapshot, error.to_string())))?;
        all.insert(locale.value.clone(), read);
    }
    Ok(snapshot::keep(config, &all)?)
}

/// Puts a picture into the snapshot of the CMS of `config`, as if it had been fetched from an address.
pub fn put_picture(config: &Config, address: &str, file: &Path) -> std::io::Result<()> {
    pictures::put(config, address, file)
}

async fn file(fetcher: &Fetcher, address: &str, is_picture: bool) -> Result<Vec<u8>, String> {
    let url = Url::parse(address).map_err(|error| error.to_string())?;
    fetcher
        .get(&url, |answer: super::fetch::CmsResponse| {
            match answer.status {
                200 if is_picture && picture_ending(&answer.body).is_some() => Ok(answer.body),
                200 if !is_picture && !answer.content_type.starts_with("text/html") => {
                    Ok(answer.body)
                }
                200 if !is_picture => Err("the response is an HTML page, not a file".to_owned()),
                200 => Err("the response is not a JPEG, PNG, WebP, GIF or SVG image".to_owned()),
                status => Err(format!("status {status}")),
            }
        })
        .await
}

/// The file ending for the content of a picture; `None` for a format that a site cannot have.
pub fn picture_ending(bytes: &[u8]) -> Option<&'static str> {
    pictures::ending(bytes)
}
