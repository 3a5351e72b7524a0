//! Kinds of sections and islands that a site adds to the theme: they are checked like those of the theme, and shown in
//! the gallery.

use std::path::Path;

use crate::new_site::new_site;
use crate::preview::post;
use crate::serve::Server;
use crate::site_test::{Run, SiteTest, sitegen};

const SECTION: &str = "
  - kind: price_estimate
    title: What it costs
    intro: Per seat.
    items:
      - {title: Each month, text: \"**Twelve** dollars.\", to: page:home}
";
const ISLAND: &str = "{{ island(\"seats\", {\"label\": section.title, \"price\": 12, \"currency\": \"$\"}, \"visible\") }}";
const TEMPLATE: &str = "templates/sections/price_estimate/price_estimate.html";
const SCHEMA: &str = "templates/sections/price_estimate/schema.yaml";
const PAGE: &str = "content/pages/services/en.yaml";

fn new(root: &Path, arguments: &[&str]) -> std::process::Output {
    sitegen()
        .arg("new")
        .args(arguments)
        .arg("--root")
        .arg(root)
        .output()
        .expect("sitegen starts")
}

fn read(site: &SiteTest, path: &str) -> String {
    std::fs::read_to_string(site.path(path)).expect("a file")
}

/// All style sheets that a page loads.
fn styles(run: &Run, path: &str) -> String {
    let html = &run.page(path).html;
    let names = html
        .split("href=\"/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let sheets = names.filter(|name| {
        name.split('?')
            .next()
            .is_some_and(|name| name.ends_with(".css"))
    });
    sheets
        .map(|name| std::fs::read_to_string(run.out.join(name)).expect("a style sheet"))
        .collect()
}

