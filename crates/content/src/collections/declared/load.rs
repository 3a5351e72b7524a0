//! Reads the schemas of all collections of a site.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use config::{Config, SiteSettings};
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use schema::{self, is_name};
use workspace::files;

use super::{
    AUTHORS, CollectionSchema, FILE, FOLDER, POSTS, Parts, SETTINGS, SETTINGS_FILE, addresses,
    check, is_of_others, read,
};

/// The schemas of the theme for authors and posts. The templates of a site that names no theme may be older than it.
const AUTHORS_SCHEMA: &str =
    include_str!("../../../../../templates/collections/authors/schema.yaml");
pub(super) const POSTS_SCHEMA: &str =
    include_str!("../../../../../templates/collections/posts/schema.yaml");

/// The schemas of this process, by the name and the text of each.
static KEPT: Mutex<BTreeMap<(String, String, Parts), &'static CollectionSchema>> =
    Mutex::new(BTreeMap::new());

/// Reads all schemas, sorted by name. The second value has the names of those that could not be read.
pub fn load(config: &Config) -> ((Vec<&'static CollectionSchema>, BTreeSet<String>), Problems) {
    let theme = config.paths.theme_root();
    let mut problems = Problems::new();
    let (mut schemas, mut broken) = (Vec::new(), BTreeSet::new());
    for name in schema::folders(&theme.join(FOLDER)) {
        let path = theme.join(FOLDER).join(&name).join(FILE);
        let place = Place::file(files::shown(&theme, &path));
        let has = |file: &str| path.with_file_name(file).exists();
        let parts = Parts {
            has_card: has("card.html"),
            has_filter: has("filter.html"),
        };
        let refused =
            |message: String| Problem::error(Code::CollectionSchema, message).at(place.clone());
        let read = if !path.exists() {
            Err(refused(format!(
                "`{FOLDER}/{name}/` has no `{FILE}`, so it is not a collection"
            ))
            .hint("add the file, or remove the folder; `sitegen new collection NAME` creates a complete example"))
        } else if is_of_others(&name) {
            Err(refused(format!(
                "`content/{name}/` is already used for something else"
            ))
            .hint("give the collection another name"))
        } else if !is_name(&name.replace('-', "_")) {
            Err(
                refused(format!("`{name}` is not a valid name for a collection"))
                    .hint("begin with a letter, and use lowercase letters, digits, `_` and `-`"),
            )
        } else {
            theme.read_text(&path)
        };
        let kept = |source| {
            schema::without_errors(&mut problems, |problems| {
                kept(&name, &source, parts, &config.site, problems)
            })
        };
        match read.map(kept) {
            Ok(Some(schema)) => schemas.push(schema),
            Ok(None) => drop(broken.insert(name)),
            Err(problem) => {
                problems.push(problem);
                broken.insert(name);
            }
        }
    }
    if lacks_authors(config) {
        schemas.extend(of_theme(AUTHORS, AUTHORS_SCHEMA));
    }
    if !theme.join(FOLDER).join(POSTS).exists() {
        schemas.push(posts_of_theme());
    }
    schemas.sort_by_key(|schema| schema.name);
    let path = theme.join(SETTINGS_FILE);
    if path.exists() {
        let kept = |source| {
            let parts = Parts::default();
            schema::without_errors(&mut problems, |problems| {
                kept(SETTINGS, &source, parts, &config.site, problems)
            })
        };
        match theme.read_text(&path).map(kept) {
            Ok(Some(schema)) => schemas.push(schema),
            Ok(None) => drop(broken.insert(SETTINGS.to_owned())),
            Err(problem) => problems.push(problem),
        }
    }
    // Entries without a schema are reported as a folder that nothing reads.
    broken.extend(
        schema::folders(&config.paths.root.join("content"))
            .into_iter()
            .filter(|name| {
                !is_of_others(name) && schemas.iter().all(|schema| schema.name != *name)
            }),
    );
    let mut wrong = Vec::new();
    for schema in &schemas {
        let checked = |problems: &mut Problems| {
            check::uses(schema, &schemas, &broken, problems);
            Some(())
        };
        if schema::without_errors(&mut problems, checked).is_none() {
            wrong.push(schema.name);
        }
    }
    schemas.retain(|schema| !wrong.contains(&schema.name));
    broken.extend(wrong.into_iter().map(str::to_owned));
    ((schemas, broken), problems)
}

/// The schema of the theme for posts.
///
/// # Panics
///
/// Never: a test reads the schema, which is compiled in.
pub fn posts_of_theme() -> &'static CollectionSchema {
    of_theme(POSTS, POSTS_SCHEMA).expect("a test reads the schema of the theme")
}

/// A schema of the theme, which has no mistakes.
fn of_theme(name: &str, text: &str) -> Option<&'static CollectionSchema> {
    let source = Arc::new(Source::new(
        format!("{FOLDER}/{name}/{FILE}"),
        text.to_owned(),
    ));
    remembered(name, &source, Parts::default(), &mut Problems::new())
}

/// Whether a site has authors, and no collection of them.
pub(crate) fn lacks_authors(config: &Config) -> bool {
    let root = &config.paths.root;
    root.exists(&root.join("content").join(AUTHORS))
        && !config
            .paths
            .theme_root()
            .join(FOLDER)
            .join(AUTHORS)
            .exists()
}

/// The schema with this text: the one of an earlier run if it has not changed.
fn kept(
    name: &str,
    source: &Arc<Source>,
    parts: Parts,
    settings: &SiteSettings,
    problems: &mut Problems,
) -> Option<&'static CollectionSchema> {
    let schema = remembered(name, source, parts, problems)?;
    check::languages(schema, settings, problems);
    addresses::check(schema, settings, problems);
    check::choices(schema, settings, problems);
    Some(schema)
}

fn remembered(
    name: &str,
    source: &Arc<Source>,
    parts: Parts,
    problems: &mut Problems,
) -> Option<&'static CollectionSchema> {
    let key = (name.to_owned(), source.text.clone(), parts);
    let known = |key| {
        KEPT.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .copied()
    };
    if let Some(schema) = known(&key) {
        return Some(schema);
    }
    let schema: &'static CollectionSchema =
        Box::leak(Box::new(read(name, source, parts, problems)?));
    // Poisoned only if another thread panicked; the table is intact.
    KEPT.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(key, schema);
    Some(schema)
}
