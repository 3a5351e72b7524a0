//! A mistake is reported once, with what to write instead; what follows from it elsewhere is not.

use crate::new_site::new_site;
use crate::site_test::SiteTest;

const COLLECTION: &str = "templates/collections/events/schema.yaml";
const SECTION: &str = "templates/sections/price_list/schema.yaml";

/// A site with a collection and a kind of section of its own, both in use.
fn site() -> SiteTest {
    let site = new_site(&["--no-blog"]);
    for arguments in [
        ["new", "collection", "events"],
        ["new", "section", "price_list"],
    ] {
        assert_eq!(site.run(&arguments).status, 0);
    }
    let first = std::fs::read_to_string(site.path("content/events/first.yaml")).expect("an entry");
    for number in 0..5 {
        let text = first
            .replace("A first", &format!("Number {number}"))
            .replace("Say in", &format!("{number}: say in"));
        site.write(&format!("content/events/number-{number}.yaml"), text);
    }
    let list = "sections:\n  - {kind: entries, of: events}\n  - kind: price_list\n    title: Prices\n    items: \
                [{title: \"[One](page:events/first)\", text: \"[One](page:events/first).\", to: page:events/first}]\n";
    site.edit("content/pages/about/en.yaml", "sections:\n", list);
    let run = site.run(&["check"]);
    assert_eq!(
        (run.status, run.problems()),
        (0, Vec::new()),
        "{}",
        run.stderr
    );
    site
}

#[test]
fn a_wrong_field_of_a_collection_gives_one_error() {
    let site = site();
    for (right, wrong, problem) in [
        ("    required: true\n", "    requird: true\n", "unknown-key"),
        ("type: date", "type: dat", "invalid-value"),
        ("max: 160", "max: many", "collection-schema"),
        ("  summary:\n", "  sumary:\n", "unknown-id"),
        ("sort: [date]", "sort: [dat]", "unknown-id"),
        ("description: ", "descripton: ", "unknown-key"),
        (
            "  title:\n    type: text\n    words: true\n",
            "  title:\n    type: text\n    wordz: true\n",
            "unknown-key",
        ),
    ] {
        site.edit(COLLECTION, right, wrong);
        let run = site.run(&["check"]);
        let found = run.problems();
        let is_one = found.len() == 1 || wrong.starts_with("descripton") && found.len() == 2;
        let is_right = found.iter().all(|found| found.contains(COLLECTION))
            && found.iter().any(|found| found.starts_with(problem));
        assert!(is_one && is_right, "{wrong}: {}", run.stderr);
        site.edit(COLLECTION, wrong, right);
    }
}

#[test]
fn a_wrong_field_of_a_section_gives_one_error() {
    let site = site();
    for (right, wrong, problem) in [
        ("    list: true\n", "    lists: true\n", "unknown-key"),
        ("type: markdown", "type: markdwn", "invalid-value"),
        ("meaning: Titled", "meening: Titled", "unknown-key"),
    ] {
        site.edit(SECTION, right, wrong);
        let run = site.run(&["check"]);
        let found = run.problems();
        let is_right = found.iter().all(|found| found.contains(SECTION))
            && found.iter().any(|found| found.starts_with(problem));
        assert!(is_right && found.len() <= 2, "{wrong}: {}", run.stderr);
        site.edit(SECTION, wrong, right);
    }
}

#[test]
fn a_file_that_is_too_heavy_for_every_page_is_reported_once() {
    let site = SiteTest::whole()
        .argument("--set=budgets.css=0.1")
        .argument("--set=budgets.script=0.01");
    let run = site.run(&["check"]);
    let reported = |what: &str| {
        run.stderr
            .lines()
            .filter(|line| line.contains(what))
            .collect::<Vec<_>>()
    };
    for what in [
        "kB of style sheets (compressed)",
        "kB of script (compressed)",
    ] {
        let lines = reported(what);
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(
            lines[0].contains("; other pages over the budget: "),
            "{}",
            lines[0]
        );
    }
}

#[test]
fn a_mistake_in_a_form_a_path_or_a_setting_gives_one_error_whose_hint_is_right() {
    let site = new_site(&["--languages", "en,es"]);
    let home = "content/pages/home/en.yaml";
    let about = "content/pages/about/es.yaml";
    for (file, right, wrong, problem, hint) in [
        // Pages link to its choices, of which nothing is known then.
        (
            "content/forms/lead/en.yaml",
            "    title:",
            "    titel:",
            "unknown-key",
            "did you mean `title`?",
        ),
        (home, "path: /", "path: Home", "bad-path", "write `/home/`"),
        (
            about,
            "path: /es/nosotros/",
            "path: Sobre Nosotros",
            "bad-path",
            "write `/es/sobre-nosotros/`",
        ),
        (
            about,
            "path: /es/nosotros/",
            "path: es/sobre",
            "bad-path",
            "write `/es/sobre/`",
        ),
        (
            "content/site.yaml",
            "  email: hello@acme.example",
            "  email: hello at acme",
            "invalid-value",
            "write one such as `ana@example.com`",
        ),
        (
            "content/site.yaml",
            "  email: hello@acme.example",
            "  email: hello.acme.example",
            "invalid-value",
            "write one such as `ana@example.com`",
        ),
        (
            "content/site.yaml",
            "  slug: acme",
            "  slug: acme\n  slgu: acme",
            "unknown-key",
            "`slug` is already set; remove one of the two",
        ),
        (
            "content/site.yaml",
            "budgets: {html: 60,",
            "budgets: {html: twenty,",
            "wrong-type",
            "write a number, such as `0.5`",
        ),
    ] {
        site.edit(file, right, wrong);
        let run = site.run(&["check"]);
        let found = run.problems();
        assert!(
            matches!(&found[..], [one] if one.starts_with(&format!("{problem} {file}:"))),
            "{wrong}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains(&format!("hint: {hint}\n")),
            "{wrong}: {}",
            run.stderr
        );
        site.edit(file, wrong, right);
    }
}
