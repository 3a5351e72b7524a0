//! Reads `templates/collections/<name>/schema.yaml`: what a collection is, where its entries have pages, and its fields.
//!
//! A schema is kept for the life of the process, like that of a section kind (`sections/declared.rs`).

mod addresses;
mod check;
mod lists;
mod load;
mod posts;
mod vocabulary;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value as Json;

use config::SiteSettings;
use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use diagnostics::yaml::{self, Node, Spanned, Value};
use languages::locale::placeholder_names;
use schema::{self, Block, Field, FieldEntry, Scope, Takes, leaked};
use workspace::kinds::{self, Kind};

pub use crate::blog::AUTHORS;
pub use check::field_at;
pub use lists::FILTER_PLACEHOLDERS;
pub(crate) use load::lacks_authors;
pub use load::{load, posts_of_theme};
pub use posts::{PostsSchema, is_of_blog};

/// The widths of photographs of a collection that names none, in CSS pixels.
const PICTURE_WIDTHS: &[u32] = &[480, 768, 1200];
/// The placeholder of the address of the page that lists a collection, at the beginning of an address.
pub const LIST_ADDRESS: &str = "{list}";
/// Name of the file, in the folder of a collection.
pub(super) const FILE: &str = "schema.yaml";
/// The folder of all collections, below the root of the theme.
pub(super) const FOLDER: &str = Kind::Collection.folder();
/// The file that declares the settings of a site, below the root of the theme.
pub(super) const SETTINGS_FILE: &str = "templates/settings.yaml";
/// The fields whose text is the name of an entry, by precedence.
pub const NAMES: [&str; 3] = ["name", "title", "term"];
/// The name of the settings in a reference, and of their only entry.
pub const SETTINGS: &str = "settings";
/// The collection of the posts of the blog.
pub const POSTS: &str = "posts";

/// Whether a folder below `content/` with this name holds something else than entries.
pub(super) fn is_of_others(name: &str) -> bool {
    name == SETTINGS || kinds::content_folders().any(|folder| folder == name)
}

/// The declaration of a collection in a site.
#[derive(Debug, PartialEq, Eq)]
pub struct CollectionSchema {
    /// The name of its folders.
    pub name: &'static str,
    /// Its purpose, in a sentence.
    pub meaning: String,
    /// The pattern of the addresses of its entries; `None` if they have no pages.
    pub address: Option<PerLanguage>,
    /// The pattern of the titles of the pages.
    pub title: Option<PerLanguage>,
    /// The pattern of their descriptions.
    pub description: Option<PerLanguage>,
    /// The pattern of its name in breadcrumbs; by default its name or title.
    pub label: Option<PerLanguage>,
    /// The widths, in CSS pixels, in which photographs of its entries are published.
    pub picture_widths: &'static [u32],
    /// The fields by which its entries are sorted; one that begins with `-` in descending order.
    pub sort: Vec<String>,
    /// The date fields that begin and end the time in which an entry is public.
    pub publish: (Option<String>, Option<String>),
    /// The response at the URL of an entry that has ended.
    pub expired: Expired,
    /// The text that an entry shows in a language without its own.
    pub missing: Missing,
    /// Whether the schema says so itself.
    pub says_missing: bool,
    /// The fields by whose values there are pages with lists.
    pub filters: Vec<FilterSchema>,
    /// The feeds of the collection; `None` if it has none.
    pub feed: Option<FeedOptions>,
    /// The file below its folder of content that holds all entries; `None` if each entry has files.
    pub file: Option<(String, Span)>,
    /// The address that all entries are fetched from.
    pub url: Option<(String, Span)>,
    /// The treatment of fetched entries that the schema refuses.
    pub on_error: OnError,
    /// The structured data of an entry's page, with patterns as values.
    pub structured_data: Option<Json>,
    /// Its fields.
    pub fields: Block,
    /// The name of the template of an entry's page: `collections/team/team.html`.
    pub page_template: &'static str,
    /// The name of the template of a list by a value, `collections/team/filter.html`; without it, such a page has the sections
    /// of the page that lists the collection.
    pub filter_template: Option<&'static str>,
    /// The name of the template of an entry in a list: `collections/team/card.html`.
    pub card_template: &'static str,
    /// Whether there is a template for an entry in a list.
    pub has_card: bool,
    /// Where the schema is.
    pub source: Arc<Source>,
    /// The names of its patterns and fields that must exist elsewhere, with their places.
    uses: Vec<(Use, Span)>,
}

