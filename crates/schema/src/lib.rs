//! Fields that a site declares in YAML: the types of section kinds (`templates/sections/<kind>/schema.yaml`), of
//! collections (`templates/collections/<name>/schema.yaml`) and of the settings of a site (`templates/settings.yaml`).
//! One reader of schemas, one reader of values, one table of types.
//!
//! A value is read by serde like a struct of the theme, so that the same mistakes are reported in the same words. The
//! result is JSON, in which links, Markdown, pictures and typed values are marked objects (`content_types`).

mod around;
mod choices;
mod each;
mod flag_or_text;
mod limits;
mod type_name;
pub mod types;
mod values;

pub use around::{Around, kept};
pub use choices::ChoiceNames;
pub use each::Each;
pub use type_name::type_names;
pub use values::{marked, typed};

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};

use crate::types::FieldType;
use diagnostics::problem::{Code, Problem, Problems, Severity, Source, Span, did_you_mean};
use diagnostics::yaml::{self, Key, Node, Spanned, Value};
use workspace::files;

use limits::Limits;
use type_name::TypeName;

/// Fields by name, in order.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    names: Vec<&'static str>,
    /// The fields.
    pub fields: Vec<Field>,
}

/// A declared field.
#[derive(Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an attribute of its own in a schema"
)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its purpose, in a sentence.
    pub meaning: String,
    /// Whether it must have a value.
    pub required: bool,
    /// The field beside it without which it must have a value.
    pub required_unless: Option<&'static str>,
    /// The date beside it that it does not precede.
    pub not_before: Option<&'static str>,
    /// Whether it takes a list of the type.
    pub list: bool,
    /// Whether it takes a block of names, each with a value of the type, or with a list if it takes lists.
    pub map: bool,
    /// Whether each language has its value.
    pub words: bool,
    /// Whether no two entries have the same value.
    pub unique: bool,
    /// Its type.
    pub takes: Takes,
    limits: Limits,
}

impl Block {
    /// Whether a value can be a picture.
    pub fn has_pictures(&self) -> bool {
        self.fields.iter().any(|field| match &field.takes {
            Takes::Picture | Takes::DecorativePicture => true,
            Takes::Block(block) => block.has_pictures(),
            _ => false,
        })
    }
}

/// The type of a field.
#[derive(Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of `type` in a schema")]
pub enum Takes {
    Text,
    Markdown,
    Link,
    Number,
    Flag,
    Choice {
        names: Vec<&'static str>,
        meanings: Vec<String>,
        default: Option<&'static str>,
        /// The names that pages show, in the order of the values; empty if they have meanings only.
        shown: Vec<ChoiceNames>,
    },
    Picture,
    /// A picture that repeats the text beside it, written as the name of its file.
    DecorativePicture,
    Action,
    Block(Block),
    /// The fields of a block around this one.
    Like(Around),
    /// A name that programs and templates compare, and no page shows.
    Name,
    /// `true`, `false` or a text.
    FlagOrText,
    /// A plain value, or a list of them.
    Values,
    /// The name of a design token of this group.
    Token(&'static str),
    /// A type that is written as text.
    Typed(FieldType),
    /// The key of an entry of a collection.
    Reference(&'static str),
    /// Computed: the entries of a collection whose field names this entry.
    Reverse(&'static str, &'static str),
}

impl Takes {
    /// Whether a value is a date, with or without a time.
    pub fn is_date(&self) -> bool {
        use FieldType::{Date, DateTime, Moment};
        matches!(self, Takes::Typed(Date | DateTime | Moment))
    }

    /// Whether a value can have words, which a translation translates.
    pub fn has_words(&self) -> bool {
        match self {
            Takes::Text
            | Takes::Markdown
            | Takes::Picture
            | Takes::Action
            | Takes::FlagOrText
            | Takes::Like(_) => true,
            Takes::Block(block) => block.fields.iter().any(|field| field.takes.has_words()),
            _ => false,
        }
    }
}

/// The keys of a field in a schema.
#[derive(Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an attribute of its own in a schema"
)]
pub struct FieldEntry {
    /// The type of its value.
    #[serde(rename = "type")]
    takes: Spanned<TypeName>,
    /// Its purpose, in a sentence.
    meaning: String,
    /// The field must have a value.
    #[serde(default)]
    required: bool,
    /// The field must have a value if this field beside it has none.
    required_unless: Option<Spanned<String>>,
    /// The date beside it that it must not precede. Only for dates.
    not_before: Option<Spanned<String>>,
    /// The field takes a list of that type.
    #[serde(default)]
    list: bool,
    /// The field takes a block of names, each with a value of that type, or with a list of them. Only in sections.
    #[serde(default)]
    map: bool,
    /// Each language has its own value. Only in collections and settings.
    #[serde(default)]
    words: bool,
    /// No two entries have the same value. Only in collections.
    #[serde(default)]
    unique: bool,
    /// The image repeats the text beside it, so it needs no `alt` and is written as a file name. Only for images.
    #[serde(default)]
    decorative: bool,
    /// The smallest value; for a text, the minimum number of characters.
    min: Option<Spanned<String>>,
    /// The largest value; for a text, the maximum number of characters.
    max: Option<Spanned<String>>,
    /// A regular expression that the whole text matches.
    pattern: Option<Spanned<String>>,
    /// The value of a choice that is left out.
    default: Option<Spanned<String>>,
    /// The collection whose entries a reference names, or the block around this one whose fields `like` has.
    to: Option<Spanned<String>>,
    /// The collection and the field whose references are collected, such as `team.clinics`; the group of a token.
    of: Option<Spanned<String>>,
    /// The values of a choice, each with its meaning, or with its name in each language.
    // Read in order, one by one.
    #[serde(rename = "choices", default)]
    #[schemars(with = "BTreeMap<String, choices::ChoiceEntry>")]
    _choices: IgnoredAny,
    /// The fields of a block.
    // Read in order, one by one.
    #[serde(rename = "fields", default)]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
}

