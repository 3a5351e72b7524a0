//! The props of the style guide's islands.

use serde::{Deserialize, Serialize};

use super::super::Props;

props! {
    /// A color of the palette.
    struct Swatch {
        /// Its name.
        label: String,
        /// As CSS writes it: `#F0FF64`.
        code: String,
        /// Its custom property: `--color-signal-400`.
        property: String,
        /// Red, green and blue: `240 255 100`.
        rgb: String,
        /// Shown larger than the others.
        highlighted: bool,
        /// The color that the palette is named for.
        principal: bool,
    }

    /// Entries that lie in one place of the guide.
    struct GuideGroup {
        /// What the place is called.
        title: String,
        /// The page that it lies on, when that is called otherwise.
        page: Option<String>,
        /// The place's address.
        href: String,
        /// What can be found there beside the place itself.
        entries: Vec<GuideEntry>,
    }
}

/// Something that the guide shows: its name; its value, to be found by; further words that find it. The latter two may be
/// empty. Without keys, because the guide's search page holds hundreds of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GuideEntry(pub String, pub String, pub String);

messages! {
    /// Words of a palette.
    GuideSwatchesMessages { copy_as, copy_hex, copy_variable, copy_rgb, copied, cannot_copy, principal_color }
}

/// A palette whose colors copy themselves.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideSwatches {
    /// The colors.
    pub swatches: Vec<Swatch>,
    /// Interface words.
    pub messages: GuideSwatchesMessages,
}

impl Props for GuideSwatches {
    const MESSAGES: &'static [&'static str] = GuideSwatchesMessages::KEYS;
}

messages! {
    /// Words of a button that copies code.
    GuideCopyMessages { copy_code, copied, cannot_copy }
}

/// A button that copies a text of the page.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideCopy {
    /// The id of the text.
    pub target: String,
    /// What it is called.
    pub name: String,
    /// Interface words.
    pub messages: GuideCopyMessages,
}

impl Props for GuideCopy {
    const MESSAGES: &'static [&'static str] = GuideCopyMessages::KEYS;
}

messages! {
    /// Words of the gallery of icons.
    GuideIconsMessages {
        filter_icons, filter_icons_label, clear, icon_linear, icon_filled, copy_name, copy_svg, copied, cannot_copy,
        icons_found, no_icons,
    }
}

/// The gallery of icons. Their drawings stand in the page once, as symbols that the gallery names.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideIcons {
    /// Their names.
    pub names: Vec<String>,
    /// Interface words.
    pub messages: GuideIconsMessages,
}

impl Props for GuideIcons {
    const MESSAGES: &'static [&'static str] = GuideIconsMessages::KEYS;
}

messages! {
    /// Words of a specimen of type.
    GuideTypeMessages { specimen_label, weight }
}

/// A typeface in its weights, with a line to type into.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideType {
    /// The name of the typeface's token.
    pub font: String,
    /// What is set until somebody types.
    pub sample: String,
    /// The weights.
    pub weights: Vec<String>,
    /// Interface words.
    pub messages: GuideTypeMessages,
}

impl Props for GuideType {
    const MESSAGES: &'static [&'static str] = GuideTypeMessages::KEYS;
}

messages! {
    /// Words of the guide's search.
    GuideSearchMessages {
        search_guide, search_guide_label, clear, guide_result, guide_results, guide_no_results, guide_no_results_hint,
        guide_keys,
    }
}

/// Everything that the guide shows, to be searched.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuideSearch {
    /// Where it is shown.
    pub groups: Vec<GuideGroup>,
    /// Interface words.
    pub messages: GuideSearchMessages,
}

impl Props for GuideSearch {
    const MESSAGES: &'static [&'static str] = GuideSearchMessages::KEYS;
}
