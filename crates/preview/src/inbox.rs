//! `sitegen leads serve`: an inbox for leads, as pages that need no script. Lists, searches, shows and exports leads; with
//! `--allow-changes` also marks, releases, retries and forgets them.
//!
//! It has no login. On this machine, only the browser that has opened the printed address is answered; for others, a proxy
//! that knows who asks stands in front of it, and names them in a header (`inbox/guard.rs`).

mod actions;
mod answer;
mod filters;
mod guard;
mod pages;
mod show;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler as _;
use axum::http::HeaderName;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use minijinja::{Environment, UndefinedBehavior};

use api::leads::{SiteFile, Store};
use api::listen::Limits;
use diagnostics::problem::{Code, Problem};

use super::gate::{Access, Gate, ServerCommand};
use super::table::{self, For, ServerEndpoint};
use super::{bind, outside};

use guard::Tokens;

/// The settings of the inbox.
#[derive(Debug)]
pub struct InboxSettings {
    /// Where the leads are.
    pub store: Arc<dyn Store>,
    /// The forms of the site, as its build describes them.
    pub site: SiteFile,
    /// The address to listen on.
    pub host: String,
    /// The port; 0 picks a free one.
    pub port: u16,
    /// The header in which a proxy names who asks.
    pub trusted_header: Option<String>,
    /// Further names of this server.
    pub allowed_hosts: Vec<String>,
    /// Whether leads may be changed.
    pub allows_changes: bool,
}

/// How the inbox is started.
const COMMAND: ServerCommand = ServerCommand {
    name: "sitegen leads serve",
    behind_proxy: "--trust-header NAME",
};

/// Bytes that a request may have: the ids of a page of leads.
const BODY_MAX: usize = 64 * 1024;

/// The state that the handlers share.
#[derive(Debug)]
struct Inbox {
    store: Arc<dyn Store>,
    site: SiteFile,
    templates: Environment<'static>,
    gate: Gate,
    /// The header in which a proxy names who asks.
    trusted: Option<HeaderName>,
    tokens: Tokens,
    allows_changes: bool,
}

impl Inbox {
    /// The time zone of the site, in which times are shown.
    fn zone(&self) -> String {
        self.site
            .get()
            .map(|site| site.timezone.clone())
            .filter(|zone| !zone.is_empty())
            .unwrap_or_else(|| "UTC".into())
    }
}

/// Serves the inbox until the process receives a signal to stop. `ready` gets the address. An error if it cannot listen, or if
/// leads would be shown to whoever asks.
pub async fn serve(settings: InboxSettings, ready: impl FnOnce(&str)) -> Result<(), Problem> {
    let trusted = settings
        .trusted_header
        .as_deref()
        .map(header_name)
        .transpose()?;
    let access = Access {
        hosts: settings.allowed_hosts,
        is_behind_proxy: trusted.is_some(),
    };
    access.check()?;
    let listener = bind(&settings.host, settings.port, COMMAND)?;
    let address = listener
        .local_addr()
        .map_err(|error| outside("the inbox could not start", &error))?;
    if trusted.is_none() && !address.ip().is_loopback() {
        let message = format!(
            "`{}` can be reached from the network, where anyone could read the leads",
            settings.host
        );
        let hint = "put a proxy that identifies users in front of the inbox, and name its header with `--trust-header`";
        return Err(Problem::error(Code::BadSetting, message).hint(hint));
    }
    let gate = Gate::new(address, &settings.host, access, COMMAND)?;
    let query = if trusted.is_some() {
        String::new()
    } else {
        gate.query()
    };
    let inbox = Arc::new(Inbox {
        store: settings.store,
        site: settings.site,
        templates: templates(),
        gate,
        trusted,
        tokens: Tokens::new()?,
        allows_changes: settings.allows_changes,
    });
    let started = async {
        listener.set_nonblocking(true)?;
        tokio::net::TcpListener::from_std(listener)
    };
    let listener = started
        .await
        .map_err(|error| outside("the inbox could not start", &error))?;
    let limits = Limits::of(
        &api::Settings::standard().map_err(|why| Problem::error(Code::BadSetting, why))?,
    );
    ready(&format!("http://{address}/{query}"));
    api::listen::serve(listener, router(&inbox), limits, api::stopped()).await;
    Ok(())
}

fn header_name(name: &str) -> Result<HeaderName, Problem> {
    HeaderName::try_from(name).map_err(|_| {
        let message = format!("`--trust-header {name}` is not a header name");
        Problem::error(Code::BadSetting, message)
            .hint("write it as the proxy does, for example `X-Forwarded-User`")
    })
}

/// The addresses of the inbox. Each is behind its guard.
const ENDPOINTS: &[ServerEndpoint<Inbox>] = &[
    ServerEndpoint {
        path: "/",
        who: For::Authors,
        handler: || get(pages::list),
        limit: 0,
    },
    ServerEndpoint {
        path: "/inbox.css",
        who: For::Authors,
        handler: || get(pages::style),
        limit: 0,
    },
    ServerEndpoint {
        path: "/export.csv",
        who: For::Authors,
        handler: || get(pages::csv),
        limit: 0,
    },
    ServerEndpoint {
        path: "/export.json",
        who: For::Authors,
        handler: || get(pages::json),
        limit: 0,
    },
    ServerEndpoint {
        path: "/lead/{id}",
        who: For::Authors,
        handler: || get(pages::lead),
        limit: 0,
    },
    ServerEndpoint {
        path: "/lead/{id}/file/{number}",
        who: For::Authors,
        handler: || get(pages::file),
        limit: 0,
    },
    ServerEndpoint {
        path: "/lead/{id}/forget",
        who: For::Authors,
        handler: || get(pages::forget).post(actions::forget),
        limit: BODY_MAX,
    },
    ServerEndpoint {
        path: "/lead/{id}/release",
        who: For::Authors,
        handler: || post(actions::release),
        limit: BODY_MAX,
    },
    ServerEndpoint {
        path: "/lead/{id}/retry",
        who: For::Authors,
        handler: || post(actions::retry),
        limit: BODY_MAX,
    },
    ServerEndpoint {
        path: "/mark",
        who: For::Authors,
        handler: || post(actions::mark),
        limit: BODY_MAX,
    },
];

fn router(inbox: &Arc<Inbox>) -> Router {
    let guard = from_fn_with_state(Arc::clone(inbox), guard::check);
    table::router(ENDPOINTS, |handler| handler.layer(guard.clone()))
        .fallback(pages::missing.layer(guard.clone()))
        .with_state(Arc::clone(inbox))
}

/// The templates of the pages, which are part of the program. A value that they lack is an error, not an empty text.
fn templates() -> Environment<'static> {
    const TEMPLATES: [(&str, &str); 5] = [
        ("layout.html", include_str!("inbox/layout.html")),
        ("list.html", include_str!("inbox/list.html")),
        ("lead.html", include_str!("inbox/lead.html")),
        ("forget.html", include_str!("inbox/forget.html")),
        ("message.html", include_str!("inbox/message.html")),
    ];
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    for (name, source) in TEMPLATES {
        // A test renders each of them.
        let _ = environment.add_template(name, source);
    }
    environment
}

#[cfg(test)]
mod tests;
