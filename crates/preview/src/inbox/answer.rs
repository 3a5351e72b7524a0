//! Answers of the inbox from its templates: pages, and messages that say one thing.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use minijinja::{Value, context};

use api::leads::StoreError;

use super::Inbox;
use super::words::Language;

/// A page with the values that all of them have.
pub(super) fn page(
    inbox: &Inbox,
    language: Language,
    status: StatusCode,
    name: &str,
    values: Value,
) -> Response {
    let shared = context! {
        t => language.words(), lang => language.code(), is_read_only => !inbox.allows_changes,
    };
    let rendered = inbox
        .templates
        .get_template(name)
        .and_then(|template| template.render(context! { ..values, ..shared }));
    match rendered {
        Ok(html) => (status, Html(html)).into_response(),
        // The error may hold what a visitor has typed.
        Err(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "the page could not be rendered\n",
        )
            .into_response(),
    }
}

/// A page that says one thing: the word of this name.
pub(super) fn message(
    inbox: &Inbox,
    language: Language,
    status: StatusCode,
    word: &str,
) -> Response {
    let values =
        context! { text => language.say(word), detail => "", languages => Vec::<Value>::new() };
    page(inbox, language, status, "message.html", values)
}

/// The page for a store that cannot be read or written.
pub(super) fn store_failed(inbox: &Inbox, language: Language, error: &StoreError) -> Response {
    let text = language.say("store_failed");
    let values =
        context! { text => text, detail => error.to_string(), languages => Vec::<Value>::new() };
    page(
        inbox,
        language,
        StatusCode::SERVICE_UNAVAILABLE,
        "message.html",
        values,
    )
}
