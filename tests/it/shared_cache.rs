//! A small S3 server for tests of the shared cache, which can also behave badly.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A session token, which must not be printed.
pub const TOKEN: &str = "session-token-of-the-test";

/// How the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// As S3 does.
    Works,
    /// With status 500.
    Fails,
    /// Reads get other bytes than were written.
    Garbage,
    /// The connection is closed without an answer.
    Closes,
    /// There is never an answer.
    Hangs,
    /// The answer takes longer than computing most entries.
    Slow,
}

#[derive(Default)]
struct State {
    objects: HashMap<String, Vec<u8>>,
    /// Method, path, and whether the request has a signature.
    log: Vec<(String, String, bool)>,
}

/// The server. It runs until the test process ends.
pub struct Bucket {
    address: String,
    state: Arc<Mutex<State>>,
}

impl Bucket {
    pub fn start(behavior: Behavior) -> Bucket {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || answer(stream, behavior, &state));
            }
        });
        Bucket { address, state }
    }

    /// The environment variables with which sitegen uses the server.
    pub fn environment(&self) -> Vec<(&str, &str)> {
        vec![
            ("SITEGEN_CACHE", "s3://bucket/prefix"),
            ("AWS_ENDPOINT_URL_S3", &self.address),
            ("AWS_REGION", "eu-west-1"),
            ("AWS_ACCESS_KEY_ID", "KEY"),
            ("AWS_SECRET_ACCESS_KEY", "SECRET"),
            ("AWS_SESSION_TOKEN", TOKEN),
        ]
    }

    /// The paths of all requests with a method.
    pub fn requests(&self, method: &str) -> Vec<String> {
        let state = self.state.lock().expect("the state");
        state
            .log
            .iter()
            .filter(|(own, ..)| own == method)
            .map(|(_, path, _)| path.clone())
            .collect()
    }

    pub fn is_signed(&self) -> bool {
        let state = self.state.lock().expect("the state");
        !state.log.is_empty() && state.log.iter().all(|(.., is_signed)| *is_signed)
    }
}

/// Answers one request, and closes the connection. A failure means that sitegen has closed it.
fn answer(mut stream: TcpStream, behavior: Behavior, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head
        .to_lowercase()
        .replace("get /", "GET /")
        .replace("put /", "PUT /");
    let header = |name: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(name))
            .map(str::trim)
    };
    let mut body =
        vec![0; header("content-length:").map_or(0, |length| length.parse().expect("a length"))];
    reader.read_exact(&mut body).ok()?;
    let mut words = head.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let is_signed = header("authorization:")
        .is_some_and(|value| value.starts_with("aws4-hmac-sha256 credential=key/"));
    state
        .lock()
        .expect("the state")
        .log
        .push((method.clone(), path.clone(), is_signed));
    match behavior {
        Behavior::Works | Behavior::Garbage | Behavior::Fails => {}
        Behavior::Closes => return None,
        Behavior::Hangs => std::thread::sleep(Duration::from_mins(10)),
        Behavior::Slow => std::thread::sleep(Duration::from_secs(4)),
    }
    let found = match (behavior, method.as_str()) {
        (Behavior::Fails, _) => return reply(&mut stream, "500 Internal Server Error", b"broken"),
        (Behavior::Garbage, "GET") => Some(b"<html>Please sign in to this network</html>".to_vec()),
        (_, "GET") => state.lock().expect("the state").objects.get(&path).cloned(),
        _ => {
            state.lock().expect("the state").objects.insert(path, body);
            Some(Vec::new())
        }
    };
    match found {
        Some(bytes) => reply(&mut stream, "200 OK", &bytes),
        None => reply(
            &mut stream,
            "404 Not Found",
            b"<Error><Code>NoSuchKey</Code></Error>",
        ),
    }
}

fn reply(stream: &mut TcpStream, status: &str, body: &[u8]) -> Option<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body))
        .ok()
}
