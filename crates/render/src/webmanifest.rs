//! `site.webmanifest`: the name, colors and icons of the site when it is added to the home screen of a phone. Each language
//! has one, at `/es/site.webmanifest`, with its names and its home page.

use std::sync::Arc;

use serde::Serialize;

use assets::graphics::{Drawings, Role};
use assets::output::Output;
use content::sections::Band;
use languages::locale::{Direction, Locale};

use super::Renderer;

const FILE: &str = "site.webmanifest";

#[derive(Serialize)]
struct WebManifest<'a> {
    name: &'a str,
    short_name: &'a str,
    start_url: String,
    display: &'static str,
    lang: &'a str,
    dir: Direction,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_color: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme_color: Option<&'a str>,
    icons: Vec<ManifestIcon<'a>>,
}

#[derive(Serialize)]
struct ManifestIcon<'a> {
    src: &'a str,
    sizes: String,
    #[serde(rename = "type")]
    mime: &'static str,
    purpose: &'static str,
}

/// The path of the manifest of a language. `None` for a site without icons, which phones do not offer to install.
pub(super) fn path(drawings: &Drawings, locale: &Locale) -> Option<String> {
    (!drawings.icons.is_empty()).then(|| format!("{}/{FILE}", locale.prefix))
}

impl Renderer<'_> {
    /// The manifest of a language.
    pub(super) fn webmanifest(&self, locale: &Locale) -> Option<Output> {
        let path = path(self.drawings, locale)?;
        let settings = self.settings.in_language(&locale.code);
        let icons = self.drawings.icons.iter().filter_map(|icon| {
            let purpose = match icon.role {
                Role::App => "any",
                Role::Maskable => "maskable",
                Role::Tab | Role::Touch => return None,
            };
            Some(ManifestIcon {
                src: &icon.src,
                sizes: format!("{0}x{0}", icon.size),
                mime: "image/png",
                purpose,
            })
        });
        let manifest = WebManifest {
            name: &settings.company.name,
            short_name: &settings.product.name,
            start_url: self.routes.href(&format!("{}/", locale.prefix)),
            display: "browser",
            lang: &locale.language,
            dir: locale.direction,
            background_color: self.color(Band::Paper),
            theme_color: self.color(Band::Paper),
            icons: icons.collect(),
        };
        // A struct of strings always serializes.
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        Some(Output::bytes(
            path.trim_start_matches('/'),
            Arc::new(text.into_bytes()),
        ))
    }
}
