//! Writes `content/urls.lock` for `check --accept-urls`.

use config::Config;
use diagnostics::problem::Problems;
use workspace::files;

/// Replaces the file, unless it does not hold the text `known` any more. `path` is relative to the folder of the site.
pub fn write(config: &Config, path: &str, known: Option<&str>, text: &str) -> Problems {
    files::rewrite(&config.paths.root, path, known, text).map_or_else(
        |error| files::not_written(path, &error).into(),
        |()| Problems::new(),
    )
}
