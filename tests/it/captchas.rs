//! The choice of a captcha: what each provider answers to the API, the proof of work that the API checks itself, and what pages
//! may load for either.

use std::sync::atomic::{AtomicUsize, Ordering};

use api_types::captcha::{CaptchaProvider, PROVIDERS};
use data_encoding::{BASE64, HEXLOWER};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::cms_server::{CmsServer, Reply};
use crate::leads_server::{HOST, HttpResponse, LeadsServer, lead, lead_site, write};
use crate::site_forms::{horizon, served};
use crate::site_test::SiteTest;

/// The name of a provider in `content/site.yaml`.
fn name(provider: CaptchaProvider) -> String {
    serde_json::to_value(provider)
        .expect("JSON")
        .as_str()
        .expect("a name")
        .to_owned()
}

/// A server for the lead form of a site with this captcha.
fn with_captcha(provider: CaptchaProvider, environment: &[(&str, &str)]) -> LeadsServer {
    let server = LeadsServer::with(environment);
    let mut site = lead_site();
    site["version"] = 4.into();
    site["rules"]["captcha"] = name(provider).into();
    write(&server.path("leads.json"), &site.to_string());
    server
}

#[test]
fn each_provider_is_asked_and_understood_as_it_documents() {
    for facts in PROVIDERS.iter().filter(|facts| facts.provider.needs_key()) {
        let (faults, refusal) = (facts.faults, facts.refusal);
        let verifier = CmsServer::start(move |request| {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            let form = request
                .headers
                .get("content-type")
                .is_some_and(|kind| kind == "application/x-www-form-urlencoded");
            let token = body.split("response=").nth(1).unwrap_or_default();
            match token {
                "good"
                    if form && request.method == "POST" && body.starts_with("secret=s3cret&") =>
                {
                    Reply::json(
                        &json!({"success": true, "hostname": HOST, "challenge_ts": "2027-01-31T09:30:00Z"}),
                    )
                }
                "elsewhere" => Reply::json(&json!({"success": true, "hostname": "evil.example"})),
                "fault0" | "fault1" | "fault2" | "fault3" | "fault4" => {
                    let place: usize = token[5..].parse().expect("a number");
                    Reply::json(&json!({"success": false, "error-codes": [faults[place]]}))
                }
                _ => Reply::json(&json!({"success": false, "error-codes": [refusal]})),
            }
        });
        let server = with_captcha(facts.provider, &[("CAPTCHA_VERIFY_URL", &verifier.url)]);
        let provider = name(facts.provider);
        assert_eq!(server.post(&lead("good")).code(), "200 null", "{provider}");
        for token in ["used", "elsewhere"] {
            assert_eq!(
                server.post(&lead(token)).code(),
                "422 captcha_refused",
                "{provider}: {token}"
            );
        }
        // A mistake of the operator loses no lead.
        for (place, fault) in faults.iter().enumerate() {
            let mut other = lead(&format!("fault{place}"));
            other["name"] = (*fault).into();
            assert_eq!(
                server.post(&other).code(),
                "200 null",
                "{provider}: {fault}"
            );
        }
        let stored = server.stored();
        assert_eq!(stored.len(), 1 + faults.len());
        assert!(
            stored
                .iter()
                .filter(|lead| lead["status"] == "unverified")
                .count()
                == faults.len(),
            "{stored:?}"
        );
    }
}

#[test]
fn a_token_that_a_lost_attempt_used_up_loses_no_lead() {
    for facts in PROVIDERS.iter().filter(|facts| facts.provider.needs_key()) {
        let attempts = AtomicUsize::new(0);
        let verifier = CmsServer::start(move |request| {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            let refused =
                |code: &str| Reply::json(&json!({"success": false, "error-codes": [code]}));
            let is_first = attempts.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
            match body.split("response=").nth(1).unwrap_or_default() {
                _ if is_first => Reply::status(502),
                "lost" => refused(facts.refusal),
                "silent" => Reply::json(&json!({"success": false})),
                _ => refused("invalid-input-response"),
            }
        });
        let server = with_captcha(facts.provider, &[("CAPTCHA_VERIFY_URL", &verifier.url)]);
        let provider = name(facts.provider);
        for (token, code) in [
            ("lost", "200 null"),
            ("silent", "200 null"),
            ("forged", "422 captcha_refused"),
        ] {
            let mut lead = lead(token);
            lead["name"] = token.into();
            assert_eq!(server.post(&lead).code(), code, "{provider}: {token}");
        }
        let stored = server.stored();
        assert!(
            stored.len() == 2 && stored.iter().all(|lead| lead["status"] == "unverified"),
            "{stored:?}"
        );
    }
}

/// Looks for the number of a challenge, as a browser does.
fn solved(server: &LeadsServer) -> Value {
    let answer = server.request("GET /api/captcha/challenge HTTP/1.1\r\n", b"");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(
        answer.head.contains("cache-control: no-store"),
        "{}",
        answer.head
    );
    let mut challenge = answer.json();
    let wanted = challenge["challenge"]
        .as_str()
        .expect("a challenge")
        .to_owned();
    let salt = challenge["salt"].as_str().expect("a salt").to_owned();
    let most = challenge["maxnumber"].as_u64().expect("a number");
    let is_it = |number: &u64| {
        HEXLOWER.encode(digest(&SHA256, format!("{salt}{number}").as_bytes()).as_ref()) == wanted
    };
    let number = (0..=most).find(is_it).expect("a solution");
    let fields = challenge.as_object_mut().expect("an object");
    fields.remove("maxnumber");
    fields.insert("number".into(), number.into());
    challenge
}

fn token(solution: &Value) -> String {
    BASE64.encode(solution.to_string().as_bytes())
}

