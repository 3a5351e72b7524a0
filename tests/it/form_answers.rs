//! The life of an answer once it is stored: how long it is kept, the email to the visitor, the webhook of its form.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cms_server::Reply;
use crate::leads_server::{LeadsServer, webhook, write};
use crate::site_forms::{UNREACHABLE_MAIL, contact, hash, horizon, post, served, served_with_mail};
use crate::site_test::SiteTest;
use crate::waiting::wait_for;

const FORM: &str = "content/forms/contact/form.yaml";
const WORDS: &str = "content/forms/contact/en.yaml";
const SPANISH: &str = "content/forms/contact/es.yaml";
const MAIL_WAIT: Duration = Duration::from_secs(30);

/// Changes `leads.json` of a server.
fn edit_site(server: &LeadsServer, edit: impl FnOnce(&mut Value)) {
    let text = std::fs::read_to_string(server.path("leads.json")).expect("leads.json");
    let mut site: Value = serde_json::from_str(&text).expect("JSON");
    edit(&mut site);
    write(&server.path("leads.json"), &site.to_string());
}

/// The mail of a server without the breaks of long lines.
fn mail_of(mailbox: &std::sync::mpsc::Receiver<String>) -> String {
    mailbox
        .recv_timeout(MAIL_WAIT)
        .expect("a mail")
        .replace("=\n", "")
        .replace("=3D", "=")
}

#[test]
fn answers_are_kept_as_long_as_their_form_says() {
    let mut server = served(&horizon(), &UNREACHABLE_MAIL);
    edit_site(&server, |site| {
        site["rules"]["keep_days"] = json!(100);
        let forms = site["forms"].as_array_mut().expect("forms");
        let days = |name: &str| match name {
            "callback" => json!(10),
            "newsletter" => json!(1000),
            _ => Value::Null,
        };
        for form in forms {
            form["confirm_days"] = Value::Null;
            form["keep_days"] = days(form["name"].as_str().unwrap_or_default());
        }
    });
    let letters = hash(&server, "newsletter", "en", "letters");
    for number in 0..2 {
        let phone = format!("+34 600 000 00{number}");
        assert_eq!(
            post(&server, "callback", "", &json!({"phone": phone})).status,
            200
        );
        let email = format!("ana{number}@example.com");
        assert_eq!(
            post(
                &server,
                "newsletter",
                "",
                &json!({"email": email, "letters": letters})
            )
            .status,
            200
        );
    }
    assert_eq!(server.post(&crate::leads_server::lead("good1")).status, 200);
    let count = || {
        let (status, _, stderr) = server.leads(&["expire"]);
        assert_eq!(status, 0, "{stderr}");
        stderr
    };
    assert_eq!(count(), "0 of 5 leads have expired; `--yes` deletes them\n");
    // One answer to each form, and a lead, are 50 days old; another answer is 150 days old.
    let store = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    let age = |days: i64, condition: &str| {
        let sql = format!("UPDATE leads SET at = at - {days} * 86400000 WHERE {condition}");
        assert_eq!(store.execute(&sql, []).expect("a row"), 1, "{condition}");
    };
    age(50, "contents LIKE '%000 000%'");
    age(50, "email = 'ana0@example.com'");
    age(50, "email = 'ana@example.com'");
    age(150, "email = 'ana1@example.com'");
    drop(store);
    assert_eq!(count(), "1 of 5 leads has expired; `--yes` deletes it\n");
    // The API deletes it as well.
    server.kill();
    server.run();
    server.wait_for_log("\"leads_deleted\",\"count\":1");
    let left: Vec<Value> = server
        .stored()
        .iter()
        .map(|lead| lead["form"]["form"].clone())
        .collect();
    assert_eq!(
        left.iter().filter(|form| **form == "callback").count(),
        1,
        "{left:?}"
    );
    assert_eq!(left.len(), 4);
}

