//! The one table of rules for all hosts: headers, redirects, numbered pages, error pages. `serve` follows it directly;
//! a file per host translates it.
//!
//! A header has a scope, and the narrowest scope wins. An error response has only the headers of `Scope::Everything`,
//! so that a missing file below `/_assets/` is not cached for a year. `tests/hosts/requests.yaml` sends the same
//! requests to `serve`, a real nginx and the CloudFront function.

use std::collections::{BTreeMap, BTreeSet};

use config::Config;
use content::pages::Status;
use site::model::Site;
use site::routes::{QueryAddress, Route, Routes, file_of, is_value, numbered};

use super::languages::{self, SiteHost};

/// The file of `static/` with speculation rules, by which browsers prefetch pages. A header refers to it, because an
/// inline script would need an exception in the content security policy.
const SPECULATION_RULES: &str = "speculation-rules.json";

/// `Cache-Control` of pages: caches may store them, and must revalidate them for each request.
const REVALIDATE: &str = "public, max-age=0, must-revalidate";

/// `Cache-Control` of files with a hash in their names, which never change.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// Path → name of a parameter → value → target.
pub type Queries = BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>;

/// The rules for a host. Addresses are paths of the site, except the targets of redirects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// The path that the site is mounted at, without a trailing slash; usually empty. See [`Rules::href`].
    pub base_path: String,
    /// The hosts of the site, if some languages have one of their own: that of the site first.
    pub hosts: Vec<SiteHost>,
    /// Of several headers with one name, the one with the narrowest scope applies.
    pub headers: Vec<ScopedHeader>,
    /// Old path, with a trailing slash → target, an address as it is written in pages.
    pub redirects: BTreeMap<String, String>,
    /// Folders below which every address is redirected → target.
    pub folders: BTreeMap<String, String>,
    /// The redirects with status 302: old paths and folders, and `/?p=3`. The others have 301, which browsers remember.
    pub temporary: BTreeSet<String>,
    /// Old paths, with a trailing slash, that answer that what was there is gone.
    pub gone: BTreeSet<String>,
    /// Redirects from paths with a parameter, by path (with a trailing slash), name and value. See
    /// [`Rules::query_redirect`].
    pub queries: Queries,
    /// Addresses `X/` that have prerendered pages at `X/page/N/` → the numbers N. `X/?page=N` shows page N.
    pub numbered: BTreeMap<String, BTreeSet<u32>>,
    /// Error pages. Of several with one status, the one with the longest path applies.
    pub error_pages: Vec<ErrorPage>,
    /// Addresses of pages whose last segment contains a dot, like the name of a file.
    pub dotted_pages: Vec<String>,
    /// Addresses of files whose name contains no dot, like the address of a page.
    pub dotless_files: Vec<String>,
}

/// A response header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedHeader {
    /// In the usual case; comparisons ignore case.
    pub name: String,
    /// Printable ASCII without `$`.
    pub value: String,
    /// Which responses carry it.
    pub scope: HeaderScope,
}

/// The responses that have a header. From wide to narrow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeaderScope {
    /// All responses, errors included.
    Everything,
    /// Files below a folder, given with a slash at both ends. Not its 404s, which must not be cached for a year.
    Folder(String),
    /// One address.
    File(String),
}

/// The page for an error below a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorPage {
    /// 404 or 500.
    pub status: u16,
    /// The path below which it is used, with a trailing slash.
    pub below: String,
    /// Its address, which is also the path of its file.
    pub file: String,
}

