//! Messages of an editor and to it, over pipes: a header with the length, then JSON.
//!
//! Anything that isn't a message gets the protocol's error as its response, and reading goes on. After a wrong header
//! nobody knows where the next message begins, so it is searched for.

use std::io::{self, BufRead, Read as _, Write};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// The header that is needed.
const LENGTH: &str = "content-length:";
/// Maximum length of a message, in bytes. A larger one is a mistake of the header.
const MAX_LENGTH: usize = 1 << 30;

/// An error to answer with.
#[derive(Debug)]
pub(super) struct Refusal {
    /// `null` if the request could not be read.
    pub id: Value,
    pub code: ErrorCode,
    pub message: String,
}

impl Refusal {
    pub fn new(id: Value, code: ErrorCode, message: impl Into<String>) -> Refusal {
        Refusal {
            id,
            code,
            message: message.into(),
        }
    }
}

/// Reads messages.
#[derive(Debug)]
pub(super) struct Reader<R> {
    input: R,
    /// The length of a message whose header was read already.
    length: Option<usize>,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        Reader {
            input,
            length: None,
        }
    }

    /// The next message, or what to answer instead. `None` when the pipe is closed.
    pub fn next(&mut self) -> io::Result<Option<Result<Message, Refusal>>> {
        if self.length.is_none() {
            match self.header()? {
                None => return Ok(None),
                Some(Err(why)) => {
                    return Ok(Some(Err(Refusal::new(
                        Value::Null,
                        ErrorCode::ParseError,
                        why,
                    ))));
                }
                Some(Ok(length)) => self.length = Some(length),
            }
        }
        let length = self.length.take().unwrap_or_default();
        let mut body = Vec::new();
        if (&mut self.input)
            .take(length as u64)
            .read_to_end(&mut body)?
            < length
        {
            return Ok(None);
        }
        Ok(Some(message(&body)))
    }

    /// The length of the next message. With an error, the length is kept if the header behind what is wrong has one.
    fn header(&mut self) -> io::Result<Option<Result<usize, String>>> {
        let (mut length, mut wrong, mut is_empty) = (None, None, true);
        loop {
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line)? == 0 {
                return Ok(wrong.map(Err));
            }
            let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
            let line = line.trim();
            match line.rfind(LENGTH) {
                // Anything that isn't a header ends where the next one begins, including within a line.
                Some(at) => {
                    let text = line[at + LENGTH.len()..].trim();
                    length = text.parse().ok().filter(|length| *length <= MAX_LENGTH);
                    let is_wrong = length.is_none() || at > 0;
                    wrong = wrong.or(is_wrong.then(|| format!("`{line}` is not a message length")));
                }
                None if line.is_empty() && is_empty => continue,
                None if line.is_empty() => break,
                None if is_header(line) => {}
                None => {
                    wrong = wrong
                        .or_else(|| Some("expected a header, found something else".to_owned()));
                }
            }
            is_empty = false;
        }
        Ok(Some(match (length, wrong) {
            (Some(length), None) => Ok(length),
            (length, wrong) => {
                self.length = length;
                Err(wrong.unwrap_or_else(|| "the header has no `Content-Length`".to_owned()))
            }
        }))
    }
}

/// Whether a line is a header, such as `content-type: …`.
fn is_header(line: &str) -> bool {
    let name = line.split_once(':').map_or("", |(name, _)| name);
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// The message of a body.
fn message(body: &[u8]) -> Result<Message, Refusal> {
    let invalid = |id: Value, why: &str| Err(Refusal::new(id, ErrorCode::InvalidRequest, why));
    let mut value: Value = serde_json::from_slice(body).map_err(|error| {
        Refusal::new(
            Value::Null,
            ErrorCode::ParseError,
            format!("this is not JSON: {error}"),
        )
    })?;
    let Some(fields) = value.as_object_mut() else {
        return invalid(Value::Null, "a message must be an object");
    };
    let id = fields.remove("id");
    let read: Option<RequestId> = id.clone().and_then(|id| serde_json::from_value(id).ok());
    let shown = if read.is_some() {
        id.clone().unwrap_or_default()
    } else {
        Value::Null
    };
    if fields
        .get("jsonrpc")
        .is_some_and(|version| version != "2.0")
    {
        return invalid(shown, "`jsonrpc` is not `2.0`");
    }
    let params = fields.remove("params").unwrap_or_default();
    match (fields.remove("method"), id, read) {
        (Some(Value::String(method)), None, _) => {
            Ok(Message::Notification(Notification { method, params }))
        }
        (Some(Value::String(method)), _, Some(id)) => {
            Ok(Message::Request(Request { id, method, params }))
        }
        (Some(Value::String(_)), ..) => {
            invalid(shown, "`id` is neither a whole number nor a string")
        }
        (Some(_), ..) => invalid(shown, "`method` is not a string"),
        // Nothing waits for what the editor answers.
        (None, Some(_), Some(id))
            if fields.contains_key("result") || fields.contains_key("error") =>
        {
            Ok(Message::Response(Response::new_ok(id, Value::Null)))
        }
        (None, ..) => invalid(shown, "a message must have a `method`"),
    }
}

/// The two addresses of a folder that an editor names through a symbolic link. Everything else in the program knows only
/// the folder that the link leads to.
#[derive(Debug, Default)]
pub(super) struct Folder {
    /// As the editor has it, and as the program has it.
    names: Option<(String, String)>,
}

impl Folder {
    /// The folder with these addresses, if they differ.
    pub fn new(names: Option<(String, String)>) -> Folder {
        Folder { names }
    }

    /// Changes the addresses in a message of the editor to those of the program.
    pub fn come_in(&self, message: &mut Value) {
        self.names
            .iter()
            .for_each(|(theirs, ours)| replace(message, theirs, ours));
    }

    /// Changes the addresses in a message to the editor to those that it knows.
    pub fn go_out(&self, message: &mut Value) {
        self.names
            .iter()
            .for_each(|(theirs, ours)| replace(message, ours, theirs));
    }
}

/// Replaces the beginning of addresses in a message, in keys as well.
fn replace(message: &mut Value, from: &str, to: &str) {
    let renamed = |text: &str| {
        let rest = text
            .strip_prefix(from)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        Some([to, rest].concat())
    };
    match message {
        Value::String(text) => *text = renamed(text).unwrap_or_else(|| std::mem::take(text)),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, from, to)),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(key, mut value)| {
                    replace(&mut value, from, to);
                    (renamed(&key).unwrap_or(key), value)
                })
                .collect();
        }
        _ => {}
    }
}

