//! Letting a browser in: the address is opened where it is not, and a code is exchanged for a cookie.

use super::app::App;
use super::asked::{Asked, Told};
use super::door::{Door, Surface};
use super::fault::Fault;
use super::web_codes::{COOKIE, Codes, cookie, cookie_name};
use super::{Opened, ServeError, loopback, routes, token, web};
use crate::DaemonError;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Json, Router};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use taffrail_api::{SCHEMA_VERSION, WebBody, WebReply};
use tokio::sync::watch;

/// Where browsers are let in, and what is needed to open that later.
pub(super) struct Web {
    /// The file of the token.
    pub(super) token: PathBuf,
    /// Chance for a token that has to be made.
    pub(super) chance: [u8; 32],
    /// Where browsers come in now.
    pub(super) at: Mutex<Option<SocketAddr>>,
    /// Codes that were given out.
    pub(super) codes: Codes,
    /// Who is told when the address is opened later.
    pub(super) opened: Opened,
    /// Our own state, and our own program.
    pub(super) ours: (PathBuf, PathBuf),
    /// When to stop.
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

    /// The address, which is opened if it is not. To be called inside the runtime.
    fn open(&self, app: &App, wanted: SocketAddr) -> Result<SocketAddr, ServeError> {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = *at {
            return Ok(at);
        }
        let (listener, bound) = loopback::bind(wanted)?;
        let token = token::Token::open(&self.token, self.chance)?;
        let router = routes::on_loopback(app, Arc::new(Door::new(bound, token)));
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
pub(super) async fn opened(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Told(body): Told<WebBody>,
) -> Result<Json<WebReply>, Fault> {
    if surface != Surface::Socket {
        return Err(Fault::refused("only our own program lets browsers in"));
    }
    let at = app.web().open(&app, body.address).map_err(DaemonError::from)?;
    if !app.web().codes.give(&body.code, (app.handle().settings().now)()) {
        return Err(Fault::usage("a code is 64 hexadecimal digits"));
    }
    Ok(Json(WebReply { schema_version: SCHEMA_VERSION, url: format!("http://{at}") }))
}

/// The longest form.
const FORM: usize = 256;

/// What a browser that wants in says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entering {
    code: String,
}

/// The two ways in: an address that was typed, and a form in a file only its user can read.
pub(super) fn ways_in(app: &App) -> Router {
    Router::new().route("/enter", get(typed).post(posted)).with_state(app.clone())
}

/// An address that was typed: the browser is sent on at once.
async fn typed(
    State(app): State<App>,
    Extension(door): Extension<Arc<Door>>,
    Asked(said): Asked<Entering>,
) -> Response {
    match taken(&app, &door, &said.code) {
        Some(cookie) => {
            (StatusCode::SEE_OTHER, [cookie, (header::LOCATION, "/".to_owned())]).into_response()
        }
        None => web::stranger(),
    }
}

/// A form of a file: a browser counts what follows from it as another site's doing and would not
/// send the cookie, so a page of ours sends it on.
async fn posted(
    State(app): State<App>,
    Extension(door): Extension<Arc<Door>>,
    request: Request,
) -> Response {
    const ON: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
        <title>Taffrail</title><meta http-equiv=\"refresh\" content=\"0;url=/\">\
        <p><a href=\"/\">Go on</a>";
    let body = to_bytes(request.into_body(), FORM).await.unwrap_or_default();
    let said = body.strip_prefix(b"code=").unwrap_or_default();
    match taken(&app, &door, &String::from_utf8_lossy(said)) {
        Some(cookie) => ([cookie], Html(ON)).into_response(),
        None => web::stranger(),
    }
}

/// Uses the code up and gives the cookie's header; none where the code does not count.
fn taken(app: &App, door: &Door, code: &str) -> Option<(HeaderName, String)> {
    let now = (app.handle().settings().now)();
    if !app.web().codes.take(code, now) {
        return None;
    }
    let value = cookie(door.token(), now)?;
    let (name, age) = (cookie_name(door.port()), COOKIE.as_secs());
    let set = format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict");
    Some((header::SET_COOKIE, set))
}