impl Rules {
    /// Derives the rules from the settings and the routes.
    pub fn of(config: &Config, site: &Site, routes: &Routes) -> Rules {
        let base_path = config.site.base_path().to_owned();
        let (hosts, headers) = (languages::of(&config.site), headers(config, site));
        let mut rules = Rules {
            base_path,
            hosts,
            headers,
            ..Rules::default()
        };
        for (path, route) in routes.iter() {
            let last = path
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default();
            match route {
                Route::Redirect { to } => {
                    rules.redirects.insert(path.to_owned(), to.clone());
                }
                Route::Page { page, .. } if site.pages[*page].status != Status::Found => {
                    let status = site.pages[*page].status.number();
                    let below = path.trim_end_matches(&format!("{status}.html")).to_owned();
                    rules.error_pages.push(ErrorPage {
                        status,
                        below,
                        file: path.to_owned(),
                    });
                }
                Route::Page { .. } if last.contains('.') => {
                    rules.dotted_pages.push(path.to_owned());
                }
                Route::Static if !last.contains('.') => rules.dotless_files.push(path.to_owned()),
                Route::Page { .. } | Route::Static => {}
            }
            if path.contains("/page/")
                && let Some((listing, number)) = numbered::listing(&format!("/{}", file_of(path)))
            {
                rules.numbered.entry(listing).or_default().insert(number);
            }
        }
        rules.folders = routes
            .folders()
            .map(|(folder, to)| (folder.to_owned(), to.to_owned()))
            .collect();
        rules.temporary = routes.temporary().map(str::to_owned).collect();
        rules.gone = routes.gone().map(str::to_owned).collect();
        for (QueryAddress { path, name, value }, to) in routes.queries() {
            let names = rules.queries.entry(path.clone()).or_default();
            names
                .entry(name.clone())
                .or_default()
                .insert(value.clone(), to.to_owned());
        }
        // The longest path first, so that the first match is the nearest error page.
        rules.error_pages.sort_by_key(|page| {
            (
                std::cmp::Reverse(page.below.len()),
                page.below.clone(),
                page.status,
            )
        });
        rules
    }

    /// The address of a path of the site, as a browser requests it: `/about/` → `/docs/about/`.
    pub fn href(&self, path: &str) -> String {
        [self.base_path.as_str(), path].concat()
    }

    /// The status of a redirect from a path, a folder, or a path with a parameter: 301 or 302.
    pub fn status(&self, from: &str) -> u16 {
        if self.temporary.contains(from) {
            302
        } else {
            301
        }
    }

    /// The folder whose redirect a path takes, and its target.
    pub(super) fn folder(&self, path: &str) -> Option<(&String, &String)> {
        let folders = self.folders.iter();
        let around = folders.filter(|(folder, _)| path.starts_with(folder.as_str()));
        around.max_by_key(|(folder, _)| folder.len())
    }

    /// The status and the target of a redirected path, in either slash form. The query of the request is appended
    /// unless the target has its own.
    pub fn redirect(&self, path: &str, query: Option<&str>) -> Option<(u16, String)> {
        let with_slash = format!("{}/", path.trim_end_matches('/'));
        if let Some((from, to)) = query.and_then(|query| self.query_redirect(&with_slash, query)) {
            return Some((self.status(&from), to.to_owned()));
        }
        let exact = self.redirects.get_key_value(&with_slash);
        let (from, to) = exact.or_else(|| self.folder(&with_slash))?;
        let (address, fragment) = split_fragment(to);
        let query = query
            .filter(|_| !address.contains('?'))
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        Some((self.status(from), format!("{address}{query}{fragment}")))
    }

    /// Whether an address, in either slash form, answers that what was there is gone.
    pub fn is_gone(&self, path: &str) -> bool {
        self.gone
            .contains(&format!("{}/", path.trim_end_matches('/')))
    }

