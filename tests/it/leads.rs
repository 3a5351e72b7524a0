//! `POST /api/leads` and `sitegen leads`, tested with the programs.

use serde_json::{Value, json};

use crate::leads_server::{LeadsServer, lead, write};
use crate::site_test::{files_below, site_api_program, sitegen};

#[test]
fn a_lead_is_stored_as_it_was_sent() {
    let server = LeadsServer::start();
    let mut sent = lead("good1");
    for (field, value) in [
        ("appName", "Cosecha"),
        ("appType", "platform"),
        ("appDescription", "Two\nlines"),
    ] {
        sent[field] = value.into();
    }
    let answered = server.post(&sent);
    assert_eq!(
        answered.json(),
        json!({"success": true, "error": null, "code": null, "field": null})
    );
    assert!(
        answered.head.contains("cache-control: no-store"),
        "{answered:?}"
    );
    let stored = &server.stored()[0];
    for (field, value) in sent
        .as_object()
        .expect("an object")
        .iter()
        .filter(|(field, _)| *field != "recaptchaToken")
    {
        assert_eq!(&stored[field], value, "{field}");
    }
    assert_eq!(
        (&stored["status"], &stored["locale"]),
        (&json!("verified"), &json!("en"))
    );
    assert!(stored.get("recaptchaToken").is_none());
    let (_, shown, _) = server.leads(&["show", stored["id"].as_str().expect("an id")]);
    for words in [
        "Ana Ruiz",
        "ana@example.com",
        "platform",
        "Two\n                 lines",
        "verified",
    ] {
        assert!(shown.contains(words), "{words} in {shown}");
    }
}

#[test]
fn errors_are_in_the_visitors_language() {
    let server = LeadsServer::start();
    let nameless = json!({"email": "a@b.co", "recaptchaToken": "good"}).to_string();
    let error_for = |query: &str, language: &str| {
        let head = format!(
            "POST /api/leads{query} HTTP/1.1\r\nContent-Type: application/json\r\n{language}"
        );
        let answered = server.send(&head, &nameless);
        assert_eq!(answered.code(), "422 required");
        assert_eq!(answered.json()["field"], "name");
        answered.json()["error"].as_str().expect("words").to_owned()
    };
    assert_eq!(error_for("?lang=es", "Accept-Language: en\r\n"), "Falta.");
    assert_eq!(
        error_for("", "Accept-Language: es-CO, en;q=0.8\r\n"),
        "Falta."
    );
    assert_eq!(error_for("?lang=xx", ""), "Please fill in this field.");
}

