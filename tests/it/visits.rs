//! `sitegen visits`: the logs of each host, cut, compressed and with personal data in addresses; what is shown of them, and
//! what is not.

use std::io::Write as _;

use crate::new_site::new_site;
use crate::site_test::{Run, SiteTest};

const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

fn site() -> SiteTest {
    let site = new_site(&["--languages", "en,es", "--no-blog"]);
    site.edit(
        "content/site.yaml",
        "base_url: ",
        "base_url: https://clinic.example/ # ",
    );
    site
}

/// A line of nginx.
fn line(day: &str, request: &str, status: u16, referrer: &str, agent: &str) -> String {
    format!(
        "203.0.113.9 - ana [{day}/Jan/2027:09:30:00 +0100] \"{request} HTTP/2.0\" {status} 512 \"{referrer}\" \"{agent}\"\n"
    )
}

fn visited(path: &str, times: usize) -> String {
    line("31", &format!("GET {path}"), 200, "-", BROWSER).repeat(times)
}

fn visits(site: &SiteTest, log: impl AsRef<[u8]>, arguments: &[&str]) -> Run {
    site.write("access.log", log);
    let path = site.path("access.log");
    site.run(&[&["visits", path.to_str().expect("UTF-8")], arguments].concat())
}

fn json(run: &Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", run.stdout, run.stderr))
}

