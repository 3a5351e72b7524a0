//! A stored lead, and the deliveries of its notifications.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ring::digest::{SHA256, digest};
use ring::rand::SecureRandom as _;
use serde::{Deserialize, Serialize};

use crate::clock::Millis;
use api_types::forms::Form;
use api_types::leads::LeadRequest;

use super::visit::Visit;

/// A SHA-256 hash. Keys and captcha tokens are stored as hashes only.
pub type Hash = [u8; 32];

/// Computes the SHA-256 hash of bytes.
pub fn hash(text: &[u8]) -> Hash {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, text).as_ref());
    hash
}

/// The verification status of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The captcha was solved.
    Verified,
    /// The captcha could not be verified.
    Unverified,
    /// Sent from a form without JavaScript, which cannot show a captcha. Waits for a review.
    Quarantined,
    /// The spam signals indicate a bot.
    Spam,
    /// Was held, and has been released after a review.
    Released,
    /// The visitor has not confirmed it by mail yet.
    Unconfirmed,
    /// The visitor has confirmed it by mail.
    Confirmed,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 7] = [
        Status::Verified,
        Status::Unverified,
        Status::Quarantined,
        Status::Spam,
        Status::Released,
        Status::Unconfirmed,
        Status::Confirmed,
    ];

    /// The name in stores and in output.
    pub fn name(self) -> &'static str {
        match self {
            Status::Verified => "verified",
            Status::Unverified => "unverified",
            Status::Quarantined => "quarantined",
            Status::Spam => "spam",
            Status::Released => "released",
            Status::Unconfirmed => "unconfirmed",
            Status::Confirmed => "confirmed",
        }
    }

    /// Looks up a status by name.
    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Whether notifications are held until the lead is released or confirmed.
    pub fn is_held(self) -> bool {
        matches!(self, Status::Quarantined | Status::Spam | Status::Unconfirmed)
    }
}

/// The visitor's answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are those of `LeadRequest`")]
pub struct Contents {
    pub name: String,
    pub email: String,
    pub company: String,
    /// Sent by the form without JavaScript; the island writes it into the message.
    pub position: String,
    pub phone: String,
    pub project_type: String,
    pub message: String,
    pub app_name: Option<String>,
    pub app_type: Option<String>,
    pub app_description: Option<String>,
    /// The answers to a form of the site; `None` for the lead form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Box<Answers>>,
    /// The choice about the service that counts visits, if the site asks for one; `None` if the visitor made none. It is not
    /// part of the fingerprint: the same lead sent again after a choice is the same lead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits_consent: Option<VisitsConsent>,
    /// Where it came from. It is no part of the fingerprint either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<Visit>,
}

/// A visitor's choice about the service that counts visits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitsConsent {
    /// The version of what was asked. It changes with the service, its hosts and its purposes.
    pub version: String,
    /// `granted` or `denied`.
    pub choice: String,
    /// When, by the clock of the visitor: `2027-03-01T09:30:00.000Z`.
    pub date: String,
}

impl VisitsConsent {
    /// Parses the signal of a form: `VERSION.CHOICE.DATE`. Anything else is no proof, and is not stored.
    pub fn parse(signal: &str) -> Option<VisitsConsent> {
        let (version, rest) = signal.split_once('.')?;
        let (choice, date) = rest.split_once('.')?;
        let is_version = version.len() == 8 && version.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let is_choice = matches!(choice, "granted" | "denied");
        let shape = b"0000-00-00T00:00:00.000Z";
        let is_date = date.len() == shape.len()
            && date.bytes().zip(shape).all(|(b, form)| if *form == b'0' { b.is_ascii_digit() } else { b == *form });
        (is_version && is_choice && is_date).then(|| VisitsConsent {
            version: version.to_owned(),
            choice: choice.to_owned(),
            date: date.to_owned(),
        })
    }

