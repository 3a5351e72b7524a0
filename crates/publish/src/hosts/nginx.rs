//! nginx: a snippet to `include` in the `server` block of the site, and one for its API.
//!
//! `add_header` in a location drops the headers of the server, so all headers are set in the server, and values that
//! differ between files are variables. Variables are also evaluated again for an error page, so a 404 below `/_assets/`
//! is not cached for a year.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use workspace::media_types::{self, TYPES};

use super::rules::{HeaderScope, Rules, ScopedHeader, split_fragment};

const CACHE_CONTROL: &str = "Cache-Control";

/// The locations of the API, which runs beside nginx: `deploy/nginx.conf` includes them.
pub(super) fn api(rules: &Rules) -> String {
    let api = rules.href("/api/");
    // The API says itself how long an answer can be kept, and a second header would contradict it.
    let varies = rules
        .scoped()
        .values()
        .flatten()
        .any(|header| header.name.eq_ignore_ascii_case(CACHE_CONTROL));
    let own = if varies {
        format!("    set {} \"\";\n", variable(CACHE_CONTROL))
    } else {
        String::new()
    };
    format!(
        "\
# {}. Include it in the `server` block of a site whose API runs on the same machine.
# Set TRUSTED_PROXIES=127.0.0.1 for the API, so that it counts visitors and not this server. If another proxy is in front
# of this server, such as one that ends TLS, add its network there, and to the `server` block:
#     set_real_ip_from 10.0.0.0/8;
#     real_ip_header X-Forwarded-For;
#     real_ip_recursive on;
location {prefix} {{
    proxy_pass http://127.0.0.1:4100;
    proxy_http_version 1.1;
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_read_timeout 30s;
{own}}}
# Monitoring asks the API on this machine.
location = {metrics} {{ return 404; }}
location = {outbox} {{ return 404; }}
",
        super::MARK,
        prefix = quoted(&api),
        metrics = quoted(&format!("{api}metrics")),
        outbox = quoted(&format!("{api}leads/outbox")),
    )
}

pub(super) fn snippet(rules: &Rules) -> String {
    let parts = [
        head(rules),
        server(),
        hosts(rules),
        types(),
        headers(rules),
        compression(),
        hidden(rules),
        redirects(rules),
        files(rules),
        pages(rules),
        queries(rules),
    ];
    parts.join("\n")
}

fn head(rules: &Rules) -> String {
    let root = match rules.base_path.rsplit_once('/') {
        None => "the folder of the published site".to_owned(),
        Some(_) => format!(
            "a folder in which `{}` is the published site",
            rules.base_path.trim_start_matches('/')
        ),
    };
    format!(
        "# {}. Include it in the `server` block whose `root` is {root}.\n",
        super::MARK
    )
}

fn server() -> String {
    "\
server_tokens off;
absolute_redirect off;
charset utf-8;
"
    .to_owned()
}

/// Writes a rule for the pages of a pattern.
fn rule(text: &mut String, pattern: &str, answer: &str) {
    let _ = writeln!(
        text,
        "if ($sitegen_page ~ {}) {{ return {answer}; }}",
        quoted(pattern)
    );
}

/// The page of a request on another host.
fn to(base_url: &str) -> String {
    quoted(&format!(
        "{}$request_uri",
        api_types::base_url::parts(base_url).0
    ))
}

/// The addresses that belong to another host of the site. They come first, before an address becomes that of a file.
fn hosts(rules: &Rules) -> String {
    let Some((main, languages)) = rules.hosts.split_first() else {
        return String::new();
    };
    let mut text = String::from("# Each language on its host.\nset $sitegen_page $host$uri;\n");
    let root = escaped(&rules.href("/"));
    for host in languages {
        let (name, home) = (escaped(&host.name), rules.href(&host.home));
        rule(
            &mut text,
            &format!("^{name}{root}$"),
            &format!("302 {}", quoted(&home)),
        );
        let others = rules.hosts.iter().filter(|other| other.name != host.name);
        let others = others
            .map(|other| escaped(&other.name))
            .collect::<Vec<_>>()
            .join("|");
        rule(
            &mut text,
            &format!("^(?:{others}){}", escaped(&home)),
            &format!("301 {}", to(&host.base_url)),
        );
    }
    // Pages that are left on a host belong to the site's. Only pages: files are on every host.
    for host in languages {
        let (name, home) = (escaped(&host.name), escaped(&rules.href(&host.home)));
        rule(
            &mut text,
            &format!("^{name}(?!{home}){root}(?:.*/)?$"),
            &format!("301 {}", to(&main.base_url)),
        );
    }
    text
}