#[test]
fn a_captcha_token_is_valid_once_and_only_for_the_site() {
    let server = LeadsServer::start();
    assert_eq!(server.post(&lead("")).code(), "422 captcha_required");
    assert_eq!(server.post(&lead("wrong")).code(), "422 captcha_refused");
    assert_eq!(
        server.post(&lead("elsewhere")).code(),
        "422 captcha_refused"
    );
    assert_eq!(server.post(&lead("good1")).code(), "200 null");
    assert_eq!(server.post(&lead("good1")).code(), "422 captcha_refused");
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn a_lead_is_stored_as_unverified_while_the_provider_is_down() {
    let server = LeadsServer::start();
    for token in ["html", "down", "silent"] {
        assert_eq!(server.post(&lead(token)).code(), "200 null", "{token}");
        let stored = &server.stored()[0];
        assert_eq!(stored["status"], "unverified", "{token}");
        assert_eq!(
            server.post(&lead(token)).code(),
            "422 captcha_refused",
            "a token is valid once even then"
        );
    }
    let site = std::fs::read_to_string(server.path("leads.json")).expect("the site");
    write(
        &server.path("leads.json"),
        &site.replace("\"refuse_unverified\":false", "\"refuse_unverified\":true"),
    );
    let answered = server.post(&lead("down "));
    assert_eq!(answered.code(), "503 unavailable");
}

#[test]
fn a_wrong_secret_does_not_lose_leads() {
    let server = LeadsServer::with(&[("CAPTCHA_SECRET", "mistyped")]);
    assert_eq!(server.post(&lead("good")).code(), "200 null");
    assert_eq!(
        server.stored()[0]["reason"],
        "the captcha could not be checked: the provider responded with `invalid-input-secret`"
    );
}

#[test]
fn a_repeated_lead_is_stored_once() {
    let server = LeadsServer::start();
    let key = "Idempotency-Key: 6f1c\r\n";
    let first = server.post_with(key, &lead("good1"));
    for token in ["good1", "good2", "expired"] {
        assert_eq!(
            server.post_with(key, &lead(token)).body,
            first.body,
            "{token}"
        );
    }
    let mut other = lead("good3");
    other["name"] = "Eva".into();
    assert_eq!(server.post_with(key, &other).code(), "409 key_conflict");
    assert_eq!(server.stored().len(), 1);
    assert_eq!(
        server.post_with("Idempotency-Key: 7\r\n", &other).code(),
        "200 null"
    );
    for bad in [" ", "a b", &"x".repeat(256)] {
        assert_eq!(
            server
                .post_with(&format!("Idempotency-Key: {bad}\r\n"), &lead("good4"))
                .code(),
            "400 bad_request"
        );
    }
}

#[test]
fn concurrent_duplicates_are_stored_once() {
    let server = LeadsServer::start();
    std::thread::scope(|scope| {
        let doubles: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    server
                        .post_with("Idempotency-Key: k\r\n", &lead("good"))
                        .code()
                })
            })
            .collect();
        doubles
            .into_iter()
            .for_each(|double| assert_eq!(double.join().expect("an answer"), "200 null"));
    });
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn spam_is_stored_and_answered_like_any_lead() {
    let server = LeadsServer::start();
    let first = server.post(&lead("good0")).body;
    for (number, signals) in [
        "website=http%3A%2F%2Fspam.example&elapsed=60000",
        "elapsed=800",
    ]
    .iter()
    .enumerate()
    {
        let answered = server.post_with(
            &format!("X-Form-Signals: {signals}\r\n"),
            &lead(&format!("good{signals}")),
        );
        assert_eq!(answered.body, first);
        let stored = server.stored();
        assert_eq!(
            (stored.len(), &stored[0]["status"]),
            (number + 2, &json!("spam"))
        );
    }
    server.post_with("X-Form-Signals: website=&elapsed=3000\r\n", &lead("good3"));
    assert_eq!(server.stored()[0]["status"], "verified");
}

#[test]
fn the_choice_about_counting_is_stored_with_a_lead_that_is_sent_after_it() {
    let server = LeadsServer::start();
    let proof = "consent=0a1b2c3d.granted.2027-03-01T09%3A30%3A00.000Z";
    server.post_with("Idempotency-Key: k\r\n", &lead("good1"));
    assert_eq!(server.stored()[0].get("visitsConsent"), None);
    let (_, before, _) = server.leads(&["export", "--csv"]);
    assert!(!before.contains("visits consent"), "{before}");
    // The same lead, sent again after a choice, is the same lead.
    let again = format!("Idempotency-Key: k\r\nX-Form-Signals: elapsed=9000&{proof}\r\n");
    assert_eq!(server.post_with(&again, &lead("good1")).code(), "200 null");
    assert_eq!(server.stored().len(), 1);
    server.post_with(
        &format!("X-Form-Signals: elapsed=9000&{proof}\r\n"),
        &lead("good2"),
    );
    let stored = &server.stored()[0];
    let expect =
        json!({"version": "0a1b2c3d", "choice": "granted", "date": "2027-03-01T09:30:00.000Z"});
    assert_eq!(stored["visitsConsent"], expect);
    let (_, shown, _) = server.leads(&["show", stored["id"].as_str().expect("an id")]);
    let line = "granted on 2027-03-01T09:30:00.000Z (version 0a1b2c3d)";
    assert!(
        shown.contains(line) && shown.contains("visits consent"),
        "{shown}"
    );
    let (_, csv, _) = server.leads(&["export", "--csv"]);
    assert!(
        csv.lines()
            .next()
            .is_some_and(|head| head.ends_with(",visits consent")),
        "{csv}"
    );
    assert!(
        csv.contains(&format!(",\"{line}\"\r\n")) && csv.contains(",\"\"\r\n"),
        "{csv}"
    );
    server.post_with(
        "X-Form-Signals: elapsed=9000&consent=%3Dcmd()\r\n",
        &lead("good3"),
    );
    assert_eq!(
        server.stored()[0].get("visitsConsent"),
        None,
        "a text that is no proof is not stored"
    );
}

