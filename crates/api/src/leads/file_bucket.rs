//! The bucket in which a store on many machines has the files of leads.
//!
//! A file arrives as `incoming/ID`, from a browser or from the API, and is copied to `files/LEAD/ID` once its lead is stored.
//! Files left in `incoming/` belong to nobody; a lifecycle rule of the bucket deletes them (`deploy/aws.yaml`). Keys
//! have no names, so that logs of the bucket have no personal data.

use std::collections::BTreeMap;
use std::time::Duration;

use data_encoding::HEXLOWER;
use reqwest::{Client, Method, Response, StatusCode, header};
use ring::digest::{Context, SHA256};

use api_types::forms::FormField;

use crate::clock::Millis;
use bucket::Bucket;

use super::http_client::{AttemptError, reason, retried};
use super::lead_files::UploadedFile;
use super::store_error::StoreError;
use super::upload;

/// Number of attempts.
const TRIES: u32 = 3;
/// Delay before the first retry. Each further delay is three times as long.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(60);
/// Timeout of one attempt, and of one that reads a file while a visitor waits: a function on Lambda has twenty seconds in all.
const TIMEOUT: Duration = Duration::from_secs(5);
const LOOK_TIMEOUT: Duration = Duration::from_secs(12);
/// Timeout of an attempt to read a file for an operator.
const READ_TIMEOUT: Duration = Duration::from_mins(5);
/// How many bytes of a file tell its type: those of Office begin like other archives.
const HEAD_MAX: usize = 16 * 1024;

/// The bucket.
#[derive(Debug, Clone)]
pub struct FileBucket {
    bucket: Bucket,
    client: Client,
}

/// The outcome for a file that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is in its place.
    Done,
    /// It is not there: it was deleted, or replaced after it was checked.
    Gone,
}

/// An answer of S3 that is no failure of the server.
enum Answer {
    Found(Response),
    Copied,
    Missing,
    /// Its entity tag is another one.
    Changed,
}

impl FileBucket {
    pub(super) fn new(bucket: Bucket, client: Client) -> FileBucket {
        FileBucket { bucket, client }
    }

