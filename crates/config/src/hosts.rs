//! The languages of a site that are on hosts of their own: `base_urls` in `site.yaml`.
//!
//! One build serves all hosts, each with the same files at the same paths. An address belongs to the host of the language
//! whose prefix it has.

use url::Url;

use api_types::base_url::{Hosts, LanguageHost};
use diagnostics::problem::did_you_mean;
use diagnostics::yaml::Spanned;

use super::SiteSettings;

/// An address of a host that can be written.
const EXAMPLE: &str = "https://example.de/";

impl SiteSettings {
    /// The base URL of the site, and those of the languages that are on a host of their own.
    pub fn hosts(&self) -> Hosts<'_> {
        Hosts {
            main: self.base_url(),
            languages: &self.language_hosts,
        }
    }

    /// Prepares [`SiteSettings::hosts`] from the lines of `base_urls` that are right, in the order of the languages.
    pub fn find_hosts(&mut self) {
        let main = Url::parse(self.base_url()).ok();
        let path = self.base_path();
        self.language_hosts = self
            .locales
            .iter()
            .filter_map(|code| {
                let url = host_url(&self.base_urls.get(&code.value)?.value).ok()?;
                let is_other = main
                    .as_ref()
                    .is_some_and(|main| problem_beside(main, &url).is_none());
                (is_other && code.value != self.default_locale()).then(|| LanguageHost {
                    locale: code.value.clone(),
                    prefix: format!("{}/", self.prefix(code)),
                    // In the form of requests: lower case, and other letters than ASCII's encoded.
                    base_url: format!("{}{path}", url.origin().ascii_serialization()),
                })
            })
            .collect();
    }

    /// Checks `base_urls`. The other problems of a bad `base_url` would be consequences of it.
    pub fn check_hosts(&self, report: &mut impl FnMut(&Spanned<String>, String, &str)) {
        let listed = || self.locales.iter().map(|code| code.value.as_str());
        let main = Url::parse(self.base_url()).ok();
        let mut taken: Vec<(String, &str)> = Vec::new();
        for (code, written) in &self.base_urls {
            if listed().all(|known| known != code) {
                let near = did_you_mean(code, listed())
                    .unwrap_or_else(|| "list it in `locales`".to_owned());
                report(
                    written,
                    format!("`base_urls` names `{code}`, which is not a locale in `site.yaml`"),
                    &near,
                );
                continue;
            }
            if code == self.default_locale() {
                let message =
                    format!("`{code}` is the main language, which uses the host of `base_url`");
                report(
                    written,
                    message,
                    "remove the line, and set `base_url` instead",
                );
                continue;
            }
            let url = match host_url(&written.value) {
                Ok(url) => url,
                Err(what) => {
                    let message = format!(
                        "`{}` is not the URL of a host: {what}",
                        written.value.escape_debug()
                    );
                    report(
                        written,
                        message,
                        &format!("write only the scheme and the host, such as `{EXAMPLE}`"),
                    );
                    continue;
                }
            };
            if let Some((message, hint)) = main.as_ref().and_then(|main| problem_beside(main, &url))
            {
                report(written, message, &hint);
            }
            let host = url.host_str().unwrap_or_default().to_owned();
            if let Some((_, other)) = taken.iter().find(|(known, _)| *known == host) {
                let message = format!(
                    "`{code}` and `{other}` have the same host, `{host}`, but a host can have only one language"
                );
                report(
                    written,
                    message,
                    "choose another host for one of the two, or remove its line",
                );
            }
            taken.push((host, code));
        }
    }
}

/// The name of the host of a base URL as requests have it, without a port.
pub fn host_name(base_url: &str) -> Option<String> {
    Some(Url::parse(base_url).ok()?.host_str()?.to_owned())
}

/// The URL of a host: without path, query, fragment, user and password. The error says what is wrong.
fn host_url(written: &str) -> Result<Url, String> {
    // The parser leaves these out, and so would accept them.
    if let Some(bad) = written
        .chars()
        .find(|c| c.is_control() || c.is_whitespace())
    {
        return Err(match bad {
            '\n' | '\r' => "it has a line break".to_owned(),
            bad if bad.is_control() => "it has a control character".to_owned(),
            _ => "it has a space".to_owned(),
        });
    }
    let has_scheme = ["https://", "http://"]
        .iter()
        .any(|scheme| written.starts_with(scheme));
    if !has_scheme {
        return Err("it does not begin with `https://`".to_owned());
    }
    let url = Url::parse(written).map_err(|error| error.to_string())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it has a user name or a password".to_owned());
    }
    if url.query().is_some() {
        return Err("it has a query".to_owned());
    }
    if url.fragment().is_some() {
        return Err("it has a fragment".to_owned());
    }
    if url.path() != "/" {
        return Err(format!(
            "it has the path `{}`, but every host uses the path of `base_url`",
            url.path()
        ));
    }
    // Rules of hosts hold the name, where other characters than those of names would have a meaning.
    let host = url.host_str().unwrap_or_default();
    if !host
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '[' | ']' | ':'))
    {
        return Err(format!("`{host}` is not a valid host name"));
    }
    Ok(url)
}

