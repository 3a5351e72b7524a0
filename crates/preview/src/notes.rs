//! Tells the person in front of a page of the preview which translations it shows that are out of date.
//!
//! The note is drawn by the script of the live reload, which only the preview adds to pages, in a shadow tree of its own: no
//! published file knows of it, and no style of the site changes it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use diagnostics::problem::Problem;

use super::ServerState;

pub(super) const PATH: &str = "/_sitegen/notes";

/// Asks for the notes of the page, and draws them. The page of problems has no main heading to describe, and gets none.
pub(super) const SCRIPT: &str = r#"
const answer = await fetch(new URL("notes?" + new URLSearchParams({ path: location.pathname }), import.meta.url)).catch(() => null);
const notes = answer?.ok ? await answer.json() : [];
if (notes.length > 0) {
  const note = document.createElement("sitegen-note");
  const root = note.attachShadow({ mode: "open" });
  const style = new CSSStyleSheet();
  style.replaceSync(`:host{all:initial;position:fixed;inset:auto auto 1rem 1rem;z-index:2147483647;max-width:min(30rem,calc(100vw - 2rem))}
details{font:15px/1.45 ui-sans-serif,system-ui,sans-serif;direction:ltr;text-align:left;background:#0e1412;color:#f3f5f5;border:1px solid #f0ff64;border-radius:6px;overflow:hidden}
summary{cursor:pointer;padding:.5rem .75rem}summary:focus-visible{outline:2px solid #f0ff64;outline-offset:-4px}
ul{list-style:none;margin:0;padding:0 .75rem .75rem;max-height:50vh;overflow:auto}li{padding-top:.5rem;overflow-wrap:anywhere}
p{margin:0}.place,.hint{color:#a9b4af;font-size:13px}.place{font-family:ui-monospace,monospace}`);
  root.adoptedStyleSheets = [style];
  const add = (parent, name, text, className = "") => {
    const element = document.createElement(name);
    element.textContent = text;
    element.className = className;
    parent.append(element);
    return element;
  };
  const details = add(root, "details", "");
  details.lang = "en";
  add(details, "summary", notes.length === 1 ? "Translation out of date" : `${notes.length} translations out of date`);
  const list = add(details, "ul", "");
  for (const { message, place, hint } of notes) {
    const item = add(list, "li", "");
    add(item, "p", message);
    add(item, "p", place, "place");
    if (hint) add(item, "p", hint, "hint");
  }
  document.body.append(note);
}
"#;

/// The address of a page, as the browser has it.
#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    pub path: String,
}

/// A note about a page.
#[derive(Debug, Serialize)]
struct Note {
    message: String,
    /// File, line and column.
    place: String,
    hint: Option<String>,
}

/// Answers with the notes of the page at an address.
pub(super) async fn of_page(
    State(shared): State<Arc<ServerState>>,
    Query(asked): Query<Asked>,
) -> impl IntoResponse {
    let current = shared.current();
    let address = super::address(&current, &asked.path);
    let translations = Arc::clone(&current.translations);
    // Files are read.
    let found = tokio::task::spawn_blocking(move || translations.stale(&address)).await;
    let notes: Vec<Note> = found.unwrap_or_default().into_iter().map(note).collect();
    ([(header::CACHE_CONTROL, "no-store")], Json(notes))
}

fn note(problem: Problem) -> Note {
    let place = problem.place.map(|place| {
        let at = place
            .range
            .map(|range| format!(":{}:{}", range.start.line, range.start.column));
        format!("{}{}", place.path, at.unwrap_or_default())
    });
    Note {
        message: problem.message,
        place: place.unwrap_or_default(),
        hint: problem.hint,
    }
}
