//! The keys of `content/site.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use api_types::base_url::LanguageHost;

use diagnostics::limits::LOCALES;
use diagnostics::marks::Marks;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use schema::types::{Action, FieldType, Link, Localized, Scheduled, When, Zone};
use url::Url;

use diagnostics::yaml::{self, Node, Spanned, Value};

use super::blog::BlogSettings;
use super::headers::{self, ResponseHeader};
use super::leads::LeadsSettings;
use super::search::{self, SearchSettings};
use super::translations::TranslationSettings;
use super::visits::origin_of_host;
use super::visits::{self, Visits};

/// `content/site.yaml`.
///
/// It is serialized for the fingerprints of pages, with the settings that pages show. Header and footer have a
/// fingerprint of their own, and what a section shows of a setting is in the fingerprint of the section.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct SiteSettings {
    /// The version of the program's theme that the site was made for. Without it, the site contains all templates and
    /// scripts itself.
    #[serde(skip_serializing)]
    pub theme: Option<Spanned<String>>,
    /// Scheme and host of the published site, and the path that it is mounted at, if any: `https://example.com/docs`.
    pub base_url: Spanned<String>,
    /// By language, the scheme and host of its pages, if the language has its own host: `{de: https://example.de/}`.
    pub base_urls: BTreeMap<String, Spanned<String>>,
    /// The languages of `base_urls`.
    #[serde(skip)]
    pub language_hosts: Vec<LanguageHost>,
    /// Codes of the languages, as in `lang`; the first is the default and has no URL prefix. File names use the codes
    /// as they are written here.
    pub locales: Vec<Spanned<String>>,
    /// Languages of `locales` that are not announced yet: only builds with `--drafts` have them.
    #[serde(skip_serializing)]
    pub draft_locales: Vec<Spanned<String>>,
    /// By language, these settings with the names that the product and the company have in it, where they differ.
    #[serde(skip)]
    pub localized: BTreeMap<String, Arc<SiteSettings>>,
    /// The languages of [`SiteSettings::draft_locales`] that this build leaves out. They are not in `locales`.
    #[serde(skip)]
    pub withheld: Vec<String>,
    /// The language whose texts a language shows where it has none yet: `{es-MX: es, es: en}`. Without it, a text that a
    /// language lacks is an error.
    pub fallback: BTreeMap<String, Spanned<String>>,
    /// Scheme and host of the API, if it isn't at `/api/` of the site itself.
    pub api_url: Option<Spanned<String>>,
    /// The product of the company.
    pub product: Product,
    /// The company.
    pub company: Company,
    /// URL of the login for customers.
    pub customer_app: Option<String>,
    /// The time zone of dates without an offset, such as `Europe/Madrid`. Default: UTC.
    pub timezone: Zone,
    /// The copyright year in the footer.
    pub copyright_year: u32,
    /// Container id of the tag manager. If unset, its frame is left out.
    pub tag_manager: Option<Spanned<String>>,
    /// Menu and button of the header.
    #[serde(skip_serializing)]
    pub header: Header,
    /// Links and tagline of the footer.
    #[serde(skip_serializing)]
    pub footer: Footer,
    /// The brand mark: an SVG in `static/`, from which favicons and home screen icons are rendered.
    pub icon: Option<Spanned<String>>,
    /// Whether search engines may list the site. Default: `true`, and `false` for a build with drafts or for another host,
    /// such as that of a staging site.
    pub indexed: Option<bool>,
    /// Publish `llms.txt`, a list of pages and descriptions for language models.
    pub llms_txt: bool,
    /// Publish the content of each page as Markdown too, such as `/about-us/index.md`, for programs that read texts.
    pub markdown_twins: bool,
    /// Tells search engines which URLs have changed, with `sitegen indexnow`.
    #[serde(skip_serializing)]
    pub indexnow: Option<IndexNowSettings>,
    /// The service that counts visits. Read with its preset, which is a file.
    #[serde(skip)]
    pub visits: Option<Visits>,
    #[serde(rename = "visits", skip_serializing)]
    #[schemars(with = "Option<visits::Written>")]
    _visits: serde::de::IgnoredAny,
    /// Other sites whose pages can be shown in frames.
    pub embeds: Vec<EmbedSource>,
    /// The search of the whole site; `true` for its defaults.
    #[serde(skip_serializing)]
    #[schemars(with = "search::WrittenSearch")]
    pub search: Option<SearchSettings>,
    /// Profiles on social networks.
    pub social: Vec<Social>,
    /// Redirects from old URLs.
    #[serde(skip_serializing)]
    pub redirects: Vec<Redirect>,
    /// The source of posts.
    pub blog: BlogSettings,
    /// How translations are compared.
    #[serde(skip_serializing)]
    pub translations: TranslationSettings,
    /// How leads are checked, stored and deleted.
    #[serde(skip_serializing)]
    pub leads: LeadsSettings,
    /// Size limits of pages.
    pub budgets: Budgets,
    /// Folders outside the site, or inside it next to its source folders, that symbolic links in the source folders can
    /// point to, if the environment allows it with `SITEGEN_LINKED_FOLDERS`. Relative to the folder of the site.
    pub linked_folders: Vec<Spanned<String>>,
    /// Retention of published assets that no page references anymore.
    #[serde(skip_serializing)]
    pub assets: Assets,
    /// The host, if only the files for one host are published.
    #[serde(skip_serializing)]
    pub host: Option<Host>,
    /// Publish compressed copies of text files, for hosts that serve them.
    #[serde(skip_serializing)]
    pub precompress: bool,
    /// Response headers that add to the defaults or replace them. Parsed separately, to keep the location of each.
    #[serde(skip)]
    pub headers: Vec<ResponseHeader>,
    #[serde(rename = "headers", skip_serializing)]
    #[schemars(with = "headers::Written")]
    _headers: serde::de::IgnoredAny,
    /// The entries of menus with dates.
    #[serde(skip)]
    pub dated_menu_entries: Vec<Scheduled>,
    /// Where those lead that are not public now.
    #[serde(skip)]
    pub hidden_menu_links: Vec<Link>,
    /// Keys that are missing or could not be read. Their problems were reported.
    #[serde(skip)]
    pub unread: BTreeSet<String>,
    /// Marks texts with where they are written, for one page of the preview; `None` in a build.
    #[serde(skip)]
    pub marks: Option<Arc<Marks>>,
    /// The text of `site.yaml`, for problems that later stages find.
    #[serde(skip)]
    pub source: Arc<Source>,
}

