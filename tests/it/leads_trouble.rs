//! Leads while the disk is full, the database is locked or damaged, or the process is killed.

use std::collections::HashSet;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::cms_server::Reply;
use crate::leads_server::{LeadsServer, lead, request, webhook};
use crate::site_test::site_api_program;

const JSON: &str = "POST /api/leads HTTP/1.1\r\nContent-Type: application/json\r\n";

fn refused(server: &LeadsServer, token: &str) {
    let mut sent = lead(token);
    sent["message"] = "x".repeat(9_000).into();
    let answered = server.post(&sent);
    assert_eq!(answered.code(), "503 unavailable");
    assert!(answered.head.contains("retry-after: 5"), "{answered:?}");
    assert!(
        answered.json()["error"]
            .as_str()
            .is_some_and(|words| words.contains("try again")),
        "{answered:?}"
    );
}

#[test]
fn a_locked_database_rejects_leads_after_a_timeout() {
    let server = LeadsServer::start();
    server.post(&lead("good1"));
    let other = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    other.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    refused(&server, "good2");
    other.execute_batch("ROLLBACK").expect("the end of it");
    assert_eq!(
        server.post(&lead("good2")).code(),
        "200 null",
        "its captcha token is still valid"
    );
    server.wait_for_log("the database is locked by another program");
}

#[test]
fn a_damaged_database_is_never_overwritten() {
    let mut server = LeadsServer::start();
    server.post(&lead("good1"));
    server.kill();
    for file in ["leads.sqlite3-wal", "leads.sqlite3-shm"] {
        let _ = std::fs::remove_file(server.path(file));
    }
    let garbage = b"this was a database, and is not!".repeat(400);
    std::fs::write(server.path("leads.sqlite3"), &garbage).expect("a file");
    server.run();
    refused(&server, "good2");
    assert_eq!(
        std::fs::read(server.path("leads.sqlite3")).expect("the file"),
        garbage
    );
    std::fs::remove_file(server.path("leads.sqlite3")).expect("the damaged file");
    assert_eq!(server.post(&lead("good2")).code(), "200 null");
}

#[test]
fn a_store_that_cannot_be_opened_confirms_no_lead() {
    let place = tempfile::tempdir().expect("a folder");
    let store = place.path().join("leads.sqlite3");
    let server = LeadsServer::with(&[("LEADS_STORE", store.to_str().expect("UTF-8"))]);
    for beside in ["", "-wal", "-shm"] {
        // Those that are not there yet need not go.
        let _ = std::fs::remove_file(format!("{}{beside}", store.display()));
    }
    std::fs::create_dir(&store).expect("a folder in the place of the file");
    refused(&server, "good1");
    let health = server.send("GET /api/health HTTP/1.1\r\n", "");
    assert_eq!(health.status, 503);
    std::fs::remove_dir(&store).expect("no folder");
    assert_eq!(server.post(&lead("good1")).code(), "200 null");
}

#[test]
fn the_database_of_another_program_is_unchanged() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().expect("a folder");
    let store = place.path().join("shop.db");
    let shop = rusqlite::Connection::open(&store).expect("a database");
    shop.execute_batch("CREATE TABLE orders (a); CREATE TABLE leads (id, at, name)")
        .expect("tables");
    drop(shop);
    std::fs::set_permissions(&store, std::fs::Permissions::from_mode(0o664)).expect("a mode");
    let seen = || {
        let mode = std::fs::metadata(&store)
            .expect("the file")
            .permissions()
            .mode()
            & 0o777;
        (mode, std::fs::read(&store).expect("the file"))
    };
    let before = seen();
    let server = LeadsServer::with(&[("LEADS_STORE", store.to_str().expect("UTF-8"))]);
    refused(&server, "good1");
    server.wait_for_log("it is the database of another program");
    let list = ["list", "--store", store.to_str().expect("UTF-8")];
    let (status, _, stderr) = server.leads(&list);
    assert!(
        status == 3 && stderr.contains("another program"),
        "{status} {stderr}"
    );
    assert!(seen() == before, "the file has changed");
    assert_eq!(
        std::fs::read_dir(place.path()).expect("the folder").count(),
        1
    );
}

/// The database was migrated by a newer program, and an older one was installed again.
#[test]
fn a_database_of_a_newer_version_is_unchanged() {
    let mut server = LeadsServer::start();
    assert_eq!(server.post(&lead("good1")).code(), "200 null");
    server.kill();
    let path = server.path("leads.sqlite3");
    let version = |set: &str| {
        let database = rusqlite::Connection::open(&path).expect("the database");
        database.execute_batch(set).expect("a version");
        database
            .query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0))
            .expect("a version")
    };
    let own = version("");
    version("PRAGMA user_version = 99");
    server.run();
    refused(&server, "good2");
    assert_eq!(server.send("GET /api/health HTTP/1.1\r\n", "").status, 503);
    let why = format!("the database has format version 99, but this program reads version {own}");
    server.wait_for_log(&why);
    let (status, _, stderr) = server.leads(&["list"]);
    assert!(status == 3 && stderr.contains(&why), "{status} {stderr}");
    assert_eq!(version(""), 99);
    version(&format!("PRAGMA user_version = {own}"));
    assert_eq!(
        server.post(&lead("good2")).code(),
        "200 null",
        "its captcha token is still valid"
    );
    assert_eq!(server.stored().len(), 2);
}

