//! True responses of the API and of `sitegen leads`: fields that were dropped, deliveries, health, expiry, deletion.

use std::process::Command;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::cms_server::Reply;
use crate::leads_server::{LeadsServer, METRICS_TOKEN, lead, webhook, write};
use crate::site_test::{files_below, site_api_program, sitegen};
use crate::waiting::wait_for;

const HEALTH: &str = "GET /api/health HTTP/1.1\r\n";

/// Runs `sitegen leads …` in a shell without the variables of the API.
fn in_another_shell(server: &LeadsServer, arguments: &[&str]) -> String {
    let mut command = sitegen();
    let output = command
        .arg("leads")
        .args(arguments)
        .arg("--root")
        .arg(server.folder.path())
        .output();
    let output = output.expect("sitegen starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stderr).expect("UTF-8")
}

/// Whether a file of the store contains a text.
fn is_in_files(server: &LeadsServer, text: &str) -> bool {
    let files = files_below(server.folder.path());
    let mut of_store = files
        .iter()
        .filter(|(file, _)| file.contains("leads.sqlite"));
    of_store.any(|(_, bytes)| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

fn set_rule(server: &LeadsServer, rule: &str, value: &Value) {
    let site = std::fs::read(server.path("leads.json")).expect("the site");
    let mut site: Value = serde_json::from_slice(&site).expect("JSON");
    site["rules"][rule] = value.clone();
    write(&server.path("leads.json"), &site.to_string());
}

#[test]
fn a_field_that_would_be_dropped_is_refused_in_every_encoding() {
    let server = LeadsServer::start();
    for field in ["budget", "Name", "name ", "recaptcha_token", ""] {
        let mut sent = lead("good");
        sent[field] = "100".into();
        assert_eq!(server.post(&sent).code(), "400 bad_request", "{field}");
        let field = field.replace(' ', "+");
        let answered = server.form("", &format!("name=Ana&phone=12&{field}=100"));
        assert_eq!(answered.status, 400, "{field}");
        assert!(
            answered
                .body
                .contains("<p data-error>The request could not be read.</p>"),
            "{}",
            answered.body
        );
        assert!(
            answered.body.contains("value=\"Ana\""),
            "what was typed is kept: {}",
            answered.body
        );
    }
    assert_eq!(
        server.form("", "name=Ana&phone=12&name=Eva").status,
        400,
        "one of the two names would be lost"
    );
    let twice = "{\"name\":\"Ana\",\"name\":\"Eva\",\"phone\":\"12\",\"recaptchaToken\":\"good\"}";
    let json = "POST /api/leads HTTP/1.1\r\nContent-Type: application/json\r\n";
    assert_eq!(server.send(json, twice).code(), "400 bad_request");
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAna\r\n--x--\r\n";
    let head = "POST /api/leads HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n";
    assert_eq!(
        server.send(head, multipart).code(),
        "415 unsupported_media_type"
    );
    assert!(server.stored().is_empty());
    assert_eq!(
        server
            .form(
                "",
                "name=Ana&phone=12&lang=es&website=&elapsed=9000&appType="
            )
            .status,
        303
    );
}

#[test]
fn a_lead_that_is_released_in_another_shell_is_delivered() {
    let receiver = webhook(|_| Reply::status(200));
    let mut server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    let delivered = |id: &str| {
        let news = format!("{id}-webhook");
        wait_for("the notification", || {
            receiver
                .requests()
                .iter()
                .any(|request| request.headers["x-lead-delivery"] == news)
                .then_some(())
        });
    };
    let held = |server: &LeadsServer, name: &str| {
        assert_eq!(
            server.form("", &format!("name={name}&phone=12")).status,
            303
        );
        server.stored()[0]["id"].as_str().expect("an id").to_owned()
    };
    let first = held(&server, "first");
    assert_eq!(
        in_another_shell(&server, &["release", &first]),
        format!("{first} was released\n")
    );
    delivered(&first);

    // A store of an earlier version knows no channels, and lacks the delivery of a lead that was released before.
    let second = held(&server, "second");
    server.kill();
    let store = Connection::open(server.path("leads.sqlite3")).expect("the database");
    store
        .execute_batch("DELETE FROM facts; DELETE FROM deliveries")
        .expect("rows");
    drop(store);
    let words = in_another_shell(&server, &["release", &second]);
    assert_eq!(
        words,
        format!("{second} was released\nit will be forwarded the next time the API starts\n")
    );
    server.run();
    delivered(&second);
    let before = receiver.requests().len();
    assert_eq!(
        in_another_shell(&server, &["retry", &first]),
        "1 delivery will be retried\n"
    );
    wait_for("the notification again", || {
        (receiver.requests().len() > before).then_some(())
    });
    let third = held(&server, "third");
    assert_eq!(
        in_another_shell(&server, &["retry", &third]),
        "0 deliveries will be retried\n",
        "it is held"
    );
}

#[test]
fn an_api_without_channels_is_known_to_have_none() {
    let server = LeadsServer::start();
    assert_eq!(server.form("", "name=Ana&phone=12").status, 303);
    wait_for("the start", || {
        let store = Connection::open(server.path("leads.sqlite3")).expect("the database");
        store
            .query_row(
                "SELECT value FROM facts WHERE name = 'channels'",
                [],
                |_| Ok(()),
            )
            .ok()
    });
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    let words = in_another_shell(&server, &["release", &id]);
    assert!(words.contains("it won't be forwarded: neither"), "{words}");
}

/// A limit on the size of files simulates a full disk.
#[test]
fn health_fails_when_a_lead_does() {
    let mut server = LeadsServer::start();
    assert_eq!(server.send(HEALTH, "").status, 503, "there is no build");
    server.kill();
    let folder = crate::api_site::ApiSite::small();
    let environment = [(
        "SITE_ARTIFACT".to_owned(),
        folder.path().to_str().expect("a path").to_owned(),
    )];
    let start = |server: &mut LeadsServer, limit: &str| {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{limit} trap '' XFSZ; exec \"$0\"")])
            .arg(site_api_program());
        command
            .current_dir(server.folder.path())
            .envs(server.environment().iter().cloned())
            .envs(environment.clone());
        server.run_as(command);
    };
    start(&mut server, "");
    assert_eq!(server.send(HEALTH, "").status, 200);
    assert!(server.stored().is_empty(), "the check leaves nothing");
    server.kill();
    start(&mut server, "ulimit -f 400;");
    let mut refused = 0;
    for number in 0..200 {
        let mut long = lead(&format!("good{number}"));
        long["message"] = "x".repeat(9_000).into();
        let status = server.post(&long).status;
        if status == 503 {
            refused += 1;
            assert_eq!(
                server.send(HEALTH, "").status,
                503,
                "lead {number} was refused"
            );
        }
        if refused == 5 {
            break;
        }
    }
    assert_eq!(refused, 5, "the disk was never full");
    server.kill();
    start(&mut server, "");
    assert_eq!(server.send(HEALTH, "").status, 200);
}

