//! The forms of a site, as `leads.json` holds them: the build writes them, and the API checks answers by them. Also the
//! response to an answer.
//!
//! A name with `_` in front is never that of a field, so what is known beside the fields cannot collide with one.

mod conditions;
mod uploads;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::leads::{BODY_MAX, LeadErrorCode, TOKEN_MAX};

pub use conditions::{ANY, ChoicesBy, Condition};
pub use uploads::{FileToUpload, FormUploads, SignedUpload, UploadsRequest};

/// The key of the captcha's token in JSON.
pub const TOKEN: &str = "_captcha";
/// The honeypot: a hidden control that only bots fill in.
pub const HONEYPOT: &str = "_website";
/// The control with the language of the page.
pub const LANGUAGE: &str = "_lang";
/// The address of the page with the form: a control, and without `_` a signal in the header.
pub const PAGE: &str = "_page";
/// The version of the form on the page: a control, and without `_` a signal in the header.
pub const VERSION: &str = "_version";
/// The names of the values beside the fields, in a form that is sent without JavaScript.
pub const CONTROLS: &[&str] = &[HONEYPOT, LANGUAGE, PAGE, VERSION];
/// The most characters of a text of one line, unless the form says otherwise.
pub const LINE_MAX: u32 = 200;
/// The most characters of a text of several lines, unless the form says otherwise.
pub const LINES_MAX: u32 = 2_000;
/// The most bytes of a file, unless the form says otherwise.
pub const FILE_MAX: u32 = 5 * 1024 * 1024;
/// The most bytes of all files of an answer.
pub const FILES_MAX: u64 = 50 * 1024 * 1024;
/// The types of files that a form can take, each with the ending of its files.
pub const FILE_TYPES: &[(&str, &str)] = &[
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/webp", "webp"),
    ("image/gif", "gif"),
    ("image/heif", "heic"),
    ("image/avif", "avif"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "docx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xlsx",
    ),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "pptx",
    ),
    ("application/vnd.oasis.opendocument.text", "odt"),
    ("application/vnd.oasis.opendocument.spreadsheet", "ods"),
];
/// The most characters of the token of an upload.
pub const UPLOAD_TOKEN_MAX: usize = 1_500;
/// The most bytes that a character takes in a request: `%F0%9F%A6%B7`, or as JSON `\ud83e\uddb7`.
const CHARACTER_MAX: usize = 12;
/// The room in a request for what is known beside the fields.
const SIGNALS_MAX: usize = 4_096;

/// A form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// The name of its folder, and the last part of its address.
    pub name: String,
    /// A hash of its fields and of the words of its consents. It changes with them.
    pub version: String,
    /// Its fields, in order.
    pub fields: Vec<FormField>,
    /// Groups of fields, of each of which one must have a value.
    #[serde(default)]
    pub require_one_of: Vec<Vec<String>>,
    /// The names of what the visitor must agree to.
    #[serde(default)]
    pub consents: Vec<String>,
    /// Whether it is sent with a captcha.
    pub captcha: bool,
    /// Who receives the mail about an answer, in place of the address that the API has.
    #[serde(default)]
    pub mail: Option<MailTo>,
    /// The name of the webhook that gets its answers, in place of the one that gets those of other forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// The number of days after which its answers are deleted, in place of that of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<u32>,
    /// The number of days that a visitor has to confirm an answer by mail; `None` if none is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm_days: Option<u32>,
    /// The fields with the visitor's name, in their order; none if nothing says which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub person: Vec<String>,
    /// The words of each language, by its code.
    pub languages: BTreeMap<String, FormLanguage>,
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormField {
    /// Its name: the key in JSON, and the name of the control.
    pub name: String,
    /// The type of its value.
    #[serde(rename = "type")]
    pub takes: AnswerType,
    /// Whether it must have a value while it is shown.
    #[serde(default)]
    pub required: bool,
    /// Whether it takes several of its choices.
    #[serde(default)]
    pub list: bool,
    /// Whether its text may have several lines.
    #[serde(default)]
    pub lines: bool,
    /// The least number or day; `today` is the day on which the answer is sent.
    #[serde(default)]
    pub min: Option<String>,
    /// The greatest number or day, or the most files.
    #[serde(default)]
    pub max: Option<String>,
    /// The most characters of one value, or the most bytes of a file.
    pub most: u32,
    /// A regular expression that the whole text matches.
    #[serde(default)]
    pub pattern: Option<String>,
    /// The media types of files that it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// The values of a choice, or the keys of the entries of a reference.
    #[serde(default)]
    pub choices: Vec<String>,
    /// It is shown while each of these fields has one of these values.
    #[serde(default)]
    pub shown_when: Vec<Condition>,
    /// It takes only the choices that the answer to another field offers, and is shown while there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices_by: Option<ChoicesBy>,
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are those of `type` in a form")]
pub enum AnswerType {
    Text,
    Email,
    Phone,
    Date,
    Number,
    Choice,
    Flag,
    Reference,
    File,
}

impl FormField {
    /// The most files that it takes.
    pub fn files_max(&self) -> usize {
        if self.list {
            self.max
                .as_ref()
                .and_then(|max| max.parse().ok())
                .unwrap_or(1)
        } else {
            1
        }
    }
}

impl AnswerType {
    /// All types.
    pub const ALL: [AnswerType; 9] = [
        AnswerType::Text,
        AnswerType::Email,
        AnswerType::Phone,
        AnswerType::Date,
        AnswerType::Number,
        AnswerType::Choice,
        AnswerType::Flag,
        AnswerType::Reference,
        AnswerType::File,
    ];

    /// The most characters of a value, unless the form says otherwise.
    pub fn most(self) -> u32 {
        match self {
            AnswerType::Email => 254,
            AnswerType::Phone => 50,
            AnswerType::Date => 10,
            AnswerType::Number => 20,
            AnswerType::Flag => 5,
            AnswerType::Text | AnswerType::Choice | AnswerType::Reference => LINE_MAX,
            AnswerType::File => FILE_MAX,
        }
    }
}

/// Who receives the mail about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailTo {
    /// Always the same address.
    Address(String),
    /// The address that belongs to the value of a field.
    Field {
        /// The name of the field, a reference.
        name: String,
        /// The addresses by key.
        to: BTreeMap<String, String>,
    },
}

