//! A CMS that is down, returns invalid responses, or has lost half of its posts. Nothing of that is published; the
//! snapshot of the last good response is used instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use config::{self, Options, SnapshotMode};
use serde_json::{Value, json};

use crate::cms::{load, one_page, run, settings};
use crate::cms_server::{
    CmsServer, Reply, Request, api_post, posts_api, wordpress, wordpress_post,
};
use crate::site_test::SiteTest;

/// The handler of a faulty server.
type Handler = Box<dyn Fn(&Request) -> Reply + Send + Sync>;

/// A first build, without a snapshot, publishes nothing.
#[test]
fn an_incomplete_response_is_rejected() {
    let good = || wordpress((1..=13).map(|id| wordpress_post(id, "en")).collect());
    let broken: Vec<(&str, Handler)> = vec![
        ("status 500", Box::new(|_| Reply::status(500))),
        (
            "retry after 9000 s",
            Box::new(|_| Reply::status(429).with("Retry-After", 9000)),
        ),
        (
            "HTML instead of JSON",
            Box::new(|_| Reply::Whole(200, vec![], b"\n<!doctype html><p>Busy".to_vec())),
        ),
        ("", Box::new(|_| Reply::Half(b"[{\"id\": 1".to_vec()))),
        (
            "invalid or truncated",
            Box::new(|_| Reply::Whole(200, vec![], b"[{\"id\": 1".to_vec())),
        ),
        ("timed out", Box::new(|_| Reply::Drip)),
        ("timed out", Box::new(|_| Reply::Silence)),
        (
            "timed out",
            Box::new(
                move |request| match request.query.get("page").map(String::as_str) {
                    Some("2") => Reply::Silence,
                    _ => good()(request),
                },
            ),
        ),
        (
            "",
            Box::new(
                move |request| match request.query.get("page").map(String::as_str) {
                    Some("3") => Reply::Drip,
                    _ => good()(request),
                },
            ),
        ),
        (
            "more than 5 redirects",
            Box::new(|request| {
                Reply::status(302).with("Location", format!("{}?again", request.path))
            }),
        ),
        (
            "larger than 1 MB",
            Box::new(|_| Reply::Whole(200, vec![], vec![b' '; 1_100_000])),
        ),
        (
            "status 400 (Unknown language)",
            Box::new(|_| Reply::Whole(400, vec![], br#"{"message": "Unknown language"}"#.to_vec())),
        ),
        (
            "instead of a list",
            Box::new(|_| Reply::json(&json!({"posts": null}))),
        ),
        (
            "page 4 of 7 is missing",
            Box::new(move |request| {
                let is_late = request
                    .query
                    .get("page")
                    .is_some_and(|page| page.parse::<u32>().is_ok_and(|page| page > 3));
                if is_late {
                    Reply::Whole(
                        400,
                        vec![],
                        br#"{"code":"rest_post_invalid_page_number"}"#.to_vec(),
                    )
                } else {
                    good()(request)
                }
            }),
        ),
    ];
    for (why, answer) in broken {
        let server = CmsServer::start(answer);
        let site = SiteTest::small();
        let run = run(&site, "wordpress", &server.url, &limits(why));
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

/// Settings with a short limit for a request only if the server keeps silent: any other could be slower than that on a busy
/// machine.
fn limits(why: &str) -> [&str; 6] {
    let timeout = if why.contains("timed out") || why.is_empty() {
        "blog.timeout=0.5"
    } else {
        "blog.timeout=20"
    };
    [
        "--set",
        timeout,
        "--set",
        "blog.retries=0",
        "--set",
        "blog.max_answer=1",
    ]
}

#[test]
fn an_incomplete_response_of_the_posts_api_is_rejected() {
    let broken = [
        json!([api_post(1)]),
        json!({"posts": [api_post(1)]}),
        json!({"posts": null, "pagination": {"total": 1, "total_pages": 1}}),
        json!({"posts": [api_post(1)], "pagination": {"total": 7, "total_pages": 1}}),
    ];
    for answer in broken {
        let shown = answer.to_string();
        let server = CmsServer::start(move |_| Reply::json(&answer));
        let run = run(
            &SiteTest::small(),
            "posts_api",
            &server.url,
            &["--set", "blog.retries=0"],
        );
        assert_eq!(
            (run.status, run.problems()),
            (3, vec!["blog-unreachable --set".to_owned()]),
            "{shown}"
        );
    }
}

/// The same failures with the other source: nothing is published, and the reason is reported.
#[test]
fn a_failing_posts_api_is_rejected() {
    let whole = || posts_api((1..=3).map(api_post).collect());
    let broken: Vec<(&str, Handler)> = vec![
        ("status 500", Box::new(|_| Reply::status(500))),
        (
            "retry after 9000 s",
            Box::new(|_| Reply::status(429).with("Retry-After", 9000)),
        ),
        (
            "HTML instead of JSON",
            Box::new(|_| Reply::Whole(200, vec![], b"<!doctype html><p>Busy".to_vec())),
        ),
        ("", Box::new(|_| Reply::Half(b"{\"posts\": [".to_vec()))),
        (
            "invalid or truncated",
            Box::new(|_| Reply::Whole(200, vec![], b"{\"posts\": [".to_vec())),
        ),
        ("timed out", Box::new(|_| Reply::Drip)),
        ("timed out", Box::new(|_| Reply::Silence)),
        (
            "more than 5 redirects",
            Box::new(|request| Reply::status(301).with("Location", &request.path)),
        ),
        (
            "larger than 1 MB",
            Box::new(|_| Reply::Whole(200, vec![], vec![b' '; 1_100_000])),
        ),
        // If one language fails, the other one is not published alone.
        (
            "status 500",
            Box::new(move |request| {
                if request.query.contains_key("lang") {
                    Reply::status(500)
                } else {
                    whole()(request)
                }
            }),
        ),
        // Three pages of seven.
        (
            "status 404",
            Box::new(move |request| match request.query["page"].parse() {
                Ok(1..=3) => Reply::json(
                    &json!({"posts": [api_post(1)], "pagination": {"total": 7, "total_pages": 7}}),
                ),
                _ => Reply::status(404),
            }),
        ),
    ];
    for (why, answer) in broken {
        let server = CmsServer::start(answer);
        let site = SiteTest::small();
        let run = run(&site, "posts_api", &server.url, &limits(why));
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
fn the_same_posts_in_every_language_are_rejected() {
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
fn a_transient_failure_is_retried() {
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
    let (inner, is_down) = (
        posts_api(vec![api_post(1)]),
        Arc::new(AtomicBool::new(false)),
    );
    let down = Arc::clone(&is_down);
    let server = CmsServer::start(move |request| {
        if down.load(Ordering::SeqCst) {
            Reply::status(500)
        } else {
            inner(request)
        }
    });
    let site = SiteTest::small();
    let offline = run(&site, "posts_api", &server.url, &["--offline"]);
    assert_eq!(
        offline.problems(),
        ["blog-snapshot --set"],
        "no snapshot yet"
    );
    assert_eq!(run(&site, "posts_api", &server.url, &[]).status, 0);
    is_down.store(true, Ordering::SeqCst);

    let saved = run(&site, "posts_api", &server.url, &[]);
    assert_eq!(
        (saved.status, saved.problems()),
        (0, vec!["blog-snapshot --set".to_owned()])
    );
    assert!(saved.stderr.contains("0 minutes ago"), "{}", saved.stderr);
    assert_eq!(
        run(&site, "posts_api", &server.url, &["--strict"]).status,
        1
    );
    assert_eq!(
        run(&site, "posts_api", &server.url, &["--refresh"]).problems(),
        ["blog-unreachable --set"]
    );
    assert_eq!(
        run(&site, "posts_api", &server.url, &["--frozen"]).problems(),
        ["blog-unreachable --set"]
    );
    let count = server.requests().len();
    let offline = run(&site, "posts_api", &server.url, &["--offline"]);
    assert_eq!(
        (
            offline.status,
            offline.problems().len(),
            server.requests().len()
        ),
        (0, 0, count)
    );

    // Sixteen days later.
    let later = (std::time::SystemTime::now() + std::time::Duration::from_hours(16 * 24))
        .duration_since(std::time::UNIX_EPOCH)
        .expect("a moment")
        .as_secs()
        .to_string();
    let set: Vec<String> = settings("posts_api", &server.url)
        .into_iter()
        .flat_map(|set| ["--set".to_owned(), set])
        .collect();
    let arguments: Vec<&str> = ["build"]
        .into_iter()
        .chain(set.iter().map(String::as_str))
        .collect();
    let old = site.run_with(&arguments, &[("SOURCE_DATE_EPOCH", &later)]);
    assert_eq!(
        (old.status, old.problems()),
        (1, vec!["blog-snapshot --set".to_owned()])
    );
    assert!(old.stderr.contains("16 days old"), "{}", old.stderr);
}

/// A key of the CMS with another name must not replace every text of a blog, nor the last good answer.
#[test]
fn posts_that_have_lost_a_part_replace_none() {
    for (key, part) in [
        ("title", "title"),
        ("content", "text"),
        ("slug", "slug"),
        ("date", "date"),
    ] {
        let is_renamed = Arc::new(AtomicBool::new(false));
        let renamed = Arc::clone(&is_renamed);
        let server = CmsServer::start(move |request| {
            let mut posts: Vec<Value> = (1..=3).map(api_post).collect();
            for post in posts.iter_mut().filter(|_| renamed.load(Ordering::SeqCst)) {
                let value = post
                    .as_object_mut()
                    .expect("an object")
                    .remove(key)
                    .expect("a value");
                post["renamed"] = value;
            }
            posts_api(posts)(request)
        });
        let site = SiteTest::small();
        let first = run(&site, "posts_api", &server.url, &[]);
        assert_eq!(first.status, 0, "{}", first.stderr);
        is_renamed.store(true, Ordering::SeqCst);
        let second = run(&site, "posts_api", &server.url, &[]);
        assert_eq!(
            (second.status, second.problems()),
            (0, vec!["blog-snapshot --set".to_owned()]),
            "{}",
            second.stderr
        );
        assert!(
            second
                .stderr
                .contains(&format!("3 of 3 posts in `en` have lost their {part}")),
            "{}",
            second.stderr
        );
        let offline = run(&site, "posts_api", &server.url, &["--offline", "--strict"]);
        assert_eq!(offline.status, 0, "{}", offline.stderr);
        // On purpose.
        assert_eq!(
            run(&site, "posts_api", &server.url, &["--refresh"]).status,
            0
        );
    }
}

/// `serve` builds after each save, and an editor reads the site after each key: none of them waits for the CMS each time.
#[test]
fn a_cms_that_is_down_is_not_asked_after_each_save() {
    let (inner, is_down) = (
        posts_api(vec![api_post(1)]),
        Arc::new(AtomicBool::new(false)),
    );
    let down = Arc::clone(&is_down);
    let server = CmsServer::start(move |request| {
        if down.load(Ordering::SeqCst) {
            Reply::status(500)
        } else {
            inner(request)
        }
    });
    let site = SiteTest::small();
    let load = |snapshot| {
        let set = settings("posts_api", &server.url);
        let (config, _) = config::load(&Options {
            root: site.path(""),
            set,
            snapshot,
            ..Options::default()
        });
        let mut config = config.expect("settings");
        // The snapshot is that of the build, and older than that for all others.
        config.run.clock.0 += if snapshot == SnapshotMode::Fallback {
            0
        } else {
            3600
        };
        let (content, problems) = content::load(&config);
        let codes: Vec<&str> = problems.iter().map(|problem| problem.code.name()).collect();
        (content.blog.posts.len(), codes, server.requests().len())
    };
    is_down.store(true, Ordering::SeqCst);
    let asked = load(SnapshotMode::Recent).2;
    assert_eq!(
        load(SnapshotMode::Kept),
        (0, vec!["blog-unreachable"], asked),
        "no snapshot yet"
    );
    is_down.store(false, Ordering::SeqCst);
    let asked = load(SnapshotMode::Fallback).2;
    is_down.store(true, Ordering::SeqCst);
    assert_eq!(
        load(SnapshotMode::Kept),
        (2, vec![], asked),
        "a snapshot of any age is enough for an answer"
    );
    let (posts, codes, asked_again) = load(SnapshotMode::Recent);
    assert_eq!((posts, codes), (2, vec!["blog-snapshot"]));
    assert!(asked_again > asked);
    assert_eq!(
        load(SnapshotMode::Recent),
        (2, vec!["blog-snapshot"], asked_again)
    );
    // A build that somebody starts asks.
    assert!(load(SnapshotMode::Fallback).2 > asked_again);
}

#[test]
fn a_snapshot_can_be_committed_and_is_readable() {
    let server = CmsServer::start(posts_api((1..=3).map(api_post).collect()));
    let site = SiteTest::small();
    let place = ["--set", "blog.snapshot=content/blog-snapshot"];
    let first = run(&site, "posts_api", &server.url, &place);
    assert_eq!(first.status, 0, "{}", first.stderr);
    let text = std::fs::read_to_string(site.path("content/blog-snapshot/posts-en.json"))
        .expect("the posts");
    assert_eq!(text.lines().count(), 5, "{text}");
    site.write(
        "content/blog-snapshot/posts-en.json",
        &text[..text.len() / 2],
    );
    let run = run(
        &site,
        "posts_api",
        &server.url,
        &[&place[..], &["--offline"]].concat(),
    );
    assert_eq!(
        run.problems(),
        ["blog-snapshot content/blog-snapshot/posts-en.json"]
    );
}

#[test]
fn a_shrinking_blog_is_not_published() {
    let (left, site) = (Arc::new(AtomicUsize::new(10)), SiteTest::small());
    let count = Arc::clone(&left);
    let server = CmsServer::start(move |request| {
        posts_api(
            (1..=count.load(Ordering::SeqCst) as u64)
                .map(api_post)
                .collect(),
        )(request)
    });
    let build = |more: &[&str]| run(&site, "posts_api", &server.url, more);
    assert_eq!(build(&[]).status, 0);
    left.store(7, Ordering::SeqCst);
    let shrunk = build(&[]);
    assert_eq!(
        (shrunk.status, shrunk.problems()),
        (1, vec!["blog-shrunk --set".to_owned()])
    );
    assert!(
        shrunk
            .stderr
            .contains("3 of 10 posts in `en` have disappeared"),
        "{}",
        shrunk.stderr
    );
    assert_eq!(build(&["--set", "blog.max_shrink=0.3"]).status, 0);
    left.store(0, Ordering::SeqCst);
    assert_eq!(
        build(&["--set", "blog.max_shrink=0.9"]).problems(),
        ["blog-shrunk --set"]
    );
    assert_eq!(build(&["--refresh"]).status, 0);
}

#[test]
fn changed_posts_are_reported_and_rejected_by_frozen() {
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
    assert_eq!(
        (frozen.status, frozen.problems()),
        (1, vec!["blog-changed --set".to_owned()])
    );
    let reported = build(&[]).stdout;
    let expect =
        "blog: 1 added, 1 changed, 1 removed\n  + en: Title 7\n  ~ en: Title 2\n  - en: Title 1\n";
    assert!(reported.contains(expect), "{reported}");
    assert!(
        build(&[])
            .stdout
            .contains("blog: 0 added, 0 changed, 0 removed")
    );
}
