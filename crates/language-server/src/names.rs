//! The names in a site, and every place where each is written: what definition, references and rename go by.
//!
//! They are looked for in the site as it was read, and in the trees and texts of its files. A file whose YAML is broken
//! still has its links.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use config::fonts::FONT;
use content::collections::{AUTHORS, POSTS};
use content::{style_guide, words};
use diagnostics::problem::{Place, Source, Span};
use diagnostics::yaml::{self, Node, Value};
use languages::typography;
use site::Planned;
use site::model::blog::tag_slug;
use workspace::files::{self, FileSet};

use super::entry_names::{self, EntryName, Schemas};
use super::text::Text;

/// A name that content, templates and scripts refer to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    /// A page, by the folder in `content/pages/`.
    Page(String),
    /// The address of a page in one language.
    Address { key: String, path: String },
    /// A post, by its key.
    Post(String),
    /// An entry of a collection.
    Entry { collection: String, key: String },
    /// A tag, by its slug: names that differ in case only are one tag.
    Tag(String),
    /// A design token.
    Token { group: String, name: String },
    /// A word of the interface.
    Word(String),
}

impl From<EntryName> for Name {
    fn from(EntryName { collection, key }: EntryName) -> Name {
        // Posts are links, files and keys of their own.
        if collection == POSTS {
            Name::Post(key)
        } else {
            Name::Entry { collection, key }
        }
    }
}

/// How a name is written in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// As it is.
    Exact,
    /// As a value of YAML, which may need quotes.
    Scalar,
    /// As the slug of a tag.
    Slug,
}

/// A place where a name is written.
#[derive(Debug, Clone)]
pub(super) struct Occurrence {
    pub name: Name,
    pub path: Arc<Path>,
    pub span: Range<usize>,
    /// The span as editors have it.
    pub range: lsp_types::Range,
    /// Where the cursor is at the name: also before it, in `page:about`.
    pub area: Range<usize>,
    pub writing: Writing,
    /// Whether the name comes from here.
    pub declares: bool,
}

/// The first part of the keys of the pages of posts.
const PAGES_OF_POSTS: &str = "blog/";
/// The first part of the keys of tags; then come the language and the slug.
const TAGS: &str = "blog/tag/";
/// The first part of the keys of the pages of authors.
pub(super) const PAGES_OF_AUTHORS: &str = "blog/author/";

/// Every place of every name, by file, in the order of the text.
#[derive(Clone)]
pub(super) struct Names(BTreeMap<Arc<Path>, Arc<Vec<Occurrence>>>);

impl Names {
    /// Those of a site.
    pub fn of(planned: &Planned) -> Names {
        let root = &planned.config.paths.root;
        let folders =
            ["content", "templates", "react"].map(|folder| root.list(&root.join(folder)).0);
        let paths = folders
            .into_iter()
            .flatten()
            .filter(|path| is_read(path))
            .map(Arc::from);
        let paths: Vec<Arc<Path>> = paths.collect();
        let found = Finder::of(planned);
        let mut files: BTreeMap<Arc<Path>, Vec<Occurrence>> = paths
            .into_par_iter()
            .map(|path| {
                let all = found.of_file(root, &path);
                (path, all)
            })
            .collect();
        for one in of_pages(planned) {
            files.entry(Arc::clone(&one.path)).or_default().push(one);
        }
        Names(
            files
                .into_iter()
                .map(|(path, all)| (path, Arc::new(sorted(all))))
                .collect(),
        )
    }

    /// Those after changes of files that have no names in the sections of pages. `planned` is the site before the changes,
    /// `root` has the texts after them.
    pub fn with<'p>(
        &self,
        planned: &Planned,
        root: &FileSet,
        changed: impl Iterator<Item = &'p PathBuf>,
    ) -> Names {
        let found = Finder::of(planned);
        let mut files = self.0.clone();
        for path in changed.filter(|path| is_read(path)) {
            let path: Arc<Path> = Arc::from(path.as_path());
            let all = sorted(found.of_file(root, &path));
            files.insert(path, Arc::new(all));
        }
        Names(files)
    }

    /// All of them, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &Occurrence> {
        self.0.values().flat_map(|all| all.iter())
    }

    /// The name at a byte offset of a file.
    pub fn at(&self, path: &Path, offset: usize) -> Option<&Occurrence> {
        self.0
            .get(path)?
            .iter()
            .filter(|one| one.area.start <= offset && offset <= one.area.end)
            .min_by_key(|one| one.area.len())
    }
}