#[test]
fn a_visitor_is_answered_in_their_language() {
    let (server, mailbox) = served_with_mail(&horizon(), &[]);
    let answer = |name: &str, token: &str| {
        json!({
            "name": name, "clinic": "berlin", "treatment": "implants", "date": "2099-01-31", "times": ["morning", "afternoon"],
            "email": "visitor@example.com", "note": "a note", "privacy": hash(&server, "appointment", "en", "privacy"),
            "_captcha": token,
        })
    };
    assert_eq!(
        post(&server, "appointment", "", &answer("Ana <b>Ruiz", "good1")).status,
        200
    );
    let mut mails = [mail_of(&mailbox), mail_of(&mailbox)];
    mails.sort_by_key(|mail| mail.contains("RCPT TO:<visitor@example.com>"));
    let [office, visitor] = mails;
    assert!(
        office.contains("RCPT TO:<berlin@horizon.example>"),
        "{office}"
    );
    // The office reads the labels of the form, in the language of the visitor.
    assert!(
        office.contains("\nDay: 2099-01-31\n") && !office.contains("\ndate: "),
        "{office}"
    );
    assert!(visitor.matches("RCPT TO").count() == 1, "{visitor}");
    for part in [
        "From: Forms <forms@site.example>",
        "Reply-To: berlin@horizon.example",
        "Auto-Submitted: auto-replied",
        "Content-Type: multipart/alternative",
        "- Time: In the morning, In the afternoon",
        "All clinics (https://",
        "<li>Day: January 31, 2099</li>",
    ] {
        assert!(visitor.contains(part), "`{part}` is not in {visitor}");
    }
    assert!(
        !visitor.contains("a note") && !visitor.contains("<b>Ruiz"),
        "{visitor}"
    );
    // Spanish, with a name that is a message.
    let spanish = answer("Win at evil.example", "good2");
    assert_eq!(
        post(&server, "appointment", "Accept-Language: es\r\n", &spanish).status,
        200
    );
    let mails = [mail_of(&mailbox), mail_of(&mailbox)];
    let visitor = mails
        .iter()
        .find(|mail| mail.contains("RCPT TO:<visitor@"))
        .expect("a mail");
    assert!(
        visitor.contains("Todas las cl") && !visitor.contains("evil"),
        "{visitor}"
    );
    // An address gets five mails a day; what is stored is stored.
    for number in 3..9 {
        assert_eq!(
            post(
                &server,
                "appointment",
                "",
                &answer("Ana", &format!("good{number}"))
            )
            .status,
            200
        );
    }
    let mut to_visitor = 2;
    for _ in 0..9 {
        to_visitor += usize::from(mail_of(&mailbox).contains("RCPT TO:<visitor@example.com>"));
    }
    assert_eq!((to_visitor, server.stored().len()), (5, 8));
    // A lead that is held back is answered once it is released.
    let trap = "X-Form-Signals: website=x\r\n";
    let mut held = answer("Eva", "good9");
    held["email"] = "eva@example.com".into();
    assert_eq!(post(&server, "appointment", trap, &held).status, 200);
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(server.leads(&["release", &id]).0, 0);
    let mails = [mail_of(&mailbox), mail_of(&mailbox)];
    assert!(
        mails
            .iter()
            .any(|mail| mail.contains("RCPT TO:<eva@example.com>")),
        "{mails:?}"
    );
    let (_, shown, _) = server.leads(&["show", &id]);
    assert!(shown.contains("\nanswer "), "{shown}");
}

/// The first text of a form may be the name of a school.
#[test]
fn an_office_replies_to_the_person_who_wrote() {
    const FIELDS: &str =
        "fields:\n  school: {type: text}\n  GUIDE  email: {type: email, required: true}\n";
    const LABELS: &str =
        "title: Write\nfields:\n  school: {label: School}\n  WORDS  email: {label: Email}\n";
    for (fields, answer, expect) in [
        (
            "guide: {type: text, autocomplete: name}",
            json!({"guide": "Ana Ruiz"}),
            "Reply-To: \"Ana Ruiz\" <ana@example.com>",
        ),
        (
            "first: {type: text, autocomplete: given-name}\n  last: {type: text, autocomplete: family-name}",
            json!({"first": "Ana", "last": "Ruiz"}),
            "Reply-To: \"Ana Ruiz\" <ana@example.com>",
        ),
        (
            "guide: {type: text}",
            json!({"guide": "Ana Ruiz"}),
            "Reply-To: ana@example.com",
        ),
    ] {
        let names = fields
            .lines()
            .filter_map(|line| line.trim().split(':').next());
        let labels: Vec<String> = names
            .map(|name| format!("{name}: {{label: The {name}}}"))
            .collect();
        let labels = labels.join("\n  ") + "\n";
        let site = contact()
            .file(FORM, FIELDS.replace("GUIDE", &format!("{fields}\n")))
            .file(WORDS, LABELS.replace("WORDS", &labels))
            .file(SPANISH, LABELS.replace("WORDS", &labels));
        site.edit(FORM, "fields:", "captcha: false\nfields:");
        let (server, mailbox) = served_with_mail(&site, &[]);
        let mut answer = answer;
        answer["school"] = "Nogal School".into();
        answer["email"] = "ana@example.com".into();
        assert_eq!(post(&server, "contact", "", &answer).status, 200);
        let mail = mail_of(&mailbox);
        assert!(
            mail.contains(&format!("{expect}\n")),
            "`{expect}` is not in {mail}"
        );
        assert!(mail.contains("\nSchool: Nogal School\n"), "{mail}");
    }
}

