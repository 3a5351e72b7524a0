//! The style guide: the kinds of section that show the design itself, and the sidebar of `content/style-guide/sidebar.yaml`.
//!
//! A section names tokens, and their values come from `content/design.yaml`. Where it also writes a value, because readers
//! of the file want to see one, the two are compared, so that the guide cannot say what the site does not do.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::content_types::{Action, Image, Link, Markdown};
use crate::files;
use diagnostics::problem::{Code, Problem, Problems, Source};
use diagnostics::yaml::{self, Spanned};

use super::design::Design;
use super::pages::PageFile;
use super::sections::{Band, Body};

const SIDEBAR: &str = "content/style-guide/sidebar.yaml";

/// The links beside every page of the guide, and their file; none for a site without a guide.
#[derive(Debug, Clone, Default)]
pub struct Sidebar {
    /// From the first to the last.
    pub links: Vec<SidebarLink>,
    /// The file.
    pub source: Option<Arc<Source>>,
}

/// A link of the sidebar.
#[derive(Debug, Clone, Deserialize)]
pub struct SidebarLink {
    /// Its words.
    pub name: String,
    /// Where it leads.
    pub path: Link,
    /// What lies below it.
    #[serde(default)]
    pub links: Vec<SidebarLink>,
}

/// A name that templates receive as text, and that problems find in the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Name(pub Spanned<String>);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.value)
    }
}

/// The top of a page of the guide, dense where a hero is loud.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideHead {
    /// The main heading of the page.
    title: String,
    /// What is shown here.
    lead: Option<Markdown>,
    /// What to do next; the first one is the loud one.
    #[serde(default)]
    actions: Vec<Action>,
    /// A drawing beside the words.
    figure: Option<Image>,
}

/// Colors, each with its name and its values to copy.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideSwatches {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// From the lightest to the darkest.
    swatches: Vec<Swatch>,
}

/// A color of the palette.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Swatch {
    /// The token: `signal` for `--color-signal`.
    color: Name,
    /// What the color is called here.
    label: String,
    /// Its value, for readers of the file; it must be the token’s.
    code: Name,
    /// It is shown twice as wide.
    #[serde(default)]
    highlighted: bool,
    /// The color that the palette is named for.
    #[serde(default)]
    principal: bool,
}

/// Pairs of text and ground as `content/design.yaml` declares them, with their contrast.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideContrast {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Which of the pairs in `content/design.yaml`.
    show: PairKind,
    /// Only pairs on these grounds.
    #[serde(default)]
    on: Vec<Name>,
}

/// Which pairs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PairKind {
    /// Those that carry text.
    Allowed,
    /// Those that must not.
    Forbidden,
}

/// The tokens of a group, drawn to scale where that says more than a number.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideTokens {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// A group of `content/design.yaml`, such as `space`.
    group: Name,
    /// How a token is drawn.
    #[serde(default)]
    draw: TokenDrawing,
    /// What a token is for, by its name.
    #[serde(default)]
    uses: BTreeMap<String, String>,
}

/// How a token is drawn.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenDrawing {
    /// As its value alone.
    #[default]
    Value,
    /// A bar as long as it.
    Length,
    /// Words set in it.
    Size,
    /// A box with corners of it.
    Corner,
}

/// A typeface in its weights, and a line to type into.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideType {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The token of the typeface, such as `display`.
    font: Name,
    /// What is set until somebody types.
    sample: String,
    /// From the boldest to the lightest.
    weights: Vec<u16>,
}

/// Icons of the set, linear and filled.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideIcons {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Names of the icon set.
    icons: Vec<Name>,
}

/// Every section kind and every component, each with a page of its own below the page that has this section.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideGallery {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The head of the sections of the site's own pages.
    sections: GalleryGroup,
    /// The head of the sections that show the design itself.
    guide: GalleryGroup,
    /// The head of what sections are made of.
    components: GalleryGroup,
    /// Title and description of the page of each, from `{name}` and `{meaning}`.
    page: GalleryPage,
}

