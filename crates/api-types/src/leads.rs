//! The request and response of `POST /api/leads`, and the length limits.
//!
//! [`LeadRequest::checked`] is the only place that validates a lead. The build checks forms that send one by [`LIMITS`], and
//! TypeScript has the types.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum length of each field of a lead, in characters.
pub const LIMITS: LeadLimits = LeadLimits {
    name: 200,
    email: 254,
    company: 200,
    phone: 50,
    position: 200,
    project_type: 200,
    message: 10_000,
    app_name: 200,
    app_description: 5_000,
};
/// The maximum length of a captcha token, in bytes.
pub const TOKEN_MAX: usize = 8_192;
/// The maximum size of a request body, in bytes. No lead within [`LIMITS`] exceeds it, in whichever script it is written: a
/// character takes at most 12 bytes.
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

/// A lead, as the form sends it. Fields that were left blank are empty or missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LeadRequest {
    /// The visitor's name. Required.
    pub name: String,
    /// The visitor's email address. Required unless `phone` is given.
    pub email: String,
    /// The visitor's company.
    pub company: String,
    /// The visitor's phone number. Required unless `email` is given.
    pub phone: String,
    /// The title of the chosen service.
    pub project_type: String,
    /// The message, composed by the form. It may have several lines.
    pub message: String,
    /// The token of the solved captcha.
    pub recaptcha_token: String,
    /// The name of the visitor's application, if there is one.
    pub app_name: Option<String>,
    /// The type of that application.
    #[schema(value_type = Option<AppType>)]
    pub app_type: Option<String>,
    /// A description of that application.
    pub app_description: Option<String>,
}

/// A lead sent by a browser without JavaScript: URL-encoded, and without a captcha. Fields that were left blank are empty
/// or missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PlainLead {
    /// The visitor's name. Required.
    #[schema(required = true)]
    pub name: String,
    /// The visitor's email address. Required unless `phone` is given.
    pub email: String,
    /// The visitor's company.
    pub company: String,
    /// The visitor's position in the company.
    pub position: String,
    /// The visitor's phone number. Required unless `email` is given.
    pub phone: String,
    /// The title of the chosen service.
    pub project_type: String,
    /// The message. It may have several lines.
    pub message: String,
    /// The name of the visitor's application, if there is one.
    pub app_name: String,
    /// The type of that application.
    #[schema(value_type = Option<AppType>)]
    pub app_type: String,
    /// A description of that application.
    pub app_description: String,
    /// The language of the response.
    pub lang: String,
    /// The honeypot field, which is hidden.
    pub website: String,
    /// The time between showing and submitting the form, in milliseconds.
    pub elapsed: String,
}

/// The types of application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppType {
    /// A website.
    Website,
    /// A platform.
    Platform,
    /// An app.
    App,
    /// A workflow.
    Workflow,
}

impl AppType {
    /// The names of all types.
    pub const NAMES: &[&str] = &["website", "platform", "app", "workflow"];
}

/// The maximum length of each field of a lead, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadLimits {
    /// Of `name`.
    pub name: u32,
    /// Of `email`.
    pub email: u32,
    /// Of `company`.
    pub company: u32,
    /// Of `phone`.
    pub phone: u32,
    /// Of `position`, which only the form without JavaScript sends.
    pub position: u32,
    /// Of `projectType`.
    pub project_type: u32,
    /// Of `message`.
    pub message: u32,
    /// Of `appName`.
    pub app_name: u32,
    /// Of `appDescription`.
    pub app_description: u32,
}

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
    pub field: Option<LeadField>,
}

/// A field of a lead, by its JSON name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are the fields of `LeadRequest`")]
pub enum LeadField {
    Name,
    Email,
    Company,
    Phone,
    Position,
    ProjectType,
    Message,
    AppName,
    AppType,
    AppDescription,
    RecaptchaToken,
}

impl LeadField {
    /// The keys of [`LeadRequest`] with values of fields as they are: not the composed message, and not the token.
    pub const ANSWERS: [LeadField; 8] = [
        LeadField::Name,
        LeadField::Email,
        LeadField::Company,
        LeadField::Phone,
        LeadField::ProjectType,
        LeadField::AppName,
        LeadField::AppType,
        LeadField::AppDescription,
    ];

    /// Whether JSON has it only with a value.
    pub fn is_optional(self) -> bool {
        matches!(self, LeadField::AppName | LeadField::AppType | LeadField::AppDescription)
    }

    /// Whether it has the label of a choice, and not its value.
    pub fn is_label(self) -> bool {
        self == LeadField::ProjectType
    }

    /// The name in JSON and in forms.
    pub fn name(self) -> &'static str {
        match self {
            LeadField::Name => "name",
            LeadField::Email => "email",
            LeadField::Company => "company",
            LeadField::Phone => "phone",
            LeadField::Position => "position",
            LeadField::ProjectType => "projectType",
            LeadField::Message => "message",
            LeadField::AppName => "appName",
            LeadField::AppType => "appType",
            LeadField::AppDescription => "appDescription",
            LeadField::RecaptchaToken => "recaptchaToken",
        }
    }
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
    pub field: Option<LeadField>,
}

