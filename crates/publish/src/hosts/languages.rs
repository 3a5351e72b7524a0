//! The hosts of a site whose languages are on hosts of their own: every host has the same files, and each address belongs to
//! one of them.
//!
//! The root of the host of a language leads to the home page of the language, with status 302, because the language may get
//! other pages there. A page that is requested on the host of another language leads to its own host, with status 301.

use config::{SiteSettings, host_name};

/// A host of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteHost {
    /// Its name, as requests have it: `example.de`, without a port.
    pub name: String,
    /// Its base URL, without a trailing slash.
    pub base_url: String,
    /// The path of the site that its pages begin with: `/de/`, and `/` for the host of the site.
    pub home: String,
}

/// All hosts, that of the site first; none if all languages are on it.
pub(super) fn of(settings: &SiteSettings) -> Vec<SiteHost> {
    let hosts = settings.hosts();
    if hosts.languages.is_empty() {
        return Vec::new();
    }
    let homes = std::iter::once("/").chain(hosts.languages.iter().map(|host| host.prefix.as_str()));
    hosts
        .base_urls()
        .zip(homes)
        .filter_map(|(base_url, home)| {
            Some(SiteHost {
                name: host_name(base_url)?,
                base_url: base_url.to_owned(),
                home: home.to_owned(),
            })
        })
        .collect()
}

/// A URL on one of the hosts as an address of the site on a host of any name, such as that of a preview. `None` for the URL of
/// another site.
pub fn local(hosts: &[SiteHost], base_path: &str, url: &str) -> Option<String> {
    hosts
        .iter()
        .find_map(|host| {
            url.strip_prefix(host.base_url.as_str())
                .filter(|rest| rest.starts_with('/'))
        })
        .map(|rest| [base_path, rest].concat())
}

/// A page with its links to other hosts of the site as links within one. Its head stays as it is published.
pub fn with_local_links(hosts: &[SiteHost], base_path: &str, html: String) -> String {
    let (true, Some(at)) = (!hosts.is_empty(), html.find("<body")) else {
        return html;
    };
    let (head, body) = html.split_at(at);
    // The values of attributes, and those in the properties of islands.
    let body = hosts.iter().fold(body.to_owned(), |body, host| {
        ["\"", "&quot;"].into_iter().fold(body, |body, quote| {
            body.replace(
                &format!("{quote}{}/", host.base_url),
                &format!("{quote}{base_path}/"),
            )
        })
    });
    [head, &body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Vec<SiteHost> {
        let host = |name: &str, home: &str| SiteHost {
            name: name.to_owned(),
            base_url: format!("https://{name}/docs"),
            home: home.to_owned(),
        };
        vec![host("a.example", "/"), host("a.example.de", "/de/")]
    }

    #[test]
    fn links_between_hosts_are_local_in_a_preview() {
        assert_eq!(
            local(&hosts(), "/docs", "https://a.example.de/docs/de/").as_deref(),
            Some("/docs/de/")
        );
        assert_eq!(
            local(&hosts(), "/docs", "https://a.example.det/docs/de/"),
            None
        );
        assert_eq!(local(&hosts(), "/docs", "/docs/de/"), None);
        let page = "<head><link href=\"https://a.example/docs/\"></head><body>\
                    <a href=\"https://a.example.de/docs/de/\">https://a.example/docs/</a>\
                    <i data-props=\"{&quot;href&quot;:&quot;https://a.example/docs/&quot;}\"></i></body>";
        let local = "<head><link href=\"https://a.example/docs/\"></head><body>\
                     <a href=\"/docs/de/\">https://a.example/docs/</a>\
                     <i data-props=\"{&quot;href&quot;:&quot;/docs/&quot;}\"></i></body>";
        assert_eq!(with_local_links(&hosts(), "/docs", page.to_owned()), local);
    }
}
