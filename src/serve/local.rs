//! Answers only requests of this machine, from a page of this server. What the preview says about files is for the person
//! who writes them: not for other machines, for pages of other sites, or for a name that was made to lead here.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Refuses requests that are not local.
pub(super) async fn only(ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request, next: Next) -> Response {
    if is_local(peer, request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "only pages of the preview on this machine may ask\n").into_response()
    }
}

/// Whether a request comes from this machine, names it as this machine, and comes from no page of another site.
pub(super) fn is_local(peer: SocketAddr, headers: &HeaderMap) -> bool {
    let text = |name: &header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(host) = text(&header::HOST) else { return false };
    let origin = text(&header::ORIGIN);
    let is_own_origin = origin.is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or_default());
    let is_own_site = site.is_none_or(|site| matches!(site, "same-origin" | "none"));
    peer.ip().to_canonical().is_loopback() && is_own_name(host) && is_own_origin && is_own_site
}

/// Whether a name with a port can only mean this machine.
fn is_own_name(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.to_ascii_lowercase();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&name);
    name == "localhost"
        || name.ends_with(".localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, headers: &[(&'static str, &str)], expect: bool) {
        let peer = SocketAddr::new(peer.parse().expect("an address"), 50_000);
        let headers = headers
            .iter()
            .map(|(name, value)| (header::HeaderName::from_static(name), value.parse().expect("a value")));
        let headers: HeaderMap = headers.collect();
        assert_eq!(is_local(peer, &headers), expect, "{peer} {headers:?}");
    }

    #[test]
    fn this_machine_may_ask() {
        for host in ["127.0.0.1:4000", "localhost:4000", "LOCALHOST", "my.localhost:4000", "[::1]:4000", "127.1.2.3"] {
            check("127.0.0.1", &[("host", host)], true);
        }
        check("::ffff:127.0.0.1", &[("host", "localhost")], true);
        let own = [("host", "localhost:1"), ("origin", "http://localhost:1"), ("sec-fetch-site", "same-origin")];
        check("::1", &own, true);
    }

    #[test]
    fn others_may_not() {
        check("192.168.1.7", &[("host", "127.0.0.1:4000")], false);
        check("127.0.0.1", &[], false);
        for host in
            ["rebound.example:4000", "localhost.example", "127.0.0.1.example", "[::2]:1", "10.0.0.1", "localhost:x"]
        {
            check("127.0.0.1", &[("host", host)], false);
        }
        for origin in ["http://other.example", "http://localhost:2", "https://localhost:1", "null"] {
            check("127.0.0.1", &[("host", "localhost:1"), ("origin", origin)], false);
        }
        for site in ["cross-site", "same-site"] {
            check("127.0.0.1", &[("host", "localhost:1"), ("sec-fetch-site", site)], false);
        }
    }
}
