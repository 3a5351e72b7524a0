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
            captcha: CaptchaWidget::default(),
        }
    }
}

impl LeadsSettings {
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
    pub sources: Vec<String>,
}

impl Default for CaptchaWidget {
    fn default() -> CaptchaWidget {
        CaptchaWidget {
            site_key: String::new(),
            script: "https://www.google.com/recaptcha/api.js".into(),
            sources: vec!["https://www.google.com/recaptcha/".into(), "https://www.gstatic.com/recaptcha/".into()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LeadsSettings;

    #[test]
    fn months_are_whole() {
        let months = |days| LeadsSettings { keep_days: days, ..LeadsSettings::default() }.keep_months();
        assert_eq!([730, 365, 90, 30].map(|days| months(Some(days))), [Some(24), Some(12), Some(3), Some(1)]);
        assert_eq!([Some(100), Some(1), None].map(months), [None; 3]);
    }
}
