//! The files of a database as the file system shows them: the database, its write-ahead log, and the log's index.
//!
//! SQLite alone opens them. POSIX locks belong to a process, and closing any descriptor of a file drops all that the
//! process has on it; another program that then closes the database removes the log, with confirmed leads in it. Here,
//! files are created while nothing is open, and looked at by path: `stat` opens nothing.
//!
//! A file that another program has moved, deleted or replaced is noticed by its number (inode). What is stored in it
//! after that would be lost, so both connections of a store are closed and opened again.

use std::fs::{Metadata, Permissions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::super::store::StoreError;

/// Device and inode.
pub(super) type FileId = (u64, u64);
/// The contents of a file, as far as `stat` tells: a file with the same stamp was not written.
pub(super) type FileStamp = (FileId, u64, Option<SystemTime>);

/// Which files there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct FileIds {
    database: Option<FileId>,
    /// How many names the database has. SQLite names the log after the database, so a second name has a second log.
    names: u64,
    log: Option<FileId>,
    index: Option<FileId>,
}

/// The files of a store, and its connections to them.
#[derive(Debug)]
pub(super) struct DbFiles {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of open connections.
    open: u32,
    /// The files that they opened.
    opened: FileIds,
    /// The log and its index of these files. Each batch looks at them, so the names are not made again.
    beside: [PathBuf; 2],
    /// Whether the files are others by now, so that every connection has to be closed before one is opened.
    is_stale: bool,
    /// The database as it was when it was found damaged.
    damaged: Option<FileStamp>,
    /// The database after the last batch of the writer.
    written: Option<FileStamp>,
}

impl DbFiles {
    pub(super) fn new(path: &Path) -> DbFiles {
        DbFiles {
            path: path.to_owned(),
            state: Mutex::default(),
        }
    }

    /// The database itself: the end of symbolic links, beside which SQLite puts the log.
    pub(super) fn path(&self) -> PathBuf {
        let mut path = self.path.clone();
        // Not `canonicalize`: the file at the end may not exist yet. Linux follows as many links.
        for _ in 0..40 {
            let Ok(target) = std::fs::read_link(&path) else {
                break;
            };
            path = path.parent().unwrap_or(Path::new("")).join(target);
        }
        path
    }

    /// Creates the database with mode 0600, which SQLite gives to the other files as well, and gives that mode to files that
    /// are there. The caller ensures that no other thread opens a database meanwhile, as closing the new file would drop its
    /// locks.
    pub(super) fn create(&self) {
        let create = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(self.path());
        // It exists already, or SQLite reports a better error.
        drop(create);
        // A copy may be readable by others, and so would be what is written from now on. No descriptor is opened for it.
        let path = self.path();
        for file in beside(&path).iter().chain([&path]) {
            let is_open = |file: Metadata| file.mode() & 0o077 != 0;
            if std::fs::metadata(file).is_ok_and(is_open) {
                // A file of somebody else stays as it is.
                let _ = std::fs::set_permissions(file, Permissions::from_mode(0o600));
            }
        }
    }

    /// Whether a connection may be opened.
    pub(super) fn check_place(&self) -> Result<(), StoreError> {
        let path = self.path();
        let (_, ids) = ids(&path, &beside(&path));
        let State {
            is_stale, opened, ..
        } = *self.state();
        if is_stale {
            return Err(changed());
        }
        // SQLite would apply the log to a database that it does not belong to. It deletes the log of an empty one.
        let is_other =
            ids.database.is_some() && opened.database.is_some() && ids.database != opened.database;
        if is_other && opened.log == ids.log && length(&beside(&path)[0]) > 0 && length(&path) > 0 {
            return Err(StoreError::Unavailable(
                "the database was replaced, but the log next to it belongs to the previous one; stop the API and delete \
                 the `-wal` and `-shm` files"
                    .into(),
            ));
        }
        if self
            .state()
            .damaged
            .is_some_and(|damaged| stamp(&path) == Some(damaged))
        {
            return Err(damage());
        }
        if ids.names > 1 {
            return Err(StoreError::Unavailable(
                "the database has a second name (a hard link), and a program that opens it by that name would miss its log; delete one of the two"
                    .into(),
            ));
        }
        match network_file_system(
            path.parent()
                .filter(|folder| *folder != Path::new(""))
                .unwrap_or(Path::new(".")),
        ) {
            Some(kind) => Err(StoreError::Unavailable(format!(
                "the database is on a network file system ({kind}), where SQLite can lose data; move it to a local disk"
            ))),
            None => Ok(()),
        }
    }

