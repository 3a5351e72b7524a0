//! Who may ask the preview: its author, by the token in the address that it prints; readers see pages only. A test in
//! `crates/preview/src/endpoints.rs` asks every address in every wrong way.

use crate::preview::post;
use crate::serve::Server;
use crate::site_test::{SiteTest, each, files_below, repository};

const HOME: &str = "content/pages/home/en.yaml";

#[test]
fn the_printed_address_makes_its_opener_an_author() {
    let server = Server::start(SiteTest::small(), &[]);
    let token = server.token();
    assert!(token.len() >= 32, "{token:?}");
    let (status, head, _) = server.stranger("GET", &format!("/about/?a=1&token={token}&b=2"), "");
    assert_eq!(status, 303);
    assert!(head.contains("\r\nlocation: /about/?a=1&b=2\r\n"), "{head}");
    assert!(
        head.contains("\r\nreferrer-policy: no-referrer\r\n") && head.contains("no-store"),
        "{head}"
    );
    let port = server.address().rsplit(':').next().expect("a port");
    let cookie = format!("set-cookie: sitegen-{port}={token}; path=/; httponly; samesite=strict")
        .to_lowercase();
    assert!(head.contains(&cookie), "{head}");
    // No other host is meant by two slashes.
    let (_, head, _) = server.stranger("GET", &format!("//other.example/?token={token}"), "");
    assert!(head.contains("\r\nlocation: /other.example/\r\n"), "{head}");
    // A link in a page of another site, to which the browser would send no cookie.
    let (status, head, body) = server.stranger(
        "GET",
        &format!("/?token={token}"),
        "Sec-Fetch-Site: cross-site\r\n",
    );
    assert!(
        status == 200 && head.contains(&cookie) && body.contains("url=/\""),
        "{head} {body}"
    );
    // Another start, another token.
    assert_ne!(Server::start(SiteTest::small(), &[]).token(), token);
}

#[test]
fn a_reader_sees_the_site_without_panel_and_sources() {
    let server = Server::start(SiteTest::small(), &[]);
    for path in ["/", "/about/", "/?token=wrong"] {
        let (status, head, body) = server.stranger("GET", path, "");
        assert_eq!(status, 200, "{path}");
        assert!(
            !head.contains("set-cookie") && !body.contains(server.token()),
            "{head}"
        );
    }
    assert!(
        !server
            .stranger("GET", "/_sitegen/live.js", "")
            .2
            .contains("panel.js")
    );
    assert!(server.get("/_sitegen/live.js").2.contains("panel.js"));
    let (status, _, body) = server.stranger("GET", "/admin/", "");
    assert!(
        status == 403 && body.contains("sitegen serve") && body.contains("token"),
        "{body}"
    );
    let (status, _, body) = server.get_as("rebound.example:80", "/");
    assert!(
        status == 403 && body.contains("--allowed-host rebound.example"),
        "{body}"
    );
    assert!(
        !server
            .get_as("<script>.example", "/")
            .2
            .contains("<script>")
    );
    // Neither the output nor the log has the token.
    let published = files_below(&server.site().path("dist"));
    let is_in = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains(server.token());
    assert!(!published.values().any(is_in) && !server.log().contains(server.token()));
}

#[test]
fn lines_of_sources_are_shown_to_the_author_only() {
    let site = SiteTest::small();
    site.edit(HOME, "page:about", "page:abuot");
    let server = Server::start(site, &[]);
    let (status, _, body) = server.get("/");
    assert!(
        status == 500 && body.contains("abuot") && body.contains(HOME),
        "{body}"
    );
    let (status, _, body) = server.stranger("GET", "/", "");
    assert!(
        status == 500
            && body.contains("1 problem")
            && !body.contains("abuot")
            && !body.contains(HOME),
        "{body}"
    );
}

