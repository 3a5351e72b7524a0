//! Checks an answer to a form of the site by what the build wrote of the form: types, choices, limits, conditions. All
//! errors are found, not only the first one.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _, Unit};
use serde_json::{Map, Value};

use api_types::forms::{ANY, AnswerType, Form, FormField, MailTo};
use api_types::leads::{LeadErrorCode, clean_email, clean_line, clean_lines, is_plausible_email};

use crate::clock::Millis;

use super::contents::{Contents, StoredConsent};
use super::email;
use super::lead_files::{NewFile, SentFile};
use super::upload;

/// Names with the values that were sent for each.
pub(super) type Sent = Vec<(String, Vec<String>)>;
/// An invalid field, and why it is invalid.
pub(super) type Wrong = (String, LeadErrorCode);

/// The fewest digits of a phone number.
const PHONE_DIGITS: usize = 5;

/// The facts about an answer beside its fields.
#[derive(Debug, Clone, Default)]
pub(super) struct Known<'a> {
    /// The code of the visitor's language.
    pub locale: &'a str,
    /// The path of the page with the form.
    pub page: &'a str,
    /// The version of the form on that page.
    pub version: &'a str,
    /// When the answer arrived.
    pub now: Millis,
    /// Whether all fields were shown, as they are without JavaScript.
    pub all_are_shown: bool,
}

/// The contents of a valid answer, or all of its errors. A name that the form does not have is an error, and so is one that
/// was sent twice: its value would be lost.
pub(super) fn check(
    form: &Form,
    sent: &Sent,
    files: &[SentFile],
    known: &Known,
) -> Result<(Contents, Vec<NewFile>), Vec<Wrong>> {
    let unknown = sent.iter().filter(|(name, values)| match form.field(name) {
        Some(field) => values.len() > 1 && !field.list,
        None => values.len() > 1 || !form.consents.contains(name),
    });
    let unknown: Vec<Wrong> = unknown
        .map(|(name, _)| (name.clone(), LeadErrorCode::BadRequest))
        .collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let mut wrong = Vec::new();
    let mut answers: Map<String, Value> = Map::new();
    let mut stored = Vec::new();
    for field in &form.fields {
        if field.takes == AnswerType::File {
            let of_field: Vec<&SentFile> = files
                .iter()
                .filter(|file| file.field == field.name)
                .collect();
            match files_of(field, &of_field) {
                Ok(files) => {
                    let values: Vec<Value> = files.iter().map(NewFile::described).collect();
                    let value = if field.list {
                        Some(Value::Array(values))
                    } else {
                        values.into_iter().next()
                    };
                    answers.extend(
                        value
                            .filter(|_| !files.is_empty())
                            .map(|value| (field.name.clone(), value)),
                    );
                    stored.extend(files);
                }
                Err(code) => wrong.push((field.name.clone(), code)),
            }
        }
        let values = sent
            .iter()
            .find(|(name, _)| *name == field.name)
            .map_or(&[][..], |(_, values)| values);
        if field.takes == AnswerType::File && values.iter().all(String::is_empty) {
            continue;
        }
        match value(field, values, known) {
            Ok(Some(value)) => drop(answers.insert(field.name.clone(), value)),
            Ok(None) => {}
            Err(code) => wrong.push((field.name.clone(), code)),
        }
    }
    let values_of = |name: &str| texts(answers.get(name));
    let others = form
        .fields
        .iter()
        .filter(|field| !is_offered(field, values_of));
    wrong.extend(others.map(|field| (field.name.clone(), LeadErrorCode::InvalidChoice)));
    let hidden: Vec<&FormField> = form
        .fields
        .iter()
        .filter(|field| !field.is_shown(values_of))
        .collect();
    for field in form
        .fields
        .iter()
        .filter(|field| field.required && field.is_shown(values_of))
    {
        let is_empty = matches!(answers.get(&field.name), None | Some(Value::Bool(false)));
        if is_empty && !is_wrong(&wrong, &field.name) {
            wrong.push((field.name.clone(), LeadErrorCode::Required));
        }
    }
    wrong.extend(unasked(&hidden, &answers, &wrong, known.all_are_shown));
    for group in &form.require_one_of {
        if !group
            .iter()
            .any(|name| answers.contains_key(name) || is_wrong(&wrong, name))
        {
            wrong.extend(
                group
                    .first()
                    .map(|name| (name.clone(), LeadErrorCode::OneRequired)),
            );
        }
    }
    let consents: Vec<(String, Option<StoredConsent>)> = form
        .consents
        .iter()
        .map(|name| (name.clone(), consent(form, name, sent, known.locale)))
        .collect();
    wrong.extend(
        consents
            .iter()
            .filter(|(_, given)| given.is_none())
            .map(|(name, _)| (name.clone(), LeadErrorCode::Required)),
    );
    if !wrong.is_empty() {
        wrong.sort_by_key(|(name, _)| place_in(form, name));
        return Err(wrong);
    }
    // A flag that was not shown was not denied either.
    for field in hidden {
        if !has_answer(&answers, field) {
            answers.shift_remove(&field.name);
        }
    }
    let consents = consents
        .into_iter()
        .filter_map(|(name, given)| Some((name, given?)))
        .collect();
    let contents = Contents {
        // Of a form, the types tell whose answer it is: the first address, the first number, and the name of the person, or the
        // first text of one line if the form has none.
        name: if form.person.is_empty() {
            first_text(form, &answers, AnswerType::Text)
        } else {
            person(form, &answers)
        },
        email: first_text(form, &answers, AnswerType::Email),
        phone: first_text(form, &answers, AnswerType::Phone),
        mail_to: mail_to(form, &answers),
        webhook: form.webhook.clone(),
        needs_confirmation: form.confirm_days.is_some(),
        is_answered: form
            .languages
            .get(known.locale)
            .is_some_and(|language| language.answer.is_some()),
        form: form.name.clone(),
        version: clip(known.version, 64),
        page: super::visit::path(known.page, 500),
        answers,
        consents,
        ..Contents::default()
    };
    Ok((contents, stored))
}

