//! The content security policy of a site: as a response header, and in each page for hosts that set no headers.

use std::collections::BTreeSet;

use super::settings::EmbedSource;
use super::{SearchSettings, SiteSettings};

/// The name of the header.
const HEADER: &str = "Content-Security-Policy";
/// Directives that browsers ignore, with a warning, in a page.
const HEADER_ONLY: &[&str] = &["frame-ancestors", "report-to", "report-uri", "sandbox"];

/// The exceptions that a page needs.
#[derive(Debug, Clone, Default)]
pub struct PolicyNeeds {
    /// It shows a form with a captcha.
    pub captcha: bool,
    /// It shows a form with files.
    pub uploads: bool,
    /// It has the form of the site's search, which leads to another site in browsers without JavaScript.
    pub search: bool,
    /// The origins of the frames that it can show.
    pub embeds: BTreeSet<String>,
}

impl SiteSettings {
    /// The policy as sitegen writes it, by directive: only files of the site itself, and nothing inline. Exceptions are the
    /// frame of the tag manager, the provider of the captcha, the bucket for files, frames of other sites, the service that counts visits and an API on
    /// another host, if the site has them. JSON-LD needs no exception, because it is not executed.
    ///
    /// Every response has the same policy, although only the page with the lead form needs the sources of the captcha:
    /// several hosts join the headers of two rules instead of using the narrower one, and two joined policies forbid
    /// everything that either of them forbids.
    ///
    /// The index of the search is read by WebAssembly in a worker, which has the policy of its own response. So the header
    /// allows it, and the policy in a page never does: no page can compile WebAssembly, on any host.
    pub fn content_security_policy(&self) -> String {
        // A site without the form has no captcha.
        let captcha = self.leads.captcha.is_elsewhere();
        let scripts: &[&str] = if self.search.is_some() {
            &["'self'", "'wasm-unsafe-eval'"]
        } else {
            &["'self'"]
        };
        self.policy(
            scripts,
            &PolicyNeeds {
                captcha,
                uploads: true,
                search: true,
                embeds: self.embed_origins(),
            },
        )
    }

    /// The origins of the other sites whose pages may be shown in frames.
    pub fn embed_origins(&self) -> BTreeSet<String> {
        self.embeds.iter().filter_map(EmbedSource::origin).collect()
    }

    /// Whether the site replaces or removes the policy.
    pub fn sets_policy(&self) -> bool {
        self.headers
            .iter()
            .any(|header| header.name.eq_ignore_ascii_case(HEADER))
    }

    fn policy(&self, scripts: &[&str], needs: &PolicyNeeds) -> String {
        let widget = &self.leads.captcha;
        let captcha = if needs.captcha {
            widget.sources()
        } else {
            Vec::new()
        };
        let styles = if widget.provider.facts().has_styles {
            captcha.as_slice()
        } else {
            &[]
        };
        let tag_manager = self
            .tag_manager_frame()
            .map(|_| "https://www.googletagmanager.com");
        let visits = self
            .visits
            .as_ref()
            .map(|visits| visits.hosts.clone())
            .unwrap_or_default();
        let [counting, told, seen, framed] =
            [&visits.script, &visits.connect, &visits.img, &visits.frame]
                .map(|hosts| hosts.iter().map(String::as_str));
        let api: Vec<&str> = Some(self.api_url())
            .filter(|url| !url.is_empty())
            .into_iter()
            .collect();
        let uploads = self.leads.uploads().filter(|_| needs.uploads);
        let fallback = self
            .search
            .as_ref()
            .filter(|_| needs.search)
            .and_then(SearchSettings::fallback_url);
        let fallback = fallback.map(|url| url.origin().ascii_serialization());
        let forms: Vec<&str> = api.iter().copied().chain(fallback.as_deref()).collect();
        let embeds = needs.embeds.iter().map(String::as_str);
        let frames: Vec<&str> = tag_manager
            .into_iter()
            .chain(captcha.iter().copied())
            .chain(embeds)
            .chain(framed)
            .collect();
        let directives = [
            ("default-src", vec!["'none'"]),
            (
                "script-src",
                scripts
                    .iter()
                    .chain(&captcha)
                    .copied()
                    .chain(counting)
                    .collect(),
            ),
            ("style-src", [&["'self'"], styles].concat()),
            (
                "img-src",
                ["'self'", "data:"].into_iter().chain(seen).collect(),
            ),
            ("font-src", vec!["'self'"]),
            ("media-src", vec!["'self'"]),
            (
                "connect-src",
                ["'self'"]
                    .iter()
                    .chain(&api)
                    .chain(&captcha)
                    .copied()
                    .chain(uploads)
                    .chain(told)
                    .collect(),
            ),
            ("manifest-src", vec!["'self'"]),
            (
                "frame-src",
                if frames.is_empty() {
                    vec!["'none'"]
                } else {
                    frames
                },
            ),
            ("form-action", [&["'self'"], forms.as_slice()].concat()),
            ("frame-ancestors", vec!["'self'"]),
            ("base-uri", vec!["'none'"]),
        ];
        directives
            .map(|(name, sources)| format!("{name} {}", sources.join(" ")))
            .join("; ")
    }

