//! The pages of the inbox: a list, a lead, its files, and exports of a list. They only read.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use minijinja::{Value, context};

use api::leads::{Lead, StoredFile};

use super::answer::{message, page, store_failed};
use super::filters::Asked;
use super::guard::User;
use super::words::{Language, PARAMETER};
use super::{Inbox, show};

/// Leads on a page.
const PER_PAGE: u32 = 50;

/// The other languages of a page: its address with the parameter of each.
fn languages(path: &str, query: &str) -> Vec<Value> {
    let separator = if query.is_empty() { "" } else { "&" };
    Language::ALL
        .into_iter()
        .map(|language| {
            let address = format!("{path}?{query}{separator}{PARAMETER}={}", language.code());
            context! { code => language.code(), name => language.name(), address => address }
        })
        .collect()
}

/// The page of all other URLs.
pub(super) async fn missing(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
) -> Response {
    message(&inbox, language, StatusCode::NOT_FOUND, "missing")
}

pub(super) async fn style() -> Response {
    (
        [(header::CONTENT_TYPE, "text/css; charset=utf-8")],
        include_str!("inbox.css"),
    )
        .into_response()
}

/// A list of leads.
pub(super) async fn list(
    State(inbox): State<Arc<Inbox>>,
    Extension(user): Extension<User>,
    Extension(language): Extension<Language>,
    RawQuery(query): RawQuery,
) -> Response {
    let asked = Asked::of(&query.unwrap_or_default(), &inbox.zone());
    let read = async {
        let listing = inbox
            .store
            .listed(asked.filter.clone(), asked.before.clone(), PER_PAGE)
            .await?;
        Ok((listing, inbox.store.facets().await?))
    };
    let (listing, facets) = match read.await {
        Ok(found) => found,
        Err(error) => return store_failed(&inbox, language, &error),
    };
    let here = asked.query_before(asked.before.as_deref());
    let last = listing
        .leads
        .last()
        .filter(|_| listing.has_more)
        .map(|listed| listed.lead.id.clone());
    let site = inbox.site.get();
    let values = context! {
        leads => listing.leads.iter().map(|listed| show::line(listed, language, site.as_deref())).collect::<Vec<_>>(),
        total => listing.total.map(|total| language.leads(total)),
        filters => asked.fields(&facets, language),
        query => asked.query(),
        here => &here,
        older => last.map(|id| asked.query_before(Some(&id))),
        is_first => asked.before.is_none(),
        notice => notice(&asked, language),
        warning => if asked.is_wrong { language.say("wrong_day") } else { "" },
        token => inbox.tokens.of(&user),
        languages => languages("/", &here),
    };
    page(&inbox, language, StatusCode::OK, "list.html", values)
}

/// The message about the last action.
fn notice(asked: &Asked, language: Language) -> &'static str {
    asked
        .notice
        .as_ref()
        .map_or("", |name| language.say(&format!("notice_{name}")))
}

/// The lead with an id, or the answer that there is none.
pub(super) async fn found(inbox: &Inbox, id: &str, language: Language) -> Result<Lead, Response> {
    match inbox.store.lead(id.to_owned()).await {
        Ok(Some(lead)) => Ok(lead),
        Ok(None) => Err(message(
            inbox,
            language,
            StatusCode::NOT_FOUND,
            "lead_missing",
        )),
        Err(error) => Err(store_failed(inbox, language, &error)),
    }
}

/// One lead with everything that is known of it.
pub(super) async fn lead(
    State(inbox): State<Arc<Inbox>>,
    Extension(user): Extension<User>,
    Extension(language): Extension<Language>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let asked = Asked::of(&query.unwrap_or_default(), &inbox.zone());
    let lead = match found(&inbox, &id, language).await {
        Ok(lead) => lead,
        Err(answer) => return answer,
    };
    let read = async {
        let is_read = inbox.store.is_read(id.clone()).await?;
        Ok((is_read, inbox.store.deliveries(id.clone()).await?))
    };
    let (is_read, deliveries) = match read.await {
        Ok(found) => found,
        Err(error) => return store_failed(&inbox, language, &error),
    };
    let query = asked.query();
    let values = context! {
        lead => show::lead(&lead, is_read, &deliveries, language, inbox.site.get().as_deref()),
        query => &query,
        notice => notice(&asked, language),
        token => inbox.tokens.of(&user),
        languages => languages(&format!("/lead/{}", lead.id), &query),
    };
    page(&inbox, language, StatusCode::OK, "lead.html", values)
}

/// The question whether all leads of a person are to be deleted, or a lead whose sender left no way to be found.
pub(super) async fn forget(
    State(inbox): State<Arc<Inbox>>,
    Extension(user): Extension<User>,
    Extension(language): Extension<Language>,
    Path(id): Path<String>,
) -> Response {
    let lead = match found(&inbox, &id, language).await {
        Ok(lead) => lead,
        Err(answer) => return answer,
    };
    if !inbox.allows_changes {
        return message(&inbox, language, StatusCode::NOT_FOUND, "missing");
    }
    let values = context! {
        id => &lead.id, person => lead.person(), name => &lead.contents.name, token => inbox.tokens.of(&user),
        languages => languages(&format!("/lead/{}/forget", lead.id), ""),
    };
    page(&inbox, language, StatusCode::OK, "forget.html", values)
}

/// A file that a visitor sent. It is saved and never shown: its type is that of any bytes, whatever it claims.
pub(super) async fn file(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    Path((id, number)): Path<(String, usize)>,
) -> Response {
    let files = match inbox.store.files(id).await {
        Ok(files) => files,
        Err(error) => return store_failed(&inbox, language, &error),
    };
    match number
        .checked_sub(1)
        .and_then(|at| files.into_iter().nth(at))
    {
        Some(StoredFile { name, bytes, .. }) => download(&name, "application/octet-stream", bytes),
        None => message(&inbox, language, StatusCode::NOT_FOUND, "missing"),
    }
}

/// An answer that browsers save under this name.
fn download(name: &str, kind: &'static str, bytes: impl Into<axum::body::Body>) -> Response {
    // RFC 8187: the name in UTF-8 for browsers, and one in ASCII for programs that do not read it.
    let ascii: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._- ".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let encoded = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    let disposition = format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{encoded}");
    let disposition =
        HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment"));
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, disposition),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'"),
        ),
    ];
    (headers, bytes.into()).into_response()
}

/// All leads of a list, oldest first, as the commands export them.
async fn exported(inbox: &Inbox, uri: &Uri, language: Language) -> Result<Vec<Lead>, Response> {
    let asked = Asked::of(uri.query().unwrap_or_default(), &inbox.zone());
    inbox
        .store
        .all(asked.filter)
        .await
        .map_err(|error| store_failed(inbox, language, &error))
}

/// The list as a table for spreadsheets.
pub(super) async fn csv(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    uri: Uri,
) -> Response {
    match exported(&inbox, &uri, language).await {
        Ok(leads) => {
            let table = api::leads::csv::table(&leads, inbox.site.get().as_deref());
            download("leads.csv", "text/csv; charset=utf-8", table)
        }
        Err(answer) => answer,
    }
}

/// The list as an array of JSON.
pub(super) async fn json(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    uri: Uri,
) -> Response {
    match exported(&inbox, &uri, language).await {
        Ok(leads) => {
            let all: serde_json::Value = leads
                .iter()
                .map(|lead| api::leads::json::lead(lead, &[]))
                .collect();
            download("leads.json", "application/json", format!("{all}\n"))
        }
        Err(answer) => answer,
    }
}
