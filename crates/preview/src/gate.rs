//! Who may ask the preview for what.
//!
//! Whoever starts the preview gets an address with a token. Opened once, it leaves a cookie, and only who has that learns of
//! files or changes them. The address of the client proves nothing: a proxy on this machine asks for others. Every request
//! must name an allowed host, so that no other site can make its name lead here and read pages.

use std::net::{IpAddr, SocketAddr};

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SecureRandom as _;

use api_types::html::escape;
use diagnostics::problem::{Code, Problem};

/// The parameter of an address that holds the token.
const PARAMETER: &str = "token";
/// Random bytes of a token.
const TOKEN_BYTES: usize = 24;

/// Headers with which a proxy tells of the client that it asks for.
const FORWARDED: &[&str] = &[
    "cdn-loop",
    "client-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "forwarded",
    "true-client-ip",
    "via",
    "x-amzn-trace-id",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-forwarded",
    "x-host",
    "x-real-ip",
    "x-request-start",
    "x-scheme",
];
/// Beginnings of names of such headers.
const FORWARDED_PREFIXES: &[&str] = &[
    "cf-",
    "cloudfront-",
    "x-appengine-",
    "x-azure-",
    "x-envoy-",
    "x-forwarded-",
    "x-original-",
    "x-proxy",
];

/// The access that the command line grants.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Further names of this server. One that begins with a dot is that of a domain with all below it.
    pub hosts: Vec<String>,
    /// Whether a proxy stands in front of the server.
    pub is_behind_proxy: bool,
}

impl Access {
    /// An error for a name that no request can have.
    pub fn check(&self) -> Result<(), Problem> {
        match self.hosts.iter().find(|name| !is_name(name)) {
            Some(name) => {
                let problem = Problem::error(
                    Code::BadSetting,
                    format!("`--allowed-host {name}` is not a host name"),
                );
                Err(problem
                    .hint("write the name alone, such as `--allowed-host preview.example.com`"))
            }
            None => Ok(()),
        }
    }
}

/// Tells whether a text can be the name of a host, or of all hosts below one.
fn is_name(name: &str) -> bool {
    let bare = name.strip_prefix('.').unwrap_or(name);
    address_of(name).is_some()
        || bare.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        })
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visitor {
    /// Sees pages as everyone will.
    Reader,
    /// Has the token: sees files and problems, and edits.
    Author,
}

impl Visitor {
    /// Who asks. Without the gate, nobody is an author.
    pub fn of(request: &Request) -> Visitor {
        request
            .extensions()
            .get()
            .copied()
            .unwrap_or(Visitor::Reader)
    }
}

/// How a server is started, for what it says to who may not ask.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerCommand {
    /// The command.
    pub name: &'static str,
    /// The options that it needs behind a proxy.
    pub behind_proxy: &'static str,
}

/// The gate that every request passes.
#[derive(Debug)]
pub(super) struct Gate {
    token: String,
    /// The name of the cookie. Cookies are of a host, whatever the port, so the port is part of the name.
    cookie: String,
    /// The address that the server listens on.
    listens: IpAddr,
    /// `--host`.
    named: String,
    access: Access,
    command: ServerCommand,
}

/// The decision of the gate about a request.
pub(super) enum Passage {
    /// It goes on.
    Visitor(Visitor),
    /// It is answered.
    Answer(Box<Response>),
}

impl Gate {
    /// A gate with a new token. An error if the system has no random numbers.
    pub fn new(
        listens: SocketAddr,
        named: &str,
        access: Access,
        command: ServerCommand,
    ) -> Result<Gate, Problem> {
        let mut bytes = [0; TOKEN_BYTES];
        let random = ring::rand::SystemRandom::new().fill(&mut bytes);
        random.map_err(|_| {
            Problem::error(
                Code::ListenFailed,
                "the system could not generate a random token",
            )
        })?;
        let cookie = format!("sitegen-{}", listens.port());
        let (token, named) = (
            BASE64_URL_SAFE_NO_PAD.encode(bytes),
            named.to_ascii_lowercase(),
        );
        Ok(Gate {
            token,
            cookie,
            listens: listens.ip().to_canonical(),
            named,
            access,
            command,
        })
    }

    /// The query of the address that makes its opener an author.
    pub fn query(&self) -> String {
        format!("?{PARAMETER}={}", self.token)
    }

    /// Looks at a request before anything else does.
    pub fn pass(&self, request: &Request) -> Passage {
        let (uri, headers) = (request.uri(), request.headers());
        if let Err(host) = self.host(uri, headers) {
            return Passage::Answer(Box::new(self.unknown_host(&host)));
        }
        let is_forwarded = !self.access.is_behind_proxy && headers.keys().any(is_forwarding);
        if !is_forwarded
            && matches!(*request.method(), Method::GET | Method::HEAD)
            && let Some(clean) = self.without_token(uri)
        {
            return Passage::Answer(Box::new(self.welcome(&clean, headers)));
        }
        let is_author = !is_forwarded && self.is_own_page(headers) && self.has_cookie(headers);
        Passage::Visitor(if is_author {
            Visitor::Author
        } else {
            Visitor::Reader
        })
    }

