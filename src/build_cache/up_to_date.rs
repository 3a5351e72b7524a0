//! Checks whether any input has changed since the last build. If none has, the build ends without reading a source
//! file.
//!
//! The manifest begins with a hash of the names and stamps (size, inode, times) of all files in the source folders, the
//! resolved settings, the stamps of packages, and the warnings of the last build. While all of these are the same and
//! the output is complete, the build reports the warnings again and ends.
//!
//! The timestamps of a file system have a limited resolution, so an unchanged stamp does not prove that a file was not
//! changed within the current tick. Therefore a file is written to the cache before any source is read, and the sources
//! are trusted only if all of them are older than it. The shortcut is not taken with symbolic links, several file
//! systems, posts of a CMS, or a scheduled post that is due. `serve` does not use it, because it needs the plan.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cache;
use crate::config::{BlogSource, Config};
use crate::content_types::Moment;
use crate::files::{self, Stamp, Tree};
use diagnostics::problem::Problems;

use super::{Hash, hash_value};

/// How often the scan is repeated if a file was saved in the tick in which the build began.
const TRIES: usize = 3;
/// The wait before the scan is repeated.
const TICK: Duration = Duration::from_millis(5);

/// The hashes of the settings, and of the names and stamps of all source files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndex {
    settings: Hash,
    files: [u8; 32],
}

impl SourceIndex {
    /// Scans the source folders. Must be called before any source is read. `None` if stamps are not sufficient: posts
    /// come from a CMS, there are symbolic links, the file system lacks metadata, or files keep changing.
    pub fn scan(config: &Config) -> Option<SourceIndex> {
        if config.site.blog.source != BlogSource::Markdown {
            return None;
        }
        // The flags and the environment variables, as resolved. `site.yaml` is one of the files.
        let settings = hash_value(&(&config.run, &config.paths));
        let clock = config.paths.cache.join("clock");
        for _ in 0..TRIES {
            cache::keep(&clock, &[]).ok()?;
            let tree = Tree::of(&config.paths.root, files::SOURCES)?;
            if tree.is_older_than(&clock) {
                return Some(SourceIndex { settings, files: tree.sum });
            }
            std::thread::sleep(TICK);
        }
        None
    }
}

/// The numbers of pages and assets of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages by locale code, copies and error pages included.
    pub pages: BTreeMap<String, usize>,
    /// Files that are not pages.
    pub assets: usize,
    /// Bytes of each island's script compressed with brotli, and of the scripts that all islands share.
    pub islands: (BTreeMap<String, usize>, usize),
}

/// The inputs of a build, with its counts and warnings.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpToDate {
    sources: SourceIndex,
    /// Files outside the source folders: packages that were read, and `leads.json`.
    others: Vec<(PathBuf, Option<Stamp>)>,
    /// The time of the build, and the time at which a post is due or expires; both in seconds since 1970.
    during: (i64, Option<i64>),
    /// The numbers of pages and assets.
    pub counts: Counts,
    /// The warnings of the build.
    pub problems: Problems,
}

impl UpToDate {
    /// The inputs of the build that has just been published. `packages` are the files of packages that it read,
    /// `written` is `leads.json`. `None` if a package was changed after the build began.
    pub fn new(
        config: &Config,
        sources: SourceIndex,
        packages: impl Iterator<Item = PathBuf>,
        written: PathBuf,
        next_change: Option<Moment>,
        (counts, problems): (Counts, Problems),
    ) -> Option<UpToDate> {
        let stamped = |file: PathBuf| {
            let file = config.paths.root.join(file);
            let stamp = Stamp::of(&file);
            (file, stamp)
        };
        let mut others: Vec<_> = packages.map(stamped).collect();
        let is_older = |stamp: &Stamp| stamp.is_older_than(config.run.began);
        others.iter().all(|(_, stamp)| stamp.as_ref().is_none_or(is_older)).then_some(())?;
        others.push(stamped(written));
        Some(UpToDate {
            sources,
            others,
            during: (config.run.now.0, next_change.map(|moment| moment.0)),
            counts,
            problems,
        })
    }

    /// Whether a build would read the same inputs now.
    pub fn holds(&self, config: &Config, sources: &SourceIndex) -> bool {
        let (from, until) = self.during;
        let now = config.run.now.0;
        self.sources == *sources
            && from <= now
            && until.is_none_or(|until| now < until)
            && self.others.iter().all(|(file, stamp)| Stamp::of(file) == *stamp)
    }
}
