//! The collections of the forms: every file of the site that has a schema, by what it is about.
//!
//! Posts are folders, in which files can be added, as are the collections of a site (`entries.rs`). Pages and settings are lists of files: each
//! page has an entry for what its languages share and one for each language, one below the other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use content::pages::{PAGE_KEYS, SHARED_KEYS};
use content::sections::Kinds;
use diagnostics::yaml::{self, Node};
use json_schema::{FileContents, ValueForm};
use workspace::files::{self, FileSet};
use workspace::kinds::Kind;

use super::fields::{self, Fields, Rules, label};
use super::node;
use super::words::{self, Said};

/// The kinds of files whose collections are made one by one.
const HAS_COLLECTION: &[Kind] = &[Kind::Page, Kind::PageStructure, Kind::Post];

/// The folder of pages.
pub(super) const PAGES: &str = Kind::Page.folder();
/// The keys of a page that each language writes itself.
const WORDS_OF_PAGES: &[&str] = &["path", "also_at", "title", "description", "label", "like"];
/// The keys that make a folder sections on many pages.
const PATTERNS: [&str; 2] = ["on_pages", "not_on_pages"];
/// The first fields of a page. Words of sections and the list of sections follow.
const FIRST_OF_PAGES: &[&str] = &["title", "description", "path"];
/// The first fields of a post.
const FIRST_OF_POSTS: &[&str] = &[
    "title", "date", "author", "tags", "excerpt", "image", "body",
];

/// A collection with the rules of its files.
pub(super) struct Collection {
    pub json: Value,
    pub rules: Rules,
    /// `post` for front matter and text, `page`, or `data`.
    pub format: &'static str,
}

/// Makes the collections of a site.
pub(super) struct Collections<'a> {
    root: &'a FileSet,
    /// The addresses of pages by their files.
    addresses: &'a BTreeMap<String, String>,
    /// Codes and names of the languages; the first one is the default.
    languages: &'a [(String, String)],
    contents: BTreeMap<Kind, FileContents>,
}

/// A file with its place in a list of entries.
struct Entry {
    path: String,
    label: String,
    fields: Vec<Value>,
}

