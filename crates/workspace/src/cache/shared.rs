//! The cache that machines share, behind the cache folder: it is read when the folder lacks an entry, and written in the
//! background.
//!
//! It is not trusted to answer. Each request has a time limit, and each entry a checksum. After three failures in a row
//! it is no longer asked, and the build goes on without it. Threads of its own send the requests, so that a drive that
//! hangs does not hang the build.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::entry;
use super::place::{Connection, Place, READ_TIMEOUT};

/// After this number of failures in a row, the shared cache is no longer asked.
const MAX_FAILURES: u32 = 3;
/// An answer that takes longer counts as a failure, although it is used: computing most entries is quicker.
const SLOW: Duration = Duration::from_secs(2);
/// How long a process that builds again and again leaves a shared cache alone that has failed.
const REST: Duration = Duration::from_mins(5);
/// The number of threads that write.
const WRITERS: usize = 4;
/// The folder of this version's entries. An older version uses another one, so that neither finds damaged entries.
const VERSION: &str = "v1";

/// The shared caches that have failed in this process, by their places, with the time.
static FAILED: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// The cache that machines share.
#[derive(Debug)]
pub(super) struct Shared {
    state: Arc<State>,
    /// Started with the first request. The threads end after this is dropped.
    queues: OnceLock<Queues>,
}

#[derive(Debug)]
struct State {
    place: Place,
    /// The cache folder, from which entries are written.
    folder: PathBuf,
    reads: FailureGate,
    writes: FailureGate,
    /// The number of entries that are waiting to be written.
    pending: Mutex<usize>,
    /// Signals that there are none.
    written: Condvar,
}

#[derive(Debug)]
struct Queues {
    reads: Sender<(String, SyncSender<Answer>)>,
    writes: Sender<String>,
}

/// The bytes of an entry, if there is one, or why the request failed.
type Answer = Result<Option<Vec<u8>>, String>;

/// Counts failures, and closes after [`MAX_FAILURES`] in a row.
#[derive(Debug, Default)]
struct FailureGate {
    failures: AtomicU32,
    /// Why it is closed.
    closed: OnceLock<String>,
}

impl FailureGate {
    fn is_open(&self) -> bool {
        self.closed.get().is_none()
    }

    fn record(&self, result: Result<(), String>) {
        match result {
            Ok(()) => self.failures.store(0, Ordering::Relaxed),
            Err(why) if self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES => {
                self.closed.get_or_init(|| why);
            }
            Err(_) => {}
        }
    }
}

impl Shared {
    pub fn new(place: Place, folder: PathBuf) -> Shared {
        let (reads, writes) = (FailureGate::default(), FailureGate::default());
        let state = State {
            place,
            folder,
            reads,
            writes,
            pending: Mutex::default(),
            written: Condvar::new(),
        };
        Shared {
            state: Arc::new(state),
            queues: OnceLock::new(),
        }
    }

    pub fn place(&self) -> &Place {
        &self.state.place
    }

