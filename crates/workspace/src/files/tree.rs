//! Lists the source folders of a site with the stamps of all files, without opening a file.

use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

use crate::parallel;

use super::{Clock, FileSet, Overlay, Stamp, in_order, is_litter, shown};

/// The number of files whose metadata a thread reads at once.
const FILES_PER_TASK: usize = 256;

/// The path of a folder or a file and its stamp; a folder that is not on the disk has none.
type Entry = (String, Option<Stamp>);

/// The folders and files below some folders, sorted so that the entries of a folder stay together. Paths are relative
/// to the root, with forward slashes; the path of a folder ends with a slash.
#[derive(Debug, Default)]
pub struct Tree(Vec<Entry>);

/// Stamps of folders are not compared: temporary files of editors change them, too.
impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        self.entries().eq(other.entries())
    }
}

impl Tree {
    /// Reads the metadata of each file below `root/folder`, except for temporary files of editors. Returns `None` if
    /// there are symbolic links, pipes or other file systems than that of `clock`, or something is not accessible:
    /// metadata then does not show every change.
    pub fn of(root: &FileSet, folders: &[&str], clock: Clock) -> Option<Tree> {
        let mut entries = Vec::new();
        let root_folder = openat(
            CWD,
            &**root,
            OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .ok()?;
        for name in folders
            .iter()
            .filter(|name| root.join(name).symlink_metadata().is_ok())
        {
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

    /// All entries; those of folders without stamps.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Option<Stamp>)> {
        self.0
            .iter()
            .map(|(path, stamp)| (path.as_str(), stamp.filter(|_| !is_folder(path))))
    }

    /// Whether each file and folder is sure to be as it was when `root` was listed. That takes a fraction of the time of
    /// listing it again, which is necessary if this is false: a temporary file may have come.
    pub fn is_untouched(&self, root: &FileSet, folders: &[&str], clock: Clock) -> bool {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(root_folder) = openat(CWD, &**root, flags, Mode::empty()) else {
            return false;
        };
        let known = self.0.iter().map(|(path, _)| path.trim_end_matches('/'));
        let mut unknown = folders
            .iter()
            .filter(|name| known.clone().all(|known| known != **name));
        if unknown.any(|name| root.exists(&root.join(name))) {
            return false;
        }
        // The folder of the last file: in it, the system finds the next one faster than by the whole path.
        let (mut last, mut opened) = ("", None);
        self.0.iter().all(|(path, stamp)| {
            let Some(stamp) = stamp else { return true };
            let shown = path.trim_end_matches('/');
            let (parent, name) = shown
                .rfind('/')
                .map_or(("", shown), |at| shown.split_at(at + 1));
            if parent != last {
                (last, opened) = (
                    parent,
                    openat(&root_folder, parent, flags, Mode::empty()).ok(),
                );
            }
            let folder = if parent.is_empty() {
                Some(&root_folder)
            } else {
                opened.as_ref()
            };
            let stat =
                folder.and_then(|folder| statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok());
            let is_same = stat.is_some_and(|stat| Stamp::read(&stat) == (*stamp, clock.device()));
            clock.is_after(stamp) && is_same
                || !root.is_saved()
                    && matches!(
                        root.overlay(&root.join(path)),
                        Some(Overlay::Text(_) | Overlay::New(_))
                    )
        })
    }

    /// The files below a folder, whose path ends with a slash.
    pub fn files_below(&self, folder: &str) -> impl Iterator<Item = (&str, Stamp)> {
        let below = self
            .0
            .iter()
            .skip_while(move |(path, _)| !path.starts_with(folder));
        let below = below.take_while(move |(path, _)| path.starts_with(folder));
        below
            .filter(|(path, _)| !is_folder(path))
            .filter_map(|(path, stamp)| Some((path.as_str(), (*stamp)?)))
    }
}

fn is_folder(path: &str) -> bool {
    path.ends_with('/')
}

/// The stamp of a file with its text that is not saved.
fn stamp_of(overlay: &Overlay) -> Option<Stamp> {
    match overlay {
        Overlay::Text(text) | Overlay::New(text) => Some(Stamp::of_unsaved(text)),
        Overlay::File(other) => Stamp::of(other).map(|(stamp, _)| stamp),
        Overlay::Nothing => None,
    }
}

/// Adds an entry, unless there is one of this path.
fn add(path: &str, stamp: Option<Stamp>, entries: &mut Vec<Entry>) {
    if !entries.iter().any(|(known, _)| known == path) {
        entries.push((path.to_owned(), stamp));
    }
}

/// Adds the files that an editor has not saved yet, with their folders, and removes those that a draft does not have.
fn add_unsaved(root: &FileSet, folders: &[&str], entries: &mut Vec<Entry>) {
    entries.retain(|(path, _)| !matches!(root.overlay(&root.join(path)), Some(Overlay::Nothing)));
    for (path, stamp) in &mut *entries {
        *stamp = root.overlay(&root.join(&*path)).map_or(*stamp, stamp_of);
    }
    for folder in folders.iter().map(|name| root.join(name)) {
        for (file, overlay) in root.added_files(&folder) {
            let path = shown(root, file);
            path.match_indices('/')
                .for_each(|(at, _)| add(&path[..=at], None, entries));
            add(&path, stamp_of(overlay), entries);
        }
    }
    entries.sort_by_cached_key(|(path, _)| in_order(path.as_bytes()));
}

/// Adds a file, or a folder and its content. Does not follow links.
fn add_entry(
    folder: BorrowedFd,
    path: &str,
    name: &str,
    clock: Clock,
    entries: &mut Vec<Entry>,
) -> Option<()> {
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
                names.iter().try_for_each(|name| {
                    add_entry(own.as_fd(), &path, name, clock, &mut entries)
                })?;
                Some(entries)
            });
            entries.push((path, Some(stamp)));
            parts
                .into_iter()
                .try_for_each(|part| part.map(|part| entries.extend(part)))?;
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use fs_err as fs;

