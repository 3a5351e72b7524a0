//! Malicious requests to `/api/leads`: each gets JSON with a clear message and no internal details.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::leads_server::{LeadsServer, lead, request};

const JSON: &str = "POST /api/leads HTTP/1.1\r\nContent-Type: application/json\r\n";

#[test]
fn invalid_leads_are_rejected_with_a_message() {
    let server = LeadsServer::start();
    let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    let in_name = |value: Value| {
        json!({"name": value, "email": "a@b.co", "recaptchaToken": "good"}).to_string()
    };
    let rows: Vec<(&str, Vec<u8>)> = vec![
        ("400 bad_request", b"".to_vec()),
        ("400 bad_request", b"{".to_vec()),
        ("400 bad_request", b"[]".to_vec()),
        ("400 bad_request", b"[{}]".to_vec()),
        (
            "400 bad_request",
            b" [\"a\",\"a@b.co\",\"\",\"\",\"\",\"\",\"good\"]".to_vec(),
        ),
        ("400 bad_request", b"7".to_vec()),
        ("400 bad_request", b"null".to_vec()),
        ("400 bad_request", b"\"name\"".to_vec()),
        ("400 bad_request", b"{\"name\":\"\xff\xfe\"}".to_vec()),
        ("400 bad_request", b"{\"name\":\"\\ud800\"}".to_vec()),
        (
            "400 bad_request",
            b"{\"name\":\"a\",\"name\":\"b\"}".to_vec(),
        ),
        ("400 bad_request", deep.clone().into_bytes()),
        (
            "400 bad_request",
            format!("{{\"name\":{deep}}}").into_bytes(),
        ),
        ("400 bad_request", in_name(json!(7)).into_bytes()),
        ("400 bad_request", in_name(json!(null)).into_bytes()),
        ("400 bad_request", in_name(json!({"a": 1})).into_bytes()),
        (
            "400 bad_request",
            b"{\"name\":\"a\",\"admin\":true}".to_vec(),
        ),
        ("422 required", b"{}".to_vec()),
        (
            "422 required",
            in_name(json!("\u{0}\u{202e}\r\n ")).into_bytes(),
        ),
        ("422 contact_required", b"{\"name\":\"a\"}".to_vec()),
        (
            "422 too_long",
            in_name(json!("x".repeat(20_000))).into_bytes(),
        ),
        ("413 too_large", vec![b' '; 256 * 1024 + 1]),
        ("413 too_large", vec![b'x'; 3_000_000]),
    ];
    for (expect, body) in rows {
        let answered = server.request(&format!("{JSON}Content-Length: {}\r\n", body.len()), &body);
        let start = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        assert_eq!(answered.code(), expect, "{start}");
        assert!(
            answered.head.contains("content-type: application/json"),
            "{start}"
        );
        let words = answered.json()["error"].as_str().expect("words").to_owned();
        for inner in [
            "serde", "line ", "column", "sqlite", "panick", "src/", "EOF",
        ] {
            assert!(!words.contains(inner), "{start}: {words}");
        }
    }
    assert!(server.stored().is_empty());
}

#[test]
fn malicious_texts_are_stored_verbatim() {
    let server = LeadsServer::start();
    let texts = [
        "'; DROP TABLE leads; --",
        "<script>alert(1)</script>",
        "{{ 7 * 7 }} ${7*7} {% raw %}",
        "../../etc/passwd",
        "Robert\"); DELETE FROM leads",
        "\u{feff}\u{202e}txt.exe",
        "a\r\nBcc: everybody@example.com\r\n\r\nbody",
        "%00%0d%0a",
        "🙂 Ñandú 漢字 عربى",
    ];
    for (number, text) in texts.iter().enumerate() {
        let mut sent = lead(&format!("good{number}"));
        for field in [
            "name",
            "company",
            "phone",
            "projectType",
            "message",
            "appName",
            "appDescription",
        ] {
            sent[field] = (*text).into();
        }
        assert_eq!(
            server.post(&sent).code(),
            if text.chars().count() > 50 {
                "422 too_long"
            } else {
                "200 null"
            }
        );
        let stored = server.stored();
        assert_eq!(stored.len(), number + 1);
        for field in ["name", "company", "projectType"] {
            let one = stored[0][field].as_str().expect("a text");
            assert!(
                !one.contains(['\r', '\n', '\u{202e}', '\u{feff}']),
                "{one:?}"
            );
        }
        if number < 5 {
            assert_eq!(stored[0]["name"], *text);
        }
    }
}