/// A new site with a kind of section, which holds an island, on a page.
fn site() -> SiteTest {
    let site = new_site(&[]);
    for arguments in [["section", "price-estimate"], ["island", "seats"]] {
        let output = new(&site.path(""), &arguments);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    site.edit(TEMPLATE, "</ul>", &format!("</ul>\n{ISLAND}"));
    let page = read(&site, PAGE);
    site.write(PAGE, format!("{}\n{SECTION}", page.trim_end()));
    site
}

#[test]
fn a_section_and_an_island_of_a_site_are_built() {
    let site = site();
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = run.page("/services/");
    page.contains("class=\"band band--paper price-estimate\"")
        .contains("<strong>Twelve</strong> dollars.")
        .contains("<output for=\"_i2-R_0_\">$ 12</output>");
    // Its styles are on pages that use it, and on no other.
    assert!(
        styles(&run, "/services/").contains(".price-estimate__item"),
        "no styles"
    );
    assert!(
        !styles(&run, "/contact/").contains(".price-estimate__item"),
        "styles on a page without the section"
    );
}

#[test]
fn mistakes_in_a_section_of_a_site_are_reported_like_others() {
    let site = site();
    for (path, old, new, expected) in [
        (
            PAGE,
            "intro: Per seat.",
            "intr: Per seat.",
            "error[unknown-key]: unknown key `intr`",
        ),
        (PAGE, "to: page:home}", "to: page:hom}", "error[dead-link]"),
        (
            PAGE,
            "{title: Each month, ",
            "{",
            "error[missing-key]: the key `title` is missing here",
        ),
        (
            PAGE,
            "kind: price_estimate",
            "kind: price_estimat",
            "hint: did you mean `price_estimate`?",
        ),
        (
            PAGE,
            "    title: What it costs\n",
            "    title: [What it costs]\n",
            "error[wrong-type]",
        ),
        (
            SCHEMA,
            "type: markdown",
            "type: markdwon",
            "hint: did you mean `markdown`?",
        ),
        (
            SCHEMA,
            "  intro:",
            "  band:",
            "error[section-schema]: every section already has `band`",
        ),
        (
            SCHEMA,
            "  intro:",
            "  In-tro:",
            "error[section-schema]: `In-tro` is not a valid name for a field",
        ),
        (
            SCHEMA,
            "{type: link,",
            "{type: choice,",
            "error[section-schema]: `to` has `type: choice`, but no `choices`",
        ),
        (
            SCHEMA,
            "{type: link,",
            "{type: block,",
            "error[section-schema]: `to` has `type: block`, but no `fields`",
        ),
        (
            SCHEMA,
            "{type: link,",
            "{type: link, default: x,",
            "error[section-schema]: only a single choice",
        ),
        (
            SCHEMA,
            "{type: link,",
            "{type: choice, choices: {a: One, b: Two}, default: c,",
            "error[section-schema]: `c` is not one of the choices",
        ),
        (
            SCHEMA,
            "{type: link, meaning: A page with more about it.}",
            "{type: link}",
            "the key `meaning` is missing",
        ),
        (
            TEMPLATE,
            "{{ item.title }}",
            "{{ item.titel }}",
            "error[template-error]",
        ),
        (
            TEMPLATE,
            "\"price\": 12",
            "\"price\": \"12\"",
            "`price`: expected a number, found the text `12`",
        ),
        (TEMPLATE, "\"price\": 12, ", "", "missing prop `price`"),
        (
            TEMPLATE,
            "\"currency\": \"$\"",
            "\"curency\": \"$\"",
            "unknown prop `curency` (did you mean `currency`?)",
        ),
        (
            TEMPLATE,
            "island(\"seats\"",
            "island(\"seat\"",
            "hint: did you mean `seats`?",
        ),
        (
            "react/islands/seats/seats.tsx",
            "  price: number;",
            "  price: () => void;",
            "`price`: its type is `() => void`, which a template cannot pass",
        ),
        (
            "react/islands/seats/seats.tsx",
            "export default function",
            "export function",
            "the props of the island `seats` could not be read: it has no default export",
        ),
        (
            "react/custom-islands.ts",
            "  \"seats\": () => import(\"./islands/seats/seats\"),\n",
            "",
            "`react/custom-islands.ts` has no island `seats`",
        ),
    ] {
        let before = read(&site, path);
        site.edit(path, old, new);
        let run = site.run(&["check"]);
        assert_eq!(run.status, 1, "{path}: {new}");
        assert!(
            run.stderr.contains(expected),
            "{path}: {new}\n{}",
            run.stderr
        );
        site.write(path, &before);
    }
    assert_eq!(site.run(&["check"]).status, 0);
}

#[test]
fn the_examples_of_a_section_are_checked_without_a_style_guide() {
    let site = site();
    let examples = "templates/sections/price_estimate/examples.yaml";
    site.edit(examples, "items:", "itms:");
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("error[unknown-key]: unknown key `itms`"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains(examples), "{}", run.stderr);
    // Examples that were copied from the theme name pages of another site.
    let site = new_site(&["--no-blog"]);
    assert_eq!(site.run(&["theme", "copy", "sections/hero"]).status, 0);
    assert_eq!(site.run(&["check"]).status, 0);
}

#[test]
fn a_section_of_a_site_must_have_a_name_of_its_own() {
    let site = site();
    site.write("templates/sections/lonely/lonely.css", "");
    let run = site.run(&["check"]);
    let expected = "`templates/sections/lonely/` has no `schema.yaml`";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    for arguments in [
        ["section", "hero"],
        ["section", "Größe"],
        ["section", "price_estimate"],
        ["island", "faq"],
    ] {
        let output = new(&site.path(""), &arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(2) && message.contains("error[new-refused]"),
            "{arguments:?}: {message}"
        );
    }
}

#[test]
fn a_site_gives_a_section_of_the_theme_another_field() {
    let site = new_site(&["--no-blog"]);
    assert_eq!(site.run(&["theme", "copy", "sections/quote"]).status, 0);
    let schema = "templates/sections/quote/schema.yaml";
    site.write(
        schema,
        format!(
            "{}  year: {{type: number, meaning: When it was said.}}\n",
            read(&site, schema)
        ),
    );
    let template = "templates/sections/quote/quote.html";
    site.write(
        template,
        format!(
            "{}<p>Said in {{{{ section.year }}}}</p>\n",
            read(&site, template)
        ),
    );
    let page = "content/pages/home/en.yaml";
    let quote = "  - {kind: quote, text: It runs., author: Ana, role: Director, year: 2026}\n";
    site.write(page, format!("{}{quote}", read(&site, page)));
    site.built().page("/").contains("Said in 2026");
    site.edit(page, "year: 2026", "yaer: 2026");
    let run = site.run(&["check"]);
    assert!(
        run.stderr.contains("unknown key `yaer`") && run.stderr.contains("did you mean `year`"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_style_guide_shows_a_section_of_the_site() {
    let site = SiteTest::whole();
    let output = new(&site.path(""), &["section", "price_estimate"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let page = site.built();
    page.page("/style-guide/components/price-estimate/")
        .contains("Titled texts, one below the other.")
        .contains("Two things to know")
        .contains("items[].<");
}

/// A schema with blocks in lists in blocks.
fn nested(depth: usize) -> String {
    let inner = "{t: {type: text, meaning: A text.}}".to_owned();
    let around = |fields: String, _| {
        format!("{{b: {{type: block, list: true, meaning: A list., fields: {fields}}}}}")
    };
    format!(
        "meaning: A kind.\nfields: {}\n",
        (0..depth).fold(inner, around)
    )
}

#[test]
fn forms_are_made_whatever_kinds_a_site_has() {
    let site = new_site(&[]);
    for name in ["a", "opening-hours"] {
        assert!(new(&site.path(""), &["section", name]).status.success());
    }
    let print = ["cms", "--print", "--repo", "company/website"];
    let run = site.run(&print);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // The schema of a kind is a file of the site, whose own schema contains itself.
    assert!(
        run.stdout.contains("templates/sections/a/schema.yaml"),
        "{}",
        run.stdout
    );
    // A form shows as many levels as it can, and a file that is deeper than is read is a problem.
    for depth in [5, 12, 100, 20_000] {
        site.write("templates/sections/a/schema.yaml", nested(depth));
        for command in [&print[..], &["check"]] {
            let run = site.run(command);
            assert!((0..=2).contains(&run.status), "{depth}: {}", run.stderr);
            assert!(!run.stderr.contains("panicked"), "{depth}: {}", run.stderr);
        }
    }
    assert_eq!(
        site.run(&["check"]).problems()[0].split(' ').next(),
        Some("yaml-syntax")
    );
}

#[test]
fn the_preview_of_a_site_with_kinds_of_its_own_answers_and_goes_on() {
    let site = new_site(&[]);
    assert!(new(&site.path(""), &["section", "a"]).status.success());
    let server = Server::start(site, &[]);
    for _ in 0..2 {
        let (status, _, body) = server.get("/admin/config.json");
        assert!(
            status == 200 && body.contains("sections/a/schema.yaml"),
            "{status}"
        );
    }
    // Deep requests, too.
    for body in [
        "[".repeat(100_000),
        format!("{{\"action\": {}", "{\"a\":".repeat(100_000)),
    ] {
        assert_eq!(post(&server, "/admin/api", &body, "").0, 422);
    }
    let raw = format!("{{\"title\": {}1{}}}", "[".repeat(120), "]".repeat(120));
    let file = serde_json::json!({"path": PAGE, "slug": "a", "raw": raw});
    let save = serde_json::json!({"action": "persistEntry", "params": {"dataFiles": [file], "assets": []}});
    assert_ne!(post(&server, "/admin/api", &save.to_string(), "").0, 200);
    assert_eq!(server.get("/").0, 200);
}

#[test]
fn templates_that_lead_into_themselves_are_a_problem() {
    let site = site();
    let deep = "{{ ".to_owned() + &"-".repeat(50_000) + "1 }}";
    let including = "{% include \"sections/price_estimate/price_estimate.html\" %}";
    let calling = "{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}";
    for template in [
        including,
        calling,
        &deep,
        &format!("{{{{ 1{} }}}}", "~1".repeat(50_000)),
    ] {
        site.write(TEMPLATE, template);
        let run = site.run(&["check"]);
        assert_eq!(run.status, 1, "{:.60}: {}", template, run.stderr);
        assert!(
            run.problems()[0].starts_with("template-"),
            "{:.60}: {}",
            template,
            run.stderr
        );
    }
}
