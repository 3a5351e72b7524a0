//! Collections: content that a site declares itself, such as its clinics, jobs or events.
//!
//! `templates/collections/<name>/schema.yaml` declares the fields of a collection (`collections/declared.rs`), and
//! `content/<name>/` holds its entries (`collections/entries.rs`): facts once, words per language. No Rust knows what an
//! entry is about.

mod declared;
mod entries;
mod entry;
mod fetched;
mod lacking;
mod misfits;
mod mistakes;
mod parsed;
mod posts;
mod refused;
mod table;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use config::Config;
use config::source_index::SourceIndex;
use diagnostics::problem::{Problems, Source};
use schema::types::Moment;

use super::blog::NextChange;

pub use declared::load as load_schemas;
pub use declared::{
    AUTHORS, CollectionSchema, Expired, FILTER_PLACEHOLDERS, FilterSchema, LIST_ADDRESS, Missing,
    NAMES, OnError, POSTS, PerLanguage, SETTINGS, field_at,
};
pub use declared::{CollectionFile, posts_of_theme};
pub(super) use declared::{PostsSchema, is_of_blog};
pub use entry::{EntryFile, EntryText, Withdrawn};
pub use fetched::kept_answers;
pub(super) use fetched::{NewAnswer, fetch};
pub use misfits::misfits;
use parsed::ParsedEntries;
pub(super) use posts::{Askers, posts_fields};
pub use table::read as table_entries;
pub use table::{KEY as KEY_OF_ROW, rows};
pub use values::EntryValues;
pub(super) use values::Written;

/// The collections of a site.
#[derive(Debug, Clone)]
pub struct Collections {
    /// Sorted by name.
    pub list: Vec<Collection>,
    /// The time of the build.
    pub now: Moment,
    /// Names of collections whose schema could not be read, which was reported.
    pub broken: BTreeSet<String>,
}

/// A collection with its entries.
#[derive(Debug, Clone)]
pub struct Collection {
    /// Its schema.
    pub schema: &'static CollectionSchema,
    /// Its entries that are public now, sorted by key.
    pub entries: Arc<Vec<EntryFile>>,
    /// Its entries that are not public now, sorted by key.
    pub withdrawn: Vec<Withdrawn>,
    /// Keys of entries that could not be read, which was reported.
    pub broken: BTreeSet<String>,
}

impl Collection {
    /// The keys of its entries, public or not.
    fn keys(&self) -> BTreeSet<String> {
        let withdrawn = self.withdrawn.iter().map(|entry| &entry.key);
        self.entries
            .iter()
            .map(|entry| &entry.key)
            .chain(withdrawn)
            .cloned()
            .collect()
    }

    /// Whether it has no entries, public or not.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.withdrawn.is_empty() && self.broken.is_empty()
    }
}

impl Collections {
    /// A collection by name.
    pub fn named(&self, name: &str) -> Option<&Collection> {
        self.list
            .iter()
            .find(|collection| collection.schema.name == name)
    }

    /// Whether an entry is public now.
    pub fn is_public(&self, collection: &str, key: &str) -> bool {
        let entries = self.named(collection).map(|collection| &collection.entries);
        entries.is_some_and(|entries| {
            entries
                .binary_search_by(|entry| entry.key.as_str().cmp(key))
                .is_ok()
        })
    }

    /// Whether an entry is there, but not public now.
    pub fn is_withdrawn(&self, collection: &str, key: &str) -> bool {
        let of = self.named(collection);
        of.is_some_and(|of| of.withdrawn.iter().any(|entry| entry.key == key))
    }

    /// The next time at which an entry begins or ends to be public, or a date passes of an entry whose collection
    /// has a feed or `is_listed_by_date`.
    pub fn next_change(
        &self,
        now: Moment,
        is_listed_by_date: &dyn Fn(&str) -> bool,
    ) -> Option<NextChange> {
        let (mut begins, mut ends, mut passes) = (Vec::new(), Vec::new(), Vec::new());
        for collection in &self.list {
            begins.extend(
                collection
                    .withdrawn
                    .iter()
                    .filter_map(|entry| Some((entry.from?, &entry.source))),
            );
            ends.extend(
                collection
                    .entries
                    .iter()
                    .filter_map(|entry| Some((entry.until?, &entry.source))),
            );
            // A feed lists what is to come before what has been.
            if collection.schema.feed.is_some() || is_listed_by_date(collection.schema.name) {
                let all = collection.entries.iter();
                passes.extend(all.flat_map(|entry| {
                    entry
                        .passes
                        .clone()
                        .into_iter()
                        .map(move |at| (at, &entry.source))
                }));
            }
        }
        let all = || begins.iter().chain(&ends).chain(&passes).map(|(at, _)| *at);
        let at = all().filter(|at| *at > now).min()?;
        let paths = |list: &[(Moment, &Arc<Source>)]| -> Vec<String> {
            let then = list
                .iter()
                .filter(|(moment, _)| *moment == at)
                .map(|(_, source)| source.path.clone());
            then.collect::<BTreeSet<String>>().into_iter().collect()
        };
        let (withdrawn, mut passed) = (paths(&ends), paths(&passes));
        passed.retain(|path| !withdrawn.contains(path));
        Some(NextChange {
            at,
            published: paths(&begins),
            withdrawn,
            passed,
        })
    }
}

/// Reads the schemas and the entries of all collections. Entries that were parsed before are remembered if their files were
/// listed. `new` are answers of addresses that are not kept yet.
pub(super) fn load(
    config: &Config,
    sources: &SourceIndex,
    new: &[NewAnswer],
) -> (Collections, Problems) {
    let mut problems = Problems::new();
    let (schemas, mut broken) = problems.take(load_schemas(config));
    let parsed = ParsedEntries::open(config, sources);
    let mut list = Vec::with_capacity(schemas.len());
    for schema in schemas
        .into_iter()
        .filter(|schema| !broken.contains(schema.name))
        .collect::<Vec<_>>()
    {
        let answer = new
            .iter()
            .find(|answer| answer.schema.name == schema.name)
            .map(|answer| Arc::clone(&answer.source));
        let answer = answer.or_else(|| Some(fetched::open(config, schema)?.source));
        // Nothing is known of entries that could not be fetched, which was reported.
        if schema.is_fetched() && answer.is_none() {
            broken.insert(schema.name.to_owned());
            continue;
        }
        list.push(problems.take(entries::load(
            config,
            schema,
            sources,
            parsed.as_ref(),
            answer,
        )));
    }
    if let Some(parsed) = parsed {
        parsed.save();
    }
    (
        Collections {
            list,
            now: config.run.now,
            broken,
        },
        problems,
    )
}

/// Whether `content/` has a folder of this name for something else.
pub fn is_taken(name: &str) -> bool {
    name == POSTS || declared::is_of_others(name)
}

/// Whether a site declares settings of its own.
pub(super) fn has_settings(config: &Config) -> bool {
    config
        .paths
        .theme_root()
        .join(declared::SETTINGS_FILE)
        .is_file()
}

/// The names of the folders below `content/` that hold entries, without reading them.
pub(super) fn names(config: &Config) -> Vec<String> {
    let folder = config.paths.theme_root().join(declared::FOLDER);
    let mut names = schema::folders(&folder);
    // The folder of posts is that of the blog.
    names.retain(|name| name != POSTS && folder.join(name).join(declared::FILE).is_file());
    names.extend(declared::lacks_authors(config).then(|| AUTHORS.to_owned()));
    names
}
