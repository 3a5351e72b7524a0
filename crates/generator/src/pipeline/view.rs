//! Renders pages of a site after a change that is not built: the page beside a form with texts that are not saved, and a page
//! with every text marked by where it is written. Bundles, pictures and drawings are those of the last build. Nothing is
//! written to the output folder.

use std::path::PathBuf;
use std::sync::Arc;

use assets::islands::Prerenderer;
use config::Config;
use diagnostics::problem::Problems;
use manifest::{BuildManifest, RenderCache};
use pictures::Pixels;
use site::planned;
use site::routes::Route;
use site::{Planned, SiteChange, Workspace};
use workspace::cache;
use workspace::files::{Draft, Overlay};
use workspace::timings::Timings;

use super::Plan;

/// The size of the image that is shown in the place of one that is not saved yet, and its color.
const PLACEHOLDER: (u32, u32, [u8; 3]) = (1200, 800, [214, 219, 217]);

/// A reading of a site, rendered with what is bundled and drawn for another one.
pub struct View {
    /// The site.
    pub workspace: Workspace,
    islands: Arc<Prerenderer>,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("View").finish_non_exhaustive()
    }
}

impl Plan {
    /// This site after a change.
    pub fn with(&self, change: SiteChange) -> View {
        if matches!(change, SiteChange::Marks) {
            // Of another site. If this fails, the folder takes up a few kilobytes.
            let _ = fs_err::remove_dir_all(self.config.paths.cache.join(planned::MARKED));
        }
        self.view(self.workspace.with(change))
    }

    /// A reading of the site.
    pub(super) fn view(&self, workspace: Workspace) -> View {
        let Planned { config, site, .. } = workspace.site();
        let islands = Prerenderer::new(config, &self.manifest.islands, &site.locales);
        View {
            islands: Arc::new(islands),
            workspace,
        }
    }

    /// Does work with what pages are rendered from, whether or not they have changed.
    pub(super) fn with_inputs<T>(&self, view: &View, work: impl FnOnce(&render::Inputs) -> T) -> T {
        let (nothing, timings) = (BuildManifest::default(), Timings::off());
        let render_cache = RenderCache::new(&nothing, None, true);
        let Planned {
            config,
            site,
            routes,
            ..
        } = view.workspace.site();
        let of_plan = self.render_inputs(config, &view.islands, &render_cache, &timings);
        work(&render::Inputs {
            site,
            routes,
            ..of_plan
        })
    }

    /// Renders a page.
    pub(super) fn render_page(&self, view: &View, page: usize) -> Result<String, Problems> {
        self.with_inputs(view, |inputs| Ok(render::page(inputs, page)?.0))
    }
}

impl View {
    /// The page at an address, by its index in the site, and its HTML. `None` if there is no page.
    ///
    /// # Errors
    /// It could not be rendered.
    pub fn page(&self, plan: &Plan, address: &str) -> Result<Option<(usize, String)>, Problems> {
        let Some(Route::Page { page, .. }) = self.workspace.site().routes.get(address) else {
            return Ok(None);
        };
        let html = plan.render_page(self, *page)?;
        Ok(Some((*page, html)))
    }
}

/// The change of a file that is being written.
pub fn drafted(config: &Config, draft: &Draft) -> SiteChange {
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
    SiteChange::Files(root.with(changes))
}
