//! The gallery of the style guide: a page for each section kind and component, below the page that lists them. The
//! sections of such a page are the examples, so links, pictures, anchors and style sheets are handled as on any page.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::SiteSettings;
use content::gallery::{Family, Given, Preview};
use content::sections::SectionRole;
use content::{Content, gallery};
use diagnostics::problem::{Code, Place, Problem, Problems, Span};
use diagnostics::yaml::Spanned;

use super::fields::{Field, UsedImage, Walk};
use super::list::{List, derived_page, fill};
use super::page::{Body, Page, Section};
use super::pages::check_ids;

/// Ids in the template of a gallery page.
const OWN_IDS: [&str; 2] = ["fields", "weight"];

/// The gallery of templates.
#[derive(Debug, Default)]
pub struct Gallery {
    /// Index of the page that lists everything.
    pub list: usize,
    /// Section kinds and components, by family.
    pub parts: Vec<GalleryPart>,
}

/// A section kind or a component, and its page.
#[derive(Debug)]
pub struct GalleryPart {
    /// Its group.
    pub family: Family,
    /// The name of its folder.
    pub name: String,
    /// Its name in words.
    pub title: String,
    /// Its purpose.
    pub meaning: String,
    /// Its fields or macros.
    pub takes: Given,
    /// Examples, in order.
    pub examples: Vec<Example>,
    /// For each example a map with `values` for its template and `live`, the page that shows it.
    pub values: Field,
    /// The folders that its template uses, except its own: `components/action`, `islands/faq`.
    pub made_of: Vec<String>,
    /// URL path of its page.
    pub path: String,
}

/// An example of a section kind or component.
#[derive(Debug)]
pub struct Example {
    /// Its name.
    pub name: String,
    /// Its source code.
    pub code: String,
    /// The source of the variable `values`.
    pub values: Option<String>,
    /// How it is rendered.
    pub shown: Shown,
}

/// How an example is rendered.
#[derive(Debug)]
pub enum Shown {
    /// As a section of the page: its index.
    Section(usize),
    /// With a template: its name.
    Template(String),
    /// Not at all: another page shows it.
    Elsewhere,
}

impl GalleryPart {
    /// Its folder below `templates/`.
    pub fn folder(&self) -> String {
        let group = if self.family == Family::Components {
            "components"
        } else {
            "sections"
        };
        format!("{group}/{}", self.name)
    }
}

/// Resolves the gallery, and generates its pages below the page with the section. If several pages have it, those with
/// `noindex` do not count.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    pages: &[Page],
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> (Gallery, Vec<Page>) {
    let shows = |page: &Page| {
        page.sections
            .iter()
            .any(|section| section.kind.role == SectionRole::Gallery)
    };
    let is_owned = pages.iter().any(|page| shows(page) && !page.noindex);
    let mut listing = (0..pages.len())
        .filter(|index| shows(&pages[*index]) && !(is_owned && pages[*index].noindex));
    let Some(list) = listing.next() else {
        return (Gallery::default(), Vec::new());
    };
    if let Some(other) = listing.next() {
        let message = format!("`{}` already shows the gallery", pages[list].source.path);
        let problem = Problem::error(Code::DuplicateId, message)
            .at(Place::file(pages[other].source.path.clone()));
        problems.push(problem.hint("keep one gallery, and link to it from other pages"));
    }
    let page = &pages[list];
    let Some(section) = page
        .sections
        .iter()
        .position(|section| section.kind.role == SectionRole::Gallery)
    else {
        return (Gallery::default(), Vec::new());
    };
    let own = List::of(content, pages, list, section);
    let mut gallery = Gallery {
        list,
        parts: Vec::new(),
    };
    let mut derived = Vec::new();
    for part in &content.gallery.parts {
        let mut walk = Walk::new(settings, &part.source, &content.images, used, problems);
        walk.taken.extend(OWN_IDS.map(str::to_owned));
        let (part, page) = resolve_part(content, &own, part, gallery.parts.len(), walk);
        gallery.parts.push(part);
        derived.push(page);
    }
    (gallery, derived)
}

fn resolve_part(
    content: &Content,
    list: &List,
    part: &gallery::PartSource,
    index: usize,
    mut walk: Walk,
) -> (GalleryPart, Page) {
    let previews = part
        .examples
        .iter()
        .filter_map(|example| match &example.preview {
            Some(Preview::Section(section)) => Some(section.as_ref()),
            _ => None,
        });
    let sections: Vec<_> = previews.collect();
    let ids = sections.iter().filter_map(|section| section.id.as_ref());
    check_ids(ids, &part.source, &mut walk.taken, walk.problems);
    let sections: Vec<Section> = sections
        .into_iter()
        .map(|section| Section::resolve(section, &mut walk))
        .collect();
    let mut count = 0;
    let (mut examples, mut values) = (Vec::new(), Vec::new());
    for example in &part.examples {
        let live = example
            .live
            .as_ref()
            .map_or(Field::None, |link| walk.tree(link));
        let (shown, own) = match &example.preview {
            Some(Preview::Section(_)) => {
                count += 1;
                (Shown::Section(count - 1), Field::None)
            }
            Some(Preview::Template(name, values)) => {
                (Shown::Template(name.clone()), walk.tree(values))
            }
            None => (Shown::Elsewhere, Field::None),
        };
        values.push(Field::Map(vec![
            ("values".to_owned(), own),
            ("live".to_owned(), live),
        ]));
        examples.push(Example {
            name: example.name.clone(),
            code: example.code.clone(),
            values: example.values.clone(),
            shown,
        });
    }
    let title = in_words(&part.name);
    let address = part.name.replace('_', "-");
    let path = format!("{}{address}/", list.page.path.value);
    let anchors = std::mem::take(&mut walk.taken);
    let plain = part.meaning.replace('`', "");
    let words = list.words.get("page");
    let mut filled = |name: &str| {
        words.and_then(|words| words.get(name)).map(|pattern| {
            fill(pattern, list, walk.problems, |wanted: &str| match wanted {
                "name" => Some(title.clone()),
                "meaning" => Some(plain.clone()),
                _ => None,
            })
        })
    };
    let page = Page {
        title: filled("title").unwrap_or_default(),
        description: filled("description").unwrap_or_default(),
        anchors,
        label: Some(title.clone()),
        body: Body::Gallery(index),
        breadcrumb: Vec::new(),
        sections: sections.into(),
        source: Arc::clone(&part.source),
        title_span: Span::default(),
        description_span: Span::default(),
        ..derived_page(
            list,
            format!("{}/{address}", list.page.key),
            &title,
            Spanned {
                value: path.clone(),
                span: Span::default(),
            },
        )
    };
    let part = GalleryPart {
        family: part.family,
        name: part.name.clone(),
        title,
        meaning: part.meaning.clone(),
        takes: part.takes.clone(),
        examples,
        values: Field::List(values),
        made_of: Vec::new(),
        path,
    };
    let own = part.folder();
    let template = content.templates.html.keys().filter(|name| {
        // All templates of a component count, but not those of its examples.
        name.strip_prefix(&own)
            .is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
    });
    let mut made_of: Vec<String> = template
        .flat_map(|name| content.templates.folders(name))
        .collect();
    made_of.sort();
    made_of.dedup();
    made_of.retain(|folder| *folder != own);
    (GalleryPart { made_of, ..part }, page)
}

/// `call_to_action` → `Call to action`, `faq` → `FAQ`.
fn in_words(name: &str) -> String {
    // Names of up to three letters are abbreviations.
    if name.len() <= 3 {
        return name.to_uppercase();
    }
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
