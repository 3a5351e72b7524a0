//! Reads the call that sends a form, if it is not sent to its own address: `endpoint: leads` is `POST /api/leads`, with its
//! keys and no others. What no key takes is in the message, whose template is among the words of the form.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use api_types::forms::{AnswerType, FormField};
use api_types::leads::{self, LeadKey, LeadValue};
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
    pub keys: Vec<(&'static LeadKey, String)>,
    /// The place of `endpoint`.
    pub span: Span,
}

impl Call {
    /// The key that takes a field.
    pub fn key_of(&self, field: &str) -> Option<&'static LeadKey> {
        self.keys
            .iter()
            .find(|(_, name)| name == field)
            .map(|(key, _)| *key)
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
        let Some(Spanned {
            value: Endpoint::Leads,
            span,
        }) = endpoint
        else {
            if let Some(node) = node.get("call") {
                self.report(
                    node.span,
                    "`call` is only for a form with `endpoint: leads`",
                    "add `endpoint: leads`",
                );
            }
            return None;
        };
        let has_files = form
            .fields
            .iter()
            .any(|field| field.field.takes == AnswerType::File);
        for (has_it, what) in [
            (has_files, "file fields"),
            (!form.consents.is_empty(), "`consent`"),
            (!form.captcha, "`captcha: false`"),
            (
                form.thanks.is_some(),
                "`thanks`, which is set in `leads` in `site.yaml`",
            ),
            (
                form.mail.is_some() || form.webhook.is_some() || form.answer.is_some(),
                "`deliver`",
            ),
            (
                form.keep_days.is_some(),
                "`keep_days`, which is set in `leads` in `site.yaml`",
            ),
            (form.confirm.is_some(), "`confirm`"),
        ] {
            if has_it {
                let message = format!("a form with `endpoint: leads` cannot have {what}");
                self.report(
                    *span,
                    &message,
                    "remove it, or remove `endpoint` to give the form its own endpoint",
                );
            }
        }
        let names: Vec<&str> = form
            .fields
            .iter()
            .map(|field| field.field.name.as_str())
            .collect();
        let mut keys = Vec::new();
        for (key, field) in written {
            let Some(key) = leads::key(key) else {
                let place = node
                    .get("call")
                    .and_then(|node| node.get(key))
                    .map_or(field.span, |node| node.span);
                let problem = Problem::error(
                    Code::FormDeclaration,
                    format!("`call` cannot have the key `{key}`"),
                );
                let near = did_you_mean(key, leads::keys().iter().map(LeadKey::name));
                self.problems
                    .push(problem.at(self.source.place(place)).maybe_hint(near));
                self.is_wrong = true;
                continue;
            };
            match form.field(&field.value) {
                Some(declared) => self.fits(key, &declared.field, field.span),
                None => self.known(&names, &field.value, field.span),
            }
            keys.push((key, field.value.clone()));
        }
        for key in leads::keys().iter().filter(|key| key.needed) {
            if keys
                .iter()
                .all(|(known, _): &(&LeadKey, String)| known.name() != key.name())
            {
                let message = format!("`call` has no field for `{}`", key.name());
                let hint = format!(
                    "add `{}: …` below `call:`, with the name of a field",
                    key.name()
                );
                let problem = Problem::error(Code::FormDeclaration, message);
                self.problems
                    .push(problem.at(self.source.place(*span)).hint(hint));
                self.is_wrong = true;
            }
        }
        Some(Call { keys, span: *span })
    }

    /// Reports a field that a key does not take.
    fn fits(&mut self, key: &LeadKey, field: &FormField, span: Span) {
        let (of_key, limit, name) = (key.name(), key.field.most, &field.name);
        let is_chosen = key.value == LeadValue::Label || key.field.takes == AnswerType::Choice;
        let known = &key.field.choices;
        let message = if field.list || (field.takes == AnswerType::Choice) != is_chosen {
            let what = if is_chosen { "single-choice" } else { "text" };
            format!("`{of_key}` needs a {what} field, but `{name}` is not one")
        } else if field.most > limit {
            format!(
                "`{of_key}` takes up to {limit} characters, but `{name}` can have {}",
                field.most
            )
        } else if !known.is_empty() && field.choices.iter().any(|choice| !known.contains(choice)) {
            format!("`{of_key}` must be one of `{}`", known.join("`, `"))
        } else {
            return;
        };
        self.report(
            span,
            &message,
            "choose a different field, or change this one",
        );
    }
}
