//! The site as it is read and planned for an editor: the stages of a build up to the addresses of all pages.

use diagnostics::problem::Problem;
use site::config::{self, Config, Options};
use site::content::{self, Content};
use site::files::FileSet;
use site::model::{self, Site};
use site::routes::{self, Routes};
use site::sources::SourceIndex;

/// The site, as it was read and planned.
pub(super) struct Planned {
    /// The problems that were found while files were read one by one.
    pub loaded: Vec<Problem>,
    pub config: Config,
    /// The files as they were listed before they were read.
    pub sources: SourceIndex,
    pub content: Content,
    pub site: Site,
    pub routes: Routes,
}

/// Reads and plans a site; `None` if it has no settings.
pub(super) fn plan(options: &Options, files: &FileSet) -> (Option<Planned>, Vec<Problem>) {
    let (config, mut problems) = config::load_from(options, files.clone());
    let planned = if let Some(config) = config {
        let sources = SourceIndex::scan(&config);
        let fetched = content::fetch_posts(&config, &|_, _| ());
        let content = problems.take(content::load_listed(&config, &sources, fetched));
        let loaded = problems.iter().cloned().collect();
        let site = problems.take(model::resolve(&config.site, &content));
        let routes = problems.take(routes::plan(&config.site, &site));
        Some(Planned { loaded, config, sources, content, site, routes })
    } else {
        problems.extend(content::check_syntax(files));
        None
    };
    let problems = if options.strict { problems.strict() } else { problems }.sorted();
    (planned, problems.iter().cloned().collect())
}
