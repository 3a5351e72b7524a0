//! Resolves collections: renders the texts of entries, ties references together, computes reverse fields, sorts entries,
//! and makes the page of each entry in each language.

mod absent_entries;
mod check;
mod filters;
mod groups;
mod lent;
mod marked;
mod order;
mod period;
mod places;
mod seen;
mod select;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use api_types::html::text_of;
use config::SiteSettings;
use content::Content;
use content::blog::excerpt;
use content::collections::{CollectionSchema, EntryFile, EntryText, NAMES, PerLanguage, field_at};
use content::images::ImageKind;
use diagnostics::marks::without;
use diagnostics::problem::{Code, Problem, Problems, Source, Span};
use diagnostics::yaml::Spanned;
use languages::locale::{Locale, fill, placeholder_names};
use schema::Takes;
use schema::types::{Dates, Moment, Reference, Typed, Zone};
use text::rich::Piece;
use workspace::parallel;

pub use groups::grouped;
pub use order::sorted;
pub use period::{Period, periods};
pub use places::{ListPlace, start_and_rest};
pub(super) use seen::{EntryPictures, use_pictures};
pub use select::{Selection, Shown, keys, ordered, per_page, shown};
pub use wanted::{never, no_entries, undated, unwanted};

use super::Rich;
use super::blog::post_key;
use super::fields::{Field, Picture, UsedImage, Walk};
use super::list::List;
use super::page::{Body, EntryId, HeadTexts, Page};
use order::sort;
use places::{
    absent_part, address_by, address_part, below, list_pages, list_place, post_pages, referred,
};

/// The maximum number of references that a pattern follows: `{clinic.city.country.name}`.
const MAX_STEPS: usize = 8;

/// The collections of a site.
#[derive(Debug)]
pub struct Collections {
    /// Sorted by name.
    pub list: Vec<Collection>,
    /// The time of the build: what is upcoming depends on it.
    pub now: Moment,
    /// The time zone of dates.
    pub zone: Zone,
    /// Entries that are not public now, by the keys of their pages, with the reason.
    pub withdrawn: BTreeMap<String, String>,
    /// The addresses of entries that have ended, and of those that have not begun.
    pub absent: Vec<AbsentEntry>,
    /// Names of collections that could not be read or fetched, which was reported.
    pub broken: BTreeSet<String>,
    /// A reference leads to no entry, which was reported: a template may lack what it shows.
    pub has_dead_references: bool,
}

/// The page that an entry had until it ended, or will have.
#[derive(Debug)]
pub struct AbsentEntry {
    /// Its key, such as `jobs/nurse`.
    pub key: String,
    /// The index of its language.
    pub locale: usize,
    /// Its address.
    pub path: String,
    /// Whether it has ended.
    pub is_expired: bool,
    /// Whether the address leads to the page that lists the others then; otherwise it is not found.
    pub leads_on: bool,
}

/// A collection.
#[derive(Debug)]
pub struct Collection {
    /// Its schema.
    pub schema: &'static CollectionSchema,
    /// Its entries, sorted by key.
    pub entries: Vec<Entry>,
    /// In each language, the indices of its entries in the order of the schema, without those that are left out.
    pub order: Vec<Vec<usize>>,
    /// In each language, the page that lists it and the section that does so.
    pub lists: Vec<Option<ListPlace>>,
    /// For each filter of the schema and each language, the values that entries have, by name.
    pub filters: Vec<Vec<Vec<FilterValue>>>,
}

impl Collection {
    /// Whether its entries are in an order that somebody chose.
    fn has_order(&self) -> bool {
        !self.schema.sort.is_empty() || self.entries.iter().any(|entry| entry.row > 0)
    }
}

/// A value by which entries are listed.
#[derive(Debug)]
pub struct FilterValue {
    /// Its part in addresses: the key of an entry, or the slug of a text.
    pub key: String,
    /// Its name in the language.
    pub name: String,
    /// The index of the language that lends its name, if it is not in the language.
    pub lent_by: Option<usize>,
    /// The entry that it is, for a reference.
    pub entry: Option<EntryId>,
    /// The indices of the entries that have it, in their order.
    pub entries: Vec<usize>,
}

