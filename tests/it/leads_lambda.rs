//! Leads on AWS Lambda: requests as events, an emulated DynamoDB table, metrics in the log.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::api_site::{ApiAnswer, ApiSite};
use crate::cms_server::{CmsServer, Reply};
use crate::lambda::Lambda;
use crate::leads_server::{captcha, lead, lead_site, write};

const JSON: (&str, &str) = ("content-type", "application/json");

/// A function with its captcha provider, its site, and an empty table that accepts all writes.
struct Function {
    lambda: Lambda,
    table: CmsServer,
    _site: ApiSite,
    captcha: CmsServer,
    _folder: tempfile::TempDir,
}

impl Function {
    fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Function {
        Function::with_requests(&[], move |call, _| answer(call))
    }

    /// A function with additional environment variables, and a table that counts.
    fn with(environment: &[(&str, &str)]) -> Function {
        let counts: Mutex<HashMap<String, i64>> = Mutex::default();
        Function::with_requests(environment, move |call, body| {
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            let Some(key) = body["Key"]["pk"]["S"]
                .as_str()
                .filter(|_| call == "UpdateItem")
            else {
                return Reply::json(&json!({"Items": [], "Count": 0}));
            };
            let added = body["ExpressionAttributeValues"]
                .as_object()
                .into_iter()
                .flatten();
            let added = added
                .filter(|(name, _)| *name != ":expires")
                .filter_map(|(_, value)| value["N"].as_str()?.parse::<i64>().ok());
            let mut counts = counts.lock().expect("the counts");
            let count = counts.entry(key.to_owned()).or_default();
            *count += added.sum::<i64>();
            Reply::json(&json!({"Attributes": {"tries": {"N": count.to_string()}}}))
        })
    }

