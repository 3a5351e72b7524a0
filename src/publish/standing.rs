//! What stands in the output folder, compared with what the last build wrote there.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use rayon::prelude::*;

use crate::config::Config;
use crate::build_cache::{Published, Record, hash};

use super::{RECORD, folders_of, foreign, listed, modified};

/// Which files of an earlier build stand as it wrote them.
#[derive(Debug, Default)]
pub struct Standing<'a> {
    pub(super) record: Option<&'a Record>,
    /// As they stand now: their times may have changed since they were recorded.
    pub(super) files: HashMap<&'a str, Published>,
    /// The folders that hold nothing else, and when they were last changed.
    pub(super) folders: HashMap<&'a str, u64>,
}

impl<'a> Standing<'a> {
    /// Looks at every file of the record. One whose time has changed is read: caches that are copied between machines
    /// lose the times.
    pub fn of(config: &Config, record: &'a Record) -> Standing<'a> {
        // Another site's build may have written there since.
        let is_ours = std::fs::read(config.out.join(RECORD)).is_ok_and(|list| list == listed(&record.files).as_bytes());
        if record.files.is_empty() || !is_ours {
            return Standing::default();
        }
        let known: Vec<(&String, &Published)> = record.files.iter().collect();
        let now = |(path, published): &(&'a String, &Published)| {
            let file = config.out.join(path);
            let meta = std::fs::symlink_metadata(&file).ok()?;
            let now = Published { modified: modified(&meta), ..**published };
            let is_same = meta.is_file() && meta.len() == published.length;
            let read = || std::fs::read(&file).is_ok_and(|bytes| hash(&bytes) == published.hash);
            (is_same && (now.modified == published.modified || read())).then_some((path.as_str(), now))
        };
        let folders: Vec<(&String, &u64)> = record.folders.iter().collect();
        let untouched = |(path, known): &(&'a String, &u64)| {
            let now = modified(&std::fs::symlink_metadata(config.out.join(path)).ok()?);
            // File systems count time in steps, some of two seconds: of two changes in one step the second is not seen.
            (now == **known && now < record.looked).then_some((path.as_str(), now))
        };
        Standing {
            record: Some(record),
            files: known.par_iter().filter_map(now).collect(),
            folders: folders.par_iter().filter_map(untouched).collect(),
        }
    }

    /// Whether a folder of the output folder is known to hold nothing that sitegen did not write.
    fn is_settled(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// Whether the output folder holds what the last build wrote, and nothing else.
    pub fn is_whole(&self, config: &Config) -> bool {
        let Some(record) = self.record.filter(|record| record.files.len() == self.files.len()) else { return false };
        let ours: HashSet<&str> = record.files.keys().map(String::as_str).chain([RECORD]).collect();
        let our_folders: HashSet<&str> = ours.iter().flat_map(|path| folders_of(path)).chain([""]).collect();
        self.look_for_foreign(&config.out, &ours, &our_folders).is_empty()
    }

    /// What lies in folders that are not known to hold nothing else.
    pub(super) fn look_for_foreign(
        &self,
        out: &Path,
        ours: &HashSet<&str>,
        our_folders: &HashSet<&str>,
    ) -> Vec<io::Result<foreign::Entry>> {
        let unsettled: Vec<&str> = our_folders.iter().copied().filter(|folder| !self.is_settled(folder)).collect();
        foreign::look(out, &unsettled, ours, our_folders)
    }

    /// The files, for whoever wants to leave them as they are.
    pub fn files(&self) -> &HashMap<&'a str, Published> {
        &self.files
    }
}
