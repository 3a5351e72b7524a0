//! `_headers` and `_redirects`, for Netlify and Cloudflare.
//!
//! Where the two hosts differ, the files contain only what both accept, unless the site sets `host`:
//!
//! - Headers of two rules that match one address are joined, not replaced. So `/*` has no `Cache-Control`: the default
//!   of both hosts is right for pages.
//! - Netlify serves an existing file instead of redirecting, unless the rule says `301!`; Cloudflare redirects first,
//!   and rejects such a line. On both, an HTML redirect page is at the old address.
//! - Netlify treats both slash forms as equal, Cloudflare does not.
//!
//! Both hosts read the files at the top of what they serve, so every rule has the base path of the site.

use std::fmt::Write as _;
use std::sync::Arc;

use assets::output::Output;
use config::{Config, Host};
use diagnostics::problem::Problems;

use super::rules::{HeaderScope, Rules};

/// The limits of Cloudflare, in lines and in characters per line; it ignores the rest.
const CLOUDFLARE_REDIRECTS: usize = 2000;
/// Redirects with `*`, which it counts apart.
const CLOUDFLARE_PATTERNS: usize = 100;
const CLOUDFLARE_REDIRECT_LENGTH: usize = 1000;
const CLOUDFLARE_HEADER_LENGTH: usize = 2000;

pub(super) fn files(config: &Config, rules: &Rules) -> (Vec<Output>, Problems) {
    let redirects = redirects(config.site.host, rules);
    let headers = headers(rules);
    let problems = if config.site.host == Some(Host::Netlify) {
        Problems::new()
    } else {
        limits(config, rules, &headers, &redirects)
    };
    let files = [("_headers", headers), ("_redirects", redirects)];
    let written = files.into_iter().filter(|(_, text)| !text.is_empty());
    (
        written
            .map(|(name, text)| Output::bytes(name, Arc::new(text.into_bytes())))
            .collect(),
        problems,
    )
}

fn headers(rules: &Rules) -> String {
    let scoped = rules.scoped();
    let mut text = rules.href("/*\n");
    for header in rules.everywhere() {
        if scoped
            .values()
            .flatten()
            .any(|joined| joined.name.eq_ignore_ascii_case(&header.name))
        {
            continue;
        }
        let _ = writeln!(text, "  {}: {}", header.name, header.value);
    }
    for (scope, headers) in &scoped {
        let path = match scope {
            HeaderScope::Everything => rules.href("/*"),
            HeaderScope::Folder(folder) => rules.href(&format!("{folder}*")),
            HeaderScope::File(file) => rules.href(file),
        };
        let _ = writeln!(text, "{path}");
        for header in headers {
            let _ = writeln!(text, "  {}: {}", header.name, header.value);
        }
    }
    text
}

fn redirects(host: Option<Host>, rules: &Rules) -> String {
    let mut text = String::new();
    let is_netlify = host == Some(Host::Netlify);
    // Cloudflare's rules have no hosts.
    for (at, to) in rules.hosts.iter().enumerate().filter(|_| is_netlify) {
        let home = rules.href(&to.home);
        if at > 0 {
            let _ = writeln!(text, "{}/ {home} 302!", to.base_url);
        }
        for from in rules
            .hosts
            .iter()
            .filter(|from| at > 0 && from.name != to.name)
        {
            let _ = writeln!(
                text,
                "{0}{1}* {2}{1}:splat 301!",
                from.base_url, to.home, to.base_url
            );
        }
    }
    // Cloudflare's rules have no parameters.
    for (path, name, value, to) in rules.each_query().filter(|_| is_netlify) {
        let status = rules.status(&format!("{path}?{name}={value}"));
        let _ = writeln!(text, "{} {name}={value} {to} {status}!", rules.href(path));
    }
    for (from, to) in &rules.redirects {
        let (status, from) = (rules.status(from), old(&rules.href(from)));
        if is_netlify {
            let _ = writeln!(text, "{from} {to} {status}!");
        } else {
            let _ = writeln!(
                text,
                "{} {to} {status}\n{from} {to} {status}",
                from.trim_end_matches('/')
            );
        }
    }
    // Cloudflare has no rule for it, and answers that there is nothing.
    for path in rules.gone.iter().filter(|_| is_netlify) {
        if let Some(page) = rules.error_page(404, path) {
            let _ = writeln!(text, "{} {} 410!", old(&rules.href(path)), rules.href(page));
        }
    }
    let sign = if is_netlify { "!" } else { "" };
    for (folder, to) in rules.folders.iter().rev() {
        let (status, from) = (rules.status(folder), old(&rules.href(folder)));
        let _ = writeln!(text, "{from}* {to} {status}{sign}");
    }
    // Cloudflare finds the nearest 404.html itself; Netlify only that of the root.
    for page in rules
        .error_pages
        .iter()
        .filter(|page| page.status == 404 && is_netlify)
    {
        let below = rules.href(&page.below);
        if below != "/" {
            let _ = writeln!(text, "{below}* {} 404", rules.href(&page.file));
        }
    }
    for (listing, numbers) in rules.numbered.iter().filter(|_| is_netlify) {
        let listing = rules.href(listing);
        for number in numbers {
            let _ = writeln!(text, "{listing} page={number} {listing}page/{number}/ 200!");
        }
    }
    text
}

/// An old path as a rule has it: blanks would end it.
fn old(path: &str) -> String {
    path.replace('%', "%25").replace(' ', "%20")
}

/// Warns of rules that Cloudflare would silently ignore.
fn limits(config: &Config, rules: &Rules, headers: &str, redirects: &str) -> Problems {
    // A site that names no host may be on one that follows all redirects, and an import brings thousands.
    let is_named = config.site.host.is_some();
    let mut problems = if is_named {
        super::query_limit(config, rules, "Cloudflare")
    } else {
        Problems::new()
    };
    if is_named {
        let hint = "add a redirect rule for each host in Cloudflare's dashboard, and remove `host`: the files are the same";
        problems.extend(super::host_limit(config, rules, "Cloudflare", hint));
    }
    let elsewhere = "if the site is published elsewhere, name that `host` in `content/site.yaml`";
    let count = redirects.lines().filter(|line| !line.contains('*')).count();
    if is_named && count > CLOUDFLARE_REDIRECTS {
        let message = format!(
            "the redirects need {count} lines, with and without a final slash, but Cloudflare reads only {CLOUDFLARE_REDIRECTS}"
        );
        problems.push(super::limit(config, "redirects", message, elsewhere));
    }
    let patterns = redirects.lines().filter(|line| line.contains('*')).count();
    if is_named && patterns > CLOUDFLARE_PATTERNS {
        let message = format!(
            "{patterns} redirects have a `*`, but Cloudflare reads only {CLOUDFLARE_PATTERNS}"
        );
        problems.push(super::limit(config, "redirects", message, elsewhere));
    }
    let files = [
        (
            "_redirects",
            "redirects",
            redirects,
            CLOUDFLARE_REDIRECT_LENGTH,
        ),
        ("_headers", "headers", headers, CLOUDFLARE_HEADER_LENGTH),
    ];
    for (file, key, text, limit) in files {
        if let Some(line) = text.lines().find(|line| line.len() > limit) {
            let about = line
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .trim_end_matches(':');
            let length = line.len();
            let message = format!(
                "the line for `{about}` in `{file}` has {length} characters, but Cloudflare reads only {limit}"
            );
            problems.push(super::limit(config, key, message, elsewhere));
        }
    }
    problems
}
