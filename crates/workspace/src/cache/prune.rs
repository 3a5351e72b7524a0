//! The content of the cache folder, and how it is kept within limits.
//!
//! The time of a file is the time of its last use, to the day. A build adds the bytes it wrote to a tally, so that it
//! counts the files of a kind only if that kind exceeds its limit, and once a day.

#![expect(
    clippy::disallowed_methods,
    reason = "ages of files and of requests are measured; no output depends on them"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::{Kind, TEMPORARY, keep};

/// The file with the tally.
const TALLY: &str = "sizes";
/// A day: how often the time of a used file is updated, how long a tally is trusted (it misses what other processes wrote
/// at the same time), and the age from which a temporary file is left over from a killed build.
const DAY: Duration = Duration::from_hours(24);

/// Folders and files that are not entries of the store: parsed posts and entries, values computed from texts, headers
/// of photographs, manifests of builds, good responses of other sites.
const OTHERS: [&str; 7] = [
    "posts",
    "entries",
    "texts",
    "photographs",
    "records",
    "external.json",
    super::FORMS,
];
/// The last good answer of a CMS. It cannot be computed again while the CMS is away, so it is never removed.
const SNAPSHOT: &str = "blog-snapshot";

/// The content of a part of the cache folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Its name in the cache folder; `other` for what is not listed by name.
    pub name: &'static str,
    /// The number of files.
    pub entries: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// When one of them was used last, in seconds since 1970. `None` if there are none.
    pub last_used: Option<i64>,
    /// The maximum size in bytes; `None` without a limit.
    pub limit: Option<u64>,
}

/// The files that were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemovedFiles {
    /// The number of files.
    pub entries: usize,
    /// Their size in bytes.
    pub bytes: u64,
}

impl std::iter::Sum for RemovedFiles {
    fn sum<I: Iterator<Item = RemovedFiles>>(all: I) -> RemovedFiles {
        all.fold(RemovedFiles::default(), |sum, one| RemovedFiles {
            entries: sum.entries + one.entries,
            bytes: sum.bytes + one.bytes,
        })
    }
}

struct CachedFile {
    path: PathBuf,
    bytes: u64,
    /// A time in the future counts as now.
    used: SystemTime,
}

#[derive(Default, Serialize, Deserialize)]
struct Tally {
    /// When the files were counted, in seconds since 1970.
    counted: u64,
    /// Bytes by folder.
    bytes: BTreeMap<String, u64>,
}

/// The content of the cache folder.
pub fn usage(folder: &Path) -> Vec<Usage> {
    let now = SystemTime::now();
    let named = Kind::ALL
        .map(|kind| (kind.folder(), Some(kind.limit())))
        .into_iter();
    let named: Vec<_> = named
        .chain(OTHERS.map(|name| (name, None)))
        .chain([(SNAPSHOT, None)])
        .collect();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let other = entries.filter(|entry| named.iter().all(|(known, _)| entry.file_name() != *known));
    let other: Vec<CachedFile> = other.flat_map(|entry| files(&entry.path(), now)).collect();
    let rows = named
        .iter()
        .map(|(name, limit)| row(name, *limit, &files(&folder.join(name), now)));
    rows.chain([row("other", None, &other)]).collect()
}

fn row(name: &'static str, limit: Option<u64>, files: &[CachedFile]) -> Usage {
    let last_used = files.iter().map(|file| seconds(file.used)).max();
    Usage {
        name,
        entries: files.len(),
        bytes: size(files),
        last_used: last_used.map(u64::cast_signed),
        limit,
    }
}

/// Removes the entries of the store that were not used for longer than `age`, and then the oldest ones beyond the
/// limits.
pub fn prune(folder: &Path, age: Duration) -> RemovedFiles {
    let now = SystemTime::now();
    let oldest = now.checked_sub(age).unwrap_or(UNIX_EPOCH);
    let removed =
        Kind::ALL.map(|kind| prune_kind(&folder.join(kind.folder()), kind.limit(), oldest, now).0);
    let _ = fs_err::remove_file(folder.join(TALLY));
    removed.into_iter().sum()
}

