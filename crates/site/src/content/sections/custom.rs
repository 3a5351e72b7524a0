//! The section kinds that a site adds to those of the theme: `templates/sections/<kind>/schema.yaml` declares the fields
//! that a struct declares for a kind of the theme (`content/schema.rs`). Sections of both are read by the same
//! deserializer, so the same mistakes are reported in the same words.
//!
//! A kind is kept for the life of the process, because serde takes the names of fields as `'static`. A process sees few
//! of them: another one only if a schema is edited while `sitegen serve` runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::IgnoredAny;

use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml;
use schema::{self, Block, FieldEntry, Scope, is_name, leaked};
use workspace::files::{self, FileSet};

use super::{Band, KINDS, SectionKind, SectionRole};

/// Name of the file, in the folder of a kind.
const FILE: &str = "schema.yaml";
/// The folder of all kinds, below the root of the theme.
const FOLDER: &str = "templates/sections";

/// The section kinds of a site: those of the theme, and its own.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    /// By name.
    custom: Vec<&'static SectionKind>,
    /// Kinds whose schema could not be read, which was reported.
    broken: Vec<String>,
}

impl Kinds {
    /// All kinds; those of the theme first.
    pub fn iter(&self) -> impl Iterator<Item = &'static SectionKind> {
        KINDS.iter().chain(self.custom.iter().copied())
    }

    /// A kind by name.
    pub fn named(&self, name: &str) -> Option<&'static SectionKind> {
        self.iter().find(|kind| kind.name == name)
    }

    /// Whether the site has this kind with a schema that could not be read.
    pub(super) fn is_broken(&self, name: &str) -> bool {
        self.broken.iter().any(|broken| broken == name)
    }
}

/// The declaration of a schema.
#[derive(Debug, PartialEq, Eq)]
pub struct Declared {
    /// The purpose of the kind, in a sentence.
    pub(super) meaning: String,
    pub(super) fields: Block,
    /// The collection that its sections list.
    pub lists: Option<&'static str>,
}

impl Declared {
    /// Whether a field refers to a collection.
    pub fn refers_to(&self, collection: &str) -> bool {
        self.fields.refers_to(collection)
    }
}

/// The keys of a schema.
#[derive(Deserialize, JsonSchema)]
pub struct SchemaFile {
    /// The purpose of the kind, in a sentence.
    meaning: String,
    /// Whether its sections give their page the main heading.
    #[serde(default)]
    main_heading: bool,
    /// The background of a section that names none.
    band: Option<Band>,
    /// The widths, in CSS pixels, in which its photographs are published.
    picture_widths: Option<Vec<u32>>,
    /// The collection that its sections list, as sections of the kind `entries` do.
    lists: Option<String>,
    /// Its fields by name.
    // Read in order, one by one.
    #[serde(rename = "fields")]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
}

/// The kinds of this process, by their name and the text of their schema.
static KEPT: Mutex<BTreeMap<(String, String), &'static SectionKind>> = Mutex::new(BTreeMap::new());

/// Reads the schemas below the folder of the theme.
pub fn load(theme: &FileSet) -> (Kinds, Problems) {
    let mut problems = Problems::new();
    let mut kinds = Kinds::default();
    for name in schema::folders(&theme.join(FOLDER)) {
        let is_of_the_theme = KINDS.iter().any(|kind| kind.name == name);
        let path = theme.join(FOLDER).join(&name).join(FILE);
        if is_of_the_theme && !path.exists() {
            continue;
        }
        let place = Place::file(files::shown(theme, &path));
        let refused = |message: String| Problem::error(Code::SectionSchema, message).at(place.clone());
        let read = if is_of_the_theme {
            Err(refused(format!("`{name}` is a kind of the theme, whose fields cannot be changed"))
                .hint("give the folder another name, and write that as `kind` in pages"))
        } else if !path.exists() {
            Err(refused(format!("`{FOLDER}/{name}/` has no `{FILE}`, so it is no kind of section"))
                .hint(format!("`sitegen new section {name}` in another folder shows what a kind consists of")))
        } else if !is_name(&name) {
            Err(refused(format!("`{name}` is no name for a kind"))
                .hint("begin with a letter, and use lowercase letters, digits and `_`"))
        } else {
            theme.read_text(&path)
        };
        match read.map(|source| kept(&name, &source, &mut problems)) {
            Ok(Some(kind)) => kinds.custom.push(kind),
            Ok(None) => kinds.broken.push(name),
            Err(problem) => {
                problems.push(problem);
                kinds.broken.push(name);
            }
        }
    }
    (kinds, problems)
}

/// The kind with this schema: the one of an earlier run if the schema has not changed.
fn kept(name: &str, source: &Arc<Source>, problems: &mut Problems) -> Option<&'static SectionKind> {
    let key = (name.to_owned(), source.text.clone());
    // Poisoned only if another thread panicked; the table is intact.
    let mut table = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kind) = table.get(&key) {
        return Some(kind);
    }
    let kind = schema::without_errors(problems, |problems| read_kind(name, source, problems))?;
    let kind: &'static SectionKind = Box::leak(Box::new(kind));
    table.insert(key, kind);
    Some(kind)
}

fn read_kind(name: &str, source: &Arc<Source>, problems: &mut Problems) -> Option<SectionKind> {
    let node = yaml::parse(source, 0..source.text.len()).map_err(|problem| problems.push(problem)).ok()?;
    let head: Option<SchemaFile> = yaml::read(source, &node, problems);
    let fields = node.get("fields").and_then(|fields| schema::read(source, fields, Scope::Section, problems));
    let (head, fields) = (head?, fields?);
    let lists = head.lists.as_deref().map(leaked);
    let role = if lists.is_some() { SectionRole::Entries } else { SectionRole::Content };
    let custom: &'static Declared = Box::leak(Box::new(Declared { meaning: head.meaning, fields, lists }));
    let default = SectionKind::DEFAULT;
    Some(SectionKind {
        name: leaked(name),
        main_heading: head.main_heading,
        band: head.band.unwrap_or(default.band),
        picture_widths: head.picture_widths.map_or(default.picture_widths, |widths| widths.leak()),
        role,
        custom: Some(custom),
    })
}

/// The JSON schema of the fields, as schemars writes it for the structs of the theme.
pub(super) fn schema(declared: &Declared) -> Schema {
    schema::json_schema(&declared.fields, &declared.meaning)
}
