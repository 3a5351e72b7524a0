//! Sections that pages share (`on_pages`): they are written once and shown at the end of the pages that they name.

use crate::site_forms::horizon;
use crate::site_test::SiteTest;

const CALL_BACK: &str = "content/pages/call-back/page.yaml";

/// The small site with a line that some pages end with.
pub fn shared(on_pages: &str) -> SiteTest {
    let site = SiteTest::small();
    let closing = "</main>{% for section in closing %}{% include \"sections/\" ~ section.kind ~ \"/\" ~ section.kind ~ \".html\" %}{% endfor %}";
    site.edit("templates/layouts/base.html", "</main>", closing);
    site
        .file(
            "templates/sections/call/schema.yaml",
            "meaning: A line.\nfields:\n  title: {type: text, required: true, meaning: The line.}\n  to: {type: link, meaning: Where it leads.}\n",
        )
        .file(
            "templates/sections/call/call.html",
            "<p class=\"call\"{% if section.id %} id=\"{{ section.id }}\"{% endif %}>{{ section.title }}{% if section.to %}<a href=\"{{ section.to.href }}\">{{ section.title }}</a>{% endif %}</p>",
        )
        .file("content/pages/call/page.yaml", format!("{on_pages}sections:\n  line: {{kind: call, to: page:home}}\n"))
        .file("content/pages/call/en.yaml", "line.title: Call us any day\n")
        .file("content/pages/call/es.yaml", "line.title: Llámanos cualquier día\n")
}

/// The problems of a build, each with its place.
fn problems(site: &SiteTest) -> Vec<String> {
    site.run(&["build"]).problems()
}

#[test]
fn a_form_is_on_every_page_without_a_section_per_page() {
    let site = horizon();
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for (address, words) in [
        ("/", "We call you back"),
        ("/team/ana-ruiz/", "We call you back"),
        ("/press/new-clinic/", "We call you back"),
        ("/de/praxen/madrid/", "action=\"/api/forms/callback#"),
        ("/ar/appointment/", "action=\"/api/forms/callback#"),
    ] {
        let page = run.page(address);
        page.contains(words);
        assert_eq!(
            page.html.matches("id=\"form-callback\"").count(),
            1,
            "{address}: {}",
            page.html
        );
        assert!(page.html.contains("name=\"_page\""), "{address}");
    }
    // No page of its own.
    assert!(!site.path("dist/call-back").exists());
    let map = std::fs::read_to_string(site.path("dist/sitemap.xml")).unwrap_or_default();
    assert!(!map.contains("call-back"), "{map}");
}

#[test]
fn shared_sections_are_on_the_pages_that_they_name() {
    let site = shared("on_pages: [\"*\"]\nnot_on_pages: [home]\n");
    site.write(
        "content/pages/info/en.yaml",
        b"path: /info/\ntitle: Info\ndescription: What there is to know.\nunlinked: true\nsections:\n  - {kind: hero, title: Info}\n",
    );
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("/").lacks("Call us");
    run.page("/info/")
        .contains("Call us any day")
        .contains("href=\"/\"");
    site.edit(
        "content/pages/call/page.yaml",
        "[\"*\"]\nnot_on_pages: [home]",
        "[home]",
    );
    let run = site.run(&["build"]);
    run.page("/").contains("Call us any day");
    run.page("/es/")
        .contains("Llámanos cualquier día")
        .contains("href=\"/es/\"");
    run.page("/info/").lacks("Call us");
    // A changed word is on all of them at once.
    site.edit("content/pages/call/en.yaml", "any day", "today");
    site.run(&["build"]).page("/").contains("Call us today");
}

#[test]
fn mistakes_in_shared_sections_are_reported_once_where_they_are_written() {
    let site = shared("on_pages: [\"*\"]\n");
    let file = "content/pages/call/page.yaml";
    let check = |before: &str, after: &str, expected: &[&str]| {
        site.edit(file, before, after);
        assert_eq!(problems(&site), expected, "{after}");
        site.edit(file, after, before);
    };
    check(
        "page:home",
        "page:hme",
        &["dead-link content/pages/call/page.yaml:3:26"],
    );
    check(
        "[\"*\"]",
        "[hom]",
        &["unknown-id content/pages/call/page.yaml:1:12"],
    );
    check(
        "{kind: call, to: page:home}",
        "{kind: hero}",
        &["invalid-value content/pages/call/page.yaml:3:16"],
    );
    site.edit("content/pages/call/es.yaml", "line.title", "line.titel");
    assert_eq!(problems(&site).len(), 1, "{:?}", problems(&site));
    site.edit("content/pages/call/es.yaml", "line.titel", "line.title");
    site.write(
        "content/pages/call/en.yaml",
        b"path: /call/\nline.title: Call us any day\n",
    );
    assert_eq!(
        problems(&site),
        ["invalid-value content/pages/call/en.yaml:1:7"]
    );
}

