//! Files of a lead: as a visitor sent them, as they are to be stored, and as the store has them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use api_types::leads::LeadErrorCode;

use super::contents::Contents;
use super::lead::hash;

/// A file that a visitor sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The name of the field.
    pub field: String,
    /// Its name, which is no path.
    pub name: String,
    /// Its media type, by its bytes.
    pub kind: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// A file as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentFile {
    /// The name of the field.
    pub field: String,
    /// Its name on the device of the visitor.
    pub name: String,
    /// The content that was sent, or why it cannot be taken.
    pub content: Result<FileContent, LeadErrorCode>,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// It came with the answer.
    Bytes(Vec<u8>),
    /// It is in the bucket of the store already.
    Uploaded(UploadedFile),
}

/// A file that a browser sent to the bucket of the store, as it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedFile {
    /// The last part of its key.
    pub id: String,
    /// Its entity tag: another one belongs to other bytes.
    pub etag: String,
    /// Its length in bytes.
    pub size: u64,
    /// Its media type by its bytes, if a form can take it.
    pub kind: Option<String>,
    /// The SHA-256 of its bytes, in hex.
    pub sha256: String,
}

/// A checked file of a lead that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The name of the field.
    pub field: String,
    /// Its name, which is no path.
    pub name: String,
    /// Its media type, by its bytes.
    pub kind: String,
    /// Its content.
    pub content: FileContent,
}

impl FileContent {
    /// Its length in bytes.
    pub fn size(&self) -> u64 {
        match self {
            FileContent::Bytes(bytes) => bytes.len() as u64,
            FileContent::Uploaded(file) => file.size,
        }
    }

    /// The SHA-256 of its bytes, in hex.
    pub fn sha256(&self) -> String {
        match self {
            FileContent::Bytes(bytes) => data_encoding::HEXLOWER.encode(&hash(bytes)),
            FileContent::Uploaded(file) => file.sha256.clone(),
        }
    }
}

impl NewFile {
    /// Its bytes, if they came with the answer.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            FileContent::Bytes(bytes) => Some(bytes),
            FileContent::Uploaded(_) => None,
        }
    }

    /// The entry of the file in the lead.
    pub fn described(&self) -> Value {
        let (size, sum) = (self.content.size(), self.content.sha256());
        json!({"name": self.name, "type": self.kind, "size": size, "sha256": sum})
    }
}

/// The entry of a file in a lead. Its bytes are elsewhere in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescribedFile<'a> {
    /// The name of the field.
    pub field: &'a str,
    /// Its name, which is no path.
    pub name: &'a str,
    /// Its media type, by its bytes.
    pub kind: &'a str,
    /// Its length in bytes.
    pub size: u64,
}

impl Contents {
    /// The files of the answer, in the order of [`Store::files`](super::Store::files).
    pub fn files(&self) -> impl Iterator<Item = DescribedFile<'_>> {
        self.answers.iter().flat_map(|(field, answer)| {
            let files: &[Value] = answer
                .as_array()
                .map_or(std::slice::from_ref(answer), Vec::as_slice);
            files.iter().filter_map(|file| {
                let of = |name: &str| file.get(name)?.as_str();
                Some(DescribedFile {
                    field,
                    name: of("name")?,
                    kind: of("type")?,
                    size: file.get("size")?.as_u64()?,
                })
            })
        })
    }
}
