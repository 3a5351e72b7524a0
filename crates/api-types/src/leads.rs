//! The request and response of `POST /api/leads`, and the texts of forms.

mod keys;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;
use utoipa::ToSchema;

pub use keys::{LeadKey, LeadValue, SentLead, checked, key, key_of, keys, shown};

/// The field with the language of the response, in a form without JavaScript.
pub const LANGUAGE: &str = "lang";
/// The key of the captcha's token.
pub const TOKEN: &str = "recaptchaToken";
/// The maximum length of a captcha token, in bytes.
pub const TOKEN_MAX: usize = 8_192;
/// The maximum size of a request body, in bytes. No lead within the limits of its keys exceeds it, in whichever script it is
/// written: a character takes at most 12 bytes.
pub const BODY_MAX: usize = 256 * 1024;
/// The maximum size of a stored lead, in bytes: of the 12 bytes of a character in a request, 4 are stored.
pub const STORED_MAX: usize = BODY_MAX / 3;
/// The header with the spam signals [`HONEYPOT`] and [`ELAPSED`], URL-encoded. They are not part of the JSON, which
/// holds only the lead. A form sent without JavaScript has them as fields.
pub const SIGNALS_HEADER: &str = "x-form-signals";
/// The honeypot: a hidden field that only bots fill in.
pub const HONEYPOT: &str = "website";
/// The signal with the visitor's choice about the service that counts visits, and with its version and its time.
pub const CONSENT: &str = "consent";
/// The signal with the time between showing and submitting the form, in milliseconds.
pub const ELAPSED: &str = "elapsed";
/// A form submitted faster than this, in milliseconds, counts as spam.
pub const ELAPSED_MIN: u64 = 3_000;
/// The header with the key of a submission: the same lead sent again with the same key is the same submission.
pub const KEY_HEADER: &str = "idempotency-key";

/// The response to a lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeadAnswer {
    /// Whether the lead is stored durably.
    pub success: bool,
    /// The error message in the visitor's language.
    pub error: Option<String>,
    /// The error code, for programs.
    pub code: Option<LeadErrorCode>,
    /// The invalid field, if the error concerns one field.
    pub field: Option<String>,
}

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident $name:literal $words:literal)*) => {
        /// Why a lead was rejected. The list is closed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(rename_all = "snake_case")]
        pub enum LeadErrorCode {
            $($(#[$meta])* $code,)*
        }

        impl LeadErrorCode {
            /// All codes.
            pub const ALL: &[LeadErrorCode] = &[$(LeadErrorCode::$code),*];

            /// The name in JSON. The interface message for visitors is `lead_error_<name>`.
            pub fn name(self) -> &'static str {
                match self { $(LeadErrorCode::$code => $name,)* }
            }

            /// The message in English, for locales that have none for this code.
            pub fn words(self) -> &'static str {
                match self { $(LeadErrorCode::$code => $words,)* }
            }
        }
    };
}

