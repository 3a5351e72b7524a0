//! The search bundle of the API: whether it has changed, and its publication.

use crate::indexing;
use assets::output::Output;
use config::Config;
use diagnostics::problem::{Code, Problem, Problems};
use manifest::BuildManifest;
use publish::{OutputState, Publisher};
use site::routes::file_of;
use workspace::parallel;
use workspace::sources::{Hash, hash_value};

use super::Step;
use super::impact::post_pages;

/// The search bundle of the API.
pub(super) enum SearchState {
    /// None: the site has no search.
    Off,
    /// No post has changed. The hash of the posts, and the name of the published bundle.
    Unchanged(Hash, String),
    /// A new bundle, and the hash of the posts if every post has a cache entry.
    Fresh(Option<Hash>, indexing::Search),
}

impl SearchState {
    pub(super) fn of(
        config: &Config,
        inputs: &render::Inputs,
        fingerprint: &dyn Fn(&str) -> Option<Hash>,
        last_build: &BuildManifest,
        progress: &(dyn Fn(Step) + Sync),
    ) -> (SearchState, Problems) {
        let site = inputs.site;
        if !config.site.blog.search {
            return (SearchState::Off, Problems::new());
        }
        progress(Step::Stage("indexing"));
        // The index also holds the authors' descriptions and portraits, which the pages of posts do not show.
        let authors: Vec<_> = site
            .blog
            .content
            .authors
            .values()
            .map(|author| {
                (
                    author,
                    author
                        .avatar
                        .as_ref()
                        .and_then(|avatar| inputs.manifest.images.get(avatar)),
                )
            })
            .collect();
        let posts = post_pages(site)
            .map(|(_, page)| fingerprint(&file_of(&site.pages[page].path)))
            .collect::<Option<Vec<_>>>();
        let sum = posts.map(|posts| hash_value(&(posts, authors)));
        match &last_build.search {
            Some((posts_hash, build))
                if Some(*posts_hash) == sum && indexing::has(&config.paths.search, build) =>
            {
                (
                    SearchState::Unchanged(*posts_hash, build.clone()),
                    Problems::new(),
                )
            }
            _ => match render::posts(inputs) {
                Ok(posts) => (
                    SearchState::Fresh(sum, indexing::prepare(config.site.hosts(), posts)),
                    Problems::new(),
                ),
                Err(problem) => (SearchState::Off, problem.into()),
            },
        }
    }

    /// The name of the bundle.
    pub(super) fn build(&self) -> Option<&str> {
        match self {
            SearchState::Off => None,
            SearchState::Unchanged(_, build) => Some(build),
            SearchState::Fresh(_, search) => Some(search.build()),
        }
    }

    /// The value of [`BuildManifest::search`].
    pub(super) fn for_manifest(&self) -> Option<(Hash, String)> {
        match self {
            SearchState::Off => None,
            SearchState::Unchanged(posts_hash, build) => Some((*posts_hash, build.clone())),
            SearchState::Fresh(posts_hash, search) => {
                posts_hash.map(|posts_hash| (posts_hash, search.build().to_owned()))
            }
        }
    }

    /// The files of the bundle, unless it is up to date.
    pub(super) fn outputs(&self, config: &Config) -> Result<Vec<Output>, Problem> {
        match self {
            SearchState::Fresh(_, search)
                if !indexing::has(&config.paths.search, search.build()) =>
            {
                search.outputs().map_err(|why| {
                    Problem::error(
                        Code::Internal,
                        format!("the posts could not be indexed: {why}"),
                    )
                })
            }
            SearchState::Off | SearchState::Unchanged(..) | SearchState::Fresh(..) => {
                Ok(Vec::new())
            }
        }
    }
}

/// Writes the outputs of the search bundle, if there are any; without a search, removes the bundle of an earlier build.
/// Runs after the pages are published, so the API never returns a post whose page does not exist yet.
pub(super) fn publish_search(
    config: &Config,
    search: &SearchState,
    outputs: Result<Vec<Output>, Problem>,
) -> Problems {
    if let SearchState::Off = search {
        return publish::remove_search(&config.paths.search);
    }
    let outputs = match outputs {
        Ok(outputs) if outputs.is_empty() => return Problems::new(),
        Ok(outputs) => outputs,
        Err(problem) => return problem.into(),
    };
    let nothing = OutputState::default();
    match Publisher::begin_search(config, &nothing) {
        Ok(publisher) => {
            parallel::each(&outputs, |output| publisher.put(output));
            publisher.finish(|| Ok(())).1
        }
        Err(problem) => problem.into(),
    }
}
