//! Posts as Markdown files: parsing, scheduling, and problems of invalid posts.

use std::sync::Arc;

use config::{self, Config, Options};
use content::Blog;
use diagnostics::problem::Problems;

use crate::site_test::SiteTest;

const AUTHOR: &str = "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n";

/// A post with additional lines of front matter.
fn post(more: &str, body: &str) -> String {
    format!("---\ntitle: A plan\ndate: 2025-03-14\nauthor: ana\n{more}---\n{body}")
}

fn site() -> SiteTest {
    SiteTest::small().file("content/authors/ana.yaml", AUTHOR)
}

fn config(site: &SiteTest, drafts: bool) -> Config {
    let options = Options {
        root: site.path(""),
        drafts,
        ..Options::default()
    };
    config::load(&options).0.expect("settings")
}

fn load(site: &SiteTest, drafts: bool) -> (Arc<Blog>, Problems) {
    let (content, problems) = content::load(&config(site, drafts));
    (content.blog, problems)
}

fn reported(site: &SiteTest) -> Vec<String> {
    let run = site.build();
    assert_eq!(run.status, 1, "{}", run.stderr);
    run.problems()
}

#[test]
fn a_post_is_read_with_all_its_fields() {
    let text = post(
        "tags: [SQL, Performance]\nimage: {src: plan.svg, alt: A plan}\nmodified: 2025-04-01T08:30\nkey: plan\n",
        "## Reading it\n\nThe *first* [step](page:about). ![Again](plan.svg)\n",
    );
    let picture =
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><path d="M0 0h4"/></svg>"#;
    let site = site()
        .file("content/blog/en/a-plan/index.md", text)
        .file("content/blog/en/a-plan/plan.svg", picture);
    let (blog, problems) = load(&site, false);
    assert!(problems.is_empty(), "{problems:?}");
    let [post] = &blog.posts[..] else {
        panic!("one post: {:?}", blog.posts)
    };
    assert_eq!(
        (post.locale.as_str(), post.slug.as_str(), post.key.as_str()),
        ("en", "a-plan", "plan")
    );
    assert_eq!(
        post.date.expect("a date").local().to_string(),
        "2025-03-14T00:00:00"
    );
    assert_eq!(
        post.modified.expect("a date").local().to_string(),
        "2025-04-01T08:30:00"
    );
    assert_eq!(post.excerpt.as_deref(), Some("The first step."));
    assert_eq!(
        post.image.as_ref().map(|image| image.src.as_str()),
        Some("blog/en/a-plan/plan.svg")
    );
    assert_eq!(
        post.pictures()
            .map(|picture| picture.src.as_str())
            .collect::<Vec<_>>(),
        ["blog/en/a-plan/plan.svg"]
    );
    assert_eq!(post.headings[0].id, "reading-it");
    assert_eq!(
        blog.authors["ana"]
            .description
            .get("es")
            .map(String::as_str),
        Some("Escribe.")
    );
}

#[test]
fn posts_come_newest_first_and_by_language() {
    let of = |day: &str| post("", "Text.\n").replace("2025-03-14", day);
    let site = site()
        .file("content/blog/es/uno.md", of("2025-01-03"))
        .file("content/blog/en/one.md", of("2025-01-01"))
        .file("content/blog/en/two.md", of("2025-01-02T10:00"))
        .file("content/blog/en/also-two.md", of("2025-01-02T10:00"));
    let slugs: Vec<String> = load(&site, false)
        .0
        .posts
        .iter()
        .map(|post| post.slug.clone())
        .collect();
    assert_eq!(slugs, ["also-two", "two", "one", "uno"]);
}

