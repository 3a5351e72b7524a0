//! Pages with their texts filled in, and the checks that concern one page or one language.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Config;
use crate::content::images::Images;
use crate::content::pages::{Layout, PageFile, Status};
use crate::content::placeholders;
use crate::content::sections::Band;
use crate::problem::{Code, Place, Problem, Problems, Source, Span};
use crate::yaml::Spanned;

use super::case_studies::Filter;
use super::fields::{Field, UsedImage, Walk};

/// One page in one language.
#[derive(Debug)]
pub struct Page {
    /// Ties its translations together.
    pub key: String,
    /// Its language.
    pub locale: String,
    /// Its canonical address.
    pub path: Spanned<String>,
    /// Further addresses.
    pub also_at: Vec<Spanned<String>>,
    /// The whole `<title>`.
    pub title: String,
    /// For search engines.
    pub description: String,
    /// Not for search engines.
    pub noindex: bool,
    /// 200, or the error it stands for.
    pub status: Status,
    /// The path below which a 404 page answers, when that is not the whole locale.
    pub answers_below: Option<Spanned<String>>,
    /// Every fragment it answers to.
    pub anchors: Vec<String>,
    /// The frame around it.
    pub layout: Layout,
    /// What fills it, and so which template it takes.
    pub body: Body,
    /// The way to it from the home page, itself included; empty for pages that say none.
    pub breadcrumb: Vec<Crumb>,
    /// Its sections; pages that are made from one file share them.
    pub sections: Arc<[Section]>,
    /// A section could not be read, so that anchors and headings are unknown.
    pub partial: bool,
    /// Its file.
    pub source: Arc<Source>,
    pub(super) title_span: Span,
    pub(super) description_span: Span,
}

/// What fills a page. Pages are cheap to hold: one that is made from data names it by its position in the [`super::Site`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Its own sections, one after the other.
    Sections,
    /// The sections of the page that lists the case studies, with the list narrowed to one entry of the catalogue.
    Filtered(Filter),
    /// A case study, by its position in `site.case_studies`.
    CaseStudy(usize),
}

/// A step on the way to a page.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Crumb {
    /// Its words.
    pub label: String,
    /// Its address.
    pub path: String,
}

/// A section with its texts filled in.
#[derive(Debug)]
pub struct Section {
    /// Its kind: the name of its template folder.
    pub kind: &'static str,
    /// Its anchor.
    pub id: Option<String>,
    /// Its ground.
    pub band: Band,
    /// Its fields.
    pub fields: Field,
}

/// Ids of the frame around every page.
pub(super) const RESERVED: &[&str] = &["main", "site-menu"];

/// Fills in one page.
pub(super) fn resolve(
    config: &Config,
    file: &PageFile,
    images: &Images,
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> Page {
    let fill = |text: &str| placeholders::fill(text, config);
    let filled = |text: &Spanned<String>| Spanned { value: fill(&text.value), span: text.span };
    let head = &file.head;
    let texts = [&head.path, &head.title, &head.description];
    for text in texts.into_iter().chain(&head.also_at).chain(&head.answers_below) {
        let place = |written: &str| file.source.place(file.source.locate(text.span, written));
        placeholders::check(text, config, &place, problems);
    }
    let mut taken: Vec<String> =
        RESERVED.iter().copied().map(str::to_owned).chain(head.anchors.iter().cloned()).collect();
    for id in file.sections.iter().filter_map(|section| section.id.as_ref()) {
        let why = if taken.contains(&id.value) {
            Some(format!("the id `{}` stands twice on this page, or is the frame's own", id.value))
        } else if id.is_empty() || !id.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) {
            Some(format!("`{}` is not an id: letters, digits and hyphens", id.value))
        } else {
            None
        };
        taken.push(id.value.clone());
        problems.extend(why.map_or_else(Problems::new, |why| {
            Problem::error(Code::InvalidValue, why).at(file.source.place(id.span)).into()
        }));
    }
    let mut walk = Walk { taken, ..Walk::new(config, &file.source, images, used, problems) };
    let sections: Arc<[Section]> = file
        .sections
        .iter()
        .map(|section| Section {
            kind: section.kind,
            id: section.id.as_ref().map(|id| id.value.clone()),
            band: section.band,
            fields: walk.section(section),
        })
        .collect();
    let anchors = walk.taken;
    Page {
        key: file.key.clone(),
        locale: file.locale.clone(),
        path: filled(&file.head.path),
        also_at: file.head.also_at.iter().map(filled).collect(),
        title: fill(&file.head.title.value),
        description: fill(&file.head.description.value),
        noindex: file.head.noindex || file.head.status != Status::Found,
        status: file.head.status,
        answers_below: file.head.answers_below.as_ref().map(filled),
        anchors,
        layout: file.head.layout.clone(),
        body: Body::Sections,
        breadcrumb: Vec::new(),
        sections,
        partial: file.partial,
        source: file.source.clone(),
        title_span: file.head.title.span,
        description_span: file.head.description.span,
    }
}

/// Checks one page after the other, and those of one language against each other.
pub(super) fn check(pages: &[Page], problems: &mut Problems) {
    let mut titles: BTreeMap<(&str, &str), &Page> = BTreeMap::new();
    let mut descriptions: BTreeMap<(&str, &str), &Page> = BTreeMap::new();
    for page in pages {
        let heroes = page.sections.iter().filter(|section| section.kind == "hero").count();
        if heroes != 1 && page.body == Body::Sections && !page.partial {
            let (message, hint) = if heroes == 0 {
                (
                    "the page has no `hero` section, and so no main heading".to_owned(),
                    "add a section `- kind: hero` at the top",
                )
            } else {
                (format!("the page has {heroes} `hero` sections, and so {heroes} main headings"), "keep the first one")
            };
            problems
                .push(Problem::error(Code::HeadingCount, message).at(Place::file(page.source.path.clone())).hint(hint));
        }
        let told = [(&page.title, page.title_span, "title"), (&page.description, page.description_span, "description")];
        for (text, span, what) in told {
            if text.trim().is_empty() {
                problems.push(
                    Problem::error(Code::InvalidValue, format!("the {what} is empty")).at(page.source.place(span)),
                );
            }
        }
        if page.status != Status::Found {
            continue;
        }
        let seen = [
            (titles.insert((&page.locale, &page.title), page), "title", page.title_span),
            (descriptions.insert((&page.locale, &page.description), page), "description", page.description_span),
        ];
        for (other, what, span) in seen {
            let Some(other) = other else { continue };
            let problem = Problem::error(Code::Duplicate, format!("`{}` has the same {what}", other.source.path));
            problems.push(problem.at(page.source.place(span)).hint("say what sets this page apart"));
        }
    }
}
