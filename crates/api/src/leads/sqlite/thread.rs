//! A thread that owns a connection and runs all tasks that arrived while it was busy in one transaction (group commit).
//!
//! A commit waits for the disk, and costs the same for one lead as for 256. Batches form without a timer, so a single
//! lead is not delayed. A task is answered after the commit, never before. The queue is bounded: when it is full, a
//! task is rejected, and the visitor gets status 503.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::oneshot;

use super::super::store::{StoreError, StoreFuture};

/// Maximum number of tasks per transaction.
const MAX_BATCH: usize = 256;
/// Maximum number of waiting tasks; further tasks are rejected.
const MAX_QUEUE: usize = 1_024;
/// How long to wait for a lock held by another process, in milliseconds.
const BUSY_MILLIS: u32 = 2_000;

/// The schema migrations, in order. The number of applied migrations is the database's `user_version`.
const MIGRATIONS: &[&str] = &[include_str!("001.sql")];

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
        let none = || StoreError::Unavailable("the task was not run".into());
        // Sending fails if the caller no longer waits.
        let Job { value, answer, .. } = *self;
        let _ = answer.send(done.and_then(|()| value.ok_or_else(none)));
    }
}

/// A handle to the thread, which ends when the handle is dropped and all tasks are done.
#[derive(Debug)]
pub(super) struct DbThread {
    tasks: SyncSender<Box<dyn Task>>,
}

impl DbThread {
    /// Starts the thread. The database file is created and migrated when the first task runs.
    pub(super) fn start(path: &Path, name: &str, begin: &'static str) -> std::io::Result<DbThread> {
        let (tasks, waiting) = sync_channel(MAX_QUEUE);
        let path = path.to_owned();
        std::thread::Builder::new().name(name.into()).spawn(move || work(&path, begin, &waiting))?;
        Ok(DbThread { tasks })
    }

    /// Runs work in a transaction. The value is returned after the commit. `work` is called at most once.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        self.send(Box::new(Job { work, value: None, answer }), answered)
    }

    /// Writes the write-ahead log to the database and truncates it, after everything that was queued before. While
    /// another process reads the database, a part of the log stays until that process is done.
    pub(super) fn empty_log(&self) -> StoreFuture<'static, ()> {
        let (answer, answered) = oneshot::channel();
        self.send(Box::new(EmptyLog { answer }), answered)
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

/// A checkpoint cannot run in a transaction, so it follows the one of its batch.
struct EmptyLog {
    answer: oneshot::Sender<Result<(), StoreError>>,
}

impl Task for EmptyLog {
    fn run(&mut self, _: &Connection) -> rusqlite::Result<()> {
        Ok(())
    }

    fn after_commit(&mut self, db: &Connection) -> rusqlite::Result<()> {
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    fn answer(self: Box<Self>, done: Result<(), StoreError>) {
        // Sending fails if the caller no longer waits.
        let _ = self.answer.send(done);
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the database's thread has ended".into())
}

fn work(path: &Path, begin: &str, waiting: &Receiver<Box<dyn Task>>) {
    let mut connection = None;
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        while batch.len() < MAX_BATCH {
            match waiting.try_recv() {
                Ok(task) => batch.push(task),
                Err(_) => break,
            }
        }
        match commit(path, begin, &mut connection, &mut batch) {
            Ok(results) => batch.into_iter().zip(results).for_each(|(task, done)| task.answer(done)),
            Err(error) => {
                // The error may be temporary, such as a full disk, so the next task opens a new connection.
                connection = None;
                let why = unavailable(&error);
                batch.into_iter().for_each(|task| task.answer(Err(why.clone())));
            }
        }
    }
}

/// Runs a batch in one transaction. A failing task does not affect the others.
fn commit(
    path: &Path,
    begin: &str,
    connection: &mut Option<Connection>,
    batch: &mut [Box<dyn Task>],
) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
    let db = match connection {
        Some(db) => db,
        None => connection.insert(open(path)?),
    };
    db.prepare_cached(begin)?.execute([])?;
    let mut results = Vec::with_capacity(batch.len());
    for task in batch.iter_mut() {
        db.prepare_cached("SAVEPOINT task")?.execute([])?;
        match task.run(db) {
            Ok(()) => results.push(Ok(())),
            // SQLite has rolled back the whole transaction: the disk is full or failed.
            Err(error) if db.is_autocommit() => return Err(error),
            // A connection opened to a read-only file stays read-only, so it must be reopened.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => return Err(error),
            Err(error) => {
                db.prepare_cached("ROLLBACK TO task")?.execute([])?;
                results.push(Err(unavailable(&error)));
            }
        }
        db.prepare_cached("RELEASE task")?.execute([])?;
    }
    db.prepare_cached("COMMIT")?.execute([])?;
    for (task, result) in batch.iter_mut().zip(&mut results) {
        if result.is_ok()
            && let Err(error) = task.after_commit(db)
        {
            *result = Err(unavailable(&error));
        }
    }
    Ok(results)
}

/// Opens the database, and creates it with mode 0600.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // If this fails, SQLite reports a better error below.
        let _ = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(std::time::Duration::from_millis(BUSY_MILLIS.into()))?;
    db.set_prepared_statement_cache_capacity(64);
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
         PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
    )?;
    migrate(&db)?;
    Ok(db)
}

fn migrate(db: &Connection) -> rusqlite::Result<()> {
    let version =
        || db.query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0).map(|version| version as usize));
    if version()? == MIGRATIONS.len() {
        return Ok(());
    }
    db.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have migrated the database in the meantime.
    let from = version()?;
    if from > MIGRATIONS.len() {
        let newer =
            format!("the database has format version {from}, and this program reads version {}", MIGRATIONS.len());
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_MISUSE),
            Some(newer),
        ));
    }
    for step in &MIGRATIONS[from..] {
        db.execute_batch(step)?;
    }
    db.execute_batch(&format!("PRAGMA user_version = {}", MIGRATIONS.len()))?;
    db.execute_batch("COMMIT")
}

/// Describes an error without any stored values.
fn unavailable(error: &rusqlite::Error) -> StoreError {
    let words = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".into(),
        Some(ErrorCode::ReadOnly) => "the database is read-only".into(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "the database is locked by another program".into(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => "the database is damaged".into(),
        Some(ErrorCode::CannotOpen) => "the database could not be opened".into(),
        Some(ErrorCode::SystemIoFailure) => "the disk could not be read or written".into(),
        Some(_) | None => match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            other => format!("the database has unexpected contents ({})", kind(other)),
        },
    };
    StoreError::Unavailable(words)
}

/// Names the kind of an error. Its full text might contain a stored value.
fn kind(error: &rusqlite::Error) -> &'static str {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
            "a value of the wrong type"
        }
        rusqlite::Error::QueryReturnedNoRows => "a row is missing",
        rusqlite::Error::SqliteFailure(..) => "a statement failed",
        _ => "unexpected",
    }
}
