//! Clients that send nothing, send slowly or do not read, against a server with short limits.

use std::io::{Read as _, Write as _};
use std::net::TcpStream as Client;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::routing::{get, post};
use hyper::body::{Body as HttpBody, Frame};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};

use super::*;

/// How long a test waits for what must happen, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// The limit of time that a test is about; all others are longer than the test.
const SHORT: Duration = Duration::from_millis(150);
const GET: &str = "GET /small HTTP/1.1\r\nHost: a\r\n\r\n";

struct Server {
    address: SocketAddr,
    /// Sends another part of `/events`.
    events: mpsc::UnboundedSender<()>,
    stop: Option<oneshot::Sender<()>>,
    runtime: Runtime,
    served: Option<tokio::task::JoinHandle<()>>,
    /// Alive while `/endless` is being sent.
    endless: std::sync::Weak<()>,
}

/// Parts that come when somebody sends them.
struct Events(mpsc::UnboundedReceiver<()>);

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0
            .poll_recv(context)
            .map(|part| part.map(|()| Ok(Frame::data(Bytes::from_static(b"event\n")))))
    }
}

/// A response without an end.
struct Endless(#[expect(dead_code, reason = "tests see when it is dropped")] Arc<()>);

impl HttpBody for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 16_384])))))
    }
}

fn limits() -> Limits {
    let long = PATIENCE * 10;
    let (head, idle, body, stall) = (long, long, long, long);
    Limits {
        connections: 40,
        per_client: 30,
        head,
        idle,
        body,
        stall,
        proxies: Proxies::default(),
    }
}

impl Server {
    #[expect(
        clippy::disallowed_methods,
        reason = "the endpoints of these tests, which no server has"
    )]
    fn start(limits: Limits) -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime
            .block_on(TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let (events, parts) = mpsc::unbounded_channel();
        let parts = Arc::new(Mutex::new(Some(parts)));
        let held = Arc::new(());
        let endless = Arc::downgrade(&held);
        let held = Arc::new(Mutex::new(Some(held)));
        let router = Router::new()
            .route("/small", get(|| async { "small" }))
            .route("/read", post(|body: String| async move { body }))
            .route("/refuse", post(|| async { "refused" }))
            .route(
                "/events",
                get(move || async move {
                    Body::new(Events(
                        parts.lock().expect("parts").take().expect("one client"),
                    ))
                }),
            )
            .route(
                "/endless",
                get(move || async move {
                    Body::new(Endless(
                        held.lock().expect("one").take().expect("one client"),
                    ))
                }),
            );
        let (stop, stopped) = oneshot::channel();
        let shutdown = async {
            let _ = stopped.await;
        };
        let served = runtime.spawn(serve(listener, router, limits, shutdown));
        Server {
            address,
            events,
            stop: Some(stop),
            runtime,
            served: Some(served),
            endless,
        }
    }

    fn connect(&self, sent: &str) -> Client {
        let mut client = Client::connect(self.address).expect("a connection");
        client.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        // The server may have closed it already.
        let _ = client.write_all(sent.as_bytes());
        client
    }

    /// Waits for the end of a request in progress or of the server.
    fn stop(&mut self) {
        self.stop
            .take()
            .expect("running")
            .send(())
            .expect("running");
        let served = self.served.take().expect("running");
        self.runtime
            .block_on(async { tokio::time::timeout(PATIENCE, served).await })
            .expect("in time")
            .expect("no panic");
    }
}

/// Reads until `expected` was received. What came.
fn receive(client: &mut Client, expected: &str) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 1024]);
    while !text.contains(expected) {
        match client.read(&mut buffer) {
            Ok(0) => panic!("closed after {text:?}"),
            Ok(read) => text.push_str(&String::from_utf8_lossy(&buffer[..read])),
            Err(error) => panic!("{error} after {text:?}"),
        }
    }
    text
}

