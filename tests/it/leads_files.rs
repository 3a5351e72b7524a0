//! The files of the leads while other programs read, copy, move, delete or replace them: what is confirmed is stored.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::api_site::ApiSite;
use crate::leads_server::{LeadsServer, lead};

const STORE: &str = "leads.sqlite3";

/// A server that is healthy while leads can be stored.
fn healthy() -> (ApiSite, LeadsServer) {
    let site = ApiSite::small();
    let server = LeadsServer::with(&[("SITE_ARTIFACT", site.path().to_str().expect("a path"))]);
    assert_eq!(health(&server), 200);
    (site, server)
}

fn health(server: &LeadsServer) -> u16 {
    server.send("GET /api/health HTTP/1.1\r\n", "").status
}

fn named(name: &str) -> serde_json::Value {
    let mut sent = lead(&format!("good {name}"));
    sent["name"] = name.into();
    sent
}

fn post(server: &LeadsServer, name: &str) -> u16 {
    server
        .post_with(
            &format!("Idempotency-Key: {}\r\n", name.replace(' ', "-")),
            &named(name),
        )
        .status
}

/// Posts a lead until it is confirmed. Returns the number of refusals.
fn confirm(server: &LeadsServer, name: &str) -> usize {
    let start = Instant::now();
    for refused in 0.. {
        // A refused lead has used up its captcha.
        let mut sent = named(name);
        sent["recaptchaToken"] = format!("good {name} {refused}").into();
        let answered = server.post_with(
            &format!("Idempotency-Key: {}\r\n", name.replace(' ', "-")),
            &sent,
        );
        match answered.status {
            200 => return refused,
            503 => {}
            _ => panic!("{answered:?}"),
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "no lead is taken: {}",
            server.log()
        );
    }
    unreachable!("the loop has no end")
}

/// The names of the leads in a file, newest first. An error if it is damaged.
fn names_in(path: &Path) -> Vec<String> {
    let db = Connection::open(path).expect("a database");
    let found: String = db
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("a check");
    assert_eq!(found, "ok", "{}", path.display());
    let mut read = db
        .prepare("SELECT contents FROM leads ORDER BY id DESC")
        .expect("a table");
    let rows = read
        .query_map([], |row| row.get::<_, String>(0))
        .expect("leads");
    rows.map(|text| {
        let contents: serde_json::Value =
            serde_json::from_str(&text.expect("a text")).expect("JSON");
        contents["name"].as_str().expect("a name").to_owned()
    })
    .collect()
}

fn stored(server: &LeadsServer) -> Vec<String> {
    server
        .stored()
        .iter()
        .map(|lead| lead["name"].as_str().expect("a name").to_owned())
        .collect()
}

/// The server once removed its locks by opening the file itself, so a program that read it deleted the log.
#[test]
fn a_lead_after_a_foreign_backup_survives_a_kill() {
    let mut server = LeadsServer::start();
    assert_eq!(post(&server, "before"), 200);
    for number in 0..3 {
        let other = Connection::open(server.path(STORE)).expect("the database");
        let copy = server.path(&format!("copy{number}"));
        other
            .execute("VACUUM INTO ?1", [copy.to_str().expect("a path")])
            .expect("a copy");
        drop(other);
        assert!(
            server.path("leads.sqlite3-wal").exists(),
            "the log was deleted while the server runs"
        );
        assert_eq!(post(&server, &format!("after {number}")), 200);
    }
    server.kill();
    assert_eq!(
        names_in(&server.path(STORE)),
        ["after 2", "after 1", "after 0", "before"]
    );
}