#[test]
#[cfg(target_os = "linux")]
fn a_clock_that_jumps_ahead_deletes_no_leads() {
    const AHEAD: (&str, &str) = ("CLOCK_AHEAD", "69120000");
    let mut server = LeadsServer::start();
    set_rule(&server, "keep_days", &json!(30));
    for number in 0..3 {
        server.post(&lead(&format!("good{number}")));
    }
    server.kill();
    let mut command = Command::new(site_api_program());
    command
        .current_dir(server.folder.path())
        .envs(server.environment().iter().cloned());
    command
        .env("LD_PRELOAD", crate::publish_faults::library())
        .envs([AHEAD]);
    server.run_as(command);
    server.wait_for_log("\"leads_expired_but_kept\"");
    server.wait_for_log("sitegen leads expire --yes");
    let metrics = server
        .send(
            &format!("GET /api/metrics HTTP/1.1\r\nAuthorization: Bearer {METRICS_TOKEN}\r\n"),
            "",
        )
        .body;
    assert!(
        metrics.contains("\nsitegen_leads_expired_but_kept 3\n"),
        "{metrics}"
    );
    server.kill();
    assert_eq!(server.stored().len(), 3);
    let expire = |arguments: &[&str]| {
        let mut command = sitegen();
        command
            .args(["leads", "expire"])
            .args(arguments)
            .arg("--root")
            .arg(server.folder.path());
        command
            .env("LD_PRELOAD", crate::publish_faults::library())
            .envs([AHEAD]);
        let output = command.output().expect("sitegen starts");
        (
            output.status.code(),
            String::from_utf8(output.stderr).expect("UTF-8"),
        )
    };
    let words = "3 of 3 leads have expired; `--yes` deletes them\n";
    assert_eq!(expire(&[]), (Some(0), words.to_owned()));
    assert_eq!(server.stored().len(), 3);
    assert_eq!(
        expire(&["--days", "900", "--yes"]),
        (Some(0), "0 leads deleted\n".to_owned())
    );
    assert!(is_in_files(&server, "Ana Ruiz"));
    assert_eq!(
        expire(&["--yes"]),
        (Some(0), "3 leads deleted\n".to_owned())
    );
    assert!(
        !is_in_files(&server, "Ana Ruiz"),
        "the text of a lead that has expired is in a file"
    );
}

