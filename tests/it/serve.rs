//! The responses of `sitegen serve`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::site_test::SiteTest;

/// `sitegen serve` on a free port.
pub struct Server {
    child: Child,
    address: String,
    /// The token that it printed; empty if it serves a finished build.
    token: String,
    site: SiteTest,
    /// Its output on standard error.
    log: Arc<Mutex<String>>,
}

impl Server {
    pub fn start(site: SiteTest, arguments: &[&str]) -> Server {
        let arguments: Vec<&str> = ["serve", "--port", "0"]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        let command = site.command(&arguments);
        Server::of(site, command)
    }

    /// The server that a command starts.
    pub fn of(site: SiteTest, mut command: Command) -> Server {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sitegen starts");
        let log = Arc::new(Mutex::new(String::new()));
        let (sink, stderr) = (Arc::clone(&log), child.stderr.take().expect("stderr"));
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut sink = sink.lock().expect("a text");
                sink.push_str(&line);
                sink.push('\n');
            }
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout"))
            .read_line(&mut line)
            .expect("a line");
        let address = line
            .trim()
            .split("http://")
            .nth(1)
            .unwrap_or_else(|| panic!("no address in {line:?}"))
            .split('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        let token = line
            .trim()
            .split_once("token=")
            .map_or("", |(_, token)| token)
            .to_owned();
        Server {
            child,
            address,
            token,
            site,
            log,
        }
    }

    /// The address that it listens on.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The token of its author.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The header of a browser in which the author has opened the printed address.
    pub fn cookie(&self) -> String {
        let port = self.address.rsplit(':').next().unwrap_or_default();
        if self.token.is_empty() {
            String::new()
        } else {
            format!("Cookie: sitegen-{port}={}\r\n", self.token)
        }
    }

    /// The URL of its home page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The site that it serves.
    pub fn site(&self) -> &SiteTest {
        &self.site
    }

    /// Its output on standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("a text").clone()
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Stops the server and returns the site.
    pub fn stop(mut self) -> SiteTest {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.site.clone()
    }

    /// Sends a request of the author, with an unmodified path. Returns status, headers and body.
    pub fn request(&self, method: &str, path: &str, headers: &str) -> (u16, String, String) {
        let (status, head, body) = self.request_bytes(method, path, headers);
        (status, head, String::from_utf8_lossy(&body).into_owned())
    }

    fn request_bytes(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        self.send(
            method,
            path,
            &format!("Host: {}\r\n{}{headers}", self.address, self.cookie()),
        )
    }

    /// Sends a request of somebody who has not opened the printed address.
    pub fn stranger(&self, method: &str, path: &str, headers: &str) -> (u16, String, String) {
        let (status, head, body) = self.send(
            method,
            path,
            &format!("Host: {}\r\n{headers}", self.address),
        );
        (status, head, String::from_utf8_lossy(&body).into_owned())
    }

    /// Like [`Server::get`], as if the server had another name.
    pub fn get_as(&self, host: &str, path: &str) -> (u16, String, String) {
        let (status, head, body) =
            self.send("GET", path, &format!("Host: {host}\r\n{}", self.cookie()));
        (status, head, String::from_utf8_lossy(&body).into_owned())
    }

    /// Sends a request with these headers, which name the host, and nothing else.
    pub fn send(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        exchange(&self.address, method, path, headers).expect("an answer")
    }

    /// Status, headers and body of a page.
    pub fn get(&self, path: &str) -> (u16, String, String) {
        self.request("GET", path, "")
    }

    /// Status, headers and body of a file.
    pub fn get_bytes(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.request_bytes("GET", path, "")
    }
}

