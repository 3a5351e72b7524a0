//! An emulated AWS Lambda: a server of the runtime API, and the program started against it.
//! <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde_json::{Value, json};

use crate::api_site::{ApiAnswer, ApiSite};
use crate::site_test::site_api_program;

/// Timeout for the response to an event, in seconds.
const EVENT_TIMEOUT: Duration = Duration::from_secs(20);

/// The function's response to an event, or its error.
type Outcome = Result<Value, String>;

struct Events {
    queue: tokio::sync::Mutex<tokio::sync::mpsc::UnboundedReceiver<(String, Value)>>,
    waiting: Mutex<HashMap<String, mpsc::Sender<Outcome>>>,
}

/// A running function.
pub struct Lambda {
    child: Child,
    queue: tokio::sync::mpsc::UnboundedSender<(String, Value)>,
    events: Arc<Events>,
    next: Mutex<u32>,
    log: Arc<Mutex<String>>,
    /// Stops the server when it is dropped.
    _stop: tokio::sync::oneshot::Sender<()>,
}

impl Lambda {
    /// Starts `site-api` as Lambda does, with additional environment variables.
    #[expect(
        clippy::disallowed_methods,
        reason = "the endpoints of AWS's runtime, which no server here has"
    )]
    pub fn start(environment: &[(&str, &str)]) -> Lambda {
        let (queue, receiver) = tokio::sync::mpsc::unbounded_channel();
        let events = Arc::new(Events {
            queue: tokio::sync::Mutex::new(receiver),
            waiting: Mutex::default(),
        });
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route(
                "/2018-06-01/runtime/invocation/{id}/response",
                post(response),
            )
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            .with_state(Arc::clone(&events));
        std::thread::spawn(move || {
            crate::api_site::block_on(async {
                listener.set_nonblocking(true).expect("a listener");
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                tokio::select! {
                    served = async { axum::serve(listener, router).await } => served.expect("a server"),
                    _ = stopped => {}
                }
            });
        });
        let mut child = Command::new(site_api_program())
            .env_clear()
            .env("LEADS_STORE", "off")
            .envs(environment.iter().copied())
            .env("AWS_LAMBDA_RUNTIME_API", address)
            .env("AWS_LAMBDA_FUNCTION_NAME", "site-api")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .stderr(Stdio::piped())
            .spawn()
            .expect("site-api starts");
        let log: Arc<Mutex<String>> = Arc::default();
        let (lines, sink) = (
            BufReader::new(child.stderr.take().expect("stderr")),
            Arc::clone(&log),
        );
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                sink.lock().expect("the log").push_str(&(line + "\n"));
            }
        });
        Lambda {
            child,
            queue,
            events,
            next: Mutex::new(0),
            log,
            _stop: stop,
        }
    }

    /// Starts a function for a site.
    pub fn of(site: &ApiSite) -> Lambda {
        let bundle = site.path();
        Lambda::start(&[
            ("SITE_ARTIFACT", bundle.to_str().expect("a path")),
            ("SITE_ORIGINS", "https://preview.example"),
            ("SITE_LOOK_EVERY", "0"),
        ])
    }

    /// The function's log so far.
    pub fn log(&self) -> String {
        self.log.lock().expect("the log").clone()
    }

    /// Sends a request as a function URL does.
    pub fn request(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> ApiAnswer {
        self.send(method, target, headers, None)
    }

    /// Sends a request with a body. The flag says whether it is base64, as for a form sent without JavaScript.
    pub fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, bool)>,
    ) -> ApiAnswer {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let id = {
            let mut next = self.next.lock().expect("a number");
            *next += 1;
            format!("00000000-0000-4000-8000-{:012}", *next)
        };
        let host = "abc.lambda-url.eu-west-1.on.aws";
        let headers: BTreeMap<&str, &str> =
            headers.iter().copied().chain([("host", host)]).collect();
        let mut event = json!({
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": query,
            "headers": headers,
            "requestContext": {
                "accountId": "anonymous",
                "apiId": "abc",
                "domainName": host,
                "domainPrefix": "abc",
                "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.7", "userAgent": "test"},
                "requestId": id,
                "routeKey": "$default",
                "stage": "$default",
                "time": "22/Nov/2026:00:00:00 +0000",
                "timeEpoch": 1_795_305_600_000_u64,
            },
            "isBase64Encoded": body.is_some_and(|(_, is_encoded)| is_encoded),
        });
        if let Some((body, _)) = body {
            event["body"] = body.into();
        }
        self.invoke(id, event)
    }

    /// Sends an event.
    pub fn invoke(&self, id: String, event: Value) -> ApiAnswer {
        let (sender, receiver) = mpsc::channel();
        self.events
            .waiting
            .lock()
            .expect("the list")
            .insert(id.clone(), sender);
        self.queue.send((id, event)).expect("the server runs");
        let said = receiver
            .recv_timeout(EVENT_TIMEOUT)
            .unwrap_or_else(|_| panic!("no answer"));
        answer(&said.unwrap_or_else(|why| panic!("the function failed: {why}")))
    }
}

impl Drop for Lambda {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn next(State(events): State<Arc<Events>>) -> ([(&'static str, String); 3], String) {
    let event = events.queue.lock().await.recv().await;
    // Lambda blocks this call until there is an event.
    let Some((id, event)) = event else {
        std::future::pending().await
    };
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        ("lambda-runtime-deadline-ms", "9999999999999".to_owned()),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:site-api".to_owned(),
        ),
    ];
    (headers, event.to_string())
}

fn report(events: &Events, id: &str, said: Outcome) -> StatusCode {
    match events.waiting.lock().expect("the list").remove(id) {
        Some(waiting) => {
            // The test may have timed out.
            let _ = waiting.send(said);
            StatusCode::ACCEPTED
        }
        None => StatusCode::BAD_REQUEST,
    }
}

async fn response(
    State(events): State<Arc<Events>>,
    Path(id): Path<String>,
    body: Bytes,
) -> StatusCode {
    report(
        &events,
        &id,
        serde_json::from_slice(&body).map_err(|error| error.to_string()),
    )
}

async fn error(
    State(events): State<Arc<Events>>,
    Path(id): Path<String>,
    body: Bytes,
) -> StatusCode {
    report(
        &events,
        &id,
        Err(String::from_utf8_lossy(&body).into_owned()),
    )
}

fn answer(said: &Value) -> ApiAnswer {
    let body = said["body"].as_str().unwrap_or_default();
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |name: &str, value: &Value| {
        let value = value.as_str().expect("the value of a header");
        headers
            .entry(name.to_lowercase())
            .and_modify(|known| {
                known.push_str(", ");
                known.push_str(value);
            })
            .or_insert(value.to_owned());
    };
    for (name, value) in said["headers"].as_object().into_iter().flatten() {
        add(name, value);
    }
    for (name, values) in said["multiValueHeaders"].as_object().into_iter().flatten() {
        values
            .as_array()
            .into_iter()
            .flatten()
            .for_each(|value| add(name, value));
    }
    ApiAnswer {
        status: said["statusCode"]
            .as_u64()
            .and_then(|status| status.try_into().ok())
            .expect("a status"),
        headers,
        body: if said["isBase64Encoded"] == true {
            decoded(body)
        } else {
            body.as_bytes().to_vec()
        },
    }
}

/// Decodes base64.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{:?} in base64", char::from(other)),
    };
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| *byte != b'=')
        .map(digit)
        .collect();
    let group = |four: &[u8]| {
        let bits = four
            .iter()
            .fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit))
            << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
