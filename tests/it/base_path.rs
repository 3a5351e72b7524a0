//! A `base_url` with a path: every address in published files begins with the path, and nothing else changes.

use std::collections::BTreeSet;

use html5gum::{DefaultEmitter, Token, Tokenizer};
use serde_json::Value;

use crate::api_site::{ApiSite, Direct, language, post};
use crate::serve::Server;
use crate::site_test::{Run, SiteTest};

const ORIGIN: &str = "https://site.example";
const BASE: &str = "/docs";
/// Attributes that hold one address.
const ADDRESSES: [&str; 6] = ["href", "src", "action", "poster", "data", "data-list"];
/// Attributes that hold addresses with widths.
const SETS: [&str; 2] = ["srcset", "imagesrcset"];

fn below(site: SiteTest) -> SiteTest {
    site.argument(&format!("--base-url={ORIGIN}{BASE}/"))
        .argument("--set=indexed=true")
}

fn text(run: &Run, path: &str) -> String {
    String::from_utf8(run.files()[path].clone()).expect("UTF-8")
}

/// Every address from the root of the host in a document, also those in the props of islands, in frames, and in HTML
/// that is itself a value.
fn addresses(html: &str) -> Vec<String> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut found = Vec::new();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        let Token::StartTag(tag) = token else {
            continue;
        };
        for (name, value) in &tag.attributes {
            let (name, value) = (
                String::from_utf8_lossy(name),
                String::from_utf8_lossy(value).into_owned(),
            );
            match &*name {
                name if ADDRESSES.contains(&name) => found.push(value),
                name if SETS.contains(&name) => {
                    let words = value.split(", ").filter_map(|part| part.split(' ').next());
                    found.extend(words.map(str::to_owned));
                }
                "content" => found.extend(value.split_once("url=").map(|(_, url)| url.to_owned())),
                "props" => in_json(&serde_json::from_str(&value).expect("props"), &mut found),
                "srcdoc" => found.extend(addresses(&value)),
                _ => {}
            }
        }
    }
    found.retain(|address| address.starts_with('/'));
    found
}

fn in_json(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains('<') => found.extend(addresses(text)),
        Value::String(text) if text.contains("w, ") => {
            found.extend(
                text.split(", ")
                    .map(|part| part.split(' ').next().unwrap_or_default().to_owned()),
            );
        }
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| in_json(item, found)),
        Value::Object(entries) => entries.values().for_each(|item| in_json(item, found)),
        _ => {}
    }
}

/// Addresses in style sheets.
fn in_css(css: &str) -> Vec<String> {
    let urls = css
        .split("url(")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    urls.map(|url| url.trim_matches(['"', '\'']).to_owned())
        .filter(|url| url.starts_with('/'))
        .collect()
}

fn assert_below(path: &str, found: Vec<String>) -> usize {
    let count = found.len();
    let astray: BTreeSet<String> = found
        .into_iter()
        .filter(|url| !url.starts_with(&format!("{BASE}/")))
        .collect();
    assert!(astray.is_empty(), "{path}: {astray:?}");
    count
}

#[test]
fn every_address_begins_with_the_path() {
    // Longer addresses make pages larger.
    let site = below(SiteTest::whole().argument("--set=budgets.html=100"));
    let run = site.built();
    let (mut pages, mut sheets) = (0, 0);
    for (path, bytes) in run.files() {
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let extension = path.rsplit('.').next().unwrap_or_default();
        match extension {
            "html" => pages += assert_below(&path, addresses(&text)),
            "css" => sheets += assert_below(&path, in_css(&text)),
            "webmanifest" => {
                let mut found = Vec::new();
                in_json(&serde_json::from_str(&text).expect("JSON"), &mut found);
                assert!(
                    assert_below(
                        &path,
                        found
                            .into_iter()
                            .filter(|url| url.starts_with('/'))
                            .collect()
                    ) > 2
                );
            }
            _ => {}
        }
        // Canonical addresses, hreflang, structured data, feeds, sitemap, robots.txt.
        for rest in text.split(ORIGIN).skip(1) {
            let rest = rest.get(..40).unwrap_or(rest);
            assert!(rest.starts_with(BASE), "{path}: {ORIGIN}{rest}");
        }
    }
    assert!(
        pages > 1000 && sheets > 0,
        "{pages} addresses in pages, {sheets} in style sheets"
    );
    for (path, part) in [
        ("sitemap.xml", "<loc>https://site.example/docs/</loc>"),
        (
            "blog/feed.xml",
            "<link>https://site.example/docs/blog/</link>",
        ),
        (
            "robots.txt",
            "Sitemap: https://site.example/docs/sitemap.xml\n",
        ),
        ("_headers", "/docs/_assets/*\n"),
        (
            "_headers",
            "Speculation-Rules: \"/docs/speculation-rules.json\"\n",
        ),
        (
            "index.html",
            "\"@id\":\"https://site.example/docs/#organization\"",
        ),
    ] {
        assert!(text(&run, path).contains(part), "{path} lacks {part}");
    }
    for line in text(&run, "_redirects").lines() {
        assert!(
            line.starts_with("/docs/") && line.contains(" /docs/"),
            "{line}"
        );
    }
    let leads: Value =
        serde_json::from_slice(&std::fs::read(site.path("leads.json")).expect("a file"))
            .expect("JSON");
    assert_eq!(leads["base_url"], format!("{ORIGIN}{BASE}"));
    for locale in leads["locales"].as_array().expect("locales") {
        assert!(
            locale["thanks"]
                .as_str()
                .expect("an address")
                .starts_with("/docs/"),
            "{locale}"
        );
        assert_below(
            "leads.json",
            addresses(locale["form"].as_str().expect("a form")),
        );
    }
}

