//! The section kinds that a site adds to those of the theme: `templates/sections/<kind>/schema.yaml` declares the fields
//! that a struct declares for a kind of the theme. Sections of both are read by the same deserializer, so the same
//! mistakes are reported in the same words.
//!
//! A kind is kept for the life of the process, because serde takes the names of fields as `'static`. A process sees few
//! of them: another one only if a schema is edited while `sitegen serve` runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::{JsonSchema, Schema};
use serde::de::{DeserializeOwned, Visitor};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess, VariantAccess,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::content_types::{Action, Image, Link, Markdown};
use crate::files::{self, FileSet};
use diagnostics::problem::{Code, Place, Problem, Problems, Source};
use diagnostics::yaml::{self, Node, Spanned, Value};

use super::{Band, KINDS, SectionKind, schema_of};

/// Name of the file, in the folder of a kind.
const FILE: &str = "schema.yaml";
/// The folder of all kinds, below the root of the theme.
const FOLDER: &str = "templates/sections";
/// The fields that every section has.
const COMMON: [&str; 3] = ["kind", "id", "band"];

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

/// What a schema declares.
#[derive(Debug, PartialEq, Eq)]
pub struct Declared {
    /// The purpose of the kind, in a sentence.
    pub(super) meaning: String,
    pub(super) fields: Block,
}

/// Fields by name, in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    names: Vec<&'static str>,
    fields: Vec<Field>,
}

#[derive(Debug, PartialEq, Eq)]
struct Field {
    name: &'static str,
    meaning: String,
    required: bool,
    /// It takes a list of the type.
    list: bool,
    takes: Takes,
}

/// The type of a field.
#[derive(Debug, PartialEq, Eq)]
enum Takes {
    Text,
    Markdown,
    Link,
    Number,
    Flag,
    Choice { names: Vec<&'static str>, meanings: Vec<String>, default: Option<&'static str> },
    Picture,
    Action,
    Block(Block),
}

/// The value of `type` in a schema.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TypeName {
    Text,
    Markdown,
    Link,
    Number,
    Flag,
    Choice,
    Picture,
    Action,
    Block,
}

/// The keys of a schema.
#[derive(Deserialize, JsonSchema)]
pub(in crate::content) struct SchemaFile {
    /// The purpose of the kind, in a sentence.
    meaning: String,
    /// Whether its sections give their page the main heading.
    #[serde(default)]
    main_heading: bool,
    /// The background of a section that names none.
    band: Option<Band>,
    /// The widths, in CSS pixels, in which its photographs are published.
    picture_widths: Option<Vec<u32>>,
    /// Its fields by name.
    // Read in order, one by one.
    #[serde(rename = "fields")]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
}

/// The keys of a field in a schema.
#[derive(Deserialize, JsonSchema)]
struct FieldEntry {
    /// What it takes.
    #[serde(rename = "type")]
    takes: Spanned<TypeName>,
    /// What it is for, in a sentence.
    meaning: String,
    /// Every section needs it.
    #[serde(default)]
    required: bool,
    /// It takes a list of that type.
    #[serde(default)]
    list: bool,
    /// The value of a choice that is left out.
    default: Option<Spanned<String>>,
    /// The values of a choice, each with its meaning.
    // Read in order, one by one.
    #[serde(rename = "choices", default)]
    #[schemars(with = "BTreeMap<String, String>")]
    _choices: IgnoredAny,
    /// The fields of a block.
    // Read in order, one by one.
    #[serde(rename = "fields", default)]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
}

/// The kinds of this process, by their name and the text of their schema.
static KEPT: Mutex<BTreeMap<(String, String), &'static SectionKind>> = Mutex::new(BTreeMap::new());

