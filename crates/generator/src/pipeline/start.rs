//! The state before the first source is read: the last build, and the changes since. So a build that has
//! nothing to do ends here, and one in which only the text of posts has changed renders only their pages.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::MADE_BY;
use crate::indexing;
use config::Config;
use config::source_index::ChangedKinds;
use diagnostics::problem::Problems;
use manifest::{BuildManifest, Impact, LoadStatus, PageEntry, RenderCache};
use publish::OutputState;
use site::Workspace;
use site::model::Site;
use site::routes::file_of;
use workspace::parallel;
use workspace::timings::Timings;

use super::{Purpose, Report};

/// The number of source files and folders from which a site is large. It then takes hundreds of MiB of memory.
const LARGE: usize = 5000;

/// The state before the first source is read.
pub(super) struct Start {
    pub at: Instant,
    pub last_build: BuildManifest,
    pub status: LoadStatus,
    pub changes: ChangedKinds,
    /// Whether this build makes no more than the last one, so that outputs of unchanged sources are the same.
    pub is_whole: bool,
}

impl Start {
    pub(super) fn of(
        workspace: &Workspace,
        purpose: Purpose,
        has_news: bool,
        timings: &Timings,
    ) -> Start {
        let config = workspace.config();
        let at = Instant::now();
        // Scanning and loading take memory, too.
        use_huge_pages(BuildManifest::is_large(config));
        let (sources, loaded) = parallel::join(
            || timings.stage("scan", || workspace.sources()),
            || timings.stage("load cache", || BuildManifest::load(config, MADE_BY)),
        );
        use_huge_pages(sources.count() >= LARGE);
        let status = loaded.as_ref().err().copied().unwrap_or(LoadStatus::Loaded);
        let last_build = loaded.unwrap_or_default();
        let known = last_build
            .up_to_date
            .as_ref()
            .filter(|_| purpose.publishes() && !has_news);
        let changes = known.map_or(ChangedKinds::ALL, |known| known.changes(config, sources));
        // A build makes what the preview has left out, a strict one also checks what others do not, and the preview runs every stage for its plan.
        let is_whole = purpose == Purpose::Build
            && known.is_some_and(|known| known.is_whole && known.checks_texts == config.run.strict);
        Start {
            at,
            last_build,
            status,
            changes,
            is_whole,
        }
    }

    /// The report and the warnings of the last build, if no input has changed and its output is complete.
    pub(super) fn report_if_up_to_date(&self, config: &Config) -> Option<(Report, Problems)> {
        let known = self
            .last_build
            .up_to_date
            .as_ref()
            .filter(|_| self.is_whole && self.changes.is_empty())?;
        let is_whole = OutputState::is_whole(config, &self.last_build)
            && self
                .last_build
                .search
                .as_ref()
                .is_none_or(|(_, build)| indexing::has(&config.paths.search, build));
        if !is_whole {
            return None;
        }
        BuildManifest::note_up_to_date(config);
        let (counts, time) = (known.counts.clone(), self.at.elapsed());
        Some((
            Report {
                counts,
                was_up_to_date: true,
                changes: None,
                touched: 0,
                time,
            },
            known.problems.clone(),
        ))
    }

    /// Whether all changes are possibly in the texts of posts.
    pub(super) fn may_be_texts(&self, changes: ChangedKinds) -> bool {
        self.is_whole && changes.posts && !changes.entries && !changes.others
    }

    /// Reads the pages of the last build, unless few of them will be rendered. Returns whether the whole cache can be
    /// used.
    pub(super) fn read_pages(&self, changes: ChangedKinds, timings: &Timings) -> LoadStatus {
        let is_needed = self.status == LoadStatus::Loaded && !self.may_be_texts(changes);
        let is_damaged = is_needed && !timings.stage("load pages", || self.last_build.has_pages());
        if is_damaged {
            LoadStatus::Damaged
        } else {
            self.status
        }
    }
}

/// Lets the kernel use huge pages for what is allocated from now on. A large site is built up to a tenth faster with them;
/// a small one would only take more memory, because each thread fills pages of its own.
fn use_huge_pages(are_used: bool) {
    // Without them a build is only slower.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(!are_used);
    #[cfg(not(target_os = "linux"))]
    let _ = are_used;
}

/// The cache entries of the pages that were rendered or looked up, by file; `None` for a page with a mistake.
pub(super) fn rendered_pages(
    site: &Site,
    render_cache: &RenderCache,
    impact: &Impact,
) -> BTreeMap<String, Option<PageEntry>> {
    let mut rendered: BTreeMap<_, _> = impact
        .pages()
        .map(|page| (file_of(&site.pages[page].path), None))
        .collect();
    rendered.append(&mut render_cache.take());
    rendered
}
