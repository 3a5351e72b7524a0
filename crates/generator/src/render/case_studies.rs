//! Template context of case studies: the list with its filters, and the page of one study.

use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::content::sections::SectionRole;
use crate::model::case_studies::page_key;
use crate::model::{Body, CaseStudies, CaseStudy, Field, Filter, FilterKind, Page, Site, fields};
use api_types::html::escape;
use api_types::islands::props::{ActiveFilter, FilterEntry, FilterGroup, Link, Picture, PictureSource, StudyCard};

use super::values::{Values, classes, mark};

/// The maximum number of sectors on a card.
const SECTORS_PER_CARD: usize = 2;
/// The maximum number of technologies among the filters.
const TECHNOLOGIES: usize = 10;
/// The maximum width of a card's picture, in pixels. Larger files would be wasted on it.
const CARD_WIDTH: u32 = 768;

/// The template variable `study` of `templates/pages/case-study.html`.
#[derive(Serialize)]
pub(super) struct StudyContext<'a> {
    title: &'a str,
    client: &'a str,
    /// The study's own texts, with the keys of its file.
    texts: Value,
    services: Vec<Chip>,
    technologies: Vec<Chip>,
    sectors: Vec<Chip>,
    picture: Option<Value>,
    related: Vec<Related<'a>>,
    /// Whether the page says that the study is invented.
    fictional: bool,
    /// The texts that all studies share, from the section that lists the studies.
    page: Value,
}

/// An entry of the catalog, with a link to the list of its studies.
#[derive(Serialize)]
struct Chip {
    name: String,
    count: usize,
    link: crate::routes::Href,
}

#[derive(Serialize)]
struct Related<'a> {
    title: &'a str,
    client: &'a str,
    metric: String,
    metric_label: String,
    link: crate::routes::Href,
}

/// The context of a study's page.
pub(super) fn study<'a>(values: &Values<'a>, index: usize) -> StudyContext<'a> {
    let all = &values.site.case_studies;
    let study = &all.studies[index];
    let chips = |kind: FilterKind| {
        study.entries[kind as usize].iter().map(|entry| chip(values, all, Filter { kind, entry: *entry })).collect()
    };
    let words = all.lists.get(&values.page.locale).and_then(|(page, section)| {
        values.site.pages[*page].sections.get(*section).and_then(|section| section.fields.get("study"))
    });
    StudyContext {
        title: &study.title,
        client: &study.client,
        texts: values.field(&study.fields),
        services: chips(FilterKind::Service),
        technologies: chips(FilterKind::Tech),
        sectors: chips(FilterKind::Sector),
        picture: study.picture.as_ref().map(|picture| values.picture(picture)),
        related: study.related.iter().map(|other| related(values, &all.studies[*other])).collect(),
        fictional: values.settings.case_studies.fictional,
        page: words.map_or_else(|| Value::from(()), |words| values.field(words)),
    }
}

fn chip(values: &Values, all: &CaseStudies, filter: Filter) -> Chip {
    let entry = all.entry(filter);
    Chip { name: entry.name.clone(), count: entry.count, link: values.link(&to_list(filter.kind, &entry.id)) }
}

fn to_list(kind: FilterKind, id: &str) -> String {
    format!("page:{}", page_key(&format!("{}/{id}", kind.name())))
}

fn to_study(study: &CaseStudy) -> String {
    format!("page:{}", page_key(&study.slug))
}

fn related<'a>(values: &Values, study: &'a CaseStudy) -> Related<'a> {
    Related {
        title: &study.title,
        client: &study.client,
        metric: metric(study, "primary"),
        metric_label: metric(study, "primary_label"),
        link: values.link(&to_study(study)),
    }
}

fn metric(study: &CaseStudy, name: &str) -> String {
    match study.fields.get("featured_metrics").and_then(|metrics| metrics.get(name)) {
        Some(Field::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The generated fields of a portfolio: its items, with what they leave out taken from their studies.
pub(super) fn portfolio(values: &Values, fields: &Field) -> Vec<(String, Value)> {
    let Some(Field::List(items)) = fields.get("items") else { return Vec::new() };
    vec![("items".to_owned(), items.iter().map(|item| portfolio_item(values, item)).collect::<Vec<_>>().into())]
}

/// The study that an item of a portfolio names.
fn named_study<'a>(site: &'a Site, item: &Field) -> Option<&'a CaseStudy> {
    let Some(Field::Text(slug)) = item.get("study") else { return None };
    site.case_studies.studies.iter().find(|study| study.slug == *slug)
}

fn portfolio_item(values: &Values, item: &Field) -> Value {
    let of_study = named_study(values.site, item).into_iter().flat_map(|study| {
        let text = format!("<p>{}</p>", escape(&study.short_description));
        [
            ("client", Value::from(study.client.as_str())),
            ("title", Value::from(study.title.as_str())),
            ("text", Value::from_safe_string(text)),
            ("metric", Value::from(metric(study, "primary"))),
            ("metric_label", Value::from(metric(study, "primary_label"))),
            ("image", study.picture.as_ref().map_or_else(|| Value::from(()), |picture| values.picture(picture))),
            ("to", Value::from(Serde(values.link(&to_study(study))))),
        ]
    });
    let mut shown: BTreeMap<String, Value> = of_study.map(|(key, value)| (key.to_owned(), value)).collect();
    if let Field::Map(entries) = item {
        for (key, field) in entries {
            if !matches!(field, Field::None) || !shown.contains_key(key) {
                shown.insert(key.clone(), values.field(field));
            }
        }
    }
    Value::from(shown)
}

/// The props of the island `case-explorer`, without its interface texts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explorer {
    list: Link,
    groups: Vec<FilterGroup>,
    filter: Option<ActiveFilter>,
    studies: Vec<StudyCard>,
}

