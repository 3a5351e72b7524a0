//! `leads:` in `content/site.yaml`: how leads are checked, stored and deleted.

use schemars::JsonSchema;
use serde::Deserialize;

use diagnostics::yaml::Spanned;

/// The settings of leads.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LeadsSettings {
    /// Key of the page with the form.
    pub form: Option<Spanned<String>>,
    /// Key of the thank-you page for visitors without script.
    pub thanks: Option<Spanned<String>>,
    /// What happens to leads from the form without script, which has no captcha.
    pub without_script: WithoutScript,
    /// What happens to leads while the captcha provider is unreachable.
    pub unverified: Unverified,
    /// Leads are deleted after this number of days; never if unset.
    pub keep_days: Option<u32>,
    /// Parameters of the first address of a visit that a form sends with an answer, such as `utm_source`, with the first page
    /// and the host that led to it. Nothing of the visit is kept if unset.
    pub campaigns: Option<Vec<Spanned<String>>>,
    /// The captcha of the form.
    pub captcha: CaptchaWidget,
}

impl Default for LeadsSettings {
    fn default() -> LeadsSettings {
        LeadsSettings {
            form: None,
            thanks: None,
            without_script: WithoutScript::Quarantine,
            unverified: Unverified::Keep,
            keep_days: None,
            campaigns: None,
            captcha: CaptchaWidget::default(),
        }
    }
}

impl LeadsSettings {
    /// The names of `campaigns`.
    pub fn campaign_names(&self) -> Option<Vec<String>> {
        self.campaigns.as_ref().map(|names| names.iter().map(|name| name.value.clone()).collect())
    }

    /// The first of `campaigns` that is no name of a parameter.
    pub(super) fn bad_campaign(&self) -> Option<&Spanned<String>> {
        let is_name = |text: &str| {
            (1..=40).contains(&text.len())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        };
        self.campaigns.iter().flatten().find(|name| !is_name(&name.value))
    }

    /// [`LeadsSettings::keep_days`] in months, if it is a whole number of years of 365 days or of months of 30 days.
    pub fn keep_months(&self) -> Option<u32> {
        let days = self.keep_days?;
        match (days % 365, days % 30) {
            (0, _) => Some(days / 365 * 12),
            (_, 0) => Some(days / 30),
            _ => None,
        }
    }
}

/// What happens to leads from the form without script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithoutScript {
    /// They are stored, and delivered after `sitegen leads release ID`.
    Quarantine,
    /// They are refused.
    Refuse,
}

/// What happens to leads while the captcha provider is unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// They are accepted, and marked as unverified.
    Keep,
    /// The visitor is asked to try again.
    Refuse,
}

/// The captcha of the form.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CaptchaWidget {
    /// The site's public key at the provider.
    pub site_key: String,
    /// URL of the provider's script.
    pub script: String,
    /// Sources that the content security policy allows for it, for scripts and frames.
    pub sources: Vec<Spanned<String>>,
}

impl Default for CaptchaWidget {
    fn default() -> CaptchaWidget {
        CaptchaWidget {
            site_key: String::new(),
            script: "https://www.google.com/recaptcha/api.js".into(),
            sources: ["https://www.google.com/recaptcha/", "https://www.gstatic.com/recaptcha/"]
                .map(|source| Spanned { value: source.to_owned(), ..Spanned::default() })
                .into(),
        }
    }
}

impl CaptchaWidget {
    /// The first source that cannot be written into a policy: a policy has no way to quote one, and a semicolon or a line
    /// end in it would begin another directive or another header.
    pub(super) fn bad_source(&self) -> Option<&Spanned<String>> {
        self.sources.iter().find(|source| !is_policy_source(source))
    }
}

/// Whether a text is the address of a host, with a port and a path if need be, in letters that every host's configuration
/// takes as they are: `https://*.example.com:8443/path/`.
fn is_policy_source(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (name, port) = host.split_once(':').unwrap_or((host, "1"));
    let name = name.strip_prefix("*.").unwrap_or(name);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let is_port = port == "*" || !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    is_name && is_port && path.chars().all(|c| c.is_ascii_alphanumeric() || "/-._~%@+=:".contains(c))
}

#[cfg(test)]
mod tests {
    use super::{LeadsSettings, is_policy_source};

    #[test]
    fn a_source_is_an_address_and_nothing_else() {
        for good in
            ["https://a.example", "https://*.a.example:*/b/c.js", "http://localhost:4000/", "https://a-b.example/%20/"]
        {
            assert!(is_policy_source(good), "{good}");
        }
        for bad in [
            "",
            "*",
            "'unsafe-inline'",
            "data:",
            "https:",
            "https://",
            "a.example",
            "https://a.example b",
            "https://a;b",
            "https://a.example/;script-src *",
            "https://a.example/\nX: y",
            "https://a.example/\r",
            "https://$host/",
            "https://a/$b",
            "https://a/,b",
            "https://a/'b'",
            "https://a/\"b",
            "https://é.example",
            "https://a.example:8a",
            "https://*",
            "https://a/{b}",
        ] {
            assert!(!is_policy_source(bad), "{bad}");
        }
    }

    #[test]
    fn months_are_whole() {
        let months = |days| LeadsSettings { keep_days: days, ..LeadsSettings::default() }.keep_months();
        assert_eq!([730, 365, 90, 30].map(|days| months(Some(days))), [Some(24), Some(12), Some(3), Some(1)]);
        assert_eq!([Some(100), Some(1), None].map(months), [None; 3]);
    }
}