fn is_wrong(wrong: &[Wrong], name: &str) -> bool {
    wrong.iter().any(|(other, _)| other == name)
}

/// The place of a field in the form; consents come last.
fn place_in(form: &Form, name: &str) -> usize {
    let fields = &mut form.fields.iter();
    fields
        .position(|field| field.name == name)
        .unwrap_or(usize::MAX)
}

/// The first answer to a field of a type, of one line.
fn first_text(form: &Form, answers: &Map<String, Value>, takes: AnswerType) -> String {
    let mut fields = form
        .fields
        .iter()
        .filter(|field| field.takes == takes && !field.lines);
    fields
        .find_map(|field| answers.get(&field.name)?.as_str())
        .unwrap_or_default()
        .to_owned()
}

/// The visitor's name.
fn person(form: &Form, answers: &Map<String, Value>) -> String {
    let parts = form
        .person
        .iter()
        .filter_map(|name| answers.get(name)?.as_str());
    parts.collect::<Vec<_>>().join(" ")
}

/// The files of a field.
fn files_of(field: &FormField, sent: &[&SentFile]) -> Result<Vec<NewFile>, LeadErrorCode> {
    if sent.len() > field.files_max() {
        return Err(LeadErrorCode::OutOfRange);
    }
    upload::checked(&field.accept, field.most, sent)
}

/// A text without its end.
fn clip(text: &str, most: usize) -> String {
    clean_line(text).chars().take(most).collect()
}

