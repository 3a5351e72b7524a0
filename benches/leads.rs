//! Leads stored durably per second, compared with commits per second in a bare loop on the same disk.
//! `bench/leads [SECONDS] [FOLDER]` runs it. If `BENCH_JSON` names a file, the figures are also written to it.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark is told by the environment what to measure"
)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use api::leads::{Channel, Contents, Lead, NewLead, Sqlite, Status, Store, new_id};
use api::{Api, Settings, alone};
use axum::body::Body;
use axum::http::Request;
use rusqlite::Connection;
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// Number of concurrent clients.
const CLIENTS: usize = 16;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let seconds = arguments
        .first()
        .and_then(|text| text.parse().ok())
        .unwrap_or(3);
    let folder = arguments
        .get(1)
        .map_or_else(|| Path::new("target").to_owned(), Into::into);
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let time = Duration::from_secs(seconds);

    let bare = bare_loop(&folder.path().join("bare.sqlite3"), time);
    say(&format!("bare loop        {bare:>8.0} commits a second"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let store = Arc::new(Sqlite::new(&folder.path().join("store.sqlite3")).expect("a store"));
    let stored = runtime.block_on(clients(time, || {
        let store = Arc::clone(&store);
        async move {
            store.insert(new_lead()).await.expect("it is stored");
        }
    }));
    let stored = report("store", &stored, bare);
    let router = alone(&api(folder.path()));
    let answered = runtime.block_on(clients(time, || {
        let router = router.clone();
        async move {
            // The form without JavaScript needs no captcha provider.
            let body = format!(
                "name=Ana+{}&email=ana%40example.com&message=A+few+words+about+it",
                new_id(1)
            );
            let request = Request::post("/api/leads")
                .header("content-type", "application/x-www-form-urlencoded");
            let answer = router
                .oneshot(request.body(Body::from(body)).expect("a request"))
                .await
                .expect("an answer");
            assert_eq!(answer.status(), 303);
        }
    }));
    let answered = report("POST /api/leads", &answered, bare);
    if let Some(file) = std::env::var_os("BENCH_JSON") {
        let figures = json!({"clients": CLIENTS, "seconds": seconds, "bare": bare, "store": stored, "api": answered});
        std::fs::write(file, figures.to_string()).expect("a file");
    }
}

/// Commits one row at a time, with the settings of the store. Returns commits per second.
fn bare_loop(path: &Path, time: Duration) -> f64 {
    let db = Connection::open(path).expect("a database");
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE leads (id TEXT PRIMARY KEY, contents TEXT) WITHOUT ROWID")
        .expect("a table");
    let contents = serde_json::to_string(&new_lead().lead.contents).expect("JSON");
    let (start, mut count) = (Instant::now(), 0_u32);
    while start.elapsed() < time {
        let mut insert = db
            .prepare_cached("INSERT INTO leads VALUES (?1, ?2)")
            .expect("a statement");
        insert
            .execute((new_id(i64::from(count)), &contents))
            .expect("a row");
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

/// Runs clients that each send the next lead after a response. Returns leads per second and the sorted latencies.
async fn clients<F: Future<Output = ()> + Send + 'static>(
    time: Duration,
    send: impl Fn() -> F,
) -> (f64, Vec<Duration>) {
    let start = Instant::now();
    let waits = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut tasks = tokio::task::JoinSet::new();
    let mut running = 0;
    loop {
        while running < CLIENTS && start.elapsed() < time {
            let (one, waits) = (send(), Arc::clone(&waits));
            tasks.spawn(async move {
                let began = Instant::now();
                one.await;
                waits.lock().expect("the list").push(began.elapsed());
            });
            running += 1;
        }
        if tasks.join_next().await.is_none() {
            break;
        }
        running -= 1;
    }
    let mut waits = std::mem::take(&mut *waits.lock().expect("the list"));
    waits.sort();
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let rate = waits.len() as f64 / start.elapsed().as_secs_f64();
    (rate, waits)
}

/// Prints the figures of one way to store leads, and returns them.
fn report(what: &str, (rate, waits): &(f64, Vec<Duration>), bare: f64) -> Value {
    let at = |share: usize| waits[waits.len() * share / 100].as_secs_f64() * 1e3;
    let (ratio, p50, p99) = (rate / bare, at(50), at(99));
    say(&format!(
        "{what:<16} {rate:>8.0} leads a second, {CLIENTS} clients: {ratio:.1} x the bare loop; p50 {p50:.2} ms, p99 {p99:.2} ms"
    ));
    json!({"per_second": rate, "ratio": ratio, "p50": p50, "p99": p99})
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("stdout is open");
}

fn new_lead() -> NewLead {
    let answers = json!({
        "name": "Ana Ruiz",
        "email": "ana@example.com",
        "projectType": "AI Development Support",
        "message": "AI Development Support\nPosition: CTO\nWe run a platform for farmers and need help.",
    });
    let contents = Contents::of_call(answers.as_object().cloned().unwrap_or_default());
    let id = new_id(1);
    let hash = |text: &str| {
        let mut hash = [0; 32];
        hash[..26].copy_from_slice(text.as_bytes());
        hash
    };
    NewLead {
        key: Some(hash(&id)),
        fingerprint: contents.fingerprint(),
        token: Some(hash(&id)),
        channels: vec![Channel::Webhook],
        files: Vec::new(),
        lead: Lead {
            id,
            at: 1,
            locale: "en".into(),
            status: Status::Verified,
            reason: None,
            contents,
        },
    }
}

fn api(folder: &Path) -> Arc<Api> {
    let site = r#"{"version":1,"base_url":"https://site.example","locales":[{"code":"en","errors":{},"form":null,"thanks":"/"}],
        "rules":{"refuse_without_script":false,"refuse_unverified":false,"keep_days":null}}"#;
    std::fs::write(folder.join("leads.json"), site).expect("a file");
    let mut settings = Settings::from_environment()
        .expect("settings")
        .of_preview(folder.join("search"));
    settings.leads.site = folder.join("leads.json");
    settings.leads.per_minute = 0;
    settings.leads.per_minute_total = 0;
    settings.leads.store = Some(api::leads::StoreSettings::File(folder.join("api.sqlite3")));
    Api::new(settings).expect("an API")
}
