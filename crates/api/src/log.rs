//! The log: one line of JSON for each request, on the standard error. Neither the query of a request is in it nor who sent
//! it, so what somebody searched for can be read nowhere, and never beside an address.

use std::io::Write as _;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};

/// Longer paths are cut.
const PATH_LETTERS: usize = 200;

/// Where lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// To the standard error.
    Lines,
    /// Nowhere: somebody looks at another output.
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
    /// A request was answered.
    pub(super) fn request(
        self,
        id: &str,
        method: &Method,
        path: &str,
        status: StatusCode,
        time: Duration,
        cause: Option<&str>,
    ) {
        let path: String = path.chars().take(PATH_LETTERS).collect();
        let ms = (time.as_secs_f64() * 1e6).round() / 1e3;
        self.write(&Line::Request { id, method: method.as_str(), path: &path, status: status.as_u16(), ms, cause });
    }

    /// The server answers at this address.
    pub fn listening(self, address: &str) {
        self.write(&Line::Listening { address });
    }

    /// Answers come from this build now.
    pub(super) fn build(self, build: &str) {
        self.write(&Line::Build { build });
    }

    /// There is a build that cannot be read.
    pub(super) fn failure(self, cause: &str) {
        self.write(&Line::BuildFailed { cause });
    }

    /// Anything else happened. Words of a lead are never among the fields; whoever writes an event names each of them.
    pub(super) fn event(self, event: &str, fields: &[(&str, Value)]) {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let line: Map<String, Value> = [("event".to_owned(), event.into())].into_iter().chain(fields).collect();
        self.write(&line);
    }

    fn write(self, line: &impl Serialize) {
        if self == Log::Silent {
            return;
        }
        // Structs of texts and numbers always serialize; and a log that nobody reads stops no answer.
        let mut bytes = serde_json::to_vec(line).unwrap_or_default();
        bytes.push(b'\n');
        let _ = std::io::stderr().write_all(&bytes);
    }
}
