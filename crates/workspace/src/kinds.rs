//! The kinds of files of a site, in one table: the path of each, and which item in which language a path is.
//!
//! A feature that goes through the files of a site asks this table. A new kind is a row here; the compiler then asks for the
//! struct that its files are read into, which is their schema, too (`json-schema`). What reads the files is up to the kind:
//! `config/src/redirects.rs` is a short example. The files of entries lie where their collection says, and are not in it.

use std::iter;

/// A kind of file of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each row of the table has its meaning")]
pub enum Kind {
    Collection,
    ComponentExamples,
    Design,
    Form,
    FormWords,
    Locale,
    Page,
    PageStructure,
    Post,
    Redirects,
    SectionExamples,
    SectionKind,
    Sidebar,
    Site,
    Terms,
    VisitsPreset,
}

/// A row of the table.
struct Row {
    kind: Kind,
    /// Its name, which is that of its schema.
    name: &'static str,
    meaning: &'static str,
    /// The folder of all its files.
    folder: &'static str,
    /// The paths of its files; the first one is that of a new file. `{key}` and `{language}` are parts of a path without slash.
    paths: &'static [&'static str],
}

/// All kinds, by name.
const TABLE: &[Row] = &[
    Row {
        kind: Kind::Collection,
        name: "collection",
        meaning: "A collection: the URLs and the fields of its entries",
        folder: "templates/collections",
        paths: &["templates/collections/{key}/schema.yaml"],
    },
    Row {
        kind: Kind::ComponentExamples,
        name: "component-examples",
        meaning: "The examples of a component, for the style guide",
        folder: "templates/components",
        paths: &["templates/components/{key}/examples.yaml"],
    },
    Row {
        kind: Kind::Design,
        name: "design",
        meaning: "The design tokens, by group",
        folder: "content",
        paths: &["content/design.yaml"],
    },
    Row {
        kind: Kind::Form,
        name: "form",
        meaning: "A form: its fields, and where answers are sent",
        folder: "content/forms",
        paths: &["content/forms/{key}/form.yaml"],
    },
    Row {
        kind: Kind::FormWords,
        name: "form-words",
        meaning: "The text of a form in one language",
        folder: "content/forms",
        paths: &["content/forms/{key}/{language}.yaml"],
    },
    Row {
        kind: Kind::Locale,
        name: "locale",
        meaning: "A language: its name, interface messages and typography",
        folder: "content/locales",
        paths: &["content/locales/{language}.yaml"],
    },
    Row {
        kind: Kind::Page,
        name: "page",
        meaning: "A page in one language: all of it, or only its text next to `page.yaml`",
        folder: "content/pages",
        paths: &["content/pages/{key}/{language}.yaml"],
    },
    Row {
        kind: Kind::PageStructure,
        name: "page-structure",
        meaning: "The parts of a page that all its languages share",
        folder: "content/pages",
        paths: &["content/pages/{key}/page.yaml"],
    },
    Row {
        kind: Kind::Post,
        name: "post",
        meaning: "The front matter of a post",
        folder: "content/blog",
        paths: &[
            "content/blog/{language}/{key}.md",
            "content/blog/{language}/{key}/index.md",
        ],
    },
    Row {
        kind: Kind::Redirects,
        name: "redirects",
        meaning: "Redirects, as in the settings of the site",
        folder: "content/redirects",
        paths: &["content/redirects/{key}.yaml"],
    },
    Row {
        kind: Kind::SectionExamples,
        name: "section-examples",
        meaning: "The examples of a section kind, for the style guide",
        folder: "templates/sections",
        paths: &["templates/sections/{key}/examples.yaml"],
    },
    Row {
        kind: Kind::SectionKind,
        name: "section-kind",
        meaning: "A section kind: its fields",
        folder: "templates/sections",
        paths: &["templates/sections/{key}/schema.yaml"],
    },
    Row {
        kind: Kind::Sidebar,
        name: "sidebar",
        meaning: "The sidebar of the style guide",
        folder: "content/style-guide",
        paths: &["content/style-guide/sidebar.yaml"],
    },
    Row {
        kind: Kind::Site,
        name: "site",
        meaning: "The settings of the site",
        folder: "content",
        paths: &["content/site.yaml"],
    },
    Row {
        kind: Kind::Terms,
        name: "terms",
        meaning: "The site's terms in each language",
        folder: "content",
        paths: &["content/terms.yaml"],
    },
    Row {
        kind: Kind::VisitsPreset,
        name: "visits-preset",
        meaning: "A service that counts visits: what it loads, and how events are reported to it",
        folder: "templates/visits",
        paths: &["templates/visits/{key}.yaml"],
    },
];