/// An entry.
#[derive(Debug)]
pub struct Entry {
    /// The name of its folder or file.
    pub key: String,
    /// Its values in each language; `None` where it is left out.
    pub texts: Vec<Option<Text>>,
    /// The number of its row, from 0, if one file holds all entries.
    pub row: usize,
}

/// The values of an entry in one language.
#[derive(Debug, Clone)]
pub struct Text {
    /// The index of the language of its texts.
    pub words_in: usize,
    /// Its fields, a map.
    pub fields: Field,
    /// Whether it has a page in this language.
    pub has_page: bool,
    /// The fields whose text another language lends, with its index.
    lent: BTreeMap<String, usize>,
    anchors: Vec<String>,
    /// Its files.
    pub source: Arc<Source>,
    span: Span,
}

impl Text {
    /// The first photograph of the entry, for social networks: they do not show vector art.
    fn picture(&self, content: &Content) -> Option<&Picture> {
        let Field::Map(fields) = &self.fields else {
            return None;
        };
        fields.iter().find_map(|(_, field)| match field {
            Field::Image(picture) => {
                let file = content.images.get(&picture.src)?;
                matches!(file.kind, ImageKind::Raster(_)).then_some(picture)
            }
            _ => None,
        })
    }
}

impl Collections {
    /// The index of a collection.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.list
            .iter()
            .position(|collection| collection.schema.name == name)
    }

    /// The schema of a collection.
    pub fn schema(&self, name: &str) -> Option<&'static CollectionSchema> {
        self.position(name).map(|at| self.list[at].schema)
    }

    /// The entry that a reference names.
    pub fn find(&self, collection: &str, key: &str) -> Option<EntryId> {
        let at = self.position(collection)?;
        let entry = self.list[at]
            .entries
            .binary_search_by(|entry| entry.key.as_str().cmp(key))
            .ok()?;
        Some(EntryId {
            collection: at,
            entry,
        })
    }

    /// The entry of a name such as `team/ana-ruiz`.
    pub fn find_named(&self, name: &str) -> Option<EntryId> {
        name.split_once('/')
            .and_then(|(collection, key)| self.find(collection, key))
    }

    /// The values of an entry in a language.
    pub fn text(&self, id: EntryId, locale: usize) -> Option<&Text> {
        self.list[id.collection].entries[id.entry].texts[locale].as_ref()
    }

    /// The fields of all entries in all languages, with their files.
    pub fn texts(&self) -> impl Iterator<Item = (&Field, &Arc<Source>)> {
        let entries = self.list.iter().flat_map(|collection| &collection.entries);
        entries
            .flat_map(|entry| entry.texts.iter().flatten())
            .map(|text| (&text.fields, &text.source))
    }

    /// The key of the page of an entry, for links: `team/ana-ruiz`.
    pub fn page_key(&self, id: EntryId) -> String {
        let collection = &self.list[id.collection];
        let key = &collection.entries[id.entry].key;
        if collection.schema.is_of_posts() {
            post_key(key)
        } else {
            format!("{}/{key}", collection.schema.name)
        }
    }

    /// The name of an entry in a language; its key if it has none.
    pub fn name(&self, id: EntryId, locale: &(usize, &Locale)) -> String {
        let name = NAMES.iter().find_map(|path| self.value(id, locale, path));
        name.unwrap_or_else(|| self.list[id.collection].entries[id.entry].key.clone())
    }

    /// The value at a path of fields, as text in a language: `name`, `clinics.name`. Several are joined by commas. `None`
    /// if there is none.
    pub fn value(&self, id: EntryId, locale: &(usize, &Locale), path: &str) -> Option<String> {
        Some(locale.1.listed(&self.names(id, locale, path))).filter(|text| !text.is_empty())
    }

    /// The values at a path of fields in a language, of references the names of the entries.
    pub fn names(&self, id: EntryId, locale: &(usize, &Locale), path: &str) -> Vec<String> {
        let named = NAMES
            .iter()
            .map(|name| self.each(id, locale, &format!("{path}.{name}")));
        named
            .into_iter()
            .find(|names| !names.is_empty())
            .unwrap_or_else(|| self.each(id, locale, path))
    }

    /// The values at a path of fields, as texts in a language.
    pub fn each(&self, id: EntryId, locale: &(usize, &Locale), path: &str) -> Vec<String> {
        self.values(id, &(locale.0, Some(locale.1)), path, 0)
            .unwrap_or_default()
    }

    fn values(
        &self,
        id: EntryId,
        locale: &(usize, Option<&Locale>),
        path: &str,
        step: usize,
    ) -> Option<Vec<String>> {
        let text = self.text(id, locale.0)?;
        let key = &self.list[id.collection].entries[id.entry].key;
        self.values_of(text, key, locale, path, step)
    }

    /// The values at a path of the fields of an entry, which may be one that is not public now; without a language, as
    /// programs read them.
    fn values_of(
        &self,
        text: &Text,
        key: &str,
        locale: &(usize, Option<&Locale>),
        path: &str,
        step: usize,
    ) -> Option<Vec<String>> {
        let (name, rest) = path
            .split_once('.')
            .map_or((path, None), |(name, rest)| (name, Some(rest)));
        let Some(field) = text.fields.get(name) else {
            return matches!(name, "slug" | "key").then(|| vec![key.to_owned()]);
        };
        Some(self.shown(field, locale, rest, step))
    }

    fn shown(
        &self,
        field: &Field,
        locale: &(usize, Option<&Locale>),
        rest: Option<&str>,
        step: usize,
    ) -> Vec<String> {
        match (field, rest) {
            (Field::List(items), _) => items
                .iter()
                .flat_map(|item| self.shown(item, locale, rest, step))
                .collect(),
            (Field::Map(_), Some(rest)) => {
                let (name, rest) = rest
                    .split_once('.')
                    .map_or((rest, None), |(name, rest)| (name, Some(rest)));
                field
                    .get(name)
                    .map(|field| self.shown(field, locale, rest, step))
                    .unwrap_or_default()
            }
            (Field::Typed(typed), rest) => match &**typed {
                Typed::Reference(Reference { to, key, .. }) if step < MAX_STEPS => {
                    let id = self.find(to, key);
                    let values =
                        id.and_then(|id| self.values(id, locale, rest.unwrap_or("key"), step + 1));
                    values.unwrap_or_default()
                }
                typed => part_of(typed, locale.1, rest).into_iter().collect(),
            },
            (field, _) => plain(field).into_iter().collect(),
        }
    }
}

