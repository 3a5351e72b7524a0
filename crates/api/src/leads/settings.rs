//! The environment variables for leads: store, captcha provider, notifications.
//!
//! Secrets and server addresses are in the environment. The site's rules (`leads` in `content/site.yaml`) are in
//! `leads.json`.

use std::path::PathBuf;

/// All environment variables for leads.
pub mod environment {
    /// Where leads are stored: a file (default: `leads.sqlite3`), `dynamodb:TABLE`, or `off` for an API without leads.
    pub const LEADS_STORE: &str = "LEADS_STORE";
    /// The file that a build writes beside `dist/` for leads. Default: `leads.json`.
    pub const LEADS_SITE: &str = "LEADS_SITE";
    /// Maximum number of leads per minute from one address. Default: 10. 0 means unlimited.
    pub const LEADS_PER_MINUTE: &str = "LEADS_PER_MINUTE";
    /// Maximum number of leads per minute in total. Default: 600. 0 means unlimited.
    pub const LEADS_PER_MINUTE_TOTAL: &str = "LEADS_PER_MINUTE_TOTAL";
    /// The captcha secret. Without it, `site-api` does not start, and `sitegen serve` uses a development captcha.
    pub const CAPTCHA_SECRET: &str = "CAPTCHA_SECRET";
    /// The provider's `siteverify` URL. Default: reCAPTCHA's.
    pub const CAPTCHA_VERIFY_URL: &str = "CAPTCHA_VERIFY_URL";
    /// Hosts on which a captcha may have been solved. Default: the host of the base URL.
    pub const CAPTCHA_HOSTS: &str = "CAPTCHA_HOSTS";
    /// The header with the client address, set by a trusted proxy: `X-Forwarded-For` (the last address is used) or
    /// `CloudFront-Viewer-Address`. Default: the address of the connection.
    pub const CLIENT_ADDRESS_HEADER: &str = "CLIENT_ADDRESS_HEADER";
    /// The URL to which each lead is posted as JSON.
    pub const LEADS_WEBHOOK_URL: &str = "LEADS_WEBHOOK_URL";
    /// The key that signs webhook requests.
    pub const LEADS_WEBHOOK_SECRET: &str = "LEADS_WEBHOOK_SECRET";
    /// The recipients of an email about each lead, separated by commas.
    pub const LEADS_MAIL_TO: &str = "LEADS_MAIL_TO";
    /// The sender of these emails.
    pub const LEADS_MAIL_FROM: &str = "LEADS_MAIL_FROM";
    /// The mail server: `smtps://user:password@mail.example.com`, or `smtp://host:587?tls=required`.
    pub const SMTP_URL: &str = "SMTP_URL";
}

/// The `siteverify` URL of reCAPTCHA. hCaptcha and Turnstile implement the same protocol.
const VERIFY_URL: &str = "https://www.google.com/recaptcha/api/siteverify";

/// The settings for leads.
#[derive(Debug, Clone, Default)]
pub struct LeadSettings {
    /// The store; `None` for an API without leads.
    pub store: Option<StoreSettings>,
    /// The path of `leads.json`.
    pub site: PathBuf,
    /// Maximum number of leads per minute and address; 0 means unlimited.
    pub per_minute: u32,
    /// Maximum number of leads per minute in total; 0 means unlimited.
    pub per_minute_total: u32,
    /// Whether to accept leads whose `Origin` equals `Host`. The preview needs it, because it can be opened by several
    /// host names.
    pub own_host: bool,
    /// Whether to accept captchas solved on localhost.
    pub local_hosts: bool,
    /// The captcha provider; `None` if no secret is set.
    pub captcha: Option<CaptchaSettings>,
    /// The header with the client address.
    pub address_header: Option<String>,
    /// Notifications by webhook.
    pub webhook: Option<WebhookSettings>,
    /// Notifications by email.
    pub mail: Option<MailSettings>,
}

/// Where leads are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreSettings {
    /// An SQLite file.
    File(PathBuf),
    /// A DynamoDB table.
    DynamoDb(String),
}

/// The captcha provider.
#[derive(Clone)]
pub struct CaptchaSettings {
    /// The secret shared with the provider.
    pub secret: String,
    /// The provider's `siteverify` URL.
    pub verify_url: String,
    /// Hosts on which a captcha may have been solved. If empty, the host of the base URL is used.
    pub hosts: Vec<String>,
}

/// Notifications by webhook.
#[derive(Clone)]
pub struct WebhookSettings {
    /// The URL of the receiver.
    pub url: String,
    /// The secret shared with the receiver.
    pub secret: String,
}

/// Notifications by email.
#[derive(Clone)]
pub struct MailSettings {
    /// The recipients.
    pub to: String,
    /// The sender.
    pub from: String,
    /// The URL of the SMTP server, with user and password.
    pub server: String,
}

