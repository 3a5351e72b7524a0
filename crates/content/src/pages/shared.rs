//! Sections that many pages show at their end: a folder of `content/pages/` whose `page.yaml` has `on_pages`. They are written and
//! read like those of a page, and have no address.

use std::path::Path;
use std::sync::Arc;

use crate::sections::{Kinds, Section, SectionRole};
use config::Config;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Node};
use workspace::files::FileSet;
use workspace::parallel;

use super::{LoadedPage, PageFile, PagePlace, load_text, structure};

/// The key that says on which pages sections are shown.
pub(super) const KEY: &str = "on_pages";

/// All keys that they have. The others of a page are about its address, or about what surrounds it.
pub const KEYS: &[&str] = &[
    KEY,
    "not_on_pages",
    "publish_at",
    "expires_at",
    "untranslated",
    "sections",
];

/// The keys that they need.
pub(super) const REQUIRED: &[&str] = &["sections"];

impl PageFile {
    /// Whether its sections are those of other pages.
    pub fn is_shared(&self) -> bool {
        !self.head.on_pages.is_empty()
    }
}

/// The key of the folder, if a file is a `page.yaml` that says on which pages its sections are shown.
pub(super) fn declared<'p>(root: &FileSet, path: &Path, relative: &'p str) -> Option<&'p str> {
    let (key, name) = relative.split_once('/')?;
    let source = (name.strip_suffix(".yaml") == Some(structure::NAME))
        .then(|| root.read_text(path).ok())??;
    // Few files have the key, and all are read again with the words of each language.
    let node = source
        .text
        .contains(KEY)
        .then(|| yaml::parse(&source, 0..source.text.len()).ok())??;
    node.get(KEY).is_some().then_some(key)
}

/// The sections in the languages that have no file for them: the words of a form, for example, are its own.
pub(super) fn without_files(
    config: &Config,
    kinds: &Kinds,
    folder: &Path,
    key: &str,
) -> (LoadedPage, Problems) {
    let mut problems = Problems::new();
    let codes = config.site.locales.iter().map(|code| code.value.as_str());
    let name = |code: &str| folder.join(key).join(format!("{code}.yaml"));
    let missing: Vec<&str> = codes
        .filter(|code| !config.paths.root.exists(&name(code)))
        .collect();
    let read = parallel::map(&missing, |code| {
        let path = workspace::files::shown(&config.paths.root, &name(code));
        let source = Arc::new(Source::new(path, "{}\n".to_owned()));
        load_text(
            config,
            kinds,
            PagePlace {
                folder,
                key,
                locale: code,
            },
            source,
        )
    });
    let unwritten = |mut page: LoadedPage| {
        if let LoadedPage::Page(page) = &mut page {
            page.is_written = false;
        }
        page
    };
    let pages = read
        .into_iter()
        .map(|read| unwritten(problems.take(read)))
        .collect();
    (LoadedPage::Shared(pages), problems)
}

/// Reports what sections of other pages cannot have.
pub(super) fn check(source: &Source, node: &Node, sections: &[Section], problems: &mut Problems) {
    let structure = format!("/{}.yaml", structure::NAME);
    if let Some(patterns) = node
        .get(KEY)
        .filter(|_| !source.paths().any(|path| path.ends_with(&structure)))
    {
        let message =
            format!("`{KEY}` is only allowed in `page.yaml`, which is the same in all languages");
        let hint = "move it there, together with the sections";
        problems.push(
            Problem::error(Code::InvalidValue, message)
                .at(source.place(patterns.span))
                .hint(hint),
        );
    }
    for key in structure::PAGE_KEYS
        .iter()
        .filter(|key| !KEYS.contains(key))
    {
        let Some(value) = node.get(key) else { continue };
        let message = format!("a page with `{KEY}` cannot have `{key}`");
        let problem = Problem::error(Code::InvalidValue, message).at(source.place(value.span));
        problems.push(problem.hint(format!("remove `{key}` or `{KEY}`")));
    }
    for section in sections {
        let is_list = matches!(
            section.kind.role,
            SectionRole::PostList | SectionRole::Gallery
        );
        if section.kind.main_heading || is_list {
            let name = section.kind.name;
            let message = format!(
                "a page can have only one section of the kind `{name}`, so this one cannot be shared"
            );
            let place = yaml::place_of_text(source, &["kind"], name);
            problems.push(
                Problem::error(Code::InvalidValue, message)
                    .at(place)
                    .hint("remove the section"),
            );
        }
    }
}
