//! Controls of a session.

use super::api_error::ApiError;
use super::app::App;
use super::extract::JsonBody;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{ResumeBody, ResumeReply};
use taffrail_daemon::{resume_in_tmux, resume_plan_with};

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
        Ok(ResumeReply { executor, ..reply })
    });
    Ok(Json(done.await?))
}