/// The words of a form in one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormLanguage {
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The labels of its fields, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The names of choices and of entries by field, as the form shows them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, BTreeMap<String, String>>,
    /// The message for a field with an error, in place of those of the error codes.
    #[serde(default)]
    pub errors: BTreeMap<String, String>,
    /// The messages for a field by error code, in place of both.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mistakes: BTreeMap<String, BTreeMap<String, String>>,
    /// The words of each consent, as plain text, by its name.
    #[serde(default)]
    pub consents: BTreeMap<String, Consent>,
    /// The HTML of a published page with the form.
    #[serde(default)]
    pub page: Option<String>,
    /// The URL of the page that thanks the visitor: root-relative, or absolute if the API runs on a separate host.
    #[serde(default)]
    pub thanks: Option<String>,
    /// The mail that answers the visitor, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<MailWords>,
    /// The request to confirm an answer, if the form has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<ConfirmWords>,
}

/// A mail to a visitor. `{field}` is the value of a field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailWords {
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// How a day of each month is written, from January on, with `{day}` and `{year}`; none if the mail has no date.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<String>,
    /// Whether its language is written from right to left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rtl: bool,
}

/// The request to a visitor to confirm an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmWords {
    /// The mail, to which the link is added.
    pub mail: MailWords,
    /// The words of the button, and of the link to its page.
    pub button: String,
    /// The message once the answer is confirmed, as HTML.
    pub done: String,
    /// The message if the link is wrong or too old.
    pub expired: String,
    /// The direction of the text: `ltr` or `rtl`.
    pub dir: String,
}

/// The names of placeholders in a text, with the byte at which each begins: `{name}`, as fields are called.
pub fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('{').filter_map(|(at, _)| {
        let (name, _) = text[at + 1..].split_once('}')?;
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then_some((at, name))
    })
}

/// A consent that a visitor gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Consent {
    /// The words, as plain text.
    pub words: String,
    /// A hash of the words, which the form sends: it says which words the visitor has seen.
    pub hash: String,
}

impl Form {
    /// A field by name.
    pub fn field(&self, name: &str) -> Option<&FormField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The label of a field in a language, without the mark of those that are required, as in `Email *`. `None` if the build
    /// has written none.
    pub fn label(&self, field: &str, locale: &str) -> Option<&str> {
        let label = self.languages.get(locale)?.labels.get(field)?;
        Some(label.strip_suffix(" *").unwrap_or(label))
    }

