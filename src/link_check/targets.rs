//! What an address in a finished file means.

use percent_encoding::percent_decode_str;

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Out of the site, or to no page at all (`mailto:`).
    Outside,
    /// To the page itself.
    Here {
        /// The place on it.
        anchor: Option<String>,
    },
    /// To a path of the site.
    Inside {
        /// Decoded, without query.
        path: String,
        /// The place on the page there.
        anchor: Option<String>,
    },
    /// To a path that depends on which of a page's addresses is open.
    Relative,
}

impl Target {
    /// Reads an address as it is written on a page of the site at `base_url`.
    pub(super) fn read(base_url: &str, written: &str) -> Target {
        let own = written.strip_prefix(base_url).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
        let rooted = match own {
            Some("") => "/",
            Some(rest) => rest,
            None if has_scheme(written) || written.starts_with("//") => return Target::Outside,
            None => written,
        };
        let (address, fragment) =
            rooted.split_once('#').map_or((rooted, None), |(address, anchor)| (address, Some(anchor)));
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        // A text fragment is looked for in the words of the page.
        let fragment = fragment.map(|fragment| fragment.split(":~:").next().unwrap_or_default());
        let anchor = fragment.filter(|fragment| !fragment.is_empty() && *fragment != "top").map(decoded);
        let path = address.split('?').next().unwrap_or_default();
        match path.chars().next() {
            None if own.is_some() => Target::Inside { path: "/".into(), anchor },
            None => Target::Here { anchor },
            Some('/') => Target::Inside { path: decoded(path), anchor },
            Some(_) => Target::Relative,
        }
    }
}

fn has_scheme(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, wanted: &Target) {
        assert_eq!(Target::read("https://small.example", written), *wanted, "{written}");
    }

    fn inside(path: &str, anchor: Option<&str>) -> Target {
        Target::Inside { path: path.into(), anchor: anchor.map(str::to_owned) }
    }

    #[test]
    fn the_site_is_its_paths_and_its_own_address() {
        check("/about/", &inside("/about/", None));
        check("/about/?page=2#team", &inside("/about/", Some("team")));
        check("https://small.example", &inside("/", None));
        check("https://small.example/a%20b/", &inside("/a b/", None));
    }

    #[test]
    fn others_are_outside() {
        for address in
            ["https://small.example.evil/", "https://other.example/", "//cdn.example/x", "mailto:a@b.c", "data:,x"]
        {
            check(address, &Target::Outside);
        }
    }

    #[test]
    fn an_anchor_alone_is_of_the_page() {
        check("#team", &Target::Here { anchor: Some("team".into()) });
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