/// A value, or one of its parts, as text in a language or as programs read it; `None` if it lacks the part.
fn part_of(typed: &Typed, locale: Option<&Locale>, part: Option<&str>) -> Option<String> {
    match (typed, part, locale) {
        (_, None, Some(locale)) => Some(locale.show(typed)),
        (Typed::DateTime(at), Some("date"), Some(locale)) => Some(locale.date(at.day)),
        (Typed::Moment(when), Some("date"), Some(locale)) => Some(locale.date(when.local().day)),
        (typed, part, _) => typed.part(part.unwrap_or("value")),
    }
}

/// The text of a single value, without the marks of the preview: addresses, order and filters depend on it.
pub fn plain(field: &Field) -> Option<String> {
    match field {
        Field::Text(text) => Some(without(text)),
        Field::Number(number) => Some(number.to_string()),
        Field::Bool(value) => Some(value.to_string()),
        Field::Rich(rich) => Some(plain_rich(rich)),
        Field::Link(target) => Some(target.to.clone()),
        Field::None | Field::Image(_) | Field::Typed(_) | Field::List(_) | Field::Map(_) => None,
    }
}

/// Rendered Markdown as plain text.
fn plain_rich(rich: &Rich) -> String {
    let html = rich.pieces.iter().map(|piece| match piece {
        Piece::Html(html) => html.as_str(),
        _ => "",
    });
    let text = without(&text_of(&html.collect::<String>()));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Resolves all entries, and the references of pages. The second value has the pages of entries, the third their images.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    pages: &mut [Page],
    problems: &mut Problems,
) -> (Collections, Vec<Page>, EntryPictures) {
    let (now, withdrawn) = (content.collections.now, withdrawn(settings, content));
    let broken = content.collections.broken.clone();
    let zone = settings.timezone.clone();
    let has_dead_references = content.blog.posts.iter().any(|post| {
        post.author
            .as_ref()
            .is_some_and(|slug| !content.blog.authors.contains_key(slug))
    });
    let mut collections = Collections {
        list: Vec::new(),
        now,
        zone,
        withdrawn,
        absent: Vec::new(),
        broken,
        has_dead_references,
    };
    let mut pictures = EntryPictures::new();
    for collection in &content.collections.list {
        let entry = |file| resolve_entry(settings, content, collection.schema, file);
        let mut entries = Vec::with_capacity(collection.entries.len());
        let mut of_entries = Vec::with_capacity(collection.entries.len());
        for (entry, of_entry, found) in parallel::map(&collection.entries, entry) {
            entries.push(entry);
            of_entries.push(of_entry);
            problems.extend(found);
        }
        pictures.push(of_entries);
        collections.list.push(Collection {
            schema: collection.schema,
            entries,
            order: Vec::new(),
            lists: content
                .locales
                .iter()
                .map(|locale| list_place(pages, &locale.code, collection.schema.name))
                .collect(),
            filters: Vec::new(),
        });
    }
    collections.has_dead_references |= check::references(content, &collections, pages, problems);
    check::left_out(content, &collections, problems);
    let entries = collections
        .list
        .iter_mut()
        .flat_map(|collection| &mut collection.entries);
    for text in entries.flat_map(|entry| entry.texts.iter_mut().flatten()) {
        text.fields.retain_references(&|reference: &Reference| {
            content.collections.is_public(&reference.to, &reference.key)
        });
    }
    sort(content, &mut collections);
    compute_reverse(&mut collections);
    filters::compute(content, &mut collections, problems);
    let mut derived = entry_pages(settings, content, &mut collections, pages, problems);
    collections.absent = absent_entries::pages(settings, content, &collections, pages);
    derived.extend(filters::pages(settings, content, &collections, pages));
    let further = pages
        .iter()
        .chain(&derived)
        .filter(|page| !matches!(page.body, Body::Entry(_)));
    let further = select::further_pages(content, &collections, further);
    derived.extend(further);
    check::lists(&collections, pages, problems);
    check::places(content, settings, &collections, pages, problems);
    (collections, derived, pictures)
}

