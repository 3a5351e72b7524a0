//! The addresses of the preview, and who may ask each: the one table that its router is made from. What is not in it is a
//! page or a file of the site.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};

use super::gate::{Passage, Visitor};
use super::table::{self, For, ServerEndpoint};
use super::{ServerState, admin, content_list, live, menu_form, notes, panel, respond, source};

/// The addresses that exist while the site is watched.
const ENDPOINTS: &[ServerEndpoint<ServerState>] = &[
    ServerEndpoint {
        path: live::SCRIPT_PATH,
        who: For::Everybody,
        handler: || get(live::script),
        limit: 0,
    },
    ServerEndpoint {
        path: live::EVENTS_PATH,
        who: For::Everybody,
        handler: || get(live::events),
        limit: 0,
    },
    ServerEndpoint {
        path: live::STYLE_PATH,
        who: For::Everybody,
        handler: || get(live::style),
        limit: 0,
    },
    ServerEndpoint {
        path: notes::PATH,
        who: For::Authors,
        handler: || get(notes::of_page),
        limit: 0,
    },
    ServerEndpoint {
        path: panel::SCRIPTS_PATH,
        who: For::Authors,
        handler: || get(panel::script),
        limit: 0,
    },
    ServerEndpoint {
        path: panel::PAGE_PATH,
        who: For::Authors,
        handler: || get(panel::of_page),
        limit: 0,
    },
    ServerEndpoint {
        path: panel::SAVED_PATH,
        who: For::Authors,
        handler: || get(panel::saved),
        limit: 0,
    },
    ServerEndpoint {
        path: panel::WEIGHTS_PATH,
        who: For::Authors,
        handler: || post(panel::weights),
        limit: panel::WEIGHTS_LIMIT,
    },
    ServerEndpoint {
        path: source::PATH,
        who: For::Authors,
        handler: || get(source::of_page),
        limit: 0,
    },
    ServerEndpoint {
        path: admin::FOLDER,
        who: For::Authors,
        handler: || get(admin::folder),
        limit: 0,
    },
    ServerEndpoint {
        path: admin::PAGE,
        who: For::Authors,
        handler: || get(admin::page),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::PAGE,
        who: For::Authors,
        handler: || get(content_list::page),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::SCRIPT,
        who: For::Authors,
        handler: || get(content_list::page),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::ACTIONS,
        who: For::Authors,
        handler: || get(content_list::page),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::WORDS,
        who: For::Authors,
        handler: || get(content_list::page),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::STYLE,
        who: For::Authors,
        handler: || get(content_list::page),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::ROWS,
        who: For::Authors,
        handler: || get(content_list::rows),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::LINKS,
        who: For::Authors,
        handler: || get(content_list::links),
        limit: 0,
    },
    ServerEndpoint {
        path: content_list::CHANGE,
        who: For::Authors,
        handler: || post(content_list::change),
        limit: content_list::CHANGE_LIMIT,
    },
    ServerEndpoint {
        path: menu_form::PAGE,
        who: For::Authors,
        handler: || get(menu_form::page),
        limit: 0,
    },
    ServerEndpoint {
        path: menu_form::SCRIPT,
        who: For::Authors,
        handler: || get(menu_form::page),
        limit: 0,
    },
    ServerEndpoint {
        path: menu_form::TREE,
        who: For::Authors,
        handler: || get(menu_form::page),
        limit: 0,
    },
    ServerEndpoint {
        path: menu_form::WORDS,
        who: For::Authors,
        handler: || get(menu_form::page),
        limit: 0,
    },
    ServerEndpoint {
        path: menu_form::STYLE,
        who: For::Authors,
        handler: || get(menu_form::page),
        limit: 0,
    },
    ServerEndpoint {
        path: menu_form::ENTRIES,
        who: For::Authors,
        handler: || get(menu_form::entries),
        limit: 0,
    },
    ServerEndpoint {
        path: menu_form::SAVE,
        who: For::Authors,
        handler: || post(menu_form::save),
        limit: menu_form::SAVE_LIMIT,
    },
    ServerEndpoint {
        path: admin::FILES,
        who: For::Authors,
        handler: || get(admin::file),
        limit: 0,
    },
    ServerEndpoint {
        path: admin::PICTURES,
        who: For::Authors,
        handler: || get(admin::picture),
        limit: 0,
    },
    ServerEndpoint {
        path: admin::API,
        who: For::Authors,
        handler: || post(admin::api),
        limit: desk::MAX_REQUEST,
    },
    ServerEndpoint {
        path: admin::DRAFT,
        who: For::Authors,
        handler: || post(admin::draft),
        limit: desk::MAX_REQUEST,
    },
];

