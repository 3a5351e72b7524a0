//! An HTTP server for tests, which acts as a CMS, a captcha provider or a webhook and can be made to misbehave. It does
//! not depend on time.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    /// Headers by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// The number of earlier requests for this path.
    pub before: usize,
    pub body: Vec<u8>,
}

/// The server's reaction to a request.
pub enum Reply {
    /// A complete response: status, further headers, body.
    Whole(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// A body of half the announced length.
    Half(Vec<u8>),
    /// Headers, and then endlessly a byte from time to time.
    Drip,
    /// No response.
    Silence,
}

impl Reply {
    pub fn json(value: &Value) -> Reply {
        Reply::Whole(
            200,
            vec![("Content-Type", "application/json".into())],
            value.to_string().into_bytes(),
        )
    }

    pub fn status(status: u16) -> Reply {
        Reply::Whole(status, Vec::new(), b"{}".to_vec())
    }

    pub fn with(self, name: &'static str, value: impl std::fmt::Display) -> Reply {
        match self {
            Reply::Whole(status, mut headers, body) => {
                headers.push((name, value.to_string()));
                Reply::Whole(status, headers, body)
            }
            other => other,
        }
    }
}

/// A running server. It listens until the test ends.
pub struct CmsServer {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl CmsServer {
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> CmsServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (log, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || {
                    // The client may disconnect at any time, which some tests provoke.
                    let _ = talk(stream, &log, &*answer);
                });
            }
        });
        CmsServer { url, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("the log").clone()
    }
}

fn talk(
    stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    answer: &dyn Fn(&Request) -> Reply,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let method = line.split(' ').next().unwrap_or_default().to_owned();
    let target = line.split(' ').nth(1).unwrap_or("/").to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let request = {
        let mut log = log.lock().expect("the log");
        let before = log.iter().filter(|request| request.path == path).count();
        let request = Request {
            method,
            path: path.to_owned(),
            query,
            headers,
            before,
            body,
        };
        log.push(request.clone());
        request
    };
    let mut stream = stream;
    match answer(&request) {
        Reply::Whole(status, headers, body) => {
            write_head(&mut stream, status, &headers, body.len())?;
            stream.write_all(&body)
        }
        Reply::Half(body) => {
            write_head(&mut stream, 200, &[], body.len() * 2)?;
            stream.write_all(&body)
        }
        Reply::Drip => {
            write_head(&mut stream, 200, &[], 1_000_000)?;
            stream.set_read_timeout(Some(Duration::from_millis(50)))?;
            loop {
                stream.write_all(b" ")?;
                if stream.read(&mut [0]).is_ok_and(|length| length == 0) {
                    return Ok(());
                }
            }
        }
        Reply::Silence => stream.read(&mut [0]).map(drop),
    }
}

fn write_head(
    stream: &mut TcpStream,
    status: u16,
    headers: &[(&'static str, String)],
    length: usize,
) -> std::io::Result<()> {
    let headers = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect::<Vec<_>>()
        .concat();
    let head = format!(
        "HTTP/1.1 {status} Reply\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

/// A post in the format of WordPress.
pub fn wordpress_post(id: u64, lang: &str) -> Value {
    json!({
        "id": id, "lang": lang, "slug": format!("post-{lang}-{id}"), "date": format!("2025-01-{:02}T10:00:00", id % 28 + 1),
        "modified": "2025-02-01T00:00:00", "link": format!("https://cms.example/post-{lang}-{id}/"),
        "title": {"rendered": format!("Title {id}")}, "excerpt": {"rendered": "<p>Short [&hellip;]</p>"},
        "content": {"rendered": "<p>Text.</p>", "protected": false}, "tags": [7], "featured_media": 0, "translations": [],
        "_embedded": {"author": [{"name": "Ana Ruiz", "slug": "ana", "description": "Writes.", "avatar_urls": {}}]},
    })
}

/// WordPress with a language plugin, two posts per page.
pub fn wordpress(posts: Vec<Value>) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    move |request| {
        let page: usize = request
            .query
            .get("page")
            .and_then(|page| page.parse().ok())
            .unwrap_or(1);
        let all: Vec<&Value> = match request.path.as_str() {
            "/wp-json/wp/v2/posts" => {
                let lang = request.query.get("lang").map_or("", String::as_str);
                posts.iter().filter(|post| post["lang"] == lang).collect()
            }
            "/wp-json/wp/v2/tags" if page > 1 => Vec::new(),
            "/wp-json/wp/v2/tags" => {
                return Reply::json(&json!([{"id": 7, "name": "AI &amp; ML"}]))
                    .with("X-WP-Total", 1)
                    .with("X-WP-TotalPages", 1);
            }
            _ => return Reply::status(404),
        };
        let pages = all.len().div_ceil(2).max(1);
        if page > pages {
            return Reply::Whole(
                400,
                Vec::new(),
                br#"{"code":"rest_post_invalid_page_number"}"#.to_vec(),
            );
        }
        let items: Vec<&&Value> = all.iter().skip((page - 1) * 2).take(2).collect();
        Reply::json(&json!(items))
            .with("X-WP-Total", all.len())
            .with("X-WP-TotalPages", pages)
    }
}

/// A post in the format of the posts API.
pub fn api_post(id: u64) -> Value {
    json!({
        "id": id, "slug": format!("post-{id}-of-api"), "title": format!("Title {id}"), "date": "2025-01-05T10:00:00",
        "content": "<p>Text.</p>", "excerpt": "Short.", "tags": ["SQL"], "author": {"name": "Ana Ruiz", "slug": "ana"},
    })
}

/// The posts API with these posts in English, and one in Spanish.
pub fn posts_api(posts: Vec<Value>) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    move |request| {
        let posts = if request.query.contains_key("lang") {
            vec![api_post(900)]
        } else {
            posts.clone()
        };
        let total = posts.len();
        Reply::json(&json!({
            "posts": posts, "pagination": {"total": total, "total_pages": 1, "current_page": 1, "per_page": 100}
        }))
    }
}
