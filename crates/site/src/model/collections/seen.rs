//! The entries that pages can show. Their images are used; those of the others are neither decoded nor published.
//!
//! Pages show all entries of a collection that has pages or feeds, that a section lists, or that a template names, and the
//! entries to which these or sections refer. In doubt an entry is shown: an image too many costs time, and a page without one is
//! broken.

use std::collections::BTreeMap;

use foldhash::{HashSet, HashSetExt};

use content::Content;
use content::collections::{AUTHORS, SETTINGS};

use super::super::fields::{Field, UsedImage};
use super::super::gallery::Gallery;
use super::super::page::{EntryId, Page};
use super::{Collection, Collections, Text};

/// The images that entries name, by the indices of collection and entry.
pub(in super::super) type EntryPictures = Vec<Vec<BTreeMap<String, UsedImage>>>;

/// Functions of templates that return entries of a collection.
const FUNCTIONS: [&str; 2] = ["entries", "related"];
/// The name in templates of the entry whose page it is. Pages show all others of its collection.
const OWN: &str = "entry";

/// Adds the images of the entries that pages can show.
pub(in super::super) fn use_pictures(
    content: &Content,
    collections: &Collections,
    pages: &[Page],
    gallery: &Gallery,
    pictures: EntryPictures,
    used: &mut BTreeMap<String, UsedImage>,
) {
    if pictures.iter().flatten().all(BTreeMap::is_empty) {
        return;
    }
    let is_open = content
        .templates
        .html
        .values()
        .any(|source| calls_for_any(&source.text));
    let whole: Vec<bool> = collections
        .list
        .iter()
        .map(|collection| is_open || is_shown(content, collection, pages))
        .collect();
    let referred = if whole.contains(&false) {
        Referred::of(collections, pages, gallery, &whole).seen
    } else {
        HashSet::new()
    };
    for (collection, of_entries) in pictures.into_iter().enumerate() {
        for (entry, of_entry) in of_entries.into_iter().enumerate() {
            if !whole[collection] && !referred.contains(&(collection, entry)) {
                continue;
            }
            for (src, image) in of_entry {
                // The first use is that of the first entry.
                used.entry(src)
                    .or_insert_with(|| image.clone())
                    .widths
                    .extend(image.widths);
            }
        }
    }
}

/// Whether pages can show every entry of a collection.
fn is_shown(content: &Content, collection: &Collection, pages: &[Page]) -> bool {
    let schema = collection.schema;
    schema.is_of_posts()
        || [AUTHORS, SETTINGS].contains(&schema.name)
        || schema.feed.is_some()
        || texts(collection).any(|text| text.has_page)
        || content
            .templates
            .html
            .values()
            .any(|source| names(&source.text, schema.name))
        || pages.iter().any(|page| {
            page.sections
                .iter()
                .any(|section| section.lists.as_deref() == Some(schema.name))
        })
}

/// The values of all entries in all languages.
fn texts(collection: &Collection) -> impl Iterator<Item = &Text> {
    collection
        .entries
        .iter()
        .flat_map(|entry| entry.texts.iter().flatten())
}

/// The entries to which sections, filters, and the entries that pages show refer.
struct Referred<'a> {
    collections: &'a Collections,
    /// By the indices of collection and entry.
    seen: HashSet<(usize, usize)>,
    /// Those whose own references are still to be followed.
    open: Vec<EntryId>,
}

impl<'a> Referred<'a> {
    fn of(
        collections: &'a Collections,
        pages: &[Page],
        gallery: &Gallery,
        whole: &[bool],
    ) -> Referred<'a> {
        let mut referred = Referred {
            collections,
            seen: HashSet::new(),
            open: Vec::new(),
        };
        // Pages of a list share their sections.
        let mut known = HashSet::new();
        for page in pages
            .iter()
            .filter(|page| known.insert(page.sections.as_ptr()))
        {
            page.sections
                .iter()
                .for_each(|section| referred.follow(&section.fields));
        }
        gallery
            .parts
            .iter()
            .for_each(|part| referred.follow(&part.values));
        for (collection, _) in collections
            .list
            .iter()
            .zip(whole)
            .filter(|(_, is_whole)| **is_whole)
        {
            texts(collection).for_each(|text| referred.follow(&text.fields));
        }
        for value in collections
            .list
            .iter()
            .flat_map(|collection| collection.filters.iter().flatten().flatten())
        {
            value.entry.into_iter().for_each(|id| referred.add(id));
        }
        while let Some(id) = referred.open.pop() {
            let texts = &collections.list[id.collection].entries[id.entry].texts;
            texts
                .iter()
                .flatten()
                .for_each(|text| referred.follow(&text.fields));
        }
        referred
    }

    fn follow(&mut self, field: &Field) {
        let collections = self.collections;
        field.references(&mut |reference| {
            collections
                .find(&reference.to, &reference.key)
                .into_iter()
                .for_each(|id| self.add(id));
        });
    }

    fn add(&mut self, id: EntryId) {
        if self.seen.insert((id.collection, id.entry)) {
            self.open.push(id);
        }
    }
}

/// Whether a template has a name in quotes.
fn names(template: &str, name: &str) -> bool {
    template.match_indices(name).any(|(at, _)| {
        template[..at].ends_with(['"', '\''])
            && template[at + name.len()..].starts_with(['"', '\''])
    })
}

/// Whether a template asks for entries of a collection that its text does not name.
fn calls_for_any(template: &str) -> bool {
    FUNCTIONS.iter().any(|function| {
        template.match_indices(function).any(|(at, _)| {
            let before = template[..at].chars().next_back();
            let Some(argument) = template[at + function.len()..]
                .trim_start()
                .strip_prefix('(')
            else {
                return false;
            };
            let is_call =
                !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
            let argument = argument.split([',', ')']).next().unwrap_or_default().trim();
            let is_literal = argument.len() > 1
                && argument.starts_with(['"', '\''])
                && argument[1..].find(['"', '\'']) == Some(argument.len() - 2);
            is_call && !is_literal && argument != OWN
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{calls_for_any, names};

    #[test]
    fn a_template_names_collections_or_may_ask_for_any() {
        for (template, is_open) in [
            ("{% for one in entries(\"team\", limit=3) %}", false),
            (
                "{% for one in entries( 'team' ) %}{{ related(entry, by=['x']) }}",
                false,
            ),
            (
                "{% for one in group.entries(1) %} class=\"my-entries (2)\"",
                false,
            ),
            ("{{ entries(section.of) }}", true),
            ("{{ entries(\"te\" ~ \"am\") }}", true),
            ("{{ related(other, by=[\"x\"]) }}", true),
        ] {
            assert_eq!(calls_for_any(template), is_open, "{template}");
        }
        assert!(names("entries('team')", "team") && names("{{ f(\"team\") }}", "team"));
        assert!(!names("<p class=\"team-list\">team</p>", "team"));
    }
}
