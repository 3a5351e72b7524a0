//! Providers of captchas, as one table: what a page loads, what the API asks, and what answers mean. A provider with the
//! `siteverify` protocol is a row.

use serde::{Deserialize, Serialize};

/// The path of the API that makes a challenge for [`CaptchaProvider::Altcha`].
pub const CHALLENGE_PATH: &str = "/api/captcha/challenge";

/// Who checks that a form is sent by a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaptchaProvider {
    /// reCAPTCHA v2, the checkbox.
    #[default]
    Recaptcha,
    /// hCaptcha.
    Hcaptcha,
    /// Cloudflare Turnstile.
    Turnstile,
    /// ALTCHA's proof of work, which the API checks itself: no other site is asked.
    Altcha,
    /// Nobody. The hidden field, the time and the limits of the API remain.
    None,
}

/// The facts about a provider. All is empty for one that isn't another site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderFacts {
    /// The provider.
    pub provider: CaptchaProvider,
    /// The URL of the script with the widget.
    pub script: &'static str,
    /// The hosts that a page with the widget may load scripts and frames from, and ask.
    pub sources: &'static [&'static str],
    /// Whether the widget needs style sheets of these hosts as well.
    pub has_styles: bool,
    /// The name of the script's interface, in `window`.
    pub interface: &'static str,
    /// The parameter of the script's URL that sets the language; without one, the widget has the option `language`.
    pub language_parameter: &'static str,
    /// The URL that verifies a token.
    pub verify_url: &'static str,
    /// Error codes that report a mistake of the operator or an outage of the provider, not one of the visitor.
    pub faults: &'static [&'static str],
    /// The error code of a token that is wrong, too old or used.
    pub refusal: &'static str,
}

/// All providers.
pub const PROVIDERS: [ProviderFacts; 5] = [
    // https://developers.google.com/recaptcha/docs/display and …/docs/verify
    ProviderFacts {
        provider: CaptchaProvider::Recaptcha,
        script: "https://www.google.com/recaptcha/api.js",
        sources: &[
            "https://www.google.com/recaptcha/",
            "https://www.gstatic.com/recaptcha/",
        ],
        has_styles: false,
        interface: "grecaptcha",
        language_parameter: "hl",
        verify_url: "https://www.google.com/recaptcha/api/siteverify",
        faults: &[
            "missing-input-secret",
            "invalid-input-secret",
            "bad-request",
        ],
        refusal: "timeout-or-duplicate",
    },
    // https://docs.hcaptcha.com/ and https://docs.hcaptcha.com/configuration
    ProviderFacts {
        provider: CaptchaProvider::Hcaptcha,
        script: "https://js.hcaptcha.com/1/api.js",
        sources: &["https://hcaptcha.com", "https://*.hcaptcha.com"],
        has_styles: true,
        interface: "hcaptcha",
        language_parameter: "hl",
        verify_url: "https://api.hcaptcha.com/siteverify",
        faults: &[
            "missing-input-secret",
            "invalid-input-secret",
            "bad-request",
            "sitekey-secret-mismatch",
            "not-using-dummy-passcode",
        ],
        refusal: "already-seen-response",
    },
    // https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ and …/server-side-validation/
    ProviderFacts {
        provider: CaptchaProvider::Turnstile,
        script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
        sources: &["https://challenges.cloudflare.com"],
        has_styles: false,
        interface: "turnstile",
        language_parameter: "",
        verify_url: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
        faults: &[
            "missing-input-secret",
            "invalid-input-secret",
            "bad-request",
            "internal-error",
        ],
        refusal: "timeout-or-duplicate",
    },
    alone(CaptchaProvider::Altcha),
    alone(CaptchaProvider::None),
];

/// A provider that asks no other site.
const fn alone(provider: CaptchaProvider) -> ProviderFacts {
    ProviderFacts {
        provider,
        script: "",
        sources: &[],
        has_styles: false,
        interface: "",
        language_parameter: "",
        verify_url: "",
        faults: &[],
        refusal: "",
    }
}

impl CaptchaProvider {
    /// The facts about it.
    pub fn facts(self) -> &'static ProviderFacts {
        // A test finds each of them in the table.
        PROVIDERS
            .iter()
            .find(|facts| facts.provider == self)
            .unwrap_or(&PROVIDERS[0])
    }

    /// Whether another site issues a key for it and checks its tokens.
    pub fn needs_key(self) -> bool {
        !self.facts().verify_url.is_empty()
    }

    /// Whether it is the default, which `leads.json` leaves out.
    pub fn is_default(&self) -> bool {
        *self == CaptchaProvider::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_has_a_row_and_those_with_a_key_have_all_of_it() {
        use CaptchaProvider::{Altcha, Hcaptcha, None, Recaptcha, Turnstile};
        for provider in [Recaptcha, Hcaptcha, Turnstile, Altcha, None] {
            let facts = provider.facts();
            assert_eq!(facts.provider, provider);
            let texts = [
                facts.script,
                facts.interface,
                facts.verify_url,
                facts.refusal,
            ];
            assert!(
                texts
                    .iter()
                    .all(|text| text.is_empty() != provider.needs_key()),
                "{facts:?}"
            );
            assert_eq!(facts.sources.is_empty(), !provider.needs_key());
            let is_covered = facts
                .sources
                .iter()
                .any(|source| facts.script.starts_with(&source.replace("*.", "js.")));
            assert!(
                is_covered || !provider.needs_key(),
                "the policy allows the script: {facts:?}"
            );
        }
    }
}
