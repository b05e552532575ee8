//! Approvals over HTTP.

use super::api_error::ApiError;
use super::app::App;
use super::auth::Surface;
use super::extract::{JsonBody, Query};
use super::rights::{Deed, RequestOrigin};
use super::sessions::instant;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use std::time::Duration;
use taffrail_adapters::Answer;
use taffrail_api::{
    Allowed, ApprovalReply, ApprovalRequestBody, ApprovalRow, Approvals, ApprovalsQuery,
    DecisionBody, Decisions, Denials, DenialsQuery, Done, PipeSettledBody, SCHEMA_VERSION,
};
use taffrail_approvals::broker::AskOutcome;
use taffrail_capture::runs_our_program;
use taffrail_context::Error;
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::Handle;
use taffrail_devices::exchange::{answer, approvals, decisions};
use taffrail_model::approval::Verdict;
use taffrail_model::caller::{Caller, Right, Who};
use taffrail_query::denials;

/// How long an agent waits for the broker to accept its request; then its own dialog appears.
const AT_DESK: Duration = Duration::from_secs(5);
/// The longest reason.
const REASON: usize = 1_000;
/// The default period of refusals.
const WEEK: &str = "7d";
/// The most refusals.
const DENIALS: usize = 200;

/// Requests that can still be answered; with `all` every one there was.
#[utoipa::path(get, path = "/api/approvals", tag = "approvals", params(ApprovalsQuery),
    responses((status = 200, body = Approvals)))]
pub(super) async fn list_approvals(
    State(app): State<App>,
    Query(query): Query<ApprovalsQuery>,
) -> Result<Json<Approvals>, ApiError> {
    Ok(Json(app.ask(move |handle| Ok(approvals(handle.exchange(), query.all)?)).await?))
}

/// Every decision there was, with who and why.
#[utoipa::path(get, path = "/api/approvals/log", tag = "approvals",
    responses((status = 200, body = Decisions)))]
pub(super) async fn list_decisions(State(app): State<App>) -> Result<Json<Decisions>, ApiError> {
    Ok(Json(app.ask(|handle| Ok(decisions(handle.settings())?)).await?))
}

/// What agents wanted to do and somebody refused, here or in the agent's own dialog.
#[utoipa::path(get, path = "/api/denials", tag = "approvals", params(DenialsQuery),
    responses((status = 200, body = Denials)))]
pub(super) async fn list_denials(
    State(app): State<App>,
    Query(query): Query<DenialsQuery>,
) -> Result<Json<Denials>, ApiError> {
    let told = app.ask(move |handle| {
        let since = instant(query.since.as_deref().unwrap_or(WEEK), (handle.settings().now)())?;
        let decided = decisions(handle.settings())?.decisions;
        let mut denials = denials(handle.settings(), since, decided)?;
        let more = denials.len() > DENIALS;
        denials.truncate(DENIALS);
        Ok(Denials { schema_version: SCHEMA_VERSION, since, denials, more })
    });
    Ok(Json(told.await?))
}

/// Decides a request, if nobody did.
#[utoipa::path(post, path = "/api/approvals/{id}", tag = "approvals", request_body = DecisionBody,
    params(("id" = String, Path, description = "the beginning of its id")),
    responses((status = 200, body = ApprovalRow)))]
pub(super) async fn decide_approval(
    State(app): State<App>,
    origin: RequestOrigin,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<DecisionBody>,
) -> Result<Json<ApprovalRow>, ApiError> {
    decided(&app, origin, id, body).await.map(Json)
}

/// Decides a request for a caller that may decide.
pub(super) async fn decided(
    app: &App,
    origin: RequestOrigin,
    id: String,
    body: DecisionBody,
) -> Result<ApprovalRow, ApiError> {
    if body.reason.as_ref().is_some_and(|it| it.chars().count() > REASON) {
        return Err(ApiError::usage("a reason has at most 1,000 characters"));
    }
    let what = match body.decision {
        Allowed::Allow => "approve",
        Allowed::Deny => "deny",
    };
    let deed = Deed { what, right: Right::Decide, about: Some(&id) };
    let who = origin.may(app, deed).await?;
    let by = face(&who, body.by);
    let done = app.ask_apart(move |handle| {
        let at = (handle.settings().now)();
        let decision = body.decision.into();
        let who = Some(who);
        let verdict = Verdict { decision, by, why: body.reason, rule: None, at, who };
        decide(handle, &id, (&verdict, body.blind))
    });
    done.await
}

/// Where the decision was made. A program of ours names its own user interface; any other is known
/// only by its process name.
fn face(who: &Who, said: Option<String>) -> String {
    let faces = ["cli", "board"];
    match (who.pid, said) {
        (None, _) if who.caller == Caller::Person => "web".to_owned(),
        (Some(_), Some(said)) if is_us(who) && faces.contains(&said.as_str()) => said,
        (_, _) => who.program.clone(),
    }
}

/// True if the program is ours: the same file, or one with the same name after an update.
fn is_us(who: &Who) -> bool {
    who.program == "taffrail" || who.pid.is_some_and(runs_our_program)
}

/// Decides a request here, or a request of another device on that device.
fn decide(
    handle: &Handle,
    id: &str,
    (verdict, blind): (&Verdict, bool),
) -> Result<ApprovalRow, DaemonError> {
    match handle.broker().decide(id, verdict.clone()) {
        Err(Error::NoApproval(none)) => answer(handle.exchange(), id, (verdict, blind))?
            .ok_or_else(|| Error::NoApproval(none).into()),
        decided => Ok(handle.broker().row(decided?)),
    }
}

/// A pipe tells that a request is over for its agent. Over the socket only.
#[utoipa::path(post, path = "/api/desk/settled", tag = "approvals",
    request_body = PipeSettledBody, responses((status = 200, body = Done)))]
pub(super) async fn settle_approval(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    JsonBody(body): JsonBody<PipeSettledBody>,
) -> Result<Json<Done>, ApiError> {
    if surface != Surface::Socket {
        return Err(ApiError::refused("only our own pipe tells this"));
    }
    app.ask_apart(move |handle| Ok(handle.broker().settle_piped(&body)?)).await?;
    Ok(Json(Done::yes()))
}

/// A hook or a pipe asks, and waits. Over the socket only.
#[utoipa::path(post, path = "/api/desk", tag = "approvals", request_body = ApprovalRequestBody,
    responses((status = 200, body = ApprovalReply)))]
pub(super) async fn request_approval(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    JsonBody(body): JsonBody<ApprovalRequestBody>,
) -> Result<Json<ApprovalReply>, ApiError> {
    if surface != Surface::Socket {
        return Err(ApiError::refused("only our own hook or pipe asks here"));
    }
    let _place = app.place()?;
    let answer =
        match app.ask_within(AT_DESK, move |handle| Ok(handle.broker().asked(&body)?)).await? {
            Some(AskOutcome::Answered(answer)) => Some(answer),
            Some(AskOutcome::Left) | None => None,
            Some(AskOutcome::Held(held)) => tokio::select! {
                answer = held.answered() => answer,
                () = app.ends() => return Err(ApiError::ending()),
            },
        };
    let told = |Answer { decision, reason }| ApprovalReply { decision: Some(decision), reason };
    Ok(Json(answer.map(told).unwrap_or_default()))
}