/// A supported host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Host {
    /// Reads `_headers` and `_redirects`, with more rules than Cloudflare.
    Netlify,
    /// Pages, and Workers with static assets. Both read `_headers` and `_redirects`.
    Cloudflare,
    /// Configured with the output of `sitegen hosts`.
    Nginx,
    /// Configured with the output of `sitegen hosts`.
    Cloudfront,
    /// Supports neither headers nor redirects.
    GithubPages,
}

/// Size limits of pages, in kB (1,000 bytes). A limit that isn't set isn't checked.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Budgets {
    /// HTML, uncompressed.
    pub html: Option<f64>,
    /// Render-blocking style sheets, compressed (brotli).
    pub css: Option<f64>,
    /// The script that every page loads, compressed (brotli).
    pub script: Option<f64>,
    /// All scripts that the islands of a page can load, including React, compressed (brotli).
    pub islands: Option<f64>,
}

/// Files in `/_assets/`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Assets {
    /// Number of days that a file stays published once no page references it anymore, so that pages that are open in a
    /// browser can still load their scripts after a deployment. 0 removes such files at once.
    pub keep_days: u32,
}

impl Default for Assets {
    fn default() -> Assets {
        Assets { keep_days: 7 }
    }
}

/// The product.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
pub struct Product {
    /// Display name.
    pub name: String,
    /// Its name in languages that have another one: `{zh-Hans: 地平线}`.
    #[serde(default)]
    pub names: Localized<String>,
    /// Used in URLs: lowercase letters, digits and hyphens.
    pub slug: String,
}

/// The company.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
pub struct Company {
    /// Display name.
    pub name: String,
    /// Its name in languages that have another one: `{zh-Hans: 地平线口腔集团}`.
    #[serde(default)]
    pub names: Localized<String>,
    /// Name in legal texts.
    pub legal_name: Option<String>,
    /// General email address.
    pub email: Option<String>,
    /// Office phone.
    pub phone: Option<String>,
    /// Phone that is answered around the clock.
    pub emergency_phone: Option<String>,
    /// Postal address, line by line.
    #[serde(default)]
    pub address: Vec<String>,
    /// Office hours.
    pub hours: Option<Localized<String>>,
    /// Founding year.
    pub founded: Option<u32>,
}

/// The header of each page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Header {
    /// Menu entries, in order.
    pub menu: Vec<Spanned<MenuEntry>>,
    /// The button next to the menu.
    pub call_to_action: Localized<Action>,
}

