//! `sitegen translations`: compares the languages of pages, posts and word files, and notes in
//! `content/translations.lock` which of them agree.

mod draft;
mod exchange;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use clap::{Args, Subcommand};
use serde_json::json;

use diagnostics::problem::{
    Code, Place, Problem, ProblemSummary, Problems, Severity, did_you_mean,
};
use translations::{self, ChangedFile, State, TextChange, Translation, lock};
use workspace::files;

use super::{Format, GlobalOptions, stdout};

/// The commits of a file that are searched for the version that was accepted.
const COMMITS: &str = "200";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct TranslationsArguments {
    #[command(subcommand)]
    exchange: Option<Exchange>,
    /// Translations to list, such as `pages/home`, or `pages/home/es` for one language [default: all].
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Record in `content/translations.lock` that these translations are up to date; without a key, all of them.
    #[arg(long)]
    accept: bool,
    /// Also list translations that are complete and up to date.
    #[arg(long, conflicts_with = "accept")]
    all: bool,
}

impl TranslationsArguments {
    /// Whether a file for people who translate is written.
    pub(super) fn is_export(&self) -> bool {
        matches!(self.exchange, Some(Exchange::Export(_)))
    }
}

#[derive(Debug, Subcommand)]
enum Exchange {
    /// Export text for translation into a language, as XLIFF, PO or CSV.
    Export(exchange::ExportArguments),
    /// Import translations from a file that `export` wrote, except those that would make the build fail.
    Import(exchange::TranslatedArguments),
    /// Draft missing translations with the command in `--machine`. `--strict` refuses them until a person has accepted them.
    Draft(draft::DraftArguments),
}

pub(super) fn translations(shared: &GlobalOptions, own: &TranslationsArguments) -> u8 {
    match &own.exchange {
        Some(Exchange::Export(own)) => return exchange::export(shared, own),
        Some(Exchange::Import(own)) => return exchange::import(shared, own),
        Some(Exchange::Draft(own)) => return draft::draft(shared, own),
        None => {}
    }
    // A post that is not published yet has its translations, too.
    let (config, mut problems) = config::load(&config::Options {
        drafts: true,
        ..shared.options()
    });
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    let root = &config.paths.root;
    let known = root.read_text(&root.join(lock::FILE)).ok();
    // Other problems of the content are no matter of its translations: `sitegen check` reports them.
    let (content, of_content) = content::load(&config);
    let compared = problems.take(translations::compare(
        &config,
        &content,
        &content.blog.posts,
    ));
    for key in &own.keys {
        if !compared
            .iter()
            .any(|translation| is_named(translation, key))
        {
            let names = compared.iter().map(|translation| translation.key.as_str());
            let problem =
                Problem::error(Code::UnknownId, format!("there is no translation `{key}`"));
            problems.push(problem.maybe_hint(did_you_mean(key, names)));
        }
    }
    if problems
        .iter()
        .any(|problem| problem.code == Code::UnknownId)
    {
        return report(shared, problems);
    }
    if own.accept {
        if of_content.has_errors() {
            // The entry of a file that cannot be read would be lost.
            problems.extend(of_content);
            return report(shared, problems);
        }
        problems = Problems::new();
        // A page that is not translated agrees with nothing. Anyone who names it is told so.
        let refused = compared
            .iter()
            .filter(|one| own.chooses(one) && !one.untranslated.is_empty());
        for one in refused.clone().filter(|_| !own.keys.is_empty()) {
            let message = format!(
                "`{}/{}` is not translated: {}",
                one.key, one.locale, one.untranslated[0]
            );
            let place = Place::file(one.path.clone());
            problems.push(
                Problem::error(Code::Untranslated, message)
                    .at(place)
                    .hint("translate it first"),
            );
        }
        let refused = refused.count();
        // Only somebody who names a translation has read its drafts.
        let text = translations::accept(
            &compared,
            |one: &Translation| own.chooses(one) && (!own.keys.is_empty() || !one.has_drafts()),
            &BTreeMap::new(),
        );
        match files::rewrite(
            root,
            lock::FILE,
            known.as_ref().map(|source| source.text.as_str()),
            &text,
        ) {
            Ok(()) if !shared.quiet && !shared.format.is_document() => {
                let accepted = compared.iter().filter(|one| {
                    own.chooses(one) && one.untranslated.is_empty() && one.state != State::Missing
                });
                let count = accepted.count();
                let agree = if count == 1 {
                    "1 translation is up to date".to_owned()
                } else {
                    format!("{count} translations are up to date")
                };
                let rest = if refused == 0 {
                    String::new()
                } else {
                    format!("; not translated yet: {refused}")
                };
                stdout(&format!("recorded in {} that {agree}{rest}\n", lock::FILE));
            }
            Ok(()) => {}
            Err(error) => problems.push(files::not_written(lock::FILE, &error)),
        }
        return report(shared, problems);
    }
    let listed = compared.iter().filter(|one| {
        own.chooses(one)
            && (own.all
                || !own.keys.is_empty()
                || one.state != State::Agrees
                || !one.structure.is_empty())
    });
    let listed: Vec<&Translation> = listed.collect();
    if shared.format == Format::Json {
        let rows: Vec<serde_json::Value> =
            listed.iter().map(|translation| row(translation)).collect();
        stdout(&(serde_json::to_string_pretty(&rows).unwrap_or_default() + "\n"));
    } else {
        let key = listed.iter().map(|one| one.key.len()).max().unwrap_or(0);
        let locale = listed.iter().map(|one| one.locale.len()).max().unwrap_or(0);
        for one in &listed {
            stdout(&format!(
                "{:key$}  {:locale$}  {}\n",
                one.key,
                one.locale,
                describe(one)
            ));
            one.untranslated
                .iter()
                .chain(&one.structure)
                .for_each(|line| stdout(&format!("  {line}\n")));
            if let Some(changed) = &one.changed {
                stdout(&diff(
                    changed,
                    &files::shown(&config.paths.root, &changed.file),
                ));
            }
        }
        stdout(&summary(&compared, own));
    }
    report(shared, problems)
}

