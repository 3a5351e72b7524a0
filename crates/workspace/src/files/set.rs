//! The files of a site at one moment: those on the disk, with the texts that an editor has not saved laid over them.
//!
//! A [`FileSet`] is a value. Whoever changes something (an editor, a rename that is tried) makes another one, and a reader
//! that began before goes on with the one that it has.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode};
use serde::{Serialize, Serializer};

use diagnostics::problem::{Code, Place, Problem, Problems, Source};

use super::{
    FLAGS, Stamp, TEXT_LIMIT, absolute, in_order, is_litter, is_litter_below, links, not_a_file,
    open_without_links, reason, shown, text, too_large, unreadable,
};

/// The text that is read in place of a file on the disk.
#[derive(Debug, Clone)]
pub enum Overlay {
    /// This text, as long as there is such a file.
    Text(Arc<str>),
    /// This text, whether there is such a file or not.
    New(Arc<str>),
    /// The file at another path.
    File(PathBuf),
    /// Nothing: there is no such file.
    Nothing,
}

/// A file that is being written.
#[derive(Debug)]
pub struct Draft {
    /// Its path below the folder of the site.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The pictures that it names and that are not saved yet, by their paths below the folder of the site.
    pub pictures: Vec<String>,
}

/// The files of a site, or of its theme. Cheap to clone. It can be used as the path of its folder.
#[derive(Debug, Clone)]
pub struct FileSet {
    root: Arc<Path>,
    overlays: Arc<BTreeMap<PathBuf, Overlay>>,
    /// The folders outside of the site that links may lead to; all are canonical.
    linked: Arc<[PathBuf]>,
}

impl FileSet {
    /// The files on the disk below a folder. Its path becomes the one without links, which a watcher and editors report.
    pub fn open(root: &Path) -> FileSet {
        FileSet {
            root: absolute(root).into(),
            overlays: Arc::default(),
            linked: Arc::default(),
        }
    }

    /// The files of a copy of the site in another folder at the same moment, such as that of the theme: an unsaved text
    /// counts there as well.
    #[must_use]
    pub fn at(&self, folder: PathBuf) -> FileSet {
        let moved = self.overlays.iter().filter_map(|(path, overlay)| {
            Some((
                folder.join(path.strip_prefix(&*self.root).ok()?),
                overlay.clone(),
            ))
        });
        let overlays = Arc::new(moved.collect());
        FileSet {
            root: folder.into(),
            overlays,
            linked: Arc::default(),
        }
    }

    /// The same files, with symbolic links that may also lead to these canonical folders.
    #[must_use]
    pub fn with_linked(self, folders: Vec<PathBuf>) -> FileSet {
        FileSet {
            linked: self.linked.iter().cloned().chain(folders).collect(),
            ..self
        }
    }

    /// The same files with what was not saved in another set of the same site.
    #[must_use]
    pub fn as_of(&self, other: &FileSet) -> FileSet {
        FileSet {
            overlays: Arc::clone(&other.overlays),
            ..self.clone()
        }
    }

    /// The same files after a change; `None` removes what was laid over a file.
    #[must_use]
    pub fn with(&self, changes: impl IntoIterator<Item = (PathBuf, Option<Overlay>)>) -> FileSet {
        let mut overlays = (*self.overlays).clone();
        for (path, overlay) in changes {
            match overlay {
                Some(overlay) => drop(overlays.insert(path, overlay)),
                None => drop(overlays.remove(&path)),
            }
        }
        FileSet {
            overlays: Arc::new(overlays),
            ..self.clone()
        }
    }

    /// The text that is read in place of a file on the disk.
    pub fn overlay(&self, path: &Path) -> Option<&Overlay> {
        if self.overlays.is_empty() {
            None
        } else {
            self.overlays.get(path)
        }
    }

    /// Whether every file is read as it is on the disk.
    pub(super) fn is_saved(&self) -> bool {
        self.overlays.is_empty()
    }