/// A link with a label per locale, links to the entries of a collection, or, in the header menu, a group of both.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MenuEntry {
    /// The label.
    #[serde(default)]
    pub label: Localized<String>,
    /// The target.
    pub to: Option<Link>,
    /// Instead of a target: links that are shown when the label is clicked. Only the header menu has them.
    #[serde(default)]
    pub children: Vec<Spanned<MenuEntry>>,
    /// Instead of a label and a target: a collection whose entries become links, labeled with their names.
    pub entries: Option<Spanned<String>>,
    /// The fields that the links to entries are sorted by; `-date` is newest first.
    #[serde(default)]
    pub sort: Vec<Spanned<String>>,
    /// The maximum number of links to entries.
    pub limit: Option<usize>,
    /// When the link appears in the menu: `2025-03-31`, or `2025-03-31T09:30`.
    pub publish_at: Option<Spanned<When>>,
    /// When the link leaves the menu, written like `publish_at`.
    pub expires_at: Option<Spanned<When>>,
}

/// The footer of each page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Footer {
    /// One line about the company.
    pub tagline: Localized<String>,
    /// Columns of links.
    pub groups: Vec<FooterGroup>,
}

/// One column of the footer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct FooterGroup {
    /// Its heading.
    pub title: Localized<String>,
    /// Its links.
    pub links: Vec<Spanned<MenuEntry>>,
}

/// Another site whose pages can be shown in frames.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct EmbedSource {
    /// Its name, such as `map`.
    pub name: Spanned<String>,
    /// Its scheme and host: `https://www.openstreetmap.org`.
    pub frame: Spanned<String>,
}

impl EmbedSource {
    /// Its scheme, host and port, as the content security policy has them; `None` if the address is not that of a host.
    pub fn origin(&self) -> Option<String> {
        origin_of_host(&self.frame.value).filter(|origin| origin.starts_with("https://"))
    }
}

/// Tells search engines which URLs have changed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct IndexNowSettings {
    /// A key of your choice, of 8 to 128 letters, digits and hyphens. It is published as `/KEY.txt`.
    pub key: Spanned<String>,
    /// The URL that receives the changes. Default: `https://api.indexnow.org/indexnow`, which tells all search engines.
    pub endpoint: Option<Spanned<String>>,
}

/// A profile on a social network.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Social {
    /// Name of the network.
    pub name: String,
    /// Name of its icon.
    pub icon: String,
    /// URL of the profile.
    pub to: Link,
}

/// A redirect from an old URL.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Redirect {
    /// The old path.
    pub from: Spanned<String>,
    /// The target.
    pub to: Option<Link>,
    /// Instead of a target: nothing replaces this URL, and the response has the status 410.
    #[serde(default)]
    pub gone: bool,
    /// The file that states it.
    #[serde(skip)]
    pub source: Arc<Source>,
}

/// Reads the settings. Keys with an error get their default, so that all pages can still be checked.
/// Without `drafts`, languages that are not announced yet are left out, as if nothing named them.
pub fn read(
    source: &Arc<Source>,
    node: &Node,
    drafts: bool,
    problems: &mut Problems,
) -> SiteSettings {
    let node = &search::expanded(node);
    let (mut settings, read) =
        yaml::read_by_key::<SiteSettings>(source, node, SiteSettings::REQUIRED, problems);
    let written = match &node.value {
        Value::Map(entries) => entries.iter().map(|(key, _)| key.name.as_str()).collect(),
        _ => Vec::new(),
    };
    // A required block that is absent is misspelled or was reported as missing: either way its values are unknown.
    let expected = written
        .into_iter()
        .chain(SiteSettings::REQUIRED.iter().copied());
    settings.unread = expected
        .filter(|key| read.iter().all(|read| read != key))
        .map(str::to_owned)
        .collect();
    settings.keep_some_locales(source, problems);
    settings.leave_out_drafts(drafts, source, problems);
    settings.lend_labels();
    settings.check(source, &read, problems);
    settings.headers = headers::read(source, node.get("headers"), problems);
    // Duplicates were reported above. Keeping them would only cause follow-up problems.
    let mut seen = BTreeSet::new();
    settings
        .locales
        .retain(|code| seen.insert(code.value.clone()));
    settings
        .redirects
        .iter_mut()
        .for_each(|redirect| redirect.source = source.clone());
    settings.source = source.clone();
    settings.find_hosts();
    settings
}

impl SiteSettings {
    /// Reports more locales than a site can have, and leaves out those above, before anything is done for each.
    fn keep_some_locales(&mut self, source: &Source, problems: &mut Problems) {
        if let Some(first) = self.locales.get(LOCALES) {
            let message = format!(
                "`locales` has {} locales, but the limit is {LOCALES}",
                self.locales.len()
            );
            let problem = Problem::error(Code::InvalidValue, message).at(source.place(first.span));
            problems.push(problem.hint("build several sites, each with some of the locales"));
            self.locales.truncate(LOCALES);
        }
    }

