//! The cache folder of a run: how a run begins if it cannot be written, and what it does with the cache at its end.
//!
//! A site on a read-only disk is built like any other. The cache is then a temporary folder, and the entries of the
//! site's own cache folder are read.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::PathBuf;
use std::time::Duration;

use config::Config;
use diagnostics::problem::{Code, Problem, Problems};
use workspace::cache;
use workspace::files;

/// How long a build waits at its end until the shared cache has all new entries.
pub(super) const FLUSH_TIMEOUT: Duration = Duration::from_mins(1);

/// The file that shows whether the cache folder can be written.
const PROBE: &str = "writable";

/// The folder that replaces the cache folder, under a name that no other process knows. It is removed with this value.
#[derive(Debug)]
pub struct TemporaryCache(PathBuf);

impl Drop for TemporaryCache {
    fn drop(&mut self) {
        // If this fails, the folder only takes up space.
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// The configuration with another cache folder if the site's own cannot be written, and the warning that says so. It is kept
/// in `temporary`, which the next build can use again.
pub fn writable(
    config: &Config,
    temporary: &mut Option<TemporaryCache>,
) -> (Option<Config>, Problems) {
    let folder = &config.paths.cache;
    let Err(error) = cache::keep(&folder.join(PROBE), &[]) else {
        return (None, Problems::new());
    };
    let instead = temporary.get_or_insert_with(|| {
        let random = RandomState::new().build_hasher().finish();
        TemporaryCache(
            config
                .paths
                .temporary
                .join(format!("sitegen-{random:016x}")),
        )
    });
    if fs_err::create_dir_all(&instead.0).is_err() {
        // Taking the lock will report that the cache folder cannot be written.
        return (None, Problems::new());
    }
    let mut moved = config.clone();
    moved.cache = config.cache.moved_to(&instead.0);
    moved.paths.cache.clone_from(&instead.0);
    let why = files::reason(&error);
    let message = format!(
        "sitegen could not write to the cache folder `{}` ({why}), so nothing is cached",
        folder.display()
    );
    (
        Some(moved),
        Problem::warning(Code::CacheUnavailable, message).into(),
    )
}

/// Ends the use of the cache: waits for at most `timeout` until the shared cache has all new entries.
pub(super) fn finish(config: &Config, timeout: Duration) -> Problems {
    let mut problems = Problems::new();
    for why in config.cache.finish(timeout) {
        let problem = Problem::warning(Code::CacheUnavailable, why);
        problems.push(problem.hint("the result is the same; the build only took longer"));
    }
    problems
}
