//! Checks the words of links in the fields of pages: in Markdown, and in labels of buttons.

use diagnostics::problem::{Problems, Source};
use text::accessibility::{LinkTexts, check_claim};
use text::rich::Target;

use super::fields::Field;
use super::{Body, Site};

/// The kind of section that tells what is done for accessibility.
const STATEMENT: &str = "accessibility_statement";

/// Reports links whose words do not say where they lead. Posts are checked where they are read.
pub(super) fn check(site: &Site, problems: &mut Problems) {
    for page in site.pages.iter().chain(&site.shared) {
        // Pages of a list share their sections with the first one, examples of the gallery are placeholders, and a page that
        // shows the words of another language is checked in that language.
        if page.number > 1
            || page.is_fallback
            || matches!(page.body, Body::Gallery(_) | Body::EntryFilter(_))
        {
            continue;
        }
        let mut texts = LinkTexts::new(&site.locales[site.locale_index(&page.locale)].language);
        // The fields that a site adds to posts are in the files of posts, of which their pages know no text.
        let post = page.body.post().and_then(|index| site.post_entry(index));
        let post = post.and_then(|id| site.collections.text(id, site.locale_index(&page.locale)));
        let source = post.map_or(&page.source, |text| &text.source);
        site.own_fields(page)
            .for_each(|fields| visit(fields, &mut texts, source, problems));
        if page
            .sections
            .iter()
            .any(|section| section.kind.name == STATEMENT)
        {
            problems.extend(
                check_claim(&page.source, 0..page.source.text.len())
                    .map_or_else(Problems::new, Into::into),
            );
        }
    }
}

fn visit(field: &Field, texts: &mut LinkTexts, source: &Source, problems: &mut Problems) {
    match field {
        Field::Rich(rich) => texts.check(rich, source, problems),
        Field::List(items) => items
            .iter()
            .for_each(|item| visit(item, texts, source, problems)),
        Field::Map(entries) => {
            if let (Some(Field::Text(label)), Some(target)) =
                (field.get("label"), field.get("to").and_then(target))
            {
                texts.check_label(label, target, source, problems);
            }
            entries
                .iter()
                .for_each(|(_, field)| visit(field, texts, source, problems));
        }
        _ => {}
    }
}

fn target(field: &Field) -> Option<&Target> {
    match field {
        Field::Link(target) => Some(target),
        _ => None,
    }
}
