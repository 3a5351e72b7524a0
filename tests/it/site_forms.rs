//! Forms that a site declares: what a build reports of them, what it writes for the API, and what the API makes of answers.

use std::sync::mpsc;

use serde_json::{Value, json};

use crate::cms_server::Reply;
use crate::leads_outbox::mail_server;
use crate::leads_server::{HOST, HttpResponse, LeadsServer, webhook, write};
use crate::site_test::{SiteTest, repository, sitegen};
use crate::waiting::wait_for;

const FORM: &str = "content/forms/contact/form.yaml";
/// A mail server that nobody reaches.
pub const UNREACHABLE_MAIL: [(&str, &str); 3] = [
    ("SMTP_URL", "smtp://127.0.0.1:9"),
    ("LEADS_MAIL_TO", "office@site.example"),
    ("LEADS_MAIL_FROM", "forms@site.example"),
];
const WORDS: &str = "content/forms/contact/en.yaml";

pub fn horizon() -> SiteTest {
    SiteTest::from(&repository().join("examples/dental-clinics"))
}

/// The small site with a form on its home page.
pub fn contact() -> SiteTest {
    SiteTest::small()
        .file("templates/sections/form/form.html", "<h2>{{ section.title }}</h2>{% if section.form %}<form data-form=\"{{ section.form.name }}\"></form>{% endif %}")
        .file(FORM, "fields:\n  email: {type: email, required: true}\n  topic: {type: choice, choices: [a, b]}\ncaptcha: false\n")
        .file(WORDS, "title: Write\nfields:\n  email: {label: Email}\n  topic: {label: Topic, choices: {a: A, b: B}}\n")
        .file("content/forms/contact/es.yaml", "fields:\n  email: {label: Correo}\n  topic: {label: Tema, choices: {a: A, b: B}}\n")
        .file(
            "content/pages/home/en.yaml",
            "path: /\ntitle: Home\ndescription: The home of small things.\nsections:\n  - {kind: hero, title: Hello}\n  - {kind: form, form: contact}\n",
        )
        .file(
            "content/pages/home/es.yaml",
            "path: /es/\ntitle: Inicio\ndescription: El inicio de las cosas pequeñas.\nsections:\n  - {kind: hero, title: Hola}\n  - {kind: form, form: contact, title: Escribe}\n",
        )
}

/// The API with the forms of a built site.
pub fn served(site: &SiteTest, environment: &[(&str, &str)]) -> LeadsServer {
    let built = site.run(&["build", "--strict"]);
    assert_eq!(built.status, 0, "{}{}", built.stdout, built.stderr);
    let server = LeadsServer::with(&[environment, &[("CAPTCHA_HOSTS", HOST)]].concat());
    let leads = std::fs::read_to_string(site.path("leads.json")).expect("leads.json");
    write(&server.path("leads.json"), &leads);
    server
}

/// The same with a server for mail, and what it receives.
pub fn served_with_mail(
    site: &SiteTest,
    environment: &[(&str, &str)],
) -> (LeadsServer, mpsc::Receiver<String>) {
    let (address, mailbox) = mail_server();
    let smtp = format!("smtp://{address}");
    let mail = [
        ("SMTP_URL", smtp.as_str()),
        ("LEADS_MAIL_TO", "office@site.example"),
        ("LEADS_MAIL_FROM", "Forms <forms@site.example>"),
    ];
    (served(site, &[&mail[..], environment].concat()), mailbox)
}

pub fn post(server: &LeadsServer, form: &str, headers: &str, answer: &Value) -> HttpResponse {
    let head =
        format!("POST /api/forms/{form} HTTP/1.1\r\nContent-Type: application/json\r\n{headers}");
    server.send(&head, &answer.to_string())
}