/// The kind of file that declares fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A kind of section. Its values belong to one language.
    Section,
    /// A collection.
    Collection,
    /// The collection of the posts of the blog, whose front matter can name a key.
    Posts,
    /// The settings of a site.
    Settings,
}

impl Scope {
    /// The names that fields cannot have, because templates find something else by them.
    fn reserved(self) -> &'static [&'static str] {
        match self {
            Scope::Section => &["kind", "id", "band", "words_in"],
            Scope::Collection => &["collection", "dir", "key", "lang", "link", "slug"],
            Scope::Posts => &["collection", "lang", "link", "body"],
            Scope::Settings => &[],
        }
    }

    fn code(self) -> Code {
        match self {
            Scope::Section => Code::SectionSchema,
            Scope::Collection | Scope::Posts | Scope::Settings => Code::CollectionSchema,
        }
    }
}

/// The value of a part of a schema; `None` if it has an error, which was reported. A schema with a misspelled
/// `words` would otherwise call right content wrong, file by file.
pub fn without_errors<T>(
    problems: &mut Problems,
    read: impl FnOnce(&mut Problems) -> Option<T>,
) -> Option<T> {
    let before = problems.count(Severity::Error);
    read(problems).filter(|_| problems.count(Severity::Error) == before)
}

/// Reads the fields of a schema. `None` if one is wrong, which was reported.
pub fn read(
    source: &Arc<Source>,
    fields: &Node,
    scope: Scope,
    problems: &mut Problems,
) -> Option<Block> {
    SchemaReader {
        source,
        scope,
        open: Vec::new(),
        problems,
    }
    .block(fields, true)
}

/// Reads the fields of a schema. Each part that is wrong is reported, and makes the schema unusable.
struct SchemaReader<'a> {
    source: &'a Arc<Source>,
    scope: Scope,
    /// The names of the blocks around the field.
    open: Vec<String>,
    problems: &'a mut Problems,
}