impl<'a> Collections<'a> {
    pub fn new(
        root: &'a FileSet,
        languages: &'a [(String, String)],
        addresses: &'a BTreeMap<String, String>,
        kinds: &Kinds,
        post: FileContents,
    ) -> Collections<'a> {
        let mut contents: BTreeMap<_, _> = Kind::all()
            .map(|kind| (kind, json_schema::contents(kind, kinds)))
            .collect();
        contents.insert(Kind::Post, post);
        Collections {
            root,
            addresses,
            languages,
            contents,
        }
    }

    fn fields(&self, kind: Kind) -> Fields<'_> {
        Fields::new(&self.contents[&kind], kind.name(), self.languages)
    }

    /// The forms of all section kinds, without and with a field for the name of a section.
    pub fn sections(&self) -> Value {
        let mut named = self.fields(Kind::PageStructure).sections(1).0;
        for kind in &mut named {
            if let Some(fields) = kind["fields"].as_array_mut() {
                fields.insert(0, fields::key_field());
            }
            kind["summary"] = json!(format!("{{{{fields.{}}}}}", fields::KEY));
        }
        json!({fields::SECTIONS: self.fields(Kind::Page).sections(1).0, fields::NAMED_SECTIONS: named})
    }

    /// All collections. `has_posts` says whether the posts of the site are files.
    pub fn all(&self, has_posts: bool) -> Vec<Collection> {
        let mut all = vec![self.pages()];
        if has_posts {
            all.extend(self.posts());
        }
        all.extend(self.settings());
        all
    }

    fn posts(&self) -> Vec<Collection> {
        let mut all = Vec::new();
        let fields_of = self.fields(Kind::Post);
        let (mut fields, rules) = fields_of.of_block(fields_of.file.whole.properties(), &[], 0);
        fields.push(json!({"name": "body", "label": "Text", "widget": "markdown", "modes": ["raw", "rich_text"], "required": false}));
        arrange(&mut fields, FIRST_OF_POSTS);
        for (code, name) in self.languages {
            let folder = Kind::Post.folder_of("", code);
            let paths = self.root.list(&self.root.join(&folder)).0;
            let base = json!({
                "label": format!("Posts · {name}"), "label_singular": "Post", "folder": folder, "extension": "md",
                "identifier_field": "title", "slug": "{{slug}}", "summary": "{{title}} · {{date}}",
                "sortable_fields": ["date", "title"], "fields": fields,
            });
            let mut flat = base.clone();
            if let Some(path) = self.preview_path(&format!("{folder}/")) {
                flat["preview_path"] = json!(path);
            }
            flat["name"] = json!(format!("posts-{code}"));
            flat["create"] = json!(true);
            all.push(Collection {
                json: flat,
                rules: rules.clone(),
                format: "post",
            });
            if paths
                .iter()
                .any(|path| path.file_name().is_some_and(|name| name == "index.md"))
            {
                let mut folders = base;
                folders["name"] = json!(format!("posts-{code}-with-pictures"));
                folders["label"] = json!(format!("Posts in folders · {name}"));
                folders["path"] = json!("{{slug}}/index");
                folders["create"] = json!(false);
                all.push(Collection {
                    json: folders,
                    rules: rules.clone(),
                    format: "post",
                });
            }
        }
        all
    }

    fn pages(&self) -> Collection {
        let folder = self.root.join(PAGES);
        let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in self.root.list(&folder).0 {
            let shown = files::shown(&folder, &path);
            if let Some((key, file)) = shown.split_once('/')
                && let Some(stem) = file.strip_suffix(".yaml")
            {
                keys.entry(key.to_owned())
                    .or_default()
                    .push(stem.to_owned());
            }
        }
        let (page, structure) = (self.fields(Kind::Page), self.fields(Kind::PageStructure));
        let (whole_fields, mut rules) = page.of_block(page.file.whole.properties(), &[], 0);
        let (shared_fields, shared) = structure.of_block(structure.file.whole.properties(), &[], 0);
        let entries = keys
            .iter()
            .flat_map(|(key, stems)| self.page(key, stems, &whole_fields, &shared_fields))
            .collect();
        let sections = |rules: &Rules| {
            rules
                .keys
                .iter()
                .find(|(key, _)| key == "sections")
                .map(|(_, rules)| rules.clone())
        };
        // Lists of sections and blocks of named ones have the same kinds.
        if let (Some(shared), Some(own)) = (
            sections(&shared),
            rules.keys.iter_mut().find(|(key, _)| key == "sections"),
        ) {
            own.1 = shared;
        } else {
            rules
                .keys
                .extend(sections(&shared).map(|rules| ("sections".to_owned(), rules)));
        }
        Collection {
            json: self.list("pages", "Pages", entries),
            rules,
            format: "page",
        }
    }

    /// Pages whose file holds all of them, in the default language: new ones can be added, copied and deleted.
    pub fn whole_pages(&self) -> Option<Collection> {
        let (code, name) = self.languages.first()?;
        let page = self.fields(Kind::Page);
        let (mut fields, rules) = page.of_block(page.file.whole.properties(), &PATTERNS, 0);
        arrange(&mut fields, FIRST_OF_PAGES);
        let json = json!({
            "name": "new-pages", "label": format!("New pages · {name}"), "label_singular": "Page", "create": true,
            "folder": PAGES, "path": format!("{{{{slug}}}}/{code}"), "extension": "yaml", "identifier_field": "title",
            "slug": "{{slug}}", "summary": "{{title}} · {{path}}", "fields": fields,
        });
        Some(Collection {
            json,
            rules,
            format: "page",
        })
    }

    /// The fields that the languages of a page share, and those of each language. `whole` are the fields of a page in
    /// one file, `shared` those of `page.yaml`.
    fn page(&self, key: &str, stems: &[String], whole: &[Value], shared: &[Value]) -> Vec<Entry> {
        let path = |stem: &str| Kind::Page.file(key, stem);
        let mut entries = Vec::new();
        let structure = stems
            .iter()
            .any(|stem| stem == "page")
            .then(|| node(self.root, &path("page")))
            .flatten();
        let words: Vec<(String, Node)> = stems
            .iter()
            .filter(|stem| *stem != "page")
            .filter_map(|stem| Some((stem.clone(), node(self.root, &path(stem))?)))
            .collect();
        // Sections on many pages have no address, and say in one file where they are shown.
        let is_shared = structure
            .as_ref()
            .is_some_and(|node| node.get(PATTERNS[0]).is_some());
        let belongs = |name: &str, is_structure: bool| {
            if PATTERNS.contains(&name) {
                is_shared && is_structure
            } else {
                !is_shared || SHARED_KEYS.contains(&name) || !PAGE_KEYS.contains(&name)
            }
        };
        // A value in a file has a field wherever it belongs.
        let keep =
            |fields: &mut Vec<Value>, file: Option<&Node>, belongs: &dyn Fn(&str) -> bool| {
                fields.retain(|field| {
                    field["name"].as_str().is_some_and(|name| {
                        belongs(name) || file.is_some_and(|node| node.get(name).is_some())
                    })
                });
            };
        if structure.is_some() {
            let mut fields = shared.to_vec();
            // Words are in the files of the languages, unless this one says them for all.
            keep(&mut fields, structure.as_ref(), &|name: &str| {
                !WORDS_OF_PAGES.contains(&name) && belongs(name, true)
            });
            arrange(&mut fields, FIRST_OF_PAGES);
            entries.push(Entry {
                path: path("page"),
                label: format!("{} · all languages", label(key)),
                fields,
            });
        }
        for (code, name) in self.languages {
            let own = words
                .iter()
                .find(|(stem, _)| stem == code)
                .map(|(_, node)| node);
            let is_whole = own.is_some_and(has_own_sections);
            let mut fields = match &structure {
                Some(structure) if !is_whole => {
                    let words: Vec<&Node> = words.iter().map(|(_, node)| node).collect();
                    words::fields(&self.fields(Kind::Page), &Said::new(structure, &words))
                }
                _ => whole.to_vec(),
            };
            keep(&mut fields, own, &|name| belongs(name, false));
            arrange(&mut fields, FIRST_OF_PAGES);
            entries.push(Entry {
                path: path(code),
                label: format!("{} · {name}", label(key)),
                fields,
            });
        }
        entries
    }

    /// All other files, a collection for each kind.
    fn settings(&self) -> Vec<Collection> {
        let folders = ["content", "templates"].map(|folder| self.root.join(folder));
        let paths = folders
            .iter()
            .filter(|folder| self.root.exists(folder))
            .flat_map(|folder| self.root.list(folder).0);
        let mut kinds: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
        for path in paths {
            let shown = files::shown(self.root, &path);
            let kind = Kind::of(&shown)
                .map(|item| item.kind)
                .filter(|kind| !HAS_COLLECTION.contains(kind));
            if let Some(kind) = kind {
                kinds.entry(kind).or_default().push(shown);
            }
        }
        let mut all = Vec::new();
        // Files of templates are for those who write templates.
        let (last, first): (Vec<_>, Vec<_>) = kinds
            .into_iter()
            .partition(|(_, paths)| paths.iter().all(|path| path.starts_with("templates/")));
        for (kind, paths) in first.into_iter().chain(last) {
            let (fields, rules) = self.file(kind);
            if fields.is_empty() {
                continue;
            }
            let json = self.list(
                &format!("data-{}", kind.name()),
                name_of(kind.name()),
                paths
                    .into_iter()
                    .map(|path| {
                        let stem = path
                            .rsplit('/')
                            .next()
                            .unwrap_or(&path)
                            .trim_end_matches(".yaml");
                        // Files with the same name are told apart by their folders.
                        let folder = path.rsplit('/').nth(1).unwrap_or(stem);
                        let (label, of_folder) = (self.fields(kind).label(stem), label(folder));
                        let label = match kind {
                            Kind::FormWords => format!("{of_folder} · {label}"),
                            Kind::Form => of_folder,
                            _ if path.starts_with("templates/") => of_folder,
                            _ => label,
                        };
                        Entry {
                            label,
                            path: path.clone(),
                            fields: fields.clone(),
                        }
                    })
                    .collect(),
            );
            all.push(Collection {
                json,
                rules,
                format: "data",
            });
        }
        all
    }

    /// The fields and rules of a file that is one block, one list, or a block with free keys.
    fn file(&self, kind: Kind) -> (Vec<Value>, Rules) {
        let fields = self.fields(kind);
        let ValueForm::Block(block) = &fields.file.whole.form else {
            let field = fields.field(fields::ITEMS, &fields.file.whole, false, 0);
            return field.map_or_else(Default::default, |mut field| {
                field.json["label"] = json!("Entries");
                (vec![field.json], field.rules)
            });
        };
        let (mut all, mut rules) = fields.of_block(&block.keys, &[], 0);
        let others = fields.file.whole.other_values();
        if let Some(mut field) = others.and_then(|values| fields.entries(fields::ITEMS, values, 0))
        {
            field.json["name"] = json!(fields::ITEMS);
            field.json["label"] = json!("Entries");
            // The keys with fields of their own are beside the list of all others.
            rules = Rules {
                keys: rules.keys,
                fixed: names(&all),
                ..field.rules
            };
            all.push(field.json);
        }
        (all, rules)
    }

    /// A collection of files.
    fn list(&self, name: &str, label: &str, entries: Vec<Entry>) -> Value {
        json!({"name": name, "label": label, "files": entries.into_iter().map(|entry| {
            let name = entry.path.strip_suffix(".yaml").unwrap_or(&entry.path).replace('/', "-");
            let mut file = json!({
                "name": name.trim_start_matches("content-"), "label": entry.label, "file": entry.path, "fields": entry.fields,
            });
            if let Some(address) = self.addresses.get(&entry.path) {
                file["preview_path"] = json!(address.trim_start_matches('/'));
            }
            file
        }).collect::<Vec<_>>()})
    }

    /// Where the pages of the files in a folder are, if the last part of their addresses is the name of the file.
    pub fn preview_path(&self, folder: &str) -> Option<String> {
        let mut addresses = self
            .addresses
            .iter()
            .filter(|(path, _)| path.starts_with(folder));
        addresses.find_map(|(path, address)| {
            let stem = path.rsplit('/').next()?.rsplit_once('.')?.0;
            let above = address.strip_suffix('/')?.strip_suffix(stem)?;
            Some(format!("{}{{{{slug}}}}/", above.trim_start_matches('/')))
        })
    }
}

