//! Notifications by email. `Reply-To` is the visitor's address.

use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Mailboxes, MessageBuilder};
use lettre::transport::smtp;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};

use api_types::forms::{Form, MailWords};

use crate::clock;

use super::address::{in_ascii, mailboxes, visitor};
use super::answer;
use super::preset::Failure;
use super::subject::{ENCODED_WORD, subject};

use super::super::contents::VisitsConsent;
use super::super::lead::{Delivery, Lead};
use super::super::settings::{MailSettings, environment};
use super::super::visit::Visit;

/// Timeout of an SMTP command, in seconds.
const SMTP_TIMEOUT: Duration = Duration::from_secs(12);

/// The trouble with a recipient to whom no email can be written.
const NOT_COMPOSED: &str = "the email could not be composed";
/// Why a server sends nothing to some visitors. Another attempt would end in the same way.
const NO_UTF8: &str =
    "the mail server supports only ASCII letters before the @ of an email address";

/// An SMTP client.
#[derive(Debug, Clone)]
pub(super) struct Mail {
    from: Mailbox,
    to: Mailboxes,
    server: AsyncSmtpTransport<Tokio1Executor>,
}

impl Mail {
    /// Creates a client. The error names the environment variable and the expected format, without the server's
    /// password.
    pub(super) fn new(settings: &MailSettings) -> Result<Mail, String> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let address = |name: &str| {
            format!("{name}: write an email address such as `Leads <leads@example.com>`")
        };
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(&settings.server).map_err(|_| {
            format!(
                "{}: write a URL such as `smtps://user:password@mail.example.com` or `smtp://host:587?tls=required`",
                environment::SMTP_URL
            )
        })?;
        Ok(Mail {
            from: settings
                .from
                .parse()
                .map(in_ascii)
                .map_err(|_| address(environment::LEADS_MAIL_FROM))?,
            to: mailboxes(&settings.to).ok_or_else(|| address(environment::LEADS_MAIL_TO))?,
            server: server.timeout(Some(SMTP_TIMEOUT)).build(),
        })
    }

    /// Sends a lead. `form` is its form, if the site still has it; `zone` is the site's time zone, empty for UTC.
    pub(super) async fn send(
        &self,
        delivery: &Delivery,
        lead: &Lead,
        form: Option<&Form>,
        zone: &str,
    ) -> Result<(), String> {
        self.hand_over(self.message(delivery, lead, form, zone))
            .await
    }

    /// Sends a mail of the site to the visitor.
    pub(super) async fn answer(
        &self,
        delivery: &Delivery,
        lead: &Lead,
        mail: (&Form, &MailWords),
    ) -> Result<(), Failure> {
        let message = answer::message(&self.from, delivery, lead, mail.0, mail.1);
        self.hand_over(message).await.map_err(|why| {
            if why == NO_UTF8 || why == NOT_COMPOSED {
                Failure::Unfit(why)
            } else {
                Failure::Temporary(why)
            }
        })
    }

    /// Sends a message to the operator.
    pub(super) async fn tell(&self, about: &str, text: &str) -> Result<(), String> {
        let builder = Message::builder().from(self.from.clone());
        let builder = builder
            .mailbox(lettre::message::header::To::from(self.to.clone()))
            .raw_header(subject(about));
        self.hand_over(
            builder
                .header(ContentType::TEXT_PLAIN)
                .body(text.to_owned()),
        )
        .await
    }

    async fn hand_over(
        &self,
        message: Result<Message, lettre::error::Error>,
    ) -> Result<(), String> {
        let message = message.map_err(|_| NOT_COMPOSED)?;
        match self.server.send(message).await {
            Ok(_) => Ok(()),
            Err(error) => Err(trouble(&error)),
        }
    }

    fn message(
        &self,
        delivery: &Delivery,
        lead: &Lead,
        form: Option<&Form>,
        zone: &str,
    ) -> Result<Message, lettre::error::Error> {
        let contents = &lead.contents;
        let topic = contents.topic();
        // The build has checked the address; without one, the mail goes where the others go.
        let of_form = contents
            .mail_to
            .as_ref()
            .and_then(|address| mailboxes(address));
        let to = of_form.unwrap_or_else(|| self.to.clone());
        let mut builder: MessageBuilder = Message::builder()
            .from(self.from.clone())
            .mailbox(lettre::message::header::To::from(to))
            .message_id(Some(format!(
                "<{}@{}>",
                delivery.id,
                self.from.email.domain()
            )))
            .raw_header(subject(
                format!("{topic}: {}", contents.name)
                    .trim_start_matches(": ")
                    .trim_end_matches(": "),
            ));
        // An invalid visitor address must not prevent the notification, and neither must one that only some servers take: it
        // is in the text.
        if let Some(address) = visitor(lead).filter(|address| address.user().is_ascii()) {
            // The first text of a form that names no person may be anything.
            let is_person =
                contents.form.is_empty() || form.is_some_and(|form| !form.person.is_empty());
            let name = Some(contents.name.clone())
                .filter(|name| !name.is_empty() && !name.contains(ENCODED_WORD));
            let name = name.filter(|_| is_person);
            builder = builder.reply_to(Mailbox::new(name, address));
        }
        builder
            .header(ContentType::TEXT_PLAIN)
            .body(text(lead, form, zone))
    }
}