    use super::*;

    const FOLDERS: &[&str] = &["content", "static"];

    /// A site with two files, its tree, and a clock that is after both.
    fn listed(root: &Path) -> (FileSet, Tree, Clock) {
        fs::create_dir_all(root.join("content/blog")).expect("a file");
        fs::write(root.join("content/site.yaml"), "name: A").expect("a file");
        fs::write(root.join("content/blog/post.md"), "Post").expect("a file");
        let files = FileSet::open(root);
        loop {
            std::thread::sleep(Duration::from_millis(5));
            fs::write(root.join("clock"), "").expect("a file");
            let clock = Clock::of(&root.join("clock")).expect("a file");
            let tree = Tree::of(&files, FOLDERS, clock).expect("a file");
            if tree.is_untouched(&files, FOLDERS, clock) {
                return (files, tree, clock);
            }
        }
    }

    #[test]
    fn a_tree_is_untouched_until_a_file_or_folder_changes() {
        type Change = fn(&Path) -> std::io::Result<()>;
        let changes: [(&str, Change); 8] = [
            ("edited", |root| {
                fs::write(root.join("content/site.yaml"), "name: B")
            }),
            ("added", |root| {
                fs::write(root.join("content/blog/more.md"), "More")
            }),
            ("removed", |root| {
                fs::remove_file(root.join("content/blog/post.md"))
            }),
            ("renamed", |root| {
                fs::rename(
                    root.join("content/blog/post.md"),
                    root.join("content/blog/other.md"),
                )
            }),
            ("new folder", |root| {
                fs::create_dir(root.join("content/pages"))
            }),
            ("new source folder", |root| {
                fs::create_dir(root.join("static"))
            }),
            ("replaced folder", |root| {
                fs::rename(root.join("content"), root.join("old"))?;
                fs::create_dir(root.join("content"))
            }),
            ("replaced by a link", |root| {
                fs::rename(root.join("content/blog"), root.join("blog"))?;
                std::os::unix::fs::symlink(root.join("blog"), root.join("content/blog"))
            }),
        ];
        for (name, change) in changes {
            let folder = tempfile::tempdir().expect("a file");
            let (files, tree, clock) = listed(folder.path());
            change(&files).expect("a file");
            assert!(!tree.is_untouched(&files, FOLDERS, clock), "{name}");
        }
    }

    #[test]
    fn a_temporary_file_touches_a_tree_that_is_equal() {
        let folder = tempfile::tempdir().expect("a file");
        let (files, tree, clock) = listed(folder.path());
        fs::write(files.join("content/blog/.post.md.swp"), "").expect("a file");
        assert!(!tree.is_untouched(&files, FOLDERS, clock));
        assert_eq!(Tree::of(&files, FOLDERS, clock), Some(tree));
    }

    #[test]
    fn an_unsaved_text_is_not_compared_with_its_file() {
        let folder = tempfile::tempdir().expect("a file");
        let (files, _, clock) = listed(folder.path());
        let overlay = |text: &str| Some(Overlay::Text(text.into()));
        let files = files.with([(files.join("content/blog/post.md"), overlay("Post, unsaved"))]);
        let tree = Tree::of(&files, FOLDERS, clock).expect("a file");
        assert!(tree.is_untouched(&files, FOLDERS, clock));
        fs::write(files.join("content/site.yaml"), "name: C").expect("a file");
        assert!(!tree.is_untouched(&files, FOLDERS, clock));
    }
}
