//! Entries from an HTTP address: fetched before a build, with the limits and the snapshot of posts of a CMS.
//!
//! The last good answer is kept beside the posts (`blog.snapshot`). An address that hangs, fails or answers with something
//! else never removes entries: the build goes on with that answer, and warns. A new one replaces it once the site was read
//! with it without a mistake (`planned.rs`).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::blog::fetch::{CmsResponse, Fetcher, RECENT, join_all, rested, with_progress};
use config::addresses::same_origin;
use config::source_index::SourceIndex;
use config::{Config, SnapshotMode};
use diagnostics::problem::{Code, Place, Problem, Problems, Severity, Source};
use schema::types::duration_words;
use workspace::sources::{Hash, hash_value};
use workspace::{cache, files};

use super::{CollectionSchema, Collections, OnError, entries, load_schemas, refused};

/// The facts about a cached response.
#[derive(Serialize, Deserialize)]
struct Head {
    url: String,
    /// Time of the fetch, in seconds since 1970.
    fetched: i64,
}

/// A kept answer.
pub(super) struct Snapshot {
    pub source: Arc<Source>,
    fetched: i64,
}

/// An answer that differs from the kept one.
#[derive(Debug, Clone)]
pub struct NewAnswer {
    pub(super) schema: &'static CollectionSchema,
    pub(super) source: Arc<Source>,
    /// Whether there is an answer to go on with in its place.
    has_old: bool,
}

impl NewAnswer {
    /// Whether another answer can stand in for it.
    pub(crate) fn can_be_refused(&self) -> bool {
        self.has_old
    }

    /// The problem that the site has lost most entries, because the schema refuses those of this answer.
    pub(crate) fn shrunk(&self, config: &Config, collections: &Collections) -> Option<Problem> {
        if self.schema.on_error != OnError::Skip || !self.can_be_refused() {
            return None;
        }
        // The schema refuses entries of the kept answer as well.
        let old = open(config, self.schema)?.source;
        let (before, _) = entries::load(
            config,
            self.schema,
            &SourceIndex::default(),
            None,
            Some(old),
        );
        let now = collections.named(self.schema.name)?.keys();
        let message = shrunk(config, self.schema.name, &before.keys(), &now)?;
        Some(Problem::error(Code::EntriesSource, message).at(Place::file(self.source.path.clone())))
    }

    /// Whether a problem is in it.
    pub(crate) fn has(&self, problem: &Problem) -> bool {
        refused::is_of(self.schema, problem)
    }

    /// The warning that the kept answer is used, because this one has a problem.
    pub(crate) fn refused(&self, config: &Config, problem: &Problem) -> Problem {
        let why = if self.has(problem) {
            refused::why(self.schema, &self.source, problem)
        } else {
            let place = problem
                .place
                .as_ref()
                .map_or_else(String::new, |place| format!("`{}`: ", place.path));
            format!("{place}{}", problem.message)
        };
        let name = self.schema.name;
        let message = format!("the response with the `{name}` entries could not be used: {why}");
        fall_back(
            config,
            self.schema,
            open(config, self.schema).as_ref(),
            message,
        )
    }

    /// Replaces the kept answer.
    pub(crate) fn keep(&self, config: &Config) -> Result<(), Problem> {
        keep(config, self.schema, &self.source.text)
    }
}

