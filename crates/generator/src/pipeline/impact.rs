//! Finds the impact of a change, and publishes that of one saved post early, before the build, so that its author sees it
//! in about 25 ms regardless of the size of the site.
//!
//! A build knows the impact from the stamps of the sources. `serve` keeps the [`Plan`] of its last build: if a save changed
//! only the text of one post, the plan takes it up, and the page is rendered and published from that plan. A change that
//! other pages show as well (title, excerpt, tags, picture), an unknown link, and every problem are left to the build, so
//! that only the build reports problems. The build follows as soon as saves pause, and normally finds nothing to write.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashSet;

use assets::islands::Prerenderer;
use assets::output::{Body as Written, Output};
use config::Config;
use config::source_index::ChangedKinds;
use content::blog::Post;
use diagnostics::problem::{Code, Problems};
use manifest::{BuildManifest, Impact, PostHashes, RenderCache};
use publish::OutputState;
use site::model::Site;
use site::routes::Route;
use workspace::files::FileLock;
use workspace::timings::Timings;

use super::start::Start;
use super::{LOCK, Plan};

impl Start {
    /// The impact of what has changed since the last build.
    pub(super) fn impact(
        &self,
        changes: ChangedKinds,
        site: &Site,
        output_state: &OutputState,
    ) -> Impact {
        let Some(last) = self.last_build.up_to_date.as_ref() else {
            return Impact::Everything;
        };
        if !self.may_be_texts(changes) || !output_state.is_complete() {
            return Impact::Everything;
        }
        let posts = PostHashes::of(&site.blog.content);
        let Some(changed) = posts.changed_texts(&self.last_build.items.posts) else {
            return Impact::Everything;
        };
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
                return Impact::Everything;
            }
        }
        let pages = post_pages(site).filter(|(post, _)| changed.contains(post));
        Impact::Texts(pages.map(|(_, page)| page).collect())
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
            .filter(|_| !impact.is_everything());
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
    /// Publishes the page of the post in `file`. Returns false and publishes nothing if more than the text of the post may
    /// have changed, if it has a problem, or if another build is running: then a build is needed.
    pub fn publish_early(&mut self, config: &Config, file: &Path) -> bool {
        let lock = FileLock::try_take(&config.paths.cache.join(LOCK));
        if !matches!(lock, Ok(Some(_))) {
            return false;
        }
        let impact = self.take_up(config, file);
        !impact.is_everything() && self.publish_impact(config, &impact).is_some()
    }

    /// Reads a saved file again, and returns the impact of what has changed in it. The plan holds the new text then, unless
    /// everything may have changed.
    fn take_up(&mut self, config: &Config, file: &Path) -> Impact {
        let Some((index, post)) = self
            .site
            .blog
            .content
            .reread(config, &self.content.images, file)
        else {
            return Impact::Everything;
        };
        let Some((_, at)) = post_pages(&self.site).find(|(post, _)| *post == index) else {
            return Impact::Everything;
        };
        let known = self.site.blog.post(index);
        let is_only_text = known.all_but_text() == post.all_but_text();
        let path = &self.site.pages[at].path;
        let is_canonical =
            matches!(self.routes.get(path), Some(Route::Page { page, .. }) if *page == at);
        if !is_only_text || !is_canonical || !self.links_are_alive(at, &post) {
            return Impact::Everything;
        }
        let anchors = post.body.links().anchors.to_vec();
        // Shared only while a build runs, which holds the lock.
        let Some(blog) = Arc::get_mut(&mut self.site.blog.content) else {
            return Impact::Everything;
        };
        blog.posts[index] = post;
        self.site.pages[at].anchors = anchors;
        Impact::Texts(HashSet::from_iter([at]))
    }

    fn links_are_alive(&self, at: usize, post: &Post) -> bool {
        let page = &self.site.pages[at];
        let locale = self.site.locale_index(&page.locale);
        // An anchor on the page itself may be new: a build looks it up.
        post.links().map(|target| &target.to).all(|to| {
            !to.starts_with('#') && self.routes.resolve(&self.site, to, locale, None).is_ok()
        })
    }

    /// Renders an impact, and replaces the published files. `None`, and nothing is replaced, if there is a problem.
    fn publish_impact(&self, config: &Config, impact: &Impact) -> Option<()> {
        let (nothing, timings) = (BuildManifest::default(), Timings::off());
        let islands = Arc::new(Prerenderer::new(
            config,
            &self.manifest.islands,
            &self.site.locales,
        ));
        let render_cache = RenderCache::new(&nothing, None, &Impact::Everything);
        let inputs = self.render_inputs(config, &islands, &render_cache, impact, &timings);
        let rendered = Mutex::new(Vec::new());
        let problems = render::render(&inputs, &|output: Output| {
            rendered
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(output);
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
        if !sheets
            .iter()
            .all(|sheet| config.paths.out.join(&sheet.path).is_file())
        {
            return None;
        }
        pages.iter().try_for_each(|page: &Output| match &page.body {
            Written::Bytes(bytes) => publish::replace_file(config, &page.path, bytes)
                .ok()
                .flatten(),
            Written::File(_) | Written::Unchanged(_) => None,
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
