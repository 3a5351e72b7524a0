//! The redirects of `site.yaml` and of `content/redirects/`, from old addresses to new ones.
//!
//! An old address is a path. It matches requests with any query, and the query is appended to the new address. A new
//! address may have a fragment, and its own query, which replaces that of the request.
//!
//! An old address is written as people see it or as browsers copy it: `/old page/` and `/old%20page/` are one.
//!
//! `/old/*` is every address below a folder. With a target such as `/new/*` it becomes one redirect for each page below that
//! folder, which every host can follow; with another target it is a rule of the host.
//!
//! An old address may also be a path with one parameter, such as `/?p=123`, by which WordPress and others name pages.
//! The page at the path itself stays, and the query is not appended.

use std::fmt;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::model::Site;
use config::{Redirect, SiteSettings};
use content::pages::Status;
use content::placeholders;
use diagnostics::problem::{Code, Problem, Problems};
use languages::locale::Locale;
use schema::types::{composed, reserved_folder};

use super::{Claimant, Route, RouteClaims, Routes};

/// The same as characters.
const ENCODED_ASCII: &str = " \"$<>\\^`{|}";

/// The names of the feeds of a blog.
pub(super) const FEEDS: [&str; 3] = ["feed.xml", "atom.xml", "feed.json"];

/// Adds the redirects to the routes, and reports wrong ones. Both slash forms of an old address are redirected.
pub(super) fn plan<'a>(
    settings: &'a SiteSettings,
    site: &Site,
    routes: &mut Routes,
    claims: &mut RouteClaims<'a>,
    problems: &mut Problems,
) {
    let all: Vec<RedirectEntry> = settings
        .redirects
        .iter()
        .map(|redirect| RedirectEntry::of(settings, redirect))
        .collect();
    // An import brings tens of thousands: each is looked up by its address.
    let mut by_path: HashMap<&str, usize> = HashMap::with_capacity(all.len());
    let (mut seen, mut duplicates) = (HashSet::with_capacity(all.len()), HashSet::new());
    for (index, one) in all.iter().enumerate() {
        by_path.insert(one.from.as_str(), index);
        // Some file systems hold one of two names that differ in case only.
        let folded = one.from.to_lowercase();
        if !seen.insert(folded.clone()) {
            duplicates.insert(folded);
        }
    }
    let next: Vec<Option<usize>> = all.iter().map(|one| one.next(&by_path)).collect();
    let table = RedirectTable {
        all: &all,
        ends: chain_ends(&next),
        next,
        duplicates,
    };
    for (index, one) in all.iter().enumerate() {
        if one.redirect.gone || one.redirect.to.is_none() {
            let problem = one
                .source_problem(routes, &table)
                .map(|(problem, _)| problem)
                .or_else(|| one.gone_problem());
            match problem {
                Some(problem) => {
                    problems.push(problem.at(one.redirect.source.place(one.redirect.from.span)));
                }
                None => drop(routes.gone.insert(one.from.clone())),
            }
            continue;
        }
        let checked = one
            .source_problem(routes, &table)
            .map_or_else(|| one.target(index, site, routes, &table), Err);
        let checked = match (checked, &one.pattern) {
            (Err((_, RedirectSide::To)), _) if one.is_idle(site, routes) => continue,
            (Ok(below), Some(folder)) if one.to.ends_with('*') => {
                one.expand(folder, &below, site, routes, claims);
                continue;
            }
            (Ok(to), Some(folder)) => {
                routes.by_folder.insert(folder.clone(), to.clone());
                // The folder itself, where a host has no such rules.
                if claims.0.contains_key(&super::file_of(folder)) {
                    continue;
                }
                Ok(to)
            }
            (checked, _) => checked,
        };
        if one.will_change(site, routes) {
            let query = one.query.as_ref().map(QueryAddress::to_string);
            let from = query.unwrap_or_else(|| one.path().to_owned());
            routes.temporary.insert(from);
        }
        match (checked, &one.query) {
            (Ok(to), Some(address)) => drop(routes.by_query.insert(address.clone(), to)),
            (Ok(to), None)
                if claims.claim(
                    one.path(),
                    Claimant::Written(&one.redirect.source, one.redirect.from.span),
                    problems,
                ) =>
            {
                routes
                    .by_path
                    .insert(one.path().to_owned(), Route::Redirect { to });
            }
            (Ok(_), None) => {}
            (Err((problem, side)), _) => {
                let span = match side {
                    RedirectSide::From => one.redirect.from.span,
                    RedirectSide::To => one
                        .redirect
                        .to
                        .as_ref()
                        .map_or(one.redirect.from.span, |to| to.0.span),
                };
                problems.push(problem.at(one.redirect.source.place(span)));
            }
        }
    }
}