/// A name in a schema that is checked when all schemas are known.
#[derive(Debug, PartialEq, Eq)]
enum Use {
    /// A field of this collection, such as `name` or `clinics.name`.
    Path(String),
    /// A collection.
    Collection(String),
    /// A field of a collection with references to this one.
    Field(String, String),
}

impl Use {
    /// Whether it is the placeholder of the page that lists the collection.
    fn is_list(&self) -> bool {
        matches!(self, Use::Path(path) if LIST_ADDRESS.trim_matches(['{', '}']) == path)
    }
}

/// A text that is the same in all languages, or differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PerLanguage {
    /// For all languages.
    All(String),
    /// By the code of the language.
    Each(BTreeMap<String, String>),
}

impl PerLanguage {
    /// Whether the text depends on fields in every language.
    fn differs(&self) -> bool {
        let differs = |text: &String| {
            let mut names = placeholder_names(text.trim_start_matches(LIST_ADDRESS));
            names.any(|name| !SiteSettings::PLACEHOLDERS.contains(&name))
        };
        match self {
            PerLanguage::All(text) => differs(text),
            PerLanguage::Each(texts) => texts.values().all(differs),
        }
    }

    /// All texts.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let (one, each) = match self {
            PerLanguage::All(text) => (Some(text), None),
            PerLanguage::Each(texts) => (None, Some(texts.values())),
        };
        one.into_iter()
            .chain(each.into_iter().flatten())
            .map(String::as_str)
    }

    /// A pattern with a field.
    fn example(&self) -> String {
        match self {
            PerLanguage::All(text) if text.ends_with('/') => format!("{text}{{slug}}/"),
            _ => "{name} · {product.name}".to_owned(),
        }
    }

    /// The text for a language.
    pub fn get(&self, locale: &str) -> Option<&str> {
        match self {
            PerLanguage::All(text) => Some(text),
            PerLanguage::Each(texts) => texts.get(locale).map(String::as_str),
        }
    }

    /// The text for a language, or that of its nearest fallback. Addresses have none: a page is in one language.
    pub fn nearest(&self, settings: &SiteSettings, locale: &str) -> Option<&str> {
        settings
            .with_fallbacks(locale)
            .find_map(|code| self.get(code))
    }
}

/// A field by whose values there are pages with lists.
#[derive(Debug, PartialEq, Eq)]
pub struct FilterSchema {
    /// The field.
    pub field: String,
    /// Where the schema names it.
    pub span: Span,
    /// The pattern of the addresses; `{slug}` and `{name}` are those of the value, `{count}` its number of entries.
    pub address: PerLanguage,
    /// The pattern of the titles; by default the value and the name of the page that lists the collection.
    pub title: Option<PerLanguage>,
    /// The pattern of the descriptions; by default the value and the description of that page.
    pub description: Option<PerLanguage>,
    /// Whether an entry that a reference could name has a page even if no entry names it.
    pub empty: bool,
}

/// The feeds of a collection.
#[derive(Debug, PartialEq, Eq)]
pub struct FeedOptions {
    /// The maximum number of entries.
    pub items: usize,
    /// Whether there is a calendar.
    pub calendar: bool,
    /// The field with the date of an entry.
    pub date: String,
    /// The field with its end, a date or a length of time.
    pub end: Option<String>,
}

/// The treatment of fetched entries that the schema refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The response is not used, and the last good one is.
    #[default]
    Refuse,
    /// The entry is left out, with a warning.
    Skip,
}

/// The text that an entry shows in a language without its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The text of the main language, with its `lang`.
    #[default]
    Main,
    /// Nothing: the entry is left out in that language.
    LeaveOut,
    /// The build fails.
    Error,
}

/// The response at an entry's URL after its last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Expired {
    /// It redirects to the page that lists the collection.
    #[default]
    List,
    /// It is not found.
    Gone,
}

/// The date fields that begin and end the time in which an entry is public.
#[derive(Default, Deserialize, JsonSchema)]
struct Publish {
    /// The field with the first day.
    from: Option<Spanned<String>>,
    /// The field with the last day.
    until: Option<Spanned<String>>,
}