    /// The keys that every site has.
    pub const REQUIRED: &[&str] = &[
        "base_url",
        "locales",
        "product",
        "company",
        "copyright_year",
        "header",
        "footer",
    ];

    /// Settings with this base URL, and defaults for everything else.
    pub fn at(base_url: &str) -> SiteSettings {
        let base_url = Spanned {
            value: base_url.to_owned(),
            ..Spanned::default()
        };
        SiteSettings {
            base_url,
            ..SiteSettings::default()
        }
    }

    /// Checks the constraints that the types do not express, for the keys that could be read.
    fn check(&self, source: &Source, read: &[String], problems: &mut Problems) {
        let is_read = |key: &str| read.iter().any(|read| read == key);
        if is_read("blog") {
            self.blog.check(&self.locales, source, problems);
        }
        if let Some(search) = &self.search {
            search.check(&self.locales, source, problems);
        }
        self.company.check(source, problems);
        let mut report = |value: &Spanned<String>, message: String, hint: &str| {
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(source.place(value.span))
                    .hint(hint),
            );
        };
        let base_url = is_read("base_url").then_some(("base_url", &self.base_url));
        for (name, url) in base_url
            .into_iter()
            .chain(self.api_url.as_ref().map(|url| ("api_url", url)))
        {
            if let Some((message, hint)) = url_problem(name, url, name == "base_url") {
                report(url, message, hint);
            }
        }
        self.check_languages(is_read("locales"), &mut report);
        if is_read("locales") {
            self.check_hosts(&mut report);
        }
        if let Some(id) = self
            .tag_manager
            .as_ref()
            .filter(|id| !id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
        {
            report(
                id,
                format!(
                    "`{}` is not the id of a Google Tag Manager container",
                    id.value
                ),
                "write `GTM-XXXXXXX`, or remove the key",
            );
        }
        if let Some(bad) = self.leads.captcha.bad_source() {
            let message = format!(
                "`{}` is not a valid source for a content security policy",
                bad.value.escape_debug()
            );
            report(
                bad,
                message,
                "write the URL of a host, such as `https://captcha.example.com/`",
            );
        }
        if let Some(bad) = self.leads.bad_uploads() {
            let message = format!("`{}` is not the URL of a bucket", bad.value.escape_debug());
            report(
                bad,
                message,
                "write a URL without `*` and without a slash at the end, such as `https://BUCKET.s3.eu-west-1.amazonaws.com`",
            );
        }
        if let Some(bad) = self.leads.bad_campaign() {
            let message = format!(
                "`{}` is not a valid parameter name",
                bad.value.escape_debug()
            );
            report(bad, message, "write only the name, such as `utm_source`");
        }
        if let Some(IndexNowSettings { key, endpoint }) = &self.indexnow {
            let is_key = (8..=128).contains(&key.len())
                && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            if !is_key {
                let message = format!(
                    "`{}` is not a valid key for IndexNow",
                    key.value.escape_debug()
                );
                report(key, message, "write 8 to 128 letters, digits and hyphens");
            }
            if let Some(endpoint) = endpoint.as_ref().filter(|endpoint| !is_address(endpoint)) {
                let message = format!("`{}` is not a URL", endpoint.value.escape_debug());
                report(
                    endpoint,
                    message,
                    "write `https://api.indexnow.org/indexnow`, or remove the key",
                );
            }
        }
        for (index, embed) in self.embeds.iter().enumerate() {
            if embed.origin().is_none() {
                let message = format!(
                    "`{}` is not the URL of a host",
                    embed.frame.value.escape_debug()
                );
                report(
                    &embed.frame,
                    message,
                    "write only the scheme and the host, such as `https://www.openstreetmap.org`",
                );
            }
            if self.embeds[..index]
                .iter()
                .any(|earlier| earlier.name.value == embed.name.value)
            {
                report(
                    &embed.name,
                    format!("the embed `{}` is listed twice", embed.name.value),
                    "remove one of the two",
                );
            }
        }
        let mut report_file = |message: String, hint: &str| {
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(Place::file(source.path.clone()))
                    .hint(hint),
            );
        };
        if self.locales.is_empty() && is_read("locales") {
            report_file(
                "`locales` is empty".into(),
                "list at least one locale, such as `locales: [en]`",
            );
        }
        if is_read("product") && self.product.slug.is_empty()
            || !self
                .product
                .slug
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        {
            let message = format!(
                "`product.slug` is part of URLs: expected lowercase letters, digits and hyphens, found `{}`",
                self.product.slug
            );
            report_file(message, "write a slug such as `my-product`");
        }
    }
}