/// The addresses of the API that everybody may ask, as on the published site. All others are for authors, such as
/// `/api/metrics`.
const OPEN_API: &[&str] = &[
    "/api/posts",
    "/api/leads",
    "/api/forms/",
    "/api/health",
    "/api/openapi.json",
    "/api/captcha/",
];

/// The router of the preview.
#[expect(
    clippy::disallowed_methods,
    reason = "layers of the table's own router would run after the route is chosen"
)]
pub(super) fn router(shared: &Arc<ServerState>) -> Router {
    let endpoints = if shared.reload.is_some() {
        ENDPOINTS
    } else {
        &[]
    };
    let compression = CompressionLayer::new().compress_when(
        SizeAbove::new(256)
            .and(NotForContentType::new("font/"))
            .and(NotForContentType::IMAGES)
            .and(NotForContentType::SSE),
    );
    let site = table::router(endpoints, |handler| {
        handler.layer(from_fn_with_state(Arc::clone(shared), authors_only))
    })
    .fallback(respond::page)
    .layer(compression);
    let site = site
        .with_state(Arc::clone(shared))
        .merge(api::router(&shared.api).layer(from_fn(open_api_only)));
    let failed = Arc::clone(shared);
    // The last layer runs first.
    Router::new()
        .fallback_service(site)
        .layer(from_fn_with_state(
            Arc::clone(shared),
            respond::below_base_path,
        ))
        .layer(from_fn_with_state(Arc::clone(shared), pass))
        .layer(CatchPanicLayer::custom(move |_| {
            respond::server_error(&failed.current())
        }))
}