impl SchemaReader<'_> {
    fn report(&mut self, node: &Node, message: impl Into<String>, hint: impl Into<String>) {
        let problem = node.problem(self.source, Problem::error(self.scope.code(), message));
        self.problems.push(problem.hint(hint));
    }

    fn report_at(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        let problem = Problem::error(self.scope.code(), message).at(self.source.place(span));
        self.problems.push(problem.hint(hint));
    }

    /// The entries of a block of a schema.
    fn entries<'n>(&mut self, node: &'n Node, example: &str) -> Option<&'n [(yaml::Key, Node)]> {
        match &node.value {
            Value::Map(entries) if !entries.is_empty() => Some(entries),
            Value::Map(_) => {
                self.report(node, "this block is empty", example);
                None
            }
            other => {
                self.report(
                    node,
                    format!("expected a block of keys, found {}", other.kind()),
                    example,
                );
                None
            }
        }
    }

    fn block(&mut self, node: &Node, outermost: bool) -> Option<Block> {
        let example = "write `title: {type: text, required: true, meaning: Its heading.}`";
        let entries = self.entries(node, example)?;
        let fields: Vec<Option<Field>> = entries
            .iter()
            .map(|(key, node)| self.field(&key.name, key.span, node, outermost))
            .collect();
        let fields: Vec<Field> = fields.into_iter().collect::<Option<_>>()?;
        for (field, (_, node)) in fields.iter().zip(entries) {
            let Some(other) = field.required_unless else {
                continue;
            };
            if fields
                .iter()
                .all(|known| known.name != other || known.name == field.name)
            {
                let names = fields
                    .iter()
                    .map(|known| known.name)
                    .filter(|name| *name != field.name);
                let hint = did_you_mean(other, names)
                    .unwrap_or_else(|| "name another field of the same block".to_owned());
                let at = node.get("required_unless").unwrap_or(node);
                self.report(
                    at,
                    format!(
                        "there is no field `{other}` in the same block as `{}`",
                        field.name
                    ),
                    hint,
                );
                return None;
            }
        }
        for (field, (_, node)) in fields.iter().zip(entries) {
            self.order_of_dates(&fields, field, node)?;
        }
        Some(Block {
            names: fields.iter().map(|field| field.name).collect(),
            fields,
        })
    }

    /// Reports a field that does not precede something else than a date of its type beside it.
    fn order_of_dates(&mut self, fields: &[Field], field: &Field, node: &Node) -> Option<()> {
        let Some(other) = field.not_before else {
            return Some(());
        };
        let at = node.get("not_before").unwrap_or(node);
        if !field.is_date() {
            self.report(
                at,
                "only a single date can have `not_before`",
                "remove `not_before`, or make the field a single date: `type: date` without `list`",
            );
            return None;
        }
        let known =
            |known: &&Field| known.takes == field.takes && !known.list && known.name != field.name;
        if fields.iter().filter(known).any(|known| known.name == other) {
            return Some(());
        }
        let near = did_you_mean(other, fields.iter().filter(known).map(|field| field.name));
        let hint =
            near.unwrap_or_else(|| "name a date of the same type in the same block".to_owned());
        self.report(
            at,
            format!(
                "`{other}` is not a date of the same type as `{}` in the same block",
                field.name
            ),
            hint,
        );
        None
    }

    fn field(&mut self, name: &str, span: Span, node: &Node, outermost: bool) -> Option<Field> {
        let wrong = if outermost && self.scope.reserved().contains(&name) {
            let every = if self.scope == Scope::Section {
                "section"
            } else {
                "entry"
            };
            Some((
                format!("every {every} already has `{name}`"),
                "remove the field, or give it a different name",
            ))
        } else if !is_name(name) {
            let hint = "begin with a letter, and use lowercase letters, digits and `_`";
            Some((format!("`{name}` is not a valid name for a field"), hint))
        } else {
            None
        };
        if let Some((message, hint)) = wrong {
            self.report_at(span, message, hint);
            return None;
        }
        let entry: FieldEntry = yaml::read(self.source, node, self.problems)?;
        self.check_scope(&entry, node, outermost)?;
        let takes = self.takes(name, &entry, node)?;
        let limits = self.limits(&entry)?;
        let FieldEntry {
            meaning,
            required,
            list,
            map,
            words,
            unique,
            ..
        } = entry;
        let named = |other: Option<Spanned<String>>| other.map(|other| leaked(&other.value));
        let (required_unless, not_before) = (named(entry.required_unless), named(entry.not_before));
        let name = leaked(name);
        Some(Field {
            name,
            meaning,
            required,
            required_unless,
            not_before,
            list,
            map,
            words,
            unique,
            takes,
            limits,
        })
    }

    /// Reports attributes that a field cannot have here.
    fn check_scope(&mut self, entry: &FieldEntry, node: &Node, outermost: bool) -> Option<()> {
        let takes = entry.takes.value;
        let is_reverse = takes == TypeName::Reverse;
        let is_entry = matches!(self.scope, Scope::Collection | Scope::Posts) && outermost;
        let wrong = if entry.required && entry.required_unless.is_some() {
            Some((
                "required_unless",
                "a field that is always required does not need `required_unless`",
            ))
        } else if entry.words && (self.scope == Scope::Section || !outermost) {
            Some((
                "words",
                "only a top-level field of a collection or the settings can have `words`",
            ))
        } else if entry.unique && (!is_entry || entry.list) {
            Some((
                "unique",
                "only a top-level field of a collection can be `unique`, and only if the field is not a `list`",
            ))
        } else if is_reverse && !is_entry {
            Some((
                "type",
                "only a top-level field of a collection can have the type `reverse`",
            ))
        } else if is_reverse && entry.required {
            Some((
                "required",
                "a field of the type `reverse` is computed, so it cannot be required",
            ))
        } else if self.scope != Scope::Section && takes.is_of_sections() {
            Some(("type", "only a section can have fields of this type"))
        } else if self.scope != Scope::Section && entry.map {
            Some(("map", "only a field of a section can be a `map`"))
        } else if entry.decorative && takes != TypeName::Picture {
            Some(("decorative", "only an image can be `decorative`"))
        } else if entry.words && matches!(takes, TypeName::Reference | TypeName::Reverse) {
            Some((
                "words",
                "a reference is the same in all languages, so it cannot have `words`",
            ))
        } else {
            None
        };
        let Some((key, message)) = wrong else {
            return Some(());
        };
        let at = node.get(key).unwrap_or(node);
        let hint = match key {
            "type" => "choose another type".to_owned(),
            "required" => "remove `required`, or choose another type".to_owned(),
            "decorative" => "remove `decorative`, or write `type: picture`".to_owned(),
            _ => format!("remove `{key}`"),
        };
        self.report(at, message, hint);
        None
    }

    fn takes(&mut self, name: &str, entry: &FieldEntry, node: &Node) -> Option<Takes> {
        let takes = entry.takes.value;
        let to = if takes == TypeName::Like {
            (
                "to",
                takes,
                "like",
                "add `to: …` with the name of a block around this one",
            )
        } else {
            (
                "to",
                TypeName::Reference,
                "reference",
                "add `to: …` with the name of a collection",
            )
        };
        let of = if takes == TypeName::Token {
            (
                "of",
                takes,
                "token",
                "add `of: color`, a group in `content/design.yaml`",
            )
        } else {
            (
                "of",
                TypeName::Reverse,
                "reverse",
                "add `of: team.clinics`, a collection and its field that refers to this one",
            )
        };
        let attributes = [
            (
                "choices",
                TypeName::Choice,
                "choice",
                "add `choices: {narrow: Half as wide, wide: As wide as the page}`",
            ),
            (
                "fields",
                TypeName::Block,
                "block",
                "add `fields:` with one line for each field",
            ),
            to,
            of,
        ];
        for (key, owner, of, hint) in attributes {
            match (node.get(key), takes == owner) {
                (Some(given), false) => {
                    let hint = format!("remove `{key}`, or write `type: {of}`");
                    self.report(
                        given,
                        format!("only a field with `type: {of}` can have `{key}`"),
                        hint,
                    );
                    return None;
                }
                (None, true) => {
                    self.report(
                        node,
                        format!("`{name}` has `type: {of}`, but no `{key}`"),
                        hint,
                    );
                    return None;
                }
                _ => {}
            }
        }
        if let Some(default) = entry
            .default
            .as_ref()
            .filter(|_| takes != TypeName::Choice || entry.list || entry.map)
        {
            let hint = "remove `default`; without a value, a flag is `false` and a list is empty";
            self.report_at(
                default.span,
                "only a single choice can have a default",
                hint,
            );
            return None;
        }
        Some(match takes {
            TypeName::Text => Takes::Text,
            TypeName::Markdown => Takes::Markdown,
            TypeName::Link => Takes::Link,
            TypeName::Number => Takes::Number,
            TypeName::Flag => Takes::Flag,
            TypeName::Picture if entry.decorative => Takes::DecorativePicture,
            TypeName::Picture => Takes::Picture,
            TypeName::Action => Takes::Action,
            TypeName::Name => Takes::Name,
            TypeName::FlagOrText => Takes::FlagOrText,
            TypeName::Values => Takes::Values,
            TypeName::Token => Takes::Token(leaked(&entry.of.as_ref()?.value)),
            TypeName::Block => {
                self.open.push(name.to_owned());
                let block = self.block(node.get("fields")?, false);
                self.open.pop();
                Takes::Block(block?)
            }
            TypeName::Like => {
                let to = entry.to.as_ref()?;
                if !self.open.contains(&to.value) {
                    let near = did_you_mean(&to.value, self.open.iter().map(String::as_str));
                    let hint =
                        near.unwrap_or_else(|| "name a block that contains this field".to_owned());
                    self.report_at(
                        to.span,
                        format!("no block around this field is called `{}`", to.value),
                        hint,
                    );
                    return None;
                }
                Takes::Like(Around::new(leaked(&to.value)))
            }
            TypeName::Choice => self.choice(entry.default.as_ref(), node.get("choices")?)?,
            TypeName::Reference => Takes::Reference(leaked(&entry.to.as_ref()?.value)),
            TypeName::Reverse => {
                let of = entry.of.as_ref()?;
                let Some((collection, field)) = of.value.split_once('.') else {
                    let message = format!("`{}` does not name a field", of.value);
                    self.report_at(
                        of.span,
                        message,
                        "write a collection and its field: `of: team.clinics`",
                    );
                    return None;
                };
                Takes::Reverse(leaked(collection), leaked(field))
            }
            other => Takes::Typed(other.typed()?),
        })
    }
}