/// Reads the schemas below the folder of the theme.
pub(in crate::content) fn load(theme: &FileSet) -> (Kinds, Problems) {
    let mut problems = Problems::new();
    let mut kinds = Kinds::default();
    let entries = std::fs::read_dir(theme.join(FOLDER)).into_iter().flatten().flatten();
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let is_file = |entry: std::fs::DirEntry| !files::is_litter(&name(entry));
    // A folder without files is no kind, as git has none either.
    let has_files = |folder: &Path| std::fs::read_dir(folder).is_ok_and(|files| files.flatten().any(is_file));
    let mut names: Vec<String> =
        entries.filter(|entry| has_files(&entry.path())).map(name).filter(|name| !files::is_litter(name)).collect();
    names.sort_unstable();
    for name in names {
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
    let kind: &'static SectionKind = Box::leak(Box::new(read_kind(name, source, problems)?));
    table.insert(key, kind);
    Some(kind)
}

fn read_kind(name: &str, source: &Arc<Source>, problems: &mut Problems) -> Option<SectionKind> {
    let node = yaml::parse(source, 0..source.text.len()).map_err(|problem| problems.push(problem)).ok()?;
    let mut schema = SchemaReader { source, problems };
    let head: Option<SchemaFile> = yaml::read(source, &node, schema.problems);
    let fields = node.get("fields").and_then(|fields| schema.block(fields, true));
    let (head, fields) = (head?, fields?);
    let custom: &'static Declared = Box::leak(Box::new(Declared { meaning: head.meaning, fields }));
    let default = SectionKind::DEFAULT;
    Some(SectionKind {
        name: leaked(name),
        main_heading: head.main_heading,
        band: head.band.unwrap_or(default.band),
        picture_widths: head.picture_widths.map_or(default.picture_widths, |widths| widths.leak()),
        custom: Some(custom),
        ..default
    })
}

/// Reads the fields of a schema. Each part that is wrong is reported, and makes the schema unusable.
struct SchemaReader<'a> {
    source: &'a Arc<Source>,
    problems: &'a mut Problems,
}

