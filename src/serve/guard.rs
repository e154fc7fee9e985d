//! Who may ask: this machine's own pages, or whoever has the token.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{Refusal, Server};
use crate::players::kit;

/// Header that a page of another site cannot send without asking first.
const OWN: &str = "x-matchq";

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: \
    blob:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Rules for requests.
pub struct Guard {
    /// Names of this machine by which a page on it may ask, on any port, as a tunnel has its own; any name, where a
    /// token is needed.
    hosts: Option<[String; 4]>,
    /// What requests of the interface must show, beyond this machine.
    token: Option<String>,
}

impl Guard {
    pub fn new(address: SocketAddr) -> Self {
        if address.ip().is_loopback() {
            let hosts = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned(), host(address)];
            return Self { hosts: Some(hosts), token: None };
        }
        let mut token = String::new();
        kit::random_seed().to_le_bytes().iter().for_each(|byte| {
            write!(token, "{byte:02x}").ok(); // Writing to a String cannot fail.
        });
        Self { hosts: None, token: Some(token) }
    }

    /// The page's address, with the token if one is needed.
    pub fn link(&self, address: SocketAddr) -> String {
        let token = self.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        format!("http://{}:{}/{token}", host(address), address.port())
    }

    /// Why a request is refused, if it is.
    fn refusal(&self, method: &Method, headers: &HeaderMap, is_api: bool) -> Option<String> {
        let text = |name: &str| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let host = text("host").unwrap_or_default().to_ascii_lowercase();
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.iter().any(|name| name == without_port(&host))) {
            return Some(format!(
                "this server answers pages of this machine alone: ask it by localhost or 127.0.0.1, not by {host:?}; to \
                 be asked by other names it needs --listen 0.0.0.0:PORT, and its link then has a token"
            ));
        }
        // The files hold no secret.
        if !is_api {
            return None;
        }
        let own = |origin: &str| origin.strip_prefix("http://").or(origin.strip_prefix("https://")) == Some(&host);
        if let Some(origin) = text("origin").filter(|origin| !own(&origin.to_ascii_lowercase())) {
            return Some(format!(
                "this server answers its own pages alone: the page is from {origin:?}, and the header Host names \
                 {host:?}; a proxy between them must pass the browser's Host on (nginx: proxy_set_header Host $http_host)"
            ));
        }
        // Pictures and links of other sites' pages carry no origin.
        if text("sec-fetch-site").is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Some("this server answers its own pages alone".to_owned());
        }
        if *method != Method::GET && *method != Method::HEAD && !headers.contains_key(OWN) {
            return Some("a request that changes something needs the header X-Matchq: 1".to_owned());
        }
        None
    }

    /// Whether the token is given, as a header or, for event streams, in the address.
    fn knows(&self, headers: &HeaderMap, query: &str) -> bool {
        let Some(token) = &self.token else { return true };
        let header = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = header.and_then(|value| value.strip_prefix("Bearer "));
        let given = given.or_else(|| query.split('&').find_map(|pair| pair.strip_prefix("token=")));
        given.is_some_and(|given| same(given.as_bytes(), token.as_bytes()))
    }
}

/// A host's name, without the port behind it.
fn without_port(host: &str) -> &str {
    let is_port = |(_, port): &(&str, &str)| port.bytes().all(|byte| byte.is_ascii_digit());
    host.rsplit_once(':').filter(is_port).map_or(host, |(name, _)| name)
}

fn host(address: SocketAddr) -> String {
    if address.is_ipv6() { format!("[{}]", address.ip()) } else { address.ip().to_string() }
}

/// Whether two texts are equal, in a time that does not tell where they differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

/// Checks every request, and tells browsers what the page may do.
pub async fn check(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let mut response =
        match server.guard.refusal(request.method(), request.headers(), request.uri().path().starts_with("/api")) {
            Some(sentence) => Refusal(StatusCode::FORBIDDEN, sentence).into_response(),
            None => next.run(request).await,
        };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Asks for the token.
pub async fn check_api(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    match server.guard.knows(request.headers(), request.uri().query().unwrap_or_default()) {
        true => next.run(request).await,
        false => {
            let sentence = "this server is for people with its link: the link ends in ?token=...";
            Refusal(StatusCode::UNAUTHORIZED, sentence.to_owned()).into_response()
        }
    }
}