#[test]
fn leads_that_expire_leave_no_text() {
    let mut server = LeadsServer::start();
    for number in 0..30 {
        let mut sent = lead(&format!("good{number}"));
        sent["name"] = if number < 6 {
            "Early Lead"
        } else {
            "Late Lead"
        }
        .into();
        sent["message"] = "x".repeat(number * 97 % 700).into();
        server.post(&sent);
    }
    server.kill();
    let store = Connection::open(server.path("leads.sqlite3")).expect("the database");
    let early = "contents LIKE '%Early Lead%'";
    assert_eq!(
        store
            .execute(&format!("UPDATE leads SET at = 1 WHERE {early}"), [])
            .expect("rows"),
        6
    );
    drop(store);
    set_rule(&server, "keep_days", &json!(30));
    server.run();
    server.wait_for_log("\"leads_deleted\",\"count\":6");
    assert!(!is_in_files(&server, "Early Lead"));
    assert_eq!(server.stored().len(), 24);
}

#[test]
fn an_address_is_forgotten_in_all_its_spellings() {
    let server = LeadsServer::start();
    let spellings = [
        "jos\u{e9}@m\u{fc}nchen.example",
        "jose\u{301}@mu\u{308}nchen.example",
        "JOS\u{c9}@xn--mnchen-3ya.example",
        "jos\u{e9}@XN--MNCHEN-3YA.EXAMPLE",
    ];
    for (number, email) in ["jose@munchen.example", "other@m\u{fc}nchen.example"]
        .iter()
        .chain(&spellings)
        .enumerate()
    {
        let mut sent = lead(&format!("good{number}"));
        sent["email"] = (*email).into();
        assert_eq!(server.post(&sent).code(), "200 null", "{email}");
    }
    let (status, _, stderr) = server.leads(&["forget", spellings[1]]);
    assert_eq!((status, stderr.as_str()), (0, "4 leads deleted\n"));
    assert_eq!(server.stored().len(), 2);
    assert!(!spellings.iter().any(|email| is_in_files(&server, email)));
}