/// Removes all that can be computed again.
pub fn remove_all(folder: &Path) -> RemovedFiles {
    let now = SystemTime::now();
    let names = Kind::ALL
        .into_iter()
        .map(Kind::folder)
        .chain(OTHERS)
        .chain([TALLY]);
    names
        .map(|name| remove(files(&folder.join(name), now), &folder.join(name)))
        .sum()
}

/// Keeps the kinds within their limits, given the bytes that a run wrote of each. Does nothing for a kind of which it
/// wrote none.
pub(super) fn settle(folder: &Path, written: [u64; Kind::ALL.len()], now: SystemTime) {
    if written.iter().all(|bytes| *bytes == 0) {
        return;
    }
    let file = folder.join(TALLY);
    let known: Option<Tally> = std::fs::read(&file)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let recent = known.filter(|tally| {
        seconds(now)
            .checked_sub(tally.counted)
            .is_some_and(|age| age < DAY.as_secs())
    });
    let mut tally = recent.unwrap_or_else(|| Tally {
        counted: seconds(now),
        bytes: BTreeMap::new(),
    });
    for (kind, written) in Kind::ALL
        .into_iter()
        .zip(written)
        .filter(|(_, written)| *written > 0)
    {
        let estimate = tally
            .bytes
            .get(kind.folder())
            .map(|bytes| bytes.saturating_add(written));
        let bytes = estimate.filter(|bytes| *bytes <= kind.limit());
        let bytes = bytes.unwrap_or_else(|| {
            prune_kind(&folder.join(kind.folder()), kind.limit(), UNIX_EPOCH, now).1
        });
        tally.bytes.insert(kind.folder().to_owned(), bytes);
    }
    // Without a tally, the next build counts again.
    let _ = keep(&file, &serde_json::to_vec(&tally).unwrap_or_default());
}

/// Removes what was not used since `oldest`. If more than `limit` bytes are left, removes the oldest files until a tenth
/// of the limit is free, so that not every build has to. Returns what is gone, and the bytes that are left.
fn prune_kind(
    folder: &Path,
    limit: u64,
    oldest: SystemTime,
    now: SystemTime,
) -> (RemovedFiles, u64) {
    let mut all = files(folder, now);
    all.sort_by_key(|file| file.used);
    let total = size(&all);
    let (mut left, mut gone) = (total, Vec::new());
    let target = if total > limit {
        limit - limit / 10
    } else {
        limit
    };
    for file in all {
        let is_left_over = file
            .path
            .extension()
            .is_some_and(|extension| extension == TEMPORARY)
            && now.duration_since(file.used).is_ok_and(|age| age > DAY);
        if file.used < oldest || left > target || is_left_over {
            left -= file.bytes;
            gone.push(file);
        }
    }
    (remove(gone, folder), left)
}

/// Updates the time of a file, which is the time of its last use, unless that was done within a day. A time in the
/// future comes from another machine's clock.
pub(super) fn mark_used(file: &Path) {
    let now = SystemTime::now();
    let time = std::fs::metadata(file).and_then(|meta| meta.modified());
    let is_recent = time.is_ok_and(|time| now.duration_since(time).is_ok_and(|age| age < DAY));
    if !is_recent && let Ok(file) = std::fs::File::options().append(true).open(file) {
        let _ = file.set_modified(now);
    }
}

/// Removes files, and the folders below `top` that become empty.
fn remove(files: Vec<CachedFile>, top: &Path) -> RemovedFiles {
    let mut removed = RemovedFiles::default();
    for file in files {
        if fs_err::remove_file(&file.path).is_ok() {
            removed.entries += 1;
            removed.bytes += file.bytes;
        }
        let folders = file
            .path
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(top));
        // Fails for the first folder that is not empty.
        let _ = folders.map(fs_err::remove_dir).find(Result::is_err);
    }
    removed
}

fn files(folder: &Path, now: SystemTime) -> Vec<CachedFile> {
    let entries = WalkDir::new(folder)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file());
    let files = entries.filter_map(|entry| {
        let meta = entry.metadata().ok()?;
        let used = meta.modified().ok()?.min(now);
        Some(CachedFile {
            path: entry.into_path(),
            bytes: meta.len(),
            used,
        })
    });
    files.collect()
}

