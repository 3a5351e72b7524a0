//! A mail to the visitor: the words of the site, with what the visitor has typed in place of `{field}`.
//!
//! Anybody can type the address of somebody else. So what was typed is cut, repeated on one line only, escaped in HTML, and
//! left out if it looks like an address or a number that a reader could follow: the mail carries no message but that of the
//! site.

use std::collections::BTreeSet;

use jiff::civil::Date;
use lettre::Message;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use api_types::forms::{AnswerType, ConfirmWords, Form, MailWords, placeholders};
use api_types::html::escape;
use api_types::leads::is_invisible;

use super::super::lead::{Delivery, Lead};
use super::address;
use super::subject::subject;

/// The most characters of what a visitor has typed.
const TYPED_MAX: usize = 100;
/// The most digits of what a visitor has typed: more may be a number to call.
const DIGITS_MAX: usize = 6;
/// The text in place of a value that is left out.
const LEFT_OUT: &str = "…";
/// Divides foreign names in Japanese.
const KATAKANA_DOT: char = '\u{30fb}';
/// The full stop of Chinese and Japanese, which browsers take for a dot.
const IDEOGRAPHIC_STOP: char = '\u{3002}';

/// The mail. `reply_to` is who receives the notifications, if the form names somebody.
pub(super) fn message(
    from: &Mailbox,
    delivery: &Delivery,
    lead: &Lead,
    form: &Form,
    words: &MailWords,
) -> Result<Message, lettre::error::Error> {
    let plain = |text: &str| text.to_owned();
    let about = filled(&words.subject, lead, form, words, &plain);
    let text = filled(&words.text, lead, form, words, &plain);
    let html = filled(&words.html, lead, form, words, &escape);
    let header = |name: &'static str, value: &str| {
        HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
    };
    let mut builder = Message::builder()
        .from(from.clone())
        // Without the visitor's name: it is text of whoever has typed it.
        .to(Mailbox::new(
            None,
            address::visitor(lead).ok_or(lettre::error::Error::MissingTo)?,
        ))
        .message_id(Some(format!("<{}@{}>", delivery.id, from.email.domain())))
        .raw_header(subject(&about))
        // Programs that answer mails do not answer this one.
        .raw_header(header("Auto-Submitted", "auto-replied"))
        .raw_header(header("X-Auto-Response-Suppress", "All"));
    let office = lead
        .contents
        .mail_to
        .as_ref()
        .and_then(|address| address.parse::<Mailbox>().ok());
    let office = office.map(address::in_ascii);
    if let Some(office) = office {
        builder = builder.reply_to(office);
    }
    let part = |kind, body: String| SinglePart::builder().header(kind).body(body);
    // Programs that show mails replace the elements around the text, some of them only one.
    let direction = if words.is_rtl { " dir=\"rtl\"" } else { "" };
    let html = format!(
        "<!doctype html><html lang=\"{}\"{direction}><body{direction}>{html}</body></html>",
        escape(&lead.locale)
    );
    builder.multipart(
        MultiPart::alternative()
            .singlepart(part(ContentType::TEXT_PLAIN, text))
            .singlepart(part(ContentType::TEXT_HTML, html)),
    )
}

/// The mail that asks for a confirmation, with its link.
pub(super) fn with_link(words: &ConfirmWords, link: &str) -> MailWords {
    let MailWords {
        subject,
        text,
        html,
        dates,
        is_rtl,
    } = words.mail.clone();
    MailWords {
        text: format!("{text}\n{}:\n{link}\n", words.button),
        html: format!(
            "{html}<p><a href=\"{}\">{}</a></p>",
            escape(link),
            escape(&words.button)
        ),
        subject,
        dates,
        is_rtl,
    }
}

