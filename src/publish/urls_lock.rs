//! Writes `content/urls.lock`, when somebody asked for it: the one file of the sources that sitegen writes.

use crate::cache;
use crate::config::Config;
use crate::files;
use diagnostics::problem::{Code, Place, Problem, Problems};

/// Puts the text in place of the file, given by its path below the site's folder, in one step.
pub fn write(config: &Config, path: &str, text: &str) -> Problems {
    cache::keep(&config.root.join(path), text.as_bytes()).map_or_else(
        |error| {
            let message = format!("the file could not be written ({})", files::reason(&error));
            Problem::error(Code::OutFailed, message).at(Place::file(path)).into()
        },
        |()| Problems::new(),
    )
}