    /// The redirect of a path with a parameter, and its target. Of several parameters that are redirected at this path, the first one by
    /// name that the query has decides.
    fn query_redirect(&self, with_slash: &str, query: &str) -> Option<(String, &str)> {
        let names = self.queries.get(with_slash)?.iter();
        let mut given = names.filter_map(|(name, values)| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            Some((name, values, pairs.find(|(own, _)| own == name)?.1))
        });
        let (name, values, value) = given.find(|(_, _, value)| is_value(value))?;
        let to = values.get(value)?;
        Some((format!("{with_slash}?{name}={value}"), to))
    }

    /// The address of the prerendered page for `?page=N`, which may not exist.
    pub fn numbered_page(path: &str, query: Option<&str>) -> Option<String> {
        numbered::page(path, query?)
    }

    /// The error page for an address. `serve` finds the same page by searching the parent folders.
    pub fn error_page(&self, status: u16, path: &str) -> Option<&str> {
        let page = self
            .error_pages
            .iter()
            .find(|page| page.status == status && path.starts_with(&page.below))?;
        Some(&page.file)
    }

    /// The headers of a response. `found` is false for an error, which has only the headers of [`HeaderScope::Everything`].
    pub fn headers_for<'a>(
        &'a self,
        path: &str,
        found: bool,
    ) -> impl Iterator<Item = &'a ScopedHeader> {
        let mut nearest: BTreeMap<&str, &ScopedHeader> = BTreeMap::new();
        for header in self
            .headers
            .iter()
            .filter(|header| header.scope.holds(path, found))
        {
            let other = nearest.entry(&header.name).or_insert(header);
            if header.scope > other.scope {
                *other = header;
            }
        }
        nearest.into_values()
    }

    /// Every redirect from a path with a parameter: path, name, value, target.
    pub fn each_query(&self) -> impl Iterator<Item = (&str, &str, &str, &str)> {
        self.queries.iter().flat_map(|(path, names)| {
            names.iter().flat_map(move |(name, values)| {
                values.iter().map(move |(value, to)| {
                    (path.as_str(), name.as_str(), value.as_str(), to.as_str())
                })
            })
        })
    }

    /// The headers of [`HeaderScope::Everything`].
    pub fn everywhere(&self) -> impl Iterator<Item = &ScopedHeader> {
        self.headers
            .iter()
            .filter(|header| header.scope == HeaderScope::Everything)
    }

    /// The narrower scopes and their headers, from wide to narrow.
    pub fn scoped(&self) -> BTreeMap<&HeaderScope, Vec<&ScopedHeader>> {
        let mut scoped: BTreeMap<&HeaderScope, Vec<&ScopedHeader>> = BTreeMap::new();
        for header in self
            .headers
            .iter()
            .filter(|header| header.scope != HeaderScope::Everything)
        {
            scoped.entry(&header.scope).or_default().push(header);
        }
        scoped
    }
}

impl HeaderScope {
    fn holds(&self, path: &str, found: bool) -> bool {
        match self {
            HeaderScope::Everything => true,
            HeaderScope::Folder(folder) => found && path.starts_with(folder.as_str()),
            HeaderScope::File(file) => found && path == file,
        }
    }
}

/// An address without its fragment, and the fragment with its `#`.
pub(super) fn split_fragment(to: &str) -> (&str, &str) {
    to.split_at(to.find('#').unwrap_or(to.len()))
}

/// A header of all files.
fn everywhere(name: &str, value: &str) -> ScopedHeader {
    ScopedHeader {
        name: name.to_owned(),
        value: value.to_owned(),
        scope: HeaderScope::Everything,
    }
}

