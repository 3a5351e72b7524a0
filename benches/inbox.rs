//! How long the inbox waits for a list of leads, in a store with many: the newest ones, with each filter, and with words.
//! `bench/inbox [LEADS] [FOLDER]` runs it. If `BENCH_JSON` names a file, the figures are also written to it.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark is told by the environment what to measure"
)]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use api::leads::{Contents, Filter, Lead, NewLead, Sqlite, Status, Store, new_id};
use serde_json::json;

/// Leads on a page of the inbox.
const PER_PAGE: u32 = 50;
/// How often each list is read.
const ROUNDS: usize = 11;
/// The first lead, and the time between two, in milliseconds.
const TIMES: (i64, i64) = (1_700_000_000_000, 60_000);
/// How many leads are stored at the same time.
const AT_ONCE: i64 = 256;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let count: i64 = arguments
        .first()
        .and_then(|text| text.parse().ok())
        .unwrap_or(100_000);
    let folder = arguments
        .get(1)
        .map_or_else(|| Path::new("target").to_owned(), Into::into);
    let folder = tempfile::tempdir_in(folder).expect("a folder");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let store = Arc::new(Sqlite::new(&folder.path().join("leads.sqlite3")).expect("a store"));
    let start = Instant::now();
    runtime.block_on(fill(&store, count));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let rate = count as f64 / start.elapsed().as_secs_f64();
    say(&format!("{count} leads stored, {rate:.0} a second"));
    let text = |text: &str| Filter {
        text: text.to_owned(),
        ..Filter::default()
    };
    let lists = [
        ("all", Filter::default()),
        (
            "form",
            Filter {
                form: Some("visit".into()),
                ..Filter::default()
            },
        ),
        (
            "form without leads",
            Filter {
                form: Some("none".into()),
                ..Filter::default()
            },
        ),
        (
            "status",
            Filter {
                status: Some(Status::Spam),
                ..Filter::default()
            },
        ),
        (
            "language",
            Filter {
                locale: Some("es".into()),
                ..Filter::default()
            },
        ),
        (
            "unread",
            Filter {
                is_unread: true,
                ..Filter::default()
            },
        ),
        (
            "a day",
            Filter {
                from: Some(TIMES.0),
                until: Some(TIMES.0 + 86_400_000),
                ..Filter::default()
            },
        ),
        ("a word of many", text("farmers")),
        ("a word of one", text("visitor77@example.com")),
        ("a word of none", text("zebra")),
    ];
    let mut figures = serde_json::Map::new();
    for (name, filter) in lists {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let page = runtime
                    .block_on(store.listed(filter.clone(), None, PER_PAGE))
                    .expect("a list");
                let facets = runtime.block_on(store.facets()).expect("facets");
                assert!(page.leads.len() <= PER_PAGE as usize && facets.forms.len() == 2);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let (median, most) = (times[ROUNDS / 2], times[ROUNDS - 1]);
        say(&format!(
            "{name:<20} {median:>7.1} ms, at most {most:.1} ms"
        ));
        figures.insert(name.into(), json!({"median": median, "most": most}));
    }
    if let Some(file) = std::env::var_os("BENCH_JSON") {
        std::fs::write(
            file,
            json!({"leads": count, "stored_per_second": rate, "lists": figures}).to_string(),
        )
        .expect("a file");
    }
}

/// Stores leads of two forms, in two languages, of which a hundredth is spam.
async fn fill(store: &Arc<Sqlite>, count: i64) {
    let mut from = 0;
    while from < count {
        let until = (from + AT_ONCE).min(count);
        let stored: Vec<_> = (from..until)
            .map(|number| store.insert(lead(number)))
            .collect();
        for one in stored {
            one.await.expect("it is stored");
        }
        from = until;
    }
}

fn lead(number: i64) -> NewLead {
    let (name, email) = (
        format!("Ana Ruiz {number}"),
        format!("visitor{number}@example.com"),
    );
    let message = "AI Development Support\nPosition: CTO\nWe run a platform for farmers and need help with it.";
    let contents = if number % 3 == 0 {
        let answers = json!({"name": name, "email": email, "day": "2027-01-31", "note": message});
        let answers = answers.as_object().cloned().unwrap_or_default();
        Contents {
            form: "visit".into(),
            name,
            email,
            answers,
            ..Contents::default()
        }
    } else {
        let service = "AI Development Support";
        let answers =
            json!({"name": name, "email": email, "projectType": service, "message": message});
        Contents::of_call(answers.as_object().cloned().unwrap_or_default())
    };
    let at = TIMES.0 + number * TIMES.1;
    let status = if number % 100 == 0 {
        Status::Spam
    } else {
        Status::Verified
    };
    let locale = if number % 2 == 0 { "en" } else { "es" };
    let fingerprint = contents.fingerprint();
    let lead = Lead {
        id: new_id(at),
        at,
        locale: locale.into(),
        status,
        reason: None,
        contents,
    };
    NewLead {
        lead,
        key: None,
        fingerprint,
        token: None,
        channels: Vec::new(),
        files: Vec::new(),
    }
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("stdout is open");
}
