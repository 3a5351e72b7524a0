//! The log: one line of JSON per request on standard error. It contains neither query strings nor client addresses, so
//! that it does not record who searched for what.

use std::io::Write as _;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};

/// Maximum length of a logged path, in characters. Longer paths are truncated.
const PATH_MAX: usize = 200;

/// The log's destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// Standard error.
    Lines,
    /// None. The preview uses it, because its terminal shows the output of builds.
    Silent,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Request {
        id: &'a str,
        method: &'a str,
        path: &'a str,
        status: u16,
        ms: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<&'a str>,
    },
    Listening {
        address: &'a str,
    },
    Build {
        build: &'a str,
    },
    BuildFailed {
        cause: &'a str,
    },
}

impl Log {
    /// Logs a request with its response status and duration.
    pub(super) fn request(
        self,
        id: &str,
        method: &Method,
        path: &str,
        status: StatusCode,
        time: Duration,
        cause: Option<&str>,
    ) {
        let path: String = path.chars().take(PATH_MAX).collect();
        let ms = (time.as_secs_f64() * 1e6).round() / 1e3;
        self.write(&Line::Request {
            id,
            method: method.as_str(),
            path: &path,
            status: status.as_u16(),
            ms,
            cause,
        });
    }

    /// Logs the URL of the server.
    pub fn listening(self, address: &str) {
        self.write(&Line::Listening { address });
    }

    /// Logs that a build was loaded.
    pub(super) fn build(self, build: &str) {
        self.write(&Line::Build { build });
    }

    /// Logs that a build could not be loaded.
    pub(super) fn failure(self, cause: &str) {
        self.write(&Line::BuildFailed { cause });
    }

    /// Logs any other event. The fields must not contain data of a lead.
    pub(super) fn event(self, event: &str, fields: &[(&str, Value)]) {
        let fields = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        let line: Map<String, Value> = [("event".to_owned(), event.into())]
            .into_iter()
            .chain(fields)
            .collect();
        self.write(&line);
    }

    fn write(self, line: &impl Serialize) {
        if self == Log::Silent {
            return;
        }
        // Structs of strings and numbers always serialize. Write errors are ignored: logging must not fail a request.
        let mut bytes = serde_json::to_vec(line).unwrap_or_default();
        bytes.push(b'\n');
        let _ = std::io::stderr().write_all(&bytes);
    }
}
