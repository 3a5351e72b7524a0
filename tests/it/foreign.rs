//! Unusual and malicious content of a CMS: the site is published completely, and problems are warnings.

use serde_json::{Value, json};

use crate::cms::{load, run};
use crate::cms_server::{CmsServer, Reply, Request, wordpress, wordpress_post};
use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest, files_below};

/// Names that would break text, attributes or paths if they were not escaped.
const NAMES: &[&str] = &[
    "What's New?",
    "Q&A",
    "AI & ML",
    "a \"b\" <c>",
    "..",
    ".",
    "日本語",
    "C:\\x*|",
    "x\u{202e}y",
    "]]>",
    "a;b{c}^`d`",
];

/// WordPress with one post per tag; post ids start at 1.
fn with_tags(tags: &[String]) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let posts = (1..).zip(tags).map(|(id, _)| {
        let mut post = wordpress_post(id, "en");
        post["tags"] = json!([id]);
        post
    });
    let inner = wordpress(posts.collect());
    let listed: Vec<Value> = (1..)
        .zip(tags)
        .map(|(id, name)| {
            let escaped = name
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            json!({"id": id, "name": escaped, "link": format!("https://cms.example/tag/tag-{id}/")})
        })
        .collect();
    move |request| match request.path.as_str() {
        "/wp-json/wp/v2/tags" if request.query.get("page").is_none_or(|page| page == "1") => {
            Reply::json(&json!(listed))
                .with("X-WP-Total", listed.len())
                .with("X-WP-TotalPages", 1)
        }
        _ => inner(request),
    }
}