/// Writes messages, one at a time.
#[derive(Debug)]
pub(super) struct Writer<W>(W);

impl<W: Write> Writer<W> {
    pub fn new(output: W) -> Writer<W> {
        Writer(output)
    }

    pub fn send(&mut self, message: &Message) -> io::Result<()> {
        message.write(&mut self.0)
    }

    pub fn refuse(&mut self, Refusal { id, code, message }: Refusal) -> io::Result<()> {
        let error = json!({"code": code as i32, "message": message});
        let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
        write!(self.0, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages that are read: methods of messages, codes of errors.
    fn read(input: &[u8]) -> Vec<String> {
        let mut reader = Reader::new(input);
        let mut found = Vec::new();
        while let Some(next) = reader.next().expect("no pipe breaks") {
            found.push(match next {
                Ok(Message::Request(request)) => format!("{} {}", request.method, request.id),
                Ok(Message::Notification(notification)) => notification.method,
                Ok(Message::Response(_)) => "response".to_owned(),
                Err(refusal) => format!("{} {}", refusal.code as i32, refusal.id),
            });
        }
        found
    }

    fn framed(body: &[u8]) -> Vec<u8> {
        [
            format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(),
            body,
        ]
        .concat()
    }

    #[test]
    fn messages_are_read() {
        let one = framed(br#"{"jsonrpc":"2.0","id":1,"method":"a","params":{}}"#);
        let two = b"content-type: x; charset=utf-8\ncontent-length:31\n\n{\"id\":\"x\",\"method\":\"b\",\"c\":\"d\"}";
        let three = framed(br#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert_eq!(
            read(&[&one[..], two, &three].concat()),
            ["a 1", "b \"x\"", "response"]
        );
        assert_eq!(read(&one[..one.len() - 1]), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_answered_and_the_next_message_is_read() {
        let next = framed(br#"{"jsonrpc":"2.0","id":7,"method":"next"}"#);
        let cases: &[(&[u8], &str)] = &[
            (&framed(b"{"), "-32700 null"),
            (&framed(b""), "-32700 null"),
            (&framed(b"{\"id\":1,\"method\":\"\xff\"}"), "-32700 null"),
            (&framed("[".repeat(100_000).as_bytes()), "-32700 null"),
            (&framed(b"[]"), "-32600 null"),
            (&framed(b"{}"), "-32600 null"),
            (
                &framed(br#"{"jsonrpc":"1.0","id":3,"method":"a"}"#),
                "-32600 3",
            ),
            (&framed(br#"{"id":3,"method":4}"#), "-32600 3"),
            (&framed(br#"{"id":null,"method":"a"}"#), "-32600 null"),
            (&framed(br#"{"id":1.5,"method":"a"}"#), "-32600 null"),
            (
                &framed(br#"{"id":99999999999,"method":"a"}"#),
                "-32600 null",
            ),
            (b"Content-Length: many\r\n\r\n", "-32700 null"),
            (b"Content-Length: -1\r\n\r\n", "-32700 null"),
            (
                b"Content-Length: 99999999999999999999\r\n\r\n",
                "-32700 null",
            ),
            (b"Content-Type: x\r\n\r\n", "-32700 null"),
            (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "-32700 null"),
            (b"{\"jsonrpc\":\"2.0\"}\n", "-32700 null"),
            (b"{\"jsonrpc\":\"2.0\"}", "-32700 null"),
            (b"\xff\xfe\0\0\r\n", "-32700 null"),
        ];
        for (wrong, expect) in cases {
            let found = read(&[wrong, &next[..], &next].concat());
            assert_eq!(
                found,
                [expect, "next 7", "next 7"],
                "{:?}",
                String::from_utf8_lossy(wrong)
            );
        }
        // A length that is too short leaves a rest.
        let short = b"Content-Length: 2\r\n\r\n{}}}}";
        assert_eq!(
            read(&[short, &next[..]].concat()),
            ["-32600 null", "-32700 null", "next 7"]
        );
    }
}