impl LeadFault {
    /// An error in one field.
    pub fn of(field: LeadField, code: LeadErrorCode) -> LeadFault {
        LeadFault { code, field: Some(field) }
    }
}

impl LeadRequest {
    /// Validates the lead and normalizes its texts. Returns the first error. The captcha token is not verified.
    pub fn checked(self) -> Result<LeadRequest, LeadFault> {
        use LeadField as F;
        let optional = |text: Option<String>, field, max| -> Result<Option<String>, LeadFault> {
            let text = line(&text.unwrap_or_default(), field, max)?;
            Ok(Some(text).filter(|text| !text.is_empty()))
        };
        let name = line(&self.name, F::Name, LIMITS.name)?;
        if name.is_empty() {
            return Err(LeadFault::of(F::Name, LeadErrorCode::Required));
        }
        let email = line(&clean_email(&self.email), F::Email, LIMITS.email)?;
        let phone = line(&self.phone, F::Phone, LIMITS.phone)?;
        if email.is_empty() && phone.is_empty() {
            return Err(LeadFault::of(F::Email, LeadErrorCode::ContactRequired));
        }
        if !email.is_empty() && !is_plausible_email(&email) {
            return Err(LeadFault::of(F::Email, LeadErrorCode::InvalidEmail));
        }
        let app_type = optional(self.app_type, F::AppType, LIMITS.app_name)?;
        if app_type.as_deref().is_some_and(|kind| !AppType::NAMES.contains(&kind)) {
            return Err(LeadFault::of(F::AppType, LeadErrorCode::InvalidChoice));
        }
        let app_description =
            lines(&self.app_description.unwrap_or_default(), F::AppDescription, LIMITS.app_description)?;
        if self.recaptcha_token.len() > TOKEN_MAX {
            return Err(LeadFault::of(F::RecaptchaToken, LeadErrorCode::CaptchaRefused));
        }
        Ok(LeadRequest {
            company: line(&self.company, F::Company, LIMITS.company)?,
            project_type: line(&self.project_type, F::ProjectType, LIMITS.project_type)?,
            message: lines(&self.message, F::Message, LIMITS.message)?,
            recaptcha_token: self.recaptcha_token.trim().to_owned(),
            app_name: optional(self.app_name, F::AppName, LIMITS.app_name)?,
            app_description: Some(app_description).filter(|text| !text.is_empty()),
            name,
            email,
            phone,
            app_type,
        })
    }
}

/// Normalizes a single-line text: line breaks and tabs become spaces, invisible characters are dropped, and it is
/// trimmed.
pub fn line(text: &str, field: LeadField, max: u32) -> Result<String, LeadFault> {
    within(&clean_line(text), field, max)
}

/// The text as a single line, trimmed and without invisible characters.
pub fn clean_line(text: &str) -> String {
    let text: String =
        text.chars().filter_map(|c| if is_break(c) || c == '\t' { Some(' ') } else { visible(c) }).collect();
    text.trim().to_owned()
}

/// The text of an address, without characters that nobody sees: who copies an address from a page takes them along.
pub fn clean_email(text: &str) -> String {
    clean_line(&text.chars().filter(|c| !is_invisible(*c)).collect::<String>())
}

/// Normalizes a multi-line text: all line breaks become `\n`, invisible characters are dropped, and it is trimmed.
fn lines(text: &str, field: LeadField, max: u32) -> Result<String, LeadFault> {
    within(&clean_lines(text), field, max)
}

/// The text with `\n` as its only line breaks, trimmed and without invisible characters.
pub fn clean_lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let text: String = text
        .chars()
        .filter_map(|c| if is_break(c) { Some('\n') } else { visible(c).or((c == '\t').then_some(c)) })
        .collect();
    text.trim().to_owned()
}

