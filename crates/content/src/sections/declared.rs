//! The section kinds of a site, as `templates/sections/<kind>/schema.yaml` declares them: those of the theme, and its own.
//!
//! A kind is kept for the life of the process, because serde takes the names of fields as `'static`. A process sees few
//! of them: another one only if a schema is edited while `sitegen serve` runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml;
use schema::{self, FieldEntry, Scope, is_name, leaked};
use workspace::files::{self, FileSet};

use super::of_theme::SCHEMAS;
use super::{Band, SectionKind, SectionRole};
use crate::style_guide::SIDEBAR;

/// Name of the file, in the folder of a kind.
const FILE: &str = "schema.yaml";
/// The widths, in CSS pixels, of photographs in a section whose kind names none.
const PICTURE_WIDTHS: &[u32] = &[480, 600, 768, 1200];
/// The folder of all kinds, below the root of the theme.
const FOLDER: &str = "templates/sections";
/// The first letters of the kinds of the style guide.
const OF_GUIDE: &str = "guide_";

/// The section kinds of a site: those of the theme, and its own.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    /// By name.
    list: Vec<&'static SectionKind>,
    /// Kinds whose schema could not be read, which was reported.
    broken: Vec<String>,
}

impl Kinds {
    /// The kinds of the theme, which has no mistakes.
    pub fn of_theme() -> Kinds {
        let kinds = SCHEMAS
            .iter()
            .filter_map(|(name, _)| kept(name, &of_theme(name)?, &mut Problems::new()));
        Kinds {
            list: kinds.collect(),
            broken: Vec::new(),
        }
    }

    /// Those of the theme that a site has before it adds a style guide.
    pub fn of_new_site() -> Kinds {
        let mut kinds = Kinds::of_theme();
        kinds.list.retain(|kind| !kind.name.starts_with(OF_GUIDE));
        kinds
    }

    /// All kinds, by name.
    pub fn iter(&self) -> impl Iterator<Item = &'static SectionKind> {
        self.list.iter().copied()
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
    /// The role of its sections, besides showing their fields.
    role: Option<SectionRole>,
    /// Its fields by name.
    // Read in order, one by one.
    #[serde(rename = "fields")]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
}

/// The kinds of this process, by their name and the text of their schema.
static KEPT: Mutex<BTreeMap<(String, String), &'static SectionKind>> = Mutex::new(BTreeMap::new());

/// Whether a site is offered a kind: those of the style guide come with its folder, `content/style-guide/`.
fn is_offered(name: &str, site: &FileSet) -> bool {
    !name.starts_with(OF_GUIDE)
        || site.exists(&site.join(SIDEBAR))
        || site.join(FOLDER).join(name).exists()
}

/// Whether the program has a kind of the style guide with this name.
pub(super) fn is_of_guide(name: &str) -> bool {
    name.starts_with(OF_GUIDE) && of_theme(name).is_some()
}

/// Reads the schemas below the folder of the theme that a site has. A site that has all templates itself may have those of
/// the program's theme without their schemas, as they were copied from one in which these kinds had none. Kinds of that theme
/// without a folder are known, too: what they lack is a template.
pub fn load(site: &FileSet, theme: &FileSet) -> (Kinds, Problems) {
    let mut problems = Problems::new();
    let mut kinds = Kinds::default();
    let of_theme_names = SCHEMAS.iter().map(|(name, _)| (*name).to_owned());
    let names: BTreeSet<String> = schema::folders(&theme.join(FOLDER))
        .into_iter()
        .chain(of_theme_names)
        .filter(|name| is_offered(name, site))
        .collect();
    for name in names {
        let path = theme.join(FOLDER).join(&name).join(FILE);
        let of_program = if path.exists() { None } else { of_theme(&name) };
        let place = Place::file(files::shown(theme, &path));
        let refused =
            |message: String| Problem::error(Code::SectionSchema, message).at(place.clone());
        let read = if let Some(source) = of_program {
            Ok(source)
        } else if !path.exists() {
            Err(refused(format!(
                "`{FOLDER}/{name}/` has no `{FILE}`, so it is not a section kind"
            ))
            .hint(format!(
                "add `{FILE}`, or delete the folder; `sitegen new section example` creates a section kind to copy from"
            )))
        } else if !is_name(&name) {
            Err(
                refused(format!("`{name}` is not a valid name for a section kind"))
                    .hint("begin with a letter, and use lowercase letters, digits and `_`"),
            )
        } else {
            theme.read_text(&path)
        };
        match read.map(|source| kept(&name, &source, &mut problems)) {
            Ok(Some(kind)) => kinds.list.push(kind),
            Ok(None) => kinds.broken.push(name),
            Err(problem) => {
                problems.push(problem);
                kinds.broken.push(name);
            }
        }
    }
    (kinds, problems)
}

/// The schema of a kind of the theme.
fn of_theme(name: &str) -> Option<Arc<Source>> {
    let (_, text) = SCHEMAS.iter().find(|(kind, _)| *kind == name)?;
    Some(Arc::new(Source::new(
        format!("{FOLDER}/{name}/{FILE}"),
        (*text).to_owned(),
    )))
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
    let node = yaml::parse(source, 0..source.text.len())
        .map_err(|problem| problems.push(problem))
        .ok()?;
    let head: Option<SchemaFile> = yaml::read(source, &node, problems);
    let fields = node
        .get("fields")
        .and_then(|fields| schema::read(source, fields, Scope::Section, problems));
    let (head, fields) = (head?, fields?);
    let lists = head.lists.as_deref().map(leaked);
    let of_lists = if lists.is_some() {
        SectionRole::Entries
    } else {
        SectionRole::Content
    };
    Some(SectionKind {
        name: leaked(name),
        meaning: head.meaning,
        main_heading: head.main_heading,
        band: head.band.unwrap_or(Band::Paper),
        picture_widths: head
            .picture_widths
            .map_or(PICTURE_WIDTHS, |widths| widths.leak()),
        role: head.role.unwrap_or(of_lists),
        lists,
        fields: schema::kept(fields),
    })
}
