//! Authentication, and the headers of every response.
//!
//! Any web page may control a browser on this machine. So over loopback every route, including
//! streams and the websocket, requires the token, our own name as the host, and no foreign origin.

use super::api_error::ApiError;
use super::app::{App, Counts};
use super::token::Token;
use super::web;
use super::web_codes::{cookie_name, counts};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use taffrail_context::PublicUrl;
use taffrail_model::Timestamp;

/// Where a request arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Surface {
    /// Our own programs.
    Socket,
    /// Programs and browsers with the token.
    Loopback,
}

/// The authentication rules of the loopback address.
#[derive(Debug)]
pub(super) struct Door {
    hosts: [String; 3],
    origins: [String; 3],
    token: Token,
    port: u16,
    cookie: String,
    /// The address of the user's own tunnel.
    public: Option<PublicUrl>,
}

/// The header that our pages set on every request that changes something.
const PAGE: &str = "x-taffrail-page";

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; \
    manifest-src 'self'; require-trusted-types-for 'script'; trusted-types taffrail-worker";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, CSP),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What a caller authenticated with. Checked again while the connection lasts.
#[derive(Debug, Clone)]
pub(super) enum Pass {
    /// The socket of our own programs, which needs no credentials.
    Ours,
    /// The token, as sent.
    Token(Arc<Door>, Vec<u8>),
    /// A cookie, as sent.
    Cookie(Arc<Door>, String),
}

/// How often an idle connection is checked.
const LOOKED_AT: Duration = Duration::from_millis(250);

impl Pass {
    /// True if these credentials are still valid.
    pub(super) fn holds(&self, app: &App) -> bool {
        match self {
            Self::Ours => true,
            Self::Token(door, token) => door.token.is(token),
            Self::Cookie(door, cookie) => {
                counts(&door.token, cookie, (app.handle().settings().now)())
            }
        }
    }

    /// Waits until these credentials are no longer valid.
    pub(super) async fn ended(&self, app: &App) {
        if matches!(self, Self::Ours) {
            return std::future::pending().await;
        }
        while self.holds(app) {
            tokio::time::sleep(LOOKED_AT).await;
        }
    }
}

impl Door {
    pub(super) fn new(address: SocketAddr, token: Token) -> Self {
        let port = address.port();
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        Self { hosts, origins, token, port, cookie: cookie_name(port), public: None }
    }

    /// The same also under the address of the user's own tunnel.
    pub(super) fn reached_by(self, public: Option<PublicUrl>) -> Self {
        Self { public, ..self }
    }