/// All content types: the table of nginx lacks some, and differs between versions.
fn types() -> String {
    let mut by_type: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (ending, kind) in TYPES {
        by_type.entry(kind).or_default().push(ending);
    }
    let mut text = String::from("types {\n");
    for (kind, endings) in &by_type {
        let _ = writeln!(text, "    {kind} {};", endings.join(" "));
    }
    let _ = writeln!(text, "}}\ndefault_type {};", media_types::UNKNOWN);
    // nginx adds text/html to these lists itself, and warns of duplicates.
    let charset: fn(&str) -> bool = media_types::has_charset;
    for (name, is_listed) in [
        ("charset_types", charset),
        ("gzip_types", media_types::is_compressible),
    ] {
        let kinds = by_type
            .keys()
            .copied()
            .filter(|kind| is_listed(kind) && *kind != "text/html");
        let _ = writeln!(text, "{name} {};", kinds.collect::<Vec<_>>().join(" "));
    }
    text
}

/// `Cache-Control` → `$sitegen_cache_control`.
fn variable(name: &str) -> String {
    format!(
        "$sitegen_{}",
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            })
            .collect::<String>()
    )
}

/// Whether it is `Content-Type`, which nginx sets from `types` and `default_type`.
fn is_type(header: &ScopedHeader) -> bool {
    header.name.eq_ignore_ascii_case("Content-Type")
}

fn headers(rules: &Rules) -> String {
    let scoped = rules.scoped();
    let varies: Vec<&str> = scoped
        .values()
        .flatten()
        .map(|header| header.name.as_str())
        .collect();
    let mut text = String::new();
    for header in rules.everywhere() {
        if varies.contains(&header.name.as_str()) {
            let variable = variable(&header.name);
            let _ = writeln!(text, "set {variable} {};", quoted(&header.value));
            let _ = writeln!(text, "add_header {} {variable} always;", header.name);
        } else {
            let _ = writeln!(
                text,
                "add_header {} {} always;",
                quoted(&header.name),
                quoted(&header.value)
            );
        }
    }
    text
}

fn compression() -> String {
    "\
# `sitegen build --precompress` writes the .gz files. With the brotli module, add `brotli_static on;` for the .br ones.
gzip on;
gzip_static on;
gzip_vary on;
gzip_proxied any;
gzip_min_length 1000;
"
    .to_owned()
}

fn hidden(rules: &Rules) -> String {
    let pattern = format!(
        "(?:/\\.(?!well-known/)|^{}/_(?:headers|redirects)$)",
        escaped(&rules.base_path)
    );
    format!("location ~ {} {{\n    return 404;\n}}\n", quoted(&pattern))
}

/// The directive of a redirect, whose target gets the query of the request.
fn redirect(status: u16, to: &str) -> String {
    let (address, fragment) = split_fragment(to);
    let query = if address.contains('?') {
        ""
    } else {
        "$is_args$args"
    };
    // The plan stage has made sure that no address contains `$`.
    let to = quoted(&format!("{address}{query}{fragment}"));
    format!("return {status} {to}")
}

fn redirects(rules: &Rules) -> String {
    let mut text = String::new();
    for (from, to) in &rules.redirects {
        let (from, answer) = (rules.href(from), redirect(rules.status(from), to));
        for form in [from.trim_end_matches('/'), &from] {
            let _ = writeln!(text, "location = {} {{ {answer}; }}", quoted(form));
        }
    }
    for path in &rules.gone {
        let (gone, path) = (gone(rules, path), rules.href(path));
        for form in [path.trim_end_matches('/'), &path] {
            let _ = writeln!(text, "location = {} {{ {gone}; }}", quoted(form));
        }
    }
    for (folder, to) in &rules.folders {
        let _ = writeln!(
            text,
            "location ^~ {} {{ {}; }}",
            quoted(&rules.href(folder)),
            redirect(rules.status(folder), to)
        );
    }
    text
}

/// The directives for a path that is gone.
fn gone(rules: &Rules, path: &str) -> String {
    let page = rules
        .error_page(404, path)
        .map(|page| format!("error_page 410 {}; ", quoted(&rules.href(page))));
    format!("{}return 410", page.unwrap_or_default())
}

