//! Posts as entries of the collection `posts`: fields that a site adds, lists, references from other collections and their
//! mistakes.

use serde_json::json;

use crate::collections::built;
use crate::entries::{read, rename};
use crate::language_server::LanguageServer;
use crate::site_test::{Run, SiteTest, repository};
use crate::waiting::wait_for;

const SCHEMA: &str = "templates/collections/posts/schema.yaml";
const NOTE: &str = "content/blog/en/note.md";
const CROWN: &str = "content/treatments/crown.yaml";
const PAGE: &str = "templates/pages/blog-post.html";

/// A blog whose posts have a second author, treatments, a day and a picture; treatments name a post and list all.
pub fn site() -> SiteTest {
    let schema =
        std::fs::read_to_string(repository().join(SCHEMA)).expect("the schema of the theme");
    let added = "fields:
  co_author: {type: reference, to: authors, meaning: A second author.}
  treatments: {type: reference, to: treatments, list: true, meaning: What it is about.}
  event: {type: date, meaning: When it happens.}
  photo: {type: picture, meaning: A picture.}
  note: {type: markdown, meaning: A note.}
";
    let site = SiteTest::blog()
        .file(SCHEMA, schema.replace("fields:\n", added))
        .file(
            "templates/collections/treatments/schema.yaml",
            "meaning: What is treated.
fields:
  name: {type: text, required: true, meaning: Its name.}
  article: {type: reference, to: posts, meaning: An article about it.}
  articles: {type: reverse, of: posts.treatments, meaning: All articles.}
",
        )
        .file("content/authors/ana.yaml", "name: Ana\n")
        .file("content/authors/ben.yaml", "name: Ben\n")
        .file(CROWN, "name: Crown\narticle: note\n")
        .file(
            NOTE,
            "---\ntitle: A note\ndate: 2025-03-14\nauthor: ana\nco_author: ben\ntreatments: [crown]\nevent: 2035-01-31\nphoto: {src: cover.svg, alt: A cover}\nnote: \"See [about](page:about).\"\ntags: [X]\n---\nText of a note.\n",
        )
        .file("content/blog/es/note.md", "---\ntitle: Una nota\ndate: 2025-03-14\nauthor: ben\n---\nTexto.\n")
        .file(
            "content/blog/en/other.md",
            "---\ntitle: Other\ndate: 2025-04-14T09:30+02:00\nauthor: ana\ntags: [X, Y]\n---\nOther text.\n",
        )
        .file(
            "templates/sections/entries/entries.html",
            "{% for group in section.groups %}{% for entry in group.entries %}<a href=\"{{ entry.link.href }}\">{{ entry }}</a> {{ entry.date }};{% endfor %}{% endfor %}{% for post in entries(\"posts\", tags=\"X\", limit=1) %}<i>{{ post }}</i>{% endfor %}{% for treatment in entries(\"treatments\") %}<u>{{ treatment.article.title }}{% for post in treatment.articles %}<b>{{ post }}</b>{% endfor %}</u>{% endfor %}",
        );
    for (home, words) in [("en", "Hello"), ("es", "Hola")] {
        let home = format!("content/pages/home/{home}.yaml");
        let page = std::fs::read_to_string(site.path(&home)).expect("a home page");
        site.write(
            &home,
            format!(
                "{}\n  - {{kind: entries, of: posts, title: {words}}}\n",
                page.trim_end()
            ),
        );
    }
    site.edit(
        PAGE,
        "<h1>{{ post.title }}</h1>",
        "<h1>{{ post.title }}</h1>{% if post.co_author %}<p>{{ post.co_author.name }}, {{ entry.event }}, {% for one in post.treatments %}{{ one.name }}{% endfor %}, {{ entry.photo.src }}</p>{{ post.note }}{% endif %}",
    );
    site
}

/// A list shows each field of a post, so that an edit of any of them but its text renders the list.
#[test]
fn a_list_shows_when_a_post_expires() {
    let site = site();
    site.edit(
        "templates/sections/entries/entries.html",
        "{{ entry.date }}",
        "{{ entry.expires_at }} {{ entry.publish_at }} {{ entry.html_budget }}",
    );
    for (field, values) in [
        ("expires_at", ["2035", "2036"]),
        ("publish_at", ["2021", "2022"]),
        ("html_budget", ["3111", "3222"]),
    ] {
        let line = |value: &str| {
            format!(
                "{field}: {value}{}\n",
                if field == "html_budget" { "" } else { "-02-01" }
            )
        };
        site.edit(
            NOTE,
            "author: ana\n",
            &format!("author: ana\n{}", line(values[0])),
        );
        site.built().page("/").contains(values[0]);
        site.edit(NOTE, &line(values[0]), &line(values[1]));
        site.built().page("/").contains(values[1]);
    }
}

fn page_of_note(run: &Run) -> String {
    run.page("/blog/note/").html.clone()
}

