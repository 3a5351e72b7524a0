//! Template context of the gallery: the list of its parts, and for the page of one part its fields, its examples and
//! the sizes of its style sheets.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use assets::Manifest;
use content::gallery::{Family, FieldRow, Given, Macro};
use content::sections::SectionRole;
use site::model::gallery::{GalleryPart, Shown};
use site::model::{Body, Field, Page, Site};
use site::routes::Href;

use super::super::values::Values;
use super::SidebarLink;

/// The template variable `gallery` of `templates/pages/style-guide-gallery.html`.
#[derive(Serialize)]
pub(crate) struct GalleryContext<'a> {
    name: &'a str,
    title: &'a str,
    family: Family,
    meaning: &'a str,
    fields: &'a [FieldRow],
    macros: &'a [Macro],
    examples: Vec<ExampleContext<'a>>,
    sheets: Vec<Sheet<'a>>,
    total: Option<SheetWeight>,
}

#[derive(Serialize)]
struct ExampleContext<'a> {
    name: &'a str,
    code: &'a str,
    /// The index of its section among those of the page.
    section: Option<usize>,
    template: Option<&'a str>,
    values: Value,
    written: Option<&'a str>,
    live: Option<Href>,
}

/// A style sheet that the part needs: its own, or that of a component in it.
#[derive(Serialize)]
struct Sheet<'a> {
    folder: &'a str,
    title: &'a str,
    /// Its page in the gallery; `None` for the part itself.
    link: Option<Href>,
    weight: Option<SheetWeight>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct SheetWeight {
    bytes: usize,
    compressed: usize,
    /// Whether every page loads it anyway.
    shared: bool,
}

/// The context of a part's page.
pub(crate) fn gallery<'a>(values: &Values<'a>) -> Option<GalleryContext<'a>> {
    let Body::Gallery(index) = values.page.body else {
        return None;
    };
    let part = &values.site.gallery.parts[index];
    let made_of = part.made_of.iter().map(|folder| {
        let other = values
            .site
            .gallery
            .parts
            .iter()
            .find(|other| other.folder() == *folder);
        let title = other.map_or_else(
            || folder.rsplit('/').next().unwrap_or(folder),
            |other| other.title.as_str(),
        );
        Sheet {
            folder,
            title,
            link: other.map(|part| address(values, part)),
            weight: None,
        }
    });
    let own = Sheet {
        folder: "",
        title: &part.title,
        link: None,
        weight: None,
    };
    let (fields, macros): (&[FieldRow], &[Macro]) = match &part.takes {
        Given::Fields(rows) => (rows, &[]),
        Given::Macros(macros) => (&[], macros),
    };
    Some(GalleryContext {
        name: &part.name,
        title: &part.title,
        family: part.family,
        meaning: &part.meaning,
        fields,
        macros,
        examples: examples(values, part),
        sheets: std::iter::once(own).chain(made_of).collect(),
        total: None,
    })
}

fn examples<'a>(values: &Values, part: &'a GalleryPart) -> Vec<ExampleContext<'a>> {
    let given: &[Field] = if let Field::List(given) = &part.values {
        given
    } else {
        &[]
    };
    let examples = part
        .examples
        .iter()
        .zip(given)
        .map(|(example, given)| ExampleContext {
            name: &example.name,
            code: &example.code,
            section: if let Shown::Section(at) = example.shown {
                Some(at)
            } else {
                None
            },
            template: if let Shown::Template(name) = &example.shown {
                Some(name)
            } else {
                None
            },
            values: given
                .get("values")
                .map_or_else(|| Value::from(()), |given| values.field(given)),
            written: example.values.as_deref(),
            live: match given.get("live") {
                Some(Field::Link(target)) => Some(values.link(&target.to)),
                _ => None,
            },
        });
    examples.collect()
}

fn address(values: &Values, part: &GalleryPart) -> Href {
    Href {
        href: values.settings.href(&part.path),
        external: false,
        hreflang: None,
    }
}

