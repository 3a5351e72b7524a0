//! A store that an earlier program has written is rewritten by the first one that opens it, with nothing lost. DynamoDB has the
//! same test in `tests/leads/earlier.test.mjs`.

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::leads_server::{LeadsServer, lead_site, write};
use crate::site_test::{repository, sitegen};
use crate::waiting::wait_for;

/// A store as an earlier program has written it, with so many copies of its leads.
fn earlier_store(file: &Path, copies: u32) -> Connection {
    let sql =
        std::fs::read_to_string(repository().join("tests/leads/earlier.sql")).expect("the store");
    let store = Connection::open(file).expect("a database");
    store
        .execute_batch("PRAGMA journal_mode = WAL")
        .expect("a log");
    store.execute_batch(&sql).expect("the rows");
    let copy = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
                INSERT INTO leads SELECT id || '-' || n, at, locale, status, reason, email, contents, NULL, fingerprint, form, is_read
                FROM leads, n WHERE ?1 > 0";
    store.execute(copy, [copies]).expect("copies");
    store
}

/// The leads of an earlier program as exports have them, oldest first.
fn exported(store: &Connection) -> Vec<Value> {
    let mut rows = store
        .prepare("SELECT id, at, locale, status, reason, contents FROM leads ORDER BY id")
        .expect("rows");
    let lead = |row: &rusqlite::Row| {
        let mut lead = json!({
            "id": row.get::<_, String>(0)?, "at": row.get::<_, i64>(1)?, "locale": row.get::<_, String>(2)?,
            "status": row.get::<_, String>(3)?, "reason": row.get::<_, Option<String>>(4)?,
        });
        let contents: Value = serde_json::from_str(&row.get::<_, String>(5)?).expect("JSON");
        lead.as_object_mut()
            .expect("an object")
            .extend(contents.as_object().expect("an object").clone());
        Ok(lead)
    };
    rows.query_map([], lead)
        .expect("rows")
        .collect::<Result<_, _>>()
        .expect("leads")
}

/// What `sitegen leads export` prints, without the times that it adds.
fn export(folder: &Path) -> Result<Vec<Value>, String> {
    let mut command = sitegen();
    command
        .args(["leads", "export", "--format", "json", "--root"])
        .arg(folder)
        .env_remove("LEADS_STORE");
    let output = command.output().expect("sitegen starts");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut leads: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    for lead in &mut leads {
        lead.as_object_mut().expect("an object").remove("received");
    }
    Ok(leads)
}

fn version(file: &Path) -> u32 {
    let store = Connection::open(file).expect("the database");
    store
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .expect("a version")
}

#[test]
fn a_store_of_an_earlier_program_loses_nothing() {
    let mut server = LeadsServer::start();
    server.kill();
    for name in ["leads.sqlite3", "leads.sqlite3-wal", "leads.sqlite3-shm"] {
        // The log and its index are gone after a good end.
        let _ = std::fs::remove_file(server.path(name));
    }
    let mut site = lead_site();
    site["forms"] = json!([{"name": "visit", "version": "8", "captcha": false, "fields": [], "languages": {}, "keep_days": 1}]);
    write(&server.path("leads.json"), &site.to_string());
    let expect = exported(&earlier_store(&server.path("leads.sqlite3"), 0));
    assert_eq!(expect.len(), 7);
    server.run();
    assert_eq!(server.stored().len(), 7);
    assert_eq!(export(server.folder.path()).expect("leads"), expect);

    // The same lead with the same key is the same lead, whichever program has stored it.
    let sent = [
        "name",
        "email",
        "company",
        "phone",
        "projectType",
        "message",
        "appName",
        "appType",
        "appDescription",
    ];
    let mut again: Value = sent
        .iter()
        .map(|name| ((*name).to_owned(), expect[0][name].clone()))
        .collect();
    again["recaptchaToken"] = "good".into();
    let key = "Idempotency-Key: k1\r\n";
    assert_eq!(server.post_with(key, &again).code(), "200 null");
    again["name"] = "Eva".into();
    assert_eq!(server.post_with(key, &again).code(), "409 key_conflict");
    assert_eq!(server.stored().len(), 7);

    // Lists, searches and exports find what was there.
    let count = |arguments: &[&str]| server.leads(arguments).1.lines().count();
    for (arguments, expect) in [
        (&["list", "--form", "visit"][..], 3),
        (&["list", "--text", "cosecha \"quoted\""], 2),
        (&["list", "--text", "evening"], 1),
        (&["list", "--person", "ANA@example.com"], 1),
        (&["list", "--person", "0034 600 11 22 33"], 1),
        (&["list", "--status", "spam"], 1),
    ] {
        assert_eq!(count(arguments), expect, "{arguments:?}");
    }
    let (_, csv, _) = server.leads(&["export", "--csv"]);
    assert!(
        csv.contains("\"Cosecha\"")
            && csv.contains("\"morning, evening\"")
            && csv.contains("\"I agree.\""),
        "{csv}"
    );
    let files = server.path("files");
    assert_eq!(
        server
            .leads(&["export", "--files", files.to_str().expect("a path")])
            .0,
        0
    );
    assert_eq!(crate::site_test::files_below(&files).len(), 1);
    let held = expect
        .iter()
        .find(|lead| lead["status"] == "quarantined")
        .expect("a lead on hold");
    assert_eq!(
        server
            .leads(&["release", held["id"].as_str().expect("an id")])
            .0,
        0
    );
    let (status, words, _) = server.leads(&["expire", "--yes"]);
    assert_eq!(
        (status, server.stored().len()),
        (0, 4),
        "each form has its days: {words}"
    );
    assert_eq!(
        server.leads(&["forget", "ana@example.com"]).2,
        "1 lead deleted\n"
    );
}

#[test]
fn programs_that_start_together_rewrite_a_store_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("leads.sqlite3");
    let expect = exported(&earlier_store(&file, 200));
    let exports = std::thread::scope(|scope| {
        let running: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| export(folder.path())))
            .collect();
        running
            .into_iter()
            .map(|one| one.join().expect("an export"))
            .collect::<Vec<_>>()
    });
    for leads in exports {
        assert!(leads.expect("leads") == expect, "a lead has changed");
    }
    assert_eq!(version(&file), 5);
}

/// A kill while the rows are rewritten leaves the store as it was, or as it is to be.
#[test]
fn a_store_whose_rewriting_was_killed_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("leads.sqlite3");
    let expect = exported(&earlier_store(&file, 3_000));
    let log = folder.path().join("leads.sqlite3-wal");
    let mut interrupted = 0;
    for pages in [1, 100, 1_000, 3_000] {
        let mut command = sitegen();
        command
            .args(["leads", "list", "--root"])
            .arg(folder.path())
            .env_remove("LEADS_STORE");
        let mut child = command
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("sitegen starts");
        wait_for("the log grows", || {
            let size = std::fs::metadata(&log).map_or(0, |log| log.len());
            (size > pages * 4_096 || child.try_wait().expect("a state").is_some()).then_some(())
        });
        let _ = child.kill();
        let _ = child.wait();
        interrupted += u32::from(version(&file) == 4);
    }
    assert!(interrupted > 0, "no kill came early enough");
    assert!(
        export(folder.path()).expect("leads") == expect,
        "a lead has changed"
    );
    assert_eq!(version(&file), 5);
}
