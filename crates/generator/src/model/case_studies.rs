//! Resolves case studies: fills in texts, checks references, counts the entries of the catalog, finds related
//! studies, and generates pages.
//!
//! Each study and each entry of the catalog has a page in every locale with a list. Filters are pages, so that search
//! engines can index them, visitors can share them, and they work without script.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::SiteSettings;
use crate::content::case_studies::{Catalog, CatalogEntry, Study, StudyFile};
use crate::content::images::ENDINGS;
use crate::content::sections::SectionRole;
use crate::content::{BrokenPage, Content};
use crate::content_types::Date;
use crate::parallel;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::Spanned;

use super::fields::{Field, Picture, UsedImage, Walk};
use super::list::{List, derived_page, fill, lists};
use super::page::{Body, Filter, FilterKind, Page};

/// Widths of pictures of studies, in CSS pixels.
const WIDTHS: &[u32] = &[480, 768, 1600];
/// Number of related studies of a study.
const RELATED: usize = 3;

/// All studies and their filters.
#[derive(Debug, Default)]
pub struct CaseStudies {
    /// Studies, sorted by featured first, newest first, then by slug.
    pub studies: Vec<CaseStudy>,
    /// Entries of the catalog by [`FilterKind`], in display order.
    pub filters: [Vec<FilterOption>; 3],
    /// Projects without a study yet.
    pub announced: Vec<Announced>,
    /// By locale, the indices of the list page and of its list section.
    pub lists: BTreeMap<String, (usize, usize)>,
}

/// One study.
#[derive(Debug)]
pub struct CaseStudy {
    /// Its slug in URLs.
    pub slug: String,
    /// The project in a few words.
    pub title: String,
    /// The client.
    pub client: String,
    /// One or two sentences.
    pub short_description: String,
    /// Date of publication.
    pub published: Date,
    /// Indices of its catalog entries, by [`FilterKind`].
    pub entries: [Vec<usize>; 3],
    /// Indices of related studies, the most similar first.
    pub related: Vec<usize>,
    /// Its picture.
    pub picture: Option<Picture>,
    /// Its field tree, for its template.
    pub fields: Field,
    anchors: Vec<String>,
    is_featured: bool,
    source: Arc<Source>,
    title_span: Span,
    description_span: Span,
    slug_span: Span,
}

/// One entry of the catalog.
#[derive(Debug)]
pub struct FilterOption {
    /// Its id in URLs.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Number of studies that have it.
    pub count: usize,
    span: Span,
}

/// A project that has a picture, and no study yet.
#[derive(Debug)]
pub struct Announced {
    /// The project in a few words.
    pub title: String,
    /// Its picture.
    pub picture: Picture,
}

impl CaseStudies {
    /// The entry of a filter.
    pub fn entry(&self, filter: Filter) -> &FilterOption {
        &self.filters[filter.kind as usize][filter.entry]
    }
}

/// The key of the page of a study, or of a filtered list (`service/seo`).
pub fn page_key(name: &str) -> String {
    format!("case-studies/{name}")
}