/// The feeds of a collection.
#[derive(Deserialize, JsonSchema)]
struct FeedFile {
    /// The maximum number of entries.
    #[serde(default = "feed_items")]
    items: usize,
    /// Whether there is also a calendar, `calendar.ics`.
    #[serde(default)]
    calendar: bool,
    /// The field with the date of an entry; by default the first field with a date.
    date: Option<Spanned<String>>,
    /// The field with its end, a date or a duration, for the calendar; by default the one with that date as `not_before`.
    end: Option<Spanned<String>>,
}

fn feed_items() -> usize {
    20
}

impl CollectionSchema {
    /// Whether its entries are fetched from an address.
    pub fn is_fetched(&self) -> bool {
        self.url.is_some()
    }

    /// Returns the name of the field with the end of what begins at the date in a field: the one that has it as `not_before`.
    pub fn end_of(&self, field: &str) -> Option<&'static str> {
        let mut fields = self.fields.fields.iter();
        fields
            .find(|other| other.not_before == Some(field) && other.is_date())
            .map(|other| other.name)
    }
}

/// A file or a URL with all entries of a collection.
#[derive(Deserialize, JsonSchema)]
struct TableSource {
    /// Its name in the folder of the collection: `prices.csv`, or a list in a `.json` or `.yaml` file.
    file: Option<Spanned<String>>,
    /// Its URL, whose response is CSV or a list in JSON.
    url: Option<Spanned<String>>,
    /// How fetched entries that this schema refuses are treated.
    on_error: Option<Spanned<OnError>>,
}

/// The keys of a schema.
#[derive(Deserialize, JsonSchema)]
pub struct CollectionFile {
    /// The subject of its entries, in a sentence.
    meaning: String,
    /// The pattern of the URL of an entry's page, such as `/team/{slug}/`, the same for all languages or one for each.
    /// Without it, entries have no pages.
    #[serde(rename = "address", default)]
    #[schemars(with = "Option<PerLanguageSchema>")]
    _address: IgnoredAny,
    /// The pattern of the title of an entry's page, such as `{name} · {product.name}`.
    #[serde(rename = "title", default)]
    #[schemars(with = "Option<PerLanguageSchema>")]
    _title: IgnoredAny,
    /// The pattern of the description of an entry's page.
    #[serde(rename = "description", default)]
    #[schemars(with = "Option<PerLanguageSchema>")]
    _description: IgnoredAny,
    /// The pattern of an entry's name in breadcrumbs; by default its name or title.
    #[serde(rename = "label", default)]
    #[schemars(with = "Option<PerLanguageSchema>")]
    _label: IgnoredAny,
    /// The widths, in CSS pixels, in which photographs of its entries are published.
    picture_widths: Option<Vec<u32>>,
    /// The fields by which entries are sorted; `-posted` is newest first.
    #[serde(default)]
    sort: Vec<Spanned<String>>,
    /// The date fields for the first and the last day on which an entry is public.
    #[serde(default)]
    publish: Publish,
    /// The response at an entry's URL after its last day (`publish.until`).
    #[serde(default)]
    expired: Expired,
    /// The text that an entry shows in a language without its own.
    missing: Option<Missing>,
    /// Pages with the entries that have a value, by field: the pattern of their URLs, such as `/team/clinic/{slug}/`, or
    /// a block with `address`, `title` and `description`.
    // Read in order, one by one.
    #[serde(rename = "filters", default)]
    #[schemars(with = "Option<BTreeMap<String, Json>>")]
    _filters: IgnoredAny,
    /// Feeds of its entries in each language, below the page that lists them.
    feed: Option<Spanned<FeedFile>>,
    /// The file or the URL that contains all entries, instead of one file each.
    source: Option<TableSource>,
    /// The structured data (JSON-LD) of an entry's page; its values can have placeholders such as `{name}`.
    // Read as it is.
    #[serde(rename = "structured_data", default)]
    #[schemars(with = "Option<BTreeMap<String, Json>>")]
    _structured_data: IgnoredAny,
    /// Its fields by name.
    // Read in order, one by one.
    #[serde(rename = "fields")]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
}

/// The keys of the file that declares the settings of a site.
#[derive(Deserialize)]
struct SettingsFile {
    /// The purpose of the settings, in a sentence.
    meaning: String,
    // Read in order, one by one.
    #[serde(rename = "fields")]
    _fields: IgnoredAny,
}

