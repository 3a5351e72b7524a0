//! The keys of `POST /api/leads`, which are data: `keys.json` declares them as a form declares its fields.
//!
//! [`checked`] is the only place that validates a lead. The build checks forms that send one by the same keys.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    LeadErrorCode, LeadFault, TOKEN, TOKEN_MAX, clean_email, clean_line, clean_lines,
    is_plausible_email,
};
use crate::forms::{AnswerType, FormField};

/// A key of the call.
#[derive(Debug, Clone, Deserialize)]
pub struct LeadKey {
    /// Its name, type and limits.
    #[serde(flatten)]
    pub field: FormField,
    /// Its name in tables and emails.
    pub label: String,
    /// Its description.
    pub text: String,
    /// Where its value comes from.
    #[serde(default)]
    pub value: LeadValue,
    /// Whether JSON has it only with a value.
    #[serde(default)]
    pub optional: bool,
    /// Whether a form has to fill it: without it, a lead would be refused, or say nothing.
    #[serde(default)]
    pub needed: bool,
}

/// The origin of a key's value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeadValue {
    /// The answer to a field.
    #[default]
    Answer,
    /// The label of a choice. It says what a lead is about.
    Label,
    /// The script of a form composes it from answers. Without JavaScript, it is an answer.
    Composed,
    /// An answer that only a form without JavaScript sends.
    Plain,
}

/// The contents of `keys.json`.
#[derive(Debug, Default, Deserialize)]
struct LeadKeys {
    /// In the order of JSON and of tables.
    keys: Vec<LeadKey>,
    /// In the order in which they are checked: a visitor is told the first error. It has the token of the captcha, too.
    checked: Vec<String>,
    /// In the order in which people read them.
    shown: Vec<String>,
}

// A test reads the file.
static KEYS: LazyLock<LeadKeys> =
    LazyLock::new(|| serde_json::from_str(include_str!("keys.json")).unwrap_or_default());

/// The texts of a lead by key, as they were sent.
pub type SentLead = BTreeMap<String, String>;

/// The keys, in the order of JSON and of tables.
pub fn keys() -> &'static [LeadKey] {
    &KEYS.keys
}

/// The keys, in the order in which people read them.
pub fn shown() -> impl Iterator<Item = &'static LeadKey> {
    KEYS.shown.iter().filter_map(|name| key(name))
}

/// The key with a name.
pub fn key(name: &str) -> Option<&'static LeadKey> {
    keys().iter().find(|key| key.field.name == name)
}

/// The key that takes a type of values.
pub fn key_of(takes: AnswerType) -> Option<&'static LeadKey> {
    keys().iter().find(|key| key.field.takes == takes)
}

impl LeadKey {
    /// Its name in JSON and in forms.
    pub fn name(&self) -> &str {
        &self.field.name
    }

    fn fault(&'static self, code: LeadErrorCode) -> LeadFault {
        LeadFault::of(self.name(), code)
    }

    /// Validates a text and normalizes it.
    fn checked(&'static self, sent: &str) -> Result<String, LeadFault> {
        let FormField {
            takes,
            lines,
            most,
            required,
            choices,
            ..
        } = &self.field;
        let text = match takes {
            AnswerType::Email => clean_email(sent),
            _ if *lines => clean_lines(sent),
            _ => clean_line(sent),
        };
        if text.chars().count() > *most as usize {
            Err(self.fault(LeadErrorCode::TooLong))
        } else if *required && text.is_empty() {
            Err(self.fault(LeadErrorCode::Required))
        } else if !(text.is_empty() || choices.is_empty() || choices.contains(&text)) {
            Err(self.fault(LeadErrorCode::InvalidChoice))
        } else {
            Ok(text)
        }
    }
}

