//! The drawings of the brand, which the theme has a place for and does not bring itself: `content/images/brand/*.svg`.

use serde::Serialize;

use content::Images;
use content::images::ImageKind;

/// The drawings that a site has. Each is colored by the place that shows it (`currentColor`).
#[derive(Debug, Clone, Default, Serialize)]
pub struct Brand {
    /// `mark.svg`: stands before the name in the logo.
    pub mark: Option<Art>,
    /// `footer.svg`: across the footer, above its last line.
    pub footer: Option<Art>,
    /// `call-to-action.svg`: along the lower edge of a call to action.
    pub call_to_action: Option<Art>,
    /// `card.svg`: on sharing cards, 1200 × 630.
    pub card: Option<Art>,
    /// `cover.svg`: the template of covers for posts without a picture.
    pub cover: Option<Art>,
    /// `span.svg`: above each item of the section `spans`.
    pub span: Option<Art>,
    /// `phase-1.svg`, `phase-2.svg` and so on: above the phases of the section `phases`. Later phases have the last one.
    pub phases: Vec<Art>,
    /// `timeline.svg`: between the entries of the section `timeline`.
    pub timeline: Option<Art>,
    /// `success.svg`: on the last step of the lead form.
    pub success: Option<Art>,
}

/// A drawing.
#[derive(Debug, Clone, Serialize)]
pub struct Art {
    /// Its `<svg …>…</svg>` element.
    pub svg: String,
    /// Its width in CSS pixels.
    pub width: u32,
    /// Its height in CSS pixels.
    pub height: u32,
}

/// The path of a drawing in the site's folder.
pub fn path_of(name: &str) -> String {
    format!("content/images/brand/{name}.svg")
}

/// Finds the drawings among the pictures of a site.
pub(super) fn resolve(images: &Images) -> Brand {
    let art = |name: &str| {
        let file = images.get(&format!("brand/{name}.svg"))?;
        let svg = match &file.kind {
            ImageKind::Vector { inline, .. } => inline.clone()?,
            ImageKind::Template(text) => text.clone(),
            ImageKind::Raster(_) => return None,
        };
        Some(Art {
            svg,
            width: file.width,
            height: file.height,
        })
    };
    Brand {
        mark: art("mark"),
        footer: art("footer"),
        call_to_action: art("call-to-action"),
        card: art("card"),
        cover: art("cover"),
        span: art("span"),
        phases: (1..)
            .map_while(|number| art(&format!("phase-{number}")))
            .collect(),
        timeline: art("timeline"),
        success: art("success"),
    }
}
