//! The forms of the collections that a site declares: one collection of forms for entries of one file, one for each language
//! of Markdown files, and a list of files for entries in folders. What a field takes decides its widget.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use config::theme;
use content::collections::{
    AUTHORS, Collection as Entries, Collections, EntryFile, KEY_OF_ROW, Missing, POSTS, SETTINGS,
    misfits,
};
use diagnostics::problem::{Problem, Problems, Source};
use diagnostics::yaml;
use json_schema::{FileContents, entry_contents, field_of_entry};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

use super::collections::Collection;
use super::fields::{self, Fields, Rules};
use super::node;

/// The field whose text is that of a Markdown file.
const BODY: &str = "body";
/// The field with the name of a new entry, by precedence.
const NAMES: [&str; 4] = ["name", "title", "term", "question"];

/// The forms of all collections of a site. `preview_path` gives the address pattern of the pages of a folder.
pub(super) fn all(
    root: &FileSet,
    collections: &Collections,
    languages: &[(String, String)],
    preview_path: &dyn Fn(&str) -> Option<String>,
) -> Vec<Collection> {
    let mut all = Vec::new();
    for entries in collections
        .list
        .iter()
        .filter(|entries| !entries.schema.is_of_posts())
    {
        let forms = Forms {
            root,
            languages,
            collections,
            entries,
        };
        if entries.schema.name == SETTINGS {
            all.push(forms.settings());
            continue;
        }
        if entries.schema.file.is_some() || entries.schema.is_fetched() {
            // A table in YAML has a form; others are files of other programs, or elsewhere.
            all.extend(forms.table());
            continue;
        }
        // The theme declares collections that a site need not have.
        let is_of_site = root.exists(&root.join(schema_of(entries.schema.name)));
        if !is_of_site
            && entries.schema.address.is_some()
            && !root.exists(&root.join(forms.folder()))
        {
            continue;
        }
        let mut made = forms.single();
        made.extend(forms.folders());
        made.extend(forms.markdown());
        for (folder, mut collection) in made {
            if collection.json.get("folder").is_some()
                && let Some(path) = preview_path(&folder)
            {
                collection.json["preview_path"] = json!(path);
            }
            all.push(collection);
        }
    }
    all
}

/// The front matter of posts, whose forms are those of the blog.
pub(super) fn front_matter(
    collections: &Collections,
    languages: &[(String, String)],
) -> FileContents {
    let codes: Vec<&str> = languages.iter().map(|(code, _)| code.as_str()).collect();
    collections
        .named(POSTS)
        .map(|posts| entry_contents(collections, posts, &codes))
        .unwrap_or_default()
}

struct Forms<'a> {
    root: &'a FileSet,
    languages: &'a [(String, String)],
    collections: &'a Collections,
    entries: &'a Entries,
}

/// Which fields a file has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Facts, and a text of each language for words.
    Whole,
    Facts,
    Words,
}

