//! Files for hosts: `_headers` and `_redirects`, the files of `sitegen hosts`, compressed files. The responses of hosts
//! are tested in `tests/hosts`.

use std::io::Read as _;

use crate::site_test::{SiteTest, repository};

/// The site of `tests/hosts`, with redirects, numbered pages and error pages of sections.
fn site() -> SiteTest {
    SiteTest::small().overlay(&repository().join("tests/hosts/site"))
}

fn with_host(host: &str) -> SiteTest {
    let site = site();
    site.edit(
        "content/site.yaml",
        "copyright_year: 2025",
        &format!("copyright_year: 2025\nhost: {host}"),
    );
    site
}

fn text(site: &SiteTest, path: &str) -> String {
    std::fs::read_to_string(site.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn check_lines(text: &str, expect: &[&str]) {
    let lines: Vec<&str> = text.lines().collect();
    for line in expect {
        assert!(lines.contains(line), "{line:?} is missing in\n{text}");
    }
}

#[test]
fn the_shared_host_files_use_only_common_syntax() {
    let site = site();
    site.built();
    let redirects = text(&site, "dist/_redirects");
    check_lines(
        &redirects,
        &[
            "/old /about/ 301",
            "/old/ /about/ 301",
            "/soon/ /list/ 302",
            "/es/viejo/ /es/nosotros/#main 301",
        ],
    );
    for line in redirects.lines() {
        assert!(
            line.split(' ').count() == 3 && [" 301", " 302"].iter().any(|end| line.ends_with(end)),
            "{line:?} is not supported by one of them"
        );
    }
    let headers = text(&site, "dist/_headers");
    let (everywhere, scoped) = headers.split_once("/_assets/*").expect("a rule for assets");
    // Hosts join the headers of two matching rules with a comma, so each header is only in one of them.
    assert!(
        !everywhere.contains("Cache-Control") && scoped.contains("immutable"),
        "{headers}"
    );
    check_lines(
        &headers,
        &[
            "/*",
            "/speculation-rules.json",
            "  Content-Type: application/speculationrules+json",
        ],
    );
}

#[test]
fn headers_can_be_set_and_dropped_on_the_command_line() {
    let site = site();
    let run = site.run(&[
        "build",
        "--set",
        "headers.referrer-policy=false",
        "--set",
        "headers.X-Own=a b",
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let headers = text(&site, "dist/_headers");
    assert!(
        headers.contains("  X-Own: a b\n") && !headers.contains("Referrer-Policy"),
        "{headers}"
    );
}

#[test]
fn netlify_gets_forced_redirects_and_error_pages_of_sections() {
    let site = with_host("netlify");
    site.built();
    let expect = [
        "/old/ /about/ 301!",
        "/es/* /es/404.html 404",
        "/es/lista/* /es/lista/404.html 404",
        "/list/ page=2 /list/page/2/ 200!",
    ];
    let redirects = text(&site, "dist/_redirects");
    check_lines(&redirects, &expect);
    let at = |line: &str| redirects.find(line).expect("the line");
    assert!(
        at("/es/lista/*") < at("/es/*"),
        "the first matching rule wins:\n{redirects}"
    );
}

#[test]
fn host_files_are_only_written_for_hosts_that_read_them() {
    for host in ["nginx", "cloudfront", "github-pages"] {
        let files = with_host(host).built().files();
        assert!(
            !files.contains_key("_headers") && !files.contains_key("_redirects"),
            "{host}"
        );
    }
    let site = with_host("nginx");
    assert_eq!(
        site.run(&["hosts"]).stdout,
        "wrote deploy/generated/nginx.conf\nwrote deploy/generated/nginx-api.conf\n"
    );
}

#[test]
fn rules_beyond_the_limits_of_a_host_are_reported() {
    let many = |host: &str| {
        let site = with_host(host);
        let list: Vec<String> = (0..1001)
            .map(|number| format!("  - {{from: /old-{number}, to: page:about}}\n"))
            .collect();
        site.edit(
            "content/site.yaml",
            "redirects:\n",
            &format!("redirects:\n{}", list.concat()),
        );
        site
    };
    let run = many("cloudflare").build();
    assert_eq!(
        (run.status, run.problems()),
        (0, vec!["host-limit content/site.yaml:17:1".to_owned()])
    );
    assert!(
        run.stderr.contains("2026 lines") && run.stderr.contains("reads only 2000"),
        "{}",
        run.stderr
    );
    assert_eq!(many("nginx").built().problems(), Vec::<String>::new());
    let run = many("cloudfront").run(&["hosts"]);
    assert_eq!(
        (run.status, run.problems()),
        (0, vec!["host-limit content/site.yaml:17:1".to_owned()])
    );

    // Rules for whole folders are counted apart.
    let folders = |count: usize| {
        let site = with_host("cloudflare");
        let list: Vec<String> = (0..count)
            .map(|at| format!("  - {{from: \"/w{at}/*\", to: page:about}}\n"))
            .collect();
        site.edit(
            "content/site.yaml",
            "redirects:\n",
            &format!("redirects:\n{}", list.concat()),
        );
        site.build().stderr
    };
    assert!(
        folders(101).contains("101 redirects have a `*`, but Cloudflare reads only 100"),
        "{}",
        folders(101)
    );
    assert!(!folders(100).contains("have a `*`"), "{}", folders(100));

    let site = site();
    let long = format!(
        "redirects:\n  - {{from: /far, to: \"https://other.example/{}\"}}\n",
        "a".repeat(1000)
    );
    site.edit("content/site.yaml", "redirects:\n", &long);
    let run = site.build();
    assert!(
        run.stderr
            .contains("the line for `/far` in `_redirects` has 1031 characters"),
        "{}",
        run.stderr
    );
}

#[test]
fn redirects_of_queries_are_only_written_for_hosts_that_follow_them() {
    let with_queries = |host: &str| {
        let queries = std::fs::read_to_string(repository().join("tests/hosts/queries.yaml"))
            .expect("the redirects");
        with_host(host).file("content/redirects/queries.yaml", queries)
    };
    let site = with_queries("netlify");
    site.built();
    check_lines(
        &text(&site, "dist/_redirects"),
        &["/ p=123 /about/ 301!", "/v1.2/ p=123 /list/ 301!"],
    );
    for (host, name) in [
        ("cloudflare", "Cloudflare"),
        ("github-pages", "GitHub Pages"),
    ] {
        let site = with_queries(host);
        let run = site.build();
        assert_eq!(
            (run.status, run.problems()),
            (0, vec!["host-limit content/site.yaml:17:1".to_owned()]),
            "{host}"
        );
        let expect = format!("{name} ignores the query of a URL, so 6 redirects such as `/?cat=3`");
        assert!(run.stderr.contains(&expect), "{}", run.stderr);
        assert!(
            !site.path("dist/_redirects").exists()
                || !text(&site, "dist/_redirects").contains("p=123"),
            "{host}"
        );
    }
    // Files are at the paths of addresses, and these have no path of their own.
    assert!(site.built().files().keys().all(|file| !file.contains('?')));
}

#[test]
fn the_cloudfront_template_has_every_header_in_its_place() {
    let site = site();
    assert_eq!(site.run(&["hosts", "--strict"]).status, 0);
    let template: serde_json::Value =
        serde_json::from_str(&text(&site, "deploy/generated/cloudfront-template.json"))
            .expect("JSON");
    let config = &template["Resources"]["SiteHeaders"]["Properties"]["ResponseHeadersPolicyConfig"];
    let security = &config["SecurityHeadersConfig"];
    let transport = serde_json::json!({
        "AccessControlMaxAgeSec": 31_536_000, "IncludeSubdomains": true, "Preload": false, "Override": true,
    });
    assert_eq!(security["StrictTransportSecurity"], transport);
    assert!(
        security["ContentSecurityPolicy"]["ContentSecurityPolicy"]
            .as_str()
            .expect("a policy")
            .contains("'self'")
    );
    let custom = config["CustomHeadersConfig"]["Items"]
        .as_array()
        .expect("a list");
    let names: Vec<&str> = custom
        .iter()
        .filter_map(|item| item["Header"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "Speculation-Rules",
            "X-Robots-Tag",
            "Cross-Origin-Opener-Policy",
            "Cache-Control"
        ]
    );
    let cache = custom.last().expect("a header");
    assert_eq!(
        cache["Override"],
        serde_json::json!(false),
        "the policy overrides headers set at upload"
    );
    let code = &template["Resources"]["SiteFunction"]["Properties"]["FunctionCode"];
    assert_eq!(
        code.as_str(),
        Some(text(&site, "deploy/generated/cloudfront-function.js").as_str())
    );

    site.edit(
        "content/site.yaml",
        "headers:\n",
        "headers:\n  Strict-Transport-Security: includeSubDomains\n",
    );
    let run = site.run(&["hosts"]);
    assert!(
        run.stderr
            .contains("a CloudFront policy cannot contain `Strict-Transport-Security"),
        "{}",
        run.stderr
    );
}

#[test]
fn host_files_do_not_replace_untracked_files() {
    let site = site();
    assert_eq!(site.run(&["hosts"]).status, 0);
    assert_eq!(
        site.run(&["hosts"]).status,
        0,
        "its own files can be replaced"
    );
    site.write("deploy/generated/nginx.conf", "server {}\n");
    let run = site.run(&["hosts"]);
    assert_eq!(
        (run.status, run.problems()),
        (
            1,
            vec!["foreign-file deploy/generated/nginx.conf".to_owned()]
        )
    );
    assert_eq!(text(&site, "deploy/generated/nginx.conf"), "server {}\n");
    let inside = site.path("dist/deploy").to_string_lossy().into_owned();
    let run = site.run(&["hosts", &inside]);
    assert_eq!(
        (run.status, run.problems()),
        (2, vec!["out-inside-sources".to_owned()])
    );
    assert!(!site.path("dist/deploy").exists());
}

#[test]
fn a_site_with_errors_writes_no_host_files() {
    let site = site();
    site.edit("content/site.yaml", "to: page:about}", "to: page:abuot}");
    let run = site.run(&["hosts"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(!site.path("deploy").exists());
}

fn unpacked(path: &str, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    match path.rsplit('.').next() {
        Some("br") => brotli::Decompressor::new(bytes, 4096)
            .read_to_end(&mut text)
            .expect("brotli"),
        _ => flate2::read::GzDecoder::new(bytes)
            .read_to_end(&mut text)
            .expect("gzip"),
    };
    text
}

#[test]
fn text_files_are_precompressed_on_request() {
    let site = site();
    let files = site.run(&["build", "--precompress"]).files();
    let packed: Vec<&String> = files
        .keys()
        .filter(|path| path.ends_with(".br") || path.ends_with(".gz"))
        .collect();
    for path in ["long.txt", "list.xml"] {
        for ending in ["br", "gz"] {
            assert!(packed.contains(&&format!("{path}.{ending}")), "{packed:?}");
        }
    }
    for path in &packed {
        let (whole, _) = path.rsplit_once('.').expect("an ending");
        assert_eq!(unpacked(path, &files[*path]), files[whole], "{path}");
        assert!(
            files[*path].len() < files[whole].len() && files[whole].len() >= 1000,
            "{path}"
        );
    }
    // The result is the same from the cache and without it.
    let again = site.run(&["build", "--precompress"]);
    assert!(again.files() == files && again.problems().is_empty());
    std::fs::remove_dir_all(site.path(".sitegen/compressed")).expect("a cache");
    assert!(site.run(&["build", "--precompress"]).files() == files);
    // They are tracked files, and deleted when the option is off.
    let without = site.built();
    assert!(
        !without
            .files()
            .keys()
            .any(|path| path.ends_with(".br") || path.ends_with(".gz"))
    );
    assert_eq!(without.problems(), Vec::<String>::new());
    // The option can also be a setting.
    site.edit(
        "content/site.yaml",
        "copyright_year: 2025",
        "copyright_year: 2025\nprecompress: true",
    );
    assert!(site.built().files() == files);
}

#[test]
fn equal_files_are_compressed_once() {
    let site = site().file("static/copy.txt", text(&site(), "static/long.txt"));
    site.run(&["build", "--precompress"]);
    let cached = || {
        let entries = std::fs::read_dir(site.path(".sitegen/compressed"))
            .expect("a cache")
            .flatten();
        entries.map(|entry| {
            (
                entry.file_name(),
                entry
                    .metadata()
                    .and_then(|meta| meta.modified())
                    .expect("a time"),
            )
        })
    };
    let before: std::collections::BTreeMap<_, _> = cached().collect();
    let names: Vec<String> = before
        .keys()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    // long.txt and its copy, list.xml, the style sheet, the sitemap.
    assert_eq!(names.len(), 8, "{names:?}");
    assert!(names.iter().all(|name| !name.ends_with(".part")));
    site.run(&["build", "--precompress"]);
    assert_eq!(before, cached().collect());
}

#[test]
fn a_compressed_file_of_the_site_is_not_replaced() {
    let site = site()
        .file("static/long.txt.gz", "not really")
        .argument("--strict");
    let files = site.run(&["build", "--precompress"]).files();
    assert_eq!(files["long.txt.gz"], b"not really");
    assert!(files.contains_key("long.txt.br"));
}

#[test]
fn a_base_url_is_a_scheme_a_host_and_a_path() {
    let check = |url: &str, words: &str| {
        let run = SiteTest::small().run(&["check", "--base-url", url]);
        assert_eq!(run.status, 1, "{url}");
        assert!(run.stderr.contains(words), "{url}: {}", run.stderr);
    };
    check("https://small.example/?a=1", "a query");
    check("https://small.example?a=1", "a scheme and a host");
    check("small.example", "must begin with `https://`");
    check("https://", "a scheme and a host");
    check("ftp://small.example/", "must begin with `https://`");
}

#[test]
fn netlify_and_cloudflare_find_a_site_below_a_path() {
    for (host, redirect, error) in [
        (
            "netlify",
            "/docs/old/ /docs/about/ 301!",
            Some("/docs/es/* /docs/es/404.html 404"),
        ),
        ("cloudflare", "/docs/old /docs/about/ 301", None),
    ] {
        let site = with_host(host).argument("--base-url=https://small.example/docs/");
        let files = site.built().files();
        let (headers, redirects) = (text(&site, "dist/_headers"), text(&site, "dist/_redirects"));
        check_lines(&redirects, &[redirect]);
        check_lines(&redirects, error.as_slice());
        check_lines(
            &headers,
            &["/docs/*", "/docs/_assets/*", "/docs/speculation-rules.json"],
        );
        for rule in headers.lines().filter(|line| !line.starts_with(' ')) {
            assert!(rule.starts_with("/docs/"), "{host}: {rule}");
        }
        for line in redirects.lines() {
            let [from, .., to, status] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            assert!(from.starts_with("/docs/"), "{host}: {line}");
            if to.starts_with("https://") {
                continue;
            }
            // The target is a file of the folder that is published as `docs`.
            let target = to
                .strip_prefix("/docs/")
                .unwrap_or_else(|| panic!("{host}: {line} leaves the path"));
            let target = target.split(['#', '?']).next().unwrap_or_default();
            let file = if matches!(status, "404" | "410!") {
                target.to_owned()
            } else {
                format!("{target}index.html")
            };
            assert!(files.contains_key(&file), "{host}: {line} leads to nothing");
        }
    }
}

#[test]
fn the_locations_of_the_api_begin_with_the_path() {
    for (base, api) in [("", "/api/"), ("docs/v1.2/", "/docs/v1.2/api/")] {
        let site = with_host("nginx").argument(&format!("--base-url=https://small.example/{base}"));
        assert_eq!(site.run(&["hosts"]).status, 0);
        let locations = text(&site, "deploy/generated/nginx-api.conf");
        let hidden = format!("location = \"{api}metrics\" {{ return 404; }}");
        check_lines(&locations, &[&format!("location \"{api}\" {{"), &hidden]);
    }
}
