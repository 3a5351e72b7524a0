//! The open connections, and which of them has to go: one that exceeds a limit of time, or one that makes room for another
//! client. Then it is one of the network with most connections, and of these the one that does least.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ipnet::IpNet;
use tokio::sync::Notify;

use super::Limits;
use crate::client::networks;

/// This part of all connections is closed at once to make room for another, so that the search for them costs little for each.
const ROOM: usize = 64;
/// This part of them is closed when the process has no file left: requests need files, too.
const ROOM_FOR_FILES: usize = 8;

/// The state of a connection. Times are milliseconds since the start, plus 1; 0 is none.
#[derive(Debug)]
pub(super) struct State {
    started: Instant,
    /// Since when it waits for the head of a request.
    waiting: AtomicU64,
    /// When the first byte of that head came.
    begun: AtomicU64,
    /// Whether it had a request before.
    had_request: AtomicBool,
    /// Since when a body is being read.
    reading: AtomicU64,
    /// Whether the last request was answered before all of its body had come.
    left_body: AtomicBool,
    /// Since when the client takes nothing of the response.
    blocked: AtomicU64,
    /// When the last byte came or went.
    active: AtomicU64,
    close: Notify,
}

impl State {
    fn new(started: Instant) -> State {
        let none = || AtomicU64::new(0);
        let state = State {
            started,
            waiting: none(),
            begun: none(),
            had_request: AtomicBool::new(false),
            reading: none(),
            left_body: AtomicBool::new(false),
            blocked: none(),
            active: none(),
            close: Notify::new(),
        };
        state.set(&state.waiting);
        state.set(&state.active);
        state
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX - 1) + 1
    }

    fn set(&self, time: &AtomicU64) {
        time.store(self.now(), Ordering::Relaxed);
    }

    /// Keeps an earlier time.
    fn set_first(&self, time: &AtomicU64) {
        if time.load(Ordering::Relaxed) == 0 {
            self.set(time);
        }
    }

    /// Bytes came.
    pub(super) fn has_received(&self) {
        self.set(&self.active);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.set_first(&self.begun);
        }
    }

    /// Bytes went, or nothing more will.
    pub(super) fn has_sent(&self) {
        self.set(&self.active);
        self.blocked.store(0, Ordering::Relaxed);
    }

    /// The client has no room for the response.
    pub(super) fn is_blocked(&self) {
        self.set_first(&self.blocked);
    }

    /// A request begins, perhaps with a body.
    pub(super) fn serves(&self, has_body: bool) {
        self.waiting.store(0, Ordering::Relaxed);
        self.begun.store(0, Ordering::Relaxed);
        self.had_request.store(true, Ordering::Relaxed);
        self.left_body.store(false, Ordering::Relaxed);
        self.set(&self.active);
        if has_body {
            self.set(&self.reading);
        }
    }

    /// The body was read.
    pub(super) fn has_body(&self) {
        self.reading.store(0, Ordering::Relaxed);
    }

    /// Nobody wants the rest of the body.
    pub(super) fn leaves_body(&self) {
        self.left_body.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_unread_body(&self) -> bool {
        self.left_body.load(Ordering::Relaxed)
    }

    /// Nothing more is sent, and the client has as long to close the connection as it has for the head of a request.
    pub(super) fn waits_for_close(&self) {
        self.set_first(&self.waiting);
        self.set_first(&self.begun);
    }

    /// The response was given to the connection.
    pub(super) fn waits(&self) {
        self.set(&self.waiting);
    }

    /// Completes when the connection has to go.
    pub(super) async fn must_close(&self) {
        self.close.notified().await;
    }

    fn is_overdue(&self, limits: &Limits) -> bool {
        let now = self.now();
        let load = |time: &AtomicU64| Some(time.load(Ordering::Relaxed)).filter(|time| *time > 0);
        let exceeds = |since: Option<u64>, limit: Duration| {
            since.is_some_and(|since| u128::from(now.saturating_sub(since)) > limit.as_millis())
        };
        // A response that the client does not take is in the buffer of the connection, which then waits for nothing else.
        let waiting = load(&self.waiting).filter(|_| load(&self.blocked).is_none());
        let begun = waiting.and(load(&self.begun));
        let quiet = if self.had_request.load(Ordering::Relaxed) {
            limits.idle
        } else {
            limits.head
        };
        exceeds(begun, limits.head)
            || exceeds(waiting.filter(|_| begun.is_none()), quiet)
            || exceeds(load(&self.reading), limits.body)
            || exceeds(load(&self.blocked), limits.stall)
    }

    /// How soon the connection goes to make room, smaller ones first; `None` if it may not. First the one that waits
    /// longest for a request, then the one whose request makes no progress, then one that has just been opened.
    fn rank(&self, grace: Duration) -> Option<(u8, u64)> {
        let is_recent =
            |time: u64| u128::from(self.now().saturating_sub(time)) <= grace.as_millis();
        match self.waiting.load(Ordering::Relaxed) {
            0 => {
                let active = self.active.load(Ordering::Relaxed);
                (!is_recent(active)).then_some((1, active))
            }
            since if is_recent(since) => Some((2, since)),
            since => Some((0, since)),
        }
    }
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// The connections, and whose they are; `None` for a proxy.
    states: HashMap<u64, (Arc<State>, Option<IpNet>)>,
    /// Connections by client.
    counts: HashMap<IpNet, usize>,
}

