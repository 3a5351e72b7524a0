//! `sitegen leads serve`: its arguments, and what it prints.

use std::sync::Arc;

use clap::Args;

use api::leads::{SiteFile, Store};
use diagnostics::problem::Problem;
use preview::inbox::{self, InboxSettings};

use super::super::stdout;

#[derive(Debug, Args)]
pub(super) struct InboxArguments {
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 4200)]
    port: u16,
    /// The host name or IP address to listen on. Any address other than loopback requires `--trust-header`.
    #[arg(long, default_value = preview::DEFAULT_HOST)]
    host: String,
    /// The header in which a proxy in front of the inbox names the user, such as `X-Forwarded-User`. Requests without it are
    /// refused. The proxy must remove this header from incoming requests, and the inbox must be reachable only through the
    /// proxy.
    #[arg(long, value_name = "NAME")]
    trust_header: Option<String>,
    /// Also accept requests for this host name, such as `inbox.example.com`, or `.example.com` for that name and all its subdomains. Repeatable.
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,
    /// Allow leads to be released, retried, deleted and marked as read. By default, they're only shown.
    #[arg(long)]
    allow_changes: bool,
}

/// Serves the inbox until it is stopped.
pub(super) async fn serve(
    arguments: InboxArguments,
    store: Arc<dyn Store>,
    site: SiteFile,
) -> Result<(), Problem> {
    let settings = InboxSettings {
        store,
        site,
        host: arguments.host,
        port: arguments.port,
        trusted_header: arguments.trust_header,
        allowed_hosts: arguments.allowed_host,
        allows_changes: arguments.allow_changes,
    };
    inbox::serve(settings, |address| {
        stdout(&format!("Serving the inbox on {address}\n"));
    })
    .await
}
