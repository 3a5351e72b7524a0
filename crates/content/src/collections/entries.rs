//! Reads the entries of a collection below `content/<name>/`.
//!
//! An entry is a folder `<key>/` with `entry.yaml`, which holds facts, and a file of words for each language; or one file
//! `<key>.yaml`, in which a word has a text for each language; or Markdown files `<language>/<key>.md` with front matter,
//! whose text is the field `body`. The forms can be mixed. Whatever several files give, the language decides.

mod in_language;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;

use crate::{front_matter, images, origins};
use config::Config;
use config::source_index::SourceIndex;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{self, Entry, Key, Node, Value, Words};
use schema::types::{Dates, FieldType, Moment, Typed, When, Zone, composed, is_key};
use schema::{Takes, typed};
use workspace::files::{self, Stamp};
use workspace::parallel;
use workspace::sources::Hash;

use in_language::InLanguage;

use super::entry::{EntryFile, EntryText, Withdrawn};
use super::lacking::{self, Said};
use super::mistakes::{self, Undeclared};
use super::parsed::{ParsedEntries, Stamps};
use super::{
    Collection, CollectionSchema, EntryValues, Missing, SETTINGS, declared, refused, table,
};

/// The name of the file of facts in the folder of an entry.
const FACTS: &str = "entry";
/// The field whose text is that of a Markdown file.
const BODY: &str = "body";
/// The flag that keeps an entry from being public, in a collection that declares it.
const DRAFT: &str = "draft";
/// The settings that a site declares itself.
const SETTINGS_CONTENT: &str = "content/settings.yaml";

/// The files of an entry.
#[derive(Default)]
struct Files {
    row: usize,
    facts: Option<Facts>,
    /// By the index of the language.
    words: BTreeMap<usize, File>,
}

/// The path of a file, and its stamp before it was read; `None` if metadata does not show every change.
type File = (PathBuf, Option<Stamp>);

impl Files {
    /// The files with their stamps; `None` if one may have been changed since, or holds other entries, too.
    fn stamps(&self, root: &Path, parsed: &ParsedEntries) -> Option<Stamps> {
        let facts = match &self.facts {
            Some(Facts::File(file)) => Some((None, file)),
            Some(Facts::Row(_)) => return None,
            None => None,
        };
        let all = facts.into_iter().chain(
            self.words
                .iter()
                .map(|(locale, file)| (Some(*locale), file)),
        );
        all.map(|(locale, (path, stamp))| {
            Some((locale, files::shown(root, path), parsed.settled(*stamp)?))
        })
        .collect()
    }
}

/// The facts of an entry.
enum Facts {
    /// In a file of their own.
    File(File),
    /// In a file with other entries, which was read.
    Row(Parsed),
}

