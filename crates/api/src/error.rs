//! Error responses of the API: `{code, message}`, with the status that corresponds to the code.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use api_types::error::ErrorAnswer;
pub use api_types::error::ErrorCode;

fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::BadParameter => StatusCode::BAD_REQUEST,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// An error response.
#[derive(Debug, Clone)]
pub struct ApiError {
    code: ErrorCode,
    message: String,
    allow: Option<&'static str>,
    cause: Option<Cause>,
}

/// The internal cause of an error. It is attached to the response as an extension, and only logged.
#[derive(Debug, Clone)]
pub(super) struct Cause(pub String);

impl ApiError {
    /// An error with a message for the developer of the client.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> ApiError {
        ApiError {
            code,
            message: message.into(),
            allow: None,
            cause: None,
        }
    }

    /// The route supports only the methods in `allow`.
    pub fn method_not_allowed(allow: &'static str) -> ApiError {
        let message = format!("this URL accepts {allow}");
        ApiError {
            allow: Some(allow),
            ..ApiError::new(ErrorCode::MethodNotAllowed, message)
        }
    }

    /// Attaches the internal cause, which is logged and never sent to the client.
    #[must_use]
    pub fn because(self, cause: String) -> ApiError {
        ApiError {
            cause: Some(Cause(cause)),
            ..self
        }
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ErrorAnswer {
            code: self.code,
            message: self.message,
        };
        let mut response = (status(self.code), Json(body)).into_response();
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(allow) = self.allow {
            response
                .headers_mut()
                .insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}
