//! `headers` of `site.yaml`: response headers beside sitegen's own, or in their place.
//!
//! What is written here ends up in configuration files of several hosts and on the wire, so it is held to what all of
//! them can write: no line break may begin a header or a rule that nobody asked for.

use std::sync::Arc;

use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{Node, Value};

/// One header of every response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHeader {
    /// As it is written; letters of either case mean the same.
    pub name: String,
    /// `None` takes one of sitegen's own headers away.
    pub value: Option<String>,
}

/// Names of sitegen's own headers that a site may change or take away.
pub const OWN: [&str; 7] = [
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "Speculation-Rules",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
];

/// Headers that say what a response is and how it travels. They differ from file to file, and a host sets them itself.
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

/// Longer ones are refused by several hosts.
const LONGEST: usize = 1783;

/// Reads the block; each mistake is reported at its own key or value.
pub(super) fn read(source: &Arc<Source>, node: Option<&Node>, problems: &mut Problems) -> Vec<ResponseHeader> {
    let Some(node) = node else { return Vec::new() };
    let Value::Map(entries) = &node.value else {
        let message = format!("a block of header names and values was expected, not {}", node.value.kind());
        let problem = Problem::error(Code::WrongType, message).hint("write `headers: {X-Robots-Tag: noarchive}`");
        problems.push(node.problem(source, problem));
        return Vec::new();
    };
    let mut headers: Vec<ResponseHeader> = Vec::new();
    for (key, node) in entries {
        let is_twice = headers.iter().any(|header| header.name.eq_ignore_ascii_case(&key.name));
        let checked = match name_problem(&key.name, is_twice) {
            Some(problem) => Err(problem.at(source.place(key.span))),
            None => value(&key.name, node).map_err(|problem| node.problem(source, problem)),
        };
        match checked {
            Ok(value) => headers.push(ResponseHeader { name: key.name.clone(), value }),
            Err(problem) => problems.push(problem),
        }
    }
    headers
}

fn name_problem(name: &str, is_twice: bool) -> Option<Problem> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let (message, hint) = if name.is_empty() || !name.chars().all(is_token) {
        let message = format!("`{}` is not the name of a header", name.escape_debug());
        (message, "a name is letters, digits and hyphens, such as `X-Robots-Tag`".to_owned())
    } else if is_twice {
        (format!("the header `{name}` stands twice"), "remove one of the two; case does not matter".to_owned())
    } else if REFUSED.contains(&name.to_ascii_lowercase().as_str()) {
        let message = format!("`{name}` follows from each file, and cannot be set for all of them");
        (message, "remove the line".to_owned())
    } else {
        return None;
    };
    Some(Problem::error(Code::InvalidValue, message).hint(hint))
}

fn value(name: &str, node: &Node) -> Result<Option<String>, Problem> {
    // What is typed on the command line is text, whatever it says.
    let is_dropped = match &node.value {
        Value::Text(text) => node.span == Span::COMMAND_LINE && matches!(text.as_str(), "null" | "false"),
        Value::Null => node.span.start != node.span.end || node.span == Span::COMMAND_LINE,
        Value::Bool(value) => !value,
        _ => false,
    };
    if is_dropped {
        let is_own = OWN.iter().any(|own| own.eq_ignore_ascii_case(name));
        return if is_own { Ok(None) } else { Err(nothing_to_drop(name)) };
    }
    let text = match &node.value {
        // `X-Name:` with nothing behind it is an unfinished line, not a wish for nothing.
        Value::Null => {
            let problem = Problem::error(Code::WrongType, format!("`{name}` has no value"));
            return Err(problem.hint("write the value, or `null` to take one of sitegen's own headers away"));
        }
        Value::Text(text) => text.trim(),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
            let message = format!("the value of `{name}` is text, and this is {}", node.value.kind());
            return Err(Problem::error(Code::WrongType, message).hint("put it in quotes"));
        }
        Value::List(_) | Value::Map(_) => {
            let message = format!("the value of `{name}` is text, and this is {}", node.value.kind());
            return Err(Problem::error(Code::WrongType, message).hint("write it on one line, in quotes"));
        }
    };
    let (message, hint) = if text.is_empty() {
        (format!("the value of `{name}` is empty"), "write `null` to take one of sitegen's own headers away")
    } else if text.contains(['\n', '\r']) {
        let message = format!("the value of `{name}` holds a line break, which would begin another header");
        (message, "write the value on one line; over several lines, begin it with `>-`")
    } else if let Some(bad) = text.chars().find(|c| !c.is_ascii() || c.is_ascii_control()) {
        let message = format!("the value of `{name}` holds `{}`", bad.escape_debug());
        (message, "only printable ASCII characters travel safely in a header")
    } else if text.contains('$') {
        let message = format!("the value of `{name}` holds `$`, which nginx would take for the name of a variable");
        (message, "write `%24` where the value is an address")
    } else if text.len() > LONGEST {
        let message = format!("the value of `{name}` has {} characters, and hosts take {LONGEST}", text.len());
        (message, "shorten it")
    } else {
        return Ok(Some(text.to_owned()));
    };
    Err(Problem::error(Code::InvalidValue, message).hint(hint))
}

fn nothing_to_drop(name: &str) -> Problem {
    let message = format!("sitegen sends no header `{name}` that could be taken away");
    Problem::error(Code::InvalidValue, message).maybe_hint(did_you_mean(name, OWN))
}