fn post_plain(server: &LeadsServer, form: &str, fields: &[(&str, &str)]) -> HttpResponse {
    let body = form_urlencoded(fields);
    let head = format!(
        "POST /api/forms/{form} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    );
    server.send(&head, &body)
}

fn form_urlencoded(fields: &[(&str, &str)]) -> String {
    let escaped = |text: &str| {
        text.bytes()
            .flat_map(|byte| ["%".to_owned(), format!("{byte:02X}")])
            .collect::<String>()
    };
    fields
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect::<Vec<_>>()
        .join("&")
}

/// The value of a form in `leads.json`.
fn contract(server: &LeadsServer, form: &str) -> Value {
    let text = std::fs::read_to_string(server.path("leads.json")).expect("leads.json");
    let site: Value = serde_json::from_str(&text).expect("JSON");
    let found = site["forms"]
        .as_array()
        .expect("forms")
        .iter()
        .find(|other| other["name"] == form);
    found.expect("the form").clone()
}

pub fn hash(server: &LeadsServer, form: &str, locale: &str, consent: &str) -> String {
    let hash = &contract(server, form)["languages"][locale]["consents"][consent]["hash"];
    hash.as_str().expect("a hash").to_owned()
}

#[test]
fn a_form_is_on_its_pages_in_every_language() {
    let site = horizon();
    let run = site.run(&["build", "--strict"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.page("/appointment/")
        .contains("<option value=\"madrid\">Horizon Madrid</option>")
        .contains("action=\"/api/forms/appointment#form-appointment\"")
        .contains("<a href=\"/clinics/\">use my data</a>.</label>")
        .contains("id=\"form-callback\"");
    run.page("/de/appointment/")
        .contains("<option value=\"madrid\">Horizont Madrid</option>")
        .contains("Tageszeit");
    run.page("/ar/appointment/")
        .contains("هورايزن مدريد")
        .contains("اطلب موعدًا");
    run.page("/zh-hans/")
        .contains("每年四封信")
        .contains("<p>我们诊所的新消息。</p>");
    // A change of an entry changes the pages that offer it.
    site.edit(
        "content/clinics/madrid.yaml",
        "Horizont Madrid",
        "Horizont Atocha",
    );
    let run = site.run(&["build", "--strict", "--verify-cache"]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.page("/de/appointment/")
        .contains("<option value=\"madrid\">Horizont Atocha</option>");
}

#[test]
fn mistakes_in_forms_are_reported_at_their_place() {
    let check = |file: &str, from: &str, to: &str, expect: &str| {
        let site = contact();
        if from.is_empty() {
            site.write(file, to);
        } else {
            site.edit(file, from, to);
        }
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.iter().any(|problem| problem.starts_with(expect)),
            "{to}: {problems:?}"
        );
    };
    assert_eq!(
        contact().run(&["check", "--strict"]).status,
        0,
        "{}",
        contact().run(&["check", "--strict"]).stderr
    );
    check(
        FORM,
        "",
        "fields: {}\n",
        "form-declaration content/forms/contact/form.yaml:1:9",
    );
    check(
        FORM,
        "",
        "fields:\n  email: {type: email}\n  email: {type: email}\n",
        "duplicate-key content/forms/contact/form.yaml:3:3",
    );
    check(
        FORM,
        "type: email",
        "type: mail",
        "invalid-value content/forms/contact/form.yaml:2:17",
    );
    check(
        FORM,
        "required",
        "requierd",
        "unknown-key content/forms/contact/form.yaml:2:",
    );
    check(
        FORM,
        "captcha: false",
        "captcha: true",
        "incomplete-data content/forms/contact/form.yaml",
    );
    check(
        FORM,
        "choice, choices: [a, b]",
        "reference, to: places",
        "unknown-id content/forms/contact/form.yaml:3:",
    );
    check(
        FORM,
        "captcha",
        "require_one_of: [[emial]]\ncaptcha",
        "form-declaration content/forms/contact/form.yaml:4:19",
    );
    check(
        FORM,
        "captcha",
        "deliver: {mail: \"{topic.email}\"}\ncaptcha",
        "unknown-id content/forms/contact/form.yaml:4:17",
    );
    check(
        FORM,
        "captcha",
        "drawing: true\ncaptcha",
        "incomplete-data content/forms/contact/form.yaml:4:10",
    );
    check(
        FORM,
        "[a, b]",
        "[a, b], anchors: {a: form-contact}",
        "duplicate-id content/forms/contact/form.yaml:3:3",
    );
    check(
        FORM,
        "[a, b]",
        "[a, b], anchors: {c: other}",
        "form-declaration content/forms/contact/form.yaml:3:",
    );
    check(
        FORM,
        "choices: [a, b]",
        "choices_by: {email: {a: [a, b]}}",
        "form-declaration content/forms/contact/form.yaml:3:",
    );
    check(
        FORM,
        "choices: [a, b]",
        "choices_by: [a]",
        "wrong-type content/forms/contact/form.yaml:3:",
    );
    check(
        FORM,
        "captcha",
        "thanks: tahnks\ncaptcha",
        "dead-link content/forms/contact/form.yaml:4:9",
    );
    check(
        FORM,
        "captcha",
        "consent: [privacy]\ncaptcha",
        "missing-key content/forms/contact/en.yaml",
    );
    check(
        FORM,
        "captcha",
        "  long: {type: text, lines: 4, most: 30000}\ncaptcha",
        "form-declaration content/forms/contact/form.yaml:4:3",
    );
    check(
        WORDS,
        "email: {label: Email}",
        "emial: {label: Email}",
        "missing-key content/forms/contact/en.yaml",
    );
    check(
        WORDS,
        "b: B",
        "c: C",
        "unknown-id content/forms/contact/en.yaml:4:",
    );
    check(
        WORDS,
        "title: Write",
        "title: Write\nlead: \"[Here](page:nowhere)\"",
        "dead-link content/forms/contact/en.yaml:2:",
    );
    check(
        "content/forms/contact/fr.yaml",
        "",
        "fields: {}\n",
        "unexpected-file content/forms/contact/fr.yaml",
    );
    check(
        "content/forms/other/en.yaml",
        "",
        "fields: {}\n",
        "form-declaration content/forms/other/",
    );
    check(
        "content/pages/home/en.yaml",
        "form: contact",
        "form: contcat",
        "unknown-id content/pages/home/en.yaml:6:",
    );
    check(
        "content/pages/home/en.yaml",
        "  - {kind: form, form: contact}",
        "  - {kind: form, form: contact}\n  - {kind: form, form: contact}",
        "duplicate-id content/pages/home/en.yaml:",
    );
    mistakes_in_steps();
    let site = contact();
    site.remove("content/forms/contact/es.yaml");
    let problems = site.run(&["check"]).problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem
                .starts_with("translation-missing content/forms/contact/form.yaml")),
        "{problems:?}"
    );
}

/// Reports of steps: in the declaration, in the words, and of a page with two such forms.
fn mistakes_in_steps() {
    const STEPS: &str = "steps:\n  - {title: You}\n  - {title: Topic, text: \"[Here](/)\"}\n";
    let in_steps = || {
        let site = contact();
        site.edit(FORM, "captcha", "steps: [[email], [topic]]\ncaptcha");
        for file in [WORDS, "content/forms/contact/es.yaml"] {
            site.edit(file, "fields:", &format!("{STEPS}fields:"));
        }
        site
    };
    let built = in_steps().run(&["check", "--strict"]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let check = |file: &str, from: &str, to: &str, expect: &str| {
        let site = in_steps();
        site.edit(file, from, to);
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.iter().any(|problem| problem.starts_with(expect)),
            "{to}: {problems:?}"
        );
    };
    check(
        FORM,
        ", [topic]",
        "",
        "form-declaration content/forms/contact/form.yaml:4:8",
    );
    check(
        FORM,
        "[topic]",
        "[tpoic]",
        "form-declaration content/forms/contact/form.yaml:4:19",
    );
    check(
        FORM,
        "[topic]",
        "[topic, email]",
        "form-declaration content/forms/contact/form.yaml:4:26",
    );
    check(
        WORDS,
        STEPS,
        "",
        "missing-key content/forms/contact/en.yaml",
    );
    check(
        WORDS,
        "  - {title: You}\n",
        "",
        "missing-key content/forms/contact/en.yaml:2:",
    );
    check(
        WORDS,
        "  - {title: You}\n",
        "  - {title: You}\n  - {title: More}\n",
        "unknown-id content/forms/contact/en.yaml:2:",
    );
    check(
        WORDS,
        "title: You",
        "ttile: You",
        "unknown-key content/forms/contact/en.yaml:3:",
    );
    check(
        WORDS,
        "[Here](/)",
        "[Here](page:nowhere)",
        "dead-link content/forms/contact/en.yaml:4:",
    );
    let site = in_steps();
    for file in ["form", "en", "es"] {
        let from = site.path(&format!("content/forms/contact/{file}.yaml"));
        let text = std::fs::read_to_string(from).expect("a file");
        site.write(&format!("content/forms/second/{file}.yaml"), text);
    }
    site.edit(
        "content/pages/home/en.yaml",
        "  - {kind: form, form: contact}",
        "  - {kind: form, form: contact}\n  - {kind: form, form: second, title: Again}",
    );
    let problems = site.run(&["check"]).problems();
    let expect = "form-declaration content/pages/home/en.yaml:7:";
    assert!(
        problems.iter().any(|problem| problem.starts_with(expect)),
        "{problems:?}"
    );
}

#[test]
fn an_answer_is_stored_forwarded_and_exported() {
    let receiver = webhook(|_| Reply::status(204));
    let server = served(
        &horizon(),
        &[
            ("LEADS_WEBHOOK_URL", &receiver.url),
            ("LEADS_WEBHOOK_SECRET", "0123456789abcdef"),
        ],
    );
    let privacy = hash(&server, "appointment", "es", "privacy");
    let answer = json!({
        "name": "Ana Ruiz", "clinic": "madrid", "date": "2099-01-31", "times": ["morning", "afternoon", "morning"], "insured": true,
        "insurer": "Sanitas", "email": "ana@example.com", "privacy": privacy, "_captcha": "good1",
    });
    let headers = "Accept-Language: es\r\nIdempotency-Key: 1\r\nX-Form-Signals: elapsed=9000&page=%2Fes%2Fappointment%2F&version=abc\r\n";
    let answered = post(&server, "appointment", headers, &answer);
    assert_eq!(
        answered.json(),
        json!({"success": true, "error": null, "code": null, "errors": {}})
    );
    assert_eq!(
        post(&server, "appointment", headers, &answer).status,
        200,
        "the same again"
    );
    let stored = server.stored();
    let [lead] = &stored[..] else {
        panic!("{stored:?}")
    };
    assert_eq!(
        (&lead["status"], &lead["locale"], &lead["email"]),
        (&json!("verified"), &json!("es"), &json!("ana@example.com"))
    );
    let form = &lead["form"];
    assert_eq!(
        form["answers"],
        json!({"name": "Ana Ruiz", "clinic": "madrid", "date": "2099-01-31", "times": ["morning", "afternoon"], "insured": true, "insurer": "Sanitas", "email": "ana@example.com"})
    );
    assert_eq!(
        (&form["form"], &form["page"], &form["version"]),
        (
            &json!("appointment"),
            &json!("/es/appointment/"),
            &json!("abc")
        )
    );
    assert_eq!(form["mail_to"], "madrid@horizon.example");
    assert_eq!(
        form["consents"]["privacy"],
        json!({"words": "He leído cómo usáis mis datos.", "hash": privacy})
    );
    let delivered = wait_for("the notification", || receiver.requests().pop());
    let sent: Value = serde_json::from_slice(&delivered.body).expect("JSON");
    assert_eq!(&sent["lead"]["form"], form);
    // Another form: its columns are beside those of the first.
    assert_eq!(
        post(
            &server,
            "callback",
            "",
            &json!({"phone": "+34 600 123 456"})
        )
        .status,
        200
    );
    let (_, csv, _) = server.leads(&["export", "--csv"]);
    assert!(
        csv.lines().next().is_some_and(|head| head
            .ends_with("\"appointment: Email\",\"appointment.privacy\",\"callback: Your number\"")),
        "{csv}"
    );
    let (_, one, _) = server.leads(&["export", "--form", "callback"]);
    assert!(
        one.lines().count() == 1 && one.contains("+34 600 123 456"),
        "{one}"
    );
    let report = |arguments: &[&str]| server.leads(&[&["report"], arguments].concat());
    assert_eq!(
        report(&["--by", "form,locale,page"]).1,
        "      1  appointment  es  /es/appointment/\n      1  callback  en  -\n"
    );
    assert_eq!(report(&["--since", "2999-01-01"]).1, "");
    assert_eq!(report(&["--since", "yesterday"]).0, 2);
    let (_, shown, _) = server.leads(&["show", lead["id"].as_str().expect("an id")]);
    assert!(
        shown.contains("clinic           madrid") && shown.contains("times            morning"),
        "{shown}"
    );
    assert_eq!(server.leads(&["forget", "ANA@example.com"]).0, 0);
    assert_eq!(server.stored().len(), 1);
}

#[test]
fn entries_are_offered_by_the_entry_that_they_name() {
    let site = horizon();
    let mistake = |from: &str, to: &str, expect: &str| {
        let site = horizon();
        site.edit("content/forms/appointment/form.yaml", from, to);
        let problems = site.run(&["check"]).problems();
        assert!(
            problems.iter().any(|problem| problem.starts_with(expect)),
            "{to}: {problems:?}"
        );
    };
    let line = "unknown-id content/forms/appointment/form.yaml:4:";
    mistake("{clinic: clinics}", "{clinic: places}", line);
    mistake("{clinic: clinics}", "{clinic: treatments}", line);
    // One who moves to another clinic moves in the form.
    site.edit(
        "content/team/carmen-leon.yaml",
        "clinics: [sevilla]",
        "clinics: [hamburg]",
    );
    let server = served(&site, &[]);
    let offered = &contract(&server, "appointment")["fields"][2]["choices_by"];
    assert_eq!(offered["field"], "clinic");
    assert_eq!(
        offered["choices"]["sevilla"],
        json!(["marta-gil"]),
        "{offered}"
    );
    let dentists = offered["choices"]["hamburg"].as_array().expect("dentists");
    assert!(dentists.contains(&json!("carmen-leon")), "{dentists:?}");
    let answer = |clinic: &str, key: &str| {
        let privacy = hash(&server, "appointment", "en", "privacy");
        let answer = json!({
            "name": "Ana", "clinic": clinic, "dentist": "carmen-leon", "email": "ana@example.com", "privacy": privacy,
            "_captcha": key,
        });
        post(&server, "appointment", "", &answer).json()["errors"].clone()
    };
    let wrong = answer("sevilla", "good1");
    assert!(
        wrong["dentist"].is_string() && wrong["clinic"].is_null(),
        "{wrong}"
    );
    assert_eq!(answer("hamburg", "good2"), json!({}));
}

#[test]
fn an_entry_that_no_answer_offers_is_no_choice() {
    let site = horizon();
    let has_sara = || {
        let run = site.build();
        let page = String::from_utf8(run.files()["appointment/index.html"].clone());
        page.expect("UTF-8").contains("value=\"sara-khan\"")
    };
    assert!(has_sara());
    site.edit(
        "templates/collections/team/schema.yaml",
        "list: true, required: true, meaning: Where",
        "list: true, meaning: Where",
    );
    site.edit("content/team/sara-khan.yaml", "clinics: ", "# clinics: ");
    assert!(!has_sara());
}

#[test]
fn mail_goes_to_the_place_that_the_answer_names() {
    let (server, mailbox) = served_with_mail(&horizon(), &[]);
    let privacy = hash(&server, "appointment", "en", "privacy");
    let answer = json!({"name": "Ana\r\nBcc: all@example.com", "clinic": "berlin", "email": "ana@example.com", "insured": true, "insurer": "Sanitas", "note": "a\nb", "privacy": privacy, "_captcha": "good1"});
    assert_eq!(post(&server, "appointment", "", &answer).status, 200);
    let next = || {
        mailbox
            .recv_timeout(std::time::Duration::from_secs(30))
            .expect("a mail")
    };
    // The other one goes to the visitor.
    let mail = [next(), next()]
        .into_iter()
        .find(|mail| !mail.contains("RCPT TO:<ana@"))
        .expect("a mail");
    assert!(
        mail.contains("RCPT TO:<berlin@horizon.example>") && mail.matches("RCPT TO").count() == 1,
        "{mail}"
    );
    assert!(
        mail.contains("Subject: appointment: Ana") && mail.contains("ana@example.com"),
        "{mail}"
    );
    assert!(
        mail.contains("\nClinic: Horizon Berlin\n") && mail.contains("\nAnything else?\na\nb\n"),
        "{mail}"
    );
    assert!(
        mail.contains("Sanitas") && mail.contains(": Yes\n") && !mail.contains(": true"),
        "{mail}"
    );
    assert!(
        mail.contains("\nprivacy: I have read how you use my data.\n"),
        "{mail}"
    );
    let head = mail.split("\n\n").next().expect("a head");
    assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
    // Without a place, it goes to the operator.
    assert_eq!(
        post(&server, "callback", "", &json!({"phone": "600 123 456"})).status,
        200
    );
    let mail = mailbox
        .recv_timeout(std::time::Duration::from_secs(30))
        .expect("a mail");
    assert!(
        mail.contains("RCPT TO:<office@site.example>")
            && mail.contains("\nYour number: 600 123 456\n"),
        "{mail}"
    );
}

#[test]
fn unknown_fields_are_refused_in_every_encoding() {
    let server = served(&horizon(), &[]);
    let answered = post(
        &server,
        "callback",
        "",
        &json!({"phone": "600 123 456", "clinic": "madrid"}),
    );
    assert_eq!(answered.code(), "400 bad_request");
    assert!(
        answered.json()["errors"]["clinic"].is_string(),
        "{answered:?}"
    );
    let plain = [("phone", "600 123 456"), ("clinic", "madrid")];
    assert_eq!(post_plain(&server, "callback", &plain).status, 400);
    assert_eq!(
        post_plain(
            &server,
            "callback",
            &[("phone", "600 123 456"), ("phone", "1")]
        )
        .status,
        400
    );
    let twice = "{\"phone\": \"600 123 456\", \"phone\": \"1\"}";
    let escaped = "{\"phone\": \"600 123 456\", \"ph\\u006fne\": \"600 123 456\"}";
    let tokens = "{\"phone\": \"600 123 456\", \"_captcha\": \"a\", \"_captcha\": \"b\"}";
    for body in [
        "[]",
        "{",
        "{\"phone\": {}}",
        "{\"_captcha\": 1}",
        "\"x\"",
        twice,
        escaped,
        tokens,
    ] {
        let head = "POST /api/forms/callback HTTP/1.1\r\nContent-Type: application/json\r\n";
        assert_eq!(server.send(head, body).code(), "400 bad_request", "{body}");
    }
    assert_eq!(post(&server, "calback", "", &json!({})).status, 404);
    let head = "GET /api/forms/callback HTTP/1.1\r\n";
    assert_eq!(server.send(head, "").code(), "405 method_not_allowed");
    let foreign = "Origin: https://evil.example\r\n";
    assert_eq!(
        post(
            &server,
            "callback",
            foreign,
            &json!({"phone": "600 123 456"})
        )
        .code(),
        "403 forbidden_origin"
    );
    assert_eq!(server.stored().len(), 0);
}

#[test]
fn visitors_without_script_who_send_the_same_words_are_all_stored() {
    let server = served(&horizon(), &[("TRUSTED_PROXIES", "127.0.0.1")]);
    let send = |address: &str| {
        let body = form_urlencoded(&[("phone", "600 123 456")]);
        let kind = "Content-Type: application/x-www-form-urlencoded";
        let head = format!(
            "POST /api/forms/callback HTTP/1.1\r\n{kind}\r\nX-Forwarded-For: {address}\r\n"
        );
        assert_eq!(server.send(&head, &body).status, 200, "{address}");
    };
    [
        "192.0.2.1",
        "192.0.2.2",
        "2001:db8:1:1::1",
        "2001:db8:1:2::1",
    ]
    .into_iter()
    .for_each(send);
    let repeats = || {
        let stored = server.stored();
        let repeated = |lead: &&Value| {
            lead["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains("the same text"))
        };
        (stored.len(), stored.iter().filter(repeated).count())
    };
    assert_eq!(repeats(), (4, 0));
    // A reload, or somebody else of the same house: nobody can tell, so it is kept and says so.
    ["192.0.2.1", "2001:db8:1:1::2"].into_iter().for_each(send);
    assert_eq!(repeats(), (6, 2));
    // At once, they are told apart all the same.
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(|| send("192.0.2.9")))));
    assert_eq!(repeats(), (10, 5));
}