/// Folders of a site that hold no files of a kind.
const OTHER_FOLDERS: [&str; 2] = ["images", "translations"];

/// The names of the folders directly below `content/` that are not those of collections.
pub fn content_folders<'name>() -> impl Iterator<Item = &'name str> {
    let of_kinds = TABLE
        .iter()
        .filter_map(|row| row.folder.strip_prefix("content/"));
    of_kinds.chain(OTHER_FOLDERS)
}

/// The names of the files directly below `content/` that are the only ones of their kind.
pub fn content_files<'name>() -> impl Iterator<Item = &'name str> {
    TABLE
        .iter()
        .filter_map(|row| row.paths[0].strip_prefix("content/"))
        .filter(|name| !name.contains('/'))
}

/// A file of a site, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'path> {
    /// Its kind.
    pub kind: Kind,
    /// Which one of its kind: the name of a page, a post, a form; empty for a kind with one file.
    pub key: &'path str,
    /// The code of the language that its words are in; empty for what all languages share.
    pub language: &'path str,
}

impl Kind {
    /// All kinds, by name.
    pub fn all() -> impl Iterator<Item = Kind> {
        TABLE.iter().map(|row| row.kind)
    }

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Its name, which is that of its schema.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The content of such a file, in a sentence.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// The folder of all its files, without a slash at its end: `content/pages`.
    pub const fn folder(self) -> &'static str {
        self.row().folder
    }

    /// Whether a path lies in its folder, or in one below it.
    pub fn has(self, path: &str) -> bool {
        path.strip_prefix(self.folder())
            .is_some_and(|below| below.starts_with('/'))
    }

    /// The path of the file of a kind that has one: `content/site.yaml`.
    pub const fn path(self) -> &'static str {
        self.row().paths[0]
    }

    /// The path of the file of an item: `content/pages/about/en.yaml`.
    ///
    /// ```
    /// use workspace::kinds::Kind;
    /// assert_eq!(Kind::Page.file("about", "en"), "content/pages/about/en.yaml");
    /// ```
    pub fn file(self, key: &str, language: &str) -> String {
        self.row().paths[0]
            .replace("{key}", key)
            .replace("{language}", language)
    }

    /// The folder of an item in one language: `content/pages/about`, `content/blog/en` with an empty key.
    pub fn folder_of(self, key: &str, language: &str) -> String {
        let mut path = self.row().paths[0]
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned();
        for (part, value) in [("{key}", key), ("{language}", language)] {
            path = path.replace(part, value);
        }
        path
    }

    /// The patterns of its paths, with `*` for any name; one that begins with `!` leaves files out again.
    pub fn patterns(self) -> Vec<String> {
        let own: Vec<String> = self.row().paths.iter().map(|path| glob(path)).collect();
        let others = TABLE
            .iter()
            .filter(|row| row.kind != self)
            .flat_map(|row| row.paths)
            .map(|path| glob(path));
        let within = others.filter(|path| {
            own.iter()
                .any(|own| own != path && parts_of(own, path).is_some())
        });
        let others: Vec<String> = within.map(|path| format!("!{path}")).collect();
        own.into_iter().chain(others).collect()
    }

    /// The item that a path below the folder of a site is.
    ///
    /// ```
    /// use workspace::kinds::{Item, Kind};
    /// let item = Item { kind: Kind::Page, key: "about", language: "en" };
    /// assert_eq!(Kind::of("content/pages/about/en.yaml"), Some(item));
    /// assert_eq!(Kind::of("content/pages/about/page.yaml").map(|item| item.kind), Some(Kind::PageStructure));
    /// assert_eq!(Kind::of("content/blog/en/a/b/c.md"), None);
    /// ```
    pub fn of(path: &str) -> Option<Item<'_>> {
        let rows = TABLE
            .iter()
            .flat_map(|row| row.paths.iter().map(|pattern| (row.kind, *pattern)));
        let matching = rows
            .filter_map(|(kind, pattern)| Some((kind, pattern, parts_of(&glob(pattern), path)?)));
        // The one that says most of the path: `page.yaml` is no language.
        let (kind, pattern, parts) = matching.min_by_key(|(_, _, parts)| parts.len())?;
        let names = pattern
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split('}').next());
        let [key, language] = ["key", "language"].map(|wanted| {
            iter::zip(names.clone(), &parts)
                .find(|(name, _)| *name == wanted)
                .map_or("", |(_, part)| *part)
        });
        Some(Item {
            kind,
            key,
            language,
        })
    }
}

