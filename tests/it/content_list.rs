//! The list of all content at `/admin/content/` of the preview: states, filters, words, parts, and where rows lead.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::forms::{config, text};
use crate::new_site::new_site;
use crate::preview::post as post_json;
use crate::serve::Server;
use crate::site_test::{SiteTest, files_below};

fn post(more: &str, title: &str) -> String {
    format!(
        "---\ntitle: {title}\ndate: 2025-03-14\nauthor: lucia-ortega\nexcerpt: Short.\n{more}---\n\nText.\n"
    )
}

/// The answer to a question, such as `state=draft`. While the site is being built, the page asks again.
pub fn ask(server: &Server, question: &str) -> Value {
    let end = Instant::now() + Duration::from_mins(1);
    loop {
        let (status, _, body) = server.get(&format!("/admin/content/rows?{question}"));
        if status == 200 {
            return serde_json::from_str(&body).expect("JSON");
        }
        assert!(status == 503 && Instant::now() < end, "{status} {body}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn rows(answer: &Value) -> &[Value] {
    answer["rows"].as_array().expect("rows")
}

/// The files of all rows that fit.
pub fn files(server: &Server, question: &str) -> Vec<String> {
    let answer = ask(server, question);
    let mut files: Vec<String> = rows(&answer)
        .iter()
        .map(|row| row["file"].as_str().expect("a file").to_owned())
        .collect();
    files.sort();
    files
}

fn site() -> SiteTest {
    SiteTest::whole()
        .file(
            "content/blog/en/a-hidden-zeppelin.md",
            post("draft: true\n", "A hidden zeppelin"),
        )
        .file(
            "content/blog/en/a-later-zeppelin.md",
            post("publish_at: 2999-01-01\n", "A later zeppelin"),
        )
        .file(
            "content/blog/en/an-old-zeppelin.md",
            post("expires_at: 2020-01-01\n", "An old zeppelin"),
        )
        .file(
            "content/blog/es/un-zepelin.md",
            post("", "Un zepelín visible"),
        )
}

#[test]
fn all_content_is_listed_with_its_state() {
    let server = Server::start(site(), &[]);
    assert_eq!(
        files(&server, "state=draft"),
        ["content/blog/en/a-hidden-zeppelin.md"]
    );
    assert_eq!(
        files(&server, "state=scheduled"),
        ["content/blog/en/a-later-zeppelin.md"]
    );
    assert_eq!(
        files(&server, "state=expired"),
        ["content/blog/en/an-old-zeppelin.md"]
    );
    let later = ask(&server, "q=later+zeppelin");
    assert!(
        rows(&later)[0]["at"]
            .as_str()
            .is_some_and(|at| at.starts_with("2999-01-01") || at.starts_with("2998-12-31"))
    );
    // Whatever state is asked for, the number of each is told.
    let counts = &ask(&server, "state=draft&q=zeppelin")["states"];
    let wanted = [
        ("draft", 1),
        ("scheduled", 1),
        ("expired", 1),
        ("public", 0),
    ];
    assert!(
        wanted.iter().all(|(state, count)| counts[state] == *count),
        "{counts}"
    );
}

#[test]
fn words_and_filters_narrow_the_list() {
    let server = Server::start(site(), &[]);
    // Without accents and case, in titles, files and addresses.
    for words in [
        "ZEPELIN",
        "zepel%C3%ADn+visible",
        "un-zepelin",
        "es/blog/un-zep",
    ] {
        assert_eq!(
            files(&server, &format!("q={words}")),
            ["content/blog/es/un-zepelin.md"],
            "{words}"
        );
    }
    assert!(files(&server, "q=zepelin&language=en").is_empty());
    assert_eq!(files(&server, "q=zep&kind=post").len(), 4);
    assert!(files(&server, "q=zep&kind=page").is_empty());
    let answer = ask(&server, "q=zepelin");
    let person = rows(&answer)[0]["person"]
        .as_str()
        .expect("an author")
        .to_owned();
    assert!(
        answer["people"]
            .as_array()
            .expect("people")
            .iter()
            .any(|one| *one == person),
        "{answer}"
    );
    let of_person = format!("q=zep&person={}", person.replace(' ', "+"));
    assert_eq!(
        files(&server, &of_person),
        ["content/blog/es/un-zepelin.md"]
    );
    assert!(files(&server, &format!("q={}", "%20zqx".repeat(3000))).is_empty());
}

#[test]
fn the_list_comes_in_parts() {
    let server = Server::start(site(), &[]);
    let first = ask(&server, "");
    let (total, pages) = (
        first["total"].as_u64().expect("a number"),
        first["pages"].as_u64().expect("a number"),
    );
    assert!(total > 100 && pages > 2, "{total} {pages}");
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for page in 0..pages {
        for row in rows(&ask(&server, &format!("page={page}"))) {
            let one = format!(
                "{} {} {} {}",
                row["title"], row["locale"], row["file"], row["address"]
            );
            *seen.entry(one).or_default() += 1;
        }
    }
    assert_eq!(seen.values().sum::<usize>() as u64, total);
    assert!(seen.values().all(|count| *count == 1), "{seen:?}");
    // A page beyond the end is the last page.
    assert_eq!(
        ask(&server, "page=999999")["page"].as_u64(),
        Some(pages - 1)
    );
}

#[test]
fn each_row_leads_to_a_form_that_is_there_and_to_its_page() {
    let server = Server::start(site(), &[]);
    let config = config(&server);
    let collections = config["config"]["collections"]
        .as_array()
        .expect("collections");
    let named = |list: &[Value], name: &str| list.iter().find(|one| one["name"] == name).cloned();
    let (mut forms, pages) = (0, ask(&server, "")["pages"].as_u64().expect("a number"));
    for page in 0..pages {
        for row in rows(&ask(&server, &format!("page={page}"))) {
            let file = row["file"].as_str().expect("a file");
            let Some(form) = row["form"].as_str() else {
                continue;
            };
            let (name, entry) = form
                .strip_prefix("../#/collections/")
                .and_then(|rest| rest.split_once("/entries/"))
                .expect("an address of Decap");
            let collection =
                named(collections, name).unwrap_or_else(|| panic!("{file}: no collection {name}"));
            let shown = match collection["files"].as_array() {
                Some(files) => named(files, entry)
                    .map(|file| file["file"].as_str().unwrap_or_default().to_owned()),
                None => Some(format!(
                    "{}/{entry}.{}",
                    collection["folder"].as_str().expect("a folder"),
                    collection["extension"].as_str().expect("an extension")
                )),
            };
            assert_eq!(shown.as_deref(), Some(file), "{form}");
            forms += 1;
        }
    }
    assert!(forms > 100, "{forms}");
    let answer = ask(&server, "q=un-zepelin");
    let address = rows(&answer)[0]["address"]
        .as_str()
        .expect("an address")
        .to_owned();
    assert_eq!(server.get(&address).0, 200);
}

#[test]
fn a_stale_translation_and_a_problem_are_told() {
    let site = SiteTest::small();
    assert_eq!(site.run(&["translations", "--accept"]).status, 0);
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Welcome",
    );
    let server = Server::start(site, &[]);
    assert_eq!(
        files(&server, "state=stale"),
        ["content/pages/home/es.yaml"]
    );
    let site = server.stop();
    site.write("content/pages/alone/en.yaml", "path: /alone/\ntitle: Alone\ndescription: No page links here.\nuntranslated: true\nsections:\n  - {kind: hero, title: Alone}\n");
    let server = Server::start(site, &[]);
    assert!(files(&server, "state=problems").contains(&"content/pages/alone/en.yaml".to_owned()));
}

/// A change of a row: the status and the answer.
pub fn change(server: &Server, change: &Value) -> (u16, Value) {
    post_json(server, "/admin/content/change", &change.to_string(), "")
}

#[test]
fn a_page_moves_and_its_old_address_leads_to_the_new_one() {
    let about = "content/pages/about/en.yaml";
    let server = Server::start(SiteTest::small(), &[]);
    let (status, _, body) = server.get(&format!("/admin/content/links?file={about}"));
    let links: Vec<(String, usize)> = serde_json::from_str(&body).expect("places");
    assert_eq!(status, 200);
    assert!(
        links.iter().any(|(file, _)| file.starts_with("content/")) && !links.is_empty(),
        "{links:?}"
    );
    let before = files_below(&server.site().path("content"));
    for to in ["who-we-are", "/", "", "/a b/"] {
        let (status, answer) = change(&server, &json!({"action": "move", "file": about, "to": to}));
        assert!(
            status == 409 && answer["error"].is_string(),
            "{to}: {status} {answer}"
        );
    }
    for file in [
        "content/pages/missing/en.yaml",
        "../secret.yaml",
        "content/site.yaml",
    ] {
        assert_eq!(
            change(
                &server,
                &json!({"action": "move", "file": file, "to": "/new/"})
            )
            .0,
            409,
            "{file}"
        );
    }
    assert_eq!(
        files_below(&server.site().path("content")),
        before,
        "nothing has changed"
    );
    let old = text(&server, about);
    let (status, answer) = change(
        &server,
        &json!({"action": "move", "file": about, "to": "/who-we-are/"}),
    );
    assert_eq!(status, 200, "{answer}");
    assert_eq!(text(&server, about).lines().count(), old.lines().count());
    assert!(
        text(&server, about).contains("path: /who-we-are/"),
        "{}",
        text(&server, about)
    );
    let settings = text(&server, "content/site.yaml");
    assert!(
        settings.contains("page:about") && settings.contains("/about"),
        "{settings}"
    );
    let checked = server.stop().run(&["check"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

/// In a site that names a version of the theme, as every new one does.
#[test]
fn a_page_of_a_new_site_moves() {
    let about = "content/pages/about/en.yaml";
    let server = Server::start(new_site(&["--no-blog"]), &[]);
    let (_, _, body) = server.get(&format!("/admin/content/links?file={about}"));
    assert!(body.contains("content/site.yaml"), "{body}");
    let (status, answer) = change(
        &server,
        &json!({"action": "move", "file": about, "to": "/who-we-are/"}),
    );
    assert_eq!(status, 200, "{answer}");
    let checked = server.stop().run(&["check", "--strict"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

#[test]
fn a_post_that_is_withdrawn_keeps_all_but_its_visitors() {
    let site = site();
    let accepted = site.run(&["check", "--accept-urls"]);
    assert_eq!(accepted.status, 0, "{}", accepted.stderr);
    let (file, server) = ("content/blog/es/un-zepelin.md", Server::start(site, &[]));
    let before = text(&server, file);
    let (status, answer) = change(&server, &json!({"action": "withdraw", "file": file}));
    assert_eq!(status, 200, "{answer}");
    let after = text(&server, file);
    let added: Vec<&str> = after
        .lines()
        .filter(|line| !before.lines().any(|old| old == *line))
        .collect();
    let [expires] = added[..] else {
        panic!("{after}");
    };
    assert!(expires.starts_with("expires_at: 20"), "{after}");
    assert!(
        before
            .lines()
            .all(|line| after.lines().any(|new| new == line)),
        "{after}"
    );
    assert_eq!(
        change(
            &server,
            &json!({"action": "withdraw", "file": "content/blog/es/none.md"})
        )
        .0,
        404
    );
    assert_eq!(
        change(
            &server,
            &json!({"action": "withdraw", "file": "content/site.yaml"})
        )
        .0,
        422
    );
    assert_eq!(
        change(&server, &json!({"action": "burn", "file": file})).0,
        422
    );
    // Its URL is promised, and answers 410.
    let checked = server.stop().run(&["check"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
}

#[test]
fn only_the_author_sees_the_list() {
    let server = Server::start(SiteTest::small(), &[]);
    for path in [
        "/admin/content/",
        "/admin/content/rows",
        "/admin/content/list.js",
    ] {
        assert_eq!(server.stranger("GET", path, "").0, 403, "{path}");
        assert_eq!(server.get(path).0, 200, "{path}");
    }
    let (_, head, body) = server.get("/admin/content/");
    assert!(
        head.to_lowercase()
            .contains("content-security-policy: default-src 'none'"),
        "{head}"
    );
    assert!(body.contains("list.js"), "{body}");
}
