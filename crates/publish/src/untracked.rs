//! Finds untracked files: files in the output folder that sitegen did not write.
//!
//! Only folders whose mtime differs from that in the manifest (`BuildManifest::folders`) are read: reading 30,000
//! folders takes longer than the build of an edit.

use std::io;
use std::path::{Path, PathBuf};

use site::{files, parallel};

/// A file or folder that sitegen did not write.
#[derive(Debug)]
pub(super) struct Untracked {
    /// Its path below the output folder, with forward slashes.
    pub path: String,
    /// Its full path.
    pub file: PathBuf,
    pub is_folder: bool,
}

/// Finds the entries of `folders` that are not ours, sorted by path. `is_ours` takes a path and whether it is a folder.
pub(super) fn find(
    out: &Path,
    folders: &[&str],
    is_ours: &(dyn Fn(&str, bool) -> bool + Sync),
) -> Vec<io::Result<Untracked>> {
    let entries = |folder: &&str| -> io::Result<Vec<Untracked>> {
        let folder = out.join(folder);
        // The folder does not exist yet, or it is a file, which is found as an entry of its parent folder.
        if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let path = files::shown(out, &entry.path());
            let is_folder = entry.file_type()?.is_dir();
            if !is_ours(&path, is_folder) {
                found.push(Untracked { path, file: entry.path(), is_folder });
            }
        }
        Ok(found)
    };
    let found = parallel::map(folders, |folder| match entries(folder) {
        Ok(found) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    let mut found: Vec<io::Result<Untracked>> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| a.as_ref().ok().map(|entry| &entry.path).cmp(&b.as_ref().ok().map(|entry| &entry.path)));
    found
}

/// The parent folder of a path; empty for the output folder itself.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Hard-links or copies an untracked file or folder to the staging folder, so that it survives the exchange.
pub(super) fn carry(from: &Path, to: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry?;
        let below = entry.path().strip_prefix(from).unwrap_or(Path::new(""));
        // Joining an empty path would append a slash.
        let to = if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) };
        carry_one(&entry, &to)?;
    }
    Ok(())
}

fn carry_one(entry: &walkdir::DirEntry, to: &Path) -> io::Result<()> {
    if entry.file_type().is_dir() {
        fs_err::create_dir_all(to)?;
        let mut permissions = entry.metadata()?.permissions();
        // The owner must be able to write entries into the copy, and to remove it after a failure.
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(
            &mut permissions,
            std::os::unix::fs::PermissionsExt::mode(&entry.metadata()?.permissions()) | 0o700,
        );
        return fs_err::set_permissions(to, permissions);
    }
    fs_err::create_dir_all(to.parent().unwrap_or(to))?;
    #[cfg(unix)]
    if entry.file_type().is_symlink() {
        return fs_err::os::unix::fs::symlink(fs_err::read_link(entry.path())?, to);
    }
    if std::fs::hard_link(entry.path(), to).is_ok() {
        return Ok(());
    }
    fs_err::copy(entry.path(), to).map(drop)
}
