//! Opens the database: creates and migrates it, and refuses a damaged one. Also describes SQLite's errors.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::super::store::StoreError;
use super::db_files::{DbFiles, damage};

/// How long to wait for a lock held by another process.
pub(super) const BUSY: Duration = Duration::from_secs(5);
/// The largest database that is checked fully, in bytes. Larger ones are checked without comparing their indexes, which
/// takes a third of the time.
const FULL_CHECK_MAX: u64 = 64 * 1024 * 1024;

/// The schema migrations, in order. The number of applied migrations is the database's `user_version`.
const MIGRATIONS: &[&str] = &[
    include_str!("001.sql"),
    include_str!("002.sql"),
    include_str!("003.sql"),
    include_str!("004.sql"),
    include_str!("005.sql"),
];

/// One thread at a time creates or opens a database: see [`DbFiles::create`].
static OPENING: Mutex<()> = Mutex::new(());

/// Opens the database, which is created with mode 0600 and migrated.
pub(super) fn open(files: &DbFiles) -> Result<Connection, StoreError> {
    let _alone = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    files.check_place()?;
    check_owner(files)?;
    files.create();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let before = files.id();
    let db = Connection::open_with_flags(files.path(), flags)?;
    db.busy_timeout(BUSY)?;
    db.set_prepared_statement_cache_capacity(64);
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
         PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
    )?;
    migrate(&db)?;
    if before != files.id() {
        return Err(StoreError::Unavailable(
            "another program replaced the database while it was being opened".into(),
        ));
    }
    files.opened()?;
    Ok(db)
}

/// Reads the whole database, and refuses it if it is damaged. Otherwise, leads would be stored in it, and lost.
pub(super) fn check(db: &Connection, files: &DbFiles) -> Result<(), StoreError> {
    let pragma = if files.size() <= FULL_CHECK_MAX {
        "PRAGMA integrity_check(1)"
    } else {
        "PRAGMA quick_check(1)"
    };
    match db.query_row(pragma, [], |row| row.get::<_, String>(0)) {
        Ok(found) if found == "ok" => Ok(()),
        Ok(_) => Err(files.damaged()),
        Err(error) if is_damage(&error) => Err(files.damaged()),
        Err(error) => Err(error.into()),
    }
}

/// Refuses the database of another program or of a newer version, before anything in it is changed. What can't be read now
/// is found when it is opened.
fn check_owner(files: &DbFiles) -> Result<(), StoreError> {
    if files.size() == 0 {
        return Ok(());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(db) = Connection::open_with_flags(files.path(), flags) else {
        return Ok(());
    };
    db.busy_timeout(BUSY)?;
    let [version, tables, own] = match counts(&db) {
        Ok(found) => found,
        Err(error) if is_damage(&error) => return Err(error.into()),
        Err(_) => return Ok(()),
    };
    if version as usize > MIGRATIONS.len() {
        return Err(newer(version as usize).into());
    }
    if tables > 0 && (version == 0 || own < 2) {
        return Err(StoreError::Unavailable(
            "it is the database of another program, which stays as it is".into(),
        ));
    }
    Ok(())
}

/// The format version of a database, the number of its tables, and how many columns it has that only a lead has.
fn counts(db: &Connection) -> rusqlite::Result<[u32; 3]> {
    let sql = "SELECT (SELECT user_version FROM pragma_user_version),
               (SELECT count(*) FROM sqlite_schema WHERE type = 'table'),
               (SELECT count(*) FROM pragma_table_info('leads') WHERE name IN ('contents', 'fingerprint'))";
    db.query_row(sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
}

/// The error of a database whose format is that of a newer version.
fn newer(version: usize) -> rusqlite::Error {
    let newer = format!(
        "the database has format version {version}, but this program reads version {}",
        MIGRATIONS.len()
    );
    rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_MISUSE),
        Some(newer),
    )
}

fn migrate(db: &Connection) -> rusqlite::Result<()> {
    let version = || {
        db.query_row("PRAGMA user_version", [], |row| {
            row.get::<_, u32>(0).map(|version| version as usize)
        })
    };
    if version()? == MIGRATIONS.len() {
        return Ok(());
    }
    db.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have migrated the database in the meantime.
    let from = version()?;
    if from > MIGRATIONS.len() {
        return Err(newer(from));
    }
    for step in &MIGRATIONS[from..] {
        db.execute_batch(step)?;
    }
    db.execute_batch(&format!("PRAGMA user_version = {}", MIGRATIONS.len()))?;
    db.execute_batch("COMMIT")
}

/// Whether SQLite found the database damaged.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Describes an error without any stored values.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        let words = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "the disk is full".into(),
            Some(ErrorCode::ReadOnly) => "the database is read-only".into(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "the database is locked by another program".into()
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => return damage(),
            Some(ErrorCode::CannotOpen) => "the database could not be opened".into(),
            Some(ErrorCode::SystemIoFailure) => "the disk could not be read or written".into(),
            Some(_) | None => match error {
                rusqlite::Error::SqliteFailure(_, Some(message)) => message,
                other => format!("the database has unexpected contents ({})", kind(&other)),
            },
        };
        StoreError::Unavailable(words)
    }
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