/// All redirects, and what follows on each.
struct RedirectTable<'a, 'b> {
    all: &'b [RedirectEntry<'a>],
    /// The redirect of the target of each.
    next: Vec<Option<usize>>,
    /// The end of the chain that each begins.
    ends: Vec<ChainEnd>,
    /// Addresses that several have, in lower case.
    duplicates: HashSet<String>,
}

/// The end of a chain of redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChainEnd {
    /// The last redirect, whose target is not redirected.
    Last(usize),
    /// The redirect comes back to itself.
    InLoop,
    /// The chain ends in a loop of others.
    BeforeLoop,
}

/// The end of the chain of each redirect. Each is walked once, however long the chains are.
fn chain_ends(next: &[Option<usize>]) -> Vec<ChainEnd> {
    let mut ends: Vec<Option<ChainEnd>> = vec![None; next.len()];
    let mut position: Vec<Option<usize>> = vec![None; next.len()];
    for start in 0..next.len() {
        let mut walked: Vec<usize> = Vec::new();
        let mut at = start;
        // The end of what was walked, and where in it a loop begins.
        let (end, first_in_loop) = loop {
            if let Some(known) = ends[at] {
                let end = if matches!(known, ChainEnd::Last(_)) {
                    known
                } else {
                    ChainEnd::BeforeLoop
                };
                break (end, walked.len());
            }
            if let Some(first) = position[at] {
                break (ChainEnd::BeforeLoop, first);
            }
            position[at] = Some(walked.len());
            walked.push(at);
            match next[at] {
                Some(following) => at = following,
                None => break (ChainEnd::Last(at), walked.len()),
            }
        };
        for (place, one) in walked.into_iter().enumerate() {
            ends[one] = Some(if place >= first_in_loop {
                ChainEnd::InLoop
            } else {
                end
            });
        }
    }
    ends.into_iter()
        .map(|end| end.unwrap_or(ChainEnd::BeforeLoop))
        .collect()
}

/// Maximum number of redirects of a loop that a message names.
const STOPS_SHOWN: usize = 5;

/// An old address that is a path with a parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueryAddress {
    /// With a trailing slash.
    pub path: String,
    /// The name of the parameter: lower-case letters, digits and `_`.
    pub name: String,
    /// Its value: letters, digits, `-` and `_`.
    pub value: String,
}

impl QueryAddress {
    /// Reads `p=123`. `None` for what some host cannot match: several parameters, or other characters.
    fn of(path: &str, query: &str) -> Option<QueryAddress> {
        let (name, value) = query.split_once('=')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        (is_name && is_value(value)).then(|| QueryAddress {
            path: path.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
        })
    }
}

/// Whether a parameter may have this value in a redirect. Rules of hosts state the same.
pub fn is_value(value: &str) -> bool {
    (1..=100).contains(&value.len())
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

impl fmt::Display for QueryAddress {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}?{}={}", self.path, self.name, self.value)
    }
}

/// The half of a redirect that a problem concerns.
enum RedirectSide {
    From,
    To,
}

/// A redirect with its placeholders filled in.
struct RedirectEntry<'a> {
    redirect: &'a Redirect,
    /// Decoded, with a trailing slash, or with a parameter or `*` behind it.
    from: String,
    /// The folder, if the address is every one below it.
    pattern: Option<String>,
    /// The same if it has a parameter.
    query: Option<QueryAddress>,
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
    let Some((base, name)) = path
        .rsplit_once('/')
        .map(|(base, name)| (format!("{base}/"), name))
    else {
        return false;
    };
    FEEDS.contains(&name)
        && site
            .blog
            .languages
            .values()
            .any(|language| site.pages[language.list.0].path.value == base)
}

