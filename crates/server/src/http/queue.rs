//! Messages to sessions over HTTP.

use super::api_error::ApiError;
use super::app::App;
use super::auth::Surface;
use super::bindings::of_peer;
use super::extract::JsonBody;
use super::subscribe::meant;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use std::time::Duration;
use taffrail_api::{NotifyBody, Queue, Receipt, RemovedPrompts, SCHEMA_VERSION};
use taffrail_context::Error;
use taffrail_context::Target;
use taffrail_daemon::DaemonError;
use taffrail_daemon::delivery::{SendTime, queue, receipt, stop_at_reset, take_back};
use taffrail_daemon::live::Handle;
use taffrail_devices::check_writable;
use taffrail_devices::exchange::{home_of, send};
use taffrail_model::SessionId;
use taffrail_model::message::Sender;
use taffrail_model::when::from_now;
use taffrail_query::bindings::followed;
use taffrail_query::resolve::resolve;
use tokio::time::Instant;

/// How long a sender waits for the delivery of a message, or for the reason of a delay.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a sender waits for a message that is being delivered.
const PUTTING: Duration = Duration::from_secs(20);
/// How long a sender waits for the agent to confirm a delivered message.
const CONFIRMING: Duration = Duration::from_secs(4);
/// How often to look at a message that nobody reported on: another process may have changed it.
const LOOK: Duration = Duration::from_secs(1);

/// Sends a message to a session: it goes in when the session waits for a prompt. Unless it may stay in
/// the queue, the answer waits for a moment to say what became of it.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/notify", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = NotifyBody, responses((status = 200, body = Receipt)))]
pub(super) async fn send_prompt(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<NotifyBody>,
) -> Result<Json<Receipt>, ApiError> {
    let waits = !body.queue && !body.at_reset && body.at.is_none();
    if waits {
        // Executors are known once history was read.
        app.handle().live().wait_for_history(PATIENCE).await;
    }
    let taken = app.ask(move |handle| take(handle, surface, &id, body)).await?;
    if !waits {
        return Ok(Json(taken));
    }
    let (began, mut put_in) = (Instant::now(), None);
    let mut changes = app.handle().live().follow_messages();
    loop {
        changes.borrow_and_update();
        let name = taken.correlation_id.clone();
        let now = app.ask(move |handle| Ok(receipt(handle.settings(), &name)?)).await?;
        if now.delivery_state == "delivered" {
            put_in.get_or_insert_with(Instant::now);
        }
        // A reason that was there from the start, as for another device, may pass in a moment.
        let reason = now.reason.as_deref().filter(|_| now.reason != taken.reason);
        let state = (now.delivery_state.as_str(), reason);
        let left = patience_for(state, began.elapsed(), put_in.map(|it| it.elapsed()));
        if left.is_zero() {
            return Ok(Json(now));
        }
        // A change wakes this at once; without one, the time limit decides.
        tokio::time::timeout(LOOK.min(left), changes.changed()).await.ok();
    }
}

/// How much longer a sender waits, given the state of the message and the times since it was
/// accepted and delivered.
fn patience_for(
    state: (&str, Option<&str>),
    waited: Duration,
    since_put_in: Option<Duration>,
) -> Duration {
    match state {
        ("accepted", None) => PATIENCE.saturating_sub(waited),
        ("delivering", _) => PUTTING.saturating_sub(waited),
        ("delivered", _) => CONFIRMING.saturating_sub(since_put_in.unwrap_or_default()),
        _ => Duration::ZERO,
    }
}

/// The same to the one session a peer runs.
#[utoipa::path(post, path = "/api/peers/{name}/controls/notify", tag = "controls",
    params(("name" = String, Path)),
    request_body = NotifyBody, responses((status = 200, body = Receipt)))]
pub(super) async fn send_prompt_to_peer(
    State(app): State<App>,
    surface: Extension<Surface>,
    Path(name): Path<String>,
    body: JsonBody<NotifyBody>,
) -> Result<Json<Receipt>, ApiError> {
    let id = of_peer(&app, name, None).await?;
    send_prompt(State(app), surface, Path(id), body).await
}

/// The messages that wait for a session.
#[utoipa::path(get, path = "/api/sessions/{id}/queue", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    responses((status = 200, body = Queue)))]
pub(super) async fn list_queue(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Queue>, ApiError> {
    let asked = move |handle: &Handle| Ok(queue(handle.settings(), receiver(handle, &id)?)?);
    Ok(Json(app.ask(asked).await?))
}

/// Leaves a message in a session's queue, whoever runs it.
#[utoipa::path(post, path = "/api/sessions/{id}/queue", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = NotifyBody, responses((status = 200, body = Receipt)))]
pub(super) async fn queue_prompt(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<NotifyBody>,
) -> Result<Json<Receipt>, ApiError> {
    let body = NotifyBody { queue: true, ..body };
    Ok(Json(app.ask(move |handle| take(handle, surface, &id, body)).await?))
}

/// How far a message has come.
#[utoipa::path(get, path = "/api/receipts/{id}", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its correlation id")),
    responses((status = 200, body = Receipt)))]
