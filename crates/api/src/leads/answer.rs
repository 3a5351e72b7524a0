//! Responses to a lead: JSON for the form's island, HTML pages for a form sent without JavaScript, both in the
//! visitor's language. That is the language of the page (`?lang=es`, or the form's field `lang`), else the best match
//! for `Accept-Language`, else the site's default language.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::{ApiError, ErrorCode, Log, Settings};
use api_types::base_url;
use api_types::forms::{Form, FormAnswer, FormLanguage};
use api_types::lead_site::{LeadLocale, LeadSite};
use api_types::leads::{LeadAnswer, LeadErrorCode, LeadFault};

use super::form_check::Wrong;
use super::page::{self, Fields, FormError};
use super::request::{self, FormKind};
use super::store::StoreError;

/// The Content-Security-Policy of a returned form page. It allows styles, images, fonts and submitting the form. The
/// site is listed for an API on a separate host: styles come from the site, and `form-action` also applies to the
/// redirect to the thank-you page.
fn page_policy(site: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'none'; style-src 'self' {site}; img-src 'self' {site} data:; font-src 'self' {site}; \
        form-action 'self' {site}; base-uri {site}; frame-ancestors 'none'"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Why a lead was rejected.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The error reported to the visitor.
    pub fault: LeadFault,
    /// The invalid fields of a form of the site.
    pub wrong: Vec<Wrong>,
    /// The `Retry-After` header, in seconds.
    pub retry_after: Option<u32>,
    /// The store's error, for the log.
    pub trouble: Option<StoreError>,
}

impl From<LeadFault> for Refusal {
    fn from(fault: LeadFault) -> Refusal {
        Refusal {
            fault,
            wrong: Vec::new(),
            retry_after: None,
            trouble: None,
        }
    }
}

impl From<Vec<Wrong>> for Refusal {
    fn from(wrong: Vec<Wrong>) -> Refusal {
        let code = wrong
            .first()
            .map_or(LeadErrorCode::BadRequest, |(_, code)| *code);
        Refusal {
            wrong,
            ..LeadFault { code, field: None }.into()
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        let fault = LeadFault {
            code: LeadErrorCode::Unavailable,
            field: None,
        };
        Refusal {
            fault,
            wrong: Vec::new(),
            trouble: Some(error),
            retry_after: Some(5),
        }
    }
}

/// The sender of a request, and how to respond.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    /// The code of one of the site's locales.
    pub locale: String,
    pub form: FormKind,
    /// The name of the form of the site; `None` for the lead form.
    pub form_name: Option<String>,
    /// `None` for all visitors whose address nobody reports: they are one client.
    pub address: Option<IpAddr>,
    /// The build of the site that is online, if the API has it.
    pub build: String,
    log: Log,
    site: Option<Arc<LeadSite>>,
}

impl Visitor {
    pub(super) fn of(parts: &Parts, site: Option<Arc<LeadSite>>, settings: &Settings) -> Visitor {
        let query =
            request::fields(parts.uri.query().unwrap_or_default().as_bytes()).unwrap_or_default();
        let codes: Vec<&str> = site
            .iter()
            .flat_map(|site| &site.locales)
            .map(|locale| locale.code.as_str())
            .collect();
        Visitor {
            locale: locale(&codes, request::get(&query, "lang"), &parts.headers),
            form: FormKind::Json,
            form_name: None,
            address: settings.proxies.client(parts),
            build: String::new(),
            log: settings.log,
            site,
        }
    }

    /// The form of the site that was answered.
    pub(super) fn site_form(&self) -> Option<&Form> {
        self.site.as_ref()?.form(self.form_name.as_ref()?)
    }

    /// Sets the language from the form's field `lang`. An unknown language is ignored.
    pub(super) fn set_language(&mut self, language: &str) {
        let mut locales = self.site.iter().flat_map(|site| &site.locales);
        if let Some(locale) = locales.find(|locale| locale.code.eq_ignore_ascii_case(language)) {
            self.locale = locale.code.clone();
        }
    }