impl<'a> RedirectEntry<'a> {
    fn of(settings: &SiteSettings, redirect: &'a Redirect) -> RedirectEntry<'a> {
        let from = placeholders::fill(&redirect.from.value, settings);
        let to = redirect
            .to
            .as_ref()
            .map(|to| placeholders::fill(&to.0.value, settings))
            .unwrap_or_default();
        // An absolute address of the site itself is the same as its path.
        let to = match settings.hosts().path_in(&to) {
            Some(rest) if rest.starts_with('/') => rest.to_owned(),
            Some(rest) => format!("/{rest}"),
            None => to,
        };
        let (path, query) = from
            .split_once('?')
            .map_or((from.as_str(), None), |(path, query)| (path, Some(query)));
        let path = decoded(path);
        let pattern = path.strip_suffix("/*").map(|folder| format!("{folder}/"));
        let path = if pattern.is_some() {
            path
        } else {
            format!("{}/", path.trim_end_matches('/'))
        };
        let query = query.and_then(|query| QueryAddress::of(&path, query));
        let from = query.as_ref().map_or(path, QueryAddress::to_string);
        // The name that Netlify and Cloudflare have for what `*` stands for.
        let to = match to.strip_suffix(":splat") {
            Some(folder) if pattern.is_some() => format!("{folder}*"),
            _ => to,
        };
        RedirectEntry {
            redirect,
            from,
            pattern,
            query,
            to,
        }
    }

    /// The address that has the redirect: of a pattern, its folder.
    fn path(&self) -> &str {
        self.pattern.as_deref().unwrap_or(&self.from)
    }

    /// Redirects each address below the old folder whose page is below the new one, unless it has another redirect.
    /// Error pages have no address of their own.
    fn expand(
        &self,
        folder: &str,
        below: &str,
        site: &Site,
        routes: &mut Routes,
        claims: &mut RouteClaims<'a>,
    ) {
        let pages = routes
            .by_path
            .range(below.to_owned()..)
            .take_while(|(path, _)| path.starts_with(below));
        let moved: Vec<(String, String)> = pages
            .filter(|(_, route)| is_canonical(route))
            .filter(|(_, route)| match route {
                Route::Page { page, .. } => site.pages[*page].status == Status::Found,
                _ => true,
            })
            .map(|(path, _)| {
                let from = format!("{folder}{}", &path[below.len()..]);
                let to = routes.link(path, &from);
                (from, to)
            })
            .collect();
        let expired = site.absent.pages.iter().filter(|page| page.is_expired);
        let expired = expired.flat_map(|page| page.paths.iter().map(move |path| (page, path)));
        let expired = expired.filter_map(|(page, path)| {
            let from = format!("{folder}{}", path.strip_prefix(below)?);
            Some((from, routes.end_of(site, page)?.href))
        });
        let moved: Vec<(String, String)> = moved.into_iter().chain(expired).collect();
        for (from, to) in moved {
            let place = Claimant::Written(&self.redirect.source, self.redirect.from.span);
            // A page, or a redirect of its own, decides about its address.
            if !claims.0.contains_key(&super::file_of(&from)) {
                claims.claim(&from, place, &mut Problems::new());
                routes.by_path.insert(from, Route::Redirect { to });
            }
        }
    }

    fn source_problem(
        &self,
        routes: &Routes,
        all: &RedirectTable,
    ) -> Option<(Problem, RedirectSide)> {
        let conflict = |message: String, hint: &str| {
            Some((
                Problem::error(Code::RedirectConflict, message).hint(hint),
                RedirectSide::From,
            ))
        };
        let written = &self.redirect.from.value;
        let from = self
            .query
            .as_ref()
            .map_or(self.from.as_str(), |query| query.path.as_str());
        if let Some(at) = written.find('#') {
            let message = format!("`{written}` has a fragment, but browsers do not send fragments");
            return conflict(message, &format!("write `{}`", &written[..at]));
        }
        match (&self.query, written.find('?')) {
            (None, Some(at)) => {
                let message = format!("`{written}` has a query that not every host can match");
                let hint = "to match every query, or use one parameter of letters, digits, `-` and `_`, such as `/?p=123`";
                return conflict(message, &format!("write `{}` {hint}", &written[..at]));
            }
            (Some(query), _) if query.name == "page" => {
                let message = format!("`{written}` is the URL of a numbered page");
                return conflict(
                    message,
                    "redirect a different parameter, or the path without a query",
                );
            }
            _ => {}
        }
        let is_reserved = from.starts_with("/_assets/") || reserved_folder(from, false).is_some();
        let path = self.pattern.as_deref().unwrap_or(from);
        if let Some((message, hint)) = old_path_problem(written, path) {
            return conflict(message, &hint);
        }
        if is_reserved {
            let message = format!("`{written}` is below a folder that is reserved for sitegen");
            return conflict(
                message,
                "remove the redirect: sitegen uses these URLs itself",
            );
        }
        if all.duplicates.contains(&self.from.to_lowercase()) {
            return conflict(
                format!("`{}` is redirected twice", self.from),
                "remove one of the two",
            );
        }
        if self.query.is_some() {
            return None;
        }
        if let Some(folder) = &self.pattern {
            if let Some((page, _)) = self.hidden(folder, routes) {
                let message =
                    format!("`{page}` is a URL of the site, so `{written}` would hide it");
                return conflict(
                    message,
                    "redirect the old URLs one by one, or use a deeper folder",
                );
            }
            return None;
        }
        let taken = [from, from.trim_end_matches('/')]
            .into_iter()
            .find(|path| routes.get(path).is_some());
        taken.and_then(|path| {
            let what = if path.ends_with('/') { "page" } else { "file" };
            conflict(
                format!("`{path}` is a URL of the site, so a redirect would hide it"),
                &format!("remove the redirect, or the {what}"),
            )
        })
    }

    /// The first page or file that a pattern would hide. One that is expanded hides nothing.
    fn hidden<'r>(&self, folder: &str, routes: &'r Routes) -> Option<(&'r str, &'r Route)> {
        if self.to.ends_with('*') {
            return None;
        }
        let below = routes
            .by_path
            .range(folder.to_owned()..)
            .take_while(|(path, _)| path.starts_with(folder));
        below
            .map(|(path, route)| (path.as_str(), route))
            .find(|(_, route)| !matches!(route, Route::Redirect { .. }))
    }

