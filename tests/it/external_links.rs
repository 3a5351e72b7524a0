//! `check --external` against a local server.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::site_test::SiteTest;

/// A server that responds by path, and records the request lines.
fn server() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&requests);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 2048];
            let read = stream.read(&mut request).unwrap_or(0);
            let line = String::from_utf8_lossy(&request[..read])
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned();
            let status = match line.split(' ').nth(1).unwrap_or_default() {
                "/fine" | "/fine?page=2" => "200 OK",
                "/login" => "403 Forbidden",
                "/no-head" if line.starts_with("GET") => "200 OK",
                "/no-head" => "405 Method Not Allowed",
                _ => "404 Not Found",
            };
            log.lock().expect("the log").push(line);
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
    (address, requests)
}

fn linking(targets: &[String]) -> SiteTest {
    let links: Vec<String> = targets
        .iter()
        .enumerate()
        .map(|(at, target)| format!("[x{at}]({target})"))
        .collect();
    let site = SiteTest::small();
    site.edit(
        "content/pages/about/en.yaml",
        "sections:",
        &format!(
            "sections:\n  - kind: prose\n    body: \"{}\"",
            links.join(" ")
        ),
    );
    site
}

#[test]
fn a_dead_external_link_is_a_warning_at_its_place() {
    let (server, _) = server();
    let site = linking(&[
        format!("{server}/fine"),
        format!("{server}/gone"),
        format!("{server}/login"),
        format!("{server}/no-head"),
    ]);
    assert_eq!(
        site.run(&["check"]).stderr,
        "",
        "no requests without the option"
    );
    let run = site.run(&["check", "--external"]);
    assert_eq!(
        run.status, 0,
        "a dead external link is not an error: {}",
        run.stderr
    );
    assert_eq!(run.problems().len(), 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("/gone` failed (status 404)"),
        "{}",
        run.stderr
    );
    assert!(
        run.problems()[0].starts_with("external-link content/pages/about/en.yaml:"),
        "{:?}",
        run.problems()
    );
    assert_eq!(site.run(&["check", "--external", "--strict"]).status, 1);
}

#[test]
fn a_successful_check_is_cached_and_each_page_is_requested_once() {
    let (server, requests) = server();
    let site = linking(&[
        format!("{server}/fine"),
        format!("{server}/fine#part"),
        format!("{server}/fine?page=2"),
    ]);
    for _ in 0..2 {
        assert_eq!(site.run(&["check", "--external"]).stderr, "");
    }
    assert_eq!(
        *requests.lock().expect("the log"),
        ["HEAD /fine HTTP/1.1", "HEAD /fine?page=2 HTTP/1.1"]
    );
}

#[test]
fn a_refused_connection_is_reported() {
    let free = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let run = linking(&[format!("http://{free}/")]).run(&["check", "--external"]);
    assert!(
        run.stderr.contains("failed (connection refused"),
        "{}",
        run.stderr
    );
}