impl Company {
    /// Reports an email address that is none.
    fn check(&self, source: &Source, problems: &mut Problems) {
        let email = self.email.as_deref().unwrap_or_default();
        let wrong = FieldType::Email
            .parse(email, Span::default())
            .err()
            .filter(|_| !email.is_empty());
        if let Some((message, hint)) = wrong.as_ref().and_then(|text| text.split_once("; ")) {
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(yaml::place_of_text(source, &["company", "email"], email))
                    .hint(hint),
            );
        }
    }
}

/// Tells whether a text is an address of the web.
fn is_address(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
}

/// The problem with the URL of the site or of the API, and the hint.
fn url_problem(name: &str, url: &str, may_have_path: bool) -> Option<(String, &'static str)> {
    let without_path = "write a URL such as `https://www.example.com/`";
    let Some(rest) = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
    else {
        return Some((
            format!("`{name}` must begin with `https://` or `http://`, but `{url}` does not"),
            without_path,
        ));
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    // The host of an API is written into the content security policy, which takes ASCII only.
    let is_host = |c: char| {
        (if may_have_path {
            c.is_alphanumeric()
        } else {
            c.is_ascii_alphanumeric()
        }) || matches!(c, '-' | '.' | ':' | '[' | ']')
    };
    if host.is_empty() || !host.chars().all(is_host) || (path.is_some() && !may_have_path) {
        return Some((
            format!("`{name}` must be a scheme and a host, but `{url}` is not"),
            without_path,
        ));
    }
    let path = path?;
    let what = if path.contains('?') {
        "a query".to_owned()
    } else if path.contains('#') {
        "a fragment".to_owned()
    } else if path.split('/').any(str::is_empty) {
        "two slashes in a row".to_owned()
    } else if let Some(dots) = path
        .split('/')
        .find(|segment| matches!(*segment, "." | ".."))
    {
        format!("the segment `{dots}`")
    } else {
        match path.chars().find(|c| *c != '/' && !is_unreserved(*c))? {
            ' ' => "a space".to_owned(),
            other => format!("`{}`", other.escape_debug()),
        }
    };
    Some((
        format!("the path of `{name}` must not contain {what}, but `{url}` does"),
        "write a URL such as `https://www.example.com/docs/`, with only letters, digits, `-`, `.`, `_` and `~` in the path",
    ))
}

/// Tells whether a path can have a letter as it is.
fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, base_path: &str, href: &str) {
        let settings = SiteSettings::at(url);
        assert_eq!(url_problem("base_url", url, true), None, "{url}");
        assert_eq!(settings.base_path(), base_path);
        assert_eq!(settings.href("/about/"), href);
        assert_eq!(settings.path_of(href), "/about/");
    }

    #[test]
    fn the_base_path_is_that_of_the_base_url() {
        check("https://a.example", "", "/about/");
        check("https://a.example/", "", "/about/");
        check("http://localhost:4000/docs", "/docs", "/docs/about/");
        check(
            "https://a.example/My_Repo/v1.2/",
            "/My_Repo/v1.2",
            "/My_Repo/v1.2/about/",
        );
    }

    #[test]
    fn a_bad_path_is_named() {
        let check = |url: &str, what: &str| {
            let (message, _) = url_problem("base_url", url, true).expect("a problem");
            assert!(message.contains(what), "{message}");
        };
        check("https://a.example/docs?a=1", "a query");
        check("https://a.example/docs#top", "a fragment");
        check("https://a.example/a/../b", "`..`");
        check("https://a.example//docs/", "two slashes");
        check("https://a.example/docs//", "two slashes");
        check("https://a.example/a b/", "a space");
        check("https://a.example/a%20b/", "`%`");
        check("https://a.example?a=1", "a scheme and a host");
    }

    #[test]
    fn the_api_has_no_path() {
        assert!(url_problem("api_url", "https://a.example/v1", false).is_some());
        for host in [
            "a\nb",
            "a b",
            "a;b",
            "a'b",
            "a\"b",
            "$host",
            "a{b}",
            "a\\b",
            "a|b",
            "é.example",
        ] {
            assert!(
                url_problem("api_url", &format!("https://{host}"), false).is_some(),
                "{host}"
            );
        }
        assert_eq!(url_problem("api_url", "https://a.example/", false), None);
    }
}