#[test]
fn the_store_is_readable_by_its_owner_only() {
    let server = LeadsServer::start();
    assert_eq!(post(&server, "one"), 200);
    assert_eq!(
        server
            .leads(&["backup", server.path("copy").to_str().expect("a path")])
            .0,
        0
    );
    for file in [STORE, "leads.sqlite3-wal", "leads.sqlite3-shm", "copy"] {
        let mode = std::fs::metadata(server.path(file))
            .expect("the file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    // A copy that was put in its place, as `cp` and other programs make it.
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("leads.sqlite3");
    std::fs::copy(server.path("copy"), &copy).expect("a copy");
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(&copy, open).expect("a mode");
    let server = LeadsServer::with(&[("LEADS_STORE", copy.to_str().expect("UTF-8"))]);
    assert_eq!(post(&server, "two"), 200);
    for file in ["leads.sqlite3", "leads.sqlite3-wal", "leads.sqlite3-shm"] {
        let file = std::fs::metadata(folder.path().join(file)).expect("the file");
        assert_eq!(file.permissions().mode() & 0o777, 0o600, "{file:?}");
    }
}

#[test]
fn a_backup_while_leads_arrive_has_all_that_were_confirmed_before() {
    let mut server = LeadsServer::start();
    assert_eq!(post(&server, "first"), 200);
    let (stop, next, confirmed) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        Mutex::new(Vec::new()),
    );
    let copy = server.path("copies/leads copy's.sqlite3");
    std::fs::create_dir(server.path("copies")).expect("a folder");
    let to = copy.to_str().expect("a path");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let name = format!("lead {}", next.fetch_add(1, Ordering::Relaxed));
                    assert_eq!(post(&server, &name), 200);
                    confirmed.lock().expect("the list").push(name);
                }
            });
        }
        for round in 0..4 {
            while confirmed.lock().expect("the list").len() < round * 20 {
                std::thread::yield_now();
            }
            let before = confirmed.lock().expect("the list").clone();
            let (status, _, stderr) = server.leads(&["backup", to, "--force"]);
            assert!(status == 0 && stderr.contains(" copied to "), "{stderr}");
            let copied = names_in(&copy);
            assert!(
                before.iter().all(|name| copied.contains(name)),
                "the copy lacks leads"
            );
            assert!(
                stderr.starts_with(&format!("{} lead", copied.len())),
                "{stderr}"
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
    let files = |folder: &str| {
        std::fs::read_dir(server.path(folder))
            .expect("the folder")
            .count()
    };
    assert_eq!(files("copies"), 1, "something is left beside the copy");
    let refused = |arguments: &[&str], words: &str| {
        let (status, _, stderr) = server.leads(&[&["backup"], arguments].concat());
        assert!(
            status == 3 && stderr.contains(words),
            "{arguments:?}: {status} {stderr}"
        );
    };
    let before = names_in(&copy);
    refused(
        &[to],
        "exists; name a different file, or replace this one with `--force`",
    );
    for own in [
        STORE,
        "leads.sqlite3-wal",
        "copies/../leads.sqlite3",
        "copies/../leads.sqlite3-journal",
    ] {
        refused(
            &[server.path(own).to_str().expect("a path"), "--force"],
            "is the store itself",
        );
    }
    refused(
        &[server.path("copies").to_str().expect("a path"), "--force"],
        "is a folder",
    );
    refused(
        &[server.path("nowhere/copy").to_str().expect("a path")],
        "could not be written",
    );
    std::fs::write(server.path("copies/leads copy's.sqlite3-wal"), "of another").expect("a file");
    refused(&[to, "--force"], "belongs to another database");
    std::fs::remove_file(server.path("copies/leads copy's.sqlite3-wal")).expect("the file");
    assert_eq!(
        names_in(&copy),
        before,
        "a backup that was refused changed the copy"
    );

    // A copy is a store: it takes leads when it is put in its place.
    server.kill();
    for file in [STORE, "leads.sqlite3-wal", "leads.sqlite3-shm"] {
        let _ = std::fs::remove_file(server.path(file));
    }
    std::fs::copy(&copy, server.path(STORE)).expect("a copy");
    server.run();
    assert_eq!(post(&server, "after"), 200);
    assert_eq!(stored(&server).len(), before.len() + 1);
}

#[test]
fn a_deleted_log_loses_no_lead() {
    let mut server = LeadsServer::start();
    for number in 0..5 {
        assert_eq!(post(&server, &format!("before {number}")), 200);
    }
    std::fs::remove_file(server.path("leads.sqlite3-wal")).expect("the log");
    confirm(&server, "after");
    server.kill();
    let names = names_in(&server.path(STORE));
    for name in [
        "before 0", "before 1", "before 2", "before 3", "before 4", "after",
    ] {
        assert!(
            names.iter().any(|stored| stored == name),
            "{name} is lost: {names:?}"
        );
    }
}

/// Nobody sends a lead after the log was deleted.
#[test]
fn an_idle_server_saves_what_a_deleted_log_holds() {
    let mut server = LeadsServer::start();
    assert_eq!(post(&server, "one"), 200);
    std::fs::remove_file(server.path("leads.sqlite3-wal")).expect("the log");
    let start = Instant::now();
    let is_saved = || {
        let bytes = std::fs::read(server.path(STORE)).expect("the database");
        bytes
            .windows(b"\"name\":\"one\"".len())
            .any(|part| part == b"\"name\":\"one\"")
    };
    while !is_saved() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{}",
            server.log()
        );
        std::thread::yield_now();
    }
    server.kill();
    assert_eq!(names_in(&server.path(STORE)), ["one"]);
}

