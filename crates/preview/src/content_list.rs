//! `/admin/content/` of the preview: all content with its state, searched and filtered, beside the forms. The list is made
//! once for each build; a page of it is sent at a time, so that a site may have any number of entries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use generator::pipeline::{self, Standing};
use workspace::media_types;

use super::panel::respond_with;
use super::{Built, ServerState, admin, href, respond};

pub(super) const PAGE: &str = "/admin/content/";
pub(super) const SCRIPT: &str = "/admin/content/list.js";
pub(super) const ACTIONS: &str = "/admin/content/actions.js";
pub(super) const WORDS: &str = "/admin/content/words.js";
pub(super) const STYLE: &str = "/admin/content/list.css";
pub(super) const ROWS: &str = "/admin/content/rows";
pub(super) const LINKS: &str = "/admin/content/links";
pub(super) const CHANGE: &str = "/admin/content/change";

/// Bytes of a request for a change: two paths.
pub(super) const CHANGE_LIMIT: usize = 16 * 1024;

/// The files of the page, by their addresses.
const FILES: &[(&str, &str)] = &[
    (PAGE, include_str!("content_list/index.html")),
    (SCRIPT, include_str!("content_list/list.js")),
    (ACTIONS, include_str!("content_list/actions.js")),
    (WORDS, include_str!("content_list/words.js")),
    (STYLE, include_str!("content_list/list.css")),
];

/// The Content Security Policy of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// How many rows are sent at a time.
const AT_ONCE: usize = 50;
/// More of a query is not searched.
const MAX_QUERY: usize = 200;
/// More people than these are not offered as a filter.
const MAX_PEOPLE: usize = 500;

/// All content of the last build.
#[derive(Debug)]
pub(super) struct ContentList {
    rows: Vec<ContentRow>,
    kinds: BTreeSet<String>,
    people: BTreeSet<String>,
}

/// A row of the list.
#[derive(Debug, Clone, Serialize)]
struct ContentRow {
    title: String,
    locale: String,
    kind: String,
    person: Option<String>,
    /// `public`, `fallback`, `draft`, `scheduled` or `expired`.
    state: &'static str,
    /// From when it is public, or until when it was, as RFC 3339 in UTC.
    at: Option<String>,
    /// Whether the words that it translates have changed since.
    is_stale: bool,
    /// How many warnings the build has about its files.
    problems: usize,
    file: String,
    /// Its page in the preview.
    address: Option<String>,
    /// Its form, relative to the page of the list.
    form: Option<String>,
    /// Title, key, file and address, in the form that is searched.
    #[serde(skip)]
    searched: String,
}

/// The filters of a request. Empty values ask for everything.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    q: String,
    language: String,
    kind: String,
    person: String,
    state: String,
    page: usize,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    /// The id of the build that the rows are from.
    build: String,
    /// The language of the page itself.
    interface: &'static str,
    /// How many rows fit.
    total: usize,
    /// The number of this part of them, from 0, and how many there are.
    page: usize,
    pages: usize,
    rows: Vec<&'a ContentRow>,
    /// How many rows have each state, whatever state is asked for.
    states: BTreeMap<&'static str, usize>,
    /// Codes and names.
    languages: Vec<(&'a str, &'a str)>,
    kinds: &'a BTreeSet<String>,
    people: Vec<&'a str>,
}

/// Whether a row is in a state.
type IsIn = fn(&ContentRow) -> bool;

/// Every state that can be asked for, and whether a row has it.
const STATES: [(&str, IsIn); 7] = [
    ("public", |row| row.state == "public"),
    ("draft", |row| row.state == "draft"),
    ("scheduled", |row| row.state == "scheduled"),
    ("expired", |row| row.state == "expired"),
    ("fallback", |row| row.state == "fallback"),
    ("stale", |row| row.is_stale),
    ("problems", |row| row.problems > 0),
];

/// The page of the list, and its files, unless the site has pages there.
pub(super) async fn page(state: State<Arc<ServerState>>, request: Request) -> Response {
    file_of(FILES, state, request).await
}