fn sorted(mut all: Vec<Occurrence>) -> Vec<Occurrence> {
    all.sort_by_key(|one| one.span.start);
    // A text that a page shares with its languages is read with each of them.
    all.dedup_by(|a, b| a.span == b.span);
    all
}

/// Files that may name something.
const ENDINGS_READ: [&str; 10] = [
    "yaml", "md", "csv", "json", "html", "css", "svg", "ts", "tsx", "js",
];

fn ending(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

fn is_read(path: &Path) -> bool {
    ending(path).is_some_and(|ending| ENDINGS_READ.contains(&ending))
}

/// The names in the sections of pages, which may be put together from several files.
fn of_pages(planned: &Planned) -> Vec<Occurrence> {
    let pages = planned.content.page_files();
    let root = &planned.config.paths.root;
    let mut texts: BTreeMap<String, Text> = BTreeMap::new();
    let mut found = Vec::new();
    let tokens = style_guide::tokens(pages)
        .into_iter()
        .map(|(source, token)| {
            let place = source.place(token.span);
            (
                Name::Token {
                    group: token.group,
                    name: token.name,
                },
                place,
            )
        });
    let entries = entry_names::of_pages(planned)
        .into_iter()
        .map(|(name, place)| (Name::from(name), place));
    for (name, place) in tokens.chain(entries) {
        let Place {
            path,
            range: Some(range),
            ..
        } = place
        else {
            continue;
        };
        let file = root.join(&path);
        let text = texts.entry(path).or_insert_with(|| {
            root.read_text(&file)
                .map_or_else(|_| Text::new(""), |source| Text::new(source.text.as_str()))
        });
        let span =
            text.offset(text.of_problem(range.start))..text.offset(text.of_problem(range.end));
        let is_key = matches!(name, Name::Token { .. }) && text.text[span.end..].starts_with(':');
        let writing = if is_key {
            Writing::Exact
        } else {
            Writing::Scalar
        };
        let (area, range) = (span.clone(), text.range(span.clone()));
        found.push(Occurrence {
            name,
            path: file.into(),
            span,
            range,
            area,
            writing,
            declares: false,
        });
    }
    found
}

/// Finds names in files.
struct Finder {
    /// Groups and names of tokens by custom property.
    properties: BTreeMap<String, (String, String)>,
    schemas: Schemas,
}

impl Finder {
    fn of(planned: &Planned) -> Finder {
        let tokens = planned.content.design.tokens.iter();
        Finder {
            schemas: entry_names::schemas_of(planned),
            properties: tokens
                .map(|token| (token.property(), (token.group.clone(), token.name.clone())))
                .collect(),
        }
    }

    fn of_file(&self, root: &FileSet, path: &Arc<Path>) -> Vec<Occurrence> {
        let Ok(source) = root.read_text(path) else {
            return Vec::new();
        };
        let shown = files::shown(root, path);
        let text = Text::new(source.text.as_str());
        let mut found = Found {
            path,
            source: &source,
            text,
            all: Vec::new(),
        };
        let parts: Vec<&str> = shown.split('/').collect();
        match ending(path) {
            Some("yaml" | "md") => {
                found.links(&self.schemas);
                found.entries(&self.schemas, &parts);
                if parts == ["content", "design.yaml"] {
                    self.tokens(&mut found);
                }
                found.tree(&parts, &self.schemas);
            }
            Some("csv" | "json") => found.entries(&self.schemas, &parts),
            Some("html") => {
                for one in entry_names::of_template(&self.schemas, &source) {
                    found.add(one.name.into(), one.span, Writing::Exact, false);
                }
                for (key, span, is_beginning) in words::calls(&source.text) {
                    if !is_beginning {
                        found.add(Name::Word(key.to_owned()), span, Writing::Exact, false);
                    }
                }
                self.tokens(&mut found);
            }
            _ => self.tokens(&mut found),
        }
        found.all
    }

    /// Tokens as custom properties, `--color-ink`, and in drawings, `tokens.color.ink`.
    fn tokens(&self, found: &mut Found) {
        let text = found.source.text.as_str();
        for (at, _) in text.match_indices("--") {
            let end = text[at..]
                .find(|c| !is_part_of_token(c))
                .map_or(text.len(), |end| at + end);
            let is_whole = !text[..at].ends_with(is_part_of_token);
            if let Some((group, name)) = self.properties.get(&text[at..end]).filter(|_| is_whole) {
                let token = Name::Token {
                    group: group.clone(),
                    name: name.clone(),
                };
                found.add(token, end - name.len()..end, Writing::Exact, false);
            }
        }
        for (at, mark) in text.match_indices("tokens.") {
            let rest = &text[at + mark.len()..];
            let end = rest
                .find(|c: char| !(is_part_of_token(c) || c == '.'))
                .unwrap_or(rest.len());
            let Some((group, name)) = rest[..end].split_once('.') else {
                continue;
            };
            if self.properties.contains_key(&format!("--{group}-{name}")) {
                let token = Name::Token {
                    group: group.to_owned(),
                    name: name.to_owned(),
                };
                let end = at + mark.len() + end;
                found.add(token, end - name.len()..end, Writing::Exact, false);
            }
        }
    }
}

/// Tells whether a letter can be part of the name of a token.
fn is_part_of_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// The names found in a file so far.
struct Found<'a> {
    path: &'a Arc<Path>,
    source: &'a Arc<Source>,
    text: Text,
    all: Vec<Occurrence>,
}

