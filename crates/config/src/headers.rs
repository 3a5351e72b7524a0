//! `headers` in `site.yaml`: response headers that add to the defaults of sitegen or replace them.
//!
//! Names and values are written to the configuration files of several hosts, so only those that are valid in all of
//! them are accepted. Line breaks are refused: they would inject a header or a rule.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;

use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{Node, Value};

/// One header of every response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHeader {
    /// As written; case-insensitive.
    pub name: String,
    /// `None` removes a default header.
    pub value: Option<String>,
}

/// The block as it is written: a value for each name, or `null` (or `false`) for none.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what `read` reads")]
pub struct Written(BTreeMap<String, HeaderValue>);

/// The value of a header.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what `read` reads")]
enum HeaderValue {
    Text(String),
    Removed(Option<bool>),
}

/// Names of the default headers that a site may replace or remove.
pub const OWN: [&str; 7] = [
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "Speculation-Rules",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
];

/// Headers of content and transport. They differ between files, and hosts set them.
const REFUSED: &[&str] = &[
    "accept-ranges",
    "age",
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "date",
    "etag",
    "last-modified",
    "location",
    "server",
    "set-cookie",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
];

/// Maximum length of a value, in bytes; several hosts refuse longer ones.
const MAX_LENGTH: usize = 1783;

/// Reads the block; each mistake is reported at its own key or value.
pub fn read(
    source: &Arc<Source>,
    node: Option<&Node>,
    problems: &mut Problems,
) -> Vec<ResponseHeader> {
    let Some(node) = node else { return Vec::new() };
    let Value::Map(entries) = &node.value else {
        let message = format!(
            "expected a block of header names and values, found {}",
            node.value.kind()
        );
        let problem = Problem::error(Code::WrongType, message)
            .hint("write a block such as `headers: {X-Robots-Tag: noarchive}`");
        problems.push(node.problem(source, problem));
        return Vec::new();
    };
    let mut headers: Vec<ResponseHeader> = Vec::new();
    for (key, node) in entries {
        let is_duplicate = headers
            .iter()
            .any(|header| header.name.eq_ignore_ascii_case(&key.name));
        let checked = match name_problem(&key.name, is_duplicate) {
            Some(problem) => Err(problem.at(source.place(key.span))),
            None => value(&key.name, node).map_err(|problem| node.problem(source, problem)),
        };
        match checked {
            Ok(value) => headers.push(ResponseHeader {
                name: key.name.clone(),
                value,
            }),
            Err(problem) => problems.push(problem),
        }
    }
    headers
}

fn name_problem(name: &str, is_duplicate: bool) -> Option<Problem> {
    let (message, hint) = if name.is_empty()
        || !name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    {
        let message = format!("`{}` is not a valid header name", name.escape_debug());
        (
            message,
            "use letters, digits and hyphens, as in `X-Robots-Tag`".to_owned(),
        )
    } else if is_duplicate {
        (
            format!("the header `{name}` is set twice"),
            "remove one of the two; header names are not case-sensitive".to_owned(),
        )
    } else if REFUSED.contains(&name.to_ascii_lowercase().as_str()) {
        let message = format!("`{name}` depends on the file, so it cannot be set for all files");
        (message, "remove the line".to_owned())
    } else {
        return None;
    };
    Some(Problem::error(Code::InvalidValue, message).hint(hint))
}

fn value(name: &str, node: &Node) -> Result<Option<String>, Problem> {
    // Values from the command line are always text.
    let is_removed = match &node.value {
        Value::Text(text) => {
            node.span == Span::COMMAND_LINE && matches!(text.as_str(), "null" | "false")
        }
        Value::Null => node.span.start != node.span.end || node.span == Span::COMMAND_LINE,
        Value::Bool(value) => !value,
        _ => false,
    };
    if is_removed {
        let is_own = OWN.iter().any(|own| own.eq_ignore_ascii_case(name));
        return if is_own {
            Ok(None)
        } else {
            Err(no_such_default(name))
        };
    }
    let text =
        match &node.value {
            // `X-Name:` without a value is an unfinished line. Only an explicit `null` removes a header.
            Value::Null => {
                let problem = Problem::error(Code::WrongType, format!("`{name}` has no value"));
                return Err(problem
                    .hint("write the value, or `null` to remove one of sitegen's own headers"));
            }
            Value::Text(text) => text.trim(),
            Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
                let message = format!(
                    "expected text as the value of `{name}`, found {}",
                    node.value.kind()
                );
                return Err(Problem::error(Code::WrongType, message).hint("put it in quotes"));
            }
            Value::List(_) | Value::Map(_) => {
                let message = format!(
                    "expected text as the value of `{name}`, found {}",
                    node.value.kind()
                );
                return Err(Problem::error(Code::WrongType, message)
                    .hint("write it on one line, in quotes"));
            }
        };
    let (message, hint) = if text.is_empty() {
        (
            format!("the value of `{name}` is empty"),
            "write the value, or `null` to remove one of sitegen's own headers",
        )
    } else if text.contains(['\n', '\r']) {
        let message = format!(
            "the value of `{name}` contains a line break, which would begin another header"
        );
        (
            message,
            "write the value on one line, or begin it with `>-` to join several lines",
        )
    } else if let Some(bad) = text.chars().find(|c| !c.is_ascii() || c.is_ascii_control()) {
        let message = format!("the value of `{name}` contains `{}`", bad.escape_debug());
        (message, "use only printable ASCII characters")
    } else if text.contains('$') {
        let message =
            format!("the value of `{name}` contains `$`, which nginx would read as a variable");
        (
            message,
            "remove the `$`, or write `%24` if the value is a URL",
        )
    } else if text.len() > MAX_LENGTH {
        let message = format!(
            "the value of `{name}` has {} characters, but hosts accept at most {MAX_LENGTH}",
            text.len()
        );
        (message, "shorten it")
    } else {
        return Ok(Some(text.to_owned()));
    };
    Err(Problem::error(Code::InvalidValue, message).hint(hint))
}

fn no_such_default(name: &str) -> Problem {
    let message = format!("sitegen sends no header `{name}`, so there is none to remove");
    Problem::error(Code::InvalidValue, message).maybe_hint(did_you_mean(name, OWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a header, or the message that refuses it.
    fn read_value(yaml_text: &str) -> Result<Option<String>, String> {
        let source = Arc::new(Source::new(
            "site.yaml".into(),
            format!("X-A: {yaml_text}\n"),
        ));
        let node = diagnostics::yaml::parse(&source, 0..source.text.len())
            .map_err(|problem| problem.message)?;
        let mut problems = Problems::new();
        let headers = read(&source, Some(&node), &mut problems);
        match problems.iter().next() {
            Some(problem) => Err(problem.message.clone()),
            None => Ok(headers.into_iter().next().and_then(|header| header.value)),
        }
    }

    #[test]
    fn a_value_that_a_host_would_read_is_refused() {
        for bad in [
            r#""a\nb""#,
            r#""a\rb""#,
            r#""a\tb""#,
            r#""a\0b""#,
            "'$host'",
            "'a$b'",
            "'é'",
            r#""\u2028""#,
            "''",
            "' '",
        ] {
            assert!(read_value(bad).is_err(), "{bad}");
        }
        for (good, value) in [
            ("'a; b'", "a; b"),
            (r#"'"a" \ b'"#, r#""a" \ b"#),
            ("noarchive", "noarchive"),
        ] {
            assert_eq!(read_value(good), Ok(Some(value.to_owned())), "{good}");
        }
    }
}
