//! A mail to the visitor: the words of the site, with what the visitor has typed in place of `{field}`.
//!
//! Anybody can type the address of somebody else. So what was typed is cut, repeated on one line only, escaped in HTML, and
//! left out if it looks like an address that a reader could follow: the mail carries no message but that of the site.

use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use serde_json::Value;

use api_types::forms::{ConfirmWords, FieldType, Form, MailWords, placeholders};
use api_types::html::escape;

use super::super::lead::{Delivery, Lead};
use super::address;

/// The most characters of what a visitor has typed.
const TYPED_MAX: usize = 100;
/// What is shown in place of a value that is left out.
const LEFT_OUT: &str = "…";

/// The mail. `reply_to` is who receives the notifications, if the form names somebody.
pub(super) fn message(
    from: &Mailbox,
    delivery: &Delivery,
    lead: &Lead,
    form: &Form,
    words: &MailWords,
) -> Result<Message, lettre::error::Error> {
    let plain = |text: &str| text.to_owned();
    let subject = filled(&words.subject, lead, form, words, &plain);
    let text = filled(&words.text, lead, form, words, &plain);
    let html = filled(&words.html, lead, form, words, &escape);
    let header =
        |name: &'static str, value: &str| HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned());
    let mut builder = Message::builder()
        .from(from.clone())
        // Without the visitor's name: it is text of whoever has typed it.
        .to(Mailbox::new(None, address::visitor(lead).ok_or(lettre::error::Error::MissingTo)?))
        .message_id(Some(format!("<{}@{}>", delivery.id, from.email.domain())))
        .subject(subject)
        // Programs that answer mails do not answer this one.
        .raw_header(header("Auto-Submitted", "auto-replied"))
        .raw_header(header("X-Auto-Response-Suppress", "All"));
    let office = lead.contents.form.as_ref().and_then(|form| form.mail_to.as_ref()?.parse::<Mailbox>().ok());
    let office = office.map(address::in_ascii);
    if let Some(office) = office {
        builder = builder.reply_to(office);
    }
    let part = |kind, body: String| SinglePart::builder().header(kind).body(body);
    let html = format!("<!doctype html><html lang=\"{}\"><body>{html}</body></html>", escape(&lead.locale));
    builder.multipart(
        MultiPart::alternative()
            .singlepart(part(ContentType::TEXT_PLAIN, text))
            .singlepart(part(ContentType::TEXT_HTML, html)),
    )
}

/// The mail that asks for a confirmation, with its link.
pub(super) fn with_link(words: &ConfirmWords, link: &str) -> MailWords {
    let MailWords { subject, text, html, names } = words.mail.clone();
    MailWords {
        text: format!("{text}\n{}:\n{link}\n", words.button),
        html: format!("{html}<p><a href=\"{}\">{}</a></p>", escape(link), escape(&words.button)),
        subject,
        names,
    }
}