impl From<SettingsFile> for CollectionFile {
    fn from(file: SettingsFile) -> CollectionFile {
        CollectionFile::plain(file.meaning)
    }
}

impl CollectionFile {
    /// The keys of a schema that has fields only.
    fn plain(meaning: String) -> CollectionFile {
        CollectionFile {
            meaning,
            _address: IgnoredAny,
            _title: IgnoredAny,
            _description: IgnoredAny,
            _label: IgnoredAny,
            picture_widths: None,
            sort: Vec::new(),
            publish: Publish::default(),
            expired: Expired::List,
            missing: None,
            feed: None,
            source: None,
            _structured_data: IgnoredAny,
            _filters: IgnoredAny,
            _fields: IgnoredAny,
        }
    }
}

/// A text for all languages, or one for each.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its JSON schema is used")]
enum PerLanguageSchema {
    All(String),
    Each(BTreeMap<String, String>),
}

/// The templates that a collection has beside that of an entry's page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Parts {
    has_card: bool,
    has_filter: bool,
}

/// The span of an attribute of a field, by the names of the blocks around the field and its own: `prices.amount`.
fn attribute(schema: &Node, path: &str, key: &str) -> Option<Span> {
    let field = path
        .split('.')
        .try_fold(schema, |above, name| above.get("fields")?.get(name))?;
    field.get(key).map(|node| node.span)
}