fn named_lead(name: &str, token: &str) -> Value {
    let mut lead = lead(token);
    lead["name"] = name.into();
    lead
}

#[test]
fn a_proof_of_work_is_asked_of_nobody_and_accepted_once() {
    let mut server = with_captcha(CaptchaProvider::Altcha, &[]);
    // No provider, so no secret.
    server.kill();
    server.set("CAPTCHA_SECRET", "");
    server.run();
    let solution = solved(&server);
    let token_of = token(&solution);
    assert_eq!(
        server.post(&named_lead("Ana", &token_of)).code(),
        "200 null"
    );
    assert_eq!(server.stored()[0]["status"], "verified");
    let refused =
        |answer: HttpResponse| assert_eq!(answer.code(), "422 captcha_refused", "{answer:?}");
    refused(server.post(&named_lead("Bob", &token_of)));
    // Written in another way, it is the same solution.
    let mut other = solution.clone();
    other["took"] = 1.into();
    refused(server.post(&named_lead("Bob", &token(&other))));
    let mut wrong = solved(&server);
    wrong["number"] = 0.into();
    for bad in [
        token(&wrong),
        "none".into(),
        BASE64.encode(b"{}"),
        "x".repeat(8_000),
    ] {
        refused(server.post(&named_lead("Bob", &bad)));
    }
    assert_eq!(
        server.post(&named_lead("Bob", "")).code(),
        "422 captcha_required"
    );
    // Another process with the same store accepts what this one has asked.
    let later = token(&solved(&server));
    server.kill();
    server.run();
    assert_eq!(server.post(&named_lead("Eva", &later)).code(), "200 null");
    assert_eq!((server.stored().len(), server.verified()), (2, 0));
}

#[test]
fn a_site_without_a_captcha_takes_leads_and_keeps_its_other_checks() {
    let mut server = with_captcha(CaptchaProvider::None, &[]);
    server.kill();
    server.set("CAPTCHA_SECRET", "");
    server.run();
    assert_eq!(server.post(&named_lead("Ana", "")).code(), "200 null");
    let form = server.form("", "name=Eva&email=eva%40example.com&message=Hello");
    assert_eq!(form.status, 303, "{form:?}");
    let trapped = server.post_with("X-Form-Signals: website=x\r\n", &named_lead("Bot", ""));
    assert_eq!(trapped.code(), "200 null");
    let states: Vec<Value> = server
        .stored()
        .iter()
        .map(|lead| lead["status"].clone())
        .collect();
    assert_eq!(states, ["spam", "unverified", "unverified"]);
    assert_eq!(
        server
            .request("GET /api/captcha/challenge HTTP/1.1\r\n", b"")
            .status,
        404
    );
    server.kill();
    server.set("LEADS_PER_MINUTE", "5");
    server.run();
    let answers: Vec<u16> = (0..8)
        .map(|number| {
            server
                .post(&named_lead(&format!("Ana {number}"), ""))
                .status
        })
        .collect();
    assert!(answers.contains(&429), "{answers:?}");
}

#[test]
fn the_api_says_at_its_start_what_the_captcha_of_the_site_needs() {
    let mut server = with_captcha(CaptchaProvider::Hcaptcha, &[]);
    server.kill();
    let mut command = std::process::Command::new(crate::site_test::site_api_program());
    command
        .current_dir(server.folder.path())
        .env("LISTEN", "127.0.0.1:0")
        .env_remove("CAPTCHA_SECRET");
    let output = command.output().expect("site-api starts");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && words.contains("`CAPTCHA_SECRET` is not set"),
        "{words}"
    );
}

/// A site whose captcha is that of a provider.
fn site(provider: &str) -> SiteTest {
    let site = horizon();
    let known = "captcha: {site_key: public-key-for-tests}";
    site.edit(
        "content/site.yaml",
        known,
        &format!("captcha: {{provider: {provider}, site_key: key}}"),
    );
    site
}

#[test]
fn a_site_allows_what_its_captcha_needs_and_tells_the_api_which_it_is() {
    for (provider, host) in [
        ("hcaptcha", "https://*.hcaptcha.com"),
        ("turnstile", "https://challenges.cloudflare.com"),
    ] {
        let run = site(provider).run(&["build", "--strict"]);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        let headers = String::from_utf8_lossy(&run.files()["_headers"]).into_owned();
        assert!(
            headers.contains(host) && !headers.contains("google"),
            "{headers}"
        );
    }
    let built = site("altcha");
    let run = built.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    let headers = String::from_utf8_lossy(&run.files()["_headers"]).into_owned();
    assert!(
        !headers.contains("captcha") && !headers.contains("google"),
        "{headers}"
    );
    let leads = std::fs::read_to_string(built.path("leads.json")).expect("leads.json");
    assert!(
        leads.contains("\"version\": 4") && leads.contains("\"captcha\": \"altcha\""),
        "{leads}"
    );
    let wrong = site("recapcha").run(&["check"]);
    let problems = wrong.problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("content/site.yaml")),
        "{problems:?}"
    );
}

#[test]
fn a_form_of_the_site_is_sent_with_a_proof_of_work() {
    let server = served(&site("altcha"), &[]);
    let privacy = crate::site_forms::hash(&server, "appointment", "en", "privacy");
    let answer = |token: &str| json!({"name": "Ana", "clinic": "berlin", "email": "ana@example.com", "privacy": privacy, "_captcha": token});
    let solution = token(&solved(&server));
    assert_eq!(
        crate::site_forms::post(&server, "appointment", "", &answer("no")).status,
        422
    );
    assert_eq!(
        crate::site_forms::post(&server, "appointment", "", &answer(&solution)).status,
        200
    );
    assert_eq!(server.stored()[0]["status"], "verified");
}