/// Puts what editors look for first: the title and the sections of a page, then its settings.
fn arrange(fields: &mut [Value], order: &[&str]) {
    fields.sort_by_key(|field| {
        let name = field["name"].as_str().unwrap_or_default();
        let is_setting = PAGE_KEYS.contains(&name) && name != "sections";
        let first = order.iter().position(|first| *first == name);
        first.unwrap_or(if is_setting { usize::MAX } else { order.len() })
    });
}

fn names(fields: &[Value]) -> Vec<String> {
    fields
        .iter()
        .filter_map(|field| field["name"].as_str())
        .map(str::to_owned)
        .collect()
}

/// The name of the collection for a kind of file.
fn name_of(kind: &'static str) -> &'static str {
    match kind {
        "collection" => "Collection fields",
        "component-examples" => "Component examples",
        "design" => "Design",
        "form" => "Forms",
        "form-words" => "Form texts",
        "locale" => "Languages",
        "section-examples" => "Section examples",
        "section-kind" => "Section kinds",
        "sidebar" => "Style guide sidebar",
        "site" => "Site",
        "terms" => "Terms",
        "visits-preset" => "Analytics services",
        _ => kind,
    }
}

/// Whether a file of a language has its sections itself.
fn has_own_sections(node: &Node) -> bool {
    let Some(yaml::Value::List(items)) = node.get("sections").map(|node| &node.value) else {
        return false;
    };
    items
        .iter()
        .any(|item| matches!(item.value, yaml::Value::Map(_)))
}
