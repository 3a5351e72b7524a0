//! A search bundle in a bucket: a Lambda function that downloads it, and an emulated S3 server.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::api_site::{ApiSite, block_on, language, post};
use crate::lambda::Lambda;

/// The name of the bucket.
const BUCKET: &str = "leads-and-posts";

struct Bucket {
    folder: PathBuf,
    /// The paths and response statuses of all requests.
    log: Mutex<Vec<(String, u16)>>,
    is_down: Mutex<bool>,
}

/// Starts a server for a folder. It stops when the returned sender is dropped.
fn serve(folder: PathBuf) -> (Arc<Bucket>, String, tokio::sync::oneshot::Sender<()>) {
    let bucket = Arc::new(Bucket {
        folder,
        log: Mutex::default(),
        is_down: Mutex::new(false),
    });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&bucket));
    std::thread::spawn(move || {
        block_on(async {
            listener.set_nonblocking(true).expect("a listener");
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            tokio::select! {
                served = async { axum::serve(listener, router).await } => served.expect("a server"),
                _ = stopped => {}
            }
        });
    });
    (bucket, address, stop)
}

async fn answer(State(bucket): State<Arc<Bucket>>, request: Request) -> Response {
    let response = object(&bucket, &request);
    bucket
        .log
        .lock()
        .expect("the log")
        .push((request.uri().path().to_owned(), response.status().as_u16()));
    response
}

fn object(bucket: &Bucket, request: &Request) -> Response {
    let given = |name: &str| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    if *bucket.is_down.lock().expect("the state") {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let signature = given("authorization");
    let is_signed = signature.starts_with("AWS4-HMAC-SHA256 Credential=KEY/")
        && signature.contains(
            "/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, ",
        );
    if !is_signed || given("x-amz-security-token") != "session" {
        return StatusCode::FORBIDDEN.into_response();
    }
    let path = request
        .uri()
        .path()
        .strip_prefix(&format!("/{BUCKET}/site/search/"));
    let Some(bytes) = path.and_then(|path| std::fs::read(bucket.folder.join(path)).ok()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = format!("\"{}\"", assets::output::hash(&[&bytes]));
    if given("if-none-match") == tag {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    ([(header::ETAG, tag)], bytes).into_response()
}

#[test]
fn a_function_serves_the_newest_complete_build_in_the_bucket() {
    let site = ApiSite::small();
    let (bucket, address, _stop) = serve(site.path());
    let copies = tempfile::tempdir().expect("a folder");
    let bundle = format!("s3://{BUCKET}/site/search");
    let function = Lambda::start(&[
        ("SITE_ARTIFACT", &bundle),
        ("SITE_LOOK_EVERY", "0"),
        ("LEADS_STORE", "off"),
        ("TMPDIR", copies.path().to_str().expect("a path")),
        ("AWS_ENDPOINT_URL_S3", &address),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ACCESS_KEY_ID", "KEY"),
        ("AWS_SECRET_ACCESS_KEY", "SECRET"),
        ("AWS_SESSION_TOKEN", "session"),
    ]);
    let total = || {
        function
            .request("GET", "/api/posts?search=number", &[])
            .total()
    };
    assert_eq!(total(), 25);

    // A check without changes costs one request with status 304.
    bucket.log.lock().expect("the log").clear();
    assert_eq!(total(), 25);
    let log: Vec<(String, u16)> = std::mem::take(&mut *bucket.log.lock().expect("the log"));
    assert_eq!(log, [(format!("/{BUCKET}/site/search/site.json"), 304)]);

    // The next build is uploaded file by file, and used once it is complete.
    site.build(vec![language("en", vec![post(1, "Number one", "", &[])])]);
    let cards = site.path().join("en/cards");
    std::fs::rename(&cards, cards.with_extension("late")).expect("a file");
    assert_eq!(total(), 25);
    std::fs::write(&cards, "something else").expect("a file");
    assert_eq!(total(), 25);
    std::fs::rename(cards.with_extension("late"), &cards).expect("a file");
    assert_eq!(total(), 1);

    *bucket.is_down.lock().expect("the state") = true;
    assert_eq!(total(), 1);
}