    pub(super) fn token(&self) -> &Token {
        &self.token
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// A host name that only authenticated browsers know. Other programs on this machine serve
    /// other names, so a browser sends them nothing it stores for this one. The name changes with
    /// the token.
    pub(super) fn own_host(&self) -> Option<String> {
        own_host(&self.token, self.port)
    }

    /// Refuses foreign names first; then requires the token, or a cookie under our own name.
    fn check(self: &Arc<Self>, request: &Request, now: Timestamp) -> Result<Pass, ApiError> {
        let headers = request.headers();
        self.check_host(request)?;
        self.check_origin(headers)?;
        check_site(headers)?;
        // Programs are on this machine; only browsers come through the tunnel.
        if !self.is_public(headers) && self.token.is(offered(headers)) {
            return Ok(Pass::Token(self.clone(), offered(headers).to_vec()));
        }
        let cookie = self.cookie_of(headers).filter(|_| self.is_own(headers));
        let cookie = cookie.filter(|it| counts(&self.token, it, now));
        let cookie = cookie.ok_or_else(ApiError::no_token)?;
        check_page(request)?;
        Ok(Pass::Cookie(self.clone(), cookie.to_owned()))
    }

    /// Checks a request that presents a code; a local file has no origin and is not a site.
    fn check_entry(&self, request: &Request) -> Result<(), ApiError> {
        self.check_host(request)?;
        let mut origins = request.headers().get_all(header::ORIGIN).iter().map(text);
        match *request.method() {
            Method::GET | Method::HEAD => check_site(request.headers()),
            _ if origins.all(|it| it == "null" || self.is_origin(it)) => Ok(()),
            _ => Err(ApiError::refused("this origin is not ours")),
        }
    }

    /// Checks a request that presents a one-time link: a program of a phone, or our own page.
    pub(super) fn check_link(&self, request: &Request) -> Result<(), ApiError> {
        self.check_host(request)
    }

    /// Refuses a request that a page of somebody else sends.
    pub(super) fn check_origin(&self, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut origins = headers.get_all(header::ORIGIN).iter().map(text);
        match origins.all(|it| self.is_origin(it)) {
            true => Ok(()),
            false => Err(ApiError::refused("this origin is not ours")),
        }
    }

    fn cookie_of<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let all = headers.get_all(header::COOKIE).iter().map(text);
        let mut pairs = all.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.cookie).map(|(_, value)| value)
    }

    fn check_host(&self, request: &Request) -> Result<(), ApiError> {
        let headers = request.headers();
        let host = one(headers, &header::HOST).ok_or_else(|| ApiError::refused("no host"))?;
        let target = request.uri().authority().map_or(host, |it| it.as_str());
        if self.is_host(host) && self.is_host(target) {
            return Ok(());
        }
        // A page still open under an earlier name is signed out, and receives the matching error.
        match host == target && self.was_ours(host) {
            true => Err(ApiError::no_token()),
            false => Err(ApiError::refused("this host is not ours")),
        }
    }

    /// True if a name has our form, so it may have been ours with another token.
    fn was_ours(&self, host: &str) -> bool {
        let name = host.strip_suffix(&format!(".localhost:{}", self.port));
        name.is_some_and(|it| it.len() == 32 && it.bytes().all(|it| it.is_ascii_hexdigit()))
    }

    fn is_host(&self, word: &str) -> bool {
        let public = self.public.as_ref().map(PublicUrl::host);
        is_among(&self.hosts, word)
            || self.own_host().as_deref() == Some(word)
            || public == Some(word)
    }

    fn is_origin(&self, word: &str) -> bool {
        let own = || self.own_host().map(|it| format!("http://{it}"));
        let public = self.public.as_ref().map(|it| format!("https://{}", it.host()));
        is_among(&self.origins, word)
            || own().as_deref() == Some(word)
            || public.as_deref() == Some(word)
    }

    /// True if a request came to the name that only authenticated browsers know, or through the
    /// user's own tunnel.
    pub(super) fn is_own(&self, headers: &HeaderMap) -> bool {
        let host = one(headers, &header::HOST);
        self.is_public(headers) || host.is_some() && host == self.own_host().as_deref()
    }

    /// True if a request came through the user's own tunnel.
    pub(super) fn is_public(&self, headers: &HeaderMap) -> bool {
        let host = one(headers, &header::HOST);
        host.is_some() && host == self.public.as_ref().map(PublicUrl::host)
    }
}

/// A name of our own below `localhost`, which every browser resolves to this machine.
pub(super) fn own_host(token: &Token, port: u16) -> Option<String> {
    let name = taffrail_model::hash::to_hex(&token.mark("host")?);
    Some(format!("{name}.localhost:{port}"))
}

fn check_site(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut sites = headers.get_all("sec-fetch-site").iter().map(text);
    match sites.all(|it| matches!(it, "same-origin" | "none")) {
        true => Ok(()),
        false => Err(ApiError::refused("this request comes from another site")),
    }
}

/// The browser itself sends a cookie, so a request that does more than read must also prove that a
/// page of ours sent it.
fn check_page(request: &Request) -> Result<(), ApiError> {
    let headers = request.headers();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let upgrades = headers.contains_key(header::UPGRADE);
    let is_ours = headers.contains_key(header::ORIGIN) && (upgrades || headers.contains_key(PAGE));
    match reads && !upgrades || is_ours {
        true => Ok(()),
        false => Err(ApiError::refused("no page of ours sent this")),
    }
}

