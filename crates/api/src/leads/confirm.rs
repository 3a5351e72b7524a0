//! Confirmation of an answer by mail. The link leads to a page with a button, and only the button confirms: programs that scan
//! mails open links, and press no buttons.
//!
//! A link is signed with a key that the store keeps, so that every machine that shares the store knows it, and no variable has to
//! be set.

use std::sync::Arc;

use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse as _, Response};
use data_encoding::{BASE64, HEXLOWER};
use ring::{digest, hmac};
use serde::Deserialize;

use api_types::forms::{ConfirmWords, Form};
use api_types::html::escape;
use api_types::lead_site::LeadSite;

use crate::{Api, clock};

use super::lead::{Lead, Status};
use super::store::StoreError;

/// The look of the page: it loads nothing.
const STYLE: &str = "body{max-width:34rem;margin:12vh auto;padding:0 1rem;font:1.125rem/1.6 system-ui,sans-serif}\
    button{font:inherit;padding:.6em 1.4em;cursor:pointer}";

/// The parameters of a link.
#[derive(Debug, Deserialize)]
pub(crate) struct Link {
    #[serde(default)]
    lead: String,
    #[serde(default)]
    mark: String,
}

/// The address that confirms a lead.
pub(super) fn link(site: &LeadSite, form: &str, lead: &Lead, key: &str) -> String {
    let host = site
        .api_url
        .as_deref()
        .unwrap_or_else(|| site.hosts().of_locale(&lead.locale));
    let lead = &lead.id;
    format!(
        "{host}/api/forms/{form}/confirm?lead={lead}&mark={}",
        HEXLOWER.encode(signed(key, lead).as_ref())
    )
}

fn signed(key: &str, lead: &str) -> hmac::Tag {
    hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes()),
        format!("confirm {lead}").as_bytes(),
    )
}

fn is_signed(key: &str, link: &Link) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
    let mark = HEXLOWER.decode(link.mark.as_bytes()).unwrap_or_default();
    hmac::verify(&key, format!("confirm {}", link.lead).as_bytes(), &mark).is_ok()
}

/// `GET` shows the button, `POST` confirms.
pub(crate) async fn answer(
    State(api): State<Arc<Api>>,
    Path(name): Path<String>,
    Query(link): Query<Link>,
    method: Method,
    uri: OriginalUri,
) -> Response {
    let site = api.leads.as_ref().and_then(super::Leads::site);
    let Some((leads, site)) = api.leads.as_ref().zip(site) else {
        return super::answer::off();
    };
    let form = site.form(&name).filter(|form| form.confirm_days.is_some());
    let Some(form) = form else {
        return crate::unknown(uri).await.into_response();
    };
    let found = async {
        let key = leads.store().link_key().await?;
        let lead = if is_signed(&key, &link) {
            leads.store().lead(link.lead.clone()).await?
        } else {
            None
        };
        let lead = lead.filter(|lead| lead.contents.form == name);
        let is_waiting = |lead: &&Lead| lead.status == Status::Unconfirmed && !is_late(lead, form);
        if method == Method::POST
            && let Some(lead) = lead.as_ref().filter(is_waiting)
        {
            leads.store().confirm(lead.id.clone(), clock::now()).await?;
            leads.outbox().wake();
            return Ok(lead_page(&site, form, Some(lead), true));
        }
        Ok::<_, StoreError>(lead_page(&site, form, lead.as_ref(), false))
    };
    found.await.unwrap_or_else(|error| {
        api.settings()
            .log
            .event("lead_not_confirmed", &[("why", error.to_string().into())]);
        (
            StatusCode::SERVICE_UNAVAILABLE,
            [(header::RETRY_AFTER, "5")],
        )
            .into_response()
    })
}

fn is_late(lead: &Lead, form: &Form) -> bool {
    let days = form.confirm_days.unwrap_or_default();
    clock::now() - lead.at > clock::Millis::from(days) * clock::DAY
}

/// The page for a lead: the button while it waits, thanks once it is confirmed.
fn lead_page(site: &LeadSite, form: &Form, lead: Option<&Lead>, is_confirmed: bool) -> Response {
    let default = site
        .locales
        .first()
        .map_or("en", |locale| locale.code.as_str());
    let locale = lead.map_or(default, |lead| lead.locale.as_str());
    let language = form
        .languages
        .get(locale)
        .or_else(|| form.languages.values().next());
    let empty = ConfirmWords::default();
    let words = language
        .and_then(|language| language.confirm.as_ref())
        .unwrap_or(&empty);
    let title = language.map_or("", |language| language.title.as_str());
    let waits = lead.is_some_and(|lead| lead.status == Status::Unconfirmed && !is_late(lead, form));
    let (status, body) = match lead {
        Some(_) if waits && !is_confirmed => (
            StatusCode::OK,
            format!(
                "<form method=\"post\"><button>{}</button></form>",
                escape(&words.button)
            ),
        ),
        Some(lead) if is_confirmed || lead.status != Status::Unconfirmed => {
            (StatusCode::OK, words.done.clone())
        }
        _ => (StatusCode::GONE, words.expired.clone()),
    };
    let html = format!(
        "<!doctype html><html lang=\"{}\" dir=\"{}\"><head><meta charset=\"utf-8\"><title>{}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head>\
         <body><main><h1>{}</h1>{body}</main></body></html>",
        escape(locale),
        escape(&words.dir),
        escape(title),
        escape(title)
    );
    let sum = BASE64.encode(digest::digest(&digest::SHA256, STYLE.as_bytes()).as_ref());
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{sum}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    let policy =
        HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"));
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::REFERRER_POLICY,
            HeaderValue::from_static("no-referrer"),
        ),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::HeaderName::from_static("x-robots-tag"),
            HeaderValue::from_static("noindex"),
        ),
    ];
    (status, headers, Html(html)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_good_for_its_lead_only() {
        let mark = HEXLOWER.encode(signed("key", "A").as_ref());
        let link = |lead: &str, mark: &str| Link {
            lead: lead.into(),
            mark: mark.into(),
        };
        assert!(is_signed("key", &link("A", &mark)));
        for (key, lead, mark) in [
            ("key", "B", &*mark),
            ("other", "A", &mark),
            ("key", "A", ""),
            ("key", "A", &mark[1..]),
            ("key", "A", "é"),
        ] {
            assert!(!is_signed(key, &link(lead, mark)), "{key} {lead} {mark}");
        }
    }
}
