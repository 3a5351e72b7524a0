//! Reads a form with files as it arrives, and tells the type of a file from its bytes.
//!
//! No file is written or unpacked: it is in memory, within the limits of its form, until it is stored with its lead. So an upload
//! that breaks off leaves nothing, and one that comes twice is stored once.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, HttpBody};
use axum::http::{HeaderMap, header};
use hyper::body::{Bytes, Frame};
use multer::{Constraints, Error, Multipart, SizeLimit};

use api_types::forms::{AnswerType, FILE_TYPES, Form};
use api_types::leads::{BODY_MAX, LeadErrorCode, LeadFault};

use super::answer::Refusal;
use super::lead_files::{FileContent, NewFile, SentFile};
use super::page::Fields;

/// The most parts of a form, so that the time to read one is limited.
const PARTS_MAX: usize = 500;
/// The most characters of the name of a file.
const NAME_MAX: usize = 100;
/// Room for the heads of parts.
const HEADS_MAX: u64 = 64 * 1024;
/// How much of a form that is too large is read, so that its sender gets the answer: a browser that is still sending when the
/// connection closes shows an error of its own.
const READ_MAX: usize = 64 * 1024 * 1024;
/// How long a body is watched at a time, and the fewest bytes that it brings meanwhile: less than any telephone line.
const PACE: Duration = Duration::from_secs(10);
const PACE_MIN: u64 = 10 * 1024;
/// The fewest bytes by which a type can be told.
const HEAD_MIN: usize = 64;

/// The fields and the files of a form.
#[derive(Debug, Clone, Default)]
pub(super) struct Upload {
    pub fields: Fields,
    pub files: Vec<SentFile>,
}

/// Whether a request has a form with files.
pub(super) fn is_upload(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    kind.get(..20)
        .is_some_and(|start| start.eq_ignore_ascii_case("multipart/form-data;"))
}

/// The most bytes of a form with its files.
pub(super) fn most(form: &Form) -> u64 {
    BODY_MAX as u64 + HEADS_MAX + form.files_max()
}

/// A body whose bytes are counted as they arrive.
struct Counted {
    body: Body,
    received: Arc<AtomicU64>,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            let length = frame.data_ref().map_or(0, Bytes::len);
            self.received.fetch_add(length as u64, Ordering::Relaxed);
        }
        frame
    }
}

/// Ends once a body brings less than the least in a while.
async fn too_slow(received: &AtomicU64) {
    let mut before = 0;
    loop {
        tokio::time::sleep(PACE).await;
        let now = received.load(Ordering::Relaxed);
        if now.saturating_sub(before) < PACE_MIN {
            return;
        }
        before = now;
    }
}

/// Reads the parts of a form; one that is too large to its end. A sender that is slower than the slowest connection is given
/// up: its place is wanted by others.
pub(super) async fn read(headers: &HeaderMap, body: Body, form: &Form) -> Result<Upload, Refusal> {
    let received = Arc::new(AtomicU64::new(0));
    let body = Body::new(Counted {
        body,
        received: Arc::clone(&received),
    });
    tokio::select! {
        read = read_whole(headers, body, form) => read,
        () = too_slow(&received) => Err(LeadFault { code: LeadErrorCode::Timeout, field: None }.into()),
    }
}

async fn read_whole(headers: &HeaderMap, body: Body, form: &Form) -> Result<Upload, Refusal> {
    let mut body = body.into_data_stream();
    let read = parts(headers, &mut body, form).await;
    let is_much = |code| matches!(code, LeadErrorCode::TooLarge | LeadErrorCode::OutOfRange);
    if matches!(&read, Err(refusal) if is_much(refusal.fault.code)) {
        let mut left = READ_MAX;
        while let Some(Ok(frame)) =
            std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            left = left.saturating_sub(frame.data_ref().map_or(0, hyper::body::Bytes::len));
            if left == 0 {
                break;
            }
        }
    }
    read
}

async fn parts(
    headers: &HeaderMap,
    body: &mut BodyDataStream,
    form: &Form,
) -> Result<Upload, Refusal> {
    let bad = || {
        Refusal::from(LeadFault {
            code: LeadErrorCode::BadRequest,
            field: None,
        })
    };
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .ok_or_else(bad)?;
    let boundary = multer::parse_boundary(kind).map_err(|_| bad())?;
    let texts = BODY_MAX as u64;
    let mut limits = SizeLimit::new()
        .whole_stream(texts + HEADS_MAX + form.files_max())
        .per_field(texts);
    for field in form
        .fields
        .iter()
        .filter(|field| field.takes == AnswerType::File)
    {
        limits = limits.for_field(&field.name, u64::from(field.most));
    }
    let mut parts =
        Multipart::with_constraints(body, boundary, Constraints::new().size_limit(limits));
    let mut upload = Upload::default();
    let mut length = 0;
    while let Some(part) = parts.next_field().await.map_err(|error| fault(&error))? {
        let field = part.name().ok_or_else(bad)?.to_owned();
        let of_file = form
            .field(&field)
            .filter(|field| field.takes == AnswerType::File);
        match part.file_name().map(str::to_owned) {
            Some(name) if of_file.is_some() => {
                let bytes = part
                    .bytes()
                    .await
                    .map_err(|error| refusal(&error, &field))?;
                // A control without a file sends an empty one.
                if !(bytes.is_empty() && name.is_empty()) {
                    let known = upload
                        .files
                        .iter()
                        .filter(|file| file.field == field)
                        .count();
                    if of_file.is_some_and(|field| known >= field.files_max()) {
                        return Err(vec![(field, LeadErrorCode::OutOfRange)].into());
                    }
                    upload.files.push(SentFile {
                        field,
                        name,
                        content: Ok(FileContent::Bytes(bytes.into())),
                    });
                }
            }
            Some(_) => return Err(bad()),
            None => {
                let bytes = part.bytes().await.map_err(|error| fault(&error))?;
                length += field.len() + bytes.len();
                if length > BODY_MAX {
                    return Err(LeadFault {
                        code: LeadErrorCode::TooLarge,
                        field: None,
                    }
                    .into());
                }
                upload
                    .fields
                    .push((field, String::from_utf8(bytes.into()).map_err(|_| bad())?));
            }
        }
        if upload.fields.len() + upload.files.len() > PARTS_MAX {
            return Err(bad());
        }
    }
    Ok(upload)
}

