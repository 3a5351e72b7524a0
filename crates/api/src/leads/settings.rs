//! What the environment says of leads: where they are kept, who checks captchas, where news of them goes.
//!
//! Secrets and addresses of machines stand in the environment; what the site's owner decides (`leads` in
//! `content/site.yaml`) comes with the search bundle.

use std::path::PathBuf;

/// The environment variables about leads, all of them.
pub mod environment {
    /// Where leads are kept: a file (`leads.sqlite3`, the default), `dynamodb:TABLE`, or `off` for an API without leads.
    pub const LEADS_STORE: &str = "LEADS_STORE";
    /// The file that a build writes beside `dist/` for leads; `leads.json` unless said otherwise.
    pub const LEADS_SITE: &str = "LEADS_SITE";
    /// So many leads are taken from one address in a minute; 10 unless said otherwise, 0 for any number.
    pub const LEADS_PER_MINUTE: &str = "LEADS_PER_MINUTE";
    /// So many leads are taken from all addresses in a minute; 600 unless said otherwise, 0 for any number.
    pub const LEADS_PER_MINUTE_TOTAL: &str = "LEADS_PER_MINUTE_TOTAL";
    /// The captcha's secret. `site-api` does not start without it; `sitegen serve` then has a captcha of its own.
    pub const CAPTCHA_SECRET: &str = "CAPTCHA_SECRET";
    /// Who says whether a captcha was solved.
    pub const CAPTCHA_VERIFY_URL: &str = "CAPTCHA_VERIFY_URL";
    /// Hosts on which a captcha may have been solved; the base URL's unless said otherwise.
    pub const CAPTCHA_HOSTS: &str = "CAPTCHA_HOSTS";
    /// A header that the site's own proxy sets and visitors cannot: `X-Forwarded-For` (its last address counts),
    /// `CloudFront-Viewer-Address`. Without it the address is that of the connection.
    pub const CLIENT_ADDRESS_HEADER: &str = "CLIENT_ADDRESS_HEADER";
    /// Where each lead is sent as JSON.
    pub const LEADS_WEBHOOK_URL: &str = "LEADS_WEBHOOK_URL";
    /// Signs what is sent there.
    pub const LEADS_WEBHOOK_SECRET: &str = "LEADS_WEBHOOK_SECRET";
    /// Who gets a mail about each lead; several with commas.
    pub const LEADS_MAIL_TO: &str = "LEADS_MAIL_TO";
    /// Who sends it.
    pub const LEADS_MAIL_FROM: &str = "LEADS_MAIL_FROM";
    /// The mail server: `smtps://user:password@mail.example.com`, or `smtp://host:587?tls=required`.
    pub const SMTP_URL: &str = "SMTP_URL";
}

/// Google's address of the protocol; hCaptcha and Turnstile answer alike at theirs.
const VERIFY_URL: &str = "https://www.google.com/recaptcha/api/siteverify";

/// What the environment says of leads.
#[derive(Debug, Clone, Default)]
pub struct LeadSettings {
    /// Where they are kept; none for an API without leads.
    pub store: Option<StoreSettings>,
    /// What a build says of the site.
    pub site: PathBuf,
    /// Per address and minute; 0 for any number.
    pub per_minute: u32,
    /// Of all addresses, per minute; 0 for any number.
    pub per_minute_total: u32,
    /// Pages that the API's own host serves may send leads: for the preview, which does not know by which name it is called.
    pub own_host: bool,
    /// Captchas may also have been solved on this machine.
    pub local_hosts: bool,
    /// Who checks captchas; none when no secret is set.
    pub captcha: Option<CaptchaSettings>,
    /// The header that names the visitor's address.
    pub address_header: Option<String>,
    /// Where news goes as a request.
    pub webhook: Option<WebhookSettings>,
    /// Where news goes as a mail.
    pub mail: Option<MailSettings>,
}

/// Where leads are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreSettings {
    /// In an SQLite file.
    File(PathBuf),
    /// In a table of DynamoDB.
    DynamoDb(String),
}

/// Who checks captchas.
#[derive(Clone)]
pub struct CaptchaSettings {
    /// Shared with the provider.
    pub secret: String,
    /// The provider's address.
    pub verify_url: String,
    /// Hosts on which a captcha may have been solved; empty for the base URL's.
    pub hosts: Vec<String>,
}

/// Where news goes as a request.
#[derive(Clone)]
pub struct WebhookSettings {
    /// The receiver.
    pub url: String,
    /// Shared with the receiver.
    pub secret: String,
}

/// Where news goes as a mail.
#[derive(Clone)]
pub struct MailSettings {
    /// Who gets it.
    pub to: String,
    /// Who sends it.
    pub from: String,
    /// The mail server, with user and password.
    pub server: String,
}

/// Secrets are not printed, not even by a debugger's words.
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
    /// What the environment says, with another store when one is named.
    pub fn from_environment(store: Option<&str>) -> Result<LeadSettings, String> {
        LeadSettings::from(&|name: &str| match store {
            Some(store) if name == environment::LEADS_STORE => Some(store.to_owned()),
            _ => std::env::var(name).ok().filter(|value| !value.trim().is_empty()),
        })
    }

    /// What these variables say; those that are set to nothing are not set. The error names the variable, and what it
    /// should say.
    pub fn from(read: &dyn Fn(&str) -> Option<String>) -> Result<LeadSettings, String> {
        use environment as name;
        let list = |name| -> Vec<String> {
            let text = read(name).unwrap_or_default();
            text.split([' ', ',']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let number = |name: &str, default: u32| {
            let read =
                read(name).map(|text| text.trim().parse().map_err(|_| format!("{name}: `{text}` is no whole number")));
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

    /// Refuses settings with which a published site would lose leads or take anything for one.
    pub fn check_published(&self, on_lambda: bool) -> Result<(), String> {
        if self.store.is_some() && self.captcha.is_none() {
            return Err(format!(
                "{} is not set, so that nobody could tell visitors from programs; set it, or {}=off for an API without leads",
                environment::CAPTCHA_SECRET,
                environment::LEADS_STORE
            ));
        }
        if on_lambda && matches!(self.store, Some(StoreSettings::File(_))) {
            return Err(format!(
                "{}: a file on Lambda is lost with its machine; write `dynamodb:TABLE`, or `off` for an API without leads",
                environment::LEADS_STORE
            ));
        }
        Ok(())
    }
}