/// Root can write to any file, so as root the test runs the program as `nobody`.
#[cfg(unix)]
#[test]
fn a_read_only_database_confirms_no_lead() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65_534;

    let mut server = LeadsServer::start();
    assert_eq!(server.post(&lead("good1")).code(), "200 null");
    server.kill();
    let folder = server.folder.path().to_owned();
    let is_root = metadata(&folder).expect("the folder").uid() == 0;
    let mut command = if is_root {
        // Other users may not have access to the build folder.
        let program = folder.join("site-api");
        std::fs::copy(site_api_program(), &program).expect("the program");
        let mut command = Command::new(program);
        command.uid(NOBODY).gid(NOBODY);
        command
    } else {
        Command::new(site_api_program())
    };
    let allow = |file: u32, own: u32| {
        for file_of_it in ["leads.sqlite3", "leads.sqlite3-wal", "leads.sqlite3-shm"]
            .map(|name| folder.join(name))
        {
            if file_of_it.exists() {
                set_permissions(&file_of_it, Permissions::from_mode(file)).expect("the file");
            }
        }
        set_permissions(&folder, Permissions::from_mode(own)).expect("the folder");
    };
    allow(0o444, 0o555);
    command
        .current_dir(&folder)
        .envs(server.environment().iter().cloned());
    server.run_as(command);
    refused(&server, "good2");
    assert_eq!(server.send("GET /api/health HTTP/1.1\r\n", "").status, 503);
    server.wait_for_log("the database ");
    allow(0o666, 0o777);
    let taken = server.post(&lead("good2"));
    assert_eq!(
        taken.code(),
        "200 null",
        "its captcha token is still valid: {}",
        server.log()
    );
    server.kill();
    assert_eq!(server.stored().len(), 2);
}

/// A limit on the size of files simulates a full disk.
#[test]
fn a_full_disk_loses_no_confirmed_lead() {
    let mut server = LeadsServer::start();
    server.kill();
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -f 300; trap '' XFSZ; exec \"$0\""])
        .arg(site_api_program());
    command
        .current_dir(server.folder.path())
        .envs(server.environment().iter().cloned());
    server.run_as(command);
    let (mut confirmed, mut refusals) = (0, 0);
    // After the first failure the journal is truncated, which frees some space.
    for number in 0..400 {
        let mut long = lead(&format!("good{number}"));
        long["message"] = "x".repeat(9_000).into();
        let is_taken = server.post(&long).status == 200;
        confirmed += usize::from(is_taken);
        refusals = if is_taken { 0 } else { refusals + 1 };
        if refusals == 3 {
            break;
        }
    }
    assert_eq!(refusals, 3, "the disk was never full");
    refused(&server, "good-late");
    assert!(confirmed > 2);
    assert_eq!(server.stored().len(), confirmed);
    server.kill();
    server.run();
    assert_eq!(server.post(&lead("good-later")).code(), "200 null");
    assert_eq!(server.stored().len(), confirmed + 1);
}

/// The troubles beside a kill, in turn.
const TROUBLES: [&str; 6] = [
    "nothing",
    "backup",
    "reader",
    "commands",
    "lock",
    "full disk",
];

/// Does something to the store until it is told to stop, and checks what it sees.
fn trouble(server: &LeadsServer, kind: &str, stop: &AtomicBool) {
    let path = server.path("leads.sqlite3");
    let copy = server.path("copy.sqlite3");
    while !stop.load(Ordering::Relaxed) {
        match kind {
            "backup" => {
                let (status, _, stderr) =
                    server.leads(&["backup", "--force", copy.to_str().expect("a path")]);
                assert_eq!(status, 0, "{stderr}");
            }
            // Does the same as `sqlite3 leads.sqlite3`, which closes the database again and again.
            "reader" => {
                let other = rusqlite::Connection::open(&path).expect("the database");
                let found: String = other
                    .query_row("PRAGMA integrity_check", [], |row| row.get(0))
                    .expect("a check");
                assert_eq!(found, "ok");
            }
            "commands" => {
                for command in [
                    &["list", "--limit", "3"][..],
                    &["retry"],
                    &["forget", "nobody@example.com"],
                ] {
                    let (status, _, stderr) = server.leads(command);
                    // While the API is busy, the log may keep deleted text.
                    assert!(
                        status == 0 || stderr.contains("leads-remain"),
                        "{command:?}: {stderr}"
                    );
                }
            }
            "lock" => {
                let other = rusqlite::Connection::open(&path).expect("the database");
                // It may be locked by the server at this moment.
                let _ =
                    other.execute_batch("BEGIN IMMEDIATE; SELECT count(*) FROM leads; ROLLBACK");
            }
            _ => std::thread::yield_now(),
        }
    }
}

