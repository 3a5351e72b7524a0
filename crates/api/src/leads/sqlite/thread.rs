//! A thread that owns a connection and runs all tasks that arrived while it was busy in one transaction (group commit).
//!
//! A commit waits for the disk, and costs the same for one lead as for 256. Batches form without a timer, so a single
//! lead is not delayed. A task is answered after the commit, never before, and only if the files of the database are
//! still those that were opened. The queue is bounded: when it is full, a task is rejected, and the visitor gets status
//! 503.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Row};
use tokio::sync::oneshot;

use super::super::store::{StoreError, StoreFuture};
use super::db_files::DbFiles;
use super::open::{BUSY, check, is_damage, open};

/// Maximum number of tasks per transaction.
const MAX_BATCH: usize = 256;
/// Maximum number of waiting tasks; further tasks are rejected.
const MAX_QUEUE: usize = 1_024;
/// How often an idle thread looks whether the files are still there.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// The work of a thread with the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadRole {
    /// It writes. One thread of a store does, so tasks never wait for each other's locks.
    Writer,
    /// It only reads.
    Reader,
}

/// A unit of work on the database.
trait Task: Send {
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()>;
    /// Work that is not possible in a transaction.
    fn after_commit(&mut self, _: &Connection) -> rusqlite::Result<()> {
        Ok(())
    }
    fn answer(self: Box<Self>, done: Result<(), StoreError>);
}

struct Job<T, F> {
    work: F,
    value: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&Connection) -> rusqlite::Result<T> + Send> Task for Job<T, F> {
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()> {
        self.value = Some((self.work)(db)?);
        Ok(())
    }

    fn answer(self: Box<Self>, done: Result<(), StoreError>) {
        answer(self.answer, self.value, done);
    }
}

/// Work outside of a transaction, as checkpoints and `VACUUM` need. It follows the transaction of its batch.
struct Outside<T, F> {
    work: F,
    value: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&Connection) -> rusqlite::Result<T> + Send> Task for Outside<T, F> {
    fn run(&mut self, _: &Connection) -> rusqlite::Result<()> {
        Ok(())
    }

    fn after_commit(&mut self, db: &Connection) -> rusqlite::Result<()> {
        self.value = Some((self.work)(db)?);
        Ok(())
    }

    fn answer(self: Box<Self>, done: Result<(), StoreError>) {
        answer(self.answer, self.value, done);
    }
}

fn answer<T>(
    to: oneshot::Sender<Result<T, StoreError>>,
    value: Option<T>,
    done: Result<(), StoreError>,
) {
    let none = || StoreError::Unavailable("the task was not run".into());
    // Sending fails if the caller no longer waits.
    let _ = to.send(done.and_then(|()| value.ok_or_else(none)));
}

/// A handle to the thread, which ends when the handle is dropped and all tasks are done.
#[derive(Debug)]
pub(super) struct DbThread {
    tasks: SyncSender<Box<dyn Task>>,
}

impl DbThread {
    /// Starts the thread. The database file is created and migrated when the first task runs.
    pub(super) fn start(files: Arc<DbFiles>, role: ThreadRole) -> std::io::Result<DbThread> {
        let (tasks, waiting) = sync_channel(MAX_QUEUE);
        let name = if role == ThreadRole::Writer {
            "leads-writer"
        } else {
            "leads-reader"
        };
        let worker = Worker {
            files,
            role,
            connection: None,
        };
        std::thread::Builder::new()
            .name(name.into())
            .spawn(move || worker.work(&waiting))?;
        Ok(DbThread { tasks })
    }

    /// Runs work in a transaction. The value is returned after the commit. `work` is called at most once.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        self.send(
            Box::new(Job {
                work,
                value: None,
                answer,
            }),
            answered,
        )
    }

    /// Runs work outside of a transaction, after everything that was queued before.
    pub(super) fn run_outside<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        self.send(
            Box::new(Outside {
                work,
                value: None,
                answer,
            }),
            answered,
        )
    }

    fn send<T: Send + 'static>(
        &self,
        task: Box<dyn Task>,
        answered: oneshot::Receiver<Result<T, StoreError>>,
    ) -> StoreFuture<'static, T> {
        let sent = self.tasks.try_send(task);
        Box::pin(async move {
            match sent {
                Err(TrySendError::Full(_)) => Err(StoreError::Busy),
                Err(TrySendError::Disconnected(_)) => Err(gone()),
                Ok(()) => answered.await.unwrap_or_else(|_| Err(gone())),
            }
        })
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the database thread has stopped".into())
}

/// The thread's side.
struct Worker {
    files: Arc<DbFiles>,
    role: ThreadRole,
    connection: Option<Connection>,
}