    /// The choice on one line.
    pub fn text(&self) -> String {
        format!("{} on {} (version {})", self.choice, self.date, self.version)
    }
}

/// The answers to a form of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// The name of the form.
    pub form: String,
    /// The version of the form that the visitor saw.
    pub version: String,
    /// The path of the page with the form.
    pub page: String,
    /// The values by the names of the fields, in the order of the form.
    pub answers: serde_json::Map<String, serde_json::Value>,
    /// The consents that the visitor gave, by name.
    pub consents: BTreeMap<String, StoredConsent>,
    /// Who receives the mail, if not the address that the API has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail_to: Option<String>,
    /// The name of the webhook that gets it, if not the one of the other forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// Whether the visitor gets a mail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_answered: bool,
    /// Whether the visitor has to confirm it by mail before it is forwarded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_confirmation: bool,
}

/// Words that a visitor agreed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredConsent {
    /// The words; `None` if they had changed before the answer arrived.
    pub words: Option<String>,
    /// Their hash.
    pub hash: String,
}

impl Answers {
    /// The answers as texts, with the names of their fields; several values are joined by commas.
    pub fn texts(&self) -> impl Iterator<Item = (&str, String)> {
        self.texts_in(None, "")
    }

    /// The same, with choices and entries as their form names them in a language.
    pub fn texts_in<'a>(&'a self, form: Option<&'a Form>, locale: &'a str) -> impl Iterator<Item = (&'a str, String)> {
        self.answers.iter().map(move |(field, value)| {
            let name = |value: &str| form.and_then(|form| form.name(field, value, locale)).map(str::to_owned);
            (field.as_str(), text_of(value, &name))
        })
    }

    /// The same, with the labels of the fields.
    pub fn labeled<'a>(&'a self, form: Option<&'a Form>, locale: &'a str) -> impl Iterator<Item = (&'a str, String)> {
        let label = move |field: &'a str| form.and_then(|form| form.label(field, locale)).unwrap_or(field);
        self.texts_in(form, locale).map(move |(field, text)| (label(field), text))
    }
}

