//! Draws pictures at build time from the SVG templates in `templates/drawings/`: a sharing card for each page, the
//! icons of tabs and home screens, and the logos of the style guide.
//!
//! Its inputs are the site, the design tokens and the site's web fonts. Each drawing is cached under the hash of its
//! inputs, so an unchanged one costs one lookup in the cache.

mod cards;
mod fonts;
mod icons;
mod logos;
mod names;
mod palette;
mod printed;
mod template;
mod text;

use std::sync::Arc;

use serde::Serialize;

use crate::Manifest;
use crate::output::Output;
use config::Config;
use content::Templates;
use diagnostics::problem::{Problem, Problems};
use site::model::{Brand, Site};
use workspace::cache::Kind;

use fonts::Fonts;
use template::CompiledDrawing;

pub use icons::{Icon, Role};
pub use logos::logo_files;
pub use names::NameWidths;
pub use printed::Unprintable;

/// Part of every cache key. Raise it when the same inputs give other bytes.
const VERSION: &str = "5";

/// The drawings of a site.
#[derive(Debug, Default)]
pub struct Drawings {
    /// The sharing card of each page, in the order of `site.pages`; `None` for pages with their own picture or with
    /// `noindex`.
    pub cards: Vec<Option<SharingCard>>,
    /// The icons, the smallest first; empty without `icon` in `site.yaml`.
    pub icons: Vec<Icon>,
    /// The files.
    pub files: Vec<Output>,
    /// How wide names are in the logo.
    pub names: Option<Arc<NameWidths>>,
}

/// A sharing card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharingCard {
    /// Its address.
    pub src: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
}

/// Draws everything that is not in the cache.
pub fn draw(
    config: &Config,
    site: &Site,
    templates: &Templates,
    manifest: &Manifest,
) -> (Drawings, Problems) {
    let mut problems = Problems::new();
    let fonts = Arc::new(Fonts::new(
        manifest.fonts(&config.site),
        manifest.fallback_fonts.clone(),
    ));
    let mark = problems.take(icons::mark(config, site));
    let context = DrawContext {
        config,
        templates,
        manifest,
        fonts,
        mark: mark.as_ref(),
        brand: &site.brand,
    };
    let (cards, card_files) = problems.take(cards::draw(&context, site));
    let (icons, icon_files) = problems.take(icons::draw(&context, site));
    let logos = problems.take(logos::draw(&context, site));
    let files = card_files
        .into_iter()
        .chain(icon_files)
        .chain(logos)
        .collect();
    let display = manifest
        .styles
        .tokens("font")
        .find(|(name, _)| *name == "display");
    let families = display
        .map_or("sans-serif", |(_, families)| families)
        .to_owned();
    let names = NameWidths::new(context.fonts, families, config.cache.clone());
    (
        Drawings {
            cards,
            icons,
            files,
            names: Some(Arc::new(names)),
        },
        problems,
    )
}

/// The inputs that all drawings share.
struct DrawContext<'a> {
    config: &'a Config,
    templates: &'a Templates,
    manifest: &'a Manifest,
    fonts: Arc<Fonts>,
    mark: Option<&'a icons::Mark>,
    brand: &'a Brand,
}

impl DrawContext<'_> {
    /// The compiled template of a name, if the site has it.
    fn drawing(&self, name: &str) -> Option<Result<CompiledDrawing, Problem>> {
        self.templates
            .drawings
            .get(name)
            .map(|source| CompiledDrawing::compile(name, source, self))
    }

    /// The letters of a text that no font has. Kept like drawings, because fonts are decompressed to find out.
    fn missing_letters(&self, text: &str) -> String {
        let parts: Vec<&[u8]> = [text]
            .into_iter()
            .chain(self.fonts.names())
            .map(str::as_bytes)
            .collect();
        let name = format!("{}.letters", crate::output::hash(&parts));
        if let Some(bytes) = self.config.cache.get(Kind::Drawings, &name) {
            return String::from_utf8(bytes).unwrap_or_default();
        }
        let missing = text::missing(&self.fonts, text).unwrap_or_default();
        self.config
            .cache
            .put(Kind::Drawings, &name, missing.as_bytes());
        missing
    }

    /// The PNG for these values, drawn unless it is cached, and the hash of its inputs.
    fn png(
        &self,
        drawing: &CompiledDrawing,
        values: &serde_json::Value,
    ) -> Result<(Arc<Vec<u8>>, String), Problem> {
        let key = drawing.key(values);
        let png = self.cached(&format!("{key}.png"), drawing, values, |svg| {
            self.fonts.png(svg)
        })?;
        Ok((png, key))
    }

    /// The SVG for these values with letters as outlines, cached like [`DrawContext::png`].
    fn outlines(
        &self,
        drawing: &CompiledDrawing,
        values: &serde_json::Value,
    ) -> Result<Arc<Vec<u8>>, Problem> {
        let name = format!("{}.svg", drawing.key(values));
        self.cached(&name, drawing, values, |svg| {
            self.fonts.outlined(svg).map(String::into_bytes)
        })
    }

    fn cached(
        &self,
        name: &str,
        drawing: &CompiledDrawing,
        values: &serde_json::Value,
        draw: impl FnOnce(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Arc<Vec<u8>>, Problem> {
        let cache = &self.config.cache;
        if let Some(bytes) = cache.get(Kind::Drawings, name) {
            return Ok(Arc::new(bytes));
        }
        let bytes = draw(&drawing.render(values)?).map_err(|why| drawing.bad(&why))?;
        cache.put(Kind::Drawings, name, &bytes);
        Ok(Arc::new(bytes))
    }
}