/// The names of the folders in a folder of templates, sorted. One without files is none, as git has none either.
#[expect(
    clippy::disallowed_methods,
    reason = "asks the disk itself, not the files of a moment"
)]
pub fn folders(folder: &Path) -> Vec<String> {
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let is_file = |entry: std::fs::DirEntry| !files::is_litter(&name(entry));
    let has_files =
        |folder: &Path| std::fs::read_dir(folder).is_ok_and(|files| files.flatten().any(is_file));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| has_files(&entry.path()))
        .map(name)
        .filter(|name| !files::is_litter(name))
        .collect();
    names.sort_unstable();
    names
}

/// Whether a text can be a name in templates.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A text that lives as long as the program. Schemas are read once, so that little is leaked.
pub fn leaked(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

impl Block {
    /// A block without fields.
    pub const fn empty() -> Block {
        Block {
            names: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// The names of the fields that must be written.
    pub fn required(&self) -> Vec<&'static str> {
        self.fields
            .iter()
            .filter(|field| field.absent().is_none())
            .map(|field| field.name)
            .collect()
    }

    /// Whether a field refers to a collection, or is computed from its references.
    pub fn refers_to(&self, collection: &str) -> bool {
        self.all().iter().any(|(_, field)| match field.takes {
            Takes::Reference(to) | Takes::Reverse(to, _) => to == collection,
            _ => false,
        })
    }

    /// A field by name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// All fields, those of blocks included, with the names of the blocks around each: `prices.amount`.
    pub fn all(&self) -> Vec<(String, &Field)> {
        let mut all = Vec::new();
        for field in &self.fields {
            all.push((field.name.to_owned(), field));
            if let Takes::Block(block) = &field.takes {
                all.extend(
                    block
                        .all()
                        .into_iter()
                        .map(|(path, inner)| (format!("{}.{path}", field.name), inner)),
                );
            }
        }
        all
    }

    /// The problem with a name that is no field.
    pub fn unknown(&self, name: &str) -> (String, Option<String>) {
        (
            format!("there is no field `{name}`"),
            did_you_mean(name, self.names.iter().copied()),
        )
    }
}

impl Field {
    /// Whether the field holds a single date, with or without a time.
    pub fn is_date(&self) -> bool {
        !self.list && self.takes.is_date()
    }

    /// The value of a field that was left out; `None` if it is required.
    pub fn absent(&self) -> Option<Json> {
        match &self.takes {
            Takes::Choice {
                default: Some(default),
                ..
            } => Some(self.takes.choice(default)),
            _ if self.required => None,
            Takes::Reverse(..) => Some(Json::Array(Vec::new())),
            _ if self.map => Some(Json::Object(Map::new())),
            _ if self.list => Some(Json::Array(Vec::new())),
            Takes::Flag => Some(Json::from(false)),
            _ => Some(Json::Null),
        }
    }

    /// The texts of a word by language; `None` if it is written without languages. Blocks may have their own keys.
    pub fn texts<'n>(
        &self,
        value: &'n Node,
        is_language: &dyn Fn(&str) -> bool,
    ) -> Option<&'n [(Key, Node)]> {
        let Value::Map(texts) = &value.value else {
            return None;
        };
        let is_block = matches!(self.takes, Takes::Block(_) | Takes::Picture | Takes::Action);
        are_languages(
            is_block,
            texts.iter().map(|(key, _)| key.name.as_str()),
            is_language,
        )
        .then_some(texts)
    }
}

/// Whether the keys of a word are languages, those that are misspelled among them. In a word that is a block, all must be:
/// it may have its own keys.
pub fn are_languages<'k>(
    is_block: bool,
    mut keys: impl Iterator<Item = &'k str>,
    is_language: &dyn Fn(&str) -> bool,
) -> bool {
    !is_block || keys.all(is_language)
}