    /// The files in a folder that are read although they may not exist, without temporary files.
    pub(super) fn added_files<'a>(
        &'a self,
        folder: &'a Path,
    ) -> impl Iterator<Item = (&'a PathBuf, &'a Overlay)> {
        self.overlays.iter().filter(move |(file, overlay)| {
            matches!(overlay, Overlay::New(_) | Overlay::File(_))
                && file.starts_with(folder)
                && !is_litter_below(folder, file)
        })
    }

    /// Whether there is a file or folder, or an unsaved text for it.
    pub fn exists(&self, path: &Path) -> bool {
        match self.overlay(path) {
            Some(Overlay::New(_) | Overlay::File(_)) => true,
            Some(Overlay::Nothing) => false,
            Some(Overlay::Text(_)) | None => path.exists(),
        }
    }

    /// Reads a text file without its byte-order mark. Line endings stay as they are, except that files with carriage
    /// returns only (classic Mac OS) get line feeds.
    ///
    /// Fails if the file is not UTF-8, is empty, is larger than [`TEXT_LIMIT`] or contains control characters.
    pub fn read_text(&self, path: &Path) -> Result<Arc<Source>, Problem> {
        let name = shown(self, path);
        let bytes = self.read(&name, path, TEXT_LIMIT, true)?;
        text(name, bytes)
    }

    /// Like [`FileSet::read_text`], for a file that [`FileSet::list`] has found; its path is below the folder of the site.
    pub fn read_listed(&self, path: &str) -> Result<Arc<Source>, Problem> {
        let bytes = self.read(path, &self.join(path), TEXT_LIMIT, false)?;
        text(path.to_owned(), bytes)
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read_bytes(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Problem> {
        self.read(&shown(self, path), path, limit, true)
    }

    /// Opens a regular file of at most `limit` bytes, to read parts of it. Returns its stamp, too.
    pub fn open_file(&self, path: &Path, limit: u64) -> Result<(File, Stamp), Problem> {
        self.open_as(&shown(self, path), path, limit, true)
    }

    /// Reads a file. If `is_checked`, its path must not lead out of the site, see [`links`].
    fn read(
        &self,
        name: &str,
        path: &Path,
        limit: u64,
        is_checked: bool,
    ) -> Result<Vec<u8>, Problem> {
        if let Some(Overlay::Text(text) | Overlay::New(text)) = self.overlay(path) {
            // An editor may hold more than is read of a file.
            let size = text.len() as u64;
            return if size > limit {
                Err(too_large(name, size, limit))
            } else {
                Ok(text.as_bytes().to_vec())
            };
        }
        let (file, stamp) = self.open_as(name, path, limit, is_checked)?;
        let mut bytes = Vec::with_capacity(usize::try_from(stamp.length()).unwrap_or_default());
        // A file may grow while it is read, and some of the system have no size.
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(name, &error))?;
        let read = bytes.len() as u64;
        if read > limit {
            Err(too_large(name, read, limit))
        } else {
            Ok(bytes)
        }
    }

    fn open_as(
        &self,
        name: &str,
        path: &Path,
        limit: u64,
        is_checked: bool,
    ) -> Result<(File, Stamp), Problem> {
        let path = match self.overlay(path) {
            Some(Overlay::Nothing) => {
                return Err(unreadable(name, &std::io::ErrorKind::NotFound.into()));
            }
            Some(Overlay::File(other)) => other,
            _ => path,
        };
        let opened = if let Some(opened) = open_without_links(path) {
            opened
        } else if let Some(problem) = is_checked.then(|| links::problem(self, path)).flatten() {
            return Err(problem);
        } else {
            rustix::fs::open(path, FLAGS, Mode::empty())
                .map_err(|error| unreadable(name, &error.into()))?
        };
        let file = File::from(opened);
        let stat = rustix::fs::fstat(&file).map_err(|error| unreadable(name, &error.into()))?;
        let (kind, (stamp, _)) = (FileType::from_raw_mode(stat.st_mode), Stamp::read(&stat));
        if !kind.is_file() {
            return Err(not_a_file(name.to_owned(), kind.is_dir()));
        }
        let size = stamp.length();
        if size > limit {
            Err(too_large(name, size, limit))
        } else {
            Ok((file, stamp))
        }
    }

    /// All files below `folder`, sorted by path; empty if the folder does not exist. Hidden and temporary files are
    /// skipped (see [`is_litter`]), symbolic links are followed within the site (see [`links`]). A file that an editor has
    /// not saved yet is listed, too.
    pub fn list(&self, folder: &Path) -> (Vec<PathBuf>, Problems) {
        let mut files = Vec::new();
        let mut problems = Problems::new();
        // A part of the folder's own path may be a link.
        if let Some(problem) = links::problem(self, folder) {
            return (files, problem.into());
        }
        let outside = std::cell::RefCell::new(Problems::new());
        let walk = folder
            .exists()
            .then(|| walkdir::WalkDir::new(folder).follow_links(true));
        let walk = walk.map(|walk| {
            walk.into_iter().filter_entry(|entry| {
                if entry.depth() == 0 || is_litter(&entry.file_name().to_string_lossy()) {
                    return entry.depth() == 0;
                }
                let problem = entry
                    .path_is_symlink()
                    .then(|| links::problem(self, entry.path()))
                    .flatten();
                problem
                    .map(|problem| outside.borrow_mut().push(problem))
                    .is_none()
            })
        });
        for entry in walk.into_iter().flatten() {
            match entry {
                Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) => problems.push(not_a_file(shown(self, entry.path()), false)),
                Err(error) => {
                    let place = error.path().map(|path| Place::file(shown(self, path)));
                    let link = error.path().and_then(|path| std::fs::read_link(path).ok());
                    let why = match (error.loop_ancestor(), error.io_error(), &link) {
                        (Some(ancestor), ..) => {
                            format!(
                                "this symbolic link points back to `{}`",
                                shown(self, ancestor)
                            )
                        }
                        (None, Some(io), Some(target)) => {
                            let target = target.display();
                            format!(
                                "this symbolic link points to `{target}`, which could not be read ({})",
                                reason(io)
                            )
                        }
                        (None, Some(io), None) => {
                            format!("this could not be read ({})", reason(io))
                        }
                        (None, None, _) => error.to_string(),
                    };
                    let hint = link.map(|_| "correct the link, or remove it".to_owned());
                    let mut problem = Problem::error(Code::Unreadable, why).maybe_hint(hint);
                    problem.place = place;
                    problems.push(problem);
                }
            }
        }
        problems.extend(outside.into_inner());
        if !self.is_saved() {
            files.retain(|file| !matches!(self.overlay(file), Some(Overlay::Nothing)));
            let new: Vec<PathBuf> = self
                .added_files(folder)
                .map(|(file, _)| file)
                .filter(|file| !files.contains(file))
                .cloned()
                .collect();
            files.extend(new);
        }
        files.sort_by_cached_key(|file| in_order(file.as_os_str().as_encoded_bytes()));
        (files, problems)
    }

    /// The links in the source folders that a build follows, with the files and folders that they lead to, which are
    /// canonical. A source folder may be one.
    pub fn links(&self) -> Vec<(PathBuf, PathBuf)> {
        links::followed(self)
    }

    /// Whether a link may lead to this canonical path outside of the site.
    pub(super) fn is_linked(&self, target: &Path) -> bool {
        self.linked.iter().any(|folder| target.starts_with(folder))
            && !target.iter().any(|part| part == ".git")
    }
}

