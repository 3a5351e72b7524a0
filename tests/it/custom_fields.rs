//! Fields that a site adds to posts: filled from a CMS, and found by Alt and click in files.

use config::SnapshotMode;
use content::Content;
use diagnostics::problem::Problems;
use serde_json::{Value, json};

use crate::cms::{content, run, settings, words};
use crate::cms_server::{CmsServer, api_post, posts_api, wordpress, wordpress_post};
use crate::site_test::{SiteTest, repository};

const SCHEMA: &str = "templates/collections/posts/schema.yaml";

/// A blog whose posts have more fields than those of the theme.
fn site() -> SiteTest {
    let schema =
        std::fs::read_to_string(repository().join(SCHEMA)).expect("the schema of the theme");
    let added = "fields:
  event: {type: date, required: true, meaning: When it happens.}
  seats: {type: number, min: 1, meaning: How many can come.}
  free: {type: flag, meaning: Whether it costs nothing.}
  places: {type: text, list: true, meaning: Where it is.}
  price: {type: amount, meaning: What it costs.}
  hosts: {type: reference, to: authors, list: true, meaning: Who invites.}
  photo: {type: picture, meaning: A picture.}
";
    SiteTest::small()
        .file(SCHEMA, schema.replace("fields:\n", added))
        .file("content/authors/ben.yaml", "name: Ben\n")
}

/// The values of the fields of a post, by its key.
fn fields(content: &Content, key: &str) -> Value {
    let posts = content
        .collections
        .list
        .iter()
        .find(|collection| collection.schema.name == "posts");
    let entry = posts
        .expect("posts")
        .entries
        .iter()
        .find(|entry| entry.key == key)
        .expect("the post");
    let text = entry.texts.iter().flatten().next().expect("its values");
    text.values.all()
}

fn load(source: &str, url: &str) -> (Content, Problems) {
    content(&site(), settings(source, url), SnapshotMode::Fallback)
}

#[test]
fn fields_of_a_site_are_filled_from_wordpress() {
    let mut post = wordpress_post(1, "en");
    post["meta"] = json!({"event": ["20350508"], "seats": "40", "free": "1", "places": ["Hall", "Yard"], "price": ""});
    post["acf"] = json!({"price": "12 EUR", "hosts": "ben", "photo": 12, "seats": null});
    let inner = wordpress(vec![post, wordpress_post(11, "es")]);
    let server = CmsServer::start(move |request| {
        if request.path.ends_with("/posts") {
            assert!(
                request.query["_fields"].ends_with("%2Cmeta%2Cacf"),
                "{:?}",
                request.query
            );
        }
        inner(request)
    });
    let (content, problems) = load("wordpress", &server.url);
    let found = fields(&content, "post-en-1");
    let text = found.to_string();
    for value in [
        "2035-05-08",
        "12",
        "EUR",
        "\"seats\":40",
        "\"free\":true",
        "[\"Hall\",\"Yard\"]",
        "\"ben\"",
    ] {
        assert!(text.contains(value), "{value}: {text}");
    }
    assert_eq!(found["photo"], Value::Null);
    // The other one lacks what the schema needs.
    assert_eq!(
        words(&problems),
        ["blog-post: post 11 `post-es-11`: the field `event` is missing"]
    );
    let place = problems
        .iter()
        .next()
        .and_then(|problem| problem.place.clone())
        .expect("a place");
    assert_eq!(place.path, "https://cms.example/post-es-11/");
}

#[test]
fn a_value_of_a_cms_that_does_not_fit_is_named_with_its_post_and_field() {
    let mut post = wordpress_post(1, "en");
    post["meta"] =
        json!({"event": "next spring", "seats": "many", "price": "dear", "hosts": ["bne"]});
    let server = CmsServer::start(wordpress(vec![post]));
    let site = site();
    let run = run(&site, "wordpress", &server.url, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for field in ["event", "seats", "price"] {
        assert!(
            run.stderr
                .contains(&format!("post 1 `post-en-1`: the field `{field}`: ")),
            "{field}: {}",
            run.stderr
        );
    }
    assert!(
        run.stderr.contains("`authors` has no entry `bne`"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("error["), "{}", run.stderr);
}

#[test]
fn fields_of_a_site_are_filled_from_the_posts_api() {
    let mut post = api_post(1);
    post["event"] = json!("2035-05-08");
    post["meta"] = json!({"seats": 40});
    let server = CmsServer::start(posts_api(vec![post]));
    let (content, problems) = load("posts_api", &server.url);
    assert_eq!(
        words(&problems),
        ["blog-post: post 900 `post-900-of-api`: the field `event` is missing"]
    );
    let text = fields(&content, "post-1-of-api").to_string();
    assert!(
        text.contains("2035-05-08") && text.contains("\"seats\":40"),
        "{text}"
    );
}
