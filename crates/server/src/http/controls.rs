//! Controls of a session.

use super::api_error::ApiError;
use super::app::App;
use super::bindings::of_peer;
use super::extract::JsonBody;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{Operations, ResumeBody, ResumeReply};
use taffrail_context::Target;
use taffrail_daemon::{operations, resume_in_tmux, resume_plan_with};
use taffrail_query::recap;

/// The attempts to get an executor for a session, with how each ended.
#[utoipa::path(get, path = "/api/sessions/{id}/operations", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    responses((status = 200, body = Operations)))]
pub(super) async fn list_operations(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Operations>, ApiError> {
    let found = app.ask(move |handle| operations(handle.settings(), &meant(handle, &id, "")?));
    Ok(Json(found.await?))
}

/// The same for the one session a peer runs, or ran last.
#[utoipa::path(post, path = "/api/peers/{name}/controls/resume", tag = "controls",
    params(("name" = String, Path)),
    request_body = ResumeBody, responses((status = 200, body = ResumeReply)))]
pub(super) async fn resume_peer(
    State(app): State<App>,
    Path(name): Path<String>,
    body: JsonBody<ResumeBody>,
) -> Result<Json<ResumeReply>, ApiError> {
    let id = of_peer(&app, name, None).await?;
    resume_session(State(app), Path(id), body).await
}

/// Says whether and how a session can be resumed; with `dry_run: false` it is, in tmux.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/resume", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = ResumeBody, responses((status = 200, body = ResumeReply)))]
pub(super) async fn resume_session(
    State(app): State<App>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<ResumeBody>,
) -> Result<Json<ResumeReply>, ApiError> {
    let done = app.ask(move |handle| {
        let target = meant(handle, &id, "")?;
        let known = |session| handle.live().status(session);
        let reply = resume_plan_with(handle.settings(), &target, &known)?;
        if body.dry_run {
            return Ok(reply);
        }
        let executor = Some(resume_in_tmux(handle.settings(), &reply)?);
        let recap = recap(handle.settings(), &Target::Id(reply.session_id.clone()), &known)?;
        Ok(ResumeReply { executor, recap: Some(recap), ..reply })
    });
    Ok(Json(done.await?))
}
