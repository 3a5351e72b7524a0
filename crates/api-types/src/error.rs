//! The body of every error response of the API, except for leads.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An error response.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ErrorAnswer {
    /// The error code, for programs.
    pub code: ErrorCode,
    /// An explanation in English, for the developer of the client.
    pub message: String,
}

/// The error codes. The list is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No route matches the path.
    NotFound,
    /// The route does not support the request's method.
    MethodNotAllowed,
    /// A query parameter has an invalid value.
    BadParameter,
    /// The request did not come the way that the operator set up.
    Forbidden,
    /// The API cannot answer now.
    Unavailable,
    /// A bug in the API.
    Internal,
}
