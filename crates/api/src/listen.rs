//! Serves a router over TCP, for the API and the preview: with limits of time and of the number of connections, so that slow
//! and silent clients cost a bounded share of the memory, and new clients still get in.
//!
//! Takes a listener and a router, gives when it has been stopped. Which connection has to go is decided in
//! `connections.rs`, by what `watched.rs` observes of each.

mod connections;
mod watched;

use std::convert::Infallible;
use std::io::{Error, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tower::Service as _;

use super::Settings;
use super::client::Proxies;

use connections::{Connections, Ticket};
use watched::{RequestBody, ResponseBody, Watched};

/// Maximum size of a request's head, and of what is read or written ahead, in bytes.
const BUFFER_MAX: usize = 32 * 1024;
/// Maximum number of connections, unless the settings name one.
const CONNECTIONS_MAX: usize = 2_048;
/// Files that stay for everything else: the database, pages, calls to other servers.
const OTHER_FILES: usize = 32;
/// The limit of open files that is assumed where the system does not tell it.
const OPEN_FILES: usize = 1_024;
/// How long to wait before the next connection is accepted if the system has no room for it: at first, and after many
/// failures, in milliseconds.
const ACCEPT_PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// Limits of connections.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum number of connections from one address, or from one /64 of IPv6. Trusted proxies have no such limit.
    pub per_client: usize,
    /// How long a client may take to send the head of a request.
    pub head: Duration,
    /// How long a connection may wait for another request.
    pub idle: Duration,
    /// How long a client may take to send the body of a request.
    pub body: Duration,
    /// How long a client may take nothing of a response that waits for it.
    pub stall: Duration,
    /// Proxies, whose connections are those of many clients.
    pub proxies: Proxies,
}

impl Limits {
    /// The limits for a server with these settings. A quarter of the files that the process may open is left to others.
    pub fn of(settings: &Settings) -> Limits {
        let from_files = open_files().saturating_sub(OTHER_FILES) / 4 * 3;
        let connections = settings
            .max_connections
            .unwrap_or(CONNECTIONS_MAX)
            .min(from_files)
            .max(1);
        Limits {
            connections,
            per_client: connections.div_ceil(2),
            head: Duration::from_secs(10),
            // Longer than nginx keeps connections to a server (60 seconds), so that it never sends into one that closes.
            idle: Duration::from_secs(75),
            body: Duration::from_mins(1),
            stall: Duration::from_mins(2),
            proxies: settings.proxies.clone(),
        }
    }

    /// How often limits of time are checked.
    fn tick(&self) -> Duration {
        let shortest = self.head.min(self.idle).min(self.body).min(self.stall);
        (shortest / 8).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }
}

/// How many files the process may open.
fn open_files() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let limit: Option<u64> = None;
    limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(OPEN_FILES)
}

/// Serves until `shutdown` completes, and then until the requests in progress are answered.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) {
    let mut ticks = interval(limits.tick());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let connections = Arc::new(Connections::new(limits));
    let mut http = Builder::new();
    http.max_buf_size(BUFFER_MAX);
    let server = Arc::new((http, router));
    let (stop, stopping) = watch::channel(());
    let mut shutdown = pin!(shutdown);
    let mut pause = ACCEPT_PAUSE.0;
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            _ = ticks.tick() => connections.close_overdue(),
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    pause = ACCEPT_PAUSE.0;
                    if let Some(ticket) = connections.enter(peer.ip()) {
                        tokio::spawn(converse(stream, peer, ticket, Arc::clone(&server), stopping.clone()));
                    }
                }
                // The client has gone already.
                Err(error) if is_of_client(&error) => {}
                // The process or the system has no file or memory left.
                Err(_) => {
                    connections.make_room();
                    sleep(pause).await;
                    pause = (pause * 2).min(ACCEPT_PAUSE.1);
                }
            },
        }
    }
    drop(listener);
    drop(stopping);
    connections.close_idle();
    // Fails if there are no connections.
    let _ = stop.send(());
    let mut finished = pin!(stop.closed());
    loop {
        tokio::select! {
            () = &mut finished => return,
            _ = ticks.tick() => connections.close_overdue(),
        }
    }
}

fn is_of_client(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted
    )
}

/// Answers the requests of a connection, until it ends or has to go.
async fn converse(
    stream: TcpStream,
    peer: SocketAddr,
    ticket: Ticket,
    server: Arc<(Builder, Router)>,
    mut stopping: watch::Receiver<()>,
) {
    let (http, router) = &*server;
    let state = Arc::clone(ticket.state());
    let answer = service_fn(|request: Request<Incoming>| {
        let (mut router, state) = (router.clone(), Arc::clone(&state));
        let mut request = request.map(|body| RequestBody::new(body, &state));
        request.extensions_mut().insert(ConnectInfo(peer));
        async move {
            let response = router.call(request).await?;
            Ok::<_, Infallible>(response.map(|body| ResponseBody::new(body, state)))
        }
    });
    let io = TokioIo::new(Watched::new(stream, Arc::clone(&state)));
    let mut connection = pin!(http.serve_connection(io, answer));
    let mut is_stopping = false;
    loop {
        tokio::select! {
            // Errors are those of the client.
            _ = connection.as_mut() => return,
            () = state.must_close() => return,
            _ = stopping.changed(), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

#[cfg(test)]
mod tests;
