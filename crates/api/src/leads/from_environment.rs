//! Reads the settings for leads from the environment, and reports a variable that is missing or wrong.

use std::collections::BTreeMap;

use bucket::{Bucket, ENDPOINT};

use super::outbox::check_mail;
use super::outbox::preset::{self, Preset};
use super::settings::{
    CaptchaSettings, LeadSettings, MailSettings, StoreSettings, WebhookSettings, environment,
};

/// Seconds until a failed notification is tried again.
const RETRY_AFTER: u32 = 10;
/// The longest that this may be, an hour.
const MOST_RETRY_AFTER: u32 = 3600;

impl LeadSettings {
    /// Reads the environment. `store` overrides `LEADS_STORE`.
    #[expect(
        clippy::disallowed_methods,
        reason = "these settings come from the environment"
    )]
    pub fn from_environment(store: Option<&str>) -> Result<LeadSettings, String> {
        LeadSettings::from(&|name: &str| match store {
            Some(store) if name == environment::LEADS_STORE => Some(store.to_owned()),
            _ => std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty()),
        })
    }

    /// Reads variables through `read`, which returns `None` for empty ones. The error names the variable and the
    /// expected value.
    pub fn from(read: &dyn Fn(&str) -> Option<String>) -> Result<LeadSettings, String> {
        use environment as name;
        let list = |name| -> Vec<String> {
            let text = read(name).unwrap_or_default();
            text.split([' ', ','])
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let number = |name: &str, default: u32| {
            let read = read(name).map(|text| {
                text.trim()
                    .parse()
                    .map_err(|_| format!("{name}: `{text}` is not a whole number"))
            });
            read.unwrap_or(Ok(default))
        };
        let together =
            |first: &str, second: &str, what: &str| format!("{first}: also set `{second}`, {what}");
        let store = match read(name::LEADS_STORE).as_deref() {
            Some("off") => None,
            Some(text) if is_misspelled(text) => {
                return Err(format!(
                    "{}: expected the path of a file, `dynamodb:TABLE` or `off`, found `{text}`; for a file of this name, write `./{}`",
                    name::LEADS_STORE,
                    text.trim()
                ));
            }
            Some(text) => Some(match text.strip_prefix("dynamodb:") {
                Some("") => {
                    return Err(format!(
                        "{}: add the table's name: `dynamodb:TABLE`",
                        name::LEADS_STORE
                    ));
                }
                Some(table) => StoreSettings::DynamoDb(table.to_owned()),
                None => StoreSettings::File(text.into()),
            }),
            None => Some(StoreSettings::File("leads.sqlite3".into())),
        };
        let files = read(name::LEADS_FILES)
            .map(|text| files(&text, store.as_ref(), read))
            .transpose()?;
        let secret = read(name::CAPTCHA_SECRET);
        let captcha = secret.map(|secret| CaptchaSettings {
            secret,
            verify_url: read(name::CAPTCHA_VERIFY_URL),
            hosts: list(name::CAPTCHA_HOSTS)
                .iter()
                .map(|host| host.to_lowercase())
                .collect(),
        });
        let webhook = match (
            read(name::LEADS_WEBHOOK_URL),
            read(name::LEADS_WEBHOOK_SECRET),
        ) {
            (Some(url), Some(secret)) => {
                let url = http_url(name::LEADS_WEBHOOK_URL, url)?;
                let preset = preset::DEFAULT.to_owned();
                Some(WebhookSettings {
                    url,
                    secret: Some(secret),
                    preset,
                    values: BTreeMap::new(),
                })
            }
            (None, None) => None,
            (Some(_), None) => {
                return Err(together(
                    name::LEADS_WEBHOOK_URL,
                    name::LEADS_WEBHOOK_SECRET,
                    "the key that signs the requests",
                ));
            }
            (None, Some(_)) => {
                return Err(together(
                    name::LEADS_WEBHOOK_SECRET,
                    name::LEADS_WEBHOOK_URL,
                    "the URL that leads are sent to",
                ));
            }
        };
        let mut webhooks = BTreeMap::new();
        for hook in list(name::LEADS_WEBHOOKS) {
            if !hook
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            {
                return Err(format!(
                    "{}: `{hook}` can contain only lowercase letters, digits and `_`",
                    name::LEADS_WEBHOOKS
                ));
            }
            webhooks.insert(hook.clone(), named_webhook(&hook, read)?);
        }
        let mail = match (
            read(name::LEADS_MAIL_TO),
            read(name::LEADS_MAIL_FROM),
            read(name::SMTP_URL),
        ) {
            (Some(to), Some(from), Some(server)) => Some(MailSettings { to, from, server }),
            (None, None, None) => None,
            _ => {
                return Err(format!(
                    "`{}`, `{}` and `{}` belong together: set all of them or none",
                    name::LEADS_MAIL_TO,
                    name::LEADS_MAIL_FROM,
                    name::SMTP_URL
                ));
            }
        };
        let settings = LeadSettings {
            store,
            files,
            site: read(name::LEADS_SITE)
                .unwrap_or_else(|| "leads.json".into())
                .into(),
            per_minute: number(name::LEADS_PER_MINUTE, 10)?,
            per_minute_total: number(name::LEADS_PER_MINUTE_TOTAL, 600)?,
            own_host: false,
            local_hosts: false,
            captcha,
            webhook,
            webhooks,
            mail,
            retry_after: number(name::LEADS_RETRY_AFTER, RETRY_AFTER)?,
        };
        if !(1..=MOST_RETRY_AFTER).contains(&settings.retry_after) {
            return Err(format!(
                "{}: write a number of seconds from 1 to {MOST_RETRY_AFTER}",
                name::LEADS_RETRY_AFTER
            ));
        }
        if let Some(mail) = &settings.mail {
            check_mail(mail)?;
        }
        Ok(settings)
    }
}

