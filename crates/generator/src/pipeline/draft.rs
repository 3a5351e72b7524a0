//! Renders the page of a file with texts that are not saved, for the page beside a form. The site is read again with them;
//! bundles, pictures and drawings are those of the last build. Nothing is written to the output folder.

use std::path::PathBuf;
use std::sync::Arc;

use config::{Config, SnapshotMode};
use diagnostics::problem::Problems;
use pictures::Pixels;
use site::planned::{self, Planned};
use site::routes::Route;
use workspace::cache;
use workspace::files::{Draft, Overlay};

use assets::islands::Prerenderer;

use super::Plan;

/// The size of the image that is shown in the place of one that is not saved yet, and its color.
const PLACEHOLDER: (u32, u32, [u8; 3]) = (1200, 800, [214, 219, 217]);

/// A page that is being written.
#[derive(Debug)]
pub struct DraftPage {
    /// Its address.
    pub address: String,
    /// Its HTML.
    pub html: String,
}

impl Plan {
    /// The page that shows a file first, with the text that is being written; `None` if no page shows it.
    ///
    /// # Errors
    /// The site cannot be built with this text.
    pub fn draft(&self, config: &Config, draft: &Draft) -> Result<Option<DraftPage>, Problems> {
        let config = &written(config, draft);
        let (Planned { site, routes, .. }, problems) = planned::plan(config);
        if problems.has_errors() {
            return Err(problems.sorted());
        }
        let address = planned::addresses(&site).remove(&draft.path);
        let found = address.and_then(|address| match routes.get(&address) {
            Some(Route::Page { page, .. }) => Some((*page, address)),
            _ => None,
        });
        let Some((page, address)) = found else {
            return Ok(None);
        };
        let islands = Arc::new(Prerenderer::new(
            config,
            &self.manifest.islands,
            &site.locales,
        ));
        let (html, _) = self.render_page_of(config, &site, &routes, &islands, page)?;
        Ok(Some(DraftPage { address, html }))
    }
}

/// The configuration with a file as it is being written.
fn written(config: &Config, draft: &Draft) -> Config {
    let root = &config.paths.root;
    let placeholder = config
        .paths
        .cache
        .join(cache::FORMS)
        .join("placeholder.jpg");
    if !draft.pictures.is_empty() && !placeholder.exists() {
        let (width, height, color) = PLACEHOLDER;
        // Without it, the pictures are missing, which is a problem of the page.
        let _ = Pixels::solid(width, height, color)
            .fallback()
            .map(|bytes| cache::keep(&placeholder, &bytes));
    }
    let text = (
        root.join(&draft.path),
        Some(Overlay::New(draft.text.as_str().into())),
    );
    let pictures = draft
        .pictures
        .iter()
        .map(|path| (root.join(path), Some(Overlay::File(placeholder.clone()))));
    let changes: Vec<(PathBuf, Option<Overlay>)> = pictures.chain([text]).collect();
    let mut config = config.clone();
    config.paths.root = root.with(changes);
    // The last build has fetched what a CMS has, and somebody waits for the page.
    config.run.snapshot = SnapshotMode::Offline;
    config
}
