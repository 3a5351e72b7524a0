//! Visitors of `site-api` among floods: of bad captcha tokens, and of connections that send nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use crate::leads_server::{LeadsServer, lead};
use crate::site_test::site_api_program;

/// The proxy on this machine says who sends.
fn from(server: &LeadsServer, address: &str, token: &str) -> String {
    server
        .post_with(&format!("X-Forwarded-For: {address}\r\n"), &lead(token))
        .code()
}

#[test]
fn bad_tokens_of_a_network_do_not_refuse_other_visitors() {
    let server = LeadsServer::with(&[
        ("LEADS_PER_MINUTE", "1"),
        ("LEADS_PER_MINUTE_TOTAL", "30"),
        ("TRUSTED_PROXIES", "127.0.0.1"),
    ]);
    let before = server.verified();
    let codes: Vec<String> = (0..300)
        .map(|number| {
            from(
                &server,
                &format!("2001:db8:{:x}:{number:x}::1", number % 3),
                "wrong",
            )
        })
        .collect();
    let verified = server.verified() - before;
    assert_eq!(
        codes
            .iter()
            .filter(|code| *code == "422 captcha_refused")
            .count(),
        verified
    );
    assert!(
        codes
            .iter()
            .filter(|code| *code == "429 rate_limited")
            .count()
            == 300 - verified
            && verified <= 100,
        "{verified}"
    );
    for number in 0..25 {
        assert_eq!(
            from(
                &server,
                &format!("198.51.100.{number}"),
                &format!("good{number}")
            ),
            "200 null",
            "{number}"
        );
    }
    // Tokens that were used before count like bad ones, and not against the total.
    for number in 0..30 {
        let code = from(&server, &format!("2001:db9:{number:x}::1"), "good1");
        assert!(
            ["422 captcha_refused", "429 rate_limited"].contains(&code.as_str()),
            "{code}"
        );
    }
    for number in 25..30 {
        assert_eq!(
            from(
                &server,
                &format!("198.51.100.{number}"),
                &format!("good{number}")
            ),
            "200 null",
            "{number}"
        );
    }
    assert_eq!(
        from(&server, "203.0.113.1", "good99"),
        "429 rate_limited",
        "30 leads are the limit"
    );
    assert_eq!(server.stored().len(), 30);
}

/// Starts the program with a limit of open files, opens connections that send half of a request, and sends a lead.
fn half_open(files: u32, environment: &[(&str, &str)], connections: usize) {
    let mut server = LeadsServer::with(environment);
    server.kill();
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "ulimit -n \"$1\" && exec \"$2\"",
            "sh",
            &files.to_string(),
        ])
        .arg(site_api_program());
    command
        .current_dir(server.folder.path())
        .envs(server.environment().iter().cloned());
    server.run_as(command);
    let open = || {
        let mut stream = TcpStream::connect(server.address()).ok()?;
        stream
            .write_all(b"POST /api/leads HTTP/1.1\r\nContent-")
            .ok()?;
        Some(stream)
    };
    let mut streams: Vec<TcpStream> = (0..connections).filter_map(|_| open()).collect();
    for token in ["good1", "good2"] {
        assert_eq!(server.post(&lead(token)).code(), "200 null");
    }
    assert_eq!(
        server.send("GET /api/health HTTP/1.1\r\n", "").status,
        503,
        "there is no build, and the server is well"
    );
    // The oldest one has been closed.
    let oldest = streams.first_mut().expect("a connection");
    assert!(matches!(oldest.read(&mut [0]), Ok(0) | Err(_)));
    assert_eq!(server.stored().len(), 2);
}

#[test]
fn a_lead_is_stored_among_half_open_connections() {
    half_open(256, &[], 400);
}

/// More connections than the process may open files.
#[test]
fn a_lead_is_stored_however_many_connections_are_allowed() {
    half_open(64, &[("MAX_CONNECTIONS", "5000")], 200);
}
