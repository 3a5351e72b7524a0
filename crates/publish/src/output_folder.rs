//! The output folder as a whole: its lock, what is beside it, and the step that replaces it.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use config::Config;
use diagnostics::problem::{Code, Problem, Problems};
use workspace::files::{self, FileLock, Transaction};

use super::folders::{folders_of, is_below, remove_empty_folders};
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
    // A build reports a link.
    if !is_unlinked(out, path) || transaction(out).is_unfinished() {
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

/// The kinds of output. Each has a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputKind {
    /// The pages of a site.
    Site,
    /// The index of its posts.
    Search,
}

impl OutputKind {
    /// The kind of an output by its list of files; `None` for a folder that sitegen did not write.
    fn of(folder: &Path) -> Option<OutputKind> {
        let list = std::fs::read_to_string(folder.join(FILE_LIST)).ok()?;
        let has_pages = list.lines().any(|path| path.ends_with(".html"));
        Some(if has_pages {
            OutputKind::Site
        } else {
            OutputKind::Search
        })
    }

    /// The error that a folder has an output of the other kind, perhaps that of another site.
    pub(super) fn problem(self, folder: &Path) -> Option<Problem> {
        let other = OutputKind::of(folder).filter(|other| *other != self)?;
        let (own, other) = match other {
            OutputKind::Site => ("the search index", "the pages of a site"),
            OutputKind::Search => ("pages", "the search index of a site"),
        };
        let message = format!(
            "{own} can't be published to `{}`: it has {other}",
            folder.display()
        );
        let hint = "name another folder with `--out`; the index of `NAME` is in `NAME-search` beside it, of `dist` in `search`";
        Some(Problem::error(Code::OutFailed, message).hint(hint))
    }
}

/// Removes the search index that an earlier build wrote. Other files in its folder stay.
pub fn remove_search(folder: &Path) -> Problems {
    if OutputKind::of(folder) != Some(OutputKind::Search) {
        return Problems::new();
    }
    let removed = claim(folder).and_then(|_lock| {
        let list = fs_err::read_to_string(folder.join(FILE_LIST));
        let removed = list.and_then(|list| {
            list.lines()
                .try_for_each(|path| remove_listed(folder, path))
        });
        removed
            .and_then(|()| fs_err::remove_file(folder.join(FILE_LIST)))
            .map_err(|error| out_failed(folder, &error))
    });
    // It stays if it has other files.
    let _ = std::fs::remove_dir(folder);
    removed.err().map_or_else(Problems::new, Problems::from)
}

/// Removes a file that a list of files names, with the folders that it leaves empty. What is behind a link stays.
fn remove_listed(folder: &Path, path: &str) -> io::Result<()> {
    if is_below(path) && is_unlinked(folder, path) {
        match fs_err::remove_file(folder.join(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => remove_empty_folders(folder, path),
        }
    }
    Ok(())
}

/// Whether no link is on the way to a file: what is behind it belongs to somebody else.
fn is_unlinked(out: &Path, path: &str) -> bool {
    folders_of(path).all(|folder| {
        out.join(folder)
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_dir())
    })
}

/// Moves files that somebody has put into the previous output while this one was made into the new one.
pub(super) fn rescue(previous: &Path, out: &Path) -> io::Result<()> {
    let list = std::fs::read_to_string(previous.join(FILE_LIST)).unwrap_or_default();
    let ours: HashSet<&str> = list.lines().chain([FILE_LIST, LEADS]).collect();
    for entry in walkdir::WalkDir::new(previous).follow_root_links(false) {
        // Whoever writes there can also remove it.
        let Some(entry) = entry.ok().filter(|entry| !entry.file_type().is_dir()) else {
            continue;
        };
        let path = files::shown(previous, entry.path());
        let new = out.join(&path);
        if ours.contains(&*path) || new.symlink_metadata().is_ok() {
            continue;
        }
        fs_err::create_dir_all(new.parent().unwrap_or(out))?;
        fs_err::rename(entry.path(), new)?;
    }
    Ok(())
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

/// Exchanges the names of both folders in one step, so that the output is never missing or mixed. `staging` is the previous
/// output then.
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
    fs_err::rename(old, staging)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_during_a_build_comes_along() {
        let folder = tempfile::tempdir().expect("a folder");
        let (previous, out) = (folder.path().join("previous"), folder.path().join("out"));
        for (file, text) in [
            (previous.join("page.html"), "old"),
            (previous.join("gone.html"), "old"),
            (previous.join("up/late"), "theirs"),
            (previous.join("up/known"), "theirs, before"),
            (previous.join(FILE_LIST), "gone.html\npage.html\n"),
            (out.join("page.html"), "new"),
            (out.join("up/known"), "theirs"),
        ] {
            fs_err::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs_err::write(file, text).expect("a file");
        }
        rescue(&previous, &out).expect("the files");
        let read = |path: &str| std::fs::read_to_string(out.join(path)).ok();
        assert_eq!(read("up/late").as_deref(), Some("theirs"));
        assert_eq!(read("up/known").as_deref(), Some("theirs"));
        assert_eq!(read("page.html").as_deref(), Some("new"));
        assert_eq!((read("gone.html"), read(FILE_LIST)), (None, None));
    }
}
