//! Controls of a session.

use super::api_error::ApiError;
use super::app::App;
use super::bindings::of_peer;
use super::extract::JsonBody;
use super::queue::receiver;
use super::rights::{Deed, RequestOrigin};
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{
    AnswerBody, Done, Operations, ResumeBody, ResumeReply, StartBody, StartReply, StopBody,
    StopReply,
};
use taffrail_context::Target;
use taffrail_daemon::{Start, operations, resume_in_tmux, resume_plan_with, stop_session};
use taffrail_model::caller::Right;
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
    origin: RequestOrigin,
    Path(name): Path<String>,
    body: JsonBody<ResumeBody>,
) -> Result<Json<ResumeReply>, ApiError> {
    let id = of_peer(&app, name, None).await?;
    resume_session(State(app), origin, Path(id), body).await
}

/// Says whether and how a session can be resumed; with `dry_run: false` it is, in tmux.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/resume", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = ResumeBody, responses((status = 200, body = ResumeReply)))]
pub(super) async fn resume_session(
    State(app): State<App>,
    origin: RequestOrigin,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<ResumeBody>,
) -> Result<Json<ResumeReply>, ApiError> {
    may_act(&app, origin, body.dry_run, ("resume", Right::Script)).await?;
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

/// Says which process would end; with `dry_run: false` it is asked to end (SIGTERM). Only an agent in tmux
/// or under `taffrail run`: another process may do other things, too.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/stop", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = StopBody, responses((status = 200, body = StopReply)))]
pub(super) async fn stop_agent(
    State(app): State<App>,
    origin: RequestOrigin,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<StopBody>,
) -> Result<Json<StopReply>, ApiError> {
    may_act(&app, origin, body.dry_run, ("stop", Right::Decide)).await?;
    let done = app.ask(move |handle| {
        let known = |session| handle.live().status(session);
        stop_session(handle.settings(), &meant(handle, &id, "")?, &known, body.dry_run)
    });
    Ok(Json(done.await?))
}

/// Interrupts the turn of a session in tmux, as its agent's own key does. Only while its screen shows that it
/// works.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/interrupt", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    responses((status = 200, body = Done)))]
pub(super) async fn interrupt_session(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    let done = app.ask(move |handle| Ok(handle.delivery().interrupt(receiver(handle, &id)?)?));
    done.await.map(|()| Json(Done::yes()))
}

/// Chooses one of the answers that a session's question offers, in tmux. Only while its screen offers that
/// answer under that number.
#[utoipa::path(post, path = "/api/sessions/{id}/controls/answer", tag = "controls",
    params(("id" = String, Path, description = "the beginning of its id")),
    request_body = AnswerBody, responses((status = 200, body = Done)))]
pub(super) async fn answer_question(
    State(app): State<App>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<AnswerBody>,
) -> Result<Json<Done>, ApiError> {
    let done = app.ask(move |handle| {
        let session = receiver(handle, &id)?;
        Ok(handle.delivery().answer(session, body.option, &body.text)?)
    });
    done.await.map(|()| Json(Done::yes()))
}

/// Says what starts an agent; with `dry_run: false` it is started, in a new tmux session.
#[utoipa::path(post, path = "/api/agents/start", tag = "controls",
    request_body = StartBody, responses((status = 200, body = StartReply)))]
pub(super) async fn start_agent(
    State(app): State<App>,
    origin: RequestOrigin,
    JsonBody(body): JsonBody<StartBody>,
) -> Result<Json<StartReply>, ApiError> {
    may_act(&app, origin, body.dry_run, ("new", Right::Script)).await?;
    let done = app.ask(move |_| {
        let start = Start::plan(&body)?;
        if body.dry_run { Ok(start.plan) } else { start.in_tmux() }
    });
    Ok(Json(done.await?))
}

/// Checks the right to an action. A dry run only reads, which everybody may.
async fn may_act(
    app: &App,
    origin: RequestOrigin,
    dry_run: bool,
    (what, right): (&str, Right),
) -> Result<(), ApiError> {
    if !dry_run {
        origin.may(app, Deed { what, right, about: None }).await?;
    }
    Ok(())
}
