//! The shape of `content/site.yaml`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::content_types::{Action, Link, Localized};
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Spanned, Value};

use super::blog::BlogSettings;
use super::headers::{self, ResponseHeader};
use super::leads::LeadsSettings;

/// `content/site.yaml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct SiteSettings {
    /// Scheme and host under which the site is published; no path.
    pub base_url: Spanned<String>,
    /// Codes of the locales; the first is the default and has no URL prefix.
    pub locales: Vec<Spanned<String>>,
    /// Scheme and host of the site's API, when it answers elsewhere than at `/api/` of the site itself.
    pub api_url: Option<Spanned<String>>,
    /// What the site sells.
    pub product: Product,
    /// Who sells it.
    pub company: Company,
    /// Where existing customers log in.
    pub customer_app: Option<String>,
    /// The year in the footer.
    pub copyright_year: u32,
    /// Id of the tag manager's container; no frame without it.
    pub tag_manager: Option<Spanned<String>>,
    /// Menu and button at the top of each page.
    pub header: Header,
    /// Links and line at the foot of each page.
    pub footer: Footer,
    /// The brand's mark: an SVG of `static/`, from which the icons for tabs and home screens are drawn.
    pub icon: Option<Spanned<String>>,
    /// Publish `llms.txt`: the pages with their descriptions, for language models.
    pub llms_txt: bool,
    /// Profiles elsewhere.
    pub social: Vec<Social>,
    /// Old addresses that lead to new ones.
    pub redirects: Vec<Redirect>,
    /// Where posts come from.
    pub blog: BlogSettings,
    /// What becomes of what visitors send.
    pub leads: LeadsSettings,
    /// How heavy a page may be.
    pub budgets: Budgets,
    /// What becomes of scripts, styles and pictures that no page names any more.
    pub assets: Assets,
    /// The host that the site is published on, when its files shall be made for it alone.
    pub host: Option<Host>,
    /// Text files are also published compressed, for hosts that send such files as they are.
    pub precompress: bool,
    /// Response headers beside sitegen's own, or in their place. Read one by one, so that each keeps its place.
    #[serde(skip)]
    pub headers: Vec<ResponseHeader>,
    #[serde(rename = "headers")]
    _headers: serde::de::IgnoredAny,
    /// Keys that stand in the file but could not be read, which is a problem already.
    #[serde(skip)]
    pub unread: BTreeSet<String>,
}

/// A host that sitegen knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// Reads `_headers` and `_redirects`, and knows more rules than others that do.
    Netlify,
    /// Pages, and Workers with static assets: read `_headers` and `_redirects`.
    Cloudflare,
    /// Configured with what `sitegen hosts` writes.
    Nginx,
    /// Configured with what `sitegen hosts` writes.
    Cloudfront,
    /// Knows neither headers nor redirects.
    GithubPages,
}

/// How heavy a page may be, in kB (1,000 bytes); no limit where none is set.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Budgets {
    /// HTML, as it is.
    pub html: Option<f64>,
    /// Render-blocking style sheets, compressed (brotli).
    pub css: Option<f64>,
    /// Script of every page, compressed (brotli).
    pub script: Option<f64>,
    /// All that a page's islands may load, React included, compressed (brotli).
    pub islands: Option<f64>,
}

/// Files below `/_assets/`.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct Assets {
    /// For how many days a file stays published after the last page that named it is gone or has changed. A page that is open
    /// in a browser still loads its scripts after a deployment. 0 removes such files at once.
    pub keep_days: u32,
}

impl Default for Assets {
    fn default() -> Assets {
        Assets { keep_days: 7 }
    }
}

/// Name and address part of the product.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub struct Product {
    /// As readers see it.
    pub name: String,
    /// As addresses hold it: lower-case letters, digits and hyphens.
    pub slug: String,
}

/// The company's particulars.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Company {
    /// As readers see it.
    pub name: String,
    /// As contracts see it.
    pub legal_name: Option<String>,
    /// General mailbox.
    pub email: Option<String>,
    /// Office phone.
    pub phone: Option<String>,
    /// Phone that is answered day and night.
    pub emergency_phone: Option<String>,
    /// Postal address, line by line.
    #[serde(default)]
    pub address: Vec<String>,
    /// Office hours.
    pub hours: Option<Localized<String>>,
    /// Year.
    pub founded: Option<u32>,
}

/// The top of each page.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Header {
    /// Entries in order.
    pub menu: Vec<MenuEntry>,
    /// The button.
    pub call_to_action: Localized<Action>,
}

