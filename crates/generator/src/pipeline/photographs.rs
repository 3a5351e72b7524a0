//! Adds the files of photographs to the publication. A file that is already published is kept, a file that was encoded
//! before comes from the cache, and the others are encoded on all threads.
//!
//! This stage runs after the last check and before anything is published, so a run with an error encodes nothing.
//! [`Purpose::Preview`] does not encode either: it returns the missing files, and `serve` encodes them in the
//! background.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use assets::PictureFile;
use assets::output::Output;
use diagnostics::problem::{Problem, Problems};
use publish::Publisher;
use workspace::timings::Timings;

use super::{Purpose, Step};

/// Encodes a photograph, and publishes it.
fn publish(file: &PictureFile, publisher: &Publisher, timings: &Timings) -> Result<(), Problem> {
    let bytes = timings.part("encode", &file.path, || file.bytes())?;
    publisher.put(&Output::bytes(file.path.clone(), bytes));
    Ok(())
}

/// Passes all photographs to the publisher, and returns those that were not encoded.
pub(super) fn put(
    all: &[Arc<PictureFile>],
    purpose: Purpose,
    publisher: &Publisher,
    progress: &(dyn Fn(Step) + Sync),
    timings: &Timings,
) -> (Vec<Arc<PictureFile>>, Problems) {
    let missing = all.iter().filter(|file| !publisher.keep(&file.path));
    let (encoded, unencoded): (Vec<_>, Vec<_>) = missing.partition(|file| file.is_encoded());
    let mut problems = on_all_threads(&encoded, &|file| publish(file, publisher, timings));
    if purpose == Purpose::Preview {
        return (unencoded.into_iter().cloned().collect(), problems);
    }
    if !unencoded.is_empty() {
        progress(Step::Stage("encoding photographs"));
        progress(Step::Photographs(unencoded.len()));
    }
    problems.extend(on_all_threads(&unencoded, &|file| {
        let done = publish(file, publisher, timings);
        progress(Step::Encoded(&file.source()));
        done
    }));
    (Vec::new(), problems)
}

/// Each thread takes the next file of the list. The list begins with the files that take longest, so all threads end at
/// about the same time. A parallel iterator would split the list into halves and lose that order.
fn on_all_threads(
    files: &[&Arc<PictureFile>],
    work: &(dyn Fn(&PictureFile) -> Result<(), Problem> + Sync),
) -> Problems {
    let next = AtomicUsize::new(0);
    let found = rayon::broadcast(|_| {
        let mut problems = Problems::new();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(problem) = work(file) {
                problems.push(problem);
            }
        }
        problems
    });
    let mut problems = Problems::new();
    found.into_iter().for_each(|found| problems.extend(found));
    problems
}