#[test]
fn a_lead_with_a_phone_only_is_deleted_by_it_and_any_lead_by_its_id() {
    let server = LeadsServer::start();
    for (number, email, phone) in [
        (1, "", "+34 600 11 22 33"),
        (2, "ana@example.com", "600112233"),
        (3, "", "+34 611 00 00 00"),
    ] {
        let mut sent = lead(&format!("good{number}"));
        (sent["email"], sent["phone"]) = (email.into(), phone.into());
        assert_eq!(server.post(&sent).code(), "200 null", "{phone}");
    }
    let (status, _, stderr) = server.leads(&["forget", "0034 600112233"]);
    assert_eq!((status, stderr.as_str()), (0, "1 lead deleted\n"));
    let ids: Vec<String> = server
        .stored()
        .iter()
        .map(|lead| lead["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(ids.len(), 2);
    let (status, _, stderr) = server.leads(&["delete", &ids[0], &ids[1].to_lowercase()]);
    assert_eq!((status, stderr.as_str()), (0, "2 leads deleted\n"));
    assert!(server.stored().is_empty() && !is_in_files(&server, "ana@example.com"));
    let (status, _, stderr) = server.leads(&["delete", "01NOBODY"]);
    assert!(
        status == 2 && stderr.contains("there is no lead with the id `01NOBODY`"),
        "{status} {stderr}"
    );
}

#[test]
fn a_reader_that_keeps_deleted_text_is_reported() {
    let server = LeadsServer::start();
    let mut sent = lead("good1");
    sent["name"] = "Somebody".into();
    server.post(&sent);
    let reader = Connection::open(server.path("leads.sqlite3")).expect("the database");
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM leads")
        .expect("a transaction");
    let (status, _, stderr) = server.leads(&["forget", "ana@example.com"]);
    let words = "1 lead deleted, but the store's files still contain deleted text: another program is reading the database";
    assert!(status == 3 && stderr.contains(words), "{status} {stderr}");
    assert!(stderr.contains("run the command again"), "{stderr}");
    assert!(is_in_files(&server, "Somebody"));
    drop(reader);
    let (status, _, stderr) = server.leads(&["forget", "ana@example.com"]);
    assert!(
        status == 0 && stderr.starts_with("0 leads deleted\nno lead has this email address"),
        "{status} {stderr}"
    );
    assert!(!is_in_files(&server, "Somebody"));
}

#[test]
fn leads_are_exported_raw_or_for_spreadsheets() {
    let server = LeadsServer::start();
    let mut sent = lead("good1");
    sent["name"] = "hello;=1+1".into();
    sent["message"] = "one\n=2".into();
    server.post(&sent);
    let (_, csv, _) = server.leads(&["export", "--csv"]);
    assert!(
        csv.contains("\"hello;'=1+1\"") && csv.contains("\"one\n'=2\""),
        "{csv}"
    );
    let (_, raw, _) = server.leads(&["export", "--format", "json"]);
    let raw: Value = serde_json::from_str(&raw).expect("JSON");
    assert_eq!(
        (&raw[0]["name"], &raw[0]["message"]),
        (&json!("hello;=1+1"), &json!("one\n=2"))
    );
    let (status, _, _) = server.leads(&["export", "--csv", "--format", "json"]);
    assert_eq!(status, 2);
}

/// A build that opens a database of the same process drops its locks, and publishes the leads.
#[test]
fn a_store_in_a_folder_that_is_published_is_refused() {
    let site = crate::site_test::SiteTest::small();
    for store in [
        "static/leads.sqlite3",
        "content/leads.sqlite3",
        "dist/leads.sqlite3",
    ] {
        let mut command = site.command(&["serve", "--port", "0", "--leads-from-environment"]);
        let output = command
            .env("LEADS_STORE", store)
            .output()
            .expect("sitegen starts");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success()
                && words.contains("is in a folder that the build reads or publishes"),
            "{store}: {words}"
        );
    }
}

#[test]
fn a_person_is_found_and_what_they_sent_is_exported() {
    let server = LeadsServer::start();
    for (number, (name, email, phone, message)) in [
        ("Ana Ruiz", "ana@example.com", "", "the first"),
        ("A. R.", "ANA@Example.com", "", "the second"),
        ("Eva", "eva@example.com", "", "Please write to Ana Ruiz"),
        ("Bo", "", "+34 600 11 22 33", "call me"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut sent = lead(&format!("good{number}"));
        for (key, value) in [
            ("name", name),
            ("email", email),
            ("phone", phone),
            ("message", message),
        ] {
            sent[key] = value.into();
        }
        assert_eq!(server.post(&sent).status, 200);
    }
    let count = |arguments: &[&str]| {
        let (status, stdout, stderr) = server.leads(arguments);
        assert_eq!(status, 0, "{stderr}");
        stdout.lines().count()
    };
    assert_eq!(count(&["list", "--person", "ana@example.com"]), 2);
    assert_eq!(count(&["list", "--person", "0034600112233"]), 1);
    assert_eq!(
        count(&["list", "--text", "ana ruiz"]),
        2,
        "by what somebody else has written"
    );
    assert_eq!(count(&["export", "--person", "ana@EXAMPLE.com"]), 2);
    let (_, csv, _) = server.leads(&["export", "--csv", "--person", "ana@example.com"]);
    assert!(
        csv.contains("the first") && csv.contains("the second") && !csv.contains("eva@"),
        "{csv}"
    );
    let (status, stdout, stderr) = server.leads(&["export", "--person", "nobody@example.com"]);
    assert_eq!((status, stdout.as_str()), (0, ""));
    assert_eq!(stderr, "no lead has this email address or phone number\n");
    let (status, _, stderr) = server.leads(&["list", "--person", "Ana"]);
    assert!(
        status != 0 && stderr.contains("neither an email address nor a phone number"),
        "{stderr}"
    );
    assert!(
        stderr.contains("`sitegen leads list --text TEXT`"),
        "{stderr}"
    );
}

/// An operator hears of it at once, and not from each page.
#[test]
fn an_inbox_does_not_start_with_a_store_that_it_cannot_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("leads.sqlite3");
    let serve = || {
        let mut command = crate::site_test::sitegen();
        command
            .args(["leads", "serve", "--port", "0", "--root"])
            .arg(folder.path())
            .env_remove("LEADS_STORE");
        let output = command.output().expect("sitegen starts");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    std::fs::write(
        &store,
        "this is no database, but a text that is long enough to be one ".repeat(40),
    )
    .expect("a file");
    let (status, stderr) = serve();
    assert!(
        status == Some(3) && stderr.contains("database"),
        "{status:?} {stderr}"
    );
    std::fs::remove_file(&store).expect("no file");
    let newer = rusqlite::Connection::open(&store).expect("a database");
    newer
        .execute_batch("PRAGMA user_version = 99")
        .expect("a version");
    drop(newer);
    let (status, stderr) = serve();
    assert!(
        status == Some(3) && stderr.contains("format version 99"),
        "{status:?} {stderr}"
    );
    std::fs::remove_file(&store).expect("no file");
    std::fs::create_dir(&store).expect("a folder in its place");
    assert_eq!(serve().0, Some(3));
}
