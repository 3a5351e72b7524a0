//! The style guide: its sidebar, and the generated fields of its sections.
//!
//! Every value comes from the design tokens, so the guide shows what the site uses. States of a button are classes
//! (`is-hovered`) in the button's own style sheet. The live header is in a frame (`srcdoc`), because its media queries
//! depend on the width of the window, and a second header on the page would repeat its ids. Swatches and contrast
//! samples are SVG with `fill`, because the content security policy forbids inline styles.

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use api_types::islands::props::Swatch;
use assets::graphics::logo_files;
use config::contrast;
use content::pages::FrameKind;
use content::sections::SectionRole;
use site::model::style_guide::SidebarEntry;
use site::model::{Field, Page};
use site::routes::Href;

use super::values::Values;

mod gallery;
mod index;
mod source;

pub(super) use gallery::{GalleryContext, gallery, templates};
pub(super) use source::add as add_filters;

/// A link of the sidebar.
#[derive(Serialize)]
pub(super) struct SidebarLink<'a> {
    label: String,
    link: Href,
    current: bool,
    /// Whether one of the links below is the current page.
    open: bool,
    below: Vec<SidebarLink<'a>>,
    /// Further links below, in groups with headings.
    groups: Vec<gallery::SidebarGroup<'a>>,
}

/// The sidebar of a page; empty in the site's own frame.
pub(super) fn sidebar<'a>(values: &Values<'a>) -> Vec<SidebarLink<'a>> {
    if values.page.layout.frame != FrameKind::StyleGuide {
        return Vec::new();
    }
    values
        .site
        .style_guide
        .sidebar
        .iter()
        .map(|entry| sidebar_link(values, entry))
        .collect()
}

fn sidebar_link<'a>(values: &Values<'a>, entry: &'a SidebarEntry) -> SidebarLink<'a> {
    let link = values.link(&entry.link.target.to);
    let below: Vec<SidebarLink> = entry
        .below
        .iter()
        .map(|entry| sidebar_link(values, entry))
        .collect();
    SidebarLink {
        current: is_page(values.page, values.settings.path_of(&link.href)),
        open: below.iter().any(|link| link.current || link.open),
        label: entry.link.label.text.clone(),
        groups: gallery::sidebar(values, &link),
        link,
        below,
    }
}

/// Whether a path is that of the page, with or without the trailing slash.
fn is_page(page: &Page, path: &str) -> bool {
    path.trim_end_matches('/') == page.path.trim_end_matches('/')
}

/// The generated fields of a section.
pub(super) fn generated(
    values: &Values,
    role: SectionRole,
    fields: &Field,
) -> Vec<(String, Value)> {
    let one = |name: &str, value: Value| vec![(name.to_owned(), value)];
    match role {
        SectionRole::Swatches => one("palette", Value::from(Serde(swatches(values, fields)))),
        SectionRole::Contrasts => one("pairs", Value::from(Serde(pairs(values, fields)))),
        SectionRole::Tokens => one("tokens", Value::from(Serde(tokens(values, fields)))),
        SectionRole::Icons => one("symbols", Value::from(Serde(symbols(values, fields)))),
        SectionRole::Logo => one("plates", Value::from(Serde(plates(values, fields)))),
        SectionRole::Gallery => one("groups", gallery::list(values, fields)),
        SectionRole::Search => one("groups", Value::from(Serde(index::groups(values, fields)))),
        _ => Vec::new(),
    }
}

/// The text of a field; empty if there is none.
fn text<'a>(field: &'a Field, name: &str) -> &'a str {
    match field.get(name) {
        Some(Field::Text(text)) => text,
        _ => "",
    }
}

/// The items of a list.
fn list<'a>(field: &'a Field, name: &str) -> &'a [Field] {
    match field.get(name) {
        Some(Field::List(items)) => items,
        _ => &[],
    }
}

