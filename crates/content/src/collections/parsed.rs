//! Remembers parsed entries, in the process and for the next build, so that after an edit only the entry that was edited is
//! parsed.
//!
//! An entry is valid while its files have the same stamps, and its schema and the languages of the site are the same. One
//! with a problem is not remembered, so that the problem is reported again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use serde::{Deserialize, Serialize, Serializer};

use config::Config;
use config::source_index::SourceIndex;
use diagnostics::problem::{Source, Span};
use schema::Block;
use schema::types::Moment;
use workspace::files::Stamp;
use workspace::sources::{Hash, Shards, hash, hash_value};

use super::entry::{EntryFile, EntryText};
use super::values::Written;
use super::{CollectionSchema, EntryValues};

/// The maximum number of sites whose entries a process remembers.
const MAX_SITES: usize = 4;

/// The files of an entry with their stamps: its facts, and its words by the index of the language.
pub(super) type Stamps = Vec<(Option<usize>, String, Stamp)>;

/// A parsed entry, and what it was parsed from.
struct Parsed {
    made_with: Hash,
    files: Stamps,
    entry: EntryFile,
}

/// Parsed entries by collection and key: `team/ana-ruiz`.
type Table = HashMap<String, Arc<Parsed>>;

/// Parsed entries by the cache folder of their site. The site that was read last is the first.
type Tables = Vec<(PathBuf, Arc<Table>)>;

/// The entries that this process has parsed.
static IN_PROCESS: LazyLock<Mutex<Tables>> = LazyLock::new(Mutex::default);

fn in_process() -> MutexGuard<'static, Tables> {
    // Poisoned only if another thread panicked; a table is replaced as a whole.
    IN_PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parsed entries of a site.
pub(super) struct ParsedEntries<'a> {
    sources: &'a SourceIndex,
    folder: PathBuf,
    /// Hash of the settings.
    settings: Hash,
    known: Known,
    /// Those that are valid now, each with a flag whether it was parsed again.
    current: Mutex<HashMap<String, (Arc<Parsed>, bool)>>,
}

