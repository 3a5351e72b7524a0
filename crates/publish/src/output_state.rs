//! Compares the output folder with the manifest of the last build.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use foldhash::HashMap;
use rustix::fs::{AtFlags, FileType, Stat};

use config::Config;
use manifest::{BuildManifest, Published};
use workspace::files::nanoseconds;
use workspace::parallel;
use workspace::sources::hash;

use super::folders::{folders_after, folders_of_sorted, is_folder_of};
use super::{FILE_LIST, untracked};

/// The files and folders that are unchanged since the last build.
#[derive(Debug, Default)]
pub struct OutputState<'a> {
    pub(super) last_build: Option<&'a BuildManifest>,
    /// The unchanged files with their current mtimes, which may differ from those in the manifest.
    pub(super) files: HashMap<&'a str, Published>,
    /// The folders without untracked files, and their mtimes in nanoseconds since 1970.
    pub(super) folders: HashMap<&'a str, u64>,
}

impl<'a> OutputState<'a> {
    /// Compares every file of the manifest. A file with another mtime is read and hashed, because copying caches
    /// between machines does not preserve mtimes.
    pub fn of(config: &Config, last_build: &'a BuildManifest) -> OutputState<'a> {
        let Some(compared) = ComparedOutput::of(&config.paths.out, last_build) else {
            return OutputState::default();
        };
        OutputState {
            last_build: Some(last_build),
            files: compared.files.into_iter().collect(),
            folders: compared.folders.into_iter().collect(),
        }
    }

    /// Whether the output folder holds exactly what the last build wrote.
    pub fn is_whole(config: &Config, last_build: &BuildManifest) -> bool {
        let out = &config.paths.out;
        let Some(compared) = ComparedOutput::of(out, last_build) else {
            return false;
        };
        if compared.files.len() != last_build.files.len() || compared.changed.is_empty() {
            return compared.files.len() == last_build.files.len();
        }
        let ours: Vec<&str> = last_build.files.keys().map(String::as_str).collect();
        untracked::find(out, &compared.changed, &|path: &str, is_folder: bool| {
            path == FILE_LIST
                || last_build.files.contains_key(path)
                || is_folder && is_folder_of(&ours, path)
        })
        .is_empty()
    }

    /// Whether a folder still holds no untracked files.
    pub(super) fn is_unchanged(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// Whether all files of the last build are unchanged.
    pub fn is_complete(&self) -> bool {
        self.last_build
            .is_some_and(|last_build| last_build.files.len() == self.files.len())
    }

    /// The folders above these sorted paths that may hold untracked files.
    pub(super) fn changed_folders<'p>(
        &self,
        paths: impl Iterator<Item = &'p str>,
    ) -> BTreeSet<&'p str> {
        folders_of_sorted(paths)
            .filter(|folder| !self.is_unchanged(folder))
            .collect()
    }

    /// The unchanged files.
    pub fn files(&self) -> &HashMap<&'a str, Published> {
        &self.files
    }
}

/// The files and folders of the last build as they are now.
struct ComparedOutput<'a> {
    /// The unchanged files with their current mtimes.
    files: Vec<(&'a str, Published)>,
    /// The folders without untracked files, and their mtimes.
    folders: Vec<(&'a str, u64)>,
    /// The other folders.
    changed: Vec<&'a str>,
}

/// A file or folder of the last build, and what is unchanged of it.
enum Entry<'a> {
    File(&'a str, Option<Published>),
    Folder(&'a str, Option<u64>),
}

impl<'a> ComparedOutput<'a> {
    /// `None` without a last build, or if another site has been built into this folder since.
    fn of(out: &Path, last_build: &'a BuildManifest) -> Option<ComparedOutput<'a>> {
        let list = std::fs::read(out.join(FILE_LIST)).ok()?;
        let mut rest = Some(list.as_slice());
        for path in last_build.files.keys() {
            rest = rest?.strip_prefix(path.as_bytes())?.strip_prefix(b"\n");
        }
        if last_build.files.is_empty() || rest != Some(b"") {
            return None;
        }
        let open = File::open(out).ok()?;
        // A folder stands right before its files, so that the kernel still has its path at hand for them.
        let mut times = last_build.folders.iter();
        let mut entries = vec![("", Err(times.next().copied().unwrap_or_default()))];
        let mut before = "";
        for (path, published) in &last_build.files {
            let folders = folders_after(before, path);
            entries.extend(
                folders.map(|folder| (folder, Err(times.next().copied().unwrap_or_default()))),
            );
            entries.push((path, Ok(published)));
            before = path;
        }
        let entries = parallel::map(
            &entries,
            |(path, known): &(&'a str, Result<&Published, u64>)| match known {
                Ok(published) => Entry::File(path, unchanged_file(out, &open, path, published)),
                Err(modified) => Entry::Folder(
                    path,
                    unchanged_folder(&open, path, *modified, last_build.scanned_at),
                ),
            },
        );
        let mut compared = ComparedOutput {
            files: Vec::new(),
            folders: Vec::new(),
            changed: Vec::new(),
        };
        for entry in entries {
            match entry {
                Entry::File(path, Some(published)) => compared.files.push((path, published)),
                Entry::File(_, None) => {}
                Entry::Folder(path, Some(modified)) => compared.folders.push((path, modified)),
                Entry::Folder(path, None) => compared.changed.push(path),
            }
        }
        Some(compared)
    }
}

/// A file of the last build with its current mtime, if its bytes are the same.
fn unchanged_file(out: &Path, open: &File, path: &str, published: &Published) -> Option<Published> {
    let now = stat(open, path)?;
    let is_same = FileType::from_raw_mode(now.st_mode).is_file()
        && i128::from(now.st_size) == i128::from(published.length);
    let now = Published {
        modified: modified(&now),
        ..*published
    };
    let is_same = is_same
        && (now.modified == published.modified
            || std::fs::read(out.join(path)).is_ok_and(|bytes| hash(&bytes) == published.hash));
    is_same.then_some(now)
}

/// The mtime of a folder of the last build, if nothing was added to it or removed from it.
fn unchanged_folder(open: &File, path: &str, known: u64, scanned_at: u64) -> Option<u64> {
    // Mtimes have a limited resolution, up to two seconds: a second change within one tick is not visible.
    (0 < known && known < scanned_at && modified(&stat(open, path)?) == known).then_some(known)
}

/// The metadata of a path below an open folder, without following a link. The kernel need not look up the folders above
/// that one for each path, which takes a third of the time.
fn stat(open: &File, path: &str) -> Option<Stat> {
    rustix::fs::statat(
        open,
        if path.is_empty() { "." } else { path },
        AtFlags::SYMLINK_NOFOLLOW,
    )
    .ok()
}

/// The mtime in nanoseconds since 1970, as [`super::modified`] gives it.
fn modified(stat: &Stat) -> u64 {
    u64::try_from(nanoseconds(stat.st_mtime, stat.st_mtime_nsec)).unwrap_or_default()
}
