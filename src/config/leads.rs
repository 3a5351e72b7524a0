//! `leads:` in `content/site.yaml`: what becomes of what visitors send.

use serde::Deserialize;

use diagnostics::yaml::Spanned;

/// The settings of leads.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct LeadsSettings {
    /// The key of the page with the form.
    pub form: Option<Spanned<String>>,
    /// The key of the page that says thank you to visitors without script.
    pub thanks: Option<Spanned<String>>,
    /// What becomes of leads from the form without script, which has no captcha.
    pub without_script: WithoutScript,
    /// What becomes of leads while the captcha's provider cannot be asked.
    pub unverified: Unverified,
    /// Leads are deleted after so many days; never without it.
    pub keep_days: Option<u32>,
    /// The captcha, as the form shows it.
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

/// What becomes of leads from the form without script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithoutScript {
    /// They are stored, and wait for `sitegen leads release ID`.
    Quarantine,
    /// They are not taken.
    Refuse,
}

/// What becomes of leads while the captcha's provider cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unverified {
    /// They are taken, and marked.
    Keep,
    /// The visitor is asked to try again.
    Refuse,
}

/// The captcha, as the form shows it.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct CaptchaWidget {
    /// The provider's public key of the site.
    pub site_key: String,
    /// The provider's script.
    pub script: String,
    /// What pages may load and frame for it, in their content security policy.
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