/// The refusal of a file of a field.
fn refusal(error: &Error, field: &str) -> Refusal {
    match error {
        Error::FieldSizeExceeded { .. } => vec![(field.to_owned(), LeadErrorCode::TooLarge)].into(),
        other => fault(other).into(),
    }
}

fn fault(error: &Error) -> LeadFault {
    let code = match error {
        Error::FieldSizeExceeded { .. } | Error::StreamSizeExceeded { .. } => {
            LeadErrorCode::TooLarge
        }
        _ => LeadErrorCode::BadRequest,
    };
    LeadFault { code, field: None }
}

/// The files of a field as they are stored, or what is wrong with them.
pub(super) fn checked(
    accept: &[String],
    most: u32,
    files: &[&SentFile],
) -> Result<Vec<NewFile>, LeadErrorCode> {
    let one = |file: &&SentFile| {
        let content = file.content.clone()?;
        if content.size() > u64::from(most) {
            return Err(LeadErrorCode::TooLarge);
        }
        let kind = match &content {
            FileContent::Bytes(bytes) => type_of(bytes),
            FileContent::Uploaded(uploaded) => uploaded.kind.as_deref(),
        };
        let kind = kind.filter(|kind| accept.iter().any(|accepted| accepted == kind));
        let kind = kind.ok_or(LeadErrorCode::InvalidValue)?.to_owned();
        Ok(NewFile {
            field: file.field.clone(),
            name: safe_name(&file.name, &kind),
            kind,
            content,
        })
    };
    files.iter().map(one).collect()
}

/// The type of a file, if it is one that a form can take.
pub(super) fn type_of(bytes: &[u8]) -> Option<&'static str> {
    if bytes.len() < HEAD_MIN {
        return None;
    }
    // iPhones write HEIC under several brands, which are the same to whoever opens them.
    let kind = infer::get(bytes)?.mime_type();
    FILE_TYPES
        .iter()
        .map(|(known, _)| *known)
        .find(|known| *known == kind)
}

/// A name that is no path, hides nothing, and ends as files of its type do.
fn safe_name(sent: &str, kind: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_safe = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '(' | ')');
    let name: String = last.chars().filter(is_safe).take(NAME_MAX).collect();
    let name = name.trim_matches([' ', '.']);
    let name = if name.is_empty() { "file" } else { name };
    let ending = FILE_TYPES
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or("bin", |(_, ending)| ending);
    let written = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase())
        .unwrap_or_default();
    let is_right = written == ending
        || (ending == "jpg" && written == "jpeg")
        || (ending == "heic" && written == "heif");
    if is_right {
        name.to_owned()
    } else {
        format!("{name}.{ending}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_paths_and_hide_no_type() {
        for (sent, expect) in [
            ("scan.pdf", "scan.pdf"),
            ("SCAN.PDF", "SCAN.PDF"),
            ("../../etc/passwd", "passwd.pdf"),
            ("C:\\Users\\ana\\scan.pdf", "scan.pdf"),
            ("scan.pdf.exe", "scan.pdf.exe.pdf"),
            ("\u{202e}fdp.exe", "fdp.exe.pdf"),
            ("a\r\nb\0<c>.pdf", "abc.pdf"),
            (".htaccess", "htaccess.pdf"),
            ("", "file.pdf"),
            ("...", "file.pdf"),
            ("Röntgen (2).pdf", "Röntgen (2).pdf"),
        ] {
            assert_eq!(safe_name(sent, "application/pdf"), expect, "{sent:?}");
        }
        assert_eq!(safe_name("a.jpeg", "image/jpeg"), "a.jpeg");
        assert!(safe_name(&"x".repeat(9_000), "image/png").len() < 120);
    }

    #[test]
    fn the_type_is_that_of_the_bytes() {
        let padded = |head: &[u8]| [head, &[0; 200]].concat();
        assert_eq!(type_of(&padded(b"%PDF-1.7\n")), Some("application/pdf"));
        assert_eq!(type_of(&padded(b"\x89PNG\r\n\x1a\n")), Some("image/png"));
        assert_eq!(type_of(&padded(b"\xff\xd8\xff\xe0")), Some("image/jpeg"));
        assert_eq!(type_of(&padded(b"MZ")), None, "a program");
        assert_eq!(type_of(&padded(b"<html><script>")), None);
        assert_eq!(type_of(b"%PDF"), None, "no whole file");
        for (known, _) in FILE_TYPES {
            let is_told = infer::is_mime_supported(known);
            assert!(is_told, "{known} is never found");
        }
    }

    proptest::proptest! {
        /// Whatever the bytes are, their type is told without a panic.
        #[test]
        fn no_bytes_break_the_type(head in proptest::sample::select(vec![
            &b"PK\x03\x04"[..], b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x13\0\0\0[Content_Types].xml",
            b"\0\0\0\x18ftypheic", b"RIFF\0\0\0\0WEBP", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF", b"",
        ]), rest in proptest::collection::vec(proptest::arbitrary::any::<u8>(), 0..400)) {
            let _ = type_of(&[head, &rest].concat());
        }
    }
}