#[test]
fn a_database_that_was_moved_or_replaced_takes_no_lead_that_is_lost() {
    for replace in [false, true] {
        let mut server = LeadsServer::start();
        assert_eq!(post(&server, "before"), 200);
        let copy = server.path("copy");
        assert_eq!(
            server.leads(&["backup", copy.to_str().expect("a path")]).0,
            0
        );
        assert_eq!(post(&server, "late"), 200);
        std::fs::rename(server.path(STORE), server.path("moved")).expect("the database");
        if replace {
            std::fs::rename(&copy, server.path(STORE)).expect("a copy");
        }
        confirm(&server, "after");
        server.kill();
        let now = names_in(&server.path(STORE));
        assert_eq!(
            now,
            if replace {
                vec!["after", "before"]
            } else {
                vec!["after"]
            }
        );
        assert_eq!(
            names_in(&server.path("moved")),
            ["late", "before"],
            "they were confirmed"
        );
    }
}

/// A reader keeps the log from being emptied, so it still belongs to the database that was moved.
#[test]
fn a_log_is_not_applied_to_another_database() {
    let mut server = LeadsServer::start();
    let copy = server.path("copy");
    assert_eq!(post(&server, "before"), 200);
    assert_eq!(
        server.leads(&["backup", copy.to_str().expect("a path")]).0,
        0
    );
    let reader = Connection::open(server.path(STORE)).expect("the database");
    reader
        .execute_batch("BEGIN; SELECT count(*) FROM leads")
        .expect("a transaction");
    for number in 0..5 {
        assert_eq!(post(&server, &format!("late {number}")), 200);
    }
    std::fs::rename(server.path(STORE), server.path("moved")).expect("the database");
    std::fs::rename(&copy, server.path(STORE)).expect("a copy");
    assert_eq!(post(&server, "after"), 503);
    drop(reader);
    confirm(&server, "after");
    server.kill();
    assert_eq!(names_in(&server.path(STORE)), ["after", "before"]);
    assert_eq!(
        names_in(&server.path("moved")).len(),
        6,
        "they were confirmed"
    );
}

#[test]
fn a_database_that_was_overwritten_is_checked_before_it_takes_a_lead() {
    let (_site, mut server) = healthy();
    for number in 0..40 {
        assert_eq!(post(&server, &format!("before {number}")), 200);
    }
    // Its contents are in the database, and not in the log.
    assert_eq!(server.leads(&["forget", "nobody@example.com"]).0, 0);
    let bytes = std::fs::read(server.path(STORE)).expect("the database");
    std::fs::write(server.path(STORE), vec![7; bytes.len()]).expect("the database");
    assert_eq!(post(&server, "after"), 503);
    assert_eq!(health(&server), 503);
    server.kill();
    std::fs::write(server.path(STORE), bytes).expect("the database");
    for file in ["leads.sqlite3-wal", "leads.sqlite3-shm"] {
        let _ = std::fs::remove_file(server.path(file));
    }
    server.run();
    assert_eq!(confirm(&server, "after"), 0);
    assert_eq!(stored(&server).len(), 41);
}

