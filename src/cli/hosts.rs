//! `sitegen hosts`: writes configuration for nginx and CloudFront.

use std::path::PathBuf;

use clap::Args;

use diagnostics::problem::ProblemSummary;
use publish::hosts;
use site::Workspace;
use workspace::files;

use super::{GlobalOptions, stdout};

#[derive(Debug, Args)]
pub(super) struct HostsArguments {
    /// The folder to write to; don't publish it [default: `deploy/generated` in the site's folder].
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(super) fn hosts(shared: &GlobalOptions, own: &HostsArguments) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let workspace = Workspace::open(config);
    let (config, planned) = (workspace.config(), workspace.site());
    problems.extend(workspace.problems());
    let rules = hosts::Rules::of(config, &planned.site, &planned.routes);
    let private_files = problems.take(hosts::private_files(config, &rules));
    let mut written = Vec::new();
    if !problems.stop(shared.strict) {
        let folder = own.folder.as_deref().map_or_else(
            || config.paths.root.join("deploy/generated"),
            files::absolute,
        );
        match hosts::write(config, &folder, &private_files) {
            Ok(paths) => written = paths,
            Err(problem) => problems.push(problem),
        }
    }
    let status = shared.report(problems, ProblemSummary::default());
    if !shared.quiet && !shared.format.is_document() {
        for path in written {
            stdout(&format!(
                "wrote {}\n",
                files::shown(&config.paths.root, &path)
            ));
        }
    }
    status
}