/// Resolves all studies and the catalog.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> CaseStudies {
    let files = &content.case_studies;
    let (catalog, catalog_source) = match &files.catalog {
        Some((catalog, source)) => (catalog.clone(), Arc::clone(source)),
        None => (Catalog::default(), Arc::new(Source { path: String::new(), text: String::new() })),
    };
    let lists = [&catalog.services, &catalog.technologies, &catalog.sectors];
    let mut slugs: BTreeMap<String, Place> = BTreeMap::new();
    let mut walk = Walk::new(settings, &catalog_source, &content.images, used, problems);
    walk.widths = WIDTHS;
    let mut filters = lists.map(|entries| filter_entries(entries, &mut walk));
    let default_picture = catalog.default_image.as_ref().and_then(|image| walk.picture(image));
    let announced = catalog.announced.iter().filter_map(|announced| {
        let src = picture_file(content, &announced.slug);
        if src.is_none() {
            let message = format!("there is no picture `case-studies/{}` in `content/images/`", announced.slug.value);
            let place = walk.source.place(announced.slug.span);
            walk.problems.push(Problem::error(Code::MissingImage, message).at(place));
        }
        let (alt, focus) = (walk.text(&announced.image_alt), announced.image_focus);
        let picture = Picture { src: src?, alt, focus, mark: walk.mark(announced.slug.span) };
        let source = walk.source;
        walk.use_picture(&picture.src, || source.place(announced.slug.span));
        Some(Announced { title: walk.text(&announced.title), picture })
    });
    let announced: Vec<Announced> = announced.collect();
    let mut studies = Vec::new();
    for file in &files.studies {
        let Some(study) = &file.study else { continue };
        let slug = study.slug.clone().unwrap_or_else(|| Spanned { value: file.id.clone(), span: study.title.0.span });
        let place = file.source.place(slug.span);
        let other = slugs.get(&slug.value);
        let is_taken = other.is_some();
        if let Some(other) = other {
            let message = format!("another study has the slug `{}`", slug.value);
            let problem = Problem::error(Code::DuplicateId, message).at(place);
            problems.push(problem.hint(format!("`{}` has it; give one of the two another `slug`", other.path)));
        } else {
            slugs.insert(slug.value.clone(), place);
        }
        let named = [&study.services, &study.technologies, &study.sectors];
        let entries = [0, 1, 2].map(|kind| {
            if files.catalog.is_none() { Vec::new() } else { positions(file, named[kind], &filters[kind], problems) }
        });
        for (kind, positions) in entries.iter().enumerate() {
            positions.iter().for_each(|position| filters[kind][*position].count += 1);
        }
        let mut walk = Walk::new(settings, &file.source, &content.images, used, problems);
        walk.widths = WIDTHS;
        // Resolve it even if its slug is taken, to report other problems.
        let study = fill_in(&mut walk, content, study, file, slug, entries, default_picture.as_ref());
        studies.extend((!is_taken).then_some(study));
    }
    studies.sort_by(|a, b| {
        let order = |study: &CaseStudy| (Reverse(study.is_featured), Reverse(study.published));
        order(a).cmp(&order(b)).then_with(|| a.slug.cmp(&b.slug))
    });
    let indices: Vec<usize> = (0..studies.len()).collect();
    let related = parallel::map(&indices, |index| related_to(&studies, &filters, *index));
    studies.iter_mut().zip(related).for_each(|(study, related)| study.related = related);
    CaseStudies { studies, filters, announced, lists: BTreeMap::new() }
}

fn filter_entries(entries: &[CatalogEntry], walk: &mut Walk) -> Vec<FilterOption> {
    let mut found: Vec<FilterOption> = Vec::new();
    for entry in entries {
        if found.iter().any(|other| other.id == entry.id.value) {
            let message = format!("the id `{}` is listed twice", entry.id.value);
            walk.problems.push(Problem::error(Code::DuplicateId, message).at(walk.source.place(entry.id.span)));
            continue;
        }
        let (id, name) = (entry.id.value.clone(), walk.text(&entry.name));
        found.push(FilterOption { id, name, count: 0, span: entry.id.span });
    }
    found
}

/// The indices of catalog entries by the ids in a study. Reports unknown and duplicate ids.
fn positions(
    file: &StudyFile,
    ids: &[Spanned<String>],
    entries: &[FilterOption],
    problems: &mut Problems,
) -> Vec<usize> {
    let mut positions = Vec::new();
    for id in ids {
        let place = || file.source.place(id.span);
        match entries.iter().position(|entry| entry.id == id.value) {
            Some(position) if positions.contains(&position) => {
                let problem = Problem::error(Code::DuplicateId, format!("`{}` is listed twice", id.value));
                problems.push(problem.at(place()));
            }
            Some(position) => positions.push(position),
            None => {
                let message = format!("`content/case-studies.yaml` has no entry `{}` here", id.value);
                let near = did_you_mean(&id.value, entries.iter().map(|entry| entry.id.as_str()));
                problems.push(Problem::error(Code::UnknownId, message).at(place()).maybe_hint(near));
            }
        }
    }
    positions
}

