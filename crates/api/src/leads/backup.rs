//! Copies the store to a file while the API runs: the copy is complete and checked before it gets its name.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::settings::StoreSettings;
use super::store::Store;

/// The endings of the files that belong to a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Copies the store to a file, with mode 0600. `replace` allows that the file exists. Returns the number of leads in the
/// copy. The error names the file and says what to do.
pub async fn backup(
    store: &dyn Store,
    settings: &StoreSettings,
    to: &Path,
    replace: bool,
) -> Result<u32, String> {
    let shown = to.display();
    if let StoreSettings::File(from) = settings {
        check_target(from, to, replace)?;
    }
    let fails =
        |why: &dyn std::fmt::Display| format!("the copy `{shown}` could not be written: {why}");
    let folder = to
        .parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."));
    let folder = File::open(folder).map_err(|error| fails(&error))?;
    // One copy at a time, so a partial one is of a run that was interrupted. Some file systems have no locks.
    let _ = folder.lock();
    let part = with_ending(to, ".part");
    remove(&part).map_err(|error| fails(&error))?;
    let made = async {
        // SQLite fills an empty file, and keeps its mode.
        let create = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part);
        drop(create.map_err(|error| fails(&error))?);
        store
            .copy_to(part.clone())
            .await
            .map_err(|why| fails(&why))?;
        let leads = checked(&part).map_err(|error| fails(&error))?;
        let on_disk = File::open(&part).and_then(|file| file.sync_all());
        on_disk
            .and_then(|()| std::fs::rename(&part, to))
            .and_then(|()| folder.sync_all())
            .map_err(|error| fails(&error))?;
        Ok(leads)
    };
    let made = made.await;
    if made.is_err() {
        // The first error is the one to report.
        let _ = remove(&part);
    }
    made
}

/// Refuses targets whose replacement would damage a database.
fn check_target(from: &Path, to: &Path, replace: bool) -> Result<(), String> {
    let shown = to.display();
    let id = |path: &Path| {
        std::fs::metadata(path)
            .ok()
            .map(|file| (file.dev(), file.ino()))
    };
    let of_store = BESIDE.map(|ending| with_ending(from, ending));
    let mut files = of_store.iter().map(PathBuf::as_path).chain([from]);
    if files.any(|file| same_place(file, to) || id(file).is_some_and(|file| Some(file) == id(to))) {
        return Err(format!(
            "`{shown}` is the store itself; name a different file"
        ));
    }
    if to.is_dir() {
        return Err(format!("`{shown}` is a folder; name a file in it"));
    }
    if !replace && to.symlink_metadata().is_ok() {
        return Err(format!(
            "`{shown}` already exists; name a different file, or replace this one with `--force`"
        ));
    }
    // SQLite would apply the log of the old database to the new one.
    match BESIDE
        .map(|ending| with_ending(to, ending))
        .iter()
        .find(|file| file.symlink_metadata().is_ok())
    {
        Some(log) => Err(format!(
            "`{}` belongs to another database; delete it first",
            log.display()
        )),
        None => Ok(()),
    }
}

/// Whether two paths are of one file, which may not exist yet.
fn same_place(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        let folder = path
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .unwrap_or(Path::new("."));
        Some((folder.canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    place(one).is_some_and(|one| Some(one) == place(other))
}

/// The number of leads in a copy that is whole.
fn checked(copy: &Path) -> Result<u32, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(copy, flags)?;
    let found: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some("it is damaged".into()),
        ));
    }
    db.query_row("SELECT count(*) FROM leads", [], |row| row.get(0))
}

fn remove(part: &Path) -> io::Result<()> {
    for file in BESIDE
        .iter()
        .chain(&[""])
        .map(|ending| with_ending(part, ending))
    {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}