/// One of the files of a page, each with its address, that of the page with a slash at the end. A page that the site itself has
/// at an address comes first.
pub(super) async fn file_of(
    files: &[(&str, &'static str)],
    state: State<Arc<ServerState>>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    if admin::is_page_of_site(&state, &path) {
        return respond::page(state, request).await;
    }
    let Some((name, text)) = files.iter().find(|(known, _)| *known == path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kind = media_types::header(if name.ends_with('/') {
        "index.html"
    } else {
        name
    });
    secured(([(header::CONTENT_TYPE, kind)], *text).into_response())
}

/// Some rows of the list.
pub(super) async fn rows(
    State(shared): State<Arc<ServerState>>,
    Query(asked): Query<Asked>,
) -> Response {
    // The first request after a build makes the list, and reads translations.
    let answered = tokio::task::spawn_blocking(move || {
        let built = shared.built()?;
        let list = built.listed.get_or_init(|| ContentList::of(&built));
        serde_json::to_value(list.answer(&built, &shared.current().build, &asked)).ok()
    });
    secured(respond_with(answered.await.ok().flatten()))
}

/// The file that is asked about.
#[derive(Debug, Deserialize)]
pub(super) struct AskedFile {
    file: String,
}

/// The links to a file: `[[path, line], …]`.
pub(super) async fn links(
    State(shared): State<Arc<ServerState>>,
    Query(AskedFile { file }): Query<AskedFile>,
) -> Response {
    let found = tokio::task::spawn_blocking(move || {
        language_server::links_to(&shared.root, &shared.options, &file)
    });
    secured(respond_with(found.await.ok()))
}

/// The actions on a row besides its form.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
enum RowAction {
    /// Gives a page another address.
    Move { file: String, to: String },
    /// Takes a page, a post or an entry off the site.
    Withdraw(desk::Withdrawal),
    /// Brings back what is not public now.
    Restore {
        file: String,
        /// The new last day of an entry; empty for none.
        #[serde(default)]
        until: String,
    },
}

/// Changes files: `{files}` names those that have changed, `{error}` says why nothing has.
pub(super) async fn change(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let answer = admin::answer(
        &headers,
        &body,
        move |request| match serde_json::from_value(request) {
            Ok(RowAction::Move { file, to }) => {
                desk::move_page(&shared.root, &shared.options, &file, &to)
            }
            Ok(RowAction::Withdraw(asked)) => desk::withdraw(&shared.root, &shared.options, &asked),
            Ok(RowAction::Restore { file, until }) => {
                desk::restore(&shared.root, &shared.options, &file, &until)
            }
            Err(error) => (
                422,
                json!({"error": format!("the request could not be read: {error}")}),
            ),
        },
    );
    answer.await
}

pub(super) fn secured(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(POLICY),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    response
}

impl ContentList {
    fn of(built: &Built) -> ContentList {
        let Built { plan, warnings, .. } = built;
        let config = &plan.config;
        let stale = built.translations.stale_files();
        let mut problems: BTreeMap<&str, usize> = BTreeMap::new();
        for place in warnings.iter().filter_map(|problem| problem.place.as_ref()) {
            *problems.entry(place.path.as_str()).or_default() += 1;
        }
        let listed = plan.listed().into_iter();
        let rows = listed.map(|one| {
            let address = one.address.as_deref().map(|address| href(config, address));
            let searched = [
                &one.title,
                &one.key,
                &one.file,
                address.as_deref().unwrap_or_default(),
            ]
            .join(" ");
            let (state, at) = standing(one.standing);
            ContentRow {
                searched: pipeline::folded(&searched),
                state,
                at,
                is_stale: one.files.iter().any(|file| stale.contains(file)),
                problems: one
                    .files
                    .iter()
                    .filter_map(|file| problems.get(file.as_str()))
                    .sum(),
                form: desk::form_of(&config.paths.root, &one.file).map(|form| format!("../{form}")),
                address,
                title: one.title,
                locale: one.locale,
                kind: one.kind,
                person: one.person,
                file: one.file,
            }
        });
        let rows: Vec<ContentRow> = rows.collect();
        let kinds = rows.iter().map(|row| row.kind.clone()).collect();
        let people = rows.iter().filter_map(|row| row.person.clone()).collect();
        ContentList {
            rows,
            kinds,
            people,
        }
    }

    fn answer<'a>(&'a self, built: &'a Built, build: &str, asked: &Asked) -> Answer<'a> {
        let query: String = asked.q.chars().take(MAX_QUERY).collect();
        let query = pipeline::folded(&query);
        let words: Vec<&str> = query.split_whitespace().collect();
        let found: Vec<&ContentRow> = self
            .rows
            .iter()
            .filter(|row| {
                matches_filter(&asked.language, &row.locale)
                    && matches_filter(&asked.kind, &row.kind)
                    && matches_filter(&asked.person, row.person.as_deref().unwrap_or_default())
                    && words.iter().all(|word| row.searched.contains(word))
            })
            .collect();
        let states = STATES
            .iter()
            .map(|(name, has)| (*name, found.iter().filter(|row| has(row)).count()))
            .collect();
        let state = STATES.iter().find(|(name, _)| *name == asked.state);
        let found: Vec<&ContentRow> = found
            .into_iter()
            .filter(|row| state.is_none_or(|(_, has)| has(row)))
            .collect();
        let pages = found.len().div_ceil(AT_ONCE).max(1);
        let page = asked.page.min(pages - 1);
        let locales = &built.plan.site.locales;
        let is_spanish = locales
            .first()
            .is_some_and(|locale| locale.code.starts_with("es"));
        Answer {
            build: build.to_owned(),
            interface: if is_spanish { "es" } else { "en" },
            total: found.len(),
            page,
            pages,
            rows: found
                .into_iter()
                .skip(page * AT_ONCE)
                .take(AT_ONCE)
                .collect(),
            states,
            languages: locales
                .iter()
                .map(|locale| (locale.code.as_str(), locale.name.as_str()))
                .collect(),
            kinds: &self.kinds,
            people: self
                .people
                .iter()
                .take(MAX_PEOPLE)
                .map(String::as_str)
                .collect(),
        }
    }
}

/// Tells whether a value is the wanted one, or none is wanted.
fn matches_filter(wanted: &str, own: &str) -> bool {
    wanted.is_empty() || wanted == own
}

/// The name of a state, and its time.
fn standing(standing: Standing) -> (&'static str, Option<String>) {
    match standing {
        Standing::Public => ("public", None),
        Standing::Fallback => ("fallback", None),
        Standing::Draft => ("draft", None),
        Standing::Scheduled(from) => ("scheduled", Some(from.to_string())),
        Standing::Expired(until) => ("expired", Some(until.to_string())),
    }
}
