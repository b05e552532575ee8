//! Messages to sessions over HTTP.

use super::app::App;
use super::asked::Told;
use super::beginning::meant;
use super::bindings::of_peer;
use super::door::Surface;
use super::fault::Fault;
use crate::between::{home_of, send};
use crate::bindings::followed;
use crate::live::Handle;
use crate::sending::{accept, queue, reachable, receipt, take_back};
use crate::sharing::check_writable;
use crate::{DaemonError, Target, resolve};
use axum::extract::{Path, State};
use axum::{Extension, Json};
use std::time::Duration;
use taffrail_api::{NotifyBody, Queue, Receipt};
use taffrail_model::SessionId;
use taffrail_model::message::Sender;
use tokio::time::Instant;

/// So long a sender waits to be told that a message went in, or why it did not yet.
const PATIENCE: Duration = Duration::from_secs(8);
const LOOK: Duration = Duration::from_millis(50);

/// Sends a message to a session: it goes in when the session waits for a prompt. Unless it may stay in
/// the queue, the answer waits for a moment to say what became of it.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/notify", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = NotifyBody, responses((status = 200, body = Receipt)))]
pub(super) async fn notify(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Path(id): Path<String>,
    Told(body): Told<NotifyBody>,
) -> Result<Json<Receipt>, Fault> {
    let waits = !body.queue;
    let taken = app.ask(move |handle| take(handle, surface, &id, body)).await?;
    if !waits {
        return Ok(Json(taken));
    }
    let end = Instant::now() + PATIENCE;
    loop {
        let name = taken.correlation_id.clone();
        let now = app.ask(move |handle| receipt(handle.settings(), &name)).await?;
        let stays = now.delivery_state == "accepted" && now.reason.is_none();
        if !stays || Instant::now() >= end {
            return Ok(Json(now));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The same to the one session a peer runs.
#[utoipa::path(post, path = "/api/peers/{name}/controls/notify", tag = "controls",
    params(("name" = String, Path)),
    request_body = NotifyBody, responses((status = 200, body = Receipt)))]
pub(super) async fn peer_notified(
    State(app): State<App>,
    surface: Extension<Surface>,
    Path(name): Path<String>,
    body: Told<NotifyBody>,
) -> Result<Json<Receipt>, Fault> {
    let id = of_peer(&app, name, None).await?;
    notify(State(app), surface, Path(id), body).await
}

/// The messages that wait for a session.
#[utoipa::path(get, path = "/api/sessions/{id}/queue", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    responses((status = 200, body = Queue)))]
pub(super) async fn waiting(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Queue>, Fault> {
    let asked = move |handle: &Handle| queue(handle.settings(), session(handle, &id)?);
    Ok(Json(app.ask(asked).await?))
}

/// Leaves a message in a session's queue, whoever runs it.
#[utoipa::path(post, path = "/api/sessions/{id}/queue", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = NotifyBody, responses((status = 200, body = Receipt)))]
pub(super) async fn added(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Path(id): Path<String>,
    Told(body): Told<NotifyBody>,
) -> Result<Json<Receipt>, Fault> {
    let body = NotifyBody { queue: true, ..body };
    Ok(Json(app.ask(move |handle| take(handle, surface, &id, body)).await?))
}

/// How far a message has come.
#[utoipa::path(get, path = "/api/receipts/{id}", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its correlation id")),
    responses((status = 200, body = Receipt)))]
pub(super) async fn told(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Receipt>, Fault> {
    Ok(Json(app.ask(move |handle| receipt(handle.settings(), &id)).await?))
}

/// Takes a message back that was not delivered.
#[utoipa::path(delete, path = "/api/receipts/{id}", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its correlation id")),
    responses((status = 200, body = Receipt)))]
pub(super) async fn taken_back(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Receipt>, Fault> {
    Ok(Json(app.ask(move |handle| take_back(handle.settings(), &id)).await?))
}

fn take(
    handle: &Handle,
    surface: Surface,
    id: &str,
    body: NotifyBody,
) -> Result<Receipt, DaemonError> {
    let session = session(handle, id)?;
    check_writable(handle.settings(), session)?;
    let from = sender(handle, surface, &body)?;
    if let Some(device) = home_of(handle.settings(), session)? {
        return Ok(send(handle, (&device, session), (from, body.text))?.into());
    }
    if !body.queue {
        reachable(handle, session)?;
    }
    Ok(accept(handle, session, (from, body.text))?.into())
}

/// A page says where it is; only our own programs are believed to be another face.
fn sender(handle: &Handle, surface: Surface, body: &NotifyBody) -> Result<Sender, DaemonError> {
    let peer = match surface {
        Surface::Socket => body.from_peer_id.clone().unwrap_or_else(|| "socket".to_owned()),
        Surface::Loopback => "web".to_owned(),
    };
    let of = body.from_session_id.as_deref().map(|id| session(handle, id)).transpose()?;
    Ok(Sender { session_id: of, peer_id: Some(peer) })
}

/// The session that is meant: the end of its chain, and never a worker.
fn session(handle: &Handle, id: &str) -> Result<SessionId, DaemonError> {
    let settings = handle.settings();
    let meant = followed(settings, &meant(handle, id, "")?)?.id;
    let row = resolve(settings, &Target::Id(meant.to_string()))?;
    match row.parent {
        None => Ok(row.id),
        Some(_) => {
            let why = "it is a worker: write to the session it works for";
            Err(DaemonError::Unsent(why.to_owned()))
        }
    }
}
