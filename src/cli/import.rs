//! `sitegen import wordpress`: takes over the blog of a WordPress.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use diagnostics::problem::{Code, Problem, ProblemSummary, Problems};
use import::proof;
use import::verify::{self, Answer};
use import::{self, From, ImportOptions, ImportReport, Step};
use workspace::{cache, files};

use super::{GlobalOptions, stdout};

/// The full report, below the folder of the cache.
const REPORT: &str = "import/report.json";
/// The number of posts with notes that are printed.
const SHOWN: usize = 10;

#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    #[command(subcommand)]
    source: ImportSource,
}

#[derive(Debug, Subcommand)]
enum ImportSource {
    /// Import posts, images, authors and redirects from a running WordPress site or an export file.
    Wordpress(WordpressArguments),
    /// Report which old URLs still work, directly or through a redirect.
    Verify {
        /// An access log, a sitemap, or a list with one URL per line.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// List all URLs, not only those that don't work.
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Args)]
struct WordpressArguments {
    /// The URL of the home page, such as `https://blog.example.com`, or the file that Tools → Export downloads.
    #[arg(value_name = "URL|FILE")]
    from: String,
    /// The language of posts that have none in WordPress [default: the site's first language].
    #[arg(long, value_name = "LANGUAGE")]
    locale: Option<String>,
    /// Read images from this copy of `wp-content/uploads` instead of the server.
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_pictures")]
    uploads: Option<PathBuf>,
    /// Import only text, without images.
    #[arg(long)]
    no_pictures: bool,
    /// Build the site twice, from its files and from WordPress, compare each post, and write `report.html` and `report.json`
    /// into this folder. An unexplained difference is an error.
    #[arg(long, value_name = "FOLDER", conflicts_with = "no_pictures")]
    report: Option<PathBuf>,
}

pub(super) fn import(shared: &GlobalOptions, own: &ImportArguments) -> u8 {
    match &own.source {
        ImportSource::Wordpress(own) => wordpress(shared, own),
        ImportSource::Verify { file, all } => verified(shared, file, *all),
    }
}

/// Prints the addresses without an answer. The exit status is 1 if there are any.
fn verified(shared: &GlobalOptions, file: &Path, all: bool) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let (verified, found) = verify::verify(&config, file);
    problems.extend(found);
    if verified.is_empty() && problems.has_errors() {
        return shared.report(problems, ProblemSummary::default());
    }
    let status = if problems.has_errors() {
        shared.report_beside(problems)
    } else {
        0
    };
    let answers = verified.iter().map(|one| &one.answer);
    let missing = answers
        .clone()
        .filter(|answer| **answer == Answer::Missing)
        .count();
    if shared.format.is_document() {
        stdout(&format!(
            "{}\n",
            serde_json::to_string_pretty(&verified).unwrap_or_default()
        ));
        return status.max(u8::from(missing > 0));
    }
    let mut out = String::new();
    for one in verified
        .iter()
        .filter(|one| all || one.answer == Answer::Missing)
    {
        let answer = match &one.answer {
            Answer::Found => "found".to_owned(),
            Answer::Redirect(to) => format!("redirect to {to}"),
            Answer::Internal => "internal to WordPress".to_owned(),
            Answer::Missing => "missing".to_owned(),
        };
        let _ = writeln!(out, "{:>6} × {}  {answer}", one.count, one.address);
    }
    let _ = writeln!(
        out,
        "{} URLs: {} found, {} redirected, {} internal to WordPress, {missing} missing",
        verified.len(),
        answers
            .clone()
            .filter(|answer| **answer == Answer::Found)
            .count(),
        answers
            .clone()
            .filter(|answer| matches!(answer, Answer::Redirect(_)))
            .count(),
        answers
            .filter(|answer| **answer == Answer::Internal)
            .count(),
    );
    stdout(&out);
    status.max(u8::from(missing > 0))
}