#[test]
fn pages_are_counted_by_language_and_robots_and_files_are_not() {
    let site = site();
    let mut log = visited("/", 9)
        + &visited("/services/?utm_source=mail&email=ana@example.com", 7)
        + &visited("/es/", 6);
    log += &line(
        "31",
        "GET /",
        200,
        "https://www.search.example/?q=ana",
        BROWSER,
    )
    .repeat(5);
    log += &line("31", "GET /about/", 304, "https://clinic.example/", BROWSER).repeat(5);
    log += &line(
        "31",
        "GET /",
        200,
        "-",
        "Mozilla/5.0 (compatible; Googlebot/2.1)",
    )
    .repeat(50);
    log += &line("31", "GET /_assets/site.css", 200, "-", BROWSER).repeat(50);
    log += &line("31", "GET /reset?token=s3cret", 404, "-", BROWSER).repeat(6);
    log += &line("31", "GET /", 301, "-", BROWSER).repeat(6);
    let run = visits(&site, &log, &["--format", "json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let counts = &json(&run)[0];
    assert_eq!(counts["period"], "2027-01");
    assert_eq!(
        (
            counts["views"].as_u64(),
            counts["visits"].as_u64(),
            counts["not_found"].as_u64()
        ),
        (Some(32), Some(27), Some(6))
    );
    assert_eq!(
        counts["language"].to_string(),
        r#"[{"name":"en","count":26},{"name":"es","count":6}]"#
    );
    assert_eq!(counts["page"][0].to_string(), r#"{"name":"/","count":14}"#);
    assert_eq!(
        counts["referrer"].to_string(),
        r#"[{"name":"search.example","count":5}]"#
    );
    for format in [&["--csv"][..], &[], &["--format", "json"]] {
        let shown = visits(&site, &log, format).stdout;
        for secret in ["203.0.113", "ana", "s3cret", "Mozilla", "utm_source", "q="] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
}

#[test]
fn a_group_below_five_is_not_shown_and_no_total_tells_it() {
    let site = site();
    let run = visits(
        &site,
        visited("/", 20) + &visited("/services/", 9) + &visited("/es/", 3),
        &["--format", "json"],
    );
    let counts = &json(&run)[0];
    // The total of 32 is public: with 29 in English, the other language would be 3.
    assert_eq!(counts["views"], 32);
    assert_eq!(
        counts["language"].to_string(),
        r#"[{"name":null,"count":32}]"#
    );
    assert_eq!(counts["page"].to_string(), r#"[{"name":null,"count":32}]"#);
    let run = visits(&site, visited("/", 20) + &visited("/services/", 4), &[]);
    assert!(
        !run.stdout.contains("/services/") && !run.stdout.contains("  20  /"),
        "{}",
        run.stdout
    );
    let run = visits(&site, visited("/", 4), &[]);
    assert!(
        run.stdout.contains("<5  views") && !run.stdout.contains(" 4 "),
        "{}",
        run.stdout
    );
    let referred = line("31", "GET /", 200, "https://ana-perez.example/", BROWSER);
    let run = visits(&site, visited("/", 9) + &referred, &[]);
    assert!(!run.stdout.contains("ana-perez"), "{}", run.stdout);
}

#[test]
fn logs_of_each_host_are_read_compressed_or_not() {
    let site = site();
    let cloudflare = format!(
        "{{\"ClientRequestURI\":\"/es/\",\"ClientRequestMethod\":\"GET\",\"EdgeResponseStatus\":200,\"EdgeStartTimestamp\":\"2027-01-31T08:30:00Z\",\"ClientRequestUserAgent\":\"{BROWSER}\"}}\n"
    );
    let cloudfront = format!(
        "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query\n{}",
        format!(
            "2027-01-31\t08:30:00\tMAD51\t512\t203.0.113.9\tGET\tx.cloudfront.net\t/es/\t200\t-\t{}\t-\n",
            BROWSER.replace(' ', "%20")
        )
        .repeat(6)
    );
    let nginx = format!(
        "{{\"time_iso8601\":\"2027-01-31T09:30:00+01:00\",\"request\":\"GET /es/ HTTP/2.0\",\"status\":\"200\",\"http_user_agent\":\"{BROWSER}\"}}\n"
    );
    // 2027-01-31T08:30:00Z, as nginx writes it.
    let seconds = nginx.replace(
        "\"time_iso8601\":\"2027-01-31T09:30:00+01:00\"",
        "\"msec\":\"1801384200.123\"",
    );
    for log in [
        seconds.repeat(6),
        cloudflare.repeat(6),
        cloudfront,
        nginx.repeat(6),
        visited("/es/", 6),
    ] {
        let (half, rest) = log.split_at(log.rfind('\n').expect("a line"));
        let gzip = |text: &str| {
            let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            file.write_all(text.as_bytes()).expect("written");
            file.finish().expect("a file")
        };
        // CloudFront and Logpush join compressed parts.
        for bytes in [
            log.clone().into_bytes(),
            gzip(&log),
            [gzip(half), gzip(rest)].concat(),
        ] {
            let run = visits(&site, bytes, &["--format", "json", "--by", "week"]);
            let counts = &json(&run)[0];
            assert_eq!(
                (counts["period"].as_str(), counts["views"].as_u64()),
                (Some("2027-01-25"), Some(6)),
                "{log}"
            );
            assert_eq!(run.stderr, "", "{log}");
        }
    }
}

#[test]
fn a_log_that_is_cut_is_counted_as_far_as_it_goes() {
    let site = site();
    let log = visited("/", 6);
    let run = visits(
        &site,
        format!("{log}{}\n{}", &log[..60], &log[..90]),
        &["--format", "json"],
    );
    assert_eq!((run.status, json(&run)[0]["views"].as_u64()), (0, Some(6)));
    assert!(
        run.stderr
            .contains("warning[visits-log]: 2 lines, of which this is the first, are truncated")
            && run.stderr.contains("access.log:7"),
        "{}",
        run.stderr
    );
    assert_eq!(
        visits(&site, &log[..90], &["--strict"]).status,
        3,
        "nothing could be read"
    );
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    file.write_all(log.repeat(40).as_bytes()).expect("written");
    let whole = file.finish().expect("a file");
    let run = visits(&site, &whole[..whole.len() / 2], &["--format", "json"]);
    assert!(run.stderr.contains("the log is cut off"), "{}", run.stderr);
    assert!(
        json(&run)[0]["views"]
            .as_u64()
            .is_some_and(|views| views > 50),
        "{}",
        run.stdout
    );
    let run = visits(
        &site,
        "x".repeat(300_000) + "\n" + &log,
        &["--format", "json"],
    );
    assert_eq!(
        json(&run)[0]["views"],
        6,
        "a line without end is left out: {}",
        run.stderr
    );
    let run = site.run(&["visits", "no-such.log"]);
    assert!(
        run.status == 3 && run.stderr.contains("no-such.log"),
        "{}",
        run.stderr
    );
    let run = visits(&site, &log, &["--since", "2027-02-30"]);
    assert!(
        run.status == 2 && run.stderr.contains("is not a date"),
        "{}",
        run.stderr
    );
}

#[test]
fn periods_begin_at_a_day_and_searches_without_results_are_counted() {
    let site = site();
    let mut log = line("03", "GET /", 200, "-", BROWSER).repeat(6) + &visited("/", 7);
    let search = |words: &str, times: usize| {
        line(
            "31",
            &format!("HEAD /services/?search-without-results={words}"),
            200,
            "-",
            BROWSER,
        )
        .repeat(times)
    };
    log += &(search("Root+Canal", 5)
        + &search("root%20canal", 1)
        + &search("ana%40example.com", 9)
        + &search("555012345", 9));
    let run = visits(&site, &log, &["--by", "day", "--format", "json"]);
    let days: Vec<String> = json(&run)
        .as_array()
        .expect("a list")
        .iter()
        .map(|day| day["period"].to_string())
        .collect();
    assert_eq!(days, ["\"2027-01-03\"", "\"2027-01-31\""]);
    assert_eq!(
        json(&run)[1]["search"].to_string(),
        r#"[{"name":"root canal","count":6}]"#
    );
    let run = visits(&site, &log, &["--since", "2027-01-04", "--format", "json"]);
    assert_eq!(json(&run)[0]["views"], 7);
    let csv = visits(&site, &log, &["--csv"]).stdout;
    assert!(
        csv.starts_with("period,kind,name,count\r\n2027-01,views,\"\",13\r\n"),
        "{csv}"
    );
    let formula = line(
        "31",
        "HEAD /?search-without-results=%3DHYPERLINK(1)",
        200,
        "-",
        BROWSER,
    )
    .repeat(5);
    let csv = visits(&site, formula, &["--csv"]).stdout;
    assert!(csv.contains("\"'=hyperlink(1)\""), "{csv}");
}
