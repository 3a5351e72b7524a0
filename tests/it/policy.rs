//! Nothing that a page contains is blocked by the Content-Security-Policy of its own site: for each example site, pages and
//! style sheets are read as a browser would, and each thing that they load or run is compared with the policy.

use std::collections::BTreeMap;

use crate::new_site::new_site;
use crate::site_test::SiteTest;

/// A policy: the sources of each directive.
type Policy = BTreeMap<String, Vec<String>>;

/// The policy that all pages have, from `_headers`.
fn policy(headers: &str) -> Policy {
    let line = headers
        .lines()
        .find_map(|line| line.trim().strip_prefix("Content-Security-Policy: "))
        .expect("a policy");
    let directive = |text: &str| {
        let mut words = text.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.collect()))
    };
    line.split(';').filter_map(directive).collect()
}

/// Whether a directive, or `default-src` in its place, allows an address.
fn allows(policy: &Policy, directive: &str, address: &str, base: &str) -> bool {
    let has_default = !matches!(directive, "form-action" | "base-uri" | "frame-ancestors");
    let default = has_default.then(|| policy.get("default-src")).flatten();
    let Some(sources) = policy.get(directive).or(default) else {
        return true;
    };
    let scheme = address
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| scheme.chars().all(char::is_alphanumeric));
    sources.iter().any(|source| match source.as_str() {
        "'self'" => scheme.is_none() && !address.starts_with("//") || address.starts_with(base),
        "*" => true,
        source if source.ends_with(':') => {
            scheme.is_some_and(|scheme| source.trim_end_matches(':') == scheme)
        }
        source => address.starts_with(source),
    })
}

/// The tags of a page with their attributes, and the text after each.
fn tags(html: &str) -> Vec<(String, BTreeMap<String, String>, &str)> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            continue;
        }
        let (mut end, mut quote) = (rest.len(), None);
        for (at, c) in rest.char_indices() {
            match quote {
                None if c == '>' => {
                    end = at;
                    break;
                }
                None if c == '"' || c == '\'' => quote = Some(c),
                Some(open) if open == c => quote = None,
                _ => {}
            }
        }
        let tag = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let (name, mut written) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut attributes = BTreeMap::new();
        while let Some(at) = written.find(|c: char| !c.is_whitespace() && c != '/') {
            written = &written[at..];
            let end = written
                .find(|c: char| c.is_whitespace() || c == '=')
                .unwrap_or(written.len());
            let key = written[..end].to_ascii_lowercase();
            written = &written[end..];
            let Some(value) = written.strip_prefix('=') else {
                attributes.insert(key, String::new());
                continue;
            };
            let (value, after) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    value[1..].split_once(quote).unwrap_or((&value[1..], ""))
                }
                _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
            };
            attributes.insert(key, api_types::html::unescape(value));
            written = after;
        }
        let name = name.trim_end_matches('/').to_ascii_lowercase();
        // The text of these is no HTML.
        let skipped = matches!(name.as_str(), "script" | "style")
            .then(|| rest.find("</"))
            .flatten();
        found.push((name, attributes, &rest[..skipped.unwrap_or(0)]));
        rest = &rest[skipped.unwrap_or(0)..];
    }
    found
}