fn built(server: &CmsServer) -> (SiteTest, Run) {
    let site = SiteTest::blog();
    let run = run(&site, "wordpress", &server.url, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    (site, run)
}

/// All output files with this extension, as text.
fn files(site: &SiteTest, ending: &str) -> Vec<(String, String)> {
    let files = files_below(&site.path("dist"))
        .into_iter()
        .filter(|(path, _)| path.ends_with(ending));
    files
        .map(|(path, bytes)| (path, String::from_utf8(bytes).expect("text")))
        .collect()
}

#[test]
fn any_name_of_a_tag_is_published_and_every_feed_is_well_formed() {
    let names: Vec<String> = NAMES
        .iter()
        .map(|name| (*name).to_owned())
        .chain(["long ".repeat(60)])
        .collect();
    let server = CmsServer::start(with_tags(&names));
    let (site, _) = built(&server);
    let feeds: Vec<_> = files(&site, ".xml");
    assert!(feeds.len() > 2 * NAMES.len(), "{}", feeds.len());
    for (file, text) in feeds {
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    for (file, text) in files(&site, "feed.json") {
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let sitemap = std::fs::read_to_string(site.path("dist/sitemap.xml")).expect("a sitemap");
    let sitemap = roxmltree::Document::parse(&sitemap).expect("XML");
    let addresses: Vec<&str> = sitemap
        .descendants()
        .filter(|node| node.has_tag_name("loc") || node.tag_name().name() == "loc")
        .filter_map(|node| node.text())
        .collect();
    for part in [
        "/blog/tag/what's-new-/",
        "/blog/tag/q&a/",
        "/blog/tag/%E6%97%A5%E6%9C%AC%E8%AA%9E/",
    ] {
        assert!(
            addresses.iter().any(|address| address.ends_with(part)),
            "{part}: {addresses:?}"
        );
    }
    // Each tag has a folder.
    let tags = std::fs::read_dir(site.path("dist/blog/tag"))
        .expect("tags")
        .count();
    assert_eq!(tags, NAMES.len() + 1);
    // `check` must agree with `build`.
    let set = [
        format!("blog.url={}", server.url),
        "blog.source=wordpress".into(),
    ];
    let check = site.run(&["check", "--set", &set[0], "--set", &set[1]]);
    assert_eq!(check.status, 0, "{}", check.stderr);
}

#[test]
fn slugs_keep_non_ascii_letters() {
    let slugs = [
        "dise%C3%B1o-y-c%C3%B3digo",
        "%E6%97%A5%E6%9C%AC%E8%AA%9E",
        "..",
        "a%2F..%2Fb",
    ];
    let mut posts: Vec<Value> = (1..)
        .zip(slugs)
        .map(|(id, slug)| {
            let mut post = wordpress_post(id, "en");
            post["slug"] = json!(slug);
            post
        })
        .collect();
    posts.push({
        let mut post = wordpress_post(5, "en");
        post["slug"] = json!("é".repeat(180));
        post
    });
    let server = CmsServer::start(wordpress(posts));
    let (site, run) = built(&server);
    for path in ["diseño-y-código", "日本語", "post-3", "a-..-b"] {
        assert!(
            site.path(&format!("dist/blog/{path}/index.html")).is_file(),
            "{path}: {}",
            run.stderr
        );
    }
    let list = std::fs::read_to_string(site.path("dist/blog/index.html")).expect("the list");
    assert!(list.contains("/blog/dise%C3%B1o-y-c%C3%B3digo/"), "{list}");
}

#[test]
fn a_long_post_is_a_warning() {
    let mut post = wordpress_post(1, "en");
    post["content"]["rendered"] = json!("<p>A paragraph of a long post.</p>".repeat(12_000));
    let server = CmsServer::start(wordpress(vec![post]));
    let site = SiteTest::blog();
    let run = run(
        &site,
        "wordpress",
        &server.url,
        &["--set", "budgets.html=100"],
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("warning[over-budget]: `/blog/post-en-1/` has"),
        "{}",
        run.stderr
    );
    assert!(site.path("dist/blog/post-en-1/index.html").is_file());
}

/// A post with this text.
fn post(id: u64, text: &str) -> Value {
    let mut post = wordpress_post(id, "en");
    post["content"]["rendered"] = json!(text);
    post
}

/// Builds a site with hostile posts: there are warnings, and everything else is published.
fn published_with_warnings(posts: Vec<Value>, more: &[(&str, &str)]) -> (SiteTest, Run) {
    let server = CmsServer::start(wordpress(posts));
    let site = more
        .iter()
        .fold(SiteTest::blog(), |site, (path, text)| site.file(path, text));
    let run = run(&site, "wordpress", &server.url, &[]);
    assert!(
        run.status == 0 && !run.stderr.contains("error["),
        "{}",
        run.stderr
    );
    (site, run)
}

#[test]
fn html_that_takes_minutes_to_parse_is_a_warning_and_its_text_is_published() {
    let deep = format!(
        "{}deep text{}",
        "<div>".repeat(160_000),
        "</div>".repeat(160_000)
    );
    let attributes = (0..150_000)
        .map(|number| format!(" a{number}=1"))
        .collect::<Vec<_>>()
        .concat();
    let posts = vec![
        post(1, &deep),
        post(2, &format!("<p{attributes}>wide text</p>")),
        post(3, &"<b><p>".repeat(100_000)),
        post(4, &"&lt;&nbsp;".repeat(200_000)),
        post(5, &"[".repeat(2_000_000)),
    ];
    let (site, run) = published_with_warnings(posts, &[]);
    assert!(
        run.stderr.contains("it has elements nested too deeply"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("it has too many attributes on one element"),
        "{}",
        run.stderr
    );
    for (number, text) in [(1, "deep text"), (2, "wide text")] {
        let html =
            std::fs::read_to_string(site.path(&format!("dist/blog/post-en-{number}/index.html")));
        assert!(html.expect("the post").contains(text));
    }
}

#[test]
fn no_field_of_a_post_stops_a_build() {
    let long = "word ".repeat(40_000);
    let changes: Vec<(&str, Value)> = vec![
        ("title", json!({"rendered": long})),
        ("title", json!({"rendered": ""})),
        ("title", json!(null)),
        ("excerpt", json!({"rendered": long})),
        ("date", json!("-009999-01-01T00:00:00")),
        ("date", json!("9999-12-31T23:59:59")),
        ("date", json!("0000-00-00T00:00:00")),
        ("modified", json!("0001-01-01T00:00:00")),
        ("slug", json!("taken-by-file")),
        ("slug", json!("taken-by-folder")),
        ("slug", json!("taken-by-page")),
        ("slug", json!("taken-by-redirect")),
        ("slug", json!("tag")),
        ("slug", json!("author")),
        ("slug", json!("page")),
        ("slug", json!("feed.xml")),
        ("slug", json!("index.html")),
        ("slug", json!("a/../../b")),
        ("slug", json!("x".repeat(5_000))),
        ("link", json!("javascript:alert(1)")),
        ("link", json!("https://cms.example/\n{{ x }}")),
        ("id", json!("../x")),
        (
            "_embedded",
            json!({"author": [{"name": long, "slug": "ana", "description": long}]}),
        ),
        (
            "_embedded",
            json!({"author": [{"name": "{{ x }}", "slug": "../.."}]}),
        ),
        ("_embedded", json!({"author": [{"name": "", "slug": ""}]})),
    ];
    let mut posts: Vec<Value> = (1..)
        .zip(changes)
        .map(|(id, (key, value))| {
            let mut post = wordpress_post(id, "en");
            post[key] = value;
            post
        })
        .collect();
    for (id, text) in (100..).zip([
        "<a href='/gone/'>x</a><a href='#gone'>x</a><a href='https://cms.example/gone/#x'>x</a>",
        "<a href='https://example.com/gone/'>the site itself</a><a href='https://example.com/blog/#gone'>x</a>",
        "<a href='page:gone'>x</a><a href='page:blog/gone'>x</a><a href='//'>x</a><a href='https://'>x</a><a href='mailto:'>x</a>",
        "<a href='http://[::1'>x</a><a href='https://a b'>x</a><a href='tel:'>x</a><a href='?page=2'>x</a>",
        "<img src=''><img src='//'><img src='data:image/svg+xml,x' alt=x><img src='/gone.png' alt=x>",
        "{product.gone} {{ x }} {% raw %} {leads.keep_days}",
        "<h2 id='content'>A</h2><p id='main'>B</p><h2></h2><h6>C</h6><h1>D</h1>",
        "<pre><code class='language-<x>'>a</code></pre><pre><code class='language-unknown'>a</code></pre>",
    ]) {
        posts.push(post(id, text));
    }
    let mut tagged = wordpress_post(200, "en");
    tagged["tags"] = json!((1..=300).collect::<Vec<u32>>());
    posts.push(tagged);
    let tags: Vec<Value> = (1..=300)
        .map(|id| {
            let name = if id == 1 {
                "taken".to_owned()
            } else {
                format!("Tag {id}")
            };
            json!({"id": id, "name": name, "link": format!("https://cms.example/tag/tag-{id}/")})
        })
        .collect();
    posts.push(post(201, "<a href='https://cms.example/tag/tag-299/'>a tag above the limit</a><a href='https://cms.example/tag/tag-1/'>x</a>"));
    let inner = wordpress(posts);
    let server = CmsServer::start(move |request| match request.path.as_str() {
        "/wp-json/wp/v2/tags" => {
            let page: usize = request
                .query
                .get("page")
                .and_then(|page| page.parse().ok())
                .unwrap_or(1);
            let part: Vec<&Value> = tags.iter().skip(100 * (page - 1)).take(100).collect();
            Reply::json(&json!(part))
                .with("X-WP-Total", tags.len())
                .with("X-WP-TotalPages", 3)
        }
        _ => inner(request),
    });
    let page = "path: /blog/taken-by-page/\ntitle: A\ndescription: B\nsections:\n  - {kind: hero, title: A}\n";
    let site = new_site(&["--languages", "en"])
        .file("static/blog/taken-by-file", "x")
        .file("static/blog/taken-by-folder/index.html", "x")
        .file("static/blog/tag/taken/index.html", "x")
        .file("content/pages/taken/en.yaml", page)
        .file(
            "content/urls.lock",
            "/\n/blog/\n/blog/gone-from-the-cms/\n/blog/tag/gone/\n",
        );
    let redirect = r#"redirects=[{from: /blog/taken-by-redirect, to: "page:home"}]"#;
    let run = run(
        &site,
        "wordpress",
        &server.url,
        &["--set", redirect, "--set", "budgets.html=40"],
    );
    assert!(
        run.status == 0 && !run.stderr.contains("error["),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("it has 300 tags, but only the first 50 are kept"),
        "{}",
        run.stderr
    );
    for taken in ["taken-by-file", "taken-by-folder", "taken-by-page"] {
        assert!(
            run.stderr.contains(&format!(
                "has the slug `{taken}`, but the site already uses that URL"
            )),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_hanging_cms_is_aborted_at_the_deadline() {
    let server = CmsServer::start(|_| Reply::Silence);
    let site = SiteTest::small();
    let run = run(
        &site,
        "wordpress",
        &server.url,
        &["--set", "blog.timeout=1000", "--set", "blog.deadline=0.5"],
    );
    assert_eq!(
        (run.status, run.problems()),
        (3, vec!["blog-unreachable --set".to_owned()]),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("no response within 0.5 s (`blog.deadline`)"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_excessive_page_count_is_rejected_without_further_requests() {
    let server = CmsServer::start(|_| {
        Reply::json(&json!([wordpress_post(1, "en")]))
            .with("X-WP-Total", 1)
            .with("X-WP-TotalPages", 99_999_999_999_u64)
    });
    let run = run(&SiteTest::small(), "wordpress", &server.url, &[]);
    assert!(
        run.stderr
            .contains("the list claims to have 99999999999 pages, but the limit is 10000"),
        "{}",
        run.stderr
    );
    assert!(server.requests().len() < 10, "{}", server.requests().len());
}

#[test]
fn links_to_tags_and_authors_of_the_cms_are_rewritten() {
    let mut posts = vec![wordpress_post(1, "en")];
    posts[0]["tags"] = json!([1]);
    posts[0]["_embedded"]["author"][0]["link"] = json!("https://cms.example/author/ana-at-cms/");
    posts[0]["content"]["rendered"] = json!(
        "<p><a href=\"https://cms.example/tag/tag-1/\">t</a> <a href=\"/author/ana-at-cms/\">a</a> \
         <a href=\"https://cms.example/category/none/\">c</a></p>"
    );
    let tags = with_tags(&["Q&A".to_owned()]);
    let inner = wordpress(posts);
    let server = CmsServer::start(move |request| match request.path.as_str() {
        "/wp-json/wp/v2/tags" => tags(request),
        _ => inner(request),
    });
    let (site, _) = built(&server);
    let html =
        std::fs::read_to_string(site.path("dist/blog/post-en-1/index.html")).expect("the post");
    assert!(html.contains("href=\"/blog/tag/q&amp;a/\">t</a>"), "{html}");
    assert!(html.contains("href=\"/blog/author/ana/\">a</a>"), "{html}");
    assert!(
        html.contains("https://cms.example/category/none/"),
        "{html}"
    );
}

#[test]
fn alt_texts_are_plain_text() {
    let picture = std::sync::Arc::new(std::sync::OnceLock::<String>::new());
    let own = std::sync::Arc::clone(&picture);
    let server = CmsServer::start(move |request| {
        if request.path == "/x.svg" {
            let svg = b"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'/>";
            return Reply::Whole(200, Vec::new(), svg.to_vec());
        }
        let mut post = wordpress_post(1, "en");
        post["featured_media"] = json!(9);
        let url = own.get().cloned().unwrap_or_default();
        post["_embedded"]["wp:featuredmedia"] = json!([{"source_url": format!("{url}/x.svg"), "alt_text": "A <b> tag,  \"quoted\" & 'so'"}]);
        wordpress(vec![post])(request)
    });
    picture.set(server.url.clone()).expect("set once");
    let (blog, problems) = load(&SiteTest::small(), "wordpress", &server.url);
    let image = blog.posts[0]
        .image
        .as_ref()
        .unwrap_or_else(|| panic!("{problems:?}"));
    assert_eq!(image.alt, "A <b> tag, \"quoted\" & 'so'");
}

#[test]
fn invalid_characters_do_not_lose_a_post() {
    let text = r#"{"id": 1, "lang": "en", "slug": "a", "date": "2025-01-02T10:00:00", "link": "https://cms.example/a/",
        "title": {"rendered": "Half \ud83d an emoji"}, "excerpt": {"rendered": "b\u0000c\u000b"},
        "content": {"rendered": "<p>x\u0000\u0001y</p>", "protected": false}, "tags": [],
        "_embedded": {"author": [{"name": "Ana", "slug": "ana"}]}}"#;
    let server = CmsServer::start(move |request| {
        let is_english = request.query.get("lang").is_some_and(|lang| lang == "en");
        let body = if is_english {
            format!("[{text}]")
        } else {
            "[]".into()
        };
        Reply::Whole(200, Vec::new(), body.into_bytes())
            .with("X-WP-TotalPages", 1)
            .with("X-WP-Total", u8::from(is_english))
    });
    let (site, run) = built(&server);
    assert!(
        run.stderr.contains("contains an invalid character"),
        "{}",
        run.stderr
    );
    let html = std::fs::read_to_string(site.path("dist/blog/a/index.html")).expect("the post");
    assert!(html.contains("<p>xy</p>") && !html.contains('\0'), "{html}");
}

#[test]
fn control_characters_are_reported_at_their_place() {
    let post = "---\ntitle: A\ndate: 2025-03-31\nauthor: ana\n---\n\nOne\0\0two.\n";
    let page =
        "path: /about/\ntitle: \"A\\0b\"\ndescription: B\nsections:\n  - {kind: hero, title: A}\n";
    for (file, text, place) in [
        ("content/blog/en/nul.md", post, "content/blog/en/nul.md:7:4"),
        (
            "content/pages/about/en.yaml",
            page,
            "content/pages/about/en.yaml:2:8",
        ),
        (
            "content/pages/about/en.yaml",
            "path: /about/\ntitle: A\u{1b}b\n",
            "content/pages/about/en.yaml:2:9",
        ),
    ] {
        let run = SiteTest::small().file(file, text).build();
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        assert!(
            run.problems()
                .contains(&format!("control-character {place}")),
            "{:?}: {}",
            run.problems(),
            run.stderr
        );
    }
}

#[test]
fn a_direction_override_in_a_title_is_a_warning() {
    let mut post = wordpress_post(1, "en");
    post["title"]["rendered"] = json!("Safe\u{202e}gnp.exe");
    let server = CmsServer::start(wordpress(vec![post]));
    let (_, run) = built(&server);
    assert!(
        run.stderr.contains("warning[direction-override]"),
        "{}",
        run.stderr
    );
}

#[test]
fn thousands_of_equal_headings_and_unclosed_quotes_are_built() {
    let mut posts = vec![wordpress_post(1, "en"), wordpress_post(2, "en")];
    posts[0]["content"]["rendered"] = json!("<h2>a</h2>".repeat(5_000));
    let code = "`\\".repeat(900_000);
    posts[1]["content"]["rendered"] = json!(format!(
        "<pre><code class=\"language-js\">{code}</code></pre>"
    ));
    let server = CmsServer::start(wordpress(posts));
    let (site, _) = built(&server);
    let html =
        std::fs::read_to_string(site.path("dist/blog/post-en-1/index.html")).expect("the post");
    assert!(html.contains("id=\"a-5000\""));
}

/// A site with links to posts of its CMS, in each way to write them, and the run of its build.
fn with_links(posts: Vec<Value>) -> Run {
    let server = CmsServer::start(wordpress(posts));
    let links = [
        "page:blog/post-en-1",
        "page:blog/post-en-1#part",
        "page:blog/tag/en/ai-ml",
        "page:blog/author/ana",
        "/blog/post-en-1/",
        "/blog/post-en-1",
        "/blog/post-en-1/?a=b#part",
        "/blog/tag/ai-ml/",
        "/blog/author/ana/",
    ];
    let body = links
        .iter()
        .map(|link| format!("[a]({link}) "))
        .collect::<Vec<_>>()
        .concat();
    let page = format!(
        "path: /linked/\ntitle: A\ndescription: B.\nunlinked: true\nsections:\n  - {{kind: hero, title: A}}\n  - {{kind: prose, body: \"{body}\"}}\n"
    );
    let redirects =
        "- {from: /old, to: \"page:blog/post-en-1\"}\n- {from: /older, to: /blog/post-en-1/}\n";
    let site = new_site(&["--languages", "en"])
        .file("content/pages/linked/en.yaml", page)
        .file("content/redirects/old.yaml", redirects)
        .file(
            "content/urls.lock",
            "/\n/blog/\n/blog/post-en-1/\n/blog/tag/ai-ml/\n/linked/\n",
        );
    run(&site, "wordpress", &server.url, &[])
}

#[test]
fn a_cms_that_has_no_post_anymore_stops_no_build() {
    let mut large = wordpress_post(1, "en");
    large["content"]["rendered"] = json!("x".repeat(5_000_000));
    for (name, posts) in [
        ("its list is empty", Vec::new()),
        ("its only post is left out", vec![large.clone()]),
        (
            "one of two posts is left out",
            vec![large, wordpress_post(2, "en")],
        ),
        ("the post is another one", vec![wordpress_post(2, "en")]),
        ("the post has lost a part", vec![wordpress_post(1, "en")]),
    ] {
        let run = with_links(posts);
        assert!(
            run.status == 0 && !run.stderr.contains("error["),
            "{name}: {}",
            run.stderr
        );
        let warned = if name == "the post has lost a part" {
            "has the anchor `#part`"
        } else {
            "the CMS no longer has `blog/post-en-1`"
        };
        assert!(run.stderr.contains(warned), "{name}: {}", run.stderr);
        assert!(
            run.page("/linked/").html.contains("href=\"/blog/"),
            "{name}"
        );
    }
}