/// Validates a lead, and returns its texts, normalized and in the order in which people read them. Returns the first error.
/// The captcha token is not verified.
pub fn checked(sent: &SentLead) -> Result<Map<String, Value>, LeadFault> {
    let mut texts = BTreeMap::new();
    for name in &KEYS.checked {
        let text = sent.get(name).map_or("", String::as_str);
        let Some(key) = key(name) else {
            if text.len() > TOKEN_MAX {
                return Err(LeadFault::of(TOKEN, LeadErrorCode::CaptchaRefused));
            }
            continue;
        };
        texts.insert(name, key.checked(text)?);
        if key.field.takes == AnswerType::Phone
            && let Some(email) = key_of(AnswerType::Email)
        {
            match texts
                .get(&email.field.name)
                .filter(|email| !email.is_empty())
            {
                None if texts[name].is_empty() => {
                    return Err(email.fault(LeadErrorCode::ContactRequired));
                }
                Some(text) if !is_plausible_email(text) => {
                    return Err(email.fault(LeadErrorCode::InvalidEmail));
                }
                _ => {}
            }
        }
    }
    let given =
        shown().filter_map(|key| Some((key.name().to_owned(), texts.remove(&key.field.name)?)));
    Ok(given
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| (name, text.into()))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::BODY_MAX;
    use super::*;

    /// A good lead with other texts.
    fn lead(texts: &[(&str, &str)]) -> SentLead {
        let known = [("name", "Ana"), ("email", "ana@example.com")];
        known
            .iter()
            .chain(texts)
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn check(texts: &[(&str, &str)], expect: Result<(), (&str, LeadErrorCode)>) {
        let found = checked(&lead(texts))
            .map(drop)
            .map_err(|fault| (fault.field.expect("a field"), fault.code));
        assert_eq!(found, expect, "{texts:?}");
    }

    #[test]
    fn the_lists_have_each_key_once() {
        let all: BTreeSet<&str> = keys().iter().map(LeadKey::name).collect();
        assert_eq!(all.len(), 10);
        assert_eq!(
            KEYS.shown
                .iter()
                .map(String::as_str)
                .collect::<BTreeSet<_>>(),
            all
        );
        assert_eq!(
            KEYS.checked
                .iter()
                .map(String::as_str)
                .filter(|name| *name != TOKEN)
                .collect::<BTreeSet<_>>(),
            all
        );
        assert_eq!((KEYS.shown.len(), KEYS.checked.len()), (10, 11));
    }

    #[test]
    fn a_name_is_required() {
        check(&[], Ok(()));
        for name in ["", "  ", "\u{0}\r\n\u{202e}"] {
            check(&[("name", name)], Err(("name", LeadErrorCode::Required)));
        }
    }

    #[test]
    fn an_email_address_or_a_phone_number_is_required() {
        check(
            &[("email", " ")],
            Err(("email", LeadErrorCode::ContactRequired)),
        );
        check(&[("email", " "), ("phone", "+57 2 555")], Ok(()));
    }

    #[test]
    fn email_addresses_are_plausible() {
        for good in [
            "a@b.co",
            "first.last+tag@mail.example.org",
            "ñandú@correo.example",
            "o'neil@example.ie",
            "x@bücher.example",
        ] {
            check(&[("email", good)], Ok(()));
        }
        for bad in [
            "a",
            "a@b",
            "@b.co",
            "a@",
            "a b@c.co",
            "a@b..co",
            "a@-b.co",
            ".a@b.co",
            "a@@b.co",
            "a@1.2.3.4",
            "a@b.co>",
        ] {
            check(
                &[("email", bad)],
                Err(("email", LeadErrorCode::InvalidEmail)),
            );
        }
    }

    #[test]
    fn lengths_are_counted_in_characters_after_cleaning() {
        check(&[("name", &format!(" {} ", "ñ".repeat(200)))], Ok(()));
        check(
            &[("name", &"ñ".repeat(201))],
            Err(("name", LeadErrorCode::TooLong)),
        );
        check(
            &[("message", &"x".repeat(10_001))],
            Err(("message", LeadErrorCode::TooLong)),
        );
    }

    #[test]
    fn of_several_errors_the_first_is_that_of_the_order() {
        let long = "x".repeat(10_001);
        for (texts, expect) in [
            (
                &[("name", ""), ("position", &*long)][..],
                ("position", LeadErrorCode::TooLong),
            ),
            (
                &[("email", "a"), ("phone", &long)],
                ("phone", LeadErrorCode::TooLong),
            ),
            (
                &[("email", "a"), ("appType", &long)],
                ("email", LeadErrorCode::InvalidEmail),
            ),
            (
                &[("company", &long), ("appType", &long)],
                ("appType", LeadErrorCode::TooLong),
            ),
            (
                &[("company", &long), (TOKEN, &long)],
                (TOKEN, LeadErrorCode::CaptchaRefused),
            ),
            (
                &[("appName", &long), ("message", &long)],
                ("message", LeadErrorCode::TooLong),
            ),
        ] {
            check(texts, Err(expect));
        }
    }

    #[test]
    fn no_lead_within_the_limits_exceeds_the_size_of_a_request() {
        let most =
            12 * keys().iter().map(|key| key.field.most).sum::<u32>() as usize + 3 * TOKEN_MAX;
        assert!(most + 1_000 <= BODY_MAX, "{most}");
    }

    #[test]
    fn a_choice_is_one_of_the_list() {
        for kind in ["website", "platform", "app", "workflow", ""] {
            check(&[("appType", kind)], Ok(()));
        }
        check(
            &[("appType", "spaceship")],
            Err(("appType", LeadErrorCode::InvalidChoice)),
        );
    }

    #[test]
    fn invisible_characters_are_dropped_and_line_breaks_are_normalized() {
        let sent = lead(&[
            ("message", "one\r\ntwo\u{202e}\rthree\tx\u{7}"),
            ("name", "A\u{0}na\r\nBcc: all@example.com"),
            ("company", " "),
        ]);
        let texts: Vec<(String, Value)> =
            checked(&sent).expect("a good lead").into_iter().collect();
        let expect = [
            ("name", "Ana  Bcc: all@example.com"),
            ("email", "ana@example.com"),
            ("message", "one\ntwo\nthree\tx"),
        ];
        assert_eq!(
            texts,
            expect.map(|(name, text)| (name.to_owned(), text.into()))
        );
    }
}
