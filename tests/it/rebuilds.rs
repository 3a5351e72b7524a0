//! Which pages a build renders again after an edit, and that it renders no other.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::incremental;
use crate::site_test::{SiteTest, repository};

/// The file of an edit, the text that is replaced (an empty one stands for a new file), and the text in its place.
type Edit = (&'static str, &'static str, &'static str);

/// All pages in English.
const EN: &[&str] = &["/", "/404.html", "/about/", "/notes/*", "/work/*"];
/// The pages that show the title or the excerpt of post 5: its own, the lists, and the posts that are related to it.
const POST_5: &[&str] = &[
    "/notes/author/ana/page/2/",
    "/notes/note-16/",
    "/notes/note-17/",
    "/notes/note-5/",
    "/notes/page/2/",
    "/notes/tag/gamma/",
];
/// The same after its tag and its author were changed.
const POST_5_OF_LEO: &[&str] = &[
    "/notes/author/leo/",
    "/notes/note-16/",
    "/notes/note-17/",
    "/notes/note-5/",
    "/notes/page/2/",
    "/notes/tag/beta/",
];

/// Each edit with the addresses of the pages that are rendered again. `*` stands for any characters, so `/es/*` for all
/// pages in Spanish. The edits follow one another on the same site.
const EDITS: &[(Edit, &[&str])] = &[
    (
        (
            "content/site.yaml",
            "base_url:",
            "# A comment.\n\nbase_url:",
        ),
        &[],
    ),
    (
        (
            "content/site.yaml",
            "  - {from: /old, to: page:about}",
            "  - {from: /old, to: page:about}\n  - {from: /older, to: page:about}",
        ),
        &[],
    ),
    (
        (
            "content/site.yaml",
            "assets: {keep_days: 0}",
            "assets: {keep_days: 0}\nprecompress: true",
        ),
        &[],
    ),
    (
        (
            "content/site.yaml",
            "precompress: true",
            "precompress: false\nhost: netlify",
        ),
        &[],
    ),
    (
        (
            "content/site.yaml",
            "host: netlify",
            "headers: {X-Test: one}",
        ),
        &[],
    ),
    (
        (
            "content/site.yaml",
            "headers:",
            "leads: {keep_days: 30}\nheaders:",
        ),
        &[],
    ),
    (
        (
            "content/site.yaml",
            "leads:",
            "budgets: {html: 900}\nleads:",
        ),
        &["*"],
    ),
    (
        (
            "content/site.yaml",
            "copyright_year: 2025",
            "copyright_year: 2026",
        ),
        &["*"],
    ),
    (
        (
            "content/site.yaml",
            "company: {name: Small Works}",
            "company: {name: Small Workshop}",
        ),
        &["*"],
    ),
    (
        (
            "content/site.yaml",
            "product: {name: Small,",
            "product: {name: Tiny,",
        ),
        &["*"],
    ),
    (
        ("content/site.yaml", "es: Nosotros}", "es: Quiénes somos}"),
        &["/es/*"],
    ),
    (("content/site.yaml", "{label: Home,", "{label: Start,"), EN),
    (
        (
            "content/site.yaml",
            "en: Small things.",
            "en: Very small things.",
        ),
        EN,
    ),
    (
        ("content/locales/en.yaml", "menu: Menu", "menu: Main menu"),
        EN,
    ),
    (
        (
            "content/locales/es.yaml",
            "messages:",
            "# Un comentario.\nmessages:",
        ),
        &[],
    ),
    (
        (
            "content/pages/about/en.yaml",
            "path: /about/",
            "# A comment.\npath: /about/",
        ),
        &[],
    ),
    (
        (
            "content/pages/about/en.yaml",
            "We are {company.name}.",
            "Here is {company.name}.",
        ),
        &["/about/"],
    ),
    (
        (
            "content/pages/about/en.yaml",
            "Who makes the small things.",
            "The makers of small things.",
        ),
        &["/about/"],
    ),
    (
        (
            "content/pages/about/en.yaml",
            "title: About us\ndescription",
            "title: About the team\ndescription",
        ),
        &["/about/"],
    ),
    (
        (
            "content/pages/home/es.yaml",
            "path: /es/",
            "updated: 2025-01-02\npath: /es/",
        ),
        &["/es/"],
    ),
    (
        (
            "content/pages/work/en.yaml",
            "description: What was built.",
            "description: What we built.",
        ),
        &["/work/"],
    ),
    (
        (
            "content/pages/notes/en.yaml",
            "lead: All.",
            "lead: All notes.",
        ),
        &["/notes/", "/notes/page/*", "/notes/tag/*"],
    ),
    (
        (
            "content/pages/notes/es.yaml",
            "title: Notes /es/notas/",
            "title: Notas",
        ),
        &["/es/notas/*"],
    ),
    (
        (
            "content/blog/en/note-5.md",
            "---\ntitle",
            "---\n# A comment.\ntitle",
        ),
        &[],
    ),
    (
        (
            "content/blog/en/note-5.md",
            "The first words",
            "The second words",
        ),
        POST_5,
    ),
    (
        (
            "content/blog/en/note-5.md",
            "of note 5.\n",
            "of note 5.\n\nMore words.\n",
        ),
        &["/notes/note-5/"],
    ),
    (
        (
            "content/blog/en/note-5.md",
            "title: Note 5 first",
            "title: Note 5",
        ),
        POST_5,
    ),
    (
        (
            "content/blog/en/note-5.md",
            "tags: [Gamma]",
            "tags: [Gamma]\nexcerpt: In short.",
        ),
        POST_5,
    ),
    (
        ("content/blog/en/note-5.md", "tags: [Gamma]", "tags: [Beta]"),
        &[
            "/notes/author/ana/page/2/",
            "/notes/note-16/",
            "/notes/note-17/",
            "/notes/note-5/",
            "/notes/page/2/",
            "/notes/tag/beta/",
            "/notes/tag/gamma/",
        ],
    ),
    (
        ("content/blog/en/note-5.md", "author: ana", "author: leo"),
        &[
            "/notes/author/*",
            "/notes/note-16/",
            "/notes/note-17/",
            "/notes/note-5/",
            "/notes/page/2/",
            "/notes/tag/beta/",
        ],
    ),
    (
        (
            "content/blog/en/note-5.md",
            "excerpt:",
            "image: {src: shared.svg, alt: A shape}\nexcerpt:",
        ),
        POST_5_OF_LEO,
    ),
    (
        (
            "content/blog/en/note-5.md",
            "excerpt:",
            "modified: 2025-01-02\nexcerpt:",
        ),
        POST_5_OF_LEO,
    ),
    (
        ("content/blog/en/note-5.md", "2024-06-06", "2024-12-30"),
        &[
            "/notes/",
            "/notes/author/leo/",
            "/notes/note-1/",
            "/notes/note-10/",
            "/notes/note-13/",
            "/notes/note-16/",
            "/notes/note-17/",
            "/notes/note-19/",
            "/notes/note-22/",
            "/notes/note-23/",
            "/notes/note-4/",
            "/notes/note-5/",
            "/notes/note-7/",
            "/notes/page/2/",
            "/notes/tag/beta/",
        ],
    ),
    (
        (
            "content/blog/en/note-99.md",
            "",
            "---\ntitle: Ninety-nine\ndate: 2023-01-01\nauthor: leo\n---\nNew.\n",
        ),
        &[
            "/notes/",
            "/notes/author/leo/",
            "/notes/note-0/",
            "/notes/page/2/",
            "/notes/page/3/",
        ],
    ),
    (
        ("content/images/shared.svg", "M0 0h9v9z", "M0 0h8v8z"),
        &[
            "/notes/",
            "/notes/author/leo/",
            "/notes/note-1/",
            "/notes/note-10/",
            "/notes/note-13/",
            "/notes/note-16/",
            "/notes/note-19/",
            "/notes/note-22/",
            "/notes/note-23/",
            "/notes/note-4/",
            "/notes/note-5/",
            "/notes/note-7/",
            "/notes/tag/beta/",
        ],
    ),
    (
        (
            "content/authors/ana.yaml",
            "{en: Writes., es: Escribe.}",
            "{en: Writes a lot., es: Escribe.}",
        ),
        // The island of a list has the authors of its posts.
        &[
            "/notes/",
            "/notes/page/*",
            "/notes/tag/*",
            "/notes/author/ana/*",
        ],
    ),
    (
        (
            "content/authors/ana.yaml",
            "description",
            "role: {en: Engineer, es: Ingeniera}\ndescription",
        ),
        &[
            "/notes/author/ana/*",
            "/notes/note-0/",
            "/notes/note-1*",
            "/notes/note-2*",
            "/notes/note-3/",
            "/notes/note-4/",
            "/notes/note-6/",
            "/notes/note-7/",
            "/notes/note-8/",
            "/notes/note-9/",
            "/es/notas/author/ana/*",
            "/es/notas/note-*",
        ],
    ),
    (
        (
            "content/authors/ana.yaml",
            "es: Ingeniera}",
            "es: Ingeniera jefe}",
        ),
        &["/es/notas/author/ana/*", "/es/notas/note-*"],
    ),
    (
        (
            "content/authors/ana.yaml",
            "name: Ana Ruiz",
            "name: Ana Ruiz Gil",
        ),
        &[
            "/notes/",
            "/notes/page/*",
            "/notes/tag/*",
            "/notes/author/ana/*",
            "/notes/note-*",
            "/es/notas/",
            "/es/notas/page/*",
            "/es/notas/tag/*",
            "/es/notas/author/ana/*",
            "/es/notas/note-*",
        ],
    ),
    (
        ("content/authors/leo.svg", "M0 0h9v9z", "M0 0h8v8z"),
        &[
            "/notes/",
            "/notes/page/3/",
            "/notes/tag/beta/",
            "/notes/author/leo/",
            "/es/notas/author/leo/",
        ],
    ),
    (
        (
            "content/case-studies/bridge.yaml",
            "9,000 a day",
            "9,500 a day",
        ),
        &["/work/bridge/"],
    ),
    (
        (
            "content/case-studies/bridge.yaml",
            "short_description: A bridge that was mended.",
            "short_description: A bridge.",
        ),
        &[
            "/work/",
            "/work/bridge/",
            "/work/sector/*",
            "/work/service/*",
            "/work/tech/*",
        ],
    ),
    (
        (
            "content/case-studies/bridge.yaml",
            "primary: \"99%\"",
            "primary: \"98%\"",
        ),
        &[
            "/work/",
            "/work/sector/*",
            "/work/service/*",
            "/work/tech/*",
        ],
    ),
    (
        (
            "content/sectors/sectors.yaml",
            "name: Roads",
            "name: Streets",
        ),
        &[
            "/work/",
            "/work/arch/",
            "/work/bridge/",
            "/work/sector/*",
            "/work/service/*",
            "/work/tech/*",
        ],
    ),
    (
        (
            "templates/sections/prose/prose.html",
            "",
            "<div>{{ section.body }}</div>\n",
        ),
        &["/about/", "/es/nosotros/"],
    ),
    (
        (
            "templates/collections/case-studies/case-studies.html",
            "{% extends",
            "{# A comment. #}{% extends",
        ),
        &["/work/arch/", "/work/bridge/", "/work/tunnel/"],
    ),
    (("static/plain.txt", "", "Other text.\n"), &[]),
];

/// A blog in two languages, case studies, and pages.
fn site() -> SiteTest {
    incremental::site().overlay(&repository().join("tests/sites/case-studies/in"))
}

/// The addresses of the pages that the last build rendered.
fn rendered(site: &SiteTest) -> BTreeSet<String> {
    let text = site.run(&["why"]).stdout;
    text.lines()
        .filter(|line| line.starts_with('/'))
        .map(str::to_owned)
        .collect()
}

fn matches(pattern: &str, address: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == address,
        Some((start, end)) => {
            address.len() >= start.len() + end.len()
                && address.starts_with(start)
                && address.ends_with(end)
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
        let expected: BTreeSet<String> = all
            .iter()
            .filter(|address| expected.iter().any(|pattern| matches(pattern, address)))
            .cloned()
            .collect();
        let found = rendered(&site);
        let found: BTreeSet<String> = found.intersection(&all).cloned().collect();
        if found != expected {
            let (more, less): (Vec<_>, Vec<_>) = (
                found.difference(&expected).collect(),
                expected.difference(&found).collect(),
            );
            let _ = writeln!(
                wrong,
                "{file}: {from:?} → {to:?}\n  unexpected: {more:?}\n  missing: {less:?}"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