#[test]
fn drafts_scheduled_and_expired_posts_are_skipped() {
    let site = site()
        .file("content/blog/en/draft.md", post("draft: true\n", "Text.\n"))
        .file(
            "content/blog/en/later.md",
            post("publish_at: 2999-01-01T00:00-05:00\n", "Text.\n"),
        )
        .file(
            "content/blog/en/over.md",
            post("expires_at: 2020-01-01\n", "Text.\n"),
        )
        .file(
            "content/blog/en/now.md",
            post(
                "publish_at: 2020-01-01\nexpires_at: 2998-01-01\n",
                "Text.\n",
            ),
        );
    let (blog, _) = load(&site, false);
    assert_eq!(
        blog.posts
            .iter()
            .map(|post| post.slug.as_str())
            .collect::<Vec<_>>(),
        ["now"]
    );
    let next = blog.next_change.as_ref().expect("a change");
    assert_eq!(next.at.to_string(), "2998-01-01T00:00:00Z");
    assert_eq!(
        (&next.published[..], &next.withdrawn[..]),
        (&[][..], &["content/blog/en/now.md".to_owned()][..])
    );
    assert_eq!(load(&site, true).0.posts.len(), 4);
}

#[test]
fn the_current_time_is_source_date_epoch() {
    let site = site().file(
        "content/blog/en/over.md",
        post("expires_at: 2020-01-01\nimage: {src: a.png, alt: A}\n", ""),
    );
    let run = site.run_with(&["check"], &[("SOURCE_DATE_EPOCH", "1500000000")]);
    assert_eq!(
        run.problems(),
        ["missing-image content/blog/en/over.md:6:14"]
    );
}

/// 2025-03-29T12:00:00Z.
const NOW: [(&str, &str); 1] = [("SOURCE_DATE_EPOCH", "1743249600")];

#[test]
fn the_next_build_is_reported() {
    let site = site()
        .file(
            "content/blog/en/soon.md",
            post("publish_at: 2025-03-31T09:30-05:00\n", "Text.\n"),
        )
        .file(
            "content/blog/es/pronto.md",
            post("publish_at: 2025-03-31T14:30\nkey: soon\n", "Texto.\n"),
        )
        .file(
            "content/blog/en/over.md",
            post("expires_at: 2025-03-31T14:30Z\n", "Text.\n"),
        )
        .file(
            "content/blog/en/past.md",
            post("publish_at: 2025-03-01\n", "Text.\n"),
        )
        .file(
            "content/blog/en/draft.md",
            post("draft: true\npublish_at: 2025-03-30\n", "Text.\n"),
        );
    let run = site.run_with(&["next-change"], &NOW);
    let expect = "2025-03-31T14:30:00Z\nin 2 days:\n  publishes content/blog/en/soon.md\n  publishes content/blog/es/pronto.md\n  withdraws content/blog/en/over.md\n";
    assert_eq!(
        (run.status, run.stdout.as_str(), run.stderr.as_str()),
        (0, expect, "")
    );
    let run = site.run_with(&["next-change", "--format", "json"], &NOW);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&run.stdout).expect("JSON"),
        serde_json::json!({
            "version": 1, "next_change": "2025-03-31T14:30:00Z", "in_seconds": 181_800,
            "published": ["content/blog/en/soon.md", "content/blog/es/pronto.md"], "withdrawn": ["content/blog/en/over.md"],
            "passed": [],
        })
    );
}