#[test]
fn unsupported_methods_and_content_types_are_rejected() {
    let server = LeadsServer::start();
    for method in ["GET", "PUT", "DELETE", "PATCH", "BREW"] {
        let answered = server.send(&format!("{method} /api/leads HTTP/1.1\r\n"), "");
        assert_eq!(answered.code(), "405 method_not_allowed", "{method}");
        assert!(answered.head.contains("allow: post"), "{answered:?}");
    }
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: multipart/form-data; boundary=x\r\n",
    ] {
        let answered = server.send(&format!("POST /api/leads HTTP/1.1\r\n{kind}"), "{}");
        assert_eq!(answered.code(), "415 unsupported_media_type", "{kind}");
    }
    let answered = server.send(
        "POST /api/leads HTTP/1.1\r\nContent-Type: APPLICATION/json; charset=utf-8\r\n",
        "{}",
    );
    assert_eq!(answered.code(), "422 required");
}

#[test]
fn headers_may_contain_anything() {
    let server = LeadsServer::start();
    for header in [
        "X-Form-Signals: %ff%fe&&&=;",
        "X-Form-Signals: elapsed=-1",
        "Accept-Language: ;q=,,;;q=nan",
        "Accept-Language: \u{fe}",
    ] {
        let token = format!("good{}", header.len());
        assert_eq!(
            server
                .post_with(&format!("{header}\r\n"), &lead(&token))
                .code(),
            "200 null",
            "{header}"
        );
    }
    assert_eq!(
        server.post_with("Origin: \u{fe}\r\n", &lead("good")).code(),
        "403 forbidden_origin"
    );
}

#[test]
fn aborted_connections_do_not_break_the_server() {
    let server = LeadsServer::start();
    for sent in [
        "POST /api/le",
        "POST /api/leads HTTP/1.1\r\nContent-Length: 900\r\nContent-Type: application/json\r\nHost: x\r\n\r\n{\"na",
    ] {
        for _ in 0..20 {
            let mut stream = TcpStream::connect(server.address()).expect("the server listens");
            stream.write_all(sent.as_bytes()).expect("half a request");
        }
    }
    assert_eq!(server.post(&lead("good")).code(), "200 null");
}

#[test]
fn a_body_that_does_not_arrive_times_out() {
    let server = LeadsServer::start();
    let mut stream = TcpStream::connect(server.address()).expect("the server listens");
    write!(
        stream,
        "{JSON}Host: x\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{{"
    )
    .expect("half a request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    assert!(
        text.starts_with("HTTP/1.1 408") && text.contains("\"code\":\"timeout\""),
        "{text}"
    );
}

#[test]
fn a_form_without_javascript_may_contain_anything() {
    let server = LeadsServer::start();
    for (expect, body) in [
        (422, ""),
        (400, "&&&=&=="),
        (422, "&&&"),
        (400, "name=%ff"),
        (422, "name=%"),
        (413, &"a".repeat(270_000)[..]),
    ] {
        let answered = server.form("?lang=%ff", body);
        assert_eq!(answered.status, expect, "{}", &body[..body.len().min(20)]);
        assert!(answered.head.contains("text/html"), "{answered:?}");
    }
    let head =
        "POST /api/leads HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n";
    assert!(request(server.address(), head, b"{}").is_ok());
}

/// The template's schedule sends an event that Lambda's adapter parses as a request.
#[test]
fn the_schedule_of_the_template_is_a_request_for_the_outbox() {
    let template = std::fs::read_to_string(crate::site_test::repository().join("deploy/aws.yaml"))
        .expect("the template");
    let input = template
        .split("Input: >-\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next())
        .expect("an input");
    let event: Value = serde_json::from_str(input).expect("JSON");
    let answer = crate::lambda::Lambda::start(&[])
        .invoke("00000000-0000-4000-8000-000000000001".into(), event);
    assert_eq!(answer.status, 404);
    let text = String::from_utf8_lossy(&answer.body);
    assert!(text.contains("this API doesn't accept leads"), "{text}");
}
