//! The base URLs of a site and their parts: the generator writes addresses with their paths, and the API compares their
//! origins.

use serde::{Deserialize, Serialize};

/// Splits a base URL without a trailing slash into its origin and its path, which is usually empty.
///
/// ```
/// use api_types::base_url::parts;
/// assert_eq!(parts("https://example.com/docs"), ("https://example.com", "/docs"));
/// assert_eq!(parts("http://localhost:4000/a/b"), ("http://localhost:4000", "/a/b"));
/// assert_eq!(parts("https://example.com"), ("https://example.com", ""));
/// ```
pub fn parts(base_url: &str) -> (&str, &str) {
    let host = base_url.find("://").map_or(0, |at| at + 3);
    base_url.split_at(
        base_url[host..]
            .find('/')
            .map_or(base_url.len(), |at| host + at),
    )
}

/// A language that is on a host of its own. Every host has every file, at the same path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageHost {
    /// The code of the language: `de`.
    pub locale: String,
    /// The beginning of the paths of its pages, without the path of the base URL: `/de/`.
    pub prefix: String,
    /// Its base URL without a trailing slash. Its path is that of the site's base URL.
    pub base_url: String,
}

/// The base URL of a site, and those of the languages that are on a host of their own.
///
/// ```
/// use api_types::base_url::{Hosts, LanguageHost};
/// let (prefix, base_url) = ("/de/".to_owned(), "https://example.de".to_owned());
/// let languages = [LanguageHost { locale: "de".to_owned(), prefix, base_url }];
/// let hosts = Hosts { main: "https://example.com", languages: &languages };
/// assert_eq!(hosts.of_path("/de/preise/"), "https://example.de");
/// assert_eq!(hosts.of_path("/depot/"), "https://example.com");
/// assert_eq!(hosts.path_in("https://example.de/de/preise/"), Some("/de/preise/"));
/// assert_eq!(hosts.path_in("https://example.dev/"), None);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hosts<'a> {
    /// The base URL of the site, without a trailing slash.
    pub main: &'a str,
    /// The languages with a host of their own.
    pub languages: &'a [LanguageHost],
}

impl<'a> Hosts<'a> {
    /// The base URL of the host that a path of the site, such as `/de/preise/`, belongs to.
    pub fn of_path(self, path: &str) -> &'a str {
        self.languages
            .iter()
            .find(|host| path.starts_with(&host.prefix))
            .map_or(self.main, |host| &host.base_url)
    }

    /// The base URL of the host of a language.
    pub fn of_locale(self, code: &str) -> &'a str {
        self.languages
            .iter()
            .find(|host| host.locale == code)
            .map_or(self.main, |host| &host.base_url)
    }

    /// The base URL of each host, that of the site first.
    pub fn base_urls(self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.main).chain(self.languages.iter().map(|host| host.base_url.as_str()))
    }

    /// Whether an origin, such as `https://example.de`, is that of one of the hosts. Both may be in any case.
    pub fn has_origin(self, origin: &str) -> bool {
        self.base_urls()
            .any(|base_url| parts(base_url).0.eq_ignore_ascii_case(origin))
    }

    /// The part of a URL on one of the hosts that follows the base URL: empty, or a path, a query or a fragment.
    pub fn path_in(self, url: &str) -> Option<&str> {
        let below = |base_url: &str| url.strip_prefix(base_url);
        let is_end = |rest: &&str| rest.is_empty() || rest.starts_with(['/', '?', '#']);
        self.base_urls().filter_map(below).find(is_end)
    }
}
