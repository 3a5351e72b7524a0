//! The cache folder of a run: how a run begins if it cannot be written, and what it does with the cache at its end.
//!
//! A site on a read-only disk is built like any other. The cache is then a temporary folder, and the entries of the
//! site's own cache folder are read.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use diagnostics::problem::{Code, Problem, Problems};
use site::cache;
use site::config::Config;
use site::files;

/// How long a build waits at its end until the shared cache has all new entries.
pub(super) const FLUSH_TIMEOUT: Duration = Duration::from_mins(1);

/// The file that shows whether the cache folder can be written.
const PROBE: &str = "writable";

/// The name of this process's temporary folder, which no other process knows.
static NAME: OnceLock<String> = OnceLock::new();

/// The folder that replaces the cache folder. It is removed with this value.
pub(super) struct TemporaryCache(PathBuf);

impl Drop for TemporaryCache {
    fn drop(&mut self) {
        // If this fails, the folder only takes up space.
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// The configuration with a cache folder that can be written, and the warning if that is not the site's own.
pub(super) fn writable(config: &Config) -> (Cow<'_, Config>, Option<TemporaryCache>, Problems) {
    let folder = &config.paths.cache;
    let create = || cache::keep(&folder.join(PROBE), &[]);
    let Err(error) = create() else { return (Cow::Borrowed(config), None, Problems::new()) };
    let random = || format!("{:016x}", RandomState::new().build_hasher().finish());
    let temporary = config.paths.temporary.join(format!("sitegen-{}", NAME.get_or_init(random)));
    if fs_err::create_dir_all(&temporary).is_err() {
        // Taking the lock will report that the cache folder cannot be written.
        return (Cow::Borrowed(config), None, Problems::new());
    }
    let mut moved = config.clone();
    moved.cache = config.cache.moved_to(&temporary);
    moved.paths.cache.clone_from(&temporary);
    let why = files::reason(&error);
    let message = format!("the cache folder `{}` could not be written ({why}), so nothing is cached", folder.display());
    let problem = Problem::warning(Code::CacheUnavailable, message);
    (Cow::Owned(moved), Some(TemporaryCache(temporary)), problem.into())
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