fn read(
    name: &str,
    source: &Arc<Source>,
    parts: Parts,
    problems: &mut Problems,
) -> Option<CollectionSchema> {
    let node = yaml::parse(source, 0..source.text.len())
        .map_err(|problem| problems.push(problem))
        .ok()?;
    let (head, scope) = match name {
        SETTINGS => (
            yaml::read::<SettingsFile>(source, &node, problems).map(CollectionFile::from),
            Scope::Settings,
        ),
        POSTS => (
            yaml::read::<posts::PostsFile>(source, &node, problems).map(CollectionFile::from),
            Scope::Posts,
        ),
        _ => (yaml::read(source, &node, problems), Scope::Collection),
    };
    let fields = node
        .get("fields")
        .and_then(|fields| schema::read(source, fields, scope, problems));
    let fields =
        fields.filter(|fields| name != POSTS || posts::check(fields, source, problems).is_some());
    let mut uses = Vec::new();
    let mut pattern = |key: &str| -> Option<Option<PerLanguage>> {
        let Some(written) = node.get(key) else {
            return Some(None);
        };
        addresses::closed(source, written, problems)?;
        let read = per_language(source, written, problems)?;
        // An address may begin with that of the page that lists the collection.
        let is_below = key == "address"
            && read
                .texts()
                .all(|text| text.rfind(LIST_ADDRESS).is_none_or(|at| at == 0));
        uses.extend(
            paths(written)
                .into_iter()
                .filter(|(used, _)| !is_below || !used.is_list()),
        );
        Some(Some(read))
    };
    let (address, title, description) =
        (pattern("address"), pattern("title"), pattern("description"));
    let label = pattern("label");
    let structured_data = node.get("structured_data").map(|data| {
        uses.extend(paths(data));
        vocabulary::check(data, source, problems).map(|()| json(data))
    });
    let (head, fields, address, title, description, label) =
        (head?, fields?, address?, title?, description?, label?);
    let structured_data = structured_data.map_or(Some(None), |read| read.map(Some))?;
    for (key, given) in [("title", &title), ("description", &description)] {
        if address.is_some() && given.is_none() {
            let place = node.get("address").map_or(node.span, |node| node.span);
            let problem = Problem::error(
                Code::CollectionSchema,
                format!("the entry pages have no `{key}`"),
            );
            problems.push(problem.at(source.place(place)).hint(format!(
                "add `{key}: …` with a pattern that uses your fields, such as `\"{{name}}\"`"
            )));
            return None;
        }
    }
    // Otherwise every two entries would have one address, one title or one description.
    for (key, given) in [
        ("address", &address),
        ("title", &title),
        ("description", &description),
    ] {
        let Some(given) = given
            .as_ref()
            .filter(|given| address.is_some() && !given.differs())
        else {
            continue;
        };
        let place = node.get(key).map_or(node.span, |node| node.span);
        let message = format!("`{key}` is the same for all entries");
        let problem = Problem::error(Code::CollectionSchema, message).at(source.place(place));
        problems.push(problem.hint(format!(
            "write a pattern with a field, such as `{}`",
            given.example()
        )));
        return None;
    }
    let named = head
        .sort
        .iter()
        .map(|field| (field.value.trim_start_matches('-').to_owned(), field.span));
    let dates = [&head.publish.from, &head.publish.until]
        .into_iter()
        .flatten();
    let names = named.chain(dates.clone().map(|field| (field.value.clone(), field.span)));
    uses.extend(names.map(|(name, span)| (Use::Path(name), span)));
    for date in dates {
        if !fields.field(&date.value).is_none_or(Field::is_date) {
            let problem = Problem::error(
                Code::CollectionSchema,
                format!("`{}` is not a field with a single date", date.value),
            );
            problems.push(
                problem
                    .at(source.place(date.span))
                    .hint("name a field of the type `date` or `datetime`"),
            );
            return None;
        }
    }
    let filters = match node.get("filters") {
        None => Vec::new(),
        Some(filters) => lists::filters(filters, source, &fields, problems)?,
    };
    let on_error = head
        .source
        .as_ref()
        .and_then(|table| table.on_error.as_ref())
        .map(|written| written.value);
    let (file, url) = match node.get("source").zip(head.source) {
        Some((place, table)) => lists::table(place, table, source, problems)?,
        None => (None, None),
    };
    let feed = match &head.feed {
        None => None,
        Some(feed) => Some(lists::feed(feed, source, &fields, problems)?),
    };
    for (path, field) in fields.all() {
        let at = |key: &str| attribute(&node, &path, key).unwrap_or(node.span);
        match &field.takes {
            Takes::Reference(to) => uses.push((Use::Collection((*to).to_owned()), at("to"))),
            Takes::Reverse(of, field) => {
                uses.push((Use::Field((*of).to_owned(), (*field).to_owned()), at("of")));
            }
            _ => {}
        }
    }
    Some(CollectionSchema {
        name: leaked(name),
        meaning: head.meaning,
        address,
        title,
        description,
        label,
        picture_widths: head
            .picture_widths
            .map_or(PICTURE_WIDTHS, |widths| widths.leak()),
        sort: head.sort.into_iter().map(|field| field.value).collect(),
        publish: (
            head.publish.from.map(|field| field.value),
            head.publish.until.map(|field| field.value),
        ),
        expired: head.expired,
        // A post is in the languages that have its file.
        missing: if name == POSTS {
            Missing::LeaveOut
        } else {
            head.missing.unwrap_or_default()
        },
        says_missing: head.missing.is_some(),
        filters,
        feed,
        file,
        url,
        on_error: on_error.unwrap_or_default(),
        structured_data,
        fields,
        page_template: leaked(&format!("collections/{name}/{name}.html")),
        filter_template: parts
            .has_filter
            .then(|| leaked(&format!("collections/{name}/filter.html"))),
        card_template: leaked(&format!("collections/{name}/card.html")),
        has_card: parts.has_card,
        source: Arc::clone(source),
        uses,
    })
}

/// Reads a text for all languages, or one for each.
fn per_language(source: &Arc<Source>, node: &Node, problems: &mut Problems) -> Option<PerLanguage> {
    match &node.value {
        Value::Map(_) => yaml::read(source, node, problems).map(PerLanguage::Each),
        _ => yaml::read(source, node, problems).map(PerLanguage::All),
    }
}

/// The placeholders in the texts of a tree, without those of the settings.
fn paths(node: &Node) -> Vec<(Use, Span)> {
    match &node.value {
        Value::Text(text) => {
            let names =
                placeholder_names(text).filter(|name| !SiteSettings::PLACEHOLDERS.contains(name));
            names
                .map(|name| (Use::Path(name.to_owned()), node.span))
                .collect()
        }
        Value::List(items) => items.iter().flat_map(paths).collect(),
        Value::Map(entries) => entries.iter().flat_map(|(_, node)| paths(node)).collect(),
        _ => Vec::new(),
    }
}

/// A tree as JSON.
fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::from(*value),
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Map(entries) => entries
            .iter()
            .map(|(key, node)| (key.name.clone(), json(node)))
            .collect(),
    }
}