/// The resources that a page loads, runs or sends, each with the directive that decides.
fn uses(html: &str) -> Vec<(&'static str, String)> {
    let mut uses = Vec::new();
    for (name, attributes, text) in tags(html) {
        let get = |key: &str| attributes.get(key).cloned();
        for (key, value) in &attributes {
            if key.starts_with("on") && key.len() > 3 {
                uses.push(("script-src", format!("inline:{key}={value}")));
            }
            if key == "style" {
                uses.push(("style-src", format!("inline:{value}")));
            }
        }
        let list = |text: String| {
            text.split(',')
                .filter_map(|part| part.split_whitespace().next().map(str::to_owned))
                .collect()
        };
        let sources: Vec<String> = get("srcset")
            .or(get("imagesrcset"))
            .map(list)
            .unwrap_or_default();
        let src = get("src").filter(|src| !src.is_empty());
        match name.as_str() {
            "script" => {
                let is_data = get("type")
                    .is_some_and(|kind| kind.contains("json") || kind == "speculationrules");
                uses.extend(src.map(|src| ("script-src", src)));
                uses.extend(
                    (!is_data && !text.trim().is_empty())
                        .then(|| ("script-src", "inline:script".to_owned())),
                );
            }
            "style" => uses.push(("style-src", "inline:style".to_owned())),
            "link" => {
                let (rel, kind) = (
                    get("rel").unwrap_or_default(),
                    get("as").unwrap_or_default(),
                );
                let directive = match (rel.as_str(), kind.as_str()) {
                    ("stylesheet", _) | ("preload", "style") => Some("style-src"),
                    ("modulepreload", _) | ("preload", "script") => Some("script-src"),
                    ("preload", "font") => Some("font-src"),
                    ("manifest", _) => Some("manifest-src"),
                    (rel, kind) if rel.contains("icon") || kind == "image" => Some("img-src"),
                    _ => None,
                };
                uses.extend(directive.and_then(|directive| Some((directive, get("href")?))));
            }
            "img" | "input" | "image" => {
                uses.extend(src.into_iter().chain(sources).map(|src| ("img-src", src)));
            }
            "source" if !sources.is_empty() => {
                uses.extend(sources.into_iter().map(|src| ("img-src", src)));
            }
            "video" | "audio" | "source" | "track" => {
                uses.extend(src.map(|src| ("media-src", src)));
                uses.extend(get("poster").map(|poster| ("img-src", poster)));
            }
            "iframe" | "frame" => uses.extend(src.map(|src| ("frame-src", src))),
            "object" | "embed" => uses.extend(get("data").or(src).map(|src| ("object-src", src))),
            "form" => {
                uses.extend(
                    get("action")
                        .filter(|action| !action.is_empty())
                        .map(|action| ("form-action", action)),
                );
            }
            "base" => uses.extend(get("href").map(|href| ("base-uri", href))),
            _ => {}
        }
    }
    uses
}

/// The files that a style sheet loads.
fn uses_of_css(css: &str) -> Vec<(&'static str, String)> {
    let addresses = css
        .split("url(")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let addresses = addresses.map(|address| address.trim_matches(['"', '\'', ' ']).to_owned());
    let is_font = |address: &str| {
        [".woff2", ".woff", ".ttf", ".otf"]
            .iter()
            .any(|ending| address.contains(ending))
    };
    addresses
        .map(|address| {
            (
                if is_font(&address) {
                    "font-src"
                } else {
                    "img-src"
                },
                address,
            )
        })
        .collect()
}

/// Compares all pages and style sheets of a site with its policy.
pub fn check(site: &SiteTest) {
    let files = site.path("dist");
    let files = crate::site_test::files_below(&files);
    let headers = String::from_utf8_lossy(files.get("_headers").expect("the headers")).into_owned();
    let policy = policy(&headers);
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("the settings");
    let base = settings
        .lines()
        .find_map(|line| line.strip_prefix("base_url: "))
        .expect("an address")
        .trim_end_matches('/');
    let mut seen = 0;
    for (path, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        let uses = match path.rsplit('.').next() {
            Some("html") => uses(&text),
            Some("css") => uses_of_css(&text),
            _ => continue,
        };
        for (directive, address) in uses {
            seen += 1;
            assert!(
                allows(&policy, directive, &address, base),
                "{path}: the site's `{directive}` blocks `{address}`"
            );
        }
    }
    assert!(seen > 5, "{seen} uses were found");
}

#[test]
fn a_policy_blocks_what_it_does_not_name() {
    let policy = policy(
        "/*\n  Content-Security-Policy: default-src 'none'; img-src 'self' data:; frame-src https://www.google.com/recaptcha/\n",
    );
    let page = "<img src=/a.png srcset=\"/b.png 1x, https://cdn.example/c.png 2x\"><script>x()</script><p style='a' onclick=x()></p>\
                <video src=/a.mp4></video><iframe src=\"https://evil.example/\"></iframe><iframe src=\"https://www.google.com/recaptcha/a\"></iframe>\
                <script type=\"application/ld+json\">{}</script>";
    let blocked = uses(page)
        .into_iter()
        .filter(|(directive, address)| !allows(&policy, directive, address, "https://s.example"));
    let blocked: Vec<String> = blocked
        .map(|(directive, address)| format!("{directive} {address}"))
        .collect();
    let expect = [
        "img-src https://cdn.example/c.png",
        "script-src inline:script",
        "script-src inline:onclick=x()",
        "style-src inline:a",
        "media-src /a.mp4",
        "frame-src https://evil.example/",
    ];
    assert_eq!(blocked, expect);
}

#[test]
fn no_page_is_blocked_by_the_policy_of_its_site() {
    for site in [
        SiteTest::whole(),
        SiteTest::blog(),
        new_site(&[]),
        new_site(&["--languages", "es,en"]),
    ] {
        site.built();
        check(&site);
        crate::feeds::check(&crate::site_test::files_below(&site.path("dist")));
    }
}
