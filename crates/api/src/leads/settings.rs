//! The settings for leads and the names of their environment variables: store, captcha provider, notifications.
//!
//! Secrets and server addresses are in the environment. The site's rules (`leads` in `content/site.yaml`) are in
//! `leads.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use api_types::lead_site;

use bucket::Bucket;

/// All environment variables for leads.
pub mod environment {
    /// Where leads are stored: a file (default: `leads.sqlite3`), `dynamodb:TABLE`, or `off` for an API without leads.
    pub const LEADS_STORE: &str = "LEADS_STORE";
    /// The bucket for the files of leads in a DynamoDB table: `s3://BUCKET`, or `s3://BUCKET/FOLDER`.
    pub const LEADS_FILES: &str = "LEADS_FILES";
    /// The file that a build writes beside `dist/` for leads. Default: `leads.json`.
    pub const LEADS_SITE: &str = "LEADS_SITE";
    /// Maximum number of leads per minute from one address. Default: 10. 0 means unlimited.
    pub const LEADS_PER_MINUTE: &str = "LEADS_PER_MINUTE";
    /// Maximum number of leads per minute in total. Default: 600. 0 means unlimited.
    pub const LEADS_PER_MINUTE_TOTAL: &str = "LEADS_PER_MINUTE_TOTAL";
    /// The captcha secret. Without it, `site-api` does not start unless the site's captcha needs none, and `sitegen serve` uses
    /// a development captcha.
    pub const CAPTCHA_SECRET: &str = "CAPTCHA_SECRET";
    /// The `siteverify` URL. Default: that of the provider that the site has chosen.
    pub const CAPTCHA_VERIFY_URL: &str = "CAPTCHA_VERIFY_URL";
    /// Hosts on which a captcha may have been solved. Default: the host of the base URL.
    pub const CAPTCHA_HOSTS: &str = "CAPTCHA_HOSTS";
    /// The URL to which each lead is posted as JSON.
    pub const LEADS_WEBHOOK_URL: &str = "LEADS_WEBHOOK_URL";
    /// The key that signs webhook requests.
    pub const LEADS_WEBHOOK_SECRET: &str = "LEADS_WEBHOOK_SECRET";
    /// The names of the webhooks that forms of the site name, separated by commas: `crm` has its address in
    /// `LEADS_WEBHOOK_CRM_URL` and its key in `LEADS_WEBHOOK_CRM_SECRET`, or its service in `LEADS_WEBHOOK_CRM_PRESET` and
    /// what that needs in variables such as `LEADS_WEBHOOK_CRM_TOKEN`.
    pub const LEADS_WEBHOOKS: &str = "LEADS_WEBHOOKS";
    /// The recipients of an email about each lead, separated by commas.
    pub const LEADS_MAIL_TO: &str = "LEADS_MAIL_TO";
    /// Seconds until a failed email or webhook is tried again; each further pause is twice as long. Default: 10.
    pub const LEADS_RETRY_AFTER: &str = "LEADS_RETRY_AFTER";
    /// The sender of these emails.
    pub const LEADS_MAIL_FROM: &str = "LEADS_MAIL_FROM";
    /// The mail server: `smtps://user:password@mail.example.com`, or `smtp://host:587?tls=required`.
    pub const SMTP_URL: &str = "SMTP_URL";
}

/// The settings for leads.
#[derive(Debug, Clone, Default)]
pub struct LeadSettings {
    /// The store; `None` for an API without leads.
    pub store: Option<StoreSettings>,
    /// The bucket for the files of leads in a DynamoDB table.
    pub files: Option<Bucket>,
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
    /// Notifications by webhook.
    pub webhook: Option<WebhookSettings>,
    /// The webhooks that forms of the site name.
    pub webhooks: BTreeMap<String, WebhookSettings>,
    /// Notifications by email.
    pub mail: Option<MailSettings>,
    /// Seconds until a failed notification is tried again, at least 1.
    pub retry_after: u32,
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
    /// Another `siteverify` URL than that of the provider.
    pub verify_url: Option<String>,
    /// Hosts on which a captcha may have been solved. If empty, the host of the base URL is used.
    pub hosts: Vec<String>,
}

/// Notifications by webhook.
#[derive(Clone)]
pub struct WebhookSettings {
    /// The URL of the receiver; empty for that of the preset.
    pub url: String,
    /// The secret shared with the receiver; requests are signed with it.
    pub secret: Option<String>,
    /// The name of the preset: what the receiver expects.
    pub preset: String,
    /// Values that the preset asks for, by name.
    pub values: BTreeMap<String, String>,
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
    /// Rejects settings with which a published site would lose leads or accept spam.
    pub fn check_published(&self, on_lambda: bool) -> Result<(), String> {
        // Without a build there is no choice yet. A later one is reported when the API reads it.
        let provider = lead_site::read(&self.site)
            .map(|site| site.rules.captcha)
            .unwrap_or_default();
        if self.store.is_some() && self.captcha.is_none() && provider.needs_key() {
            return Err(format!(
                "`{}` is not set, so captchas can't be verified; set it, or set `{}=off` for an API without leads",
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