    /// The bytes of an entry. `None` if there is none, or if it cannot be read.
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        let reads = &self.state.reads;
        if !reads.is_open() || has_failed(&self.state.place) {
            return None;
        }
        let start = Instant::now();
        let (answer, answered) = sync_channel(1);
        self.queues().reads.send((path.to_owned(), answer)).ok()?;
        let answer = answered
            .recv_timeout(READ_TIMEOUT)
            .unwrap_or_else(|_| Err("no response in time".into()));
        let body = answer.and_then(|found| match found.map(|entry| entry::body(path, entry)) {
            Some(None) => Err("an entry is damaged".to_owned()),
            found => Ok(found.flatten()),
        });
        let took = start.elapsed();
        reads.record(match &body {
            Err(why) => Err(why.clone()),
            Ok(_) if took > SLOW => Err(format!("a response took {:.1} s", took.as_secs_f64())),
            Ok(_) => Ok(()),
        });
        body.ok().flatten()
    }

    /// Writes the entry at this path of the cache folder in the background.
    pub fn put(&self, path: String) {
        if self.state.writes.is_open() && !has_failed(&self.state.place) {
            *self.state.pending() += 1;
            if self.queues().writes.send(path).is_err() {
                *self.state.pending() -= 1;
            }
        }
    }

    /// Waits for at most `timeout` until all entries are written. Returns a sentence if the shared cache has failed
    /// since it was opened.
    pub fn finish(&self, timeout: Duration) -> Option<String> {
        let State {
            place,
            reads,
            writes,
            written,
            ..
        } = &*self.state;
        let waiting =
            written.wait_timeout_while(self.state.pending(), timeout, |pending| *pending > 0);
        let (pending, outcome) = waiting.unwrap_or_else(PoisonError::into_inner);
        let failed = [
            (reads, "was no longer used"),
            (writes, "was no longer written to"),
        ];
        let why = match failed
            .into_iter()
            .find_map(|(gate, what)| Some((what, gate.closed.get()?)))
        {
            Some((what, why)) => format!(
                "the shared cache `{place}` {what} after {MAX_FAILURES} failures in a row (the last one: {why})"
            ),
            None if outcome.timed_out() && !timeout.is_zero() => {
                let seconds = timeout.as_secs();
                let entries = match *pending {
                    1 => "one entry was".to_owned(),
                    count => format!("{count} entries were"),
                };
                format!("{entries} not written to the shared cache `{place}` within {seconds} s")
            }
            None => return None,
        };
        failures().push((place.to_string(), Instant::now()));
        Some(why)
    }

    fn queues(&self) -> &Queues {
        self.queues.get_or_init(|| {
            let (reads, to_read) = channel();
            let (writes, to_write) = channel();
            let readers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
            start(
                &self.state,
                readers,
                to_read,
                |state, connection, (path, answer): (String, SyncSender<Answer>)| {
                    let may_ask =
                        connection
                            .as_ref()
                            .map_err(Clone::clone)
                            .and_then(|connection| {
                                if state.reads.is_open() {
                                    Ok(connection)
                                } else {
                                    Err("it has failed".to_owned())
                                }
                            });
                    // Fails if nobody waits any more.
                    let _ = answer
                        .send(may_ask.and_then(|connection| connection.get(&shared_path(&path))));
                },
            );
            start(
                &self.state,
                WRITERS,
                to_write,
                |state, connection, path: String| {
                    if state.writes.is_open() {
                        // An entry that was removed meanwhile is not written.
                        let entry = std::fs::read(state.folder.join(&path)).ok();
                        state.writes.record(entry.map_or(Ok(()), |entry| {
                            connection
                                .as_ref()
                                .map_err(Clone::clone)?
                                .put(&shared_path(&path), entry)
                        }));
                    }
                    *state.pending() -= 1;
                    state.written.notify_all();
                },
            );
            Queues { reads, writes }
        })
    }
}

impl State {
    fn pending(&self) -> MutexGuard<'_, usize> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts threads that take jobs from a queue, each with a connection of its own, until the queue is closed.
fn start<Job: Send + 'static>(
    state: &Arc<State>,
    threads: usize,
    queue: Receiver<Job>,
    work: impl Fn(&State, &Result<Connection, String>, Job) + Copy + Send + 'static,
) {
    let queue = Arc::new(Mutex::new(queue));
    for _ in 0..threads {
        let (state, queue) = (Arc::clone(state), Arc::clone(&queue));
        std::thread::spawn(move || {
            let connection = Connection::open(&state.place);
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(job) = job else { break };
                work(&state, &connection, job);
            }
        });
    }
}

/// The folder of entries in a shared cache that is a folder.
pub fn shared_entries(folder: &Path) -> PathBuf {
    folder.join(VERSION)
}

fn shared_path(path: &str) -> String {
    format!("{VERSION}/{path}")
}

/// Whether this shared cache has failed in this process a short time ago.
fn has_failed(place: &Place) -> bool {
    let failures = failures();
    !failures.is_empty() && {
        let place = place.to_string();
        failures
            .iter()
            .any(|(failed, at)| *failed == place && at.elapsed() < REST)
    }
}

fn failures() -> MutexGuard<'static, Vec<(String, Instant)>> {
    FAILED.lock().unwrap_or_else(PoisonError::into_inner)
}
