//! Copies of a site that search engines must not list: builds with drafts, and builds for another host.

use std::collections::BTreeMap;

use crate::serve::Server;
use crate::site_test::{SiteTest, files_below};

/// The signs by which a search engine would list a published site.
fn signs(files: &BTreeMap<String, Vec<u8>>) -> Vec<&'static str> {
    let text = |path: &str| {
        files
            .get(path)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let pages: Vec<String> = files
        .keys()
        .filter(|path| path.ends_with(".html"))
        .filter_map(|path| text(path))
        .collect();
    let pages: Vec<&String> = pages
        .iter()
        .filter(|html| !html.contains("http-equiv=\"refresh\""))
        .collect();
    assert!(pages.len() > 5, "{} pages", pages.len());
    let any = |part: &str| pages.iter().any(|html| html.contains(part));
    let found = [
        (
            "a page without noindex",
            !pages
                .iter()
                .all(|html| html.contains("<meta name=\"robots\" content=\"noindex\">")),
        ),
        ("a canonical address", any("rel=\"canonical\"")),
        ("an announced feed", any("type=\"application/rss+xml\"")),
        ("a sitemap", files.contains_key("sitemap.xml")),
        (
            "an address of a sitemap",
            text("robots.txt").is_some_and(|robots| robots.contains("Sitemap:")),
        ),
        ("llms.txt", files.contains_key("llms.txt")),
    ];
    // Robots must be able to read `noindex`.
    assert!(
        text("robots.txt")
            .is_some_and(|robots| robots.contains("Allow: /") && !robots.contains("Disallow"))
    );
    found
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .map(|(sign, _)| sign)
        .collect()
}

#[test]
fn a_copy_of_a_site_is_listed_by_no_search_engine() {
    let site = SiteTest::whole();
    let all = signs(&site.built().files());
    assert_eq!(all.len(), 6, "{all:?}");
    for (arguments, expected) in [
        (&["--drafts"][..], &[][..]),
        (&["--base-url", "https://staging.example"], &[]),
        (&["--drafts", "--set", "indexed=true"], &all),
    ] {
        let run = site.run(&[&["build"], arguments].concat());
        assert_eq!(run.status, 0, "{arguments:?}: {}", run.stderr);
        assert_eq!(signs(&run.files()), expected, "{arguments:?}");
    }
}

#[test]
fn a_build_for_another_host_is_a_copy() {
    let site = SiteTest::small();
    for (arguments, is_copy) in [
        (&["--base-url", "https://SMALL.example/docs"][..], false),
        (&["--base-url", "http://small.example/"], false),
        (&["--base-url", "https://small.example:8443/docs"], true),
        (&["--base-url", "https://www.small.example"], true),
        (&["--set", "base_url=https://staging.small.example"], true),
        (&["--set", "indexed=false"], true),
        (
            &[
                "--base-url",
                "https://other.example",
                "--set",
                "indexed=true",
            ],
            false,
        ),
    ] {
        let files = site.run(&[&["build"], arguments].concat()).files();
        assert_eq!(!files.contains_key("sitemap.xml"), is_copy, "{arguments:?}");
    }
}

#[test]
fn hosts_send_noindex_with_every_file_of_a_copy() {
    for (host, file) in [("netlify", "_headers"), ("cloudflare", "_headers")] {
        let site = SiteTest::small();
        site.edit(
            "content/site.yaml",
            "redirects:",
            &format!("host: {host}\nredirects:"),
        );
        let headers = |arguments: &[&str]| {
            let files = site.run(&[&["build"], arguments].concat()).files();
            String::from_utf8_lossy(&files[file]).contains("X-Robots-Tag: noindex")
        };
        assert!(!headers(&[]), "{host}");
        assert!(
            headers(&["--base-url", "https://staging.small.example"]),
            "{host}"
        );
    }
    for host in ["nginx", "cloudfront"] {
        let site = SiteTest::small();
        site.run(&["hosts", "--drafts"]);
        let is_sent = files_below(&site.path("deploy/generated"))
            .iter()
            .any(|(file, text)| {
                let text = String::from_utf8_lossy(text);
                file.contains(host) && text.contains("X-Robots-Tag") && text.contains("noindex")
            });
        assert!(is_sent, "{host}");
    }
    let server = Server::start(SiteTest::small().argument("--drafts"), &[]);
    let (_, headers, _) = server.get("/about/");
    assert!(
        headers.to_lowercase().contains("x-robots-tag: noindex"),
        "{headers}"
    );
}
