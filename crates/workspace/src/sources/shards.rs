//! Values by path that a build keeps for the next one: what was parsed of each file. They are in 64 files (shards) by the
//! hash of their path, so that an edit rewrites only one of them.

use std::borrow::Borrow;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Hash, keep_value, kept_value};

/// Number of shards.
const SHARDS: usize = 64;

/// The values of the last build.
#[derive(Debug)]
pub struct Shards<V> {
    folder: PathBuf,
    /// Identifies the sources that make the values.
    made_by: &'static str,
    /// Hash of what the values were made with.
    made_with: Hash,
    /// For each shard its values by path, and their number in the file.
    shards: Vec<Mutex<(HashMap<String, V>, usize)>>,
}

impl<V: DeserializeOwned + Send> Shards<V> {
    /// Reads the values in a folder. There are none if they were made with something else, or by other sources of
    /// sitegen.
    pub fn open(folder: PathBuf, made_by: &'static str, made_with: Hash) -> Shards<V> {
        let read = (0..SHARDS).into_par_iter().map(|number| {
            let kept: Option<(Hash, Vec<(String, V)>)> =
                kept_value(&folder.join(number.to_string()), made_by);
            let (_, values) = kept
                .filter(|(known, _)| *known == made_with)
                .unwrap_or((made_with, Vec::new()));
            let count = values.len();
            Mutex::new((values.into_iter().collect(), count))
        });
        let shards = read.collect();
        Shards {
            folder,
            made_by,
            made_with,
            shards,
        }
    }

    /// Takes the value of a path.
    pub fn take(&self, path: &str) -> Option<V> {
        lock(&self.shards[shard_of(path)]).0.remove(path)
    }

    /// Saves the values for the next build, each with a flag whether it differs from the one that was read. Errors are
    /// ignored: without the values the next build is only slower.
    pub fn save<P: Borrow<str> + Serialize + Sync, W: Serialize + Sync>(
        &self,
        values: &[(P, W, bool)],
    ) {
        let mut shards: Vec<(Vec<(&P, &W)>, bool)> =
            (0..SHARDS).map(|_| (Vec::new(), false)).collect();
        for (path, value, is_stale) in values {
            let (shard, has_stale) = &mut shards[shard_of(path.borrow())];
            shard.push((path, value));
            *has_stale |= is_stale;
        }
        shards
            .par_iter()
            .enumerate()
            .for_each(|(number, (values, has_stale))| {
                let file = self.folder.join(number.to_string());
                let old = lock(&self.shards[number]).1;
                if values.is_empty() && old > 0 {
                    let _ = fs_err::remove_file(file);
                } else if *has_stale || values.len() != old {
                    let _ = keep_value(&file, self.made_by, &(self.made_with, values));
                }
            });
    }
}

fn lock<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    // The lock cannot be poisoned: no code panics while holding it.
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shard_of(path: &str) -> usize {
    path.bytes().fold(0, |sum: usize, byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    }) % SHARDS
}