/// The value of a field; `None` if it is empty.
fn value(
    field: &FormField,
    sent: &[String],
    known: &Known,
) -> Result<Option<Value>, LeadErrorCode> {
    if field.takes == AnswerType::Flag {
        return match sent.first().map(|text| text.trim()).unwrap_or_default() {
            "" | "false" | "off" | "no" | "0" => Ok(Some(Value::Bool(false))),
            "true" | "on" | "yes" | "1" => Ok(Some(Value::Bool(true))),
            _ => Err(LeadErrorCode::InvalidValue),
        };
    }
    let mut values = Vec::new();
    for text in sent {
        let text = match field.takes {
            AnswerType::Email => clean_email(text),
            _ if field.lines => clean_lines(text),
            _ => clean_line(text),
        };
        if text.is_empty() {
            continue;
        }
        let value = one(field, text, known)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(if field.list {
        Some(Value::Array(values))
            .filter(|list| list.as_array().is_some_and(|list| !list.is_empty()))
    } else {
        values.pop()
    })
}

fn one(field: &FormField, text: String, known: &Known) -> Result<Value, LeadErrorCode> {
    use LeadErrorCode::{InvalidChoice, InvalidEmail, InvalidValue, OutOfRange, TooLong};
    // The length comes first: everything else takes time that grows with it.
    if matches!(field.takes, AnswerType::Choice | AnswerType::Reference) {
        return if field.choices.contains(&text) {
            Ok(text.into())
        } else {
            Err(InvalidChoice)
        };
    }
    if text.chars().count() > field.most as usize {
        let is_text = matches!(
            field.takes,
            AnswerType::Text | AnswerType::Email | AnswerType::Phone
        );
        return Err(if is_text { TooLong } else { InvalidValue });
    }
    match field.takes {
        // A file is no text.
        AnswerType::File => Err(InvalidValue),
        AnswerType::Email if !is_plausible_email(&text) || email::deliverable(&text).is_none() => {
            Err(InvalidEmail)
        }
        // Digits of every script: visitors write numbers as their language does.
        AnswerType::Phone if text.chars().filter(|c| c.is_numeric()).count() < PHONE_DIGITS => {
            Err(InvalidValue)
        }
        AnswerType::Date => {
            let day: Date = text.parse().map_err(|_| InvalidValue)?;
            // Other ways to write a day are read by the library, and shown by no control.
            if day.to_string() != text {
                return Err(InvalidValue);
            }
            let is_early =
                day_of(field.min.as_deref(), known.now, true).is_some_and(|min| day < min);
            let is_late =
                day_of(field.max.as_deref(), known.now, false).is_some_and(|max| day > max);
            if is_early || is_late {
                Err(OutOfRange)
            } else {
                Ok(text.into())
            }
        }
        AnswerType::Number => {
            let number: i64 = text.parse().map_err(|_| InvalidValue)?;
            let is_small = number_of(field.min.as_deref()).is_some_and(|min| number < min);
            let is_great = number_of(field.max.as_deref()).is_some_and(|max| number > max);
            if is_small || is_great {
                Err(OutOfRange)
            } else {
                Ok(number.into())
            }
        }
        AnswerType::Text if !has_pattern(field, &text) => Err(InvalidValue),
        AnswerType::Text
        | AnswerType::Email
        | AnswerType::Phone
        | AnswerType::Choice
        | AnswerType::Reference
        | AnswerType::Flag => Ok(text.into()),
    }
}

fn has_pattern(field: &FormField, text: &str) -> bool {
    let Some(pattern) = &field.pattern else {
        return true;
    };
    // The build has compiled it; one that is wrong all the same refuses nothing.
    regex::Regex::new(&format!("^(?:{pattern})$")).map_or(true, |pattern| pattern.is_match(text))
}

fn number_of(bound: Option<&str>) -> Option<i64> {
    bound?.parse().ok()
}

/// The day of a bound. Today is that of the visitors who live farthest west or east: 12 hours behind UTC, or 14 ahead of it.
fn day_of(bound: Option<&str>, now: Millis, is_min: bool) -> Option<Date> {
    let bound = bound?;
    if bound != "today" {
        return bound.parse().ok();
    }
    let now = Timestamp::from_millisecond(now)
        .ok()?
        .round(Unit::Second)
        .ok()?;
    let there = now.checked_add(if is_min { (-12).hours() } else { 14.hours() });
    Some(there.ok()?.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// The values of an answer as texts.
fn texts(answer: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match answer {
        Some(Value::Array(values)) => values.iter().map(text).collect(),
        answer => answer.into_iter().map(text).collect(),
    }
}

/// Whether the choices of a field are among those that the answer to another one offers. Without script all choices are
/// there, and what was chosen without that answer is not lost.
fn is_offered(field: &FormField, values_of: impl Fn(&str) -> Vec<String>) -> bool {
    let Some(by) = &field.choices_by else {
        return true;
    };
    let given = values_of(&by.field);
    given.is_empty()
        || values_of(&field.name)
            .iter()
            .all(|choice| by.offered(&given).any(|offered| offered == choice))
}

/// Answers to fields that are not shown with the other answers. With script nobody sends one; without, one is wrong if
/// another answer contradicts it. What follows from a field that is `wrong` is no second mistake.
fn unasked(
    hidden: &[&FormField],
    answers: &Map<String, Value>,
    wrong: &[Wrong],
    all_are_shown: bool,
) -> Vec<Wrong> {
    let is_wrong = |name: &str| wrong.iter().any(|(other, _)| other == name);
    let values_of = |name: &str| texts(answers.get(name));
    let mut unasked = Vec::new();
    for field in hidden.iter().filter(|field| has_answer(answers, field)) {
        let follows = is_wrong(&field.name) || field.depends_on().any(is_wrong);
        if !follows && (!all_are_shown || is_contradicted(field, values_of)) {
            let is_choice = matches!(field.takes, AnswerType::Choice | AnswerType::Reference);
            let code = if is_choice {
                LeadErrorCode::InvalidChoice
            } else {
                LeadErrorCode::InvalidValue
            };
            unasked.push((field.name.clone(), code));
        }
    }
    unasked
}

/// Whether a field has an answer. A flag that is not set is none.
fn has_answer(answers: &Map<String, Value>, field: &FormField) -> bool {
    answers
        .get(&field.name)
        .is_some_and(|value| *value != Value::Bool(false))
}

/// Whether the answer to another field says that this one is not asked. Without script both are shown, and what was entered
/// without that answer is not lost; so is what was entered beside a flag that somebody forgot to set.
fn is_contradicted(field: &FormField, values_of: impl Fn(&str) -> Vec<String>) -> bool {
    field.shown_when.iter().any(|condition| {
        let given = values_of(&condition.field);
        let is_wanted = |value: &String| {
            condition
                .values
                .iter()
                .any(|wanted| wanted == ANY || wanted == value)
        };
        given.iter().any(|value| value != "false") && !given.iter().any(is_wanted)
    })
}

/// The consent that was given. The hash says which words the visitor has seen; words that have changed since are not stored
/// as those that they agreed to.
fn consent(form: &Form, name: &str, sent: &Sent, locale: &str) -> Option<StoredConsent> {
    let given = sent
        .iter()
        .find(|(other, _)| other == name)?
        .1
        .first()?
        .trim()
        .to_owned();
    let is_hash = given.len() == 16 && given.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    let words = || {
        form.languages
            .get(locale)
            .into_iter()
            .chain(form.languages.values())
    };
    let words = words().find_map(|language| {
        language
            .consents
            .get(name)
            .filter(|consent| consent.hash == given)
    });
    is_hash.then(|| StoredConsent {
        words: words.map(|consent| consent.words.clone()),
        hash: given,
    })
}

fn mail_to(form: &Form, answers: &Map<String, Value>) -> Option<String> {
    match form.mail.as_ref()? {
        MailTo::Address(address) => Some(address.clone()),
        MailTo::Field { name, to } => to.get(answers.get(name)?.as_str()?).cloned(),
    }
}

/// The values of a JSON object, as a form would send them. A fraction is an invalid value: reading it has already changed
/// `1.10`, and no field takes one.
pub(super) fn from_json(object: Map<String, Value>) -> Result<Sent, Vec<Wrong>> {
    let text = |value: Value| match value {
        Value::String(text) => Ok(text),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) if number.is_f64() => Err(LeadErrorCode::InvalidValue),
        Value::Number(number) => Ok(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(LeadErrorCode::BadRequest),
    };
    let (mut sent, mut wrong) = (Vec::new(), Vec::new());
    for (name, value) in object.into_iter().filter(|(_, value)| !value.is_null()) {
        let values = match value {
            Value::Array(values) => values.into_iter().map(text).collect(),
            value => text(value).map(|text| vec![text]),
        };
        match values {
            Ok(values) => sent.push((name, values)),
            Err(code) => wrong.push((name, code)),
        }
    }
    if wrong.is_empty() {
        Ok(sent)
    } else {
        Err(wrong)
    }
}

/// The values of a form by name.
pub(super) fn from_fields(fields: &super::page::Fields) -> Sent {
    let mut sent: Sent = Vec::new();
    for (name, value) in fields {
        match sent.iter_mut().find(|(other, _)| other == name) {
            Some((_, values)) => values.push(value.clone()),
            None => sent.push((name.clone(), vec![value.clone()])),
        }
    }
    sent
}

#[cfg(test)]
mod tests;
