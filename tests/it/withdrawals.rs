//! Pages and entries that the list of all content takes off the site and brings back, and the preview at the minute of a date.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use schema::types::{Date, DateTime, Moment};

use crate::forms::text;
use crate::preview::post as post_json;
use crate::serve::Server;
use crate::site_test::{SiteTest, repository};

const ABOUT: &str = "content/pages/about/en.yaml";
const JOB: &str = "content/jobs/dentist-berlin.yaml";

/// A change of a row: the status and the answer.
fn change(server: &Server, change: &Value) -> (u16, Value) {
    post_json(server, "/admin/content/change", &change.to_string(), "")
}

/// Waits until a page answers with a status.
fn wait_for(server: &Server, path: &str, status: u16) {
    let end = Instant::now() + Duration::from_mins(1);
    while server.get(path).0 != status {
        assert!(
            Instant::now() < end,
            "{path}: {}\n{}",
            server.get(path).0,
            server.log()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn lines_that_differ(before: &str, after: &str) -> Vec<String> {
    after
        .lines()
        .filter(|line| !before.lines().any(|old| old == *line))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_page_is_withdrawn_and_brought_back() {
    let site = SiteTest::small();
    site.edit(ABOUT, "title:", "# The title.\ntitle:");
    site.edit(
        "content/pages/home/en.yaml",
        "page:about#team",
        "page:about",
    );
    let server = Server::start(site, &[]);
    let (before, es) = (
        text(&server, ABOUT),
        text(&server, "content/pages/about/es.yaml"),
    );
    assert_eq!(server.get("/about/").0, 200);
    let (status, answer) = change(&server, &json!({"action": "withdraw", "file": ABOUT}));
    assert_eq!(
        (status, &answer["files"]),
        (200, &json!([ABOUT])),
        "{answer}"
    );
    let after = text(&server, ABOUT);
    let added = lines_that_differ(&before, &after);
    assert!(
        added.len() == 1 && added[0].starts_with("expires_at: 20"),
        "{after}"
    );
    assert!(after.contains("# The title.\n"), "{after}");
    assert_eq!(text(&server, "content/pages/about/es.yaml"), es);
    wait_for(&server, "/about/", 410);
    assert_eq!(server.get("/es/nosotros/").0, 200);
    let home = server.get("/").2;
    assert!(!home.contains("href=\"/about/\""), "the menu leaves it out");
    // A second time there is nothing to do.
    let (status, answer) = change(&server, &json!({"action": "restore", "file": ABOUT}));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(text(&server, ABOUT), before);
    wait_for(&server, "/about/", 200);
    assert_eq!(
        change(&server, &json!({"action": "restore", "file": ABOUT})).0,
        409
    );
}

#[test]
fn a_page_is_withdrawn_in_all_languages_and_its_address_leads_on() {
    let site = SiteTest::small()
        .file(
            "content/pages/offer/page.yaml",
            "# Shared.\nsections:\n  hero: {kind: hero}\n",
        )
        .file(
            "content/pages/offer/en.yaml",
            "path: /offer/\ntitle: Offer\ndescription: One.\nhero.title: Offer\n",
        )
        .file(
            "content/pages/offer/es.yaml",
            "path: /es/oferta/\ntitle: Oferta\ndescription: Una.\nhero.title: Oferta\n",
        );
    let server = Server::start(site, &[]);
    let file = "content/pages/offer/es.yaml";
    let words = text(&server, file);
    let asked = json!({"action": "withdraw", "file": file, "everywhere": true, "to": "page:abuot"});
    let (status, answer) = change(&server, &asked);
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(
        status == 409 && error.contains("abuot") && error.contains("nothing was saved"),
        "{status} {answer}"
    );
    let asked = json!({"action": "withdraw", "file": file, "everywhere": true, "to": "page:about"});
    let (status, answer) = change(&server, &asked);
    assert_eq!(
        (status, &answer["files"]),
        (200, &json!(["content/pages/offer/page.yaml"])),
        "{answer}"
    );
    let shared = text(&server, "content/pages/offer/page.yaml");
    assert!(
        shared.contains("# Shared.\n") && shared.contains("\nexpired_to: page:about\n"),
        "{shared}"
    );
    assert_eq!(text(&server, file), words);
    wait_for(&server, "/offer/", 301);
    assert!(
        server.get("/es/oferta/").1.contains("/es/nosotros/"),
        "{}",
        server.get("/es/oferta/").1
    );
    let (status, answer) = change(
        &server,
        &json!({"action": "restore", "file": "content/pages/offer/en.yaml"}),
    );
    assert_eq!(status, 200, "{answer}");
    wait_for(&server, "/es/oferta/", 200);
    let checked = server.stop().run(&["check"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

#[test]
fn what_is_always_there_is_not_withdrawn() {
    let server = Server::start(SiteTest::small(), &[]);
    for file in [
        "content/pages/home/en.yaml",
        "content/pages/not-found/en.yaml",
    ] {
        let before = text(&server, file);
        let (status, answer) = change(&server, &json!({"action": "withdraw", "file": file}));
        assert!(
            status == 409
                && answer["error"]
                    .as_str()
                    .is_some_and(|why| why.contains("always public")),
            "{answer}"
        );
        assert_eq!(text(&server, file), before);
    }
    for (file, wanted) in [
        ("content/pages/none/en.yaml", 404),
        ("content/site.yaml", 422),
        ("../secret.yaml", 403),
    ] {
        for action in ["withdraw", "restore"] {
            assert_eq!(
                change(&server, &json!({"action": action, "file": file})).0,
                wanted,
                "{action} {file}"
            );
        }
    }
}

#[test]
fn a_job_is_withdrawn_with_its_last_day_and_brought_back_with_another() {
    let site = SiteTest::from(&repository().join("examples/dental-clinics"));
    site.edit(JOB, "clinic: berlin", "# Near the station.\nclinic: berlin");
    let server = Server::start(site, &[]);
    let before = text(&server, JOB);
    assert_eq!(server.get("/jobs/dentist-berlin/").0, 200);
    let (status, answer) = change(&server, &json!({"action": "withdraw", "file": JOB}));
    assert_eq!(status, 200, "{answer}");
    let after = text(&server, JOB);
    let yesterday = DateTime::of(Moment(config::now().0 - 86_400)).day;
    assert_eq!(
        lines_that_differ(&before, &after),
        [format!("closes: {yesterday}")],
        "{after}"
    );
    assert_eq!(before.lines().count(), after.lines().count());
    // Its address leads to the list, as the schema says.
    wait_for(&server, "/jobs/dentist-berlin/", 301);
    let (status, answer) = change(&server, &json!({"action": "restore", "file": JOB}));
    assert!(
        status == 409
            && answer["error"]
                .as_str()
                .is_some_and(|why| why.contains("closes")),
        "{status} {answer}"
    );
    let (status, answer) = change(
        &server,
        &json!({"action": "restore", "file": JOB, "until": "2035-03-31"}),
    );
    assert_eq!(status, 200, "{answer}");
    assert_eq!(text(&server, JOB), before);
    wait_for(&server, "/jobs/dentist-berlin/", 200);
}

#[test]
fn an_entry_that_began_today_becomes_a_draft_if_it_can_be_one() {
    let site = SiteTest::from(&repository().join("examples/dental-clinics"));
    let today: Date = DateTime::of(config::now()).day;
    site.edit(JOB, "posted: 2026-01-10", &format!("posted: {today}"));
    let server = Server::start(site, &[]);
    let before = text(&server, JOB);
    let (status, answer) = change(&server, &json!({"action": "withdraw", "file": JOB}));
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(
        status == 409 && error.contains("was not public before today"),
        "{status} {answer}"
    );
    assert_eq!(text(&server, JOB), before);
    let site = server.stop();
    site.edit(
        "templates/collections/jobs/schema.yaml",
        "fields:\n",
        "fields:\n  draft: {type: flag, meaning: Not shown yet.}\n",
    );
    let server = Server::start(site, &[]);
    assert_eq!(
        change(&server, &json!({"action": "withdraw", "file": JOB})),
        (200, json!({"files": [JOB]}))
    );
    assert!(
        text(&server, JOB).contains("draft: true"),
        "{}",
        text(&server, JOB)
    );
    wait_for(&server, "/jobs/dentist-berlin/", 404);
    assert_eq!(
        change(&server, &json!({"action": "restore", "file": JOB})).0,
        200
    );
    assert_eq!(text(&server, JOB), before);
    wait_for(&server, "/jobs/dentist-berlin/", 200);
    // A draft answers 404, which is no way to keep the promise of a URL.
    let site = server.stop();
    let accepted = site.run(&["check", "--accept-urls"]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    let server = Server::start(site, &[]);
    let (status, answer) = change(&server, &json!({"action": "withdraw", "file": JOB}));
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(
        status == 409 && error.contains("/jobs/dentist-berlin/` no longer exists"),
        "{status} {answer}"
    );
    assert_eq!(text(&server, JOB), before);
}

/// A site with a page that begins in some seconds.
fn soon(seconds: i64) -> SiteTest {
    let page = |at: Moment| {
        format!(
            "path: /soon/\ntitle: Soon\ndescription: It begins.\nunlinked: true\npublish_at: {at}\nexpires_at: {}\nsections:\n  - {{kind: hero, title: Soon}}\n",
            Moment(at.0 + 4)
        )
    };
    SiteTest::small().file(
        "content/pages/soon/en.yaml",
        page(Moment(config::now().0 + seconds)),
    )
}

#[test]
fn the_preview_shows_a_page_at_its_minute_and_takes_it_away_at_its_end() {
    let server = Server::start(soon(6), &[]);
    assert_eq!(server.get("/soon/").0, 404, "it has not begun");
    wait_for(&server, "/soon/", 200);
    // Nobody has saved anything meanwhile.
    wait_for(&server, "/soon/", 410);
}

#[test]
fn a_day_that_is_asked_for_stays() {
    let site = soon(2);
    let now = config::now();
    let server = Server::start(site, &["--at", &now.to_string()]);
    let end = Instant::now() + Duration::from_secs(4);
    while Instant::now() < end {
        assert_eq!(server.get("/soon/").0, 404);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(config::now().0 > now.0 + 2);
}
