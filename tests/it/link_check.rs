//! Addresses in templates, and orphan pages.

use crate::collections::events;
use crate::site_test::SiteTest;

const BASE: &str = "templates/layouts/base.html";

fn with_template(line: &str) -> SiteTest {
    let site = SiteTest::small();
    site.edit(BASE, "<footer>", &format!("{line}<footer>"));
    site
}

fn check(line: &str, message: &str) {
    let run = with_template(line).build();
    assert_eq!(run.status, 1, "{line}: {}", run.stderr);
    assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    assert_eq!(
        run.stderr.matches("error[").count(),
        1,
        "a mistake on every page is reported once: {}",
        run.stderr
    );
    assert!(
        run.stderr.contains("--> templates/layouts/base.html:"),
        "{line}: {}",
        run.stderr
    );
}

#[test]
fn addresses_in_templates_must_exist() {
    check(
        "<a href=\"/abuot/\">x</a>",
        "refers to `/abuot/`, which does not exist",
    );
    check(
        "<img src=\"/missing.png\" alt=\"\">",
        "refers to `/missing.png`, which does not exist",
    );
    check(
        "<script src='/missing.js'></script>",
        "refers to `/missing.js`, which does not exist",
    );
    check(
        "<a href=\"https://small.example/gone/\">x</a>",
        "refers to `https://small.example/gone/`",
    );
    check("<a href=\"plain.txt\">x</a>", "a relative URL");
    check(
        "<a href=\"#nowhere\">x</a>",
        "no element there has the id `nowhere`",
    );
    check("<a href=\"/plain.txt/more/\">x</a>", "which does not exist");
}

#[test]
fn a_missing_file_in_srcset_is_reported() {
    let run =
        with_template("<img src=\"/plain.txt\" srcset=\"/plain.txt 1x, /other.png 2x\" alt=\"\">")
            .build();
    assert!(
        run.stderr.contains("refers to `/other.png`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_link_to_another_language_needs_hreflang() {
    let site = SiteTest::small();
    site.edit(BASE, " hreflang=\"{{ language.language }}\"", "");
    let run = site.build();
    assert!(
        run.stderr
            .contains("a page in another language, but the link's `hreflang` is missing"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("hint: add `hreflang=\"en\"` to the link"),
        "{}",
        run.stderr
    );
}

#[test]
fn valid_addresses_are_accepted_in_every_notation() {
    for line in [
        "<a href=\"/old\">x</a>",
        "<a href=\"/plain.txt?v=1\">x</a>",
        "<a href=\"https://other.example/x\">x</a>",
        "<a href=\"mailto:a@b.example\">x</a>",
        "<p id=\"here\"><a href=\"#here\">x</a></p>",
        "<a href=\"#top\">x</a>",
    ] {
        with_template(line).built();
    }
}

#[test]
fn an_orphan_page_is_a_warning() {
    let lone = "path: /lone/\ntitle: Lone\ndescription: Nobody links here.\nsections:\n  - {kind: hero, title: Lone}\n";
    let site = SiteTest::small().file("content/pages/lone/en.yaml", lone);
    let run = site.built();
    assert!(
        run.stderr
            .contains("warning[orphan-page]: `/lone/` cannot be reached by links from a home page"),
        "{}",
        run.stderr
    );
    for excuse in ["noindex: true", "unlinked: true"] {
        site.write("content/pages/lone/en.yaml", format!("{excuse}\n{lone}"));
        assert_eq!(site.built().stderr, "", "{excuse}");
    }
}

#[test]
fn a_collection_that_no_page_lists_is_one_warning_in_each_language() {
    let site = events();
    for page in ["content/pages/home/en.yaml", "content/pages/home/es.yaml"] {
        site.edit(page, "  - {kind: entries, of: events}\n", "");
    }
    let run = site.built();
    let list =
        "hint: add a link, or list the collection on a page: `- {kind: entries, of: events}`";
    for path in [
        "/events/one/",
        "/events/two/",
        "/es/events/one/",
        "/es/events/two/",
    ] {
        assert!(
            run.stderr
                .contains(&format!("`{path}` cannot be reached by links")),
            "{}",
            run.stderr
        );
    }
    assert_eq!(run.stderr.matches(list).count(), 4, "{}", run.stderr);
    for more in ["three", "four"] {
        let event = format!("title: {{en: \"{more} more\"}}\ndate: 2035-03-01\nplace: hall\n");
        site.write(&format!("content/events/{more}.yaml"), event);
    }
    let run = site.built();
    assert!(
        run.stderr
            .contains("4 pages of `events`, such as `/events/one/`, cannot be reached by links from a home page"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("4 pages of `events`, such as `/es/events/one/`, cannot be reached by links from a home page"),
        "{}",
        run.stderr
    );
    assert_eq!(
        run.stderr.matches("warning[orphan-page]").count(),
        2,
        "{}",
        run.stderr
    );
    assert_eq!(
        run.stderr
            .matches("--> templates/collections/events/schema.yaml")
            .count(),
        2,
        "{}",
        run.stderr
    );
}

#[test]
fn check_and_build_report_the_same_problems() {
    let site = with_template("<a href=\"/abuot/\">x</a>");
    assert_eq!(site.run(&["check"]).problems(), site.build().problems());
}
