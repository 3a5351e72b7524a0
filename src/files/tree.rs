//! Fingerprints the folders of a site by file metadata, without opening files.

use std::fs::DirEntry;
use std::path::Path;

use rayon::prelude::*;

use super::{Stamp, is_litter};

/// The files below some folders.
#[derive(Debug)]
pub struct Tree {
    /// Hash of the names and stamps of all files.
    pub sum: [u8; 32],
    /// The latest ctime of all files, in seconds and nanoseconds since 1970.
    newest: (i64, i64),
    /// Device number of the file system that contains all files.
    device: u64,
}

impl Tree {
    /// Reads the metadata of each file below `root/folder`, except for temporary files of editors. Returns `None` if
    /// there are symbolic links, pipes or mount points, or something is not accessible: metadata then does not show
    /// every change.
    pub fn of(root: &Path, folders: &[&str]) -> Option<Tree> {
        let mut tree = Tree { sum: [0; 32], newest: (0, 0), device: Stamp::device(root)? };
        let mut hasher = blake3::Hasher::new();
        for folder in folders.iter().map(|folder| root.join(folder)) {
            match folder.symlink_metadata() {
                Ok(meta) if meta.is_dir() => tree.join(&mut hasher, &of_folder(&folder)?)?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    hasher.update(b"\0");
                }
                Ok(_) | Err(_) => return None,
            }
        }
        tree.sum = *hasher.finalize().as_bytes();
        Some(tree)
    }

    /// Whether the last change is older than that of `file`, on the same file system. Any change after `file` was
    /// written has a later timestamp, regardless of the granularity.
    pub fn is_older_than(&self, file: &Path) -> bool {
        let read = std::fs::metadata(file).ok().and_then(|meta| Stamp::read(&meta));
        read.is_some_and(|(stamp, device)| device == self.device && self.newest < stamp.changed)
    }

    fn join(&mut self, hasher: &mut blake3::Hasher, part: &Tree) -> Option<()> {
        hasher.update(&part.sum);
        self.newest = self.newest.max(part.newest);
        (self.device == part.device).then_some(())
    }
}

fn of_folder(folder: &Path) -> Option<Tree> {
    let mut entries: Vec<DirEntry> = std::fs::read_dir(folder).ok()?.collect::<Result<_, _>>().ok()?;
    entries.retain(|entry| !is_litter(&entry.file_name().to_string_lossy()));
    entries.sort_by_cached_key(DirEntry::file_name);
    let parts: Vec<Tree> = entries.par_iter().map(of_entry).collect::<Option<_>>()?;
    let mut tree = Tree { sum: [0; 32], newest: (0, 0), device: Stamp::device(folder)? };
    let mut hasher = blake3::Hasher::new();
    for (entry, part) in entries.iter().zip(&parts) {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        hasher.update(&name.len().to_le_bytes()).update(name);
        tree.join(&mut hasher, part)?;
    }
    tree.sum = *hasher.finalize().as_bytes();
    Some(tree)
}

fn of_entry(entry: &DirEntry) -> Option<Tree> {
    let kind = entry.file_type().ok()?;
    if kind.is_dir() {
        return of_folder(&entry.path());
    }
    // Does not follow links.
    let meta = entry.metadata().ok().filter(|_| kind.is_file())?;
    let (stamp, device) = Stamp::read(&meta)?;
    Some(Tree { sum: stamp.bytes(), newest: stamp.changed, device })
}
