//! Checks the words of a form that is sent by `POST /api/leads`: the template of its message, which has what no key of the call
//! takes.

use std::sync::Arc;

use api_types::forms::{self as contract, AnswerType};
use api_types::leads::{self, LeadValue};
use content::Content;
use content::forms::FormWords;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, did_you_mean};
use diagnostics::yaml;

use super::Join;

/// The kinds of mistakes that have words of their own.
const MISTAKES: &[&str] = &[
    "required",
    "one_required",
    "invalid_email",
    "invalid_value",
    "out_of_range",
    "too_long",
];

/// Reports a second form that sends leads: the API answers with the page of one.
pub(super) fn check_one(content: &Content, problems: &mut Problems) {
    let mut calling = content
        .forms
        .list
        .iter()
        .filter_map(|form| Some((form, form.form.call.as_ref()?)));
    if let (Some((first, _)), Some((second, call))) = (calling.next(), calling.next()) {
        let message = format!(
            "`{}` and `{}` both have `endpoint: leads`",
            first.name, second.name
        );
        let problem =
            Problem::error(Code::FormDeclaration, message).at(second.source.place(call.span));
        problems.push(
            problem.hint("remove `endpoint: leads` from one of the two forms; that form then has its own endpoint"),
        );
    }
}

impl Join<'_> {
    /// Reports a message that is missing, that the form does not send, that names no field, or that may become too long.
    pub(super) fn check_message(&mut self, words: &FormWords, source: &Arc<Source>) {
        let form = Arc::clone(&self.sources.form);
        let place = || yaml::place_of_key(source, &["message"]);
        let Some(template) = &words.message else {
            if form.call.is_some() {
                let hint = "add `message:` with a line such as `Topic: {topic}`".to_owned();
                let message =
                    "a form with `endpoint: leads` sends a message, but `message` is missing"
                        .to_owned();
                self.report(
                    Code::MissingKey,
                    Place::file(source.path.clone()),
                    message,
                    hint,
                );
            }
            return;
        };
        if form.call.is_none() {
            let hint = "add `endpoint: leads` to `form.yaml`, or remove `message`".to_owned();
            let message = "only a form with `endpoint: leads` sends a `message`".to_owned();
            self.report(Code::FormDeclaration, place(), message, hint);
            return;
        }
        let mut most = template.chars().count();
        for (_, name) in contract::placeholders(template) {
            let Some(declared) = form.field(name) else {
                let near = did_you_mean(
                    name,
                    form.fields.iter().map(|field| field.field.name.as_str()),
                );
                let message = format!("the form has no field `{name}`");
                let place = yaml::place_of_text(source, &["message"], &format!("{{{name}}}"));
                self.report(Code::UnknownPlaceholder, place, message, near);
                continue;
            };
            let names = words
                .fields
                .get(name)
                .into_iter()
                .flat_map(|words| words.choices.values());
            most += match declared.field.takes {
                AnswerType::Choice => names
                    .map(|name| name.chars().count())
                    .max()
                    .unwrap_or_default(),
                _ => declared.field.most as usize,
            };
        }
        let key = leads::keys()
            .iter()
            .find(|key| key.value == LeadValue::Composed);
        let limit = key.map_or(0, |key| key.field.most as usize);
        if most > limit {
            let message =
                format!("this message can have {most} characters, but the API accepts {limit}");
            let hint =
                "shorten the message, or lower the `most` of a field that the message includes"
                    .to_owned();
            self.report(Code::FormDeclaration, place(), message, hint);
        }
    }

    /// Reports messages for a kind of mistake that nobody makes.
    pub(super) fn check_mistakes(&mut self, words: &FormWords, source: &Arc<Source>) {
        for kind in words
            .fields
            .values()
            .flat_map(|field| field.mistakes.keys())
        {
            if !MISTAKES.contains(&kind.as_str()) {
                let place = yaml::place_of_key(source, &["mistakes", kind]);
                let near = did_you_mean(kind, MISTAKES.iter().copied());
                self.report(
                    Code::UnknownId,
                    place,
                    format!("`mistakes` has no key `{kind}`"),
                    near,
                );
            }
        }
    }
}
