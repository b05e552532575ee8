//! Bindings and their executors: shown, and repaired by hand.

use super::api_error::ApiError;
use super::app::App;
use super::extract::{JsonBody, Query};
use super::history;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use serde_json::value::RawValue;
use taffrail_api::{
    Messages, PeerList, PeerQuery, PeerTimelineQuery, RepairBody, RepairReply, Timeline,
    TimelineQuery, TranscriptQuery, schema,
};
use taffrail_query::bindings::Repair;
use taffrail_query::bindings::{binding_with, peer, peers, repair_with};

/// What ties a session to its runtime session, its executor and its source, looked at now.
#[utoipa::path(get, path = "/api/sessions/{id}/binding", tag = "bindings",
    params(("id" = String, Path)), responses((status = 200, body = schema::Binding)))]
pub(super) async fn get_binding(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Box<RawValue>>, ApiError> {
    let told = app.ask(move |handle| {
        let target = meant(handle, &id, "")?;
        Ok(binding_with(handle.settings(), &target, &|id| handle.live().status(id))?)
    });
    Ok(Json(told.await?))
}

/// Repairs a binding by hand: joins another session to it, splits them, or archives it.
#[utoipa::path(post, path = "/api/sessions/{id}/binding", tag = "bindings",
    params(("id" = String, Path)), request_body = RepairBody,
    responses((status = 200, body = RepairReply)))]
pub(super) async fn repair_binding(
    State(app): State<App>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<RepairBody>,
) -> Result<Json<RepairReply>, ApiError> {
    let handle = app.handle().clone();
    let target = meant(&handle, &id, "")?;
    let how = match (body.join, body.split, body.archive) {
        (Some(other), false, None) => Repair::Join(meant(&handle, &other, "")?),
        (None, true, None) => Repair::Split,
        (None, false, Some(true)) => Repair::Archive,
        (None, false, Some(false)) => Repair::Unarchive,
        _ => return Err(ApiError::usage("say one of `join`, `split` and `archive`")),
    };
    // Index readers load the repairs, so the index is opened again.
    let done = app.alone(move |settings| {
        Ok(repair_with(settings, &target, &how, &|id| handle.live().status(id))?)
    });
    Ok(Json(done.await?))
}

/// Who runs sessions now.
#[utoipa::path(get, path = "/api/peers", tag = "bindings",
    responses((status = 200, body = PeerList)))]
pub(super) async fn list_peers(State(app): State<App>) -> Result<Json<PeerList>, ApiError> {
    Ok(Json(app.ask(|handle| Ok(peers(handle.live())?)).await?))
}

/// The turns of the one session a peer runs, or ran last.
#[utoipa::path(get, path = "/api/peers/{name}/timeline", tag = "bindings",
    params(("name" = String, Path), PeerTimelineQuery),
    responses((status = 200, body = Timeline)))]
pub(super) async fn get_peer_timeline(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<PeerTimelineQuery>,
) -> Result<Json<Timeline>, ApiError> {
    let id = of_peer(&app, name, query.session_id).await?;
    history::get_timeline(State(app), Path(id), Query(TimelineQuery::default())).await
}

/// What was said in the one session a peer runs, or ran last.
#[utoipa::path(get, path = "/api/peers/{name}/transcript", tag = "bindings",
    params(("name" = String, Path), PeerQuery), responses((status = 200, body = Messages)))]
pub(super) async fn get_peer_transcript(
    State(app): State<App>,
    Path(name): Path<String>,
    Query(query): Query<PeerQuery>,
) -> Result<Json<Messages>, ApiError> {
    let id = of_peer(&app, name, query.session_id.clone()).await?;
    let PeerQuery { after, limit, .. } = query;
    let asked = TranscriptQuery { after, limit, ..TranscriptQuery::default() };
    history::get_transcript(State(app), Path(id), Query(asked)).await
}

/// The session that a peer runs or ran last; the agent's own id selects one of several.
pub(super) async fn of_peer(
    app: &App,
    name: String,
    runtime: Option<String>,
) -> Result<String, ApiError> {
    let found = app.ask(move |handle| Ok(peer(handle.live(), &name, runtime.as_deref())?));
    Ok(found.await?.to_string())
}
