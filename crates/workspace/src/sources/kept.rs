//! Values that a build keeps for the next one, each in a file with a checksum. One that is damaged, or that other sources
//! of sitegen made, is none: the crate that makes a value says `made_by` which sources those are.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cache;

use super::Hash;

/// The first bytes of each file.
const HEAD: &[u8] = b"sitegen value\n";

/// Reads a value that [`keep_value`] wrote.
pub fn kept_value<T: DeserializeOwned>(file: &Path, made_by: &str) -> Option<T> {
    let bytes = std::fs::read(file).ok()?;
    let (sum, body) = bytes
        .strip_prefix(HEAD)?
        .split_at_checked(blake3::OUT_LEN)?;
    let is_intact = blake3::hash(body).as_bytes() == sum;
    let (maker, rest) = postcard::take_from_bytes::<&str>(body)
        .ok()
        .filter(|_| is_intact)?;
    postcard::from_bytes(rest).ok().filter(|_| maker == made_by)
}

/// Keeps a value in a file. A failure may be ignored, because it only makes the next build slower.
pub fn keep_value(file: &Path, made_by: &str, value: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_allocvec(&(made_by, value)).map_err(io::Error::other)?;
    let head = [HEAD, blake3::hash(&body).as_bytes()].concat();
    cache::keep_with(file, |file| {
        file.write_all(&head).and_then(|()| file.write_all(&body))
    })
}

/// A table with more values than this one is begun anew: most of them are of texts that the site has no more.
const MAX: usize = 50_000;

/// Values that were computed from texts and take long, by the hash of the text: each is computed once, and kept for the
/// next build.
#[derive(Debug)]
pub struct KeptTable<V> {
    /// The file, and what identifies the sources of its values; `None` if nothing is kept.
    file: Option<(PathBuf, &'static str)>,
    /// All values, and how many of them the file has.
    known: Mutex<(HashMap<Hash, V>, usize)>,
}

impl<V> Default for KeptTable<V> {
    fn default() -> KeptTable<V> {
        KeptTable {
            file: None,
            known: Mutex::default(),
        }
    }
}

impl<V: Clone + Ord + Serialize + DeserializeOwned> KeptTable<V> {
    /// The values that an earlier build has kept in a file.
    pub fn open(file: PathBuf, made_by: &'static str) -> KeptTable<V> {
        let kept: Vec<(Hash, V)> = kept_value(&file, made_by).unwrap_or_default();
        let kept: HashMap<Hash, V> = kept.into_iter().collect();
        let count = kept.len();
        KeptTable {
            file: Some((file, made_by)),
            known: Mutex::new((kept, count)),
        }
    }

    /// The value of a key, computed if it is not known.
    pub fn get_or(&self, key: Hash, compute: impl FnOnce() -> V) -> V {
        let known = self.known().0.get(&key).cloned();
        known.unwrap_or_else(|| {
            let value = compute();
            self.known().0.insert(key, value.clone());
            value
        })
    }

    /// Keeps the values for the next build. A failure only makes it slower.
    pub fn save(&self) {
        let (known, kept) = &mut *self.known();
        let Some((file, made_by)) = self.file.as_ref().filter(|_| known.len() > *kept) else {
            return;
        };
        if known.len() > MAX {
            known.clear();
        }
        let mut values: Vec<(Hash, V)> = known
            .iter()
            .map(|(key, value)| (*key, value.clone()))
            .collect();
        values.sort_unstable();
        let _ = keep_value(file, made_by, &values);
        *kept = known.len();
    }

    fn known(&self) -> MutexGuard<'_, (HashMap<Hash, V>, usize)> {
        // Poisoned only if another thread panicked while inserting; the table is intact.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
