//! Sessions as documents of the open contracts, and the schemas of those contracts.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::subscribe::meant;
use axum::Json;
use axum::extract::{Path, State};
use serde_json::Value;
use serde_json::value::RawValue;
use taffrail_api::SchemaQuery;
use taffrail_contracts::{Strictness, find, schema_of};
use taffrail_query::contracts::{recorded_snapshot, session_snapshot, state_with};

/// A session at this instant, as `ecc.session.v1` has it. It is recorded, too.
#[utoipa::path(get, path = "/api/sessions/{id}/snapshot", tag = "documents",
    params(("id" = String, Path)),
    responses((status = 200, description = "as /schemas/ecc.session.v1.json says", body = Value)))]
pub(super) async fn get_snapshot(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Box<RawValue>>, ApiError> {
    let taken = app.ask(move |handle| {
        let (settings, target) = (handle.settings(), meant(handle, &id, "")?);
        let taken = session_snapshot(settings, &target, &|id| handle.live().status(id))?;
        Ok(recorded_snapshot(settings, &taken)?)
    });
    Ok(Json(taken.await?))
}

/// A session as a session state; one that was imported, as it came.
#[utoipa::path(get, path = "/api/sessions/{id}/state", tag = "documents",
    params(("id" = String, Path)),
    responses((status = 200, description = "as /schemas/session-state-v1.json says", body = Value)))]
pub(super) async fn get_state(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Json<Box<RawValue>>, ApiError> {
    let told = app.ask(move |handle| {
        let target = meant(handle, &id, "")?;
        Ok(state_with(handle.settings(), &target, &|id| handle.live().status(id))?)
    });
    Ok(Json(told.await?))
}

/// The JSON Schema of a document, by its name with `.json`.
#[utoipa::path(get, path = "/schemas/{name}", tag = "documents",
    params(("name" = String, Path, example = "ecc.session.v1.json"), SchemaQuery),
    responses((status = 200, description = "JSON Schema 2020-12", body = Value)))]
pub(super) async fn get_schema(
    Path(name): Path<String>,
    Query(query): Query<SchemaQuery>,
) -> Result<Json<Value>, ApiError> {
    let contract = name.strip_suffix(".json").and_then(find);
    let contract = contract.filter(|it| name.strip_suffix(".json") == Some(it.schema_name));
    let contract = contract.ok_or_else(|| ApiError::not_found(format!("no schema `{name}`")))?;
    let strictness = if query.strict { Strictness::Strict } else { Strictness::Lenient };
    Ok(Json(schema_of(contract, strictness)))
}