/// The head of a group of the gallery.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GalleryGroup {
    /// Its heading.
    title: String,
    /// A sentence or two.
    text: Option<Markdown>,
}

/// The head of a page of the gallery.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GalleryPage {
    /// The whole `<title>`.
    title: String,
    /// For search engines.
    description: String,
}

/// Pictures on plates, with what they show or mean.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideFigures {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The plates, in rows.
    items: Vec<GuideFigure>,
}

/// One plate.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideFigure {
    /// What it shows.
    name: String,
    /// What it means, or when to use it.
    text: Option<Markdown>,
    /// The ground of the plate.
    band: Band,
    /// The picture on the plate.
    figure: Option<Image>,
    /// Words that stand on the plate.
    words: Option<String>,
    /// The plate is as wide as the page.
    #[serde(default)]
    wide: bool,
}

/// Versions of the logo or of the isotype, to look at and to take away.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideLogo {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// What is drawn.
    mark: Mark,
    /// One for each color.
    variants: Vec<LogoVariant>,
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Sign and name.
    Logo,
    /// The sign alone.
    Isotype,
}

/// A version in one color.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LogoVariant {
    /// Ends the names of its files.
    id: String,
    /// What the version is called.
    name: String,
    /// The token of its color.
    color: Name,
    /// What it is shown on; its files have no ground.
    on: Name,
}

/// What to do, and what not.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideDoDont {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// What to do.
    #[serde(rename = "do")]
    right: Vec<Markdown>,
    /// What not to do.
    #[serde(rename = "dont")]
    wrong: Vec<Markdown>,
}

/// A component in its variants and states, drawn with the component itself.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideVariants {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The ground that the variants stand on.
    #[serde(default = "white")]
    ground: Band,
    /// From left to right.
    columns: Vec<Column>,
    /// One for each variant.
    rows: Vec<Variant>,
}

fn white() -> Band {
    Band::White
}

/// A column of a table: the key of what stands in it, and how it is set.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Column {
    /// What stands in the column.
    key: ColumnKey,
    /// Its words.
    header: String,
    /// How wide it is.
    #[serde(default)]
    width: ColumnWidth,
    /// Where its content stands.
    #[serde(default)]
    alignment: Alignment,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKey {
    /// The variant's name.
    Variant,
    /// At rest.
    Default,
    /// Under a pointer.
    Hovered,
    /// Not to be used now.
    Disable,
    /// Being pressed.
    Clicked,
}

/// How wide a column is.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnWidth {
    /// As its content asks.
    #[default]
    Auto,
    /// No wider than it must be.
    Narrow,
}

/// Where a column's content stands.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Alignment {
    /// Where lines begin.
    #[default]
    Start,
    /// In the middle.
    Center,
}

/// A variant of the button.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Variant {
    /// The button itself.
    variant: ButtonVariant,
    /// What it is called.
    name: String,
    /// The words on the button.
    label: String,
    /// When to use it.
    use_for: Option<Markdown>,
}

/// The button's variants, as its template names them.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ButtonVariant {
    /// The loud one.
    Primary,
    /// The one beside it.
    Secondary,
    /// In running text.
    Link,
}

/// The header as it is drawn, and below it the header itself.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideNavigation {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The window in which the header stands.
    view: View,
    /// The header as it is drawn.
    figure: Image,
    /// What the drawing does not say.
    caption: Option<Markdown>,
    /// What the live component is called.
    live: String,
}

/// The window in which a component is shown.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// A wide one.
    Desktop,
    /// A phone.
    Mobile,
}

/// Everything that the guide shows, to be searched.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideSearch {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Words that readers type, and what they mean by them in the guide.
    #[serde(default)]
    synonyms: BTreeMap<String, Vec<String>>,
}

