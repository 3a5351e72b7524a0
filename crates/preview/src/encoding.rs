//! Encodes photographs while the server runs: first those that a browser waits for, then those of pages that were
//! opened, and the others in the background, one at a time.
//!
//! It does not depend on pages or on the network. A photograph that cannot be encoded is reported once, and the threads
//! continue.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use assets::PictureFile;
use diagnostics::problem::{Code, Problem};
use generator::pipeline::IndexJob;
use workspace::parallel::lower_priority;

/// A file that can be encoded.
pub(super) trait Encode: Send + Sync + 'static {
    /// Its path below the output folder.
    fn path(&self) -> &str;
    /// Its bytes, from the cache or encoded now.
    fn bytes(&self) -> Encoded;
}

impl Encode for PictureFile {
    fn path(&self) -> &str {
        &self.path
    }

    fn bytes(&self) -> Encoded {
        PictureFile::bytes(self)
    }
}

/// The index of the search is made as photographs are: the next build takes it from the cache.
impl Encode for IndexJob {
    fn path(&self) -> &str {
        self.name()
    }

    fn bytes(&self) -> Encoded {
        self.run().map(|_| Arc::default())
    }
}

/// The bytes of a file, or the problem.
pub(super) type Encoded = Result<Arc<Vec<u8>>, Problem>;

/// An event that the threads report.
#[derive(Debug)]
pub(super) enum EncodingOutcome {
    /// This photograph cannot be encoded.
    Failed(Problem),
    /// Nothing is left to encode.
    Finished,
}

/// The priority of a file, the highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A browser waits for it.
    Requested,
    /// It is on a page that was opened.
    Shown,
    Other,
}

#[derive(Debug)]
enum State {
    /// Its rank, and its index in the list of the build.
    Waiting(Rank, usize),
    Running,
    Encoded,
    Failed(Problem),
}

#[derive(Debug)]
struct QueueEntry<F> {
    file: Arc<F>,
    state: State,
    listeners: Vec<oneshot::Sender<Encoded>>,
}

/// The files of photographs that are missing in the output folder.
#[derive(Debug)]
pub(super) struct PhotographQueue<F> {
    entries: Mutex<HashMap<String, QueueEntry<F>>>,
    /// Signals that a file was added, or that a rank was raised.
    changed: Condvar,
}

/// A file that was requested.
#[derive(Debug)]
pub(super) struct PendingFile<F> {
    pub file: Arc<F>,
    /// Receives its bytes when they are encoded; closed if the site no longer uses the file.
    pub bytes: oneshot::Receiver<Encoded>,
}

impl<F: Encode> PhotographQueue<F> {
    /// Starts the threads. They end with the process.
    pub fn start(
        report: impl Fn(EncodingOutcome) + Send + Sync + 'static,
    ) -> Arc<PhotographQueue<F>> {
        let queue = Arc::new(PhotographQueue {
            entries: Mutex::default(),
            changed: Condvar::new(),
        });
        let report = Arc::new(report);
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        for number in 0..=threads {
            let (queue, report) = (Arc::clone(&queue), Arc::clone(&report));
            let is_background = number == threads;
            std::thread::spawn(move || {
                if is_background {
                    lower_priority();
                }
                let lowest = if is_background {
                    Rank::Other
                } else {
                    Rank::Shown
                };
                loop {
                    queue.work(lowest, &*report);
                }
            });
        }
        queue
    }

    /// Replaces the list with that of another build. Files that were encoded, or are being encoded, keep their state;
    /// `retry` encodes failed files again.
    pub fn replace(&self, files: &[Arc<F>], retry: bool) {
        let mut entries = self.entries();
        let mut old = std::mem::take(&mut *entries);
        for (position, file) in files.iter().enumerate() {
            let known = old
                .remove(file.path())
                .filter(|entry| !(retry && matches!(entry.state, State::Failed(_))));
            let mut entry = known.unwrap_or_else(|| QueueEntry {
                file: Arc::clone(file),
                state: State::Waiting(Rank::Other, position),
                listeners: Vec::new(),
            });
            if let State::Waiting(_, at) = &mut entry.state {
                *at = position;
            }
            entries.insert(file.path().to_owned(), entry);
        }
        drop(entries);
        self.changed.notify_all();
    }

