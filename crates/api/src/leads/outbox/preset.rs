//! A service's webhook, as data: one file for each service in `presets/`. A service is added without code.
//!
//! A file has the URL, headers and body of a request, with placeholders: `{email}` is a value of the lead, `{TOKEN}` one of the
//! operator, from the environment. It also says which answers mean that the lead arrived, and which ones that it never will.

use std::collections::{BTreeMap, BTreeSet};

use api_types::base_url::parts;
use api_types::forms::Form;
use serde::Deserialize;
use serde_json::Value;

use crate::clock;

use super::super::csv;
use super::super::lead::Lead;

/// The files by their names.
const FILES: [(&str, &str); 6] = [
    ("google-sheets", include_str!("presets/google-sheets.json")),
    ("hubspot", include_str!("presets/hubspot.json")),
    ("listmonk", include_str!("presets/listmonk.json")),
    ("mailchimp", include_str!("presets/mailchimp.json")),
    ("signed", include_str!("presets/signed.json")),
    ("slack", include_str!("presets/slack.json")),
];

/// The preset of a webhook that names none: the lead as signed JSON.
pub const DEFAULT: &str = "signed";

/// The requirements of a service.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Where the service documents it.
    #[expect(dead_code, reason = "it is for whoever changes the file")]
    source: String,
    /// The URL, if it is not the operator's alone.
    pub url: Option<String>,
    /// The method of the request.
    #[serde(default = "post")]
    pub method: String,
    /// Headers, besides those of JSON.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// User and password.
    pub basic: Option<[String; 2]>,
    /// The body; without one, the lead is sent as signed JSON.
    pub body: Option<Value>,
    /// The replacements in each value of a lead, in this order: marks that the service reads.
    #[serde(default)]
    replace: Vec<(String, String)>,
    /// Whether the service reads values as formulas.
    #[serde(default)]
    has_formulas: bool,
    /// Whether it takes leads with an email address only.
    #[serde(default)]
    pub requires_email: bool,
    /// Whether people read what it takes, so that it can carry a message for them.
    #[serde(default)]
    pub takes_notices: bool,
    /// The statuses that mean success; if there are none, each from 200 to 299.
    #[serde(default)]
    done: Vec<u16>,
    /// The beginning of the address that an answer leads to, if success is a redirect.
    done_location: Option<String>,
    /// The statuses after which another try is of no use.
    #[serde(default)]
    permanent: Vec<u16>,
}

fn post() -> String {
    "POST".into()
}

/// Why a delivery failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It may succeed later.
    Temporary(String),
    /// It will not succeed until somebody changes something.
    Permanent(String),
    /// The lead lacks what the receiver requires.
    Unfit(String),
}

impl Failure {
    /// The reason.
    pub fn trouble(self) -> String {
        match self {
            Failure::Temporary(why) | Failure::Permanent(why) | Failure::Unfit(why) => why,
        }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Failure {
        Failure::Temporary(why)
    }
}

impl From<&str> for Failure {
    fn from(why: &str) -> Failure {
        Failure::Temporary(why.to_owned())
    }
}

impl Preset {
    /// The preset with a name. `None` for an unknown one.
    pub fn named(name: &str) -> Option<Preset> {
        let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
        // A test reads each file.
        serde_json::from_str(text).ok()
    }

    /// The names of all presets.
    pub fn names() -> String {
        FILES.map(|(name, _)| format!("`{name}`")).join(", ")
    }

    /// The names of the values that the operator gives, such as `TOKEN`.
    pub fn variables(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.each_template(&mut |text| {
            let names = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split_once('}'))
                .map(|(name, _)| name);
            found.extend(names.filter(|name| is_variable(name)).map(str::to_owned));
        });
        found
    }

    /// Reads each text that may have placeholders.
    fn each_template(&self, read: &mut dyn FnMut(&str)) {
        let texts = self
            .url
            .iter()
            .chain(self.headers.values())
            .chain(self.basic.iter().flatten());
        texts.for_each(|text| read(text));
        each_text(self.body.as_ref().unwrap_or(&Value::Null), read);
    }

