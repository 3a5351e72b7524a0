//! The site as it is read and planned for an editor.

use std::ops::Deref;

use config::{self, Config, Options, SnapshotMode};
use diagnostics::problem::Problem;
use site::planned;
use workspace::files::FileSet;

/// The site as it was read and planned, with its settings.
pub(super) struct Planned {
    pub config: Config,
    planned: planned::Planned,
}

impl Deref for Planned {
    type Target = planned::Planned;

    fn deref(&self) -> &planned::Planned {
        &self.planned
    }
}

/// Reads and plans a site; `None` if it has no settings. Answers wait for it, so a CMS is asked only if there is no snapshot
/// yet: the check, for which nobody waits, fetches newer posts.
pub(super) fn plan(options: &Options, files: &FileSet) -> (Option<Planned>, Vec<Problem>) {
    let (mut config, mut problems) = config::load_from(options, files.clone());
    if let Some(config) = config
        .as_mut()
        .filter(|config| config.run.snapshot == SnapshotMode::Recent)
    {
        config.run.snapshot = SnapshotMode::Kept;
    }
    let planned = if let Some(config) = config {
        let of_settings: Vec<Problem> = problems.iter().cloned().collect();
        let mut planned = problems.take(planned::plan(&config));
        planned.loaded.extend(of_settings);
        Some(Planned { config, planned })
    } else {
        problems.extend(content::check_syntax(files));
        None
    };
    let problems = if options.strict {
        problems.strict()
    } else {
        problems
    }
    .sorted();
    (planned, problems.iter().cloned().collect())
}
