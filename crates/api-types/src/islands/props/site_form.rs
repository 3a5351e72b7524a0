//! The props of a form that the site declares: its fields with their words, its steps, and what it is sent with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::forms::{AnswerType, ChoicesBy, Condition};

use super::Captcha;
use crate::islands::Props;

props! {
    /// A field of a form of the site.
    struct FormControl {
        /// Its name.
        name: String,
        /// The key of the call that the form makes, if that is not its name.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        key: Option<String>,
        /// Set if the call does not hold it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        unsent: Option<bool>,
        /// Set if the call has the labels of its choices, and not their values.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        labelled: Option<bool>,
        /// The type of its value.
        takes: AnswerType,
        /// Its name for visitors.
        label: String,
        /// How to fill it in.
        hint: Option<String>,
        /// The message if it is wrong, in place of those in `errors` of the form.
        error: Option<String>,
        /// The messages by error code, in place of both.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        mistakes: Option<BTreeMap<String, String>>,
        /// Whether it must have a value while it is shown.
        required: bool,
        /// Whether it takes several of its choices.
        list: bool,
        /// The height of a text of several lines.
        lines: Option<u32>,
        /// The least number or day, or `today`.
        min: Option<String>,
        /// The greatest number or day, or `today`.
        max: Option<String>,
        /// The most characters, or the most bytes of a file.
        most: u32,
        /// A regular expression that the whole text matches.
        pattern: Option<String>,
        /// The types of files that it takes, separated by commas.
        accept: Option<String>,
        /// The choices that it offers.
        choices: Vec<FormChoice>,
        /// It is shown while each of these fields has one of these values.
        shown_when: Vec<Condition>,
        /// It takes only the choices that the answer to another field offers, and is shown while there are some.
        choices_by: Option<ChoicesBy>,
        /// How browsers fill it in.
        autocomplete: Option<String>,
        /// The choice that is made at first.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        default: Option<String>,
        /// The words of a menu in which nothing is chosen.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        unchosen: Option<String>,
        /// How its choices are shown. Otherwise a menu, and those of a list as boxes to tick.
        #[cfg_attr(test, ts(type = r#""buttons" | "cards" | "radios" | null"#))]
        look: Option<String>,
        /// The parameter of the page's address that fills it in.
        from_query: Option<String>,
    }

    /// A value that can be chosen.
    struct FormChoice {
        /// The value.
        value: String,
        /// Its name for visitors.
        label: String,
        /// A sentence below the name, on a card.
        text: Option<String>,
        /// The icon of a card as SVG.
        icon: Option<String>,
        /// The text that is shown once it is chosen, as HTML.
        preview: Option<String>,
        /// The fragments of the page's address that choose it.
        anchors: Vec<String>,
    }

    /// A step of a form.
    struct FormStep {
        /// The names of its fields, in order.
        fields: Vec<String>,
        /// Its name in the list of steps.
        label: String,
        /// Its heading.
        title: String,
        /// The text below the heading, as HTML; can be empty.
        text: String,
        /// The text below the fields, as HTML.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        note: Option<String>,
    }

    /// A key of `POST /api/leads` that has the value of a field as it is.
    struct FormKey {
        /// The key.
        name: String,
        /// Whether it is sent only with a value.
        optional: bool,
    }

    /// A consent that the visitor must give.
    struct FormConsent {
        /// Its name.
        name: String,
        /// The words as HTML.
        html: String,
        /// The hash of the words, which is sent.
        hash: String,
    }
}

messages! {
    /// Interface messages of the forms of a site.
    FormMessages {
        required_mark, submitting, submission_failed, failed_to_submit, network_error, offline, fix_errors, too_long,
        captcha_title, captcha_blocked, captcha_loading, captcha_expired, leave_empty, step_of,
        form_progress, step_done, continue_action, back, try_again, start_over,
    }
}

/// The request that sends a form.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "endpoint", rename_all = "lowercase")]
pub enum FormEndpoint {
    /// `POST /api/leads`, which has fixed keys.
    Leads {
        /// The template of the message: a line for each `{field}` with an answer.
        message: String,
        /// The other keys.
        keys: Vec<FormKey>,
    },
    /// `POST /api/forms/<name>`, which takes the names of the fields.
    Forms {
        /// The URL that is asked where to send files, if browsers send them by themselves.
        uploads: Option<String>,
    },
}

/// A form of the site.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SiteForm {
    /// Its name.
    pub name: String,
    /// Its id on the page.
    pub id: String,
    /// The URL that it is sent to.
    pub action: String,
    /// Which request sends it.
    #[serde(flatten)]
    pub endpoint: FormEndpoint,
    /// The page's language.
    pub locale: String,
    /// The path of the page.
    pub page: String,
    /// The version of the form.
    pub version: String,
    /// Its fields, in order.
    pub fields: Vec<FormControl>,
    /// Its steps, in order; none if it is on one page.
    pub steps: Vec<FormStep>,
    /// Whether the tab keeps what was entered until it is sent.
    pub draft: bool,
    /// The names of the fields whose answers stand above each later step.
    pub summary: Vec<String>,
    /// Whether it scrolls to the next step without delay.
    pub is_brisk: bool,
    /// The consents that the visitor must give.
    pub consents: Vec<FormConsent>,
    /// Groups of fields, of each of which one must have a value.
    pub require_one_of: Vec<Vec<String>>,
    /// The captcha, if it is sent with one.
    pub captcha: Option<Captcha>,
    /// The words of the button.
    pub submit: String,
    /// The heading once the answer is stored.
    pub success_title: String,
    /// The text about the next steps, as HTML.
    pub success_text: String,
    /// A drawing above that heading as SVG.
    pub drawing: Option<String>,
    /// The words of a button that empties the form after that.
    pub again: Option<String>,
    /// The message for each error code.
    pub errors: BTreeMap<String, String>,
    /// The name of the header with the idempotency key.
    pub key_header: String,
    /// The name of the header with what is known beside the fields.
    pub signals_header: String,
    /// The company's email address.
    pub email: Option<String>,
    /// The company's phone number.
    pub phone: Option<String>,
    /// Interface messages.
    pub messages: FormMessages,
}

impl Props for SiteForm {
    const MESSAGES: &'static [&'static str] = FormMessages::KEYS;
}
