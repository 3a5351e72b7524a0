//! Errors of the API: `{code, message}`, with the status that belongs to the code.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// What went wrong, as programs read it. A closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
}

impl ErrorCode {
    fn status(self) -> StatusCode {
        match self {
            ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::BadParameter => StatusCode::BAD_REQUEST,
            ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// An answer that is an error.
#[derive(Debug, Clone)]
pub struct ApiError {
    code: ErrorCode,
    message: String,
    allow: Option<&'static str>,
}

impl ApiError {
    /// An error in words for whoever wrote the request.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError { code, message: message.into(), allow: None }
    }

    /// The address takes these methods only.
    pub fn method_not_allowed(allow: &'static str) -> ApiError {
        let message = format!("this address takes {allow}");
        ApiError { code: ErrorCode::MethodNotAllowed, message, allow: Some(allow) }
    }
}

#[derive(Serialize)]
struct Body {
    code: ErrorCode,
    message: String,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = Body { code: self.code, message: self.message };
        let mut response = (self.code.status(), Json(body)).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(allow) = self.allow {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}