/// Each of forty answers at once would find none before it, if they were counted before they are stored.
#[test]
fn answers_at_once_send_no_more_mails_than_one_after_the_other() {
    let (server, mailbox) = served_with_mail(
        &horizon(),
        &[("LEADS_PER_MINUTE", "0"), ("LEADS_PER_MINUTE_TOTAL", "0")],
    );
    let privacy = hash(&server, "appointment", "en", "privacy");
    std::thread::scope(|scope| {
        for number in 0..40 {
            let (server, privacy) = (&server, &privacy);
            scope.spawn(move || {
                let email = if number % 2 == 0 { "visitor@example.com" } else { "Visitor@Example.COM" };
                let answer = json!({
                    "name": format!("Ana {number}"), "clinic": "berlin", "treatment": "implants", "date": "2099-01-31",
                    "times": ["morning"], "email": email, "privacy": privacy, "_captcha": format!("good{number}"),
                });
                assert_eq!(post(server, "appointment", "", &answer).status, 200);
            });
        }
    });
    assert_eq!(server.stored().len(), 40);
    let mut to_visitor = 0;
    // Each answer has one mail to the office.
    for _ in 0..45 {
        to_visitor += usize::from(
            mail_of(&mailbox)
                .to_lowercase()
                .contains("rcpt to:<visitor@example.com>"),
        );
    }
    assert_eq!(to_visitor, 5);
    let store = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    let sql = "SELECT count(*) FROM deliveries WHERE channel = 'answer'";
    assert_eq!(
        store
            .query_row(sql, [], |row| row.get::<_, u32>(0))
            .expect("a count"),
        5
    );
}

