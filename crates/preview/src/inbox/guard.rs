//! Who may ask the inbox, and what every answer of it says to browsers: keep nothing, run nothing, be framed by nobody.
//!
//! A change has to come from a page of the inbox: by its origin, by what the browser says of the request, and by a token that
//! only these pages hold.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use ring::rand::SecureRandom as _;

use diagnostics::problem::{Code, Problem};

use super::super::gate::{Passage, Visitor};
use super::Inbox;
use super::answer::message;
use super::words::Language;

/// The policy of all pages.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// Who asks, by the header of a proxy; empty for the author on this machine.
#[derive(Debug, Clone, Default)]
pub(super) struct User(pub String);

/// Makes the tokens of forms. Each user has another one, for as long as the program runs.
#[derive(Debug)]
pub(super) struct Tokens([u8; 32]);

impl Tokens {
    pub fn new() -> Result<Tokens, Problem> {
        let mut key = [0; 32];
        let random = ring::rand::SystemRandom::new().fill(&mut key);
        random.map_err(|_| {
            Problem::error(
                Code::ListenFailed,
                "the system could not generate random tokens",
            )
        })?;
        Ok(Tokens(key))
    }

    /// The token of a user.
    pub fn of(&self, user: &User) -> String {
        blake3::keyed_hash(&self.0, user.0.as_bytes())
            .to_hex()
            .to_string()
    }

    /// Whether a token is that of a user. Hashes compare in a time that tells nothing of them.
    pub fn are(&self, token: &str, user: &User) -> bool {
        blake3::Hash::from_hex(token)
            .is_ok_and(|token| token == blake3::keyed_hash(&self.0, user.0.as_bytes()))
    }
}

/// Answers who may not ask, and lets others pass.
pub(super) async fn check(
    State(inbox): State<Arc<Inbox>>,
    mut request: Request,
    next: Next,
) -> Response {
    let language = Language::of(&request);
    let user = match user(&inbox, &request, language) {
        Ok(user) => user,
        Err(refusal) => return secured(*refusal),
    };
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read && !inbox.gate.is_own_page(request.headers()) {
        return secured(message(&inbox, language, StatusCode::FORBIDDEN, "foreign"));
    }
    if !is_read && !inbox.allows_changes {
        return secured(message(
            &inbox,
            language,
            StatusCode::FORBIDDEN,
            "changes_off",
        ));
    }
    request.extensions_mut().insert(user);
    request.extensions_mut().insert(language);
    let is_chosen = Language::chosen(request.uri()).is_some();
    let mut response = next.run(request).await;
    if is_chosen && let Ok(cookie) = HeaderValue::from_str(&language.cookie()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    secured(response)
}

fn user(inbox: &Inbox, request: &Request, language: Language) -> Result<User, Box<Response>> {
    let Some(name) = &inbox.trusted else {
        return match inbox.gate.pass(request) {
            Passage::Answer(response) => Err(response),
            Passage::Visitor(Visitor::Author) => Ok(User::default()),
            Passage::Visitor(Visitor::Reader) => Err(Box::new(inbox.gate.no_token())),
        };
    };
    if let Err(host) = inbox.gate.host(request.uri(), request.headers()) {
        return Err(Box::new(inbox.gate.unknown_host(&host)));
    }
    named(request.headers(), name).ok_or_else(|| {
        Box::new(message(
            inbox,
            language,
            StatusCode::UNAUTHORIZED,
            "unnamed",
        ))
    })
}

/// Who asks. Two headers are none: the proxy may have added one to that of a stranger.
fn named(headers: &HeaderMap, name: &HeaderName) -> Option<User> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next()?, values.next());
    let user = first.to_str().ok()?.trim();
    (second.is_none() && !user.is_empty()).then(|| User(user.to_owned()))
}

/// Adds the headers that every answer has.
fn secured(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(POLICY));
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, browsers send forms without the origin by which they are let in.
        (header::REFERRER_POLICY, "same-origin"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
