//! Finds untracked files: files in the output folder that sitegen did not write.
//!
//! Only folders whose mtime differs from that in the manifest (`BuildManifest::folders`) are read: reading 30,000
//! folders takes longer than the build of an edit.

use std::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};

use diagnostics::problem::{Code, Place, Problem};
use workspace::{files, parallel};

/// The folder in which certificate authorities look for their challenges (RFC 8555).
const CHALLENGES: &str = ".well-known/acme-challenge";

/// A file, folder or symbolic link that sitegen did not write.
#[derive(Debug)]
pub(super) struct Untracked {
    /// Its path below the output folder, with forward slashes.
    pub path: String,
    /// Its full path.
    pub file: PathBuf,
    kind: FileType,
}

/// Tells whether a path is that of the challenges, or below it.
fn is_challenges(path: &str) -> bool {
    path.strip_prefix(CHALLENGES)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Untracked {
    fn place(&self) -> Place {
        Place::file(self.file.to_string_lossy())
    }

    /// Whether it is there for a while only, to prove to a certificate authority whose server this is: certbot writes it while
    /// it renews a certificate (`--webroot`).
    pub(super) fn is_of_certificates(&self) -> bool {
        // The folder above is ours if the site has files in it.
        let is_above = self.kind.is_dir() && self.path == folder_of(CHALLENGES);
        let mut below = is_above
            .then(|| std::fs::read_dir(&self.file).ok())
            .flatten()
            .into_iter()
            .flatten();
        is_challenges(&self.path)
            || is_above
                && below.all(|entry| {
                    entry.is_ok_and(|entry| {
                        is_challenges(&format!("{}/{}", self.path, entry.file_name().display()))
                    })
                })
    }

    /// The error that the build needs its path.
    pub(super) fn in_the_way(&self) -> Problem {
        Problem::error(
            Code::ForeignFile,
            "sitegen did not write this, and would replace it",
        )
        .at(self.place())
        .hint("move it elsewhere, or choose another `--out`")
    }

    /// The warning that it is published.
    pub(super) fn kept(&self) -> Problem {
        let what = match self.kind {
            kind if kind.is_dir() => "folder",
            kind if kind.is_symlink() => "symbolic link",
            _ => "file",
        };
        let message =
            format!("sitegen did not write this {what}; it is kept, and will be published");
        Problem::warning(Code::ForeignFile, message).at(self.place())
    }

    /// Duplicates it in the staging folder, so that it survives the exchange.
    pub(super) fn carry(&self, to: &Path) -> Result<(), Problem> {
        carry(&self.file, to).map_err(|error| {
            let message = format!(
                "sitegen did not write this and could not copy it into the new output ({})",
                files::reason(&error)
            );
            let hint = "move it out of the output folder; the previous output is unchanged";
            Problem::error(Code::OutFailed, message)
                .at(self.place())
                .hint(hint)
        })
    }
}

/// The entries of a folder that `is_ours` does not know.
fn entries(
    out: &Path,
    folder: &str,
    is_ours: &(dyn Fn(&str, bool) -> bool + Sync),
) -> io::Result<Vec<Untracked>> {
    let folder = out.join(folder);
    // The folder does not exist yet, or it is a file, which is found as an entry of its parent folder.
    if !folder.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let path = files::shown(out, &entry.path());
        let kind = entry.file_type()?;
        if !is_ours(&path, kind.is_dir()) {
            found.push(Untracked {
                path,
                file: entry.path(),
                kind,
            });
        }
    }
    Ok(found)
}

/// Finds the entries of `folders` that are not ours, sorted by path. `is_ours` takes a path and whether it is a folder.
pub(super) fn find(
    out: &Path,
    folders: &[&str],
    is_ours: &(dyn Fn(&str, bool) -> bool + Sync),
) -> Vec<io::Result<Untracked>> {
    let found = parallel::map(folders, |folder: &&str| {
        match entries(out, folder, is_ours) {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    });
    let mut found: Vec<io::Result<Untracked>> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| {
        a.as_ref()
            .ok()
            .map(|entry| &entry.path)
            .cmp(&b.as_ref().ok().map(|entry| &entry.path))
    });
    found
}

/// The parent folder of a path; empty for the output folder itself.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Duplicates a file or folder. Links are duplicated as links, the one that is `from` as well: what is behind them
/// belongs to somebody else.
fn carry(from: &Path, to: &Path) -> io::Result<()> {
    let walk = walkdir::WalkDir::new(from)
        .follow_root_links(false)
        .follow_links(false);
    for entry in walk {
        let entry = entry?;
        let below = entry.path().strip_prefix(from).unwrap_or(Path::new(""));
        // Joining an empty path would append a slash.
        let to = if below.as_os_str().is_empty() {
            to.to_owned()
        } else {
            to.join(below)
        };
        fs_err::create_dir_all(to.parent().unwrap_or(&to))?;
        if entry.file_type().is_dir() {
            carry_folder(&entry, &to)?;
        } else {
            files::duplicate(entry.path(), &to)?;
        }
    }
    Ok(())
}

fn carry_folder(entry: &walkdir::DirEntry, to: &Path) -> io::Result<()> {
    fs_err::create_dir(to)?;
    // After the exchange the old folder is removed, with everything in it: files of another volume would be gone.
    if !entry
        .path()
        .parent()
        .is_some_and(|above| files::is_one_file_system(entry.path(), above))
    {
        let message = format!("`{}` is a mount point", entry.path().display());
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
    }
    let mut permissions = entry.metadata()?.permissions();
    // The owner must be able to write entries into the copy, and to remove it after a failure.
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(
        &mut permissions,
        std::os::unix::fs::PermissionsExt::mode(&entry.metadata()?.permissions()) | 0o700,
    );
    fs_err::set_permissions(to, permissions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_mount_point_is_not_carried() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = carry(Path::new("/proc"), &folder.path().join("kept"))
            .expect_err("another file system");
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{error}");
        assert!(!folder.path().join("kept/sys").exists());
    }
}
