//! Compares the inputs of a build with those of the last one, without reading a source file.
//!
//! The manifest holds the state of the source folders, the settings, the state of packages, and the warnings of the
//! last build. While all of these are the same and the output is complete, the build reports the warnings again and
//! ends. The shortcut is not taken with posts of a CMS or new entries from a URL, or if a scheduled post is due. `serve`
//! does not use it, because it needs the plan.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use config::Config;
use content::kept_answers;
use diagnostics::problem::{Code, Problems};
use schema::types::Moment;
use workspace::files::FileState;
use workspace::sources::Hash;

use config::source_index::{ChangedKinds, SourceIndex, SourceState};

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
    sources: SourceState,
    /// The hash of the responses with entries.
    answers: Option<Hash>,
    /// Files outside the source folders: those of packages that were read, and `leads.json`.
    others: Vec<(PathBuf, FileState)>,
    /// The time of the build, and the time at which a post is due or expires; both in seconds since 1970.
    during: (i64, Option<i64>),
    /// Whether it was a build. A preview leaves photographs and the index of the search to one.
    pub is_whole: bool,
    /// Whether it checked texts, as a strict build does.
    pub checks_texts: bool,
    /// The numbers of pages and assets.
    pub counts: Counts,
    /// The warnings of the build.
    pub problems: Problems,
    /// Those about the links of all files, which stay while no link changes: their places are files or lines of templates.
    pub link_problems: Problems,
}

/// The results of a build.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are those of UpToDate")]
pub struct BuildOutcome {
    pub counts: Counts,
    pub problems: Problems,
    pub link_problems: Problems,
    pub is_whole: bool,
}

impl UpToDate {
    /// The inputs of the build that has just been published. `packages` are the files of packages that it read,
    /// `written` is `leads.json`. `None` if metadata does not show every change, or a package was changed after the
    /// build began.
    pub fn new(
        config: &Config,
        sources: &SourceIndex,
        packages: impl Iterator<Item = PathBuf>,
        written: PathBuf,
        next_change: Option<Moment>,
        outcome: BuildOutcome,
    ) -> Option<UpToDate> {
        let BuildOutcome {
            counts,
            problems,
            link_problems,
            is_whole,
        } = outcome;
        let (state, clock) = (sources.state()?, sources.clock()?);
        // The next answer may be better than the one that a warning is about.
        if config.may_fetch_entries()
            && problems
                .iter()
                .any(|problem| problem.code == Code::EntriesSource)
        {
            return None;
        }
        let mut others: Vec<_> = packages
            .map(|file| {
                let file = config.paths.root.join(file);
                let state = FileState::settled(&file, clock)?;
                Some((file, state))
            })
            .collect::<Option<_>>()?;
        let state_of_written = FileState::hashed(&written);
        others.push((written, state_of_written));
        Some(UpToDate {
            sources: state,
            answers: kept_answers(config),
            others,
            during: (config.run.now.0, next_change.map(|moment| moment.0)),
            is_whole,
            checks_texts: config.run.strict,
            counts,
            problems,
            link_problems,
        })
    }

    /// The kinds of sources that have changed since.
    pub fn changes(&self, config: &Config, sources: &SourceIndex) -> ChangedKinds {
        let (from, until) = self.during;
        let now = config.run.now.0;
        let is_same = from <= now
            && until.is_none_or(|until| now < until)
            && self.others.iter().all(|(file, state)| state.holds(file))
            && self.answers == kept_answers(config);
        match sources.state().filter(|_| is_same) {
            Some(state) => state.changes_since(&self.sources),
            None => ChangedKinds::ALL,
        }
    }
}