    fn with_requests(
        environment: &[(&str, &str)],
        answer: impl Fn(&str, &[u8]) -> Reply + Send + Sync + 'static,
    ) -> Function {
        let (site, provider, folder) = (
            ApiSite::small(),
            captcha(),
            tempfile::tempdir().expect("a folder"),
        );
        let table = CmsServer::start(move |request| {
            let target = request
                .headers
                .get("x-amz-target")
                .map_or("", String::as_str);
            answer(target.rsplit('.').next().unwrap_or_default(), &request.body)
        });
        let path: PathBuf = folder.path().join("leads.json");
        write(&path, &lead_site().to_string());
        let bundle = site.path();
        let own = [
            ("SITE_ARTIFACT", bundle.to_str().expect("a path")),
            ("LEADS_SITE", path.to_str().expect("a path")),
            ("LEADS_STORE", "dynamodb:leads"),
            ("LEADS_PER_MINUTE", "0"),
            ("LEADS_PER_MINUTE_TOTAL", "0"),
            ("CAPTCHA_SECRET", "s3cret"),
            ("CAPTCHA_VERIFY_URL", &provider.url),
            ("AWS_REGION", "eu-west-1"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_ENDPOINT_URL_DYNAMODB", &table.url),
        ];
        let lambda = Lambda::start(&[&own, environment].concat());
        Function {
            lambda,
            table,
            _site: site,
            captcha: provider,
            _folder: folder,
        }
    }

    fn post(&self, lead: &Value) -> ApiAnswer {
        self.lambda.send(
            "POST",
            "/api/leads",
            &[JSON],
            Some((&lead.to_string(), false)),
        )
    }

    /// The transactions that were written to the table.
    fn written(&self) -> Vec<Value> {
        let transactions = self.table.requests().into_iter().filter(|request| {
            request
                .headers
                .get("x-amz-target")
                .is_some_and(|target| target.ends_with(".TransactWriteItems"))
        });
        transactions
            .map(|request| serde_json::from_slice(&request.body).expect("JSON"))
            .collect()
    }

    /// Waits for lines with metrics in the log, which another thread reads.
    fn counts(&self, lines: usize) -> Vec<Value> {
        let start = Instant::now();
        loop {
            let log = self.lambda.log();
            let counts: Vec<Value> = log
                .lines()
                .filter(|line| line.contains("\"_aws\""))
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            if counts.len() >= lines {
                return counts;
            }
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{} counts in {log}",
                counts.len()
            );
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_lead_is_in_the_table_before_it_is_confirmed() {
    let function = Function::start(|_| Reply::status(200));
    let answer = function.post(&lead("good"));
    assert_eq!(
        (answer.status, &answer.json()["success"]),
        (200, &json!(true))
    );
    let written = function.written();
    assert_eq!(written.len(), 1);
    let text = written[0].to_string();
    for part in [
        "Ana Ruiz",
        "ana@example.com",
        "Support",
        "verified",
        "attribute_not_exists(pk)",
        "\"TableName\":\"leads\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn invalid_leads_are_rejected_on_lambda() {
    let function = Function::start(|_| Reply::status(200));
    let mut nameless = lead("good");
    nameless["name"] = "".into();
    for (expect, answer) in [
        ((422, "required"), function.post(&nameless)),
        ((422, "captcha_refused"), function.post(&lead("wrong"))),
        (
            (400, "bad_request"),
            function
                .lambda
                .send("POST", "/api/leads", &[JSON], Some(("[]", false))),
        ),
        (
            (400, "bad_request"),
            function.lambda.send("POST", "/api/leads", &[JSON], None),
        ),
        (
            (415, "unsupported_media_type"),
            function
                .lambda
                .send("POST", "/api/leads", &[], Some(("{}", false))),
        ),
        (
            (413, "too_large"),
            function.lambda.send(
                "POST",
                "/api/leads",
                &[JSON],
                Some((&" ".repeat(270_000), false)),
            ),
        ),
        (
            (405, "method_not_allowed"),
            function.lambda.request("GET", "/api/leads", &[]),
        ),
    ] {
        assert_eq!(
            (
                answer.status,
                answer.json()["code"].as_str().unwrap_or_default()
            ),
            expect
        );
    }
    assert!(function.written().is_empty());
}

/// API Gateway and function URLs encode other content types than JSON as base64.
#[test]
fn a_form_without_javascript_is_decoded_from_base64() {
    let function = Function::start(|_| Reply::status(200));
    let kind = ("content-type", "application/x-www-form-urlencoded");
    // name=Ana+Ruiz&phone=12&message=%C3%B1
    let body = "bmFtZT1BbmErUnVpeiZwaG9uZT0xMiZtZXNzYWdlPSVDMyVCMQ==";
    let answer = function
        .lambda
        .send("POST", "/api/leads?lang=es", &[kind], Some((body, true)));
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, "/es/gracias/")
    );
    let text = function.written()[0].to_string();
    assert!(
        text.contains("Ana Ruiz") && text.contains("ñ") && text.contains("quarantined"),
        "{text}"
    );
}

#[test]
fn no_lead_is_confirmed_while_the_table_is_down() {
    let function = Function::start(|call| {
        Reply::status(if call == "TransactWriteItems" {
            500
        } else {
            200
        })
    });
    let answer = function.post(&lead("good"));
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (503, Some("unavailable"))
    );
    let text = answer.json().to_string();
    assert!(
        !text.contains("Dynamo") && !text.contains("127.0.0.1"),
        "{text}"
    );
}

/// <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>
#[test]
fn metrics_are_logged_in_the_embedded_format() {
    let function = Function::start(|_| Reply::status(200));
    function.post(&lead("good"));
    function.post(&lead("wrong"));
    let counts = function.counts(2);
    for (count, (name, label, value)) in counts.iter().zip([
        ("leads", "status", "verified"),
        ("leads_refused", "code", "captcha_refused"),
    ]) {
        assert!(
            count["_aws"]["Timestamp"]
                .as_i64()
                .is_some_and(|at| at > 1_700_000_000_000),
            "{count}"
        );
        let metrics = &count["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(metrics["Namespace"], "Sitegen");
        assert_eq!(metrics["Dimensions"], json!([[label]]));
        assert_eq!(metrics["Metrics"], json!([{"Name": name, "Unit": "Count"}]));
        assert_eq!((&count[name], &count[label]), (&json!(1), &json!(value)));
    }
    let log = function.lambda.log();
    for word in [
        "Ana",
        "Ruiz",
        "ana@",
        "192.0.2.7",
        "s3cret",
        "good",
        "wrong",
    ] {
        assert!(!log.contains(word), "{word} in {log}");
    }
}

#[test]
fn only_the_schedule_triggers_deliveries() {
    let function = Function::start(|_| Reply::json(&json!({"Items": [], "Count": 0})));
    assert_eq!(
        function
            .lambda
            .send("POST", "/api/leads/outbox", &[], None)
            .status,
        404
    );
    assert!(
        function.table.requests().is_empty(),
        "an unscheduled request queried the store"
    );
    run_schedule(&function);
}

/// Sends the event of the schedule in the template.
fn run_schedule(function: &Function) {
    let template = std::fs::read_to_string(crate::site_test::repository().join("deploy/aws.yaml"))
        .expect("the template");
    let (_, event) = template
        .split_once("Input: >-\n")
        .expect("the event of the schedule");
    let event: String = event
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    let answer = function.lambda.invoke(
        "scheduled".into(),
        serde_json::from_str(&event).expect("JSON"),
    );
    assert_eq!(answer.status, 204);
}

/// Anyone can ask the function's own address, and write CloudFront's header.
#[test]
fn only_cloudfront_is_believed_about_the_viewer() {
    let secret = ("x-origin-secret", "0123456789abcdef");
    let function = Function::with(&[
        ("LEADS_PER_MINUTE", "1"),
        ("ORIGIN_SECRET", secret.1),
        ("CLIENT_ADDRESS_HEADER", "CloudFront-Viewer-Address"),
    ]);
    let post = |viewer: &str, headers: &[(&str, &str)], token: &str| {
        let headers = [headers, &[JSON, ("cloudfront-viewer-address", viewer)]].concat();
        let answer = function.lambda.send(
            "POST",
            "/api/leads",
            &headers,
            Some((&lead(token).to_string(), false)),
        );
        (
            answer.status,
            answer.json()["code"].as_str().unwrap_or("null").to_owned(),
        )
    };
    assert_eq!(
        post("192.0.2.1:443", &[], "good1"),
        (403, "forbidden".into())
    );
    assert!(function.table.requests().is_empty());
    for (viewer, token, expect) in [
        ("192.0.2.1:443", "good1", 200),
        ("192.0.2.1:444", "good2", 429),
        ("2001:db8::1:443", "good2", 200),
        ("2001:db8::2:443", "good3", 429),
    ] {
        assert_eq!(post(viewer, &[secret], token).0, expect, "{viewer}");
    }
    run_schedule(&function);
}

/// Counted in the table, for all functions together.
#[test]
fn bad_tokens_of_a_network_do_not_refuse_other_visitors_on_lambda() {
    let secret = ("x-origin-secret", "0123456789abcdef");
    let function = Function::with(&[
        ("LEADS_PER_MINUTE", "1"),
        ("LEADS_PER_MINUTE_TOTAL", "30"),
        ("ORIGIN_SECRET", secret.1),
        ("CLIENT_ADDRESS_HEADER", "CloudFront-Viewer-Address"),
    ]);
    let post = |viewer: &str, token: &str| {
        let headers = [JSON, secret, ("cloudfront-viewer-address", viewer)];
        function
            .lambda
            .send(
                "POST",
                "/api/leads",
                &headers,
                Some((&lead(token).to_string(), false)),
            )
            .status
    };
    let codes: Vec<u16> = (0..100)
        .map(|number| post(&format!("2001:db8:0:{number:x}::1:443"), "wrong"))
        .collect();
    let verified = function.captcha.requests().len();
    assert_eq!(codes.iter().filter(|code| **code == 422).count(), verified);
    // Eight for the network and eight of its reserve, in each of the minutes that the test takes part in.
    assert!((16..=48).contains(&verified), "{verified}");
    for number in 0..25 {
        assert_eq!(
            post(
                &format!("198.51.100.{number}:443"),
                &format!("good{number}")
            ),
            200,
            "{number}"
        );
    }
    assert_eq!(
        post("2001:db8:1::1:443", "good25"),
        200,
        "another part of the provider's network"
    );
}
