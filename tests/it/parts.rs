//! Sections and islands of the site in the text of a post.

use crate::new_site::new_site;
use crate::site_test::SiteTest;

const POST: &str = "content/blog/en/a-plan.md";

fn post(body: &str) -> String {
    format!("---\ntitle: A plan\ndate: 2025-03-14\nauthor: ana\n---\n{body}\n")
}

fn with(body: &str) -> SiteTest {
    SiteTest::blog()
        .file(
            "content/authors/ana.yaml",
            "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n",
        )
        .file(
            "templates/sections/quote/quote.html",
            "<blockquote class=\"q\">{{ section.text }} – {{ section.author }}</blockquote>",
        )
        .file(
            "templates/sections/quote/quote.css",
            ".q { color: #123456 }",
        )
        .file(POST, post(body))
}

const QUOTE: &str = ":::quote\ntext: \"Finished\"\nauthor: Ana & Co\nrole: Lead\n:::";

#[test]
fn a_section_of_the_site_is_shown_in_a_post() {
    let site = with(&format!(
        "First words.\n{QUOTE}\nThen `:::quote`.\n\n<kbd>x</kbd>\n\n{QUOTE}"
    ));
    let mut before = None;
    for _ in 0..2 {
        let run = site.built();
        assert_eq!(run.problems(), [""; 0], "{}", run.stderr);
        let page = run.page("/blog/a-plan/");
        page.contains("<p>First words.</p>")
            .contains("<code>:::quote</code>")
            .lacks("<p><blockquote");
        assert_eq!(
            page.html
                .matches("<blockquote class=\"q\">Finished – Ana &amp; Co</blockquote>")
                .count(),
            2,
            "{}",
            page.html
        );
        let feed = String::from_utf8(run.files()["blog/feed.xml"].clone()).expect("UTF-8");
        assert!(
            feed.contains("First words.") && !feed.contains("Finished") && !feed.contains(":::"),
            "{feed}"
        );
        // The second build is the same as the first.
        assert!(
            before
                .replace(run.files())
                .is_none_or(|before| before == run.files())
        );
    }
    site.edit(POST, "Finished", "Done");
    site.built()
        .page("/blog/a-plan/")
        .contains("q\">Done –")
        .contains("q\">Finished –");
    site.edit(
        "templates/sections/quote/quote.html",
        "class=\"q\"",
        "class=\"z\"",
    );
    site.built().page("/blog/a-plan/").contains("z\">Done –");
}

#[test]
fn a_new_picture_of_a_section_in_a_post_is_published() {
    let site = with(QUOTE)
        .file(
            "content/images/face.svg",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\"><path d=\"M0 0h9v9z\"/></svg>",
        )
        .file(
            "templates/sections/quote/quote.html",
            "{% if section.portrait %}<img src=\"{{ section.portrait.src }}\" alt=\"A\">{% endif %}{{ section.text }}",
        );
    site.built();
    site.edit(
        POST,
        "role: Lead",
        "role: Lead\nportrait: {src: face.svg, alt: Ana}",
    );
    let run = site.built();
    let page = run.page("/blog/a-plan/");
    let src = page
        .html
        .split("<img src=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a picture");
    assert!(
        run.files().contains_key(src.trim_start_matches('/')),
        "{src}"
    );
    assert!(site.run(&["build", "--verify-cache"]).status == 0);
}

#[test]
fn a_section_in_a_post_is_checked_like_one_of_a_page() {
    let found = |body: &str, problem: &str, hint: &str| {
        let run = with(body).build();
        assert_eq!(
            (run.status, run.problems()),
            (1, vec![problem.to_owned()]),
            "{body}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(hint), "{hint}: {}", run.stderr);
    };
    let at = |code: &str, line: usize, column: usize| format!("{code} {POST}:{line}:{column}");
    found(
        ":::quote\nportait: A\ntext: A\nauthor: B\nrole: C\n:::",
        &at("unknown-key", 7, 1),
        "did you mean `portrait`?",
    );
    found(
        "Words.\n\n:::quote\ntext: A\nauthor: [B]\nrole: C\n:::",
        &at("wrong-type", 10, 9),
        "",
    );
    found(
        ":::qoute\ntext: A\n:::",
        &at("unknown-section", 6, 4),
        "did you mean `quote`?",
    );
    found(
        ":::hero\ntitle: A\n:::",
        &at("unknown-section", 6, 4),
        "link to a page that has one",
    );
    found(
        ":::prose\nbody: \"[x](page:nowhere)\"\n:::",
        &at("dead-link", 7, 12),
        "",
    );
    found(
        "{{ island(\"x\", {a: 1}, \"none\") }}",
        &at("island-props", 6, 1),
        "\"prop\": \"value\"",
    );
    // A callout of other programs isn't a section, nor is code.
    let run = with(":::note\nWords\n:::\n\n```\n:::quote\nnothing: x\n:::\n```").built();
    assert_eq!(
        run.problems(),
        [format!("foreign-markup {POST}:6:1")],
        "{}",
        run.stderr
    );
}

#[test]
fn an_island_of_the_site_is_shown_in_a_post() {
    let site = new_site(&[]);
    let faq = ":::faq\nid: asked\ntitle: Asked often\nitems:\n  - {question: Is it quick?, answer: \"Yes, *very*.\"}\n:::";
    let island = "{{ island(\"faq\", {\"name\": \"own\", \"items\": []}, \"none\") }}";
    let text = post(&format!(
        "Words, and [questions](#asked).\n\n{faq}\n\n{island}"
    ))
    .replace("ana", "sam-rivera");
    let site = site.file(POST, text);
    let run = site.built();
    let page = run.page("/blog/a-plan/");
    page.contains("Asked often")
        .contains("<em>very</em>")
        .contains("id=\"asked\"")
        .lacks("island(");
    site.edit(POST, "island(\"faq\"", "island(\"fag\"");
    let run = site.build();
    assert_eq!(
        run.problems(),
        [format!("unknown-island {POST}:15:1")],
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("did you mean `faq`?"), "{}", run.stderr);
}
