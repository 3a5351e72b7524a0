//! Lists the source folders of a site with the stamps of all files, without opening a file.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

use crate::parallel;

use super::{Clock, FileSet, Overlay, Stamp, in_order, is_litter, shown};

/// The number of files whose metadata a thread reads at once.
const FILES_PER_TASK: usize = 256;

/// The path of a folder or a file, and the stamp of a file.
type Entry = (String, Option<Stamp>);

/// The folders and files below some folders, sorted so that the entries of a folder stay together. Paths are relative
/// to the root, with forward slashes; the path of a folder ends with a slash, and it has no stamp.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tree(Vec<Entry>);

impl Tree {
    /// Reads the metadata of each file below `root/folder`, except for temporary files of editors. Returns `None` if
    /// there are symbolic links, pipes or other file systems than that of `clock`, or something is not accessible:
    /// metadata then does not show every change.
    pub fn of(root: &FileSet, folders: &[&str], clock: Clock) -> Option<Tree> {
        let mut entries = Vec::new();
        let root_folder = openat(CWD, &**root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        for name in folders.iter().filter(|name| root.join(name).symlink_metadata().is_ok()) {
            add_entry(root_folder.as_fd(), "", name, clock, &mut entries)?;
        }
        if !root.is_saved() {
            add_unsaved(root, folders, &mut entries);
        }
        Some(Tree(entries))
    }

    /// The number of entries.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// All entries.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Option<Stamp>)> {
        self.0.iter().map(|(path, stamp)| (path.as_str(), *stamp))
    }

    /// The files below a folder, whose path ends with a slash.
    pub fn files_below(&self, folder: &str) -> impl Iterator<Item = (&str, Stamp)> {
        let below = self.0.iter().skip_while(move |(path, _)| !path.starts_with(folder));
        let below = below.take_while(move |(path, _)| path.starts_with(folder));
        below.filter_map(|(path, stamp)| Some((path.as_str(), (*stamp)?)))
    }
}

/// Adds the files that an editor has not saved yet, with their folders, and removes those that a draft does not have.
fn add_unsaved(root: &FileSet, folders: &[&str], entries: &mut Vec<Entry>) {
    let stamp_of = |overlay: &Overlay| match overlay {
        Overlay::Text(text) | Overlay::New(text) => Some(Stamp::of_unsaved(text)),
        Overlay::File(other) => Stamp::of(other).map(|(stamp, _)| stamp),
        Overlay::Nothing => None,
    };
    entries.retain(|(path, _)| !matches!(root.overlay(&root.join(path)), Some(Overlay::Nothing)));
    for (path, stamp) in &mut *entries {
        *stamp = root.overlay(&root.join(&*path)).map_or(*stamp, stamp_of);
    }
    let add = |path: &str, stamp: Option<Stamp>, entries: &mut Vec<Entry>| {
        if !entries.iter().any(|(known, _)| known == path) {
            entries.push((path.to_owned(), stamp));
        }
    };
    for folder in folders.iter().map(|name| root.join(name)) {
        for (file, overlay) in root.added_files(&folder) {
            let path = shown(root, file);
            path.match_indices('/').for_each(|(at, _)| add(&path[..=at], None, entries));
            add(&path, stamp_of(overlay), entries);
        }
    }
    entries.sort_by_cached_key(|(path, _)| in_order(path.as_bytes()));
}

/// Adds a file, or a folder and its content. Does not follow links.
fn add_entry(folder: BorrowedFd, path: &str, name: &str, clock: Clock, entries: &mut Vec<Entry>) -> Option<()> {
    let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let (stamp, device) = Stamp::read(&stat);
    if device != clock.device() {
        return None;
    }
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => entries.push(([path, name].concat(), Some(stamp))),
        FileType::Directory => {
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let own = openat(folder, name, flags, Mode::empty()).ok()?;
            let path = [path, name, "/"].concat();
            let mut names = Vec::new();
            for entry in Dir::read_from(&own).ok()? {
                let entry = entry.ok()?;
                if !is_litter(&entry.file_name().to_string_lossy()) {
                    // A name that is not UTF-8 is reported when the folder is read.
                    names.push(entry.file_name().to_str().ok()?.to_owned());
                }
            }
            names.sort_unstable();
            let tasks: Vec<&[String]> = names.chunks(FILES_PER_TASK).collect();
            let parts = parallel::map(&tasks, |names| {
                let mut entries = Vec::with_capacity(names.len());
                names.iter().try_for_each(|name| add_entry(own.as_fd(), &path, name, clock, &mut entries))?;
                Some(entries)
            });
            entries.push((path, None));
            parts.into_iter().try_for_each(|part| part.map(|part| entries.extend(part)))?;
        }
        _ => return None,
    }
    Some(())
}
