//! `sitegen build` and `sitegen check`.

use clap::Args;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::verify;
use config::{self, Options};
use content::blog::Changes;
use diagnostics::problem::{Code, Problem, ProblemSummary, Problems, Severity};
use generator::pipeline::{self, BuildScope, Finished, Purpose, Report};
use site::Workspace;
use workspace::files::FileSet;
use workspace::timings::Timings;

use super::progress::Progress;
use super::{Format, GlobalOptions, stderr, stdout};

/// The maximum number of posts listed per kind of change.
const SHOWN_CHANGES: usize = 20;

#[derive(Debug, Args)]
pub(super) struct BuildArguments {
    /// Also write compressed text files (`.br`, `.gz`), for hosts that serve them.
    #[arg(long)]
    precompress: bool,
    /// Build again with empty caches and compare every byte. Takes as long as a first build.
    #[arg(long)]
    verify_cache: bool,
    #[command(flatten)]
    timed: TimedArguments,
}

#[derive(Debug, Args)]
struct TimedArguments {
    /// Print the elapsed time of each stage, and the time summed over all threads.
    #[arg(long)]
    timings: bool,
    /// Write a trace in Chrome's format, for `chrome://tracing` or Perfetto.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

pub(super) fn build(shared: &GlobalOptions, own: &BuildArguments) -> u8 {
    let options = Options {
        precompress: own.precompress,
        ..shared.options()
    };
    let status = run(shared, &options, Purpose::Build, &own.timed);
    if status != 0 || !own.verify_cache {
        return status;
    }
    let (config, _) = config::load(&options);
    let problems = config
        .map(|config| verify::check(&config))
        .unwrap_or_default();
    let is_same = problems.is_empty();
    let status = shared.report(problems, ProblemSummary::default());
    if is_same && !shared.quiet && !shared.format.is_document() {
        stdout("a build without caches produces the same bytes\n");
    }
    status
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Write every current URL to `content/urls.lock`.
    #[arg(long)]
    accept_urls: bool,
    /// Also request every link to another site. Failures are warnings; successful responses are cached for a day.
    #[arg(long)]
    external: bool,
    #[command(flatten)]
    timed: TimedArguments,
}

pub(super) fn check(shared: &GlobalOptions, own: &CheckArguments) -> u8 {
    let purpose = Purpose::Check {
        accept_urls: own.accept_urls,
        external: own.external,
    };
    run(shared, &shared.options(), purpose, &own.timed)
}

fn run(shared: &GlobalOptions, options: &Options, purpose: Purpose, own: &TimedArguments) -> u8 {
    let (workspace, mut problems) = Workspace::load(options, &FileSet::open(&options.root));
    let Some(workspace) = workspace else {
        return shared.report(problems, ProblemSummary::default());
    };
    let timings = Timings::new(own.timings || own.trace.is_some());
    let progress = Progress::new(!shared.quiet && shared.format == Format::Human);
    let paths = workspace.config().paths.clone();
    let (finished, found) = pipeline::build(
        BuildScope::Site(workspace),
        if problems.has_errors() {
            Purpose::CHECK
        } else {
            purpose
        },
        &|step| {
            progress.step(step);
        },
        &timings,
    );
    drop(progress);
    problems.extend(found);
    let problems = if shared.strict {
        problems.strict()
    } else {
        problems
    }
    .sorted();
    if shared.verbose {
        stderr(&format!(
            "site: {}\nout: {}\n",
            paths.root.display(),
            paths.out.display()
        ));
    }
    let report = finished.map(Finished::into_report);
    let report = report.filter(|_| !problems.stop(shared.strict));
    let summary = report
        .as_ref()
        .map_or_else(ProblemSummary::default, |report| ProblemSummary {
            pages: report.counts.pages.clone(),
            assets: Some(report.counts.assets),
            ..ProblemSummary::default()
        });
    let last_line = last_line(purpose, report.as_ref(), &problems);
    let status = shared.report(problems, summary);
    if own.timings {
        stderr(&timings.table());
    }
    if let Some(file) = &own.trace
        && let Err(error) = timings.write_trace(file)
    {
        let why = format!(
            "the trace could not be written ({})",
            workspace::files::reason(&error)
        );
        return shared
            .report(
                Problem::error(Code::StdoutFailed, why).into(),
                ProblemSummary::default(),
            )
            .max(status);
    }
    if !shared.quiet && !shared.format.is_document() {
        if status == 0 {
            stdout(&last_line);
        } else {
            stderr(&last_line);
        }
    }
    status
}

/// The summary at the end: pages per locale, assets, warnings, time.
fn last_line(purpose: Purpose, report: Option<&Report>, problems: &Problems) -> String {
    let (errors, warnings) = (
        problems.count(Severity::Error),
        problems.count(Severity::Warning),
    );
    let Some(report) = report else {
        let unpublished = if purpose == Purpose::Build {
            "; nothing was published"
        } else {
            ""
        };
        return format!(
            "{}, {}{unpublished}\n",
            count(errors, "error"),
            count(warnings, "warning")
        );
    };
    let verb = match purpose {
        Purpose::Build if report.was_up_to_date => "nothing has changed:",
        Purpose::Build | Purpose::Preview => "built",
        Purpose::Check { .. } => "checked",
    };
    let locales: Vec<String> = report
        .counts
        .pages
        .iter()
        .map(|(code, pages)| format!("{code} {pages}"))
        .collect();
    let pages = report.counts.pages.values().sum();
    let time = report.time.as_secs_f64();
    format!(
        "{}{}{verb} {} ({}), {}, {} in {time:.2} s\n",
        changes(report.changes.as_ref()),
        // Of a check, only what is wrong is of interest.
        if matches!(purpose, Purpose::Check { .. }) {
            String::new()
        } else {
            islands(report)
        },
        count(pages, "page"),
        locales.join(", "),
        count(report.counts.assets, "asset"),
        count(warnings, "warning")
    )
}

/// The changes in the CMS since the last build, one post per line.
fn changes(changes: Option<&Changes>) -> String {
    let Some(changes) = changes else {
        return String::new();
    };
    let Changes {
        added,
        changed,
        removed,
    } = changes;
    let mut text = format!(
        "blog: {} added, {} changed, {} removed\n",
        added.len(),
        changed.len(),
        removed.len()
    );
    for (sign, names) in [("+", added), ("~", changed), ("-", removed)] {
        for name in names.iter().take(SHOWN_CHANGES) {
            let _ = writeln!(text, "  {sign} {name}");
        }
        if names.len() > SHOWN_CHANGES {
            let _ = writeln!(text, "  {sign} … and {} more", names.len() - SHOWN_CHANGES);
        }
    }
    text
}

fn kilobytes(bytes: usize) -> String {
    format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100)
}

/// The size of each island's script and of the scripts that all islands share, compressed with brotli.
fn islands(report: &Report) -> String {
    let (islands, shared) = &report.counts.islands;
    if islands.is_empty() {
        return String::new();
    }
    let each: Vec<String> = islands
        .iter()
        .map(|(name, bytes)| format!("{name} {}", kilobytes(*bytes)))
        .collect();
    format!(
        "islands (brotli): {}; shared by all {}\n",
        each.join(", "),
        kilobytes(*shared)
    )
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
