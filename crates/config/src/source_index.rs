//! Lists the source files of a site with their stamps, before any of them is read. If no stamp has changed since the last
//! build, the build ends; if only items have changed (posts, entries of collections), it looks for the pages that may show
//! these.
//!
//! A file is trusted by its stamp only if it is older than the clock file, which is written before the scan (see
//! [`Clock`]). There is no index if metadata does not show every change: with symbolic links or several file systems.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{BlogSource, Config};
use diagnostics::problem::Problems;
use workspace::cache;
use workspace::files::{self, Clock, FileSet, FileState, Stamp, Tree};

use workspace::kinds::Kind;
use workspace::sources::{Hash, hash, hash_value};

/// How often the scan is repeated if a file was saved in the tick in which the build began.
const TRIES: usize = 3;
/// The wait before the scan is repeated.
const TICK: Duration = Duration::from_millis(5);

/// The source files of a site, with their stamps.
#[derive(Debug, Default)]
pub struct SourceIndex {
    tree: Option<Tree>,
    clock: Option<Clock>,
    state: Option<SourceState>,
}

/// Hashes that show whether a source file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceState {
    /// The flags and the environment variables, as resolved. `site.yaml` is one of the files.
    settings: Hash,
    /// The names of all files, and the stamps of all but posts and entries.
    files: Hash,
    /// The stamps of posts.
    posts: Hash,
    /// The stamps of the texts of entries.
    entries: Hash,
}

/// The kinds of sources in which something may have changed since the last build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedKinds {
    /// The content of some posts. Their titles, dates and all other fields may have changed as well.
    pub posts: bool,
    /// The content of some entries of collections.
    pub entries: bool,
    /// Anything else: another file, a file that was added or removed, a setting.
    pub others: bool,
}

impl ChangedKinds {
    /// Everything counts as changed.
    pub const ALL: ChangedKinds = ChangedKinds {
        posts: true,
        entries: true,
        others: true,
    };

    /// Whether everything is as it was.
    pub fn is_empty(self) -> bool {
        !(self.posts || self.entries || self.others)
    }
}

impl SourceIndex {
    /// Scans the source folders. Must be called before any source is read.
    pub fn scan(config: &Config) -> SourceIndex {
        let file = config.paths.cache.join("clock");
        let mut index = SourceIndex::default();
        for _ in 0..TRIES {
            index.clock = cache::keep(&file, &[]).ok().and_then(|()| Clock::of(&file));
            index.tree = index
                .clock
                .and_then(|clock| Tree::of(&config.paths.root, files::SOURCES, clock));
            let Some(tree) = &index.tree else { break };
            if tree
                .entries()
                .filter_map(|(_, stamp)| stamp)
                .all(|stamp| index.settled(stamp).is_some())
            {
                // Posts of a CMS have no stamps. Entries from addresses have neither, and are compared by their answers.
                let is_local = config.site.blog.source == BlogSource::Markdown;
                index.state = is_local.then(|| SourceState::of(config, tree));
                break;
            }
            std::thread::sleep(TICK);
        }
        index
    }

    /// The stamp of a file, if each later change is sure to give the file another one.
    pub fn settled(&self, stamp: Stamp) -> Option<Stamp> {
        self.clock
            .filter(|clock| clock.is_after(&stamp))
            .map(|_| stamp)
    }

    /// The stamp of a file that may be in no source folder, if each later change is sure to give it another one.
    pub fn settled_file(&self, file: &Path) -> Option<Stamp> {
        match FileState::settled(file, self.clock?)? {
            FileState::Stamp(stamp) => Some(stamp),
            FileState::Missing | FileState::Hash(_) => None,
        }
    }

    /// The wanted files below a folder of the root, sorted by path, with their stamps. Without an index, the folder is
    /// read.
    pub fn list(
        &self,
        root: &FileSet,
        folder: &str,
        is_wanted: &dyn Fn(&Path) -> bool,
    ) -> (Vec<(PathBuf, Option<Stamp>)>, Problems) {
        let Some(tree) = &self.tree else {
            let (files, problems) = root.list(&root.join(folder));
            let wanted = files.into_iter().filter(|file| is_wanted(file));
            return (wanted.map(|file| (file, None)).collect(), problems);
        };
        let below = format!("{folder}/");
        let wanted = tree
            .files_below(&below)
            .filter(|(path, _)| is_wanted(Path::new(path)));
        // `Path::join` looks for parts of both paths, which takes ten times as long.
        let file = |path: &str| {
            let mut file = root.as_os_str().to_owned();
            file.push("/");
            file.push(path);
            file.into()
        };
        (
            wanted
                .map(|(path, stamp)| (file(path), Some(stamp)))
                .collect(),
            Problems::new(),
        )
    }

