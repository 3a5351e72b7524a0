//! Notifications of leads: signatures, retries, stable delivery ids.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ring::hmac;
use serde_json::{Value, json};

use crate::cms_server::Reply;
use crate::leads_server::{LeadsServer, lead, webhook};
use crate::waiting::{WAIT_MAX, wait_for};

fn shown(server: &LeadsServer) -> Value {
    let id = server.stored()[0]["id"].as_str().expect("an id").to_owned();
    let (_, stdout, _) = server.leads(&["show", &id, "--format", "json"]);
    serde_json::from_str(&stdout).expect("JSON")
}

#[test]
fn a_webhook_gets_each_lead_signed() {
    let receiver = webhook(|_| Reply::status(204));
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.post(&lead("good"));
    let request = wait_for("the notification", || receiver.requests().pop());
    let notification: Value = serde_json::from_slice(&request.body).expect("JSON");
    assert_eq!(
        (
            &notification["lead"]["name"],
            &notification["lead"]["status"]
        ),
        (&json!("Ana Ruiz"), &json!("verified"))
    );
    assert_eq!(notification["delivery"], request.headers["x-lead-delivery"]);
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"shared");
    let signed = [
        request.headers["x-lead-timestamp"].as_bytes(),
        b".",
        &request.body,
    ]
    .concat();
    let hex = request.headers["x-lead-signature"]
        .strip_prefix("sha256=")
        .expect("a signature");
    let bytes: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex"))
        .collect();
    hmac::verify(&key, &signed, &bytes).expect("a valid signature");
    wait_for("the state `done`", || {
        (shown(&server)["deliveries"][0]["state"] == "done").then_some(())
    });
    assert_eq!(receiver.requests().len(), 1);
}

#[test]
fn a_held_lead_is_delivered_when_it_is_released() {
    let receiver = webhook(|_| Reply::status(200));
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.form("", "name=Held&phone=12");
    server.post_with("X-Form-Signals: website=x\r\n", &lead("good1"));
    server.post(&lead("good2"));
    wait_for("the notification of the verified lead", || {
        (!receiver.requests().is_empty()).then_some(())
    });
    for held in server
        .stored()
        .iter()
        .filter(|lead| lead["status"] != "verified")
    {
        assert_eq!(
            server
                .leads(&["release", held["id"].as_str().expect("an id")])
                .0,
            0
        );
    }
    let delivered = || -> BTreeSet<String> {
        receiver
            .requests()
            .iter()
            .map(|request| request.headers["x-lead-delivery"].clone())
            .collect()
    };
    wait_for("the others", || (delivered().len() == 3).then_some(()));
}

#[test]
fn a_failed_delivery_is_retried() {
    let receiver = webhook(|request| Reply::status(if request.before == 0 { 500 } else { 200 }));
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.post(&lead("good"));
    let delivery = wait_for("the failed attempt", || {
        let delivery = shown(&server)["deliveries"][0].clone();
        (delivery["trouble"] == "status 500").then_some(delivery)
    });
    assert_eq!(
        (&delivery["state"], &delivery["attempts"]),
        (&json!("due"), &json!(1))
    );
    wait_for("the second attempt", || {
        (receiver.requests().len() == 2).then_some(())
    });
    let ids: Vec<String> = receiver
        .requests()
        .iter()
        .map(|request| request.headers["x-lead-delivery"].clone())
        .collect();
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn a_dead_delivery_can_be_retried() {
    let receiver = webhook(|request| Reply::status(if request.before == 0 { 500 } else { 200 }));
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.post(&lead("good"));
    wait_for("the failed attempt", || {
        (shown(&server)["deliveries"][0]["trouble"] == "status 500").then_some(())
    });
    let database = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    database
        .execute("UPDATE deliveries SET state = 'dead'", [])
        .expect("a row");
    assert_eq!(shown(&server)["deliveries"][0]["state"], "dead");
    let (_, _, stderr) = server.leads(&["retry"]);
    assert_eq!(stderr, "1 delivery will be retried\n");
    wait_for("the second attempt", || {
        (shown(&server)["deliveries"][0]["state"] == "done").then_some(())
    });
}

/// A mail server that accepts everything: its address, and the mails with the commands before them.
pub fn mail_server() -> (SocketAddr, mpsc::Receiver<String>) {
    let (mails, mailbox) = mpsc::channel();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut to = stream.try_clone().expect("a stream");
            let (mut mail, mut in_data) = (String::new(), false);
            to.write_all(b"220 test\r\n").expect("a greeting");
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                mail.push_str(&line);
                mail.push('\n');
                let answer = match (&line[..line.len().min(4)], in_data) {
                    (".", true) => {
                        in_data = false;
                        "250 taken\r\n"
                    }
                    (_, true) => continue,
                    ("DATA", false) => {
                        in_data = true;
                        "354 go on\r\n"
                    }
                    ("QUIT", false) => "221 bye\r\n",
                    _ => "250 test\r\n",
                };
                if to.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
            let _ = mails.send(mail);
        }
    });
    (address, mailbox)
}