#[test]
fn rate_limits_set_retry_after() {
    let server = LeadsServer::with(&[
        ("LEADS_PER_MINUTE", "2"),
        ("CLIENT_ADDRESS_HEADER", "X-Forwarded-For"),
    ]);
    let from = |address: &str, token: &str| {
        server.post_with(
            &format!("X-Forwarded-For: 1.1.1.1, {address}\r\n"),
            &lead(token),
        )
    };
    assert_eq!(from("192.0.2.1", "good1").code(), "200 null");
    assert_eq!(from("192.0.2.1", "good2").code(), "200 null");
    let refused = from("192.0.2.1", "good3");
    assert_eq!(refused.code(), "429 rate_limited");
    let wait = refused
        .head
        .split("retry-after: ")
        .nth(1)
        .and_then(|rest| rest.split("\r\n").next())
        .expect("a header");
    assert!(
        (15..=30).contains(&wait.parse().expect("seconds")),
        "{wait}"
    );
    assert_eq!(
        from("192.0.2.2", "good3").code(),
        "200 null",
        "its captcha token was not consumed"
    );
    let server = LeadsServer::with(&[("LEADS_PER_MINUTE_TOTAL", "1")]);
    assert_eq!(server.post(&lead("good1")).code(), "200 null");
    assert_eq!(server.post(&lead("good2")).code(), "429 rate_limited");
}

/// A proxy on this machine appends the address that it saw; what stands before that, a visitor may have written.
#[test]
fn a_visitor_is_the_last_address_that_no_trusted_proxy_has() {
    let server = LeadsServer::with(&[
        ("LEADS_PER_MINUTE", "2"),
        ("TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8,2001:db8::/64"),
    ]);
    let mut token = 0;
    let mut post = |headers: &str| {
        token += 1;
        server
            .post_with(headers, &lead(&format!("good{token}")))
            .code()
    };
    let mut check = |headers: &[&str], expect: &str| {
        for header in headers {
            assert_eq!(post(header), expect, "{header:?}");
        }
    };
    check(
        &[
            "X-Forwarded-For: 192.0.2.1, 10.0.0.9\r\n",
            "X-Forwarded-For: [::ffff:192.0.2.1]:443\r\n",
        ],
        "200 null",
    );
    check(
        &[
            "X-Forwarded-For: 198.51.100.1, 192.0.2.1\r\n",
            "X-Forwarded-For: 198.51.100.2\r\nX-Forwarded-For: 192.0.2.1:9, 2001:db8::7, 10.0.0.9\r\n",
            "X-Real-IP: 198.51.100.3\r\nForwarded: for=198.51.100.3\r\nX-Forwarded-For: 192.0.2.1\r\n",
        ],
        "429 rate_limited",
    );
    // Without an address that can be read, all are one client.
    check(
        &["", "X-Forwarded-For: 198.51.100.4, unknown\r\n"],
        "200 null",
    );
    check(
        &[
            "X-Forwarded-For: 198.51.100.5, _hidden, 10.0.0.1\r\n",
            "X-Forwarded-For: 198.51.100.6,\r\n",
            "X-Forwarded-For:\r\n",
        ],
        "429 rate_limited",
    );
}

#[test]
fn a_peer_that_is_no_trusted_proxy_is_not_believed() {
    let server = LeadsServer::with(&[("LEADS_PER_MINUTE", "2"), ("TRUSTED_PROXIES", "10.0.0.0/8")]);
    let codes = [1, 2, 3].map(|number| {
        server
            .post_with(
                &format!("X-Forwarded-For: 192.0.2.{number}\r\n"),
                &lead(&format!("good{number}")),
            )
            .code()
    });
    assert_eq!(codes, ["200 null", "200 null", "429 rate_limited"]);
}

#[test]
fn requests_around_the_cdn_are_refused() {
    let server = LeadsServer::with(&[
        ("LEADS_PER_MINUTE", "1"),
        ("ORIGIN_SECRET", "0123456789abcdef,fedcba9876543210"),
        ("CLIENT_ADDRESS_HEADER", "CloudFront-Viewer-Address"),
    ]);
    let viewer = "CloudFront-Viewer-Address: 192.0.2.1:443\r\n";
    for secret in [
        "",
        "X-Origin-Secret: 0123456789abcdeF\r\n",
        "X-Origin-Secret: a\r\nX-Origin-Secret: fedcba9876543210\r\n",
    ] {
        assert_eq!(
            server
                .post_with(&format!("{viewer}{secret}"), &lead("good"))
                .code(),
            "403 forbidden",
            "{secret}"
        );
        for path in ["posts", "health", "openapi.json", "metrics", "nothing"] {
            let answered =
                server.send(&format!("GET /api/{path} HTTP/1.1\r\n{viewer}{secret}"), "");
            assert_eq!(answered.code(), "403 forbidden", "{path} {secret}");
            assert!(
                !answered.body.contains("0123")
                    && answered.head.contains("cache-control: no-store"),
                "{answered:?}"
            );
        }
    }
    let post = |secret: &str, viewer: &str, token: &str| {
        let headers =
            format!("X-Origin-Secret: {secret}\r\nCloudFront-Viewer-Address: {viewer}\r\n");
        server.post_with(&headers, &lead(token)).code()
    };
    assert_eq!(
        post("0123456789abcdef", "192.0.2.1:443", "good1"),
        "200 null"
    );
    assert_eq!(
        post("fedcba9876543210", "192.0.2.1:444", "good2"),
        "429 rate_limited"
    );
    assert_eq!(
        post("fedcba9876543210", "2001:db8::1:4431", "good2"),
        "200 null"
    );
}