impl Worker {
    fn work(mut self, waiting: &Receiver<Box<dyn Task>>) {
        loop {
            let first = match waiting.recv_timeout(WATCH_INTERVAL) {
                Ok(first) => first,
                Err(RecvTimeoutError::Timeout) => {
                    if self.connection.is_some() && self.files.check().is_err() {
                        self.leave();
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let mut batch = vec![first];
            while batch.len() < MAX_BATCH {
                match waiting.try_recv() {
                    Ok(task) => batch.push(task),
                    Err(_) => break,
                }
            }
            match self.commit(&mut batch) {
                Ok(results) => batch
                    .into_iter()
                    .zip(results)
                    .for_each(|(task, done)| task.answer(done)),
                Err(why) => batch
                    .into_iter()
                    .for_each(|task| task.answer(Err(why.clone()))),
            }
        }
        self.close();
    }

    /// Runs a batch in one transaction. A failing task does not affect the others.
    fn commit(
        &mut self,
        batch: &mut [Box<dyn Task>],
    ) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        if self.role == ThreadRole::Writer
            && self.connection.is_some()
            && !self.files.is_as_written()
        {
            if let Err(why) = self.files.check() {
                self.leave();
                return Err(why);
            }
            self.close();
        }
        let role = self.role;
        let db = match self.connection {
            Some(ref db) => db,
            None => self.open()?,
        };
        let results = match run(db, role, batch) {
            Ok(results) => results,
            Err(error) => {
                // The error may be temporary, such as a full disk, so the next task opens a new connection.
                self.close();
                return Err(error.into());
            }
        };
        // In files that another program has moved or replaced, what was stored is lost.
        match self.files.check() {
            Ok(stamp) if role == ThreadRole::Writer => self.files.written(stamp),
            Ok(_) => {}
            Err(why) => {
                self.leave();
                return Err(why);
            }
        }
        Ok(results)
    }

    fn open(&mut self) -> Result<&Connection, StoreError> {
        let db = self.connection.insert(open(&self.files)?);
        if self.role == ThreadRole::Writer {
            if let Err(why) = check(db, &self.files) {
                self.close();
                return Err(why);
            }
            self.files.written(self.files.check()?);
        }
        self.connection.as_ref().ok_or_else(gone)
    }

    fn close(&mut self) {
        if let Some(db) = self.connection.take() {
            drop(db);
            self.files.closed();
        }
    }

    /// Closes the connection because its files have moved. Confirmed leads may be in a log that no longer has a name, so
    /// they are written to the database first. Until that succeeds, the connection stays open.
    fn leave(&mut self) {
        let is_saved = match &self.connection {
            Some(db) if self.role == ThreadRole::Writer => empty_log(db, BUSY).unwrap_or(false),
            _ => true,
        };
        if is_saved {
            self.close();
        }
    }
}

/// How long a checkpoint keeps writers of other programs out while it waits for a reader.
const CHECKPOINT_WAIT: Duration = Duration::from_millis(50);
/// The time between two checkpoints of a log that a reader keeps, in which others write.
const CHECKPOINT_PAUSE: Duration = Duration::from_millis(100);

/// Writes the write-ahead log to the database and truncates it. Returns whether it is empty: while another program reads
/// the database, a part of the log stays, and after `patience` the log stays as it is.
pub(super) fn empty_log(db: &Connection, patience: Duration) -> rusqlite::Result<bool> {
    let begun = Instant::now();
    db.busy_timeout(CHECKPOINT_WAIT)?;
    let emptied = loop {
        let is_busy = |row: &Row| Ok(row.get::<_, i64>(0)? != 0);
        let kept = match db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], is_busy) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => true,
            Err(error) => break Err(error),
            Ok(is_busy) => is_busy,
        };
        if !kept || begun.elapsed() >= patience {
            break Ok(!kept);
        }
        std::thread::sleep(CHECKPOINT_PAUSE);
    };
    db.busy_timeout(BUSY)?;
    emptied
}

fn run(
    db: &Connection,
    role: ThreadRole,
    batch: &mut [Box<dyn Task>],
) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
    let begin = if role == ThreadRole::Writer {
        "BEGIN IMMEDIATE"
    } else {
        "BEGIN"
    };
    db.prepare_cached(begin)?.execute([])?;
    let mut results = Vec::with_capacity(batch.len());
    for task in batch.iter_mut() {
        db.prepare_cached("SAVEPOINT task")?.execute([])?;
        match task.run(db) {
            Ok(()) => results.push(Ok(())),
            // SQLite has rolled back the whole transaction: the disk is full or failed.
            Err(error) if db.is_autocommit() => return Err(error),
            // A connection opened to a read-only file stays read-only, so it must be reopened. A damaged database is
            // checked when it is opened, and then refused.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) || is_damage(&error) =>
            {
                return Err(error);
            }
            Err(error) => {
                db.prepare_cached("ROLLBACK TO task")?.execute([])?;
                results.push(Err(error.into()));
            }
        }
        db.prepare_cached("RELEASE task")?.execute([])?;
    }
    db.prepare_cached("COMMIT")?.execute([])?;
    for (task, result) in batch.iter_mut().zip(&mut results) {
        if result.is_ok()
            && let Err(error) = task.after_commit(db)
        {
            *result = Err(error.into());
        }
    }
    Ok(results)
}
