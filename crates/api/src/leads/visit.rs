//! Where an answer came from: the first page of the visit, the host that led to it, parameters of a campaign, and the build of
//! the site that was online. A browser sends it only if the site allows that, and the API keeps only what the site allows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use api_types::leads::clean_line;

use super::page::Fields;

/// Begins the names of signals with the parameters of a campaign.
const CAMPAIGN: &str = "campaign.";
/// The most characters of a value.
const VALUE_MAX: usize = 100;
/// The most characters of a path.
const PATH_MAX: usize = 300;

/// The facts about a visit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The path of its first page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub entry: String,
    /// The host that led to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub referrer: String,
    /// Parameters of the first address, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub campaign: BTreeMap<String, String>,
    /// The build of the site.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build: String,
}

impl Visit {
    /// Reads the signals of a form.
    pub(super) fn of(signals: &Fields) -> Visit {
        let value = |name: &str| {
            signals
                .iter()
                .find(|(key, _)| key == name)
                .map_or("", |(_, value)| value.as_str())
        };
        let campaign = signals.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix(CAMPAIGN)?;
            let value = clip(value, VALUE_MAX);
            (!value.is_empty()).then(|| (name.to_owned(), value))
        });
        Visit {
            entry: path(value("entry"), PATH_MAX),
            referrer: clip(value("referrer"), VALUE_MAX).to_lowercase(),
            campaign: campaign.collect(),
            build: String::new(),
        }
    }

    /// The part of it that the site allows to keep. `None` if that is nothing.
    pub(super) fn kept(mut self, allowed: Option<&[String]>, build: String) -> Option<Visit> {
        match allowed {
            Some(names) => self.campaign.retain(|name, _| names.contains(name)),
            None => self = Visit::default(),
        }
        self.build = build;
        (self != Visit::default()).then_some(self)
    }

    /// The parameters on one line.
    pub fn campaign_text(&self) -> String {
        self.campaign
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The path of a page of the site as a browser sends it; empty if it is anything else. It is put behind the host of the site
/// later, which `@evil.example/` would make a name and a password, and `//evil.example/` is another host by itself.
pub(super) fn path(text: &str, most: usize) -> String {
    let path = clip(text, most);
    let is_path = path.starts_with('/') && !path.starts_with("//") && !path.contains('\\');
    if is_path { path } else { String::new() }
}

fn clip(text: &str, most: usize) -> String {
    clean_line(text).chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_on_the_host_that_it_is_put_behind() {
        for page in ["/", "/es/cita/", "/a//b/?x=@y", "/%40/"] {
            assert_eq!(path(page, 500), page);
            let url =
                reqwest::Url::parse(&format!("https://www.example.com{page}")).expect("a URL");
            assert_eq!(url.host_str(), Some("www.example.com"), "{page}");
        }
        for page in [
            "@evil.example/x",
            "//evil.example/x",
            "/\\evil.example/",
            "\\\\evil.example",
            ".evil.example/",
            ":80@evil.example/",
            "https://evil.example/",
            "evil",
            "\t@evil.example",
            "",
        ] {
            assert_eq!(path(page, 500), "", "{page}");
        }
    }

    #[test]
    fn only_what_the_site_allows_is_kept() {
        let signals = [
            ("entry", "/es/blog/"),
            ("referrer", "Search.example"),
            ("campaign.utm_source", "letter\r\n2"),
            ("campaign.gclid", "x"),
            ("campaign.utm_term", ""),
        ];
        let signals: Fields = signals
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let allowed = ["utm_source".to_owned()];
        let visit = Visit::of(&signals)
            .kept(Some(&allowed), "b1".into())
            .expect("a visit");
        assert_eq!(
            (visit.entry.as_str(), visit.referrer.as_str()),
            ("/es/blog/", "search.example")
        );
        assert_eq!(
            (visit.campaign_text().as_str(), visit.build.as_str()),
            ("utm_source=letter  2", "b1")
        );
        assert_eq!(Visit::of(&signals).kept(None, String::new()), None);
        let far: Fields = vec![
            ("entry".into(), "https://evil.example".into()),
            ("referrer".into(), "x".repeat(500)),
        ];
        let visit = Visit::of(&far);
        assert_eq!((visit.entry.len(), visit.referrer.len()), (0, VALUE_MAX));
    }
}
