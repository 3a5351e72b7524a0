//! Writes `content/urls.lock` for `check --accept-urls`. It is the only source file that sitegen writes.

use diagnostics::problem::Problems;
use site::config::Config;
use site::{cache, files};

/// Replaces the file in one step. `path` is relative to the folder of the site.
pub fn write(config: &Config, path: &str, text: &str) -> Problems {
    cache::keep(&config.paths.root.join(path), text.as_bytes())
        .map_or_else(|error| files::not_written(path, &error).into(), |()| Problems::new())
}