#[test]
fn without_scheduled_posts_no_change_is_reported() {
    let site = site().file("content/blog/en/now.md", post("", "Text.\n"));
    for more in [
        &[][..],
        &[
            "--set",
            "blog.source=wordpress",
            "--set",
            "blog.url=http://127.0.0.1:1/",
        ],
    ] {
        let run = site.run(&[&["next-change"], more].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(
            run.stdout.starts_with("nothing is scheduled"),
            "{}",
            run.stdout
        );
        let json = site
            .run(&[&["next-change", "--format", "json"], more].concat())
            .stdout;
        assert!(json.contains("\"next_change\":null"), "{json}");
    }
}

#[test]
fn invalid_front_matter_is_reported_at_its_place() {
    let cases: &[(&str, &str)] = &[
        ("titel: Again\n", "unknown-key content/blog/en/a.md:5:1"),
        (
            "modified: 2025-02-30\n",
            "invalid-value content/blog/en/a.md:5:11",
        ),
        (
            "modified: 2025-02-20T10:00+07:99\n",
            "invalid-value content/blog/en/a.md:5:11",
        ),
        (
            "publish_at: soon\n",
            "invalid-value content/blog/en/a.md:5:13",
        ),
        (
            "publish_at: 2025-03-30\nexpires_at: 2025-03-30\n",
            "invalid-value content/blog/en/a.md:6:13",
        ),
        ("draft: maybe\n", "wrong-type content/blog/en/a.md:5:8"),
        (
            "tags: [SQL, sql]\n",
            "invalid-value content/blog/en/a.md:5:13",
        ),
        ("tags: SQL\n", "wrong-type content/blog/en/a.md:5:7"),
        (
            "image: {src: x.png, alt: X}\n",
            "missing-image content/blog/en/a.md:5:14",
        ),
        ("title: Twice\n", "duplicate-key content/blog/en/a.md:5:1"),
        (
            "excerpt: \"{product.nam}\"\n",
            "unknown-placeholder content/blog/en/a.md:5:11",
        ),
        (
            "excerpt: \"open\n",
            "unclosed-quote content/blog/en/a.md:5:10",
        ),
    ];
    for (line, expect) in cases {
        let site = site().file("content/blog/en/a.md", post(line, "Text.\n"));
        assert_eq!(reported(&site), [*expect], "{line}");
    }
}

#[test]
fn invalid_posts_are_reported() {
    let cases: &[(&str, &str, &str)] = &[
        (
            "a.md",
            "Text without front matter.\n",
            "missing-key content/blog/en/a.md:1:1",
        ),
        (
            "a.md",
            "---\ntitle: Open\n",
            "yaml-syntax content/blog/en/a.md:1:1",
        ),
        ("a.md", "", "empty-file content/blog/en/a.md"),
        ("A b.md", "x", "bad-path content/blog/en/A b.md"),
        ("tag.md", "x", "bad-path content/blog/en/tag.md"),
        ("a.txt", "x", "unexpected-file content/blog/en/a.txt"),
        ("../fr/a.md", "x", "unexpected-file content/blog/fr/a.md"),
        (
            "a.md",
            "---\ntitle: A\ndate: 2025-01-01\nauthor: anna\n---\n",
            "unknown-id content/blog/en/a.md:4:9",
        ),
        (
            "a.md",
            "---\ntitle: A\ndate: 2025-01-01\n---\n",
            "missing-key content/blog/en/a.md",
        ),
    ];
    for (name, text, expect) in cases {
        let site = site().file(&format!("content/blog/en/{name}"), text);
        assert_eq!(reported(&site), [*expect], "{name}");
    }
}

#[test]
fn pictures_in_a_post_must_exist_and_have_alt_texts() {
    let body = "![](plan.png)\n\n![Theirs](https://a.example/b.png)\n";
    let site = site().file("content/blog/en/a.md", post("", body));
    let expect = [
        "missing-image content/blog/en/a.md:6:5",
        "missing-alt content/blog/en/a.md:6:5",
        "missing-image content/blog/en/a.md:8:11",
    ];
    assert_eq!(reported(&site), expect);
}

#[test]
fn two_posts_with_one_address_or_one_key_are_reported() {
    let site = site()
        .file("content/blog/en/a.md", post("", "x"))
        .file("content/blog/en/a/index.md", post("", "x"))
        .file("content/blog/en/b.md", post("key: c\n", "x"))
        .file("content/blog/en/c.md", post("", "x"));
    assert_eq!(
        reported(&site),
        [
            "path-taken content/blog/en/a.md",
            "path-taken content/blog/en/c.md"
        ]
    );
}

#[test]
fn invalid_authors_are_reported() {
    let site = SiteTest::small()
        .file(
            "content/authors/ana.yaml",
            "name: Ana\navatar: ana.png\ndescription: {en: Writes.}\n",
        )
        .file("content/authors/Bad.yaml", AUTHOR);
    let expect = [
        "unexpected-file content/authors/Bad.yaml",
        "translation-missing content/authors/ana.yaml",
        "missing-image content/authors/ana.yaml:2:9",
    ];
    assert_eq!(site.run(&["check"]).problems(), expect);
}