#[test]
fn an_email_is_safe_from_header_injection() {
    let (address, mailbox) = mail_server();
    let server = LeadsServer::with(&[
        ("SMTP_URL", &format!("smtp://{address}")),
        ("LEADS_MAIL_TO", "Sales <sales@site.example>"),
        ("LEADS_MAIL_FROM", "Leads <leads@site.example>"),
    ]);
    let mut sent = lead("good");
    sent["name"] = "Ana\r\nBcc: everybody@example.com".into();
    sent["message"] = "line\n.\nBcc: all@example.com".into();
    server.post(&sent);
    let mail = mailbox
        .recv_timeout(Duration::from_secs(30))
        .expect("a mail");
    assert!(
        mail.contains("RCPT TO:<sales@site.example>") && mail.matches("RCPT TO").count() == 1,
        "{mail}"
    );
    assert!(
        mail.contains("Reply-To:") && mail.contains("ana@example.com"),
        "{mail}"
    );
    let head = mail.split("\n\n").next().expect("a head");
    assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
    wait_for("the state `done`", || {
        (shown(&server)["deliveries"][0]["state"] == "done").then_some(())
    });
}

/// A receiver that takes a request and never answers.
fn hanging() -> crate::cms_server::CmsServer {
    webhook(|_| Reply::Silence)
}

#[test]
fn a_webhook_that_hangs_delays_no_mail() {
    const LEADS: usize = 40;
    let (receiver, (address, mailbox)) = (hanging(), mail_server());
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
        ("SMTP_URL", &format!("smtp://{address}")),
        ("LEADS_MAIL_TO", "sales@site.example"),
        ("LEADS_MAIL_FROM", "leads@site.example"),
    ]);
    for number in 0..LEADS {
        assert_eq!(server.post(&lead(&format!("good{number}"))).status, 200);
    }
    // A request of the webhook is given up after ten seconds, and 16 of them are sent at a time.
    let (start, wait) = (Instant::now(), Duration::from_secs(8));
    for number in 0..LEADS {
        let left = wait.saturating_sub(start.elapsed());
        mailbox
            .recv_timeout(left)
            .unwrap_or_else(|_| panic!("{number} of {LEADS} mails"));
    }
}

#[test]
fn a_delivery_that_waits_is_retried_at_once() {
    let receiver = webhook(|request| Reply::status(if request.before == 0 { 500 } else { 200 }));
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.post(&lead("good"));
    wait_for("the failed attempt", || {
        (shown(&server)["deliveries"][0]["trouble"] == "status 500").then_some(())
    });
    // The pause has become long.
    let database = rusqlite::Connection::open(server.path("leads.sqlite3")).expect("the database");
    database
        .execute("UPDATE deliveries SET next = next + 7200000", [])
        .expect("a row");
    let queued = shown(&server)["deliveries"][0]["attempts"].clone();
    let (_, _, stderr) = server.leads(&["retry"]);
    assert_eq!(
        (stderr.as_str(), queued),
        ("1 delivery will be retried\n", json!(1))
    );
    wait_for("the second attempt", || {
        (shown(&server)["deliveries"][0]["state"] == "done").then_some(())
    });
    assert_eq!(receiver.requests().len(), 2);
}