fn fill_in(
    walk: &mut Walk,
    content: &Content,
    study: &Study,
    file: &StudyFile,
    slug: Spanned<String>,
    entries: [Vec<usize>; 3],
    default_picture: Option<&Picture>,
) -> CaseStudy {
    let fields = walk.tree(study);
    let alt = study.image_alt.as_ref();
    let problem = match (picture_file(content, &slug), alt) {
        (Some(_), None) => Some((
            Code::MissingAlt,
            file.source.place(slug.span),
            "the study has a picture without alternative text".to_owned(),
            "add `image_alt: …`",
        )),
        (None, Some(alt)) => Some((
            Code::MissingImage,
            file.source.place(alt.span),
            format!("there is no picture `case-studies/{}` in `content/images/`", slug.value),
            "add the picture, or remove `image_alt`: the catalog's default picture has its own",
        )),
        _ => None,
    };
    if let Some((code, place, message, hint)) = problem {
        walk.problems.push(Problem::error(code, message).at(place).hint(hint));
    }
    let picture = picture_file(content, &slug).map(|src| {
        walk.use_picture(&src, || file.source.place(slug.span));
        let mark = walk.mark(alt.map_or(slug.span, |alt| alt.span));
        Picture { src, alt: alt.map(|alt| walk.text(alt)).unwrap_or_default(), focus: study.image_focus, mark }
    });
    let [title, short_description] = [&study.title, &study.short_description].map(|text| walk.label(&text.0));
    CaseStudy {
        title,
        short_description,
        client: walk.text(&study.client),
        published: study.publish_date.value,
        entries,
        related: Vec::new(),
        picture: picture.or_else(|| default_picture.cloned()),
        fields,
        anchors: std::mem::take(&mut walk.taken),
        is_featured: study.featured,
        source: Arc::clone(&file.source),
        title_span: study.title.0.span,
        description_span: study.short_description.0.span,
        slug_span: slug.span,
        slug: slug.value,
    }
}

/// The key of the picture with a slug: its path below `content/images/`.
fn picture_file(content: &Content, slug: &str) -> Option<String> {
    ENDINGS.iter().find_map(|ending| content.images.find(None, &format!("case-studies/{slug}.{ending}")))
}

/// The studies that share most services, technologies and sectors with one. Ties are sorted newest first, then by slug.
fn related_to(studies: &[CaseStudy], filters: &[Vec<FilterOption>; 3], index: usize) -> Vec<usize> {
    let own = &studies[index];
    // A lookup table of the study's entries, to compare with each other study in linear time.
    let has: [Vec<bool>; 3] = [0, 1, 2].map(|kind| {
        let mut table = vec![false; filters[kind].len()];
        own.entries[kind].iter().for_each(|entry| table[*entry] = true);
        table
    });
    let shared = |other: &CaseStudy| -> usize {
        (0..3).map(|kind| other.entries[kind].iter().filter(|entry| has[kind][**entry]).count()).sum()
    };
    let mut others: Vec<(Reverse<usize>, Reverse<Date>, &str, usize)> = studies
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != index)
        .map(|(at, other)| (Reverse(shared(other)), Reverse(other.published), other.slug.as_str(), at))
        .collect();
    others.sort_unstable();
    others.into_iter().take(RELATED).map(|(.., at)| at).collect()
}

/// Generates the pages of studies and filters in each locale with a list page. Also returns the pages of studies that
/// could not be read.
pub(super) fn pages(
    content: &Content,
    studies: &mut CaseStudies,
    pages: &[Page],
    problems: &mut Problems,
) -> (Vec<Page>, Vec<BrokenPage>) {
    studies.lists = lists(pages, SectionRole::CaseStudyList, "case studies", problems);
    let lists: Vec<List> = studies.lists.values().map(|place| List::of(content, pages, *place)).collect();
    if let (true, Some(study)) = (lists.is_empty(), studies.studies.first()) {
        let is_known = content.broken_pages.is_empty() && pages.iter().all(|page| !page.partial);
        let problem = Problem::warning(Code::UnexpectedFile, "no page lists the case studies, so none is published");
        let problem = problem.at(Place::file(study.source.path.clone()));
        problems.extend(if is_known {
            problem.hint("add a section `- kind: case_studies` to the page that lists them").into()
        } else {
            Problems::new()
        });
    }
    let (mut derived, mut broken) = (Vec::new(), Vec::new());
    for list in &lists {
        derived.extend((0..studies.studies.len()).filter_map(|index| study_page(studies, index, list, problems)));
        for kind in FilterKind::ALL {
            let entries = 0..studies.filters[kind as usize].len();
            derived.extend(
                entries.filter_map(|entry| filtered_page(content, studies, Filter { kind, entry }, list, problems)),
            );
        }
        let unread = content.case_studies.studies.iter().filter(|file| file.study.is_none());
        broken.extend(unread.map(|file| BrokenPage {
            key: page_key(&file.id),
            locale: list.page.locale.clone(),
            paths: vec![format!("{}{}/", list.page.path.value, file.id)],
        }));
    }
    (derived, broken)
}