    /// The problem with an address that leads nowhere.
    fn gone_problem(&self) -> Option<Problem> {
        let written = &self.redirect.from.value;
        let (message, hint) = match (&self.redirect.to, self.redirect.gone) {
            (None, false) => (
                format!("`{written}` has no target"),
                "add `to: page:…`, or `gone: true`",
            ),
            (Some(_), true) => (
                format!("`{written}` has both `to` and `gone: true`"),
                "remove `to` or `gone`",
            ),
            _ if self.pattern.is_some() || self.query.is_some() => (
                format!(
                    "`{written}` has a `*` or a query, but only a plain path can have `gone: true`"
                ),
                "list the paths one by one",
            ),
            _ => return None,
        };
        Some(Problem::error(Code::RedirectConflict, message).hint(hint))
    }

    fn target(
        &self,
        index: usize,
        site: &Site,
        routes: &Routes,
        all: &RedirectTable,
    ) -> Result<String, (Problem, RedirectSide)> {
        if let Some(below) = self.to.strip_suffix('*') {
            let below = decoded(below);
            let first = || routes.by_path.range(below.clone()..).next();
            let message = if self.pattern.is_none() {
                format!("`{}` has a `*`, but `from` has none", self.to)
            } else if !below.starts_with('/') || !below.ends_with('/') {
                format!("`{}` is not a folder with a `*` at its end", self.to)
            } else if !first().is_some_and(|(path, _)| path.starts_with(&below)) {
                format!("there is no page below `{}`", self.to.trim_end_matches('*'))
            } else {
                return Ok(below);
            };
            let hint =
                "to redirect `/old/*`, write `to: /new/*`, where `/new/` is a folder of the site";
            return Err((
                Problem::error(Code::DeadLink, message).hint(hint),
                RedirectSide::To,
            ));
        }
        let to = self.to.as_str();
        let encoded = utf8_percent_encode(to, ENCODED).to_string();
        // Letters beyond ASCII are encoded below: `/日本/` is how a person writes the address of a page.
        if let Some(bad) = to
            .chars()
            .find(|c| c.is_ascii() && ENCODED_ASCII.contains(*c) || c.is_control())
        {
            let (what, hint) = match bad {
                bad if bad.is_control() => (
                    "a line break or control character".to_owned(),
                    "write the URL on one line".to_owned(),
                ),
                ' ' => ("a space".to_owned(), format!("write `{encoded}`")),
                bad => (format!("`{bad}`"), format!("write `{encoded}`")),
            };
            let message = format!(
                "`{}` contains {what}, which is not allowed in a URL",
                to.escape_debug()
            );
            return Err((
                Problem::error(Code::BadLink, message).hint(hint),
                RedirectSide::To,
            ));
        }
        if let Some(problem) = self.chain_problem(index, all) {
            return Err((problem, RedirectSide::To));
        }
        let locale = self.locale(site);
        let (address, fragment) = to
            .split_once('#')
            .map_or((to, None), |(address, fragment)| (address, Some(fragment)));
        // Links within the site are resolved without the query; others are not resolved at all.
        let (path, query) = match address.split_once('?') {
            Some((path, query)) if path.starts_with('/') || path.starts_with("page:") => {
                (path, Some(query))
            }
            _ => (address, None),
        };
        let link =
            fragment.map_or_else(|| path.to_owned(), |fragment| format!("{path}#{fragment}"));
        if fragment.is_none() && is_feed(site, path) {
            let feed = routes.link(path, &self.from);
            return Ok(query.map_or_else(|| feed.clone(), |query| format!("{feed}?{query}")));
        }
        let href = routes
            .resolve(site, &link, locale, None)
            .map_err(|problem| (problem, RedirectSide::To))?
            .href;
        if href.starts_with('#') {
            let message = format!("`{to}` is a fragment without a page");
            let problem =
                Problem::error(Code::BadLink, message).hint(format!("write `page:<key>{to}`"));
            return Err((problem, RedirectSide::To));
        }
        let target = match (query, href.split_once('#')) {
            (None, _) => href,
            (Some(query), None) => format!("{href}?{query}"),
            (Some(query), Some((path, fragment))) => format!("{path}?{query}#{fragment}"),
        };
        let own = self.query.as_ref().map(|query| routes.href(&query.path));
        if own.is_some_and(|own| target.split(['?', '#']).next() == Some(own.as_str())) {
            let message = format!(
                "`{}` redirects to its own page, and on hosts that append the query again, the redirect never ends",
                self.from
            );
            let hint = "remove the redirect: the page is shown whatever the query is";
            return Err((
                Problem::error(Code::RedirectConflict, message).hint(hint),
                RedirectSide::To,
            ));
        }
        Ok(utf8_percent_encode(&target, CONTROLS).to_string())
    }

