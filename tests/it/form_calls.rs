//! Forms that are sent by `POST /api/leads`: the build checks them by that call, they have no address of their own, and the
//! form on the page has the call's keys. Also the messages of a form by the kind of mistake.

use serde_json::{Value, json};

use crate::site_forms::{contact, post, served};
use crate::site_test::SiteTest;

const FORM: &str = "content/forms/contact/form.yaml";
const CALL: &str = "fields:
  topic: {type: choice, choices: [a, b]}
  who: {type: text}
  email: {type: email}
  budget: {type: text}
  message: {type: text, lines: 4}
endpoint: leads
call: {name: who, email: email, projectType: topic, message: message}
";

/// The small site whose form sends leads.
fn calling() -> SiteTest {
    let words = |message: &str| {
        format!(
            "title: Write\nfields:\n  topic: {{label: Topic, choices: {{a: A, b: B}}}}\n  who: {{label: Name}}\n  email: {{label: Email}}\n  budget: {{label: Budget}}\n  message: {{label: More}}\n{message}"
        )
    };
    let site = contact().file(FORM, CALL);
    for code in ["en", "es"] {
        site.write(
            &format!("content/forms/contact/{code}.yaml"),
            words("message: |\n  Topic: {topic}\n  Budget: {budget}\n\n  {message}\n"),
        );
    }
    site.edit(
        "content/site.yaml",
        "base_url:",
        "leads:\n  form: home\n  captcha: {provider: none}\nbase_url:",
    );
    site
}

#[test]
fn a_form_that_sends_leads_has_no_address_of_its_own() {
    let site = calling();
    let server = served(&site, &[]);
    let leads: Value = serde_json::from_str(
        &std::fs::read_to_string(site.path("leads.json")).expect("leads.json"),
    )
    .expect("JSON");
    assert!(leads["forms"].is_null(), "{leads}");
    let answer = json!({"who": "Ana", "email": "ana@example.com"});
    assert_eq!(post(&server, "contact", "", &answer).status, 404);
    let lead = json!({"name": "Ana", "email": "ana@example.com", "projectType": "A", "message": "Topic: A"});
    let sent = server.send(
        "POST /api/leads HTTP/1.1\r\nContent-Type: application/json\r\n",
        &lead.to_string(),
    );
    assert_eq!(sent.status, 200, "{}", sent.body);
}

#[test]
fn what_a_call_cannot_send_is_reported_at_its_place() {
    for (file, from, to, expect) in [
        (
            FORM,
            "email: email,",
            "budget: budget,",
            "`call` cannot have the key `budget`",
        ),
        (
            FORM,
            "name: who",
            "name: topic",
            "`name` needs a text field, but `topic` is not one",
        ),
        (
            FORM,
            "lines: 4}",
            "lines: 4, most: 9990}",
            "this message can have ",
        ),
        (
            "content/forms/contact/en.yaml",
            "message: |",
            "massage: |",
            "sends a message, but `message` is missing",
        ),
        (
            "content/forms/contact/en.yaml",
            "Budget: {budget}",
            "Budget: {bugdet}",
            "the form has no field `bugdet`",
        ),
        (
            FORM,
            "endpoint: leads\ncall: {name: who, email: email, projectType: topic, message: message}\n",
            "",
            "only a form with `endpoint: leads` sends a `message`",
        ),
    ] {
        let site = calling();
        site.edit(file, from, to);
        let run = site.run(&["check"]);
        assert!(
            run.status == 1 && run.stderr.contains(expect),
            "{expect}: {}{}",
            run.stdout,
            run.stderr
        );
    }
    let site = calling().file("content/forms/other/form.yaml", CALL);
    let words = std::fs::read_to_string(site.path("content/forms/contact/en.yaml")).expect("words");
    for code in ["en", "es"] {
        site.write(&format!("content/forms/other/{code}.yaml"), &words);
    }
    let run = site.run(&["check"]);
    assert!(
        run.stderr
            .contains("`contact` and `other` both have `endpoint: leads`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_kind_of_mistake_has_words_of_its_own() {
    let site = contact();
    site.edit(
        FORM,
        "email: {type: email, required: true}",
        "email: {type: email, required: true}\n  name: {type: text, required: true, most: 5}",
    );
    for code in ["en", "es"] {
        let file = format!("content/forms/contact/{code}.yaml");
        site.edit(
            &file,
            "fields:",
            "fields:\n  name: {label: Name, error: Anything, mistakes: {required: Who are you?}}",
        );
    }
    let server = served(&site, &[]);
    let errors = |name: &str| {
        let answer = post(
            &server,
            "contact",
            "",
            &json!({"email": "ana@example.com", "name": name}),
        );
        serde_json::from_str::<Value>(&answer.body).expect("JSON")["errors"]["name"].clone()
    };
    assert_eq!(errors(""), "Who are you?");
    assert_eq!(errors("Anastasia"), "Anything");
    site.edit("content/forms/contact/en.yaml", "required:", "requierd:");
    let run = site.run(&["check"]);
    assert!(
        run.stderr.contains("`mistakes` has no key `requierd`"),
        "{}",
        run.stderr
    );
}
