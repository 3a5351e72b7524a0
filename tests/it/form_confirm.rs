//! Answers that a visitor has to confirm by mail before they are forwarded.

use serde_json::json;

use crate::cms_server::Reply;
use crate::leads_outbox::mail_server;
use crate::leads_server::{HttpResponse, LeadsServer, webhook};
use crate::site_forms::{contact, hash, horizon, post, served, served_with_mail};
use crate::waiting::wait_for;

const MAIL_WAIT: std::time::Duration = std::time::Duration::from_secs(30);

/// The path of the link in a mail whose long lines are broken as mails break them.
fn link(mail: &str) -> String {
    let text = mail.replace("=\n", "").replace("=3D", "=");
    let from = text.find("/api/forms/").expect("a link");
    text[from..]
        .chars()
        .take_while(|c| !c.is_whitespace() && *c != '"')
        .collect()
}

/// The link with another last digit, whatever the last one is.
fn other_end(link: &str) -> String {
    let (start, last) = link.split_at(link.len() - 1);
    format!("{start}{}", if last == "0" { "1" } else { "0" })
}

fn open(server: &LeadsServer, method: &str, path: &str) -> HttpResponse {
    server.send(&format!("{method} {path} HTTP/1.1\r\n"), "")
}

#[test]
fn an_address_gets_letters_only_after_its_owner_has_pressed_the_button() {
    let receiver = webhook(|_| Reply::status(204));
    let receives = [
        ("LEADS_WEBHOOK_URL", &*receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ];
    let (server, mailbox) = served_with_mail(&horizon(), &receives);
    let letters = hash(&server, "newsletter", "es", "letters");
    let answer = json!({"email": "eva@example.com", "letters": letters});
    assert_eq!(
        post(&server, "newsletter", "Accept-Language: es\r\n", &answer).status,
        200
    );
    let mail = mailbox
        .recv_timeout(MAIL_WAIT)
        .expect("a mail")
        .replace("=\n", "");
    assert!(
        mail.contains("RCPT TO:<eva@example.com>") && mail.contains("quiero las cartas"),
        "{mail}"
    );
    let status = || {
        server.stored()[0]["status"]
            .as_str()
            .expect("a status")
            .to_owned()
    };
    assert_eq!(status(), "unconfirmed");
    // A program that scans the mail opens the link, in both ways.
    let link = link(&mail);
    let page = open(&server, "GET", &link);
    assert!(
        page.status == 200 && page.body.contains("<form method=\"post\"><button>S"),
        "{page:?}"
    );
    assert!(
        page.head.contains("noindex") && page.body.contains("<html lang=\"es\" dir=\"ltr\">"),
        "{page:?}"
    );
    assert_eq!(open(&server, "HEAD", &link).status, 200);
    assert_eq!(
        (status(), receiver.requests().len()),
        ("unconfirmed".to_owned(), 0)
    );
    // Links that somebody has made up, for this lead and for another form.
    let forged = [
        link.replacen("mark=", "mark=00", 1),
        other_end(&link),
        link.replace("newsletter", "callback"),
    ];
    for forged in &forged {
        assert!(open(&server, "POST", forged).status >= 400, "{forged}");
    }
    assert_eq!(status(), "unconfirmed");
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        server.leads(&["release", &id]).0,
        2,
        "an operator cannot confirm for somebody else"
    );
    // The button, twice.
    for _ in 0..2 {
        let page = open(&server, "POST", &link);
        assert!(
            page.status == 200 && page.body.contains("Gracias."),
            "{page:?}"
        );
    }
    assert_eq!(status(), "confirmed");
    let mail = mailbox.recv_timeout(MAIL_WAIT).expect("a mail");
    assert!(mail.contains("RCPT TO:<letters@horizon.example>"), "{mail}");
    let sent = wait_for("the notification", || receiver.requests().pop());
    let sent: serde_json::Value = serde_json::from_slice(&sent.body).expect("JSON");
    assert_eq!(sent["lead"]["status"], "confirmed");
    assert!(open(&server, "GET", &link).body.contains("Gracias."));
    assert_eq!(receiver.requests().len(), 1);
}

