//! The pages with the lead form, as `leads.json` holds them: kept as they pass to the publisher, so that nothing is read
//! back from the output folder.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use assets::output::{Body, Output};
use config::Config;
use diagnostics::problem::Problems;
use publish::{OutputState, Publisher, lead_site};
use site::model::{Page, Site};
use site::routes::file_of;

use super::Plan;

/// The pages with the form.
pub(super) struct FormPages {
    /// By output file: the index of the page, and its output as soon as there is one.
    pages: Mutex<BTreeMap<String, (usize, Option<Body>)>>,
}

impl FormPages {
    pub fn of(config: &Config, site: &Site) -> FormPages {
        let pages = lead_site::form_pages(config, site);
        let pages = pages
            .map(|index| (file_of(&site.pages[index].path), (index, None)))
            .collect();
        FormPages {
            pages: Mutex::new(pages),
        }
    }

    /// Keeps an output if it is one of the pages.
    pub fn add(&self, output: &Output) {
        // Poisoned only if another thread panicked; the map is intact.
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, body)) = pages.get_mut(&output.path) {
            *body = Some(output.body.clone());
        }
    }

    /// Publishes `leads.json`. A page that was not rendered is taken from the last `leads.json` if the output folder has
    /// the same one, or rendered.
    pub fn publish(
        self,
        config: &Config,
        plan: &Plan,
        output_state: &OutputState,
        publisher: &Publisher,
    ) -> Problems {
        let pages = self
            .pages
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let last = lead_site::last(config);
        let problems = Mutex::new(Problems::new());
        publisher.put_leads(&lead_site::text(
            config,
            &plan.site,
            &plan.routes,
            &|page: &Page| {
                let file = file_of(&page.path);
                let (index, body) = pages.get(&file)?;
                let hash = match body {
                    Some(Body::Bytes(bytes)) => return String::from_utf8(bytes.to_vec()).ok(),
                    Some(Body::Unchanged(hash)) => Some(*hash),
                    Some(Body::File(_)) | None => output_state
                        .files()
                        .get(file.as_str())
                        .map(|published| published.hash),
                };
                let kept = last
                    .as_ref()
                    .zip(hash)
                    .and_then(|(last, hash)| lead_site::html_in(last, config, page, hash));
                let view = || plan.view(plan.workspace.clone());
                kept.or_else(|| match plan.render_page(&view(), *index) {
                    Ok(html) => Some(html),
                    Err(found) => {
                        problems
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .extend(found);
                        None
                    }
                })
            },
        ));
        problems
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
