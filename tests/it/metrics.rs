//! `GET /api/metrics`: counters in the format of Prometheus, available only with a token.
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::cms_server::Reply;
use crate::leads_server::{LeadsServer, METRICS_TOKEN, lead, webhook};

const GET: &str = "GET /api/metrics HTTP/1.1\r\n";

fn with_token() -> String {
    format!("{GET}Authorization: Bearer {METRICS_TOKEN}\r\n")
}

/// Checks the rules of the format, and returns the samples by name and label.
fn samples(server: &LeadsServer) -> BTreeMap<String, u64> {
    let answered = server.send(&with_token(), "");
    assert_eq!(answered.status, 200);
    assert!(
        answered
            .head
            .contains("content-type: text/plain; version=0.0.4"),
        "{}",
        answered.head
    );
    assert!(
        answered.head.contains("cache-control: no-store"),
        "{}",
        answered.head
    );
    assert!(answered.body.ends_with('\n'), "{}", answered.body);
    let (mut samples, mut kinds) = (BTreeMap::new(), BTreeMap::new());
    for line in answered.body.lines() {
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a name and a kind");
            assert!(
                kinds.insert(name.to_owned(), kind.to_owned()).is_none(),
                "{name} is declared twice"
            );
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            let metric = name.split('{').next().expect("a name");
            assert!(kinds.contains_key(metric), "{metric} has no type before it");
            assert!(metric.starts_with("sitegen_"), "{metric}");
            let value = value.parse().expect("a number");
            assert!(
                samples.insert(name.to_owned(), value).is_none(),
                "{name} has two samples"
            );
        }
    }
    samples
}

/// Waits for a sample, because the outbox works in the background.
fn wait_for(server: &LeadsServer, name: &str, value: u64) {
    let start = Instant::now();
    while samples(server).get(name) != Some(&value) {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{name} is not {value} in {:?}",
            samples(server)
        );
        std::thread::yield_now();
    }
}

#[test]
fn leads_are_counted_by_outcome() {
    let server = LeadsServer::start();
    let key = "Idempotency-Key: k\r\n";
    server.post_with(key, &lead("good1"));
    server.post_with(key, &lead("good1"));
    server.post(&lead("down"));
    server.post_with("X-Form-Signals: website=x\r\n", &lead("good2"));
    server.form("", "name=Ana+Ruiz&phone=12");
    server.post(&lead("wrong"));
    server.post(&lead("wrong"));
    server.form("", "name=Ana+Ruiz");
    let found = samples(&server);
    let expected = [
        ("sitegen_leads_total{status=\"again\"}", 1),
        ("sitegen_leads_total{status=\"quarantined\"}", 1),
        ("sitegen_leads_total{status=\"spam\"}", 1),
        ("sitegen_leads_total{status=\"unverified\"}", 1),
        ("sitegen_leads_total{status=\"verified\"}", 1),
        ("sitegen_leads_refused_total{code=\"captcha_refused\"}", 2),
        ("sitegen_leads_refused_total{code=\"contact_required\"}", 1),
        ("sitegen_leads_expired_but_kept", 0),
        ("sitegen_outbox_due", 0),
        ("sitegen_outbox_dead", 0),
        ("sitegen_receivers_failing", 0),
    ];
    assert_eq!(
        found,
        expected
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    );
    let text = server.send(&with_token(), "").body;
    for word in [
        "Ana",
        "Ruiz",
        "ana@",
        "example",
        "127.0.0.1",
        "good",
        "wrong",
    ] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn a_lead_that_could_not_be_stored_is_counted() {
    let place = tempfile::tempdir().expect("a folder");
    let store = place.path().join("leads.sqlite3");
    let server = LeadsServer::with(&[("LEADS_STORE", store.to_str().expect("UTF-8"))]);
    for beside in ["", "-wal", "-shm"] {
        // Those that are not there yet need not go.
        let _ = std::fs::remove_file(format!("{}{beside}", store.display()));
    }
    std::fs::create_dir(&store).expect("a folder in the place of the file");
    server.post(&lead("good"));
    let found = samples(&server);
    assert_eq!(found["sitegen_leads_not_stored_total"], 1);
    assert_eq!(
        found["sitegen_leads_refused_total{code=\"unavailable\"}"],
        1
    );
    assert!(
        !found.contains_key("sitegen_outbox_due"),
        "the backlog is unknown"
    );
}

#[test]
fn deliveries_are_counted_by_result() {
    let receiver = webhook(|request| Reply::status(if request.before == 0 { 500 } else { 200 }));
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.post(&lead("good"));
    wait_for(&server, "sitegen_deliveries_total{result=\"again\"}", 1);
    assert_eq!(samples(&server)["sitegen_outbox_due"], 1);
    wait_for(&server, "sitegen_deliveries_total{result=\"done\"}", 1);
    wait_for(&server, "sitegen_outbox_due", 0);
}

/// A request that a proxy on the same machine passes on without a header of its own looks like one of this machine.
#[test]
fn metrics_are_read_with_the_token_only() {
    let server = LeadsServer::start();
    for header in [
        "",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer wrong-token-of-the-tests\r\n",
        "Authorization: Basic token-of-the-tests\r\n",
    ] {
        assert_eq!(
            server.send(&format!("{GET}{header}"), "").code(),
            "404 not_found",
            "{header}"
        );
    }
    assert_eq!(server.send(&with_token(), "").status, 200);
    assert_eq!(
        server.send("POST /api/metrics HTTP/1.1\r\n", "").status,
        405
    );
    let closed = LeadsServer::with(&[("METRICS_TOKEN", "")]);
    assert_eq!(closed.send(&with_token(), "").code(), "404 not_found");
}