/// A text without the hashes in names of assets: styles contain addresses of fonts, and cards the address of the page.
fn without_hashes(text: &str) -> String {
    let mut parts = text.split("_assets/");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_./".contains(c)))
            .unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let stem = if name.starts_with("cards/") {
            "cards"
        } else {
            name.rsplit_once('-').map_or(name, |(stem, _)| stem)
        };
        clean.extend(["_assets/", stem, rest]);
    }
    clean
}

#[test]
fn only_addresses_differ_from_the_site_at_the_root() {
    // The first build would leave its assets in the folder, and longer addresses make pages larger.
    let site = SiteTest::whole()
        .argument("--set=assets.keep_days=0")
        .argument("--set=budgets.html=100");
    let run = |base: &str| {
        site.clone()
            .argument(&format!("--base-url={ORIGIN}{base}"))
            .argument("--set=indexed=true")
            .built()
            .files()
    };
    let (root, below) = (run(""), run("/mounted-here"));
    let names = |files: &std::collections::BTreeMap<String, Vec<u8>>| {
        let mut names: Vec<String> = files.keys().map(|name| without_hashes(name)).collect();
        names.sort();
        names
    };
    assert_eq!(names(&below), names(&root), "files have no prefix");
    let moved = |text: &str| {
        let text = text
            .replace("site.example/mounted-here", "site.example")
            .replace("%2Fmounted-here%2F", "%2F")
            .replace("/mounted-here/", "/");
        without_hashes(&text)
    };
    // The style guide shows markup, wrapped by its length, and the sizes of style sheets.
    let is_page = |path: &str| {
        !path.starts_with("style-guide/") && (path.ends_with(".html") || path.ends_with(".xml"))
    };
    for (path, bytes) in root.iter().filter(|(path, _)| is_page(path)) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (now, before) = (moved(&text(&below[path])), without_hashes(&text(bytes)));
        let differ = now
            .lines()
            .zip(before.lines())
            .find(|(now, before)| now != before);
        assert_eq!(differ, None, "{path}");
        assert_eq!(now.len(), before.len(), "{path}");
    }
}

