//! Webhooks of services: each preset against a stand-in that holds what the service documents, and what the operator hears of
//! one that takes no more leads.

use std::io::Read as _;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cms_server::{CmsServer, Reply, Request};
use crate::leads_server::{LeadsServer, webhook};
use crate::site_forms::{contact, post, served, served_with_mail};
use crate::site_test::SiteTest;
use crate::waiting::wait_for;

const FORM: &str = "content/forms/contact/form.yaml";

/// A site whose form has a name and a webhook.
fn to_service() -> SiteTest {
    let site = contact();
    site.edit(
        FORM,
        "captcha: false",
        "  name: {type: text}\ncaptcha: false\ndeliver: {webhook: crm}",
    );
    for (file, label) in [("en", "Name"), ("es", "Nombre")] {
        let path = format!("content/forms/contact/{file}.yaml");
        site.edit(
            &path,
            "  topic:",
            &format!("  name: {{label: {label}}}\n  topic:"),
        );
    }
    site
}

/// Sends an answer to a form whose webhook has a preset, and returns the server with the id of the answer.
fn sent(
    preset: &str,
    receiver: &CmsServer,
    path: &str,
    values: &[(&str, &str)],
) -> (LeadsServer, String) {
    let url = format!("{}{path}", receiver.url);
    let known = [
        ("LEADS_WEBHOOKS", "crm"),
        ("LEADS_WEBHOOK_CRM_PRESET", preset),
        ("LEADS_WEBHOOK_CRM_URL", &*url),
    ];
    let server = served(&to_service(), &[&known[..], values].concat());
    let answer = json!({"email": "ana@example.com", "name": "Ana <!here> Ruiz", "topic": "a"});
    assert_eq!(post(&server, "contact", "", &answer).status, 200);
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    (server, id)
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap_or_default()
}

/// Waits until a lead's webhook is in a state.
fn wait_for_state(server: &LeadsServer, id: &str, words: &str) {
    wait_for(words, || {
        server.leads(&["show", id]).1.contains(words).then_some(())
    });
}

#[test]
fn slack_gets_a_message_without_marks_of_visitors() {
    let slack = webhook(|request| {
        let is_message = body(request)["text"]
            .as_str()
            .is_some_and(|text| !text.is_empty());
        let is_json = request
            .headers
            .get("content-type")
            .is_some_and(|kind| kind == "application/json");
        if is_message && is_json && request.path == "/services/T0/B0/x" {
            Reply::Whole(200, Vec::new(), b"ok".to_vec())
        } else {
            Reply::Whole(400, Vec::new(), b"invalid_payload".to_vec())
        }
    });
    let (server, id) = sent("slack", &slack, "/services/T0/B0/x", &[]);
    wait_for_state(&server, &id, "delivered, tried once");
    let text = body(&slack.requests()[0])["text"]
        .as_str()
        .expect("a text")
        .to_owned();
    assert_eq!(
        text,
        "contact: Ana &lt;!here&gt; Ruiz\nEmail: ana@example.com\nTopic: A\nName: Ana &lt;!here&gt; Ruiz"
    );
}