/// What is being sent at the moment is not sent a second time beside it.
#[test]
fn a_delivery_under_way_is_not_retried() {
    let receiver = hanging();
    let server = LeadsServer::with(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
    ]);
    server.post(&lead("good"));
    wait_for("the request", || {
        (!receiver.requests().is_empty()).then_some(())
    });
    assert_eq!(server.leads(&["retry"]).2, "0 deliveries will be retried\n");
}

fn health(server: &LeadsServer) -> Value {
    server.send("GET /api/health HTTP/1.1\r\n", "").json()
}

/// A server with a build, which health needs.
fn with_build(environment: &[(&str, &str)]) -> (crate::api_site::ApiSite, LeadsServer) {
    let site = crate::api_site::ApiSite::small();
    let path = site.path();
    let bundle = ("SITE_ARTIFACT", path.to_str().expect("a path"));
    let server = LeadsServer::with(&[&[bundle], environment].concat());
    (site, server)
}

#[test]
fn a_mail_server_that_is_down_is_named_by_health_and_told_by_the_webhook() {
    let receiver = webhook(|_| Reply::status(204));
    let (_site, server) = with_build(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
        ("SMTP_URL", "smtp://127.0.0.1:1"),
        ("LEADS_MAIL_TO", "sales@site.example"),
        ("LEADS_MAIL_FROM", "leads@site.example"),
    ]);
    assert_eq!(
        (&health(&server)["status"], health(&server).get("failing")),
        (&json!("ok"), None)
    );
    server.post(&lead("good"));
    let failing = wait_for("health", || {
        Some(health(&server)).filter(|health| health["status"] != "ok")
    });
    assert_eq!(
        (&failing["status"], &failing["failing"]),
        (&json!("failing"), &json!(["mail"]))
    );
    let notices = || -> Vec<Value> {
        let bodies = receiver
            .requests()
            .into_iter()
            .map(|request| serde_json::from_slice(&request.body));
        bodies
            .map(|body| body.expect("JSON"))
            .filter(|body: &Value| body.get("notice").is_some())
            .collect()
    };
    let notice = wait_for("the notice", || notices().pop());
    assert_eq!(
        notice["notice"]["subject"],
        "The mail server isn't accepting leads"
    );
    let text = notice["notice"]["text"].as_str().expect("a text");
    assert!(
        text.contains("the connection to the mail server failed")
            && text.contains("sitegen leads retry"),
        "{text}"
    );
    assert!(
        !text.contains("Ana") && !text.contains("ana@example.com"),
        "{text}"
    );
    server.post(&lead("good2"));
    assert_eq!(server.post(&lead("good3")).status, 200);
    assert_eq!(notices().len(), 1, "one a day");
}

#[test]
fn a_webhook_that_fails_is_told_by_mail_and_health_is_well_once_it_works() {
    let is_back = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let state = std::sync::Arc::clone(&is_back);
    let ordering = std::sync::atomic::Ordering::SeqCst;
    let receiver = webhook(move |_| Reply::status(if state.load(ordering) { 200 } else { 500 }));
    let (address, mailbox) = mail_server();
    let (_site, server) = with_build(&[
        ("LEADS_WEBHOOK_URL", &receiver.url),
        ("LEADS_WEBHOOK_SECRET", "shared"),
        ("SMTP_URL", &format!("smtp://{address}")),
        ("LEADS_MAIL_TO", "sales@site.example"),
        ("LEADS_MAIL_FROM", "leads@site.example"),
    ]);
    server.post(&lead("good"));
    let wait = || mailbox.recv_timeout(WAIT_MAX).expect("a mail");
    assert!(wait().contains("Subject: Support: Ana Ruiz"));
    let notice = wait();
    assert!(
        notice.contains("Subject: The webhook for all forms isn't accepting leads"),
        "{notice}"
    );
    assert!(notice.contains("status 500"), "{notice}");
    assert_eq!(health(&server)["failing"], json!(["webhook"]));
    is_back.store(true, ordering);
    assert_eq!(server.leads(&["retry"]).2, "1 delivery will be retried\n");
    wait_for("health", || {
        (health(&server)["status"] == "ok").then_some(())
    });
}