impl Forms<'_> {
    fn name(&self) -> &'static str {
        self.entries.schema.name
    }

    fn folder(&self) -> String {
        format!("content/{}", self.name())
    }

    fn has_body(&self) -> bool {
        let body = self.entries.schema.fields.field(BODY);
        body.is_some_and(|field| matches!(field.takes, schema::Takes::Markdown))
    }

    /// The fields of a part of an entry, and their rules.
    fn fields(&self, part: Part, skip: &[&str]) -> (Vec<Value>, Rules) {
        let file = FileContents::default();
        let fields = Fields::new(&file, "entry", self.languages);
        let (mut all, mut rules) = (Vec::new(), Vec::new());
        for field in &self.entries.schema.fields.fields {
            let is_in = match part {
                Part::Whole => true,
                Part::Facts => !field.words,
                Part::Words => field.words,
            };
            let is_computed = matches!(field.takes, schema::Takes::Reverse(..));
            if !is_in || is_computed || skip.contains(&field.name) {
                continue;
            }
            let value = field_of_entry(self.collections, field);
            let required = field.required && part != Part::Words;
            // A word is written as it is, or as a block of languages.
            let made = if field.words && part == Part::Whole {
                let languages = if field.required {
                    self.required_languages()
                } else {
                    Vec::new()
                };
                fields.word(field.name, &value, &languages, required)
            } else {
                fields.field(field.name, &value, required, 0)
            };
            if let Some(made) = made {
                all.push(made.json);
                rules.push((field.name.to_owned(), made.rules));
            }
        }
        (all, Rules::of_keys(rules))
    }

    /// The languages in which a required word must be written: others show the words of the main one, unless the schema
    /// says otherwise.
    fn required_languages(&self) -> Vec<&str> {
        let codes = self.languages.iter().map(|(code, _)| code.as_str());
        match self.entries.schema.missing {
            Missing::Error => codes.collect(),
            Missing::Main if self.entries.entries.iter().all(has_main) => codes.take(1).collect(),
            // An entry that only another language has must be editable.
            Missing::Main | Missing::LeaveOut => Vec::new(),
        }
    }

    /// The field whose text names a new file. That of a word has no single text.
    fn identifier(&self, part: Part) -> Value {
        let fields = &self.entries.schema.fields;
        let field = NAMES
            .iter()
            .find_map(|name| fields.field(name))
            .or(fields.fields.first());
        let name = field.map_or("name", |field| field.name);
        let is_block = part == Part::Whole && field.is_some_and(|field| field.words);
        match self.languages.first().filter(|_| is_block) {
            Some((code, _)) => json!(format!("{name}.{code}")),
            None => json!(name),
        }
    }

    /// Entries of one file each. A new one is such a file, unless all others are of another form.
    fn single(&self) -> Vec<(String, Collection)> {
        let (fields, rules) = self.fields(Part::Whole, &[]);
        let folder = self.folder();
        let identifier = self.identifier(Part::Whole);
        let summary = format!("{{{{{}}}}}", identifier.as_str().unwrap_or_default());
        let json = json!({
            "name": format!("entries-{}", self.name()), "label": fields::label(self.name()), "label_singular": "Entry",
            "description": self.entries.schema.meaning, "folder": folder, "extension": "yaml", "create": true,
            "identifier_field": identifier, "slug": "{{slug}}", "summary": summary, "fields": fields,
        });
        vec![(
            folder + "/",
            Collection {
                json,
                rules,
                format: "data",
            },
        )]
    }

    /// Entries in folders: the facts, then the words of each language.
    fn folders(&self) -> Option<(String, Collection)> {
        let folder = self.root.join(self.folder());
        let paths = self.root.list(&folder).0;
        let keys: BTreeSet<String> = paths
            .iter()
            .filter_map(|path| {
                let shown = files::shown(&folder, path);
                let (key, file) = shown.split_once('/')?;
                file.ends_with(".yaml").then(|| key.to_owned())
            })
            .collect();
        if keys.is_empty() {
            return None;
        }
        let (facts, mut rules) = self.fields(Part::Facts, &[]);
        let (words, of_words) = self.fields(Part::Words, &[]);
        rules.keys.extend(of_words.keys);
        let mut list = Vec::new();
        for key in &keys {
            let name = self
                .entries
                .entries
                .iter()
                .find(|entry| entry.key == *key)
                .and_then(EntryFile::name);
            let shown = name.unwrap_or_else(|| key.clone());
            let mut add = |stem: &str, label: String, fields: &Vec<Value>| {
                let path = format!("{}/{key}/{stem}.yaml", self.folder());
                if !fields.is_empty() {
                    list.push(json!({
                        "name": format!("{}-{key}-{stem}", self.name()), "label": label, "file": path, "fields": fields,
                    }));
                }
            };
            add("entry", format!("{shown} · all languages"), &facts);
            for (code, language) in self.languages {
                add(code, format!("{shown} · {language}"), &words);
            }
        }
        let label = format!("{} in folders", fields::label(self.name()));
        let json =
            json!({"name": format!("folders-{}", self.name()), "label": label, "files": list});
        Some((
            self.folder(),
            Collection {
                json,
                rules,
                format: "data",
            },
        ))
    }

    /// Entries that are Markdown files, a collection for each language.
    fn markdown(&self) -> Vec<(String, Collection)> {
        let folder = self.root.join(self.folder());
        if !self.has_body()
            || !self
                .root
                .list(&folder)
                .0
                .iter()
                .any(|path| path.extension().is_some_and(|ending| ending == "md"))
        {
            return Vec::new();
        }
        let (mut fields, rules) = self.fields_of_markdown();
        fields.push(json!({
            "name": BODY, "label": "Text", "widget": "markdown", "modes": ["raw", "rich_text"], "required": false,
        }));
        let made = self.languages.iter().map(|(code, language)| {
            let folder = format!("{}/{code}", self.folder());
            let json = json!({
                "name": format!("entries-{}-{code}", self.name()), "label_singular": "Entry",
                "label": format!("{} · {language}", fields::label(self.name())), "folder": folder, "extension": "md",
                "create": true, "identifier_field": self.identifier(Part::Words), "slug": "{{slug}}", "fields": fields,
            });
            (folder + "/", Collection { json, rules: rules.clone(), format: "post" })
        });
        made.collect()
    }

    /// All fields but the body; words as they are.
    fn fields_of_markdown(&self) -> (Vec<Value>, Rules) {
        let ((facts, rules), (words, of_words)) = (
            self.fields(Part::Facts, &[BODY]),
            self.fields(Part::Words, &[BODY]),
        );
        let keys = rules.keys.into_iter().chain(of_words.keys).collect();
        let mut made: BTreeMap<String, Value> = facts
            .into_iter()
            .chain(words)
            .map(|field| (field["name"].as_str().unwrap_or_default().to_owned(), field))
            .collect();
        let order = self.entries.schema.fields.fields.iter();
        (
            order.filter_map(|field| made.remove(field.name)).collect(),
            Rules::of_keys(keys),
        )
    }

    /// The entries of one file, a block or a list.
    fn table(&self) -> Option<Collection> {
        let (name, _) = self
            .entries
            .schema
            .file
            .as_ref()
            .filter(|(name, _)| name.ends_with(".yaml"))?;
        let path = format!("{}/{name}", self.folder());
        let (mut fields, mut rules) = self.fields(Part::Whole, &[]);
        let is_block = matches!(node(self.root, &path)?.value, yaml::Value::Map(_));
        let (key, summary) = if is_block {
            (
                fields::key_field(),
                format!("{{{{fields.{}}}}}", fields::KEY),
            )
        } else {
            let key = json!({"name": KEY_OF_ROW, "label": fields::label(KEY_OF_ROW), "widget": "string", "required": false});
            rules.keys.push((KEY_OF_ROW.to_owned(), Rules::default()));
            (key, format!("{{{{fields.{KEY_OF_ROW}}}}}"))
        };
        fields.insert(0, key);
        let list = json!({
            "name": fields::ITEMS, "label": "Entries", "label_singular": "Entry", "widget": "list", "collapsed": true,
            "required": false, "summary": summary, "fields": fields,
        });
        let label = fields::label(self.name());
        let file = json!({"name": format!("table-{}", self.name()), "label": label, "file": path, "fields": [list]});
        let json =
            json!({"name": format!("entries-{}", self.name()), "label": label, "files": [file]});
        Some(Collection {
            json,
            rules: Rules {
                map: is_block,
                ..Rules::of_each(rules)
            },
            format: "data",
        })
    }

    fn settings(&self) -> Collection {
        let (fields, rules) = self.fields(Part::Whole, &[]);
        let file = json!({"name": "own-settings", "label": "Settings", "file": "content/settings.yaml", "fields": fields});
        let json = json!({"name": "entries-settings", "label": "Settings", "files": [file]});
        Collection {
            json,
            rules,
            format: "data",
        }
    }
}