/// The text of an answer. `name` gives the names of values.
fn text_of(value: &serde_json::Value, name: &dyn Fn(&str) -> Option<String>) -> String {
    match value {
        serde_json::Value::String(text) => name(text).unwrap_or_else(|| text.clone()),
        // A file.
        serde_json::Value::Object(file) => {
            let of = |part: &str| file.get(part).map(|part| text_of(part, &|_| None)).unwrap_or_default();
            format!("{} ({}, {} bytes)", of("name"), of("type"), of("size"))
        }
        serde_json::Value::Array(values) => {
            values.iter().map(|value| text_of(value, name)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

impl Contents {
    /// The contents of a validated request.
    pub fn of(request: LeadRequest, position: String) -> Contents {
        Contents {
            name: request.name,
            email: request.email,
            company: request.company,
            position,
            phone: request.phone,
            project_type: request.project_type,
            message: request.message,
            app_name: request.app_name,
            app_type: request.app_type,
            app_description: request.app_description,
            form: None,
            visits_consent: None,
            visit: None,
        }
    }

    /// The name of the form; `None` for the lead form.
    pub fn form_name(&self) -> Option<&str> {
        self.form.as_ref().map(|form| form.form.as_str())
    }

    /// A hash of the contents. The captcha token is not part of it.
    pub fn fingerprint(&self) -> Hash {
        // Texts always serialize.
        hash(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A stored lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// A ULID: 26 letters and digits, greater for later leads.
    pub id: String,
    /// When it was received.
    pub at: Millis,
    /// The language of the visitor's page.
    pub locale: String,
    /// The verification status.
    pub status: Status,
    /// Why it is held or unverified.
    pub reason: Option<String>,
    /// The visitor's answers.
    #[serde(flatten)]
    pub contents: Contents,
}

impl Lead {
    /// The channels by which it is forwarded and answered, if the API has these channels. A form that names a webhook is sent
    /// there even if the API does not know it yet, so that nothing is lost.
    pub fn channels(&self, of_api: &[Channel]) -> Vec<Channel> {
        let form = self.contents.form.as_deref();
        let is_waiting = self.status == Status::Unconfirmed;
        let has_mail = of_api.contains(&Channel::Mail);
        let has = |channel: &Channel| match channel {
            Channel::Confirm => is_waiting && has_mail && !self.contents.email.is_empty(),
            _ if self.status.is_held() => false,
            Channel::Webhook => of_api.contains(channel) || form.is_some_and(|form| form.webhook.is_some()),
            Channel::Mail => has_mail,
            Channel::Answer => has_mail && form.is_some_and(|form| form.is_answered) && !self.contents.email.is_empty(),
        };
        Channel::ALL.into_iter().filter(has).collect()
    }
}

/// Creates a unique id (a ULID): the time and 80 random bits. Ids that a process creates in one millisecond are in order
/// too, so that lists show the newest lead first.
pub fn new_id(at: Millis) -> String {
    static LAST: Mutex<u128> = Mutex::new(0);
    ulid(next_id(&mut LAST.lock().unwrap_or_else(PoisonError::into_inner), at))
}

/// The number of the next id; `last` is the greatest number so far.
fn next_id(last: &mut u128, at: Millis) -> u128 {
    let mut random = [0_u8; 16];
    // The system's random number generator does not fail once seeded. If it did, the store would reject a duplicate id.
    let _ = ring::rand::SystemRandom::new().fill(&mut random[6..]);
    let random = u128::from_be_bytes(random);
    let first = first_number(at);
    // Within a millisecond the step is random, so that nobody can guess an id from the one before.
    let number = if first >> 80 == *last >> 80 { *last + 1 + (random >> 32) } else { first | random };
    *last = number.max(*last);
    number
}

/// Creates a key of 256 random bits, in hex.
pub fn new_key() -> String {
    let mut random = [0_u8; 32];
    // See [`new_id`].
    let _ = ring::rand::SystemRandom::new().fill(&mut random);
    data_encoding::HEXLOWER.encode(&random)
}

/// The smallest id for a time.
pub fn first_id(at: Millis) -> String {
    ulid(first_number(at))
}

fn first_number(at: Millis) -> u128 {
    u128::from(at.max(0).unsigned_abs()) << 80
}

fn ulid(number: u128) -> String {
    const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    (0..26).rev().map(|place| char::from(LETTERS[(number >> (place * 5)) as usize & 31])).collect()
}

/// How a notification is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A signed HTTP request.
    Webhook,
    /// An email.
    Mail,
    /// An email to the visitor.
    Answer,
    /// An email that asks the visitor to confirm.
    Confirm,
}

impl Channel {
    /// All channels.
    pub const ALL: [Channel; 4] = [Channel::Webhook, Channel::Mail, Channel::Answer, Channel::Confirm];

    /// Says if it is a mail to the address that a visitor has typed.
    pub fn is_to_visitor(self) -> bool {
        matches!(self, Channel::Answer | Channel::Confirm)
    }

    /// The name in stores and in output.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Webhook => "webhook",
            Channel::Mail => "mail",
            Channel::Answer => "answer",
            Channel::Confirm => "confirm",
        }
    }

    /// The names of channels, separated by blanks.
    pub fn names(channels: &[Channel]) -> String {
        channels.iter().map(|channel| channel.name()).collect::<Vec<_>>().join(" ")
    }

    /// Looks up a channel by name.
    pub fn named(name: &str) -> Option<Channel> {
        Channel::ALL.into_iter().find(|channel| channel.name() == name)
    }
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// The next attempt is at this time.
    Due(Millis),
    /// It was delivered.
    Done,
    /// It was given up, after a day or because the receiver is gone. `sitegen leads retry` tries again.
    Dead,
}

impl DeliveryState {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryState::Due(_) => "due",
            DeliveryState::Done => "done",
            DeliveryState::Dead => "dead",
        }
    }

    /// When it is tried next.
    pub fn next(self) -> Option<Millis> {
        match self {
            DeliveryState::Due(at) => Some(at),
            DeliveryState::Done | DeliveryState::Dead => None,
        }
    }
}

/// The delivery of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The lead's id and the channel. It is the same for all attempts, so that the receiver can drop duplicates.
    pub id: String,
    /// The lead's id.
    pub lead: String,
    /// The channel.
    pub channel: Channel,
    /// The state.
    pub state: DeliveryState,
    /// The number of attempts.
    pub attempts: u32,
    /// When it was queued.
    pub since: Millis,
    /// Why the last attempt failed; contains no data of the lead.
    pub trouble: Option<String>,
}

