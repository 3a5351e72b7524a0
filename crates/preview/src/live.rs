//! Live reload: an event stream, the script that subscribes to it, and the page that shows problems.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::{Stream, StreamExt as _};

use api_types::html::escape;
use diagnostics::problem::{Problem, Problems, Severity};

use super::gate::Visitor;
use super::places::PlaceLinks;
use super::{ServerState, notes, panel};

/// The folder of the addresses below.
pub(super) const FOLDER: &str = "/_sitegen/";
pub(super) const SCRIPT_PATH: &str = "/_sitegen/live.js";
pub(super) const EVENTS_PATH: &str = "/_sitegen/live";

/// Reloads the page if the server has another build than the page. The server sends the id of its build on each
/// connection, so that a build that ended before the page connected, or while the server was restarted, is not missed.
const RELOAD: &str = r#"const own = new URL(import.meta.url).searchParams.get("build");
const source = new EventSource(new URL("live", import.meta.url));
source.addEventListener("build", (event) => { if (event.data !== own) location.reload(); });
addEventListener("pagehide", () => source.close());
"#;

pub(super) async fn script(asked: Request) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    // The panel and the notes name files.
    let of_author = if Visitor::of(&asked) == Visitor::Author {
        [panel::START, notes::SCRIPT]
    } else {
        ["", ""]
    };
    (headers, [RELOAD, &of_author.concat()].concat())
}

pub(super) async fn events(
    State(shared): State<Arc<ServerState>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    // The route exists only with watching. A closed channel would end the stream at once.
    let receiver = shared.reload.as_ref().map_or_else(
        || tokio::sync::broadcast::channel(1).1,
        tokio::sync::broadcast::Sender::subscribe,
    );
    let first = tokio_stream::once(Ok(()));
    let stream = first.chain(BroadcastStream::new(receiver)).map(move |_| {
        Ok(Event::default()
            .event("build")
            .data(shared.current().build.clone()))
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}

/// Adds the live reload script to a page, with the id of the build. `base_path` is the path that the site is mounted at.
pub(super) fn with_script(html: &str, build: &str, base_path: &str) -> String {
    let script =
        format!("<script type=\"module\" src=\"{base_path}{SCRIPT_PATH}?build={build}\"></script>");
    match html.rfind("</body>") {
        Some(at) => format!("{}{script}{}", &html[..at], &html[at..]),
        None => format!("{html}{script}"),
    }
}

pub(super) const STYLE_PATH: &str = "/_sitegen/problems.css";

const STYLE: &str = "body{margin:0;background:#0e1412;color:#f3f5f5;font:16px/1.5 ui-sans-serif,system-ui,sans-serif}\
main{max-width:60rem;margin:0 auto;padding:3rem 1.5rem}h1{font-size:2rem;letter-spacing:-.02em;margin:0 0 .25rem}\
p{color:#a9b4af;margin:0 0 2rem}ol{list-style:none;margin:0;padding:0}\
li{border-top:1px solid #f3f5f530;padding:1.25rem 0}h2{font-size:1.125rem;margin:0 0 .25rem}\
.code{color:#f0ff64;font:.875rem ui-monospace,monospace}.warning .code{color:#a9b4af}\
.place{color:#a9b4af;font:.875rem ui-monospace,monospace}a.place:focus-visible{outline:2px solid #f0ff64;outline-offset:2px}\
pre{background:#1b2421;padding:.75rem 1rem;overflow-x:auto;border-radius:4px;margin:.75rem 0}mark{background:#f0ff64;color:#0e1412}\
.hint{color:#9deb6c}";

pub(super) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

/// The page that is shown instead of every page while the site has problems. Only authors get `links`, with which each
/// place opens in the editor: for others, lines of sources and names of files are left out.
pub(super) fn problems_page(
    problems: &Problems,
    build: &str,
    base_path: &str,
    links: Option<PlaceLinks>,
) -> String {
    let errors = problems.count(Severity::Error);
    let title = if errors == 1 {
        "1 problem".to_owned()
    } else {
        format!("{errors} problems")
    };
    let list: String = match links {
        Some(links) => problems.iter().map(|problem| item(problem, links)).collect(),
        None => "<li>\n<span class=\"hint\">The author of the site sees them in the terminal, and here at the URL that `sitegen serve` printed.</span>\n</li>\n"
            .to_owned(),
    };
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{base_path}{STYLE_PATH}\">\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>The site was not built. This page reloads when the problems are fixed.</p>\n\
         <ol>\n{list}</ol>\n</main>\n</body>\n</html>\n"
    );
    with_script(&html, build, base_path)
}

fn item(problem: &Problem, links: PlaceLinks) -> String {
    let class = if problem.severity == Severity::Error {
        "error"
    } else {
        "warning"
    };
    let mut html = format!(
        "<li class=\"{class}\">\n<span class=\"code\">{}</span>\n<h2>{}</h2>\n",
        problem.code.name(),
        escape(&problem.message)
    );
    if let Some(place) = &problem.place {
        let at = place
            .range
            .map(|range| format!(":{}:{}", range.start.line, range.start.column))
            .unwrap_or_default();
        let path = escape(&place.path);
        let _ = match links.to(place).url {
            Some(url) => writeln!(
                html,
                "<a class=\"place\" href=\"{}\">{path}{at}</a>",
                escape(&url)
            ),
            None => writeln!(html, "<span class=\"place\">{path}{at}</span>"),
        };
        if let (Some(range), Some(line)) = (place.range, &place.line_text) {
            let width = if range.end.line == range.start.line {
                range.end.column.saturating_sub(range.start.column).max(1)
            } else {
                1
            };
            let start = (range.start.column - 1).saturating_sub(place.line_from) as usize;
            let width = width as usize;
            let [before, marked, after] = [(0, start), (start, width), (start + width, usize::MAX)]
                .map(|(from, count)| {
                    escape(&line.chars().skip(from).take(count).collect::<String>())
                });
            let _ = writeln!(html, "<pre>{before}<mark>{marked}</mark>{after}</pre>");
        }
    }
    if let Some(hint) = &problem.hint {
        let _ = writeln!(html, "<span class=\"hint\">hint: {}</span>", escape(hint));
    }
    html + "</li>\n"
}
