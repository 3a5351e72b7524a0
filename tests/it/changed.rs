//! Real changes: the record of texts, the dates in the sitemap, `sitegen indexnow`, and Markdown beside pages.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::site_test::{Run, SiteTest};

const LOCK: &str = "content/changed.lock";
/// 2026-11-20 and 2026-11-25, as seconds since 1970.
const DAYS: [&str; 2] = ["1795132800", "1795564800"];

/// The dates in the sitemap, by path.
fn dates(run: &Run) -> BTreeMap<String, String> {
    let text = String::from_utf8(run.files()["sitemap.xml"].clone()).expect("text");
    let entry = |entry: &str| {
        let between = |start: &str| {
            entry
                .split(start)
                .nth(1)
                .and_then(|rest| rest.split('<').next())
        };
        let path = between("<loc>")
            .expect("an address")
            .replacen("https://small.example", "", 1);
        (path, between("<lastmod>").unwrap_or("-").to_owned())
    };
    text.split("<url>").skip(1).map(entry).collect()
}

/// A page at an address, to which no page links.
fn page(path: &str) -> String {
    format!(
        "path: {path}\ntitle: Fresh\ndescription: A page that is new.\nunlinked: true\nsections: [{{kind: hero, title: Fresh}}]\n"
    )
}

fn on(day: &str, site: &SiteTest, arguments: &[&str]) -> Run {
    let run = site.run_with(arguments, &[("SOURCE_DATE_EPOCH", day)]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run
}

#[test]
fn an_address_has_the_day_on_which_its_words_changed() {
    let site = SiteTest::small();
    assert!(
        dates(&site.built()).values().all(|day| day == "-"),
        "without history nothing is claimed"
    );
    on(DAYS[0], &site, &["changed", "--accept"]);
    assert!(
        dates(&site.built()).values().all(|day| day == "-"),
        "a first record knows no changes"
    );

    site.edit("content/pages/about/en.yaml", "title: ", "title: New ");
    // Markup, header and footer are no words of the page.
    site.edit(
        "templates/layouts/base.html",
        "<footer>",
        "<footer class=\"new\">More ",
    );
    site.built();
    let listed = on(DAYS[1], &site, &["changed"]).stdout;
    assert_eq!(listed, "~ /about/\n");
    on(DAYS[1], &site, &["changed", "--accept"]);
    let run = site.built();
    let changed: Vec<(String, String)> = dates(&run)
        .into_iter()
        .filter(|(_, day)| day != "-")
        .collect();
    assert_eq!(changed, [("/about/".to_owned(), "2026-11-25".to_owned())]);

    // The record is content: the same content gives the same bytes, without a cache too.
    let files = run.files();
    std::fs::remove_dir_all(site.path(".sitegen")).expect("a cache");
    std::fs::remove_dir_all(site.path("dist")).expect("an output");
    assert_eq!(site.built().files(), files);
    assert_eq!(
        on(DAYS[1], &site, &["changed"]).stdout,
        "",
        "what was accepted is not listed again"
    );
}

#[test]
fn a_new_address_has_the_day_on_which_it_was_recorded_and_a_written_day_stays() {
    let site = SiteTest::small();
    site.built();
    on(DAYS[0], &site, &["changed", "--accept"]);
    site.write("content/pages/new/en.yaml", page("/new/"));
    site.edit(
        "content/pages/home/en.yaml",
        "path: /",
        "updated: 2025-01-02\npath: /",
    );
    site.built();
    let run = on(DAYS[1], &site, &["changed", "--accept", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        (
            &answer["added"][0],
            &answer["changed"].as_array().map(Vec::len)
        ),
        (&"/new/".into(), &Some(0))
    );
    let dates = dates(&site.built());
    assert_eq!(
        (dates["/new/"].as_str(), dates["/"].as_str()),
        ("2026-11-25", "2025-01-02")
    );
}

#[test]
fn a_first_record_takes_the_days_that_git_knows() {
    let git = |site: &SiteTest, arguments: &[&str], day: &str| {
        let date = format!("{day}T12:00:00Z");
        let names = [
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@small.example",
            "-c",
            "commit.gpgsign=false",
        ];
        let run = Command::new("git")
            .args(names)
            .args(arguments)
            .current_dir(site.path(""))
            .env("GIT_COMMITTER_DATE", &date)
            .output();
        let run = run.expect("git");
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
    };
    let site = SiteTest::small();
    git(&site, &["init", "--quiet"], "2026-01-02");
    git(&site, &["add", "content"], "2026-01-02");
    git(&site, &["commit", "--quiet", "-m", "a"], "2026-01-02");
    site.edit("content/pages/about/es.yaml", "title: ", "title: Nueva ");
    git(&site, &["commit", "--quiet", "-am", "b"], "2026-03-04");
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Edited",
    );
    site.built();
    on(DAYS[0], &site, &["changed", "--accept"]);
    let dates = dates(&site.built());
    let day = |path: &str| dates[path].as_str();
    assert_eq!(
        [day("/"), day("/about/"), day("/es/nosotros/")],
        ["-", "2026-01-02", "2026-03-04"],
        "{dates:?}"
    );
}

#[test]
fn a_damaged_record_is_reported_and_costs_one_line() {
    let site = SiteTest::small();
    site.built();
    on(DAYS[0], &site, &["changed", "--accept"]);
    let lock = std::fs::read_to_string(site.path(LOCK)).expect("the record");
    site.write(LOCK, format!("{lock}<<<<<<< ours\n"));
    let run = site.build();
    assert_eq!(
        run.problems(),
        [format!(
            "changed-lock {LOCK}:{}:1",
            lock.lines().count() + 1
        )],
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 0);
}

/// A service that answers each request with the next of these, and keeps their bodies.
fn service(answers: &'static [&'static str]) -> (String, Arc<Mutex<Vec<serde_json::Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!(
        "http://{}/indexnow",
        listener.local_addr().expect("an address")
    );
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&bodies);
    std::thread::spawn(move || {
        for (stream, answer) in listener.incoming().flatten().zip(answers) {
            let mut reader = BufReader::new(stream);
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("the body");
            log.lock()
                .expect("the log")
                .push(serde_json::from_slice(&body).expect("JSON"));
            let _ = write!(
                reader.get_mut(),
                "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
    (address, bodies)
}

fn announcing(endpoint: &str) -> SiteTest {
    let site = SiteTest::small();
    let setting =
        format!("indexnow: {{key: 0123456789abcdef, endpoint: \"{endpoint}\"}}\nredirects:");
    site.edit("content/site.yaml", "redirects:", &setting);
    site
}

fn addresses(body: &serde_json::Value) -> Vec<&str> {
    body["urlList"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(serde_json::Value::as_str)
        .collect()
}

#[test]
fn exactly_the_addresses_whose_words_changed_are_announced() {
    let (endpoint, bodies) = service(&["202 Accepted"]);
    let site = announcing(&endpoint);
    let built = site.built();
    assert_eq!(built.files()["0123456789abcdef.txt"], b"0123456789abcdef");
    let first = site.run(&["indexnow"]);
    assert!(
        first.stdout.contains("sent none"),
        "{}{}",
        first.stdout,
        first.stderr
    );

    site.edit("content/pages/about/en.yaml", "title: ", "title: New ");
    site.edit(
        "templates/layouts/base.html",
        "<footer>",
        "<footer class=\"new\">",
    );
    site.write("content/pages/fresh/es.yaml", page("/es/nuevo/"));
    site.built();
    let planned = site.run(&["indexnow", "--dry-run"]).stdout;
    assert_eq!(
        planned,
        "+ https://small.example/es/nuevo/\n~ https://small.example/about/\n"
    );
    let run = site.run(&["indexnow"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let bodies = bodies.lock().expect("the log");
    assert_eq!(
        addresses(&bodies[0]),
        [
            "https://small.example/es/nuevo/",
            "https://small.example/about/"
        ]
    );
    assert_eq!(bodies[0]["host"], "small.example");
    assert_eq!(
        bodies[0]["keyLocation"],
        "https://small.example/0123456789abcdef.txt"
    );
    assert!(
        site.run(&["indexnow"]).stdout.contains("nothing was sent"),
        "each change is announced once"
    );
}

#[test]
fn what_was_not_sent_is_sent_next_time() {
    let (endpoint, bodies) = service(&[
        "429 Too Many Requests\r\nretry-after: 60",
        "403 Forbidden",
        "422 X",
        "200 OK",
    ]);
    let site = announcing(&endpoint);
    site.built();
    site.run(&["indexnow"]);
    std::fs::remove_dir_all(site.path("content/pages/about")).expect("a page");
    site.edit(
        "content/site.yaml",
        "  menu:\n    - label: {en: About, es: Nosotros}\n      to: page:about\n",
        "  menu: []\n",
    );
    site.edit(
        "content/site.yaml",
        "  - {from: /old, to: page:about}\n",
        "  - {from: /about, to: page:home}\n",
    );
    site.edit("content/pages/home/en.yaml", "page:about#team", "page:home");
    site.edit("content/pages/home/es.yaml", "page:about", "page:home");
    site.built();
    for (status, words) in [
        (3, "in 60 seconds"),
        (3, "must contain the key"),
        (3, "small.example"),
        (0, "sent"),
    ] {
        let run = site.run(&["indexnow"]);
        assert_eq!(run.status, status, "{}", run.stderr);
        assert!(
            format!("{}{}", run.stdout, run.stderr).contains(words),
            "{words}: {}{}",
            run.stdout,
            run.stderr
        );
    }
    let bodies = bodies.lock().expect("the log");
    assert_eq!(bodies.len(), 4);
    assert!(
        bodies
            .iter()
            .all(|body| addresses(body).contains(&"https://small.example/about/")),
        "{bodies:?}"
    );
}

#[test]
fn a_site_that_is_not_indexed_announces_nothing() {
    let (endpoint, bodies) = service(&["200 OK"]);
    let site = announcing(&endpoint);
    let run = site.run(&["build", "--set", "indexed=false"]);
    assert!(!run.files().contains_key("0123456789abcdef.txt"));
    let run = site.run(&["indexnow", "--all", "--set", "indexed=false"]);
    assert_eq!(
        (run.status, run.stdout.contains("nothing was sent")),
        (0, true),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(bodies.lock().expect("the log").is_empty());
}

#[test]
fn a_service_that_is_away_is_an_outside_cause() {
    let away = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let site = announcing(&format!("http://{away}/"));
    site.built();
    let run = site.run(&["indexnow", "--all"]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(
        run.stderr.contains("[indexnow]") && run.stderr.contains("not sent"),
        "{}",
        run.stderr
    );
    let bad = SiteTest::small();
    bad.edit(
        "content/site.yaml",
        "redirects:",
        "indexnow: {key: \"a b\", endpoint: \"x\"}\nredirects:",
    );
    assert_eq!(bad.run(&["check"]).problems().len(), 2);
}

#[test]
fn a_page_has_its_content_as_markdown_beside_it() {
    let site = SiteTest::small();
    site.edit(
        "content/site.yaml",
        "redirects:",
        "markdown_twins: true\nllms_txt: true\nredirects:",
    );
    site.edit("templates/layouts/base.html", "</head>", "{% if head.markdown %}<link rel=\"alternate\" type=\"text/markdown\" href=\"{{ head.markdown }}\">{% endif %}</head>");
    site.edit(
        "content/pages/about/en.yaml",
        "sections:",
        "sections:\n  - kind: prose\n    body: \"A *fine* [link](page:home).\"",
    );
    let run = site.built();
    let files = run.files();
    let twins: Vec<&String> = files.keys().filter(|path| path.ends_with(".md")).collect();
    assert_eq!(
        twins,
        [
            "about/index.md",
            "es/index.md",
            "es/nosotros/index.md",
            "index.md"
        ],
        "no error page has one"
    );
    let text = String::from_utf8_lossy(&files["about/index.md"]);
    assert!(
        text.contains("# About us\n") && text.contains("A *fine* [link](https://small.example/)."),
        "{text}"
    );
    run.page("/about/")
        .contains("<link rel=\"alternate\" type=\"text/markdown\" href=\"/about/index.md\">");
    run.page("/404.html").lacks("text/markdown");
    assert!(
        String::from_utf8_lossy(&files["llms.txt"])
            .contains("(https://small.example/about/index.md)")
    );

    // A page that is not rendered again keeps it, one that is renders it again, and one that is lost comes back.
    site.edit("content/pages/about/en.yaml", "*fine*", "*very fine*");
    let files = site.built().files();
    assert!(String::from_utf8_lossy(&files["about/index.md"]).contains("*very fine*"));
    std::fs::remove_file(site.path("dist/index.md")).expect("a file");
    assert_eq!(site.built().files(), files);
    let below = site.run(&["build", "--base-url", "https://small.example/docs"]);
    below
        .page("/about/")
        .contains("href=\"/docs/about/index.md\"");
    let text = String::from_utf8_lossy(&below.files()["about/index.md"]).into_owned();
    assert!(text.contains("(https://small.example/docs/)"), "{text}");
    let copy = site.run(&["build", "--set", "indexed=false"]);
    assert!(!copy.files().keys().any(|path| path.ends_with(".md")));
}

#[test]
fn feeds_and_heads_tell_when_a_post_was_changed() {
    let site = SiteTest::whole();
    let author = std::fs::read_dir(site.path("content/authors"))
        .expect("authors")
        .flatten();
    let author = author.filter_map(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .strip_suffix(".yaml")
            .map(str::to_owned)
    });
    let author = author.min().expect("an author");
    let post = |name: &str, changed: &str| {
        let head = format!("title: {name}\ndate: 2030-01-02\nauthor: {author}\n{changed}");
        site.write(
            &format!("content/blog/en/{name}.md"),
            format!("---\n{head}---\n\nText of {name}.\n"),
        );
    };
    post("corrected", "modified: 2030-02-03T10:30\n");
    post("untouched", "");
    let run = site.built();
    let files = run.files();
    let text = |path: &str| String::from_utf8_lossy(&files[path]).into_owned();
    let entry = |text: &str, start: &str, end: &str, name: &str| {
        let entries: Vec<&str> = text
            .split(start)
            .filter(|entry| entry.contains(&format!("/{name}/")))
            .collect();
        entries
            .last()
            .and_then(|entry| entry.split(end).next())
            .expect("an entry")
            .to_owned()
    };
    let atom = text("blog/atom.xml");
    let corrected = entry(&atom, "<entry>", "</entry>", "corrected");
    assert!(
        corrected.contains("<updated>2030-02-03T10:30:00Z</updated><published>2030-01-02"),
        "{corrected}"
    );
    assert!(
        entry(&atom, "<entry>", "</entry>", "untouched")
            .contains("<updated>2030-01-02T00:00:00Z</updated>")
    );
    let of_feed = atom.split("<entry>").next().expect("the head of the feed");
    assert!(
        of_feed.contains("<updated>2030-02-03T10:30:00Z</updated>"),
        "{of_feed}"
    );
    let json: serde_json::Value = serde_json::from_slice(&files["blog/feed.json"]).expect("JSON");
    let items = json["items"].as_array().expect("items");
    let item = |name: &str| {
        items
            .iter()
            .find(|item| item["title"] == name)
            .expect("an item")
    };
    assert_eq!(item("corrected")["date_modified"], "2030-02-03T10:30:00Z");
    assert!(item("untouched").get("date_modified").is_none());
    run.page("/blog/corrected/")
        .contains("<meta property=\"article:modified_time\" content=\"2030-02-03\">");
    run.page("/blog/untouched/").lacks("article:modified_time");
    let sitemap = text("sitemap.xml");
    assert!(
        entry(&sitemap, "<url>", "</url>", "corrected").contains("<lastmod>2030-02-03</lastmod>")
    );
}

#[test]
fn a_static_file_in_place_of_a_generated_one_is_told() {
    let site = SiteTest::small()
        .file("static/robots.txt", "User-agent: *\n")
        .file("static/sitemap.xml", "<urlset/>");
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "it may be intended: {}", run.stderr);
    assert_eq!(
        run.problems(),
        [
            "generated-replaced static/robots.txt",
            "generated-replaced static/sitemap.xml"
        ]
    );
    assert_eq!(
        site.build().problems().len(),
        2,
        "a second build tells it too"
    );
}
