//! Resolves the pages that authors write, and runs the checks that concern one page or one locale. The checks also
//! cover pages that are generated from data.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use config::SiteSettings;
use content::images::Images;
use content::origins;
use content::pages::{Assumptions, PageFile, Status};
use content::placeholders;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span};
use diagnostics::text::{direction_override, no_direction_overrides};
use diagnostics::yaml::Spanned;
use schema::types::Date;
use text::rich::LAYOUT_IDS;

use super::blog::Blog;
use super::collections::Collections;
use super::fields::{UsedImage, Walk};
use super::page::{BlogPage, Body, Page, Section};

/// Resolves one page.
pub(super) fn resolve(
    settings: &SiteSettings,
    file: &PageFile,
    images: &Images,
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> Page {
    let fill = |text: &str| placeholders::fill(text, settings);
    let filled = |text: &Spanned<String>| Spanned {
        value: fill(&text.value),
        span: text.span,
    };
    let head = &file.head;
    let texts = [&head.path, &head.title, &head.description];
    for text in texts
        .into_iter()
        .chain(&head.also_at)
        .chain(&head.answers_below)
    {
        placeholders::check(
            text,
            settings,
            &|written: &str| file.source.place(file.source.locate(text.span, written)),
            problems,
        );
    }
    check_assumptions(settings, file, problems);
    let mut taken: Vec<String> = LAYOUT_IDS
        .map(str::to_owned)
        .into_iter()
        .chain(head.anchors.iter().cloned())
        .collect();
    let ids = file
        .sections
        .iter()
        .filter_map(|section| section.id.as_ref());
    check_ids(ids, &file.source, &mut taken, problems);
    let mut walk = Walk {
        taken,
        ..Walk::new(settings, &file.source, images, used, problems)
    };
    let sections: Arc<[Section]> = file
        .sections
        .iter()
        .map(|section| Section::resolve(section, &mut walk))
        .collect();
    let image = head
        .image
        .as_ref()
        .and_then(|image| walk.shared_picture(image));
    let anchors = walk.taken;
    let hidden_anchors = hidden_anchors(settings, file, images);
    let updated = head
        .updated
        .as_ref()
        .and_then(|day| match day_problem(day) {
            None => Some(day.value.clone()),
            Some((message, hint)) => {
                problems.push(
                    Problem::error(Code::InvalidValue, message)
                        .at(file.source.place(day.span))
                        .hint(hint),
                );
                None
            }
        });
    Page {
        key: file.key.clone(),
        locale: file.locale.clone(),
        path: filled(&file.head.path),
        also_at: file.head.also_at.iter().map(filled).collect(),
        number: 1,
        title: origins::marked(
            settings,
            &file.source,
            file.head.title.span,
            fill(&file.head.title.value),
        ),
        description: fill(&file.head.description.value),
        noindex: file.head.noindex || file.head.status != Status::Found,
        status: file.head.status,
        answers_below: file.head.answers_below.as_ref().map(filled),
        anchors,
        hidden_anchors,
        label: file.head.label.as_deref().map(fill),
        image,
        schema: file.head.schema.unwrap_or_default(),
        updated,
        unlinked: file.head.unlinked,
        is_fallback: is_borrowed(file),
        title_lent_by: file
            .lent
            .iter()
            .find(|(name, _)| name == "title")
            .map(|(_, code)| code.clone()),
        html_budget: file.head.html_budget,
        layout: file.head.layout.clone(),
        body: Body::Sections,
        in_text: 0,
        shared: 0,
        breadcrumb: Vec::new(),
        sections,
        partial: file.partial,
        source: file.source.clone(),
        title_span: file.head.title.span,
        description_span: file.head.description.span,
    }
}

/// Warns of a text that describes other settings than those of the site.
fn check_assumptions(settings: &SiteSettings, file: &PageFile, problems: &mut Problems) {
    let Assumptions { captcha, visits } = &file.head.assumes;
    let provider = serde_json::to_value(settings.leads.captcha.provider).unwrap_or_default();
    let provider = provider.as_str().unwrap_or_default();
    // By preset, or by the name that visitors read. Without `visits`, the tag manager still loads a frame.
    let (preset, title) = match (&settings.visits, &settings.tag_manager) {
        (Some(visits), _) => (visits.preset.as_str(), visits.title.as_str()),
        (None, Some(_)) => ("tag_manager", "Google Tag Manager"),
        (None, None) => ("none", "none"),
    };
    for (name, written, set, title) in [
        ("captcha", captcha, provider, provider),
        ("visits", visits, preset, title),
    ] {
        let differs = |written: &str| {
            ![set, title]
                .iter()
                .any(|name| written.eq_ignore_ascii_case(name))
        };
        let Some(written) = written.as_ref().filter(|written| differs(&written.value)) else {
            continue;
        };
        let message = format!(
            "this page was written for `{name}: {}`, but the site uses `{title}`",
            written.value
        );
        let problem =
            Problem::warning(Code::InvalidValue, message).at(file.source.place(written.span));
        problems.push(problem.hint(format!(
            "correct the page's text, then write `{name}: {set}`"
        )));
    }
}

/// The fragments of the sections that are not public now, with the reason: links to them are not dead.
fn hidden_anchors(
    settings: &SiteSettings,
    file: &PageFile,
    images: &Images,
) -> Vec<(String, String)> {
    let mut anchors = Vec::new();
    for (section, absence) in &file.hidden {
        // A mistake in a section that nobody sees isn't a problem yet, and its images are not published.
        let (mut used, mut problems) = (BTreeMap::new(), Problems::new());
        let mut walk = Walk::new(settings, &file.source, images, &mut used, &mut problems);
        Section::resolve(section, &mut walk);
        let ids = section
            .id
            .as_ref()
            .map(|id| id.value.clone())
            .into_iter()
            .chain(walk.taken);
        anchors.extend(ids.map(|id| (id, absence.reason(&settings.timezone))));
    }
    anchors
}

/// Whether no word of a page is in its language.
fn is_borrowed(file: &PageFile) -> bool {
    file.lent.iter().any(|(lent, _)| lent == "title")
        && file.sections.iter().all(|section| section.lent.is_some())
}

/// Checks the ids of sections, and adds them to the ids that are taken on the page.
pub(super) fn check_ids<'a>(
    ids: impl Iterator<Item = &'a Spanned<String>>,
    source: &Source,
    taken: &mut Vec<String>,
    problems: &mut Problems,
) {
    for id in ids {
        let why = if taken.contains(&id.value) {
            Some(format!(
                "the id `{}` is already used on this page or in its layout",
                id.value
            ))
        } else if id.is_empty()
            || !id
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        {
            Some(format!(
                "`{}` is not a valid id: use letters, digits, hyphens and underscores",
                id.value
            ))
        } else {
            None
        };
        taken.push(id.value.clone());
        problems.extend(why.map_or_else(Problems::new, |why| {
            Problem::error(Code::InvalidValue, why)
                .at(source.place(id.span))
                .into()
        }));
    }
}

