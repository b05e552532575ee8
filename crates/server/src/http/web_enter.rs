//! Authenticates a browser: opens the address if it is closed, and exchanges a code for a cookie.

use super::api_error::ApiError;
use super::app::App;
use super::auth::{Door, Pass, Surface, own_host};
use super::extract::{JsonBody, Query};
use super::web_codes::{COOKIE, Codes, cookie, cookie_name};
use super::{Opened, loopback, routes, token, web};
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use taffrail_api::client::escaped;
use taffrail_api::{Done, SCHEMA_VERSION, WebBody, WebReply};
use taffrail_daemon::DaemonError;
use taffrail_daemon::ServeError;
use tokio::sync::watch;

/// The entry for browsers, and what is needed to open it later.
pub(super) struct Web {
    /// The file of the token.
    pub(super) token: PathBuf,
    /// Random bytes for a new token.
    pub(super) chance: [u8; 32],
    /// The current address for browsers.
    pub(super) at: Mutex<Option<SocketAddr>>,
    /// Codes that were issued.
    pub(super) codes: Codes,
    /// Cookies of browsers that may act, because their user confirmed it.
    pub(super) acting: Mutex<BTreeSet<String>>,
    /// Called when the address is opened later.
    pub(super) opened: Opened,
    /// Our own state, and our own program.
    pub(super) ours: (PathBuf, PathBuf),
    /// Signals the end of the daemon.
    pub(super) stops: watch::Receiver<bool>,
}

impl std::fmt::Debug for Web {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Web").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Web {
    /// Our own state, and our own program.
    pub(super) fn ours(&self) -> (PathBuf, PathBuf) {
        self.ours.clone()
    }

    /// True if the user of this browser confirmed that it may act.
    pub(super) fn may_act(&self, cookie: &str) -> bool {
        self.acting.lock().unwrap_or_else(PoisonError::into_inner).contains(cookie)
    }

    fn let_act(&self, cookie: String) {
        let mut acting = self.acting.lock().unwrap_or_else(PoisonError::into_inner);
        if acting.len() >= MOST_ACTING {
            // Their users are asked again.
            acting.clear();
        }
        acting.insert(cookie);
    }

    /// The host name for browsers.
    fn host(&self, at: SocketAddr) -> Result<Option<String>, ServeError> {
        let token = token::Token::open(&self.token, self.chance)?;
        Ok(own_host(&token, at.port()))
    }

    /// Returns the address, and opens it if it is closed. Call this inside the runtime.
    fn open(&self, app: &App, wanted: SocketAddr) -> Result<SocketAddr, ServeError> {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = *at {
            return Ok(at);
        }
        let (listener, bound) = loopback::bind(wanted)?;
        let token = token::Token::open(&self.token, self.chance)?;
        let public = app.handle().settings().public_url.clone();
        let door = Door::new(bound, token).reached_by(public);
        let router = routes::on_loopback(app, Arc::new(door));
        tokio::spawn(loopback::serve(listener, router, self.stops.clone())?);
        *at = Some(bound);
        drop(at);
        (self.opened)(bound);
        Ok(bound)
    }
}

/// Opens the address for browsers where it is not, and lets a code in once. Over the socket only.
#[utoipa::path(post, path = "/api/web", tag = "about", request_body = WebBody,
    responses((status = 200, body = WebReply)))]
pub(super) async fn open_web(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    JsonBody(body): JsonBody<WebBody>,
) -> Result<Json<WebReply>, ApiError> {
    if surface != Surface::Socket {
        return Err(ApiError::refused("only our own program lets browsers in"));
    }
    let at = app.web().open(&app, body.address).map_err(DaemonError::from)?;
    let host = app.web().host(at).map_err(DaemonError::from)?.ok_or_else(ApiError::broken)?;
    if !app.web().codes.give(&body.code, (app.handle().settings().now)()) {
        return Err(ApiError::usage("a code is 64 hexadecimal digits"));
    }
    let public_url = app.handle().settings().public_url.as_ref();
    Ok(Json(WebReply {
        schema_version: SCHEMA_VERSION,
        url: format!("http://{host}"),
        public_url: public_url.map(|it| it.as_str().to_owned()),
    }))
}

/// Lets a browser act that so far only read: the person at it said so. From a page of ours only.
#[utoipa::path(post, path = "/api/web/confirm", tag = "about",
    responses((status = 200, body = Done)))]
pub(super) async fn confirm_in_web(
    State(app): State<App>,
    Extension(pass): Extension<Pass>,
) -> Result<Json<Done>, ApiError> {
    let Pass::Cookie(_, cookie) = pass else {
        return Err(ApiError::refused("only a browser that was let in is confirmed"));
    };
    app.web().let_act(cookie);
    Ok(Json(Done::yes()))
}

/// The most browsers that may act at a time.
const MOST_ACTING: usize = 64;

/// The size limit of a form.
const FORM: usize = 256;

/// What an entering browser sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entering {
    code: String,
}

/// The style of the pages for strangers, and the two ways in: a typed address, and a form in a file that only its user can read.
pub(super) fn ways_in(app: &App) -> Router {
    let router = Router::new().route("/door.css", get(web::style));
    router.route("/enter", get(typed).post(posted)).with_state(app.clone())
}

/// A typed address: redirects the browser at once.
async fn typed(
    State(app): State<App>,
    Extension(door): Extension<Arc<Door>>,
    headers: HeaderMap,
    Query(said): Query<Entering>,
) -> Response {
    if let Some(host) = door.own_host().filter(|_| !door.is_own(&headers)) {
        // A cookie for a name that every port shares would be sent to every port.
        let to = format!("http://{host}/enter?code={}", escaped(&said.code));
        return (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response();
    }
    match taken(&app, (&door, &headers), &said.code) {
        Some(cookie) => {
            (StatusCode::SEE_OTHER, [cookie, (header::LOCATION, "/".to_owned())]).into_response()
        }
        None => web::stranger(),
    }
}

/// A form in a file: a browser treats what follows as cross-site and would not send the cookie, so
/// a page of ours redirects it.
async fn posted(
    State(app): State<App>,
    Extension(door): Extension<Arc<Door>>,
    request: Request,
) -> Response {
    const ON: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
        <title>Taffrail</title><link rel=\"stylesheet\" href=\"/door.css\"><meta http-equiv=\"refresh\" content=\"0;url=/\">\
        <main><p><a href=\"/\">Go on</a></p></main>";
    if !door.is_own(request.headers()) {
        return web::stranger();
    }
    let headers = request.headers().clone();
    // A body that is too long or incomplete has no code.
    let body = to_bytes(request.into_body(), FORM).await.unwrap_or_default();
    let said = body.strip_prefix(b"code=").unwrap_or_default();
    match taken(&app, (&door, &headers), &String::from_utf8_lossy(said)) {
        Some(cookie) => ([cookie], Html(ON)).into_response(),
        None => web::stranger(),
    }
}

/// Uses up the code and returns the cookie's header; `None` if the code is invalid.
fn taken(
    app: &App,
    (door, headers): (&Door, &HeaderMap),
    code: &str,
) -> Option<(HeaderName, String)> {
    let now = (app.handle().settings().now)();
    if !app.web().codes.take(code, now) {
        return None;
    }
    let value = cookie(door.token(), now)?;
    let (name, age) = (cookie_name(door.port()), COOKIE.as_secs());
    // The way through the tunnel is encrypted to its end, and the cookie goes no other way.
    let secure = if door.is_public(headers) { "; Secure" } else { "" };
    let set = format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
    Some((header::SET_COOKIE, set))
}