fn report(shared: &GlobalOptions, problems: Problems) -> u8 {
    let is_usage = problems
        .iter()
        .any(|problem| problem.severity == Severity::Error && problem.place.is_none());
    let status = shared.report_beside(problems);
    if is_usage { status.max(2) } else { status }
}

impl TranslationsArguments {
    /// Tells whether a translation is one of those that were named, if some were.
    fn chooses(&self, translation: &Translation) -> bool {
        self.keys.is_empty() || self.keys.iter().any(|key| is_named(translation, key))
    }
}

/// Whether `pages/home` or `pages/home/es` names a translation.
fn is_named(translation: &Translation, key: &str) -> bool {
    let rest = key.strip_prefix(translation.key.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('/') == Some(&translation.locale))
}

fn describe(translation: &Translation) -> String {
    let Translation {
        reference, locale, ..
    } = translation;
    let differs = if translation.structure.is_empty() {
        ""
    } else {
        ", different in structure"
    };
    let state = match translation.state {
        State::Agrees => "up to date".to_owned(),
        State::Unconfirmed => {
            format!("unconfirmed: nobody has confirmed yet that it matches `{reference}`")
        }
        State::Stale => format!("stale: `{reference}` has changed"),
        State::Ahead => format!("ahead: `{reference}` is stale, because `{locale}` has changed"),
        State::BothChanged => format!("both have changed; changes in `{reference}`:"),
        State::Untranslated => "untranslated".to_owned(),
        State::Missing if is_of_one_language(&translation.path, reference) => {
            format!("missing: only {} exists", translation.path)
        }
        State::Missing => format!(
            "missing: {} has no text in `{locale}`; add it there",
            translation.path
        ),
    };
    format!("{state}{differs}")
}

/// Whether the path of a file names the language of its words, so that another language has another file.
fn is_of_one_language(path: &str, language: &str) -> bool {
    path.split(['/', '.']).any(|part| part == language)
}

/// The changes of a file, with the texts that they replaced if git knows them.
fn diff(changed: &ChangedFile, shown: &str) -> String {
    let old = accepted_version(changed, shown);
    let mut text = String::new();
    for change in &changed.changes {
        let TextChange {
            name,
            line,
            now,
            was,
        } = change;
        let _ = writeln!(
            text,
            "  {shown}:{line}{}{name}",
            if name.is_empty() { "" } else { " " }
        );
        let was = was.as_ref().map(|hash| {
            old.get(hash)
                .map_or("(text that isn't in Git)", String::as_str)
        });
        for (mark, side) in [('-', was), ('+', now.as_deref())] {
            for line in side.into_iter().flat_map(str::lines) {
                let _ = writeln!(text, "    {mark} {line}");
            }
        }
    }
    text
}

/// The texts, by hash, of the version of a file that was accepted; nothing if git does not have it.
fn accepted_version(changed: &ChangedFile, shown: &str) -> BTreeMap<String, String> {
    let (Some(folder), Some(name)) = (changed.file.parent(), changed.file.file_name()) else {
        return BTreeMap::new();
    };
    let name = name.to_string_lossy();
    let Some(commits) = git(folder, &["log", "-n", COMMITS, "--format=%H", "--", &name]) else {
        return BTreeMap::new();
    };
    commits
        .lines()
        .filter_map(|commit| git(folder, &["show", &format!("{commit}:./{name}")]))
        .find(|text| translations::hash_of_version(text) == changed.hash)
        .map(|text| translations::old_texts(shown, text))
        .unwrap_or_default()
}

/// The output of a git command; `None` if it fails.
#[expect(clippy::disallowed_methods, reason = "runs a program of others")]
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).ok())?
}

fn summary(compared: &[Translation], own: &TranslationsArguments) -> String {
    let chosen: Vec<&Translation> = compared.iter().filter(|one| own.chooses(one)).collect();
    let states = [
        (State::Agrees, "up to date"),
        (State::Stale, "stale"),
        (State::Ahead, "ahead"),
        (State::BothChanged, "changed in both languages"),
        (State::Untranslated, "untranslated"),
        (State::Missing, "missing"),
        (State::Unconfirmed, "unconfirmed"),
    ];
    let counts = states.into_iter().filter_map(|(state, words)| {
        let count = chosen
            .iter()
            .filter(|translation| translation.state == state)
            .count();
        (count > 0).then(|| format!("{count} {words}"))
    });
    let differ = chosen
        .iter()
        .filter(|translation| !translation.structure.is_empty())
        .count();
    let differ = (differ > 0).then(|| format!("{differ} different in structure"));
    let counts: Vec<String> = counts.chain(differ).collect();
    let counts = if counts.is_empty() {
        String::new()
    } else {
        format!(": {}", counts.join(", "))
    };
    format!(
        "{} translation{}{counts}\n",
        chosen.len(),
        if chosen.len() == 1 { "" } else { "s" }
    )
}

fn row(translation: &Translation) -> serde_json::Value {
    let changes = translation
        .changed
        .iter()
        .flat_map(|changed| &changed.changes);
    let changes: Vec<_> = changes
        .map(|change| json!({"name": change.name, "line": change.line, "now": change.now}))
        .collect();
    json!({
        "key": translation.key,
        "locale": translation.locale,
        "reference": translation.reference,
        "path": translation.path,
        "state": translation.state.name(),
        "structure": translation.structure,
        "untranslated": translation.untranslated,
        "changes": changes,
    })
}