/// Starts the server, for a full disk with a limit on the size of files that is reached after some leads.
fn run(server: &mut LeadsServer, kind: &str) {
    if kind != "full disk" {
        return server.run();
    }
    let largest = ["leads.sqlite3", "leads.sqlite3-wal"]
        .map(|name| std::fs::metadata(server.path(name)).map_or(0, |file| file.len()));
    // In units of 512 bytes.
    let limit = largest.into_iter().max().unwrap_or_default() / 512 + 600;
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("ulimit -f {limit}; trap '' XFSZ; exec \"$0\""),
        ])
        .arg(site_api_program());
    command
        .current_dir(server.folder.path())
        .envs(server.environment().iter().cloned());
    server.run_as(command);
}

/// Kills the server while leads arrive and other programs use the store: 12 times, or 200 times with `SITE_TEST_FULL`.
/// Each confirmed lead is stored once, and its notification arrives.
#[test]
fn no_confirmed_lead_is_lost_or_duplicated_by_a_kill() {
    let rounds = if std::env::var_os("SITE_TEST_FULL").is_some() {
        200
    } else {
        12
    };
    let receiver = webhook(|_| Reply::status(200));
    let environment = [
        ("LEADS_WEBHOOK_URL", receiver.url.as_str()),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ];
    let mut server = LeadsServer::with(&environment);
    assert_eq!(server.post(&lead("good-first")).status, 200);
    let confirmed: Mutex<Vec<String>> = Mutex::default();
    let (next, answers) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for round in 0..rounds {
        let kind = TROUBLES[round % TROUBLES.len()];
        if round > 0 {
            run(&mut server, kind);
        }
        let (stop, so_far) = (AtomicBool::new(false), answers.load(Ordering::Relaxed));
        let address = server.address().to_owned();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut number = next.fetch_add(1, Ordering::Relaxed);
                    let mut tries = 0;
                    while !stop.load(Ordering::Relaxed) {
                        // As in a browser: the same lead with the same key is sent until it is confirmed, each time with
                        // another captcha.
                        let name = format!("lead {number}");
                        let mut sent = lead(&format!("good{number}-{tries}"));
                        tries += 1;
                        sent["name"] = name.clone().into();
                        sent["message"] = "x".repeat(number * 997 % 9_000).into();
                        let body = sent.to_string();
                        let head = format!(
                            "{JSON}Idempotency-Key: {number}\r\nContent-Length: {}\r\n",
                            body.len()
                        );
                        let Ok(answered) = request(&address, &head, body.as_bytes()) else {
                            continue;
                        };
                        answers.fetch_add(1, Ordering::Relaxed);
                        if answered.status == 200 && answered.body.contains("\"success\":true") {
                            confirmed.lock().expect("the list").push(name);
                            number = next.fetch_add(1, Ordering::Relaxed);
                            tries = 0;
                        }
                    }
                });
            }
            let beside = scope.spawn(|| trouble(&server, kind, &stop));
            // Kills at a different time in each round, while requests are in progress.
            let wanted = so_far + 20 + round * 7 % 80;
            while answers.load(Ordering::Relaxed) < wanted && !beside.is_finished() {
                std::thread::yield_now();
            }
            server.interrupt();
            stop.store(true, Ordering::Relaxed);
        });
        server.kill();
    }
    server.run();
    let stored = server.stored();
    let names: HashSet<&str> = stored
        .iter()
        .filter_map(|lead| lead["name"].as_str())
        .collect();
    assert_eq!(names.len(), stored.len(), "a lead is stored twice");
    let confirmed = confirmed.into_inner().expect("the list");
    assert!(
        confirmed.len() >= rounds * 5,
        "{} confirmed",
        confirmed.len()
    );
    for name in &confirmed {
        assert!(names.contains(name.as_str()), "{name} is lost");
    }
    let ids: HashSet<String> = stored
        .iter()
        .map(|lead| format!("{}-webhook", lead["id"].as_str().expect("an id")))
        .collect();
    let start = Instant::now();
    loop {
        let arrived: HashSet<String> = receiver
            .requests()
            .iter()
            .filter_map(|request| request.headers.get("x-lead-delivery").cloned())
            .collect();
        if ids.is_subset(&arrived) {
            break;
        }
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "notifications of {} leads are missing",
            ids.difference(&arrived).count()
        );
        std::thread::yield_now();
    }
}