/// A path of the table as a pattern with `*`.
fn glob(path: &str) -> String {
    path.replace("{key}", "*").replace("{language}", "*")
}

/// The parts of a path in place of the stars of a pattern; `None` if it does not match.
fn parts_of<'path>(pattern: &str, path: &'path str) -> Option<Vec<&'path str>> {
    let mut parts = Vec::new();
    let (mut patterns, mut names) = (pattern.split('/'), path.split('/'));
    loop {
        match (patterns.next(), names.next()) {
            (None, None) => return Some(parts),
            (Some(pattern), Some(name)) => match pattern.split_once('*') {
                Some((before, after)) => {
                    let part = name.strip_prefix(before)?.strip_suffix(after)?;
                    if part.is_empty() {
                        return None;
                    }
                    parts.push(part);
                }
                None if pattern == name => {}
                None => return None,
            },
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, TABLE};

    #[test]
    fn the_table_is_in_the_order_of_the_kinds_and_by_name() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.kind as usize, at);
            assert!(at == 0 || TABLE[at - 1].name < row.name, "{}", row.name);
        }
    }

    #[test]
    fn the_path_of_an_item_is_that_item() {
        for kind in Kind::all() {
            let item = |path: &str| {
                Kind::of(path)
                    .map(|item| (item.kind, item.key.to_owned(), item.language.to_owned()))
            };
            let path = kind.file("a-key", "pt-BR");
            let has = |part: &str, value: &str| {
                if TABLE[kind as usize].paths[0].contains(part) {
                    value.to_owned()
                } else {
                    String::new()
                }
            };
            assert_eq!(
                item(&path),
                Some((kind, has("{key}", "a-key"), has("{language}", "pt-BR"))),
                "{path}"
            );
            assert!(path.starts_with(kind.folder()));
        }
    }

    #[test]
    fn a_pattern_leaves_out_what_another_kind_has() {
        assert_eq!(
            Kind::Page.patterns(),
            ["content/pages/*/*.yaml", "!content/pages/*/page.yaml"]
        );
        assert_eq!(
            Kind::FormWords.patterns(),
            ["content/forms/*/*.yaml", "!content/forms/*/form.yaml"]
        );
        assert_eq!(
            Kind::PageStructure.patterns(),
            ["content/pages/*/page.yaml"]
        );
        assert_eq!(
            Kind::Post.patterns(),
            ["content/blog/*/*.md", "content/blog/*/*/index.md"]
        );
        assert_eq!(Kind::of("content/pages/en.yaml"), None);
        assert_eq!(Kind::of("content/blog/en/.md"), None);
    }
}