/// The directives for a path whose parameter is not redirected: those that it has without one.
fn without_query(rules: &Rules, path: &str) -> String {
    if let Some(to) = rules.redirects.get(path) {
        return redirect(rules.status(path), to);
    }
    match rules.folder(path) {
        _ if rules.gone.contains(path) => gone(rules, path),
        Some((folder, to)) => redirect(rules.status(folder), to),
        None => format!(
            "try_files $sitegen_numbered {} =404",
            quoted(&format!("{}index.html", rules.href(path)))
        ),
    }
}

/// Redirects from paths with a parameter. The parameter becomes part of an internal address, because exact locations are
/// found in one look, and conditions are evaluated one after another for each request. A value that is not redirected
/// gets what the path has. They are the last directives of the server, because they end the evaluation of all others.
fn queries(rules: &Rules) -> String {
    let mut text = String::new();
    for (written, names) in &rules.queries {
        let others = without_query(rules, written);
        let path = rules.href(written);
        let pattern = escaped(path.trim_end_matches('/'));
        for (name, values) in names {
            let folder = format!("/_sitegen/query{path}{name}/");
            let _ = writeln!(
                text,
                "if ($arg_{name} ~ \"^[A-Za-z0-9_-]{{1,100}}$\") {{\n    rewrite {} {} last;\n}}",
                quoted(&format!("^{pattern}/?$")),
                quoted(&format!("{folder}$arg_{name}")),
            );
            let _ = writeln!(
                text,
                "location ^~ {} {{\n    internal;\n    {others};\n}}",
                quoted(&folder)
            );
            for (value, to) in values {
                let status = rules.status(&format!("{written}?{name}={value}"));
                let _ = writeln!(
                    text,
                    "location = {} {{\n    internal;\n    return {status} {};\n}}",
                    quoted(&format!("{folder}{value}")),
                    quoted(to)
                );
            }
        }
    }
    text
}

/// Files with their own headers.
fn files(rules: &Rules) -> String {
    let mut text = String::new();
    for (scope, headers) in rules.scoped() {
        let place = match scope {
            HeaderScope::Everything => continue,
            HeaderScope::Folder(folder) => format!("^~ {}", quoted(&rules.href(folder))),
            HeaderScope::File(file) => format!("= {}", quoted(&rules.href(file))),
        };
        let _ = writeln!(text, "location {place} {{");
        for header in headers {
            if is_type(header) {
                let _ = writeln!(text, "    types {{ }}\n    default_type {};", header.value);
            } else {
                let _ = writeln!(
                    text,
                    "    set {} {};",
                    variable(&header.name),
                    quoted(&header.value)
                );
            }
        }
        text.push_str("    try_files $uri =404;\n}\n");
    }
    text
}

/// Both slash forms of every page, numbered pages, and the error pages of each path.
fn pages(rules: &Rules) -> String {
    let mut text = String::from(
        "\
# X/?page=2 shows X/page/2/ where that exists. Only a plain number becomes part of a path.
set $sitegen_numbered $uri;
if ($arg_page ~ \"^[1-9][0-9]{0,5}$\") {
    set $sitegen_numbered $uri/page/$arg_page/index.html;
}
",
    );
    let mut paths: Vec<&str> = rules
        .error_pages
        .iter()
        .map(|page| page.below.as_str())
        .chain(["/"])
        .collect();
    paths.sort_unstable();
    paths.dedup();
    for path in paths {
        let _ = writeln!(text, "location {} {{", quoted(&rules.href(path)));
        if let Some(page) = rules.error_page(404, path) {
            let _ = writeln!(text, "    error_page 404 {};", quoted(&rules.href(page)));
        }
        if let Some(page) = rules.error_page(500, path) {
            let _ = writeln!(
                text,
                "    error_page 500 502 503 504 {};",
                quoted(&rules.href(page))
            );
        }
        text.push_str("    try_files $sitegen_numbered $uri $uri/index.html =404;\n}\n");
    }
    if !rules.base_path.is_empty() {
        let base = &rules.base_path;
        let _ = writeln!(
            text,
            "location = {} {{\n    try_files $sitegen_numbered $uri/index.html =404;\n}}",
            quoted(base)
        );
    }
    // The defaults for locations without error pages.
    for (status, codes) in [(404, "404"), (500, "500 502 503 504")] {
        if let Some(page) = rules.error_page(status, "/") {
            let _ = writeln!(text, "error_page {codes} {};", quoted(&rules.href(page)));
        }
    }
    text
}