impl Found<'_> {
    fn add(&mut self, name: Name, span: Range<usize>, writing: Writing, declares: bool) {
        self.add_within(span.clone(), name, span, writing, declares);
    }

    /// Adds a name at which the cursor is in all of `area`.
    fn add_within(
        &mut self,
        area: Range<usize>,
        name: Name,
        span: Range<usize>,
        writing: Writing,
        declares: bool,
    ) {
        let (path, range) = (Arc::clone(self.path), self.text.range(span.clone()));
        self.all.push(Occurrence {
            name,
            path,
            span,
            range,
            area,
            writing,
            declares,
        });
    }

    fn add_node(&mut self, name: impl FnOnce(&str) -> Name, node: Option<&Node>, declares: bool) {
        let text = node.and_then(|node| Some((node.as_text()?.trim(), node.span)));
        if let Some((text, span)) = text.filter(|(text, _)| !text.is_empty()) {
            self.add(name(text), range(span), Writing::Scalar, declares);
        }
    }

    /// The entries that fields, lists and rows name.
    fn entries(&mut self, schemas: &Schemas, parts: &[&str]) {
        for one in entry_names::of_file(schemas, parts, self.source) {
            let writing = if one.is_scalar {
                Writing::Scalar
            } else {
                Writing::Exact
            };
            self.add(one.name.into(), one.span, writing, one.declares);
        }
    }

    fn links(&mut self, schemas: &Schemas) {
        for span in links(&self.source.text) {
            let key = &self.source.text[span.clone()];
            let of_entry =
                entry_names::of_link(schemas, key).map(|(name, span)| (Name::from(name), span));
            let Some((name, own)) = of_entry.or_else(|| name_of_link(key)) else {
                continue;
            };
            let writing = if matches!(name, Name::Tag(_)) {
                Writing::Slug
            } else {
                Writing::Exact
            };
            let area = span.start - "page:".len()..span.end;
            let span = span.start + own.start..span.start + own.end;
            self.add_within(area, name, span, writing, false);
        }
    }

    /// Names by the place that they have in the tree of a file.
    fn tree(&mut self, parts: &[&str], schemas: &Schemas) {
        let is_post = parts.last().is_some_and(|name| name.ends_with(".md"));
        let part = if is_post {
            typography::parts_of_post(&self.source.text).0
        } else {
            0..self.source.text.len()
        };
        if part.is_empty() {
            return;
        }
        let Ok(root) = yaml::parse(self.source, part) else {
            return;
        };
        match parts {
            ["content", "site.yaml"] => {
                let page = |key: &str| Name::Page(key.to_owned());
                let leads = root.get("leads");
                self.add_node(page, leads.and_then(|leads| leads.get("form")), false);
                self.add_node(page, leads.and_then(|leads| leads.get("thanks")), false);
            }
            ["content", "design.yaml"] => self.design(&root),
            ["content", "locales", _] => {
                for (key, _) in entries(root.get("messages")) {
                    self.add(
                        Name::Word(key.name.clone()),
                        range(key.span),
                        Writing::Scalar,
                        true,
                    );
                }
            }
            ["content", "pages", key, file] => {
                self.add_node(|key| Name::Page(key.to_owned()), root.get("like"), false);
                if *file != "page.yaml" {
                    self.add_node(
                        |path: &str| Name::Address {
                            key: (*key).to_owned(),
                            path: path.to_owned(),
                        },
                        root.get("path"),
                        true,
                    );
                }
                for pattern in ["on_pages", "not_on_pages"]
                    .into_iter()
                    .flat_map(|key| items(root.get(key)))
                {
                    self.pattern(pattern, schemas);
                }
            }
            ["content", "blog", ..] if is_post => {
                self.add_node(|key| Name::Post(key.to_owned()), root.get("key"), true);
                for tag in items(root.get("tags")) {
                    self.add_node(|name| Name::Tag(tag_slug(name)), Some(tag), false);
                }
            }
            ["templates", "sections", kind, "examples.yaml"] => self.examples(kind, &root),
            _ => {}
        }
    }

    /// The page that one of `on_pages` names; `team/*` names no single one.
    fn pattern(&mut self, node: &Node, schemas: &Schemas) {
        let Some(text) = node.as_text().filter(|text| !text.ends_with('*')) else {
            return;
        };
        let whole = range(node.span);
        let Some(at) = self
            .source
            .text
            .get(whole.clone())
            .and_then(|written| written.find(text))
        else {
            return;
        };
        let of_entry =
            entry_names::of_link(schemas, text).map(|(name, span)| (Name::from(name), span));
        if let Some((name, own)) = of_entry.or_else(|| name_of_link(text)) {
            let start = whole.start + at;
            self.add(
                name,
                start + own.start..start + own.end,
                Writing::Exact,
                false,
            );
        }
    }

    fn design(&mut self, root: &Node) {
        for (group, tokens) in entries(Some(root)) {
            if matches!(group.name.as_str(), "contrast" | "forbidden") {
                for pair in items(Some(tokens)) {
                    for side in ["text", "ground"] {
                        self.add_node(color, pair.get(side), false);
                    }
                }
                continue;
            }
            if group.name == "fonts" {
                items(Some(tokens)).iter().for_each(|font| {
                    self.add_node(
                        |name: &str| Name::Token {
                            group: FONT.to_owned(),
                            name: name.to_owned(),
                        },
                        font.get("token"),
                        false,
                    );
                });
                continue;
            }
            // Where it is dark, a color has another value.
            let is_dark = group.name == "dark";
            for (token, _) in entries(Some(tokens)) {
                let name = Name::Token {
                    group: group.name.clone(),
                    name: token.name.clone(),
                };
                let name = if is_dark { color(&token.name) } else { name };
                self.add(name, range(token.span), Writing::Scalar, !is_dark);
            }
        }
    }

    /// The tokens in the examples of a section kind of the style guide.
    fn examples(&mut self, kind: &str, node: &Node) {
        let fields: &[&str] = match kind {
            "guide_swatches" => &["color"],
            "guide_logo" => &["color", "ground"],
            "guide_contrast" => &["grounds"],
            "guide_type" => &["font"],
            _ => return,
        };
        for (key, value) in entries(Some(node)) {
            if fields.contains(&key.name.as_str()) {
                let group = if kind == "guide_type" { FONT } else { "color" };
                let token = |name: &str| Name::Token {
                    group: group.to_owned(),
                    name: name.to_owned(),
                };
                self.add_node(token, Some(value), false);
                items(Some(value))
                    .iter()
                    .for_each(|item| self.add_node(token, Some(item), false));
            } else {
                self.examples(kind, value);
            }
        }
        items(Some(node))
            .iter()
            .for_each(|item| self.examples(kind, item));
    }
}

