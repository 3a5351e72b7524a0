//! Reads the call that sends a form, if it is not sent to its own address: `endpoint: leads` is `POST /api/leads`, with its
//! keys and no others. What no key takes is in the message, whose template is among the words of the form.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use api_types::forms::{AnswerType, FormField};
use api_types::leads::{AppType, LIMITS, LeadField, LeadLimits};
use diagnostics::problem::{Code, Problem, Span, did_you_mean};
use diagnostics::yaml::{Node, Spanned};

use super::{FormDeclaration, Reader};

/// A call of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Endpoint {
    /// `POST /api/leads`.
    Leads,
}

/// The call that sends a form: `POST /api/leads`.
#[derive(Debug, Clone)]
pub struct Call {
    /// The keys of the call, each with the field that it takes.
    pub keys: Vec<(LeadField, String)>,
    /// The place of `endpoint`.
    pub span: Span,
}

/// The keys that a form can fill. The visitor's own words are the `message` of a form that is sent without JavaScript; only
/// such a form sends the `position`.
const KEYS: [LeadField; 10] = [
    LeadField::Name,
    LeadField::Email,
    LeadField::Company,
    LeadField::Phone,
    LeadField::Position,
    LeadField::ProjectType,
    LeadField::Message,
    LeadField::AppName,
    LeadField::AppType,
    LeadField::AppDescription,
];
/// The keys without which a lead would be refused, or say nothing.
const NEEDED: [LeadField; 4] = [LeadField::Name, LeadField::Email, LeadField::ProjectType, LeadField::Message];

impl Call {
    /// The key that takes a field.
    pub fn key_of(&self, field: &str) -> Option<LeadField> {
        self.keys.iter().find(|(_, name)| name == field).map(|(key, _)| *key)
    }
}

/// The most characters that a key takes.
fn most(key: LeadField) -> u32 {
    let LeadLimits { name, email, company, phone, position, project_type, message, app_name, app_description } = LIMITS;
    match key {
        LeadField::Name => name,
        LeadField::Email => email,
        LeadField::Company => company,
        LeadField::Phone => phone,
        LeadField::Position => position,
        LeadField::ProjectType => project_type,
        LeadField::Message | LeadField::RecaptchaToken => message,
        LeadField::AppName | LeadField::AppType => app_name,
        LeadField::AppDescription => app_description,
    }
}

impl Reader<'_> {
    /// The call of a form. What the API would refuse is reported.
    pub(super) fn call(
        &mut self,
        form: &FormDeclaration,
        endpoint: Option<&Spanned<Endpoint>>,
        written: &BTreeMap<String, Spanned<String>>,
        node: &Node,
    ) -> Option<Call> {
        let Some(Spanned { value: Endpoint::Leads, span }) = endpoint else {
            if let Some(node) = node.get("call") {
                self.report(node.span, "`call` says what a form with `endpoint` sends", "add `endpoint: leads`");
            }
            return None;
        };
        let has_files = form.fields.iter().any(|field| field.field.takes == AnswerType::File);
        for (has_it, what) in [
            (has_files, "files"),
            (!form.consents.is_empty(), "`consent`"),
            (!form.captcha, "`captcha: false`"),
            (form.thanks.is_some(), "`thanks`: it is in `leads:` of `site.yaml`"),
            (form.mail.is_some() || form.webhook.is_some() || form.answer.is_some(), "`deliver`"),
            (form.keep_days.is_some(), "`keep_days`: it is in `leads:` of `site.yaml`"),
            (form.confirm.is_some(), "`confirm`"),
        ] {
            if has_it {
                let message = format!("a form with `endpoint: leads` has no {what}");
                self.report(*span, &message, "remove it, or `endpoint`: then the form has its own endpoint");
            }
        }
        let names: Vec<&str> = form.fields.iter().map(|field| field.field.name.as_str()).collect();
        let mut keys = Vec::new();
        for (key, field) in written {
            let Some(key) = KEYS.into_iter().find(|known| known.name() == key) else {
                let place = node.get("call").and_then(|node| node.get(key)).map_or(field.span, |node| node.span);
                let problem = Problem::error(Code::FormDeclaration, format!("the call has no key `{key}`"));
                let near = did_you_mean(key, KEYS.iter().map(|known| known.name()));
                self.problems.push(problem.at(self.source.place(place)).maybe_hint(near));
                self.is_wrong = true;
                continue;
            };
            match form.field(&field.value) {
                Some(declared) => self.fits(key, &declared.field, field.span),
                None => self.known(&names, &field.value, field.span),
            }
            keys.push((key, field.value.clone()));
        }
        for key in NEEDED {
            if keys.iter().all(|(known, _)| *known != key) {
                let message = format!("`call` names no field for `{}`", key.name());
                self.report(*span, &message, "add it below `call:`");
            }
        }
        keys.sort_by_key(|(key, _)| KEYS.iter().position(|known| known == key));
        Some(Call { keys, span: *span })
    }

    /// Reports a field that a key does not take.
    fn fits(&mut self, key: LeadField, field: &FormField, span: Span) {
        let name = &field.name;
        let limit = most(key);
        let is_chosen = matches!(key, LeadField::ProjectType | LeadField::AppType);
        let message = if field.list || (field.takes == AnswerType::Choice) != is_chosen {
            let what = if is_chosen { "one of several choices" } else { "a text" };
            format!("`{}` takes {what}, and `{name}` is none", key.name())
        } else if field.most > limit {
            format!("`{}` takes {limit} characters, and `{name}` has up to {}", key.name(), field.most)
        } else if key == LeadField::AppType && field.choices.iter().any(|kind| !AppType::NAMES.contains(&kind.as_str()))
        {
            format!("`appType` is one of {}", AppType::NAMES.join(", "))
        } else {
            return;
        };
        self.report(span, &message, "name another field, or change this one");
    }
}