impl Default for FileSet {
    fn default() -> FileSet {
        FileSet {
            root: Path::new("").into(),
            overlays: Arc::default(),
            linked: Arc::default(),
        }
    }
}

impl Deref for FileSet {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.root
    }
}

impl AsRef<Path> for FileSet {
    fn as_ref(&self) -> &Path {
        &self.root
    }
}

/// As the path of its folder.
impl Serialize for FileSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.root.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Clock, Tree};

    fn listed(files: &FileSet) -> Vec<String> {
        let (listed, problems) = files.list(&files.join("content"));
        assert!(problems.is_empty());
        listed.iter().map(|file| shown(files, file)).collect()
    }

    /// The files that a build lists by their metadata.
    fn in_tree(files: &FileSet) -> Vec<String> {
        let tree = Tree::of(
            files,
            &["content"],
            Clock::of(&files.join("clock")).expect("a clock"),
        )
        .expect("a tree");
        tree.files_below("content/")
            .map(|(path, _)| path.to_owned())
            .collect()
    }

    #[test]
    fn a_file_counts_before_it_is_saved_and_an_earlier_set_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = FileSet::open(folder.path());
        std::fs::create_dir_all(disk.join("content/pages/a")).expect("a folder");
        for path in ["clock", "content/pages/a/en.yaml", "content/z.yaml"] {
            std::fs::write(disk.join(path), "a: 1\n").expect("a file");
        }
        let (new, old) = (
            disk.join("content/pages/b/en.yaml"),
            disk.join("content/pages/a/en.yaml"),
        );
        let files = disk.with([
            (new.clone(), Some(Overlay::New("b: 1\n".into()))),
            (
                disk.join("content/pages/b/.hidden.yaml"),
                Some(Overlay::New("b: 1\n".into())),
            ),
            (
                disk.join("content/pages/c/en.yaml"),
                Some(Overlay::Text("gone: 1\n".into())),
            ),
        ]);
        let all = [
            "content/pages/a/en.yaml",
            "content/pages/b/en.yaml",
            "content/z.yaml",
        ];
        assert_eq!(listed(&files), all);
        assert_eq!(in_tree(&files), all);
        assert!(files.exists(&new) && !files.exists(&disk.join("content/pages/c/en.yaml")));
        assert_eq!(files.read_text(&new).expect("the text").text, "b: 1\n");

        let moved = disk.join("content/pages/moved/en.yaml");
        let draft = files.with([
            (old.clone(), Some(Overlay::Nothing)),
            (moved.clone(), Some(Overlay::File(old.clone()))),
        ]);
        let all = [
            "content/pages/b/en.yaml",
            "content/pages/moved/en.yaml",
            "content/z.yaml",
        ];
        assert_eq!(listed(&draft), all);
        assert_eq!(in_tree(&draft), all);
        assert!(!draft.exists(&old) && draft.read_text(&old).is_err());
        assert_eq!(draft.read_text(&moved).expect("the text").text, "a: 1\n");

        assert!(files.exists(&old) && !files.exists(&moved));
        assert_eq!(listed(&files.with([(new, None)])), listed(&disk));
        assert_eq!(listed(&disk), ["content/pages/a/en.yaml", "content/z.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_root_that_is_a_link_is_the_folder_that_it_leads_to() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("site")).expect("a folder");
        std::os::unix::fs::symlink("site", folder.path().join("link")).expect("a link");
        let files = FileSet::open(&folder.path().join("link/../link/."));
        assert_eq!(
            &*files,
            folder.path().canonicalize().expect("a path").join("site")
        );
        assert_eq!(
            &*FileSet::open(&folder.path().join("link/none")),
            &*files.join("none")
        );
    }
}