#[test]
fn other_names_are_answered_when_they_are_allowed() {
    let server = Server::start(
        SiteTest::small(),
        &[
            "--allowed-host",
            "preview.example",
            "--allowed-host",
            ".lan",
        ],
    );
    for (host, status) in [
        ("preview.example", 200),
        ("PREVIEW.example:80", 200),
        ("a.lan", 200),
        ("b.example", 403),
    ] {
        assert_eq!(server.get_as(host, "/").0, status, "{host}");
        assert_eq!(server.get_as(host, "/admin/").0, status, "{host}");
    }
    // A proxy that is not announced passes on pages, and nothing else.
    let forwarded = format!(
        "Host: preview.example\r\nX-Forwarded-For: 203.0.113.7\r\n{}",
        server.cookie()
    );
    assert_eq!(server.send("GET", "/", &forwarded).0, 200);
    assert_eq!(server.send("GET", "/admin/", &forwarded).0, 403);
    let behind = Server::start(
        SiteTest::small(),
        &["--allowed-host", "preview.example", "--behind-proxy"],
    );
    let forwarded = format!(
        "Host: preview.example\r\nX-Forwarded-For: 203.0.113.7\r\n{}",
        behind.cookie()
    );
    assert_eq!(behind.send("GET", "/admin/", &forwarded).0, 200);
    assert_eq!(
        behind
            .send("GET", "/admin/", "Host: preview.example\r\nVia: 1.1 x\r\n")
            .0,
        403
    );
    for name in ["https://a.example/", "a b", "", "a..b"] {
        let run = SiteTest::small().run(&["serve", "--port", "0", "--allowed-host", name]);
        assert_eq!(
            (run.status, run.problems()),
            (2, vec!["bad-setting".to_owned()]),
            "{name:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn pages_of_the_site_at_the_address_of_the_forms_are_for_everybody() {
    let site = SiteTest::small();
    site.write(
        "static/admin/index.html",
        "<!doctype html><title>Own</title>",
    );
    let server = Server::start(site, &[]);
    assert!(
        server
            .stranger("GET", "/admin/", "")
            .2
            .contains("<title>Own")
    );
    assert_eq!(server.stranger("POST", "/admin/api", "").0, 405);
}

#[test]
fn production_settings_of_the_shell_are_used_only_if_the_author_asks() {
    let shell = [
        ("LEADS_PER_MINUTE", "many"),
        ("LEADS_STORE", "dynamodb:production"),
    ];
    let asked = ["serve", "--port", "0", "--leads-from-environment"];
    let run = SiteTest::small().run_with(&asked, &shell);
    assert!(
        run.status == 2 && run.stderr.contains("LEADS_"),
        "{}",
        run.stderr
    );
    // It would end like this as well, if it read them.
    let site = SiteTest::small();
    let mut command = site.command(&["serve", "--port", "0"]);
    command.envs(shell);
    assert!(Server::of(site, command).get("/").0 == 200);
}

/// Nobody is told that leads stay on a machine from which they are sent.
#[test]
fn the_preview_says_where_leads_go() {
    let log = |arguments: &[&str], shell: &[(&str, &str)]| {
        let site = SiteTest::small();
        let mut command = site.command(&[&["serve", "--port", "0"], arguments].concat());
        command.envs(shell.iter().copied());
        let server = Server::of(site, command);
        server.get("/");
        crate::waiting::wait_for("a line about leads", || {
            server
                .log()
                .lines()
                .find(|line| line.starts_with("leads "))
                .map(str::to_owned)
        })
    };
    let mail = [
        ("SMTP_URL", "smtp://127.0.0.1:9"),
        ("LEADS_MAIL_TO", "a@site.example"),
        ("LEADS_MAIL_FROM", "b@site.example"),
        ("LEADS_WEBHOOK_URL", "http://127.0.0.1:9/"),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ];
    let asked = ["--leads-from-environment"];
    assert!(
        log(&[], &mail)
            .starts_with("leads stay on this machine; the form uses a development captcha")
    );
    assert!(
        log(&asked, &[]).starts_with(
            "leads are stored as configured in the environment, but not sent anywhere"
        )
    );
    let line = log(&asked, &mail);
    assert!(
        line.starts_with("leads are sent as configured in the environment, by webhook, mail"),
        "{line}"
    );
}

#[test]
fn a_store_in_a_folder_that_is_not_there_is_refused_at_the_start() {
    let asked = ["serve", "--port", "0", "--leads-from-environment"];
    let run = SiteTest::small().run_with(&asked, &[("LEADS_STORE", "gone/leads.sqlite3")]);
    let is_named =
        run.stderr.contains("LEADS_STORE: there is no folder `") && run.stderr.contains("gone`");
    assert!(run.status == 2 && is_named, "{} {}", run.status, run.stderr);
    let mut command = std::process::Command::new(crate::site_test::site_api_program());
    command
        .env("LISTEN", "127.0.0.1:0")
        .env("SEARCH_BUNDLE", "search")
        .env("CAPTCHA_SECRET", "s3cret");
    command.env("LEADS_STORE", "/gone/leads.sqlite3");
    let output = command.output().expect("the API starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(
        !output.status.success() && stderr.contains("LEADS_STORE: there is no folder `/gone`"),
        "{stderr}"
    );
}

#[test]
fn whoever_asks_the_api_for_help_starts_no_server() {
    for (argument, status, text) in [
        ("--help", 0, "It takes no arguments."),
        ("--version", 0, "site-api 0."),
        ("--port", 2, "error: unexpected argument `--port`"),
    ] {
        let mut command = std::process::Command::new(crate::site_test::site_api_program());
        let output = command.arg(argument).output().expect("the API");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(
            output.status.code() == Some(status) && said.contains(text),
            "{said}"
        );
    }
}

#[test]
fn a_store_that_a_build_would_publish_is_refused_at_the_start() {
    let site = SiteTest::small();
    let asked = ["serve", "--port", "0", "--leads-from-environment"];
    std::fs::create_dir_all(site.path("static")).expect("a folder");
    std::os::unix::fs::symlink("static", site.path("linked")).expect("a link");
    std::os::unix::fs::symlink("dist/leads.sqlite3", site.path("store")).expect("a link");
    for store in [
        "dist/leads.sqlite3",
        "dist/./leads.sqlite3",
        "content/../dist/leads.sqlite3",
        "linked/leads.sqlite3",
        "store",
        "static/leads.sqlite3",
    ] {
        let run = site.run_with(&asked, &[("LEADS_STORE", store)]);
        assert!(
            run.status == 2 && run.stderr.contains("that the build reads or publishes"),
            "{store}: {} {}",
            run.status,
            run.stderr
        );
    }
}

#[test]
fn a_store_that_is_no_file_is_refused_at_the_start() {
    let site = SiteTest::small();
    let asked = ["serve", "--port", "0", "--leads-from-environment"];
    std::fs::create_dir(site.path("folder")).expect("a folder");
    std::os::unix::fs::symlink("gone/leads", site.path("dangling")).expect("a link");
    let at = |name: &str| site.path(name).display().to_string();
    for (store, why) in [
        (at("folder"), "is not a file"),
        (at("dangling"), "there is no folder `"),
        ("/dev/null".to_owned(), "is not a file"),
        ("OFF".to_owned(), "or `off`, found `OFF`"),
        (" off".to_owned(), "or `off`, found ` off`"),
        ("dynamo:x".to_owned(), "or `off`, found `dynamo:x`"),
    ] {
        let run = site.run_with(&asked, &[("LEADS_STORE", &store)]);
        assert!(
            run.status == 2 && run.stderr.contains(why),
            "{store}: {} {}",
            run.status,
            run.stderr
        );
    }
}

/// The files that add addresses to a router, and how often. Each is a table that is tested whole: `table.rs` by the tests of
/// `endpoints.rs` and of the inbox, the API by its own.
const TABLES: [(&str, usize); 3] = [
    ("crates/api/src/lib.rs", 17),
    ("crates/preview/src/endpoints.rs", 1),
    ("crates/preview/src/table.rs", 1),
];

#[test]
fn no_address_is_added_outside_of_the_tables() {
    let methods = [
        "route",
        "route_service",
        "nest",
        "nest_service",
        "fallback_service",
    ];
    let sources = ["crates", "src"].into_iter().flat_map(|folder| {
        let files = files_below(&repository().join(folder)).into_iter();
        files.map(move |(path, bytes)| {
            (
                format!("{folder}/{path}"),
                String::from_utf8_lossy(&bytes).into_owned(),
            )
        })
    });
    let is_code = |path: &str| path.ends_with(".rs") && !path.ends_with("/tests.rs");
    let adds = each(sources.filter(|(path, _)| is_code(path)), 500)
        .into_iter()
        .map(|(path, code)| {
            (
                path,
                methods
                    .iter()
                    .map(|method| code.matches(&format!(".{method}(")).count())
                    .sum::<usize>(),
            )
        });
    let adds: Vec<(String, usize)> = adds.filter(|(_, count)| *count > 0).collect();
    let tables: Vec<(String, usize)> = TABLES
        .iter()
        .map(|(path, count)| ((*path).to_owned(), *count))
        .collect();
    assert_eq!(adds, tables, "add an endpoint to the table of its server");
    // The compiler's lints know what a method belongs to, whatever it is called by.
    let lints = std::fs::read_to_string(repository().join("clippy.toml")).expect("clippy.toml");
    for method in methods {
        assert!(
            lints.contains(&format!("\"axum::Router::{method}\"")),
            "clippy.toml lacks `{method}`"
        );
    }
}

#[test]
fn a_form_of_another_site_cannot_send_what_the_forms_send() {
    let server = Server::start(SiteTest::small(), &[]);
    let body = r#"{"action": "info"}"#;
    assert_eq!(post(&server, "/admin/api", body, "").0, 200);
    for headers in [
        "Origin: http://localhost:1\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "Host: 127.0.0.2\r\n",
    ] {
        assert_eq!(
            post(&server, "/admin/api", body, headers).0,
            403,
            "{headers}"
        );
    }
}