/// Checks the references and the lists of sections that are on no page yet.
pub(super) fn check_sections(
    content: &Content,
    collections: &mut Collections,
    pages: &[Page],
    problems: &mut Problems,
) {
    collections.has_dead_references |= check::references(content, collections, pages, problems);
    check::lists(collections, pages, problems);
}

/// The entries that are not public now, by the keys of their pages, with the reason.
fn withdrawn(settings: &SiteSettings, content: &Content) -> BTreeMap<String, String> {
    let now = content.collections.now;
    // The blog knows the posts that are not public now.
    let others = content
        .collections
        .list
        .iter()
        .filter(|collection| !collection.schema.is_of_posts());
    let all = others.flat_map(|collection| {
        collection.withdrawn.iter().map(move |entry| {
            let absence = Dates {
                from: entry.from,
                until: entry.until,
            }
            .absence(now);
            let reason = absence.map_or_else(
                || "is a draft".to_owned(),
                |absence| absence.reason(&settings.timezone),
            );
            (format!("{}/{}", collection.schema.name, entry.key), reason)
        })
    });
    all.collect()
}

/// An entry, the pictures that it uses, and its problems.
fn resolve_entry(
    settings: &SiteSettings,
    content: &Content,
    schema: &CollectionSchema,
    file: &EntryFile,
) -> (Entry, BTreeMap<String, UsedImage>, Problems) {
    let (mut used, mut problems) = (BTreeMap::new(), Problems::new());
    // A language without words shows those of another one, which are resolved once.
    let mut known: HashMap<usize, Text> = HashMap::new();
    let texts = file.texts.iter().map(|text| {
        let text = text.as_ref()?;
        let resolved = known.entry(text.words_in);
        Some(
            resolved
                .or_insert_with(|| {
                    resolve_text(settings, content, schema, text, &mut used, &mut problems)
                })
                .clone(),
        )
    });
    let entry = Entry {
        texts: texts.collect(),
        key: file.key.clone(),
        row: file.row,
    };
    (entry, used, problems)
}