#[test]
fn the_words_of_a_mail_are_checked_at_their_line() {
    let mailed = || {
        let site = contact();
        site.edit(
            FORM,
            "captcha: false",
            "captcha: false\ndeliver: {answer: true}",
        );
        for file in [WORDS, SPANISH] {
            let text = std::fs::read_to_string(site.path(file)).expect("a file");
            site.write(
                file,
                format!("{text}answer: {{subject: \"About {{topic}}\", text: \"We have it, {{email}}.\"}}\n"),
            );
        }
        site
    };
    let run = mailed().run(&["check", "--strict"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let check = |file: &str, from: &str, to: &str, expect: &str| {
        let site = mailed();
        site.edit(file, from, to);
        let run = site.run(&["check"]);
        assert!(
            run.problems()
                .iter()
                .any(|problem| problem.starts_with(expect)),
            "{to}: {:?}",
            run.problems()
        );
        run.stderr
    };
    let words = check(
        WORDS,
        "{email}.",
        "{emial}.",
        "unknown-placeholder content/forms/contact/en.yaml:5:",
    );
    assert!(words.contains("did you mean `email`?"), "{words}");
    check(
        WORDS,
        "About {topic}",
        "About {tpoic}",
        "unknown-placeholder content/forms/contact/en.yaml:5:",
    );
    check(
        WORDS,
        "We have it",
        "[We](page:nowhere) have it",
        "dead-link content/forms/contact/en.yaml:5:",
    );
    check(
        WORDS,
        "answer: {subject",
        "confirm: {subject",
        "missing-key content/forms/contact/en.yaml",
    );
    check(
        FORM,
        "topic: {type: choice, choices: [a, b]}",
        "topic: {type: text, lines: 3}",
        "unknown-placeholder content/forms/contact/en.yaml:5:",
    );
    check(
        FORM,
        "deliver: {answer: true}",
        "deliver: {answer: false}",
        "form-declaration content/forms/contact/en.yaml:5:",
    );
    check(
        FORM,
        "email: {type: email",
        "email: {type: text",
        "form-declaration content/forms/contact/form.yaml:5:",
    );
    check(
        FORM,
        "deliver: {answer: true}",
        "keep_days: 0",
        "form-declaration content/forms/contact/form.yaml:5:12",
    );
    check(
        FORM,
        "answer: true",
        "webhook: My CRM",
        "form-declaration content/forms/contact/form.yaml:5:20",
    );
}

/// A site whose form is delivered to a webhook of its own.
fn to_crm() -> SiteTest {
    let site = contact();
    site.edit(
        FORM,
        "captcha: false",
        "captcha: false\ndeliver: {webhook: crm}",
    );
    site
}

#[test]
fn a_form_is_delivered_to_the_webhook_that_it_names() {
    let (crm, others) = (
        webhook(|_| Reply::status(204)),
        webhook(|_| Reply::status(204)),
    );
    let server = served(
        &to_crm(),
        &[
            ("LEADS_WEBHOOK_URL", &others.url),
            ("LEADS_WEBHOOK_SECRET", "shared"),
            ("LEADS_WEBHOOKS", "crm"),
            ("LEADS_WEBHOOK_CRM_URL", &crm.url),
            ("LEADS_WEBHOOK_CRM_SECRET", "of crm"),
        ],
    );
    assert_eq!(
        post(&server, "contact", "", &json!({"email": "ana@example.com"})).status,
        200
    );
    assert_eq!(server.post(&crate::leads_server::lead("good1")).status, 200);
    let sent = wait_for("the answer", || crm.requests().pop());
    let sent_body: Value = serde_json::from_slice(&sent.body).expect("JSON");
    assert_eq!(sent_body["lead"]["form"]["form"], "contact");
    assert!(sent.headers.contains_key("x-lead-signature"));
    wait_for("the lead", || others.requests().pop());
    assert_eq!((crm.requests().len(), others.requests().len()), (1, 1));
    let text = std::fs::read_to_string(server.path("leads.json")).expect("leads.json");
    assert!(
        !text.contains(&crm.url) && text.contains("\"version\": 3"),
        "{text}"
    );
}

#[test]
fn an_answer_for_a_webhook_that_the_api_does_not_know_waits_for_it() {
    let crm = webhook(|_| Reply::status(204));
    let mut server = served(&to_crm(), &[]);
    assert_eq!(
        post(&server, "contact", "", &json!({"email": "ana@example.com"})).status,
        200
    );
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    let shown = |server: &LeadsServer| server.leads(&["show", &id]).1;
    wait_for("the failed attempt", || {
        shown(&server)
            .contains("the webhook `crm` is not in `LEADS_WEBHOOKS`")
            .then_some(())
    });
    server.kill();
    server.set("LEADS_WEBHOOKS", "crm");
    server.set("LEADS_WEBHOOK_CRM_URL", &crm.url);
    server.run();
    wait_for("the answer", || crm.requests().pop());
    wait_for("the state", || {
        shown(&server).contains("delivered").then_some(())
    });
    server.kill();
    // An operator hears of it when the API starts.
    server.set("LEADS_WEBHOOKS", "");
    server.run();
    let words =
        "the form `contact` is delivered to the webhook `crm`, which is not in `LEADS_WEBHOOKS`";
    server.wait_for_log(words);
}

#[test]
fn a_receiver_that_is_gone_loses_nothing_and_the_operator_hears_of_it() {
    let gone = webhook(|_| Reply::status(410));
    let server = served(
        &to_crm(),
        &[
            ("LEADS_WEBHOOKS", "crm"),
            ("LEADS_WEBHOOK_CRM_URL", &gone.url),
        ],
    );
    let answered = post(&server, "contact", "", &json!({"email": "ana@example.com"}));
    assert_eq!(answered.json()["success"], true);
    server.wait_for_log("\"why\":\"status 410\"");
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    let (_, shown, _) = server.leads(&["show", &id]);
    assert!(
        shown.contains("webhook") && shown.contains("status 410"),
        "{shown}"
    );
    assert!(
        !server.log().contains(&gone.url) && !server.log().contains("ana@example.com"),
        "{}",
        server.log()
    );
}

/// Each webhook has a queue of its own.
#[test]
fn a_webhook_of_one_form_that_hangs_delays_no_other() {
    let (hanging, working) = (webhook(|_| Reply::Silence), webhook(|_| Reply::status(200)));
    let server = served(
        &to_crm(),
        &[
            ("LEADS_WEBHOOKS", "crm"),
            ("LEADS_WEBHOOK_CRM_URL", &hanging.url),
            ("LEADS_WEBHOOK_URL", &working.url),
            ("LEADS_WEBHOOK_SECRET", "shared"),
        ],
    );
    for number in 0..40 {
        let answer = json!({"email": format!("ana{number}@example.com")});
        assert_eq!(post(&server, "contact", "", &answer).status, 200);
    }
    wait_for("requests to the one that hangs", || {
        (hanging.requests().len() >= 16).then_some(())
    });
    let start = std::time::Instant::now();
    assert_eq!(server.post(&crate::leads_server::lead("good")).status, 200);
    wait_for("the other webhook", || {
        (working.requests().len() == 1).then_some(())
    });
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}

/// A mail server that answers one command with an error.
fn failing_mail_server(command: &'static str, answer: &'static str) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut to = stream.try_clone().expect("a stream");
            let mut in_data = false;
            let mut say = |text: &str| to.write_all(format!("{text}\r\n").as_bytes()).is_ok();
            let mut goes_on = say("220 test");
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if !goes_on {
                    break;
                }
                let words = match (&line[..line.len().min(4)], in_data) {
                    (".", true) => {
                        in_data = false;
                        if command == "." { answer } else { "250 taken" }
                    }
                    (_, true) => continue,
                    (known, false) if known == command => answer,
                    ("DATA", false) => {
                        in_data = true;
                        "354 go on"
                    }
                    _ => "250 test",
                };
                goes_on = say(words);
            }
        }
    });
    address
}

