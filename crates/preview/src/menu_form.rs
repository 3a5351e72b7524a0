//! `/admin/menu/` of the preview: the menus of the header and of the footer as a form that needs no pointer. Entries are moved
//! with buttons, into groups and out of them; the settings are read and written by [`desk`].

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::json;

use super::panel::respond_with;
use super::{ServerState, admin, content_list};

pub(super) const PAGE: &str = "/admin/menu/";
pub(super) const SCRIPT: &str = "/admin/menu/menu.js";
pub(super) const TREE: &str = "/admin/menu/tree.js";
pub(super) const WORDS: &str = "/admin/menu/words.js";
pub(super) const STYLE: &str = "/admin/menu/menu.css";
pub(super) const ENTRIES: &str = "/admin/menu/entries";
pub(super) const SAVE: &str = "/admin/menu/save";

/// Bytes of a request to save: the settings, and all entries.
pub(super) const SAVE_LIMIT: usize = 4 << 20;

/// The files of the page, by their addresses.
const FILES: &[(&str, &str)] = &[
    (PAGE, include_str!("menu_form/index.html")),
    (SCRIPT, include_str!("menu_form/menu.js")),
    (TREE, include_str!("menu_form/tree.js")),
    (WORDS, include_str!("menu_form/words.js")),
    (STYLE, include_str!("menu_form/menu.css")),
];

/// The page of the form, and its files, unless the site has pages there.
pub(super) async fn page(state: State<Arc<ServerState>>, request: Request) -> Response {
    content_list::file_of(FILES, state, request).await
}

/// The menus as they are in the settings, with the languages of the site and the pages that a link can lead to.
pub(super) async fn entries(State(shared): State<Arc<ServerState>>) -> Response {
    let read = tokio::task::spawn_blocking(move || {
        let built = shared.built()?;
        let site = &built.plan.site;
        let (status, mut answer) = desk::menu(&shared.root);
        let languages: Vec<_> = site
            .locales
            .iter()
            .map(|locale| (&locale.code, &locale.name))
            .collect();
        let targets: BTreeSet<String> = site
            .pages
            .iter()
            .map(|page| format!("page:{}", page.key))
            .collect();
        let is_spanish = site
            .locales
            .first()
            .is_some_and(|locale| locale.code.starts_with("es"));
        answer["interface"] = json!(if is_spanish { "es" } else { "en" });
        answer["languages"] = json!(languages);
        answer["targets"] = json!(targets);
        (status == 200).then_some(answer)
    });
    content_list::secured(respond_with(read.await.ok().flatten()))
}

/// Saves the menus: `{files}` names what has changed, `{error}` says why nothing has.
pub(super) async fn save(
    State(shared): State<Arc<ServerState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    admin::answer(&headers, &body, move |asked| {
        desk::save_menu(&shared.root, &shared.options, asked)
    })
    .await
}