/// Reads all entries, but for those that were parsed before. `answer` is that of the address that they are fetched from.
pub(super) fn load(
    config: &Config,
    schema: &'static CollectionSchema,
    sources: &SourceIndex,
    parsed: Option<&ParsedEntries>,
    answer: Option<Arc<Source>>,
) -> (Collection, Problems) {
    if schema.is_of_posts() {
        // The blog reads them.
        let (entries, withdrawn, broken) = (Arc::default(), Vec::new(), BTreeSet::new());
        return (
            Collection {
                schema,
                entries,
                withdrawn,
                broken,
            },
            Problems::new(),
        );
    }
    let root = &config.paths.root;
    let folder = root.join("content").join(schema.name);
    let (paths, mut problems) = sources.list(root, &format!("content/{}", schema.name), &|_| true);
    let mut found: BTreeMap<String, Files> = BTreeMap::new();
    let settings = root.join(SETTINGS_CONTENT);
    if schema.name == SETTINGS && root.exists(&settings) {
        found.insert(
            SETTINGS.to_owned(),
            Files {
                facts: Some(Facts::File((settings, None))),
                ..Files::default()
            },
        );
    }
    // Those that every entry needs and the table lacks.
    let mut columns = Vec::new();
    let table = schema.file.as_ref().map(|(name, _)| folder.join(name));
    // A collection of the theme is empty in a site that has none.
    let is_of_theme =
        !root.exists(&folder) && !root.exists(&root.join(declared::FOLDER).join(schema.name));
    let table = table.filter(|path| root.exists(path) || !is_of_theme);
    if let (Some(path), Some((name, span))) = (&table, &schema.file) {
        let is_beside = !name.contains(['/', '\\'])
            && [".csv", ".json", ".yaml"]
                .iter()
                .any(|end| name.ends_with(end));
        if !is_beside || !root.exists(path) {
            let message = format!("there is no table `content/{}/{name}`", schema.name);
            let problem =
                Problem::error(Code::CollectionSchema, message).at(schema.source.place(*span));
            problems.push(problem.hint("name a `.csv`, `.json` or `.yaml` file in that folder"));
        } else {
            match root.read_text(path) {
                Ok(source) => {
                    columns = table::missing_columns(&source, &schema.fields, &mut problems);
                    let rows = table::read(&source, &schema.fields, &mut problems);
                    found.extend(files_of_rows(&source, rows));
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    if let Some(source) = answer {
        let rows = refused::rows(schema, &source, &mut problems);
        found.extend(files_of_rows(&source, rows));
    }
    for (path, stamp) in paths.into_iter().filter(|_| schema.name != SETTINGS) {
        let shown = files::shown(&folder, &path);
        if images::is_picture(&path) || table.as_ref() == Some(&path) || is_withheld(config, &shown)
        {
            continue;
        }
        match classify(config, schema, &shown) {
            Ok((key, None)) => {
                let known = &mut found.entry(key).or_default().facts;
                match known {
                    Some(Facts::File((other, _))) => problems.push(twice(config, other, &path)),
                    Some(Facts::Row((source, _))) => {
                        problems.push(twice(config, &root.join(&source.path), &path));
                    }
                    None => *known = Some(Facts::File((path, stamp))),
                }
            }
            Ok((key, Some(locale))) => {
                let words = &mut found.entry(key).or_default().words;
                match words.get(&locale) {
                    Some((other, _)) => problems.push(twice(config, other, &path)),
                    None => drop(words.insert(locale, (path, stamp))),
                }
            }
            Err((message, hint)) => {
                let place = Place::file(files::shown(&config.paths.root, &path));
                problems.push(
                    Problem::error(Code::UnexpectedFile, message)
                        .at(place)
                        .maybe_hint(hint),
                );
            }
        }
    }
    let found: Vec<(String, Files)> = found.into_iter().collect();
    let parsed = parsed.map(|parsed| (parsed, parsed.made_with(schema)));
    let read: Vec<Read> = parallel::map(&found, |(key, files)| {
        entry(config, schema, parsed, key, files)
    });
    let mut undeclared: Vec<Undeclared> = Vec::new();
    let (mut entries, mut withdrawn, mut broken) = (Vec::new(), Vec::new(), BTreeSet::new());
    for ((key, _), (entry, of_entry, without_words)) in found.iter().zip(read) {
        if let Some(warning) = refused::left_out(schema, &of_entry) {
            problems.push(warning);
            continue;
        }
        problems.extend(mistakes::without_columns(of_entry, &columns));
        undeclared.extend(without_words);
        let Some(mut entry) = entry else {
            broken.insert(key.clone());
            continue;
        };
        let (from, until, is_draft) = span_of_time(config, schema, &entry);
        let (now, drafts) = (config.run.now, config.run.drafts);
        let dates = Dates { from, until };
        problems.extend(
            reversed_dates(schema, &entry, dates).map_or_else(Problems::new, Problems::from),
        );
        let is_public = !is_draft
            && from.is_none_or(|from| from <= now)
            && until.is_none_or(|until| until > now);
        if is_public || drafts {
            entry.until = until;
            entries.push(entry);
        } else {
            let from = from.filter(|_| !is_draft);
            let texts = if is_draft { Vec::new() } else { entry.texts };
            withdrawn.push(Withdrawn {
                key: entry.key,
                from,
                until,
                texts,
                source: entry.source,
            });
        }
    }
    problems.extend(mistakes::undeclared(schema, undeclared, found.len()));
    let doubles = doubles(schema, &entries);
    refused::leave_out(schema, doubles, &mut entries, &mut problems);
    problems.extend(lacking::warn(config, schema, &entries));
    (
        Collection {
            schema,
            entries: Arc::new(entries),
            withdrawn,
            broken,
        },
        problems,
    )
}

/// An entry that was parsed before, or else as its files have it.
fn entry(
    config: &Config,
    schema: &'static CollectionSchema,
    parsed: Option<(&ParsedEntries, Hash)>,
    key: &str,
    files: &Files,
) -> Read {
    let read = || EntryReader::new(config, schema, key).entry(files);
    let Some((parsed, made_with)) = parsed else {
        return read();
    };
    let Some(stamps) = files.stamps(&config.paths.root, parsed) else {
        return read();
    };
    let name = format!("{}/{key}", schema.name);
    if let Some(entry) = parsed.get(&name, &schema.fields, made_with, &stamps) {
        return (Some(entry), Problems::new(), Vec::new());
    }
    let (entry, problems, undeclared) = read();
    if let (Some(entry), true) = (&entry, problems.is_empty() && undeclared.is_empty()) {
        parsed.put(&name, made_with, stamps, entry);
    }
    (entry, problems, undeclared)
}

/// The entries that are rows of one file, by key.
fn files_of_rows(
    source: &Arc<Source>,
    rows: Vec<(String, Node)>,
) -> impl Iterator<Item = (String, Files)> {
    rows.into_iter().enumerate().map(|(row, (key, node))| {
        (
            key,
            Files {
                row,
                facts: Some(Facts::Row((Arc::clone(source), node))),
                words: BTreeMap::new(),
            },
        )
    })
}

/// Whether a file below the folder of a collection has words in a language that this build leaves out.
fn is_withheld(config: &Config, path: &str) -> bool {
    let parts = path
        .rsplit_once('.')
        .and_then(|(stem, ending)| Some((stem.split_once('/')?, ending)));
    parts.is_some_and(|((first, last), ending)| {
        config.site.is_withheld(last) || ending == "md" && config.site.is_withheld(first)
    })
}

/// The key of the entry that a file below the folder of a collection belongs to, and the language of its words; facts
/// have none. The error is a message and a hint.
fn classify(
    config: &Config,
    schema: &CollectionSchema,
    path: &str,
) -> Result<(String, Option<usize>), (String, Option<String>)> {
    let locales = || config.site.locales.iter().map(|code| code.value.as_str());
    let locale = |code: &str| locales().position(|known| known == code);
    let has_body = schema
        .fields
        .field(BODY)
        .is_some_and(|field| matches!(field.takes, Takes::Markdown));
    let name = schema.name;
    let unread = || {
        let markdown = if has_body {
            format!(", or `content/{name}/<language>/<key>.md`")
        } else {
            String::new()
        };
        let hint = format!(
            "put an entry in `content/{name}/<key>.yaml`, or `content/{name}/<key>/entry.yaml`{markdown}"
        );
        ("nothing reads this file".to_owned(), Some(hint))
    };
    let (stem, ending) = path.rsplit_once('.').ok_or_else(unread)?;
    let parts: Vec<&str> = stem.split('/').collect();
    let (key, language) = match (&parts[..], ending) {
        ([key] | [key, FACTS], "yaml") => (*key, None),
        ([code, key], "md") if has_body && locale(code).is_some() => (*key, locale(code)),
        ([key, code], "yaml" | "md") if ending == "yaml" || has_body => {
            if let Some(locale) = locale(code) {
                (*key, Some(locale))
            } else {
                let message = format!("`{code}` is not a locale in `site.yaml`");
                return Err((message, did_you_mean(code, locales().chain([FACTS]))));
            }
        }
        ([_], "md") if has_body => {
            let hint = format!(
                "move it to `content/{name}/{}/`",
                locales().next().unwrap_or_default()
            );
            return Err((
                "the path of this file does not name its language".to_owned(),
                Some(hint),
            ));
        }
        _ => return Err(unread()),
    };
    let key = composed(key).into_owned();
    if !is_key(&key) {
        let hint = "keys are part of URLs: use lowercase letters, digits and `-`";
        return Err((
            format!("`{key}` is not a valid key for an entry"),
            Some(hint.to_owned()),
        ));
    }
    Ok((key, language))
}

/// The problem with two files for the same part of an entry.
fn twice(config: &Config, first: &Path, second: &Path) -> Problem {
    let shown = |path: &Path| files::shown(&config.paths.root, path);
    let message = format!("`{}` already contains this part of the entry", shown(first));
    Problem::error(Code::DuplicateId, message)
        .at(Place::file(shown(second)))
        .hint("keep one of the two files")
}

/// Reads one entry.
struct EntryReader<'a> {
    config: &'a Config,
    schema: &'static CollectionSchema,
    key: &'a str,
    problems: Problems,
    undeclared: Vec<Undeclared>,
}

/// A parsed file.
type Parsed = (Arc<Source>, Node);

/// An entry that was read, its problems, and those that its schema may be the cause of.
type Read = (Option<EntryFile>, Problems, Vec<Undeclared>);

impl<'a> EntryReader<'a> {
    fn new(config: &'a Config, schema: &'static CollectionSchema, key: &'a str) -> EntryReader<'a> {
        EntryReader {
            config,
            schema,
            key,
            problems: Problems::new(),
            undeclared: Vec::new(),
        }
    }

    fn entry(mut self, files: &Files) -> Read {
        let entry = self.read(files);
        let problems = self
            .problems
            .without(|problem| mistakes::is_within(&self.undeclared, problem));
        (entry, problems, self.undeclared)
    }

    fn read(&mut self, files: &Files) -> Option<EntryFile> {
        let facts = match &files.facts {
            Some(Facts::File((path, _))) => Some(self.parse(path)),
            Some(Facts::Row(row)) => Some(Some(row.clone())),
            None => None,
        };
        let words: BTreeMap<usize, Option<Parsed>> = files
            .words
            .iter()
            .map(|(locale, (path, _))| (*locale, self.parse(path)))
            .collect();
        // A file that could not be parsed makes the whole entry unknown, which was reported.
        let mut facts = facts.map_or(Some(None), |read| read.map(Some))?;
        let words: BTreeMap<usize, Parsed> = words
            .into_iter()
            .map(|(locale, read)| Some((locale, read?)))
            .collect::<Option<_>>()?;
        if let Some((source, node)) = &mut facts {
            self.undeclared =
                mistakes::take_undeclared(self.schema, source, node, &self.config.site);
            self.problems
                .extend(mistakes::said_twice(self.schema, source, node, &words));
            self.problems.extend(mistakes::in_one_language(
                self.schema,
                source,
                node,
                &self.config.site,
            ));
        }
        // Without a file of facts, those of the first language hold for all.
        let facts = facts.or_else(|| {
            words
                .iter()
                .next()
                .map(|(_, (source, node))| (Arc::clone(source), self.facts_of(node)))
        });
        let count = self.config.site.locales.len();
        let has_words = self.schema.fields.fields.iter().any(|field| field.words);
        let mut is_any_said = false;
        let said = Said::new(&self.config.site, facts.as_ref(), &words);
        let mut read: Vec<Option<Option<EntryText>>> = (0..count)
            .rev()
            .map(|locale| {
                let shared = facts
                    .as_ref()
                    .map(|(source, node)| (source, self.localized(source, node, locale)));
                let is_said = shared.as_ref().is_some_and(|(_, facts)| facts.is_said)
                    || words.contains_key(&locale);
                // Without words in any language, the first one lacks them.
                let is_given = !has_words || is_said || locale == 0 && !is_any_said;
                is_any_said |= is_said;
                is_given.then(|| {
                    let own = words.get(&locale).cloned();
                    let (shared, mut lent) = match shared {
                        Some((source, InLanguage { node, lent, .. })) => {
                            (Some((Arc::clone(source), node)), lent)
                        }
                        None => (None, BTreeMap::new()),
                    };
                    lent.retain(|name, _| {
                        own.as_ref()
                            .is_none_or(|(_, node)| node.get(name).is_none())
                    });
                    self.text(locale, shared, own, &said)
                        .map(|text| EntryText { lent, ..text })
                })
            })
            .collect();
        read.reverse();
        let source = facts
            .as_ref()
            .or_else(|| words.values().next())
            .map(|(source, _)| Arc::clone(source))?;
        // A language that could not be read was reported.
        let is_broken = read.iter().any(|text| matches!(text, Some(None)));
        let main = read.iter().flatten().flatten().next().cloned()?;
        // The words of the nearest fallback that has some.
        let settings = &self.config.site;
        let lent = |locale: usize| {
            let others = settings
                .with_fallbacks(&settings.locales[locale].value)
                .skip(1);
            let mut places =
                others.filter_map(|code| settings.locales.iter().position(|own| own.value == code));
            places.find_map(|at| read[at].clone().flatten())
        };
        let lent: Vec<Option<EntryText>> = (0..count).map(lent).collect();
        // A word without languages is meant for all, and a text in one language, such as that of a visitor, for no other.
        let are_languages_said = !words.is_empty()
            || facts
                .as_ref()
                .is_some_and(|(_, node)| self.has_languages(node));
        let is_translated = are_languages_said && read.iter().flatten().count() > 1;
        let mut lacks = Vec::new();
        let mut texts = Vec::with_capacity(count);
        for (locale, (text, lent)) in read.into_iter().zip(lent).enumerate() {
            texts.push(match (text, self.schema.missing) {
                (Some(text), _) => text,
                // Facts without any words are the same in all languages.
                (None, _) if !is_any_said => Some(EntryText {
                    words_in: locale,
                    ..main.clone()
                }),
                (None, Missing::Main | Missing::Error) if lent.is_some() => lent,
                (None, Missing::Main) => {
                    let has_fallback = settings
                        .fallback
                        .contains_key(&settings.locales[locale].value);
                    lacks.extend((is_translated && !has_fallback).then_some(locale));
                    Some(main.clone())
                }
                (None, Missing::LeaveOut) => None,
                (None, Missing::Error) => {
                    let code = &self.config.site.locales[locale].value;
                    let message = format!("the entry has no text in the language `{code}`");
                    let hint = format!(
                        "add `content/{}/{}/{code}.yaml` with its text",
                        self.schema.name, self.key
                    );
                    let place = Place::file(source.path.clone());
                    self.problems.push(
                        Problem::error(Code::TranslationMissing, message)
                            .at(place)
                            .hint(hint),
                    );
                    None
                }
            });
        }
        if is_broken {
            return None;
        }
        self.problems
            .extend(lacking::check(self.config, self.schema, &texts));
        let zone = &self.config.site.timezone;
        let entry = EntryFile {
            key: self.key.to_owned(),
            passes: passing(self.schema, &main, zone),
            texts,
            source,
            until: None,
            row: files.row,
            lacks,
        };
        self.problems
            .extend(in_time_zone(self.schema, &entry, &main, zone));
        Some(entry)
    }

    fn parse(&mut self, path: &Path) -> Option<Parsed> {
        let parsed = self.config.paths.root.read_text(path).and_then(|source| {
            if path.extension().is_none_or(|ending| ending != "md") {
                let node = yaml::parse(&source, 0..source.text.len())?;
                return Ok((source, node));
            }
            let (front, body) = front_matter::split(&source)?;
            let mut node = yaml::parse(&source, front)?;
            let span = Span::new(body.start, body.end);
            let text = Node::new(Value::Text(source.text[body].to_owned()), span);
            match &mut node.value {
                Value::Map(entries) => entries.push((
                    Key {
                        name: BODY.to_owned(),
                        span,
                    },
                    text,
                )),
                value => {
                    *value = Value::Map(vec![(
                        Key {
                            name: BODY.to_owned(),
                            span,
                        },
                        text,
                    )]);
                }
            }
            Ok((source, node))
        });
        let (source, mut node) = parsed.map_err(|problem| self.problems.push(problem)).ok()?;
        if let Value::Null = node.value {
            node.value = Value::Map(Vec::new());
        }
        if let Value::Map(_) = node.value {
            return Some((source, node));
        }
        let message = format!("expected a block of keys, found {}", node.value.kind());
        self.problems
            .push(node.problem(&source, Problem::error(Code::WrongType, message)));
        None
    }

    /// Reads the values in one language. `None` if one is wrong, which was reported.
    fn text(
        &mut self,
        locale: usize,
        facts: Option<Parsed>,
        words: Option<Parsed>,
        said: &Said,
    ) -> Option<EntryText> {
        let (source, mut node) = match (facts, words) {
            (Some((facts, mut shared)), Some((source, words))) => {
                let (both, offset) = source.followed_by(&facts);
                shared.shift(offset);
                let node = self.merged(&both, shared, words);
                (Arc::new(both), node)
            }
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return None,
        };
        origins::mark_tree(&self.config.site, &source, &mut node);
        let mut found = Problems::new();
        let values = yaml::read_seed(&source, &node, &self.schema.fields, &mut found);
        if values.is_none() {
            found = mistakes::all(&source, &node, &self.schema.fields, &found);
        }
        let found = front_matter::with_counterparts(&found, &self.schema.fields);
        let code = self.config.site.locales[locale].value.as_str();
        self.problems
            .extend(said.name(self.schema, &node, (locale, code), &found));
        let values = EntryValues::new(&self.schema.fields, &values?);
        Some(EntryText {
            words_in: locale,
            values,
            source,
            span: node.span,
            lent: BTreeMap::new(),
        })
    }

    /// Lays the words of a language over the facts.
    fn merged(&mut self, both: &Source, shared: Node, words: Node) -> Node {
        let span = words.span;
        let (Value::Map(shared), Value::Map(words)) = (shared.value, words.value) else {
            return Node::new(Value::Map(Vec::new()), span);
        };
        let mut words = Words::read(both, words, &mut self.problems);
        let mut entries = Vec::with_capacity(shared.len());
        for (key, node) in shared {
            let entry = words.take(&key.name).map(|(_, entry)| entry);
            let node = yaml::overlay(Some(node), entry, &key.name, both, &mut self.problems);
            entries.extend(node.map(|node| (key, node)));
        }
        let names: Vec<Key> = words.names().cloned().collect();
        for key in names {
            let entry: Option<Entry> = words.take(&key.name).map(|(_, entry)| entry);
            let node = yaml::overlay(None, entry, &key.name, both, &mut self.problems);
            entries.extend(node.map(|node| (key, node)));
        }
        Node::new(Value::Map(entries), span)
    }
}

/// The problem of an entry that ends before it begins; it costs the entries of other systems nothing.
fn reversed_dates(schema: &CollectionSchema, entry: &EntryFile, dates: Dates) -> Option<Problem> {
    let (Some(first), Some(last)) = &schema.publish else {
        return None;
    };
    let problem = Dates::reversed(&format!("`{last}`"), &format!("`{first}`"));
    dates
        .is_reversed()
        .then(|| at_value(schema, entry, last, problem))
}

/// A problem at a value of an entry; a warning for entries of other systems, which are shown all the same.
fn at_value(
    schema: &CollectionSchema,
    entry: &EntryFile,
    field: &str,
    problem: Problem,
) -> Problem {
    let problem = problem.at(place_of_value(schema, entry, field));
    if schema.is_fetched() {
        problem.as_warning()
    } else {
        problem
    }
}

/// Reports times that the clocks of the site skip or repeat, and ends that are only in its time zone before the beginning.
fn in_time_zone(
    schema: &CollectionSchema,
    entry: &EntryFile,
    text: &EntryText,
    zone: &Zone,
) -> Problems {
    let mut problems = Problems::new();
    for field in &schema.fields.fields {
        if field.takes != Takes::Typed(FieldType::Moment) || field.list || field.map {
            continue;
        }
        let Some(when) = moment_of(text, field.name) else {
            continue;
        };
        let changed = when.moment(zone).err();
        if let Some((message, hint)) = changed.filter(|_| *zone != Zone::default()) {
            let problem = Problem::error(Code::InvalidValue, message).hint(hint);
            problems.push(at_value(schema, entry, field.name, problem));
        }
        // The order of all others was checked when they were read.
        if let Some(name) = field.not_before
            && let Some(first) = moment_of(text, name)
            && first.compare(when).is_none()
            && when.end(zone) < first.beginning(zone)
        {
            let message = format!(
                "`{when}` is before `{name}` (`{first}`) in the time zone {}",
                zone.name()
            );
            let problem = Problem::error(Code::InvalidValue, message);
            problems.push(at_value(schema, entry, field.name, problem));
        }
    }
    problems
}

fn moment_of(text: &EntryText, field: &str) -> Option<When> {
    match text.values.get(field).as_ref().and_then(typed) {
        Some(Typed::Moment(when)) => Some(when),
        _ => None,
    }
}

/// When the dates of an entry pass, and those with an end begin: lists of what is upcoming or current change then.
pub(super) fn passing(schema: &CollectionSchema, text: &EntryText, zone: &Zone) -> Vec<Moment> {
    let mut passes = Vec::new();
    let value_of = |name: &str| text.values.get(name).as_ref().and_then(typed);
    for field in &schema.fields.fields {
        let Some(value) = value_of(field.name) else {
            continue;
        };
        let begins = schema
            .feed
            .as_ref()
            .is_some_and(|feed| feed.date == field.name)
            || schema.end_of(field.name).is_some();
        passes.extend(value.beginning(zone).filter(|_| begins));
        passes.extend(value.end(zone));
    }
    // A feed also moves what has a length of time.
    passes.extend(schema.feed.as_ref().and_then(|feed| {
        let end = value_of(feed.end.as_deref()?).filter(|end| matches!(end, Typed::Duration(_)))?;
        end.end_from(&value_of(&feed.date)?, zone)
    }));
    passes
}

/// When an entry begins and ends to be public, and whether it is a draft.
fn span_of_time(
    config: &Config,
    schema: &CollectionSchema,
    entry: &EntryFile,
) -> (Option<Moment>, Option<Moment>, bool) {
    let value = |name: &str| {
        entry
            .texts
            .iter()
            .flatten()
            .next()
            .and_then(|text| text.values.get(name))
    };
    let date = |name: &Option<String>| value(name.as_deref()?).as_ref().and_then(typed);
    let is_draft = value(DRAFT).is_some_and(|value| value == Json::Bool(true));
    let (from, until) = &schema.publish;
    let zone = &config.site.timezone;
    (
        date(from).and_then(|date| date.beginning(zone)),
        date(until).and_then(|date| date.end(zone)),
        is_draft,
    )
}

/// The place of a value of an entry: its key, or the row of a table.
fn place_of_value(schema: &CollectionSchema, entry: &EntryFile, field: &str) -> Place {
    let mut texts = entry.texts.iter().flatten();
    if schema.file.is_some() || schema.is_fetched() {
        return texts.next().map_or_else(
            || Place::file(entry.source.path.clone()),
            |text| text.source.place(text.span),
        );
    }
    let mut sources = texts.map(|text| &*text.source).chain([&*entry.source]);
    let place = sources.find_map(|source| Some(source.place(yaml::span_of_key(source, &[field])?)));
    place.unwrap_or_else(|| Place::file(entry.source.path.clone()))
}

/// Entries with a value that one before them has although no two may have it, each once, with the problem.
pub(super) fn doubles(
    schema: &CollectionSchema,
    entries: &[EntryFile],
) -> BTreeMap<usize, Problem> {
    let mut doubles = BTreeMap::new();
    for field in schema.fields.fields.iter().filter(|field| field.unique) {
        let mut seen: BTreeMap<(usize, String), &EntryFile> = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate() {
            for (locale, text) in entry.texts.iter().enumerate() {
                let Some(text) = text.as_ref().filter(|text| text.words_in == locale) else {
                    continue;
                };
                let value = match text.values.get(field.name) {
                    None | Some(Json::Null) => continue,
                    Some(value) => {
                        typed(&value).map_or_else(|| shown(&value), |value| value.machine())
                    }
                };
                let Some(other) = seen.insert((locale, value.clone()), entry) else {
                    continue;
                };
                let place = place_of_value(schema, entry, field.name);
                let message = format!(
                    "`{}` is also the `{}` of `{}`",
                    value, field.name, other.source.path
                );
                let hint =
                    "the schema requires a different value in each entry; change one of them";
                let problem = Problem::error(Code::DuplicateId, message)
                    .at(place)
                    .hint(hint);
                doubles.entry(at).or_insert(problem);
                break;
            }
        }
    }
    doubles
}

/// A value in a message: the text of links and Markdown, without their places.
fn shown(value: &Json) -> String {
    let text = value
        .as_str()
        .or_else(|| value.as_object()?.values().next()?.get("value")?.as_str());
    text.map_or_else(|| value.to_string(), str::to_owned)
}