#[test]
fn posts_have_fields_of_the_site() {
    let site = site();
    let page = page_of_note(&built(&site));
    for part in [
        "<p>Ben, January 31, 2035, Crown, /_assets/images/cover-",
        "<p>See <a href=\"/about/\">about</a>.</p>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    site.write("content/authors/ben.yaml", "name: Benno\n");
    assert!(page_of_note(&built(&site)).contains("<p>Benno, "));
    site.edit(NOTE, "event: 2035-01-31", "event: 2035-02-01");
    assert!(page_of_note(&built(&site)).contains("February 1, 2035"));
    let run = site.run(&["build", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn lists_templates_and_references_show_posts() {
    let site = site();
    let run = built(&site);
    run.page("/")
        .contains("<a href=\"/blog/other/\">Other</a> April 14, 2025, 09:30;<a href=\"/blog/note/\">A note</a> March 14, 2025;")
        .contains("<i>Other</i><u>A note<b>A note</b></u>");
    // A post is in the languages that have its file.
    run.page("/es/")
        .contains("<a href=\"/es/blog/note/\">Una nota</a>")
        .lacks("Other");
    site.edit("content/blog/en/other.md", "tags: [X, Y]", "tags: [Y]");
    built(&site).page("/").contains("<i>A note</i>");
    site.edit(NOTE, "treatments: [crown]\n", "");
    built(&site).page("/").contains("<u>A note</u>");
}

#[test]
fn mistakes_in_fields_of_posts_are_reported_at_their_place() {
    let site = site();
    site.edit(NOTE, "co_author: ben", "co_autor: ben");
    site.edit(NOTE, "event: 2035-01-31", "event: 2035-02-31");
    site.edit(
        "content/blog/en/other.md",
        "tags: [X, Y]",
        "treatments: [crow]",
    );
    site.edit(CROWN, "article: note", "article: nott");
    let run = site.run(&["check"]);
    for (place, message) in [
        ("content/blog/en/note.md:5:1", "unknown key `co_autor`"),
        (
            "content/blog/en/note.md:7:8",
            "the date `2035-02-31` does not exist",
        ),
        (
            "content/blog/en/other.md:5:14",
            "`treatments` has no entry `crow`",
        ),
        (
            "content/treatments/crown.yaml:2:10",
            "`posts` has no entry `nott`",
        ),
    ] {
        assert!(
            run.stderr.contains(place) && run.stderr.contains(message),
            "{place} {message}: {}",
            run.stderr
        );
    }
    for hint in [
        "did you mean `co_author`?",
        "did you mean `crown`?",
        "did you mean `note`?",
    ] {
        assert!(run.stderr.contains(hint), "{hint}");
    }
}

#[test]
fn a_reference_to_a_post_that_is_not_public_yet_is_no_mistake() {
    let site = site();
    site.edit(NOTE, "event:", "publish_at: 2100-01-01\nevent:");
    site.remove("content/blog/es/note.md");
    site.edit(
        "templates/sections/entries/entries.html",
        "{{ treatment.article.title }}",
        "{{ treatment.article }}",
    );
    built(&site).page("/").lacks("A note");
}

#[test]
fn the_schema_of_posts_has_what_the_blog_reads() {
    let site = site();
    for (from, to, message) in [
        (
            "  date: {type: moment",
            "  date: {type: text",
            "the blog reads `date` from its posts, and needs it to be `{type: moment}`",
        ),
        (
            "  title: {type: text, required: true",
            "  title: {type: text",
            "every post needs `title`",
        ),
        (
            "sort: [-date]",
            "address: \"/x/{slug}/\"",
            "unknown key `address`",
        ),
    ] {
        let schema = read(&site, SCHEMA);
        site.edit(SCHEMA, from, to);
        let run = site.run(&["check"]);
        assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
        // Nobody knows the fields that the site adds.
        assert!(
            !run.stderr.contains("unknown key `co_author`"),
            "{}",
            run.stderr
        );
        site.write(SCHEMA, schema);
    }
    let kinds = site.run(&["schema", "post"]);
    assert!(
        kinds.stdout.contains("\"co_author\"") && kinds.stdout.contains("\"title\""),
        "{}",
        kinds.stdout
    );
    let refused = site.run(&["new", "entry", "posts", "Hello"]);
    assert!(
        refused.stderr.contains("sitegen new post"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_renamed_post_is_renamed_where_entries_name_it() {
    let site = site();
    built(&site);
    rename(&site, CROWN, "article: no", "first").expect("an edit");
    assert!(read(&site, CROWN).contains("article: first"));
    built(&site)
        .page("/")
        .contains("<u>A note<b>A note</b></u>");
}

#[test]
fn an_editor_completes_the_fields_that_a_site_adds_to_posts() {
    let site = site();
    site.edit(NOTE, "co_author: ben", "co_author: ");
    let mut server = LanguageServer::start(&site);
    let root = format!("file://{}", site.path("").display())
        .trim_end_matches('/')
        .to_owned();
    server.request(
        1,
        "initialize",
        &json!({"capabilities": {}, "rootUri": root}),
    );
    server.notify("initialized", &json!({}));
    let text = read(&site, NOTE);
    let document = json!({"uri": format!("{root}/{NOTE}"), "languageId": "markdown", "version": 1, "text": text});
    server.notify("textDocument/didOpen", &json!({"textDocument": document}));
    let position = json!({"line": 4, "character": 11});
    let at = json!({"textDocument": {"uri": format!("{root}/{NOTE}")}, "position": position});
    // Until the site is read, there is nothing to complete.
    let labels = wait_for("the names", || {
        let answer = server.request(2, "textDocument/completion", &at);
        let items = answer
            .as_array()
            .or_else(|| answer["items"].as_array())
            .filter(|items| !items.is_empty())?;
        Some(
            items
                .iter()
                .map(|item| item["label"].as_str().unwrap_or_default().to_owned())
                .collect::<Vec<_>>(),
        )
    });
    assert!(
        labels.contains(&"ana".to_owned()) && labels.contains(&"ben".to_owned()),
        "{labels:?}"
    );
}
