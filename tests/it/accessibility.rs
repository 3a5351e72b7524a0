//! Accessibility of the words: what is reported at its place, what is not, and the statement.

use serde_json::json;

use crate::language_server::LanguageServer;
use crate::site_test::{SiteTest, files_below, repository};

/// The small site with this Markdown on a page of a language.
fn with_text(locale: &str, body: &str) -> SiteTest {
    let site = SiteTest::small();
    let text = serde_json::to_string(body).expect("a text");
    let section = format!("sections:\n  - kind: prose\n    body: {text}");
    site.edit(
        &format!("content/pages/about/{locale}.yaml"),
        "sections:",
        &section,
    );
    site
}

#[test]
fn links_are_reported_at_their_place_in_the_language_of_the_page() {
    for (locale, body, expected) in [
        (
            "en",
            "For prices [click here](page:home).",
            &["vague-link content/pages/about/en.yaml:6"][..],
        ),
        (
            "es",
            "Los precios están [aquí](page:home).",
            &["vague-link content/pages/about/es.yaml:7"],
        ),
        ("en", "Los precios están [aquí](page:home).", &[]),
        (
            "en",
            "[Home](page:home) and [home](page:about#team)",
            &["same-link-text content/pages/about/en.yaml:6"],
        ),
        ("en", "[Home](page:home) and [home](page:home)", &[]),
        (
            "en",
            "An empty [](page:home) link",
            &["link-without-text content/pages/about/en.yaml:6"],
        ),
        (
            "en",
            "## One\n\n#### Two",
            &["skipped-heading content/pages/about/en.yaml"],
        ),
    ] {
        let run = with_text(locale, body).run(&["check"]);
        let found: Vec<String> = run.problems();
        let is_same = found.len() == expected.len()
            && found
                .iter()
                .zip(expected)
                .all(|(found, expected)| found.starts_with(expected));
        assert!(is_same, "{body}: {found:?}\n{}", run.stderr);
        assert_eq!(run.status, 0, "a warning: {}", run.stderr);
    }
}

#[test]
fn a_warning_is_told_by_each_build() {
    let site = with_text(
        "en",
        "For prices [click here](page:home).\n\n## One\n\n#### Two",
    );
    let first = site.built().problems();
    assert_eq!(first.len(), 2, "{first:?}");
    assert_eq!(site.built().problems(), first, "nothing changed");
    site.edit("content/pages/about/en.yaml", "title: ", "title: New ");
    assert_eq!(
        site.built().problems(),
        first,
        "the same page, rendered again"
    );
    site.edit("content/pages/home/en.yaml", "title: Hello", "title: Hi");
    assert_eq!(site.built().problems(), first, "another page");
    assert_eq!(
        site.run(&["build", "--strict"]).status,
        0,
        "advice stops no build"
    );
}

#[test]
fn a_post_is_checked_as_a_page_is() {
    let site = SiteTest::whole();
    let head = "---\ntitle: A test of NAME\ndate: 2025-03-31\nauthor: AUTHOR\ntags: []\n---\n\n";
    let author = files_below(&site.path("content/authors"))
        .into_keys()
        .find_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
        .expect("an author");
    let head = head.replace("AUTHOR", &author);
    for (name, body) in [
        (
            "good",
            "See [the prices](page:services).\n\n## One\n\n### Two\n",
        ),
        ("vague", "[Read more](page:services).\n"),
        ("skips", "## One\n\n#### Two\n"),
        (
            "raw",
            "<table><tr><td>1</td></tr></table>\n\n[![](https://x.example/a.png)](page:services)\n",
        ),
    ] {
        site.write(
            &format!("content/blog/en/test-{name}.md"),
            format!("{}{body}", head.replace("NAME", name)),
        );
    }
    let found = site.run(&["check"]).problems();
    let of = |name: &str| -> Vec<&str> {
        let file = format!("content/blog/en/test-{name}.md");
        let own = found.iter().filter(|problem| problem.contains(&file));
        own.map(String::as_str).collect()
    };
    assert_eq!(of("good"), Vec::<&str>::new());
    assert_eq!(
        of("vague"),
        ["vague-link content/blog/en/test-vague.md:8:13"]
    );
    assert_eq!(
        of("skips"),
        ["skipped-heading content/blog/en/test-skips.md:10:1"]
    );
    let raw = of("raw");
    let has = |start: &str| raw.iter().any(|problem| problem.starts_with(start));
    assert!(
        has("table-without-headers content/blog/en/test-raw.md:8:1"),
        "{raw:?}"
    );
    assert!(
        has("link-without-text content/blog/en/test-raw.md:10:"),
        "{raw:?}"
    );
}

