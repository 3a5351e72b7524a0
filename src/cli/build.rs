//! `sitegen build` and `sitegen check`.

use clap::Args;

use crate::content;
use crate::pipeline::{self, Purpose, Report};
use crate::problem::{Problems, Severity, Summary};

use super::progress::Progress;
use super::{Format, Shared, stderr, stdout};

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Promise every address that the site has now: writes `content/urls.lock`.
    #[arg(long)]
    accept_urls: bool,
    /// Ask every site that a page links to whether it still answers. Warnings only; good answers count for a day.
    #[arg(long)]
    external: bool,
}

pub(super) fn build(shared: &Shared) -> u8 {
    run(shared, Purpose::Build)
}

pub(super) fn check(shared: &Shared, own: &CheckArguments) -> u8 {
    run(shared, Purpose::Check { accept_urls: own.accept_urls, external: own.external })
}

fn run(shared: &Shared, purpose: Purpose) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        problems.extend(content::check_syntax(&shared.root));
        return shared.report(problems, Summary::default());
    };
    let progress = Progress::new(!shared.quiet && shared.format == Format::Human);
    let (report, found) =
        pipeline::run(&config, if problems.has_errors() { Purpose::CHECK } else { purpose }, &|step| {
            progress.step(step);
        });
    drop(progress);
    problems.extend(found);
    let problems = if shared.strict { problems.strict() } else { problems }.sorted();
    if shared.verbose {
        stderr(&format!("site: {}\nout: {}\n", config.root.display(), config.out.display()));
    }
    let report = report.filter(|_| !problems.stop(shared.strict));
    let summary = report.as_ref().map_or_else(Summary::default, |report| Summary {
        pages: report.pages.clone(),
        assets: Some(report.assets),
        ..Summary::default()
    });
    let last_line = last_line(purpose, report.as_ref(), &problems);
    let status = shared.report(problems, summary);
    if !shared.quiet && shared.format != Format::Json {
        if status == 0 { stdout(&last_line) } else { stderr(&last_line) }
    }
    status
}

/// Pages per locale, assets, warnings, time.
fn last_line(purpose: Purpose, report: Option<&Report>, problems: &Problems) -> String {
    let (errors, warnings) = (problems.count(Severity::Error), problems.count(Severity::Warning));
    let Some(report) = report else {
        let unpublished = if purpose == Purpose::Build { "; nothing was published" } else { "" };
        return format!("{}, {}{unpublished}\n", count(errors, "error"), count(warnings, "warning"));
    };
    let verb = if purpose == Purpose::Build { "built" } else { "checked" };
    let locales: Vec<String> = report.pages.iter().map(|(code, pages)| format!("{code} {pages}")).collect();
    let pages = report.pages.values().sum();
    let time = report.time.as_secs_f64();
    format!(
        "{verb} {} ({}), {}, {} in {time:.2} s\n",
        count(pages, "page"),
        locales.join(", "),
        count(report.assets, "asset"),
        count(warnings, "warning")
    )
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
