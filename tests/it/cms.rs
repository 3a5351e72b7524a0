//! Posts of a CMS, real and broken: what is published, what is told, and what is asked of whom.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};
use sitegen::config::{self, OnFailure, Options, SnapshotMode};
use sitegen::content::rich::Piece;
use sitegen::content::{self, Blog, Content};
use sitegen::problem::Problems;

use crate::cms_server::{CmsServer, Reply, Request, api_post, posts_api, wordpress, wordpress_post};
use crate::site_test::{Run, SiteTest};

fn settings(source: &str, url: &str) -> Vec<String> {
    ["blog.retries=1", "blog.timeout=20"]
        .map(str::to_owned)
        .into_iter()
        .chain([format!("blog.source={source}"), format!("blog.url={url}")])
        .collect()
}

fn content(site: &SiteTest, set: Vec<String>, snapshot: SnapshotMode) -> (Content, Problems) {
    let options = Options { root: site.path(""), set, snapshot, ..Options::default() };
    let (config, problems) = config::load(&options);
    assert!(!problems.has_errors(), "{problems:?}");
    content::load(&config.expect("settings"))
}

fn load(site: &SiteTest, source: &str, url: &str) -> (Arc<Blog>, Problems) {
    let (content, problems) = content(site, settings(source, url), SnapshotMode::Fallback);
    (content.blog, problems)
}

fn run(site: &SiteTest, source: &str, url: &str, more: &[&str]) -> Run {
    let set: Vec<String> = settings(source, url).into_iter().flat_map(|set| ["--set".to_owned(), set]).collect();
    let arguments: Vec<&str> =
        ["build"].into_iter().chain(set.iter().map(String::as_str)).chain(more.iter().copied()).collect();
    site.run(&arguments)
}

fn words(problems: &Problems) -> Vec<String> {
    problems.iter().map(|problem| format!("{}: {}", problem.code.name(), problem.message)).collect()
}