/// The bucket for files, of a store that has none itself.
fn files(
    text: &str,
    store: Option<&StoreSettings>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<Bucket, String> {
    let name = environment::LEADS_FILES;
    if matches!(store, Some(StoreSettings::File(_))) {
        return Err(format!(
            "{name}: a store in a file also stores the files of leads; remove this variable"
        ));
    }
    Bucket::for_files(text, read(ENDPOINT), read).map_err(|why| format!("{name}: {why}"))
}

/// A webhook that forms name: its address and key, or its preset and what that needs.
fn named_webhook(
    hook: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<WebhookSettings, String> {
    let variable = |part: &str| format!("LEADS_WEBHOOK_{}_{part}", hook.to_uppercase());
    let (url_variable, preset_variable) = (variable("URL"), variable("PRESET"));
    let name = read(&preset_variable).unwrap_or_else(|| preset::DEFAULT.to_owned());
    let preset = Preset::named(&name).ok_or_else(|| {
        format!(
            "{preset_variable}: there is no preset `{name}`; choose one of {}",
            Preset::names()
        )
    })?;
    let url = match read(&url_variable) {
        Some(url) => http_url(&url_variable, url)?,
        None if preset.url.is_some() => String::new(),
        None => {
            let first = environment::LEADS_WEBHOOKS;
            return Err(format!(
                "{first}: also set `{url_variable}`, the URL of the webhook `{hook}`"
            ));
        }
    };
    let mut values = BTreeMap::new();
    for part in preset.variables() {
        let variable = variable(&part);
        let value = read(&variable)
            .ok_or_else(|| format!("{preset_variable}: `{name}` needs `{variable}`; set it"))?;
        values.insert(part, value.trim().to_owned());
    }
    Ok(WebhookSettings {
        url,
        secret: read(&variable("SECRET")),
        preset: name,
        values,
    })
}

/// The address of a webhook, if it is one.
fn http_url(variable: &str, url: String) -> Result<String, String> {
    let is_http =
        reqwest::Url::parse(&url).is_ok_and(|url| ["https", "http"].contains(&url.scheme()));
    let wrong = || format!("{variable}: write a URL such as `https://crm.example.com/leads`");
    if is_http { Ok(url) } else { Err(wrong()) }
}
/// Whether a store is probably no file: another word for `off`, or another kind of database.
fn is_misspelled(store: &str) -> bool {
    let plain = store.trim();
    let is_kind = plain.split_once(':').is_some_and(|(kind, _)| {
        kind != "dynamodb" && kind.chars().all(|c| c.is_ascii_alphanumeric())
    });
    plain != store || plain.eq_ignore_ascii_case("off") || is_kind
}
