//! Classifies the addresses in a finished file.

use percent_encoding::percent_decode_str;

use config::SiteSettings;

/// The target of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Another site, or no page at all (`mailto:`).
    Outside,
    /// The page itself.
    Here {
        /// The fragment.
        anchor: Option<String>,
    },
    /// A path of the site.
    Inside {
        /// Decoded, without the base path and the query.
        path: String,
        /// The fragment.
        anchor: Option<String>,
    },
    /// A path of the site's host that is not below the base path, so it leads to another site.
    NotBelowBase,
    /// A relative path, which has another target at each address of the page.
    Relative,
}

impl Target {
    /// Parses an address as it is written on a page of the site.
    pub(super) fn read(settings: &SiteSettings, written: &str) -> Target {
        let own = settings.hosts().path_in(written);
        let base_path = settings.base_path();
        let rooted = match own {
            Some("") => "/",
            Some(rest) => rest,
            None if has_scheme(written) || written.starts_with("//") => return Target::Outside,
            None if !base_path.is_empty() && written.starts_with('/') => {
                match written.strip_prefix(base_path) {
                    Some(rest) if rest.starts_with('/') => rest,
                    // `/docs` is the home page, in the other slash form.
                    Some(rest) if rest.is_empty() || rest.starts_with(['?', '#']) => "/",
                    _ => return Target::NotBelowBase,
                }
            }
            None => written,
        };
        let (address, fragment) = rooted
            .split_once('#')
            .map_or((rooted, None), |(address, anchor)| (address, Some(anchor)));
        // A text fragment (`#:~:text=…`) refers to text on the page, not to an id.
        let fragment = fragment.map(|fragment| fragment.split(":~:").next().unwrap_or_default());
        let anchor = fragment
            .filter(|fragment| !fragment.is_empty() && *fragment != "top")
            .map(decoded);
        let path = address.split('?').next().unwrap_or_default();
        match path.chars().next() {
            None if own.is_some() => Target::Inside {
                path: "/".into(),
                anchor,
            },
            None => Target::Here { anchor },
            Some('/') => Target::Inside {
                path: decoded(path),
                anchor,
            },
            Some(_) => Target::Relative,
        }
    }
}

/// An address without percent encoding.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn has_scheme(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        !scheme.is_empty()
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, wanted: &Target) {
        check_at("https://small.example", written, wanted);
    }

    fn check_at(base_url: &str, written: &str, wanted: &Target) {
        let mut settings = SiteSettings::default();
        settings.base_url.value = base_url.to_owned();
        assert_eq!(Target::read(&settings, written), *wanted, "{written}");
    }

    fn inside(path: &str, anchor: Option<&str>) -> Target {
        Target::Inside {
            path: path.into(),
            anchor: anchor.map(str::to_owned),
        }
    }

    #[test]
    fn paths_and_the_base_url_are_inside() {
        check("/about/", &inside("/about/", None));
        check("/about/?page=2#team", &inside("/about/", Some("team")));
        check("https://small.example", &inside("/", None));
        check("https://small.example/a%20b/", &inside("/a b/", None));
    }

    #[test]
    fn a_path_below_the_base_path_is_inside() {
        let check = |written: &str, wanted: &Target| {
            check_at("https://small.example/docs/", written, wanted);
        };
        check("/docs/about/#team", &inside("/about/", Some("team")));
        check("/docs", &inside("/", None));
        check("/docs/", &inside("/", None));
        check(
            "https://small.example/docs/about/",
            &inside("/about/", None),
        );
        check("https://small.example/about/", &Target::Outside);
        check("/about/", &Target::NotBelowBase);
        check("/docs-old/", &Target::NotBelowBase);
    }

    #[test]
    fn other_hosts_and_schemes_are_outside() {
        for address in [
            "https://small.example.evil/",
            "https://other.example/",
            "//cdn.example/x",
            "mailto:a@b.c",
            "data:,x",
        ] {
            check(address, &Target::Outside);
        }
    }

    #[test]
    fn a_fragment_alone_is_on_the_same_page() {
        check(
            "#team",
            &Target::Here {
                anchor: Some("team".into()),
            },
        );
        check("#", &Target::Here { anchor: None });
        check("", &Target::Here { anchor: None });
        check("?page=2", &Target::Here { anchor: None });
    }

    #[test]
    fn a_path_without_slash_is_relative() {
        check("team/", &Target::Relative);
        check("../team/", &Target::Relative);
    }
}
