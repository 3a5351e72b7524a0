//! A local mirror of a search bundle in an S3 bucket or on a web server.
//!
//! `site.json` is requested with the `ETag` of the current copy, so that a check costs one small request. If it
//! changed, the other files are downloaded to a staging folder, verified, and swapped in. So the order in which files
//! are uploaded does not matter.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::{Client, Method, Response, StatusCode, header};
use tokio::task::JoinSet;

use search_index::bundle;

use bucket::Bucket;

/// Timeout of one request, in minutes: the posts of a large site are several hundred megabytes.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);
/// Maximum size of `site.json`, in bytes.
const SITE_LIMIT: usize = 16 << 20;

/// A local copy of a remote search bundle.
#[derive(Debug)]
pub(super) struct BundleMirror {
    bucket: Bucket,
    client: Client,
    /// The folder of the copy.
    folder: PathBuf,
    /// The `ETag` of the copy. The lock is held during an update.
    etag: tokio::sync::Mutex<Option<String>>,
}

impl BundleMirror {
    pub fn new(bucket: Bucket, folder: PathBuf) -> Result<BundleMirror, String> {
        // Fails if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .timeout(REQUEST_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build();
        let client = client.map_err(|error| {
            format!(
                "could not create an HTTP client for {}: {error}",
                bucket.url
            )
        })?;
        Ok(BundleMirror {
            bucket,
            client,
            folder,
            etag: tokio::sync::Mutex::default(),
        })
    }

    /// Updates the copy if the remote bundle changed. On an error, which is a message for the log, the copy is
    /// unchanged.
    pub async fn update(&self) -> Result<(), String> {
        // Another request is already updating; the current copy is served meanwhile.
        let Ok(mut etag) = self.etag.try_lock() else {
            return Ok(());
        };
        let response = self.get(bundle::FILE, etag.as_deref()).await?;
        if response.status() == StatusCode::NOT_MODIFIED {
            return Ok(());
        }
        let new_etag = response
            .headers()
            .get(header::ETAG)
            .and_then(|tag| tag.to_str().ok())
            .map(str::to_owned);
        let text = read_body(response, SITE_LIMIT).await?;
        let site = bundle::parse(&text)
            .map_err(|why| format!("{}/{}: {why}", self.bucket.url, bundle::FILE))?;
        if bundle::read(&self.folder).is_ok_and(|there| there == site) {
            *etag = new_etag;
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
        // The loaded build stays readable, because its files are memory-mapped.
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder).map_err(failed)?;
        }
        std::fs::rename(&staging, &self.folder).map_err(failed)?;
        *etag = new_etag;
        Ok(())
    }

    /// Downloads all files concurrently.
    async fn fetch(&self, site: &bundle::SearchBundle, folder: &Path) -> Result<(), String> {
        let mut open = JoinSet::new();
        for (name, sum) in &site.files {
            let target = folder.join(name);
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)
                    .map_err(|error| format!("{}: {error}", parent.display()))?;
            }
            let limit = usize::try_from(sum.length).unwrap_or(usize::MAX);
            let request = self.request(name, None);
            let name = name.clone();
            open.spawn(async move {
                let bytes = read_body(send(request, &name).await?, limit).await?;
                std::fs::write(&target, bytes)
                    .map_err(|error| format!("{}: {error}", target.display()))
            });
        }
        while let Some(done) = open.join_next().await {
            done.map_err(|error| error.to_string())??;
        }
        Ok(())
    }

    async fn get(&self, name: &str, etag: Option<&str>) -> Result<Response, String> {
        send(self.request(name, etag), name).await
    }

    fn request(&self, name: &str, etag: Option<&str>) -> reqwest::RequestBuilder {
        let request = self
            .bucket
            .request(&self.client, &Method::GET, name, &[], Vec::new());
        etag.iter().fold(request, |request, etag| {
            request.header(header::IF_NONE_MATCH, *etag)
        })
    }
}

async fn send(request: reqwest::RequestBuilder, name: &str) -> Result<Response, String> {
    let response = request
        .send()
        .await
        .map_err(|error| format!("{name} could not be downloaded ({error})"))?;
    match response.status() {
        StatusCode::OK | StatusCode::NOT_MODIFIED => Ok(response),
        status => Err(format!(
            "{name}: the server responded with status {}",
            status.as_u16()
        )),
    }
}

/// Reads the body of a response. Fails if it is longer than `limit` bytes.
async fn read_body(mut response: Response, limit: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| format!("a response was truncated ({error})"))?
    {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > limit {
            return Err(format!(
                "{} is longer than {limit} bytes",
                response.url().path()
            ));
        }
    }
    Ok(bytes)
}

/// Creates a folder and its parents with mode 0700, so that other users cannot read them.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
