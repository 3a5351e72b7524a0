//! Renders the page of a file with texts that are not saved, for the page beside a form. The site is read again with them;
//! bundles, pictures and drawings are those of the last build. Nothing is written to the output folder.

use std::sync::Arc;

use diagnostics::problem::Problems;
use site::config::Config;
use site::routes::Route;

use crate::build_cache::{BuildManifest, RenderCache};
use crate::islands::Prerenderer;
use crate::render;
use crate::timings::Timings;

use super::{Plan, addresses};

/// A page that is being written.
#[derive(Debug)]
pub struct DraftPage {
    /// Its address.
    pub address: String,
    /// Its HTML.
    pub html: String,
}

impl Plan {
    /// The page that shows a file first, given the configuration with the files as they are being written; `None` if no
    /// page shows it.
    ///
    /// # Errors
    /// The site cannot be built with these files.
    pub fn draft(&self, config: &Config, file: &str) -> Result<Option<DraftPage>, Problems> {
        let ((site, routes, _), problems) = super::plan(config);
        if problems.has_errors() {
            return Err(problems.sorted());
        }
        let address = addresses(&site).remove(file);
        let found = address.and_then(|address| match routes.get(&address) {
            Some(Route::Page { page, .. }) => Some((*page, address)),
            _ => None,
        });
        let Some((page, address)) = found else { return Ok(None) };
        let islands = Arc::new(Prerenderer::new(config, &self.manifest.islands, &site.locales));
        let (nothing, timings) = (BuildManifest::default(), Timings::off());
        let render_cache = RenderCache::new(&nothing, None, false);
        let inputs = render::Inputs {
            settings: &config.site,
            site: &site,
            routes: &routes,
            ..self.render_inputs(config, &islands, &render_cache, None, &timings)
        };
        let (html, _) = render::page(&inputs, page)?;
        Ok(Some(DraftPage { address, html }))
    }
}
