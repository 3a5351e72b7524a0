//! The request for addresses to which a browser sends the files of an answer by itself, and the response.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The files that a visitor is about to send with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UploadsRequest {
    /// The files.
    pub files: Vec<FileToUpload>,
}

/// A file that a visitor is about to send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FileToUpload {
    /// The name of the field.
    pub field: String,
    /// Its name on the device of the visitor.
    pub name: String,
    /// Its size in bytes. An upload of another size is refused.
    pub size: u64,
}

/// The response to [`UploadsRequest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FormUploads {
    /// Always true.
    pub success: bool,
    /// An upload for each file, in the order of the request. None if the API takes the files itself, with the form.
    pub uploads: Vec<SignedUpload>,
}

/// Where a file is sent to, and what with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SignedUpload {
    /// The address of a `POST` as `multipart/form-data`.
    pub url: String,
    /// The fields of this request. The last one, `file`, is the file.
    pub fields: BTreeMap<String, String>,
    /// The value of the form's field, once the file is sent.
    pub token: String,
}
