//! Routes about who wrote a line.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use axum::Json;
use axum::extract::State;
use taffrail_api::{BlameQuery, BlameReply, CommitList, CommitsQuery};
use taffrail_query::blame::{blame, commits};

/// Who wrote the lines of a file. The reply has no text of the file.
#[utoipa::path(get, path = "/api/blame", tag = "about", params(BlameQuery),
    responses((status = 200, body = BlameReply)))]
pub(super) async fn get_blame(
    State(app): State<App>,
    Query(query): Query<BlameQuery>,
) -> Result<Json<BlameReply>, ApiError> {
    app.handle().live().searchable().await;
    Ok(Json(app.ask(move |handle| Ok(blame(handle.settings(), &query)?)).await?))
}

/// Commits with the sessions whose lines they hold.
#[utoipa::path(get, path = "/api/commits", tag = "about", params(CommitsQuery),
    responses((status = 200, body = CommitList)))]
pub(super) async fn list_commits(
    State(app): State<App>,
    Query(query): Query<CommitsQuery>,
) -> Result<Json<CommitList>, ApiError> {
    app.handle().live().searchable().await;
    Ok(Json(app.ask(move |handle| Ok(commits(handle.settings(), &query)?)).await?))
}