    /// The language of the URL that it leads from.
    fn locale(&self, site: &Site) -> usize {
        let is_below = |locale: &Locale| self.from.starts_with(&format!("{}/", locale.prefix));
        site.locales.iter().rposition(is_below).unwrap_or(0)
    }

    /// Whether dates leave nothing to redirect to: what it names is not public now, and the page in its place is the one
    /// that it leads from; or nothing in its folder is public. Nobody has made a mistake then.
    fn is_idle(&self, site: &Site, routes: &Routes) -> bool {
        match self.to.strip_suffix('*') {
            Some(below) => {
                let below = decoded(below);
                let mut absent = site.absent.pages.iter().flat_map(|page| &page.paths);
                absent.any(|path| path.starts_with(&below))
            }
            None => routes
                .absent(site, &self.to, self.locale(site), None)
                .is_some(),
        }
    }

    /// Whether its target is not public yet, so that it leads to the page in its place until then.
    fn will_change(&self, site: &Site, routes: &Routes) -> bool {
        let absent = routes.absent(site, &self.to, self.locale(site), None);
        absent.is_some_and(|page| !page.is_expired)
    }

    /// The problem with a redirect whose target is itself redirected. Browsers and search engines give up on long
    /// chains, and hosts do not resolve them.
    fn chain_problem(&self, index: usize, all: &RedirectTable) -> Option<Problem> {
        let is_itself = || {
            Problem::error(
                Code::RedirectConflict,
                format!("`{}` is itself redirected", self.to),
            )
        };
        match all.ends[index] {
            ChainEnd::Last(last) if last == index => None,
            ChainEnd::Last(last) => {
                let to = &all.all[last].to;
                Some(is_itself().hint(format!("redirect directly to the last URL: `to: {to}`")))
            }
            ChainEnd::BeforeLoop => {
                Some(is_itself().hint("redirect to a page: the target leads into a redirect loop"))
            }
            ChainEnd::InLoop => {
                let others = std::iter::successors(all.next[index], |at| all.next[*at])
                    .take_while(|at| *at != index);
                let mut stops: Vec<String> = others
                    .take(STOPS_SHOWN + 1)
                    .map(|at| format!("`{}`", all.all[at].from))
                    .collect();
                if stops.len() > STOPS_SHOWN {
                    stops.truncate(STOPS_SHOWN);
                    stops.push("others".to_owned());
                }
                let through = match (stops.pop(), &stops[..]) {
                    (None, _) => String::new(),
                    (Some(only), []) => format!(", through {only}"),
                    (Some(last), others) => format!(", through {} and {last}", others.join(", ")),
                };
                let message = format!("`{}` redirects to itself{through}", self.from);
                let problem = Problem::error(Code::RedirectConflict, message);
                Some(problem.hint("redirect to a page, or remove the redirect"))
            }
        }
    }

