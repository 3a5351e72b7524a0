//! Finds the impact of a change, and publishes that of one saved text first, before the rest of the site is built, so that
//! its author sees it in about 25 ms regardless of the size of the site.
//!
//! A build knows the impact from the stamps of the sources. `serve` keeps the [`Plan`] of its last build: if a save changed
//! only the text of one post, its workspace takes it up, and the page is rendered and published from that plan. A change
//! that other pages show as well (title, excerpt, tags, picture), an unknown link, and every problem are left to the whole
//! build, so that only that one reports problems. It follows as soon as saves pause, and normally finds nothing to write.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use foldhash::HashSet;

use assets::output::{Body as Written, Output};
use config::source_index::ChangedKinds;
use diagnostics::problem::{Code, Problems};
use manifest::{Impact, PostHashes};
use publish::OutputState;
use site::model::Site;
use workspace::files::FileLock;

use super::start::Start;
use super::{Finished, LOCK, Plan};

impl Start {
    /// The impact of what has changed since the last build, if only the texts of posts have, with the hashes of the posts.
    pub(super) fn impact_of_texts(
        &self,
        changes: ChangedKinds,
        site: &Site,
        output_state: &OutputState,
    ) -> Option<(Impact, PostHashes)> {
        let last = self.last_build.up_to_date.as_ref()?;
        if !self.may_be_texts(changes) || !output_state.is_complete() {
            return None;
        }
        let posts = PostHashes::of(&site.blog.content);
        let changed = posts.changed_texts(&self.last_build.items.posts)?;
        // The warnings about a page that is not rendered stay as they were. Others would have to be found again.
        if !last.problems.is_empty() {
            let others = post_pages(site).filter(|(post, _)| !changed.contains(post));
            let others: HashSet<&str> = others
                .map(|(post, _)| site.blog.post(post).origin.path())
                .collect();
            if !last.problems.iter().all(|problem| {
                problem
                    .place
                    .as_ref()
                    .is_some_and(|place| others.contains(&*place.path))
            }) {
                return None;
            }
        }
        let pages = post_pages(site).filter(|(post, _)| changed.contains(post));
        let impact = Impact::Texts(pages.map(|(_, page)| page).collect());
        Some((impact, posts))
    }

    /// Whether nothing but posts and entries has changed since the last build, whose output is complete.
    pub(super) fn has_only_changed_items(
        &self,
        changes: ChangedKinds,
        output_state: &OutputState,
    ) -> bool {
        self.last_build.up_to_date.is_some() && !changes.others && output_state.is_complete()
    }

    /// Whether the last build had warnings.
    pub(super) fn has_warnings(&self) -> bool {
        self.last_build
            .up_to_date
            .as_ref()
            .is_some_and(|last| !last.problems.is_empty())
    }

    /// These problems, with the warnings of the last build about what an impact leaves out.
    pub(super) fn with_kept_warnings(&self, impact: &Impact, mut problems: Problems) -> Problems {
        let last = self
            .last_build
            .up_to_date
            .as_ref()
            .filter(|_| matches!(impact, Impact::Texts(_)));
        let Some(last) = last else { return problems };
        // A strict build checks all texts again.
        last.problems
            .iter()
            .filter(|problem| problem.code != Code::SampleText)
            .cloned()
            .for_each(|problem| problems.push(problem));
        // Those that were found again are there twice.
        problems.sorted()
    }
}

impl Plan {
    /// Takes up a saved text, and publishes the outputs of its impact. `None`, and nothing is published, if more may have
    /// changed, if there is a problem, or if another build is running.
    pub(super) fn publish_text(&mut self, file: &Path) -> Option<Finished> {
        let at = Instant::now();
        let lock = FileLock::try_take(&self.config.paths.cache.join(LOCK));
        let _lock = lock.ok().flatten()?;
        let page = self.workspace.take_up(file)?;
        let impact = Impact::Texts(HashSet::from_iter([page]));
        let rendered = Mutex::new(Vec::new());
        let view = self.view(self.workspace.clone());
        let problems = self.with_inputs(&view, |inputs| {
            let (renderer, mut problems) = render::Renderer::new(inputs);
            problems.extend(renderer.map_or_else(Problems::new, |renderer| {
                renderer.render(&impact, &|output: Output| {
                    rendered
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(output);
                })
            }));
            problems
        });
        if !problems.is_empty() {
            return None;
        }
        let rendered = rendered
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        // A style sheet has the hash of its text in its name. One that no page has used so far is published by a build.
        let (sheets, pages): (Vec<_>, Vec<_>) = rendered
            .into_iter()
            .partition(|file| file.path.ends_with(".css"));
        let out = &self.config.paths.out;
        if !sheets.iter().all(|sheet| out.join(&sheet.path).is_file()) {
            return None;
        }
        for page in &pages {
            let Written::Bytes(bytes) = &page.body else {
                return None;
            };
            publish::replace_file(&self.config, &page.path, bytes)
                .ok()
                .flatten()?;
        }
        Some(Finished {
            report: self.report(pages.len(), at.elapsed()),
            plan: None,
            address: Some(self.site.pages[page].path.value.clone()),
        })
    }
}

/// The posts that have pages, each with the index of its page.
pub(super) fn post_pages(site: &Site) -> impl Iterator<Item = (usize, usize)> {
    site.pages
        .iter()
        .enumerate()
        .filter_map(|(at, page)| Some((page.body.post()?, at)))
}
