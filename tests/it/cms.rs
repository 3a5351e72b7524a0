//! Posts of a CMS, valid and invalid: what is published, reported and requested.

use std::sync::Arc;

use config::{self, OnFailure, Options, SnapshotMode};
use content::{Blog, Content};
use diagnostics::problem::Problems;
use serde_json::{Value, json};
use text::rich::Piece;

use crate::cms_server::{
    CmsServer, Reply, Request, api_post, posts_api, wordpress, wordpress_post,
};
use crate::site_test::{Run, SiteTest};

pub fn settings(source: &str, url: &str) -> Vec<String> {
    ["blog.retries=1", "blog.timeout=20"]
        .map(str::to_owned)
        .into_iter()
        .chain([format!("blog.source={source}"), format!("blog.url={url}")])
        .collect()
}

pub fn content(site: &SiteTest, set: Vec<String>, snapshot: SnapshotMode) -> (Content, Problems) {
    let options = Options {
        root: site.path(""),
        set,
        snapshot,
        ..Options::default()
    };
    let (config, problems) = config::load(&options);
    assert!(!problems.has_errors(), "{problems:?}");
    content::load(&config.expect("settings"))
}

pub fn load(site: &SiteTest, source: &str, url: &str) -> (Arc<Blog>, Problems) {
    let (content, problems) = content(site, settings(source, url), SnapshotMode::Fallback);
    (content.blog, problems)
}

pub fn run(site: &SiteTest, source: &str, url: &str, more: &[&str]) -> Run {
    let set: Vec<String> = settings(source, url)
        .into_iter()
        .flat_map(|set| ["--set".to_owned(), set])
        .collect();
    let arguments: Vec<&str> = ["build"]
        .into_iter()
        .chain(set.iter().map(String::as_str))
        .chain(more.iter().copied())
        .collect();
    site.run(&arguments)
}

pub fn words(problems: &Problems) -> Vec<String> {
    problems
        .iter()
        .map(|problem| format!("{}: {}", problem.code.name(), problem.message))
        .collect()
}

pub fn slugs(blog: &Blog, locale: &str) -> Vec<String> {
    blog.posts
        .iter()
        .filter(|post| post.locale == locale)
        .map(|post| post.slug.clone())
        .collect()
}

/// Five posts in English and one in Spanish, which translates the first.
fn sample() -> Vec<Value> {
    let mut posts: Vec<Value> = (1..=5).map(|id| wordpress_post(id, "en")).collect();
    posts.push(wordpress_post(11, "es"));
    for at in [0, 5] {
        posts[at]["translations"] = json!({"en": 1, "es": 11});
    }
    posts
}