/// A text with the values of its placeholders. What is no placeholder of a field stays as it is.
fn filled(text: &str, lead: &Lead, form: &Form, words: &MailWords, written: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, name) in placeholders(text) {
        if form.field(name).is_some() {
            out.push_str(&text[from..at]);
            out.push_str(&written(&value(name, lead, form, words)));
            from = at + name.len() + 2;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// The value of a field as a mail shows it.
fn value(name: &str, lead: &Lead, form: &Form, words: &MailWords) -> String {
    let answers = lead.contents.form.as_ref().map(|form| &form.answers);
    let Some((field, value)) = form.field(name).zip(answers.and_then(|answers| answers.get(name))) else {
        return String::new();
    };
    let one = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match field.takes {
            FieldType::Choice | FieldType::Reference => {
                words.names.get(name).and_then(|names| names.get(&text)).cloned().unwrap_or(text)
            }
            FieldType::Date | FieldType::Number => text,
            FieldType::Email if text == lead.contents.email => text,
            FieldType::Text | FieldType::Phone | FieldType::Email if !is_address(&text) => short(&text),
            _ => LEFT_OUT.to_owned(),
        }
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect::<Vec<_>>().join(", "),
        value => one(value),
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= TYPED_MAX { line } else { line.chars().take(TYPED_MAX).chain(['…']).collect() }
}

/// Whether programs that show mails may make a link of a text: `https:`, `a@b`, `example.com`.
fn is_address(text: &str) -> bool {
    let is_dotted = |word: &str| {
        let mut parts = word.split(['.', '。', '．', '｡']).peekable();
        let mut found = false;
        while let Some(part) = parts.next() {
            let next = parts.peek().map_or(0, |next| next.chars().take_while(|c| c.is_alphanumeric()).count());
            found |= part.chars().next_back().is_some_and(char::is_alphanumeric) && next >= 2;
        }
        found
    };
    text.contains(['@', '<', '>', '[', ']']) || text.contains(":/") || text.contains("//") || is_dotted(text)
}

#[cfg(test)]
mod tests {
    use super::super::super::lead::{Answers, Channel, Contents, DeliveryState, Status};
    use super::*;

    fn mail(typed: &str, template: &str) -> String {
        let field =
            |name: &str, takes: &str| serde_json::json!({"name": name, "type": takes, "most": 200, "choices": ["a"]});
        let form = serde_json::json!({
            "name": "visit", "version": "1", "captcha": false, "languages": {},
            "fields": [field("name", "text"), field("topic", "choice"), field("email", "email")],
        });
        let form: Form = serde_json::from_value(form).expect("a form");
        let answers = serde_json::json!({"name": typed, "topic": "a", "email": "ana@example.com"});
        let answers = answers.as_object().cloned().expect("an object");
        let answers = Answers {
            form: "visit".into(),
            answers,
            mail_to: Some("office@site.example".into()),
            ..Answers::default()
        };
        let contents = Contents {
            name: typed.into(),
            email: "ana@example.com".into(),
            form: Some(Box::new(answers)),
            ..Contents::default()
        };
        let lead =
            Lead { id: "L".into(), at: 0, locale: "en".into(), status: Status::Verified, reason: None, contents };
        let delivery = Delivery {
            id: "L-answer".into(),
            lead: "L".into(),
            channel: Channel::Answer,
            state: DeliveryState::Due(0),
            attempts: 0,
            since: 0,
            trouble: None,
        };
        let names = serde_json::from_value(serde_json::json!({"topic": {"a": "A <talk>"}})).expect("names");
        let words =
            MailWords { subject: template.into(), text: template.into(), html: format!("<p>{template}</p>"), names };
        let from = "Site <site@site.example>".parse().expect("an address");
        let message = message(&from, &delivery, &lead, &form, &words).expect("a mail");
        String::from_utf8(message.formatted()).expect("ASCII").replace("=\r\n", "")
    }

    #[test]
    fn a_mail_has_the_words_of_the_site_with_what_was_typed() {
        let mail = mail("Ana <b>", "Dear {name}, {topic} {other}");
        // `<` could begin a tag in a program that shows plain text as HTML.
        assert!(mail.contains("Subject: Dear =?") || mail.contains("\r\nSubject: "), "{mail}");
        assert!(mail.contains("A &lt;talk&gt; {other}</p>"), "{mail}");
        assert!(
            mail.contains("To: ana@example.com\r\n") && mail.contains("Reply-To: office@site.example\r\n"),
            "{mail}"
        );
        assert!(mail.contains("Auto-Submitted: auto-replied\r\n"), "{mail}");
    }

    #[test]
    fn what_was_typed_carries_no_message_to_others() {
        for typed in
            ["Win at https://evil.example", "evil.example", "evil。example", "write to a@b", "//evil", "[x](y)", "a<b>"]
        {
            let mail = mail(typed, "Dear {name}!");
            assert!(
                !mail.contains("evil") && !mail.contains("a@b") && !mail.contains("a<b>") && !mail.contains("[x]"),
                "{typed}: {mail}"
            );
        }
        let mail = mail("Ana\r\nBcc: all", "Dear {name}!");
        assert!(!mail.contains("\r\nBcc"), "{mail}");
        assert_eq!(short(&"x ".repeat(300)).chars().count(), TYPED_MAX + 1);
        for name in ["J. R. R. Tolkien", "Dr. Ana Ruiz", "O’Brien-Smith", "牙医"] {
            assert!(!is_address(name), "{name}");
        }
    }
}
