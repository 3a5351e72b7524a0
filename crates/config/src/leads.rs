//! `leads:` in `content/site.yaml`: how leads are checked, stored and deleted.

use schemars::JsonSchema;
use serde::Deserialize;

use api_types::captcha::CaptchaProvider;
use diagnostics::yaml::Spanned;

/// The settings of leads.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LeadsSettings {
    /// Key of the page with the form.
    pub form: Option<Spanned<String>>,
    /// Key of the thank-you page for visitors without script.
    pub thanks: Option<Spanned<String>>,
    /// The status of leads from the form without script, which has no captcha.
    pub without_script: WithoutScript,
    /// The treatment of leads while the captcha provider is unreachable.
    pub unverified: Unverified,
    /// Number of days after which leads are deleted. If unset, they are never deleted.
    pub keep_days: Option<u32>,
    /// Parameters of the first URL of a visit that a form sends with an answer, such as `utm_source`, with the first
    /// page and the host that linked to it. If unset, nothing about the visit is kept.
    pub campaigns: Option<Vec<Spanned<String>>>,
    /// The URL of a bucket that browsers upload the files of forms to directly, such as
    /// `https://BUCKET.s3.eu-west-1.amazonaws.com`. If unset, they send them to the API.
    pub uploads: Option<Spanned<String>>,
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
            uploads: None,
            captcha: CaptchaWidget::default(),
        }
    }
}

impl LeadsSettings {
    /// The names of `campaigns`.
    pub fn campaign_names(&self) -> Option<Vec<String>> {
        self.campaigns
            .as_ref()
            .map(|names| names.iter().map(|name| name.value.clone()).collect())
    }

    /// The first of `campaigns` that is no name of a parameter.
    pub fn bad_campaign(&self) -> Option<&Spanned<String>> {
        self.campaigns
            .iter()
            .flatten()
            .find(|name| !is_name(&name.value))
    }

    /// `uploads`, if it is no address: a policy has no way to quote one.
    pub fn bad_uploads(&self) -> Option<&Spanned<String>> {
        self.uploads
            .as_ref()
            .filter(|url| !is_policy_source(url) || url.contains('*') || url.ends_with('/'))
    }

    /// The address of the bucket to which browsers send files.
    pub fn uploads(&self) -> Option<&str> {
        self.uploads.as_ref().map(|url| url.value.as_str())
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

/// Tells whether a text can be the name of a parameter: up to 40 letters, digits and `_-.`.
fn is_name(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// The status of leads from the form without script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WithoutScript {
    /// They are stored, and delivered after `sitegen leads release ID`.
    Quarantine,
    /// They are refused.
    Refuse,
}

/// The treatment of leads while the captcha provider is unreachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// They are accepted, and marked as unverified.
    Keep,
    /// The visitor is asked to try again.
    Refuse,
}

/// The captcha of the form.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CaptchaWidget {
    /// The service that checks that a form is sent by a person: `recaptcha`, `hcaptcha`, `turnstile`, `altcha` (the API itself) or `none`.
    #[schemars(with = "String", extend("enum" = ["recaptcha", "hcaptcha", "turnstile", "altcha", "none"]))]
    pub provider: CaptchaProvider,
    /// The site's public key at the provider.
    pub site_key: String,
    /// URL of the provider's script, if it isn't the usual one.
    pub script: Option<String>,
    /// Sources that the content security policy allows for the captcha's scripts and frames, if not the usual ones.
    pub sources: Option<Vec<Spanned<String>>>,
}

impl CaptchaWidget {
    /// The URL of the provider's script; empty if there is none.
    pub fn script(&self) -> String {
        let facts = self.provider.facts();
        let chosen = self.script.clone().filter(|_| self.provider.needs_key());
        chosen.unwrap_or_else(|| facts.script.to_owned())
    }

    /// The sources from which pages with the widget can load scripts and frames, and to which they can send requests.
    pub fn sources(&self) -> Vec<&str> {
        match &self.sources {
            Some(chosen) if self.provider.needs_key() => {
                chosen.iter().map(|source| source.value.as_str()).collect()
            }
            _ => self.provider.facts().sources.to_vec(),
        }
    }

    /// Whether pages show a widget of another site: it needs a key.
    pub fn is_elsewhere(&self) -> bool {
        self.provider.needs_key() && !self.site_key.is_empty()
    }

    /// Whether the provider needs a key that the site does not give.
    pub fn lacks_key(&self) -> bool {
        self.provider.needs_key() && self.site_key.is_empty()
    }

    /// The first source that cannot be written into a policy: a policy has no way to quote one, and a semicolon or a line
    /// end in it would begin another directive or another header.
    pub fn bad_source(&self) -> Option<&Spanned<String>> {
        self.sources
            .iter()
            .flatten()
            .find(|source| !is_policy_source(source))
    }
}

/// Whether a text is the address of a host, with a port and a path if need be, in letters that every host's configuration
/// takes as they are: `https://*.example.com:8443/path/`.
fn is_policy_source(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest else { return false };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (name, port) = host.split_once(':').unwrap_or((host, "1"));
    let name = name.strip_prefix("*.").unwrap_or(name);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let is_port = port == "*" || !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    is_name
        && is_port
        && path
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "/-._~%@+=:".contains(c))
}

#[cfg(test)]
mod tests {
    use api_types::captcha::PROVIDERS;

    use super::{CaptchaWidget, LeadsSettings, is_policy_source};

    #[test]
    fn each_provider_has_its_own_script_and_sources_unless_the_site_names_others() {
        for facts in PROVIDERS {
            let mut widget = CaptchaWidget {
                provider: facts.provider,
                ..CaptchaWidget::default()
            };
            assert_eq!(
                (widget.script().as_str(), widget.sources()),
                (facts.script, facts.sources.to_vec())
            );
            assert!(
                facts.sources.iter().all(|source| is_policy_source(source)),
                "{facts:?}"
            );
            assert_eq!(
                (widget.lacks_key(), widget.is_elsewhere()),
                (facts.provider.needs_key(), false)
            );
            widget.script = Some("https://captcha.example/a.js".into());
            widget.sources = Some(Vec::new());
            assert_eq!(widget.script().is_empty(), !facts.provider.needs_key());
            assert!(widget.sources().is_empty());
        }
    }

    #[test]
    fn a_source_is_an_address_and_nothing_else() {
        for good in [
            "https://a.example",
            "https://*.a.example:*/b/c.js",
            "http://localhost:4000/",
            "https://a-b.example/%20/",
        ] {
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
        let months = |days| {
            LeadsSettings {
                keep_days: days,
                ..LeadsSettings::default()
            }
            .keep_months()
        };
        assert_eq!(
            [730, 365, 90, 30].map(|days| months(Some(days))),
            [Some(24), Some(12), Some(3), Some(1)]
        );
        assert_eq!([Some(100), Some(1), None].map(months), [None; 3]);
    }
}
