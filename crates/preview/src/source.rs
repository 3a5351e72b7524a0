//! Answers where the texts and pictures of a page are written: with the page itself, rendered again with marks
//! ([`SiteChange::Marks`]), and the place of each mark. The script of the preview finds the element that was clicked in that
//! page, and reads its marks.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use serde::Serialize;

use site::SiteChange;

use super::notes::Asked;
use super::panel::respond_with;
use super::places::{Link, PlaceLinks};
use super::{Built, Current, ServerState, address};

pub(super) const PATH: &str = "/_sitegen/source";

/// A page with the sources of its texts.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct PageSource {
    /// Its HTML with marks; empty for an address that is no page of the site.
    html: String,
    /// Where the marked texts are written, by the numbers of their marks.
    places: BTreeMap<u32, Link>,
    /// The templates of its sections that the site has, in the order of the sections.
    templates: Vec<Option<Link>>,
    /// The files of the page.
    files: Vec<Link>,
    /// The address of its post in the CMS.
    remote: Option<String>,
}

/// Answers with the sources of the page at an address.
pub(super) async fn of_page(
    State(shared): State<Arc<ServerState>>,
    Query(asked): Query<Asked>,
) -> Response {
    // The site is read.
    let answer = tokio::task::spawn_blocking(move || {
        let built = shared.built()?;
        Some(sources(&shared, &shared.current(), &built, &asked.path))
    });
    respond_with(answer.await.ok().flatten())
}

fn sources(shared: &ServerState, current: &Current, built: &Built, path: &str) -> PageSource {
    let plan = &built.plan;
    let root = &plan.config.paths.root;
    let links = PlaceLinks {
        root,
        editor: &shared.editor,
    };
    let Some(page) = plan.shown_page(&address(current, path)) else {
        return PageSource::default();
    };
    let marked = built.marked.get_or_init(|| plan.with(SiteChange::Marks));
    // A page that cannot be rendered with marks still has its files.
    let (index, html) = marked
        .page(plan, &page.address)
        .ok()
        .flatten()
        .unwrap_or_default();
    let places = marked.workspace.site().origins(index, &html);
    PageSource {
        html,
        places: places
            .into_iter()
            .map(|(number, place)| (number, links.to(&place)))
            .collect(),
        templates: page
            .sections
            .iter()
            .map(|kind| {
                let path = format!("templates/sections/{kind}/{kind}.html");
                root.join(&path).is_file().then(|| links.to_file(&path))
            })
            .collect(),
        files: page.files.iter().map(|path| links.to_file(path)).collect(),
        remote: page.remote,
    }
}