/// Reads the sidebar.
pub(super) fn load(root: &Path) -> (Sidebar, Problems) {
    let mut problems = Problems::new();
    let path = root.join(SIDEBAR);
    if !path.exists() {
        return (Sidebar::default(), problems);
    }
    let read = files::read_text(root, &path)
        .and_then(|source| yaml::parse(&source, 0..source.text.len()).map(|node| (source, node)));
    match read {
        Ok((source, node)) => {
            let links = yaml::read(&source, &node, &mut problems).unwrap_or_default();
            (Sidebar { links, source: Some(source) }, problems)
        }
        Err(problem) => (Sidebar::default(), problem.into()),
    }
}

/// The icons that the guide shows, each with its file.
pub fn icons(pages: &[PageFile]) -> impl Iterator<Item = (&Source, &Spanned<String>)> {
    bodies(pages)
        .filter_map(|(source, body)| match body {
            Body::GuideIcons(section) => Some((source, section)),
            _ => None,
        })
        .flat_map(|(source, section)| section.icons.iter().map(move |name| (source, &name.0)))
}

/// The colors that the guide shows as such.
pub fn colors(pages: &[PageFile]) -> impl Iterator<Item = &str> {
    bodies(pages)
        .filter_map(|(_, body)| match body {
            Body::GuideSwatches(section) => Some(&section.swatches),
            _ => None,
        })
        .flatten()
        .map(|swatch| swatch.color.0.value.as_str())
}

fn bodies(pages: &[PageFile]) -> impl Iterator<Item = (&Source, &Body)> {
    pages.iter().flat_map(|page| page.sections.iter().map(|section| (&*page.source, &section.body)))
}

/// Compares what the guide says with the tokens.
pub fn check(pages: &[PageFile], design: &Design) -> Problems {
    let mut problems = Problems::new();
    for (source, body) in bodies(pages) {
        let mut known = |group: &str, name: &Name| {
            if let Some(problem) = design.unknown(group, &name.0) {
                problems.push(problem.at(source.place(name.0.span)));
            }
        };
        match body {
            Body::GuideSwatches(section) => {
                section.swatches.iter().for_each(|swatch| known("color", &swatch.color));
                for swatch in &section.swatches {
                    if let Some(problem) = drift(swatch, design) {
                        problems.push(problem.at(source.place(swatch.code.0.span)));
                    }
                }
            }
            Body::GuideContrast(section) => section.on.iter().for_each(|name| known("color", name)),
            Body::GuideType(section) => known("font", &section.font),
            Body::GuideLogo(section) => {
                for variant in &section.variants {
                    known("color", &variant.color);
                    known("color", &variant.on);
                }
            }
            Body::GuideTokens(section) => {
                let group = &section.group.0;
                if design.group(group).next().is_none() && !design.broken {
                    let problem = Problem::error(Code::UnknownToken, format!("there are no tokens `{}`", group.value));
                    problems.push(problem.at(source.place(group.span)));
                }
                for name in section.uses.keys().filter(|_| !design.broken) {
                    if let Some(problem) = design.unknown(group, name) {
                        problems.push(problem.at(source.place(source.locate(whole(source), &format!("{name}:")))));
                    }
                }
            }
            _ => {}
        }
    }
    problems
}

fn whole(source: &Source) -> diagnostics::problem::Span {
    diagnostics::problem::Span::new(0, source.text.len())
}

/// A swatch whose code is not its token's.
fn drift(swatch: &Swatch, design: &Design) -> Option<Problem> {
    let (token, code) = (design.value("color", &swatch.color.0)?, &swatch.code.0.value);
    (!token.eq_ignore_ascii_case(code)).then(|| {
        let message = format!("the swatch says {code}, and the token `{}` is {token}", swatch.color.0.value);
        Problem::error(Code::TokenDrift, message)
            .hint(format!("write `code: \"{token}\"`, or change the token in `content/design.yaml`"))
    })
}
