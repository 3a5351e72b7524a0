//! `sitegen changed`: which pages have other text than `content/changed.lock` records, and writes it there with the day.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;

use config::{self, Config};
use content::changed::{self, ChangedLock, RecordedText};
use diagnostics::problem::{Code, Problem, ProblemSummary, Problems};
use diff::{OutputFolder, listed_texts};
use site::Workspace;
use workspace::files;

use super::diff::git;
use super::{Format, GlobalOptions, stdout};

#[derive(Debug, Args)]
pub(super) struct ChangedArguments {
    /// Record hashes of the pages' current text in `content/changed.lock`. New and changed pages get today's date.
    #[arg(long)]
    accept: bool,
}

pub(super) fn changed(shared: &GlobalOptions, own: &ChangedArguments) -> u8 {
    let (config, problems) = config::load(&shared.options());
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    match compare(shared, &config, own.accept) {
        Ok(()) => 0,
        Err(problems) => shared.report_beside(problems),
    }
}

/// How the text of a page differs from the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordDifference {
    Added,
    Changed,
    Removed,
}

fn compare(shared: &GlobalOptions, config: &Config, accept: bool) -> Result<(), Problems> {
    let root = &config.paths.root;
    let known = root.read_text(&root.join(changed::FILE)).ok();
    let (recorded, _) = changed::load(config);
    let folder = OutputFolder::read(&config.paths.out, &config.paths.root)?;
    let texts = listed_texts(&folder, config.site.hosts())?;
    let texts: BTreeMap<String, String> = texts
        .into_iter()
        .map(|text| (text.path, text.hash))
        .collect();
    if texts.is_empty() {
        let message = format!(
            "the output `{}` has no page that search engines can index",
            config.paths.out.display()
        );
        let hint = if config.site.is_indexed() {
            "build the site without `--drafts` and `--base-url`"
        } else {
            "remove `indexed: false` from `content/site.yaml`, and build the site"
        };
        return Err(Problem::error(Code::DiffInput, message).hint(hint).into());
    }
    let differences = differences(&recorded, &texts);
    if !shared.quiet && !shared.format.is_document() {
        differences
            .iter()
            .for_each(|(address, difference)| stdout(&line(address, *difference)));
    }
    if shared.format == Format::Json {
        let lists = [
            RecordDifference::Added,
            RecordDifference::Changed,
            RecordDifference::Removed,
        ]
        .map(|wanted| {
            let own = differences.iter().filter(|(_, own)| *own == wanted);
            own.map(|(address, _)| *address).collect::<Vec<_>>()
        });
        let [added, changed, removed] = lists;
        let json = serde_json::json!({"version": 1, "added": added, "changed": changed, "removed": removed});
        stdout(&format!("{json}\n"));
    }
    if !accept {
        return Ok(());
    }
    let today = config.site.timezone.day(config.run.now);
    // A site that begins its record has pages that are older than it.
    let history = if recorded.is_empty() {
        History::read(config)
    } else {
        History::default()
    };
    let entries = texts.iter().map(|(address, hash)| {
        let day = match recorded.get(address) {
            Some(known) if known.hash == *hash => known.day.clone(),
            None if recorded.is_empty() => history.day(address),
            _ => Some(today.clone()),
        };
        (
            address.clone(),
            RecordedText {
                day,
                hash: hash.clone(),
            },
        )
    });
    let lock: ChangedLock = entries.collect();
    let known = known.as_ref().map(|source| source.text.as_str());
    if lock != recorded {
        files::rewrite(root, changed::FILE, known, &changed::write(&lock))
            .map_err(|error| files::not_written(changed::FILE, &error))?;
    }
    if !shared.quiet && !shared.format.is_document() {
        let count = if differences.len() == 1 {
            "1 URL".into()
        } else {
            format!("{} URLs", differences.len())
        };
        stdout(&format!(
            "{count} recorded in {}; the next build adds the dates to its sitemap\n",
            changed::FILE
        ));
    }
    Ok(())
}

fn differences<'a>(
    recorded: &'a ChangedLock,
    texts: &'a BTreeMap<String, String>,
) -> Vec<(&'a str, RecordDifference)> {
    let now = texts
        .iter()
        .filter_map(|(address, hash)| match recorded.get(address) {
            None => Some((address.as_str(), RecordDifference::Added)),
            Some(known) => {
                (known.hash != *hash).then_some((address.as_str(), RecordDifference::Changed))
            }
        });
    let gone = recorded
        .keys()
        .filter(|address| !texts.contains_key(*address));
    let mut all: Vec<_> = now
        .chain(gone.map(|address| (address.as_str(), RecordDifference::Removed)))
        .collect();
    all.sort_unstable_by_key(|(address, _)| *address);
    all
}

fn line(address: &str, difference: RecordDifference) -> String {
    let sign = match difference {
        RecordDifference::Added => '+',
        RecordDifference::Changed => '~',
        RecordDifference::Removed => '-',
    };
    format!("{sign} {address}\n")
}

/// The day of the last commit to the files of each page, for a site that begins its record.
#[derive(Debug, Default)]
struct History {
    by_address: BTreeMap<String, String>,
}

impl History {
    /// Reads the history that git has. A clone without all of it knows no day, and neither does a changed file.
    fn read(config: &Config) -> History {
        let root: &Path = &config.paths.root;
        let is_whole =
            git(root, &["rev-parse", "--is-shallow-repository"]).is_ok_and(|text| text == "false");
        let log = [
            "log",
            "--format=:%cs",
            "--name-only",
            "--relative",
            "--",
            "content",
        ];
        let Some(Ok(log)) = is_whole.then(|| git(root, &log)) else {
            return History::default();
        };
        let mut days: BTreeMap<&str, &str> = BTreeMap::new();
        let mut day = "";
        for line in log.lines() {
            match line.strip_prefix(':') {
                Some(next) => day = next,
                None if !line.is_empty() => drop(days.entry(line).or_insert(day)),
                None => {}
            }
        }
        let edited = git(
            root,
            &["diff", "--name-only", "--relative", "HEAD", "--", "content"],
        )
        .unwrap_or_default();
        edited.lines().for_each(|file| {
            days.remove(file);
        });
        let workspace = Workspace::open(config.clone());
        let site = &workspace.site().site;
        let known = site.pages.iter().filter_map(|page| {
            let source = page.source.path.as_str();
            // The sections of all languages of a page are in the file beside its words.
            let structure = source
                .rsplit_once('/')
                .map(|(folder, _)| format!("{folder}/page.yaml"));
            let structure = structure.and_then(|file| days.get(file.as_str()));
            let day = (*days.get(source)?).max(structure.copied().unwrap_or_default());
            Some((page.path.value.clone(), day.to_owned()))
        });
        History {
            by_address: known.collect(),
        }
    }

    fn day(&self, address: &str) -> Option<String> {
        self.by_address.get(address).cloned()
    }
}
