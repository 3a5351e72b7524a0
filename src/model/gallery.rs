//! The gallery of the style guide: a page for each section kind and each component, below the page that lists them.
//! The sections of such a page are the examples themselves, so that links, pictures, anchors and style sheets are looked
//! after as those of any page.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Config;
use crate::content::gallery::{Family, Given, LIST, Preview};
use crate::content::{Content, gallery};
use diagnostics::problem::{Code, Place, Problem, Problems, Span};
use diagnostics::yaml::Spanned;

use super::fields::{Field, UsedImage, Walk};
use super::list::{List, fill, made};
use super::pages::{Body, Page, Section, check_ids};

/// Ids that a page of the gallery gives itself.
const OWN_IDS: [&str; 2] = ["fields", "weight"];

/// What the style guide shows of the templates.
#[derive(Debug, Default)]
pub struct Gallery {
    /// The page that lists everything, by its position.
    pub list: usize,
    /// Everything that has a page, family by family.
    pub parts: Vec<GalleryPart>,
}

/// A section kind or a component, and its page.
#[derive(Debug)]
pub struct GalleryPart {
    /// What it is.
    pub family: Family,
    /// The name of its folder.
    pub name: String,
    /// The same in words.
    pub title: String,
    /// What it is for.
    pub meaning: String,
    /// What an author gives it.
    pub takes: Given,
    /// What is shown, in order.
    pub examples: Vec<Example>,
    /// For each example a block: `values` of its template, and `live`, the page that shows it.
    pub values: Field,
    /// The folders of what its template is made of, itself aside: `components/action`, `islands/faq`.
    pub made_of: Vec<String>,
    /// The address of its page.
    pub path: String,
}

/// A part as it can be used.
#[derive(Debug)]
pub struct Example {
    /// What sets it apart.
    pub name: String,
    /// What an author writes.
    pub code: String,
    /// What a template calls `values`, as it is written.
    pub values: Option<String>,
    /// What is drawn.
    pub shown: Shown,
}

/// What is drawn for an example.
#[derive(Debug)]
pub enum Shown {
    /// A section of the page, by its position.
    Section(usize),
    /// A template, by its name.
    Template(String),
    /// Nothing: another page shows it.
    Elsewhere,
}

impl GalleryPart {
    /// Its folder below `templates/`.
    pub fn folder(&self) -> String {
        let group = if self.family == Family::Components { "components" } else { "sections" };
        format!("{group}/{}", self.name)
    }
}

/// The gallery, and its pages. They belong to one page, and a trial page that search engines shall not list gives way.
pub(super) fn resolve(
    config: &Config,
    content: &Content,
    pages: &[Page],
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> (Gallery, Vec<Page>) {
    let shows = |page: &Page| page.sections.iter().any(|section| section.kind == LIST);
    let is_owned = pages.iter().any(|page| shows(page) && !page.noindex);
    let mut listing = (0..pages.len()).filter(|index| shows(&pages[*index]) && !(is_owned && pages[*index].noindex));
    let Some(list) = listing.next() else { return (Gallery::default(), Vec::new()) };
    if let Some(other) = listing.next() {
        let message = format!("`{}` shows the gallery already", pages[list].source.path);
        let problem = Problem::error(Code::DuplicateId, message).at(Place::file(pages[other].source.path.clone()));
        problems.push(problem.hint("one page of the site shows it: all others link to it"));
    }
    let page = &pages[list];
    let Some(section) = page.sections.iter().find(|section| section.kind == LIST) else {
        return (Gallery::default(), Vec::new());
    };
    let own = List { page, words: &section.fields };
    let mut gallery = Gallery { list, parts: Vec::new() };
    let mut made = Vec::new();
    for part in &content.gallery.parts {
        let mut walk = Walk::new(config, &part.source, &content.images, used, problems);
        walk.taken.extend(OWN_IDS.map(str::to_owned));
        let (part, page) = resolve_part(content, &own, part, gallery.parts.len(), walk);
        gallery.parts.push(part);
        made.push(page);
    }
    (gallery, made)
}

fn resolve_part(
    content: &Content,
    list: &List,
    part: &gallery::PartSource,
    index: usize,
    mut walk: Walk,
) -> (GalleryPart, Page) {
    let previews = part.examples.iter().filter_map(|example| match &example.preview {
        Some(Preview::Section(section)) => Some(section.as_ref()),
        _ => None,
    });
    let sections: Vec<_> = previews.collect();
    let ids = sections.iter().filter_map(|section| section.id.as_ref());
    check_ids(ids, &part.source, &mut walk.taken, walk.problems);
    let sections: Vec<Section> = sections.into_iter().map(|section| Section::filled(section, &mut walk)).collect();
    let mut count = 0;
    let (mut examples, mut values) = (Vec::new(), Vec::new());
    for example in &part.examples {
        let live = example.live.as_ref().map_or(Field::None, |link| walk.tree(link));
        let (shown, own) = match &example.preview {
            Some(Preview::Section(_)) => {
                count += 1;
                (Shown::Section(count - 1), Field::None)
            }
            Some(Preview::Template(name, values)) => (Shown::Template(name.clone()), walk.tree(values)),
            None => (Shown::Elsewhere, Field::None),
        };
        values.push(Field::Map(vec![("values".to_owned(), own), ("live".to_owned(), live)]));
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
        let value = |wanted: &str| match wanted {
            "name" => Some(title.clone()),
            "meaning" => Some(plain.clone()),
            _ => None,
        };
        words.and_then(|words| words.get(name)).map(|pattern| fill(pattern, list, walk.problems, value))
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
        ..made(
            content,
            list,
            format!("{}/{address}", list.page.key),
            title.clone(),
            Spanned { value: path.clone(), span: Span::default() },
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
        // Of a component with several templates all count, and none of its examples.
        name.strip_prefix(&own).is_some_and(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
    });
    let mut made_of: Vec<String> = template.flat_map(|name| content.templates.folders(name)).collect();
    made_of.sort();
    made_of.dedup();
    made_of.retain(|folder| *folder != own);
    (GalleryPart { made_of, ..part }, page)
}

/// `call_to_action` → `Call to action`, `faq` → `FAQ`.
fn in_words(name: &str) -> String {
    // So short a name is an abbreviation.
    if name.len() <= 3 {
        return name.to_uppercase();
    }
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
