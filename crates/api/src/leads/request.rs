//! Parses a request: JSON from the form's island, or a form sent without JavaScript.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::{HeaderMap, header};
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use api_types::forms;
use api_types::leads::{
    self, BODY_MAX, CONSENT, ELAPSED, ELAPSED_MIN, HONEYPOT, KEY_HEADER, LeadErrorCode, LeadFault,
    LeadValue, SIGNALS_HEADER, SentLead,
};

use crate::form;

use super::answer::Refusal;
use super::contents::VisitsConsent;
use super::form_check::{self, Sent};
use super::lead::{Hash, hash};
use super::lead_files::SentFile;
use super::page::Fields;
use super::visit::Visit;

/// Timeout for receiving a body, in seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// A body that is too large is read up to this many bytes, because a client that is still sending does not read the
/// response.
const READ_MAX: usize = 8 * 1024 * 1024;
/// The fields of a form without JavaScript that are not answers.
const PLAIN_CONTROLS: [&str; 3] = [leads::LANGUAGE, HONEYPOT, ELAPSED];
/// Maximum length of an idempotency key, in bytes.
const KEY_MAX: usize = 255;

/// The format of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormKind {
    /// JSON.
    Json,
    /// A form sent without JavaScript.
    Plain,
}

/// The spam signals of a submission.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Signals {
    /// The value of the honeypot field.
    pub honeypot: String,
    /// The time between showing and submitting the form, in milliseconds.
    pub elapsed: Option<u64>,
    /// The visitor's choice about the service that counts visits.
    pub visits_consent: Option<VisitsConsent>,
    /// Where the visit began.
    pub visit: Visit,
}

impl Signals {
    /// Why the lead counts as spam, if it does.
    pub(super) fn suspicion(&self) -> Option<&'static str> {
        if !self.honeypot.is_empty() {
            Some("the honeypot field was filled in")
        } else if self.elapsed.is_some_and(|elapsed| elapsed < ELAPSED_MIN) {
            Some("the form was submitted too quickly")
        } else {
            None
        }
    }

    fn of(honeypot: &str, elapsed: &str) -> Signals {
        Signals {
            honeypot: honeypot.trim().to_owned(),
            elapsed: elapsed.parse().ok(),
            ..Signals::default()
        }
    }

    /// The signals in the header of a request.
    fn in_header(signals: &Fields) -> Signals {
        let visits_consent = VisitsConsent::parse(get(signals, CONSENT));
        Signals {
            visits_consent,
            visit: Visit::of(signals),
            ..Signals::of(get(signals, HONEYPOT), get(signals, ELAPSED))
        }
    }
}

/// A parsed request.
#[derive(Debug, Clone)]
pub(super) struct Submission {
    pub answers: Answers,
    pub signals: Signals,
    pub key: Option<Hash>,
}

/// The answers of a visitor.
#[derive(Debug, Clone)]
pub(super) enum Answers {
    /// To the lead form, with the token of the captcha.
    Lead(SentLead),
    /// To a form of the site.
    Form {
        sent: Sent,
        files: Vec<SentFile>,
        /// The token of the captcha.
        token: String,
        /// The path of the page with the form.
        page: String,
        /// The version of the form on that page.
        version: String,
    },
}

/// Determines the format by content type.
pub(super) fn form(headers: &HeaderMap) -> Result<FormKind, LeadFault> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    match kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_lowercase()
        .as_str()
    {
        "application/json" => Ok(FormKind::Json),
        "application/x-www-form-urlencoded" => Ok(FormKind::Plain),
        _ => Err(fault(LeadErrorCode::UnsupportedMediaType)),
    }
}

/// Reads the body within the limits of size and time.
pub(super) async fn body(body: Body) -> Result<Vec<u8>, LeadFault> {
    let read = async {
        let mut bytes = Vec::new();
        let mut length = 0;
        let mut body = body;
        while let Some(frame) =
            std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            let frame = frame.map_err(|_| fault(LeadErrorCode::BadRequest))?;
            let Ok(part) = frame.into_data() else {
                continue;
            };
            length += part.len();
            if length <= BODY_MAX {
                bytes.extend_from_slice(&part);
            } else if length > READ_MAX {
                break;
            }
        }
        if length > BODY_MAX {
            Err(fault(LeadErrorCode::TooLarge))
        } else {
            Ok(bytes)
        }
    };
    tokio::time::timeout(BODY_TIMEOUT, read)
        .await
        .unwrap_or(Err(fault(LeadErrorCode::Timeout)))
}