#[test]
fn mail_to_a_unicode_domain_is_sent_in_ascii() {
    let (server, mailbox) = served_with_mail(&horizon(), &[]);
    let letters = hash(&server, "newsletter", "en", "letters");
    // Characters that nobody sees in an address, and that are copied along with it.
    let answer =
        json!({"email": "eva\u{200b}@m\u{fc}n\u{ad}chen.example\u{2060}", "letters": letters});
    assert_eq!(post(&server, "newsletter", "", &answer).status, 200);
    let mail = mailbox.recv_timeout(MAIL_WAIT).expect("a mail");
    assert!(
        mail.contains("RCPT TO:<eva@xn--mnchen-3ya.example>\n"),
        "{mail}"
    );
    assert!(mail.is_ascii(), "{mail}");
    assert_eq!(server.stored()[0]["email"], "eva@münchen.example");
    assert_eq!(open(&server, "POST", &link(&mail)).status, 200);
    let notice = mailbox.recv_timeout(MAIL_WAIT).expect("a mail");
    let head = notice.split("\n\n").next().expect("a head");
    assert!(
        head.contains("Reply-To: eva@xn--mnchen-3ya.example") && head.is_ascii(),
        "{notice}"
    );
    for domain in ["xn--a.example", "1.2.3.4", "[::1]", "a_b\u{fffd}.example"] {
        let answer = json!({"email": format!("eva@{domain}"), "letters": letters});
        assert_eq!(
            post(&server, "newsletter", "", &answer).code(),
            "422 invalid_email",
            "{domain}"
        );
    }
}

#[test]
fn what_is_not_confirmed_in_time_is_deleted_and_its_link_is_too_old() {
    let (address, mailbox) = mail_server();
    let smtp = format!("smtp://{address}");
    let mail = [
        ("SMTP_URL", &*smtp),
        ("LEADS_MAIL_TO", "o@site.example"),
        ("LEADS_MAIL_FROM", "f@site.example"),
    ];
    let mut server = served(&horizon(), &mail);
    let letters = hash(&server, "newsletter", "en", "letters");
    assert_eq!(
        post(
            &server,
            "newsletter",
            "",
            &json!({"email": "eva@example.com", "letters": letters})
        )
        .status,
        200
    );
    let link = link(&mailbox.recv_timeout(MAIL_WAIT).expect("a mail"));
    let store = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    store
        .execute("UPDATE leads SET at = at - 8 * 86400000", [])
        .expect("a row");
    drop(store);
    let page = open(&server, "POST", &link);
    assert!(
        page.status == 410 && page.body.contains("This link is too old."),
        "{page:?}"
    );
    server.kill();
    server.run();
    server.wait_for_log("\"leads_deleted\",\"count\":1");
    assert_eq!(
        (server.stored().len(), open(&server, "GET", &link).status),
        (0, 410)
    );
}

#[test]
fn an_api_that_cannot_send_mail_says_so_and_takes_nothing() {
    let mut server = served(&horizon(), &[]);
    let letters = hash(&server, "newsletter", "en", "letters");
    let answer = json!({"email": "eva@example.com", "letters": letters});
    assert_eq!(
        post(&server, "newsletter", "", &answer).code(),
        "503 unavailable"
    );
    assert_eq!(server.stored().len(), 0);
    server.kill();
    server.run();
    server.wait_for_log("asks for a confirmation by email, but `SMTP_URL` is not set");
    // A form that could never be confirmed is an error at its line.
    let site = contact();
    site.edit(
        "content/forms/contact/form.yaml",
        "email, required: true",
        "email",
    );
    site.edit(
        "content/forms/contact/form.yaml",
        "captcha: false",
        "captcha: false\nconfirm: true",
    );
    let problems = site.run(&["check"]).problems();
    let expect = "form-declaration content/forms/contact/form.yaml:5:10";
    assert!(
        problems.iter().any(|problem| problem.starts_with(expect)),
        "{problems:?}"
    );
}

#[test]
fn a_confirmation_that_nobody_would_be_asked_for_is_refused() {
    let (server, _mailbox) = served_with_mail(&horizon(), &[]);
    let letters = hash(&server, "newsletter", "en", "letters");
    let answer = json!({"email": "eva@example.com", "letters": letters});
    let statuses: Vec<u16> = (0..6)
        .map(|number| {
            let key = format!("Idempotency-Key: {number:032}\r\n");
            post(&server, "newsletter", &key, &answer).status
        })
        .collect();
    // An address gets five mails a day. The sixth answer could not be confirmed, and would be lost in silence.
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    assert_eq!(server.stored().len(), 5);
    // All spellings of a domain are one.
    let statuses: Vec<u16> = [
        "ｏne.example",
        "oｎe.example",
        "onｅ.example",
        "ⓞne.example",
        "ONE.example",
        "o𝐧e.example",
    ]
    .iter()
    .map(|domain| {
        let answer = json!({"email": format!("eva@{domain}"), "letters": letters});
        post(&server, "newsletter", "", &answer).status
    })
    .collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    assert_eq!(
        post(
            &server,
            "newsletter",
            "",
            &json!({"email": "eva@one.example", "letters": letters})
        )
        .status,
        429
    );
    let other = json!({"email": "ana@example.com", "letters": letters});
    assert_eq!(post(&server, "newsletter", "", &other).status, 200);
}
