//! Endpoints as data: the only place of this crate that adds a route to a router. A handler that no table lists cannot
//! be asked, and the tests ask everything that a table lists in every wrong way.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::MethodRouter;

/// Visitors that may ask for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// Everybody: nothing of the sources is in the answer, unless an author asks.
    Everybody,
    /// Those who have the token: the answer names sources or leads, or changes them.
    Authors,
}

/// An address of a server.
#[derive(Debug)]
pub(super) struct ServerEndpoint<S: 'static> {
    pub path: &'static str,
    pub who: For,
    pub handler: fn() -> MethodRouter<Arc<S>>,
    /// Bytes that a request may have.
    pub limit: usize,
}

/// A router of all endpoints of a table. `authors_only` refuses everybody else.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the place where tables become routers"
)]
pub(super) fn router<S: Send + Sync + 'static>(
    endpoints: &[ServerEndpoint<S>],
    authors_only: impl Fn(MethodRouter<Arc<S>>) -> MethodRouter<Arc<S>>,
) -> Router<Arc<S>> {
    endpoints.iter().fold(Router::new(), |router, endpoint| {
        let handler = (endpoint.handler)().layer(DefaultBodyLimit::max(endpoint.limit));
        router.route(
            endpoint.path,
            match endpoint.who {
                For::Everybody => handler,
                For::Authors => authors_only(handler),
            },
        )
    })
}