#[test]
fn shared_sections_have_dates_and_fall_back_to_another_language() {
    let site = shared("on_pages: [\"*\"]\n");
    site.remove("content/pages/call/es.yaml");
    assert_eq!(
        problems(&site),
        ["missing-key content/pages/call/page.yaml:3:3"]
    );
    site.edit(
        "content/site.yaml",
        "locales:",
        "fallback: {es: en}\nlocales:",
    );
    site.run(&["build"])
        .page("/es/")
        .contains("Call us any day");
    site.edit(
        "content/pages/call/page.yaml",
        "kind: call,",
        "kind: call, publish_at: 2040-01-01,",
    );
    site.run(&["build"]).page("/es/").lacks("Call us");
    let run = site.run(&["next-change"]);
    assert!(run.stdout.contains("2040-01-01"), "{}", run.stdout);
    site.run(&["build", "--at", "2040-01-02"])
        .page("/")
        .contains("Call us any day");
}

#[test]
fn a_page_that_shows_the_form_itself_is_named() {
    let site = horizon();
    site.edit(
        "content/pages/appointment/page.yaml",
        "  form: {kind",
        "  callback: {kind: form, form: callback}\n  form: {kind",
    );
    let found = problems(&site);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(&format!("duplicate-id {CALL_BACK}:")),
        "{found:?}"
    );
    site.edit(
        CALL_BACK,
        "on_pages: [\"*\"]\n",
        "on_pages: [\"*\"]\nnot_on_pages: [appointment]\n",
    );
    assert_eq!(problems(&site), Vec::<String>::new());
}

#[test]
fn words_of_shared_sections_are_compared_and_listed_like_those_of_pages() {
    let site = shared("on_pages: [\"*\"]\n");
    let listed = site.run(&["translations"]).stdout;
    assert!(listed.contains("pages/call"), "{listed}");
    site.run(&["translations", "--accept"]);
    site.edit("content/pages/call/en.yaml", "any day", "today");
    let found = site.run(&["check"]).problems();
    assert!(
        found
            .iter()
            .any(|problem| problem.starts_with("stale-translation content/pages/call/es.yaml")),
        "{found:?}"
    );
}

#[test]
fn a_site_whose_frame_leaves_shared_sections_out_is_told_so() {
    let site = shared("on_pages: [\"*\"]\n");
    site.edit("templates/layouts/base.html", "in closing", "in sections");
    assert_eq!(
        problems(&site),
        ["template-missing content/pages/call/en.yaml"]
    );
}

#[test]
fn what_only_a_page_can_have_is_an_error_in_them() {
    let site = shared("on_pages: [\"*\"]\nexpires_at: 2999-01-01\nexpired_to: page:home\n");
    assert_eq!(
        problems(&site),
        ["invalid-value content/pages/call/page.yaml:3:13"]
    );
    let site = shared("on_pages: [\"*\"]\nnoindex: true\n");
    assert_eq!(
        problems(&site),
        ["invalid-value content/pages/call/page.yaml:2:10"]
    );
    // In the file of one language, it would be read for that language only.
    let site = SiteTest::small();
    site.write(
        "content/pages/call/en.yaml",
        "on_pages: [home]\nsections:\n  - {kind: lead, text: Call us.}\n",
    );
    let found = problems(&site);
    assert!(
        found.contains(&"invalid-value content/pages/call/en.yaml:1:11".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_page_that_is_not_public_now_can_be_named() {
    let site = shared("on_pages: [\"*\"]\nnot_on_pages: [later]\n");
    let page = "path: /later/\ntitle: Later\ndescription: What comes later on.\nunlinked: true\nuntranslated: true\n";
    let page =
        format!("{page}publish_at: 2999-01-01\nsections:\n  - {{kind: hero, title: Later}}\n");
    site.write("content/pages/later/en.yaml", page);
    assert_eq!(problems(&site), Vec::<String>::new());
    let site = horizon();
    let jobs = std::fs::read_dir(site.path("content/jobs"))
        .expect("jobs")
        .flatten();
    let job = jobs
        .map(|job| job.file_name().to_string_lossy().into_owned())
        .min()
        .expect("a job");
    site.edit(
        CALL_BACK,
        "on_pages: [\"*\"]\n",
        &format!("on_pages: [\"*\"]\nnot_on_pages: [jobs/{job}]\n"),
    );
    let at = |day: &str| site.run(&["build", "--at", day]).problems();
    assert_eq!(
        at("2026-01-01"),
        at("2099-01-01"),
        "a job that is over is known"
    );
}
