//! The search index of the guide: every page of the guide, every section with an anchor, and every value in it. It is
//! part of the page, because a few hundred entries cost less than another request.

use api_types::islands::props::{GuideEntry, GuideGroup};
use content::pages::{FrameKind, Status};
use content::sections::SectionRole;
use diagnostics::marks::without;
use site::model::{Field, Page, Section};

use super::super::values::Values;
use super::{list, text, tokens, words};

/// The pages and sections of the guide with their values, in the order of the sidebar.
pub(super) fn groups(values: &Values, fields: &Field) -> Vec<GuideGroup> {
    let mut pages: Vec<&Page> = Vec::new();
    for entry in &values.site.style_guide.sidebar {
        entry.links(&mut |target| {
            let href = values.link(&target.to).href;
            let path = values.settings.path_of(&href);
            pages.extend(
                values
                    .site
                    .pages
                    .iter()
                    .find(|page| page.path.value == path && is_listed(values, page)),
            );
        });
    }
    let synonyms = synonyms(fields);
    let mut groups = Vec::new();
    for page in pages {
        let name = page.name(&values.settings.product.name);
        // The title of a page may end with the name of the guide.
        let name = name.split(" · ").next().unwrap_or(name);
        let head = GuideEntry(page.description.clone(), String::new(), String::new());
        let href = values.settings.href(&page.path);
        groups.push(GuideGroup {
            title: name.into(),
            page: None,
            href: href.clone(),
            entries: vec![head],
        });
        for section in page.sections.iter() {
            let Some(id) = &section.id else { continue };
            groups.push(GuideGroup {
                title: text(&section.fields, "title").to_owned(),
                page: Some(name.to_owned()),
                href: format!("{href}#{id}"),
                entries: entries(values, section),
            });
        }
        if page.path.value == values.site.pages[values.site.gallery.list].path.value {
            groups.extend(values.site.gallery.parts.iter().map(|part| GuideGroup {
                title: part.title.clone(),
                page: None,
                href: values.settings.href(&part.path),
                entries: vec![GuideEntry(
                    part.meaning.replace('`', ""),
                    String::new(),
                    String::new(),
                )],
            }));
        }
    }
    for group in &mut groups {
        let place = format!(
            "{} {}",
            group.title,
            group.page.as_deref().unwrap_or_default()
        );
        for entry in &mut group.entries {
            let known = without(&format!("{place} {} {}", entry.0, entry.1)).to_lowercase();
            let found = synonyms
                .iter()
                .filter(|(_, means)| means.iter().any(|word| known.contains(word)));
            entry.2 = found.map(|(word, _)| *word).collect::<Vec<_>>().join(" ");
        }
    }
    groups
}

/// Whether a page is part of the guide in this language. The search page itself is left out.
fn is_listed(values: &Values, page: &Page) -> bool {
    page.layout.frame == FrameKind::StyleGuide
        && page.status == Status::Found
        && page.locale == values.page.locale
        && page.path.value != values.page.path.value
}

/// Each synonym, with the terms that it stands for in lower case.
fn synonyms(fields: &Field) -> Vec<(&str, Vec<String>)> {
    let Some(Field::Map(map)) = fields.get("synonyms") else {
        return Vec::new();
    };
    let means = |field: &Field| match field {
        Field::List(items) => items
            .iter()
            .filter_map(|item| match item {
                Field::Text(text) => Some(without(text).to_lowercase()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    map.iter()
        .map(|(word, field)| (word.as_str(), means(field)))
        .collect()
}

fn entries(values: &Values, section: &Section) -> Vec<GuideEntry> {
    let entry =
        |name: &str, value: &str| GuideEntry(name.to_owned(), value.to_owned(), String::new());
    let fields = &section.fields;
    let named = |items: &str| {
        list(fields, items)
            .iter()
            .map(|item| entry(text(item, "name"), ""))
            .collect()
    };
    match section.kind.role {
        SectionRole::Swatches => list(fields, "swatches")
            .iter()
            .map(|swatch| {
                entry(
                    text(swatch, "label"),
                    &format!("{} --color-{}", text(swatch, "code"), text(swatch, "color")),
                )
            })
            .collect(),
        SectionRole::Tokens => tokens(values, fields)
            .iter()
            .map(|token| {
                entry(
                    token.name,
                    &format!("{} {} {}", token.property, token.value, token.used_for),
                )
            })
            .collect(),
        SectionRole::Weights => words(fields, "weights")
            .map(|weight| entry(weight, text(fields, "font")))
            .collect(),
        SectionRole::Icons => words(fields, "icons").map(|name| entry(name, "")).collect(),
        SectionRole::Logo => named("variants"),
        SectionRole::Figures => named("items"),
        SectionRole::Variants => named("rows"),
        _ => Vec::new(),
    }
}