    /// Registers a new connection, once it has opened its files.
    pub(super) fn opened(&self) -> Result<(), StoreError> {
        let path = self.path();
        let beside = beside(&path);
        let (_, ids) = ids(&path, &beside);
        let mut state = self.state();
        if state.open > 0 && state.opened != ids {
            state.is_stale = true;
            return Err(changed());
        }
        state.opened = ids;
        state.beside = beside;
        state.open += 1;
        Ok(())
    }

    /// Unregisters a connection that was closed.
    pub(super) fn closed(&self) {
        let mut state = self.state();
        state.open = state.open.saturating_sub(1);
        if state.open == 0 {
            state.is_stale = false;
        }
    }

    /// Whether the files are still those that the connections opened. Returns the stamp of the database.
    pub(super) fn check(&self) -> Result<Option<FileStamp>, StoreError> {
        let mut state = self.state();
        let (stamp, ids) = ids(&self.path, &state.beside);
        state.is_stale |= state.opened != ids;
        if state.is_stale {
            Err(changed())
        } else {
            Ok(stamp)
        }
    }

    /// Notes that the database is damaged. It is not opened before it has changed.
    pub(super) fn damaged(&self) -> StoreError {
        self.state().damaged = stamp(&self.path);
        damage()
    }

    /// Notes that the writer has finished a batch, and left the database with this stamp.
    pub(super) fn written(&self, stamp: Option<FileStamp>) {
        self.state().written = stamp;
    }

    /// Whether nobody else has written the database since, such as `cp copy.sqlite3 leads.sqlite3`. Checkpoints of other
    /// programs write it as well, so the writer opens it again, and checks it.
    pub(super) fn is_as_written(&self) -> bool {
        self.state().written == stamp(&self.path)
    }

    /// Which file the database is.
    pub(super) fn id(&self) -> Option<FileId> {
        std::fs::metadata(&self.path).ok().as_ref().map(id)
    }

    /// The size of the database in bytes.
    pub(super) fn size(&self) -> u64 {
        length(&self.path())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The log and its index, which SQLite puts beside the database.
fn beside(database: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|ending| {
        let mut name = database.to_owned().into_os_string();
        name.push(ending);
        name.into()
    })
}

fn ids(database: &Path, [log, index]: &[PathBuf; 2]) -> (Option<FileStamp>, FileIds) {
    let at = |path: &Path| std::fs::metadata(path).ok();
    let database = at(database);
    let ids = FileIds {
        database: database.as_ref().map(id),
        names: database.as_ref().map_or(0, Metadata::nlink),
        log: at(log).as_ref().map(id),
        index: at(index).as_ref().map(id),
    };
    (database.as_ref().map(stamp_of), ids)
}

fn id(file: &Metadata) -> FileId {
    (file.dev(), file.ino())
}

fn stamp_of(file: &Metadata) -> FileStamp {
    (id(file), file.len(), file.modified().ok())
}

fn stamp(path: &Path) -> Option<FileStamp> {
    std::fs::metadata(path).ok().as_ref().map(stamp_of)
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// The error of a damaged database.
pub(super) fn damage() -> StoreError {
    StoreError::Unavailable(
        "the database is damaged; stop the API and replace the database with a copy made by `sitegen leads backup`".into(),
    )
}

fn changed() -> StoreError {
    StoreError::Unavailable(
        "another program has moved, deleted or replaced a file of the database".into(),
    )
}

/// The kind of a network file system. Its locks and its shared memory are not those of one machine, so SQLite warns
/// against it: <https://www.sqlite.org/howtocorrupt.html>
#[cfg(target_os = "linux")]
fn network_file_system(folder: &Path) -> Option<&'static str> {
    network(u64::try_from(rustix::fs::statfs(folder).ok()?.f_type).ok()?)
}

#[cfg(not(target_os = "linux"))]
fn network_file_system(_: &Path) -> Option<&'static str> {
    None
}

/// Names the network file systems of `statfs(2)`.
#[cfg(target_os = "linux")]
fn network(magic: u64) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517B => "SMB",
        0xFF53_4D42 => "CIFS",
        0xFE53_4D42 => "SMB2",
        0x00C3_6400 => "Ceph",
        0x5346_414F => "AFS",
        0x0BD0_0BD0 => "Lustre",
        0x0116_1970 => "GFS2",
        0x7461_636F => "OCFS2",
        _ => return None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        assert_eq!(network(0x6969), Some("NFS"));
        assert_eq!(network(0xFE53_4D42), Some("SMB2"));
        // ext4, tmpfs, overlayfs, btrfs
        for local in [0xEF53, 0x0102_1994, 0x794C_7630, 0x9123_683E] {
            assert_eq!(network(local), None);
        }
        assert_eq!(network_file_system(&std::env::temp_dir()), None);
    }
}