    /// The response to a stored answer to a form of the site.
    fn thank_for_form(&self, name: &str) -> Response {
        let language = self.form_language(name);
        let thanks =
            language.and_then(|language| HeaderValue::from_str(language.thanks.as_deref()?).ok());
        let page = language.and_then(|language| language.page.as_deref());
        let response = match (self.form, thanks, page) {
            (FormKind::Plain, Some(address), _) => {
                (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response()
            }
            (FormKind::Plain, None, Some(page)) => {
                self.page(page::fill(page, Some(name), &Vec::new(), &[]))
            }
            _ => Json(FormAnswer {
                success: true,
                error: None,
                code: None,
                errors: BTreeMap::new(),
            })
            .into_response(),
        };
        finished(response)
    }

    fn form_language(&self, name: &str) -> Option<&FormLanguage> {
        self.site.as_ref()?.form(name)?.languages.get(&self.locale)
    }

    /// A page of the site as a response.
    fn page(&self, html: String) -> Response {
        let base_url = self
            .site
            .as_ref()
            .map_or("", |site| site.hosts().of_locale(&self.locale));
        let policy = page_policy(base_url::parts(base_url).0);
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        (
            [
                (header::CONTENT_TYPE, kind),
                (header::CONTENT_SECURITY_POLICY, policy),
            ],
            html,
        )
            .into_response()
    }

    /// The message for an error code in the visitor's language.
    fn words(&self, code: LeadErrorCode) -> String {
        let words = self
            .site_locale()
            .and_then(|locale| locale.errors.get(code.name()));
        words
            .map_or_else(|| code.words(), String::as_str)
            .to_owned()
    }

    /// The response to an answer that a form of the site does not accept.
    fn refuse_form(
        &self,
        name: &str,
        code: LeadErrorCode,
        wrong: &[Wrong],
        typed: &Fields,
    ) -> Response {
        let language = self.form_language(name);
        let of_field = |(field, code): &Wrong| {
            let of_kind = |language: &'_ FormLanguage| {
                language.mistakes.get(field)?.get(code.name()).cloned()
            };
            let own = language.and_then(|language| {
                of_kind(language).or_else(|| language.errors.get(field).cloned())
            });
            (field.clone(), own.unwrap_or_else(|| self.words(*code)))
        };
        let errors: BTreeMap<String, String> = wrong.iter().map(of_field).collect();
        let page = language.and_then(|language| language.page.as_deref());
        let Some(page) = page.filter(|_| self.form == FormKind::Plain) else {
            let error = Some(self.words(code));
            return Json(FormAnswer {
                success: false,
                error,
                code: Some(code),
                errors,
            })
            .into_response();
        };
        let message = self.words(code);
        let of_fields = errors
            .iter()
            .map(|(field, message)| FormError { field, message });
        let all: Vec<FormError> = if errors.is_empty() {
            vec![FormError {
                field: "",
                message: &message,
            }]
        } else {
            of_fields.collect()
        };
        self.page(page::fill(page, Some(name), typed, &all))
    }