/// Lets a request pass the gate, and notes who asks.
async fn pass(
    State(shared): State<Arc<ServerState>>,
    mut request: Request,
    next: Next,
) -> Response {
    match shared.gate.pass(&request) {
        Passage::Answer(response) => *response,
        Passage::Visitor(visitor) => {
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
    }
}

async fn authors_only(state: State<Arc<ServerState>>, request: Request, next: Next) -> Response {
    if Visitor::of(&request) == Visitor::Author {
        next.run(request).await
    } else if admin::is_page_of_site(&state, request.uri().path()) {
        // The site itself has pages there, which are for everybody.
        respond::page(state, request).await
    } else {
        state.gate.no_token()
    }
}

async fn open_api_only(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_open = OPEN_API
        .iter()
        .any(|open| path == *open || open.ends_with('/') && path.starts_with(open));
    if is_open || Visitor::of(&request) == Visitor::Author {
        next.run(request).await
    } else {
        api::ApiError::new(
            api::ErrorCode::NotFound,
            format!("there is nothing at {path}"),
        )
        .into_response()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, RwLock, atomic::AtomicU64};

    use axum::body::Body;
    use axum::http::{HeaderName, StatusCode};
    use tower::ServiceExt as _;

    use config::{Editor, Options};

    use super::super::COMMAND;
    use super::super::encoding::PhotographQueue;
    use super::super::gate::{Access, Gate};
    use super::*;
    use workspace::files::FileSet;

    const HOST: &str = "127.0.0.1:4000";

    struct Preview {
        router: Router,
        cookie: String,
        runtime: tokio::runtime::Runtime,
        _folder: tempfile::TempDir,
    }

    fn preview(access: Access) -> Preview {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = api::Settings::standard()
            .expect("settings")
            .of_preview(folder.path().join("search"));
        let mut settings = settings;
        settings.leads.store = None;
        let gate = Gate::new(
            HOST.parse().expect("an address"),
            "127.0.0.1",
            access,
            COMMAND,
        )
        .expect("a gate");
        let cookie = gate.query().replacen("?token", "sitegen-4000", 1);
        let shared = Arc::new(ServerState {
            current: RwLock::default(),
            built: Mutex::default(),
            builds: AtomicU64::new(0),
            api: api::Api::new(settings).expect("an API"),
            photographs: PhotographQueue::start(|_| {}),
            index: PhotographQueue::start(|_| {}),
            fallback_permits: tokio::sync::Semaphore::new(1),
            has_dev_captcha: false,
            reload: Some(tokio::sync::broadcast::channel(1).0),
            gate,
            root: FileSet::open(folder.path()),
            options: Options::default(),
            editor: Editor::default(),
        });
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        Preview {
            router: router(&shared),
            cookie,
            runtime,
            _folder: folder,
        }
    }

    impl Preview {
        fn status(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> StatusCode {
            let mut request = Request::builder()
                .method(method)
                .uri(path)
                .body(Body::empty())
                .expect("a request");
            for (name, value) in headers {
                let name: HeaderName = name.parse().expect("a name");
                request
                    .headers_mut()
                    .append(name, value.parse().expect("a value"));
            }
            let answer = self.router.clone().oneshot(request);
            self.runtime
                .block_on(answer)
                .unwrap_or_else(|error| match error {})
                .status()
        }
    }

    /// Each address of the table, as a request has it.
    fn paths(who: For) -> Vec<&'static str> {
        ENDPOINTS
            .iter()
            .filter(|endpoint| endpoint.who == who)
            .map(|endpoint| endpoint.path)
            .collect()
    }

    fn asked(path: &str) -> String {
        let plain = path
            .replace("{name}", "panel.js")
            .replace("{*file}", "config.json")
            .replace("{*path}", "a.svg");
        if plain.contains("/page") || plain.contains("/notes") {
            plain + "?path=/"
        } else {
            plain
        }
    }

    #[test]
    fn everybody_may_ask_for_what_names_no_source() {
        assert_eq!(
            paths(For::Everybody),
            [live::SCRIPT_PATH, live::EVENTS_PATH, live::STYLE_PATH]
        );
        let preview = preview(Access::default());
        for path in paths(For::Everybody) {
            assert_eq!(
                preview.status("GET", path, &[("host", HOST)]),
                200,
                "{path}"
            );
            assert_eq!(
                preview.status("GET", path, &[("host", "rebound.example")]),
                403,
                "{path}"
            );
        }
    }

    #[test]
    fn every_endpoint_for_authors_refuses_others() {
        let preview = preview(Access::default());
        let (host, cookie) = (("host", HOST), ("cookie", preview.cookie.as_str()));
        let own = preview.cookie.replace("4000", "4001");
        let forged = format!("{}x", preview.cookie);
        let mut refused = vec![
            vec![host],
            vec![host, ("cookie", "sitegen-4000=")],
            vec![host, ("cookie", forged.as_str())],
            vec![host, ("cookie", own.as_str())],
            vec![cookie],
            vec![host, host, ("host", "rebound.example"), cookie],
            vec![("host", "rebound.example"), cookie],
            vec![("host", "localhost.rebound.example"), cookie],
            vec![("host", "10.0.0.1:4000"), cookie],
            vec![host, cookie, ("origin", "http://rebound.example")],
            vec![host, cookie, ("origin", "http://127.0.0.1:4001")],
            vec![host, cookie, ("origin", "https://127.0.0.1:4000")],
            vec![host, cookie, ("origin", "null")],
            vec![host, cookie, ("sec-fetch-site", "cross-site")],
            vec![host, cookie, ("sec-fetch-site", "same-site")],
        ];
        let forwarded = [
            "x-forwarded-for",
            "x-forwarded-host",
            "forwarded",
            "via",
            "x-real-ip",
            "cf-connecting-ip",
        ];
        refused.extend(forwarded.map(|name| vec![host, cookie, (name, "127.0.0.1")]));
        assert!(paths(For::Authors).len() >= 20, "{:?}", paths(For::Authors));
        for path in paths(For::Authors) {
            let path = asked(path);
            for method in ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"] {
                for headers in &refused {
                    assert_eq!(
                        preview.status(method, &path, headers),
                        403,
                        "{method} {path} {headers:?}"
                    );
                }
            }
            let may = [
                vec![host, cookie],
                vec![("host", "my.localhost:4000"), cookie],
                vec![("host", "[::1]"), cookie],
            ];
            for headers in may {
                assert_ne!(
                    preview.status("GET", &path, &headers),
                    403,
                    "{path} {headers:?}"
                );
            }
        }
        // The address with the token is not for proxies either.
        let address = format!("/{}", preview.cookie.replacen("sitegen-4000", "?token", 1));
        assert_eq!(preview.status("GET", &address, &[host]), 303);
        assert_ne!(
            preview.status("GET", &address, &[host, ("via", "1.1 proxy")]),
            303
        );
        assert_eq!(
            preview.status("GET", &address, &[("host", "rebound.example")]),
            403
        );
    }

    #[test]
    fn what_everybody_may_ask_of_the_api_is_listed() {
        let preview = preview(Access::default());
        let metrics = |headers: &[(&str, &str)]| preview.status("GET", "/api/metrics", headers);
        assert_eq!(metrics(&[("host", HOST)]), 404);
        assert_eq!(
            preview.status("GET", "/api/openapi.json", &[("host", HOST)]),
            200
        );
        assert_eq!(
            preview.status("GET", "/api/openapi.json", &[("host", "rebound.example")]),
            403
        );
    }

    #[test]
    fn a_proxy_passes_on_who_has_the_token_if_it_is_known() {
        let access = Access {
            hosts: vec![".site.example".to_owned()],
            is_behind_proxy: true,
        };
        let preview = preview(access);
        let from = |host| {
            [
                ("host", host),
                ("x-forwarded-for", "203.0.113.7"),
                ("via", "1.1 proxy"),
            ]
        };
        let by = |host: &'static str, origin: &'static str| {
            let headers = [
                &from(host)[..],
                &[("cookie", preview.cookie.as_str()), ("origin", origin)],
            ]
            .concat();
            preview.status("GET", "/admin/", &headers)
        };
        assert_eq!(
            by("preview.site.example", "https://preview.site.example"),
            200
        );
        assert_eq!(by("site.example", "http://site.example"), 200);
        assert_eq!(by("other.example", "https://other.example"), 403);
        assert_eq!(by("site.example", "https://other.example"), 403);
        assert_eq!(preview.status("GET", "/admin/", &from("site.example")), 403);
    }

    /// Paths, queries and headers at random: no request ends the preview or is answered with a fault of the server.
    #[test]
    fn any_request_is_answered() {
        use proptest::prelude::*;
        let preview = preview(Access::default());
        let segments = [
            "/",
            "..",
            ".",
            "%2e%2e",
            "%2f",
            "%00",
            "%ff",
            "%",
            "\\",
            "a",
            "index.html",
            "api",
            "posts",
            "leads",
            "admin",
            "_sitegen",
            "panel.js",
            "config.json",
            "?",
            "path=",
            "q=",
            "page=1",
            "&",
            "=",
            "%C3%A9",
            ";",
            "'",
            "~",
            ".git",
            "_assets",
            "*",
        ];
        let paths: Vec<&str> = ENDPOINTS.iter().map(|endpoint| endpoint.path).collect();
        let path = (
            prop::sample::select(paths),
            prop::collection::vec(prop::sample::select(segments.to_vec()), 0..10),
        );
        let methods = prop::sample::select(vec![
            "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "X",
        ]);
        let value = "[ -~]{0,20}";
        let mut runner = proptest::test_runner::TestRunner::default();
        let tried = runner.run(
            &(path, methods, value, any::<bool>()),
            |((start, rest), method, value, is_author)| {
                let path = format!("{}/{}", asked(start).trim_end_matches('/'), rest.concat());
                if path.parse::<axum::http::Uri>().is_err() {
                    return Ok(());
                }
                let mut headers = vec![
                    ("host", HOST),
                    ("range", value.as_str()),
                    ("if-none-match", value.as_str()),
                ];
                headers.extend(is_author.then_some(("cookie", preview.cookie.as_str())));
                let status = preview.status(method, &path, &headers);
                prop_assert!(
                    !status.is_server_error() || status == StatusCode::SERVICE_UNAVAILABLE,
                    "{} {}: {}",
                    method,
                    path,
                    status
                );
                Ok(())
            },
        );
        tried.expect("each request is answered");
    }
}
