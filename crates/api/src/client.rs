//! The address of a client: that of the connection, or the one that a trusted proxy wrote into a header.
//!
//! A header is believed only from a peer in `TRUSTED_PROXIES`, or with the secret that a CDN adds (`origin.rs`). Each proxy
//! appends the address that it saw, so the list is read from its end, and the first address that is not itself a trusted
//! proxy counts, as with nginx's `real_ip_recursive`. Everything before it may have been written by the visitor.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use ipnet::{IpNet, Ipv4Net};

use super::origin::FromOrigin;

/// CloudFront's header, which always ends with a port: `2001:db8::1:46532`, without brackets.
const CLOUDFRONT: HeaderName = HeaderName::from_static("cloudfront-viewer-address");
/// The header of RFC 7239.
const FORWARDED: HeaderName = HeaderName::from_static("forwarded");
/// The header that nearly all proxies know.
pub(super) const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Request extension with the address that a platform without connections reports, such as Lambda.
#[derive(Debug, Clone, Copy)]
pub struct SourceAddress(pub IpAddr);

/// The proxies in front of the API, and the header in which they name the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// The networks of the proxies.
    networks: Vec<IpNet>,
    /// The header with the client address; `None` if no header is believed.
    header: Option<HeaderName>,
}

impl Proxies {
    /// Proxies in these networks, which name the client in `header`.
    pub fn new(networks: Vec<IpNet>, header: Option<HeaderName>) -> Proxies {
        Proxies {
            networks: networks
                .into_iter()
                .map(|network| canonical(network).trunc())
                .collect(),
            header,
        }
    }

    /// Parses networks and addresses that are separated by commas or spaces. The error is the part that is neither.
    pub fn networks(text: &str) -> Result<Vec<IpNet>, String> {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        let network = |part: &str| {
            let address = || part.parse::<IpAddr>().map(IpNet::from).ok();
            let network = part.parse::<IpNet>().ok().or_else(address).map(canonical);
            // A network of all addresses would believe every visitor.
            network
                .filter(|network| network.prefix_len() > 0)
                .ok_or_else(|| part.to_owned())
        };
        parts.map(network).collect()
    }

    /// Whether the address is that of a trusted proxy.
    pub fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks
            .iter()
            .any(|network| network.contains(&address))
    }

    /// The address of the client. `None` if nobody reports one, or if a trusted proxy reports none that can be read: all
    /// such requests are one client.
    pub(super) fn client(&self, parts: &Parts) -> Option<IpAddr> {
        let reported = parts
            .extensions
            .get::<SourceAddress>()
            .map(|SourceAddress(address)| *address);
        let connected = || {
            parts
                .extensions
                .get::<ConnectInfo<SocketAddr>>()
                .map(|ConnectInfo(peer)| peer.ip())
        };
        let peer = reported.or_else(connected).map(|peer| peer.to_canonical());
        let is_believed = parts.extensions.get::<FromOrigin>().is_some()
            || peer.is_some_and(|peer| self.trusts(peer));
        match &self.header {
            Some(header) if is_believed => self.last_untrusted(&parts.headers, header),
            _ => peer,
        }
    }

    fn last_untrusted(&self, headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
        let mut first = None;
        for field in headers.get_all(name).iter().rev() {
            for item in String::from_utf8_lossy(field.as_bytes()).rsplit(',') {
                // Going on behind an address that cannot be read would believe what the visitor wrote.
                let address = read(name, item.trim())?;
                if !self.trusts(address) {
                    return Some(address);
                }
                first = Some(address);
            }
        }
        first
    }
}

/// The networks of an address, from wide to narrow: /32, /48 and /64 for IPv6, /16, /24 and /32 for IPv4. The narrowest one
/// is the client: whoever has one of its addresses has all of them.
pub(super) fn networks(address: IpAddr) -> [IpNet; 3] {
    let address = address.to_canonical();
    let lengths = if address.is_ipv4() {
        [16, 24, 32]
    } else {
        [32, 48, 64]
    };
    // The lengths are valid, so no network becomes a single address.
    lengths.map(|length| {
        IpNet::new(address, length)
            .unwrap_or(IpNet::from(address))
            .trunc()
    })
}