    /// The values of a lead as the service takes them.
    pub fn values(
        &self,
        lead: &Lead,
        form: Option<&Form>,
        base_url: &str,
    ) -> BTreeMap<&'static str, String> {
        self.escaped(values(lead, form, base_url))
    }

    /// A message for people as the service takes it, by the placeholders of a lead.
    pub fn notice(&self, title: &str, text: &str) -> BTreeMap<&'static str, String> {
        self.escaped(BTreeMap::from([
            ("title", title.to_owned()),
            ("text", text.to_owned()),
        ]))
    }

    fn escaped(
        &self,
        mut values: BTreeMap<&'static str, String>,
    ) -> BTreeMap<&'static str, String> {
        for value in values.values_mut() {
            for (from, to) in &self.replace {
                *value = value.replace(from, to);
            }
            if self.has_formulas {
                *value = csv::guarded(value);
            }
        }
        values
    }

    /// Judges a response.
    pub fn judge(&self, status: u16, location: &str) -> Result<(), Failure> {
        let is_done = if self.done.is_empty() {
            (200..300).contains(&status)
        } else {
            self.done.contains(&status)
        };
        let why = format!("status {status}");
        match &self.done_location {
            Some(expected) if is_done && !location.starts_with(expected) => Err(
                Failure::Permanent(format!("{why}, but no redirect to {expected}")),
            ),
            _ if is_done => Ok(()),
            _ if self.permanent.contains(&status) => Err(Failure::Permanent(why)),
            _ => Err(Failure::Temporary(why)),
        }
    }
}

/// Whether a placeholder is a value of the operator.
fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

fn each_text(value: &Value, read: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => read(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, read)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, read)),
        _ => {}
    }
}

/// A text with its placeholders filled in, once: what a visitor has typed is no placeholder.
pub fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut written = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        written.push_str(before);
        let found = after
            .split_once('}')
            .and_then(|(name, after)| Some((value(name)?, after)));
        if let Some((found, after)) = found {
            written.push_str(&found);
            rest = after;
        } else {
            written.push('{');
            rest = after;
        }
    }
    written + rest
}

/// JSON with the placeholders of its texts filled in. Items of a list whose `value` is empty are left out.
pub fn filled_json(json: &Value, value: &dyn Fn(&str) -> Option<String>) -> Value {
    match json {
        Value::String(text) => filled(text, value).into(),
        Value::Array(items) => {
            let filled = items.iter().map(|item| filled_json(item, value));
            filled
                .filter(|item| item.get("value").is_none_or(|value| value != ""))
                .collect()
        }
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), filled_json(field, value)))
            .collect(),
        other => other.clone(),
    }
}

