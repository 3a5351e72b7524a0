//! Entries from an HTTP address: the last good answer is kept, and whatever the address does, a build ends and says why.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::cms_server::{CmsServer, Reply};
use crate::collections::events;
use crate::serve::Server;
use crate::site_test::{Run, SiteTest};

const SCHEMA: &str = "templates/collections/prices/schema.yaml";

/// A reply, and what the warning about it contains.
type Failure = (fn() -> Reply, &'static str);
/// Which reply the address gives.
type Answer = Arc<Mutex<fn() -> Reply>>;

fn csv(text: &str) -> Reply {
    Reply::Whole(200, Vec::new(), text.as_bytes().to_vec())
}

/// The site with prices from a server that answers as it is told.
fn site() -> (SiteTest, CmsServer, Answer) {
    let answer: Answer = Arc::new(Mutex::new(|| {
        csv("\u{feff}key;name;price\r\na;One;1 EUR\r\nb;Two;2 EUR\r\nc;Three;3 EUR\r\n")
    }));
    let reply = Arc::clone(&answer);
    let server = CmsServer::start(move |_| reply.lock().expect("an answer")());
    let schema = format!(
        "meaning: Prices.\nsource: {{url: \"{}/prices?all=1\"}}\nfields:\n  name: {{type: text, required: true, meaning: Its name.}}\n  price: {{type: amount, required: true, meaning: Its price.}}\n",
        server.url
    );
    let site = events().file(SCHEMA, schema);
    site.edit(
        "templates/layouts/base.html",
        "<main>",
        "{% for price in entries(\"prices\") %}<p>{{ price.name }} {{ price.price.number }}</p>{% endfor %}<main>",
    );
    (site, server, answer)
}

fn build(site: &SiteTest, more: &[&str]) -> Run {
    build_within(20.0, site, more)
}

/// Builds with a limit for each request, in seconds. Only a test of a server that keeps silent has a short one: any other
/// could be slower than that on a busy machine.
fn build_within(seconds: f64, site: &SiteTest, more: &[&str]) -> Run {
    let timeout = format!("blog.timeout={seconds}");
    let settings = [
        "--set",
        "blog.retries=0",
        "--set",
        &timeout,
        "--set",
        "blog.max_answer=0.001",
    ];
    site.run(&[&["build"], &settings[..], more].concat())
}

#[test]
fn an_answer_that_is_the_same_is_no_change() {
    for settings in [&[][..], &["--set", "blog.snapshot=content/kept"]] {
        let (site, server, answer) = site();
        let is_up_to_date = |site: &SiteTest| {
            let run = build(site, settings);
            assert_eq!(run.status, 0, "{}", run.stderr);
            (run.stdout.contains("nothing has changed: "), run)
        };
        assert!(!is_up_to_date(&site).0);
        let requests = server.requests().len();
        assert!(is_up_to_date(&site).0, "the same answer {settings:?}");
        assert_eq!(server.requests().len(), requests + 1, "it was asked for");
        *answer.lock().expect("an answer") =
            || csv("key,name,price\na,Uno,1 EUR\nb,Two,2 EUR\nc,Three,3 EUR\n");
        let (same, run) = is_up_to_date(&site);
        assert!(!same, "another answer");
        run.page("/about/").contains("<p>Uno 1</p>");
        assert!(is_up_to_date(&site).0, "the same answer again");
        // A failure is a warning in each build, and none is left of it afterward.
        let good = std::mem::replace(&mut *answer.lock().expect("an answer"), || {
            Reply::status(500)
        });
        for _ in 0..2 {
            let (same, run) = is_up_to_date(&site);
            assert!(!same && run.stderr.contains("status 500"), "{}", run.stderr);
        }
        *answer.lock().expect("an answer") = good;
        assert_eq!(is_up_to_date(&site).1.stderr, "");
        assert!(is_up_to_date(&site).0, "the same answer after a failure");
        site.write("static/humans.txt", "People\n");
        assert!(!is_up_to_date(&site).0, "a source");
    }
}

#[test]
fn entries_come_from_an_address_and_from_its_last_good_answer() {
    let (site, server, answer) = site();
    let run = build(&site, &["--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("/about/")
        .contains("<p>One 1</p><p>Two 2</p><p>Three 3</p>");
    assert_eq!(server.requests().last().expect("a request").path, "/prices");
    // A change of the answer is seen although no file has changed.
    *answer.lock().expect("an answer") = || {
        csv(
            "[{\"key\": \"a\", \"name\": \"Uno\", \"price\": \"1 EUR\"}, {\"key\": \"b\", \"name\": \"Two\", \"price\": \"2 EUR\"}, {\"key\": \"c\", \"name\": \"Three\", \"price\": \"3 EUR\"}]",
        )
    };
    build(&site, &["--strict"])
        .page("/about/")
        .contains("<p>Uno 1</p>");
    let failures: [Failure; 8] = [
        (|| Reply::status(500), "status 500"),
        (|| Reply::status(404), "status 404"),
        (|| Reply::Silence, "the request timed out (`blog.timeout`)"),
        (|| Reply::Drip, "(`blog."),
        (
            || csv("<!doctype html><p>Log in"),
            "HTML instead of JSON or CSV",
        ),
        (|| csv("{\"error\": true}"), "expected a list of entries"),
        (
            || csv("key;name\na;\"open"),
            "begins with a quote that is never closed",
        ),
        (
            || csv(&"x".repeat(5000)),
            "the response is larger than 0 MB",
        ),
    ];
    for (reply, why) in failures {
        *answer.lock().expect("an answer") = reply;
        let seconds = if why.contains("(`blog.") { 0.3 } else { 20.0 };
        let run = build_within(seconds, &site, &[]);
        assert_eq!(run.status, 0, "{why}\n{}", run.stderr);
        assert!(
            run.stderr.contains("warning[entries-source]") && run.stderr.contains(why),
            "{why}\n{}",
            run.stderr
        );
        assert!(
            run.stderr.contains(&format!("{SCHEMA}:2:")),
            "{}",
            run.stderr
        );
        run.page("/about/").contains("<p>Uno 1</p>");
        assert_eq!(build_within(seconds, &site, &["--refresh"]).status, 3);
    }
    // Without the network at all.
    let before = server.requests().len();
    let run = build(&site, &["--offline", "--strict"]);
    assert_eq!(
        (run.status, server.requests().len()),
        (0, before),
        "{}",
        run.stderr
    );
    run.page("/about/").contains("<p>Uno 1</p>");
}

#[test]
fn without_a_good_answer_nothing_is_published() {
    let (site, _server, answer) = site();
    *answer.lock().expect("an answer") = || Reply::Silence;
    let run = build(&site, &[]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("error[entries-source]: the entries of `prices` could not be fetched"),
        "{}",
        run.stderr
    );
    assert!(!site.path("dist/index.html").exists());
    let run = build(&site, &["--offline"]);
    assert!(
        run.stderr
            .contains("there is no snapshot of the `prices` entries for `--offline`"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_answer_that_has_lost_most_entries_is_refused() {
    let (site, _server, answer) = site();
    assert_eq!(build(&site, &[]).status, 0);
    *answer.lock().expect("an answer") = || csv("key;name;price\na;One;1 EUR\n");
    let run = build(&site, &[]);
    assert!(
        run.stderr
            .contains("2 of 3 `prices` entries have disappeared"),
        "{}",
        run.stderr
    );
    assert_ne!(run.status, 0);
    let run = build(&site, &["--refresh"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("/about/").contains("<p>One 1</p>").lacks("Two 2");
}

#[test]
fn an_address_cannot_lead_into_a_private_network_or_get_the_password_of_the_cms() {
    let (site, server, answer) = site();
    assert_eq!(build(&site, &[]).status, 0);
    assert!(
        server
            .requests()
            .iter()
            .all(|request| !request.headers.contains_key("authorization"))
    );
    *answer.lock().expect("an answer") = || {
        Reply::Whole(
            302,
            vec![("Location", "http://127.0.0.2:1/secret".to_owned())],
            Vec::new(),
        )
    };
    let run = build(&site, &[]);
    assert!(
        run.stderr.contains("`127.0.0.2` is a private address"),
        "{}",
        run.stderr
    );
    for (url, expected) in [
        ("ftp://example.com/a.csv", "is not a valid URL for a table"),
        ("https://me:secret@example.com/a.csv", "without a password"),
    ] {
        site.write(
            SCHEMA,
            format!(
                "meaning: Prices.\nsource: {{url: \"{url}\"}}\nfields:\n  name: {{type: text, meaning: Its name.}}\n"
            ),
        );
        let run = build(&site, &[]);
        assert!(
            run.stderr.contains("error[collection-schema]") && run.stderr.contains(expected),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_mistake_in_an_answer_is_reported_at_its_line() {
    let (site, _server, answer) = site();
    *answer.lock().expect("an answer") = || csv("key,name,price\na,One,1\n");
    let run = build(&site, &[]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stderr.contains("/prices?all=1:2:7"), "{}", run.stderr);
}

/// An answer that is wrong in one way, and what the warning says.
type Odd = (fn() -> Reply, &'static str);

#[test]
fn an_odd_answer_replaces_no_good_one() {
    let (site, _server, answer) = site();
    assert_eq!(build(&site, &["--strict"]).status, 0);
    let odd: [Odd; 8] = [
        (
            || csv("key;name;price\na;Uno;1 EUR\nb;Two;many\nc;Three;3 EUR\n"),
            "entry `b`, line 3: ",
        ),
        (
            || csv("key;name;price\na;Uno;1 EUR\nb;;2 EUR\nc;Three;3 EUR\n"),
            "entry `b`, line 3: ",
        ),
        (
            || csv("key;name;prise\na;Uno;1 EUR\nb;Two;2 EUR\nc;Three;3 EUR\n"),
            "entry `a`, line 2: ",
        ),
        (
            || csv("key;name;price\na;Uno;1 EUR\nb;Two;2 EUR;x\nc;Three;3 EUR\n"),
            "fetched: line 3: this row has more cells",
        ),
        (
            || csv("key;name;price\na;Uno;1 EUR\nb;Two;2 EUR\na;Three;3 EUR\n"),
            "entry `a`, line 4: another entry",
        ),
        (
            || {
                csv(
                    "[{\"key\":\"a\",\"name\":\"Uno\",\"price\":\"1 EUR\"}, {\"key\":\"b\",\"name\":\"Two\",\"price\":\"x\"}]",
                )
            },
            "entry `b`, line 1: ",
        ),
        (
            || csv("[{\"key\":\"a\",\"name\":null,\"price\":\"1 EUR\"}, null]"),
            "line 1: ",
        ),
        (
            || {
                csv(
                    "[{\"key\":\"a\",\"name\":\"\",\"price\":\"1 EUR\"},{\"key\":\"b\",\"name\":\"B\",\"price\":\"1 EUR\"}]",
                )
            },
            "entry `a`, line 1: ",
        ),
    ];
    for (reply, why) in odd {
        *answer.lock().expect("an answer") = reply;
        for _ in 0..2 {
            let run = build(&site, &[]);
            assert_eq!(run.status, 0, "{why}\n{}", run.stderr);
            assert!(
                run.stderr.contains("warning[entries-source]") && run.stderr.contains(why),
                "{why}\n{}",
                run.stderr
            );
            assert!(
                run.stderr.contains("so the build uses the entries fetched"),
                "{}",
                run.stderr
            );
            run.page("/about/")
                .contains("<p>One 1</p><p>Two 2</p><p>Three 3</p>");
        }
        assert_eq!(build(&site, &["--offline", "--strict"]).status, 0, "{why}");
        *answer.lock().expect("an answer") = || Reply::status(500);
        build(&site, &[]).page("/about/").contains("<p>One 1</p>");
        // Nothing but the answer is to blame if it is asked for alone.
        *answer.lock().expect("an answer") = reply;
        assert_ne!(build(&site, &["--refresh"]).status, 0, "{why}");
        assert_eq!(build(&site, &["--offline", "--strict"]).status, 0, "{why}");
    }
    *answer.lock().expect("an answer") =
        || csv("key;name;price\na;Uno;1 EUR\nb;Two;2 EUR\nc;Three;3 EUR\n");
    build(&site, &["--strict"])
        .page("/about/")
        .contains("<p>Uno 1</p>");
}

#[test]
fn an_answer_that_only_shows_its_mistake_later_replaces_no_good_one() {
    let (site, _server, answer) = site();
    site.edit(
        SCHEMA,
        "fields:\n",
        "publish: {from: day}\nfields:\n  day: {type: date, meaning: Its first day.}\n  more: {type: link, meaning: More.}\n",
    );
    site.edit(
        "templates/layouts/base.html",
        "{{ price.name }}",
        "{{ price.name }}{% if price.name == \"Odd\" %}{{ price.name | nothing }}{% endif %}",
    );
    site.edit(
        "templates/layouts/base.html",
        "<main>",
        "{% for price in entries(\"prices\") if price.more %}<a href=\"{{ price.more }}\">{{ price.name }}</a>{% endfor %}<main>",
    );
    assert_eq!(build(&site, &["--strict"]).status, 0);
    let odd: [Odd; 3] = [
        (
            || csv("key;name;price\na;Odd;1 EUR\nb;Two;2 EUR\nc;Three;3 EUR\n"),
            "nothing",
        ),
        (
            || {
                csv(
                    "key;name;price;day\na;Uno;1 EUR;\nb;Two;2 EUR;\nc;Three;3 EUR;\nd;Four;many;2099-01-01\n",
                )
            },
            "entry `d`, line 5: ",
        ),
        (
            || {
                csv(
                    "key;name;price;day;more\na;Uno;1 EUR;;\nb;Two;2 EUR;;\nc;Three;3 EUR;;\nd;Four;4 EUR;2099-01-01;/nowhere/\n",
                )
            },
            "/nowhere/",
        ),
    ];
    for (reply, why) in odd {
        *answer.lock().expect("an answer") = reply;
        for _ in 0..2 {
            let run = build(&site, &[]);
            assert_eq!(run.status, 0, "{why}\n{}", run.stderr);
            assert!(
                run.stderr.contains("so the build uses the entries fetched")
                    && run.stderr.contains(why),
                "{why}\n{}",
                run.stderr
            );
            run.page("/about/").contains("<p>One 1</p><p>Two 2</p>");
        }
        assert_eq!(build(&site, &["--offline", "--strict"]).status, 0, "{why}");
    }
    // A strict build accepts no answer that it warns of.
    *answer.lock().expect("an answer") =
        || csv("key;name;price;odd\na;Uno;1 EUR;x\nb;Two;2 EUR;x\nc;Three;3 EUR;x\n");
    assert_ne!(build(&site, &["--strict"]).status, 0);
    assert_eq!(build(&site, &["--offline", "--strict"]).status, 0);
    build(&site, &[]).page("/about/").contains("<p>Uno 1</p>");
}

#[test]
fn a_key_that_no_field_takes_is_left_out_with_a_warning() {
    let (site, _server, answer) = site();
    assert_eq!(build(&site, &["--strict"]).status, 0);
    *answer.lock().expect("an answer") =
        || csv("key;name;price;pric\na;Uno;1 EUR;x\nb;Two;2 EUR;y\nc;Three;3 EUR;\n");
    let run = build(&site, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        run.stderr.matches("warning[unknown-key]").count(),
        1,
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("`prices` has no field `pric`") && run.stderr.contains("`price`"),
        "{}",
        run.stderr
    );
    run.page("/about/").contains("<p>Uno 1</p>");
    *answer.lock().expect("an answer") = || {
        csv(
            "[{\"key\":\"a\",\"name\":\"Eins\",\"price\":\"1 EUR\",\"more\":{\"x\":[1]}},{\"key\":\"b\",\"name\":\"B\",\"price\":\"2 EUR\"},{\"key\":\"c\",\"name\":\"C\",\"price\":\"3 EUR\"}]",
        )
    };
    let run = build(&site, &[]);
    assert!(
        run.status == 0 && run.stderr.contains("no field `more`"),
        "{}",
        run.stderr
    );
    run.page("/about/").contains("<p>Eins 1</p>");
}

#[test]
fn an_entry_that_the_schema_refuses_is_left_out_if_it_says_so() {
    let (site, _server, answer) = site();
    site.edit(SCHEMA, "?all=1\"", "?all=1\", on_error: skip");
    *answer.lock().expect("an answer") = || {
        csv(
            "key;name;price\na;One;1 EUR\nb;Two;many\nc;Three;3 EUR\nd;Four;4 EUR;x\na;Five;5 EUR\ne;;6 EUR\n",
        )
    };
    let run = build(&site, &[]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(
        run.stderr
            .matches("this entry of `prices` is left out")
            .count(),
        4,
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("/prices?all=1:3:"), "{}", run.stderr);
    run.page("/about/")
        .contains("<p>One 1</p><p>Three 3</p>")
        .lacks("Two")
        .lacks("Four")
        .lacks("Five");
    // A row of the cached response is left out again.
    let run = build(&site, &["--offline"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("/about/")
        .contains("<p>One 1</p><p>Three 3</p>")
        .lacks("Two");
    // If all are refused, the address is to blame, and not its entries.
    *answer.lock().expect("an answer") = || csv("key;name;price\na;Uno;x\nb;Two;y\nc;Three;z\n");
    let run = build(&site, &[]);
    assert!(
        run.stderr.contains("`prices` entries have disappeared"),
        "{}",
        run.stderr
    );
    build(&site, &["--offline"])
        .page("/about/")
        .contains("<p>One 1</p>");
    // A file is in the hands of the site.
    site.write(
        SCHEMA,
        "meaning: Prices.\nsource: {file: prices.csv, on_error: skip}\nfields:\n  name: {type: text, meaning: N.}\n",
    );
    let run = build(&site, &[]);
    assert!(
        run.stderr
            .contains("error[collection-schema]: `on_error` is only for entries from a URL"),
        "{}",
        run.stderr
    );
}

#[test]
fn the_preview_goes_on_with_the_next_good_answer() {
    let (site, _server, answer) = site();
    assert_eq!(build(&site, &[]).status, 0);
    // So old that the preview asks again.
    let head = site.path(".sitegen/blog-snapshot/entries-prices.json");
    let text = std::fs::read_to_string(&head).expect("what is known of the answer");
    let (before, _) = text.split_once("\"fetched\":").expect("a time");
    std::fs::write(&head, format!("{before}\"fetched\":1}}\n")).expect("a file");
    *answer.lock().expect("an answer") =
        || csv("key;name;price\na;Uno;many\nb;Two;2 EUR\nc;Three;3 EUR\n");
    let server = Server::start(site.clone(), &["--set", "blog.max_age=36000"]);
    assert!(
        server.get("/about/").2.contains("<p>One 1</p>"),
        "{}",
        server.log()
    );
    *answer.lock().expect("an answer") =
        || csv("key;name;price\na;Eins;1 EUR\nb;Two;2 EUR\nc;Three;3 EUR\n");
    site.edit(
        "content/pages/about/en.yaml",
        "title: About us",
        "title: About all of us",
    );
    let end = Instant::now() + Duration::from_mins(1);
    while !server.get("/about/").2.contains("<p>Eins 1</p>") {
        assert!(Instant::now() < end, "{}", server.log());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_answer_with_more_rows_than_a_table_can_have_removes_nothing() {
    let (site, _server, answer) = site();
    assert_eq!(build(&site, &["--strict"]).status, 0);
    *answer.lock().expect("an answer") = || {
        let rows = (0..200_000)
            .map(|at| format!("k{at},Name {at},1 EUR\n"))
            .collect::<Vec<_>>()
            .concat();
        csv(&format!("key,name,price\n{rows}"))
    };
    let run = site.run(&["build", "--set", "blog.retries=0"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("the table has 200000 entries, but the limit is 100000"),
        "{}",
        run.stderr
    );
    run.page("/about/")
        .contains("<p>One 1</p><p>Two 2</p><p>Three 3</p>");
}

#[test]
fn an_entry_that_the_address_no_longer_has_stops_no_build() {
    let (site, _server, answer) = site();
    site.edit(SCHEMA, "fields:\n", "address: /prices/{slug}/\ntitle: \"{name}: a price\"\ndescription: \"What {name} costs.\"\nfields:\n");
    site.write(
        "templates/collections/prices/prices.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.name }}</h1>{% endblock %}",
    );
    site.edit(
        "content/pages/home/en.yaml",
        "title: Hello",
        "title: Hello, lead: \"[by key](page:prices/c) and [by path](/prices/c/)\"",
    );
    assert_eq!(site.run(&["check", "--accept-urls"]).status, 0);
    assert_eq!(site.run(&["build"]).status, 0);
    *answer.lock().expect("an answer") =
        || csv("key,name,price\na,One,1 EUR\nb,Two,2 EUR\nd,Four,4 EUR\n");
    // Another site than the published one, with `--set`, is not compared with it.
    let run = site.run(&["build", "--refresh"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for wanted in [
        "warning[url-gone]: `/prices/c/` no longer exists",
        "the source of the entries no longer has `prices/c`",
        "there is no page at `/prices/c/` now",
    ] {
        assert!(run.stderr.contains(wanted), "{wanted}: {}", run.stderr);
    }
}

#[test]
fn an_answer_that_is_no_table_is_no_list_of_nothing() {
    for nonsense in [
        || csv(""),
        || csv("null"),
        || csv("0"),
        || csv("\"maintenance\""),
        || csv("Service temporarily unavailable\n"),
    ] as [fn() -> Reply; 5]
    {
        let (site, _server, answer) = site();
        let good = std::mem::replace(&mut *answer.lock().expect("an answer"), nonsense);
        // Without a good answer, nothing is published, and nothing is kept.
        assert_ne!(build(&site, &[]).status, 0);
        *answer.lock().expect("an answer") = good;
        assert_eq!(build(&site, &[]).status, 0);
        *answer.lock().expect("an answer") = nonsense;
        let run = build(&site, &[]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.page("/about/").contains("<p>One 1</p>");
        // Asked for a new answer alone, it publishes nothing.
        assert_eq!(build(&site, &["--refresh"]).status, 3);
    }
}

#[test]
fn a_long_list_in_json_is_read() {
    let (site, _server, answer) = site();
    *answer.lock().expect("an answer") = || {
        let rows: Vec<String> = (0..30_000)
            .map(|n| format!("{{\"key\":\"k{n}\",\"name\":\"N{n}\",\"price\":\"1 EUR\"}}"))
            .collect();
        csv(&format!("[{}]", rows.join(",")))
    };
    let run = site.run(&["check", "--refresh"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn fetched_entries_excuse_no_url_that_is_not_theirs() {
    for address in ["{list}{slug}/", "/prices/{slug}/"] {
        let (site, _server, _answer) = site();
        let words = format!(
            "address: \"{address}\"\ntitle: \"{{name}}: a price\"\ndescription: \"What {{name}} costs.\"\nfields:\n"
        );
        site.edit(SCHEMA, "fields:\n", &words);
        site.write(
            "templates/collections/prices/prices.html",
            "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.name }}</h1>{% endblock %}",
        );
        site.write("content/urls.lock", "/gone/\n/prices/a/b/\n");
        let run = site.run(&["check"]);
        for gone in ["/gone/", "/prices/a/b/"] {
            let problem = format!("error[url-gone]: `{gone}`");
            assert!(run.stderr.contains(&problem), "{address}: {}", run.stderr);
        }
    }
}
