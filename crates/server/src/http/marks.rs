//! What a person adds to a session: tags, a star, a title, notes.

use super::api_error::ApiError;
use super::app::App;
use super::extract::JsonBody;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{MarksBody, SessionMarks};
use taffrail_query::{mark, marks};

/// What a person added to a session.
#[utoipa::path(get, path = "/api/sessions/{id}/marks", tag = "sessions",
    params(("id" = String, Path)), responses((status = 200, body = SessionMarks)))]
pub(super) async fn get_marks(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<SessionMarks>, ApiError> {
    let found = app.ask(move |handle| Ok(marks(handle.settings(), &meant(handle, &id, "")?)?));
    Ok(Json(found.await?))
}

/// Adds tags, a star, a title or a note to a session, and takes them away.
#[utoipa::path(post, path = "/api/sessions/{id}/marks", tag = "sessions",
    params(("id" = String, Path)), request_body = MarksBody,
    responses((status = 200, body = SessionMarks)))]
pub(super) async fn mark_session(
    State(app): State<App>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<MarksBody>,
) -> Result<Json<SessionMarks>, ApiError> {
    let target = meant(app.handle(), &id, "")?;
    // Index readers load titles, so the loop opens the index again.
    let done = app.alone(move |settings| Ok(mark(settings, &target, &body)?));
    Ok(Json(done.await?))
}