fn within(text: &str, field: LeadField, max: u32) -> Result<String, LeadFault> {
    if text.chars().count() > max as usize {
        return Err(LeadFault::of(field, LeadErrorCode::TooLong));
    }
    Ok(text.to_owned())
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Drops control characters and bidirectional overrides, which nobody types into a form.
fn visible(c: char) -> Option<char> {
    let is_bidi_control = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    (!c.is_control() && !is_bidi_control).then_some(c)
}

/// Whether a character has no shape and no width of its own (`Default_Ignorable_Code_Point` in Unicode), or is a format
/// character. In a word of Persian or in an emoji it can have a meaning, in an address it has none.
fn is_invisible(c: char) -> bool {
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
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let forbidden = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || is_invisible(c)
            || matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | ':' | '\\' | '"' | '[' | ']' | '@')
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || c.is_alphanumeric() || !c.is_ascii())
    };
    (1..=64).contains(&local.len())
        && !local.contains(forbidden)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && !domain.contains(forbidden)
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && !domain.rsplit('.').next().is_some_and(|last| last.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lead() -> LeadRequest {
        LeadRequest { name: "Ana".into(), email: "ana@example.com".into(), ..LeadRequest::default() }
    }

    #[test]
    fn the_keys_of_answers_are_those_of_a_lead() {
        let lead = serde_json::to_value(lead()).expect("JSON");
        let others = [LeadField::Message, LeadField::RecaptchaToken];
        let keys: BTreeSet<&str> = LeadField::ANSWERS.into_iter().chain(others).map(LeadField::name).collect();
        assert_eq!(lead.as_object().expect("an object").keys().map(String::as_str).collect::<BTreeSet<_>>(), keys);
        // What may be missing is `null` without a value, and no text.
        for key in LeadField::ANSWERS {
            assert_eq!(lead[key.name()].is_null(), key.is_optional(), "{}", key.name());
        }
    }

    fn check(lead: LeadRequest, expect: Result<(), (LeadField, LeadErrorCode)>) {
        let shown = format!("{lead:?}");
        let found = lead.checked().map(|_| ()).map_err(|fault| (fault.field.expect("a field"), fault.code));
        assert_eq!(found, expect, "{shown}");
    }

    #[test]
    fn a_name_is_required() {
        check(lead(), Ok(()));
        for name in ["", "  ", "\u{0}\r\n\u{202e}"] {
            check(LeadRequest { name: name.into(), ..lead() }, Err((LeadField::Name, LeadErrorCode::Required)));
        }
    }

    #[test]
    fn an_email_address_or_a_phone_number_is_required() {
        let none = LeadRequest { email: " ".into(), ..lead() };
        check(none.clone(), Err((LeadField::Email, LeadErrorCode::ContactRequired)));
        check(LeadRequest { phone: "+57 2 555".into(), ..none }, Ok(()));
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
            check(LeadRequest { email: good.into(), ..lead() }, Ok(()));
        }
        for bad in
            ["a", "a@b", "@b.co", "a@", "a b@c.co", "a@b..co", "a@-b.co", ".a@b.co", "a@@b.co", "a@1.2.3.4", "a@b.co>"]
        {
            check(LeadRequest { email: bad.into(), ..lead() }, Err((LeadField::Email, LeadErrorCode::InvalidEmail)));
        }
    }

    #[test]
    fn lengths_are_counted_in_characters_after_cleaning() {
        check(LeadRequest { name: format!(" {} ", "ñ".repeat(200)), ..lead() }, Ok(()));
        check(LeadRequest { name: "ñ".repeat(201), ..lead() }, Err((LeadField::Name, LeadErrorCode::TooLong)));
        let long = "x".repeat(10_001);
        check(LeadRequest { message: long, ..lead() }, Err((LeadField::Message, LeadErrorCode::TooLong)));
    }

    #[test]
    fn no_lead_within_the_limits_exceeds_the_size_of_a_request() {
        let LeadLimits { name, email, company, phone, position, project_type, message, app_name, app_description } =
            LIMITS;
        // The type of an app is within the limit of its name.
        let texts = [name, email, company, phone, position, project_type, message, 2 * app_name, app_description];
        let most = 12 * texts.iter().sum::<u32>() as usize + 3 * TOKEN_MAX;
        assert!(most + 1_000 <= BODY_MAX, "{most}");
    }

    #[test]
    fn app_types_are_those_of_the_list() {
        for name in AppType::NAMES {
            let kind: AppType = serde_json::from_value((*name).into()).expect("a kind of that name");
            assert_eq!(serde_json::to_value(kind).expect("JSON"), *name);
            check(LeadRequest { app_type: Some((*name).into()), ..lead() }, Ok(()));
        }
        check(LeadRequest { app_type: Some(String::new()), ..lead() }, Ok(()));
        let other = LeadRequest { app_type: Some("spaceship".into()), ..lead() };
        check(other, Err((LeadField::AppType, LeadErrorCode::InvalidChoice)));
    }

    #[test]
    fn invisible_characters_are_dropped_and_line_breaks_are_normalized() {
        let lead = LeadRequest {
            name: "A\u{0}na\r\nBcc: all@example.com".into(),
            message: "one\r\ntwo\u{202e}\rthree\tx\u{7}".into(),
            ..lead()
        };
        let lead = lead.checked().expect("a good lead");
        assert_eq!(lead.name, "Ana  Bcc: all@example.com");
        assert_eq!(lead.message, "one\ntwo\nthree\tx");
    }

    #[test]
    fn names_are_those_of_the_json() {
        for code in LeadErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("JSON"), code.name());
        }
        let all = serde_json::to_value(LeadRequest::default()).expect("JSON");
        for field in [LeadField::Name, LeadField::ProjectType, LeadField::AppDescription, LeadField::RecaptchaToken] {
            assert_eq!(serde_json::to_value(field).expect("JSON"), field.name());
            assert!(all.get(field.name()).is_some(), "{field:?}");
        }
    }
}