fn study_page(studies: &CaseStudies, index: usize, list: &List, problems: &mut Problems) -> Option<Page> {
    let study = &studies.studies[index];
    let pattern = list.words.get("study")?.get("title")?;
    let title = fill(pattern, list, problems, |name| match name {
        "client" => Some(study.client.clone()),
        "title" => Some(study.title.clone()),
        _ => None,
    });
    let path = Spanned { value: format!("{}{}/", list.page.path.value, study.slug), span: study.slug_span };
    Some(Page {
        title,
        description: study.short_description.clone(),
        anchors: study.anchors.clone(),
        label: Some(study.client.clone()),
        image: study.picture.clone(),
        body: Body::CaseStudy(index),
        sections: Arc::new([]),
        source: Arc::clone(&study.source),
        title_span: study.title_span,
        description_span: study.description_span,
        ..derived_page(list, page_key(&study.slug), &study.client, path)
    })
}

fn filtered_page(
    content: &Content,
    studies: &CaseStudies,
    filter: Filter,
    list: &List,
    problems: &mut Problems,
) -> Option<Page> {
    let entry = studies.entry(filter);
    let name = format!("{}/{}", filter.kind.name(), entry.id);
    let words = list.words.get("filtered")?.get(filter.kind.name())?;
    let value = |key: &str| (key == "name").then(|| entry.name.clone());
    let (_, source) = content.case_studies.catalog.as_ref()?;
    let path = Spanned { value: format!("{}{name}/", list.page.path.value), span: entry.span };
    Some(Page {
        title: fill(words.get("title")?, list, problems, value),
        description: fill(words.get("description")?, list, problems, value),
        anchors: list.page.anchors.clone(),
        body: Body::Filtered(filter),
        sections: Arc::clone(&list.page.sections),
        source: Arc::clone(source),
        ..derived_page(list, page_key(&name), &entry.name, path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(slug: &str, date: &str, entries: [&[usize]; 3]) -> CaseStudy {
        CaseStudy {
            slug: slug.into(),
            title: String::new(),
            client: String::new(),
            short_description: String::new(),
            published: Date::parse(date).expect("a day"),
            entries: entries.map(<[usize]>::to_vec),
            related: Vec::new(),
            picture: None,
            fields: Field::None,
            anchors: Vec::new(),
            is_featured: false,
            source: Arc::new(Source { path: String::new(), text: String::new() }),
            title_span: Span::default(),
            description_span: Span::default(),
            slug_span: Span::default(),
        }
    }

    fn check(others: &[CaseStudy], expect: &[usize]) {
        let entry = || FilterOption { id: String::new(), name: String::new(), count: 0, span: Span::default() };
        let filters = [0, 1, 2].map(|_| (0..4).map(|_| entry()).collect());
        assert_eq!(related_to(others, &filters, 0), expect);
    }

    #[test]
    fn related_studies_share_most_entries() {
        check(
            &[
                study("own", "2024-01-01", [&[0, 1], &[0], &[0]]),
                study("none", "2025-01-01", [&[2], &[2], &[2]]),
                study("all", "2020-01-01", [&[0, 1], &[0], &[0]]),
                study("some", "2021-01-01", [&[0], &[3], &[0]]),
                study("one", "2021-01-01", [&[0], &[3], &[3]]),
            ],
            &[2, 3, 4],
        );
    }

    #[test]
    fn ties_are_sorted_by_date_then_by_slug() {
        check(
            &[
                study("own", "2024-01-01", [&[0], &[], &[]]),
                study("b", "2021-01-01", [&[0], &[], &[]]),
                study("a", "2021-01-01", [&[0], &[], &[]]),
                study("old", "2020-01-01", [&[0], &[], &[]]),
                study("new", "2024-05-05", [&[0], &[], &[]]),
            ],
            &[4, 2, 1],
        );
    }
}