/// The texts of a list.
fn words<'a>(field: &'a Field, name: &str) -> impl Iterator<Item = &'a str> {
    list(field, name).iter().filter_map(|item| match item {
        Field::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// The value of a token. The resolve stage has checked that all names exist.
fn token<'a>(values: &Values<'a>, group: &'a str, name: &str) -> &'a str {
    values
        .manifest
        .styles
        .tokens(group)
        .find(|(token, _)| *token == name)
        .map_or("", |(_, value)| value)
}

fn swatches(values: &Values, fields: &Field) -> Vec<Swatch> {
    let flag = |swatch: &Field, name| matches!(swatch.get(name), Some(Field::Bool(true)));
    list(fields, "swatches")
        .iter()
        .map(|swatch| {
            let name = text(swatch, "color");
            let code = token(values, "color", name);
            let rgb =
                contrast::channels(code).map(|[red, green, blue]| format!("{red} {green} {blue}"));
            Swatch {
                label: text(swatch, "label").to_owned(),
                code: code.to_owned(),
                property: format!("--color-{name}"),
                rgb: rgb.unwrap_or_default(),
                highlighted: flag(swatch, "highlighted"),
                principal: flag(swatch, "principal"),
            }
        })
        .collect()
}

#[derive(Serialize)]
struct PairRow<'a> {
    text: &'a str,
    ground: &'a str,
    text_code: &'a str,
    ground_code: &'a str,
    note: Option<&'a str>,
    ratio: String,
    apca: String,
}

fn pairs<'a>(values: &Values<'a>, fields: &Field) -> Vec<PairRow<'a>> {
    let allowed = text(fields, "show") == "allowed";
    let grounds: Vec<&str> = words(fields, "grounds").collect();
    let pairs = values.site.style_guide.pairs.iter();
    pairs
        .filter(|pair| {
            pair.allowed == allowed
                && (grounds.is_empty() || grounds.contains(&pair.ground.as_str()))
        })
        .map(|pair| PairRow {
            text: &pair.text,
            ground: &pair.ground,
            text_code: token(values, "color", &pair.text),
            ground_code: token(values, "color", &pair.ground),
            note: pair.note.as_deref(),
            // Rounded down: a pair must not look better than it is.
            ratio: format!("{:.1}", (pair.ratio * 10.0).floor() / 10.0),
            apca: format!("{:.0}", pair.apca.abs()),
        })
        .collect()
}

#[derive(Serialize)]
struct TokenRow<'a> {
    name: &'a str,
    property: String,
    value: &'a str,
    /// The value in CSS pixels, if it is a length.
    pixels: Option<f64>,
    used_for: &'a str,
}

fn tokens<'a>(values: &Values<'a>, fields: &'a Field) -> Vec<TokenRow<'a>> {
    let group = text(fields, "group");
    values
        .manifest
        .styles
        .tokens(group)
        .map(|(name, value)| TokenRow {
            name,
            property: format!("--{group}-{name}"),
            value,
            pixels: value
                .strip_suffix("px")
                .and_then(|number| number.parse().ok()),
            used_for: fields.get("uses").map_or("", |uses| text(uses, name)),
        })
        .collect()
}

#[derive(Serialize)]
struct Symbol<'a> {
    name: &'a str,
    linear: Value,
    filled: Value,
}

fn symbols<'a>(values: &Values, fields: &'a Field) -> Vec<Symbol<'a>> {
    let shapes = |name: &str, style| {
        let svg = values.manifest.icons.svg(name, style).unwrap_or_default();
        let inner = svg
            .split_once('>')
            .and_then(|(_, rest)| rest.rsplit_once("</svg>"))
            .map_or("", |(inner, _)| inner);
        Value::from_safe_string(inner.to_owned())
    };
    words(fields, "icons")
        .map(|name| Symbol {
            name,
            linear: shapes(name, assets::IconStyle::Regular),
            filled: shapes(name, assets::IconStyle::Fill),
        })
        .collect()
}

#[derive(Serialize)]
struct Plate<'a> {
    name: &'a str,
    color: &'a str,
    ground: &'a str,
    ground_code: &'a str,
    svg: String,
    png: String,
}

fn plates<'a>(values: &Values<'a>, fields: &'a Field) -> Vec<Plate<'a>> {
    let mark = text(fields, "mark");
    list(fields, "variants")
        .iter()
        .map(|variant| {
            let [svg, png] = logo_files(values.settings, mark, text(variant, "id"));
            Plate {
                name: text(variant, "name"),
                color: text(variant, "color"),
                ground: text(variant, "ground"),
                ground_code: token(values, "color", text(variant, "ground")),
                svg: values.settings.href(&format!("/{svg}")),
                png: values.settings.href(&format!("/{png}")),
            }
        })
        .collect()
}
