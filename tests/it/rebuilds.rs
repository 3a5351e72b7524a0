//! Which pages a build renders again after an edit, and that it renders no other.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::incremental;
use crate::site_test::{SiteTest, repository};

/// The file of an edit, the text that is replaced (an empty one stands for a new file), and the text in its place.
type Edit = (&'static str, &'static str, &'static str);

/// Each edit with the addresses of the pages that are rendered again. `*` stands for any characters, so `/es/*` for all
/// pages in Spanish. The edits follow one another on the same site.
const EDITS: &[(Edit, &[&str])] = &[

    (("content/site.yaml", "base_url:", "# A comment.\n\nbase_url:"), &[]),
    (("content/site.yaml", "  - {from: /old, to: page:about}", "  - {from: /old, to: page:about}\n  - {from: /older, to: page:about}"), &[]),
    (("content/site.yaml", "assets: {keep_days: 0}", "assets: {keep_days: 0}\nprecompress: true"), &[]),
    (("content/site.yaml", "precompress: true", "precompress: false\nhost: netlify"), &[]),
    (("content/site.yaml", "host: netlify", "headers: {X-Test: one}"), &[]),
    (("content/site.yaml", "headers:", "leads: {keep_days: 30}\nheaders:"), &[]),
    (("content/site.yaml", "leads:", "budgets: {html: 900}\nleads:"), &["*"]),
    (("content/site.yaml", "copyright_year: 2025", "copyright_year: 2026"), &["*"]),
    (("content/site.yaml", "company: {name: Small Works}", "company: {name: Small Workshop}"), &["*"]),
    (("content/site.yaml", "product: {name: Small,", "product: {name: Tiny,"), &["*"]),
    (("content/site.yaml", "es: Nosotros}", "es: Quiénes somos}"), &["/es/*"]),
    (("content/site.yaml", "{label: Home,", "{label: Start,"), &[]),
    (("content/site.yaml", "en: Small things.", "en: Very small things."), &[]),
    (("content/locales/en.yaml", "menu: Menu", "menu: Main menu"), &[]),
    (("content/locales/es.yaml", "messages:", "# Un comentario.\nmessages:"), &[]),
    (("content/pages/about/en.yaml", "path: /about/", "# A comment.\npath: /about/"), &[]),
    (("content/pages/about/en.yaml", "We are {company.name}.", "Here is {company.name}."), &["/about/"]),
    (("content/pages/about/en.yaml", "Who makes the small things.", "The makers of small things."), &["/about/"]),
    (("content/pages/about/en.yaml", "title: About us\ndescription", "title: About the team\ndescription"), &["/about/"]),
    (("content/pages/home/es.yaml", "path: /es/", "updated: 2025-01-02\npath: /es/"), &["/es/"]),
    (("content/pages/work/en.yaml", "description: What was built.", "description: What we built."), &["/work/"]),
    (("content/pages/notes/en.yaml", "lead: All.", "lead: All notes."), &[]),
    (("content/pages/notes/es.yaml", "title: Notes /es/notas/", "title: Notas"), &[]),
    (("content/blog/en/note-5.md", "---\ntitle", "---\n# A comment.\ntitle"), &[]),
    (("content/blog/en/note-5.md", "The first words", "The second words"), &["/notes/note-5/"]),
    (("content/blog/en/note-5.md", "title: Note 5 first", "title: Note 5"), &[]),
    (("content/blog/en/note-5.md", "tags: [Gamma]", "tags: [Gamma]\nexcerpt: In short."), &[]),
    (("content/blog/en/note-5.md", "tags: [Gamma]", "tags: [Beta]"), &[]),
    (("content/blog/en/note-5.md", "author: ana", "author: leo"), &[]),
    (("content/blog/en/note-5.md", "excerpt:", "image: {src: shared.svg, alt: A shape}\nexcerpt:"), &[]),
    (("content/blog/en/note-5.md", "excerpt:", "modified: 2025-01-02\nexcerpt:"), &[]),
    (("content/blog/en/note-5.md", "2024-06-06", "2024-12-30"), &[]),
    (("content/blog/en/note-99.md", "", "---\ntitle: Ninety-nine\ndate: 2023-01-01\nauthor: leo\n---\nNew.\n"), &[]),
    (("content/images/shared.svg", "M0 0h9v9z", "M0 0h8v8z"), &[]),
    (("content/authors/ana.yaml", "{en: Writes., es: Escribe.}", "{en: Writes a lot., es: Escribe.}"), &[]),
    (("content/authors/ana.yaml", "description", "role: {en: Engineer, es: Ingeniera}\ndescription"), &[]),
    (("content/authors/ana.yaml", "es: Ingeniera}", "es: Ingeniera jefe}"), &[]),
    (("content/authors/ana.yaml", "name: Ana Ruiz", "name: Ana Ruiz Gil"), &[]),
    (("content/authors/leo.svg", "M0 0h9v9z", "M0 0h8v8z"), &[]),
    (("content/case-studies/bridge.yaml", "9,000 a day", "9,500 a day"), &[]),
    (("content/case-studies/bridge.yaml", "short_description: A bridge that was mended.", "short_description: A bridge."), &[]),
    (("content/case-studies/bridge.yaml", "primary: \"99%\"", "primary: \"98%\""), &[]),
    (("content/case-studies.yaml", "name: Roads", "name: Streets"), &[]),
    (("templates/sections/prose/prose.html", "", "<div>{{ section.body }}</div>\n"), &[]),
    (("templates/pages/case-study.html", "{% extends", "{# A comment. #}{% extends"), &[]),
    (("static/plain.txt", "", "Other text.\n"), &[]),
];

const EN: &[&str] = &["/", "/404.html", "/about/", "/notes/*", "/work/*"];

/// A blog in two languages, case studies, and pages.
fn site() -> SiteTest {
    incremental::site().overlay(&repository().join("tests/sites/case-studies/in"))
}

/// The addresses of the pages that the last build rendered.
fn rendered(site: &SiteTest) -> BTreeSet<String> {
    let text = site.run(&["why"]).stdout;
    text.lines().filter(|line| line.starts_with('/')).map(str::to_owned).collect()
}

fn matches(pattern: &str, address: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == address,
        Some((start, end)) => {
            address.len() >= start.len() + end.len() && address.starts_with(start) && address.ends_with(end)
        }
    }
}

#[test]
fn an_edit_renders_the_pages_that_show_it_and_no_other() {
    let site = site();
    site.built();
    let all = rendered(&site);
    assert!(all.len() > 70, "{all:?}");
    let mut wrong = String::new();
    for ((file, from, to), expected) in EDITS {
        if from.is_empty() {
            site.write(file, to);
        } else {
            site.edit(file, from, to);
        }
        site.built();
        let expected: BTreeSet<String> =
            all.iter().filter(|address| expected.iter().any(|pattern| matches(pattern, address))).cloned().collect();
        let found = rendered(&site);
        let found: BTreeSet<String> = found.intersection(&all).cloned().collect();
        if found != expected {
            let (more, less): (Vec<_>, Vec<_>) =
                (found.difference(&expected).collect(), expected.difference(&found).collect());
            let _ = writeln!(wrong, "{file}: {from:?} → {to:?}\n  unexpected: {more:?}\n  missing: {less:?}");
            let _ = writeln!(wrong, "{}", site.run(&["why"]).stdout);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let _ = EN;
}
