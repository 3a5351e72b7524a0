//! Where the shared cache is: a folder, or a bucket in S3 or any store with its interface.

use std::path::PathBuf;
use std::time::Duration;

use bucket::Bucket;
use reqwest::{Client, Method, StatusCode};
use tokio::runtime::Runtime;

use diagnostics::text::innermost_cause;

/// How long connecting to a server may take, in seconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long reading an entry may take as a whole, in seconds. Encoding a photograph takes about as long.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// How long writing an entry may take as a whole, in seconds.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of an entry, in bytes.
const MAX_ENTRY: usize = 64 << 20;

/// Where the shared cache is.
#[derive(Debug, Clone)]
pub enum Place {
    /// A folder, usually on a network drive.
    Folder(PathBuf),
    /// A bucket, and its address as it was given.
    Bucket(Box<Bucket>, String),
}

impl std::fmt::Display for Place {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Folder(folder) => folder.display().fmt(to),
            Place::Bucket(_, address) => address.fmt(to),
        }
    }
}

/// A connection to the shared cache, for one thread.
pub(super) enum Connection {
    Folder(PathBuf),
    Bucket(Box<Bucket>, Client, Box<Runtime>),
}

impl Connection {
    /// Prepares requests. Nothing is sent yet.
    pub fn open(place: &Place) -> Result<Connection, String> {
        let bucket = match place {
            Place::Folder(folder) => return Ok(Connection::Folder(folder.clone())),
            Place::Bucket(bucket, _) => bucket,
        };
        // Fails only if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| reason(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Connection::Bucket(
            bucket.clone(),
            client,
            Box::new(runtime),
        ))
    }

    /// The bytes at a path; `None` if there are none. The error is the reason, for a message.
    pub fn get(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        match self {
            Connection::Folder(folder) => {
                let file = folder.join(path);
                match std::fs::read(&file) {
                    Ok(bytes) => {
                        super::prune::mark_used(&file);
                        Ok(Some(bytes))
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(error.to_string()),
                }
            }
            Connection::Bucket(bucket, client, runtime) => runtime.block_on(async {
                let request = bucket
                    .request(client, &Method::GET, path, &[], Vec::new())
                    .timeout(READ_TIMEOUT);
                let mut response = request.send().await.map_err(|error| reason(&error))?;
                match response.status() {
                    StatusCode::OK => {}
                    StatusCode::NOT_FOUND => return Ok(None),
                    status => return Err(format!("status {}", status.as_u16())),
                }
                let mut bytes = Vec::new();
                while let Some(chunk) = response.chunk().await.map_err(|error| reason(&error))? {
                    bytes.extend_from_slice(&chunk);
                    if bytes.len() > MAX_ENTRY {
                        return Err(format!("a response is longer than {MAX_ENTRY} bytes"));
                    }
                }
                Ok(Some(bytes))
            }),
        }
    }

    /// Writes bytes to a path. The error is the reason, for a message.
    pub fn put(&self, path: &str, bytes: Vec<u8>) -> Result<(), String> {
        if bytes.len() > MAX_ENTRY {
            return Ok(());
        }
        match self {
            Connection::Folder(folder) => {
                super::keep(&folder.join(path), &bytes).map_err(|error| error.to_string())
            }
            Connection::Bucket(bucket, client, runtime) => runtime.block_on(async {
                let request = bucket
                    .request(client, &Method::PUT, path, &[], bytes)
                    .timeout(WRITE_TIMEOUT);
                let response = request.send().await.map_err(|error| reason(&error))?;
                let status = response.status();
                if status.is_success() {
                    Ok(())
                } else {
                    Err(format!("status {}", status.as_u16()))
                }
            }),
        }
    }
}

/// Why a request failed.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no response in time".into();
    }
    innermost_cause(error)
}