fn size(files: &[CachedFile]) -> u64 {
    files.iter().map(|file| file.bytes).sum()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    /// Files of 100 bytes, with the hours since each was used; negative for a time in the future.
    fn folder(hours: &[(&str, i32)]) -> (tempfile::TempDir, SystemTime) {
        let folder = tempfile::tempdir().expect("a folder");
        let now = SystemTime::now();
        for (name, hours) in hours {
            let file = folder.path().join("pictures").join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(&file, [0; 100]).expect("a file");
            let age = HOUR * hours.unsigned_abs();
            let time = if *hours < 0 { now + age } else { now - age };
            std::fs::File::options()
                .append(true)
                .open(&file)
                .and_then(|file| file.set_modified(time))
                .expect("a time");
        }
        (folder, now)
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = files(folder, SystemTime::now())
            .into_iter()
            .map(|file| {
                file.path
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_entries_that_were_not_used_longest_go_first() {
        let (folder, now) = folder(&[
            ("a/old", 300),
            ("a/new", 1),
            ("b/older", 400),
            ("future", -5000),
        ]);
        let (removed, left) = prune_kind(&folder.path().join("pictures"), 399, UNIX_EPOCH, now);
        assert_eq!(
            (removed, left),
            (
                RemovedFiles {
                    entries: 1,
                    bytes: 100
                },
                300
            )
        );
        assert_eq!(names(folder.path()), ["future", "new", "old"]);
        assert!(
            !folder.path().join("pictures/b").exists(),
            "an empty folder is left"
        );
    }

    #[test]
    fn old_entries_go_at_a_given_age_and_temporary_files_after_a_day() {
        let (folder, now) = folder(&[
            ("old", 300),
            ("new", 1),
            ("x.1-1.part", 30),
            ("y.1-1.part", 1),
        ]);
        let (removed, _) = prune_kind(
            &folder.path().join("pictures"),
            u64::MAX,
            now - 200 * HOUR,
            now,
        );
        assert_eq!(removed.entries, 2);
        assert_eq!(names(folder.path()), ["new", "y.1-1.part"]);
    }

    #[test]
    fn a_tally_avoids_counting_within_a_day() {
        let (folder, now) = folder(&[("a", 1), ("b", 1)]);
        let tally = || -> Tally {
            serde_json::from_slice(&std::fs::read(folder.path().join(TALLY)).expect("a tally"))
                .expect("JSON")
        };
        settle(folder.path(), [200, 0, 0, 0, 0, 0, 0], now);
        assert_eq!(tally().bytes["pictures"], 200);
        settle(folder.path(), [50, 0, 0, 0, 0, 0, 0], now + HOUR);
        assert_eq!(
            tally().bytes["pictures"],
            250,
            "the files were counted again"
        );
        settle(folder.path(), [50, 0, 0, 0, 0, 0, 0], now + 25 * HOUR);
        assert_eq!(tally().bytes["pictures"], 200);
        // A tally from a clock that was ahead, or a damaged one, is not trusted.
        settle(folder.path(), [50, 0, 0, 0, 0, 0, 0], now);
        assert_eq!(tally().bytes["pictures"], 200);
        std::fs::write(folder.path().join(TALLY), "damaged").expect("a file");
        settle(folder.path(), [50, 0, 0, 0, 0, 0, 0], now);
        assert_eq!(tally().bytes["pictures"], 200);
    }

    #[test]
    fn everything_is_listed_and_all_but_the_snapshot_is_removed() {
        let (folder, _) = folder(&[("a", 1), ("b/c", 30)]);
        for name in [
            "records/1",
            "photographs",
            "blog-snapshot/posts.json",
            "lock",
        ] {
            keep(&folder.path().join(name), b"12345").expect("a file");
        }
        let rows = usage(folder.path());
        let row = |name: &str| {
            rows.iter()
                .find(|row| row.name == name)
                .map(|row| (row.entries, row.bytes))
        };
        assert_eq!(row("pictures"), Some((2, 200)));
        assert_eq!(row("records"), Some((1, 5)));
        assert_eq!(row("other"), Some((1, 5)));
        assert_eq!(
            remove_all(folder.path()),
            RemovedFiles {
                entries: 4,
                bytes: 210
            }
        );
        assert_eq!(names(folder.path()), ["lock", "posts.json"]);
    }
}