/// Implements `Debug` without secrets.
macro_rules! hidden {
    ($($name:ident $shown:ident)*) => {
        $(impl std::fmt::Debug for $name {
            fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.debug_struct(stringify!($name)).field(stringify!($shown), &self.$shown).finish_non_exhaustive()
            }
        })*
    };
}
hidden! { CaptchaSettings hosts WebhookSettings url MailSettings from }

impl LeadSettings {
    /// Reads the environment. `store` overrides `LEADS_STORE`.
    pub fn from_environment(store: Option<&str>) -> Result<LeadSettings, String> {
        LeadSettings::from(&|name: &str| match store {
            Some(store) if name == environment::LEADS_STORE => Some(store.to_owned()),
            _ => std::env::var(name).ok().filter(|value| !value.trim().is_empty()),
        })
    }

    /// Reads variables through `read`, which returns `None` for empty ones. The error names the variable and the
    /// expected value.
    pub fn from(read: &dyn Fn(&str) -> Option<String>) -> Result<LeadSettings, String> {
        use environment as name;
        let list = |name| -> Vec<String> {
            let text = read(name).unwrap_or_default();
            text.split([' ', ',']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let number = |name: &str, default: u32| {
            let read = read(name)
                .map(|text| text.trim().parse().map_err(|_| format!("{name}: `{text}` is not a whole number")));
            read.unwrap_or(Ok(default))
        };
        let together = |first: &str, second: &str, what: &str| format!("{first}: set {second} as well, {what}");
        let store = match read(name::LEADS_STORE).as_deref() {
            Some("off") => None,
            Some(text) => Some(match text.strip_prefix("dynamodb:") {
                Some("") => return Err(format!("{}: write the table's name, `dynamodb:TABLE`", name::LEADS_STORE)),
                Some(table) => StoreSettings::DynamoDb(table.to_owned()),
                None => StoreSettings::File(text.into()),
            }),
            None => Some(StoreSettings::File("leads.sqlite3".into())),
        };
        let secret = read(name::CAPTCHA_SECRET);
        let captcha = secret.map(|secret| CaptchaSettings {
            secret,
            verify_url: read(name::CAPTCHA_VERIFY_URL).unwrap_or_else(|| VERIFY_URL.to_owned()),
            hosts: list(name::CAPTCHA_HOSTS).iter().map(|host| host.to_lowercase()).collect(),
        });
        let webhook = match (read(name::LEADS_WEBHOOK_URL), read(name::LEADS_WEBHOOK_SECRET)) {
            (Some(url), Some(secret)) => {
                let is_http = reqwest::Url::parse(&url).is_ok_and(|url| ["https", "http"].contains(&url.scheme()));
                if !is_http {
                    return Err(format!(
                        "{}: write an address such as https://crm.example.com/leads",
                        name::LEADS_WEBHOOK_URL
                    ));
                }
                Some(WebhookSettings { url, secret })
            }
            (None, None) => None,
            (Some(_), None) => {
                return Err(together(name::LEADS_WEBHOOK_URL, name::LEADS_WEBHOOK_SECRET, "which signs what is sent"));
            }
            (None, Some(_)) => {
                return Err(together(name::LEADS_WEBHOOK_SECRET, name::LEADS_WEBHOOK_URL, "where leads are sent"));
            }
        };
        let mail = match (read(name::LEADS_MAIL_TO), read(name::LEADS_MAIL_FROM), read(name::SMTP_URL)) {
            (Some(to), Some(from), Some(server)) => Some(MailSettings { to, from, server }),
            (None, None, None) => None,
            _ => {
                return Err(format!(
                    "{}, {} and {} belong together: set all of them or none",
                    name::LEADS_MAIL_TO,
                    name::LEADS_MAIL_FROM,
                    name::SMTP_URL
                ));
            }
        };
        let settings = LeadSettings {
            store,
            site: read(name::LEADS_SITE).unwrap_or_else(|| "leads.json".into()).into(),
            per_minute: number(name::LEADS_PER_MINUTE, 10)?,
            per_minute_total: number(name::LEADS_PER_MINUTE_TOTAL, 600)?,
            own_host: false,
            local_hosts: false,
            captcha,
            address_header: read(name::CLIENT_ADDRESS_HEADER),
            webhook,
            mail,
        };
        if let Some(mail) = &settings.mail {
            super::outbox::check_mail(mail)?;
        }
        Ok(settings)
    }

    /// Rejects settings with which a published site would lose leads or accept spam.
    pub fn check_published(&self, on_lambda: bool) -> Result<(), String> {
        if self.store.is_some() && self.captcha.is_none() {
            return Err(format!(
                "{} is not set, so captchas could not be verified; set it, or {}=off for an API without leads",
                environment::CAPTCHA_SECRET,
                environment::LEADS_STORE
            ));
        }
        if on_lambda && matches!(self.store, Some(StoreSettings::File(_))) {
            return Err(format!(
                "{}: files on Lambda are not persistent; write `dynamodb:TABLE`, or `off` for an API without leads",
                environment::LEADS_STORE
            ));
        }
        Ok(())
    }
}
