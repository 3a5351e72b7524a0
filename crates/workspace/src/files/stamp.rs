//! Detects changes of files by their metadata.
//!
//! Timestamps have a limited resolution (up to two seconds), and a network file system has a clock of its own. So an
//! unchanged stamp proves nothing about a file that was changed within the current tick. A [`Clock`] settles that: an
//! empty file is written to the cache before any source is read. A file that is older than it gets another stamp with
//! each later change.

use std::path::Path;

use rustix::fs::Stat;
use serde::{Deserialize, Serialize};

/// The metadata of a file. Times are in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    length: u64,
    inode: u64,
    modified: i64,
    /// ctime. Unlike mtime, programs cannot set it.
    changed: i64,
}

impl Stamp {
    /// The stamp, and the device number.
    pub(super) fn read(stat: &Stat) -> (Stamp, i128) {
        let stamp = Stamp {
            length: u64::try_from(stat.st_size).unwrap_or_default(),
            inode: stat.st_ino,
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        };
        (stamp, stat.st_dev.into())
    }

    /// The stamp of a file, and the device number.
    pub(super) fn of(file: &Path) -> Option<(Stamp, i128)> {
        Some(Stamp::read(&rustix::fs::stat(file).ok()?))
    }

    /// The stamp of an open file.
    pub fn of_open(file: &std::fs::File) -> Option<Stamp> {
        Some(Stamp::read(&rustix::fs::fstat(file).ok()?).0)
    }

    /// The length of the file, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The stamp of a text that no file holds yet. It is older than every clock: the text itself is in it.
    pub(super) fn of_unsaved(text: &str) -> Stamp {
        let hash = blake3::hash(text.as_bytes());
        let [length, inode] = [0, 8].map(|at| {
            hash.as_bytes()[at..at + 8]
                .iter()
                .fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
        });
        Stamp {
            length,
            inode,
            modified: 0,
            changed: i64::MIN,
        }
    }

    /// The fields as bytes, for a hash.
    pub fn bytes(&self) -> [u8; 32] {
        let Stamp {
            length,
            inode,
            modified,
            changed,
        } = *self;
        let mut bytes = [0; 32];
        let fields = [
            length,
            inode,
            modified.cast_unsigned(),
            changed.cast_unsigned(),
        ];
        bytes
            .chunks_exact_mut(8)
            .zip(fields)
            .for_each(|(chunk, field)| chunk.copy_from_slice(&field.to_le_bytes()));
        bytes
    }
}

/// A time of the kernel, in nanoseconds since 1970. Times after 2262 are all the same.
pub fn nanoseconds(seconds: impl Into<i128>, nanoseconds: impl Into<i128>) -> i64 {
    i64::try_from(seconds.into() * 1_000_000_000 + nanoseconds.into()).unwrap_or(i64::MAX)
}

/// A moment by the clock of a file system.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    device: i128,
    changed: i64,
}

impl Clock {
    /// The moment at which a file was written; `None` if it has no metadata.
    pub fn of(file: &Path) -> Option<Clock> {
        let (stamp, device) = Stamp::of(file)?;
        Some(Clock {
            device,
            changed: stamp.changed,
        })
    }

    /// The device number of the file system.
    pub(super) fn device(&self) -> i128 {
        self.device
    }

    /// Whether a file of the same file system may have been changed since this moment.
    pub fn may_be_before_change_of(&self, file: &Path) -> bool {
        Stamp::of(file)
            .is_some_and(|(stamp, device)| device == self.device && !self.is_after(&stamp))
    }

    /// Whether a file of the same file system was changed before this moment, so that a later change is sure to give
    /// it another stamp.
    pub fn is_after(&self, stamp: &Stamp) -> bool {
        stamp.changed < self.changed
    }
}

/// The state of a single file, which shows whether it has changed.
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
    /// The state of a file that was not changed after `clock`; `None` if it may have been. On another file system, such as a
    /// volume for packages, the next tick may be far away, so that the bytes of the file count.
    pub fn settled(file: &Path, clock: Clock) -> Option<FileState> {
        let Some((stamp, device)) = Stamp::of(file) else {
            return Some(FileState::Missing);
        };
        clock.is_after(&stamp).then(|| {
            if device == clock.device {
                FileState::Stamp(stamp)
            } else {
                FileState::hashed(file)
            }
        })
    }

    /// The hash of a file.
    pub fn hashed(file: &Path) -> FileState {
        std::fs::read(file).map_or(FileState::Missing, |bytes| {
            FileState::Hash(*blake3::hash(&bytes).as_bytes())
        })
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
    Stamp::of(a)
        .zip(Stamp::of(b))
        .is_some_and(|((_, one), (_, other))| one == other)
}