/// A network of IPv4 addresses that are written as IPv6 addresses (`::ffff:10.0.0.0/104`) as the IPv4 network.
fn canonical(network: IpNet) -> IpNet {
    let mapped = match (
        network.addr().to_canonical(),
        network.prefix_len().checked_sub(96),
    ) {
        (IpAddr::V4(address), Some(length)) if network.addr().is_ipv6() => {
            Ipv4Net::new(address, length).ok()
        }
        _ => None,
    };
    mapped.map_or(network, IpNet::V4)
}

/// Reads an item of a header with addresses.
fn read(header: &HeaderName, item: &str) -> Option<IpAddr> {
    if *header == CLOUDFRONT {
        return without_zone(item.rsplit_once(':')?.0);
    }
    if *header != FORWARDED {
        return address(item);
    }
    let pairs = item.split(';').filter_map(|pair| pair.split_once('='));
    let node = pairs
        .map(|(name, node)| (name.trim(), node.trim()))
        .find(|(name, _)| name.eq_ignore_ascii_case("for"))?
        .1;
    address(
        node.strip_prefix('"')
            .and_then(|node| node.strip_suffix('"'))
            .unwrap_or(node),
    )
}

/// Reads an address with or without a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`. `None` for
/// `unknown` and the made-up names of RFC 7239.
fn address(text: &str) -> Option<IpAddr> {
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((inside, port)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let is_whole = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return without_zone(inside).filter(|_| is_whole);
    }
    match text.split_once(':') {
        Some((address, port)) if is_port(port) => address.parse().map(IpAddr::V4).ok(),
        _ => without_zone(text),
    }
}