impl Delivery {
    /// The id for a lead and a channel.
    pub fn id(lead: &str, channel: Channel) -> String {
        format!("{lead}-{}", channel.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_ids_are_greater_and_no_two_are_equal() {
        let ids: Vec<String> = (0..1000).map(|at| new_id(1_741_944_605_000 + at)).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.len() == 26));
        assert_ne!(new_id(1), new_id(1));
        let mut last = 0;
        let of_one_moment: Vec<String> = (0..1000).map(|_| ulid(next_id(&mut last, 1_741_944_700_000))).collect();
        assert!(of_one_moment.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(first_id(5) <= new_id(5) && new_id(4) < first_id(5));
    }

    #[test]
    fn a_lead_without_a_form_is_stored_as_before_there_were_forms() {
        let contents = Contents { name: "Ana".into(), ..Contents::default() };
        let text = serde_json::to_string(&contents).expect("JSON");
        let expect = r#"{"name":"Ana","email":"","company":"","position":"","phone":"","projectType":"","message":"","appName":null,"appType":null,"appDescription":null}"#;
        assert_eq!(text, expect);
        assert_eq!(serde_json::from_str::<Contents>(expect).expect("contents"), contents);
        let answers = serde_json::json!({"day": "2027-01-31", "clinic": "madrid", "times": ["a", "b"]});
        let form = Answers { answers: answers.as_object().expect("an object").clone(), ..Answers::default() };
        let contents = Contents { form: Some(Box::new(form)), ..contents };
        let text = serde_json::to_string(&contents).expect("JSON");
        assert_eq!(serde_json::from_str::<Contents>(&text).expect("contents"), contents);
        let texts: Vec<String> = contents.form.iter().flat_map(|form| form.texts()).map(|(_, text)| text).collect();
        assert_eq!(texts, ["2027-01-31", "madrid", "a, b"], "in the order of the form");
    }

    #[test]
    fn a_proof_of_consent_is_read_only_in_its_form() {
        let proof = VisitsConsent::parse("0a1b2c3d.denied.2027-03-01T09:30:00.000Z").expect("a proof");
        assert_eq!(proof.text(), "denied on 2027-03-01T09:30:00.000Z (version 0a1b2c3d)");
        for signal in [
            "",
            "granted",
            "0a1b2c3d.maybe.2027-03-01T09:30:00.000Z",
            "0A1B2C3D.granted.2027-03-01T09:30:00.000Z",
            "0a1b2c3.granted.2027-03-01T09:30:00.000Z",
            "0a1b2c3d.granted.2027-03-01",
            "0a1b2c3d.granted.2027-03-01T09:30:00.000Z\r\nBcc: x",
            "=cmd()...granted.2027-03-01T09:30:00.000Z",
        ] {
            assert_eq!(VisitsConsent::parse(signal), None, "{signal}");
        }
    }

    #[test]
    fn names_are_parsed_back() {
        for status in Status::ALL {
            assert_eq!(Status::named(status.name()), Some(status));
        }
        for channel in Channel::ALL {
            assert_eq!(Channel::named(channel.name()), Some(channel));
        }
    }
}
