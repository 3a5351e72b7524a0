//! Every answer of the API that is an error.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went wrong.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ErrorAnswer {
    /// For programs.
    pub code: ErrorCode,
    /// For whoever wrote the request.
    pub message: String,
}

/// What went wrong, as programs read it. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// There is nothing at this address.
    NotFound,
    /// The address does not take this method.
    MethodNotAllowed,
    /// A parameter has a value that it cannot have.
    BadParameter,
    /// The API cannot answer now.
    Unavailable,
    /// A mistake of the API itself.
    Internal,
}
