//! The compressed sizes of style sheets, which budgets and the style guide need. To compress takes longer than all else that is
//! done with a sheet, so each text is compressed once, and its size is kept for the next build.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;

use crate::output::compressed;
use site::config::Config;
use site::sources::{Hash, hash, keep_value, kept_value};

/// The name of the file, in the cache folder.
const FILE: &str = "compressed-sizes";
/// A file with more sizes than this one is begun anew: most of them are of texts that no page has anymore.
const MAX: usize = 20_000;

/// Sizes in bytes by the hash of the text.
type Sizes = HashMap<Hash, usize>;

/// Compresses texts to learn their size.
#[derive(Debug, Default)]
pub struct CompressedSizes {
    file: Option<PathBuf>,
    /// All sizes, and how many of them the file has.
    known: Mutex<(Sizes, usize)>,
}

impl CompressedSizes {
    /// The sizes that an earlier build has kept.
    pub fn open(config: &Config) -> CompressedSizes {
        let file = config.paths.cache.join(FILE);
        let kept: Vec<(Hash, usize)> = kept_value(&file).unwrap_or_default();
        let kept: Sizes = kept.into_iter().collect();
        let count = kept.len();
        CompressedSizes { file: Some(file), known: Mutex::new((kept, count)) }
    }

    /// The size of a text, compressed as hosts send it.
    pub fn of(&self, text: &[u8]) -> usize {
        let key = hash(text);
        let known = self.known().0.get(&key).copied();
        known.unwrap_or_else(|| {
            let size = compressed(text);
            self.known().0.insert(key, size);
            size
        })
    }

    /// Keeps the sizes for the next build. A failure only makes it slower.
    pub fn save(&self) {
        let (known, kept) = &mut *self.known();
        let Some(file) = self.file.as_ref().filter(|_| known.len() > *kept) else { return };
        if known.len() > MAX {
            known.clear();
        }
        let mut sizes: Vec<(Hash, usize)> = known.iter().map(|(key, size)| (*key, *size)).collect();
        sizes.sort_unstable();
        let _ = keep_value(file, &sizes);
        *kept = known.len();
    }

    fn known(&self) -> MutexGuard<'_, (Sizes, usize)> {
        // Poisoned only if another thread panicked while inserting; the table is intact.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
