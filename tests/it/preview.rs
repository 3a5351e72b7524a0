//! The preview's facts about its pages: where a text is written, what the last save changed, what is not published. And
//! who may ask.

use diagnostics::marks::numbers;
use serde_json::{Value, json};

use crate::incremental;
use crate::serve::Server;
use crate::site_test::{SiteTest, files_below};
use crate::waiting::wait_for;

/// Posts JSON to the server. Returns the status and the answer, `null` if it is no JSON.
pub fn post(server: &Server, path: &str, body: &str, headers: &str) -> (u16, Value) {
    let kind = "Content-Type: application/json\r\n";
    let request = format!(
        "{kind}{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    // The end of the headers that `request` adds follows the body, and is not read.
    let (status, _, answer) = server.request("POST", path, &request);
    (status, serde_json::from_str(&answer).unwrap_or(Value::Null))
}

fn get(server: &Server, path: &str) -> (u16, Value) {
    let (status, _, answer) = server.get(path);
    (status, serde_json::from_str(&answer).unwrap_or(Value::Null))
}

/// Where a text of a page is written, as `path:line`. The text is behind a mark in the page.
pub fn source(server: &Server, page: &str, text: &str) -> Option<String> {
    let (status, answer) = get(server, &format!("/_sitegen/source?path={page}"));
    assert_eq!(status, 200, "{page}: {answer}");
    let html = answer["html"].as_str().expect("a page");
    let before = &html[..html
        .match_indices(text)
        .find(|(at, _)| numbers(&html[..*at]).next().is_some())?
        .0];
    let place = &answer["places"][numbers(before).last()?.to_string()];
    Some(format!("{}:{}", place["path"].as_str()?, place["line"]))
}

#[test]
fn a_text_is_found_where_it_is_written() {
    let server = Server::start(SiteTest::small(), &[]);
    let home = "content/pages/home/en.yaml";
    assert_eq!(
        source(&server, "/", "Hello</h1>"),
        Some(format!("{home}:6"))
    );
    assert_eq!(
        source(&server, "/", "about us</a>"),
        Some(format!("{home}:7"))
    );
    assert_eq!(
        source(&server, "/es/", "Nosotros"),
        Some("content/site.yaml:8".to_owned())
    );
    assert_eq!(source(&server, "/", "Written nowhere at all"), None);
    let (_, gone) = get(&server, "/_sitegen/source?path=/gone/");
    assert_eq!((&gone["html"], &gone["files"]), (&json!(""), &json!([])));
}

#[test]
fn only_this_machine_and_this_site_may_ask() {
    let server = Server::start(SiteTest::small(), &[]);
    let asked = |headers: &str| server.request("GET", "/_sitegen/source?path=/", headers).0;
    assert_eq!(asked(""), 200);
    for headers in [
        "Origin: https://other.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        assert_eq!(asked(headers), 403, "{headers}");
    }
    for path in [
        "/_sitegen/page?path=/",
        "/_sitegen/saved",
        "/_sitegen/panel/panel.js",
    ] {
        assert_eq!(server.get(path).0, 200, "{path}");
        assert_eq!(
            server
                .request("GET", path, "Origin: http://other.example\r\n")
                .0,
            403,
            "{path}"
        );
        assert_eq!(server.get_as("rebound.example", path).0, 403, "{path}");
    }
    assert!(
        !server
            .get_as("rebound.example", "/_sitegen/live.js")
            .2
            .contains("panel.js")
    );
    assert_eq!(server.get("/_sitegen/panel/..%2f..%2fCargo.toml").0, 404);
}

#[test]
fn too_much_and_other_things_than_questions_are_refused() {
    let server = Server::start(SiteTest::small(), &[]);
    let file = "a".repeat(2 << 20);
    let status = post(
        &server,
        "/_sitegen/weights",
        &json!({"files": [file]}).to_string(),
        "",
    )
    .0;
    assert_eq!(status, 413);
    for body in ["", "[", "7", r#"{"files": 7}"#] {
        let status = post(&server, "/_sitegen/weights", body, "").0;
        assert!((400..500).contains(&status), "{body}: {status}");
    }
    assert_eq!(server.request("GET", "/_sitegen/source", "").0, 400);
    assert_eq!(post(&server, "/_sitegen/source", "{}", "").0, 405);
}

#[test]
fn a_page_knows_its_files_and_languages() {
    let server = Server::start(
        SiteTest::small(),
        &["--editor", "my://open?file={path}&line={line}"],
    );
    let (_, answer) = get(&server, "/_sitegen/page?path=/about/");
    let page = &answer["page"];
    assert_eq!(
        (page["key"].as_str(), page["kind"].as_str()),
        (Some("about"), Some("page"))
    );
    assert_eq!(
        page["translations"],
        json!([["en", "/about/"], ["es", "/es/nosotros/"]])
    );
    let file = &page["files"][0];
    assert_eq!(file["path"], "content/pages/about/en.yaml");
    let url = file["url"].as_str().expect("an address");
    assert!(
        url.starts_with("my://open?file=/") && url.ends_with("about/en.yaml&line=1"),
        "{url}"
    );
    assert_eq!(
        get(&server, "/_sitegen/page?path=/gone/").1["page"],
        Value::Null
    );
    let (status, weights) = post(
        &server,
        "/_sitegen/weights",
        r#"{"files": ["/", "/../Cargo.toml", "/x"]}"#,
        "",
    );
    assert_eq!(status, 200);
    assert!(
        weights["files"][0]["bytes"].as_u64() > weights["files"][0]["sent"].as_u64(),
        "{weights}"
    );
    assert_eq!(weights["files"][1], json!({"bytes": null, "sent": null}));
}

#[test]
fn an_editor_that_does_not_exist_is_refused() {
    let run = SiteTest::small().run(&["serve", "--port", "0", "--editor", "vscod"]);
    assert_eq!(
        (run.status, run.problems()),
        (2, vec!["bad-setting".to_owned()]),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("did you mean `vscode`"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_last_save_says_which_pages_it_changed_and_why() {
    let site = incremental::site();
    // Its text is on its own page only.
    site.edit(
        "content/blog/en/note-3.md",
        "tags:",
        "excerpt: Said in short.\ntags:",
    );
    let server = Server::start(site, &[]);
    let (_, start) = get(&server, "/_sitegen/saved");
    assert_eq!(start["files"], json!([]));
    assert!(start["rendered"].as_u64() > Some(0), "{start}");
    server
        .site()
        .edit("content/pages/home/en.yaml", "Hello", "Hi");
    let saved = wait_for("the build", || {
        let saved = get(&server, "/_sitegen/saved").1;
        (saved["files"] == json!(["content/pages/home/en.yaml"])).then_some(saved)
    });
    let pages = saved["pages"].as_array().expect("pages");
    let home = pages
        .iter()
        .find(|page| page["address"] == "/")
        .expect("the home page");
    assert!(
        home["reasons"]
            .as_array()
            .is_some_and(|reasons| !reasons.is_empty()),
        "{home}"
    );
    let why = server.site().run(&["why", "/"]).stdout;
    assert!(
        why.contains(home["reasons"][0].as_str().expect("a reason")),
        "{why}"
    );

    // The page of a post is published before the build.
    server
        .site()
        .edit("content/blog/en/note-3.md", "The first", "The second");
    let saved = wait_for("the post", || {
        let saved = get(&server, "/_sitegen/saved").1;
        (saved["files"] == json!(["content/blog/en/note-3.md"])).then_some(saved)
    });
    let addresses: Vec<_> = saved["pages"]
        .as_array()
        .expect("pages")
        .iter()
        .map(|page| &page["address"])
        .collect();
    assert!(addresses.contains(&&json!("/notes/note-3/")), "{saved}");
}

#[test]
fn a_broken_site_has_no_panel_but_links_to_its_problems() {
    let site = SiteTest::small();
    site.edit("content/pages/home/en.yaml", "page:about", "page:abuot");
    let server = Server::start(site, &[]);
    assert_eq!(get(&server, "/_sitegen/page?path=/").0, 503);
    let problems = server.get("/").2;
    assert!(
        problems.contains("<a class=\"place\" href=\"vscode://file/"),
        "{problems}"
    );
    assert!(
        !server
            .get_as("rebound.example", "/")
            .2
            .contains("vscode://"),
        "an absolute path is shown to others"
    );
}

#[test]
fn drafts_are_shown_and_never_published() {
    let site = incremental::site();
    let before = site.built().files();
    site.edit("content/blog/en/note-2.md", "tags:", "draft: true\ntags:");
    site.edit(
        "content/blog/en/note-4.md",
        "tags:",
        "publish_at: 2999-01-01\ntags:",
    );
    let published = site.built().files();
    assert_ne!(before.keys().len(), published.keys().len());
    let server = Server::start(site, &["--drafts"]);
    assert_eq!(server.get("/notes/note-2/").0, 200);
    let (_, answer) = get(&server, "/_sitegen/page?path=/notes/note-2/");
    assert_eq!(
        answer["page"]["state"],
        json!({"name": "draft", "at": null})
    );
    let unpublished = answer["unpublished"].as_array().expect("posts");
    let states: Vec<_> = unpublished
        .iter()
        .map(|post| (&post["address"], &post["state"]["name"]))
        .collect();
    let expect = [("/notes/note-2/", "draft"), ("/notes/note-4/", "scheduled")]
        .map(|(a, b)| (json!(a), json!(b)));
    assert_eq!(
        states,
        expect.each_ref().map(|(address, name)| (address, name))
    );
    assert_eq!(
        files_below(&server.site().path("dist")),
        published,
        "the preview touched what is published"
    );
    let site = server.stop();
    assert!(
        site.built().files() == published,
        "a build publishes what the preview showed"
    );

    // Without the flag they are listed, and where they are.
    let server = Server::start(site, &[]);
    assert_eq!(server.get("/notes/note-2/").0, 404);
    let (_, answer) = get(&server, "/_sitegen/page?path=/");
    let draft = &answer["unpublished"][0];
    assert_eq!(
        (&draft["address"], &draft["file"]["path"]),
        (&Value::Null, &json!("content/blog/en/note-2.md"))
    );
}

#[test]
fn the_panel_changes_no_byte_of_what_is_published() {
    let site = incremental::site();
    let built = site.built().files();
    let server = Server::start(site, &[]);
    for path in [
        "/_sitegen/page?path=/",
        "/_sitegen/saved",
        "/_sitegen/panel/panel.js",
        "/_sitegen/live.js",
    ] {
        assert_eq!(server.get(path).0, 200, "{path}");
    }
    source(&server, "/", "Hello</h1>");
    let site = server.stop();
    assert!(
        files_below(&site.path("dist")) == built,
        "the preview changed the output"
    );
    let server = Server::start(site, &["--no-watch"]);
    for (path, method) in [
        ("page?path=/", "GET"),
        ("saved", "GET"),
        ("panel/panel.js", "GET"),
        ("live.js", "GET"),
    ] {
        assert_eq!(
            server.request(method, &format!("/_sitegen/{path}"), "").0,
            404,
            "{path}"
        );
    }
    let is_page = |path: &str| path.ends_with("index.html") && !path.starts_with("old");
    for (path, bytes) in built.iter().filter(|(path, _)| is_page(path)) {
        let address = format!("/{}", path.trim_end_matches("index.html"));
        assert!(&server.get_bytes(&address).2 == bytes, "{address}");
    }
}