/// Waits until the server closes the connection, and sends a byte every now and then while it does not.
fn wait_for_close(client: &mut Client, trickle: Option<&str>) {
    let start = Instant::now();
    if trickle.is_some() {
        client
            .set_read_timeout(Some(SHORT / 10))
            .expect("a timeout");
    }
    loop {
        match client.read(&mut [0; 1024]) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
                    && trickle.is_some() =>
            {
                assert!(start.elapsed() < PATIENCE, "the connection is still open");
                if client
                    .write_all(trickle.unwrap_or_default().as_bytes())
                    .is_err()
                {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_visitor_is_answered_among_hundreds_of_half_open_connections() {
    let server = Server::start(limits());
    let mut half_open: Vec<Client> = (0..300)
        .map(|_| server.connect("GET /small HTTP/1.1\r\nHo"))
        .collect();
    assert!(receive(&mut server.connect(GET), "small").starts_with("HTTP/1.1 200 OK"));
    // The oldest have made room.
    half_open[..200]
        .iter_mut()
        .for_each(|client| wait_for_close(client, None));
}

#[test]
fn a_slow_head_is_not_waited_for() {
    let server = Server::start(Limits {
        head: SHORT,
        ..limits()
    });
    wait_for_close(&mut server.connect(""), None);
    wait_for_close(&mut server.connect("GET /small HTTP/1.1\r\nA: "), Some("a"));
    let mut client = server.connect(GET);
    receive(&mut client, "small");
    client.write_all(b"GET").expect("the connection is kept");
    wait_for_close(&mut client, Some("a"));
}

#[test]
fn an_idle_connection_is_closed() {
    let server = Server::start(Limits {
        idle: SHORT,
        ..limits()
    });
    let mut client = server.connect(GET);
    receive(&mut client, "small");
    wait_for_close(&mut client, None);
}

#[test]
fn a_slow_body_is_not_waited_for() {
    let server = Server::start(Limits {
        body: SHORT,
        ..limits()
    });
    let head = "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
    wait_for_close(&mut server.connect(head), Some("a"));
    receive(
        &mut server.connect("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nread"),
        "read",
    );
}

/// As the limits of requests are: the answer must arrive even at a client that reads it after it has sent everything.
#[test]
fn a_client_whose_body_is_refused_gets_the_answer() {
    let server = Server::start(limits());
    let body = "x".repeat(4_000_000);
    let head = format!(
        "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut client = server.connect(&head);
    // The answer is here, and the server has done with the request.
    client.peek(&mut [0; 1]).expect("an answer");
    for part in body.as_bytes().chunks(100_000) {
        client.write_all(part).expect("the server reads");
        std::thread::yield_now();
    }
    receive(&mut client, "refused");
    wait_for_close(&mut client, None);
}

#[test]
fn the_rest_of_a_refused_body_is_not_waited_for() {
    let server = Server::start(Limits {
        head: SHORT,
        ..limits()
    });
    let head = "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
    let mut client = server.connect(head);
    receive(&mut client, "refused");
    let start = Instant::now();
    while client.write_all(b"a").is_ok() {
        assert!(start.elapsed() < PATIENCE, "the connection is still open");
        std::thread::yield_now();
    }
}

#[test]
fn a_client_that_takes_nothing_of_a_response_is_closed() {
    let server = Server::start(Limits {
        stall: SHORT,
        ..limits()
    });
    assert_eq!(server.endless.strong_count(), 1);
    let _client = server.connect("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    let start = Instant::now();
    while server.endless.strong_count() > 0 {
        assert!(
            start.elapsed() < PATIENCE,
            "the response is still being sent"
        );
        std::thread::yield_now();
    }
}

/// As the preview's stream of events, which is silent for as long as nothing is saved.
#[test]
fn a_response_may_pause() {
    let server = Server::start(Limits {
        head: SHORT,
        idle: SHORT,
        body: SHORT,
        stall: SHORT,
        ..limits()
    });
    let mut client = server.connect("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    for _ in 0..3 {
        server.events.send(()).expect("the stream is open");
        receive(&mut client, "event");
        // All limits have passed when another connection is closed.
        wait_for_close(&mut server.connect(""), None);
    }
}

#[test]
fn a_server_that_is_stopped_answers_requests_in_progress() {
    let mut server = Server::start(limits());
    let mut idle = server.connect(GET);
    receive(&mut idle, "small");
    let (mut silent, mut busy) = (
        server.connect(""),
        server.connect("GET /events HTTP/1.1\r\nHost: a\r\n\r\n"),
    );
    server.events.send(()).expect("the stream is open");
    receive(&mut busy, "event");
    let (events, _) = mpsc::unbounded_channel();
    let events = std::mem::replace(&mut server.events, events);
    let other = std::thread::spawn(move || {
        wait_for_close(&mut idle, None);
        wait_for_close(&mut silent, None);
        // The server does not take connections any more, and this request is still in progress.
        events.send(()).expect("the stream is open");
        receive(&mut busy, "event");
        drop(events);
        wait_for_close(&mut busy, None);
    });
    server.stop();
    other.join().expect("all are closed");
}

/// Also when the process has no file left for another connection.
#[test]
fn the_oldest_connections_make_room_for_files() {
    let connections = Arc::new(Connections::new(Limits {
        head: Duration::ZERO,
        ..limits()
    }));
    let tickets: Vec<_> = (0..24)
        .filter_map(|_| enter(&connections, "192.0.2.1"))
        .collect();
    tickets[0].state().serves(false);
    connections.make_room();
    let closed: Vec<usize> = (0..24)
        .filter(|number| !tickets[*number].is_open())
        .collect();
    assert_eq!(
        (closed.len(), closed.contains(&0)),
        (3, false),
        "the one with a request stays: {closed:?}"
    );
}

fn enter(connections: &Arc<Connections>, peer: &str) -> Option<Ticket> {
    connections.enter(peer.parse().expect("an address"))
}

#[test]
fn the_network_with_most_connections_makes_room() {
    let connections = Arc::new(Connections::new(limits()));
    let honest = enter(&connections, "198.51.100.1").expect("a place");
    // Each is a client of its own, of one provider.
    let flood: Vec<_> = (0..500)
        .map(|number| enter(&connections, &format!("2001:db8:{number:x}::1")))
        .collect();
    assert!(flood.iter().all(Option::is_some), "the oldest of them go");
    let others: Vec<_> = (0..20)
        .map(|number| enter(&connections, &format!("203.0.{number}.1")))
        .collect();
    assert!(
        others
            .iter()
            .flatten()
            .chain([&honest])
            .all(Ticket::is_open)
    );
    assert_eq!(connections.len(), 40);
    drop((honest, flood, others));
    assert_eq!(connections.len(), 0);
}

#[test]
fn one_client_gets_no_more_than_its_share() {
    let proxies = Proxies::new(Proxies::networks("127.0.0.1").expect("a network"), None);
    let connections = Arc::new(Connections::new(Limits {
        connections: 100,
        per_client: 10,
        proxies,
        ..limits()
    }));
    let of = |peer: &str| -> Vec<_> { (0..30).filter_map(|_| enter(&connections, peer)).collect() };
    let (one, proxied) = (of("2001:db8::1"), of("127.0.0.1"));
    let open = |tickets: &[Ticket]| tickets.iter().filter(|ticket| ticket.is_open()).count();
    assert_eq!((open(&one), open(&proxied)), (10, 30));
    // A connection whose request has just begun stays; then the newcomer has to go.
    one.iter().for_each(|ticket| ticket.state().serves(true));
    assert!(enter(&connections, "2001:db8::2").is_none());
    assert!(enter(&connections, "2001:db8:0:1::2").is_some());
}
