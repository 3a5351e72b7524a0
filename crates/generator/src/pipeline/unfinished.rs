//! The work that takes long and need not be complete in a preview: photographs, and the index of the search. A build
//! does both at the same time; [`Purpose::Preview`] leaves to `serve` what the cache does not have.

use std::sync::Arc;

use assets::PictureFile;
use config::Config;
use diagnostics::problem::Problems;
use publish::{OutputState, Publisher};
use workspace::parallel;
use workspace::timings::Timings;

use super::site_search::{IndexJob, SearchedPages};
use super::{Purpose, Step, photographs};

/// The work that a preview has left out; empty after a [`Purpose::Build`].
#[derive(Debug, Default)]
pub struct Unfinished {
    /// The files of photographs that pages refer to and that are not encoded yet.
    pub photographs: Vec<Arc<PictureFile>>,
    /// The index of the search, if it is out of date.
    pub index: Option<Arc<IndexJob>>,
}

impl Unfinished {
    pub(super) fn is_empty(&self) -> bool {
        self.photographs.is_empty() && self.index.is_none()
    }
}

/// Passes the photographs and the index to the publisher.
pub(super) fn put(
    config: &Config,
    purpose: Purpose,
    all: &[Arc<PictureFile>],
    searched: Option<SearchedPages>,
    (output_state, publisher): (&OutputState, &Publisher),
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Unfinished, Problems) {
    // pagefind works on its own thread.
    let ((photographs, mut problems), indexed) = parallel::join(
        || {
            timings.stage("encode", || {
                photographs::put(all, purpose, publisher, progress, timings)
            })
        },
        || {
            let published = (output_state, publisher);
            searched
                .map(|pages| pages.publish(config, purpose, published, progress, timings))
                .transpose()
        },
    );
    let index = indexed.unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    (
        Unfinished {
            photographs,
            index: index.flatten(),
        },
        problems,
    )
}
