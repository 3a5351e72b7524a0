//! A mirror of the search bundle of a bucket, or of any web server: copied into a folder of this machine when there is
//! another build.
//!
//! `site.json` is asked for with the `ETag` of the last one, so that a look costs one small question. The other files are
//! fetched beside what is answered from, verified, and put in its place; so it does not matter in which order somebody
//! uploads them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::{Client, Response, StatusCode, Url, header};
use tokio::task::JoinSet;

use search_index::bundle;

use super::clock;
use super::signature::{Signer, Unsigned, hash, host};

/// How long one request may take, in minutes: the posts of a large site are some hundred megabytes.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);
/// A file that says more about the site than this is not ours.
const SITE_LIMIT: usize = 16 << 20;

/// Where the search bundle is.
#[derive(Debug, Clone)]
pub struct MirrorSettings {
    /// The address of its folder, without a slash at its end.
    pub url: Url,
    /// Signs requests to S3; a plain web server needs none.
    signer: Option<Signer>,
}

impl MirrorSettings {
    /// Reads `s3://BUCKET/FOLDER` or an address of a web server; none for a path of this machine. The error is in words.
    pub(super) fn from(
        text: &str,
        endpoint: Option<String>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<MirrorSettings>, String> {
        let wrong = || format!("`{text}` is no address such as s3://BUCKET/search or https://site.example/search");
        if text.starts_with("http://") || text.starts_with("https://") {
            let url = Url::parse(text.trim_end_matches('/')).map_err(|_| wrong())?;
            return Ok(Some(MirrorSettings { url, signer: None }));
        }
        let Some(rest) = text.strip_prefix("s3://") else { return Ok(None) };
        let (bucket, folder) = rest.trim_end_matches('/').split_once('/').ok_or_else(wrong)?;
        let is_plain = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
        };
        if !is_plain(bucket) || !is_plain(folder) {
            return Err(wrong());
        }
        let signer = Signer::new("S3", read)?;
        // With the bucket in the path: a name with dots would not match the certificate of a host below it.
        let server = endpoint.unwrap_or_else(|| format!("https://s3.{}.amazonaws.com", signer.region));
        let url = Url::parse(&format!("{}/{bucket}/{folder}", server.trim_end_matches('/'))).map_err(|_| wrong())?;
        Ok(Some(MirrorSettings { url, signer: Some(signer) }))
    }
}

/// A copy of a search bundle, and where it is a copy from.
#[derive(Debug)]
pub(super) struct BundleMirror {
    settings: MirrorSettings,
    client: Client,
    /// Where its copy lies.
    folder: PathBuf,
    /// The `ETag` of the copy; held while it is being looked for a newer one.
    known: tokio::sync::Mutex<Option<String>>,
}

impl BundleMirror {
    pub fn new(settings: MirrorSettings, folder: PathBuf) -> Result<BundleMirror, String> {
        // Fails when it was done before, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(REQUEST_TIMEOUT).redirect(reqwest::redirect::Policy::none()).build();
        let client = client.map_err(|error| format!("no way to ask {}: {error}", settings.url))?;
        Ok(BundleMirror { settings, client, folder, known: tokio::sync::Mutex::default() })
    }

    /// Brings the copy up to date. The error says in words why it stays as it is.
    pub async fn update(&self) -> Result<(), String> {
        // Somebody else is looking, and everybody is answered from the copy meanwhile.
        let Ok(mut known) = self.known.try_lock() else { return Ok(()) };
        let response = self.get(bundle::FILE, known.as_deref()).await?;
        if response.status() == StatusCode::NOT_MODIFIED {
            return Ok(());
        }
        let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        let text = whole(response, SITE_LIMIT).await?;
        let site = bundle::parse(&text).map_err(|why| format!("{}/{}: {why}", self.settings.url, bundle::FILE))?;
        if bundle::read(&self.folder).is_ok_and(|there| there == site) {
            *known = tag;
            return Ok(());
        }
        let staging = self.folder.with_extension("part");
        let failed = |error: std::io::Error| format!("{}: {error}", staging.display());
        if staging.exists() {
            std::fs::remove_dir_all(&staging).map_err(failed)?;
        }
        private_folder(&staging).map_err(failed)?;
        self.fetch(&site, &staging).await?;
        std::fs::write(staging.join(bundle::FILE), text).map_err(failed)?;
        site.verify(&staging)?;
        // What is open stays readable: its files are mapped.
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder).map_err(failed)?;
        }
        std::fs::rename(&staging, &self.folder).map_err(failed)?;
        *known = tag;
        Ok(())
    }

    /// Fetches all files at the same time.
    async fn fetch(&self, site: &bundle::SearchBundle, folder: &Path) -> Result<(), String> {
        let mut open = JoinSet::new();
        for (name, sum) in &site.files {
            let target = folder.join(name);
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
            }
            let limit = usize::try_from(sum.length).unwrap_or(usize::MAX);
            let request = self.request(name, None);
            let name = name.clone();
            open.spawn(async move {
                let bytes = whole(sent(request, &name).await?, limit).await?;
                std::fs::write(&target, bytes).map_err(|error| format!("{}: {error}", target.display()))
            });
        }
        while let Some(done) = open.join_next().await {
            done.map_err(|error| error.to_string())??;
        }
        Ok(())
    }

    async fn get(&self, name: &str, known: Option<&str>) -> Result<Response, String> {
        sent(self.request(name, known), name).await
    }

    fn request(&self, name: &str, known: Option<&str>) -> reqwest::RequestBuilder {
        let mut url = self.settings.url.clone();
        url.set_path(&format!("{}/{name}", self.settings.url.path().trim_end_matches('/')));
        let mut request = self.client.get(url.clone());
        if let Some(known) = known {
            request = request.header(header::IF_NONE_MATCH, known);
        }
        let Some((signer, host)) = self.settings.signer.as_ref().zip(host(&url)) else { return request };
        let empty = hash(b"");
        let unsigned = Unsigned {
            service: "s3",
            method: "GET",
            host: &host,
            path: url.path(),
            headers: &[("x-amz-content-sha256", &empty)],
            body: b"",
        };
        for (name, value) in signer.sign(&unsigned, clock::now()) {
            request = request.header(name, value);
        }
        request
    }
}

async fn sent(request: reqwest::RequestBuilder, name: &str) -> Result<Response, String> {
    let response = request.send().await.map_err(|error| format!("{name} could not be fetched ({error})"))?;
    match response.status() {
        StatusCode::OK | StatusCode::NOT_MODIFIED => Ok(response),
        status => Err(format!("{name}: status {} where a file was expected", status.as_u16())),
    }
}

/// The body of an answer that has no more bytes than it may.
async fn whole(mut response: Response, limit: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| format!("an answer was cut off ({error})"))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > limit {
            return Err(format!("{} is longer than it should be", response.url().path()));
        }
    }
    Ok(bytes)
}

/// Creates a folder, and those above it, that nobody else on this machine may look into.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
