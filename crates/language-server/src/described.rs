//! The facts in the descriptions of files about a place in a file: the keys that are possible, their meanings and their values.

use std::path::Path;

use content::collections::POSTS;
use diagnostics::yaml;
use json_schema::{Expected, FileContents, Property};
use workspace::kinds::Kind;

use super::analysis::Index;
use super::context::{Block, Context, Step};

/// The key that says on which pages sections are shown.
const ON_PAGES: &str = "on_pages";

/// The kind of file at a path below the root of the site; `None` if no schema describes it.
pub(super) fn kind_of(root: &Path, path: &Path) -> Option<Kind> {
    let shown = workspace::files::shown(root, path);
    Kind::of(&shown).map(|item| item.kind)
}

/// The name of the folder of entries that a file is in, or of the settings of a site.
pub(super) fn collection_of(root: &Path, path: &Path) -> Option<String> {
    let shown = workspace::files::shown(root, path);
    let below = shown.strip_prefix("content/")?;
    let (name, _) = below.split_once('/').or_else(|| below.split_once('.'))?;
    Some(if name == "blog" { POSTS } else { name }.to_owned())
}

/// The description of a file.
pub(super) struct Described<'a> {
    pub file: &'a FileContents,
    /// The kinds of the sections that words belong to, by the names of the sections.
    sections: Vec<(String, String)>,
    /// Beside a `page.yaml` that says on which pages its sections are shown.
    is_shared: bool,
}

impl<'a> Described<'a> {
    /// The description of a file; `None` if there is none.
    pub fn of(index: &'a Index, path: &Path) -> Option<Described<'a>> {
        let file = match kind_of(&index.root, path) {
            // With the fields that the site adds.
            Some(Kind::Post) => &index.collections.get(POSTS)?.contents,
            Some(kind) => index.contents.get(&kind)?,
            None => {
                &index
                    .collections
                    .get(&collection_of(&index.root, path)?)?
                    .contents
            }
        };
        let structure = path.with_file_name("page.yaml");
        let text = if structure == path {
            None
        } else {
            index.root.read_text(&structure).ok()
        };
        let page = text.and_then(|source| yaml::parse(&source, 0..source.text.len()).ok());
        let sections = page.as_ref().map(sections).unwrap_or_default();
        let is_shared = page.is_some_and(|page| page.get(ON_PAGES).is_some());
        Some(Described {
            file,
            sections,
            is_shared,
        })
    }

    /// Whether the file is that of sections on many pages.
    pub fn is_shared(&self, context: &Context) -> bool {
        self.is_shared
            || context
                .blocks
                .first()
                .is_some_and(|block| block.keys.iter().any(|key| key == ON_PAGES))
    }

    /// The description of the block, list or value that the cursor is in.
    pub fn at(&self, context: &Context) -> Option<&'a Expected> {
        // A page with sections of its own, or words beside `page.yaml`.
        let first = context.blocks.first();
        let has_sections = first
            .is_some_and(|block| block.keys.iter().any(|key| key == "sections"))
            || context.path.first() == Some(&Step::Key("sections".to_owned()));
        let is_whole = self.sections.is_empty() && (has_sections || context.path.is_empty());
        context.path.iter().zip(&context.blocks).try_fold(
            self.file.of_page(is_whole),
            |part, (step, block)| match step {
                Step::Key(key) => self.property(part, block, key),
                Step::Item => part.items(),
            },
        )
    }

    /// The value of a key of a block.
    pub fn property(&self, part: &'a Expected, block: &Block, key: &str) -> Option<&'a Expected> {
        if let Some((name, rest)) = key.split_once('.')
            && let Some(section) = self.section(name)
        {
            // The words of a section: `hero.actions.1.label`.
            return rest.split('.').try_fold(section, |part, step| {
                part.below(step, |name| self.section(name))
            });
        }
        // The kind decides the other keys, and may be any.
        let part = if key == "kind" {
            part
        } else {
            part.of_kind(block.kind.as_deref())
        };
        part.below(key, |name| self.section(name))
    }

    /// The names of the sections that words belong to, each with its properties.
    pub fn words(&self) -> impl Iterator<Item = (&str, &'a [Property])> {
        self.sections
            .iter()
            .filter_map(|(name, _)| Some((name.as_str(), self.section(name)?.properties())))
    }

    fn section(&self, name: &str) -> Option<&'a Expected> {
        let (_, kind) = self.sections.iter().find(|(own, _)| own == name)?;
        self.file.section(kind)
    }
}

/// The names and kinds of the sections in a `page.yaml`.
fn sections(page: &yaml::Node) -> Vec<(String, String)> {
    let Some(yaml::Value::Map(entries)) = page.get("sections").map(|sections| &sections.value)
    else {
        return Vec::new();
    };
    entries
        .iter()
        .map(|(key, section)| {
            (
                key.name.clone(),
                section
                    .get("kind")
                    .and_then(yaml::Node::as_text)
                    .unwrap_or_default()
                    .to_owned(),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::problem::Source;

    #[test]
    fn files_have_the_schema_of_their_kind() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(
                kind_of(Path::new("/s"), &Path::new("/s").join(path)).map(Kind::name),
                expect,
                "{path}"
            );
        };
        check("content/pages/home/en.yaml", Some("page"));
        check("content/pages/home/page.yaml", Some("page-structure"));
        check("content/forms/lead/form.yaml", Some("form"));
        check("content/blog/en/a.md", Some("post"));
        check("content/blog/en/a/index.md", Some("post"));
        check("content/blog/en/a/b/c.md", None);
        check("README.md", None);
    }

    #[test]
    fn words_know_the_kinds_of_their_sections() {
        let text = "layout: {}\nsections:\n  hero:\n    kind: hero\n  call: {kind: call_to_action, band: ink}\n";
        let expect = [("hero", "hero"), ("call", "call_to_action")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()));
        let source = Source::new("page.yaml".into(), text.into());
        assert_eq!(
            sections(&yaml::parse(&source, 0..text.len()).expect("YAML")),
            expect
        );
    }
}