/// The answers, one a line, with the labels of their fields; texts of several lines come below these.
fn text(lead: &Lead, form: Option<&Form>, zone: &str) -> String {
    let contents = &lead.contents;
    let visit = contents.visit.as_ref();
    let received = if zone.is_empty() {
        clock::iso(lead.at)
    } else {
        clock::local(lead.at, zone, &format!("%Y-%m-%d %H:%M:%S ({zone})"))
    };
    let known = [
        ("id", lead.id.clone()),
        ("received", received),
        ("language", lead.locale.clone()),
        ("status", lead.status.name().to_owned()),
        ("reason", lead.reason.clone().unwrap_or_default()),
        ("form", contents.form.clone()),
        ("page", contents.page.clone()),
        (
            "visits consent",
            contents
                .visits_consent
                .as_ref()
                .map(VisitsConsent::text)
                .unwrap_or_default(),
        ),
        (
            "first page",
            visit.map(|visit| visit.entry.clone()).unwrap_or_default(),
        ),
        (
            "referrer",
            visit
                .map(|visit| visit.referrer.clone())
                .unwrap_or_default(),
        ),
        (
            "campaign",
            visit.map(Visit::campaign_text).unwrap_or_default(),
        ),
    ];
    let answers = contents.labeled(form, &lead.locale);
    let answers = answers.chain(contents.consents.iter().map(|(name, given)| {
        (
            name.as_str(),
            given
                .words
                .clone()
                .unwrap_or_else(|| format!("agreed to {}", given.hash)),
        )
    }));
    let known: String = known
        .iter()
        .map(|(label, value)| row(label, value))
        .collect();
    format!(
        "{known}\n{}",
        answers
            .map(|(label, value)| row(label, &value))
            .collect::<String>()
    )
}

/// A label and a value; nothing without a value.
fn row(label: &str, value: &str) -> String {
    // A question has a mark of its own.
    let colon = if label.ends_with(['?', '？', '؟', ':', '：']) {
        ""
    } else {
        ":"
    };
    match value {
        "" => String::new(),
        text if text.contains('\n') => format!("{label}{colon}\n{text}\n"),
        text => format!("{label}{colon} {text}\n"),
    }
}

/// Describes an error without the server's reply, which may contain the visitor's data.
fn trouble(error: &smtp::Error) -> String {
    match error.status() {
        Some(code) => format!("the mail server responded with {code}"),
        None if error.to_string().contains("SMTPUTF8") => NO_UTF8.into(),
        None if error.is_timeout() => "the mail server timed out".into(),
        None if error.is_tls() => "the TLS connection to the mail server failed".into(),
        None => "the connection to the mail server failed".into(),
    }
}