fn is_among(ours: &[String], word: &str) -> bool {
    ours.iter().any(|it| it == word)
}

fn text(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or_default()
}

/// The value of a header that must not be repeated.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => Some(text(value)),
        _ => None,
    }
}

/// The token in the request.
fn offered(headers: &HeaderMap) -> &[u8] {
    let value = one(headers, &header::AUTHORIZATION).unwrap_or_default();
    value.strip_prefix("Bearer ").unwrap_or_default().as_bytes()
}

/// Authenticates requests over loopback.
pub(super) async fn guard(
    State((app, door)): State<(App, Arc<Door>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let now = (app.handle().settings().now)();
    match door.check(&request, now) {
        Ok(pass) => {
            request.extensions_mut().insert(pass);
            next.run(request).await
        }
        Err(fault) => {
            Counts::one(&app.counts().refused);
            match fault.is_stranger() && wants_page(&request) {
                true => web::stranger(),
                false => fault.into_response(),
            }
        }
    }
}

/// Checks requests that present a code.
pub(super) async fn guard_entry(
    State((app, door)): State<(App, Arc<Door>)>,
    request: Request,
    next: Next,
) -> Response {
    match door.check_entry(&request) {
        Ok(()) => next.run(request).await,
        Err(fault) => {
            Counts::one(&app.counts().refused);
            fault.into_response()
        }
    }
}

/// Checks requests that present a one-time link.
pub(super) async fn guard_link(
    State((app, door)): State<(App, Arc<Door>)>,
    request: Request,
    next: Next,
) -> Response {
    match door.check_link(&request) {
        Ok(()) => next.run(request).await,
        Err(fault) => {
            Counts::one(&app.counts().refused);
            fault.into_response()
        }
    }
}

/// True if a person looks at the response.
fn wants_page(request: &Request) -> bool {
    let accepted = request.headers().get_all(header::ACCEPT).iter().map(text);
    accepted.into_iter().any(|it| it.starts_with("text/html"))
}

/// Applies to every request: errors have one form, and no response can be used for anything else.
pub(super) async fn manners(State(app): State<App>, request: Request, next: Next) -> Response {
    Counts::one(&app.counts().requests);
    let mut response = enveloped(next.run(request).await);
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Accepts only JSON bodies, which excludes the form of a foreign page.
pub(super) async fn json_only(request: Request, next: Next) -> Response {
    match has_other_body(&request) {
        true => ApiError::not_json().into_response(),
        false => next.run(request).await,
    }
}

fn has_other_body(request: &Request) -> bool {
    let headers = request.headers();
    // A page of another site cannot send one of these methods with a body, nor a DELETE at all.
    let bare = [Method::GET, Method::HEAD, Method::OPTIONS, Method::DELETE];
    let bare = bare.contains(request.method());
    let length = headers.get(header::CONTENT_LENGTH).map(text).unwrap_or_default();
    let empty = matches!(length, "" | "0") && !headers.contains_key(header::TRANSFER_ENCODING);
    let kind = one(headers, &header::CONTENT_TYPE);
    let essence = kind.and_then(|it| it.split(';').next()).unwrap_or_default().trim();
    let is_json = essence.eq_ignore_ascii_case("application/json");
    !(is_json || bare && empty && kind.is_none())
}

/// Gives plain-text errors of the router or an upgrade the usual form.
fn enveloped(response: Response) -> Response {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|it| {
        [&b"application/json"[..], b"text/html"].iter().any(|kind| it.as_bytes().starts_with(kind))
    });
    if is_json || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let mut told = ApiError::of_status(status).into_response();
    if let (StatusCode::METHOD_NOT_ALLOWED, Some(allow)) = (status, allow) {
        told.headers_mut().insert(header::ALLOW, allow);
    }
    told
}