    /// The paths of all files and folders, below the root. Those of folders end with a slash.
    pub fn paths(&self, root: &FileSet) -> Vec<Cow<'_, str>> {
        if let Some(tree) = &self.tree {
            return tree.entries().map(|(path, _)| path.into()).collect();
        }
        let files = files::SOURCES
            .iter()
            .flat_map(|folder| root.list(&root.join(folder)).0);
        let files: BTreeSet<String> = files.map(|file| files::shown(root, &file)).collect();
        let folders: BTreeSet<&str> = files
            .iter()
            .flat_map(|file| file.match_indices('/').map(|(at, _)| &file[..=at]))
            .collect();
        let folders: Vec<Cow<str>> = folders
            .into_iter()
            .map(|folder| folder.to_owned().into())
            .collect();
        folders
            .into_iter()
            .chain(files.into_iter().map(Cow::from))
            .collect()
    }

    /// Whether the files are still those of the index, by their stamps; `root` is the set that was scanned. False without
    /// an index.
    pub fn is_current(&self, root: &FileSet) -> bool {
        let Some((tree, clock)) = self.tree.as_ref().zip(self.clock) else {
            return false;
        };
        tree.is_untouched(root, files::SOURCES, clock)
            || Tree::of(root, files::SOURCES, clock).is_some_and(|now| now == *tree)
    }

    /// Whether there is an index, and so no symbolic link in the source folders.
    pub fn has_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// The number of files and folders; 0 without an index.
    pub fn count(&self) -> usize {
        self.tree.as_ref().map_or(0, Tree::count)
    }

    /// The clock of the file system, as of the scan.
    pub fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// The state of the files, if it shows each later change.
    pub fn state(&self) -> Option<SourceState> {
        self.state
    }
}

impl SourceState {
    fn of(config: &Config, tree: &Tree) -> SourceState {
        let collections = collections(config, tree);
        // A fetched response is no source, even where it is kept among them.
        let kept = config
            .site
            .blog
            .snapshot_folder(&config.paths.root, &config.paths.cache);
        let kept = format!("{}/", files::shown(&config.paths.root, &kept));
        // The hasher is slow for many small pieces.
        let (mut files, mut posts, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for (path, stamp) in tree.entries().filter(|(path, _)| !path.starts_with(&kept)) {
            files.extend_from_slice(&path.len().to_le_bytes());
            files.extend_from_slice(path.as_bytes());
            let Some(stamp) = stamp else { continue };
            let stamps = if Kind::Post.has(path) && path.ends_with(".md") {
                &mut posts
            } else if is_entry(&collections, path) {
                &mut entries
            } else {
                &mut files
            };
            stamps.extend_from_slice(&stamp.bytes());
        }
        let settings = hash_value(&(&config.run, &config.paths));
        SourceState {
            settings,
            files: hash(&files),
            posts: hash(&posts),
            entries: hash(&entries),
        }
    }

    /// The kinds of sources that have changed since an earlier state.
    pub fn changes_since(&self, last: &SourceState) -> ChangedKinds {
        ChangedKinds {
            posts: self.posts != last.posts,
            entries: self.entries != last.entries,
            others: (self.settings, self.files) != (last.settings, last.files),
        }
    }
}

/// The names of the collections that the site or its theme declares.
fn collections<'a>(config: &'a Config, tree: &'a Tree) -> BTreeSet<&'a str> {
    let name = |path: &'a str| {
        Kind::of(path)
            .filter(|item| item.kind == Kind::Collection)
            .map(|item| item.key)
    };
    let folder = [Kind::Collection.folder(), "/"].concat();
    let of_site = tree.files_below(&folder).filter_map(|(path, _)| name(path));
    of_site
        .chain(config.theme.files().filter_map(|(path, _)| name(path)))
        .collect()
}

/// Whether a file holds the text of an entry, which nothing but its collection reads.
fn is_entry(collections: &BTreeSet<&str>, path: &str) -> bool {
    let folder = path
        .strip_prefix("content/")
        .and_then(|path| path.split_once('/'));
    let is_text = [".yaml", ".md", ".json", ".csv"]
        .iter()
        .any(|ending| path.ends_with(ending));
    is_text && folder.is_some_and(|(name, _)| collections.contains(name))
}