#[test]
fn a_mail_server_that_refuses_or_fails_at_the_end_loses_no_answer() {
    for (command, answer, expect) in [
        (
            "RCPT",
            "550 no such address",
            "the mail server responded with 550",
        ),
        (
            ".",
            "451 try again later",
            "the mail server responded with 451",
        ),
        ("MAIL", "421 closing", "the mail server responded with 421"),
    ] {
        let smtp = format!("smtp://{}", failing_mail_server(command, answer));
        let mail = [
            ("SMTP_URL", &*smtp),
            ("LEADS_MAIL_TO", "o@site.example"),
            ("LEADS_MAIL_FROM", "f@site.example"),
        ];
        let server = served(&horizon(), &mail);
        let privacy = hash(&server, "appointment", "en", "privacy");
        let sent = json!({"name": "Ana", "clinic": "berlin", "email": "ana@example.com", "privacy": privacy, "_captcha": "good1"});
        assert_eq!(
            post(&server, "appointment", "", &sent).status,
            200,
            "the answer is stored"
        );
        let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
        wait_for("both failures", || {
            let (_, shown, _) = server.leads(&["show", &id]);
            (shown.matches(expect).count() == 2).then_some(())
        });
    }
}

#[test]
fn a_form_that_nobody_can_see_yet_is_not_answered() {
    let is_public = |dates: &str| {
        let site = contact();
        for (locale, fields) in [
            ("en", "form: contact"),
            ("es", "form: contact, title: Escribe"),
        ] {
            let file = format!("content/pages/home/{locale}.yaml");
            site.edit(&file, &format!("{fields}}}"), &format!("{fields}{dates}}}"));
        }
        let run = site.build();
        assert_eq!(run.status, 0, "{}", run.stderr);
        let leads = std::fs::read_to_string(site.path("leads.json")).expect("leads.json");
        leads.contains("\"contact\"")
    };
    assert!(is_public(""));
    assert!(!is_public(", publish_at: 2099-01-01"));
    // Earlier answers wait for their mails and their end.
    assert!(is_public(", expires_at: 2001-01-01"));
}
