//! Reads a request: JSON of the form's island, or a form that was sent without script.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use percent_encoding::percent_decode;

use api_types::leads::{
    BODY_MAX, ELAPSED, ELAPSED_MIN, HONEYPOT, KEY_HEADER, LeadErrorCode, LeadFault, LeadRequest, SIGNALS_HEADER,
};

use super::lead::{Hash, hash};
use super::page::Fields;

/// How long a body may take to come, in seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// More than a lead may have is read so far, because a client that is still sending does not see the answer.
const READ_MAX: usize = 8 * 1024 * 1024;
/// A key is at most this long.
const KEY_MAX: usize = 255;

/// How a lead came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormKind {
    /// As JSON.
    Json,
    /// As a form without script.
    Plain,
}

/// What the form noticed beside the lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Signals {
    /// What stands in the field that nobody sees.
    pub honeypot: String,
    /// Milliseconds that it took.
    pub elapsed: Option<u64>,
}

impl Signals {
    /// Why the lead looks as if a program had sent it.
    pub(super) fn suspicion(&self) -> Option<&'static str> {
        if !self.honeypot.is_empty() {
            Some("a field that nobody sees was filled in")
        } else if self.elapsed.is_some_and(|elapsed| elapsed < ELAPSED_MIN) {
            Some("the form was filled in faster than a person can")
        } else {
            None
        }
    }

    fn of(fields: &Fields) -> Signals {
        Signals { honeypot: get(fields, HONEYPOT).trim().to_owned(), elapsed: get(fields, ELAPSED).parse().ok() }
    }
}

/// A request that could be read.
#[derive(Debug, Clone)]
pub(super) struct Submission {
    pub request: LeadRequest,
    /// Of the form without script.
    pub position: String,
    pub signals: Signals,
    pub key: Option<Hash>,
}

/// Which kind of request it is, by its content type.
pub(super) fn form(headers: &HeaderMap) -> Result<FormKind, LeadFault> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim().to_lowercase().as_str() {
        "application/json" => Ok(FormKind::Json),
        "application/x-www-form-urlencoded" => Ok(FormKind::Plain),
        _ => Err(fault(LeadErrorCode::UnsupportedMediaType)),
    }
}

/// The whole body, within its limits of size and time.
pub(super) async fn body(body: Body) -> Result<Vec<u8>, LeadFault> {
    let read = async {
        let mut bytes = Vec::new();
        let mut length = 0;
        let mut body = body;
        while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|_| fault(LeadErrorCode::BadRequest))?;
            let Ok(part) = frame.into_data() else { continue };
            length += part.len();
            if length <= BODY_MAX {
                bytes.extend_from_slice(&part);
            } else if length > READ_MAX {
                break;
            }
        }
        if length > BODY_MAX { Err(fault(LeadErrorCode::TooLarge)) } else { Ok(bytes) }
    };
    tokio::time::timeout(BODY_TIMEOUT, read).await.unwrap_or(Err(fault(LeadErrorCode::Timeout)))
}

/// Reads a body of JSON.
pub(super) fn json(headers: &HeaderMap, body: &[u8]) -> Result<Submission, LeadFault> {
    // A list of values would pass for an object, its fields in their order.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(fault(LeadErrorCode::BadRequest));
    }
    // The parser refuses what is nested deeper than any stack bears.
    let request: LeadRequest = serde_json::from_slice(body).map_err(|_| fault(LeadErrorCode::BadRequest))?;
    let signals = headers.get(SIGNALS_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let signals = Signals::of(&fields(signals.as_bytes()).unwrap_or_default());
    Ok(Submission { request, position: String::new(), signals, key: key(headers)? })
}

/// Reads the fields of a form. Those that no lead has are somebody else's.
pub(super) fn plain(fields: &Fields) -> Submission {
    let text = |name| get(fields, name).to_owned();
    let some = |name| Some(text(name)).filter(|text| !text.trim().is_empty());
    let request = LeadRequest {
        name: text("name"),
        email: text("email"),
        company: text("company"),
        phone: text("phone"),
        project_type: text("projectType"),
        message: text("message"),
        recaptcha_token: String::new(),
        app_name: some("appName"),
        app_type: some("appType"),
        app_description: some("appDescription"),
    };
    Submission { request, position: text("position"), signals: Signals::of(fields), key: None }
}

/// The fields of a body or of a query.
pub(super) fn fields(text: &[u8]) -> Result<Fields, LeadFault> {
    let decoded = |part: &[u8]| {
        let part: Vec<u8> = part.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
        let text = percent_decode(&part).decode_utf8().map_err(|_| fault(LeadErrorCode::BadRequest))?;
        Ok(text.into_owned())
    };
    let pairs = text.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let equals = pair.iter().position(|byte| *byte == b'=');
            let (name, value) = equals.map_or((pair, &b""[..]), |at| (&pair[..at], &pair[at + 1..]));
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

/// The value of a field; empty without one.
pub(super) fn get<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
}

/// Who asks, as far as the limits are concerned. Of a list of addresses only the last is one that our own proxy has seen.
pub(super) fn address(parts: &Parts, header: Option<&str>) -> Option<IpAddr> {
    let Some(header) = header else {
        return parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    };
    let text = parts.headers.get_all(header).iter().next_back()?.to_str().ok()?;
    let last = text.rsplit(',').next()?.trim();
    let with_port = || last.parse::<SocketAddr>().map(|address| address.ip()).ok();
    // CloudFront writes `2001:db8::1:46532`, without brackets.
    let odd = || last.rsplit_once(':').and_then(|(address, _)| address.parse().ok());
    if header.eq_ignore_ascii_case("cloudfront-viewer-address") {
        with_port().or_else(odd)
    } else {
        last.parse().ok().or_else(with_port)
    }
}

fn key(headers: &HeaderMap) -> Result<Option<Hash>, LeadFault> {
    let Some(key) = headers.get(KEY_HEADER) else { return Ok(None) };
    let good = (1..=KEY_MAX).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    if good { Ok(Some(hash(key.as_bytes()))) } else { Err(fault(LeadErrorCode::BadRequest)) }
}

fn fault(code: LeadErrorCode) -> LeadFault {
    LeadFault { code, field: None }
}
