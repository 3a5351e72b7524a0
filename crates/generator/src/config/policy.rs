//! The content security policy of a site: as a response header, and in each page for hosts that set no headers.

use std::collections::BTreeSet;

use super::SiteSettings;
use super::settings::EmbedSource;

/// The name of the header.
const HEADER: &str = "Content-Security-Policy";
/// Directives that browsers ignore, with a warning, in a page.
const HEADER_ONLY: &[&str] = &["frame-ancestors", "report-to", "report-uri", "sandbox"];

impl SiteSettings {
    /// The policy as sitegen writes it, by directive: only files of the site itself, and nothing inline. Exceptions are the
    /// frame of the tag manager, the provider of the captcha, frames of other sites and an API on another host, if the site has them. JSON-LD needs
    /// no exception, because it is not executed.
    ///
    /// Every response has the same policy, although only the page with the lead form needs the sources of the captcha:
    /// several hosts join the headers of two rules instead of using the narrower one, and two joined policies forbid
    /// everything that either of them forbids.
    pub fn content_security_policy(&self) -> String {
        // A site without the form has no captcha.
        self.policy(!self.leads.captcha.site_key.is_empty(), &self.embed_origins())
    }

    /// The origins of the other sites whose pages may be shown in frames.
    pub fn embed_origins(&self) -> BTreeSet<String> {
        self.embeds.iter().filter_map(EmbedSource::origin).collect()
    }

    /// Whether the site replaces or removes the policy.
    pub fn sets_policy(&self) -> bool {
        self.headers.iter().any(|header| header.name.eq_ignore_ascii_case(HEADER))
    }

    fn policy(&self, has_captcha: bool, embeds: &BTreeSet<String>) -> String {
        let sources = self.leads.captcha.sources.iter().filter(|_| has_captcha);
        let captcha: Vec<&str> = sources.map(|source| source.value.as_str()).collect();
        let tag_manager = self.tag_manager.as_ref().map(|_| "https://www.googletagmanager.com");
        let api: Vec<&str> = Some(self.api_url()).filter(|url| !url.is_empty()).into_iter().collect();
        let embeds = embeds.iter().map(String::as_str);
        let frames: Vec<&str> = tag_manager.into_iter().chain(captcha.iter().copied()).chain(embeds).collect();
        let directives = [
            ("default-src", vec!["'none'"]),
            ("script-src", [&["'self'"], captcha.as_slice()].concat()),
            ("style-src", vec!["'self'"]),
            ("img-src", vec!["'self'", "data:"]),
            ("font-src", vec!["'self'"]),
            ("media-src", vec!["'self'"]),
            ("connect-src", [&["'self'"], api.as_slice(), captcha.as_slice()].concat()),
            ("manifest-src", vec!["'self'"]),
            ("frame-src", if frames.is_empty() { vec!["'none'"] } else { frames }),
            ("form-action", [&["'self'"], api.as_slice()].concat()),
            ("frame-ancestors", vec!["'self'"]),
            ("base-uri", vec!["'none'"]),
        ];
        directives.map(|(name, sources)| format!("{name} {}", sources.join(" "))).join("; ")
    }

    /// The policy that a page can hold, escaped for an attribute in double quotes: with the sources of the captcha only if it
    /// has the lead form, and with the origins of its frames; or the policy that the site sets in its place. `None` if the
    /// site removes the header.
    pub fn page_policy(&self, has_form: bool, embeds: &BTreeSet<String>) -> Option<String> {
        let set = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(HEADER));
        let own = || self.policy(has_form && !self.leads.captcha.site_key.is_empty(), embeds);
        let policy = set.map_or_else(|| Some(own()), |header| header.value.clone())?;
        let is_kept = |directive: &&str| {
            let name = directive.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            !name.is_empty() && !HEADER_ONLY.contains(&name.as_str())
        };
        let kept: Vec<&str> = policy.split(';').map(str::trim).filter(is_kept).collect();
        // Apostrophes stay as they are: a policy has many of them.
        (!kept.is_empty()).then(|| kept.join("; ").replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{ResponseHeader, SiteSettings};

    #[test]
    fn a_page_holds_the_policy_without_what_only_a_header_can_say() {
        let mut settings = SiteSettings::at("https://a.example/");
        let policy = settings.page_policy(true, &BTreeSet::new()).expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
        assert!(!policy.contains("frame-ancestors") && policy.ends_with("; base-uri 'none'"), "{policy}");
        settings.leads.captcha.site_key = "key".to_owned();
        let holds_captcha = |has_form| {
            settings.page_policy(has_form, &BTreeSet::new()).is_some_and(|policy| policy.contains("recaptcha"))
        };
        assert_eq!([true, false].map(holds_captcha), [true, false]);
        let mut set = |value: Option<&str>| {
            settings.headers =
                vec![ResponseHeader { name: "content-security-policy".into(), value: value.map(str::to_owned) }];
            settings.page_policy(true, &BTreeSet::new())
        };
        assert_eq!(set(None), None);
        assert_eq!(set(Some("Sandbox; default-src *;report-uri /x ;")).as_deref(), Some("default-src *"));
        assert_eq!(set(Some("frame-ancestors 'none'")), None);
    }
}