fn wordpress(shared: &GlobalOptions, own: &WordpressArguments) -> u8 {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let from = if own.from.contains("://") {
        match url::Url::parse(&own.from) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                From::Server(url)
            }
            _ => {
                let problem = Problem::error(
                    Code::ImportFailed,
                    format!("`{}` is not the URL of a website", own.from),
                );
                problems.push(problem.hint("write a URL such as `https://blog.example.com`"));
                return shared.report(problems, ProblemSummary::default());
            }
        }
    } else {
        From::ExportFile(PathBuf::from(&own.from))
    };
    let options = ImportOptions {
        from,
        locale: own.locale.clone(),
        uploads: own.uploads.clone(),
        without_pictures: own.no_pictures,
        with_proof: own.report.is_some(),
    };
    let bar = (!shared.quiet && std::io::stderr().is_terminal()).then(bar);
    let (mut report, found) = import::run(&config, &options, &|step| show(bar.as_ref(), step));
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let has_failed = found.has_errors();
    problems.extend(found);
    if !has_failed {
        problems.extend(import::settle::settle(&|| shared.config(), &mut report));
        let written = serde_json::to_vec_pretty(&report).unwrap_or_default();
        let file = config.paths.cache.join(REPORT);
        match cache::keep(&file, &written) {
            Ok(()) if !shared.quiet && !shared.format.is_document() => {
                stdout(&summary(&report, &files::shown(&config.paths.root, &file)));
            }
            Ok(()) => {}
            Err(error) => problems.push(files::not_written(
                &files::shown(&config.paths.root, &file),
                &error,
            )),
        }
        if let Some(folder) = &own.report {
            problems.extend(proven(
                shared,
                &report,
                &options.from,
                &workspace::files::absolute(folder),
            ));
        }
    }
    shared.report(problems, ProblemSummary::default())
}

/// Compares the site with WordPress. Its settings are read again: the import has added redirects.
fn proven(shared: &GlobalOptions, report: &ImportReport, from: &From, folder: &Path) -> Problems {
    let (config, mut problems) = shared.config();
    let Some(config) = config else {
        return problems;
    };
    match proof::prove(&config, report, from, folder) {
        Ok(proof) => {
            let page = files::shown(&config.paths.root, &folder.join("report.html"));
            if !shared.quiet && !shared.format.is_document() {
                stdout(&format!(
                    "compared {} posts with WordPress: {} are the same; {} differences are explained, {} are not\n\
                     comparison: {page}\n",
                    proof.compared, proof.same, proof.explained, proof.unexplained
                ));
                if let Some(counted) = &proof.counted {
                    let lost = proof.lost.len();
                    stdout(&format!(
                        "the export has {counted}; not in the site or in any note: {lost}\n"
                    ));
                }
            }
            problems.extend(
                proof::problem(&proof, &page)
                    .map(Problems::from)
                    .unwrap_or_default(),
            );
        }
        Err(found) => problems.extend(found),
    }
    problems
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("█▌─"));
    bar
}

fn show(bar: Option<&ProgressBar>, step: Step) {
    let Some(bar) = bar else { return };
    match step {
        Step::Stage(name, count) => {
            bar.reset();
            bar.set_length(count as u64);
            bar.set_message(name);
        }
        Step::Done(what) => {
            bar.set_message(what.to_owned());
            bar.inc(1);
        }
    }
}

fn summary(report: &ImportReport, file: &str) -> String {
    let (posts, pages) = (report.posts.len(), report.pages.len());
    let mut out = format!(
        "imported {posts} posts, {pages} pages and {} redirects\n",
        report.redirects
    );
    let parts: Vec<String> = report
        .files
        .iter()
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    let _ = writeln!(out, "files: {}", parts.join(", "));
    for note in &report.redirects_left_out {
        let _ = writeln!(out, "{note}");
    }
    for (what, count) in &report.not_imported {
        let _ = writeln!(out, "not imported: {count} {what}");
    }
    let noted: Vec<_> = report
        .posts
        .iter()
        .chain(&report.pages)
        .filter(|(_, post)| !post.notes.is_empty())
        .collect();
    for (path, post) in noted.iter().take(SHOWN) {
        let _ = writeln!(out, "{path}");
        for note in &post.notes {
            let _ = writeln!(out, "  {note}");
        }
    }
    if noted.len() > SHOWN {
        let _ = writeln!(out, "… and {} more posts with notes", noted.len() - SHOWN);
    }
    if report
        .files
        .get("in conflict")
        .is_some_and(|count| *count > 0)
    {
        out.push_str("files in conflict were left unchanged\n");
    }
    let _ = writeln!(out, "full report: {file}");
    out
}
