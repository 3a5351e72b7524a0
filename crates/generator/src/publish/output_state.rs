//! Compares the output folder with the manifest of the last build.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use rayon::prelude::*;

use crate::build_cache::{BuildManifest, Published, hash};
use crate::config::Config;

use super::{FILE_LIST, folders_of, listed, modified, untracked};

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
        // Another site may have been built into this folder since.
        let list = std::fs::read(config.paths.out.join(FILE_LIST));
        let is_ours = list.is_ok_and(|list| list == listed(&last_build.files).as_bytes());
        if last_build.files.is_empty() || !is_ours {
            return OutputState::default();
        }
        let known: Vec<(&String, &Published)> = last_build.files.iter().collect();
        let now = |(path, published): &(&'a String, &Published)| {
            let file = config.paths.out.join(path);
            let meta = std::fs::symlink_metadata(&file).ok()?;
            let now = Published { modified: modified(&meta), ..**published };
            let is_same = meta.is_file() && meta.len() == published.length;
            let read = || std::fs::read(&file).is_ok_and(|bytes| hash(&bytes) == published.hash);
            (is_same && (now.modified == published.modified || read())).then_some((path.as_str(), now))
        };
        let folders: Vec<(&String, &u64)> = last_build.folders.iter().collect();
        let untouched = |(path, known): &(&'a String, &u64)| {
            let now = modified(&std::fs::symlink_metadata(config.paths.out.join(path)).ok()?);
            // Mtimes have a limited resolution, up to two seconds: a second change within one tick is not visible.
            (now == **known && now < last_build.scanned_at).then_some((path.as_str(), now))
        };
        OutputState {
            last_build: Some(last_build),
            files: known.par_iter().filter_map(now).collect(),
            folders: folders.par_iter().filter_map(untouched).collect(),
        }
    }

    /// Whether a folder still holds no untracked files.
    pub(super) fn is_unchanged(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// Whether all files of the last build are unchanged.
    pub fn is_complete(&self) -> bool {
        self.last_build.is_some_and(|last_build| last_build.files.len() == self.files.len())
    }

    /// Whether the output folder holds exactly what the last build wrote.
    pub fn is_whole(&self, config: &Config) -> bool {
        let Some(last_build) = self.last_build.filter(|_| self.is_complete()) else { return false };
        let ours: HashSet<&str> = last_build.files.keys().map(String::as_str).chain([FILE_LIST]).collect();
        let our_folders: HashSet<&str> = ours.iter().flat_map(|path| folders_of(path)).chain([""]).collect();
        self.find_untracked(&config.paths.out, &ours, &our_folders).is_empty()
    }

    /// The untracked files and folders. Only folders that have changed are read.
    pub(super) fn find_untracked(
        &self,
        out: &Path,
        ours: &HashSet<&str>,
        our_folders: &HashSet<&str>,
    ) -> Vec<io::Result<untracked::Untracked>> {
        let changed: Vec<&str> = our_folders.iter().copied().filter(|folder| !self.is_unchanged(folder)).collect();
        untracked::find(out, &changed, ours, our_folders)
    }

    /// The unchanged files.
    pub fn files(&self) -> &HashMap<&'a str, Published> {
        &self.files
    }
}
