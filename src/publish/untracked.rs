//! Finds untracked files: those in the output folder that sitegen did not write.
//!
//! Only folders whose modification time differs from that in the manifest (`BuildManifest::folders`) are read: walking
//! through 30,000 folders cost more than an edit.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::files;

/// A file or folder that sitegen did not write.
#[derive(Debug)]
pub(super) struct Untracked {
    /// Below the output folder, with forward slashes.
    pub path: String,
    /// Where it lies.
    pub file: PathBuf,
    pub is_folder: bool,
}

/// Finds what is neither a file nor a folder of sitegen in these folders of sitegen, in the order of the paths.
pub(super) fn find(
    out: &Path,
    folders: &[&str],
    ours: &HashSet<&str>,
    our_folders: &HashSet<&str>,
) -> Vec<io::Result<Untracked>> {
    let entries = |folder: &&str| -> io::Result<Vec<Untracked>> {
        let folder = out.join(folder);
        // A folder that is yet to be made, or a file in its place, which is found in the folder above.
        if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let path = files::shown(out, &entry.path());
            let is_folder = entry.file_type()?.is_dir();
            let is_ours = ours.contains(path.as_str()) || is_folder && our_folders.contains(path.as_str());
            if !is_ours {
                found.push(Untracked { path, file: entry.path(), is_folder });
            }
        }
        Ok(found)
    };
    let mut found: Vec<io::Result<Untracked>> = folders
        .par_iter()
        .flat_map_iter(|folder| match entries(folder) {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
        .collect();
    found.sort_by(|a, b| a.as_ref().ok().map(|entry| &entry.path).cmp(&b.as_ref().ok().map(|entry| &entry.path)));
    found
}

/// The folder in which a path lies; empty for the output folder itself.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Links, or copies, somebody's file or folder to the folder that is about to be put in place.
pub(super) fn carry(from: &Path, to: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry?;
        let below = entry.path().strip_prefix(from).unwrap_or(Path::new(""));
        // Joined with nothing a path would get a slash at its end.
        let to = if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) };
        carry_one(&entry, &to)?;
    }
    Ok(())
}

fn carry_one(entry: &walkdir::DirEntry, to: &Path) -> io::Result<()> {
    if entry.file_type().is_dir() {
        fs_err::create_dir_all(to)?;
        let mut permissions = entry.metadata()?.permissions();
        // What lies in it must be carried, too, and the folder be removable when something fails.
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
