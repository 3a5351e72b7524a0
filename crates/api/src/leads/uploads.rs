//! `POST /api/forms/NAME/uploads`: where a browser may send the files of an answer by itself, past the API.
//!
//! A file goes to the bucket of the store under a name that the API has chosen, with the size that was asked for, and before a
//! time. The token that the API returns with it says of which form and field it is. The answer then has the token as the value
//! of the field, and the API looks whether the file is there, how large it is and of which type by its bytes. A file is claimed
//! in the transaction that stores its answer, so it belongs to one answer only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{OriginalUri, Path, Request, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use data_encoding::BASE64URL_NOPAD;
use ring::hmac;
use serde::{Deserialize, Serialize};

use api_types::error::ErrorAnswer;
use api_types::forms::{
    AnswerType, FileToUpload, Form, FormAnswer, FormField, FormUploads, SignedUpload,
    UPLOAD_TOKEN_MAX, UploadsRequest,
};
use api_types::lead_site::LeadSite;
use api_types::leads::{LeadErrorCode, LeadFault};

use crate::Api;
use crate::clock::{self, Millis};

use super::answer::{self, Refusal, Visitor};
use super::file_bucket::FileBucket;
use super::form_check::Wrong;
use super::lead::new_id;
use super::lead_files::{FileContent, SentFile, UploadedFile};
use super::limits::{Kind, Place};
use super::request::{self, Answers, FormKind};
use super::store::StoreError;
use super::upload::{self, Upload};
use super::{Leads, fault, rate_limited, refused};

/// Number of answers whose files are looked at in the bucket at a time.
pub(super) const AT_ONCE: usize = 8;
/// The `Retry-After` header while so many are, in seconds.
const WAIT: u32 = 5;
/// Timeout for receiving a form with files. The server gives a body a minute as well.
const RECEIVE_TIMEOUT: Duration = Duration::from_mins(1);
/// Timeout for looking at all files of an answer. A function on Lambda has twenty seconds in all.
const LOOK_TIMEOUT: Duration = Duration::from_secs(14);
/// How long a browser may take to begin the upload of a file, in milliseconds. All files are signed at once.
const UPLOAD_LIFETIME: Millis = 15 * 60 * 1000;
/// How long an uploaded file can be sent with an answer, in milliseconds. The bucket keeps it for a day at least.
const TOKEN_LIFETIME: Millis = 60 * 60 * 1000;
/// The most characters of the name of a file in a token; the name is cut when it is stored.
const NAME_MAX: usize = 150;

/// The content of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Token {
    id: String,
    form: String,
    field: String,
    name: String,
    size: u64,
    until: Millis,
}

impl Token {
    fn text(&self, key: &str) -> String {
        // Texts and numbers always serialize.
        let said = BASE64URL_NOPAD.encode(&serde_json::to_vec(self).unwrap_or_default());
        let mark = hmac::sign(&hmac_key(key), format!("upload {said}").as_bytes());
        format!("{said}.{}", BASE64URL_NOPAD.encode(mark.as_ref()))
    }

    /// A token that this API, or one with the same store, has signed.
    fn read(text: &str, key: &str) -> Option<Token> {
        let (said, mark) = text
            .split_once('.')
            .filter(|_| text.len() <= UPLOAD_TOKEN_MAX)?;
        let mark = BASE64URL_NOPAD.decode(mark.as_bytes()).ok()?;
        hmac::verify(&hmac_key(key), format!("upload {said}").as_bytes(), &mark).ok()?;
        serde_json::from_slice(&BASE64URL_NOPAD.decode(said.as_bytes()).ok()?).ok()
    }
}

fn hmac_key(key: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())
}

/// The refusal of an answer with a file that belongs to another one.
pub(super) fn used(visitor: &Visitor) -> Refusal {
    let fields = visitor
        .site_form()
        .map(|form| form.fields.as_slice())
        .unwrap_or_default();
    let of_files = fields
        .iter()
        .filter(|field| field.takes == AnswerType::File);
    of_files
        .map(|field| (field.name.clone(), LeadErrorCode::UploadMissing))
        .collect::<Vec<Wrong>>()
        .into()
}