/// A text with the values of its placeholders. What is no placeholder of a field stays as it is.
fn filled(
    text: &str,
    lead: &Lead,
    form: &Form,
    words: &MailWords,
    written: &dyn Fn(&str) -> String,
) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut from, mut typed, mut seen) = (0, String::new(), BTreeSet::new());
    for (at, name) in placeholders(text) {
        if let Some(field) = form.field(name) {
            let between = &text[from..at];
            out.push_str(between);
            let mut value = value(name, lead, form, words);
            let is_typed = !matches!(field.takes, AnswerType::Choice | AnswerType::Date);
            if is_typed && value != lead.contents.email {
                // A number to call, or the name of a host, may be spread over several fields.
                let gap = if between.is_empty() { "" } else { " " };
                let all = format!("{typed}{gap}{value}");
                let is_new = seen.insert(name);
                if is_new && !typed.is_empty() && leads_on(&all) {
                    LEFT_OUT.clone_into(&mut value);
                } else if is_new {
                    typed = all;
                }
            }
            out.push_str(&written(&value));
            from = at + name.len() + 2;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// The value of a field as a mail shows it.
fn value(name: &str, lead: &Lead, form: &Form, words: &MailWords) -> String {
    let Some((field, value)) = form.field(name).zip(lead.contents.answers.get(name)) else {
        return String::new();
    };
    let one = |value: &Value| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        match field.takes {
            AnswerType::Choice | AnswerType::Reference => form
                .name(name, &text, &lead.locale)
                .map(str::to_owned)
                .unwrap_or(text),
            AnswerType::Date => day(&text, &words.dates).unwrap_or(text),
            AnswerType::Email if text == lead.contents.email => text,
            AnswerType::Text | AnswerType::Number | AnswerType::Phone | AnswerType::Email
                if !leads_on(&text) =>
            {
                short(&text)
            }
            AnswerType::Text
            | AnswerType::Number
            | AnswerType::Phone
            | AnswerType::Email
            | AnswerType::Flag
            | AnswerType::File => LEFT_OUT.to_owned(),
        }
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect::<Vec<_>>().join(", "),
        value => one(value),
    }
}

/// A day as the language writes it. `None` if the build has not said how.
fn day(text: &str, dates: &[String]) -> Option<String> {
    let day: Date = text.parse().ok()?;
    let month = usize::try_from(day.month()).ok()?;
    let pattern = dates.get(month.checked_sub(1)?)?;
    Some(
        pattern
            .replace("{year}", &day.year().to_string())
            .replace("{day}", &day.day().to_string()),
    )
}

/// A text on one line, without characters that change the direction of what follows.
fn short(text: &str) -> String {
    let seen: String = text
        .chars()
        .filter(|c| !is_format(*c) || matches!(c, '\u{200c}' | '\u{200d}'))
        .collect();
    let line = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= TYPED_MAX {
        line
    } else {
        line.chars().take(TYPED_MAX).chain(['…']).collect()
    }
}

/// Says if a character has no shape: programs that make links may skip it, and readers do not see it.
fn is_format(c: char) -> bool {
    is_invisible(c) || c.is_control() && !c.is_whitespace()
}

/// Says if a reader, or the program that shows a mail, could follow a text: `https:`, `a@b`, `example.com`, `tel:1`, a number to
/// call, an encoded word. It is looked at as it would be read: in its plain form, without what has no shape or combines, and
/// with a dot or a colon for what looks like one.
fn leads_on(text: &str) -> bool {
    let plain: String = text.nfkd().filter(|c| !is_format(*c)).collect();
    let digits = plain.chars().filter(|c| is_digit(*c)).count();
    let read: Vec<char> = plain
        .chars()
        .map(as_it_looks)
        .filter(|c| !is_combining_mark(*c))
        .collect();
    let line: String = read.iter().collect();
    line.contains(['@', '<', '>', '[', ']', '\\'])
        || line.contains("=?")
        || line.contains("//")
        || digits > DIGITS_MAX
        || line
            .split(':')
            .rev()
            .skip(1)
            .any(|before| before.trim_end().ends_with(char::is_alphabetic))
        || line.contains(":/")
        || read.split(|c| c.is_whitespace()).any(is_dotted)
}

/// Says if a character is a digit to a reader.
fn is_digit(c: char) -> bool {
    c.is_numeric() || "零一二三四五六七八九".contains(c)
}

/// A character, or the dot or colon that it can be taken for. The zeros of some scripts stay, because they are in numbers.
fn as_it_looks(c: char) -> char {
    if c.is_ascii() || c.is_numeric() || c == KATAKANA_DOT {
        return c;
    }
    look(c)
}

fn look(c: char) -> char {
    let mut written = [0; 4];
    let mut looks = unicode_security::skeleton(c.encode_utf8(&mut written));
    match (looks.next(), looks.next()) {
        (Some('.' | '·'), None) => '.',
        (Some(':'), None) => ':',
        _ if c == IDEOGRAPHIC_STOP => '.',
        _ => c,
    }
}

/// Says if a word has dots as the name of a host or its number has them.
fn is_dotted(word: &[char]) -> bool {
    let numbers = word
        .split(|c| *c == '.')
        .filter(|part| part.iter().any(|c| is_digit(*c)));
    let is_host = (1..word.len().saturating_sub(2)).any(|at| {
        let around = [word[at - 1], word[at + 1], word[at + 2]];
        around.iter().all(|c| c.is_alphanumeric()) && is_dot(word[at], around)
    });
    is_host || numbers.count() > 2
}

/// Says if a character between others divides the name of a host to a reader. Marks of other scripts, such as `・`, are dots
/// beside Latin letters only.
fn is_dot(c: char, around: [char; 3]) -> bool {
    let is_joint = matches!(c, '‘' | '’' | '‐' | '‑' | '–' | '—');
    let is_mark = !c.is_ascii() && !c.is_alphanumeric() && !is_joint;
    let [before, after, _] = around;
    let is_zero = c.is_numeric() && before.is_alphabetic() && after.is_alphabetic();
    c == '.'
        || is_mark && around.iter().any(char::is_ascii)
        || is_zero && !c.is_ascii() && look(c) == '.'
}

#[cfg(test)]
mod tests {
    use super::super::super::contents::Contents;
    use super::super::super::lead::{Channel, DeliveryState, Status};
    use super::*;

    fn mail(typed: &str, template: &str) -> String {
        let field = |name: &str, takes: &str| serde_json::json!({"name": name, "type": takes, "most": 200, "choices": ["a"]});
        let form = serde_json::json!({
            "name": "visit", "version": "1", "captcha": false,
            "languages": {"en": {"names": {"topic": {"a": "A <talk>"}}}},
            "fields": [
                field("name", "text"), field("rest", "text"), field("topic", "choice"), field("email", "email"),
            ],
        });
        let form: Form = serde_json::from_value(form).expect("a form");
        let answers = serde_json::json!({"name": typed, "rest": "456 789", "topic": "a", "email": "ana@example.com"});
        let answers = answers.as_object().cloned().expect("an object");
        let contents = Contents {
            form: "visit".into(),
            answers,
            mail_to: Some("office@site.example".into()),
            name: typed.into(),
            email: "ana@example.com".into(),
            ..Contents::default()
        };
        let lead = Lead {
            id: "L".into(),
            at: 0,
            locale: "en".into(),
            status: Status::Verified,
            reason: None,
            contents,
        };
        let delivery = Delivery {
            id: "L-answer".into(),
            lead: "L".into(),
            channel: Channel::Answer,
            state: DeliveryState::Due(0),
            attempts: 0,
            since: 0,
            trouble: None,
        };
        let words = MailWords {
            subject: template.into(),
            text: template.into(),
            html: format!("<p>{template}</p>"),
            dates: Vec::new(),
            is_rtl: template.contains("שלום"),
        };
        let from = "Site <site@site.example>".parse().expect("an address");
        let message = message(&from, &delivery, &lead, &form, &words).expect("a mail");
        // Lines of texts are joined; an encoded word of a header ends with the same letter.
        let mail = String::from_utf8(message.formatted()).expect("ASCII");
        mail.replace("?=\r\n", "?=\n").replace("=\r\n", "")
    }

    #[test]
    fn a_mail_has_the_words_of_the_site_with_what_was_typed() {
        let mail = mail("Ana <b>", "Dear {name}, {topic} {other}");
        // `<` could begin a tag in a program that shows plain text as HTML.
        assert!(
            mail.contains("Subject: Dear =?") || mail.contains("\r\nSubject: "),
            "{mail}"
        );
        assert!(mail.contains("A &lt;talk&gt; {other}</p>"), "{mail}");
        assert!(
            mail.contains("To: ana@example.com\r\n")
                && mail.contains("Reply-To: office@site.example\r\n"),
            "{mail}"
        );
        assert!(mail.contains("Auto-Submitted: auto-replied\r\n"), "{mail}");
    }

    #[test]
    fn a_mail_has_the_direction_of_its_language() {
        let is_rtl = |template: &str| mail("Ana", template).contains(" dir=3D\"rtl\"");
        assert!(is_rtl("{name}, שלום") && !is_rtl("Dear {name}"));
    }

    #[test]
    fn a_number_that_is_spread_over_fields_is_left_out() {
        let number = mail("Call 555 123", "Dear {name} {rest}, {name}");
        let number = shown(&number);
        assert!(
            number.contains("Subject: Dear Call 555 123 …, Call 555 123")
                && !number.contains("456 789"),
            "{number}"
        );
        let name = shown(&mail("Ana", "Dear {name} {rest}"));
        assert!(name.contains("Subject: Dear Ana 456 789"), "{name}");
    }

    /// The subject and the text of a mail as a program shows them.
    fn shown(mail: &str) -> String {
        let mut decoded = mail.to_owned();
        for _ in 0..50 {
            let Some((before, rest)) = decoded.split_once("=?utf-8?b?") else {
                break;
            };
            let (word, after) = rest.split_once("?=").expect("an end");
            let text = data_encoding::BASE64
                .decode(word.as_bytes())
                .expect("base64");
            decoded = format!(
                "{before}{}{}",
                String::from_utf8(text).expect("UTF-8"),
                continued(after)
            );
        }
        decoded
    }

    /// The text behind an encoded word; a line break before another one belongs to neither.
    fn continued(after: &str) -> &str {
        let next = after.trim_start_matches(['\r', '\n', ' ']);
        if next.starts_with("=?") { next } else { after }
    }

    #[test]
    fn what_was_typed_carries_no_message_to_others() {
        let base64 = data_encoding::BASE64.encode(b"pay at https://evil.example now");
        for typed in [
            "Win at https://evil.example",
            "evil.example",
            "evil。example",
            "write to a@b",
            "//evil",
            "[x](y)",
            "a<b>",
            &format!("=?utf-8?B?{base64}?="),
            "=?utf-8?Q?evil?=",
            "evil.\u{200b}com",
            "evil\u{200b}.com",
            "ev\u{ad}il\u{2060}.\u{feff}com",
            "evil\u{2024}com",
            "evil\u{ff0e}com",
            "evil\u{fe52}com",
            "evil\u{ff20}example",
            "evil.\u{338}com",
            "e\u{338}vil\u{20dd}.com",
            "evil\u{2027}com",
            "evil\u{22c5}com",
            "evil\u{2022}com",
            "evil\u{b7}com",
            "evil\u{30fb}com",
            "evil\u{ff65}com",
            "evil\u{a4f8}com",
            "evil\u{660}com",
            "evil\u{6f0}com",
            "evil\u{589}com",
            "evil\u{1d16d}com",
            "evil\u{10a50}com",
            "evil\u{25cf}com",
            "bitcoin\u{2236}evil",
            "bitcoin\u{2d0}evil",
            "bitcoin\u{a789}evil",
            "evil 九〇〇五五五一二三",
            "evil 1\u{6d4}2\u{a4f8}3\u{2022}4",
            "tel:+1900 evil",
            "tel\u{ff1a}1 evil",
            "bitcoin:evil",
            "evil : x",
            "\\\\evil\\share",
            "evil 1.2.3.4",
            "evil 1\u{2024}2\u{2024}3\u{2024}4",
            "URGENT evil Call +1 900 555",
            "evil +1 (9-0-0) 5.5.5",
            "evil ١٢٣٤٥٦٧",
            "evil １２３４５６７",
            "evil ①②③④⑤⑥⑦",
            "\u{202e}moc.live evil.\u{202c}com",
        ] {
            let mail = mail(typed, "Dear {name}!");
            for mail in [shown(&mail), mail] {
                assert!(
                    !mail.contains("evil")
                        && !mail.contains("a@b")
                        && !mail.contains("a<b>")
                        && !mail.contains("[x]"),
                    "{typed}: {mail}"
                );
                assert!(!mail.contains(&base64), "{mail}");
            }
        }
        let mail = mail("Ana\r\nBcc: all", "Dear {name}!");
        assert!(!mail.contains("\r\nBcc"), "{mail}");
        assert_eq!(short(&"x ".repeat(300)).chars().count(), TYPED_MAX + 1);
        assert_eq!(short("A\u{202e}na\u{200b} \u{2066}R"), "Ana R");
        for name in [
            "J. R. R. Tolkien",
            "Dr. Ana Ruiz",
            "O’Brien-Smith",
            "牙医",
            "ジョン・スミス",
            "王、李",
            "हिन्दी",
            "བོད་སྐད་",
            "Anne–Marie d’Arc, R&D",
            "and/or (Ana_Ruiz)",
            "غرفة ٢٠٢٦",
            "room ۲۰b",
            "三井 Ōnuma İpek Żółć",
            "نی\u{200c}ما",
            "Ana 2nd, room 12.5",
            "at 10:30",
        ] {
            assert!(!leads_on(name), "{name}");
        }
    }

    #[test]
    fn a_day_is_written_as_its_language_does() {
        let spanish: Vec<String> = (1..=12)
            .map(|month| format!("{{day}} de mes {month} de {{year}}"))
            .collect();
        assert_eq!(
            day("2026-12-10", &spanish).as_deref(),
            Some("10 de mes 12 de 2026")
        );
        assert_eq!(
            day("2026-01-02", &spanish).as_deref(),
            Some("2 de mes 1 de 2026")
        );
        assert_eq!(
            (day("2026-12-10", &[]), day("someday", &spanish)),
            (None, None)
        );
    }

    #[test]
    fn a_subject_is_what_was_written_however_programs_decode_it() {
        let header = |text: &str| {
            let message = Message::builder()
                .from("a@site.example".parse().expect("an address"))
                .to("b@site.example".parse().expect("an address"))
                .raw_header(subject(text))
                .body(String::new());
            let mail = String::from_utf8(message.expect("a mail").formatted()).expect("ASCII");
            shown(&mail)
                .lines()
                .find_map(|line| line.strip_prefix("Subject: ").map(str::to_owned))
                .unwrap_or_default()
        };
        assert_eq!(header("A plain subject"), "A plain subject");
        let long = format!("=?utf-8?B?ZXZpbA==?= {}", "déjà vu ".repeat(20));
        assert_eq!(header(&long), long.trim());
    }
}
