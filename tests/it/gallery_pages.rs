//! The gallery of the style guide: a page for each section kind and each component, and problems of invalid examples.

use std::collections::BTreeSet;

use content::gallery::reference;
use content::sections::Kinds;

use crate::site_test::{Run, SiteTest, files_below, repository};

const LIST: &str = "/style-guide/components/";

/// The folders of `templates/` that have a gallery page: section kinds, and components with a template.
fn folders() -> BTreeSet<String> {
    let named = |group: &str| -> Vec<String> {
        let files = files_below(&repository().join("templates").join(group));
        let templates = files.into_keys().filter(|path| path.ends_with(".html"));
        templates
            .filter_map(|path| Some(path.split_once('/')?.0.replace('_', "-")))
            .collect()
    };
    [named("sections"), named("components")]
        .concat()
        .into_iter()
        .collect()
}

/// The parts listed in the gallery, by the last segment of their URLs.
fn listed(run: &Run) -> BTreeSet<String> {
    let html = run.page(LIST).html;
    let links = html
        .split("guide-gallery__link\" href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    links
        .map(|href| {
            href.trim_start_matches(LIST)
                .trim_end_matches('/')
                .to_owned()
        })
        .collect()
}

#[test]
fn the_gallery_lists_exactly_the_templates_and_each_page_is_valid() {
    let run = SiteTest::whole().built();
    assert_eq!(listed(&run), folders());
    for name in folders() {
        let page = run.page(&format!("{LIST}{name}/"));
        page.contains("id=\"weight\"");
        assert_eq!(
            page.html.matches("<h1").count(),
            1,
            "{name} has one main heading"
        );
        let ids: Vec<&str> = page
            .html
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        let once: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), once.len(), "{name} has an id twice: {ids:?}");
        // The entry of the sidebar, and the examples that mark a page as the current one.
        let own = match name.as_str() {
            "pagination" => 2,
            "breadcrumb" => 1,
            _ => 0,
        };
        assert_eq!(
            page.html.matches("aria-current=\"page\"").count(),
            1 + own,
            "{name}"
        );
    }
    run.page(&format!("{LIST}quote/"))
        .contains("<code>kind: quote</code>")
        .contains("- kind: quote\n  text: ")
        .contains("class=\"band band--white quote");
    run.page("/style-guide/search/")
        .contains("href=\"/style-guide/components/pricing-table/\"");
}

#[test]
fn every_field_of_every_kind_has_a_description() {
    let kinds = Kinds::of_theme();
    assert!(kinds.iter().count() >= 44, "the kinds of the theme");
    for kind in kinds.iter() {
        let (rows, kind) = (reference(kind), kind.name);
        assert!(rows.len() > 2, "{kind} has no fields of its own");
        for row in &*rows {
            assert!(
                !row.meaning.is_empty(),
                "{kind}: the field `{}{}` has no meaning in its schema",
                row.within,
                row.name
            );
        }
    }
}

#[test]
fn a_changed_template_changes_its_page_and_no_other() {
    let site = SiteTest::whole();
    let before = site.built();
    let address = |name: &str| format!("{LIST}{name}/");
    let (quote, hero) = (
        before.page(&address("quote")).html,
        before.page(&address("hero")).html,
    );
    site.edit(
        "templates/sections/quote/quote.html",
        "<section class=\"",
        "<section class=\"renamed ",
    );
    let after = site.built();
    after
        .page(&address("quote"))
        .contains("<section class=\"renamed ")
        .contains("&lt;section class=&quot;renamed ");
    assert_ne!(after.page(&address("quote")).html, quote);
    assert_eq!(after.page(&address("hero")).html, hero);
    site.edit(
        "templates/components/chip/examples.yaml",
        "count: 8",
        "count: 81",
    );
    site.built().page(&address("chip")).contains(">81<");
}

#[test]
fn a_site_without_the_section_has_no_gallery() {
    let site = SiteTest::small();
    site.write(
        "templates/components/box/box.html",
        "{% macro box() %}{% endmacro %}",
    );
    assert_eq!(site.built().problems(), Vec::<String>::new());
}

#[track_caller]
fn assert_reported(run: &Run, problem: &str, words: &str) {
    let reported = run
        .problems()
        .iter()
        .filter(|found| found.starts_with(problem))
        .count();
    assert_eq!(
        reported, 1,
        "{problem} is reported {reported} times:\n{}",
        run.stderr
    );
    assert!(
        run.stderr.contains(words),
        "{words:?} is not in the output:\n{}",
        run.stderr
    );
}

#[test]
fn invalid_examples_are_reported_once_at_their_place() {
    let site = SiteTest::whole();
    // Without the theme, which has the files that are removed here.
    site.edit("content/site.yaml", "\ntheme:", "\n# theme:");
    site.remove("templates/sections/photo/examples.yaml");
    site.remove("templates/components/logo/examples.yaml");
    site.edit(
        "templates/sections/quote/examples.yaml",
        "text: Software",
        "txet: Software",
    );
    site.edit(
        "templates/sections/faq/examples.yaml",
        "kind: faq",
        "kind: phases",
    );
    site.edit(
        "templates/sections/prose/examples.yaml",
        "- name: Minimal",
        "- name: [Minimal",
    );
    site.edit(
        "templates/sections/timeline/examples.yaml",
        "- name: Full",
        "- nmae: Full",
    );
    site.edit(
        "templates/components/chip/examples.yaml",
        "    item: ",
        "    itme: ",
    );
    let run = site.run(&["check"]);
    assert_reported(
        &run,
        "examples-missing templates/sections/photo/examples.yaml",
        "has no examples",
    );
    assert_reported(
        &run,
        "examples-missing templates/components/logo/examples.yaml",
        "hint: add a list",
    );
    assert_reported(
        &run,
        "unknown-key templates/sections/quote/examples.yaml:4:5",
        "did you mean `text`?",
    );
    assert_reported(
        &run,
        "unknown-section templates/sections/faq/examples.yaml:3:11",
        "this is the folder of `faq`",
    );
    assert_reported(
        &run,
        "yaml-syntax templates/sections/prose/examples.yaml:1:9",
        "is never closed",
    );
    assert_reported(
        &run,
        "unknown-key templates/sections/timeline/examples.yaml:",
        "did you mean `name`?",
    );
    assert_reported(
        &run,
        "unknown-key templates/components/chip/examples.yaml:",
        "did you mean `item`?",
    );
    assert_eq!(run.problems().len(), 7, "{}", run.stderr);
}

#[test]
fn an_error_in_an_example_is_reported_at_its_line() {
    let site = SiteTest::whole();
    site.edit(
        "templates/sections/portfolio/examples.yaml",
        "page:case-studies",
        "page:case-studeis",
    );
    let run = site.run(&["check"]);
    assert_reported(
        &run,
        "dead-link templates/sections/portfolio/examples.yaml:6:",
        "did you mean `page:case-studies`?",
    );
    let site = SiteTest::whole();
    site.edit(
        "templates/components/breadcrumb/examples.yaml",
        "breadcrumb(values.steps)",
        "breadcrumb(valuse.steps)",
    );
    let run = site.run(&["check"]);
    assert_reported(
        &run,
        "template-error templates/components/breadcrumb/examples.yaml:14:",
        "is undefined here",
    );
}