    /// The host that a request names, if it is an allowed one; else what it names.
    pub fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
        let named = headers
            .get_all(header::HOST)
            .iter()
            .map(|host| host.to_str().unwrap_or_default());
        let mut hosts: Vec<&str> = named
            .chain(uri.authority().map(Authority::as_str))
            .collect();
        hosts.dedup();
        // Two names are no name: a proxy may go by one and this server by the other.
        match hosts[..] {
            [host] if self.is_allowed(host) => Ok(()),
            [host] => Err(host.to_owned()),
            _ => Err(String::new()),
        }
    }

    fn is_allowed(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let name = name.to_ascii_lowercase();
        if let Some(address) = address_of(&name) {
            // Whoever writes an address reaches what is there: no name was made to lead here. A server that listens on
            // all addresses has them all.
            return address.is_loopback()
                || self.listens.is_unspecified()
                || address == self.listens
                || self.is_named(&name);
        }
        name == "localhost" || name.ends_with(".localhost") || self.is_named(&name)
    }

    fn is_named(&self, name: &str) -> bool {
        self.access.hosts.iter().chain([&self.named]).any(|known| {
            let known = known.to_ascii_lowercase();
            name == known
                || (known.starts_with('.') && (name.ends_with(&known) || *name == known[1..]))
                || address_of(name).is_some_and(|address| address_of(&known) == Some(address))
        })
    }

    /// The path and query of an address without the token, if it has the right one.
    fn without_token(&self, uri: &Uri) -> Option<String> {
        let (tokens, rest): (Vec<&str>, Vec<&str>) = uri.query()?.split('&').partition(|part| {
            let token = part
                .strip_prefix(PARAMETER)
                .and_then(|rest| rest.strip_prefix('='));
            token.is_some_and(|token| self.is_token(token))
        });
        tokens.first()?;
        // Two slashes would lead to another host.
        let path = uri.path().trim_start_matches(['/', '\\']);
        Some(format!(
            "/{path}{}{}",
            if rest.is_empty() { "" } else { "?" },
            rest.join("&")
        ))
    }

    /// Leaves the cookie, and leads to the address without the token.
    fn welcome(&self, clean: &str, headers: &HeaderMap) -> Response {
        let cookie = format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie, self.token
        );
        let is_from_elsewhere = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site == "cross-site" || site == "same-site");
        let mut response = if is_from_elsewhere {
            // A page that another site links to gets no such cookie, nor do its redirects. A page of this site has to
            // link on.
            let page = format!(
                "<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0; url={}\">\n",
                escape(clean)
            );
            Html(page).into_response()
        } else {
            (StatusCode::SEE_OTHER, [(header::LOCATION, clean)]).into_response()
        };
        let headers = response.headers_mut();
        // Not a value that cannot be written in a header: a token is letters and digits.
        headers.extend(
            HeaderValue::from_str(&cookie)
                .ok()
                .map(|cookie| (header::SET_COOKIE, cookie)),
        );
        headers.insert(
            header::REFERRER_POLICY,
            HeaderValue::from_static("no-referrer"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// Whether no page of another site asks.
    pub fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let [host, origins, sites] = ["host", "origin", "sec-fetch-site"].map(|name| {
            headers
                .get_all(name)
                .iter()
                .map(|value| value.to_str().unwrap_or_default())
                .collect::<Vec<_>>()
        });
        let host = host.first().copied().unwrap_or_default();
        origins.iter().all(|origin| {
            let secure = origin
                .strip_prefix("https://")
                .filter(|_| self.access.is_behind_proxy);
            origin
                .strip_prefix("http://")
                .or(secure)
                .is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        }) && sites
            .iter()
            .all(|site| matches!(*site, "same-origin" | "none"))
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let mut pairs = cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && self.is_token(value))
    }

    /// The answer to a request under a name that is not allowed.
    pub fn unknown_host(&self, host: &str) -> Response {
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let text = if host.is_empty() {
            "<h1>This request has no host name</h1>".to_owned()
        } else {
            let (name, command) = (escape(name), self.command.name);
            format!(
                "<h1>This server is not known as {name}</h1>\n<p>Another site may have pointed its name here. If the name is yours, start the server with <code>{command} --allowed-host {name}</code>.</p>"
            )
        };
        refusal(&text)
    }

    /// The answer to who has no token.
    pub fn no_token(&self) -> Response {
        let ServerCommand { name, behind_proxy } = self.command;
        refusal(&format!(
            "<h1>This page is for the author of the site</h1>\n<p>Open the URL that <code>{name}</code> printed in the terminal. It ends with a token, which this browser needs once.</p>\n<p>Behind a proxy, start the server with <code>{behind_proxy}</code>.</p>"
        ))
    }

    /// Compares in a time that tells nothing of the token: hashes compare so.
    fn is_token(&self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == blake3::hash(self.token.as_bytes())
    }
}

/// An address as a host of a request is written, in brackets or not.
fn address_of(name: &str) -> Option<IpAddr> {
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    bare.parse()
        .ok()
        .map(|address: IpAddr| address.to_canonical())
}

fn is_forwarding(name: &HeaderName) -> bool {
    let name = name.as_str();
    FORWARDED.contains(&name)
        || FORWARDED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

fn refusal(text: &str) -> Response {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Refused</title>\n{text}\n</html>\n"
    );
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (StatusCode::FORBIDDEN, headers, Html(page)).into_response()
}
