//! The redirects of `site.yaml` and of `content/redirects/`, from old addresses to new ones.
//!
//! An old address is a path. It matches requests with any query, and the query is appended to the new address. A new
//! address may have a fragment, and its own query, which replaces that of the request.

use std::collections::{HashMap, HashSet};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::config::{Redirect, SiteSettings};
use crate::content::placeholders;
use crate::model::Site;
use diagnostics::problem::{Code, Problem, Problems};

use super::{Claimant, Claims, Route, Routes, paths};

/// The same as characters.
const ENCODED_ASCII: &str = " \"$<>\\^`{|}";

/// The names of the feeds of a blog.
const FEEDS: [&str; 3] = ["feed.xml", "atom.xml", "feed.json"];

/// Adds the redirects to the routes, and reports wrong ones. Both slash forms of an old address are redirected.
pub(super) fn plan<'a>(
    settings: &'a SiteSettings,
    site: &Site,
    routes: &mut Routes,
    claims: &mut Claims<'a>,
    problems: &mut Problems,
) {
    let all: Vec<RedirectEntry> =
        settings.redirects.iter().map(|redirect| RedirectEntry::of(settings, redirect)).collect();
    // An import brings tens of thousands: each is looked up by its address.
    let mut by_path = HashMap::with_capacity(all.len());
    let mut duplicates = HashSet::new();
    for one in &all {
        if by_path.insert(one.from.as_str(), one).is_some() {
            duplicates.insert(one.from.as_str());
        }
    }
    let table = Table { by_path, duplicates };
    for one in &all {
        let checked = one.source_problem(routes, &table).map_or_else(|| one.target(site, routes, &table), Err);
        match checked {
            Ok(to)
                if claims.claim(
                    &one.from,
                    Claimant::Written(&one.redirect.source, one.redirect.from.span),
                    problems,
                ) =>
            {
                routes.by_path.insert(one.from.clone(), Route::Redirect { to });
            }
            Ok(_) => {}
            Err((problem, Side::From)) => problems.push(problem.at(one.redirect.source.place(one.redirect.from.span))),
            Err((problem, Side::To)) => problems.push(problem.at(one.redirect.source.place(one.redirect.to.0.span))),
        }
    }
}

/// All redirects by their old addresses, and the addresses that several have.
struct Table<'a, 'b> {
    by_path: HashMap<&'b str, &'b RedirectEntry<'a>>,
    duplicates: HashSet<&'b str>,
}

/// The half of a redirect that a problem concerns.
enum Side {
    From,
    To,
}

/// A redirect with its placeholders filled in.
struct RedirectEntry<'a> {
    redirect: &'a Redirect,
    /// With a trailing slash.
    from: String,
    /// The target as it is written. Within the site it is a path, a `page:` key or an anchor.
    to: String,
}

/// The characters that must be encoded in an address (RFC 3986), and `$`, which has a meaning in the rules of hosts.
/// None of them may end a rule or begin a response header.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'$')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Whether a path is that of a feed, which is no page: `/blog/feed.xml`.
fn is_feed(site: &Site, path: &str) -> bool {
    let Some((base, name)) = path.rsplit_once('/').map(|(base, name)| (format!("{base}/"), name)) else { return false };
    let is_list = |language: &crate::model::blog::Language| site.pages[language.list.0].path.value == base;
    FEEDS.contains(&name) && site.blog.languages.values().any(is_list)
}

