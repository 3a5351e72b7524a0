//! Frames of other sites, such as maps and videos: which hosts a site allows, where its pages may show them, and what of a
//! template the content security policy blocks.

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const PAGE: &str = "content/pages/services/en.yaml";
const MAP: &str = "embeds: [{name: map, frame: https://map.example}]";

fn with_page(site: &SiteTest, section: &str) {
    let page = std::fs::read_to_string(site.path(PAGE)).expect("a page");
    site.write(PAGE, format!("{}\n{section}", page.trim_end()));
}

/// A new site whose page has a map.
fn site() -> SiteTest {
    let site = new_site(&[]);
    with_page(
        &site,
        "  - {kind: embed, title: The way to us, frame: \"https://map.example/show?a=1&b=2\"}\n",
    );
    site
}

fn allow(site: &SiteTest, embeds: &str) {
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    site.write("content/site.yaml", format!("{embeds}\n{settings}"));
}

/// The sources of `frame-src` in the policy of a page.
fn frames(run: &Run, path: &str) -> String {
    let html = &run.page(path).html;
    let policy = html.split("frame-src ").nth(1).expect("a policy");
    policy
        .split([';', '"'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_frame_loads_after_a_click_and_only_its_page_allows_it() {
    let site = site();
    allow(&site, MAP);
    let run = site.run(&["build", "--strict", "--set", "host=netlify"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = run.page("services/index.html");
    page.contains("<button type=\"button\" class=\"embed-frame__open\" data-needs-script=\"\">")
        .contains("Show: The way to us");
    page.contains("href=\"https://map.example/show?a=1&amp;b=2\" rel=\"noopener noreferrer\"")
        .contains("Open map.example");
    page.lacks("<iframe");
    assert_eq!(frames(&run, "services/index.html"), "https://map.example");
    assert_eq!(
        frames(&run, "index.html"),
        "&#39;none&#39;".replace("&#39;", "'")
    );
    let headers = String::from_utf8_lossy(&run.files()["_headers"]).into_owned();
    let sources = headers
        .split("frame-src ")
        .nth(1)
        .and_then(|rest| rest.split(';').next());
    assert!(
        sources.is_some_and(|sources| sources
            .split(' ')
            .any(|source| source == "https://map.example")),
        "{headers}"
    );
}

#[test]
fn a_host_that_is_not_named_is_reported_at_its_line() {
    let run = site().build();
    let problems = run.problems();
    assert_eq!(problems.len(), 1, "{}", run.stderr);
    assert!(
        problems[0].starts_with(&format!("unknown-id {PAGE}:")),
        "{problems:?}"
    );
    assert!(
        run.stderr
            .contains("add `embeds: [{name: map, frame: https://map.example}]`"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_embed_is_a_host_and_nothing_else() {
    for frame in [
        "https://map.example/path",
        "https://*.example",
        "https://map.example; script-src *",
        "\"https://map.example\\nX-Injected: 1\"",
        "\" https://map.example \"",
        "http://map.example",
        "map.example",
        "https://user@map.example",
        "https://map.example?a=1",
        "data:text/html",
        "\"*\"",
        "\"\"",
    ] {
        let site = SiteTest::small();
        allow(&site, &format!("embeds: [{{name: map, frame: {frame}}}]"));
        let run = site.run(&["check"]);
        assert!(
            run.stderr.contains("is not the URL of a host"),
            "{frame}: {}",
            run.stderr
        );
        assert_eq!(run.problems().len(), 1, "{frame}: {}", run.stderr);
    }
    let site = SiteTest::small();
    allow(
        &site,
        "embeds: [{name: map, frame: https://a.example}, {name: map, frame: https://b.example:8443}]",
    );
    assert!(
        site.build()
            .stderr
            .contains("the embed `map` is listed twice")
    );
}

#[test]
fn an_entry_has_a_frame_of_its_own() {
    let site = new_site(&[])
        .file(
            "templates/collections/places/schema.yaml",
            "meaning: Places.\naddress: \"/places/{slug}/\"\ntitle: \"{name} place\"\ndescription: \"{name}, where we are\"\nfields:\n  \
             name: {type: text, required: true, meaning: Its name.}\n  map: {type: embed, meaning: Where it is.}\n",
        )
        .file(
            "templates/collections/places/places.html",
            "{% extends \"layouts/base.html\" %}{% from \"components/embed-frame/embed-frame.html\" import embed_frame %}{% block main %}\
             <h1>{{ entry.name }}</h1>{{ embed_frame(entry.map.link, entry.map.host, entry.name) }}{% endblock %}",
        )
        .file("content/places/north.yaml", "name: North\nmap: https://map.example/north\n");
    with_page(&site, "  - {kind: entries, of: places, title: Places}\n");
    let run = site.build();
    assert!(
        run.problems()[0].starts_with("unknown-id content/places/north.yaml:2:"),
        "{}",
        run.stderr
    );
    allow(&site, MAP);
    let run = site.built();
    assert_eq!(
        frames(&run, "places/north/index.html"),
        "https://map.example"
    );
    run.page("places/north/index.html").contains("Show: North");
    for (written, message) in [
        (
            "<iframe src=\"https://map.example/\"></iframe>",
            "this is HTML; write only the URL in its `src`",
        ),
        (
            "http://map.example/north",
            "is not a URL that begins with `https://`",
        ),
        ("/map/", "is not a complete URL"),
    ] {
        site.write(
            "content/places/north.yaml",
            format!("name: North\nmap: '{written}'\n"),
        );
        let run = site.build();
        assert!(run.stderr.contains(message), "{written}: {}", run.stderr);
        assert_eq!(run.problems().len(), 1, "{written}: {}", run.stderr);
    }
}

#[test]
fn a_template_that_the_policy_blocks_is_reported_at_its_line() {
    let site = new_site(&[]).file(
        "templates/sections/counter/counter.html",
        "<section class=\"band\">\n<p style=\"color: red\">{{ section.title }}</p>\n\
         <script src=\"https://cdn.example/a.js\"></script>\n<iframe src=\"https://map.example/\"></iframe>\n</section>\n",
    );
    let site = site.file(
        "templates/sections/counter/schema.yaml",
        "meaning: A counter.\nfields:\n  title: {type: text, required: true, meaning: Its title.}\n",
    );
    let site = site.file(
        "templates/sections/counter/examples.yaml",
        "- name: Minimal\n  section: {kind: counter, title: Ten}\n",
    );
    with_page(&site, "  - {kind: counter, title: Ten}\n");
    let problems = site.run(&["check"]).problems();
    let at =
        |line: usize| format!("blocked-by-policy templates/sections/counter/counter.html:{line}:");
    for line in [2, 3, 4] {
        assert!(
            problems
                .iter()
                .any(|problem| problem.starts_with(&at(line))),
            "{line}: {problems:?}"
        );
    }
    allow(&site, MAP);
    assert!(
        !site
            .run(&["check"])
            .problems()
            .iter()
            .any(|problem| problem.starts_with(&at(4)))
    );
    allow(
        &site,
        "headers: {Content-Security-Policy: \"default-src *\"}",
    );
    assert!(
        !site
            .run(&["check"])
            .problems()
            .iter()
            .any(|problem| problem.starts_with("blocked-by-policy"))
    );
}
