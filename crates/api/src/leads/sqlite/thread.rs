//! A thread that owns a connection, and does in one transaction whatever has arrived while it was busy.
//!
//! A commit waits for the disk, and costs the same for one lead as for 256. So groups form by themselves, and no timer
//! delays a lone lead. A task is answered after the commit, never before. The queue is bounded: a task that does not
//! fit is refused, and its visitor gets status 503.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::oneshot;

use super::super::store::{StoreError, StoreFuture};

/// So many tasks share a commit.
const GROUP: usize = 256;
/// So many tasks may wait; the next one is refused.
const QUEUE: usize = 1_024;
/// How long another program that writes is waited for, in milliseconds.
const BUSY_MILLIS: u32 = 2_000;

/// The versions of the database, from the first to this one's.
const MIGRATIONS: &[&str] = &[include_str!("001.sql")];

/// Something to be done with the database.
trait Task: Send {
    fn run(&mut self, db: &Connection) -> rusqlite::Result<()>;
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
        // Whoever has gone away does not want the answer.
        let Job { value, answer, .. } = *self;
        let _ = answer.send(done.and_then(|()| value.ok_or_else(none)));
    }
}

/// The thread, as others see it. It ends when this is dropped and all its tasks are done.
#[derive(Debug)]
pub(super) struct DbThread {
    tasks: SyncSender<Box<dyn Task>>,
}

impl DbThread {
    /// Starts a thread over a database file, which is made and brought to today's form when it is first needed.
    pub(super) fn start(path: &Path, name: &str, begin: &'static str) -> std::io::Result<DbThread> {
        let (tasks, waiting) = sync_channel(QUEUE);
        let path = path.to_owned();
        std::thread::Builder::new().name(name.into()).spawn(move || work(&path, begin, &waiting))?;
        Ok(DbThread { tasks })
    }

    /// Does something in a transaction. It may be called once only, and its value counts once all is committed.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        let sent = self.tasks.try_send(Box::new(Job { work, value: None, answer }));
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
    StoreError::Unavailable("the database's thread has ended".into())
}

fn work(path: &Path, begin: &str, waiting: &Receiver<Box<dyn Task>>) {
    let mut connection = None;
    while let Ok(first) = waiting.recv() {
        let mut group = vec![first];
        while group.len() < GROUP {
            match waiting.try_recv() {
                Ok(task) => group.push(task),
                Err(_) => break,
            }
        }
        match commit(path, begin, &mut connection, &mut group) {
            Ok(each) => group.into_iter().zip(each).for_each(|(task, done)| task.answer(done)),
            Err(error) => {
                // What is wrong may be over the next time: a disk that was full, a file that was put back.
                connection = None;
                let why = unavailable(&error);
                group.into_iter().for_each(|task| task.answer(Err(why.clone())));
            }
        }
    }
}

/// Runs a group in one transaction. A task that fails by itself leaves the others alone.
fn commit(
    path: &Path,
    begin: &str,
    connection: &mut Option<Connection>,
    group: &mut [Box<dyn Task>],
) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
    let db = match connection {
        Some(db) => db,
        None => connection.insert(open(path)?),
    };
    db.prepare_cached(begin)?.execute([])?;
    let mut each = Vec::with_capacity(group.len());
    for task in group {
        db.prepare_cached("SAVEPOINT task")?.execute([])?;
        match task.run(db) {
            Ok(()) => each.push(Ok(())),
            // SQLite has rolled everything back by itself: the disk is full, or failed.
            Err(error) if db.is_autocommit() => return Err(error),
            // What was opened while it might not be written stays so, also when it may be written again.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => return Err(error),
            Err(error) => {
                db.prepare_cached("ROLLBACK TO task")?.execute([])?;
                each.push(Err(unavailable(&error)));
            }
        }
        db.prepare_cached("RELEASE task")?.execute([])?;
    }
    db.prepare_cached("COMMIT")?.execute([])?;
    Ok(each)
}

/// Opens the database, made for its owner's eyes only.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // When this fails SQLite says it better.
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
    // Another process may have been quicker.
    let from = version()?;
    if from > MIGRATIONS.len() {
        let newer = format!("the database has form {from}, and this program knows form {}", MIGRATIONS.len());
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

/// What is wrong in words, without any of the values.
fn unavailable(error: &rusqlite::Error) -> StoreError {
    let words = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => "the disk is full".into(),
        Some(ErrorCode::ReadOnly) => "the database may not be written".into(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "another program keeps the database locked".into(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => "the database is damaged".into(),
        Some(ErrorCode::CannotOpen) => "the database could not be opened".into(),
        Some(ErrorCode::SystemIoFailure) => "the disk could not be read or written".into(),
        Some(_) | None => match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            other => format!("the database does not hold what it should ({})", kind(other)),
        },
    };
    StoreError::Unavailable(words)
}

/// The kind of an error, whose text might hold a value.
fn kind(error: &rusqlite::Error) -> &'static str {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
            "a value of another kind"
        }
        rusqlite::Error::QueryReturnedNoRows => "a row is missing",
        rusqlite::Error::SqliteFailure(..) => "a statement failed",
        _ => "unexpected",
    }
}
