//! The drawings of the brand, which the theme has a place for and does not bring itself: `content/images/brand/*.svg`.

use serde::Serialize;

use crate::content::Images;
use crate::content::images::ImageKind;

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

/// Finds the drawings among the pictures of a site.
pub(super) fn resolve(images: &Images) -> Brand {
    let art = |name: &str| {
        let file = images.0.get(&format!("brand/{name}.svg"))?.as_ref()?;
        let ImageKind::Vector(svg) = &file.kind else { return None };
        Some(Art { svg: svg.clone(), width: file.width, height: file.height })
    };
    Brand { mark: art("mark"), footer: art("footer"), call_to_action: art("call-to-action"), card: art("card") }
}