#[test]
fn an_answer_to_a_part_that_was_not_shown_is_refused() {
    let site = contact();
    site.edit(
        FORM,
        "captcha",
        "  pupils: {type: number, shown_when: {topic: a}}\n  guests: {type: number, shown_when: {topic: b}}\ncaptcha",
    );
    for (file, words) in [
        (WORDS, "Email"),
        ("content/forms/contact/es.yaml", "Correo"),
    ] {
        let email = format!("  email: {{label: {words}}}\n");
        site.edit(
            file,
            &email,
            &format!("{email}  pupils: {{label: Pupils}}\n  guests: {{label: Guests}}\n"),
        );
    }
    let server = served(&site, &[]);
    let answer = json!({"email": "ana@example.com", "topic": "a", "pupils": 20, "guests": 90});
    let answered = post(&server, "contact", "", &answer);
    assert_eq!(answered.code(), "422 invalid_value");
    assert!(
        answered.json()["errors"]["guests"].is_string(),
        "{answered:?}"
    );
    let plain = [
        ("email", "ana@example.com"),
        ("topic", "a"),
        ("pupils", "20"),
        ("guests", "90"),
    ];
    assert_eq!(post_plain(&server, "contact", &plain).status, 422);
    assert_eq!(server.stored().len(), 0);
    // Without script every field is there, and what was typed without the other answer is not lost.
    assert_eq!(
        post(
            &server,
            "contact",
            "",
            &json!({"email": "ana@example.com", "guests": 90})
        )
        .status,
        422
    );
    assert_eq!(
        post_plain(
            &server,
            "contact",
            &[("email", "ana@example.com"), ("guests", "90")]
        )
        .status,
        200
    );
    assert_eq!(post_plain(&server, "contact", &plain[..3]).status, 200);
    let stored = server.stored();
    assert_eq!(
        stored[0]["form"]["answers"],
        json!({"email": "ana@example.com", "topic": "a", "pupils": 20})
    );
    assert_eq!(stored.len(), 2);
}

