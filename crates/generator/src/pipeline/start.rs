//! What is known before the first source is read: the last build, and what has changed since. So a build that has
//! nothing to do ends here, and one in which only the text of posts has changed renders only their pages.

use std::collections::BTreeMap;
use std::time::Instant;

use foldhash::HashSet;

use crate::build_cache::{
    BuildManifest, Links, LoadStatus, PageEntry, RebuildReason, RenderCache, SourceChanges, SourceIndex, UnreadParts,
};
use crate::config::Config;
use crate::indexing;
use crate::link_check::sum_of_links;
use crate::model::{BlogPage, Body, Page, Site};
use crate::output::Output;
use crate::parallel;
use crate::publish::OutputState;
use crate::routes::file_of;
use crate::timings::Timings;
use diagnostics::problem::Problems;

use super::{Purpose, Report};

/// What is known before the first source is read.
pub(super) struct Start {
    pub at: Instant,
    pub sources: SourceIndex,
    pub last_build: BuildManifest,
    pub status: LoadStatus,
    /// What [`Start::complete`] reads.
    unread: Option<UnreadParts>,
    changes: SourceChanges,
}

impl Start {
    pub(super) fn of(config: &Config, purpose: Purpose, timings: &Timings) -> Start {
        let at = Instant::now();
        let (sources, loaded) = parallel::join(
            || timings.stage("scan", || SourceIndex::scan(config)),
            || timings.stage("load cache", || BuildManifest::load(config)),
        );
        let (last_build, unread, status) = match loaded {
            Ok((last_build, unread)) => (last_build, Some(unread), LoadStatus::Loaded),
            Err(status) => (BuildManifest::default(), None, status),
        };
        let known = last_build.up_to_date.as_ref().filter(|_| purpose == Purpose::Build);
        let changes = known.map_or(SourceChanges::Any, |known| known.changes(config, &sources));
        Start { at, sources, last_build, status, unread, changes }
    }

    /// Reads the rest of the manifest. A build that has something to do calls this before it uses the manifest.
    pub(super) fn complete(mut self, timings: &Timings) -> Start {
        if let Some(unread) = self.unread.take() {
            self.status = timings.stage("load cache", || self.last_build.complete(&unread));
        }
        if self.status != LoadStatus::Loaded {
            self.changes = SourceChanges::Any;
        }
        self
    }

    /// The report and the warnings of the last build, if no input has changed and its output is complete.
    pub(super) fn report_if_up_to_date(&self, config: &Config) -> Option<(Report, Problems)> {
        let known = self.last_build.up_to_date.as_ref().filter(|_| self.changes == SourceChanges::Nothing)?;
        let is_whole = OutputState::is_whole(config, &self.last_build)
            && self.last_build.search.as_ref().is_none_or(|(_, build)| indexing::has(&config.paths.search, build));
        if !is_whole {
            return None;
        }
        BuildManifest::note_up_to_date(config);
        let (counts, time) = (known.counts.clone(), self.at.elapsed());
        Some((Report { counts, was_up_to_date: true, changes: None, touched: 0, time }, known.problems.clone()))
    }

    /// Decodes the parts of the manifest that a build of all pages needs.
    pub(super) fn decode(&self, timings: &Timings) {
        if self.changes == SourceChanges::Any {
            timings.stage("decode cache", || self.last_build.decode());
        }
    }

    /// The pages to render if nothing but the bodies of some posts has changed since the last build; `None` for all.
    pub(super) fn changed_posts(&self, site: &Site, output_state: &OutputState) -> Option<HashSet<usize>> {
        // A warning of the last build would have to be found again.
        let had_warnings = self.last_build.up_to_date.as_ref().is_none_or(|last| !last.problems.is_empty());
        if self.changes != SourceChanges::Posts || had_warnings || !output_state.is_complete() {
            return None;
        }
        let changed = site.blog.content.hashes().changed_texts(&self.last_build.posts)?;
        let is_changed = |page: &Page| match page.body {
            Body::Blog(BlogPage::Post(index)) => changed.contains(&index),
            _ => false,
        };
        let pages = site.pages.iter().enumerate().filter(|(_, page)| is_changed(page));
        Some(pages.map(|(index, _)| index).collect())
    }
}

/// Whether a file has other links or ids than the last build's version of it.
pub(super) fn has_other_links(last_build: &BuildManifest, output: &Output) -> bool {
    let known = last_build.pages.get(&output.path).map(|entry| entry.links);
    sum_of_links(output).is_some_and(|sum| known != Some(sum))
}

/// The cache entries of all pages, for the next build. If only some pages were rendered, the others are those of the
/// last build.
pub(super) fn page_entries(
    site: &Site,
    last_build: &BuildManifest,
    render_cache: &RenderCache,
    only: Option<&HashSet<usize>>,
    links: Option<&Links>,
) -> BTreeMap<String, PageEntry> {
    let entries = render_cache.take(&|file| match links {
        Some(links) => links.files.get(file).map_or(0, |links| links.sum),
        None => last_build.pages.get(file).map_or(0, |entry| entry.links),
    });
    let Some(only) = only else { return entries };
    let mut all = BTreeMap::clone(&last_build.pages);
    all.values_mut().for_each(|entry| entry.reason = RebuildReason::Unchanged);
    // A page with a mistake has no entry.
    only.iter().for_each(|page| drop(all.remove(&file_of(&site.pages[*page].path))));
    all.extend(entries);
    all
}