impl SchemaReader<'_> {
    fn report(&mut self, node: &Node, message: impl Into<String>, hint: impl Into<String>) {
        let problem = node.problem(self.source, Problem::error(Code::SectionSchema, message));
        self.problems.push(problem.hint(hint));
    }

    /// The entries of a block of a schema.
    fn entries<'n>(&mut self, node: &'n Node, example: &str) -> Option<&'n [(yaml::Key, Node)]> {
        match &node.value {
            Value::Map(entries) if !entries.is_empty() => Some(entries),
            other => {
                self.report(node, format!("a block of names was expected, not {}", other.kind()), example);
                None
            }
        }
    }

    fn block(&mut self, node: &Node, outermost: bool) -> Option<Block> {
        let example = "write `title: {type: text, required: true, meaning: Its heading.}`";
        let entries = self.entries(node, example)?;
        let fields: Vec<Option<Field>> =
            entries.iter().map(|(key, node)| self.field(&key.name, key.span, node, outermost)).collect();
        let fields: Vec<Field> = fields.into_iter().collect::<Option<_>>()?;
        Some(Block { names: fields.iter().map(|field| field.name).collect(), fields })
    }

    fn field(&mut self, name: &str, span: diagnostics::problem::Span, node: &Node, outermost: bool) -> Option<Field> {
        let wrong = if outermost && COMMON.contains(&name) {
            Some((format!("every section has `{name}`"), "remove the field, or give it another name"))
        } else if !is_name(name) {
            let hint = "begin with a letter, and use lowercase letters, digits and `_`";
            Some((format!("`{name}` is no name for a field"), hint))
        } else {
            None
        };
        if let Some((message, hint)) = wrong {
            let problem = Problem::error(Code::SectionSchema, message).at(self.source.place(span));
            self.problems.push(problem.hint(hint));
            return None;
        }
        let entry: FieldEntry = yaml::read(self.source, node, self.problems)?;
        let takes = self.takes(name, &entry, node)?;
        let FieldEntry { meaning, required, list, .. } = entry;
        Some(Field { name: leaked(name), meaning, required, list, takes })
    }

    fn takes(&mut self, name: &str, entry: &FieldEntry, node: &Node) -> Option<Takes> {
        let takes = entry.takes.value;
        for (key, owner, of) in [("choices", TypeName::Choice, "choice"), ("fields", TypeName::Block, "block")] {
            match (node.get(key), takes == owner) {
                (Some(given), false) => {
                    let hint = format!("remove `{key}`, or write `type: {of}`");
                    self.report(given, format!("only a field with `type: {of}` has `{key}`"), hint);
                    return None;
                }
                (None, true) => {
                    let hint = match takes {
                        TypeName::Choice => "add `choices: {narrow: Half as wide, wide: As wide as the page}`",
                        _ => "add `fields:` with a line for each of them",
                    };
                    self.report(node, format!("`{name}` is a {of} without `{key}`"), hint);
                    return None;
                }
                _ => {}
            }
        }
        if let Some(default) = entry.default.as_ref().filter(|_| takes != TypeName::Choice || entry.list) {
            let problem = Problem::error(Code::SectionSchema, "only a single choice can have a default")
                .at(self.source.place(default.span));
            self.problems
                .push(problem.hint("remove `default`; without a value, a flag is `false` and a list is empty"));
            return None;
        }
        Some(match takes {
            TypeName::Text => Takes::Text,
            TypeName::Markdown => Takes::Markdown,
            TypeName::Link => Takes::Link,
            TypeName::Number => Takes::Number,
            TypeName::Flag => Takes::Flag,
            TypeName::Picture => Takes::Picture,
            TypeName::Action => Takes::Action,
            TypeName::Block => Takes::Block(self.block(node.get("fields")?, false)?),
            TypeName::Choice => self.choice(entry.default.as_ref(), node.get("choices")?)?,
        })
    }

    fn choice(&mut self, default: Option<&Spanned<String>>, node: &Node) -> Option<Takes> {
        let entries = self.entries(node, "write each value with what it means: `wide: As wide as the page`")?;
        let names: Vec<&'static str> = entries.iter().map(|(key, _)| leaked(&key.name)).collect();
        let meanings: Vec<Option<String>> =
            entries.iter().map(|(_, meaning)| yaml::read(self.source, meaning, self.problems)).collect();
        let named = |written: &Spanned<String>| names.iter().copied().find(|name| **name == written.value);
        if let Some(written) = default
            && named(written).is_none()
        {
            let message = format!("`{}` is none of the choices", written.value);
            let problem = Problem::error(Code::SectionSchema, message).at(self.source.place(written.span));
            self.problems.push(problem.hint(format!("choose one of `{}`", names.join("`, `"))));
            return None;
        }
        let default = default.and_then(named);
        Some(Takes::Choice { names, meanings: meanings.into_iter().collect::<Option<_>>()?, default })
    }
}

/// Whether a text can be a name in templates.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl<'de> DeserializeSeed<'de> for &'static Block {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_struct("", &self.names, self)
    }
}

impl<'de> Visitor<'de> for &'static Block {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a block of keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut values = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            match self.fields.iter().find(|field| field.name == name) {
                Some(field) => drop(values.insert(name, map.next_value_seed(field)?)),
                // The deserializer has reported it.
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        for field in &self.fields {
            if !values.contains_key(field.name) {
                let value = field.absent().ok_or_else(|| A::Error::missing_field(field.name))?;
                values.insert(field.name.to_owned(), value);
            }
        }
        Ok(Json::Object(values))
    }
}

impl Field {
    /// The value of a field that was left out; `None` if it is required.
    fn absent(&self) -> Option<Json> {
        match &self.takes {
            Takes::Choice { default: Some(default), .. } => Some(Json::from(*default)),
            _ if self.required => None,
            _ if self.list => Some(Json::Array(Vec::new())),
            Takes::Flag => Some(Json::from(false)),
            _ => Some(Json::Null),
        }
    }

