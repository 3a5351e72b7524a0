//! Prevents requests to private addresses (SSRF): a compromised CMS, or a link in one of its posts, must not reach
//! other machines in the network of the build.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// A DNS resolver that drops private addresses, and fails if no other is left.
pub struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let lookup = move || {
                (name.as_str(), 0)
                    .to_socket_addrs()
                    .map(Iterator::collect::<Vec<SocketAddr>>)
            };
            let found = tokio::task::spawn_blocking(lookup).await??;
            let public: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| !is_private(address.ip()))
                .collect();
            if public.is_empty() {
                return Err(
                    "the name resolves to a private address, and requests to private addresses are refused"
                        .into(),
                );
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// Whether two URLs have the same origin: scheme, host and port.
pub fn same_origin(a: &Url, b: &Url) -> bool {
    a.scheme() == b.scheme()
        && a.host_str() == b.host_str()
        && a.port_or_known_default() == b.port_or_known_default()
}

/// Why a URL outside the CMS may not be requested; `None` if it may. Host names are checked by [`PublicOnly`].
pub fn refusal(url: &Url) -> Option<String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Some(format!(
            "URLs with the scheme `{}:` are not fetched",
            url.scheme()
        ));
    }
    let host = url
        .host_str()?
        .trim_start_matches('[')
        .trim_end_matches(']');
    let is_private = host.parse::<IpAddr>().is_ok_and(is_private);
    is_private
        .then(|| format!("`{host}` is a private address, which is only allowed in `blog.url`"))
}

fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a, b & 0xc0) == (100, 64)
        || (a, b & 0xfe) == (198, 18)
        || (a, b, c) == (192, 0, 0)
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // IPv6 addresses that embed an IPv4 address: mapped, translated (64:ff9b::/96) or tunneled (2002::/16).
    let low = (u32::from(segments[6]) << 16) | u32::from(segments[7]);
    let tunneled = (u32::from(segments[1]) << 16) | u32::from(segments[2]);
    let inner = match segments {
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(low),
        [0x2002, ..] => Some(tunneled),
        // Teredo inverts the bits of the client's address.
        [0x2001, 0, ..] => Some(!low),
        _ => None,
    };
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || (segments[0] & 0xfe00) == 0xfc00
        || (segments[0] & 0xffc0) == 0xfe80
        // Site-local (deprecated), and translation inside one network (RFC 8215).
        || (segments[0] & 0xffc0) == 0xfec0
        || segments[..3] == [0x64, 0xff9b, 1]
        || inner.is_some_and(|inner| is_private_v4(Ipv4Addr::from(inner)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_refused_in_every_notation() {
        let written = [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://10.0.0.8:8080/",
            "http://192.168.1.1/",
            "http://172.16.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://0.0.0.0/",
            "http://100.64.0.1/",
            "http://[::1]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
            "http://[fec0::1]/",
            "http://[64:ff9b:1::7f00:1]/",
            "file:///etc/passwd",
        ];
        for text in written {
            let url = Url::parse(text).expect("an address");
            assert!(refusal(&url).is_some(), "{text}");
        }
    }

    #[test]
    fn public_addresses_are_allowed() {
        for text in [
            "http://93.184.215.14/",
            "https://[2606:2800:21f::1]/",
            "https://cms.example/",
        ] {
            assert_eq!(
                refusal(&Url::parse(text).expect("an address")),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn another_port_is_another_origin() {
        let url = |text| Url::parse(text).expect("an address");
        assert!(same_origin(
            &url("https://a.example/x"),
            &url("https://a.example:443/y")
        ));
        assert!(!same_origin(
            &url("http://a.example/"),
            &url("http://a.example:8080/")
        ));
        assert!(!same_origin(
            &url("https://a.example/"),
            &url("http://a.example/")
        ));
    }
}