/// Fetches the entries of all collections that have an address, and returns the answers that are new. Meanwhile, `on_wait`
/// is called once a second.
pub(crate) fn fetch(config: &Config, on_wait: &dyn Fn(&str, u64)) -> (Vec<NewAnswer>, Problems) {
    let mut problems = Problems::new();
    let mut new = Vec::new();
    let ((schemas, _), _) = load_schemas(config);
    let mode = config.run.snapshot;
    let mut wanted: Vec<(&'static CollectionSchema, Url, Option<Snapshot>)> = Vec::new();
    for schema in schemas {
        let Some(url) = schema
            .url
            .as_ref()
            .and_then(|(url, _)| Url::parse(url).ok())
        else {
            continue;
        };
        let old = if mode == SnapshotMode::Refresh {
            None
        } else {
            open(config, schema)
        };
        match (mode, &old) {
            (SnapshotMode::Offline | SnapshotMode::Kept, Some(_)) => {}
            (SnapshotMode::Recent, Some(old))
                if (0..RECENT).contains(&(config.run.clock.0 - old.fetched)) => {}
            (SnapshotMode::Offline, None) => {
                let message = format!(
                    "there is no snapshot of the `{}` entries for `--offline`",
                    schema.name
                );
                problems.push(
                    problem(schema, message)
                        .hint("build once without `--offline`, while the URL is available"),
                );
            }
            _ => wanted.push((schema, url, old)),
        }
    }
    if wanted.is_empty() {
        return (new, problems);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let answers = match &runtime {
        Ok(runtime) => {
            let requests = wanted.iter().map(|(_, url, old)| {
                let (fetcher, url, has_old) = (fetcher(config, url), url.clone(), old.is_some());
                async move {
                    rested(mode, url.as_str(), has_old, async {
                        fetcher?.get(&url, text_of).await
                    })
                    .await
                }
            });
            let requests = requests.collect();
            let host = wanted[0].1.host_str().unwrap_or_default();
            runtime.block_on(with_progress(join_all(requests), &|seconds| {
                on_wait(host, seconds);
            }))
        }
        Err(error) => wanted.iter().map(|_| Err(error.to_string())).collect(),
    };
    for ((schema, _, old), answer) in wanted.into_iter().zip(answers) {
        match accept(config, schema, old.as_ref(), answer) {
            Ok(answer) => new.extend(answer),
            Err(problem) => problems.push(problem),
        }
    }
    (new, problems)
}

/// Requests a table. Only the CMS gets its credentials.
fn fetcher(config: &Config, url: &Url) -> Result<Fetcher, String> {
    let is_refreshed = config.run.snapshot == SnapshotMode::Refresh;
    let mut fetcher = Fetcher::new(config, vec![url.clone()], is_refreshed)?;
    let cms = config
        .site
        .blog
        .url
        .as_ref()
        .and_then(|cms| Url::parse(&cms.value).ok());
    if !cms.is_some_and(|cms| same_origin(&cms, url)) {
        fetcher.forget_credentials();
    }
    Ok(fetcher)
}

/// The text of an answer with a table.
fn text_of(response: CmsResponse) -> Result<String, String> {
    if response.status != 200 {
        return Err(format!("status {}", response.status));
    }
    let text =
        String::from_utf8(response.body).map_err(|_| "the response is not UTF-8".to_owned())?;
    let text = text.trim_start_matches('\u{feff}').to_owned();
    if text.trim_start().starts_with('<') {
        return Err("the response is HTML instead of JSON or CSV".to_owned());
    }
    Ok(text)
}

/// Looks at an answer before the site is read with it, and returns it if it is new. The problem is an error without a usable
/// snapshot, and a warning with one.
fn accept(
    config: &Config,
    schema: &'static CollectionSchema,
    old: Option<&Snapshot>,
    answer: Result<String, String>,
) -> Result<Option<NewAnswer>, Problem> {
    let (name, mode) = (schema.name, config.run.snapshot);
    let keys_of = |source: &Arc<Source>, problems: &mut Problems| -> BTreeSet<String> {
        refused::rows(schema, source, problems)
            .into_iter()
            .map(|(key, _)| key)
            .collect()
    };
    let read = answer.and_then(|text| {
        let source = source_of(schema, text);
        let mut problems = Problems::new();
        let keys = keys_of(&source, &mut problems);
        match problems
            .iter()
            .find(|problem| problem.severity == Severity::Error)
        {
            Some(problem) => Err(refused::why(schema, &source, problem)),
            None => Ok((source, keys)),
        }
    });
    let (source, keys) = match read {
        Ok(read) => read,
        Err(why) => {
            let message = format!("the entries of `{name}` could not be fetched: {why}");
            return Err(fall_back(config, schema, old, message));
        }
    };
    if mode == SnapshotMode::Frozen {
        return match old {
            Some(old) if old.source.text == source.text => Ok(None),
            Some(_) => Err(problem(
                schema,
                format!("the entries of `{name}` differ from the snapshot"),
            )
            .hint("build without `--frozen` to accept the changes")),
            None => Err(problem(
                schema,
                format!("there is no snapshot of the `{name}` entries to compare with"),
            )
            .hint("build without `--frozen` to create one")),
        };
    }
    let before = old.map(|old| keys_of(&old.source, &mut Problems::new()));
    if let Some(message) = before
        .as_ref()
        .and_then(|before| shrunk(config, name, before, &keys))
    {
        let hint = "if they were removed on purpose, build once with `--refresh`";
        return Err(problem(schema, message).hint(hint));
    }
    if old.is_some_and(|old| old.source.text == source.text) {
        // Only the time is new.
        return keep(config, schema, &source.text).map(|()| None);
    }
    Ok(Some(NewAnswer {
        schema,
        source,
        has_old: old.is_some(),
    }))
}

/// Says that more entries have disappeared than may.
fn shrunk(
    config: &Config,
    name: &str,
    before: &BTreeSet<String>,
    now: &BTreeSet<String>,
) -> Option<String> {
    let gone = before.difference(now).count();
    #[expect(clippy::cast_precision_loss, reason = "numbers of entries are small")]
    let share = gone as f64 / before.len().max(1) as f64;
    (share > config.site.blog.max_shrink && (gone > 1 || now.is_empty())).then(|| {
        match before.len() {
            1 => format!("the only entry of `{name}` has disappeared"),
            all => format!("{gone} of {all} `{name}` entries have disappeared"),
        }
    })
}

/// The warning that the snapshot is used, or the error that there is none.
fn fall_back(
    config: &Config,
    schema: &CollectionSchema,
    old: Option<&Snapshot>,
    message: String,
) -> Problem {
    let mode = config.run.snapshot;
    let Some(old) = old.filter(|_| mode != SnapshotMode::Frozen) else {
        let hint = match mode {
            SnapshotMode::Refresh => {
                "build without `--refresh` to use the snapshot, if there is one"
            }
            SnapshotMode::Frozen => "build again when the URL is available",
            _ => "there is no snapshot to fall back to; build again when the URL is available",
        };
        return problem(schema, message).hint(hint);
    };
    let seconds = config.run.clock.0 - old.fetched;
    let age = duration_words(seconds);
    #[expect(clippy::cast_precision_loss, reason = "exact for any realistic age")]
    let days = seconds as f64 / 86_400.0;
    if days > config.site.blog.max_age {
        let message =
            format!("{message}, and the snapshot is {age} old, more than `blog.max_age` allows");
        return problem(schema, message)
            .hint("build with `--offline`, or build again when the URL is available");
    }
    let message = format!("{message}, so the build uses the entries fetched {age} ago");
    Problem::warning(Code::EntriesSource, message).at(place(schema))
}

fn problem(schema: &CollectionSchema, message: String) -> Problem {
    Problem::error(Code::EntriesSource, message).at(place(schema))
}

fn place(schema: &CollectionSchema) -> Place {
    schema.url.as_ref().map_or_else(
        || Place::file(schema.source.path.clone()),
        |(_, span)| schema.source.place(*span),
    )
}

/// A table, whose problems name its address.
fn source_of(schema: &CollectionSchema, text: String) -> Arc<Source> {
    let path = schema
        .url
        .as_ref()
        .map_or(schema.name, |(url, _)| url.as_str())
        .to_owned();
    Arc::new(Source::new(path, text))
}

/// A hash of all kept responses; `None` if no collection has a URL. It leaves out the time at which they came.
pub fn kept_answers(config: &Config) -> Option<Hash> {
    if !config.may_fetch_entries() {
        return None;
    }
    let folder = config
        .site
        .blog
        .snapshot_folder(&config.paths.root, &config.paths.cache);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut answers: Vec<(String, Vec<u8>)> = files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let is_answer = name.starts_with(ANSWER) && name.ends_with(".txt");
            is_answer
                .then(|| Some((name, std::fs::read(file.path()).ok()?)))
                .flatten()
        })
        .collect();
    answers.sort();
    Some(hash_value(&answers))
}

