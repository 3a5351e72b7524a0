//! Writes `content/urls.lock` for `check --accept-urls`. It is the only source file that sitegen writes.

use crate::cache;
use crate::config::Config;
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems};

/// Replaces the file in one step. `path` is relative to the folder of the site.
pub fn write(config: &Config, path: &str, text: &str) -> Problems {
    cache::keep(&config.paths.root.join(path), text.as_bytes()).map_or_else(
        |error| {
            let message = format!("the file could not be written ({})", files::reason(&error));
            Problem::error(Code::OutFailed, message).at(Place::file(path)).into()
        },
        |()| Problems::new(),
    )
}