fn slugs(blog: &Blog, locale: &str) -> Vec<String> {
    blog.posts.iter().filter(|post| post.locale == locale).map(|post| post.slug.clone()).collect()
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
fn wordpress_is_read_whole() {
    let mut posts = sample();
    posts[1]["title"]["rendered"] = json!("It&#8217;s <em>new</em> &amp; bold");
    posts[1]["content"]["rendered"] = json!(
        "<h1>Top</h1><p><a href=\"/post-en-1/\">one</a> <a href=\"https://cms.example/about\">two</a><script>x</script></p>"
    );
    posts[2]["content"]["protected"] = json!(true);
    let server = CmsServer::start(wordpress(posts));
    let (blog, problems) = load(&SiteTest::small(), "wordpress", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(slugs(&blog, "en"), ["post-en-5", "post-en-4", "post-en-2", "post-en-1"]);
    assert_eq!(slugs(&blog, "es"), ["post-es-11"]);
    let post = |slug: &str| blog.posts.iter().find(|post| post.slug == slug).expect("the post");
    assert_eq!(post("post-es-11").key, post("post-en-1").key);
    let second = post("post-en-2");
    assert_eq!(second.title.as_deref(), Some("It’s new & bold"));
    assert_eq!(second.tags, ["AI & ML"]);
    assert_eq!(second.excerpt.as_deref(), Some("Short"));
    assert_eq!(second.date.expect("a date").to_string(), "2025-01-03T10:00:00");
    assert_eq!((second.headings[0].level, second.author.as_deref()), (2, Some("ana")));
    let links: Vec<&str> = second
        .body
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
fn a_list_that_repeats_its_pages_is_refused() {
    let server = CmsServer::start(|_| Reply::json(&json!([wordpress_post(1, "en")])));
    let run = run(&SiteTest::small(), "wordpress", &server.url, &[]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("page 2 repeats"), "{}", run.stderr);
}

#[test]
fn languages_may_be_categories_or_addresses() {
    let english = CmsServer::start(|request| one_page(request, &wordpress_post(1, "en")));
    let spanish = CmsServer::start(|request| one_page(request, &wordpress_post(1, "es")));
    let set = |more: &[String]| settings("wordpress", &english.url).into_iter().chain(more.iter().cloned()).collect();
    let by_url = set(&[
        "blog.language_by=base_url".into(),
        format!("blog.languages.en={}", english.url),
        format!("blog.languages.es={}", spanish.url),
    ]);
    let (found, problems) = content(&SiteTest::small(), by_url, SnapshotMode::Fallback);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!((slugs(&found.blog, "en").len(), slugs(&found.blog, "es")), (1, vec!["post-es-1".to_owned()]));

    let by_category = set(&[
        "blog.language_by=category".into(),
        "blog.languages.en=news".into(),
        "blog.languages.es=noticias".into(),
    ]);
    let (_, problems) = content(&SiteTest::small(), by_category, SnapshotMode::Fallback);
    assert!(problems.is_empty(), "{problems:?}");
    let asked = english.asked();
    assert!(asked.iter().any(|request| request.query.get("slug").is_some_and(|slug| slug == "noticias")));
    assert!(asked.iter().any(|request| request.query.get("categories").is_some_and(|category| category == "42")));
}

fn one_page(request: &Request, post: &Value) -> Reply {
    let items = match request.path.as_str() {
        "/wp-json/wp/v2/posts" => json!([post]),
        "/wp-json/wp/v2/categories" => json!([{"id": 42}]),
        _ => json!([{"id": 7, "name": "SQL"}]),
    };
    Reply::json(&items).with("X-WP-Total", 1).with("X-WP-TotalPages", 1)
}

#[test]
fn the_posts_api_is_read_whole() {
    let server = CmsServer::start(posts_api((1..=3).map(api_post).collect()));
    let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!((slugs(&blog, "en").len(), slugs(&blog, "es")), (3, vec!["post-900-of-api".to_owned()]));
    assert!(server.asked().iter().all(|request| request.query["content"] == "full"));
}

/// A first build publishes nothing that is not whole.
#[test]
fn an_answer_that_is_not_whole_is_refused() {
    type Answer = Box<dyn Fn(&Request) -> Reply + Send + Sync>;
    let good = || wordpress((1..=13).map(|id| wordpress_post(id, "en")).collect());
    let broken: Vec<(&str, Answer)> = vec![
        ("status 500", Box::new(|_| Reply::status(500))),
        ("to be asked again in 9000 s", Box::new(|_| Reply::status(429).with("Retry-After", 9000))),
        ("HTML where JSON was expected", Box::new(|_| Reply::Whole(200, vec![], b"\n<!doctype html><p>Busy".to_vec()))),
        ("", Box::new(|_| Reply::Half(b"[{\"id\": 1".to_vec()))),
        ("damaged or cut off", Box::new(|_| Reply::Whole(200, vec![], b"[{\"id\": 1".to_vec()))),
        ("in time", Box::new(|_| Reply::Drip)),
        ("in time", Box::new(|_| Reply::Silence)),
        (
            "more than 5 redirects",
            Box::new(|request| Reply::status(302).with("Location", format!("{}?again", request.path))),
        ),
        ("more than 1 MB", Box::new(|_| Reply::Whole(200, vec![], vec![b' '; 1_100_000]))),
        (
            "status 400 (Unknown language)",
            Box::new(|_| Reply::Whole(400, vec![], br#"{"message": "Unknown language"}"#.to_vec())),
        ),
        ("where a list was expected", Box::new(|_| Reply::json(&json!({"posts": null})))),
        (
            "page 4 of 7 is not there",
            Box::new(move |request| {
                let is_late =
                    request.query.get("page").is_some_and(|page| page.parse::<u32>().is_ok_and(|page| page > 3));
                if is_late {
                    Reply::Whole(400, vec![], br#"{"code":"rest_post_invalid_page_number"}"#.to_vec())
                } else {
                    good()(request)
                }
            }),
        ),
    ];
    for (why, answer) in broken {
        let server = CmsServer::start(answer);
        let site = SiteTest::small();
        let more = ["--set", "blog.timeout=0.5", "--set", "blog.retries=0", "--set", "blog.max_answer=1"];
        let run = run(&site, "wordpress", &server.url, &more);
        assert_eq!(
            (run.status, run.problems()),
            (3, vec!["blog-unreachable --set".to_owned()]),
            "{why}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(why), "{why}: {}", run.stderr);
        assert!(!site.path("dist").exists());
    }
}

#[test]
fn an_incomplete_answer_of_the_posts_api_is_refused() {
    let broken = [
        json!([api_post(1)]),
        json!({"posts": [api_post(1)]}),
        json!({"posts": null, "pagination": {"total": 1, "total_pages": 1}}),
        json!({"posts": [api_post(1)], "pagination": {"total": 7, "total_pages": 1}}),
    ];
    for answer in broken {
        let shown = answer.to_string();
        let server = CmsServer::start(move |_| Reply::json(&answer));
        let run = run(&SiteTest::small(), "posts_api", &server.url, &["--set", "blog.retries=0"]);
        assert_eq!((run.status, run.problems()), (3, vec!["blog-unreachable --set".to_owned()]), "{shown}");
    }
}

#[test]
fn the_same_posts_in_every_language_are_refused() {
    let server = CmsServer::start(|request| {
        let mut post = wordpress_post(1, "en");
        post["lang"] = Value::Null;
        one_page(request, &post)
    });
    let run = run(&SiteTest::small(), "wordpress", &server.url, &[]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("blog.language_by"), "{}", run.stderr);
}

#[test]
fn a_failure_that_passes_is_asked_again() {
    let inner = posts_api(vec![api_post(1)]);
    let server = CmsServer::start(move |request| match request.before {
        0 => Reply::status(503).with("Retry-After", 0),
        _ => inner(request),
    });
    let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(blog.posts.len(), 2);
}

#[test]
fn an_outage_is_survived_with_the_last_snapshot() {
    let (inner, is_down) = (posts_api(vec![api_post(1)]), Arc::new(AtomicBool::new(false)));
    let down = Arc::clone(&is_down);
    let server =
        CmsServer::start(move |request| if down.load(Ordering::SeqCst) { Reply::status(500) } else { inner(request) });
    let site = SiteTest::small();
    let offline = run(&site, "posts_api", &server.url, &["--offline"]);
    assert_eq!(offline.problems(), ["blog-snapshot --set"], "no snapshot yet");
    assert_eq!(run(&site, "posts_api", &server.url, &[]).status, 0);
    is_down.store(true, Ordering::SeqCst);

    let saved = run(&site, "posts_api", &server.url, &[]);
    assert_eq!((saved.status, saved.problems()), (0, vec!["blog-snapshot --set".to_owned()]));
    assert!(saved.stderr.contains("0 minutes ago"), "{}", saved.stderr);
    assert_eq!(run(&site, "posts_api", &server.url, &["--strict"]).status, 1);
    assert_eq!(run(&site, "posts_api", &server.url, &["--refresh"]).problems(), ["blog-unreachable --set"]);
    assert_eq!(run(&site, "posts_api", &server.url, &["--frozen"]).problems(), ["blog-unreachable --set"]);
    let asked = server.asked().len();
    let offline = run(&site, "posts_api", &server.url, &["--offline"]);
    assert_eq!((offline.status, offline.problems().len(), server.asked().len()), (0, 0, asked));

    // Sixteen days later.
    let later = (std::time::SystemTime::now() + std::time::Duration::from_hours(16 * 24))
        .duration_since(std::time::UNIX_EPOCH)
        .expect("a moment")
        .as_secs()
        .to_string();
    let set: Vec<String> =
        settings("posts_api", &server.url).into_iter().flat_map(|set| ["--set".to_owned(), set]).collect();
    let arguments: Vec<&str> = ["build"].into_iter().chain(set.iter().map(String::as_str)).collect();
    let old = site.run_with(&arguments, &[("SOURCE_DATE_EPOCH", &later)]);
    assert_eq!((old.status, old.problems()), (1, vec!["blog-snapshot --set".to_owned()]));
    assert!(old.stderr.contains("16 days old"), "{}", old.stderr);
}

#[test]
fn a_snapshot_can_be_committed_and_is_readable() {
    let server = CmsServer::start(posts_api((1..=3).map(api_post).collect()));
    let site = SiteTest::small();
    let place = ["--set", "blog.snapshot=content/blog-snapshot"];
    let first = run(&site, "posts_api", &server.url, &place);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let text = std::fs::read_to_string(site.path("content/blog-snapshot/posts-en.json")).expect("the posts");
    assert_eq!(text.lines().count(), 5, "{text}");
    site.write("content/blog-snapshot/posts-en.json", &text[..text.len() / 2]);
    let run = run(&site, "posts_api", &server.url, &[&place[..], &["--offline"]].concat());
    assert_eq!(run.problems(), ["blog-snapshot content/blog-snapshot/posts-en.json"]);
}

#[test]
fn a_blog_that_shrinks_is_not_published() {
    let (left, site) = (Arc::new(AtomicUsize::new(10)), SiteTest::small());
    let count = Arc::clone(&left);
    let server = CmsServer::start(move |request| {
        posts_api((1..=count.load(Ordering::SeqCst) as u64).map(api_post).collect())(request)
    });
    let build = |more: &[&str]| run(&site, "posts_api", &server.url, more);
    assert_eq!(build(&[]).status, 0);
    left.store(7, Ordering::SeqCst);
    let shrunk = build(&[]);
    assert_eq!((shrunk.status, shrunk.problems()), (1, vec!["blog-shrunk --set".to_owned()]));
    assert!(shrunk.stderr.contains("3 of 10 posts of `en` have vanished"), "{}", shrunk.stderr);
    assert_eq!(build(&["--set", "blog.max_shrink=0.3"]).status, 0);
    left.store(0, Ordering::SeqCst);
    assert_eq!(build(&["--set", "blog.max_shrink=0.9"]).problems(), ["blog-shrunk --set"]);
    assert_eq!(build(&["--refresh"]).status, 0);
}

#[test]
fn what_changed_is_told_and_frozen_allows_none_of_it() {
    let (step, site) = (Arc::new(AtomicUsize::new(0)), SiteTest::small());
    let now = Arc::clone(&step);
    let server = CmsServer::start(move |request| {
        let mut posts: Vec<Value> = (1..=6).map(api_post).collect();
        if now.load(Ordering::SeqCst) > 0 {
            posts.remove(0);
            posts[0]["content"] = json!("<p>Else.</p>");
            posts.push(api_post(7));
        }
        posts_api(posts)(request)
    });
    let build = |more: &[&str]| run(&site, "posts_api", &server.url, more);
    assert!(!build(&[]).stdout.contains("added"));
    assert_eq!(build(&["--frozen"]).status, 0);
    step.store(1, Ordering::SeqCst);
    let frozen = build(&["--frozen"]);
    assert_eq!((frozen.status, frozen.problems()), (1, vec!["blog-changed --set".to_owned()]));
    let told = build(&[]).stdout;
    let expect = "blog: 1 added, 1 changed, 1 removed\n  + en: Title 7\n  ~ en: Title 2\n  - en: Title 1\n";
    assert!(told.contains(expect), "{told}");
    assert!(build(&[]).stdout.contains("blog: 0 added, 0 changed, 0 removed"));
}

/// A fault in one post is a warning, and the reader sees the fallback.
#[test]
fn a_fault_in_a_post_is_a_warning() {
    let cases: &[(&str, Value, &str, &str)] = &[
        ("slug", json!(null), "has no slug; its address ends in `post-1`", "post-1"),
        ("slug", json!("a/../b"), "its address ends in `post-1`", "post-1"),
        ("slug", json!("a%2Fb"), "its address ends in `post-1`", "post-1"),
        ("slug", json!("🚀"), "its address ends in `post-1`", "post-1"),
        ("slug", json!("Upper"), "its address ends in `upper`", "upper"),
        ("slug", json!("post-2-of-api"), "has the slug of another one", "post-2-of-api"),
        ("title", json!(""), "has no title", "post-1-of-api"),
        ("date", json!("yesterday"), "has no date", "post-1-of-api"),
        ("author", json!({"code": "rest_user_invalid_id"}), "has no author", "post-1-of-api"),
        ("content", json!(null), "has no text", "post-1-of-api"),
        ("featured_image", json!({"source_url": "/missing.jpg", "alt_text": "A"}), "is left out (", "post-1-of-api"),
        ("content", json!("<img src=/page.jpg alt=A>"), "is no JPEG, PNG, WebP or SVG picture", "post-1-of-api"),
        ("content", json!("x".repeat(5_000_000)), "is left out: its text has more than 2 MB", ""),
        ("id", json!(null), "a post without an id is left out", ""),
    ];
    for (key, value, expect, slug) in cases {
        let mut post = api_post(1);
        post[*key] = value.clone();
        let inner = posts_api(vec![post, api_post(2)]);
        let server = CmsServer::start(move |request| match request.path.as_str() {
            "/page.jpg" => {
                Reply::Whole(200, vec![("Content-Type", "image/jpeg".into())], b"<!doctype html><p>".to_vec())
            }
            "/missing.jpg" => Reply::status(404),
            _ => inner(request),
        });
        let (blog, problems) = load(&SiteTest::small(), "posts_api", &server.url);
        let told = words(&problems);
        assert!(told.len() == 1 && told[0].starts_with("blog-post: ") && told[0].contains(expect), "{key}: {told:?}");
        assert!(!problems.has_errors());
        assert!(slug.is_empty() || slugs(&blog, "en").contains(&(*slug).to_owned()), "{key}: {:?}", slugs(&blog, "en"));
        assert!(slugs(&blog, "en").iter().any(|slug| slug.starts_with("post-2-of-api")), "the other post stays");
    }
}

#[test]
fn pictures_are_fetched_once_and_join_the_sites_own() {
    let png = {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::from_pixel(8, 4, image::Rgb([9, 9, 9]))
            .write_to(&mut bytes, image::ImageFormat::Png)
            .expect("a picture");
        bytes.into_inner()
    };
    let mut post = api_post(1);
    post["content"] = json!("<p><img src='/uploads/a.png' srcset='/uploads/b.png 2x' alt='A &quot;plan&quot;'></p>");
    post["featured_image"] = json!({
        "source_url": "/uploads/full.png", "alt_text": "Plan", "media_details": {"sizes": {"large": {"source_url": "/uploads/large.png"}}},
    });
    let inner = posts_api(vec![post]);
    let server = CmsServer::start(move |request| {
        if request.path.starts_with("/uploads/") { Reply::Whole(200, vec![], png.clone()) } else { inner(request) }
    });
    let site = SiteTest::small();
    for _ in 0..2 {
        let (content, problems) = content(&site, settings("posts_api", &server.url), SnapshotMode::Fallback);
        assert!(problems.is_empty(), "{problems:?}");
        let post = content.blog.posts.iter().find(|post| post.id == "1").expect("the post");
        let image = post.image.as_ref().expect("its picture");
        assert_eq!(content.images.0[&image.src].as_ref().map(|file| (file.width, file.height)), Some((8, 4)));
        let [inner] = post.pictures().collect::<Vec<_>>()[..] else { panic!("one picture: {:?}", post.body) };
        assert_eq!(inner.alt, "A \"plan\"");
        assert!(content.images.0.contains_key(&inner.src));
    }
    let asked: Vec<String> =
        server.asked().into_iter().map(|request| request.path).filter(|path| path.contains("uploads")).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked.iter().all(|path| ["/uploads/a.png", "/uploads/large.png"].contains(&path.as_str())), "{asked:?}");
}

#[test]
fn other_private_addresses_are_not_asked() {
    let inside = CmsServer::start(|_| Reply::json(&json!({"secret": true})));
    let target = inside.url.clone();
    let mut post = api_post(1);
    post["featured_image"] = json!({"source_url": format!("{target}/picture.png"), "alt_text": "A"});
    let inner = posts_api(vec![post]);
    let server = CmsServer::start(move |request| inner(request));
    let (_, problems) = load(&SiteTest::small(), "posts_api", &server.url);
    assert!(words(&problems)[0].contains("is a private address"), "{problems:?}");

    let target = inside.url.clone();
    let server = CmsServer::start(move |_| Reply::status(302).with("Location", format!("{target}/posts")));
    let run = run(&SiteTest::small(), "posts_api", &server.url, &[]);
    assert!(run.stderr.contains("is a private address"), "{}", run.stderr);
    assert!(inside.asked().is_empty(), "{:?}", inside.asked());
}

#[test]
fn the_password_goes_to_the_cms_and_is_never_printed() {
    let inner = posts_api(vec![api_post(1)]);
    let server = CmsServer::start(move |request| match request.headers.get("authorization").map(String::as_str) {
        Some("Bearer s3cret") => inner(request),
        _ => Reply::status(401),
    });
    let set: Vec<String> =
        settings("posts_api", &server.url).into_iter().flat_map(|set| ["--set".to_owned(), set]).collect();
    let arguments: Vec<&str> = ["build", "--verbose"].into_iter().chain(set.iter().map(String::as_str)).collect();
    let site = SiteTest::small();
    let run = site.run_with(&arguments, &[("BLOG_TOKEN", "s3cret")]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let run = site.run_with(&arguments, &[("BLOG_TOKEN", "wr0ng")]);
    assert!(run.stderr.contains("status 401") && !run.stderr.contains("wr0ng"), "{}", run.stderr);
}

#[test]
fn an_answer_that_has_not_changed_is_not_sent_again() {
    let inner = posts_api(vec![api_post(1)]);
    let server = CmsServer::start(move |request| match request.headers.get("if-none-match").map(String::as_str) {
        Some("\"v1\"") => Reply::Whole(304, vec![], vec![]),
        _ => inner(request).with("ETag", "\"v1\""),
    });
    let site = SiteTest::small();
    for _ in 0..2 {
        let (blog, problems) = load(&site, "posts_api", &server.url);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(blog.posts.len(), 2);
    }
    assert_eq!(server.asked().iter().filter(|request| request.headers.contains_key("if-none-match")).count(), 2);
}

#[test]
fn wrong_settings_of_the_blog_are_named() {
    let cases: &[(&str, &str)] = &[
        ("blog: {source: wordpres}", "invalid-value"),
        ("blog: {source: wordpress}", "invalid-value"),
        ("blog: {source: posts_api, url: cms.example}", "invalid-value"),
        ("blog: {source: posts_api, url: \"https://me:secret@cms.example\"}", "invalid-value"),
        ("blog: {max_shrink: 20}", "invalid-value"),
        ("blog: {snapshot: ../elsewhere}", "invalid-value"),
        ("blog: {languages: {fr: x}}", "invalid-value"),
        ("blog: {max_ages: 3}", "unknown-key"),
        ("blog: {on_failure: placehoder}", "invalid-value"),
    ];
    for (line, code) in cases {
        let site = SiteTest::small();
        site.edit("content/site.yaml", "copyright_year: 2025", &format!("copyright_year: 2025\n{line}"));
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.len() == 1 && problems[0].starts_with(&format!("{code} content/site.yaml")),
            "{line}: {problems:?}"
        );
    }
}

#[test]
fn what_a_failed_search_shows_is_a_setting() {
    let read = |set: &[&str]| {
        let site = SiteTest::small();
        let set = set.iter().map(|set| (*set).to_owned()).collect();
        let (config, problems) = config::load(&Options { root: site.path(""), set, ..Options::default() });
        assert!(problems.is_empty(), "{problems:?}");
        config.expect("settings").site.blog.on_failure
    };
    assert_eq!(read(&[]), OnFailure::Error);
    assert_eq!(read(&["blog.on_failure=error"]), OnFailure::Error);
    assert_eq!(read(&["blog.on_failure=placeholder"]), OnFailure::Placeholder);
}