#[test]
fn hubspot_gets_the_fields_that_are_filled_in() {
    let hubspot = webhook(|request| {
        let is_allowed = request
            .headers
            .get("authorization")
            .is_some_and(|token| token == "Bearer pat-1");
        let fields = body(request)["fields"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let is_form = request.path == "/submissions/v3/integration/secure/submit/62515/78c2%2D891f";
        let are_fields = fields.iter().all(|field| {
            ["objectTypeId", "name", "value"]
                .iter()
                .all(|key| field[*key].as_str().is_some_and(|text| !text.is_empty()))
        });
        match (
            is_allowed,
            is_form && are_fields && request.method == "POST",
        ) {
            (true, true) => Reply::json(&json!({"inlineMessage": "Thanks"})),
            (true, false) => Reply::status(400),
            (false, _) => Reply::status(401),
        }
    });
    let values = [
        ("LEADS_WEBHOOK_CRM_PORTAL", "62515"),
        ("LEADS_WEBHOOK_CRM_FORM", "78c2-891f"),
        ("LEADS_WEBHOOK_CRM_TOKEN", "pat-1"),
    ];
    let (server, id) = sent("hubspot", &hubspot, "", &values);
    wait_for_state(&server, &id, "delivered, tried once");
    let sent = body(&hubspot.requests()[0]);
    let at = sent["submittedAt"]
        .as_str()
        .and_then(|text| text.parse::<u64>().ok());
    assert!(at.is_some_and(|at| at > 1_700_000_000_000), "{sent}");
    let names: Vec<&str> = sent["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["email", "firstname", "lastname", "message"]);
}

#[test]
fn a_sheet_gets_a_row_without_formulas_and_answers_with_a_redirect() {
    let sheet = webhook(|request| {
        let row = body(request);
        if row["secret"] != "s" || row["email"] != "ana@example.com" {
            return Reply::status(200);
        }
        Reply::status(302).with(
            "Location",
            "https://script.googleusercontent.com/macros/echo?user_content_key=x",
        )
    });
    let (server, id) = sent(
        "google-sheets",
        &sheet,
        "/macros/s/A/exec",
        &[("LEADS_WEBHOOK_CRM_SECRET", "s")],
    );
    wait_for_state(&server, &id, "delivered, tried once");
    assert_eq!(body(&sheet.requests()[0])["form"], "contact");
    assert_eq!(sheet.requests().len(), 1, "the redirect is not followed");
    // A script that only its owner may run leads to a login.
    let closed = webhook(|_| {
        Reply::status(302).with("Location", "https://accounts.google.com/ServiceLogin")
    });
    let (server, id) = sent(
        "google-sheets",
        &closed,
        "/macros/s/A/exec",
        &[("LEADS_WEBHOOK_CRM_SECRET", "s")],
    );
    wait_for_state(
        &server,
        &id,
        "abandoned, tried once; last error: status 302",
    );
}

#[test]
fn mailchimp_adds_or_updates_a_member() {
    let mailchimp = webhook(|request| {
        // `sitegen:key-us21` in Base64.
        let is_allowed = request
            .headers
            .get("authorization")
            .is_some_and(|value| value == "Basic c2l0ZWdlbjprZXktdXMyMQ==");
        let is_member =
            request.path == "/3.0/lists/abc/members/ana%40example%2Ecom" && request.method == "PUT";
        let sent = body(request);
        let is_whole =
            sent["email_address"] == "ana@example.com" && sent["status_if_new"] == "subscribed";
        if is_allowed && is_member && is_whole {
            Reply::json(&json!({"id": "x"}))
        } else {
            Reply::status(400)
        }
    });
    let values = [
        ("LEADS_WEBHOOK_CRM_SERVER", "us21"),
        ("LEADS_WEBHOOK_CRM_LIST", "abc"),
        ("LEADS_WEBHOOK_CRM_TOKEN", "key-us21"),
    ];
    let (server, id) = sent("mailchimp", &mailchimp, "", &values);
    wait_for_state(&server, &id, "delivered, tried once");
    assert_eq!(
        body(&mailchimp.requests()[0])["merge_fields"],
        json!({"FNAME": "Ana", "LNAME": "<!here> Ruiz"})
    );
}

#[test]
fn listmonk_gets_a_subscription() {
    let listmonk = webhook(|request| {
        let is_there = request.path == "/api/public/subscription" && request.method == "POST";
        let is_known = body(request)["list_uuids"] == json!(["e9bfe744"]);
        if is_there && is_known {
            Reply::json(&json!({"data": {"has_optin": false}}))
        } else {
            Reply::status(400)
        }
    });
    let (server, id) = sent(
        "listmonk",
        &listmonk,
        "/api/public/subscription",
        &[("LEADS_WEBHOOK_CRM_LIST", "e9bfe744")],
    );
    wait_for_state(&server, &id, "delivered, tried once");
    assert_eq!(body(&listmonk.requests()[0])["email"], "ana@example.com");
}

#[test]
fn a_channel_that_is_gone_is_not_asked_again_and_the_operator_gets_one_mail() {
    let gone = webhook(|_| Reply::Whole(410, Vec::new(), b"channel_is_archived".to_vec()));
    let environment = [
        ("LEADS_WEBHOOKS", "crm"),
        ("LEADS_WEBHOOK_CRM_PRESET", "slack"),
        ("LEADS_WEBHOOK_CRM_URL", &*gone.url),
    ];
    let (server, mailbox) = served_with_mail(&to_service(), &environment);
    for number in 0..3 {
        let answer = json!({"email": format!("ana{number}@example.com"), "name": "Ana"});
        assert_eq!(
            post(&server, "contact", "", &answer).json()["success"],
            true,
            "the visitor gets the truth"
        );
    }
    wait_for("the log", || {
        (server.log().matches("\"delivery_given_up\"").count() == 3).then_some(())
    });
    for lead in server.stored() {
        let id = lead["id"].as_str().expect("an id");
        wait_for_state(&server, id, "abandoned, tried once; last error: status 410");
    }
    assert_eq!(gone.requests().len(), 3, "each lead once");
    // Three mails about leads, and one about the webhook.
    let mails: Vec<String> = (0..4)
        .map(|_| {
            mailbox
                .recv_timeout(Duration::from_secs(30))
                .expect("a mail")
        })
        .collect();
    let notices: Vec<&String> = mails
        .iter()
        .filter(|mail| mail.contains("isn't accepting leads"))
        .collect();
    assert_eq!(notices.len(), 1, "{mails:?}");
    assert!(
        notices[0].contains("sitegen leads retry") && notices[0].contains("status 410"),
        "{}",
        notices[0]
    );
    assert!(
        notices[0].contains("RCPT TO:<office@site.example>") && !notices[0].contains("ana"),
        "{}",
        notices[0]
    );
    assert!(mailbox.try_recv().is_err(), "no second notice");
    assert!(!server.log().contains(&gone.url), "{}", server.log());
}

#[test]
fn settings_of_a_preset_are_checked_at_the_start() {
    let start = |environment: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = std::process::Command::new(crate::site_test::site_api_program());
        command
            .current_dir(folder.path())
            .env("LISTEN", "127.0.0.1:0")
            .env("CAPTCHA_SECRET", "s");
        let output = command
            .envs(environment.iter().copied())
            .output()
            .expect("site-api starts");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let unknown = start(&[
        ("LEADS_WEBHOOKS", "crm"),
        ("LEADS_WEBHOOK_CRM_PRESET", "slak"),
    ]);
    assert!(
        unknown.contains("LEADS_WEBHOOK_CRM_PRESET: there is no preset `slak`")
            && unknown.contains("`slack`"),
        "{unknown}"
    );
    let lacking = start(&[
        ("LEADS_WEBHOOKS", "crm"),
        ("LEADS_WEBHOOK_CRM_PRESET", "hubspot"),
    ]);
    assert!(
        lacking.contains("`hubspot` needs `LEADS_WEBHOOK_CRM_FORM`"),
        "{lacking}"
    );
    let nowhere = start(&[
        ("LEADS_WEBHOOKS", "crm"),
        ("LEADS_WEBHOOK_CRM_PRESET", "slack"),
    ]);
    assert!(
        nowhere.contains("also set `LEADS_WEBHOOK_CRM_URL`"),
        "{nowhere}"
    );
}

/// A mail server that takes connections and says nothing.
fn silent_mail_server() -> (String, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (connected, connections) = mpsc::channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let connected = connected.clone();
            std::thread::spawn(move || {
                let _ = connected.send(());
                let _ = stream.read(&mut [0; 1]);
            });
        }
    });
    (format!("smtp://{address}"), connections)
}

#[test]
fn a_mail_server_that_hangs_delays_no_answer_and_no_webhook() {
    let (smtp, connections) = silent_mail_server();
    let crm = webhook(|_| Reply::status(204));
    let environment = [
        ("SMTP_URL", &*smtp),
        ("LEADS_MAIL_TO", "office@site.example"),
        ("LEADS_MAIL_FROM", "forms@site.example"),
        ("LEADS_WEBHOOKS", "crm"),
        ("LEADS_WEBHOOK_CRM_URL", &*crm.url),
    ];
    let server = served(&to_service(), &environment);
    assert_eq!(
        post(&server, "contact", "", &json!({"email": "ana@example.com"})).status,
        200
    );
    connections
        .recv_timeout(Duration::from_secs(30))
        .expect("the API asks the mail server");
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    wait_for("the webhook", || crm.requests().pop());
    wait_for_state(&server, &id, "timed out");
    assert_eq!(server.stored().len(), 1);
}