#[test]
fn all_errors_are_answered_in_the_visitors_language() {
    let server = served(&horizon(), &[]);
    let answered = post(
        &server,
        "appointment",
        "Accept-Language: de\r\n",
        &json!({"clinic": "paris", "email": "a@", "insured": true}),
    );
    assert_eq!(answered.code(), "422 required");
    let errors = answered.json()["errors"].clone();
    let names: Vec<&String> = errors.as_object().expect("errors").keys().collect();
    assert_eq!(names, ["clinic", "email", "insurer", "name", "privacy"]);
    // The form's words for a field come before those of the interface.
    let answered = post(
        &server,
        "callback",
        "Accept-Language: de\r\n",
        &json!({"phone": "1"}),
    );
    assert_eq!(
        answered.json()["errors"]["phone"],
        "Schreiben Sie die Nummer mit Landesvorwahl."
    );
    let answer = json!({"name": "A", "clinic": "berlin", "phone": "030 123 456", "privacy": hash(&server, "appointment", "en", "privacy")});
    assert_eq!(
        post(&server, "appointment", "", &answer).code(),
        "422 captcha_required"
    );
}

#[test]
fn a_form_without_script_is_answered_with_its_page() {
    let server = served(&horizon(), &UNREACHABLE_MAIL);
    let privacy = hash(&server, "appointment", "ar", "privacy");
    let plain = [
        ("_lang", "ar"),
        ("_page", "/ar/appointment/"),
        ("_website", ""),
        ("name", "<b>Ana"),
        ("clinic", "dubai"),
        ("privacy", &privacy),
    ];
    let answered = post_plain(&server, "appointment", &plain);
    assert_eq!(answered.status, 422);
    let page = &answered.body;
    for part in [
        "dir=\"rtl\"",
        "value=\"&lt;b&gt;Ana\"",
        "<option value=\"dubai\" selected>",
        "<p id=\"form-appointment-email-error\" data-error=\"email\">يرجى ملء أحد هذه الحقول.</p>",
        "<p id=\"form-callback-phone-error\" data-error=\"phone\" hidden></p>",
    ] {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    let note = "牙".repeat(5_000);
    let whole = [&plain[..], &[("email", "ana@example.com"), ("note", &note)]].concat();
    let answered = post_plain(&server, "appointment", &whole);
    assert_eq!(answered.status, 200, "{}", answered.head);
    assert!(
        answered.body.contains("<div data-done><p>وصلنا طلبك.</p>"),
        "{}",
        answered.body
    );
    let stored = server.stored();
    assert_eq!(
        (
            stored.len(),
            &stored[0]["status"],
            &stored[0]["form"]["page"]
        ),
        (1, &json!("quarantined"), &json!("/ar/appointment/"))
    );
    assert_eq!(
        stored[0]["form"]["answers"]["note"]
            .as_str()
            .map(|text| text.chars().count()),
        Some(5_000)
    );
    // A form without a captcha needs no review, and one with a page of thanks leads there.
    let letters = hash(&server, "newsletter", "es", "letters");
    let answered = post_plain(
        &server,
        "newsletter",
        &[
            ("_lang", "es"),
            ("email", "eva@example.com"),
            ("letters", &letters),
        ],
    );
    assert_eq!(answered.status, 303, "{}", answered.body);
    assert!(
        answered.head.contains("location: /es/welcome/"),
        "{}",
        answered.head
    );
    assert_eq!(server.stored()[0]["status"], "unconfirmed");
    // The trap of bots.
    assert_eq!(
        post_plain(
            &server,
            "callback",
            &[("phone", "600 123 456"), ("_website", "x")]
        )
        .status,
        200
    );
    assert_eq!(server.stored()[0]["status"], "spam");
}

#[test]
fn the_document_of_the_api_has_every_form() {
    let server = served(&horizon(), &[]);
    let document = server.send("GET /api/openapi.json HTTP/1.1\r\n", "").json();
    let paths = document["paths"].as_object().expect("paths");
    for form in ["appointment", "callback", "newsletter"] {
        assert!(paths.contains_key(&format!("/api/forms/{form}")), "{form}");
    }
    assert!(!paths.contains_key("/api/forms/{name}"));
    let schema = &document["paths"]["/api/forms/appointment"]["post"]["requestBody"]["content"]["application/json"]
        ["schema"];
    assert_eq!(schema["properties"]["clinic"]["enum"][0], "berlin");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["name", "clinic", "privacy"]));
}