/// Tells whether an entry has words of its own in the first language.
fn has_main(entry: &EntryFile) -> bool {
    entry
        .texts
        .first()
        .is_some_and(|text| text.as_ref().is_some_and(|text| text.words_in == 0))
}

/// The path of the schema of a collection, or of the settings.
fn schema_of(name: &str) -> String {
    if name == SETTINGS {
        "templates/settings.yaml".to_owned()
    } else {
        Kind::Collection.file(name, "")
    }
}

/// The collection that a file belongs to, by its path below the site: the folder of its schema.
pub(super) fn collection_of(root: &FileSet, path: &str) -> Option<String> {
    let below = path.strip_prefix("content/")?;
    if below == "settings.yaml" {
        return theme::template(root, &schema_of(SETTINGS)).map(|_| SETTINGS.to_owned());
    }
    let (name, rest) = below.split_once('/')?;
    let is_file = match rest.rsplit_once('.') {
        Some((stem, "yaml")) => stem.matches('/').count() <= 1,
        Some((stem, "md")) => stem.matches('/').count() == 1,
        _ => false,
    };
    // The program declares authors if the templates do not.
    (is_file
        && name != POSTS
        && (name == AUTHORS || theme::template(root, &schema_of(name)).is_some()))
    .then(|| name.to_owned())
}