/// The generated fields of the section that lists studies.
pub(super) fn list(values: &Values) -> Vec<(String, Value)> {
    let all = &values.site.case_studies;
    let filter = match values.page.body {
        Body::Filtered(filter) => Some(filter),
        Body::Sections
        | Body::CaseStudy(_)
        | Body::Blog(_)
        | Body::Gallery(_)
        | Body::Entry(_)
        | Body::EntryFilter(_) => None,
    };
    let passes =
        |study: &&CaseStudy| filter.is_none_or(|filter| study.entries[filter.kind as usize].contains(&filter.entry));
    let list = all.lists.get(&values.page.locale).map(|(page, _)| values.settings.href(&values.site.pages[*page].path));
    let explorer = Explorer {
        list: Link { href: list.unwrap_or_default(), external: false, hreflang: None },
        groups: FilterKind::ALL.map(|kind| group(values, all, kind)).into(),
        filter: filter.map(|filter| ActiveFilter { kind: filter.kind.name().into(), id: all.entry(filter).id.clone() }),
        studies: all.studies.iter().filter(passes).map(|study| card(values, all, study)).collect(),
    };
    let announced = all.announced.iter().filter(|_| filter.is_none()).map(|announced| {
        let picture = values.picture(&announced.picture);
        Value::from(BTreeMap::from([("title", Value::from(announced.title.as_str())), ("picture", picture)]))
    });
    vec![
        ("explorer".to_owned(), Value::from(Serde(explorer))),
        ("announced_work".to_owned(), announced.collect::<Vec<_>>().into()),
    ]
}

fn group(values: &Values, all: &CaseStudies, kind: FilterKind) -> FilterGroup {
    let limit = if kind == FilterKind::Tech { TECHNOLOGIES } else { usize::MAX };
    let entries = all.filters[kind as usize].iter().take(limit).map(|entry| FilterEntry {
        id: entry.id.clone(),
        name: entry.name.clone(),
        count: u32::try_from(entry.count).unwrap_or(u32::MAX),
        link: link(values, &to_list(kind, &entry.id)),
    });
    FilterGroup { kind: kind.name().to_owned(), entries: entries.collect() }
}

fn link(values: &Values, to: &str) -> Link {
    let href = values.link(to);
    Link { href: href.href, external: href.external, hreflang: href.hreflang }
}

fn card(values: &Values, all: &CaseStudies, study: &CaseStudy) -> StudyCard {
    let entries = |kind: FilterKind| {
        study.entries[kind as usize].iter().map(move |entry| all.entry(Filter { kind, entry: *entry }))
    };
    StudyCard {
        title: study.title.clone(),
        client: study.client.clone(),
        description: study.short_description.clone(),
        metric: metric(study, "primary"),
        metric_label: metric(study, "primary_label"),
        ids: FilterKind::ALL.into_iter().flat_map(entries).map(|entry| entry.id.clone()).collect(),
        sectors: entries(FilterKind::Sector).take(SECTORS_PER_CARD).map(|entry| entry.name.clone()).collect(),
        link: link(values, &to_study(study)),
        picture: study.picture.as_ref().map(|picture| thumbnail(values, picture)),
    }
}

/// A picture in the widths that a card can use.
fn thumbnail(values: &Values, picture: &fields::Picture) -> Picture {
    let file = values.site.images.get(&picture.src).map(|image| &image.file);
    let prepared = values.manifest.images.get(&picture.src).cloned().unwrap_or_default();
    let is_small = |part: &&str| {
        let width = part.rsplit_once(' ').and_then(|(_, width)| width.strip_suffix('w')?.parse::<u32>().ok());
        width.is_none_or(|width| width <= CARD_WIDTH)
    };
    let source = |(mime, srcset): (&str, String)| PictureSource {
        mime: mime.to_owned(),
        srcset: srcset.split(", ").filter(is_small).collect::<Vec<_>>().join(", "),
    };
    Picture {
        src: prepared.src + &mark(picture),
        alt: picture.alt.clone(),
        width: file.map_or(0, |file| file.width),
        height: file.map_or(0, |file| file.height),
        classes: classes(prepared.tint.as_deref(), picture.focus),
        sources: prepared.sources.into_iter().map(source).filter(|source| !source.srcset.is_empty()).collect(),
    }
}

/// The pictures of case studies on a page, in addition to those of its own fields.
pub(super) fn pictures<'a>(site: &'a Site, page: &Page) -> impl Iterator<Item = &'a fields::Picture> {
    let all = &site.case_studies;
    let is_list = page.sections.iter().any(|section| section.kind.role == SectionRole::CaseStudyList);
    let own = match page.body {
        Body::CaseStudy(index) => Some(&all.studies[index]),
        Body::Sections
        | Body::Filtered(_)
        | Body::Blog(_)
        | Body::Gallery(_)
        | Body::Entry(_)
        | Body::EntryFilter(_) => None,
    };
    let portfolios = page.sections.iter().filter(|section| section.kind.role == SectionRole::Portfolio);
    let items = portfolios.filter_map(|section| match section.fields.get("items") {
        Some(Field::List(items)) => Some(items),
        _ => None,
    });
    // An item with a picture of its own does not show that of its study.
    let inherits = |item: &&Field| matches!(item.get("image"), None | Some(Field::None));
    let shown = items.flatten().filter(inherits).filter_map(|item| named_study(site, item));
    let studies = all.studies.iter().filter(move |_| is_list).chain(own).chain(shown);
    studies
        .filter_map(|study| study.picture.as_ref())
        .chain(all.announced.iter().filter(move |_| is_list).map(|announced| &announced.picture))
}