fn resolve_text(
    settings: &SiteSettings,
    content: &Content,
    schema: &CollectionSchema,
    text: &EntryText,
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> Text {
    let settings = settings.in_language(&content.locales[text.words_in].code);
    let walk = Walk::new(settings, &text.source, &content.images, used, problems);
    let mut walk = Walk {
        widths: schema.picture_widths,
        inline_pictures: true,
        ..walk
    };
    let fields = walk.walk(&text.values.all());
    let anchors = walk.taken;
    let (source, span) = (Arc::clone(&text.source), text.span);
    check::files(content, &fields, &source, problems);
    Text {
        words_in: text.words_in,
        fields,
        has_page: false,
        lent: text.lent.clone(),
        anchors,
        source,
        span,
    }
}

/// Fills in the fields of the type `reverse`: the entries of another collection that name this one, in their order.
fn compute_reverse(collections: &mut Collections) {
    /// The index of a collection, one of its fields, a language, and the values of the field by the keys of entries.
    type Found = (usize, &'static str, usize, HashMap<String, Vec<Field>>);
    let mut found: Vec<Found> = Vec::new();
    for (at, collection) in collections.list.iter().enumerate() {
        for field in &collection.schema.fields.fields {
            let Takes::Reverse(of, by) = field.takes else {
                continue;
            };
            let Some(other) = collections
                .position(of)
                .map(|other| &collections.list[other])
            else {
                continue;
            };
            for (locale, order) in other.order.iter().enumerate() {
                let mut naming: HashMap<String, Vec<Field>> = HashMap::new();
                for entry in order.iter().map(|index| &other.entries[*index]) {
                    let value = entry.texts[locale]
                        .as_ref()
                        .and_then(|text| text.fields.get(by));
                    let mut keys: BTreeSet<&str> = BTreeSet::new();
                    if let Some(value) = value {
                        value.references(&mut |reference| {
                            keys.insert(&reference.key);
                        });
                    }
                    for key in keys {
                        let back = Reference {
                            to: of.to_owned(),
                            key: entry.key.clone(),
                            span: Span::default(),
                        };
                        let back = Field::Typed(Box::new(Typed::Reference(back)));
                        naming.entry(key.to_owned()).or_default().push(back);
                    }
                }
                found.push((at, field.name, locale, naming));
            }
        }
    }
    for (at, name, locale, mut naming) in found {
        for entry in &mut collections.list[at].entries {
            let Some(Text {
                fields: Field::Map(fields),
                ..
            }) = &mut entry.texts[locale]
            else {
                continue;
            };
            if let Some((_, field)) = fields.iter_mut().find(|(own, _)| own == name) {
                *field = Field::List(naming.remove(&entry.key).unwrap_or_default());
            }
        }
    }
}

/// The pages of all entries.
fn entry_pages(
    settings: &SiteSettings,
    content: &Content,
    collections: &mut Collections,
    all: &[Page],
    problems: &mut Problems,
) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut with_pages = Vec::new();
    for (at, collection) in collections.list.iter().enumerate() {
        let lists = list_pages(settings, content, collection, all);
        let inputs = EntryPageInputs {
            settings,
            content,
            collections,
        };
        let made = parallel::map(&in_order(collection), |entry| {
            let (id, mut problems) = (
                EntryId {
                    collection: at,
                    entry: *entry,
                },
                Problems::new(),
            );
            let texts = content
                .locales
                .iter()
                .enumerate()
                .zip(&collection.entries[*entry].texts);
            let pages: Vec<_> = texts
                .filter_map(|(locale, text)| {
                    let page = page(
                        &inputs,
                        lists[locale.0].as_ref(),
                        id,
                        &locale,
                        text.as_ref()?,
                        &mut problems,
                    )?;
                    Some(((id, locale.0), page))
                })
                .collect();
            (pages, problems)
        });
        for (of_entry, found) in made {
            problems.extend(found);
            for (id, page) in of_entry {
                with_pages.push(id);
                pages.push(page);
            }
        }
    }
    with_pages.extend(post_pages(content, collections, all));
    for (id, locale) in with_pages {
        if let Some(text) = &mut collections.list[id.collection].entries[id.entry].texts[locale] {
            text.has_page = true;
        }
    }
    pages
}

/// The indices of all entries: in the order of the first language that has them.
fn in_order(collection: &Collection) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    collection
        .order
        .iter()
        .flatten()
        .copied()
        .filter(|entry| seen.insert(*entry))
        .collect()
}

/// The inputs that the pages of all entries share.
struct EntryPageInputs<'a> {
    /// The settings of the site.
    settings: &'a SiteSettings,
    /// The content, for its languages and pictures.
    content: &'a Content,
    /// The collections, with resolved texts.
    collections: &'a Collections,
}

