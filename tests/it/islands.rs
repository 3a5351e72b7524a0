//! Islands at build time: calls in templates are validated, each value is prerendered once, and errors are reported at
//! the template's line.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;

use crate::site_test::{Run, SiteTest, files_below};

const PAGE: &str = "templates/pages/page.html";

/// A small site whose pages contain the output of `call`.
fn site(call: &str) -> SiteTest {
    SiteTest::islands().file(
        PAGE,
        format!(
            "{{% extends \"layouts/base.html\" %}}\n{{% block main %}}{call}{{% endblock %}}\n"
        ),
    )
}

fn trial(name: &str) -> String {
    format!(r#"{{{{ island("faq", {{"name": {name:?}, "items": []}}, "load") }}}}"#)
}

fn build_with_node(site: &SiteTest, node: &str) -> Run {
    site.run_with(&["build"], &[("SITEGEN_NODE", node)])
}

/// Creates a shell script that replaces Node.
fn fake_node(site: &SiteTest, script: &str) -> String {
    site.write("stand-in", format!("#!/bin/sh\n{script}\n"));
    let path = site.path("stand-in");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable");
    path.to_string_lossy().into_owned()
}

fn answers(site: &SiteTest) -> usize {
    files_below(&site.path(".sitegen/islands")).len()
}

#[test]
fn an_island_is_prerendered_with_its_directive() {
    let run = site(&trial("x")).built();
    let page = run.page("/");
    page.contains(r#"<sitegen-island name="faq" when="load" src="/_assets/faq-"#);
    page.contains(r#"prefix="i0-" props='{"name":"x","items":[]}'><form id="form-x">"#);
    page.lacks("modulepreload");
}

#[test]
fn an_island_without_hydration_is_plain_markup() {
    let run = site(r#"{{ island("faq", {"name": "x", "items": []}, "none") }}"#).built();
    let html = run.page("/").html;
    assert!(
        !html.contains("sitegen-island")
            && !html.contains("modulepreload")
            && html.contains("form-x"),
        "{html}"
    );
}

#[test]
fn react_s_own_preload_hints_do_not_reach_the_page() {
    let html = site(&trial("x")).built().page("/").html;
    assert!(
        html.contains(r#"<img src="/picture.png""#) && !html.contains(r#"rel="preload""#),
        "{html}"
    );
}

#[test]
fn ids_of_two_islands_of_one_page_differ() {
    let html = site(&format!("{}{}", trial("x"), trial("y")))
        .built()
        .page("/")
        .html;
    let ids: BTreeSet<&str> = html
        .split("for=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(ids.len(), 2, "{html}");
}

#[test]
fn markup_in_props_stays_text() {
    let html =
        site(r#"{{ island("faq", {"name": "</script><!-- ' & \"", "items": []}, "load") }}"#)
            .built()
            .page("/")
            .html;
    assert!(
        html.contains(r#"props='{"name":"&lt;/script>&lt;!-- &#39; &amp; \"","items":[]}'"#),
        "{html}"
    );
    assert!(!html.contains("</script><!--"), "{html}");
}

#[test]
fn an_unknown_island_is_reported_at_its_line() {
    let run = site("\n{{ island(\"fqa\", {}, \"load\") }}").build();
    assert_eq!(
        run.problems(),
        ["unknown-island templates/pages/page.html:3:4"]
    );
    assert!(run.stderr.contains("did you mean `faq`?"), "{}", run.stderr);
}

#[test]
fn an_invalid_prop_is_reported_by_its_path() {
    let run = site(r#"{{ island("faq", {"name": 7, "items": []}, "load") }}"#).build();
    assert_eq!(
        run.problems(),
        ["island-props templates/pages/page.html:2:20"]
    );
    assert!(
        run.stderr
            .contains("`name`: invalid type: integer `7`, expected a string"),
        "{}",
        run.stderr
    );
    let run = site(
        r#"{{ island("faq", {"name": "x", "items": [{"question": "q", "answr": "a"}]}, "load") }}"#,
    )
    .build();
    assert!(
        run.stderr
            .contains("`items[0].answr`: unknown field `answr`"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_unknown_directive_is_reported() {
    let run = site(r#"{{ island("faq", {"name": "x", "items": []}, "visibel") }}"#).build();
    assert_eq!(
        run.problems(),
        ["template-error templates/pages/page.html:2:20"]
    );
    assert!(
        run.stderr.contains("did you mean `visible`?"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_throwing_component_is_reported_with_page_line_and_stack() {
    let run = site(&trial("throws")).build();
    assert!(
        run.problems()
            .iter()
            .all(|problem| problem == "island-failed templates/pages/page.html:2:20")
    );
    for text in [
        "the island `faq` threw an error: this component throws on purpose",
        "(on the page `/`)",
        "react/islands/faq/faq.tsx:17:",
    ] {
        assert!(run.stderr.contains(text), "{text}: {}", run.stderr);
    }
}

#[test]
fn an_island_without_a_component_is_reported() {
    let site = site(&trial("x"));
    site.remove("react/islands/faq/faq.tsx");
    site.edit(
        "react/islands.ts",
        "  faq: () => import(\"./islands/faq/faq\"),\n",
        "",
    );
    let run = site.build();
    assert!(
        run.stderr.contains("the island `faq` has no component"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_island_missing_in_the_table_is_reported() {
    let site = site(&trial("x"));
    site.edit(
        "react/islands.ts",
        "  faq: () => import(\"./islands/faq/faq\"),\n",
        "",
    );
    let run = site.build();
    assert!(
        run.stderr
            .contains(r#"add `"faq": () => import("./islands/faq/faq"),` to `react/islands.ts`"#),
        "{}",
        run.stderr
    );
}

#[test]
fn each_value_is_prerendered_once_and_then_cached() {
    let site = site(&trial("x"));
    for number in 0..40 {
        site.write(
            &format!("content/pages/p{number}/en.yaml"),
            format!(
                "path: /p{number}/\ntitle: P{number}\ndescription: D{number}\nsections:\n  - kind: hero\n    title: P\n"
            ),
        );
    }
    let first = site.built().files();
    assert_eq!(answers(&site), 1);
    let second = build_with_node(&site, "/no/such/node");
    assert_eq!(second.status, 0, "{}", second.stderr);
    assert!(second.files() == first);
}

#[test]
fn a_damaged_cache_entry_is_prerendered_again() {
    let site = site(&trial("x"));
    let before = site.built().files();
    let (answer, _) = files_below(&site.path(".sitegen/islands"))
        .into_iter()
        .next()
        .expect("an answer");
    let path = format!(".sitegen/islands/{answer}");
    let entry = std::fs::read(site.path(&path)).expect("an entry");
    site.write(&path, &entry[..entry.len() - 5]);
    assert!(site.built().files() == before);
}

#[test]
fn an_island_of_a_changed_bundle_is_prerendered_again() {
    let site = site(&trial("x"));
    site.built();
    site.edit("react/islands/faq/faq.tsx", "useState(0)", "useState(7)");
    let html = site.built().page("/").html;
    assert!(html.contains(">7</button>"), "{html}");
    assert_eq!(answers(&site), 2);
}

#[test]
fn a_missing_node_is_reported_with_a_hint() {
    let site = site(&trial("x"));
    let run = build_with_node(&site, "/no/such/node");
    assert_eq!(
        run.problems(),
        ["node-missing templates/pages/page.html:2:20"]
    );
    assert!(
        run.stderr.contains("install Node.js 20 or newer"),
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 3);
}

#[test]
fn a_node_that_is_too_old_is_reported() {
    let site = site(&trial("x"));
    let run = build_with_node(
        &site,
        &fake_node(
            &site,
            r#"echo '{"id":0,"answer":"v18.20.1"}'; cat >/dev/null"#,
        ),
    );
    assert!(
        run.stderr.contains("is v18.20.1, which is too old"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_error_of_node_is_quoted() {
    let site = site(&trial("x"));
    let run = build_with_node(
        &site,
        &fake_node(&site, "echo 'SyntaxError: Unexpected token' >&2; exit 1"),
    );
    assert!(
        run.stderr.contains(": SyntaxError: Unexpected token"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_crash_of_node_is_reported_and_nothing_is_published() {
    let site = site(&trial("exits"));
    let run = site.build();
    assert!(
        run.stderr
            .contains("(exit status: 3) while prerendering the island `faq`"),
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 1);
    assert!(run.files().is_empty());
}