codes! {
    /// A required field is empty.
    Required "required" "Please fill in this field."
    /// Neither an email address nor a phone number was given.
    ContactRequired "contact_required" "Please provide at least email or phone number."
    /// The email address is invalid.
    InvalidEmail "invalid_email" "Please check the email address."
    /// The field is longer than its limit.
    TooLong "too_long" "This text is too long."
    /// The value is not one of the field's type: not a day, a number, a phone number, or not of the form's pattern.
    InvalidValue "invalid_value" "Please check this."
    /// The number or the day is outside of what the form accepts.
    OutOfRange "out_of_range" "Please choose a value within the range."
    /// An upload did not arrive, is too old, or belongs to another answer.
    UploadMissing "upload_missing" "This file did not arrive. Please send it again."
    /// None of the fields of a group has a value.
    OneRequired "one_required" "Please fill in one of these fields."
    /// The value is not one of the options.
    InvalidChoice "invalid_choice" "Please choose one of the options."
    /// The captcha token is missing.
    CaptchaRequired "captcha_required" "Please solve the captcha."
    /// The captcha provider rejected the token, or the token was used before.
    CaptchaRefused "captcha_refused" "The captcha was not accepted. Please solve it again."
    /// The request could not be parsed.
    BadRequest "bad_request" "The request could not be read."
    /// The idempotency key was used for a different lead.
    KeyConflict "key_conflict" "This submission was already sent with different details."
    /// The request's origin is not allowed.
    ForbiddenOrigin "forbidden_origin" "Leads are not accepted from this site."
    /// The site rejects leads sent without JavaScript.
    ScriptRequired "script_required" "Please turn on JavaScript to send this form, or email us."
    /// The route does not support the request's method.
    MethodNotAllowed "method_not_allowed" "This URL only accepts POST."
    /// The body was not received in time.
    Timeout "timeout" "The request took too long. Please try again."
    /// The body is larger than [`BODY_MAX`].
    TooLarge "too_large" "The request is too large."
    /// The body is neither JSON nor a form.
    UnsupportedMediaType "unsupported_media_type" "Send application/json."
    /// The rate limit was exceeded.
    RateLimited "rate_limited" "Too many requests. Please wait a moment and try again."
    /// The lead could not be stored.
    Unavailable "unavailable" "We cannot take your request right now. Please try again in a moment."
}

/// Why a lead is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadFault {
    /// The error code.
    pub code: LeadErrorCode,
    /// The invalid field, if the error concerns one field.
    pub field: Option<&'static str>,
}

impl LeadFault {
    /// An error in one field.
    pub fn of(field: &'static str, code: LeadErrorCode) -> LeadFault {
        LeadFault {
            code,
            field: Some(field),
        }
    }
}

/// The text as a single line, trimmed and without invisible characters.
pub fn clean_line(text: &str) -> String {
    let text: String = text
        .chars()
        .filter_map(|c| {
            if is_break(c) || c == '\t' {
                Some(' ')
            } else {
                visible(c)
            }
        })
        .collect();
    trimmed(&text)
}

/// An email address, without characters that nobody sees: who copies one from a page takes them along. Accents
/// are part of their letters (NFC), as mail servers expect.
pub fn clean_email(text: &str) -> String {
    let seen = text.nfc().filter(|c| !is_invisible(*c));
    clean_line(&seen.collect::<String>())
}

/// The text with `\n` as its only line breaks, trimmed and without invisible characters.
pub fn clean_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let text: String = text
        .chars()
        .filter_map(|c| {
            if is_break(c) {
                Some('\n')
            } else {
                visible(c).or((c == '\t').then_some(c))
            }
        })
        .collect();
    trimmed(&text)
}

fn trimmed(text: &str) -> String {
    if is_blank(text) {
        String::new()
    } else {
        text.trim().to_owned()
    }
}

/// Whether a character is for private use, or is none.
fn is_unassigned(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{f0000}'..)
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Whether a reader sees nothing of a text.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Drops control characters and bidirectional overrides, which nobody types into a form.
fn visible(c: char) -> Option<char> {
    let is_bidi_control =
        matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    (!c.is_control() && !is_bidi_control).then_some(c)
}

/// Whether a character has no shape and no width of its own (`Default_Ignorable_Code_Point` in Unicode), or is a format
/// character. In a word of Persian or in an emoji it can have a meaning, in an address it has none.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether the address is syntactically valid. Whether mail can be delivered there is not checked.
pub fn is_plausible_email(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else {
        return false;
    };
    let forbidden = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || is_invisible(c)
            || matches!(
                c,
                '<' | '>' | '(' | ')' | ',' | ';' | ':' | '\\' | '"' | '[' | ']' | '@'
            )
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .chars()
                .all(|c| c == '-' || c.is_alphanumeric() || !c.is_ascii())
    };
    (1..=64).contains(&local.len())
        && !local.contains(forbidden)
        && !local.contains(is_unassigned)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && !domain.contains(forbidden)
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && !domain
            .rsplit('.')
            .next()
            .is_some_and(|last| last.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::LeadErrorCode;

    #[test]
    fn names_are_those_of_the_json() {
        for code in LeadErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("JSON"), code.name());
        }
    }
}