pub(super) async fn get_receipt(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Receipt>, ApiError> {
    Ok(Json(app.ask(move |handle| Ok(receipt(handle.settings(), &id)?)).await?))
}

/// Takes a message back that was not delivered.
#[utoipa::path(delete, path = "/api/receipts/{id}", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its correlation id")),
    responses((status = 200, body = Receipt)))]
pub(super) async fn cancel_prompt(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Receipt>, ApiError> {
    Ok(Json(app.ask(move |handle| Ok(take_back(handle.live(), &id)?)).await?))
}

/// Takes back every message that waits for the reset of a limit.
#[utoipa::path(delete, path = "/api/queue/at-reset", tag = "controls",
    responses((status = 200, body = RemovedPrompts)))]
pub(super) async fn stop_prompts_at_reset(
    State(app): State<App>,
) -> Result<Json<RemovedPrompts>, ApiError> {
    let removed = app.ask(|handle| Ok(stop_at_reset(handle.live())?)).await?;
    Ok(Json(RemovedPrompts { schema_version: SCHEMA_VERSION, removed }))
}

fn take(
    handle: &Handle,
    surface: Surface,
    id: &str,
    body: NotifyBody,
) -> Result<Receipt, DaemonError> {
    let session = receiver(handle, id)?;
    check_writable(handle.settings(), session)?;
    let from = sender(handle, surface, &body)?;
    if let Some(when) = time_of(handle, (session, &body))? {
        return Ok(handle.delivery().accept_scheduled(session, (from, body.text), &when)?.into());
    }
    if let Some(device) = home_of(handle.settings(), session)? {
        return Ok(send(handle.exchange(), (&device, session), (from, body.text))?.into());
    }
    if !body.queue {
        handle.delivery().reachable(session)?;
    }
    Ok(handle.delivery().accept(session, (from, body.text))?.into())
}

/// The time for which a message is left, if it is given one.
fn time_of(
    handle: &Handle,
    (session, body): (SessionId, &NotifyBody),
) -> Result<Option<SendTime>, DaemonError> {
    let now = (handle.settings().now)();
    let when = match &body.at {
        _ if body.at_reset => SendTime::Reset,
        None => return Ok(None),
        Some(text) => {
            let at = from_now(text, now).ok_or_else(|| Error::NoTime(text.clone()))?;
            SendTime::At(Some(at).filter(|it| *it > now).ok_or(Error::PastTime(text.clone()))?)
        }
    };
    match home_of(handle.settings(), session)? {
        None => Ok(Some(when)),
        Some(_) => {
            let why = "it runs on another device: give the prompt its time there";
            Err(Error::Unsent(why.to_owned()).into())
        }
    }
}

/// The sender of a message: only our own programs may name another user interface.
fn sender(handle: &Handle, surface: Surface, body: &NotifyBody) -> Result<Sender, DaemonError> {
    let peer = match surface {
        Surface::Socket => body.from_peer_id.clone().unwrap_or_else(|| "socket".to_owned()),
        Surface::Loopback => "web".to_owned(),
    };
    let of = body.from_session_id.as_deref().map(|id| receiver(handle, id)).transpose()?;
    Ok(Sender { session_id: of, peer_id: Some(peer) })
}

/// Resolves the session: the end of its chain, and never a sub-agent.
pub(super) fn receiver(handle: &Handle, id: &str) -> Result<SessionId, DaemonError> {
    let settings = handle.settings();
    let meant = followed(settings, &meant(handle, id, "")?)?.id;
    let row = resolve(settings, &Target::Id(meant.to_string()))?;
    match row.parent {
        None => Ok(row.id),
        Some(_) => {
            let why = "it is a worker: write to the session it works for";
            Err(Error::Unsent(why.to_owned()).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_waits_for_the_agents_word_and_not_for_ever() {
        let check = |state: (&str, Option<&str>), waited: u64, put_in: Option<u64>, left: u64| {
            let seconds = Duration::from_secs;
            let found = patience_for(state, seconds(waited), put_in.map(seconds));
            assert_eq!(found, seconds(left), "{state:?} after {waited} s");
        };
        check(("accepted", None), 1, None, 7);
        check(("accepted", None), 9, None, 0);
        check(("accepted", Some("the agent is busy")), 0, None, 0);
        check(("delivering", None), 9, None, 11);
        check(("delivered", None), 9, Some(0), 4);
        check(("delivered", None), 9, Some(4), 0);
        check(("picked_up", None), 0, Some(0), 0);
        check(("failed", Some("x")), 0, None, 0);
    }
}