/// Whether a file is an entry of its own, which forms add and delete.
pub(super) fn is_single(root: &FileSet, path: &str) -> bool {
    let below = path.strip_prefix("content/").unwrap_or_default();
    collection_of(root, path).is_some_and(|name| name != SETTINGS)
        && !is_table(root, path)
        && (below.ends_with(".md") || below.matches('/').count() == 1)
}

/// The schema of a collection, as a tree.
pub(super) fn schema_tree(root: &FileSet, collection: &str) -> Option<yaml::Node> {
    let source = root
        .read_text(&theme::template(root, &schema_of(collection))?)
        .ok()?;
    yaml::parse(&source, 0..source.text.len()).ok()
}

/// Whether a schema reads all entries from this file.
fn reads(schema: &yaml::Node, path: &str) -> bool {
    let file = schema
        .get("source")
        .and_then(|source| source.get("file")?.as_text());
    file.is_some_and(|file| path.rsplit('/').next() == Some(file))
}

/// Whether a file holds all entries of its collection.
fn is_table(root: &FileSet, path: &str) -> bool {
    let schema = collection_of(root, path).and_then(|name| schema_tree(root, &name));
    schema.is_some_and(|schema| reads(&schema, path))
}

/// A value that a form would write into the file of an entry although its field does not take it. What the file has
/// already is no reason to refuse other changes.
pub(super) fn misfit(
    root: &FileSet,
    path: &str,
    disk: Option<&str>,
    text: &str,
) -> Option<Problem> {
    let name =
        collection_of(root, path).filter(|_| path.ends_with(".yaml") && !is_table(root, path))?;
    let options = config::Options {
        root: root.to_path_buf(),
        ..config::Options::default()
    };
    let config = config::load_from(&options, root.clone()).0?;
    let (schemas, _) = content::collection_schemas(&config);
    let schema = schemas.into_iter().find(|schema| schema.name == name)?;
    let of = |text: &str| {
        let source = Arc::new(Source::new(path.to_owned(), text.to_owned()));
        misfits(&config, schema, &source)
    };
    let known: Problems = disk.map(of).unwrap_or_default();
    of(text)
        .iter()
        .find(|problem| !known.iter().any(|known| known.message == problem.message))
        .cloned()
}

/// How words are written in the file of an entry, or of all.
struct WordsOfFile {
    /// The fields that have a text for each language, and whether each is a block.
    names: Vec<(String, bool)>,
    /// The languages of the site, the main one first.
    locales: Vec<String>,
    is_table: bool,
}

impl WordsOfFile {
    fn of(root: &FileSet, path: &str) -> Option<WordsOfFile> {
        let name = collection_of(root, path)?;
        let is_whole =
            name == SETTINGS || path.ends_with(".yaml") && path.matches('/').count() == 2;
        let schema = schema_tree(root, &name).filter(|_| is_whole)?;
        let site = node(root, Kind::Site.path())?;
        let yaml::Value::List(locales) = &site.get("locales")?.value else {
            return None;
        };
        let locales: Vec<String> = locales
            .iter()
            .filter_map(|code| code.as_text().map(str::to_owned))
            .collect();
        let yaml::Value::Map(fields) = &schema.get("fields")?.value else {
            return None;
        };
        let is_word = |field: &yaml::Node| {
            field
                .get("words")
                .is_some_and(|node| node.value == yaml::Value::Bool(true))
        };
        let is_block = |field: &yaml::Node| {
            let named = field.get("type").and_then(yaml::Node::as_text);
            named.is_some_and(|name| ["block", "picture", "action"].contains(&name))
        };
        let words = fields.iter().filter(|(_, field)| is_word(field));
        let names = words
            .map(|(key, field)| (key.name.clone(), is_block(field)))
            .collect();
        let is_table = reads(&schema, path);
        (!locales.is_empty()).then_some(WordsOfFile {
            names,
            locales,
            is_table,
        })
    }