/// Checks a date. Returns a message and a hint if it is not valid.
fn day_problem(day: &str) -> Option<(String, &'static str)> {
    const HINT: &str = "write the date as `2025-03-31`";
    match Date::parse(day) {
        Some(_) => None,
        None if Date::is_written(day) => Some((format!("the date `{day}` does not exist"), HINT)),
        None => Some((format!("`{day}` is not a date"), HINT)),
    }
}

/// Checks each page, and compares the titles and descriptions of pages in the same locale.
pub(super) fn check(
    pages: &[Page],
    blog: &Blog,
    collections: &Collections,
    problems: &mut Problems,
) {
    let mut titles: HashMap<(&str, &str), &Page> = HashMap::with_capacity(pages.len());
    let mut descriptions: HashMap<(&str, &str), &Page> = HashMap::with_capacity(pages.len());
    for page in pages {
        let heroes = page
            .own_sections()
            .iter()
            .filter(|section| section.kind.main_heading)
            .count();
        if heroes != 1 && page.body == Body::Sections && !page.partial {
            let (message, hint) = if heroes == 0 {
                (
                    "the page has no `hero` section, so it has no main heading".to_owned(),
                    "add a section `- kind: hero` at the top",
                )
            } else {
                (
                    format!(
                        "the page has {heroes} sections with a main heading, such as `hero`, but only one is allowed"
                    ),
                    "keep only the first one",
                )
            };
            problems.push(
                Problem::error(Code::HeadingCount, message)
                    .at(Place::file(page.source.path.clone()))
                    .hint(hint),
            );
        }
        let texts = [
            (&page.title, page.title_span, "title"),
            (&page.description, page.description_span, "description"),
        ];
        for (text, span, what) in texts {
            if text.trim().is_empty() {
                problems.push(
                    Problem::error(Code::InvalidValue, format!("the {what} is empty"))
                        .at(page.source.place(span))
                        .hint(format!("write `{what}: …`")),
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
            (
                titles.insert((&page.locale, &page.title), page),
                "title",
                page.title_span,
            ),
            (
                descriptions.insert((&page.locale, &page.description), page),
                "description",
                page.description_span,
            ),
        ];
        for (other, what, span) in seen {
            let Some(other) = other else { continue };
            let author = author_of(page, blog, collections);
            let other_file = author_of(other, blog, collections).unwrap_or(&other.source);
            let message = format!("`{}` has the same {what}", other_file.path);
            // Duplicates in a CMS must not prevent publishing.
            let is_foreign = [page, other]
                .into_iter()
                .any(|page| blog.is_foreign(page.body));
            let problem = if is_foreign {
                Problem::warning
            } else {
                Problem::error
            }(Code::Duplicate, message);
            problems.push(match author {
                Some(author) => problem
                    .at(Place::file(author.path.clone()))
                    .hint("add to one of the two names what tells them apart"),
                None => problem
                    .at(text_place(page, span))
                    .hint("write one that is unique to this page"),
            });
        }
    }
}

/// The file of the author whose page it is.
fn author_of<'a>(
    page: &Page,
    blog: &Blog,
    collections: &'a Collections,
) -> Option<&'a Arc<Source>> {
    let Body::Blog(BlogPage::Author(at, _)) = page.body else {
        return None;
    };
    let author = &blog.languages.get(&page.locale)?.authors[at];
    let id = blog.author_entry(collections, &author.slug)?;
    let entry = &collections.list[id.collection].entries[id.entry];
    entry.texts.iter().flatten().next().map(|text| &text.source)
}

/// The location of a span in a page's file. Only the file if its text is not in memory, as for posts.
fn text_place(page: &Page, span: Span) -> Place {
    if page.source.text.is_empty() {
        Place::file(page.source.path.clone())
    } else {
        page.source.place(span)
    }
}

#[cfg(test)]
mod tests {
    use super::day_problem;

    fn check(day: &str, message: Option<&str>) {
        assert_eq!(
            day_problem(day).map(|(message, _)| message).as_deref(),
            message
        );
    }

    #[test]
    fn a_date_must_exist() {
        check("2024-02-29", None);
        check("2025-02-29", Some("the date `2025-02-29` does not exist"));
        check("2025-13-01", Some("the date `2025-13-01` does not exist"));
    }

    #[test]
    fn a_date_has_one_format() {
        check("31.3.2025", Some("`31.3.2025` is not a date"));
        check("2025-3-31", Some("`2025-3-31` is not a date"));
    }
}