/// Sends a request with these headers. `None` if the server ends before it answers.
pub fn exchange(
    address: &str,
    method: &str,
    path: &str,
    headers: &str,
) -> Option<(u16, String, Vec<u8>)> {
    let mut stream = TcpStream::connect(address).ok()?;
    let request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
    // A server that refuses a long request may close before it has read all of it.
    let _ = stream.write_all(request.as_bytes());
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    if bytes.is_empty() || read.is_err() {
        return None;
    }
    let end = bytes
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap_or(bytes.len());
    let (head, body) = (
        String::from_utf8_lossy(&bytes[..end]),
        bytes.get(end + 4..).unwrap_or_default(),
    );
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or_else(|| panic!("no status in {head:?}"));
    Some((status, head.to_lowercase(), body.to_vec()))
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_finished_build_is_served_as_the_published_site_is() {
    let site = SiteTest::small();
    site.built();
    let server = Server::start(site, &["--no-watch"]);
    for path in [
        "/about/",
        "/about",
        "/es/",
        "/es",
        "/es/about/",
        "/plain.txt",
    ] {
        assert_eq!(server.get(path).0, 200, "{path}");
    }
    let (status, head, _) = server.get("/old?a=1");
    assert_eq!(status, 301);
    assert!(head.contains("location: /about/?a=1"), "{head}");
    let (status, head, body) = server.get("/nothing/");
    assert_eq!(status, 404);
    assert!(
        body.contains("Page not found") && head.contains("content-type: text/html"),
        "{head}"
    );
    let (_, head, body) = server.get("/");
    for header in [
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy:",
        "permissions-policy:",
    ] {
        assert!(head.contains(header), "{header} is missing in {head}");
    }
    assert!(
        !body.contains("_sitegen"),
        "a finished build is served with the live script"
    );
    let (status, head, _) = server.request("POST", "/", "");
    assert_eq!(status, 405);
    assert!(head.contains("allow: get, head"), "{head}");
    let (_, head, _) = server.request("GET", "/", "Accept-Encoding: br\r\n");
    assert!(head.contains("content-encoding: br"), "{head}");
}

#[test]
fn requests_outside_the_site_are_rejected() {
    let site = SiteTest::small();
    site.built();
    let server = Server::start(site, &["--no-watch"]);
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/a%00b",
        "/%5c..%5c",
        "/.sitegen-files",
        "//etc/passwd",
        "/%ff",
    ] {
        let (status, _, body) = server.get(path);
        assert!((400..500).contains(&status), "{path} answered {status}");
        assert!(!body.contains("root:"), "{path}");
    }
}

#[test]
fn a_site_with_errors_is_served_as_a_list_of_problems() {
    let site = SiteTest::small();
    site.edit("content/pages/home/en.yaml", "page:about", "page:abuot");
    let server = Server::start(site, &[]);
    let (status, _, body) = server.get("/");
    assert_eq!(status, 500);
    assert!(
        body.contains("content/pages/home/en.yaml:7:28") && body.contains("did you mean"),
        "{body}"
    );
}

#[test]
fn mistakes_in_settings_are_reported_beside_a_finished_build() {
    let site = SiteTest::small();
    site.built();
    site.edit(
        "content/site.yaml",
        "copyright_year",
        "copyrigth: x\ncopyright_year",
    );
    let server = Server::start(site, &["--no-watch"]);
    assert_eq!(server.get("/about/").0, 200);
    // Another thread reads what the server has printed.
    let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !server.log().contains("unknown key `copyrigth`") {
        assert!(std::time::Instant::now() < end, "{}", server.log());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn a_temporary_cache_is_removed_when_the_server_stops() {
    let temporary = tempfile::tempdir().expect("a folder");
    let entries = || {
        std::fs::read_dir(temporary.path())
            .expect("a folder")
            .count()
    };
    let site = SiteTest::small().file(".sitegen", "a file in the way");
    let mut command = site.command(&["serve", "--port", "0"]);
    command.env("TMPDIR", temporary.path());
    let mut server = Server::of(site, command);
    assert_eq!((server.get("/about/").0, entries()), (200, 1));
    assert!(
        Command::new("kill")
            .arg(server.process().to_string())
            .status()
            .expect("kill runs")
            .success()
    );
    assert!(server.child.wait().expect("a status").success());
    assert_eq!(entries(), 0);
}

#[test]
fn a_busy_port_is_reported_with_the_next_free_one() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let run = SiteTest::small().run(&["serve", "--port", &port]);
    assert_eq!(
        (run.status, run.problems()),
        (3, vec!["port-busy".to_owned()]),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("sitegen serve --port "),
        "{}",
        run.stderr
    );
}