impl<'a> RedirectEntry<'a> {
    fn of(settings: &SiteSettings, redirect: &'a Redirect) -> RedirectEntry<'a> {
        let from = placeholders::fill(&redirect.from.value, settings);
        let to = placeholders::fill(&redirect.to.0.value, settings);
        // An absolute address of the site itself is the same as its path.
        let own =
            to.strip_prefix(settings.base_url()).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
        let to = match own {
            Some(rest) if rest.starts_with('/') => rest.to_owned(),
            Some(rest) => format!("/{rest}"),
            None => to,
        };
        RedirectEntry { redirect, from: format!("{}/", from.trim_end_matches('/')), to }
    }

    fn source_problem(&self, routes: &Routes, all: &Table) -> Option<(Problem, Side)> {
        let conflict = |message: String, hint: &str| {
            Some((Problem::error(Code::RedirectConflict, message).hint(hint), Side::From))
        };
        let (from, written) = (self.from.as_str(), &self.redirect.from.value);
        if let Some(at) = written.find(['?', '#']) {
            let (part, why) = if written[at..].starts_with('?') {
                ("query", "a redirect holds for every query")
            } else {
                ("fragment", "browsers do not send fragments")
            };
            let message = format!("`{written}` has a {part}, and {why}");
            return conflict(message, &format!("write `{}`", &written[..at]));
        }
        let reserved = ["/_assets/", "/_sitegen/"].iter().any(|folder| from.starts_with(folder));
        if !from.starts_with('/') || reserved || paths::segments_problem(from).is_some() {
            let message = format!("`{written}` is not a path that can be redirected");
            return conflict(message, "write a path such as `/old-page/`, in lower case, without query or fragment");
        }
        if all.duplicates.contains(from) {
            return conflict(format!("`{from}` is redirected twice"), "remove one of the two");
        }
        let taken = [from, from.trim_end_matches('/')].into_iter().find(|path| routes.get(path).is_some());
        taken.and_then(|path| {
            let what = if path.ends_with('/') { "page" } else { "file" };
            conflict(
                format!("`{path}` is an address of the site, so a redirect would hide it"),
                &format!("remove the redirect, or the {what}"),
            )
        })
    }

    fn target(&self, site: &Site, routes: &Routes, all: &Table) -> Result<String, (Problem, Side)> {
        let to = self.to.as_str();
        let encoded = utf8_percent_encode(to, ENCODED).to_string();
        // Letters beyond ASCII are encoded below: `/日本/` is how a person writes the address of a page.
        if let Some(bad) = to.chars().find(|c| c.is_ascii() && ENCODED_ASCII.contains(*c) || c.is_control()) {
            let (what, hint) = match bad {
                bad if bad.is_control() => {
                    ("a line break or control character".to_owned(), "write the address on one line".to_owned())
                }
                ' ' => ("a space".to_owned(), format!("write `{encoded}`")),
                bad => (format!("`{bad}`"), format!("write `{encoded}`")),
            };
            let message = format!("`{}` holds {what}, which is not allowed in an address", to.escape_debug());
            return Err((Problem::error(Code::BadLink, message).hint(hint), Side::To));
        }
        if let Some(problem) = self.chain_problem(all) {
            return Err((problem, Side::To));
        }
        let locale =
            site.locales.iter().position(|locale| self.from.starts_with(&format!("/{}/", locale.code))).unwrap_or(0);
        let (address, fragment) =
            to.split_once('#').map_or((to, None), |(address, fragment)| (address, Some(fragment)));
        // Links within the site are resolved without the query; others are not resolved at all.
        let (path, query) = match address.split_once('?') {
            Some((path, query)) if path.starts_with('/') || path.starts_with("page:") => (path, Some(query)),
            _ => (address, None),
        };
        let link = fragment.map_or_else(|| path.to_owned(), |fragment| format!("{path}#{fragment}"));
        if fragment.is_none() && is_feed(site, path) {
            return Ok(query.map_or_else(|| routes.href(path), |query| format!("{}?{query}", routes.href(path))));
        }
        let href = routes.resolve(site, &link, locale, None).map_err(|problem| (problem, Side::To))?.href;
        if href.starts_with('#') {
            let message = format!("`{to}` is a fragment without a page");
            let problem = Problem::error(Code::BadLink, message).hint(format!("write `page:<key>{to}`"));
            return Err((problem, Side::To));
        }
        let target = match (query, href.split_once('#')) {
            (None, _) => href,
            (Some(query), None) => format!("{href}?{query}"),
            (Some(query), Some((path, fragment))) => format!("{path}?{query}#{fragment}"),
        };
        Ok(utf8_percent_encode(&target, CONTROLS).to_string())
    }

    /// The problem with a redirect whose target is itself redirected. Browsers and search engines give up on long
    /// chains, and hosts do not resolve them.
    fn chain_problem(&self, all: &Table) -> Option<Problem> {
        let mut chain = vec![self];
        while let Some(next) = chain.last().and_then(|last| last.next(all)) {
            if std::ptr::eq(next, self) {
                let stops: Vec<String> = chain.iter().skip(1).map(|stop| format!("`{}`", stop.from)).collect();
                let message = if stops.is_empty() {
                    format!("`{}` redirects to itself", self.from)
                } else {
                    format!("`{}` redirects to itself, through {}", self.from, stops.join(" and "))
                };
                let problem = Problem::error(Code::RedirectConflict, message);
                return Some(problem.hint("redirect to a page, or remove the redirect"));
            }
            let is_loop = chain.iter().any(|stop| std::ptr::eq(*stop, next));
            chain.push(next);
            if is_loop {
                break;
            }
        }
        let (last, is_loop) = (chain.last().filter(|_| chain.len() > 1)?, chain.last().and_then(|last| last.next(all)));
        let problem = Problem::error(Code::RedirectConflict, format!("`{}` is itself redirected", self.to));
        Some(if is_loop.is_some() {
            problem.hint("redirect to a page: the target is part of a redirect loop")
        } else {
            problem.hint(format!("redirect to the last address directly: `to: {}`", last.to))
        })
    }

    fn next<'b>(&self, all: &Table<'a, 'b>) -> Option<&'b RedirectEntry<'a>> {
        let path = self.to.split(['?', '#']).next().unwrap_or_default();
        let with_slash = format!("{}/", path.trim_end_matches('/'));
        all.by_path.get(with_slash.as_str()).copied()
    }
}