#[test]
fn an_api_that_does_not_know_the_format_says_so_at_its_start() {
    let mut server = served(&horizon(), &[]);
    server.kill();
    let text = std::fs::read_to_string(server.path("leads.json")).expect("leads.json");
    assert!(
        text.contains("\"version\": 3"),
        "a file with forms has a version that older programs refuse"
    );
    write(
        &server.path("leads.json"),
        &text.replacen("\"version\": 3", "\"version\": 9", 1),
    );
    server.run();
    assert_eq!(
        post(&server, "callback", "", &json!({"phone": "600 123 456"})).status,
        503
    );
    server.wait_for_log("has format version 9, but this program reads versions 1 to 4");
    // A site without forms stays readable for programs that know none.
    let site = SiteTest::small();
    assert_eq!(site.run(&["build"]).status, 0);
    let text = std::fs::read_to_string(site.path("leads.json")).expect("leads.json");
    assert!(
        text.contains("\"version\": 1") && !text.contains("\"forms\""),
        "{text}"
    );
}

#[test]
fn editors_know_the_keys_of_forms() {
    for (kind, key) in [("form", "require_one_of"), ("form-words", "success")] {
        let output = sitegen()
            .args(["schema", kind])
            .output()
            .expect("sitegen starts");
        let schema: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(schema["properties"][key].is_object(), "{key}: {schema}");
    }
}