impl GalleryContext<'_> {
    /// Measures the style sheets of a page that is rendered. The results need not be part of the fingerprint: it contains the
    /// names of the sheets, which contain hashes of their content.
    pub(crate) fn measure_sheets(&mut self, site: &Site, page: &Page, manifest: &Manifest) {
        let Body::Gallery(index) = page.body else {
            return;
        };
        let own = site.gallery.parts[index].folder();
        let mut total = SheetWeight::default();
        for sheet in &mut self.sheets {
            let folder = if sheet.folder.is_empty() {
                own.as_str()
            } else {
                sheet.folder
            };
            let Some((css, shared)) = manifest.styles.sheet(folder) else {
                continue;
            };
            let weight = SheetWeight {
                bytes: css.len(),
                compressed: manifest.compressed(css.as_bytes()),
                shared,
            };
            if !shared {
                total.bytes += weight.bytes;
                total.compressed += weight.compressed;
            }
            sheet.weight = Some(weight);
        }
        self.sheets.retain(|sheet| sheet.weight.is_some());
        self.total = (self
            .sheets
            .iter()
            .filter(|sheet| sheet.weight.is_some_and(|weight| !weight.shared))
            .count()
            > 1)
        .then_some(total);
    }
}

/// The templates of the examples of a component.
pub(crate) fn templates<'a>(site: &'a Site, page: &Page) -> impl Iterator<Item = &'a str> {
    let part = if let Body::Gallery(index) = page.body {
        Some(&site.gallery.parts[index])
    } else {
        None
    };
    let shown = part
        .into_iter()
        .flat_map(|part| &part.examples)
        .map(|example| &example.shown);
    shown.filter_map(|shown| {
        if let Shown::Template(name) = shown {
            Some(name.as_str())
        } else {
            None
        }
    })
}

/// A group of the gallery in the sidebar, while a page of it is open.
#[derive(Serialize)]
pub(super) struct SidebarGroup<'a> {
    title: &'a str,
    below: Vec<SidebarLink<'a>>,
}

/// The groups in the sidebar below the link to the gallery.
pub(super) fn sidebar<'a>(values: &Values<'a>, link: &Href) -> Vec<SidebarGroup<'a>> {
    let gallery = &values.site.gallery;
    let list = &values.site.pages[gallery.list];
    if !matches!(values.page.body, Body::Gallery(_))
        || list.path.value != values.settings.path_of(&link.href)
    {
        return Vec::new();
    }
    let Some(section) = list
        .sections
        .iter()
        .find(|section| section.kind.role == SectionRole::Gallery)
    else {
        return Vec::new();
    };
    let group = |family| SidebarGroup {
        title: section
            .fields
            .get(key(family))
            .map_or("", |head| super::text(head, "title")),
        below: parts(values, family)
            .map(|part| sidebar_link(values, part))
            .collect(),
    };
    Family::ALL
        .into_iter()
        .map(group)
        .filter(|group| !group.below.is_empty())
        .collect()
}

fn sidebar_link<'a>(values: &Values, part: &GalleryPart) -> SidebarLink<'a> {
    SidebarLink {
        label: part.title.clone(),
        link: address(values, part),
        current: part.path == values.page.path.value,
        open: false,
        below: Vec::new(),
        groups: Vec::new(),
    }
}

fn parts<'a>(
    values: &Values<'a>,
    family: Family,
) -> impl Iterator<Item = &'a GalleryPart> + use<'a> {
    values
        .site
        .gallery
        .parts
        .iter()
        .filter(move |part| part.family == family)
}

/// The field of the section that holds the head of a group.
fn key(family: Family) -> &'static str {
    match family {
        Family::Sections => "sections",
        Family::Guide => "guide",
        Family::Components => "components",
    }
}

#[derive(Serialize)]
struct Group<'a> {
    title: &'a str,
    text: Value,
    parts: Vec<PartLink<'a>>,
}

#[derive(Serialize)]
struct PartLink<'a> {
    title: &'a str,
    meaning: &'a str,
    link: Href,
}

/// The list of all parts, in their groups.
pub(super) fn list<'a>(values: &Values<'a>, fields: &'a Field) -> Value {
    let group = |family: Family| {
        let head = fields.get(key(family));
        Group {
            title: head.map_or("", |head| super::text(head, "title")),
            text: head
                .and_then(|head| head.get("text"))
                .map_or_else(|| Value::from(()), |text| values.field(text)),
            parts: parts(values, family)
                .map(|part| PartLink {
                    title: &part.title,
                    meaning: &part.meaning,
                    link: address(values, part),
                })
                .collect(),
        }
    };
    let groups: Vec<Group> = Family::ALL
        .into_iter()
        .map(group)
        .filter(|group| !group.parts.is_empty())
        .collect();
    Value::from(Serde(groups))
}
