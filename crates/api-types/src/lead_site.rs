//! `leads.json`, which a build writes beside `dist/` for the lead endpoint of the API. It holds messages and pages, and
//! is separate from the search bundle so that changing these does not invalidate the index of posts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::base_url::{Hosts, LanguageHost};
use crate::captcha::CaptchaProvider;
use crate::forms::{AnswerType, Form, FormLanguage};

/// The format version of a file without forms.
pub const VERSION: u32 = 1;
/// The format version of a file with forms. An API that knows earlier versions only rejects the file, and says so at its
/// start: it would lose answers.
pub const FORMS_VERSION: u32 = 2;
/// The format version of a file with forms that do more than to store an answer and to forward it as the API is set up. An
/// API that knows earlier versions only would keep answers too long, or send them elsewhere.
pub const DELIVERY_VERSION: u32 = 3;
/// The format version of a file with another captcha than the default one. An API that knows earlier versions only would
/// refuse every lead, or ask the wrong provider.
pub const CAPTCHA_VERSION: u32 = 4;

/// The contents of `leads.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadSite {
    /// The [`VERSION`] that it was written with, [`FORMS_VERSION`], [`DELIVERY_VERSION`] or [`CAPTCHA_VERSION`].
    pub version: u32,
    /// The base URL of the site, without a trailing slash.
    pub base_url: String,
    /// The languages that are on a host of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<LanguageHost>,
    /// Scheme and host of the API, if it runs on a separate host. Form pages that it returns are submitted from there.
    #[serde(default)]
    pub api_url: Option<String>,
    /// The site's locales, the default one first.
    pub locales: Vec<LeadLocale>,
    /// The time zone of the site, such as `Europe/Madrid`; empty for UTC.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub timezone: String,
    /// The rules set in `content/site.yaml`.
    pub rules: LeadRules,
    /// The forms of the site, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Form>,
}

impl LeadSite {
    /// The format version that the captcha and the forms need.
    pub fn version_of(captcha: CaptchaProvider, forms: &[Form]) -> u32 {
        let is_more = |form: &Form| {
            let in_words =
                |language: &FormLanguage| language.answer.is_some() || language.confirm.is_some();
            form.webhook.is_some()
                || form.keep_days.is_some()
                || form.confirm_days.is_some()
                || form
                    .fields
                    .iter()
                    .any(|field| field.takes == AnswerType::File)
                || form.languages.values().any(in_words)
        };
        match forms {
            _ if !captcha.is_default() => CAPTCHA_VERSION,
            // A file without forms stays readable for programs that know none.
            [] => VERSION,
            forms if forms.iter().any(is_more) => DELIVERY_VERSION,
            _ => FORMS_VERSION,
        }
    }

    /// The base URLs of the site.
    pub fn hosts(&self) -> Hosts<'_> {
        Hosts {
            main: &self.base_url,
            languages: &self.hosts,
        }
    }

    /// A form by name.
    pub fn form(&self, name: &str) -> Option<&Form> {
        self.forms.iter().find(|form| form.name == name)
    }
}

/// A locale of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadLocale {
    /// The locale's code, as in the `lang` parameter: `es`.
    pub code: String,
    /// The message for each error code.
    pub errors: BTreeMap<String, String>,
    /// The HTML of the published page with the form, if it can be submitted without JavaScript. If the API runs on a
    /// separate host, the HTML has a `<base>` element.
    pub form: Option<String>,
    /// The URL of the thank-you page: root-relative, or absolute if the API runs on a separate host.
    pub thanks: Option<String>,
}

/// The `leads` section of `content/site.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadRules {
    /// Whether to reject leads sent without JavaScript instead of quarantining them.
    pub refuse_without_script: bool,
    /// Whether to reject leads while the captcha provider is unreachable.
    pub refuse_unverified: bool,
    /// The number of days after which leads are deleted. `None` keeps them forever.
    pub keep_days: Option<u32>,
    /// The parameters of campaigns that are kept of the first address of a visit, with the first page and the host that led to
    /// it. `None` keeps nothing of the visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaigns: Option<Vec<String>>,
    /// The address of the bucket to which browsers send files by themselves. `None` if they send them to the API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uploads: Option<String>,
    /// Who checks that a form is sent by a person.
    #[serde(default, skip_serializing_if = "CaptchaProvider::is_default")]
    pub captcha: CaptchaProvider,
}

/// Reads and parses the file. The error names the file and the reason.
pub fn read(path: &Path) -> Result<LeadSite, String> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // The version comes first: the rest of a newer file may have another shape.
    let unreadable = |error: serde_json::Error| format!("{}: {error}", path.display());
    let Versioned { version } = serde_json::from_slice(&text).map_err(unreadable)?;
    if !(VERSION..=CAPTCHA_VERSION).contains(&version) {
        let known = format!("this program reads versions {VERSION} to {CAPTCHA_VERSION}");
        return Err(format!(
            "{}: the file has format version {version}, but {known}",
            path.display()
        ));
    }
    serde_json::from_slice(&text).map_err(unreadable)
}

/// The part of the file that every version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_version_is_refused_with_its_version_whatever_else_it_holds() {
        let folder = std::env::temp_dir().join(format!("lead-site-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("leads.json");
        let check = |text: &str| {
            std::fs::write(&file, text).expect("a file");
            read(&file).map(|site| site.forms.len())
        };
        let rules =
            r#"{"refuse_without_script": false, "refuse_unverified": false, "keep_days": null}"#;
        let old = format!(
            r#"{{"version": 1, "base_url": "https://a.example", "locales": [], "rules": {rules}}}"#
        );
        assert_eq!(check(&old), Ok(0));
        for text in [
            old.replace("\"version\": 1", "\"version\": 9"),
            r#"{"version": 9, "sites": []}"#.to_owned(),
        ] {
            let why = check(&text).expect_err("a reason");
            assert!(
                why.ends_with("has format version 9, but this program reads versions 1 to 4"),
                "{why}"
            );
        }
        std::fs::remove_dir_all(&folder).expect("the folder is removed");
    }
}