#[test]
fn only_pages_of_the_site_may_send_leads() {
    let server = LeadsServer::with(&[("SITE_ORIGINS", "https://preview.example")]);
    for origin in ["https://site.example", "https://preview.example"] {
        let token = format!("good{origin}");
        assert_eq!(
            server
                .post_with(&format!("Origin: {origin}\r\n"), &lead(&token))
                .code(),
            "200 null"
        );
    }
    for origin in [
        "https://evil.example",
        "null",
        "http://site.example",
        "https://site.example.evil.example",
    ] {
        let refused = server.post_with(&format!("Origin: {origin}\r\n"), &lead("good"));
        assert_eq!(refused.code(), "403 forbidden_origin", "{origin}");
        assert!(
            !refused.head.contains("access-control-allow-origin"),
            "{refused:?}"
        );
    }
}

#[test]
fn a_form_without_javascript_is_quarantined_until_released() {
    let server = LeadsServer::start();
    let body = "name=Ana+Ruiz&email=ana%40example.com&projectType=SEO&message=uno%0D%0Ados&position=CTO&website=";
    let answered = server.form("?lang=es", body);
    assert_eq!(answered.status, 303);
    assert!(
        answered.head.contains("location: /es/gracias/"),
        "{answered:?}"
    );
    let again = server.form("", &format!("lang=es&{body}"));
    assert!(
        again.status == 303 && again.head.contains("location: /es/gracias/"),
        "sent twice: {again:?}"
    );
    let stored = server.stored();
    // A lead that comes again is stored, and says so.
    let [repeat, held] = &stored[..] else {
        panic!("{stored:?}")
    };
    assert!(
        repeat["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("came from the same sender earlier"))
    );
    let fields = [
        "name",
        "email",
        "projectType",
        "message",
        "position",
        "status",
        "locale",
    ]
    .map(|field| &held[field]);
    assert_eq!(
        fields,
        [
            "Ana Ruiz",
            "ana@example.com",
            "SEO",
            "uno\ndos",
            "CTO",
            "quarantined",
            "es"
        ]
    );
    let id = held["id"].as_str().expect("an id");
    let (status, _, stderr) = server.leads(&["release", &id[..20]]);
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(server.stored()[1]["status"], "released");
    assert_eq!(
        server.leads(&["release", id]).0,
        2,
        "it is already released"
    );
}

#[test]
fn a_rejected_form_without_javascript_is_returned_filled_in() {
    let server = LeadsServer::start();
    let answered = server.form(
        "",
        "name=%22%3E%3Cscript%3E&email=nobody&projectType=SEO&message=%3C%2Ftextarea%3E",
    );
    assert_eq!(answered.status, 422);
    assert!(
        answered.head.contains("content-type: text/html")
            && answered.head.contains("default-src 'none'")
    );
    for part in [
        "value=\"&quot;&gt;&lt;script&gt;\"",
        "aria-invalid=\"true\" value=\"nobody\"",
        "<option value=\"SEO\" selected>",
        "\n&lt;/textarea&gt;</textarea>",
        "<p data-error=\"email\">Please check the email address.</p>",
        "<p data-error>Please check the email address.</p>",
    ] {
        assert!(answered.body.contains(part), "{part} in {}", answered.body);
    }
    assert!(!answered.body.contains("<script"), "{}", answered.body);
    let site = std::fs::read_to_string(server.path("leads.json")).expect("the site");
    write(
        &server.path("leads.json"),
        &site.replace(
            "\"refuse_without_script\":false",
            "\"refuse_without_script\":true",
        ),
    );
    assert_eq!(server.form("", "name=Ana&phone=12").status, 403);
    assert!(server.stored().is_empty());
}

#[test]
fn leads_are_listed_exported_and_deleted() {
    let server = LeadsServer::start();
    let mut evil = lead("good1");
    evil["name"] = "=HYPERLINK(\"http://evil.example\")".into();
    evil["email"] = "Eva@Example.com".into();
    server.post(&evil);
    server.post(&lead("good2"));
    let (_, listed, _) = server.leads(&["list"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let (_, csv, _) = server.leads(&["export", "--csv"]);
    assert!(
        csv.contains("\"'=HYPERLINK(\"\"http://evil.example\"\")\""),
        "{csv}"
    );
    let (_, lines, _) = server.leads(&["export"]);
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["email"], "Eva@Example.com", "the oldest first");
    let (status, _, stderr) = server.leads(&["forget", "eva@example.COM"]);
    assert_eq!((status, stderr.as_str()), (0, "1 lead deleted\n"));
    assert_eq!(server.stored().len(), 1);
    for (file, bytes) in files_below(&server.path(""))
        .into_iter()
        .filter(|(file, _)| file.contains("leads.sqlite"))
    {
        let has = |text: &str| {
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        assert!(
            !has("HYPERLINK") && !has("eva@example.com"),
            "{file} still contains the lead"
        );
    }
    let (status, _, stderr) = server.leads(&["show", "NOTHING"]);
    assert!(
        status == 2 && stderr.contains("run `sitegen leads list` to see the ids"),
        "{stderr}"
    );
}

#[test]
fn no_personal_data_is_logged() {
    let mut server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", "http://127.0.0.1:9/?key=hidden"),
        ("LEADS_WEBHOOK_SECRET", "x"),
    ]);
    for token in ["good", "down", "wrong"] {
        server.post(&lead(token));
    }
    server.form(
        "?name=Ana",
        "name=Ana+Ruiz&email=ana%40example.com&message=one",
    );
    server.kill();
    let log = server.log();
    for word in [
        "Ana",
        "Ruiz",
        "ana@",
        "ana%40",
        "one",
        "127.0.0.1:9",
        "hidden",
        "s3cret",
    ] {
        assert!(!log.contains(word), "{word} in {log}");
    }
}

#[test]
fn the_api_does_not_start_without_a_secret() {
    let start = |environment: &[(&str, &str)]| {
        let mut command = std::process::Command::new(site_api_program());
        let output = command
            .env("LISTEN", "256.0.0.1:1")
            .envs(environment.iter().copied())
            .output()
            .expect("site-api");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(start(&[]).contains("LISTEN"));
    let start = |environment: &[(&str, &str)]| {
        let mut command = std::process::Command::new(site_api_program());
        let output = command
            .envs(environment.iter().copied())
            .output()
            .expect("site-api");
        assert!(!output.status.success());
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    for (environment, words) in [
        (&[][..], "`CAPTCHA_SECRET` is not set"),
        (
            &[("CAPTCHA_SECRET", "x"), ("LEADS_PER_MINUTE", "many")][..],
            "LEADS_PER_MINUTE: `many` is not a whole number",
        ),
        (
            &[
                ("CAPTCHA_SECRET", "x"),
                ("LEADS_WEBHOOK_URL", "https://a.example"),
            ][..],
            "also set `LEADS_WEBHOOK_SECRET`",
        ),
        (
            &[
                ("LISTEN", "0.0.0.0:0"),
                ("CLIENT_ADDRESS_HEADER", "X-Forwarded-For"),
            ][..],
            "name the networks of your proxies in `TRUSTED_PROXIES`",
        ),
        (
            &[("CAPTCHA_SECRET", "x"), ("SMTP_URL", "smtp://a")][..],
            "belong together",
        ),
        (
            &[
                ("CAPTCHA_SECRET", "x"),
                ("SMTP_URL", "nonsense"),
                ("LEADS_MAIL_TO", "a@b.co"),
                ("LEADS_MAIL_FROM", "a@b.co"),
            ][..],
            "SMTP_URL: write",
        ),
    ] {
        let stderr = start(environment);
        assert!(stderr.contains(words), "{words} in {stderr}");
    }
}

#[test]
fn a_missing_store_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = sitegen()
        .args(["leads", "list", "--root"])
        .arg(folder.path())
        .output()
        .expect("sitegen starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there are no leads yet"));
    assert!(!folder.path().join("leads.sqlite3").exists());
}