    fn value<'de, D: Deserializer<'de>>(&'static self, deserializer: D) -> Result<Json, D::Error> {
        if self.list { deserializer.deserialize_seq(Items(&self.takes)) } else { self.takes.deserialize(deserializer) }
    }
}

impl<'de> DeserializeSeed<'de> for &'static Field {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        match self.absent() {
            Some(Json::Null) => deserializer.deserialize_option(Optional(self)),
            _ => self.value(deserializer),
        }
    }
}

/// Reads the value of an optional field.
struct Optional(&'static Field);

impl<'de> Visitor<'de> for Optional {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        self.0.value(deserializer)
    }
}

/// Reads a list.
struct Items(&'static Takes);

impl<'de> Visitor<'de> for Items {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self.0)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }
}

impl<'de> DeserializeSeed<'de> for &'static Takes {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        match self {
            Takes::Text => read_as::<String, D>(deserializer),
            Takes::Markdown => read_as::<Markdown, D>(deserializer),
            Takes::Link => read_as::<Link, D>(deserializer),
            Takes::Number => read_as::<i64, D>(deserializer),
            Takes::Flag => read_as::<bool, D>(deserializer),
            Takes::Picture => read_as::<Image, D>(deserializer),
            Takes::Action => read_as::<Action, D>(deserializer),
            Takes::Choice { names, .. } => deserializer.deserialize_enum("", names, Variant(names)),
            Takes::Block(block) => block.deserialize(deserializer),
        }
    }
}

/// Reads a value of a type of the theme, with its marks for the walk over the fields.
fn read_as<'de, T: DeserializeOwned + Serialize, D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
    let value = T::deserialize(deserializer)?;
    // Texts, numbers and marked objects always serialize.
    Ok(serde_json::to_value(value).unwrap_or_default())
}

/// Reads one of several names.
struct Variant(&'static [&'static str]);

impl<'de> Visitor<'de> for Variant {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Json, A::Error> {
        let (name, variant) = access.variant::<String>()?;
        variant.unit_variant()?;
        if self.0.contains(&name.as_str()) {
            Ok(Json::from(name))
        } else {
            Err(A::Error::unknown_variant(&name, self.0))
        }
    }
}

/// The JSON schema of the fields, as schemars writes it for the structs of the theme.
pub(super) fn schema(declared: &Declared) -> Schema {
    let mut schema = block_schema(&declared.fields);
    schema.insert("description".to_owned(), Json::from(declared.meaning.as_str()));
    schema.into()
}

fn block_schema(block: &Block) -> Map<String, Json> {
    let properties: Map<String, Json> =
        block.fields.iter().map(|field| (field.name.to_owned(), field_schema(field))).collect();
    let required = block.fields.iter().filter(|field| field.absent().is_none()).map(|field| field.name);
    let schema = json!({"type": "object", "properties": properties, "required": required.collect::<Vec<_>>()});
    schema.as_object().cloned().unwrap_or_default()
}

fn field_schema(field: &Field) -> Json {
    let one = match &field.takes {
        Takes::Text => json!({"type": "string"}),
        Takes::Markdown => schema_of::<Markdown>().to_value(),
        Takes::Link => schema_of::<Link>().to_value(),
        Takes::Number => json!({"type": "integer"}),
        Takes::Flag => json!({"type": "boolean"}),
        Takes::Picture => schema_of::<Image>().to_value(),
        Takes::Action => schema_of::<Action>().to_value(),
        Takes::Block(block) => Json::Object(block_schema(block)),
        Takes::Choice { names, meanings, .. } => {
            let choices = names.iter().zip(meanings);
            let choices: Vec<Json> =
                choices.map(|(name, meaning)| json!({"const": name, "description": meaning})).collect();
            json!({"oneOf": choices})
        }
    };
    let mut schema = if field.list { json!({"type": "array", "items": one}) } else { one };
    schema["description"] = Json::from(field.meaning.as_str());
    if let Some(default @ (Json::String(_) | Json::Bool(_))) = field.absent() {
        schema["default"] = default;
    }
    schema
}
