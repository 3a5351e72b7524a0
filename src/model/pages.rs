//! Pages with their texts filled in, and the checks that concern one page or one language.
//!
//! Every page of the site is a [`Page`] with an address, a title, a description and anchors. Its [`Body`] says what
//! fills it, its own sections or data, and so which template it takes. Pages made from data (posts, case studies,
//! filtered lists, the gallery) are in `Site::pages` like all others, so addresses, alternates, link checks, the
//! sitemap and budgets need no second way. Those that show the sections of another page share them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::config::Config;
use crate::content::images::Images;
use crate::content::pages::{Layout, PageFile, Schema, Status};
use crate::content::placeholders;
use crate::content::sections::{self, Band};
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::text::{direction_override, no_direction_overrides};
use diagnostics::yaml::Spanned;

use super::blog::{Blog, BlogPage};
use super::case_studies::Filter;
use super::fields::{Field, Picture, UsedImage, Walk};

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
    /// Its short name, if its file gives one.
    pub label: Option<String>,
    /// The picture that stands for it where it is shared, if its file gives one.
    pub image: Option<Picture>,
    /// What it is about.
    pub schema: Spanned<Schema>,
    /// The day of its last change, `2025-03-31`, if its file gives one.
    pub updated: Option<String>,
    /// No page needs to link to it.
    pub unlinked: bool,
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
    /// The sections of the page that lists the case studies, with the list narrowed to one entry of the catalog.
    Filtered(Filter),
    /// A case study, by its position in `site.case_studies`.
    CaseStudy(usize),
    /// A page of the blog of the page's language.
    Blog(BlogPage),
    /// A section kind or a component with its examples, by its position in `site.gallery`.
    Gallery(usize),
}

/// A step on the way to a page.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Crumb {
    /// Its words.
    pub label: String,
    /// Its address.
    pub path: String,
}

impl Page {
    /// Its title without the product's name at either end: `Services · Product` → `Services`.
    pub fn name(&self, product: &str) -> &str {
        let separator = |c: char| c.is_whitespace() || matches!(c, '·' | '|' | '-' | '–' | '—' | ':');
        let title = self.title.trim();
        let after = title.strip_suffix(product).filter(|rest| rest.ends_with(separator));
        let before = title.strip_prefix(product).filter(|rest| rest.starts_with(separator));
        let name = after.or(before).map(|rest| rest.trim_matches(separator));
        name.filter(|rest| !rest.is_empty()).unwrap_or(title)
    }
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

impl Section {
    pub(super) fn filled(section: &sections::Section, walk: &mut Walk) -> Section {
        Section {
            kind: section.kind,
            id: section.id.as_ref().map(|id| id.value.clone()),
            band: section.band,
            fields: walk.section(section),
        }
    }
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
    let ids = file.sections.iter().filter_map(|section| section.id.as_ref());
    check_ids(ids, &file.source, &mut taken, problems);
    let mut walk = Walk { taken, ..Walk::new(config, &file.source, images, used, problems) };
    let sections: Arc<[Section]> = file.sections.iter().map(|section| Section::filled(section, &mut walk)).collect();
    let image = head.image.as_ref().and_then(|image| walk.shared_picture(image));
    let anchors = walk.taken;
    let updated = head.updated.as_ref().and_then(|day| match day_problem(day) {
        None => Some(day.value.clone()),
        Some((message, hint)) => {
            problems.push(Problem::error(Code::InvalidValue, message).at(file.source.place(day.span)).hint(hint));
            None
        }
    });
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
        label: file.head.label.as_deref().map(fill),
        image,
        schema: file.head.schema.unwrap_or_default(),
        updated,
        unlinked: file.head.unlinked,
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

/// Adds the ids of sections to those that a page has.
pub(super) fn check_ids<'a>(
    ids: impl Iterator<Item = &'a Spanned<String>>,
    source: &Source,
    taken: &mut Vec<String>,
    problems: &mut Problems,
) {
    for id in ids {
        let why = if taken.contains(&id.value) {
            Some(format!("the id `{}` stands twice on this page, or is the frame's own", id.value))
        } else if id.is_empty() || !id.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')) {
            Some(format!("`{}` is not an id: letters, digits and hyphens", id.value))
        } else {
            None
        };
        taken.push(id.value.clone());
        problems.extend(why.map_or_else(Problems::new, |why| {
            Problem::error(Code::InvalidValue, why).at(source.place(id.span)).into()
        }));
    }
}

/// What is wrong with a day, and how to write it.
fn day_problem(day: &str) -> Option<(String, &'static str)> {
    const HINT: &str = "write the day as `2025-03-31`";
    let parts: Vec<u32> = day.split('-').filter_map(|part| part.parse().ok()).collect();
    let is_written = day.len() == 10 && day.bytes().enumerate().all(|(at, byte)| (byte == b'-') == matches!(at, 4 | 7));
    let &[year, month, number] = parts.as_slice() else {
        return Some((format!("`{day}` is not a day"), HINT));
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    match () {
        () if !is_written => Some((format!("`{day}` is not a day"), HINT)),
        () if !(1..=days).contains(&number) => Some((format!("the calendar has no `{day}`"), HINT)),
        () => None,
    }
}

/// Checks one page after the other, and those of one language against each other.
pub(super) fn check(pages: &[Page], blog: &Blog, problems: &mut Problems) {
    let mut titles: HashMap<(&str, &str), &Page> = HashMap::new();
    let mut descriptions: HashMap<(&str, &str), &Page> = HashMap::new();
    for page in pages {
        let heroes = page
            .sections
            .iter()
            .filter(|section| matches!(section.kind, "hero" | "guide_head" | "blog" | "lead_form"))
            .count();
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
        let texts =
            [(&page.title, page.title_span, "title"), (&page.description, page.description_span, "description")];
        for (text, span, what) in texts {
            if text.trim().is_empty() {
                problems.push(
                    Problem::error(Code::InvalidValue, format!("the {what} is empty")).at(page.source.place(span)),
                );
            }
        }
        if let Some((_, c)) = direction_override(&page.title) {
            problems.push(no_direction_overrides(c).at(text_place(page, page.title_span)));
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
            let message = format!("`{}` has the same {what}", other.source.path);
            // What a CMS says twice must not keep the site from being published.
            let is_foreign = [page, other].into_iter().any(|page| blog.is_foreign(page.body));
            let problem = if is_foreign { Problem::warning } else { Problem::error }(Code::Duplicate, message);
            problems.push(problem.at(text_place(page, span)).hint("say what sets this page apart"));
        }
    }
}

/// The bytes of a page's text; the file alone when its text is not kept, as that of a post is not.
fn text_place(page: &Page, span: Span) -> Place {
    if page.source.text.is_empty() { Place::file(page.source.path.clone()) } else { page.source.place(span) }
}

#[cfg(test)]
mod tests {
    use super::day_problem;

    fn check(day: &str, message: Option<&str>) {
        assert_eq!(day_problem(day).map(|(message, _)| message).as_deref(), message);
    }

    #[test]
    fn a_day_is_of_the_calendar() {
        check("2024-02-29", None);
        check("2025-02-29", Some("the calendar has no `2025-02-29`"));
        check("2025-13-01", Some("the calendar has no `2025-13-01`"));
    }

    #[test]
    fn a_day_is_written_in_one_way() {
        check("31.3.2025", Some("`31.3.2025` is not a day"));
        check("2025-3-31", Some("`2025-3-31` is not a day"));
    }
}
