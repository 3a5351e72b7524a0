//! `site.webmanifest`: the name, colors and icons of the site when it is added to the home screen of a phone.

use std::sync::Arc;

use serde::Serialize;

use crate::graphics::{Drawings, Role};
use crate::output::Output;
use site::content::sections::Band;
use site::locale::Direction;

use super::Renderer;

const PATH: &str = "/site.webmanifest";

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

/// The path of the manifest. `None` for a site without icons, which phones do not offer to install.
pub(super) fn path(drawings: &Drawings) -> Option<&'static str> {
    (!drawings.icons.is_empty()).then_some(PATH)
}

impl Renderer<'_> {
    pub(super) fn webmanifest(&self) -> Option<Output> {
        path(self.drawings)?;
        let settings = self.settings;
        let locale = self.site.locales.first()?;
        let icons = self.drawings.icons.iter().filter_map(|icon| {
            let purpose = match icon.role {
                Role::App => "any",
                Role::Maskable => "maskable",
                Role::Tab | Role::Touch => return None,
            };
            Some(ManifestIcon { src: &icon.src, sizes: format!("{0}x{0}", icon.size), mime: "image/png", purpose })
        });
        let manifest = WebManifest {
            name: &settings.company.name,
            short_name: &settings.product.name,
            start_url: self.routes.href("/"),
            display: "browser",
            lang: &locale.language,
            dir: locale.direction,
            background_color: self.color(Band::Paper),
            theme_color: self.color(Band::Paper),
            icons: icons.collect(),
        };
        // A struct of strings always serializes.
        let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        Some(Output::bytes(PATH.trim_start_matches('/'), Arc::new(text.into_bytes())))
    }
}
