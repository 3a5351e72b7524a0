//! The output folder as a whole: its lock, what is beside it, and the step that replaces it.

use std::io;
use std::path::{Path, PathBuf};

use config::Config;
use diagnostics::problem::{Code, Problem, Problems};
use workspace::files::{self, FileLock, Transaction};

use super::folders::folders_of;
use super::{FILE_LIST, lead_site, write};

/// The new `leads.json` in the staging folder. When folders are exchanged it comes to the output folder with the pages,
/// and is moved to its place then.
pub(super) const LEADS: &str = ".sitegen-leads.json";

/// Suffix of the previous output between two renames, on file systems that cannot exchange folders.
pub(super) const OLD: &str = "-old";

/// Replaces one published page. `None` if another build is publishing to the output folder, or was killed.
pub fn replace_file(config: &Config, path: &str, bytes: &[u8]) -> io::Result<Option<()>> {
    let out = &config.paths.out;
    let Some(_lock) = FileLock::try_take(&lock_file(out))? else {
        return Ok(None);
    };
    // Without a link on the way: what is behind it belongs to somebody else, and a build reports it.
    let is_ours = folders_of(path).all(|folder| {
        out.join(folder)
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_dir())
    });
    if !is_ours || transaction(out).is_unfinished() {
        return Ok(None);
    }
    // Beside the output folder, with the prefix of staging folders: if this is killed, the next build removes it.
    let staged = out.with_file_name(format!("{}one", prefix(out)));
    // It is there if this was killed before.
    let _ = std::fs::remove_dir_all(&staged);
    fs_err::create_dir(&staged)?;
    let file = staged.join("page");
    write(&file, bytes)?;
    let renamed = fs_err::rename(&file, out.join(path));
    // The next build removes what is left of it.
    let _ = fs_err::remove_dir_all(staged);
    renamed.map(Some)
}

/// Removes a folder that an earlier build wrote. A folder without [`FILE_LIST`] is kept, because sitegen did not write
/// it.
pub fn remove_output(folder: &Path) -> Problems {
    if !folder.join(FILE_LIST).exists() {
        return Problems::new();
    }
    match fs_err::remove_dir_all(folder) {
        Ok(()) => Problems::new(),
        Err(error) => out_failed(folder, &error).into(),
    }
}

/// Takes the lock of an output folder, waiting for other builds, and rolls back the changes of a killed build.
pub fn claim(out: &Path) -> Result<FileLock, Problem> {
    let claimed = fs_err::create_dir_all(out.parent().unwrap_or(Path::new("/")))
        .and_then(|()| FileLock::take(&lock_file(out)))
        .and_then(|lock| {
            transaction(out)
                .recover()
                .and_then(|_| move_leads(out))
                .map(|()| lock)
        });
    claimed.map_err(|error| out_failed(out, &error))
}

/// Moves `leads.json` to its place, if it came to the output folder with the pages.
pub(super) fn move_leads(out: &Path) -> io::Result<()> {
    match std::fs::rename(out.join(LEADS), lead_site::path(out)) {
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// The prefix of all temporary files and folders beside an output folder.
pub(super) fn prefix(out: &Path) -> String {
    format!(
        ".{}.sitegen-",
        out.file_name().unwrap_or_default().display()
    )
}

/// The lock of an output folder: see `files/lock.rs`.
fn lock_file(out: &Path) -> PathBuf {
    out.with_file_name(format!("{}lock", prefix(out)))
}

/// Changes of files in an output folder.
pub(super) fn transaction(out: &Path) -> Transaction<'_> {
    Transaction::new(out, out.with_file_name(format!("{}undo", prefix(out))))
}

/// Exchanges the names of both folders in one step, so that the output is never missing or mixed.
pub(super) fn exchange(staging: &Path, out: &Path) -> io::Result<()> {
    if !out.exists() {
        return fs_err::rename(staging, out);
    }
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, staging, CWD, out, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            // The file system cannot exchange folders: fall back to two renames.
            Err(
                rustix::io::Errno::INVAL
                | rustix::io::Errno::NOSYS
                | rustix::io::Errno::NOTSUP
                | rustix::io::Errno::XDEV,
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let old = staging.with_file_name(format!(
        "{}{OLD}",
        staging.file_name().unwrap_or_default().to_string_lossy()
    ));
    fs_err::rename(out, &old)?;
    fs_err::rename(staging, out).inspect_err(|_| {
        let _ = fs_err::rename(&old, out);
    })?;
    fs_err::remove_dir_all(old)
}

pub(super) fn out_failed(out: &Path, error: &io::Error) -> Problem {
    let problem = Problem::error(
        Code::OutFailed,
        format!(
            "`{}` could not be written ({})",
            out.display(),
            files::reason(error)
        ),
    );
    if let Ok(target) = std::fs::read_link(out)
        && !out.exists()
    {
        let target = target.display();
        return problem.hint(format!(
            "it is a symbolic link to `{target}`, which doesn't exist: create that folder"
        ));
    }
    match error.kind() {
        io::ErrorKind::StorageFull => {
            problem.hint("free some space; the previous output is unchanged")
        }
        io::ErrorKind::ResourceBusy => {
            problem.hint("the folder is a mount point; name a folder inside it with `--out`")
        }
        _ => problem.hint("correct this, and build again; the previous output is unchanged"),
    }
}