    /// The name of a value of a field in a language. `None` for other values.
    pub fn name(&self, field: &str, value: &str, locale: &str) -> Option<&str> {
        self.languages
            .get(locale)?
            .names
            .get(field)?
            .get(value)
            .map(String::as_str)
    }

    /// Whether it takes files.
    pub fn takes_files(&self) -> bool {
        self.fields
            .iter()
            .any(|field| field.takes == AnswerType::File)
    }

    /// The most files of an answer.
    pub fn files_count(&self) -> usize {
        self.fields
            .iter()
            .filter(|field| field.takes == AnswerType::File)
            .map(FormField::files_max)
            .sum()
    }

    /// The most bytes of its files.
    pub fn files_max(&self) -> u64 {
        let files = self
            .fields
            .iter()
            .filter(|field| field.takes == AnswerType::File);
        files
            .map(|field| u64::from(field.most) * field.files_max() as u64)
            .sum()
    }

    /// The most bytes of a request with an answer, without its files, in whichever script it is written.
    pub fn largest_request(&self) -> usize {
        let one = |field: &FormField| {
            let values = if field.list {
                field.choices.len().max(1)
            } else {
                1
            };
            let characters = match field.takes {
                // The values are those of the form.
                AnswerType::Choice | AnswerType::Reference => field
                    .choices
                    .iter()
                    .map(String::len)
                    .max()
                    .unwrap_or_default(),
                _ => field.most as usize,
            };
            values * (CHARACTER_MAX * (characters + 1) + field.name.len())
        };
        let texts = self
            .fields
            .iter()
            .filter(|field| field.takes != AnswerType::File);
        let fields: usize = texts.map(one).sum();
        let consents: usize = self.consents.iter().map(|name| name.len() + 100).sum();
        let uploads = self.files_count() * UPLOAD_TOKEN_MAX;
        // A token may need three bytes for each of its own.
        fields + consents + uploads + SIGNALS_MAX + if self.captcha { 3 * TOKEN_MAX } else { 0 }
    }

    /// Whether an answer fits into a request, in whichever script it is written.
    pub fn fits(&self) -> bool {
        self.largest_request() <= BODY_MAX
    }
}

/// The response to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FormAnswer {
    /// Whether the answer is stored durably.
    pub success: bool,
    /// The error message in the visitor's language.
    pub error: Option<String>,
    /// The error code, for programs.
    pub code: Option<LeadErrorCode>,
    /// The messages for fields by name, in the visitor's language.
    pub errors: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, most: u32) -> FormField {
        FormField {
            name: name.into(),
            takes: AnswerType::Text,
            required: false,
            list: false,
            lines: true,
            min: None,
            max: None,
            most,
            pattern: None,
            accept: Vec::new(),
            choices: Vec::new(),
            shown_when: Vec::new(),
            choices_by: None,
        }
    }

    fn form(fields: Vec<FormField>) -> Form {
        Form {
            name: "contact".into(),
            version: "1".into(),
            fields,
            require_one_of: Vec::new(),
            consents: vec!["privacy".into()],
            captcha: true,
            mail: None,
            webhook: None,
            keep_days: None,
            confirm_days: None,
            person: Vec::new(),
            languages: BTreeMap::new(),
        }
    }

    #[test]
    fn a_form_that_fits_does_so_in_every_script_and_encoding() {
        let form = form(vec![field("message", 10_000), field("more", 5_000)]);
        assert!(form.fits());
        for letter in ["a", "ñ", "牙", "🦷", "\n", "\"", "&", " "] {
            let texts = form
                .fields
                .iter()
                .map(|field| (&*field.name, letter.repeat(field.most as usize)));
            let texts: Vec<(&str, String)> =
                texts.chain([(TOKEN, "x".repeat(TOKEN_MAX))]).collect();
            let urlencoded: usize = texts
                .iter()
                .map(|(name, text)| name.len() + 2 + 3 * text.len())
                .sum();
            let escaped: usize = texts
                .iter()
                .map(|(name, text)| name.len() + 6 + 6 * text.encode_utf16().count())
                .sum();
            // A browser sends a line break as two characters.
            let breaks = if letter == "\n" { 2 } else { 1 };
            assert!(urlencoded * breaks <= BODY_MAX, "{letter:?}: {urlencoded}");
            assert!(escaped <= BODY_MAX, "{letter:?}: {escaped}");
        }
        let much = vec![field("message", 10_000), field("more", 10_000)];
        assert!(
            !Form {
                fields: much,
                ..form
            }
            .fits()
        );
    }
}