    /// Requests a file: it is encoded before all others. `None` if it is not in the list.
    pub fn request(&self, path: &str) -> Option<PendingFile<F>> {
        let mut entries = self.entries();
        let entry = entries.get_mut(path)?;
        let (sender, bytes) = oneshot::channel();
        match &mut entry.state {
            State::Failed(problem) => drop(sender.send(Err(problem.clone()))),
            State::Encoded => {
                // From the cache, which is quick.
                let file = Arc::clone(&entry.file);
                std::thread::spawn(move || drop(sender.send(file.bytes())));
            }
            State::Waiting(rank, _) => {
                *rank = Rank::Requested;
                entry.listeners.push(sender);
            }
            State::Running => entry.listeners.push(sender),
        }
        let file = Arc::clone(&entry.file);
        drop(entries);
        self.changed.notify_all();
        Some(PendingFile { file, bytes })
    }

    /// Raises the rank of the files on a page, whose addresses begin with the base path.
    pub fn prioritize(&self, html: &str, base_path: &str) {
        let mut entries = self.entries();
        if !entries
            .values()
            .any(|entry| matches!(entry.state, State::Waiting(Rank::Other, _)))
        {
            return;
        }
        // An address ends at the end of its attribute, or at the width after it.
        let names = html
            .split(['"', ' ', ','])
            .filter_map(|word| word.strip_prefix(base_path)?.strip_prefix('/'));
        for name in names {
            if let Some(QueueEntry {
                state: State::Waiting(rank, _),
                ..
            }) = entries.get_mut(name)
            {
                *rank = (*rank).min(Rank::Shown);
            }
        }
        drop(entries);
        self.changed.notify_all();
    }

    /// Waits for the next file of at least this rank, and encodes it.
    fn work(&self, lowest: Rank, report: &(dyn Fn(EncodingOutcome) + Send + Sync)) {
        let file = self.next(lowest);
        let attempt = catch_unwind(AssertUnwindSafe(|| file.bytes()));
        let result = attempt.unwrap_or_else(|_| {
            let message = format!(
                "an internal error occurred while generating `{}`; see the terminal",
                file.path()
            );
            Err(Problem::error(Code::Internal, message))
        });
        let mut entries = self.entries();
        // If Node.js is missing, every file has the same problem.
        let is_reported = entries
            .values()
            .any(|entry| matches!((&entry.state, &result), (State::Failed(a), Err(b)) if a == b));
        // The site may no longer use it. It was still the last one, maybe, and the others have to be published.
        let entry = entries.get_mut(file.path());
        let is_used = entry.is_some();
        let listeners = entry.map_or_else(Vec::new, |entry| {
            entry.state = match &result {
                Ok(_) => State::Encoded,
                Err(problem) => State::Failed(problem.clone()),
            };
            std::mem::take(&mut entry.listeners)
        });
        let is_last = !entries
            .values()
            .any(|entry| matches!(entry.state, State::Waiting(..) | State::Running));
        let is_any = entries
            .values()
            .any(|entry| matches!(entry.state, State::Encoded));
        drop(entries);
        for listener in listeners {
            // Fails if the browser has closed the connection.
            let _ = listener.send(result.clone());
        }
        if let Err(problem) = result
            && is_used
            && !is_reported
        {
            report(EncodingOutcome::Failed(problem));
        }
        if is_last && is_any {
            report(EncodingOutcome::Finished);
        }
    }