/// The values of a lead by the names of their placeholders.
fn values(lead: &Lead, site_form: Option<&Form>, base_url: &str) -> BTreeMap<&'static str, String> {
    let contents = &lead.contents;
    let (first_name, last_name) = contents
        .name
        .trim()
        .split_once(' ')
        .unwrap_or((contents.name.trim(), ""));
    let page = &contents.page;
    let title = [contents.topic(), &contents.name]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>();
    let text: Vec<String> = contents
        .labeled(site_form, &lead.locale)
        .map(|(label, value)| format!("{label}: {value}"))
        .collect();
    let page_url = if page.is_empty() {
        String::new()
    } else {
        format!("{}{page}", parts(base_url).0)
    };
    BTreeMap::from([
        ("id", lead.id.clone()),
        ("at", lead.at.to_string()),
        ("received", clock::iso(lead.at)),
        ("locale", lead.locale.clone()),
        ("status", lead.status.name().to_owned()),
        ("form", contents.form.clone()),
        ("page", page.clone()),
        ("page_url", page_url),
        ("title", title.join(": ")),
        ("text", text.join("\n")),
        ("name", contents.name.clone()),
        ("first_name", first_name.to_owned()),
        ("last_name", last_name.trim().to_owned()),
        ("email", contents.email.clone()),
        ("phone", contents.phone.clone()),
        ("company", contents.answer("company")),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::super::contents::Contents;
    use super::super::super::lead::Status;
    use super::*;

    fn lead(name: &str) -> Lead {
        let answers = serde_json::json!({"name": name, "email": "ana@example.com"});
        let contents = Contents::of_call(serde_json::from_value(answers).expect("an object"));
        Lead {
            id: "01".into(),
            at: 0,
            locale: "en".into(),
            status: Status::Verified,
            reason: None,
            contents,
        }
    }

    fn preset(name: &str) -> Preset {
        Preset::named(name).unwrap_or_else(|| panic!("{name}"))
    }

    #[test]
    fn each_file_is_read_and_names_only_values_that_there_are() {
        let known = values(&lead("Ana"), None, "https://a.example");
        for (name, _) in FILES {
            preset(name).each_template(&mut |text| {
                let value =
                    |name: &str| (is_variable(name) || known.contains_key(name)).then(String::new);
                assert!(!filled(text, &value).contains('{'), "{name}: {text}");
            });
        }
        assert_eq!(
            preset("hubspot")
                .variables()
                .into_iter()
                .collect::<Vec<_>>(),
            ["FORM", "PORTAL", "TOKEN"]
        );
        assert_eq!(
            preset("mailchimp")
                .variables()
                .into_iter()
                .collect::<Vec<_>>(),
            ["LIST", "SERVER", "TOKEN"]
        );
    }

    #[test]
    fn what_was_typed_is_neither_a_placeholder_nor_a_mark_of_the_service() {
        let slack = preset("slack");
        let typed = slack.values(&lead("<!channel> & {email} {TOKEN}"), None, "");
        let body = filled_json(slack.body.as_ref().expect("a body"), &|name| {
            typed.get(name).cloned()
        });
        let text = body["text"].as_str().expect("a text");
        assert!(
            text.starts_with("&lt;!channel&gt; &amp; {email} {TOKEN}\n"),
            "{text}"
        );
        let sheets = preset("google-sheets").values(&lead("=HYPERLINK(\"x\")"), None, "");
        assert_eq!(sheets["name"], "'=HYPERLINK(\"x\")");
    }

    #[test]
    fn fields_without_a_value_are_left_out() {
        let hubspot = preset("hubspot");
        let typed = hubspot.values(&lead("Ana María Ruiz"), None, "");
        let body = filled_json(hubspot.body.as_ref().expect("a body"), &|name| {
            typed.get(name).cloned()
        });
        let fields = body["fields"].as_array().expect("fields");
        let names: Vec<&str> = fields
            .iter()
            .filter_map(|field| field["name"].as_str())
            .collect();
        assert_eq!(names, ["email", "firstname", "lastname", "message"]);
        assert_eq!(fields[2]["value"], "María Ruiz");
    }

    #[test]
    fn answers_are_judged_as_the_service_documents_them() {
        for (name, status, location, expect) in [
            ("signed", 204, "", "done"),
            ("signed", 404, "", "later"),
            ("signed", 410, "", "never"),
            ("slack", 200, "", "done"),
            ("slack", 410, "", "never"),
            ("slack", 429, "", "later"),
            (
                "google-sheets",
                302,
                "https://script.googleusercontent.com/macros/echo?x",
                "done",
            ),
            (
                "google-sheets",
                302,
                "https://accounts.google.com/ServiceLogin",
                "never",
            ),
            ("google-sheets", 200, "", "later"),
            ("hubspot", 403, "", "never"),
            ("mailchimp", 500, "", "later"),
            ("listmonk", 200, "", "done"),
        ] {
            let judged = match preset(name).judge(status, location) {
                Ok(()) => "done",
                Err(Failure::Temporary(_)) => "later",
                Err(Failure::Permanent(_) | Failure::Unfit(_)) => "never",
            };
            assert_eq!(judged, expect, "{name} {status} {location}");
        }
    }
}
