//! Bindings and the executors they name: read, and repaired by hand.

use super::app::App;
use super::asked::{Asked, Told};
use super::beginning::meant;
use super::fault::Fault;
use super::history;
use crate::Repair;
use crate::bindings::{binding_with, peer, peers, repair_with};
use axum::Json;
use axum::extract::{Path, State};
use serde_json::value::RawValue;
use taffrail_api::{
    Messages, PeerList, PeerQuery, RepairBody, RepairReply, Timeline, TranscriptQuery, schema,
};

/// What ties a session to its runtime session, its executor and its source, looked at now.
#[utoipa::path(get, path = "/api/sessions/{id}/binding", tag = "bindings",
    params(("id" = String, Path)), responses((status = 200, body = schema::Binding)))]
pub(super) async fn binding(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Box<RawValue>>, Fault> {
    let told = app.ask(move |handle| {
        binding_with(handle.settings(), &meant(handle, &id, "")?, &|id| handle.card(id))
    });
    Ok(Json(told.await?))
}

/// Repairs a binding by hand: joins another session to it, splits them, or archives it.
#[utoipa::path(post, path = "/api/sessions/{id}/binding", tag = "bindings",
    params(("id" = String, Path)), request_body = RepairBody,
    responses((status = 200, body = RepairReply)))]
pub(super) async fn repaired(
    State(app): State<App>,
    Path(id): Path<String>,
    Told(body): Told<RepairBody>,
) -> Result<Json<RepairReply>, Fault> {
    let handle = app.handle().clone();
    let target = meant(&handle, &id, "")?;
    let how = match (body.join, body.split, body.archive) {
        (Some(other), false, None) => Repair::Join(meant(&handle, &other, "")?),
        (None, true, None) => Repair::Split,
        (None, false, Some(true)) => Repair::Archive,
        (None, false, Some(false)) => Repair::Unarchive,
        _ => return Err(Fault::usage("say one of `join`, `split` and `archive`")),
    };
    // What reads the index reads the repairs with it, and is opened anew.
    let done =
        app.alone(move |settings| repair_with(settings, &target, &how, &|id| handle.card(id)));
    Ok(Json(done.await?))
}

/// Who runs sessions now.
#[utoipa::path(get, path = "/api/peers", tag = "bindings",
    responses((status = 200, body = PeerList)))]
pub(super) async fn all_peers(State(app): State<App>) -> Result<Json<PeerList>, Fault> {
    Ok(Json(app.ask(peers).await?))
}

/// The turns of the one session a peer runs, or ran last.
#[utoipa::path(get, path = "/api/peers/{name}/timeline", tag = "bindings",
    params(("name" = String, Path), PeerQuery), responses((status = 200, body = Timeline)))]
pub(super) async fn peer_timeline(
    State(app): State<App>,
    Path(name): Path<String>,
    Asked(query): Asked<PeerQuery>,
) -> Result<Json<Timeline>, Fault> {
    let id = of_peer(&app, name, query.session_id.clone()).await?;
    history::timeline(State(app), Path(id)).await
}

/// What was said in the one session a peer runs, or ran last.
#[utoipa::path(get, path = "/api/peers/{name}/transcript", tag = "bindings",
    params(("name" = String, Path), PeerQuery), responses((status = 200, body = Messages)))]
pub(super) async fn peer_transcript(
    State(app): State<App>,
    Path(name): Path<String>,
    Asked(query): Asked<PeerQuery>,
) -> Result<Json<Messages>, Fault> {
    let id = of_peer(&app, name, query.session_id.clone()).await?;
    let PeerQuery { after, limit, .. } = query;
    let asked = TranscriptQuery { after, limit, ..TranscriptQuery::default() };
    history::transcript(State(app), Path(id), Asked(asked)).await
}

/// The one session a peer runs, or ran last, by the agent's own id where it had several.
pub(super) async fn of_peer(
    app: &App,
    name: String,
    runtime: Option<String>,
) -> Result<String, Fault> {
    let found = app.ask(move |handle| peer(handle, &name, runtime.as_deref()));
    Ok(found.await?.to_string())
}