fn headers(config: &Config, site: &Site) -> Vec<ScopedHeader> {
    let rules = format!("/{SPECULATION_RULES}");
    let has_rules = site
        .static_files
        .iter()
        .any(|file| file.path == SPECULATION_RULES);
    let mut headers = vec![
        everywhere(
            "Content-Security-Policy",
            &config.site.content_security_policy(),
        ),
        everywhere("X-Content-Type-Options", "nosniff"),
        everywhere("Referrer-Policy", "strict-origin-when-cross-origin"),
        everywhere(
            "Permissions-Policy",
            "camera=(), microphone=(), geolocation=(), browsing-topics=()",
        ),
        everywhere("Cross-Origin-Opener-Policy", "same-origin"),
        everywhere(
            "Strict-Transport-Security",
            "max-age=31536000; includeSubDomains",
        ),
    ];
    if !config.site.is_indexed() {
        headers.push(everywhere("X-Robots-Tag", "noindex"));
    }
    if has_rules {
        headers.push(everywhere(
            "Speculation-Rules",
            &format!("\"{}\"", config.site.href(&rules)),
        ));
    }
    for own in &config.site.headers {
        headers.retain(|header| !header.name.eq_ignore_ascii_case(&own.name));
        headers.extend(
            own.value
                .as_deref()
                .map(|value| everywhere(&own.name, value)),
        );
    }
    // The headers below differ between files, so a site cannot override them for all files.
    headers.push(everywhere("Cache-Control", REVALIDATE));
    let hashed = HeaderScope::Folder(format!("/{}/", assets::FOLDER));
    headers.push(ScopedHeader {
        name: "Cache-Control".into(),
        value: IMMUTABLE.into(),
        scope: hashed,
    });
    // Their names hold a hash, unlike those of the files beside these folders.
    for folder in assets::INDEX_HASHED
        .iter()
        .filter(|_| config.site.search.is_some())
    {
        let scope = HeaderScope::Folder(format!("/{}/{folder}/", assets::INDEX_FOLDER));
        headers.push(ScopedHeader {
            name: "Cache-Control".into(),
            value: IMMUTABLE.into(),
            scope,
        });
    }
    if has_rules {
        let (name, value) = (
            "Content-Type".into(),
            "application/speculationrules+json".into(),
        );
        headers.push(ScopedHeader {
            name,
            value,
            scope: HeaderScope::File(rules),
        });
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_redirect(to: &str, query: Option<&str>, expect: &str) {
        let redirects = BTreeMap::from([("/old/".to_owned(), to.to_owned())]);
        let rules = Rules {
            redirects,
            ..Rules::default()
        };
        for path in ["/old", "/old/"] {
            assert_eq!(rules.redirect(path, query), Some((301, expect.to_owned())));
        }
    }

    #[test]
    fn the_query_is_appended_unless_the_target_has_one() {
        check_redirect("/new/", None, "/new/");
        check_redirect("/new/", Some("a=1"), "/new/?a=1");
        check_redirect("/new/#team", Some("a=1"), "/new/?a=1#team");
        check_redirect("/new/?b=2#team", Some("a=1"), "/new/?b=2#team");
    }

    #[test]
    fn the_longest_folder_decides_and_an_exact_address_before_it() {
        let map = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                .collect()
        };
        let folders = map(&[("/a/", "/x/"), ("/a/b/", "/y/")]);
        let rules = Rules {
            folders,
            redirects: map(&[("/a/b/c/", "/z/")]),
            ..Rules::default()
        };
        for (path, expect) in [
            ("/a/q", Some("/x/")),
            ("/a", Some("/x/")),
            ("/a/b/q/", Some("/y/")),
            ("/a/b/c", Some("/z/")),
            ("/ab/", None),
        ] {
            let expect = expect.map(|to| (301, to.to_owned()));
            assert_eq!(rules.redirect(path, None), expect, "{path}");
        }
    }

    #[test]
    fn a_parameter_decides_where_an_address_leads() {
        let values = |value: &str, to: &str| BTreeMap::from([(value.to_owned(), to.to_owned())]);
        let names = BTreeMap::from([
            ("cat".to_owned(), values("3", "/tag/")),
            ("p".to_owned(), values("12", "/post/")),
        ]);
        let rules = Rules {
            queries: BTreeMap::from([("/".to_owned(), names)]),
            ..Rules::default()
        };
        for (query, expect) in [
            ("p=12", Some("/post/")),
            ("a=1&p=12", Some("/post/")),
            ("p=13", None),
            ("xp=12", None),
            ("p=", None),
            ("p=12&cat=3", Some("/tag/")),
            ("p=12&cat=4", None),
            ("p=12&cat=%20", Some("/post/")),
        ] {
            let expect = expect.map(|to| (301, to.to_owned()));
            assert_eq!(rules.redirect("/", Some(query)), expect, "{query}");
        }
        assert_eq!(rules.redirect("/other/", Some("p=12")), None);
    }

    #[test]
    fn the_narrowest_scope_applies_and_errors_have_only_the_widest() {
        let header = |value: &str, scope| ScopedHeader {
            name: "A".into(),
            value: value.into(),
            scope,
        };
        let headers = vec![
            header("folder", HeaderScope::Folder("/x/".into())),
            header("all", HeaderScope::Everything),
            header("file", HeaderScope::File("/x/a".into())),
        ];
        let rules = Rules {
            headers,
            ..Rules::default()
        };
        let value = |path, found| {
            rules
                .headers_for(path, found)
                .map(|header| header.value.as_str())
                .collect::<String>()
        };
        assert_eq!(value("/x/a", true), "file");
        assert_eq!(value("/x/b", true), "folder");
        assert_eq!(value("/x/a", false), "all");
        assert_eq!(value("/", true), "all");
    }
}