impl Leads {
    /// Receives a form with files. Its sender is counted before the body is read into memory; one that is too slow is given up.
    /// The place is its memory, for the caller to keep until the form is stored or refused.
    pub(super) async fn receive_files(
        &self,
        headers: &HeaderMap,
        body: axum::body::Body,
        form: &Form,
        visitor: &Visitor,
    ) -> Result<(Upload, Place), Refusal> {
        let length = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse().ok());
        let most = upload::most(form);
        let bytes = length.map_or(most, |length: u64| length.min(most));
        // Without limits, as for the test of a store, nobody is counted; the memory is limited for all.
        let is_limited = self.settings.per_minute > 0;
        let place = if is_limited {
            let admitted = self
                .limits
                .admit(&*self.store, Kind::Files, visitor.address)
                .await?;
            let _ = admitted.map_err(rate_limited)?;
            let place = self
                .intake
                .begin(visitor.address, bytes)
                .map_err(rate_limited)?;
            let counted = self
                .intake
                .count(&*self.store, visitor.address, bytes, clock::now())
                .await?;
            counted.map_err(rate_limited)?;
            place
        } else {
            self.intake.wait(bytes).await
        };
        let read = tokio::time::timeout(RECEIVE_TIMEOUT, upload::read(headers, body, form)).await;
        let place = place.received();
        let late = LeadFault {
            code: LeadErrorCode::Timeout,
            field: None,
        };
        let upload = read.unwrap_or(Err(late.into()))?;
        Ok((upload, place))
    }

    /// An answer in which tokens of uploads are files. What is wrong with a file is found with what is wrong with other fields.
    pub(super) async fn with_uploads(
        &self,
        answers: Answers,
        visitor: &Visitor,
    ) -> Result<Answers, Refusal> {
        let slow =
            || StoreError::Unavailable("the files of an answer could not be read in time".into());
        let looked = tokio::time::timeout(LOOK_TIMEOUT, self.look(answers, visitor)).await;
        looked.unwrap_or_else(|_| Err(slow().into()))
    }

    async fn look(&self, answers: Answers, visitor: &Visitor) -> Result<Answers, Refusal> {
        let (Some(form), Some(bucket)) = (visitor.site_form(), self.store.bucket()) else {
            return Ok(answers);
        };
        let Answers::Form {
            mut sent,
            mut files,
            token,
            page,
            version,
        } = answers
        else {
            return Ok(answers);
        };
        let of_file = |name: &str| {
            form.field(name)
                .filter(|field| field.takes == AnswerType::File)
        };
        let mut known = BTreeSet::new();
        let (mut permit, mut link_key) = (None, None);
        for (name, values) in &mut sent {
            let Some(field) = of_file(name) else { continue };
            let tokens: Vec<String> = std::mem::take(values)
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect();
            if tokens.len() > field.files_max() {
                let name = name.clone();
                files.push(SentFile {
                    name: name.clone(),
                    field: name,
                    content: Err(LeadErrorCode::OutOfRange),
                });
                continue;
            }
            for text in tokens {
                if permit.is_none() {
                    let admitted = self
                        .limits
                        .admit(&*self.store, Kind::Files, visitor.address)
                        .await?;
                    let _ = admitted.map_err(rate_limited)?;
                    permit = Some(self.looks.try_acquire().map_err(|_| rate_limited(WAIT))?);
                    link_key = Some(self.store.link_key().await?);
                }
                let read = Token::read(&text, link_key.as_deref().unwrap_or_default());
                let read =
                    read.filter(|token| token.form == form.name && token.field == field.name);
                let Some(token) = read.filter(|token| known.insert(token.id.clone())) else {
                    let missing = Err(LeadErrorCode::UploadMissing);
                    files.push(SentFile {
                        field: field.name.clone(),
                        name: String::new(),
                        content: missing,
                    });
                    continue;
                };
                files.push(self.found(bucket, field, token).await?);
            }
        }
        Ok(Answers::Form {
            sent,
            files,
            token,
            page,
            version,
        })
    }

    /// The file of a token, as it is in the bucket or as a lead has it: the same answer may be sent again.
    async fn found(
        &self,
        bucket: &FileBucket,
        field: &FormField,
        token: Token,
    ) -> Result<SentFile, Refusal> {
        let known = self.store.uploaded(token.id.clone()).await?;
        let uploaded = match known {
            None if token.until < clock::now() => None,
            None => bucket.look(&token.id, field).await?,
            known => known,
        };
        let is_refused = |file: &UploadedFile| {
            let is_taken = file
                .kind
                .as_ref()
                .is_some_and(|kind| field.accept.contains(kind));
            !is_taken || file.size > token.size.min(u64::from(field.most))
        };
        if uploaded.as_ref().is_some_and(is_refused) {
            // A file that is left is deleted by the rule of the bucket.
            let _ = bucket.discard(&token.id).await;
        }
        let content = match uploaded {
            Some(file) if file.size > token.size => Err(LeadErrorCode::TooLarge),
            Some(file) => Ok(FileContent::Uploaded(file)),
            None => Err(LeadErrorCode::UploadMissing),
        };
        Ok(SentFile {
            field: token.field,
            name: token.name,
            content,
        })
    }

    /// Signs an upload for each file that a form takes. None if the API takes the files itself.
    async fn sign(
        &self,
        site: &LeadSite,
        visitor: &Visitor,
        form: &Form,
        files: &[FileToUpload],
    ) -> Result<Vec<SignedUpload>, Refusal> {
        let Some((bucket, url)) = self.store.bucket().zip(site.rules.uploads.as_ref()) else {
            return Ok(Vec::new());
        };
        let admitted = self
            .limits
            .admit(&*self.store, Kind::Files, visitor.address)
            .await?;
        let _ = admitted.map_err(rate_limited)?;
        let wrong = wrong_of(form, files)?;
        if !wrong.is_empty() {
            return Err(wrong.into_iter().collect::<Vec<Wrong>>().into());
        }
        let key = self.store.link_key().await?;
        let now = clock::now();
        let signed = files.iter().map(|file| {
            let id = new_id(now);
            let fields = bucket.sign(&id, file.size, now + UPLOAD_LIFETIME);
            let token = Token {
                id,
                form: form.name.clone(),
                field: file.field.clone(),
                name: file.name.chars().take(NAME_MAX).collect(),
                size: file.size,
                until: now + TOKEN_LIFETIME,
            };
            SignedUpload {
                url: url.clone(),
                fields,
                token: token.text(&key),
            }
        });
        Ok(signed.collect())
    }
}