#[test]
fn a_button_of_a_template_needs_a_name() {
    let site = SiteTest::small();
    site.edit(
        "templates/sections/hero/hero.html",
        "<h1>",
        "<button class=\"menu\"><svg></svg></button><h1>",
    );
    let problems = site.run(&["check"]).problems();
    assert!(
        problems
            .iter()
            .all(|problem| problem.starts_with("link-without-text content/pages/")),
        "{problems:?}"
    );
    assert!(!problems.is_empty());
    site.edit(
        "templates/sections/hero/hero.html",
        "class=\"menu\"",
        "class=\"menu\" aria-label=\"{{ t('menu') }}\"",
    );
    assert_eq!(site.run(&["check"]).problems(), Vec::<String>::new());
}

#[test]
fn a_statement_tells_what_was_checked_and_claims_nothing() {
    let site = SiteTest::from(&repository().join("examples/dental-clinics"));
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for (path, label) in [
        ("/accessibility/", "Last checked"),
        ("/es/accesibilidad/", "Última revisión"),
        ("/de/barrierefreiheit/", "Zuletzt geprüft"),
        ("/ar/accessibility/", "آخر فحص"),
        ("/zh-hans/accessibility/", "最近检查"),
    ] {
        run.page(path)
            .contains(label)
            .contains("<time datetime=\"2026-11-20\">");
    }
    let file = |locale: &str| format!("content/pages/accessibility/{locale}.yaml");
    site.edit(&file("en"), "Our goal is", "This site is Compliant with");
    site.edit(&file("es"), "Nuestra meta es", "Este sitio es conforme con");
    let run = site.run(&["check", "--strict"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let problems = run.problems();
    let claims = [("en", 6, 32), ("es", 6, 33)];
    let claims = claims.map(|(locale, line, column)| {
        format!("accessibility-claim {}:{line}:{column}", file(locale))
    });
    assert_eq!(problems, claims);
}

#[test]
fn the_editor_shows_vague_links_while_typing() {
    let site = with_text("en", "For prices [see them](page:home).");
    let mut server = LanguageServer::start(&site);
    let root = format!("file://{}", site.path("").display())
        .trim_end_matches('/')
        .to_owned();
    server.request(
        1,
        "initialize",
        &json!({"capabilities": {}, "rootUri": root}),
    );
    server.notify("initialized", &json!({}));
    let file = "content/pages/about/en.yaml";
    let text = std::fs::read_to_string(site.path(file))
        .expect("a page")
        .replace("see them", "click here");
    let document =
        json!({"uri": format!("{root}/{file}"), "languageId": "yaml", "version": 1, "text": text});
    server.notify("textDocument/didOpen", &json!({"textDocument": document}));
    // The server sends the problems of each file once it has read the site.
    loop {
        let published = server.notification("textDocument/publishDiagnostics");
        let codes: Vec<&str> = published["diagnostics"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|problem| problem["code"].as_str())
            .collect();
        if published["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with(file))
            && !codes.is_empty()
        {
            assert_eq!(codes, ["vague-link"]);
            break;
        }
    }
}