impl Table {
    fn remove(&mut self, id: u64) -> Option<Arc<State>> {
        let (state, client) = self.states.remove(&id)?;
        if let Some((client, count)) =
            client.and_then(|client| Some((client, self.counts.get_mut(&client)?)))
        {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&client);
            }
        }
        Some(state)
    }

    /// Closes a part of the connections, but at least one; only those of a client if one is named. Returns whether there
    /// was one.
    fn make_room(&mut self, part: usize, of: Option<IpNet>, grace: Duration) -> bool {
        // Connections by network, from /32 to /64 (IPv4: /16 to /32).
        let mut sizes: HashMap<IpNet, usize> = HashMap::new();
        for network in self
            .states
            .values()
            .filter_map(|(_, client)| *client)
            .flat_map(|client| networks(client.addr()))
        {
            *sizes.entry(network).or_default() += 1;
        }
        let weights = |client: &Option<IpNet>| {
            client.map(|client| networks(client.addr()).map(|network| sizes[&network]))
        };
        let all = self
            .states
            .iter()
            .filter(|(_, (_, client))| of.is_none() || of == *client);
        let mut ranked: Vec<_> = all
            .filter_map(|(id, (state, client))| {
                Some((Reverse(weights(client)), state.rank(grace)?, *id))
            })
            .collect();
        ranked.sort_unstable();
        // All of the same network: the others have no part in it.
        let heaviest = ranked.first().map(|(weights, ..)| *weights);
        let found: Vec<u64> = ranked
            .iter()
            .filter(|(weights, ..)| Some(*weights) == heaviest)
            .take((self.states.len() / part).max(1))
            .map(|(.., id)| *id)
            .collect();
        for state in found.iter().filter_map(|id| self.remove(*id)) {
            state.close.notify_one();
        }
        !found.is_empty()
    }
}

/// The open connections.
#[derive(Debug)]
pub(super) struct Connections {
    limits: Limits,
    started: Instant,
    table: Mutex<Table>,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Connections {
        Connections {
            limits,
            started: Instant::now(),
            table: Mutex::default(),
        }
    }

    /// A place for a connection. `None` if there is none, even after others were closed.
    pub(super) fn enter(self: &Arc<Connections>, peer: IpAddr) -> Option<Ticket> {
        let grace = self.grace();
        let [.., client] = networks(peer);
        let client = (!self.limits.proxies.trusts(peer)).then_some(client);
        let mut table = self.table();
        if client
            .and_then(|client| table.counts.get(&client))
            .is_some_and(|count| *count >= self.limits.per_client)
            && !table.make_room(ROOM, client, grace)
        {
            return None;
        }
        if table.states.len() >= self.limits.connections && !table.make_room(ROOM, None, grace) {
            return None;
        }
        table.next += 1;
        let (id, state) = (table.next, Arc::new(State::new(self.started)));
        if let Some(client) = client {
            *table.counts.entry(client).or_default() += 1;
        }
        table.states.insert(id, (Arc::clone(&state), client));
        Some(Ticket {
            id,
            state,
            connections: Arc::clone(self),
        })
    }

    /// Closes connections because the system has no room for another.
    pub(super) fn make_room(&self) {
        self.table().make_room(ROOM_FOR_FILES, None, self.grace());
    }

    /// Closes connections that exceed a limit of time.
    pub(super) fn close_overdue(&self) {
        let table = self.table();
        table
            .states
            .values()
            .filter(|(state, _)| state.is_overdue(&self.limits))
            .for_each(|(state, _)| state.close.notify_one());
    }

    /// Closes connections without a request.
    pub(super) fn close_idle(&self) {
        let is_idle = |state: &State| {
            [&state.begun, &state.blocked]
                .iter()
                .all(|time| time.load(Ordering::Relaxed) == 0)
                && state.waiting.load(Ordering::Relaxed) > 0
        };
        self.table()
            .states
            .values()
            .filter(|(state, _)| is_idle(state))
            .for_each(|(state, _)| state.close.notify_one());
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table().states.len()
    }

    /// How long a new connection, or one that makes progress, is spared.
    fn grace(&self) -> Duration {
        self.limits.head / 10
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection. It is free when this is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    id: u64,
    state: Arc<State>,
    connections: Arc<Connections>,
}

impl Ticket {
    pub(super) fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Whether the connection still has its place.
    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        self.connections.table().states.contains_key(&self.id)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.connections.table().remove(self.id);
    }
}
