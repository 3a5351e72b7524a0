//! Files of leads: their bytes are in a bucket, and the item of the lead has what is known of them.
//!
//! A file waits in the bucket until its lead is stored, and is put in its place then. If the process ends between the two,
//! the item `moving#LEAD` is left, and the next one that looks for it does the rest. So no file is kept without a lead, and no
//! lead loses one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::clock::{DAY, Millis};

use super::super::file_bucket::{FileBucket, Kept};
use super::super::lead::{Lead, new_id};
use super::super::lead_files::{FileContent, NewFile, StoredFile, UploadedFile};
use super::super::store::StoreError;
use super::items::{number, string, text};
use super::{DynamoDb, StoreResult};
use crate::clock;

/// The most files of a lead: a transaction has at most a hundred items.
pub(in crate::leads) const FILES_MAX: usize = 90;
/// How long an upload is known to belong to a lead, in milliseconds. Its token is valid for less.
const CLAIM_LIFETIME: Millis = 2 * DAY;
/// The attribute of a lead with its files.
const FILES: &str = "files";

/// A file in the item of a lead.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LeadFile {
    field: String,
    name: String,
    kind: String,
    uploaded: UploadedFile,
}

/// The item of a lead with its files.
pub(super) fn with_files(mut item: Value, files: &[LeadFile]) -> Value {
    if !files.is_empty() {
        // Texts and numbers always serialize.
        item[FILES] = text(&serde_json::to_string(files).unwrap_or_default());
    }
    item
}

/// The item that says that an upload belongs to a lead.
pub(super) fn upload_item(lead: &Lead, file: &LeadFile) -> Value {
    json!({
        "pk": text(&upload_pk(&file.uploaded.id)),
        "file": text(&serde_json::to_string(&file.uploaded).unwrap_or_default()),
        "expires": number((lead.at + CLAIM_LIFETIME) / 1000),
    })
}

/// The item that says that the files of a lead are not in their place yet. It is in the index of open deliveries, in a
/// state of its own.
pub(super) fn moving_item(lead: &str, now: Millis) -> Value {
    json!({"pk": text(&moving_pk(lead)), "state": text("moving"), "next": number(now)})
}

fn upload_pk(id: &str) -> String {
    format!("upload#{id}")
}

fn moving_pk(lead: &str) -> String {
    format!("moving#{lead}")
}

/// The files of the item of a lead.
fn files_of(item: &Value) -> StoreResult<Vec<LeadFile>> {
    let damaged =
        |_| StoreError::Unavailable("the files of a lead in the table are invalid".into());
    match item.get(FILES) {
        Some(_) => serde_json::from_str(string(item, FILES)).map_err(damaged),
        None => Ok(Vec::new()),
    }
}

impl DynamoDb {
    fn file_bucket(&self) -> StoreResult<&FileBucket> {
        let why = "files are in a bucket, but `LEADS_FILES` is not set";
        self.bucket
            .as_ref()
            .ok_or_else(|| StoreError::Unavailable(why.into()))
    }

    /// Puts files that came with the answer into the bucket, beside those that browsers have sent there.
    pub(super) async fn received(&self, files: Vec<NewFile>) -> StoreResult<Vec<LeadFile>> {
        if files.len() > FILES_MAX {
            return Err(StoreError::Unavailable(format!(
                "a lead can have at most {FILES_MAX} files"
            )));
        }
        let mut received = Vec::new();
        for NewFile {
            field,
            name,
            kind,
            content,
        } in files
        {
            let (size, sha256) = (content.size(), content.sha256());
            let uploaded = match content {
                FileContent::Uploaded(file) => file,
                FileContent::Bytes(bytes) => {
                    let id = new_id(clock::now());
                    let etag = self.file_bucket()?.put(&id, &bytes).await?;
                    UploadedFile {
                        id,
                        etag,
                        size,
                        kind: Some(kind.clone()),
                        sha256,
                    }
                }
            };
            received.push(LeadFile {
                field,
                name,
                kind,
                uploaded,
            });
        }
        Ok(received)
    }

    /// Deletes a file that came with an answer that was not stored. One from a browser may belong to an answer that was.
    pub(super) async fn discard(&self, file: &LeadFile) {
        if let Some(bucket) = &self.bucket {
            // The rule of the bucket deletes what is left.
            let _ = bucket.discard(&file.uploaded.id).await;
        }
    }

    /// Puts the files of a stored lead in their place.
    pub(super) async fn keep_files(&self, lead: &str, files: &[LeadFile]) -> StoreResult<()> {
        if files.is_empty() {
            return Ok(());
        }
        let bucket = self.file_bucket()?;
        let mut gone = 0;
        for LeadFile { uploaded, .. } in files {
            let kept = bucket.keep(lead, &uploaded.id, &uploaded.etag).await?;
            gone += u32::from(kept == Kept::Gone);
        }
        // A lead that was deleted in the meantime must not come back.
        if self.get(format!("lead#{lead}")).await?.is_none() {
            for LeadFile { uploaded, .. } in files {
                bucket.delete(lead, &uploaded.id).await?;
            }
        }
        self.delete(moving_pk(lead)).await?;
        match gone {
            0 => Ok(()),
            _ => Err(StoreError::Unavailable(format!(
                "{gone} files of the lead {lead} are no longer in the bucket"
            ))),
        }
    }

    /// Puts the files in their place that another process has left.
    pub(super) async fn settle_files(&self) -> StoreResult<()> {
        if self.bucket.is_none() {
            return Ok(());
        }
        let mut last = Ok(());
        for item in self.open("moving", None, usize::MAX).await? {
            let lead = string(&item, "pk").trim_start_matches("moving#").to_owned();
            let moved = match self.get(format!("lead#{lead}")).await? {
                Some(stored) => self.keep_files(&lead, &files_of(&stored)?).await,
                None => self.delete(moving_pk(&lead)).await,
            };
            // One that fails keeps no other from its place.
            last = last.and(moved);
        }
        last
    }

    pub(super) async fn read_files(&self, lead: String) -> StoreResult<Vec<StoredFile>> {
        let Some(item) = self.get(format!("lead#{lead}")).await? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for (
            place,
            LeadFile {
                field,
                name,
                kind,
                uploaded,
            },
        ) in files_of(&item)?.into_iter().enumerate()
        {
            let bytes = self.file_bucket()?.read(&lead, &uploaded.id).await?;
            let number = place + 1;
            let gone = || {
                StoreError::Unavailable(format!(
                    "file {number} of the lead {lead} is no longer in the bucket"
                ))
            };
            found.push(StoredFile {
                bytes: bytes.ok_or_else(gone)?,
                field,
                name,
                kind,
            });
        }
        Ok(found)
    }

    /// Deletes the files of a lead, before its item is deleted: what fails can be repeated.
    pub(super) async fn delete_files(&self, item: &Value) -> StoreResult<()> {
        let (lead, files) = (string(item, "id"), files_of(item)?);
        if files.is_empty() {
            return Ok(());
        }
        for LeadFile { uploaded, .. } in files {
            self.file_bucket()?.delete(lead, &uploaded.id).await?;
            self.delete(upload_pk(&uploaded.id)).await?;
        }
        self.delete(moving_pk(lead)).await
    }

    pub(super) async fn claimed_upload(&self, id: String) -> StoreResult<Option<UploadedFile>> {
        let item = self.get(upload_pk(&id)).await?;
        Ok(item.and_then(|item| serde_json::from_str(string(&item, "file")).ok()))
    }
}
