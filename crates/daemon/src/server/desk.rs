//! The approvals desk over HTTP.

use super::app::App;
use super::asked::{Asked, Told};
use super::door::Surface;
use super::fault::Fault;
use crate::DaemonError;
use crate::between::answer;
use crate::desk::{self, approvals_now, decisions};
use crate::live::Handle;
use axum::extract::{Path, State};
use axum::{Extension, Json};
use taffrail_adapters::Answer;
use taffrail_api::{
    ApprovalRow, Approvals, ApprovalsQuery, DecisionBody, Decisions, DeskBody, DeskReply,
};
use taffrail_model::approval::Verdict;

/// The longest reason.
const REASON: usize = 1_000;

/// Requests that can still be answered; with `all` every one there was.
#[utoipa::path(get, path = "/api/approvals", tag = "approvals", params(ApprovalsQuery),
    responses((status = 200, body = Approvals)))]
pub(super) async fn approvals_asked(
    State(app): State<App>,
    Asked(query): Asked<ApprovalsQuery>,
) -> Result<Json<Approvals>, Fault> {
    Ok(Json(app.ask(move |handle| approvals_now(handle, query.all)).await?))
}

/// Every decision there was, with who and why.
#[utoipa::path(get, path = "/api/approvals/log", tag = "approvals",
    responses((status = 200, body = Decisions)))]
pub(super) async fn approvals_log(State(app): State<App>) -> Result<Json<Decisions>, Fault> {
    Ok(Json(app.ask(|handle| decisions(handle.settings())).await?))
}

/// Decides a request, if nobody did.
#[utoipa::path(post, path = "/api/approvals/{id}", tag = "approvals", request_body = DecisionBody,
    params(("id" = String, Path, description = "the beginning of its id")),
    responses((status = 200, body = ApprovalRow)))]
pub(super) async fn approval_decided(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Path(id): Path<String>,
    Told(body): Told<DecisionBody>,
) -> Result<Json<ApprovalRow>, Fault> {
    decided(&app, surface, id, body).await.map(Json)
}

/// Lets a decision out for who came in there.
pub(super) async fn decided(
    app: &App,
    surface: Surface,
    id: String,
    body: DecisionBody,
) -> Result<ApprovalRow, Fault> {
    if body.reason.as_ref().is_some_and(|it| it.chars().count() > REASON) {
        return Err(Fault::usage("a reason has at most 1,000 characters"));
    }
    // A page says where it is; only our own programs are believed to be another face.
    let by = match surface {
        Surface::Socket => body.by.unwrap_or_else(|| "socket".to_owned()),
        Surface::Loopback => "web".to_owned(),
    };
    let done = app.ask(move |handle| {
        let at = (handle.settings().now)();
        let decision = body.decision.into();
        let verdict = Verdict { decision, by, why: body.reason, rule: None, at };
        decide(handle, &id, &verdict)
    });
    done.await
}

/// Decides here, or what is asked on another device there.
fn decide(handle: &Handle, id: &str, verdict: &Verdict) -> Result<ApprovalRow, DaemonError> {
    match handle.desk().decide(handle, id, verdict.clone()) {
        Err(DaemonError::NoApproval(none)) => {
            answer(handle, id, verdict)?.ok_or(DaemonError::NoApproval(none))
        }
        decided => Ok(decided?.into()),
    }
}

/// A hook asks, and waits. Over the socket only.
#[utoipa::path(post, path = "/api/desk", tag = "approvals", request_body = DeskBody,
    responses((status = 200, body = DeskReply)))]
pub(super) async fn desk_asked(
    State(app): State<App>,
    Extension(surface): Extension<Surface>,
    Told(body): Told<DeskBody>,
) -> Result<Json<DeskReply>, Fault> {
    if surface != Surface::Socket {
        return Err(Fault::refused("only our own hook asks here"));
    }
    let _place = app.place()?;
    let answer = match app.ask(move |handle| handle.desk().ask(handle, &body)).await? {
        desk::Asked::Answered(answer) => Some(answer),
        desk::Asked::Left => None,
        desk::Asked::Held(held) => tokio::select! {
            answer = held.answered() => answer,
            () = app.ends() => return Err(Fault::ending()),
        },
    };
    let told = |Answer { decision, reason }| DeskReply { decision: Some(decision), reason };
    Ok(Json(answer.map(told).unwrap_or_default()))
}
