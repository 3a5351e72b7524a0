//! A page whose texts are marked with where they are written is the published page with marks, and nothing else.

use std::fs;

use config::{self, Options};
use diagnostics::marks::{numbers, without};
use generator::pipeline::Plan;
use site::SiteChange;
use site::routes::{Route, file_of};

use crate::early_pages::plan_of;
use crate::incremental;
use crate::site_test::{SiteTest, repository};

/// Without marks and the comments that hold marks alone.
fn plain(html: &str) -> String {
    let mut parts = html.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| match part.split_once("-->") {
        Some((comment, rest)) if !comment.is_empty() && without(comment).is_empty() => {
            rest.to_owned()
        }
        _ => format!("<!--{part}"),
    });
    let html = without(&rest.fold(first, |html, part| html + &part));
    // A character of a mark in an address, such as that of a link that shares a post: `%F3%B0%80%80`.
    let mut parts = html.split("%F3%B");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |html, part| {
        html + part.get("0%80%80".len()..).unwrap_or_default()
    })
}

/// Elements that are computed from texts, and so can differ with marks: pages with one of these are always compared.
const COMPUTED: [&str; 2] = ["<form", "name=\"guide-search\""];

/// Compares every page of a site, or one of `every`, with the published one. Returns the plan of the site.
fn check(site: &SiteTest, every: usize) -> Plan {
    let (config, _) = config::load(&Options {
        root: site.path(""),
        ..Options::default()
    });
    let config = config.expect("settings");
    let plan = plan_of(&config);
    let addresses = plan
        .routes
        .iter()
        .filter(|(_, route)| matches!(route, Route::Page { .. }));
    let addresses: Vec<String> = addresses.map(|(address, _)| address.to_owned()).collect();
    assert!(addresses.len() > 3 * every, "{addresses:?}");
    let marked = plan.with(SiteChange::Marks);
    for (at, address) in addresses.iter().enumerate() {
        let published =
            fs::read_to_string(config.paths.out.join(file_of(address))).expect("a page");
        if at % every != 0 && !COMPUTED.iter().any(|part| published.contains(part)) {
            continue;
        }
        let (index, html) = marked
            .page(&plan, address)
            .unwrap_or_else(|problems| panic!("{address}: {problems:?}"))
            .expect("a page");
        assert!(
            !without(&published).is_empty() && numbers(&published).next().is_none(),
            "{address}: marks are published"
        );
        let found = plain(&html);
        let differs = found
            .bytes()
            .zip(published.bytes())
            .position(|(a, b)| a != b);
        let around = |text: &str| {
            let at = differs
                .unwrap_or(found.len().min(published.len()))
                .saturating_sub(80);
            String::from_utf8_lossy(&text.as_bytes()[at..(at + 200).min(text.len())]).into_owned()
        };
        assert!(
            found == published,
            "{address}:\n{}\n{}",
            around(&found),
            around(&published)
        );
        // Every mark has a place in a file.
        let places = marked.workspace.site().origins(index, &html);
        let lost = numbers(&html).find(|number| !places.contains_key(number));
        assert_eq!(lost, None, "{address}");
    }
    plan
}

#[test]
fn a_page_with_marks_is_the_published_page() {
    let every = if std::env::var_os("SITE_TEST_FULL").is_some() {
        1
    } else {
        7
    };
    let site = SiteTest::whole();
    std::os::unix::fs::symlink(repository().join("node_modules"), site.path("node_modules"))
        .expect("a link");
    check(&site, every);
}

#[test]
fn a_blog_with_marks_is_the_published_blog() {
    check(&incremental::site(), 1);
}

#[test]
fn words_of_fields_that_a_site_adds_to_posts_are_found() {
    let site = crate::posts::site();
    let plan = check(&site, 1);
    let marked = plan.with(SiteChange::Marks);
    let page = marked.page(&plan, "/blog/note/").expect("it is rendered");
    let (index, html) = page.expect("the page");
    let found = marked.workspace.site().origins(index, &html);
    let line = |place: &diagnostics::problem::Place| {
        (
            place.path.clone(),
            place.range.map(|range| range.start.line),
        )
    };
    let places: Vec<_> = found.values().map(line).collect();
    assert!(
        places.contains(&("content/blog/en/note.md".to_owned(), Some(9))),
        "{places:?}"
    );
}
