//! The panel of the preview: what is known about a page, and the scripts that show it. The scripts are separate files of
//! this server, which a page's Content Security Policy allows; no published file knows of them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use assets::output::compressed;
use config::Budgets;
use content::blog::PostState;
use diagnostics::problem::{Problem, Severity};
use workspace::media_types;

use super::notes::Asked;
use super::places::{Link, PlaceLinks};
use super::{Built, Current, ServerState, address, href, outputs};

pub(super) const SCRIPTS_PATH: &str = "/_sitegen/panel/{name}";
pub(super) const PAGE_PATH: &str = "/_sitegen/page";
pub(super) const SAVED_PATH: &str = "/_sitegen/saved";
pub(super) const WEIGHTS_PATH: &str = "/_sitegen/weights";

/// Starts the panel. The reload must not wait for it.
pub(super) const START: &str = "import(new URL(\"panel/panel.js\", import.meta.url).href);\n";

/// The scripts by name.
const SCRIPTS: &[(&str, &str)] = &[
    ("panel.js", include_str!("panel/panel.js")),
    ("elements.js", include_str!("panel/elements.js")),
    ("clicked.js", include_str!("panel/clicked.js")),
    ("open.js", include_str!("panel/open.js")),
    ("tabs.js", include_str!("panel/tabs.js")),
    ("sharing.js", include_str!("panel/sharing.js")),
    ("weights.js", include_str!("panel/weights.js")),
    ("drafts.js", include_str!("panel/drafts.js")),
    ("style.js", include_str!("panel/style.js")),
];

/// Bytes of a request for weights: the addresses of the files of one page.
pub(super) const WEIGHTS_LIMIT: usize = 64 * 1024;
/// How many files are weighed for one page.
const MAX_WEIGHED: usize = 300;

/// The content of the panel for a page.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PageAnswer {
    /// `None` for an address that is no page, such as that of an error page.
    page: Option<PagePart>,
    /// The warnings of the last build: those about files of the page first.
    problems: Vec<ProblemPart>,
    /// How many of them are about the page.
    #[cfg_attr(test, ts(type = "number"))]
    own_problems: usize,
    /// The translations of the page that are out of date.
    stale: Vec<ProblemPart>,
    unpublished: Vec<UnpublishedPart>,
    /// Whether drafts and scheduled posts are shown.
    shows_drafts: bool,
    /// The address of the published site, without a slash at its end.
    base_url: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PagePart {
    key: String,
    locale: String,
    kind: &'static str,
    files: Vec<Link>,
    remote: Option<String>,
    state: Option<StatePart>,
    /// Language and address of each.
    translations: Vec<(String, String)>,
    /// The languages that the page lacks.
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ProblemPart {
    is_error: bool,
    code: &'static str,
    message: String,
    hint: Option<String>,
    place: Option<Link>,
}

impl ProblemPart {
    fn of(problem: &Problem, links: PlaceLinks) -> ProblemPart {
        ProblemPart {
            is_error: problem.severity == Severity::Error,
            code: problem.code.name(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
            place: problem.place.as_ref().map(|place| links.to(place)),
        }
    }
}

/// Why a post is not published, and the time until which it is so or since when, as RFC 3339 in UTC.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct StatePart {
    name: &'static str,
    at: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct UnpublishedPart {
    title: String,
    locale: String,
    state: StatePart,
    file: Link,
    /// Its address in the preview, if it is shown.
    address: Option<String>,
}

/// The files of a page to weigh, by their addresses.
#[derive(Debug, Deserialize)]
pub(super) struct ToWeigh {
    files: Vec<String>,
}

/// The weights of files, and the budgets that they have together.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct Weights {
    files: Vec<PanelWeight>,
    budgets: BudgetsPart,
}

/// Bytes of a file; `None` for one that is not published yet.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PanelWeight {
    #[cfg_attr(test, ts(type = "number | null"))]
    bytes: Option<u64>,
    /// Compressed with brotli; as it is for formats that are compressed already.
    #[cfg_attr(test, ts(type = "number | null"))]
    sent: Option<u64>,
}

/// In kilobytes; see [`Budgets`].
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct BudgetsPart {
    html: Option<f64>,
    css: Option<f64>,
    script: Option<f64>,
    islands: Option<f64>,
}

/// A script of the panel.
pub(super) async fn script(Path(name): Path<String>) -> Response {
    let script = SCRIPTS.iter().find(|(known, _)| *known == name);
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    script.map_or_else(
        || StatusCode::NOT_FOUND.into_response(),
        |(_, text)| (headers, *text).into_response(),
    )
}

/// Answers with what is known about the page at an address.
pub(super) async fn of_page(
    State(shared): State<Arc<ServerState>>,
    Query(asked): Query<Asked>,
) -> Response {
    // Files are read.
    let answer = tokio::task::spawn_blocking(move || {
        let built = shared.built()?;
        Some(page(&shared, &shared.current(), &built, &asked.path))
    });
    respond_with(answer.await.ok().flatten())
}

/// Answers with a value, or asks to come again: without a finished build, there is none.
pub(super) fn respond_with(value: Option<impl Serialize>) -> Response {
    match value {
        Some(value) => ([(header::CACHE_CONTROL, "no-store")], Json(value)).into_response(),
        None => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the site is being built, or has errors\n",
        )
            .into_response(),
    }
}