/// Reads an address, in brackets or not, without the zone of a link (`fe80::1%eth0`).
fn without_zone(text: &str) -> Option<IpAddr> {
    let text = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let address = text.split_once('%').map_or(text, |(address, _)| address);
    address
        .parse()
        .ok()
        .map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    const TRUSTED: &str = "10.0.0.0/8,127.0.0.1 ::1,2001:db8:ffff::/48";

    /// The client of a request from `peer`, with lines of headers such as `X-Forwarded-For: 192.0.2.1`.
    fn client(peer: &str, header: &'static str, lines: &[&str]) -> String {
        let mut request = Request::builder();
        for line in lines {
            request = request.header(header, *line);
        }
        let (mut parts, ()) = request.body(()).expect("a request").into_parts();
        parts.extensions.insert(ConnectInfo(SocketAddr::new(
            peer.parse().expect("a peer"),
            5000,
        )));
        let networks = Proxies::networks(TRUSTED).expect("networks");
        let proxies = Proxies::new(networks, Some(HeaderName::from_static(header)));
        proxies
            .client(&parts)
            .map_or("unknown".to_owned(), |address| address.to_string())
    }

    fn check(peer: &str, lines: &[&str], expect: &str) {
        assert_eq!(
            client(peer, "x-forwarded-for", lines),
            expect,
            "{peer} {lines:?}"
        );
    }

    #[test]
    fn the_last_address_that_is_no_proxy_counts() {
        check("127.0.0.1", &["192.0.2.1"], "192.0.2.1");
        check(
            "127.0.0.1",
            &["198.51.100.9, 192.0.2.1, 10.1.2.3"],
            "192.0.2.1",
        );
        check(
            "10.0.0.1",
            &["198.51.100.9", "192.0.2.1,10.1.2.3", "10.0.0.2"],
            "192.0.2.1",
        );
        check(
            "::ffff:10.0.0.1",
            &["::ffff:192.0.2.1, ::ffff:10.0.0.9"],
            "192.0.2.1",
        );
        check("::1", &["2001:db8::5, 2001:db8:ffff::1"], "2001:db8::5");
        check("127.0.0.1", &["10.0.0.7, 10.0.0.8"], "10.0.0.7");
    }

    #[test]
    fn only_a_trusted_peer_is_believed() {
        check("203.0.113.5", &["192.0.2.1"], "203.0.113.5");
        check("::ffff:203.0.113.5", &["192.0.2.1"], "203.0.113.5");
        check("127.0.0.2", &["192.0.2.1"], "127.0.0.2");
        check("2001:db8:fffe::1", &["192.0.2.1"], "2001:db8:fffe::1");
        assert_eq!(
            client(
                "203.0.113.5",
                "cloudfront-viewer-address",
                &["192.0.2.1:80"]
            ),
            "203.0.113.5"
        );
    }

    #[test]
    fn what_cannot_be_read_is_one_client() {
        check("127.0.0.1", &[], "unknown");
        for last in [
            "",
            " ",
            "unknown",
            "_hidden",
            "unix:",
            "192.0.2.300",
            "192.0.2.1:x",
            "[192.0.2.1",
            "2001:db8::g",
            "é",
        ] {
            check("127.0.0.1", &[&format!("192.0.2.1, {last}")], "unknown");
            check(
                "127.0.0.1",
                &["192.0.2.1", &format!("{last}, 10.0.0.1")],
                "unknown",
            );
        }
        check("127.0.0.1", &["unknown, 192.0.2.1"], "192.0.2.1");
    }

    #[test]
    fn ports_brackets_and_zones_are_read() {
        for (text, expect) in [
            ("192.0.2.1:80", "192.0.2.1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:DB8:0::1", "2001:db8::1"),
            ("2001:db8::1:4653", "2001:db8::1:4653"),
            ("fe80::1%eth0", "fe80::1"),
            ("[::ffff:192.0.2.1]:80", "192.0.2.1"),
            ("[2001:db8::1]x", "unknown"),
        ] {
            check("127.0.0.1", &[text], expect);
        }
    }

    #[test]
    fn other_headers_are_read_as_their_proxies_write_them() {
        for (header, text, expect) in [
            ("cloudfront-viewer-address", "192.0.2.1:46532", "192.0.2.1"),
            (
                "cloudfront-viewer-address",
                "2001:db8::1:4653",
                "2001:db8::1",
            ),
            (
                "cloudfront-viewer-address",
                "[2001:db8::1]:4653",
                "2001:db8::1",
            ),
            ("cloudfront-viewer-address", "192.0.2.1", "unknown"),
            (
                "forwarded",
                "for=198.51.100.9, proto=https;For=\"[2001:db8::1]:4711\";by=10.0.0.1",
                "2001:db8::1",
            ),
            ("forwarded", "for=\"a, for=192.0.2.1", "192.0.2.1"),
            ("forwarded", "for=192.0.2.1, for=_hidden", "unknown"),
            ("forwarded", "for=192.0.2.1, by=10.0.0.1", "unknown"),
            ("x-real-ip", "192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(
                client("127.0.0.1", header, &[text]),
                expect,
                "{header}: {text}"
            );
        }
    }

    #[test]
    fn networks_are_read() {
        let trusts = |networks: &str, address: &str| {
            Proxies::new(Proxies::networks(networks).expect("networks"), None)
                .trusts(address.parse().expect("an address"))
        };
        assert!(trusts("10.1.2.3/8", "10.255.0.1"));
        assert!(!trusts("10.1.2.3", "10.1.2.4"));
        assert!(
            trusts("::ffff:10.0.0.0/104", "10.9.9.9") && !trusts("::ffff:10.0.0.0/104", "11.0.0.1")
        );
        assert!(trusts("192.168.0.0/16, fd00::/8", "fd12::1"));
        for wrong in [
            "0.0.0.0/0",
            "::/0",
            "::ffff:0.0.0.0/96",
            "10.0.0.0/33",
            "proxy.example",
            "10.0.0",
        ] {
            assert_eq!(
                Proxies::networks(&format!("::1, {wrong}")),
                Err(wrong.to_owned())
            );
        }
    }

    #[test]
    fn networks_of_an_address_include_it() {
        let names = |text: &str| {
            networks(text.parse().expect("an address")).map(|network| network.to_string())
        };
        assert_eq!(
            names("2001:db8:1:2:3::4"),
            ["2001:db8::/32", "2001:db8:1::/48", "2001:db8:1:2::/64"]
        );
        assert_eq!(
            names("192.0.2.1"),
            ["192.0.0.0/16", "192.0.2.0/24", "192.0.2.1/32"]
        );
        assert_eq!(names("::ffff:192.0.2.1"), names("192.0.2.1"));
    }
}
