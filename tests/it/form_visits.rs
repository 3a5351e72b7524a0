//! Where answers came from: what a site allows is stored with them, and counted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::site_forms::{contact, horizon, post, served};

fn with_campaigns() -> crate::site_test::SiteTest {
    let site = contact();
    site.edit(
        "content/site.yaml",
        "base_url:",
        "leads: {campaigns: [utm_source, utm_medium]}\nbase_url:",
    );
    site
}

#[test]
fn the_report_is_what_was_sent() {
    let server = served(&with_campaigns(), &[]);
    let visits = std::env::var("SITE_TEST_FULL").map_or(300_usize, |_| 10_000);
    let pick = |list: &[&'static str], at: usize| list[at % list.len()];
    let of = |number: usize| {
        let entry = pick(&["/", "/es/", "/blog/a/"], number);
        let source = pick(&["letter", "search", "", "a=b&c"], number / 3);
        let locale = pick(&["en", "es"], number / 7);
        (entry, source, locale)
    };
    let mut expected: BTreeMap<(String, String, String), u64> = BTreeMap::new();
    for number in 0..visits {
        let (entry, source, locale) = of(number);
        let campaign = if source.is_empty() {
            String::new()
        } else {
            format!("utm_source={source}")
        };
        *expected
            .entry((entry.to_owned(), campaign, locale.to_owned()))
            .or_default() += 1;
    }
    std::thread::scope(|scope| {
        for part in 0..8 {
            let server = &server;
            scope.spawn(move || {
                for number in (part..visits).step_by(8) {
                    let (entry, source, locale) = of(number);
                    let source = source.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02x}"));
                    // One parameter is not of the site.
                    let signals =
                        format!("elapsed=9000&page=%2F&entry={entry}&campaign.utm_source={source}&campaign.gclid=1");
                    let headers = format!(
                        "Accept-Language: {locale}\r\nX-Form-Signals: {signals}\r\nIdempotency-Key: {number}\r\n"
                    );
                    let answered =
                        post(server, "contact", &headers, &json!({"email": format!("v{number}@example.com")}));
                    assert_eq!(answered.status, 200, "{answered:?}");
                }
            });
        }
    });
    let report = |arguments: &[&str]| {
        server
            .leads(&[&["report", "--by", "entry,campaign,locale"], arguments].concat())
            .1
    };
    let counted: Value = serde_json::from_str(&report(&["--format", "json"])).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let counted: BTreeMap<(String, String, String), u64> = counted
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| {
            (
                (
                    text(&row["entry"]),
                    text(&row["campaign"]),
                    text(&row["locale"]),
                ),
                row["count"].as_u64().expect("a number"),
            )
        })
        .collect();
    assert_eq!(counted, expected);
    let csv = report(&["--csv"]);
    assert!(
        csv.starts_with("\u{feff}count,entry,campaign,locale\r\n")
            && csv.lines().count() == expected.len() + 1,
        "{csv}"
    );
    let (_, exported, _) = server.leads(&["export", "--csv"]);
    assert!(
        exported
            .lines()
            .next()
            .is_some_and(|head| head.ends_with(",first page,referrer,campaign,build")),
        "{exported}"
    );
    assert!(!exported.contains("gclid"));
}

#[test]
fn a_site_that_allows_nothing_keeps_nothing_of_a_visit() {
    let server = served(&horizon(), &[]);
    let headers =
        "X-Form-Signals: elapsed=9000&entry=%2F&referrer=a.example&campaign.utm_source=x\r\n";
    assert_eq!(
        post(
            &server,
            "callback",
            headers,
            &json!({"phone": "600 123 456"})
        )
        .status,
        200
    );
    assert!(
        server.stored()[0].get("visit").is_none(),
        "{:?}",
        server.stored()
    );
    let site = with_campaigns();
    site.edit("content/site.yaml", "utm_source", "\"utm source\"");
    let problems = site.run(&["check"]).problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("content/site.yaml:")),
        "{problems:?}"
    );
}
