//! The contents of a lead: the answers of a visitor to a form, and the facts beside them. A lead that was sent to
//! `POST /api/leads` has the keys of this call as the names of its fields.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use api_types::forms::{AnswerType, Form};
use api_types::leads::{LeadValue, key, key_of, keys};

use super::lead::{Hash, hash};
use super::visit::Visit;

/// A form that a visitor has filled in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Contents {
    /// The name of the form; empty for the call `POST /api/leads`.
    pub form: String,
    /// The version of the form that the visitor saw.
    pub version: String,
    /// The path of the page with the form.
    pub page: String,
    /// The values by the names of the fields, in the order of the form.
    pub answers: Map<String, Value>,
    /// The consents that the visitor gave, by name.
    pub consents: BTreeMap<String, StoredConsent>,
    /// The recipients of the email, if they aren't those of the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail_to: Option<String>,
    /// The name of the webhook that gets it, if not the one of the other forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// Whether the visitor gets an email.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_answered: bool,
    /// Whether the visitor has to confirm it by email before it is forwarded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub needs_confirmation: bool,
    /// The visitor's name, if a field has it.
    pub name: String,
    /// The visitor's email address, if a field has it.
    pub email: String,
    /// The visitor's phone number, if a field has it.
    pub phone: String,
    /// The choice about the service that counts visits, if the site asks for one; `None` if the visitor made none. It is not
    /// part of the fingerprint: the same lead sent again after a choice is the same lead.
    #[serde(rename = "visitsConsent", skip_serializing_if = "Option::is_none")]
    pub visits_consent: Option<VisitsConsent>,
    /// Where it came from. It isn't part of the fingerprint either.
    #[serde(skip_serializing_if = "Option::is_none")]
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
        let is_version = version.len() == 8
            && version
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let is_choice = matches!(choice, "granted" | "denied");
        let shape = b"0000-00-00T00:00:00.000Z";
        let is_date = date.len() == shape.len()
            && date.bytes().zip(shape).all(|(b, form)| {
                if *form == b'0' {
                    b.is_ascii_digit()
                } else {
                    b == *form
                }
            });
        (is_version && is_choice && is_date).then(|| VisitsConsent {
            version: version.to_owned(),
            choice: choice.to_owned(),
            date: date.to_owned(),
        })
    }

    /// The choice on one line.
    pub fn text(&self) -> String {
        format!(
            "{} on {} (version {})",
            self.choice, self.date, self.version
        )
    }
}

/// A text that a visitor agreed to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredConsent {
    /// The text; `None` if it had changed before the lead arrived.
    pub words: Option<String>,
    /// Its hash.
    pub hash: String,
}

/// A value as text; several values are joined by commas. `name` gives the names of choices, entries and flags.
fn text(value: &Value, name: &dyn Fn(&str) -> Option<String>) -> String {
    match value {
        Value::String(text) => name(text).unwrap_or_else(|| text.clone()),
        // A file.
        Value::Object(file) => {
            let [of_file, kind, size] =
                ["name", "type", "size"].map(|part| file.get(part).map(plain).unwrap_or_default());
            format!("{of_file} ({kind}, {size} bytes)")
        }
        Value::Array(values) => values
            .iter()
            .map(|value| text(value, name))
            .collect::<Vec<_>>()
            .join(", "),
        other => {
            let written = other.to_string();
            name(&written).unwrap_or(written)
        }
    }
}

/// A value as text, without names.
fn plain(value: &Value) -> String {
    text(value, &|_| None)
}

impl Contents {
    /// The contents of a lead by the keys of the call.
    pub fn of_call(answers: Map<String, Value>) -> Contents {
        let of = |takes: AnswerType| {
            let answer = key_of(takes).and_then(|key| answers.get(key.name())?.as_str());
            answer.unwrap_or_default().to_owned()
        };
        Contents {
            name: of(AnswerType::Text),
            email: of(AnswerType::Email),
            phone: of(AnswerType::Phone),
            answers,
            ..Contents::default()
        }
    }

    /// The values as texts, with the names of their fields.
    pub fn fields(&self) -> impl Iterator<Item = (&str, String)> {
        self.answers
            .iter()
            .map(|(name, value)| (name.as_str(), plain(value)))
    }

