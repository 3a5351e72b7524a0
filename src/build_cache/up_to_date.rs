//! Whether a build would find everything as the last one did. Then there is nothing to do, and no source is read.
//!
//! The manifest begins with a hash of the names and stamps (size, inode, times) of all files in the source folders, the
//! resolved settings, the stamps of packages, and the warnings of the last build. While all of it holds and the output
//! is whole, the build reports those warnings again and ends.
//!
//! File systems count time in steps, so a stamp proves nothing about a file that changes within the current step.
//! Therefore a file is made in the cache before anything is read, and the sources are trusted only if all of them are
//! older than it. Symbolic links, several file systems, posts of a CMS and a scheduled post that is due rule the
//! shortcut out. `serve` does not use it, because it needs what pages are rendered from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cache;
use crate::config::{BlogSource, Config};
use crate::content_types::Moment;
use crate::files::{self, Stamp, Tree};
use diagnostics::problem::Problems;

use super::{Hash, hash};

/// A file saved in the same tick of the clock as the build begins is waited for, so often and so long.
const TRIES: usize = 3;
const TICK: Duration = Duration::from_millis(5);

/// What a build reads of the site's own folders, and how it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIndex {
    settings: Hash,
    files: [u8; 32],
}

impl SourceIndex {
    /// Looks at every file. None when stamps cannot tell: posts come from a CMS, links lead elsewhere, the file system
    /// does not say enough, or somebody keeps saving. To be called before anything is read.
    pub fn scan(config: &Config) -> Option<SourceIndex> {
        if config.site.blog.source != BlogSource::Markdown {
            return None;
        }
        // What was typed, what the environment says, and `site.yaml` with all that was read from it.
        let settings = Config { now: Moment(0), began: 0, ..config.clone() };
        let settings = hash(format!("{settings:?}").as_bytes());
        let clock = config.cache.join("clock");
        for _ in 0..TRIES {
            cache::keep(&clock, &[]).ok()?;
            let tree = Tree::of(&config.root, files::SOURCES)?;
            if tree.is_older_than(&clock) {
                return Some(SourceIndex { settings, files: tree.sum });
            }
            std::thread::sleep(TICK);
        }
        None
    }
}

/// How much a build has made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages by locale code, copies and error pages included.
    pub pages: BTreeMap<String, usize>,
    /// Files that are not pages.
    pub assets: usize,
    /// Bytes of each island's script as a host sends it (brotli), and of what all islands share.
    pub islands: (BTreeMap<String, usize>, usize),
}

/// What a build was made from, and how much it made.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpToDate {
    sources: SourceIndex,
    /// Files elsewhere: packages that were read, and what was written beside the output folder.
    others: Vec<(PathBuf, Option<Stamp>)>,
    /// From this moment to that one, when other posts are published, in seconds since 1970.
    during: (i64, Option<i64>),
    /// How much it made.
    pub counts: Counts,
    /// The warnings that it gave.
    pub problems: Problems,
}

impl UpToDate {
    /// For a build at the moment of `config`. `packages` was read, and `written` has just been put in place. None while
    /// packages are being installed.
    pub fn new(
        config: &Config,
        sources: SourceIndex,
        packages: impl Iterator<Item = PathBuf>,
        written: PathBuf,
        next_change: Option<Moment>,
        (counts, problems): (Counts, Problems),
    ) -> Option<UpToDate> {
        let stamped = |file: PathBuf| {
            let file = config.root.join(file);
            let stamp = Stamp::of(&file);
            (file, stamp)
        };
        let mut others: Vec<_> = packages.map(stamped).collect();
        let is_older = |stamp: &Stamp| stamp.is_older_than(config.began);
        others.iter().all(|(_, stamp)| stamp.as_ref().is_none_or(is_older)).then_some(())?;
        others.push(stamped(written));
        Some(UpToDate { sources, others, during: (config.now.0, next_change.map(|moment| moment.0)), counts, problems })
    }

    /// Whether a build would read the same now.
    pub fn holds(&self, config: &Config, sources: &SourceIndex) -> bool {
        let (from, until) = self.during;
        let now = config.now.0;
        self.sources == *sources
            && from <= now
            && until.is_none_or(|until| now < until)
            && self.others.iter().all(|(file, stamp)| Stamp::of(file) == *stamp)
    }
}