    /// Whether a word is written without its language.
    fn is_plain(&self, is_block: bool, value: &Value) -> bool {
        !value.is_null()
            && !value.as_object().is_some_and(|texts| {
                schema::are_languages(is_block, texts.keys().map(String::as_str), &|code: &str| {
                    self.locales.iter().any(|known| known == code)
                })
            })
    }

    fn open(&self, entry: &mut Value) {
        for (name, is_block) in &self.names {
            if let Some(value) = entry
                .get_mut(name)
                .filter(|value| self.is_plain(*is_block, value))
            {
                *value = json!({self.locales[0].as_str(): value.take()});
            }
        }
    }

    fn close(&self, base: &Value, entry: &mut Map<String, Value>) {
        let main = &self.locales[0];
        let is_plain = |(name, is_block): &&(String, bool)| {
            base.get(name.as_str())
                .is_some_and(|value| self.is_plain(*is_block, value))
        };
        for (name, _) in self.names.iter().filter(is_plain) {
            if let Some(Value::Object(texts)) = entry.get_mut(name) {
                texts.retain(|code, text| code == main || !(text.is_null() || *text == json!("")));
                if texts.len() == 1
                    && let Some(text) = texts.remove(main)
                {
                    entry.insert(name.clone(), text);
                }
            }
        }
    }
}

/// A word that is written without its language, as the block that its form shows.
pub(super) fn open_words(root: &FileSet, path: &str, values: &mut Value) {
    let Some(words) = WordsOfFile::of(root, path) else {
        return;
    };
    if !words.is_table {
        return words.open(values);
    }
    let has_items = values.get(fields::ITEMS).is_some();
    match if has_items {
        &mut values[fields::ITEMS]
    } else {
        values
    } {
        Value::Object(entries) => entries.values_mut().for_each(|entry| words.open(entry)),
        Value::Array(items) => items.iter_mut().for_each(|entry| words.open(entry)),
        _ => {}
    }
}

/// The reverse of [`open_words`], for words that the file has without their language, and that no other one was added to.
pub(super) fn close_words(
    root: &FileSet,
    path: &str,
    base: Option<&Value>,
    values: &mut Map<String, Value>,
) {
    let (Some(words), Some(base)) = (WordsOfFile::of(root, path), base) else {
        return;
    };
    if !words.is_table {
        return words.close(base, values);
    }
    let close = |base: Option<&Value>, row: &mut Value| {
        if let (Some(base), Value::Object(row)) = (base, row) {
            words.close(base, row);
        }
    };
    match values.get_mut(fields::ITEMS) {
        // A row that has moved or is new has words in blocks, which say the same.
        Some(Value::Array(rows)) => rows
            .iter_mut()
            .enumerate()
            .for_each(|(at, row)| close(base.get(at), row)),
        _ => values
            .iter_mut()
            .for_each(|(key, row)| close(base.get(key), row)),
    }
}

/// The file or folder that has the name of a new file already, also in another case: some systems take both for one.
pub(super) fn taken(root: &FileSet, path: &str) -> Option<String> {
    let (folder, name) = path.rsplit_once('/')?;
    let folder = root.join(folder);
    let own_stem = name
        .rsplit_once('.')
        .map_or(name, |(stem, _)| stem)
        .to_lowercase();
    let is_entry = is_single(root, path);
    root.list(&folder).0.iter().find_map(|file| {
        let shown = files::shown(&folder, file);
        let (first, is_folder) = shown
            .split_once('/')
            .map_or((shown.as_str(), false), |(first, _)| (first, true));
        // The folder of an entry and its file are one entry.
        let stem = if is_folder {
            first
        } else {
            first.rsplit_once('.').map_or(first, |(stem, _)| stem)
        };
        let is_same = first.to_lowercase() == name.to_lowercase()
            || is_entry && stem.to_lowercase() == own_stem;
        is_same.then(|| first.to_owned())
    })
}