    /// The redirect of the target.
    fn next(&self, by_path: &HashMap<&str, usize>) -> Option<usize> {
        let address = self.to.split('#').next().unwrap_or_default();
        let (path, query) = address
            .split_once('?')
            .map_or((address, ""), |(path, query)| (path, query));
        let with_slash = format!("{}/", path.trim_end_matches('/'));
        let with_query = by_path.get(format!("{with_slash}?{query}").as_str());
        with_query
            .or_else(|| by_path.get(with_slash.as_str()))
            .copied()
    }
}

/// Tells whether a route is the main address of a page.
fn is_canonical(route: &Route) -> bool {
    matches!(
        route,
        Route::Page {
            canonical: true,
            ..
        }
    )
}

/// A path as people see it: without percent-encoding, if that is the encoding of a text.
fn decoded(path: &str) -> String {
    let decoded = percent_decode_str(path)
        .decode_utf8()
        .unwrap_or(path.into());
    composed(decoded).into_owned()
}

/// Whether a path can be redirected.
pub fn is_old_path(path: &str) -> bool {
    old_path_problem(path, path).is_none() && reserved_folder(path, false).is_none()
}

/// The problem with an old path that no file could have, or no host could match, and the hint.
fn old_path_problem(written: &str, path: &str) -> Option<(String, String)> {
    let inner = path.trim_matches('/');
    let because = if !path.starts_with('/') {
        return Some((
            format!("`{written}` does not begin with a slash"),
            format!("write `/{}`", written.trim_start_matches('/')),
        ));
    } else if ["%2f", "%5c"]
        .iter()
        .any(|slash| written.to_lowercase().contains(slash))
    {
        // Hosts disagree on whether it separates two parts.
        "an encoded slash"
    } else if path.contains("//")
        || inner
            .split('/')
            .any(|segment| matches!(segment, "." | ".."))
    {
        "an empty part, `.` or `..`"
    } else if inner.split('/').any(|segment| segment.len() > 200) {
        "a part of more than 200 bytes"
    } else if let Some(sign) = inner.chars().find(|c| {
        c.is_control() || matches!(c, '*' | '\\' | '"' | '<' | '>' | '|' | ':' | '?' | '#')
    }) {
        if sign == '*' {
            return Some((
                format!("`{written}` has a `*` that is not its last part"),
                "write the folder and `*`, such as `/old/*`".to_owned(),
            ));
        }
        return Some((
            format!(
                "`{written}` contains `{}`, which not every system allows in file names",
                if sign.is_control() {
                    sign.escape_debug().to_string()
                } else {
                    sign.to_string()
                }
            ),
            "redirect its folder: `/old/*`".to_owned(),
        ));
    } else if inner
        .split('/')
        .any(|segment| segment.ends_with(['.', ' ']) || segment.starts_with(' '))
    {
        "a part that begins or ends with a space, or ends with a period"
    } else {
        return None;
    };
    let message = format!("`{written}` cannot be redirected: the path has {because}");
    Some((
        message,
        "write a path such as `/old-page/`, or redirect its folder: `/old/*`".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::{ChainEnd, chain_ends};

    #[test]
    fn each_redirect_of_a_chain_knows_its_end() {
        use ChainEnd::{BeforeLoop, InLoop, Last};
        let next = [
            Some(1),
            Some(2),
            None,
            Some(4),
            Some(5),
            Some(4),
            Some(6),
            Some(0),
            None,
            Some(3),
        ];
        let ends = [
            Last(2),
            Last(2),
            Last(2),
            BeforeLoop,
            InLoop,
            InLoop,
            InLoop,
            Last(2),
            Last(8),
            BeforeLoop,
        ];
        assert_eq!(chain_ends(&next), ends);
        let long: Vec<Option<usize>> = (1..100_000).map(Some).chain([None]).collect();
        assert!(chain_ends(&long).iter().all(|end| *end == Last(99_999)));
    }
}
