//! `sitegen leads serve`: who it starts for, and the leads of a running API in it. What its pages do is tested beside them, in
//! `crates/preview/src/inbox/tests.rs`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::leads_server::{HttpResponse, LeadsServer, lead, request};
use crate::site_test::sitegen;

/// A running inbox. It stops when it is dropped.
struct Inbox {
    child: Child,
    address: String,
    query: String,
}

impl Inbox {
    fn start(server: &LeadsServer, arguments: &[&str]) -> Inbox {
        let mut command = sitegen();
        command
            .args(["leads", "serve", "--port", "0"])
            .args(arguments)
            .arg("--root")
            .arg(server.folder.path());
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("sitegen starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout"))
            .read_line(&mut line)
            .expect("a line");
        let printed = line
            .split("http://")
            .nth(1)
            .unwrap_or_else(|| panic!("{line}"));
        let (address, query) = printed.trim().split_once('/').expect("an address");
        Inbox {
            child,
            address: address.to_owned(),
            query: query.to_owned(),
        }
    }

    fn get(&self, path: &str, headers: &str) -> HttpResponse {
        request(
            &self.address,
            &format!("GET {path} HTTP/1.1\r\n{headers}"),
            b"",
        )
        .expect("an answer")
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn leads_of_a_running_api_are_in_the_inbox_of_who_started_it() {
    let server = LeadsServer::start();
    assert_eq!(server.post(&lead("good1")).status, 200);
    let inbox = Inbox::start(&server, &[]);
    assert_eq!(inbox.get("/", "").status, 403);
    let welcome = inbox.get(&format!("/{}", inbox.query), "");
    let cookie = welcome
        .head
        .split("set-cookie: ")
        .nth(1)
        .and_then(|rest| rest.split(';').next())
        .expect("a cookie");
    // The head is in lower case, and the token is not.
    assert!(cookie.starts_with("sitegen-"), "{cookie}");
    let (name, _) = cookie.split_once('=').expect("a name");
    let token = inbox.query.trim_start_matches("?token=");
    let page = inbox.get("/", &format!("Cookie: {name}={token}\r\n"));
    assert!(
        page.status == 200 && page.body.contains("Ana Ruiz"),
        "{page:?}"
    );
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    let one = inbox.get(
        &format!("/lead/{id}"),
        &format!("Cookie: {name}={token}\r\nAccept-Language: es\r\n"),
    );
    assert!(
        one.body.contains("<html lang=\"es\">") && one.body.contains("Verificada"),
        "{one:?}"
    );
    // A lead that comes later is there as well.
    let mut later = lead("good2");
    later["name"] = "Eva".into();
    assert_eq!(server.post(&later).status, 200);
    assert!(
        inbox
            .get("/", &format!("Cookie: {name}={token}\r\n"))
            .body
            .contains("Eva")
    );
}

#[test]
fn an_inbox_on_a_network_starts_only_behind_a_proxy_that_names_who_asks() {
    let server = LeadsServer::start();
    assert_eq!(server.post(&lead("good1")).status, 200);
    let (status, _, stderr) = server.leads(&["serve", "--host", "0.0.0.0", "--port", "0"]);
    assert!(
        status != 0 && stderr.contains("--trust-header"),
        "{status} {stderr}"
    );
    let (status, _, stderr) = server.leads(&["serve", "--trust-header", "X User", "--port", "0"]);
    assert!(
        status != 0 && stderr.contains("is not a header name"),
        "{status} {stderr}"
    );
    let inbox = Inbox::start(
        &server,
        &["--host", "0.0.0.0", "--trust-header", "X-Forwarded-User"],
    );
    let port = inbox.address.rsplit_once(':').expect("a port").1;
    let get = |headers: &str| {
        request(
            &format!("127.0.0.1:{port}"),
            &format!("GET / HTTP/1.1\r\n{headers}"),
            b"",
        )
        .expect("an answer")
    };
    assert_eq!(get("").status, 401);
    let page = get("X-Forwarded-User: eva\r\n");
    assert!(
        page.status == 200 && page.body.contains("Ana Ruiz"),
        "{page:?}"
    );
}