#[test]
fn a_damaged_database_is_refused_at_the_start_with_what_to_do() {
    let (_site, mut server) = healthy();
    for number in 0..40 {
        assert_eq!(post(&server, &format!("before {number}")), 200);
    }
    let copy = server.path("copy");
    assert_eq!(
        server.leads(&["backup", copy.to_str().expect("a path")]).0,
        0
    );
    // Empties the log.
    assert_eq!(server.leads(&["forget", "nobody@example.com"]).0, 0);
    server.kill();
    let mut bytes = std::fs::read(server.path(STORE)).expect("the database");
    // A page of leads, so that the database still opens.
    let lead = b"\"name\":\"before 7\"";
    let at = bytes
        .windows(lead.len())
        .position(|part| part == lead)
        .expect("a lead")
        / 4096
        * 4096;
    assert_ne!(at, 0);
    bytes[at..at + 64].fill(0xA5);
    std::fs::write(server.path(STORE), &bytes).expect("the database");
    server.run();
    assert_eq!(health(&server), 503);
    assert_eq!(post(&server, "after"), 503);
    server.wait_for_log("sitegen leads backup");
    let (status, _, stderr) = server.leads(&["forget", "nobody@example.com"]);
    assert!(
        status == 3 && stderr.contains("the database is damaged; stop the API"),
        "{status} {stderr}"
    );
    assert_eq!(
        server.leads(&["backup", &format!("{}2", copy.display())]).0,
        3,
        "a damaged store is not copied"
    );
    assert_eq!(
        std::fs::read(server.path(STORE)).expect("the database"),
        bytes
    );
    std::fs::rename(&copy, server.path(STORE)).expect("the copy");
    assert_eq!(confirm(&server, "after"), 0);
    assert_eq!(stored(&server).len(), 41);
}

/// Under its second name, the database would have a second log.
#[test]
fn a_database_with_two_names_takes_no_leads() {
    let (_site, mut server) = healthy();
    assert_eq!(post(&server, "one"), 200);
    std::fs::hard_link(server.path(STORE), server.path("second")).expect("a link");
    assert_eq!(post(&server, "two"), 503);
    let (status, _, stderr) = server.leads(&[
        "list",
        "--store",
        server.path("second").to_str().expect("a path"),
    ]);
    assert!(status == 3 && stderr.contains("second name"), "{stderr}");
    assert_eq!(health(&server), 503);
    std::fs::remove_file(server.path("second")).expect("the link");
    confirm(&server, "two");
    server.kill();
    assert_eq!(names_in(&server.path(STORE)), ["two", "one"]);
}

/// SQLite puts the log beside the file that a symbolic link leads to.
#[test]
fn a_store_may_be_a_symbolic_link() {
    let mut server = LeadsServer::start();
    server.kill();
    for file in [STORE, "leads.sqlite3-wal", "leads.sqlite3-shm"] {
        let _ = std::fs::remove_file(server.path(file));
    }
    std::fs::create_dir(server.path("disk")).expect("a folder");
    std::os::unix::fs::symlink("disk/real.sqlite3", server.path(STORE)).expect("a link");
    server.run();
    assert_eq!(post(&server, "one"), 200);
    let mode = std::fs::metadata(server.path("disk/real.sqlite3"))
        .expect("the file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    std::fs::remove_file(server.path("disk/real.sqlite3-wal")).expect("the log");
    confirm(&server, "two");
    server.kill();
    assert_eq!(names_in(&server.path("disk/real.sqlite3")), ["two", "one"]);
}
