//! Files that visitors send with a form: what is taken, where it is stored, and that nothing is left of what was refused.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::leads_server::{HttpResponse, LeadsServer};
use crate::site_forms::{contact, hash, horizon, served, served_with_mail};

const FORM: &str = "content/forms/contact/form.yaml";
const WORDS: &str = "content/forms/contact/en.yaml";

/// A part of a form: its field, the name of the file if it is one, and its bytes.
type Part<'a> = (&'a str, Option<&'a str>, &'a [u8]);

fn pdf(text: &str) -> Vec<u8> {
    [b"%PDF-1.7\n", text.as_bytes(), &[b' '; 200]].concat()
}

fn multipart(parts: &[Part]) -> Vec<u8> {
    let mut body = Vec::new();
    for (field, file, bytes) in parts {
        let file = file
            .map(|name| format!("; filename=\"{name}\"\r\nContent-Type: application/pdf"))
            .unwrap_or_default();
        body.extend(
            format!("--edge\r\nContent-Disposition: form-data; name=\"{field}\"{file}\r\n\r\n")
                .bytes(),
        );
        body.extend_from_slice(bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--edge--\r\n");
    body
}

fn head(headers: &str, length: usize) -> String {
    format!(
        "POST /api/forms/appointment HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=edge\r\n\
         {headers}Content-Length: {length}\r\n"
    )
}

fn send(server: &LeadsServer, headers: &str, parts: &[Part]) -> HttpResponse {
    let body = multipart(parts);
    server.request(&head(headers, body.len()), &body)
}

/// The fields of a request for an appointment.
fn fields(privacy: &str) -> Vec<Part<'_>> {
    vec![
        ("name", None, b"Ana"),
        ("clinic", None, b"madrid"),
        ("email", None, b"ana@example.com"),
        ("phone", None, b""),
        ("privacy", None, privacy.as_bytes()),
    ]
}

const SCRIPT: &str = "X-Form-Signals: elapsed=9000&page=%2Fappointment%2F\r\n";

#[test]
fn files_are_stored_with_their_lead_and_only_the_export_reads_them() {
    let server = served(&horizon(), &[]);
    let privacy = hash(&server, "appointment", "en", "privacy");
    let (one, two) = (pdf("one"), [b"\x89PNG\r\n\x1a\n", &[7; 200][..]].concat());
    let parts = [
        fields(&privacy),
        vec![
            ("xray", Some("../../tooth.pdf"), &one),
            ("xray", Some("scan.exe"), &two),
            ("_captcha", None, b"good1"),
        ],
    ]
    .concat();
    let headers = format!("{SCRIPT}Idempotency-Key: 1\r\n");
    assert_eq!(send(&server, &headers, &parts).code(), "200 null");
    assert_eq!(
        send(&server, &headers, &parts).code(),
        "200 null",
        "the same again"
    );
    let stored = server.stored();
    let [lead] = &stored[..] else {
        panic!("{stored:?}")
    };
    assert_eq!(
        (&lead["status"], &lead["form"]["page"]),
        (&json!("verified"), &json!("/appointment/"))
    );
    let files = &lead["form"]["answers"]["xray"];
    assert_eq!(
        (&files[0]["name"], &files[0]["type"], &files[0]["size"]),
        (
            &json!("tooth.pdf"),
            &json!("application/pdf"),
            &json!(one.len())
        )
    );
    assert_eq!(
        (&files[1]["name"], &files[1]["type"]),
        (&json!("scan.exe.png"), &json!("image/png"))
    );
    // Without script, as a browser sends it: an empty part for a control without a file, and no key.
    let parts = [
        fields(&privacy),
        vec![
            ("xray", Some("tooth.pdf"), &one[..]),
            ("xray", Some(""), b""),
            ("_website", None, b""),
            ("_lang", None, b"de"),
        ],
    ]
    .concat();
    for _ in 0..2 {
        let answered = send(&server, "", &parts);
        assert!(
            answered.status == 200 && answered.body.contains("lang=\"de\""),
            "{answered:?}"
        );
    }
    // An answer that was sent twice without script is stored twice, with a note about it.
    assert_eq!(
        (server.stored().len(), &server.stored()[0]["status"]),
        (3, &json!("quarantined"))
    );
    assert!(
        server.stored()[0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("came from the same sender earlier"))
    );
    let folder = server.path("files");
    let export = || {
        let (status, _, stderr) =
            server.leads(&["export", "--files", folder.to_str().expect("UTF-8")]);
        assert_eq!(status, 0, "{stderr}");
        stderr
    };
    assert!(export().starts_with("4 files written to "));
    let id = lead["id"].as_str().expect("an id");
    let written = |name: &str| std::fs::read(folder.join(id).join(name)).expect(name);
    assert_eq!(
        (written("xray-1-tooth.pdf"), written("xray-2-scan.exe.png")),
        (one.clone(), two)
    );
    // A copy has them; what is forgotten or has expired has none.
    let copy = server.path("copy.sqlite3");
    assert_eq!(
        server.leads(&["backup", copy.to_str().expect("UTF-8")]).0,
        0
    );
    let count = |file: &std::path::Path| -> i64 {
        let store = rusqlite::Connection::open(file).expect("the database");
        store
            .query_row("SELECT count(*) FROM files", [], |row| row.get(0))
            .expect("a count")
    };
    assert_eq!((count(&copy), count(&server.path("leads.sqlite3"))), (4, 4));
    assert_eq!(server.leads(&["forget", "ana@example.com"]).0, 0);
    assert_eq!(count(&server.path("leads.sqlite3")), 0);
    for name in ["leads.sqlite3", "leads.sqlite3-wal"] {
        let bytes = std::fs::read(server.path(name)).unwrap_or_default();
        assert!(
            !bytes.windows(12).any(|window| window == b"%PDF-1.7\none"),
            "{name} still has the file"
        );
    }
    for path in [
        "/api/forms/appointment",
        "/api/files",
        &format!("/api/leads/{id}"),
    ] {
        let answered = server.send(&format!("GET {path} HTTP/1.1\r\n"), "");
        assert!(
            answered.status >= 400 && !answered.body.contains("%PDF"),
            "{path}"
        );
    }
}

#[test]
fn what_lies_or_is_too_much_is_refused_and_leaves_nothing() {
    let server = served(&horizon(), &[]);
    let privacy = hash(&server, "appointment", "en", "privacy");
    let large = [pdf("x"), vec![0; 2 * 1024 * 1024]].concat();
    // A bomb: four megabytes of zeros, packed. It is no picture, and nobody unpacks it.
    let mut packed = flate2_bomb();
    packed.splice(0..0, *b"PK\x03\x04");
    let check = |files: &[Part], expect: &str| {
        let parts = [
            fields(&privacy),
            files.to_vec(),
            vec![("_captcha", None, b"good")],
        ]
        .concat();
        let answered = send(&server, SCRIPT, &parts);
        assert_eq!(
            answered.code(),
            expect,
            "{:?}",
            files
                .iter()
                .map(|file| (file.0, file.1))
                .collect::<Vec<_>>()
        );
        answered.json()
    };
    let one = pdf("one");
    let answer = check(
        &[(
            "xray",
            Some("tooth.pdf"),
            b"MZ this is a program, whatever its name says, and it is long enough for that",
        )],
        "422 invalid_value",
    );
    let says =
        |answer: &Value, words: &str| assert_eq!(answer["errors"]["xray"], words, "{answer}");
    says(
        &answer,
        "This file has another type. Please choose one of these: JPG, PNG, PDF.",
    );
    check(&[("xray", Some("tooth.pdf"), &packed)], "422 invalid_value");
    let answer = check(&[("xray", Some("tooth.pdf"), &large)], "413 too_large");
    says(
        &answer,
        "This file is too large. It can have up to 2\u{a0}MB.",
    );
    let answer = check(
        &[
            ("xray", Some("a.pdf"), &one),
            ("xray", Some("b.pdf"), &one),
            ("xray", Some("c.pdf"), &one),
        ],
        "422 out_of_range",
    );
    says(&answer, "These are too many files. You can send up to 2.");
    // Without script, the page says so beside the field.
    let parts = [
        fields(&privacy),
        vec![("xray", Some("tooth.pdf"), &large[..])],
    ]
    .concat();
    let answered = send(&server, "Accept-Language: de\r\n", &parts);
    assert!(
        answered.status == 413 && answered.body.contains("höchstens 2\u{a0}MB"),
        "{answered:?}"
    );
    check(&[("email", Some("a.pdf"), &one)], "400 bad_request");
    check(&[("other", Some("a.pdf"), &one)], "400 bad_request");
    check(&[("other", None, b"x")], "400 bad_request");
    check(&[("name", None, b"twice")], "400 bad_request");
    check(
        &[("note", None, "x".repeat(300_000).as_bytes())],
        "413 too_large",
    );
    check(&[("xray", None, b"a text")], "422 invalid_value");
    // An upload that breaks off, in a file and before the last line.
    let whole = multipart(
        &[
            fields(&privacy),
            vec![("xray", Some("tooth.pdf"), &one[..])],
        ]
        .concat(),
    );
    for length in [whole.len() / 2, whole.len() - 3] {
        let mut stream = TcpStream::connect(server.address()).expect("a connection");
        let head = head(SCRIPT, whole.len());
        write!(stream, "{head}Host: x\r\n\r\n")
            .and_then(|()| stream.write_all(&whole[..length]))
            .expect("sent");
        stream.shutdown(std::net::Shutdown::Write).expect("the end");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    }
    // A body that is no form with files, and one to a form that takes none.
    let answered = server.request(&head(SCRIPT, 4), b"oops");
    assert_eq!(answered.code(), "400 bad_request");
    let to_callback = head("", whole.len()).replace("appointment", "callback");
    assert_eq!(server.request(&to_callback, &whole).status, 415);
    assert_eq!(server.stored().len(), 0);
    let store = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    let count: i64 = store
        .query_row("SELECT count(*) FROM files", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(count, 0);
}

/// Four megabytes of zeros in a few kilobytes.
fn flate2_bomb() -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder
        .write_all(&vec![0; 4 * 1024 * 1024])
        .expect("packed");
    encoder.finish().expect("packed")
}

/// Sends an answer until it is confirmed, as a browser does: with the same key and another captcha, to wherever the server is
/// now. `request` makes the head and the body of a try.
fn send_until_confirmed(address: &Mutex<String>, request: impl Fn(u32) -> (String, Vec<u8>)) {
    let end = Instant::now() + Duration::from_mins(2);
    for tries in 0.. {
        let now = address.lock().expect("the address").clone();
        let (head, body) = request(tries);
        let answer = crate::leads_server::request(&now, &head, &body);
        match &answer {
            Ok(answer) if answer.status == 200 => return,
            // Too many requests, or not there yet.
            Ok(answer) if !matches!(answer.status, 429 | 503) => panic!("{head}: {answer:?}"),
            _ => {}
        }
        assert!(Instant::now() < end, "{head}: {answer:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Five answers at a time, two of them with files, while the server is killed and started again: 3 kills, or 30 with
/// `SITE_TEST_FULL`. None is lost, none is there twice, and no file without its lead.
#[test]
fn answers_of_all_forms_survive_kills_with_their_files() {
    // The letters ask for a confirmation by mail.
    let (mut server, _mailbox) = served_with_mail(&horizon(), &[]);
    let privacy = hash(&server, "appointment", "en", "privacy");
    let letters = hash(&server, "newsletter", "en", "letters");
    let file = [pdf("x"), vec![1; 512 * 1024]].concat();
    let rounds: u32 = std::env::var("SITE_TEST_FULL").map_or(3, |_| 30);
    let with_files = |key: &str, files: usize, tries: u32| {
        let token = format!("good{key}-{tries}");
        let mut parts = fields(&privacy);
        parts.extend(std::iter::repeat_n(
            ("xray", Some("a.pdf"), &file[..]),
            files,
        ));
        parts.push(("_captcha", None, token.as_bytes()));
        let body = multipart(&parts);
        (
            head(&format!("{SCRIPT}Idempotency-Key: {key}\r\n"), body.len()),
            body,
        )
    };
    let with_json = |path: &str, key: &str, answer: &Value| {
        let body = answer.to_string().into_bytes();
        let length = body.len();
        let kind = "Content-Type: application/json";
        let key = format!("{SCRIPT}Idempotency-Key: {key}");
        (
            format!("POST /api/{path} HTTP/1.1\r\n{kind}\r\n{key}\r\nContent-Length: {length}\r\n"),
            body,
        )
    };
    let address = Mutex::new(server.address().to_owned());
    for round in 0..rounds {
        let request = |kind: &str, tries: u32| {
            let key = format!("{kind}-{round}");
            match kind {
                "one" => with_files(&key, 1, tries),
                "two" => with_files(&key, 2, tries),
                "callback" => with_json(
                    "forms/callback",
                    &key,
                    &json!({"phone": format!("+34 600 000 {round:03}")}),
                ),
                "newsletter" => {
                    let letter =
                        json!({"email": format!("ana{round}@example.com"), "letters": letters});
                    with_json("forms/newsletter", &key, &letter)
                }
                _ => with_json(
                    "leads",
                    &key,
                    &crate::leads_server::lead(&format!("good{round}-{tries}")),
                ),
            }
        };
        std::thread::scope(|scope| {
            for kind in ["one", "two", "callback", "newsletter", "lead"] {
                let (address, request) = (&address, &request);
                scope.spawn(move || send_until_confirmed(address, |tries| request(kind, tries)));
            }
            std::thread::sleep(Duration::from_millis(u64::from(round % 10) * 5));
            server.kill();
            server.run();
            server
                .address()
                .clone_into(&mut address.lock().expect("the address"));
        });
    }
    server.kill();
    let store = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    let count = |sql: &str| -> u32 { store.query_row(sql, [], |row| row.get(0)).expect("a count") };
    assert_eq!(count("SELECT count(*) FROM leads"), 5 * rounds);
    let whole = count(&format!(
        "SELECT count(*) FROM files WHERE length(bytes) = {}",
        file.len()
    ));
    assert_eq!(
        (count("SELECT count(*) FROM files"), whole),
        (3 * rounds, 3 * rounds)
    );
}

#[test]
fn a_field_for_files_is_checked_at_its_line() {
    let site = |field: &str| {
        let site = contact();
        site.edit(
            FORM,
            "captcha: false",
            &format!("  scan: {field}\ncaptcha: false"),
        );
        for file in [WORDS, "content/forms/contact/es.yaml"] {
            let text = std::fs::read_to_string(site.path(file)).expect("a file");
            site.write(
                file,
                text.replace("fields:\n", "fields:\n  scan: {label: Scan}\n"),
            );
        }
        site
    };
    let run = site("{type: file, accept: [application/pdf], most: 500 KB, list: true, max: 3}")
        .run(&["check", "--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for (field, hint) in [
        (
            "{type: file}",
            "add `accept: [image/jpeg, application/pdf]`",
        ),
        ("{type: file, accept: [pdf]}", "write `application/pdf`"),
        (
            "{type: file, accept: [image/jpg]}",
            "did you mean `image/jpeg`?",
        ),
        (
            "{type: file, accept: [application/pdf], most: 10}",
            "write `10 MB` or `500 KB`",
        ),
        (
            "{type: file, accept: [application/pdf], list: true}",
            "add `max: 3`",
        ),
        (
            "{type: file, accept: [application/pdf], list: true, max: many}",
            "write a number from 1 to 20",
        ),
        (
            "{type: file, accept: [application/pdf], most: 20 MB, list: true, max: 3}",
            "lower the `most`",
        ),
        (
            "{type: text, accept: [application/pdf]}",
            "remove the key, or change the field so that the key is allowed",
        ),
        (
            "{type: text, most: 10 MB}",
            "write a whole number, 1 or more",
        ),
    ] {
        let run = site(field).run(&["check"]);
        let problems = run.problems();
        let is_there = problems.iter().any(|problem| {
            problem.starts_with("form-declaration content/forms/contact/form.yaml:4:")
        });
        assert!(
            is_there && run.stderr.contains(hint),
            "{field}: {}",
            run.stderr
        );
    }
}

#[test]
fn the_document_of_the_api_has_files() {
    let server = served(&horizon(), &[]);
    let document = server.send("GET /api/openapi.json HTTP/1.1\r\n", "").json();
    let content = &document["paths"]["/api/forms/appointment"]["post"]["requestBody"]["content"];
    let file = &content["multipart/form-data"]["schema"]["properties"]["xray"];
    assert_eq!(
        file,
        &json!({"type": "array", "items": {"type": "string", "format": "binary"}})
    );
    let callback: &Value =
        &document["paths"]["/api/forms/callback"]["post"]["requestBody"]["content"];
    assert!(callback.get("multipart/form-data").is_none(), "{callback}");
}