/// A path as a pattern that matches it alone.
fn escaped(path: &str) -> String {
    path.chars().fold(String::new(), |mut pattern, c| {
        if c.is_ascii_punctuation() && !matches!(c, '/' | '-' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
        pattern
    })
}

/// A value in quotes: everything that this file writes and that follows from settings or addresses. Values contain neither
/// control characters nor a `$`, but for the variables that are written here.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_end_its_quotes() {
        assert_eq!(
            quoted(r#"a"; return 200 "b\"#),
            r#""a\"; return 200 \"b\\""#
        );
    }

    #[test]
    fn a_header_that_differs_between_files_is_a_variable() {
        let header = |value: &str, scope| ScopedHeader {
            name: "Cache-Control".into(),
            value: value.into(),
            scope,
        };
        let headers = vec![
            header("short", HeaderScope::Everything),
            header("long", HeaderScope::Folder("/_assets/".into())),
        ];
        let text = snippet(&Rules {
            headers,
            ..Rules::default()
        });
        assert!(
            text.contains("add_header Cache-Control $sitegen_cache_control always;"),
            "{text}"
        );
        assert!(
            text.contains("location ^~ \"/_assets/\" {\n    set $sitegen_cache_control \"long\";"),
            "{text}"
        );
    }

    #[test]
    fn a_parameter_that_is_not_redirected_changes_nothing() {
        let pair = |from: &str, to: &str| BTreeMap::from([(from.to_owned(), to.to_owned())]);
        let rules = Rules {
            redirects: pair("/index.php/", "/a/"),
            folders: pair("/dir/", "/b/"),
            gone: ["/gone.php/".to_owned()].into(),
            ..Rules::default()
        };
        for (path, expect) in [
            ("/index.php/", "return 301 \"/a/$is_args$args\""),
            ("/dir/a.php/", "return 301 \"/b/$is_args$args\""),
            ("/gone.php/", "return 410"),
            ("/", "try_files $sitegen_numbered \"/index.html\" =404"),
        ] {
            assert_eq!(without_query(&rules, path), expect);
        }
    }

    /// The words of a configuration as nginx splits them: by blanks, with quotes and escapes.
    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '#' => while chars.next_if(|c| *c != '\n').is_some() {},
                '"' => {
                    let mut word = String::new();
                    while let Some(c) = chars.next().filter(|c| *c != '"') {
                        let is_escape = c == '\\'
                            && chars.peek().is_some_and(|next| matches!(next, '"' | '\\'));
                        word.push(if is_escape {
                            chars.next().unwrap_or(c)
                        } else {
                            c
                        });
                    }
                    words.push(word);
                }
                '{' | '}' | ';' => words.push(c.to_string()),
                c if c.is_whitespace() => {}
                c => {
                    let mut word = c.to_string();
                    while let Some(c) =
                        chars.next_if(|c| !c.is_whitespace() && !matches!(c, '{' | '}' | ';' | '"'))
                    {
                        word.push(c);
                    }
                    words.push(word);
                }
            }
        }
        words
    }

    proptest::proptest! {
        /// The configuration has the same words, whatever the addresses and values hold.
        #[test]
        fn an_address_is_one_word(from in "/[!-~é]{1,12}", to in "/[!-#%-~é]{0,12}", value in "[ -#%-~]{0,16}") {
            let redirects = |from: &str, to: &str| BTreeMap::from([(format!("{from}/"), to.to_owned())]);
            let headers = |value: &str| vec![ScopedHeader { name: "X-A".into(), value: value.to_owned(), scope: HeaderScope::Everything }];
            let written = |from: &str, to: &str, value: &str| {
                words(&snippet(&Rules { redirects: redirects(from, to), headers: headers(value), ..Rules::default() }))
            };
            let plain = written("/from", "/to", "value");
            let found = written(&from, &to, &value);
            let (target, fragment) = split_fragment(&to);
            let query = if target.contains('?') { "" } else { "$is_args$args" };
            let expected = plain.iter().map(|word| match word.as_str() {
                "/from" => from.trim_end_matches('/').to_owned(),
                "/from/" => format!("{from}/"),
                "/to$is_args$args" => format!("{target}{query}{fragment}"),
                "value" => value.clone(),
                other => other.to_owned(),
            });
            proptest::prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }
}
