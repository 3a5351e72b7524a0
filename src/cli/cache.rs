//! `sitegen cache`: what the cache folder holds. `sitegen cache prune` removes what was not used for a while, or all.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::Serialize;

use config::Config;
use diagnostics::problem::ProblemSummary;
use schema::types::duration_words;
use workspace::cache::{self, Place, RemovedFiles, Usage};

use super::{Format, GlobalOptions, stdout};

#[derive(Debug, Args)]
pub(super) struct CacheArguments {
    #[command(subcommand)]
    action: Option<CacheAction>,
}

#[derive(Debug, Subcommand)]
enum CacheAction {
    /// Remove entries that no build has used for a while.
    Prune(PruneArguments),
}

#[derive(Debug, Args)]
struct PruneArguments {
    /// Remove entries that haven't been used for this many days.
    #[arg(long, value_name = "NUMBER", default_value_t = 30)]
    days: u16,
    /// Remove everything except the CMS snapshot. The next build takes as long as a first one.
    #[arg(long, conflicts_with = "days")]
    all: bool,
}

/// The output of `--format json`.
#[derive(Serialize)]
struct CacheAnswer<'a> {
    version: u32,
    folder: PathBuf,
    shared: Option<String>,
    kinds: &'a [Usage],
}

pub(super) fn cache(shared: &GlobalOptions, own: &CacheArguments) -> u8 {
    let (config, problems) = shared.config();
    if let Some(config) = config {
        match &own.action {
            None => stdout(&list(shared.format, &config)),
            Some(CacheAction::Prune(own)) => stdout(&removed(prune(&config, own))),
        }
    }
    // The list is the result, so problems go to stderr as text, whatever `--format` says.
    GlobalOptions {
        format: Format::Human,
        ..shared.clone()
    }
    .report(problems, ProblemSummary::default())
}

/// Prunes the cache folder, and a shared cache in a folder; a bucket has rules of its own.
fn prune(config: &Config, own: &PruneArguments) -> RemovedFiles {
    let shared = match config.cache.shared() {
        Some(Place::Folder(folder)) => Some(cache::shared_entries(folder)),
        _ => None,
    };
    let folders = [config.paths.cache.clone()].into_iter().chain(shared);
    let age = Duration::from_hours(24) * u32::from(own.days);
    folders
        .map(|folder| {
            if own.all {
                cache::remove_all(&folder)
            } else {
                cache::prune(&folder, age)
            }
        })
        .sum()
}

fn removed(RemovedFiles { entries, bytes }: RemovedFiles) -> String {
    format!(
        "removed {entries} {}, {}\n",
        if entries == 1 { "file" } else { "files" },
        size(bytes)
    )
}

fn list(format: Format, config: &Config) -> String {
    let kinds = cache::usage(&config.paths.cache);
    let shared = config.cache.shared().map(Place::to_string);
    if format == Format::Json {
        let answer = CacheAnswer {
            version: 1,
            folder: config.paths.cache.clone(),
            shared,
            kinds: &kinds,
        };
        // A struct of texts and numbers always serializes.
        return serde_json::to_string_pretty(&answer).unwrap_or_default() + "\n";
    }
    let mut text = format!("{}\n", config.paths.cache.display());
    text += &shared
        .map(|place| format!("shared: {place}\n"))
        .unwrap_or_default();
    text += &line(["kind", "files", "size", "last used", "limit"]);
    for Usage {
        name,
        entries,
        bytes,
        last_used,
        limit,
    } in &kinds
    {
        let used = match last_used.map(|seconds| config.run.now.0 - seconds) {
            None => "-".into(),
            Some(..86_400) => "today".to_owned(),
            Some(age) => format!("{} ago", duration_words(age)),
        };
        let limit = limit.map_or_else(|| "-".into(), size);
        text += &line([name, &entries.to_string(), &size(*bytes), &used, &limit]);
    }
    text
}

fn line([name, entries, bytes, used, limit]: [&str; 5]) -> String {
    format!("{name:14} {entries:>8} {bytes:>10} {used:>14} {limit:>10}\n")
}

/// A size in the unit of which it has at least one: `1.2 MB`.
fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(
            [0, 999, 1000, 1_250_000, 4_000_000_000].map(size),
            ["0 B", "999 B", "1.0 kB", "1.2 MB", "4.0 GB"]
        );
    }
}