    /// The policy that a page can hold, escaped for an attribute in double quotes, with the exceptions that it needs alone;
    /// or the policy that the site sets in its place. `None` if the site removes the header.
    pub fn page_policy(&self, needs: &PolicyNeeds) -> Option<String> {
        let set = self
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(HEADER));
        let captcha = needs.captcha && self.leads.captcha.is_elsewhere();
        let policy = set.map_or_else(
            || {
                Some(self.policy(
                    &["'self'"],
                    &PolicyNeeds {
                        captcha,
                        ..needs.clone()
                    },
                ))
            },
            |header| header.value.clone(),
        )?;
        let kept: Vec<&str> = policy
            .split(';')
            .map(str::trim)
            .filter(|directive| {
                let name = directive
                    .split_whitespace()
                    .next()
                    .unwrap_or_default()
                    .to_ascii_lowercase();
                !name.is_empty() && !HEADER_ONLY.contains(&name.as_str())
            })
            .collect();
        // Apostrophes stay as they are: a policy has many of them.
        (!kept.is_empty()).then(|| {
            kept.join("; ")
                .replace('&', "&amp;")
                .replace('"', "&quot;")
                .replace('<', "&lt;")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ResponseHeader, SearchSettings, SiteSettings};
    use super::PolicyNeeds;
    use api_types::captcha::CaptchaProvider;

    fn form(captcha: bool) -> PolicyNeeds {
        PolicyNeeds {
            captcha,
            ..PolicyNeeds::default()
        }
    }

    #[test]
    fn only_the_header_lets_the_worker_of_the_search_compile() {
        let mut settings = SiteSettings::at("https://a.example/");
        assert!(!settings.content_security_policy().contains("wasm"));
        let fallback = Some("https://find.example/?sites=a.example".to_owned());
        let fallback = fallback.map(|value| diagnostics::yaml::Spanned {
            value,
            ..Default::default()
        });
        settings.search = Some(SearchSettings {
            fallback,
            ..SearchSettings::default()
        });
        let header = settings.content_security_policy();
        assert!(
            header.contains("script-src 'self' 'wasm-unsafe-eval';"),
            "{header}"
        );
        assert!(
            header.contains("form-action 'self' https://find.example;"),
            "{header}"
        );
        let page = |search| {
            settings
                .page_policy(&PolicyNeeds {
                    search,
                    ..form(false)
                })
                .expect("a policy")
        };
        assert!(
            page(true).contains("script-src 'self';")
                && page(true).contains("https://find.example")
        );
        assert!(!page(false).contains("find.example"), "{}", page(false));
    }

    #[test]
    fn a_page_holds_the_policy_without_what_only_a_header_can_say() {
        let mut settings = SiteSettings::at("https://a.example/");
        let policy = settings.page_policy(&form(true)).expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; "),
            "{policy}"
        );
        assert!(
            !policy.contains("frame-ancestors") && policy.ends_with("; base-uri 'none'"),
            "{policy}"
        );
        settings.leads.captcha.site_key = "key".to_owned();
        assert_eq!(
            [true, false].map(|has_form| settings
                .page_policy(&form(has_form))
                .is_some_and(|policy| policy.contains("recaptcha"))),
            [true, false]
        );
        let bucket = "https://files.s3.eu-west-1.amazonaws.com";
        settings.leads.uploads = Some(diagnostics::yaml::Spanned {
            value: bucket.into(),
            ..Default::default()
        });
        for uploads in [true, false] {
            let needs = PolicyNeeds {
                uploads,
                ..PolicyNeeds::default()
            };
            let policy = settings.page_policy(&needs).expect("a policy");
            assert_eq!(
                policy.contains(&format!("connect-src 'self' {bucket};")),
                uploads,
                "{policy}"
            );
        }
        settings.leads.uploads = None;
        settings.leads.captcha.provider = CaptchaProvider::Hcaptcha;
        let policy = settings.page_policy(&form(true)).expect("a policy");
        for directive in [
            "script-src 'self' ",
            "style-src 'self' ",
            "connect-src 'self' ",
            "frame-src ",
        ] {
            assert!(
                policy.contains(&format!(
                    "{directive}https://hcaptcha.com https://*.hcaptcha.com;"
                )),
                "{policy}"
            );
        }
        settings.leads.captcha.provider = CaptchaProvider::Turnstile;
        let policy = settings.page_policy(&form(true)).expect("a policy");
        assert!(
            policy.contains("frame-src https://challenges.cloudflare.com;")
                && policy.contains("style-src 'self';")
        );
        for provider in [CaptchaProvider::Altcha, CaptchaProvider::None] {
            settings.leads.captcha.provider = provider;
            assert!(
                !settings.content_security_policy().contains("https:"),
                "{provider:?}"
            );
        }
        let mut set = |value: Option<&str>| {
            settings.headers = vec![ResponseHeader {
                name: "content-security-policy".into(),
                value: value.map(str::to_owned),
            }];
            settings.page_policy(&form(true))
        };
        assert_eq!(set(None), None);
        assert_eq!(
            set(Some("Sandbox; default-src *;report-uri /x ;")).as_deref(),
            Some("default-src *")
        );
        assert_eq!(set(Some("frame-ancestors 'none'")), None);
    }
}
