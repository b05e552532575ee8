//! Routes about where time went: in a turn, and in tools.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use taffrail_api::{Tools, ToolsQuery, Trace, TraceQuery};
use taffrail_query::{tools, trace};

/// Where the time of a turn went: models, tools, sub-agents, and people it waited for.
#[utoipa::path(get, path = "/api/sessions/{id}/trace", tag = "history",
    params(("id" = String, Path), TraceQuery), responses((status = 200, body = Trace)))]
pub(super) async fn get_trace(
    State(app): State<App>,
    Path(id): Path<String>,
    Query(query): Query<TraceQuery>,
) -> Result<Json<Trace>, ApiError> {
    let told =
        app.ask(move |handle| Ok(trace(handle.settings(), &meant(handle, &id, "")?, query.turn)?));
    Ok(Json(told.await?))
}

/// The tools that sessions called: how often, how often without success, and how long they took.
#[utoipa::path(get, path = "/api/tools", tag = "about", params(ToolsQuery),
    responses((status = 200, body = Tools)))]
pub(super) async fn get_tools(
    State(app): State<App>,
    Query(query): Query<ToolsQuery>,
) -> Result<Json<Tools>, ApiError> {
    Ok(Json(app.ask(move |handle| Ok(tools(handle.settings(), query.project)?)).await?))
}