#[test]
fn wordpress_posts_are_imported() {
    let mut posts = sample();
    posts[1]["title"]["rendered"] = json!("It&#8217;s <em>new</em> &amp; bold");
    posts[1]["content"]["rendered"] = json!(
        "<h1>Top</h1><p><a href=\"/post-en-1/\">one</a> <a href=\"https://cms.example/about\">two</a><script>x</script></p>"
    );
    posts[2]["content"]["protected"] = json!(true);
    let server = CmsServer::start(wordpress(posts));
    let (blog, problems) = load(&SiteTest::small(), "wordpress", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(
        slugs(&blog, "en"),
        ["post-en-5", "post-en-4", "post-en-2", "post-en-1"]
    );
    assert_eq!(slugs(&blog, "es"), ["post-es-11"]);
    let post = |slug: &str| {
        blog.posts
            .iter()
            .find(|post| post.slug == slug)
            .expect("the post")
    };
    assert_eq!(post("post-es-11").key, post("post-en-1").key);
    let second = post("post-en-2");
    assert_eq!(second.title.as_deref(), Some("It’s new & bold"));
    assert_eq!(second.tags, ["AI & ML"]);
    assert_eq!(second.excerpt.as_deref(), Some("Short"));
    assert_eq!(
        second.date.expect("a date").to_string(),
        "2025-01-03T10:00:00"
    );
    assert_eq!(
        (second.headings[0].level, second.author.as_deref()),
        (2, Some("ana"))
    );
    let links: Vec<&str> = second
        .body
        .links()
        .pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Link(target) => Some(target.to.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(links, ["page:blog/post-en-1", "https://cms.example/about"]);
    assert_eq!(blog.authors["ana"].name, "Ana Ruiz");
    assert!(!format!("{:?}", second.body).contains("script"));
}

#[test]
fn a_list_without_paging_headers_is_read_to_its_end() {
    let inner = wordpress(sample());
    let server = CmsServer::start(move |request| match inner(request) {
        Reply::Whole(status, _, body) => Reply::Whole(status, Vec::new(), body),
        other => other,
    });
    let (blog, problems) = load(&SiteTest::small(), "wordpress", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(slugs(&blog, "en").len(), 5);
}

#[test]
fn a_list_that_repeats_its_pages_is_rejected() {
    let server = CmsServer::start(|_| Reply::json(&json!([wordpress_post(1, "en")])));
    let run = run(&SiteTest::small(), "wordpress", &server.url, &[]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("page 2 repeats"), "{}", run.stderr);
}

#[test]
fn languages_may_be_categories_or_base_urls() {
    let english = CmsServer::start(|request| one_page(request, &wordpress_post(1, "en")));
    let spanish = CmsServer::start(|request| one_page(request, &wordpress_post(1, "es")));
    let set = |more: &[String]| {
        settings("wordpress", &english.url)
            .into_iter()
            .chain(more.iter().cloned())
            .collect()
    };
    let by_url = set(&[
        "blog.language_by=base_url".into(),
        format!("blog.languages.en={}", english.url),
        format!("blog.languages.es={}", spanish.url),
    ]);
    let (found, problems) = content(&SiteTest::small(), by_url, SnapshotMode::Fallback);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(
        (slugs(&found.blog, "en").len(), slugs(&found.blog, "es")),
        (1, vec!["post-es-1".to_owned()])
    );

    let by_category = set(&[
        "blog.language_by=category".into(),
        "blog.languages.en=news".into(),
        "blog.languages.es=noticias".into(),
    ]);
    let (_, problems) = content(&SiteTest::small(), by_category, SnapshotMode::Fallback);
    assert!(problems.is_empty(), "{problems:?}");
    let requests = english.requests();
    assert!(requests.iter().any(|request| {
        request
            .query
            .get("slug")
            .is_some_and(|slug| slug == "noticias")
    }));
    assert!(requests.iter().any(|request| {
        request
            .query
            .get("categories")
            .is_some_and(|category| category == "42")
    }));
}

pub fn one_page(request: &Request, post: &Value) -> Reply {
    let items = match request.path.as_str() {
        "/wp-json/wp/v2/posts" => json!([post]),
        "/wp-json/wp/v2/categories" => json!([{"id": 42}]),
        _ => json!([{"id": 7, "name": "SQL"}]),
    };
    Reply::json(&items)
        .with("X-WP-Total", 1)
        .with("X-WP-TotalPages", 1)
}

#[test]
fn posts_of_the_posts_api_are_imported() {
    let server = CmsServer::start(posts_api((1..=3).map(api_post).collect()));
    let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(
        (slugs(&blog, "en").len(), slugs(&blog, "es")),
        (3, vec!["post-900-of-api".to_owned()])
    );
    assert!(
        server
            .requests()
            .iter()
            .all(|request| request.query["content"] == "full")
    );
}

#[test]
fn a_duplicate_post_is_published_once() {
    let mut posts = sample();
    posts.insert(3, posts[2].clone());
    let server = CmsServer::start(wordpress(posts));
    let (blog, problems) = load(&SiteTest::small(), "wordpress", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(
        slugs(&blog, "en"),
        [
            "post-en-5",
            "post-en-4",
            "post-en-3",
            "post-en-2",
            "post-en-1"
        ]
    );

    let posts = vec![api_post(1), api_post(1), api_post(2)];
    let server = CmsServer::start(posts_api(posts));
    let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(slugs(&blog, "en"), ["post-1-of-api", "post-2-of-api"]);

    let mut other = api_post(1);
    other["slug"] = json!("another-one");
    let server = CmsServer::start(posts_api(vec![api_post(1), other, api_post(2)]));
    let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    let problems = format!("{problems:?}");
    assert!(
        problems.contains("another post has the id 1 as well"),
        "{problems}"
    );
    assert_eq!(slugs(&blog, "en").len(), 3);
}

/// A CMS that ignores the filter returns posts in languages that were not requested.
#[test]
fn posts_in_an_unknown_language_are_skipped() {
    let server = CmsServer::start(|request| {
        let posts = [
            wordpress_post(1, "en"),
            wordpress_post(2, "es"),
            wordpress_post(3, "fr"),
            wordpress_post(4, ""),
        ];
        match request.path.as_str() {
            "/wp-json/wp/v2/posts" => Reply::json(&json!(posts))
                .with("X-WP-Total", 4)
                .with("X-WP-TotalPages", 1),
            _ => one_page(request, &json!({})),
        }
    });
    let (blog, _) = load(&SiteTest::small(), "wordpress", &server.url);
    assert_eq!(
        (slugs(&blog, "en"), slugs(&blog, "es")),
        (vec!["post-en-1".to_owned()], vec!["post-es-2".to_owned()])
    );
}

#[test]
fn a_language_whose_category_does_not_exist_is_reported() {
    let server = CmsServer::start(|request| match request.path.as_str() {
        "/wp-json/wp/v2/categories" => Reply::json(&json!([]))
            .with("X-WP-Total", 0)
            .with("X-WP-TotalPages", 0),
        _ => one_page(request, &wordpress_post(1, "en")),
    });
    let set = [
        "blog.language_by=category",
        "blog.languages.en=news",
        "blog.languages.es=noticias",
    ];
    let more: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let run = run(&SiteTest::small(), "wordpress", &server.url, &more);
    assert_eq!(run.status, 3);
    assert!(
        run.stderr.contains("the CMS has no category `news`"),
        "{}",
        run.stderr
    );
}

/// Each language is requested by its category; the posts' own language field is ignored.
#[test]
fn each_category_gives_the_posts_of_its_language() {
    let server = CmsServer::start(|request| {
        let reply = |items: Value| {
            Reply::json(&items)
                .with("X-WP-Total", 1)
                .with("X-WP-TotalPages", 1)
        };
        match (
            request.path.as_str(),
            request.query.get("slug"),
            request.query.get("categories"),
        ) {
            ("/wp-json/wp/v2/categories", Some(slug), _) => {
                reply(json!([{"id": if slug == "news" { 41 } else { 42 }}]))
            }
            ("/wp-json/wp/v2/posts", _, Some(id)) => {
                reply(json!([wordpress_post(id.parse().unwrap_or(0), "xx")]))
            }
            _ => reply(json!([{"id": 7, "name": "SQL"}])),
        }
    });
    let set = [
        "blog.language_by=category",
        "blog.languages.en=news",
        "blog.languages.es=noticias",
    ]
    .map(str::to_owned);
    let set = settings("wordpress", &server.url)
        .into_iter()
        .chain(set)
        .collect();
    let (content, problems) = content(&SiteTest::small(), set, SnapshotMode::Fallback);
    assert!(problems.is_empty(), "{problems:?}");
    let found = |locale| slugs(&content.blog, locale);
    assert_eq!(
        (found("en"), found("es")),
        (vec!["post-xx-41".to_owned()], vec!["post-xx-42".to_owned()])
    );
}

/// Missing tags and dates with a time zone are accepted without a problem.
#[test]
fn a_post_may_have_no_tags_and_a_date_of_any_zone() {
    let mut post = api_post(1);
    post["tags"] = Value::Null;
    for (date, expect) in [
        ("2025-01-05T23:30:00", "2025-01-05T23:30:00"),
        ("2025-01-05T23:30:00Z", "2025-01-05T23:30:00"),
        ("2025-01-05T23:30:00-05:00", "2025-01-05T23:30:00"),
        ("2025-01-05", "2025-01-05T00:00:00"),
    ] {
        post["date"] = json!(date);
        let server = CmsServer::start(posts_api(vec![post.clone()]));
        let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
        assert!(problems.is_empty(), "{problems:?}");
        let post = blog
            .posts
            .iter()
            .find(|post| post.id == "1")
            .expect("the post");
        assert_eq!(
            post.date.expect("a date").local().to_string(),
            expect,
            "{date}"
        );
        assert!(post.tags.is_empty());
    }
}

/// The site is published in spite of the warning, unless `--strict` is set.
#[test]
fn a_picture_without_alt_text_is_a_warning_unless_strict() {
    let mut post = api_post(1);
    post["content"] = json!("<p>Text. <img src=\"/a.svg\"></p>");
    let inner = posts_api(vec![post]);
    let server = CmsServer::start(move |request| match request.path.as_str() {
        "/a.svg" => {
            let picture = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 2"><path d="M0 0h4"/></svg>"#;
            Reply::Whole(200, vec![], picture.as_bytes().to_vec())
        }
        _ => inner(request),
    });
    let site = SiteTest::small();
    let lenient = run(&site, "posts_api", &server.url, &[]);
    assert_eq!(lenient.status, 0, "{}", lenient.stderr);
    assert!(
        lenient.stderr.contains("warning[blog-post]") && lenient.stderr.contains("(`alt`)"),
        "{}",
        lenient.stderr
    );
    let strict = run(&site, "posts_api", &server.url, &["--strict"]);
    assert_eq!(strict.status, 1);
    assert!(
        strict.stderr.contains("error[blog-post]") && strict.stderr.contains("(`alt`)"),
        "{}",
        strict.stderr
    );
}

/// An invalid field of a post is a warning, and the page shows a fallback.
#[test]
fn an_invalid_post_is_a_warning() {
    let cases: &[(&str, Value, &str, &str)] = &[
        (
            "slug",
            json!(null),
            "has no slug; its URL ends in `post-1`",
            "post-1",
        ),
        (
            "slug",
            json!("a/../b"),
            "its URL ends in `a-..-b`",
            "a-..-b",
        ),
        ("slug", json!("a%2Fb"), "its URL ends in `a-b`", "a-b"),
        ("slug", json!(".."), "its URL ends in `post-1`", "post-1"),
        ("slug", json!("Upper"), "its URL ends in `upper`", "upper"),
        (
            "slug",
            json!("post-2-of-api"),
            "has the same slug as another post",
            "post-2-of-api",
        ),
        ("title", json!(""), "has no title", "post-1-of-api"),
        (
            "date",
            json!("yesterday"),
            "has no valid date",
            "post-1-of-api",
        ),
        (
            "author",
            json!({"code": "rest_user_invalid_id"}),
            "has no author",
            "post-1-of-api",
        ),
        ("content", json!(null), "has no text", "post-1-of-api"),
        (
            "featured_image",
            json!({"source_url": "/missing.jpg", "alt_text": "A"}),
            "is left out (",
            "post-1-of-api",
        ),
        (
            "content",
            json!("<img src=/page.jpg alt=A>"),
            "is not a JPEG, PNG, WebP, GIF or SVG image",
            "post-1-of-api",
        ),
        (
            "content",
            json!("x".repeat(5_000_000)),
            "is left out: its text is larger than 2 MB",
            "",
        ),
        ("id", json!(null), "a post without an id is left out", ""),
    ];
    for (key, value, expect, slug) in cases {
        let mut post = api_post(1);
        post[*key] = value.clone();
        let inner = posts_api(vec![post, api_post(2)]);
        let server = CmsServer::start(move |request| match request.path.as_str() {
            "/page.jpg" => Reply::Whole(
                200,
                vec![("Content-Type", "image/jpeg".into())],
                b"<!doctype html><p>".to_vec(),
            ),
            "/missing.jpg" => Reply::status(404),
            _ => inner(request),
        });
        let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
        let reported = words(&problems);
        assert!(
            reported.len() == 1
                && reported[0].starts_with("blog-post: ")
                && reported[0].contains(expect),
            "{key}: {reported:?}"
        );
        assert!(!problems.has_errors());
        assert!(
            slug.is_empty() || slugs(&blog, "en").contains(&(*slug).to_owned()),
            "{key}: {:?}",
            slugs(&blog, "en")
        );
        assert!(
            slugs(&blog, "en")
                .iter()
                .any(|slug| slug.starts_with("post-2-of-api")),
            "the other post is published"
        );
    }
}

#[test]
fn pictures_are_downloaded_once_and_added_to_the_sites_images() {
    let png = {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::from_pixel(8, 4, image::Rgb([9, 9, 9]))
            .write_to(&mut bytes, image::ImageFormat::Png)
            .expect("a picture");
        bytes.into_inner()
    };
    let mut post = api_post(1);
    post["content"] = json!(
        "<p><img src='/uploads/a.png' srcset='/uploads/b.png 2x' alt='A &quot;plan&quot;'></p>"
    );
    post["featured_image"] = json!({
        "source_url": "/uploads/full.png", "alt_text": "Plan", "media_details": {"sizes": {"large": {"source_url": "/uploads/large.png"}}},
    });
    let inner = posts_api(vec![post]);
    let server = CmsServer::start(move |request| {
        if request.path.starts_with("/uploads/") {
            Reply::Whole(200, vec![], png.clone())
        } else {
            inner(request)
        }
    });
    let site = SiteTest::small();
    for _ in 0..2 {
        let (content, problems) = content(
            &site,
            settings("posts_api", &server.url),
            SnapshotMode::Fallback,
        );
        assert!(problems.is_empty(), "{problems:?}");
        let post = content
            .blog
            .posts
            .iter()
            .find(|post| post.id == "1")
            .expect("the post");
        let image = post.image.as_ref().expect("its picture");
        assert_eq!(
            content
                .images
                .get(&image.src)
                .map(|file| (file.width, file.height)),
            Some((8, 4))
        );
        let [inner] = post.pictures().collect::<Vec<_>>()[..] else {
            panic!("one picture: {:?}", post.body)
        };
        assert_eq!(inner.alt, "A \"plan\"");
        assert!(content.images.get(&inner.src).is_some());
    }
    let paths: Vec<String> = server
        .requests()
        .into_iter()
        .map(|request| request.path)
        .filter(|path| path.contains("uploads"))
        .collect();
    assert_eq!(paths.len(), 2, "{paths:?}");
    assert!(
        paths
            .iter()
            .all(|path| ["/uploads/a.png", "/uploads/large.png"].contains(&path.as_str())),
        "{paths:?}"
    );
}

#[test]
fn other_private_addresses_are_not_requested() {
    let inside = CmsServer::start(|_| Reply::json(&json!({"secret": true})));
    let target = inside.url.clone();
    let mut post = api_post(1);
    post["featured_image"] =
        json!({"source_url": format!("{target}/picture.png"), "alt_text": "A"});
    let inner = posts_api(vec![post]);
    let server = CmsServer::start(move |request| inner(request));
    let (_, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    assert!(
        words(&problems)[0].contains("is a private address"),
        "{problems:?}"
    );

    let target = inside.url.clone();
    let server =
        CmsServer::start(move |_| Reply::status(302).with("Location", format!("{target}/posts")));
    let run = run(&SiteTest::small(), "posts_api", &server.url, &[]);
    assert!(
        run.stderr.contains("is a private address"),
        "{}",
        run.stderr
    );
    assert!(inside.requests().is_empty(), "{:?}", inside.requests());
}

#[test]
fn the_password_goes_to_the_cms_and_is_never_printed() {
    let inner = posts_api(vec![api_post(1)]);
    let server = CmsServer::start(move |request| {
        match request.headers.get("authorization").map(String::as_str) {
            Some("Bearer s3cret") => inner(request),
            _ => Reply::status(401),
        }
    });
    let set: Vec<String> = settings("posts_api", &server.url)
        .into_iter()
        .flat_map(|set| ["--set".to_owned(), set])
        .collect();
    let arguments: Vec<&str> = ["build", "--verbose"]
        .into_iter()
        .chain(set.iter().map(String::as_str))
        .collect();
    let site = SiteTest::small();
    let run = site.run_with(
        &arguments,
        &[
            ("BLOG_TOKEN", "s3cret"),
            ("BLOG_HOST", "cms.example.com, 127.0.0.1"),
        ],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = site.run_with(
        &arguments,
        &[("BLOG_TOKEN", "wr0ng"), ("BLOG_HOST", "127.0.0.1")],
    );
    assert!(
        run.stderr.contains("status 401") && !run.stderr.contains("wr0ng"),
        "{}",
        run.stderr
    );
}

/// Whoever edits `content/site.yaml` does not decide who gets the password.
#[test]
fn credentials_go_to_the_hosts_that_the_environment_names_and_no_others() {
    for source in ["posts_api", "wordpress"] {
        let server = CmsServer::start(posts_api(vec![api_post(1)]));
        let set: Vec<String> = settings(source, &server.url)
            .into_iter()
            .flat_map(|set| ["--set".to_owned(), set])
            .collect();
        let port = server
            .url
            .rsplit(':')
            .next()
            .expect("a port")
            .trim_end_matches('/');
        let other_port = format!("127.0.0.1:1{port}");
        let password = [("BLOG_USER", "ana"), ("BLOG_PASSWORD", "s3cret")];
        let hosts = [
            "",
            "cms.example.com",
            "127.0.0.1.example.com",
            "27.0.0.1",
            other_port.as_str(),
        ];
        for (host, command) in hosts
            .iter()
            .flat_map(|host| ["build", "check"].map(|command| (host, command)))
        {
            let arguments: Vec<&str> = [command]
                .into_iter()
                .chain(set.iter().map(String::as_str))
                .collect();
            for credentials in [&password[..], &[("BLOG_TOKEN", "s3cret")]] {
                let environment = [credentials, &[("BLOG_HOST", *host)]].concat();
                let run = SiteTest::small().run_with(&arguments, &environment);
                assert_ne!(run.status, 0, "{host} {command}: {}", run.stderr);
                assert!(
                    run.stderr.contains("hint: set `BLOG_HOST=127.0.0.1`"),
                    "{host}: {}",
                    run.stderr
                );
            }
        }
        let with_credentials = server
            .requests()
            .iter()
            .filter(|request| request.headers.contains_key("authorization"))
            .count();
        assert_eq!(with_credentials, 0);
    }
}

#[test]
fn an_unchanged_response_is_not_sent_again() {
    let inner = posts_api(vec![api_post(1)]);
    let server = CmsServer::start(move |request| {
        match request.headers.get("if-none-match").map(String::as_str) {
            Some("\"v1\"") => Reply::Whole(304, vec![], vec![]),
            _ => inner(request).with("ETag", "\"v1\""),
        }
    });
    let site = SiteTest::small();
    for _ in 0..2 {
        let (blog, problems) = load(&site, "posts_api", &server.url);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(blog.posts.len(), 2);
    }
    assert_eq!(
        server
            .requests()
            .iter()
            .filter(|request| request.headers.contains_key("if-none-match"))
            .count(),
        2
    );
}

#[test]
fn invalid_blog_settings_are_reported() {
    let cases: &[(&str, &str)] = &[
        ("blog: {source: wordpres}", "invalid-value"),
        ("blog: {source: wordpress}", "invalid-value"),
        (
            "blog: {source: posts_api, url: cms.example}",
            "invalid-value",
        ),
        (
            "blog: {source: posts_api, url: \"https://me:secret@cms.example\"}",
            "invalid-value",
        ),
        ("blog: {max_shrink: 20}", "invalid-value"),
        ("blog: {snapshot: ../elsewhere}", "invalid-value"),
        ("blog: {languages: {fr: x}}", "invalid-value"),
        ("blog: {max_ages: 3}", "unknown-key"),
        ("blog: {on_failure: placehoder}", "invalid-value"),
    ];
    for (line, code) in cases {
        let site = SiteTest::small();
        site.edit(
            "content/site.yaml",
            "copyright_year: 2025",
            &format!("copyright_year: 2025\n{line}"),
        );
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.len() == 1 && problems[0].starts_with(&format!("{code} content/site.yaml")),
            "{line}: {problems:?}"
        );
    }
}

#[test]
fn on_failure_is_a_setting() {
    let read = |set: &[&str]| {
        let site = SiteTest::small();
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        let (config, problems) = config::load(&Options {
            root: site.path(""),
            set,
            ..Options::default()
        });
        assert!(problems.is_empty(), "{problems:?}");
        config.expect("settings").site.blog.on_failure
    };
    assert_eq!(read(&[]), OnFailure::Error);
    assert_eq!(read(&["blog.on_failure=error"]), OnFailure::Error);
    assert_eq!(
        read(&["blog.on_failure=placeholder"]),
        OnFailure::Placeholder
    );
}
