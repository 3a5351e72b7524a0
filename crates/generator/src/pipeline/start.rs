//! What is known before the first source is read: the last build, and what has changed since. So a build that has
//! nothing to do ends here, and one in which only the text of posts has changed renders only their pages.

use std::collections::BTreeMap;
use std::time::Instant;

use foldhash::{HashMap, HashSet};

use crate::build_cache::{BuildManifest, Links, LoadStatus, PageEntry, RenderCache};
use crate::indexing;
use crate::link_check::sum_of_links;
use crate::output::Output;
use crate::publish::OutputState;
use crate::timings::Timings;
use diagnostics::problem::Problems;
use site::config::Config;
use site::content::blog::PostHashes;
use site::model::{Page, Site};
use site::parallel;
use site::routes::file_of;
use site::sources::{SourceChanges, SourceIndex};

use super::{Purpose, Report};

/// The number of source files and folders from which a site is large. It then takes hundreds of MiB of memory.
const LARGE: usize = 5000;

/// What is known before the first source is read.
pub(super) struct Start {
    pub at: Instant,
    pub sources: SourceIndex,
    pub last_build: BuildManifest,
    pub status: LoadStatus,
    pub changes: SourceChanges,
}

impl Start {
    pub(super) fn of(config: &Config, purpose: Purpose, timings: &Timings) -> Start {
        let at = Instant::now();
        // Scanning and loading take memory, too.
        use_huge_pages(BuildManifest::is_large(config));
        let (sources, loaded) = parallel::join(
            || timings.stage("scan", || SourceIndex::scan(config)),
            || timings.stage("load cache", || BuildManifest::load(config)),
        );
        use_huge_pages(sources.count() >= LARGE);
        let status = loaded.as_ref().err().copied().unwrap_or(LoadStatus::Loaded);
        let last_build = loaded.unwrap_or_default();
        let known = last_build.up_to_date.as_ref().filter(|_| purpose == Purpose::Build);
        let changes = known.map_or(SourceChanges::Any, |known| known.changes(config, &sources));
        Start { at, sources, last_build, status, changes }
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

    /// Reads the pages of the last build, unless few of them will be rendered. Returns whether the whole cache can be
    /// used.
    pub(super) fn read_pages(&self, changes: SourceChanges, timings: &Timings) -> LoadStatus {
        let is_needed = self.status == LoadStatus::Loaded && changes == SourceChanges::Any;
        let is_damaged = is_needed && !timings.stage("load pages", || self.last_build.has_pages());
        if is_damaged { LoadStatus::Damaged } else { self.status }
    }

    /// The pages to render if nothing but the bodies of some posts has changed since the last build; `None` for all.
    pub(super) fn changed_posts(
        &self,
        changes: SourceChanges,
        site: &Site,
        output_state: &OutputState,
    ) -> Option<HashSet<usize>> {
        // A warning of the last build would have to be found again.
        let had_warnings = self.last_build.up_to_date.as_ref().is_none_or(|last| !last.problems.is_empty());
        if changes != SourceChanges::Posts || had_warnings || !output_state.is_complete() {
            return None;
        }
        let changed = site.blog.content.hashes().changed_texts(&self.last_build.posts)?;
        let is_changed = |page: &Page| page.body.post().is_some_and(|post| changed.contains(&post));
        let pages = site.pages.iter().enumerate().filter(|(_, page)| is_changed(page));
        Some(pages.map(|(index, _)| index).collect())
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
    only: Option<&HashSet<usize>>,
) -> BTreeMap<String, Option<PageEntry>> {
    let mut rendered: BTreeMap<_, _> =
        only.into_iter().flatten().map(|page| (file_of(&site.pages[*page].path), None)).collect();
    rendered.append(&mut render_cache.take());
    rendered
}

/// Whether one of these files, of the pages of posts, has other links or ids than the last build's version of it.
pub(super) fn have_other_links(
    site: &Site,
    last_build: &BuildManifest,
    pages: &HashSet<usize>,
    rendered: &[Output],
) -> bool {
    let sum = |page: &Page| Some((file_of(&page.path), *last_build.posts.links.get(page.body.post()?)?));
    let known: HashMap<String, u64> = pages.iter().filter_map(|page| sum(&site.pages[*page])).collect();
    rendered.iter().any(|output| sum_of_links(output).is_some_and(|sum| known.get(&output.path) != Some(&sum)))
}

/// The hashes of all posts and, unless they are those of the last build, of the links of their pages.
pub(super) fn post_hashes(site: &Site, links: Option<&Links>, last_build: &BuildManifest) -> PostHashes {
    let mut hashes = site.blog.content.hashes();
    let Some(links) = links else { return PostHashes { links: last_build.posts.links.clone(), ..hashes } };
    hashes.links = vec![0; site.blog.content.posts.len()];
    for (post, page) in post_pages(site) {
        hashes.links[post] = links.files.get(&file_of(&page.path)).map_or(0, |links| links.sum);
    }
    hashes
}

/// The pages of posts, with the indices of the posts.
pub(super) fn post_pages(site: &Site) -> impl Iterator<Item = (usize, &Page)> {
    site.pages.iter().filter_map(|page| Some((page.body.post()?, page)))
}