    /// Whether `url`, to which browsers send files, is the address of this bucket.
    pub(super) fn is_at(&self, url: &str) -> bool {
        let name = self.bucket.name();
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        rest.split('/').nth(1) == Some(name)
            || rest
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with('.'))
    }

    /// The fields with which a browser may send a file of `size` bytes, until a time.
    pub(super) fn sign(&self, id: &str, size: u64, until: Millis) -> BTreeMap<String, String> {
        self.bucket.sign_post(&incoming(id), size, until)
    }

    /// Stores a file that came to the API. Returns its entity tag.
    pub(super) async fn put(&self, id: &str, bytes: &[u8]) -> Result<String, StoreError> {
        let kind = [("content-type", "application/octet-stream")];
        match self
            .call(&Method::PUT, &incoming(id), &kind, bytes, TIMEOUT)
            .await?
        {
            Answer::Found(response) => Ok(etag(&response)),
            _ => Err(StoreError::Unavailable(
                "the S3 bucket does not exist".into(),
            )),
        }
    }

    /// Reads a file that a browser has sent. `None` if it is not there. One that its field does not take is not read to its
    /// end, and has no hash.
    pub(super) async fn look(
        &self,
        id: &str,
        field: &FormField,
    ) -> Result<Option<UploadedFile>, StoreError> {
        let Answer::Found(mut response) = self
            .call(&Method::GET, &incoming(id), &[], &[], LOOK_TIMEOUT)
            .await?
        else {
            return Ok(None);
        };
        let mut file = UploadedFile {
            id: id.to_owned(),
            etag: etag(&response),
            ..UploadedFile::default()
        };
        let length = response.content_length();
        let (mut head, mut sum, mut is_known) = (Vec::new(), Context::new(&SHA256), false);
        let broken =
            |error: &reqwest::Error| StoreError::Unavailable(format!("S3: {}", reason(error)));
        while let Some(part) = response.chunk().await.map_err(|error| broken(&error))? {
            sum.update(&part);
            file.size += part.len() as u64;
            if !is_known {
                head.extend_from_slice(&part);
                is_known = head.len() >= HEAD_MAX;
                if is_known {
                    file.kind = upload::type_of(&head).map(str::to_owned);
                }
            }
            let is_refused = is_known
                && !file
                    .kind
                    .as_ref()
                    .is_some_and(|kind| field.accept.contains(kind));
            if is_refused || file.size > u64::from(field.most) {
                return Ok(Some(file));
            }
        }
        if length.is_some_and(|length| length != file.size) {
            return Err(StoreError::Unavailable(
                "S3: the connection was interrupted".into(),
            ));
        }
        if !is_known {
            file.kind = upload::type_of(&head).map(str::to_owned);
        }
        file.sha256 = HEXLOWER.encode(sum.finish().as_ref());
        Ok(Some(file))
    }

    /// Copies a file to its place below its lead, unless it has changed, and deletes the one that arrived.
    pub(super) async fn keep(&self, lead: &str, id: &str, etag: &str) -> Result<Kept, StoreError> {
        let source = format!("/{}/{}", self.bucket.name(), self.bucket.key(&incoming(id)));
        let headers = [
            ("x-amz-copy-source", source.as_str()),
            ("x-amz-copy-source-if-match", etag),
        ];
        match self
            .call(&Method::PUT, &kept(lead, id), &headers, &[], TIMEOUT)
            .await?
        {
            Answer::Copied | Answer::Found(_) => {}
            // It may have been copied before, by a process that ended before it could say so.
            Answer::Missing => {
                let there = self
                    .call(&Method::HEAD, &kept(lead, id), &[], &[], TIMEOUT)
                    .await?;
                return Ok(if matches!(there, Answer::Found(_)) {
                    Kept::Done
                } else {
                    Kept::Gone
                });
            }
            Answer::Changed => return Ok(Kept::Gone),
        }
        self.call(&Method::DELETE, &incoming(id), &[], &[], TIMEOUT)
            .await?;
        Ok(Kept::Done)
    }

    /// The bytes of a file of a lead, wherever it is. `None` if it is gone.
    pub(super) async fn read(&self, lead: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        for name in [kept(lead, id), incoming(id)] {
            if let Answer::Found(response) = self
                .call(&Method::GET, &name, &[], &[], READ_TIMEOUT)
                .await?
            {
                let bytes = response.bytes().await;
                let broken = |error: reqwest::Error| {
                    StoreError::Unavailable(format!("S3: {}", reason(&error)))
                };
                return bytes.map(|bytes| Some(bytes.into())).map_err(broken);
            }
        }
        Ok(None)
    }

    /// Deletes a file that belongs to no lead.
    pub(super) async fn discard(&self, id: &str) -> Result<(), StoreError> {
        self.call(&Method::DELETE, &incoming(id), &[], &[], TIMEOUT)
            .await
            .map(drop)
    }

    /// Deletes a file of a lead, wherever it is.
    pub(super) async fn delete(&self, lead: &str, id: &str) -> Result<(), StoreError> {
        for name in [incoming(id), kept(lead, id)] {
            self.call(&Method::DELETE, &name, &[], &[], TIMEOUT).await?;
        }
        Ok(())
    }

    /// Sends a request. Transient errors are retried.
    async fn call(
        &self,
        method: &Method,
        name: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        timeout: Duration,
    ) -> Result<Answer, StoreError> {
        let request = || {
            self.bucket
                .request(&self.client, method, name, headers, body.to_vec())
                .timeout(timeout)
                .send()
        };
        let is_copy = headers.iter().any(|(name, _)| *name == "x-amz-copy-source");
        retried(TRIES, FIRST_RETRY_DELAY, || async {
            let response = request().await.map_err(|error| {
                let unreachable = StoreError::Unavailable(format!("S3: {}", reason(&error)));
                // Who waits would wait again as long.
                if error.is_timeout() {
                    AttemptError::Permanent(unreachable)
                } else {
                    AttemptError::Transient(unreachable)
                }
            })?;
            let status = response.status();
            let failed = StoreError::Unavailable(format!("S3 responded with {}", status.as_u16()));
            match status {
                _ if status.is_success() && is_copy => match response.text().await {
                    Ok(text) if text.contains("CopyObjectResult") => Ok(Answer::Copied),
                    // A copy may fail after S3 has begun to answer.
                    _ => Err(AttemptError::Transient(StoreError::Unavailable(
                        "S3: a copy failed".into(),
                    ))),
                },
                _ if status.is_success() => Ok(Answer::Found(response)),
                StatusCode::NOT_FOUND => Ok(Answer::Missing),
                StatusCode::PRECONDITION_FAILED => Ok(Answer::Changed),
                _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                    Err(AttemptError::Transient(failed))
                }
                _ => Err(AttemptError::Permanent(failed)),
            }
        })
        .await
    }
}

fn etag(response: &Response) -> String {
    let tag = response
        .headers()
        .get(header::ETAG)
        .and_then(|tag| tag.to_str().ok());
    tag.unwrap_or_default().to_owned()
}

fn incoming(id: &str) -> String {
    format!("incoming/{id}")
}

fn kept(lead: &str, id: &str) -> String {
    format!("files/{lead}/{id}")
}