    /// The response to a stored lead.
    pub(super) fn thank(&self) -> Response {
        if let Some(name) = &self.form_name {
            return self.thank_for_form(name);
        }
        let thanks = self
            .site_locale()
            .and_then(|locale| locale.thanks.as_deref());
        match (
            self.form,
            thanks.and_then(|address| HeaderValue::from_str(address).ok()),
        ) {
            (FormKind::Plain, Some(address)) => {
                finished((StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response())
            }
            _ => finished(
                Json(LeadAnswer {
                    success: true,
                    error: None,
                    code: None,
                    field: None,
                })
                .into_response(),
            ),
        }
    }

    /// The response to a rejected lead. A form sent without JavaScript is returned filled in with `typed`.
    pub(super) fn refuse(&self, refusal: Refusal, typed: &Fields) -> Response {
        let Refusal {
            fault: LeadFault { code, field },
            wrong,
            retry_after,
            trouble,
        } = refusal;
        if let Some(trouble) = trouble {
            self.log
                .event("lead_not_stored", &[("why", trouble.to_string().into())]);
        }
        let message = self.words(code);
        let page = self.site_locale().and_then(|locale| locale.form.as_deref());
        let mut response = match (
            &self.form_name,
            page.filter(|_| self.form == FormKind::Plain),
        ) {
            (Some(name), _) => self.refuse_form(name, code, &wrong, typed),
            (None, Some(text)) => {
                let field = field.unwrap_or_default();
                self.page(page::fill(
                    text,
                    None,
                    typed,
                    &[FormError {
                        field,
                        message: &message,
                    }],
                ))
            }
            (None, None) => {
                let field = field.map(str::to_owned);
                Json(LeadAnswer {
                    success: false,
                    error: Some(message),
                    code: Some(code),
                    field,
                })
                .into_response()
            }
        };
        *response.status_mut() = status(code);
        if let Some(seconds) = retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if code == LeadErrorCode::MethodNotAllowed {
            response
                .headers_mut()
                .insert(header::ALLOW, HeaderValue::from_static("POST, OPTIONS"));
        }
        finished(response)
    }

    fn site_locale(&self) -> Option<&LeadLocale> {
        self.site
            .as_ref()?
            .locales
            .iter()
            .find(|locale| locale.code == self.locale)
    }
}

pub(super) fn finished(mut response: Response) -> Response {
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// The response of an API without leads.
pub(super) fn off() -> Response {
    ApiError::new(ErrorCode::NotFound, "this API doesn't accept leads").into_response()
}

/// The language of the page (`?lang=es`), else the best match for `Accept-Language`, else the first of `codes`.
fn locale(codes: &[&str], requested: &str, headers: &HeaderMap) -> String {
    let accepted = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let mut preferred: Vec<(&str, f32)> = accepted
        .split(',')
        .map(|range| {
            let (tag, quality) = range.split_once(";q=").unwrap_or((range, "1"));
            (tag.trim(), quality.trim().parse().unwrap_or(0.0))
        })
        .filter(|(_, quality)| *quality > 0.0)
        .collect();
    preferred.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let primary = |tag: &'_ str| tag.split('-').next().unwrap_or_default().to_lowercase();
    let is = |code: &&&str, tag: &str| code.eq_ignore_ascii_case(tag);
    let named = |tag: &str| {
        codes
            .iter()
            .find(|code| is(code, tag))
            .or_else(|| codes.iter().find(|code| primary(code) == primary(tag)))
    };
    let found = codes
        .iter()
        .find(|code| is(code, requested))
        .or_else(|| preferred.iter().find_map(|(tag, _)| named(tag)));
    (*found.or(codes.first()).unwrap_or(&"en")).to_owned()
}

fn status(code: LeadErrorCode) -> StatusCode {
    use LeadErrorCode as Code;
    match code {
        Code::Required
        | Code::ContactRequired
        | Code::InvalidEmail
        | Code::TooLong
        | Code::InvalidChoice
        | Code::InvalidValue
        | Code::OutOfRange
        | Code::OneRequired
        | Code::UploadMissing
        | Code::CaptchaRequired
        | Code::CaptchaRefused => StatusCode::UNPROCESSABLE_ENTITY,
        Code::BadRequest => StatusCode::BAD_REQUEST,
        Code::KeyConflict => StatusCode::CONFLICT,
        Code::ForbiddenOrigin | Code::ScriptRequired => StatusCode::FORBIDDEN,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::Timeout => StatusCode::REQUEST_TIMEOUT,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(requested: &str, accepted: &str, expect: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::ACCEPT_LANGUAGE,
            HeaderValue::from_str(accepted).expect("a header"),
        );
        assert_eq!(
            locale(&["en", "es", "pt-BR"], requested, &headers),
            expect,
            "{requested} {accepted}"
        );
    }

    #[test]
    fn the_page_names_the_language_and_else_the_browser() {
        check("es", "en", "es");
        check("xx", "es-MX,en;q=0.5", "es");
        check("", "en;q=0.2, ES;q=0.9", "es");
        check("", "pt", "pt-BR");
        check("", "fr, de;q=x", "en");
        check("", "es;q=0, en", "en");
    }
}