#[test]
fn content_holds_addresses_without_the_path() {
    let site = below(SiteTest::small());
    site.edit(
        "content/site.yaml",
        "redirects:\n",
        "redirects:\n  - {from: /full, to: https://site.example/docs/about/}\n",
    );
    site.edit(
        "content/site.yaml",
        "redirects:\n",
        "redirects:\n  - {from: /outside, to: https://site.example/}\n",
    );
    let run = site.built();
    assert_eq!(run.problems(), Vec::<String>::new());
    let redirects = text(&run, "_redirects");
    assert!(
        redirects.contains("/docs/full /docs/about/ 301\n"),
        "{redirects}"
    );
    assert!(
        redirects.contains("/docs/outside https://site.example/ 301\n"),
        "{redirects}"
    );
    run.page("/old/")
        .contains("url=/docs/about/")
        .contains("https://site.example/docs/about/");
    run.page("/").contains("<a href=\"/docs/about/\"");

    site.edit("content/site.yaml", "to: page:about}", "to: /docs/about/}");
    let run = site.build();
    assert_eq!(
        run.problems(),
        ["dead-link content/site.yaml:19:22"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("write `/about/`, without the path of `base_url`"),
        "{}",
        run.stderr
    );
}

#[test]
fn addresses_of_templates_are_checked() {
    let with = |line: &str| {
        let site = below(SiteTest::small());
        site.edit(
            "templates/layouts/base.html",
            "<main>",
            &format!("<main>{line}"),
        );
        site.build()
    };
    let run = with("<a href=\"/plain.txt\">x</a>");
    assert_eq!(
        run.problems(),
        ["broken-output templates/layouts/base.html:21:16"],
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("hint: write `{{ \"/plain.txt\" | href }}` in the template"),
        "{}",
        run.stderr
    );
    for line in [
        "<a href=\"{{ \"/plain.txt\" | href }}\">x</a>",
        "<a href=\"{{ static(\"plain.txt\") }}\">x</a>",
        "<a href=\"https://site.example/docs/plain.txt\">x</a>",
        "<a href=\"https://site.example/other/\">x</a>",
        "<form action=\"/docs/api/leads\"></form>",
    ] {
        let run = with(line);
        assert_eq!(
            (run.status, run.problems()),
            (0, Vec::new()),
            "{line}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_bad_path_is_reported_at_its_place() {
    for (url, what) in [
        ("https://small.example/docs?a=1", "a query"),
        ("https://small.example/docs#top", "a fragment"),
        ("https://small.example/a/../b/", "the segment `..`"),
        ("https://small.example/a//b/", "two slashes in a row"),
        ("https://small.example/a b/", "a space"),
        ("https://small.example/a;b/", "`;`"),
    ] {
        let site = SiteTest::small();
        site.edit(
            "content/site.yaml",
            "https://small.example/",
            &format!("\"{url}\""),
        );
        let run = site.run(&["check"]);
        assert_eq!(
            run.problems(),
            ["invalid-value content/site.yaml:1:11"],
            "{url}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains(&format!("must not contain {what}")),
            "{url}: {}",
            run.stderr
        );
    }
}

#[test]
fn another_path_renders_every_page_again() {
    let site = SiteTest::small();
    site.built();
    let below = below(site.clone()).built();
    below.page("/about/").contains("href=\"/docs/about/\"");
    let root = site.built();
    root.page("/about/")
        .contains("href=\"/about/\"")
        .lacks("/docs/");
}

#[test]
fn serve_answers_below_the_path_and_reloads_pages_there() {
    let server = Server::start(below(SiteTest::small()), &[]);
    let (status, head, _) = server.get("/");
    assert_eq!(status, 302);
    assert!(head.contains("location: /docs/\r\n"), "{head}");
    let (status, _, body) = server.get("/docs/about/?a=1");
    assert_eq!(status, 200);
    assert!(
        body.contains("src=\"/docs/_sitegen/live.js?build="),
        "{body}"
    );
    for (path, expect) in [
        ("/docs", 200),
        ("/docs/es", 200),
        ("/docs/_sitegen/live.js", 200),
        ("/docs/api/health", 200),
        ("/about/", 404),
        ("/docs-old/", 404),
        ("/api/health", 404),
    ] {
        assert_eq!(server.get(path).0, expect, "{path}");
    }
    let (status, _, body) = server.get("/docs/nothing/");
    assert!(status == 404 && body.contains("Page not found"), "{body}");
    let (status, head, _) = server.get("/docs/old?a=1");
    assert_eq!(status, 301);
    assert!(head.contains("location: /docs/about/?a=1\r\n"), "{head}");
}

#[test]
fn the_api_answers_below_the_path_and_allows_the_origin() {
    let site = ApiSite::small();
    site.build_at(
        &format!("{ORIGIN}{BASE}"),
        vec![language("en", vec![post(1, "One", "", &[])])],
    );
    let api = Direct::alone(&site);
    let origin = [("origin", ORIGIN)];
    for target in ["/api/posts", "/docs/api/posts", "/docs/api/posts?page=1"] {
        let answer = api.request("GET", target, &origin);
        assert_eq!((answer.status, answer.total()), (200, 1), "{target}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            ORIGIN,
            "{target}"
        );
    }
    for target in [
        "/docs/api",
        "/docs/",
        "/",
        "/other/api/posts",
        "/docs/docs/api/posts",
    ] {
        assert_eq!(api.request("GET", target, &[]).status, 404, "{target}");
    }
}