/// Parses a JSON body.
pub(super) fn json(headers: &HeaderMap, body: &[u8]) -> Result<Submission, LeadFault> {
    // The parser limits the nesting depth, so deep input cannot overflow the stack.
    let UniqueKeys(object) =
        serde_json::from_slice(body).map_err(|_| fault(LeadErrorCode::BadRequest))?;
    let mut lead = SentLead::new();
    for (name, value) in object {
        let is_known = name == leads::TOKEN
            || leads::key(&name).is_some_and(|key| key.value != LeadValue::Plain);
        let text = match value {
            Value::String(text) if is_known => text,
            Value::Null if leads::key(&name).is_some_and(|key| key.optional) => continue,
            _ => return Err(fault(LeadErrorCode::BadRequest)),
        };
        lead.insert(name, text);
    }
    let signals = Signals::in_header(&signals(headers));
    Ok(Submission {
        answers: Answers::Lead(lead),
        signals,
        key: key(headers)?,
    })
}

/// An object in which no key is twice. The value of one of them would be lost.
struct UniqueKeys(serde_json::Map<String, Value>);

impl<'de> serde::Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueKeys, D::Error> {
        deserializer.deserialize_map(UniqueKeys(serde_json::Map::new()))
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<UniqueKeys, A::Error> {
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            if self.0.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` appears twice")));
            }
            self.0.insert(key, value);
        }
        Ok(self)
    }
}

/// The fields of the header with signals.
fn signals(headers: &HeaderMap) -> Fields {
    let signals = headers
        .get(SIGNALS_HEADER)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    fields(signals.as_bytes()).unwrap_or_default()
}

/// Parses the JSON body of an answer to a form of the site. What is known beside the fields is in the header.
pub(super) fn form_json(headers: &HeaderMap, body: &[u8]) -> Result<Submission, Refusal> {
    let bad = || fault(LeadErrorCode::BadRequest);
    let UniqueKeys(mut object) = serde_json::from_slice(body).map_err(|_| bad())?;
    let token = match object.shift_remove(forms::TOKEN) {
        Some(Value::String(token)) => token,
        Some(Value::Null) | None => String::new(),
        Some(_) => return Err(bad().into()),
    };
    let signals = signals(headers);
    let signal = |control: &str| get(&signals, control.trim_start_matches('_')).to_owned();
    let answers = Answers::Form {
        sent: form_check::from_json(object)?,
        files: Vec::new(),
        token,
        page: signal(forms::PAGE),
        version: signal(forms::VERSION),
    };
    let signals = Signals::in_header(&signals);
    Ok(Submission {
        answers,
        signals,
        key: key(headers)?,
    })
}

/// Converts the fields of a form of the site to a submission.
pub(super) fn form_plain(fields: &Fields) -> Submission {
    let (controls, fields): (Fields, Fields) = fields
        .iter()
        .cloned()
        .partition(|(name, _)| forms::CONTROLS.contains(&name.as_str()));
    let control = |name: &str| get(&controls, name).to_owned();
    let answers = Answers::Form {
        sent: form_check::from_fields(&fields),
        files: Vec::new(),
        token: String::new(),
        page: control(forms::PAGE),
        version: control(forms::VERSION),
    };
    Submission {
        answers,
        signals: Signals::of(get(&controls, forms::HONEYPOT), ""),
        key: None,
    }
}

/// How a form with files is answered: only scripts send signals in the header.
pub(super) fn form_of_upload(headers: &HeaderMap) -> FormKind {
    if headers.contains_key(SIGNALS_HEADER) {
        FormKind::Json
    } else {
        FormKind::Plain
    }
}

/// Converts the parts of a form with files to a submission.
pub(super) fn form_upload(
    headers: &HeaderMap,
    mut fields: Fields,
    sent_files: Vec<SentFile>,
) -> Result<Submission, LeadFault> {
    let by_script = form_of_upload(headers) == FormKind::Json;
    let sent_token = fields
        .extract_if(.., |(name, _)| by_script && name == forms::TOKEN)
        .next()
        .map(|(_, token)| token);
    let mut submission = form_plain(&fields);
    let known = signals(headers);
    if let Answers::Form {
        files,
        token,
        page,
        version,
        ..
    } = &mut submission.answers
    {
        *files = sent_files;
        *token = sent_token.unwrap_or_default();
        if by_script {
            get(&known, forms::PAGE.trim_start_matches('_')).clone_into(page);
            get(&known, forms::VERSION.trim_start_matches('_')).clone_into(version);
        }
    }
    if by_script {
        submission.signals = Signals::in_header(&known);
        submission.key = key(headers)?;
    }
    Ok(submission)
}

/// Converts form fields to a submission. As in JSON, an unknown field is an error, and so is one that was sent twice:
/// its value would be lost.
pub(super) fn plain(fields: &Fields) -> Result<Submission, LeadFault> {
    let mut lead = SentLead::new();
    for (name, text) in fields {
        let is_known = PLAIN_CONTROLS.contains(&name.as_str()) || leads::key(name).is_some();
        if !is_known || lead.insert(name.clone(), text.clone()).is_some() {
            return Err(fault(LeadErrorCode::BadRequest));
        }
    }
    let signals = Signals::of(get(fields, HONEYPOT), get(fields, ELAPSED));
    Ok(Submission {
        answers: Answers::Lead(lead),
        signals,
        key: None,
    })
}

/// Parses a URL-encoded body or query.
pub(super) fn fields(text: &[u8]) -> Result<Fields, LeadFault> {
    form::fields(text)
        .map(|field| {
            let pair = (field.name.into_owned(), field.value.into_owned());
            field
                .is_utf8
                .then_some(pair)
                .ok_or_else(|| fault(LeadErrorCode::BadRequest))
        })
        .collect()
}

/// The value of a field, or an empty string.
pub(super) fn get<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields
        .iter()
        .find(|(key, _)| key == name)
        .map_or("", |(_, value)| value)
}

fn key(headers: &HeaderMap) -> Result<Option<Hash>, LeadFault> {
    let Some(key) = headers.get(KEY_HEADER) else {
        return Ok(None);
    };
    let good =
        (1..=KEY_MAX).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    if good {
        Ok(Some(hash(key.as_bytes())))
    } else {
        Err(fault(LeadErrorCode::BadRequest))
    }
}

fn fault(code: LeadErrorCode) -> LeadFault {
    LeadFault { code, field: None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pieces of requests: the syntax of both encodings, names of fields, and what often breaks readers.
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\",
        "\\u0000",
        "\\ud800",
        "null",
        "1e999",
        "true",
        "name",
        "email",
        "message",
        "recaptchaToken",
        "projectType",
        "website",
        "elapsed",
        "&",
        "=",
        "+",
        "%",
        "%00",
        "%ff",
        "%C3%A9",
        "%e9",
        ";",
        "é",
        "日本",
        "\0",
        "\r\n",
        " ",
        "a@b.example",
        "\"name\":\"a\"",
        "{\"name\":",
        "name=a&name=b",
        "\u{feff}",
        "\u{202e}",
    ];

    /// A lead in which each field has the text of the same place.
    fn lead(texts: &[String; 6]) -> [(&'static str, &str); 6] {
        let [name, email, company, phone, service, message] = texts.each_ref().map(String::as_str);
        [
            ("name", name),
            ("email", email),
            ("company", company),
            ("phone", phone),
            ("projectType", service),
            ("message", message),
        ]
    }

    proptest! {
        /// Whatever is sent gives a lead or a fault, in each encoding.
        #[test]
        fn no_body_breaks_a_reader(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24), noise in prop::collection::vec(any::<u8>(), 0..24)) {
            let text = pieces.concat();
            for body in [text.as_bytes(), &[text.as_bytes(), &noise].concat(), &noise] {
                let _ = json(&HeaderMap::new(), body);
                let _ = form_json(&HeaderMap::new(), body);
                if let Ok(fields) = fields(body) {
                    let _ = plain(&fields);
                    let _ = form_plain(&fields);
                }
            }
        }

        /// The same lead is read from both encodings.
        #[test]
        fn both_encodings_give_the_same_lead(texts in [".{0,12}", ".{0,12}", ".{0,12}", ".{0,12}", ".{0,12}", ".{0,12}"]) {
            let lead = lead(&texts);
            let mut object: serde_json::Map<String, serde_json::Value> =
                lead.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
            object.insert("recaptchaToken".into(), "".into());
            let from_json = json(&HeaderMap::new(), serde_json::Value::from(object).to_string().as_bytes());
            let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(lead).finish();
            let from_form = fields(encoded.as_bytes()).and_then(|fields| plain(&fields));
            match (from_json, from_form) {
                (Ok(a), Ok(b)) => {
                    let lead = |submission: Submission| match submission.answers {
                        Answers::Lead(lead) => leads::checked(&lead),
                        Answers::Form { .. } => unreachable!("an answer to a form"),
                    };
                    prop_assert_eq!(lead(a), lead(b));
                }
                (Err(_), Err(_)) => {}
                (a, b) => prop_assert!(false, "{:?} and {:?}", a, b),
            }
        }
    }
}
