//! The props of the style guide's islands.

use serde::{Deserialize, Serialize};

use super::super::Props;

props! {
    /// A color of the palette.
    struct Swatch {
        /// The color's name.
        label: String,
        /// The hex value: `#F0FF64`.
        code: String,
        /// The custom property: `--color-signal-400`.
        property: String,
        /// Red, green and blue: `240 255 100`.
        rgb: String,
        /// Whether it is shown larger than the others.
        highlighted: bool,
        /// Whether the palette is named after it.
        principal: bool,
    }

    /// The search entries of one section of the guide.
    struct GuideGroup {
        /// The title of the section.
        title: String,
        /// The title of its page, if it differs.
        page: Option<String>,
        /// The URL of the section.
        href: String,
        /// The entries in the section.
        entries: Vec<GuideEntry>,
    }
}

/// A search entry of the guide: name, value and further keywords. The latter two may be empty. It is a tuple without
/// keys to keep the search page small: the page holds hundreds of entries.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GuideEntry(pub String, pub String, pub String);

messages! {
    /// Interface messages of a palette.
    GuideSwatchesMessages { copy_as, copy_hex, copy_variable, copy_rgb, copied, cannot_copy, principal_color }
}

/// A palette with buttons that copy each color.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideSwatches {
    /// The colors.
    pub swatches: Vec<Swatch>,
    /// Interface messages.
    pub messages: GuideSwatchesMessages,
}

impl Props for GuideSwatches {
    const MESSAGES: &'static [&'static str] = GuideSwatchesMessages::KEYS;
}

messages! {
    /// Interface messages of a button that copies code.
    GuideCopyMessages { copy_code, copied, cannot_copy }
}

/// A button that copies text from the page.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideCopy {
    /// The id of the element with the text.
    pub target: String,
    /// The name of the text.
    pub name: String,
    /// Interface messages.
    pub messages: GuideCopyMessages,
}

impl Props for GuideCopy {
    const MESSAGES: &'static [&'static str] = GuideCopyMessages::KEYS;
}

messages! {
    /// Interface messages of the icon gallery.
    GuideIconsMessages {
        filter_icons, filter_icons_label, clear, icon_linear, icon_filled, copy_name, copy_svg, copied, cannot_copy,
        icons_found, no_icons,
    }
}

/// The icon gallery. The page contains each icon once, as an SVG `<symbol>` that the gallery references.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideIcons {
    /// The names of the icons.
    pub names: Vec<String>,
    /// Interface messages.
    pub messages: GuideIconsMessages,
}

impl Props for GuideIcons {
    const MESSAGES: &'static [&'static str] = GuideIconsMessages::KEYS;
}

messages! {
    /// Interface messages of a type specimen.
    GuideTypeMessages { specimen_label, weight }
}

/// A typeface in its weights, with an editable sample line.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideType {
    /// The name of the typeface's token.
    pub font: String,
    /// The initial sample text.
    pub sample: String,
    /// The weights.
    pub weights: Vec<String>,
    /// Interface messages.
    pub messages: GuideTypeMessages,
}

impl Props for GuideType {
    const MESSAGES: &'static [&'static str] = GuideTypeMessages::KEYS;
}

messages! {
    /// Interface messages of the guide's search.
    GuideSearchMessages {
        search_guide, search_guide_label, clear, guide_result, guide_results, guide_no_results, guide_no_results_hint,
        guide_keys,
    }
}

/// The search of the style guide.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideSearch {
    /// The entries, grouped by section.
    pub groups: Vec<GuideGroup>,
    /// Interface messages.
    pub messages: GuideSearchMessages,
}

impl Props for GuideSearch {
    const MESSAGES: &'static [&'static str] = GuideSearchMessages::KEYS;
}