    fn next(&self, lowest: Rank) -> Arc<F> {
        let mut entries = self.entries();
        loop {
            let waiting = entries
                .iter_mut()
                .filter_map(|(_, entry)| match entry.state {
                    State::Waiting(rank, position) if rank <= lowest => {
                        Some(((rank, position), entry))
                    }
                    _ => None,
                });
            if let Some((_, entry)) = waiting.min_by_key(|(key, _)| *key) {
                entry.state = State::Running;
                return Arc::clone(&entry.file);
            }
            entries = self
                .changed
                .wait(entries)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, QueueEntry<F>>> {
        // Poisoned only if another thread panicked; every entry is intact.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// The timeout of a test that waits for an outcome.
    const OUTCOME_TIMEOUT: Duration = Duration::from_secs(30);

    struct Fake {
        path: &'static str,
        work: Box<dyn Fn() -> Encoded + Send + Sync>,
    }

    impl Encode for Fake {
        fn path(&self) -> &str {
            self.path
        }

        fn bytes(&self) -> Encoded {
            (self.work)()
        }
    }

    fn fake(path: &'static str, work: impl Fn() -> Encoded + Send + Sync + 'static) -> Arc<Fake> {
        Arc::new(Fake {
            path,
            work: Box::new(work),
        })
    }

    fn good(path: &'static str) -> Arc<Fake> {
        fake(path, move || Ok(Arc::new(path.as_bytes().to_vec())))
    }

    fn queue() -> (Arc<PhotographQueue<Fake>>, mpsc::Receiver<EncodingOutcome>) {
        let (sender, outcomes) = mpsc::channel();
        (
            PhotographQueue::start(move |outcome| drop(sender.send(outcome))),
            outcomes,
        )
    }

    #[test]
    fn a_panic_is_a_problem_and_the_others_are_encoded() {
        let (queue, outcomes) = queue();
        queue.replace(
            &[fake("bad", || panic!("a strange picture")), good("good")],
            false,
        );
        let (mut failed, mut finished) = (0, 0);
        while finished == 0 {
            match outcomes.recv_timeout(OUTCOME_TIMEOUT).expect("an outcome") {
                EncodingOutcome::Failed(problem) => {
                    assert_eq!(problem.code, Code::Internal);
                    failed += 1;
                }
                EncodingOutcome::Finished => finished += 1,
            }
        }
        assert_eq!(failed, 1);
        let answer = |path: &str| {
            queue
                .request(path)
                .expect("a known file")
                .bytes
                .blocking_recv()
                .expect("an answer")
        };
        assert!(answer("bad").is_err());
        assert_eq!(answer("good").expect("bytes").as_slice(), b"good");
        assert!(queue.request("unknown").is_none());
    }

    /// While the background thread is busy, a requested file is encoded at once, and files on open pages before the
    /// rest.
    #[test]
    fn requested_files_are_encoded_first() {
        let (queue, outcomes) = queue();
        let (release, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let blocked = fake("blocked", move || {
            let _ = gate.lock().expect("a gate").recv_timeout(OUTCOME_TIMEOUT);
            Ok(Arc::default())
        });
        let order = Arc::new(Mutex::new(Vec::new()));
        let logged = |path: &'static str| {
            let order = Arc::clone(&order);
            fake(path, move || {
                order.lock().expect("a list").push(path);
                Ok(Arc::default())
            })
        };
        queue.replace(
            &[
                blocked,
                logged("first"),
                logged("second"),
                logged("requested"),
            ],
            false,
        );
        let requested = queue
            .request("requested")
            .expect("a known file")
            .bytes
            .blocking_recv();
        assert!(
            requested.is_ok_and(|bytes| bytes.is_ok()),
            "a requested file waits for the background"
        );
        queue.prioritize(
            "<img srcset=\"/docs/second 480w, /docs/else 768w, /first 9w\">",
            "/docs",
        );
        while order.lock().expect("a list").len() < 2 {
            std::thread::yield_now();
        }
        assert_eq!(*order.lock().expect("a list"), ["requested", "second"]);
        release.send(()).expect("the background waits");
        assert!(matches!(
            outcomes.recv_timeout(OUTCOME_TIMEOUT),
            Ok(EncodingOutcome::Finished)
        ));
        assert_eq!(
            *order.lock().expect("a list"),
            ["requested", "second", "first"]
        );
    }

    #[test]
    fn the_others_are_published_when_the_last_one_was_removed_from_the_site() {
        let (queue, outcomes) = queue();
        let (release, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let removed = fake("removed", move || {
            let _ = gate.lock().expect("a gate").recv_timeout(OUTCOME_TIMEOUT);
            Ok(Arc::default())
        });
        let kept = good("kept");
        queue.replace(&[removed, Arc::clone(&kept)], false);
        let asked = |path: &str| queue.request(path).expect("a known file").bytes;
        let running = asked("removed");
        asked("kept")
            .blocking_recv()
            .expect("an answer")
            .expect("bytes");
        queue.replace(&[kept], false);
        drop(running);
        release.send(()).expect("it is being encoded");
        assert!(matches!(
            outcomes.recv_timeout(OUTCOME_TIMEOUT),
            Ok(EncodingOutcome::Finished)
        ));
    }

    #[test]
    fn a_failed_file_is_encoded_again_with_retry() {
        let (queue, outcomes) = queue();
        let tries = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&tries);
        let file = fake("late", move || {
            let mut tries = counted.lock().expect("a number");
            *tries += 1;
            if *tries == 1 {
                Err(Problem::error(Code::OutFailed, "no space"))
            } else {
                Ok(Arc::default())
            }
        });
        let files = [file];
        queue.replace(&files, true);
        assert!(matches!(
            outcomes.recv_timeout(OUTCOME_TIMEOUT),
            Ok(EncodingOutcome::Failed(_))
        ));
        queue.replace(&files, false);
        assert!(
            queue
                .request("late")
                .expect("a known file")
                .bytes
                .blocking_recv()
                .expect("an answer")
                .is_err()
        );
        queue.replace(&files, true);
        assert!(matches!(
            outcomes.recv_timeout(OUTCOME_TIMEOUT),
            Ok(EncodingOutcome::Finished)
        ));
        assert_eq!(*tries.lock().expect("a number"), 2);
    }
}