fn page(
    inputs: &EntryPageInputs,
    list: Option<&List>,
    id: EntryId,
    locale: &(usize, &Locale),
    text: &Text,
    problems: &mut Problems,
) -> Option<Page> {
    let EntryPageInputs {
        settings,
        content,
        collections,
    } = *inputs;
    let schema = collections.list[id.collection].schema;
    let code = locale.1.code.as_str();
    let settings = settings.in_language(code);
    let address = schema.address.as_ref()?;
    let value = |path: &str| collections.value(id, locale, path);
    let filled = |pattern: &str| {
        let text = fill(pattern, |name| {
            Some(
                value(name)
                    .or_else(|| settings.placeholder(name).map(Into::into))
                    .unwrap_or_default(),
            )
        });
        // A value that is not there leaves a separator behind.
        text.unwrap_or_default()
            .trim_matches(|c: char| {
                c.is_whitespace() || matches!(c, '·' | '|' | '-' | '–' | '—' | ',' | ':')
            })
            .to_owned()
    };
    let key = &collections.list[id.collection].entries[id.entry].key;
    let written = || {
        let all = &content.collections.named(schema.name)?.entries;
        let at = all.binary_search_by(|entry| entry.key.cmp(key)).ok()?;
        all[at].texts[locale.0].as_ref()
    };
    let path = address_by(settings, address, list, locale, |name| {
        address_part(settings, collections, key, text, locale.0, name)
            .or_else(|| absent_part(settings, content, collections, written()?, locale.0, name))
    });
    let path = path?.map_err(|name| {
        // An entry that is not there, or could not be read, was reported.
        let to = written().and_then(|written| referred(written, &name));
        if to.is_some_and(|to| !content.collections.is_withdrawn(&to.to, &to.key)) {
            return;
        }
        let pattern = address.get(code).unwrap_or_default();
        let message = format!("the URL `{pattern}` needs `{name}`, which this entry does not have");
        let problem = Problem::error(Code::MissingKey, message).at(text.source.place(text.span));
        problems.push(problem.hint(format!(
            "add `{name}: …`, or change `address` in `{}`",
            schema.source.path
        )));
    });
    let path = path.ok()?;
    // The words of the section that lists the collection go before those of the schema.
    let pattern = |name: &str, of_schema: Option<&PerLanguage>| {
        let of_list = list.and_then(|list| plain(list.words.get("entry")?.get(name)?));
        // A pattern with an unknown placeholder was reported there.
        let of_list = of_list.filter(|pattern| {
            placeholder_names(pattern).all(|name| {
                let is_known = field_at(schema, name, &|name| collections.schema(name)).is_ok();
                is_known || settings.placeholder(name).is_some()
            })
        });
        of_list
            .or_else(|| of_schema?.nearest(settings, code).map(str::to_owned))
            .unwrap_or_default()
    };
    let described = pattern("description", schema.description.as_ref());
    let mut description = filled(&described);
    // A text was written for this, and of Markdown it is the beginning.
    if placeholder_names(&described).any(|name| {
        text.fields
            .get(name)
            .is_some_and(|field| matches!(field, Field::Rich(_)))
    }) {
        description = excerpt(&description).unwrap_or_default();
    }
    let texts = HeadTexts {
        title: filled(&pattern("title", schema.title.as_ref())),
        description,
    };
    let label = match &schema.label {
        Some(label) => label.nearest(settings, code).map(|pattern| {
            fill(pattern, |name| {
                Some(
                    collections
                        .marked(id, locale.0, name)
                        .or_else(|| value(name))
                        .unwrap_or_default(),
                )
            })
            .unwrap_or_default()
        }),
        None => value("name").or_else(|| value("title")),
    };
    let path = Spanned {
        value: path,
        span: text.span,
    };
    let page = Page {
        anchors: text.anchors.clone(),
        label,
        image: text.picture(content).cloned(),
        is_fallback: text.words_in != locale.0,
        title_lent_by: collections
            .lender_of_name(id, locale.0)
            .map(|at| content.locales[at].code.clone()),
        ..Page::of_data(
            collections.page_key(id),
            code,
            path,
            texts,
            &text.source,
            Body::Entry(id),
        )
    };
    Some(below(list, address.get(code), page))
}
