//! Lists the source folders of a site with the stamps of all files, without opening a file.

use std::fs::DirEntry;
use std::path::Path;

use crate::parallel;

use super::unsaved::{self, InPlace};
use super::{Clock, Stamp, in_order, is_litter, is_litter_below, shown};

/// The folders and files below some folders, sorted so that the entries of a folder stay together. Paths are relative
/// to the root, with forward slashes; the path of a folder ends with a slash, and it has no stamp.
#[derive(Debug, Default)]
pub struct Tree(Vec<(String, Option<Stamp>)>);

impl Tree {
    /// Reads the metadata of each file below `root/folder`, except for temporary files of editors. Returns `None` if
    /// there are symbolic links, pipes or other file systems than that of `clock`, or something is not accessible:
    /// metadata then does not show every change.
    pub fn of(root: &Path, folders: &[&str], clock: Clock) -> Option<Tree> {
        let mut entries = Vec::new();
        for name in folders {
            let folder = root.join(name);
            match folder.symlink_metadata() {
                Ok(meta) if meta.is_dir() && Stamp::read(&meta)?.1 == clock.device() => {
                    entries.extend(of_folder(&folder, format!("{name}/"), clock)?);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Ok(_) | Err(_) => return None,
            }
        }
        if !unsaved::is_empty() {
            add_unsaved(root, folders, &mut entries);
        }
        Some(Tree(entries))
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
fn add_unsaved(root: &Path, folders: &[&str], entries: &mut Vec<(String, Option<Stamp>)>) {
    entries.retain(|(path, _)| !matches!(unsaved::in_place(&root.join(path)), Some(InPlace::Nothing)));
    let add = |path: &str, stamp: Option<Stamp>, entries: &mut Vec<(String, Option<Stamp>)>| {
        if !entries.iter().any(|(known, _)| known == path) {
            entries.push((path.to_owned(), stamp));
        }
    };
    for folder in folders.iter().map(|name| root.join(name)) {
        for file in unsaved::files_below(&folder).into_iter().filter(|file| !is_litter_below(&folder, file)) {
            let stamp = match unsaved::in_place(&file) {
                Some(InPlace::Text(text) | InPlace::New(text)) => Some(Stamp::of_unsaved(&text)),
                Some(InPlace::File(other)) => {
                    other.metadata().ok().and_then(|meta| Stamp::read(&meta)).map(|(stamp, _)| stamp)
                }
                _ => None,
            };
            let path = shown(root, &file);
            path.match_indices('/').for_each(|(at, _)| add(&path[..=at], None, entries));
            add(&path, stamp, entries);
        }
    }
    entries.sort_by_cached_key(|(path, _)| in_order(path.as_bytes()));
}

/// The entry of a folder, and those of its content.
fn of_folder(folder: &Path, path: String, clock: Clock) -> Option<Vec<(String, Option<Stamp>)>> {
    let mut entries: Vec<DirEntry> = std::fs::read_dir(folder).ok()?.collect::<Result<_, _>>().ok()?;
    entries.retain(|entry| !is_litter(&entry.file_name().to_string_lossy()));
    entries.sort_by_cached_key(DirEntry::file_name);
    let parts = parallel::map(&entries, |entry| of_entry(entry, &path, clock));
    let parts: Vec<_> = parts.into_iter().collect::<Option<_>>()?;
    Some(std::iter::once((path, None)).chain(parts.into_iter().flatten()).collect())
}

fn of_entry(entry: &DirEntry, parent: &str, clock: Clock) -> Option<Vec<(String, Option<Stamp>)>> {
    let kind = entry.file_type().ok()?;
    // A name that is not UTF-8 is reported when the folder is read.
    let mut path = [parent, entry.file_name().to_str()?].concat();
    if kind.is_dir() {
        path.push('/');
        return of_folder(&entry.path(), path, clock);
    }
    // Does not follow links.
    let meta = entry.metadata().ok().filter(|_| kind.is_file())?;
    let (stamp, device) = Stamp::read(&meta)?;
    let text = if unsaved::is_empty() { None } else { unsaved::text(&entry.path()) };
    let stamp = text.map_or(stamp, |text| Stamp::of_unsaved(&text));
    (device == clock.device()).then(|| vec![(path, Some(stamp))])
}