fn page(shared: &ServerState, current: &Current, built: &Built, path: &str) -> PageAnswer {
    let Built { plan, warnings, .. } = built;
    let config = &plan.config;
    let links = PlaceLinks {
        root: &config.paths.root,
        editor: &shared.editor,
    };
    let address = address(current, path);
    let page = plan.shown_page(&address);
    let files = page.as_ref().map_or(&[][..], |page| &page.files);
    let (own, others): (Vec<&Problem>, Vec<&Problem>) = warnings.iter().partition(|problem| {
        problem
            .place
            .as_ref()
            .is_some_and(|place| files.contains(&place.path))
    });
    let unpublished = plan
        .unpublished()
        .into_iter()
        .map(|(post, address)| UnpublishedPart {
            title: post.title.clone(),
            locale: post.locale.clone(),
            state: state(post.state),
            file: links.to_file(&post.origin),
            address: address.map(|address| href(config, &address)),
        });
    PageAnswer {
        problems: own
            .iter()
            .chain(&others)
            .map(|problem| ProblemPart::of(problem, links))
            .collect(),
        own_problems: own.len(),
        stale: current
            .translations
            .stale(&address)
            .iter()
            .map(|problem| ProblemPart::of(problem, links))
            .collect(),
        unpublished: unpublished.collect(),
        shows_drafts: config.run.drafts,
        base_url: config.site.base_url().to_owned(),
        page: page.map(|page| PagePart {
            files: page.files.iter().map(|file| links.to_file(file)).collect(),
            key: page.key,
            locale: page.locale,
            kind: page.kind,
            remote: page.remote,
            state: page.state.map(state),
            translations: page
                .translations
                .into_iter()
                .map(|(code, path)| (code, href(config, &path)))
                .collect(),
            missing: page.missing,
        }),
    }
}

fn state(state: PostState) -> StatePart {
    match state {
        PostState::Draft => StatePart {
            name: "draft",
            at: None,
        },
        PostState::Scheduled(from) => StatePart {
            name: "scheduled",
            at: Some(from.to_string()),
        },
        PostState::Expired(until) => StatePart {
            name: "expired",
            at: Some(until.to_string()),
        },
    }
}

/// Answers with what the last save changed.
pub(super) async fn saved(State(shared): State<Arc<ServerState>>) -> Response {
    // The manifest of the build is read.
    let saved =
        tokio::task::spawn_blocking(move || shared.built().map(|built| built.saved().clone()));
    respond_with(saved.await.ok().flatten())
}

/// Answers with the weights of files, in their order.
pub(super) async fn weights(
    State(shared): State<Arc<ServerState>>,
    Json(asked): Json<ToWeigh>,
) -> Response {
    let weighed = tokio::task::spawn_blocking(move || {
        let current = shared.current();
        let budgets = budgets(&shared.built()?.plan.config.site.budgets);
        let files = asked
            .files
            .iter()
            .take(MAX_WEIGHED)
            .map(|file| weigh(&current, file))
            .collect();
        Some(Weights { files, budgets })
    });
    respond_with(weighed.await.ok().flatten())
}

fn weigh(current: &Current, file: &str) -> PanelWeight {
    let nothing = PanelWeight {
        bytes: None,
        sent: None,
    };
    let path = file.strip_prefix(&current.base_path).unwrap_or(file);
    let Some(path) = path.parse().ok().as_ref().and_then(outputs::clean) else {
        return nothing;
    };
    let Some(file) = outputs::find(&current.out, &path) else {
        return nothing;
    };
    let Ok(bytes) = fs_err::read(&file) else {
        return nothing;
    };
    let is_text = media_types::is_compressible(media_types::of(&file.to_string_lossy()));
    let sent = if is_text {
        compressed(&bytes)
    } else {
        bytes.len()
    };
    PanelWeight {
        bytes: Some(bytes.len() as u64),
        sent: Some(sent as u64),
    }
}

fn budgets(budgets: &Budgets) -> BudgetsPart {
    BudgetsPart {
        html: budgets.html,
        css: budgets.css,
        script: budgets.script,
        islands: budgets.islands,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use ts_rs::{Config, TS, TypeVisitor};

    use super::*;
    use crate::saved::LastSave;
    use crate::source::PageSource;

    const FILE: &str = "src/panel/wire.d.ts";
    const HEAD: &str = "// What the server tells the scripts of the preview, made from the structs in crates/preview/src/. Do not edit: \
                        `cargo test -p preview wire_types` writes it.\n";

    /// Declarations by name.
    #[derive(Default)]
    struct Declarations(BTreeMap<String, String>);

    impl TypeVisitor for Declarations {
        fn visit<T: TS + 'static + ?Sized>(&mut self) {
            let config = Config::default();
            // Types without an output path are built into TypeScript: string, boolean, arrays.
            if T::output_path().is_none() || self.0.contains_key(&T::name(&config)) {
                return;
            }
            let lines: Vec<String> = T::decl(&config)
                .lines()
                .map(|line| line.trim_end().to_owned())
                .collect();
            self.0.insert(T::name(&config), lines.join("\n"));
            T::visit_dependencies(self);
        }
    }

    #[test]
    fn wire_types_of_the_preview_are_those_of_its_answers() {
        let mut types = Declarations::default();
        types.visit::<PageAnswer>();
        types.visit::<PageSource>();
        types.visit::<LastSave>();
        types.visit::<Weights>();
        let wanted = types
            .0
            .values()
            .fold(HEAD.to_owned(), |text, one| text + "\nexport " + one + "\n");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
        if std::fs::read_to_string(&path).unwrap_or_default() != wanted {
            std::fs::write(&path, &wanted).expect("the file can be written");
            panic!(
                "{FILE} was out of date with the structs in crates/preview/src/; it has been written: review and commit it"
            );
        }
    }
}
