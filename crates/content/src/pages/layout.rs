//! The frame and the header of a page, as it states them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sections;

/// The layout around a page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Layout {
    /// Appearance of the header.
    pub header: HeaderLook,
    /// On phones, scroll to the main heading half a second after the page has loaded.
    pub scroll_to_hero: bool,
    /// The header stays visible while scrolling.
    pub sticky: bool,
    /// The kind of frame around the sections.
    pub frame: FrameKind,
}

/// The frame around the sections of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// The site's header and footer.
    #[default]
    Site,
    /// The header and sidebar of the style guide, on white.
    StyleGuide,
}

/// Appearance of the header.
#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct HeaderLook {
    /// Background color.
    pub background: sections::Band,
    /// Text color: `dark` on a light background, `light` on a dark one.
    pub text: Tone,
    /// Logo color.
    pub logo: Tone,
}

impl Default for HeaderLook {
    fn default() -> HeaderLook {
        HeaderLook {
            background: sections::Band::Paper,
            text: Tone::Dark,
            logo: Tone::Dark,
        }
    }
}

/// A dark or a light color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Ink.
    Dark,
    /// Paper.
    Light,
}