/// The problems with files that a browser asks for, by field.
fn wrong_of(
    form: &Form,
    files: &[FileToUpload],
) -> Result<BTreeMap<String, LeadErrorCode>, Refusal> {
    let mut wrong = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let field = form
            .field(&file.field)
            .filter(|field| field.takes == AnswerType::File);
        let field = field.ok_or_else(|| fault(LeadErrorCode::BadRequest))?;
        let count = counts.entry(&field.name).or_default();
        *count += 1;
        if *count > field.files_max() {
            wrong.insert(field.name.clone(), LeadErrorCode::OutOfRange);
        } else if file.size > u64::from(field.most) {
            wrong.insert(field.name.clone(), LeadErrorCode::TooLarge);
        }
    }
    Ok(wrong)
}

/// Tells a browser where to send the files of an answer by itself. Their tokens are the values of their fields then.
#[utoipa::path(
    post,
    path = "/api/forms/{name}/uploads",
    operation_id = "uploads",
    params(
        ("name" = String, Path, description = "The name of the form."),
        ("lang" = Option<String>, Query, description = "The language of the error messages."),
    ),
    request_body = UploadsRequest,
    responses(
        (status = 200, description = "An upload for each file; none if the API takes files with the form.", body = FormUploads),
        (status = 400, description = "The request isn't a list of files for this form.", body = FormAnswer),
        (status = 403, description = "The origin is not allowed.", body = FormAnswer),
        (status = 404, description = "The site has no such form, or the form takes no files.", body = ErrorAnswer),
        (status = 408, description = "The body was not received in time.", body = FormAnswer),
        (status = 413, description = "The body is too large.", body = FormAnswer),
        (status = 415, description = "The body is not JSON.", body = FormAnswer),
        (status = 422, description = "A file is too large, or there are too many.", body = FormAnswer),
        (status = 429, description = "The rate limit was exceeded; `Retry-After` says when to retry.", body = FormAnswer),
        (status = 503, description = "Uploads can't be signed.", body = FormAnswer)
    )
)]
pub(crate) async fn post(
    State(api): State<Arc<Api>>,
    Path(name): Path<String>,
    uri: OriginalUri,
    request: Request,
) -> Response {
    let Some(leads) = &api.leads else {
        return answer::off();
    };
    let site = leads.site();
    let (parts, body) = request.into_parts();
    let bytes = request::body(body).await;
    let mut visitor = Visitor::of(&parts, site.clone(), &api.settings);
    visitor.form_name = Some(name.clone());
    let Some(site) = site else {
        return refused(
            &api,
            leads,
            &visitor,
            fault(LeadErrorCode::Unavailable),
            &Vec::new(),
        );
    };
    let Some(form) = site.form(&name).filter(|form| form.takes_files()) else {
        return crate::unknown(uri).await.into_response();
    };
    let signed = async {
        if !leads.allows(&api.settings.origins, &site, &parts.headers) {
            return Err(fault(LeadErrorCode::ForbiddenOrigin));
        }
        let bytes = bytes?;
        if request::form(&parts.headers)? != FormKind::Json {
            return Err(fault(LeadErrorCode::UnsupportedMediaType));
        }
        let asked: UploadsRequest =
            serde_json::from_slice(&bytes).map_err(|_| fault(LeadErrorCode::BadRequest))?;
        leads.sign(&site, &visitor, form, &asked.files).await
    };
    match signed.await {
        Ok(uploads) => answer::finished(
            Json(FormUploads {
                success: true,
                uploads,
            })
            .into_response(),
        ),
        Err(refusal) => refused(&api, leads, &visitor, refusal, &Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_only_with_its_key_and_as_it_was_signed() {
        let token = Token {
            id: new_id(1),
            form: "appointment".into(),
            field: "xray".into(),
            name: "𝓝".repeat(NAME_MAX),
            size: 50 << 20,
            until: 1_800_000_000_000,
        };
        let text = token.text("key");
        assert!(text.len() < UPLOAD_TOKEN_MAX, "{}", text.len());
        assert_eq!(Token::read(&text, "key"), Some(token.clone()));
        let (said, mark) = text.split_once('.').expect("two parts");
        let other = Token { size: 1, ..token }.text("key");
        let (other, _) = other.split_once('.').expect("two parts");
        for wrong in [
            said.to_owned(),
            format!("{said}."),
            format!("{other}.{mark}"),
            format!("{said}.{}", &mark[1..]),
            format!("{text}x"),
            "é.é".into(),
            "a".repeat(9_000),
        ] {
            assert_eq!(Token::read(&wrong, "key"), None, "{wrong}");
        }
        assert_eq!(Token::read(&text, "other"), None);
    }
}