fn color(name: &str) -> Name {
    Name::Token {
        group: "color".to_owned(),
        name: name.to_owned(),
    }
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn entries(node: Option<&Node>) -> &[(yaml::Key, Node)] {
    match node.map(|node| &node.value) {
        Some(Value::Map(entries)) => entries,
        _ => &[],
    }
}

fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

/// The spans of the keys in the links of a text: `about` of `page:about#team`.
pub(super) fn links(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("page:").filter_map(|(at, mark)| {
        let is_word = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let start = at + mark.len();
        let rest = &text[start..];
        let end = rest.find(|c: char| !is_of_key(c)).unwrap_or(rest.len());
        (end > 0 && !is_word).then_some(start..start + end)
    })
}

/// Whether a character may be in the key of a link. Those of tags may have more: `c++`, `node.js`.
fn is_of_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '+')
}

fn author(key: &str) -> Name {
    Name::Entry {
        collection: AUTHORS.to_owned(),
        key: key.to_owned(),
    }
}

/// The name in a link with this key, and its span. `None` for lists.
pub(super) fn name_of_link(key: &str) -> Option<(Name, Range<usize>)> {
    let from = |start: usize| (key[start..].to_owned(), start..key.len());
    if let Some(slug) = key.strip_prefix(PAGES_OF_AUTHORS) {
        let (key_of_entry, span) = from(PAGES_OF_AUTHORS.len());
        return (!slug.contains('/')).then(|| (author(&key_of_entry), span));
    }
    if let Some(rest) = key.strip_prefix(TAGS) {
        let (locale, slug) = rest.split_once('/')?;
        let start = TAGS.len() + locale.len() + 1;
        return (!slug.contains('/')).then(|| (Name::Tag(slug.to_owned()), start..key.len()));
    }
    if let Some(rest) = key.strip_prefix(PAGES_OF_POSTS) {
        let (name, span) = from(PAGES_OF_POSTS.len());
        return (!rest.contains('/')).then_some((Name::Post(name), span));
    }
    let (name, span) = from(0);
    (!key.contains('/')).then_some((Name::Page(name), span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_with_their_keys() {
        let keys = |text: &str| {
            links(text)
                .map(|span| text[span].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            keys("to: page:about#team, [a](page:blog/x) homepage:no page: x"),
            ["about", "blog/x"]
        );
    }

    fn check(key: &str, expect: Option<&(Name, &str)>) {
        let found = name_of_link(key).map(|(name, span)| (name, &key[span]));
        assert_eq!(found.as_ref(), expect, "{key}");
    }

    #[test]
    fn keys_of_links_say_what_they_name() {
        check("about", Some(&(Name::Page("about".into()), "about")));
        check("blog", Some(&(Name::Page("blog".into()), "blog")));
        check(
            "blog/outage",
            Some(&(Name::Post("outage".into()), "outage")),
        );
        check("blog/tag/en/c++", Some(&(Name::Tag("c++".into()), "c++")));
        check("blog/author/ana", Some(&(author("ana"), "ana")));
        check("blog/author/ana/page/2", None);
        check("blog/tag/en/c++/en/page/2", None);
    }

    fn found(path: &str, text: &str) -> Vec<(Name, String)> {
        let source = Arc::new(Source::new(path.into(), text.into()));
        let text = Text::new(source.text.as_str());
        let mut found = Found {
            path: &Path::new(path).into(),
            source: &source,
            text,
            all: Vec::new(),
        };
        found.links(&Schemas::new());
        found.tree(&path.split('/').collect::<Vec<_>>(), &Schemas::new());
        found
            .all
            .into_iter()
            .map(|one| (one.name, source.text[one.span].to_owned()))
            .collect()
    }

    #[test]
    fn files_name_things_in_their_places() {
        let own = |name: Name, text: &str| (name, text.to_owned());
        assert_eq!(
            found(
                "content/blog/en/a.md",
                "---\ntitle: A\nkey: b\ntags: [One Two, \"C++\"]\n---\nSee page:c.\n"
            ),
            [
                own(Name::Page("c".into()), "c"),
                own(Name::Post("b".into()), "b"),
                own(Name::Tag("one-two".into()), "One Two"),
                own(Name::Tag("c++".into()), "\"C++\""),
            ]
        );
        assert_eq!(
            found("content/pages/x/en.yaml", "path: /x/\nlike: y\n"),
            [
                own(Name::Page("y".into()), "y"),
                own(
                    Name::Address {
                        key: "x".into(),
                        path: "/x/".into()
                    },
                    "/x/"
                ),
            ]
        );
        assert_eq!(
            found(
                "content/pages/x/page.yaml",
                "on_pages: [\"*\", home, blog/a]\nnot_on_pages: [\"b\"]\n"
            ),
            [
                own(Name::Page("home".into()), "home"),
                own(Name::Post("a".into()), "a"),
                own(Name::Page("b".into()), "b"),
            ]
        );
        assert_eq!(
            found(
                "content/design.yaml",
                "color:\n  ink: \"#000000\"\ncontrast:\n  - {text: ink, ground: paper}\n"
            ),
            [
                own(color("ink"), "ink"),
                own(color("ink"), "ink"),
                own(color("paper"), "paper")
            ]
        );
        assert_eq!(
            found(
                "content/design.yaml",
                "color:\n  ink: \"#000000\"\ndark:\n  ink: \"#ffffff\"\n"
            ),
            [own(color("ink"), "ink"), own(color("ink"), "ink")]
        );
        let font = Name::Token {
            group: "font".into(),
            name: "text".into(),
        };
        assert_eq!(
            found(
                "content/design.yaml",
                "font:\n  text: Arial\nfonts:\n  - {token: text, package: inter-ui}\n"
            ),
            [own(font.clone(), "text"), own(font, "text")]
        );
        assert_eq!(
            found(
                "content/locales/en.yaml",
                "name: English\nmessages:\n  menu: Menu\n"
            ),
            [own(Name::Word("menu".into()), "menu")]
        );
        assert_eq!(
            found("content/site.yaml", "leads:\n  form: lead-form\n"),
            [own(Name::Page("lead-form".into()), "lead-form")]
        );
    }

    #[test]
    fn tokens_are_found_in_styles_and_drawings() {
        let properties = BTreeMap::from([(
            "--color-ink".to_owned(),
            ("color".to_owned(), "ink".to_owned()),
        )]);
        let text = "a{color:var(--color-ink);--color-inkwell:1;--color-ink-soft:2}{{ tokens.color.ink }} tokens.color.inky";
        let source = Arc::new(Source::new("a.css".into(), text.into()));
        let mut found = Found {
            path: &Path::new("a.css").into(),
            source: &source,
            text: Text::new(source.text.as_str()),
            all: Vec::new(),
        };
        Finder {
            properties,
            schemas: Schemas::new(),
        }
        .tokens(&mut found);
        let places: Vec<usize> = found.all.iter().map(|one| one.span.start).collect();
        assert_eq!(
            places,
            ["ink)", "ink }}"].map(|place| text.find(place).expect("a place"))
        );
    }
}