    /// The same, with choices and entries as their form names them in a language.
    pub fn fields_in<'a>(
        &'a self,
        form: Option<&'a Form>,
        locale: &'a str,
    ) -> impl Iterator<Item = (&'a str, String)> {
        self.answers.iter().map(move |(field, value)| {
            let named = text(value, &|value| {
                form?.name(field, value, locale).map(str::to_owned)
            });
            (field.as_str(), named)
        })
    }

    /// The same, with the labels of the fields.
    pub fn labeled<'a>(
        &'a self,
        form: Option<&'a Form>,
        locale: &'a str,
    ) -> impl Iterator<Item = (&'a str, String)> {
        self.fields_in(form, locale)
            .map(move |(field, text)| (self.label(field, form, locale), text))
    }

    /// The value of a field as text; empty without one.
    pub fn answer(&self, name: &str) -> String {
        self.answers.get(name).map(plain).unwrap_or_default()
    }

    /// The label of a field: that of the form in a language, or that of a key of the call, or else its name.
    pub fn label<'a>(&self, name: &'a str, form: Option<&'a Form>, locale: &str) -> &'a str {
        let of_call = || {
            key(name)
                .filter(|_| self.form.is_empty())
                .map(|key| key.label.as_str())
        };
        form.and_then(|form| form.label(name, locale))
            .or_else(of_call)
            .unwrap_or(name)
    }

    /// The topic of the lead, for titles: the name of the form, or for the call the choice that it has the label of.
    pub fn topic(&self) -> &str {
        if !self.form.is_empty() {
            return &self.form;
        }
        let topic = keys().iter().find(|key| key.value == LeadValue::Label);
        topic
            .and_then(|key| self.answers.get(key.name())?.as_str())
            .unwrap_or_default()
    }

    /// Everything that the visitor has typed or chosen, each text once.
    pub fn texts(&self) -> Vec<String> {
        let known = [&self.name, &self.email, &self.phone].map(String::clone);
        let mut all: Vec<String> = Vec::new();
        for text in known.into_iter().chain(self.fields().map(|(_, text)| text)) {
            if !text.is_empty() && !all.contains(&text) {
                all.push(text);
            }
        }
        all
    }

    /// The contents as webhooks and exports have them: each key of the call, and another form below `form`.
    pub fn json(&self) -> Map<String, Value> {
        // Texts always serialize.
        let own = serde_json::to_value(self).unwrap_or_default();
        let Value::Object(mut form) = own else {
            return Map::new();
        };
        let person = ["name", "email", "phone"]
            .map(|name| form.shift_remove_entry(name))
            .into_iter()
            .flatten();
        let mut given: Map<String, Value> = if self.form.is_empty() {
            self.answers.clone()
        } else {
            person.collect()
        };
        let value = |optional: bool| if optional { Value::Null } else { "".into() };
        let mut all: Map<String, Value> = keys()
            .iter()
            .map(|key| {
                (
                    key.name().to_owned(),
                    given
                        .remove(key.name())
                        .unwrap_or_else(|| value(key.optional)),
                )
            })
            .collect();
        let visit = ["visitsConsent", "visit"].map(|name| form.shift_remove_entry(name));
        if !self.form.is_empty() {
            all.insert("form".into(), form.into());
        }
        all.extend(visit.into_iter().flatten());
        all
    }

    /// A hash of the contents. The captcha token is not part of it.
    pub fn fingerprint(&self) -> Hash {
        // Texts always serialize.
        hash(&serde_json::to_vec(&self.json()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).expect("an object")
    }

    #[test]
    fn webhooks_and_exports_have_the_keys_of_the_call() {
        let contents =
            Contents::of_call(object(serde_json::json!({"name": "Ana", "appType": "app"})));
        assert_eq!((&*contents.name, &*contents.email), ("Ana", ""));
        let json = serde_json::to_string(&contents.json()).expect("JSON");
        let expect = r#"{"name":"Ana","email":"","company":"","position":"","phone":"","projectType":"","message":"","appName":null,"appType":"app","appDescription":null}"#;
        assert_eq!(
            json, expect,
            "and their fingerprint is that of earlier programs"
        );
    }

    #[test]
    fn webhooks_and_exports_have_the_answers_to_a_form_below_it() {
        let answers = object(
            serde_json::json!({"day": "2027-01-31", "clinic": "madrid", "times": ["a", "b"]}),
        );
        let visit = Some(Visit {
            entry: "/".into(),
            ..Visit::default()
        });
        let contents = Contents {
            form: "visit".into(),
            email: "a@b.co".into(),
            answers,
            visit,
            ..Contents::default()
        };
        let json = serde_json::to_string(&contents.json()).expect("JSON");
        let expect = r#"{"name":"","email":"a@b.co","company":"","position":"","phone":"","projectType":"","message":"","appName":null,"appType":null,"appDescription":null,"form":{"form":"visit","version":"","page":"","answers":{"day":"2027-01-31","clinic":"madrid","times":["a","b"]},"consents":{}},"visit":{"entry":"/"}}"#;
        assert_eq!(json, expect);
        let stored = serde_json::to_string(&contents).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Contents>(&stored).expect("contents"),
            contents
        );
        let texts: Vec<String> = contents.fields().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            ["2027-01-31", "madrid", "a, b"],
            "in the order of the form"
        );
    }

    #[test]
    fn a_proof_of_consent_is_read_only_in_its_form() {
        let proof =
            VisitsConsent::parse("0a1b2c3d.denied.2027-03-01T09:30:00.000Z").expect("a proof");
        assert_eq!(
            proof.text(),
            "denied on 2027-03-01T09:30:00.000Z (version 0a1b2c3d)"
        );
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
}
