//! The section kinds of the style guide, `guide_*`, one struct each.
//!
//! They refer to design tokens by name; `content/style_guide.rs` checks the names.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use diagnostics::yaml::Spanned;
use schema::types::{Action, Image, Markdown};

use super::kind::Band;

/// A name with its span. It serializes as text.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Name(pub Spanned<String>);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.value)
    }
}

/// The top of a page of the guide, more compact than a hero.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideHead {
    /// The main heading of the page.
    title: String,
    /// The content of the page.
    lead: Option<Markdown>,
    /// The next steps for the visitor; the first one is the primary button.
    #[serde(default)]
    actions: Vec<Action>,
    /// A drawing beside the text.
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
    pub(in crate::content) swatches: Vec<Swatch>,
}

/// A color of the palette.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Swatch {
    /// The token: `signal` for `--color-signal`.
    pub(in crate::content) color: Name,
    /// Display name of the color.
    label: String,
    /// It is shown twice as wide.
    #[serde(default)]
    highlighted: bool,
    /// The main color of the palette.
    #[serde(default)]
    principal: bool,
}

/// Pairs of text and background colors from `content/design.yaml`, with their contrast.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideContrast {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Which pairs are shown.
    show: PairKind,
    /// Only pairs with these backgrounds.
    #[serde(default)]
    pub(in crate::content) grounds: Vec<Name>,
}

/// Which pairs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PairKind {
    /// Pairs that may be used for text.
    Allowed,
    /// Pairs that must not be used.
    Forbidden,
}

/// The tokens of a group, optionally drawn to scale.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideTokens {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// A group of `content/design.yaml`, such as `space`.
    pub(in crate::content) group: Name,
    /// How a token is drawn.
    #[serde(default)]
    draw: TokenDrawing,
    /// Purposes of tokens, by name.
    #[serde(default)]
    pub(in crate::content) uses: BTreeMap<String, String>,
}

/// How a token is drawn.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenDrawing {
    /// Its value only.
    #[default]
    Value,
    /// A bar of that length.
    Length,
    /// Text of that size.
    Size,
    /// A box with that corner radius.
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
    pub(in crate::content) font: Name,
    /// The initial text.
    sample: String,
    /// From the boldest to the lightest.
    #[serde(serialize_with = "as_texts")]
    weights: Vec<u16>,
}

/// Weights are names for the island that shows them, as in `font-weight: 400`.
fn as_texts<S: Serializer>(weights: &[u16], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(weights.iter().map(u16::to_string))
}

/// Icons of the set, linear and filled.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideIcons {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Names of the icon set.
    pub(in crate::content) icons: Vec<Name>,
}

/// All section kinds and components, each with a separate page below the page with this section.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideGallery {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Heading of the sections for pages.
    sections: GalleryGroup,
    /// Heading of the sections for the style guide.
    guide: GalleryGroup,
    /// Heading of the components.
    components: GalleryGroup,
    /// Title and description of each page, with `{name}` and `{meaning}`.
    page: GalleryPage,
}

/// Heading of a group of the gallery.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GalleryGroup {
    /// Its heading.
    title: String,
    /// A sentence or two.
    text: Option<Markdown>,
}

/// Title and description of a page of the gallery.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GalleryPage {
    /// The whole `<title>`.
    title: String,
    /// The meta description.
    description: String,
}

/// Pictures on plates, with captions.
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
    /// The name of the thing that it shows.
    name: String,
    /// Its meaning, or when to use it.
    text: Option<Markdown>,
    /// The background of the plate.
    band: Band,
    /// The picture on the plate.
    figure: Option<Image>,
    /// Text on the plate.
    words: Option<String>,
    /// The plate is as wide as the page.
    #[serde(default)]
    wide: bool,
}

/// Versions of the logo or the isotype, to view and download.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideLogo {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Logo or isotype.
    mark: Mark,
    /// One for each color.
    pub(in crate::content) variants: Vec<LogoVariant>,
}

/// A logo or an isotype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Symbol and name.
    Logo,
    /// The symbol only.
    Isotype,
}

/// A version in one color.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct LogoVariant {
    /// Suffix of its file names.
    id: String,
    /// Name of the version.
    name: String,
    /// The token of its color.
    pub(in crate::content) color: Name,
    /// The token of the background in the guide; its files are transparent.
    pub(in crate::content) ground: Name,
}

/// Lists of what to do and what not to do.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideDoDont {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The things to do.
    #[serde(rename = "do")]
    right: Vec<Markdown>,
    /// The things not to do.
    #[serde(rename = "dont")]
    wrong: Vec<Markdown>,
}

/// A component in its variants and states, rendered with the component itself.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideVariants {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The background of the variants.
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

/// A column of a table: its content and layout.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Column {
    /// The content of the column.
    key: ColumnKey,
    /// Its heading.
    header: String,
    /// Its width.
    #[serde(default)]
    width: ColumnWidth,
    /// The alignment of its content.
    #[serde(default)]
    alignment: Alignment,
}

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKey {
    /// The variant's name.
    Variant,
    /// At rest.
    Default,
    /// Under the pointer.
    Hovered,
    /// Disabled.
    Disable,
    /// Being pressed.
    Clicked,
}

/// The width of a column.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnWidth {
    /// The width of its content.
    #[default]
    Auto,
    /// As narrow as possible.
    Narrow,
}

/// The alignment of a column's content.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Alignment {
    /// At the start of the line.
    #[default]
    Start,
    /// Centered.
    Center,
}

/// A variant of the button.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Variant {
    /// The button itself.
    variant: ButtonVariant,
    /// Display name of the variant.
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
    /// The primary button.
    Primary,
    /// The secondary button.
    Secondary,
    /// A link in running text.
    Link,
}

/// A drawing of the header, and below it the header itself.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideNavigation {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// The viewport of the header.
    view: View,
    /// The drawing of the header.
    figure: Image,
    /// A caption with what the drawing does not show.
    caption: Option<Markdown>,
    /// Label of the live component.
    live: String,
}

/// The viewport in which a component is shown.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// A wide one.
    Desktop,
    /// A phone.
    Mobile,
}

/// A search for everything in the guide.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct GuideSearch {
    /// Its heading.
    title: String,
    /// A sentence or two beside the heading.
    intro: Option<Markdown>,
    /// Search terms of readers, and the corresponding terms of the guide.
    #[serde(default)]
    synonyms: BTreeMap<String, Vec<String>>,
}