/// The problem of a host beside that of the site, and the hint.
fn problem_beside(main: &Url, url: &Url) -> Option<(String, String)> {
    let host = url.host_str().unwrap_or_default();
    if main.host_str() == Some(host) {
        let message = format!("`{host}` is also the host of `base_url`");
        return Some((
            message,
            "remove the line: without it, the language uses that host".to_owned(),
        ));
    }
    (main.scheme() != url.scheme()).then(|| {
        let message = format!(
            "`{host}` uses `{}`, but `base_url` uses `{}`",
            url.scheme(),
            main.scheme()
        );
        (message, format!("write `{}://{host}/`", main.scheme()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(base_url: &str, base_urls: &[(&str, &str)]) -> SiteSettings {
        let text = |value: &str| Spanned {
            value: value.to_owned(),
            ..Spanned::default()
        };
        let mut settings = SiteSettings::at(base_url);
        settings.locales = ["en", "de", "zh-Hans"].map(text).to_vec();
        settings.base_urls = base_urls
            .iter()
            .map(|(code, url)| ((*code).to_owned(), text(url)))
            .collect();
        settings.find_hosts();
        settings
    }

    fn problems(base_url: &str, base_urls: &[(&str, &str)]) -> Vec<String> {
        let mut found = Vec::new();
        let settings = settings(base_url, base_urls);
        settings.check_hosts(&mut |_, message, hint| found.push(format!("{message}; {hint}")));
        found
    }

    #[test]
    fn an_address_belongs_to_the_host_of_its_language() {
        let urls = [
            ("de", "https://Bücher.example/"),
            ("zh-Hans", "https://cn.example:8443"),
        ];
        let settings = settings("https://a.example/docs/", &urls);
        assert_eq!(problems("https://a.example/docs/", &urls), [""; 0]);
        for (path, expect) in [
            ("/about/", "https://a.example/docs"),
            ("/de/", "https://xn--bcher-kva.example/docs"),
            ("/de/blog/feed.xml", "https://xn--bcher-kva.example/docs"),
            ("/depot/", "https://a.example/docs"),
            ("/zh-hans/about/", "https://cn.example:8443/docs"),
        ] {
            assert_eq!(settings.hosts().of_path(path), expect, "{path}");
        }
        assert!(settings.hosts().has_origin("https://CN.example:8443"));
        assert!(!settings.hosts().has_origin("https://cn.example"));
    }

    #[test]
    fn a_wrong_host_is_named_and_never_used() {
        for (url, what) in [
            ("https://b.example/de/", "it has the path `/de/`"),
            ("https://b.example/?a=1", "it has a query"),
            ("https://b.example/#a", "it has a fragment"),
            ("https://b.example\n", "it has a line break"),
            ("https://b.exa\tmple", "it has a control character"),
            ("https://b example", "it has a space"),
            (
                "https://me:secret@b.example",
                "it has a user name or a password",
            ),
            ("b.example", "does not begin with `https://`"),
            ("ftp://b.example", "does not begin with `https://`"),
            ("https://", "empty host"),
            ("https://b$host.example", "is not a valid host name"),
            ("http://b.example", "write `https://b.example/`"),
            ("https://A.example/", "is also the host of `base_url`"),
            ("https://a.example:8443/", "is also the host of `base_url`"),
        ] {
            let found = problems("https://a.example", &[("de", url)]);
            assert!(
                found.len() == 1 && found[0].contains(what),
                "{url:?}: {found:?}"
            );
            assert_eq!(
                settings("https://a.example", &[("de", url)]).language_hosts,
                [],
                "{url:?}"
            );
        }
    }

    #[test]
    fn two_languages_have_two_hosts() {
        let same = [
            ("de", "https://b.example"),
            ("zh-Hans", "https://B.example/"),
        ];
        assert!(
            problems("https://a.example", &same)[0]
                .contains("`zh-Hans` and `de` have the same host, `b.example`")
        );
        assert!(
            problems("https://a.example", &[("en", "https://b.example")])[0]
                .contains("main language")
        );
        assert!(
            problems("https://a.example", &[("zh-hans", "https://b.example")])[0]
                .contains("zh-Hans")
        );
    }
}
