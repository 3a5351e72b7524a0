//! `sitegen fmt`: corrects the typography of content in place, as each locale sets it.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use diagnostics::problem::{Code, Problem, ProblemSummary};
use languages::locale;
use languages::typography::{self, Correction};
use workspace::files::{self, SourceChange, SourceWriter};

use super::{GlobalOptions, stdout};

#[derive(Debug, Args)]
pub(super) struct FmtArguments {
    /// Files and folders in `content/` [default: all of it].
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing; list the files that would change, and fail if there are any.
    #[arg(long)]
    check: bool,
}

pub(super) fn fmt(shared: &GlobalOptions, own: &FmtArguments) -> u8 {
    // Texts in a language that is not announced yet have its typography, too.
    let (config, mut problems) = config::load(&config::Options {
        drafts: true,
        ..shared.options()
    });
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let root = &config.paths.root;
    let locales = problems.take(locale::load(root, &config.site, &config.theme));
    let languages = typography::Languages {
        locales: &locales,
        withheld: &config.site.withheld,
    };
    let mut changed = Vec::new();
    if !problems.has_errors() {
        let content = root.join("content");
        let given = own.paths.iter().map(|path| files::absolute(path));
        let paths: Vec<PathBuf> = if own.paths.is_empty() {
            vec![content.clone()]
        } else {
            given.collect()
        };
        for path in paths {
            let wrong = if !path.starts_with(&content) {
                Some("is not in `content/`")
            } else if !path.exists() {
                Some("does not exist")
            } else {
                None
            };
            if let Some(wrong) = wrong {
                let message = format!("`{}` {wrong}", files::shown(root, &path));
                problems.push(Problem::error(Code::Unreadable, message));
                continue;
            }
            for correction in problems.take(typography::corrections(root, &path, languages)) {
                let shown = files::shown(root, &correction.file);
                let written = if own.check {
                    Ok(())
                } else {
                    write(root, &correction)
                };
                match written {
                    Ok(()) => changed.push(shown),
                    Err(error) => problems.push(files::not_written(&shown, &error)),
                }
            }
        }
    }
    let status = shared.report(problems, ProblemSummary::default());
    if !shared.quiet && !shared.format.is_document() {
        let what = if own.check { "would change" } else { "changed" };
        changed
            .iter()
            .for_each(|file| stdout(&format!("{what} {file}\n")));
    }
    if own.check && !changed.is_empty() {
        status.max(1)
    } else {
        status
    }
}

/// Corrects a file as it is now, in turn with others that write.
fn write(root: &Path, correction: &Correction) -> io::Result<()> {
    let writer = SourceWriter::claim(root)?;
    let before = fs_err::read(&correction.file)?;
    let Some(after) = correction.apply(&before) else {
        return Err(io::Error::other(
            "the file was saved while sitegen was reading it",
        ));
    };
    let path = files::shown(root, &correction.file);
    writer.write(&[SourceChange {
        path,
        before: Some(before),
        after: Some(after),
    }])
}