/// The beginning of the names of kept responses.
const ANSWER: &str = "entries-";

/// The files of a kept answer: what is known of it, and its text.
fn files_of(config: &Config, schema: &CollectionSchema) -> [PathBuf; 2] {
    let folder = config
        .site
        .blog
        .snapshot_folder(&config.paths.root, &config.paths.cache);
    ["json", "txt"].map(|ending| folder.join(format!("{ANSWER}{}.{ending}", schema.name)))
}

/// The kept answer of this address, if there is one.
pub(super) fn open(config: &Config, schema: &CollectionSchema) -> Option<Snapshot> {
    let [head, text] = files_of(config, schema);
    let head: Head = serde_json::from_slice(&std::fs::read(head).ok()?).ok()?;
    if schema.url.as_ref().is_none_or(|(url, _)| *url != head.url) {
        return None;
    }
    let text = std::fs::read_to_string(text).ok()?;
    Some(Snapshot {
        source: source_of(schema, text),
        fetched: head.fetched,
    })
}

fn keep(config: &Config, schema: &CollectionSchema, text: &str) -> Result<(), Problem> {
    let [head_file, text_file] = files_of(config, schema);
    let failed = |file: &PathBuf, error: &std::io::Error| {
        let message = format!(
            "the snapshot of the entries could not be written ({})",
            files::reason(error)
        );
        Problem::error(Code::OutFailed, message)
            .at(Place::file(files::shown(&config.paths.root, file)))
    };
    if std::fs::read(&text_file).map_or(true, |old| old != text.as_bytes()) {
        cache::keep(&text_file, text.as_bytes()).map_err(|error| failed(&text_file, &error))?;
    }
    let url = schema
        .url
        .as_ref()
        .map(|(url, _)| url.clone())
        .unwrap_or_default();
    let head = serde_json::to_string(&Head {
        url,
        fetched: config.run.clock.0,
    })
    .unwrap_or_default();
    cache::keep(&head_file, format!("{head}\n").as_bytes())
        .map_err(|error| failed(&head_file, &error))
}