/// The entries that were parsed before.
enum Known {
    /// In this process.
    Here(Arc<Table>),
    /// For the last build.
    Kept(Shards<Kept<'static>>),
}

impl<'a> ParsedEntries<'a> {
    /// The parsed entries of a site; `None` if metadata does not show every change, or texts are marked with their places.
    pub fn open(config: &Config, sources: &'a SourceIndex) -> Option<ParsedEntries<'a>> {
        if !sources.has_tree() || config.site.marks.is_some() {
            return None;
        }
        let site = &config.site;
        let languages = site
            .locales
            .iter()
            .map(|code| (&code.value, site.with_fallbacks(&code.value).collect()));
        let languages: Vec<(&String, Vec<&str>)> = languages.collect();
        let settings = hash_value(&(languages, &site.withheld, site.timezone.name()));
        let folder = config.paths.cache.join("entries");
        let here = in_process()
            .iter()
            .find(|(known, _)| *known == folder)
            .map(|(_, table)| Arc::clone(table));
        let known = here.map_or_else(
            || Known::Kept(Shards::open(folder.clone(), crate::MADE_BY, settings)),
            Known::Here,
        );
        Some(ParsedEntries {
            sources,
            folder,
            settings,
            known,
            current: Mutex::default(),
        })
    }

    /// The hash of everything but its files that an entry of a collection is parsed with.
    pub fn made_with(&self, schema: &CollectionSchema) -> Hash {
        // The form for debugging has every part of the schema, also one that is added later.
        hash(&[self.settings.as_slice(), format!("{schema:?}").as_bytes()].concat())
    }

    /// The stamp of a file, if each later change is sure to give it another one.
    pub fn settled(&self, stamp: Option<Stamp>) -> Option<Stamp> {
        self.sources.settled(stamp?)
    }

    /// The entry of this name, if it was parsed from the same files.
    pub fn get(
        &self,
        name: &str,
        fields: &'static Block,
        made_with: Hash,
        files: &Stamps,
    ) -> Option<EntryFile> {
        let is_valid = |known: &Hash, of: &[(Option<usize>, String, Stamp)]| {
            *known == made_with && *of == **files
        };
        let parsed = match &self.known {
            Known::Here(table) => Arc::clone(table.get(name)?),
            Known::Kept(kept) => {
                let kept = kept
                    .take(name)
                    .filter(|kept| is_valid(&kept.made_with, &kept.files))?;
                Arc::new(kept.into_parsed(fields)?)
            }
        };
        if !is_valid(&parsed.made_with, &parsed.files) {
            return None;
        }
        let entry = parsed.entry.clone();
        self.current().insert(name.to_owned(), (parsed, false));
        Some(entry)
    }

    /// Remembers an entry that was parsed without a problem.
    pub fn put(&self, name: &str, made_with: Hash, files: Stamps, entry: &EntryFile) {
        let parsed = Parsed {
            made_with,
            files,
            entry: entry.clone(),
        };
        self.current()
            .insert(name.to_owned(), (Arc::new(parsed), true));
    }

    /// Keeps the entries for the next time in this process and, the first time, for the next build.
    pub fn save(self) {
        let current = self
            .current
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Known::Kept(last) = &self.known {
            let all = current
                .iter()
                .map(|(name, (parsed, is_stale))| (name.as_str(), &**parsed, *is_stale));
            last.save(&all.collect::<Vec<_>>());
        }
        let table = Arc::new(
            current
                .into_iter()
                .map(|(name, (parsed, _))| (name, parsed))
                .collect(),
        );
        let mut known = in_process();
        known.retain(|(folder, _)| *folder != self.folder);
        known.insert(0, (self.folder, table));
        known.truncate(MAX_SITES);
    }

    fn current(&self) -> MutexGuard<'_, HashMap<String, (Arc<Parsed>, bool)>> {
        // Poisoned only if another thread panicked while inserting; the table is intact.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The language of the words, the indices of values and source, the place, and the fields whose text another language lends.
type KeptText<'a> = (
    usize,
    usize,
    usize,
    [u32; 2],
    Cow<'a, BTreeMap<String, usize>>,
);

/// A parsed entry in a file. What languages share is there once.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    made_with: Hash,
    files: Cow<'a, [(Option<usize>, String, Stamp)]>,
    key: Cow<'a, str>,
    /// The path and the text of each source.
    sources: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    values: Vec<Cow<'a, Written>>,
    /// By language.
    texts: Vec<Option<KeptText<'a>>>,
    /// The index of the source of the facts.
    source: usize,
    /// In seconds since 1970.
    passes: Vec<i64>,
    lacks: Cow<'a, [usize]>,
}

/// The index of a shared value in a list, to which it is added if it is new.
fn index_of<T>(list: &mut Vec<Arc<T>>, value: &Arc<T>) -> usize {
    let known = list.iter().position(|known| Arc::ptr_eq(known, value));
    known.unwrap_or_else(|| {
        list.push(Arc::clone(value));
        list.len() - 1
    })
}

impl Serialize for Parsed {
    /// As a [`Kept`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The end follows from the schema, each time that the entry is read.
        let EntryFile {
            key,
            texts,
            source,
            until: _,
            passes,
            row: _,
            lacks,
        } = &self.entry;
        let (mut sources, mut values) = (Vec::new(), Vec::new());
        let source = index_of(&mut sources, source);
        let texts = texts
            .iter()
            .map(|text| {
                let EntryText {
                    words_in,
                    values: own,
                    source,
                    span,
                    lent,
                } = text.as_ref()?;
                let own = index_of(&mut values, own.written());
                let source = index_of(&mut sources, source);
                Some((
                    *words_in,
                    own,
                    source,
                    [span.start, span.end],
                    Cow::Borrowed(lent),
                ))
            })
            .collect();
        let kept = Kept {
            made_with: self.made_with,
            files: (&self.files).into(),
            key: key.into(),
            sources: sources
                .iter()
                .map(|source| ((&source.path).into(), (&source.text).into()))
                .collect(),
            values: values
                .iter()
                .map(|values| Cow::Borrowed(&**values))
                .collect(),
            texts,
            source,
            passes: passes.iter().map(|moment| moment.0).collect(),
            lacks: lacks.into(),
        };
        kept.serialize(serializer)
    }
}

impl Kept<'_> {
    /// The entry; `None` if the file is not one that a build wrote.
    fn into_parsed(self, fields: &'static Block) -> Option<Parsed> {
        let source = |(path, text): (Cow<str>, Cow<str>)| {
            Arc::new(Source::new(path.into_owned(), text.into_owned()))
        };
        let sources: Vec<Arc<Source>> = self.sources.into_iter().map(source).collect();
        let values = self
            .values
            .into_iter()
            .map(|values| EntryValues::from_written(fields, Arc::new(values.into_owned())));
        let values: Vec<EntryValues> = values.collect();
        let entry = EntryFile {
            key: self.key.into_owned(),
            texts: self
                .texts
                .into_iter()
                .map(|one| {
                    one.map(|(words_in, own, source, [start, end], lent)| {
                        let values = values.get(own)?.clone();
                        let source = Arc::clone(sources.get(source)?);
                        let (span, lent) = (Span { start, end }, lent.into_owned());
                        Some(EntryText {
                            words_in,
                            values,
                            source,
                            span,
                            lent,
                        })
                    })
                })
                .map(|one| one.map_or(Some(None), |one| one.map(Some)))
                .collect::<Option<_>>()?,
            source: Arc::clone(sources.get(self.source)?),
            until: None,
            passes: self.passes.into_iter().map(Moment).collect(),
            row: 0,
            lacks: self.lacks.into_owned(),
        };
        Some(Parsed {
            made_with: self.made_with,
            files: self.files.into_owned(),
            entry,
        })
    }
}
