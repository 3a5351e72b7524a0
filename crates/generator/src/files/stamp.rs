//! Detects changes of files by their metadata.
//!
//! Timestamps have a limited resolution (up to two seconds), and a network file system has a clock of its own. So an
//! unchanged stamp proves nothing about a file that was changed within the current tick. A [`Clock`] settles that: an
//! empty file is written to the cache before any source is read. A file that is older than it gets another stamp with
//! each later change.

use std::fs::Metadata;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The metadata of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    length: u64,
    inode: u64,
    /// mtime, in seconds and nanoseconds since 1970.
    modified: (i64, i64),
    /// ctime, in seconds and nanoseconds since 1970. Unlike mtime, programs cannot set it.
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp and the device number; `None` if the platform has no inode numbers and ctime.
    #[cfg_attr(unix, expect(clippy::unnecessary_wraps, reason = "`None` on other platforms"))]
    pub(super) fn read(meta: &Metadata) -> Option<(Stamp, u64)> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let stamp = Stamp {
                length: meta.len(),
                inode: meta.ino(),
                modified: (meta.mtime(), meta.mtime_nsec()),
                changed: (meta.ctime(), meta.ctime_nsec()),
            };
            Some((stamp, meta.dev()))
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            None
        }
    }

    /// The stamp of a file, and the device number.
    fn of(file: &Path) -> Option<(Stamp, u64)> {
        Stamp::read(&std::fs::metadata(file).ok()?)
    }

    /// The stamp of a text that no file holds yet. It is older than every clock: the text itself is in it.
    pub(super) fn of_unsaved(text: &str) -> Stamp {
        let hash = blake3::hash(text.as_bytes());
        let part = |at: usize| hash.as_bytes()[at..at + 8].iter().fold(0_i64, |sum, byte| sum << 8 | i64::from(*byte));
        Stamp { length: text.len() as u64, inode: 0, modified: (part(0), part(8)), changed: (0, 0) }
    }

    /// The fields as bytes, for a hash.
    pub fn bytes(&self) -> [u8; 48] {
        let Stamp { length, inode, modified, changed } = *self;
        let times = [modified.0, modified.1, changed.0, changed.1].map(i64::cast_unsigned);
        let mut bytes = [0; 48];
        let fields = [length, inode].into_iter().chain(times);
        bytes.chunks_exact_mut(8).zip(fields).for_each(|(chunk, field)| chunk.copy_from_slice(&field.to_le_bytes()));
        bytes
    }
}

/// A moment by the clock of a file system.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    device: u64,
    changed: (i64, i64),
}

impl Clock {
    /// The moment at which a file was written; `None` if it has no metadata.
    pub fn of(file: &Path) -> Option<Clock> {
        let (stamp, device) = Stamp::of(file)?;
        Some(Clock { device, changed: stamp.changed })
    }

    /// The device number of the file system.
    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// Whether a file of the same file system was changed before this moment, so that a later change is sure to give
    /// it another stamp.
    pub fn is_after(&self, stamp: &Stamp) -> bool {
        stamp.changed < self.changed
    }
}

/// What shows whether a single file has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileState {
    /// There is no such file, or it cannot be read.
    Missing,
    /// Its stamp: each later change is sure to give it another one.
    Stamp(Stamp),
    /// The BLAKE3 hash of its bytes.
    Hash([u8; 32]),
}

impl FileState {
    /// The state of a file that was not changed after `clock`; `None` if it may have been.
    pub fn settled(file: &Path, clock: Clock) -> Option<FileState> {
        let Ok(meta) = std::fs::metadata(file) else { return Some(FileState::Missing) };
        let (stamp, device) = Stamp::read(&meta)?;
        (device == clock.device && clock.is_after(&stamp)).then_some(FileState::Stamp(stamp))
    }

    /// The hash of a file.
    pub fn hashed(file: &Path) -> FileState {
        std::fs::read(file).map_or(FileState::Missing, |bytes| FileState::Hash(*blake3::hash(&bytes).as_bytes()))
    }

    /// Whether the file still has this state.
    pub fn holds(&self, file: &Path) -> bool {
        match self {
            FileState::Missing => !file.exists(),
            FileState::Stamp(known) => Stamp::of(file).is_some_and(|(stamp, _)| stamp == *known),
            FileState::Hash(_) => FileState::hashed(file) == *self,
        }
    }
}

/// Whether both paths are on the same file system, so that their timestamps come from the same clock.
pub fn is_one_file_system(a: &Path, b: &Path) -> bool {
    let device = |file: &Path| Some(Stamp::of(file)?.1);
    device(a).is_some_and(|own| device(b) == Some(own))
}
