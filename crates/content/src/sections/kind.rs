//! A kind of section: its fields, and the facts about it beyond them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use schema::Block;

/// The background of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// The page's own color.
    Paper,
    /// White.
    White,
    /// Near-black.
    Ink,
    /// The loud accent.
    Signal,
}

impl Band {
    /// Its name, which is that of the color of its ground.
    pub fn name(self) -> &'static str {
        match self {
            Band::Paper => "paper",
            Band::White => "white",
            Band::Ink => "ink",
            Band::Signal => "signal",
        }
    }
}

/// A kind of section.
#[derive(Debug, PartialEq, Eq)]
pub struct SectionKind {
    /// The value of `kind` in a page, and the name of the folder below `templates/sections/`.
    pub name: &'static str,
    /// The purpose of the kind, in a sentence.
    pub meaning: String,
    /// Whether the section gives its page the main heading (`h1`). A page needs exactly one such section.
    pub main_heading: bool,
    /// The background of a section that does not name one.
    pub band: Band,
    /// The widths, in CSS pixels, in which its photographs are published.
    pub picture_widths: &'static [u32],
    /// The role of the section, beyond its own fields.
    pub role: SectionRole,
    /// The collection that its sections list, if it is always the same.
    pub lists: Option<&'static str>,
    /// Its own fields.
    pub fields: &'static Block,
}

/// The role of a section, besides showing its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionRole {
    /// Nothing.
    Content,
    /// Lists the posts of a language. Their pages lie below this one.
    PostList,
    /// Lists entries of a collection.
    Entries,
    /// Shows a form of the site.
    Form,
    /// Holds the form of the site's search.
    SiteSearch,
    /// Shows plans side by side: each row has one value for each plan.
    Plans,
    /// Questions with answers, which search engines receive as `FAQPage`.
    Questions,
    /// The style guide: colors.
    Swatches,
    /// The style guide: pairs of colors and their contrast.
    Contrasts,
    /// The style guide: design tokens.
    Tokens,
    /// The style guide: weights of a font.
    Weights,
    /// The style guide: icons.
    Icons,
    /// The style guide: the versions of the logo, which are published as files.
    Logo,
    /// The style guide: drawings.
    Figures,
    /// The style guide: variants of a component.
    Variants,
    /// The style guide: lists the gallery. The pages of its parts lie below this one.
    Gallery,
    /// The style guide: its search.
    Search,
}
