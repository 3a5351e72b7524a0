//! The changes in the inbox: it marks, releases, retries and forgets leads, as the commands of `sitegen leads` do. Each
//! is a POST of a form with the token of its page, and redirects to a page that tells what has happened.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, FromRequest, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use api::clock;
use api::leads::{Erase, Erasure, Forwarding};

use super::Inbox;
use super::answer::{message, store_failed};
use super::filters::{Asked, escaped};
use super::guard::User;
use super::pages::found;
use super::words::Language;

/// The fields of a form that a page of the inbox has sent.
pub(super) struct Sent(Vec<(String, String)>);

impl FromRequest<Arc<Inbox>> for Sent {
    type Rejection = Response;

    /// Reads a form. Refused if its token is not that of the user.
    async fn from_request(request: Request, inbox: &Arc<Inbox>) -> Result<Sent, Response> {
        let language = Language::of(&request);
        let user = request
            .extensions()
            .get::<User>()
            .cloned()
            .unwrap_or_default();
        let body = Bytes::from_request(request, inbox)
            .await
            .map_err(IntoResponse::into_response)?;
        let sent = Sent(form_urlencoded::parse(&body).into_owned().collect());
        let is_ours = sent
            .get("token")
            .is_some_and(|token| inbox.tokens.are(token, &user));
        if is_ours {
            Ok(sent)
        } else {
            Err(message(inbox, language, StatusCode::FORBIDDEN, "expired"))
        }
    }
}

impl Sent {
    fn get(&self, name: &'static str) -> Option<&str> {
        self.all(name).next()
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The query of the list that the form was on, or was reached from.
    fn list(&self) -> String {
        let asked = Asked::of(self.get("list").unwrap_or_default(), "UTC");
        asked.query_before(asked.before.as_deref())
    }
}

/// Leads on to a page, which tells what has happened.
fn then(path: &str, query: &str, notice: &str) -> Response {
    let separator = if query.is_empty() { "" } else { "&" };
    let address = format!("{path}?{query}{separator}notice={notice}");
    (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
}

fn to_lead(id: &str, sent: &Sent, notice: &str) -> Response {
    then(&format!("/lead/{}", escaped(id)), &sent.list(), notice)
}

/// Marks the chosen leads as read or unread, and leads back to where they were chosen.
pub(super) async fn mark(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    sent: Sent,
) -> Result<Response, Response> {
    let is_read = sent.get("as") != Some("unread");
    let ids: Vec<String> = sent.all("id").map(str::to_owned).collect();
    let one = ids
        .first()
        .filter(|_| sent.get("on") == Some("lead"))
        .cloned();
    inbox
        .store
        .mark(ids, is_read)
        .await
        .map_err(|error| store_failed(&inbox, language, &error))?;
    let notice = if is_read { "read" } else { "unread" };
    Ok(match one {
        Some(id) => to_lead(&id, &sent, notice),
        None => then("/", &sent.list(), notice),
    })
}

/// Releases a lead that was held back.
pub(super) async fn release(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Response, Response> {
    let released = inbox.store.release(id.clone(), clock::now()).await;
    let notice = match released.map_err(|error| store_failed(&inbox, language, &error))? {
        None => "not_held",
        Some(Forwarding::AtStart) => "released_at_start",
        Some(Forwarding::Queued(channels)) if channels.is_empty() => "released_only",
        Some(Forwarding::Queued(_)) => "released",
    };
    Ok(to_lead(&id, &sent, notice))
}

/// Retries the deliveries of a lead that were given up, and queues those that it lacks.
pub(super) async fn retry(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Response, Response> {
    let retried = inbox.store.retry(Some(id.clone()), clock::now()).await;
    let count = retried.map_err(|error| store_failed(&inbox, language, &error))?;
    Ok(to_lead(
        &id,
        &sent,
        if count == 0 {
            "nothing_to_retry"
        } else {
            "retried"
        },
    ))
}

/// Deletes all leads of the person who sent this one, by email address or phone. Both are those of the lead, not one of the request: what was asked
/// about is what is deleted.
pub(super) async fn forget(
    State(inbox): State<Arc<Inbox>>,
    Extension(language): Extension<Language>,
    Path(id): Path<String>,
    _: Sent,
) -> Result<Response, Response> {
    // A lead of nobody who could be found again is deleted alone.
    let which = found(&inbox, &id, language)
        .await?
        .person()
        .map_or(Erase::Ids(vec![id]), Erase::Person);
    let deleted = inbox.store.erase(which).await;
    let Erasure { remains, .. } =
        deleted.map_err(|error| store_failed(&inbox, language, &error))?;
    Ok(then(
        "/",
        "",
        if remains.is_some() {
            "text_remains"
        } else {
            "forgotten"
        },
    ))
}