/// A link whose words are written per locale.
#[derive(Debug, Clone, Deserialize)]
pub struct MenuEntry {
    /// The words.
    pub label: Localized<String>,
    /// The target.
    pub to: Link,
}

/// The foot of each page.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Footer {
    /// One line about the company.
    pub tagline: Localized<String>,
    /// Columns of links.
    pub groups: Vec<FooterGroup>,
}

/// One column of the footer.
#[derive(Debug, Clone, Deserialize)]
pub struct FooterGroup {
    /// Its heading.
    pub title: Localized<String>,
    /// Its links.
    pub links: Vec<MenuEntry>,
}

/// A profile elsewhere.
#[derive(Debug, Clone, Deserialize)]
pub struct Social {
    /// The network's name.
    pub name: String,
    /// Its icon.
    pub icon: String,
    /// The profile's address.
    pub to: Link,
}

/// An old address.
#[derive(Debug, Clone, Deserialize)]
pub struct Redirect {
    /// The old path.
    pub from: Spanned<String>,
    /// Where it leads.
    pub to: Link,
}

const REQUIRED: &[&str] = &["base_url", "locales", "product", "company", "copyright_year", "header", "footer"];

/// Reads the settings. A mistake in one leaves the others, so that all pages can still be checked.
pub(super) fn read(source: &std::sync::Arc<Source>, node: &Node, problems: &mut Problems) -> SiteSettings {
    let (mut settings, read) = yaml::read_by_key::<SiteSettings>(source, node, REQUIRED, problems);
    let written = match &node.value {
        Value::Map(entries) => entries.iter().map(|(key, _)| key.name.as_str()).collect(),
        _ => Vec::new(),
    };
    // A required block that is not there is misspelt or reported as missing: either way what it would set is unknown.
    let wanted = written.into_iter().chain(REQUIRED.iter().copied());
    settings.unread = wanted.filter(|key| read.iter().all(|read| read != key)).map(str::to_owned).collect();
    settings.check(source, &read, problems);
    settings.headers = headers::read(source, node.get("headers"), problems);
    // Reported above; a locale that counts twice would only bring problems that follow from it.
    let mut seen = BTreeSet::new();
    settings.locales.retain(|code| seen.insert(code.value.clone()));
    settings
}

impl SiteSettings {
    /// What the types alone cannot say, for the keys that are there.
    fn check(&self, source: &Source, read: &[String], problems: &mut Problems) {
        let is_read = |key: &str| read.iter().any(|read| read == key);
        if is_read("blog") {
            self.blog.check(&self.locales, source, problems);
        }
        let mut report = |value: &Spanned<String>, message: String, hint: &str| {
            problems.push(Problem::error(Code::InvalidValue, message).at(source.place(value.span)).hint(hint));
        };
        let base_url = is_read("base_url").then_some(("base_url", &self.base_url));
        for (name, url) in base_url.into_iter().chain(self.api_url.as_ref().map(|url| ("api_url", url))) {
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            let message = match rest.map(|rest| rest.trim_end_matches('/')) {
                None => format!("`{name}` needs a scheme, and `{}` has none", url.value),
                Some(host) if host.is_empty() || host.contains(['/', '?', '#', ' ', '@', ';', ',']) => {
                    format!("`{name}` is a scheme and a host, and `{}` is more or less than that", url.value)
                }
                Some(_) => continue,
            };
            report(url, message, "write `https://www.example.com/`");
        }
        for (index, code) in self.locales.iter().enumerate() {
            if code.is_empty() || !code.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
                report(code, format!("`{}` is not a locale code", code.value), "write `en`, `es` or `pt-br`");
            }
            if self.locales[..index].iter().any(|earlier| earlier.value == code.value) {
                report(code, format!("the locale `{}` is listed twice", code.value), "remove one of the two");
            }
        }
        if let Some(id) =
            self.tag_manager.as_ref().filter(|id| !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
        {
            report(
                id,
                format!("`{}` is not the id of a tag manager's container", id.value),
                "write `GTM-XXXXXXX`, or remove the key",
            );
        }
        let mut report_file = |message: String, hint: &str| {
            problems.push(Problem::error(Code::InvalidValue, message).at(Place::file(source.path.clone())).hint(hint));
        };
        if self.locales.is_empty() && is_read("locales") {
            report_file("`locales` is empty".into(), "write `locales: [en]`");
        }
        if is_read("product") && self.product.slug.is_empty()
            || !self.product.slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        {
            let message = format!(
                "`product.slug` is part of addresses, and `{}` is not lower-case letters, digits and hyphens",
                self.product.slug
            );
            report_file(message, "write `my-product`");
        }
    }
}
